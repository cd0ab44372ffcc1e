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

    it("are found where kernels take the same rows #place", function()
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

    it("of several results and levels #place", function()
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

    it("read each array once and store what is asked for alone #place", function()
        local bytes = 1100 * 1003 * 4
        local function moved(f)
            local before = lun.stats()
            f()
            local after = lun.stats()
            return after.bytes_read - before.bytes_read, after.bytes_written - before.bytes_written
        end
        local read, written = moved(function() softmax(A):eval() end)
        assert.same({ bytes, bytes }, { read, written })
        local plan = lun.explain((softmax(A)))
        local told = { 0, 0 }
        for _, kernel in ipairs(plan) do
            told = { told[1] + kernel.bytes_read, told[2] + kernel.bytes_written }
        end
        assert.same({ bytes, bytes }, told)
        read, written = moved(function()
            local s, e = softmax(A)
            lun.eval(s, e)
        end)
        assert.same({ bytes, 2 * bytes }, { read, written })
    end)

    it("give what their kernels give one by one, of windows and on any number of threads", function()
        local shell = require "shell"
        local program = [[
            local lun = require "lunarray"
            local frame = lun.random({ 1203, 1100 }, { dtype = "f32", seed = 3 }):copy()
            local wide = lun.random({ 900, 2600 }, { dtype = "f64", seed = 5 }):copy()
            local column = lun.random({ 1201, 1 }, { dtype = "f32", seed = 4 }):copy()
            local cube = lun.map("float cube(float x) { return x * x * x; }")
            local function rows(X, c, f)
                local function step(x) return f and x:eval() or x end
                local top = step(X:max { axis = 2, keep = true } + c)
                local e = step((cube(X:cast "f32") - top):exp())
                return e / step(e:sum { axis = 2, keep = true }) - X:col(2):reshape { X:shape(), 1 }
            end
            local windows = {
                { frame:sub({ 2, 1202 }, { 3, 1033 }), column },
                { frame:sub({ 1202, 2, -1 }, { 5, 1004 }), column },
                { frame:sub({ 1, 1201 }, { 1099, 2, -1 }), column:sub { -1, 1, -1 } },
                { frame:sub { 1, 1100 } + frame:transpose():sub({}, { 2, 1101 }), column:sub { 3, 1102 } },
                { wide:sub({}, { 1, 1301 }), column:sub { 1, 900 } },
            }
            local sum = 0
            for i, w in ipairs(windows) do
                local chain = lun.explain(rows(w[1], w[2]))[1].chain
                assert((chain ~= nil) == (os.getenv "LUNARRAY_BACKEND" ~= "reference"), "chain of window " .. i)
                local one, all = rows(w[1], w[2], true):eval(), rows(w[1], w[2]):eval()
                assert(one:ne(all):count() == 0, "window " .. i)
                local bytes = all:tobytes()
                for k = 1, #bytes, 1009 do
                    sum = (sum * 31 + bytes:byte(k)) % 1000000007
                end
            end
            print(sum)]]
        local texts = {}
        for i, setting in ipairs { "LUNARRAY_THREADS=1", "LUNARRAY_THREADS=2", "LUNARRAY_THREADS=3",
            "LUNARRAY_THREADS=5", "LUNARRAY_THREADS=8", "LUNARRAY_BACKEND=reference" } do
            texts[i] = shell.capture(("%s %s -e '%s'"):format(setting, shell.interpreter(), program))
            assert.matches("^%d+\n$", texts[i])
            assert.equal(texts[1], texts[i])
        end
    end)

    it("leave what is shifted behind them", function()
        local s, e = softmax(A)
        local function moved(x) return x:shift(3, { axis = 2, edge = 0 }) end
        local one, other = lun.eval(moved(s) + 1, moved(e))
        local S, E = softmax(A)
        S:eval()
        E = E:eval()
        assert.is_true(same(one, moved(S) + 1))
        assert.is_true(same(other, moved(E)))
        assert.equal(0, one[5][2] - 1)
    end)

    it("show a part of their last result without it", function()
        local text = tostring((softmax(A)))
        local s = softmax(A):eval()
        assert.equal(tostring(s):match "\n.*", text:match "\n.*")
        assert.equal(s[7][9], (softmax(A))[7][9])
    end)

    it("name the line of what fails in them, and change nothing", function()
        local n = (A * 0):cast "i32"
        local bad = A:max { axis = 2, keep = true } + (lun.full({ 1100, 1003 }, 7, "i32") // n)
        expect.failure("attempt to perform 'n//0'", function() return (bad - bad:max { axis = 2, keep = true }):eval() end)
        assert.is_true(same(row(softmax(A):eval(), 5), softmax_row(row(A, 5))))
    end)
end)
