-- A long first run of a kernel begins interpreted and goes on compiled: with the same bits, for every kind of kernel.
local shell = require "shell"

local BUILD = os.getenv "BUILD" or "build"

-- The interpreter takes seconds for it on two threads, a fraction of a second for each chunk; the second run is compiled
-- from its first element on.
local script = [[
    local wave = lun.map(function(c, rounds)
        local x = c
        for _ = 1, rounds do
            x = x * x + c
            if x > 4 then x = x - 4 end
        end
        return x
    end)
    local path = ...
    local c = lun.linspace(-1.5, 0.25, 1500000):eval()
    assert(lun.save(path, c))
    local kinds = {
        map = function() return wave(c, 4000) end,
        reduce = function() return wave(c, 4000):lazy "sum" end,
        own = function() return wave(c, 4000):reduce(function(p, q) return p * 0.5 + q * 0.5 end) end,
        scan = function() return wave(c, 4000):scan("+", 0) end,
        file = function() return wave(assert(lun.open(path)), 4000) - 1 end,
    }
    local make = kinds[KIND]
    local function run()
        lun.stats "reset"
        local x = lun.eval(make())
        local s = lun.stats()
        print(s.launches, s.interpreted, s.overtaken)
        return x
    end
    local first, second = run(), run()
    print(type(first) == "number" and first == second or first:ne(second):count() == 0)
]]

describe("a kernel that is compiled while it runs", function()
    local directory

    setup(function()
        directory = shell.scratch()
        -- The compiler waits for the interpreter, so that no run begins with what it makes, and halts it while it compiles,
        -- so that no run has ended before: however long either takes on a busy machine.
        local compiler = shell.write(directory .. "/cc", "#!/bin/sh\n" .. shell.computing("$PPID", 10)
            .. "\nkill -STOP $PPID\ncc \"$@\"\nstatus=$?\nkill -CONT $PPID\nexit $status\n")
        assert(os.execute("chmod +x " .. compiler))
    end)

    teardown(function()
        shell.discard(directory)
    end)

    for _, kind in ipairs { "map", "reduce", "own", "scan", "file" } do
        it("goes on with what the compiler has made: " .. kind, function()
            local path = shell.write(directory .. "/script.lua", (script:gsub("KIND", ("%q"):format(kind))))
            local pipe = assert(io.popen(("LUNARRAY_BACKEND=openmp LUNARRAY_THREADS=2 LUNARRAY_JIT= LUNARRAY_CC='%s/cc' "
                .. "LUNARRAY_CACHE_DIR= timeout 800 %s/lunarray %s %s/data.npy 2>&1"):format(directory, BUILD, path, directory)))
            local text = pipe:read "a"
            pipe:close()
            assert.equal("1\t1\t1\n1\t0\t0\ntrue\n", text)
        end)
    end
end)
