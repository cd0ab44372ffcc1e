-- Scans, order, products and methods along axes of blocked arrays: results equal to those of plain Lua and, bit for bit,
-- to those of a private array, on several numbers of ranks; where results stand; messages and bytes.

local onranks = require "onranks"

local scratch = onranks.scratch(setup, teardown)

local run, holds = onranks.blocked(scratch, assert)

describe("a scan of a blocked array", function()
    it("has the bits of a private one, by operations and functions", function()
        holds [[
            for _, N in ipairs { 1, 6, 65535, 65537, 200003 } do
                for _, dtype in ipairs { "f64", "f32", "i32" } do
                    local x = lun.random(N, { seed = N + 1 }) - 0.4
                    x = (dtype == "i32" and x * 1000 or x):cast(dtype):eval()
                    local a = blocked(x)
                    for _, op in ipairs { "+", "*", "min" } do
                        same(op .. N .. dtype, a:scan(op), x:scan(op))
                    end
                    same("from" .. N .. dtype, a:scan("+", 3, { inclusive = true }), x:scan("+", 3, { inclusive = true }))
                    local function larger(p, q) return p > q and p or q end
                    same("function" .. N .. dtype, a:scan(larger, 0, { inclusive = true }),
                        x:scan(larger, 0, { inclusive = true }))
                end
            end]]
    end)

    it("is what a loop gives", function()
        holds [[
            for _, N in ipairs { 0, 1, 63, 64, 65, 5000 } do
                local x = (lun.random(N, { seed = 7 }) * 100):cast("i64"):eval()
                local before, inclusive = blocked(x):scan("+"), lun.scan("+", 0, { inclusive = true })(blocked(x))
                local sums, sum = before:copy():distribute("copy", { over = "ranks" }):totable(), 0
                local behind = inclusive:copy():distribute("copy", { over = "ranks" }):totable()
                for i, y in ipairs(x:totable()) do
                    assert(sums[i] == sum)
                    sum = sum + y
                    assert(behind[i] == sum)
                end
                assert(#sums == N)
            end]]
    end)

    it("of matrices, f16, truth, several arrays, and by what has no parts", function()
        holds [[
            local x = lun.random({ 300, 400 }, { seed = 2 })
            for axis = 1, 2 do
                same("matrix", blocked(x, axis):scan("+"), x:scan("+"))
                for k = -1, 2 do
                    local along = { axis = k }
                    if k ~= 0 then
                        same("along " .. k, blocked(x, axis):scan("+", 0, along), x:scan("+", 0, along))
                    end
                end
            end
            local y = lun.random(70000, { seed = 3 })
            same("f16", blocked(y:cast "f16"):scan("max"), y:cast "f16":scan("max"))
            same("truth", blocked(y:lt(0.5)):scan("lor"), y:lt(0.5):scan("lor"))
            local function add(p, q, k) return p + q * k end
            same("argument", blocked(y):scan(add, 0, 2), y:scan(add, 0, 2))
            local C = "double f(double p, double q) { return p + q; }"
            same("C", blocked(y):scan(C, 0), y:scan(C, 0))
            local function both(p, q, u, v) return p + u, q + v end
            local a, b = blocked(y):scan(both, { 0, 0 }, y, { elements = 2 })
            local c, d = y:scan(both, { 0, 0 }, y, { elements = 2 })
            same("first", a, c)
            same("second", b, d)
            local ok, e = pcall(function() return blocked(y):scan("-") end)
            assert(not ok and tostring(e):find("not associative", 1, true), tostring(e))]]
    end)

    it("tells 8 bytes for each chunk but the last, in one step", function()
        assert.are.same({ "0 messages, 17 bytes, 1 step", "0 messages, 9 bytes, 1 step", "seam: 0-1 messages" }, run(4, [[
            local a = lun.zeros({ s.block(65536 * 8) }, "f64")
            local b = lun.zeros({ s.block(65536 * 8 + 1000) }, "f64")
            lun.stats "reset"
            a:scan("+"):eval()
            local t = lun.stats()
            print(("%d messages, %d bytes, %d step"):format(t.messages, t.bytes_sent, t.collectives))
            lun.stats "reset"
            b:scan("+"):eval()
            assert(lun.stats().messages <= 1 and lun.stats().bytes_sent <= 17 + 65536 * 8)
            print("seam: 0-1 messages")]]))
    end)
end)

describe("methods along axes", function()
    it("have the bits of a private array, wherever it is cut", function()
        holds [[
            for rank, shape in ipairs { { 41 }, { 30, 41 }, { 7, 13, 6 } } do
                local x = lun.random(shape, { seed = rank })
                for axis = 1, rank do
                    local a = blocked(x, axis)
                    for along = 1, rank > 1 and rank or 0 do
                        for _, name in ipairs { "sum", "prod", "mean", "norm", "argmin", "argmax" } do
                            same(name, a[name](a, along), x[name](x, along))
                        end
                        for _, name in ipairs { "sum", "min", "max", "var", "std", "any", "all", "count" } do
                            for _, keep in ipairs { true, false } do
                                local options = { axis = along - rank - 1, keep = keep }
                                same(name, a[name](a, options), x[name](x, options))
                            end
                        end
                        same("reduce", a:reduce("+", 0, { axis = along }), x:reduce("+", 0, { axis = along }))
                        same("median", a:median { axis = along }, x:median { axis = along })
                        same("sort", a:sort { axis = along }, x:sort { axis = along })
                        same("argsort", a:argsort { axis = along }, x:argsort { axis = along })
                    end
                end
            end
            local cube = (lun.random({ 4, 13, 6 }, { seed = 2 }) * 10):cast "i32"
            for _, shape in ipairs { { s.block(4), s.block(13), 6 }, { 4, s.block(13), s.block(6) } } do
                local a = lun.zeros(shape, "i32"):set(cube)
                for _, along in ipairs { { 1, 2 }, { 1, 3 }, { 2, 3 }, 2 } do
                    for _, name in ipairs { "sum", "max", "mean", "any" } do
                        same(name, a[name](a, { axis = along }), cube[name](cube, { axis = along }))
                    end
                end
            end]]
    end)

    it("of long columns keep the order of one rank", function()
        holds [[
            for _, dtype in ipairs { "f32", "f64" } do
                local x = (lun.random({ 120001, 3 }, { seed = 2 }) + 0.5):cast(dtype):eval()
                same("sum", blocked(x):sum(1), x:sum(1))
                same("product", blocked(x):prod { axis = 1, keep = true }, x:prod { axis = 1, keep = true })
            end]]
    end)

    it("give arrays that broadcast, and errors of private arrays", function()
        holds [[
            local x = lun.random({ 30, 41 }, { seed = 1 })
            for axis = 1, 2 do
                local a = blocked(x, axis)
                same("first", a - a:mean(1), x - x:mean(1))
                same("second", a:max { axis = 2, keep = true } - a, x:max { axis = 2, keep = true } - x)
            end
            local ok, e = pcall(function() return blocked(x):sum(3) end)
            assert(not ok and tostring(e):find("axis 3 is out of range", 1, true))
            ok, e = pcall(function() return blocked(x):sort { axes = 1 } end)
            assert(not ok and tostring(e):find("unknown option 'axes'", 1, true))
            assert(blocked(x):sum { axis = { 1, 2 } } == x:sum { axis = { 1, 2 } })
            ok, e = pcall(function() return blocked(x):sum(1):set(blocked(x)) end)
            assert(not ok and tostring(e):find("does not fit into", 1, true))]]
    end)

    it("move nothing inside a row, and parts of results where their order does not matter", function()
        assert.are.same({ "0 0", "3 603", "3 9600" }, run(4, [[
            local a = lun.ones({ s.block(64), 100 }, "f64")
            for _, f in ipairs {
                function() return a:sum(2) end, function() return a:max { axis = 1 } end, function() return a:sum(1) end,
            } do
                lun.stats "reset"
                f():eval()
                print(lun.stats().messages .. " " .. lun.stats().bytes_sent)
            end]]))
    end)
end)

describe("a blocked Vector", function()
    it("is sorted as a private one: equal elements, zeros, NaNs, both directions", function()
        holds [[
            for _, N in ipairs { 1, 2, 6, 7, 64, 65, 3001 } do
                local r = lun.random(N, { seed = N })
                local zeros = lun.where(r:lt(0.3), -0.0, lun.where(r:lt(0.6), 0.0, r - 0.8))
                for k, x in ipairs {
                    r, (r * 5):cast "i32", (r * 5):cast "u8", r:lt(0.3), zeros, lun.where(r:lt(0.2), 0 / 0, r):cast "f32",
                    lun.full(N, 2.5), lun.index(N):cast "u64" - 2, r:cast "f16",
                } do
                    local a = blocked(x:eval())
                    for _, descending in ipairs { false, true } do
                        same(k .. "sort" .. N, a:sort { descending = descending }, x:sort { descending = descending })
                        same(k .. "argsort" .. N, a:argsort { descending = descending },
                            x:argsort { descending = descending })
                    end
                end
            end]]
    end)

    it("is sorted as table.sort does, and stays where it is", function()
        holds [[
            local x = lun.random(2000, { seed = 4 }):eval()
            local a = x:copy():distribute("block", { over = "ranks", rule = "remainder" })
            local sorted, list = a:sort(), x:totable()
            table.sort(list)
            assert(s.localview(sorted):size() == s.localview(a):size())
            for i, y in ipairs(sorted:copy():distribute("copy", { over = "ranks" }):totable()) do
                assert(y == list[i])
            end]]
    end)

    it("is sorted by moving each element twice at most, of which once a little", function()
        local lines = run(4, [[
            for _, x in ipairs { lun.random(40000, { seed = 1 }), lun.full(40000, 1.0) } do
                local a = blocked(x:eval())
                lun.stats "reset"
                a:sort():eval()
                local t = lun.stats()
                assert(t.messages <= 6 and t.collectives <= 4 and t.bytes_sent <= 80000 * 1.3, t.bytes_sent)
            end
            print "few"]])
        assert.are.same({ "few" }, lines)
    end)
end)

describe("products of blocked matrices", function()
    it("have the bits of private ones", function()
        holds [[
            for _, dtype in ipairs { "f64", "f32", "i32" } do
                local function fresh(shape, seed)
                    local x = lun.random(shape, { seed = seed })
                    return (dtype == "i32" and x * 100 or x):cast(dtype):eval()
                end
                local x, y, v = fresh({ 29, 300 }, 1), fresh({ 300, 17 }, 2), fresh({ 300 }, 3)
                for axis = 1, 2 do
                    local a, b = blocked(x, axis), blocked(y, axis)
                    same("both", a:matmul(b), x:matmul(y))
                    same("left", a:matmul(y), x:matmul(y))
                    same("right", lun.matmul(x, b), x:matmul(y))
                    same("vector", a:matmul(v), x:matmul(v))
                end
                same("blocked vector", blocked(x):matmul(blocked(v)), x:matmul(v))
                same("blocked vector alone", lun.matmul(x, blocked(v)), x:matmul(v))
            end
            local ok, e = pcall(function() return blocked(lun.ones { 3, 4 }):matmul(lun.ones { 3, 4 }) end)
            assert(not ok and tostring(e):find("shapes do not fit", 1, true))]]
    end)

    it("gather the right one, in panels of columns where it is large", function()
        assert.are.same({ "1 200000", "2 1120000" }, run(4, [[
            for _, columns in ipairs { 250, 1400 } do
                local a, b = lun.ones({ s.block(8000), 400 }, "f64"), lun.ones({ s.block(400), columns }, "f64")
                lun.stats "reset"
                local c = a:matmul(b)
                print(lun.stats().collectives .. " " .. lun.stats().bytes_sent)
                assert(s.localview(c):sum() == 400 * 2000 * columns)
            end]]))
    end)

    it("are made in blocks of rows and columns where many ranks move less by that, with the same bits", function()
        local lines = run(16, [[
            for _, of in ipairs { { 512, 1024, 512, "f64" }, { 501, 2050, 517, "f32" }, { 3, 4000, 1001, "i32" } } do
                local rows, count, columns, dtype = table.unpack(of)
                local function fresh(shape, seed)
                    return (lun.random(shape, { seed = seed }) * 100 - 50):cast(dtype):eval()
                end
                local x, y = fresh({ rows, count }, 1), fresh({ count, columns }, 2)
                local wanted = x:matmul(y):eval()
                for axis = 1, 2 do
                    local a, b = blocked(x, axis), blocked(y, axis)
                    s.barrier()
                    lun.stats "reset"
                    local c = a:matmul(b)
                    local most = s.allreduce("max", lun.stats().bytes_sent)
                    same("both", c, wanted)
                    same("right", lun.matmul(x, b), wanted)
                    assert(c:distribution() == "block" and s.blksize(c, 1, 0) < rows)
                    print(most < count * columns * y:tobytes():len() // (count * columns) * 3 // 4)
                end
            end]])
        assert.are.same({ "true" }, lines) -- of all
    end)
end)

describe("elements around each one", function()
    it("come from the ranks that have them, with the bits of a private array", function()
        holds [[
            local function f(x) return x(-1) * 0.5 + x(0) - x(1) * 0.25 + x(-2) * 0.125 end
            local function g(x) return x(-1, 0) + x(1, 1) * 3 - x(0, -1), x(0, 0) * 2 end
            for _, n in ipairs { 1, 2, 5, 23, 64, 200 } do
                local x, m = lun.random(n, { seed = n }):eval(), lun.random({ n, 6 }, { seed = n }):eval()
                local a, b, c = blocked(x), blocked(m, 1), blocked(m, 2)
                for _, edge in ipairs { "wrap", "nearest", "keep", 0, 7.5 } do
                    local how = { edge = edge, radius = 2 }
                    same("stencil " .. n .. edge, a:stencil(f, how), x:stencil(f, how))
                    local by_axis = { edge = { edge, "nearest" }, radius = { 1, 1 } }
                    if type(edge) == "string" then
                        for k, y in ipairs { { b:stencil(g, by_axis) } , { c:stencil(g, by_axis) } } do
                            local one, two = m:stencil(g, by_axis)
                            same("stencil of a matrix " .. n .. edge .. k, y[1], one)
                            same("its second result " .. n .. edge .. k, y[2], two)
                        end
                    end
                    if edge ~= "keep" then
                        for _, k in ipairs { 1, -1, 3, -7, n, 0 } do
                            same("shift " .. n .. edge .. k, a:shift(k, { edge = edge }), x:shift(k, { edge = edge }))
                            for axis = 1, 2 do
                                local along = { edge = edge, axis = axis }
                                same("rows " .. n .. edge .. k, b:shift(k, along), m:shift(k, along))
                                same("columns " .. n .. edge .. k, c:shift(k, along), m:shift(k, along))
                            end
                        end
                    end
                end
            end]]
    end)

    it("are all that moves", function()
        assert.are.same({ "shift 4000", "stencil 8000", "without radius 8000", "wrapped 12000" }, run(3, [[
            local a = blocked(lun.random { 300, 125 })
            local function sent(name, f)
                s.barrier()
                local before = lun.stats().bytes_sent
                f()
                local bytes = lun.stats().bytes_sent - before
                if me == 1 then print(name .. " " .. bytes * 2) end
            end
            sent("shift", function() return a:shift(2, { edge = 0 }) end)
            sent("stencil", function()
                return a:stencil(function(x) return x(-2, 0) + x(2, 0) end, { radius = { 2, 0 }, edge = 0 })
            end)
            sent("without radius", function()
                return a:stencil(function(x) return x(-2, 0) + x(2, 0) end, { edge = 0 })
            end)
            sent("wrapped", function()
                return a:stencil(function(x) return x(-3, 0) + x(3, 0) end, { radius = { 3, 0 }, edge = "wrap" })
            end)]]))
    end)

    it("raise the errors of a private array", function()
        for n = 1, 3, 2 do
            assert.are.same({
                "bad argument #2 to 'shift' (option edge: \"wrap\", \"nearest\" or a number expected, got text)",
            }, run(n, [[
                local a = blocked(lun.random(20))
                local _, e = pcall(function() return a:shift(1, { edge = "text" }) end)
                print((e:gsub("^.-:%d+: ", "")))]]))
        end
    end)
end)

describe("a variance of all elements", function()
    it("has the bits of a private array's", function()
        holds [[
            for _, n in ipairs { 1, 2, 7, 16384, 16385, 70001 } do
                local x = lun.random(n, { seed = n }):eval()
                for k, y in ipairs { x, x + 1e9, x:cast "f32", (x * 100):cast "i32", x:lt(0.5), x * 1e308, x / 0 * 0, x - 1 / 0 } do
                    y:eval()
                    local a = blocked(y)
                    for _, name in ipairs { "var", "std" } do
                        for _, options in ipairs { { ddof = 0 }, { ddof = 1 }, { ddof = 0.5 } } do
                            local wanted, got = y[name](y, options), a[name](a, options)
                            assert(string.pack("d", wanted) == string.pack("d", got) or wanted ~= wanted and got ~= got,
                                ("%s of %d, %d: %.17g, %.17g"):format(name, n, k, wanted, got))
                        end
                    end
                end
                local m = x:reshape(1, -1):broadcast({ 3, n }):copy()
                assert(lun.var(blocked(m, 2)) == m:var() and blocked(m):std() == m:std())
            end
            local ok, e = pcall(function() return blocked(lun.random { 4, 4 }):std(1) end)
            assert(not ok and e:find "axis", e)]]
    end)

    it("moves beginnings of chunks once", function()
        assert.are.same({ "true" }, run(3, [[
            local a = blocked(lun.random(100003))
            local before = lun.stats().bytes_sent
            a:std()
            local bytes = s.allreduce("+", lun.stats().bytes_sent - before)
            print(bytes < 16000)]]))
    end)
end)

describe("a blocked operand that broadcasts", function()
    it("stays where it is, if its parts go with those of the other", function()
        assert.are.same({ "0", "true" }, run(3, [[
            local m = blocked(lun.random { 1003, 64 })
            local x = m:copy():distribute("copy", { over = "ranks" })
            local top = m:max { axis = 2, keep = true }:eval()
            s.barrier()
            local before = lun.stats().bytes_sent
            local e = (m - top):exp()
            e:eval()
            if me == 0 then print(lun.stats().bytes_sent - before) end
            same("differences", e, (x - x:max { axis = 2, keep = true }):exp())
            print(true)]]))
        holds [[
            for _, shape in ipairs { { 12, 1 }, { 1, 9 }, { 9 }, { 1 }, { 12, 9 } } do
                local x, y = lun.random({ 12, 9 }, { seed = 1 }):eval(), lun.random(shape, { seed = 2 }):eval()
                for axis = 1, 2 do
                    for of = 1, #shape do
                        same("sum", blocked(x, axis) + blocked(y, of), x + y)
                        same("product", blocked(y, of) * blocked(x, axis), x * y)
                    end
                end
            end]]
    end)
end)

describe("ranks that differ", function()
    it("raise one error on all, and go on", function()
        assert.are.same({ "ranks differ: rank 0 scans f64[9]; rank 1 sorts f64[9]\t9.0" }, run(2, [[
            local a = lun.ones { s.block(9) }
            local ok, e = pcall(function() return me == 0 and a:scan("+") or a:sort() end)
            print(tostring(e):gsub(" %(.-%)", "") .. "", a:sum())]]))
    end)
end)

describe("a blocked array", function()
    it("has the methods of a private one", function()
        holds [[
            local x = lun.range(1, 23) % 7 * 1.5
            local a, i = blocked(x), lun.vector { 23, 1, 12, 1 }
            same("shift", a:shift(3, { edge = "wrap" }), x:shift(3, { edge = "wrap" }))
            same("shift, rank 2", blocked(x:sub(1, 20):reshape { 5, 4 }):shift(-1, { axis = 1, edge = 0 }),
                x:sub(1, 20):reshape({ 5, 4 }):shift(-1, { axis = 1, edge = 0 }))
            for k, f in ipairs { -- in one order on all ranks
                function(y) return y:filter(function(v) return v > 4 end) end,
                function(y) return y:pad({ { 2, 1 } }, "nearest") end,
                function(y) return y:windows(5) end,
                function(y) return y:broadcast { 2, 23 } end,
                function(y) return y:shift(1):dropnan() end,
                function(y) return y:flatten() end,
                function(y) return y:gt(4):indices() end,
                function(y) return y:reduceby(lun.range(1, 23) // 5 + 1, "+", 0) end,
                function(y) return y:scanby(lun.range(1, 23) // 5, "+", 0) end,
                function(y) return y:spread(2) end,
            } do
                assert(f(a):tobytes() == f(x):tobytes(), k)
            end
            local y = x:copy()
            assert(a:put(i, lun.vector { 10, 20, 30, 40 }) == a)
            same("put", a, y:put(i, lun.vector { 10, 20, 30, 40 }))
            same("put, combined", a:put(i, 0.5, { combine = "+" }), y:put(i, 0.5, { combine = "+" }))
            local function f(old, v) return old * 3 + v end
            same("put, combined by a function", a:put(i, lun.range(1, 4), { combine = f }),
                y:put(i, lun.range(1, 4), { combine = f }))
            for _, shape in ipairs { { s.block(6), 4 }, { 6, s.block(4) }, { s.block(6), s.block(4) } } do
                for axis = 1, 2 do
                    local m, k = lun.zeros(shape), lun.zeros(6, 4):copy()
                    local at = lun.vector { 4, 1, 4, -1, 2 }
                    local values = lun.range(1, axis == 1 and 20 or 30):reshape(axis == 1 and { 5, 4 } or { 6, 5 })
                    for _ = 1, 2 do
                        assert(m:put(at, values, { axis = axis, combine = f }) == m)
                        same("put in a matrix", m, k:put(at, values, { axis = axis, combine = f }))
                    end
                    local kind, d = m:distribution()
                    assert(kind == "block" and d.over == "ranks")
                end
            end
            local b, z = blocked(lun.zeros(23)), lun.zeros(23):copy()
            same("copied to another", a:copyto(b), y)
            assert(a:copyto(z):tobytes() == y:tobytes())
            same("copied from a private one", x:copyto(b), x)
            local ok, message = pcall(function() return a:reduceby(lun.range(1, 23), "+") end)
            assert(not ok and message:find("to 'reduceby'", 1, true), message)]]
    end)

    it("is named with its own dtype and shape where shapes do not go together", function()
        for n = 1, 3, 2 do
            assert.are.same({
                "bad argument #2 to 'max' (shapes differ: f32[20, 6] and i16[20, 5])",
                "bad argument #2 to 'max' (shapes differ: f32[20, 6] and u8[7])",
                "bad argument #3 to 'where' (shapes differ: i16[20, 5] and f32[20, 6])",
            }, (run(n, [[
                local a, b = lun.zeros({ s.block(20), 6 }, "f32"), lun.zeros({ s.block(20), 5 }, "i16")
                for _, f in ipairs {
                    function() return lun.max(a, b) end, function() return lun.max(a, lun.ones(7, "u8")) end,
                    function() return lun.where(true, b, a) end,
                } do
                    print((select(2, pcall(f)):gsub("^s.lua:%d+: ", "")))
                end]])))
        end
    end)

    it("says where its elements are", function()
        assert.are.same({ "13 13 13 11\t1 14 27 40\tblock ceiling ranks 2\tmpi:1 mpi:2 mpi:3 mpi:4" }, run(4, [[
            local kind, d = lun.zeros({ 20, s.block(50) }, "i32"):distribution()
            print(table.concat(d.counts, " "), table.concat(d.starts, " "),
                ("%s %s %s %d"):format(kind, d.rule, d.over, d.axis), table.concat(d.devices, " "))]]))
        assert.are.same({ "block balanced\t1 2\t5 4 1 1\t5 3 16 48" }, run(64, [[
            local kind, d = lun.zeros({ s.block(20), s.block(50) }, "i32"):distribution()
            local first, last = d.counts[1], d.counts[64]
            print(kind .. " " .. d.rule, table.concat(d.axis, " "),
                ("%d %d %d %d"):format(first[1], first[2], d.starts[1][1], d.starts[1][2]),
                ("%d %d %d %d"):format(last[1], last[2], d.starts[64][1], d.starts[64][2]))]]))
    end)
end)

describe("a row of a blocked array", function()
    it("is blocked along the other axes, and shows the array's elements", function()
        holds [[
            for _, size in ipairs { 1, 10, 65 } do
                local x = lun.random({ 4, size }, { seed = size }):copy()
                local b, q = blocked(x, 2), nil
                q = b[2]
                same("row", q:copy(), x[2]:copy())
                assert(#q == size and q:shape() == size and q:dtype() == "f64" and q[size] == x[2][size])
                assert(q:sum() == x[2]:sum() and lun.sum(q) == x[2]:sum() and q:max() == x[2]:max())
                same("with another row", q * 2 + b[3], (x[2] * 2 + x[3]):eval())
                same("function", lun.exp(q), lun.exp(x[2]):eval())
                same("negative", -q, (-x[2]):eval())
                same("beside the whole", b + q, (x + x[2]):eval())
                q:set(b[1] + 1)
                x[2]:set(x[1] + 1)
                same("set", b, x)
                b[3]:fill(5)
                x[3]:fill(5)
                same("filled", b, x)
                s.barrier()
                if me == n - 1 then q[1] = -7 end
                s.barrier()
                x[2][1] = -7
                same("assigned", b, x)
                assert(tostring(q):match "\n.*" == tostring(x[2]:copy()):match "\n.*")
                s.barrier()
            end
            local x = lun.index(2 * 3 * 9):reshape(2, 3, 9):copy()
            local c = blocked(x, 3)
            same("a matrix of three axes", c[2]:copy(), x[2]:copy())
            same("a row of it", c[2][3]:copy(), x[2][3]:copy())
            local d = blocked(x[1]:copy())
            assert(d[2][3] == x[1][2][3] and #d[2] == 9)
            local ok, why = pcall(function() return d[2]:sum() end)
            assert(not ok and why:find("blocked along axis 1: a:row(i) is a private array", 1, true), why)
            local q = c[1][2]
            c:distribute("copy", { over = "ranks" })
            assert(q:sum() == x[1][2]:sum() and q[3] == x[1][2][3])
        ]]
    end)

    it("is an argument as other blocked arrays are", function()
        holds [[
            local x = lun.vector { 3, 1, 2, 4, 5, 6 }:reshape(2, 3):copy()
            local b, v, z = blocked(x, 2), lun.vector { 7, 8, 9, 10 }, lun.complex(0, 1)
            local function text(a) return (tostring(a):gsub("^.-\n", "")) end
            same("max", b:max(b[2]), x:max(x[2]):eval())
            same("min of rows", b[2]:min(b[1]), x[2]:min(x[1]):eval())
            same("max of the module", lun.max(b, b[2]), lun.max(x, x[2]):eval())
            assert(text(lun.concat { b[1], b[2] }) == text(lun.concat { x[1], x[2] }))
            assert(text(lun.stack { b[1], b[2] }) == text(lun.stack { x[1], x[2] }))
            assert(text(v:take(b[1])) == text(v:take(x[1])))
            assert(text(lun.table { a = b[1] }) == text(lun.table { a = x[1] }))
            local ok, why = pcall(function() return v:set(b[1]) end)
            assert(not ok and why:find("a blocked array: a:distribute", 1, true), why)
            for k, f in ipairs {
                function(a) return z * a end, function(a) return a * z end, function(a) return z - a end,
                function(a) return z / a end, function(a) return z ^ a end,
            } do
                assert(text(f(b)) == text(f(x)) and text(f(b[1])) == text(f(x[1])), k)
            end]]
    end)
end)
