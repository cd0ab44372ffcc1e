-- The commands of the prompt, which start with a colon.

local core = require "lunarray.core"
local guess = require "lunarray.prompt.guess"
local number = require "lunarray.base.number"

local commands = {}

-- ---------------------------------------------------------------- time

local function seconds(t)
    if t < 1e-5 and t > 0 then
        return number.format("%.2f us", t * 1e6)
    elseif t < 1e-3 then
        return number.format("%.0f us", t * 1e6)
    elseif t < 1 then
        return number.format("%.1f ms", t * 1e3)
    end
    return number.format("%.2f s", t)
end

-- Starts a measurement; the function it returns gives the text of the time since, and its parts, which add up where
-- one device works at a time: compile is what was waited for, Lua all that is no other part.
function commands.start_clock()
    local before, start = core.stats(), core.clock()
    return function()
        local total, after = core.clock() - start, core.stats()
        local function since(name)
            return after[name] - before[name]
        end
        local parts = since "compile_time" + since "transfer_time" + since "run_time"
        return ("%s: compile %s, transfer %s, run %s, Lua %s (launches %d, compiles %d, cache hits %d)"):format(
            seconds(total), seconds(since "compile_time"), seconds(since "transfer_time"), seconds(since "run_time"),
            seconds(math.max(total - parts, 0)), since "launches", since "compiles", since "cache_hits")
    end
end

-- What an input gives, with its arrays computed.
local function evaluate(chunk)
    local values = table.pack(chunk())
    for i = 1, values.n do
        if core.isarray(values[i]) then
            core.eval(values[i])
        end
    end
end

-- The chunk of an expression or of statements for a command; nil and what to say of it.
local function chunk_of(text, command)
    if text == "" then
        return nil, command .. " expects an expression or statements"
    end
    local chunk, message = load("return " .. text, "=stdin", "t")
    return chunk or load(text, "=stdin", "t"), message
end

local function time_once(text)
    local chunk, message = chunk_of(text, ":time")
    if not chunk then
        return message
    end
    local clock = commands.start_clock()
    evaluate(chunk)
    return clock()
end

local RUNS = 0.5 -- seconds that the runs of :timeit last in all
local FEWEST, MOST = 3, 100000

