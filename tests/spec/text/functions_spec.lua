-- Functions of texts: against plain Lua, one element at a time, and values that Python gave (str.upper and str.lower of
-- Python 3.10, Unicode 14.0.0; where these give several code points the simple mapping of UnicodeData.txt).

local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local NA = lun.na
local LIST = { "Rain", " sun ", NA, "Straße", "", "a-b-c", "-", "\u{a0}x\u{a0}", "日本語", "🙂 🙂", "Rain", "aaa",
    "a text of more than twelve bytes", "12", "x1y22" }
local CASES = {
    { "a", "A", "a" },
    { "Z", "Z", "z" },
    { "ß", "ß", "ß" },
    { "ä", "Ä", "ä" },
    { "Ä", "Ä", "ä" },
    { "é", "É", "é" },
    { "É", "É", "é" },
    { "ñ", "Ñ", "ñ" },
    { "Ñ", "Ñ", "ñ" },
    { "œ", "Œ", "œ" },
    { "Œ", "Œ", "œ" },
    { "ÿ", "Ÿ", "ÿ" },
    { "Ÿ", "Ÿ", "ÿ" },
    { "ǅ", "Ǆ", "ǆ" },
    { "ǆ", "Ǆ", "ǆ" },
    { "Ǉ", "Ǉ", "ǉ" },
    { "ı", "I", "ı" },
    { "İ", "İ", "i" },
    { "ſ", "S", "ſ" },
    { "Σ", "Σ", "σ" },
    { "σ", "Σ", "σ" },
    { "ς", "Σ", "ς" },
    { "ω", "Ω", "ω" },
    { "Ω", "Ω", "ω" },
    { "ж", "Ж", "ж" },
    { "Ж", "Ж", "ж" },
    { "я", "Я", "я" },
    { "Я", "Я", "я" },
    { "ᾀ", "ᾈ", "ᾀ" },
    { "ᾈ", "ᾈ", "ᾀ" },
    { "ⓐ", "Ⓐ", "ⓐ" },
    { "ⓩ", "Ⓩ", "ⓩ" },
    { "Ⓐ", "Ⓐ", "ⓐ" },
    { "ａ", "Ａ", "ａ" },
    { "Ａ", "Ａ", "ａ" },
    { "𐐀", "𐐀", "𐐨" },
    { "𐐨", "𐐀", "𐐨" },
    { "Ⴀ", "Ⴀ", "ⴀ" },
    { "ⴀ", "Ⴀ", "ⴀ" },
    { "ა", "Ა", "ა" },
    { "ꭰ", "Ꭰ", "ꭰ" },
    { "ꮿ", "Ꮿ", "ꮿ" },
    { "日", "日", "日" },
    { "ẞ", "ẞ", "ß" },
}
local ALL_UPPER, ALL_LOWER = 3120927673, 430952080

local function each(f)
    local result = {}
    for i, s in ipairs(LIST) do
        result[i] = f(s)
    end
    return result
end

-- f of each text, missing where there is none.
local function values(f)
    return each(function(s)
        if s == NA then
            return NA
        end
        local x = f(s)
        return x == nil and NA or x
    end)
end

local function truths(f)
    return each(function(s) return s ~= NA and f(s) and true or false end)
end

local function fails(text, f, ...)
    local ok, e = pcall(f, ...)
    assert.is_false(ok)
    assert.truthy(tostring(e):find(text, 1, true), tostring(e))
end

