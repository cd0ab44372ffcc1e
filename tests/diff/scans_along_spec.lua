-- Scans along an axis and reductions along axes by a given function: operations, functions in C and Lua that do not
-- commute, with first values, in every layout of memory and on every backend. Integers and extremes are compared with a
-- loop over indices, sums of floats bit for bit with those of each line as a Vector of its own.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"
local lines = require "diff.lines"

-- p * x + q, its coefficients in one integer: composing two of them is associative and does not commute.
local function compose(x, y)
    local p, q, r, s = x >> 16, x & 0xffff, y >> 16, y & 0xffff
    return ((p * r & 0xffff) << 16) | (q * r + s & 0xffff)
end
local compose_in_c = [[(long x, long y) {
    long p = x >> 16, q = x & 0xffff, r = y >> 16, s = y & 0xffff;
    return ((p * r & 0xffff) << 16) | ((q * r + s) & 0xffff);
}]]

-- What is folded: f as a script gives it, its value for two elements of the result's dtype, that dtype; no value:
-- that of a Vector is expected. start: a first value.
local function by_operation(name, t, start)
    local _, to = oracle.result(oracle.ops[name], t)
    to = to and oracle.folded(name, to)
    if not to then
        return nil
    end
    local rounded = to.is_float and name == "add"
    local f = oracle.element(oracle.ops[name], to)
    return {
        label = name, f = lun.op[name], to = to, start = start,
        value = not rounded and function(x, y) return f(to, x, y) end,
    }
end

local function folds_of(t)
    local list = {}
    list[#list + 1] = by_operation("add", t, t.is_float and 2.5 or 3)
    list[#list + 1] = by_operation("max", t, t.is_float and 0.0 or 0)
    list[#list + 1] = by_operation("bxor", t, 5)
    if t.kind == "bool" then
        list[#list + 1] = by_operation("lor", t, false)
    elseif t == dtypes.i64 then
        list[#list + 1] = { label = "compose", f = compose, value = compose, to = t, start = 1 << 16 | 7 }
        list[#list + 1] = { label = "compose in C", f = compose_in_c, value = compose, to = t, start = 1 << 16 }
    end
    return list
end

local kinds = { "exclusive", "inclusive", "reduced" }

-- One line's results of a kind.
local function of_line(t, fold, kind, list, places)
    if not fold.value then
        local a = lines.vector(t, list, places)
        if kind == "reduced" then
            return { lun.reduce(fold.f, fold.start)(a):value() }
        end
        return lun.scan(fold.f, fold.start, { inclusive = kind == "inclusive" })(a):totable()
    end
    local value, result = fold.start, {}
    for k, at in ipairs(places) do
        local before = value
        value = fold.value(value, dtypes.convert(list[at], t, fold.to))
        result[k] = before
        if kind == "inclusive" then
            result[k] = value
        end
    end
    return kind == "reduced" and { value } or result
end

-- Elements of the result in row-major order; of many lines whose sums are rounded only some, the others nil.
local function expected(t, fold, kind, list, positions)
    local wanted = {}
    for i, places in ipairs(positions) do
        if fold.value or #positions < 20 or i % 97 == 1 or i > #positions - 2 then
            local result = of_line(t, fold, kind, list, places)
            if kind == "reduced" then
                wanted[i] = result[1]
            else
                for k, at in ipairs(places) do
                    wanted[at] = result[k]
                end
            end
        end
    end
    return wanted
end

local function elements(t, n, g)
    local list = {}
    for i = 1, n do
        if t.is_float then
            list[i] = t.round((0.5 + 1.5 * g.unit()) * (g.pick(2) == 1 and 1 or -1))
        else
            list[i] = operands.random(t, g)
        end
    end
    return list
end

-- Compares all folds of an array along one axis, in some layouts.
local function check(t, shape, axis, list, layouts, backends)
    local positions = lines.positions(shape, { axis })
    local folds, wanted = folds_of(t), {}
    lun.use "reference"
    for _, fold in ipairs(folds) do
        for _, kind in ipairs(kinds) do
            wanted[#wanted + 1] = { to = fold.to, list = expected(t, fold, kind, list, positions),
                count = kind == "reduced" and #positions or #list }
        end
    end
    local first = {}
    for _, layout in ipairs(layouts) do
        local results = harness.run(function()
            local a, entries = lines.array(t, shape, list, layout), {}
            for _, fold in ipairs(folds) do
                for _, kind in ipairs(kinds) do
                    local array
                    if kind == "reduced" then
                        array = a:reduce(fold.f, fold.start, { axis = axis })
                    else
                        array = lun.scan(fold.f, fold.start, { axis = axis - #shape - 1, inclusive = kind == "inclusive" })(a)
                    end
                    entries[#entries + 1] = { array = array, label = ("%s%s, %s: %s %s along %d"):format(t.name,
                        lines.text(shape), layout.name, kind, fold.label, axis) }
                end
            end
            return entries
        end, backends)
        for i, entry in ipairs(results[results.backends[1]]) do
            harness.expect(results, i, wanted[i].to, wanted[i].list, wanted[i].count)
            first[i] = first[i] or entry
            local at, x, y = harness.first_difference(wanted[i].to, first[i].bytes, entry.bytes)
            if at then
                harness.fail("%s: element %d is %s, but %s in %s", entry.label, at, harness.text(y),
                    harness.text(x), first[i].label)
            end
        end
        harness.same_bits(results, nil, true)
    end
end

local function some_layouts(first, count)
    local list = {}
    for i = 1, count do
        list[i] = lines.layouts[(first + i - 2) % #lines.layouts + 1]
    end
    return list
end

local on_device = { i32 = true, f32 = true }

describe("scans along an axis and reductions by a function of", function()
    for i, t in ipairs(dtypes.list) do
        it(t.name .. ", short lines in every layout", function()
            local g = operands.generator(700 + i)
            for _, n in ipairs { 0, 1, 3, 63, 64, 65 } do
                for _, shape in ipairs { { 3, n }, { n, 4 }, { 2, n, 3 } } do
                    local list = elements(t, lines.count(shape), g)
                    for axis = 1, #shape do
                        check(t, shape, axis, list, lines.layouts, n == 1 and { "reference" } or harness.backends)
                    end
                end
            end
            harness.finish()
        end)

        it(t.name .. ", long lines", function()
            local g = operands.generator(800 + i)
            for k, shape in ipairs { { 3, 4100 }, { 4096, 3 }, { 2, 20000 }, { 20000, 2 } } do
                local list = elements(t, lines.count(shape), g)
                for axis = 1, 2 do
                    check(t, shape, axis, list, some_layouts(1 + 2 * (i + k), 2), harness.backends)
                end
            end
            harness.finish()
        end)

        if harness.device and (on_device[t.name] or harness.device_every) then
            it(t.name .. " on a device", function()
                local g = operands.generator(900 + i)
                for k, shape in ipairs { { 4, 65 }, { 65, 3 }, { 2, 7, 3 } } do
                    local list = elements(t, lines.count(shape), g)
                    for axis = 1, #shape do
                        check(t, shape, axis, list, some_layouts(i + 3 * k, 1), { "reference", harness.device })
                    end
                end
                harness.finish()
            end)
        end
    end
end)

teardown(harness.report)
