-- tostring of arrays: a line with kind, dtype, shape, layout, device and laziness, then head ... tail of
-- the elements, aligned and at most lun.width() columns wide. Reads the few elements it shows, no others.

local core = require "lunarray.core"
local digits = require "lunarray.show.digits"
local setting = require "lunarray.base.setting"

local show = {}

local COLUMNS = 80 -- of a line that no terminal shows
local NARROWEST = 20
local EDGE = 8 -- columns of a line counted for each element that is read at each end otherwise

-- lun.width([n]): how many columns of the screen a line takes at most; those of the terminal, where there is one.
show.width = setting("width", function()
    local columns, _, is_terminal = core.internal.terminal()
    return is_terminal and columns and math.max(columns, NARROWEST) or COLUMNS
end, NARROWEST, 10000)

-- lun.elements_shown([n]): up to so many elements are shown without a gap.
show.elements_shown = setting("elements_shown", 100, 1, math.huge)

-- ---------------------------------------------------------------- what is shown

-- Which of n indices are shown: all, or `edge` at each end (a 0 stands for the gap).
local function shown(n, edge, all)
    local indices = {}
    if all or n <= 2 * edge + 1 then
        for i = 1, n do
            indices[i] = i
        end
        return indices
    end
    for i = 1, edge do
        indices[i] = i
        indices[edge + 1 + i] = n - edge + i
    end
    indices[edge + 1] = 0
    return indices
end

-- How many indices of dimension `d` are shown at each end.
local function edge_of(d, rank)
    if d == rank - 1 then
        return rank == 2 and 5 or 3
    end
    return rank == 3 and 2 or 1
end

-- Elements in a flat table, lun.na where one is missing.
local function read(a, first, count)
    local elements = a:read(first, count)
    if core.internal.has_missing(a) then
        for i, missing in ipairs(a:ismissing():read(first, count)) do
            elements[i] = missing and core.na or elements[i]
        end
    end
    return elements
end

