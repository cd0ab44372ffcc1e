-- Each allocation in turn fails (the engine's, Lua's, the C library's) in workloads over every part of the interface: each
-- failure is an error that says so, nothing crashes or hangs, no element is lost, and the workload succeeds when repeated.
-- Runs itself with a preloaded library (alloc_shim.c).
local kit = dofile "tests/torture/kit.lua"

if not os.getenv "ALLOC_SHIM" then
    local store = kit.directory()
    local _, how, status = os.execute(([[ALLOC_SHIM=1 LD_PRELOAD=%s/torture/alloc_shim.so LUNARRAY_BACKEND=openmp \
        LUNARRAY_CC=%s/torture/stored_cc STORED_CC_DIR=%s exec %s/lunarray tests/torture/memory.lua]]):format(kit.build,
        kit.build, store, kit.build))
    if status ~= 0 then
        kit.report(false, "failing allocations", "ended by %s %s", how, status)
    end
    -- the specs, with one failing allocation at a random place of each run
    kit.part("failing allocations in the specs", function()
        local random, crashes, runs, foreign = kit.generator(tonumber(os.getenv "TORTURE_SEED") or 1), 0, 0, 0
        local pipe = io.popen "ls tests/spec/*/*_spec.lua"
        local specs = {}
        for line in pipe:lines() do
            -- without the specs that start programs
            if not line:find "build_spec" and not line:find "setup_spec" and not line:find "repl" and not line:find "cli_spec" then
                specs[#specs + 1] = line
            end
        end
        pipe:close()
        for i = 1, kit.count(200, 6) do
            local spec = specs[(i - 1) % #specs + 1]
            local at = random(random(2) == 1 and 300000 or 1500000)
            local command = ([[ALLOC_FAIL_AT=%d LD_PRELOAD=%s/torture/alloc_shim.so LUNARRAY_BACKEND=reference \
                timeout -s KILL 600 %s/lunarray tests/busted.lua %s >%s/out 2>&1]])
                :format(at, kit.build, kit.build, spec, kit.directory())
            local _, way, code = os.execute(command)
            runs = runs + 1
            local said = kit.read(kit.directory() .. "/out")
            if said:find "LLVM ERROR: out of memory" then -- the compiler of an OpenCL driver ends the process
                foreign = foreign + 1
            elseif way == "signal" or code >= 124 then
                crashes = crashes + 1
                io.stderr:write(command, ": ", code, "\n", said:sub(-2000), "\n")
            end
        end
        return crashes == 0, "%d runs, %d crashes or hangs, %d ended by LLVM in a driver", runs, crashes, foreign
    end)
    -- every n-th allocation of the engine fails, with each offset in turn: over all runs each one fails. Lua's succeed, so
    -- that the specs go on; only crashes count, not the specs' results.
    kit.part("each allocation of the engine in the specs", function()
        local names = ("making operators indexing lazy reductions skeletons luafn show csv npy pnm memory errors cfunctions"):gmatch "%a+"
        local step = kit.factor >= 0.5 and 20 or 5
        local head = kit.write(kit.directory() .. "/every.lua", ([[
            package.cpath = "%s/torture/?.so;" .. package.cpath
            local shim = require "alloc_shim"
            for first, last in os.getenv "ALLOC_SPARED":gmatch "(%%x+)-(%%x+)" do
                local base
                for line in io.lines "/proc/self/maps" do
                    base = base or tonumber(line:match "^(%%x+)%%-%%x+ %%S+ 0+ .*/lunarray$" or "", 16)
                end
                shim.runtime(base + tonumber(first, 16), base + tonumber(last, 16))
            end
            local report <const> = setmetatable({}, { __gc = function()
                local all, failed = shim.disarm()
                local f = io.open(os.getenv "ALLOC_REPORT", "a")
                if f then f:write(all, " ", failed, "\n") f:close() end
            end })
            debug.getregistry().alloc_report = report
            shim.every(%d, tonumber(os.getenv "ALLOC_OFFSET"))]]):format(kit.build, step))
        local spared, found = {}, {}
        local pipe = io.popen(("nm -S %s/lunarray"):format(kit.build))
        for line in pipe:lines() do
            local address, size, name = line:match "^(%x+) (%x+) [tT] (%S+)$"
            if name == "l_alloc" or name == "gomp_malloc" or name == "gomp_malloc_cleared" or name == "gomp_realloc" then
                spared[#spared + 1] = ("%s-%x"):format(address, tonumber(address, 16) + tonumber(size, 16))
                found[name] = true
            end
        end
        pipe:close()
        if not found.l_alloc then
            return true, "left out: Lua's allocator is not in the program"
        end
        local runs, crashes, report = 0, 0, kit.directory() .. "/every"
        for name in names do
            for offset = 0, step - 1, kit.factor >= 0.5 and 1 or kit.factor >= 0.01 and 2 or 5 do
                local command = ([[ALLOC_SPARED="%s" ALLOC_OFFSET=%d ALLOC_REPORT=%s LUA_INIT=@%s LD_PRELOAD=%s/torture/alloc_shim.so \
                    LUNARRAY_JIT=off timeout -s KILL 600 %s/lunarray tests/busted.lua tests/spec/*/%s_spec.lua >%s/out 2>&1]])
                    :format(table.concat(spared, " "), offset, report, head, kit.build, kit.build, name, kit.directory())
                local _, way, code = os.execute(command)
                runs = runs + 1
                if way == "signal" or code >= 124 then
                    crashes = crashes + 1
                    io.stderr:write(command, ": ", code, "\n", kit.read(kit.directory() .. "/out"):sub(-2000), "\n")
                end
            end
        end
        local all, failed = 0, 0
        for a, b in kit.read(report):gmatch "(%d+) (%d+)" do
            all, failed = all + a, failed + b
        end
        return crashes == 0 and failed > 100, "%d runs, %d of %d allocations failed, %d crashes or hangs", runs, failed, all, crashes
    end)
    return
end

package.cpath = kit.build .. "/torture/?.so;" .. package.cpath
local shim = require "alloc_shim"
local lun = require "lunarray"

-- Where the OpenMP runtime allocates, in this process.
local function find_runtime()
    local base
    for line in io.lines "/proc/self/maps" do
        base = base or line:match "^(%x+)%-%x+ %S+ 0+ .*/lunarray$"
    end
    local first, last
    local pipe = io.popen("nm " .. kit.build .. "/lunarray")
    for line in pipe:lines() do
        local address, name = line:match "^(%x+) [tT] (%S+)$"
        if name and (name:find "^gomp_.*alloc" or name == "gomp_malloc_cleared") and not name:find "cold" then
            address = tonumber(address, 16)
            first, last = math.min(first or address, address), math.max(last or address, address)
        end
    end
    pipe:close()
    if base and first then
        shim.runtime(tonumber(base, 16) + first, tonumber(base, 16) + last + 256)
    end
end
find_runtime()

local file = kit.directory() .. "/file"
local a, b = lun.vector { 3.5, 1.25, 2, 8, 5 }, lun.vector { 1, 2, 3, 4, 5 }
local big = lun.range(1, 100000):eval()
local weights = lun.vector { 0.5, 0.25, 2 }
local saved = lun.vector { 1, 2, 3 }
lun.save(file .. ".npy", saved)
lun.save(file .. ".csv", { x = saved, y = { "a", "b", "c" } })

-- The text of an expected error; any other error is raised again.
local function caught(f, expected)
    local _, e = pcall(f)
    return tostring(e):match(expected) or error(e, 0)
end

-- Each returns a text that must be the same in every run.
local works = {
    vector = function() return lun.vector { 1, 2, 3.5 } end,
    nested = function() return lun.vector { { 1, 2 }, { 3, 4 } } end,
    virtual = function() return lun.range(1, 10) .. lun.linspace(0, 1, 5):cast "i64" end,
    random = function() return lun.random(5, { seed = 3 }) end,
    operators = function() return (a + b) * a - b / a + a // 2 % 3 ^ -a end,
    integers = function() return (b & 3 | 8 ~ b) << 1 >> 1 end,
    compare = function() return lun.where(a:lt(b), a, b):max(2) end,
    functions = function() return a:sin():exp():sqrt():atan2(b) end,
    lazy = function() local x = a for _ = 1, 100 do x = x + b end return x end,
    shared = function() local x = b for _ = 1, 40 do x = x + x end return x end,
    sum = function() return a:sum() .. ":" .. b:prod() .. ":" .. a:mean() .. ":" .. a:var(1) .. ":" .. a:argmax() end,
    eval = function() return table.concat({ lun.eval(a:lazy "sum", b:lazy "max", (a * b):lazy "min") }, ",") end,
    several = function() local x, y = lun.eval(a + 1, a * 2) return tostring(x) .. tostring(y) end,
    large = function() return ((big + 1) * 2):sum() end,
    scan = function() return lun.scan("+", 0)(big):max() end,
    map = function() return lun.map(function(x) return x * 2 + 1 end)(a) end,
    branches = function()
        return lun.map(function(x, k) local s = 0 for i = 1, 3 do if x > i then s = s + k else s = s - 1 end end return s end)(a, 3)
    end,
    captured = function() return lun.map(function(i) return weights[i % 3 + 1] * 2 end)(b) end,
    zip = function() return lun.zip(function(x, y) return math.max(x, y) end)(a, b) end,
    reduce = function() return lun.reduce(function(x, y) return x + y end, 0)(a):value() end,
    sequence = function() return (lun.map "-" >> lun.map(function(x) return x + 1 end))(a) end,
    compose = function() return lun.compose(lun.zip "+"):left(lun.map "-"):right(lun.map "-")(a, b) end,
    c_string = function() return lun.map "(double x, double k){ return x * k + 1; }"(a, 2) end,
    run = function() local c = a:copy() lun.map("-"):run { c, out = c } return c end,
    set = function() local c = a:copy() c[2] = 9 c:set(c * 2) c:fill(3) return c end,
    sub = function() return b:sub(2, 4) .. b:sub(-1, 1, -2) end,
    rows = function() local m = lun.vector { { 1, 2 }, { 3, 4 } } m[1][2] = 7 return m * 2 end,
    cast = function() return a:cast "f32":cast "u8":cast "bool" end,
    totable = function() return table.concat(a:totable(), ",") end,
    iter = function() local s = 0 for i, x in b:iter() do s = s + i * x end return s end,
    bytes = function() return lun.frombytes(b:tobytes(), "i64") end,
    show = function() return tostring(big * 2) .. tostring(lun.zeros { 30, 30 }) end,
    explain = function() return #tostring(lun.explain((a + b):sqrt():lazy "sum")) > 100 end,
    source = function() return #(a + b):source() > 100 end,
    npy = function() assert(lun.save(file .. ".npy", saved)) return assert(lun.load(file .. ".npy")) end,
    csv = function() local t = assert(lun.load(file .. ".csv")) return tostring(t.x) .. t.y[3] end,
    raw = function() assert(lun.save(file .. ".raw", b)) return assert(lun.load(file .. ".raw", { dtype = "i64" })) end,
    open = function()
        assert(lun.save(file .. ".npy", big))
        local f <close> = assert(lun.open(file .. ".npy"))
        local part <close> = f:sub(3, 9)
        local results = { f:sum(), (f * 2 + 1):max(), lun.scan("+", 0)(f):max(), f[7], part:sum() }
        part[2] = 0
        results[6] = part:sum()
        return table.concat(results, ":")
    end,
    error = function() return caught(function() return (b // (b - 1)):eval() end, "n//0") end,
    shapes = function() return caught(function() return b + saved end, "lengths") end,
    stats = function() return type(lun.stats().peak) end,
}

local names = {}
for name in pairs(works) do
    names[#names + 1] = name
end
table.sort(names)

-- The workload's text. A printed array may have been evaluated whole where reading its parts failed.
local function text_of(name)
    return (tostring(works[name]()):gsub(" %(%d+ operations? waiting%)", ""))
end

local function memory_error(e)
    local text = tostring(e)
    return text:find "memory" or text:find "ENOMEM" or text:find "Cannot allocate" or type(e) == "table" and e.code == "ENOMEM"
end

-- What a failure may leak: arrays' memory, graph nodes, descriptors, Lua's memory.
local function held()
    for _ = 1, 3 do
        collectgarbage()
    end
    lun.trim()
    local s, stat = lun.stats(), io.open "/proc/self/stat"
    local pipe = io.popen(("ls /proc/%d/fd | wc -l"):format(stat:read "n"))
    local open = pipe:read "n"
    stat:close()
    pipe:close()
    return { nodes = s.nodes, elements = s.allocated, descriptors = open, lua = collectgarbage "count" // 1 | 0 }
end

local failures, wrong, odd = 0, 0, 0
local function fail_everywhere(name, on, step)
    local expected = text_of(name)
    local n = 1
    while true do
        collectgarbage()
        shim.arm(n, on)
        local ok, result = pcall(text_of, name)
        local _, failed = shim.disarm()
        if failed == 0 then
            return
        end
        failures = failures + 1
        if ok and result ~= expected then
            wrong = wrong + 1
            io.stderr:write(("%s, allocation %d: %s instead of %s\n"):format(name, n, result, expected))
        elseif not ok and not memory_error(result) then
            odd = odd + 1
            io.stderr:write(("%s, allocation %d: %s\n"):format(name, n, tostring(result)))
        end
        result = nil -- luacheck: ignore
        if n % 5 == 1 and text_of(name) ~= expected then
            wrong = wrong + 1
            io.stderr:write(("%s, after allocation %d failed: another result\n"):format(name, n))
        end
        n = n + step
    end
end

local only = os.getenv "TORTURE_ONLY"
kit.part("failing allocations", function()
    collectgarbage()
    local step = kit.factor >= 0.2 and 1 or 23
    local lost = {}
    for _, name in ipairs(names) do
        if not only or only == name then
            text_of(name)
            local before = held()
            fail_everywhere(name, false, step)
            fail_everywhere(name, true, step)
            local after = held()
            for _ = 1, 50 do -- a compiler at work in the background has descriptors, too
                if after.descriptors > before.descriptors then
                    os.execute "sleep 0.1"
                    a:sum()
                    after = held()
                end
            end
            for what, allowed in pairs { nodes = 0, elements = 0, descriptors = 0, lua = 64 } do
                if after[what] > before[what] + allowed then
                    lost[#lost + 1] = ("%s: %s from %d to %d"):format(name, what, before[what], after[what])
                    io.stderr:write(lost[#lost], "\n")
                end
            end
        end
    end
    return wrong == 0 and odd == 0 and #lost == 0,
        "%d workloads, %d failures: %d wrong, %d errors without the reason, 0 crashes; nodes, elements, descriptors %s", #names, failures,
        wrong, odd, #lost == 0 and "as before" or "lost: " .. lost[1]
end)
