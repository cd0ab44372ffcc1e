-- Sparse matrices: SciPy's values, what triples may be, dtypes, files, equations, the same bits in every way, mistakes.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"
local known = require "math.csr_values"

local fails, same = plain.fails, plain.same

local function matrix(row) return lun.csr(row.rows, row.columns, row.values, { row.n, row.m }) end

describe("csr", function()
    it("has SciPy's values", function()
        for _, row in ipairs(known) do
            local S = matrix(row)
            same(lun.vector(row.dense), S:dense())
            same(lun.vector(row.offsets), S:rows())
            same(lun.vector(row.product), S:matmul(lun.vector(row.x)))
            same(lun.vector(row.products), S:matmul(lun.vector(row.y)))
            same(lun.vector(row.transpose), S:transpose():dense())
            same(lun.vector(row.diagonal), S:diagonal())
            same(lun.vector(row.columns_sum), S:sum(1))
            same(lun.vector(row.rows_sum), S:sum(-1))
            assert.equal(row.sum, S:sum())
            assert.equal(("%d %d %d"):format(row.n, row.m, row.offsets[row.n + 1] - 1), ("%d %d %d"):format(row.n, row.m, S:nnz()))
            local i, j, v = S:triples()
            local again = lun.csr(i, j, v, { S:shape() })
            same(S:dense(), again:dense())
            same(S:dense(), lun.csr(S:rows(), j, v, { row.n, row.m }, { offsets = true }):dense())
            same(S:dense(), lun.csr(S:dense()):dense())
        end
    end)

    it("adds, scales, maps and cuts as its dense matrix", function()
        for _, row in ipairs(known) do
            local S = matrix(row)
            local D, T = S:dense(), matrix(row):map(function(x) return x * x + 1 end)
            same(D + T:dense(), (S + T):dense())
            same(D - T:dense(), (S - T):dense())
            same(D * 2.5, (2.5 * S):dense())
            same(D / 4, (S / 4):dense())
            same(0 - D, (-S):dense() + 0)
            local half = math.max(row.n // 2, 1)
            same(D:sub { half, row.n }, S:sub({ half, -1 }):dense())
            assert.equal(0, S:sub({ 1, 0 }):nnz())
            assert.equal(row.n, #S)
        end
    end)

    it("keeps each dtype's arithmetic", function()
        local i, j = lun.vector { 1, 1, 2 }, lun.vector { 1, 2, 2 }
        for dtype, stored in pairs { bool = "i64", i8 = "i64", u32 = "i64", i64 = "i64", f16 = "f32", f32 = "f32", f64 = "f64",
            c64 = "c64", c128 = "c128" } do
            local S = lun.csr(i, j, lun.ones(3, dtype), { 2, 2 })
            assert.equal(stored, S:dtype())
            assert.equal(stored, S:matmul(lun.ones(2, stored)):dtype(), dtype)
            assert.equal(S:dense():matmul(lun.ones(2, stored)):copy():tobytes(), S:matmul(lun.ones(2, stored)):copy():tobytes())
        end
        assert.equal(math.mininteger, lun.csr({ 1, 1 }, { 1, 1 }, { math.maxinteger, 1 }, { 1, 1 }):matmul(lun.ones(1,
            "i64"))[1]) -- wraps
        local third = lun.vector({ 1 / 3, 1 / 3, 1 / 3 }, "f32")
        same((third * third):sub(1, 1) + (third * third):sub(2, 2), lun.csr({ 1, 1 }, { 1, 2 }, third:sub(1, 2), { 1,
            2 }):matmul(third:sub(1, 2)))
        local A = lun.complex(lun.random({ 5, 4 }, { seed = 1 }), lun.random({ 5, 4 }, { seed = 2 })):eval()
        local x = lun.complex(lun.random(4, { seed = 3 }), lun.random(4, { seed = 4 })):eval()
        local S = lun.csr(A)
        assert.is_true(A:equals(S:dense()))
        for _, y in ipairs { S:matmul(x) - A:matmul(x), S:matmul(x.re) - A:matmul(x.re), lun.csr(A.re):matmul(x) - A.re:matmul(x),
            S:transpose():sum(2) - A:sum { axis = 1 }, (S * lun.i):sum(2) - (A * lun.i):sum { axis = 2 } } do
            assert.is_true(y:abs():max() < 1e-15)
        end
        assert.equal(math.huge, lun.csr({ 1 }, { 1 }, { math.huge }, { 2, 2 }):matmul(lun.ones(2))[1])
        assert.equal(0.0, lun.csr({ 1 }, { 1 }, { math.huge }, { 2, 2 }):matmul(lun.ones(2))[2])
    end)

    it("takes triples in any order, repeated ones, none", function()
        same(lun.vector { { 0.0, 8.0 }, { 2.0, 0.0 } }, lun.csr({ 2, 1, 1, 2 }, { 1, 2, 2, 1 }, { 3.0, 1, 7, -1 }, { 2, 2 }):dense())
        local big = lun.csr({ 1, 1, 1 }, { 1, 1, 1 }, { 2.0 ^ 53, 1, 1 }, { 1, 1 }) -- added in order
        assert.equal(2.0 ^ 53, big:sum())
        local z = lun.csr({ 1, 1 }, { 2, 2 }, lun.vector { lun.i, lun.complex(1, 1) }, { 1, 2 })
        assert.equal(lun.complex(1, 2), z:dense()[1][2])
        for _, shape in ipairs { { 0, 0 }, { 0, 3 }, { 3, 0 }, { 3, 2 } } do
            local S = lun.csr({}, {}, {}, shape)
            assert.equal(("%d %d 0"):format(table.unpack(shape)), ("%d %d %d"):format(shape[1], shape[2], S:nnz()))
            same(lun.zeros(shape), S:dense())
            same(lun.zeros(shape[1]), S:matmul(lun.zeros(shape[2])))
            same(lun.zeros { shape[1], 2 }, S:matmul(lun.zeros { shape[2], 2 }))
            same(lun.zeros { shape[2], shape[1] }, S:transpose():dense())
        end
        local a = lun.vector { 1.0, 2 } -- it has its own values
        local S = lun.csr({ 1, 2 }, { 1, 2 }, a, { 2, 2 })
        a[1] = 5
        local _, _, v = S:triples()
        v[2] = 7
        assert.equal(3.0, S:sum())
    end)

    it("solves equations", function()
        local n = 200
        local k = lun.index(n)
        local S = lun.csr(k .. k:sub(2) .. k:sub(1, -2), k .. k:sub(1, -2) .. k:sub(2), lun.full(n, 2.0)
            .. lun.full(2 * n - 2, -1.0), { n, n })
        local b = lun.random(n, { seed = 1 })
        local x, iterations = lun.cg(S, b)
        assert.is_true((S:matmul(x) - b):norm() <= 1e-7 * b:norm())
        same(lun.cg(S:dense(), b) * 0 + x, x)
        assert.is_true(iterations <= n + 5)
    end)

    it("has derivatives and takes items", function()
        local S = matrix(known[3])
        local D, x = S:dense(), lun.vector { 1.0, -2, 3 }
        local g, y = lun.grad(function(u) return (S:matmul(u) ^ 2):sum() end)(x)
        local wanted, value = lun.grad(function(u) return (D:matmul(u) ^ 2):sum() end)(x)
        same(wanted, g)
        assert.equal(value, y)
        local X = lun.random({ 5, 3 }, { seed = 1 })
        local all = lun.batch(function(u) return S:matmul(u) end)(X)
        local Y = lun.random({ 5, 3, 2 }, { seed = 2 })
        local of_matrices = lun.batch(function(u) return S:matmul(u) end)(Y)
        for k = 1, 5 do
            same(S:matmul(X[k]), all[k])
            same(S:matmul(Y[k]), of_matrices[k])
        end
        same(lun.batch(lun.grad(function(u) return (S:matmul(u) ^ 2):sum() end))(X)[2],
            (lun.grad(function(u) return (S:matmul(u) ^ 2):sum() end)(X[2])))
    end)

    it("goes into files as SciPy has them", function()
        local path = os.tmpname() .. ".npz"
        for k, name in ipairs { "csr", "csc" } do
            local bytes = known.files[k]:gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end)
            local t = lun.decode(bytes, "npz")
            assert.equal(name, t.format)
            same(lun.vector(known[5].dense), lun.csr(t):dense())
        end
        local S = matrix(known[4])
        for _, options in ipairs { {}, { compress = true } } do
            assert.is_true(lun.save(path, S, options))
            local t = lun.load(path)
            assert.equal("csr i32 i32 i64", ("%s %s %s %s"):format(t.format, t.indices:dtype(), t.indptr:dtype(), t.shape:dtype()))
            assert.equal(0, t.indptr[1])
            same(S:dense(), lun.csr(t):dense())
        end
        assert.is_true(lun.save(path, { a = lun.ones(2), note = "metres" }))
        assert.equal("metres", lun.load(path).note)
        os.remove(path)
        fails("bad argument #2 to 'save' (a sparse matrix goes into a .npz file; S:dense() is an array)", nil,
            function() return lun.save("/tmp/s.csv", S) end)
        fails("bad argument #1 to 'csr' (a file of format coo: csr and csc are known)", nil,
            function() return lun.csr { format = "coo" } end)
        fails("bad argument #1 to 'csr' (the file has no array 'data')", nil, function() return lun.csr { format = "csr" } end)
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            local n = 3000
            local i = lun.random(20000, { seed = 1, dist = "integers", low = 1, high = n })
            local j = lun.random(20000, { seed = 2, dist = "integers", low = 1, high = n })
            for _, dtype in ipairs { "f64", "f32" } do
                local S = lun.csr(i, j, lun.random(20000, { seed = 3, dtype = dtype }), { n, n })
                texts[#texts + 1] = S:matmul(lun.random(n, { seed = 4, dtype = dtype })):copy():tobytes()
                texts[#texts + 1] = S:transpose():matmul(lun.random({ n, 3 }, { seed = 4, dtype = dtype })):copy():tobytes()
                texts[#texts + 1] = S:sum(1):copy():tobytes()
            end]]
    end)

    it("prints its first elements", function()
        assert.equal("csr<i64>[2, 2], 2 elements\n(1, 2)  3\n(2, 1)  -4", tostring(lun.csr({ 2, 1 }, { 1, 2 }, { -4, 3 }, { 2, 2 })))
        assert.matches("csr<f64>%[20, 20%], 20 elements\n.*\n%(10, 10%)  1.0\n%.%.%.$", tostring(lun.csr(lun.eye(20))))
    end)

    it("names what is wrong", function()
        local S = lun.csr(lun.eye(3))
        local function wrong(text, f) fails(text, nil, f) end
        local function csr(...)
            local given = table.pack(...)
            return function() return lun.csr(table.unpack(given, 1, given.n)) end
        end
        wrong("bad argument #2 to 'csr' (column 5 is out of range: the matrix has 4)", csr({ 1 }, { 5 }, { 1 }, { 3, 4 }))
        wrong("bad argument #1 to 'csr' (row 0 is out of range: the matrix has 3)", csr({ 0 }, { 1 }, { 1 }, { 3, 4 }))
        wrong("bad argument #2 to 'csr' (2 columns for 1 values)", csr({ 1 }, { 1, 2 }, { 1 }, { 3, 4 }))
        wrong("bad argument #1 to 'csr' (2 rows for 1 values)", csr({ 1, 2 }, { 1 }, { 1 }, { 3, 4 }))
        wrong("bad argument #1 to 'csr' (offsets do not descend: number 2 is 3, the next one 2)",
            csr({ 1, 3, 2, 2 }, { 1 }, { 1 }, { 3, 4 }, { offsets = true }))
        wrong("bad argument #1 to 'csr' (4 offsets expected, one more than there are rows, got 2)",
            csr({ 1, 2 }, { 1 }, { 1 }, { 3, 4 }, { offsets = true }))
        wrong("bad argument #1 to 'csr' (offsets go from 1 to 2, one more than there are values, not from 0 to 2)",
            csr({ 0, 1, 1, 2 }, { 1 }, { 1 }, { 3, 4 }, { offsets = true }))
        wrong("bad argument #1 to 'csr' (whole numbers expected, got f64[1])", csr({ 1.5 }, { 1 }, { 1 }, { 3, 4 }))
        wrong("bad argument #1 to 'csr' (takes no missing elements)", csr({ lun.na, 1 }, { 1, 1 }, { 1, 1 }, { 3, 4 }))
        wrong("bad argument #3 to 'csr' (takes no missing elements)", csr({ 1, 1 }, { 1, 1 }, { lun.na, 1 }, { 3, 4 }))
        wrong("bad argument #3 to 'csr' (values of u64: i64, f32, f64, c64 and c128 are known; take cast)",
            csr({ 1 }, { 1 }, lun.ones(1, "u64"), { 3, 4 }))
        wrong("bad argument #4 to 'csr' ({rows, columns} expected, got number)", csr({ 1 }, { 1 }, { 1 }, 3))
        wrong("bad argument #4 to 'csr' (4611686018427387904 x 2 elements are too many to be numbered)", csr({ 1 }, { 1 }, { 1 },
            { 1 << 62, 2 }))
        wrong("bad argument #5 to 'csr' (unknown option 'ofsets': the options are offsets)", csr({ 1 }, { 1 }, { 1 }, { 3, 3 },
            { ofsets = true }))
        wrong("bad argument #1 to 'csr' (matrix expected, got f64[3])", csr(lun.ones(3)))
        wrong("bad argument #1 to 'csr' (matrix expected, got a sparse one)", csr(S))
        wrong("bad argument #1 to 'matmul' (3 rows expected, as many as the matrix has columns, got f64[2])",
            function() return S:matmul(lun.ones(2)) end)
        wrong("bad argument #1 to 'matmul' (a Vector or a matrix expected, got nil)", function() return S:matmul() end)
        wrong("bad argument #1 to 'sub' (rows 0 to 3 are out of range: the matrix has 3)", function() return S:sub { 0, 3 } end)
        wrong("bad argument #1 to 'sum' (axis 3 is out of range: the array has 2)", function() return S:sum(3) end)
        wrong("bad argument #1 to 'cg' (a matrix of 2 x 2 expected, got one of 3 x 3)", function() return lun.cg(S, lun.ones(2)) end)
        wrong("attempt to perform '+' of sparse matrices of 3 x 3 and 2 x 2", function() return S + lun.csr(lun.eye(2)) end)
        wrong("a sparse matrix is not written to: make a new one, with lun.csr", function() S.x = 1 end)
        wrong("attempt to perform '*' of csr<f64>[3, 3], 3 elements and csr<f64>[3, 3], 3 elements (sparse matrices have "
            .. "S + T, S - T, -S, S * number, S / number, S:matmul(x))", function() return S * S end)
    end)
end)
