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

    it("compile where loops that a condition leaves stand before others", function()
        local path = shell.write(os.tmpname(), [[
            local x = lun.zeros(6)
            lun.teams { league = 3, team = 2 } (function(t, x)
                local s = t:scratch("f64", 2)
                s[t:thread()] = t:index()
                for k = 1, 3 + t:block() % 2 do
                    s[t:thread()] = s[t:thread()] / 2 + k
                    if s[t:thread()] > 3 then break end
                end
                t:barrier()
                x[t:index()] = t:reduce("+", s[t:thread()]) / 3
            end, x)
            for block = 1, 3 do
                local sum = 0
                for i = 2 * block - 1, 2 * block do
                    local s = i * 1.0
                    for k = 1, 3 + block % 2 do
                        s = s / 2 + k
                        if s > 3 then break end
                    end
                    sum = sum + s
                end
                assert(x[2 * block] == sum / 3 and x[2 * block - 1] == sum / 3)
            end
            print(lun.stats().compiles, lun.stats().interpreted)]])
        local text = shell.capture(("LUNARRAY_JIT=sync LUNARRAY_BACKEND=openmp %s %s 2>&1"):format(shell.interpreter(), path))
        os.remove(path)
        assert.matches("^%d+\t0\n$", text)
    end)

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
