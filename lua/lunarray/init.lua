-- The module: the functions of the engine's binding, and those written in Lua. Each part has its own file, and parts
-- that not every script needs are loaded at their first call.

local core = require "lunarray.core"
local count = require "lunarray.base.arguments"
local skeleton = require "lunarray.function.skeleton"

local lun = {}
for name, value in pairs(core) do
    if name ~= "internal" then
        lun[name] = value
    end
end

lun.sequence = skeleton.sequence
lun.compose = skeleton.compose

-- A function of another file, which is loaded at the first call; it takes up to `most` arguments.
local function later(file, name, most)
    return function(...)
        count(name == "text" and not file:find "date$" and file:match "[^.]*$" or name, most, ...)
        return require("lunarray." .. file)[name](...)
    end
end

lun.struct = later("record.record", "struct", 3)
core.internal.offer_records { -- before there are structs
    stand_in = function(text)
        if text:find("c64", 1, true) or text:find("c128", 1, true) or text:find "^[/.]" then
            require "lunarray.record.record"
            return require("lunarray.record.recordcall").stand_in(text)
        end
    end,
}
lun.load = later("format.io", "load", 2)
lun.open = later("format.io", "open", 2)
lun.save = later("format.io", "save", 3)
lun.stream = later("format.stream", "stream", 2)
lun.decode = later("format.io", "decode", 3)
lun.encode = later("format.io", "encode", 3)
lun.table = later("table.object", "table", 2)
lun.rows = later("table.rows", "rows", 2)
lun.factor = later("table.factor", "factor", 1)

-- a:round([decimals]); lun.round, which functions for kernels may call, is the operation alone.
local whole = core.internal.methods.round
function core.internal.methods.round(a, decimals, ...)
    count("round", 1, decimals, ...)
    if decimals == nil then
        return whole(a)
    elseif math.type(decimals) ~= "integer" then
        whole(a) -- raises what is wrong with it
        require "lunarray.base.fault"("bad argument #1 to 'round' (number of decimals, an integer, expected, got %s)",
            core.internal.kind_of(decimals))
    end
    local by = 10.0 ^ math.abs(decimals)
    return decimals < 0 and whole(a / by) * by or whole(a * by) / by
end

-- Of tables of columns the rows are joined.
function lun.concat(list, ...)
    local first = type(list) == "table" and rawget(list, 1)
    local meta = type(first) == "table" and getmetatable(first)
    if type(meta) == "table" and rawget(meta, "columns") then
        return require("lunarray.table.verbs").concat(list, ...)
    end
    return core.concat(list, ...)
end

lun.arrow = { export = later("format.arrow", "export", 2), import = later("format.arrow", "import", 2) }
lun.json = {
    decode = later("format.jsonvalue", "decode", 1), encode = later("format.jsonvalue", "encode", 2),
    object = later("format.jsonvalue", "object", 1), null = core.internal.json_null,
}
lun.sql = setmetatable({ config = later("format.duckdb", "config", 1) }, {
    __name = "lun.sql",
    __call = function(_, ...)
        count("sql", 4, ...)
        return require("lunarray.format.duckdb").sql(...)
    end,
    __tostring = function() return "lun.sql(text [, tables [, parameters [, opts]]])" end,
})
lun.group = later("table.group", "group", math.huge)
lun.join = later("table.join", "join", 4)
lun.date = {
    parse = later("table.date", "parse", 1),
    make = later("table.date", "make", 3),
    text = later("table.date", "text", 1),
    year = later("table.date", "year", 1),
    month = later("table.date", "month", 1),
    day = later("table.date", "day", 1),
    weekday = later("table.date", "weekday", 1),
    yearday = later("table.date", "yearday", 1),
}
function lun.duration(...) return (require("lunarray.names.times").duration(...)) end
function lun.date.range(...) return (require("lunarray.names.times").range(...)) end
lun.plot = later("chart.plot", "plot", 3)
lun.hist = later("chart.hist", "hist", 3)
lun.image = later("chart.image", "image", 3)
lun.bars = later("chart.bars", "bars", 3)
lun.box = later("chart.box", "box", 3)
lun.precision = later("show.digits", "precision", 1)
lun.width = later("show.show", "width", 1)
lun.elements_shown = later("show.show", "elements_shown", 1)
lun.rows_shown = later("show.frame", "rows_shown", 1)
lun.profile = later("show.profile", "profile", math.huge)
lun.expect = later("show.expect", "expect", math.huge)
lun.check = later("function.check", "check", 1)
lun.variant = later("function.variant", "variant", 1)
lun.grad = later("gradient.gradient", "grad", 2)
lun.derivative = later("gradient.gradient", "derivative", 2)
lun.hessian = later("gradient.gradient", "hessian", 1)
lun.jvp = later("gradient.gradient", "jvp", 3)
lun.minimize = later("gradient.fit", "minimize", 3)
lun.curve_fit = later("gradient.fit", "curve_fit", 4)
lun.batch = later("batch.batch", "batch", 2)
lun.csr = later("sparse.csr", "csr", 5)
lun.runs = later("ragged.runs", "runs", 2)
lun.info = later("show.info", "text", 0)
lun.help = later("prompt.help", "text", 1)

