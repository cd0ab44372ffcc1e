-- All pairs of rows that are combined as records: a:allpairs(b, f, g, P(0, 0)), where f makes a record of two elements
-- and g combines two records. Each element of the result is a loop along its two rows, from left to right.

local around = require "lunarray.record.recordaround"
local base = require "lunarray.record.recordbase"
local core = require "lunarray.core"
local struct = require "lunarray.record.struct"
local textcall = require "lunarray.record.textcall"

local getinfo = debug.getinfo
local misuse, struct_of = base.misuse, base.struct_of

local pairing = {}

local NAME <const> = "allpairs"

local memo = setmetatable({}, { __mode = "k" }) -- of a function those of numbers of rows

-- What a function of two rows gives, %s being further arguments of f: what f gives of their first elements, what g
-- gives of two such ones, and the rows combined.
local BODIES <const> = {
    first = "return lun_f(lun_a[lun_i][1], lun_b[lun_j][1]%s)",
    two = "local lun_made = lun_f(lun_a[lun_i][1], lun_b[lun_j][1]%s) return lun_g(lun_made, lun_made)",
    all = [[local lun_made = lun_id[1]
        for lun_k = 1, #lun_a[lun_i] do
            lun_made = lun_g(lun_made, lun_f(lun_a[lun_i][lun_k], lun_b[lun_j][lun_k]%s))
        end
        return lun_made]],
}

-- The function of the numbers of two rows around f, with one of those bodies, and one that sets what it captures.
local function function_of(f, held, body)
    local made = around.once(memo, f, table.move(held, 1, #held, 2, { body }), function()
        local to = around.text(f)
        to.captured = { "lun_r0", "lun_g", "lun_a", "lun_b", "lun_id" }
        for k, name in ipairs { "lun_i", "lun_j" } do
            to.arguments[k] = around.parameter(to, name)
        end
        around.extras(to, held)
        local extras = table.concat(to.arguments, ", ", 3)
        to.arguments = {}
        to.call = BODIES[body]:format(extras ~= "" and ", " .. extras or "")
        return { around.load(to, f) }
    end)
    return made[1], made[2]
end

-- Raises an error unless a and b are matrices with rows of one length; gives how many rows they have. at: the number of
-- the argument a.
local function rows_of(a, b, at)
    local counts, length = {}, nil
    for k, x in ipairs { a, b } do
        if not core.isarray(x) and not struct_of(x) then
            misuse(at + k - 1, NAME, ("array expected, got %s"):format(core.internal.kind_of(x)))
        end
        local shape = { x:shape() }
        if #shape ~= 2 then
            misuse(at + k - 1, NAME, ("a matrix is expected, whose rows are compared: the rank is %d"):format(#shape))
        elseif length and shape[2] ~= length then
            misuse(at + 1, NAME, ("shapes do not fit: rows of %d and of %d"):format(length, shape[2]))
        end
        counts[k], length = shape[1], shape[2]
    end
    return counts[1], counts[2]
end

-- Raises an error unless f and g, arguments from number `at` on, are functions in Lua.
function pairing.check(f, g, at)
    for k, x in ipairs { f or false, g or false } do
        if type(x) ~= "function" or getinfo(x, "S").what == "C" then
            misuse(at + k - 1, NAME, ("a function in Lua expected, beside a first record, got %s"):format(
                core.internal.kind_of(x)))
        end
    end
end

-- The records of all pairs of rows of a and b; at: the numbers of the arguments a, f and those behind id; further: a
-- list of these with `n`; options: {out=} or nil.
function pairing.call(a, b, f, g, id, further, options, at)
    local n, m = rows_of(a, b, at.a)
    local held, captured, rest, from = textcall.further(further, 1, NAME, at.further - 1)
    local owner = table.move(from, 1, #from, 3, { at.f, at.f })
    local i, j = core.index(n):reshape(n, 1), core.index(m):reshape(1, m)
    local function run(body, first)
        local made, set = function_of(f, held, body)
        set(nil, g, a, b, first, table.unpack(captured))
        local ok, result = base.try(core.zip(made, options), i, j, table.unpack(rest, 1, rest.n))
        set()
        if not ok and type(result) == "string" then
            result = result:gsub("'zip'", "'" .. NAME .. "'", 1)
        end
        return textcall.settle(owner, ok, result)
    end
    local s = struct_of(run "first")
    local fault = s and struct.fault(s, id, true)
    if not s then
        misuse(at.f, NAME, "the function has to return a record, as the first value is one")
    elseif fault then
        misuse(at.f + 2, NAME, fault)
    end
    local got = struct_of(run "two")
    if not got or not struct.same(got, s) then
        misuse(at.f + 1, NAME, ("the function has to return a record of %s, got %s"):format(s.name,
            got and "one of " .. got.name or "a number"))
    end
    return run("all", core.vector({ id }, s))
end

return pairing
