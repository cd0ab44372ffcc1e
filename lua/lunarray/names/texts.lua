-- Methods of arrays of dtype text. What is computed of texts is computed once for each different one: by the engine, or
-- here, where a script's pattern or function is asked.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local rows, row = call.rows "Texts"
local bad, internal = call.bad, core.internal

-- ---------------------------------------------------------------- arguments

local function text(x, argument)
    if type(x) ~= "string" then
        bad(argument, "string expected, got %s", internal.kind_of(x))
    elseif not utf8.len(x) or x:find("\0", 1, true) then
        bad(argument, "not UTF-8 text")
    end
    return x
end

local function texts(a, argument)
    call.array(a, argument)
    if a:dtype() ~= "text" then
        bad(argument, "text expected, got %s", call.described(a))
    end
    return a
end

local function is_texts(x)
    return core.isarray(x) and x:dtype() == "text"
end

-- ---------------------------------------------------------------- once for each value

-- An array of results by code, one for each of n values and at 1 that of a missing element, at the codes.
local function at_codes(results, codes, dtype)
    local values = {}
    for k, x in ipairs(results) do
        values[k + 1] = x
    end
    values[1] = core.na
    if #results == 0 and dtype == nil then
        dtype = "text"
    end
    return core.vector(values, dtype):take(codes + 1)
end

-- f(s, k) of each value; nil is missing.
local function by_value(a, f, dtype)
    local results = {}
    for k, s in ipairs(internal.text_values(a)) do
        local x = f(s, k)
        results[k] = x == nil and core.na or x
    end
    return at_codes(results, internal.text_slots(a):cast "i64", dtype)
end

