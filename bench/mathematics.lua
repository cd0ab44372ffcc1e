-- Mathematics on one array, some times: prints the seconds of each.
-- usage: lunarray bench/mathematics.lua KIND N REPETITIONS       (kinds: the rows below)
-- mathematics.py does the same by NumPy and SciPy, solve.c some by hand; sh bench/mathematics.sh prints ratios.
local lun = require "lunarray"

local kind, n, repetitions = arg[1], tonumber(arg[2]), tonumber(arg[3])

local function drawn(shape, options)
    options = options or {}
    options.seed = options.seed or 1
    return lun.random(shape, options):copy():eval()
end

local function complex(shape, seed) return drawn(shape, { dtype = "c128", seed = seed }) end
local function square(count) return (lun.random({ count, count }, { seed = 1 }) - 0.5):copy():eval() end
local function positive(count)
    local A = square(count)
    return (A:matmul(A:transpose()) + lun.eye(count)):copy():eval()
end

local function method(name)
    return function(A) return A[name](A) end
end

local function loss(X, y)
    return function(w) return ((X:matmul(w) - y) ^ 2):mean() end
end

-- Each kind: what it works on, made once, and the work.
local kinds = {
    fft = { function() return complex(n) end, lun.fft },
    rfft = { function() return drawn(n) end, lun.rfft },
    lines = { function() return complex { n, 1024 } end, lun.fft },
    fft2 = { function() return complex { n, n } end, lun.fftn },
    solve = { function() return square(n), drawn(n, { seed = 2 }) end, function(A, b) return A:solve(b) end },
    small = {
        function()
            return (lun.random({ n, 3, 3 }, { seed = 1 }) - 0.5):copy():eval(), drawn({ n, 3, 1 }, { seed = 2 })
        end,
        function(A, b) return A:solve(b) end,
    },
    inv = { function() return square(n) end, method "inv" },
    qr = { function() return square(n) end, method "qr" },
    svd = { function() return square(n) end, method "svd" },
    cholesky = { function() return positive(n) end, method "cholesky" },
    eigh = { function() return positive(n) end, method "eigh" },
    eig = { function() return square(n) end, method "eig" },
    ["complex*"] = { function() return complex(n), complex(n, 2) end, function(a, b) return a * b end },
    ["complex-abs"] = { function() return complex(n) end, method "abs" },
    ["complex-exp"] = { function() return complex(n) end, method "exp" },
    ["complex-sum"] = { function() return complex(n) end, function(z) return z:sum() end },
    integers = {
        function() return drawn(4) end,
        function() return lun.random(n, { dist = "integers", low = 1, high = 1000, seed = 3 }) end,
    },
    exponential = {
        function() return drawn(4) end,
        function() return lun.random(n, { dist = "exponential", seed = 3 }) end,
    },
    permutation = { function() return drawn(4) end, function() return lun.permutation(n, { seed = 3 }) end },
    loss = {
        function() return drawn { n, 100 }, drawn(n, { seed = 2 }), drawn(100, { seed = 3 }) end,
        function(X, y, w) return loss(X, y)(w) end,
    },
    grad = {
        function() return drawn { n, 100 }, drawn(n, { seed = 2 }), drawn(100, { seed = 3 }) end,
        function(X, y, w) return lun.grad(loss(X, y))(w) end,
    },
}
local work = assert(kinds[kind], "no such kind")
local operands = { work[1]() }
-- A result is not remembered where an element of the operand was assigned.
local function touched(a)
    for _ = 2, select("#", a:shape()) do
        a = a[1]
    end
    a[1] = a[1]
end

for _ = 1, repetitions do
    touched(operands[1])
    local start = lun.clock()
    local list = { work[2](table.unpack(operands)) }
    for _, x in ipairs(list) do
        if lun.isarray(x) then x:eval() end
    end
    print(("%.9f"):format(lun.clock() - start))
    for _, x in ipairs(list) do
        if lun.isarray(x) then x:free() end
    end
end
