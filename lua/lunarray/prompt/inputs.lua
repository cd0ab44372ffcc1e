-- What the lines typed at the prompt are: an expression, statements, a question for help, or the beginning of more
-- lines; and the chunks of them. Nothing is run here.

local language = require "lunarray.prompt.other_languages"
local notes = require "lunarray.prompt.notes"
local tokens = require "lunarray.prompt.tokens"

local inputs = {}

local MOST_ENDS = 100 -- of statements in one text, behind which its last expression is looked for
local PATH = "[%a_][%w_.]*"

-- Loads a text whose first line has that number in the session, as Lua counts the lines of a file.
local function load_at(line, text)
    return load(("\n"):rep(line - 1) .. text, "=stdin", "t")
end

-- ---------------------------------------------------------------- questions

-- The name that a text asks help of: "a?", "w.x:mean?" or a method without a call; nil for other texts.
function inputs.asks_for(text)
    return text:match("^%s*=?%s*(" .. PATH .. ":?[%w_]*)%s*%?%s*$")
        or text:match("^%s*=?%s*(" .. PATH .. ":[%a_][%w_]*)%s*$")
end

-- The inputs of a pasted transcript, whose lines begin with the prompt's marks, without these and without results; any
-- other text as it is.
function inputs.without_marks(text)
    if not text:find "^%s*>>?%s" then
        return text
    end
    local kept = {}
    for line in text:gmatch "[^\n]+" do
        kept[#kept + 1] = line:match "^%s*>>? (.*)$"
    end
    return table.concat(kept, "\n")
end

-- ---------------------------------------------------------------- chunks

-- The positions at which statements of the text end, the last one first: semicolons and lines.
local function statement_ends(text)
    local ends = {}
    for _, token in ipairs(tokens.read(text)) do
        if token.text == ";" and token.depth == 0 then
            ends[#ends + 1] = token.first
        end
    end
    for position in text:gmatch "()\n" do
        ends[#ends + 1] = position
    end
    table.sort(ends, function(a, b)
        return a > b
    end)
    return ends
end

-- The text whose last statement, an expression, is its result; or nil. The statements before must be complete without
-- it; is_statement: the whole text is a chunk as it is.
local function with_value(text, is_statement)
    for i, position in ipairs(statement_ends(text)) do
        local before, last = text:sub(1, position), text:sub(position + 1)
        local start = last:match "^%s*(%S%S?)"
        local operand = is_statement and before:sub(-1) == "\n" -- of what stands before it
        if i > MOST_ENDS then
            return nil
        elseif start and start ~= "--" and start:sub(1, 1) ~= ";"
            and not (operand and start:find "^[%(%[{\"'~:-]")
            and load("return " .. last, "=stdin", "t") and load(before, "=stdin", "t") then
            return before .. "return " .. last
        end
    end
end

-- The chunk, with its operands watched where that says more: it then calls `watch`.
local function watched(text, is_expression, line, chunk, watch)
    local rewritten = watch and notes.rewrite(text, is_expression)
    local noting = rewritten and load_at(line, rewritten)
    return noting and function()
        return noting(watch)
    end or chunk
end

-- The chunk of a text whose first line is number `line` of the session; or nil, the message, and whether more lines may
-- complete it. watch: what notes.watcher gives, nil: nothing is watched.
function inputs.compile(text, line, watch)
    local expression = text:match "^%s*=(.*)$" or text
    local valid = load_at(line, "return " .. expression)
    if valid then
        return watched(expression, true, line, valid, watch)
    elseif expression ~= text then
        text = "return " .. expression
    end
    local chunk, message = load_at(line, text)
    local value = with_value(text, chunk ~= nil)
    local valued = value and load_at(line, value)
    if valued or chunk then
        return watched(text, valued ~= nil, line, valued or chunk, watch)
    end
    return nil, message, message:sub(-5) == "<eof>" and not language.ends_at_once(text)
end

-- The inputs of a text of several lines that is no chunk as a whole: a pasted dialogue.
function inputs.split(text)
    local list, pending = {}, nil
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        pending = pending and pending .. "\n" .. line or line
        local chunk, _, more = inputs.compile(pending, 1)
        if (chunk or not more) and not pending:find "^%s*$" then -- blank lines belong to the next input
            list[#list + 1] = pending
            pending = nil
        end
    end
    if pending and not pending:find "^%s*$" then
        list[#list + 1] = pending
    end
    return list
end

-- Whether a text is an expression.
function inputs.is_expression(text)
    return load("return " .. text, "=stdin", "t") ~= nil
end

-- One chunk of several inputs, so that locals of one are those of the next; it calls its argument with the results of
-- each expression but the last. Nil if that is not possible.
function inputs.join(list, line)
    local parts = {}
    for i, input in ipairs(list) do
        if not inputs.is_expression(input) then
            parts[i] = input
        elseif i == #list then
            parts[i] = "return " .. input
        else
            parts[i] = "(...)(" .. input .. ")"
        end
    end
    return (load_at(line, table.concat(parts, "\n;")))
end

return inputs
