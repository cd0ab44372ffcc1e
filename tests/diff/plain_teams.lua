-- What lun.teams is in plain Lua, for comparison: the threads of a team are coroutines, which run one after the other
-- between barriers. Knows nothing of Lunarray.
local plain = {}

local AXES = 8

-- Extents along all axes of a number, a list or nil.
function plain.extents(x)
    local list = type(x) == "table" and { table.unpack(x) } or { x }
    for d = #list + 1, AXES do list[d] = 1 end
    return list
end

-- The number along each axis of a row-major one.
local function split(number, extent)
    local at = {}
    number = number - 1
    for d = AXES, 1, -1 do
        at[d], number = number % extent[d] + 1, number // extent[d]
    end
    return at
end

local function all(x)
    local n = 1
    for d = 1, AXES do n = n * x[d] end
    return n
end

local operations = {
    ["+"] = { function(a, b) return a + b end, 0 },
    ["*"] = { function(a, b) return a * b end, 1 },
    ["&"] = { function(a, b) return a & b end, -1 },
    ["|"] = { function(a, b) return a | b end, 0 },
    ["~"] = { function(a, b) return a ~ b end, 0 },
    min = { math.min },
    max = { math.max },
}

-- The tree of adjacent pairs over list[from .. from + count - 1].
local function pairwise(op, list, from, count)
    while count > 1 do
        local next, n = {}, 0
        for i = from, from + count - 1, 2 do
            n = n + 1
            if i + 1 < from + count then next[n] = op(list[i], list[i + 1]) else next[n] = list[i] end
        end
        list, from, count = next, 1, n
    end
    return list[from]
end

-- A whole reduction: by an operation in 64 lanes of chunks of 16384, by a function in pairs.
local function whole(how, n, g, id)
    local cells = {}
    if type(how) == "function" then
        for i = 1, n do cells[i] = g(i) end
        if n == 0 then return id end
        return pairwise(how, cells, 1, n)
    end
    local op, first = operations[how][1], operations[how][2]
    for c = 1, n, 16384 do
        local lanes = {}
        for i = c, math.min(n, c + 16383) do
            local lane = (i - c) % 64 + 1
            if lanes[lane] or first then
                lanes[lane] = op(lanes[lane] or first, g(i))
            else
                lanes[lane] = g(i)
            end
        end
        local half = 32
        while half > 0 do
            for l = 1, half do
                if lanes[l + half] then lanes[l] = op(lanes[l], lanes[l + half]) end
            end
            half = half // 2
        end
        cells[#cells + 1] = lanes[1]
    end
    if #cells == 0 then return first end
    return pairwise(op, cells, 1, #cells)
end

-- t of one thread of one team; `shared` is the team's.
local function object(league, team, elements, block, thread, shared)
    local t = {}
    local at, mine, arrays = split(block, league), split(thread, team), 0
    function t.block(_, d) return d and at[d] or block end
    function t.blocks(_, d) return d and league[d] or all(league) end
    function t.thread(_, d) return d and mine[d] or thread end
    function t.threads(_, d) return d and team[d] or all(team) end
    function t.elements(_, d) return d and elements[d] or all(elements) end
    function t:index(d)
        return ((self:block(d) - 1) * self:threads(d) + self:thread(d) - 1) * self:elements(d) + 1
    end
    function t:private(dtype, n, ...)
        local memory, zero = {}, dtype:find "f" and 0.0 or dtype ~= "bool" and 0
        for i = 1, n do memory[i] = ... and self:private(dtype, ...) or zero end
        return memory
    end
    function t:scratch(...)
        arrays = arrays + 1
        shared.scratch[arrays] = shared.scratch[arrays] or self:private(...)
        return shared.scratch[arrays]
    end
    function t.barrier() coroutine.yield() end
    function t:vector(n, g) for i = 1, n do g(i) end return self end
    function t:each(n, g, how)
        for i = thread, n, self:threads() do g(i) end
        if not how then self:barrier() end
    end
    function t:single(g)
        if thread == 1 then g() end
        self:barrier()
    end
    local function exchange(x, f)
        shared.values[thread] = x
        t:barrier()
        local a, b = f(shared.values)
        t:barrier()
        return a, b
    end
    function t.broadcast(_, x, from) return exchange(x, function(values) return values[from] end) end
    function t:reduce(how, x, g, id)
        if g then return whole(how, x, g, id) end
        local op = type(how) == "function" and how or operations[how][1]
        return exchange(x, function(values)
            local s = values[1]
            for k = 2, self:threads() do s = op(s, values[k]) end
            return s
        end)
    end
    function t:scan(how, x, id)
        local op = type(how) == "function" and how or operations[how][1]
        return exchange(x, function(values)
            local s, own = id or operations[how][2]
            for k = 1, self:threads() do
                if k == thread then own = s end
                s = op(s, values[k])
            end
            return own, s
        end)
    end
    return t
end

-- lun.teams(how)(f, ...); backwards: the last thread runs first.
function plain.run(how, backwards, f, ...)
    local league, team, elements = plain.extents(how.league), plain.extents(how.team), plain.extents(how.elements)
    local threads = all(team)
    for block = 1, all(league) do
        local shared, running = { scratch = {}, values = {} }, {}
        for thread = 1, threads do
            local t = object(league, team, elements, block, thread, shared)
            running[thread] = coroutine.create(function(...) f(t, ...) end)
        end
        while next(running) do
            for k = 1, threads do
                local thread = backwards and threads + 1 - k or k
                local co = running[thread]
                if co then
                    local ok, message = coroutine.resume(co, ...)
                    if not ok then error(message, 0) end
                    if coroutine.status(co) == "dead" then running[thread] = nil end
                end
            end
        end
    end
end

return plain
