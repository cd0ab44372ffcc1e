-- An error of a script's call, raised with the source line of the script that called into these files.

local fill = require "lunarray.base.number".fill

-- Raises the message, a format for the other arguments.
return function(message, ...)
    local level = 2
    local info = debug.getinfo(level, "S")
    while info and info.source:find "^@lua/lunarray/" do
        level = level + 1
        info = debug.getinfo(level, "S")
    end
    error(fill(message, ...), level)
end
