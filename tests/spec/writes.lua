-- Random sequences of what writes into arrays on a set of places: lun.each, put, set and fill, compared with plain Lua
-- loops. For tests/spec/places/owners_spec.lua and tests/torture/places.lua.
local lun = require "lunarray"
local onplaces = require "onplaces"

local writes = {}

local function distributed(a, p, random)
    local kind = ({ "none", "single", "block", "overlap", "copy" })[random(5)]
    local options = {}
    if kind == "single" then options.device = random(p) end
    if kind == "block" or kind == "overlap" then
        options.rule = ({ "remainder", "ceiling", "balanced" })[random(3)]
        if random(4) == 1 then
            options.rule, options.weights = nil, {}
            for k = 1, p do options.weights[k] = random(0, 3) end
            options.weights[random(p)] = 1
        end
    end
    if kind == "overlap" then options.halo = random(0, 3) end
    a:distribute(kind, options)
    return random(2) == 1 and kind ~= "none" and lun.eval(a + 0):distribute(kind, options) or a, kind
end

-- Halves, so that sums of them are exact, and sums of thirds, which are not.
local function numbers(n, random)
    local list = {}
    for i = 1, n do list[i] = random(-99, 99) / (random(2) == 1 and 2 or 3) end
    return list
end

local function places_of(n, m, random)
    local list = {}
    for i = 1, m do list[i] = random(n) end
    return list
end

-- By name: what a loop, or a call, does to an array a, by the engine and in Lua. x: as many numbers, at: places in a.
local STEPS = {
    { "each element", function(a, x) lun.each(#a, function(i) a[i] = x[i] * 2 end) end,
        function(a, x) for i = 1, #a do a[i] = x[i] * 2 end end },
    { "each element, of what it was", function(a) lun.each(#a, function(i) a[i] = a[i] * 2 + i end) end,
        function(a) for i = 1, #a do a[i] = a[i] * 2 + i end end },
    { "some elements", function(a, x) if #a > 2 then lun.each({ { 2, #a - 1 } }, function(i) a[i + 1] = x[i] + i end) end end,
        function(a, x) for i = 2, #a - 1 do a[i + 1] = x[i] + i end end },
    { "every other one, from behind", function(a, x)
        local w = a:sub(#a, 1, -2)
        lun.each(#w, function(i) w[i] = x[i] end)
    end, function(a, x) for i = #a, 1, -2 do a[i] = x[(#a - i) // 2 + 1] end end },
    { "under a condition", function(a, x) lun.each(#a, function(i) if x[i] > 0 then a[i] = 1 / i end end) end,
        function(a, x) for i = 1, #a do if x[i] > 0 then a[i] = 1 / i end end end },
    { "where it belongs", function(a, x, at) lun.each(#at, function(i) a[at[i]] = x[at[i]] + i end) end,
        function(a, x, at) for i = 1, #at do a[at[i]] = x[at[i]] + i end end },
    { "sums", function(a, x, at) lun.each(#at, function(i) a[at[i]] = a[at[i]] + x[at[i]] / 3 end) end,
        function(a, x, at) for i = 1, #at do a[at[i]] = a[at[i]] + x[at[i]] / 3 end end },
    { "sums, of some rounds", function(a, x, at)
        lun.each(#at, function(i) if x[at[i]] > 0 then a[at[i]] = a[at[i]] + i / 3 end end)
    end, function(a, x, at) for i = 1, #at do if x[at[i]] > 0 then a[at[i]] = a[at[i]] + i / 3 end end end },
    { "one sum", function(a, x) if #a > 0 then lun.each(#a, function(i) a[1] = a[1] + x[i] / 3 end) end end,
        function(a, x) for i = 1, #a do a[1] = a[1] + x[i] / 3 end end },
    { "put", function(a, _, at) if #a > 0 then a:put(at, at * 0.5) end end,
        function(a, _, at) for i = 1, #at do a[at[i]] = at[i] * 0.5 end end },
    { "put with combine", function(a, _, at) if #a > 0 then a:put(at, at / 3, { combine = "+" }) end end,
        function(a, _, at) for i = 1, #at do a[at[i]] = a[at[i]] + at[i] / 3 end end },
    { "put by a function", function(a, _, at)
        if #a > 0 then a:put(at, at / 3, { combine = function(old, x) return old * 0.5 + x end }) end
    end, function(a, _, at) for i = 1, #at do a[at[i]] = a[at[i]] * 0.5 + at[i] / 3 end end },
    { "set", function(a, x) a:set(x) end, function(a, x) for i = 1, #a do a[i] = x[i] end end },
    { "set of a part", function(a, x) if #a > 1 then a:sub(2, #a):set(x:sub(1, #a - 1) * 2) end end,
        function(a, x) for i = 2, #a do a[i] = x[i - 1] * 2 end end },
    { "fill of a part", function(a) if #a > 1 then a:sub(2, #a, 2):fill(7) end end,
        function(a) for i = 2, #a, 2 do a[i] = 7 end end },
    { "one element", function(a) if #a > 0 then a[#a] = 5 end end, function(a) if #a > 0 then a[#a] = 5 end end },
    { "copied, and changed beside what waits for it", function(a)
        local copy, waits, old = a:copy(), a + 0, a:totable()
        lun.each(#a, function(i) a[i // 2 + 1] = a[i // 2 + 1] + 0.5 end)
        local copied, computed = copy:totable(), waits:totable()
        for i, x in ipairs(old) do assert(copied[i] == x and computed[i] == x) end
    end, function(a) for i = 1, #a do a[i // 2 + 1] = a[i // 2 + 1] + 0.5 end end },
    { "used", function(a) lun.eval(a + 1) end, function() end },
}

-- So many random steps on arrays of n elements that are distributed at random over a set, against plain Lua.
function writes.check(seed, set, n, steps)
    local random = onplaces.generator(seed)
    local p = select("#", lun.use(set))
    local xs, values, at = numbers(n, random), numbers(n, random), n > 0 and places_of(n, random(0, 2 * n), random) or {}
    local x, a = lun.vector(table.move(xs, 1, n, 1, {}), "f64"), lun.vector(table.move(values, 1, n, 1, {}), "f64")
    local kind
    a, kind = distributed(a, p, random)
    x = distributed(x, p, random)
    local places = distributed(lun.vector(table.move(at, 1, #at, 1, {}), "i64"), p, random)
    local done = {}
    for _ = 1, steps do
        local step = STEPS[random(#STEPS)]
        done[#done + 1] = step[1]
        local what = ("seed %d, %s, %d elements, %s: %s"):format(seed, set, n, kind, table.concat(done, ", "))
        local ok, message = pcall(step[2], a, x, places)
        if not ok then error(what .. ": " .. tostring(message)) end
        step[3](values, xs, at)
        local is, d = a:distribution()
        if d.diverged or (kind ~= "none" and is == "none") then error(what .. ": " .. is) end
        if random(3) == 1 or #done == steps then
            local got = a:totable()
            for i = 1, n do
                if got[i] ~= values[i] then error(("%s: element %d is %.17g, not %.17g"):format(what, i, got[i], values[i])) end
            end
        end
    end
end

return writes
