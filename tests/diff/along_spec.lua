-- Reductions along axes: every reduction, dtype and layout of memory, on every backend, along every axis and along
-- several, of extents around the blocks that kernels work in. Each element of a result is compared with a loop over
-- indices where it is exact, and has the bits that the same reduction of its line gives as a Vector of its own. On a
-- device one dtype of a kind takes part; LUNARRAY_DIFF_DEVICE=1 has all of them.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"
local lines = require "diff.lines"
local libm = require "libm"

local unit = 2.0 ^ -53

-- ---------------------------------------------------------------- expected

local sums = { sum = true, prod = true }
local counts = { count = true, argmin = true, argmax = true }
local moments = { mean = true, var = true, std = true, norm = true }
local fails_when_empty = { min = true, max = true, mean = true, var = true, std = true, argmin = true, argmax = true }
local when_empty = { sum = 0, prod = 1, any = false, all = true, count = 0, norm = 0.0 }
local one_axis = { argmin = true, argmax = true }
local names = {
    "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count", "argmin", "argmax", "norm",
}

-- The dtype of a reduction along axes.
local function given(name, t)
    if name == "any" or name == "all" then
        return dtypes.bool
    elseif counts[name] then
        return dtypes.i64
    elseif name == "min" or name == "max" or t.is_float then
        return t
    elseif moments[name] then
        return dtypes.f64
    end
    return t.kind == "unsigned" and dtypes.u64 or dtypes.i64
end

-- Whether what it gives for elements of t is exact.
local function is_exact(name, t)
    return not moments[name] and not (sums[name] and t.is_float)
end

local function number(x)
    if type(x) == "boolean" then
        return x and 1 or 0
    end
    return x
end

-- The exact results of a line by name.
local function loop(t, list, positions)
    local r = { count = 0, any = false, all = true, sum = 0, prod = 1 }
    for i, at in ipairs(positions) do
        local y = number(list[at])
        r.sum, r.prod = r.sum + y, r.prod * y
        if y ~= 0 then
            r.any, r.count = true, r.count + 1
        else
            r.all = false
        end
        if not r.min or oracle.less(t, y, r.min) then
            r.min, r.argmin = y, i
        end
        if not r.max or oracle.less(t, r.max, y) then
            r.max, r.argmax = y, i
        end
    end
    if t.kind == "bool" and r.min then
        r.min, r.max = r.min == 1, r.max == 1
    end
    return r
end

