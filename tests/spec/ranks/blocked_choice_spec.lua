-- What is chosen of blocked arrays, their quantiles, dot and batches of products: results equal to those of plain Lua and,
-- bit for bit, to those of a private array, on several numbers of ranks; messages and bytes.

local onranks = require "onranks"

local run, holds = onranks.blocked(onranks.scratch(setup, teardown), assert)

-- Results that are private: numbers and arrays.
local SAME = [[
local function equal(what, a, x)
    if type(a) == "number" then
        assert(math.type(a) == math.type(x) and string.pack("n", a) == string.pack("n", x), what)
    else
        assert(a:dtype() == x:dtype() and table.concat({ a:shape() }, ",") == table.concat({ x:shape() }, ","), what)
        assert(a:tobytes() == x:tobytes(), what)
    end
end
local function all_equal(what, f, a, x)
    local results, wanted = table.pack(f(a)), table.pack(f(x))
    assert(results.n == wanted.n and a:kind() == "Blocked", what)
    for k = 1, wanted.n do
        equal(what, results[k], wanted[k])
    end
end
]]

describe("of a blocked Vector", function()
    it("positions, quantiles, the largest, different values and counts are those of plain Lua", function()
        holds(SAME .. [[
            for _, N in ipairs { 1, n, n + 1, 63, 65, 5003 } do
                local x = ((lun.index(N) * 7919) % 1013 * 0.25):eval()
                local list, a = x:totable(), blocked(x)
                local least, most, counts, sum = 1, 1, {}, 0
                for i, y in ipairs(list) do
                    least, most = y < list[least] and i or least, y > list[most] and i or most
                    counts[y], sum = (counts[y] or 0) + 1, sum + y * y
                end
                assert(a:argmin() == least and a:argmax() == most and a:dot(x) == sum and lun.dot(x, a) == sum)
                table.sort(list)
                for _, q in ipairs { 0, 0.25, 0.5, 0.9, 1 } do
                    local at = q * (N - 1)
                    local low, high = list[math.floor(at) + 1], list[math.min(N, math.floor(at) + 2)]
                    local part = at - math.floor(at)
                    local wanted = part < 0.5 and low + (high - low) * part or high - (high - low) * (1 - part)
                    assert(a:quantile(q) == wanted)
                end
                local values, times = a:unique()
                local above = 0
                for k, y in ipairs(values:totable()) do
                    assert(times[k] == counts[y] and (k == 1 or y > values[k - 1]))
                    above = above + (y > 100 and times[k] or 0)
                end
                local first, places = a:topk(3)
                for k = 1, math.min(3, N) do
                    assert(first[k] == list[N + 1 - k] and x:take(places)[k] == first[k])
                end
                local chosen = a:compress(x:gt(100))
                assert(#chosen == above and (above == 0 or chosen:min() > 100) and a:gt(100):indices():size() == above)
                local filtered = a:filter(function(y) return y > 100 end)
                equal("filter", filtered, chosen)
                local bins, edges = a:histogram(4)
                assert(bins:sum() == N and #edges == 5)
            end]])
    end)

    it("all of these have the bits of a private one, with NaN, zeros of both signs and each dtype", function()
        holds(SAME .. [[
            for _, N in ipairs { 2, 4500 } do
                local r = lun.random(N, { seed = N })
                local zeros = lun.where(r:lt(0.3), -0.0, lun.where(r:lt(0.6), 0.0, r - 0.8))
                for k, x in ipairs {
                    r - 0.5, zeros, lun.where(r:lt(0.2), 0 / 0, r):cast "f32", (r * 1000 - 500):cast "i16", r:lt(0.3),
                    lun.index(N):cast "u64" * 3074457345618258602, lun.where(r:lt(0.5), 1 / 0, -1 / 0), r:cast "f16",
                    lun.full(N, 0 / 0), lun.where(r:lt(0.5), 1 / 0, 3), lun.where(r:lt(0.5), -1.7e308, 1.7e308),
                    r:cast "bf16", (r * 99):cast "u8", (r * 1e10 - 5e9):cast "i64",
                } do
                    x = x:eval()
                    local mask, what = r:gt(0.4):eval(), ("%d %d"):format(k, N)
                    local function like(y) return y:kind() == "Blocked" and blocked(mask) or mask end
                    for _, f in ipairs {
                        function(y) return y:argmin(), y:argmax(), y:median(), y:median { skipnan = true } end,
                        function(y) return y:quantile { 0, 0.37, 1 }, y:quantile({ 0.5 }, { skipnan = true }) end,
                        function(y) return y:dot(y), y:dot(r), y:max(), y:min() end,
                        function(y) return y:topk(5) end, function(y) return y:topk(N + 1, { smallest = true }) end,
                        function(y) return y:unique() end, function(y) return y:histogram(3, { range = { 0, 1 } }) end,
                        function(y) return y:histogram(lun.vector { 0, 1, 5 }) end,
                        function(y) return y:compress(mask), y:compress(like(y)), like(y):indices() end,
                        function(y) return y:filter(function(z, w) return z == z and z ~= w end, 2) end,
                    } do
                        all_equal(what, f, blocked(x), x)
                    end
                    if k < 7 or k == 8 or k > 11 then -- without a range
                        all_equal(what, function(y) return y:histogram(7) end, blocked(x), x)
                    end
                end
                all_equal("dropnan", function(y) return y:dropnan() end, blocked(lun.where(r:lt(0.2), 0 / 0, r)),
                    lun.where(r:lt(0.2), 0 / 0, r))
            end]])
    end)

    it("reduce by an operation or a function has a private one's bits and dtype", function()
        holds [[
            local k = 0.25
            local by = {
                "+", "*", "min", "fmax", "&", "lor", lun.op.add, function(p, q) return p + q * 0.5 end,
                function(p, q) return p > q and p or q end, function(p, q) return p * k + q end,
                "double f(double p, double q) { return p + q * 0.5; }", "int f(int p, int q) { return p * 3 + q; }",
            }
            local compared = 0
            for _, N in ipairs { 1, 2, 16384, 16385, 40003 } do
                for _, dtype in ipairs { "bool", "i8", "i32", "u64", "i64", "f16", "f32", "f64" } do
                    local x = ((lun.random(N, { seed = N }) - 0.4) * 3):cast(dtype == "bool" and "f64" or dtype)
                    x = (dtype == "bool" and x:gt(0) or dtype == "u64" and x * lun.vector({ 1 << 62 }, "u64") or x):eval()
                    local a = blocked(x)
                    for number, f in ipairs(by) do
                        for _, given in ipairs { {}, { 3 }, { -0.5 } } do
                            local what = ("%d of %d %s from %s"):format(number, N, dtype, given[1])
                            local fine, want = pcall(x.reduce, x, f, table.unpack(given))
                            local ok, got = pcall(a.reduce, a, f, table.unpack(given))
                            assert(ok == fine, what .. ": " .. tostring(ok and want or got))
                            if ok then
                                assert(got:kind() == "Scalar" and got:dtype() == want:dtype(), what)
                                assert(got:reshape(1):tobytes() == want:reshape(1):tobytes(), what)
                                compared = compared + 1
                            end
                        end
                    end
                end
            end
            assert(compared > 500)
            local x = lun.random(40003, { seed = 1 })
            local first, by = x:max(), function(p, q) return p * 0.5 + q end
            for _, shape in ipairs { { 3, 13331 }, { 13331, 3 } } do
                local y = x:sub({ 1, 39993 }):reshape(shape)
                for axis = 1, 2 do
                    assert(blocked(y, axis):reduce(by, first):value() == y:reduce(by, first):value())
                end
            end
            local zero = lun.ones(40003, "i64"):copy()
            zero[30000] = 0
            local function quotient(p, q) return p // q end
            local ok, e = pcall(function() return blocked(zero):reduce(quotient):value() end)
            assert(not ok and tostring(e):find("attempt to perform 'n//0'", 1, true), tostring(e))]]
        assert.matches("ranks differ: rank 0 reduces f64[9]", run(2, [[
            local f = me == 0 and "max" or function(p, q) return p + q end
            local ok, e = pcall(function() return blocked(lun.ones(9)):reduce(f):value() end)
            print((tostring(e):gsub("%(.*", "")))]])[1], 1, true)
    end)

    it("reduce sends the beginnings of chunks that ranks share, and a number for each group of chunks", function()
        assert.are.same({ "few" }, run(3, [[
            local a = blocked(lun.random(100003, { seed = 7 }))
            a:eval()
            for _, f in ipairs { function(p, q) return p + q * 0.5 end, "max" } do
                lun.stats "reset"
                a:reduce(f, 0):value()
                local bytes = s.allreduce("+", lun.stats().bytes_sent)
                assert(bytes > 0 and bytes < 14200, bytes)
            end
            print "few"]]))
    end)

    it("a few bytes are told for each", function()
        local lines = run(4, [[
            local a = lun.zeros({ s.block(100000) }, "f64")
            a:set(lun.random(100000, { seed = 1 }))
            for _, what in ipairs {
                { 200, function() return a:argmin() end }, { 9 * 2048, function() return a:quantile(0) end },
                { 17 * 2048, function() return a:median() end }, { 300, function() return a:topk(3) end },
                { 1000, function() return a:histogram(10) end }, { 200, function() return a:gt(2):indices() end },
            } do
                lun.stats "reset"
                local result = what[2]()
                local t = lun.stats()
                assert(t.messages == 0 and t.bytes_sent > 0 and t.bytes_sent <= what[1], t.bytes_sent)
            end
            local x = lun.ones({ s.block(100000) }, "f64")
            lun.stats "reset"
            assert(a:dot(x) > 0)
            assert(lun.stats().messages <= 2 and lun.stats().bytes_sent <= 16384 * 8 + 200)
            print "few"]])
        assert.are.same({ "few" }, lines)
    end)

    it("wrong arguments are the errors of a private one, on all ranks", function()
        holds [[
            local x = lun.index(100):cast("f64"):eval()
            for _, f in ipairs {
                function(y) return y:quantile(2) end, function(y) return y:topk(-1) end, function(y) return y:dot(lun.ones(3)) end,
                function(y) return y:compress(lun.ones(5):gt(0)) end, function(y) return y:indices() end,
                function(y) return y:histogram(0) end, function(y) return y:median { axes = 1 } end,
            } do
                local ok, e = pcall(f, blocked(x))
                local fine, wanted = pcall(f, x)
                assert(not ok and not fine, tostring(wanted))
                local function reason(text) return tostring(text):match "%((.-)%)?$" end
                assert(reason(e) == reason(wanted), tostring(e) .. "\n" .. tostring(wanted))
            end
            assert(blocked(x):argmax() == 100)]]
    end)
end)

describe("of blocked matrices", function()
    it("positions along each axis and of all, quantiles and products have the bits of private ones", function()
        holds(SAME .. [[
            for _, shape in ipairs { { 30, 41 }, { 7, 13, 6 }, { 100, 60 } } do
                local x = (lun.random(shape, { seed = 3 }) * 9):floor()
                x = lun.where(x:gt(7), 0 / 0, x):eval()
                for axis = 1, #shape do
                    local a = blocked(x, axis)
                    all_equal("all", function(y) return y:argmin(), y:argmax(), y:dot(y), y:unique() end, a, x)
                    all_equal("median", function(y) return y:median { skipnan = true }, y:quantile(0.3) end, a, x)
                    for along = 1, #shape do
                        for _, keep in ipairs { true, false } do
                            local options = { axis = along, keep = keep }
                            same("argmin", a:argmin(options), x:argmin(options))
                            same("argmax", a:argmax(options), x:argmax(options))
                        end
                        local options = { axis = along, skipnan = true }
                        same("median", a:median(options), x:median(options))
                    end
                end
            end]])
    end)

    it("batches of products are what loops give, wherever they are cut", function()
        holds [[
            local p, q = 5, 3
            local x = (lun.random({ p, 4, q }, { seed = 1 }) * 100):cast("i64"):eval()
            local y = (lun.random({ p, q, 6 }, { seed = 2 }) * 100):cast("i64"):eval()
            local u, v = x:flatten():totable(), y:flatten():totable()
            local list = {}
            for b = 0, p - 1 do
                for i = 0, 3 do
                    for j = 0, 5 do
                        local sum = 0
                        for k = 0, q - 1 do
                            sum = sum + u[(b * 4 + i) * q + k + 1] * v[(b * q + k) * 6 + j + 1]
                        end
                        list[#list + 1] = sum
                    end
                end
            end
            local wanted = lun.vector(list, "i64"):reshape { p, 4, 6 }
            for axis = 1, 3 do
                for other = 1, 3 do
                    same("both", blocked(x, axis):matmul(blocked(y, other)), wanted)
                end
                same("left", blocked(x, axis):matmul(y), wanted)
                same("right", lun.matmul(x, blocked(y, axis)), wanted)
            end]]
    end)

    it("batches have the bits of private ones, also where matrices go with all of a batch", function()
        holds [[
            for k, shapes in ipairs {
                { { 9, 20, 30 }, { 9, 30, 7 } }, { { 9, 20, 30 }, { 30, 7 } }, { { 20, 30 }, { 5, 30, 7 } },
                { { 1, 4, 5 }, { 6, 5, 3 } }, { { 3, 4, 5, 6 }, { 3, 4, 6, 7 } }, { { 4, 5, 6 }, { 3, 1, 6, 7 } },
            } do
                local x, y = lun.random(shapes[1], { seed = k }):eval(), lun.random(shapes[2], { seed = k + 9 }):eval()
                local wanted = x:matmul(y)
                for axis = 1, 2 do
                    same("both" .. k, blocked(x, axis):matmul(blocked(y, 1)), wanted)
                    same("right" .. k, lun.matmul(x, blocked(y, axis)), wanted)
                end
                same("left" .. k, blocked(x):matmul(y), wanted)
            end
            local a, b = lun.ones { s.block(2 * n), 4, 5 }, lun.ones { s.block(2 * n), 5, 3 }
            lun.stats "reset"
            local c = a:matmul(b):eval()
            assert(lun.stats().collectives == 0 and lun.stats().messages == 0)
            local ok, e = pcall(function() return a:matmul(lun.ones { 2 * n, 4, 3 }) end)
            assert(not ok and tostring(e):find("shapes do not fit", 1, true))
            assert(c:sum() == 5 * 4 * 3 * 2 * n)]]
    end)
end)
