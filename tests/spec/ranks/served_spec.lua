-- One script on all ranks (--backend mpi): rank 0 runs it, the others compute for it. The oracle is the same script on one
-- machine: it prints the same bytes. Under --ranks (threads), and under both MPIs where they are installed.

local onranks = require "onranks"
local shell = require "shell"
local terminal = require "terminal"

local path, sanitized = onranks.path, onranks.sanitized
local scratch = onranks.scratch(setup, teardown)

-- What a command prints, on stderr too, and its status.
local function run(launch, script, environment)
    local file = script:find "^/" and script or shell.write(scratch() .. "/s.lua", script)
    return shell.capture(("cd %s && LUNARRAY_RANK_TIMEOUT=120 %s %s %s 2>&1 </dev/null"):format(scratch(), environment or "", launch,
        file))
end

local served, same = onranks.serving(run, assert)

-- Kernels of every kind over odd sizes: what they give, as numbers that hang on every byte.
local KINDS = onranks.PUT .. [[
    for _, n in ipairs { 0, 1, 63, 65, 16385, 40001 } do
        for _, t in ipairs { "f64", "i32", "u8" } do
            local a = (lun.index(n) * 7 % 101):cast(t)
            local b = (lun.random(n, { seed = n }) * 50):cast(t)
            put(a + b * 3) put(a:sum()) put((a * b):scan "+") put(a:lt(b):count())
            if n > 0 then put(a:max()) put((b * 2 + a):argmin()) put(a:sort()) put(b[n]) end
            put(a:map(function(x) return x * x + 1 end))
            put(a:cast "f64":reduce(function(x, y) return x * 0.5 + y end, 0.25))
            put(lun.map("float func(float x) { return 2.0f * x - 1.0f; }")(b:cast "f32"))
        end
    end
    local m = lun.random({ 37, 53 }, { seed = 1 })
    put(m:transpose() * 2) put(m:sum(1)) put(m:sum(2)) put(m:transpose():matmul(m)) put(m:sub({ 3, 10 }, { 20, 7, -1 }) + 1)
    put(m:matmul(lun.ones { 53, 3 })) put(lun.ones({ 3, 37 }):matmul(m))
    put(lun.stencil(function(w) return w(0, 0) * 4 - w(0, 1) - w(1, 0) end)(m))
    local around = lun.stencil(function(w) return w(-1) + w(0) * 2 + w(1) end, { edge = "nearest" })
    local w = lun.random(40001, { seed = 3 }):eval() put(around(w) + w) put(around(around(w + 1)))
    local v = lun.random(20000, { seed = 2 })
    v:distribute "overlap" put(v * 2)
    v:distribute("block", { rule = "balanced" }) put(v + 1)
    v:distribute "copy" put(v - 1) put(v:sum())
    v:distribute "single" put(v / 3)
    v[7] = 0.5 put(v * v)
    put(v:compress(v:gt(0.5))) put(v:take(lun.index(100) * 11)) put(v:quantile(0.3))
]]

