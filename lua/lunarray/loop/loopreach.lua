-- Which elements of arrays the rounds of a shared loop reach, as boxes of every step-th index along each axis: pure
-- functions of what the loop's compiled function says (internal.loop_reach). Knows no array and no transport.

local loopreach = {}

-- ---------------------------------------------------------------- what a function reaches

local kinds = { [""] = "read", ["="] = "assigned", ["~"] = "computed" }

-- What a rank's function reaches, as a string that is the same where that is: what it reads at the loop's indices, or
-- ("~") at some times a number, and assigns ("="); then the numbers of the arrays that are read anywhere ("all") or at
-- some computed indices ("some").
function loopreach.text(reaches, computed)
    local words = {}
    for _, x in ipairs(reaches) do
        local reach = { (x.assigned and "=" or x.computed and "~" or "") .. x.array }
        for d, p in ipairs(x.param) do
            reach[#reach + 1] = ("%d,%d,%d"):format(p, x.factor[d], x.shift[d])
        end
        words[#words + 1] = table.concat(reach, " ")
    end
    for _, how in ipairs { "all", "some" } do
        words[#words + 1] = how
        for k, is in ipairs(computed) do
            words[#words] = is == how and words[#words] .. " " .. k or words[#words]
        end
    end
    return table.concat(words, "; ")
end

local function gcd(a, b)
    while b ~= 0 do
        a, b = b, a % b
    end
    return math.abs(a)
end

local function new_group(x)
    local group = {
        array = x.array, computed = x.computed, param = x.param, factor = x.factor, low = {}, high = {}, step = {},
    }
    for d, shift in ipairs(x.shift) do
        group.low[d], group.high[d] = shift, shift
        group.step[d] = x.computed and math.abs(x.factor[d]) or 1
    end
    return group
end

-- The group of reads of an array with these params and factors: one box has what all of them read.
local function group_of(groups, x)
    for _, group in ipairs(groups) do
        local same = group.array == x.array and group.computed == x.computed
        for d, p in ipairs(x.param) do
            same = same and group.param[d] == p and group.factor[d] == x.factor[d]
        end
        if same then
            return group
        end
    end
    groups[#groups + 1] = new_group(x)
    return groups[#groups]
end

-- A further read of a group: the step becomes one that all of them take.
local function add_to(group, x)
    for d, shift in ipairs(x.shift) do
        if group.computed then
            group.step[d] = gcd(group.step[d], shift - group.low[d])
        end
        group.low[d], group.high[d] = math.min(group.low[d], shift), math.max(group.high[d], shift)
    end
end

local function parse_reach(word)
    local sign, array, axes = word:match "^%s*([=~]?)(%d+)(.*)"
    local x = { array = math.tointeger(array), param = {}, factor = {}, shift = {} }
    x[kinds[sign]] = true
    for p, factor, shift in axes:gmatch "(%d+),(-?%d+),(-?%d+)" do
        local d = #x.param + 1
        x.param[d], x.factor[d], x.shift[d] = math.tointeger(p), math.tointeger(factor), math.tointeger(shift)
    end
    return x
end

-- From such a string: { groups =, stores =, some = list of arrays }. A group: { array, computed, param, factor, low,
-- high, step }, shifts and steps along each axis, or { array, all = true, computed = true }. stores: a group for each
-- statement.
function loopreach.parse(text)
    local result = { groups = {}, stores = {}, some = {} }
    for word in text:gmatch "[^;]+" do
        local kind = word:match "%l+"
        for array in (kind and word or ""):gmatch "%d+" do
            array = math.tointeger(array)
            if kind == "all" then
                table.insert(result.groups, { array = array, all = true, computed = true })
            else
                table.insert(result.some, array)
            end
        end
        if not kind then
            local x = parse_reach(word)
            if x.assigned then
                table.insert(result.stores, new_group(x))
            else
                add_to(group_of(result.groups, x), x)
            end
        end
    end
    return result
end

-- ---------------------------------------------------------------- boxes

-- The first of a sequence of every step-th number that is not below `low`, and how many are not above `high`.
local function cut(first, last, step, low, high)
    if first < low then
        first = first + (low - first + step - 1) // step * step
    end
    last = math.min(last, high)
    return first, last < first and 0 or (last - first) // step + 1
end

-- The box of an array of that shape which a group's rounds reach: first indices, numbers and steps; nil: they reach
-- nothing.
function loopreach.need(group, rounds, shape)
    local first, count, step = {}, {}, {}
    for _, range in ipairs(rounds) do
        if range[2] < range[1] then
            return nil
        end
    end
    for d, n in ipairs(shape) do
        local low, high = 1, n
        if not group.all then
            local range, factor = rounds[group.param[d]] or { 0, 0 }, group.factor[d]
            low = math.min(factor * range[1], factor * range[2]) + group.low[d]
            high = math.max(factor * range[1], factor * range[2]) + group.high[d]
        end
        step[d] = math.max(group.all and 1 or group.step[d], 1)
        first[d], count[d] = cut(low, high, step[d], 1, n)
        if count[d] == 0 then
            return nil
        end
    end
    return first, count, step
end

-- What is common to such a box and one of all indices; nil: nothing.
function loopreach.common(first, count, step, other_first, other_count)
    local from, some = {}, {}
    for d, at in ipairs(first) do
        local last = at + (count[d] - 1) * step[d]
        from[d], some[d] = cut(at, last, step[d], other_first[d], other_first[d] + other_count[d] - 1)
        if some[d] == 0 then
            return nil
        end
    end
    return from, some
end

-- How many rounds reach an element of a box.
function loopreach.times(reach, rounds, first, count)
    local ranges, result = {}, 1
    for p, range in ipairs(rounds) do
        ranges[p] = { range[1], range[2] }
    end
    for d, p in ipairs(reach.param) do
        local low, high = first[d] - reach.shift[d], first[d] + count[d] - 1 - reach.shift[d]
        local range, factor = ranges[p], reach.factor[d]
        if range then
            if factor < 0 then
                low, high, factor = -high, -low, -factor
            end
            range[1], range[2] = math.max(range[1], -(-low // factor)), math.min(range[2], high // factor)
        elseif low > 0 or high < 0 then
            return 0
        end
    end
    for _, range in ipairs(ranges) do
        result = result * math.max(range[2] - range[1] + 1, 0)
    end
    return result
end

return loopreach
