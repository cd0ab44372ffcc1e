-- The order of blocked Vectors: each rank sorts its part, samples of all say where to cut, each rank sorts what lies
-- between two cuts, and the elements go to where they belong. Bits are those of one rank. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd
local npes, mype = net.start()

local SAMPLES = 32 -- of each rank, or one for each rank if these are more

-- ---------------------------------------------------------------- keys

-- Elements whose ascending order is the descending one of x, equal ones and NaNs included; twice: x.
local function reversed(x)
    if x:dtype():find "f" then
        return -x
    end
    return x:dtype() == "bool" and x:lnot() or ~x
end

-- How many elements of a sorted array stand before those that equal the one of an array, and up to the last of them;
-- -0.0 is before 0.0.
local function range_of(sorted, one)
    local low, high = sorted:searchsorted(one)[1] - 1, sorted:searchsorted(one, { side = "right" })[1] - 1
    local x = one[1]
    if x == 0 and low < high and sorted:dtype():find "f" then
        local negative = core.div(1, sorted:sub({ low + 1, high })):lt(0):count()
        if 1 / x < 0 then
            return low, low + negative
        end
        return low + negative, high
    end
    return low, high
end

-- ---------------------------------------------------------------- cuts

-- Samples that a PE takes of `count` sorted elements, evenly: their number, the place of the k-th one, from 1. With so
-- many, what lies between two cuts is at most twice a rank's share.
local function samples_of(count)
    return math.min(count, math.max(SAMPLES, npes))
end

local function place_of(k, count)
    local n = samples_of(count)
    return (2 * k - 1) * count // (2 * n) + 1
end

-- Where this rank's sorted elements are cut, at npes - 1 places, so that the parts of all ranks are alike. A cut is
-- behind an element, that number `place` of PE `pe`; equal ones of the PEs before stand before it.
local function cuts(sorted, s)
    local mine, starts = samples_of(#sorted), { 0 }
    local own = mine > 0 and sorted:take(((core.index(mine) * 2 - 1) * #sorted):idiv(2 * mine) + 1):tobytes() or ""
    local samples = core.frombytes(table.concat(net.gather(own)), sorted:dtype())
    for pe = 0, npes - 1 do
        local _, count = spread.range(s, pe)
        starts[pe + 2] = starts[pe + 1] + samples_of(count)
    end
    local sequence, ends = samples:argsort(), {}
    for k = 1, npes - 1 do
        local chosen, pe = sequence[math.max(1, #samples * k // npes)], 0
        while starts[pe + 2] < chosen do
            pe = pe + 1
        end
        local low, high = range_of(sorted, samples:sub(chosen, chosen))
        local _, count = spread.range(s, pe)
        ends[k] = pe == mype and place_of(chosen - starts[pe + 1], count) or mype < pe and high or low
    end
    ends[npes] = #sorted
    return ends
end

-- ---------------------------------------------------------------- elements

-- Parts of arrays between cuts to their ranks; what comes from all, one after the other, as arrays of the same dtypes.
local function exchange(arrays, ends)
    local parts, from = {}, 0
    for pe = 1, npes do
        local list, to = {}, math.max(from, ends[pe])
        for k, array in ipairs(arrays) do
            list[k] = to > from and array:sub({ from + 1, to }):tobytes() or ""
        end
        parts[pe], from = table.concat(list), to
    end
    local got, size = {}, 0
    for k, array in ipairs(arrays) do
        got[k], size = {}, size + dtypes.by_name[array:dtype()].bytes
    end
    for _, bytes in ipairs(net.exchange(parts)) do
        local count, at = #bytes // size, 1
        for k, array in ipairs(arrays) do
            local width = count * dtypes.by_name[array:dtype()].bytes
            got[k][#got[k] + 1], at = bytes:sub(at, at + width - 1), at + width
        end
    end
    for k, array in ipairs(arrays) do
        got[k] = core.frombytes(table.concat(got[k]), array:dtype())
    end
    return got
end

-- Elements of which each rank has the next ones, to where a spread has them.
local function to_spread(x, s)
    local before, ends = 0, {}
    for _, bytes in ipairs(net.gather(string.pack("<i8", #x))) do
        ends[#ends + 1] = string.unpack("<i8", bytes)
    end
    for pe = 1, mype do
        before = before + ends[pe]
    end
    for pe = 1, npes do
        local first, count = spread.range(s, pe - 1)
        ends[pe] = math.max(0, math.min(#x, first + count - before))
    end
    return exchange({ x }, ends)[1]
end

-- a:sort(options) or a:argsort(options) of a blocked Vector, in the spread that it has; nil: it has no such form.
return function(a, name, options)
    local s = blocked.spread_of(a)
    if #s.shape > 1 or a:size() == 0 then
        return nil
    end
    core.zeros(1, a:dtype())[name](core.zeros(1, a:dtype()), options) -- raises what is wrong with the options
    blocked.evaluated(a)
    net.step(("sorts %s"):format(blocked.kind_of(a)), "an order", name .. s.key)
    local turned = options and options.descending
    local keys = turned and reversed(blocked.part_of(a)) or blocked.part_of(a)
    local first, order = spread.range(s, mype), keys:argsort():eval()
    local sorted = keys:take(order):eval()
    local ends = cuts(sorted, s)
    local result
    if name == "sort" then
        result = exchange({ sorted }, ends)[1]:sort()
        result = turned and reversed(result) or result
    else
        local got = exchange({ sorted, (order + first):cast "i64":eval() }, ends)
        result = got[2]:take(got[1]:argsort())
    end
    return blocked.make(s, to_spread(result:eval(), s))
end
