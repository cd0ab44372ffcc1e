-- tostring of arrays: the title, the layout, and that only what is shown is read.
local lun = require "lunarray"
local show = require("lunarray.show.show").text

local nan = 0.0 / 0.0

-- An array that computes element i as f(i) and notes which elements were read.
local function counted(dtype, shape, f, kind, pending)
    local size, seen = 1, { count = 0, calls = 0 }
    for _, extent in ipairs(shape) do
        size = size * extent
    end
    return {
        kind = function() return kind or #shape == 0 and "Scalar" or #shape == 1 and "Vector" or "View" end,
        dtype = function() return dtype end,
        shape = function() return table.unpack(shape) end,
        size = function() return size end,
        pending = function() return pending or 0 end,
        layout = function() return "right" end,
        backend = function() return "openmp" end,
        read = function(_, first, count)
            assert(first >= 1 and count >= 1 and first + count - 1 <= size, "read out of range")
            seen.count, seen.calls = seen.count + count, seen.calls + 1
            local values = {}
            for i = 1, count do
                values[i] = f(first + i - 1)
            end
            return values
        end,
    }, seen
end

local function identity(i)
    return i
end

-- The text below the title.
local function body(a)
    return tostring(a):match "^[^\n]*\n(.*)$"
end

local function shown(dtype, shape, f)
    return show((counted(dtype, shape, f or identity))):match "\n(.*)$"
end

