-- Arrays of dtype text: what moves, compares and orders elements carries the dtype, against a model in plain Lua, whose
-- arrays are lists with NA for a missing element; everything else refuses it by name.

local core = require "lunarray.core"
local lun = require "lunarray"

local NA = lun.na
local WORDS = { "", "a", "ab", "rain", "Rain", "sun", "a text of more than twelve bytes", "Ä", "日本", "🙂", "z" }

-- A list of n words, some missing, that is the same each time.
local function words(n, seed, gaps)
    local list, x = {}, seed
    for i = 1, n do
        x = (x * 1103515245 + 12345) % 2147483648
        local k = x // 65536 % (gaps and #WORDS + 2 or #WORDS) + 1
        list[i] = WORDS[k] or NA
    end
    return list
end

local function same(expected, a)
    assert.equal("text", a:dtype())
    assert.same(expected, a:totable())
end

local function map(list, f)
    local result = {}
    for i, x in ipairs(list) do
        result[i] = f(x, i)
    end
    return result
end

-- a < b of texts by bytes, without the locale's order.
local function before(a, b)
    for i = 1, math.min(#a, #b) do
        if a:byte(i) ~= b:byte(i) then
            return a:byte(i) < b:byte(i)
        end
    end
    return #a < #b
end

local function sorted(list)
    local there, gone = {}, {}
    for _, x in ipairs(list) do
        table.insert(x == NA and gone or there, x)
    end
    table.sort(there, before)
    return table.move(gone, 1, #gone, #there + 1, there)
end

local function fails(text, f, ...)
    local ok, e = pcall(f, ...)
    assert.is_false(ok)
    assert.truthy(tostring(e):find(text, 1, true), tostring(e))
end

describe("text arrays", function()
    it("are made of strings and read", function()
        local list = words(200, 1, true)
        local a = lun.vector(list)
        same(list, a)
        assert.equal(#list, #a)
        for i, x in a:iter() do
            assert.equal(list[i] ~= NA and list[i] or nil, x)
        end
        same({ { "a", NA }, { "", "b" } }, lun.vector { { "a", NA }, { "", "b" } })
        same({ "1", "2.5", NA, "true" }, lun.vector({ 1, 2.5, NA, true }, "text"))
        assert.equal("f64", lun.vector({ NA }):dtype())
        same({}, lun.vector({}, "text"))
        assert.equal("x", lun.vector({ "x" }):value())
        fails("t[2] is a string among numbers", lun.vector, { 1, "a" })
        fails("t[2] is a number among strings", lun.vector, { "a", 1 })
        fails("numbers or booleans expected", lun.vector, { "1" }, "f64")
    end)

    it("are UTF-8 without NUL", function()
        for _, s in ipairs { "\0", "a\0b", "\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
            "\xf5\x80\x80\x80", "\xf0\x80\x80\x80", "\xe2\x82" } do
            fails("element 2 is not UTF-8 text", lun.vector, { "a", s })
        end
        for _, s in ipairs { "\x7f", "\u{80}", "\u{7ff}", "\u{800}", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}",
            "\u{10ffff}" } do
            same({ s }, lun.vector { s })
        end
    end)

    it("are printed", function()
        local a = lun.vector { "drizzle", "rain", NA, 'a "b"\n\1' }
        assert.truthy(tostring(a):find('["drizzle" "rain" <NA> "a \\"b\\"\\n\\1"]', 1, true), tostring(a))
        assert.truthy(tostring(a):find("^Vector<text>%[4%] "))
        assert.truthy(tostring(lun.vector { ("x"):rep(100) }):find('["xxxxx', 1, true))
        assert.is_nil(tostring(lun.vector { ("x"):rep(100) }):find(("x"):rep(80), 1, true))
        assert.truthy(tostring(lun.vector { { "a", NA }, { "bcd", "é" } }):find('[["a"   <NA> ]\n ["bcd" "é"  ]]', 1, true))
    end)

    it("carry their dtype where elements move", function()
        for seed = 1, 5 do
            local list = words(30, seed, seed % 2 == 0)
            local a = lun.vector(list)
            same(table.move(list, 4, 20, 1, {}), a:sub(4, 20))
            same(map({ 30, 1, 7 }, function(i) return list[i] end), a:take { 30, 1, 7 })
            same({ list[2], NA }, a:take({ 2, 0 }, { missing = NA }))
            local short = map(list, function(x) return x ~= NA and #x < 3 end)
            local kept = {}
            for i, x in ipairs(list) do
                kept[#kept + 1] = short[i] and x or nil
            end
            same(kept, a:compress(lun.vector(short)))
            same(list, a:reshape(5, 6):flatten())
            same(list, a:reshape(5, 6):transpose():transpose():flatten())
            same(map(list, function(_, i) return list[(i - 1) // 6 + (i - 1) % 6 * 5 + 1] or NA end),
                a:reshape(6, 5):transpose():flatten():take(lun.vector(map(list, function(_, i)
                    local r, c = (i - 1) // 6, (i - 1) % 6
                    return r * 6 + c + 1
                end))))
            same(map(list, function(_, i) return list[i - 2] or NA end), a:shift(2))
            same({ NA, list[1], list[2], NA, NA }, a:sub(1, 2):pad { { 1, 2 } })
            same(table.move(list, 1, 30, 31, { table.unpack(list) }), lun.concat { a, a })
            local other = words(30, seed + 50)
            local b = lun.vector(other)
            same(table.move(other, 1, 30, 31, { table.unpack(list) }), lun.concat { a, b })
            same({ list, other }, lun.stack { a, b })
            same(map(list, function(x, i) return short[i] and x or other[i] end), lun.where(lun.vector(short), a, b))
            same(map(list, function(x, i) return short[i] and x or "new" end), lun.where(lun.vector(short), a, "new"))
            same(map(list, function(x, i) return short[i] and NA or x end), lun.where(lun.vector(short), NA, a))
            same(map(list, function(x) return x == NA and "none" or x end), a:fillna(lun.vector { "none" }))
        end
    end)

    it("are compared by bytes", function()
        local list, other = words(60, 7, true), words(60, 8, true)
        local a, b = lun.vector(list), lun.vector(other)
        local tests = {
            eq = function(x, y) return x == y end, lt = before, gt = function(x, y) return before(y, x) end,
            le = function(x, y) return not before(y, x) end, ge = function(x, y) return not before(x, y) end,
        }
        for name, holds in pairs(tests) do
            assert.same(map(list, function(x, i) return x ~= NA and other[i] ~= NA and holds(x, other[i]) end),
                a[name](a, b):totable())
            for _, word in ipairs { "rain", "Ä", "not there", "" } do
                assert.same(map(list, function(x) return x ~= NA and holds(x, word) end), a[name](a, word):totable())
                assert.same(map(list, function(x) return x ~= NA and holds(word, x) end),
                    lun[name](word, a):totable())
            end
        end
        assert.equal(1, a:eq("rain"):pending()) -- a comparison of codes, whatever the text
        assert.equal(1, a:ne("not there"):pending())
        assert.same(map(list, function(x) return x == NA or x ~= "rain" end), a:ne("rain"):totable())
        assert.same(map(list, function(x, i) return not (x ~= NA and x == other[i]) end), a:ne(b):totable())
        assert.same(map(list, function(x) return x == NA end), a:isna():totable())
        assert.same({ { true, false }, { false, true } },
            lun.vector({ { "a", "b" }, { "c", "a" } }):eq("a"):totable())
    end)

    it("are ordered, numbered and grouped", function()
        for seed = 1, 6 do
            local list = words(40, seed, seed % 2 == 0)
            local a = lun.vector(list)
            local inorder = sorted(list)
            same(inorder, a:sort())
            same(inorder, a:take(a:argsort()))
            local values, counts, seen = {}, {}, {}
            for _, x in ipairs(inorder) do
                if not seen[x] then
                    values[#values + 1] = x
                    seen[x] = #values
                end
                counts[seen[x]] = (counts[seen[x]] or 0) + 1
            end
            local v, n = a:unique()
            same(values, v)
            assert.same(counts, n:totable())
            local there = inorder
            while there[#there] == NA do
                there[#there] = nil
            end
            assert.equal(there[1], a:min())
            assert.equal(there[#there], a:max())
            assert.equal(there[1], a[a:argmin()])
            local codes, levels = a:codes(), a:levels()
            assert.equal("u32", codes:dtype())
            assert.same(map(list, function(x) return x == NA and 0 or seen[x] end), codes:totable())
            assert.same(table.move(values, 1, seen[NA] and #values - 1 or #values, 1, {}), levels:totable())
            local found = lun.vector(there):searchsorted(lun.vector { "rain", "", "zz" })
            for i, x in ipairs { "rain", "", "zz" } do
                local at = 1
                while there[at] and before(there[at], x) do
                    at = at + 1
                end
                assert.equal(at, found[i])
            end
        end
    end)

    it("are keys and values of groups and joins", function()
        local list, other = words(50, 3, true), words(20, 9, true)
        local a, x = lun.vector(list), lun.index(50)
        local sums, order = {}, {}
        for i, s in ipairs(list) do
            if not sums[s] then
                order[#order + 1] = s
            end
            sums[s] = (sums[s] or 0) + i
        end
        order = sorted(order)
        local g = lun.group(a)
        same(order, g:keys())
        assert.same(map(order, function(s) return sums[s] end), g:sum(x):totable())
        local parts = lun.group(lun.vector(map(list, function(_, i) return i % 3 end)))
        for name, pick in pairs {
            first = function(there) return there[1] end, last = function(there) return there[#there] end,
            min = function(there) return sorted(there)[1] end, max = function(there) return sorted(there)[#there] end,
        } do
            local expected = {}
            for k = 0, 2 do
                local there = {}
                for i, s in ipairs(list) do
                    there[#there + 1] = i % 3 == k and s ~= NA and s or nil
                end
                expected[k + 1] = pick(there)
            end
            same(expected, parts[name](parts, a))
        end
        local pairs_of = {}
        for i, s in ipairs(list) do
            for j, t in ipairs(other) do
                pairs_of[#pairs_of + 1] = s ~= NA and s == t and { i, j } or nil
            end
        end
        local i, j = lun.join(a, lun.vector(other))
        assert.same(map(pairs_of, function(p) return p[1] end), i:totable())
        assert.same(map(pairs_of, function(p) return p[2] end), j:totable())
        fails("keys of text and i64 are not compared", lun.join, a, x)
        local codes, levels = lun.factor(a)
        same(list, levels:take(codes, { missing = NA }))
        assert.truthy(tostring(lun.table { s = a }):find("text", 1, true))
    end)

    it("are written, also through windows, and copies keep what they had", function()
        local a = lun.vector { "a", "b", "c", "d" }
        local old, w = a:copy(), a:sub(2, 3)
        a[2] = "new text that is long"
        w[2] = NA
        same({ "a", "new text that is long", NA, "d" }, a)
        same({ "a", "b", "c", "d" }, old)
        w:set(lun.vector { "x", "y" })
        same({ "a", "x", "y", "d" }, a)
        a:fill "all"
        same({ "all", "all", "all", "all" }, a)
        a:fill(NA)
        same({ NA, NA, NA, NA }, a)
        local m = lun.vector { { "a", "b" }, { "c", "d" } }
        m[2] = "row"
        same({ { "a", "b" }, { "row", "row" } }, m)
        local s = lun.vector({ "b", "a" }):sort()
        s[1] = "changed"
        same({ "changed", "b" }, s)
        fails("text; cast the text", function() a[1] = 3 end)
        fails("text", function() lun.vector({ 1, 2 })[1] = "a" end)
        fails("not UTF-8 text", function() a[1] = "\xff" end)
    end)

    it("have codes of one, two and four bytes", function()
        local list = {}
        for i = 1, 70000 do
            list[i] = "k" .. i
        end
        local a = lun.vector(list)
        assert.equal(70000, a:nunique())
        same({ "k1", "k70000" }, a:take { 1, -1 })
        local b = lun.vector { "x", "y" }
        for i = 1, 300 do
            b[1] = "v" .. i
        end
        same({ "v300", "y" }, b)
        local c = lun.concat { b, a }
        same({ "v300", "y", "k1" }, c:sub(1, 3))
    end)

    it("are written a hundred thousand times in linear time and collected", function()
        local a = lun.vector { "x", "y", "z" }
        for i = 1, 100000 do
            a[i % 3 + 1] = "value " .. i % 1000
        end
        same({ "value 999", "value 0", "value 998" }, a)
        for i = 1, 2000 do
            local b = lun.vector { "a" .. i, "b" }:sort():sub(1, 1)
            assert.equal("a" .. i, b[1])
        end
        collectgarbage()
    end)

    it("are refused by name by all that does not take them", function()
        local a = lun.vector { "a", "b" }
        fails([[bad argument #1 to '+' (text and i64; cast the text with :cast "f64")]], function() return a + 1 end)
        fails([[bad argument #2 to '-' (i64 and text; cast the text with :cast "f64")]], function() return 1 - a end)
        fails([[(text and i64; cast the text with :cast "f64")]], function() return a:lt(3) end)
        fails([[(i64 and text; cast the text with :cast "f64")]], function() return lun.vector({ 1, 2 }):eq(a) end)
        for op in pairs(lun.op) do
            local call = core[op]
            local name, _, arity = core.internal.describe(lun.op[op])
            local takes = ("lt le gt ge eq ne isnan where"):find("%f[%w]" .. name .. "%f[%W]")
            if not takes and arity == 1 then
                fails([[text; cast the text]], call, a, nil)
            elseif not takes and arity == 2 then
                fails([[text and text; cast the text]], lun.op[op], a, a)
            elseif not takes then
                fails([[text, text and text; cast the text]], lun.op[op], a, a, a)
            end
        end
        for _, name in ipairs { "sum", "prod", "mean", "var", "std", "any", "all", "count", "norm", "cumsum", "median" } do
            fails("text", function() return a[name](a) end)
            fails("text", function() return lun.vector({ "a", NA })[name](lun.vector { "a", NA }) end)
        end
        fails("text", lun.map(function(x) return x end), a)
        fails("text", function() return a:scan "+" end)
        fails("text", function() return a:dot(a) end)
        fails("text", function() return a:matmul(a) end)
        fails("text", function() return a:histogram() end)
        fails("text", function() return a:tobytes() end)
        fails("text", function() return a:put({ 1 }, 1) end)
        fails("text", function() return a:shift(1, { edge = 0 }) end)
        fails("text", function() return a:take({ 0 }, { missing = 1 }) end)
        fails("text", function() return lun.concat { a, lun.vector { 1 } } end)
        fails("text", function() return lun.where(lun.vector { true, false }, a, 1) end)
        fails("text", function() return lun.zeros(3, "text") end)
        fails("text", function() return lun.save("/nonexistent/a.npy", a) end)
    end)

    it("count in the engine's memory and obey its limit", function()
        collectgarbage()
        local was = lun.stats().allocated
        local a = lun.vector { ("x"):rep(1 << 20) }
        assert.is_true(lun.stats().allocated >= was + (1 << 20))
        assert.equal(1 << 20, #a[1])
        a:free()
        assert.is_true(lun.stats().allocated < was + (1 << 20))
    end)
end)
