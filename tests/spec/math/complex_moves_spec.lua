-- Complex arrays moved, written into, combined by operations: values of NumPy (complex_moves.py), on every backend, on sets of places
-- and on ranks.
local lun = require "lunarray"
local expect = require "expect"
local onplaces = require "onplaces"

local c, i, fails = lun.complex, lun.i, expect.failure

local function holds(wanted, a)
    local got = a:flatten():totable()
    assert.equal(#wanted, #got)
    for k, x in ipairs(wanted) do
        assert.is_true(got[k] == c(0) + x, ("element %d is %s, not %s"):format(k, tostring(got[k]), tostring(x)))
    end
end

local function everywhere(check)
    expect.everywhere(check)
    for _, set in ipairs { "openmp/2", "openmp/3" } do
        lun.use(set)
        check(set)
    end
    lun.use(lun.backends()[1])
end

describe("complex arrays", function()
    onplaces.restore(before_each, after_each)
    local x = lun.vector { c(1, 2), c(-3, 0.5), 4 * i }
    local A = c(lun.range(0, 5):reshape(2, 3), lun.vector { { 5, 4, 3 }, { 2, 1, 0 } })

    it("are written by put, replaced or added to", function()
        everywhere(function()
            for _, dtype in ipairs { "c64", "c128" } do
                local a = lun.vector({ 7, 4 * i, 4 * i }, dtype)
                a:put({ 3, 3, 1 }, x, { combine = "+" })
                holds({ c(7, 4), 4 * i, c(-2, 6.5) }, a)
                a = lun.vector({ 7, 4 * i, 4 * i }, dtype)
                a:put({ 3, 3, 1 }, x)
                holds({ 4 * i, 4 * i, c(-3, 0.5) }, a)
                a:put({ 1 }, 5)
                a:put({ 2 }, i)
                holds({ 5, i, c(-3, 0.5) }, a)
            end
        end)
        fails("bad argument #3 to 'put' (complex elements are replaced, added to or multiplied: 'max' does not do that)", function()
            x:copy():put({ 1 }, 2, { combine = "max" })
        end)
        local fixed = x:copy { readonly = true }
        for _, how in ipairs { {}, { combine = "+" }, { combine = "*" } } do
            fails("calling 'put' on bad self (c128[3] is read-only: write to a copy)", function() fixed:put({ 1 }, 2, how) end)
        end
        fails("(c128[3] is read-only: write to a copy)", function() fixed[1] = i end)
        fails("a complex array does not fit f64", lun.zeros(3).put, lun.zeros(3), { 1 }, x:take { 1 })
    end)

    it("are multiplied by put one after the other, as a loop does", function()
        local function rounded(v, dtype)
            return dtype == "c128" and v or (string.unpack("f", string.pack("f", v)))
        end
        everywhere(function()
            for _, dtype in ipairs { "c64", "c128" } do
                for _, n in ipairs { 1, 5, 300 } do
                    local a = lun.complex(lun.random(n, { seed = 1 }), lun.random(n, { seed = 2 })):cast(dtype):eval()
                    local at = (lun.random(3 * n, { seed = 3 }) * n):floor():cast "i64" + 1
                    local by = lun.complex(lun.random(3 * n, { seed = 4 }), lun.random(3 * n, { seed = 5 }) - 0.5):cast(dtype):eval()
                    local want, index = a:totable(), at:totable()
                    for k, z in ipairs(by:totable()) do
                        local w = want[index[k]]
                        local function p(u, v) return rounded(u * v, dtype) end
                        want[index[k]] = c(rounded(p(w.re, z.re) - p(w.im, z.im), dtype), rounded(p(w.re, z.im) + p(w.im, z.re), dtype))
                    end
                    a:put(at, by, { combine = "*" })
                    assert.same(want, a:totable())
                end
            end
            local M = lun.full({ 2, 3 }, i)
            M:put({ 1, 1 }, 2, { axis = 1, combine = "*" })
            M:put({ -1 }, lun.vector { 1, i, 3 }, { axis = 1, combine = "*" })
            holds({ 4 * i, 4 * i, 4 * i, i, -1 + 0 * i, 3 * i }, M:flatten())
            M:sub(2, 2):put({ 1 }, i, { combine = "*" })
            holds({ 4 * i, 4 * i, 4 * i, -1, -i, -3 }, M:flatten())
            fails("index 7 (number 2) is out of range", M.put, M, { 1, 7 }, 2, { combine = "*" })
            fails("f64[2] does not broadcast to the shape of the indices", M.put, M, { 1, 2 }, lun.vector { 1.0, 2 },
                { combine = "*" })
            holds({ 4 * i, 4 * i, 4 * i, -1, -i, -3 }, M:flatten())
        end)
    end)

    it("are taken, chosen, compressed, put together", function()
        everywhere(function()
            holds({ c(3, 2), c(4, 1), 5, 5 * i, c(1, 4), c(2, 3) }, A:take({ 2, 1 }, { axis = 1 }))
            holds({ -i, -i, -i, c(3, 2), c(4, 1), 5 }, lun.where(A.re:gt(2), A, -i))
            holds({ 5 * i, c(2, 3), c(4, 1) }, A:compress((A.re % 2):eq(0)))
            holds({ c(1, 2), c(-3, 0.5), 4 * i, 1, 2 }, lun.concat({ x, lun.vector { 1, 2 } }, 1))
        end)
    end)

    it("are combined by the names of + and *", function()
        everywhere(function()
            holds({ c(-2, 6.5), c(22, -16), c(16, 22) }, lun.concat({ x:reduce "+":reshape(1), x:reduce "*":reshape(1),
                x:reduce("*", i):reshape(1) }, 1))
            holds({ c(1, 2), c(-2, 2.5), c(-2, 6.5) }, x:scan("+", nil, { inclusive = true }))
            holds({ 1, c(1, 2), c(-4, -5.5) }, x:scan "*")
            holds({ c(-10, 15), 17 * i, c(10, 15) }, A:reduce("*", nil, { axis = 1 }))
            holds({ c(3, 12), c(12, 3) }, lun.reduce("+", nil, { axis = 2 })(A))
            holds({ c(-3, 4), c(8.75, -3), -16 }, x:zip(x, "*"))
            assert.is_true(x:map(lun.op.abs) == x:abs())
        end)
        fails("complex numbers are combined by + and *", x.reduce, x, "max")
        fails("complex numbers are combined by + and *", x.scan, x, "min")
    end)

    it("have the bits of sums and products where these are combined by name", function()
        for _, dtype in ipairs { "c64", "c128" } do
            local z = lun.random({ 5, 260 }, { dtype = dtype, seed = 3, dist = "normal" })
            everywhere(function()
                for _, axis in ipairs { 1, 2 } do
                    assert.is_true(z:reduce("+", nil, { axis = axis }):equals(z:sum(axis)))
                    assert.is_true(z:reduce("*", nil, { axis = axis }):equals(z:prod { axis = axis }))
                    assert.is_true(z:scan("*", nil, { axis = axis, inclusive = true }):equals(z:cumprod { axis = axis }))
                end
            end)
        end
    end)

    it("are searched for nothing", function()
        for _, name in ipairs { "isin", "intersect", "setdiff", "setxor" } do
            fails("complex numbers have no order", x[name], x, x)
        end
    end)

    it("have norms of their moduli", function()
        assert.equal(7, lun.vector { c(3, 4), -2 * i }:vector_norm { ord = 1 })
        assert.equal(5, lun.vector { c(3, 4), -2 * i }:vector_norm { ord = math.huge })
        assert.equal(7, lun.vector { { c(3, 4), 0 }, { -2 * i, 0 } }:matrix_norm { ord = 1 })
    end)

    it("are computed by several ranks as by one", function()
        local shell = require "shell"
        local path = shell.write(os.tmpname(), [[
            local lun = require "lunarray"
            local z = lun.random(1000, { dtype = "c128", seed = 5 })
            local w = z:map(function(v) return v * v + lun.i end)
            w:put({ 3, 3 }, z:sub(1, 2), { combine = "+" })
            print(tostring(w:sum()), tostring(w:reduce "*":value()), tostring(w:scan "+"[700]), tostring((w:exp() / z)[999]))
        ]])
        local one = shell.capture(("%s %s 2>&1"):format(shell.interpreter(), path))
        for _, ranks in ipairs { 2, 3 } do
            assert.equal(one, shell.capture(("%s --ranks %d --backend mpi %s 2>&1"):format(shell.interpreter(), ranks, path)))
        end
        os.remove(path)
    end)
end)