-- The time of one run as text: the median of many, and their spread.
local function time_often(_, text)
    local chunk, message = chunk_of(text, ":timeit")
    if not chunk then
        return message
    end
    evaluate(chunk) -- what is compiled once
    local times, start = {}, core.clock()
    repeat
        local before = core.clock()
        evaluate(chunk)
        times[#times + 1] = core.clock() - before
    until #times == MOST or #times >= FEWEST and core.clock() - start >= RUNS
    table.sort(times)
    return ("%s a run, the median of %d; half of them took %s to %s"):format(seconds(times[(#times + 1) // 2]), #times,
        seconds(times[(#times + 3) // 4]), seconds(times[(3 * #times + 1) // 4]))
end

-- ---------------------------------------------------------------- sizes

local function bytes_text(n)
    local units = { "bytes", "KB", "MB", "GB", "TB" }
    local i = 1
    while n >= 1000 and i < #units do
        n, i = n / 1000, i + 1
    end
    return number.format(i == 1 and "%d " or "%.1f ", n) .. units[i]
end

local function kernels_text(n)
    return ("%d kernel%s"):format(n, n == 1 and "" or "s")
end

-- ---------------------------------------------------------------- the inputs of the session

-- The inputs whose text contains a text, each behind the number of its first line.
local function history_text(session, part)
    local lines = {}
    for _, entry in ipairs(session.history) do
        if entry.text:find(part, 1, true) then
            local mark = ("%5d  "):format(entry.line)
            lines[#lines + 1] = mark .. entry.text:gsub("\n", "\n" .. (" "):rep(#mark))
        end
    end
    return #lines > 0 and table.concat(lines, "\n") or part == "" and "there are no inputs yet"
        or ("no input contains '%s'"):format(part)
end

-- The entry of the history that has that line; the last one without a number.
local function entry_at(session, line)
    for i = #session.history, 1, -1 do
        local entry = session.history[i]
        if not line or entry.line <= line then
            local _, breaks = entry.text:gsub("\n", "")
            return (not line or line <= entry.line + breaks) and entry or nil
        end
    end
end

-- An input as a line of a script: an expression is printed, as it was at the prompt.
local function as_statement(text)
    local expression = text:match "^%s*=(.*)$" or text
    if load("return " .. expression, "=stdin", "t") then
        if expression:find ";%s*$" then -- not shown, but the last value
            return "_ = " .. expression
        end
        local call = load(expression, "=stdin", "t") and not text:find "^%s*="
        return call and expression or ("print(%s)"):format(expression)
    end
    return text
end

-- Writes the inputs first .. last that ran without an error into a new file.
local function save_inputs(session, rest)
    local path, first, last = rest:match "^(%S+)%s+(%d+)%s*%-?%s*(%d*)$"
    path = path or rest:match "^(%S+)$"
    if not path then
        return ":save expects a file, and the lines first-last where not all are wanted"
    end
    first = tonumber(first) or 1
    last = tonumber(last) or rest:find "%-%s*$" and math.huge or rest:find "%s" and first or math.huge
    local texts = {}
    for _, entry in ipairs(session.history) do
        if entry.has_run and entry.line >= first and entry.line <= last then
            texts[#texts + 1] = as_statement(entry.text)
        end
    end
    local old = io.open(path, "rb")
    if old then
        old:close()
        return ("%s is there already: :save writes a new file"):format(path)
    elseif #texts == 0 then
        return "no input of these lines ran without an error"
    end
    local file, message = io.open(path, "wb")
    if not file then
        return message
    end
    local done, reason = file:write(table.concat(texts, "\n"), "\n")
    local closed, fault = file:close()
    if not done or not closed then
        os.remove(path)
        return ("%s: %s"):format(path, reason or fault)
    end
    return ("%d input%s in %s"):format(#texts, #texts == 1 and "" or "s", path)
end

-- Gives an input to $VISUAL or $EDITOR, and runs what comes back.
local function edit_input(session, rest)
    local entry = entry_at(session, tonumber(rest))
    local visual = os.getenv "VISUAL" or ""
    local editor = visual ~= "" and visual or os.getenv "EDITOR"
    if rest ~= "" and not rest:find "^%d+$" then
        return ":edit expects the number of a line, as :history shows it"
    elseif not editor or editor == "" then
        return ":edit starts $VISUAL or $EDITOR, and neither is set"
    elseif not entry and rest ~= "" then
        return ("there is no input at line %s"):format(rest)
    end
    local path = os.tmpname()
    local script = path .. ".lua" -- editors choose colours by it
    local _ <close> = setmetatable({}, { __close = function()
        os.remove(path)
        os.remove(script)
    end })
    local file = assert(io.open(script, "wb"))
    file:write(entry and entry.text .. "\n" or "")
    file:close()
    if not os.execute(("%s '%s'"):format(editor, script)) then
        return ("'%s' has failed, so nothing is run"):format(editor)
    end
    local text = ""
    for line in io.lines(script) do
        text = text .. line .. "\n"
    end
    text = text:gsub("%s+$", "")
    return text ~= "" and text or "nothing to run", text ~= "" and text or nil
end

local function run_file(_, path)
    if path == "" then
        return ":run expects a file"
    end
    local chunk, message = loadfile(path)
    if not chunk then
        local file = io.open(path, "rb")
        local text = file and file:read "a" or ""
        if file then
            file:close()
        end
        local instead = require("lunarray.prompt.other_languages").instead(text, message)
        return instead and message .. "\n" .. instead or message
    end
    chunk()
end

-- ---------------------------------------------------------------- the commands

local table_of = {
    {
        name = "help", use = ":help", does = "this list; help(x) and help \"name\" describe Lunarray",
        run = function(_, _, write)
            local lines = {}
            for _, command in ipairs(commands.list) do
                lines[#lines + 1] = ("  %-18s %s"):format(command.use, command.does)
            end
            write(table.concat(lines, "\n"))
            write [[
  e  or  =e          shows the value of an expression; e; does not; _ is the last one
  a?                 help on a value or a name
  Tab completes names, methods, modules, files; Ctrl-C interrupts; Ctrl-D leaves]]
        end,
    },
    {
        name = "time", use = ":time e|on|off", does = "run e once and show its time, or that of each input from now on",
        run = function(session, what)
            if what ~= "" and what ~= "on" and what ~= "off" then
                return time_once(what)
            end
            session.timing = what == "on" or what == "" and not session.timing
            return "timing is " .. (session.timing and "on" or "off")
        end,
    },
    {
        name = "timeit", use = ":timeit e", does = "the time of e, the median of the runs of half a second",
        run = time_often,
    },
    {
        name = "doc", use = ":doc name", does = "help on a name, as name? and help \"name\" give it",
        run = function(_, name, write)
            write(require("lunarray.prompt.help").about(name))
        end,
    },
    {
        name = "history", use = ":history [text]", does = "the inputs, with the numbers of their lines",
        run = history_text,
    },
    {
        name = "edit", use = ":edit [n]", does = "give the input at line n, or the last one, to $EDITOR, then run it",
        run = edit_input,
    },
    {
        name = "run", use = ":run file", does = "run a script in this session",
        run = run_file,
    },
    {
        name = "save", use = ":save file [n-m]",
        does = "write the inputs that ran, or those of lines n to m, as a script",
        run = save_inputs,
    },
    {
        name = "explain", use = ":explain e", does = "the kernels that evaluating e would run, without running them",
        run = function(_, text, write)
            local f, message = load("return " .. text, "=stdin", "t")
            if text == "" or not f then
                return ":explain expects an expression" .. (message and text ~= "" and ": " .. message or "")
            end
            local values = table.pack(f())
            for i = 1, math.max(values.n, 1) do
                if not core.isarray(values[i]) then
                    return (":explain expects arrays, not %s"):format(values.n > 0 and type(values[i]) or "nothing")
                end
            end
            write(tostring(core.explain(table.unpack(values, 1, values.n))))
        end,
    },
    {
        name = "devices", use = ":devices", does = "the available devices and the backend in use",
        run = function(_, _, write)
            for _, d in ipairs(core.devices()) do
                write(("%s %-10s %s (%s, %d units, %s)"):format(d.backend == core.use():match "^%a+" and "*" or " ",
                    d.backend, d.name, d.kind, d.units, bytes_text(d.memory)))
            end
            local _, reasons = core.backends()
            for name, reason in pairs(reasons) do
                write(("  %-10s missing: %s"):format(name, reason))
            end
        end,
    },
    {
        name = "cache", use = ":cache [clear]", does = "the directory and size of the kernel cache; clear empties it",
        values = { "clear" },
        run = function(_, what, write)
            local dir, entries, bytes, limit = core.internal.cache(what == "clear")
            if not dir then
                write("there is no kernel cache: " .. entries)
            elseif what == "clear" then
                write(("removed %s (%s) from %s"):format(kernels_text(entries), bytes_text(bytes), dir))
            else
                write(("%s: %s, %s of at most %s"):format(dir, kernels_text(entries), bytes_text(bytes),
                    bytes_text(limit)))
            end
        end,
    },
    {
        name = "quit", use = ":quit", does = "leaves, like quit, exit and Ctrl-D",
        run = function(session)
            session.over = true
        end,
    },
}

commands.list = table_of
commands.names = {}
for i, command in ipairs(table_of) do
    commands.names[i] = command.name
end

local function find(name)
    for _, command in ipairs(table_of) do
        if command.name == name then
            return command
        end
    end
end

local function unknown(name)
    local near = guess.nearest(name, commands.names)
    return ("unknown command :%s%s\nthe commands are :%s"):format(name,
        near and ("; did you mean ':%s'?"):format(near) or "", table.concat(commands.names, " :"))
end

-- Runs the command in the text; `run` calls a function so that errors are shown, `write` shows a line.
function commands.run(session, text, run, write)
    local name, rest = text:match "^%s*:%s*([%a?]+)%s*(.-)%s*$"
    local command = find(name == "?" and "help" or name)
    if not command then
        return write(unknown(name))
    elseif command.values and rest ~= "" then
        local known = false
        for _, value in ipairs(command.values) do
            known = known or value == rest
        end
        if not known then
            return write(("%s, not '%s'"):format(command.use, rest))
        end
    end
    local ok, results = run(command.run, session, rest, write)
    if ok and results[1] then
        write(results[1])
    end
    if ok and results[2] then -- a text to run
        session.type_in(results[2])
    end
end

return commands
