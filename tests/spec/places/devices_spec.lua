-- Several OpenCL devices as one: what is compiled, what goes by way of the host, failures on one while others work. Four
-- devices of PoCL, in a process of their own.
local lun = require "lunarray"

local BUILD = os.getenv "BUILD" or "build"

local there = false
for _, backend in ipairs(lun.backends()) do there = there or backend == "opencl" end

local function scratch()
    local path = os.tmpname()
    os.remove(path)
    return path
end

-- What a script prints on four devices.
local function run(script, settings)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(script)
    file:close()
    local pipe = assert(io.popen(("POCL_DEVICES='pthread pthread pthread pthread' %s %s/lunarray --backend 'opencl:*' %s 2>&1"):format(
        settings or "", BUILD, path)))
    local text = pipe:read "a"
    pipe:close()
    os.remove(path)
    return text
end

local function case(what, f) it(what, function() if there then f() end end) end

local GAIN = [[
local names = { "compiles", "launches", "moves", "bytes_moved", "bytes_to_host", "bytes_to_device" }
local old
local function begin() old = lun.stats() end
local function gain(...)
    local new, out = lun.stats(), {}
    for i, name in ipairs { ... } do out[i] = ("%s %d"):format(name, new[name] - old[name]) end
    print(table.concat(out, " "))
end
]]

describe("several devices", function()
    case("compile a kernel once, if they are equal", function()
        local dir = scratch()
        assert.equal("compiles 1 launches 4\ncompiles 0 launches 4\n", run(GAIN .. [[
            local a = (lun.range(1, 1000) * 0.5):eval()
            begin()
            lun.eval(a * 3 + 1)
            gain("compiles", "launches")
            begin()
            lun.eval(a * 3 + 1)
            gain("compiles", "launches")]], "LUNARRAY_CACHE_DIR=" .. dir))
        os.execute("rm -rf " .. dir)
    end)

    case("exchange elements without the host", function()
        local wanted = "moves 5 bytes_moved 12000 bytes_to_host 0 bytes_to_device 0\nmoves 3 bytes_moved 48 bytes_to_host 0\n500500\n"
        assert.equal(wanted, run(GAIN .. [[
            local a = (lun.range(1, 1000) * 1):copy():distribute("block")
            a = (a * 1):eval()
            a:distribute("single", { device = 3 })
            begin()
            lun.eval(a * 2)
            a:distribute("block")
            lun.eval(a * 3)
            a:distribute("single", { device = 1 })
            lun.eval(a * 4)
            gain("moves", "bytes_moved", "bytes_to_host", "bytes_to_device")
            a:distribute("block")
            local b = (a * 1):eval()
            begin()
            lun.eval(b:sub(3, 1000) + b:sub(1, 998))
            gain("moves", "bytes_moved", "bytes_to_host")
            print((a * 1):sum() // 1 | 0)]]))
    end)
end)

describe("devices that multiply matrices", function()
    case("share the rows, and exchange nothing by way of the host", function()
        assert.equal("products 4 bytes_to_host 0\nsame\n", run([[
            local a, b = (lun.random({ 70, 40 }, { seed = 1 }) - 0.5):eval(), (lun.random({ 40, 30 }, { seed = 2 }) - 0.5):eval()
            local old = lun.stats()
            local c = a:matmul(b):eval()
            local new = lun.stats()
            print(("products %d bytes_to_host %d"):format(new.products - old.products, new.bytes_to_host - old.bytes_to_host))
            local text, x, y = c:tobytes(), a:copy(), b:copy()
            lun.use "openmp"
            print(x:matmul(y):tobytes() == text and "same" or "different")]], "LUNARRAY_OPENCL_FORM=scalar"))
    end)

    case("share several of them, too", function()
        local text = run([[
            local a, b = (lun.random({ 9, 20, 30 }, { seed = 1 }) - 0.5):eval(), (lun.random({ 9, 30, 7 }, { seed = 2 }) - 0.5):eval()
            local old = lun.stats()
            local c = a:matmul(b):eval()
            local new = lun.stats()
            print(("products %d bytes_to_host %d"):format(new.products - old.products, new.bytes_to_host - old.bytes_to_host))
            local kind, d = c:distribution()
            print(kind, table.unpack(d.counts))
            local text, x, y = c:tobytes(), a:copy(), b:copy()
            lun.use "openmp"
            print(x:matmul(y):tobytes() == text and "same" or "different")]], "LUNARRAY_OPENCL_FORM=scalar")
        assert.equal("products 4 bytes_to_host 0\nblock\t2\t2\t2\t3\nsame\n", text)
    end)
end)

describe("where one of several devices fails", function()
    case("the first in order is told, and the others go on", function()
        local text = run [[
            local n = 4000
            local one, by = lun.ones(n, "i32"):copy(), lun.ones(n, "i32"):copy()
            local v = lun.range(1, 2999):copy()
            by[3990], by[1500] = 0, 0
            print(select(2, pcall(function() return (one // by):eval() end)))
            print(select(2, pcall(function() return lun.generate(n, function(i) return v[i] end):eval() end)))
            by:fill(2)
            print((one // by):sum(), one:sum(), (one + by):sum())]]
        assert.matches("attempt to perform 'n//0'", text)
        assert.matches("3000", text)
        assert.matches("0\t4000\t12000\n$", text)
    end)

    case("each does its part of a loop of unequal length", function()
        assert.equal("same\n", run [[
            local function mandelbrot()
                return lun.generate({ 80, 120 }, function(i, j)
                    local cr, ci, x, y, k = (j - 1) / 120 * 3 - 2, (i - 1) / 80 * 2 - 1, 0.0, 0.0, 0
                    while x * x + y * y <= 4 and k < 2000 do
                        x, y = x * x - y * y + cr, 2 * x * y + ci
                        k = k + 1
                    end
                    return k
                end):tobytes()
            end
            local all = { mandelbrot(), mandelbrot() }
            lun.use "openmp"
            local one = mandelbrot()
            print(all[1] == one and all[2] == one and "same" or "different")]])
    end)
end)
