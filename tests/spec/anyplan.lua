-- Random expressions, whose plans are written as text and not run. Their operands' elements are zeros: no plan hangs on elements.
-- In a sandbox, where there is no require, `lun` is a global.
local lun = lun or require "lunarray"

local anyplan = {}

local N, ROWS, COLUMNS = 20011, 120, 64

-- Numbers 1 .. n that a seed gives, the same on every machine.
local function numbers(seed)
    local state = seed * 7919 + 12345
    return function(n)
        state = (state * 6364136223846793005 + 1442695040888963407)
        return (state >> 33) % n + 1
    end
end

local function operand(pick, count, dtype)
    local x = lun.frombytes(("\0"):rep(count * (dtype == "f32" and 4 or 8)), dtype)
    local how = pick(6)
    if how == 1 then return x:distribute "block" end
    if how == 2 then return x:distribute("block", { rule = "balanced" }) end
    if how == 3 then return x:distribute "copy" end
    return x
end

local function half(x)
    if x > 1 then return x * 0.5 end
    return x
end

local blur = lun.stencil(function(x) return x(-1) + x(0) + x(1) end, { edge = "wrap" })
local cross = lun.stencil(function(x) return x(-1, 0) + x(1, 0) + x(0, -1) end)

local lines = {
    function(x, y) return x + y end,
    function(x, y) return x * y - 2 end,
    function(x) return x:exp() end,
    function(x) return x:map(half) end,
    function(x) return x:shift(1, { edge = 0 }) end,
    function(x) return x:scan("+", 0) end,
    function(x) return x:sort() end,
    function(x, y) return x + y:lazy "sum" end,
    function(x, y) return x:lazy "max" * y end,
    function(x) return blur(x) end,
    function(x) return x + lun.index(N) end,
    function(x) return lun.concat { x:sub(1, 100), x:sub(101, N) } end,
}
local line_ends = {
    function(x) return x end,
    function(x) return x:lazy "sum" end,
    function(x) return x:lazy "argmin" end,
    function(x) return x:sub(1, N, 3) end,
    function(x) return x:windows(5):lazy("sum", 2) end,
    function(x) return x:argsort() end,
}
local matrices = {
    function(x, y) return x + y end,
    function(x) return x * 2 - 1 end,
    function(x) return x - x:mean { axis = 2, keep = true } end,
    function(x) return x / x:sum { axis = 2, keep = true } end,
    function(x) return x:scan("+", 0, { axis = 2 }) end,
    function(x) return x:scan("+", 0, { axis = 1 }) end,
    function(x) return x:sort { axis = 2 } end,
    function(x) return cross(x) end,
    function(x, y) return x:matmul(y:sub({ 1, COLUMNS }, { 1, COLUMNS })) end,
    function(x) return x:map(half) end,
}
local matrix_ends = {
    function(x) return x end,
    function(x) return x:lazy("sum", 1) end,
    function(x) return x:lazy("sum", 2) end,
    function(x) return x:transpose() + 1 end,
    function(x) return x:lazy "sum" end,
}

-- One to three expressions over a few operands.
function anyplan.make(seed)
    local pick, pool, roots = numbers(seed), {}, {}
    local flat = pick(2) == 1
    local steps, ends = flat and lines or matrices, flat and line_ends or matrix_ends
    local dtype = pick(4) == 1 and "f32" or "f64"
    for k = 1, pick(3) do
        local x = operand(pick, flat and N or ROWS * COLUMNS, dtype)
        pool[k] = flat and x or x:reshape(ROWS, COLUMNS)
    end
    for _ = 1, pick(6) do
        pool[#pool + 1] = steps[pick(#steps)](pool[pick(#pool)], pool[pick(#pool)])
    end
    for k = 1, pick(3) do
        roots[k] = ends[pick(#ends)](pool[#pool + 1 - (k == 1 and 1 or pick(#pool))])
    end
    return table.unpack(roots)
end

-- The texts of so many on the set in use.
function anyplan.texts(count)
    local out = {}
    for seed = 1, count do
        out[seed] = ("expression %d\n%s"):format(seed, lun.explain(anyplan.make(seed)).text)
    end
    return table.concat(out)
end

return anyplan
