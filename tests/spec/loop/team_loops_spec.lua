-- Loops of team kernels, compiled (tests/diff/team_loops.lua), and stopped.
local lun = require "lunarray"
local shell = require "shell"

describe("loops of team kernels", function()
    for _, backend in ipairs(lun.backends()) do
        it("do what they do in plain Lua on " .. backend, function()
            local text = shell.capture(("LUA_PATH='tests/?.lua;;' LUNARRAY_JIT=sync LUNARRAY_BACKEND=%s %s %s 2>&1"):format(
                backend, shell.interpreter(), "tests/diff/team_loops.lua"))
            assert.equal("230 kernels agree\n", text)
        end)
    end

    for _, backend in ipairs(lun.backends()) do
        it("over a thread's elements end where arrays do, or fail there, on " .. backend, function()
            local before = lun.use()
            lun.use(backend)
            finally(function() lun.use(before) end)
            local function scale(t, to, from)
                for i = t:index(), math.min(t:index() + t:elements() - 1, #to) do to[i] = 2 * from[i] + to[i] end
            end
            for _, n in ipairs { 1, 7, 8, 9, 15, 63, 64, 65, 16383, 16384, 16385 } do
                local launch = lun.teams(lun.workdiv(n, { elements = 8 }))
                local given, to, one = lun.range(1, n):eval(), lun.ones(n, "i64"), lun.ones(n, "i64")
                launch(scale, to, given)
                assert.equal(n * (n + 2), to:sum())
                assert.equal(2 * n + 1, to[n])
                if n > 1 then
                    local ok, message = pcall(launch, scale, one, lun.range(1, n - 1):eval())
                    assert.is_false(ok)
                    message = tostring(message)
                    assert.truthy(message:find(("team_loops_spec.lua:%d: index %d "):format(
                        debug.getinfo(scale, "S").linedefined + 1, n), 1, true), message)
                end
            end
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
        local text = shell.capture(("timeout 300 env LUNARRAY_JIT=sync %s --sandbox --backend openmp --time-limit 1 %s 2>&1"):format(
            shell.interpreter(), path))
        os.remove(path)
        assert.truthy(text:find("time limit", 1, true), text)
    end)
end)
