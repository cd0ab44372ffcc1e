-- When things run, how often, and what explain and stats tell about it.

local lun = require "lunarray"
local expect = require "expect"

local function launches_of(f)
    local before = lun.stats().launches
    f()
    return lun.stats().launches - before
end

describe("lazy evaluation", function()
    it("runs nothing while an expression is built #place", function()
        local a = lun.random(1000, { seed = 1 }):eval()
        local e
        assert.equal(0, launches_of(function() e = (a + a) * (a - 1) / 3 end))
        assert.equal("Composition", e:kind())
        assert.is_true(e:pending() > 0)
        assert.equal(1, launches_of(function() e:eval() end))
        assert.equal(0, e:pending())
    end)

    it("keeps what it has computed", function()
        local a = lun.random(1000, { seed = 1 }):eval()
        local e = a * 2 + 1
        e:eval()
        assert.equal(0, launches_of(function()
            e:eval()
            local _ = e[1] + e[1000]
        end))
    end)

    it("gives the array back from eval", function()
        local e = lun.range(1, 3) + 1
        assert.equal(e, e:eval())
        expect.elements({ 2, 3, 4 }, e)
    end)

    it("fuses an expression into one kernel #place", function()
        local a, b = lun.random(5000, { seed = 1 }):eval(), lun.random(5000, { seed = 2 }):eval()
        assert.equal(1, launches_of(function() return ((a + b) * (a - b) + a:sqrt()):eval() end))
        assert.equal(1, launches_of(function() return ((a - b) ^ 2):sum() end))
    end)

    it("computes shared parts once", function()
        local a = lun.random(5000, { seed = 1 }):eval()
        local shared = a:sqrt()
        local plan = lun.explain(shared + shared * 2)
        assert.equal(1, #plan)
        assert.equal(3, plan[1].ops)
    end)

    it("evaluates several results in one pass #place", function()
        local a = lun.random(5000, { seed = 1 }):eval()
        local b, c = a + 1, a * 2
        local x, y
        assert.equal(1, launches_of(function() x, y = lun.eval(b, c) end))
        assert.equal(b, x)
        assert.equal(c, y)
        assert.equal(0, launches_of(function() return b[1] + c[1] end))
    end)

    it("gives numbers for Scalars and numbers from lun.eval", function()
        local a = lun.range(1, 4)
        local sum, same, seven = lun.eval(a:reduce "+", a, 7)
        assert.equal(10, sum)
        assert.equal(a, same)
        assert.equal(7, seven)
        assert.equal(0, select("#", lun.eval()))
        expect.failure("bad argument #2 to 'eval'", function() lun.eval(a, "x") end)
    end)

    it("takes graphs of many operations", function()
        local a = lun.vector { 1.0, 2.0 }
        local e = a
        for _ = 1, 20000 do
            e = e + 1
        end
        expect.elements({ 20001.0, 20002.0 }, e)
        local x = lun.vector { 1 }
        for _ = 1, 62 do
            x = x + x
        end
        expect.elements({ 1 << 62 }, x)
    end)
end)

describe("another backend", function()
    it("leaves the kernels of the one before as they are", function()
        local before, a = lun.use(), lun.random(100, { seed = 3 }):eval()
        local function work() return ((a + 1.25) * 7.5):lazy "sum":value() end
        local built = lun.stats()
        local want = work()
        for _, name in ipairs { "reference", before, "reference", before } do
            lun.use(name)
            assert.equal(want, work())
        end
        local now = lun.stats()
        if not os.getenv "LUNARRAY_KERNELS" then -- of which a bound may leave one
            assert.is_true(now.compiles + now.cache_hits - built.compiles - built.cache_hits <= 1)
        end
        lun.math "precise"
        assert.equal(want, work())
        lun.math "fast"
    end)
end)

describe("lun.explain", function()
    it("tells of copies", function()
        local plan = lun.explain(lun.vector { 1, 2 } .. lun.vector { 3 })
        assert.equal("copy", plan[1].name)
        assert.equal(1, plan[1].ops)
        assert.equal(48, plan[1].bytes)
        assert.matches("1  copy    n = 3, 1 operation", tostring(plan), 1, true)
    end)

    it("has the axes of each launch, as few as say where all elements are", function()
        local A, B = lun.random({ 60, 80 }):eval(), lun.random({ 80, 60 }):eval()
        local C = lun.random({ 6, 7, 8 }):eval()
        local row, column = lun.random(80):eval(), lun.random({ 60, 1 }):eval()
        local function space(e, at)
            return lun.explain(e)[at or 1].space
        end
        assert.equal("4800", space(A + A:reshape(60, 80) * 2))
        assert.equal("4800", space(A:transpose() * 2))
        assert.equal("60 x 80", space(A + B:transpose()))
        assert.equal("60 x 80", space(A + row))
        assert.equal("60 x 80", space(A + column))
        assert.equal("30 x 80", space(A:sub(1, -1, 2) + 1))
        assert.equal("6 x 56", space(C + lun.ones(6, 1, 1):eval()))
        assert.equal("4800", space(A:shift(1, { axis = 1, edge = 0 }) * 2))
        assert.equal("60 x 80", space(A:shift(1, { axis = 2, edge = 0 }) * 2))
        assert.equal("4800", space(A:lazy "sum"))
        assert.equal("60 x 80", space(A:lazy("sum", { axis = 2 })))
        assert.equal("80 x 60", space(A:lazy("sum", { axis = 1 })))
        assert.equal("60 x 80", space((A * 2):scan("+", 0, { axis = 2 })))
        assert.equal("60 x 80", space(A:sort { axis = 2 }))
        assert.equal("60 x 60 x 80", space(A:matmul(B)))
        assert.equal("6 x 7 x 2 x 8", space(C:matmul(lun.random({ 6, 8, 2 }):eval())))
        assert.equal("9600", space(A .. A))
        assert.equal("1", space(lun.ones(1) + 1))
        assert.equal("0", space(lun.zeros(0) + 1))
        local text = tostring(lun.explain(A + row))
        assert.matches("1  map     n = 4800 (60 x 80), 1 operation", text, 1, true)
        assert.matches("1  map     n = 4800, 1 operation", tostring(lun.explain(A * 2)), 1, true)
    end)

    it("tells what would run, without running it", function()
        local a, b = lun.random(1000, { seed = 1 }):eval(), lun.random(1000, { seed = 2 }):eval()
        local plan
        assert.equal(0, launches_of(function() plan = lun.explain((a + b) * 2) end))
        assert.equal(1, #plan)
        local kernel = plan[1]
        assert.equal(2, kernel.ops)
        assert.equal(2, kernel.reads)
        assert.equal(1, kernel.writes)
        assert.equal(3 * 8000, kernel.bytes)
        assert.equal(1000, kernel.n)
        assert.equal("string", type(kernel.source))
        assert.equal("string", type(kernel.ir))
        assert.equal("", kernel.cut)
    end)

    it("says why a graph is cut", function()
        local a = lun.random(1000, { seed = 1 }):eval()
        local plan = lun.explain(a:scan("+", 0):scan("+", 0) + 1)
        assert.is_true(#plan >= 2)
        assert.is_true(#plan[1].cut > 0)
        assert.matches("cut: ", tostring(plan))
    end)

    it("shows the graph, shared nodes once", function()
        local a = lun.vector { 1, 2, 3 }
        local shared = a * a
        local graph = lun.explain((shared + 0.5):lazy "sum", shared:scan("+", 0):sub(2, 3), a).graph
        assert.equal(table.concat({
            "%0 = array i64[3]",
            "%1 = mul i64[3] %0 %0",
            "%2 = cast f64[3] %1",
            "%3 = number f64 0.5",
            "%4 = add f64[3] %2 %3",
            "%5 = reduce f64 %4 by add",
            "%6 = number i64 0",
            "%7 = scan i64[3] %1 %6 by add exclusive",
            "%8 = view i64[2] %7 from 1 strides 1",
            "",
        }, "\n"), (graph:gsub(" %(%S+:%d+%)", "")))
        assert.equal("%0 = array i64[3]\n", lun.explain(a).graph)
    end)

    it("lists the steps that run takes", function()
        local table_of, x = lun.full(4, 2.5), lun.vector { 1, 2, 3 }
        local f = lun.map(function(v, w) return v * w[1] + w[4] end)
        local function steps()
            return f(x, table_of) .. lun.ones(2)
        end
        local names = {}
        for i, step in ipairs(lun.explain(steps(), lun.zeros(7))) do
            names[i] = step.name
        end
        assert.equal("fill map copy fill", table.concat(names, " "))
        assert.equal(1, launches_of(function() expect.elements({ 5.0, 7.5, 10.0, 1.0, 1.0 }, steps()) end))
        assert.matches("^plan: 2 kernels, ", tostring(lun.explain(steps())))
    end)

    it("is a readable page", function()
        local a = lun.random(1000, { seed = 1 }):eval()
        local page = tostring(lun.explain(a + 1))
        assert.matches("^plan: 1 kernel, 1 operation, ", page)
        assert.matches("n = 1000", page, 1, true)
        assert.equal("plan: nothing to compute", tostring(lun.explain(a)))
    end)

    it("explains several results at once", function()
        local a = lun.random(1000, { seed = 1 }):eval()
        assert.equal(1, #lun.explain(a + 1, a * 2))
        expect.failure("bad argument", lun.explain)
        expect.failure("array expected", lun.explain, 5)
    end)

    it("shows the code of each backend", function()
        local a = lun.random(1000, { seed = 1 }):eval()
        local e = a + 1
        for _, name in ipairs(lun.backends()) do
            assert.is_true(#e:source(name) > 10)
        end
        local before = lun.use()
        expect.failure("no backend 'nosuch'", e.source, e, "nosuch")
        assert.equal(before, lun.use())
    end)
end)

describe("lun.stats", function()
    it("counts, and starts again", function()
        lun.stats "reset"
        local s = lun.stats()
        for _, name in ipairs { "compiles", "cache_hits", "launches", "bytes_to_device", "bytes_to_host" } do
            assert.equal(0, s[name], name)
        end
        for _, name in ipairs { "allocated", "pooled", "peak" } do
            assert.equal("integer", math.type(s[name]), name)
        end
        local a = lun.random(1000, { seed = 3 }):eval()
        assert.equal(1, lun.stats().launches)
        if not lun.use():find "opencl" then -- the counters are of the host's memory
            assert.is_true(lun.stats().allocated >= 8000)
            assert.is_true(lun.stats().peak >= 8000)
        end
        a:free()
        expect.failure("reset", lun.stats, "clear")
    end)
end)

describe("backends", function()
    it("are listed, and give the same numbers #place", function()
        local before = lun.use()
        local names = lun.backends()
        assert.is_true(#names >= 1)
        local results = {}
        for i, name in ipairs(names) do
            assert.equal(name, lun.use(name))
            local a = lun.random(3000, { seed = 9 })
            results[i] = (a * 2 - a:floor() + a:abs()):totable()
            assert.same(results[1], results[i])
        end
        lun.use(before)
        assert.equal(before, lun.use())
    end)

    it("are refused by unknown names", function()
        expect.failure("no backend 'cuda'", lun.use, "cuda")
        pcall(lun.use, "opencl:99") -- what could not be used is not offered
        assert.is_nil(expect.failure("no backend 'cuda'", lun.use, "cuda"):find "99")
        expect.elements({ 2 }, lun.vector { 1 } + 1)
    end)

    it("have devices", function()
        local devices = lun.devices()
        assert.is_true(#devices >= 1)
        for _, device in ipairs(devices) do
            assert.equal("string", type(device.name))
            assert.equal("string", type(device.kind))
            assert.equal("string", type(device.backend))
            assert.is_true(device.memory > 0 and device.units > 0 or device.kind == "rank")
        end
    end)

    it("can be asked for precise functions", function()
        assert.equal("precise", lun.math "precise")
        local a = lun.vector { 0.1, 0.7, 3.0 }
        expect.elements({ math.sin(0.1), math.sin(0.7), math.sin(3.0) }, a:sin())
        assert.equal("fast", lun.math "fast")
        assert.equal("fast", lun.math())
        expect.failure("invalid option 'exact'", lun.math, "exact")
    end)

    it("have a version of the bits, which precise functions have not", function()
        assert.equal("v1", lun.bits())
        lun.math "precise"
        assert.equal("none", lun.bits())
        lun.math "fast"
        assert.equal("v1", lun.bits "v1")
        expect.failure("no version of bits 'v9': this library knows v1", lun.bits, "v9")
        expect.failure("no version of bits 'none': this library knows v1", lun.bits, "none")
        assert.equal("v1", lun.bits())
        assert.is_truthy(lun.info():find "\nbits       v1 %x+\n")
    end)

    it("are described in text", function()
        local text = lun.info()
        assert.matches("Lunarray %d+%.%d+", text)
        assert.matches("backend +" .. lun.use(), text)
        assert.matches("cache", text, 1, true)
    end)
end)

describe("a number in every place", function()
    it("is the same where one kernel indexes it and another computes with it", function()
        expect.everywhere(function()
            local b = lun.full(210, 2.0)
            local at = lun.map(function(i, w) return w[i] end)(lun.full(210, 2), b)
            assert.equal(630, (at * 0.5 + b):sum())
        end)
    end)
end)

describe("help", function()
    it("knows functions, methods, operations and values", function()
        assert.matches("lun.vector(t [, dtype [, {layout=, align=, label=, readonly=true}]])", lun.help(lun.vector), 1, true)
        assert.matches("square root", lun.help "sqrt", 1, true)
        assert.matches("sum", lun.help(lun.op.add), 1, true)
        assert.matches("a:sub(i, j [, step])", lun.help "sub", 1, true)
        assert.matches("skeleton", lun.help(lun.map "-"), 1, true)
        assert.matches("Vector", lun.help(lun.vector { 1 }), 1, true)
        assert.matches("copysign", lun.help(), 1, true)
        assert.matches("no help for 'frobnicate'", lun.help "frobnicate", 1, true)
        assert.matches("no help for a nil", lun.help(nil), 1, true)
    end)

    it("knows every public function and method", function()
        for name, value in pairs(lun) do
            if type(value) == "function" then
                assert.is_nil(lun.help(name):find("no help", 1, true), name)
            end
        end
        for name in pairs(require("lunarray.core").internal.methods) do
            assert.is_nil(lun.help(name):find("no help", 1, true), name)
        end
    end)
end)
