-- Products of matrices of which one is blocked, by rows of the result: each rank multiplies its rows by all of the
-- other matrix, which it gets in panels of columns, so that it never has more than its share and a panel. An element
-- depends on its row and column alone, so that bits are those of one rank. Knows no transport.

local blocked = require "lunarray.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.dtypes"
local pack = require "lunarray.pack"
local spread = require "lunarray.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local PANEL = 1 << 22 -- bytes of columns that are gathered at once, or a rank's share if that is more

local function shape_of(a)
    return blocked.is(a) and blocked.spread_of(a).shape or { a:shape() }
end

-- Columns first .. last of b on all ranks; b is blocked by rows.
local function columns(b, first, last)
    local s, part = blocked.spread_of(b), blocked.part_of(b)
    local bytes = table.concat(net.gather(part:sub({ 1, (part:shape()) }, { first, last }):tobytes()))
    return core.frombytes(bytes, b:dtype(), { s.shape[1], last - first + 1 })
end

-- b, blocked by rows, as a list of private panels, made one after the other: f of each.
local function each_panel(b, f)
    local rows, count = table.unpack(blocked.spread_of(b).shape)
    local column = math.max(1, rows * dtypes.by_name[b:dtype()].bytes)
    local width = math.max(1, math.max((count + npes - 1) // npes, PANEL // column))
    for first = 1, count, width do
        local last = math.min(count, first + width - 1)
        f(columns(b, first, last), first, last)
    end
end

-- The rows of the product of this rank's rows x and all of b.
local function multiply(x, b)
    if not blocked.is(b) then
        return x:matmul(b)
    end
    local shape = { (x:shape()), blocked.spread_of(b).shape[2] }
    local result
    each_panel(b, function(panel, first, last)
        local piece = x:matmul(panel)
        if last - first + 1 == shape[2] then
            result = piece
            return
        end
        result = result or core.zeros(shape, piece:dtype()):copy()
        if shape[1] > 0 then
            result:sub({ 1, shape[1] }, { first, last }):set(piece)
        end
    end)
    return result
end

local function by_rows(a)
    return blocked.in_spread(a, spread.new(blocked.spread_of(a).shape, { 1 }, nil, npes))
end

-- a:matmul(b) of two matrices, or a matrix and a Vector, at least one of them blocked: blocked by rows, by those of a
-- if a is. nil: it has no such form.
return function(a, b)
    for _, x in ipairs { a, b } do
        if not blocked.is(x) and not pack.is_array(x) then
            return nil
        end
    end
    local x, y = shape_of(a), shape_of(b)
    local function model(of, shape)
        return core.zeros(shape, of:dtype())
    end
    local like = core.matmul(model(a, x), model(b, y)) -- raises what is wrong with the shapes
    if #x ~= 2 or #y > 2 or x[1] * x[2] == 0 or (y[2] or 1) == 0 then
        return nil
    end
    local s = blocked.is(a) and spread.is_flat(blocked.spread_of(a)) and blocked.spread_of(a)
        or spread.new(x, { 1 }, nil, npes)
    a:eval()
    b:eval()
    net.step(("multiplies %s"):format(blocked.is(a) and blocked.kind_of(a) or blocked.kind_of(b)), "a product",
        s.key .. table.concat(y, ","))
    if blocked.is(b) then
        b = #y == 2 and by_rows(b) or blocked.private(b)
    end
    local rows = blocked.is(a) and blocked.part_of(blocked.in_spread(a, s)) or blocked.box_of(a, s, mype)
    return blocked.make(spread.new({ like:shape() }, { 1 }, s.rule, npes), multiply(rows, b))
end
