-- How a script that the ranks compute for ends, and what it writes where a launcher reads it. The oracle is the same
-- script on one place.

local onranks = require "onranks"
local shell = require "shell"

local path, sanitized = onranks.path, onranks.sanitized
local scratch = onranks.scratch(setup, teardown)

-- What a script writes to stdout, and its status.
local function run(launch, script, environment)
    local file = shell.write(scratch() .. "/s.lua", script)
    return shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 %s timeout -k 5 300 %s %s 2>&1 </dev/null"):format(scratch(),
        environment or "", launch, file))
end

local root = shell.capture "id -u" == "0\n" and " --allow-run-as-root" or ""
local LAUNCHERS = { ["mpirun.mpich"] = "", ["mpirun.openmpi"] = "--oversubscribe" .. root }

-- Finalisers and variables to be closed that compute, in the order in which Lua calls them.
local ENDS = [[
    K = (lun.index(70000) * 2):eval()
    for k = 1, 3 do
        setmetatable({}, { __gc = function() print(k, (K + k):sum(), lun.index(80000):sum()) end })
    end
    local closed <close> = setmetatable({}, { __close = function() print("closed", (K - 1):max()) end })
    print(K:sum())
    io.write "no newline"
]]

describe("the end of a script that ranks compute for", function()
    local ways = { [""] = 0, ["os.exit(5)"] = 5, ["os.exit(5, true)"] = 5, ["os.exit(false, true)"] = 1, ["os.exit(true)"] = 0,
        ["coroutine.wrap(function() os.exit(6, true) end)()"] = 6, ["coroutine.wrap(function() os.exit(7) end)()"] = 7,
        ["pcall(os.exit, 'x') os.exit(8, false)"] = 8,
        ["setmetatable({}, { __gc = function() os.exit(9) end }) collectgarbage()"] = 9 }

    it("runs the finalisers that one place runs, and these compute", function()
        for way, code in pairs(ways) do
            local want, status = run(path, ENDS .. way)
            assert.equal(code, status, want)
            for _, n in ipairs { 2, 4 } do
                local got, ended = run(("%s --ranks %d --backend mpi"):format(path, n), ENDS .. way)
                assert.equal(want, got, way)
                assert.equal(code, ended, way)
            end
        end
        -- the oracle runs them where it should, and only there
        assert.matches("\n3\t4900280000\t3200040000\n", (run(path, ENDS .. "os.exit(5, true)")))
        assert.equal("4900070000\nno newline", (run(path, ENDS .. "os.exit(5)")))
    end)

    it("is the same after an error, which is told before", function()
        local want, status = run(path, ENDS .. "error 'out of data'")
        assert.equal(1, status)
        assert.matches("out of data", want)
        assert.equal(want, (run(path .. " --ranks 3 --backend mpi", ENDS .. "error 'out of data'")))
    end)

    for launcher, options in pairs(LAUNCHERS) do
        it("is the same under " .. launcher, function()
            if sanitized or shell.capture("command -v " .. launcher) == "" then
                return
            end
            for _, way in ipairs { "", "os.exit(5)", "os.exit(5, true)" } do
                local want = run(path, ENDS .. way)
                local got, code = run(("%s %s -n 2 %s --backend mpi"):format(launcher, options, path), ENDS .. way)
                assert.equal(want, got:sub(1, #want), way)
                assert.equal(ways[way], code, way)
            end
        end)

        it("writes no colours to a file under " .. launcher, function()
            if sanitized or shell.capture("command -v " .. launcher) == "" then
                return
            end
            local script = [[lun.hist(lun.index(9000) % 7, 7) lun.plot((lun.index(500) * 0.1):sin()) lun.image(lun.ones(20, 30))]]
            local settings = "env -u NO_COLOR TERM=xterm-256color"
            local want = run(path, script, settings)
            assert.is_nil(want:find "\27")
            assert.equal(want, (run(("%s %s -n 2 %s --backend mpi"):format(launcher, options, path), script, settings)))
        end)
    end
end)

describe("an error of a bad argument", function()
    it("names the script's line and the function alone, in each run", function()
        local script = [[
            print(select(2, pcall(lun.zeros, -1)))
            print(select(2, pcall(lun.random, 3, { dist = "cauchy" })))
            print(select(2, pcall(lun.frombytes, "x", "i32")))
            print(select(2, pcall(lun.ones(3).sub, lun.ones(3), {}, {})))
            print(select(2, pcall(lun.sqrt, {})))]]
        local names = { "zeros", "random", "frombytes", "sub", "sqrt" }
        for _, launch in ipairs { path, path, path, path, path .. " --ranks 2 --backend mpi" } do
            local k = 0
            for line in run(launch, script):gmatch "[^\n]+" do
                k = k + 1
                local where, name = line:match "/s%.lua:(%d+): bad argument #%d to '([^']+)' "
                assert.same({ tostring(k), names[k] }, { where, name }, line)
            end
            assert.equal(#names, k)
        end
    end)
end)

describe("rank 0 with queues", function()
    -- a queue on each place, and one that cannot be
    local QUEUES = [[
        local function double(t, x) x[t:index()] = 2 * x[t:index()] end
        local function use(device, async)
            local q, b, r = lun.queue(device, { async = async }), lun.buffer(device, 3), lun.zeros(3)
            lun.copy(q, b, lun.vector { 1, 2.5, 3 })
            q:enqueue(lun.task(lun.workdiv(3), double, b))
            lun.copy(q, r, b)
            q:wait()
            print(table.concat(r:totable(), " "))
        end
        use("mpi", true) use("mpi", false) use("mpi:1", true) use("mpi:2", false)
        print((tostring(select(2, pcall(use, "mpi:2", true))):gsub("^.-: ", "")))]]
    local want = ("2.0 5.0 6.0\n"):rep(4) .. "bad argument #1 to 'queue' (a queue on mpi:2 cannot be asynchronous: only the "
        .. "script's own thread can reach that place; leave out async = true)\n"

    it("has asynchronous ones of its own", function()
        assert.equal(want, (run(path .. " --ranks 2 --backend mpi", QUEUES)))
    end)

    for launcher, options in pairs(LAUNCHERS) do
        it("has them under " .. launcher .. ", too", function()
            if sanitized or shell.capture("command -v " .. launcher) == "" then
                return
            end
            local launch = ("%s %s -n 2 %s --backend mpi"):format(launcher, options, path)
            assert.equal(want, (run(launch, QUEUES)))
            local wanted = "1003 elements on every backend: a * x + y, to the last bit\n"
            assert.equal(wanted, (run(launch, ("arg[1] = 1003 dofile %q"):format(onranks.here .. "/examples/daxpy.lua"))))
        end)
    end
end)

describe("ranks that serve", function()
    -- rank 0 answers nobody until each of the others has said so in the log
    local SILENT = [[
        local x = lun.ones(70000):eval()
        local function text() local f = io.open "err" local t = f:read "a" f:close() return t end
        local said
        repeat
            said = text()
        until said:find("which rank 1 serves", 1, true) and said:find("which rank 2 serves", 1, true)
        print(select(2, said:gsub("no word from rank 0 for 3 s, which rank %d serves; waiting on\n", "")))
        print((x + 1):sum())]]

    it("log that rank 0 is silent, and go on", function()
        local file = shell.write(scratch() .. "/s.lua", SILENT)
        local text = shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=3 timeout -k 5 300 %s --ranks 3 --backend mpi %s 2>err"):format(
            scratch(), path, file))
        assert.equal("2\n140000.0\n", text)
    end)
end)

describe("a script that runs out of memory", function()
    it("ends with its error, wherever the last byte is asked for", function()
        local fill = {
            "local list = {} for i = 1, 1e9 do list[i] = lun.zeros({ lun.spmd.block(%d) }, 'f64') end",
            "local list = {} for i = 1, 1e9 do list[i] = ('x'):rep(%d) .. i end",
        }
        for _, script in ipairs(fill) do
            for _, length in ipairs { 1, 1000, 100000 } do
                shell.write(scratch() .. "/s.lua", script:format(length))
                local text, code = shell.capture(("cd %s && timeout -k 5 300 %s --memory-limit 40 s.lua 2>&1"):format(
                    scratch(), path))
                assert.equal(1, code, text)
                assert.matches("memory", text)
            end
        end
    end)
end)
