-- What loops by sharedon read of other ranks, at their own indices and at computed ones: what plain Lua's loop over
-- tables leaves, for each way of blocking and odd sizes; that no rank gets more than it reads; errors. Ranks are threads.

local onranks = require "onranks"

local scratch = onranks.scratch(setup, teardown)

local run, agrees = onranks.loops(scratch, assert)

describe("a shared loop reads", function()
    it("neighbours at any distance, beyond parts and ends where it does not use them", function()
        agrees [[
            for _, n in ipairs { 1, 2, 5, 63, 64, 65, 1000, 16385 } do
                local x = lun.random(n, { seed = n })
                local b, t = blocked({ s.block(n) }, x), x:totable()
                for _, by in ipairs { 1, 3, n // 2, n - 1 } do
                    local a, ta = lun.zeros { s.block(n) }, {}
                    s.sharedon(a, function(i)
                        local y = b[i]
                        if i > by then y = y - b[i - by] end
                        if i <= n - by then y = y * b[i + by] end
                        a[i] = y
                    end)
                    for i = 1, n do
                        local y = t[i]
                        if i > by then y = y - t[i - by] end
                        if i <= n - by then y = y * t[i + by] end
                        ta[i] = y
                    end
                    agree(n .. " by " .. by, a, ta)
                end
            end]]
    end)

    it("boxes of any blocking, transposed and at fixed indices", function()
        agrees [[
            local n, m = 11, 9
            local x = lun.random({ n, m }, { seed = 2 })
            local t = x:totable()
            for k, shape in ipairs { { s.block(n), m }, { n, s.block(m) }, { s.block(n), s.block(m) } } do
                for j, other in ipairs { { s.block(m), n }, { m, s.block(n) }, { s.block(m), s.block(n) } } do
                    local a, c, ta, tc = blocked(shape, x), lun.zeros(other), {}, {}
                    s.sharedon(c, function(i, j) c[i][j] = a[j][i] + a[3][i] * a[j][m] end)
                    serial({ m, n }, function(i, j)
                        tc[i] = tc[i] or {}
                        tc[i][j] = t[j][i] + t[3][i] * t[j][m]
                    end)
                    agree("transposed " .. k .. j, c, tc)
                    s.sharedon(c, { { 2, m - 1 }, { 2, n - 1 } }, function(i, j)
                        a[j][i] = (c[i - 1][j] + c[i + 1][j] + c[i][j - 1] + c[i][j + 1]) / 4
                    end)
                    for i = 1, n do ta[i] = table.move(t[i], 1, m, 1, {}) end
                    serial({ { 2, m - 1 }, { 2, n - 1 } }, function(i, j)
                        ta[j][i] = (tc[i - 1][j] + tc[i + 1][j] + tc[i][j - 1] + tc[i][j + 1]) / 4
                    end)
                    agree("five points " .. k .. j, a, ta)
                end
            end]]
    end)

    it("elements at computed indices: few, many, all, of any dtype and blocking", function()
        agrees [[
            for _, n in ipairs(os.getenv "TEST_WHOLE" and { 1, 2, 31, 32, 33, 64, 65, 1000, 4097 } or { 1, 2, 33, 64, 1000 }) do
                for _, dtype in ipairs { "f64", "i32", "u8", "bool", "f16" } do
                    local x = (lun.index(n) * 37 % 101):cast(dtype)
                    if dtype == "bool" then x = (lun.index(n) % 3):eq(1) end
                    local b, t = blocked({ s.block(n) }, x), x:totable()
                    for _, step in ipairs { 1, 0, 7919 } do
                        local to = (lun.index(n) * step) % n + 1
                        local where, tw = blocked({ s.block(n) }, to), to:totable()
                        local a, ta = blocked({ s.block(n) }, x), {}
                        s.sharedon(a, function(i) a[i] = b[where[i] ] end)
                        for i = 1, n do ta[i] = t[tw[i] ] end
                        agree(("%d %s by %d"):format(n, dtype, step), a, ta)
                    end
                end
                local v, tv = blocked({ s.block(n) }, lun.random(n, { seed = 1 })), lun.random(n, { seed = 1 }):totable()
                local a, ta = lun.zeros { s.block(n) }, {}
                -- two elements of a large array, far from one another
                s.sharedon(a, function(i) a[i] = v[1 + i % 2 * (n - 1)] end)
                for i = 1, n do ta[i] = tv[1 + i % 2 * (n - 1)] end
                agree("few of " .. n, a, ta)
            end
            local n, m = 13, 10
            local x = lun.random({ n, m }, { seed = 7 })
            local t, p = x:totable(), lun.index(n * m) * 41 % n + 1
            for k, shape in ipairs { { s.block(n), m }, { n, s.block(m) }, { s.block(n), s.block(m) } } do
                local b, where = blocked(shape, x), blocked({ s.block(n * m) }, p)
                local a, ta, tp = lun.zeros { s.block(n * m) }, {}, p:totable()
                s.sharedon(a, function(i) a[i] = b[where[i] ][i % m + 1] end)
                for i = 1, n * m do ta[i] = t[tp[i] ][i % m + 1] end
                agree("grid " .. k, a, ta)
            end]]
    end)

    it("in loops and branches that hang on elements, and at indices that do", function()
        agrees [[
            -- rows of a sparse matrix
            local n, per = 200, 5
            local starts = (lun.index(n + 1) - 1) * per + 1
            local columns = (lun.index(n * per) * 7919) % n + 1
            local values = lun.random(n * per, { seed = 5 })
            local first, column, value = blocked({ s.block(n + 1) }, starts), blocked({ s.block(n * per) }, columns),
                blocked({ s.block(n * per) }, values)
            local x = lun.random(n, { seed = 6 })
            local v, y = blocked({ s.block(n) }, x), lun.zeros { s.block(n) }
            local tc, tv, tx, ty = columns:totable(), values:totable(), x:totable(), {}
            s.sharedon(y, function(i)
                local sum = 0.0
                for k = first[i], first[i + 1] - 1 do sum = sum + value[k] * v[column[k] ] end
                y[i] = sum
            end)
            for i = 1, n do
                ty[i] = 0.0
                for k = (i - 1) * per + 1, i * per do ty[i] = ty[i] + tv[k] * tx[tc[k] ] end
            end
            agree("sparse", y, ty)
            -- indices of indices, branches on them, a search
            local p, q = (lun.index(n) * 31) % n + 1, (lun.index(n) * 57) % n + 1
            local bp, bq, tp, tq, z, tz = blocked({ s.block(n) }, p), blocked({ s.block(n) }, q), p:totable(), q:totable(),
                lun.zeros { s.block(n) }, {}
            s.sharedon(z, function(i)
                local at = bp[bq[i] ]
                if v[at] > 0.5 then z[i] = v[bp[at] ] else z[i] = -1.0 end
                for k = at, n do
                    if v[k] < 0.05 then
                        z[i] = z[i] + k
                        break
                    end
                end
            end)
            for i = 1, n do
                local at = tp[tq[i] ]
                tz[i] = tx[at] > 0.5 and tx[tp[at] ] or -1.0
                for k = at, n do
                    if tx[k] < 0.05 then
                        tz[i] = tz[i] + k
                        break
                    end
                end
            end
            agree("deep", z, tz)]]
    end)

    it("nothing but what it needs, from ranks that are not asked where it is known", function()
        local lines = run(4, [[
            local n = 40000
            local x = lun.random(n, { seed = 1 })
            local a, b, c = lun.zeros { s.block(n) }, blocked({ s.block(n) }, x), blocked({ s.block(n), 3 }, lun.ones { n, 3 })
            local function told(name, f)
                f()
                lun.stats "reset"
                f()
                local t = lun.stats()
                local messages, gets = s.allreduce("+", t.messages), s.allreduce("+", t.remote_gets)
                local bytes = s.allreduce("+", t.bytes_sent) // 1000
                s.master(function() print(name, messages, gets, bytes .. " kB") end)
            end
            told("halo", function() s.sharedon(a, { { 2, n } }, function(i) a[i] = b[i - 1] end) end)
            told("rows", function()
                s.sharedon(a, { { 1, n - 2 } }, function(i) a[i] = c[i + 2][1] + c[i + 1][2] end)
            end)
            told("own", function() s.sharedon(a, function(i) a[i] = b[i] + 1 end) end)
            told("few", function() s.sharedon(a, function(i) a[i] = b[i % 10 + 1] end) end)
            told("own, computed", function() s.sharedon(a, function(i) a[i] = b[i - i % 2 + i % 2] end) end)]])
        assert.are.same({ "few\t3\t30000\t0 kB", "halo\t3\t3\t0 kB", "own\t0\t0\t0 kB", "own, computed\t0\t0\t0 kB",
            "rows\t3\t9\t0 kB" }, lines)
    end)

    it("what its arrays are now, with a function that has run before", function()
        agrees [[
            local n = 70
            local a, b, by = lun.zeros { s.block(n) }, blocked({ s.block(n) }, lun.index(n) * 1.0), 1
            local where = lun.index(n):eval()
            local function f(i) a[i] = b[where[i] ] + (i > by and b[i - by] or 0) end
            local tw, tb = {}, {}
            for i = 1, n do tw[i], tb[i] = i, i * 1.0 end
            for round = 1, 6 do
                s.sharedon(a, f)
                local t = {}
                for i = 1, n do t[i] = tb[tw[i] ] + (i > by and tb[i - by] or 0) end
                agree("round " .. round, a, t)
                if round == 1 then
                    by = 3
                elseif round == 2 then
                    where:set((lun.index(n) * 3) % n + 1)
                    for i = 1, n do tw[i] = i * 3 % n + 1 end
                elseif round == 3 then
                    a, b, tb = b, a, t
                    for i = 1, n do tb[i] = t[i] end
                elseif round == 4 then
                    b = (b * 2):eval()
                    for i = 1, n do tb[i] = tb[i] * 2 end
                elseif round == 5 then
                    b = blocked({ s.block(n) }, lun.index(n):cast "i32")
                    for i = 1, n do tb[i] = i * 1.0 end
                end
            end]]
    end)

    it("out of range on one rank, which all of them tell, with the line, and nothing has changed", function()
        local function message(body)
            local lines = run(3, ([[
                local n = 9
                local a, b = lun.zeros { s.block(n) }, blocked({ s.block(n) }, lun.index(n))
                local ok, message = pcall(s.sharedon, a, function(i) %s end)
                s.barrier()
                s.sharedon(a, function(i) a[i] = a[i] + b[n + 1 - i] end)
                print(message, a:sum(), b:sum())]]):format(body))
            assert.are.equal(1, #lines, table.concat(lines, "\n"))
            return (lines[1]:gsub("s.lua:%d+", "s.lua:N"))
        end
        local of_b = "out of range for array 'b' of length 9\t45.0\t45"
        assert.are.equal("s.lua:N: PE 2: s.lua:N: index 10 is " .. of_b, message "a[i] = b[b[i] + i // 9]")
        assert.are.equal("s.lua:N: PE 1: s.lua:N: index 0 is " .. of_b, message "if i > 4 then a[i] = b[b[5] - 5] end")
        assert.are.equal("s.lua:N: PE 0: s.lua:N: index 0 is " .. of_b, message "a[i] = b[2 * i - 2]")
        assert.are.equal("s.lua:N: PE 0: s.lua:N: integer division by zero\t45.0\t45",
            message("a[i] = b[9 // (i - 2)]"):gsub("attempt to perform 'n//0'", "integer division by zero"))
    end)
end)
