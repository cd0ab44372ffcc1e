-- Extreme programs: deep, shared and dropped graphs, collection under memory pressure, many ways to end, little
-- address space, lengths around 2^31.
local kit = dofile "tests/torture/kit.lua"
local lun = require "lunarray"

kit.part("deep graphs", function()
    local n = kit.count(1000000, 50000)
    local x = lun.vector { 1, 2, 3 }
    local start = os.clock()
    local y = x
    for _ = 1, n do
        y = y + x
    end
    local built = os.clock() - start
    local good = y[3] == 3 * (n + 1)
    local whole = os.clock() - start
    local z = x
    for i = 1, n do
        z = i % 3 == 0 and z:abs() or z - x
    end
    z = nil -- luacheck: ignore
    collectgarbage()
    local deep = x
    for _ = 1, kit.count(200000, 5000) do
        deep = lun.where(deep:gt(0), deep, x)
    end
    lun.explain(deep)
    return good and lun.vector { 2 }:sum() == 2, "%d operations: built in %.2f s, evaluated in %.2f s", n, built, whole - built
end)

-- The same with a stack of one megabyte: neither evaluating nor dropping a graph recurses over it.
kit.part("deep graphs in a small stack", function()
    local n = kit.count(1000000, 20000)
    local out, err, status = kit.run(([[
        local x = lun.vector { 1, 2, 3 }
        local y = x
        for _ = 1, %d do y = y + x end
        print(y[3])
        local z = x
        for i = 1, %d do z = i %% 3 == 0 and z:abs() or z - x end
        z = nil
        collectgarbage()
        lun.explain(x + 1)]]):format(n, n), "", 300, "ulimit -s 1024;")
    local good = status == 0 and out == 3 * (n + 1) .. "\n"
    if not good then
        io.stderr:write(out, err, "\n")
    end
    return good, "%d operations evaluated, %d dropped, with 1 MB of stack: status %s", n, n, status
end)

-- Generated code does not nest (each operation is a statement); the compiler may refuse a deeply nested C function (clang's
-- limit is 256): a result, or an error with the compiler's message, and the engine goes on.
kit.part("nested source", function()
    local before, results, refused, bad = lun.use(), 0, 0, 0
    for _, backend in ipairs(lun.backends()) do
        lun.use(backend)
        for _, depth in ipairs(kit.factor >= 0.1 and { 200, 300, 1000, 10000, 100000 } or { 100, 1000 }) do
            local text = "(double x){ return " .. ("("):rep(depth) .. "x" .. (")"):rep(depth) .. " + 1; }"
            local ok, e = pcall(function() return lun.map(text)(lun.vector { 1, 2 }):eval()[2] end)
            results, refused = results + (ok and 1 or 0), refused + (ok and 0 or 1)
            if ok and e ~= 3 or not ok and not tostring(e):find "compile" or lun.vector { 1, 2 }:sum() ~= 3 then
                bad = bad + 1
                io.stderr:write(backend, " ", depth, ": ", tostring(e), "\n")
            end
        end
    end
    lun.use(before)
    return bad == 0 and results > 0, "%d results, %d refused with the compiler's message, %d wrong", results, refused, bad
end)

kit.part("shared graphs", function()
    local x = lun.vector { 1, 2, 3 }
    local start = os.clock()
    local y = x
    for _ = 1, 200 do
        y = y + y
    end
    local plan = lun.explain(y)
    local ops = 0
    for i = 1, #plan do
        ops = ops + plan[i].ops
    end
    local zero = y:sum() -- 2^200 wraps to 0
    local took = (os.clock() - start) * 1000
    return ops <= 210 and zero == 0, "x = x + x 200 times: %d operations, %.1f ms", ops, took
end)

-- Resident bytes of this process: now, and the peak.
local function resident(field)
    for line in io.lines "/proc/self/status" do
        local kb = line:match("^" .. field .. ":%s*(%d+) kB")
        if kb then
            return tonumber(kb) * 1024
        end
    end
end

