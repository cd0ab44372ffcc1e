-- Sparse matrices: of each row the columns and values of its stored elements. What is computed with them are functions
-- of indices over these arrays, and sorts where elements are put in order.
-- Invariant: row i has the elements offsets[i] to offsets[i + 1] - 1, whose columns ascend; nobody else has the arrays.

local call = require "lunarray.names.call"
local core = require "lunarray.core"

local Csr = { __name = "lun.csr", methods = {} }
local DATA = {} -- the key of what a matrix holds

local bad, whole = call.bad, call.whole
local M = {}

local function is(x)
    return type(x) == "table" and getmetatable(x) == Csr
end

local function data(S)
    return rawget(S, DATA)
end

-- What a value is, for an error.
local function described(x)
    if is(x) then
        return tostring(x):match "^[^\n]*"
    end
    return core.isarray(x) and call.described(x) or core.internal.kind_of(x)
end

-- ---------------------------------------------------------------- making

local STORED = { f32 = "f32", f64 = "f64", c64 = "c64", c128 = "c128", f16 = "f32", bf16 = "f32" }

-- The values in a dtype that matrices have.
local function stored(values, argument)
    local dtype = values:dtype()
    if dtype == "u64" or dtype == "text" then
        bad(argument, "values of %s: i64, f32, f64, c64 and c128 are known; take cast", dtype)
    end
    return values:cast(STORED[dtype] or "i64")
end

-- f of an array, of complex numbers of both parts.
local function by_parts(f, a)
    if core.iscomplex(a) then
        return core.complex(f(a.re:copy()), f(a.im:copy()))
    end
    return f(a)
end

-- A matrix of what is checked already.
local function made(n, m, offsets, columns, values)
    offsets, columns, values = core.eval(offsets, columns, values)
    return setmetatable({ [DATA] = { n = n, m = m, offsets = offsets, columns = columns, values = values } }, Csr)
end

