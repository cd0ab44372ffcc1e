-- Ranks under LUNARRAY_SIM: one runs at a time, a seed decides which one and which message comes, and time is simulated. The
-- programs are those of tests/programs.lua; what they give is compared with one location's bits. The transport alone is
-- tested by core/sim; many seeds, and a fault at every call, by `make torture` (simulated).

local onranks = require "onranks"
local shell = require "shell"

local scratch = onranks.scratch(setup, teardown)

-- Runs programs on n simulated ranks: what they write, and the exit status.
local function run(sim, n, words)
    return shell.capture(("cd %s && SIM_SCRATCH=%s LUNARRAY_RANK_TIMEOUT=30 LUNARRAY_SIM=%s timeout 300 %s --ranks %d %s 2>&1")
        :format(onranks.here, scratch(), sim, onranks.path, n, words))
end

local function program(sim, n, length, name)
    return run(sim, n, ("tests/simulate.lua %d '%s'"):format(length, name or ""):gsub(" ''$", ""))
end

-- What the ranks but one say, each text once: without the rank's name and the place in the script before it.
local function said(text, victim)
    local seen, list = {}, {}
    for rank, line in text:gmatch "lunarray: rank (%d+): ([^\n]*)" do
        line = line:gsub("^%S+lua:%d+: ", "")
        if tonumber(rank) ~= victim and not seen[line] then
            seen[line], list[#list + 1] = true, line
        end
    end
    return list
end

describe("simulated ranks", function()
    it("give the bits of one location, whatever comes first", function()
        for n, sims in pairs { [3] = { "1", "2,late=100000" }, [4] = { "3,slow=0" }, [7] = { "4", "5,late=500,slow=6" } } do
            for _, sim in ipairs(sims) do
                local text, status = program(sim, n, 1003)
                assert.equal("", text)
                assert.equal(0, status)
            end
        end
        local text, status = program("6", 3, 40009, "sums of columns' 'scan' 'sum")
        assert.equal("", text)
        assert.equal(0, status)
    end)

    it("make the same calls for the same seed, and others for another", function()
        local served = scratch() .. "/served.lua"
        shell.write(served, "local a = lun.random(30000, { seed = 1 }) print(a:sum(), a:sort()[7], (a * 2):scan('+')[9])")
        for what, words in pairs {
            ["tests/simulate.lua 40009 sort 'loop of bins' regions messages"] = "simulated ranks",
            ["--backend mpi " .. served] = "ranks that serve",
        } do
            local logs = {}
            for k, seed in ipairs { 7, 7, 8 } do
                local path = ("%s/log%d"):format(scratch(), k)
                local text, status = run(("%d,log=%s"):format(seed, path), 3, what)
                assert.equal(0, status, text)
                logs[k] = shell.slurp(path)
            end
            assert.truthy(#logs[1] > 1000, words)
            assert.truthy(logs[1] == logs[2], words)
            assert.truthy(logs[1] ~= logs[3], words)
        end
    end)

    it("say one text when one of them is killed at any call, and none hangs", function()
        for victim = 0, 2 do
            local call, failed = 1 + victim, 0
            repeat
                local text, status = program(("%d,kill=%d@%d"):format(call, victim, call), 3, 65, "sort")
                if status ~= 0 then
                    local list = said(text, victim)
                    assert.truthy(status == 1 and #list <= 1 and (#list == 0 or list[1]:find("no word from rank " .. victim, 1, true)),
                        text)
                    failed = failed + #list
                    assert.truthy(text:find(("rank %d lost the others: killed"):format(victim), 1, true), text)
                end
                call = call + 13
            until status == 0
            assert.truthy(failed > 3)
        end
    end)

    it("say one text when a call is lost: it fails, or all are silent until the time limit", function()
        local fails, silent = 0, 0
        for call = 1, 90, 5 do
            local text, status = program(("%d,lose=1@%d"):format(call, call), 3, 65, "loop of bins")
            local all, others = said(text), said(text, 1)
            if status ~= 0 and text:find("rank 1 lost the others: the call was lost", 1, true) then
                fails = fails + 1
                assert.equal(1, #others, text)
            elseif status ~= 0 then
                silent = silent + 1
                assert.equal(1, #all, text)
                assert.truthy(all[1]:find "for 30 s in", text)
            end
        end
        assert.truthy(fails > 3 and silent > 3)
    end)

    it("repeat the runs that have found a fault", function()
        local runs = 0
        for n, sim, length, name in shell.slurp "tests/spec/ranks/seeds.txt":gmatch "\n(%d+)\t(%S+)\t(%d+)\t([^\t]*)\t" do
            local text, status = program(sim, n, length, name)
            local list = said(text, tonumber(sim:match "kill=(%d+)" or sim:match "lose=(%d+)"))
            assert.equal(1, status, text)
            assert.truthy(#list == 1 and list[1]:find "^no word from rank %d for 30 s in " or list[1]:find "^no message for 30 s in ", text)
            runs = runs + 1
        end
        assert.truthy(runs > 0)
    end)

    it("get what a rank has sent before its end, however late that comes, and nothing else", function()
        local script = shell.write(scratch() .. "/ends.lua", [[
            local s = lun.spmd
            if s.mype == 1 then
                s.send(0, lun.ones(20000), 2)
                s.send(0, 7, 5)
            elseif s.mype == 0 then
                print(pcall(s.recv, 1, 1))
                print(s.recv(1, 2):sum(), s.recv(1, 5))
                print(pcall(s.recv, 1, 2))
            end]])
        for seed = 1, 8 do
            local text = run(("%d,late=%d"):format(seed, 10 ^ (seed % 4 + 3)), 3, script)
            assert.equal("false\trank 1 has ended\n20000.0\t7\nfalse\trank 1 has ended\n", text)
        end
    end)

    it("end a run that fails with the command that repeats it", function()
        local script = shell.write(scratch() .. "/a b.lua", [[
            local s = lun.spmd
            s.barrier()
            if s.mype == 1 then s.send(0, 1) else s.recv(2 - s.mype, 3) end]])
        local text, status = run("5,late=9", 3, ("'%s' \"it's\""):format(script))
        assert.equal(1, status)
        local command = text:match "to repeat this run: ([^\n]*)\n$"
        assert.truthy(command and command:find("LUNARRAY_SIM=5,late=9 LUNARRAY_RANK_TIMEOUT=30", 1, true), text)
        local again = shell.capture(("cd %s && env %s 2>&1"):format(onranks.here, command))
        assert.are.same(onranks.lines(text, true), onranks.lines(again, true))
        assert.falsy(run("5", 3, "-e 'lun.spmd.barrier()'"):find "repeat")
    end)

    it("that wait for each other without a time limit end after ten minutes of their clock", function()
        local text, status = shell.capture(("LUNARRAY_SIM=1 timeout 100 %s --ranks 2 -e 'lun.spmd.recv(1 - lun.spmd.mype)' 2>&1"):format(
            onranks.path))
        assert.equal(1, status)
        assert.truthy(text:find("no message for 60 s in recv, though all ranks are there", 1, true), text)
        assert.truthy(text:find("nothing has moved for ten minutes of the simulated clock", 1, true), text)
    end)

    it("are refused by words that are none, and where MPI has the ranks", function()
        for _, sim in ipairs { "x", "-1", "1,", "1,late", "1,late=x", "1,late=-1", "1,slow=3", "1,kill=3@1", "1,kill=1@0", "1,kill=1",
            "1,lose=1@2@3", "1,log=", "1,much=3" } do
            local text, status = run(sim, 3, "-e 'lun.spmd.barrier()'")
            assert.equal(1, status, sim)
            assert.truthy(text:find("LUNARRAY_SIM must be a seed and perhaps late=us", 1, true), text)
        end
        local text = run("1,log=/nowhere/log", 3, "-e 'lun.spmd.barrier()'")
        assert.truthy(text:find("LUNARRAY_SIM: its log cannot be written", 1, true), text)
        text = shell.capture(("LUNARRAY_SIM=1 PMI_SIZE=2 PMI_RANK=0 timeout 100 %s -e 'lun.spmd.barrier()' 2>&1"):format(
            onranks.path))
        assert.truthy(text:find("LUNARRAY_SIM simulates the ranks of --ranks, not those of MPI", 1, true), text)
    end)
end)
