-- Scans and reductions by a given function: every associative operation on every dtype, inclusive and
-- exclusive, with several initial values; functions that do not commute, as C text and as Lua functions,
-- whose operands must stay in order; lengths around the chunks that a scan is cut into. Compiled, only
-- the sum is scanned both ways; LUNARRAY_DIFF_FULL=1 compiles all.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"

local FULL = os.getenv "LUNARRAY_DIFF_FULL" == "1"

local unit = 2.0 ^ -53
local function depth(n)
    return math.log(n, 2) + 40 -- pairwise over blocks
end

local names = {}
for name in pairs(oracle.associative) do
    names[#names + 1] = name
end
table.sort(names)

-- Values of dtype t with which neither sums nor products leave the range of floats.
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

-- The elements of dtype t as those of dtype u.
local function converted(list, t, u)
    local result = {}
    for i, x in ipairs(list) do
        result[i] = dtypes.convert(x, t, u)
    end
    return result
end

-- Rounding errors of one sign pile up along a scan's chain of carries, one for each 8 elements of a chunk; data
-- of changing signs and sizes stays far within the bound of pairwise summation. 1: allow for the chain.
local chain = 0

-- Prefixes of the list by the operation, from `start` on: what an exclusive scan gives, and one more. Floats
-- are added and multiplied in f64; magnitude[i] bounds the error of prefix[i] in units of 2^-53.
local function prefixes(name, t, list, start)
    local is_sum = t.is_float and name == "add"
    local is_product = t.is_float and name == "mul"
    local u = (is_sum or is_product) and dtypes.f64 or t
    local f = oracle.element(oracle.ops[name], u)
    local prefix, magnitude = { start }, { 0.0 }
    -- sums are compensated (Neumaier), so that the oracle's own error does not count
    local lost, total, sizes = 0.0, start, is_sum and math.abs(start) or 0
    for i, x in ipairs(list) do
        if is_sum then
            local sum = total + x
            lost = lost + (math.abs(total) >= math.abs(x) and (total - sum) + x or (x - sum) + total)
            total, sizes = sum, sizes + math.abs(x)
            prefix[i + 1], magnitude[i + 1] = total + lost, (depth(i) + chain * i / 8) * sizes
        else
            prefix[i + 1] = f(u, prefix[i], x)
            magnitude[i + 1] = is_product and 2 * i * math.abs(prefix[i + 1]) or 0
        end
    end
    return prefix, magnitude, is_sum or is_product
end

-- Compares the elements of one result with prefix[shift + 1], prefix[shift + 2], ...
local function compare(label, backend, t, bytes, shift, prefix, magnitude, is_rounded)
    local rounding = t.bits < 64 and t.is_float and 2.0 ^ -(t.mantissa + 1) or 0
    for i, x in ipairs(dtypes.unpack(t, bytes)) do
        local want = prefix[i + shift]
        if is_rounded then
            want = t.round(want) -- an f32 may overflow where the f64 that it was added in does not
        end
        local bound = is_rounded and unit * magnitude[i + shift] + rounding * math.abs(want)
        if not harness.same(x, want, true) and not (bound and math.abs(x - want) <= bound) then
            harness.fail("%s on %s: element %d is %s, not %s%s", label, backend, i, harness.text(x),
                harness.text(want), bound and (" within %g"):format(bound) or "")
            return false
        end
    end
    return true
end

-- The same for each backend's result `index`.
local function check(results, index, t, n, ...)
    local good -- bytes that were found right
    for _, backend in ipairs(results.backends) do
        local entry = results[backend][index]
        harness.combinations = harness.combinations + 1
        harness.elements = harness.elements + n
        if entry.dtype ~= t.name or #entry.bytes ~= n * t.size then
            harness.fail("%s on %s gives %s, %d bytes; not %s, %d", entry.label, backend, entry.dtype, #entry.bytes,
                t.name, n * t.size)
        elseif entry.bytes ~= good and compare(entry.label, backend, t, entry.bytes, ...) then
            good = entry.bytes
        end
    end
end

-- Initial values that a scan of dtype t may begin with.
local function starts(t)
    if t.kind == "bool" then
        return { false, true }
    end
    return t.is_float and { 0.0, 1.0, -2.5 } or { 0, 1, 100, t.is_wide and math.maxinteger or t.high }
end

local lengths = { 0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 130, 1000, 1025 }
local long_lengths = { 65536, 140001 }
local in_chunks = { bool = true, u8 = true, i32 = true, i64 = true, f32 = true, f64 = true }

-- Whether a case is left to the backends that need no compiler.
local function is_spared(case)
    return not FULL and case.kind == "inclusive" and case.name ~= "add"
end

-- Runs cases { name =, kind =, given =, start = } on a list and compares the results.
local function run_cases(t, list, cases, backends)
    local results = harness.run(function()
        local a, entries = harness.array(t, list), {}
        for i, case in ipairs(cases) do
            local f = lun.op[case.name]
            local s = case.kind == "reduce" and lun.reduce(f, case.start) or
                lun.scan(f, case.start, { inclusive = case.kind == "inclusive" })
            entries[i] = { array = s(a), label = ("%s %s of %s[%d] from %s"):format(case.kind, case.name, t.name, #list,
                case.start) }
        end
        return entries
    end, backends, backends == harness.backends and 40)
    local known = {}
    for i, case in ipairs(cases) do
        local key = case.name
        known[key] = known[key] or { prefixes(case.name, case.given, converted(list, t, case.given), case.start) }
        local n = case.kind == "reduce" and 1 or #list
        local shift = case.kind == "reduce" and #list or case.kind == "inclusive" and 1 or 0
        check(results, i, case.given, n, shift, table.unpack(known[key]))
    end
    harness.same_bits(results, nil, true)
end

-- Runs all scans and reductions of a list by some operations.
local function run(t, list, chosen)
    local cases, spared = {}, {}
    for k, name in ipairs(chosen) do
        local _, given = oracle.result(oracle.ops[name], t)
        if given then
            given = oracle.folded(name, given)
            -- the same for every length: whether it is the neutral element is part of a kernel's form
            local list_of_starts = starts(given)
            local start = list_of_starts[(k + t.bits // 8) % #list_of_starts + 1]
            for _, kind in ipairs { "exclusive", "inclusive", "reduce" } do
                local case = { name = name, kind = kind, given = given, start = start }
                local to = is_spared(case) and spared or cases
                to[#to + 1] = case
            end
        end
    end
    run_cases(t, list, cases, harness.backends)
    run_cases(t, list, spared, { "reference" })
end

describe("scan and reduce of", function()
    for i, t in ipairs(dtypes.list) do
        it(t.name .. " by every associative operation", function()
            local g = operands.generator(i)
            for _, n in ipairs(lengths) do
                run(t, elements(t, n, g), names)
            end
            harness.finish()
        end)

        if in_chunks[t.name] then
            it(t.name .. " in several chunks", function()
                local g = operands.generator(50 + i)
                for _, n in ipairs(long_lengths) do
                    run(t, elements(t, n, g), t.kind == "bool" and { "add", "lor" } or { "add", "max" })
                end
                harness.finish()
            end)
        end
    end

    it("anything by an operation that is not associative is refused", function()
        for name in pairs(oracle.ops) do
            local a = lun.vector({ 1, 2, 3 }, "i32")
            if not oracle.associative[name] then
                assert.has_error(function() lun.scan(lun.op[name], 0)(a) end)
                assert.has_error(function() lun.reduce(lun.op[name], 0)(a) end)
            end
        end
    end)

    it("the same number, again and again, within the bound of the chain of carries", function()
        chain = 1
        finally(function() chain = 0 end)
        for _, t in ipairs { dtypes.f32, dtypes.f64 } do
            local list = {}
            for k = 1, 70000 do
                list[k] = t.round(0.1)
            end
            run(t, list, { "add" })
        end
        harness.finish()
    end)
end)

-- ---------------------------------------------------------------- functions that do not commute

-- p * x + q, its coefficients kept in one integer: composing two of them is associative.
local function compose(x, y)
    local p, q, r, s = x >> 16, x & 0xffff, y >> 16, y & 0xffff
    return ((p * r & 0xffff) << 16) | (q * r + s & 0xffff)
end
local identity = 1 << 16
local compose_in_c = [[(long x, long y) {
    long p = x >> 16, q = x & 0xffff, r = y >> 16, s = y & 0xffff;
    return ((p * r & 0xffff) << 16) | ((q * r + s) & 0xffff);
}]]
-- What the second one says, unless it says nothing.
local function last(x, y)
    if y ~= 0 then
        return y
    end
    return x
end
local last_in_c = "(long x, long y) { return y != 0 ? y : x; }"

local functions = {
    { "compose as C", compose_in_c, compose, identity },
    { "compose as Lua", compose, compose, identity },
    { "last as C", last_in_c, last, 0 },
    { "last as Lua", last, last, 0 },
}

describe("a function that does not commute keeps its operands in order:", function()
    for _, row in ipairs(functions) do
        local label, f, in_lua, start = table.unpack(row)
        for _, set in ipairs { lengths, long_lengths } do
            it(label .. (set == lengths and "" or ", in several chunks"), function()
                local g = operands.generator(77)
                for _, n in ipairs(set) do
                    local list, prefix = {}, { start }
                    for i = 1, n do
                        list[i] = g.bits() >> 32
                        if label:find "last" and g.pick(5) > 1 then
                            list[i] = 0
                        end
                        prefix[i + 1] = in_lua(prefix[i], list[i])
                    end
                    local results = harness.run(function()
                        local a = harness.array(dtypes.i64, list)
                        return {
                            { label = label .. ", exclusive", array = lun.scan(f, start)(a) },
                            { label = label .. ", inclusive", array = lun.scan(f, start, { inclusive = true })(a) },
                            { label = label .. ", reduced", array = lun.reduce(f, start)(a) },
                        }
                    end, harness.backends, 17)
                    harness.expect(results, 1, dtypes.i64, prefix, n)
                    harness.expect(results, 2, dtypes.i64, table.move(prefix, 2, n + 1, 1, {}), n)
                    harness.expect(results, 3, dtypes.i64, { prefix[n + 1] }, 1)
                    harness.same_bits(results, nil, true)
                end
                harness.finish()
            end)
        end
    end
end)

teardown(harness.report)
