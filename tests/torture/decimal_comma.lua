-- A locale with a decimal comma, for a run of specs under it (same.lua sets LUA_INIT to this file). What the specs write
-- themselves by tostring, string.format and table.concat keeps its point: only texts of the engine are looked at.
assert(os.setlocale("de_DE.UTF-8", "numeric"))

if not math.type then -- another Lua that a spec starts
    return
end

local as_text, concat, format = tostring, table.concat, string.format

-- Is the function that calls the caller of this one a test's?
local function is_for_tests()
    return debug.getinfo(3, "S").source:find "^@?[%w/]*tests/"
end

local function with_point(x)
    return (as_text(x):gsub(",", "."))
end

rawset(_G, "tostring", function(x)
    if math.type(x) == "float" and is_for_tests() then
        return with_point(x)
    end
    local ok, text = pcall(as_text, x)
    if not ok then
        error(type(text) == "string" and text:gsub("^[^:]*:%d+: ", "") or text, 2) -- where the test calls it
    end
    return text
end)

rawset(table, "concat", function(list, ...)
    if is_for_tests() and type(list) == "table" then
        local texts = {}
        for k, x in pairs(list) do
            texts[k] = math.type(x) == "float" and with_point(x) or x
        end
        list = texts
    end
    return concat(list, ...)
end)

-- Each conversion by itself, so that commas around them stay.
rawset(string, "format", function(text, ...)
    if not is_for_tests() then
        return format(text, ...)
    end
    local arguments, k = table.pack(...), 0
    return (text:gsub("%%[%d.#+ -]*.", function(conversion)
        if conversion == "%%" then
            return "%"
        end
        k = k + 1
        local x = arguments[k]
        if math.type(x) == "float" or math.type(x) and conversion:find "[aAeEfFgG]$" then
            return (format(conversion, conversion:find "s$" and with_point(x) or x):gsub(",", "."))
        end
        return k <= arguments.n and format(conversion, x) or format(conversion) -- which raises the error
    end))
end)
