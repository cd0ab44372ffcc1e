-- Loops of team kernels, compiled (tests/diff/team_loops.lua), and stopped.
local lun = require "lunarray"
local shell = require "shell"

describe("loops of team kernels", function()
    for _, backend in ipairs(lun.backends()) do
        it("do what they do in plain Lua on " .. backend, function()
            local text = shell.capture(("LUA_PATH='tests/?.lua;;' LUNARRAY_JIT=sync LUNARRAY_BACKEND=%s %s %s 2>&1"):format(
                backend, shell.interpreter(), "tests/diff/team_loops.lua"))
            assert.equal("200 kernels agree\n", text)
        end)
    end

    it("stop at a time limit, and the session goes on", function()
        local path = shell.write(os.tmpname(), [[
            local y = lun.zeros(64)
            lun.teams{ league = 1 }(function(_, to, n)
                for i = 1, n do
                    for j = 1, 64 do to[j] = to[j] + 1 end
                end
            end, y, math.maxinteger)]])
        local text = shell.capture(("timeout 60 env LUNARRAY_JIT=sync %s --sandbox --backend openmp --time-limit 1 %s 2>&1"):format(
            shell.interpreter(), path))
        os.remove(path)
        assert.truthy(text:find("time limit", 1, true), text)
    end)
end)
