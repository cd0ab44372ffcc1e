-- A script with evaluation off: arrays have dtype and shape, files are opened for theirs, each point of evaluation has
-- its plan listed, and nothing is computed, written or shown. Ends where a value is needed.
--
-- Invariant: one script at a time, for the process ends with it. While the engine is stopped (internal.evaluation) no
-- evaluation begins, whatever the script calls: what is not wrapped here fails as interrupted work does, and ends the
-- plan. `is_over` is set before the first error of that kind is raised, and no pcall of the script outlives it.

local core = require "lunarray.core"
local report = require "lunarray.plan.report"
local scope = require "lunarray.base.scope"
local tests = require "lunarray.plan.tests"
local unknown = require "lunarray.plan.unknown"

local M = {}

local evaluation, hollow, methods = core.internal.evaluation, core.internal.hollow, core.internal.methods
local array_type = core.internal.array_type
local G = _G -- the script's globals; these files have copies of Lua's libraries
local explain, isarray = core.explain, core.isarray
local END = setmetatable({}, { __tostring = function() return "the plan ends here" end })
local LARGE = 32 << 20 -- bytes of a file of text of which the first rows are read
local ROWS = 10000

local is_over = false
local is_hooked = false -- an unknown value was made

-- ---------------------------------------------------------------- where a plan ends

local function finish(reason)
    if not is_over then
        is_over = true
        report.ends(reason)
    end
    error(END, 0)
end

function unknown.need()
    finish "a value is needed here"
end

-- What messages say of an unknown value where none can be.
local NEEDS = { "unknown value", "got userdata", "'for' .* must be a number" }

local function is_stop(e)
    for _, pattern in ipairs(is_hooked and type(e) == "string" and NEEDS or {}) do
        if e:find(pattern) then
            return true
        end
    end
    return e == END or core.internal.error_type == debug.getmetatable(e) and rawget(e, "code") == "ECANCEL"
end

-- Whether what a script's pcall caught ends the plan; then it is raised again.
local function caught(ok, ...)
    if not ok and is_stop((...)) then
        unknown.need()
    end
    return ok, ...
end

-- ---------------------------------------------------------------- unknown values

local function hook()
    if tests.asks(2) then
        unknown.need()
    end
end

-- An unknown value for the script: from here on its lines are looked at before they run.
local function made(kind)
    local level = 2
    while debug.getinfo(level, "l") do
        if tests.asks(level) then
            unknown.need()
        end
        level = level + 1
    end
    if not is_hooked then
        is_hooked = true
        debug.sethook(hook, "l")
    end
    return unknown.new(kind)
end

local KINDS = { float = "float", signed = "integer", unsigned = "integer", text = "string", time = "string" }
local kinds = {}
for _, row in ipairs(core.internal.dtypes()) do
    kinds[row.name] = KINDS[row.kind]
end

-- What an element of that dtype is to a script.
local function element(a)
    local kind = kinds[a:dtype()]
    return kind and made(kind) or unknown.need()
end

-- ---------------------------------------------------------------- points of evaluation

-- Lists what computing arrays would run; they count as computed from here on.
local function evaluated(...)
    evaluation(true)
    local plan = explain(...)
    evaluation(false)
    report.plan(plan)
    for _, a in ipairs { ... } do
        hollow(a)
    end
end

