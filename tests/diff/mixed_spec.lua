-- Operands of different dtypes: every pair of dtypes through every operation of two operands, the
-- selections and fma on mixed operands, and conversions between all dtypes. Compiled, each pair meets every
-- third operation (so that each operation meets every third pair); LUNARRAY_DIFF_FULL=1 compiles all.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"

local describe_op = require "lunarray.core".internal.describe

local FULL = os.getenv "LUNARRAY_DIFF_FULL" == "1"

local binary = {}
for name, row in pairs(oracle.ops) do
    if select(3, describe_op(lun.op[name])) == 2 and not row.accuracy then
        binary[#binary + 1] = name
    end
end
table.sort(binary)

-- 65 elements of dtype t: its special values in an order of their own, then random ones.
local COUNT = 65
local function elements(t, seed, no_zero)
    local g, list = operands.generator(seed), {}
    local special = operands.special(t)
    for i = 1, COUNT do
        local x = i <= 40 and g.one_of(special) or operands.random(t, g)
        if no_zero and (x == 0 or x == false) then
            x = t.kind == "bool" or (t.is_float and 1.5 or 3)
        end
        list[i] = x
    end
    return list
end

local left, right, right_no_zero = {}, {}, {}
for i, t in ipairs(dtypes.list) do
    left[t], right[t], right_no_zero[t] = elements(t, i), elements(t, 100 + i), elements(t, 200 + i, true)
end

local function converted(list, from, to)
    local result = {}
    for i, x in ipairs(list) do
        result[i] = dtypes.convert(x, from, to)
    end
    return result
end

-- An integer zero can come of a right operand only by conversion from a wider one; none of ours does.
local function right_of(row, u, meeting)
    return row.trap and not meeting.is_float and right_no_zero[u] or right[u]
end

-- What the operation computes in one dtype.
local function by_dtype(t, case)
    local a, b = converted(left[t], t, case.computed), converted(case.b, case.u, case.computed)
    local f, wanted = oracle.element(case.row, case.computed), {}
    for k = 1, COUNT do
        wanted[k] = f(case.computed, a[k], b[k])
    end
    return wanted
end

-- What it says of u64 and signed integers, or which of them it picks.
local function by_value(t, case)
    local wanted, name = {}, case.row.name
    local first = oracle.picks[name] and (name:find "min" and "le" or "ge")
    for k = 1, COUNT do
        local a, b = left[t][k], case.b[k]
        wanted[k] = oracle.compared(first or name, a, t, b, case.u)
        if first then
            wanted[k] = wanted[k] and a or b
        end
    end
    return wanted
end

-- Evaluates cases { row =, u =, computed =, given =, b = } whose left operand has dtype t.
local function run(t, cases, backends)
    local results = harness.run(function()
        local a, made, entries = harness.array(t, left[t]), {}, {}
        for i, case in ipairs(cases) do
            made[case.b] = made[case.b] or harness.array(case.u, case.b)
            entries[i] = { label = ("%s of %s and %s"):format(case.row.name, t.name, case.u.name),
                array = lun[case.row.name](a, made[case.b]) }
        end
        return entries
    end, backends, backends == harness.backends and 3)
    for i, case in ipairs(cases) do
        local wanted = (case.by_value and by_value or by_dtype)(t, case)
        harness.expect(results, i, case.given, wanted, COUNT, { left[t], case.b }, case.row.any_zero)
    end
    harness.same_bits(results, nil, true)
end

describe("operands of dtype", function()
    for _, t in ipairs(dtypes.list) do
        it(t.name .. " with every other", function()
            local cases = {}
            for _, u in ipairs(dtypes.list) do
                local meeting = dtypes.common(t, u)
                for _, name in ipairs(binary) do
                    local row = oracle.ops[name]
                    local computed, given = oracle.result(row, meeting)
                    if meeting == dtypes.none and (row.rule == "comparison" or oracle.picks[name]) then
                        cases[#cases + 1] = { row = row, u = u, given = oracle.picks[name] or dtypes.bool, b = right[u],
                            by_value = true }
                    elseif u ~= t and computed then
                        cases[#cases + 1] = { row = row, u = u, computed = computed, given = given,
                            b = right_of(row, u, computed) }
                    elseif u ~= t then
                        local a, b = harness.array(t, left[t]), harness.array(u, right[u])
                        assert.has_error(function() lun[name](a, b) end)
                    end
                end
            end
            local some = {}
            for i = 1, #cases, 3 do
                some[#some + 1] = cases[i]
            end
            run(t, FULL and {} or cases, { "reference" })
            run(t, FULL and cases or some, harness.backends)
            harness.finish()
        end)
    end
end)

describe("three operands of different dtypes", function()
    local triples = { { "u8", "i8", "i16" }, { "bool", "u32", "i8" }, { "f32", "i64", "u16" }, { "i32", "f32", "f64" },
        { "u64", "u8", "u16" }, { "i16", "bool", "u16" }, { "f64", "f32", "i8" }, { "f32", "f32", "u64" } }
    for _, name in ipairs { "where", "fma" } do
        it("in " .. name, function()
            local row = oracle.ops[name]
            local results = harness.run(function()
                local entries = {}
                for i, triple in ipairs(triples) do
                    local arrays = {}
                    for k, dtype in ipairs(triple) do
                        local t = dtypes[dtype]
                        arrays[k] = harness.array(t, (k == 1 and left or k == 2 and right or right_no_zero)[t])
                    end
                    entries[i] = { label = name .. " of " .. table.concat(triple, ", "),
                        array = lun[name](table.unpack(arrays)) }
                end
                return entries
            end)
            for i, triple in ipairs(triples) do
                local t, u, v = dtypes[triple[1]], dtypes[triple[2]], dtypes[triple[3]]
                local meeting = dtypes.common(u, v)
                if name ~= "where" then
                    meeting = dtypes.common(t, meeting)
                end
                local computed, given = oracle.result(row, meeting)
                local a = converted(left[t], t, name == "where" and dtypes.bool or computed)
                local b, c = converted(right[u], u, computed), converted(right_no_zero[v], v, computed)
                local f, wanted = oracle.element(row, computed), {}
                for k = 1, COUNT do
                    wanted[k] = f(computed, a[k], b[k], c[k])
                end
                harness.expect(results, i, given, wanted, COUNT, { left[t], right[u], right_no_zero[v] })
            end
            harness.same_bits(results)
            harness.finish()
        end)
    end
end)

-- Floats at the edges of every integer dtype, besides the special ones.
local function edges(t)
    local list = elements(t, 7)
    if t.is_float then
        for _, bits in ipairs { 7, 8, 15, 16, 31, 32, 63, 64 } do
            for _, by in ipairs { -1.5, -1.0, -0.5, 0.0, 0.5, 1.0 } do
                list[#list + 1] = t.round(2.0 ^ bits + by)
                list[#list + 1] = t.round(-(2.0 ^ bits) - by)
            end
            local below = 1 - 2.0 ^ -(t.mantissa + 1)
            list[#list + 1] = t.round(2.0 ^ bits * below)
        end
    elseif t.bits == 64 then
        -- halfway between two f32, with a bit beyond what an f64 holds
        for _, x in ipairs { (1 << 62) + (1 << 38) + 1, (1 << 62) + (1 << 38) - 1, (1 << 62) + (1 << 38), (1 << 53) + 1,
            (1 << 54) + 3, (1 << 24) + 1, (1 << 61) + (1 << 37) + 1 } do
            list[#list + 1] = x
            list[#list + 1] = t.is_wide and x | math.mininteger or -x
        end
    end
    return list
end

describe("conversion", function()
    for _, from in ipairs(dtypes.list) do
        it("of " .. from.name .. " to every dtype", function()
            local list = edges(from)
            local results = harness.run(function()
                local a, entries = harness.array(from, list), {}
                for i, to in ipairs(dtypes.list) do
                    entries[i] = { label = from.name .. " as " .. to.name, array = a:cast(to.name) }
                end
                return entries
            end)
            for i, to in ipairs(dtypes.list) do
                harness.expect(results, i, to, converted(list, from, to), #list, { list })
            end
            harness.same_bits(results)
            harness.finish()
        end)

        it("of " .. from.name .. " by way of every dtype, in one kernel", function()
            local list = edges(from)
            local results = harness.run(function()
                local a, entries = harness.array(from, list), {}
                for i, to in ipairs(dtypes.list) do
                    entries[i] = { label = from.name .. " by way of " .. to.name,
                        array = a:cast(to.name):cast "f64" }
                end
                return entries
            end)
            for i, to in ipairs(dtypes.list) do
                local wanted = converted(converted(list, from, to), to, dtypes.f64)
                harness.expect(results, i, dtypes.f64, wanted, #list, { list })
            end
            harness.same_bits(results)
            harness.finish()
        end)
    end

    it("in lun.vector, elements that fit", function()
        for _, t in ipairs(dtypes.list) do
            local list = operands.special(t)
            if t.kind ~= "bool" and not t.is_wide then
                local v = lun.vector(list, t.name)
                assert.is_nil(harness.first_difference(t, dtypes.pack(t, list), v:tobytes()))
                local back = v:totable()
                for i, x in ipairs(list) do
                    assert.is_true(harness.same(back[i], x))
                end
            end
        end
    end)
end)

teardown(harness.report)
