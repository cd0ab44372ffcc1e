-- Q and R: bits against plain loops in the documented order, residuals, modes, batches, layouts, mistakes, limits.
local lun = require "lunarray"
local expect = require "expect"
local plain = require "math.plain"
local shell = require "shell"
local stopped = require "math.stopped"

local fails, same = plain.fails, plain.same

-- ---------------------------------------------------------------- plain loops

-- From row and column p + 1 on: c less V M V' c, of columns from `first` on.
local function transform(c, v, m, p, first, dtype)
    local part, vt = {}, plain.transposed(v)
    for i = p + 1, #c do part[i - p] = table.move(c[i], first, #c[i], 1, {}) end
    if #part[1] == 0 then return end
    local x = plain.product(v, plain.product(m, plain.product(vt, part, dtype), dtype), dtype)
    for i = p + 1, #c do
        for j = first, #c[i] do c[i][j] = plain.ROUND[dtype](c[i][j] - x[i - p][j - first + 1]) end
    end
end

-- A panel of the columns p + 1 to p + width of rows a: the vectors, as columns from row p + 1 on, and the triangle.
local function panel(a, p, width, dtype)
    local round, fma, rows, columns, t = plain.ROUND[dtype], plain.FMA[dtype], #a - p, {}, {}
    for j = 1, width do
        columns[j], t[j] = {}, {}
        for i = 1, rows do columns[j][i] = a[p + i][p + j] end
        for l = 1, width do t[j][l] = 0.0 end
    end
    for j = 1, width do
        local v, tau = columns[j], 0.0
        local r = v[j]
        if plain.dot(v, v, j + 1, rows, dtype) ~= 0 then
            local square = plain.dot(v, v, j, rows, dtype)
            local length = round(math.sqrt(square))
            r = v[j] < 0 and length or -length
            tau = round(1 / round(square - round(v[j] * r)))
            v[j] = round(v[j] - r)
        end
        for c = j + 1, width do
            local by = round(tau * plain.dot(v, columns[c], j, rows, dtype))
            for i = j, rows do columns[c][i] = round(columns[c][i] - round(by * v[i])) end
        end
        for i = 1, j - 1 do a[p + i][p + j], v[i] = v[i], 0.0 end
        a[p + j][p + j], t[j][j] = r, tau
        for i = 1, j - 1 do
            local sum = 0.0
            for l = i, j - 1 do sum = fma(t[i][l], plain.dot(columns[l], v, j, rows, dtype), sum) end
            t[i][j] = round(-tau * sum)
        end
    end
    return plain.transposed(columns), t
end

