-- What each operation must give for one element, in Lua's own arithmetic (and the C library's functions,
-- called directly): the oracle of the difference tests. It knows nothing of the engine; tables_spec.lua
-- fails if the engine's table has a row that is missing here.
--
-- oracle.ops[name] = {
--   rule      how the operands' dtypes meet, and the result's (oracle.result)
--   integer   function(t, a, b, c) on elements of an integer dtype t; none: refused or never met
--   float     the same on floats of dtype t
--   truth     the same on booleans
--   accuracy  instead of float: name of the long double function that it must be close to
--   trap      an integer b == 0 is an error
--   any_zero  whether the sign of a zero is left open, as C leaves it
-- }

local dtypes = require "diff.dtypes"
local libm = require "libm"

local oracle = { ops = {} }
local ops = oracle.ops

-- Operations that give one of their operands, bits and all; every other one gives the same NaN.
local passes = { where = true, min = true, max = true, fmin = true, fmax = true, clamp = true, fillnan = true }

local function op(name, rule, row)
    row.name, row.rule = name, rule
    local float = row.float
    if float and not passes[name] then
        row.float = function(...)
            return dtypes.computed(float(...))
        end
    end
    ops[name] = row
end

-- ---------------------------------------------------------------- integers of 64 bits without sign

local function less(t, a, b)
    if t.is_wide then
        return math.ult(a, b)
    end
    return a < b
end
oracle.less = less

