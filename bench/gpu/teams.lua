-- The team kernels of examples/ for bench.lua, each beside the plain expression that gives the same: a matrix product
-- by tiles in registers, running sums and a histogram in memory of the team. Given the number of elements, whether
-- the device is a processor, and its units; knows no OpenCL.
local lun = require "lunarray"

-- Both give all of what they compute; it is compared once. What is timed asks for one number of it. The expression's
-- result is let go of, so that it is computed each time.
local function beside(title, bytes, by_teams, expression, last)
    assert(by_teams():eq(expression()):all(), title .. ": the expression gives something else")
    collectgarbage()
    return title, bytes, function() return last(by_teams()) end, function()
        local result = expression()
        local number = last(result)
        result:free()
        return number
    end
end

local function product(t, a, b, c)
    local i0, j0, across = t:index(1) - 1, t:index(2) - 1, t:elements(2)
    local rows, columns = math.min(t:elements(1), #a - i0), math.min(across, #a - j0)
    local sums = t:private("f64", t:elements(1) * across)
    for k = 1, #a do
        for i = 1, rows do
            local x = a[i0 + i][k]
            for j = 1, columns do
                local at = (i - 1) * across + j
                sums[at] = lun.fma(x, b[k][j0 + j], sums[at])
            end
        end
    end
    for i = 1, rows do
        for j = 1, columns do c[i0 + i][j0 + j] = sums[(i - 1) * across + j] end
    end
end

local function scan_blocks(t, sums, totals, x)
    local first = t:index()
    local last = math.min(first + t:elements() - 1, #x)
    local own = 0
    for i = first, last do own = own + x[i] end
    local before, total = t:scan("+", own)
    for i = first, last do
        before = before + x[i]
        sums[i] = before
    end
    t:single(function() totals[t:block()] = total end)
end

local function scan_totals(t, carries, totals)
    local share = (#totals + t:threads() - 1) // t:threads()
    local first = (t:thread() - 1) * share + 1
    local last = math.min(first + share - 1, #totals)
    local own = 0
    for i = first, last do own = own + totals[i] end
    local before = t:scan("+", own)
    for i = first, last do
        carries[i] = before
        before = before + totals[i]
    end
end

local function add_carries(t, sums, carries)
    for i = t:index(), math.min(t:index() + t:elements() - 1, #sums) do sums[i] = sums[i] + carries[t:block()] end
end

local BINS = 32

local function count(t, counts, a)
    local rows = t:scratch("i32", BINS * t:threads())
    local own = (t:thread() - 1) * BINS
    local share = (#a + t:blocks() * t:threads() - 1) // (t:blocks() * t:threads())
    local first = ((t:block() - 1) * t:threads() + t:thread() - 1) * share
    for i = first + 1, math.min(first + share, #a) do
        local bin = own + math.min(math.floor(a[i] * BINS), BINS - 1) + 1
        rows[bin] = rows[bin] + 1
    end
    t:barrier()
    t:each(BINS, function(bin)
        local sum = 0
        for thread = 0, t:threads() - 1 do sum = sum + rows[thread * BINS + bin] end
        counts[t:block()][bin] = sum
    end)
end

return function(n, cpu, units)
    local workloads = {}

    -- Elements are whole numbers: the order of sums does not matter.
    function workloads.teamproduct()
        local edge = math.max(1, math.floor(n ^ 0.5 / 8))
        local A = ((lun.index(edge * edge) * 7) % 13 - 6.0):view { edge, edge }:eval()
        local B = ((lun.index(edge * edge) * 5) % 11 - 5.0):view { edge, edge }:eval()
        local C = lun.zeros { edge, edge }
        local launch = lun.teams(lun.workdiv({ edge, edge },
            cpu and { elements = { 8, 8 } } or { team = { 16, 16 }, elements = { 4, 4 } }))
        return beside(("product of %d x %d, f64"):format(edge, edge), 0, function()
            launch(product, A, B, C)
            return C
        end, function() return A:matmul(B):eval() end, function(result) return result[edge][edge] end)
    end

    function workloads.teamscan()
        local a, threads = ((lun.index(n) * 7919) % 10):eval(), 64
        local division, one = lun.workdiv(n, { team = threads, elements = 16 }), { league = 1, team = threads }
        local blocks = division.league[1]
        local sums, totals, carries = lun.zeros(n, "i64"), lun.zeros(blocks, "i64"), lun.zeros(blocks, "i64")
        return beside("running sums, i64", 16 * n, function()
            lun.teams(division)(scan_blocks, sums, totals, a)
            lun.teams(one)(scan_totals, carries, totals)
            lun.teams(division)(add_carries, sums, carries)
            return sums
        end, function()
            return lun.scan("+", 0, { inclusive = true })(a):eval()
        end, function(result) return result[n] end)
    end

    function workloads.teamhistogram()
        local values = lun.random(n, { seed = 3, dtype = "f32" }):eval()
        local teams = (cpu and 4 or 16) * units
        local launch = lun.teams { league = teams, team = cpu and 16 or 64 }
        local counts = lun.zeros({ teams, BINS }, "i32")
        return beside(("histogram, %d bins, f32"):format(BINS), 4 * n, function()
            launch(count, counts, values)
            return counts:sum(1):eval()
        end, function()
            return values:sub(1, n):histogram(BINS, { range = { 0, 1 } }):eval()
        end, function(result) return result[BINS] end)
    end

    return workloads
end
