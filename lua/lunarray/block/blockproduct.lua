-- Products of matrices of which one is blocked. Of batches each rank makes some products. Else it multiplies its rows
-- by all of the other matrix, which it gets in panels of columns, so that it never has more than its share and a panel;
-- or, where many ranks move less by that, it makes a block of the result of some rows and some columns.
-- An element depends on its row and column alone, so that bits are those of one rank. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local pack = require "lunarray.ranks.pack"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local PANEL = 1 << 22 -- bytes of columns that are gathered at once, or a rank's share if that is more
local PANELS = 64 * PANEL -- bytes of rows and columns that a rank has at most, for a block of the result
local PAIR = 60000 -- bytes that take about as long as the messages to another rank which blocks need

local function shape_of(a)
    return blocked.is(a) and blocked.spread_of(a).shape or { a:shape() }
end

-- The rows of the product of this rank's rows x and all of b, blocked by rows, whose columns it gets in panels.
local function multiply(x, b)
    if not blocked.is(b) then
        return x:matmul(b)
    end
    local s, part, result = blocked.spread_of(b), blocked.part_of(b), nil
    local rows, count = table.unpack(s.shape)
    local most = math.max(1, (count + npes - 1) // npes, PANEL // (rows * dtypes.by_name[b:dtype()].bytes))
    for first = 1, count, most do
        local last = math.min(count, first + most - 1)
        local panel = spread.new({ rows, last - first + 1 }, { 1 }, s.rule, npes)
        local own = part:sub({ 1, (part:shape()) }, { first, last })
        local piece = x:matmul(net.whole(panel.blocks, own))
        if most >= count then
            return piece
        end
        result = result or core.zeros({ (x:shape()), count }, piece:dtype()):copy()
        result:sub({ 1, (x:shape()) }, { first, last }):set(piece)
    end
    return result
end

local function by_rows(a)
    return blocked.in_spread(a, spread.new(blocked.spread_of(a).shape, { 1 }, nil, npes))
end

-- ---------------------------------------------------------------- blocks of the result

-- The spread of a result of that shape in blocks, if they are better; count: elements that are added for each of its.
local function grid_for(shape, count, bytes)
    local s = spread.new(shape, { 1, 2 }, nil, npes)
    local _, largest = spread.box(s, 0)
    local panels = (largest[1] + largest[2]) * count * bytes
    local result = largest[1] * largest[2] * bytes
    local gain = count * shape[2] * bytes - panels - result
    return panels <= PANELS and gain > npes * PAIR and s or nil
end

-- A rank's panel of an operand.
local function panel_of(x, s, axis)
    local to = spread.panels(s, shape_of(x), axis)
    return blocked.is(x) and blocked.moved(x, to) or blocked.box_of(x, to, mype)
end

local function multiply_blocks(a, b, s, like)
    local x, y = panel_of(a, s, 1), panel_of(b, s, 2)
    local _, count = spread.box(s, mype)
    return blocked.make(s, spread.size(count) > 0 and x:matmul(y):eval() or core.zeros(count, like:dtype()))
end

-- ---------------------------------------------------------------- batches

-- This rank's matrices of x, as the products in s are spread; what goes with all of them is gathered.
local function matrices(x, s)
    local shape = shape_of(x)
    if #shape < #s.shape or shape[1] ~= s.shape[1] then
        return blocked.is(x) and blocked.private(x) or x
    end
    local to = spread.new(shape, { 1 }, s.rule, npes)
    return blocked.is(x) and blocked.part_of(blocked.in_spread(x, to)) or blocked.box_of(x, to, mype)
end

-- a:matmul(b) of batches of matrices, an array like `like`: each rank makes some products, where possible those of
-- which it has a matrix.
local function multiply_batches(a, b, like)
    local shape, rule = { like:shape() }, nil
    for _, x in ipairs { a, b } do
        local own = blocked.is(x) and blocked.spread_of(x)
        if own and #own.shape == #shape and own.shape[1] == shape[1] and spread.is_flat(own) then
            rule = rule or own.rule
        end
    end
    local s = spread.new(shape, { 1 }, rule, npes)
    local x, y = matrices(a, s), matrices(b, s)
    local _, count = spread.box(s, mype)
    return blocked.make(s, count[1] > 0 and x:matmul(y):eval() or core.zeros(count, like:dtype()))
end

-- ---------------------------------------------------------------- all

-- a:matmul(b) of two matrices, or a matrix and a Vector, at least one of them blocked: blocked by rows, by those of a
-- if a is; of batches blocked by their first axis. nil: it has no such form.
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
    if #x > 1 and #y > 1 and #x + #y > 4 and spread.size(x) * spread.size(y) > 0 then
        blocked.evaluated(a)
        blocked.evaluated(b)
        net.step(("multiplies %s"):format(blocked.is(a) and blocked.kind_of(a) or blocked.kind_of(b)), "a product",
            table.concat(x, ",") .. " " .. table.concat(y, ","))
        return multiply_batches(a, b, like)
    end
    if #x ~= 2 or #y > 2 or x[1] * x[2] == 0 or (y[2] or 1) == 0 then
        return nil
    end
    local s = blocked.is(a) and spread.is_flat(blocked.spread_of(a)) and blocked.spread_of(a)
        or spread.new(x, { 1 }, nil, npes)
    blocked.evaluated(a)
    blocked.evaluated(b)
    net.step(("multiplies %s"):format(blocked.is(a) and blocked.kind_of(a) or blocked.kind_of(b)), "a product",
        s.key .. table.concat(y, ","))
    local result = spread.new({ like:shape() }, { 1 }, s.rule, npes)
    local grid = blocked.is(b) and #y == 2 and grid_for(result.shape, x[2], dtypes.by_name[b:dtype()].bytes)
    if grid then
        return blocked.in_spread(multiply_blocks(a, b, grid, like), result)
    end
    if blocked.is(b) then
        b = #y == 2 and by_rows(b) or blocked.private(b)
    end
    local rows = blocked.is(a) and blocked.part_of(blocked.in_spread(a, s)) or blocked.box_of(a, s, mype)
    return blocked.make(result, multiply(rows, b))
end
