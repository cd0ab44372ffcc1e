-- lun.each: loops whose rounds assign elements of captured arrays. tests/diff/indices_spec.lua compares random functions
-- with the plain loop.
local lun = require "lunarray"

local backends = lun.backends()

local function everywhere(check)
    for _, backend in ipairs(backends) do
        lun.use(backend)
        check(backend)
    end
    lun.use(backends[1])
end

local function refused(message, ...)
    local ok, text = pcall(...)
    assert.is_false(ok)
    assert.truthy(tostring(text):find(message, 1, true), tostring(text))
end

describe("lun.each", function()
    it("assigns elements, at once, and gives nothing", function()
        everywhere(function()
            local B = lun.zeros(2, 3)
            assert.are.equal(0, select("#", lun.each({ 2, 3 }, function(i, j) B[i][j] = i * 10 + j end)))
            assert.same({ { 11, 12, 13 }, { 21, 22, 23 } }, B:totable())
        end)
    end)

    it("assigns under conditions, in loops and in helper functions, several arrays, in any order of axes", function()
        everywhere(function()
            local A = lun.vector({ { 1, -2, 3 }, { -4, 5, -6 } }, "f64")
            local clipped, turned, rows = lun.zeros(2, 3), lun.zeros(3, 2, "f32"), lun.zeros(2, "i32")
            local function put(i, j, x) turned[j][i] = x end
            lun.each({ 2, 3 }, function(i, j)
                if A[i][j] < 0 then return end
                clipped[i][j] = A[i][j]
                put(i, j, A[i][j] / 2)
            end)
            assert.same({ { 1, 0, 3 }, { 0, 5, 0 } }, clipped:totable())
            assert.same({ { 0.5, 0 }, { 0, 2.5 }, { 1.5, 0 } }, turned:totable())
            lun.each(2, function(i)
                for j = 1, #A[i] do
                    if A[i][j] > 0 then rows[i] = rows[i] + j end
                end
            end)
            assert.same({ 4, 2 }, rows:totable())
        end)
    end)

    it("assigns windows, shifted elements and parts that lie inside", function()
        everywhere(function()
            local A = lun.zeros(4, 4)
            local w = A:sub({ 2, 3 }, { 4, 1, -2 })
            lun.each({ 2, 2 }, function(i, j) w[i][j] = i * 10 + j end)
            assert.same({ { 0, 0, 0, 0 }, { 0, 12, 0, 11 }, { 0, 22, 0, 21 }, { 0, 0, 0, 0 } }, A:totable())
            local v = lun.zeros(5)
            lun.each({ { 2, 4 } }, function(i) v[i + 1] = i end)
            assert.same({ 0, 0, 2, 3, 4 }, v:totable())
            lun.each(9, function(i) if i > 7 then v[i - 6] = -i end end)
            assert.same({ 0, -8, -9, 3, 4 }, v:totable())
            local wide, first = lun.ones(3, 1000), lun.zeros(3)
            lun.each(100000, function(i) -- beyond the ends of wide there would be a lot
                if i <= 3 then first[i] = wide[i][1] + i end
            end)
            assert.same({ 2, 3, 4 }, first:totable())
        end)
    end)

    it("reads many elements beside those that it assigns", function()
        local n = 9
        local A, B = lun.index(n * n):view { n, n }, lun.zeros({ n, n }, "i64")
        local terms, wanted = {}, 0
        for y = -3, 3 do
            for x = -3, 3 do
                terms[#terms + 1] = ("A[i%+d][j%+d] * %d"):format(y, x, #terms + 1)
                wanted = wanted + A[5 + y][5 + x] * #terms
            end
        end
        local text = "local A, B = ... return function(i, j) B[i][j] = B[i][j] + " .. table.concat(terms, " + ") .. " end"
        lun.each({ { 4, 6 }, { 5, 6 } }, load(text)(A, B))
        assert.are.equal(wanted, B[5][5])
        assert.are.equal(0, B[4][4] + B[7][5])
        refused("is out of range for axis 1 of array 'A'", lun.each, { { 4, 7 }, { 5, 6 } }, load(text)(A, B))
        assert.are.equal(wanted, B[5][5])
    end)

    it("leaves the array as it was after an error", function()
        everywhere(function()
            local v, u = lun.ones(4), lun.ones(4, "u8")
            local line = debug.getinfo(1, "l").currentline
            local function beyond(i)
                v[i] = 0
                u[i] = i < 3 and 2 or u[i + 2]
            end
            refused("reads 'u' where another round may assign it", lun.each, 4, beyond)
            refused((":%d: index 5 is out of range for array 'v' of length 4"):format(line + 7), lun.each, 5, function(i)
                v[i] = 7
                u[1 + i - 1] = 9
            end)
            refused("number 300 does not fit in u8", lun.each, 3, function(i)
                v[i] = 7
                u[i] = i * 100
            end)
            assert.same({ 1, 1, 1, 1 }, v:totable())
            assert.same({ 1, 1, 1, 1 }, u:totable())
        end)
    end)

    it("converts to the array's dtype, or says why not", function()
        local f, n, t = lun.zeros(2, "f32"), lun.zeros(2, "i64"), lun.zeros(2, "bool")
        lun.each(2, function(i)
            f[i] = 0.1
            f[i] = f[i] + i
        end)
        assert.is_true(f:eq(lun.vector({ 0.1, 0.1 }, "f32") + lun.vector({ 1, 2 }, "f32")):all())
        lun.each(2, function(i) n[i] = math.floor(i * 1.5) end)
        assert.same({ 1, 3 }, n:totable())
        lun.each(2, function(i) t[i] = i > 1 end)
        assert.same({ false, true }, t:totable())
        refused("a float is assigned to 'n', an array of i64", lun.each, 2, function(i) n[i] = i / 2 end)
        refused("'t' is an array of bool: assign true or false", lun.each, 2, function(i) t[i] = i end)
        refused("an assignment to an element on a boolean", lun.each, 2, function(i) f[i] = i > 1 end)
    end)

    it("refuses what the loop's order would matter for, with both lines", function()
        local A, v = lun.zeros(3, 4), lun.zeros(4)
        local line = debug.getinfo(1, "l").currentline
        refused((":%d: reads 'A' where another round may assign it (line %d): read a copy, or use scan"):format(line + 3,
            line + 4), lun.each, { 3, 4 }, function(i, j)
            local x = A[i - 1][j]
            A[i][j] = x
        end)
        refused((":%d: reads 'A' where another round may assign it (line %d)"):format(line + 10, line + 8),
            lun.each, { 3, 4 }, function(i, j)
                A[i][j] = 1
                local s = 0
                for k = 1, 3 do s = s + A[k][j] end
                A[i][j] = s
            end)
        refused((":%d: assigns 'v' where another round may assign it at another index (line %d)"):format(line + 16,
            line + 15), lun.each, { { 2, 4 } }, function(i)
            v[i] = 1
            v[i - 1] = 2
        end)
        refused("whose indices are not the loop's, each once", lun.each, { 3, 4 }, function(i) A[i][1] = 1 end)
        refused("whose indices are not the loop's, each once", lun.each, { 3, 3 }, function(i) A[i][i] = 1 end)
        refused("at an index that is not one of the loop's plus a constant", lun.each, 4, function(i) v[i // 2 + 1] = 1 end)
        local w, same = A:row(2), v
        refused("shares elements with another one", lun.each, { 3, 4 }, function(i, j) A[i][j] = w[j] end)
        refused("shares elements with another one", lun.each, 4, function(i) v[i] = same[5 - i] end)
        refused("several indices share an element", lun.each, { 3, 4 }, (function()
            local b = v:broadcast { 3, 4 }
            return function(i, j) b[i][j] = 1 end
        end)())
        assert.are.equal(0, A:sum() + v:sum())
    end)

    it("refuses functions that assign nothing, or something else", function()
        local A, n = lun.zeros(3, 4), 0
        refused("a function that assigns no element of a captured array", lun.each, 3, function(i) return i end)
        refused("an assignment to a part of 'A', which has 2 dimensions", lun.each, 3, function(i) A[i] = 1 end)
        refused("assignment to the captured variable 'n'", lun.each, 3, function(i) n = n + i end)
        refused("Lua function expected, got string", lun.each, 3, "(long i) { return i; }")
        refused("assignment to an element or field", lun.generate, 3, function(i) A[i][1] = 1 return 1 end)
        assert.are.equal(0, n)
    end)

    it("does not keep what other arrays hold from changing, nor change them", function()
        local v = lun.vector { 1.0, 2.0, 3.0 }
        local before = v * 10
        lun.each(3, function(i) v[i] = v[i] + 0.5 end)
        assert.same({ 10, 20, 30 }, before:totable())
        assert.same({ 1.5, 2.5, 3.5 }, v:totable())
    end)
end)
