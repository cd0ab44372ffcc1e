-- Floats where Lua wants integers: math.floor, math.ceil, math.modf and bitwise operations. The oracle is the Lua VM.
local lun = require "lunarray"

local backends = lun.backends()
local big = 2.0 ^ 63
local extremes = {
    0.0, -0.0, 0.5, -0.5, 3.7, -3.7, 1e15 + 0.5, -1e15 - 0.5, 2.0 ^ 53, 2.0 ^ 53 - 1, -2.0 ^ 53, big, -big, big - 1024,
    -big + 1024, -big - 2048, big + 2048, 1e19, -1e19, 1e300, -1e300, 5e-324, -5e-324, math.huge, -math.huge, 0 / 0,
}

local function on_each(work)
    for _, backend in ipairs(backends) do
        lun.use(backend)
        work(backend)
    end
    lun.use(backends[1])
end

local function bits(x)
    if x ~= x then return "NaN" end
    return math.type(x) == "float" and ("%a"):format(x) or tostring(x)
end

-- f of each element by the VM and by every backend, bit for bit; floats that f32 rounds are rounded first.
local function agrees(f, dtype)
    local a = lun.vector(extremes, dtype)
    local list = a:totable()
    on_each(function(backend)
        local got = a:map(f):totable()
        for i, x in ipairs(list) do
            assert.equal(bits(f(x)), bits(got[i]), ("%s: f(%s)"):format(backend, x))
        end
    end)
end

-- The error of f on x, the same on every backend; the VM has none, or one with these words too.
local function fails(f, x, words, dtype)
    on_each(function()
        local ok, message = pcall(function() return lun.vector({ 1, 2, x, 4 }, dtype):map(f):eval() end)
        assert.is_false(ok)
        message = tostring(message)
        assert.truthy(message:find(words, 1, true), message)
    end)
end

