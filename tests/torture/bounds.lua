-- More distinct kernels than are kept: compiled ones, whose memory maps the system limits, interpreted ones, and entries
-- on disk of several processes. Each result is compared with Lua's own; the specs run with one kernel kept.
local kit = dofile "tests/torture/kit.lua"

-- A program over kernels first .. last, in `rounds` rounds; prints how many maps it had at most, what memory it took from
-- the second quarter on, and the counters.
local function work(first, last, rounds, environment, seconds)
    local text, said, status = kit.run(([[
        local function count(name, pattern)
            for line in io.lines("/proc/self/" .. name) do
                local value = line:match(pattern)
                if value then return tonumber(value) end
            end
        end
        local function maps() local n = 0 for _ in io.lines "/proc/self/maps" do n = n + 1 end return n end
        local a, first, last, most, early = lun.vector { 1, 2, 3, 4 }, %d, %d, 0, nil
        local at_first = maps()
        for round = 1, %d do
            for i = first, last do
                local e, x = a, 3
                for bit = 0, 13 do
                    if i >> bit & 1 == 1 then e, x = e * 3 + a, x * 3 + 3 else e, x = e + a, x + 3 end
                end
                local got = e:eval()[3]
                assert(got == x, ("kernel %%d: %%s instead of %%s"):format(i, got, x))
                if i %% 8 == 0 then most = math.max(most, maps() - at_first) end
                if not early and i - first >= (last - first) // 4 then early = count("status", "VmRSS:%%s*(%%d+)") end
            end
        end
        local s = lun.stats()
        print(most, count("status", "VmRSS:%%s*(%%d+)") - early, s.kernels, s.kernels_dropped, s.interpreted, s.kernel_bytes)
    ]]):format(first, last, rounds), environment .. " LUNARRAY_BACKEND=openmp", seconds)
    if status ~= 0 then
        return nil, ("status %s: %s"):format(status, said:sub(-300))
    end
    local values = {}
    for value in text:gmatch "%S+" do
        values[#values + 1] = tonumber(value)
    end
    return values
end

kit.part("compiled kernels beyond the bound", function()
    local kernels = kit.count(6000, 32)
    local kept = kit.factor >= 1 and 4096 or kernels // 3
    local v, why = work(1, kernels, 2, ("LUNARRAY_JIT=sync LUNARRAY_KERNELS=%d LUNARRAY_KERNEL_MEMORY=1000"):format(kept), 3600)
    if not v then
        return false, "%s", why
    end
    return v[1] > 0 and v[1] <= 4 * kept + 100 and v[3] == kept and v[4] == 2 * kernels - kept and v[5] == 0,
        "%d kernels twice, %d kept: %d maps more at most, %d given up, all results right", kernels, kept, v[1], v[4]
end)

kit.part("interpreted kernels beyond the bound", function()
    local kernels = kit.count(15000, 1500)
    local v, why = work(1, kernels, 3, "LUNARRAY_JIT=off LUNARRAY_KERNELS=300", 600)
    if not v then
        return false, "%s", why
    end
    return v[2] < 6000 and v[3] == 300 and v[6] < 5000000, "%d kernels three times, 300 kept: %d kB more, all results right",
        kernels, v[2]
end)

kit.part("processes sharing a bounded directory", function()
    local directory, kernels = kit.directory() .. "/shared", kit.count(1000, 20)
    local one = ("LUNARRAY_JIT=sync LUNARRAY_KERNELS=8 LUNARRAY_CACHE_SIZE=1 LUNARRAY_CACHE_DIR=%s BUILD=%s TORTURE=%s "):format(
        directory, kit.build, kit.factor)
    local script = kit.write(kit.directory() .. "/shared.lua", ([[
        local a = lun.vector { 1, 2, 3, 4 }
        for i = 1, %d do
            local k, e, x = (tonumber(arg[1]) * 37 + i * 7) %% 5000, a, 3
            for bit = 0, 13 do
                if k >> bit & 1 == 1 then e, x = e * 3 + a, x * 3 + 3 else e, x = e + a, x + 3 end
            end
            assert(e:eval()[3] == x)
        end]]):format(kernels))
    local _, _, status = os.execute(("for p in 1 2 3; do %s %s/lunarray %s $p & pids=\"$pids $!\"; done; s=0; for p in $pids; "
        .. "do wait $p || s=1; done; exit $s"):format(one, kit.build, script))
    local pipe = io.popen(("find %s -type f -name '*[0-9a-f]' ! -name 'claim*' -printf '%%s\\n'"):format(directory))
    local bytes = 0
    for line in pipe:lines() do
        bytes = bytes + tonumber(line)
    end
    pipe:close()
    return status == 0 and bytes > 0 and bytes < 1200000, "3 processes, %d kernels each: %d kB of at most 1000 on disk", kernels,
        bytes // 1000
end)

kit.part("specs with one kernel kept", function()
    local failures, runs = 0, 0
    for name in ("lazy operators reductions skeletons luafn indexing"):gmatch "%a+" do
        for _, jit in ipairs(kit.factor >= 0.1 and { "auto", "sync", "off" } or { "off" }) do
            local _, _, status = os.execute(("LUNARRAY_KERNELS=1 LUNARRAY_JIT=%s timeout 600 %s/lunarray tests/busted.lua "
                .. "tests/spec/*/%s_spec.lua >%s/out 2>&1"):format(jit, kit.build, name, kit.directory()))
            runs = runs + 1
            if status ~= 0 then
                failures = failures + 1
                io.stderr:write(kit.read(kit.directory() .. "/out"):sub(-2000))
            end
        end
    end
    return failures == 0, "%d runs, %d failures", runs, failures
end)
