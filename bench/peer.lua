-- The same workloads as loops of the language itself: LuaJIT over FFI arrays, or plain Lua over tables.
-- usage: luajit bench/peer.lua workload...   (or lua5.4)
-- Plain Lua computes every 64th element, in one table that fits the memory, and its time is multiplied; LuaJIT computes
-- all. The clock is that of the processor: both have one thread.

local ok, ffi = pcall(require, "ffi")
local jit_on = ok and rawget(_G, "jit") ~= nil
local variant = jit_on and "luajit" or "lua"
local REPS = tonumber(os.getenv "BENCH_REPS") or 11
local N = tonumber(os.getenv "BENCH_N") or 2 ^ 25
local SHARE = jit_on and 1 or 64 -- one of so many elements
local clock, floor = os.clock, math.floor

if not jit_on then
    REPS = math.min(REPS, 3)
end

local function array(n, ctype)
    return jit_on and ffi.new((ctype or "float") .. "[?]", n + 1) or {}
end

local function uniform(n)
    local a = array(n)
    for i = 1, n do
        a[i] = math.random()
    end
    return a
end

local function run(name, body, times)
    local ms = {}
    for rep = 0, REPS do
        collectgarbage()
        local start = clock()
        body()
        if rep > 0 then
            ms[rep] = (clock() - start) * 1e3 * (times or SHARE)
        end
    end
    table.sort(ms)
    print(("%-10s %-22s %10.4f ms min %.4f"):format(name, variant, ms[floor(#ms / 2) + 1], ms[1]))
end

local workloads = {}

function workloads.W1()
    local n = N / SHARE
    local a, b, c, d, r = uniform(n), uniform(n), uniform(n), uniform(n), array(n)
    run("W1", function()
        for i = 1, n do
            r[i] = (a[i] + b[i]) * (c[i] + d[i])
        end
    end)
end

function workloads.W2()
    local n = N / SHARE
    local b, c, r, s = uniform(n), uniform(n), array(n), 0.4
    run("W2", function()
        for i = 1, n do
            r[i] = b[i] + s * c[i]
        end
    end)
end

local function reduction(name, step)
    local n, total = N / SHARE, 0
    local a, b = uniform(n), uniform(n)
    run(name, function()
        total = total + step(a, b, n)
    end)
    assert(total > 0)
end

function workloads.W3sum()
    reduction("W3sum", function(a, _, n)
        local sum = 0
        for i = 1, n do
            sum = sum + a[i]
        end
        return sum
    end)
end

function workloads.W3dot()
    reduction("W3dot", function(a, b, n)
        local sum = 0
        for i = 1, n do
            sum = sum + a[i] * b[i]
        end
        return sum
    end)
end

function workloads.W3mv()
    reduction("W3mv", function(a, _, n)
        local mean, m2 = 0, 0
        for i = 1, n do
            local delta = a[i] - mean
            mean = mean + delta / i
            m2 = m2 + delta * (a[i] - mean)
        end
        return m2 / n
    end)
end

local function scan(name, ctype)
    local n = N / SHARE
    local a, r = uniform(n), array(n, ctype)
    run(name, function()
        local sum = 0
        for i = 1, n do
            r[i] = sum
            sum = sum + a[i]
        end
    end)
end

function workloads.W4i32()
    scan("W4i32", "int32_t")
end

function workloads.W4f32()
    scan("W4f32", "float")
end

function workloads.W6()
    local w, h, limit = 4096, 3072, 256
    local rows = jit_on and 1 or 64
    local counts = array(w * h, "int32_t")
    run("W6_256", function()
        for j = 0, h - 1, rows do
            local cy = j * (2.25 / h) - 1.125
            for i = 0, w - 1 do
                local cx = i * (3 / w) - 2
                local x, y, n = 0.0, 0.0, 0
                while n < limit and x * x + y * y <= 4 do
                    x, y, n = x * x - y * y + cx, 2 * x * y + cy, n + 1
                end
                counts[j * w + i + 1] = n
            end
        end
    end, rows)
end

-- Each evaluation makes its result, as an expression does.
function workloads.W12()
    for _, n in ipairs { 100, 10000 } do
        local a, b, c, d = uniform(n), uniform(n), uniform(n), uniform(n)
        local calls = jit_on and 1000 or 50
        run("W12_" .. n, function()
            for _ = 1, calls do
                local r = array(n)
                for i = 1, n do
                    r[i] = (a[i] + b[i]) * (c[i] + d[i])
                end
            end
        end, 1000 / calls)
    end
end

for _, name in ipairs(arg) do
    workloads[name]()
end
