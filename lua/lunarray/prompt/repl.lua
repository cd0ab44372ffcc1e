-- The prompt at a terminal: reads inputs, of several lines if needed, runs them, shows their results. The functions of
-- the system come in one table, `host` (program/repl_session.c). Commands, completion and errors have their own files.
--
-- Invariant: `session` is the running session or nil; all state of the prompt is in it (results, names that were local
-- to inputs, hints already shown), so it ends with it. An input is either compiled as a whole or not run at all.
-- session.lines has all lines of inputs, in order: number n is stdin:n of messages. session.history has the inputs,
-- each with the number of its first line, its text, and whether it has run without an error.

local core = require "lunarray.core"
local commands = require "lunarray.prompt.commands"
local complete = require "lunarray.prompt.complete"
local csv = require "lunarray.format.csv"
local failure = require "lunarray.prompt.failure"
local inputs = require "lunarray.prompt.inputs"
local language = require "lunarray.prompt.other_languages"
local notes = require "lunarray.prompt.notes"
local foreign = require "lunarray.prompt.other_names"
local peek = require "lunarray.prompt.preview"
local terminal = require "lunarray.base.terminal"

local repl = {}

local stdout, stderr = io.stdout, io.stderr
local tostring, pcall, rawget, rawset = tostring, pcall, rawget, rawset
local WELCOME = "Type an expression to see its value, :help for help, Ctrl-D to leave.\n"

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

-- Notes the names that an input declares as locals: they end with it.
local function note_locals(input)
    for pos in input:gmatch "%f[%w_]local%s+()" do
        pos = input:match("^function%s+()", pos) or pos
        repeat
            local name, after = input:match("^([%a_][%w_]*)%s*()", pos)
            if name then
                session.locals[name] = true
                after = input:match("^<%s*%a+%s*>%s*()", after) or after
                pos = input:match("^,%s*()", after)
            end
        until not name or not pos
    end
end

-- The hint for an undefined name that was local to an earlier input, once in a session.
local function hint_for_local(name)
    if name and session.locals[name] and not session.told_of_locals then
        session.told_of_locals = true
        return ("'%s' was local to the input that declared it; without 'local' it stays"):format(name)
    end
end

