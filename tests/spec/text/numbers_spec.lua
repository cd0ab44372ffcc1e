-- Numbers to texts and back, beside what Python writes and reads (numbers_made.lua, by numbers_make.py), where texts repeat
-- and where they do not.
local made = require "text.numbers_made"

local na = lun.na

local function column(list, k)
    local out = {}
    for i, row in ipairs(list) do out[i] = row[k] or na end
    return out
end

describe("numbers as texts", function()
    local numbers = {}
    for i, row in ipairs(made.shortest) do numbers[i] = string.unpack("d", string.pack("i8", row[1])) end
    local x = lun.vector(numbers, "f64")

    it("have the fewest digits that read back", function()
        assert.same(column(made.shortest, 2), x:cast("text"):totable())
        assert.is_true(x:cast("text"):cast "f64" == x)
        local single = x:cast "f32"
        assert.is_true(single:cast("text"):cast "f32" == single)
        assert.same({ "0.1", "0.33333334", "16777216.0", "1e-07" }, lun.vector({ 0.1, 1 / 3, 2 ^ 24, 1e-7 }, "f32"):cast("text"):totable())
    end)

    it("have what a conversion writes", function()
        for i, row in ipairs(made.shortest) do
            assert.equal(row[4], lun.vector({ numbers[i] }, "f64"):format(row[3])[1])
        end
        assert.same({ "000a", "00ff", na }, lun.vector({ 10, 255, na }, "i32"):format("%04x"):totable())
        assert.same({ "n=3 %" }, lun.vector({ 3 }, "i64"):format("n=%d %%"):totable())
        assert.error_matches(function() return lun.vector({ 1 }, "i64"):format "%d %d" end, "a conversion of string.format expected")
        assert.error_matches(function() return lun.vector({ 1.5 }):format("%d"):eval() end, "no integer representation")
    end)

    it("are those of integers, truths and missing elements, in any shape", function()
        assert.same({ "-9223372036854775808", "0", na, "9223372036854775807" },
            lun.vector({ math.mininteger, 0, na, math.maxinteger }, "i64"):cast("text"):totable())
        assert.same({ "18446744073709551615" }, lun.vector({ -1 }, "i64"):cast("u64"):cast("text"):totable())
        assert.same({ "true", na, "false" }, lun.vector({ true, na, false }, "bool"):cast("text"):totable())
        assert.same({ { "1.5", "2.0" }, { "1.5", "3.0" } }, lun.vector { 1.5, 2, 1.5, 3 }:reshape(2, 2):cast("text"):totable())
        assert.same({ { "1", "2" }, { "1", "3" } }, lun.vector({ 1, 2, 1, 3 }, "u8"):reshape(2, 2):cast("text"):totable())
        assert.same({}, lun.zeros({ 0 }, "f64"):cast("text"):totable())
    end)

    it("are read as the numbers that they were, of many", function()
        for _, n in ipairs { 5000, 70000, 300000 } do
            local many = lun.random(n, { seed = 1 }) - 0.5
            assert.is_true(many:cast("text"):cast "f64" == many)
            local few = (lun.index(n) % 1000 / 8):cast "text"
            assert.equal(1000, few:nunique())
            assert.is_true(few:cast "f64" == lun.index(n) % 1000 / 8)
            local whole = lun.where((lun.index(n) % 7):eq(0), na, lun.index(n) * 3)
            assert.is_true(whole:cast("text"):cast "i64" == whole)
        end
    end)
end)

describe("texts as numbers", function()
    it("are the nearest floats", function()
        local got = lun.vector(column(made.reals, 1), "text"):cast("f64", { errors = "missing" })
        for i, row in ipairs(made.reals) do
            local x = got[i]
            assert.equal(not row[2], got:ismissing()[i], row[1])
            if row[2] == "nan" then
                assert.is_true(x ~= x)
            elseif row[2] then
                assert.equal((row[2]:find "inf" and (row[2] == "inf" and math.huge or -math.huge)) or tonumber(row[2]), x, row[1])
            end
        end
    end)

    it("are integers within the dtype's range", function()
        local texts = lun.vector(column(made.integers, 1), "text")
        for _, dtype in ipairs { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64" } do
            local got = texts:cast(dtype, { errors = "missing" })
            assert.equal(dtype, got:dtype())
            assert.same(column(made.integers, dtype), got:cast("text"):totable())
        end
    end)

    it("are truths, or an error with the row", function()
        assert.same({ true, false, na, na }, lun.vector { " True", "FALSE\t", "yes", na }:cast("bool", { errors = "missing" }):totable())
        local a = lun.vector { na, "1", "x1", "x2" }
        assert.error_matches(function() return a:cast "f32" end, "row 3: 'x1' is no f32; {errors=\"missing\"} makes it missing", 1, true)
        assert.error_matches(function() return a:sub(4, 1, -1):cast "u8" end, "row 1: 'x2' is no u8", 1, true)
        assert.same({ na, 1 }, a:sub(1, 2):cast("i64"):totable()) -- what no element has is no fault
    end)
end)
