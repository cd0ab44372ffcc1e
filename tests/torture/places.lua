-- Several places: of many random expressions lun.explain tells what the counters then count; what is written has the
-- elements of plain loops; results have one digest on any set, for any distribution. Devices are PoCL's, in processes of their own.
local kit = dofile "tests/torture/kit.lua"
local lun = require "lunarray"

local function run(script, devices)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write("package.path = 'tests/?.lua;tests/spec/?.lua;' .. package.path\n", script)
    file:close()
    local pipe = assert(io.popen(("env POCL_DEVICES='%s' %s/lunarray %s 2>&1"):format(("pthread "):rep(devices), kit.build, path)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(path)
    return text
end

local function there(name)
    for _, backend in ipairs(lun.backends()) do
        if backend == name then return true end
    end
end

kit.part("moves as they are explained", function()
    local seeds = kit.count(125, 10) -- of four expressions each
    local sets = ("{ %s 'openmp/4', 'reference/3' }"):format(there "opencl" and "'opencl:*', 'opencl:2,openmp,opencl:1'," or "")
    local text = run(("local m = require 'moves' for seed = 5001, 5000 + %d do m.check(seed, %s) end print 'done'"):format(seeds, sets), 4)
    if text ~= "done\n" then io.stderr:write(text) end
    return text == "done\n", "%d expressions on each set", 4 * seeds
end)

kit.part("writes on places", function()
    local seeds = kit.count(2000, 50)
    local sets = ("{ 'openmp/4', 'reference/3', %s }"):format(there "opencl" and "'opencl:*', 'opencl:2,openmp,opencl:1'" or "")
    local text = run(([[
        local m, sets, sizes = require 'writes', %s, { 0, 1, 2, 3, 4, 5, 63, 64, 65, 200, 16385 }
        for seed = 7001, 7000 + %d do m.check(seed, sets[seed %% #sets + 1], sizes[seed %% #sizes + 1], 10) end
        print 'done']]):format(sets, seeds), 4)
    if text ~= "done\n" then io.stderr:write(text) end
    return text == "done\n", "%d sequences of ten steps", seeds
end)

-- Digests of results of n elements, operands distributed in each way.
local DIGESTS = [[
local lun = require "lunarray"
local places = select("#", lun.use())
local function digest(sum, bytes)
    for i = 1, #bytes - 7, 8 do sum = (sum * 31 ~ string.unpack("i8", bytes, i)) & math.maxinteger end
    return sum
end
local ways = { { "none" }, { "copy" } }
for device = 1, places do ways[#ways + 1] = { "single", { device = device } } end
for _, rule in ipairs { "remainder", "ceiling", "balanced" } do
    ways[#ways + 1] = { "block", { rule = rule } }
    ways[#ways + 1] = { "overlap", { rule = rule, halo = 3 } }
end
for _, n in ipairs(SIZES) do
    local all = {}
    for k, way in ipairs(ways) do
        local a, b = (lun.random(n, { seed = 3 }) - 0.5):copy(), (lun.range(1, n) * 0.37):copy()
        if places > 1 and way[1] ~= "none" then
            a:distribute(way[1], way[2])
            local other = ways[k % #ways + 1]
            if other[1] ~= "none" then b:distribute(other[1], other[2]) end
        end
        local sum = digest(0, (a * b + 1):tobytes())
        sum = digest(sum, string.pack("d", a:sum()) .. string.pack("d", (a * b):sum()) .. string.pack("d", n > 0 and b:max() or 0))
        sum = digest(sum, a:scan("+", 0):tobytes())
        if n > 2 then sum = digest(sum, (a:sub(2, n - 1) + b:sub(3, n)):tobytes()) end
        all[sum] = true
    end
    local one = next(all)
    print(n, one, next(all, one) and "and others" or "")
end
]]

kit.part("one digest of each result", function()
    local small = "{ 0, 1, 2, 3, 4, 5, 63, 64, 65 }"
    local large = kit.factor >= 1 and "{ 16383, 16384, 16385, 65535, 65536, 65537, 1000003 }" or "{ 16385, 65537 }"
    local runs, bad = 0, 0
    for _, sizes in ipairs { small, large } do
        local script = DIGESTS:gsub("SIZES", sizes)
        local wanted = run("lun = require 'lunarray' lun.use 'openmp'\n" .. script, 1)
        local sets = { { "openmp/2", 1 }, { "openmp/3", 1 }, { "openmp/4", 1 }, { "reference.1,openmp", 1 } }
        for devices = 1, there "opencl" and 4 or 0 do sets[#sets + 1] = { "opencl:*", devices } end
        for _, set in ipairs(sets) do
            local got = run(("lun = require 'lunarray' lun.use '%s'\n"):format(set[1]) .. script, set[2])
            runs = runs + 1
            if got ~= wanted or wanted:find "others" then
                bad = bad + 1
                io.stderr:write(set[1], " with ", set[2], " devices:\n", got, "not\n", wanted)
            end
        end
    end
    return bad == 0, "%d sets, %d differ", runs, bad
end)