-- A matrix of triples in any order; those of one place are added in their order.
local function of_triples(rows, columns, values, n, m)
    local count = #values
    if count == 0 then
        return made(n, m, core.ones(n + 1, "i64"), core.zeros(0, "i64"), values)
    end
    local keys = ((rows - 1) * m + (columns - 1)):eval()
    if not keys:sub(2):gt(keys:sub(1, -2)):all() then
        local order = keys:argsort():eval()
        keys, values = core.eval(keys:take(order), values:take(order))
        local first = core.concat { core.ones(1, "bool"), keys:sub(2):ne(keys:sub(1, -2)) }:indices():eval()
        if #first < count then
            values = by_parts(function(part) return part:reduceat(first, "+") end, values)
            keys = keys:take(first):eval()
        end
    end
    return made(n, m, (keys // m + 1):eval():searchsorted(core.index(n + 1)), keys % m + 1, values)
end

-- Whole numbers in a Vector.
local function numbers(x, argument)
    x = call.vector(x, argument)
    if #x > 0 and not (x:dtype():find "^[iu]%d") then
        bad(argument, "whole numbers expected, got %s", call.described(x))
    elseif x:ismissing():any() then
        bad(argument, "takes no missing elements")
    end
    return x:cast "i64"
end

-- All of them from `least` to `most`.
local function within(x, least, most, argument, what)
    if #x == 0 then
        return
    end
    local low, high = x:min(), x:max()
    if low < least or high > most then
        bad(argument, "%s %d is out of range: the matrix has %d", what, low < least and low or high, most)
    end
end

-- The row of each element, of the places where rows begin.
local function rows_of(offsets, n, count)
    if #offsets ~= n + 1 then
        bad(1, "%d offsets expected, one more than there are rows, got %d", n + 1, #offsets)
    elseif offsets[1] ~= 1 or offsets[-1] ~= count + 1 then
        bad(1, "offsets go from 1 to %d, one more than there are values, not from %d to %d", count + 1, offsets[1],
            offsets[-1])
    end
    local falls = offsets:sub(2):lt(offsets:sub(1, -2)):eval()
    if n > 0 and falls:any() then
        local at = falls:argmax()
        bad(1, "offsets do not descend: number %d is %d, the next one %d", at, offsets[at], offsets[at + 1])
    end
    return n > 0 and core.index(n):spread(offsets:sub(2) - offsets:sub(1, -2)) or core.zeros(0, "i64")
end

-- The elements of a dense matrix that are not 0.
local function of_dense(A)
    if is(A) then
        bad(1, "matrix expected, got a sparse one")
    end
    call.of_rank(A, 2, 1)
    local n, m = A:shape()
    local values = stored(A, 1):reshape(-1)
    if A:ismissing():any() then
        bad(1, "takes no missing elements")
    end
    local at = values:ne(0):indices():eval()
    return of_triples((at - 1) // math.max(m, 1) + 1, (at - 1) % math.max(m, 1) + 1, values:take(at), n, m)
end

-- The matrix of triples, or of offsets, whose arguments are checked here.
local function of_lists(rows, columns, values, shape, by_offsets)
    if type(shape) ~= "table" or #shape ~= 2 then
        bad(4, "{rows, columns} expected, got %s", described(shape))
    end
    local n = whole(shape[1], 4, 0, 1 << 62, "a number of rows")
    local m = whole(shape[2], 4, 0, 1 << 62, "a number of columns")
    if n > 0 and m > (1 << 62) // n then
        bad(4, "%d x %d elements are too many to be numbered", n, m)
    end
    rows, columns, values = numbers(rows, 1), numbers(columns, 2), call.vector(values, 3)
    if values:ismissing():any() then
        bad(3, "takes no missing elements")
    elseif #columns ~= #values then
        bad(2, "%d columns for %d values", #columns, #values)
    end
    values = stored(values, 3)
    if by_offsets then
        rows = rows_of(rows, n, #values)
    elseif #rows ~= #values then
        bad(1, "%d rows for %d values", #rows, #values)
    end
    within(rows, 1, n, 1, "row")
    within(columns, 1, m, 2, "column")
    return of_triples(rows, columns, values, n, m)
end

-- The matrix of the arrays of a file of SciPy's save_npz, with indices from 0.
local function of_file(t)
    local shape = core.isarray(t.shape) and t.shape:totable() or {}
    if t.format ~= "csr" and t.format ~= "csc" then
        bad(1, "a file of format %s: csr and csc are known", tostring(t.format))
    end
    for _, name in ipairs { "data", "indices", "indptr" } do
        if not core.isarray(t[name]) then
            bad(1, "the file has no array '%s'", name)
        end
    end
    if t.format == "csr" then
        return of_lists(t.indptr + 1, t.indices + 1, t.data, shape, true)
    end
    local turned = of_lists(t.indptr + 1, t.indices + 1, t.data, { shape[2], shape[1] }, true)
    return turned:transpose()
end

M.csr = call.called("csr", 0, 5, function(rows, columns, values, shape, options)
    if columns == nil and values == nil and shape == nil and options == nil then
        if type(rows) == "table" and not core.isarray(rows) and rows.format ~= nil then
            return of_file(rows)
        end
        return of_dense(rows)
    end
    options = call.options(options, 5, "offsets")
    return of_lists(rows, columns, values, shape, options.offsets)
end)

-- ---------------------------------------------------------------- products

-- Sums of products of real values and elements: each row's in the order of its columns.
local function product(d, values, x)
    local offsets, columns = d.offsets, d.columns
    if call.rank(x) == 1 then
        return core.generate(d.n, function(i)
            local sum = 0
            for k = offsets[i], offsets[i + 1] - 1 do
                sum = sum + values[k] * x[columns[k]]
            end
            return sum
        end)
    end
    return core.generate({ d.n, (select(2, x:shape())) }, function(i, j)
        local sum = 0
        for k = offsets[i], offsets[i + 1] - 1 do
            sum = sum + values[k] * x[columns[k]][j]
        end
        return sum
    end)
end

-- The same of complex ones, as matmul has it.
local function complex_product(d, x)
    local v, is_complex, of_complex = d.values, core.iscomplex(d.values), core.iscomplex(x)
    local vr, vi = is_complex and v.re:copy() or v, is_complex and v.im:copy()
    local xr, xi = of_complex and x.re:copy() or x, of_complex and x.im:copy()
    local re = product(d, vr, xr)
    if vi and xi then
        return core.complex(re - product(d, vi, xi), product(d, vr, xi) + product(d, vi, xr))
    end
    return core.complex(re, vi and product(d, vi, xr) or product(d, vr, xi))
end

local function multiplied(S, x)
    local d = data(S)
    call.array(x, 2, "a Vector or a matrix")
    local rank = call.rank(x)
    if rank ~= 1 and rank ~= 2 or (x:shape()) ~= d.m then
        bad(2, "%d rows expected, as many as the matrix has columns, got %s", d.m, call.described(x))
    elseif x:ismissing():any() then
        bad(2, "takes no missing elements")
    end
    if x:dtype() == "bool" then
        x = x:cast "i64"
    end
    if d.n == 0 or #d.values == 0 then
        local shape = rank == 1 and { d.n } or { d.n, (select(2, x:shape())) }
        return core.zeros(shape, core.concat { d.values:sub(1, 0), x:reshape(-1):sub(1, 0) }:dtype())
    elseif core.iscomplex(d.values) or core.iscomplex(x) then
        return complex_product(d, x)
    end
    return product(d, d.values, x)
end

-- ---------------------------------------------------------------- methods

local function self(S)
    if not is(S) then
        bad(1, "sparse matrix expected, got %s", described(S))
    end
    return data(S)
end

-- A method of at most so many arguments.
local function method(name, most, f)
    Csr.methods[name] = call.called(name, 1, most + 1, f)
end

-- The row of each stored element.
local function places(d)
    return d.n > 0 and core.index(d.n):spread(d.offsets:sub(2) - d.offsets:sub(1, -2)) or core.zeros(0, "i64")
end

local function transposed(S)
    local d = self(S)
    if #d.values == 0 then
        return made(d.m, d.n, core.ones(d.m + 1, "i64"), d.columns, d.values)
    end
    -- elements are in the order of their rows, which a stable sort by columns keeps
    local order = d.columns:cast(d.m < 1 << 32 and "u32" or "i64"):argsort():eval()
    local counts = core.zeros(d.m, "i64"):put(d.columns, 1, { combine = "+" })
    local offsets = core.concat { core.ones(1, "i64"), counts:cumsum() + 1 }
    return made(d.m, d.n, offsets, places(d):eval():take(order), d.values:take(order))
end

-- Elements of a Vector of zeros.
local function scattered(n, at, values)
    return by_parts(function(part) return core.zeros(n, part:dtype()):put(at, part) end, values)
end

method("matmul", 1, function(S, x)
    self(S)
    return multiplied(S, x)
end)
method("transpose", 0, transposed)
method("shape", 0, function(S) return self(S).n, data(S).m end)
method("nnz", 0, function(S) return #self(S).values end)
method("dtype", 0, function(S) return self(S).values:dtype() end)
method("rows", 0, function(S) return self(S).offsets:copy() end)
method("triples", 0, function(S)
    local d = self(S)
    return places(d), d.columns:copy(), d.values:copy()
end)
method("dense", 0, function(S)
    local d = self(S)
    return scattered(d.n * d.m, (places(d) - 1) * d.m + d.columns, d.values):reshape(d.n, d.m)
end)
method("diagonal", 0, function(S)
    local d = self(S)
    local at = places(d):eq(d.columns):indices():eval()
    return scattered(math.min(d.n, d.m), d.columns:take(at), d.values:take(at))
end)
method("sum", 1, function(S, axis)
    local d = self(S)
    if axis == nil then
        return d.values:sum()
    end
    axis = call.axis(2, axis, 2)
    local by = axis == 2 and S or transposed(S)
    return multiplied(by, core.ones(axis == 2 and d.m or d.n, core.iscomplex(d.values)
        and d.values.re:dtype() or d.values:dtype()))
end)
method("map", 1, function(S, f)
    local d = self(S)
    local values = stored(d.values:map(f), 2)
    return made(d.n, d.m, d.offsets, d.columns, values)
end)
method("sub", 1, function(S, range)
    local d = self(S)
    if type(range) ~= "table" or #range ~= 2 then
        bad(2, "{first, last} of the rows expected, got %s", described(range))
    end
    local i, j = whole(range[1], 2), whole(range[2], 2)
    i, j = i < 0 and d.n + 1 + i or i, j < 0 and d.n + 1 + j or j
    if i < 1 or j > d.n or j < i - 1 then
        bad(2, "rows %d to %d are out of range: the matrix has %d", range[1], range[2], d.n)
    end
    local from, to = d.offsets[i], d.offsets[j + 1] - 1
    return made(j - i + 1, d.m, d.offsets:sub(i, j + 1) - (from - 1), d.columns:sub(from, to):copy(),
        d.values:sub(from, to):copy())
end)

-- ---------------------------------------------------------------- operators

local function is_factor(x)
    return math.type(x) or not core.isarray(x) and core.iscomplex(x)
end

local function refused(operation, a, b)
    error(("attempt to perform '%s' of %s and %s (sparse matrices have S + T, S - T, -S, S * number, S / number, "
        .. "S:matmul(x))"):format(operation, described(a), described(b)), 3)
end

local function scaled(S, f)
    local d = data(S)
    return made(d.n, d.m, d.offsets, d.columns, stored(f(d.values), 1))
end

function Csr.__mul(a, b)
    local S, x = a, b
    if is(b) then
        S, x = b, a
    end
    if not is_factor(x) then
        refused("*", a, b)
    end
    return scaled(S, function(values) return values * x end)
end

function Csr.__div(a, b)
    if not is(a) or not is_factor(b) then
        refused("/", a, b)
    end
    return scaled(a, function(values) return values / b end)
end

function Csr.__unm(a)
    return scaled(a, function(values) return -values end)
end

-- Both matrices' elements, those of b after f.
local function joined(operation, a, b, f)
    if not is(a) or not is(b) then
        refused(operation, a, b)
    end
    local s, t = data(a), data(b)
    if s.n ~= t.n or s.m ~= t.m then
        error(("attempt to perform '%s' of sparse matrices of %d x %d and %d x %d"):format(operation, s.n, s.m, t.n,
            t.m), 3)
    end
    return of_triples(core.concat { places(s), places(t) }, core.concat { s.columns, t.columns },
        core.concat { s.values, f(t.values) }, s.n, s.m)
end

function Csr.__add(a, b)
    return joined("+", a, b, function(values) return values end)
end

function Csr.__sub(a, b)
    return joined("-", a, b, function(values) return -values end)
end

function Csr.__len(S)
    return data(S).n
end

Csr.__index = Csr.methods

function Csr.__newindex()
    error("a sparse matrix is not written to: make a new one, with lun.csr", 2)
end

local SHOWN = 10 -- elements

function Csr.__tostring(S)
    local d = data(S)
    local lines = { ("csr<%s>[%d, %d], %d elements"):format(d.values:dtype(), d.n, d.m, #d.values) }
    local rows = places(d)
    for k = 1, math.min(#d.values, SHOWN) do
        lines[k + 1] = ("(%d, %d)  %s"):format(rows[k], d.columns[k], tostring(d.values[k]))
    end
    lines[#lines + 1] = #d.values > SHOWN and "..." or nil
    return table.concat(lines, "\n")
end

-- The arrays of a file, as SciPy's save_npz has them: indices from 0.
function Csr.__arrays(S)
    local d = data(S)
    local small = math.max(d.n, d.m, #d.values) < 1 << 31 and "i32" or "i64"
    return { data = d.values, indices = (d.columns - 1):cast(small), indptr = (d.offsets - 1):cast(small),
        shape = core.vector({ d.n, d.m }, "i64"), format = "csr" }
end

M.methods = Csr.methods

return M
