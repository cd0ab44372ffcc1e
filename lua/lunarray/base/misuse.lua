-- A caller's mistake, as an error at the line of the script that called into these files. Knows no function.

-- Raises "bad argument #argument to 'call' (message)"; the message is a format of what follows it.
return function(argument, call, message, ...)
    local level = 2
    local info = debug.getinfo(level, "S")
    while info and info.source:find "^@lua/lunarray/" do
        level = level + 1
        info = debug.getinfo(level, "S")
    end
    error(("bad argument #%d to '%s' (%s)"):format(argument, call, message:format(...)), level)
end