-- The elements of the row that starts at flat index `first`: head and, if there is a gap, tail.
local function read_row(a, first, length)
    local edge = math.max(1, show.width() // EDGE)
    if length <= 2 * edge then
        return { head = read(a, first, length) }
    end
    return { head = read(a, first, edge), tail = read(a, first + length - edge, edge) }
end

-- The strides of the dimensions in flat order.
local function strides_of(shape)
    local strides = { [#shape] = 1 }
    for d = #shape - 1, 1, -1 do
        strides[d] = strides[d + 1] * shape[d + 1]
    end
    return strides
end

-- The rows that are shown, by the flat index of their first element, and for every dimension the
-- indices that are shown.
local function read_rows(a, shape, strides, all)
    local rank = #shape
    local firsts, indices = { 1 }, {}
    for d = 1, rank - 1 do
        local inner = {}
        indices[d] = shown(shape[d], edge_of(d, rank), all)
        for _, first in ipairs(firsts) do
            for _, i in ipairs(indices[d]) do
                if i > 0 then
                    inner[#inner + 1] = first + (i - 1) * strides[d]
                end
            end
        end
        firsts = inner
    end
    local rows, length = {}, shape[rank]
    local elements = all and read(a, 1, a:size()) -- at once: each read may run a kernel
    for _, first in ipairs(firsts) do
        if all then
            rows[first] = { head = table.move(elements, first, first + length - 1, 1, {}) }
        else
            rows[first] = read_row(a, first, length)
        end
    end
    return rows, indices
end

-- ---------------------------------------------------------------- layout

-- The text of one row of cells, as many from both ends as fit into `room` columns.
local function row_text(cells, tail, width, room)
    if not tail and #cells * (width + 1) - 1 <= room then
        return table.concat(cells, " ")
    end
    tail = tail or cells
    local most = tail == cells and (#cells - 1) // 2 or #cells
    local each = math.max(1, math.min(most, (room - 3) // (2 * (width + 1))))
    return table.concat(cells, " ", 1, each) .. " ... " .. table.concat(tail, " ", #tail - each + 1)
end

-- A Vector's elements without a gap, wrapped at the width.
local function wrapped(cells, width)
    local per_line = math.max(1, (show.width() - 2 + 1) // (width + 1))
    local lines = {}
    for first = 1, #cells, per_line do
        lines[#lines + 1] = table.concat(cells, " ", first, math.min(first + per_line - 1, #cells))
    end
    return "[" .. table.concat(lines, "\n ") .. "]"
end

-- A text in quotes, cut to `most` columns, with what is not printed as \n or \1.
local names = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }
local function quoted(s, most)
    local cut = utf8.offset(s, most + 1)
    if cut and cut <= #s then
        s = s:sub(1, utf8.offset(s, most - 2) - 1) .. "..."
    end
    return '"' .. s:gsub('[%c"\\]', function(c)
        return names[c] or ("\\%d"):format(c:byte())
    end) .. '"'
end

local function text_formatter()
    local most = math.max(8, show.width() // 3)
    return function(s)
        return quoted(s, most)
    end
end

-- Turns the elements of all rows into cells of one form and one width, which it returns.
local function format_rows(rows, dtype, rank)
    local parts, values = {}, {}
    for _, row in pairs(rows) do
        parts[#parts + 1] = row.head
        parts[#parts + 1] = row.tail
    end
    for _, part in ipairs(parts) do
        for _, x in ipairs(part) do
            if x ~= core.na then
                values[#values + 1] = x
            end
        end
    end
    local texts = dtype == "text"
    local text, width = texts and text_formatter() or digits.formatter(dtype, values), 0
    local function columns(cell)
        return texts and utf8.len(cell) or #cell
    end
    for _, part in ipairs(parts) do
        for i = 1, #part do
            part[i] = part[i] == core.na and "<NA>" or text(part[i])
            width = math.max(width, columns(part[i]))
        end
    end
    for _, part in ipairs(parts) do
        for i = 1, #part do
            local blanks = texts and rank == 1 and "" or (" "):rep(width - columns(part[i]))
            part[i] = texts and part[i] .. blanks or blanks .. part[i]
        end
    end
    return width
end

-- The elements of an array of rank 1 or more in brackets.
local function body(a, shape, dtype)
    local rank, size = #shape, a:size()
    if size == 0 then
        return "[]"
    end
    local all = size <= show.elements_shown()
    local strides = strides_of(shape)
    local rows, indices = read_rows(a, shape, strides, all)
    local width = format_rows(rows, dtype, rank)
    if rank == 1 and all then
        return wrapped(rows[1].head, width)
    end
    local function block(d, first) -- as deep as the rank
        if d == rank then
            local row = rows[first]
            return "[" .. row_text(row.head, row.tail, width, show.width() - 2 * rank) .. "]"
        end
        local parts = {}
        for k, i in ipairs(indices[d]) do
            parts[k] = i == 0 and "..." or block(d + 1, first + (i - 1) * strides[d])
        end
        return "[" .. table.concat(parts, ("\n"):rep(rank - d) .. (" "):rep(d)) .. "]"
    end
    return block(1, 1)
end

-- ---------------------------------------------------------------- the whole

-- "Composition<f64>[3, 4] openmp (3 operations waiting)", "View<f32>[4, 3] left openmp"
local function title(a, shape, dtype)
    local kind, waiting, layout = a:kind(), a:pending(), a:layout()
    local text = kind .. "<" .. dtype .. ">"
    if #shape > 0 then
        text = text .. "[" .. table.concat(shape, ", ") .. "]"
    end
    if layout ~= "right" then
        text = text .. " " .. layout
    end
    text = text .. " " .. a:backend()
    if waiting > 0 then
        text = text .. (" (%d operation%s waiting)"):format(waiting, waiting == 1 and "" or "s")
    end
    return text
end

-- The text of an array, of several lines without a newline at the end.
function show.text(a)
    local dtype, shape = a:dtype(), { a:shape() }
    local head = title(a, shape, dtype)
    if #shape == 0 then
        local x = read(a, 1, 1)[1]
        if x == core.na then
            return head .. "\n<NA>"
        end
        return head .. "\n" .. (dtype == "text" and quoted(x, show.width()) or digits.scalar(dtype, x))
    end
    return head .. "\n" .. body(a, shape, dtype)
end

return show
