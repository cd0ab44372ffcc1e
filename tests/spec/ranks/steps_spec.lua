-- Steps of all ranks as a script sees them: what one rank does wrong before a step is told to all, a rank alone gets
-- what several get, and blocked arrays are indexed and combined as others are. Expected values are plain Lua's, or
-- those of private arrays.

local onranks = require "onranks"

local scratch = onranks.scratch(setup, teardown)

local COUNTS = { 1, 2, 3 }

local PRELUDE = [[
    local s = lun.spmd local n, me = s.npes, s.mype
    local function show(x)
        if type(x) == "table" or type(x) == "userdata" then
            local list, dtype = {}, x.dtype and x:dtype() .. " " or ""
            for k, v in ipairs(x.totable and x:totable() or x) do list[k] = show(v) end
            return dtype .. "{" .. table.concat(list, " ") .. "}"
        end
        return math.type(x) == "float" and ("%a"):format(x) or tostring(x)
    end
    local function same(a, b) if show(a) ~= show(b) then error(show(a) .. " is not " .. show(b), 2) end end
    local function private(a) return a:copy():distribute("copy", { over = "ranks" }) end
    local function message(f, ...) local ok, e = pcall(f, ...) return ok and "no error" or tostring(e) end
]]

-- The different lines that n ranks print.
local function printed(n, script)
    return onranks.printed(scratch(), n, PRELUDE .. script)
end

local function holds(script)
    for _, n in ipairs(COUNTS) do
        assert.are.same({ "true" }, printed(n, script .. "\ns.barrier() print(true)"), n .. " ranks")
    end
end

