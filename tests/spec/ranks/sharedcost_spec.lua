-- Loops by sharedon: which elements move where indices are the loop's variables times numbers, which stay known from
-- run to run, and how many steps a loop takes. Oracles are plain Lua's loops and counts by s.home. Ranks are threads.

local onranks = require "onranks"
local shell = require "shell"

local scratch = onranks.scratch(setup, teardown)

local run, agrees = onranks.loops(scratch, assert)

-- What a modelled network takes, in microseconds, for the second of two runs of each loop, by name.
local function modelled(ranks, script)
    shell.write(scratch() .. "/t.lua", ([[
        local s = lun.spmd
        local p = s.npes
        local function told(name, f)
            f() f()
            local before = lun.stats().network_time
            f()
            local time = s.allreduce("max", (lun.stats().network_time - before) * 1e6)
            s.master(function() print(name, ("%%.0f"):format(time)) end)
        end
        %s]]):format(script))
    local times = {}
    for name, time in shell.capture(("cd %s && LUNARRAY_RANK_CLOCK=2e-6,1e10 timeout 200 %s --ranks %d t.lua 2>&1"):format(
        scratch(), onranks.path, ranks)):gmatch "(%w+)\t(%d+)" do
        times[name] = math.tointeger(time)
    end
    return times
end

