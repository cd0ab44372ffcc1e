-- Names of a script never reach generated code: functions whose variables, upvalues, globals, fields and files have
-- random names give the text of the same function with plain names, byte for byte; operation names and dtypes of random
-- bytes are refused, and generated text contains none of them.
local kit = dofile "tests/torture/kit.lua"
local lun = require "lunarray"

local random = kit.generator(tonumber(os.getenv "TORTURE_SEED") or 21)
local a = lun.vector { 1, 2, 3 }
local pieces = { "system", "__asm__", "x; } int main(void) {", "*/", "/*", "\\", "\"", "'", "%s%n", "#include", "\n#define x", "??/",
    "$(touch /tmp/x)", "`id`", "_Pragma", "lun_kernel", "u", "f", "int", "return", "\0", "\xff", "goto" }

-- A valid name in Lua; many are reserved or invalid in C.
local function name()
    local words = { "int", "float", "long", "static", "void", "lun_kernel", "u", "f", "i", "body", "prepare", "main", "asm", "restrict",
        "double", "s1", "v7", "k_0", "frame", "self", "typedef", "EXPORT", "INLINE", "__asm__", "_Pragma", "system", "exit" }
    local text = words[random(#words)]
    for _ = 1, random(4) - 1 do
        text = text .. ("_abcXYZ019"):sub(random(10), -1):sub(1, random(3))
    end
    return text
end

local shapes = {
    "local %1$s = 2 return function(%2$s, %3$s) local %4$s = %2$s * %1$s + %3$s return %4$s end",
    "return function(%2$s) local %1$s = 0 for %3$s = 1, 3 do if %2$s > %3$s then %1$s = %1$s + 1 end end return %1$s end",
    "local %1$s = { %2$s = 4 } return function(%3$s) return %3$s + %1$s.%2$s end",
    "local function %1$s(%2$s) return %2$s * 2 end return function(%3$s) return %1$s(%3$s) end",
    "%1$s = 5 return function(%2$s) return %2$s * %1$s end",
}

local function source_of(shape, names)
    local text = shape:gsub("%%(%d)%$s", function(k) return names[tonumber(k)] end)
    local environment = setmetatable({}, { __index = _G })
    local f = load(text, "@" .. names[4] .. "\"; system(1); /*.lua", "t", environment)
    if not f then
        return nil -- a reserved word
    end
    local g = f()
    local _, more = text:gsub("function%(", "")
    local arguments = text:find("function%([^)]*,") and more > 0 and { a, 3 } or { a }
    return lun.map(g)(table.unpack(arguments)):source()
end

kit.part("names in generated code", function()
    local tries, same, other = kit.count(50000, 500), 0, 0
    local plain = {}
    for i, shape in ipairs(shapes) do
        plain[i] = assert(source_of(shape, { "w", "x", "y", "z" }))
    end
    for i = 1, tries do
        local which = i % #shapes + 1
        local names, seen = {}, {}
        for k = 1, 4 do
            repeat
                names[k] = name()
            until not seen[names[k]]
            seen[names[k]] = true
        end
        local ok, text = pcall(source_of, shapes[which], names)
        if ok and text == plain[which] then
            same = same + 1
        elseif not ok or text then
            other = other + 1
            io.stderr:write(table.concat(names, " "), ": ", tostring(text):sub(1, 300), "\n")
        end
    end
    return other == 0 and same > tries / 2, "%d functions, %d texts the same as with plain names, %d not", tries, same, other
end)

kit.part("invalid names", function()
    local tries, refused, odd = kit.count(50000, 500), 0, 0
    local calls = {
        function(s) return a:cast(s) end, function(s) return lun.zeros(3, s) end, function(s) return lun.map(lun.op[s]) end,
        function(s) return a:lazy(s) end, function(s) return lun.reduce(s, 0)(a) end, function(s) return a + s end,
        function(s) return lun.full(3, s) end, function(s) return a[s] end, function(s) return lun.use(s) end,
        function(s) return lun.random(3, { [s] = 1 }) end,
    }
    for i = 1, tries do
        local text = pieces[random(#pieces)]
        for _ = 1, random(4) - 1 do
            text = text .. pieces[random(#pieces)]
        end
        local ok, result = pcall(calls[i % #calls + 1], text)
        if not ok or result == nil then
            refused = refused + 1
        elseif type(result) == "userdata" then
            odd = odd + 1
            io.stderr:write(("%q: %s\n"):format(text, tostring(result)))
        end
    end
    return odd == 0 and refused == tries, "%d strings, %d refused", tries, refused
end)
