-- Kernels in memory are bounded by number and by bytes: those that were not used for longest go, with what was
-- loaded for them, and come back with the same results. Programs of their own show it, with bounds set low.

-- The program that runs this.
local program = arg[0]
for i = -1, -100, -1 do
    program = arg[i] or program
end
local sanitized = program:find "/asan/" or program:find "/tsan/"

-- What every program begins with: shapes, told by the bits of a number, and what they give for element 3.
local HEAD = [[
local lun = require "lunarray"
local a = lun.vector { 1, 2, 3, 4 }
local function shape(i)
    local e = a
    for bit = 0, 12 do
        if i >> bit & 1 == 1 then e = e * 3 + a else e = e + a end
    end
    return e
end
local function expected(i)
    local x = 3
    for bit = 0, 12 do
        if i >> bit & 1 == 1 then x = x * 3 + 3 else x = x + 3 end
    end
    return x
end
local function check(i)
    local got = shape(i):eval()[3]
    assert(got == expected(i), ("shape %d: %s instead of %s"):format(i, got, expected(i)))
end
local function from_proc(name, pattern)
    local file = assert(io.open("/proc/self/" .. name))
    local text = file:read "a"
    file:close()
    return tonumber(text:match(pattern)) or select(2, text:gsub("\n", "\n"))
end
local function resident() return from_proc("status", "VmRSS:%s*(%d+) kB") / 1024 end
local function maps() return from_proc("maps", "^$") end
]]

local directory

-- What a program of that text prints; fails where it fails.
local function run(environment, script)
    local path = directory .. "/script.lua"
    local file = assert(io.open(path, "w"))
    file:write(HEAD, script)
    file:close()
    local pipe = assert(io.popen(("env LUNARRAY_BACKEND=openmp LUNARRAY_CACHE_DIR='%s' %s timeout 600 '%s' %s 2>&1; echo =$?"):format(
        directory, environment, program, path)))
    local text = pipe:read "a"
    pipe:close()
    local said, status = text:match "^(.*)=(%d+)\n$"
    assert.equal("0", status, said)
    return said
end