kit.part("collection under pressure", function()
    local total = 2.0 ^ 40 * kit.factor
    local size = 4 << 20
    local kept, bytes = {}, 0
    for i = 1, 25 do
        kept[i] = lun.zeros(size // 8):copy()
        kept[i][1] = 1
    end
    local before = resident "VmRSS"
    local i = 0
    while bytes < total do
        -- touches one page only: the rest of the buffer costs no time
        local x = lun.zeros(8 * size // 8):copy()
        kept[i % 25 + 1][2] = bytes
        if i % 50 == 0 then
            kept[i % 25 + 1] = lun.full(size // 8, i):eval()
        end
        bytes, i = bytes + #x * 8, i + 1
    end
    local peak = lun.stats().peak
    local grown = resident "VmHWM"
    assert(#kept == 25)
    return peak < 3 * (100 << 20) + (64 << 20), "%.0f GB allocated, 100 MB alive: at most %d MB of elements, %d MB resident (%d before)",
        bytes / 1e9, peak >> 20, grown >> 20, before >> 20
end)

kit.part("ways to end", function()
    return kit.ends(nil, function(round) return round % 2 == 0 and "LUNARRAY_BACKEND=reference" or "LUNARRAY_JIT=auto" end)
end)

kit.part("little address space, few threads", function()
    local text = "local x = lun.range(1, 300000) print((x * 2):eval():sum(), pcall(function() return lun.zeros(4e6):copy():sum() end))"
    local steps, bad, errors = kit.count(50, 8), 0, 0
    for i = 1, steps do
        local kb = 60000 + i * 400000 // steps
        local out, err, status = kit.run(text, "LUNARRAY_THREADS=8", 30, "ulimit -v " .. kb .. ";")
        -- the program itself may not fit: then there is an error message
        local refused = status == 1 or status == 127
        errors = errors + (refused and 1 or 0)
        if not refused and (status ~= 0 or not out:find "^90000300000\t") then
            bad = bad + 1
            io.stderr:write(("ulimit -v %d: status %s: %s%s\n"):format(kb, status, out, err))
        end
    end
    for i = 1, steps do
        local out, err, status = kit.run("local x = lun.range(1, 3000000) for i = 1, 20 do x = (x + 1):eval() end print(x:sum())",
            "LUNARRAY_THREADS=8", 30, "ulimit -u " .. i .. ";")
        if status ~= 0 or out ~= "4500061500000\n" then
            bad = bad + 1
            io.stderr:write(("ulimit -u %d: status %s: %s%s\n"):format(i, status, out, err))
        end
    end
    return bad == 0, "%d steps of ulimit -v (%d refused), %d of ulimit -u: %d wrong", steps, errors, steps, bad
end)

kit.part("lengths around 2^31", function()
    local bad, lengths = 0, { 0, 1, 15, 16, 17, 63, 64, 65, 16383, 16384, 16385, 65535, 65536, 65537 }
    if kit.factor >= 0.5 then -- gigabytes
        table.move({ (1 << 31) - 1, 1 << 31, (1 << 31) + 1 }, 1, 3, #lengths + 1, lengths)
    end
    local before, device = lun.use(), 0
    for _, backend in ipairs(lun.backends()) do
        lun.use(backend)
        for _, n in ipairs(lengths) do
            if n < 1 << 31 and backend ~= before and backend ~= "opencl" or n > 1 << 20 and backend ~= before then
                goto another -- gigabytes on one backend only
            end
            device = device + (backend == "opencl" and 1 or 0)
            local a = lun.full(n, 1, "u8"):eval()
            if n > 0 then
                a[n] = 7
            end
            local want = n > 0 and n + 6 or 0
            if #a ~= n or a:sum() ~= want or (a + a):sum() ~= 2 * want or
                n > 0 and (a:argmax() ~= n or a[-1] ~= 7 or a:sub(n, n)[1] ~= 7) then
                bad = bad + 1
                io.stderr:write(backend, ": ", n, " is wrong\n")
            end
            a:free()
            lun.trim()
            ::another::
        end
    end
    lun.use(before)
    local refused = 0
    for _, n in ipairs { 1 << 62, (1 << 62) + 1, math.maxinteger, 1 << 48, -1, 2.0 ^ 70 } do
        refused = refused + (pcall(function() return lun.zeros(n):copy():sum() end) and 0 or 1)
    end
    return bad == 0 and refused == 6, "%d lengths, %d of them on opencl too, %d wrong; %d of 6 impossible ones refused",
        #lengths, device, bad, refused
end)
