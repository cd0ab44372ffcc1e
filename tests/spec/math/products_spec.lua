-- Products and norms against plain loops over indices, on small whole numbers, where sums have no order.
local lun = require "lunarray"
local expect = require "expect"

local function whole(seed, ...)
    return lun.random({ ... }, { dist = "integers", low = -9, high = 9, seed = seed })
end

-- The element at a list of indices.
local function at(a, index)
    for _, i in ipairs(index) do a = a[i] end
    return a
end

local function flat(a)
    return lun.isarray(a) and a:flatten():totable() or { a }
end

-- Calls f with each list of indices of a shape, in order.
local function each_index(shape, f)
    local index = {}
    local function go(k)
        if k > #shape then
            f(index)
            return
        end
        for i = 1, shape[k] do
            index[k] = i
            go(k + 1)
        end
        index[k] = nil
    end
    go(1)
end

-- einsum of one letter to an axis, by the sum over all letters.
local function sum_of_products(text, operands)
    local left, right = text:match "^(.*)%->(.*)$"
    local lists, size, all = {}, {}, {}
    for part in (left .. ","):gmatch "(.-)," do
        lists[#lists + 1] = part
        for k = 1, #part do
            local letter = part:sub(k, k)
            if not size[letter] then all[#all + 1] = letter end
            size[letter] = (select(k, operands[#lists]:shape()))
        end
    end
    local shape, position, totals = {}, {}, {}
    for k, letter in ipairs(all) do shape[k], position[letter] = size[letter], k end
    each_index(shape, function(index)
        local p = 1
        for k, part in ipairs(lists) do
            local own = {}
            for letter in part:gmatch "." do own[#own + 1] = index[position[letter]] end
            p = p * at(operands[k], own)
        end
        local place = 0
        for letter in right:gmatch "." do place = place * size[letter] + index[position[letter]] - 1 end
        totals[place + 1] = (totals[place + 1] or 0) + p
    end)
    return totals
end

local function fails(text, f)
    local ok, e = pcall(f)
    assert.is_false(ok)
    assert.equal(text, (tostring(e):gsub("^[^:]*:%d+: ", "")))
end

describe("einsum", function()
    for text, shapes in pairs {
        ["ij,jk->ik"] = { { 3, 4 }, { 4, 2 } },
        ["ij,jk->ki"] = { { 3, 4 }, { 4, 2 } },
        ["ij,kj->ik"] = { { 3, 4 }, { 2, 4 } },
        ["bij,bjk->bik"] = { { 2, 3, 4 }, { 2, 4, 2 } },
        ["ijb,bjk->kib"] = { { 3, 4, 2 }, { 2, 4, 3 } },
        ["i,i->"] = { { 5 }, { 5 } },
        ["i,j->ij"] = { { 2 }, { 3 } },
        ["i,j->ji"] = { { 2 }, { 3 } },
        ["i,i->i"] = { { 4 }, { 4 } },
        ["ij->ji"] = { { 2, 3 } },
        ["ij->i"] = { { 2, 3 } },
        ["ij->"] = { { 2, 3 } },
        ["ii->"] = { { 3, 3 } },
        ["ii->i"] = { { 3, 3 } },
        ["iji->j"] = { { 2, 3, 2 } },
        ["ijij->ij"] = { { 2, 3, 2, 3 } },
        ["ii,ij->j"] = { { 3, 3 }, { 3, 2 } },
        ["ij,j,j->i"] = { { 2, 3 }, { 3 }, { 3 } },
        ["ij,jk,kl->il"] = { { 2, 3 }, { 3, 4 }, { 4, 2 } },
        ["abc,cd,ae->bde"] = { { 2, 3, 2 }, { 2, 4 }, { 2, 2 } },
        ["ij,kl->jl"] = { { 2, 3 }, { 2, 2 } },
        ["ijk,ijk->"] = { { 2, 3, 2 }, { 2, 3, 2 } },
    } do
        it("is the sum over all letters, " .. text, function()
            expect.everywhere(function()
                local operands = {}
                for k, shape in ipairs(shapes) do operands[k] = whole(k, table.unpack(shape)):eval() end
                assert.same(sum_of_products(text, operands), flat(lun.einsum(text, table.unpack(operands))))
            end)
        end)
    end

    it("has a result of its own, other axes, windows", function()
        local A, B, v = whole(1, 3, 4):eval(), whole(2, 4, 2):eval(), whole(3, 4):eval()
        assert.same(flat(A:matmul(B)), flat(lun.einsum("ij,jk", A, B)))
        assert.same(flat(A:transpose()), flat(lun.einsum("ba", A)))
        assert.equal(v:dot(v), lun.einsum("i,i", v, v))
        local S = whole(4, 2, 5, 3, 4):eval()
        assert.same(flat(S:matmul(B)), flat(lun.einsum("...ij,jk->...ik", S, B)))
        assert.same(flat(S:sum { axis = 3 }), flat(lun.einsum("...ij->...j", S)))
        assert.same(flat(S * S), flat(lun.einsum("...,...->...", S, S)))
        local left, reversed = A:transpose():copy():transpose(), B:sub { -1, 1, -1 }
        assert.same(flat(A:matmul(B)), flat(lun.einsum(" ij , jk -> ik ", left, reversed:sub { -1, 1, -1 })))
        assert.same({ 0, 0, 0, 0, 0, 0 }, flat(lun.einsum("ij,jk->ik", lun.zeros({ 3, 0 }, "i64"), lun.zeros({ 0, 2 }, "i64"))))
    end)

    it("names what is wrong", function()
        local A, v = lun.ones { 2, 3 }, lun.ones(3)
        fails("bad argument #2 to 'einsum' ('ijk' has other axes than f64[2, 3])", function() return lun.einsum("ijk->i", A) end)
        fails("bad argument #3 to 'einsum' (letter 'i' has extents 2 and 3)", function() return lun.einsum("ij,i->j", A, v) end)
        fails("bad argument #2 to 'einsum' (letter 'i' has extents 2 and 3)", function() return lun.einsum("ii", A) end)
        fails("bad argument #1 to 'einsum' (letter 'k' of the result is in no operand)", function() return lun.einsum("ij->k", A) end)
        fails("bad argument #1 to 'einsum' (letter 'i' is twice in the result)", function() return lun.einsum("ij->ii", A) end)
        fails("bad argument #3 to 'einsum' (array expected, got no value)", function() return lun.einsum("ij,j", A) end)
        fails("bad argument #1 to 'einsum' (1 operands are named, 2 given)", function() return lun.einsum("ij", A, v) end)
        fails("bad argument #1 to 'einsum' ('i1': letters and ... expected)", function() return lun.einsum("i1", A) end)
        fails("bad argument #1 to 'einsum' (text expected, got an array)", function() return lun.einsum(A, v) end)
    end)
end)

describe("a product", function()
    local A, B, v, w = whole(1, 3, 4):eval(), whole(2, 4, 2):eval(), whole(3, 4):eval(), whole(5, 3):eval()

    it("is that of einsum", function()
        assert.same(flat(lun.einsum("i,j->ij", v, w)), flat(v:outer(w)))
        assert.same({ 12, 8 }, { A:outer(B):shape() })
        assert.same(flat(A:matmul(B)), flat(A:tensordot(B, 1)))
        assert.equal(lun.einsum("ij,ij", A, A), A:tensordot(A))
        assert.same(flat(lun.einsum("ij,ki->jk", A, whole(7, 2, 3))), flat(A:tensordot(whole(7, 2, 3), { { 1 }, { 2 } })))
        assert.same(flat(lun.einsum("ij,kl->ijkl", A, B)), flat(A:tensordot(B, 0)))
        assert.same(flat(lun.einsum("ij,kj->ik", A, whole(8, 2, 4))), flat(A:inner(whole(8, 2, 4))))
        assert.equal(v:dot(v), v:inner(v))
        assert.equal(v:dot(v), v:vecdot(v))
        assert.same(flat(lun.einsum("ij,j->i", A, v)), flat(A:vecdot(v)))
        assert.same(flat(lun.einsum("ij,ij->j", A, A)), flat(A:vecdot(A, { axis = 1 })))
        local C = whole(9, 2, 5)
        assert.same(flat(A:matmul(B):matmul(C)), flat(lun.multi_dot { A, B, C }))
        assert.same(flat(A:matmul(B)), flat(lun.multi_dot { A, B }))
    end)

    it("of vectors stands upright on both", function()
        local a, b = whole(1, 5, 3):eval(), whole(2, 5, 3):eval()
        local c = a:cross(b)
        assert.same({ 0, 0, 0, 0, 0 }, flat(c:vecdot(a)))
        assert.same({ 0, 0, 0, 0, 0 }, flat(c:vecdot(b)))
        assert.same(flat(c[2]), flat(a[2]:cross(b[2])))
        assert.same(flat(c:transpose()), flat(a:transpose():cross(b:transpose(), { axis = 1 })))
        assert.same({ 0, 0, 1 }, flat(lun.vector { 1, 0, 0 }:cross(lun.vector { 0, 1, 0 })))
        fails("bad argument #1 to 'cross' (3 elements along the last axis expected, got i64[3, 4]: {axis=1} takes the axis that has 3)",
            function() return lun.cross(A, A) end)
    end)

    it("of Kronecker has blocks", function()
        local K = A:kron(B)
        assert.same({ 12, 8 }, { K:shape() })
        assert.same(flat(B * A[2][3]), flat(K:sub({ 5, 8 }, { 5, 6 })))
        assert.same(flat(v:outer(w)), flat(v:kron(w)))
        assert.same({ 3, 16 }, { A:kron(v):shape() })
        assert.same(flat(v * A[1][2]), flat(A:kron(v)[1]:sub(5, 8)))
    end)

    it("of a matrix by itself is a power", function()
        local M = lun.vector { { 1, 1 }, { 1, 0 } }
        assert.same({ { 89, 55 }, { 55, 34 } }, M:matrix_power(10):totable())
        assert.same({ { 1, 0 }, { 0, 1 } }, M:matrix_power(0):totable())
        assert.same({ { 2.0, -3.0 }, { -3.0, 5.0 } }, M:matrix_power(-4):totable())
        local S = lun.stack { M, M * 2 }
        assert.same((M * 2):matrix_power(3):totable(), S:matrix_power(3)[2]:totable())
        fails("bad argument #1 to 'matrix_power' (square matrices expected, got i64[3, 4])", function() return lun.matrix_power(A, 2) end)
    end)

    it("names what is wrong", function()
        fails("bad argument #1 to 'tensordot' (axis 2 of i64[3, 4] and axis 1 of i64[3] differ)", function() return A:tensordot(w, 1) end)
        fails("bad argument #2 to 'tensordot' (2 axes of one array and 1 of the other)",
            function() return A:tensordot(A, { { 1, 2 }, { 1 } }) end)
        fails("bad argument #2 to 'tensordot' (3: from 0 to 2 expected)", function() return A:tensordot(A, 3) end)
        fails("bad argument #1 to 'multi_dot' (number 2: 4 rows expected, got i64[3, 4])", function() return lun.multi_dot { A, A } end)
        fails("bad argument #1 to 'vecdot' (shapes do not broadcast: i64[3], axis 1: 4 and 3)", function() return A:vecdot(w) end)
    end)
end)

describe("a norm", function()
    local a = lun.vector { { 3, -4, 0 }, { 1, 2, -2 } }
    local function close(want, got)
        got = flat(got)
        assert.equal(#want, #got)
        for k = 1, #want do assert.is_true(math.abs(want[k] - got[k]) < 1e-14 * want[k] + 1e-300) end
    end

    it("of vectors", function()
        close({ 34 ^ 0.5 }, a:vector_norm())
        close({ 5, 3 }, a:vector_norm { axis = 2 })
        close({ 12 }, a:vector_norm { ord = 1 })
        close({ 4, 6, 2 }, a:vector_norm { ord = 1, axis = 1 })
        close({ 4, 2 }, a:vector_norm { ord = math.huge, axis = -1 })
        close({ 0 }, a:vector_norm { ord = -math.huge })
        close({ 2, 3 }, a:vector_norm { ord = 0, axis = 2 })
        close({ 5 }, a:vector_norm { ord = 0 })
        close({ (27 + 64) ^ (1 / 3), 17 ^ (1 / 3) }, a:vector_norm { ord = 3, axis = 2 })
        assert.same({ 2, 1 }, { a:vector_norm { axis = 2, keep = true }:shape() })
        assert.same({ 1, 1 }, { a:vector_norm { ord = 1, keep = true }:shape() })
    end)

    it("of matrices", function()
        close({ 34 ^ 0.5 }, a:matrix_norm())
        close({ 6 }, a:matrix_norm { ord = 1 })
        close({ 2 }, a:matrix_norm { ord = -1 })
        close({ 7 }, a:matrix_norm { ord = math.huge })
        close({ 5 }, a:matrix_norm { ord = -math.huge })
        close({ 7, 14 }, lun.stack { a, a * 2 }:matrix_norm { ord = math.huge })
        assert.same({ 2, 1, 1 }, { lun.stack { a, a }:matrix_norm { keep = true }:shape() })
        fails("bad argument #1 to 'matrix_norm' (unknown 'ord' max: \"fro\", \"nuc\", 1, -1, 2, -2, math.huge and -math.huge are known)",
            function() return a:matrix_norm { ord = "max" } end)
        fails("bad argument #1 to 'matrix_norm' (a matrix expected, got i64[3])", function() return lun.matrix_norm(a[1]) end)
    end)
end)
