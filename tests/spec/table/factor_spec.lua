-- lun.factor against a plain table of the texts.
local lun = require "lunarray"
local expect = require "expect"

local function check(list)
    local levels, seen = {}, {}
    for _, text in ipairs(list) do
        levels[#levels + 1] = not seen[text] and text or nil
        seen[text] = true
    end
    table.sort(levels, function(a, b) -- by bytes: < goes by the locale
        for i = 1, math.min(#a, #b) do
            if a:byte(i) ~= b:byte(i) then
                return a:byte(i) < b:byte(i)
            end
        end
        return #a < #b
    end)
    local code_of, codes = {}, {}
    for i, text in ipairs(levels) do
        code_of[text] = i
    end
    for i, text in ipairs(list) do
        codes[i] = code_of[text]
    end
    local got, names = lun.factor(list)
    assert.equal("i32", got:dtype())
    expect.elements(codes, got)
    assert.same(levels, names)
end

describe("lun.factor", function()
    it("numbers the texts of a list in the order of their bytes", function()
        check {}
        check { "" }
        check { "rain", "sun", "rain", "", "fog", "sun" }
        check { "b", "a", "B", "\u{e4}", "z", "a\0", "a\0b", "aa", "\255", "\1" }
        check { "same", "same", "same" }
    end)

    it("knows many texts, short and long", function()
        local random = math.random
        for _, most in ipairs { 1, 7, 64, 1000, 70000 } do
            local list = {}
            for i = 1, 70000 do
                local x = random(most)
                -- strings of more than 40 bytes are made anew each time
                list[i] = x % 2 == 0 and ("k%d"):format(x) or ("k%d"):format(x) .. ("-"):rep(60) .. x
            end
            check(list)
        end
    end)

    -- Fails unless levels[codes[i]] is each element, and every level is used; that levels ascend is unique's matter.
    local function check_vector(a)
        local codes, levels = lun.factor(a)
        assert.equal("i32", codes:dtype())
        assert.equal(a:dtype(), levels:dtype())
        local list, at, values, used = a:totable(), codes:totable(), levels:totable(), {}
        for i = 1, #list do
            assert.equal(list[i], values[at[i]])
            used[at[i]] = true
        end
        assert.equal(#values, #used)
    end

    it("numbers the values of Vectors", function()
        for _, row in ipairs(require("lunarray.base.dtypes").list) do
            for _, n in ipairs { 0, 1, 1000 } do
                check_vector(((lun.random(n, { seed = 5 }) - 0.3) * 50):cast(row.name))
            end
        end
        expect.everywhere(function()
            local nan = 0.0 / 0.0
            local codes, levels = lun.factor(lun.vector { nan, 2, -0.0, nan, 0, -1 / 0, 1 / 0 })
            expect.elements({ 5, 3, 2, 5, 2, 1, 4 }, codes)
            expect.elements({ -1 / 0, 0.0, 2.0, 1 / 0, nan }, levels)
            codes, levels = lun.factor(lun.vector({ -1, 1, 0, -1 }, "i64"):cast "u64")
            expect.elements({ 3, 2, 1, 3 }, codes)
            expect.elements({ 0, 1, -1 }, levels)
        end)
    end)

    it("refuses what is no list of texts", function()
        expect.failure("bad argument #1 to 'factor' (Vector, or list of texts, expected, got number)", lun.factor, 1)
        expect.failure("bad argument #1 to 'factor' (element 2 is a number, where a text was expected; make the list a Vector "
            .. "with lun.vector)", lun.factor, { "a", 1 })
        expect.failure("element 1 is a table, where a text was expected)", lun.factor, { {} })
        expect.failure("expected, got a View f64[2, 2])", lun.factor, lun.ones(2, 2))
        expect.failure("wrong number of arguments to 'factor' (at most 1 expected, got 2)", lun.factor, {}, {})
    end)
end)
