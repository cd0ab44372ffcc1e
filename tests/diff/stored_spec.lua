-- The floats that are only stored, such as f16 and bf16: every one of their values, every rounding between two of
-- them, and what is computed in f32 and rounded once. The oracle makes each value of its bits by the definition.

local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local operands = require "diff.operands"
local oracle = require "diff.oracle"
local describe_op = require "lunarray.core".internal.describe

-- The bits of every value.
local function all_bits(t)
    local list = {}
    for bits = 0, (1 << t.bits) - 1 do
        list[bits + 1] = bits
    end
    return list
end

-- The integers that hold the bits.
local function bits_of(t)
    return dtypes["u" .. t.bits]
end


-- f(backend, t) on every backend, the device included unless it is told apart, for each dtype that is only stored.
local function on_each(f, host)
    for _, t in ipairs(dtypes.list) do
        if t.wide then
            for _, backend in ipairs(harness.backends_for(t, { [t.name] = not host })) do
                lun.use(backend)
                f(backend, t)
            end
            lun.use(harness.backends[1])
        end
    end
    harness.finish()
end

-- The elements of an array are those of a list.
local function same(what, backend, a, t, wanted)
    assert.equal(t.name, a:dtype())
    local got = dtypes.unpack(t, a:tobytes())
    harness.elements = harness.elements + #wanted
    for i, x in ipairs(wanted) do
        if not harness.same(got[i], x) then
            return harness.fail("%s on %s: element %d is %s, not %s", what, backend, i, harness.text(got[i]),
                harness.text(x))
        end
    end
end

local function every_value(t)
    local list = {}
    for i, bits in ipairs(all_bits(t)) do
        list[i] = t.decode(bits)
    end
    return list
end

local function from_bits(t, list)
    return lun.frombytes(dtypes.pack(bits_of(t), list), t.name)
end

describe("all values", function()
    it("are what their bits say, in wider floats and as numbers of Lua", function()
        on_each(function(backend, t)
            local a, wanted = from_bits(t, all_bits(t)), every_value(t)
            same(t.name .. " as f32", backend, a:cast "f32", dtypes.f32, wanted)
            same(t.name .. " as f64", backend, a:cast "f64", dtypes.f64, wanted)
            for i, x in ipairs(a:totable()) do
                assert.is_true(harness.same(x, wanted[i]))
            end
        end)
    end)

    it("come back from f32 and f64 with their bits, each NaN as the one of the dtype", function()
        on_each(function(backend, t)
            local wanted, nan = {}, ({ f16 = 0x7e00, bf16 = 0x7fc0 })[t.name]
            local list = every_value(t)
            for i, bits in ipairs(all_bits(t)) do
                wanted[i] = list[i] == list[i] and bits or nan
            end
            for _, wide in ipairs { "f32", "f64" } do
                local there = from_bits(t, all_bits(t)):cast(wide):eval()
                local back = lun.frombytes(there:cast(t.name):tobytes(), bits_of(t).name)
                same(t.name .. " from " .. wide, backend, back, bits_of(t), wanted)
            end
        end)
    end)
end)

