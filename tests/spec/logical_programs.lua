-- What users do to arrays of logical dtypes, texts, dates and complex numbers, and of which elements are missing, for specs that
-- compare what it gives where they are divided with what it gives on one place.
local lun = require "lunarray"

local logical = {}

logical.names = { "date", "number", "text", "w", "z" } -- of the arrays, in an order that is the same on all ranks

function logical.arrays(n)
    local words, numbers, days, pairs = {}, {}, {}, {}
    for i = 1, n do
        words[i] = i % 7 == 0 and lun.na or "w" .. i * 31 % 53
        numbers[i] = i % 5 == 0 and lun.na or i * 17 % 101 / 4
        days[i] = i * 13 % 900
        pairs[i] = lun.complex(i, i * 2 - 7)
    end
    local planes = lun.index(n):cast "f64"
    return {
        text = lun.vector(words, "text"), number = lun.vector(numbers, "f64"), z = lun.vector(pairs, "c128"),
        date = lun.vector(days, "i32"):cast "date", w = lun.complex(planes, 3 - planes):copy(),
    }
end

-- Each takes the arrays, and the number of elements; some write.
logical.programs = {
    { "eq", function(a) return a.text:eq "w5" end },
    { "lt", function(a) return a.text:lt "w3" end },
    { "sort of texts", function(a) return a.text:sort() end },
    { "argsort of texts", function(a) return a.text:argsort() end },
    { "unique", function(a) return a.text:unique() end },
    { "upper", function(a) return a.text:upper() end },
    { "joined", function(a) return a.text .. "x" end },
    { "shifted texts", function(a) return a.text:shift(3) end },
    { "texts taken", function(a) return a.text:take(lun.vector { 5, 1, -1 }) end },
    { "texts chosen", function(a) return a.text:compress(a.number:gt(5)) end },
    { "where", function(a) return lun.where(a.number:gt(5), a.text, "none") end },
    { "texts set", function(a, n)
        a.text[3], a.text[n], a.text[1] = "new", "last", lun.na
        return a.text:copy()
    end },
    { "texts filled", function(a) return a.text:set(lun.where(a.text:eq "w5", "five", a.text)) end },
    { "arithmetic", function(a) return a.number * 2 + 1 end },
    { "map", function(a) return a.number:map(function(v) return v * v + 1 end) end },
    { "sum", function(a) return a.number:sum() end },
    { "mean", function(a) return a.number:mean() end },
    { "std", function(a) return a.number:std() end },
    { "cumsum", function(a) return a.number:cumsum() end },
    { "sort", function(a) return a.number:sort() end },
    { "median", function(a) return a.number:median() end },
    { "argmax", function(a) return a.number:argmax() end },
    { "ffill", function(a) return a.number:ffill() end },
    { "ismissing", function(a) return a.number:ismissing() end },
    { "rolling", function(a) return a.number:rolling(3, "sum") end },
    { "numbers set", function(a)
        a.number[5], a.number[6] = 1, lun.na
        return a.number:set(a.number * 3)
    end },
    { "a window written", function(a, n)
        local w = a.number:sub(2, n - 1)
        w:set(w + a.number:sub(1, n - 2))
        return a.number
    end },
    { "year", function(a) return a.date:year() end },
    { "days later", function(a) return a.date + lun.duration "2d" end },
    { "months", function(a) return a.date:truncate "1mo" end },
    { "latest", function(a) return a.date:max() end },
    { "product", function(a) return a.z * a.w + 1 end },
    { "abs", function(a) return a.z:abs() end },
    { "exp", function(a) return (a.z / 100):exp() end },
    { "sum of complex numbers", function(a) return a.z:sum() end },
    { "imaginary parts", function(a) return a.z:imag() + a.w:real() end },
    { "complex cumsum", function(a) return a.z:cumsum() end },
    { "complex numbers set", function(a, n)
        a.z[2], a.w[n] = 5, lun.complex(0, 1)
        return a.z:set(a.z * a.w)
    end },
    { "complex numbers chosen", function(a) return a.z:compress(a.number:gt(3)) end },
    { "fft", function(a) return a.z:fft() end },
    { "group", function(a)
        local t = lun.table { text = a.text, number = a.number, date = a.date }
        return t:group "text":agg { { "s", "sum", "number" }, { "m", "max", "date" } }:totable()
    end },
    { "join", function(a)
        local other = lun.table { text = lun.vector { "w1", "w2", "zz" }, y = lun.vector { 1, 2, 3 } }
        return lun.table { text = a.text, number = a.number }:join(other, "text"):totable()
    end },
}

-- An array, a number or a list of rows as text.
function logical.text_of(x)
    if type(x) == "table" then
        local keys, parts = {}, {}
        for key in pairs(x) do keys[#keys + 1] = tostring(key) end
        table.sort(keys)
        for _, key in ipairs(keys) do parts[#parts + 1] = key .. "=" .. logical.text_of(x[tonumber(key) or key]) end
        return "{" .. table.concat(parts, " ") .. "}"
    elseif type(x) == "userdata" and x.dtype and pcall(function() return #x end) then
        local parts = { x:dtype() }
        for k = 1, #x do parts[k + 1] = tostring(x[k]) end
        return table.concat(parts, " ")
    end
    return tostring(x)
end

return logical
