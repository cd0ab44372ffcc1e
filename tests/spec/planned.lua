-- Sixty expressions whose plans are compared with golden texts, and what such a text has: kernels with their IR, what each
-- location runs, moves and exchanges with their bytes. What hangs on caches, threads and vectors is left out: chain, sweep, staged,
-- the kernels' source, and the bytes that they read and write, which are fewer in a sweep. A plan with the kernels
-- of the one above it does not repeat their IR.
local lun = require "lunarray"

local planned = {}

local N = 100003

-- In host memory; what the elements are does not matter, since nothing is computed from them but by lun.eval below.
local function line(n, dtype)
    n, dtype = n or N, dtype or "f64"
    return lun.frombytes(("\0"):rep(n * #lun.zeros(1, dtype):tobytes()), dtype)
end

local function matrix(rows, columns, dtype)
    return line(rows * columns, dtype):reshape(rows, columns)
end

local function block(x, options)
    return x:distribute("block", options)
end

local function add(x, y)
    return x + y
end

-- { name, what gives expressions }: run on each set.
planned.list = {
    { "a + 1, new operand", function() return line() + 1 end },
    { "(a + b) * (a - b)", function()
        local a, b = line(), line()
        return (a + b) * (a - b)
    end },
    { "the same, distributed and moved", function()
        local a, b = block(line()), block(line())
        lun.eval(a + b)
        return (a + b) * (a - b)
    end },
    { "blocks of two rules", function() return block(line()) * block(line(), { rule = "balanced" }) end },
    { "blocks of two rules, moved", function()
        local a, b = block(line()), block(line(), { rule = "balanced" })
        lun.eval(a + 1, b + 1)
        return a * b
    end },
    { "a block and a copy", function()
        return block(line()) + line():distribute "copy"
    end },
    { "one at the first location", function()
        return line():distribute("single", { device = 1 }) * 2
    end },
    { "one operation of each dtype", function()
        return line(nil, "f32"):sqrt() + line(nil, "i32"), line(nil, "u8") // 3
    end },
    { "a function of Lua", function()
        return line():map(function(x)
            if x > 500 then return x * 2 end
            return x - 1
        end)
    end },
    { "a function with a loop", function()
        return line():map(function(x)
            local y = 0.0
            for k = 1, 9 do y = y + x / k end
            return y
        end)
    end },
    { "a large expression, cut", function()
        local x = line()
        for k = 1, 300 do x = x * 1.5 + k end
        return x
    end },
    { "many operands", function()
        local x = line()
        for _ = 1, 70 do x = x + line() end
        return x
    end },
    { "index and random", function() return lun.index(N) * 2 + lun.random(N, { seed = 1 }) end },
    { "generate", function() return lun.generate({ 300, 200 }, function(i, j) return i * j end) end },
    { "three results of one kernel", function()
        local a = line()
        return a + 1, a * 2, a - 3
    end },
    { "a shared part", function()
        local a = line():exp()
        return a + 1, a:lazy "sum"
    end },
    { "sum", function() return line():lazy "sum" end },
    { "sum, distributed", function() return block(line()):lazy "sum" end },
    { "sum, distributed and moved", function()
        local a = block(line())
        lun.eval(a + 1)
        return a:lazy "sum"
    end },
    { "sum of a product", function() return (line() * line()):lazy "sum" end },
    { "sum of a product, moved", function()
        local a, b = block(line()), block(line())
        lun.eval(a + b)
        return (a * b):lazy "sum"
    end },
    { "min, max, count", function()
        local a = line()
        return a:lazy "min", a:lazy "max", a:gt(3):lazy "count"
    end },
    { "argmin", function() return line():lazy "argmin" end },
    { "reduce by a function", function() return line():reduce(add, 0) end },
    { "short", function() return line(5) + 1, line(5):lazy "sum" end },
    { "shorter than the set", function() return block(line(2)) + 1 end },
    { "empty", function() return line(3):sub(1, 0) + 1 end },
    { "a chunk each", function() return block(line(3 * 16384)):lazy "sum" end },
    { "sums of rows", function() return block(matrix(1000, 64)):lazy("sum", 2) end },
    { "sums of short rows", function() return block(matrix(30000, 3)):lazy("sum", 2) end },
    { "sums of columns", function() return block(matrix(10000, 10)):lazy("sum", 1) end },
    { "sums of many columns", function() return block(matrix(300, 300)):lazy("sum", 1) end },
    { "means and norms of rows", function()
        local m = block(matrix(1000, 64))
        return m - m:mean { axis = 2, keep = true }
    end },
    { "columns by a function", function() return block(matrix(10000, 10)):reduce(add, 0, { axis = 1 }) end },
    { "softmax", function()
        local m = block(matrix(1000, 64))
        local e = (m - m:max { axis = 2, keep = true }):exp()
        return e / e:sum { axis = 2, keep = true }
    end },
    { "scan", function() return block(line()):scan("+", 0) end },
    { "scan, moved", function()
        local a = block(line())
        lun.eval(a + 1)
        return a:scan("+", 0)
    end },
    { "scan of integers", function() return block(line(nil, "i64")):scan("+", 0, { inclusive = true }) end },
    { "scan by a function", function() return block(line()):scan(add, 0, { inclusive = true }) end },
    { "scan of rows", function() return block(matrix(1000, 64)):scan("+", 0, { axis = 2 }) end },
    { "scan of columns", function() return block(matrix(1000, 64)):scan("+", 0, { axis = 1 }) end },
    { "matmul", function() return block(matrix(120, 90)):matmul(matrix(90, 70)) end },
    { "matmul, moved", function()
        local a, b = block(matrix(120, 90)), block(matrix(90, 70))
        lun.eval(a + 1, b + 1)
        return a:matmul(b)
    end },
    { "matmul with an epilogue", function() return (block(matrix(120, 90)):matmul(matrix(90, 70)) + 1):max(0) end },
    { "matrix times Vector", function() return block(matrix(300, 200)):matmul(line(200)) end },
    { "matmul of batches", function()
        return block(line(60 * 8 * 4):reshape(60, 8, 4)):matmul(block(line(60 * 4 * 2):reshape(60, 4, 2)))
    end },
    { "stencil", function()
        return lun.stencil(function(x) return x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1) end)(block(matrix(300, 200)))
    end },
    { "four stencils", function()
        local s, m = lun.stencil(function(x) return x(-1) + x(1) end, { edge = "wrap" }), block(line())
        return s(s(s(s(m))))
    end },
    { "jacobi by views", function()
        local m = block(matrix(300, 300))
        lun.eval(m + 1)
        return (m:sub({ 1, 298 }, { 2, 299 }) + m:sub({ 3, 300 }, { 2, 299 }) + m:sub({ 2, 299 }, { 1, 298 })) * 0.25
    end },
    { "shift and pad", function()
        local a = block(line())
        return a - a:shift(1, { edge = 0 }), a:pad(2, "wrap")
    end },
    { "windows", function() return block(line()):windows(5):lazy("sum", 2) end },
    { "transposed", function() return block(matrix(300, 200)):transpose() + 1 end },
    { "every third element", function() return block(line()):sub(1, N, 3) * 2 end },
    { "all pairs", function()
        return lun.allpairs(function(x, y) return (x - y) ^ 2 end, "+")(block(matrix(90, 4)), block(matrix(60, 4)))
    end },
    { "take", function() return block(line()):take(block(line(nil, "i64") + 1)) + 1 end },
    { "concat", function() return lun.concat { block(line()), block(line()) } + 1 end },
    { "sort", function() return block(line()):sort() end },
    { "sort, then a map", function() return block(line()):sort() * 2 end },
    { "argsort", function() return block(line()):argsort() end },
    { "sort of rows", function() return block(matrix(1000, 64)):sort { axis = 2 } end },
}

local function add_line(out, ...)
    out[#out + 1] = string.format(...)
end

-- " openmp.1 from 1 +33334, ..."
local function add_places(out, what, list)
    if not list or #list == 0 then
        return
    end
    local words = {}
    for k, place in ipairs(list) do
        words[k] = ("%s from %d: %d"):format(place.name, place.first, place.count)
    end
    add_line(out, "        %s %s", what, table.concat(words, ", "))
end

-- Those of a kernel, a line for each reason, in their order.
local function add_moves(out, what, moves, kernel)
    local words, why = {}, nil
    local function flush()
        if why then add_line(out, "        %s, %s: %s", what, why, table.concat(words, ", ")) end
        words, why = {}, nil
    end
    for _, move in ipairs(moves) do
        if move.kernel == kernel then
            if move.why ~= why then flush() end
            why = move.why
            words[#words + 1] = ("%s to %s %d"):format(move.from, move.to, move.bytes)
        end
    end
    flush()
end

-- The text of a plan. irs: the kernels' IR of the plan that was told before, and becomes that of this one.
function planned.text(plan, irs)
    local out = {}
    for k, kernel in ipairs(plan) do
        add_line(out, "    %d %s of %s, %d operation%s, reads %d, writes %d%s%s", k, kernel.name, kernel.space, kernel.ops,
            kernel.ops == 1 and "" or "s", kernel.reads, kernel.writes, kernel.kept > 0 and ", keeps " .. kernel.kept or "",
            kernel.cut ~= "" and "; cut: " .. kernel.cut or "")
        if irs[k] ~= kernel.ir then
            local lines = {}
            for text in kernel.ir:gmatch "[^\n]+" do lines[#lines + 1] = text end
            local most = 12 -- the first lines of long ones
            for i = 1, math.min(#lines, most) do add_line(out, "          %s", lines[i]) end
            if #lines > most then add_line(out, "          ... %d lines", #lines - most) end
        end
        irs[k] = kernel.ir
        add_places(out, "totals", kernel.totals)
        add_places(out, "carries", kernel.carries)
        add_places(out, "samples", kernel.samples)
        add_places(out, "at", kernel.places)
        add_moves(out, "moves", plan.moves, k)
        add_moves(out, "exchanges up to", plan.exchanges, k)
    end
    return table.concat(out, "\n")
end

-- The texts of all on each set.
function planned.all()
    local out = {}
    for _, entry in ipairs(planned.list) do
        add_line(out, "%s", entry[1])
        local irs = {}
        for _, set in ipairs { "openmp/1", "openmp/3", "openmp/7" } do
            lun.use(set)
            add_line(out, "  %s", set)
            add_line(out, "%s", planned.text(lun.explain(entry[2]()), irs))
        end
    end
    return table.concat(out, "\n") .. "\n"
end

return planned
