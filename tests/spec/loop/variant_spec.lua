-- lun.variant: the function for the platform in use runs, wherever a function is taken; the texts of one variant agree.

local platforms = {}
for _, name in ipairs(lun.backends()) do
    platforms[name] = true
end
local home = { lun.use() }

-- f with another platform in use.
local function on(place, f, ...)
    lun.use(place)
    local results = table.pack(pcall(f, ...))
    lun.use(home)
    assert(results[1], results[2])
    return table.unpack(results, 2, results.n)
end

local function fault(text, f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    assert.is_truthy(tostring(message):find(text, 1, true), message)
end

describe("lun.variant #place", function()
    local a = lun.vector({ 1, 4, 9 }, "f64")
    local v = lun.variant {
        reference = function(x) return x * 1000 end,
        default = function(x) return x + 1 end,
    }

    it("runs the function of the platform in use", function()
        assert.same({ 1000, 4000, 9000 }, on("reference", function() return a:map(v):totable() end))
        assert.same({ 2, 5, 10 }, on("openmp", function() return a:map(v):totable() end))
        if platforms.opencl then
            assert.same({ 2, 5, 10 }, on("opencl", function() return a:map(v):totable() end))
        end
    end)

    it("is chosen when a skeleton is called, not when it is made", function()
        local s, chain = lun.map(v), v >> lun.map(function(x) return -x end)
        assert.same({ 1000, 4000, 9000 }, on("reference", function() return s(a):totable() end))
        assert.same({ 2, 5, 10 }, on("openmp", function() return s(a):totable() end))
        assert.same({ -1000, -4000, -9000 }, on("reference", function() return chain(a):totable() end))
        assert.same({ -2, -5, -10 }, on("openmp", function() return chain(a):totable() end))
        local tree = lun.compose(lun.zip(lun.variant { reference = "+", default = "*" })):left(s)
        assert.same({ 2, 20, 90 }, on("openmp", function() return tree(a, a):totable() end))
        assert.same({ 1001, 4004, 9009 }, on("reference", function() return tree(a, a):totable() end))
    end)

    it("chooses the default on a set of several platforms", function()
        assert.same({ 2, 5, 10 }, on({ "openmp", "reference" }, function() return a:map(v):totable() end))
        assert.same({ 1000, 4000, 9000 }, on("reference", function() return a:map(v):totable() end))
        local none = lun.variant { reference = "sqrt", openmp = "sqrt" }
        on({ "openmp", "reference" }, fault, "several platforms: the variant needs a default", a.map, a, none)
        on("openmp/2", function() return a:map(none):eval() end)
    end)

    it("is taken by zip, reduce, scan, allpairs, generate, each, call, teams and put", function()
        local plus = lun.variant { openmp = "+", default = function(x, y) return x + y end }
        for _, place in ipairs { "openmp", "reference" } do
            on(place, function()
                assert.same({ 2, 8, 18 }, a:zip(a, plus):totable())
                assert.equal(14, lun.eval(a:reduce(plus, 0)))
                assert.equal(14, lun.eval(lun.reduce(plus, 0)(a)))
                assert.same({ 0, 1, 5 }, a:scan(plus, 0):totable())
                local m = lun.vector { { 1, 2 }, { 3, 4 } }
                assert.same({ { 5, 11 }, { 11, 25 } }, m:allpairs(m, "*", plus, 0):totable())
                assert.same({ 3, 3, 3 }, lun.generate(3, lun.variant { default = function() return 3 end }):totable())
                local b = lun.zeros(3)
                lun.each(3, lun.variant { reference = function(i) b[i] = -i end, default = function(i) b[i] = i end })
                assert.equal(place == "reference" and -2 or 2, b[2])
                assert.equal(place == "reference" and 9000 or 10, lun.call(v, 9))
                assert.same({ 3, 0, 0 }, lun.zeros(3, "i64"):put(lun.vector { 1, 1 }, lun.vector { 1, 2 },
                    { combine = plus }):totable())
                local c = lun.zeros(2, "i64")
                lun.teams { league = 2 }(lun.variant { default = function(t) c[t:block()] = t:block() end })
                assert.same({ 1, 2 }, c:totable())
            end)
        end
    end)

    it("takes complex numbers and records", function()
        local P = lun.struct("P", { { "x", "f64" } })
        local r = lun.zeros(2, P)
        assert.same({ 1, 1 }, r:map(lun.variant { default = function(p) return p.x + 1 end }):totable())
        assert.same({ 1, 1 }, lun.map(lun.variant { default = function(p) return p.x + 1 end })(r):totable())
        local z = lun.vector { lun.i, 2 }:map(lun.variant { default = function(x) return x * x end })
        assert.same({ -1, 4 }, z:real():totable())
    end)

    it("is called by Lua, too", function()
        assert.equal(on("reference", function() return v(2) end), 2000)
        assert.equal(on("openmp", function() return v(2) end), 3)
        fault("the function of the variant for default is a text", lun.variant { default = "sqrt" }, 2)
        assert.equal("variant(reference, default)", tostring(v))
    end)

    it("refuses unknown platforms, what is no function, and nothing", function()
        fault("no platform 'metal': ", lun.variant, { metal = "sqrt" })
        fault("reference, default expected", lun.variant, { metal = "sqrt" })
        fault("openmp: function, C source, path or operation expected, got number", lun.variant, { openmp = 1 })
        fault("a function for at least one of", lun.variant, {})
        fault("a table of functions by platform expected, got nil", lun.variant)
        fault("the variant has no function for openmp: give one, or a default", on, "openmp", a.map, a,
            lun.variant { reference = "sqrt" })
        fault("'add' takes 2 operands, not 1", lun.map, lun.variant { reference = "sqrt", default = "add" })
        fault("goes with the method a:allpairs", lun.allpairs, "*", lun.variant { default = "+" }, 0)
    end)

    it("refuses functions that give different dtypes, naming both", function()
        local w = lun.variant { reference = function(x) return x > 1 end, default = function(x) return x end }
        fault("all functions of a variant give the same dtype: that for default gives f64, that for reference bool",
            on, "openmp", a.map, a, w)
        fault("that for reference gives bool, that for default f64", on, "reference", lun.map(w), a)
        fault("that for default gives i64, that for reference f64", on, "openmp", lun.generate, 3,
            lun.variant { reference = function(i) return i / 2 end, default = function(i) return i end })
        fault("gives f64, that for reference f64, i64", on, "openmp", a.map, a,
            lun.variant { reference = function(x) return x, 1 end, default = function(x) return x end })
    end)

    it("is compared by lun.check", function()
        lun.check(true)
        finally(function() lun.check(false) end)
        fault("the functions of the variant given to 'map' differ: that for reference gives 1000", on, "openmp", a.map,
            a, v)
        fault("the functions of the variant given to 'reduce' differ: that for openmp gives 14, that for reference 9",
            on, "openmp", a.reduce, a, lun.variant { openmp = "+", reference = "max" }, 0)
        on("openmp", function()
            assert.same({ 1, 2, 3 }, a:map(lun.variant { openmp = "sqrt",
                default = function(x) return x ^ 0.5 end }):totable())
            local s = lun.map(lun.variant { openmp = "sqrt", reference = function(x) return x end })
            fault("differ", s, a)
            assert.equal("openmp", (lun.use()))
        end)
    end)
end)
