-- A caller's mistake, raised as an error with the source line of the script that called into these files.

-- Raises "bad argument #argument to 'call' (message)"; the message is a format for the other arguments.
return function(argument, call, message, ...)
    local level = 2
    local info = debug.getinfo(level, "S")
    while info and info.source:find "^@lua/lunarray/" do
        level = level + 1
        info = debug.getinfo(level, "S")
    end
    error(("bad argument #%d to '%s' (%s)"):format(argument, call, message:format(...)), level)
end