describe("a shared loop whose indices are its variables times numbers", function()
    it("reads what plain Lua's loop reads, of any blocking and size", function()
        agrees [[
            for _, n in ipairs { 1, 2, 3, 4, 5, 63, 64, 65, 1000, 16385 } do
                local x = lun.random(n, { seed = n })
                local b, t = blocked({ s.block(n) }, x), x:totable()
                for _, c in ipairs { 1, 2, 3, 7, n } do
                    local a, ta = lun.zeros { s.block(n) }, {}
                    s.sharedon(a, function(i)
                        local y = b[n + 1 - i]
                        if c * i <= n then y = y + b[c * i] * 2 end
                        if c * i - c + 1 <= n then y = y - b[c * (i - 1) + 1] end
                        a[i] = y
                    end)
                    for i = 1, n do
                        local y = t[n + 1 - i]
                        if c * i <= n then y = y + t[c * i] * 2 end
                        if c * i - c + 1 <= n then y = y - t[c * (i - 1) + 1] end
                        ta[i] = y
                    end
                    agree(n .. " by " .. c, a, ta)
                end
                local h, th = lun.zeros { s.block(n) }, {}
                for i = 1, n do th[i] = 0.0 end
                s.sharedon(h, { { 1, n // 3 } }, function(i) h[i] = b[3 * i] - b[3 * i - 2] + b[-2 * i + 1 + n] end)
                for i = 1, n // 3 do th[i] = t[3 * i] - t[3 * i - 2] + t[-2 * i + 1 + n] end
                agree("thirds of " .. n, h, th)
            end]]
    end)

    it("of two axes, with captured factors that change, and of each dtype", function()
        agrees [[
            local n, m = 11, 9
            for _, dtype in ipairs { "f64", "i32", "u8", "bool" } do
                local x = (lun.index(n * m) * 37 % 101):reshape(n, m)
                x = dtype == "bool" and x:gt(50) or x:cast(dtype)
                local t = x:totable()
                for k, shape in ipairs { { s.block(n), m }, { n, s.block(m) }, { s.block(n), s.block(m) } } do
                    local b = blocked(shape, x)
                    for c = 1, 3 do
                        local rows, columns = (n - 1) // c, (m - 1) // c
                        local a, ta = blocked({ s.block(rows), columns }, x:sub({ 1, rows }, { 1, columns })), {}
                        s.sharedon(a, function(i, j) a[i][j] = b[c * i + 1][m + 1 - c * j] end)
                        serial({ rows, columns }, function(i, j)
                            ta[i] = ta[i] or {}
                            ta[i][j] = t[c * i + 1][m + 1 - c * j]
                        end)
                        agree(("%s %d by %d"):format(dtype, k, c), a, ta)
                    end
                    local a, ta = blocked({ m // 2 }, x[1]:sub(1, m // 2)), {}
                    a = a:distribute("block", { over = "ranks" })
                    s.sharedon(a, function(i) a[i] = b[3][2 * i + 1] end)
                    for i = 1, m // 2 do ta[i] = t[3][2 * i + 1] end
                    agree(("row %s %d"):format(dtype, k), a, ta)
                end
            end]]
    end)

    it("gets the elements that it reads, and no others, without being asked", function()
        for _, ranks in ipairs { 2, 4, 7 } do
            for _, line in ipairs(run(ranks, [[
                local n = 1001
                local x = lun.random(n, { seed = 1 })
                local a, b = lun.zeros { s.block(n) }, blocked({ s.block(n) }, x)
                local function told(name, last, by, shift)
                    local wanted, pairs_seen, pairs = 0, {}, 0
                    for i = 1, last do
                        local from, to = s.home(b, by * i + shift), s.home(a, i)
                        if from ~= to then
                            wanted = wanted + 1
                            pairs = pairs + (pairs_seen[from * 99 + to] and 0 or 1)
                            pairs_seen[from * 99 + to] = true
                        end
                    end
                    s.barrier()
                    lun.stats "reset"
                    s.sharedon(a, { last }, function(i) a[i] = b[by * i + shift] end)
                    local t = lun.stats()
                    local sums = { s.allreduce("+", t.bytes_sent), s.allreduce("+", t.messages), s.allreduce("+", t.remote_gets) }
                    assert(sums[1] == 8 * wanted and sums[2] == pairs and sums[3] == wanted,
                        ("%s: %d bytes, %d messages, %d gets; %d elements, %d pairs"):format(name, sums[1], sums[2], sums[3],
                            wanted, pairs))
                end
                told("odd", n // 2, 2, -1)
                told("tenth", n // 10, 10, 0)
                told("backwards", n, -1, n + 1)
                told("all", n, 1, 0)
                print "held"]])) do
                assert.are.equal("held", line)
            end
        end
    end)

    it("raises the error of an index out of range on all ranks", function()
        local lines = run(3, [[
            local n = 9
            local a, b = lun.zeros { s.block(n) }, blocked({ s.block(n) }, lun.index(n))
            print(select(2, pcall(s.sharedon, a, function(i) a[i] = b[2 * i] end)), a:sum())
            print(select(2, pcall(s.sharedon, a, function(i) a[i] = b[n - i] end)), a:sum())]])
        assert.are.same({ "s.lua:N: PE 1: s.lua:N: index 10 is out of range for array 'b' of length 9\t0.0",
            "s.lua:N: PE 2: s.lua:N: index 0 is out of range for array 'b' of length 9\t0.0" },
            { (lines[1]:gsub("s.lua:%d+", "s.lua:N")), (lines[2]:gsub("s.lua:%d+", "s.lua:N")) })
    end)
end)

describe("what a shared loop wants at computed indices", function()
    it("is found once, while nothing changes of what they are computed from", function()
        local lines = run(4, [[
            local n = 4000
            local idx = lun.index(n) * 7919 % n + 1
            local x, y, index = blocked({ s.block(n) }, lun.random(n, { seed = 1 })), lun.zeros { s.block(n) },
                blocked({ s.block(n) }, idx)
            local wanted, list = 0, idx:totable()
            for i = 1, n do wanted = wanted + (s.home(x, list[i]) ~= s.home(y, i) and 1 or 0) end
            local function once(scale)
                s.barrier()
                lun.stats "reset"
                s.sharedon(y, function(i) y[i] = scale * x[index[i] ] end)
                local t = lun.stats()
                local sums = { s.allreduce("+", t.bytes_sent), s.allreduce("+", t.messages), s.allreduce("+", t.remote_gets) }
                return sums[1], sums[2], sums[3], t.launches
            end
            local _, messages, gets, launches = once(1.0)
            assert(messages == 24 and gets == wanted, "the first one: " .. messages)
            for k = 2, 100 do
                x = k % 2 == 0 and (x * 2):eval() or x -- its values do not matter
                local bytes, now, got, further = once(k * 1.0)
                assert(bytes == 8 * wanted and now == 12 and got == gets and further < launches,
                    ("%d: %d bytes, %d messages, %d gets"):format(k, bytes, now, got))
            end
            if me == 2 then index[1 + n // 2] = index[1 + n // 2] end -- written on one rank
            s.barrier()
            local bytes, now, got, again = once(1.0)
            assert(now == 12 and again == launches, "the same requests: the inspector runs, none is sent")
            if me == 2 then index[1 + n // 2] = 1 end
            s.barrier()
            bytes, now, got, again = once(1.0)
            assert(now == 24 and again == launches, "other requests")
            bytes, now, got, again = once(1.0)
            assert(now == 12 and again < launches, "known again")
            print "held"]])
        assert.are.same({ "held" }, lines)
    end)

    it("is found anew after each write to it, on any rank, by any way", function()
        agrees [[
            local n = 70
            local idx = lun.index(n) * 3 % n + 1
            local a, b, c = lun.zeros { s.block(n) }, blocked({ s.block(n) }, lun.random(n, { seed = 2 })),
                blocked({ s.block(n) }, lun.random(n, { seed = 3 }))
            local index, own, by = blocked({ s.block(n) }, idx), (lun.index(n) * 11 % n + 1):eval(), 0
            local tb, tc, ti, to = lun.random(n, { seed = 2 }):totable(), lun.random(n, { seed = 3 }):totable(), idx:totable(),
                own:totable()
            local function f(i) a[i] = b[index[i] ] + c[own[(i + by) % n + 1] ] end
            local writes = {
                function() end,
                function() if me == s.home(index, 5) then index[5] = 60 end ti[5] = 60 end,
                function() index[n] = 1 ti[n] = 1 end, -- from every rank
                function()
                    index:set(lun.index(n) * 9 % n + 1)
                    for i = 1, n do ti[i] = i * 9 % n + 1 end
                end,
                function()
                    s.localview(index):fill(7)
                    for i = 1, n do ti[i] = 7 end
                end,
                function()
                    s.sharedon(index, { { 2, 9 } }, function(i) index[n + 1 - i] = i end)
                    for i = 2, 9 do ti[n + 1 - i] = i end
                end,
                function() own[3] = 50 to[3] = 50 end,
                function() own:set(lun.index(n) * 13 % n + 1) for i = 1, n do to[i] = i * 13 % n + 1 end end,
                function() by = 4 end,
                function() b, c, tb, tc = c, b, tc, tb end,
                function()
                    index = blocked({ s.block(n) }, lun.index(n))
                    for i = 1, n do ti[i] = i end
                end,
                function() own = lun.index(n) for i = 1, n do to[i] = i end end,
                function() index:free() index = blocked({ s.block(n) }, lun.index(n) * 0 + 2) for i = 1, n do ti[i] = 2 end end,
                function() b = blocked({ s.block(n) }, lun.index(n):cast "i32") for i = 1, n do tb[i] = i end end,
            }
            for k, write in ipairs(writes) do
                s.barrier()
                write()
                s.barrier()
                for round = 1, 3 do
                    s.sharedon(a, f)
                    local t = {}
                    for i = 1, n do t[i] = tb[ti[i] ] + tc[to[(i + by) % n + 1] ] end
                    agree(k .. " round " .. round, a, t)
                end
            end
            -- the same function for other rounds
            for _, owner in ipairs { function(i) return a[i] end, function(i) return a[n + 1 - i] end } do
                s.sharedon(owner, { n }, f)
                local t = {}
                for i = 1, n do t[i] = tb[ti[i] ] + tc[to[(i + by) % n + 1] ] end
                agree("another owner", a, t)
            end]]
    end)
end)

describe("the steps of a shared loop", function()
    it("are two agreements and what moves", function()
        local times = modelled(16, [[
            local n = 64 * p
            local l, r = lun.zeros { s.block(n) }, lun.ones { s.block(n) }
            local idx = (lun.index(n) * 7919 % n + 1):distribute("block", { over = "ranks" })
            local a, b = lun.zeros { s.block(n), p }, lun.ones { p, s.block(n) }
            told("agreement", function() s.barrier() end)
            told("own", function() s.sharedon(l, function(i) l[i] = r[i] + 1 end) end)
            told("stencil", function() s.sharedon(l, { { 2, n - 1 } }, function(i) r[i] = (l[i - 1] + l[i + 1]) / 2 end) end)
            told("gather", function() s.sharedon(l, function(i) l[i] = r[idx[i] ] end) end)
            told("transposed", function() s.sharedon(a, function(i, j) a[i][j] = b[j][i] end) end)
            told("backwards", function() s.sharedon(l, function(i) l[i] = r[n + 1 - i] end) end)]])
        assert.are.equal(8, times.agreement) -- 4 rounds of 2 us
        assert.are.equal(16, times.own)
        assert.are.equal(18, times.stencil) -- 2 neighbours at once
        assert.are.equal(18, times.backwards) -- 1 partner
        assert.is_true(times.gather <= 25, times.gather) -- 4 rounds, and bytes
        assert.is_true(times.transposed <= 25, times.transposed)
    end)

    it("let no rank see elements of before it, without a barrier", function()
        for _, ranks in ipairs { 2, 3, 4 } do
            assert.are.same({ "held" }, run(ranks, [[
                local n = 4 * s.npes
                local a, b = lun.zeros({ s.block(n) }, "i64"), lun.zeros({ s.block(n) }, "i64")
                for round = 1, 200 do
                    s.sharedon(a, function(i) a[i] = a[i] + 1 b[n + 1 - i] = round end)
                    local i = (round * 7 + 4 * me) % n + 1
                    assert(a[i] == round and b[i] == round, round) -- asks another rank
                end
                s.barrier()
                print "held"]]))
        end
    end)
end)
