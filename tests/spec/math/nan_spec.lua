-- A NaN that is computed has one pattern wherever its bits can be seen; one that is passed on keeps the bits it was loaded with.
-- The patterns are those of IEEE 754: exponent of ones, the mantissa's highest bit, sign 0.

local lun = require "lunarray"
local expect = require "expect"

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
            expect.everywhere(function()
                local y = loaded(dtype, n) -- of an element as it was loaded, and of one that is passed on
                assert.equal(n, lun.copysign(ones, y):cast("f64"):sum())
                assert.equal(n, lun.copysign(ones, lun.max(y, zero)):cast("f64"):sum())
                assert.equal(n, lun.copysign(1, y):cast("f64"):sum())
                assert.equal(n, y:map(function(v) return lun.copysign(1, v) end):cast("f64"):sum())
            end)
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

-- n elements of small numbers, the sixth, twelfth ... of which are that NaN, and of others one more, quiet with sign 1.
local negative = { f64 = "000000000000f8ff", f32 = "0000c0ff", f16 = "00fe", bf16 = "c0ff" }
local function mixed(dtype, n)
    local list = {}
    for i = 1, n do
        list[i] = i % 6 == 0 and bytes(strange[dtype]) or i % 6 == 3 and bytes(negative[dtype])
            or lun.vector({ i % 5 - 1.0 }, dtype):tobytes()
    end
    return lun.frombytes(table.concat(list), dtype)
end

-- Which NaN an array has: "one", the dtype's; "kept", what was loaded; "none"; else their bits.
local function kinds_of(a)
    a = a:flatten():copy()
    local dtype, seen, text = a:dtype(), {}, hex(a)
    local width = #canonical[dtype]
    for i, is_nan in ipairs(a:isnan():totable()) do
        if is_nan then
            local bits = text:sub((i - 1) * width + 1, i * width)
            seen[bits == canonical[dtype] and "one" or (bits == strange[dtype] or bits == negative[dtype]) and "kept" or bits] = true
        end
    end
    local list = {}
    for kind in pairs(seen) do list[#list + 1] = kind end
    table.sort(list)
    return list[1] and table.concat(list, " ") or "none"
end

describe("a NaN out of", function()
    local n = 24
    -- on every backend in f32: a device compiles a kernel for most of these
    local function run(dtype, check)
        if dtype == "f32" then return expect.everywhere(check) end
        check "the first backend"
    end

    for _, dtype in ipairs { "f64", "f32", "f16", "bf16" } do
        it("what passes elements on is the element's own, in " .. dtype, function()
            run(dtype, function(backend)
                local x, i = mixed(dtype, n), lun.index(n)
                local t = lun.table { k = (i % 4):eval(), x = x }
                local u = lun.table { x = x:unique(), w = x:unique() }
                local put = lun.zeros(n, dtype):copy()
                put:put(lun.vector({ 1, 2 }, "i64"), x:sub(3, 6, 3))
                for name, a in pairs {
                    sort = x:sort(), descending = x:sort { descending = true }, order = x:take(x:argsort()), take = x:take(n + 1 - i),
                    unique = x:unique(), compress = x:compress(i:gt(2)), filter = x:filter(function(v) return v ~= v end),
                    concat = lun.concat { x, x }, roll = x:roll(3), topk = x:topk(24), union = x:union(x), setdiff = x:setdiff(x:dropnan()),
                    repeated = x:repeat_(lun.full(n, 2, "i64")), insert = x:insert(2, 5), delete = x:delete(2), put = put,
                    shuffle = x:copy():shuffle { seed = 1 }, choice = lun.choice(x, 40, { seed = 1 }), tile = x:tile(2),
                    transpose = x:reshape { 6, 4 }:transpose(), sorted = t:sort("x").x, filtered = t:filter(t.k:gt(1)).x,
                    first = t:group("k"):agg { z = { "first", "x" } }.z, last = t:group("k"):agg { z = { "last", "x" } }.z,
                    left = t:join(u, "x", { how = "left" }).x,
                } do
                    assert.equal("kept", kinds_of(a), name .. " by " .. backend)
                end
            end)
        end)

        it("what computes is the one of the dtype, in " .. dtype, function()
            run(dtype, function(backend)
                local x, i = mixed(dtype, n), lun.index(n)
                local k, square = (i % 4):eval(), x:cast "f64":sub(1, 16):reshape { 4, 4 }
                local t = lun.table { k = k, x = x }
                local sums, products = lun.zeros(n, dtype):copy(), lun.ones(n, dtype):copy()
                sums:put(k + 1, x, { combine = "+" })
                products:put(k + 1, x, { combine = "*" })
                local list = {
                    matmul = x:reshape { 6, 4 }:matmul(x:reshape { 4, 6 }), row = x:reshape { 1, n }:matmul(x:reshape { n, 1 }),
                    convolve = x:convolve(lun.vector({ 1, 2 }, dtype)), diff = x:diff(), ewm = x:ewm(0.5), cumsum = x:cumsum(),
                    rolling = x:rolling(3, "sum"), median = x:reshape { 6, 4 }:median { axis = 1 }, quantiles = x:quantile { 0.1, 0.9 },
                    fft = x:cast "f64":fft().re, odd = x:cast "f32":sub(1, 23):fft().im, rfft = x:cast "f64":rfft().re,
                    real = x:cast "f64":rfft():irfft { n = n }, inverse = square:inv(), upper = select(3, square:lu()),
                    sums = sums, products = products, key = lun.group(x):keys(),
                    cast = x:cast(dtype == "f64" and "f32" or "f64"),
                    weights = (i:cast "f64":histogram(3, { range = { 0, n }, weights = x:cast "f64" })),
                }
                for _, f in ipairs { "sum", "prod", "mean", "var", "std", "median" } do
                    list["group's " .. f] = t:group("k"):agg { z = { f, "x" } }.z
                end
                for name, a in pairs(list) do
                    assert.equal("one", kinds_of(a), name .. " by " .. backend)
                end
            end)
        end)
    end

    it("binary files is the element's own, out of text the one of the dtype", function()
        local path = os.tmpname()
        for _, dtype in ipairs { "f64", "f32" } do
            local t = lun.table { x = mixed(dtype, n) }
            for kind, list in pairs { kept = { "npz", "arrow", "feather" }, one = { "csv", "json", "jsonl" } } do
                for _, extension in ipairs(list) do
                    local file = path .. "." .. extension
                    lun.save(file, t)
                    assert.equal(kind, kinds_of(lun.load(file).x), extension)
                    os.remove(file)
                end
            end
            lun.save(path .. ".npy", t.x)
            assert.equal("kept", kinds_of(lun.load(path .. ".npy")))
            os.remove(path .. ".npy")
        end
        os.remove(path)
    end)
end)
