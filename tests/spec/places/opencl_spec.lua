-- Backend opencl as a script sees it: the same results as on the processor, what moves and what does not,
-- which devices there are, and what is said when something is missing or fails.

local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local BUILD = os.getenv "BUILD" or "build"

-- Small enough for a device that is simulated.
local N = 1000

local scratch

-- A simulated device is thousands of times slower than any other.
local simulated = false
for _, d in ipairs(lun.devices()) do
    simulated = simulated or d.backend == "opencl" and d.name:find "Oclgrind" ~= nil
end

local function quote(text)
    return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- Runs the program with a script; gives what it printed, both ways, and its status.
local function program(environment, script, options)
    local pipe = assert(io.popen(("env %s %s/lunarray %s -e %s 2>&1; echo $?"):format(environment, BUILD,
        options or "", quote(script))))
    local text = pipe:read "a"
    pipe:close()
    local output, status = text:match "^(.-)(%d+)\n$"
    return output, tonumber(status)
end

-- Runs f with a backend in use, and goes back to the one before.
local function on(backend, f, ...)
    local before = lun.use()
    lun.use(backend)
    local results = table.pack(pcall(f, ...))
    lun.use(before)
    if not results[1] then
        error(results[2], 0)
    end
    return table.unpack(results, 2, results.n)
end

-- What moved while f ran: bytes to the device, bytes back.
local function moved(f)
    local before = lun.stats()
    f()
    local after = lun.stats()
    return after.bytes_to_device - before.bytes_to_device, after.bytes_to_host - before.bytes_to_host
end

setup(function()
    local pipe = assert(io.popen "mktemp -d")
    scratch = pipe:read "l"
    pipe:close()
end)

teardown(function()
    os.execute(("rm -rf '%s'"):format(scratch))
end)

-- ---------------------------------------------------------------- results

-- Each makes its arrays anew and gives arrays or numbers.
local expressions = {
    ["arithmetic"] = function()
        local a, b = lun.range(1, N), lun.linspace(0, 1, N)
        return a + b * 2, (a - b) ^ 2, a // 7, a % 7, -b
    end,
    ["dtypes"] = function()
        local a = lun.index(N)
        return a:cast "u8" + 1, a:cast "i16" * a:cast "u8", a:cast "f32" / 3, a:gt(500):land(a:lt(700))
    end,
    ["functions"] = function()
        local x = lun.linspace(-3, 3, N)
        return x:abs():sqrt(), x:floor(), x:trunc(), lun.where(x:gt(0), x, 0), x:max(1), x:copysign(-1)
    end,
    ["reductions"] = function()
        local a = lun.index(N)
        return a:sum(), a:max(), a:min(), a:argmax(), a:prod(), (a % 3):eq(0):count(), a:mean()
    end,
    ["a dot product"] = function()
        local a, b = lun.index(N):cast "f32", lun.index(N):cast "f32" % 10
        return a:dot(b)
    end,
    ["scans"] = function()
        local a = lun.index(N)
        return lun.scan("+", 0)(a), lun.scan("max", 0, { inclusive = true })((a * 7919) % 1000)
    end,
    ["random elements"] = function()
        return lun.random(N, { seed = 7 }), lun.random(N, { seed = 8, dtype = "f32" })
    end,
    ["a Lua function with a loop"] = function()
        return lun.index(N):map(function(x)
            local steps = 0
            while x ~= 1 and steps < 50 do
                if x % 2 == 0 then x = x // 2 else x = 3 * x + 1 end
                steps = steps + 1
            end
            return steps
        end)
    end,
    ["a Lua function that indexes an array"] = function()
        local w = lun.index(10) * 3
        return lun.index(N):map(function(i) return w[i % 10 + 1] end)
    end,
    ["a function in C"] = function()
        local saxpy = lun.zip "(float x, float y, float a) { return a * x + y; }"
        return saxpy(lun.index(N), lun.index(N), 2.5)
    end,
    ["a reduction by a Lua function"] = function()
        return lun.index(N):reduce(function(x, y) return (x + y) % 1009 end, 0):value()
    end,
    ["no elements"] = function()
        local none = lun.zeros(0)
        return none + 1, none:sum(), (none:gt(1)):any()
    end,
    ["one element"] = function()
        return lun.full(1, 5) * 2, lun.full(1, 5):sum()
    end,
    ["a View"] = function()
        return lun.vector { { 1, 2, 3 }, { 4, 5, 6 } } * 2
    end,
    ["parts of arrays"] = function()
        local a = lun.index(N):eval()
        return a:sub(10, 20) + a:sub(110, 120), a:sub(-5, -1), a:sub(1, N, 7) * 2, a:sub(3, 9) .. a:sub(1, 4)
    end,
}

