-- Every operation on every dtype and backend, element by element against Lua's own arithmetic: arrays of
-- equal length, arrays with numbers on either side, arrays of one element; through functions, operators,
-- methods and skeletons. Functions of the C library are measured here on special values, and on many
-- more in accuracy_spec.lua. Compiled, a number or an array of one element stands on one side of each
-- operation, the other one in the next; LUNARRAY_DIFF_FULL=1 compiles all.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"

local describe_op = require "lunarray.core".internal.describe

local FULL = os.getenv "LUNARRAY_DIFF_FULL" == "1"

local names, arity, symbol = {}, {}, {}
for name in pairs(oracle.ops) do
    local _, sign, count = describe_op(lun.op[name])
    names[#names + 1], arity[name], symbol[name] = name, count, sign
end
table.sort(names)

-- ---------------------------------------------------------------- what is expected

-- One operand of a case: the elements as a list, or a number; of dtype t (nil for a number).
local function meeting(row, args)
    local from = row.rule == "selection" and 2 or 1
    local t
    for k = from, #args do
        local u = args[k].t
        t = u and (t and dtypes.common(t, u) or u) or t
    end
    for k = from, #args do
        if not args[k].t then
            local x = args[k].value
            t = t and dtypes.with_number(t, x) or
                dtypes[type(x) == "boolean" and "bool" or math.type(x) == "float" and "f64" or "i64"]
        end
    end
    return t
end

-- The element i of an operand as one of dtype t.
local function element(arg, i, t)
    if not arg.t then
        return dtypes.number(arg.value, t)
    end
    local list = arg.list
    return dtypes.convert(#list == 1 and list[1] or list[i], arg.t, t)
end

-- The lists of converted operands of an operation that computes in t.
local function converted(row, args, t, count)
    local lists = {}
    for k, arg in ipairs(args) do
        local list, to = {}, row.rule == "selection" and k == 1 and dtypes.bool or t
        for i = 1, count do
            list[i] = element(arg, i, to)
        end
        lists[k] = list
    end
    return lists
end

-- Whether clamp's bounds are in order; what it gives otherwise is not promised.
local function ordered(t, low, high)
    if t.is_float then
        return low <= high
    end
    return not oracle.less(t, high, low)
end

-- The expected elements; nil where nothing is promised.
local function expected(row, t, lists, count)
    local f, wanted = oracle.element(row, t), {}
    local a, b, c = lists[1], lists[2] or {}, lists[3] or {}
    for i = 1, count do
        if not row.ordered or ordered(t, b[i], c[i]) then
            wanted[i] = f(t, a[i], b[i], c[i])
        end
    end
    return wanted
end

-- ---------------------------------------------------------------- cases

-- The array or number of an operand, new for each backend.
local function argument(arg, made)
    if not arg.t then
        return arg.value
    end
    made[arg] = made[arg] or harness.array(arg.t, arg.bytes)
    return made[arg]
end

local function list_operand(t, list)
    return { t = t, list = list, bytes = dtypes.pack(t, list) }
end

local function shown(args)
    local list = {}
    for k, arg in ipairs(args) do
        list[k] = arg.t and arg.list or arg.value
    end
    return list
end

-- Runs cases { name =, args =, count =, call = } in few evaluations and checks each against its oracle.
local function check(cases, backends)
    local results = harness.run(function()
        local entries, made = {}, {}
        for i, case in ipairs(cases) do
            local args = {}
            for k, arg in ipairs(case.args) do
                args[k] = argument(arg, made)
            end
            local call = case.call or lun[case.name]
            entries[i] = { label = case.label or case.name, array = call(table.unpack(args)) }
        end
        return entries
    end, backends, not backends and 12)
    for i, case in ipairs(cases) do
        local row = oracle.ops[case.name]
        local t, given = oracle.result(row, meeting(row, case.args))
        local lists = converted(row, case.args, t, case.count)
        if row.accuracy and t.wide then -- the float that it is computed in is measured; tests/diff/stored_spec.lua
            for _, backend in ipairs(results.backends) do
                assert(results[backend][i].dtype == given.name)
            end
        elseif row.accuracy then
            for _, backend in ipairs(results.backends) do
                local entry = results[backend][i]
                assert(entry.dtype == given.name, case.name .. " gives " .. entry.dtype)
                local b = lists[2] and dtypes.pack(t, lists[2])
                local worst, at, truth = harness.accuracy(row.accuracy, entry, dtypes.pack(t, lists[1]), b)
                if worst > harness.limit[t.name] then
                    harness.fail("%s on %s: %g ULP at element %d of %s(%s%s), truly %s", entry.label, backend, worst,
                        at, case.name, harness.text(lists[1][at]), b and ", " .. harness.text(lists[2][at]) or "",
                        harness.text(truth))
                end
            end
        else
            harness.expect(results, i, given, expected(row, t, lists, case.count), case.count, shown(case.args),
                row.any_zero)
        end
    end
    harness.same_bits(results)
    harness.finish()
end

-- The same, with most cases left to the backend that needs no compiler: of those that bear one number
-- as `turn`, each second is run everywhere.
local function check_half(cases, parity)
    if FULL then
        return check(cases)
    end
    local some = {}
    for _, case in ipairs(cases) do
        if (case.turn + parity) % 2 == 0 then
            some[#some + 1] = case
        end
    end
    check(cases, { "reference" })
    check(some)
end

-- Whether the operation takes elements that meet in dtype t.
local function takes(name, t)
    return oracle.result(oracle.ops[name], t) ~= nil
end

-- Of bools they are those of logic.
local BITS = { band = function(a, b) return a and b end, bor = function(a, b) return a or b end,
    bxor = function(a, b) return a ~= b end, bnot = function(a) return not a end }

-- Operands of dtype t: a, b, c, and d, which has no zeros if t is an integer dtype.
local function four(t, extra, seed)
    local a, b, c = operands.lists(t, extra, seed)
    local d = t.is_integer and select(2, operands.lists(t, extra, seed, true)) or b
    return list_operand(t, a), list_operand(t, b), list_operand(t, c), list_operand(t, d)
end

-- The k-th argument list of an operation: a, then b or its variant without zeros, then c.
local function choose(name, t, a, b, c, d)
    local trap = oracle.ops[name].trap and (t.is_integer or t.kind == "bool")
    local args = { a, trap and d or b, c }
    return { table.unpack(args, 1, arity[name]) }
end

for _, t in ipairs(dtypes.list) do
    describe(t.name, function()
        it("arrays with arrays", function()
            local a, b, c, d = four(t, 333, 1)
            if t.kind == "bool" then
                d = list_operand(t, {})
                for i = 1, #b.list do
                    d.list[i] = true
                end
                d.bytes = dtypes.pack(t, d.list)
            end
            local cases = {}
            for _, name in ipairs(names) do
                if takes(name, t) then
                    cases[#cases + 1] = { name = name, args = choose(name, t, a, b, c, d), count = #a.list }
                end
            end
            check(cases)
        end)

        it("arrays with numbers", function()
            local a, b, _, d = four(t, 50, 2)
            for _, x in ipairs(operands.numbers(t)) do
                local cases = {}
                local u = dtypes.with_number(t, x)
                local function add(turn, name, ...)
                    cases[#cases + 1] = { name = name, args = { ... }, count = #a.list, turn = turn,
                        label = ("%s with %s"):format(name, x) }
                end
                for k, name in ipairs(names) do
                    local row = oracle.ops[name]
                    local trap = row.trap and not u.is_float
                    -- logic takes booleans, and arrays of any dtype; a number is no truth value
                    local number = { value = x }
                    if row.rule == "logic" then
                        number.value = x ~= 0 and x ~= false
                    end
                    local suits = takes(name, u) and not (row.rule == "float" and type(x) == "boolean")
                    if suits and arity[name] == 2 then
                        if not (trap and (x == 0 or x == false)) then
                            add(k, name, a, number)
                        end
                        if not (trap and t.kind == "bool") then
                            add(k + 1, name, number, trap and d or a)
                        end
                    elseif suits and arity[name] == 3 then
                        add(k, name, a, number, b)
                        add(k + 1, name, a, b, number)
                        add(k, name, a, number, number)
                    end
                end
                check_half(cases, math.type(x) == "float" and 1 or 0)
            end
        end)

        it("arrays of one element, and of none", function()
            local a, b, c, d = four(t, 0, 3)
            local special = operands.special(t)
            local none = list_operand(t, {})
            local cases = {}
            local function add(turn, name, count, ...)
                cases[#cases + 1] = { name = name, args = { ... }, count = count, turn = turn }
            end
            for k, name in ipairs(names) do
                if takes(name, t) and arity[name] > 1 then
                    local full = choose(name, t, a, b, c, t.kind == "bool" and none or d)
                    local one = list_operand(t, { special[#special] })
                    if not (oracle.ops[name].trap and t.kind == "bool") then
                        add(k, name, #a.list, full[1], one, full[3])
                        add(k + 1, name, #a.list, one, full[2], full[3])
                        add(k, name, 1, one, one, full[3] and one)
                    end
                    add(k + 1, name, 0, none, none, full[3] and none)
                elseif takes(name, t) then
                    add(k, name, 0, none)
                end
            end
            check_half(cases, 0)
        end)

        it("operators, methods and skeletons are the same operations", function()
            local a, b, c, d = four(t, 20, 4)
            local ways = {}
            for _, name in ipairs(names) do
                local count = arity[name]
                -- a:sub and the like are other methods; bool has no operand without zeros to divide by
                if takes(name, t) and not (oracle.ops[name].trap and t.kind == "bool") then
                    if name ~= "sub" then
                        ways[#ways + 1] = { name, "method", function(x, ...) return x[name](x, ...) end }
                    end
                    ways[#ways + 1] = { name, "operation", function(...) return lun.op[name](...) end }
                    if count == 1 then
                        ways[#ways + 1] = { name, "map", function(x) return lun.map(lun.op[name])(x) end }
                    elseif count == 2 then
                        ways[#ways + 1] = { name, "zip", function(x, y) return lun.zip(lun.op[name])(x, y) end }
                    end
                    local sign = symbol[name]
                    if sign ~= "" then
                        local source = count == 1 and "local x = ... return " .. sign .. "x" or
                            "local x, y = ... return x " .. sign .. " y"
                        ways[#ways + 1] = { name, "operator " .. sign, assert(load(source)) }
                    end
                    if sign ~= "" and count == 2 then
                        ways[#ways + 1] = { name, "zip " .. sign, function(x, y) return lun.zip(sign)(x, y) end }
                    end
                end
            end
            local cases = {}
            for i, way in ipairs(ways) do
                local name = way[1]
                cases[i] = { name = name, args = choose(name, t, a, b, c, d), count = #a.list, call = way[3] }
                cases[i].label = ("%s as %s"):format(name, way[2])
            end
            check(cases, { "reference" }) -- they become the nodes that the other tests run everywhere
        end)

        it("refuses what it cannot take", function()
            local a, b, c = four(t, 0, 5)
            for _, name in ipairs(names) do
                if not takes(name, t) and not (t.kind == "bool" and BITS[name]) then
                    local args, made = { table.unpack({ a, b, c }, 1, arity[name]) }, {}
                    for k, arg in ipairs(args) do
                        args[k] = argument(arg, made)
                    end
                    assert.has_error(function() lun[name](table.unpack(args)) end)
                end
            end
            if t.is_integer and t.bits < 64 then
                local x = argument(a, {})
                assert.has_error(function() return x + (t.high + 1) end)
                assert.has_error(function() return (t.low - 1) * x end)
            end
        end)
    end)
end

describe("bits of bools", function()
    it("are those of logic", function()
        for _, backend in ipairs(harness.backends) do
            lun.use(backend)
            for _, n in ipairs { 1, 4, 63, 64, 65, 1000 } do
                local a, b = {}, {}
                for i = 1, n do
                    a[i], b[i] = i % 2 == 0, i // 2 % 2 == 0
                end
                for name, f in pairs(BITS) do
                    local want, x, y = {}, lun.vector(a), name ~= "bnot" and lun.vector(b) or nil
                    for i = 1, n do
                        want[i] = f(a[i], b[i])
                    end
                    assert.same(want, lun[name](x, y):totable())
                end
            end
        end
        lun.use(harness.backends[1])
    end)
end)

describe("integer division by zero", function()
    for _, t in ipairs(dtypes.list) do
        if t.is_integer then
            it("is an error for " .. t.name .. ", wherever the zero is", function()
                for _, backend in ipairs(harness.backends) do
                    lun.use(backend)
                    for _, name in ipairs { "idiv", "mod" } do
                        for _, n in ipairs { 1, 63, 64, 65, 1000 } do
                            local list = {}
                            for i = 1, n do
                                list[i] = i % 100 + 1
                            end
                            local whole = harness.array(t, list)
                            -- the padding behind the last element is no divisor
                            assert.equal(n, #lun[name](whole, harness.array(t, list)):tobytes() // t.size)
                            for _, at in ipairs { 1, n // 2 + 1, n } do
                                local was = list[at]
                                list[at] = 0
                                local e = lun[name](whole, harness.array(t, list))
                                assert.has_error(function() e:tobytes() end)
                                list[at] = was
                            end
                            assert.has_error(function() lun[name](whole, 0):tobytes() end)
                        end
                    end
                end
                lun.use(harness.backends[1])
            end)
        end
    end
end)

teardown(harness.report)