-- The arrays among values, which may be tables of columns.
local function arrays_of(...)
    local list = {}
    for i = 1, select("#", ...) do
        local x = select(i, ...)
        local meta = debug.getmetatable(x)
        if isarray(x) then
            list[#list + 1] = x
        elseif type(x) == "table" and type(meta) == "table" and type(rawget(meta, "columns")) == "table" then
            for _, column in next, meta.columns do
                list[#list + 1] = isarray(column) and column or nil
            end
        end
    end
    return list
end

local function evaluate(...)
    local list = arrays_of(...)
    if #list > 0 then
        evaluated(table.unpack(list))
    end
    local results = table.pack(...)
    for i = 1, results.n do
        local x = results[i]
        results[i] = isarray(x) and select("#", x:shape()) == 0 and element(x) or x
    end
    return table.unpack(results, 1, results.n)
end

-- A reduction of all elements is unknown, one along axes an array.
local function reduction(name, original)
    local lazy = methods.lazy
    return function(a, x, ...)
        local is_operation = isarray(x) or type(x) == "number" and core.op[name] ~= nil
        if not isarray(a) or is_operation or select("#", ...) > 0 then
            return original(unknown.replaced(a, x, ...))
        end
        local scalar = lazy(a, name, x)
        if select("#", scalar:shape()) > 0 then
            return scalar
        end
        evaluated(scalar)
        return element(scalar)
    end
end

-- A method that gives a number of all elements: its plan is that of the arrays among its arguments.
local function number_of(original, result)
    return function(...)
        if not isarray((...)) or type((select(2, ...))) == "table" then
            return original(...)
        end
        evaluated(table.unpack(arrays_of(...)))
        return made(result)
    end
end

-- What only says that it would do something.
local function only_said(what, result)
    return function(...)
        local list = arrays_of(...)
        if #list > 0 then
            evaluated(table.unpack(list))
        end
        report.says(what)
        return result
    end
end

-- What runs at once, and changes arrays whose elements no plan reads.
local run_at_once
function run_at_once(name, original)
    return function(...)
        local results = table.pack(pcall(original, ...))
        if results[1] then
            if type(results[2]) == "function" then -- lun.teams{...}
                results[2] = run_at_once(name, results[2])
            end
            return table.unpack(results, 2, results.n)
        elseif not is_stop(results[2]) then
            error(results[2], 0)
        end
        report.says(name .. " computes at once: it has no plan")
    end
end

local function left_out(name)
    return function()
        finish(name .. " has effects, so it is not called")
    end
end

-- ---------------------------------------------------------------- files

local saved = {} -- paths of files that the script would have written by now

-- Ends the plan where such a file is read.
local function reads(path)
    if saved[path or 0] then
        finish(("%s is written by this script, so it is not read"):format(path))
    end
end

-- lun.load with evaluation on: what files have is no result. Of large files of text the first rows are read.
local function load_file(original)
    return function(path, opts)
        reads(path)
        local size = type(path) == "string" and path:find "%.[ctj]s[vo][nl]?%l?$" and io.open(path, "rb")
        local bytes = size and size:seek "end" or 0
        if size then
            size:close()
        end
        if bytes > LARGE and (opts == nil or type(opts) == "table" and opts.nrows == nil) then
            local own = { nrows = ROWS }
            for key, value in next, opts or {} do
                own[key] = value
            end
            opts = own
            report.says(("of %s only the first %d rows are read"):format(path, ROWS))
        end
        evaluation(true)
        local results = table.pack(original(path, opts))
        local total = 0
        for _, a in ipairs(arrays_of(results[1])) do
            local ok, part = pcall(methods.nbytes, a)
            total = total + (ok and part or 0)
        end
        evaluation(false)
        report.loaded(math.max(total, bytes > LARGE and bytes or 0))
        return table.unpack(results, 1, results.n)
    end
end

local function open_file(original)
    return function(path, ...)
        reads(path)
        if type(path) == "string" and (path:find "%.%l*db%d?$" or path:find "%.sqlite%d?$") then
            left_out "lun.open of a database"()
        end
        evaluation(true)
        local results = table.pack(original(path, ...))
        evaluation(false)
        return table.unpack(results, 1, results.n)
    end
end

-- ---------------------------------------------------------------- the script's functions

local function wrap_lua()
    G.string.format = unknown.wrapped(G.string.format, "string")
    local concat = G.table.concat
    G.table.concat = function(list, ...)
        local is_plain = type(list) == "table" and not debug.getmetatable(list) and #list < 200
        if is_plain and unknown.among(table.unpack(list)) then
            return unknown.new "string"
        end
        return concat(list, ...)
    end
    local tostring, tonumber, math_type = tostring, tonumber, math.type
    function G.type(...)
        local kind = unknown.kind((...))
        return kind and (kind == "string" and kind or "number") or type(...)
    end
    function G.math.type(...)
        return unknown.kind((...)) or math_type(...)
    end
    tests.knows(G.type)
    tests.knows(G.math.type)
    for _, library in ipairs { "string", "math", "os", "utf8" } do
        for name, f in next, G[library] do
            if type(f) == "function" and name ~= "format" then
                tests.knows(f)
            end
        end
    end
    G.tostring = function(...)
        if isarray((...)) then
            return unknown.new "string"
        end
        return unknown.kind((...)) and unknown.new "string" or tostring(...)
    end
    G.tonumber = function(...)
        return unknown.kind((...)) and (...) or tonumber(...)
    end
    G.pcall = (function(pcall)
        return function(...) return caught(pcall(...)) end
    end)(pcall)
    G.xpcall = (function(xpcall)
        return function(...) return caught(xpcall(...)) end
    end)(xpcall)
    G.coroutine.resume = (function(resume)
        return function(...) return caught(resume(...)) end
    end)(G.coroutine.resume)
end

-- Output says that it is left out, what has effects ends the plan.
local function wrap_system()
    G.print = only_said "print"
    G.io.write = only_said("io.write", io.stdout)
    for _, name in ipairs { "remove", "rename", "execute", "tmpname", "setlocale" } do
        G.os[name] = left_out("os." .. name)
    end
    for _, name in ipairs { "popen", "output", "tmpfile" } do
        G.io[name] = left_out("io." .. name)
    end
    G.io.open = (function(open)
        return function(path, mode)
            if mode ~= nil and type(mode) == "string" and mode:find "[wa+]" then
                left_out "io.open for writing"()
            end
            reads(path)
            return open(path, mode)
        end
    end)(G.io.open)
    local lines = G.io.lines
    G.io.lines = function(path, ...)
        if path == nil then
            unknown.need()
        end
        reads(path)
        return lines(path, ...)
    end
    G.io.read = unknown.need
    G.os.exit = function()
        finish "os.exit ends the script"
    end
    local events = debug.getmetatable(io.stdout).__index
    events.write = only_said("write", io.stdout)
end

-- A function to which any number of its kind says what an unknown one would.
local function taking_unknown(original)
    return function(...)
        return original(unknown.replaced(...))
    end
end

local function wrap_module(lun)
    for _, row in ipairs(core.internal.reductions()) do
        if not core.op[row.name] then -- which functions that are compiled may call
            lun[row.name] = reduction(row.name, core[row.name])
        end
    end
    lun.load, lun.open = load_file(lun.load), open_file(lun.open)
    lun.eval, lun.prepare = evaluate, function() return true end
    lun.dot = number_of(core.dot, "float")
    lun.median, lun.quantile = number_of(core.median, "float"), number_of(core.quantile, "float")
    for _, name in ipairs { "plot", "hist", "bars", "box", "image" } do
        lun[name] = only_said("lun." .. name)
    end
    lun.queue = left_out "lun.queue" -- computes by itself
    lun.sql = setmetatable({ config = function() end }, { __call = left_out "lun.sql" })
    lun.cache = { export = left_out "lun.cache.export", import = left_out "lun.cache.import" }
    local save = only_said("lun.save", true)
    lun.save = function(path, ...)
        saved[path or 0] = true
        return save(...)
    end
    lun.each, lun.teams = run_at_once("lun.each", core.each), run_at_once("lun.teams", core.teams)
    for _, row in ipairs(core.internal.skeletons()) do
        lun[row.name] = taking_unknown(lun[row.name])
    end
    lun.generate = taking_unknown(lun.generate)
    lun.profile = function(f, ...)
        return {}, f(...)
    end
    lun.trace = function(_, f, ...)
        if f then
            return f(...)
        end
        return true
    end
    lun.explain = function(...)
        evaluation(true)
        local plan = explain(...)
        evaluation(false)
        return plan
    end
end

local function wrap_methods()
    for _, row in ipairs(core.internal.reductions()) do
        methods[row.name] = reduction(row.name, methods[row.name])
    end
    for name in next, core.op do
        if name ~= "min" and name ~= "max" and name ~= "sub" and methods[name] then
            methods[name] = taking_unknown(methods[name])
        end
    end
    for _, row in ipairs(core.internal.skeletons()) do
        methods[row.name] = taking_unknown(methods[row.name])
    end
    local skeletons = core.internal.skeleton_type
    skeletons.__call = taking_unknown(skeletons.__call)
    methods.eval = function(a)
        evaluated(a)
        return a
    end
    methods.value = function(a)
        evaluated(a)
        return element(a)
    end
    methods.dot, methods.median = number_of(methods.dot, "float"), number_of(methods.median, "float")
    methods.quantile = number_of(methods.quantile, "float")
    for _, name in ipairs { "totable", "tobytes", "iter", "read" } do
        methods[name] = function(a)
            evaluated(a)
            unknown.need()
        end
    end
    for _, name in ipairs { "add", "sub", "mul", "div", "mod", "pow", "idiv" } do
        array_type["__" .. name] = taking_unknown(array_type["__" .. name])
    end
    local index, newindex = array_type.__index, array_type.__newindex
    array_type.__index = function(a, key)
        if unknown.kind(key) then
            unknown.need()
        elseif math.type(key) == "integer" and select("#", a:shape()) == 1 and key ~= #a + 1 then
            return element(a)
        end
        return index(a, key)
    end
    array_type.__newindex = function(a, key, x)
        if unknown.kind(key) then
            unknown.need()
        elseif isarray(x) then
            evaluated(x)
        elseif not unknown.kind(x) then
            local ok, e = pcall(newindex, a, key, x)
            if not ok and not is_stop(e) then
                error(e, 0)
            end
        end
    end
end

-- ---------------------------------------------------------------- the whole

-- Turns evaluation off for the script that runs next.
function M.begin()
    wrap_lua()
    wrap_system()
    wrap_module(G.lun)
    scope.each(function(lun)
        if lun ~= G.lun then
            wrap_module(lun)
        end
    end)
    wrap_methods()
    evaluation(false)
end

-- The script has ended.
function M.done()
    debug.sethook()
    report.ends()
end

-- Whether the error that ended the script ends the plan alone.
function M.is_end(e)
    if is_over then
        return true
    elseif is_stop(e) then
        is_over = true
        report.ends "a value is needed here"
        return true
    end
    return false
end

return M
