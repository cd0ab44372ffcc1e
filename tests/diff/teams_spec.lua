-- Random functions of lun.teams (teams.lua) on all backends, compared with plain Lua, in which threads run one after the
-- other between barriers; no race is found in them. LUNARRAY_DIFF_TEAMS sets how many, LUNARRAY_DIFF_SEED where they begin,
-- LUNARRAY_DIFF_ON a backend that runs all of them, and alone.
local harness = require "diff.harness"
local lun = require "lunarray"
local plain = require "diff.plain_teams"
local teams = require "diff.teams"

local COUNT = tonumber(os.getenv "LUNARRAY_DIFF_TEAMS") or 60
local SEED = tonumber(os.getenv "LUNARRAY_DIFF_SEED") or 1
local ALONE = os.getenv "LUNARRAY_DIFF_ON"
local COMPILED_EVERY, DEVICE_EVERY = 10, 20 -- the interpreter runs them all
local SHAPES = { { 1, 1 }, { 3, 2 }, { 2, 7 }, { 65, 3 }, { 2, 64 }, { 1, 100 }, { 2, 33 } }

-- lun.atomic on tables.
local atomic = {
    add = function(h, i, x) h[i] = h[i] + x end,
    sub = function(h, i, x) h[i] = h[i] - x end,
    min = function(h, i, x) h[i] = math.min(h[i], x) end,
    max = function(h, i, x) h[i] = math.max(h[i], x) end,
    bor = function(h, i, x) h[i] = h[i] | x end,
    bxor = function(h, i, x) h[i] = h[i] ~ x end,
}

local function numbers(n, f)
    local list = {}
    for i = 1, n do list[i] = f(i) end
    return list
end

-- Numbers whose products differ from team to team, one generator for each program.
local function generator(seed)
    local state = seed * 2654435761 % 4294967296
    return function(low, high)
        if not high then low, high = 1, low end
        state = (state * 6364136223846793005 + 1442695040888963407) & math.maxinteger
        return low + (state >> 33) % (high - low + 1)
    end
end

local function same(a, b)
    for i = 1, #a do
        if a[i] ~= b[i] then return false end
    end
    return #a == #b
end

-- What is wrong with program number `seed` on a backend, or nil.
local function one(seed, backend)
    local random = generator(seed)
    local text = teams.write(random)
    local shape = SHAPES[random(#SHAPES)]
    local how = { league = shape[1], team = shape[2], check = backend == "reference" and seed % 2 == 1 }
    local x = numbers(shape[1], function() return random(-50, 50) end)
    local w, h = numbers(shape[1] * shape[2], function(i) return i end), { 0, 0, 0, 0, -5, 5, 0, 0 }
    local reals = { 0.0, -3.0 }
    local made = assert(load(text, "=team", "t"))
    lun.use(backend)
    local v, counts, sums = lun.vector(w, "i64"), lun.vector(h, "i64"), lun.vector(reals, "f64")
    local ok, message = pcall(lun.teams(how), made(lun.atomic), v, counts, sums, lun.vector(x, "i64"))
    if not ok then return ("%s\n%s"):format(message, text) end
    plain.run(how, seed % 2 == 0, assert(load(text))(atomic), w, h, reals, x)
    if not (same(w, v:totable()) and same(h, counts:totable()) and same(reals, sums:totable())) then
        return ("other numbers on %s, seed %d, %d teams of %d:\n%s"):format(backend, seed, shape[1], shape[2], text)
    end
end

describe("random team kernels", function()
    local before = lun.use()

    teardown(function()
        lun.use(before)
    end)

    it(("%d of them, from seed %d on"):format(COUNT, SEED), function()
        harness.programs(SEED, COUNT, COMPILED_EVERY, function(seed, compiled)
            if ALONE then return { ALONE } end
            local backends = { "reference" }
            if compiled then backends[2] = "openmp" end
            if seed % DEVICE_EVERY == 1 and harness.device then backends[#backends + 1] = harness.device end
            return backends
        end, one)
    end)
end)

teardown(harness.report)
