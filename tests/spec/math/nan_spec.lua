-- A NaN that is computed has one pattern wherever its bits can be seen; one that is passed on keeps the bits it was loaded with.
-- The patterns are those of IEEE 754: exponent of ones, the mantissa's highest bit, sign 0.

local lun = require "lunarray"

local canonical = { f64 = "000000000000f87f", f32 = "0000c07f", f16 = "007e", bf16 = "c07f" }
local strange = { f64 = "010000000000f4ff", f32 = "0100a0ff", f16 = "01fd", bf16 = "a1ff" } -- signalling, sign 1, payload

local function bytes(hex)
    return (hex:gsub("%x%x", function(two) return string.char(tonumber(two, 16)) end))
end

local function hex(a)
    return (a:tobytes():gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

-- n elements, all of them that NaN.
local function loaded(dtype, n)
    return lun.frombytes(bytes(strange[dtype]):rep(n), dtype)
end

describe("a NaN", function()
    for _, dtype in ipairs { "f64", "f32", "f16", "bf16" } do
        local n = 130
        local all, kept = canonical[dtype]:rep(n), strange[dtype]:rep(n)

        it("of a computation is canonical, in " .. dtype, function()
            local x, zero = loaded(dtype, n), (lun.index(n) * 0):cast(dtype)
            for name, e in pairs { neg = -x, abs = lun.abs(x), add = x + x, sub = x - 1, quotient = zero / zero, remainder = zero % zero,
                root = lun.sqrt(zero - 1), log = lun.log(zero - 1), floor = lun.floor(x), fma = lun.fma(x, x, x),
                function_ = x:map(function(v) if v > 0 then return v * 2 end return v - v end), scan = x:cumsum() } do
                assert.equal(all, hex(e:cast(dtype)), name)
            end
            assert.equal(canonical.f64, hex(lun.vector { x:sum() }))
            assert.equal(canonical.f64, hex(lun.vector { x:mean() }))
        end)

        it("that is passed on keeps its bits, in " .. dtype, function()
            local x, zero = loaded(dtype, n), (lun.index(n) * 0):cast(dtype)
            for name, e in pairs { flip = x:flip(), take = x:take(lun.index(n)), sort = x:sort() } do
                assert.equal(kept, hex(e:copy()), name)
            end
            -- f16 and bf16 are computed in f32
            for name, e in pairs { max = lun.max(x, zero), where = lun.where(zero:lt(1), x, zero + 1), clamp = lun.clamp(x, zero, zero) } do
                assert.equal(dtype:find "16" and all or kept, hex(e:copy()), name)
            end
        end)

        it("has no sign for copysign, in " .. dtype, function()
            local x, zero = loaded(dtype, n), (lun.index(n) * 0):cast(dtype)
            local ones = zero + 1
            local one = lun.copysign(ones, -(zero / zero))
            assert.equal(n, one:cast("f64"):sum())
            assert.equal(n, lun.copysign(ones, x * 2):cast("f64"):sum())
        end)
    end

    it("between two operations of a kernel is canonical where it is passed on", function()
        local zero = lun.index(77) * 0.0
        assert.equal(canonical.f64:rep(77), hex(lun.max(-(zero / zero), zero)))
        assert.equal(canonical.f64:rep(77), hex(lun.where(zero:lt(1), zero / zero, zero)))
    end)

    it("as a number of the script is canonical", function()
        assert.equal(canonical.f64:rep(3), hex(lun.full(3, 0 / 0):copy()))
        assert.equal(canonical.f64:rep(3), hex(lun.full(3, -(0 / 0)):copy()))
    end)

    it("changes nothing about the line that a failure names", function()
        local a = lun.vector { 1.5, 2.5 }
        local e = (a * 2 - a):map(function(x)
            local k = x // 1 | 0 -- lines of their own
            return x * (5 // (k - k))
        end)
        local ok, message = pcall(lun.eval, e)
        assert.is_false(ok)
        assert.matches("nan_spec.lua:%d+: attempt to perform 'n//0'", tostring(message))
    end)
end)
