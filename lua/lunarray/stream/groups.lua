-- Aggregates of groups of rows that come in parts: what is known of each group so far, and how the rows of some more
-- parts change it. The sums of floats are those of parts of 65,536 rows added in order, as in memory
-- (backends/algorithms/aggregate_groups.c), where a part has at most 8192 groups.
--
-- Invariant of a sink: `count` groups in the order of their keys, or as they first came; each accumulator has an
-- element for each of them.

local core = require "lunarray.core"
local chain = require "lunarray.stream.chain"
local column = require "lunarray.table.column"
local dtypes = require "lunarray.base.dtypes"
local frame = require "lunarray.show.frame"
local group = require "lunarray.table.group"
local grouped = require "lunarray.table.grouped"

local internal = core.internal

local M = {}

local PART <const> = internal.order.part -- rows
local FEW <const> = 8192 -- groups of a part that is added as one

-- ---------------------------------------------------------------- accumulators
-- Each has a value for each group: of(x, s) gives those of the groups of some parts, join(old, new) what both come to.
-- blank: of groups without rows yet; nil: missing. s has the groups of these parts: g, their handle, count and sums(x),
-- which adds f64 by parts to what there is.

local function of_there(x)
    return internal.has_missing(x) and ~x:ismissing() or nil
end

-- x, or where elements are missing another value; in f64 if `wide`.
local function filled(x, value, wide)
    local there = of_there(x)
    x = there and core.where(there, internal.slots(x), value) or x
    return wide and x:cast "f64" or x
end

local function either(old, new, join)
    return core.where(old:ismissing(), new, core.where(new:ismissing(), old, join))
end

local KINDS <const> = {
    rows = { blank = 0, of = function(_, s) return s.g:count() end, join = function(a, b) return a + b end },
    there = {
        blank = 0,
        of = function(x, s)
            local there = of_there(x)
            return there and s.g:count(there) or s.g:count()
        end,
        join = function(a, b) return a + b end,
    },
    total = { blank = 0, of = function(x, s) return s.g:sum(x) end, join = function(a, b) return a + b end },
    product = { blank = 1, of = function(x, s) return s.g:prod(x) end, join = function(a, b) return a * b end },
    sums = { blank = 0.0, parts = "sum", of = function(x) return filled(x, 0, true) end,
        join = function(a, b) return a + b end },
    products = { blank = 1.0, parts = "prod", of = function(x) return filled(x, 1, true) end,
        join = function(a, b) return a * b end },
    any = { blank = false, of = function(x, s) return s.g:any(x) end, join = function(a, b) return a | b end },
    all = { blank = true, of = function(x, s) return s.g:all(x) end, join = function(a, b) return a & b end },
    first = {
        of = function(x, s) return s.g:first(x) end,
        join = function(a, b) return core.where(a:ismissing(), b, a) end,
    },
    last = {
        of = function(x, s) return s.g:last(x) end,
        join = function(a, b) return core.where(b:ismissing(), a, b) end,
    },
    min = {
        of = function(x, s) return s.g:min(x) end,
        join = function(a, b) return either(a, b, core.where(b:lt(a) | b:isnan(), b, a)) end,
    },
    max = {
        of = function(x, s) return s.g:max(x) end,
        join = function(a, b) return either(a, b, core.where(b:gt(a) | b:isnan(), b, a)) end,
    },
}

for _, name in ipairs { "min", "max" } do
    local better = name == "min" and "lt" or "gt"
    KINDS[name].join = function(a, b)
        local replaces = b[better](b, a)
        if dtypes.is_float(a:dtype()) then
            replaces = replaces | b:isnan() & ~b:ismissing()
        end
        return either(a, b, core.where(replaces, b, a))
    end
end

-- ---------------------------------------------------------------- functions of agg
-- What each needs: need(kind, x, f) gives a function of the number of groups; f makes the array of x's column.

local function kind_of(x)
    return dtypes.by_name[column.dtype(x)].kind
end

local function is_integer(x)
    local kind = kind_of(x)
    return kind == "signed" or kind == "unsigned" or kind == "bool" or column.dtype(x) == "duration"
end

local function missing_where(mask, x)
    return core.where(mask, core.na, x)
end

local functions = {}

function functions.count(need, x)
    return need(x == nil and "rows" or "there", x)
