-- From each distribution to each other one: what moves is exactly what a place needs and does not have. The oracle is
-- arithmetic on sets of indices. And of random expressions: what lun.explain tells is what the counters then count.
local lun = require "lunarray"
local moves = require "moves"
local onplaces = require "onplaces"

onplaces.restore(before_each, after_each)

-- Sizes of parts of n elements on p places, by the text of docs/places.md.
local RULES = {
    remainder = function(n, p, k) return k < p and n // p or n - (p - 1) * (n // p) end,
    ceiling = function(n, p, k)
        local size = (n + p - 1) // p
        return math.max(0, math.min(size, n - size * (k - 1)))
    end,
    balanced = function(n, p, k) return n // p + (k <= n % p and 1 or 0) end,
}

-- The indices that place k computes, as a set.
local function computed(kind, options, n, p, k)
    local first, last = 1, n
    if kind == "single" then
        if options.device ~= k then last = 0 end
    elseif kind ~= "copy" then
        local size = RULES[options and options.rule or "remainder"]
        first = 1
        for i = 1, k - 1 do first = first + size(n, p, i) end
        last = first + size(n, p, k) - 1
    end
    local set = {}
    for i = first, last do set[i] = true end
    return set
end

local function all_distributions(p)
    local all = { { "copy" } }
    for device = 1, p do all[#all + 1] = { "single", { device = device } } end
    for rule in pairs(RULES) do
        all[#all + 1] = { "block", { rule = rule } }
        all[#all + 1] = { "overlap", { rule = rule, halo = #all } }
    end
    return all
end

-- Options with a function that merges copies which differ; it is kept, and without such copies does nothing.
local function combining(options)
    local with = { combine = "+" }
    for name, x in pairs(options or {}) do with[name] = x end
    return with
end

-- The bytes that kernels over an array of n elements need and do not have, after what `old` said and then `new`.
local function missing(old, new, n, p)
    local bytes = 0
    for k = 1, p do
        local has = computed(old[1], old[2], n, p, k)
        for i in pairs(computed(new[1], new[2], n, p, k)) do bytes = bytes + (has[i] and 0 or 8) end
    end
    return bytes
end

-- Uses the array, which moves so many bytes, as was told, and has these elements.
local function used(a, bytes, elements, what)
    local e, wanted = a * 2, {}
    for i, x in ipairs(elements) do wanted[i] = x * 2 end
    local gains = moves.counted(function() lun.eval(e) end, moves.told(e), what)
    assert.equal(bytes, gains.bytes_moved, what)
    assert.equal(0, gains.bytes_to_device, what)
    assert.equal(0, gains.bytes_to_host, what)
    assert.same(wanted, e:totable(), what)
end

describe("from one distribution to another", function()
    local function sizes(p) return ipairs { 0, 1, p - 1, p, p + 1, 13 } end

    for p = 1, 5 do
        it("on " .. p .. " places just what is missing moves", function()
            lun.use("reference/" .. p)
            for _, n in sizes(p) do
                local elements = {}
                for i = 1, n do elements[i] = i end
                for _, old in ipairs { { "none" }, table.unpack(all_distributions(p)) } do
                    for _, new in ipairs(all_distributions(p)) do
                        for _, with in ipairs { function(options) return options end, combining } do
                            local what = ("%d elements, %s to %s"):format(n, old[1], new[1])
                            local a = lun.range(1, n):copy()
                            if old[1] ~= "none" then a:distribute(old[1], with(old[2])) end
                            a = (a * 1):eval():distribute(new[1], with(new[2]))
                            used(a, missing(old, new, n, p), elements, what)
                        end
                    end
                end
            end
        end)

        it("on " .. p .. " places copies that differ are merged where elements belong", function()
            lun.use("reference/" .. p)
            for _, n in sizes(p) do
                for _, new in ipairs(all_distributions(p)) do
                    local a, sums = lun.range(1, n):copy():distribute "copy", {}
                    for i = 1, n do sums[i] = p * i + 10 * p * (p + 1) // 2 end
                    if n > 0 then -- a place's copy of i is i + 10 times its number
                        lun.teams { league = p }(function(t)
                            for i = 1, n do a[i] = a[i] + 10 * t:block() end
                        end)
                    end
                    a:distribute(new[1], combining(new[2]))
                    -- the place that an element belongs to is sent the others' copies of it
                    local bytes = (p - 1) * n * 8 + (new[1] == "copy" and missing({ "block" }, new, n, p) or 0)
                    used(a, bytes, sums, ("%d elements to %s"):format(n, new[1]))
                end
            end
        end)
    end
end)

describe("random expressions", function()
    it("move what explain tells, and have the bits of one place", function()
        for seed = 1, 40 do moves.check(seed, { "reference/2", "openmp/3", "reference/5" }) end
    end)

    it("do so on several devices", function()
        if not onplaces.there "opencl" then return end
        local script = "package.path = 'tests/?.lua;tests/spec/?.lua;' .. package.path local m = require 'moves' "
            .. "for seed = 101, 112 do m.check(seed, { 'opencl:*', 'opencl:2,openmp,opencl:1' }) end print 'done'"
        assert.equal("done\n", onplaces.printed(4, ("-e \"%s\""):format(script)))
    end)
end)

-- Whole numbers, so that sums are exact in any order.
local function matrix(rows, columns, seed)
    local m = {}
    for i = 1, rows do
        m[i] = {}
        for j = 1, columns do m[i][j] = ((i * 31 + j * 17 + seed * 7) % 13 - 6) * 1.0 end
    end
    return m
end

local function array(m)
    local a = lun.zeros(#m, #m[1])
    for i, row in ipairs(m) do
        for j, x in ipairs(row) do a[i][j] = x end
    end
    return a
end

local function multiplied(a, b)
    local c = {}
    for i = 1, #a do
        c[i] = {}
        for j = 1, #b[1] do
            local sum = 0.0
            for k = 1, #b do sum = sum + a[i][k] * b[k][j] end
            c[i][j] = sum
        end
    end
    return c
end

describe("a matrix product", function()
    it("is made by rows, each place its own, and is distributed so", function()
        for _, set in ipairs { "openmp/2", "openmp/4", "openmp,openmp.2" } do
            local places = select("#", lun.use(set))
            for _, n in ipairs { 1, 2, 3, 5, 65 } do
                local x, y = matrix(n, 7, 1), matrix(7, 3, 2)
                local a, b = array(x):distribute("block", { rule = "balanced" }), array(y)
                local c = a:matmul(b)
                local products = lun.stats().products
                moves.counted(function() lun.eval(c) end, moves.told(c), set)
                assert.equal(math.min(n, places), lun.stats().products - products)
                local rows = multiplied(x, y)
                for i = 1, n do assert.same(rows[i], c[i]:totable()) end
                local kind, d = c:distribution()
                assert.equal("block", kind)
                for k = 1, n > 1 and places or 0 do assert.equal(n // places + (k <= n % places and 1 or 0), d.counts[k]) end
                assert.same(multiplied(rows, matrix(3, n, 5))[n], c:matmul(array(matrix(3, n, 5)))[n]:totable())
            end
        end
    end)

    it("reads operands where they are, turned and shared ones too", function()
        local x = matrix(6, 4, 3)
        for _, set in ipairs { "openmp/3", "reference/3" } do
            lun.use(set)
            local a = array(x):distribute "copy"
            local c = a:transpose():matmul(a)
            moves.counted(function() lun.eval(c) end, moves.told(c), set)
            local turned = {}
            for j = 1, 4 do
                turned[j] = {}
                for i = 1, 6 do turned[j][i] = x[i][j] end
            end
            for j, row in ipairs(multiplied(turned, x)) do assert.same(row, c[j]:totable()) end
            local half = lun.full({ 2, 6 }, 0.5):matmul(a)
            for j = 1, 4 do
                local sum = 0.0
                for i = 1, 6 do sum = sum + x[i][j] * 0.5 end
                assert.equal(sum, half[2][j])
            end
        end
    end)
end)
