-- A function that never ends, or takes very long: a signal ends it, and the session goes on.
local lun = require "lunarray"
local shell = require "shell"

local build = os.getenv "BUILD" or "build"

-- Whether a kernel that runs there can be stopped (docs/robustness.md); else its device is lost, and another goes on.
local function stops(backend)
    for _, device in ipairs(lun.devices()) do
        if device.backend == backend then
            return device.kind ~= "gpu" and device.kind ~= "accelerator"
        end
    end
end

-- What a session of its own says, which asks for SIGINT when it calls the function. What was on the device before is used
-- there afterwards, and the same function.
local function interrupted(backend, body, after, before, environment)
    local lines = os.tmpname()
    local file = assert(io.open(lines, "w"))
    file:write(([[
lun.use %q; a = (lun.index(100000) * 1):eval(); %s
spin = %s
%s spin(a)
lun.use %q
print("goes on", a:sum(), lun.index(4):map(function(x) local n = 0 while n < x do n = n + 1 end return n end):sum())
print("without a", lun.index(4):sum())
]]):format(backend, before or "", body, shell.interrupts_itself(50), after or stops(backend) and backend or "openmp"))
    file:close()
    local pipe = assert(io.popen(("%s LUNARRAY_JIT=sync timeout -s KILL 300 %s/lunarray -i <%s 2>&1"):format(
        environment or "", build, lines)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(lines)
    return text
end

describe("a Lua function that never ends", function()
    local bodies = {
        ["where elements go their own ways"] =
            "function(a) a:map(function(x) local n = 0.5 while n < x + 1 do n = n * 0.5 end return n end):eval() end",
        ["where all go the same way"] =
            "function(a) local k = 1.5 a:map(function(x) local n = k while n > 0 do n = n + 1.0 end return n + x end):eval() end",
        ["in a combination"] =
            "function(a) a:reduce(function(x, y) local n = x while n == x or n ~= x do n = n + y end return n end):value() end",
    }
    -- the loop is an effect by itself
    bodies["though nothing is used of what the loop computes"] = "function(a) local low, high = 0, 10 "
        .. "a:map(function(x) local y = x while y > low and y <= high do y = y // 1 end return x end):eval() end"
    bodies["in teams, whose threads meet"] = "function(a) local y = lun.zeros(4) "
        .. "lun.teams{league=4, team=3}(function(t) local k = 1 while k > 0 do k = k % 7 + 1 t:barrier() end y[t:block()] = k end) end"
    for name, body in pairs(bodies) do
        for _, backend in ipairs(lun.backends()) do
            it(("is ended by a signal %s, on %s"):format(name, backend), function()
                local text = interrupted(backend, body)
                assert.matches("interrupted", text, 1, true)
                assert.matches("goes on\t5000050000\t10", text, 1, true)
            end)
        end
    end

    it("is ended by a time limit, on every backend", function()
        local path = os.tmpname()
        local file = assert(io.open(path, "w"))
        -- lo and hi are of literals alone, so that they are f32 beside f32 elements and stop moving
        file:write [[
            lun.vector({ 2.0 }, "f32"):map(function(c)
                local lo, hi = 0, 100
                while hi - lo > 1e-9 do
                    local m = (lo + hi) / 2
                    if m * m > c then hi = m else lo = m end
                end
                return lo
            end):eval()
        ]]
        file:close()
        for _, backend in ipairs(lun.backends()) do
            local command = ("timeout 300 %s/lunarray --backend %s --time-limit 0.5 %s 2>&1"):format(build, backend, path)
            local pipe = assert(io.popen(command))
            assert.matches("time limit reached: 0.5 seconds", pipe:read "a", 1, true)
            pipe:close()
        end
        os.remove(path)
    end)

    -- A compiler of C may take it that a loop whose condition is not constant ends: none of ours may.
    local ways = { { backend = "openmp", settings = "LUNARRAY_JIT=off" } }
    for _, backend in ipairs(lun.backends()) do
        ways[#ways + 1] = { backend = backend, settings = "LUNARRAY_JIT=sync" }
    end
    if os.execute "command -v clang >/dev/null" then
        ways[#ways + 1] = { backend = "openmp", settings = "LUNARRAY_JIT=sync LUNARRAY_CC=clang" }
    end
    local loops = {
        ["whose rounds change nothing"] =
            "a:map(function(x) while x > low and x <= high do x = x // 1 end return x end):eval()",
        ["of which nothing is used"] =
            "a:map(function(x) local y = x while y > low and y <= high do y = y // 1 end return 1 end):eval()",
        ["of one repeat"] = "a:map(function(x) repeat x = x // 1 until x <= low or x > high return x end):eval()",
        ["in a loop over elements"] =
            "lun.each(2, function(i) local x = a[i] while x > low and x <= high do x = x // 1 end b[i] = x end) b:eval()",
    }
    for name, loop in pairs(loops) do
        for _, way in ipairs(ways) do
            it(("is ended by a time limit %s, on %s with %s"):format(name, way.backend, way.settings), function()
                local path = os.tmpname()
                local file = assert(io.open(path, "w"))
                file:write(([[
                    local low, high, b = 0, 100, lun.zeros(2, "i64")
                    local a = lun.vector(GIVEN)
                    %s
                    print "ended"]]):format(loop))
                file:close()
                local function run(given, limit)
                    local pipe = assert(io.popen(("%s timeout 120 %s/lunarray --backend %s %s -e 'GIVEN = {%s}' %s 2>&1"):format(
                        way.settings, build, way.backend, limit, given, path)))
                    local text = pipe:read "a"
                    pipe:close()
                    return text
                end
                assert.equal("ended\n", run("-1, 101", "")) -- from now on the cache has the kernel
                assert.matches("time limit reached: 0.5 seconds", run("-1, 7", "--time-limit 0.5"), 1, true)
                os.remove(path)
            end)
        end
    end

    -- What the loop gives of each dtype where it ends, and that it does not end where an element stays between the bounds.
    local kinds = [[
        local low, high, n, d = 0, 100, #GIVEN, DTYPE
        local a, ones, bounds = lun.vector(GIVEN, d), lun.ones(n, d), lun.vector({ 0, 100 }, d)
        local kinds = {
            map = function()
                return a:map(function(x) while x > low and x <= high do x = x // 1 end return x end)
            end,
            zip = function()
                return lun.zip(function(x, y) while x > low and x <= high do x = x // y end return x end)(a, ones)
            end,
            bounds = function()
                return a:map(function(x) while x > bounds[1] and x <= bounds[2] do x = x // 1 end return x end)
            end,
            reduce = function()
                return a:reduce(function(x, y) while x > low and x <= high do x = x // 1 end return x + y end):reshape(1)
            end,
            each = function()
                local b = lun.zeros(n, d):copy()
                lun.each(n, function(i) local x = a[i] while x > low and x <= high do x = x // 1 end b[i] = x end)
                return b
            end,
        }
        for name in KINDS:gmatch "%a+" do
            local x = kinds[name]()
            print(name, table.concat(x:cast("f64"):totable(), " "))
        end]]
    local ends = "map\t0.0 101.0 120.0\nzip\t0.0 101.0 120.0\nbounds\t0.0 101.0 120.0\nreduce\t221.0\neach\t0.0 101.0 120.0\n"
    for _, way in ipairs(ways) do
        it(("ends for all dtypes or for none, on %s with %s"):format(way.backend, way.settings), function()
            local path = os.tmpname()
            shell.write(path, kinds)
            local function run(dtype, given, names, limit)
                return (shell.capture(("%s timeout 120 %s/lunarray --backend %s %s -e 'DTYPE, GIVEN, KINDS = \"%s\", {%s}, \"%s\"' %s 2>&1")
                    :format(way.settings, build, way.backend, limit, dtype, given, names, path)))
            end
            for dtype, stays in pairs { u8 = "each", i32 = "map", u64 = "zip", f16 = "bounds", f64 = "reduce" } do
                if way.backend ~= "opencl" or dtype ~= "f64" then -- which not every device has
                    assert.equal(ends, run(dtype, "0, 101, 120", "map zip bounds reduce each", ""), dtype)
                    assert.matches("time limit reached: 0.5 seconds", run(dtype, "7, 120, 3", stays, "--time-limit 0.5"), 1, true)
                end
            end
            os.remove(path)
        end)
    end

    it("is over where all that are left return from a loop in a loop", function()
        local code = [[
            local stop = 2
            local f = function(x, k)
                local y = x
                if x < k then
                    repeat
                        for _ = 1.0, 3 do
                            y = y + 1
                            if stop ~= 1 then return y end
                        end
                    until y ~= 1.0
                end
                return y
            end
            local a, want = {}, {}
            for k = 1, 200 do
                a[k] = k % 7 + 100.0
                want[k] = f(a[k], k)
            end
            local got = lun.zip(f)(lun.vector(a), lun.index(200))
            for k = 1, 200 do
                assert(got[k] == want[k])
            end
            print "the same"]]
        local pipe = assert(io.popen(("LUNARRAY_JIT=sync timeout -s KILL 300 %s/lunarray -e '%s'"):format(
            build, code)))
        assert.equal("the same\n", pipe:read "a")
        pipe:close()
    end)

    it("does not go on past a division by zero", function()
        for _, backend in ipairs(lun.backends()) do
            lun.use(backend)
            local bad = lun.vector({ 1, 0 }):map(function(x)
                while true do
                    local y = 7 // x
                    if y > 0 then return y end
                end
            end)
            local ok, e = pcall(bad.totable, bad)
            assert.is_false(ok)
            assert.equal("attempt to perform 'n//0'", e.message)
        end
        lun.use(lun.backends()[1])
    end)
end)

describe("a C function that never ends", function()
    local bodies = {
        ["in a while"] = "double f(double x) { double n = 0.5; while (n < x + 1) n *= 0.5; return n; }",
        ["in a for without a condition"] = "long f(long i) { for (;;) { if (i < 0) break; i = i * 3 & 255; } return i; }",
        ["in a do"] = "long f(long i) { long n = 0; do n = n * 3 & 255; while (n >= 0); return n + i; }",
        ["in a helper"] = [[static void fill(int *t, int n) { for (int k = 0; k < 8; k++) do t[k] = k; while (n > 0); }
            long f(long i) { int t[8]; fill(t, (int)i); return t[7]; }]],
        ["by goto"] = "long f(long i) { volatile long n = 2 * i; again: n += 2; if (n) goto again; return n; }",
        ["by goto out of a loop"] = [[long f(long i) { volatile long n = i;
            again: for (int k = 0; k < 8; k++) if (n++ > 0) goto again; return n; }]],
        ["of a macro"] = "#define FOREVER for (;;)\nlong f(long i) { FOREVER if (i < 0) break; else i = i * 3 & 255; return i; }",
        ["of a macro in a helper"] = [[
            #define UNTIL(c) while (!(c))
            static long fill(long n) { UNTIL(n < 0) n = n * 3 & 255; return n; }
            long f(long i) { return fill(i); }]],
        ["for 10^8 rounds an element"] =
            "long f(long i) { long x = i; for (long k = 0; k < 100000000; k++) x = (x * 31) ^ k; return x; }",
    }
    for _, backend in ipairs(lun.backends()) do
        for name, text in pairs(bodies) do
            if backend == "opencl" and stops(backend) or backend ~= "opencl" and name ~= "for 10^8 rounds an element" then
                it(("is ended by a signal %s, on %s"):format(name, backend), function()
                    local said = interrupted(backend, ("function(a) a:map [[%s]]:eval() end"):format(text))
                    assert.matches("interrupted", said, 1, true)
                    assert.matches("goes on\t5000050000\t10", said, 1, true)
                end)
            end
        end
    end
    if not stops "opencl" then
        return -- no such device here
    end

    -- of a processor it is known that kernels see what the host writes: here it is tried
    for _, form in ipairs { "vector", "scalar" } do
        it("is ended by a signal where that was tried, in form " .. form, function()
            local said = interrupted("opencl", ("function(a) a:map [[%s]]:eval() end"):format(
                bodies["for 10^8 rounds an element"]), "opencl", nil,
                "LUNARRAY_OPENCL_STOP=probe LUNARRAY_OPENCL_FORM=" .. form)
            assert.matches("interrupted", said, 1, true)
            assert.matches("goes on\t5000050000\t10", said, 1, true)
        end)
    end

    it("leaves its device where kernels see nothing of what the host writes", function()
        local said = interrupted("opencl", "function(a) f(a, 1):eval():sum() end", "openmp",
            "f = lun.map 'long f(long i, long k) { volatile long n = 2 * i; do n += 2; while (k && n);"
            .. " return n; }' f(a, 0):eval()",
            ("LUNARRAY_OPENCL_STOP=probe LUN_TEST_CL=deaf LD_LIBRARY_PATH=%s/tests/shim"):format(build))
        assert.matches("interrupted", said, 1, true)
        assert.matches("can no longer be used", said, 1, true)
        assert.matches("without a\t10", said, 1, true)
    end)
end)
