-- Chains on sets: each place takes its rows through all kernels, which gives the bits of one place and moves what the plan
-- says, however operands are divided; where parts end within rows, kernels run one by one.
local lun = require "lunarray"
local onplaces = require "onplaces"
local moves = require "moves"

local ROWS, COLUMNS = 2101, 300

local function softmax(x)
    local e = (x - x:max { axis = 2, keep = true }):exp()
    return e / e:sum { axis = 2, keep = true }, e
end

-- Each gives expressions of x, a matrix, and y, w: one divided otherwise and one with an element for each row.
local PROGRAMS = {
    softmax = function(x) return (softmax(x)) end,
    ["results within"] = function(x)
        local s, e = softmax(x)
        return s, e, x:max { axis = 2 }, e:sum { axis = 2 }
    end,
    ["mean and std"] = function(x) return (x - x:mean { axis = 2, keep = true }) / x:std { axis = 2, keep = true } end,
    ["two matrices"] = function(x, y) return x / x:sum { axis = 2, keep = true } + y end,
    ["rows of another array"] = function(x, _, w)
        local e = x - (x:max { axis = 2, keep = true } + w)
        return e * e:sum { axis = 2, keep = true }
    end,
    ["read again behind it"] = function(x)
        local s = softmax(x)
        local top = s:max { axis = 2, keep = true }
        return s:shift(1, { axis = 1, edge = 0 }) * top, (top * 2):sum(1)
    end,
    ["columns and indices"] = function(x)
        local e = x * lun.index(COLUMNS) - x:col(3):reshape { ROWS, 1 }
        return e / e:sum { axis = 2, keep = true }
    end,
}

-- How a matrix is divided, which a vector was before; whether rows are whole then.
local function weighted(first, p)
    local weights = {}
    for k = 1, p do weights[k] = k == 1 and first or k == 2 and ROWS * COLUMNS - first or 0 end
    return weights
end

local DIVISIONS = {
    { "not at all", true, function() end },
    { "in blocks", true, function(x) x:distribute "block" end },
    { "in balanced blocks", true, function(x) x:distribute("block", { rule = "balanced" }) end },
    { "with empty parts", true, function(x, p)
        local weights = {}
        for k = 1, p do weights[k] = k == 2 and 1 or 0 end
        x:distribute("block", { weights = weights })
    end },
    { "on one place", true, function(x) x:distribute("single", { device = 2 }) end },
    { "as copies", false, function(x) x:distribute "copy" end },
}
for _, first in ipairs { 1, 63, 64, 65, 299, 301 } do
    DIVISIONS[#DIVISIONS + 1] = { "behind element " .. first, false, nil, first }
end

local function matrix(seed, division, p)
    local v = lun.random(ROWS * COLUMNS, { seed = seed }):copy()
    if division[4] then
        v:distribute("block", { weights = weighted(division[4], p) })
        v = (v * 1):eval()
        return v:reshape(ROWS, COLUMNS)
    end
    local m = v:reshape(ROWS, COLUMNS):copy()
    division[3](m, p)
    return m
end

local function bytes(results)
    for k = 1, results.n do results[k] = results[k]:tobytes() end
    return results
end

local function chained(...)
    local some = false
    for _, kernel in ipairs(lun.explain(...)) do some = some or kernel.chain ~= nil end
    return some
end

describe("chains on sets #place", function()
    onplaces.restore(before_each, after_each)

    local wanted = {}
    setup(function()
        local before = { lun.use() }
        lun.use "openmp"
        for name, f in pairs(PROGRAMS) do
            local x, y = matrix(1, DIVISIONS[1], 1), matrix(2, DIVISIONS[1], 1)
            local w = lun.random({ ROWS, 1 }, { seed = 3 }):copy()
            wanted[name] = bytes(table.pack(lun.eval(f(x, y, w))))
        end
        lun.use(before)
    end)

    for _, set in ipairs { "openmp/2", "openmp/3", "openmp/7", "openmp,reference.2" } do
        it("of " .. set, function()
            local p = #{ lun.use(set) }
            for _, division in ipairs(DIVISIONS) do
                for name, f in pairs(PROGRAMS) do
                    local what = ("%s, %s, %s"):format(set, name, division[1])
                    local x, y = matrix(1, division, p), matrix(2, DIVISIONS[3], p)
                    local w = lun.random({ ROWS, 1 }, { seed = 3 }):copy()
                    local expressions = table.pack(f(x, y, w))
                    if name == "softmax" then
                        local chains = division[2] and not set:find "reference" -- which has no chains
                        assert.equal(chains, chained(table.unpack(expressions)), what)
                    end
                    local told, results = moves.told(table.unpack(expressions))
                    moves.counted(function() results = table.pack(lun.eval(table.unpack(expressions))) end, told, what)
                    local got = bytes(results)
                    for k, want in ipairs(wanted[name]) do
                        assert.is_true(want == got[k], ("%s: result %d has other bits"):format(what, k))
                    end
                end
            end
        end)
    end

    it("move nothing that rows are reduced to", function()
        lun.use "openmp/3"
        local x = matrix(1, DIVISIONS[2], 3)
        softmax(x):eval()
        local again = softmax(x)
        assert.same({}, lun.explain(again).moves)
        moves.counted(function() again:eval() end, moves.told(again))
        local small = lun.random({ 90, 64 }, { seed = 1 }):copy() -- no chain
        small:distribute "block"
        softmax(small):eval()
        assert.same({}, lun.explain((softmax(small))).moves)
    end)

    it("name the first failure by rows, and leave operands", function()
        lun.use "openmp/3"
        local x = lun.full({ ROWS, COLUMNS }, 7, "i64")
        local bad = x // (x * 0 + x:min { axis = 2, keep = true } - 7)
        local ok, text = pcall(function() return (bad - bad:max { axis = 2, keep = true }):eval() end)
        assert.is_false(ok)
        assert.matches("attempt to perform 'n//0'", text)
        assert.equal(ROWS * COLUMNS * 7, x:sum())
    end)
end)