-- Truths of values: false where an element is missing.
local FEW = 4 -- comparisons of codes that cost less than a look-up
local function mask(a, f)
    local results, those = { false }, {}
    for k, s in ipairs(internal.text_values(a)) do
        results[k + 1] = f(s) and true or false
        those[#those + 1] = results[k + 1] and k or nil
    end
    if #those >= 1 and #those <= FEW then
        local codes = internal.text_slots(a)
        local result = codes:eq(those[1])
        for k = 2, #those do
            result = result:lor(codes:eq(those[k]))
        end
        return result
    end
    return core.vector(results, "bool"):take(internal.text_slots(a):cast "i64" + 1)
end

-- f(s, t) of each pair of values that occurs, at elements of a and b, which broadcast; missing where one of them is.
local function by_pair(a, b, f, dtype)
    local x, y = internal.text_values(a), internal.text_values(b)
    local i, j = internal.text_slots(a):cast "i64", internal.text_slots(b):cast "i64"
    local width = #y + 1
    local pair = i * width + j
    local flat = select("#", pair:shape()) == 1 and pair or pair:flatten()
    local numbers, results = flat:unique(), {}
    for k, number in ipairs(numbers:totable()) do
        local s, t = x[number // width], y[number % width]
        local value
        if s and t then
            value = f(s, t)
        end
        results[k] = value == nil and core.na or value
    end
    return core.vector(results, dtype):take(numbers:searchsorted(pair))
end

-- ---------------------------------------------------------------- functions of the engine

-- A row whose function is the engine's of that name, with texts and numbers as check(...) gives them.
local function engine(name, how, what, example, gives, check)
    row(name, how, what, example, gives, check and function(a, ...)
        texts(a, 1)
        return internal.text_call(a, name, check(...))
    end or function(a)
        return internal.text_call(texts(a, 1), name)
    end)
end

engine("upper", "a:upper()", "capital letters, one code point to one, whatever the locale",
    'lun.vector{"Straße"}:upper()', "{'STRAßE'}")
engine("lower", "a:lower()", "small letters, one code point to one, whatever the locale",
    'lun.vector{"ÄB"}:lower()', "{'äb'}")

local BLANKS = " \t\n\r\f\v\u{a0}"
for _, name in ipairs { "trim", "ltrim", "rtrim" } do
    local ends = name == "trim" and "both ends" or name == "ltrim" and "the beginning" or "the end"
    row(name, ("a:%s([chars])"):format(name),
        "without the characters of chars, by default blanks, at " .. ends,
        ('lun.vector{" a "}:%s()'):format(name),
        name == "trim" and "{'a'}" or name == "ltrim" and "{'a '}" or "{' a'}",
        function(a, chars)
            return internal.text_call(texts(a, 1), name, chars == nil and BLANKS or text(chars, 2))
        end)
end

for _, name in ipairs { "lpad", "rpad" } do
    row(name, ('a:%s(n [, c=" "])'):format(name),
        ("at least n characters, filled with c at the %s"):format(name == "lpad" and "beginning" or "end"),
        ('lun.vector{"7"}:%s(3, "0")'):format(name), name == "lpad" and "{'007'}" or "{'700'}",
        function(a, n, c)
            texts(a, 1)
            call.whole(n, 2, 0, 1 << 20, "number of characters")
            c = c == nil and " " or text(c, 3)
            if utf8.len(c) ~= 1 then
                bad(3, "one character expected, got %d", utf8.len(c))
            end
            return internal.text_call(a, name, c, nil, n)
        end)
end

row("len", "a:len([{bytes=true}])", "the number of characters, i64, or of bytes", 'lun.vector{"né"}:len()', "{2}",
    function(a, options)
        texts(a, 1)
        options = call.options(options, 2, "bytes")
        return internal.text_call(a, options.bytes and "bytes" or "len")
    end)

row("substr", "a:substr(i [, j])", "characters i to j, by the rules of string.sub",
    'lun.vector{"Größe"}:substr(2, -2)', "{'röß'}",
    function(a, i, j)
        texts(a, 1)
        return internal.text_call(a, "substr", nil, nil, call.whole(i, 2), j == nil and -1 or call.whole(j, 3))
    end)

-- Masks and places of a part, a text or an array of texts.
local function parted(name, what, example, gives, pairwise, missing)
    row(name, ("a:%s(x)"):format(name), what .. "; x: a text, or an array of texts", example, gives,
        function(a, x)
            texts(a, 1)
            if not is_texts(x) then
                return internal.text_call(a, name, text(x, 2))
            end
            local result = by_pair(a, x, pairwise)
            return missing == nil and result or core.where(result:ismissing(), missing, internal.slots(result))
        end)
end

parted("contains", "whether a text is part of it", 'lun.vector{"rain", "sun"}:contains "ai"', "{true, false}",
    function(s, t) return s:find(t, 1, true) ~= nil end, false)
parted("startswith", "whether it begins so", 'lun.vector{"rain", "sun"}:startswith "s"', "{false, true}",
    function(s, t) return s:sub(1, #t) == t end, false)
parted("endswith", "whether it ends so", 'lun.vector{"rain", "sun"}:endswith "n"', "{true, true}",
    function(s, t) return t == "" or s:sub(-#t) == t end, false)
parted("find", "the first character of the first place of a text in it, i64, 0 where it is none",
    'lun.vector{"rain", "sun"}:find "n"', "{4, 3}",
    function(s, t)
        local at = s:find(t, 1, true)
        return at and utf8.len(s, 1, at - 1) + 1 or 0
    end)

row("isin", "a:isin(list)",
    "where texts are among those of a list or an array; missing ones are where lun.na is in it",
    'lun.vector{"rain", "sun"}:isin{"sun", "fog"}', "{false, true}",
    function(a, list)
        texts(a, 1)
        local set = {}
        if core.isarray(list) then
            local values = texts(list, 2):unique()
            list = values:totable()
        elseif type(list) ~= "table" then
            bad(2, "list or array of texts expected, got %s", internal.kind_of(list))
        end
        for _, s in ipairs(list) do
            set[s == core.na and s or text(s, 2)] = true
        end
        local result = mask(a, function(s) return set[s] end)
        return set[core.na] and result:lor(a:ismissing()) or result
    end)

row("replace", "a:replace(old, new [, n]), a:replace{old = new, ...}",
    "each old in it, or the first n, replaced by new, plain; of a table: whole texts",
    'lun.vector{"FR", "DE"}:replace{FR = "France"}', "{'France', 'DE'}",
    function(a, old, new, n)
        texts(a, 1)
        if type(old) == "table" then
            for from, to in pairs(old) do
                text(from, 2)
                text(to, 2)
            end
            return by_value(a, function(s) return old[s] or s end, "text")
        end
        return internal.text_call(a, "replace", text(old, 2), text(new, 3), n == nil and -1 or call.whole(n, 4, 0))
    end)

local function separator(sep)
    if text(sep, 2) == "" then
        bad(2, "a separator expected, got an empty text")
    end
    return sep
end

row("part", "a:part(sep, i)", "the i-th piece between separators, negative from the end; missing where there is none",
    'lun.vector{"2012-05"}:part("-", -1)', "{'05'}",
    function(a, sep, i)
        return internal.text_call(texts(a, 1), "part", separator(sep), nil, call.whole(i, 3))
    end)

row("split", "a:split(sep, n)",
    "n arrays of the pieces between separators, the last one with the rest; missing where there are fewer",
    '(lun.vector{"a-b-c"}:split("-", 2))', "{'a'}",
    function(a, sep, n)
        texts(a, 1)
        separator(sep)
        call.whole(n, 3, 1, 1000, "number of arrays")
        local pieces = {}
        for k, s in ipairs(internal.text_values(a)) do
            local list, from = {}, 1
            while #list < n - 1 do
                local i, j = s:find(sep, from, true)
                if not i then
                    break
                end
                list[#list + 1] = s:sub(from, i - 1)
                from = j + 1
            end
            list[#list + 1] = s:sub(from)
            pieces[k] = list
        end
        local arrays = {}
        for i = 1, n do
            arrays[i] = by_value(a, function(_, k) return pieces[k][i] end, "text")
        end
        return table.unpack(arrays)
    end)

-- ---------------------------------------------------------------- patterns and functions of a script

local function pattern(p, argument)
    text(p, argument)
    local ok, why = pcall(string.find, "", p)
    if not ok then
        bad(argument, "%s", tostring(why):gsub("^.-:%d+: ", ""))
    end
    return p
end

row("matches", "a:matches(p)", "whether a Lua pattern matches", 'lun.vector{"a1", "b"}:matches "%d"', "{true, false}",
    function(a, p)
        texts(a, 1)
        pattern(p, 2)
        return mask(a, function(s) return s:find(p) end)
    end)

-- The result s of a value is UTF-8, or that is a mistake.
local function checked(s, of, what)
    if s ~= nil and not utf8.len(s) then
        bad(2, "%s of '%s' is not UTF-8 text: utf8.charpattern matches one character", what, of)
    end
    return s
end

row("match", "a:match(p [, group=1])",
    "the first match of a Lua pattern, or that capture of it; missing where it does not match",
    'lun.vector{"no 17"}:match "%d+"', "{'17'}",
    function(a, p, group)
        texts(a, 1)
        pattern(p, 2)
        group = group == nil and 1 or call.whole(group, 3, 1, 32)
        return by_value(a, function(s)
            local x = select(group, s:match(p))
            return x ~= nil and checked(tostring(x), s, "the match") or nil
        end, "text")
    end)

row("gsub", "a:gsub(p, r [, n])", "string.gsub of each text; r: a text, a table or a function",
    'lun.vector{"a1b2"}:gsub("%d", "")', "{'ab'}",
    function(a, p, r, n)
        texts(a, 1)
        pattern(p, 2)
        if type(r) ~= "string" and type(r) ~= "table" and type(r) ~= "function" then
            bad(3, "string, table or function expected, got %s", internal.kind_of(r))
        end
        return by_value(a, function(s)
            return checked((s:gsub(p, r, n)), s, "the result")
        end, "text")
    end)

row("map", "a:map(f)",
    "f(s) of each different text, called once for it: a text, a number, a boolean, or nil, which is missing",
    'lun.vector{"a", "bc"}:map(function(s) return #s end)', "{1, 2}",
    function(a, f)
        texts(a, 1)
        if type(f) ~= "function" then
            bad(2, "function expected, got %s", internal.kind_of(f))
        end
        local kind
        return by_value(a, function(s)
            local x = f(s)
            local own = type(x)
            if own ~= "nil" and own ~= "string" and own ~= "number" and own ~= "boolean" then
                bad(2, "the function gives a %s of '%s': a text, a number, a boolean or nil expected", own, s)
            elseif own ~= "nil" and kind and own ~= kind then
                bad(2, "the function gives a %s of '%s', and a %s before", own, s, kind)
            end
            kind = own ~= "nil" and own or kind
            return x
        end)
    end)

-- ---------------------------------------------------------------- numbers

-- f(x) of each different number of x, at its elements: texts.
local function of_numbers(x, f)
    local values, at = x:unique_inverse()
    local results, numbers = {}, values:totable()
    local gone = values:ismissing():totable()
    for k, number in ipairs(numbers) do
        results[k] = gone[k] and core.na or f(number)
    end
    return core.vector(results, "text"):take(at)
end

-- The texts of a as numbers; errors: "raise" or "missing".
local function from_text(a, dtype, errors)
    local known = dtypes.by_name[dtype]
    local kind, made = known.kind
    if kind == "bool" then
        made = internal.text_call(a, "truth")
    elseif kind == "float" then
        made = internal.text_call(a, "real")
    else
        made = internal.text_call(a, "integer", nil, nil, 8 * known.bytes, kind == "signed" and 1 or 0)
    end
    if errors == "raise" then
        local wrong = made:ismissing():land(a:notna())
        local flat = select("#", wrong:shape()) == 1 and wrong or wrong:flatten()
        if flat:any() then
            local i = flat:argmax()
            bad(1, 'row %d: \'%s\' is no %s; {errors="missing"} makes it missing', i,
                (select("#", a:shape()) == 1 and a or a:flatten())[i], dtype)
        end
    end
    return core.cast(made, dtype)
end

row("cast", 'a:cast(dtype [, {errors="raise"}])',
    'the numbers that texts are, blanks around them allowed; with errors="missing" what is none is missing',
    'lun.vector{"1", " 2.5"}:cast "f64"', "{1.0, 2.5}",
    function(a, dtype, options)
        call.array(a, 1)
        local known = dtypes.by_name[dtype]
        if known and known.kind == "time" then
            return require("lunarray.names.times").converted(a, dtype, options)
        end
        options = call.options(options, 3, "errors")
        local errors = options.errors or "raise"
        call.word(errors, 3, "raise missing", "option errors")
        if dtype == "text" then
            return is_texts(a) and internal.copy_later(a) or internal.number_texts(a)
        end
        call.dtype(dtype, 2)
        return from_text(texts(a, 1), dtype, errors)
    end)

local function as_texts(x, argument)
    if type(x) == "string" then
        return core.vector { text(x, argument) }
    elseif type(x) == "number" then
        return core.vector { tostring(x) }
    end
    call.array(x, argument)
    return is_texts(x) and x or internal.number_texts(x, "")
end

row("..", "a .. x", "the texts one behind the other, element by element; x: a text, a number, or an array",
    'lun.vector{"a"} .. "b"', "{'ab'}",
    function(a, b)
        if type(b) == "string" or type(b) == "number" then
            return internal.text_call(as_texts(a, 1), "suffix", text(tostring(b), 2))
        elseif type(a) == "string" or type(a) == "number" then
            return internal.text_call(as_texts(b, 2), "prefix", text(tostring(a), 1))
        end
        return by_pair(as_texts(a, 1), as_texts(b, 2), function(s, t) return s .. t end, "text")
    end)

row("format", "a:format(f)", "numbers as texts by one conversion of string.format", 'lun.vector{1.5}:format "%05.2f"',
    "{'01.50'}",
    function(x, form)
        call.array(x, 1)
        if is_texts(x) then
            bad(1, "numbers expected, got %s", call.described(x))
        elseif type(form) ~= "string" or not pcall(string.format, form, 0) then
            bad(2, "a conversion of string.format expected, got %s", tostring(form))
        end
        local kind = dtypes.by_name[x:dtype()].kind
        if form:find(kind == "float" and "^%%[-+ #0]*%d*%.?%d*[eEfFgGaA]$" or "^%%[-+ #0]*%d*%.?%d*[dixXo]$")
            and x:dtype() ~= "u64" then
            return internal.number_texts(x, form)
        end
        return of_numbers(x, function(number) return form:format(number) end)
    end)

return rows
