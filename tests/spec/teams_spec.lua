-- lun.teams: functions run for each thread of each team. The oracle is plain Lua: the same functions called with a
-- table in the place of t, for one thread after the other.
local lun = require "lunarray"
local expect = require "expect"

local everywhere, refused = expect.everywhere, expect.failure

local function three(x) return type(x) == "table" and { x[1], x[2] or 1, x[3] or 1 } or { x or 1, 1, 1 } end

local function split(number, extent)
    number = number - 1
    return { number // (extent[2] * extent[3]) + 1, number // extent[3] % extent[2] + 1, number % extent[3] + 1 }
end

-- What t is in plain Lua, of one thread of one team.
local function plain(league, team, elements, block, thread)
    local t = {}
    local at, mine = split(block, league), split(thread, team)
    local function all(x) return x[1] * x[2] * x[3] end
    function t.block(_, d) return d and at[d] or block end
    function t.blocks(_, d) return d and league[d] or all(league) end
    function t.thread(_, d) return d and mine[d] or thread end
    function t.threads(_, d) return d and team[d] or all(team) end
    function t.elements(_, d) return d and elements[d] or all(elements) end
    function t:index(d)
        return ((self:block(d) - 1) * self:threads(d) + self:thread(d) - 1) * self:elements(d) + 1
    end
    function t.private(_, _, n)
        local memory = {}
        for i = 1, n do memory[i] = 0 end
        return memory
    end
    t.scratch = t.private -- of teams of one thread
    function t:barrier() return self end
    function t:vector(n, g) for i = 1, n do g(i) end return self end
    t.each = t.vector
    function t:single(g) g() return self end
    return t
end

local function run_plain(how, f, ...)
    local league, team, elements = three(how.league), three(how.team), three(how.elements)
    for block = 1, league[1] * league[2] * league[3] do
        for thread = 1, team[1] * team[2] * team[3] do f(plain(league, team, elements, block, thread), ...) end
    end
end

-- f on a Vector of n zeros, and on a table in plain Lua, gives the same.
local function same(how, n, dtype, f, ...)
    local v, list = lun.zeros(n, dtype), {}
    for i = 1, n do list[i] = 0 end
    lun.teams(how)(f, v, ...)
    run_plain(how, f, list, ...)
    assert.same(list, v:totable())
end

describe("lun.teams", function()
    it("numbers threads, teams and elements, in up to three dimensions", function()
        local function along(t, v, at, d)
            v[at + d] = t:block(d)
            v[at + 3 + d] = t:thread(d)
            v[at + 6 + d] = t:blocks(d) * 100 + t:threads(d) * 10 + t:elements(d)
            v[at + 9 + d] = t:index(d)
        end
        local function numbers(t, v)
            local at = ((t:block() - 1) * t:threads() + t:thread() - 1) * 18
            along(t, v, at, 1)
            along(t, v, at, 2)
            along(t, v, at, 3)
            v[at + 13] = t:block()
            v[at + 14] = t:blocks()
            v[at + 15] = t:thread()
            v[at + 16] = t:threads()
            v[at + 17] = t:elements()
            v[at + 18] = t:index()
        end
        everywhere(function()
            for _, how in ipairs {
                { league = 7 }, { league = 1, team = 5 }, { league = { 2, 3, 4 } }, { league = 3, team = 4, elements = 5 },
                { league = { 2, 3 }, team = { 3, 2 }, elements = { 1, 4 } },
                { league = { 2, 1, 3 }, team = { 1, 2, 3 }, elements = { 2, 3, 4 } }, { league = 70, team = "auto" },
            } do
                local team = how.team ~= "auto" and three(how.team) or three(1)
                local league = three(how.league)
                local n = 18 * team[1] * team[2] * team[3] * league[1] * league[2] * league[3]
                local spoken = { league = how.league, team = team, elements = how.elements }
                local v, list = lun.zeros(n, "i64"), {}
                for i = 1, n do list[i] = 0 end
                lun.teams(how)(numbers, v)
                run_plain(spoken, numbers, list)
                assert.same(list, v:totable())
            end
        end)
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
        end)
        local one = { league = 1 }
        says("a float is assigned to 'z'", one, function() z[1] = 1.5 end)
        says("t:barrier: threads that wait for one another are in teams of one thread so far: team=1, not 2",
            { league = 1, team = 2 }, function(t) z[1] = 1 t:barrier() end)
        says("a team of 2000 threads: 1024 is the most", { league = 1, team = 2000 }, function() z[1] = 1 end)
        says("t has no method 'foo'", one, function(t) t:foo() end)
        says("assigns no element of an array", one, function(t) local i = t:block() return i end)
        says("hand it over once, or a copy", one, function(_, a) z[1] = a[2] end, z)
        says("league is missing", {}, function() z[1] = 1 end)
        says("an extent is an integer of 1 or more, got 0", { league = 0 }, function() z[1] = 1 end)
        says("1 to 3 extents expected, got 4", { league = { 1, 2, 3, 4 } }, function() z[1] = 1 end)
        says("unknown option 'teams'", { league = 1, teams = 2 }, function() z[1] = 1 end)
        says("a team takes 16 bytes of scratch memory, more than scratch=8", { league = 1, scratch = 8 }, function(t)
            t:scratch("f64", 2)[1] = 1
            z[1] = 1
        end)
        says("argument 1 is the name of a dtype", one, function(t) t:scratch("f65", 2)[1] = 1 end)
        says("the number of elements is an integer that is known", one, function(t) t:scratch("f64", z[1])[1] = 1 end)
        says("a dimension is 4, not 1 to 3", one, function(t) z[t:block(4)] = 1 end)
        says("argument 2 is a function", one, function(t) t:each(3, 4) end)
        says("Lua function expected, got number", one, 42)
        says("a method of t is called: t:block(...)", one, function(t) z[1] = t.block() end)
        refused("a method call is not supported", function() lun.map(function(x) return x:foo() end)(z) end)
        assert.are.equal(64, #z)
    end)
end)
