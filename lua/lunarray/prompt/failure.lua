-- An error as the prompt shows it: its message, the user's part of the traceback, and a suggestion for a misspelt name.

local complete = require "lunarray.prompt.complete"
local core = require "lunarray.core"
local foreign = require "lunarray.prompt.other_names"
local guess = require "lunarray.prompt.guess"
local is_module = require("lunarray.base.scope").is_module
local language = require "lunarray.prompt.other_languages"

local failure = {}

local getinfo, getlocal, getupvalue = debug.getinfo, debug.getlocal, debug.getupvalue
local DEEPEST = 200 -- levels that are searched
local SHOWN = 12 -- of them shown

-- ---------------------------------------------------------------- the traceback

-- The user's levels of the stack, innermost first: those above the call of `stop` and outside of the module's files.
local function user_levels(first, stop)
    local levels = {}
    for level = first, first + DEEPEST do
        local info = getinfo(level, "Slnf")
        if not info or info.func == stop then
            break
        end
        local ours = info.source:find "^@lua/lunarray/"
        if not ours and (info.what ~= "C" or #levels > 0) then
            levels[#levels + 1] = info
        end
    end
    return levels
end

local function level_text(info)
    local place = info.what == "C" and "[C]" or ("%s:%d"):format(info.short_src, info.currentline)
    if info.what == "main" then
        return place .. ": in main chunk"
    elseif info.name and info.name ~= "" then
        return ("%s: in %s '%s'"):format(place, info.namewhat ~= "" and info.namewhat or "function", info.name)
    end
    return ("%s: in function <%s:%d>"):format(place, info.short_src, info.linedefined)
end

-- The lines of the traceback; none if it would only name the prompt.
local function trace(levels)
    local lines = {}
    if #levels == 0 or #levels == 1 and levels[1].what == "main" then
        return lines
    end
    for i, info in ipairs(levels) do
        if #levels > SHOWN and i == SHOWN - 1 then
            lines[#lines + 1] = ("... %d more"):format(#levels - SHOWN + 1)
        elseif #levels <= SHOWN or i < SHOWN or i == #levels then
            lines[#lines + 1] = level_text(info)
        end
    end
    return lines
end

-- ---------------------------------------------------------------- did you mean

-- The value of a name in a running function: a local, an upvalue or a global.
local function scope(f)
    return function(name)
        local found
        local level = 1
        while getinfo(level, "f") and getinfo(level, "f").func ~= f do
            level = level + 1
        end
        for i = 1, 250 do
            local known, value = getlocal(level, i)
            if not known then
                break
            elseif known == name then
                found = value -- the last one of that name is the visible one
            end
        end
        for i = 1, 250 do
            local known, value = getupvalue(f, i)
            if found ~= nil or not known then
                break
            elseif known == name then
                found = value
            end
        end
        if found == nil then
            found = complete.global(name)
        end
        return found
    end
end

-- The line of source of the level; typed: the lines of stdin.
local function source_line(info, typed)
    local wanted = info.currentline
    if info.source == "=stdin" then
        return typed[wanted] or ""
    end
    local file = info.source:sub(1, 1) == "@" and io.open(info.source:sub(2), "rb")
    if not file then
        return ""
    end
    local _ <close> = file
    for line in file:lines() do
        wanted = wanted - 1
        if wanted == 0 then
            return line
        end
    end
    return ""
end

-- The value before the dot or colon of a misspelt name in that line, and how it is written; nil if that is not clear.
local function owner(kind, name, line, first)
    local mark = kind == "method" and ":" or "%."
    local path = line:match("([%a_][%w_%.]*)%s*" .. mark .. "%s*" .. name .. "%f[^%w_]")
    if path then
        local parts = {}
        for part in path:gmatch "[%w_]+" do
            parts[#parts + 1] = part
        end
        return complete.resolve(parts, first), path
    elseif line:find("[\"']%)?%s*:%s*" .. name .. "%f[^%w_]") then
        return "" -- any text
    end
end

-- The hint for a name of ours, or of another library, used where it is not defined; nil for other names. A name that is
-- not called may be a variable's, which is like no method.
local function known_elsewhere(kind, name, value)
    local place = foreign.here(name)
    local here = is_module(value) and "lun." or core.isarray(value) and "a:" or ""
    local is_variable = kind == "global"
    if place and place ~= here .. name and not (is_variable and place:find "^a:") then
        return ("did you mean '%s'?"):format(place)
    elseif not is_variable or foreign.code(name) == "lun" then
        return foreign.hint(name)
    end
end

-- "did you mean 'pairs'?" for an undefined name: a global, a global function, or a field or method of `value`, which is
-- written as `path`; without a value of a call's result. Nil if nothing is close.
function failure.meant(kind, name, value, path)
    local ours = value == nil or is_module(value) or core.isarray(value)
    local known = ours and known_elsewhere(kind, name, value)
    if known then
        return known
    end
    local names = {}
    if kind == "global" or kind == "function" then
        names = complete.names(_G)
    elseif value ~= nil then
        names = complete.names(value, kind == "method")
    elseif kind == "method" then -- of a call or a constructor
        local of_strings = complete.names ""
        names = complete.names(core.internal.methods)
        table.move(of_strings, 1, #of_strings, #names + 1, names)
    end
    local near = guess.nearest(name, names)
    if near then
        local mark = kind == "method" and ":" or "."
        return ("did you mean '%s'?"):format(path and path .. mark .. near or near)
    end
end

-- The hint for an error's message, nil for none. info: of the user's innermost function.
local function hint(message, info, typed)
    local verb = message:match "no column '([%a_][%w_]*)'"
    if verb and info and info.what ~= "C" then
        local line = source_line(info, typed)
        if line == "" or line:find(":%s*" .. verb .. "%s*[({\"'%[]") then
            return foreign.table_hint(verb)
        end
        return nil
    end
    local kind, name = message:match "%(([a-z]+) '([%a_][%w_]*)'%)"
    if not info or info.what == "C" or not message:find "nil value" or
        kind ~= "global" and kind ~= "field" and kind ~= "method" then
        return nil
    elseif kind == "global" then
        return foreign.constant(name) or failure.meant(message:find "attempt to call" and "function" or kind, name)
    end
    return failure.meant(kind, name, owner(kind, name, source_line(info, typed), scope(info.func)))
end

-- ---------------------------------------------------------------- the whole

-- The message of the value that was raised.
function failure.text(value)
    local meta = debug.getmetatable(value)
    if type(value) == "string" or type(value) == "number" or type(meta) == "table" and meta.__tostring then
        local ok, text = pcall(tostring, value)
        return ok and text or "(error object whose text could not be produced)"
    elseif type(value) == "table" and type(rawget(value, "message")) == "string" then
        return rawget(value, "message")
    end
    return ("(error object is a %s value)"):format(type(value))
end

-- For a message handler, `depth` functions above the one that raised: message, lines of traceback,
-- hint. stop: the function below which no level is the user's; typed: the lines of stdin.
function failure.describe(value, depth, stop, typed)
    local message = failure.text(value)
    local raised, caller = getinfo(depth, "f"), getinfo(depth + 1, "f")
    local levels = user_levels(depth + 1, stop)
    local innermost
    for _, info in ipairs(levels) do
        if info.what ~= "C" then
            innermost = info
            break
        end
    end
    return {
        message = message,
        trace = trace(levels),
        hint = raised and language.of_error(message, raised.func, caller and caller.func)
            or innermost and hint(message, innermost, typed),
    }
end

-- In a message handler, for the message of an error of a script: its hint, nil for none.
function failure.hint(message)
    for _, info in ipairs(user_levels(2)) do
        if info.what ~= "C" then
            return hint(message, info, {})
        end
    end
end

return failure
