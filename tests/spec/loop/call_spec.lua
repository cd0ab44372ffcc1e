-- lun.call and functions that run along lines, in g:scan, scanby and put, against the same functions called by Lua.
local expect = require "spec.expect"
local lun = require "lunarray"
local shell = require "shell"

local function list(n, f)
    local t = {}
    for i = 1, n do
        t[i] = f(i)
    end
    return t
end

describe("lun.call", function()
    local function recurrence(x, a)
        local y = 0.0
        for i = 1, #x do
            y = a * y + x[i]
        end
        return y
    end

    local function first_at_least(v, t)
        local low, high = 1, #v + 1
        while low < high do
            local m = (low + high) // 2
            if v[m] < t then
                low = m + 1
            else
                high = m
            end
        end
        return low
    end

    local function root(c)
        local x, rounds = c, 0
        while math.abs(x * x - c) > 1e-12 do
            x, rounds = 0.5 * (x + c / x), rounds + 1
        end
        return x, rounds
    end

    it("gives what Lua gives, on numbers and arrays, compiled or not", function()
        expect.everywhere(function()
            for _, n in ipairs { 0, 1, 63, 64, 65, 4097 } do
                local x = list(n, function(i) return i * 7919 % 1000 / 8 end)
                assert.equal(recurrence(x, 0.75), lun.call(recurrence, lun.vector(x, "f64"), 0.75))
                local sorted = list(n, function(i) return 3 * i end)
                for _, t in ipairs { -1, 0, 3, 100, 3 * n, 3 * n + 1 } do
                    assert.equal(first_at_least(sorted, t), lun.call(first_at_least, lun.vector(sorted, "i64"), t))
                end
            end
            local a, b = lun.call(root, 2.0)
            local x, rounds = root(2.0)
            assert.equal(x, a)
            assert.equal(rounds, b)
            local yes, no = lun.call(function(p, k) return p and k > 2, not p end, true, 3)
            assert.is_true(yes)
            assert.is_false(no)
            local w = lun.vector { 4, 5, 6 }
            assert.equal(5, lun.call(function(i) return w[i] end, 2))
            assert.equal(12.0, lun.call(function(A)
                local s = 0.0
                for i = 1, #A do
                    for j = 1, #A[i] do
                        s = s + A[i][j]
                    end
                end
                return s
            end, lun.ones { 3, 4 }:transpose() * 1))
            assert.equal(7, lun.call(function() return 7 end))
        end)
    end)

    it("refuses what it cannot compile, with the reason", function()
        local v = lun.vector { 1, 2 }
        expect.failure("Lua function expected, got number", lun.call, 3)
        expect.failure("array, number or boolean expected, got string", lun.call, recurrence, "x")
        expect.failure("the function has 1 parameter, but is called with 2", lun.call, function(x) return x end, 1, 2)
        expect.failure("assignment to an element or field is not supported", lun.call, function(x)
            x[1] = 2
            return 1
        end, v)
        expect.failure("only plain Lua functions", lun.call, function(x)
            print(x)
            return x
        end, 1)
        expect.failure("the function returns nothing", lun.call, function() end)
        expect.failure("index 5 is out of range for array 'x' of length 2", lun.call, function(x) return x[5] end, v)
    end)

    it("stops when it is told to", function()
        local text = shell.capture(("%s --time-limit 0.3 -e 'lun.call(function(n) local s = 1; while s ~= 0 do "
            .. "s = s * 3 | 1 end; return s end, 1)' 2>&1"):format(shell.interpreter()))
        assert.is_truthy(text:find("time limit", 1, true), text)
    end)
end)

describe("functions along lines", function()
    it("run in groups and runs in row order, with the dtypes of loops", function()
        expect.everywhere(function()
            for _, n in ipairs { 0, 1, 64, 65, 3000 } do
                local keys = list(n, function(i) return i * 7919 % 11 end)
                local x = list(n, function(i) return i * 31 % 97 end)
                local k, v = lun.vector(keys, "i64"), lun.vector(x, "i64")
                local function f(s, e)
                    return s * 3 - e
                end
                for _, inclusive in ipairs { true, false } do
                    local state, wanted, runs = {}, {}, {}
                    local before, sum
                    for i = 1, n do
                        local old = state[keys[i]] or 5
                        state[keys[i]] = f(old, x[i])
                        wanted[i] = inclusive and state[keys[i]] or old
                        local own = keys[i] // 4
                        old = before == own and sum or 5
                        before, sum = own, f(old, x[i])
                        runs[i] = inclusive and sum or old
                    end
                    expect.elements(wanted, lun.group(k):scan(v, f, 5, { inclusive = inclusive }))
                    expect.elements(runs, v:scanby(k // 4, f, 5, { inclusive = inclusive }))
                end
            end
            local ones, k = lun.vector { 1, 2, 3 }, lun.vector { 1, 1, 2 }
            expect.elements({ 1.5, 3.5, 3.5 }, ones:cast("f64"):scanby(k, "+", 0.5))
            expect.failure("bad argument #3 to 'scanby' (number 0.5 does not fit into dtype i64)", function()
                ones:scanby(k, "+", 0.5)
            end)
            expect.elements({ 1.0, 2.0, 3.0 }, ones:scanby(k, function(_, e) return e end, 0.5))
            expect.elements({ false, true, true }, ones:scanby(k, function(seen, e) return seen or e > 1 end, false))
            assert.equal("f32", ones:cast("f32"):scanby(k, "+", 0):dtype())
            expect.failure("bad argument #2 to 'scanby'", function()
                ones:scanby(k, function() return io.read() end, 0)
            end)
        end)
    end)

    it("combine what is put, in the order of the indices", function()
        expect.everywhere(function()
            local function f(old, x)
                return old * 10 + x
            end
            expect.elements({ 16, 0, 235, 4 },
                lun.zeros(4, "i64"):put({ 1, 3, 3, -1, 3, 1 }, { 1, 2, 3, 4, 5, 6 }, { combine = f }))
            expect.elements({ 1.0, 0.25, 1.0 },
                lun.ones(3):put({ 2, 2 }, 2, { combine = function(a, x) return a / x end }))
            local n, wanted = 5000, list(37, function() return 1 end)
            local at, x = list(n, function(i) return i * 7919 % 37 + 1 end), list(n, function(i) return i % 13 end)
            for i = 1, n do
                wanted[at[i]] = wanted[at[i]] * 3 ~ x[i]
            end
            expect.elements(wanted, lun.ones(37, "i64"):put(lun.vector(at), lun.vector(x),
                { combine = function(a, e) return a * 3 ~ e end }))
            local a = lun.vector { 1, 2, 3 }
            expect.failure("index 7 (number 2) is out of range", function() a:put({ 2, 7 }, 5, { combine = f }) end)
            expect.failure("the function gives f64, the array has elements of i64", function()
                a:put({ 2 }, 5, { combine = function(p, q) return p / q end })
            end)
            a:put(lun.zeros(0, "i64"), 5, { combine = f })
            expect.elements({ 1, 2, 3 }, a)
        end)
    end)
end)
