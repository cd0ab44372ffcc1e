-- Settings of what is printed: whole numbers that a script looks at and changes. Knows not what they are for.

-- A function f that gives the setting's value: f() only looks, f(n) sets it, f(nil) puts back the value it began with.
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
