-- The sandbox loads no bytecode: valid or damaged, as a string or in pieces, with every mode of load.
local kit = dofile "tests/torture/kit.lua"

local functions = { function(x) return x + 1 end, function() local t = {} for i = 1, 10 do t[i] = function() return i end end return t end,
    function(...) return ... end }

-- The mutants are made inside the sandbox, from dumps made outside: it cannot dump functions.
local script = [[
local dumps, tries, state = { %s }, %d, %d
local function random(n)
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) %% n + 1
end
local loaded, spoken = 0, 0
for i = 1, tries do
    local text = dumps[i %% #dumps + 1]
    for _ = 1, random(6) - 1 do
        local at = random(#text)
        local way = random(4)
        if way == 1 then text = text:sub(1, at - 1) .. string.char(random(256) - 1) .. text:sub(at + 1)
        elseif way == 2 then text = text:sub(1, math.max(at, 5))
        elseif way == 3 then text = text .. text:sub(at)
        else text = text:sub(1, at) .. text:sub(at + random(8)) end
    end
    local way, mode = i %% 4, ({ "b", "bt", "t", "binary" })[random(5)]
    local pieces, f, message = 0, nil, nil
    if way < 2 then
        f, message = load(text, "x", mode)
    elseif way == 2 then -- in pieces of a byte
        f, message = load(function() pieces = pieces + 1 return text:sub(pieces, pieces) end, "x", mode)
    else -- after an empty piece or one with a line of text
        f, message = load(function() pieces = pieces + 1 return ({ "#\n", text })[pieces] end, "x", mode)
    end
    -- without bytecode's first byte it is text, and may be an empty chunk
    if f and not text:find "[^%%s;]" then message = "an empty text" f = nil end
    if f then loaded = loaded + 1 end
    if type(message) == "string" then spoken = spoken + 1 end
end
print(loaded, spoken)
]]

kit.part("bytecode in the sandbox", function()
    local dumps = {}
    for i, f in ipairs(functions) do
        dumps[#dumps + 1] = ("%q"):format(string.dump(f))
        dumps[#dumps + 1] = ("%q"):format(string.dump(f, true))
        assert(dumps[i])
    end
    local tries = kit.count(10000, 300)
    local path = kit.write(kit.directory() .. "/bytes.lua",
        script:format(table.concat(dumps, ", "), tries, tonumber(os.getenv "TORTURE_SEED") or 31))
    local pipe = io.popen(("timeout -s KILL 120 %s/lunarray --sandbox --time-limit 100 %s 2>&1"):format(kit.build, path))
    local text = pipe:read "a"
    local good = pipe:close()
    local loaded, spoken = text:match "^(%d+)\t(%d+)\n$"
    if not loaded then
        io.stderr:write(text, "\n")
    end
    return good and loaded == "0" and tonumber(spoken) == tries, "%d mutants, %s loaded", tries, loaded or "?"
end)