-- Quotient and remainder of integers without sign (Hacker's Delight, 9-3).
local function divide_wide(a, b)
    if b < 0 then
        if math.ult(a, b) then
            return 0, a
        end
        return 1, a - b
    end
    local q = ((a >> 1) // b) << 1
    local r = a - q * b
    if not math.ult(r, b) then
        return q + 1, r - b
    end
    return q, r
end

-- ---------------------------------------------------------------- arithmetic

op("add", "arithmetic", {
    integer = function(t, a, b) return t.wrap(a + b) end,
    float = function(t, a, b) return t.round(a + b) end,
})
op("sub", "arithmetic", {
    integer = function(t, a, b) return t.wrap(a - b) end,
    float = function(t, a, b) return t.round(a - b) end,
})
op("mul", "arithmetic", {
    integer = function(t, a, b) return t.wrap(a * b) end,
    float = function(t, a, b) return t.round(a * b) end,
})
op("div", "float", {
    float = function(t, a, b) return t.round(a / b) end,
})
op("idiv", "arithmetic", {
    trap = true,
    integer = function(t, a, b)
        if t.is_wide then
            return (divide_wide(a, b))
        end
        return t.wrap(a // b)
    end,
    float = function(t, a, b)
        if t == dtypes.f64 then
            return a // b
        end
        return libm.floor(t.round(a / b))
    end,
})
op("mod", "arithmetic", {
    trap = true,
    integer = function(t, a, b)
        if t.is_wide then
            return (select(2, divide_wide(a, b)))
        end
        return t.wrap(a % b)
    end,
    float = function(t, a, b) return t.round(a % b) end,
})
op("neg", "arithmetic", {
    integer = function(t, a) return t.wrap(-a) end,
    float = function(_, a) return -a end,
})
op("abs", "arithmetic", {
    integer = function(t, a) return t.kind == "signed" and a < 0 and t.wrap(-a) or a end,
    float = function(_, a) return libm.fabs(a) end,
})
op("sign", "arithmetic", {
    any_zero = true,
    integer = function(t, a) return less(t, 0, a) and 1 or a == 0 and 0 or -1 end,
    float = function(_, a) return a > 0 and 1.0 or a < 0 and -1.0 or a end,
})

-- ---------------------------------------------------------------- bits

op("band", "integer", { integer = function(t, a, b) return t.wrap(a & b) end })
op("bor", "integer", { integer = function(t, a, b) return t.wrap(a | b) end })
op("bxor", "integer", { integer = function(t, a, b) return t.wrap(a ~ b) end })
op("bnot", "integer", { integer = function(t, a) return t.wrap(~a) end })

-- Lua shifts 64 bits; what leaves the dtype's width is cut. A count of u64 is the Lua integer of its bits.
op("shl", "integer", { integer = function(t, a, b) return t.wrap((a & t.mask) << b) end })
op("shr", "integer", { integer = function(t, a, b) return t.wrap((a & t.mask) >> b) end })

-- ---------------------------------------------------------------- comparison and logic

local function truth_as_number(f)
    return function(_, a, b) return f(dtypes.i64, a and 1 or 0, b and 1 or 0) end
end

local function comparison(name, f)
    op(name, "comparison", { integer = f, float = f, truth = truth_as_number(f) })
end
comparison("lt", function(t, a, b) return less(t, a, b) end)
comparison("gt", function(t, a, b) return less(t, b, a) end)
comparison("le", function(t, a, b) return less(t, a, b) or a == b end)
comparison("ge", function(t, a, b) return less(t, b, a) or a == b end)
comparison("eq", function(_, a, b) return a == b end)
comparison("ne", function(_, a, b) return a ~= b end)

op("land", "logic", { truth = function(_, a, b) return a and b end })
op("lor", "logic", { truth = function(_, a, b) return a or b end })
op("lnot", "logic", { truth = function(_, a) return not a end })

local function choose(_, a, b, c)
    if a then
        return b
    end
    return c
end
op("where", "selection", { integer = choose, float = choose, truth = choose })

-- ---------------------------------------------------------------- rounding

local function same(_, a) return a end
for _, name in ipairs { "floor", "ceil", "round", "trunc" } do
    op(name, "arithmetic", { integer = same, float = function(_, a) return libm[name](a) end })
end

-- ---------------------------------------------------------------- functions

op("sqrt", "float", { float = function(t, a) return t.round(math.sqrt(a)) end })
op("fma", "float", { float = function(t, a, b, c) return libm.fma(t.name, a, b, c) end })
op("copysign", "float", { float = function(_, a, b) return libm.copysign(a, b ~= b and 0.0 or b) end }) -- NaN has no sign

for _, name in ipairs {
    "pow", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos",
    "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "hypot",
    "cospi",
} do
    op(name, "float", { accuracy = name })
end

-- ---------------------------------------------------------------- extremes

local nan = 0.0 / 0.0

-- math.min and math.max order what is no NaN; without sign the order of bits is another.
local function extreme(name, pick, c_name, propagates)
    op(name, "arithmetic", {
        any_zero = true,
        integer = function(t, a, b)
            if t.is_wide then
                return pick(a ~ math.mininteger, b ~ math.mininteger) ~ math.mininteger
            end
            return pick(a, b)
        end,
        float = function(_, a, b)
            if propagates and (a ~= a or b ~= b) then
                return nan
            end
            return libm[c_name](a, b)
        end,
    })
end
extreme("min", math.min, "fmin", true)
extreme("max", math.max, "fmax", true)
extreme("fmin", math.min, "fmin", false)
extreme("fmax", math.max, "fmax", false)

-- Only called with b <= c, neither of them a NaN.
op("clamp", "arithmetic", {
    any_zero = true,
    ordered = true,
    integer = function(t, a, b, c)
        return ops.min.integer(t, ops.max.integer(t, a, b), c)
    end,
    float = function(_, a, b, c)
        return a ~= a and a or math.min(math.max(a, b), c)
    end,
})

local function never() return false end
local function always() return true end
op("isnan", "test", { integer = never, truth = never, float = function(_, a) return a ~= a end })
op("isinf", "test", {
    integer = never,
    truth = never,
    float = function(_, a) return a == math.huge or a == -math.huge end,
})
op("isfinite", "test", {
    integer = always,
    truth = always,
    float = function(_, a) return a == a and math.abs(a) ~= math.huge end,
})

op("fillnan", "arithmetic", {
    integer = function(_, a) return a end,
    float = function(_, a, b) return a == a and a or b end,
})

-- Operations that may be reduced and scanned.
oracle.associative = {
    add = true, mul = true, band = true, bor = true, bxor = true, land = true, lor = true,
    min = true, max = true, fmin = true, fmax = true,
}

-- ---------------------------------------------------------------- dtypes of operands and results

-- The dtype that the operation computes in and the one that it gives, for the dtype in which its operands
-- meet (selection: the last two); nil where it refuses them.
function oracle.result(row, meeting)
    local rule = row.rule
    if rule == "logic" then
        return dtypes.bool, dtypes.bool
    elseif meeting == dtypes.none and rule ~= "float" then
        return nil
    elseif rule == "comparison" or rule == "test" then
        return meeting, dtypes.bool
    elseif rule == "selection" then
        return meeting, meeting
    elseif rule == "float" then
        local t = meeting.is_float and meeting or dtypes.f64
        return t, t
    elseif rule == "integer" then
        if not meeting.is_integer then
            return nil
        end
        return meeting, meeting
    end
    local t = meeting.kind == "bool" and dtypes.i64 or meeting
    return t, t
end

-- Whether the integer x of dtype t is less than the number y of dtype u: by value, never rounded.
local function less_by_value(x, t, y, u)
    local big_x, big_y = t.is_wide and x < 0, u.is_wide and math.type(y) == "integer" and y < 0 -- from 2^63 on
    if math.type(y) == "float" and big_x then
        return y >= 2.0 ^ 64 or y >= 2.0 ^ 63 and math.ult(x, math.tointeger(y - 2.0 ^ 64))
    elseif big_x ~= big_y then
        return big_y
    end
    return x < y
end

local function equal_by_value(x, t, y, u)
    if math.type(y) == "float" and t.is_wide and x < 0 then
        return y >= 2.0 ^ 63 and y < 2.0 ^ 64 and x == math.tointeger(y - 2.0 ^ 64)
    end
    return x == y and (t.is_wide and x < 0) == (u.is_wide and y < 0)
end

-- What a comparison says of the integer x of dtype t and the number y, an integer of dtype u or a float.
function oracle.compared(name, x, t, y, u)
    if y ~= y then
        return name == "ne"
    end
    local is_less, equal = less_by_value(x, t, y, u), equal_by_value(x, t, y, u)
    return ({ lt = is_less, le = is_less or equal, gt = not is_less and not equal, ge = not is_less, eq = equal,
        ne = not equal })[name]
end

-- The dtype of what min, max and clamp pick of u64 and signed integers; nil: the operation picks nothing.
oracle.picks = { min = dtypes.i64, fmin = dtypes.i64, max = dtypes.u64, fmax = dtypes.u64 }

-- The dtype that reduce and scan by the operation give for integers and floats of dtype t.
function oracle.folded(name, t)
    local summed = (name == "add" or name == "mul") and t.is_integer
    return summed and (t.kind == "unsigned" and dtypes.u64 or dtypes.i64) or t
end

-- The function for one element of dtype t.
function oracle.element(row, t)
    if t.kind == "bool" then
        return row.truth
    end
    if t.wide and row.float then -- computed in a wider float, and rounded then
        return function(_, a, b, c)
            a, b, c = dtypes.computed(a), dtypes.computed(b), dtypes.computed(c) -- conversions
            local x = row.float(t.wide, a, b, c)
            return math.type(x) == "float" and t.round(x) or x
        end
    end
    return t.is_float and row.float or row.integer
end

return oracle
