-- Plans that the engine remembers on sets of locations: repeated expressions give the values of one location, whatever set is in
-- use between two repetitions, however operands are distributed by then, and say where they fail.
local lun = require "lunarray"
local moves = require "moves"
local onplaces = require "onplaces"

local home = { lun.use() }
local SETS = { "openmp", "openmp/3", "openmp/2", "openmp", "openmp/7", "openmp/3" }
local LENGTHS = { 1, 2, 63, 100, 4099, 20000 }

local function operands(n)
    local random = onplaces.generator(n)
    local a, b = {}, {}
    for i = 1, n do
        a[i], b[i] = random(-1000, 1000), random(1, 9)
    end
    return lun.vector(a, "f64"), lun.vector(b, "f64")
end

-- Each gives a list of numbers.
local PROGRAMS = {
    elementwise = function(a, b) return ((a + b) * (a - b)):totable() end,
    ["a captured number"] = function(a, b, k) return (a * k + b):totable() end,
    ["a Lua function"] = function(a, b, k) return lun.zip(function(x, y) return x / y - k end)(a, b):totable() end,
    ["the index"] = function(a, _, k) return (a + lun.index(a:size()) * k):totable() end,
    ["a reduction"] = function(a, b) return { (a * b):sum(), (a - b):max() } end,
    ["a scan"] = function(a, b) return (a + b):scan("+"):totable() end,
    ["a shifted operand"] = function(a, b) return (a:shift(1, { edge = 0 }) - b):totable() end,
}

describe("plans that are remembered on sets", function()
    after_each(function() lun.use(table.unpack(home)) end)

    for name, program in pairs(PROGRAMS) do
        it("have the values of one location: " .. name, function()
            for _, n in ipairs(LENGTHS) do
                lun.use "openmp"
                local a, b = operands(n)
                local expected = {}
                for k = 1, 3 do expected[k] = program(a, b, k) end
                for round = 1, 2 do
                    for at, set in ipairs(SETS) do
                        lun.use(set)
                        local x, y = operands(n)
                        if set ~= "openmp" and (at + round) % 2 == 0 then y:distribute("copy") end
                        if set ~= "openmp" and (at + round) % 3 == 0 then x:distribute("single") end
                        for k = 1, 3 do
                            assert.same(expected[k], program(x, y, k), ("%s, %d elements, %s, round %d"):format(name, n, set, round))
                        end
                    end
                end
            end
        end)
    end

    it("move what explain says when operands are written or distributed anew", function()
        lun.use "openmp/3"
        local random = onplaces.generator(7)
        local a, b = operands(1000)
        local want = a:totable()
        for round = 1, 12 do
            local i, kind = random(1000), ({ "block", "copy", "single" })[random(3)]
            if round % 3 == 1 then
                a[i], want[i] = -round, -round
            elseif round % 3 == 2 then
                b:distribute(kind)
            end
            local e = a + b - b
            moves.counted(function() e:eval() end, moves.told(e), "round " .. round)
            assert.same(want, e:totable())
        end
        assert.equal(0, moves.told((a + b) * (a + 1)).moves)
    end)

    it("say where they fail, and go on", function()
        lun.use "openmp/3"
        local function divide(a, b) return a // b end
        for round = 1, 4 do
            local a, b = lun.vector({ 1, 2, 3, 4, 5, 6 }, "i64"), lun.vector({ 1, 1, 1, 1, round % 2, 1 }, "i64")
            local ok, result = pcall(function() return divide(a, b):totable() end)
            if round % 2 == 1 then
                assert.same({ 1, 2, 3, 4, 5, 6 }, result)
            else
                assert.is_false(ok)
                assert.matches("recalled_places_spec.lua:%d+: .*'n//0'", tostring(result))
            end
        end
    end)
end)
