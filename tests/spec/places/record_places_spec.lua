-- Records over several places, structs in memory and arrays of fields: however they are distributed, what is computed of them
-- has the elements that plain Lua computes of lists; what lun.explain tells of moves is what the counters gain.
local lun = require "lunarray"
local expect = require "expect"
local moves = require "moves"
local onplaces = require "onplaces"

local P = {}
for _, layout in ipairs { "aos", "soa" } do
    P[layout] = lun.struct("Item", { { "x", "f64" }, { "v", "i64", 2 }, { "k", "i32" } }, { layout = layout })
end

local WAYS = {
    { "block" }, { "block", { rule = "ceiling" } }, { "block", { rule = "balanced" } }, { "block", "weights" }, { "overlap", { halo = 2 } },
    { "copy" }, { "single", { device = 2 } },
}

local function rows(n)
    local list = {}
    for i = 1, n do list[i] = { x = i / 4, v = { i, -3 * i }, k = i * 7 % 5 } end
    return list
end

-- Records of n elements, distributed in a way.
local function items(n, layout, way)
    local a, options = lun.vector(rows(n), P[layout]), way[2]
    if options == "weights" then
        options = { weights = {} }
        for k = 1, select("#", lun.use()) do options.weights[k] = k end
    end
    assert.equal(layout, a:layout())
    assert.equal(a, a:distribute(way[1], options))
    assert.equal("soa", a:layout())
    for _, field in ipairs { a.x, a.v, a.k } do assert.equal(way[1], (field:distribution())) end
    return a
end

local function item(x, v1, v2, k)
    return { x = x, v = { v1, v2 }, k = k }
end

local function each(list, f)
    local made = {}
    for i, p in ipairs(list) do made[i] = f(p, i) end
    return made
end

