-- Names that make arrays, and what dtypes can hold.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"

local rows, row = call.rows "Making arrays, dtypes"
local bad, whole = call.bad, call.whole

-- The numbers before a dtype at the end of the arguments.
local function with_dtype(n, m, k, dtype)
    if type(m) == "string" then
        n, m, k, dtype = n, nil, nil, m
    elseif type(k) == "string" then
        k, dtype = nil, k
    end
    n = whole(n, 1, 0, nil, "number of rows")
    m = m == nil and n or whole(m, 2, 0, nil, "number of columns")
    k = k == nil and 0 or whole(k, 3)
    return n, m, k, dtype == nil and "f64" or call.dtype(dtype, dtype and 4)
end

-- Of an n x m matrix: the index of the column less that of the row.
local function columns_less_rows(n, m)
    return core.index(m):reshape(1, m) - core.index(n):reshape(n, 1)
end

row("eye", "lun.eye(n [, m [, k]] [, dtype])",
    "the identity matrix: n x m, 1 on the k-th diagonal, which is above the main one where k > 0, else 0",
    "lun.eye(2, 3, 1)", "{{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}",
    function(n, m, k, dtype)
        n, m, k, dtype = with_dtype(n, m, k, dtype)
        return columns_less_rows(n, m):eq(k):cast(dtype)
    end)

row("tri", "lun.tri(n [, m [, k]] [, dtype])", "an n x m matrix: 1 on and below the k-th diagonal, else 0",
    "lun.tri(2, 3)", "{{1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}}",
    function(n, m, k, dtype)
        n, m, k, dtype = with_dtype(n, m, k, dtype)
        return columns_less_rows(n, m):le(k):cast(dtype)
    end)

row("diag", "a:diag([k])",
    "of a Vector the matrix that has it as its k-th diagonal, else 0; of a matrix a window on its k-th diagonal",
    "lun.vector{1, 2}:diag()", "{{1, 0}, {0, 2}}",
    function(a, k)
        local rank = call.rank(call.array(a, 1))
        k = k == nil and 0 or whole(k, 2)
        if rank == 2 then
            return a:diagonal(k)
        elseif rank ~= 1 then
            bad(1, "Vector or matrix expected, got %s", call.described(a))
        end
        local n = #a + math.abs(k)
        local result = core.zeros({ n, n }, a:dtype())
        if #a > 0 then
            result:diagonal(k):set(a)
        end
        return result
    end)

