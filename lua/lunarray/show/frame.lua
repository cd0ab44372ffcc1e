-- Tables of columns of equal length: their order, their number of rows, and how they are printed. A column is a Vector,
-- a list of texts, or records, which are printed as a column for each field. The order is in the metatable, where no
-- name can collide with it: pairs(t) follows the list getmetatable(t).names. #t is the number of rows that its columns
-- have now. Columns may be fetched when they are first used: getmetatable(t).unread[name] is true for those not fetched
-- yet, getmetatable(t).rows is their number of rows. A table of arrays of any shapes, by name, is such a table without
-- rows.
--
-- Invariant: unread[name] is true exactly while the column was neither fetched nor assigned, and the table has no raw
-- field of that name then. `names` may have columns that were removed, and lack those added later; frame.ordered gives
-- the present order.

local core = require "lunarray.core"
local digits = require "lunarray.show.digits"
local number = require "lunarray.base.number"
local records = require "lunarray.base.records"
local show = require "lunarray.show.show"

local frame = {}

local EDGE = 5 -- rows shown at each end of a long table
local LONGEST = 32 -- characters shown of a text
local GAP = "  " -- between columns

-- ---------------------------------------------------------------- columns in order

-- The keys of `t` as a list: first those in `known` that are still there, then the others, sorted.
function frame.ordered(t, known)
    local meta, names, seen, more = getmetatable(t), {}, {}, {}
    local unread = type(meta) == "table" and rawget(meta, "unread") or {}
    for _, name in ipairs(known or {}) do
        if rawget(t, name) ~= nil or unread[name] then
            names[#names + 1] = name
            seen[name] = true
        end
    end
    for name in next, t do
        if not seen[name] then
            more[#more + 1] = name
        end
    end
    table.sort(more, function(a, b)
        return tostring(a) < tostring(b)
    end)
    return table.move(more, 1, #more, #names + 1, names)
end

local function pairs_in_order(t)
    local names, i = frame.ordered(t, getmetatable(t).names), 0
    return function()
        i = i + 1
        return names[i], t[names[i]]
    end
end

-- The length of the first column that has one: lists grow, and columns are replaced.
local function count_rows(t)
    local meta = getmetatable(t)
    for _, name in ipairs(frame.ordered(t, meta.names)) do
        local column = rawget(t, name)
        if meta.unread and meta.unread[name] then
            break
        elseif core.isarray(column) or records.struct_of(column) then
            local usable, count = pcall(column.size, column)
            if usable then
                return count
            end
        elseif type(column) == "table" then
            return core.internal.texts(column) or rawlen(column)
        end
    end
    return meta.rows
end

-- ---------------------------------------------------------------- cells

-- A text on one line, cut where it is long.
local function one_line(text)
    text = text:gsub("%c", function(c)
        return ({ ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r" })[c] or ("\\%d"):format(c:byte())
    end)
    local stop = utf8.len(text) and utf8.offset(text, LONGEST - 2) or LONGEST - 2
    local length = utf8.len(text) or #text
    return length > LONGEST and text:sub(1, stop - 1) .. "..." or text
end

-- The columns of the screen that a text takes.
local function breadth(text)
    return utf8.len(text) or #text
end

-- The text of a list's element.
local function plain(x)
    if math.type(x) == "float" then
        return number.shown(x)
    elseif core.isarray(x) or type(x) == "table" then
        return "..."
    end
    return one_line(tostring(x))
end

-- Indices first to last of a Vector, as texts of one form.
local function of_vector(column, dtype, ranges)
    local values, missing = {}, {}
    for _, range in ipairs(ranges) do
        local last = math.min(range[2], column:size())
        if last >= range[1] then
            local count = last - range[1] + 1
            table.move(column:read(range[1], count), 1, count, #values + 1, values)
            if type(column) == "userdata" and core.internal.has_missing(column) then
                table.move(column:ismissing():read(range[1], count), 1, count, #missing + 1, missing)
            end
        end
    end
    local text = digits.formatter(dtype, values)
    for i, x in ipairs(values) do
        values[i] = missing[i] and "<NA>" or text(x)
    end
    return values
end

-- The texts of a column: its name and kind, the rows in `ranges`, and the alignment of its cells.
local function shown(name, column, ranges)
    local result = { name = one_line(tostring(name)), kind = type(column), cells = {}, left = true }
    if column == nil then
        result.kind = "unread"
    end
    if core.isarray(column) then
        local usable, dtype = pcall(column.dtype, column)
        local rank = usable and select("#", column:shape())
        if rank == 1 then
            result.kind, result.left, result.cells = dtype, false, of_vector(column, dtype, ranges)
        else
            result.kind = usable and ("%s[%s]"):format(dtype, table.concat({ column:shape() }, ", ")) or "freed"
        end
    elseif type(column) == "table" then
        local kept = core.internal.texts(column)
        result.kind = (kept or next(column) == nil or type(rawget(column, 1)) == "string") and "text" or "list"
        for _, range in ipairs(ranges) do
            for i = range[1], range[2] do
                local x = kept and column[i] or rawget(column, i)
                result.cells[#result.cells + 1] = x == nil and "" or plain(x)
            end
        end
    end
    return result
end

-- ---------------------------------------------------------------- lines

-- The lines of one column, all equally wide: name, kind, cells, with a gap after `gap` cells.
local function lines_of(column, count, gap)
    local cells = { column.name, column.kind }
    for i = 1, count do
        if i - 1 == gap then
            cells[#cells + 1] = column.marks and "..." or ""
        end
        cells[#cells + 1] = column.cells[i] or ""
    end
    local width = 0
    for _, cell in ipairs(cells) do
        width = math.max(width, breadth(cell))
    end
    for i, cell in ipairs(cells) do
        local room = (" "):rep(width - breadth(cell))
        cells[i] = column.left and cell .. room or room .. cell
    end
    cells.width = width
    return cells
end

-- The blocks that fit side by side in `room` columns of the screen: all, or as many from both ends as fit.
local function fitting(blocks, room)
    local total = -#GAP
    for _, block in ipairs(blocks) do
        total = total + block.width + #GAP
    end
    if total <= room then
        return #blocks, #blocks + 1
    end
    local first, last = 0, #blocks + 1
    room = room - #"..." -- and each column has a gap
    while first + 1 < last do
        local front = first <= #blocks + 1 - last
        local width = blocks[front and first + 1 or last - 1].width + #GAP
        if width > room and first > 0 then
            break
        end
        room = room - width
        first, last = front and first + 1 or first, front and last or last - 1
    end
    return first, last
end

local function plural(n, what)
    return ("%d %s%s"):format(n, what, n == 1 and "" or "s")
end

-- The text of a table of columns, of several lines without a newline at the end. Only the rows shown are read.
function frame.text(t)
    local meta = getmetatable(t)
    local names, rows = frame.ordered(t, meta.names), count_rows(t)
    local all = rows <= 2 * EDGE + 1
    local ranges = all and { { 1, rows } } or { { 1, EDGE }, { rows - EDGE + 1, rows } }
    local count, gap = all and rows or 2 * EDGE, not all and EDGE or -1
    local numbers = { name = "", kind = "", cells = {}, left = false, marks = true }
    for _, range in ipairs(ranges) do
        for i = range[1], range[2] do
            numbers.cells[#numbers.cells + 1] = ("%d"):format(i)
        end
    end
    local side, blocks = lines_of(numbers, count, gap), {}
    for _, name in ipairs(names) do
        records.each_column(name, rawget(t, name), function(label, column)
            blocks[#blocks + 1] = lines_of(shown(label, column, ranges), count, gap)
        end)
    end
    local first, last = fitting(blocks, show.width() - side.width - #GAP)
    local lines = { plural(#names, "column") .. ", " .. plural(rows, "row") }
    for line = 1, #side do
        local cells = { side[line] }
        for i = 1, first do
            cells[#cells + 1] = blocks[i][line]
        end
        cells[#cells + 1] = last > first + 1 and "..." or nil
        for i = last, #blocks do
            cells[#cells + 1] = blocks[i][line]
        end
        lines[#lines + 1] = table.concat(cells, GAP):gsub(" +$", "")
    end
    return #names > 0 and table.concat(lines, "\n") or lines[1]
end

-- ---------------------------------------------------------------- tables

-- Makes of `t`, whose keys are in `names`, a table of columns of so many rows; gives t. Columns that are not in it yet
-- are fetched by fetch(name) when they are used.
function frame.make(t, names, rows, fetch)
    local meta = {
        __name = "columns", __pairs = pairs_in_order, __len = count_rows, __tostring = frame.text, names = names,
        rows = rows,
    }
    if fetch then
        local unread = {}
        for _, name in ipairs(names) do
            unread[name] = true
        end
        meta.unread = unread
        function meta.__index(_, name)
            if unread[name] then
                local column = fetch(name)
                unread[name] = nil
                rawset(t, name, column)
                return column
            end
        end
        function meta.__newindex(_, name, column)
            unread[name] = nil
            rawset(t, name, column)
        end
    end
    return setmetatable(t, meta)
end

-- The text of a list of arrays: a line for each with its name, dtype and shape.
local function list_text(t)
    local names, width = frame.ordered(t, getmetatable(t).names), 0
    for _, name in ipairs(names) do
        width = math.max(width, breadth(one_line(tostring(name))))
    end
    local lines = { plural(#names, "array") }
    for i, name in ipairs(names) do
        local label, a = one_line(tostring(name)), t[name]
        local usable, dtype = pcall(function()
            return a:dtype()
        end)
        local what = core.isarray(a) and "freed" or type(a)
        if usable and records.struct_of(a) then
            what = ("%s[%s]"):format(dtype.name, table.concat({ a:shape() }, ", "))
        elseif usable and core.isarray(a) then
            what = ("%s[%s]"):format(dtype, table.concat({ a:shape() }, ", "))
        end
        lines[i + 1] = label .. (" "):rep(width - breadth(label)) .. GAP .. what
    end
    return table.concat(lines, "\n")
end

-- Makes of `t`, whose keys are in `names`, a table of arrays of any shapes, with an order; gives t.
function frame.list(t, names)
    return setmetatable(t, { __name = "arrays", __pairs = pairs_in_order, __tostring = list_text, names = names })
end

return frame
