-- Programs that use what can be divided over locations, one for each way in which the engine divides it. They are written
-- once and run on one location, on sets of places and on ranks: `on` says how. Each gives results by on.put, which are the
-- same bits wherever it runs. Used by tests/simulate.lua.
--
-- programs.on(how): the functions of a run; how: "one", "set" or "ranks". on.n: elements of a Vector.
--   d(x [, axis])            x divided over the locations, by blocks of its first axis
--   other(x)                 the same with other bounds
--   whole(x)                 x as each rank has all of it
--   loop(owner, extents, f)  the loop of f, each round where owner's element is
--   put(x, ...)              results: numbers and arrays
local lun = require "lunarray"

local programs = {}

local function line(on, seed)
    return on.d(lun.random(on.n, { seed = seed }):eval())
end

-- Integers from 1 to m, in no order and some of them often.
local function numbers(on, m)
    return on.d(((lun.index(on.n) * 7919 % 10007) % m + 1):eval())
end

local function matrix(on, rows, columns, seed)
    return on.d(lun.random({ rows, columns }, { seed = seed }):eval())
end

local function rows_of(on, columns)
    return math.max(3, on.n // columns)
end

-- { name, program }, in the order of the rows of the table that they are for.
programs.list = {
    { "map", function(on)
        local a, b = line(on, 1), line(on, 2)
        on.put((a + b) * (a - b))
        on.put((a + b) * (a - b))
    end },
    { "map divided otherwise", function(on)
        local a, b = line(on, 1), on.other(lun.random(on.n, { seed = 2 }):eval())
        on.put(a * b + 1)
    end },
    { "map by a function", function(on)
        on.put(line(on, 1):map(function(x)
            local y = 0.0
            for k = 1, 5 do
                y = y + x / k
            end
            return y
        end))
    end },
    { "sum", function(on)
        on.put(line(on, 1):sum())
    end },
    { "sum of a product", function(on)
        local a, b = line(on, 1), line(on, 2)
        on.put((a * b):sum(), a:dot(b))
    end },
    { "several reductions", function(on)
        local a = line(on, 1)
        on.put(a:min(), a:max(), a:gt(0.5):count(), a:gt(2):any(), a:ge(0):all(), numbers(on, 50):sum())
    end },
    { "argmin", function(on)
        local a = line(on, 1)
        on.put(a:argmin(), a:argmax(), numbers(on, 9):argmax())
    end },
    { "reduce by a function", function(on)
        on.put(line(on, 1):reduce(function(x, y) return x + y end, 0))
    end },
    { "mean and std", function(on)
        local a = line(on, 1)
        on.put(a:mean(), a:std())
    end },
    { "sums of rows", function(on)
        local m = matrix(on, rows_of(on, 10), 10, 3)
        on.put(m:sum(2), m:max { axis = 2 })
    end },
    { "sums of columns", function(on)
        on.put(matrix(on, rows_of(on, 10), 10, 3):sum(1))
    end },
    { "means of columns", function(on)
        local m = matrix(on, rows_of(on, 10), 10, 3)
        on.put(m:mean { axis = 1 }, m:var { axis = 1 })
    end },
    { "columns by a function", function(on)
        on.put(matrix(on, rows_of(on, 10), 10, 3):reduce(function(x, y) return x + y end, 0, { axis = 1 }))
    end },
    { "scan", function(on)
        on.put(line(on, 1):scan("+", 0, { inclusive = true }), numbers(on, 50):scan("+", 0))
    end },
    { "scan of rows", function(on)
        on.put(matrix(on, rows_of(on, 10), 10, 3):scan("+", 0, { axis = 2 }))
    end },
    { "scan of columns", function(on)
        on.put(matrix(on, rows_of(on, 10), 10, 3):scan("+", 0, { axis = 1 }))
    end },
    { "scan of runs", function(on)
        on.put(line(on, 1):scanby(on.d((lun.index(on.n) // 10):eval()), "+", 0))
    end },
    { "texts and missing elements", function(on)
        local k = lun.index(on.n)
        local t = on.d(("w" .. (k * 31 % 53):cast "text"):eval())
        local x = on.d(lun.where((k % 5):eq(0), lun.na, k):eval())
        on.put(t:eq "w7", t:upper():len(), t:unique():len())
        t = on.other(t)
        on.put((x * 2):fillna(-1), x:sum(), x:ismissing():count(), t:sort():len(), t:lt "w3")
    end },
    { "matmul", function(on)
        local k = math.max(3, math.min(300, math.floor(on.n ^ 0.5)))
        on.put(matrix(on, k, k, 3):matmul(matrix(on, k, k, 4)))
    end },
    { "matmul of batches", function(on)
        local k = math.max(3, on.n // 64)
        local a, b = lun.random({ k, 8, 4 }, { seed = 3 }):eval(), lun.random({ k, 4, 2 }, { seed = 4 }):eval()
        on.put(on.d(a):matmul(on.d(b)))
    end },
    { "stencil", function(on)
        local m = matrix(on, rows_of(on, 100), 100, 3)
        on.put(lun.stencil(function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) * 0.25 end)(m))
    end },
    { "jacobi by views", function(on)
        local rows, columns = rows_of(on, 200), 200
        local m = matrix(on, rows, columns, 3)
        local function view(i, j)
            return m:sub({ i, rows - 3 + i }, { j, columns - 3 + j })
        end
        on.put((view(1, 2) + view(3, 2) + view(2, 1) + view(2, 3)) * 0.25)
    end },
    { "shift and pad", function(on)
        local a = line(on, 1)
        on.put(a - a:shift(1, { edge = 0 }), a:pad(2, "wrap"))
    end },
    { "windows", function(on)
        on.put(line(on, 1):windows(5):sum(2))
    end },
    { "softmax", function(on)
        local m = matrix(on, rows_of(on, 64), 64, 3)
        local x = (m - m:max { axis = 2, keep = true }):exp()
        on.put(x / x:sum { axis = 2, keep = true })
    end },
    { "all pairs", function(on)
        local k = math.max(3, math.min(120, on.n // 100))
        on.put(lun.allpairs(function(x, y) return (x - y) ^ 2 end, "+")(matrix(on, k, 4, 3), matrix(on, k, 4, 4)))
    end },
    { "sort", function(on)
        on.put(line(on, 1):sort(), numbers(on, 100):sort { descending = true })
    end },
    { "argsort", function(on)
        on.put(numbers(on, 100):argsort())
    end },
    { "sort of rows", function(on)
        on.put(matrix(on, rows_of(on, 10), 10, 3):sort { axis = 2 })
    end },
    { "topk", function(on)
        on.put(line(on, 1):topk(5))
        on.put(numbers(on, 100):topk(7, { smallest = true }))
    end },
    { "unique", function(on)
        on.put(numbers(on, 1000):unique())
    end },
    { "quantile", function(on)
        local a = line(on, 1)
        on.put(a:median(), a:quantile(0.3))
    end },
    { "compress", function(on)
        local a = line(on, 1)
        on.put(a:compress(a:gt(0.7)), a:gt(0.9):indices())
    end },
    { "take", function(on)
        on.put(line(on, 1):take(numbers(on, on.n)))
    end },
    { "put", function(on)
        local a = on.d(lun.zeros(on.n, "i64"):copy())
        on.put(a:put(numbers(on, on.n), 1, { combine = "+" }))
    end },
    { "histogram", function(on)
        on.put((line(on, 1):histogram(16, { range = { 0, 1 } })))
    end },
    { "group", function(on)
        on.put(lun.group(numbers(on, 20)):sum(on.whole(line(on, 1))))
    end },
    { "redistribution", function(on)
        local a = line(on, 1)
        on.put(a + 1)
        local b = on.other(a)
        on.put(b * 2, b:sum())
    end },
    { "file", function(on)
        local path = on.path "programs.npy"
        lun.save(path, matrix(on, rows_of(on, 10), 10, 3))
        on.put(on.d(lun.open(path)) * 2)
    end },
    { "loop of neighbours", function(on)
        local n = on.n
        local a, b = on.d(lun.zeros(n):copy()), line(on, 1)
        on.loop(a, { { 2, n - 1 } }, function(i) a[i] = (b[i - 1] + b[i + 1]) / 2 end)
        on.put(a)
    end },
    { "loop of bins", function(on)
        local e, h = numbers(on, 16), on.d(lun.zeros(16, "i64"):copy())
        on.loop(e, { on.n }, function(i) h[e[i]] = h[e[i]] + 1 end)
        on.put(h)
    end },
    { "loop of computed reads", function(on)
        local x, e, a = line(on, 1), numbers(on, on.n), on.d(lun.zeros(on.n):copy())
        for _ = 1, 2 do -- the second one knows what the first has asked for
            on.loop(a, { on.n }, function(i) a[i] = a[i] + x[e[i]] end)
        end
        on.put(a)
    end },
    { "loop that transposes", function(on)
        local k = math.max(3, math.min(100, math.floor(on.n ^ 0.5)))
        local a, b = matrix(on, k, k, 3), on.d(lun.zeros(k, k):copy())
        on.loop(b, { k, k }, function(i, j) b[i][j] = a[j][i] end)
        on.put(b)
    end },
    { "loop of products", function(on)
        local k = math.max(3, math.min(24, math.floor(on.n ^ 0.5)))
        local a, b, c = on.d(lun.zeros(k, k):copy()), matrix(on, k, k, 3), matrix(on, k, k, 4)
        on.loop(a, { k, k }, function(i, j)
            for l = 1, k do
                a[i][j] = a[i][j] + b[i][l] * c[l][j]
            end
        end)
        on.put(a)
    end },
}

-- Of ranks alone: what is said between them, and regions; each rank gets the same, in any order.
programs.of_ranks = {
    { "collectives", function(on)
        local s = lun.spmd
        local list = {}
        for pe = 1, s.npes do list[pe] = s.mype * 100 + pe end
        local got = 0
        for _, x in ipairs(s.alltoall(list)) do got = got + x end
        on.put(s.allreduce("+", got), s.bcast(s.mype + 1), #s.allgather("x"), s.allreduce("+", s.scan("+", 1)))
        on.put(s.bcast(lun.random(on.n, { seed = 9 }):eval(), s.npes - 1), s.allreduce("+", lun.ones(on.n)))
        s.barrier()
    end },
    { "messages", function(on)
        local s = lun.spmd
        local to, from = (s.mype + 1) % s.npes, (s.mype - 1) % s.npes
        local x = lun.random(on.n, { seed = s.mype }):eval()
        s.send(to, x, 1)
        s.send(to, s.mype, 2)
        local number, y = s.recv(from, 2), s.recv(from, 1)
        assert(number == from)
        on.put(s.allreduce("+", y:sum() - x:sum()) * 0)
    end },
    { "regions", function(on)
        local s = lun.spmd
        local total, often = s.shared("i64", 0), s.shared("i64", lun.zeros(3, "i64"))
        for _ = 1, 3 do
            s.atomic(total, "+", 1)
            s.atomic(often, 2, "+", s.mype)
            s.critical(function() total:set(total:get() + 1) end)
        end
        s.barrier()
        on.put(total:get() // s.npes, often[2] * 2 // (s.npes * (s.npes - 1)))
        s.barrier()
    end },
    { "windows between ranks", function(on)
        local s = lun.spmd
        local y = s.symmetric("f64", 8)
        s.barrier()
        for pe = 0, s.npes - 1 do y:put(pe, s.mype % 8 + 1, s.mype + 0.5) end
        s.barrier()
        on.put(y:get((s.mype + 1) % s.npes, 2))
        s.barrier()
    end },
    { "elements", function(on)
        local s = lun.spmd
        local a = lun.zeros { s.block(on.n) }
        a:set(lun.index(on.n))
        s.barrier() -- what a rank sets at home is no step
        for k = 1, 5 do
            assert(a[(k * 7919 * (s.mype + 1)) % on.n + 1] == (k * 7919 * (s.mype + 1)) % on.n + 1)
        end
        s.barrier()
        a[s.mype + 1] = 0.25
        s.barrier()
        on.put(a:sub(1, s.npes):sum() / s.npes)
    end },
    { "another length on each rank", function(on)
        local s = lun.spmd
        local all = s.allgather(lun.range(1, s.mype + 1))
        on.put(#all[1], #all[2])
        on.put(s.reduce("+", lun.ones(on.n), 1) and 1 or 1)
    end },
}

-- A number that hangs on all bits of a result.
local function told(x)
    if type(x) == "string" then
        return x
    end
    local text = type(x) == "number" and string.pack(math.type(x) == "integer" and "j" or "n", x) or x:eval():tobytes()
    local h = 0
    local function mix(word)
        h = (h ~ word) * 0x9E3779B97F4A7C15
        h = h ~ h >> 29
    end
    for k = 1, #text - 7, 8 do mix(string.unpack("<i8", text, k)) end
    for k = #text - #text % 8 + 1, #text do mix(text:byte(k)) end
    return ("%d:%016x"):format(#text, h)
end

function programs.on(how, n, scratch)
    local s = lun.spmd
    local on = { how = how, n = n, results = {} }
    local over = how == "ranks" and "ranks" or nil
    function on.d(x, axis)
        return how == "one" and x or x:distribute("block", { over = over, axis = axis })
    end
    function on.other(x)
        return how == "one" and x or x:distribute("block", { over = over, rule = "balanced" })
    end
    function on.whole(x)
        return how == "ranks" and x:copy():distribute("copy", { over = "ranks" }) or x
    end
    function on.loop(owner, extents, f)
        if how == "ranks" then
            s.sharedon(owner, extents, f)
        else
            lun.each(extents, f)
        end
    end
    function on.put(...)
        for _, x in ipairs { ... } do
            if type(x) == "boolean" then x = tostring(x) end
            local array = type(x) == "userdata" or type(x) == "table"
            on.results[#on.results + 1] = told(array and how == "ranks" and x:kind() == "Blocked" and on.whole(x) or x)
        end
    end
    function on.path(name) return scratch .. name end
    return on
end

return programs
