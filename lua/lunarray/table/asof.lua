-- Rows of one table beside those of another by the nearest time: t:join(u, "time", {how = "asof"}).

local core = require "lunarray.core"
local column = require "lunarray.table.column"
local dtypes = require "lunarray.base.dtypes"
local fault = require "lunarray.base.fault"
local group = require "lunarray.table.group"
local within = require "lunarray.table.within"

local M = {}

local DAY <const> = 86400000000 -- microseconds

-- The times of both tables as one array of numbers, those of t first, and the kind: "date", "timestamp", "duration",
-- or "number".
local function times_of(x, y, left, right)
    for k, one in ipairs { x, y } do
        local dtype = column.dtype(one)
        local kind = core.isarray(one) and dtypes.by_name[dtype].kind
        if not column.is_number(one) and kind ~= "time" then
            fault("'join': how = \"asof\": '%s' is %s; times or numbers expected", k == 1 and left or right, dtype)
        end
    end
    local a, b = x:dtype(), y:dtype()
    local timed = dtypes.by_name[a].kind == "time"
    if timed ~= (dtypes.by_name[b].kind == "time") or (a == "duration") ~= (b == "duration") then
        fault("keys differ: '%s' is %s, '%s' is %s", left, a, right, b)
    elseif a:find "^u" and b:find "^i" or a:find "^i" and b:find "^u" then
        x, y = x:cast "i64", y:cast "i64"
    end
    local both = core.concat { x, y }
    local kind = timed and both:dtype() or "number"
    if timed then
        return both:cast "i64", kind
    end
    return dtypes.is_float(both:dtype()) and both:cast "f64" or both, kind
end

-- The largest distance that the option says, in the numbers of times; nil: any.
local function tolerance_of(x, kind)
    if x == nil then
        return nil
    elseif kind == "number" then
        return math.type(x) and x >= 0 and x
            or fault("'join': option 'tolerance': number from 0 on expected, got %s", column.shown(x))
    end
    local usable, span = pcall(function()
        return (core.isarray(x) and x or core.vector({ x }, "duration")):cast "i64"[1]
    end)
    local is_span = type(x) == "string" or core.isarray(x) and x:dtype() == "duration"
    if not is_span or not usable or not span or span < 0 then
        fault("'join': option 'tolerance': duration such as \"10s\" expected, got %s", column.shown(x))
    end
    return kind == "date" and span // DAY or span
end

-- The groups of the rows of both tables, those of t first, by keys; missing where a key is, unless these match.
local function codes_of(a, b, na)
    local keys = {}
    for k = 1, #a do
        keys[k] = column.concat { a[k], b[k] }
    end
    keys[#keys + 1] = { dropna = na ~= "match" }
    return group.group(table.unpack(keys)):codes()
end

-- What an array has at places, of which 0 is none, and whether they are of the same group.
local function at(values, places)
    return values:take(core.max(places, 1))
end

-- The distances from times up to later ones, without overflow.
local function distance(earlier, later)
    local d = later - earlier
    return dtypes.is_float(d:dtype()) and d or d:cast "u64"
end

-- For the rows of both tables that are in `order`, by group and time: the places of the rows of u that belong to them,
-- the last one at or before each, and the first one at or after, 0 where there is none.
local function neighbours(time, codes, of_u)
    local n = #time
    local run, starts, ends = within.runs(within.begins(time, codes))
    local behind = within.last_where(of_u):take(ends:take(run))
    local back = n + 1 - within.last_where(of_u:sub { -1, 1, -1 }):sub { -1, 1, -1 }
    local ahead = back:take(starts:take(run))
    behind = core.where(behind:gt(0) & at(codes, behind):eq(codes), behind, 0)
    ahead = core.where(ahead:gt(n), 0, ahead)
    ahead = core.where(ahead:gt(0) & at(codes, ahead):eq(codes), ahead, 0)
    return behind, ahead
end

-- The row of u for each row of t, 0 where there is none. by: keys of both, lists of columns; opts: of t:join.
function M.matches(t, u, on, by, opts)
    local direction = opts.direction == nil and "backward" or opts.direction
    if direction ~= "backward" and direction ~= "forward" and direction ~= "nearest" then
        fault("'join': option 'direction': backward, forward or nearest expected, got %s", column.shown(direction))
    end
    local times, kind = times_of(t, u, on[1], on[2])
    local tolerance, n = tolerance_of(opts.tolerance, kind), #t
    local codes = #by[1] > 0 and codes_of(by[1], by[2], opts.na) or core.full(#times, 1)
    local kept = (~times:isna() & codes:notna()):indices()
    if n == 0 or #kept == 0 then
        return core.full(n, 0)
    end
    local order = kept:take(times:take(kept):argsort())
    order = (#by[1] > 0 and order:take(codes:take(order):argsort()) or order):eval()
    local time, code = core.eval(core.internal.slots(times):take(order), core.internal.slots(codes):take(order))
    local behind, ahead = core.eval(neighbours(time, code, order:gt(n)))
    local place, from, to = behind, distance(at(time, behind), time), distance(time, at(time, ahead))
    local far = from
    if direction == "forward" then
        place, far = ahead, to
    elseif direction == "nearest" then
        local first = behind:gt(0) & (ahead:eq(0) | from:le(to))
        place, far = core.where(first, behind, ahead), core.where(first, from, to)
    end
    if tolerance then
        place = core.where(far:le(tolerance), place, 0)
    end
    local row = core.where(place:gt(0), at(order, place) - n, 0)
    local of_t = order:le(n):indices()
    return core.full(n, 0):put(order:take(of_t), row:take(of_t))
end

return M
