-- The explicit layer: lun.buffer, lun.queue, lun.task, lun.copy, events. The oracle is plain Lua tables.
local lun = require "lunarray"
local shell = require "shell"
local expect = require "expect"

local refused = expect.failure
local build = os.getenv "BUILD" or "build"

-- f(device, how) on every backend, on queues of both kinds.
local function everywhere(f)
    for _, device in ipairs(lun.backends()) do
        f(device, { async = false })
        f(device, { async = true })
    end
end

local function list(n, f)
    local t = {}
    for i = 1, n do t[i] = f(i) end
    return t
end

-- What is in a buffer, or in a box of it.
local function read(q, b, ...)
    local out = lun.zeros({ b:extents() }, b:dtype())
    lun.copy(q, out, b, ...)
    q:wait()
    return out:totable()
end

local function filled(device, q, a)
    local b = lun.buffer(device, { a:shape() }, a:dtype())
    lun.copy(q, b, a)
    return b
end

local function daxpy(t, y, x, a)
    for i = t:index(), math.min(t:index() + t:elements() - 1, #y) do y[i] = a * x[i] + y[i] end
end

-- Threads that take a moment.
local function busy(t, y, n)
    local s = 0.0
    for i = 1, n do s = s + math.sqrt(i + s) end
    y[t:block()] = s
end

-- Whether a kernel that runs there can be stopped (docs/robustness.md).
local function stops(backend)
    for _, device in ipairs(lun.devices()) do
        if device.backend == backend then return device.kind ~= "gpu" and device.kind ~= "accelerator" end
    end
end

-- What a program of its own prints, and its exit status.
local function program(text, options)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    local pipe = assert(io.popen(("timeout 300 %s/lunarray %s %s 2>&1; echo status $?"):format(build, options or "", path)))
    local out = pipe:read "a"
    pipe:close()
    os.remove(path)
    return out
end

describe("a buffer", function()
    it("says what it is, and is zero at first #place", function()
        everywhere(function(device, how)
            local q = lun.queue(device, how)
            for _, extents in ipairs { { 0 }, { 1 }, { 63 }, { 64 }, { 65 }, { 3, 4 }, { 2, 0 }, { 2, 3, 4 } } do
                local b = lun.buffer(device, extents, "i16")
                assert.same(extents, { b:extents() })
                assert.are.equal("i16", b:dtype())
                assert.are.equal(2 * extents[#extents], b:pitch())
                assert.are.equal(device, (b:device():gsub(":1$", "")))
                assert.same(lun.zeros(extents, "i16"):totable(), read(q, b))
            end
        end)
        assert.are.equal("f64", lun.buffer("host", 3):dtype())
        assert.are.equal("host", lun.buffer("host", 3):device())
        assert.matches("buffer u8%[3, 2%] on host", tostring(lun.buffer("host", { 3, 2 }, "u8")))
    end)

    it("has rows that stand apart, where it is asked for", function()
        everywhere(function(device, how)
            local q = lun.queue(device, how)
            for _, shape in ipairs { { 5, 10 }, { 3, 4, 7 }, { 9 }, { 4, 0 }, { 2, 2, 2, 3 } } do
                local n, last = 1, shape[#shape]
                for k = 1, #shape do n = n * shape[k] end
                local a = (lun.index(n) * 7 % 30):cast("i16"):reshape(shape):copy()
                local from = filled(device, q, a)
                for _, x in ipairs { { { pitch = 64 }, 64 }, { { align = 32 }, (last * 2 + 31) // 32 * 32 }, { { align = 1 }, last * 2 },
                    { { pitch = 22 }, 22 } } do
                    local b, c = lun.buffer(device, shape, "i16", x[1]), lun.buffer("host", shape, "i16", { pitch = 46 })
                    assert.are.equal(x[2], b:pitch())
                    assert.same(shape, { b:extents() })
                    assert.same(lun.zeros(shape, "i16"):totable(), read(q, b))
                    lun.copy(q, b, a)
                    assert.same(a:totable(), read(q, b))
                    lun.copy(q, b, from)
                    lun.copy(q, c, b)
                    assert.same(a:totable(), read(q, c))
                end
            end
            local b, a = lun.buffer(device, { 4, 5 }, { pitch = 64 }), (lun.index(20) * 1.0):reshape(4, 5):copy()
            lun.copy(q, b, a, { 2, 3 }, { 3, 1 }, { 1, 2 })
            lun.copy(q, b, b, { 1, 2 }, { 1, 4 }, { 4, 2 }) -- within it
            q:wait()
            assert.same({ { 0, 0, 0, 8, 9 }, { 0, 0, 0, 0, 0 }, { 2, 3, 4, 0, 0 }, { 7, 8, 9, 0, 0 } }, read(q, b))
        end)
    end)

    it("with rows that stand apart is indexed as any other", function()
        local function twice(t, to, from, n)
            local i = t:block()
            for j = 1, #from[i] do
                for k = 1, n do
                    to[i][j][k] = 2 * from[i][j][k] + k
                end
                lun.atomic.add(to[i][j], 1, 100)
            end
        end
        local text = [[
        void once(long *b, long row, long n) {
            for (long k = 0; k < n; k++) LUN_AT(b, LUN_BLOCK(0) * row + k) += 10 * LUN_BLOCK(0);
        }]]
        everywhere(function(device, how)
            local q = lun.queue(device, how)
            local a = (lun.index(3 * 4 * 5)):cast("i64"):reshape(3, 4, 5):copy()
            local wanted = a:totable()
            for i = 1, 3 do
                for j = 1, 4 do
                    for k = 1, 5 do
                        wanted[i][j][k] = 2 * wanted[i][j][k] + k + (k == 1 and 100 or 0)
                    end
                end
            end
            for _, x in ipairs { { 48, 40 }, { 40, 64 }, { 64, 48 }, { 40, 40 } } do
                local to = lun.buffer(device, { 3, 4, 5 }, "i64", { pitch = x[1] })
                local from = lun.buffer(device, { 3, 4, 5 }, "i64", { pitch = x[2] })
                lun.copy(q, from, a)
                q:enqueue(lun.task({ league = 3 }, twice, to, from, 5))
                assert.same(wanted, read(q, to))
            end
            local b = lun.buffer(device, { 3, 4 }, "i64", { pitch = 56 })
            lun.copy(q, b, lun.ones({ 3, 4 }, "i64"))
            q:enqueue(lun.task({ league = 3 }, text, b, b:pitch() // 8, 4))
            assert.same({ { 1, 1, 1, 1 }, { 11, 11, 11, 11 }, { 21, 21, 21, 21 } }, read(q, b))
            local beyond = lun.task({ league = 3 }, function(t, y) y[t:block()][t:block() + 3] = 1 end, b)
            refused("index 5 is out of range for axis 2 of array 'y' (length 4)", function()
                q:enqueue(beyond)
                q:wait()
            end)
        end)
        local b = lun.buffer("reference", { 2, 3 }, { align = 64 })
        local both = lun.task({ league = 2, check = true }, function(_, y) y[2][3] = 1 end, b)
        refused("y[2][3] is written by thread 1 of team 1 and thread 1 of team 2", function()
            lun.queue("reference"):enqueue(both)
        end)
    end)

    it("is of the memory that is asked for, where there is such", function()
        everywhere(function(device, how)
            local q = lun.queue(device, how)
            local a = (lun.index(35) * 1.0):reshape(5, 7):copy()
            local wanted = a:totable()
            for i = 1, 5 do
                for j = 1, 7 do wanted[i][j] = 3 * wanted[i][j] end
            end
            for _, kind in ipairs { "plain", "pinned", "shared" } do
                local x, y = lun.buffer(device, { 5, 7 }, { memory = kind }), lun.buffer(device, { 5, 7 }, { pitch = 64, memory = kind })
                local z = lun.buffer(device, { 5, 7 })
                assert.are.equal(device == "opencl" and kind or "plain", x:memory())
                assert.are.equal("plain", z:memory())
                assert.same(lun.zeros({ 5, 7 }):totable(), read(q, x))
                lun.copy(q, z, a)
                lun.copy(q, x, z)
                q:enqueue(lun.task({ league = 5 }, function(t, to, from)
                    for j = 1, #from[t:block()] do to[t:block()][j] = 3 * from[t:block()][j] end
                end, y, x))
                lun.copy(q, z, y)
                assert.same(wanted, read(q, y))
                assert.same(wanted, read(q, z))
                x:free()
                refused("attempt to use a freed buffer", function() x:memory() end)
            end
        end)
        for _, device in ipairs { "host", "openmp" } do
            assert.are.equal("plain", lun.buffer(device, 3, "f32", { memory = "pinned" }):memory())
            refused("memory: plain, pinned or shared expected, got 'unified'", function() lun.buffer(device, 3, { memory = "unified" }) end)
            refused("option memory: a text expected, got true", function() lun.buffer(device, 3, { memory = true }) end)
        end
        refused("unknown option 'memmory'", function() lun.buffer("host", 3, { memmory = "pinned" }) end)
    end)

    it("is on a device of lun.devices()", function()
        for _, row in ipairs(lun.devices()) do
            local q, b = lun.queue(row), lun.buffer(row, 3, "i32")
            lun.copy(q, b, lun.vector({ 4, 5, 6 }, "i32"))
            assert.same({ 4, 5, 6 }, read(q, b))
        end
    end)

    it("is not used after it was freed", function()
        everywhere(function(device, how)
            local q = lun.queue(device, how)
            local y = lun.buffer(device, 4)
            local task = lun.task({ league = 4 }, busy, y, 1)
            q:enqueue(task)
            y:free()
            y:free()
            q:wait() -- what was given still has it
            refused("argument 1 is a buffer that was freed", function() q:enqueue(task) end)
            refused("attempt to use a freed buffer", function() y:extents() end)
            refused("the source is a buffer that was freed", function() lun.copy(q, lun.zeros(4), y) end)
            refused("argument 1 is a buffer that was freed", function() lun.task({ league = 4 }, busy, y, 1) end)
            assert.are.equal("freed buffer", tostring(y))
        end)
    end)

    it("is refused where it makes no sense", function()
        refused("no backend 'foo'", function() lun.buffer("foo", 3) end)
        refused("name of a device", function() lun.buffer(nil, 3) end)
        refused("a table that is no row of lun.devices()", function() lun.buffer({}, 3) end)
        refused("extent 1 is negative", function() lun.buffer("host", -1) end)
        refused("dtype", function() lun.buffer("host", 3, "f65") end)
        refused("memory", function() lun.buffer("host", { 1 << 40, 1 << 20 }) end)
        refused("pitch: 16 bytes from one row to the next, of rows of 3 f64: a multiple of 8 from 24 on expected",
            function() lun.buffer("host", { 2, 3 }, "f64", { pitch = 16 }) end)
        refused("pitch: 30 bytes from one row to the next, of rows of 3 f64", function() lun.buffer("host", { 2, 3 }, { pitch = 30 }) end)
        refused("option pitch: bytes, a positive integer, expected, got 1.5", function() lun.buffer("host", 3, { pitch = 1.5 }) end)
        refused("option align: bytes, a positive integer, expected, got x", function() lun.buffer("host", 3, nil, { align = "x" }) end)
        refused("align: a power of two from 1 to 64 expected, got 48", function() lun.buffer("host", 3, { align = 48 }) end)
        refused("align: a power of two from 1 to 64 expected, got 128", function() lun.buffer("host", 3, { align = 128 }) end)
        refused("pitch and align of a buffer exclude one another", function() lun.buffer("host", 3, { align = 8, pitch = 24 }) end)
        refused("a buffer whose rows stand apart has 7 extents at most",
            function() lun.buffer("host", { 1, 1, 1, 1, 1, 1, 1, 1 }, { align = 64 }) end)
        refused("unknown option 'pith'", function() lun.buffer("host", 3, { pith = 8 }) end)
        refused("table expected", function() lun.buffer("host", 3, "f64", 8) end)
        refused("memory", function() lun.buffer("host", { 1 << 20, 1 << 20 }, { pitch = 1 << 40 }) end)
        refused("'host' is memory", function() lun.queue "host" end)
        refused("unknown option 'asynch'", function() lun.queue("reference", { asynch = true }) end)
        refused("async: true or false expected", function() lun.queue("reference", { async = 1 }) end)
    end)
end)

describe("lun.copy", function()
    it("copies boxes between all places", function()
        everywhere(function(device, how)
            local q = lun.queue(device, how)
            local a = (lun.index(5 * 7):view { 5, 7 } * 1):eval()
            local places = {
                function() return filled(device, q, a) end, function() return filled("host", q, a) end,
                function() return a:copy() end, function() return a:transpose():copy():transpose() end,
            }
            for _, source in ipairs(places) do
                for _, target in ipairs(places) do
                    local to, from = target(), source()
                    lun.copy(q, to, from, { 2, 3 }, { 4, 1 }, { 1, 5 })
                    local wanted = a:totable()
                    for i = 1, 2 do
                        for j = 1, 3 do wanted[3 + i][j] = a[i][4 + j] end
                    end
                    q:wait()
                    assert.same(wanted, getmetatable(to) == getmetatable(a) and to:totable() or read(q, to))
                end
            end
        end)
    end)

    it("takes an array as it is, and gives one its elements at the wait", function()
        local q = lun.queue("openmp", { async = true })
        local a, b, c = lun.zeros(4), lun.buffer("host", 4), lun.zeros(4)
        lun.copy(q, b, a)
        a[1] = 7 -- later
        lun.copy(q, c, b)
        assert.same({ 0, 0, 0, 0 }, c:totable())
        q:wait()
        assert.same({ 0, 0, 0, 0 }, c:totable())
        lun.copy(q, b, a)
        lun.copy(q, c, b)
        lun.copy(q, b, c) -- after c has received
        lun.copy(q, c:sub(3, 4), b, 2, 1, 1)
        local ev = q:record()
        ev:wait()
        assert.same({ 7, 0, 7, 0 }, c:totable())
        c:free()
        lun.copy(q, a, b)
        a:free()
        q:wait()
    end)

    it("refuses what overlaps, does not fit or has other elements", function()
        everywhere(function(device, how)
            local q = lun.queue(device, how)
            local b, a = lun.buffer(device, { 4, 5 }), lun.zeros { 4, 5 }
            refused("the copy overlaps itself", function() lun.copy(q, b, b) end)
            refused("the copy overlaps itself", function() lun.copy(q, b, b, { 2, 2 }, { 2, 2 }, { 1, 1 }) end)
            refused("the copy overlaps itself", function() lun.copy(q, a, a, { 2, 2 }, { 2, 2 }, { 1, 1 }) end)
            lun.copy(q, b, b, { 2, 5 }, { 3, 1 }, { 1, 1 })
            refused("does not fit: elements 4 to 5 along axis 1 of the target, which has 4",
                function() lun.copy(q, b, a, { 2, 2 }, { 4, 1 }) end)
            refused("does not fit: elements 5 to 6 along axis 2 of the source, which has 5",
                function() lun.copy(q, b, a, { 2, 2 }, nil, { 1, 5 }) end)
            refused("does not fit", function() lun.copy(q, b, lun.zeros { 4, 6 }) end)
            refused("does not fit", function() lun.copy(q, b, a, { -1, 1 }) end)
            refused("a copy does not convert", function() lun.copy(q, b, lun.zeros({ 4, 5 }, "f32")) end)
            refused("#2 to 'copy' (the source has rank 1 and the target rank 2", function() lun.copy(q, b, lun.zeros(20)) end)
            refused("extents: 2 numbers expected", function() lun.copy(q, b, a, 3) end)
            refused("extents: an integer expected, got 1.5", function() lun.copy(q, b, a, { 1.5, 1 }) end)
            refused("elements count from 1", function() lun.copy(q, b, a, nil, { 0, 1 }) end)
            refused("buffer or array expected, got number", function() lun.copy(q, b, 3) end)
            refused("queue expected", function() lun.copy(b, b, a) end)
            q:wait()
            assert.same(a:totable(), read(q, b))
        end)
    end)

    it("goes from device to device, by way of the host", function()
        local names = lun.backends()
        for _, one in ipairs(names) do
            for _, other in ipairs(names) do
                local q = lun.queue(one, { async = true })
                local a = lun.range(1, 70):copy()
                local b, c = filled(one, q, a), lun.buffer(other, 70, "i64")
                lun.copy(q, c, b, 69, 2, 1)
                local got = read(q, c)
                assert.same(list(70, function(i) return i - 1 end), got)
            end
        end
    end)
end)

describe("a task", function()
    it("runs on every device, as often as it is given", function()
        everywhere(function(device, how)
            local q = lun.queue(device, how)
            for _, n in ipairs { 1, 7, 64, 65, 16385 } do
                local x, y = filled(device, q, lun.range(1, n) * 0.5), lun.buffer(device, n)
                local task = lun.task(lun.workdiv(n, { elements = 8 }), daxpy, y, x, 3)
                q:enqueue(task):enqueue(task)
                assert.same(list(n, function(i) return 2 * (3 * (i * 0.5)) end), read(q, y))
            end
        end)
    end)

    it("has teams whose threads meet", function()
        -- Prefix sums of each team's part, by steps of 1, 2, 4, ...
        local function prefixes(t, y, rounds)
            local s, me = t:scratch("i64", t:threads()), t:thread()
            local at = (t:block() - 1) * t:threads() + me
            s[me] = y[at]
            t:barrier()
            local step = 1
            for _ = 1, rounds do
                local x = s[me]
                if me > step then x = x + s[me - step] end
                t:barrier()
                s[me] = x
                t:barrier()
                step = step * 2
            end
            y[at] = s[me]
        end
        everywhere(function(device, how)
            local q <close> = lun.queue(device, how)
            local y = filled(device, q, lun.vector(list(210, function(i) return i * i % 17 end), "i64"))
            local task = lun.task({ league = 3, team = 70 }, prefixes, y, 7)
            q:enqueue(task)
            local sum = 0
            assert.same(list(210, function(i)
                sum = (i % 70 == 1 and 0 or sum) + i * i % 17
                return sum
            end), read(q, y))
        end)
    end)

    it("changes elements at once, beside other threads", function()
        everywhere(function(device, how)
            local q, n = lun.queue(device, how), 5000
            local a = (lun.index(n) * 7919 % 13):eval()
            local counts, wanted = lun.buffer(device, 13, "i64"), list(13, function() return 0 end)
            for i = 1, n do wanted[a[i] + 1] = wanted[a[i] + 1] + 2 end
            local task = lun.task(lun.workdiv(n, { team = 4, elements = 5 }), function(t, h, x)
                for i = t:index(), math.min(t:index() + t:elements() - 1, #x) do lun.atomic.add(h, x[i] + 1, 1) end
            end, counts, filled(device, q, a))
            q:enqueue(task):enqueue(task)
            assert.same(wanted, read(q, counts))
        end)
    end)

    it("has the numbers of when it was made", function()
        local q, y, k = lun.queue "openmp", lun.buffer("openmp", 3), 5
        local total = lun.vector({ 1, 2 }):sum()
        local task = lun.task({ league = 3 }, function(t, b) b[t:block()] = k + total end, y)
        k = 100
        q:enqueue(task)
        assert.same({ 8, 8, 8 }, read(q, y))
    end)

    it("takes its arrays as arguments, in buffers", function()
        local a, b = lun.zeros(3), lun.buffer("host", 3)
        local one = { league = 3 }
        refused("'a' is captured: pass the array as an argument", function()
            lun.task(one, function(t) a[t:block()] = 1 end)
        end)
        refused("'b' is captured: pass the buffer as an argument", function()
            lun.task(one, function(t) b[t:block()] = 1 end)
        end)
        local inner, of_buffer = function(i) return a[i] end, function(i) return b[i] end
        local deep = function(i) return of_buffer(i) end
        refused("#2 to 'task' ('a' is captured: pass the array as an argument", function()
            lun.task(one, function(t, y) y[t:block()] = inner(t:block()) end, b)
        end)
        for _, f in ipairs { of_buffer, deep } do
            refused("'b' is captured: pass the buffer as an argument", function()
                lun.task(one, function(t, y) y[t:block()] = f(t:block()) end, b)
            end)
            refused("'b' is captured: pass the buffer as an argument, of lun.task", function()
                lun.teams(one)(function(t, y) y[t:block()] = f(t:block()) end, a)
            end)
        end
        refused("#2 to 'teams' (array or number expected, got buffer, which lun.task takes", function()
            lun.teams(one)(daxpy, b, a, 1)
        end)
        refused("an array: a task takes buffers and numbers", function()
            lun.task(one, function(t, y) y[t:block()] = 1 end, a)
        end)
        refused("arguments 1 and 2 are one buffer", function()
            lun.task(one, function(t, y, x) y[t:block()] = x[1] end, b, b)
        end)
        refused("assigns no element", function() lun.task(one, function(t, y) return y[t:block()] end, b) end)
        refused("a team of 2000 threads: 1024 is the most", function()
            lun.task({ league = 1, team = 2000 }, function(_, y) y[1] = 1 end, b)
        end)
        refused("Lua function or C source expected, got number", function() lun.task(one, 3) end)
        refused("buffer or number expected, got string", function() lun.task(one, daxpy, "x") end)
        refused("league is missing", function() lun.task({}, daxpy, b) end)
        refused("task or array expected, got no value", function() lun.queue("openmp"):enqueue() end)
    end)

    it("is watched on reference, as lun.teams is, and nowhere else", function()
        for _, device in ipairs(lun.backends()) do
            local y = lun.buffer(device, 3)
            local one = lun.task({ league = 2, team = 3, check = true }, function(t, b) b[t:thread()] = t:block() end, y)
            local well = lun.task({ league = 3, check = true }, function(t, b) b[t:block()] = 7 end, y)
            local q = lun.queue(device, { async = true })
            q:enqueue(one)
            if device == "reference" then
                refused("b[1] is written by thread 1 of team 1 and thread 1 of team 2", function() q:wait() end)
                q:enqueue(well)
                assert.same({ 7.0, 7.0, 7.0 }, read(q, y))
            else
                refused("check=true is for the backend reference, not ", function() q:wait() end)
            end
        end
    end)

    it("keeps t to itself", function()
        local b, kept = lun.buffer("host", 3), nil
        local one = { league = 3 }
        local ways = {
            function(t, y) kept = t y[1] = 1 end,
            function(t, y) y[t:block()] = t end,
            function(t, y) local all = { t } y[1] = all[1] end,
        }
        for _, f in ipairs(ways) do
            assert.is_false(pcall(lun.task, one, f, b))
        end
        assert.is_nil(kept)
    end)

    it("runs where its buffers are #place", function()
        local here = lun.buffer("host", 3)
        local task = lun.task({ league = 3 }, busy, here, 1)
        for _, device in ipairs(lun.backends()) do
            local q = lun.queue(device)
            local there = lun.task({ league = 3 }, busy, lun.buffer(device, 3), 1)
            q:enqueue(there)
            if device == "reference" or device == "openmp" then
                q:enqueue(task)
                assert.are.equal(3, #read(q, here))
            else
                refused("argument 1 of the task is a buffer of host, and the queue is on " .. device .. ":1",
                    function() q:enqueue(task) end)
                refused("copy it to a buffer there", function() lun.queue("openmp"):enqueue(there) end)
            end
        end
    end)
end)

describe("a queue", function()
    it("evaluates a Composition on its device", function()
        everywhere(function(device, how)
            local q, use = lun.queue(device, how), lun.use()
            local e = lun.range(1, 100) * 2 + 1
            q:enqueue(e):wait()
            assert.are.equal(use, lun.use())
            assert.same(list(100, function(i) return 2 * i + 1 end), e:totable())
            refused("attempt to perform 'n//0'", function()
                q:enqueue(lun.range(1, 3) // 0)
                q:wait()
            end)
            q:wait()
        end)
    end)

    it("evaluates what an expression is made of, whatever that is", function()
        everywhere(function(device, how)
            local q, k, w = lun.queue(device, how), 3, lun.vector({ 10, 20, 30 }):eval()
            local a, m = lun.vector(list(100, function(i) return i * 37 % 101 end)), lun.range(1, 12):view { 3, 4 }:eval()
            local c = lun.map "float f(float x) { return x * 2; }"
            local sum, sums = 0, {}
            for i = 1, 100 do
                sums[i] = sum
                sum = sum + i * 37 % 101
            end
            local cases = {
                { (a + 1) * a, list(100, function(i) return (i * 37 % 101 + 1) * (i * 37 % 101) end) },
                { a:scan "+", sums },
                { lun.reduce(function(x, y) return x + y + w[1] - 10 end, 0)(a), 5050 },
                { a:sort(), list(100, function(i) return i end) },
                { m:transpose() * 2, { { 2, 10, 18 }, { 4, 12, 20 }, { 6, 14, 22 }, { 8, 16, 24 } } },
                { m:matmul(m:transpose()), { { 30, 70, 110 }, { 70, 174, 278 }, { 110, 278, 446 } } },
                { (m * 1.5):sum { axis = 1 }, { 22.5, 27.0, 31.5, 36.0 } },
                { lun.map(function(x) return x * k + w[2] end)(m), { { 23, 26, 29, 32 }, { 35, 38, 41, 44 }, { 47, 50, 53, 56 } } },
                { c(w:cast "f32") + c(w:cast "f32" + 1), { 42.0, 82.0, 122.0 } },
                { lun.stencil(function(x) return x(-1) + x(1) end)(w * 1), { 30, 40, 50 } },
                { lun.concat { w, m:flatten():sub(1, 2) * 2 } + 1, { 11, 21, 31, 3, 5 } },
                { (w * 2):take(lun.vector { 3, 1 }), { 60, 20 } },
                { lun.range(1, 0) * 2, {} },
                { lun.zeros(65) + 1, list(65, function() return 1.0 end) },
            }
            for _, case in ipairs(cases) do q:enqueue(case[1]) end
            w[1], m[1] = 99, lun.zeros(4, "i64") -- later
            q:wait()
            for n, case in ipairs(cases) do
                assert.are.equal(0, #lun.explain(case[1]), "case " .. n)
                local got = case[1]
                assert.same(case[2], type(case[2]) == "table" and got:totable() or lun.eval(got), "case " .. n)
            end
        end)
    end)

    it("evaluates in its order, and gives the elements at the wait", function()
        for _, device in ipairs(lun.backends()) do
            local q = lun.queue(device, { async = true })
            local y, b = lun.buffer(device, 5, "i64"), lun.buffer(device, 100, "i64")
            local wrong = lun.task({ league = 6 }, function(t, to) to[t:block()] = 1 end, y)
            local function twice() return lun.range(1, 100) * 2 end
            local wanted = list(100, function(i) return 2 * i end)
            local e, launches = twice() + 0, lun.stats().launches
            q:enqueue(e)
            assert.are.equal(1, #lun.explain(e))
            q:record():wait()
            assert.are.equal(0, #lun.explain(e))
            assert.are.equal(launches + 1, lun.stats().launches)
            assert.same(wanted, e:totable())

            local early, gone, copied = twice() + 1 - 1, twice() + 2, twice() + 3 - 3
            q:enqueue(early):enqueue(gone):enqueue(copied)
            assert.same(wanted, early:totable()) -- before the wait: here
            gone:free()
            lun.copy(q, b, copied)
            assert.same(wanted, read(q, b))

            local behind, after = twice() + 5 - 5, twice() + 6 - 6
            q:enqueue(wrong):enqueue(behind)
            refused("out of range", function() q:wait() end)
            assert.are.equal(1, #lun.explain(behind)) -- dropped
            assert.same(wanted, behind:totable())
            q:enqueue(after // 0):enqueue(after)
            local ok, err = pcall(q.wait, q)
            assert.is_false(ok)
            assert.matches("queue_spec.lua:%d+: .*attempt to perform 'n//0'", tostring(err))
            assert.are.equal(1, #lun.explain(after))
            q:enqueue(after):wait()
            assert.are.equal(0, #lun.explain(after))
            assert.same(wanted, after:totable())
        end
    end)

    it("works beside a set of places", function()
        local use = lun.use()
        lun.use "openmp/3"
        local q, b = lun.queue "openmp.2", lun.buffer("openmp", 100)
        local e = lun.range(1, 100) * 2
        q:enqueue(lun.task(lun.workdiv(100, { elements = 8 }), daxpy, b, filled("openmp", q, lun.range(1, 100) * 0.5), 4))
        q:enqueue(e)
        assert.same(e:totable(), list(100, function(i) return 2 * i end))
        assert.same(read(q, b), list(100, function(i) return 2.0 * i end))
        assert.are.equal(3, select("#", lun.use()))
        lun.use(use)
    end)

    it("tells a failure at the next wait, drops what is behind it and goes on", function()
        everywhere(function(device, how)
            local q, y = lun.queue(device, how), lun.buffer(device, 5)
            local after = lun.task({ league = 5 }, function(t, b) b[t:block()] = b[t:block()] + 1 end, y)
            local wrong = lun.task({ league = 6 }, function(t, b) if t:block() == 6 then b[t:block()] = 1 end end, y)
            local received = lun.zeros(5)
            q:enqueue(after)
            local before, behind = q:record(), nil
            local ok, err = pcall(function()
                q:enqueue(wrong)
                q:enqueue(after)
                lun.copy(q, received, y)
                behind = q:record()
                before:wait()
                q:wait()
            end)
            assert.is_false(ok)
            assert.matches("queue_spec.lua:%d+: index 6 is out of range for array 'b' of length 5", tostring(err))
            assert.are.equal("EBOUNDS", err.code)
            assert.same({ 0, 0, 0, 0, 0 }, received:totable())
            if behind then
                assert.is_true(behind:done())
                assert.has_no.errors(function() q:wait() end) -- told once
            end
            q:enqueue(after)
            assert.same({ 2, 2, 2, 2, 2 }, read(q, y))
            assert.is_true(q:idle())
        end)
    end)

    it("tells a failure at the wait for an event behind it", function()
        for _, device in ipairs(lun.backends()) do
            local q, other = lun.queue(device, { async = true }), lun.queue(device, { async = true })
            local y = lun.buffer(device, 5)
            q:enqueue(lun.task({ league = 6 }, function(t, b) b[t:block()] = 1 end, y))
            local ev = q:record()
            other:wait(ev) -- it goes on nevertheless
            other:enqueue(lun.task({ league = 5 }, function(t, b) b[t:block()] = 9 end, y))
            other:wait()
            refused("out of range", function() ev:wait() end)
            ev:wait()
            q:wait()
            assert.same({ 9, 9, 9, 9, 9 }, read(q, y))
        end
    end)

    it("waits for events of other queues", function()
        for _, device in ipairs(lun.backends()) do
            local n = 1000
            local qs = list(3, function() return lun.queue(device, { async = true }) end)
            local y = lun.buffer(device, n, "i64")
            local twice = lun.task({ league = n }, function(t, b) b[t:block()] = b[t:block()] * 2 end, y)
            local more = lun.task({ league = n }, function(t, b) b[t:block()] = b[t:block()] + t:block() end, y)
            local wanted = list(n, function() return 0 end)
            local ev
            for round = 1, 24 do
                local q, add = qs[round % 3 + 1], round % 2 == 1
                if ev then q:wait(ev) end
                q:enqueue(add and more or twice)
                ev = q:record()
                for i = 1, n do wanted[i] = add and wanted[i] + i or wanted[i] * 2 end
            end
            local sync = lun.queue(device)
            sync:wait(ev)
            assert.is_true(ev:done())
            assert.same(wanted, read(sync, y))
        end
    end)

    it("works beside others, and counts for all of them at the wait", function()
        for _, device in ipairs(lun.backends()) do
            local qs, ys, launches = {}, {}, lun.stats().launches
            for k = 1, 4 do
                qs[k], ys[k] = lun.queue(device, { async = true }), lun.buffer(device, 3)
                for _ = 1, 10 do qs[k]:enqueue(lun.task({ league = 3 }, busy, ys[k], 1000 * k)) end
            end
            local here = (lun.range(1, 1000) * 2):sum() -- the script's engine meanwhile
            assert.are.equal(1001000, here + 0)
            for k = 1, 4 do
                qs[k]:wait()
                local s = 0.0
                for i = 1, 1000 * k do s = s + math.sqrt(i + s) end
                assert.same({ s, s, s }, read(qs[k], ys[k]))
            end
            assert.is_true(lun.stats().launches >= launches + 41)
        end
    end)

    it("takes more than it holds", function()
        local q, y = lun.queue("openmp", { async = true }), lun.buffer("openmp", 1, "i64")
        local one = lun.task({ league = 1 }, function(t, b) b[t:block()] = b[1] + 1 end, y)
        for _ = 1, 10000 do q:enqueue(one) end
        assert.same({ 10000 }, read(q, y))
    end)

    it("is closed with its block, and dropped with work in flight", function()
        everywhere(function(device, how)
            local y, queues = lun.buffer(device, 3, "i64"), {}
            local one = lun.task({ league = 3 }, function(t, b) b[t:block()] = b[t:block()] + 1 end, y)
            do
                local q <close> = lun.queue(device, how)
                q:enqueue(one)
                queues[1] = q
            end
            refused("attempt to use a closed queue", function() queues[1]:wait() end)
            assert.are.equal("closed queue", tostring(queues[1]))
            assert.same({ 1, 1, 1 }, read(lun.queue(device), y))
            refused("out of range", function()
                local q <close> = lun.queue(device, how)
                q:enqueue(lun.task({ league = 4 }, function(t, b) b[t:block()] = 1 end, y))
            end)
            refused("another", function()
                local q <close> = lun.queue(device, how)
                pcall(q.enqueue, q, lun.task({ league = 4 }, function(t, b) b[t:block()] = 1 end, y))
                error "another"
            end)
            local ev
            do
                local q = lun.queue(device, how)
                q:enqueue(lun.task({ league = 3 }, busy, lun.buffer(device, 3), 100000))
                q:enqueue(one)
                ev = q:record()
            end
            collectgarbage()
            collectgarbage()
            ev:wait()
            assert.is_true(ev:done())
        end)
        for _ = 1, 200 do lun.queue("reference", { async = true }) end
    end)

    it("is stopped by a time limit and an interrupt, and the process goes on", function()
        for _, device in ipairs(lun.backends()) do
            if stops(device) then
                local text = ([[
                    local lun = lun or require "lunarray"
                    local q, other = lun.queue(%q, { async = true }), lun.queue(%q, { async = true })
                    local b = lun.buffer(%q, 2)
                    q:enqueue(lun.task({ league = 2 }, function(t, y)
                        local k = 1
                        while k > 0 do k = k %% 7 + 1 end
                        y[t:block()] = k
                    end, b))
                    other:wait(q:record())
                    print("begins")
                    if io then -- there is no time limit, which brings a sandbox
                        io.popen(%q):close() -- os.execute ignores signals, and the queue computes already
                    end
                    q:wait()
                ]]):format(device, device, device,
                    ("(%s; kill -INT $PPID) >/dev/null 2>&1 &"):format(shell.computing("$PPID", 10)))
                local out
                for _, limit in ipairs { 0.7, 5, 30 } do -- a busy machine may take long to begin
                    out = program(text, ("--backend %s --time-limit %s"):format(device, limit)) -- or the sandbox refuses it
                    if out:find "begins" then break end
                end
                assert.matches("begins", out)
                assert.matches("time limit reached", out)
                assert.matches("status 1", out)
                out = program(text)
                assert.matches("interrupted!", out, 1, true)
            end
        end
    end)

    it("ends with the process, whatever it does", function()
        for _, device in ipairs(lun.backends()) do
            for _, ends in ipairs { "os.exit(3)", "os.exit(3, true)", "error 'boo'", "q = nil collectgarbage()" } do
                if stops(device) then
                    local out = program(([[
                        local lun = require "lunarray"
                        q = lun.queue(%q, { async = true })
                        local b = lun.buffer(%q, 2)
                        q:enqueue(lun.task({ league = 2 }, function(t, y)
                            local k = 1
                            while k > 0 do k = k %% 7 + 1 end
                            y[t:block()] = k
                        end, b))
                        lun.copy(q, lun.zeros(2), b)
                        q:record()
                        print "begins"
                        %s
                    ]]):format(device, device, ends))
                    local status = ends:find "exit" and 3 or ends:find "error" and 1 or 0
                    assert.matches("begins", out)
                    assert.matches("status " .. status .. "\n", out)
                end
            end
        end
    end)
end)
