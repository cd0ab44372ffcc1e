-- Elements that functions index on several places: each place has those that its indices can reach. The oracle is the same
-- function on a Lua table; lun.explain tells what the counters then count.
local lun = require "lunarray"
local moves = require "moves"
local onplaces = require "onplaces"

local DEVICES, SETS = onplaces.devices, onplaces.sets
local PROGRAM = (os.getenv "BUILD" or "build") .. "/lunarray"

onplaces.restore(before_each, after_each)

-- Of an array, or a table, of n elements: a function of an index; what it can reach of index i, from where to where, where
-- that is less than all.
local FORMS = {
    { function(v, n) return function(i) if i > 1 and i < n then return v[i - 1] * 2 + v[i + 1] end return v[i] end end,
        function(i) return i - 1, i + 1 end },
    { function(v, n) return function(i) return v[math.min(i + 3, n)] - v[math.max(i - 2, 1)] end end,
        function(i) return i - 2, i + 3 end },
    { function(v, n) return function(i) if i * 3 + 1 <= n then return v[3 * i + 1] end return -v[(i + 1) // 2] end end,
        function(i) return (i + 1) // 2, 3 * i + 1 end },
    { function(v, n) return function(i) return v[n + 1 - i] end end, function(i, n) return n + 1 - i, n + 1 - i end },
    { function(v, n) return function(i) return v[i % n + 1] - v[(i - 2) % n + 1] end end },
    { function(v, n)
        return function(i)
            local j = i - 4
            if j < 1 then j = 1 elseif i > n - 2 then j = n end
            return v[j] + 1
        end
    end },
    { function(v, n)
        return function(i)
            local s = v[i]
            for k = 1, 3 do if i + k <= n then s = s * 2 + v[i + k] end end
            return s
        end
    end, function(i) return i, i + 3 end },
    { function(v, n) return function(i) if i > n then return v[i + 7] end return v[(math.tointeger(v[i] // 1) * 5 + i) % n + 1] end end },
    { function(v, n) return function(i) if i > 2 * n then return v[i] end return i * v[1] end end },
    { function(v, n)
        local r = 20
        return function(i)
            local s = 0
            for k = math.max(i - r, 1), math.min(i + r, n) do s = s + v[k] * (k - i) end
            return s
        end
    end, function(i) return i - 20, i + 20 end },
    { function(v, n)
        return function(i)
            local s = 0
            for a = 0, 9 do
                for b = i + a, i + 2 * a do s = s + v[math.min(b, n)] end
                for b = 30, 0, -1 do if i - b >= 1 then s = s - v[i - b] end end
            end
            return s
        end
    end, function(i) return i - 30, i + 18 end },
    { function(v, n) -- which does not count
        return function(i)
            local s, k = 0, i
            while k ~= i % 2 + 1 do s, k = s + v[k], (k > 4 and k + 1 or k - 1) % n + 1 if s > 40 then break end end
            return s
        end
    end },
    { function(v, n)
        return function(i)
            local s, k = v[1], 1
            while k * k <= i and k <= n do s, k = s + v[k], k + 1 end
            return s
        end
    end },
}

local SIZES = DEVICES and { 1, 65, 1000 } or { 1, 2, 3, 63, 64, 65, 1000, 16383, 16384, 16385 }
local DTYPES = DEVICES and { "f64" } or { "f64", "f32", "i32" }

local function values(n)
    local list = {}
    for i = 1, n do list[i] = i * 7 % 11 end
    return list
end

describe("elements that a function indexes", function()
    it("are those of the array, with what explain tells", function()
        for f, form in ipairs(DEVICES and table.move(FORMS, 1, 3, 1, { nil, nil, nil, FORMS[8] }) or FORMS) do
            for s, n in ipairs(SIZES) do
                local list = values(n)
                local plain, wanted = form[1](list, n), {}
                for i = 1, n do wanted[i] = plain(i) end
                for k, set in ipairs(SETS) do
                    lun.use(set)
                    local what = ("form %d of %d elements on %s"):format(f, n, set)
                    local dtype = f == 8 and "i32" or DTYPES[(s + k) % #DTYPES + 1]
                    local v = lun.eval(lun.vector(list, dtype):distribute("block") + 0)
                    local e = lun.map(form[1](v, n))(lun.index(n))
                    moves.counted(function() lun.eval(e) end, moves.told(e), what)
                    for i, x in ipairs(e:totable()) do
                        if x ~= wanted[i] then error(("%s: element %d is %s, not %s"):format(what, i, x, wanted[i])) end
                    end
                end
            end
        end
    end)

    it("are moved where a place's indices reach them, and no others", function()
        local n, p = 1000, select("#", lun.use(SETS[1]))
        for f, form in ipairs(FORMS) do
            if form[2] and not (DEVICES and f > 2) then
                local v = lun.eval(lun.vector(values(n)):cast("f64"):distribute("block") + 0)
                local bytes = 0
                for k = 1, p do
                    local first, last = (k - 1) * (n // p) + 1, k == p and n or k * (n // p)
                    local lo, hi = n, 1
                    for i = first, last, math.max(1, last - first) do
                        local a, b = form[2](i, n)
                        lo, hi = math.min(lo, a), math.max(hi, b)
                    end
                    lo, hi = math.max(lo, 1), math.min(hi, n)
                    for i = lo, hi do bytes = bytes + ((i < first or i > last) and 8 or 0) end
                end
                local e = lun.map(form[1](v, n))(lun.index(n))
                local told = moves.told(e)
                assert.equal(bytes, told.bytes_moved + told.bytes_to_device, "form " .. f)
                moves.counted(function() lun.eval(e) end, told, "form " .. f)
            end
        end
    end)

    it("of teams that write copies are those of a place's teams", function()
        local function add(t, sums, x)
            local last = #x
            for i = t:index(), math.min(t:index() + t:elements() - 1, last) do
                local v = x[i] * 3
                if i > 2 then v = v - x[i - 2] end
                lun.atomic.add(sums, 1 + i % 7, v + x[math.min(i + 1, last)])
            end
        end
        local function meet(t, sums, x) -- by way of memory nothing is known
            local s = t:scratch("i64", 1)
            if t:thread() == 1 then s[1] = math.min(t:block(), #x) end
            t:barrier()
            if t:index() <= #x then lun.atomic.add(sums, 1 + t:index() % 7, x[s[1]] + x[t:index()]) end
        end
        for _, set in ipairs(SETS) do
            local p = select("#", lun.use(set))
            for _, n in ipairs { 1, 63, 64, 65, 1000, 16385 } do
                local list, wanted, met = values(n), { 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 0 }
                for i = 1, n do
                    local e = 1 + i % 7
                    wanted[e] = wanted[e] + list[i] * 3 - (list[i - 2] or 0) + list[math.min(i + 1, n)]
                    met[e] = met[e] + list[(i - 1) // 4 + 1] + list[i]
                end
                local x = lun.vector(list, "i64")
                local sums = lun.zeros(7, "i64"):copy():distribute "copy"
                lun.teams { league = 1 }(function(t) lun.atomic.add(sums, t:block(), 0) end) -- the copies begin
                local before = lun.stats()
                lun.teams(lun.workdiv(n, { elements = 4 }))(add, sums, x)
                local after, bytes, league = lun.stats(), 0, (n + 3) // 4
                for k = 1, p do
                    local first, last = (k - 1) * (league // p), k == p and league or k * (league // p)
                    local lo, hi = math.max(4 * first - 1, 1), math.min(4 * last + 1, n)
                    if last > first then bytes = bytes + 8 * (hi - lo + 1) end
                end
                if not DEVICES then assert.equal(bytes, after.bytes_to_device - before.bytes_to_device) end
                assert.same(wanted, sums:totable())
                local others = lun.zeros(7, "i64"):copy():distribute "copy"
                lun.teams { league = league, team = 4 }(meet, others, x)
                assert.same(met, others:totable())
            end
        end
    end)

    it("of several axes are rows", function()
        local rows, columns = 12, 50
        local p = select("#", lun.use(SETS[1]))
        local A = lun.eval(lun.range(1, rows * columns):cast("f64"):reshape(rows, columns):distribute("block") + 0)
        local e = lun.map(function(k)
            local i, j = (k - 1) // columns + 1, (k - 1) % columns + 1
            if i == rows then return A[i][j] end
            return A[i + 1][j] - A[i][j]
        end)(lun.index(rows * columns))
        local told = moves.told(e)
        assert.equal((p - 1) * columns * 8, told.bytes_moved + told.bytes_to_device)
        moves.counted(function() lun.eval(e) end, told)
        local list = e:totable()
        for k = 1, rows * columns do
            assert.equal(k > (rows - 1) * columns and k or columns, list[k])
        end
    end)

    it("are so in machine code, too", function()
        if DEVICES then return end
        local script = os.tmpname()
        local file = assert(io.open(script, "w"))
        file:write [[local lun = require "lunarray"
            lun.use "openmp/3"
            for _, n in ipairs { 65, 1000 } do
                local v = lun.eval(lun.range(1, n):cast("f64"):distribute("block") + 0)
                local near = lun.map(function(i) if i > 1 and i < n then return v[i - 1] + v[i + 1] end return 2 * v[i] end)
                local far = lun.map(function(i) if i * 3 + 1 <= n then return v[3 * i + 1] end return 3.0 * i + 1 end)
                print((near(lun.index(n)) - 2 * lun.index(n)):abs():sum(), (far(lun.index(n)) - 3 * lun.index(n)):sum())
            end]]
        file:close()
        local run = assert(io.popen(("LUNARRAY_JIT=sync '%s' '%s' 2>&1"):format(PROGRAM, script)))
        assert.equal("0.0\t65.0\n0.0\t1000.0\n", run:read "a")
        run:close()
        os.remove(script)
    end)

    it("of functions that combine are those of the array, also along axes and with numbers besides", function()
        local rows, columns = 700, 3
        local T = lun.vector { 0, 1, 2, 3, 4, 5, 6 }
        local function looked(x, y) return T[(x + y) % 7 + 1] end -- sums modulo 7
        local function within(x, y, m) return (x + y) % m end
        local function at(row, column) return ((row - 1) * columns + column - 1) * 31 % 97 end
        for _, set in ipairs(SETS) do
            lun.use(set)
            local a = ((lun.index(rows * columns) - 1) * 31 % 97):eval()
            local A, all = (a:reshape(rows, columns) + 0):eval(), 0
            for column = 1, columns do
                local sum = 0
                for row = 1, rows do
                    sum = sum + at(row, column)
                end
                all = all + sum
                assert.equal(sum % 7, A:reduce(looked, 0, { axis = 1 })[column])
                assert.equal(sum % 13, A:reduce(within, 0, 13, { axis = 1 })[column])
            end
            assert.equal(all % 7, a:reduce(looked, 0):value())
            assert.equal(all % 7, a:scan(looked, 0, { inclusive = true })[rows * columns])
            lun.use "openmp"
        end
    end)

    it("are so on several devices", function()
        onplaces.again(3, "indexed_spec.lua")
    end)
end)
