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

return rows
