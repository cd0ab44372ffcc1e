-- a:put against plain loops in the order of the indices: ranks 1 to 3, every axis, equal indices, windows and
-- expressions, every dtype, all ways to combine, on every backend and on several threads.
local lun = require "lunarray"
local expect = require "expect"
local model = require "places"
local shell = require "shell"

local numbers, product, random_indices = model.numbers, model.product, model.random_indices

-- Writes values(flat number of the element of the result) into the flat list of that shape; f: combines.
local function put(list, shape, indices, axis, values, f)
    local outer, length, inner = product(shape, 1, axis - 1), shape[axis], product(shape, axis + 1)
    for o = 0, outer - 1 do
        for j, i in ipairs(indices) do
            for k = 1, inner do
                local at = (o * length + (i < 0 and length + i or i - 1)) * inner + k
                local x = values((o * #indices + j - 1) * inner + k)
                list[at] = f and f(list[at], x) or x
            end
        end
    end
    return list
end

local function add(a, b) return a + b end
local function append(a, b) return (a * 31 + b) % 65521 end

describe("put", function()
    it("combines by a function in matrices: indices of rank 2, numbers, windows, transposes, broadcast values", function()
        expect.everywhere(function()
            local function f(old, x) return old * 10 + x end
            local function zeros() return lun.zeros({ 3, 4 }, "i64"):copy() end
            assert.same({ { 13, 13, 13, 13 }, { 2, 2, 2, 2 }, { 4, 4, 4, 4 } },
                zeros():put({ 1, 2, 1, -1 }, { { 1 }, { 2 }, { 3 }, { 4 } }, { combine = f }):totable())
            assert.same({ { 0, 31, 2, 0 }, { 0, 31, 2, 0 }, { 0, 31, 2, 0 } },
                zeros():put(lun.vector({ { 2, 3 }, { 2, 2 } }):sub({ 1, 1 }, { 1, 2 }):reshape { 1, 2 },
                    { { 3, 2 } }, { axis = 2, combine = f }):put({ 2 }, 1, { axis = 2, combine = f }):totable())
            assert.same({ { 0, 0, 0, 0 }, { 7, 8, 9, 6 }, { 0, 0, 0, 0 } },
                zeros():put(2, { 7, 8, 9, 6 }, { combine = f }):totable())
            local a = zeros()
            a:transpose():put({ 4, 4 }, { { 1, 2, 3 }, { 4, 5, 6 } }, { combine = f })
            assert.same({ { 0, 0, 0, 14 }, { 0, 0, 0, 25 }, { 0, 0, 0, 36 } }, a:totable())
            expect.failure("index 4 (number 2) is out of range", function() a:put({ 1, 4 }, 5, { combine = f }) end)
            assert.same({ { 0, 0, 0, 14 }, { 0, 0, 0, 25 }, { 0, 0, 0, 36 } }, a:totable())
        end)
    end)

    it("writes what a loop writes, along each axis, of ranks 1 to 3; the last of equal indices wins", function()
        expect.everywhere(function()
            for number, shape in ipairs { { 7 }, { 1 }, { 300 }, { 3, 4 }, { 5, 70 }, { 2, 3, 4 }, { 3, 1, 65 } } do
                local n = product(shape)
                for axis = 1, #shape do
                    for c, count in ipairs { 1, 5, 130 } do
                        local at = random_indices(count, shape[axis], number * 10 + c)
                        local extents = { table.unpack(shape) }
                        extents[axis] = count
                        local function value(k) return k * 7 % 1009 end
                        local x = (lun.index(product(extents)) * 7 % 1009):reshape(extents)
                        local A = lun.vector(numbers(n), "i64"):reshape(shape):copy()
                        assert.equal(A, A:put(at, x, { axis = axis }))
                        expect.elements(put(numbers(n), shape, at, axis, value), A:flatten())
                        A = lun.vector(numbers(n), "i64"):reshape(shape):copy()
                        A:put(at, x, { axis = axis - #shape - 1, combine = "+" })
                        expect.elements(put(numbers(n), shape, at, axis, value, add), A:flatten())
                        A = lun.vector(numbers(n), "i64"):reshape(shape):copy()
                        assert.equal(A, A:put(at, x, { axis = axis, combine = append }))
                        expect.elements(put(numbers(n), shape, at, axis, value, append), A:flatten())
                    end
                end
            end
        end)
    end)

    it("broadcasts what is written: a number, a table, a row, an expression", function()
        local A = lun.zeros({ 3, 4 }, "i64"):put({ { 1, 2 }, { 3, -1 } }, { { 1, 2 }, { 3, 4 } }, { axis = 2 })
        assert.same({ { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4 } }, A:totable())
        assert.same({ { 9, 9, 9, 9 }, { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, A:put(1, 9):put({ 3 }, lun.index(4) + 4):totable())
        assert.same({ { 9, 9, 9, 9 }, { 10, 20, 30, 40 }, { 10, 20, 30, 40 } }, A:put({ 2, 3 }, { 10, 20, 30, 40 }):totable())
        assert.same({ { 0, 9, 9, 0 }, { 0, 20, 30, 0 }, { 0, 20, 30, 0 } }, A:put({ 4, 1 }, 0, { axis = 2 }):totable())
        assert.same({ 1, 2 }, lun.vector({ 1, 2 }):put({}, 5):totable())
        assert.same({ true, false, true }, lun.vector({ false, false, true }):put({ 1 }, true):totable())
        assert.same({ 7, 2 }, lun.vector({ 1, 2 }):put(lun.vector({ 1 }, "u64"), lun.vector { 7.9 }):totable())
    end)

    it("combines in the order of the indices, by each operation, in the dtype of both", function()
        local cases = {
            { "+", add }, { "-", function(a, b) return a - b end }, { lun.op.mul, function(a, b) return a * b end },
            { "max", math.max }, { lun.min, math.min }, { "&", function(a, b) return a & b end },
            { "|", function(a, b) return a | b end }, { lun.op.bxor, function(a, b) return a ~ b end },
        }
        local at = random_indices(500, 20, 5)
        local list = {}
        for k = 1, 500 do
            list[k] = (k * 37 % 41) - 20
        end
        for _, case in ipairs(cases) do
            for _, t in ipairs { "i8", "i32", "i64", "u16", "u64" } do
                local got = lun.vector(numbers(20), "i64"):cast(t):copy():put(at, list, { combine = case[1] })
                local want = numbers(20)
                for k, i in ipairs(at) do
                    local p = i < 0 and 21 + i or i
                    local old = lun.vector({ want[p] }):cast(t)
                    want[p] = t == "u64" and case[1] ~= "max" and case[1] ~= lun.min and case[2](want[p], list[k])
                        or t == "u64" and (case[1] == "max") == math.ult(want[p], list[k]) and list[k]
                        or t == "u64" and want[p] or lun.vector({ case[2](old[1], list[k]) }):cast(t)[1]
                end
                assert.equal(0, got:ne(lun.vector(want):cast(t)):count(), tostring(case[1]) .. " " .. t)
            end
        end
    end)

    it("combines floats, each step rounded to the elements' dtype", function()
        expect.everywhere(function()
            local at, x = {}, {}
            for k = 1, 1000 do
                at[k], x[k] = k % 7 + 1, math.sin(k)
            end
            local want = put(lun.zeros(7):totable(), { 7 }, at, 1, function(k) return x[k] end, add)
            expect.elements(want, lun.zeros(7):put(at, x, { combine = "+" }))
            local narrow = lun.zeros(7, "f32"):totable()
            for k, i in ipairs(at) do
                narrow[i] = string.unpack("f", string.pack("f", narrow[i] + x[k]))
            end
            expect.elements(narrow, lun.zeros(7, "f32"):copy():put(at, x, { combine = "+" }))
            local half = lun.zeros(2, "f16"):put({ 1, 1, 2 }, lun.vector({ 2048, 1, 0.5 }, "f16"), { combine = "+" })
            assert.same({ 2048.0, 0.5 }, half:totable())
            local nan = lun.vector({ 1.0, 0 / 0 }):put({ 1, 1, 2 }, { 0 / 0, 5, 5 }, { combine = "max" })
            assert.is_true(nan[1] ~= nan[1] and nan[2] ~= nan[2])
            assert.same({ true, false }, lun.vector({ false, true }):put({ 1, 2 }, { true, false }, { combine = "&" })
                :put({ 1 }, lun.vector { 2 }, { combine = "|" }):totable())
        end)
    end)

    it("writes through windows, and leaves everything else as it is", function()
        expect.everywhere(function()
            local A = lun.zeros({ 7, 9 }, "i64")
            A:sub({ 2, 6, 2 }, { 8, 2, -3 }):put({ 3, 1 }, { { 1, 2, 3 }, { 4, 5, 6 } })
            local want = {}
            for i = 1, 7 do
                want[i] = { 0, 0, 0, 0, 0, 0, 0, 0, 0 }
            end
            want[6][8], want[6][5], want[6][2], want[2][8], want[2][5], want[2][2] = 1, 2, 3, 4, 5, 6
            assert.same(want, A:totable())
            A:transpose():col(4):put({ 1, -1 }, { 7, 8 })
            want[4][1], want[4][9] = 7, 8
            assert.same(want, A:totable())
            local before = A + 0
            local copy, other = A:copy(), A:sub(2, 3)
            A:put({ 2 }, -1)
            assert.same(want, before:totable())
            assert.same(want, copy:totable())
            assert.same({ -1, -1, -1, -1, -1, -1, -1, -1, -1 }, other[1]:totable())
        end)
    end)

    it("reads all that it is given before it writes", function()
        expect.everywhere(function()
            local a = lun.vector { 1, 2, 3, 4, 5 }
            assert.same({ 5, 4, 3, 2, 1 }, a:put({ 5, 4, 3, 2, 1 }, a):totable())
            assert.same({ 4, 3, 2, 2, 1 }, a:put({ 1, 2, 3 }, a:sub(2, 4)):totable())
            assert.same({ 2, 2, 4, 3, 1 }, a:put(a, lun.vector { 3, 4, 1, 2, 1 } * 1):put({ 1 }, a:take { 2 }):totable())
            local e = (lun.index(4) * 10)
            assert.same({ 10, 0, 30, 40 }, e:put({ 2 }, 0):totable())
        end)
    end)

    it("gives the same on every number of threads, of many elements", function()
        local n, m = 140000, (1 << 18) + 3 -- a MB of elements: fewer are left to one thread
        local at = (lun.random(m, { seed = 3 }) * n):cast("i64"):eval()
        local x = lun.random(m, { seed = 4 }):eval()
        local last, sums = lun.zeros(n):totable(), lun.zeros(n):totable()
        local places, values = at:totable(), x:totable()
        for k = 1, m do
            local p = places[k] + 1
            last[p], sums[p] = values[k], sums[p] + values[k]
        end
        local script = os.tmpname()
        local file = assert(io.open(script, "w"))
        file:write(([[local lun = require "lunarray"
            local n, m = %d, %d
            local at = (lun.random(m, { seed = 3 }) * n):cast "i64" + 1
            local x = lun.random(m, { seed = 4 })
            local function zeros(weights) return lun.zeros(n):copy():distribute("block", { weights = weights }) end
            for _, set in ipairs { lun.use(), "reference/3" } do
                lun.use(set)
                local weights = set:find "/" and { 1, 5, 2 }
                local h = zeros(weights or nil)
                lun.each(m, function(k) h[at[k] ] = h[at[k] ] + x[k] end)
                io.write(zeros():put(at, x):tobytes(), zeros():put(at, x, { combine = "+" }):tobytes(), h:tobytes())
                local small = lun.zeros(1 << 20, "i8"):copy():distribute("block", { weights = weights or nil })
                local done, message = pcall(lun.each, m, function(k)
                    small[at[k] * 7] = small[at[k] * 7] + (k == 90001 and 200 or k == 250000 and 300 or k %% 2)
                end)
                io.write(tostring(done), tostring(message):match "number %%d+ does not fit" or message, small:abs():sum(), "\n")
            end]]):format(n, m))
        file:close()
        local want = lun.vector(last):tobytes() .. lun.vector(sums):tobytes()
        local before = 0
        for k = 1, 90000 do before = before + (places[k] == places[90001] and k % 2 or 0) end
        want = want .. lun.vector(sums):tobytes() .. ("falsenumber %d does not fit0\n"):format(before + 200)
        want = want .. want
        for _, threads in ipairs { 1, 2, 3, 8 } do
            local run = assert(io.popen(("LUNARRAY_THREADS=%d '%s' '%s'"):format(threads, shell.interpreter(), script)))
            assert.is_true(run:read "a" == want, threads .. " threads")
            run:close()
        end
        os.remove(script)
    end)

    it("checks all indices before it writes", function()
        expect.everywhere(function()
            local a, A = lun.vector { 1, 2, 3 }, lun.zeros({ 2, 3 }, "i64")
            expect.failure("index 4 (number 3) is out of range for axis 1 of length 3", a.put, a, { 1, 2, 4 }, 9)
            expect.failure("index 0 (number 1) is out of range for axis 1 of length 3", a.put, a, { 0 }, 9)
            expect.failure("index -4 (number 2) is out of range for axis 2 of length 3", A.put, A, { 1, -4 }, 9, { axis = 2 })
            expect.failure("index 7 (number 1)", A.sub(A, {}, { 1, 2 }).put, A:sub({}, { 1, 2 }), lun.vector { 7 }, 1, { combine = "+" })
            expect.failure("attempt to perform", a.put, a, { 1, 2 }, lun.vector { 1, 0 } // lun.vector { 1, 0 })
            assert.same({ 1, 2, 3 }, a:totable())
            assert.equal(0, A:sum())
        end)
    end)

    it("compares u64 and signed integers by value, and refuses values that the array cannot hold", function()
        expect.everywhere(function()
            for combine, want in pairs { min = { 3, 6 }, max = { 5, 9 } } do
                for from, to in pairs { i64 = "u64", u64 = "i64", i8 = "u64" } do
                    local a = lun.vector({ 5, 6 }, to):copy()
                    a:put({ 1, 2 }, lun.vector({ 3, 9 }, from), { combine = combine })
                    assert.same(want, a:totable())
                end
                local u, i, how = lun.vector({ 5, 6 }, "u64"):copy(), lun.vector({ 5, 6 }, "i64"):copy(), { combine = combine }
                expect.failure("#2 to 'put' (value 2 of i64 is negative, which u64 cannot hold: cast the values to u64, or the "
                    .. "array to i64, first)", function() u:put({ 1, 2 }, lun.vector { 3, -1 }, how) end)
                expect.failure("#2 to 'put' (value 1 of i32 is negative", function() u:put({ 1 }, lun.vector({ -1 }, "i32"), how) end)
                expect.failure("#2 to 'put' (value 2 of u64 is 2^63 or more, which i64 cannot hold: cast the values to i64, or "
                    .. "the array to u64, first)", function() i:put({ 1, 2 }, lun.vector({ 3, -1 }, "u64"), how) end)
                assert.same({ 5, 6, 5, 6 }, { u[1], u[2], i[1], i[2] })
                u:put({ 1, 2 }, lun.vector({ 3, -1 }, "u64"), how)
                assert.same(combine == "min" and { 3, 6 } or { 5, -1 }, u:totable())
            end
        end)
    end)

    it("says what is wrong with its arguments", function()
        local a, A = lun.vector { 1, 2, 3 }, lun.index(12):reshape { 3, 4 }
        local failure = expect.failure
        failure("#2 to 'put' (i64[3] does not broadcast to the shape of the indices: i64[2])", function() a:put({ 1, 2 }, { 1, 2, 3 }) end)
        failure("#1 to 'put' (indices are integers, got f64)", function() a:put(lun.vector { 1.0 }, 1, { combine = "+" }) end)
        failure("#1 to 'put' (indices are integers, got bool", function() a:put(a:gt(1), 1) end)
        failure("#3 to 'put' (elements of i64 cannot be combined by 'div'", function() a:put({ 1 }, 1, { combine = "/" }) end)
        failure("elements of i64 cannot be combined with f64", function() a:put({ 1 }, lun.vector { 1.5 }, { combine = "+" }) end)
        failure("number 0.5 does not fit into dtype i64", function() a:put({ 1 }, 0.5) end)
        failure("option combine: an operation", function() a:put({ 1 }, 1, { combine = "plus" }) end)
        failure("unknown option 'axes'", function() a:put({ 1 }, 1, { axes = 1 }) end)
        failure("axis 3 is out of range", function() A:put({ 1 }, 1, { axis = 3 }) end)
        failure("a window in which several indices share an element", function() a:windows(2):put({ 1 }, 1) end)
        local function less(x, y) return x - y end
        failure("#2 to 'put' (i64[3] does not broadcast to the shape of the indices: i64[2])", function()
            a:put({ 1, 2 }, { 1, 2, 3 }, { combine = less })
        end)
        local fixed = a:copy { readonly = true }
        for _, how in ipairs { {}, { combine = "+" }, { combine = less } } do
            failure("calling 'put' on bad self (i64[3] is read-only: write to a copy)", function() fixed:put({ 1 }, 1, how) end)
        end
        assert.same({ 1, 2, 3 }, a:totable())
    end)
end)
