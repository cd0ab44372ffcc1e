-- Sums and scans of floats along an axis that ranks share: results equal to those of the rule of docs/architecture.md
-- written in plain Lua and, bit for bit, to those of a private array; messages and bytes; errors on one rank.

local onranks = require "onranks"

local run, holds = onranks.blocked(onranks.scratch(setup, teardown), assert)

-- A sum of a list in the engine's order: chunks, lanes in each, folded in halves, chunks joined with their neighbours.
local ORDER = [[
local function sum_of(list)
    local cells = {}
    for first = 1, #list, 16384 do
        local lanes = {}
        for l = 0, 63 do
            lanes[l] = 0.0
            for i = first + l, math.min(first + 16383, #list), 64 do
                lanes[l] = lanes[l] + list[i]
            end
        end
        for half = 5, 0, -1 do
            for l = 0, (1 << half) - 1 do
                lanes[l] = lanes[l] + lanes[l + (1 << half)]
            end
        end
        cells[#cells + 1] = lanes[0]
    end
    while #cells > 1 do
        local joined = {}
        for k = 1, #cells, 2 do
            joined[#joined + 1] = cells[k + 1] and cells[k] + cells[k + 1] or cells[k]
        end
        cells = joined
    end
    return cells[1] or 0.0
end
]]

describe("along an axis that ranks share", function()
    it("a sum is what the rule gives in plain Lua", function()
        holds(ORDER .. [[
            for _, rows in ipairs { 1, n - 1, n, n + 1, 64 * n, 64 * n + 1, 64 * n + 63, 16383, 16384, 16385, 50001 } do
                if rows > 0 then
                    local x = (lun.random({ rows, 2 }, { seed = rows }) - 0.3):eval()
                    local lists = { x:transpose()[1]:totable(), x:transpose()[2]:totable() }
                    local a = blocked(x):sum(1):distribute("copy", { over = "ranks" })
                    local b = blocked(x:transpose():copy(), 2):sum(2):distribute("copy", { over = "ranks" })
                    for k = 1, 2 do
                        local wanted = sum_of(lists[k])
                        assert(a[k] == wanted and b[k] == wanted, rows)
                    end
                end
            end]])
    end)

    it("moments have the bits of a private array, for any number of rows and columns", function()
        holds [[
            local shapes = { { 0, 3 }, { 63, 300 }, { 64, 5 }, { 65, 1 }, { 600, 129 }, { 1100, 3 }, { 16383, 2 }, { 16385, 3 },
                { 700, 3, 5 }, { 3, 900, 4 } }
            for k, shape in ipairs(shapes) do
                local dtype = ({ "f64", "f32", "i32" })[k % 3 + 1]
                local x = lun.random(shape, { seed = k }) + 0.5
                x = (dtype == "i32" and x * 1000 or x):cast(dtype):eval()
                for axis = 1, shape[1] > 0 and #shape or 0 do
                    local a = blocked(x, axis)
                    for _, name in ipairs { "sum", "prod", "mean", "norm", "var", "std" } do
                        local along = { axis = axis, keep = k % 2 == 0 }
                        same(name .. k, a[name](a, along), x[name](x, along))
                    end
                    if #shape == 3 then
                        same("two" .. k, a:var { axis = { 1, 2 }, ddof = 1 }, x:var { axis = { 1, 2 }, ddof = 1 })
                        same("first", a:sum { axis = { 1, 3 } }, x:sum { axis = { 1, 3 } })
                    end
                end
            end]]
    end)

    it("moments have a second pass where digits are lost, and keep NaN, infinity and the sign of zero", function()
        holds [[
            local r = lun.random({ 1000, 6 }, { seed = 5 })
            local far = (r * 1e-6 + 1e9):copy()
            far[1] = lun.zeros(6)
            for k, x in ipairs { far, lun.where(r:lt(0.002), 0 / 0, r), lun.where(r:lt(0.002), 1 / 0, r), lun.full({ 1000, 6 }, -0.0),
                r * 1e306 } do
                x = x:eval()
                local a = x:copy():distribute("block", { over = "ranks", rule = k % 2 == 0 and "remainder" or "balanced" })
                for _, name in ipairs { "sum", "prod", "mean", "norm", "var" } do
                    same(name .. k, a[name](a, { axis = 1 }), x[name](x, { axis = 1 }))
                end
                local zeros = (x:isnan():cast "f64" - 0.5):mul(0):eval()
                zeros = lun.where(r:lt(0.5), zeros, 0.0):eval()
                for _, name in ipairs { "min", "max" } do
                    same(name .. k, a[name](a, { axis = 1 }), x[name](x, { axis = 1 }))
                    same(name .. k, blocked(zeros)[name](blocked(zeros), { axis = 1 }), zeros[name](zeros, { axis = 1 }))
                    same(name .. k, blocked(zeros, 2)[name](blocked(zeros, 2), { axis = 2 }), zeros[name](zeros, { axis = 2 }))
                end
                for _, op in ipairs { "+", "*", "min", "max" } do
                    for _, id in ipairs { -0.0, 1, 0 / 0 } do
                        same(op .. k, a:scan(op, id, { axis = 1 }), x:scan(op, id, { axis = 1 }))
                    end
                end
            end]]
    end)

    it("a scan is what a loop gives", function()
        holds [[
            for _, rows in ipairs { 1, n, n + 1, 65, 16385 } do
                local x = (lun.random({ rows, 2 }, { seed = rows }) * 100):cast "i64":eval()
                local sums = x:transpose():copy()
                for c = 1, 2 do
                    local list, sum = x:transpose()[c]:totable(), 7
                    for i, y in ipairs(list) do
                        sum = sum + y
                        list[i] = sum
                    end
                    sums[c] = lun.vector(list, "i64")
                end
                local options = { axis = 1, inclusive = true }
                same("whole", blocked(x):scan("+", 7, options), sums:transpose():eval())
                same("float", blocked(x:cast "f64"):scan("+", 7, options), sums:transpose():cast "f64":eval())
            end]]
    end)

    it("a scan has the bits of a private array, for any number of rows and columns", function()
        holds [[
            local shapes = { { 0, 3 }, { 17, 4 }, { 63, 2 }, { 127, 300 }, { 1100, 3 }, { 16385, 3 }, { 65537, 1 }, { 150001, 2 },
                { 3, 900, 4 } }
            for k, shape in ipairs(shapes) do
                for _, dtype in ipairs { "f64", ({ "f32", "i32", "i64" })[k % 3 + 1] } do
                    local x = lun.random(shape, { seed = k }) - 0.3
                    x = (dtype:find "i" and x * 1000 or x):cast(dtype):eval()
                    for axis = 1, shape[1] > 0 and #shape or 0 do
                        local a, inclusive = blocked(x, axis), (k + axis) % 2 == 0
                        for _, op in ipairs { "+", "*", "max" } do
                            local options = { axis = axis, inclusive = inclusive }
                            same(op .. k .. dtype, a:scan(op, 2, options), x:scan(op, 2, options))
                        end
                    end
                end
            end
            local function fade(p, q) return p * 0.5 + q end
            local function larger(p, q) return p > q and p or q end
            for k, rows in ipairs { 2 * n, 65, 1000, 16385, 65537 } do
                local x = (lun.random({ rows, 3 }, { seed = k }) - 0.3):eval()
                local whole = (x * 1000):cast "i32":eval()
                local options = { axis = 1, inclusive = k % 2 == 0 }
                same("fade" .. k, blocked(x):scan(fade, 1, options), x:scan(fade, 1, options))
                same("larger" .. k, blocked(whole):scan(larger, -5, options), whole:scan(larger, -5, options))
            end
            local a = blocked(lun.ones({ 1000, 4 }, "i64"):eval())
            local ok, e = pcall(function() return a:scan(function(p, q) return p // (q - 1) end, 0, { axis = 1 }):eval() end)
            assert(not ok and tostring(e):find("attempt to perform 'n//0'", 1, true), tostring(e))
            local truth = lun.random({ 90, 3 }, { seed = 1 }):gt(0.02):eval()
            same("truth", blocked(truth):scan("land", true, { axis = 1 }), truth:scan("land", true, { axis = 1 }))]]
    end)

    it("rows stay where they are: lanes and carries are handed on", function()
        assert.are.same({ "ints 0 604", "mean 3 78004", "scan 3 605", "sum 3 39004", "var 3 156208" }, run(4, [[
            local a = lun.zeros({ s.block(40000), 25 }, "f64")
            for _, name in ipairs { "sum", "mean", "var", "scan", "ints" } do
                local b = name == "ints" and lun.zeros({ s.block(40000), 25 }, "i64") or a
                lun.stats "reset"
                if name == "scan" or name == "ints" then
                    b:scan("+", 0, { axis = 1 }):eval()
                else
                    b[name](b, { axis = 1 }):eval()
                end
                local t = lun.stats()
                local messages, bytes = s.allreduce("+", t.messages), s.allreduce("+", t.bytes_sent)
                if me == 0 then
                    print(("%s %d %d"):format(name, messages, bytes))
                end
            end]]))
    end)

    it("what steps leave is collected", function()
        assert.are.same({ "true" }, run(2, [[
            local a, most = blocked(lun.random({ 40000, 25 })), 0
            for _ = 1, 40 do
                a:scan("+", 0):eval()
                a:shift(1, { edge = 0 }):eval()
                most = math.max(most, lun.stats().allocated)
            end
            print(most < 100 << 20)]]))
    end)

    it("a function that fails where chunks are joined says its line on all ranks", function()
        local lines = run(3, [[
            local a = blocked(lun.ones(70000, "i64"):eval())
            local ok, e = pcall(function()
                return a:reduce(function(p, q)
                    return p + q + 0 * (7 // (16384 - p))
                end, 0)
            end)
            print(ok, (tostring(e):gsub("^.-:%d+: PE %d: s.lua:%d+: ", "s.lua: ")))
            assert(s.allreduce("+", 1) == n)]])
        assert.are.same({ "false\ts.lua: attempt to perform 'n//0'" }, lines)
    end)

    it("a scan of any dtype, of parts of any size, has the bits of a private one", function()
        holds [[
            for _, dtype in ipairs { "f64", "f32", "f16", "i8", "u16", "i32", "u64", "bool" } do
                for k, rows in ipairs { 1, n, n + 1, 16 * n, 16 * n + 3, 63, 64, 65, 8 * n * 17 + 1 } do
                    local x = lun.random({ rows, 5 }, { seed = k }) * 3 - 1
                    x = (dtype == "bool" and x:gt(0.5) or (dtype:find "u" and x:abs() or x):cast(dtype)):eval()
                    local a = x:copy():distribute("block", { over = "ranks", rule = ({ "remainder", "ceiling", "balanced" })[k % 3 + 1] })
                    for _, op in ipairs(dtype == "bool" and { "+", "lor", "land" } or { "+", "*", "max", "min" }) do
                        local options, id = { axis = 1, inclusive = k % 2 == 0 }, op:sub(1, 1) == "l" or 1
                        same(op .. dtype .. rows, a:scan(op, id, options), x:scan(op, id, options))
                        same("from identity", a:scan(op, nil, options), x:scan(op, nil, options))
                    end
                end
            end]]
    end)

    it("a scan keeps zeros, NaNs and their signs, also where chunks are joined", function()
        holds [[
            local r = lun.random({ 65536 + 100, 2 }, { seed = 3 }):eval()
            local mixed = lun.where(r:lt(0.5), -0.0, 0.0)
            for _, dtype in ipairs { "f64", "f32" } do
                for k, x in ipairs { lun.full({ 65536 * 2 + 9, 2 }, -0.0), mixed, lun.where(r:lt(1e-5), 0 / 0, r), r / 0, mixed * r } do
                    x = x:cast(dtype):eval()
                    local a = blocked(x)
                    for _, op in ipairs { "+", "*", "min", "max" } do
                        for _, id in ipairs { -0.0, 0.0, 0 / 0 } do
                            local options = { axis = 1, inclusive = k % 2 == 0 }
                            same(op .. k .. dtype, a:scan(op, id, options), x:scan(op, id, options))
                        end
                    end
                end
            end]]
    end)

    it("a scan by a function that fails on one rank fails on all, and they go on", function()
        local lines = run(4, [[
            for bad = 0, 3 do
                local x = lun.ones({ s.block(1200), 200 }, "i64")
                local wanted = x:sum()
                s.localview(x):fill(me == bad and 0 or 1)
                local ok, e = pcall(function()
                    return x:scan(function(p, q) return p // q end, 1, { axis = 1 }):eval()
                end)
                assert(not ok and tostring(e):find("PE " .. bad .. ": ", 1, true) and tostring(e):find "n//0", e)
                s.localview(x):fill(1)
                assert(x:scan(function(p, q) return p * q end, 1, { axis = 1, inclusive = true }):sum() == wanted)
            end
            print "held"]])
        assert.are.same({ "held" }, lines)
    end)
end)
