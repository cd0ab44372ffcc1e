-- The same bits everywhere: digests of 200 sums and scans and of all else that threads could change, for each number of
-- threads, backend and JIT mode, in every locale; means to the last certified digit. Between the backends reference and
-- openmp no operation is exempt.
local kit = dofile "tests/torture/kit.lua"
local lun = require "lunarray"

local function digest(environment)
    local pipe = assert(io.popen(("env %s %s/lunarray tests/diff/digest.lua 2>&1"):format(environment, kit.build)))
    local text = pipe:read "a"
    local good, lines = pipe:close(), {}
    for line in text:gmatch "[^\n]+" do
        lines[#lines + 1] = line
    end
    table.sort(lines) -- their order is not promised
    return good and table.concat(lines, "\n") .. "\n"
end

-- Lines about C functions exist only with a compiler.
local function without_c(text)
    return (text:gsub("compos[^\n]*\n", ""))
end

kit.part("the same bits on any number of threads", function()
    local threads = kit.factor >= 0.1 and { 1, 2, 3, 4, 5, 6, 7, 8 } or { 1, 3, 8 }
    local expected, runs, bad, lines = nil, 0, 0, 0
    for round = 1, kit.factor >= 1 and 5 or 1 do
        for _, backend in ipairs { "openmp", "reference" } do
            for _, n in ipairs(threads) do
                for _, jit in ipairs(backend == "openmp" and { "sync", "auto", "off" } or { "off" }) do
                    if round == 1 or jit ~= "sync" then
                        local text = digest(("LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%d LUNARRAY_JIT=%s"):format(backend, n, jit))
                        runs = runs + 1
                        if not expected then
                            expected = text
                            lines = select(2, (text or ""):gsub("\n", ""))
                        end
                        if not text or without_c(text) ~= without_c(expected) then
                            bad = bad + 1
                            io.stderr:write(("%s, %d threads, %s differs\n"):format(backend, n, jit))
                        end
                    end
                end
            end
        end
    end
    return bad == 0 and lines > 300, "%d digests in %d processes, %d differ", lines, runs, bad
end)

-- Numerical accuracy: the sets NumAcc1 to NumAcc4 of NIST's Statistical Reference Datasets (univariate summary
-- statistics), built as NIST defines them: three numbers; then one number and 500 pairs around it. The certified means are
-- exact. The log relative error (LRE) is the number of correct digits. Each set also repeated 64 times.
kit.part("NIST's certified means", function()
    local function digits(got, certain)
        return got == certain and 15 or math.min(15, -math.log(math.abs(got - certain) / math.abs(certain), 10))
    end
    local function alternating(first, low, high)
        local list = { first }
        for i = 2, 1001 do
            list[i] = i % 2 == 0 and low or high
        end
        return list
    end
    local series = {
        NumAcc1 = { { 10000001, 10000003, 10000002 }, 10000002 },
        NumAcc2 = { alternating(1.2, 1.1, 1.3), 1.2 },
        NumAcc3 = { alternating(1000000.2, 1000000.1, 1000000.3), 1000000.2 },
        NumAcc4 = { alternating(10000000.2, 10000000.1, 10000000.3), 10000000.2 },
    }
    local backends, least = { "reference", "openmp" }, 15
    for _, name in ipairs(lun.backends()) do
        backends[3] = name == "opencl" and name or backends[3]
    end
    for _, backend in ipairs(backends) do
        lun.use(backend)
        for _, row in pairs(series) do
            least = math.min(least, digits(lun.vector(row[1], "f64"):mean(), row[2]))
            local many = lun.vector(row[1], "f64")
            for _ = 1, 6 do
                many = many .. many
            end
            least = math.min(least, digits(many:mean(), row[2]))
        end
    end
    lun.use "openmp"
    return least >= 13, "NumAcc1 to NumAcc4 on %d backends: LRE at least %.1f", #backends, least
end)

-- A locale with a decimal comma changes no kernel, file or text.
kit.part("a decimal comma", function()
    local dir = kit.directory() .. "/locale"
    os.execute("mkdir -p " .. dir)
    local made = os.execute(("localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1"):format(dir))
    if not made then
        return true, "left out: no localedef, or no de_DE to make"
    end
    -- at full size all specs but those of building, installing and the example programs
    local names = kit.factor >= 1 and "{spec/*,diff}/*" or "spec/*/{show,csv,csv_numbers}"
    local specs, pipe = {}, io.popen(("bash -c 'ls tests/%s_spec.lua'"):format(names))
    -- those compare what scripts print or write, as all of ranks do: Lua's own formatting follows the locale
    local own = { docs = true, examples = true, skelcl = true, weather = true, build = true, setup = true, trace = true,
        timelimit = true, sorted_places = true, luafn_stop = true, package = true,
        chosen_places = true, indexed = true, blame = true }
    for line in pipe:lines() do
        if not own[line:match "/([%w_]+)_spec"] and not line:find "/ranks/" then
            specs[#specs + 1] = line
        end
    end
    pipe:close()
    local bad = 0
    for _, path in ipairs(specs) do
        local command = ([[env -u LC_ALL LOCPATH=%s LC_NUMERIC=de_DE.UTF-8 LUNARRAY_JIT=sync \
            LUA_INIT="@$PWD/tests/torture/decimal_comma.lua" \
            %s/lunarray tests/busted.lua %s >%s/out 2>&1]]):format(dir, kit.build, path, kit.directory())
        if not os.execute(command) then
            bad = bad + 1
            io.stderr:write(path, ":\n", kit.read(kit.directory() .. "/out"):sub(-1500), "\n")
        end
    end
    return bad == 0, "%d spec files, %d fail", #specs, bad
end)
