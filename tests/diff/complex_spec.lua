-- Arithmetic of complex numbers on every backend and in every layout, element by element against pairs of Lua's numbers:
-- each operation with each dtype beside a complex one, with numbers on either side, and random expressions, which run as one
-- kernel. The oracle rounds each operation, and knows the rules of docs/mathematics.md: a real operand has no imaginary part.
local harness = require "diff.harness"
local lun = require "lunarray"

local FULL = os.getenv "LUNARRAY_DIFF_FULL" == "1"

-- ---------------------------------------------------------------- the oracle

local function to_single(x)
    return (string.unpack("f", string.pack("f", x)))
end

local function exactly(x) return x end

-- A value is { re, im } or, real, { re }; every operation is rounded by r.
local oracle = {}

function oracle.add(r, a, b)
    return { r(a[1] + b[1]), a[2] and b[2] and r(a[2] + b[2]) or a[2] or b[2] }
end

function oracle.sub(r, a, b)
    return { r(a[1] - b[1]), a[2] and b[2] and r(a[2] - b[2]) or a[2] or b[2] and -b[2] }
end

function oracle.mul(r, a, b)
    if not a[2] or not b[2] then
        return { r(a[1] * b[1]), a[2] and r(a[2] * b[1]) or b[2] and r(a[1] * b[2]) }
    end
    return { r(r(a[1] * b[1]) - r(a[2] * b[2])), r(r(a[1] * b[2]) + r(a[2] * b[1])) }
end

function oracle.div(r, a, b)
    if not b[2] then
        return { r(a[1] / b[1]), a[2] and r(a[2] / b[1]) }
    end
    local re, im, c, d = a[1], a[2] or 0.0, b[1], b[2]
    if math.abs(c) >= math.abs(d) then
        local q = r(d / c)
        local t = r(c + r(d * q))
        return { r(r(re + r(im * q)) / t), r(r(im - r(re * q)) / t) }
    end
    local q = r(c / d)
    local t = r(r(c * q) + d)
    return { r(r(r(re * q) + im) / t), r(r(r(im * q) - re) / t) }
end

function oracle.neg(_, a)
    return { -a[1], a[2] and -a[2] }
end

function oracle.conj(_, a)
    return { a[1], a[2] and -a[2] }
end

-- ---------------------------------------------------------------- operands

local INTERESTING <const> = { 0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -7.25, 1e-3, 1e20, -1e-20, math.huge, -math.huge, 0 / 0, 2.5e38, 1e-40 }

