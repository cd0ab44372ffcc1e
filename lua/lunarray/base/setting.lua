-- Settings of printing: whole numbers that a script reads and changes.

-- A function f that gives the setting's value: f() reads it, f(n) sets it, f(nil) resets it.
return function(name, start, least, most)
    local value = start
    return function(...)
        local n = ...
        if select("#", ...) == 0 then
            return value
        elseif n ~= nil then
            n = math.tointeger(n)
            if not n or n < least or n > most then
                error(("bad argument #1 to '%s' (a whole number from %d to %d expected, or nil for %d)"):format(name,
                    least, most, start), 2)
            end
        end
        value = n or start
        return value
    end
end
