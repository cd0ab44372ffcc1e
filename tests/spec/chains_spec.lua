-- Chains: kernels over the same rows that run some rows at a time. Every row must have the bits that it has
-- by itself, whatever the number of rows, and nothing that a script holds may be missing afterwards.
local lun = require "lunarray"
local expect = require "expect"

local function single(x)
    return (string.unpack("f", string.pack("f", x)))
end

local function softmax(A)
    local e = (A - A:max { axis = 2, keep = true }):exp()
    return e / e:sum { axis = 2, keep = true }, e
end

-- Row i by Vectors alone.
local function softmax_row(x)
    local e = (x - x:max()):exp():eval()
    return e / lun.vector({ single(e:sum()) }, "f32")
end

local function row(A, i)
    local _, n = A:shape()
    return A:sub(i, i):reshape { n }:copy()
end

local function chains(...)
    local numbers = {}
    for _, kernel in ipairs(lun.explain(...)) do
        numbers[#numbers + 1] = kernel.chain or 0
    end
    return table.concat(numbers, " ")
end

local function same(a, b)
    return a:ne(b):count() == 0
end

describe("chains", function()
    local A = lun.random({ 1100, 1003 }, { dtype = "f32", seed = 7 }):copy()
    local rows = { 1, 2, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 1099, 1100 }

    it("are found where kernels take the same rows", function()
        assert.equal("1 1 1", chains((softmax(A))))
        assert.equal("0 0", chains(A:sub(1, 100):sum(2) * 2)) -- small
        assert.equal("0 0 0", chains((function()
            local e = (A - A:max { axis = 1, keep = true }):exp()
            return e / e:sum { axis = 1, keep = true }
        end)())) -- columns
        assert.equal("0", chains(A * 2))
    end)

    it("give each row the bits that it has by itself", function()
        local s = softmax(A):eval()
        for _, i in ipairs(rows) do
            assert.is_true(same(row(s, i), softmax_row(row(A, i))), "row " .. i)
        end
    end)

    it("of several results and levels", function()
        local mean, std = A:mean { axis = 2, keep = true }, A:std { axis = 2, keep = true }
        assert.matches("^1 1 1 1", chains((A - mean) / std))
        local z, top = lun.eval((A - mean) / std, A:max { axis = 2 })
        for _, i in ipairs(rows) do
            local x = row(A, i)
            local want = (x - lun.vector({ single(x:mean()) }, "f32")) / lun.vector({ single(x:std()) }, "f32")
            assert.is_true(same(row(z, i), want), "row " .. i)
            assert.equal(x:max(), top[i])
        end
    end)

    it("store what is asked for beside their last result", function()
        local s, e = softmax(A)
        local both, middle = lun.eval(s, e)
        for _, i in ipairs { 1, 700, 1100 } do
            local x = row(A, i)
            assert.is_true(same(row(middle, i), (x - x:max()):exp()), "row " .. i)
            assert.is_true(same(row(both, i), softmax_row(x)), "row " .. i)
        end
    end)

    it("leave what lies between usable", function()
        local s, e = softmax(A)
        s:eval()
        collectgarbage()
        local x = row(A, 900)
        assert.is_true(same(row(e, 900), (x - x:max()):exp()))
        assert.equal(single((x - x:max()):exp():eval():sum()), e:sum(2)[900])
    end)

    it("take rows of other arrays, columns, indices and functions", function()
        local w = lun.random({ 1003 }, { dtype = "f32", seed = 8 }):copy()
        local T = lun.random({ 1003, 1100 }, { dtype = "f32", seed = 9 }):copy()
        local B = T:transpose()
        local half = lun.map(function(x, k) return x * k end)
        local y = half((A + B) * w, 0.5)
        local got = (y - y:min { axis = 2, keep = true }):eval()
        for _, i in ipairs(rows) do
            local v = (row(A, i) + T:col(i):copy()) * w * 0.5
            assert.is_true(same(row(got, i), v - v:min()), "row " .. i)
        end
    end)

    it("name the line of what fails in them, and change nothing", function()
        local n = (A * 0):cast "i32"
        local bad = A:max { axis = 2, keep = true } + (lun.full({ 1100, 1003 }, 7, "i32") // n)
        expect.failure("attempt to perform 'n//0'", function() return (bad - bad:max { axis = 2, keep = true }):eval() end)
        assert.is_true(same(row(softmax(A):eval(), 5), softmax_row(row(A, 5))))
    end)
end)
