-- Lua 5.4; scripts for the program may use the preset `lun`, specs also busted's globals.
std = "lua54"
max_line_length = 120
exclude_files = { "build" }
files["examples"] = { read_globals = { "lun" } }
files["bench"] = { read_globals = { "lun" } }
files["tests"] = { std = "+busted", read_globals = { "lun" }, max_line_length = 140 }
files["*.rockspec"] = { std = "+rockspec" }
