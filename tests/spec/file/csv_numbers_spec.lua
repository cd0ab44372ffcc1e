-- Decimals that are hard to round, read from CSV. Their nearest floats are known because of how they are made, by
-- arithmetic on digits: exact halves between two floats, a little more, a little less, and the floats themselves.
-- Knows nothing of how text is read.
local lun = require "lunarray"
local shell = require "shell"

local path

local function load_text(text)
    return lun.load(shell.write(path, text))
end

local BASE = 10000000

-- Digits of n * 2^a * 5^b, least limb first in base 10^7.
local function product(n, a, b)
    local limbs = {}
    while n > 0 do
        limbs[#limbs + 1], n = n % BASE, n // BASE
    end
    local function times(k)
        local carry = 0
        for i = 1, #limbs do
            local x = limbs[i] * k + carry
            limbs[i], carry = x % BASE, x // BASE
        end
        while carry > 0 do
            limbs[#limbs + 1], carry = carry % BASE, carry // BASE
        end
    end
    for _ = 1, a // 20 do times(1 << 20) end
    times(1 << a % 20)
    for _ = 1, b // 9 do times(1953125) end
    times(5 ^ (b % 9) // 1 | 0)
    local text = { tostring(limbs[#limbs]) }
    for i = #limbs - 1, 1, -1 do
        text[#text + 1] = ("%07d"):format(limbs[i])
    end
    return table.concat(text)
end

-- n * 2^e in decimal: all its digits, and the power of ten of the last one.
local function exact(n, e)
    if e >= 0 then
        return product(n, e, 0), 0
    end
    return product(n, 0, -e), e
end

-- One way of writing digits * 10^power.
local function written(digits, power, random)
    local way = random(4)
    if way == 1 then
        return digits .. "e" .. power
    elseif way == 2 then
        return digits:sub(1, 1) .. "." .. digits:sub(2) .. "E" .. ("%+d"):format(power + #digits - 1)
    elseif way == 3 then
        return "." .. digits .. "e" .. power + #digits
    elseif power >= 0 then
        return digits .. ("0"):rep(power) .. "."
    elseif #digits > -power then
        return digits:sub(1, power - 1) .. "." .. digits:sub(power)
    end
    return "0." .. ("0"):rep(-power - #digits) .. digits
end

-- The digits of a number less by one in the last place.
local function less(digits)
    local head, last, zeros = digits:match "^(.-)([1-9])(0*)$"
    return head .. tonumber(last) - 1 .. ("9"):rep(#zeros)
end

describe("decimals between two floats", function()
    before_each(function()
        path = os.tmpname() .. ".csv"
    end)
    after_each(function()
        os.remove(path)
        os.remove((path:gsub("%.csv$", "")))
    end)

    -- Floats by their bits: of every exponent, with mantissas that end in carries, and random ones.
    local function patterns(count)
        local random = dofile "tests/torture/kit.lua".generator(7)
        local list = {}
        for exponent = 0, 2046 do
            list[#list + 1] = exponent << 52 | (exponent % 3 == 0 and (1 << 52) - 1 or exponent % 3 == 1 and 0 or random(1 << 52) - 1)
        end
        while #list < count do
            list[#list + 1] = random(0x7fefffffffffffff)
        end
        for i = #list, 2, -1 do
            local k = random(i)
            list[i], list[k] = list[k], list[i]
        end
        return list, random
    end

    it("go to the nearest one, halves to the even one", function()
        local count = math.max(400, math.ceil(20000 * (tonumber(os.getenv "TORTURE") or 0)))
        local list, random = patterns(math.max(count, 2047))
        local lines, wanted = {}, {}
        for i = 1, count do
            local bits = list[i]
            local field, mantissa = bits >> 52, bits & (1 << 52) - 1
            local n, e = field == 0 and mantissa or mantissa | 1 << 52, math.max(field, 1) - 1075
            local digits, power = exact(2 * n + 1, e - 1) -- half way to the next float, which may be infinity
            local sign = random(2) == 1 and "-" or random(3) == 1 and "+" or ""
            local top = sign == "-" and math.mininteger or 0
            for _, case in ipairs {
                { digits, power, bits + (bits & 1) },
                { digits .. "0000000000000000000001", power - 22, bits + 1 },
                { less(digits .. "0"), power - 1, bits },
                { exact(math.max(n, 1), e) },
            } do
                lines[#lines + 1] = sign .. written(case[1], case[2], random)
                wanted[#wanted + 1] = (case[3] or math.max(bits, 1)) | top
            end
        end
        local got = assert(load_text("x\n" .. table.concat(lines, "\n") .. "\n")).x
        assert.equal("f64", got:dtype())
        local got_bits = lun.frombytes(got:tobytes(), "i64"):totable()
        local wrong = 0
        for i = 1, #lines do
            if got_bits[i] ~= wanted[i] then
                wrong = wrong + 1
                io.stderr:write(("%s: %016x, not %016x\n"):format(lines[i]:sub(1, 100), got_bits[i], wanted[i]))
            end
        end
        assert.equal(0, wrong)
        assert.equal(4 * count, #got_bits)
    end)

    it("come back from the fewest digits that tell them apart", function()
        local count = math.max(2000, math.ceil(200000 * (tonumber(os.getenv "TORTURE") or 0)))
        local list = patterns(math.max(count, 2047))
        local x = lun.frombytes(string.pack(("<i8"):rep(1000), table.unpack(list, 1, 1000)), "f64")
        for first = 1001, count, 1000 do
            local last = math.min(first + 999, count)
            x = x .. lun.frombytes(string.pack(("<i8"):rep(last - first + 1), table.unpack(list, first, last)), "f64")
        end
        assert(lun.save(path, { x = x }))
        local back = assert(lun.load(path)).x
        assert.equal(x:tobytes(), back:tobytes())
    end)
end)
