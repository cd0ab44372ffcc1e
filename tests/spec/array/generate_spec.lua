-- lun.generate: arrays whose elements are a function of their indices. tests/diff/indices_spec.lua compares random
-- functions with the plain loop.
local lun = require "lunarray"
local expect = require "expect"

local everywhere, refused = expect.everywhere, expect.failure

-- The source of the kernels that evaluating e would run, as IR.
local function ir_of(e)
    local texts = {}
    for _, kernel in ipairs(lun.explain(e)) do texts[#texts + 1] = kernel.ir or "" end
    return table.concat(texts, "\n")
end

describe("lun.generate", function()
    it("calls its function with the indices of each element", function()
        everywhere(function()
            assert.same({ 1, 4, 9, 16 }, lun.generate(4, function(i) return i * i end):totable())
            assert.same({ 1, 4, 9, 16 }, lun.generate({ 4 }, function(i) return i * i end):totable())
            assert.same({ { 11, 12, 13 }, { 21, 22, 23 } },
                lun.generate({ 2, 3 }, function(i, j) return i * 10 + j end):totable())
            local t = lun.generate({ 2, 3, 4 }, function(i, j, k) return i * 100 + j * 10 + k end)
            assert.same({ 2, 3, 4 }, { t:shape() })
            for i = 1, 2 do
                for j = 1, 3 do
                    for k = 1, 4 do assert.are.equal(i * 100 + j * 10 + k, t[i][j][k]) end
                end
            end
        end)
    end)

    it("takes the first and the last index of an axis", function()
        everywhere(function()
            assert.same({ -1, 0, 1 }, lun.generate({ { -1, 1 } }, function(i) return i end):totable())
            local a = lun.generate({ { 2, 3 }, 2, { 0, 2 } }, function(i, j, k) return i * 100 + j * 10 + k end)
            assert.same({ 2, 2, 3 }, { a:shape() })
            assert.same({ 210, 211, 212, 220, 221, 222, 310, 311, 312, 320, 321, 322 }, a:flatten():totable())
            assert.are.equal(0, lun.generate({ { 5, 4 } }, function(i) return i end):sum())
            assert.are.equal(math.maxinteger,
                lun.generate({ { math.maxinteger, math.maxinteger } }, function(i) return i end)[1])
        end)
    end)

    it("gives arrays without elements", function()
        local A = lun.zeros(0, 4)
        local a = lun.generate({ 0, 4 }, function(i, j) return A[i][j] + A[i + 9][1] end)
        assert.same({ 0, 4 }, { a:shape() })
        assert.are.equal(0, a:sum())
    end)

    it("takes functions of one rank, with more or fewer parameters than indices", function()
        assert.same({ { 1, 1 }, { 2, 2 } }, lun.generate({ 2, 2 }, function(i) return i end):totable())
        assert.same({ { 7, 7 }, { 7, 7 } }, lun.generate({ 2, 2 }, function() return 7 end):totable())
        refused("arithmetic on nil (local 'k')", lun.generate, { 2, 2 }, function(i, j, k) return i + j + k end)
    end)

    it("takes operations and C functions", function()
        assert.same({ { 2, 3 }, { 3, 4 } }, lun.generate({ 2, 2 }, lun.op.add):totable())
        assert.same({ { 2, 3 }, { 3, 4 } }, lun.generate({ 2, 2 }, "+"):totable())
        local c = lun.generate({ 2, 3 }, "(long i, long j) { return i * 10 + j; }")
        assert.same({ { 11, 12, 13 }, { 21, 22, 23 } }, c:totable())
        refused("takes 1 operand, not 2", lun.generate, { 2, 2 }, lun.sqrt)
    end)

    it("gives several results, and the dtypes that are asked for", function()
        local function f(i, j) return i, j / 2, i == j end
        local a, b, c = lun.generate({ 2, 2 }, f)
        assert.same({ "i64", "f64", "bool" }, { a:dtype(), b:dtype(), c:dtype() })
        assert.same({ { 1, 1 }, { 2, 2 } }, a:totable())
        assert.same({ { 0.5, 1.0 }, { 0.5, 1.0 } }, b:totable())
        assert.same({ { true, false }, { false, true } }, c:totable())
        a, b, c = lun.generate({ 2, 2 }, f, { out = { "f32", "f32", "u8" } })
        assert.same({ "f32", "f32", "u8" }, { a:dtype(), b:dtype(), c:dtype() })
        assert.are.equal("i32", (lun.generate(3, function(i) return i end, { out = "i32" }):dtype()))
        refused("bad option 'out' of 'generate' (1 dtypes for 3 results)", lun.generate, { 2, 2 }, f, { out = { "f32" } })
    end)

    it("is one kernel with what uses it, and takes no memory", function()
        local before = lun.stats()
        local n = 3000
        local sum = lun.generate({ n, n }, function(i, j) return i - 2 * j end):sum()
        assert.are.equal(-n * n * (n + 1) // 2, sum)
        local after = lun.stats()
        assert.is_true(after.bytes_written - before.bytes_written < 1e6)
        local squares = lun.generate({ 20, 20 }, function(i, j) return i * j end)
        assert.are.equal(1, #lun.explain((squares + 1):lazy "sum"))
    end)

    it("reads arrays at its indices plus constants as windows: no check, no gather", function()
        local A = lun.ones(6, 7):copy():eval()
        local w = lun.ones(7):copy():eval()
        local function smooth(i, j)
            local row = A[i]
            return (A[i - 1][j] + A[i + 1][j] + row[j - 1] + row[j + 1]) * w[j] + A[2][3]
        end
        local e = lun.generate({ { 2, 5 }, { 2, 6 } }, smooth)
        assert.is_nil(ir_of(e):find "check")
        assert.is_nil(ir_of(e):find "gather")
        assert.are.equal(4 * 5 * 5, e:sum())
        local whole = lun.generate({ { 1, 5 }, { 2, 6 } }, smooth)
        assert.truthy(ir_of(whole):find "check")
        refused("index 0 is out of range for axis 1 of array 'A' (length 6)", whole.eval, whole)
    end)

    it("does not read what its function does not reach", function()
        everywhere(function()
            local A = lun.vector { { 1, 2, 3 }, { 4, 5, 6 } }
            local function above(i, j) return i > 1 and A[i - 1][j] or 0 end
            assert.same({ { 0, 0, 0 }, { 1, 2, 3 } }, lun.generate({ 2, 3 }, above):totable())
        end)
    end)

    it("reads many windows, and indices far from any array where nothing reaches them", function()
        local n = 9
        local A = lun.index(n * n):view { n, n }
        local terms, wanted = {}, 0
        for y = -3, 3 do
            for x = -3, 3 do
                terms[#terms + 1] = ("A[i%+d][j%+d] * %d"):format(y, x, #terms + 1)
                wanted = wanted + A[5 + y][5 + x] * #terms
            end
        end
        local text = "local A = ... return function(i, j) return " .. table.concat(terms, " + ") .. " end"
        local f = load(text)(A)
        everywhere(function()
            assert.are.equal(wanted, lun.generate({ { 4, 6 }, { 5, 6 } }, f)[2][1])
            local w = lun.vector { 1, 2, 3 }
            for _, first in ipairs { math.maxinteger - 5, 1 << 62, math.mininteger, -(1 << 40) } do
                local e = lun.generate({ { first, first + 5 } }, function(i) return i == 2 and w[i + 1] or i end)
                assert.are.equal(first + 3, e[4])
            end
        end)
    end)

    it("tells the line, the axis and the array of an index out of range, and changes nothing", function()
        local A, B = lun.ones(4, 5), lun.full({ 4, 5 }, 9)
        local line = debug.getinfo(1, "l").currentline
        local cases = {
            { function(i, j) return A[i][j + 1] end, "index 6 is out of range for axis 2 of array 'A' (length 5)" },
            { function(i, j) return A[i - 1][j] end, "index 0 is out of range for axis 1 of array 'A' (length 4)" },
            { function(i, j) return A[5][j] + i end, "index 5 is out of range for axis 1 of array 'A' (length 4)" },
            { function(i, j) return A[i][-1] + j end, "index -1 is out of range for axis 2 of array 'A' (length 5)" },
            { function(i, j) local r = A[i * 2] return r[j] end, "is out of range for axis 1 of array 'A' (length 4)" },
        }
        everywhere(function()
            for k, case in ipairs(cases) do
                refused((":%d: "):format(line + 1 + k), function() B:set(lun.generate({ 4, 5 }, case[1])) end)
                refused(case[2], function() B:set(lun.generate({ 4, 5 }, case[1])) end)
                assert.are.equal(9 * 20, B:sum())
            end
        end)
    end)

    it("reads what arrays held when it was called, windows too", function()
        local A = lun.ones(3, 3)
        local w = A:sub({ 2, 3 }, { 2, 3 })
        local e = lun.generate({ 2, 2 }, function(i, j) return w[i][j] + A[j][i] end)
        A:fill(5)
        assert.same({ { 2, 2 }, { 2, 2 } }, e:totable())
        w:set(lun.generate({ 2, 2 }, function(i, j) return w[i][j] * 10 + i + j end))
        assert.same({ { 5, 5, 5 }, { 5, 52, 53 }, { 5, 53, 54 } }, A:totable())
    end)

    it("computes a captured expression once", function()
        local x = lun.random({ 50, 50 }, { seed = 1 })
        local e = x:exp()
        local s = lun.generate({ { 2, 49 }, { 2, 49 } }, function(i, j) return e[i][j - 1] - e[i - 1][j] end)
        assert.are.equal(2, #lun.explain(s + 0))
        local wanted = x:exp():eval()
        assert.are.equal(wanted[2][1] - wanted[1][2], s[1][1])
        assert.is_true(s:eq(wanted:sub({ 2, 49 }, { 1, 48 }) - wanted:sub({ 1, 48 }, { 2, 49 })):all())
    end)

    it("compiles once for all extents, first indices and layouts", function()
        local A
        local function f(i, j) return A[i + 1][j] * 2 + i end
        local kernels
        for round, n in ipairs { 4, 5, 9, 100 } do
            A = lun.ones(n, n + 3):copy():eval()
            lun.generate({ n - 1, n }, f):eval()
            lun.generate({ { 2, n - 1 }, { 2, n - 1 } }, f):eval()
            kernels = kernels or lun.stats().kernels
            if round > 1 then assert.are.equal(kernels, lun.stats().kernels) end
        end
    end)

    it("keeps to the limits of a sandbox", function()
        local function script(limit, text)
            local build = os.getenv "BUILD" or "build"
            local pipe = assert(io.popen(("%s/lunarray --sandbox %s -e '%s' 2>&1"):format(build, limit, text)))
            local out = pipe:read "a"
            pipe:close()
            return out
        end
        local out = script("--memory-limit 60", [[
            local e = lun.generate({ 4000, 4000 }, function(i, j) return i - j end)
            print(e:sum(), pcall(e.eval, e))
            local B = lun.zeros(3000, 3000, "f32")
            print(pcall(lun.each, { 3000, 3000 }, function(i, j) B[i][j] = 2 end), B[3][4])
        ]])
        assert.matches("^0\tfalse\t[^\n]*memory limit reached", out)
        local ok, element = out:match "\n(%a+)[^\n]*\t(%d%.0)\n$" -- done as a whole or not at all
        assert.are.equal(ok == "true" and "2.0" or "0.0", element)
        out = script("--time-limit 1", [[
            local v = lun.zeros(10)
            lun.each(10, function(i) repeat v[i] = v[i] + 1 until v[i] < 0 end)
        ]])
        assert.matches("time limit reached: 1 seconds", out)
    end)

    it("refuses what is no shape", function()
        local function f(i) return i end
        refused("axis 2: the extent is negative: -4", lun.generate, { 3, -4 }, f)
        refused("axis 2: {first, last} expected", lun.generate, { 3, { 1, 2, 3 } }, f)
        refused("axis 1: an extent is an integer, got 2.5", lun.generate, 2.5, f)
        refused("axis 1: the last index is an integer, got x", lun.generate, { { 1, "x" } }, f)
        refused("1 to 8 extents expected, got 0", lun.generate, {}, f)
        refused("1 to 8 extents expected, got 9", lun.generate, { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, f)
        refused("number of elements or table of extents expected, got string", lun.generate, "x", f)
        refused("too many elements", lun.generate, { 1 << 40, 1 << 40 }, f)
        refused("too many elements", lun.generate, { { math.mininteger, math.maxinteger } }, f)
        refused("unknown option 'of'", lun.generate, 3, f, { of = 2 })
        refused("path or operation expected, got number", lun.generate, 3, 3)
        local A = lun.ones(2, 2)
        A:free()
        refused("attempt to use a freed Vector", lun.generate, { 2, 2 }, function(i, j) return A[i][j] end)
    end)
end)