describe("kernels in memory", function()
    before_each(function()
        local pipe = assert(io.popen "mktemp -d")
        directory = pipe:read "l"
        pipe:close()
    end)
    after_each(function()
        os.execute(("rm -r '%s'"):format(directory))
    end)

    it("are as many as LUNARRAY_KERNELS says, and come back right", function()
        for _, backend in ipairs { "openmp", "reference" } do
            assert.equal("50 1950 ok\n", run("LUNARRAY_JIT=off LUNARRAY_KERNELS=50 LUNARRAY_BACKEND=" .. backend, [[
                for round = 1, 2 do
                    for i = 1, 1000 do check(i) end
                end
                local s = lun.stats()
                print(s.kernels, s.kernels_dropped, s.kernel_bytes > 0 and s.kernel_bytes < 6e5 and "ok" or s.kernel_bytes)
            ]]):gsub("\t", " "))
        end
    end)

    it("that were used last stay", function()
        assert.equal("191", run("LUNARRAY_JIT=off LUNARRAY_KERNELS=10", [[
            lun.stats "reset"
            for i = 1, 100 do
                check(5)
                check(1000 + i)
                check(2000 + i)
            end
            for i = 97, 100 do check(1000 + i) check(2000 + i) end
            io.write(lun.stats().kernels_dropped)
        ]]))
    end)

    it("take no more than LUNARRAY_KERNEL_MEMORY", function()
        if sanitized then
            return -- a sanitizer keeps freed memory
        end
        local bytes, dropped, grown = run("LUNARRAY_JIT=off LUNARRAY_KERNEL_MEMORY=1", [[
            for i = 1, 1000 do check(i) end
            local before = resident()
            for i = 1, 8000 do check(i) end
            local s = lun.stats()
            print(s.kernel_bytes, s.kernels_dropped, resident() - before)
        ]]):match "(%S+)\t(%S+)\t(%S+)"
        assert.is_true(tonumber(bytes) <= 1000000, bytes)
        assert.is_true(tonumber(dropped) > 8000, dropped)
        assert.is_true(tonumber(grown) < 3, grown) -- without a bound 40 MB
    end)

    it("of plain functions are bounded as well", function()
        if sanitized then
            return -- a sanitizer keeps freed memory
        end
        local dropped, grown = run("LUNARRAY_JIT=off LUNARRAY_KERNELS=100", [[
            local function work(first, last)
                for i = first, last do
                    local f = load(("return function(x) return x %% 7 + %d * (x // %d) end"):format(i, i + 1))()
                    assert(a:map(f)[3] == f(3))
                end
            end
            work(1, 10000) -- until the allocator's own heaps have their size
            collectgarbage()
            local before = resident()
            work(10001, 14500)
            collectgarbage()
            print(lun.stats().kernels_dropped, resident() - before)
        ]]):match "(%S+)\t(%S+)"
        assert.is_true(tonumber(dropped) > 5000, dropped)
        assert.is_true(tonumber(grown) < 6, grown)
    end)

    it("are unloaded, and taken from disk when they are needed again", function()
        local said = run("LUNARRAY_JIT=sync LUNARRAY_KERNELS=4", [[
            check(1)
            local before = maps()
            for round = 1, 3 do
                for i = 1, 20 do check(i) end
            end
            local s = lun.stats()
            print(s.compiles, s.cache_hits, s.kernels, s.interpreted, maps() - before)
        ]])
        local compiles, hits, kernels, interpreted, more = said:match "(%S+)\t(%S+)\t(%S+)\t(%S+)\t(%S+)"
        assert.same({ "20", "40", "4", "0" }, { compiles, hits, kernels, interpreted })
        assert.is_true(tonumber(more) < 30, more) -- four for each of four, and some for threads and heap
    end)

    it("are given up beside a compiler that works in the background", function()
        run("LUNARRAY_JIT=auto LUNARRAY_KERNELS=3", [[
            repeat -- what never comes is ended from outside
                for i = 1, 12 do
                    for _ = 1, 4 do check(i) end
                end
            until lun.stats().compiles >= 2 and lun.stats().cache_hits >= 8
            assert(lun.stats().kernels <= 3 + 8)
        ]])
    end)

    it("can go while an explanation, a recording and several backends refer to what they did", function()
        run("LUNARRAY_JIT=sync LUNARRAY_KERNELS=1", [[
            local e, f = shape(3), shape(4)
            local plan = lun.explain(e)
            lun.eval(f, a:sqrt():lazy "sum")
            lun.profile(function()
                for i = 1, 4 do
                    lun.use(i % 2 == 0 and "reference" or "openmp")
                    check(i) check(i + 1)
                end
            end)
            assert(plan[1].source:find "lun_kernel" and e[3] == expected(3) and f[3] == expected(4))
        ]])
    end)

    it("of engines in a sandbox are kept in an eighth of the memory limit", function()
        if sanitized then
            return -- a sanitizer's own tables need the address space
        end
        local script = HEAD:gsub('local lun = require "lunarray"\n', ""):gsub("local function from_proc.*$", "") .. [[
            for i = 1, 8000 do check(i) end
            print(lun.stats().kernel_bytes)
        ]]
        local path = directory .. "/sandboxed.lua"
        local file = assert(io.open(path, "w"))
        file:write(script)
        file:close()
        local pipe = assert(io.popen(("env LUNARRAY_JIT=off LUNARRAY_CACHE_DIR= sh -c 'ulimit -v %d; exec \"%s\" --sandbox "
            .. "--backend reference --memory-limit 8 %s' 2>&1"):format(200000, program, path)))
        local bytes = tonumber(pipe:read "a")
        pipe:close()
        assert.is_true(bytes and bytes > 100000 and bytes <= 1000000, bytes)
    end)

    it("can be compiled before anything runs", function()
        run("LUNARRAY_JIT=auto", [[
            local e, f = shape(3), shape(4):lazy "sum"
            local g = shape(5) / shape(6):lazy "max" -- two kernels
            local before = lun.stats()
            assert(lun.prepare(e, f, g) == true)
            assert(lun.prepare(e, f, g) == true and lun.prepare(a, 3, true) == true and lun.prepare() == true)
            local s = lun.stats()
            assert(s.launches == before.launches and s.compiles > 0 and s.compiles <= 4)
            lun.eval(e, f, g)
            assert(e[3] == expected(3) and f:value() > 0 and g[3] > 0)
            assert(lun.prepare(shape(3)) == true) -- alone it is another kernel than with the others
            s = lun.stats()
            local b = lun.vector { 5, 6, 7, 8, 9, 10 }
            local function other() local x = b for bit = 0, 12 do
                if 3 >> bit & 1 == 1 then x = x * 30 + b else x = x + b end end return x end
            other():eval()
            assert(lun.stats().interpreted == 0 and lun.stats().compiles == s.compiles)
        ]])
        for environment, words in pairs { ["LUNARRAY_JIT=off"] = "LUNARRAY_JIT=off",
            ["LUNARRAY_CC=/no/such/cc"] = "LUNARRAY_CC", ["LUNARRAY_CC=/bin/false"] = "exit status 1" } do
            local said = run(environment, [[
                local e = shape(3)
                for _ = 1, 2 do print(lun.prepare(e)) end
                print(e[3] == expected(3), lun.stats().interpreted, lun.prepare(e))
            ]])
            local first, second, third = said:match "([^\n]*)\n([^\n]*)\n([^\n]*)\n"
            assert.matches("^nil\t.*\tEBUILD$", first)
            assert.truthy(first:find(words, 1, true), said)
            assert.equal(first, second)
            assert.equal("true\t1\ttrue", third)
        end
        assert.equal("nil\tEBUILD\ttrue\n", run("LUNARRAY_JIT=sync", [[
            local here = debug.getinfo(1, "l").currentline + 1
            local result, message, code = lun.prepare(a:map "(double x) { return no_such_thing(x); }")
            print(result, code, message:find(":" .. here .. ": ", 1, true) ~= nil)
        ]]))
    end)

    it("are bounded by numbers that make sense", function()
        for _, name in ipairs { "LUNARRAY_KERNELS", "LUNARRAY_KERNEL_MEMORY", "LUNARRAY_CACHE_SIZE" } do
            for _, value in ipairs { "0", "-1", "many" } do
                local pipe = assert(io.popen(("env %s=%s '%s' -e 'print(1)' 2>&1"):format(name, value, program)))
                local said = pipe:read "a"
                pipe:close()
                assert.truthy(said:find(("%s must be a positive number, not '%s'"):format(name, value), 1, true), said)
            end
        end
    end)
end)
