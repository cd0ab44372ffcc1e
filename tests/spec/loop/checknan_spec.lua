-- lun.check{nan=true}: the first NaN that an operation makes of numbers is an error, with the operation, the element,
-- its operands and the line.

local lun = require "lunarray"
local expect = require "expect"

describe("lun.check{nan=true}", function()
    before_each(function() lun.check { nan = true } end)
    after_each(function() lun.check(false) end)

    -- The error of f, which is not called in a tail.
    local function stops(words, f)
        local function called()
            local x = f()
            return x, 1
        end
        return expect.failure(words, called)
    end

    it("stops at the operation that makes one, with its operands", function()
        local a = lun.vector { 1.0, -1.0, 0.0 }
        local rows = {
            { "'sqrt' makes nan of numbers (lun.check{nan=true}), element 2 of a Vector f64[3]: sqrt(-1)",
                function() local x = a:sqrt() return x end },
            { "'log' makes nan", function() local x = lun.log(a) return x end },
            { "'/' makes nan of numbers (lun.check{nan=true}), element 3 of a Vector f64[3]: 0 / 0",
                function() local x = a / lun.zeros(3) return x end },
            { "element 1 of a Vector f64[3]: 0 / 0",
                function() local x = (a - a) / (a - a) return x end },
            { "'*' makes nan of numbers (lun.check{nan=true}), element 3 of a Vector f64[3]: 0 * inf",
                function() local x = a * lun.inf return x end },
            { "'map' makes nan",
                function() local x = lun.map(function(x) return x ^ 0.5 end)(a) return x end },
            { "'map' makes nan",
                function() local x = a:map(function(x) return x ^ 0.5 end) return x end },
            { "element 2, 1 of a View f64[2, 2]: sqrt(-1)",
                function() local x = lun.vector { { 1.0, 4.0 }, { -1.0, 9.0 } }:sqrt() return x end },
            { "'zscore' makes nan", function() local x = (a * 0):zscore() return x end },
            { "'acos' makes nan", function() local x = (a * 2):acos() return x end },
            { "'scan' makes nan",
                function() local x = a:scan(function(p, q) return p + (q - q) / 0.0 end, 0.0) return x end },
            { "'each' makes nan of numbers (lun.check{nan=true}), element 1", function()
                local b = a:copy()
                lun.each(3, function(i) b[i] = (b[i] - b[i]) / 0.0 end)
            end },
            { "'sum' makes nan",
                function() local x = lun.vector({ lun.inf, -lun.inf }):sum() return x end },
        }
        for _, row in ipairs(rows) do
            stops(row[1], row[2])
        end
    end)

    it("names the line", function()
        local a = lun.vector { -1.0 }
        local line = debug.getinfo(1, "l").currentline + 2
        local ok, message = pcall(function()
            local x = a:sqrt() + 1
            return x, 1
        end)
        assert.is_false(ok)
        assert.truthy(message:find("checknan_spec.lua:" .. line .. ": 'sqrt' makes nan", 1, true), message)
    end)

    it("lets NaN pass that was there before, and what stands where nothing does", function()
        local nan = lun.nan
        local a = lun.vector { 1.0, nan, 3.0 }
        assert.equal(1, (a + 1):sqrt():isnan():count())
        assert.equal(1, (a * 2):isnan():count())
        assert.equal(2, lun.vector({ 1.0, 2.0 }):pad(1):isnan():count())
        assert.equal(1, lun.where(lun.vector { true, false }, 1.0, nan):isnan():count())
        assert.equal(2.0, lun.vector({ 1.0, 3.0 }):mean())
        assert.equal(3, lun.vector({ 1, 2, 3 }):sqrt():isfinite():count())
        expect.elements({ 2.0, 3.0 }, lun.vector({ 4.0, 9.0 }):sqrt())
    end)

    it("leaves other errors as they are", function()
        local a = lun.vector { 1.0, 2.0 }
        stops("bad argument #2 to '+' (lengths differ: f64[2] and f64[3])", function() local x = a + lun.ones(3) return x end)
        stops("bad argument #1 to 'matmul' (array expected, got number)", function() local x = a:matmul(3) return x end)
        stops("mean of an empty array", function() local x = lun.zeros(0):mean() return x end)
    end)

    it("is switched by itself and with the other checks", function()
        assert.is_true(lun.check())
        local minus = lun.reduce(function(x, y) return x - y end, 0)
        assert.equal("number", type(minus(lun.vector { 1, 2, 3 }):value()))
        lun.check(true)
        expect.failure("not associative", function() return lun.reduce(function(x, y) return x - y end, 0)(lun.vector { 1, 2, 3 }) end)
        stops("'sqrt' makes nan", function() local x = lun.vector({ -1.0 }):sqrt() return x end)
        lun.check { nan = false }
        assert.equal(1, lun.vector({ -1.0 }):sqrt():isnan():count())
        assert.is_true(lun.check())
        lun.check(false)
        assert.is_false(lun.check())
        expect.failure("unknown option 'inf': the only option is nan", lun.check, { inf = true })
        expect.failure("option nan: true or false expected, got number", lun.check, { nan = 1 })
        expect.failure("boolean or table of options expected, got number", lun.check, 3)
        assert.is_false(lun.check())
        assert.equal(1, lun.vector({ -1.0 }):sqrt():isnan():count())
    end)
end)