-- The matrices of the last two axes with what `keeps` says of the column less the row, else 0.
local function triangle(a, k, keeps)
    local shape = { call.array(a, 1):shape() }
    if #shape < 2 then
        bad(1, "an array of rank 2 or more expected, got %s", call.described(a))
    end
    k = k == nil and 0 or whole(k, 2)
    local kept = columns_less_rows(shape[#shape - 1], shape[#shape])[keeps](columns_less_rows(
        shape[#shape - 1], shape[#shape]), k)
    return core.where(kept, a, core.zeros(1, a:dtype()))
end

row("tril", "A:tril([k])", "the elements on and below the k-th diagonal of the last two axes, else 0",
    "lun.vector{{1, 2}, {3, 4}}:tril()", "{{1, 0}, {3, 4}}",
    function(A, k) return triangle(A, k, "le") end)

row("triu", "A:triu([k])", "the elements on and above the k-th diagonal of the last two axes, else 0",
    "lun.vector{{1, 2}, {3, 4}}:triu()", "{{1, 2}, {0, 4}}",
    function(A, k) return triangle(A, k, "ge") end)

-- The extents as lun.full takes them; nil: a Scalar's.
local function filled(a, x, dtype)
    local shape = { call.array(a, 1):shape() }
    dtype = dtype == nil and a:dtype() or dtype
    if #shape == 0 then
        return core.full(1, x, dtype):select(1, 1)
    end
    return core.full(shape, x, dtype)
end

row("zeros_like", "a:zeros_like([dtype])", "zeros in a's shape and dtype, or in that dtype",
    "lun.vector{1, 2}:zeros_like()", "{0, 0}",
    function(a, dtype) return filled(a, 0, dtype and call.dtype(dtype, 2)) end)

row("ones_like", "a:ones_like([dtype])", "ones in a's shape and dtype, or in that dtype",
    "lun.vector{1, 2}:ones_like 'f32'", "{1.0, 1.0}",
    function(a, dtype) return filled(a, 1, dtype and call.dtype(dtype, 2)) end)

row("full_like", "a:full_like(x [, dtype])", "all elements x, in a's shape and dtype, or in that dtype",
    "lun.vector{1, 2}:full_like(7)", "{7, 7}",
    function(a, x, dtype)
        call.array(a, 1)
        if type(x) ~= "boolean" then
            call.number(x, 2)
        end
        return filled(a, x, dtype and call.dtype(dtype, 3))
    end)

-- The arguments, Vectors, and options behind them.
local function vectors(known, ...)
    local list, n = { ... }, select("#", ...)
    local options = {}
    if n > 0 and type(list[n]) == "table" and not core.isarray(list[n]) and next(list[n]) ~= 1 then
        options = call.options(list[n], n, known)
        list[n] = nil
        n = n - 1
    end
    for k = 1, n do
        list[k] = call.vector(list[k], k)
    end
    if n == 0 then
        bad(1, "Vector expected, got no value")
    end
    return list, options
end

-- Vector k of the list along axis k of an array of all.
local function grid(list, exchange)
    local result, extents = {}, {}
    local function axis_of(k)
        return exchange and k <= 2 and #list > 1 and 3 - k or k
    end
    for k, v in ipairs(list) do
        extents[axis_of(k)] = #v
    end
    for k, v in ipairs(list) do
        local shape = {}
        for j = 1, #list do
            shape[j] = j == axis_of(k) and #v or 1
        end
        result[k] = call.shaped(v, shape):broadcast(extents)
    end
    return result
end

row("meshgrid", 'lun.meshgrid(x, y, ... [, {indexing="xy"}])',
    'an array for each Vector, of the coordinates of a grid: windows that repeat them; "xy": x along the second axis,\n'
        .. 'y along the first, "ij": each along its own',
    "lun.meshgrid(lun.vector{1, 2, 3}, lun.vector{4, 5})", "{{1, 2, 3}, {1, 2, 3}}, {{4, 4, 4}, {5, 5, 5}}",
    function(...)
        local list, options = vectors("indexing", ...)
        local indexing = call.word(options.indexing == nil and "xy" or options.indexing, #list + 1, "xy ij", "indexing")
        return table.unpack(grid(list, indexing == "xy"))
    end)

row("cartesian", "lun.cartesian(x, y, ...)",
    "a matrix of all combinations, a row each, in which the element of the last Vector changes first",
    "lun.cartesian(lun.vector{1, 2}, lun.vector{3, 4})", "{{1, 3}, {1, 4}, {2, 3}, {2, 4}}",
    function(...)
        local list = grid((vectors("", ...)))
        for k, a in ipairs(list) do
            list[k] = a:flatten()
        end
        return core.stack(list, 2)
    end)

-- The option endpoint, true by default.
local function with_end(options, argument)
    if options.endpoint ~= nil and type(options.endpoint) ~= "boolean" then
        bad(argument, "option endpoint: true or false expected, got %s", tostring(options.endpoint))
    end
    return options.endpoint ~= false
end

row("logspace", "lun.logspace(a, b, n [, {base=10, endpoint=true}])",
    "n numbers from base^a to base^b, whose logarithms are evenly spaced",
    "lun.logspace(0, 3, 4)", "{1.0, 10.0, 100.0, 1000.0}",
    function(a, b, n, options)
        options = call.options(options, 4, "base endpoint")
        local base = options.base == nil and 10.0 or call.number(options.base, 4) + 0.0
        local powers = core.linspace(call.number(a, 1), call.number(b, 2), whole(n, 3, 0),
            { endpoint = with_end(options, 4) })
        return base ^ powers
    end)

row("geomspace", "lun.geomspace(a, b, n [, {endpoint=true}])",
    "n numbers from a to b, each the same multiple of the one before; a and b are not 0 and have one sign",
    "lun.geomspace(1, 16, 3)", "{1.0, 4.0, 16.0}",
    function(a, b, n, options)
        local ends = with_end(call.options(options, 4, "endpoint"), 4)
        call.number(a, 1)
        if a == 0 or call.number(b, 2) == 0 or (a < 0) ~= (b < 0) then
            bad(a == 0 and 1 or 2, "from %s to %s there is no multiple: numbers of one sign, not 0, expected",
                tostring(a), tostring(b))
        end
        n = whole(n, 3, 0)
        a, b = a + 0.0, b + 0.0
        local i = core.index(n) - 1
        local inside = a * (b / a) ^ (i / math.max(ends and n - 1 or n, 1))
        return core.where(i:eq(0), a, ends and core.where(i:eq(n - 1), b, inside) or inside)
    end)

row("vander", "x:vander([n])",
    "the Vandermonde matrix: a row x^(n-1), ..., x, 1 for each element; n columns, by default as many as rows",
    "lun.vector{2, 3}:vander(3)", "{{4, 2, 1}, {9, 3, 1}}",
    function(x, n)
        x = call.vector(x, 1)
        n = n == nil and #x or whole(n, 2, 0)
        if n == 0 then
            return core.zeros({ #x, 0 }, x:dtype())
        end
        local powers = call.shaped(x, { #x, 1 }):broadcast { #x, n }:scan("*", 1, { axis = 2 })
        return powers:sub({}, { -1, 1, -1 })
    end)

-- ---------------------------------------------------------------- dtypes

local function row_of(dtype, kinds, what)
    local known = dtypes.by_name[call.dtype(dtype, 1)]
    if not kinds[known.kind] then
        bad(1, "%s is no dtype of %s", dtype, what)
    end
    return known
end

row("finfo", "lun.finfo(dtype)",
    "a table of a float dtype: bits, eps (1 to the next number), max, min, tiny (the least normal one), digits",
    'lun.finfo("f32").eps == 2.0^-23', "true",
    function(dtype)
        local known = row_of(dtype, { float = true }, "floats")
        local top = (1 << known.exponent - 1) - 1
        local most = (2.0 - 2.0 ^ -known.mantissa) * 2.0 ^ top
        return {
            bits = 8 * known.bytes, eps = 2.0 ^ -known.mantissa, max = most, min = -most, tiny = 2.0 ^ (1 - top),
            digits = math.floor(known.mantissa * math.log(2, 10)),
        }
    end)

row("iinfo", "lun.iinfo(dtype)",
    "a table of an integer dtype: bits, min, max; the max of u64 is the float 2^64 - 1 rounds to",
    'lun.iinfo("i8").max', "127",
    function(dtype)
        local known = row_of(dtype, { signed = true, unsigned = true }, "integers")
        local bits = 8 * known.bytes
        if known.kind == "unsigned" then
            return { bits = bits, min = 0, max = bits == 64 and 2.0 ^ 64 or (1 << bits) - 1 }
        end
        return { bits = bits, min = -1 << bits - 1, max = ~(-1 << bits - 1) }
    end)

-- A value whose dtype takes part in promotion.
local function sample(x, k)
    if core.isarray(x) then
        return core.zeros(1, x:dtype())
    elseif math.type(x) or type(x) == "boolean" then
        return x
    end
    return core.zeros(1, call.dtype(x, k))
end

row("result_type", "lun.result_type(x, ...)",
    "the dtype that arrays, numbers and names of dtypes have in common, as lun.where gives it",
    'lun.result_type("i32", "f32")', "'f32'",
    function(...)
        local common
        for k = 1, math.max(select("#", ...), 1) do
            local x = sample((select(k, ...)), k)
            if common == nil then
                common = x
            else
                local ok, both = pcall(core.where, true, common, x)
                if not ok then
                    bad(k, "%s and %s have no common dtype", core.isarray(common) and common:dtype()
                        or tostring(common),
                        core.isarray(x) and x:dtype() or tostring(x))
                end
                common = both
            end
        end
        common = core.isarray(common) and common or core.full(1, common)
        return common:dtype()
    end)

row("can_cast", "lun.can_cast(from, to)",
    "whether each element of dtype `from`, a name or an array, keeps its value in dtype `to`; i64 and u64 in f64 count",
    'lun.can_cast("i8", "f16")', "true",
    function(from, to)
        local f = dtypes.by_name[core.isarray(from) and from:dtype() or call.dtype(from, 1)]
        local t = dtypes.by_name[call.dtype(to, 2)]
        if f == t or f.kind == "bool" then
            return true
        elseif t.kind == "bool" or f.kind == "float" and t.kind ~= "float" then
            return false
        elseif f.kind == "float" then
            return t.exponent >= f.exponent and t.mantissa >= f.mantissa
        elseif t.kind == "float" then
            return t.bytes == 8 or t.mantissa + 1 >= 8 * f.bytes
        elseif f.kind == t.kind then
            return t.bytes >= f.bytes
        end
        return t.kind == "signed" and t.bytes > f.bytes
    end)

row("itemsize", "a:itemsize()", "the bytes of one element, or record", "lun.vector{1.5, 2.5}:itemsize()", "8",
    function(a) return dtypes.by_name[call.array(a, 1):dtype()].bytes end)

row("nbytes", "a:nbytes()", "the bytes of all elements; of texts those of codes, and of values that others may share",
    "lun.vector{1.5, 2.5}:nbytes()", "16",
    function(a)
        local dtype = call.array(a, 1):dtype()
        return dtype == "text" and core.internal.text_memory(a) or dtypes.by_name[dtype].bytes * a:size()
    end)

return rows
