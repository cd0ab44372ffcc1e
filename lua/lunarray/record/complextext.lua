-- Complex numbers in C texts: the structs c64 and c128, of two parts, and the functions on them, lun_cmul and the like,
-- which have the bits of the operations on arrays. Knows no array.

local core = require "lunarray.core"
local struct = require "lunarray.record.struct"

local complextext = {}

-- The structs by their names in C, those of the dtypes.
local structs = {}
for name, part in pairs { c64 = "f32", c128 = "f64" } do
    structs[name] = struct.new(name, { { "re", part }, { "im", part } }, nil, {})
end

-- The struct of that name; nil: it is none of complex numbers.
function complextext.struct(name)
    return structs[name]
end

-- Whether s is one of them.
function complextext.is(s)
    return s and structs[s.name] == s
end

local function mentions(text, word)
    return text:find("%f[%w_]" .. word .. "%f[^%w_]") ~= nil
end

-- The structs that a text, without comments and texts in it, mentions.
function complextext.structs_in(text)
    local list = {}
    for _, name in ipairs { "c64", "c128" } do
        list[#list + 1] = mentions(text, name) and structs[name] or nil
    end
    return list
end

-- The struct of a parameter, and whether it is a pointer; nil: it takes no complex numbers.
function complextext.parameter(text)
    for name, s in pairs(structs) do
        if mentions(text, name) then
            return s, text:find "[*%[]" ~= nil
        end
    end
end

-- The definitions of the functions that a text mentions. lun_cmul is of c128, lun_cmulf of c64; where the text, or of
-- one that mentions neither the structs in front of it, have c64 alone, lun_cmul is of c64.
function complextext.functions_in(text, front)
    local list, known = {}, {}
    local of = complextext.structs_in(text)[1] and text or front
    local default = mentions(of, "c64") and not mentions(of, "c128") and "c64" or "c128"
    for symbol, name in text:gmatch "%f[%w_](lun_c([%a_][%w_]*))%f[^%w_]" do
        if not known[symbol] then
            known[symbol] = true
            list[#list + 1] = core.internal.complex_text(name, symbol, default)
                or core.internal.complex_text(name:match "^(.*)f$" or "", symbol, "c64")
        end
    end
    return table.concat(list, " ")
end

return complextext
