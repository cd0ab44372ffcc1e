-- Every row of ops.def called inside a plain Lua function, as lun.NAME(...), against the operation applied to
-- arrays: the same dtype and the same bits, for elements of every dtype, on every backend of the host.
-- A function computes small integers as i32 and unsigned ones as i64, so the arrays are cast to that.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"

local describe_op = require "lunarray.core".internal.describe

local MOST = 12 -- results of one function

-- The dtype that a function takes elements as, where it is another one.
local computed = {}
for _, t in ipairs(dtypes.list) do
    if t.wide then
        computed[t.name] = t.wide.name
    elseif t.is_integer and t.high > 0 and t.high <= dtypes.i32.high then
        computed[t.name] = t ~= dtypes.i32 and "i32" or nil
    elseif t.is_integer then
        computed[t.name] = t ~= dtypes.i64 and "i64" or nil
    end
end

local names, arity = {}, {}
for name, value in pairs(lun.op) do
    names[#names + 1] = name
    arity[name] = select(3, describe_op(value))
end
table.sort(names)

-- Does the operation take elements that meet in dtype t?
local function takes(name, t)
    return oracle.result(oracle.ops[name], t) ~= nil
end

local function traps(name, t)
    return oracle.ops[name].trap and not t.is_float
end

-- A function of x, y and z that returns the calls, each a text like "add(x, y)".
local function compiled(calls, values)
    local text = ("local lun, a, b, c = ... return function(x, y) return lun.%s end"):format(
        table.concat(calls, ", lun."))
    return assert(load(text, "=script"))(lun, table.unpack(values or {}))
end

-- Runs each group { calls =, wanted = function() gives as many arrays, given = function(f) } both ways.
local function check(groups, backends)
    local results = harness.run(function()
        local entries = {}
        for _, group in ipairs(groups) do
            local given = { group.given() }
            for k, wanted in ipairs(group.wanted()) do
                entries[#entries + 1] = { label = group.calls[k] .. " in a function", array = given[k] }
                entries[#entries + 1] = { label = group.calls[k], array = wanted }
            end
        end
        return entries
    end, backends)
    for _, backend in ipairs(results.backends) do
        local list = results[backend]
        for i = 1, #list, 2 do
            local got, want = list[i], list[i + 1]
            if got.dtype ~= want.dtype then
                harness.fail("%s on %s gives %s, not %s", got.label, backend, got.dtype, want.dtype)
            elseif got.bytes ~= want.bytes then
                local size, at = dtypes[got.dtype].size, 1
                while got.bytes:sub(at, at + size - 1) == want.bytes:sub(at, at + size - 1) do
                    at = at + size
                end
                local function element(bytes)
                    return harness.text(dtypes.unpack(dtypes[got.dtype], bytes:sub(at, at + size - 1))[1])
                end
                harness.fail("%s on %s: element %d is %s, not %s", got.label, backend, at // size + 1,
                    element(got.bytes), element(want.bytes))
            end
        end
    end
    harness.same_bits(results)
    harness.finish()
end

-- Cuts a list of { call =, name =, args = } into groups that one function can return.
local function grouped(list, make)
    local groups = {}
    for first = 1, #list, MOST do
        local some = table.move(list, first, math.min(first + MOST - 1, #list), 1, {})
        local calls = {}
        for k, one in ipairs(some) do calls[k] = one.call end
        groups[#groups + 1] = make(calls, some)
    end
    return groups
end

for _, t in ipairs(dtypes.list) do
    describe(t.name .. " elements", function()
        local to = computed[t.name]
        local backends = to and { harness.backends[1] } or nil
        local function array(list) return harness.array(t, list) end
        local function as_computed(list)
            local a = array(list)
            return to and a:cast(to) or a
        end
        local a, b, c = operands.lists(t, 333, 11)
        local d = t.is_integer and select(2, operands.lists(t, 333, 11, true)) or b
        if t.kind == "bool" then
            d = {}
            for i = 1, #b do d[i] = true end
        end

        it("are what the operation gives for arrays", function()
            local groups = {}
            for count = 1, 3 do
                for _, trap in ipairs { false, true } do
                    local list, second = {}, trap and d or b
                    for _, name in ipairs(names) do
                        if arity[name] == count and takes(name, t) and (traps(name, t) or false) == trap then
                            local call = count == 1 and "%s(x)" or count == 2 and "%s(x, y)" or "%s(a[x], b[x], c[x])"
                            list[#list + 1] = { call = call:format(name), name = name }
                            if oracle.associative[name] then -- zeros of different sign, in the other order
                                list[#list + 1] = { call = name .. "(y, x)", name = name, turned = true }
                            end
                        end
                    end
                    table.move(grouped(list, function(calls, some)
                        return {
                            calls = calls,
                            given = function()
                                if count == 1 then return lun.map(compiled(calls))(array(a)) end
                                if count == 2 then return lun.zip(compiled(calls))(array(a), array(second)) end
                                local f = compiled(calls, { array(a), array(second), array(c) })
                                return lun.map(f)(lun.index(#a))
                            end,
                            wanted = function()
                                local x, y, z, wanted = as_computed(a), as_computed(second), as_computed(c), {}
                                for k, one in ipairs(some) do
                                    local given = one.turned and { y, x } or { x, y, z }
                                    wanted[k] = lun[one.name](table.unpack(given, 1, count))
                                end
                                return wanted
                            end,
                        }
                    end), 1, 99, #groups + 1, groups)
                end
            end
            check(groups, backends)
        end)

        it("meet numbers as arrays do", function()
            local u = to and dtypes[to] or t
            local list = {}
            for _, name in ipairs(names) do
                local row = oracle.ops[name]
                for _, number in ipairs { 2, 3, 0.5 } do
                    local meeting = dtypes.with_number(u, number)
                    if arity[name] == 2 and row.rule ~= "logic" and takes(name, meeting) then
                        list[#list + 1] = { name = name, number = number, call = ("%s(x, %s)"):format(name, number) }
                        if not traps(name, meeting) then
                            list[#list + 1] = { name = name, number = number, left = true,
                                call = ("%s(%s, x)"):format(name, number) }
                        end
                    end
                end
            end
            check(grouped(list, function(calls, some)
                return {
                    calls = calls,
                    given = function() return lun.map(compiled(calls))(array(a)) end,
                    wanted = function()
                        local x, wanted = as_computed(a), {}
                        for k, one in ipairs(some) do
                            wanted[k] = one.left and lun[one.name](one.number, x) or lun[one.name](x, one.number)
                        end
                        return wanted
                    end,
                }
            end), backends)
        end)
    end)
end

teardown(harness.report)
