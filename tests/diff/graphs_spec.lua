-- Random expression graphs: evaluated as a whole on every backend, so that everything fuses that can,
-- against the oracle's elements, step by step. LUNARRAY_DIFF_GRAPHS sets how many, LUNARRAY_DIFF_SEED
-- where they begin. A failure shows the code of the graph. A device takes part in one batch of DEVICE_EVERY;
-- all operations of these graphs are exact, so its bits are the host's.
local harness = require "diff.harness"
local lun = require "lunarray"
local graphs = require "diff.graphs"
local operands = require "diff.operands"

local describe_op = require "lunarray.core".internal.describe

local COUNT = tonumber(os.getenv "LUNARRAY_DIFF_GRAPHS") or 300
local SEED = tonumber(os.getenv "LUNARRAY_DIFF_SEED") or 1
local TOGETHER = 6 -- graphs that are evaluated at once
local DEVICE_EVERY = 17

local function arity_of(name)
    return (select(3, describe_op(lun.op[name])))
end

-- The values that are asked for: the last ones, which hang on most others, and one more of them.
local function chosen(graph)
    local last = #graph.values
    return { last, math.max(last - 1, 1), math.max(last - 3, 1), graph.g.pick(last) }
end

-- A graph with its leaves written out, to be run by itself.
local function script(graph, code)
    local lines = {}
    for i, one in ipairs(graph.leaves) do
        local texts = {}
        for k, x in ipairs(one.list) do
            texts[k] = x ~= x and "0/0" or math.type(x) == "float" and
                (math.abs(x) == math.huge and (x < 0 and "-1/0" or "1/0") or (("%a"):format(x):gsub(",", "."))) or tostring(x)
        end
        lines[i] = ("  lun.vector({ %s }, %q),"):format(table.concat(texts, ", "), one.t.name)
    end
    return ("local leaves = {\n%s\n}\nlocal function leaf(i) return leaves[i] end\n%s"):format(
        table.concat(lines, "\n"), code)
end

local lengths = { 1, 2, 63, 64, 65, 100, 130 }

local function run_batch(seeds)
    local made = {}
    local n = lengths[seeds[1] % #lengths + 1]
    for i, seed in ipairs(seeds) do
        local graph = graphs.make(operands.generator(seed), n, arity_of)
        local wanted = chosen(graph)
        local build, code = graphs.compile(graph, wanted)
        made[i] = { seed = seed, graph = graph, wanted = wanted, build = build, code = code }
    end
    local results = harness.run(function()
        local entries = {}
        for _, m in ipairs(made) do
            local arrays = m.build(lun, function(k)
                local one = m.graph.leaves[k]
                return harness.array(one.t, one.list)
            end)
            for k, array in ipairs(arrays) do
                entries[#entries + 1] = { array = array,
                    label = ("graph of seed %d: %s"):format(m.seed, m.graph.values[m.wanted[k]].name) }
            end
        end
        return entries
    end, nil, DEVICE_EVERY)
    local index = 0
    for _, m in ipairs(made) do
        local before = #harness.failures
        for _, k in ipairs(m.wanted) do
            index = index + 1
            local v = m.graph.values[k]
            harness.expect(results, index, v.t, v.list, #v.list)
        end
        if #harness.failures > before then
            harness.fail("%s", script(m.graph, m.code))
        end
    end
    harness.same_bits(results, nil, true)
end

describe("random graphs", function()
    it(("%d of them, from seed %d on"):format(COUNT, SEED), function()
        for first = SEED, SEED + COUNT - 1, TOGETHER do
            local seeds = {}
            for seed = first, math.min(first + TOGETHER, SEED + COUNT) - 1 do
                seeds[#seeds + 1] = seed
            end
            run_batch(seeds)
        end
        harness.finish()
    end)
end)

teardown(harness.report)
