-- A model of distributed vectors, written from the rules of docs/places.md with a flag for each element and place, to
-- compare an engine's moves, distributions and values with. Knows nothing of the engine.
local model = {}

local CHUNK = 16384 -- indices that a reduction combines at one place

-- Bounds of the parts of n elements: part k is bounds[k] + 1 .. bounds[k + 1].
function model.bounds(rule, n, p, weights)
    local size, bounds = {}, { 0 }
    for k = 1, p do
        if rule == "ceiling" then
            size[k] = math.max(0, math.min((n + p - 1) // p, n - (n + p - 1) // p * (k - 1)))
        elseif rule == "balanced" then
            size[k] = n // p + (k <= n % p and 1 or 0)
        elseif rule == "weights" then
            local sum, upto = 0, 0
            for i, w in ipairs(weights) do
                sum, upto = sum + w, upto + (i <= k and w or 0)
            end
            size[k] = k == p and n - bounds[k] or math.floor(n * upto / sum) - bounds[k]
        else
            size[k] = k < p and n // p or n - (p - 1) * (n // p)
        end
        bounds[k + 1] = bounds[k] + size[k]
    end
    return bounds
end

-- A vector that the script has made: all on the host, nowhere else.
function model.vector(values, p)
    local v = { values = values, n = #values, kind = "none", host = {}, at = {} }
    for i = 1, v.n do v.host[i] = true end
    for k = 1, p do v.at[k] = {} end
    return v
end

function model.distribute(v, kind, options, p)
    v.kind, v.rule, v.bounds, v.device, v.halo = kind, nil, nil, options.device, options.halo or 1
    if kind == "block" or kind == "overlap" then
        v.rule = options.weights and "weights" or options.rule or "remainder"
        v.bounds = model.bounds(v.rule, v.n, p, options.weights)
    end
end

-- First and last element that belong to place k, halos included or not.
local function part(v, k, halos)
    if v.kind == "copy" or v.kind == "single" and v.device == k then return 1, v.n end
    if not v.bounds or v.bounds[k] == v.bounds[k + 1] then return 1, 0 end
    local halo = halos and v.kind == "overlap" and v.halo or 0
    return math.max(1, v.bounds[k] + 1 - halo), math.min(v.n, v.bounds[k + 1] + halo)
end

function model.counts(v, p)
    local counts = {}
    for k = 1, p do
        local first, last = part(v, k)
        counts[k] = last - first + 1
    end
    return counts
end

function model.fresh(v, p)
    local fresh = { host = true }
    for i = 1, v.n do fresh.host = fresh.host and (v.host[i] or false) end
    for k = 1, p do
        local first, last = part(v, k, true)
        if v.kind == "none" then first, last = 1, v.n end
        fresh[k] = true
        for i = first, last do fresh[k] = fresh[k] and (v.at[k][i] or false) end
    end
    return fresh
end

-- The place that element i belongs to, and its last one; nil: to none, or to several.
local function owner(v, i)
    for k = 1, v.bounds and #v.at or 0 do
        if v.bounds[k] < i and i <= v.bounds[k + 1] then return k, v.bounds[k + 1] end
    end
end

-- Elements first .. last become current at place `to`, 0: the host. Each run from one place is a move; of a place to which
-- elements belong, of these.
local function ensure(v, to, first, last, moves)
    local has = to == 0 and v.host or v.at[to]
    local function source(i)
        if has[i] then return nil end
        if v.host[i] then return 0 end
        local own, final = owner(v, i)
        if own and own ~= to and to ~= 0 and v.at[own][i] then return own, final end
        for k = 1, #v.at do
            if v.at[k][i] then return k end
        end
        error "an element is nowhere"
    end
    local i = first
    while i <= last do
        local from, most = source(i)
        local stop = i + 1
        while stop <= math.min(last, most or last) and from and not has[stop] and (from == 0 and v.host or v.at[from])[stop] do
            stop = stop + 1
        end
        if from then moves[#moves + 1] = { from = from, to = to, bytes = 8 * (stop - i) } end
        i = stop
    end
    for k = first, last do has[k] = true end
end

-- How the indices of a kernel on these operands are cut.
local function agree(operands, p)
    local function same(a, b)
        if a.bounds and b.bounds then return table.concat(a.bounds, " ") == table.concat(b.bounds, " ") end
        return a.kind == b.kind and a.device == b.device and not a.bounds
    end
    local first, block, differ
    for _, v in ipairs(operands) do
        if v.kind ~= "none" then
            first = first or v
            block = block or v.bounds and v
            differ = differ or not same(first, v)
        end
    end
    local like = not differ and first or block
    if not like then
        local n = operands[1].n
        return { kind = "block", rule = "remainder", n = n, bounds = model.bounds("remainder", n, p) }
    end
    return { kind = like.bounds and "block" or like.kind, rule = like.rule, n = like.n, bounds = like.bounds,
        device = like.device }, same
end

local function settle(operands, cut)
    for _, v in ipairs(operands) do
        local same = v.bounds and cut.bounds and table.concat(v.bounds, " ") == table.concat(cut.bounds, " ")
            or not v.bounds and v.kind == cut.kind and v.device == cut.device
        if not same then v.kind, v.rule, v.bounds, v.device = cut.kind, cut.rule, cut.bounds, cut.device end
    end
end

-- f of the operands, element by element: the result, and the moves in order.
function model.map(f, operands, p)
    local moves, cut, values = {}, agree(operands, p), {}
    for i = 1, cut.n do
        local row = {}
        for k, v in ipairs(operands) do row[k] = v.values[i] end
        values[i] = f(table.unpack(row))
    end
    local result = model.vector(values, p)
    result.host, result.kind, result.rule, result.bounds, result.device = {}, cut.kind, cut.rule, cut.bounds, cut.device
    for k = 1, p do
        local first, last = part(cut, k)
        if first <= last then
            for _, v in ipairs(operands) do ensure(v, k, first, last, moves) end
        end
        for i = first, last do result.at[k][i] = true end
    end
    settle(operands, cut)
    return result, moves
end

-- A whole reduction: each chunk is combined at the place of its last element.
function model.reduce(v, p)
    local moves, cut = {}, agree({ v }, p)
    for k = 1, p do
        local first, last = v.n + 1, 0
        for chunk = 1, (v.n + CHUNK - 1) // CHUNK do
            local low, high = (chunk - 1) * CHUNK + 1, math.min(chunk * CHUNK, v.n)
            local a, b = part(cut, k)
            if a <= high and high <= b and not (cut.kind == "copy" and k > 1) then
                first, last = math.min(first, low), high
            end
        end
        ensure(v, k, first, last, moves)
    end
    settle({ v }, cut)
    return moves
end

function model.read(v)
    local moves = {}
    ensure(v, 0, 1, v.n, moves)
    return moves
end

-- The script writes element i: nothing else is current any more.
function model.write(v, i, x)
    local moves = model.read(v)
    for k = 1, #v.at do v.at[k] = {} end
    v.values[i] = x
    return moves
end

-- What the counters gain by moves.
function model.counted(moves)
    local c = { moves = #moves, bytes_moved = 0, bytes_to_device = 0, bytes_to_host = 0 }
    for _, m in ipairs(moves) do
        local which = m.from == 0 and "bytes_to_device" or m.to == 0 and "bytes_to_host" or "bytes_moved"
        c[which] = c[which] + m.bytes
    end
    return c
end

return model