-- By name what is computed of records, and what plain Lua computes of a list.
local COMPUTED = {
    map = { function(a, Q) return a:map(function(p) return Q(p.x + p.v[2], { p.v[2], p.v[1] }, p.k) end):totable() end,
        function(l) return each(l, function(p) return item(p.x + p.v[2], p.v[2], p.v[1], p.k) end) end },
    zip = { function(a) return a:zip(a.x * 2, function(p, y) return p.x + y * p.k end):totable() end,
        function(l) return each(l, function(p) return p.x + p.x * 2 * p.k end) end },
    ["C function"] = { function(a) return a:map "double f(Item p){ return p.x * p.v[0] + p.k; }":totable() end,
        function(l) return each(l, function(p) return p.x * p.v[1] + p.k end) end },
    scan = { function(a, Q) return a:scan(function(p, q)
            return Q(p.x + q.x, { p.v[1] + q.v[1], math.max(p.v[2], q.v[2]) }, p.k + q.k)
        end, { x = 0, v = { 0, -1 << 40 }, k = 0 }):totable()
        end,
        function(l)
            local r = item(0.0, 0, -1 << 40, 0)
            return each(l, function(p) -- of those before
                local before = r
                r = item(r.x + p.x, r.v[1] + p.v[1], math.max(r.v[2], p.v[2]), r.k + p.k)
                return before
            end)
        end },
    reduce = { function(a, Q) return { a:reduce(function(p, q)
            return Q(p.x + q.x, { p.v[1] + q.v[1], math.min(p.v[2], q.v[2]) }, p.k + q.k) end, { x = 0, v = { 0, 0 }, k = 0 }) } end,
        function(l)
            local r = item(0.0, 0, 0, 0)
            for _, p in ipairs(l) do r = item(r.x + p.x, r.v[1] + p.v[1], math.min(r.v[2], p.v[2]), r.k + p.k) end
            return { r }
        end },
    stencil = { function(a) return a:stencil(function(p) return p(-1).x + p(1).v[1] end, { edge = "nearest" }):totable() end,
        function(l) return each(l, function(_, i) return l[math.max(i - 1, 1)].x + l[math.min(i + 1, #l)].v[1] end) end },
    where = { function(a, Q) return lun.where(a.k:gt(2), a, Q(9, { 8, 7 }, 6)):totable() end,
        function(l) return each(l, function(p) return p.k > 2 and p or item(9.0, 8, 7, 6) end) end },
    eq = { function(a) return a:eq(a:sub({ #a, 1, -1 })):totable() end,
        function(l) return each(l, function(_, i) return i == #l + 1 - i end) end },
    sort = { function(a) return a:sort { by = { "k", "-x" } }:totable() end,
        function(l)
            local made = table.move(l, 1, #l, 1, {})
            table.sort(made, function(p, q) if p.k ~= q.k then return p.k < q.k end return p.x > q.x end)
            return made
        end },
    take = { function(a) return a:take({ -1, 1, 1 }):totable() end, function(l) return { l[#l], l[1], l[1] } end },
    put = { function(a, Q)
            local b = a:copy()
            b:put(lun.vector { 1, #a }, lun.vector({ Q(5, { 6, 7 }, 8), Q(1, { 2, 3 }, 4) }, Q))
            return b:totable()
        end,
        function(l)
            local made = table.move(l, 1, #l, 1, {})
            made[1] = item(5.0, 6, 7, 8)
            made[#l] = item(1.0, 2, 3, 4)
            return made
        end },
    shift = { function(a) return a:shift(1, { edge = "wrap" }):totable() end,
        function(l) return each(l, function(_, i) return l[(i - 2) % #l + 1] end) end },
    compress = { function(a) return a:compress(a.k:eq(1)):totable() end,
        function(l)
            local made = {}
            for _, p in ipairs(l) do made[#made + 1] = p.k == 1 and p or nil end
            return made
        end },
}

-- What changes the records.
local function written(a)
    lun.each(#a, function(i) a.x[i], a.k[i] = a.x[i] + a.v[i][1], i end)
    a.v = a.v * 2
    a[1] = { x = 0.5, v = { 1, 2 }, k = 3 }
    return a:totable()
end

local function written_list(l)
    local made = each(l, function(p, i) return item(p.x + p.v[1], p.v[1] * 2, p.v[2] * 2, i) end)
    made[1] = item(0.5, 1, 2, 3)
    return made
end

describe("records on several places", function()
    onplaces.restore(before_each, after_each)

    it("have the elements that they have on one, however they are distributed", function()
        for _, set in ipairs(onplaces.sets) do
            lun.use(set)
            for _, layout in ipairs { "aos", "soa" } do
                for _, way in ipairs(WAYS) do
                    for _, n in ipairs { 2, 5, 301 } do
                        local a = items(n, layout, way)
                        for name, both in pairs(COMPUTED) do
                            assert.same(both[2](rows(n)), both[1](a, P[layout]),
                                ("%s, %s, %s, %d: %s"):format(set, layout, way[1], n, name))
                        end
                        assert.same(written_list(rows(n)), written(a))
                        assert.equal(way[1], (a:distribution()))
                    end
                end
            end
        end
    end)

    it("move as lun.explain tells, fields that a function reads alone", function()
        for _, set in ipairs(onplaces.sets) do
            lun.use(set)
            for _, layout in ipairs { "aos", "soa" } do
                for _, way in ipairs(WAYS) do
                    local a = items(100, layout, way)
                    local b = items(100, layout, { "block", { rule = "ceiling" } })
                    for _, make in ipairs {
                        function() return a:map(function(p) return p.x + p.k end) end,
                        function() return a:zip(b, function(p, q) return p.x + q.v[1] end) end,
                        function() return a:stencil(function(p) return p(-2).x + p(2).k end) end,
                        function() return a:map "double f(Item p){ return p.x * p.v[1]; }" end,
                    } do
                        local e = make()
                        moves.counted(function() e:eval() end, moves.told(e), ("%s, %s, %s"):format(set, layout, way[1]))
                    end
                end
            end
        end
        lun.use(onplaces.sets[1])
        local a = items(100, "aos", { "block" })
        local told = moves.told(a:map(function(p) return p.x + p.k end))
        assert.equal(100 * (8 + 4), told.bytes_to_device)
    end)

    it("keep the handles of their fields, records without elements too", function()
        lun.use(onplaces.sets[1])
        local a = lun.vector(rows(20), P.aos)
        local x = a.x
        a:distribute "block"
        x[3], a.k = 77, 1
        assert.same({ x = 77.0, v = { 3, -9 }, k = 1 }, a[3])
        assert.equal("block", (x:distribution()))
        assert.equal("aos", a:copy():layout())
        assert.equal(20 * 32, #a:tobytes())
        assert.same({ x = 77.0, v = { 3, -9 }, k = 1 }, lun.frombytes(a:tobytes(), P.aos)[3])
        assert.equal("block", (a:distribute("copy"):distribute("block"):distribution()))
        assert.equal(0, #lun.zeros(0, P.aos):distribute "block")
        local N = lun.struct("Outer", { { "a", P.aos }, { "y", "f32" }, { "z", "c128" } })
        local b = lun.full(7, N({ x = 1, v = { 2, 3 }, k = 4 }, 5, lun.complex(6, 7)), N)
        local inner = b.a
        b:distribute "block"
        assert.equal(inner, b.a)
        inner.x = lun.index(7)
        assert.same(3.0, b[3].a.x)
        assert.same(lun.complex(6, 7), b[7].z)
        assert.equal("soa", inner:layout())
    end)

    it("are refused within other structs, and for what is no distribution, as they were", function()
        lun.use(onplaces.sets[1])
        local N = lun.struct("Outer", { { "a", P.aos }, { "y", "f32" } })
        local a, b = lun.vector(rows(10), P.aos), lun.zeros(10, N)
        local within = "structs within others, or in memory that is not the records' own, stay there"
        expect.failure(within, b.a.distribute, b.a, "block")
        expect.failure(within, a.distribute, a:sub(2, 5), "block")
        expect.failure("bad argument #1 to 'distribute' (unknown distribution 'everywhere'", a.distribute, a, "everywhere")
        expect.failure("bad argument #2 to 'distribute' (5 weights for", a.distribute, a, "block", { weights = { 1, 2, 3, 4, 5 } })
        expect.failure("unknown rule 'some'", a.distribute, a, "block", { rule = "some" })
        assert.equal("aos", a:layout())
        assert.equal("none", (a:distribution()))
        assert.equal("aos", a:distribute("none"):layout())
        expect.failure("#2 to 'distribute' (a distribution 'none' has no option 'halo')", a.distribute, a, "none", { halo = 1 })
    end)

    it("are the same on devices", function() onplaces.again(2, "record_places_spec.lua") end)
end)
