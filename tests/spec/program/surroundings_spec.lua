-- What surrounds the program may be odd: limits, directories that vanish, signals. It computes the same, a save
-- that fails says so and leaves the old file, and nothing hangs.
local lfs = require "lfs"
local shell = require "shell"

local BUILD = os.getenv "BUILD" or "build"
local directory

local function path_of(name)
    return directory .. "/" .. name
end

-- Runs the program with a script in a file, after shell commands, with a minute at most; gives what it printed, through
-- a pipe, and its status.
local function program(script, before)
    local f = assert(io.open(path_of "script.lua", "w"))
    f:write(script)
    f:close()
    local pipe = assert(io.popen(("{ %s exec timeout -s KILL 300 %s/lunarray %s; } 2>&1"):format(before or "",
        lfs.currentdir() .. "/" .. BUILD, path_of "script.lua")))
    local text = pipe:read "a"
    local _, _, status = pipe:close()
    return text, status
end

-- New kernels, each compiled; what they give, and how often the compiler ran.
local compute = [[
    local sum = 0
    for i = 1, 3 do
        local f = load("return function(x) return x > 0.5 and x * " .. i .. " or " .. i .. " - x end")()
        sum = sum + lun.random(20000, { seed = i }):map(f):sum()
        if between then between(i) end
    end
    print(("%.17g %d"):format(sum, lun.stats().compiles))
]]

local wait = "LUNARRAY_JIT=sync; export LUNARRAY_JIT LUNARRAY_CACHE_DIR;"

-- What `make coverage` counts is written into files at the end of every program.
local counted = BUILD:find "/coverage"

describe("in odd surroundings", function()
    local wanted

    setup(function()
        directory = shell.scratch()
        wanted = program(compute, "LUNARRAY_CACHE_DIR=; LUNARRAY_JIT=off; export LUNARRAY_JIT LUNARRAY_CACHE_DIR;"):match "%S+"
        assert(tonumber(wanted))
    end)

    teardown(function()
        shell.discard(directory)
    end)

    it("a limit on the size of files ends no program", function()
        if counted then
            return
        end
        -- ThreadSanitizer itself writes a file before the program begins
        for blocks = BUILD:find "/tsan" and 16 or 0, 64, 16 do
            local text, status = program(compute, ("ulimit -f %d; LUNARRAY_CACHE_DIR=%s; %s"):format(blocks,
                path_of("limit" .. blocks), wait))
            assert.equal(0, status, text)
            assert.equal(wanted, text:match "^%S+")
        end
    end)

    it("stacks of OpenMP's threads that do not fit leave one thread", function()
        if counted or BUILD:find "san" then -- the sanitizers want terabytes of addresses
            return
        end
        local script = [[
            local a = lun.random(1000000, { seed = 1 }):eval()
            print(("%.17g"):format((a * 2):sum()), (a:scan("+") * 2):sum() > 0)]]
        local one = program(script, "LUNARRAY_THREADS=1; LUNARRAY_CACHE_DIR=; export LUNARRAY_THREADS LUNARRAY_CACHE_DIR;")
        local threads = "LUNARRAY_THREADS=4; LUNARRAY_CACHE_DIR=; export LUNARRAY_THREADS LUNARRAY_CACHE_DIR;"
        for _, size in ipairs { "OMP_STACKSIZE=2G", "OMP_STACKSIZE=' 2097152 '", "OMP_STACKSIZE='2048 m'",
            "GOMP_STACKSIZE=2g", "OMP_STACKSIZE=100000G", "OMP_STACKSIZE=9999999999999G", "OMP_STACKSIZE=1x",
            "OMP_STACKSIZE=64K" } do
            local text, status = program(script, ("ulimit -v 3000000; export %s; %s"):format(size, threads))
            assert.equal(0, status, size .. ": " .. text)
            assert.equal(one, text:match "[^\n]*\n$", size) -- libgomp says on standard error what it refuses
        end
    end)

    it("a save beyond such a limit is told and leaves the old file", function()
        if counted then
            return
        end
        local text, status = program(([[
            for _, name in ipairs { "a.npy", "a.csv", "a.raw", "a.pgm" } do
                local path, small = %q .. name, lun.full({ 2, 2 }, 7, "u8")
                local large = lun.full({ 500, 500 }, 9, "u8")
                if name == "a.csv" then
                    small, large = { x = lun.ones(2) }, { x = lun.ones(100000) }
                end
                assert(lun.save(path, small))
                local f = io.open(path, "rb")
                local before = f:read "a"
                f:close()
                print(lun.save(path, large))
                f = io.open(path, "rb")
                assert(f:read "a" == before)
                f:close()
            end
            print(lun.ones(3):sum())]]):format(path_of ""), "ulimit -f 8;")
        assert.equal(0, status, text)
        assert.equal(4, select(2, text:gsub("nil\t[^\n]*File too large\t27\n", "")), text)
        assert.matches("3.0\n$", text)
        for name in lfs.dir(directory) do
            assert.is_nil(name:find "^%.lunarray") -- what was written is removed
        end
    end)

    it("a cache directory that is removed meanwhile is made again", function()
        local cache = path_of "removed"
        local text, status = program(("function between(i) if i < 3 then os.execute 'rm -rf %s' end end\n%s"):format(cache,
            compute), ("LUNARRAY_CACHE_DIR=%s; %s"):format(cache, wait))
        assert.equal(0, status, text)
        assert.equal(wanted .. " 3\n", text)
        assert.equal("directory", lfs.attributes(cache, "mode"))
        assert.equal(wanted, program(compute, ("LUNARRAY_CACHE_DIR=%s; %s"):format(cache, wait)):match "%S+")
    end)

    it("a directory that takes no files is no cache", function()
        for _, path in ipairs { "/proc", "/dev/null", "/proc/self/nosuch", path_of "script.lua/x", "/proc/" .. ("x"):rep(300) } do
            local text, status = program(compute, ("LUNARRAY_CACHE_DIR=%s; %s"):format(path, wait))
            assert.equal(0, status, text)
            assert.equal(wanted .. " 3\n", text)
        end
    end)

    it("a system without /dev/null has a compiler nonetheless", function()
        if shell.interpreter():find "/tsan/" then
            print "left out: a system without /dev/null: clang's OpenMP runtime needs /dev/shm"
            return
        end
        if counted or not os.execute "unshare -m true 2>/dev/null" then
            pending "needs to be root, for a /dev of its own"
            return
        end
        local script = shell.write(path_of "dev.lua", compute)
        local text = shell.capture(([[unshare -m sh -c "mount -t tmpfs none /dev && %s LUNARRAY_CACHE_DIR= exec '%s/%s/lunarray' %s" 2>&1]])
            :format("LUNARRAY_JIT=sync", lfs.currentdir(), BUILD, script))
        assert.equal(wanted .. " 3\n", text)
    end)

    it("a working directory that is gone does not matter", function()
        local text, status = program(compute, ("mkdir %s; cd %s; rmdir %s; LUNARRAY_CACHE_DIR=; %s"):format(path_of "gone",
            path_of "gone", path_of "gone", wait))
        assert.equal(0, status, text)
        assert.equal(wanted, text:match "^%S+")
    end)
end)
