-- What Lua says where other languages say something else: a line for the message of a syntax error, found by the words
-- around it, and one for errors of Lua's own functions that were given arrays.

local core = require "lunarray.core"
local tokens = require "lunarray.prompt.tokens"

local language = {}

-- Patterns over the words of a line, each between blanks, strings as ""; captures stand in the text as
-- %1, %2. The first row that covers the word at which Lua stopped is taken.
local SYNTAX = {
    { " for %( ", "for i = 1, n do ... end" },
    { " from ([%w_.]+) import ", "local %1 = require \"%1\"; lun is there already" },
    { " = .- if .- else ", "c and x or y chooses; of arrays lun.where(c, x, y)" },
    { " ([%a_][%w_.]*) ([-+*/%%]/?)= ", "%1 = %1 %2 ..." },
    { " ([%a_][%w_.]*) %*%*= ", "%1 = %1 ^ ..." },
    { " ([%a_][%w_.]*) %+%+ ", "%1 = %1 + 1" },
    { " %+%+ ([%a_][%w_.]*) ", "%1 = %1 + 1" },
    { " !==? ", "'not equal' is ~= ; of arrays a:ne(b)" },
    { " === ", "equality is == ; of arrays a:eq(b)" },
    { " ([%w_.]+) %*%* ([%w_.]+) ", "a power is %1 ^ %2" },
    { " %*%* ", "a power is a ^ b" },
    { " && ", "'and' of conditions; of masks m1 & m2" },
    { " || ", "'or' of conditions; of masks m1 | m2" },
    { " ! ", "'not' of a condition; of a mask ~m" },
    { " %? ", "c and x or y chooses; of arrays lun.where(c, x, y)" },
    { " ([%a_][%w_.]*) %[ [%w_.-]* ?:", "elements first to last, both included, are %1:sub(first, last)" },
    { " ([%a_][%w_.]*) %[ [^%]]-, ", "an element is %1[i][j], a column %1:col(j), chosen rows %1:take{i, j}" },
    { "[(,] ([%a_][%w_]*) = ", "options are a table: f{%1 = ...}" },
    { " lambda ([%w_ ,]-) : ", "function(%1) return ... end" },
    { " => ", "function(x) return ... end" },
    { " import ", "a module is loaded by name = require \"name\"; lun is there already" },
    { " def ([%a_][%w_]*) ", "function %1(...) ... end" },
    { " fn ([%a_][%w_]*) ", "function %1(...) ... end" },
    { " class ", "there are no classes: a table of functions, a module or a struct (lun.struct)" },
    { " print [^(]", "print(...) takes its arguments in brackets" },
    { " elif ", "elseif ... then" },
    { " else if ", "elseif ... then" },
    { " try ", "pcall(f, ...) gives false and the error; local ok, x = pcall(f, ...)" },
    { " except ", "pcall(f, ...) gives false and the error; local ok, x = pcall(f, ...)" },
    { " with ", "local x <close> = ... ends x with its block" },
    { " for ([%a_][%w_]*) in range ", "for %1 = 1, n do ... end" },
    { " for ([%a_][%w_, ]-) in ", "for _, %1 in ipairs(list) do ... end; of an array for i, %1 in a:iter() do" },
    { " if .- :", "if ... then ... end" },
    { " while .- :", "while ... do ... end" },
    { " else :", "else ... end" },
    { " if %b()", "if ... then ... end" },
    { " while %b()", "while ... do ... end" },
    { " not in ", "a:isin(list) asks whether elements are in a list; ~m is the contrary of a mask" },
    { " is ", "equality is == ; a value that is not there is nil" },
    { " in ", "a:isin(list) asks whether elements are in a list" },
    { " del ", "x = nil drops a variable; a:free() ends an array at once" },
    { " const ", "local x <const> = ..." },
    { " let ", "local x = ..." },
    { " var ", "local x = ..." },
    { " [=(,{] %[ ", "a list is {1, 2, 3}; lun.vector{1, 2, 3} an array of it" },
    { "^ %[ ", "a list is {1, 2, 3}; lun.vector{1, 2, 3} an array of it" },
    { " return %[ ", "a list is {1, 2, 3}; lun.vector{1, 2, 3} an array of it" },
    { "[{,] \"\" :", "a table is {name = value} or {[\"a name\"] = value}" },
    { "[{,] [%a_][%w_]* :", "a table is {name = value}" },
    { " := ", "an assignment is x = ..." },
    { " < %- ", "an assignment is x = ..." },
    { " %%>%% ", "methods are chained by colons: t:filter(m):sort \"x\"" },
    { " %-> ", "a field is x.name, a method x:name()" },
    { "^ # ", "a comment begins with --" },
    { " /%* ", "a comment begins with --, a long one is --[[ ... ]]" },
    { " @ ", "a product of matrices is A:matmul(B)" },
    { " (select) [%w_*, ]- from ", "t:filter(m):select(\"x\", \"y\") takes rows and columns of a table" },
    { " %$ ", "a column is t.name or t[\"a name\"]" },
}

