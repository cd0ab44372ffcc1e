-- Fourier transforms, their frequencies, and halves exchanged.

local call = require "lunarray.names.call"
local core = require "lunarray.core"

local rows, row = call.rows "Fourier transforms"
local bad = call.bad
local along = core.internal.fourier

-- ---------------------------------------------------------------- along one axis

local NORMS = { backward = 0, ortho = 1, forward = 2 } -- lun_norm

local function norm_of(options)
    return NORMS[call.word(options.norm or "backward", 2, "backward ortho forward", "norm")]
end

-- A number of elements, 0: as many as there are.
local function length(n)
    if n == nil then
        return 0
    end
    call.whole(n, 2)
    if n < 1 then
        bad(2, "an axis of length 0 has no transform")
    end
    return n
end

local function with_axes(a)
    if call.rank(call.array(a, 1)) == 0 then
        bad(1, "an array with an axis expected, got %s", call.described(a))
    end
    return a
end

local function real(a)
    if core.iscomplex(with_axes(a)) then
        bad(1, "real numbers expected, got %s: take fft, or the array's real()", call.described(a))
    end
    return a
end

local function of_one(what, a, options)
    with_axes(a)
    options = call.options(options, 2, "n axis norm")
    local axis = call.axis(call.rank(a), options.axis == nil and -1 or options.axis, 2)
    return along(what, a, length(options.n), axis, norm_of(options))
end

row("fft", 'a:fft([{n=, axis=-1, norm="backward"}])',
    "the Fourier transform along an axis, of which n elements are taken, zeros where there are none: c64 of f32 and\n"
        .. 'c64, c128 of others; norm: "backward" divides inverse transforms by n, "ortho" both by its root,\n'
        .. '"forward" the others',
    "lun.vector{1, 2, 3, 4}:fft()", "{10.0+0.0i, -2.0+2.0i, -2.0+0.0i, -2.0-2.0i}",
    function(a, options)
        return of_one("fft", a, options)
    end)

row("ifft", 'a:ifft([{n=, axis=-1, norm="backward"}])', "the inverse of fft",
    "lun.vector{1, 2, 3, 4}:fft():ifft():real()",
    "{1.0, 2.0, 3.0, 4.0}",
    function(a, options)
        return of_one("ifft", a, options)
    end)

row("rfft", 'a:rfft([{n=, axis=-1, norm="backward"}])',
    "the first n//2 + 1 elements of the transform of real numbers, which determine the others",
    "lun.vector{1, 2, 3, 4}:rfft()", "{10.0+0.0i, -2.0+2.0i, -2.0+0.0i}",
    function(a, options)
        return of_one("rfft", real(a), options)
    end)

row("irfft", 'a:irfft([{n=2*(m-1), axis=-1, norm="backward"}])',
    "the inverse of rfft: n real numbers of the m first elements of a transform",
    "lun.vector{1, 2, 3, 4}:rfft():irfft()", "{1.0, 2.0, 3.0, 4.0}",
    function(a, options)
        return of_one("irfft", a, options)
    end)

row("hfft", 'a:hfft([{n=2*(m-1), axis=-1, norm="backward"}])',
    "the transform, real, of n numbers of which the first m are given and the others are their conjugates",
    "lun.vector{1, 2, 3}:hfft()", "{8.0, -2.0, 0.0, -2.0}",
    function(a, options)
        return of_one("hfft", a, options)
    end)

row("ihfft", 'a:ihfft([{n=, axis=-1, norm="backward"}])', "the inverse of hfft: the first n//2 + 1 numbers",
    "lun.vector{8, -2, 0, -2}:ihfft():real()", "{1.0, 2.0, 3.0}",
    function(a, options)
        return of_one("ihfft", real(a), options)
    end)

-- ---------------------------------------------------------------- along several axes

-- The axes of a call, their lengths, the norm.
local function axes_of(a, options)
    local rank = call.rank(with_axes(a))
    options = call.options(options, 2, "axes shape norm")
    local axes, shape = options.axes, options.shape
    if shape ~= nil then
        shape = type(shape) == "table" and shape or { shape }
        if axes == nil and #shape > rank then
            bad(2, "%d lengths for %d axes", #shape, rank)
        end
    end
    if axes == nil then
        axes = {}
        for k = shape and rank - #shape + 1 or 1, rank do
            axes[#axes + 1] = k
        end
    end
    axes = call.axes(rank, axes, 2)
    if #axes == 0 then
        bad(2, "no axis is given")
    elseif shape and #shape ~= #axes then
        bad(2, "%d lengths for %d axes", #shape, #axes)
    end
    local lengths = {}
    for k = 1, #axes do
        lengths[k] = length(shape and shape[k])
    end
    return axes, lengths, norm_of(options)
end

-- One axis after the other, of those numbered `last` to 1.
local function of_axes(what, a, axes, lengths, norm, last)
    for k = last, 1, -1 do
        a = along(what, a, lengths[k], axes[k], norm)
    end
    return a
end

row("fftn", 'a:fftn([{axes=, shape=, norm="backward"}])',
    "fft along all axes, or those given, the last one first; shape: the number of elements of each",
    "lun.vector{{1, 2}, {3, 4}}:fftn():real()", "{{10.0, -2.0}, {-4.0, 0.0}}",
    function(a, options)
        local axes, lengths, norm = axes_of(a, options)
        return of_axes("fft", a, axes, lengths, norm, #axes)
    end)

row("ifftn", 'a:ifftn([{axes=, shape=, norm="backward"}])', "the inverse of fftn",
    "lun.vector{{1, 2}, {3, 4}}:fftn():ifftn():real()", "{{1.0, 2.0}, {3.0, 4.0}}",
    function(a, options)
        local axes, lengths, norm = axes_of(a, options)
        return of_axes("ifft", a, axes, lengths, norm, #axes)
    end)

row("rfftn", 'a:rfftn([{axes=, shape=, norm="backward"}])',
    "rfft along the last of the axes, then fft along the others",
    "lun.vector{{1, 2}, {3, 4}}:rfftn():real()", "{{10.0, -2.0}, {-4.0, 0.0}}",
    function(a, options)
        local axes, lengths, norm = axes_of(real(a), options)
        local last = #axes
        return of_axes("fft", along("rfft", a, lengths[last], axes[last], norm), axes, lengths, norm, last - 1)
    end)

row("irfftn", 'a:irfftn([{axes=, shape=, norm="backward"}])',
    "the inverse of rfftn: real; the last length is 2 (m - 1) if not given",
    "lun.vector{{1, 2}, {3, 4}}:rfftn():irfftn()", "{{1.0, 2.0}, {3.0, 4.0}}",
    function(a, options)
        local axes, lengths, norm = axes_of(a, options)
        local last = #axes
        return along("irfft", of_axes("ifft", a, axes, lengths, norm, last - 1), lengths[last], axes[last], norm)
    end)

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
