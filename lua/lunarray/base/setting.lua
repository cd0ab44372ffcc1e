-- Settings of printing: whole numbers that a script reads and changes.

-- A function f that gives the setting's value: f() reads it, f(n) sets it, f(nil) resets it. start: its value, or a
-- function that gives it each time; most: math.huge is a value, too.
return function(name, start, least, most)
    local value
    local function initial()
        return type(start) == "function" and start() or start
    end
    local function refuse()
        error(("bad argument #1 to '%s' (a whole number from %d%s expected, or nil for %d)"):format(name, least,
            most == math.huge and " on or math.huge" or (" to %d"):format(most), initial()), 3)
    end
    return function(...)
        local n = ...
        if select("#", ...) > 0 then
            local whole = math.tointeger(n) or n == most and n
            if n ~= nil and (not whole or whole < least or whole > most) then
                refuse()
            end
            value = whole or nil
        end
        return value or initial()
    end
end