-- What begins a line that ends with a colon elsewhere.
local HEADS = {}
for word in ("if for while def try except else elif class with lambda"):gmatch "%a+" do
    HEADS[word] = true
end

-- The words of one line of the text, between blanks, and the places in it where the word `near` stands.
local function words_of(text, line, near)
    local parts, places, length = { " " }, {}, 1
    for _, token in ipairs(tokens.read(text)) do
        if token.line == line then
            local word = token.kind == "string" and '""' or token.text
            if token.text == near or near == "" or token.text:sub(1, #near) == near then
                places[#places + 1] = { length + 1, length + #word }
            end
            parts[#parts + 1] = word .. " "
            length = length + #word + 1
        end
    end
    return table.concat(parts), places
end

-- What replaces %1 and %2 in the text of a row.
local function filled(text, one, two)
    return (text:gsub("%%([12])", { ["1"] = tostring(one), ["2"] = tostring(two) }))
end

-- The line for a syntax error of the text; first: the number of its first line. Nil: none is known.
function language.instead(text, message, first)
    local line, near = message:match ":(%d+):.- near '(.*)'$"
    if not line then
        line, near = message:match ":(%d+):.- near (<eof>)$"
    end
    if not line then
        return nil
    end
    line = tonumber(line) - (first or 1) + 1
    if near == "<eof>" then -- the last line that has words
        near, line = "", math.min(line, #text:gsub("%s+$", ""):gsub("[^\n]", "") + 1)
    end
    local words, places = words_of(text, line, near)
    for _, row in ipairs(SYNTAX) do
        local start, stop, one, two = words:find(row[1])
        for _, place in ipairs(start and places or {}) do
            if place[1] <= stop + 1 and place[2] >= start then
                return "in Lua: " .. filled(row[2], one, two)
            end
        end
    end
end

-- The line for the message of a script that did not load; text: nil is that of the file that the message names.
function language.of_script(message, text)
    local file = not text and io.open(message:match "^(.-):%d+: " or "", "rb")
    if file then
        text = file:read "a"
        file:close()
    end
    return text and language.instead(text, message)
end

-- Whether the text, which more lines might complete, ends a line as other languages do: "for i in range(3):".
function language.ends_at_once(text)
    local word = text:match "^%s*(%a+)[^\n]*:%s*$"
    return word ~= nil and HEADS[word] == true
end

-- Patterns over messages of a running script; what is captured stands in the text as %1. The first row that fits is
-- taken.
local COLON = "a method is called with a colon: a:%1()"
local RUNNING = {
    { "bad argument #1 to '([%a_][%w_]*)' %(array expected, got n", COLON, "method" },
    { "bad argument #1 to '([%a_][%w_]*)' %(array or number expected, got n", COLON, "method" },
    { "index a function value %(field 'random'%)", 'lun.random(n, {dist = "normal"}): distributions are an option' },
    { "index a function value %(field '([%a_][%w_]*)'%)", COLON, "method" },
    { "arithmetic on a function value %(field '([%a_][%w_]*)'%)", COLON, "method" },
    { "bad argument #%d to '%+' %(array or number expected, got string", 'texts are joined by .. : "x" .. a' },
    { "to 'group' %(.* expected, got columns", 't:group("k") groups the rows of a table by its columns' },
}

local function is_method(name)
    return core.internal.methods[name] ~= nil or core.op[name] ~= nil
end

-- Which of ours takes what one of Lua's functions of numbers was given; nil: none.
local function for_arrays(message, raised, caller)
    local name
    for known, value in pairs(math) do
        name = name or (rawequal(value, raised) or rawequal(value, caller)) and known
    end
    local given = message:find " expected, got [VSC][ieco]%a+" or message:find "attempt to compare an array"
    if name and given and is_method(name) then
        local two = name == "max" or name == "min" or name == "fmod"
        return ("math.%s takes plain numbers; of arrays a:%s(%s)"):format(name, name, two and "b" or "")
    end
end

-- The line for an error of a running script, raised by a function and that one's caller. Nil: none is known.
function language.of_error(message, raised, caller)
    for _, row in ipairs(RUNNING) do
        local found, _, one = message:find(row[1])
        if found and (row[3] ~= "method" or is_method(one)) then
            return filled(row[2], one)
        end
    end
    return for_arrays(message, raised, caller)
end

-- The same where a script used a name that is not there: what it is called here, or what is near.
function language.of_name(message)
    return require("lunarray.prompt.failure").hint(message)
end

return language
