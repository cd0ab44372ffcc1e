-- The rows of csv files in turn, for the chains of opened tables (stream/chain.lua): some rows at a time, in the dtypes
-- that lun.load gives.
--
-- Invariant of a source: `flags[name]` are those of all fields of the column that were read (csv/csv.h), which grow
-- until all are; columns come in the dtype that they say. `from` is the file that rows come from now, `number` its
-- number.

local chain = require "lunarray.stream.chain"
local column = require "lunarray.table.column"
local core = require "lunarray.core"
local object = require "lunarray.table.object"
local opened = require "lunarray.stream.opened"
local progress = require "lunarray.base.progress"

local internal = core.internal

local M = {}

local FIRST <const> = 1000 -- rows by which their bytes are known
local TEXT <const> = 64 -- flag of a field that is no number, truth value or date
local SAMPLE <const> = 1 << 20 -- bytes of the first rows

local Source = {}
Source.__index = Source

-- ---------------------------------------------------------------- columns

-- How column i of a file is read: as a part of one that has such fields elsewhere.
local function how_of(source, from, i)
    local how, seen = from.hows[i], source.flags[from.wanted[i]]
    if how.kind or not seen then
        return how
    end
    return { missing = how.missing, undated = how.undated, seen = seen }
end

-- The columns of these numbers among the wanted ones, of the rows in turn; how many rows; or nil, message, code.
local function read(source, from, list)
    local numbers, hows = {}, {}
    for k, i in ipairs(list) do
        numbers[k], hows[k] = from.numbers[i], how_of(source, from, i)
    end
    local values, valid, flags, rows = source.columns_of(from, numbers, hows)
    if not values then
        return nil, valid, flags
    end
    local columns, changed = {}, nil
    for k, i in ipairs(list) do
        local name = from.wanted[i]
        if not from.hows[i].kind then
            local before = source.flags[name]
            source.flags[name] = (before or 0) | flags[k]
            if before and internal.csv_kind(before) ~= internal.csv_kind(source.flags[name]) then
                changed = name
            end
        end
        columns[name] = source.joined(values[k], valid[k], from.dtypes[i])
    end
    source.changed = changed or source.changed
    if changed and source.once and source.number > 1 then
        error(("%s: column '%s' is %s, as later rows say, and the first rows are gone: {dtypes = {%s = %q}}"):format(
            from.path, changed, internal.csv_kind(source.flags[changed]), changed,
            internal.csv_kind(source.flags[changed])), 0)
    elseif changed then
        error(chain.again, 0)
    end
    return columns, rows
end

local function places_of(from)
    local at = {}
    for i, name in ipairs(from.wanted) do
        at[name] = i
    end
    return at
end

local function failed(from, message)
    error(("%s: %s"):format(from.path, message), 0)
end

-- ---------------------------------------------------------------- files in turn

-- Opens file k: true, false where there is none; or nil, message, code.
function Source:enter(k)
    if self.from and self.several then
        internal.csv_close(self.from.reader)
        self.from.source:close()
        self.from = nil
    end
    self.number = k
    if not self.files[k] or self.left and self.left <= 0 then
        return false
    end
    if not self.from then
        local from, message, code = self.open(self.files[k], self.left, self.first)
        if not from then
            return nil, message, code
        end
        self.from, self.places = from, places_of(from)
    end
    internal.csv_next(self.from.reader)
    return true
end

-- The next rows are the first.
function Source:begin()
    self.left = self.most
    local ok, message = self:enter(1)
    if ok == nil then
        error(message, 0)
    end
end

