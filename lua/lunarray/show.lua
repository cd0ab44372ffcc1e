-- tostring of arrays: a line with kind, dtype, shape, device and laziness, then head ... tail of
-- the elements, aligned and at most 80 columns wide. Reads the few elements it shows, no others.
-- Knows nothing of how they are computed.

local core = require "lunarray.core"
local dtypes = require "lunarray.dtypes"
local number = require "lunarray.number"

local WIDTH = 80
local ALL = 100 -- up to so many elements are shown without a gap
local MOST_DECIMALS = 9
local EDGE = 10 -- how many of a row are read at each end otherwise

-- ---------------------------------------------------------------- one element

-- How many digits stand after the point of a number written so, were there no exponent; at least one, as in Lua.
local function after_point(text)
    local digits, exponent = text:match "^-?%d+%.?(%d*)e?([+-]?%d*)$"
    return digits and math.max(1, #digits - (tonumber(exponent) or 0)) or 1
end

-- How many decimals x needs at 6 significant digits.
local function decimals(x)
    return after_point(number.format("%.6g", x))
end

-- How many digits after the first x needs at 6 significant digits, written with an exponent.
local function exponent_digits(x)
    local digits = number.format("%.5e", x):match("%.(%d-)0*e")
    return digits and math.max(#digits, 1) or 1
end

-- How many decimals tell x apart from all others.
local function all_decimals(x)
    return after_point(number.exact(x))
end

-- Whether floats of these magnitudes are written with exponents: where decimals would get too long. Numbers
-- below 1 are not, as long as none of them gets lost in MOST_DECIMALS, so that random numbers look alike.
local function takes_exponents(largest, smallest, whole)
    local below_one = largest > 0.01 and largest <= 1 and smallest >= 10.0 ^ (1 - MOST_DECIMALS)
    return largest >= (whole and 1e12 or 1e8) or smallest < 1e-4 and not below_one
end

-- A function from float to text, such that the texts of all `values` have the same form: plain
-- decimals, or exponents where some would get too long. Every digit is the value's.
local function float_formatter(values)
    local largest, smallest, whole = 0, math.huge, true
    for _, x in ipairs(values) do
        local size = math.abs(x)
        if size > 0 and size < math.huge then
            largest, smallest = math.max(largest, size), math.min(smallest, size)
            whole = whole and size % 1 == 0
        end
    end
    local with_exponent = takes_exponents(largest, smallest, whole)
    local count = with_exponent and exponent_digits or decimals
    local most = 1
    for _, x in ipairs(values) do
        most = math.max(most, count(x))
    end
    if with_exponent then
        return function(x)
            return number.format("%." .. most .. "e", x)
        end
    end
    most = math.min(most, MOST_DECIMALS)
    return function(x)
        -- What follows the digits that tell x apart is noise: zeros stand there.
        local own = math.min(most, all_decimals(x))
        local text = number.format("%." .. own .. "f", x)
        return text:find("[^%d.-]") and text or text .. ("0"):rep(most - own)
    end
end

-- The text of a float in as many digits as tell it apart from others of its dtype.
local function shortest(dtype, x)
    local most = dtypes.digits(dtype)
    for digits = 1, most - 1 do
        local text = number.format("%." .. digits .. "g", x)
        if core.internal.rounded(number.parse(text), dtype) == x then
            return text
        end
    end
    return number.format("%." .. most .. "g", x)
end

-- A function from element to text for elements of this dtype, fit for all `values`.
local function formatter(dtype, values)
    if dtypes.is_float(dtype) and dtypes.by_name[dtype].bytes < 8 then
        local function short(x) -- of -0.0, which is its own shortest, Lua would read an integer
            return x == 0 and x or number.parse(shortest(dtype, x))
        end
        local all = {}
        for i, x in ipairs(values) do
            all[i] = short(x)
        end
        local aligned = float_formatter(all)
        return function(x)
            return aligned(short(x))
        end
    elseif dtypes.is_float(dtype) then
        return float_formatter(values)
    elseif dtypes.is_beyond_lua(dtype) then
        return number.unsigned
    end
    return tostring
end

-- The text of a Scalar's value: an f64 as Lua shows it, a narrower float in as many digits as tell it apart.
local function scalar_text(dtype, x)
    if dtypes.is_float(dtype) and dtypes.by_name[dtype].bytes < 8 and x == x and math.abs(x) < math.huge then
        local text = shortest(dtype, x)
        return text:find("[.e]") and text or text .. ".0"
    elseif math.type(x) == "float" then
        local text = number.format("%.14g", x)
        return text:find("[.einf]") and text or text .. ".0"
    end
    return formatter(dtype, {})(x)
end

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

-- The elements of the row that starts at flat index `first`: head and, if there is a gap, tail.
local function read_row(a, first, length)
    if length <= 2 * EDGE then
        return { head = a:read(first, length) }
    end
    return { head = a:read(first, EDGE), tail = a:read(first + length - EDGE, EDGE) }
end

-- How far apart in the flat order neighbours in each dimension stand.
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
    local elements = all and a:read(1, a:size()) -- at once: each read may run a kernel
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
    local per_line = math.max(1, (WIDTH - 2 + 1) // (width + 1))
    local lines = {}
    for first = 1, #cells, per_line do
        lines[#lines + 1] = table.concat(cells, " ", first, math.min(first + per_line - 1, #cells))
    end
    return "[" .. table.concat(lines, "\n ") .. "]"
end

-- Turns the elements of all rows into cells of one form and one width, which it returns.
local function format_rows(rows, dtype)
    local parts, values = {}, {}
    for _, row in pairs(rows) do
        parts[#parts + 1] = row.head
        parts[#parts + 1] = row.tail
    end
    for _, part in ipairs(parts) do
        table.move(part, 1, #part, #values + 1, values)
    end
    local text, width = formatter(dtype, values), 0
    for _, part in ipairs(parts) do
        for i = 1, #part do
            part[i] = text(part[i])
            width = math.max(width, #part[i])
        end
    end
    for _, part in ipairs(parts) do
        for i = 1, #part do
            part[i] = (" "):rep(width - #part[i]) .. part[i]
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
    local all = size <= ALL
    local strides = strides_of(shape)
    local rows, indices = read_rows(a, shape, strides, all)
    local width = format_rows(rows, dtype)
    if rank == 1 and all then
        return wrapped(rows[1].head, width)
    end
    local function block(d, first) -- as deep as the rank
        if d == rank then
            local row = rows[first]
            return "[" .. row_text(row.head, row.tail, width, WIDTH - 2 * rank) .. "]"
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

-- "Composition<f64>[3, 4] openmp (3 operations waiting)"
local function title(a, shape, dtype)
    local kind, waiting = a:kind(), a:pending()
    local text = kind .. "<" .. dtype .. ">"
    if #shape > 0 then
        text = text .. "[" .. table.concat(shape, ", ") .. "]"
    end
    text = text .. " " .. a:backend()
    if waiting > 0 then
        text = text .. (" (%d operation%s waiting)"):format(waiting, waiting == 1 and "" or "s")
    end
    return text
end

-- The text of an array, of several lines without a newline at the end.
return function(a)
    local usable, dtype = pcall(a.dtype, a)
    if not usable then
        error(dtype, 0) -- freed: the place to name is not in this file
    end
    local shape = { a:shape() }
    local head = title(a, shape, dtype)
    if #shape == 0 then
        return head .. "\n" .. scalar_text(dtype, a:read(1, 1)[1])
    end
    return head .. "\n" .. body(a, shape, dtype)
end