end

function functions.sum(need, x, sample)
    return need(is_integer(sample) and "total" or "sums", x)
end

function functions.prod(need, x, sample)
    return need(is_integer(sample) and "product" or "products", x)
end

for name in ("min max first last any all"):gmatch "%S+" do
    functions[name] = function(need, x)
        return need(name, x)
    end
end

function functions.mean(need, x)
    local total, there = need("sums", x), need("there", x)
    return function()
        local n = there()
        return missing_where(n:eq(0), total() / n)
    end
end

-- f64 elements less the mean of their group, which `means` gives.
local function deviations(x, means, s)
    return x:cast "f64" - means:take(s.codes)
end

local function variance(need, x, opts)
    local mean, there = functions.mean(need, x), need("there", x)
    local squares = need.later("sums", "squares " .. x, function(part, s)
        local d = deviations(frame.column(part, x), s.own(mean()), s)
        return d * d
    end)
    return function()
        local n = there()
        local free = n - (opts and opts.ddof or 0)
        return missing_where(n:eq(0), squares() / core.where(free:gt(0), free, 0 / 0))
    end
end

function functions.var(need, x, _, opts)
    return variance(need, x, opts)
end

function functions.std(need, x, _, opts)
    local square = variance(need, x, opts)
    return function()
        return square():sqrt()
    end
end

-- Sums of what `f` makes of two columns where neither is missing.
local function of_pairs(stage, x, y, what, f)
    return stage("sums", ("%s %q %q"):format(what, x, y), function(part, s)
        local a, b = frame.column(part, x):cast "f64", frame.column(part, y):cast "f64"
        local gone = a:ismissing() | b:ismissing()
        return f(core.where(gone, core.na, a), core.where(gone, core.na, b), s)
    end)
end

local function centred_sums(need, x, y)
    local function first(what, f)
        return of_pairs(need, x, y, what, f)
    end
    local pairs_of = first("pairs", function(a) return core.where(a:ismissing(), 0.0, 1.0) end)
    local of_x = first("left", function(a) return a end)
    local of_y = first("right", function(_, b) return b end)
    local function later(what, f)
        return of_pairs(need.later, x, y, what, function(a, b, s)
            local n = pairs_of()
            return f(deviations(a, s.own(of_x() / n), s), deviations(b, s.own(of_y() / n), s))
        end)
    end
    return pairs_of, later
end

local function of_at_least(n, result, pairs_of)
    return core.where(pairs_of:lt(n), core.na, result)
end

function functions.cov(need, x, _, y)
    local count, later = centred_sums(need, x, y)
    local products = later("products", function(a, b) return a * b end)
    return function()
        local n = count()
        return of_at_least(2, products() / (n - 1), n)
    end
end

function functions.corr(need, x, _, y)
    local count, later = centred_sums(need, x, y)
    local products = later("products", function(a, b) return a * b end)
    local left = later("left squares", function(a) return a * a end)
    local right = later("right squares", function(_, b) return b * b end)
    return function()
        return of_at_least(2, products() / (left() * right()):sqrt(), count())
    end
end

function functions.wmean(need, x, _, w)
    local count = of_pairs(need, x, w, "pairs", function(a) return core.where(a:ismissing(), 0.0, 1.0) end)
    local weighed = of_pairs(need, x, w, "weighed", function(a, b) return a * b end)
    local weights = of_pairs(need, x, w, "right", function(_, b) return b end)
    return function()
        return of_at_least(1, weighed() / weights(), count())
    end
end

-- Whether a function of agg is computed part by part for a column of the sample, with these further arguments.
local function streams(f, x, more)
    if type(f) ~= "string" or not functions[f] then
        return false
    elseif x == nil or f == "count" or f == "first" or f == "last" or f == "min" or f == "max" then
        return more[1] == nil
    elseif kind_of(x) == "time" then
        return f == "sum" and more[1] == nil
    elseif f == "var" or f == "std" then
        local opts = more[1]
        return opts == nil or type(opts) == "table" and next(opts) == "ddof" and next(opts, "ddof") == nil
    elseif f == "cov" or f == "corr" or f == "wmean" then
        return type(more[1]) == "string" and more[2] == nil
    end
    return more[1] == nil
end

-- ---------------------------------------------------------------- groups so far

