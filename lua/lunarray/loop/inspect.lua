-- What a Lua function captures, and copies of it that capture something else. Knows no rank.

local inspect = {}

local function is_lua(f)
    return type(f) == "function" and debug.getinfo(f, "S").what ~= "C"
end

-- A copy of f with upvalues that `replace` gives in the place of some; those that it gives nil for are shared.
function inspect.copy(f, replace, copies)
    copies = copies or {}
    if copies[f] then
        return copies[f]
    end
    local copy = load(string.dump(f), "=copy", "b")
    copies[f] = copy
    local k = 1
    while true do
        local name, x = debug.getupvalue(f, k)
        if not name then
            return copy
        end
        local other = replace(x, name)
        if other == nil and is_lua(x) then
            other = inspect.copy(x, replace, copies)
        end
        if other ~= nil then
            debug.upvaluejoin(copy, k, function() -- a variable of its own
                return other
            end, 1)
        else
            debug.upvaluejoin(copy, k, f, k)
        end
        k = k + 1
    end
end

-- The arrays that f, and the functions that it captures, capture: { array =, name = } in the order of the upvalues. And
-- whether it captures functions.
function inspect.captured(f, is_array)
    local list, seen, inner = {}, {}, false
    local function look(g)
        if seen[g] then
            return
        end
        seen[g] = true
        local k = 1
        while true do
            local name, x = debug.getupvalue(g, k)
            if not name then
                return
            end
            if is_array(x) and not seen[x] then
                seen[x] = true
                list[#list + 1] = { array = x, name = name }
            elseif is_lua(x) then
                inner = true
                look(x)
            end
            k = k + 1
        end
    end
    look(f)
    return list, inner
end

return inspect
