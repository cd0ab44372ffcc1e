-- lun.teams: functions run for each thread of each team. The oracle is plain Lua: the same functions called with a
-- table in the place of t, threads as coroutines.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "diff.plain_teams"
local shell = require "shell"

local everywhere, refused = expect.everywhere, expect.failure

local function run_plain(how, f, ...) plain.run(how, false, f, ...) end

local function zeros(n)
    local list = {}
    for i = 1, n do list[i] = 0 end
    return list
end

-- f on a Vector of n zeros, and on a table in plain Lua, gives the same; threads take turns in any order.
local function same(how, n, dtype, f, ...)
    local v, list, other = lun.zeros(n, dtype), zeros(n), zeros(n)
    lun.teams(how)(f, v, ...)
    plain.run(how, false, f, list, ...)
    plain.run(how, true, f, other, ...)
    assert.same(list, v:totable())
    assert.same(list, other)
end

describe("lun.teams", function()
    it("numbers threads, teams and elements, in up to eight dimensions", function()
        local function along(t, v, at, d)
            v[at + d] = t:block(d)
            v[at + 8 + d] = t:thread(d)
            v[at + 16 + d] = t:blocks(d) * 100 + t:threads(d) * 10 + t:elements(d)
            v[at + 24 + d] = t:index(d)
        end
        local function numbers(t, v)
            local at = ((t:block() - 1) * t:threads() + t:thread() - 1) * 38
            along(t, v, at, 1)
            along(t, v, at, 2)
            along(t, v, at, 3)
            along(t, v, at, 4)
            along(t, v, at, 5)
            along(t, v, at, 6)
            along(t, v, at, 7)
            along(t, v, at, 8)
            v[at + 33] = t:block()
            v[at + 34] = t:blocks()
            v[at + 35] = t:thread()
            v[at + 36] = t:threads()
            v[at + 37] = t:elements()
            v[at + 38] = t:index()
        end
        everywhere(function()
            for _, how in ipairs {
                { league = 7 }, { league = 1, team = 5 }, { league = { 2, 3, 4 } }, { league = 3, team = 4, elements = 5 },
                { league = { 2, 3 }, team = { 3, 2 }, elements = { 1, 4 } },
                { league = { 2, 1, 3 }, team = { 1, 2, 3 }, elements = { 2, 3, 4 } }, { league = 70, team = "auto" },
                { league = { 2, 1, 2, 3 }, team = { 1, 2, 1, 1, 1, 1, 2, 3 }, elements = { 1, 2, 1, 3, 1, 1, 1, 2 } },
                { league = { 1, 1, 1, 1, 1, 1, 1, 3 } }, { league = { 2, 2, 1, 2, 1, 2, 2, 2 }, team = { 1, 1, 1, 1, 5 } },
            } do
                local team = plain.extents(how.team ~= "auto" and how.team or 1)
                local league = plain.extents(how.league)
                local n = 38
                for d = 1, 8 do n = n * team[d] * league[d] end
                local spoken = { league = how.league, team = team, elements = how.elements }
                local v, list = lun.zeros(n, "i64"), zeros(n)
                lun.teams(how)(numbers, v)
                run_plain(spoken, numbers, list)
                assert.same(list, v:totable())
            end
        end)
    end)

    it("has memory of teams and of threads in up to eight dimensions", function()
        local function turn(t, v)
            local s, own = t:scratch("i64", 2, 3, 4), t:private("f32", 2, 1, 1, 2, 1, 1, 1, 2)
            local me = t:thread()
            for k = 1, 4 do s[(me - 1) // 3 + 1][(me - 1) % 3 + 1][k] = me * 10 + k end
            own[2][1][1][1][1][1][1][2] = me + 0.5
            own[1][1][1][2][1][1][1][1] = t:block()
            t:barrier()
            local sum = 0.0
            for k = 1, 4 do sum = sum * 3 + s[1 + k % 2][1 + (me + k) % 3][k] end
            for i = 1, 2 do
                for j = 1, 2 do sum = sum * 2 + own[i][1][1][j][1][1][1][1] + own[i][1][1][j][1][1][1][2] end
            end
            v[(t:block() - 1) * t:threads() + me] = sum
        end
        everywhere(function() same({ league = 5, team = { 2, 3 } }, 30, "f64", turn) end)
        local z = lun.zeros(9)
        for _, row in ipairs {
            { "index 4 is out of range for axis 2 of 'scratch' (length 3)",
                function(t) local s = t:scratch("f64", 2, 3) s[1][#z // 2] = 1 z[1] = s[1][1] end },
            { "on a value that is not a number", function(t) local s = t:scratch("f64", 2, 3) z[1] = s[1] end },
            { "the number of elements is more than 2147483647",
                function(t) local s = t:scratch("f64", 65536, 65536) z[1] = s[1][1] end },
            { "t:scratch takes 9 arguments, got 10",
                function(t) local s = t:scratch("f64", 1, 1, 1, 1, 1, 1, 1, 1, 1) z[1] = s[1] end },
        } do
            expect.failure(row[1], function() lun.teams { league = 1 }(row[2]) end)
        end
    end)

    it("sees what a thread has assigned itself, in order", function()
        everywhere(function()
            for _, n in ipairs { 1, 63, 64, 65, 1000 } do
                same({ league = n }, n, "i64", function(t, v)
                    local i = t:block()
                    v[i] = i
                    v[i] = v[i] * v[i]
                    if v[i] % 3 == 0 then v[i] = -v[i] end
                    for k = 1, i % 5 do v[i] = v[i] + k end
                end)
                same({ league = (n + 9) // 10, elements = 10 }, n, "f64", function(t, v)
                    for i = t:index(), math.min(t:index() + t:elements() - 1, #v) do
                        if i % 10 ~= 1 then v[i] = v[i - 1] / 2 + i else v[i] = i end
                    end
                end)
            end
        end)
    end)

    it("has memory of teams and threads, loops, and what runs once", function()
        everywhere(function()
            for _, n in ipairs { 1, 64, 200 } do
                same({ league = n }, 3 * n, "f64", function(t, v)
                    local counts, sums = t:scratch("i32", 4), t:private("f64", 2)
                    local number = t:block()
                    local seen = 0
                    t:each(number % 9, function(i)
                        local k = (i * number) % 4 + 1
                        counts[k] = counts[k] + 1
                        seen = seen + 1
                    end)
                    t:barrier()
                    t:vector(4, function(k) sums[k % 2 + 1] = sums[k % 2 + 1] + counts[k] * k end)
                    t:single(function() v[3 * number - 2] = seen end)
                    v[3 * number - 1] = sums[1]
                    v[3 * number] = sums[2]
                end)
            end
        end)
    end)

    it("takes arrays of any rank, dtype and layout, numbers and Scalars", function()
        everywhere(function()
            local A = lun.vector({ { 1, 2, 3 }, { 4, 5, 6 } }, "u8")
            local B, scale = lun.zeros({ 3, 2 }, "f32"), A:sum()
            lun.teams { league = { 2, 3 } }(function(t, x)
                local i, j = t:block(1), t:block(2)
                B[j][i] = A[i][j] * scale + x
            end, 0.5)
            assert.same({ { 21.5, 84.5 }, { 42.5, 105.5 }, { 63.5, 126.5 } }, B:totable())
            lun.teams { league = 2 }(function(t, row) row[t:block()] = -row[t:block()] end, B:row(2))
            assert.same({ { 21.5, 84.5 }, { -42.5, -105.5 }, { 63.5, 126.5 } }, B:totable())
            local C, mask = A:copy(), lun.zeros(2, "bool")
            lun.teams { league = 2 }(function(t, c) c[t:block()][1] = 200 mask[t:block()] = t:block() == 2 end, C)
            assert.same({ { 200, 2, 3 }, { 200, 5, 6 } }, C:totable())
            assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, A:totable())
            assert.same({ false, true }, mask:totable())
            local lazy = A * 2
            lun.teams { league = 1 }(function(_, v) v[1][1] = 77 end, lazy)
            assert.same({ { 77, 4, 6 }, { 8, 10, 12 } }, lazy:totable())
        end)
    end)

    it("covers extents by lun.workdiv", function()
        local function daxpy(t, y, x, a)
            for i = t:index(), math.min(t:index() + t:elements() - 1, #y) do y[i] = a * x[i] + y[i] end
        end
        assert.same({ league = { 3, 2, 1 }, team = { 2, 1, 1 }, elements = { 4, 3, 1 } },
            lun.workdiv({ 20, 5 }, { team = { 2 }, elements = { 4, 3 } }))
        everywhere(function()
            for _, n in ipairs { 1, 7, 8, 9, 16385 } do
                local x, y = lun.range(1, n):copy(), lun.ones(n):copy()
                lun.teams(lun.workdiv(n, { elements = 8 }))(daxpy, y, x, 2)
                assert.is_true((y:eq(lun.range(1, n) * 2 + 1)):all())
            end
        end)
    end)

    it("multiplies matrices by tiles", function()
        everywhere(function()
            local n, tile = 20, 8
            local A = lun.index(n * n):view { n, n } % 7
            local B, C = lun.index(n * n):view { n, n } % 5, lun.zeros({ n, n }, "f64")
            lun.teams(lun.workdiv({ n, n }, { elements = { tile, tile } }))(function(t, a, b, c)
                local s, size = t:private("f64", tile), #a
                local i0, j0 = t:index(1), t:index(2)
                local width = math.min(tile, size - j0 + 1)
                for i = i0, math.min(i0 + tile - 1, size) do
                    for j = 1, width do s[j] = 0 end
                    for k = 1, size do
                        for j = 1, width do s[j] = s[j] + a[i][k] * b[k][j0 + j - 1] end
                    end
                    for j = 1, width do c[i][j0 + j - 1] = s[j] end
                end
            end, A, B, C)
            assert.same(A:matmul(B):totable(), C:totable())
        end)
    end)

    it("has threads of a team meet", function()
        everywhere(function()
            for _, how in ipairs { { 1, 1 }, { 3, 2 }, { 70, 7 }, { 2, 64 }, { 5, 100 }, { 1, 1000 }, { 2, 1024 }, { 3, { 4, 3, 5 } } } do
                local extents = plain.extents(how[2])
                local threads = extents[1] * extents[2] * extents[3]
                same({ league = how[1], team = how[2] }, how[1] * threads, "f64", function(t, v, rounds)
                    local s, me, n = t:scratch("f64", 1024), t:thread(), t:threads()
                    local sum, twice = 0.5, me * 2
                    s[me] = me * t:block()
                    t:barrier()
                    for k = 1, rounds do
                        local other = s[(me + k - 1) % n + 1]
                        if me % 2 == 0 then sum = sum + other else sum = sum - other / 2 end
                        t:barrier()
                        s[me] = sum
                        t:barrier()
                        if k == rounds - 1 then twice = twice + s[n] end
                    end
                    if me > n // 2 + 1 then return end
                    v[(t:block() - 1) * n + me] = sum + twice + s[n // 2 + 1]
                end, 5)
            end
        end)
    end)

    it("shares loops out among threads, and runs once what is said to", function()
        everywhere(function()
            for _, team in ipairs { 1, 5, 64 } do
                same({ league = 3, team = team }, 300, "i64", function(t, v)
                    local s, total = t:scratch("i32", 100), t:scratch("i64", 2)
                    t:each(100, function(i) s[i] = i * t:block() end)
                    t:each(50, function(i) s[2 * i] = -s[2 * i] end, "nobarrier")
                    t:barrier()
                    t:single(function()
                        for i = 1, 100 do total[1] = total[1] + s[i] end
                        total[2] = total[2] + 1
                    end)
                    t:each(100, function(i)
                        v[(t:block() - 1) * 100 + i] = s[101 - i] + total[1] * total[2]
                    end)
                end)
            end
        end)
    end)

    it("gives values of one thread to all, reductions and scans", function()
        local function values(t, v, x, n)
            local me = t:thread()
            local at = ((t:block() - 1) * t:threads() + me - 1) * 12
            v[at + 1] = t:broadcast(me * 10 + t:block(), t:threads())
            v[at + 2] = t:reduce("+", me * 0.1)
            v[at + 3] = t:reduce("max", (me * 7) % 5)
            v[at + 4] = t:reduce(function(a, b) return a * 2 - b end, me)
            local prefix, total = t:scan("+", me)
            v[at + 5] = prefix
            v[at + 6] = total
            prefix, total = t:scan(function(a, b) return a * 0.5 + b end, me, 3.0)
            v[at + 7] = prefix
            v[at + 8] = total
            v[at + 9] = t:reduce("+", n, function(i) return x[i] end)
            v[at + 10] = t:reduce("min", n + 1, function(i) return x[i] * 2 end)
            v[at + 11] = t:reduce(function(a, b) return a - b / 3 end, n, function(i) return x[i] end, 5.0)
            local rounds = 0
            while t:reduce("+", rounds) < 20 * t:threads() do rounds = rounds + me % 2 + 5 end
            v[at + 12] = rounds
        end
        local x = lun.random(20000, { seed = 5 }):copy()
        local list = x:totable()
        everywhere(function()
            for _, how in ipairs { { 2, 1, 100 }, { 1, 3, 0 }, { 2, 10, 16385 }, { 1, 128, 70 } } do
                local shape = { league = how[1], team = how[2] }
                local n = how[1] * how[2] * 12
                local v, wanted = lun.zeros(n, "f64"), zeros(n)
                lun.teams(shape)(values, v, x, how[3])
                plain.run(shape, false, values, wanted, list, how[3])
                assert.same(wanted, v:totable())
                local own = x:sub(1, how[3])
                if how[3] > 0 then assert.equal(own:sum(), v[9]) end
            end
        end)
    end)

    it("reduces in the order of whole reductions: the same bits by teams of any size", function()
        local x = lun.random(40000, { seed = 7 }):cast "f32":copy()
        everywhere(function()
            local v, sum = lun.zeros(3), x:sum()
            for k, team in ipairs { 1, 7, 64 } do
                lun.teams { league = 1, team = team }(function(t)
                    local s = t:reduce("+", #x, function(i) return x[i] end)
                    t:single(function() v[k] = s end)
                end)
            end
            assert.same({ sum, sum, sum }, v:totable())
        end)
    end)

    it("gives the identity of a reduction over nothing, in the dtype of what there would be", function()
        local x, singles, whole, none = lun.ones(3), lun.zeros(3, "f32"), lun.zeros(3, "i32"), 0
        local want = { min = { math.huge, math.huge, math.maxinteger }, max = { -math.huge, -math.huge, math.mininteger },
            ["+"] = { 0, 0, 0 }, ["*"] = { 1, 1, 1 } }
        everywhere(function()
            for op, identities in pairs(want) do
                local v, w = lun.zeros(5), lun.zeros(1, "i64")
                lun.teams { league = 1, team = 3 }(function(t)
                    v[1] = t:reduce(op, 0, function(i) return x[i] end)
                    v[2] = t:reduce(op, -1, function(i) return singles[i] end)
                    v[3] = t:reduce(op, none, function(i) return x[i] end)
                    w[1] = t:reduce(op, 0, function(i) return whole[i] end)
                    local first, total = t:scan(op, x[t:thread()])
                    if t:thread() == 1 then v[4] = first end
                    v[5] = total
                end)
                assert.same({ identities[1], identities[2], identities[1], identities[1] },
                    { v[1], v[2], v[3], v[4] }, op)
                assert.equal(op == "+" and 3 or 1, v[5], op)
                assert.equal(identities[3], w[1], op)
            end
        end)
    end)

    it("takes the name of an operation or a dtype from a variable, as it is then", function()
        local z = lun.zeros(4, "i64")
        local op, dtype, apart = "+", "i16", "nobarrier"
        local function f(t)
            local s = t:scratch(dtype, 4)
            t:each(4, function(i) s[i] = i end, apart)
            t:barrier()
            z[t:thread()] = t:reduce(op, s[t:thread()])
        end
        everywhere(function()
            op, dtype = "+", "i16"
            lun.teams { league = 1, team = 4 }(f)
            assert.same({ 10, 10, 10, 10 }, z:totable())
            op, dtype = "*", "i64"
            lun.teams { league = 1, team = 4 }(f)
            assert.same({ 24, 24, 24, 24 }, z:totable())
            op = "nothing"
            refused("'op' is no associative operation", lun.teams { league = 1, team = 4 }, f)
        end)
    end)

    it("has memory where all come, once", function()
        local z = lun.zeros(8, "i64")
        local function says(text, f, ...) refused(text, lun.teams { league = 2, team = 2 }, f, ...) end
        local where = " in a branch or a loop that threads of a team may take differently"
        local once = " in a loop: its elements are zero once, when the team begins; call it before the loop"
        local line = debug.getinfo(1, "l").currentline
        says(("teams_spec.lua:%d: t:scratch"):format(line + 3) .. where, function(t)
            if t:thread() == 1 then
                local s = t:scratch("i64", 2)
                s[1] = 1
                z[1] = s[1]
            end
        end)
        says("t:scratch" .. where, function(t)
            if t:thread() == 1 then return end
            t:scratch("i64", 2)[1] = 1
            z[1] = 1
        end)
        says("t:scratch" .. once, function(t, n)
            for k = 1, n do
                t:scratch("i64", 2)[1] = k
                z[k] = 1
            end
        end, 5)
        says(("teams_spec.lua:%d: t:private"):format(line + 20) .. once, function(t, n)
            t:each(n, function(i) t:private("i64", 2)[1] = i end)
            z[1] = 1
        end, 5)
        everywhere(function()
            z:fill(0)
            lun.teams { league = 2, team = 2 }(function(t)
                if t:block() == 2 then -- for all of the team
                    local s = t:scratch("i64", 2)
                    s[t:thread()] = t:thread() * 10
                    t:barrier()
                    z[t:thread()] = s[3 - t:thread()]
                end
                if t:thread() == 2 then
                    local own = t:private("i64", 2)
                    own[1] = own[2] + t:block()
                    z[2 + t:block()] = own[1]
                end
            end)
            assert.same({ 20, 10, 1, 2, 0, 0, 0, 0 }, z:totable())
        end)
    end)

    it("refuses barriers that threads may take differently, with the line", function()
        local z = lun.zeros(64)
        local function says(text, f)
            refused(text, function() lun.teams { league = 2, team = 4 }(f) end)
        end
        local where = " in a branch or a loop that threads of a team may take differently"
        says("t:barrier" .. where, function(t)
            z[t:thread()] = 1
            if t:thread() > 2 then t:barrier() end
        end)
        says("t:each" .. where, function(t)
            z[1] = 1
            for _ = 1, t:thread() do t:each(3, function() end) end
        end)
        says("t:reduce" .. where, function(t)
            z[1] = 1
            if z[t:block()] > 0 then z[2] = t:reduce("+", 1) end
        end)
        says("t:single" .. where, function(t)
            z[1] = 1
            if t:thread() == 1 then return end
            t:single(function() z[2] = 1 end)
        end)
        local line = debug.getinfo(1, "l").currentline + 3
        says(("teams_spec.lua:%d: t:barrier"):format(line), function(t)
            while z[t:thread()] < 3 do
                t:barrier()
            end
        end)
        says("'-' is no associative operation", function(t) z[1] = t:reduce("-", 1) end)
        says("argument 3, what the first thread gets, is missing", function(t)
            z[1] = t:scan(function(a, b) return a + b end, 1)
        end)
        says("argument 4, what comes of no element, is missing", function(t)
            z[1] = t:reduce(function(a, b) return a + b end, 3, function(i) return i end)
        end)
        says("index 5 is out of range for 'threads of the team' of length 4", function(t) z[1] = t:broadcast(1, 5) end)
        says("t has no method 'memory'", function(t) z[1] = t:memory(3)[1] end)
    end)

    it("changes elements at once", function()
        -- By the threads of all teams, in any order: sums, bits and extremes have one result.
        local function change(t, h, reals, m, bits)
            local me = (t:block() - 1) * t:threads() + t:thread()
            lun.atomic.add(h, me % 7 + 1, me)
            lun.atomic.sub(h, 8, 1)
            lun.atomic.max(m, 1, 1, me)
            lun.atomic.min(m, 1, 2, -me)
            lun.atomic.bxor(m, 2, 1, me)
            lun.atomic.add(reals, 1, 0.5)
            lun.atomic.max(reals, 2, me)
            lun.atomic.min(reals, 3, -me * 0.25)
            lun.atomic.sub(reals, 4, 2)
            lun.atomic.bor(bits, 1, 1 << me % 60)
            lun.atomic.band(bits, 2, ~(1 << me % 60))
            if lun.atomic.cas(bits, 3, 0, me) == 0 then h[9] = me end
            if lun.atomic.exchange(bits, 4, 5) == 0 then h[10] = h[10] + 1 end
            local s = t:scratch("u32", 4)
            lun.atomic.add(s, me % 4 + 1, 1)
            t:barrier()
            t:single(function() reals[5] = s[1] + s[2] + s[3] + s[4] end)
        end
        local h, bits, reals = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }, { 0, -1, 0, 5 }, { 0.0, 0.0, 0.0, 0.0, 50.0 }
        local xor = 0
        for me = 1, 1000 do
            h[me % 7 + 1] = h[me % 7 + 1] + me
            h[8] = h[8] - 1
            bits[1] = bits[1] | 1 << me % 60
            bits[2] = bits[2] & ~(1 << me % 60)
            xor = xor ~ me
            reals[1], reals[4] = reals[1] + 0.5, reals[4] - 2
        end
        reals[2], reals[3] = 1000.0, -250.0
        everywhere(function()
            for _, dtype in ipairs { "f64", "f32" } do
                local given = lun.vector({ 0, -1, 0, 0 }, "i64")
                local counts, floats, m = lun.zeros(10, "i64"), lun.zeros(5, dtype), lun.zeros({ 2, 2 }, "i32")
                lun.teams { league = 20, team = 50 }(change, counts, floats, m, given)
                h[9], bits[3] = counts[9], counts[9]
                assert.is_true(counts[9] >= 1 and counts[9] <= 1000)
                assert.same(h, counts:totable())
                assert.same(bits, given:totable())
                assert.same(reals, floats:totable())
                assert.same({ { 1000, -1000 }, { xor, 0 } }, m:totable())
            end
        end)
    end)

    it("changes elements of 8 and 16 bits, whose neighbours other threads change", function()
        local function change(t, h, n)
            local me = (t:block() - 1) * t:threads() + t:thread()
            lun.atomic.add(h, me % n + 1, 1)
            lun.atomic.max(h, n + 1, me % 100)
            lun.atomic.min(h, n + 2, 100 - me % 50)
            if lun.atomic.cas(h, n + 3, 0, 7) == 0 then lun.atomic.add(h, n + 4, 1) end
            if lun.atomic.exchange(h, n + 5, 9) == 0 then lun.atomic.add(h, n + 6, 1) end
            lun.atomic.sub(h, n + 7, 1)
            local s = t:scratch("i8", 3)
            lun.atomic.add(s, 2, 1)
            t:barrier()
            t:single(function() lun.atomic.add(h, n + 8, s[2]) end)
        end
        everywhere(function()
            for _, t in ipairs { "i8", "u8", "i16", "u16", "f16", "bf16" } do
                local n, want = 13, {}
                local h = lun.zeros(n + 8, t)
                h[n + 2], h[n + 7] = 120, 127
                for k = 1, n do want[k] = 0 end
                for me = 1, 120 do want[me % n + 1] = want[me % n + 1] + 1 end
                for k, x in ipairs { 99, 51, 7, 1, 9, 1, 7, 120 } do want[n + k] = x end
                lun.teams { league = 15, team = 8 }(change, h, n)
                assert.same(want, h:cast "i64":totable(), t)
            end
        end)
    end)

    it("rounds sums of f16 and bf16 as additions do", function()
        everywhere(function()
            for t, values in pairs { f16 = { 2048.0, 1.0, 0.1, 65504.0, 6e-8 }, bf16 = { 256.0, 1.0, 0.1, 3e38, 1e-40 } } do
                local x = lun.vector(values, t)
                local n = #values
                local w = lun.zeros({ n, n }, t)
                w:set(x:reshape(n, 1))
                lun.teams { league = n, team = n }(function(g, to, from)
                    lun.atomic.add(to, g:block(), g:thread(), from[g:thread()])
                end, w, x)
                assert.equal((x:reshape(n, 1) + x:reshape(1, n)):eval():tobytes(), w:tobytes(), t)
            end
        end)
    end)

    it("changes elements in plain Lua, too", function()
        local a, b = lun.vector({ { 1, 2 }, { 3, 4 } }, "i32"), lun.vector({ 0, math.maxinteger }, "u64")
        assert.equal(3, lun.atomic.add(a, 2, 1, 7))
        assert.equal(10, lun.atomic.max(a, 2, 1, 9))
        assert.equal(10, lun.atomic.cas(a, 2, 1, 9, 5))
        assert.equal(10, lun.atomic.cas(a, 2, 1, 10, 5))
        assert.equal(4, lun.atomic.exchange(a, 2, 2, -1))
        assert.equal(2, lun.atomic.add(a, 1, 2, math.maxinteger >> 32))
        assert.same({ { 1, -2147483647 }, { 5, -1 } }, a:totable())
        assert.equal(0, lun.atomic.sub(b, 1, 1))
        assert.equal(-1, lun.atomic.min(b, 1, 17))
        assert.equal(17, b[1])
        local f = lun.vector { 0.5, 1.5 }
        assert.equal(0.5, lun.atomic.add(f, 1, 2))
        assert.equal(1.5, lun.atomic.min(f, 2, 0.0 / 0.0))
        assert.is_true(f[1] == 2.5 and f[2] ~= f[2])
        refused("index 3 is out of range: 1 to 2", lun.atomic.add, a, 3, 1, 1)
        refused("does not fit into dtype i32", lun.atomic.add, a, 1, 1, 1 << 40)
        for _, t in ipairs { "i8", "u8", "i16", "u16", "f16", "bf16" } do
            local w = lun.vector({ 3, 4 }, t)
            assert.equal(3, lun.atomic.add(w, 1, 5))
            assert.equal(8, lun.atomic.cas(w, 1, 8, 2))
            assert.equal(4, lun.atomic.max(w, 2, 3))
            assert.same({ 2, 4 }, w:cast "i64":totable())
        end
        refused("on elements of f64: it is for integers", lun.atomic.bor, f, 1, 1)
        refused("on elements of bf16: it is for integers", lun.atomic.bxor, lun.zeros(2, "bf16"), 1, 1)
        refused("on elements of bool: it is for numbers", lun.atomic.add, lun.zeros(2, "bool"), 1, 1)
        local one = { league = 1 }
        refused("lun.atomic.add on elements of bool", lun.teams(one), function(_, w) lun.atomic.add(w, 1, 1) end,
            lun.zeros(2, "bool"))
        refused("'w' has 1 dimension: so many indices, then 1 value", lun.teams(one),
            function(_, w) lun.atomic.add(w, 1, 1, 1) end, f)
        refused("'w' has 1 dimension: so many indices, then 2 values", lun.teams(one),
            function(_, w) lun.atomic.cas(w, 1, 1) end, f)
        refused("is for functions of lun.teams and tasks", lun.each, 2, function(i) f[i] = lun.atomic.add(f, i, 1) end)
        refused("index 3 is out of range for array 'f'", lun.teams(one), function() lun.atomic.add(f, 3, 1) end)
        refused("number 1099511627776 does not fit in i32", lun.teams(one),
            function(t) lun.atomic.add(a, 1, 1, t:block() << 40) end)
    end)

    it("finds races, and names both threads", function()
        local before = lun.use()
        lun.use "reference"
        local w, A = lun.zeros(100), lun.zeros({ 4, 5 }, "i32")
        local function finds(text, league, team, f)
            refused(text, function() lun.teams { league = league, team = team, check = true }(f) end)
        end
        local function well(league, team, f) lun.teams { league = league, team = team, check = true }(f) end
        finds("w[17] is written by threads 3 and 9 of team 2", 2, 10, function(t)
            if t:block() == 2 and t:thread() % 6 == 3 then w[17] = 1 end
        end)
        finds("w[1] is written by thread 1 of team 1 and thread 1 of team 2", 2, 10, function(t) w[t:thread()] = 1 end)
        finds("w[2] is written by thread 2 and read by thread 1 of team 1", 1, 10, function(t)
            w[t:thread()] = 1
            w[t:thread() + 20] = w[t:thread() % 10 + 1]
        end)
        finds("w[5] is read by thread 7 of team 3 and written by thread 2 of team 4", 4, 1000, function(t)
            if t:block() == 3 and t:thread() == 7 then w[6] = w[5] end
            t:barrier()
            if t:block() == 4 and t:thread() == 2 then w[5] = 1 end
        end)
        finds("A[2][2] is written by threads 1 and 6 of team 1", 1, 10, function(t) A[2][t:thread() % 5 + 1] = 1 end)
        finds("scratch[2][1][3] is written by threads 1 and 4 of team 2", 2, 7, function(t)
            local s = t:scratch("f64", 2, 2, 3)
            if t:block() == 2 and t:thread() % 3 == 1 then s[2][1][3] = 1 end
            w[t:block()] = t:thread() == 1 and s[1][1][1] or 0
        end)
        finds("scratch[2] is written by threads 1 and 4 of team 1", 2, 7, function(t)
            local s = t:scratch("f64", 3)
            s[t:thread() % 3 + 1] = 1
            w[1] = 1
        end)
        finds("is changed at once by thread 10 of team 2 and written by thread 3 of team 1", 2, 10, function(t)
            lun.atomic.add(w, 1, 1)
            if t:thread() == 3 then w[1] = 2 end
        end)
        finds("w[4] is changed at once by thread 1 and read by thread 2 of team 1", 1, 2, function(t)
            if t:thread() == 1 then lun.atomic.max(w, 4, 1) else w[5] = w[4] end
        end)
        well(3, 100, function(t)
            local s, me = t:scratch("f64", 100), t:thread()
            s[me] = me
            lun.atomic.add(w, 1, 1)
            t:barrier()
            local x = s[101 - me] + t:reduce("+", me) + t:broadcast(me, 7) + A[2][3]
            t:barrier()
            s[101 - me] = x
            if me == 7 then w[t:block() + 1] = s[94] end
        end)
        assert.equal(94 + 5050 + 7, w[2] - (A[2][3] + 0.0))
        lun.use "openmp"
        refused("check=true is for the backend reference, not openmp", function()
            lun.teams { league = 1, check = true }(function() w[1] = 1 end)
        end)
        refused("check: true or false", function() lun.teams { league = 1, check = 1 } end)
        lun.use(before)
    end)

    it("has scratch memory as large as an argument, a captured number or an array says, without new kernels", function()
        local rows = 2
        local function turn(t, v, n)
            local s, u = t:scratch("f64", 2 * n - 1), t:scratch("i32", rows + 1, n, 2)
            for i = t:thread(), 2 * n - 1, t:threads() do s[i] = s[i] + i * t:block() end
            for i = t:thread(), n, t:threads() do
                for k = 1, rows + 1 do u[k][i][2] = u[k][i][1] + u[k][i][2] + k * i end
            end
            t:barrier()
            local a = 0.0
            for i = 1, 2 * n - 1 do a = a * 0.5 + s[i] end
            for i = 1, n do a = a + u[rows + 1][n + 1 - i][2] * i end
            v[t:index()] = a
        end
        everywhere(function()
            local kernels
            for _, n in ipairs { 3, 17, 4, 300, 1 } do
                for k = 0, 3, 3 do
                    rows = k
                    same({ league = 3, team = 4 }, 12, "f64", turn, n)
                end
                kernels = kernels or lun.stats().kernels
                assert.equal(kernels, lun.stats().kernels)
            end
            local x, kept = lun.zeros(5, "i64"), lun.vector({ 1, 2 }, "i64"):matmul(lun.ones(2, "i64"))
            lun.teams { league = 2, team = 5 }(function(t, a, n)
                local s, u = t:scratch("i64", #a), t:scratch("i64", n + 3)
                s[t:thread()] = t:index()
                u[n + kept] = t:scratch("i64", 2 * kept)[6] + 100
                t:barrier()
                if t:block() == 2 then a[t:thread()] = s[#a + 1 - t:thread()] + u[n + kept] + u[1] end
            end, x, lun.vector({ 2, 3 }, "i64"):matmul(lun.ones(2, "i64")))
            assert.same({ 110, 109, 108, 107, 106 }, x:totable())
        end)
    end)

    it("refuses numbers of elements that are none, with the line that asks for the memory", function()
        local z, m = lun.zeros(4), 3
        local line = debug.getinfo(1, "l").currentline
        local function asks(t, v, n)
            local s = t:scratch("f64", n, 3)
            s[1][1] = 1
            v[1] = s[1][2]
        end
        everywhere(function()
            local function wrong(words, n)
                refused(("teams_spec.lua:%d: t:scratch: the number of elements is %s"):format(line + 2, words),
                    lun.teams { league = 2 }, asks, z, n)
            end
            wrong("0, not 1 to 2147483647", 0)
            wrong("-7, not 1 to 2147483647", -7)
            wrong("3000000000, not 1 to 2147483647", 1000000000)
            wrong("9223372036854775807, not 1 to", math.maxinteger)
            wrong("2.5, which is no integer of 1 to 2147483647", 2.5)
            wrong("NaN, which is no integer", 0 / 0)
            wrong("inf, which is no integer", math.huge)
            wrong("1e+300, which is no integer", 1e300)
            local huge = lun.vector({ -1 }, "i64"):cast "u64"
            wrong("1.844674407371e+19, which is no integer", huge:matmul(lun.ones(1, "u64")))
            lun.teams { league = 2 }(asks, z, 4.0)
            local ok, err = pcall(lun.teams { league = 2 }, asks, z, 0)
            assert.equal("EBOUNDS", not ok and err.code)
            refused("more than scratch=8 says", lun.teams { league = 2, scratch = 8 }, asks, z, 1)
            refused("and 64 run at once: that is more than", lun.teams { league = 64 }, asks, z, 500000000)
            refused("index 4 is out of range for axis 1 of 'scratch', whose extent is given", lun.teams { league = 1 },
                function(t, v, n) local s = t:scratch("f64", n, 3) s[n + 1][1] = 1 v[1] = s[1][1] end, z, 3)
            refused("index 4 is out of range for axis 2 of 'scratch' (length 3)", lun.teams { league = 1 },
                function(t, v, n) local s = t:scratch("f64", n, 3) s[1][n + 1] = 1 v[1] = s[1][1] end, z, 3)
        end)
        for _, f in ipairs {
            function(t, v, n) v[1] = t:scratch("f64", n * n)[1] end, function(t, v, n) v[1] = t:scratch("f64", n // 2)[1] end,
            function(t, v, n) v[1] = t:scratch("f64", n + m)[1] end, function(t, v) v[1] = t:scratch("f64", t:block())[1] end,
            function(t, v) v[1] = t:scratch("f64", t:thread())[1] end, function(t, v) v[1] = t:scratch("f64", v[1])[1] end,
            function(t, v, n) v[1] = t:scratch("f64", n > 2)[1] end, function(t, v) v[1] = t:scratch("f64", v)[1] end,
            function(t, v) v[1] = t:scratch("f64", "3")[1] end, function(t, v) v[1] = t:scratch("f64")[1] end,
        } do
            refused("t:scratch: the number of elements is an integer that is known before the kernel runs, the same for all",
                lun.teams { league = 2, team = 2 }, f, z, 3)
        end
        refused("t:private: the number of elements is an integer that is known before the kernel runs", lun.teams { league = 1 },
            function(t, v, n) v[1] = t:private("f64", n)[1] end, z, 3)
        lun.use "reference"
        refused("scratch[2][1] is written by threads 1 and 2 of team 1", lun.teams { league = 1, team = 2, check = true },
            function(t, v, n) local s = t:scratch("f64", n, 3) s[2][1] = t:thread() v[1] = 1 end, z, 3)
        lun.use(lun.backends()[1])
    end)

    it("shares the threads of a team out among the host's, with the same results", function()
        local function turn(t, v, rounds)
            local s, me = t:scratch("i64", t:threads()), t:thread()
            local own = t:block() * me
            s[me] = t:index()
            t:barrier()
            for k = 1, rounds + t:block() % 2 do
                local y = s[t:threads() + 1 - me] + own
                t:barrier()
                s[me] = y // 2 + k
                t:barrier()
                if t:reduce("max", s[me]) > 2000 then break end
            end
            local z, before = t:reduce("+", s[me]), t:scan("+", own)
            local u = t:broadcast(z + me, t:threads())
            t:single(function() s[1] = s[1] + 100 end)
            v[t:index()] = s[me] + own + z * 3 + before + u + s[1] * 7
        end
        everywhere(function()
            for _, team in ipairs { 1, 2, 3, 7, 64, 300 } do
                same({ league = 5, team = team, mapping = "threads" }, 5 * team, "i64", turn, 3)
            end
            same({ league = 70, team = { 2, 3 }, mapping = "blocks" }, 420, "i64", turn, 5)
        end)
    end)

    it("ends with a failure of some thread of a team, wherever the others wait", function()
        local z, how = lun.zeros(48, "i64"), { league = 3, team = 16, mapping = "threads" }
        local function strays(t, v, n)
            local s = t:scratch("i64", 16)
            s[t:thread()] = 1
            t:barrier()
            if t:block() == 2 and t:thread() >= n then s[t:thread() + 7] = 2 end
            t:barrier()
            v[t:index()] = s[17 - t:thread()]
        end
        everywhere(function()
            for round = 1, 20 do
                local first = round % 7 + 10
                refused(("index %d is out of range for 'scratch' of length 16"):format(first + 7), lun.teams(how), strays, z, first)
                lun.teams(how)(strays, z, 17)
                assert.equal(48, z:sum())
            end
        end)
        refused('mapping: "blocks" or "threads", got team', lun.teams, { league = 1, mapping = "team" })
        refused('mapping: "blocks" or "threads", got 1', lun.teams, { league = 1, mapping = 1 })
    end)

    it("meets the same on any number of the host's threads, interpreted and compiled, and stops", function()
        local text = [[
            local v = lun.zeros(3 * 40, "i64")
            for round = 1, 3 do
                lun.teams { league = 3, team = 40, mapping = "threads" }(function(t)
                    local s, me = t:scratch("i64", 40), t:thread()
                    s[me] = t:index() * round
                    t:barrier()
                    for k = 1, 50 do
                        local y = s[me % 40 + 1] + s[41 - me]
                        t:barrier()
                        s[me] = y % 1000003 + k
                        t:barrier()
                    end
                    v[t:index()] = s[me] + t:reduce("+", s[me])
                end)
            end
            local h = 7
            for i = 1, #v do h = (h * 31 + v[i]) % 1000000007 end
            print(h)]]
        local endless = [[
            local v = lun.zeros(3 * 40, "i64")
            lun.teams { league = 2, team = 8, mapping = "threads" }(function(t)
                local k = 1
                while k > 0 do
                    v[t:index()] = k
                    t:barrier()
                    k = k % 1000 + 1
                end
            end)]]
        local path, path_of_endless, wanted = shell.write(os.tmpname(), text), shell.write(os.tmpname(), endless), nil
        local function run(threads, jit, words)
            return (shell.capture(("LUNARRAY_THREADS=%s LUNARRAY_JIT=%s %s %s 2>&1"):format(threads, jit, shell.interpreter(), words)))
        end
        for _, way in ipairs { "1 off", "2 off", "2 sync", "3 sync", "5 sync" } do
            local threads, jit = way:match "(%d) (%a+)"
            local out = run(threads, jit, path)
            wanted = wanted or out:match "^%d+\n$"
            assert.equal(wanted, out, way)
            assert.matches("time limit reached", run(threads, jit, "--time-limit 1 " .. path_of_endless), 1, true)
        end
        os.remove(path)
        os.remove(path_of_endless)
    end)

    it("goes on in parts when memory of teams is large", function()
        local n = 300
        local v = lun.zeros(n, "i64")
        lun.teams { league = n }(function(t)
            local s = t:scratch("i64", 20000)
            s[20000] = s[20000] + t:block()
            s[1] = s[1] + 1
            v[t:block()] = s[20000] + s[1]
        end)
        assert.is_true(v:eq(lun.range(1, n) + 1):all())
    end)

    it("is lowered anew where a launch differs from the last one", function()
        local function ramp(t, y, k)
            local n = 2 + t:elements()
            local s = t:private("i64", n)
            for i = 1, n do s[i] = i * k end
            y[t:block()] = s[n]
        end
        local function sum(t, y, x)
            local s = t:scratch("i64", t:threads())
            s[t:thread()] = x[t:thread()]
            t:barrier()
            if t:thread() == 1 then y[t:block()] = s[t:threads()] * 10 + s[1] end
        end
        everywhere(function()
            for round = 1, 3 do
                for elements = 1, 3 do
                    local y = lun.zeros(round + elements, "i64")
                    lun.teams { league = round, elements = elements }(ramp, y, round)
                    local wanted = {}
                    for i = 1, #y do wanted[i] = i <= round and (2 + elements) * round or 0 end
                    assert.same(wanted, y:totable())
                end
                for team = 1, 4 do
                    local y = lun.zeros(2, "i64")
                    lun.teams { league = 2, team = team }(sum, y, lun.range(round, round + team - 1))
                    assert.same({ (round + team - 1) * 10 + round, (round + team - 1) * 10 + round }, y:totable())
                end
            end
        end)
        local before = lun.use()
        local y = lun.zeros(100, "i64")
        for k = 1, 200 do -- more than are remembered, and back to the first ones
            lun.use(k % 2 == 0 and before or "reference")
            local f = load("local k = ... return function(t, y) y[t:block()] = y[t:block()] + k + " .. k % 100 .. " end")(k)
            lun.teams { league = 100 }(f, y)
        end
        lun.use(before)
        assert.equal(200 * 201 // 2 + 2 * 99 * 100 // 2, y[100])
    end)

    it("names what fails as it is in this launch", function()
        local function put(t, y, i) y[i] = t:block() end
        everywhere(function()
            for n = 3, 5 do
                local y = lun.zeros(n, "i64")
                lun.teams { league = 1 }(put, y, n)
                assert.equal(1, y[n])
                refused(("index %d is out of range for array 'y' of length %d"):format(n + 1, n), function(...)
                    lun.teams { league = 1 }(put, ...)
                end, y, n + 1)
            end
        end)
    end)

    it("does nothing where a team of that size assigns nothing", function()
        local function store(t, y) y[t:block()] = 1 end
        local ways = {
            function(t, y) if t:thread() == 2 then y[t:block()] = 1 end end,
            function(t, y) if t:threads() > 1 then y[t:block()] = 1 end end,
            function(t, y) if t:threads() > 1 then store(t, y) end end,
            function(t, y) if t:threads() > 1 then lun.atomic.add(y, t:block(), 1) end end,
            function(t, y)
                local s = t:scratch("f64", 3)
                s[1] = 1
                t:barrier()
                if t:threads() > 1 then y[t:block()] = s[1] end
            end,
        }
        everywhere(function()
            for number, f in ipairs(ways) do
                for team = 1, 2 do
                    local y = lun.zeros(3)
                    lun.teams { league = 3, team = team }(f, y)
                    local x = number == 4 and team == 2 and 2 or team - 1
                    assert.same({ x * 1.0, x * 1.0, x * 1.0 }, y:totable())
                end
            end
        end)
    end)

    it("spreads few teams, with the bits of one thread", function()
        local function heavy(t, y, k)
            local sum = 0.0
            for i = 1, k do sum = sum + math.sqrt(i + sum) end
            y[t:block()] = sum * t:block()
        end
        for _, n in ipairs { 1, 2, 3, 8, 63, 64, 65, 130 } do
            local y, wanted, sum = lun.zeros(n), {}, 0.0
            for i = 1, 300 do sum = sum + math.sqrt(i + sum) end
            for i = 1, n do wanted[i] = sum * i end
            for _ = 1, 6 do -- by one thread and by several
                y:fill(0)
                lun.teams { league = n }(heavy, y, 300)
                assert.same(wanted, y:totable())
            end
        end
    end)

    it("says what is wrong, and where", function()
        local z, u = lun.zeros(64, "i32"), lun.zeros(3, "u8")
        local function says(text, how, f, ...)
            refused(text, function(...) lun.teams(how)(f, ...) end, ...)
        end
        everywhere(function()
            says("index 65 is out of range for array 'z' of length 64", { league = 65 }, function(t) z[t:block()] = 1 end)
            says("index 3 is out of range for 'scratch' of length 2", { league = 1 }, function(t)
                local s = t:scratch("f64", 2)
                s[t:block() + 2] = 1
                z[1] = 2
            end)
            says("number 300 does not fit in u8", { league = 1 }, function() u[1] = 300 end)
            says("index 3 is out of range for 'private' of length 2", { league = 1 }, function(t)
                local own = t:private("f64", 2)
                own[t:block() + 2] = 1
                z[1] = 2
            end)
        end)
        local one = { league = 1 }
        says("a float is assigned to 'z'", one, function() z[1] = 1.5 end)
        says("a team of 2000 threads: 1024 is the most; make more teams, or give each thread more elements",
            { league = 1, team = 2000 }, function() z[1] = 1 end)
        for _, team in ipairs { 5000, { 32, 32, 2 } } do
            local ok, err = pcall(lun.workdiv, { 10, 10, 10 }, { team = team })
            assert.equal("ELIMIT", not ok and err.code)
            refused("threads: 1024 is the most", lun.workdiv, { 10, 10, 10 }, { team = team })
        end
        refused("in all", lun.workdiv, math.maxinteger)
        assert.same({ 1, 1, 1 }, lun.workdiv(1000, { team = 1024 }).league)
        local kept = {}
        says("assignment to an element or field", one, function(t) kept.t = t z[1] = 1 end)
        assert.is_nil(next(kept))
        says("t has no method 'foo'", one, function(t) t:foo() end)
        says("assigns no element of an array", one, function(t) local i = t:block() return i end)
        says("'z', which the function assigns, shares elements with 'a': hand it over once, or a copy", one,
            function(_, a) z[1] = a[2] end, z)
        says("league is missing", {}, function() z[1] = 1 end)
        says("an extent is an integer of 1 or more, got 0", { league = 0 }, function() z[1] = 1 end)
        says("1 to 8 extents expected, got 9", { league = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } }, function() z[1] = 1 end)
        says("unknown option 'teams'", { league = 1, teams = 2 }, function() z[1] = 1 end)
        local function much(t) -- 32 GB for each team, and 64 of them at once
            local s, own = t:scratch("f64", 2147483647), t:private("f64", 2147483647)
            s[1] = 1
            own[1] = s[1]
        end
        everywhere(function()
            says("a team takes 34359738352 bytes of scratch and private memory, and 64 run at once: that is more than",
                { league = 100 }, function(t) much(t) z[1] = 1 end)
            local ok, err = pcall(lun.teams { league = 100 }, function(t) much(t) z[1] = 1 end)
            assert.equal("ELIMIT", not ok and err.code)
        end)
        says("a team takes 16 bytes of scratch memory, more than scratch=8", { league = 1, scratch = 8 }, function(t)
            t:scratch("f64", 2)[1] = 1
            z[1] = 1
        end)
        says("argument 1 is 'f65', not the name of a dtype, such as 'f64'", one, function(t) t:scratch("f65", 2)[1] = 1 end)
        says("argument 1 is the name of a dtype, such as 'f64'", one, function(t) t:scratch(2)[1] = 1 end)
        says("the number of elements is an integer that is known", one, function(t) t:scratch("f64", z[1])[1] = 1 end)
        says("a dimension is 9, not 1 to 8", one, function(t) z[t:block(9)] = 1 end)
        says("argument 2 is a function", one, function(t) t:each(3, 4) end)
        says("Lua function or C source expected, got number", one, 42)
        says("#2 to 'teams' (array or number expected, got string)", one, function(_, x) z[1] = x end, "x")
        says("a method of t is called: t:block(...)", one, function(t) z[1] = t.block() end)
        refused("a method call is not supported", function() lun.map(function(x) return x:foo() end)(z) end)
        assert.are.equal(64, #z)
    end)
end)
