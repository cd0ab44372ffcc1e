-- lun.spmd: what several ranks do together, under --ranks (threads) for 1 to 7 ranks and under both MPIs where they are
-- installed; and what they are told where they do not do the same. Expected values are computed here, in plain Lua.

local onranks = require "onranks"
local shell = require "shell"

local path, sanitized = onranks.path, onranks.sanitized
local scratch = onranks.scratch(setup, teardown)

-- Runs a script; gives its lines, sorted, what it wrote to stderr, its status.
local function run(launch, script, environment)
    local file = shell.write(scratch() .. "/s.lua", "local s = lun.spmd local n, me = s.npes, s.mype\n" .. script)
    local text, status = shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 %s %s s.lua 2>err"):format(scratch(),
        environment or "", launch))
    return onranks.lines(text, true), shell.slurp(file:gsub("s%.lua$", "err")), status
end

local function ranks(n, script, environment)
    return run(("%s --ranks %d"):format(path, n), script, environment)
end

-- Every rank prints true; the script goes well.
local function holds(n, script)
    local lines, err, status = ranks(n, script .. "\nprint(true)")
    assert.are.equal("", err)
    assert.are.equal(0, status)
    assert.are.same(("true "):rep(n), table.concat(lines, " ") .. " ")
end

local COUNTS = { 1, 2, 3, 4, 7 }