describe("rounding from", function()
    -- Between each two neighbours the middle, and the nearest floats on both its sides.
    local function between(t, wide)
        local list, last = {}, 2.0 ^ -wide.mantissa
        for bits = 0, ((1 << t.exponent) - 1 << t.mantissa) - 1 do
            local low, high = t.decode(bits), t.decode(bits + 1)
            if high == math.huge then
                high = 2.0 ^ (t.greatest + 1)
            end
            local middle = low / 2 + high / 2
            for _, x in ipairs { middle, middle * (1 - last), middle * (1 + last) } do
                list[#list + 1] = wide.round(x)
                list[#list + 1] = wide.round(-x)
            end
        end
        return list
    end

    for _, name in ipairs { "f32", "f64" } do
        local wide = dtypes[name]
        it(name .. ": halfway cases and their neighbours", function()
            on_each(function(backend, t)
                local list, wanted = between(t, wide), {}
                for i, x in ipairs(list) do
                    wanted[i] = t.round(x)
                end
                same(t.name .. " from " .. name, backend, harness.array(wide, list):cast(t.name), t, wanted)
            end)
        end)

        it(name .. ": random floats of any size", function()
            on_each(function(backend, t)
                local g, list, wanted = operands.generator(t.mantissa), {}, {}
                for i = 1, 20000 do
                    list[i] = wide.round((g.unit() - 0.5) * 2.0 ^ (t.least - t.mantissa + g.pick(40) +
                        (g.pick(2) == 1 and t.greatest - t.least or 0)))
                    wanted[i] = t.round(list[i])
                end
                same(t.name .. " from " .. name, backend, harness.array(wide, list):cast(t.name), t, wanted)
            end)
        end)
    end

    it("integers: once, also where f32 or f64 would round them before", function()
        on_each(function(backend, t)
            local g = operands.generator(5)
            for _, from in ipairs { dtypes.i32, dtypes.u32, dtypes.i64, dtypes.u64 } do
                local list, wanted = {}, {}
                for i = 1, 3000 do
                    local x = (1 << g.pick(from.bits) - 1) + (1 << g.pick(from.bits) - 1) + g.pick(3) - 2
                    list[i] = from.wrap(g.pick(2) == 1 and x or g.bits() >> g.pick(from.bits) - 1)
                    wanted[i] = dtypes.convert(list[i], from, t)
                end
                same(t.name .. " from " .. from.name, backend, harness.array(from, list):cast(t.name), t, wanted)
            end
        end)
    end)
end)

describe("what is computed", function()
    it("by functions of the C library is the f32 result, rounded", function()
        on_each(function(backend, t)
            local a, b = operands.lists(t, 2000, 8)
            local x, y = harness.array(t, a), harness.array(t, b)
            for name, row in pairs(oracle.ops) do
                if row.accuracy then
                    local arity = select(3, describe_op(lun.op[name]))
                    local function call(...)
                        return lun[name](table.unpack({ ... }, 1, arity))
                    end
                    local wide = call(x:cast "f32", y:cast "f32")
                    local wanted = dtypes.unpack(dtypes.f32, wide:tobytes())
                    for i, v in ipairs(wanted) do
                        wanted[i] = t.round(v)
                    end
                    same(name .. " of " .. t.name, backend, call(x, y), t, wanted)
                end
            end
        end, true)
    end)

    it("in one kernel has the bits of each step alone", function()
        on_each(function(_, t)
            local a, b = operands.lists(t, 2000, 9)
            local x, y = harness.array(t, a), harness.array(t, b)
            local fused = ((x * y + x) / (y - 0.1)):sqrt() * y
            local step = (x * y):eval()
            step = (step + x):eval()
            step = (step / (y - 0.1):eval()):eval()
            step = (step:sqrt():eval() * y):eval()
            assert.is_nil(harness.first_difference(t, fused:tobytes(), step:tobytes()))
        end)
    end)

    it("as a sum or mean keeps its digits", function()
        on_each(function(_, t)
            local ones = lun.full(100000, 1, t.name) * 1
            assert.equal(100000.0, ones:sum())
            assert.equal(1.0, ones:mean())
            assert.equal(t.round(2049), lun.scan(lun.op.add)(ones)[2049])
            assert.equal(t.name, lun.scan(lun.op.add)(ones):dtype())
        end)
    end)

    it("by a function in Lua or C is f32", function()
        on_each(function(backend, t)
            local a = lun.vector({ 1.5, 2.5, 3.5 }, t.name)
            local k = lun.vector({ 8, 16, 24 }, t.name)
            assert.same({ 2.25, 6.25, 12.25 }, a:map(function(x) return x * x end):totable())
            assert.equal("f32", a:map(function(x) return x * x end):dtype())
            assert.equal(t.name, a:map(function(x) return x * x end, { out = t.name }):dtype())
            assert.same({ 9.5, 18.5, 27.5 }, lun.zip(function(x, y) return x + y end)(a, k):totable())
            assert.same({ 8.0, 16.0, 24.0 }, lun.index(3):map(function(i) return k[i] end):totable())
            assert.equal(7.5, lun.reduce(function(x, y) return x + y end)(a):value())
            if backend ~= "reference" then -- which has no compiler
                assert.same({ 3.0, 5.0, 7.0 }, a:map("float f(float x) { return 2 * x; }"):totable())
            end
        end)
    end)
end)

describe("arrays", function()
    it("of both meet in f32; a number takes the array's dtype", function()
        local a, b = lun.vector({ 1.5 }, "f16"), lun.vector({ 2.5 }, "bf16")
        assert.equal("f32", (a + b):dtype())
        assert.equal("f16", (a + 0.1):dtype())
        assert.equal("f16", (a + lun.vector({ 1 }, "i64")):dtype())
        assert.equal("f64", (a + lun.vector { 0.5 }):dtype())
        assert.is_true((lun.vector({ 0.1 }, "f16")):eq(0.1)[1])
    end)

    it("of random numbers are below 1, and exact", function()
        on_each(function(_, t)
            local a = lun.random(20000, { seed = 3, dtype = t.name })
            local bits = lun.random(20000, { seed = 3, dtype = "u32" })
            local keep = t.mantissa + 1
            assert.is_true(a:max() < 1)
            assert.is_true((a:cast "f64" * 2.0 ^ keep):eq((bits >> (32 - keep)):cast "f64"):all())
            assert.is_true(math.abs(lun.random(20000, { seed = 3, dtype = t.name, dist = "normal" }):mean()) < 0.05)
        end)
    end)

    it("are shown with as many digits as tell their elements apart", function()
        assert.match("%[0.1 0.2 0.3%]", tostring(lun.vector({ 0.1, 0.2, 0.3 }, "f16")))
        assert.match("%[0.1 1.5%]", tostring(lun.vector({ 0.1, 1.5 }, "bf16")))
        for _, t in ipairs(dtypes.list) do
            if t.wide then
                for bits = 0, (1 << t.bits - 1) - 1, t.bits < 16 and 1 or 97 do
                    local a = from_bits(t, { bits })
                    local x = a[1]
                    local text = tostring(a:lazy "max"):match "\n(.*)"
                    if x == x and x ~= math.huge then
                        assert.equal(x, t.round(tonumber(text)))
                    end
                end
            end
        end
    end)
end)

describe(".npy files", function()
    -- The bytes that NumPy's format prescribes for the array [1, 0.1, -2.5, 65504, 2^-24, inf] of float16.
    local header = "{'descr': '%sf2', 'fortran_order': False, 'shape': (6,), }"
    local function file(order, elements)
        local text = header:format(order)
        text = text .. (" "):rep(-(#text + 11) % 64) .. "\n"
        return "\147NUMPY\1\0" .. string.pack("<s2", text) .. elements
    end
    local path = os.tmpname() .. ".npy"
    local function write(text)
        local f = assert(io.open(path, "wb"))
        f:write(text)
        f:close()
    end

    it("hold f16, of both byte orders", function()
        local little = "\0\60\102\46\0\193\255\123\1\0\0\124"
        local values = { 1.0, 0.0999755859375, -2.5, 65504.0, 2.0 ^ -24, math.huge }
        write(file("<", little))
        local a = lun.load(path)
        assert.equal("f16", a:dtype())
        assert.same(values, a:totable())
        assert.is_true(lun.save(path, a))
        local f = assert(io.open(path, "rb"))
        assert.equal(file("<", little), f:read "a")
        f:close()
        write(file(">", (little:gsub("(.)(.)", "%2%1"))))
        assert.same(values, lun.load(path):totable())
        os.remove(path)
    end)

    it("hold no bf16: NumPy has none", function()
        local ok, message = pcall(lun.save, path, lun.vector({ 1 }, "bf16"))
        assert.is_false(ok)
        assert.match("NumPy has no bf16", message)
    end)
end)

teardown(harness.report)
