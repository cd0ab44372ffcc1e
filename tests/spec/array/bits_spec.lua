-- Masks as bits: packbits, unpackbits and popcount against a loop over Lua's booleans; what NumPy's packbits gives for
-- the lists below was noted from numpy 2.4: numpy.packbits(x, bitorder=...).tolist().

local lun = require "lunarray"
local expect = require "expect"

local function mask(n, seed)
    local list = {}
    for k = 1, n do
        seed = (seed * 1103515245 + 12345) % 2147483648
        list[k] = seed // 65536 % 3 == 0
    end
    return list
end

local function packed(list, little)
    local bytes = {}
    for k = 0, #list - 1 do
        local bit = little and k % 8 or 7 - k % 8
        bytes[k // 8 + 1] = (bytes[k // 8 + 1] or 0) | (list[k + 1] and 1 << bit or 0)
    end
    return bytes
end

describe("packbits", function()
    it("gives what NumPy gives", function()
        local x = { true, false, true, true, false, false, false, true, true, false, true }
        expect.elements({ 177, 160 }, lun.vector(x):packbits())
        expect.elements({ 141, 5 }, lun.vector(x):packbits { bitorder = "little" })
        expect.elements({ 176 }, lun.vector({ 7, 0, -1, 3 }):packbits())
        expect.elements({ 208 }, lun.vector({ { true, true, false }, { true, false, false } }):packbits())
    end)

    it("packs masks of all lengths, which unpackbits gives back", function()
        for n = 0, 70 do
            local list = mask(n, n + 1)
            local m = n > 0 and lun.vector(list) or lun.zeros(0, "bool")
            for _, order in ipairs { "big", "little" } do
                local p = m:packbits { bitorder = order }
                assert.equal("u8", p:dtype())
                expect.elements(packed(list, order == "little"), p)
                local back = lun.unpackbits(p, n, { bitorder = order })
                assert.equal("bool", back:dtype())
                expect.elements(list, back)
                assert.equal(m:count(), n > 0 and p:popcount():sum() or 0)
                assert.equal(8 * #p, #p:unpackbits { bitorder = order })
            end
        end
    end)

    it("keeps a mask in an eighth of its memory, in one kernel", function()
        local m = (lun.index(4096) % 3):eq(0)
        assert.equal(1, #lun.explain(m:packbits()))
        assert.equal(512, m:packbits():nbytes())
        assert.equal(4096, m:eval():nbytes())
    end)

    it("refuses other orders, dtypes and numbers of bits", function()
        local m = lun.vector { true, false }
        expect.failure("unknown bitorder 'middle': known are big, little", m.packbits, m, { bitorder = "middle" })
        expect.failure("unknown option 'order': the options are bitorder", m.packbits, m, { order = "big" })
        expect.failure("a Vector of u8 expected, got i64[1]", lun.unpackbits, lun.vector { 1 })
        expect.failure("9: from 0 to 8 expected", function() return m:packbits():unpackbits(9) end)
        expect.failure("-1: from 0 to 8 expected", function() return m:packbits():unpackbits(-1) end)
        expect.failure("array expected, got number", lun.packbits, 3)
    end)
end)