describe("an error of one rank before a step", function()
    it("is told to all, which go on", function()
        for script, text in pairs {
            ["s.bcast(me == 1 and print or 1, 1)"] = "a function cannot be sent: nil, booleans, numbers, strings, arrays "
                .. "and tables of these can",
            ["local t = {} t.t = t s.gather(me == 1 and t or 1)"] = "a table that contains itself cannot be sent",
            ["s.allgather(1) s.bcast(1, me == 1 and 7 or 0)"] = "bad argument #2 to 'bcast' (a PE from 0 to 2 expected, "
                .. "got 7)",
            ["s.allreduce('+', me == 1 and {} or 1)"] = "bad argument #2 to 'allreduce' (+: array or number expected, got "
                .. "table)",
            ["s.alltoall(me == 1 and 5 or {})"] = "bad argument #1 to 'alltoall' (a list of 3 values expected, got number)",
            ["s.shared(me == 1 and 'q' or 'i8', 1)"] = "bad argument #1 to 'shared' (unknown dtype 'q'; the dtypes are bool "
                .. "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 f16 bf16 c64 c128)",
            ["lun.zeros({ s.block(4), me == 1 and -1 or 2 })"] = "bad argument #1 to 'zeros' (axis 2: an extent expected, "
                .. "got -1)",
            ["s.master(me ~= 1 and print or 5)"] = "bad argument #1 to 'master' (function expected, got number)",
            ["local a = (60 // (s.mype - 1 + lun.zeros({ s.block(9) }, 'i64'))) a:sum()"] = "attempt to perform 'n//0'",
        } do
            -- the place comes first where the error has none
            local lines = printed(3, ("print(message(function() %s end))\ns.barrier() print(s.allreduce('+', 1))"):format(
                script))
            assert.are.same({ "3", ("rank 1 cannot take its step (s.lua:13: %s)"):format(text) }, lines)
        end
    end)

    it("is a value that can be sent: its text", function()
        holds [[
            local ok, e = pcall(function() return (1 // lun.zeros(3, "i64")):eval() end)
            assert(not ok and type(e) ~= "string")
            for _, text in ipairs(s.allgather(e)) do assert(text == tostring(e)) end
            same(s.bcast({ e }), { tostring(e) })]]
    end)

    it("is each rank's own where all make it, and 'ranks differ' where others do not agree", function()
        assert.are.same({ "3", "s.lua:13: a function cannot be sent: nil, booleans, numbers, strings, arrays and tables of "
            .. "these can" }, printed(3, "print(message(function() s.allgather(print) end)) print(s.allreduce('+', 1))"))
        local lines = printed(3, [[print(message(function() if me == 0 then s.barrier() else s.bcast(1, me) end end))
            print(message(function() if me == 0 then s.barrier() else s.bcast(1, 6 + me) end end))]])
        assert.are.same({ "rank 1 cannot take its step (s.lua:14: bad argument #2 to 'bcast' (a PE from 0 to 2 expected, got "
            .. "7)); rank 2 cannot take its step (s.lua:14: bad argument #2 to 'bcast' (a PE from 0 to 2 expected, got 8))",
            "ranks differ: rank 0 is at a barrier (s.lua:13); rank 1 broadcasts from PE 1 (s.lua:13); rank 2 broadcasts "
            .. "from PE 2 (s.lua:13)" }, lines)
    end)

    it("names lines, also of functions that pcall calls, of makings and of tail calls", function()
        local script = [[print(message(({ [0] = s.barrier, s.bcast })[me]))
            print(message(function() return lun.zeros({ s.block(me + 1) }) end))]]
        assert.are.same({ "ranks differ: rank 0 evaluates f64[1] (s.lua:14); rank 1 evaluates f64[2] (s.lua:14)",
            "ranks differ: rank 0 is at a barrier (s.lua:12); rank 1 broadcasts from PE 0 (s.lua:12)" }, printed(2, script))
    end)

    it("says what differs where the words are the same", function()
        assert.are.same({ "ranks differ: rank 0 saves i64[3] (s.lua:14) [a0.npy]; rank 1 saves i64[3] (s.lua:14) [a1.npy]" },
            printed(2, [[local a = lun.index(3):distribute("block", { over = "ranks" })
            print(message(function() local ok = lun.save("a" .. me .. ".npy", a) return ok end))]]))
    end)

    it("in master is raised as it is: a table, an error object", function()
        assert.are.same({ "7 3", "EZERO s.lua:14: attempt to perform 'n//0'", "nil" }, printed(3, [[
            local _, e = pcall(s.master, function() error({ code = 7, 3 }) end) print(e.code .. " " .. e[1])
            _, e = pcall(s.master, function() return (1 // lun.zeros(1, "i64")):sum() end) print(e.code .. " " .. tostring(e))
            print(select(2, pcall(s.master, function() error() end)))]]))
    end)
end)

describe("one rank alone", function()
    it("gets copies, as several do", function()
        holds [[
            local a, t = lun.vector { 1, 2 }, { 1, { 2 } }
            for _, f in ipairs { s.bcast, function(x) return s.allgather(x)[n] end, function(x) return s.master(function()
                return x end) end } do
                local b, u = f(a), f(t)
                b[1], u[2][1] = 10, 10
            end
            same(a, lun.vector { 1, 2 }) same(t, { 1, { 2 } })
            same(s.allreduce("+", true), n) same(s.scan("+", true), me + 1)
            same(s.allreduce("+", lun.vector { true, false }), lun.vector { n, 0 })]]
    end)

    it("may not take steps in master and critical either", function()
        for _, n in ipairs { 1, 2 } do
            local waits = "would wait for ranks that wait for its end"
            assert.are.same({ "s.lua:13: a barrier inside master " .. waits, "s.lua:14: a broadcast inside critical "
                .. waits, "s.lua:15: endmaster without master" }, printed(n,
                [[print(s.master(function() return message(function() s.barrier() end) end))
                print(s.critical(function() return message(function() s.bcast(1) end) end))
                print(message(function() s.endmaster(1) end))]]))
        end
    end)

    it("sends to itself, as each of several may", function()
        holds [[
            for k = 1, 3 do s.send(me, k) end
            s.send(me, { "x\0", lun.index(3) }, 5)
            same(s.recv(me, 5)[1], "x\0")
            for k = 1, 3 do same(s.recv(me), k) end
            s.send((me + 1) % n, me) same(s.recv((me - 1) % n), (me - 1) % n)
            for k = 1, 600 do s.send(me, k, k % 300) s.send(me, -k, k % 300) end -- in the order of their tags
            for tag = 299, 0, -1 do
                for _, k in ipairs { tag == 0 and 300 or tag, (tag == 0 and 300 or tag) + 300 } do
                    same(s.recv(me, tag), k) same(s.recv(me, tag), -k)
                end
            end
            same(message(s.recv, me):match "itself.*", "itself, which has sent nothing")
            s.send(me, "left behind")]]
    end)
end)

describe("scans", function()
    it("begin with the identity of the operation and dtype", function()
        holds [[
            local function before(op, x, id) local y = s.exscan(op, x) same(y, me == 0 and id or x) end
            before("min", 3, math.maxinteger) before("max", 3, math.mininteger)
            before("min", 2.5, 1 / 0) before("max", 2.5, -1 / 0)
            before("land", true, true) before("lor", false, false) before("&", 6, n > 2 and me == 2 and 6 or -1)
            for _, row in ipairs { { "i8", -128, 127 }, { "u16", 0, 65535 }, { "i64", math.mininteger, math.maxinteger } } do
                local dtype, range = row[1], { row[2], row[3] }
                local x = lun.full({ 2, 1 }, 5, dtype)
                local low, high = s.exscan("max", x), s.exscan("min", x)
                same({ low:dtype(), low[2][1], high[1][1] }, { dtype, me == 0 and range[1] or 5, me == 0 and range[2] or 5 })
            end
            same(s.exscan("min", lun.full(1, 5, "u64"))[1], me == 0 and -1 or 5)
            same(s.exscan("max", lun.zeros(0)), lun.zeros(0))
            same(s.exscan(function(a, b) return a .. b end, me, "id"), me == 0 and "id" or ("012"):sub(1, me + 0):gsub("^0$", 0))]]
    end)

    it("without an identity are refused on all ranks", function()
        assert.are.same({ "2", "s.lua:13: PE 0 has nothing before it: an identity of a function is wanted as the third "
            .. "argument" }, printed(2, [[print(message(function() s.exscan(function(a) return a end, 1) end))
            print(s.allreduce("+", 1))]]))
    end)

    it("call functions with nil too", function()
        holds [[same(s.allreduce(function(a, b) return (a or "-") .. (b or "-") end, nil), ({ "nil", "--", "---" })[n])]]
    end)
end)

describe("a barrier in two parts", function()
    it("is over before another step, and its end finds it so", function()
        holds [[
            s.barrier_begin() same(s.bcast(4), 4) same(message(s.barrier_begin):match "begun already", "begun already")
            s.barrier_end() same(message(s.barrier_end):match "no barrier", "no barrier")
            s.barrier_begin() s.barrier() s.barrier_end() same(s.allreduce("+", 1), n)]]
    end)
end)

describe("blocked arrays", function()
    it("take part as second operand in every operator", function()
        holds [[
            local p, q = lun.index(20), lun.index(20) * 3
            local a = q:copy():distribute("block", { over = "ranks" })
            for _, op in ipairs { "+", "-", "*", "/", "//", "%", "^", "&", "|", "~", "<<", ">>", ".." } do
                local f = load("local x, y = ... return x " .. op .. " y")
                for _, x in ipairs { p, 7, q } do
                    if op ~= ".." or x ~= 7 then
                        local got, back = f(x, a), f(a, x)
                        same(got.distribute and op ~= ".." and private(got) or got, f(x, q))
                        same(back.distribute and op ~= ".." and private(back) or back, f(q, x))
                    end
                end
            end
            same(private(p - a), p - q) same(private(lun.sub(p, a)), p - q) same(a:sub(2, 5), q:sub(2, 5))]]
    end)

    it("broadcast, also to the shape of a private operand, and to one that none of them has", function()
        holds [[
            local row, column = lun.index(5):reshape(1, 5), lun.index(4):reshape(4, 1)
            local cube = lun.index(40):reshape(2, 4, 5)
            local r = row:copy():distribute("block", { over = "ranks", axis = 2 })
            local c = column:copy():distribute("block", { over = "ranks" })
            local one = lun.zeros({ s.block(1) }, "i64") + 7
            same(private(r + c), row + column) same(private(c - r), column - row) same(private(cube * r), cube * row)
            same(private(c:max(cube)), column:max(cube)) same(private(one + lun.index(9)), lun.index(9) + 7)
            same(private(lun.where(c:gt(2), cube, r)), lun.where(column:gt(2), cube, row))
            same(select(2, (cube * r):distribution()).axis, 3)
            same(message(function() return r + lun.index(6) end):match "shapes differ", "shapes differ")
            same(message(function() return c[1].copy end):match "a:row%(i%)", "a:row(i)")]]
    end)

    it("of truths keep their dtype along axes that are cut", function()
        holds [[
            local p = lun.random({ 9, 4 }, { seed = 2 }):lt(0.2)
            local a = p:copy():distribute("block", { over = "ranks" })
            for _, name in ipairs { "min", "max", "any", "all", "count", "sum" } do
                same(private(a[name](a, { axis = 1 })), p[name](p, { axis = 1 }))
            end]]
    end)

    it("count negative indices from the end, and have nil one past it", function()
        holds [[
            local a = lun.zeros({ s.block(5) }, "i64") a:set(lun.index(5))
            local b = lun.zeros({ 2, s.block(3) }, "i64") b:set(lun.index(6):reshape(2, 3))
            local v = s.shared("i64", lun.index(4)) local y = s.symmetric("i64", { 2, 2 })
            same({ a[-1], a[-5], a[2.0], b[-1][-1], b[2][1], v[-1] }, { 5, 1, 2, 6, 4, 4 })
            same({ a[6], b[3], b[1][4], v[5], y[3] }, {})
            same({ s.home(a, -1), s.home(b, -1, -1) }, { s.home(a, 5), s.home(b, 2, 3) })
            s.barrier()
            if me == n - 1 then a[-1] = 50 b[-2][-1] = 30 v[-4] = 10 end
            y[-1][-1] = me s.atomic(a, -2, "+", 1)
            s.barrier()
            same({ a[5], b[1][3], v[1], y:get(n - 1, 2, 2), y:get(0, -1, -1), a[4] }, { 50, 30, 10, n - 1, 0, 4 + n })
            for _, f in ipairs { function() return a[0] end, function() return a[7] end, function() return a[-6] end,
                function() a[6] = 1 end, function() return a[1.5] end, function() return b[1][5] end } do
                same(message(f):match "is out of range", "is out of range")
            end]]
    end)

    it("are freed, also at the end of a block, and have the methods that private copies have", function()
        holds [[
            local p = lun.index(12):reshape(3, 4)
            local a = p:copy():distribute("block", { over = "ranks" })
            same(a:row(2), p:row(2)) same(a:col(-1), p:col(-1)) same(a:diagonal(), p:diagonal())
            local list = {} for i, x in a:flatten():distribute("block", { over = "ranks" }):iter() do list[i] = x end
            same(list, p:flatten():totable())
            local kept
            do local b <close> = lun.zeros({ s.block(4) }) b[2] = 3 s.barrier() same(b[2], 3.0) s.barrier() kept = b end
            same(message(function() return kept[1] end):match "freed", "freed")
            a:free() same(message(function() return a + 1 end):match "freed", "freed")]]
    end)

    it("are made from private arrays without a message", function()
        assert.are.same({ "0 0 0" }, printed(3, [[
            local p = lun.index(100) s.barrier() lun.stats "reset"
            local a = p:copy():distribute("block", { over = "ranks" }) local b = lun.zeros({ s.block(100) }, "i64")
            b:set(a * 2 + 1) b:eval()
            local t = lun.stats() print(t.messages .. " " .. t.bytes_sent .. " " .. t.collectives)]]))
    end)

    it("are columns of a table that is saved by PE 0, and all get its error", function()
        holds(([[
            local v = lun.index(10):distribute("block", { over = "ranks" })
            same(lun.save("DIR/t.csv", { x = v, y = v * 2 }), true)
            local t = lun.load("DIR/t.csv") same(t.x, lun.index(10)) same(t.y, lun.index(10) * 2)
            local ok, _, code = lun.save("DIR/none/t.csv", { x = v }) same({ tostring(ok), code }, { "nil", 2 })]]):gsub("DIR",
            scratch()))
    end)

    it("of many makings leave no elements behind", function()
        holds [[
            lun.stats "reset"
            for _ = 1, 200 do
                local a = lun.zeros({ s.block(100000) })
                a:free()
            end
            collectgarbage() collectgarbage()
            assert(lun.stats().peak < 200 * 800000 / 2, lun.stats().peak)]]
    end)
end)

describe("sharedon", function()
    it("refuses extents of other rank than the owner's, and steps", function()
        assert.are.same({ "s.lua:14: bad argument #2 to 'sharedon' (2 extents expected, as the owner is f64[4, 4]; got 1)",
            "s.lua:15: bad argument #2 to 'sharedon' (axis 1: an extent or {first, last} expected)" }, printed(2, [[
            local a = lun.zeros({ 4, s.block(4) })
            print(message(function() s.sharedon(a, { 4 }, function(i) a[i][1] = 1 end) end))
            print(message(function() s.sharedon(a, { { 1, 4, 2 }, 4 }, function(i, j) a[i][j] = 1 end) end))]]))
    end)
end)
