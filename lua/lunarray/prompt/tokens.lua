-- The tokens of Lua text, and those that other languages have in their place: what the prompt must know of an input
-- that it does not run. Nothing here fails: what is no token of any kind is one of its own.

local tokens = {}

-- Of two characters and more, longest first; those of other languages are no sequences of Lua's.
local LONG = {
    "...", "//=", "**=", "<<=", ">>=", "===", "!==", "%>%",
    "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>",
    "!=", "+=", "-=", "*=", "/=", "%=", "**", "&&", "||", "++", "->", "=>", ":=", "/*",
}
local OPENS = { ["("] = true, ["["] = true, ["{"] = true, ["function"] = true, ["do"] = true, ["then"] = true,
    ["repeat"] = true }
local CLOSES = { [")"] = true, ["]"] = true, ["}"] = true, ["end"] = true, ["until"] = true, ["elseif"] = true,
    ["else"] = true }
local REOPENS = { ["else"] = true }

-- The end of the quoted string that starts at pos; #text + 1 if it is not closed.
local function string_end(text, pos)
    local quote = text:sub(pos, pos)
    local at = pos
    repeat
        at = text:find("[\\\n" .. quote .. "]", at + 1)
        local escaped = at and text:sub(at, at) == "\\"
        if escaped then
            at = at + 1
        end
    until not escaped
    return at or #text + 1
end

-- Kind and last position of the token at pos, which is no blank.
local function token_at(text, pos)
    local level = text:match("^%-%-%[(=*)%[", pos) or text:match("^%[(=*)%[", pos)
    local comment = text:find("^%-%-", pos)
    if level then
        local _, last = text:find("]" .. level .. "]", pos, true)
        return comment and "comment" or "string", last or #text
    elseif comment then
        return "comment", (text:find("\n", pos, true) or #text + 1) - 1
    elseif text:find("^[\"']", pos) then
        return "string", string_end(text, pos)
    elseif text:find("^[%a_]", pos) then
        return "name", select(2, text:find("^[%w_]+", pos))
    elseif text:find("^%.?%d", pos) then
        local _, last = text:find("^%.?%d[%w.]*", pos)
        while text:find("^[eEpP]$", last) or text:sub(last, last):find "[eEpP]" and text:find("^[+-]%d", last + 1) do
            last = select(2, text:find("^[+-]%d[%w.]*", last + 1))
        end
        return "number", last
    end
    for _, sign in ipairs(LONG) do
        if text:sub(pos, pos + #sign - 1) == sign then
            return "sign", pos + #sign - 1
        end
    end
    return "sign", pos + #(text:match("^[\0-\x7f\xc2-\xfd][\x80-\xbf]*", pos) or " ") - 1
end

-- The tokens of the text without its comments, in order: kind ("name", "number", "string" or "sign"; keywords are
-- names), text, first and last position, open: a quoted string that does not end, line from 1, and depth, the number of
-- brackets and blocks that are open before it; that of a token that closes one is the depth outside.
function tokens.read(text)
    local list, depth, line, pos = {}, 0, 1, 1
    while true do
        local first = text:find("%S", pos)
        line = line + select(2, text:sub(pos, (first or #text + 1) - 1):gsub("\n", ""))
        if not first then
            return list
        end
        local kind, last = token_at(text, first)
        local open = last > #text
        last = math.min(last, #text)
        local part = text:sub(first, last)
        if kind ~= "comment" then
            if kind ~= "string" and CLOSES[part] then
                depth = depth - 1
            end
            list[#list + 1] = { kind = kind, text = part, first = first, last = last, open = open, line = line,
                depth = depth }
            if kind ~= "string" and (OPENS[part] or REOPENS[part]) then
                depth = depth + 1
            end
        end
        line = line + select(2, part:gsub("\n", ""))
        pos = last + 1
    end
end

return tokens