local Sink = {}
Sink.__index = Sink

-- The groups of a part, by the keys of the sink's first arguments.
local function groups_of(self, part)
    if #self.keys == 0 then
        return group.state_of(group.of_table(part, {}, core.full(#part, 1), { levels = 1 }))
    end
    local args = table.move(self.keys, 1, #self.keys, 1, {})
    args[#args + 1] = self.first and { order = "first" } or nil
    return group.state_of(grouped.group(part, table.unpack(args)))
end

-- Numbers the groups of some parts among all: for each its number, nil: they are all of them, in the same order.
function Sink:number(s)
    local keys = #self.keys > 0 and table.pack(s.g:keys()) or { n = 0 }
    if self.values == nil then
        for k = 1, keys.n do
            keys[k] = keys[k]:eval()
        end
        self.values, self.count = keys, s.count
        return nil
    elseif keys.n == 0 then
        return nil
    end
    local all = {}
    for k = 1, keys.n do
        all[k] = assert(column.concat { self.values[k], keys[k] })
    end
    all[#all + 1] = self.first and { order = "first" } or nil
    local g = group.group(table.unpack(all))
    local codes, before = g:codes():eval(), self.count
    if #g > before then
        local at = core.full(#g, 0)
        at = (before > 0 and at:put(codes:sub(1, before), core.index(before)) or at):eval()
        for _, a in pairs(self.accumulators) do
            a.value = a.value and self.extended(a, at, before)
        end
        self.values, self.count = table.pack(g:keys()), #g
    end
    local own = codes:sub(before + 1, -1)
    return not (s.count == self.count and own:eq(core.index(s.count)):all()) and own or nil
end

-- An accumulator's values with blank ones where `at`, the number that a group had, is 0.
function Sink.extended(a, at, before)
    if a.kind.blank == nil then
        return a.value:take(at, { missing = core.na }):eval()
    elseif before == 0 then
        return core.full(#at, a.kind.blank)
    end
    return core.where(at:eq(0), a.kind.blank, a.value:take(core.max(at, 1))):eval()
end

-- f64 added by groups of parts of 65,536 rows to what there is of these groups.
local function added(s, x, name, old, join)
    local rows = #s.codes
    local parts = (rows + PART - 1) // PART
    if parts <= 1 or s.count > FEW or s.count == 0 then
        return join(old, s.g[name](s.g, x))
    end
    s.by_part = s.by_part or group.group(((core.index(rows) - 1) // PART) * s.count + s.codes,
        { levels = parts * s.count })
    local all = s.by_part[name](s.by_part, x)
    for p = 1, parts do
        old = join(old, all:sub((p - 1) * s.count + 1, p * s.count))
    end
    return old
end

-- Takes the rows of some parts.
function Sink:take(part)
    if #part == 0 then
        for _, name in ipairs(self.names) do -- as is seen of the first rows, of which none may be left
            frame.column(part, name)
        end
        self.empty = part
        return
    end
    local s = groups_of(self, part)
    local own = self:number(s)
    function s.own(values)
        return own and values:take(own) or values
    end
    local list, new = {}, {}
    for _, a in ipairs(self.due) do
        local x = a.make(part, s)
        local kind = a.kind
        if kind.parts then
            local old = a.value and s.own(a.value) or core.full(s.count, kind.blank)
            x = added(s, kind.of(x), kind.parts, old, kind.join)
        else
            x = kind.of(x, s)
            x = a.value and kind.join(s.own(a.value), x) or x
        end
        new[#new + 1], list[#list + 1] = a, x
    end
    column.evaluate(list)
    for k, a in ipairs(new) do
        if own and a.value then
            local at = core.index(self.count):put(own, core.index(s.count) + self.count)
            a.value = core.concat({ a.value, list[k] }):take(at):eval()
        elseif own then -- the first rows that this accumulator takes, but not of the sink
            local at = core.full(self.count, 0):put(own, core.index(s.count))
            a.value = self.extended({ kind = a.kind, value = list[k] }, at, s.count)
        else
            a.value = list[k]
        end
    end
end

-- ---------------------------------------------------------------- agg

-- What the entries of a spec need: accumulators of the first pass, those of the second, and for each entry the
-- function of its result, false: it is computed of all its rows.
local function planned(entries, sample)
    local first, second, by_name = {}, {}, {}
    local function adder(list, pass)
        return function(kind, x, make)
            local name = ("%d %s %s"):format(pass, kind, x == nil and "" or x)
            local a = by_name[name]
            if not a then
                a = { kind = KINDS[kind], make = make or function(part)
                    return x ~= nil and frame.column(part, x) or nil
                end }
                by_name[name], list[#list + 1] = a, a
            end
            return function() return a.value end
        end
    end
    local add = adder(first, 1)
    local need = setmetatable({ later = adder(second, 2) }, { __call = function(_, ...) return add(...) end })
    local results = {}
    for i, entry in ipairs(entries) do
        local f, x = entry[2], entry[3]
        local in_sample = x ~= nil and frame.column(sample, x) or nil
        local more = table.move(entry, 4, #entry, 1, {})
        results[i] = streams(f, in_sample, more) and functions[f](need, x, in_sample, table.unpack(more)) or false
    end
    return first, second, results, by_name
end

-- A sink that keeps the rows in these columns.
function M.rows_kept(names)
    local list = {}
    local sink = {}

    function sink.take(_, part)
        list[#list + 1] = chain.stored(part, names)
    end

    function sink.result()
        return #list == 1 and list[1] or require("lunarray.table.verbs").concat(list)
    end
    return sink
end

-- The names of keys and of columns that entries take.
local function named_by(entries, keys)
    local names = table.move(keys, 1, #keys, 1, {})
    for _, entry in ipairs(entries) do
        for k = 3, #entry do
            local two = entry[2] == "cov" or entry[2] == "corr" or entry[2] == "wmean"
            if type(entry[k]) == "string" and (k == 3 or two) then
                names[#names + 1] = entry[k]
            end
        end
    end
    return names
end

-- Whether some of these accumulators add parts in order: rows of several parts would be grouped by part once more.
local function adds_parts(list)
    for _, a in ipairs(list) do
        if a.kind.parts then
            return true
        end
    end
    return false
end

-- The table that agg gives of a node's groups. keys: names of columns, as k1 and so on in the result where `shown` says
-- so; first: groups in the order of their first rows.
function M.agg(node, keys, shown, first, spec)
    local entries = grouped.entries_of(spec)
    local gathered, seen = table.move(keys, 1, #keys, 1, {}), {}
    for _, name in ipairs(keys) do
        seen[name] = true
    end
    local sink, results, second, kept
    local function make()
        local of_first, by_name
        of_first, second, results, by_name = planned(entries, node.sample)
        sink = setmetatable({ keys = keys, names = named_by(entries, keys), first = first, due = of_first,
            accumulators = by_name, passing = true, single = adds_parts(of_first) }, Sink)
        kept = nil
        for i, entry in ipairs(entries) do
            for k = 3, results[i] and 2 or #entry do
                local name = entry[k]
                local is_column = k == 3 or type(name) == "string" and (entry[2] == "cov" or entry[2] == "corr"
                    or entry[2] == "wmean")
                if is_column and not seen[name] then
                    seen[name], gathered[#gathered + 1] = true, name
                end
            end
            kept = kept or not results[i] and M.rows_kept(gathered)
        end
        return { sink, kept or nil }
    end
    chain.run(node, make)
    if #second > 0 then
        chain.run(node, function()
            sink.due, sink.single = second, adds_parts(second)
            for _, a in ipairs(second) do
                a.value = nil
            end
            return { sink }
        end)
    end
    local whole
    if not sink.count then
        whole = #keys == 0 and grouped.one(sink.empty) or group.state_of(grouped.group(sink.empty, table.unpack(keys)))
        return grouped.table_of(shown, #keys > 0 and table.pack(whole.g:keys()) or {}, whole.count, spec, function(...)
            return grouped.aggregate(whole, ...)
        end)
    elseif kept then
        local args = table.move(keys, 1, #keys, 1, {})
        args[#args + 1] = first and { order = "first" } or nil
        whole = #keys == 0 and grouped.one(kept.result())
            or group.state_of(grouped.group(kept.result(), table.unpack(args)))
    end
    local i = 0
    return grouped.table_of(shown, sink.values, sink.count, spec, function(...)
        i = i + 1
        return results[i] and results[i]() or grouped.aggregate(whole, ...)
    end)
end

return M
