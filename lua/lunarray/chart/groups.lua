-- The groups of a picture: the values of a column, by frequency, and the elements of arrays that each has.

local core = require "lunarray.core"
local given_as = require "lunarray.table.keys"
local picture = require "lunarray.chart.picture"
local records = require "lunarray.base.records"
local dtypes = require "lunarray.base.dtypes"

local groups = {}

local MOST = 8 -- series of a plot, without that of all others

-- The array of an option or argument that says the group of each element.
local function array_of(by, what, argument, call)
    if type(by) == "table" and type(by[1]) == "string" and not records.struct_of(by) then
        by = core.vector(by)
    end
    local dtype = core.isarray(by) and by:dtype()
    if not dtype or dtypes.by_name[dtype].kind == "float" or select("#", by:shape()) ~= 1 then
        picture.misuse(argument, call, "%s: a column of texts, bools or integers expected, got %s", what,
            dtype and dtype .. "[" .. table.concat({ by:shape() }, ", ") .. "]" or records.kind_of(by))
    end
    return by
end

-- The most frequent groups, at most `most`: { name =, value =, mask = } each, the value nil where it is missing, the
-- mask an array of bools; and the number of groups. size: of what is grouped; what: for messages.
function groups.of(by, most, size, what, argument, call)
    by = array_of(by, what, argument, call)
    if by:size() ~= size then
        picture.misuse(argument, call, "%s: as many elements as the picture has expected, %d, got %s", what, size,
            given_as.described(by))
    end
    local counted = by:value_counts()
    local list = {}
    local missing = counted.value:ismissing():totable()
    for i = 1, math.min(most, #counted) do
        if missing[i] then
            list[i] = { name = "missing", mask = by:ismissing() }
        else
            local value = counted.value[i]
            list[i] = { name = picture.shortened(tostring(value)), value = value, mask = by:eq(value) }
        end
    end
    return list, #counted
end

-- A series for each of the most frequent groups, and one for all others, of a list of one series.
function groups.series(list, by, argument, opts)
    if #list ~= 1 then
        picture.misuse(argument, "plot", "option 'by' takes one series, and these are %d%s", #list,
            list[1] and opts.y == nil and ": name it by y" or "")
    elseif opts.names then
        picture.misuse(argument, "plot", "options 'by' and 'names' exclude each other")
    end
    local y, x = list[1][1], list[1].x or core.index(list[1][1]:size())
    local found, count = groups.of(by, MOST, y:size(), "option 'by'", argument, "plot")
    local result, others = {}, nil
    local function add(name, mask, other)
        result[#result + 1] = { y:compress(mask), name, x = x:compress(mask), other = other }
    end
    for _, group in ipairs(found) do
        add(group.name, group.mask)
        others = others and others | group.mask or group.mask
    end
    if count > #found then
        add("other", ~others, true)
    end
    return result
end

return groups
