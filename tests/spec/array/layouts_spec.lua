-- Layouts: arrays that are made, copied, computed, saved and loaded in other orders than row by row. What an array
-- holds and where in memory its elements stand is found index by index in plain Lua.

local lun = require "lunarray"
local core = require "lunarray.core"
local expect = require "expect"
local shell = require "shell"

local DTYPES = { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "f16", "bf16" }
local EXTENTS = { 0, 1, 3, 63, 64, 65 }

-- f(i, j) in nested tables.
local function nested(n, m, f)
    local t = {}
    for i = 1, n do
        t[i] = {}
        for j = 1, m do
            t[i][j] = f(i, j)
        end
    end
    return t
end

-- Fails unless A is n x m of f(i, j).
local function holds(A, n, m, f)
    assert.same({ n, m }, { A:shape() })
    local list, k = A:read(1, n * m), 0
    for i = 1, n do
        for j = 1, m do
            k = k + 1
            if list[k] ~= f(i, j) then
                error(("element %d, %d is %s, %s expected"):format(i, j, list[k], f(i, j)))
            end
        end
    end
end

local function count(i, j)
    return (i * 31 + j * 7) % 100 + 0.0
end

describe("an array in a layout", function()
    it("has the elements of one that is row by row, whatever its dtype", function()
        for _, dtype in ipairs(DTYPES) do
            local function element(i, j)
                local x = math.tointeger(count(i, j))
                if dtype == "bool" then
                    return x % 2 == 1
                end
                return dtype:find "f" and x + 0.0 or x
            end
            local t = nested(3, 65, element)
            for _, layout in ipairs { "right", "left", { 1, 3 }, { 1, 7 }, { 200, 3 }, { 65, 1 } } do
                local A = lun.vector(t, dtype, { layout = layout })
                assert.equal(dtype, A:dtype())
                holds(A, 3, 65, element)
                assert.same(t, A:totable())
                assert.equal(lun.vector(t, dtype):tobytes(), A:tobytes())
                assert.equal(t[2][64], A[2][64])
                assert.same(t[3], A[3]:totable())
            end
        end
    end)

    it("says its layout and strides", function()
        local function of(layout, ...)
            local A = lun.zeros({ ... }, "f32", { layout = layout })
            return { A:layout(), A:strides() }
        end
        assert.same({ "left", 1, 3 }, of("left", 3, 4))
        assert.same({ "right", 4, 1 }, of("right", 3, 4))
        assert.same({ "right", 4, 1 }, of(nil, 3, 4))
        assert.same({ "left", 1, 3, 12 }, of("left", 3, 4, 5))
        assert.same({ "strided", 5, 1, 15 }, of({ 5, 1, 15 }, 3, 5, 2))
        assert.same({ "strided", 10, 2 }, of({ 10, 2 }, 3, 4))
        assert.same({ "left", 1, 3 }, of({ 1, 3 }, 3, 4))
        assert.same({ "right", 1 }, of("left", 7))
        assert.same({ "strided", 2 }, of({ 2 }, 7))
        assert.equal("View<f32>[3, 4] left " .. lun.use(), tostring(lun.zeros({ 3, 4 }, "f32", { layout = "left" })):match "^[^\n]*")
        local strided = lun.zeros({ 3, 4 }, "f32", { layout = { 9, 2 } })
        assert.equal("View<f32>[3, 4] strided " .. strided:backend(), tostring(strided):match "^[^\n]*")
    end)

    it("comes from every function that makes arrays of a shape", function()
        for _, opts in ipairs { { layout = "left" }, { layout = { 2, 9 } } } do
            local name = opts.layout == "left" and "left" or "strided"
            local vector = lun.vector({ { 1, 2, 3 }, { 4, 5, 6 } }, opts) -- in the place of a dtype
            assert.same({ name, "i64" }, { vector:layout(), vector:dtype() })
            assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, vector:totable())
            for _, A in ipairs { lun.zeros(2, 3, "i8", opts), lun.zeros({ 2, 3 }, "i8", opts) } do
                assert.same({ name, { { 0, 0, 0 }, { 0, 0, 0 } } }, { A:layout(), A:totable() })
            end
            assert.same({ name, 6.0 }, { lun.ones({ 2, 3 }, opts):layout(), lun.ones({ 2, 3 }, opts):sum() })
            local full = lun.full({ 2, 3 }, 7, "u16", opts)
            assert.same({ name, "u16", { { 7, 7, 7 }, { 7, 7, 7 } } }, { full:layout(), full:dtype(), full:totable() })
            local random = lun.random({ 2, 3 }, { seed = 3, layout = opts.layout })
            assert.same({ name, lun.random({ 2, 3 }, { seed = 3 }):totable() }, { random:layout(), random:totable() })
            local copy = lun.vector({ { 1, 2, 3 }, { 4, 5, 6 } }):copy(opts)
            assert.same({ name, { { 1, 2, 3 }, { 4, 5, 6 } } }, { copy:layout(), copy:totable() })
            local other = lun.vector(copy, "f32", opts)
            assert.same({ name, "f32", { { 1, 2, 3 }, { 4, 5, 6 } } }, { other:layout(), other:dtype(), other:totable() })
            assert.same({ "right", "right" }, { copy:copy():layout(), lun.vector(copy, "f32"):layout() })
        end
    end)

    it("takes no memory while it is virtual", function()
        collectgarbage()
        local before = lun.stats().allocated
        local A, B = lun.zeros(1000, 1000, { layout = "left" }), lun.random({ 1000, 1000 }, { layout = "left", seed = 1 })
        assert.same({ 0, 0 }, { A:pending(), B:pending() })
        assert.equal(before, lun.stats().allocated)
        A[3][4] = 5
        assert.same({ 5.0, "left" }, { A:sum(), A:layout() })
        assert.equal(lun.random({ 1000, 1000 }, { seed = 1 })[7][900], B[7][900])
    end)

    it("is written where it stands, in any layout", function()
        for _, layout in ipairs { "right", "left", { 1, 4 }, { 40, 3 } } do
            local A = lun.vector({ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }, { layout = layout })
            local old = A + 0
            A[1][3] = 30
            A[2] = lun.vector { 40, 50, 60 }
            A[3]:fill(0)
            assert.same({ { 1, 2, 30 }, { 40, 50, 60 }, { 0, 0, 0 } }, A:totable())
            A:set(A:transpose() + 1)
            assert.same({ { 2, 41, 1 }, { 3, 51, 1 }, { 31, 61, 1 } }, A:totable())
            lun.map(function(x) return -x end):run { A, out = A }
            assert.same({ { -2, -41, -1 }, { -3, -51, -1 }, { -31, -61, -1 } }, A:totable())
            assert.same({ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }, old:totable())
            assert.equal(lun.zeros({ 3, 3 }, { layout = layout }):layout(), A:layout())
        end
    end)

    it("is an error where the option means nothing", function()
        local function fails(part, ...)
            expect.failure(part, lun.zeros, ...)
        end
        fails('unknown layout "tiled": "right", "left" or strides', { 3, 4 }, "f32", { layout = "tiled" })
        fails('unknown layout "auto": "right", "left" or strides', { 3, 4 }, "f32", { layout = "auto" })
        fails("expected, got up", { 3, 4 }, "f32", { layout = "up" })
        fails("expected, got true", { 3, 4 }, "f32", { layout = true })
        fails("stride 2 is 0, not a positive integer", { 3, 4 }, "f32", { layout = { 4, 0 } })
        fails("stride 1 is -1", { 3, 4 }, "f32", { layout = { -1, 3 } })
        fails("stride 1 is 1.5", { 3, 4 }, "f32", { layout = { 1.5, 3 } })
        fails("stride 1 is x", { 3, 4 }, "f32", { layout = { "x", 3 } })
        fails("1 stride for 2 axes", { 3, 4 }, "f32", { layout = { 1 } })
        fails("3 strides for 2 axes", { 3, 4 }, "f32", { layout = { 1, 3, 12 } })
        fails("1 to 8 strides expected, got 0", { 3, 4 }, "f32", { layout = {} })
        local interleaved = lun.index(16):reshape(4, 4):copy { layout = { 8, 5 } } -- each index has an element of its own
        assert.same({ 1, 2, 5, 16 }, { interleaved[1][1], interleaved[1][2], interleaved[2][1], interleaved[4][4] })
        assert.equal(136, interleaved:sum())
        fails("of three axes or more each has to step over", { 2, 2, 2 }, "f32", { layout = { 6, 4, 3 } })
        fails("the strides map two indices to the same element", { 3, 4 }, "f32", { layout = { 1, 1 } })
        fails("the strides map two indices to the same element", { 3, 4 }, "f32", { layout = { 3, 1 } })
        fails("unknown option 'order': the options are layout, align, label, readonly", { 3, 4 }, "f32", { order = "left" })
        fails("bad argument #3", { 3, 4 }, "f32", { layout = "tiled" })
        fails("bad argument #2", { 3, 4 }, { layout = "tiled" })
        fails("wrong number of arguments", { 3, 4 }, "f32", {}, 1)
        expect.failure("unknown option 'order': the options are seed, dist, dtype, layout, align, label, readonly, low, high",
            lun.random, 3, { order = 1 })
        expect.failure("layout", function() return lun.ones(3):copy { layout = "auto" } end)
        expect.failure("addressed", lun.zeros, { 3, 4 }, "f32", { layout = { 1 << 62, 1 } })
        assert.equal(12.0, lun.ones({ 3, 4 }):sum())
    end)
