-- Random graphs evaluated in one go and operation by operation: fusing must never cost more than 5%. Shared
-- nodes, several results, reductions, cheap operations and costly ones. Times are of the processor, the least
-- of alternating repetitions, so that other work on the machine counts little.
-- usage: lunarray bench/graphs.lua [graphs [elements [seed]]]

local lun = require "lunarray"

local graphs, n, seed = tonumber(arg[1]) or 200, tonumber(arg[2]) or 200000, tonumber(arg[3]) or 1
local REPS, MOST = 7, 1.05

local cheap = {
    function(a, b) return a + b end,
    function(a, b) return a - b end,
    function(a, b) return a * b end,
    function(a, b) return a:min(b) end,
    function(a, b) return lun.where(a:lt(b), a, b * 0.5) end,
    function(a) return a:abs() + 0.25 end,
    function(a) return a * 0.5 end,
}
local dear = {
    function(a) return (a * 0.125):exp() end,
    function(a) return a:sin() end,
    function(a) return (a:abs() + 1):log() end,
    function(a) return a:tanh() end,
    function(a, b) return (a:abs() + 1) ^ (b:abs():min(1)) end,
}

-- The graph with that number as a list of steps: operation, operands by number. Leaves come first.
local function make(number)
    math.randomseed(seed * 1000003 + number)
    local g = { leaves = math.random(1, 4), steps = {}, results = {} }
    local count, deep = math.random(2, 24), math.random() < 0.5
    for i = 1, count do
        local made = g.leaves + i - 1
        local function operand()
            -- long chains, or operands from everywhere: much is shared then
            return deep and math.random() < 0.7 and made or math.random(1, made)
        end
        local heavy = math.random() < 0.25
        local list = heavy and dear or cheap
        g.steps[i] = { list[math.random(#list)], operand(), operand() }
    end
    g.results[1] = g.leaves + count
    for _ = 1, math.random(0, 2) do
        g.results[#g.results + 1] = math.random(g.leaves + 1, g.leaves + count)
    end
    g.sum = math.random() < 0.25
    -- what no result needs is not built: fusing would leave it out, which is another matter
    g.live = {}
    for _, r in ipairs(g.results) do
        g.live[r] = true
    end
    for i = count, 1, -1 do
        if g.live[g.leaves + i] then
            g.live[g.steps[i][2]], g.live[g.steps[i][3]] = true, true
        end
    end
    return g
end

local leaves = {}
for i = 1, 4 do
    leaves[i] = lun.random(n, { seed = i, dtype = "f32" }):copy()
end

-- Seconds of one evaluation; each: what happens after an operation. The last step differs each time, or else
-- computed elements would be found.
local function run(g, salt, each, show)
    local value = table.move(leaves, 1, g.leaves, 1, {})
    value[1] = value[1]:copy()
    value[1][1] = salt
    local start = os.clock()
    for i, step in ipairs(g.steps) do
        if g.live[g.leaves + i] then
            value[g.leaves + i] = each(step[1](value[step[2]], value[step[3]]))
        end
    end
    local results = {}
    for i, r in ipairs(g.results) do
        results[i] = g.sum and value[r]:map(lun.op.abs):reduce("+", 0) or value[r]
    end
    if show then
        for _, r in ipairs(results) do
            print(lun.explain(r))
        end
    end
    lun.eval(table.unpack(results))
    local time = os.clock() - start
    for i in pairs(value) do value[i] = nil end
    collectgarbage()
    return time
end

local function keep(x) return x end

local slower, ratios = {}, {}
for number = 1, graphs do
    local g = make(number)
    local fused, apart = math.huge, math.huge
    for rep = 0, REPS do
        local f, a = run(g, rep, keep), run(g, rep + 0.5, lun.eval)
        if rep > 0 then
            fused, apart = math.min(fused, f), math.min(apart, a)
        end
    end
    ratios[number] = fused / apart
    if fused > MOST * apart then
        slower[#slower + 1] = ("graph %d: %.2f (%d operations, %d results%s)"):format(
            number, fused / apart, #g.steps, #g.results, g.sum and ", reduced" or "")
    end
end
table.sort(ratios)
print(("fused / apart over %d graphs: least %.2f, median %.2f, most %.2f; %d above %.2f"):format(
    graphs, ratios[1], ratios[#ratios // 2 + 1], ratios[#ratios], #slower, MOST))
for _, line in ipairs(slower) do
    print(line)
end
