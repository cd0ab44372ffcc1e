-- The prompt at a terminal: reads inputs, over several lines if need be, runs them, shows what they
-- give. What it needs of the system comes in one table, `host` (program/repl_session.c). Commands, completion
-- and errors have files of their own.

local core = require "lunarray.core"
local commands = require "lunarray.commands"
local complete = require "lunarray.complete"
local failure = require "lunarray.failure"
local guess = require "lunarray.guess"
local peek = require "lunarray.peek"

local repl = {}

local stdout, stderr = io.stdout, io.stderr
local tostring, load, pcall, rawget, rawset = tostring, load, pcall, rawget, rawset
local WELCOME = "Type an expression to see its value, :help for what else there is, Ctrl-D to leave.\n"

-- The running session; there is one at a time, as there is one terminal.
local session

-- ---------------------------------------------------------------- showing

local COLOURS = { error = "31", dim = "2", hint = "33", prompt = "1" }

local function paint(wanted, colour, text)
    return wanted and ("\27[%sm%s\27[0m"):format(COLOURS[colour], text) or text
end

local function show_failure(problem)
    local wanted = session.host.error_colour
    local lines = { paint(wanted, "error", problem.message) }
    for _, line in ipairs(problem.trace) do
        lines[#lines + 1] = paint(wanted, "dim", "  " .. line)
    end
    if problem.hint then
        lines[#lines + 1] = paint(wanted, "hint", problem.hint)
    end
    stdout:flush()
    stderr:write(table.concat(lines, "\n"), "\n")
    stderr:flush()
end

-- The text of results: as print would write them, and what plain tables hold.
local function texts(results)
    local parts = {}
    local width = core.internal.terminal() or 80
    for i = 1, results.n do
        parts[i] = peek.text(results[i], width) or tostring(results[i])
    end
    return table.concat(parts, "\t")
end

-- "did you mean 'range'?" for an input that is a name with nothing in it.
local function hint_for_nil(input)
    local path, name = input:match "^%s*([%a_][%w_.]-)%.?([%a_][%w_]*)%s*;?%s*$"
    local alone = input:match "^%s*([%a_][%w_]*)%s*;?%s*$"
    local names
    if alone then
        name, names = alone, complete.names(_G)
    elseif path then
        local parts = {}
        for part in path:gmatch "[%w_]+" do
            parts[#parts + 1] = part
        end
        names = complete.names(complete.resolve(parts, complete.global))
    end
    local near = names and guess.nearest(name, names)
    return near and ("did you mean '%s'?"):format(alone and near or path .. "." .. near)
end

-- ---------------------------------------------------------------- understanding

-- The chunk that the text is, and whether it is an expression; or nil, the message, and whether more
-- lines may complete it.
local function compile(text)
    local expression = text:match "^%s*=(.*)$"
    local chunk = load("return " .. (expression or text), "=stdin", "t")
    if chunk then
        return chunk, true
    elseif expression then
        text = "return " .. expression
    end
    local message
    chunk, message = load(text, "=stdin", "t")
    if chunk then
        return chunk, false
    end
    return nil, message, message:sub(-5) == "<eof>"
end

local function prompt(name, fallback)
    local value = rawget(_G, name)
    if value ~= nil then
        local ok, text = pcall(tostring, value)
        return ok and text or fallback
    end
    -- A sequence that takes no room stands between bytes \1, and not at the end.
    return session.host.colour and fallback:gsub("(>+)", "\1\27[1m\1%1\1\27[0m\1") or fallback
end

-- Reads until there is a whole input: its text, its chunk (nil with a message where it is none) and
-- whether it is an expression. False after Ctrl-C, nil at the end.
local function read_input()
    local text = session.host.read((prompt("_PROMPT", "> ")))
    if not text then
        return text
    elseif text:find "^%s*$" then
        return false
    elseif text:find "^%s*:%s*[%a?]" then
        return text, nil, "command"
    end
    while true do
        local chunk, kind, more = compile(text)
        if chunk or not more then
            return text, chunk, kind
        end
        local line = session.host.read((prompt("_PROMPT2", ">> ")))
        if line == false then
            return false
        elseif line == nil then
            return text, chunk, kind
        end
        text = text .. "\n" .. line
    end
end

-- The inputs of a text of several lines that is no chunk as a whole: a pasted dialogue.
local function split_inputs(text)
    local inputs, pending = {}, nil
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        pending = pending and pending .. "\n" .. line or line
        local chunk, _, more = compile(pending)
        if chunk or not more then
            if not pending:find "^%s*$" then
                inputs[#inputs + 1] = pending
            end
            pending = nil
        end
    end
    inputs[#inputs + 1] = pending
    return inputs
end

-- ---------------------------------------------------------------- running

-- Calls f so that Ctrl-C stops it, and shows what goes wrong. True and the results, else false.
local function run(f, ...)
    local host = session.host
    local results = table.pack(host.run(function(value)
        return failure.describe(value, 3, host.run, session.input)
    end, f, ...))
    if results[1] then
        return true, table.pack(table.unpack(results, 2, results.n))
    end
    local problem, interrupted = results[2], results[3]
    if interrupted then
        problem = { message = "interrupted", trace = {} }
    elseif type(problem) ~= "table" or not problem.message then
        problem = { message = failure.text(problem), trace = {} } -- memory, or an error in describing
    end
    show_failure(problem)
    return false
end

local function write_line(text)
    stdout:write(text, "\n")
    stdout:flush()
end

-- Runs one input that is compiled.
local function run_input(text, chunk, is_expression)
    session.input = text
    local clock = session.timing and commands.start_clock()
    local ok, results = run(chunk)
    if ok and is_expression and results.n > 0 then
        rawset(_G, "_", results[1]) -- whatever the script thinks of new globals
        if not text:find ";%s*$" then
            ok, results = run(function()
                local shown = texts(results)
                if results.n == 1 and results[1] == nil then
                    local hint = hint_for_nil(text)
                    shown = hint and ("%s (%s)"):format(shown, hint) or shown
                end
                write_line(shown)
            end)
        end
    elseif ok and not is_expression then
        stdout:flush()
    end
    if clock then
        write_line(paint(session.host.colour, "dim", clock()))
    end
    return ok
end

-- Runs an input, or as many as a pasted text holds.
local function take(text, chunk, kind)
    if kind == "command" then
        return commands.run(session, text, run, write_line)
    elseif chunk then
        return run_input(text, chunk, kind)
    elseif not text:find "\n" then
        return show_failure { message = kind, trace = {} }
    end
    local inputs = split_inputs(text)
    if #inputs < 2 then
        return show_failure { message = kind, trace = {} }
    end
    for _, input in ipairs(inputs) do
        local part, what = compile(input)
        if not part then
            return show_failure { message = what, trace = {} }
        elseif not run_input(input, part, what) then
            return
        end
    end
end

-- ---------------------------------------------------------------- the session

-- What `help` is at the prompt: a function that prints, and alone a text.
local function make_help()
    local text = require("lunarray.help").text
    return setmetatable({}, {
        __call = function(_, ...)
            write_line(text(...))
        end,
        __tostring = function()
            return text()
        end,
    })
end

-- Answers Tab.
function repl.complete(text)
    local columns = core.internal.terminal() or 80
    return complete.answer(text, session.host.list, commands.names, columns)
end

-- Reads and runs inputs until the terminal ends or :quit.
function repl.session(host)
    session = { host = host, input = "" }
    if rawget(_G, "help") == nil then
        rawset(_G, "help", make_help())
    end
    if host.colour then
        write_line(paint(true, "dim", (WELCOME:gsub("\n$", ""))))
    else
        stdout:write(WELCOME)
    end
    while not session.over do
        local text, chunk, kind = read_input()
        if text == nil then
            write_line ""
            break
        elseif text then
            host.remember(text)
            take(text, chunk, kind)
        end
    end
end

return repl
