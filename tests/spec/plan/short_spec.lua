-- Small evaluations take shorter ways than a plan: results in another shape, products below other operations. They must
-- give what plans give, and share nothing that a script can change.
local lun = require "lunarray"
local expect = require "expect"
local rows = require "rows"

local function sums(list)
    local out = {}
    for i, row in ipairs(list) do
        out[i] = 0
        for _, x in ipairs(row) do
            out[i] = out[i] + x
        end
    end
    return out
end

describe("small evaluations", function()
    it("reduce along axes in one kernel, whatever the shape of the result", function()
        expect.everywhere(function()
            for _, s in ipairs { { 3, 3 }, { 1, 5 }, { 40, 7 }, { 7000, 5 } } do
                local list = rows.integers(s[1], s[2], 100, 5)
                for _ = 1, 3 do
                    local A = rows.matrix(list, s[2], "i32")
                    assert.equal(1, #lun.explain(A:sum(2)))
                    expect.elements(sums(list), A:sum(2))
                    expect.elements(sums(list), A:transpose():sum(1))
                    local flat, kept = lun.eval(A:sum(2), A:sum { axis = 2, keep = true })
                    expect.elements(sums(list), kept:reshape(-1))
                    expect.elements(sums(list), flat)
                end
            end
        end)
    end)

    it("share nothing that can be written", function()
        local A = lun.ones { 4, 5 }:copy()
        local kept = A:sum { axis = 2, keep = true }
        local flat, other = A:sum(2):eval(), A:sum(2):reshape(2, 2)
        flat[1] = 9
        assert.equal(5.0, kept[1][1])
        assert.equal(5.0, other[1][1])
        kept[2][1] = 7
        assert.equal(5.0, other[1][2])
        assert.equal(5.0, flat[2])
        local p = A:matmul(A:transpose())
        local twice, shaped = (p * 2):eval(), p:reshape(2, 8):eval()
        p[1][1] = 0
        assert.equal(10.0, twice[1][1])
        assert.equal(5.0, shaped[1][1])
    end)

    it("make products before what uses them #place", function()
        expect.everywhere(function()
            local a, b = lun.random({ 16, 16 }, { seed = 1 }):copy(), lun.random({ 16, 16 }, { seed = 2 }):copy()
            local row = lun.random({ 16 }, { seed = 3 }):copy()
            local p = a:matmul(b):eval()
            local wanted = (p + row):max(0.5):tobytes()
            for _ = 1, 5 do
                local before = lun.stats().products
                assert.equal(wanted, (a:copy():matmul(b) + row):max(0.5):tobytes())
                assert.equal(before + 1, lun.stats().products)
                local q = a:matmul(b:copy())
                local s = lun.eval(q:transpose() + q, q:sum(), q:matmul(a) - q)
                assert.equal((p + p:transpose()):tobytes(), s:tobytes())
                assert.equal(p:matmul(a):tobytes(), q:matmul(a):tobytes())
            end
        end)
    end)

    it("fail as plans do", function()
        local a = lun.ones({ 4, 4 }, "i32"):copy()
        local zero = lun.zeros({ 4 }, "i64"):copy()
        for _ = 1, 3 do
            local error = expect.failure("attempt to perform 'n//0'", function() return (a:matmul(a) // zero):eval() end)
            assert.truthy(tostring(error):find("short_spec", 1, true), tostring(error))
        end
        assert.equal(16, a:matmul(a):sum(2)[1])
    end)
end)