describe("a rounded float that goes on as a float", function()
    it("compares as in Lua", function()
        for _, dtype in ipairs { "f64", "f32" } do
            agrees(function(x) return math.floor(x) == x end, dtype)
            agrees(function(x) return math.ceil(x) == x end, dtype)
            agrees(function(x) return (math.modf(x)) == x end, dtype)
            agrees(function(x) return math.floor(x) < x end, dtype)
            agrees(function(x) return x <= math.ceil(x) end, dtype)
            agrees(function(x) return math.floor(x) < math.ceil(x) end, dtype)
            agrees(function(x) return math.floor(x) >= math.maxinteger end, dtype)
            agrees(function(x) return math.ceil(x) <= math.mininteger end, dtype)
            agrees(function(x) return math.floor(x) == 3 end, dtype)
            agrees(function(x) return math.floor(x) > 0.25 end, dtype)
            agrees(function(x) return math.floor(x) == 16777217.0 or 16777217.0 <= math.ceil(x) end, dtype)
            agrees(function(x) return math.floor(x) > -1e300 end, dtype)
        end
    end)

    it("compares with integers that no float holds", function()
        local numbers = lun.vector { math.maxinteger, math.mininteger, 2 ^ 53 | 1, -3, 4 }
        local function relations(x, n)
            return math.floor(x) < n, math.floor(x) <= n, n < math.ceil(x), n == math.floor(x), n ~= (math.modf(x))
        end
        local elements = lun.vector(extremes)
        on_each(function(backend)
            for _, n in ipairs(numbers:totable()) do
                local got = { lun.zip(relations)(elements, lun.full(#elements, n, "i64")) }
                for i, x in ipairs(extremes) do
                    local want = { relations(x, n) }
                    for k = 1, #want do
                        assert.equal(want[k], got[k][i], ("%s: relation %d of %s and %d"):format(backend, k, x, n))
                    end
                end
            end
        end)
    end)

    it("keeps its value in arithmetic", function()
        agrees(function(x) return math.floor(x) + 0.0 end)
        agrees(function(x) return x - math.floor(x) end)
        agrees(function(x) return math.ceil(x) * 0.5 end)
        agrees(function(x) return 1 / math.ceil(x) end)
        agrees(function(x) local whole, rest = math.modf(x) return whole / 2 + rest end)
        agrees(function(x) return math.floor(math.ceil(x)) / 4 end)
        agrees(function(x) local y = math.floor(x) if x > 1 then y = x end return y + 0.0 end)
        agrees(function(x) local y = 0.5 if x > -4 then y = math.ceil(x) end return y + 0.0 end)
        agrees(function(x) return x // 1 end)
    end)

    it("is the limit of a loop as in Lua", function()
        local function count(x)
            local n = 0
            for _ = 1, math.floor(x) do n = n + 1 if n > 5 then break end end
            for _ = -1, math.ceil(x), -1 do n = n + 10 if n > 100 then break end end
            return n
        end
        agrees(count)
        agrees(count, "f32")
    end)

    it("is no error where it is not used as an integer", function()
        agrees(function(x)
            local n = math.floor(x)
            if x < 100 and x > -100 then return n * 2 + 1 end
            return -1
        end)
        agrees(function(x) return x > -100 and x < 100 and math.floor(x) or 7 end)
        agrees(function(x)
            local n, s = math.ceil(x), 0
            if not (x > -9 and x < 9) then return 5 end
            for i = 1, 3 do s = s + n * i end
            return s
        end)
    end)
end)

describe("a rounded float that an integer cannot hold", function()
    it("fails with its line and value where an integer is needed", function()
        local line = debug.getinfo(1, "l").currentline + 2
        fails(function(x)
            return math.floor(x)
        end, 1e19, "luafn_rounding_spec.lua:" .. line .. ": number 1e+19 has no integer representation")
        fails(function(x) return math.ceil(x) end, -1e19, "number -1e+19 has no integer representation")
        fails(function(x) return (math.modf(x)) end, 2.0 ^ 63, "number 9.2233720368548e+18 has no integer")
        fails(function(x) return math.floor(x) end, 0 / 0, "number NaN has no integer representation")
        fails(function(x) return math.floor(x) end, -math.huge, "number -inf has no integer representation", "f32")
        fails(function(x) return math.floor(x) // 2 end, 1e20, "number 1e+20 has no integer representation")
        fails(function(x) local n = 0 if x > 3 then n = math.floor(x) end return n end, 1e20, "number 1e+20 has")
        fails(function(x) local n, s = math.floor(x), 0 for i = 1, 3 do s = s + n * i end return s end, 1e20, "1e+20 has")
        fails(function(x) return math.floor(x) end, 2.0 ^ 70, "number 1.1805916207174e+21 has", "f32")
    end)

    it("fails without a value in a reduction", function()
        on_each(function()
            local r = lun.reduce(function(x, y) return (math.floor(x) | math.floor(y)) + 0.0 end)
            local ok, message = pcall(function() return r(lun.vector { 1.0, 1e19 }):value() end)
            assert.is_false(ok)
            message = tostring(message)
            assert.truthy(message:find("number has no integer representation", 1, true), message)
        end)
    end)

    it("keeps the ends of the range", function()
        on_each(function()
            local got = lun.vector({ -big, big - 1024 }):map(function(x) return math.floor(x) end)
            assert.same({ math.mininteger, math.maxinteger - 1023 }, got:totable())
        end)
    end)
end)

describe("a bitwise operation on floats", function()
    it("takes those with the value of an integer, as Lua does", function()
        local whole, kept = {}, extremes
        for _, x in ipairs(extremes) do
            if math.tointeger(x) then whole[#whole + 1] = x end
        end
        extremes = whole
        local three, shift = 3.0, 2
        for _, dtype in ipairs { "f64", "f32" } do
            if dtype == "f32" then table.remove(whole) table.remove(whole, 7) table.remove(whole, 7) end
            agrees(function(x) return x & 1 end)
            agrees(function(x) return ~x end)
            agrees(function(x) return x >> 1 | x << 2.0 end)
            agrees(function(x) return (x ~ 5) & three end)
            agrees(function(x) return 1.0 << shift | x end)
            agrees(function(x) return math.ult(x, 3.0) end)
        end
        extremes = kept
    end)

    it("fails with the line and the value of others", function()
        local line = debug.getinfo(1, "l").currentline + 2
        fails(function(x)
            return x & 1
        end, 2.5, "luafn_rounding_spec.lua:" .. line .. ": number 2.5 has no integer representation")
        fails(function(x) return ~x end, 2.0 ^ 63, "number 9.2233720368548e+18 has no integer representation")
        fails(function(x) return 1 << x end, 0 / 0, "number NaN has no integer representation", "f32")
        fails(function(x) return x | 2.5 end, 1, "number 2.5 has no integer representation")
        fails(function(x) local _ = x ~ 1 return x end, 0.25, "number 0.25 has no integer representation")
        fails(function(x) return math.ult(x, 1) end, math.huge, "number inf has no integer representation")
    end)
end)
