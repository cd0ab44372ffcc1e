-- Stencils that follow one another without evaluation in between: the bits of sweeps that are evaluated each by itself,
-- in memory that does not grow with their number.
local shell = require "shell"

describe("sweeps", function()
    it("need memory for a few arrays, however many they are", function()
        local path = shell.write(os.tmpname(), [[
            local s = lun.stencil(function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) / 4 end)
            local U = lun.full({ 1000, 1000 }, 2, "f32"):copy() -- 4 MB
            for _ = 1, 60 do U = s(U) end
            print(U:min(), U:max())
        ]])
        local text = shell.capture(("timeout 120 %s --sandbox --memory-limit 40 %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.equal("2.0\t2.0\n", text)
    end)
end)
