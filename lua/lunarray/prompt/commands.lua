-- The commands of the prompt, which start with a colon.

local core = require "lunarray.core"
local guess = require "lunarray.prompt.guess"
local number = require "lunarray.base.number"

local commands = {}

-- ---------------------------------------------------------------- time

local function seconds(t)
    if t < 1e-3 then
        return number.format("%.0f us", t * 1e6)
    elseif t < 1 then
        return number.format("%.1f ms", t * 1e3)
    end
    return number.format("%.2f s", t)
end

-- Starts a measurement; the function it returns gives the text of the time since, and its parts.
function commands.start_clock()
    local before, start = core.stats(), core.clock()
    return function()
        local total, after = core.clock() - start, core.stats()
        local function since(name)
            return after[name] - before[name]
        end
        return ("%s: compile %s, transfer %s, run %s (launches %d, compiles %d, cache hits %d)"):format(
            seconds(total), seconds(since "compile_time"), seconds(since "transfer_time"),
            seconds(since "run_time"), since "launches", since "compiles", since "cache_hits")
    end
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
  Tab completes names, methods, modules, files; Ctrl-C interrupts; Ctrl-D leaves]]
        end,
    },
    {
        name = "time", use = ":time on|off", does = "show the time of each input: compile, transfer, run",
        values = { "on", "off" },
        run = function(session, what, write)
            if what == "" then
                what = session.timing and "off" or "on"
            end
            session.timing = what == "on"
            write("timing is " .. what)
        end,
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
    session.input = rest
    local ok, results = run(command.run, session, rest, write)
    if ok and results[1] then
        write(results[1])
    end
end

return commands
