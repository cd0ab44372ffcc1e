-- Functions of the C library: f32 within 1.6 ULP and f64 within 1.5 ULP of the true value, which the long
-- double functions give, on arguments of every magnitude and where the functions bend; and the same bits
-- wherever in an array an argument stands. LUNARRAY_DIFF_SAMPLES sets how many arguments are taken.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"

local SAMPLES = tonumber(os.getenv "LUNARRAY_DIFF_SAMPLES") or 20000

-- Where each function bends: half of the arguments are taken from there. The other half has any exponent
-- and, outside of the second interval, none at all (there only special values are of interest).
local ranges = {
    pow = { 0, 40 }, cbrt = { -8, 8 }, exp = { -700, 700 }, exp2 = { -1000, 1000 }, expm1 = { -2, 2 },
    log = { 0, 4 }, log2 = { 0, 4 }, log10 = { 0, 4 }, log1p = { -1, 2 }, sin = { -100, 100 }, cos = { -100, 100 },
    tan = { -100, 100 }, asin = { -1, 1 }, acos = { -1, 1 }, atan = { -10, 10 }, atan2 = { -10, 10 },
    sinh = { -20, 20 }, cosh = { -20, 20 }, tanh = { -4, 4 }, asinh = { -20, 20 }, acosh = { 1, 20 },
    atanh = { -1, 1 }, erf = { -6, 6 }, erfc = { -6, 28 }, hypot = { -10, 10 }, cospi = { -4, 4 },
}

local names = {}
for name, row in pairs(oracle.ops) do
    if row.accuracy then
        names[#names + 1] = name
    end
end
table.sort(names)

-- Arguments of dtype t for a function, as bytes: specials, then random ones.
local function arguments(name, t, g)
    local low, high = table.unpack(ranges[name])
    if t == dtypes.f32 and (name == "exp" or name == "exp2") then
        low, high = low / 7, high / 7
    end
    local list = operands.special(t)
    while #list < SAMPLES do
        list[#list + 1] = t.round(low + (high - low) * g.unit())
        list[#list + 1] = operands.random(t, g)
        list[#list + 1] = t.round(2.0 ^ (g.pick(80) - 60) * (g.unit() - 0.5))
    end
    return dtypes.pack(t, list)
end

-- The entries of one evaluation of all functions; first: the element from which on arguments are taken.
local function entries_of(t, a, b, first)
    local entries = {}
    for i, name in ipairs(names) do
        local x = harness.array(t, a[name]:sub((first - 1) * t.size + 1))
        if b[name] then
            x = lun[name](x, harness.array(t, b[name]:sub((first - 1) * t.size + 1)))
        else
            x = lun[name](x)
        end
        entries[i] = { label = name .. " of " .. t.name, array = x }
    end
    return entries
end

describe("functions of", function()
    for _, t in ipairs { dtypes.f32, dtypes.f64 } do
        local a, b = {}, {}

        setup(function()
            local g = operands.generator(2024)
            for _, name in ipairs(names) do
                a[name] = arguments(name, t, g)
                b[name] = (name == "pow" or name == "atan2" or name == "hypot") and arguments(name, t, g) or nil
            end
        end)

        -- "precise" promises the C library's own functions; the worst of them, erfc in f64, is said to reach 5 ULP
        for mode, limit in pairs { fast = harness.limit[t.name], precise = 5.0 } do
            it(("%s are within %g ULP, lun.math '%s'"):format(t.name, limit, mode), function()
                lun.math(mode)
                local results = harness.run(function() return entries_of(t, a, b, 1) end, nil, 1)
                lun.math "fast"
                for _, backend in ipairs(results.backends) do
                    for i, name in ipairs(names) do
                        local entry = results[backend][i]
                        assert.equal(t.name, entry.dtype)
                        local worst, at, truth = harness.accuracy(oracle.ops[name].accuracy, entry, a[name], b[name])
                        if worst > limit then
                            local x = string.unpack(t.format, a[name], (at - 1) * t.size + 1)
                            local y = b[name] and string.unpack(t.format, b[name], (at - 1) * t.size + 1)
                            local got = string.unpack(t.format, entry.bytes, (at - 1) * t.size + 1)
                            harness.fail("%s of %s on %s, %s: %.2f ULP at %s%s: %s, truly %s", name, t.name, backend, mode,
                                worst, harness.text(x), y and ", " .. harness.text(y) or "", harness.text(got),
                                harness.text(truth))
                        end
                    end
                end
                harness.same_bits(results, nil, mode == "fast")
                harness.finish()
            end)
        end

        it(t.name .. " give the same bits at any place in an array", function()
            local whole = harness.run(function() return entries_of(t, a, b, 1) end)
            for _, first in ipairs { 2, 10, 38 } do
                local part = harness.run(function() return entries_of(t, a, b, first) end)
                for _, backend in ipairs(harness.backends) do
                    for i, entry in ipairs(part[backend]) do
                        local want = whole[backend][i].bytes:sub((first - 1) * t.size + 1)
                        harness.elements = harness.elements + #want // t.size
                        local at = harness.first_difference(t, want, entry.bytes)
                        if at then
                            harness.fail("%s on %s: element %d is another one from %d on", entry.label, backend, at, first)
                        end
                    end
                end
            end
            harness.finish()
        end)
    end
end)

-- What is promised (prims/math/functions.def), at the arguments where `make accuracy` found versions of before above it, and their
-- neighbours.
local WORST = {
    { "log2", dtypes.f64, 1.0, { 1.4012850612825742, 1.4081520413721977, 1.4007220664687092, 0.7071067811865476 } },
    { "expm1", dtypes.f64, 1.1, { 37.092701401760529, 37.104376421724055, 37.7, 38.5, 40.0 } },
    { "erfc", dtypes.f64, 1.5, { 26.333775919870469, 26.267890448305952, 25.856069768942771, 25.98984985106328 } },
    { "erf", dtypes.f32, 1.0, { 1.05664229, 0.95454663, 0.96840775 } },
}

describe("the worst arguments of", function()
    for _, case in ipairs(WORST) do
        local name, t, bound, list = table.unpack(case)
        it(name .. " in " .. t.name .. " are within the bound", function()
            local all = {}
            for _, x in ipairs(list) do
                for k = -200, 200 do
                    all[#all + 1] = t.round(x * (1 + k * (t == dtypes.f64 and 0x1p-52 or 0x1p-23)))
                end
            end
            local bytes = dtypes.pack(t, all)
            local results = harness.run(function()
                return { { label = name, array = lun[name](harness.array(t, bytes)) } }
            end, nil, 1)
            for _, backend in ipairs(results.backends) do
                local worst, at = harness.accuracy(oracle.ops[name].accuracy, results[backend][1], bytes)
                assert.is_true(worst <= bound, ("%s(%.17g) on %s: %.3f ULP"):format(name, all[at], backend, worst))
            end
        end)
    end
end)

teardown(harness.report)
