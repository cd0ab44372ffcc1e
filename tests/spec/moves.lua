-- Random expressions on distributed arrays: what lun.explain tells beforehand against the counters afterwards, and values
-- against one place. For tests/spec/places/redistribution_spec.lua and tests/torture/places.lua.
local lun = require "lunarray"
local onplaces = require "onplaces"

local moves = {}

local NAMES = { "moves", "bytes_moved", "bytes_to_host", "bytes_to_device" }

-- What the plan of some expressions says that the counters will gain.
function moves.told(...)
    local told = { moves = 0, bytes_moved = 0, bytes_to_host = 0, bytes_to_device = 0 }
    for _, m in ipairs(lun.explain(...).moves) do
        local name = (m.from == "host" or m.from == "file") and "bytes_to_device" or m.to == "host" and "bytes_to_host" or "bytes_moved"
        told.moves = told.moves + 1
        told[name] = told[name] + m.bytes
        local up, down = m.to:find "^opencl", m.from:find "^opencl"
        if name == "bytes_moved" and up ~= down then -- between a device and a place on the host
            name = up and "bytes_to_device" or "bytes_to_host"
            told[name] = told[name] + m.bytes
        end
    end
    return told
end

-- What they gain by f, which has to be that.
function moves.counted(f, told, what)
    local old = lun.stats()
    f()
    local new, gains = lun.stats(), {}
    for _, name in ipairs(NAMES) do
        gains[name] = new[name] - old[name]
        if gains[name] ~= told[name] then
            error(("%s: %s: explain tells %d, the counters %d"):format(what or "", name, told[name], gains[name]), 2)
        end
    end
    return gains
end

local SIZES = { 1, 2, 3, 4, 5, 63, 64, 65, 1000, 16383, 16385 }

-- Vectors are made the same way for each set: whole numbers, and halves, whose sums are exact.
local function operands(n, p, random)
    local all = {}
    for k = 1, 3 do
        local v = ((lun.range(1, n) * (2 * k + 1)) % 97 * 0.5):copy()
        local kind = ({ "none", "block", "single", "copy", "overlap" })[random(5)]
        local rule = ({ "remainder", "ceiling", "balanced" })[random(3)]
        local device = random(5)
        local options = kind == "single" and { device = (device - 1) % p + 1 } or {}
        if kind == "block" or kind == "overlap" then options.rule = rule end
        local used = random(2) == 1
        if p > 1 then v:distribute(kind, options) end
        if used then v = (v + 1):eval() end
        all[k] = v
    end
    return all
end

local FORMS = {
    function(a, b) return a + b end,
    function(a, b) return (a * b - 3):max(b) end,
    function(a) return a:scan("+", 0) end,
    function(a, b) return (a + b):scan("+", 1, { inclusive = true }) end,
    function(a) return a:sub(#a, 1, -1) * 1 end,
    function(a, b) return #a > 2 and a:sub(2, #a - 1) + b:sub(3, #a) or a + b end,
    function(a, b) return lun.generate(#a, function(i) return a[#a + 1 - i] + b[i] end) end,
    function(a) return a:pad(1, "wrap"):sub(1, #a) + a end,
    function(a, b) return lun.where(a:gt(b), a, b) end,
    function(a) return a:sort() end,
    function(a, b) return lun.concat { a, b }:sub(1, #a) * 1 end,
    function(a)
        local rows = #a % 5 == 0 and 5 or 1
        local m = a:reshape(rows, #a // rows)
        return (m - m:mean { axis = 2, keep = true }):flatten()
    end,
    function(a)
        local rows = #a % 4 == 0 and 4 or 1
        return a:reshape(rows, #a // rows):sum(1) * 1
    end,
    function(a) return a:reshape(1, #a):matmul(a:reshape(#a, 1)):flatten() end,
    function(a, b)
        local rows = #a % 4 == 0 and 4 or #a % 3 == 0 and 3 or 1
        return a:reshape(rows, #a // rows):matmul(b:reshape(#a // rows, rows)):flatten()
    end,
}

local function build(random, vectors)
    local a, b, form = vectors[random(3)], vectors[random(3)], random(#FORMS)
    local e, text = FORMS[form](a, b), "form " .. form
    if random(2) == 1 and #e == #a then
        form = random(#FORMS)
        e, text = FORMS[form](e, vectors[random(3)]), text .. " in form " .. form
    end
    return e, text
end

-- The expressions that a seed gives, on each of these sets, and on one place.
function moves.check(seed, sets)
    local wanted
    for k, set in ipairs { "openmp", table.unpack(sets) } do
        local places = { lun.use(set) }
        local random = onplaces.generator(seed)
        local vectors = operands(SIZES[random(#SIZES)], #places, random)
        local results = {}
        for i = 1, 4 do
            local e, text = build(random, vectors)
            local what = ("seed %d, %s, expression %d, %s of %d elements"):format(seed, set, i, text, #vectors[1])
            if k > 1 then moves.counted(function() lun.eval(e) end, moves.told(e), what) end
            results[i] = e:tobytes()
            if wanted and wanted[i] ~= results[i] then error(what .. ": other bits than on one place") end
            if #e == #vectors[1] then vectors[random(3)] = e end
        end
        wanted = wanted or results
    end
end

return moves
