-- Checks the number of arguments of functions written in Lua, as interp/bind/host/register.c does for those in C. Knows
-- no function.

-- Raises an error in the script that called the function `name` unless the arguments in ... beyond `most` are nil.
return function(name, most, ...)
    local given = select("#", ...)
    while given > most and (select(given, ...)) == nil do
        given = given - 1
    end
    if given > most then
        local expected = most == 0 and "none" or ("at most %d"):format(most)
        error(("wrong number of arguments to '%s' (%s expected, got %d)"):format(name, expected, given), 3)
    end
end