local function lines_of(text)
    local lines = {}
    for line in (text .. "\n"):gmatch "(.-)\n" do
        lines[#lines + 1] = line
    end
    return lines
end

describe("tostring", function()
    describe("begins with", function()
        it("kind, dtype, shape and device", function()
            local v = lun.vector({ 1, 2, 3 }, "f32")
            assert.equal("Vector<f32>[3] " .. v:backend(), lines_of(tostring(v))[1])
            local m = lun.vector({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, "i16")
            assert.equal("View<i16>[3, 2] " .. m:backend(), lines_of(tostring(m))[1])
        end)

        it("how many operations wait", function()
            local v = lun.vector { 1, 2, 3 }
            local text = "Composition<i64>[3] " .. lun.use() .. " (1 operation waiting)"
            assert.equal(text, lines_of(tostring(v + v))[1])
            assert.equal((text:gsub("1 operation", "3 operations")), lines_of(tostring(v * v + v - 1))[1])
            lun.eval(v)
            assert.equal("Vector<i64>[3] " .. v:backend(), lines_of(tostring(v))[1])
        end)
    end)

    it("shows the elements of real arrays", function()
        assert.equal("[1 2 3]", body(lun.vector { 1, 2, 3 }))
        assert.equal("[2 4 6]", body(lun.vector { 1, 2, 3 } * 2))
        assert.equal("[[1 2]\n [3 4]]", body(lun.vector { { 1, 2 }, { 3, 4 } }))
        assert.equal("[ true false]", body(lun.vector { true, false }))
        assert.equal("[]", body(lun.vector({}, "f64")))
        assert.equal("[0.5 1.0]", body(lun.vector({ 0.5, 1 }, "f32")))
    end)

    it("of a freed array is an error", function()
        local v = lun.vector { 1 }
        v:free()
        local line = debug.getinfo(1, "l").currentline + 1
        local ok, message = pcall(function() return (tostring(v)) end) -- no tail call, which has no line
        assert.is_false(ok)
        assert.matches(("show_spec.lua:%d: attempt to use a freed Vector$"):format(line), message)
    end)

    describe("of integers and booleans", function()
        it("aligns them", function()
            assert.equal("[  1 -20 300]", shown("i32", { 3 }, function(i) return ({ 1, -20, 300 })[i] end))
            assert.equal("[false  true]", shown("bool", { 2 }, function(i) return i == 2 end))
        end)

        it("shows u64 without a sign", function()
            local text = shown("u64", { 3 }, function(i) return ({ 0, -1, math.mininteger })[i] end)
            assert.equal("[                   0 18446744073709551615  9223372036854775808]", text)
        end)
    end)

    describe("of floats", function()
        local function floats(list, dtype)
            return shown(dtype or "f64", { #list }, function(i) return list[i] end)
        end

        it("gives all of them the decimals they need, up to six digits", function()
            assert.equal("[1.0 2.0 3.0]", floats { 1.0, 2.0, 3.0 })
            assert.equal("[1.00 2.50 3.25]", floats { 1.0, 2.5, 3.25 })
            assert.equal("[0.333333 1.000000]", floats { 1 / 3, 1.0 })
            assert.equal("[0.3]", floats { 0.1 + 0.2 })
            assert.equal("[  -1.50 1000.25]", floats { -1.5, 1000.25 })
            assert.equal("[123456.7890      0.0001]", floats { 123456.789, 0.0001 })
            assert.equal("[12345678.0        0.5]", floats { 12345678.0, 0.5 })
            assert.equal("[0.0 0.0]", floats { 0.0, 0.0 })
            assert.equal("[-0.0]", floats { -0.0 })
        end)

        it("shows no digit that is not the value's", function()
            assert.equal("[1000.12345679    0.00123457]", floats { 1000.123456789, 0.001234567 })
            assert.equal("[1000.12345679    0.00123457]", body(lun.vector { 1000.123456789, 0.001234567 }))
            assert.equal("[12345678.100000000        0.000123456]", floats { 12345678.1, 0.000123456 })
            assert.equal("[333.333333   0.333333]", floats { 1000 / 3, 1 / 3 })
            for _, dtype in ipairs { "f64", "f32" } do
                local values = (lun.random(90, { seed = 7 }) ^ 3 * 5000):cast(dtype):totable()
                local texts = {}
                for text in floats(values, dtype):gmatch "[%d.]+" do
                    texts[#texts + 1] = text
                end
                for i, x in ipairs(values) do
                    local places = #texts[i]:match "%.(%d+)$"
                    local room = 0.5000001 * 10.0 ^ -places + (dtype == "f32" and x * 2.0 ^ -24 or 0)
                    assert.is_true(math.abs(tonumber(texts[i]) - x) <= room, texts[i])
                end
            end
        end)

        it("shows random numbers without exponents", function()
            assert.equal("[0.000002346 0.500000000 0.333333333]",
                floats { 2.3456e-6, 0.5, 1 / 3 })
            for seed = 1, 300 do
                assert.is_nil(tostring(lun.random(100, { seed = seed })):match "\n.*e")
            end
        end)

        it("uses exponents where decimals would get long", function()
            assert.equal("[1.0e+08 5.0e-01]", floats { 1e8, 0.5 })
            assert.equal("[1.0e+12 1.0e+00]", floats { 1e12, 1.0 })
            assert.equal("[999999999999.0           -1.0]", floats { 999999999999.0, -1.0 })
            assert.equal("[1.50e-05 2.25e+00]", floats { 1.5e-5, 2.25 })
            assert.equal("[ 3.33333e-301 -1.00000e+300]", floats { 1e-300 / 3, -1e300 })
            assert.equal("[4.94066e-324]", floats { 5e-324 })
        end)

        it("hides the noise of f32", function()
            local tenth = string.unpack("<f", string.pack("<f", 0.1))
            local many = string.unpack("<f", string.pack("<f", 10000.1))
            assert.equal("[0.1]", floats({ tenth }, "f32"))
            assert.equal("[10000.1000     0.1234]", floats({ many, 0.1234 }, "f32"))
        end)

        it("shows nan and infinities", function()
            assert.equal("[ nan  inf -inf  1.5]", floats { nan, math.huge, -math.huge, 1.5 })
            assert.equal("[nan nan]", floats { nan, -nan })
            local read = lun.vector { nan, -nan }
            for _, x in ipairs { read[1], read[2], read:sum(), read:max(), read:totable()[1], read:read(2, 1)[1],
                (lun.vector({ -nan }, "f32")[1]) } do
                assert.equal("nan", tostring(x))
            end
            assert.equal("[1.0e+12     inf]", floats { 1e12, math.huge })
        end)
    end)

    describe("of a Scalar", function()
        local function scalar(dtype, x)
            return show((counted(dtype, {}, function() return x end)))
        end

        it("is its value", function()
            assert.equal("Scalar<i64> openmp\n42", scalar("i64", 42))
            assert.equal("Scalar<u64> openmp\n18446744073709551615", scalar("u64", -1))
            assert.equal("Scalar<bool> openmp\ntrue", scalar("bool", true))
            assert.equal("Scalar<f64> openmp\n0.3", scalar("f64", 0.1 + 0.2))
            assert.equal("Scalar<f64> openmp\n3.0", scalar("f64", 3.0))
            for dtype, texts in pairs {
                f32 = { [70] = "70.0", [1e7] = "10000000.0", [1e20] = "1e+20", [0.5] = "0.5", [-300] = "-300.0" },
                f16 = { [70] = "70.0", [65504] = "65500.0", [0.25] = "0.25" }, bf16 = { [70] = "70.0", [200] = "200.0" },
            } do
                for x, text in pairs(texts) do
                    assert.equal(("Scalar<%s> openmp\n%s"):format(dtype, text), scalar(dtype, x + 0.0))
                end
            end
            assert.equal("Scalar<f64> openmp\n1e+300", scalar("f64", 1e300))
            assert.equal("Scalar<f64> openmp\nnan", scalar("f64", nan))
            assert.equal("Scalar<f64> openmp\n-inf", scalar("f64", -math.huge))
            assert.equal("Scalar<f32> openmp\n0.1", scalar("f32", (string.unpack("<f", string.pack("<f", 0.1)))))
            assert.equal("Scalar<f32> openmp\n16777216.0", scalar("f32", 16777216.0))
            assert.equal("Scalar<f32> openmp\ninf", scalar("f32", math.huge))
        end)
    end)

    describe("with lun.precision and lun.width", function()
        local a = lun.vector { 1000.123456789, 0.001234567, 1 / 3 }

        after_each(function()
            lun.precision(nil)
            lun.width(nil)
            lun.elements_shown(nil)
        end)

        it("shows as many digits as asked for, those of the value alone", function()
            local default = body(a)
            assert.equal(6, lun.precision())
            assert.equal(3, lun.precision(3))
            assert.equal(3, lun.precision())
            assert.equal("[1000.12346    0.00123    0.33333]", body(a))
            assert.equal("[3.3e-301 1.1e+300]", (lun.precision(2) and body(lun.vector { 1e-300 / 3, 1.1e300 })))
            lun.precision(12)
            assert.equal("[1000.123456789000    0.001234567000    0.333333333333]", body(a))
            lun.precision(17)
            assert.equal("[0.3333333333333333]", body(lun.vector { 1 / 3 }))
            assert.equal("[0.30000000000000004 0.10000000000000000]", body(lun.vector { 0.1 + 0.2, 0.1 }))
            assert.equal("[1.1000000000000000e+300 3.3333333333333334e-301]", body(lun.vector { 1.1e300, 1e-300 / 3 }))
            assert.equal("[0.10000000 0.33333334]", body(lun.vector({ 0.1, 1 / 3 }, "f32")))
            assert.equal(6, lun.precision(nil))
            assert.equal(default, body(a))
        end)

        it("reads back what it shows with 17 digits", function()
            lun.precision(17)
            for _, dtype in ipairs { "f64", "f32" } do
                local values = ((lun.random(60, { seed = 3 }) - 0.5) * lun.linspace(1e-3, 1e5, 60)):cast(dtype)
                local i = 0
                for text in body(values):gmatch "[%d.e+-]+" do
                    i = i + 1
                    local x = lun.vector({ tonumber(text) }, dtype)[1]
                    assert.is_true(math.abs(x - values[i]) <= 1e-15 * math.abs(values[i]), text)
                end
                assert.equal(60, i)
            end
        end)

        it("fills lines of as many columns", function()
            assert.equal(80, lun.width())
            for _, width in ipairs { 20, 33, 79, 200, 1000 } do
                assert.equal(width, lun.width(width))
                for _, x in ipairs { lun.range(1, 100), lun.range(1, 5000), lun.ones { 30, 300 }, lun.ones { 2, 2, 50 } } do
                    local widest = 0
                    for _, line in ipairs(lines_of(body(x))) do
                        widest = math.max(widest, #line)
                    end
                    assert.is_true(widest <= width, ("%d of %d"):format(widest, width))
                    assert.is_true(widest > width - 26 or width > 200, ("%d of %d"):format(widest, width))
                end
            end
            assert.equal(80, lun.width(nil))
        end)

        it("shows as many elements without a gap as asked for", function()
            local x = lun.index(101)
            assert.equal(100, lun.elements_shown())
            assert.is_truthy(body(x):find("...", 1, true))
            assert.equal(101, lun.elements_shown(101))
            assert.is_falsy(body(x):find("...", 1, true))
            assert.equal(math.huge, lun.elements_shown(math.huge))
            lun.width(1000)
            local _, count = body(lun.ones { 70, 70 }):gsub("1", "")
            assert.equal(4900, count)
            lun.elements_shown(2)
            assert.is_truthy(body(lun.ones { 40, 9 }):find("...", 1, true))
            assert.equal(100, lun.elements_shown(nil))
            assert.equal("bad argument #1 to 'elements_shown' (a whole number from 1 on or math.huge expected, or nil for 100)",
                (select(2, pcall(lun.elements_shown, 0))))
        end)

        it("refuses what is no number of digits or columns, at the script's line", function()
            for _, bad in ipairs { 0, 18, 2.5, "x", {}, true } do
                local ok, message = pcall(lun.precision, bad)
                assert.is_false(ok)
                assert.equal("bad argument #1 to 'precision' (a whole number from 1 to 17 expected, or nil for 6)", message)
            end
            assert.equal("here:1: bad argument #1 to 'width' (a whole number from 20 to 10000 expected, or nil for 80)",
                (select(2, pcall(load("lun.width(19) ", "=here", "t", { lun = lun })))))
            assert.equal(6, lun.precision())
        end)
    end)

    describe("of a long Vector", function()
        it("wraps up to 100 elements within 80 columns", function()
            local lines = lines_of(shown("i64", { 100 }))
            assert.equal("[  1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18  19", lines[1])
            assert.equal("  96  97  98  99 100]", lines[6])
            assert.equal(6, #lines)
        end)

        it("shows head and tail in one line from there on", function()
            assert.equal("[  1   2   3   4   5   6   7   8   9 ...  93  94  95  96  97  98  99 100 101]",
                shown("i64", { 101 }))
            assert.equal("[1 1 1 1 1 1 1 1 1 1 ... 1 1 1 1 1 1 1 1 1 1]",
                shown("u8", { 1000 }, function() return 1 end))
            assert.equal("[9223372036854775807 ... 9223372036854775807]",
                shown("i64", { 1000 }, function() return math.maxinteger end))
        end)

        it("reads no more than it shows", function()
            for _, n in ipairs { 101, 1000000, 1 << 62 } do
                local a, seen = counted("i64", { n }, identity, "Composition", 2)
                local text = show(a)
                assert.equal(("Composition<i64>[%d] openmp (2 operations waiting)"):format(n), lines_of(text)[1])
                assert.equal(20, seen.count)
                assert.equal(2, seen.calls)
                assert.matches(("%d]$"):format(n), text)
            end
        end)
    end)

    describe("of higher ranks", function()
        it("shows rows", function()
            assert.equal("[[ 1  2  3  4]\n [ 5  6  7  8]\n [ 9 10 11 12]]", shown("i64", { 3, 4 }))
            assert.equal("[[1]\n [2]]", shown("i64", { 2, 1 }))
        end)

        it("shows blocks with a blank line between them", function()
            assert.equal("[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [7 8]]]", shown("i64", { 2, 2, 2 }))
            assert.equal("[[[[1]]]\n\n\n [[[2]]]]", shown("i64", { 2, 1, 1, 1 }))
            assert.equal("[[[[[[[[1 2]]]]]]]]", shown("i64", { 1, 1, 1, 1, 1, 1, 1, 2 }))
        end)

        it("leaves out the middle in both directions", function()
            local lines = lines_of(shown("i64", { 1000, 1000 }))
            assert.equal(11, #lines)
            assert.equal("[[      1       2       3       4 ...     997     998     999    1000]", lines[1])
            assert.equal(" ...", lines[6])
            assert.equal(" [ 999001  999002  999003  999004 ...  999997  999998  999999 1000000]]", lines[11])
        end)

        it("leaves out the middle of a few long rows", function()
            local lines = lines_of(shown("i64", { 2, 50 }))
            assert.equal(2, #lines)
            assert.matches("^%[%[ +1 +2 .* %.%.%. .* 49 +50%]$", lines[1])
            assert.matches("^ %[ *51 +52 .* %.%.%. .* 99 +100%]%]$", lines[2])
        end)

        it("shows nothing of nothing", function()
            assert.equal("[]", shown("f64", { 0 }))
            assert.equal("[]", shown("f64", { 3, 0 }))
            assert.equal("[]", shown("f64", { 0, 3, 2 }))
        end)

        it("reads few elements of many", function()
            for _, shape in ipairs { { 1 << 20, 1 << 20 }, { 1 << 15, 1 << 15, 1 << 15 }, { 999, 999, 999, 999, 999 },
                { 100, 100, 100, 100, 100, 100, 100, 100 }, { 1 << 40, 1 }, { 1, 1 << 40 } } do
                local a, seen = counted("f32", shape, function(i) return i * 0.5 end)
                local text = show(a)
                assert.is_true(seen.count <= 20 * 7 * 2 ^ (#shape - 2) * 2, seen.count)
                assert.matches("%]$", text)
            end
        end)

        it("is never wider than 80 columns", function()
            local fills = {
                i64 = function(i) return i % 2 == 0 and math.mininteger or i end,
                f64 = function(i) return (i % 3 - 1) * 1.2345678e-300 * i end,
                f32 = function(i) return i / 3 end,
                bool = function(i) return i % 2 == 0 end,
                u8 = function(i) return i % 256 end,
                u64 = function(i) return -i end,
            }
            for dtype, fill in pairs(fills) do
                for _, shape in ipairs { { 1 }, { 7 }, { 50 }, { 100 }, { 101 }, { 5000 }, { 1, 1 }, { 9, 11 },
                    { 11, 9 }, { 30, 40 }, { 4, 25 }, { 2, 50 }, { 5, 5, 5 }, { 2, 2, 25 }, { 100, 100, 100 },
                    { 1, 1, 1, 1, 1, 1, 1, 90 }, { 3, 3, 3, 3 }, { 2, 2, 2, 2, 2, 2, 2, 2 } } do
                    for _, line in ipairs(lines_of(shown(dtype, shape, fill))) do
                        assert.is_true(#line <= 80, line)
                    end
                end
            end
        end)
    end)
end)