-- The lines whose sums are compared with those of Vectors: all of few, else some of every place in a block.
local function sampled(n)
    local list = {}
    for i = 1, n do
        if n <= 70 or i <= 2 or i > n - 2 or i % 331 == 1 then
            list[#list + 1] = i
        end
    end
    return list
end

-- Vectors of the lines, and the numbers that their reductions are, in order.
local function of_vectors(t, list, positions, chosen, wanted)
    local lazy, vectors = {}, {}
    for k, line in ipairs(chosen) do
        vectors[k] = lines.vector(t, list, positions[line])
        for _, name in ipairs(wanted) do
            lazy[#lazy + 1] = vectors[k]:lazy(name)
        end
    end
    local result, at = {}, 0
    for first = 1, #lazy, 100 do
        local part = { lun.eval(table.unpack(lazy, first, math.min(first + 99, #lazy))) }
        table.move(part, 1, #part, #result + 1, result)
    end
    local by_line = {}
    for _, line in ipairs(chosen) do
        local r = {}
        for _, name in ipairs(wanted) do
            at = at + 1
            r[name] = result[at]
        end
        by_line[line] = r
    end
    return by_line
end

local function close(what, got, want, bound)
    local near = math.abs(got - want) <= bound
    if not near and not harness.same(got, want, true) then
        harness.fail("%s is %s, not %s within %g", what, harness.text(got), harness.text(want), bound)
    end
end

-- The numbers of a Vector against sums in long double.
local function check_vector(what, t, list, positions, r)
    local doubles, product, n = {}, 1.0, #positions
    for i, at in ipairs(positions) do
        doubles[i] = t.is_float and list[at] or libm.float("f64", number(list[at]), t.is_wide)
        product = product * doubles[i]
    end
    local sum, magnitude, square, mean, deviation = libm.sums("f64", dtypes.pack(dtypes.f64, doubles))
    local depth = math.log(n, 2) + 4
    if t.is_float then
        close(what .. ":sum()", r.sum, sum, depth * unit * magnitude)
        close(what .. ":prod()", r.prod, product, 2 * n * unit * math.abs(product))
    end
    close(what .. ":mean()", r.mean, mean, (depth + 2) * unit * magnitude / n)
    close(what .. ":norm()", r.norm, math.sqrt(square), depth * unit * math.sqrt(square))
    close(what .. ":var()", r.var, deviation / n, 1e-13 * deviation / n)
    close(what .. ":std()", r.std, math.sqrt(deviation / n), 1e-13 * math.sqrt(deviation / n))
end

-- What each reduction gives, by name a list of elements, in order of lines; nil where it is not known here.
local function expected(t, list, positions)
    local wanted, inexact = {}, {}
    for _, name in ipairs(names) do
        wanted[name] = {}
        if not is_exact(name, t) then
            inexact[#inexact + 1] = name
        end
    end
    local empty = positions[1] and #positions[1] == 0
    local chosen = empty and {} or sampled(#positions)
    local known = of_vectors(t, list, positions, chosen, inexact)
    for line, r in pairs(known) do
        check_vector(("Vector %s[%d]"):format(t.name, #positions[line]), t, list, positions[line], r)
    end
    for line, places in ipairs(positions) do
        local r = loop(t, list, places)
        for _, name in ipairs(names) do
            local to = given(name, t)
            local x = r[name]
            if not is_exact(name, t) then
                x = known[line] and known[line][name]
                if empty then
                    x = when_empty[name]
                end
                x = x and to.round(x + 0.0)
            end
            wanted[name][line] = x
        end
    end
    return wanted
end

-- ---------------------------------------------------------------- cases

-- Floats whose products neither overflow nor vanish soon, or any integers.
local function elements(t, n, g)
    local list = {}
    for i = 1, n do
        if t.is_float then
            list[i] = t.round((0.5 + 1.5 * g.unit()) * (g.pick(2) == 1 and 1 or -1))
        elseif t.kind == "bool" then
            list[i] = g.pick(8) > 1
        else
            list[i] = operands.random(t, g)
        end
    end
    return list
end

-- The reductions of an array in one layout by one evaluation, as in every other layout: a kernel for all shapes.
local function reduced(t, shape, axes, list, layout)
    local axis = #axes == 1 and axes[1] or axes
    local empty = lines.count(lines.reduced_shape(shape, axes)) > 0 and lines.count(shape) == 0
    local a, entries = lines.array(t, shape, list, layout), {}
    for _, name in ipairs(names) do
        if not (empty and fails_when_empty[name]) and (#axes == 1 or not one_axis[name]) then
            local array = a[name](a, { axis = axis })
            assert(lines.text { array:shape() } == lines.text(lines.reduced_shape(shape, axes)))
            entries[#entries + 1] = {
                label = ("%s%s, %s: %s along %s"):format(t.name, lines.text(shape), layout.name, name,
                    table.concat(axes, ", ")),
                name = name,
                array = array,
            }
        end
    end
    return entries
end

-- A device's compiler takes long.
local on_device = { f32 = true, i16 = true }

-- Compares the reductions of an array of those extents, in some layouts, along axes.
local function check(t, shape, axes, list, layouts, backends)
    local positions = lines.positions(shape, axes)
    lun.use(harness.backends[1])
    local wanted = expected(t, list, positions)
    local first = {} -- of a name: all layouts have its bits, in lines too whose sum is not known here
    for _, layout in ipairs(layouts) do
        local results = harness.run(function()
            return reduced(t, shape, axes, list, layout)
        end, backends)
        for i, entry in ipairs(results[results.backends[1]]) do
            local to = given(entry.name, t)
            harness.expect(results, i, to, wanted[entry.name], #positions)
            first[entry.name] = first[entry.name] or entry
            local at, x, y = harness.first_difference(to, first[entry.name].bytes, entry.bytes)
            if at then
                harness.fail("%s: element %d is %s, but %s in %s", entry.label, at, harness.text(y),
                    harness.text(x), first[entry.name].label)
            end
        end
        harness.same_bits(results, nil, true)
    end
end

local function all_axes(rank)
    local list = {}
    for k = 1, rank do
        list[k] = { k }
    end
    return list
end

-- Layouts from the `first` one on, so many.
local function some_layouts(first, count)
    local list = {}
    for i = 1, count do
        list[i] = lines.layouts[(first + i - 2) % #lines.layouts + 1]
    end
    return list
end

local short = { 0, 1, 3, 63, 64, 65 }
local long = { 4096, 4100, 20000 }
local several = { { 1, 3 }, { 2, 4 }, { 1, 2 }, { 3, 4 }, { 1, 2, 4 }, { 2, 3, 4 }, { 1, 4 } }

-- Axes of one element are simplified to many kernels: all are compiled for these dtypes alone.
local in_every_kernel = { f32 = true, i64 = true }

describe("reductions along axes of", function()
    for i, t in ipairs(dtypes.list) do
        it(t.name .. ", short lines in every layout", function()
            local g = operands.generator(300 + i)
            for _, n in ipairs(short) do
                local backends = n == 1 and not in_every_kernel[t.name] and { "reference" } or harness.backends
                for _, shape in ipairs { { 5, n }, { n, 4 }, { 2, n, 3 } } do
                    local list = elements(t, lines.count(shape), g)
                    for _, axes in ipairs(all_axes(#shape)) do
                        check(t, shape, axes, list, lines.layouts, backends)
                    end
                end
            end
            harness.finish()
        end)

        it(t.name .. ", long lines", function()
            local g = operands.generator(400 + i)
            for k, n in ipairs(long) do
                for side, shape in ipairs { { 3, n }, { n, 3 } } do
                    local list = elements(t, lines.count(shape), g)
                    for _, axes in ipairs(all_axes(2)) do
                        check(t, shape, axes, list, some_layouts(1 + 3 * (i + k + side), 3), harness.backends)
                    end
                end
            end
            harness.finish()
        end)

        it(t.name .. ", several axes", function()
            local g = operands.generator(500 + i)
            local shape = { 3, 5, 2, 7 }
            local list = elements(t, lines.count(shape), g)
            for k, axes in ipairs(several) do
                check(t, shape, axes, list, some_layouts(i + 3 * k, 3), harness.backends)
            end
            harness.finish()
        end)

        if harness.device and (on_device[t.name] or harness.device_every) then
            it(t.name .. " on a device", function()
                local g = operands.generator(600 + i)
                local backends = { "reference", harness.device }
                for k, shape in ipairs { { 4, 65 }, { 65, 3 }, { 2, 7, 3 } } do
                    local list = elements(t, lines.count(shape), g)
                    for _, axes in ipairs(all_axes(#shape)) do
                        check(t, shape, axes, list, some_layouts(i + 3 * k, 2), backends)
                    end
                end
                harness.finish()
            end)
        end
    end
end)

teardown(harness.report)
