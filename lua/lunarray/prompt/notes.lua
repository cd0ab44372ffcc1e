-- What Lua answers without asking an array: '==' with a string is false, 'and' takes any array as true, an assignment
-- drops the reason of a failure. An input is compiled so that the operands of such an operator pass through a
-- function, once each, which notes what readers of other languages do not expect.

local core = require "lunarray.core"
local records = require "lunarray.base.records"
local tokens = require "lunarray.prompt.tokens"

local notes = {}

local INSTEAD = { ["and"] = "m1 & m2 combines masks", ["or"] = "m1 | m2 combines masks", ["not"] = "~m inverts a mask",
    ["if"] = "m:any() and m:all() give true or false", ["while"] = "m:any() and m:all() give true or false" }
local COMPARES = { ["=="] = { "false", "eq" }, ["~="] = { "true", "ne" } }
local ORDERS = { ["<"] = true, [">"] = true, ["<="] = true, [">="] = true }
local BINARY = {}
for sign in ("+ - * / // % ^ & | ~ << >> .."):gmatch "%S+" do
    BINARY[sign] = true
end

local function is_columns(x)
    return records.struct_of(x) ~= nil or core.isarray(x)
end

-- ---------------------------------------------------------------- what is noted

-- The function that an input's operands pass through; it adds to the list.
function notes.watcher(list)
    local function compare(sign, a, b, shown)
        local one, other = is_columns(a), is_columns(b)
        if one ~= other then
            local x = one and b or a
            list[#list + 1] = ("'%s' of an array and a %s is always %s; a:%s%s compares elements"):format(
                sign, type(x) == "userdata" and "value" or type(x), COMPARES[sign][1], COMPARES[sign][2],
                shown or "(x)")
        end
        if sign == "==" then
            return a == b
        end
        return a ~= b
    end
    return function(sign, ...)
        if COMPARES[sign] then
            return compare(sign, ...)
        end
        local x, reason, code = ...
        if sign == "=" then
            if x == nil and type(reason) == "string" and code ~= nil then
                list[#list + 1] = reason
            end
            return ...
        elseif is_columns(x) then
            list[#list + 1] = ("Lua takes any array as true; %s"):format(INSTEAD[sign])
        end
        return x
    end
end

-- ---------------------------------------------------------------- what is rewritten

-- Texts to insert before positions of an input, in the order in which they stand at one position.
local function insert(edits, position, text, dropped)
    edits[#edits + 1] = { at = position, text = text, dropped = dropped or 0, order = #edits }
end

local function apply(text, edits)
    table.sort(edits, function(a, b)
        if a.at == b.at then
            return a.order < b.order
        end
        return a.at < b.at
    end)
    local parts, pos = {}, 1
    for _, edit in ipairs(edits) do
        parts[#parts + 1] = text:sub(pos, edit.at - 1)
        parts[#parts + 1] = edit.text
        pos = edit.at + edit.dropped
    end
    parts[#parts + 1] = text:sub(pos)
    return table.concat(parts)
end

-- The tokens first .. last as the operand of a call of the chunk's argument.
local function begin_watch(edits, token, sign)
    insert(edits, token.first, ("(...)(%q, ("):format(sign))
end

local function end_watch(edits, token)
    insert(edits, token.last + 1, "))")
end

local rewrite

-- The operands between the words, each but the last one watched.
local function rewrite_words(edits, list, first, last, word)
    local begin = first
    for i = first, last do
        if list[i].depth == 0 and list[i].text == word and i > begin then
            begin_watch(edits, list[begin], word)
            rewrite(edits, list, begin, i - 1)
            end_watch(edits, list[i - 1])
            begin = i + 1
        end
    end
    rewrite(edits, list, begin, last)
end

-- How the other operand is written behind a:eq: as it stands if it is one word.
local function shown(list, first, last)
    local one = first == last and list[first]
    return one and (one.kind == "string" and " " .. one.text or one.kind == "number" and ("(%s)"):format(one.text))
end

local function rewrite_comparison(edits, list, first, last, at)
    local other = shown(list, at + 1, last) or shown(list, first, at - 1)
    begin_watch(edits, list[first], list[at].text)
    insert(edits, list[at].first, "), (", #list[at].text)
    insert(edits, list[last].last + 1, other and ("), %q)"):format(other) or "))")
end

-- Watches the operands of the expression of these tokens; operators within brackets are left alone.
function rewrite(edits, list, first, last)
    local found, compares, binary = {}, 0, false
    for i = first, last do
        local token = list[i]
        if token.depth == 0 and token.kind ~= "string" then
            if COMPARES[token.text] or ORDERS[token.text] then
                compares = compares + 1
            end
            found[token.text] = found[token.text] or i
            binary = binary or i > first and token.kind == "sign" and BINARY[token.text]
        end
    end
    local at = found["=="] or found["~="]
    if found[","] then
        return
    elseif found["or"] or found["and"] then
        rewrite_words(edits, list, first, last, found["or"] and "or" or "and")
    elseif at and compares == 1 and at > first and at < last then
        rewrite_comparison(edits, list, first, last, at)
    elseif found["not"] == first and first < last and not binary then
        begin_watch(edits, list[first + 1], "not")
        end_watch(edits, list[last])
    end
end

-- Watches all results of what is assigned to one variable.
local function rewrite_assignment(edits, list, first, last)
    local ends = list[last]
    if ends.text ~= ")" and ends.text ~= "}" and ends.kind ~= "string" then
        return
    end
    for i = first, last - 1 do
        local token = list[i]
        if token.depth == 0 and token.text == "=" then
            for k = i + 1, last do
                if list[k].depth == 0 and list[k].text == "," then
                    return
                end
            end
            insert(edits, list[i + 1].first, '(...)("=", ')
            insert(edits, ends.last + 1, ")")
            return
        elseif token.depth == 0 and token.text == "," then
            return
        end
    end
end

-- Watches the condition of an `if` or `while`.
local function rewrite_condition(edits, list, first, last)
    local word = list[first].text
    for i = first + 2, last do
        if list[i].depth == 0 and (list[i].text == "then" or list[i].text == "do") then
            begin_watch(edits, list[first + 1], word)
            end_watch(edits, list[i - 1])
            return
        end
    end
end

-- The text of an input as a chunk that calls its argument with what is to be noted, nil where its arguments are used;
-- is_expression: its last statement is one. Lines stay where they are.
function notes.rewrite(text, is_expression)
    local list, edits, first = tokens.read(text), {}, 1
    while #list > 0 and list[#list].text == ";" do
        list[#list] = nil
    end
    for i = 1, #list + 1 do
        local ends = i > #list
        if not ends and list[i].text == "..." then
            return nil
        elseif ends or list[i].depth == 0 and list[i].text == ";" then
            local word = first < i and list[first].text
            if word and ends and is_expression then
                insert(edits, list[first].first, "return ")
                rewrite(edits, list, first, i - 1)
            elseif word == "if" or word == "while" then
                rewrite_condition(edits, list, first, i - 1)
            elseif word then
                rewrite_assignment(edits, list, first, i - 1)
            end
            first = i + 1
        end
    end
    return apply(text, edits)
end

return notes
