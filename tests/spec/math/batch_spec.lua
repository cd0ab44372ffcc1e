-- lun.batch: what it gives is what the function gives for each item, bit by bit; axes, functions in functions,
-- derivatives, refusals.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"

local fails = plain.fails

local X, v, w

local function shape_text(x) return table.concat({ x:shape() }, " ") end

-- The results of f for each of the items of arrays, first one by one, then in a batch.
local function same(f, ...)
    local all = { ... }
    local got = table.pack(lun.batch(f)(...))
    for i = 1, #all[1] do
        local one = {}
        for k, x in ipairs(all) do
            one[k] = x[i]:copy()
        end
        local wanted = table.pack(f(table.unpack(one)))
        assert.equal(wanted.n, got.n)
        for k = 1, wanted.n do
            local x, y = wanted[k], got[k][i]
            if lun.isarray(x) then
                assert.equal(shape_text(x), shape_text(y), "result " .. k)
                assert.equal(x:dtype(), y:dtype(), "result " .. k)
                assert.equal(x:copy():tobytes(), y:copy():tobytes(), "result " .. k)
            else
                assert.equal(x, y, "result " .. k)
            end
        end
    end
end

describe("batch", function()
    setup(function()
        X, v = lun.random({ 5, 4, 3 }, { seed = 1 }):eval(), lun.random({ 5, 3 }, { seed = 2 }):eval()
        w = lun.random(3, { seed = 3 }):eval()
    end)

    it("gives plain values", function()
        local A = lun.vector { { 1, 2 }, { 3, 4 }, { 5, 6 } }
        plain.same({ 3, 7, 11 }, lun.batch(function(x) return x:sum() end)(A))
        plain.same({ 9, 12 }, lun.batch(function(x) return x:sum() end, { axes = { 2 } })(A))
        plain.same({ { 3, 6 }, { 9, 12 }, { 15, 18 } }, lun.batch(function(x) return x * #x end, { axes = { 2 }, out = 2 })(A))
        plain.same({ { 7, 7 }, { 7, 7 }, { 7, 7 } }, lun.batch(function() return lun.full(2, 7) end)(A))
        plain.same({ 5, 5, 5 }, lun.batch(function() return 5 end)(A))
        plain.same({ { 10, 20 }, { 30, 40 }, { 50, 60 } }, lun.batch(function(x, k) return x * k end)(A, 10))
        plain.same({ { 1, 3, 5 }, { 2, 4, 6 } }, lun.batch(function(x) return x end, { out = -1 })(A))
    end)

    it("has the bits of elementwise operations and products of each item", function()
        same(function(A) return A * 2 + 1, -A, A ^ 2, lun.exp(A), A // 0.1, A % 0.3, lun.clamp(A, 0.2, 0.4) end, X)
        same(function(A, b) return A + b, A - w, b * w, A:lt(b), lun.where(A:gt(0.5), A, 0), b:max(w), b:max(0.5) end, X, v)
        same(function(A, b) return A:matmul(b), A:matmul(w), b:matmul(A:transpose()), A:transpose():matmul(A), A:matmul(lun.ones { 3,
            2 }) end, X, v)
        same(function(b) return b:dot(b), w:dot(b), b:dot(w), b:outer(w), b:cross(w), b:vecdot(b) end, v)
        local k = lun.random({ 3, 2, 4 }, { seed = 4, dist = "integers", low = 100, high = 127, dtype = "i8" }):eval()
        same(function(A) return A:matmul(A:row(1)), A:row(1):dot(A:row(2)), A:sum(), A + A end, k)
        same(function(A) return lun.einsum("ij,kj->ik", A, A), A:kron(lun.eye(2)), A:tensordot(w, 1), A:norm() end, X)
    end)

    it("has the bits of reductions, sorts and shapes", function()
        same(function(A) return A:sum(), A:sum(1), A:sum { axis = -1, keep = true }, A:mean(), A:max(), A:min { axis = 2 },
            A:prod(2) end, X)
        same(function(A) return A:argmax(), A:argmin { axis = 1 }, A:gt(0.5):any(), A:gt(0.5):count(), A:median(), A:ptp() end, X)
        same(function(A) return A:quantile(0.25, { axis = 1 }), A:cumsum(), A:cumsum { axis = 2 }, A:var { axis = 1 },
            A:std { axis = 2, ddof = 1 } end, X)
        same(function(A) return A:sort { axis = 1 }, A:argsort { axis = 2 }, A:transpose(), A:reshape(2, 6), A:flatten(), A:view { 3,
            4 } end, X)
        same(function(A) return A:flip(), A:flip(1), A:sub(2, 3), A:sub({}, { 1, -1, 2 }), A:row(2), A:col(3), A[2], A[-1],
            A:select(2, 1) end, X)
        same(function(A) return A:take { 4, 1 }, A:take({ 3, 1 }, { axis = 2 }), A .. A, lun.concat({ A, A }, 2), A:pad(1, 0) end, X)
        same(function(b) return lun.stack { b, w }, b:shift(1, { edge = 0 }), b:roll(1), b:expand_dims(1):squeeze(), b:broadcast { 2,
            3 } end, v)
        same(function(b) return b:diff(), b:zscore { axis = 1 }, b:cumprod(), b:average(w), b:softplus(), b:trapz(),
            b:take_along_axis(b:argsort()) end, v)
        same(function(A) return A:tile { 1, 2 }, A:repeat_(2), A:rot90(), A:moveaxis(1, 2), A:swapaxes(1, 2), A:mean { axis = 1,
            keep = true } end, X)
        same(function(b) return b:map(function(x) return x * x end), b:cast "f32", b:copy(), lun.polyval({ 1, 2 }, b),
            b:isclose(w) end, v)
        same(function(b) return b:digitize(w:sort()), b:interp(lun.vector { 0, 1 }, lun.vector { 5, 6 }), b:gradient(),
            b:percentile(30) end, v)
    end)

    it("has the bits of linear algebra and transforms", function()
        local function square(A) return A:transpose():matmul(A) + lun.eye(3) end
        same(function(A) return square(A):inv(), square(A):det(), square(A):cholesky(), square(A):solve(w), square(A):eigh() end, X)
        same(function(A, b) return square(A):solve(b), square(A):trace(), square(A):expm(), square(A):diagonal(),
            square(A):cond() end, X, v)
        same(function(A) return A:qr() end, X)
        same(function(A) return A:svd() end, X)
        same(function(A) return (A:lstsq(lun.ones(4))) end, X)
        same(function(b) return (lun.eye(3) * 2):lstsq(b) end, v)
        same(function(A) return square(A):eigvals():abs(), A:tril(), A:matrix_rank(), square(A):slogdet() end, X)
        same(function(b) return b:rfft():irfft { n = 3 }, b:fft():abs(), b:fftshift() end, v)
        same(function(A) return A:fftn():abs(), A:fft { axis = 1 }:abs() end, X)
    end)

    it("goes with derivatives and with itself", function()
        same(function(b) return lun.grad(function(x) return (x ^ 2):sum() + x:dot(w) end)(b) end, v)
        same(function(A) return lun.grad(function(x) return (A:matmul(x) ^ 2):sum() end)(w) end, X)
        local of_batch = lun.grad(function(u) return lun.batch(function(x) return (u * x):sum() ^ 2 end)(v):sum() end)(w)
        assert.is_true((of_batch - lun.grad(function(u) return (v:matmul(u) ^ 2):sum() end)(w)):abs():max() < 1e-14)
        assert.is_true((lun.grad(function(V) return lun.batch(function(x) return (x * x):sum() end)(V):sum() end)(v)):equals(2 * v))
        assert.is_true(lun.batch(function(x, y) return lun.batch(function(z) return z * y end)(x) end)(X, v):equals(X * v:expand_dims(2)))
        local pairs_of = lun.batch(function(a) return lun.batch(function(b) return a:dot(b) end)(v) end)(v)
        assert.is_true((pairs_of - v:matmul(v:transpose())):abs():max() < 1e-15)
    end)

    it("is lazy", function()
        local y = lun.batch(function(x) return x * 2 + 1 end)(v)
        assert.is_true(y:pending() > 0)
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            local X = lun.random({ 300, 20, 7 }, { seed = 1 })
            local y = lun.batch(function(A, b) return (A:transpose():matmul(A) + lun.eye(7)):solve(b), A:matmul(b):max() end)(X,
                lun.random({ 300, 7 }, { seed = 2 }))
            texts[#texts + 1] = y:copy():tobytes()]]
    end)

    it("names what is wrong", function()
        local function wrong(text, f, ...)
            local all = { ... }
            fails(text, nil, function() return lun.batch(f)(table.unpack(all)) end)
        end
        local choose = " in a function of lun.batch: it is another one for each item; choose with lun.where"
        wrong("an element is read as a number" .. choose, function(x) return x[1] end, v)
        wrong("a comparison decides" .. choose, function(x) return x:sum() > 0 and x or -x end, v)
        wrong("'value' reads elements" .. choose, function(x) return x:sum():value() end, v)
        wrong("'compress' in a function of lun.batch: its length is another one for each item; choose with lun.where",
            function(x) return x:compress(x:gt(0)) end, v)
        local made = "items are not written to, make a new array, with lun.where or concat"
        wrong("'set' in a function of lun.batch: " .. made, function(x) return x:set(0) end, v)
        wrong("an item of a batch is not written to: make a new array, with lun.where or concat", function(x) x[1] = 2 end, v)
        wrong("'reduce' has no form for lun.batch", function(x) return x:reduce("+", 0) end, v)
        wrong("'convolve' has no form for lun.batch", function(x) return x:convolve { 1, 2 } end, v)
        wrong("bad argument #1 to 'matmul' (3 rows expected, got 4)", function(x) return x:matmul(lun.ones(4)) end, v)
        wrong("bad argument #1 to 'inv' (a matrix expected, got item f64[3])", function(x) return x:inv() end, v)
        wrong("bad argument #2 to 'batch' (extents differ: 5 in argument 1 and 4)", function(x) return x end, v, lun.ones(4))
        wrong("bad argument #1 to 'batch' (none of the arguments has an axis of items)", function(x) return x end, 3)
        wrong("bad argument #1 to 'batch' (the function gave string; arrays and numbers are results)", function() return "a" end, v)
        local function of(text, ...)
            local all = table.pack(...)
            fails(text, nil, function() return lun.batch(table.unpack(all, 1, all.n))(v) end)
        end
        local function f(x) return x end
        of("bad argument #1 to 'batch' (function expected, got number)", 3)
        of("bad argument #2 to 'batch' (unknown option 'axis': the options are axes, out)", f, { axis = 1 })
        of("bad argument #2 to 'batch' (table of options expected, got number)", f, 1)
        of("bad argument #2 to 'batch' (axes: a list of axes and false expected, got number)", f, { axes = 1 })
        of("bad argument #1 to 'batch' (no axis 3: the array has 2)", f, { axes = { 3 } })
        of("bad argument #2 to 'batch' (out: an axis expected, got x)", f, { out = "x" })
        of("bad argument #2 to 'batch' (out: no axis 3 in a result of 2)", f, { out = 3 })
    end)
end)