local function all(...) return ... end

-- The same of a method. No tail call: errors count arguments as the call is written.
local function method(file, name, most)
    core.internal.methods[name] = function(...)
        count(name, most, ...)
        return all(require("lunarray." .. file)[name](...))
    end
    return core.internal.methods[name]
end

for name, most in pairs { filter = math.huge, dropnan = 1 } do
    lun[name] = method("table.select", name, most)
end

for name, most in pairs { reduceby = 4, scanby = 5, spread = 3, reduceat = 4 } do
    lun[name] = method("table.runs", name, most)
end

-- Names that are written over the others: rows of the files of lua/lunarray/names, each loaded when one of its names is
-- first called. Of `methods` each is a function of the module, too.
local NAMES = require "lunarray.names.list"
local over_ranks = {} -- what a name does where arguments may be blocked arrays: lua/lunarray/block/blocknames.lua
core.internal.names = { files = NAMES, over_ranks = over_ranks }

for _, names in ipairs(NAMES) do
    local file = "lunarray.names." .. names.file
    for name in (names.functions .. " " .. names.methods):gmatch "%S+" do
        lun[name] = function(...)
            return all((over_ranks[name] or require(file)[name])(...))
        end
    end
    for name in names.methods:gmatch "%S+" do -- counts its arguments without the array
        core.internal.methods[name] = function(...)
            return all(require(file).methods[name](...))
        end
    end
end

-- Methods of arrays of dtype text alone: rows of names/texts.lua.
for name in ("upper lower trim ltrim rtrim lpad rpad len substr contains startswith endswith find replace part split "
    .. "matches match gsub map cast isin format .."):gmatch "%S+" do
    core.internal.text_methods[name] = function(...)
        return all(require("lunarray.names.texts").methods[name](...))
    end
    if name ~= ".." and not core.internal.methods[name] then -- refuses numbers by name
        core.internal.methods[name] = core.internal.text_methods[name]
    end
end

-- Methods of dates, timestamps and durations: rows of names/times.lua.
for name in ("year month day weekday yearday quarter week isoyear hour minute second microsecond date time truncate "
    .. "add zone format seconds cast isin reduce scan clip histogram describe"):gmatch "%S+" do
    core.internal.time_methods[name] = function(...)
        return all(require("lunarray.names.times").methods[name](...))
    end
    if not core.internal.methods[name] then -- refuses others by name
        core.internal.methods[name] = core.internal.time_methods[name]
    end
end

for name in ("sort argsort unique prod"):gmatch "%S+" do
    core.internal.complex_methods[name] = function(...)
        return all(require("lunarray.names.complex").of_arrays[name](...))
    end
end

-- a .. 3 and a .. {4, 5}, of any dtype.
function core.internal.complex_methods.joined(...)
    return all(require "lunarray.names.joined"(...))
end

-- a:unique{axis=}, of any dtype.
function core.internal.complex_methods.unique_rows(...)
    return all(require "lunarray.names.uniquerows"(...))
end

-- Functions of complex numbers, as complex_call.c calls them.
function core.internal.complex_methods.wrapped(...)
    return require("lunarray.function.complexcall").wrapped(...)
end

-- Methods of a complex number: functions of it, of the names of rows or of the module.
for name in ("abs angle conj real imag exp expm1 log log1p log2 log10 sqrt sin cos tan asin acos atan sinh cosh tanh "
    .. "asinh acosh atanh sign round square reciprocal pow eq ne isnan isinf isfinite add sub mul div neg"
    ):gmatch "%S+" do
    core.internal.complex_values[name] = function(...)
        return all(lun[name](...))
    end
end

lun.region = later("show.trace", "region", math.huge)
lun.trace = later("show.trace", "trace", math.huge) -- the trace of a matrix is a method alone

lun.pi, lun.e, lun.inf, lun.nan = math.pi, math.exp(1), math.huge, 0.0 / 0.0

method("show.plan", "source", 2)
core.internal.page_type.__tostring = later("show.plan", "page", 1)
core.internal.array_type.__tostring = later("show.show", "text", 1)
core.internal.array_type.__call = later("table.object", "call", math.huge)

-- Arrays distributed over ranks are blocked arrays.
core.internal.distribute_over_ranks(function(...) return lun.spmd.distribute(...) end)

for name in ("uniform normal"):gmatch "%S+" do
    core.internal.kernel_form(lun[name], function() return require("lunarray.names.draws")[name] end)
end

core.internal.distributions(function(...) return require("lunarray.names.random").random(...) end)

-- The engine joins the ranks when one of their names is first used.
lun.spmd = setmetatable({}, {
    __index = function(spmd, name)
        setmetatable(spmd, nil)
        for key, value in pairs(require "lunarray.spmd") do
            spmd[key] = value
        end
        return spmd[name]
    end,
})

return lun
