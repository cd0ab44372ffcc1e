-- Reductions and scans of segments of a Vector, or of records, by a function.

local core = require "lunarray.core"
local misuse = require "lunarray.base.misuse"
local records = require "lunarray.base.records"

local internal = core.internal

local M = {}

local NAMES <const> = { ["+"] = "add", ["*"] = "mul", ["&"] = "band", ["|"] = "bor", ["~"] = "bxor" }
local KNOWN <const> = { add = true, mul = true, min = true, max = true, band = true, bor = true, bxor = true }

-- Elements of u64 are Lua's integers with the same bits.
local UNSIGNED <const> = {
    min = function(a, b)
        return math.ult(b, a) and b or a
    end,
    max = function(a, b)
        return math.ult(a, b) and b or a
    end,
}

-- The name of the operation f, given by its name or symbol; nil: it is no combining operation.
function M.operation(f)
    local name = NAMES[f] or f
    return KNOWN[name] and name or nil
end

-- The same of records of a struct: a function of two records, and the identity as an array of one record.
local function combiner_of_records(struct, f, id, first, call)
    if type(f) ~= "function" then
        misuse(first, call, "records of %s have no '%s': a function of two records, which gives one, expected",
            struct.name, type(f) == "string" and f:sub(1, 20) or internal.kind_of(f))
    end
    return f, records.one(struct, id, first + 1, call)
end

-- f and its identity for elements of x, given after `first` other arguments: a function, or the name of an operation.
function M.combiner(x, f, id, first, call)
    if records.struct_of(x) then
        return combiner_of_records(records.struct_of(x), f, id, first, call)
    end
    local known = M.operation(f)
    if type(f) ~= "function" and not known then
        misuse(first, call, 'function or one of "+" "*" "min" "max" "&" "|" "~" expected, got %s', internal.kind_of(f))
    end
    if type(id) ~= "number" and type(id) ~= "boolean" then
        misuse(first + 1, call, "identity expected, a number or a boolean, got %s", internal.kind_of(id))
    end
    return known or f, id
end

-- An operation has one rule for all its reductions and scans, that of lun.reduce: the dtype of its result for elements
-- of x. Returns x cast as it is combined, the function, the identity, and that dtype; for a function all is as given.
-- id, the value behind argument `first`, may be missing.
function M.ruled(x, f, id, first, call)
    if type(f) == "function" then
        return x, f, id, nil
    end
    local given, op = x:dtype(), core.op[f]
    local ok, dtype = pcall(function()
        return core.reduce(f)(core.zeros(1, given)):dtype()
    end)
    if not ok then
        misuse(first, call, "%s", (tostring(dtype):gsub("^.-%((.*)%)$", "%1")))
    end
    local float = given:match "^b?f" ~= nil
    local combined = float and ((f == "add" or f == "mul") and "f64" or given) or "i64"
    if type(id) == "boolean" then
        id = id and 1 or 0
    end
    if id and not pcall(core.full, 1, id, float and combined or dtype) then
        misuse(first + 1, call, "number %s does not fit into dtype %s", id, dtype)
    end
    id = id and (float and id + 0.0 or math.tointeger(id))
    local combine = given == "u64" and UNSIGNED[f] or function(a, b)
        return op(a, b)
    end
    return given == combined and x or x:cast(combined), combine, id, dtype
end

-- Elements cast to the dtype of M.ruled, nil: as they are.
function M.given_as(out, dtype)
    return dtype and out:dtype() ~= dtype and out:cast(dtype) or out
end

-- x without its missing elements, and what gives how many of those kept are before each of some indices, up to
-- #x + 1.
function M.there(x)
    local valid = x:ismissing():lnot()
    local count = core.scan("+", 0, { inclusive = true })(valid:cast "i64")
    local before = core.concat { core.zeros(1, "i64"), count }:eval()
    return internal.slots(x:compress(valid)):eval(), function(i)
        return before:take(i)
    end
end

