-- Derivatives of the operations on elements, a row for each row of ops.def: rules[name](g, y, a, b, c) gives, for the
-- derivative g by the result y, those by the operands; `none` lists the operations whose derivative is 0 wherever there
-- is one. At a kink it is that of the branch that is taken.

local core = require "lunarray.core"

local rules = {}

local function where(condition, x, y)
    if type(condition) == "boolean" then
        return condition and x or y
    end
    return core.where(condition, x, y)
end

function rules.add(g) return g, g end
function rules.sub(g) return g, -g end
function rules.mul(g, _, a, b) return g * b, g * a end
function rules.div(g, y, _, b) return g / b, -g * y / b end
function rules.mod(g, _, a, b) return g, -g * core.floor(a / b) end
function rules.neg(g) return -g end
function rules.abs(g, _, a) return g * core.sign(a) end
function rules.fma(g, _, a, b) return g * b, g * a, g end

function rules.pow(g, y, a, b)
    local is_positive = core.gt(a, 0)
    return g * b * a ^ (b - 1), g * where(is_positive, y * core.log(where(is_positive, a, 1.0)), 0.0)
end

function rules.sqrt(g, y) return g / (2 * y) end
function rules.cbrt(g, y) return g / (3 * y * y) end
function rules.exp(g, y) return g * y end
function rules.exp2(g, y) return g * y * math.log(2) end
function rules.expm1(g, y) return g * (y + 1) end
function rules.log(g, _, a) return g / a end
function rules.log2(g, _, a) return g / (a * math.log(2)) end
function rules.log10(g, _, a) return g / (a * math.log(10)) end
function rules.log1p(g, _, a) return g / (a + 1) end

function rules.sin(g, _, a) return g * core.cos(a) end
function rules.cos(g, _, a) return -g * core.sin(a) end
function rules.tan(g, y) return g * (y * y + 1) end
function rules.asin(g, _, a) return g / core.sqrt(1 - a * a) end
function rules.acos(g, _, a) return -g / core.sqrt(1 - a * a) end
function rules.atan(g, _, a) return g / (a * a + 1) end
function rules.atan2(g, _, a, b)
    local square = a * a + b * b
    return g * b / square, -g * a / square
end
function rules.sinh(g, _, a) return g * core.cosh(a) end
function rules.cosh(g, _, a) return g * core.sinh(a) end
function rules.tanh(g, y) return g * (1 - y * y) end
function rules.asinh(g, _, a) return g / core.sqrt(a * a + 1) end
function rules.acosh(g, _, a) return g / core.sqrt(a * a - 1) end
function rules.atanh(g, _, a) return g / (1 - a * a) end
function rules.erf(g, _, a) return g * core.exp(-a * a) * (2 / math.sqrt(math.pi)) end
function rules.erfc(g, _, a) return -g * core.exp(-a * a) * (2 / math.sqrt(math.pi)) end
function rules.cospi(g, _, a) return -g * core.cospi(a - 0.5) * math.pi end
function rules.hypot(g, y, a, b) return g * a / y, g * b / y end

-- g where the first operand is the result, else the second has it.
local function chosen(is_first)
    return function(g, _, a, b)
        local first = is_first(a, b)
        return where(first, g, 0.0), where(first, 0.0, g)
    end
end
rules.min = chosen(core.le)
rules.max = chosen(core.ge)
rules.fmin = chosen(function(a, b) return core.lor(core.le(a, b), core.isnan(b)) end)
rules.fmax = chosen(function(a, b) return core.lor(core.ge(a, b), core.isnan(b)) end)

function rules.clamp(g, _, a, low, high)
    local below, above = core.lt(a, low), core.gt(a, high)
    return where(below, 0.0, where(above, 0.0, g)), where(below, g, 0.0), where(above, g, 0.0)
end

function rules.copysign(g, _, a, b) return g * core.copysign(1.0, a) * core.copysign(1.0, b) end

function rules.fillnan(g, _, a)
    local is_gap = core.isnan(a)
    return where(is_gap, 0.0, g), where(is_gap, g, 0.0)
end

function rules.where(g, _, condition)
    return nil, where(condition, g, 0.0), where(condition, 0.0, g)
end

local none = "floor ceil trunc round sign idiv isnan isinf isfinite eq ne lt le gt ge land lor lnot band bor bxor "
    .. "bnot shl shr"

return { rules = rules, none = none }