-- All characters of a text, a list.
local function characters(s)
    local list = {}
    for _, c in utf8.codes(s) do
        list[#list + 1] = utf8.char(c)
    end
    return list
end

local BLANK = {}
for _, c in ipairs { " ", "\t", "\n", "\r", "\f", "\v", "\u{a0}" } do
    BLANK[c] = true
end

local function trimmed(s, left, right)
    local list = characters(s)
    local first, last = 1, #list
    while left and first <= last and BLANK[list[first]] do
        first = first + 1
    end
    while right and last >= first and BLANK[list[last]] do
        last = last - 1
    end
    return table.concat(list, "", first, last)
end

local function sub(s, i, j)
    local list, plain = characters(s), {}
    for k = 1, #list do
        plain[k] = "x"
    end
    local marks = table.concat(plain)
    local first = i < 0 and math.max(#list + i + 1, 1) or math.max(i, 1)
    return table.concat(list, "", first, first + #marks:sub(i, j) - 1)
end

describe("functions of texts", function()
    local a = lun.vector(LIST)
    local shapes = { a, lun.concat { lun.vector { "junk" }, a }:sub(2), a:reshape(3, 5):transpose():transpose():flatten() }

    it("change case as Unicode says, one code point to one", function()
        for _, case in ipairs(CASES) do
            assert.equal(case[2], lun.vector({ case[1] }):upper()[1])
            assert.equal(case[3], lun.vector({ case[1] }):lower()[1])
        end
        local points = {}
        for c = 1, 0x1ffff do
            if c < 0xd800 or c >= 0xe000 then
                points[#points + 1] = utf8.char(c)
            end
        end
        local all = lun.vector(points)
        for name, expected in pairs { upper = ALL_UPPER, lower = ALL_LOWER } do
            local h = 0
            for _, s in ipairs(all[name](all):totable()) do
                h = (h * 31 + utf8.codepoint(s)) % (1 << 32)
            end
            assert.equal(expected, h)
        end
    end)

    it("are those of plain Lua on every element", function()
        for _, x in ipairs(shapes) do
            local function check(expected, result)
                assert.same(expected, result:totable())
            end
            check(values(function(s) return trimmed(s, true, true) end), x:trim())
            check(values(function(s) return trimmed(s, true, false) end), x:ltrim())
            check(values(function(s) return trimmed(s, false, true) end), x:rtrim())
            check(values(function(s) return (s:gsub("^[a-c]+", ""):gsub("[a-c]+$", "")) end), x:trim "cab")
            check(values(utf8.len), x:len())
            check(values(string.len), x:len { bytes = true })
            check(values(function(s) return ("*"):rep(7 - utf8.len(s)) .. s end), x:lpad(7, "*"))
            check(values(function(s) return s .. ("é"):rep(7 - utf8.len(s)) end), x:rpad(7, "é"))
            for _, range in ipairs { { 2, -1 }, { -3, -2 }, { 0, 2 }, { 3, 100 }, { -100, 2 }, { 5, 2 }, { -2, -1 } } do
                check(values(function(s) return sub(s, range[1], range[2]) end), x:substr(range[1], range[2]))
            end
            for _, part in ipairs { "a", "", "-", "aa", "語", "not there", "a text of more than twelve bytes" } do
                check(truths(function(s) return s:find(part, 1, true) end), x:contains(part))
                check(truths(function(s) return s:sub(1, #part) == part end), x:startswith(part))
                check(truths(function(s) return part == "" or s:sub(-#part) == part end), x:endswith(part))
                check(values(function(s)
                    local at = s:find(part, 1, true)
                    return at and utf8.len(s, 1, at - 1) + 1 or 0
                end), x:find(part))
            end
            check(values(function(s) return (s:gsub("a", "AA")) end), x:replace("a", "AA"))
            check(values(function(s) return (s:gsub("a", "", 1)) end), x:replace("a", "", 1))
            check(values(function(s) return s == "Rain" and "rain" or s end), x:replace { Rain = "rain" })
            check(truths(function(s) return s:find "%d$" end), x:matches "%d$")
            check(values(function(s) return s:match "%d+" end), x:match "%d+")
            check(values(function(s) return select(2, s:match "(%a)(%d)") end), x:match("(%a)(%d)", 2))
            check(values(function(s) return (s:gsub("%d", "<%0>")) end), x:gsub("%d", "<%0>"))
            check(values(function(s) return "<" .. s .. ">" end), "<" .. x .. ">")
            check(values(function(s) return s .. s end), x .. x)
            check(values(function(s) return #s > 3 and s or nil end), x:map(function(s) return #s > 3 and s or nil end))
            check(values(string.len), x:map(string.len))
            check(each(function(s) return s == "Rain" or s == "12" end), x:isin { "Rain", "12", "none" })
            check(each(function(s) return s == "Rain" or s == NA end), x:isin { "Rain", NA })
        end
    end)

    it("take texts that broadcast", function()
        local b = lun.vector { { "a", "" }, { NA, "ab" } }
        assert.same({ { true, true }, { false, false } }, b:contains(lun.vector { { "a", "" }, { "a", "x" } }):totable())
        assert.same({ { "a1", "2" }, { NA, "ab2" } }, (b .. lun.vector { "1", "2" }):totable())
        assert.same({ { 1, 1 }, { NA, 2 } }, b:find(lun.vector { { "", "" }, { "", "b" } }):totable())
        assert.same({ "id1", "id2" }, ("id" .. lun.vector { 1, 2 }):totable())
        assert.same({ 1, 2 }, (lun.vector { 1 } .. lun.vector { 2 }):totable())
    end)

    it("split at separators", function()
        local b = lun.vector { "2012-05-17", "x", NA, "", "-" }
        local y, m, d = b:split("-", 3)
        assert.same({ "2012", "x", NA, "", "" }, y:totable())
        assert.same({ "05", NA, NA, NA, "" }, m:totable())
        assert.same({ "17", NA, NA, NA, NA }, d:totable())
        assert.same({ "05-17", NA, NA, NA, "" }, select(2, b:split("-", 2)):totable())
        assert.same({ "17", "x", NA, "", "" }, b:part("-", -1):totable())
        assert.same({ "05", NA, NA, NA, "" }, b:part("-", 2):totable())
        assert.same({ NA, NA, NA, NA, NA }, b:part("-", 4):totable())
    end)

    it("call a function once for each different text", function()
        local seen = {}
        lun.vector({ "a", "b", "a", NA, "a" }):map(function(s)
            seen[#seen + 1] = s
            return s
        end)
        table.sort(seen)
        assert.same({ "a", "b" }, seen)
    end)

    it("cast to numbers and back", function()
        local b = lun.vector { "1", " 2.5 ", "-3e2", "nan", "-inf", NA }
        local x = b:cast "f64"
        assert.same({ 1.0, 2.5, -300.0 }, x:sub(1, 3):totable())
        assert.same({ false, false, false, false, false, true }, x:ismissing():totable())
        assert.is_true(x[4] ~= x[4] and x[5] == -math.huge)
        assert.same({ 1, -2, NA }, lun.vector({ "+1", "-2", NA }):cast("i16"):totable())
        assert.same({ true, false }, lun.vector({ "true", "False" }):cast("bool"):totable())
        assert.same({ "9223372036854775807" }, lun.vector({ "9223372036854775807" }):cast("i64"):cast("text"):totable())
        assert.same({ "18446744073709551615", "9223372036854775808", "7" },
            lun.vector({ -1, math.mininteger, 7 }):cast("u64"):cast("text"):totable())
        assert.same({ "n18446744073709551615" }, ("n" .. lun.vector({ -1 }):cast "u64"):totable())
        for dtype, word in pairs { i64 = "abc", u8 = "256", i8 = "-129", f64 = "0x10", f32 = "1 2", bool = "yes", i32 = "1.5",
            u64 = "-1" } do
            local two = lun.vector { dtype == "bool" and "true" or "1", word }
            fails(("row 2: '%s' is no %s"):format(word, dtype), function() return two:cast(dtype) end)
            assert.same({ false, true }, two:cast(dtype, { errors = "missing" }):ismissing():totable())
        end
        assert.same({ 1 }, lun.vector({ "x", "1" }):sub(2):cast("i64"):totable()) -- 'x' is not among the elements
        for _, number in ipairs { 0.1, 1 / 3, 1e300, -0.0, 5e-324, 123456789.0, 2 ^ 53 } do
            local s = lun.vector({ number }):cast("text")[1]
            assert.equal(number, tonumber(s))
        end
        assert.same({ "1", NA, "3" }, lun.vector({ 1, NA, 3 }):cast("text"):totable())
        assert.same({ "0.1", "2.0" }, lun.vector({ 0.1, 2 }, "f32"):cast("text"):totable())
        assert.same({ "01.50", NA }, lun.vector({ 1.5, NA }):format("%05.2f"):totable())
    end)

    it("name what is wrong with their arguments", function()
        fails("bad argument #1 to 'contains' (string expected, got number)", function() return a:contains(3) end)
        fails("bad argument #2 to 'lpad' (one character expected, got 2)", function() return a:lpad(3, "xy") end)
        fails("bad argument #1 to 'match' (unfinished capture", function() return a:match "(" end)
        fails("bad argument #1 to 'split' (a separator expected", function() return a:split("", 2) end)
        fails("utf8.charpattern", function() return a:gsub("ß", "\xff") end)
        fails("the function gives a table of 'Rain'", function() return a:map(function() return {} end) end)
        fails("the function gives a string of", function()
            return lun.vector({ "a", "b" }):map(function(s) return s == "a" and 1 or s end)
        end)
        fails("boom", function() return a:map(function() error "boom" end) end)
        fails("unknown option 'on_error'", function() return a:cast("i64", { on_error = 1 }) end)
        fails("not UTF-8 text", function() return a:contains "\xff" end)
        fails("text expected, got i64[1]", function() return lun.vector({ 1 }):upper() end)
    end)

    it("have examples that give what they say", function()
        local texts = require "lunarray.names.texts"
        for _, row in ipairs(texts.list) do
            local x = load("return " .. row.example, "=example", "t", { lun = lun })()
            local parts = {}
            for i, s in ipairs(x:totable()) do
                parts[i] = type(s) == "string" and "'" .. s .. "'" or expect.text(s)
            end
            assert.equal(row.gives, "{" .. table.concat(parts, ", ") .. "}", row.example)
        end
    end)

    it("cast to text are another array", function()
        local one = lun.vector { "a", "b" }
        local other = one:cast "text"
        other[1] = "z"
        assert.same({ "a", "z" }, { one[1], other[1] })
    end)

    it("run in loops, in a sandbox and within a limit of memory", function()
        for i = 1, 3000 do
            local b = lun.vector { "a" .. i, "b" }:upper():len()
            assert.equal(#tostring(i) + 1, b[1])
        end
        local path = os.tmpname()
        local f = assert(io.open(path, "w"))
        f:write [[
            local s = ("x"):rep(1000000)
            print(lun.vector{"b", "a"}:upper():sort()[1])
            local ok, e = pcall(function()
                local a = lun.vector{s}
                for _ = 1, 12 do
                    a = a .. a
                end
                return #a[1]
            end)
            print(ok, tostring(e):find "memory" ~= nil)]]
        f:close()
        local out = shell.capture(("timeout 120 %s --sandbox --memory-limit 60 %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.equal("A\nfalse\ttrue\n", out)
    end)
end)
