-- Names of complex numbers that are written over the others.

local call = require "lunarray.names.call"
local core = require "lunarray.core"

local rows, row = call.rows "Complex numbers"

-- A real array or a number.
local function real(x, argument)
    if not math.type(x) then
        call.array(x, argument, "array or number")
        if core.iscomplex(x) then
            call.bad(argument, "real array or number expected, got %s", call.described(x))
        end
    end
    return x
end

row("polar", "lun.polar(r, phi)", "complex numbers of modulus r and angle phi, in radians",
    "lun.polar(2, 0)", "2.0+0.0i",
    function(r, phi)
        r, phi = real(r, 1), real(phi, 2)
        return core.complex(r * core.cos(phi), r * core.sin(phi))
    end)

row("adjoint", "A:adjoint()", "the conjugate of the matrices of the last two axes, transposed",
    "lun.vector{{1, lun.i}}:adjoint()", "{{1.0-0.0i}, {0.0-1.0i}}",
    function(A)
        local rank = call.rank(call.array(A, 1))
        if rank < 2 then
            call.bad(1, "an array of rank 2 or more expected, got %s", call.described(A))
        end
        return core.conj(A:swapaxes(rank - 1, rank))
    end)

-- ---------------------------------------------------------------- of other names, for complex arrays

local of_arrays = {}

-- The axis of the options, and whether all elements are meant: none is given.
local function axis_of(a, options)
    local rank = call.rank(a)
    if options.axis == nil then
        return rank, true
    end
    return call.axis(rank, options.axis, 2), false
end

-- The indices that sort along an axis: by real part, then by imaginary part, NaN in either of them last.
local function order(a, options)
    options = call.options(options, 2, "axis descending")
    if call.rank(a) == 0 then
        call.bad(1, "a Scalar has no axis to sort along")
    end
    local axis = axis_of(a, options)
    local re, im, at = a:real() + 0.0, a:imag() + 0.0, nil -- no -0.0
    local nan = re:isnan():cast "i32" * 2 + im:isnan():cast "i32"
    for _, key in ipairs { im, re, nan } do
        local by = at and key:take_along_axis(at, { axis = axis }) or key
        local next_at = by:argsort { axis = axis, descending = key ~= nan and options.descending or nil }
        at = at and at:take_along_axis(next_at, { axis = axis }) or next_at
    end
    return at, axis
end

function of_arrays.argsort(a, options) return (order(a, options)) end

function of_arrays.sort(a, options)
    local at, axis = order(a, options)
    return core.complex(a:real():take_along_axis(at, { axis = axis }), a:imag():take_along_axis(at, { axis = axis }))
end

function of_arrays.unique(a)
    local s = of_arrays.sort(a:flatten()):eval()
    local n = #s
    if n == 0 then
        return s, core.zeros(0, "i64")
    end
    local function differs(x) -- NaN is equal to NaN
        local now, before = x:sub(2, n), x:sub(1, n - 1)
        return now:ne(before):land(now:isnan():land(before:isnan()):lnot())
    end
    local first = core.concat({ core.ones(1, "bool"), differs(s:real()):lor(differs(s:imag())) }, 1)
    local at = first:indices()
    return s:compress(first), core.concat({ at:sub(2, #at), core.full(1, n + 1) }, 1) - at
end

local function times(a, b, x, y) return a * x - b * y, a * y + b * x end

function of_arrays.prod(a, options)
    options = call.options(options, 2, "axis keep")
    local axis, all = axis_of(a, options)
    local x = all and a:flatten() or a
    local how = { elements = 2, axis = not all and axis or nil, keep = options.keep }
    local result = core.complex(core.reduce(times, { 1.0, 0.0 }, how)(x:real(), x:imag()))
    return all and result:value() or result
end

function of_arrays.cumprod(a, options)
    local axis, all = axis_of(a, options)
    local x = all and a:flatten() or a
    local how = { elements = 2, inclusive = true, axis = not all and axis or nil }
    return core.complex(core.scan(times, { 1.0, 0.0 }, how)(x:real(), x:imag()))
end

function of_arrays.cumsum(a, options)
    return core.complex(a:real():cumsum(options), a:imag():cumsum(options))
end

rows.of_arrays = {}
for name, f in pairs(of_arrays) do
    rows.of_arrays[name] = call.called(name, 0, 2, f)
end

return rows
