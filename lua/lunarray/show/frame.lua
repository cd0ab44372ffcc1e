-- Tables of columns of equal length: where their columns are, and how they are printed. A column is a Vector or
-- records, which are printed as a column for each field. A table of columns has nothing raw in it: its metatable has
-- `columns`, by name, `names`, their order, and `rows`, their number; its events, by which scripts read and write it,
-- are in lua/lunarray/table/object.lua. Columns may be fetched when they are first used: `unread[name]` is true for
-- those not fetched yet. A table of arrays of any shapes, by name, is a plain table with an order, without rows.
--
-- Invariant: `names` has each name once: those in `columns` and those in `unread`, which have none in common. All
-- columns had `rows` elements when they came in.

local core = require "lunarray.core"
local digits = require "lunarray.show.digits"
local number = require "lunarray.base.number"
local records = require "lunarray.base.records"
local setting = require "lunarray.base.setting"
local show = require "lunarray.show.show"

local frame = {}

local LONGEST = 32 -- characters shown of a text
local GAP = "  " -- between columns

-- lun.rows_shown([n]): how many rows of a table are shown at most; of a longer one, half of them at each end.
frame.rows_shown = setting("rows_shown", 11, 2, math.huge)

-- ---------------------------------------------------------------- columns in order

-- The metatable of a table of columns; nil for anything else.
function frame.of(t)
    local meta = type(t) == "table" and getmetatable(t)
    return type(meta) == "table" and rawget(meta, "columns") and meta or nil
end

-- The column of that name in a table of columns, or the entry of a plain table; nil if there is none.
function frame.column(t, name)
    local meta = frame.of(t)
    if not meta then
        return t[name]
    elseif meta.unread and meta.unread[name] then
        meta.columns[name] = meta.fetch(name)
        meta.unread[name] = nil
    end
    return meta.columns[name]
end

-- The names in `t` as a list: those of a table of columns; else first those in `known` that are still there, or in the
-- order that a table of arrays has, then the others, sorted.
function frame.ordered(t, known)
    local own = getmetatable(t)
    local names, seen, more = {}, {}, {}
    if frame.of(t) then
        return table.move(own.names, 1, #own.names, 1, names)
    end
    for _, name in ipairs(known or type(own) == "table" and rawget(own, "names") or {}) do
        if rawget(t, name) ~= nil then
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

-- For pairs: the names and columns in order.
function frame.pairs(t)
    local names, i = frame.ordered(t), 0
    return function()
        i = i + 1
        return names[i], names[i] and frame.column(t, names[i])
    end
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
            if core.internal.has_missing(column) then
                table.move(column:ismissing():read(range[1], count), 1, count, #missing + 1, missing)
            end
        end
    end
    local text = dtype == "text" and one_line or digits.formatter(dtype, values)
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
            result.kind, result.left, result.cells = dtype, dtype == "text", of_vector(column, dtype, ranges)
        else
            result.kind = usable and ("%s[%s]"):format(dtype, table.concat({ column:shape() }, ", ")) or "freed"
        end
    elseif type(column) == "table" then
        result.kind = (next(column) == nil or type(rawget(column, 1)) == "string") and "text" or "list"
        for _, range in ipairs(ranges) do
            for i = range[1], range[2] do
                local x = rawget(column, i)
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

-- The rows of so many that are shown, as ranges; how many these are; behind how many of them others are left out, -1 if
-- none are.
local function rows_of(rows)
    if rows <= frame.rows_shown() then
        return { { 1, rows } }, rows, -1
    end
    local edge = frame.rows_shown() // 2
    return { { 1, edge }, { rows - edge + 1, rows } }, 2 * edge, edge
end

-- What is shown of a table of columns, for other forms than text: columns, each with name, kind, cells, and whether it
-- is left-aligned; the numbers of the rows; behind how many of these others are left out; all names, all rows.
function frame.shown(t)
    local meta = getmetatable(t)
    local ranges, _, gap = rows_of(meta.rows)
    local list, numbers = {}, {}
    for _, range in ipairs(ranges) do
        for i = range[1], range[2] do
            numbers[#numbers + 1] = i
        end
    end
    for _, name in ipairs(meta.names) do
        records.each_column(name, meta.columns[name], function(label, column)
            list[#list + 1] = shown(label, column, ranges)
        end)
    end
    return list, numbers, gap, #meta.names, meta.rows
end

-- The text of columns, by name, of several lines without a newline at the end. Only the rows shown are read. begun:
-- more rows follow, which may change dtypes, but for the columns that `certain` has.
function frame.lines(names, columns, rows, begun, certain)
    local ranges, count, gap = rows_of(rows)
    local numbers = { name = "", kind = "", cells = {}, left = false, marks = true }
    for _, range in ipairs(ranges) do
        for i = range[1], range[2] do
            numbers.cells[#numbers.cells + 1] = ("%d"):format(i)
        end
    end
    local side, blocks = lines_of(numbers, count, gap), {}
    for _, name in ipairs(names) do
        records.each_column(name, columns[name], function(label, column)
            local one = shown(label, column, ranges)
            one.kind = one.kind .. (begun and not certain[name] and "?" or "")
            blocks[#blocks + 1] = lines_of(one, count, gap)
        end)
    end
    local first, last = fitting(blocks, show.width() - side.width - #GAP)
    local lines = { plural(#names, "column") .. ", " .. (begun and "? rows" or plural(rows, "row")) }
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

-- The text of a table of columns; those not fetched yet stay so.
function frame.text(t)
    local meta = getmetatable(t)
    return frame.lines(meta.names, meta.columns, meta.rows)
end

-- ---------------------------------------------------------------- tables of arrays

-- The text of a list of arrays: a line for each with its name, dtype and shape.
local function list_text(t)
    local names, width = frame.ordered(t), 0
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
    return setmetatable(t, { __name = "arrays", __pairs = frame.pairs, __tostring = list_text, names = names })
end

return frame
