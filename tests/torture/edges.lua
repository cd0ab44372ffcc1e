-- What C and processors leave undefined: edge values of integers by all operators, NaN at every position of every
-- length, overlapping inputs and outputs. Oracles: Lua's own arithmetic, and copies made before.
local kit = dofile "tests/torture/kit.lua"
local lun = require "lunarray"

local backends = { "reference", "openmp" }
for _, name in ipairs(lun.backends()) do
    if name == "opencl" then
        backends[3] = name
    end
end
local bits = { i8 = 8, u8 = 8, i16 = 16, u16 = 16, i32 = 32, u32 = 32, i64 = 64, u64 = 64 }

-- x as an element of dtype t.
local function wrap(t, x)
    local w = bits[t]
    if w == 64 then
        return x
    end
    x = x & ((1 << w) - 1)
    return t:find "^i" and x >> (w - 1) == 1 and x - (1 << w) or x
end

local function edges(t)
    local w = bits[t]
    local low, high = 0, w == 64 and -1 or (1 << w) - 1
    if t:find "^i" then
        low, high = wrap(t, 1 << (w - 1)), wrap(t, (1 << (w - 1)) - 1)
    end
    local list = { low, wrap(t, low + 1), wrap(t, -1), 0, 1, 2, 3, wrap(t, high - 1), high }
    for _, count in ipairs { w - 1, w, w + 1 } do
        list[#list + 1] = wrap(t, count)
    end
    return list
end

-- Lua's own shift on the pattern of the width: a u64 count above 2^63 is a negative one, as in Lua.
local function shift(t, x, n)
    local w = bits[t]
    if w == 64 then
        return x << n
    end
    return wrap(t, n >= w and 0 or (x & ((1 << w) - 1)) << n)
end

local oracle = {
    ["//"] = function(t, x, y)
        if t == "u64" then
            return math.ult(x, y) and 0 or y < 0 and 1 or x >= 0 and x // y or
                ((x >> 1) // y << 1) + (math.ult((x - ((x >> 1) // y << 1) * y), y) and 0 or 1)
        end
        return wrap(t, x // y)
    end,
    ["%"] = function(t, x, y, o)
        return t == "u64" and x - o["//"](t, x, y) * y or wrap(t, x % y)
    end,
    ["<<"] = shift,
    [">>"] = function(t, x, n) return n == math.mininteger and 0 or shift(t, x, -n) end,
    ["/"] = function(t, x, y)
        local function float(z) return t == "u64" and z < 0 and (z >> 1 | z & 1) * 2.0 or z + 0.0 end
        return float(x) / float(y)
    end,
    ["+"] = function(t, x, y) return wrap(t, x + y) end,
    ["-"] = function(t, x, y) return wrap(t, x - y) end,
    ["*"] = function(t, x, y) return wrap(t, x * y) end,
}

local apply = {
    ["/"] = function(a, b) return a / b end,
    ["//"] = function(a, b) return a // b end, ["%"] = function(a, b) return a % b end,
    ["<<"] = function(a, b) return a << b end, [">>"] = function(a, b) return a >> b end,
    ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
    ["*"] = function(a, b) return a * b end,
}

kit.part("integer edges", function()
    local checked, wrong, traps = 0, 0, 0
    for _, backend in ipairs(backends) do
        lun.use(backend)
        for t in pairs(bits) do
            if kit.factor < 0.1 and backend == "opencl" and t ~= "i32" and t ~= "u64" then -- drivers compile slowly
                goto another
            end
            local list = edges(t)
            local xs, ys = {}, {}
            for _, x in ipairs(list) do
                for _, y in ipairs(list) do
                    xs[#xs + 1], ys[#ys + 1] = x, y
                end
            end
            local zero = lun.zeros(#xs, t)
            for symbol, f in pairs(oracle) do
                local divides = symbol == "//" or symbol == "%"
                local px, py = {}, {}
                for i = 1, #xs do
                    if not (divides and ys[i] == 0) then
                        px[#px + 1], py[#py + 1] = xs[i], ys[i]
                    end
                end
                local a, b = lun.vector(px, "i64"):cast(t), lun.vector(py, "i64"):cast(t)
                local got = apply[symbol](a, b):totable()
                for i = 1, #px do
                    local want = f(t, px[i], py[i], oracle)
                    checked = checked + 1
                    if got[i] ~= want and (got[i] == got[i] or want == want) then
                        wrong = wrong + 1
                        if wrong < 10 then
                            io.stderr:write(("%s: %s %d %s %d is %s, not %s\n"):format(backend, t, px[i], symbol, py[i], got[i], want))
                        end
                    end
                end
                if divides then -- each with a zero among the divisors is an error, on every backend
                    local ok, e = pcall(function() return apply[symbol](lun.vector(xs, "i64"):cast(t), zero):eval() end)
                    traps = traps + 1
                    if ok or not tostring(e):find("attempt to perform 'n" .. (symbol == "%" and "%%" or symbol) .. "0'", 1, true) then
                        wrong = wrong + 1
                        io.stderr:write(("%s: %s by zero: %s\n"):format(backend, symbol, tostring(e)))
                    end
                end
            end
            ::another::
        end
    end
    return wrong == 0, "%d backends: %d results, %d divisions by zero, %d wrong", #backends, checked, traps, wrong
end)

-- One program for each number of threads; PoCL's number of threads is set, too.
kit.part("NaN at every position", function()
    local text = [[
        local nan, wrong, checks, last = 0.0 / 0.0, 0, 0, %d
        local least, most = lun.reduce(lun.op.fmin, math.huge), lun.reduce(lun.op.fmax, -math.huge)
        local function check(good, ...)
            checks = checks + 1
            if not good then
                wrong = wrong + 1
                if wrong < 10 then io.stderr:write(string.format(...), "\n") end
            end
        end
        for _, t in ipairs { "f64", "f32" } do
            for n = 0, last do
                local base = n == 0 and lun.zeros(0, t) or (lun.range(1, n) * 37 %% 101 - 50):cast(t):eval()
                local list, a = base:totable(), base:copy()
                local sorted = { table.unpack(list) }
                table.sort(sorted)
                for at = 1, n do
                    a[at] = nan
                    local low, high, l, h = lun.eval(a:lazy "min", a:lazy "max", least(a), most(a))
                    local where_low, where_high = a:argmin(), a:argmax()
                    check(low ~= low and high ~= high, "%%s: min, max of %%d with NaN at %%d: %%s, %%s", t, n, at, low, high)
                    check(where_low == at and where_high == at, "%%s: argmin, argmax of %%d with NaN at %%d: %%s, %%s", t, n, at,
                        where_low, where_high)
                    check(n > 1 and l == (list[at] == sorted[1] and sorted[2] or sorted[1]) and
                        h == (list[at] == sorted[n] and sorted[n - 1] or sorted[n]) or n == 1 and l == math.huge and h == -math.huge,
                        "%%s: fmin, fmax of %%d with NaN at %%d: %%s, %%s", t, n, at, l, h)
                    if n <= 40 then
                        local between = lun.max(a, base)[at]
                        check(between ~= between and lun.fmax(a, base)[at] == list[at], "%%s: elementwise at %%d", t, at)
                    end
                    a[at] = list[at]
                end
            end
        end
        print(checks, wrong)]]
    local last = math.min(1025, kit.count(1025, 20))
    local runs, checks, wrong = 0, 0, 0
    for _, backend in ipairs(backends) do
        for threads = 1, 8 do
            if kit.factor < 0.1 and threads ~= 1 and threads ~= 8 or backend == "opencl" and threads & threads - 1 ~= 0 then
                goto another
            end
            local environment = ("LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%d POCL_MAX_PTHREAD_COUNT=%d LUNARRAY_JIT=%s"):format(backend,
                threads, threads, backend == "openmp" and threads % 2 == 0 and "sync" or "auto")
            local out, err = kit.run(text:format(last), environment, 3600)
            local n, bad = out:match "^(%d+)\t(%d+)\n$"
            runs, checks, wrong = runs + 1, checks + (n or 0), wrong + (bad or 1)
            if bad ~= "0" then
                io.stderr:write(backend, " ", threads, " threads: ", out, err)
            end
            ::another::
        end
    end
    return wrong == 0, "every position of lengths 0 to %d, %d programs of 1 to 8 threads on %d backends: %d checks, %d wrong", last,
        runs, #backends, checks, wrong
end)

-- Around the ends of chunks and blocks: one program for each number of threads.
kit.part("NaN at chunk boundaries", function()
    local text = [[
        local nan, wrong, checks = 0.0 / 0.0, 0, 0
        for _, n in ipairs { 16384, 16385, 65537, 100003 } do
            local a = (lun.range(1, n) * 37 % 101 - 50):cast "f64":eval()
            for _, at in ipairs { 1, 2, 63, 64, 65, 16383, 16384, 16385, 32768, 32769, 49153, 65535, 65536, 65537, n - 1, n } do
                if at <= n then
                    local old = a[at]
                    a[at] = nan
                    local low, high = lun.eval(a:lazy "min", a:lazy "max")
                    if low == low or high == high or a:argmin() ~= at or a:argmax() ~= at then wrong = wrong + 1 end
                    checks = checks + 1
                    a[at] = old
                end
            end
        end
        print(checks, wrong)]]
    local runs, checks, wrong = 0, 0, 0
    for _, backend in ipairs(backends) do
        for threads = 1, 8 do
            if kit.factor >= 0.1 or threads % 3 == 2 then
                local out, err = kit.run(text, ("LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%d POCL_MAX_PTHREAD_COUNT=%d"):format(backend,
                    threads, threads), 120)
                local n, bad = out:match "^(%d+)\t(%d+)\n$"
                runs, checks, wrong = runs + 1, checks + (n or 0), wrong + (bad or 1)
                if bad ~= "0" then
                    io.stderr:write(backend, " ", threads, " threads: ", out, err)
                end
            end
        end
    end
    return wrong == 0, "%d programs of 1 to 8 threads, %d positions, %d wrong", runs, checks, wrong
end)

kit.part("overlapping inputs and outputs", function()
    local random = kit.generator(tonumber(os.getenv "TORTURE_SEED") or 4)
    local cases, wrong = kit.count(20000, 400), 0
    for case = 1, cases do
        if case % 1000 == 1 then
            lun.use(backends[case // 1000 % #backends + 1])
        end
        local rows, columns = random(6), random(12)
        local n = rows * columns
        local list = {}
        for i = 1, n do
            list[i] = random(100)
        end
        local a = lun.vector(list)
        local view = a:reshape { rows, columns }
        local copy = { table.unpack(list) }
        local function piece(length)
            local step = random(3) - 2
            step = step == 0 and 1 or step
            local first = random(n - length + 1)
            return step > 0 and a:sub(first, first + length - 1) or a:sub(first + length - 1, first, -1), first, step
        end
        local what = random(5)
        if what == 1 then -- a from parts of a: every element is read before any is written
            local e, first, step = piece(n)
            a:set(e * 2 + a)
            for i = 1, n do
                copy[i] = list[step > 0 and first + i - 1 or n - i + 1] * 2 + list[i]
            end
        elseif what == 2 then
            lun.map("-"):run { a, out = a }
            for i = 1, n do
                copy[i] = -list[i]
            end
        elseif what == 3 and n > 1 then -- an element after another: rotated onto itself
            local k = random(n - 1)
            a:set(a:sub(k + 1, n) .. a:sub(1, k))
            for i = 1, n do
                copy[i] = list[(i + k - 1) % n + 1]
            end
        elseif what == 4 and rows > 0 then -- a row from another one, lazily, after the source has changed
            local i, j = random(rows), random(rows)
            local matrix = lun.vector(list):reshape { rows, columns }
            local old = matrix[j] * 3
            matrix[j][1] = 999
            matrix[i]:set(old)
            local got = matrix:reshape(n)
            copy[(j - 1) * columns + 1] = 999
            for c = 1, columns do
                copy[(i - 1) * columns + c] = list[(j - 1) * columns + c] * 3
            end
            a = got
        else
            lun.zip("+"):run { a, view:reshape(n), out = a }
            for i = 1, n do
                copy[i] = list[i] * 2
            end
        end
        local got = a:totable()
        for i = 1, n do
            if got[i] ~= copy[i] then
                wrong = wrong + 1
                io.stderr:write(("case %d (%d, %d x %d): element %d is %s, not %s\n"):format(case, what, rows, columns, i, got[i], copy[i]))
                break
            end
        end
    end
    return wrong == 0, "%d cases, %d wrong", cases, wrong
end)
