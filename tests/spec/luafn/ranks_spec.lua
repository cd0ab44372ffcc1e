-- Arrays of any rank read inside Lua functions. The oracle is the Lua VM running the same function on tables.
local lun = require "lunarray"

local backends = lun.backends()

local function nested(shape, at, make, ...)
    if at > #shape then return make(...) end
    local list = {}
    for i = 1, shape[at] do
        local index = table.pack(...)
        index[#index + 1] = i
        list[i] = nested(shape, at + 1, make, table.unpack(index))
    end
    return list
end


local function table_of(shape, dtype)
    local whole = dtype:find "^[iu]"
    return nested(shape, 1, function(...)
        local x = 0
        for _, i in ipairs { ... } do x = x * 7 + i end
        return whole and x % 120 or x / 4
    end)
end

-- The same elements, standing in other ways.
local layouts = {
    right = function(a) return a end,
    left = function(a) return a:copy { layout = "left" } end,
    transposed = function(a) return a:transpose():copy():transpose() end,
    window = function(a)
        local shape, cut = { a:shape() }, {}
        for k, n in ipairs(shape) do
            shape[k], cut[k] = 2 * n + 3, { 2 * n, 2, -2 }
        end
        local w = lun.full(shape, 77, a:dtype()):sub(table.unpack(cut))
        w:set(a)
        return w
    end,
    lazy = function(a) return a + a - a end,
    repeated = function(a) return a:view { 1, a:shape() }:broadcast { 2, a:shape() }:select(1, 2) end,
}

-- f(i) for i = 1 .. 6, where f is what make(T, U) gives: T, a table in the VM and an array of each layout elsewhere.
local function agrees(make, shape, dtype)
    local t = table_of(shape, dtype)
    local wanted, f = {}, make(t)
    for i = 1, 6 do wanted[i] = f(i) end
    for name, layout in pairs(layouts) do
        for _, backend in ipairs(backends) do
            lun.use(backend)
            local got = lun.index(6):map(make(layout(lun.vector(t, dtype)))):totable()
            for i = 1, 6 do
                assert.is_true(got[i] == wanted[i],
                    ("%s, %s, %s: f(%d) is %s, not %s"):format(backend, name, dtype, i, got[i], wanted[i]))
            end
        end
    end
    lun.use(backends[1])
end

describe("A Lua function", function()
    it("reads elements of arrays of any rank and layout", function()
        local readers = {
            function(A) return function(i) return A[i % 7 + 1] end end,
            function(A) return function(i) return A[i % #A + 1][i % #A[1] + 1] end end,
            function(A) return function(i) return A[i % 2 + 1][i % 3 + 1][i % 4 + 1] end end,
            function(A) return function(i) return A[i % #A + 1][1][i % 2 + 1][2] end end,
        }
        for _, dtype in ipairs { "f64", "f32", "u8" } do
            agrees(readers[1], { 7 }, dtype)
            agrees(readers[2], { 3, 5 }, dtype)
            agrees(readers[3], { 2, 3, 4 }, dtype)
        end
        agrees(readers[4], { 2, 1, 3, 2 }, "f64")
    end)

    it("knows extents, loops over them, and keeps rows in local variables", function()
        for _, shape in ipairs { { 3, 5 }, { 5, 3 } } do
            agrees(function(A)
                return function(i)
                    local s, row = 0, A[i % #A + 1]
                    for j = 1, #row do s = s + row[j] * j end
                    for k = 1, #A do s = s + A[k][#A[k]] end
                    return s
                end
            end, shape, "f64")
        end
        agrees(function(A)
            local function total(plane, from)
                local s = 0
                for j = from, #plane do
                    local row = plane[j]
                    for k = 1, #row do s = s + row[k] end
                end
                return s
            end
            return function(i)
                return total(A[1], i % 3 + 1) * 100 + total(A[i % 2 + 1], 1)
            end
        end, { 2, 3, 4 }, "i32")
    end)

    it("takes such arrays as arguments, too", function()
        local function f(i, M, w) return M[i][w[i]] + #M * 10 + #M[i] end
        local m, w = table_of({ 3, 4 }, "f64"), { 4, 1, 2 }
        for name, layout in pairs(layouts) do
            for _, backend in ipairs(backends) do
                lun.use(backend)
                local got = lun.map(f)(lun.index(3), layout(lun.vector(m)), lun.vector(w, "i32")):totable()
                for i = 1, 3 do assert.are.equal(f(i, m, w), got[i], name .. " " .. backend) end
            end
        end
        lun.use(backends[1])
    end)

    it("sees the extents that an array has when it is called", function()
        local A = lun.zeros(2, 3)
        local function f(i) return A[i][#A[i]] + #A[i] end
        assert.same({ 3, 3 }, lun.index(2):map(f):totable())
        A = lun.ones(2, 5)
        assert.same({ 6, 6 }, lun.index(2):map(f):totable())
        A = lun.vector { 1, 2 }
        assert.is_false(pcall(lun.map(f), lun.index(2)))
    end)

    it("reads what the array held when the expression was made", function()
        local A = lun.ones(2, 2)
        local b = lun.index(2):map(function(i) return A[i][2] end)
        A:fill(5)
        assert.same({ 1, 1 }, b:totable())
    end)

    it("is stopped by an index out of range, with its line, axis and array", function()
        local A, T = lun.zeros(3, 5), lun.zeros(2, 3, 4)
        local line = debug.getinfo(1, "l").currentline
        local cases = {
            { function(i) return A[i][i - 1] end, "index 0 is out of range for axis 2 of array 'A' %(length 5%)" },
            { function(i) return A[i + 2][1] end, "index 4 is out of range for axis 1 of array 'A' %(length 3%)" },
            { function(i) return A[i - 3][1] end, "index %-%d is out of range for axis 1 of array 'A' %(length 3%)" },
            { function(i) local r = A[i * 4] return i + (r and 1 or 0) end,
                "index [48] is out of range for axis 1 of array 'A' %(length 3%)" },
            { function(i) local p = T[i] local r = p[3] return r[i + 3] end,
                "index 5 is out of range for axis 3 of array 'T' %(length 4%)" },
            { function(i) return T[1][i * 100][1] end,
                "index [12]00 is out of range for axis 2 of array 'T' %(length 3%)" },
        }
        for _, backend in ipairs(backends) do
            lun.use(backend)
            for k, case in ipairs(cases) do
                local target = lun.full(2, 7)
                local at = line + 1 + k + (k > 4 and k - 4 or 0)
                local ok, message = pcall(function() target:set(lun.index(2):map(case[1])) end)
                assert.is_false(ok)
                assert.matches(":" .. at .. ": " .. case[2], tostring(message))
                assert.same({ 7, 7 }, target:totable())
            end
        end
        lun.use(backends[1])
    end)

    it("does not use a part of an array as a number", function()
        local A, T = lun.zeros(3, 5), lun.zeros(2, 3, 4)
        local cases = {
            { function(i) return A[i] + 1 end, "arithmetic on a part of 'A', which has 2 dimensions but is indexed with 1 index" },
            { function(i) return T[i][1] * 2 end, "arithmetic on a part of 'T', which has 3 dimensions but is indexed with 2 indices" },
            { function(i) return A[i] end, "result 1 is a part of 'A', which has 2 dimensions but is indexed with 1: return an element" },
            { function(i) return A[i][1][2] end, "an element of an element of 'A', which has 2 dimensions: too many" },
            { function(i) return #A[i][1] end, "the length of an element of 'A', which has 2 dimensions: too many indices" },
            { function(i) return A[i][1.5] end, "indexing with a float" },
            { function(i) local r = A[1] if i > 1 then r = A[2] end return r[1] end,
                "an element of a value that is a different array on each path" },
        }
        for _, case in ipairs(cases) do
            local ok, message = pcall(lun.map, case[1])
            if ok then ok, message = pcall(message, lun.index(2)) end
            assert.is_false(ok)
            assert.truthy(tostring(message):find(case[2], 1, true), tostring(message))
        end
    end)

    it("compiles once for arrays of all extents, layouts and offsets", function()
        local A
        local f = lun.map(function(i) return A[i][1] + A[1][i] end)
        local before
        for round, shape in ipairs { { 3, 5 }, { 4, 4 }, { 9, 2 }, { 2, 70 } } do
            for _, layout in pairs(layouts) do
                A = layout(lun.zeros(shape))
                f(lun.index(2)):eval()
            end
            before = before or lun.stats().kernels
            if round > 1 then assert.are.equal(before, lun.stats().kernels) end
        end
    end)
end)

describe("A C function", function()
    it("gets an array of any rank as its elements in row-major order", function()
        local sum = lun.map "double f(long i, const double *a, long m) { return a[(i - 1) * m] + a[i * m - 1]; }"
        local A = lun.vector({ { 1, 2, 3 }, { 4, 5, 6 } }, "f64")
        for name, layout in pairs(layouts) do
            assert.same({ 4, 10 }, sum(lun.index(2), layout(A), 3):totable(), name)
        end
    end)
end)
