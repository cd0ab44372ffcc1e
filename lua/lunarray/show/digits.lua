-- Elements as text for people: the floats of one array in one form, with lun.precision digits and none that is not the
-- value's.

local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local number = require "lunarray.base.number"
local setting = require "lunarray.base.setting"

local digits = {}

local PRECISION = 6
local MOST_MORE = 3 -- decimals beyond the precision, for small numbers beside large ones

-- lun.precision([n]): the significant digits shown of each float.
digits.precision = setting("precision", PRECISION, 1, 17)

-- How many digits a number in this text would have after the point without its exponent; at least one, as in Lua.
local function after_point(text)
    local fraction, exponent = text:match "^-?%d+%.?(%d*)e?([+-]?%d*)$"
    return fraction and math.max(1, #fraction - (tonumber(exponent) or 0)) or 1
end

-- How many digits after the first a number in this text has, without zeros at its end; at least one.
local function after_first(text)
    local significant = text:gsub("e.*", ""):gsub("[-.]", ""):match "^0*(%d-)0*$"
    return significant and math.max(#significant - 1, 1) or 1
end

-- How many decimals distinguish x from all others.
local function all_decimals(x)
    return after_point(number.exact(x))
end

-- How many digits after the first distinguish x from all others.
local function all_after_first(x)
    return after_first(number.exact(x))
end

-- How many decimals x needs at `most` significant digits.
local function decimals(x, most)
    return math.min(after_point(number.format("%." .. most .. "g", x)), all_decimals(x))
end

-- How many digits after the first x needs at `most` significant digits, written with an exponent.
local function exponent_digits(x, most)
    return math.min(after_first(number.format("%." .. most - 1 .. "e", x)), all_after_first(x))
end

-- Whether floats of these magnitudes are written with exponents: if decimals would get too long. Numbers below 1 are
-- not, as long as the decimals show all of them, so that random numbers look alike.
local function takes_exponents(largest, smallest, whole, most)
    local below_one = largest > 0.01 and largest <= 1 and smallest >= 10.0 ^ (1 - most - MOST_MORE)
    return largest >= (whole and 1e12 or 1e8) or smallest < 1e-4 and not below_one
end

-- A function from float to text with `most` digits after the point, and an exponent. Digits behind those that
-- distinguish a number are noise: zeros replace them.
local function with_exponents(most)
    return function(x)
        local own = math.min(most, all_after_first(x))
        local text = number.format("%." .. own .. "e", x)
        return (text:gsub("e", ("0"):rep(most - own) .. "e"))
    end
end

-- The same without exponents.
local function with_decimals(most)
    return function(x)
        local own = math.min(most, all_decimals(x))
        local text = number.format("%." .. own .. "f", x)
        return text:find "[^%d.-]" and text or text .. ("0"):rep(most - own)
    end
end

-- A function from float to text, such that the texts of all `values` have the same form: plain decimals, or exponents
-- if some would get too long. Every digit is the value's.
local function float_formatter(values)
    local precision = digits.precision()
    local largest, smallest, whole = 0, math.huge, true
    for _, x in ipairs(values) do
        local size = math.abs(x)
        if size > 0 and size < math.huge then
            largest, smallest = math.max(largest, size), math.min(smallest, size)
            whole = whole and size % 1 == 0
        end
    end
    local exponents = takes_exponents(largest, smallest, whole, precision)
    local count = exponents and exponent_digits or decimals
    local most = 1
    for _, x in ipairs(values) do
        most = math.max(most, count(x, precision))
    end
    if exponents then
        return with_exponents(most)
    end
    return with_decimals(math.min(most, precision + MOST_MORE))
end

-- The text of a float in as many digits as distinguish it from others of its dtype.
local function shortest(dtype, x)
    local most = dtypes.digits(dtype)
    for count = 1, most - 1 do
        local text = number.format("%." .. count .. "g", x)
        if core.internal.rounded(number.parse(text), dtype) == x then
            return text
        end
    end
    return number.format("%." .. most .. "g", x)
end

-- A function from complex number to text: both parts of one form each, and the imaginary ones of one width.
local function complex_formatter(part, values)
    local re, im, width = {}, {}, 0
    for i, z in ipairs(values) do
        re[i], im[i] = z.re, z.im
    end
    local real, imaginary = digits.formatter(part, re), digits.formatter(part, im)
    local function signed(x)
        local text = imaginary(x)
        return text:find "^%-" and text or "+" .. text
    end
    for _, x in ipairs(im) do
        width = math.max(width, #signed(x))
    end
    return function(z)
        return ("%s%" .. width .. "si"):format(real(z.re), signed(z.im))
    end
end

-- A function from element to text for elements of this dtype, fit for all `values`.
function digits.formatter(dtype, values)
    if dtypes.by_name[dtype].part then
        return complex_formatter(dtypes.by_name[dtype].part, values)
    end
    if dtypes.is_float(dtype) and dtypes.by_name[dtype].bytes < 8 then
        local function short(x) -- the shortest text of -0.0 would be an integer in Lua
            return x == 0 and x or number.parse(shortest(dtype, x))
        end
        local all = {}
        for i, x in ipairs(values) do
            all[i] = short(x)
        end
        local aligned = float_formatter(all)
        return function(x)
            return aligned(short(x))
        end
    elseif dtypes.is_float(dtype) then
        return float_formatter(values)
    elseif dtype == "duration" then
        return function(x)
            return core.internal.time_text(dtype, x)
        end
    elseif dtypes.is_beyond_lua(dtype) then
        return number.unsigned
    end
    return tostring
end

-- The text of a Scalar's value, as Lua shows it: of a narrow float the digits that distinguish it.
function digits.scalar(dtype, x)
    local part = dtypes.by_name[dtype].part
    if part then
        local im = digits.scalar(part, x.im)
        return digits.scalar(part, x.re) .. (im:find "^%-" and "" or "+") .. im .. "i"
    end
    local narrow = dtypes.is_float(dtype) and dtypes.by_name[dtype].bytes < 8
    if narrow and x ~= 0 and x == x and math.abs(x) < math.huge then
        return number.shown(number.parse(shortest(dtype, x)))
    elseif math.type(x) == "float" and dtype ~= "duration" then
        return number.shown(x)
    end
    return digits.formatter(dtype, {})(x)
end

return digits
