-- Fourier transforms of every length to 130 and of some greater ones: the bits of plain loops.
local lengths = require "math.fourier_lengths"

describe("Fourier transforms", function()
    for _, dtype in ipairs { "f64", "f32" } do
        for first = 1, 130, 10 do
            it(("have the bits of plain loops, n = %d to %d, %s"):format(first, first + 9, dtype), function()
                for n = first, first + 9 do lengths.compare(n, dtype) end
            end)
        end
        for _, n in ipairs { 1000, 1001, 1024, 1009, 2 * 1019, 4999 } do
            it(("have the bits of plain loops, n = %d, %s"):format(n, dtype), function() lengths.compare(n, dtype) end)
        end
    end
end)
