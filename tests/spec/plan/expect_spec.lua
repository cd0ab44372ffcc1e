-- lun.expect: bounds on plans; and results that come of one pass over memory: several reductions of one array, mean
-- with variance.

local N <const> = 1000000

local function fault(text, f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    assert.is_truthy(tostring(message):find(text, 1, true), tostring(message))
end

local function vector()
    return lun.linspace(0, 1, N):eval()
end

describe("lun.expect #place", function()
    it("gives the expressions that keep to it, and runs nothing", function()
        local a = vector()
        local e, f = (a + 1) * 2, a - 1
        lun.stats "reset"
        local x, y = lun.expect(e, f, { kernels = 1, bytes = 3 * 8 * N })
        assert.equal(e, x)
        assert.equal(f, y)
        assert.equal(0, lun.stats().launches)
        assert.equal(e, (lun.expect(e, { kernels = 3 })))
    end)

    it("is an error with the plan where it is more", function()
        local a = vector()
        local ok, message = pcall(function()
            local e = lun.expect(a - a:lazy "sum", { kernels = 1 })
            return e
        end)
        assert.is_false(ok)
        assert.is_truthy(message:find("expect_spec.lua:%d+: at most 1 kernel expected, but it is 2:\nplan: 2 kernels"), message)
        assert.is_truthy(message:find("reduce", 1, true), message)
        fault(("at most 8 bytes moved expected, but it is %d"):format(16 * N), lun.expect, a + 1, { bytes = 8 })
    end)

    it("says where there is no plan", function()
        local a = vector()
        fault("nothing of this is to be computed", lun.expect, a, { kernels = 1 })
        assert.equal(a, (lun.expect(a, { kernels = 0 })))
        fault("at most 0 kernels expected, but it is 1", lun.expect, a + 1, { kernels = 0 })
    end)

    it("refuses what is no expectation", function()
        local a = vector()
        fault("a table such as {kernels=1, bytes=n} expected behind the expressions, got no value", lun.expect)
        fault("a table such as {kernels=1, bytes=n} expected", lun.expect, a + 1)
        fault("an expression expected before the table", lun.expect, { kernels = 1 })
        fault("unknown option 'kernel'; the options are kernels and bytes", lun.expect, a, { kernel = 1 })
        fault("time: plans predict no time", lun.expect, a, { time = 1 })
        fault("option bytes: an integer from 0 on expected, got 0.5", lun.expect, a, { bytes = 0.5 })
        fault("kernels or bytes expected, got an empty table", lun.expect, a, {})
    end)
end)

describe("one pass over memory #place", function()
    -- What a function reads, beside a few numbers.
    local function read_by(f)
        lun.stats "reset"
        f()
        return lun.stats().bytes_read
    end

    it("has min, max, argmin, argmax and sum", function()
        local a = vector()
        assert.is_true(read_by(function()
            local least, most, first, last, sum = lun.eval(a:lazy "min", a:lazy "max", a:lazy "argmin", a:lazy "argmax",
                a:lazy "sum")
            assert.same({ 0, 1, 1, N }, { least, most, first, last })
            assert.is_true(math.abs(sum - N / 2) < 1e-6)
        end) < 8 * N * 1.001)
    end)

    it("has mean with variance", function()
        local a = vector()
        assert.is_true(read_by(function()
            local mean, var = lun.eval(a:lazy "mean", a:lazy "var")
            assert.is_true(math.abs(mean - 0.5) < 1e-12)
            assert.is_true(math.abs(var - (N + 1) / (12 * (N - 1))) < 1e-12)
        end) < 8 * N * 1.001)
    end)

    it("has what is computed before a reduction, and several reductions of it", function()
        local a = vector()
        local e = (a * 2 - 1):abs()
        assert.is_true(read_by(function() lun.eval(e:lazy "min", e:lazy "max", e:lazy "mean", e:lazy "var") end)
            < 8 * N * 1.001)
    end)
end)
