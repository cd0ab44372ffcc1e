-- Records of many elements in reductions and scans. A kernel has no room for an array for each of their fields: records
-- are packed, those of one dtype side by side in one array, and a function around the script's combines packed records.
-- The order of combination is that of reductions of several elements: segments from left to right, and their results
-- from left to right.
--
-- A function has no room for the results of such a record, either: what it returns is evaluated in groups of lanes.

local around = require "lunarray.record.recordaround"
local base = require "lunarray.record.recordbase"
local core = require "lunarray.core"
local struct = require "lunarray.record.struct"

local wide = {}

local MOST <const> = 8 -- elements that lun.reduce combines at once, and a kernel has arrays for
local SIDE_BY_SIDE <const> = 32 -- elements in a field of packed records

local SEGMENT <const> = core.internal.order.running_line

function wide.is(s)
    return #s.lanes > MOST
end

-- ---------------------------------------------------------------- packed records

local packings = setmetatable({}, { __mode = "k" }) -- of a struct { struct, lanes = by field the numbers of lanes }

local function packing_of(s)
    if packings[s] then
        return packings[s]
    end
    local lanes, fields, open = {}, {}, {}
    for k, lane in ipairs(s.lanes) do
        local dtype = lane[2]:find "^b?f16$" and "f32" or lane[2] -- in which they are computed
        if not open[dtype] or #open[dtype] == SIDE_BY_SIDE then
            open[dtype] = {}
            lanes[#lanes + 1] = open[dtype]
            fields[#lanes] = { ("v%d"):format(#lanes), dtype }
        end
        table.insert(open[dtype], k)
    end
    for i, field in ipairs(fields) do
        field[3] = #lanes[i]
    end
    packings[s] = { struct = require("lunarray.record.record").struct("packed_lanes", fields, { layout = "soa" }),
        lanes = lanes }
    return packings[s]
end

-- A Vector of records as packed ones.
local function pack(r)
    local packing, lanes, fields = packing_of(base.struct_of(r)), base.lanes_of(r), {}
    for i, own in ipairs(packing.lanes) do
        local list = {}
        for k, lane in ipairs(own) do
            local a, dtype = lanes[lane], packing.struct.dtypes["v" .. i]
            list[k] = a:dtype() == dtype and a or a:cast(dtype)
        end
        fields["v" .. i] = core.stack(list, 2)
    end
    return base.make(packing.struct, fields)
end

-- n times one record of s, of values that it may have, as packed ones.
local function packed_ones(s, values, n)
    local packing, fields = packing_of(s), {}
    for i, own in ipairs(packing.lanes) do
        local list = {}
        for k, lane in ipairs(own) do
            list[k] = values[lane]
        end
        fields["v" .. i] = core.vector(list, packing.struct.dtypes["v" .. i]):broadcast { n, #own }:copy()
    end
    return base.make(packing.struct, fields)
end

-- Packed records of any shape as records of s.
local function unpacked(s, packed)
    local list = {}
    for i, own in ipairs(packing_of(s).lanes) do
        local a = base.fields_of(packed)["v" .. i]
        for k, lane in ipairs(own) do
            list[lane] = core.internal.methods.select(a, -1, k)
        end
    end
    return base.of_lanes(s, list)
end

-- ---------------------------------------------------------------- the function

local combining = setmetatable({}, { __mode = "k" }) -- of a function those of packed records

-- `lane`, such as "pos.x" or "m[1,2]", of the record in the variable `name`.
local function read(name, lane)
    return name .. ("." .. lane):gsub("%.([%a_][%w_]*)", '["%1"]'):gsub(",", "][")
end

-- lun_whole(x): x as an integer, without its fraction.
local WHOLE <const> = [[local function lun_whole(x)
    if x < 0 then return lun_math.ceil(x) end
    return lun_math.floor(x)
end]]

-- How many bits an integer dtype has, and the number below its least; nil: another one.
local function bits_of(dtype)
    local sign, bits = dtype:match "^([iu])(%d+)$"
    return tonumber(bits), sign == "i" and bits and 1 << (bits - 1) or 0
end

-- The text of a value as lanes of that dtype have it: integers wrap.
local function converted(text, dtype)
    local bits, low = bits_of(dtype)
    if not bits then
        return text
    end
    text = ("(lun_whole(%s))"):format(text)
    return bits == 64 and text or ("((%s + %d) & %d) - %d"):format(text, low, (1 << bits) - 1, low)
end

-- The function of two packed records around f, which takes and gives those of s; and one that sets, behind nil, a table
-- of f's further arguments and the records among them.
local function around_packed(f, s, held)
    local made = around.once(combining, f, table.move(held, 1, #held, 2, { s }), function()
        local packing, at, to = packing_of(s), {}, around.text(f)
        for i, own in ipairs(packing.lanes) do
            for k, lane in ipairs(own) do
                at[lane] = ("v%d[%d]"):format(i, k)
            end
        end
        to.parameters, to.captured, to.rest = { "lun_p", "lun_q" }, { "lun_r0", "lun_rest" }, 0
        for i, name in ipairs(to.parameters) do
            local k = 0
            to.arguments[i] = around.record(s, function()
                k = k + 1
                return ("%s.%s"):format(name, at[k])
            end, to)
        end
        around.extras(to, held)
        to.types[#to.types + 1] = packing.struct
        local lists = {}
        for i, own in ipairs(packing.lanes) do
            local values = {}
            for k, lane in ipairs(own) do
                values[k] = converted(read("lun_made", s.lanes[lane][1]), s.lanes[lane][2])
            end
            lists[i] = "{" .. table.concat(values, ", ") .. "}"
        end
        local result = ("lun_s%d(%s)"):format(#to.types, table.concat(lists, ", "))
        return { around.load(to, f, nil, result, WHOLE) }
    end)
    return made[1], made[2]
end

-- Whether records of s are combined as they are: by few arrays, which need no integers converted.
local function is_plain(s)
    local plain = not wide.is(s)
    for _, lane in ipairs(s.lanes) do
        plain = plain and not bits_of(lane[2])
    end
    return plain
end

-- As records.narrowed has it.
function base.narrowed(x, f)
    local s = base.struct_of(x)
    local function repeated(id, n)
        return base.each_field(id, function(a)
            local shape = { a:shape() }
            shape[1] = n
            return a:broadcast(shape):copy()
        end)
    end
    if is_plain(s) then
        return x, f, repeated, function(made) return made end
    end
    local g, set = around_packed(f, s, {})
    set(nil, {})
    return pack(x), g, function(id, n) return repeated(pack(id), n) end, function(made) return unpacked(s, made) end
end

-- ---------------------------------------------------------------- what functions return

local groups = setmetatable({}, { __mode = "k" }) -- of a function those of some lanes

-- Functions around f, which gives records of s: each gives so many of their lanes, and takes `more` arguments in front
-- of f's. One lane is to be combined by itself.
function wide.groups(f, s, count, more)
    for _, name in ipairs(count == 1 and s or {}) do
        if struct.part_of(s.dtypes[name]) then
            error(("bad argument to 'allpairs' (field '%s' of %s is complex: combine records, by a function and a "
                .. "first one, %s(...))"):format(name, s.name, s.name), 0)
        end
    end
    return around.once(groups, f, { s, count, more }, function()
        local list = {}
        for first = 1, #s.lanes, count do
            local to, lanes = around.text(f), {}
            for _ = 1, more do
                around.parameter(to, "lun_e")
            end
            for k = 1, debug.getinfo(f, "u").nparams do
                to.arguments[k] = around.parameter(to, around.next_name(to))
            end
            for k = first, math.min(first + count - 1, #s.lanes) do
                lanes[#lanes + 1] = read("lun_made", s.lanes[k][1])
            end
            list[#list + 1] = around.load(to, f, nil, table.concat(lanes, ", "))
        end
        return list
    end)
end

-- ---------------------------------------------------------------- reductions and scans

-- The axes of a call: those that are kept, those along which it goes, all extents, and whether it goes along each.
local function axes_of(r, opts, name)
    local shape, along, kept, is = { r:shape() }, {}, {}, {}
    for _, axis in ipairs(type(opts.axis) == "table" and opts.axis or { opts.axis }) do
        local k = math.type(axis) and math.tointeger(axis) or 0
        k = k < 0 and #shape + 1 + k or k
        if k < 1 or k > #shape then
            base.misuse(3, name, ("axis %s: the records have %d"):format(tostring(axis), #shape))
        end
        is[k] = true
    end
    for k = 1, #shape do
        is[k] = is[k] or opts.axis == nil
        local list = is[k] and along or kept
        list[#list + 1] = k
    end
    return kept, along, shape, is
end

local function product(shape, axes)
    local n = 1
    for _, axis in ipairs(axes) do
        n = n * shape[axis]
    end
    return n
end

-- Where parts of lines of n records begin, each line in so many parts, and how many records they have.
local function parts_of(lines, n, parts)
    local k = core.index(lines * parts) - 1
    local part = k % parts
    local counts = core.op.min(n - part * SEGMENT, SEGMENT)
    return ((k // parts) * n + part * SEGMENT + 1):eval(), counts:eval()
end

-- `lines` lines of n packed records of x, combined from `from` on, packed ones; scan: their running results.
local function folded(x, from, lines, n, f, scan, exclusive)
    local segments = require "lunarray.function.segments"
    local parts = math.max(1, (n + SEGMENT - 1) // SEGMENT)
    local starts, counts = parts_of(lines, n, parts)
    local rows = scan and core.index(lines * n):eval()
    if n > SEGMENT then
        local first, length = ((core.index(lines) - 1) * parts + 1):eval(), core.full(lines, parts)
        local totals = segments.ends(x, x:take(starts):eval(), (starts + 1):eval(), (counts - 1):eval(), f)
        if not scan then
            return segments.ends(totals, from, first, length, f)
        end
        from = segments.running(totals, from, first, length, f, true, core.index(lines * parts):eval())
    elseif not scan then
        return segments.ends(x, from, starts, counts, f)
    end
    return segments.running(x, from, starts, counts, f, exclusive, rows)
end

-- r:reduce(f, id), r:scan(f, id), with `opts`; held, rest and captured: further arguments as in textcall.further.
-- Of a reduction of all the second result is true: it is one record.
function wide.fold(name, r, f, id, opts, held, rest, captured)
    local s, segments = base.struct_of(r), require "lunarray.function.segments"
    local kept, along, shape, is = axes_of(r, opts, name)
    local order = table.move(along, 1, #along, #kept + 1, table.move(kept, 1, #kept, 1, {}))
    local lines, n, scan = product(shape, kept), product(shape, along), name == "scan"
    local g, set = around_packed(f, s, held)
    base.one(s, id, 3, name) -- is an error of what it cannot have
    local made = segments.of_records(r, function()
        local x = pack((#shape > 1 and r:transpose(order) or r):reshape(lines * n)):eval()
        local from = packed_ones(s, struct.values(s, id), lines)
        set(nil, rest, table.unpack(captured))
        return unpacked(s, folded(x, from, lines, n, g, scan, not opts.inclusive))
    end, 2, name)
    set()
    local extents, back = {}, {}
    for k, axis in ipairs(order) do
        back[axis] = k
    end
    for k, axis in ipairs(scan and order or kept) do
        extents[k] = shape[axis]
    end
    for k = 1, opts.keep and not scan and #shape or 0 do
        extents[k] = is[k] and 1 or shape[k]
    end
    made = (#extents > 0 and made:reshape(extents) or made):eval()
    return scan and #shape > 1 and made:transpose(back) or made, #extents == 0
end

return wide