local function qr(a, dtype)
    local m, n = #a, #a[1]
    local k, panels, q = math.min(m, n), {}, {}
    for p = 0, k - 1, 32 do
        local v, t = panel(a, p, math.min(32, k - p), dtype)
        panels[#panels + 1] = { p, v, t }
        transform(a, v, plain.transposed(t), p, p + #t + 1, dtype)
    end
    for i = 1, m do
        q[i] = {}
        for j = 1, k do q[i][j] = i == j and 1.0 or 0.0 end
    end
    for b = #panels, 1, -1 do
        local p, v, t = table.unpack(panels[b])
        transform(q, v, t, p, p + 1, dtype)
    end
    local r = {}
    for i = 1, k do
        r[i] = {}
        for j = 1, n do r[i][j] = j < i and 0.0 or a[i][i] < 0 and 0 - a[i][j] or a[i][j] end
        for l = 1, a[i][i] < 0 and m or 0 do q[l][i] = 0 - q[l][i] end
    end
    return q, r
end

-- ---------------------------------------------------------------- residuals

local function random(m, n, seed, dtype)
    return (lun.random({ m, n }, { seed = seed, dtype = dtype or "f64" }) - 0.5):eval()
end

local function check(A, mode)
    local m, n = A:shape()
    local Q, R = A:qr { mode = mode }
    local epsilon = Q:dtype() == "f32" and 2 ^ -23 or 2 ^ -52
    same({ m, mode == "complete" and m or math.min(m, n) }, lun.vector { Q:shape() })
    same({ (select(2, Q:shape())), n }, lun.vector { R:shape() })
    local D, q, r = A:cast "f64", Q:cast "f64", R:cast "f64"
    assert.is_true((D - q:matmul(r)):norm() <= 10 * n * epsilon * D:norm())
    assert.is_true((q:transpose():matmul(q) - lun.eye(#q:transpose())):norm() <= 10 * m * epsilon)
    assert.equal(0.0, r:tril(-1):abs():max())
    assert.is_true(r:diagonal():min() >= 0)
    return Q, R
end

describe("qr", function()
    for _, dtype in ipairs { "f64", "f32" } do
        for _, shape in ipairs { { 1, 1 }, { 2, 2 }, { 3, 2 }, { 2, 3 }, { 17, 17 }, { 33, 33 }, { 34, 40 }, { 40, 34 }, { 290, 3 },
            os.getenv "TEST_WHOLE" and { 16500, 2 } or nil } do
            it(("has the bits of plain loops, %d x %d, %s"):format(shape[1], shape[2], dtype), function()
                local A = random(shape[1], shape[2], shape[1], dtype)
                local q, r = qr(A:totable(), dtype)
                local Q, R = A:qr()
                same(r, R)
                same(q, Q)
                same(R, A:qr { mode = "r" })
            end)
        end
        for _, shape in ipairs { { 1, 3 }, { 64, 64 }, { 65, 65 }, { 130, 130 }, { 130, 20 }, { 20, 130 }, { 200, 65 } } do
            it(("has small residuals, %d x %d, %s"):format(shape[1], shape[2], dtype), function()
                local A = random(shape[1], shape[2], 1, dtype)
                local _, R = check(A)
                local _, whole = check(A, "complete")
                same(R, whole:sub { 1, #R })
            end)
        end
    end

    it("takes matrices of every kind", function()
        check(lun.ones { 5, 4 })
        check(lun.zeros { 5, 4 })
        check(lun.eye(4))
        check(-lun.eye(4))
        check(lun.vector { { 0, 0 }, { 1, 2 }, { 2, 4 } }, "complete")
        check(random(40, 3, 1):matmul(random(3, 40, 2))) -- of rank 3
        check(lun.generate({ 8, 8 }, function(i, j) return 1 / (i + j - 1) end):eval())
        check(lun.generate({ 12, 6 }, function(i, j) return 10.0 ^ -(20 * i + j) end):eval()) -- graded
        for _, by in ipairs { 2.0 ^ -600, 2.0 ^ 600 } do -- squares are beyond f64
            local Q, R = check(random(9, 5, 1))
            local Qb, Rb = (random(9, 5, 1) * by):qr()
            same(Q, Qb)
            same(R * by, Rb)
        end
        for _, dtype in ipairs { "i8", "i64", "u8", "bool" } do
            assert.equal("f64", lun.eye(2, dtype):qr():dtype())
        end
        for _, dtype in ipairs { "f16", "bf16", "f32" } do
            assert.equal("f32", lun.eye(2, dtype):qr():dtype())
        end
        same({ { 1.0, 0.0 }, { 0.0, 1.0 } }, (select(2, (-lun.eye(2)):qr()))) -- no -0.0
        for _, x in ipairs { 0 / 0, math.huge } do
            for i = 1, 3 do
                local A = random(3, 3, 1):copy()
                A[i][2] = x
                assert.is_true((A:qr { mode = "r" }):isnan():any())
            end
        end
    end)

    it("takes empty matrices", function()
        local Q, R = lun.zeros { 3, 0 }:qr()
        same({ 3, 0, 0, 0 }, lun.vector { select(1, Q:shape()), 0, R:shape() })
        Q, R = lun.zeros { 2, 3, 0 }:qr { mode = "complete" }
        assert.is_true(Q:equals(lun.eye(3):broadcast { 2, 3, 3 }))
        same({ 2, 3, 0 }, lun.vector { R:shape() })
        same({ 0, 4 }, lun.vector { lun.zeros { 0, 4 }:qr { mode = "r" }:shape() })
    end)

    it("takes windows, layouts and batches with the same bits", function()
        local A, B = random(9, 5, 1), random(9, 5, 2)
        local Q, R = A:qr()
        local big = lun.zeros { 18, 27 }
        big:sub({ 1, 18, 2 }, { 2, 15, 3 }):set(A)
        local Qw, Rw = big:sub({ 1, 18, 2 }, { 2, 15, 3 }):qr()
        same(Q, Qw)
        same(R, Rw)
        same(R, (select(2, A:transpose():copy():transpose():qr())))
        local Qs, Rs = lun.stack { B, A, B }:qr()
        same(Q, Qs[2])
        same(R, Rs[2])
        same(B:qr { mode = "r" }, lun.stack { A, B }:qr { mode = "r" }[2])
        local Qc = A:qr { mode = "complete" }
        same(Qc, (lun.stack { B, A }:qr { mode = "complete" })[2])
    end)

    it("gives the same bits for every number of threads and backend", function()
        expect.same_texts [[
            for _, dtype in ipairs { "f64", "f32" } do
                for _, shape in ipairs { { 300, 300 }, { 5000, 40 }, { 60, 20, 20 } } do
                    local Q, R = (lun.random(shape, { seed = 1, dtype = dtype }) - 0.5):qr()
                    texts[#texts + 1] = R:copy():tobytes()
                    texts[#texts + 1] = Q:sub({ 1, 60 }):copy():tobytes()
                end
            end]]
    end)

    it("names what is wrong with its arguments", function()
        fails("bad argument #1 to 'qr' (a matrix expected, got f64[4])", nil, function() return lun.qr(lun.zeros(4)) end)
        fails("bad argument #1 to 'qr' (unknown mode 'full': known are reduced, complete, r)", nil,
            function() return lun.eye(2):qr { mode = "full" } end)
        fails("bad argument #1 to 'qr' (unknown option 'full': the options are mode)", nil,
            function() return lun.eye(2):qr { full = true } end)
        fails("bad argument to 'qr' (takes no missing elements: 1 of 4 are; use fillna, dropna or cast \"f64\")", nil,
            function() return lun.vector { { 1, lun.na }, { 3, 4 } }:qr() end)
    end)

    it("ends with a time and a memory limit, and works after them", function()
        local script = shell.write(os.tmpname(), [[
            local A = lun.random({ 1500, 1500 }, { seed = 1 }):eval()
            local ok, e = pcall(function() return (A:qr()):eval() end)
            print(ok, tostring(e):match "%a+ limit", lun.eye(2):qr{mode = "r"}:sum())]])
        assert.equal("false\tmemory limit\t2.0\n",
            (shell.capture(("%s --memory-limit 40 %s 2>&1"):format(shell.interpreter(), script))))
        os.remove(script)
        stopped.by_interrupt("A = (lun.random({ 400, 400 }, { seed = 1 }) - 0.5):eval()",
            "A:qr { mode = 'r' }:eval(); A[1][1] = A[1][1] + 1", "lun.eye(2):qr { mode = 'r' }:sum()", "2.0")
    end)
end)
