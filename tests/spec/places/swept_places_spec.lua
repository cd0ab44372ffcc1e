-- Sweeps on sets: stencils one after the other are one run at each place, which computes a few slices of its neighbours', too.
-- They have the bits of one place, and move what the plan says, once.
local lun = require "lunarray"
local onplaces = require "onplaces"
local moves = require "moves"

local cross = lun.stencil(function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) * 0.25 end)
local function far(edge)
    return lun.stencil(function(x) return x(-2, 0) - x(2, 1) + x(0, 0) * 0.5 end, { radius = 2, edge = edge })
end

local function times(f, x, n)
    for _ = 1, n do x = f(x) end
    return x
end

-- Whether expressions of x are swept on sets, the shape of x, the expressions, and whether they are swept also where x, which
-- the first one does not read at its own index then, is not in equal blocks.
local SHAPE, CUBE = { 701, 600 }, { 203, 40, 64 }
local PROGRAMS = {
    { "four stencils", true, SHAPE, function(x) return times(cross, x, 4) end, true },
    { "of reach two, nearest", true, SHAPE, function(x) return times(far "nearest", x, 3) end },
    { "wrapped rows", true, SHAPE, function(x) return times(far { "nearest", "wrap" }, x, 3) end },
    { "a number beyond the ends", true, SHAPE, function(x) return times(far(2.5), x, 2) end },
    { "wrapped", false, SHAPE, function(x) return times(far "wrap", x, 2) end },
    { "one-sided", false, SHAPE, function(x)
        return times(lun.stencil(function(y) return y(-1, 0) + y(0, 0) end), x, 3)
    end },
    { "results within", true, SHAPE, function(x)
        local one = cross(x)
        local two = cross(one)
        return cross(two) + two, one, two
    end, true },
    { "of three axes", true, CUBE, function(x)
        return times(lun.stencil(function(y) return y(-1, 0, 0) + y(1, 0, 0) - y(0, 0, 1) * y(0, -1, 0) end), x, 3)
    end, true },
    { "two of one", true, SHAPE, function(x) return cross(cross(x) + x * 2) - cross(x + 1) end },
    { "two arrays", false, SHAPE, function(x)
        local y = lun.random(SHAPE, { seed = 9 }):copy()
        return cross(cross(x) + y * 2)
    end },
}

local function divided(shape, how)
    local n = 1
    for _, extent in ipairs(shape) do n = n * extent end
    local x = lun.random(shape, { seed = n }):copy()
    if how == "weights" then
        local weights = {}
        for k = 1, #{ lun.use() } do weights[k] = k end
        x:distribute("block", { weights = weights })
    elseif how ~= "none" then
        x:distribute(how, how == "single" and { device = 2 } or nil)
    end
    return x
end

local function swept(...)
    for _, kernel in ipairs(lun.explain(...)) do
        if kernel.sweep and kernel.chain then return true end
    end
    return false
end

describe("sweeps on sets #place", function()
    onplaces.restore(before_each, after_each)

    local wanted = {}
    setup(function()
        local before = { lun.use() }
        lun.use "openmp"
        for i, p in ipairs(PROGRAMS) do
            local results = table.pack(lun.eval(p[4](divided(p[3], "none"))))
            for k = 1, results.n do results[k] = results[k]:tobytes() end
            wanted[i] = results
        end
        lun.use(before)
    end)

    for _, set in ipairs { "openmp/2", "openmp/3", "openmp/7", "openmp,reference.2" } do
        it("of " .. set, function()
            lun.use(set)
            for i, p in ipairs(PROGRAMS) do
                for _, how in ipairs { "none", "block", "weights", "single", "copy", "overlap" } do
                    local what = ("%s, %s, %s"):format(set, p[1], how)
                    local e = table.pack(p[4](divided(p[3], how)))
                    local blocks = how == "none" or how == "block" or how == "overlap"
                    local can = not set:find "reference" -- which has no sweeps
                    assert.equal(can and p[2] and (blocks or p[5] == true), swept(table.unpack(e)), what)
                    local told, results = moves.told(table.unpack(e))
                    moves.counted(function() results = table.pack(lun.eval(table.unpack(e))) end, told, what)
                    for k, want in ipairs(wanted[i]) do
                        assert.is_true(want == results[k]:tobytes(), ("%s: result %d has other bits"):format(what, k))
                    end
                    local behind = results[1] * 2 -- where the parts are
                    moves.counted(function() behind:eval() end, moves.told(behind), what)
                end
            end
        end)
    end

    it("move one halo for all stencils", function()
        lun.use "openmp/2"
        local x = divided(SHAPE, "block")
        x = (x * 1):eval()
        local row = SHAPE[2] * 8
        assert.same({ moves = 2, bytes_moved = 8 * row, bytes_to_host = 0, bytes_to_device = 0 }, moves.told(times(cross, x, 4)))
        moves.counted(function() times(cross, x, 4):eval() end, moves.told(times(cross, x, 4)))
        assert.same({}, lun.explain(times(cross, x, 4)).moves) -- it stays
    end)
end)
