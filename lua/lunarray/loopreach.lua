-- Which elements of arrays the rounds of a shared loop reach, at its own indices or anywhere, as boxes: pure functions
-- of what the loop's compiled function says (internal.loop_reach). Knows no array and no transport.

local loopreach = {}

-- ---------------------------------------------------------------- what a function reads

-- What a rank's function reads, as a string that is the same where that is: each read at the loop's indices, then the
-- numbers of the arrays that are read anywhere ("all") or at some computed indices ("some").
function loopreach.text(reaches, computed)
    local words = {}
    for _, x in ipairs(reaches) do
        if not x.assigned then
            local read = { x.array }
            for d, p in ipairs(x.param) do
                read[#read + 1] = ("%d,%d"):format(p, x.shift[d])
            end
            words[#words + 1] = table.concat(read, " ")
        end
    end
    for _, how in ipairs { "all", "some" } do
        words[#words + 1] = how
        for k, is in ipairs(computed) do
            words[#words] = is == how and words[#words] .. " " .. k or words[#words]
        end
    end
    return table.concat(words, "; ")
end

local function read_words(word, each)
    for x in word:gmatch "%S+" do
        each(x)
    end
end

-- The group of reads of an array with these params: one box has what all of them read.
local function group_of(groups, read)
    for _, group in ipairs(groups) do
        local same = group.array == read.array
        for d, p in ipairs(read.param) do
            same = same and group.param[d] == p
        end
        if same then
            return group
        end
    end
    local low, high = table.move(read.shift, 1, #read.shift, 1, {}), table.move(read.shift, 1, #read.shift, 1, {})
    groups[#groups + 1] = { array = read.array, param = read.param, low = low, high = high }
    return groups[#groups]
end

-- From such a string: { groups =, some = list of arrays }. A group: { array, param, low, high }, shifts along each
-- axis, or { array, all = true }.
function loopreach.parse(text)
    local result = { groups = {}, some = {} }
    for word in text:gmatch "[^;]+" do
        local kind = word:match "%l+"
        local read = { param = {}, shift = {} }
        read_words(kind and word:match "%l+(.*)" or word, function(x)
            local p, shift = x:match "^(%d+),(-?%d+)$"
            if p then
                read.param[#read.param + 1], read.shift[#read.shift + 1] = math.tointeger(p), math.tointeger(shift)
            elseif kind == "all" then
                table.insert(result.groups, { array = math.tointeger(x), all = true })
            elseif kind == "some" then
                table.insert(result.some, math.tointeger(x))
            else
                read.array = math.tointeger(x)
            end
        end)
        if not kind then
            local group = group_of(result.groups, read)
            for d, shift in ipairs(read.shift) do
                group.low[d], group.high[d] = math.min(group.low[d], shift), math.max(group.high[d], shift)
            end
        end
    end
    return result
end

-- ---------------------------------------------------------------- boxes

-- The box of an array of that shape which a group's rounds read: first indices and numbers; nil: they read nothing.
function loopreach.need(group, rounds, shape)
    local first, count = {}, {}
    for _, range in ipairs(rounds) do
        if range[2] < range[1] then
            return nil
        end
    end
    for d, n in ipairs(shape) do
        local range = group.all and { 1, n } or rounds[group.param[d]] or { 0, 0 }
        local low = math.max(range[1] + (group.all and 0 or group.low[d]), 1)
        local high = math.min(range[2] + (group.all and 0 or group.high[d]), n)
        if high < low then
            return nil
        end
        first[d], count[d] = low, high - low + 1
    end
    return first, count
end

-- How many rounds reach an element of a box, at the loop's own indices.
function loopreach.times(reach, rounds, first, count)
    local ranges, result = {}, 1
    for p, range in ipairs(rounds) do
        ranges[p] = { range[1], range[2] }
    end
    for d, p in ipairs(reach.param) do
        local low, high = first[d] - reach.shift[d], first[d] + count[d] - 1 - reach.shift[d]
        local range = ranges[p]
        if range then
            range[1], range[2] = math.max(range[1], low), math.min(range[2], high)
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
