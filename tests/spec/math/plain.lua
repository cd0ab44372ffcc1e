-- What plain loops of linear algebra are written with: arithmetic of f64 and f32 in Lua, elements compared bit by bit,
-- failures. Knows no algorithm.
local assert = require "luassert"
local lun = require "lunarray"

local plain = {}

-- Fused products and sums. Of f32, whose products are exact in f64: the sum rounded to odd, then to f32.
plain.FMA = {
    f64 = lun.fma,
    f32 = function(a, b, c)
        local p = a * b
        local s = p + c
        local q = s - p
        local lost = (p - (s - q)) + (c - q)
        local bits = string.unpack("i8", string.pack("d", s))
        if lost ~= 0 and bits % 2 == 0 then
            s = string.unpack("d", string.pack("i8", bits + ((lost > 0) == (s > 0) and 1 or -1)))
        end
        return string.unpack("f", string.pack("f", s))
    end,
}
plain.ROUND = {
    f64 = function(x) return x end,
    f32 = function(x) return string.unpack("f", string.pack("f", x)) end,
}

-- The sum of products of the elements of two lists from i to j, in 64 lanes of each 16,384, and the tree of adjacent
-- pairs over these.
function plain.dot(x, y, i, j, dtype)
    local round, cells = plain.ROUND[dtype], {}
    for first = i, j, 16384 do
        local lanes = {}
        for l = 0, 63 do
            lanes[l] = 0.0
            for k = first + l, math.min(j, first + 16383), 64 do
                lanes[l] = round(lanes[l] + round(x[k] * y[k]))
            end
        end
        for _, half in ipairs { 32, 16, 8, 4, 2, 1 } do
            for l = 0, half - 1 do
                lanes[l] = round(lanes[l] + lanes[l + half])
            end
        end
        cells[#cells + 1] = lanes[0]
    end
    while #cells > 1 do
        local pairs_of = {}
        for k = 1, #cells, 2 do
            pairs_of[#pairs_of + 1] = cells[k + 1] and round(cells[k] + cells[k + 1]) or cells[k]
        end
        cells = pairs_of
    end
    return cells[1] or 0.0
end

-- The product of two lists of rows: sums of each 256 values in order, added in order.
function plain.product(a, b, dtype)
    local fma, round, c = plain.FMA[dtype], plain.ROUND[dtype], {}
    for i = 1, #a do
        c[i] = {}
        for j = 1, #b[1] do
            local sum
            for p = 1, #b, 256 do
                local s = 0.0
                for k = p, math.min(p + 255, #b) do
                    s = fma(a[i][k], b[k][j], s)
                end
                sum = sum and round(sum + s) or s
            end
            c[i][j] = sum
        end
    end
    return c
end

function plain.transposed(t)
    local u = {}
    for j = 1, #t[1] do
        u[j] = {}
        for i = 1, #t do u[j][i] = t[i][j] end
    end
    return u
end

-- Numbers of lists in lists, in order.
function plain.flat(list, out)
    out = out or {}
    for _, x in ipairs(list) do
        if type(x) == "table" then plain.flat(x, out) else out[#out + 1] = x end
    end
    return out
end

-- Fails unless all bits are equal; lists or arrays.
function plain.same(want, got)
    want = plain.flat(lun.isarray(want) and want:totable() or want)
    got = plain.flat(got:totable())
    assert.equal(#want, #got)
    for k = 1, #want do
        if string.pack("d", want[k]) ~= string.pack("d", got[k]) then
            error(("element %d is %a, %a expected"):format(k, got[k], want[k]), 2)
        end
    end
end

function plain.fails(text, code, f)
    local ok, e = pcall(f)
    assert.is_false(ok)
    assert.equal(text, (tostring(e):gsub("^[^:]*:%d+: ", "")))
    assert.equal(code, type(e) == "table" and e.code or nil)
end

return plain
