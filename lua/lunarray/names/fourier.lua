-- Fourier transforms: frequencies, and halves exchanged.

local call = require "lunarray.names.call"
local core = require "lunarray.core"

local rows, row = call.rows "Fourier transforms"

-- ---------------------------------------------------------------- frequencies

-- The numbers i, divided by n d.
local function over(i, n, d)
    if d ~= nil then
        call.number(d, 2)
    end
    return i / (n * (d or 1.0))
end

row("fftfreq", "lun.fftfreq(n [, d=1])",
    "f64: the frequencies of the n elements of fft, in cycles per unit of the distance d between samples:\n"
        .. "0, 1, ..., (n-1)//2, -(n//2), ..., -1 over n d",
    "lun.fftfreq(4)", "{0.0, 0.25, -0.5, -0.25}",
    function(n, d)
        call.whole(n, 1, 1)
        local i = core.index(n) - 1
        return over(core.where(i:gt((n - 1) // 2), i - n, i), n, d)
    end)

row("rfftfreq", "lun.rfftfreq(n [, d=1])", "f64: those of rfft, 0, 1, ..., n//2 over n d", "lun.rfftfreq(4)",
    "{0.0, 0.25, 0.5}",
    function(n, d)
        call.whole(n, 1, 1)
        return over(core.index(n // 2 + 1) - 1, n, d)
    end)

-- ---------------------------------------------------------------- halves

-- a with each axis moved by what `steps` makes of its extent.
local function moved(a, options, steps)
    call.array(a, 1)
    local rank = call.rank(a)
    local axes, list = call.options(options, 2, "axes").axes, {}
    if axes == nil then
        axes = {}
        for k = 1, rank do
            axes[k] = k
        end
    end
    axes = call.axes(rank, axes, 2)
    for k, axis in ipairs(axes) do
        list[k] = steps((select(axis, a:shape())))
    end
    return #axes == 0 and a or a:roll(list, { axis = axes })
end

row("fftshift", "a:fftshift([{axes=}])",
    "each axis, or those given, rolled by n//2: element 1 of fft, frequency 0, in the middle",
    "lun.fftfreq(4):fftshift()", "{-0.5, -0.25, 0.0, 0.25}",
    function(a, options)
        return moved(a, options, function(n) return n // 2 end)
    end)

row("ifftshift", "a:ifftshift([{axes=}])", "the inverse of fftshift: rolled by -(n//2)",
    "lun.vector{3, 1, 2}:ifftshift()", "{1, 2, 3}",
    function(a, options)
        return moved(a, options, function(n) return -(n // 2) end)
    end)

return rows
