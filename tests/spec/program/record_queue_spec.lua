-- Buffers of records, copies of them, tasks that take them and single records, and records that queues evaluate: against
-- plain Lua tables, on every backend and queues of both kinds.
local expect = require "expect"
local lun = require "lunarray"

local At = lun.struct("At", { { "h", "f32" } })
local FIELDS = { { "x", "f64" }, { "n", "i64", 2 }, { "at", At }, { "on", "bool" } }
local LAYOUTS = { aos = lun.struct("Item", FIELDS), soa = lun.struct("Item", FIELDS, { layout = "soa" }) }

local function rows(n)
    local list = {}
    for i = 1, n do
        list[i] = { x = (i * 37 % 101) / 4, n = { i, i * 13 % 29 }, at = { h = i / 2 }, on = i % 3 == 0 }
    end
    return list
end

-- check(device, queue, struct) on every backend, on queues of both kinds, in both layouts.
local function everywhere(check)
    for _, device in ipairs(lun.backends()) do
        for _, async in ipairs { false, true } do
            for _, S in pairs(LAYOUTS) do
                local q <close> = lun.queue(device, { async = async })
                check(device, q, S)
            end
        end
    end
end

describe("buffers of records", function()
    it("are filled, read and shown, all of them and boxes", function()
        everywhere(function(device, q, S)
            local list = rows(20)
            local a, b, c = lun.vector(list, S), lun.buffer(device, 20, S), lun.buffer(device, { 4, 5 }, S, { align = 64 })
            assert.equal(20, b:extents())
            assert.same({ 4, 5 }, { c:extents() })
            assert.equal(S, b:dtype())
            assert.matches("^buffer Item%[4, 5%] on " .. device, tostring(c))
            assert.same({ 20, 2 }, { b.n:extents() })
            assert.equal("i64", b.n:dtype())
            lun.copy(q, b, a)
            lun.copy(q, c, a:reshape(4, 5))
            local whole, box, part = lun.zeros(20, S), lun.zeros({ 2, 3 }, S), lun.zeros(20, S)
            lun.copy(q, whole, b)
            lun.copy(q, box, c, { 2, 3 }, nil, { 3, 2 })
            lun.copy(q, part, b, 5, 3, 11)
            lun.copy(q, b, b, 2, 1, 19)
            local moved = lun.zeros(20, S)
            lun.copy(q, moved, b)
            q:wait()
            assert.same(list, whole:totable())
            assert.same({ table.move(list, 12, 14, 1, {}), table.move(list, 17, 19, 1, {}) }, box:totable())
            assert.same(table.move(list, 11, 15, 1, {}), part:sub(3, 7):totable())
            assert.same({ x = 0, n = { 0, 0 }, at = { h = 0 }, on = false }, part[8])
            assert.same({ list[19], list[20], list[3] }, moved:sub(1, 3):totable())
            b:free()
            assert.equal("freed buffer", tostring(b))
            expect.failure("freed", lun.copy, q, whole, b)
        end)
    end)

    it("are arguments of tasks, as are single records", function()
        everywhere(function(device, q, S)
            local list = rows(20)
            local from, to = lun.buffer(device, 20, S), lun.buffer(device, 20, S)
            local function run(t, out, rows_in, one, k)
                for i = t:index(), math.min(t:index() + t:elements() - 1, #out) do
                    out[i] = S(rows_in[i].x + one.x * k, { rows_in[i].n[2], one.n[1] }, At(rows_in[i].at.h), one.on)
                    if rows_in[i].on then
                        out[i].x = -1
                    end
                end
            end
            lun.copy(q, from, lun.vector(list, S))
            local task = lun.task(lun.workdiv(20, { elements = 3 }), run, to, from, list[3], 2)
            q:enqueue(task)
            q:enqueue(lun.task(lun.workdiv(20), function(t, out) out[t:index()].n[1] = out[t:index()].n[1] + 1 end, to))
            local got = lun.zeros(20, S)
            lun.copy(q, got, to)
            q:wait()
            for i, row in ipairs(got:totable()) do
                assert.same({ x = list[i].on and -1 or list[i].x + list[3].x * 2, n = { list[i].n[2] + 1, 3 },
                    at = { h = list[i].at.h }, on = true }, row)
            end
        end)
    end)

    it("are fields, and single records, of tasks by C functions", function()
        everywhere(function(device, q, S)
            local list, b, got = rows(4), lun.buffer(device, 4, S), lun.zeros(4, S)
            lun.copy(q, b, lun.zeros(4, S))
            q:enqueue(lun.task({ league = 4 }, [[void f(double *x, long k, long *n, Item p) {
                x[LUN_INDEX(0)] = p.x * k + p.at.h;
                n[2 * LUN_INDEX(0) + 1] = p.n[1] + LUN_INDEX(0);
            }]], b.x, 3, b.n, list[2]))
            lun.copy(q, got, b)
            q:wait()
            for i = 1, 4 do
                local p = list[2]
                assert.same({ x = p.x * 3 + p.at.h, n = { 0, p.n[2] + i - 1 }, at = { h = 0.0 }, on = false }, got[i])
            end
        end)
    end)

    it("give tasks of other arguments functions of their own", function()
        local q = lun.queue "openmp"
        local b, c = lun.buffer("openmp", 2, LAYOUTS.aos), lun.buffer("openmp", 2)
        local X = lun.struct("X", { { "x", "f64" } })
        local d, out = lun.buffer("openmp", 2, X), lun.zeros(2)
        local function f(t, to, k) to[t:index()].x = k end
        q:enqueue(lun.task({ league = 2 }, f, b, 3))
        q:enqueue(lun.task({ league = 2 }, f, d, 4.5))
        q:enqueue(lun.task({ league = 2 }, function(t, to, r, s) to[t:index()] = r[t:index()].x * 10 + s[t:index()].x end, c, b, d))
        lun.copy(q, out, c)
        assert.same({ 34.5, 34.5 }, out:totable())
    end)

    it("are refused with what to do", function()
        local S, q = LAYOUTS.aos, lun.queue "openmp"
        local b, a = lun.buffer("openmp", 3, S), lun.zeros(3, S)
        local Other = lun.struct("Other", { { "x", "f32" } })
        local lines = debug.getinfo(1, "S").short_src .. ":"
        local function refused(message, f)
            assert.matches(lines, expect.failure(message, f), 1, true)
        end
        local function f(t, to) to[t:index()].x = 1 end
        refused("'b.x' is captured: pass the buffer as an argument, of lun.task", function()
            lun.task({ league = 1 }, function(t) b[t:index()].x = 1 end)
        end)
        refused("bad argument #3 to 'task' (records: a task takes buffers, lun.buffer(device, n, Item), and numbers", function()
            lun.task({ league = 1 }, f, a)
        end)
        refused("bad argument #4 to 'task' (buffer or number expected, got string)", function()
            lun.task({ league = 1 }, f, b, "x")
        end)
        refused("bad argument #3 to 'task' (records: a C function takes arrays of their fields, a.x, and single records)", function()
            lun.task({ league = 1 }, "void f(double *x) { x[0] = 1; }", b)
        end)
        refused("bad argument #4 to 'task' (field 'x' is missing", function()
            lun.task({ league = 1 }, "void f(double *x, Item p) { x[0] = p.x; }", b.x, At(1))
        end)
        refused("index 4 is out of range for axis 1 of array 'to.n' (length 3)", function()
            q:enqueue(lun.task({ league = 3 }, function(t, to) to[t:index() + 1].n[1] = 1 end, b))
            q:wait()
        end)
        refused("bad argument #2 to 'teams' (array or number expected, got a buffer of records, which lun.task takes", function()
            lun.teams { league = 1 }(f, b)
        end)
        refused("bad argument #3 to 'copy' (Item { f64 x; i64 n[2]; At at; bool on; } expected, got Other { f32 x; })", function()
            lun.copy(q, b, lun.zeros(3, Other))
        end)
        refused("bad argument #3 to 'copy' (records, or a buffer of them, expected", function() lun.copy(q, b, lun.zeros(3)) end)
        refused("bad argument #2 to 'copy'", function() lun.copy(q, b, lun.zeros(4, S)) end)
        refused("extents: 1 number expected", function() lun.copy(q, b, a, { 1, 2 }) end)
        refused("bad argument #3 to 'buffer' (field 'z' is complex", function()
            lun.buffer("openmp", 3, lun.struct("Z", { { "z", "c64" } }))
        end)
        refused("bad argument #4 to 'buffer' (option pitch", function() lun.buffer("openmp", 3, S, { pitch = 64 }) end)
        refused("bad argument #3 to 'buffer' (records are no dtype", function() lun.buffer("openmp", 3, a) end)
        refused("bad argument #1 to 'buffer'", function() lun.buffer("nowhere", 3, S) end)
        refused("a buffer of records is filled by lun.copy and tasks", function() b.x = 1 end)
        refused("bad argument #1 to 'sqrt' (array or number expected, got buffer of records of Item)", function() lun.sqrt(b) end)
    end)
end)

describe("records that a queue evaluates", function()
    it("have their elements after a wait", function()
        everywhere(function(_, q, S)
            local list = rows(20)
            local a = lun.vector(list, S)
            local e = a:map(function(p) return S(p.x * 2, { p.n[2], 1 }, p.at, not p.on) end)
            assert.equal(q, q:enqueue(e))
            q:wait()
            assert.equal(0, e:pending())
            for i, row in ipairs(e:totable()) do
                assert.same({ x = list[i].x * 2, n = { list[i].n[2], 1 }, at = list[i].at, on = not list[i].on }, row)
            end
        end)
    end)
end)