local COLLECTIVES = [[
    local function check(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
    local kinds = { false, true, 5, 2.5, "text\0more", math.mininteger, 1 / 0 }
    for k, x in ipairs(kinds) do
        for root = 0, n - 1 do
            local given = "other"
            if me == root then given = x end
            check(s.bcast(given, root), x)
        end
    end
    check(s.bcast(nil), nil)
    local t = s.bcast(me == 0 and { 1, { x = "y" }, lun.vector({ 1, 2 }, "f32"), lun.zeros({ 2, 0 }) } or nil)
    check(t[2].x, "y") check(t[3]:dtype(), "f32") check(t[3][2], 2.0) check(select(2, t[4]:shape()), 0)
    local list = s.allgather({ me })
    check(#list, n)
    for k = 1, n do check(list[k][1], k - 1) end
    for root = 0, n - 1 do
        local own = s.gather(me * 2, root)
        check(own and own[n] or "none", me == root and (n - 1) * 2 or "none")
    end
    local parts = {}
    for k = 1, n do parts[k] = me * 100 + k end
    for k, x in ipairs(s.alltoall(parts)) do check(x, (k - 1) * 100 + me + 1) end
]]

-- Large arrays travel by themselves, in values of any form, and are each rank's own.
local LARGE = [[
    for root = 0, n - 1 do
        local a = me == root and (lun.index(100000) * (root + 1)):cast "f64" or nil
        local b = s.bcast(a, root)
        assert(#b == 100000 and b[7] == 7 * (root + 1) and b:sum() == 5000050000 * (root + 1))
        b[1] = -1
        if me == root then
            assert(a[1] == root + 1)
            a[2] = -2
            assert(b[2] == 2 * (root + 1))
        end
        if n > 1 and me == root then
            for k = 1, 3 do s.send((root + 1) % n, { k, b, lun.index(9), x = { b * k } }, 5) end
            b[3] = -3
            s.send((root + 1) % n, "end", 5)
            s.send(root, b, 5)
            assert(s.recv(root, 5)[3] == -3)
            b:free()
        elseif n > 1 and me == (root + 1) % n then
            for k = 1, 3 do
                local t = s.recv(root, 5)
                assert(t[1] == k and t[2][1] == -1 and t[2][3] == 3 * (root + 1) and t[3][9] == 9)
                assert(t.x[1][99999] == 99999 * (root + 1) * k and t[2][100000] == 100000 * (root + 1))
            end
            assert(s.recv(root, 5) == "end")
        end
        local flags = lun.index(70000):gt(60000)
        local t = s.bcast(me == root and { 1, { x = lun.random({ 300, 100 }, { seed = 3 }), flags = flags }, lun.ones(20, 0),
            "z", lun.index(90000):cast("i8"):reshape(300, 300):transpose(), lun.vector { 1.5 } } or nil, root)
        assert(t[2].x:tobytes() == lun.random({ 300, 100 }, { seed = 3 }):tobytes() and t[2].flags:count() == 10000)
        assert(t[2].flags:dtype() == "bool" and t[5][3][2] == 303 - 256 and t[6][1] == 1.5 and t[4] == "z")
    end
]]

local REDUCTIONS = [[
    local function check(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
    check(s.allreduce("+", me + 1), n * (n + 1) // 2)
    check(s.reduce("max", me, n - 1), me == n - 1 and n - 1 or nil)
    check(s.allreduce("min", 5 - me), 5 - (n - 1))
    check(s.scan("+", me + 1), (me + 1) * (me + 2) // 2)
    check(s.exscan("+", me + 1), me * (me + 1) // 2)
    check(math.type(s.exscan("*", 1.5)), "float")
    check(s.exscan("max", me, "first"), me == 0 and "first" or me - 1)
    local v = s.allreduce("+", lun.index(70) * (me + 1))
    check(v[70], 70 * n * (n + 1) // 2)
    -- the pair tree, in rank order
    local function tree(first, count)
        if count == 1 then return tostring(first) end
        local half = 1
        while half * 2 < count do half = half * 2 end
        return "(" .. tree(first, half) .. tree(first + half, count - half) .. ")"
    end
    local text = s.allreduce(function(a, b) return "(" .. a .. b .. ")" end, tostring(me))
    check(text, tree(0, n))
    local sum = s.allreduce("+", 0.1 * (me + 1))
    for _, x in ipairs(s.allgather(sum)) do check(x, sum) end
]]

local MESSAGES = [[
    local function check(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
    if n > 1 then
        local to, from = (me + 1) % n, (me - 1) % n
        for k = 1, 10 do s.send(to, { me, k }, k % 2) end
        s.send(to, lun.index(100000), 7)
        check(s.recv(from, 7)[100000], 100000)
        for tag = 0, 1 do
            for k = tag == 0 and 2 or 1, 10, 2 do
                local m = s.recv(from, tag)
                check(m[1], from) check(m[2], k)
            end
        end
    end
    s.barrier_begin()
    s.barrier_end()
]]

local REGIONS = [[
    local function check(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
    check(s.inmaster(), false)
    local a, b, c = s.master(function() return s.inmaster(), me, lun.vector { 3 } end)
    check(a, true) check(b, 0) check(c[1], 3)
    local x
    if s.master() then x = 42 end
    check(s.inmaster(), me == 0 and true or false)
    check(s.endmaster(x), 42)
    local total, count = s.shared("i64", 5), s.shared("i64", 0)
    check(s.home(total), 0)
    s.atomic(total, "+", me + 1)
    for k = 1, 10 do s.critical(function() count:set(count:get() + 1) end) end
    s.barrier()
    check(total:get(), 5 + n * (n + 1) // 2)
    check(count:get(), 10 * n)
    s.barrier()
    check(s.critical(function() return "result" end), "result")
    if me == 0 then check(s.atomic(total, "exchange", 1), 5 + n * (n + 1) // 2) end
    local grid = s.shared("f64", lun.zeros { n, 2 })
    grid[me + 1][2] = me + 0.5
    s.barrier()
    for k = 1, n do check(grid[k][2], k - 0.5) end
    local y = s.symmetric("i32", { 2, 3 })
    y[2][1] = me
    s.barrier()
    for pe = 0, n - 1 do check(y:get(pe, 2, 1), pe) end
    s.barrier()
    y:put((me + 1) % n, 1, 3, 100 + me)
    check(s.atomic(y, 1, 1, "+", 7), 0)
    s.barrier()
    check(y[1][3], 100 + (me - 1) % n)
    check(y:localview()[1][1], 7)
    check(#y, 2)
    check(#y[1], 3)
]]

-- Statements on one element; each run of f that another rank came between is repeated.
local STATEMENTS = [[
    local function check(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
    local a, m = lun.zeros({ s.block(10) }, "i64"), lun.zeros({ s.block(4), 3 }, "f64")
    local g, v, y = s.shared("i64", lun.zeros({ 2, 2 }, "i64")), s.shared("i64", 1), s.symmetric("f64", 3)
    local t = lun.vector({ "", "", "" }, "text"):distribute("block", { over = "ranks" })
    for k = 1, 40 do
        local i = k % 10 + 1
        s.atomic(function() a[i] = a[i] + 1 end)
        s.atomic(function() m[i % 4 + 1][2] = m[i % 4 + 1][2] + k end)
        s.atomic(function() v:set(v:get() * 3 % 10007) end)
        s.atomic(function() g[1][-1] = g[1][2] + a[i] - a[i] + 1 end)
        s.atomic(function() y[1] = y[1] + 1 end)
        if k % 10 == 0 then s.atomic(function() t[2] = t[2] .. "x" end) end
    end
    s.barrier()
    local power = 1
    for k = 1, 40 * n do power = power * 3 % 10007 end
    local sum = 0
    for k = 1, 4 do sum = sum + m[k][2] end
    check(v:get(), power) check(sum, n * 820.0) check(g[1][2], 40 * n) check(y[1], 40.0) check(t[2], ("x"):rep(4 * n))
    for k = 1, 10 do check(a[k], 4 * n) end
    s.barrier()
    if me == n - 1 then check(s.atomic(function() a[3] = 7 end), 4 * n) check(s.atomic(function() a[-8] = a[3] * 2 end), 7) end
    s.barrier()
    check(a[3], 14)
    s.atomic(function() a[4] = a[4] + 1 if a[4] % 2 == 0 then a[4] = -a[4] end end)
    s.barrier()
    if me == 0 then
        s.atomic(function() a[4] = 1 v:get() a[-7] = a[4] + 1 end)
        check(a[4], 2)
    end
    for part, f in pairs {
        ["assigns no element"] = function() return a[1] end,
        ["assigns several elements"] = function() a[1] = 1 a[2] = 2 end,
        ["index 11 is out of range"] = function() a[11] = 1 end,
        ["no 'true'"] = function() a[1] = a[true] end,
        ["s.lua:"] = function() error "mine" end,
    } do
        local ok, why = pcall(s.atomic, f)
        check(ok, false) check(tostring(why):find(part, 1, true) and true, true)
    end
    check(a[1], 4 * n)
]]

describe("ranks that are threads", function()
    it("broadcast an array in no more memory than its own and that of the results", function()
        if sanitized then
            return
        end
        local lines = ranks(2, [[
            local function peak()
                for line in io.lines "/proc/self/status" do
                    local kilobytes = line:match "VmHWM:%s*(%d+)"
                    if kilobytes then return kilobytes / 1000 end
                end
            end
            local a = me == 0 and lun.zeros(16000000):copy():eval() or nil
            s.barrier()
            local before = peak()
            s.barrier()
            local b = s.bcast(a)
            s.barrier()
            print(#b == 16000000 and peak() - before < 1.5 * 128)]])
        assert.are.same({ "true", "true" }, lines)
    end)

    for _, n in ipairs(COUNTS) do
        it(("%d: collectives, reductions, messages, regions"):format(n), function()
            holds(n, LARGE .. COLLECTIVES .. "do\n" .. REDUCTIONS .. "end do\n" .. MESSAGES .. "end do\n" .. REGIONS
                .. "end do\n" .. STATEMENTS .. "end")
        end)
    end

    it("have a share of the cores, whole lines of print, their own globals", function()
        local lines, err, status = ranks(3, [[
            x = (x or 0) + 1
            assert(x == 1)
            for k = 1, 200 do print(("a line of rank " .. me .. " "):rep(20)) end]])
        assert.are.equal("", err)
        assert.are.equal(0, status)
        assert.are.equal(600, #lines)
        for k, line in ipairs(lines) do
            assert.are.equal(("a line of rank %d "):format((k - 1) // 200):rep(20), line)
        end
    end)

    it("give the exit code of the first in rank order that fails", function()
        local function status_of(script)
            return (select(3, ranks(3, script)))
        end
        assert.are.equal(0, status_of "if me == 1 then os.exit(true) end")
        assert.are.equal(4, status_of "if me > 0 then os.exit(3 + me) end")
        assert.are.equal(1, status_of "if me == 1 then error 'x' end if me == 2 then os.exit(9) end")
        assert.are.equal(7, status_of "pcall(os.exit, 7) while true do end")
        assert.are.equal(6, status_of "coroutine.wrap(function() pcall(os.exit, 6) end)() while true do end")
    end)

    it("name the rank in what they report", function()
        local _, err = ranks(2, "if me == 1 then error 'broken' end")
        assert.is_truthy(err:find("lunarray: rank 1: s.lua:2: broken", 1, true))
    end)

    it("end with the session's own errors", function()
        for options, text in pairs {
            ["--ranks 0 s.lua"] = "'--ranks' needs a number from 1 to 4096",
            ["--ranks 4097 s.lua"] = "'--ranks' needs a number from 1 to 4096",
            ["--ranks 2"] = "'--ranks' needs a script",
            ["--ranks 2 -i s.lua"] = "'--ranks' needs a script",
            ["--ranks 2 --sandbox s.lua"] = "'--ranks' cannot be combined with a sandbox",
        } do
            local out, status = shell.capture(("%s %s 2>&1 </dev/null"):format(path, options))
            assert.are.equal(1, status)
            assert.is_truthy(out:find(text, 1, true), out)
        end
    end)

    it("stop at Ctrl-C, all of them", function()
        shell.write(scratch() .. "/s.lua", [[
            lun.spmd.barrier()
            if lun.spmd.mype == 1 then ]] .. shell.interrupts_itself(20) .. [[ end
            if lun.spmd.mype == 0 then lun.spmd.barrier() end
            while true do end]])
        local out, status = shell.capture(("cd %s; timeout -s KILL 300 %s --ranks 3 s.lua >out 2>&1; echo $?"):format(
            scratch(), path))
        assert.are.equal(0, status)
        assert.are.equal("1\n", out)
    end)
end)

describe("ranks that differ", function()
    -- What each rank prints, which is one text.
    local function told(n, script)
        local lines = ranks(n, script)
        for k = 2, #lines do
            assert.are.equal(lines[1], lines[k])
        end
        return lines[1], #lines
    end

    it("are told what each does, and can go on", function()
        local text, count = told(4, [[
            local ok, e = pcall(function()
                if me == 0 then
                    s.allreduce("+", lun.zeros(100))
                else s.barrier() end
            end)
            s.barrier()
            assert(s.allreduce("+", 1) == n)
            print(ok, e.code, e)]])
        assert.are.equal(4, count)
        assert.are.equal("false\tESCRIPT\tranks differ: rank 0 sums f64[100] (s.lua:4); "
            .. "ranks 1-3 are at a barrier (s.lua:5)", text)
        text = told(3, [[print(select(2, pcall(s.bcast, 1, me == 1 and 1 or 0)))]])
        assert.are.equal("ranks differ: ranks 0, 2 broadcast from PE 0 (s.lua:2); rank 1 broadcasts from PE 1 (s.lua:2)",
            text)
        text = told(2, [[print(select(2, pcall(s.allreduce, me == 1 and "+" or "max", 1)))]])
        assert.are.equal("ranks differ: rank 0 reduces a number (s.lua:2); rank 1 sums a number (s.lua:2)", text)
    end)

    it("are told of one that has ended, or failed", function()
        local text, count = told(4, [[
            if me == 2 then error "out of data" end
            for k = 1, 3 do
                local ok, e = pcall(s.barrier)
                print(ok, e)
            end]])
        assert.are.equal(9, count)
        assert.are.equal("false\trank 2 has ended (s.lua:2: out of data)", text)
        text = told(3, [[
            if me == 0 then os.exit(0) end
            print(pcall(s.allgather, 1))]])
        assert.are.equal("false\trank 0 has ended (os.exit)", text)
        text = told(2, [[
            if me == 1 then return end
            print(pcall(s.recv, 1))]])
        assert.are.equal("false\trank 1 has ended", text)
    end)

    it("are told of an error inside master, in both forms", function()
        local text, count = told(3, [[
            local ok, e = pcall(s.master, function() error "oops" end)
            s.barrier()
            print(ok, e)]])
        assert.are.equal(3, count)
        assert.are.equal("false\ts.lua:2: oops", text)
        text = told(3, [[
            local ok, e = pcall(function()
                if s.master() then error "oops" end
                s.endmaster()
            end)
            if me == 0 then error "gave up" end
            print(ok, e)]])
        assert.are.equal("false\trank 0 has ended (s.lua:6: gave up)", text)
        text = told(2, [[print(pcall(s.master, function() return print end))]])
        assert.is_truthy(text:find("false\ta result of master: a function cannot be sent", 1, true), text)
    end)

    it("cannot take a step inside master or critical", function()
        local text, count = told(2, [[
            print(pcall(s.master, function() s.barrier() end))
            s.barrier()]])
        assert.are.equal(2, count)
        assert.are.equal("false\ts.lua:2: a barrier inside master would wait for ranks that wait for its end", text)
        text = told(2, [[print(pcall(s.critical, function() s.barrier() end))]])
        assert.are.equal("false\ts.lua:2: a barrier inside critical would wait for ranks that wait for its end", text)
        text = told(2, [[print(pcall(s.critical, function() s.critical(print) end))]])
        assert.are.equal("false\ts.lua:2: critical inside critical would wait for itself", text)
    end)

    it("leave a critical section with their error, or their end", function()
        local lines = ranks(3, [[
            local v = s.shared("i64", 0)
            if me == 1 then s.critical(function() v:set(7) os.exit(5) end) end
            while v:get() == 0 do end
            print(pcall(s.critical, function() error("seven is " .. v:get(), 0) end))]])
        assert.are.same({ "false\tseven is 7", "false\tseven is 7" }, lines)
    end)

    it("are told of a rank that is silent, once LUNARRAY_RANK_TIMEOUT has passed", function()
        local lines, _, status = ranks(3, [[
            s.barrier()
            local function gave_up(rank) return "gave-up-" .. rank end
            if me == 2 then -- it is silent until the others wait no longer
                repeat
                    local others = 0
                    for rank = 0, 1 do
                        local file = io.open(gave_up(rank))
                        if file then file:close() others = others + 1 end
                    end
                until others == 2
            end
            local ok, e = pcall(s.allreduce, "+", 1)
            io.open(gave_up(me), "w"):close()
            print(ok, e.code, e)]], "LUNARRAY_RANK_TIMEOUT=3")
        assert.are.equal(0, status)
        assert.are.equal(3, #lines)
        for _, line in ipairs(lines) do
            assert.are.equal("false\tEBACKEND\tno word from rank 2 for 3 s in a sum (s.lua:13)", line)
        end
        local _, err, code = ranks(2, "", "LUNARRAY_RANK_TIMEOUT=soon")
        assert.are.equal(1, code)
        assert.is_truthy(err:find("LUNARRAY_RANK_TIMEOUT must be a number of seconds, not 'soon'", 1, true), err)
    end)
end)

describe("misuse", function()
    local function message(script)
        return ranks(1, ("print(select(2, pcall(function() %s end)))"):format(script))[1]
    end

    it("names the argument and the line", function()
        for script, text in pairs {
            ["s.bcast(1, 1)"] = "s.lua:2: bad argument #2 to 'bcast' (a PE from 0 to 0 expected, got 1)",
            ["s.recv(0, 3)"] = "s.lua:2: recv of PE 0 from itself, which has sent nothing with that tag",
            ["s.bcast(print)"] = "s.lua:2: a function cannot be sent: nil, booleans, numbers, strings, arrays and tables "
                .. "of these can",
            ["local t = {} t.t = t s.bcast(t)"] = "s.lua:2: a table that contains itself cannot be sent",
            ["s.allreduce('-', 1)"] = "s.lua:2: bad argument #1 to 'allreduce' ('-' is no associative operation: "
                .. "+ * & | ~ min max fmin fmax land lor, or a function)",
            ["s.exscan('fmax', 1)"] = "s.lua:2: PE 0 has nothing before it: an identity of fmax is wanted as the third "
                .. "argument",
            ["s.critical()"] = "s.lua:2: bad argument #1 to 'critical' (function expected, got no value)",
            ["s.barrier_end()"] = "s.lua:2: no barrier has begun",
            ["s.shared('f64', 'x')"] = "s.lua:2: bad argument #2 to 'shared' (a number, a boolean or an array expected, "
                .. "got string)",
            ["s.symmetric('f64', 3):get(0, 4)"] = "s.lua:2: index 4 is out of range: the symmetric array f64[3] has 3 "
                .. "elements along axis 1",
            ["s.atomic(5, '+', 1)"] = "s.lua:2: bad argument #1 to 'atomic' (a shared value, a symmetric or a blocked "
                .. "array expected)",
        } do
            assert.are.equal(text, message(script))
        end
    end)
end)

describe("counters", function()
    it("count messages, bytes, steps and remote elements of each rank", function()
        local lines = ranks(4, [[
            lun.stats "reset"
            s.barrier()
            s.allreduce("+", 1)
            if me == 0 then s.send(1, "x") end
            if me == 1 then s.recv(0) end
            local v = s.shared("i64", 0)
            v:set(1)
            v:get()
            s.barrier()
            local t = lun.stats()
            print(me, t.messages, t.collectives, t.remote_gets, t.remote_puts, t.bytes_sent > 0)]])
        assert.are.same({ "0\t1\t1\t0\t0\ttrue", "1\t0\t1\t1\t1\ttrue", "2\t0\t1\t1\t1\ttrue", "3\t0\t1\t1\t1\ttrue" }, lines)
    end)
end)

-- What the last line of the script took in a network of one second a message, or of a byte a second.
local function modelled(n, clock, script)
    local lines, err = ranks(n, 'lun.stats "reset" do ' .. script .. " end print(('%.3f'):format(lun.stats().network_time))",
        "LUNARRAY_RANK_CLOCK=" .. clock)
    assert.are.equal("", err)
    local latest = 0
    for _, line in ipairs(lines) do
        latest = math.max(latest, tonumber(line))
    end
    return latest
end

describe("a modelled network", function()
    local PASS_ON = "if me > 0 then s.recv(me - 1) end if me < n - 1 then s.send(me + 1, true) end"
    it("takes its latency for each round of a step, and for each message of a chain", function()
        for _, n in ipairs(COUNTS) do
            local rounds = math.ceil(math.log(n, 2))
            assert.are.equal(rounds, modelled(n, "1,1e12", "s.barrier()"))
            -- the agreement, the length, the bytes
            assert.are.equal(3 * rounds, modelled(n, "1,1e12", "s.bcast(true)"))
            -- the agreement, which tells lengths, the bytes
            assert.are.equal(2 * rounds, modelled(n, "1,1e12", 's.allreduce("+", me)'))
            assert.are.equal(2 * rounds, modelled(n, "1,1e12", 's.allgather(("x"):rep(me))'))
            assert.are.equal(3 * rounds, modelled(n, "1,1e12", 's.allgather(("x"):rep(me * 1000))'))
            assert.are.equal(n - 1, modelled(n, "1,1e12", PASS_ON))
        end
    end)

    it("takes time for bytes: a tree's rounds, the others' parts, one message after the other", function()
        local long = 1000000
        local function near(expected, got)
            assert.is_true(math.abs(got - expected) < 2000, ("%g, not %g"):format(got, expected))
        end
        for _, n in ipairs { 2, 4, 7 } do
            local rounds = math.ceil(math.log(n, 2))
            local text = ("('x'):rep(%d)"):format(long)
            near(math.min(rounds, 2 * (n - 1) / n) * long, modelled(n, "0,1", ("s.bcast(%s)"):format(text)))
            near((n - 1) * long, modelled(n, "0,1", ("s.allgather(%s)"):format(text)))
            near((n - 1) * long, modelled(n, "0,1",
                ("if me == 0 then for pe = 1, n - 1 do s.send(pe, %s) end else s.recv(0) end"):format(text)))
        end
    end)

    it("is none without LUNARRAY_RANK_CLOCK, and refuses what is no network", function()
        local lines = ranks(2, "s.barrier() print(lun.stats().network_time)")
        assert.are.same({ "0.0", "0.0" }, lines)
        for _, clock in ipairs { "1e-6", "-1,1e9", "1e-6,0", "1e-6,1e9x", "nan,1" } do
            local _, err, status = ranks(2, "s.barrier()", "LUNARRAY_RANK_CLOCK=" .. clock)
            assert.are_not.equal(0, status)
            assert.truthy(err:find("LUNARRAY_RANK_CLOCK must be a latency in seconds and bytes a second, such as '2e-6,1e10', not '"
                .. clock .. "'", 1, true), err)
        end
    end)
end)

describe("ranks that are processes", function()
    local root = shell.capture "id -u" == "0\n" and " --allow-run-as-root" or ""
    for launcher, options in pairs { ["mpirun.mpich"] = "", ["mpirun.openmpi"] = "--oversubscribe" .. root } do
        it("under " .. launcher .. " do the same", function()
            if sanitized or shell.capture("command -v " .. launcher) == "" then
                return
            end
            local launch = ("%s %s -n 3 %s"):format(launcher, options, path)
            local lines, err, status = run(launch, LARGE .. COLLECTIVES .. "do\n" .. REDUCTIONS .. "end do\n" .. MESSAGES
                .. "end do\n" .. REGIONS .. "end print(true)")
            assert.are.equal("", err)
            assert.are.equal(0, status)
            assert.are.same({ "true", "true", "true" }, lines)
            lines, err, status = run(launch, [[
                if me == 2 then os.exit(3) end
                print(pcall(s.barrier))]])
            assert.are.same({ "false\trank 2 has ended (os.exit)", "false\trank 2 has ended (os.exit)" }, lines)
            assert.are.equal(3, status)
            assert.is_truthy(err)
        end)
    end

    for launcher, options in pairs { ["mpirun.mpich"] = "", ["mpirun.openmpi"] = "--oversubscribe" .. root } do
        it("under " .. launcher .. " count messages that no rank has received", function()
            if sanitized or shell.capture("command -v " .. launcher) == "" then
                return
            end
            local launch = ("%s %s -n 2 %s --memory-limit 100"):format(launcher, options, path)
            for _, message in ipairs { "lun.ones(50000000 // 8):eval()", "('x'):rep(20000000)" } do
                local lines, err, status = run(launch, ([[
                    local sent, good, text = 0
                    if me == 0 then
                        good, text = pcall(function()
                            for _ = 1, 10 do
                                s.send(1, %s)
                                sent = sent + 1
                            end
                        end)
                        text = tostring(text)
                        collectgarbage()
                    end
                    sent = s.bcast(sent, 0)
                    for _ = 1, me == 1 and sent or 0 do
                        s.recv(0)
                        collectgarbage()
                    end
                    s.barrier()
                    if me == 0 then
                        print(good, text:match "memory limit reached" or text:match "not enough memory" or text, sent > 0)
                        s.send(1, lun.ones(1000000))
                    else
                        print("sum", s.recv(0):sum())
                    end]]):format(message))
                assert.are.equal("", err)
                assert.are.equal(0, status)
                assert.matches("^false\t[mn][eo][mt][^\n]*\ttrue$", lines[1])
                assert.are.equal("sum\t1000000.0", lines[2])
            end
        end)
    end

    it("are told where no MPI can be loaded, or another one counts otherwise", function()
        local lines, err, status = run("PMI_SIZE=4 PMI_RANK=1 LUNARRAY_MPI=/nonexistent/libmpi.so " .. path, "print(1)")
        assert.are.same({}, lines)
        assert.are.equal(1, status)
        assert.is_truthy(err:find("PMI_SIZE says that this is one of 4 processes, but no MPI could be started; tried: "
            .. "/nonexistent/libmpi.so (not found)", 1, true), err)
        if not sanitized and shell.capture "command -v mpirun.mpich" ~= "" then
            lines, err, status = run("env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 LUNARRAY_MPI=mpich " .. path,
                "print(1)")
            assert.are.same({}, lines)
            assert.are.equal(1, status)
            assert.is_truthy(err:find("but the MPI that was loaded counts 1", 1, true), err)
        end
    end)

    it("load nothing where there is one", function()
        local lines = run("PMI_SIZE=1 PMI_RANK=0 LUNARRAY_MPI=/nonexistent/libmpi.so " .. path, "print(n, me)")
        assert.are.same({ "1\t0" }, lines)
    end)
end)
