-- JSON: the grammar of RFC 8259 beside Python's json module (python_json.lua), tables from lines, lists and objects of
-- lists, what is refused and where, and what lun.save writes.
local expect = require "expect"
local lun = require "lunarray"
local shell = require "shell"

local directory
local na = lun.na

local function path_of(name) return directory .. "/" .. name end

local function write(text, name)
    return shell.write(path_of(name or "t.jsonl"), text)
end

local function load(text, opts, name)
    return lun.load(write(text, name), opts)
end

-- The message of a failure without the path, and its code.
local function failure(text, opts, name)
    local t, message, code = load(text, opts, name)
    assert.is_nil(t)
    return message:sub(#directory + 2 + #(name or "t.jsonl: ") + (name and 2 or 0)), code
end

setup(function() directory = shell.scratch() end)
teardown(function() shell.discard(directory) end)

describe("lun.json.decode", function()
    -- Whether two values are the same, types of numbers and marks of objects included.
    local function same(a, b)
        if type(a) ~= type(b) or math.type(a) ~= math.type(b) then
            return false
        elseif type(a) ~= "table" then
            return rawequal(a, b) and (a ~= 0 or 1 / a == 1 / b) or a ~= a and b ~= b
        end
        for key in pairs(a) do
            if b[key] == nil then
                return false
            end
        end
        for key, x in pairs(b) do
            if not same(a[key], x) then
                return false
            end
        end
        return next(a) ~= nil or getmetatable(a) == getmetatable(b)
    end

    it("reads and refuses what Python does", function()
        local read, refused = 0, 0
        for _, case in ipairs(require "file.python_json") do
            local text, want = case[1], case[2]
            local got, message, code = lun.json.decode(text)
            if want == nil then
                assert.is_nil(got, text)
                assert.matches("^line %d+, column %d+: ", message)
                assert.equal("format", code)
                refused = refused + 1
            else
                assert(same(got, want), text)
                assert(same(lun.json.decode(lun.json.encode(got)), got) or lun.json.encode(got):find "null", text)
                assert(same(lun.json.decode(lun.json.encode(got, { indent = 3 })), got) or lun.json.encode(got):find "null", text)
                read = read + 1
            end
        end
        assert(read > 500 and refused > 500)
    end)

    it("reads every text cut short as a fault", function()
        local text = '{"a":[1,-2.5e3,"x\\u00e9\\n\\ud83d\\ude00",true,null],"b":{"c":[[]]}}'
        for n = 0, #text - 1 do
            local value, message = lun.json.decode(text:sub(1, n))
            assert.is_nil(value)
            assert.matches("^line 1, column %d+: ", message)
        end
        assert.is_table(lun.json.decode(text))
    end)

    it("says line and column in characters", function()
        local function message(text) return (select(2, lun.json.decode(text))) end
        assert.equal("line 2, column 8: a number has no 0 before its other digits", message '[1,\n "éé", 01]')
        assert.equal("line 1, column 1: there is no value; the text is empty", message "")
        assert.equal("line 1, column 4: a comma or the end of the object or list is expected", message "[1 2")
        assert.equal("line 1, column 4: comments are no JSON", message "[1,// x\n2]")
        assert.equal("line 1, column 3: no comma stands before the end of an object or list", message "[1,]")
        assert.equal("line 1, column 2: texts and keys are in double quotes", message "{'a':1}")
        assert.equal("line 1, column 3: a control character in a text; it is written as an escape, such as \\n or \\u0001",
            message '"a\1"')
        assert.equal("line 1, column 2: half of a surrogate pair, which is no character", message '"\\ud800"')
        assert.equal("line 1, column 8: a key that the object has already", message '{"a":1,"a":2}')
        assert.equal("line 1, column 3: not UTF-8", message '"a\xff"')
        assert.equal("line 1, column 1: not UTF-8", message "\255\254[\0")
        assert.equal("line 1, column 2: text behind the end of the value", message "1x")
    end)

    it("takes a byte order mark and 512 levels, and no more", function()
        assert.equal(1, lun.json.decode "\239\187\191[1]"[1])
        assert.is_table(lun.json.decode(("["):rep(512) .. ("]"):rep(512)))
        assert.matches("column 513: more than 512 lists", (select(2, lun.json.decode(("["):rep(513)))))
        assert.matches("more than 512", (select(2, lun.json.decode(('{"a":'):rep(100000)))))
    end)

    it("has null in lists, and none in objects", function()
        local x = lun.json.decode '[null, {"a": null, "b": [null]}]'
        assert.equal(lun.json.null, x[1])
        assert.is_nil(x[2].a)
        assert.equal("[null]", lun.json.encode(x[2].b))
        assert.equal("null", tostring(lun.json.null))
        assert.equal('{"b":[]}', lun.json.encode(lun.json.decode '{"b":[],"c":null}'))
        assert.equal("{}", lun.json.encode(lun.json.decode '{"c":null,"d":null}'))
    end)

    it("refuses what is no text", function()
        expect.failure("bad argument #1 to 'decode' (text expected, got nil)", lun.json.decode, nil)
        expect.failure("bad argument #1 to 'decode' (text expected, got table)", lun.json.decode, {})
    end)
end)

describe("lun.json.encode", function()
    it("writes values of Lua", function()
        local e = lun.json.encode
        assert.equal('{"a":1,"b":[1.5,true,null,"x"],"c":{}}', e { b = { 1.5, true, lun.json.null, "x" }, a = 1,
            c = lun.json.object {} })
        assert.equal("[]", e {})
        assert.equal("[9223372036854775807,-9223372036854775808,1e+300,0.1,-0.0,null,null]",
            e { math.maxinteger, math.mininteger, 1e300, 0.1, -0.0, 1 / 0, 0 / 0 })
        assert.equal('"\\u0000\\u001f\\"\\\\/\\n\127é"', e "\0\31\"\\/\n\127é")
        assert.equal('{\n  "a": [\n    1,\n    2\n  ],\n  "b": []\n}', e({ a = { 1, 2 }, b = {} }, { indent = 2 }))
        assert.equal("{}", e(lun.json.object {}))
        assert.equal("null", e(nil))
    end)

    it("writes arrays as nested lists, tables as objects of lists", function()
        local e = lun.json.encode
        assert.equal("[[1,2,3],[4,5,6]]", e(lun.index(6):reshape(2, 3)))
        assert.equal("[18446744073709551615]", e(lun.vector({ -1 }, "i64"):cast "u64"))
        assert.equal('["a",null]', e(lun.vector { "a", na }))
        assert.equal("[null,2.5]", e(lun.vector { na, 2.5 }))
        assert.equal('["2024-01-05"]', e(lun.vector { "2024-01-05" }:cast "date"))
        assert.equal('["2024-01-05T10:00:00.250000"]', e(lun.vector { "2024-01-05 10:00:00.25" }:cast "timestamp"))
        assert.equal('{"x":[1,2],"s":["a","b"]}', e(lun.table({ x = lun.index(2), s = { "a", "b" } }, { "x", "s" })))
        assert.equal("3", e(lun.index(2):sum()))
    end)

    it("refuses what JSON has not, by its place", function()
        local e, loop = lun.json.encode, {}
        loop.a = { loop }
        expect.failure("the value.a[1] contains itself", e, loop)
        expect.failure("the value.f[2] is a function, which JSON has not", e, { f = { 1, print } })
        expect.failure("the value has both numbers and texts as keys", e, { 1, a = 2 })
        expect.failure("the value has the key true", e, { [true] = 1 })
        expect.failure("the value[1] is no UTF-8 text", e, { "\255" })
        expect.failure("a key of the value is no UTF-8 text", e, { ["\255"] = 1 })
        expect.failure("unknown option 'ident'", e, {}, { ident = 2 })
        expect.failure("bad argument #2 to 'encode'", e, {}, { indent = -1 })
        expect.failure("bad argument #1 to 'object'", lun.json.object, 1)
        local deep = {}
        for _ = 1, 600 do deep = { deep } end
        expect.failure("more than 512 lists and objects", e, deep)
    end)
end)

describe("a table of JSON", function()
    local LINES = '{"a":1,"b":"x","c":true}\n\n{"b":"","a":-2,"d":null}\r\n{"c":false,"e":1.5}'

    it("comes from lines, a list and an object of lists", function()
        local t = load(LINES)
        assert.same({ "a", "b", "c", "d", "e" }, t:names())
        assert.same({ "i64", "text", "bool", "f64", "f64" }, t:dtypes())
        assert.same({ 1, -2, na }, t.a:totable { missing = na })
        assert.same({ "x", "", na }, t.b:totable { missing = na })
        assert.same({ true, na, false }, t.c:totable { missing = na })
        assert.same({ true, true, true }, t.d:ismissing():totable())
        local list = "[" .. LINES:gsub("}\r?\n+", "},\n") .. "]"
        assert.is_true(t == load(list, nil, "t.json"))
        assert.is_true(t == load("\239\187\191 " .. list, nil, "t.json"))
        assert.is_true(t == load(LINES, { form = "lines" }, "t.json"))
        assert.is_true(t == load('{"a":[1,-2,null],"b":["x","",null],"c":[true,null,false],\n"d":[null,null,null],'
            .. '"e":[null,null,1.5]}', nil, "t.json"))
    end)

    it("may have no rows, no columns, one value", function()
        assert.equal(0, #load "")
        assert.equal(0, #load("[]", nil, "t.json"))
        assert.equal(0, #load("{}", nil, "t.json"))
        assert.equal(2, #load "{}\n{}\n")
        local t = load('{"a":[],"b":[]}', nil, "t.json")
        assert.same({ "a", "b" }, t:names())
        assert.equal(0, #t)
        assert.same({ 7 }, load('{"a":7}').a:totable())
        assert.equal("there is no value; the text is empty", (failure(" \n", nil, "t.json"):gsub("^line 2, column 1: ", "")))
    end)

    it("has integers exactly or not at all", function()
        local t = load '{"a":9007199254740993,"b":18446744073709551615,"c":-9223372036854775808,"d":-0,"e":-0.0}\n'
        assert.same({ "i64", "u64", "i64", "i64", "f64" }, { t.a:dtype(), t.b:dtype(), t.c:dtype(), t.d:dtype(), t.e:dtype() })
        assert.equal(9007199254740993, t.a[1])
        assert.equal("[18446744073709551615]", lun.json.encode(t.b))
        assert.equal(math.mininteger, t.c[1])
        assert.equal(1 / 0, 1 / t.d[1])
        assert.equal(-1 / 0, 1 / t.e[1])
        assert.matches("^line 1, column 6: column 'a': this integer is beyond u64", (failure '{"a":18446744073709551616}'))
        assert.matches("^line 2, column 6: column 'a' has numbers with a fraction, and this integer is beyond 2%^53",
            (failure '{"a":1.5}\n{"a":9007199254740993}\n'))
        assert.matches("^line 1, column 6: column 'a' has numbers with a fraction", (failure '{"a":9007199254740993}\n{"a":1.5}\n'))
        assert.matches("^line 2, column 6: column 'a' has numbers below 0", (failure '{"a":-1}\n{"a":18446744073709551615}\n'))
        assert.same({ 1.5, 2.0 ^ 53 }, load('{"a":1.5}\n{"a":9007199254740993}\n', { dtypes = { a = "f64" } }).a:totable())
        assert.equal(1e30, load('{"a":1000000000000000000000000000000}', { dtypes = { a = "f64" } }).a[1])
        assert.same({ 1.0, 2.5 }, load '{"a":1}\n{"a":2.5}'.a:totable())
    end)

    it("reads NaN and infinities, and the float nearest to a number", function()
        local t = load '{"a":NaN}\n{"a":Infinity}\n{"a":-Infinity}\n{"a":1e999}\n{"a":0.1}\n{"a":5e-324}'
        assert.is_true(t.a[1] ~= t.a[1])
        assert.same({ 1 / 0, -1 / 0, 1 / 0, 0.1, 5e-324 }, t.a:sub(2, 6):totable())
    end)

    it("has one class of values in a column", function()
        assert.matches([[^line 2, column 6: column 'a' is a number before and a text here; {dtypes = {a = "text"}}]],
            (failure '{"a":1}\n{"a":"x"}\n'))
        assert.matches("^line 3, column 13: column 'a' is a text before and a truth value here",
            (failure '{"a":"x"}\n{}\n{ "b":1,"a":true}\n'))
        local t = load('{"a":1.50}\n{"a":"x"}\n{"a":true}\n{"a":null}\n{"a":1e2}', { dtypes = { a = "text" } })
        assert.same({ "1.50", "x", "true", na, "1e2" }, t.a:totable { missing = na })
    end)

    it("refuses objects and lists by name, or takes their text", function()
        local message, code = failure '{"a":1,"b": {"c":1}}'
        assert.matches("^line 1, column 13: column 'b' has an object or a list here", message)
        assert.equal("unsupported", code)
        local t = load('{"a":1,"b": {"c": [1, 2]} }\n{"a":2,"b":"x"}', { nested = "text" })
        assert.same({ '{"c": [1, 2]}', "x" }, t.b:totable())
        assert.same({ 1, 2 }, load('{"a":1,"b": {"c": [1, 2]} }\n{"a":2,"b":[]}', { columns = { "a" } }).a:totable())
        assert.matches("^line 1, column 11", (failure('{"a":1,"b"{}}', { columns = { "a" } })))
        assert.matches("more than 512", (failure('{"a":' .. ("["):rep(600), { columns = { "b" } })))
    end)

    it("takes texts that are all dates or all times as such", function()
        local t = load('{"d":"2024-01-05","s":"2024-01-05T10:00:00.5","z":"2024-01-05T10:00:00+02:00","m":"2024-01-05"}\n'
            .. '{"d":"1969-12-31","s":"0001-01-01 00:00:00","z":"2024-01-05T10:00:00Z","m":"x"}\n{}')
        assert.same({ "date", "timestamp", "timestamp", "text" }, t:dtypes())
        assert.same({ "2024-01-05", "1969-12-31", na }, t.d:cast "text":totable { missing = na })
        assert.same({ "2024-01-05 08:00:00", "2024-01-05 10:00:00", na }, t.z:cast "text":totable { missing = na })
        assert.equal("text", load('{"d":"2024-01-05"}', { dates = false }).d:dtype())
        assert.equal("text", load '{"d":"2024-01-05"}\n{"d":"2024-01-05T10:00:00"}'.d:dtype())
        assert.equal("text", load '{"d":" 2024-01-05"}'.d:dtype())
    end)
end)