-- At most so many rows behind those that came before: how many there are, and a function that gives columns of them,
-- of which those in `used` are read at once; nil: there are no more.
function Source:next(rows, used)
    local list
    while self.files[self.number] do
        local from, places = self.from, self.places
        local some, at, size = false, 0, 0
        if from then
            some, at, size = internal.csv_next(from.reader, rows)
        end
        if some then
            progress.report("read", "bytes", at, size)
            list = {}
            for _, name in ipairs(used) do
                list[#list + 1] = places[name]
            end
            local columns, count = read(self, from, list)
            if not columns then
                failed(from, count)
            end
            self.left = self.left and self.left - count
            if count > 0 then
                return count, self:fetcher(from, columns, count)
            end
        else
            local ok, message = self:enter(self.number + 1)
            if ok == nil then
                error(message, 0)
            end
        end
    end
end

-- The function that gives columns of the rows in turn; those that are not in `columns` are read.
function Source:fetcher(from, columns, count)
    return function(name)
        if name == self.source_name then
            return column.repeated(from.path, count)
        elseif not columns[name] then
            local more, message = read(self, from, { self.places[name] })
            if not more then
                failed(from, message)
            end
            columns[name] = more[name]
        end
        return columns[name]
    end
end

-- ---------------------------------------------------------------- the first rows

-- How many rows 1 MB has, about; or nil, message, code.
local function rows_of_sample(source, from)
    source.row_bytes = 1
    if not internal.csv_next(from.reader, FIRST) then
        return FIRST
    end
    local columns, rows, code = read(source, from, {})
    if not columns then
        return nil, rows, code
    end
    local some, at = internal.csv_next(from.reader, 1)
    source.row_bytes = at // math.max(rows, 1) + 1
    return some and math.max(FIRST, SAMPLE // source.row_bytes) or FIRST
end

-- The table of the first rows; or nil, message, code. A column that cannot be read fails where it is used.
local function sample_of(source)
    local from, list = source.from, {}
    local rows, message, code = rows_of_sample(source, from)
    if not rows then
        return nil, message, code
    end
    for i = 1, #from.wanted do
        list[i] = i
    end
    internal.csv_next(from.reader)
    local some = internal.csv_next(from.reader, rows)
    local columns, count = read(source, from, list)
    local faults = {}
    if not columns then
        local none
        none, count, code = read(source, from, {})
        if not none then
            return nil, count, code
        end
        columns = {}
        for i, name in ipairs(from.wanted) do
            local one, why = read(source, from, { i })
            columns[name] = one and one[name]
            faults[name] = not one and why or nil
        end
    end
    source.complete = not source.several and not (some and internal.csv_next(from.reader, 1))
    return object.by_use(source.names, count, function(name)
        if faults[name] then
            failed(from, faults[name])
        end
        return name == source.source_name and column.repeated(from.path, count) or columns[name]
    end)
end

-- The opened table of csv files; or nil, message, code. list: path and extension of each; open(file, rows, first): a
-- file that is begun, for so many rows (nil: all), in the columns of the first one; list.once: its files are parts of
-- one, each of which can be had until the next one is; columns_of(from, numbers, hows) and
-- joined(values, validity, dtype) as csv.lua has them.
function M.open(list, opts, open, columns_of, joined)
    local source = setmetatable({ files = list, several = #list > 1 or list.once, once = list.once, flags = {},
        open = open, columns_of = columns_of,
        joined = joined, most = opts.nrows, left = opts.nrows, source_name = opts.source, number = 1 }, Source)
    local from, message, code = open(list[1], opts.nrows)
    if not from then
        return nil, message, code
    end
    source.from, source.places = from, places_of(from)
    source.first = from
    source.path = list[1].path .. (#list > 1 and (" and %d more"):format(#list - 1) or "")
    source.names, source.certain = table.move(from.wanted, 1, #from.wanted, 1, {}), {}
    for i, name in ipairs(from.wanted) do
        source.certain[name] = from.hows[i].kind ~= nil or nil
    end
    if opts.source then
        source.names[#source.names + 1], source.certain[opts.source] = opts.source, true
    end
    local sample
    sample, message, code = sample_of(source)
    if not sample then
        return nil, from.path .. ": " .. message, code
    end
    for name, seen in pairs(source.flags) do -- a text stays one
        source.certain[name] = source.certain[name] or seen & TEXT ~= 0
    end
    return opened.table(source, sample)
end

return M
