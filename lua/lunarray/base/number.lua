-- Numbers as text, the same in every locale: independent of the C library's decimal point in both directions.
-- Shared by the CSV reader and writer and by printing.

local number = {}

local find, format, gsub, match = string.find, string.format, string.gsub, string.match

-- Lua reads at most this many characters with a point that is not the locale's own.
local LONGEST = 200

local words = {
    nan = 0.0 / 0.0,
    inf = math.huge,
    infinity = math.huge,
    ["+inf"] = math.huge,
    ["+infinity"] = math.huge,
    ["-inf"] = -math.huge,
    ["-infinity"] = -math.huge,
}

-- The decimal point of the current locale.
local function decimal_point()
    return match(format("%.1f", 0.5), "^0(.-)5$")
end

-- printf's output with the locale's decimal point made a plain one.
local function plain(text)
    if not find(text, "[^%de+-]") or find(text, ".", 1, true) then
        return text
    end
    local first, last = find(text, decimal_point(), 1, true)
    return first and text:sub(1, first - 1) .. "." .. text:sub(last + 1) or text
end

-- The number that `text` is, or nil: decimal digits with an optional sign, point and exponent, or
-- nan, inf and infinity in any case. No blanks, no hexadecimal. An integer too large for Lua's own
-- becomes a float.
function number.parse(text)
    if find(text, "[^%d.eE+-]") then
        return #text <= 9 and words[text:lower()] or nil
    end
    local x = tonumber(text)
    if not x and #text > LONGEST then
        x = tonumber((gsub(text, "%.", (gsub(decimal_point(), "%%", "%%%%")))))
    end
    return x
end

-- Text that reads back as the very same number of the same Lua type: the fewest of 15, 16 or 17
-- digits that do. NaN has no sign here.
function number.exact(x)
    if math.type(x) == "integer" then
        return format("%d", x)
    elseif x ~= x then
        return "nan"
    elseif x == math.huge or x == -math.huge then
        return x > 0 and "inf" or "-inf"
    end
    local text = format("%.15g", x)
    if tonumber(text) ~= x then
        text = format("%.16g", x)
        if tonumber(text) ~= x then
            text = format("%.17g", x)
        end
    end
    text = plain(text)
    return find(text, "[.e]") and text or text .. ".0"
end

-- Text of the element of a u64 array that Lua holds as an integer of the same bits.
function number.unsigned(x)
    if x >= 0 then
        return format("%d", x)
    end
    local tens = (x >> 1) // 5
    return format("%d%d", tens, x - tens * 10)
end

-- string.format for floats, with a plain point; NaN and infinities are nan, inf and -inf.
function number.format(form, x)
    if x ~= x then
        return "nan"
    elseif x == math.huge or x == -math.huge then
        return x > 0 and "inf" or "-inf"
    end
    return plain(format(form, x))
end

-- string.format of a message, in which floats have a plain point.
function number.fill(message, ...)
    local values = table.pack(...)
    for k = 1, values.n do
        if math.type(values[k]) == "float" then
            values[k] = tostring(values[k])
        end
    end
    return format(message, table.unpack(values, 1, values.n))
end

-- A float as Lua shows it, but NaN without a sign and a plain point.
function number.shown(x)
    local text = number.format("%.14g", x)
    return find(text, "[.einf]") and text or text .. ".0"
end

return number
