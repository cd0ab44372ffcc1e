-- Blocked arrays over ranks that are threads: where elements stand (the rules written anew here), elementwise work and its
-- messages, reductions with the bits of one rank, loops by sharedon against the serial loop, files. Each script runs
-- on several numbers of ranks, and what it prints has to be the same on all of them.

local onranks = require "onranks"
local shell = require "shell"

local path = onranks.path
local scratch = onranks.scratch(setup, teardown)

-- The different lines that ranks print, sorted; what they write to stderr.
local function run(n, script)
    shell.write(scratch() .. "/s.lua", "local s = lun.spmd local n, me = s.npes, s.mype\n" .. script)
    local text = shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 %s --ranks %d s.lua 2>err"):format(scratch(), path, n))
    return onranks.lines(text), shell.slurp(scratch() .. "/err")
end

-- What one rank prints is what each of n prints.
local function same(counts, script)
    local alone, err = run(1, script)
    assert.are.equal("", err)
    assert.is_true(#alone > 0)
    for _, n in ipairs(counts) do
        local lines, errors = run(n, script)
        assert.are.equal("", errors)
        assert.are.same(alone, lines)
    end
end

describe("blocks", function()
    it("are as ABC says: 20 by 50 blocked, on 4 PEs", function()
        assert.are.same({
            "0\t20\t13\t1040\t0 13", "1\t20\t13\t1040\t13 26", "2\t20\t13\t1040\t26 39", "3\t20\t11\t880\t39 50",
        }, (run(4, [[
            local a = lun.zeros({ 20, s.block(50) }, "i32")
            local first, last
            for j = 1, 50 do
                if s.home(a, 20, j) == me then first, last = first or j - 1, j end
            end
            print(me, s.blksize(a, 1, me), s.blksize(a, 2, me), s.localsize(a, me), first .. " " .. last)
            local rows, columns = s.localview(a):shape()
            assert(rows == 20 and columns == last - first)]])))
    end)

    it("of two dimensions: 20 by 50 on 64 PEs is 4 by 16", function()
        local spread = require "lunarray.block.spread"
        local grid = spread.new({ 20, 50 }, { 1, 2 }, nil, 64)
        assert.are.same({ 4, 16 }, grid.grid)
        for pe = 0, 63 do
            local _, count = spread.box(grid, pe)
            assert.are.same(pe < 8 and { 5, 4 } or { 5, 3 }, count)
        end
    end)

    -- By definition: parts that cover all elements once, in order.
    it("cover all elements once, by each rule, for odd sizes", function()
        local spread = require "lunarray.block.spread"
        local sizes = {
            ceiling = function(n, p)
                local list, left, size = {}, n, math.ceil(n / p)
                for k = 1, p do
                    list[k] = math.min(size, left)
                    left = left - list[k]
                end
                return list
            end,
            balanced = function(n, p)
                local list = {}
                for k = 1, p do
                    list[k] = 0
                end
                for k = 0, n - 1 do
                    list[k % p + 1] = list[k % p + 1] + 1
                end
                return list
            end,
            remainder = function(n, p)
                local list = {}
                for k = 1, p do
                    list[k] = math.floor(n / p)
                end
                list[p] = list[p] + math.fmod(n, p)
                return list
            end,
        }
        for rule, sizes_of in pairs(sizes) do
            for _, n in ipairs { 0, 1, 2, 5, 6, 7, 8, 50, 63, 64, 65, 100 } do
                for p = 1, 9 do
                    local s, at = spread.new({ n }, { 1 }, rule, p), 0
                    for pe, size in ipairs(sizes_of(n, p)) do
                        local first, count = spread.box(s, pe - 1)
                        assert.are.equal(size, count[1])
                        assert.are.equal(at + 1, first[1])
                        for i = at + 1, at + size do
                            local home, inside = spread.home(s, { i })
                            assert.are.equal(pe - 1, home)
                            assert.are.equal(i - at, inside[1])
                        end
                        at = at + size
                    end
                    assert.are.equal(n, at)
                end
            end
        end
    end)
end)

describe("a blocked array", function()
    it("is an array: operators, methods, skeletons, functions, elements", function()
        same({ 2, 3, 4, 7 }, [[
            for _, N in ipairs { 1, 2, 7, 64, 65 } do
                local a, b = lun.zeros({ s.block(N) }, "f64"), lun.ones({ s.block(N) }, "f64")
                a:set(lun.random(N, { seed = 1 }))
                local private = lun.random(N, { seed = 1 })
                for k, e in ipairs {
                    (a + b) * 2 - a / 3, a ^ 2 % 0.3, a:lt(0.5), lun.where(a:lt(0.5), a, b), lun.sqrt(a),
                    a:map(function(x) return x * x + 1 end), lun.max(a, 0.5),
                    a:zip(b, function(x, y) return x - y end), private + a, 1 - a,
                    lun.map(function(x, w) return x + w[1] end)(a, private), (a * 10):cast "i32", -a,
                    lun.zip "+"(a, b), private:max(b),
                } do
                    print(N, k, e:dtype(), #e, e[1], e[N], e:kind())
                end
                s.barrier()
                if me == n - 1 then a[N] = 5 end
                s.barrier()
                assert(a[N] == 5 and a[N + 1] == nil)
                s.barrier()
                print(N, a:fill(2):sum(), tostring(a):gsub("over .- ranks?", ""))
            end]])
    end)

    it("has rank 2 and 3, blocked anywhere", function()
        same({ 2, 4, 6 }, [[
            local private = lun.random({ 7, 9 }, { seed = 3 })
            for name, a in ipairs {
                lun.zeros { s.block(7), 9 }, lun.zeros { 7, s.block(9) }, lun.zeros { s.block(7), s.block(9) },
            } do
                a:set(private)
                local e = a * 2 + private - lun.index(9)
                local sum = 0
                for i = 1, 7 do for j = 1, 9 do sum = sum + e[i][j] end end
                print(name, ("%.17g"):format(sum), e[7][9], (a - private):abs():max(), a:sum() == private:sum())
                local moved = lun.zeros { s.block(7, { rule = "remainder" }), 9 }
                moved:set(a)
                print(name, (moved - private):abs():max(), (a + moved):sum() == (private + private):sum())
            end
            local cube = lun.random({ 3, s.block(4), s.block(5) }, { seed = 8 })
            print(cube[3][4][5], cube[1][1][1], cube:copy():distribute("copy", { over = "ranks" }):sum())]])
    end)

    -- A rank that waits answers others by functions that make arrays; at some number of arrays the list of them grows then.
    it("fills an array while others are made, however many there are", function()
        same({ 6 }, [[
            collectgarbage "stop"
            local cube = lun.random({ 3, s.block(4), s.block(5) }, { seed = 8 })
            local keep, total = {}, nil
            for i = 1, 140 do
                keep[i] = lun.ones(1)
                local sum = cube:copy():distribute("copy", { over = "ranks" }):sum()
                total = total or sum
                assert(sum == total and cube[3][4][5] == cube[3][4][5])
            end
            print(total)]])
    end)

    it("reduces with the bits of one rank", function()
        same({ 2, 3, 7 }, [[
            for _, N in ipairs { 0, 1, 16383, 16384, 16385, 65537, 100003 } do
                for _, dtype in ipairs { "f64", "f32", "i32" } do
                    local private = dtype == "i32" and lun.random(N, { seed = N + 1 }):map(function(x)
                        return math.floor(x * 100)
                    end):cast "i32" or lun.random(N, { seed = N + 1, dtype = dtype })
                    for _, rule in ipairs { "ceiling", "remainder" } do
                        local a = private:copy():distribute("block", { over = "ranks", rule = rule })
                        assert(a:sum() == private:sum())
                        assert(not (N > 0) or a:mean() == private:mean())
                        assert(not (N > 0) or a:min() == private:min() and a:max() == private:max())
                        assert((a + 1):prod() == (private + 1):prod())
                        assert(a:gt(0.5):count() == private:gt(0.5):count())
                        assert(a:gt(0.5):any() == private:gt(0.5):any() and a:lt(2):all() == private:lt(2):all())
                    end
                end
            end
            local m = lun.random({ 100, s.block(1003) }, { seed = 2, dtype = "f32" })
            local private = lun.random({ 100, 1003 }, { seed = 2, dtype = "f32" }):copy()
            assert(m:sum() == private:sum() and m:var() == private:var() and m:argmax() == private:argmax())
            assert(m:sum(1)[5] == private:sum(1)[5])
            print "equal"]])
    end)

    it("has the mean of one rank where sums overflow or round", function()
        same({ 2, 3, 7 }, [[
            for _, N in ipairs { 1, 3, 8, 65, 16385 } do
                for _, x in ipairs {
                    lun.random(N, { seed = 1 }) * 1.7e308,
                    ((lun.random(N, { seed = 2 }) - 0.25) * 0x1p63):floor():cast "i64",
                    (lun.random(N, { seed = 3 }) * 0x1p31):floor():cast "i32",
                    (lun.random(N, { seed = 4 }) * 3):cast "f32",
                    lun.random(N, { seed = 5 }):gt(0.5), lun.full(N, 1 / 0), lun.full(N, 0 / 0),
                } do
                    local want = ("%.17g"):format(x:eval():mean())
                    local got = ("%.17g"):format(x:copy():distribute("block", { over = "ranks" }):mean())
                    assert(got == want, ("%d of %s: %s, not %s"):format(N, x:dtype(), got, want))
                end
            end
            local large = lun.full({ s.block(7) }, math.maxinteger, "i64")
            assert(large:mean() == 0x1p63)
            print "equal"]])
    end)

    it("has elements for one rank alone once all have evaluated it", function()
        for _, n in ipairs { 1, 2, 3 } do
            assert.are.same({ "held" }, (run(n, [[
                local a = lun.zeros({ s.block(50) }, "i64")
                a:set(lun.index(50))
                local b, c, d = a * 2 + 1, (a * 3):map(function(x) return x - 1 end):eval(), a + a
                assert(lun.eval(b, d) == b)
                if me == n - 1 then
                    for i = 1, 50 do assert(b[i] == 2 * i + 1 and c[i] == 3 * i - 1, i) end
                    b[1] = -7
                end
                s.barrier()
                if me == 0 then assert(b[1] == -7 and d[50] == 100) end
                s.barrier()
                b:eval()
                local e = b + 1
                b:free()
                assert(e:sum() == 2640)
                print "held"]])), n .. " ranks")
        end
        assert.matches("ranks differ: rank 0 is at a barrier; rank 1 evaluates i64%[9%]", (run(2, [[
            local a = lun.zeros({ s.block(9) }, "i64") + 1
            print(select(2, pcall(me == 0 and s.barrier or a.eval, a)).message:gsub(" %(.-%)", "") .. "")]]))[1])
    end)

    it("needs no message for elementwise work, one collective for an exact sum", function()
        assert.are.same({ "0\t0\t0", "0\t1\t0" }, (run(4, [[
            local a, b = lun.zeros({ s.block(1000) }, "i64"), lun.ones({ s.block(1000) }, "i64")
            lun.stats "reset"
            local c = (a + b) * 2
            c:eval()
            local t = lun.stats()
            print(t.messages, t.collectives, t.remote_gets)
            c:sum()
            t = lun.stats()
            print(t.messages, t.collectives, t.remote_gets)]])))
    end)

    it("is written as one file, byte for byte that of one rank, and read in parts", function()
        run(1, [[lun.save("one.npy", lun.random({ 40, 7 }, { seed = 5 }))]])
        for _, n in ipairs { 1, 3 } do
            local lines, err = run(n, [[
                local a = assert(lun.open "one.npy"):distribute("block", { over = "ranks" })
                assert(s.localview(a):size() == s.blksize(a, 1, me) * 7)
                print(lun.save("many.npy", a))
                print(lun.save("/nonexistent/x.npy", a))]])
            assert.are.equal("", err)
            assert.are.equal("true", lines[2])
            assert.is_truthy(lines[1]:find "^nil\t/nonexistent/x.npy: ")
            assert.are.equal(shell.slurp(scratch() .. "/one.npy"), shell.slurp(scratch() .. "/many.npy"))
        end
    end)

    it("is summed by ranks where lun.spmd.sums says so, in the ranks' own order", function()
        local script = [[
            local x = lun.random({ 60, 50 }, { seed = 3 })
            local a = lun.zeros({ 60, s.block(50) }, "f64")
            a:set(x)
            lun.stats "reset"
            lun.spmd.sums = "ranks"
            local total, moved = a:sum(), lun.stats().messages
            local list, first = {}, 1
            for pe = 0, n - 1 do
                local count = s.blksize(a, 2, pe)
                list[pe + 1] = x:sub({ 1, 60 }, { first, first + count - 1 }):copy():sum()
                first = first + count
            end
            while #list > 1 do
                local level = {}
                for k = 1, #list, 2 do
                    level[#level + 1] = list[k + 1] and list[k] + list[k + 1] or list[k]
                end
                list = level
            end
            lun.spmd.sums = nil
            print(total == list[1], moved, a:sum() == x:sum(), a:mean() == x:mean())
            lun.spmd.sums = "any"
            print(pcall(a.sum, a))]]
        for _, n in ipairs { 1, 3, 4, 7 } do
            local lines, err = run(n, script)
            assert.are.equal("", err)
            assert.are.same({
                'false\ts.lua:24: lun.spmd.sums is nil, for the bits of one rank, or "ranks", not any',
                "true\t0\ttrue\ttrue",
            }, lines)
        end
    end)

    it("is written by all ranks, also in blocks of several dimensions, and by PE 0 where a rank cannot reach it", function()
        run(1, [[
            lun.save("one.npy", lun.random({ 23, 17, 5 }, { seed = 9 }))
            lun.save("none.npy", lun.zeros({ 0, 4 }))
            lun.save("few.npy", lun.zeros({ 3 }, "u8"))]])
        for _, n in ipairs { 2, 3, 4, 7 } do
            local lines, err = run(n, [[
                local whole = lun.random({ 23, 17, 5 }, { seed = 9 })
                local shapes = { { s.block(23), 17, 5 }, { 23, s.block(17), 5 }, { s.block(23), s.block(17), 5 },
                    { 23, 17, s.block(5) }, { s.block(23), s.block(17), s.block(5) } }
                for k, shape in ipairs(shapes) do
                    local a = lun.zeros(shape, "f64")
                    a:set(whole)
                    assert(lun.save("many" .. k .. ".npy", a))
                end
                assert(lun.save("many6.npy", lun.zeros({ s.block(0), 4 })))
                assert(lun.save("many7.npy", lun.zeros({ s.block(3) }, "u8")))
                local open = io.open
                if me > 0 then
                    io.open = function() return nil end
                end
                local a = lun.zeros(shapes[3], "f64")
                a:set(whole)
                assert(lun.save("many8.npy", a))
                io.open = open
                print "saved"]])
            assert.are.equal("", err)
            assert.are.equal("saved", lines[1])
            for k = 1, 8 do
                local name = k == 6 and "none" or k == 7 and "few" or "one"
                assert.are.equal(shell.slurp(scratch() .. "/" .. name .. ".npy"), shell.slurp(("%s/many%d.npy"):format(scratch(),
                    k)), n .. " ranks: " .. k)
            end
            assert.are.equal("", shell.capture(("ls -A %s | grep lunarray-"):format(scratch())))
        end
    end)

    it("is made by index, linspace and generate, each rank its own elements, without a message", function()
        for _, n in ipairs { 1, 2, 3, 7 } do
            local said, err = run(n, [[
                local calls = lun.stats().messages
                local function check(a, b)
                    assert(a:kind() == "Blocked" and a:dtype() == b:dtype())
                    assert(a:copy():distribute("copy", { over = "ranks" }):equals(b))
                end
                local function f(i, j) return i * 100 + j, i / j end
                local made = { lun.index(s.block(11)), lun.linspace(-1, 2, s.block(9)), lun.linspace(0, 1, s.block(1)),
                    lun.index(s.block(0)), lun.random({ 2, s.block(13) }, { seed = 4 }),
                    lun.generate(s.block(6), function(i) return i // 2 end) }
                local x, y = lun.generate({ 4, s.block(10) }, f)
                local z = lun.generate({ s.block(9), s.block(8, { rule = "balanced" }) }, f)
                assert(lun.stats().messages == calls, "messages")
                for k, whole in ipairs { lun.index(11), lun.linspace(-1, 2, 9), lun.linspace(0, 1, 1), lun.index(0),
                    lun.random({ 2, 13 }, { seed = 4 }), lun.generate(6, function(i) return i // 2 end) } do
                    check(made[k], whole)
                end
                local p, q = lun.generate({ 4, 10 }, f)
                check(x, p) check(y, q) check(z, (lun.generate({ 9, 8 }, f)))
                assert(s.localsize({ 4, s.block(10) }, "f64") == s.localsize(y))
                assert(s.localsize({ 4, s.block(10) }, "u8", n - 1) == s.localsize(y, n - 1) // 8)
                print "made"]])
            assert.are.same({ { "made" }, "" }, { said, err }, n)
        end
        for script, wanted in pairs {
            ["lun.generate({ { 2, 5 }, s.block(10) }, function(i) return i end)"] =
                "bad argument #1 to 'generate' (axis 1: an extent expected, got a table)",
            ["lun.generate(s.block(10), function(i) return i end, { out = lun.zeros(10) })"] =
                "bad argument #3 to 'generate' (a blocked array has no options: out is a private one's)",
            ["s.localsize({ 3, s.block(10) }, 'f3')"] = "bad argument #2 to 'localsize' (a dtype expected, got f3)",
            ["s.localsize({ 3, 10 }, 'f32')"] = "bad argument #1 to 'localsize' (a shape expected)",
        } do
            local said = run(2, ("print(select(2, pcall(function() %s end)))"):format(script))
            assert.are.same({ "s.lua:2: " .. wanted }, said)
        end
    end)

    it("has ranges that are blocked arrays, of which only what is on other ranks moves", function()
        for _, n in ipairs { 1, 2, 3, 7 } do
            local said, err = run(n, [[
                local p, line = lun.random({ 23, 9 }, { seed = 3 }):eval(), lun.index(31):eval()
                local function whole(a) return a:kind() == "Blocked" and a:copy():distribute("copy", { over = "ranks" }) or a end
                for _, how in ipairs { { s.block(23), 9 }, { 23, s.block(9) }, { s.block(23), s.block(9) },
                    { s.block(23, { rule = "remainder" }), 9 } } do
                    local a = lun.zeros(how) a:set(p)
                    for _, r in ipairs { { { 2, 22 }, { 1, 7 } }, { { 1, 23 }, { 1, 9 } }, { { -3, -1 }, { 4, 4 } }, { 5, 17 },
                        { { 8, 8 }, { 2, 9 } } } do
                        local got = a:sub(table.unpack(r))
                        assert(got:kind() == "Blocked" and whole(got):equals(p:sub(table.unpack(r))))
                        assert(got[1][1] == p:sub(table.unpack(r))[1][1]) -- by each rank alone
                    end
                    -- forms that blocks do not have are private
                    for _, r in ipairs { { 23, 1, -1 }, { { 1, 9, 2 } }, { 5, 4 } } do
                        assert(a:sub(table.unpack(r)):kind() ~= "Blocked" and a:sub(table.unpack(r)):equals(p:sub(table.unpack(r))))
                    end
                    local copy = a:sub(2, 4)
                    copy:fill(7)
                    assert(whole(a):equals(p) and copy:sum() == 7 * 27)
                    assert(not pcall(a.sub, a, "x") and not pcall(a.sub, a, {}, {}, {}))
                end
                local a = lun.zeros({ s.block(31) }, "i64") a:set(line)
                assert(whole(a:sub(2, -1) - a:sub(1, -2)):equals(line:sub(2, -1) - line:sub(1, -2)))
                print "ranges"]])
            assert.are.same({ { "ranges" }, "" }, { said, err }, n)
        end
    end)

    it("is what distribute makes of the array itself, as over places, and back", function()
        for script, wanted in pairs {
            ["a:distribute('block', {over = 'ranks'})"] = "Blocked 45",
            ["s.distribute(a, 'block', {over = 'ranks'})"] = "Blocked 45",
            ["pcall(a.distribute, a, 'block', {over = 'ranks'})"] = "Blocked 45",
            ["a = a:distribute('block', {over = 'ranks'})"] = "Blocked 45",
            ["local b = a:distribute('block', {over = 'ranks'}) assert(rawequal(a, b))"] = "Blocked 45",
            ["a:copy():distribute('block', {over = 'ranks'})"] = "Vector 45",
            ["a:distribute('copy', {over = 'ranks'})"] = "Vector 45",
            ["a:distribute('block', {over = 'ranks'}) a:distribute('block', {over = 'ranks', rule = 'remainder'})"] = "Blocked 45",
            ["a:distribute('block', {over = 'ranks'}) a:distribute('copy', {over = 'ranks'})"] = "Vector 45",
            ["for i = 1, 20 do a:distribute(i % 2 == 0 and 'copy' or 'block', {over = 'ranks'}) end"] = "Vector 45",
            ["a = a + 1 a:distribute('block', {over = 'ranks'}) a = a - 1"] = "Blocked 45",
            ["local t = {a} local w = a * 1 a:distribute('block', {over = 'ranks'}) t[1]:fill(2) a = a + w"] = "Blocked 63",
            ["a:distribute('block', {over = 'ranks'}) a:eval() a[9] = 10 s.barrier() a:distribute('copy', {over = 'ranks'})"] =
                "Vector 46",
            ["a:distribute('block', {over = 'ranks'}) a:free() a = lun.index(9)"] = "Vector 45",
            ["local ok = pcall(a.distribute, a, 'blocks', {over = 'ranks'}) assert(not ok)"] = "Vector 45",
        } do
            local said = run(2, "local a = lun.index(9) " .. script .. " print(a:kind() .. ' ' .. a:sum())")
            assert.are.same({ wanted }, said, script)
        end
        -- A row taken before goes on as a row of what the array is now; what others made of it stays.
        assert.are.same({ "7 4 107 7.0" }, (run(2, [[
            local a = (lun.index(12):reshape(3, 4) + 0):eval()
            local twice = a * 1.0
            a:distribute("block", { over = "ranks" })
            local row = a[2]
            local was = row[3]
            a:distribute("copy", { over = "ranks" })
            row[3] = row[3] + 100
            print(("%d %d %d %s"):format(was, #row, a[2][3], twice[2][3]))]])))
    end)

    it("says what is wrong", function()
        local function message(script, n)
            return run(n or 2, ("print(select(2, pcall(function() %s end)))"):format(script))[1]
        end
        for script, text in pairs {
            ["local a = lun.zeros{s.block(9)} return a[11]"] = "s.lua:2: index 11 is out of range: the blocked array f64[9] "
                .. "has 9 elements along axis 1",
            ["local a = lun.zeros{s.block(9)} return a + lun.zeros(8)"] = "s.lua:2: bad argument #2 to 'add' (shapes "
                .. "differ: f64[9] and f64[8])",
            ["local a = lun.zeros{s.block(9)} return a.nothing"] = "s.lua:2: a blocked array has no 'nothing': "
                .. "a:distribute(\"copy\", {over=\"ranks\"}) is a private array, which has all",
            ["s.block(-1)"] = "s.lua:2: bad argument #1 to 'block' (an extent expected, got -1)",
            ["s.block(3, {rule='odd'})"] = "s.lua:2: bad argument #2 to 'block' (the option is rule, one of ceiling, "
                .. "balanced, remainder)",
            ["lun.zeros(9):distribute('single', {over='ranks'})"] = "s.lua:2: bad argument #1 to 'distribute' (over ranks "
                .. "\"block\" or \"copy\" expected, got single)",
            ["s.blksize(lun.zeros(9), 1, 0)"] = "s.lua:2: bad argument #1 to 'blksize' (a blocked array expected, got a "
                .. "private array)",
        } do
            assert.are.equal(text, message(script))
        end
        assert.are.same({ "ranks differ: rank 0 evaluates f64[9]; rank 1 evaluates f64[8]" },
            (run(2, [[print(select(2, pcall(function()
                local size = 9 - me
                return lun.zeros { s.block(size) }
            end)).message:gsub(" %(.-%)", "") .. "")]])))
    end)
end)

describe("sharedon", function()
    it("gives the serial loop's result", function()
        same({ 2, 3, 4 }, [[
            local N = 17
            local function fresh(seed, columns)
                local a = lun.zeros(columns and { N, s.block(N) } or { s.block(N), N })
                a:set(lun.random({ N, N }, { seed = seed }))
                return a
            end
            for _, columns in ipairs { true, false } do
                local a, b, c = fresh(1, columns), fresh(2, columns), fresh(3, columns)
                s.sharedon(a, function(i, j)
                    a[i][j] = 0.0
                    for k = 1, N do a[i][j] = a[i][j] + b[i][k] * c[k][j] end
                end)
                print(columns, "product", ("%.17g"):format(a:sum()), a[N][1])
                s.sharedon(function(i, j) return b[j][i] end, { N, N }, function(i, j) c[i][j] = b[j][i] end)
                print(columns, "transposed", c[1][N] == b[N][1], ("%.17g"):format((c * lun.index(N)):sum()))
                s.sharedon(a, function(i, j) if b[i][j] > 0.5 then a[i][j] = -a[i][j] end end)
                print(columns, "branches", ("%.17g"):format((a * lun.index(N)):sum()))
                s.sharedon(function(i) return a[2 * i - 1][3] end, { { 2, 5 } }, function(i)
                    a[2 * i - 1][3] = i * 10.0 + math.sqrt(b[i][i])
                end)
                print(columns, "strided", ("%.17g"):format(a[9][3]), a[10][3])
                s.sharedon(function(i) return a[N + 1 - i][1] end, { N }, function(i) a[i][2] = c[N + 1 - i][1] end)
                print(columns, "backwards", ("%.17g"):format((a * lun.index(N)):sum()))
            end
            local h, which = lun.zeros { s.block(30) }, lun.vector { 7, 3, 9, 30, 1, 2, 8, 22, 21, 20 }
            local scale = 2.0
            local function twice(x) return scale * x end
            s.sharedon(h, { 10 }, function(i) h[which[i] ] = twice(i) end)
            s.sharedon(h, function(i) if h[i] == 0 then h[i] = -1.0 end end)
            print("scattered", h:sum(), h[7], h[30], h[29])
            local l, r = lun.zeros { s.block(50) }, lun.zeros { s.block(50) }
            l:set(lun.index(50) * 1.0)
            for _ = 1, 3 do
                s.sharedon(l, { { 2, 49 } }, function(i) r[i] = (l[i - 1] + l[i + 1]) / 2 end)
                l, r = r, l
            end
            print("stencil", l:sum(), l[2], l[25], l[49])
            local whole = lun.zeros(50)
            s.sharedon(l, function(i) whole[i] = 1.0 end)
            print("private", s.allreduce("+", whole:sum()))]])
    end)

    it("counts the accesses of ABC's programs exactly, and sends one message a pair", function()
        assert.are.same({ "product\t187500\t0", "transpose\t0\t1875\t3" }, (run(4, [[
            local N = 100
            local a, b, c = lun.zeros({ N, s.block(N) }, "f32"), lun.ones({ N, s.block(N) }, "f32"),
                lun.ones({ N, s.block(N) }, "f32")
            lun.stats "reset"
            s.sharedon(a, function(i, j)
                a[i][j] = 0.0
                for k = 1, N do a[i][j] = a[i][j] + b[i][k] * c[k][j] end
            end)
            local t = lun.stats()
            print("product", t.remote_gets, t.remote_puts)
            lun.stats "reset"
            s.sharedon(function(i, j) return b[j][i] end, { N, N }, function(i, j) a[i][j] = b[j][i] end)
            t = lun.stats()
            print("transpose", t.remote_gets, t.remote_puts, t.messages)]])))
    end)

    it("is sent what it reads at its own indices, and asks once for what it reads at computed ones", function()
        assert.are.same({ "box 1: 6 messages", "box 2: 6 messages", "box 3: 6 messages", "computed 1: 8 messages",
            "computed 2: 4 messages", "computed 3: 4 messages", "gathered" }, (run(4, [[
            local N = 40
            local a, b = lun.zeros { s.block(N) }, lun.zeros { s.block(N) }
            b:set(lun.index(N) * 1.0)
            for k = 1, 3 do
                lun.stats "reset"
                s.sharedon(b, { { 2, N - 1 } }, function(i) a[i] = b[i - 1] + b[i + 1] end)
                local messages = s.allreduce("+", lun.stats().messages)
                print("box " .. k .. ": " .. messages .. " messages")
                a, b = b, a
            end
            local back = lun.index(N)
            for k = 1, 3 do
                b:set(lun.index(N) * k)
                lun.stats "reset"
                s.sharedon(b, function(i) a[i] = b[N + 1 - back[i] ] end)
                local messages = s.allreduce("+", lun.stats().messages)
                print("computed " .. k .. ": " .. messages .. " messages")
                for i = 1, N do
                    assert(a[i] == (N + 1 - i) * k)
                end
                s.barrier()
            end
            a:set(lun.index(N) * 1.0)
            local where, values = lun.zeros(N, "i64"), lun.zeros { s.block(N) }
            for k = 0, 5 do
                local shift = k // 2
                where:set((lun.index(N) + shift * 7) % N + 1)
                s.sharedon(values, function(i) values[i] = a[where[i] ] end)
                for i = 1, N do
                    assert(values[i] == (i + shift * 7) % N + 1)
                end
                s.barrier()
            end
            print "gathered"]])))
    end)

    it("raises one error on all ranks, and changes nothing", function()
        local function message(script, n)
            local lines = run(n or 3, "local a = lun.zeros { s.block(9), 9 } local b = lun.ones { s.block(9), 9 }\n"
                .. ("local ok, e = pcall(function()\n%s\nend) s.barrier() print(e, a:sum(), b:sum())"):format(script))
            assert.are.equal(1, #lines, table.concat(lines, "\n"))
            return lines[1]
        end
        for script, text in pairs {
            ["return lun.sum(1, a)"] = "s.lua:4: bad argument #1 to 'sum' (array expected, got number)\t0.0\t81.0",
            ["return lun.median(1, a)"] = "s.lua:4: bad argument #1 to 'median' (array expected, got number)\t0.0\t81.0",
            ["return lun.band(a, b)"] = "s.lua:4: bad argument #1 to 'band' (band needs integers, not f64 and f64)\t0.0\t81.0",
            ["return (lun.concat(a, b))"] = "s.lua:4: bad argument #1 to 'concat' (list of arrays expected, got a View "
                .. "f64[9, 9])\t0.0\t81.0",
            ["return lun.matmul(a)"] = "s.lua:4: bad argument #2 to 'matmul' (array expected, got nil)\t0.0\t81.0",
            ["return (a:copyto(5))"] = "s.lua:4: bad argument #1 to 'copyto' (array expected, got number)\t0.0\t81.0",
            ["return lun.call(5, a)"] = "s.lua:4: bad argument #1 to 'call' (Lua function expected, got number)\t0.0\t81.0",
            ["s.sharedon(a, function(i, j) a[i][j] = b[i + 1][j] end)"] = "s.lua:4: PE 2: s.lua:4: index 10 is out of "
                .. "range for axis 1 of array 'b' (length 9)\t0.0\t81.0",
            ["s.sharedon(function(i) return a[i][i] end, {9}, print)"] = "s.lua:4: bad argument #1 to 'sharedon' (loop "
                .. "variable 1 is used twice)\t0.0\t81.0",
            ["s.sharedon(function(i, j) return a[i * j][1] end, {9, 9}, print)"] = "s.lua:4: bad argument #1 to "
                .. "'sharedon' (s.lua:4: a subscript of the owner is not linear: c*i + d with integers c and d "
                .. "expected)\t0.0\t81.0",
            ["local t = {1}\ns.sharedon(function(i)\nlocal k = 1\nreturn a[i // 2][k] end, {9}, print)"] = "s.lua:5: bad "
                .. "argument #1 to 'sharedon' (s.lua:7: a subscript of the owner is not linear: c*i + d with integers c "
                .. "and d expected)\t0.0\t81.0",
            ["local calls = 0 s.sharedon(function(i) calls = calls + 1 return a[i][1] end, {9}, print)"] = "s.lua:4: bad "
                .. "argument #1 to 'sharedon' (s.lua:4: the owner's function branches, calls or assigns: it has to give "
                .. "an element with subscripts c*i + d)\t0.0\t81.0",
            ["s.sharedon(function(i) return a[i == 3 and 1 or i][1] end, {9}, print)"] = "s.lua:4: bad argument #1 to "
                .. "'sharedon' (s.lua:4: the owner's function branches, calls or assigns: it has to give an element "
                .. "with subscripts c*i + d)\t0.0\t81.0",
            ["s.sharedon(function(i) return a[i] end, {9}, print)"] = "s.lua:4: bad argument #1 to 'sharedon' (s.lua:4: "
                .. "the owner's function has to give an element: f64[9, 9] has 2 indices)\t0.0\t81.0",
            ["s.sharedon(function(i) return a[i + 1][1] end, {9}, print)"] = "s.lua:4: index 10 is out of range for axis 1 "
                .. "of the owner f64[9, 9]\t0.0\t81.0",
            ["s.sharedon(5, {9}, print)"] = "s.lua:4: bad argument #1 to 'sharedon' (a blocked array, or a function that "
                .. "gives an element of one, expected)\t0.0\t81.0",
            ["s.sharedon(a, {9, 9})"] = "s.lua:4: bad argument #3 to 'sharedon' (function expected, got no "
                .. "value)\t0.0\t81.0",
        } do
            assert.are.equal(text, message(script))
        end
        assert.is_truthy(message "s.sharedon(a, function(i, j) a[i][j] = a[i][10 - j] end)":find("reads 'a'", 1, true))
    end)
end)