-- "did you mean 'range'?" for an input that is a name with nothing in it.
local function hint_for_nil(input)
    local alone = input:match "^%s*([%a_][%w_]*)%s*;?%s*$"
    if alone then
        return hint_for_local(alone) or foreign.constant(alone) or failure.meant("global", alone)
    end
    local path, name = input:match "^%s*([%a_][%w_.]*)%.([%a_][%w_]*)%s*;?%s*$"
    if path then
        local parts = {}
        for part in path:gmatch "[%w_]+" do
            parts[#parts + 1] = part
        end
        return failure.meant("field", name, complete.resolve(parts, complete.global), path)
    end
end

-- ---------------------------------------------------------------- reading

local function prompt(name, fallback)
    local value = rawget(_G, name)
    if value ~= nil then
        local ok, text = pcall(tostring, value)
        return ok and text or fallback
    end
    -- An escape sequence is between bytes \1, and not at the end.
    return session.host.colour and fallback:gsub("(>+)", "\1\27[1m\1%1\1\27[0m\1") or fallback
end

-- The chunk of a text that begins with the session's next line; what its operands note goes into session.notes.
local function compile(text)
    return inputs.compile(text, #session.lines + 1, session.watch)
end

-- Reads a whole input: its text and its chunk, or its text, nil and a message, which is "command" for a command and
-- "help" for a question. False after Ctrl-C, nil at the end.
local function read_input()
    local text = session.host.read((prompt("_PROMPT", "> ")))
    if not text then
        return text
    end
    text = inputs.without_marks(text)
    if text:find "^%s*$" then
        return false
    elseif text:find "^%s*:%s*[%a?]" then
        return text, nil, "command"
    elseif inputs.asks_for(text) then
        return text, nil, "help"
    end
    while true do
        local chunk, message, more = compile(text)
        if chunk or not more then
            return text, chunk, message
        end
        local line = session.host.read((prompt("_PROMPT2", ">> ")))
        if line == false then
            return false
        elseif line == nil then
            return text, chunk, message
        end
        text = text .. "\n" .. line
    end
end

-- ---------------------------------------------------------------- running

-- Calls f so that Ctrl-C stops it, and shows its error. True and the results, else false.
local function run(f, ...)
    local host = session.host
    local results = table.pack(host.run(function(value)
        return failure.describe(value, 3, host.run, session.lines)
    end, f, ...))
    if results[1] then
        return true, table.pack(table.unpack(results, 2, results.n))
    end
    local problem, interrupted = results[2], results[3]
    if interrupted then
        problem = { message = "interrupted", trace = {} }
    elseif type(problem) ~= "table" or not problem.message then
        problem = { message = failure.text(problem), trace = {} } -- no memory, or an error while describing it
    end
    local unknown = problem.message:match "a nil value %(global '([%a_][%w_]*)'%)"
    problem.hint = hint_for_local(unknown) or problem.hint
    show_failure(problem)
    return false
end

local function write_line(text)
    stdout:write(text, "\n")
    stdout:flush()
end

-- Keeps and shows the results of an input; nothing is shown if its text ends with a semicolon.
local function show_results(text, results)
    if results.n == 0 then
        return
    end
    rawset(_G, "_", results[1]) -- past a script's __newindex
    local verbs = package.loaded["lunarray.table.verbs"]
    local is_printed = verbs and results[1] ~= nil and rawequal(verbs.printed, results[1])
    if is_printed or text:find ";%s*$" then
        return
    end
    local shown = peek.texts(results)
    if results.n == 1 and results[1] == nil then
        local hint = hint_for_nil(text)
        shown = hint and ("%s (%s)"):format(shown, hint) or shown
    end
    write_line(shown)
end

-- Shows what an input noted, each line once.
local function show_notes()
    for i, note in ipairs(session.notes) do
        if session.notes[i - 1] ~= note then
            write_line(paint(session.host.colour, "dim", note))
        end
    end
    if csv.note and not session.told_of_rows then -- once in a session
        write_line(paint(session.host.colour, "dim", csv.note))
        session.told_of_rows = true
    end
end

-- The next lines of the session, and their place in its history.
local function add_lines(text)
    local entry = { line = #session.lines + 1, text = text, has_run = false }
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        session.lines[#session.lines + 1] = line
    end
    session.history[#session.history + 1] = entry
    return entry
end

-- Runs one input that is compiled, with arguments.
local function run_input(text, chunk, ...)
    local entry = add_lines(text)
    local clock = session.timing and commands.start_clock()
    local verbs = package.loaded["lunarray.table.verbs"]
    if verbs then
        verbs.printed = nil
    end
    local ok, results = run(chunk, ...)
    if ok then
        ok = run(show_results, text, results)
    end
    entry.has_run = ok
    note_locals(text)
    show_notes()
    stdout:flush()
    if clock then
        write_line(paint(session.host.colour, "dim", clock()))
    end
    return ok
end

-- A text that is no chunk: the message, with what Lua says in its place.
local function show_syntax(text, message)
    local first = #session.lines + 1
    add_lines(text)
    show_failure { message = message, trace = {}, hint = language.instead(text, message, first) }
end

-- Runs an input, or all inputs of a pasted text. message: why there is no chunk.
local function take(text, chunk, message)
    local list = not chunk and text:find "\n" and inputs.split(text) or {}
    chunk = chunk or #list > 1 and inputs.join(list, #session.lines + 1)
    if chunk then
        return run_input(text, chunk, function(...)
            show_results("", table.pack(...))
        end)
    elseif #list < 2 then
        return show_syntax(text, message)
    end
    for _, input in ipairs(list) do
        local part, fault = compile(input)
        if not part then
            return show_syntax(input, fault)
        elseif not run_input(input, part) then
            return
        end
    end
end

-- Runs a text as if it had been typed; for commands.
local function type_in(text)
    session.notes = {}
    session.watch = notes.watcher(session.notes)
    local chunk, message = compile(text)
    return take(text, chunk, message)
end

-- Shows the help that a text asks for.
local function answer(text)
    local name = inputs.asks_for(text)
    return run(function()
        write_line(require("lunarray.prompt.help").about(name))
    end)
end

-- ---------------------------------------------------------------- the session

-- `help` of the prompt: a function that prints, and as a value a text.
local function make_help()
    local text = require("lunarray.prompt.help").text
    return setmetatable({}, {
        __call = function(_, ...)
            write_line(text(...))
        end,
        __tostring = function()
            return text()
        end,
    })
end

-- Whether an input is a word that ends the prompt of other programs, and nothing here.
local function is_farewell(text)
    local word = text:match "^%s*(%a+)%s*;?%s*$" or text:match "^%s*(%a+)%s*%(%s*%)%s*;?%s*$"
    return (word == "quit" or word == "exit") and rawget(_G, word) == nil
end

-- Answers Tab.
function repl.complete(text)
    local columns = core.internal.terminal() or 80
    return complete.answer(text, session.host.list, commands.names, columns)
end

-- Reads and runs inputs until the terminal ends, or :quit, quit or exit.
function repl.session(host)
    terminal.prompt = true
    session = { host = host, lines = {}, history = {}, notes = {}, locals = {}, type_in = type_in }
    if rawget(_G, "help") == nil then
        rawset(_G, "help", make_help())
    end
    if host.colour then
        write_line(paint(true, "dim", (WELCOME:gsub("\n$", ""))))
    else
        stdout:write(WELCOME)
    end
    while not session.over do
        session.notes = {}
        session.watch = notes.watcher(session.notes)
        local text, chunk, message = read_input()
        if text == nil then
            write_line ""
            break
        elseif text then
            host.remember(text)
            if is_farewell(text) then
                break
            elseif message == "command" then
                commands.run(session, text, run, write_line)
            elseif message == "help" then
                answer(text)
            else
                take(text, chunk, message)
            end
        end
    end
    terminal.prompt = false
end

return repl
