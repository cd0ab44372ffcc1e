-- The operands of elementwise work on blocked arrays: the blocks of the result, and the part of each operand that goes
-- with this rank's. Knows no transport, nor what the work is.

local core = require "lunarray.core"
local private = require "lunarray.block.blockprivate"
local spread = require "lunarray.block.spread"

local npes, mype = core.internal.spmd.start()

local operands = {}

local blocked -- what tells blocked arrays from others; see blocked.lua

function operands.open(of)
    blocked = of
end

-- The part of an array of the global shape, or of one that broadcasts to it, which goes with this rank's box; a blocked
-- one is gathered. nil: it does not fit.
local function part_of_private(x, s)
    local shape = { x:shape() }
    local first, count = spread.box(s, mype)
    local behind = #s.shape - #shape
    if behind < 0 then
        return nil
    end
    local ranges, whole = {}, true
    for d, n in ipairs(shape) do
        local global = s.shape[behind + d]
        if n ~= 1 and n ~= global then
            return nil
        end
        local all = n == 1 or count[behind + d] == global
        whole = whole and all
        ranges[d] = all and { 1, n } or { first[behind + d], first[behind + d] + count[behind + d] - 1 }
    end
    if blocked.is(x) then
        x = blocked.private(x)
    end
    return (whole or #shape == 0) and x or x:sub(table.unpack(ranges))
end

-- The spread of an elementwise call: that of the first of the largest blocked operands.
function operands.common_spread(given)
    local s
    for k = 1, given.n do
        local own = blocked.is(given[k]) and blocked.spread_of(given[k])
        if own and (not s or #own.shape > #s.shape or spread.size(own.shape) > spread.size(s.shape)) then
            s = own
        end
    end
    return s
end

local function has_shape(a, s)
    return table.concat(blocked.spread_of(a).shape, ",") == table.concat(s.shape, ",")
end

-- The shape that all operands broadcast to; what does not fit is left as it is.
local function common_shape(given)
    local behind, rank = {}, 0 -- extents from the last axis on
    for k = 1, given.n do
        local x = given[k]
        local shape = (blocked.is(x) or private.is(x)) and { x:shape() } or {}
        for d = 1, #shape do
            local n = shape[#shape + 1 - d]
            behind[d] = (behind[d] or 1) == 1 and n or behind[d]
        end
        rank = math.max(rank, #shape)
    end
    local shape = {}
    for d = 1, rank do
        shape[d] = behind[rank + 1 - d]
    end
    return shape
end

-- The same blocks of an array of that shape, which has s's as its last axes.
local function wider(s, shape)
    local axes = {}
    for k, d in ipairs(s.blocked) do
        axes[k] = d + #shape - #s.shape
    end
    return spread.new(shape, axes, s.rule, npes)
end

-- "f64[20, 50]"
local function described(x)
    return blocked.is(x) and blocked.kind_of(x)
        or ("%s[%s]"):format(private.dtype_name(x), table.concat({ x:shape() }, ", "))
end

-- The first operand that has the extent which x lacks, along the last axis where there is one; shape: of all together.
local function unlike(x, shape, ...)
    local own = { x:shape() }
    for behind = 0, #shape - 1 do
        local wanted, has = shape[#shape - behind], own[#own - behind] or 1
        for k = 1, has ~= 1 and has ~= wanted and select("#", ...) or 0 do
            local other = (select(k, ...))
            local its = (blocked.is(other) or private.is(other)) and { other:shape() } or {}
            if its[#its - behind] == wanted then
                return other
            end
        end
    end
    return x
end

-- Whether each rank's part of x, which broadcasts to s, is what goes with its part in s: every axis that is cut in
-- either is one of both, cut alike.
local function goes_along(x, s)
    local own = blocked.spread_of(x)
    local behind = #s.shape - #own.shape
    local alike = behind >= 0 and own.rule == s.rule
    for d = 1, #s.shape do
        local cut = d > behind and own.grid[d - behind] or 1
        local n = d > behind and own.shape[d - behind] or 1
        alike = alike and cut == s.grid[d] and (n == s.shape[d] or n == 1 and cut == 1)
    end
    return alike
end

-- Whether elements of one of the operands may be missing.
local function some_missing(given)
    for k = 1, given.n do
        local x = given[k]
        if rawequal(x, core.na) or (blocked.is(x) or private.is(x)) and blocked.may_miss(x) then
            return true
        end
    end
    return false
end

-- The operands of an elementwise call as parts of one spread, and this spread; missing: elements of one may be.
-- A smaller blocked one, which broadcasts, is gathered, unless its parts stand where they are needed.
function operands.parts_of(name, ...)
    local given = table.pack(...)
    for k = 1, given.n do
        given[k] = blocked.of_row(given[k])
    end
    local s, shape = operands.common_spread(given), common_shape(given)
    if table.concat(s.shape, ",") ~= table.concat(shape, ",") then
        s = wider(s, shape)
    end
    given.missing = some_missing(given)
    for k = 1, given.n do
        local x = given[k]
        if blocked.is(x) and has_shape(x, s) then
            given[k] = blocked.spread_of(x).key == s.key and blocked.part_of(x) or blocked.moved(x, s)
        elseif blocked.is(x) or private.is(x) then
            given[k] = blocked.is(x) and goes_along(x, s) and blocked.part_of(x) or part_of_private(x, s)
            if not given[k] then
                error(("bad argument #%d to '%s' (shapes differ: %s and %s)"):format(k, name,
                    described(unlike(x, s.shape, ...)), described(x)), 0)
            end
        end
    end
    return s, given
end

return operands
