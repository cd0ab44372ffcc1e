-- Loops by sharedon whose rounds assign what rounds of other ranks assign, too, or combine: the elements that plain
-- Lua's loop over tables leaves, on any number of ranks, for each kind of write, dtype and order of the ranks' rounds;
-- messages; errors, which change nothing. Ranks are threads.

local onranks = require "onranks"

local scratch = onranks.scratch(setup, teardown)

local run, agrees = onranks.loops(scratch, assert)

describe("a shared loop", function()
    it("makes a histogram, of any size, with the bits of plain Lua's loop", function()
        agrees [[
            for _, n in ipairs { 0, 1, 2, 6, 63, 64, 65, 1001, 16385 } do
                local bins = n % 50 + 1
                local where, x = (lun.index(n) * 7919) % bins + 1, lun.random(n, { seed = 4 })
                local e, v, h = blocked({ s.block(n) }, where), blocked({ s.block(n) }, x), lun.ones { s.block(bins) }
                local te, tv, th = where:totable(), x:totable(), {}
                for k = 1, bins do th[k] = 1.0 end
                s.sharedon(e, function(i) h[e[i] ] = h[e[i] ] + v[i] end)
                for i = 1, n do th[te[i] ] = th[te[i] ] + tv[i] end
                agree("histogram " .. n, h, th)
            end]]
    end)

    it("combines by each operation, of each dtype, the element first or second", function()
        agrees [[
            local n, bins = 203, 11
            local where = (lun.index(n) * 37) % bins + 1
            local e, te = blocked({ s.block(n) }, where), where:totable()
            for _, t in ipairs { "f64", "i64", "i32", "u8" } do
                local start = (lun.index(bins) * 3 % 8 + 1):cast(t)
                local x = (lun.index(n) % 5 - (t == "u8" and 0 or 2)):cast(t)
                local v, tv = blocked({ s.block(n) }, x), x:totable()
                local h, th
                local function try(what, shared, plain)
                    h, th = blocked({ s.block(bins) }, start), start:totable()
                    s.sharedon(e, shared)
                    for i = 1, n do plain(i) end
                    agree(what .. " " .. t, h, th)
                end
                try("sum", function(i) h[e[i] ] = h[e[i] ] + v[i] end, function(i) th[te[i] ] = th[te[i] ] + tv[i] end)
                try("sum behind", function(i) h[e[i] ] = v[i] + h[e[i] ] end,
                    function(i) th[te[i] ] = tv[i] + th[te[i] ] end)
                try("least", function(i) h[e[i] ] = math.min(h[e[i] ], v[i]) end,
                    function(i) th[te[i] ] = math.min(th[te[i] ], tv[i]) end)
                try("most", function(i) h[e[i] ] = math.max(v[i], h[e[i] ]) end,
                    function(i) th[te[i] ] = math.max(tv[i], th[te[i] ]) end)
                try("constant", function(i) h[e[i] ] = h[e[i] ] + 1 end, function(i) th[te[i] ] = th[te[i] ] + 1 end)
                if t ~= "u8" then
                    try("difference", function(i) h[e[i] ] = h[e[i] ] - v[i] end,
                        function(i) th[te[i] ] = th[te[i] ] - tv[i] end)
                    try("product", function(i) h[e[i] ] = h[e[i] ] * (v[i] % 2 * 2 - 1) end,
                        function(i) th[te[i] ] = th[te[i] ] * (tv[i] % 2 * 2 - 1) end)
                end
                if t ~= "f64" then
                    try("or", function(i) h[e[i] ] = h[e[i] ] | v[i] end, function(i) th[te[i] ] = th[te[i] ] | tv[i] end)
                    try("and", function(i) h[e[i] ] = h[e[i] ] & v[i] end, function(i) th[te[i] ] = th[te[i] ] & tv[i] end)
                    try("exclusive or", function(i) h[e[i] ] = h[e[i] ] ~ v[i] end,
                        function(i) th[te[i] ] = th[te[i] ] ~ tv[i] end)
                end
            end]]
    end)

    it("takes rounds in the order of the whole loop, however ranks share them", function()
        agrees [[
            local n, m, bins = 23, 17, 5
            local x = lun.random({ n, m }, { seed = 3 }) * 1e3
            local where = (lun.index(n * m) * 31 % bins + 1):reshape { n, m }
            local tx, te = x:totable(), where:totable()
            local shapes = { { s.block(n), m }, { n, s.block(m) }, { s.block(n), s.block(m) } }
            for k, shape in ipairs(shapes) do
                local v, e = blocked(shape, x), blocked(shape, where)
                local cube = lun.zeros { s.block(bins), 2, s.block(3) }
                local h, last, tcube, th, tlast = lun.zeros { s.block(bins) }, lun.zeros { s.block(bins) }, {}, {}, {}
                for b = 1, bins do
                    th[b], tlast[b], tcube[b] = 0.0, 0.0, { { 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0 } }
                end
                local extents = { { 2, n - 1 }, m }
                s.sharedon(v, extents, function(i, j)
                    h[e[i][j] ] = h[e[i][j] ] + v[i][j]
                    last[e[i][j] ] = v[i][j]
                    if v[i][j] > 300 then
                        local row = cube[e[i][j] ]
                        row[2][j % 3 + 1] = v[i][j]
                    end
                end)
                serial(extents, function(i, j)
                    th[te[i][j] ] = th[te[i][j] ] + tx[i][j]
                    tlast[te[i][j] ] = tx[i][j]
                    if tx[i][j] > 300 then tcube[te[i][j] ][2][j % 3 + 1] = tx[i][j] end
                end)
                agree("sums " .. k, h, th)
                agree("last ones " .. k, last, tlast)
                agree("cube " .. k, cube, tcube)
                h, th = lun.zeros { s.block(bins) }, { 0.0, 0.0, 0.0, 0.0, 0.0 }
                -- ranks in descending order, and every second column
                s.sharedon(function(i, j) return v[n + 1 - i][2 * j - 1] end, { n, 9 }, function(i, j)
                    h[e[i][j] ] = v[n + 1 - i][2 * j - 1] + h[e[i][j] ]
                end)
                serial({ n, 9 }, function(i, j) th[te[i][j] ] = tx[n + 1 - i][2 * j - 1] + th[te[i][j] ] end)
                agree("backwards " .. k, h, th)
            end]]
    end)

    it("combines columns by several statements, each in its order", function()
        agrees [[
            local n, bins = 130, 7
            local where, x = lun.index(n) * 11 % bins + 1, lun.random(n, { seed = 8 })
            local e, v = blocked({ s.block(n) }, where), blocked({ s.block(n) }, x)
            local te, tv, t = where:totable(), x:totable(), {}
            local h = lun.zeros { bins, s.block(3) }
            for b = 1, bins do t[b] = { 0.0, 0.0, 0.0 } end
            s.sharedon(e, function(i)
                h[e[i] ][1] = h[e[i] ][1] + v[i]
                h[e[i] ][3] = h[e[i] ][3] + v[i] * v[i]
            end)
            for i = 1, n do
                local row = t[te[i] ]
                row[1], row[3] = row[1] + tv[i], row[3] + tv[i] * tv[i]
            end
            agree("columns", h, t)]]
    end)

    it("lets the later round win, also where it leaves an element what it was", function()
        agrees [[
            local n = 9
            local x = lun.random({ n, n }, { seed = 5 })
            x = x:ge(0.4):where(x, 0.0)
            local v, tv = blocked({ n, s.block(n) }, x), x:totable()
            local a, t = lun.zeros { s.block(n) }, {}
            for k = 1, n do t[k] = 0.0 end
            -- each element is assigned by rounds of all ranks, by the last ones often with the 0.0 that it is
            s.sharedon(v, function(i, j) if v[i][j] ~= 0.5 then a[i] = v[i][j] end end)
            serial({ n, n }, function(i, j) if tv[i][j] ~= 0.5 then t[i] = tv[i][j] end end)
            agree("rows", a, t)
            local one, tone = lun.zeros { s.block(2) }, { 0.0, 0.0 }
            s.sharedon(v, function(i, j)
                if i + v[i][j] < 2 then one[1] = 5.0 else one[1] = 0.0 end
            end)
            agree("one", one, tone)
            s.sharedon(v, function(i) one[2] = i * 1.0 end)
            agree("known", one, { 0.0, n * 1.0 })
            -- at the loop's own index, on another rank: zeros that differ in their bits alone
            local w = blocked({ s.block(n), n }, x)
            local z, tz = lun.zeros { s.block(n), n }, {}
            s.sharedon(v, function(i, j) if v[i][j] > 0.5 then z[i][j] = -0.0 end end)
            for i = 1, n do
                tz[i] = {}
                for j = 1, n do tz[i][j] = tv[i][j] > 0.5 and -0.0 or 0.0 end
            end
            agree("zeros", z, tz)
            agree("what is read", w, tv)]]
    end)

    it("knows indices of private arrays, and counts accesses, with one message for each pair of ranks", function()
        local lines = run(4, [[
            local n, bins = 416, 8
            local where = (lun.index(n) - 1) % bins + 1
            local e, h, g = blocked({ s.block(n) }, where), lun.zeros({ s.block(bins) }, "i64"),
                lun.zeros({ s.block(bins) }, "i64")
            lun.stats "reset"
            s.sharedon(e, function(i) h[e[i] ] = h[e[i] ] + i end)
            local t = lun.stats()
            print("blocked", t.messages, t.remote_gets, t.remote_puts)
            lun.stats "reset"
            s.sharedon(e, function(i) g[e[i] ] = i end)
            t = lun.stats()
            print("last", t.messages, t.remote_gets, t.remote_puts)
            lun.stats "reset"
            s.sharedon(e, function(i) g[where[i] ] = g[where[i] ] + i end)
            t = lun.stats()
            print("private", t.remote_gets, t.remote_puts)
            local th, tg = {}, {}
            for i = 1, n do
                th[where[i] ] = (th[where[i] ] or 0) + i
            end
            for b = 1, bins do tg[b] = th[b] + 408 + b end
            agree("sums", h, th)
            agree("last and sums", g, tg)]])
        assert.are.same({ "blocked\t3\t78\t78", "last\t3\t0\t78", "private\t78\t78" }, lines)
    end)

    it("changes nothing where a round fails, and raises one error on all ranks", function()
        local function message(body)
            local lines = run(3, ([[
                local n = 9
                local where = lun.index(n) %% 4 + 1
                local e, h, a = blocked({ s.block(n) }, where), lun.full({ s.block(5) }, 250, "u8"), lun.zeros { s.block(n) }
                local ok, message = pcall(s.sharedon, e, function(i) %s end)
                s.barrier()
                print(message, h:sum(), a:sum())]]):format(body))
            assert.are.equal(1, #lines, table.concat(lines, "\n"))
            return (lines[1]:gsub("s.lua:%d+", "s.lua:N"))
        end
        assert.are.equal("s.lua:N: PE 2: s.lua:N: index 10 is out of range for array 'a' of length 9\t1250\t0.0",
            message "h[e[i] ] = i a[e[i] + i // 9 * 8] = 1.0")
        assert.are.equal("s.lua:N: PE 0: s.lua:N: number 256 does not fit in u8\t1250\t0.0",
            message "a[i] = 1.0 h[e[i] ] = h[e[i] ] + 3")
        assert.are.equal("nil\t1259\t9.0", message "a[i] = 1.0 h[e[i] ] = h[e[i] ] + 1")
        assert.is_truthy(message "h[e[i] ] = h[e[i] ] * 2 + 1":find("reads 'h'", 1, true))
    end)
end)

describe("a log of a loop", function()
    local internal = require("lunarray.core").internal

    -- By statement: the places from 0 and values of its rounds, or a box.
    local function log_of(extents, f, ...)
        local parts = {}
        for k, a in ipairs { ... } do
            parts[k] = { array = k, elements = a }
        end
        local list = internal.loop_run({ whole = extents, box = extents }, f, parts, ...)
        for k, note in ipairs(list) do
            local where = note.places and table.concat(note.places:reshape(-1):totable(), " ") or
                ("%s + %s"):format(table.concat(note.first, " "), table.concat(note.count, " "))
            list[k] = ("%d: %s = %s"):format(note.array, where, table.concat(note.values:reshape(-1):totable(), " "))
        end
        return list
    end

    it("has what is assigned, and stores nothing of it", function()
        local a, b, m = lun.zeros(8), lun.zeros(7, "i64"), lun.zeros { 3, 4 }
        local four = { { 1, 4 } }
        assert.are.same({ "1: 1 3 5 7 = 1.0 1.0 1.0 1.0" }, log_of(four, function(i) a[2 * i] = 1.0 end, a))
        assert.are.same({ "2: -1 2 -1 2 = 0 5 0 5" },
            log_of(four, function(i) if i % 2 == 0 then b[3] = 5 end end, a, b))
        assert.are.same({ "1: 3 11 = 0.5 0.5" },
            log_of({ { 1, 2 } }, function(i) m[2 * i - 1][4] = m[2 * i - 1][4] + 0.5 end, m))
        assert.are.same({ "1: 2 + 4 = 1.0 2.0 3.0 4.0" }, log_of(four, function(i) a[i + 1] = i end, a))
        assert.are.same({ "1: 2 1 + 1 4 = 1.0 2.0 3.0 4.0" }, log_of(four, function(i) m[2][i] = i end, m))
        assert.are.same({ "1: 1 1 + 3 4 = 0.0 1.0 2.0 3.0 1.0 2.0 3.0 4.0 2.0 3.0 4.0 5.0" },
            log_of({ { 1, 4 }, { 1, 3 } }, function(j, i) m[i][j] = i + j - 2 end, m))
        assert.are.equal(0.0, a:sum() + b:sum() + m:sum())
        assert.are.same({}, log_of({ { 1, 3 } }, function(i) b[2 * i] = 4 end, a)) -- not asked for
        assert.are.equal(12, b:sum())
        assert.is_false((pcall(log_of, { { 1, 6 } }, function(i) a[2 * i] = 1 end, a)))
        assert.are.equal(0.0, a:sum())
    end)

    it("is stored with others by rounds, and refused where it does not fit", function()
        local function log(rounds, places, values, t)
            return { rounds = lun.vector(rounds, "i64"), places = lun.vector(places, "i64"),
                values = lun.vector(values, t or "f64"), how = 0, behind = false, note = "" }
        end
        local a = lun.zeros(4)
        local list = { log({ 2, 5, 6 }, { 1, 1, 3 }, { 1, 2, 3 }), log({ 0, 3, 6 }, { 0, 1, 3 }, { 4, 5, 6 }),
            log({}, {}, {}), log({ 4 }, { 1 }, { 7 }) }
        assert.are.same({ 4.0, 2.0, 0.0, 6.0 }, internal.store_logged(a, list):totable())
        assert.are.same({ 0.0, 0.0, 0.0, 0.0 }, a:totable())
        assert.are.same({ 0.0, 0.0, 0.0, 0.0 }, internal.store_logged(a, {}):totable())
        for _, bad in ipairs { log({ 1 }, { 4 }, { 1 }), log({ 1 }, { -1 }, { 1 }), log({ 1, 2 }, { 1 }, { 1 }),
            log({ 1 }, { 1 }, { 1 }, "f32") } do
            assert.is_false((pcall(internal.store_logged, a, { bad })))
        end
    end)
end)
