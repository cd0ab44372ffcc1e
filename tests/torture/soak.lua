-- A mix of all workloads for ten minutes: memory, descriptors, maps, threads and graph nodes do not grow after the first
-- tenth.
local kit = dofile "tests/torture/kit.lua"
local lun = require "lunarray"

local function count(command)
    local pipe = io.popen(command)
    local n = pipe:read "n"
    pipe:close()
    return n
end

local pid = io.open("/proc/self/stat"):read "n"

-- What must not grow.
local function state()
    collectgarbage()
    collectgarbage()
    lun.trim()
    local s = { nodes = lun.stats().nodes, elements = lun.stats().allocated }
    for line in io.lines "/proc/self/status" do
        s.threads = tonumber(line:match "^Threads:%s*(%d+)") or s.threads
        s.resident = tonumber(line:match "^VmRSS:%s*(%d+)") or s.resident
    end
    s.lua = collectgarbage "count" // 1 | 0
    s.descriptors = count(("ls /proc/%d/fd | wc -l"):format(pid))
    s.maps = count(("wc -l </proc/%d/maps"):format(pid))
    return s
end

local file = kit.directory() .. "/f"
local a = lun.random(200000, { seed = 1 }):eval()
local index = lun.index(1000)
local weights = lun.random(64, { seed = 2 }):eval()
local gain = 1

local mix = {
    function() return ((a * gain + 1):sin() * a):sum() end,
    function() return lun.scan("+", 0)(a):max() end,
    function(i) return lun.map(function(x, k) if x > 0.5 then return x * k else return x - gain end end)(a, i % 7):mean() end,
    function(i) gain = i % 5 return lun.map(function(k) return weights[k % 64 + 1] * gain end)(index):sum() end,
    function() lun.use "openmp" return lun.map "(double x){ return x * 3; }"(a):max() end,
    function(i) return #tostring(a:sub(i % 100 + 1, -1) * 2) end,
    function() return #tostring(lun.explain((a + 1):sqrt():lazy "sum")) end,
    function() lun.save(file .. ".npy", a) return lun.load(file .. ".npy"):sum() end,
    function() lun.save(file .. ".csv", { x = index, y = index * 2 }) return lun.load(file .. ".csv").y:sum() end,
    function() return select(2, pcall(function() return (index // (index - 5)):eval() end)) end,
    function() return select(2, pcall(lun.map, "(int x { return x; }")) end,
    function() return select(2, pcall(lun.zeros, -1)) end,
    function(i) local x = a for k = 1, i % 50 do x = x + k end return x:sum() end,
    function() local x = a for _ = 1, 100 do x = x + x end return x[1] end,
    function() local x = a for _ = 1, 1000 do x = x + 1 end return x == nil end, -- dropped
    function() return coroutine.wrap(function() return (a * 2):max() end)() end,
    function(i) lun.use(i % 2 == 0 and "openmp" or "reference") return a:argmax() end,
    function() os.execute "true" return io.popen "true":close() end,
    function() local b <close> = a:copy() b:fill(2) b[7] = 3 return b:set(a + b) end,
    function() return lun.zip("*")(a, a):reshape { 400, 500 }[3]:sum() end,
}

kit.part("soak", function()
    local seconds = math.max(10, 600 * math.min(kit.factor, 6))
    local random = kit.generator(tonumber(os.getenv "TORTURE_SEED") or 9)
    local start, first, runs = os.time(), nil, 0
    repeat
        for _ = 1, 50 do
            runs = runs + 1
            mix[random(#mix)](random(1000))
        end
        if not first and os.time() - start >= seconds / 4 then
            lun.use "openmp"
            first = state()
        end
    until os.time() - start >= seconds and first
    lun.use "openmp"
    local last = state()
    local grown = {}
    for name, allowed in pairs { nodes = 50, elements = 1 << 20, threads = 0, resident = 30000, lua = 3000, descriptors = 1, maps = 60 } do
        if last[name] > first[name] + allowed then
            grown[#grown + 1] = ("%s from %d to %d"):format(name, first[name], last[name])
        end
    end
    return #grown == 0, "%d s, %d steps: %s; resident %d -> %d MB, maps %d -> %d, descriptors %d -> %d, threads %d -> %d", seconds, runs,
        #grown == 0 and "all flat" or table.concat(grown, ", "), first.resident >> 10, last.resident >> 10, first.maps, last.maps,
        first.descriptors, last.descriptors, first.threads, last.threads
end)
