-- A prompt for programs (--session): requests, objects of JSON a line each, and their answers. The functions of the
-- system come in one table, `host` (program/session.c): lines, runs that limits and SIGINT stop, text as JSON.
--
-- Invariant: each line that is read is answered once, behind all that it printed. Code of the user, also what shows its
-- values, runs in host.run alone. `pictures` has those of the present run that have not gone out.

local chart = require "lunarray.chart.chart"
local complete = require "lunarray.prompt.complete"
local core = require "lunarray.core"
local html = require "lunarray.show.html"
local inputs = require "lunarray.prompt.inputs"
local json = require "lunarray.format.jsonvalue"
local language = require "lunarray.prompt.other_languages"
local peek = require "lunarray.prompt.preview"

local session = {}

-- As functions: a script may change the methods of strings.
local find, format, match, sub = string.find, string.format, string.match, string.sub

local host, pictures, known

-- ---------------------------------------------------------------- answers

-- Fields of an object: name, text, name, text, ...; those without text are left out.
local function fields(...)
    local parts, list = {}, table.pack(...)
    for i = 1, list.n, 2 do
        if list[i + 1] then
            parts[#parts + 1] = format('"%s":%s', list[i], list[i + 1])
        end
    end
    return table.concat(parts, ",")
end

local function quoted(text)
    return text and host.quote(text)
end

local function succeeds(result)
    host.write(fields("ok", "true", "result", "{" .. result .. "}"))
end

local function fails(fault)
    host.write(fields("ok", "false", "error", fault))
end

local function list_of(items)
    return "[" .. table.concat(items, ",") .. "]"
end

-- ---------------------------------------------------------------- requests

local ACTIONS = {}

-- What a run shows of its results.
local function shown(text, results)
    if results.n > 0 then
        rawset(_G, "_", results[1])
    end
    local is_quiet = results.n == 0 or find(text, ";%s*$")
    if is_quiet then
        return
    end
    return peek.texts(results), results.n == 1 and html.text(results[1]) or nil
end

function ACTIONS.run(request)
    local text = request.text
    local chunk, message = inputs.compile(text, 1)
    if not chunk then
        local instead = language.instead(text, message, 1)
        return fails(host.fault("syntax", instead and message .. "\n" .. instead or message))
    end
    pictures = {}
    local ok, first, second = host.run(function()
        return shown(text, table.pack(chunk()))
    end)
    for i = 1, #pictures - (ok and 1 or 0) do
        host.write(fields("out", '""', "svg", quoted(pictures[i])))
    end
    if ok then
        succeeds(fields("text", quoted(first), "html", quoted(second), "svg", quoted(pictures[#pictures])))
    else
        fails(second and host.fault("interrupt", "interrupted") or first)
    end
end

-- The rest in a run, too: it calls no code of the user, and limits hold.
local function asking(f)
    return function(request)
        local ok, result, interrupted = host.run(f, request)
        if ok then
            succeeds(result)
        else
            fails(interrupted and host.fault("interrupt", "interrupted") or result)
        end
    end
end

ACTIONS.complete = asking(function(request)
    local cursor = math.tointeger(request.cursor) or #request.text
    local text = sub(request.text, 1, math.max(cursor, 0))
    local names, length = complete.matches(text, host.list or function() return {} end, {})
    for i, name in ipairs(names) do
        names[i] = quoted(name)
    end
    return fields("matches", list_of(names), "from", format("%d", #text - length), "call",
        quoted(complete.call(match(text, "[^\n]*$"))))
end)

ACTIONS.help = asking(function(request)
    local name = match(request.text, "^%s*(.-)[%s?]*$")
    local help = require "lunarray.prompt.help"
    return fields("text", quoted(name == "" and help.text() or help.about(name)))
end)

ACTIONS.whole = asking(function(request)
    local chunk, message, more = inputs.compile(request.text, 1)
    local is_broken = not chunk and not more
    return fields("whole", more and "false" or "true", "message", is_broken and quoted(message) or nil)
end)

ACTIONS.globals = asking(function()
    local names, rows = {}, {}
    for name in next, _G do
        if type(name) == "string" and not known[name] and name ~= "_" then
            names[#names + 1] = name
        end
    end
    table.sort(names)
    for i, name in ipairs(names) do
        local x = rawget(_G, name)
        local kind, dtype, shape = type(x), nil, nil
        local meta = debug.getmetatable(x)
        if core.isarray(x) and pcall(x.dtype, x) then
            kind, dtype = x:kind(), x:dtype()
            shape = core.internal.measured(x) and list_of { x:shape() } or nil
        elseif kind == "table" and type(meta) == "table" and rawget(meta, "columns") then
            kind, shape = "columns", list_of { meta.rows, #meta.names }
        end
        rows[i] = "{" .. fields("name", quoted(name), "kind", quoted(kind), "dtype", quoted(dtype), "shape", shape)
            .. "}"
    end
    return fields("globals", list_of(rows))
end)

-- Answers a line.
local function answer(line)
    host.name ""
    if not line then
        return fails(host.fault("usage", "a request of more than 64 MB"))
    end
    local request, message = json.decode(line)
    if type(request) ~= "table" then
        return fails(host.fault("usage", "no request: " .. (message or "an object of JSON expected")))
    end
    local id = rawget(request, "id")
    if type(id) == "string" or type(id) == "number" then
        host.name(type(id) == "string" and quoted(id) or format(math.type(id) == "integer" and "%d" or "%.17g", id))
    end
    local action = ACTIONS[request["do"]]
    if not action then
        return fails(host.fault("usage", format("unknown 'do': %s (complete, globals, help, run, whole)",
            tostring(request["do"]))))
    elseif type(request.text) ~= "string" and request["do"] ~= "globals" then
        return fails(host.fault("usage", format("'%s' needs a text", request["do"])))
    end
    return action(request)
end

-- Reads and answers requests until they end.
function session.serve(functions)
    host, known = functions, {}
    for name in next, _G do
        known[name] = true
    end
    chart.sink = function(svg)
        pictures[#pictures + 1] = svg
    end
    while true do
        local has_read, line = pcall(host.read)
        if has_read and line == nil then
            return
        end
        local ok, e = pcall(answer, has_read and line or nil)
        if not ok then
            host.name ""
            fails(host.fault("runtime", tostring(e)))
        end
    end
end

return session