describe("a script on all ranks", function()
    it("gives the bytes of one machine, of kernels of every kind", function()
        same({ 1, 2, 4, 7 }, KINDS)
    end)

    it("reduces and scans by Lua functions where ranks have no compiler", function()
        local script = onranks.PUT .. [[
            local k, t = 3, lun.vector { 1.0, 2.0, 4.0 }
            local x, m = lun.random(100000, { seed = 1 }):eval(), lun.random({ 50, 2000 }, { seed = 1 })
            local function least(a, b) return a < b and a or b end
            put(x:reduce(least)) put(x:reduce(function(a, b) return a * 0.5 + b + k - 3 end, 0.25))
            put(x:reduce(function(a, b) return a * 0.25 * t[3] > b and a or b end))
            put(x:scan(function(a, b) return a + b end, 0.0)) put(x:scan(least, 1.0))
            put(m:reduce(least, nil, { axis = 1 })) put(m:reduce(least, nil, { axis = 2 }))
            put(m:scan(least, 1.0, { axis = 1 })) put(m:scan(least, 1.0, { axis = 2 }))]]
        local want = run(path, script)
        for _, environment in ipairs { "LUNARRAY_CC=/nonexistent LUNARRAY_CACHE_DIR=", "LUNARRAY_JIT=off" } do
            local got, status = served(3, script, environment)
            assert.equal(0, status, got)
            assert.equal(want, (got:gsub("[^\n]*kernels stay interpreted[^\n]*\n", "")))
        end
    end)

    it("gives the bytes of one machine on more ranks than a byte counts", function()
        same({ 257 }, onranks.PUT .. [[
            for _, n in ipairs { 0, 1, 256, 257, 258, 16385, 300007 } do
                local a = lun.random(n, { seed = n }):eval()
                put(a * 2 + 1) put(a:sum()) put(a:scan "+") put(a:lt(0.5):count()) put(a:sort())
                put(lun.stencil(function(w) return w(-1) + w(0) * 2 + w(1) end, { edge = "nearest" })(a + 1))
                local k = (lun.index(n) * 7919 % math.max(n, 1) + 1):eval()
                local h = lun.zeros(n // 2 + 1):copy():distribute "block"
                lun.each(n, function(i) h[k[i] // 2 + 1] = h[k[i] // 2 + 1] + a[i] end)
                put(h)
                if n > 0 then put(a[n]) end
            end
            local m = lun.random({ 300, 7 }, { seed = 1 }):eval()
            put(m:sum(1)) put(m:sum(2)) put(m:transpose():matmul(m))]])
    end)

    for name, counts in pairs { dot = { 7 }, cg = { 2 }, ase = { 4 }, poisson = { 3 } } do
        it("prints what examples/" .. name .. ".lua prints on one", function()
            same(counts, onranks.here .. "/examples/" .. name .. ".lua")
        end)
    end

    it("has the ranks as places, and is one rank alone to lun.spmd", function()
        local text = served(4, [[
            print(lun.use())
            print(lun.spmd.npes, lun.spmd.mype, lun.spmd.allreduce("+", 5))
            lun.use "mpi:3" print(lun.use(), (lun.index(1000) * 2):sum())
            lun.use "mpi:2,mpi:4" print(lun.use()) print((lun.index(1000) * 2):sum())
            lun.use "openmp" print((lun.index(1000) * 2):sum())
            lun.use "mpi" print(#{ lun.use() })
            print(pcall(lun.use, "mpi:5"))]])
        assert.equal("mpi:1\tmpi:2\tmpi:3\tmpi:4\n1\t0\t5\nmpi:3\t1001000\nmpi:2\tmpi:4\n1001000\n1001000\n4\n"
            .. "false\tbackend mpi:5 cannot be used here: there are 4 ranks\n", (text:gsub("s%.lua:%d+: ", "")))
    end)

    it("is refused where no rank serves", function()
        local script = [[print(pcall(lun.use, "mpi")) print(lun.index(3):sum())]]
        local text = run(path, script)
        assert.matches("false\t.*backend mpi cannot be used here: no rank serves: start with mpirun .n 4 lunarray", text)
        assert.matches("\n6\n$", text)
        assert.matches("false\t.*no rank serves.*no rank serves", run(path .. " --ranks 2", script))
    end)

    it("goes on after errors on other ranks, with the text of one machine", function()
        same({ 2, 4 }, [[
            local n = 40000
            local a = lun.index(n):cast "i64" a[n - 3] = 0
            print(pcall(function() return (7 // a):eval() end))
            local t = lun.vector { 1, 2, 3 }
            print(pcall(function() return a:map(function(k) return t[k] end):eval() end))
            print(pcall(function() return lun.map("float func(float x) { return y; }")(a:cast "f32"):eval() end) == false)
            print(pcall(function() return lun.full(3, 1) + lun.full(4, 1) end))
            print((a + 1):sum())]])
    end)

    it("ends by os.exit, errors and limits as on one machine", function()
        local text, status = served(3, "print((lun.index(70000) + 1):sum()) os.exit(5)")
        assert.equal("2450105000\n", text)
        assert.equal(5, status)
        text, status = served(3, "print((lun.index(70000) + 1):sum()) error('out of data', 0)")
        assert.matches("^2450105000\n[^\n]*: out of data\n", text)
        assert.equal(1, status)
        local limited = ("%s --ranks 2 --backend mpi -e 'print((lun.index(9) + 1):sum())'"):format(path)
        assert.equal("54\n", (shell.capture(limited)))
        text, status = served(3, "print(1)", "LUNARRAY_JIT=nothing")
        assert.matches("LUNARRAY_JIT must be auto, sync or off", text)
        assert.equal(1, status)
    end)

    it("stops on Ctrl-C what other ranks compute", function()
        -- the script itself asks for the signal: however long the ranks take to start
        local file = shell.write(scratch() .. "/endless.lua", [[
            lun.use "mpi:2"
            ]] .. shell.interrupts_itself(20) .. [[

            lun.index(6):map(function(x) while x > 0 do x = x + 0 end return x end):eval()]])
        local text, status = shell.capture(("timeout -k 5 300 %s --ranks 2 --backend mpi %s 2>&1"):format(path, file))
        assert.matches("interrupted!", text)
        assert.equal(1, status)
    end)

    -- before the next line of the script runs, though nothing of what they compute is read here
    for what, script in pairs {
        ["elements, of a kernel without loops"] = [[
            local f = load("local sin = math.sin return function(x) " .. ("x = sin(x) "):rep(3000) .. "return x end")()
            local x = lun.index(16000000):map(f)
            local function wait() x:eval() end]],
        ["a matrix product"] = [[
            local m = (lun.index(9000000) % 7):reshape { 3000, 3000 }:eval()
            local n = (m + 1):eval()
            local function wait() for _ = 1, 1000 do m:matmul(n):eval() end end]],
        ["all pairs of rows"] = [[
            lun.use "mpi"
            local m = lun.random({ 6000, 500 }, { seed = 1 }):eval()
            local function wait() for _ = 1, 1000 do lun.allpairs("-", "max")(m, m):eval() end end]],
    } do
        it("stops on Ctrl-C while other ranks compute " .. what, function()
            local file = shell.write(scratch() .. "/long.lua", 'lun.use "mpi:2"' .. script .. "\n" .. shell.interrupts_itself(50) .. [[

                wait()
                print "went on"]])
            local command = "LUNARRAY_RANK_BACKEND=reference timeout -k 5 300 %s --ranks 2 --backend mpi %s 2>&1"
            local text, status = shell.capture(command:format(path, file))
            assert.matches("interrupted!", text)
            assert.is_nil(text:find("went on", 1, true), text)
            assert.equal(1, status)
        end)
    end

    it("may be the prompt on a terminal, with Ctrl-C for what other ranks compute, completion and history", function()
        local steps = { { "wait", "> " }, { "send", "kept = lun.index(70000):eval()\r" }, { "wait", "\n" }, { "wait", "> " } }
        local function stops(line)
            for _, step in ipairs { { "send", "io.write('be', 'gun\\n'); " .. line .. "\r" }, { "wait", "begun" }, { "busy" },
                { "send", "\3" }, { "wait", "interrupted" }, { "wait", "> " } } do
                steps[#steps + 1] = step
            end
        end
        local function says(line, answer)
            for _, step in ipairs { { "send", line }, { "wait", answer }, { "wait", "> " } } do
                steps[#steps + 1] = step
            end
        end
        -- in one kernel with a loop on another rank, in many chunks on all: minutes of work
        stops "lun.use 'mpi:2'; lun.index(6):map(function(x) while x > 0 do x = x + 0 end return x end):eval()"
        stops "lun.use 'mpi'; (lun.index(300000000000) * 3):sum()"
        if not path:find "/tsan/" then stops "while true do end" end -- it keeps signals back in Lua's own loops
        says("print('s' .. 'um', kept:su\tm(), (lun.index(1000) * 2):sum())\r", "sum\t2450035000\t1001000")
        says("\27[A\r", "sum\t2450035000\t1001000")
        says("#{ lun.use() } * 1111\r", "4444")
        steps[#steps + 1] = { "send", "\4" }
        local text = terminal.run(steps, { arguments = "--ranks 4 --backend mpi", program = path })
        assert.matches("%[exit 0%]", text)
        assert.is_nil(text:find "never came", text)
    end)

    it("is told where a reduction has more parts than a rank gives in one message, and goes on", function()
        local text, status = served(2, [[
            lun.use "mpi:2"
            print(pcall(function() return (lun.index(2000000000000) * 3):sum() end))
            print((lun.index(1000) * 3):sum())]])
        assert.matches("^false\t[^\n]*a reduction of so many elements is too long for one rank\n1501500\n$", text)
        assert.equal(0, status)
    end)

    it("may be what the prompt is given", function()
        local file = shell.write(scratch() .. "/lines", "lun.use()\n(lun.index(1000) * 2):sum()\nlun.index(3)[9]\n1 + 1\n")
        local text, status = shell.capture(("%s --ranks 3 --backend mpi -i 2>&1 <%s"):format(path, file))
        assert.matches("mpi:1\tmpi:2\tmpi:3\n.*1001000\n.*index 9 is out of range.*\n2\n", text)
        assert.equal(0, status)
    end)

    it("is told of a rank that cannot compute", function()
        local text, status = served(3, "print(1)", "LUNARRAY_RANK_BACKEND=nothing")
        assert.matches("no backend 'nothing'; available are openmp", text)
        assert.equal(1, status)
        assert.equal("6\n", (served(3, "print(lun.vector { 1, 2, 3 }:sum())", "LUNARRAY_RANK_BACKEND=reference")))
        text = served(2, "print(1)", "LUNARRAY_RANK_BACKEND=mpi")
        assert.matches("LUNARRAY_RANK_BACKEND=mpi: a rank computes by another one", text)
    end)

    -- What a function changes in rank 0's counters, in a script on so many ranks.
    local function counted(n, script)
        return served(n, ([[
            local function counted(f)
                local before = lun.stats()
                f()
                local after = lun.stats()
                local out = {}
                for k, name in ipairs { "messages", "bytes_sent", "bytes_to_host", "moves", "bytes_moved" } do
                    out[k] = after[name] - before[name]
                end
                print(table.unpack(out))
            end
            ]] .. script), "LUNARRAY_JIT=off")
    end

    it("sends no elements for what the ranks have, and its plan down a tree", function()
        local text = served(4, [[
            local a, b, c, d = table.unpack((function()
                local t = {}
                for k = 1, 4 do t[k] = lun.random(40000, { seed = k }):eval() end
                return t
            end)())
            local function expression() return ((a + b) * (c + d)):eval() end
            expression()
            local before = lun.stats()
            expression()
            local after = lun.stats()
            print(after.messages - before.messages, after.bytes_sent - before.bytes_sent, after.moves - before.moves)]])
        assert.equal("2\t0\t0\n", text)
        for n, messages in pairs { [2] = 1, [3] = 2, [7] = 3, [8] = 3, [9] = 4 } do
            assert.equal(messages .. "\t0\t0\t0\t0\n", (counted(n, [[
                local a = lun.random(90000, { seed = 1 }):eval() * 2
                a:eval()
                counted(function() (a + 1):eval() end)]])))
        end
    end)

    it("has elements go from rank to rank, with none that rank 0 has not", function()
        assert.equal("2\t0\t0\t1\t80000\n2\t0\t80008\t2\t0\ntrue\n", (counted(4, [[
            local a = lun.random(10000, { seed = 1 }):distribute("single", { device = 2 })
            local b = (a * 3):eval()
            b:distribute("single", { device = 3 })
            local c = b + 1
            counted(function() c:eval() end)
            local first
            counted(function() first = c[1] c:totable() end)
            lun.use "openmp"
            print(c:eq(lun.random(10000, { seed = 1 }) * 3 + 1):all() and first == c[1])]])))
        -- halos: of four parts rank 0's own border goes and comes, the others' goes beside it
        assert.equal("3\t8\t8\t6\t48\n", (counted(4, [[
            local n = 65536
            local a = lun.random(n, { seed = 1 }):eval()
            local b = (a + 1):eval()
            local smooth = lun.stencil(function(w) return w(-1) + w(0) + w(1) end, { edge = "nearest" })
            counted(function() smooth(b):eval() end)]])))
    end)

    it("is told by --info how many ranks there are, and what carries their messages", function()
        for _, options in ipairs { "--ranks 3", "--ranks 3 --backend mpi" } do
            local text, status = shell.capture(("%s %s --info 2>&1"):format(path, options))
            assert.equal(0, status)
            local _, count = text:gsub("\nranks      3, this is rank 0: threads of one process\n", "")
            assert.equal(1, count, text)
        end
        assert.matches("\nranks      1\n", shell.capture(path .. " --info 2>&1"))
    end)

    it("exchanges halos at once, not from one rank to the next", function()
        local time = tonumber((served(32, [[
            local smooth = lun.stencil(function(w) return w(-1) + w(0) + w(1) end, { edge = "nearest" })
            local b = (lun.random(6400, { seed = 1 }) + 1):eval()
            smooth(b + 1):eval()
            b = (b * 2):eval()
            local before = lun.stats().network_time
            smooth(b):eval()
            print((lun.stats().network_time - before) * 1e6)]],
            "LUNARRAY_JIT=off LUNARRAY_RANK_BACKEND=reference LUNARRAY_RANK_CLOCK=2e-6,1e10")))
        assert.is_true(time < 24, time) -- five ways down the tree, the halo, the way back; in turns it takes 60
    end)

    it("has all ranks multiply and choose what they have, at once", function()
        local text = served(4, [[
            local function counted(f)
                local before = lun.stats()
                f()
                local after = lun.stats()
                print(after.products - before.products, after.algorithms - before.algorithms,
                    after.bytes_sent + after.bytes_to_host - before.bytes_sent - before.bytes_to_host,
                    ("%.1f"):format((after.network_time - before.network_time) * 1e6))
            end
            local m = (lun.random({ 400, 30 }, { seed = 1 }) + 1):eval()
            local w = lun.random({ 30, 20 }, { seed = 2 }):eval()
            m:matmul(w):eval()
            counted(function() m:matmul(w):eval() end)
            local a = (lun.random(80000, { seed = 3 }) + 1):eval()
            local mask = a:gt(1.5):eval()
            local chosen
            counted(function() chosen = a:compress(mask):eval() end)
            counted(function() lun.indices(mask):eval() end)
            local kept = chosen * 1
            lun.use "openmp"
            local same = (lun.random(80000, { seed = 3 }) + 1):eval()
            same = same:compress(same:gt(1.5))
            print(#same == #kept and same:eq(kept):all())]], "LUNARRAY_JIT=off LUNARRAY_RANK_CLOCK=2e-6,1e10")
        -- in the modelled network a question to all and the answers take three ways down and up
        local out = {}
        for line in text:gmatch "[^\n]+" do
            out[#out + 1] = line
        end
        assert.equal("true", out[4], text)
        for k, counts in ipairs { "4\t0\t0", "0\t4\t0", "0\t4\t0" } do
            local found, time = out[k]:match "^(%d+\t%d+\t%d+)\t([%d.]+)$"
            assert.equal(counts, found, text)
            assert.is_true(tonumber(time) < 13, text)
        end
    end)

    it("compiles a new kernel once on all ranks, and counts that", function()
        local cold = ([[
            local a = lun.index(80000):cast "f64":eval()
            local before = lun.stats()
            for k = 1, 3 do
                local x = a * k
                for j = 1, k do x = x:sqrt() + j end
                x:eval()
            end
            local after = lun.stats()
            print(after.compiles - before.compiles, after.cache_hits - before.cache_hits, after.messages - before.messages)]])
        local cache = scratch() .. "/cold"
        local settings = ("mkdir %s && LUNARRAY_JIT=sync LUNARRAY_RANK_BACKEND=openmp LUNARRAY_CACHE_DIR=%s"):format(cache, cache)
        assert.equal("3\t9\t6\n", (served(4, cold, settings)))
        assert.equal("0\t12\t6\n", (served(4, cold, settings:gsub("^mkdir [^&]*&& ", ""))))
    end)

    it("gives each rank of a machine a device of its own, as far as there are so many", function()
        local devices = [[
            for _, d in ipairs(lun.devices()) do if d.backend == "mpi" then print(d.name) end end
            print((lun.index(70000) * 2):sum())]]
        local settings = "LUNARRAY_JIT=off POCL_DEVICES='basic basic basic' LUNARRAY_RANK_BACKEND="
        local text = served(4, devices, settings .. "opencl")
        if not text:find "opencl cannot be used" then
            assert.equal("rank 0\nrank 1, opencl:2\nrank 2, opencl:3\nrank 3, opencl\n4900070000\n", text)
            assert.equal("rank 0\nrank 1, opencl:3\n4900070000\n", (served(2, devices, settings .. "opencl:3")))
        end
        assert.equal("rank 0\nrank 1, reference\n4900070000\n", (served(2, devices, settings .. "reference")))
    end)

    it("tells memory and threads of each rank", function()
        local pages = tonumber((shell.capture "getconf _PHYS_PAGES")) * tonumber((shell.capture "getconf PAGESIZE"))
        assert.equal(("mpi\t%d\t2\n"):format(pages):rep(3), (served(3, [[
            for _, d in ipairs(lun.devices()) do
                if d.backend == "mpi" then print(d.backend, d.memory, d.units) end
            end]], "LUNARRAY_RANK_BACKEND=openmp LUNARRAY_THREADS=6")))
    end)

    it("may be standard input, which rank 0 reads for all", function()
        local file = shell.write(scratch() .. "/input", "# no line of Lua\nprint(lun.spmd.npes, lun.spmd.allreduce('+', 1), ...)\n")
        local function input(options, from)
            return shell.capture(("timeout -k 5 300 %s %s 2>&1 <%s"):format(path, options, from or file))
        end
        assert.equal(("3\t3\ta\n"):rep(3), (input "--ranks 3 - a"))
        assert.equal("1\t1\ta\n", (input "--ranks 3 --backend mpi - a"))
        local text, status = input("--ranks 2 -", "/dev/null")
        assert.equal("", text)
        assert.equal(0, status)
        text, status = input("--ranks 2 -", shell.write(scratch() .. "/input", "syntax syntax\n"))
        for rank = 0, 1 do
            assert.truthy(text:find(("rank %d: stdin:1: syntax error near 'syntax'\n"):format(rank), 1, true), text)
        end
        assert.equal(1, status)
        -- more than a pipe holds
        local long = shell.write(scratch() .. "/input", ("-- a line that says nothing\n"):rep(20000) .. "print 'read'\n")
        assert.equal("read\nread\n", (shell.capture(("cat %s | timeout -k 5 300 %s --ranks 2 - 2>&1"):format(long, path))))
    end)

    it("writes what a rank complains of at once", function()
        local script = "lun.spmd.barrier() error(('x'):rep(300), 0)"
        local alone = run(path, script):gsub("^.-: x", "x")
        local text, all = run(path .. " --ranks 16", script), 0
        for k = 0, 15 do
            local whole = ("%s: rank %d: %s"):format(path, k, alone)
            all = all + #whole
            assert.truthy(text:find(whole, 1, true), text)
        end
        assert.equal(all, #text)
    end)

    local root = shell.capture "id -u" == "0\n" and " --allow-run-as-root" or ""
    for launcher, options in pairs { ["mpirun.mpich"] = "", ["mpirun.openmpi"] = "--oversubscribe" .. root } do
        it("is the same under " .. launcher, function()
            if sanitized or shell.capture("command -v " .. launcher) == "" then
                return
            end
            local want = run(path, KINDS)
            local launch = ("%s %s -n 3 %s"):format(launcher, options, path)
            local got, status = run(launch .. " --backend mpi", KINDS)
            assert.is_true(want == got)
            assert.equal(0, status)
            -- --info tells what each rank has, also where it was bound to fewer cores than there are
            local bound = ("%s %s -n 2 taskset -c 0 %s --info 2>&1 </dev/null"):format(launcher, options, path)
            local info = shell.capture("cd " .. scratch() .. " && " .. bound)
            for rank = 0, 1 do
                assert.matches("\nranks      2, this is rank " .. rank .. ": %a+ ?M?P?I? v?%d[%d.]+, /%S*libmpi", info)
            end
            local cores = tonumber((shell.capture "nproc --all"))
            local _, lines = info:gsub("\n +the launcher binds this one to 1 of %d+ hardware threads", "")
            local _, hints = info:gsub(": mpirun %-%-bind%-to none gives it all of them", "")
            assert.equal(cores > 1 and 2 or 0, lines)
            assert.equal(launcher:find "openmpi" and lines or 0, hints)
            -- a script from standard input is all ranks', or rank 0's
            local given = shell.write(scratch() .. "/input", "print(lun.spmd.npes, lun.spmd.allreduce('+', 1))\n")
            for how, printed in pairs { ["-"] = ("3\t3\n"):rep(3), ["--backend mpi -"] = "1\t1\n" } do
                assert.equal(printed, (shell.capture(("timeout -k 5 300 %s %s 2>&1 <%s"):format(launch, how, given))))
            end
            -- the prompt, and standard input without that, are one rank's alone
            for _, how in ipairs { "-i", "" } do
                local refused, code = shell.capture(("echo 'print(1)' | timeout -k 5 300 %s %s 2>&1"):format(launch, how))
                assert.matches("this is one of 3 ranks, which need a script; with %-%-backend mpi rank 0 alone has the prompt", refused)
                assert.equal(1, code)
            end
            got, status = run(launch, "print((lun.index(70000) + 1):sum()) os.exit(3)", "LUNARRAY_BACKEND=mpi")
            assert.matches("^2450105000\n", got)
            assert.equal(3, status)
        end)
    end
end)