-- make(), which runs a function of records of x: an error is one of argument `first` of the call. Records that it
-- gives are those of x's struct.
function M.of_records(x, make, first, call)
    local struct = records.struct_of(x)
    local ok, made = pcall(make)
    if ok and made then
        ok, made = pcall(made.cast, made, struct)
    end
    if not ok and tostring(made):find "^records:%d+: " then -- a number in it does not fit
        made = tostring(made)
    end
    local text = not ok and type(made) == "string" and (made:match "^[^(]*%((.*)%)$" or made)
    local own = text and text:match "^records:%d+: (.*)$" -- of the text around the function
    text = own or text and text:gsub("^[^:]*/lunarray/[^:]*%.lua:%d+: ", "")
    if text and (own and own:find "'lun_made'" or text:find "a record before a loop is"
        or text:find "a record of .- is assigned" or text:find "^records of .* have no field"
        or text:find "^records of .* differ") then
        misuse(first, call, "the function has to return a record of %s", struct.name)
    elseif text then
        misuse(first, call, "%s", text)
    elseif not ok then
        error(made, 0)
    end
    return made
end

-- Into `from`, a record for each segment, the record combined with those of the segment.
function M.ends(x, from, starts, counts, f)
    if #starts > 0 then
        core.teams { league = #starts, team = 1 }(function(t)
            local k = t:index()
            local sum = from[k]
            for i = starts[k], starts[k] + counts[k] - 1 do
                sum = f(sum, x[i])
            end
            from[k] = sum
        end)
    end
    return from
end

-- The running results of records, from[k] first; rows: the numbers of the segments' records in x.
function M.running(x, from, starts, counts, f, exclusive, rows)
    local out = x:copy()
    if #starts == 0 then
        return out
    end
    core.teams { league = #starts, team = 1 }(function(t)
        local k = t:index()
        local sum = from[k]
        for i = starts[k], starts[k] + counts[k] - 1 do
            if exclusive then
                out[rows[i]] = sum
            end
            sum = f(sum, x[rows[i]])
            if not exclusive then
                out[rows[i]] = sum
            end
        end
    end)
    return out
end

-- The reduction of segments of records.
local function reduce_records(x, starts, counts, f, id, first, call)
    local made = M.of_records(x, function()
        local own, g, pack, unpack = records.narrowed(x, f)
        return unpack(M.ends(own:eval(), pack(id, #starts), starts, counts, g))
    end, first, call)
    return made:eval()
end

-- Their running results.
local function scan_records(x, starts, counts, f, id, exclusive, call, rows)
    return M.of_records(x, function()
        local own, g, pack, unpack = records.narrowed(x, f)
        return unpack(M.running(own:eval(), pack(id, #starts), starts, counts, g, exclusive, rows
            or core.index(#x):eval()))
    end, 2, call):eval()
end

-- id combined with the elements of each segment from starts[k] on that are there, one after the other. f: as returned
-- by M.combiner, after `first` other arguments of the call.
function M.reduce(x, starts, counts, f, id, first, call)
    if records.struct_of(x) then
        return reduce_records(x, starts, counts, f, id, first, call)
    end
    if internal.has_missing(x) and #starts > 0 then
        local rest, before = M.there(x)
        local from = before(starts)
        return M.reduce(rest, (from + 1):eval(), (before(starts + counts) - from):eval(), f, id, first, call)
    end
    local dtype
    x, f, id, dtype = M.ruled(x, f, id, first, call)
    if #starts == 0 then
        return core.zeros(0, dtype or x:dtype())
    end
    if #x == 0 then
        return M.given_as(core.full(#starts, id), dtype)
    end
    return M.given_as(core.generate(#starts, function(k)
        local sum = id
        for i = starts[k], starts[k] + counts[k] - 1 do
            sum = f(sum, x[i])
        end
        return sum
    end), dtype):eval()
end

-- The running results within each segment, of the elements before each one, and of itself unless exclusive. Segment k
-- has the elements from starts[k] on of x, or of x at the indices from there on in `rows`.
function M.scan(x, starts, counts, f, id, exclusive, call, rows)
    if records.struct_of(x) then
        return scan_records(x, starts, counts, f, id, exclusive, call, rows)
    end
    local dtype
    x, f, id, dtype = M.ruled(x, f, id, 2, call)
    if #x == 0 then
        return core.zeros(0, dtype or x:dtype())
    end
    local along, give = rows and x:take(rows) or x, exclusive and "before" or "behind"
    local out, failure = internal.run_lines(f, id, along, starts - 1, counts, give)
    if not out then
        misuse(2, call, "%s", failure)
    end
    out = M.given_as(out, dtype):eval()
    return rows and core.zeros(#x, out:dtype()):put(rows, out) or out
end

return M
