-- The reference, made of what the program knows: the help texts, the tables of operations and statuses, the comments of
-- the Lua files, of lunarray.h and of lunarray_bind.h. A page for each subject in docs/reference/, and an index of all
-- names, docs/reference.md.
--
--     build/lunarray tests/reference.lua     writes them all

local core = require "lunarray.core"
local help = require "lunarray.prompt.help"
local describe = core.internal.describe

local M = {}

-- The lines of the page that is written, its path below docs/, its heading so far, and the names of all pages:
-- { name, what, path#anchor }, in the order of pages.
local out, path, anchor
local index = {}

-- A line, or several. A heading is where the names below it are found.
local function put(format, ...)
    local text = select("#", ...) > 0 and format:format(...) or format
    out[#out + 1] = text
    local heading = text:match "^\n*##+ ([^\n]*)"
    if heading then
        anchor = heading:lower():gsub("[^%w%s_-]", ""):gsub(" ", "-")
    end
end

-- A name that the lines below describe.
local function indexed(name, what)
    index[#index + 1] = { name = name, what = what, at = path .. "#" .. anchor }
end

local function sorted(t)
    local keys = {}
    for key in pairs(t) do
        keys[#keys + 1] = key
    end
    table.sort(keys)
    return keys
end

-- Text for a cell of a table: code where it is code.
local function cell(text)
    return (text:gsub("|", "\\|"):gsub("%s*\n%s*", " "))
end

local function code(text)
    return "`" .. text .. "`"
end

local function read(name)
    local file = assert(io.open(name))
    local text = file:read "a"
    file:close()
    return text
end

-- ---------------------------------------------------------------- Lua

-- The comment above a function of lua/lunarray that a script calls as lun.<name>.
local function comment_of(name)
    for line in io.lines "lua/lunarray/init.lua" do
        local file, inside = line:match("^lun%." .. name .. ' = later%("([%w_.]+)", "([%w_]+)", [^)]+%)')
        if file then
            local comment = {}
            for source in io.lines("lua/lunarray/" .. file:gsub("%.", "/") .. ".lua") do
                local text = source:match "^%-%- ?(.*)$"
                if text then
                    comment[#comment + 1] = text
                elseif source:find("^function M%." .. inside .. "%(") then
                    return table.concat(comment, " ")
                else
                    comment = {}
                end
            end
        end
    end
end

-- Those functions of the module that are neither operations nor described as reductions.
function M.functions()
    local names = {}
    for name, value in pairs(package.loaded.lunarray) do
        if type(value) == "function" and not core.op[name] and not help.reductions[name] and not help.names[name] then
            names[name] = true
        end
    end
    return names
end

function M.methods()
    local names = {}
    for name in pairs(core.internal.methods) do
        if not core.op[name] and not help.reductions[name] and not help.names[name] then
            names[name] = true
        end
    end
    return names
end

local groups = {
    { "Making arrays", "vector zeros ones full range index linspace generate random frombytes struct" },
    { "Skeletons", table.concat(help.skeletons, " ") .. " sequence compose" },
    { "Computing", "eval each explain prepare stats profile check dot matmul cast clock trim" },
    { "Files", "load open save" },
    { "Tables", "table rows factor group join" },
    { "Pictures", "plot hist bars box image" },
    { "Printing", "precision width elements_shown rows_shown" },
    { "The engine", "backends devices use math door info help isarray" },
    { "Complex numbers", "complex iscomplex real imag conj angle" },
}

local function module()
    local left = M.functions()
    local function rows(title, names)
        put("## %s\n", title)
        put "| call | what it does |\n|---|---|"
        local details = {}
        for _, name in ipairs(names) do
            local text = help.functions[name]
            if left[name] and text then
                put("| %s | %s |", code(cell(text[1])), cell(text[2]))
                indexed("lun." .. name, "lua")
                details[#details + 1] = name ~= "help" and comment_of(name) or nil
                left[name] = nil
            end
        end
        put ""
        for _, text in ipairs(details) do
            put("%s\n", (text:gsub("^(lun%.%w+%b()):", "`%1`:")))
        end
    end
    for _, group in ipairs(groups) do
        local names = {}
        for name in group[2]:gmatch "%S+" do
            names[#names + 1] = name
        end
        rows(group[1], names)
    end
    if next(left) then
        rows("More", sorted(left))
    end
end

local function element_types()
    put "## Element types\n"
    put "| dtype | bytes | elements | in `.npy` files |\n|---|---|---|---|"
    for _, row in ipairs(core.internal.dtypes()) do
        put("| `%s` | %d | %s | %s |", row.name, row.bytes, row.doc, row.npy and code(row.npy) or "none: cast to `f32`")
    end
    put [[

`f16` and `bf16` save memory: an operation on them computes in `f32` and rounds its result once, to the nearest
element, so an expression has the same bits whether it runs as one kernel or step by step. Sums, means and scans
accumulate in `f64`. Together they meet in `f32`; with integers and numbers they keep their dtype. A function in Lua or C
takes their elements as `f32` and gives `f32` (`{out = "f16"}` rounds its results).
]]
end

-- Sums and products of small integers: what each way of writing them does, computed here.
local GROWTH = {
    { "a + a", "arithmetic keeps its operands' dtype and wraps, as in NumPy" },
    { "a * 200", "a number takes the array's dtype; one that does not fit is an error: `a * 300`" },
    { "a:zip(a, '+')", "element by element, as the operator" },
    { "a:cast 'i64' * 200", "nothing is lost in a wider dtype; the cast is part of the same kernel" },
    { "a:map(function(x) return x * 200 end)",
        "a Lua function computes in 32 bits at least, in 64 beside a number that needs them, and wraps there" },
    { "a:map '(unsigned char x) { return x * 200; }'", "a C text gives the type that it returns; unnamed, that of its first parameter" },
    { "a:sum()", "sums and products of integers are `i64`, of unsigned ones `u64`; so is `prod`" },
    { "a:dot(a)", "the same: elements are widened before they are multiplied" },
    { "a:reduce('+')", "the same; so is `'*'`. Other operations (`'max'`, `'&'`) do not grow and keep the dtype" },
    { "a:scan('+', 0, {inclusive = true})", "the same, as NumPy's `cumsum`; a cast after it is part of the same kernel" },
    { "a:reduce(function(x, y) return x + y end, 0)", "a function's own arithmetic, as with `map`" },
    { "a:mean()", "means, `var`, `std` and `norm` are computed in `f64`" },
}

-- Integers of two dtypes, and beside numbers; computed here too.
local BESIDE = {
    { "u:gt(i)", "comparisons of integers are by value whatever their dtypes, as in Lua: 2^64 - 1 is more than 3" },
    { "u:min(i)", "of `u64` and a signed dtype the least is `i64`" },
    { "u:max(i)", "and the greatest `u64`, which hold them; `fmin`, `fmax` and `clamp` alike" },
    { "u:searchsorted(i)", "by value, as `lun.join` and `lun.group` do" },
    { "u + i", "arithmetic, `where`, `..`, `dot` and `matmul` need a dtype that holds both, and there is none" },
    { "u:cast 'i64' + i", "so one of them is cast, and wraps" },
    { "u / i", "`f64`, as `/` and `^` of all integers" },
    { "b:gt(-1)", "a number beside integers is compared by value: out of range it is less, or more, than all of them" },
    { "b:lt(2.5)", "and one with a fraction is not rounded" },
    { "b + -1", "in arithmetic a number has to fit, and where it is stored" },
    { "u[2]", "an element of `u64` from 2^63 on is the Lua integer with its bits, which is negative" },
    { "u:eq(u[2])", "beside `u64`, and stored in it, a negative integer is read as the `u64` with the same bits" },
    { "u:gt(-1.0)", "a negative float does not: it is less than every element" },
}

local function text_of(x)
    if type(x) ~= "userdata" then
        return tostring(x)
    elseif #{ x:shape() } == 0 then
        return tostring(x:value())
    end
    local list = x:totable()
    for k, v in ipairs(list) do
        list[k] = tostring(v)
        if x:dtype() == "u64" and v < 0 then -- as it is printed
            list[k] = tostring(x:sub(k, k)):match "%d+%]$":sub(1, -2)
        end
    end
    return ("{%s}"):format(table.concat(list, ", "))
end

-- What each of the rows gives where `arrays` are variables.
local function computed(rows, arrays)
    put "| expression | gives | as | why |\n|---|---|---|---|"
    for _, row in ipairs(rows) do
        local ok, x = pcall(assert(load("return " .. row[1], "=row", "t", arrays)))
        local as = not ok and "" or type(x) == "userdata" and code(x:dtype()) or "a Lua " .. (math.type(x) or type(x))
        put("| %s | %s | %s | %s |", code(cell(row[1])), ok and code(text_of(x)) or "an error", as, cell(row[2]))
    end
    put ""
end

local function growth()
    local lun = package.loaded.lunarray
    put "## Integers that outgrow their dtype\n"
    put "With `a = lun.vector({200, 100}, 'u8')`:\n"
    computed(GROWTH, { a = lun.vector({ 200, 100 }, "u8") })
    put "## Integers of different dtypes\n"
    put(([[
Two arrays are converted to the narrowest dtype that holds both: a float beats an integer, then the wider one wins, and
`u8` with `i8` gives `i16`. Of `u64` and a signed integer there is none. With `u = lun.vector({5, -1}, 'u64')`, whose second
element is 2^64 - 1, `i = lun.vector {3, 7}` and `b = lun.vector({1, 200}, 'u8')`:
]]))
    computed(BESIDE, { u = lun.vector({ 5, -1 }, "u64"), i = lun.vector { 3, 7 }, b = lun.vector({ 1, 200 }, "u8") })
end

local function methods()
    put "## Elements, rows, slices\n"
    put "| written | what it is |\n|---|---|"
    for _, sign in ipairs(help.signs) do
        put("| %s | %s |", code(cell(sign[2])), cell(sign[3]))
    end
    put "\n## Methods of arrays\n"
    put "Every function of the operations below is a method too: `a:sqrt()`, `a:lt(b)`.\n"
    put "| call | what it does |\n|---|---|"
    for _, name in ipairs(sorted(M.methods())) do
        local text = help.methods[name]
        if text then
            put("| %s | %s |", code(cell(text[1])), cell(text[2]))
            indexed("a:" .. name, "lua")
        end
    end
    local function others(title, rows, letter)
        put("\n## Methods of %s\n", title)
        put "| call | what it does |\n|---|---|"
        for _, name in ipairs(sorted(rows)) do
            put("| %s | %s |", code(cell(rows[name][1])), cell(rows[name][2]))
            indexed(letter .. name, "lua")
        end
    end
    others("tables", help.verbs, "t:")
    others("groups", help.of_groups, "g:")
    others("skeletons", help.skeleton_methods, "s:")
    put ""
end

local function reductions()
    put "## Reductions\n"
    put(([[
Without an axis, or of all of them, the result is a Lua number, computed now. `a:lazy "sum"` is the lazy form, a Scalar
to be evaluated together with others; there is one of each.

Along axes the result is a lazy array: `A:sum(2)`, `A:max{axis=2}`, `A:mean{axis={1, 3}, keep=true}`. Axes count from 1,
or from -1 at the end, and are gone from the result; `keep=true` leaves extent 1, so that the result broadcasts against A:
`A - A:mean{axis=2, keep=true}`. Each element has the bits of the same reduction of its line, copied into a Vector and
rounded to the dtype of the result; of several axes the line is in row-major order.

- Dtypes along axes: sum, prod, mean, var, std and norm of floats keep the dtype (sums are accumulated in `f64` and rounded
  once), sums and products of integers are `i64` or `u64`, their means, variances and norms `f64`; min and max keep the
  dtype; any and all are `bool`; count, argmin and argmax `i64`.
- `A:max(2)` is not along axis 2: with a number min and max are elementwise, so that they take their axis in a table.
  `A:var(1)`, `A:std(1)` of rank 2 and more are errors that name `{axis=1}` and `{ddof=1}`; of a Vector 1 is ddof.
- `skipnan=true` leaves NaN out, also of the number of elements. A line of NaN alone then gives the sum 0, the product 1,
  the count 0, else NaN; argmin and argmax of it fail. Unasked nothing is left out, and NaN is the result.
- A variance sums squared differences to a number: the first element, where that is in memory, else 0; where that loses
  digits, once more to the mean. So the last digits of `(A * 2):var()` may differ from those of the same elements in memory.
  Each of the two is the same on every backend and any number of threads.
- An empty axis: sum 0, prod 1, any false, all true, count 0, norm 0; mean, var and std NaN; the others fail. mean, var and
  std of a whole array without elements fail, too. `{axis={}}` names no axis: each element is a line. argmin and argmax take
  one axis, or all.
- A norm whose squares leave the range of `f64` is computed once more, of elements times a power of two.
]]):gsub("\n*$", "\n"))
    put "| call | what it gives |\n|---|---|"
    for _, name in ipairs(sorted(help.reductions)) do
        put("| %s | %s |", code(help.reductions[name][1]), cell(help.reductions[name][2]))
        indexed("a:" .. name, "lua")
    end
    put ""
end

local function products()
    put "## Matrix products\n"
    put [[
`A:matmul(B)` of an r x k and a k x c matrix is lazy and r x c. Axes in front of the last two are batches and broadcast. A
Vector is a row on the left and a column on the right, and its axis is gone from the result; two Vectors give a Scalar.

- Dtypes: floats give their common dtype; `f16` and `bf16` are computed in `f32` and rounded once. Integers and `bool` give
  `i64`, or `u64` if all are unsigned, and wrap there.
- Order: an element of a product of matrices is (s1 + s2) + s3 ..., where the b-th s is the sum over the b-th 256 values of
  k, in order: s = fma(A[i][k], B[k][j], s), from 0. So it depends on its row and its column alone: it has the same bits on
  every backend, on any number of threads, in every layout, in a batch and out of it.
- Only a Vector makes it another sum: `A:matmul(v)` is `(A * v):sum(2)`, elements multiplied in their dtype and summed in
  `f64`. An n x 1 matrix keeps the order above.
- Windows, transposed matrices and other dtypes are read as they stand; expressions are computed first. What is done with the
  product is a kernel after it, which takes its rows [from the cache](../when-it-runs.md#rows-that-stay-in-the-cache).
  `lun.explain` shows it as `matmul`, `lun.stats().products` counts it.
- `opencl` has a kernel for them on GPUs. On processors, for `f16` and `bf16`, and for `f64` where the device has none, the
  host's cores do them: operands and result are copied, which `lun.explain` says and `bytes_to_host` counts.
]]
end

local function pairs_of_rows()
    put "## All pairs of rows\n"
    put [[
`lun.allpairs(f, g)(A, B)` of an n x k matrix A and an m x k matrix B is lazy and n x m: element (i, j) combines the k values
f(A[i][l], B[j][l]) by g. f is what `lun.zip` takes, g what `lun.reduce` takes: operations, Lua functions, C texts; numbers
and arrays behind A and B are extra arguments of f. Distances: `lun.allpairs(function(x, y) return math.abs(x - y) end, "+")`.

- Dtypes: as `lun.reduce(g)` along the rows of `lun.zip(f)` has them.
- Order: the values of a pair are combined as (id + s1) + s2 ..., where the b-th s combines the b-th 256 values of l from left
  to right: from the identity of an operation that has one, else from the first of them. Sums and products of floats are
  accumulated in their own dtype, as in `matmul` (`f16` and `bf16` in `f32`, rounded once). So an element depends on its two
  rows alone: it has the same bits on every backend, on any number of threads, in every layout.
- `lun.allpairs("*", "+")` is `A:matmul(B:transpose())`, bits included; integers are then multiplied in `i64` or `u64`.
- The n x m x k values are never in memory. Windows, transposed matrices and other dtypes are read as they stand; expressions
  are computed first. What is done with the result is a kernel after it. `lun.explain` shows it as `allpairs`.
- Rows without elements give id, or the identity of g; with neither they are an error.
]]
end

local function operations()
    put "## All operations\n"
    put "As functions and as methods; `lun.op.add` and so on are values for skeletons, as are their names.\n"
    put "| operation | what it is |\n|---|---|"
    for _, name in ipairs(sorted(core.op)) do
        local forms, doc = help.op_text(core.op[name]):match "^(.-): (.*)$"
        put("| %s | %s |", code(cell(forms)):gsub(", (%S)", "`, `%1"):gsub("%(a`, `b`, `c%)", "(a, b, c)")
            :gsub("%(a`, `b%)", "(a, b)"):gsub("%(b`, `c%)", "(b, c)"), cell(doc))
        assert(describe(core.op[name]))
        indexed("lun." .. name, "lua")
    end
    put ""
end

local function names()
    put [[
What is written over the other functions, under the names that NumPy, SciPy and the Array API have for it; axes and indices
count from 1. A method `a:f(b)` is also a function, `lun.f(a, b)`. Each is lazy as the functions are of which it is made: what
is a number is computed at once, and so is what has to look at elements to check them.
]]
    for _, rows in ipairs(help.named) do
        put("## %s\n", rows.title)
        put "| call | what it does | example | gives |\n|---|---|---|---|"
        for _, row in ipairs(rows.list) do
            put("| %s | %s | %s | %s |", code(cell(row.call)), cell(row.text), code(cell(row.example)), code(cell(row.gives)))
            indexed((row.call:find "^%a:" and "a:" or "lun.") .. row.name, "lua")
        end
        put ""
    end
end

-- ---------------------------------------------------------------- the tables

local function statuses()
    put "## Statuses\n"
    put "`lun_status` in C (with `LUN_` in front), the field `code` of an error object in Lua.\n"
    put "| name | meaning |\n|---|---|"
    for id, doc in read "prims/table/status.def":gmatch 'LUN_STATUS%(([%w_]+),%s*%d+,%s*"([^"]*)"%)' do
        put("| `%s` | %s |", id, cell(doc))
        indexed("LUN_" .. id, "c")
    end
    put ""
end

local function program()
    put "## Options and variables\n"
    local pipe = assert(io.popen((os.getenv "BUILD" or "build") .. "/lunarray --help"))
    put("```text\n%s```\n", pipe:read "a":gsub("^usage: %S+", "usage: lunarray"))
    pipe:close()
    put [[
| variable | meaning |
|---|---|
| `LUNARRAY_BACKEND` | the backend to start with; the option `--backend` wins |
| `LUNARRAY_THREADS` | how many threads at most; else the first number of `OMP_NUM_THREADS`, else all that it may use |
| `LUNARRAY_ISA` | the highest level of instructions of x86-64: `base`, `avx2`, `avx512`; by default what the processor has |
| `LUNARRAY_BITS` | the [version of the bits](../bits.md#versions), `v1` |
| `HWLOC_SYNTHETIC` | a machine to [simulate](../platforms.md#a-simulated-machine), by its cores and caches |
| `LUNARRAY_MPI` | the MPI that ranks of a launcher load: `mpich`, `openmpi`, `abi` or a path; by default the launcher's |
| `LUNARRAY_DUCKDB`, `LUNARRAY_SQLITE`, `LUNARRAY_HDF5` | the file of [that library](../doors.md) |
| `LUNARRAY_BLAS`, `LUNARRAY_FFTW`, `LUNARRAY_LAPACK` | the same |
| `LUNARRAY_RANK_BACKEND` | what ranks that serve one script compute by (`--backend mpi`); by default the best of each machine |
| `LUNARRAY_RANK_TIMEOUT` | seconds after which ranks give up waiting for a silent one; by default never |
| `LUNARRAY_RANK_CLOCK` | latency in seconds and bytes a second: ranks of `--ranks` have a [modelled network](../ranks.md) |
| `LUNARRAY_SIM` | a seed: the ranks of `--ranks` are [simulated](../robustness.md#simulated-ranks) |
| `LUNARRAY_CHECK` | 1: each step on a set is [compared with its explanation](../robustness.md#checked-steps); by default none is |
| `LUNARRAY_JIT` | `auto` (the default), `sync`: wait for the compiler, `off`: never call it |
| `LUNARRAY_PLUGINS` | libraries with [backends](../architecture/backends.md#plug-ins), paths with `:` between them; none in a sandbox |
| `LUNARRAY_TOOL` | libraries with [tools](../embedding/tools.md), paths with `:` between them; none in a sandbox |
| `LUNARRAY_TRACE` | as [`--trace`](../embedding/tools.md#traces), but not in a sandbox |
| `LUNARRAY_CC` | the C compiler, `cc` by default |
| `LUNARRAY_CACHE_DIR` | where compiled kernels are kept; empty: nowhere |
| `LUNARRAY_CACHE_SIZE` | megabytes of kernels kept there at most; 256 by default |
| `LUNARRAY_KERNELS` | kernels kept in memory at most; 4096 by default |
| `LUNARRAY_KERNEL_MEMORY` | megabytes that they take at most; 64 by default |
| `LUNARRAY_OPENCL_GROUPS` | `1`: teams that meet are work-groups of OpenCL, `0`: they are not; by default on graphics processors |

A backend, mode or number that makes no sense is an error when the engine opens.
[How many kernels are kept](../when-it-runs.md#how-many-kernels-are-kept) says more on the last three.
]]
end

-- ---------------------------------------------------------------- C

-- The functions of a header in order: { section, name, prototype, comment }. A comment counts where it
-- stands directly above.
local function functions_of(header)
    local list, section, comment, prototype = {}, "", nil, nil
    local inside
    for line in io.lines("prims/" .. header) do
        local heading = line:match "^/%* %-%-%-%- (.-) %-+ %*/$"
        if heading then
            section, comment = heading, nil
        elseif prototype then
            prototype = prototype .. " " .. line:match "^%s*(.-)%s*$"
        elseif line:find "^LUN_API" then
            prototype = line:match "^LUN_API (.*)$"
        elseif inside or line:find "^/%*" then
            comment = (inside and comment .. " " or "") .. line:gsub("^%s*/?%*+/?%s?", ""):gsub("%s*%*/$", "")
            inside = not line:find "%*/%s*$"
        elseif line == "" then
            comment = nil
        end
        if prototype and prototype:find ";" then
            local name = prototype:match "([%w_]+)%("
            list[#list + 1] = { section = section, name = name, prototype = prototype:gsub("%s+", " "), comment = comment }
            prototype, comment = nil, nil
        end
    end
    return list
end

-- The functions of both headers.
function M.c_functions()
    local list, more = functions_of "lunarray.h", functions_of "lunarray_bind.h"
    return table.move(more, 1, #more, #list + 1, list)
end

local function sections(header)
    local section
    for _, f in ipairs(functions_of(header)) do
        if f.section ~= section then
            section = f.section
            put("\n## %s\n", section:sub(1, 1):upper() .. section:sub(2))
        end
        put("- `%s`  \n  %s", f.prototype, (f.comment or ""):gsub("%s+", " "):gsub("[*_<]", "\\%0"))
        indexed(f.name, "c")
    end
end

local function c_header()
    put "`#include <lunarray.h>`, `pkg-config --cflags --libs lunarray`. The head of the file tells what holds for all of it;"
    put "[examples/embed](../../examples/embed) shows it at work."
    sections "lunarray.h"
end

local function binding_header()
    put "`#include <lunarray_bind.h>`: what a binding needs beside `lunarray.h`, as that to Lua does, which knows no other"
    put "header of the engine."
    sections "lunarray_bind.h"
end

-- The pages below docs/: path, title, what the index says of it, what writes it.
local PAGES = {
    { "module", "The module", "functions of `lun`: making arrays, skeletons, files, tables, pictures, the engine", module },
    { "arrays", "Arrays and skeletons", "elements, slices, and all methods", methods },
    { "reductions", "Reductions and products", "sums, means and extremes, along axes too; matrix products, all pairs of rows",
        function()
            reductions()
            products()
            pairs_of_rows()
        end },
    { "operations", "Operations", "elementwise functions, operators, what skeletons take by name", operations },
    { "names", "Names of NumPy and SciPy", "what other libraries call it: shapes, running sums, elementwise functions", names },
    { "types", "Element types", "dtypes, what integers grow to, integers of several dtypes together",
        function()
            element_types()
            growth()
        end },
    { "program", "The program", "options, variables of the environment, statuses of errors",
        function()
            program()
            statuses()
        end },
    { "c", "C", "`lunarray.h`", c_header },
    { "bindings", "C, for bindings to other languages", "`lunarray_bind.h`", binding_header },
}

local MADE = "Made by `make docs` of the program's own help, its tables and the headers of the C library; do not edit.\n"

-- Names of one kind in order, each a link; those of the same letter in a paragraph.
local function index_of(what)
    local rows = {}
    for _, row in ipairs(index) do
        if row.what == what then
            rows[#rows + 1] = { row.name:gsub("^%w+[.:]", ""):gsub("^[Ll][Uu][Nn]_", ""):lower(), row }
        end
    end
    table.sort(rows, function(x, y)
        if x[1] ~= y[1] then
            return x[1] < y[1]
        elseif x[2].name ~= y[2].name then
            return x[2].name < y[2].name
        end
        return x[2].at < y[2].at
    end)
    local letter, line
    for _, row in ipairs(rows) do
        local first = row[1]:sub(1, 1)
        local link = ("[`%s`](%s)"):format(row[2].name, row[2].at)
        if first ~= letter then
            if line then
                put("%s\n", line)
            end
            letter, line = first, link
        else
            line = line .. " " .. link
        end
    end
    put("%s\n", line)
end

local function overview()
    put "# Reference\n"
    put(MADE)
    put "| page | what is there |\n|---|---|"
    for _, page in ipairs(PAGES) do
        put("| [%s](reference/%s.md) | %s |", page[2], page[1], page[3])
    end
    put "\n## Names in Lua\n"
    put "`lun.` is the module, `a:` a method of arrays, `s:` one of skeletons. Every operation is a method of arrays, too.\n"
    index_of "lua"
    put "## Names in C\n"
    index_of "c"
end

-- All pages: a list of { path, text }, the index first.
function M.pages()
    local list, all = {}, {}
    index = {}
    for _, page in ipairs(PAGES) do
        out, path, anchor = {}, "reference/" .. page[1] .. ".md", ""
        put("# %s\n", page[2])
        put(MADE)
        page[4]()
        list[#list + 1] = { "docs/" .. path, (table.concat(out, "\n"):gsub("\n+$", "\n")) }
        all[#all + 1] = list[#list][2]
    end
    out, path = {}, "reference.md"
    overview()
    table.insert(list, 1, { "docs/" .. path, (table.concat(out, "\n"):gsub("\n+$", "\n")) })
    return list, table.concat(all, "\n")
end

if arg and (arg[0] or ""):find "tests/reference%.lua$" then
    for _, page in ipairs(M.pages()) do
        local file = assert(io.open(page[1], "w"))
        assert(file:write(page[2]))
        assert(file:close())
    end
end

return M
