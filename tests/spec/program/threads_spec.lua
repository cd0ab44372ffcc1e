-- Threads of the host as a script chooses them: their number, where they run, and that results do not depend on it.
local lun = require "lunarray"

local function machine()
    for _, d in ipairs(lun.devices()) do
        if d.backend == "openmp" then
            return d.machine
        end
    end
end

describe("lun.use of threads", function()
    local before = table.pack(lun.use())

    after_each(function()
        lun.use { threads = 0, bind = "auto" }
        lun.use(table.unpack(before, 1, before.n))
    end)

    it("takes so many, and tells who said so", function()
        lun.use { "openmp", threads = 3 }
        assert.matches("; 3 threads: lun%.use$", machine())
        lun.use { threads = 1 }
        assert.matches("; 1 thread: lun%.use$", machine())
        lun.use { threads = 0 }
        assert.not_matches("lun%.use", machine())
    end)

    it("gives the names of the places, which stay", function()
        lun.use "openmp/2"
        assert.same({ "openmp.1", "openmp.2" }, { lun.use { threads = 2 } })
        assert.same({ "openmp" }, { lun.use { "openmp", bind = "none" } })
    end)

    it("binds to cores and to hardware threads, on machines that let it", function()
        lun.use { "openmp", threads = 2, bind = "cores" }
        assert.matches("; 2 threads: lun%.use", machine())
        lun.use { threads = 2, bind = "threads" }
        assert.matches("; 2 threads: lun%.use", machine())
        lun.use { bind = "none" }
        assert.not_matches("bound", machine())
    end)

    -- How many threads of this process may run on one hardware thread alone.
    local function bound()
        local process = io.open("/proc/self/stat"):read "n"
        local tasks, count = io.popen(("cat /proc/%d/task/*/status"):format(process)), 0
        for line in tasks:lines() do
            count = count + (line:match "^Cpus_allowed_list:%s*%d+$" and 1 or 0)
        end
        tasks:close()
        return count
    end

    it("binds threads of teams that meet as those of other runs", function()
        lun.use { "openmp", threads = 2, bind = "threads" }
        if not machine():find ", bound to hardware threads" then
            return pending "threads cannot be bound here"
        end
        local z = lun.zeros(160, "i64")
        lun.teams { league = 2, team = 80, mapping = "threads" }(function(t)
            t:barrier()
            z[t:index()] = t:thread()
        end)
        assert.equal(2 * 80 * 81 // 2, z:sum())
        assert.truthy(bound() >= 1)
    end)

    it("changes no bit of a result", function()
        lun.use "openmp"
        local n, sums = 300007, {}
        local x = (lun.index(n) * 0.7321 % 1):eval()
        for _, threads in ipairs { 1, 2, 3, 7 } do
            for _, bind in ipairs { "auto", "cores", "threads", "none" } do
                lun.use { threads = threads, bind = bind }
                local running = (x * 3 - 1):scan "+":eval()
                sums[#sums + 1] = ("%a %a %a"):format((lun.exp(x) * x):sum(), running[n], running[n // 2])
            end
        end
        for k = 2, #sums do
            assert.equal(sums[1], sums[k])
        end
    end)

    it("refuses other numbers and words, and keeps what was", function()
        lun.use { "openmp", threads = 2 }
        for text, options in pairs {
            ["threads: 1 to 1024, or 0 for as many as at the start, expected, got -1"] = { threads = -1 },
            ["threads: 1 to 1024, or 0 for as many as at the start, expected, got 1.5"] = { threads = 1.5 },
            ["threads: 1 to 1024, or 0 for as many as at the start, expected, got 1025"] = { threads = 1025 },
            ['bind: "auto", "cores", "threads" or "none" expected, got core'] = { bind = "core" },
            ["unknown option 'thread': the options are threads, bind"] = { thread = 1 },
            ["a set of at least one place expected"] = {},
            ["no backend 'nowhere'"] = { "openmp", "nowhere", threads = 5 },
            ["place 2 is a boolean: a name expected"] = { "openmp", true, threads = 5 },
        } do
            local ok, message = pcall(lun.use, options)
            assert.is_false(ok)
            assert.equal(1, select(2, message:gsub(text:gsub("%p", "%%%0"), "")), message)
        end
        assert.matches("; 2 threads: lun%.use$", machine())
    end)
end)
