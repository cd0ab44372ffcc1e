-- Backends of other libraries: build/example.so beside those of the build, in sets with them, what is refused and why.
local BUILD = os.getenv "BUILD" or "build"
local HERE = assert(io.popen "pwd"):read "l"
local SO = BUILD:sub(1, 1) == "/" and BUILD .. "/example.so" or HERE .. "/" .. BUILD .. "/example.so"

-- What a script prints, with its errors.
local function run(script, settings, options)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(script)
    file:close()
    local pipe = assert(io.popen(("%s %s/lunarray %s %s 2>&1"):format(settings, BUILD, options or "", path)))
    local out = pipe:read "a"
    pipe:close()
    os.remove(path)
    return out
end

-- Sums in lanes and along axes, one by a function, a scan, a sort, a choice, a product, a loop, what is padded, traps, parts.
local PROGRAM = [[
local function work()
    local out = {}
    local function add(x)
        out[#out + 1] = type(x) == "number" and ("%a"):format(x) or tostring(x)
    end
    local a = lun.range(1, 40000)
    local b = a * 2.5 + 1
    add((b / 3):sum())
    add((b * 1.1):mean())
    add(b:argmax())
    add((b * 1e-5):prod())
    add(lun.sin(b):sum())
    add((b / 7):scan("+")[30001])
    add((b / 7):reduce(function(x, y) return x + y * 1.5 end, 0):value())
    local m = (a / 3):reshape(200, 200)
    add(m:sum(1)[3])
    add(m:sum(2)[5])
    add((m:transpose() + m)[7][9])
    add(lun.matmul(m, m)[11][12])
    add((-b):sort()[3])
    add(lun.where(b:gt(500), b, -b):sum())
    add(b:shift(1)[17])
    add(lun.map(function(x) local s = 0.0 for i = 1, 5 do s = s + x * i end return s end)(b)[9])
    add(a:cast("u8"):sum())
    add(tostring(select(2, pcall(function() return (a // (a - 777)):sum() end))):match "n//0")
    local c = lun.zeros(1000)
    lun.each(1000, function(i) c[i] = i * 0.5 end)
    add(c:sum())
    return table.concat(out, " ")
end
for _, places in ipairs(PLACES) do
    lun.use(places)
    print((select(2, pcall(work))))
end
]]

describe("a plug-in", function()
    it("has the bits of all backends, alone and in sets", function()
        local places = { "reference", "openmp", "example", "example:2", "example:*", "example:1/3", "openmp, example:1",
            "example:2, openmp" }
        local list = "local PLACES = { '" .. table.concat(places, "', '") .. "' }\n"
        local lines = {}
        for line in run(list .. PROGRAM, "LUNARRAY_PLUGINS=" .. SO):gmatch "[^\n]+" do lines[#lines + 1] = line end
        assert.equal(#places, #lines, table.concat(lines, "\n"))
        assert.truthy(lines[1]:find "^0x", lines[1])
        for k = 2, #lines do assert.equal(lines[1], lines[k], places[k]) end
    end)

    it("runs what it takes itself, and is named as others are", function()
        local out = run([[
            print(lun.use())
            local x = lun.range(1, 1000) * 2
            print(lun.explain(x)[1].source:match "mul" ~= nil)
            lun.stats "reset"
            x:eval()
            print(lun.stats().launches, lun.stats().interpreted)
            for _, d in ipairs(lun.devices()) do if d.backend == "example" then print(d.place) end end
        ]], "LUNARRAY_PLUGINS=" .. SO .. " LUNARRAY_BACKEND=example")
        assert.equal("example\ntrue\n1\t0\nexample:1\nexample:2\n", out)
    end)

    it("moves what explain says it moves", function()
        local out = run([[
            lun.use "openmp, example:1"
            local x = lun.range(1, 10000) * 1.5
            x:eval()
            for _, e in ipairs { x + 1, x:scan "+", (x + 2):sort() } do
                local told = #lun.explain(e).moves
                lun.stats "reset"
                e:eval()
                print(told == lun.stats().moves)
            end
        ]], "LUNARRAY_PLUGINS=" .. SO)
        assert.equal("true\ntrue\ntrue\n", out)
    end)

    it("is not used where it cannot be, and that is said", function()
        local settings = ("LUNARRAY_PLUGINS=nix:/no/where.so:%s:%s/lunarray.so"):format(SO, BUILD)
        local out = run("lun.use 'other'", settings)
        assert.truthy(out:find("available are openmp, opencl, reference, mpi, example;", 1, true), out)
        assert.truthy(out:find("plug-in nix is not used: a path with a / is expected", 1, true), out)
        assert.truthy(out:find("plug-in /no/where.so is not used: ", 1, true), out)
        assert.truthy(out:find("/lunarray.so is not used: it has no function lunarray_backend", 1, true), out)
        out = run("lun.use 'other'", ("LUNARRAY_PLUGINS=%s:%s"):format(SO, SO))
        assert.truthy(out:find("is not used: there is a backend of its name already", 1, true), out)
    end)

    it("of another version is refused with the numbers that differ", function()
        local dir = os.tmpname()
        os.remove(dir)
        local source = [[
            #include <stdint.h>
            static const struct { uint32_t abi, size; const char *name; void *rest[40]; } old = { 5, 24, "old" };
            const void *lunarray_backend(uint32_t abi, const void *host) { (void)abi, (void)host; return &old; }
        ]]
        local file = assert(io.open(dir .. ".c", "w"))
        file:write(source)
        file:close()
        assert.is_true(os.execute(("cc -shared -fPIC -o %s.so %s.c"):format(dir, dir)))
        local out = run("lun.use 'old'", "LUNARRAY_PLUGINS=" .. dir .. ".so")
        os.remove(dir .. ".c")
        os.remove(dir .. ".so")
        assert.truthy(out:find("another version: interface 00000005, 24 bytes, here %x+, %d+ bytes"), out)
    end)

    it("is never loaded in a sandbox", function()
        local out = run("", "LUNARRAY_PLUGINS=" .. SO, "--sandbox --backend example")
        assert.truthy(out:find("no backend 'example'", 1, true), out)
    end)
end)