-- Element k of operand number `which` of a dtype, as a value.
local function element(dtype, which, k)
    local x = INTERESTING[1 + (k * 5 + which * 3) % #INTERESTING]
    if dtype == "c64" or dtype == "c128" then
        local r = dtype == "c64" and to_single or exactly
        return { r(x), r(INTERESTING[1 + (k * 7 + which) % #INTERESTING]) }
    elseif dtype == "f64" or dtype == "f32" then
        return { dtype == "f32" and to_single(x) or x }
    elseif dtype == "bool" then
        return { (k + which) % 2 * 1.0 }
    end
    return { ((k * 3 + which) % 7 - (dtype:find "^u" and 0 or 3)) * 1.0 } -- also f16 and bf16 have these
end

local LENGTH <const> = 105 -- each pair of interesting numbers

-- The values as an array of that dtype in a layout, of shape {LENGTH}.
local layouts = {
    dense = function(a) return a end,
    apart = function(a) -- parts in memory of their own
        return lun.iscomplex(a) and lun.complex(a:real():copy(), a:imag():copy()) or a
    end,
    strided = function(a) return a:reshape(LENGTH, 1):spread(2, { axis = 2 }):copy():select(2, 2) end,
    backwards = function(a) return a:sub(LENGTH, 1, -1):copy():sub(LENGTH, 1, -1) end,
    left = function(a) return a:reshape(7, 15):transpose():copy():transpose():reshape(LENGTH) end,
}

local function values(dtype, which)
    local list = {}
    for k = 1, LENGTH do
        list[k] = element(dtype, which, k)
    end
    return list
end

local function array(dtype, list)
    local own = {}
    for k, x in ipairs(list) do
        own[k] = x[2] and lun.complex(x[1], x[2]) or x[1]
    end
    if dtype == "bool" then
        return lun.vector(own):ne(0):copy()
    end
    return lun.vector(own, (dtype == "c64" or dtype == "c128" or dtype:find "^b?f") and dtype or "f64"):cast(dtype):copy()
end

-- ---------------------------------------------------------------- comparing

local function text(x)
    return (("%a"):format(x):gsub("^-nan", "nan"))
end

local function same(want, got, label)
    for k = 1, #want do
        local z, w = got[k], want[k]
        local shown = text(z.re) .. " " .. text(z.im)
        harness.elements = harness.elements + 1
        if shown ~= text(w[1]) .. " " .. text(w[2]) then
            error(("%s, element %d: %s, expected %s %s"):format(label, k, tostring(z), tostring(w[1]), tostring(w[2])), 0)
        end
    end
end

-- The dtype of an operation of a complex dtype and another one.
local function result_of(complex, other)
    return (complex == "c128" or other == "c128" or other == "f64") and "c128" or "c64"
end

local OTHERS <const> = { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "f16", "bf16", "c64", "c128" }
local BINARY <const> = { "add", "sub", "mul", "div" }

local function each_backend(check)
    local before = lun.use()
    for _, backend in ipairs(harness.backends) do
        lun.use(backend)
        check(backend)
    end
    lun.use(before)
end

-- All operations of two operands, evaluated together.
local function compare(complex, other, layout, backend)
    local a, b = values(complex, 1), values(other, 2)
    local x, y = layouts[layout](array(complex, a)), layouts[layout](array(other, b))
    local dtype = result_of(complex, other)
    local r, made, wanted, labels = dtype == "c64" and to_single or exactly, {}, {}, {}
    for _, name in ipairs(BINARY) do
        for turn = 1, 2 do
            local f, want = oracle[name], {}
            for k = 1, LENGTH do
                want[k] = turn == 1 and f(r, a[k], b[k]) or f(r, b[k], a[k])
            end
            made[#made + 1] = turn == 1 and lun[name](x, y) or lun[name](y, x)
            wanted[#made] = want
            labels[#made] = ("%s of %s and %s, turn %d, %s, %s"):format(name, complex, other, turn, layout, backend)
        end
    end
    lun.eval(table.unpack(made))
    for k, z in ipairs(made) do
        assert.equal(dtype, z:dtype(), labels[k])
        same(wanted[k], z, labels[k])
    end
end

describe("operations on complex numbers", function()
    for _, complex in ipairs { "c64", "c128" } do
        for _, other in ipairs(OTHERS) do
            it(("are those of pairs: %s beside %s"):format(complex, other), function()
                each_backend(function(backend)
                    for layout in pairs(layouts) do
                        if FULL or layout == "dense" or layout == ({ "strided", "apart", "left", "backwards" })[1 + #other % 4] then
                            compare(complex, other, layout, backend)
                        end
                    end
                end)
            end)
        end

        it("are those of pairs: numbers beside " .. complex, function()
            local r = complex == "c64" and to_single or exactly
            each_backend(function(backend)
                local a = values(complex, 1)
                local x = array(complex, a)
                for _, number in ipairs { { 2.5 }, { -0.0 }, { 3.0 }, { 0.5, -1.5 }, { 0.0, 1.0 } } do
                    local one = number[2] and lun.complex(number[1], number[2]) or number[1]
                    for _, name in ipairs(BINARY) do
                        local want, turned = {}, {}
                        for k = 1, LENGTH do
                            want[k], turned[k] = oracle[name](r, a[k], number), oracle[name](r, number, a[k])
                        end
                        same(want, lun[name](x, one):eval(), ("%s by %s, %s"):format(name, tostring(one), backend))
                        same(turned, lun[name](one, x):eval(), ("%s of %s, %s"):format(name, tostring(one), backend))
                    end
                end
            end)
        end)
    end
end)

-- ---------------------------------------------------------------- expressions

-- A random expression: its array, its values. draw(n): 1 .. n.
local function expression(draw, leaves, depth, r)
    if depth == 0 or draw(5) == 1 then
        local leaf = leaves[draw(#leaves)]
        return leaf.array, leaf.values
    end
    local kind = draw(6)
    local x, a = expression(draw, leaves, depth - 1, r)
    local made = {}
    if kind > 4 then
        local name = kind == 5 and "neg" or "conj"
        for k = 1, LENGTH do
            made[k] = oracle[name](r, a[k])
        end
        return lun[name](x), made
    end
    local y, b = expression(draw, leaves, depth - 1, r)
    for k = 1, LENGTH do
        made[k] = oracle[BINARY[kind]](r, a[k], b[k])
    end
    return lun[BINARY[kind]](x, y), made
end

describe("expressions of complex numbers", function()
    for _, dtype in ipairs { "c64", "c128" } do
        it("are their operations, one after the other: " .. dtype, function()
            local r = dtype == "c64" and to_single or exactly
            each_backend(function(backend)
                local seed = 12345
                local function draw(n)
                    seed = seed * 6364136223846793005 + 1442695040888963407
                    return (seed >> 33) % n + 1
                end
                for round = 1, FULL and 200 or 12 do
                    local leaves = {}
                    for which, layout in ipairs { "dense", "strided", "apart", "left" } do
                        local own = {}
                        for k = 1, LENGTH do -- no infinities, whose NaN would hide the rest
                            own[k] = { r((draw(2001) - 1001) / 97), r((draw(2001) - 1001) / 89) }
                        end
                        leaves[which] = { array = layouts[layout](array(dtype, own)), values = own }
                    end
                    local z, want = expression(draw, leaves, 4, r)
                    same(want, z:eval(), ("expression %d, %s"):format(round, backend))
                end
            end)
        end)
    end
end)
