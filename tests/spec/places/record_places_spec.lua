-- Records over several places: their fields are distributed together, and what is computed of them has the same elements
-- as on one place.
local lun = require "lunarray"
local expect = require "expect"

local P = lun.struct("Item", { { "x", "f64" }, { "v", "i64", 2 } }, { layout = "soa" })

local function items(n)
    return lun.vector({ x = lun.index(n) / 4, v = lun.stack({ lun.index(n), lun.index(n) * 3 }, 2) }, P)
end

-- What is computed of records, as plain tables.
local function computed(a)
    local moved = a:map(function(p) return P(p.x + p.v[2], { p.v[2], p.v[1] }) end)
    local sum = a:reduce(function(p, q) return P(p.x + q.x, { p.v[1] + q.v[1], math.max(p.v[2], q.v[2]) }) end,
        { x = 0, v = { 0, 0 } })
    local around = a:stencil(function(p) return p(-1).x + p(1).v[1] end)
    return { moved:totable(), sum, around:totable(), a:take({ 3, -1, 1 }):totable(), (a.x * 2):totable() }
end

describe("records on several places", function()
    local before
    setup(function() before = lun.use() end)
    teardown(function() lun.use(before) end)

    it("have the elements that they have on one, however they are distributed", function()
        local wanted = computed(items(1000))
        lun.use "openmp/3"
        for _, kind in ipairs { "block", "copy", "single", "overlap" } do
            local a = items(1000)
            assert.equal(a, a:distribute(kind))
            assert.equal(kind, (a:distribution()))
            assert.equal(kind, (a.v:distribution()))
            assert.equal(kind, (a.x:distribution()))
            assert.same(wanted, computed(a))
        end
        lun.use(before)
    end)

    it("are refused as structs in memory, over ranks and for what is no kind", function()
        lun.use "openmp/3"
        local a = items(10)
        expect.failure('records in structs are on one place: a:copy {layout="soa"} has an array for each field', a.distribute,
            a:copy { layout = "aos" }, "block")
        expect.failure("option over: records are distributed over places; over ranks take fields", a.distribute, a, "block",
            { over = "ranks" })
        expect.failure("bad argument #1 to 'distribute'", a.distribute, a, "everywhere")
        lun.use(before)
    end)
end)