-- A result in a form that can be compared.
local function plain(x)
    if type(x) == "userdata" then
        return table.concat({ x:dtype(), table.concat({ x:shape() }, "x"), x:tobytes() }, " ")
    end
    return math.type(x) == "float" and ("%a"):format(x) or tostring(x)
end

local function results_of(make, backend)
    return on(backend, function()
        local list = table.pack(make())
        for i = 1, list.n do
            list[i] = plain(list[i])
        end
        return list
    end)
end

describe("backend opencl computes what backend reference computes:", function()
    for name, make in pairs(expressions) do
        it(name, function()
            local backend = name == "a function in C" and "openmp" or "reference"
            local wanted, got = results_of(make, backend), results_of(make, "opencl")
            assert.equal(wanted.n, got.n)
            for i = 1, wanted.n do
                assert.is_true(wanted[i] == got[i], "result " .. i .. " differs")
            end
        end)
    end
end)

-- ---------------------------------------------------------------- what moves

describe("data", function()
    it("moves once for ten uses", function()
        on("opencl", function()
            local a = lun.vector(lun.index(N):totable(), "f32")
            local there, back = moved(function()
                for k = 1, 10 do
                    (a * k):eval()
                end
            end)
            assert.equal(4 * N, there)
            assert.equal(0, back)
        end)
    end)

    it("moves in once and back never for a dot product", function()
        on("opencl", function()
            local t = lun.index(N):totable()
            local a, b = lun.vector(t, "f32"), lun.vector(t, "f32")
            local there, back = moved(function() assert.equal(N * (N + 1) * (2 * N + 1) // 6, a:dot(b) // 1) end)
            assert.equal(8 * N, there)
            assert.equal(0, back)
        end)
    end)

    it("does not move between skeletons", function()
        on("opencl", function()
            local a = lun.random(N):eval()
            local there, back = moved(function()
                local scanned = lun.scan("+", 0)(a):eval()
                local again = lun.scan("max", 0)(scanned * 2):eval()
                local total = lun.reduce("+", 0)(again + a)
                assert.is_true(total:value() > 0)
            end)
            assert.equal(0, there)
            assert.equal(0, back)
        end)
    end)

    it("moves back when it is looked at, and only what is looked at", function()
        on("opencl", function()
            local a = (lun.index(N) + 1):eval()
            local _, back = moved(function() assert.equal(N + 1, a[N]) end)
            assert.equal(8, back)
            _, back = moved(function() a:totable() end)
            assert.is_true(back <= 8 * N)
        end)
    end)

    it("moves again after a write", function()
        on("opencl", function()
            local a = lun.vector(lun.index(N):totable(), "f64")
            assert.equal(N * (N + 1) / 2, a:sum())
            a[1] = 100
            local there = moved(function() assert.equal(N * (N + 1) / 2 + 99, a:sum()) end)
            assert.equal(8 * N, there)
        end)
    end)

    it("on different devices meets in one expression", function()
        local a = on("opencl", function() return (lun.index(N) * 2):eval() end)
        local b = on("openmp", function() return (lun.index(N) * 3):eval() end)
        for _, backend in ipairs { "opencl", "openmp", "reference" } do
            on(backend, function()
                expect.elements((lun.index(N) * 5):totable(), a + b)
            end)
        end
    end)
end)

describe("an array says where its elements are:", function()
    local function title(a)
        return tostring(a):match "^[^\n]*"
    end

    it("on the device that computed them", function()
        local a = on("opencl", function() return (lun.index(N) * 2):eval() end)
        assert.equal("opencl", a:backend())
        on("openmp", function()
            assert.matches(" opencl$", title(a))
            local b = (a + 1):eval()
            assert.matches(" openmp$", title(b))
            assert.matches(" openmp$", title(a)) -- it came along
        end)
        on("opencl", function() assert.matches(" opencl$", title(a)) end) -- and is still there
    end)

    it("in host memory, until a device needs them", function()
        on("opencl", function()
            local a = lun.vector(lun.index(N):totable())
            assert.matches(" host$", title(a))
            local sum = a:sum()
            assert.equal(N * (N + 1) // 2, sum)
            assert.matches(" opencl$", title(a))
            a[1] = 5
            assert.matches(" host$", title(a))
            assert.matches(" opencl %(1 operation waiting%)$", title(a + 1))
        end)
    end)
end)

-- ---------------------------------------------------------------- devices

describe("devices", function()
    it("are listed with what they are", function()
        local found = 0
        for _, d in ipairs(lun.devices()) do
            if d.backend == "opencl" then
                found = found + 1
                assert.is_true(#d.name > 0 and d.memory > 0 and d.units > 0)
                assert.is_true(d.kind == "gpu" or d.kind == "cpu" or d.kind == "accelerator")
            end
        end
        assert.is_true(found > 0)
    end)

    it("are used by number", function()
        on("opencl:1", function()
            assert.equal("opencl:1", lun.use())
            expect.elements({ 2, 4, 6 }, lun.index(3) * 2)
        end)
        expect.failure("no device 99", lun.use, "opencl:99")
        expect.elements({ 2, 4, 6 }, lun.index(3) * 2)
    end)

    it("are several where the driver has several", function()
        local output = program("POCL_DEVICES='pthread pthread'", [[
            local a = lun.index(10) * 2
            lun.use "opencl:2"
            a:eval()
            lun.use "opencl"
            print((a + lun.index(10)):sum())]])
        if not output:find "no device 2" then -- another driver than PoCL
            assert.equal("165\n", output)
        end
    end)

    it("are in --info", function()
        local output, status = program("", "", "--info")
        assert.equal(0, status)
        assert.truthy(output:find ", opencl%)")
    end)
end)

-- ---------------------------------------------------------------- who asks drivers

-- The test's library between the program and the drivers writes down who asks for the platforms.
describe("drivers", function()
    local work = [[
        local a = lun.range(1, 300000):eval()
        assert((a * 2 + 1):sum() == 90000600000 and lun.scan("+", 0)(a):max() > 0)]]

    -- The objects that called, one after another.
    local function callers(environment, script, options)
        local path = scratch .. "/callers"
        os.remove(path)
        local output, status = program(("LD_LIBRARY_PATH='%s/tests/shim' LUN_TEST_CL_CALLERS=%s %s"):format(BUILD, path, environment),
            script, options)
        assert.equal(0, status, output)
        local list = {}
        local file = io.open(path)
        for line in file and file:lines() or function() end do
            list[#list + 1] = line
        end
        if file then
            file:close()
        end
        return list
    end

    it("are asked by nobody for work on the processor", function()
        for _, backend in ipairs { "openmp", "reference" } do
            for _, threads in ipairs { 1, 4 } do
                assert.same({}, callers(("LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%d"):format(backend, threads), work))
            end
        end
    end)

    it("are asked by this program alone, once in a process of its own and once here", function()
        for _, environment in ipairs { "LUNARRAY_BACKEND=opencl", "LUNARRAY_BACKEND=openmp" } do
            local list = callers(environment, "lun.devices() lun.backends() " .. work .. " lun.devices()", "")
            assert.equal(2, #list, table.concat(list, " "))
            for _, caller in ipairs(list) do
                assert.truthy(caller:find "/lunarray$", caller)
            end
        end
    end)
end)

-- ---------------------------------------------------------------- what is missing

describe("without OpenCL", function()
    it("nothing of it is loaded", function()
        local output = program("LUNARRAY_BACKEND=openmp", [[
            local a = lun.index(100000) + 1
            local s, b = a:sum(), lun.scan("+", 0)(a):eval()
            for line in io.lines "/proc/self/maps" do
                if line:find "OpenCL" or line:find "pocl" then print(line) end
            end
            print "done"]])
        assert.equal("done\n", output)
    end)

    local reasons = {
        ["no driver"] = { "OCL_ICD_VENDORS=/nonexistent", "no driver is installed" },
        ["a driver that aborts"] = { "LUN_TEST_CL=abort", "crashes" },
        ["a driver that ends the process"] = { "LUN_TEST_CL=exit", "ends the process" },
        ["a driver that hangs"] = { "LUN_TEST_CL=hang LUNARRAY_OPENCL_TIMEOUT=1", "did not answer within 1 second" },
    }
    for name, case in pairs(reasons) do
        it("the program works and says why: " .. name, function()
            local environment = case[1]
            if environment:find "LUN_TEST_CL" then
                environment = ("%s LD_LIBRARY_PATH='%s/tests/shim'"):format(environment, BUILD)
            end
            local output, status = program(environment, [[
                print(pcall(lun.use, "opencl"))
                print(lun.index(10):sum())]])
            assert.equal(0, status)
            assert.truthy(output:find(case[2], 1, true), output)
            assert.truthy(output:find "\n55\n$", output)
            output = program(environment, "", "--info")
            assert.truthy(output:find(case[2], 1, true), output)
        end)
    end

    -- what a device of another kind would be asked to do
    local function pretending(what, script)
        return program(("LUN_TEST_CL=%s LD_LIBRARY_PATH='%s/tests/shim' LUNARRAY_BACKEND=opencl LUNARRAY_CACHE_DIR="):format(
            what, BUILD), script)
    end

    it("a compiler without vectors gets single elements", function()
        local output, status = pretending("plain", [[
            local a = lun.range(1, 5000)
            print((a * 2 + 1):sum(), a:scan("+", 0)[5000], a:map(function(x) while x > 7 do x = x // 2 end return x end):sum())
            print(#lun.explain(a + 1), (a:source "opencl" .. (a + 1):source "opencl"):find "vector_size")]])
        assert.equal(0, status, output)
        local sum = 0
        for x = 1, 5000 do
            while x > 7 do x = x // 2 end
            sum = sum + x
        end
        output = output:gsub("^1 error generated.\n", "") -- PoCL's
        assert.equal(("25010000\t12497500\t%d\n1\tnil\n"):format(sum), output)
    end)

    it("a tile larger than its work-groups is a wish, as any", function()
        local output, status = program("LUNARRAY_OPENCL_FORM=scalar LUNARRAY_BACKEND=opencl", [[
            local B = lun.zeros { 300, 300 }
            lun.each({ 300, 300 }, function(i, j) B[i][j] = i * j end, { tile = { 1024, 128 } })
            print(B:sum() + 0 == (300 * 301 / 2) ^ 2)]])
        assert.equal(0, status, output)
        assert.equal("true\n", output)
    end)

    it("a device without f64 computes the rest, and says what it cannot", function()
        local output, status = pretending("nof64", [[
            local a = lun.range(1, 5000):cast "i32":eval()
            print((a * 2 + 1):sum(), a:max(), a:cast "f32":max() // 1 | 0)
            print(pcall(function() return (a * 0.5):sum() end))
            print(pcall(function() return a:map(function(x) return x / 2 end):eval() end))
            print(pcall(function() return a:cast "f32":map "(float x) { return (double)x * 2; }":sum() end))
            lun.use "openmp"
            print((a * 0.5):sum() // 1 | 0)]])
        assert.equal(0, status, output)
        assert.truthy(output:find("^25010000\t5000\t5000\n"), output)
        assert.equal(3, select(2, output:gsub("\nfalse\t[^\n]*computes in f64, which the device lacks", "")), output)
        assert.truthy(output:find "\n6251250\n$", output)
    end)

    it("a device whose arithmetic is not IEEE's moves elements, and refuses to compute with other bits", function()
        local output, status = pretending("flush", [[
            print(lun.devices()[1].bits, lun.devices()[2].bits)
            lun.use "openmp"
            local a, b = lun.range(1, 5000):cast "f32":eval(), lun.range(1, 5000):eval()
            lun.use "opencl"
            print(a[7] + a:take { 3, 5 }[2], (b * 0.5):sum(), lun.range(1, 9):cast("i32"):sum())
            print(pcall(function() return (a + a):eval() end))
            print(pcall(function() return b:cast "f32":eval() end))
            lun.use "openmp"
            print((a + a)[5000])]])
        assert.equal(0, status, output)
        assert.truthy(output:find("^v1\tnone\n12.0\t6251250.0\t45\n"), output)
        local words = "\nfalse\t[^\n]*it computes in f32, and the device has no subnormal numbers there"
        assert.equal(2, select(2, output:gsub(words, "")), output)
        assert.truthy(output:find "\n10000.0\n$", output)
    end)

    it("a device without fma of doubles says so where f32 is computed in them too", function()
        local output, status = pretending("nofma", [[
            lun.use "openmp"
            local a = lun.range(1, 9):cast "f32":eval()
            lun.use "opencl"
            print(lun.devices()[2].bits, (a + a)[9])
            print(pcall(function() return a:pow(0.3):eval() end))
            print(pcall(function() return (a:cast "f64" + 1):eval() end))]])
        assert.equal(0, status, output)
        assert.truthy(output:find("^none\t18.0\n"), output)
        local words = "\nfalse\t[^\n]*it computes in f64, and the device has no fused multiply%-add there"
        assert.equal(2, select(2, output:gsub(words, "")), output)
    end)

    it("a function with other bits than the host's is refused before it computes anything", function()
        local output, status = pretending("other", [[
            local a = lun.range(1, 9):eval()
            print(a:sin()[1] == lun.sin(1), a:cast "f32":exp()[1] > 2.7)
            local before = lun.stats()
            print(pcall(function() return a:exp():eval() end))
            print(pcall(function() return a:map(function(x) return math.exp(-x) end):eval() end))
            print(lun.stats().launches == before.launches)
            lun.use "openmp"
            print(a:exp()[1] == lun.exp(1))]])
        assert.equal(0, status, output)
        assert.truthy(output:find("^true\ttrue\n"), output)
        assert.equal(2, select(2, output:gsub("\nfalse\t[^\n]*exp of f64 has other bits there than elsewhere %(of ", "")), output)
        assert.truthy(output:find "\ntrue\ntrue\n$", output)
    end)

    it("a broken driver is left out", function()
        os.execute(("mkdir -p %s/vendors && echo /nonexistent/libdriver.so > %s/vendors/broken.icd"):format(scratch,
            scratch))
        local output, status = program("OCL_ICD_VENDORS=" .. scratch .. "/vendors", [[
            print(pcall(lun.use, "opencl"))
            print(lun.index(10):sum())]])
        assert.equal(0, status)
        assert.truthy(output:find "backend opencl cannot be used here", output)
        assert.truthy(output:find "\n55\n$", output)
    end)
end)

-- ---------------------------------------------------------------- failures

describe("a failure on the device", function()
    it("by a division by zero is Lua's error", function()
        on("opencl", function()
            expect.failure("attempt to perform 'n//0'", function()
                (lun.index(N) // (lun.index(N) - 5)):eval()
            end)
            expect.elements({ 1, 2, 3 }, lun.index(3))
        end)
    end)

    it("by an index out of bounds names array and index", function()
        on("opencl", function()
            local w = lun.index(10)
            expect.failure("11", function()
                lun.index(11):map(function(i) return w[i] end):eval()
            end)
            expect.elements({ 1, 2, 3 }, lun.index(3):map(function(i) return w[i] end))
        end)
    end)

    it("of the driver's compiler quotes the user's line", function()
        on("opencl", function()
            local f = lun.map "(float x) { return x * undeclared; }"
            local e = expect.failure("undeclared", function() f(lun.index(3)):eval() end)
            assert.truthy(tostring(e):find "compile")
            expect.elements({ 2, 4, 6 }, lun.index(3) * 2)
        end)
    end)

    it("by its size says the figures", function()
        on("opencl", function()
            expect.failure("bytes exceeds the largest allocation", function() (lun.index(1 << 50) + 1):eval() end)
        end)
    end)

    it("by the number of arrays does not happen", function()
        on("opencl", function()
            local all = lun.vector { 0, 0, 0 }
            for k = 1, 150 do
                all = all + lun.vector { k, 2 * k, 3 * k }
            end
            expect.elements({ 11325, 22650, 33975 }, all)
        end)
    end)
end)

-- ---------------------------------------------------------------- processes

describe("a process", function()
    local script = [[
        local a = lun.index(1000) * 2 + 1
        io.write(a:sum(), " ")
        io.write(lun.stats().compiles, " ", lun.stats().cache_hits, "\n")]]

    it("builds nothing that another has built", function()
        local environment = "LUNARRAY_BACKEND=opencl LUNARRAY_CACHE_DIR=" .. scratch .. "/cache"
        assert.equal("1002000 1 0\n", (program(environment, script)))
        assert.equal("1002000 0 1\n", (program(environment, script)))
    end)

    it("ends well in every way", function()
        local ways = { ["return"] = 0, ["os.exit(true)"] = 0, ["os.exit(false)"] = 1, ["os.exit(3, true)"] = 3,
            ["error 'x'"] = 1 }
        for way, wanted in pairs(ways) do
            local _, status = program("LUNARRAY_BACKEND=opencl", "a = (lun.index(1000) * 2):eval() " .. way)
            assert.equal(wanted, status, way)
        end
    end)

    it("keeps its handling of signals", function()
        local output = program("LUNARRAY_BACKEND=opencl", [[
            local function signals()
                local t = {}
                for line in io.lines "/proc/self/status" do
                    local name, mask = line:match "^(Sig%a+):%s*(%x+)$"
                    if name then -- signals above 31 are the C library's
                        t[#t + 1] = ("%s %x"):format(name, tonumber(mask, 16) & 0x7fffffff)
                    end
                end
                return table.concat(t, "\n")
            end
            local before = signals()
            lun.index(1000):sum();
            (lun.index(1000) + 1):eval()
            print(before == signals() or before .. "\n" .. signals())]])
        assert.equal("true\n", output)
    end)

    it("is stopped by Ctrl-C in a kernel", function()
        if simulated then
            return
        end
        local output = program("LUNARRAY_BACKEND=opencl", [[
            ]] .. shell.interrupts_itself(50) .. [[

            local x = lun.index(1 << 20):map(function(i)
                local x = i
                for k = 1, 1 << 27 do x = (x * 31) ~ k end -- an hour
                return x
            end)
            x:eval()
            print "not stopped"]])
        assert.truthy(output:find "interrupted", output)
        assert.falsy(output:find "not stopped", output)
    end)

    it("is asked for a stop by loops that may take long, and by no others", function()
        local processor
        for _, d in ipairs(lun.devices()) do
            processor = processor or d.backend == "opencl" and d.kind == "cpu"
        end
        if not processor then
            return
        end
        local many, x = 8, lun.vector { 1.5, 2.5 }
        local asks = {
            [function(a) while a < 9 do a = a * 2 end return a end] = true,
            [function(a) for k = 1, 1000 do a = a + k end return a end] = true,
            [function(a) for k = 1, many do a = a + k end return a end] = true,
            [function(a) for k = 1, 20 do for j = 1, 20 do a = a + k * j end end return a end] = true,
            [function(a) for k = 1, 8 do while a < k do a = a * 2 end end return a end] = true,
            [function(a) local k = 0 while true do k = k + 2 if k == 7 then return a + k end end end] = true,
            [function(a) for k = 1, 8 do a = a + k end return a end] = false,
            [function(a) for k = 9, -9, -1 do a = a + k end return a end] = false,
            [function(a) for k = 1, 3 do for j = 1, 3 do a = a + k * j end end return a end] = false,
            [function(a) return a * 2 end] = false,
        }
        for f, wanted in pairs(asks) do
            local text = on("opencl", function() return x:map(f):source() end)
            assert.equal(wanted, text:find("*f->stop", 1, true) ~= nil, text)
        end
    end)
end)