end)

describe("an elementwise result", function()
    local function make(layout, n, m, f)
        if layout == "transposed" then
            return lun.vector(nested(m, n, function(j, i) return f(i, j) end)):transpose()
        elseif layout == "part" then -- with gaps, the first axis side by side
            local wide = lun.vector(nested(n + 2, m + 3, function(i, j) return f(i - 1, j - 2) end), { layout = "left" })
            return wide:sub({ 2, n + 1 }, { 3, m + 2 })
        elseif layout == "lazy" then
            return make("left", n, m, f) * 1
        elseif layout == "row" then
            return lun.vector(nested(1, m, f)[1])
        elseif layout == "column" then
            return lun.vector(nested(n, 1, f))
        end
        return lun.vector(nested(n, m, f), { layout = layout })
    end

    it("keeps the layout that all operands have which are not broadcast", function()
        local function other(i, j)
            return (i * 3 + j * 5) % 17 + 0.0
        end
        for _, case in ipairs {
            { "left", "left", "left" }, { "left", "transposed", "left" }, { "transposed", "transposed", "left" },
            { "part", "left", "left" }, { "part", "part", "left" }, { "lazy", "left", "left" },
            { "left", "right", "right" }, { "right", "transposed", "right" }, { "right", "right", "right" },
            { "left", "row", "left" }, { "left", "column", "left" }, { "right", "row", "right" }, { "part", "row", "left" },
        } do
            for _, n in ipairs(EXTENTS) do
                for _, m in ipairs(n > 0 and EXTENTS or { 3 }) do
                    local A = n * m > 0 and make(case[1], n, m, count) or lun.zeros({ n, m }, { layout = "left" })
                    local B = m > 0 and make(case[2], n, m, other) or nil
                    if B and n > 0 then
                        local function at(i, j)
                            return other(case[2] == "row" and 1 or i, case[2] == "column" and 1 or j)
                        end
                        local sum = A + B
                        if n > 1 and m > 1 then
                            assert.equal(case[3], sum:layout(), case[1] .. " " .. case[2])
                            assert.equal(case[3], (B - A):layout())
                            assert.equal(case[3], (2 * sum):abs():layout())
                            assert.equal(case[3], A:lt(B):layout())
                            assert.equal(case[3], lun.where(A:lt(B), A, B):layout())
                        end
                        holds(sum, n, m, function(i, j) return count(i, j) + at(i, j) end)
                        holds(lun.where(A:lt(B), A, B), n, m, function(i, j) return math.min(count(i, j), at(i, j)) end)
                        holds(lun.zip(function(x, y) return x * 2 - y end)(A, B), n, m,
                            function(i, j) return count(i, j) * 2 - at(i, j) end)
                        assert.equal(count(n, m) - at(n, m), (A - B)[n][m])
                    else
                        assert.equal(0, (A * 2):size())
                    end
                end
            end
        end
    end)

    it("of one operand keeps its layout", function()
        local A = lun.vector(nested(3, 5, count), { layout = "left" })
        for name, e in pairs {
            neg = -A, abs = A:abs(), cast = A:cast "f32", map = A:map(function(x) return x + 1 end),
            ["C map"] = A:map "(double x){ return x + 1; }", number = 1 / (A + 1), clamp = A:clamp(2, 7),
        } do
            assert.equal("left", e:layout(), name)
        end
        local quotient, remainder = A:map(function(x) return x // 7, x % 7 end)
        assert.same({ "left", "left" }, { quotient:layout(), remainder:layout() })
        holds(quotient, 3, 5, function(i, j) return count(i, j) // 7 end)
        holds(remainder, 3, 5, function(i, j) return count(i, j) % 7 end)
    end)

    it("of arrays of rank 3 keeps any order of axes", function()
        local strides = { 5, 1, 15 }
        local t = {}
        for i = 1, 3 do
            t[i] = nested(5, 4, function(j, k) return i * 100 + j * 10 + k end)
        end
        local A, B = lun.vector(t, { layout = strides }), lun.vector(t, { layout = "left" })
        assert.same(strides, { (A + A):strides() })
        assert.same({ 1, 3, 15 }, { (B + B):strides() })
        assert.equal("right", (A + B):layout())
        assert.same(lun.vector(t):map(function(x) return 2 * x end):totable(), (A + A):totable())
        assert.same((A + A):totable(), (A + B):totable())
        local column = lun.vector(nested(5, 1, function(j) return j end))
        assert.same(strides, { (A * column):strides() })
        assert.equal(132 * 3, (A * column)[1][3][2])
    end)

    it("of transposed arrays is computed without rearranging them #place", function()
        local n, m = 64, 100
        local A, B = lun.random({ n, m }, { seed = 1 }):copy(), lun.random({ n, m }, { seed = 2 }):copy()
        local plan, flat = lun.explain(A:transpose() + B:transpose()), lun.explain(A + B)
        assert.equal(1, #plan)
        assert.equal(tostring(flat), tostring(plan))
        local left = A:copy { layout = "left" }
        assert.equal(tostring(lun.explain(A:abs())), tostring(lun.explain(left:abs())))
    end)

    it("of transposed arrays has its elements where rows end within what is copied at once", function()
        for _, t in ipairs { "u8", "i16", "f32", "f64" } do
            for _, shape in ipairs { { 1023, 177 }, { 101, 4099 }, { 65, 7001 } } do
                local rows, columns = table.unpack(shape)
                local A = (lun.index(rows * columns) % 113):cast(t):reshape(shape):copy()
                local T, U, list = A:transpose():copy(), lun.zeros({ columns, rows }, t):copy(), A:flatten():totable()
                U:transpose():set(A + 1)
                local sum, at, next_one = (T + A:transpose()):flatten():totable(), T:flatten():totable(), U:flatten():totable()
                for k = 1, #list do
                    local x = list[(k - 1) % rows * columns + (k - 1) // rows + 1]
                    assert(at[k] == x and next_one[k] == x + 1 and sum[k] == 2 * x, k)
                end
            end
        end
    end)

    it("has the same bits in every layout, sums too", function()
        -- in memory: a variance of what is not there is by another shift
        local A = lun.random({ 33, 47 }, { seed = 5, dist = "normal", dtype = "f32" }):copy()
        local left, apart = A:copy { layout = "left" }, A:copy { layout = { 2, 100 } }
        for _, name in ipairs { "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count", "argmin", "argmax", "norm" } do
            assert.equal(A[name](A), left[name](left), name)
            assert.equal(A[name](A), apart[name](apart), name)
        end
        assert.equal(A:scan("+", 0):tobytes(), left:scan("+", 0):tobytes())
        assert.equal((A:exp() / A):tobytes(), (left:exp() / left):tobytes())
        assert.equal(A:dot(A), left:dot(A))
    end)

    it("is kept once it was computed", function()
        local A = lun.vector(nested(60, 70, count), { layout = "left" })
        local e = (A + 1):sqrt()
        assert.equal(2, e:pending())
        assert.same(e:totable(), e:eval():totable())
        assert.equal(0, e:pending())
        local launches = lun.stats().launches
        assert.equal((count(60, 70) + 1) ^ 0.5, e[60][70])
        assert.equal(launches, lun.stats().launches)
    end)
end)

describe("files in Fortran's order", function()
    local directory

    before_each(function()
        directory = shell.scratch()
    end)

    after_each(function()
        shell.discard(directory)
    end)

    local files = 0

    local function write(text) -- into a new file: what was opened must not change
        files = files + 1
        local path = ("%s/a%d.npy"):format(directory, files)
        local f = assert(io.open(path, "wb"))
        f:write(text)
        f:close()
        return path
    end

    local function npy(descr, shape, data)
        local header = ("{'descr': '%s', 'fortran_order': True, 'shape': (%s), }"):format(descr, shape)
        return "\147NUMPY\1\0" .. string.pack("<s2", header .. (" "):rep(-(#header + 11) % 64) .. "\n") .. data
    end

    it("load and open as left arrays, column by column", function()
        local data = string.pack("<i2i2i2i2i2i2", 11, 21, 12, 22, 13, 23)
        for _, read in ipairs { lun.load, lun.open } do
            local A = assert(read(write(npy("<i2", "2, 3", data))))
            assert.same({ "left", "i16", 2, 3 }, { A:layout(), A:dtype(), A:shape() })
            assert.same({ { 11, 12, 13 }, { 21, 22, 23 } }, A:totable())
            assert.same({ { 12, 13, 14 }, { 22, 23, 24 } }, (A + 1):totable())
            assert.equal(102, A:sum())
            assert.same({ 12, 22 }, A:col(2):totable())
            local swapped = assert(read(write(npy(">i2", "2, 3", data:gsub("(.)(.)", "%2%1")))))
            assert.same(A:totable(), swapped:totable())
            local cube = assert(read(write(npy("<i2", "1, 2, 3", data))))
            assert.same({ { { 11, 12, 13 }, { 21, 22, 23 } } }, cube:totable())
            assert.same({ 0, 3 }, { assert(read(write(npy("<f8", "0, 3", "")))):shape() })
        end
    end)

    it("have rows at multiples of a number of bytes", function()
        local A = lun.zeros({ 3, 5 }, "f32", { align = 64 })
        assert.same({ 16, 1 }, { A:strides() })
        A:set(lun.index(15):reshape(3, 5))
        assert.same({ { 1.0, 2.0, 3.0, 4.0, 5.0 }, { 6.0, 7.0, 8.0, 9.0, 10.0 }, { 11.0, 12.0, 13.0, 14.0, 15.0 } }, A:totable())
        assert.same({ 15, 5, 1 }, { lun.ones({ 2, 3, 5 }, "f64", { align = 8 }):strides() })
        assert.same({ 24, 8, 1 }, { lun.ones({ 2, 3, 5 }, "f64", { align = 64 }):strides() })
        assert.same({ 1, 8, 24 }, { lun.full({ 5, 3, 2 }, 7, "f64", { align = 64, layout = "left" }):strides() })
        assert.same({ 8, 1 }, { lun.vector({ { 1, 2 }, { 3, 4 } }, "u8", { align = 8 }):strides() })
        assert.same({ 8, 1 }, { lun.random({ 2, 5 }, { seed = 1, align = 64 }):strides() })
        assert.same({ 8, 1 }, { (A + 1):cast "f64":copy { align = 64 }:strides() })
        assert.same({ 1 }, { lun.ones(5, "f64", { align = 64 }):strides() })
        for _, x in ipairs { 0, 3, 128, "a", 1.5 } do
            expect.failure("option align: a power of two from 1 to 64 expected, got " .. tostring(x), lun.zeros, { 2, 2 }, "f64",
                { align = x })
        end
        expect.failure('option align: it goes with layout "right" or "left"', lun.zeros, { 2, 2 }, "f64",
            { align = 64, layout = { 8, 1 } })
    end)

    it("say of faults what the file says of its shape", function()
        for _, read in ipairs { lun.load, lun.open } do
            local A, message, code = read(write(npy("<i2", "2, 3", "\0\0")))
            assert.same({ nil, "short" }, { A, code })
            assert.matches("i16[2, 3] needs 12 bytes", message, 1, true)
            A, message, code = read(write(npy("|b1", "2, 1", "\1\7")))
            assert.is_true(A == nil and code == "format" or read == lun.open, message)
        end
    end)

    it("are what left arrays are saved as, whether computed or not", function()
        local path = directory .. "/b.npy"
        local t = nested(3, 4, function(i, j) return i * 10 + j end)
        local A = lun.vector(t, "u8", { layout = "left" })
        for _, a in ipairs { A, A * 1, lun.vector(t, "u8"):transpose():transpose(), lun.vector(t, "u8") } do
            assert.is_true(lun.save(path, a))
            local bytes = shell.slurp(path)
            local left = a:layout() == "left"
            assert.equal(left, bytes:find("'fortran_order': True", 1, true) ~= nil)
            assert.equal(left and "\11\21\31\12" or "\11\12\13\14", bytes:sub(-12, -9))
            local back = assert(lun.load(path))
            assert.same({ a:layout(), t }, { back:layout(), back:totable() })
        end
        assert.is_true(lun.save(path, lun.vector(t, "u8", { layout = { 1, 9 } })))
        assert.is_truthy(shell.slurp(path):find("'fortran_order': False", 1, true))
        assert.same(t, assert(lun.load(path)):totable())
    end)

    it("are computed on as they stand in the file #place", function()
        local n, m = 300, 200
        local A = lun.random({ n, m }, { seed = 9, layout = "left" }):copy { layout = "left" }
        local path = directory .. "/c.npy"
        assert.is_true(lun.save(path, A))
        local opened = assert(lun.open(path))
        assert.equal("left", opened:layout())
        assert.equal((A * 2):transpose():tobytes(), (opened * 2):transpose():tobytes())
        assert.is_true(core.internal.streamed(opened)) -- not in memory yet: a kernel takes it as it stands
        assert.equal(A:sum(), opened:sum())
    end)
end)
