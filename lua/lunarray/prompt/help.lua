-- lun.help(x): the text on a function, method, operation or value of the module. Operations,
-- skeletons and reductions are described by the engine's tables, the rest here.

local core = require "lunarray.core"
local foreign = require "lunarray.prompt.other_names"
local guess = require "lunarray.prompt.guess"
local scope = require "lunarray.base.scope"
local verbs = require "lunarray.prompt.help_tables"

local describe_op = core.internal.describe
local describe_skeleton = core.internal.skeleton

local M = {}

-- Whether x is a table of columns, or the groups of one; without loading what makes them.
local function is_columns(x)
    local meta = debug.getmetatable(x)
    return type(x) == "table" and type(meta) == "table" and rawget(meta, "columns") ~= nil
end

local function is_groups(x)
    local group = package.loaded["lunarray.table.group"]
    return group ~= nil and group.is(x)
end

-- Functions of the module: the call, and what it does.
local FUNCTIONS = {
    vector = {
        "lun.vector(t [, dtype [, {layout=, align=, label=, readonly=true}]])",
        "a Vector of the numbers and Scalars in a table; from tables or arrays of one shape, an array of these rows;\n"
            .. 'layout: "right" (row by row), "left" (column by column) or {s1, s2, ...} (strides, in elements);\n'
            .. "align: rows begin at multiples of so many bytes, up to 64, with room between them;\n"
            .. "label: by which errors, lun.explain and lun.profile name it; readonly: nothing is written to it",
    },
    zeros = {
        "lun.zeros(shape [, dtype [, opts]])",
        "zeros; shape is n, {n1, n2, ...} or n1, n2, ...; dtype f64 by default; options as in lun.vector",
    },
    ones = {
        "lun.ones(shape [, dtype [, opts]])",
        "ones; shape is n, {n1, n2, ...} or n1, n2, ...; dtype f64 by default; options as in lun.vector",
    },
    empty = {
        "lun.empty(shape [, dtype [, opts]])",
        "elements undefined until they are written (zeros in a sandbox): what is filled next need not be cleared;\n"
            .. "arguments as of lun.zeros",
    },
    full = {
        "lun.full(shape, x [, dtype [, opts]])",
        "all elements are x; the dtype is that of x by default; options as in lun.vector",
    },
    range = { "lun.range(a, b [, step])",
        "a + i * step up to b, i from 0; of fractions Lua's for loop, which adds up, may end one earlier; virtual" },
    index = { "lun.index(n)", "1 to n; virtual" },
    linspace = { "lun.linspace(from, to, n [, {endpoint=true}])",
        "n numbers from a to b, evenly spaced; without the endpoint the first n of n + 1; virtual" },
    call = {
        "lun.call(f, ...)",
        "calls a Lua function once, compiled, on one thread, with numbers and arrays, which it may index: loops whose\n"
            .. "rounds depend on each other; gives its results, numbers, or a record",
    },
    teams = {
        'lun.teams{league=64, team=1, elements=8, scratch=4096, check=true, mapping="blocks"}(f, args...)',
        "calls f(t, args...) for each thread of each team, now, in any order, as one kernel; f reads and assigns\n"
            .. "elements of arrays of any rank, and records, as it goes, A[i][j] = x, args or captured ones, each\n"
            .. "handed over once.\n"
            .. "Extents are numbers or {x, y, ...}; t:block([d]) t:blocks([d]) t:thread([d]) t:threads([d])\n"
            .. "t:elements([d]): position from 1, and extent, in dimension d, or in all; t:index([d]): the thread's\n"
            .. "first element; t:scratch(dtype, n, ...), t:private(dtype, n, ...): memory of the team, of the thread,\n"
            .. "zero at first, n of t:scratch a constant, or an argument, captured number or length, the same kernel\n"
            .. "for all; t:barrier(): all threads of the team arrive, what was written before is seen after;\n"
            .. "t:each(n, g [, \"nobarrier\"]): g(i), i = 1 to n, shared out among the threads, then a barrier;\n"
            .. "t:vector(n, g): the same on one thread; t:single(g): once for the team, then a barrier;\n"
            .. "t:broadcast(x, thread): that thread's x for all; t:reduce(op, x): over the threads, in order;\n"
            .. "t:scan(op, x [, id]): what those before come to, and all; t:reduce(op, n, g [, id]): over g(1) to\n"
            .. "g(n), with the bits of a whole reduction.  op: '+', '*', 'min', 'max', '&', '|', '~' or a\n"
            .. "function, which needs id.  All threads come to these together.  scratch: bytes that a team may take;\n"
            .. "check=true, on reference: an error where a thread writes what another one uses without a barrier.\n"
            .. "mapping=\"threads\", on openmp: a team's threads run on several of the host's, one team at a time.\n"
            .. "f as C text: void f(double *y, const double *x, long n), with LUN_BLOCK(d), LUN_THREAD(d),\n"
            .. "LUN_INDEX(d), LUN_SCRATCH(type, name, n, ...), LUN_BARRIER, LUN_ATOMIC_ADD(w, i, x) and so on;\n"
            .. "indices and dimensions count from 0",
    },
    workdiv = {
        "lun.workdiv(extents [, {team=1, elements=8}])",
        "a table for lun.teams: a league that covers the extents, a number or {x, y, ...}, with that team and elements",
    },
    queue = {
        "lun.queue(device [, {async=true}])",
        "a queue of a backend or device, by its name or row of lun.devices(): does what it is given in order, at\n"
            .. "once or, async, while the script goes on, beside others.  q:enqueue(task); q:enqueue(e) evaluates\n"
            .. "an array or records there; q:record() gives an event: ev:done(), ev:wait(); q:wait() waits until all\n"
            .. "is done and raises the first failure, behind which nothing was done; q:wait(ev): the queue waits for\n"
            .. "the event of another; q:idle(): all is done.  local q <close> waits at the end of the block",
    },
    buffer = {
        "lun.buffer(device, extents [, dtype [, {pitch=, align=, memory=}]])",
        'plain memory of a device or of the "host", zero at first, for tasks and lun.copy: b:extents(), b:dtype(),\n'
            .. "b:device(), b:pitch(): bytes from one row to the next, b:free().  It lives as long as work that has\n"
            .. "it.  pitch: so many bytes; align: rows begin at multiples of so many, up to 64; memory: \"pinned\" or\n"
            .. "\"shared\" of the host's, where a device has it: b:memory() says what it is.  With a struct for a\n"
            .. "dtype: a buffer for each field, b.x",
    },
    task = {
        "lun.task(workdiv, f, args...)",
        "f(t, args...), or C text, for each thread of the teams, as in lun.teams, for queues: arguments are\n"
            .. "buffers of the queue's device, of records too, numbers and records; numbers that f captures are those\n"
            .. "of now, arrays cannot be captured",
    },
    copy = {
        "lun.copy(q, to, from [, extents [, to_first, from_first]])",
        "has a queue copy elements between buffers and arrays, or records, of one dtype: extents of them, all of\n"
            .. "`from` by default, from the given indices on.  An array that is copied is its elements of now, one\n"
            .. "that receives has them after the wait",
    },
    each = {
        'lun.each(shape, f [, {tile={16, 64}, schedule="dynamic", chunk=4096}])',
        "calls f(i, j, ...) for each index; f assigns elements of captured arrays, B[i][j] = x, or updates them, "
            .. "h[k[i]] = h[k[i]] + x; shape as in generate.  Options change the speed alone: indices of a tile are\n"
            .. "those of a work-group, or of what a thread takes at once, which is chunk indices if that is given;\n"
            .. 'schedule: threads begin with shares of their own, "static", or take one chunk after the other.\n'
            .. "lun.each(shape, text [, options], args...) calls C text without a result, whose first parameters are\n"
            .. "the indices, from 0: void f(int i, int j, double *a); rounds do not touch one element, but by\n"
            .. "LUN_ATOMIC_ADD and its like",
    },
    generate = {
        "lun.generate(shape, f [, {out=}])",
        "element (i, j, ...) is f(i, j, ...); shape is n or {n1, n2, ...}, an extent may be {first, last}; lazy",
    },
    random = {
        "lun.random(shape [, {seed=, dist=, dtype=, layout=, label=, readonly=true, ...}])",
        "random numbers, the same for the same seed; virtual.  dist, and its numbers or arrays, which broadcast:\n"
            .. '"uniform" (low=0, high=1), "normal" (mean=0, std=1), "integers" (low, high, both included),\n'
            .. '"bernoulli" (p=0.5), "exponential" (scale=1), "geometric" (p), "gamma" (shape, scale=1),\n'
            .. '"beta" (a, b), "chisquare" (df), "student" (df), "poisson" (rate), "binomial" (n, p)',
    },
    frombytes = { "lun.frombytes(s, dtype [, shape])", "an array from bytes as a:tobytes() returns them" },
    struct = {
        'lun.struct(name, {{field, dtype}, ...} [, {layout="soa"}])',
        "a struct, the dtype of records: lun.zeros(n, P), lun.vector({{x=1, y=2}}, P), lun.full(n, {x=1, y=2}, P);\n"
            .. 'lun.struct("./types.h", "Pixel") reads one from a C header; '
            .. 'a field may be a struct, {"pos", Q}, or an array, {"v", "f32", 3} or {"m", "f32", {2, 3}};\n'
            .. 'layout: "aos" (adjacent fields, as in C) or "soa" (an array for each field); P(x, y) is a record',
    },
    concat = {
        "lun.concat(list [, axis=1])",
        "joins the arrays of a list along an axis, in their common dtype; a .. b joins two along the first axis;\n"
            .. "of a Vector also with numbers and lists: a .. 3, a .. {4, 5}",
    },
    stack = { "lun.stack(list [, axis=1])", "stacks arrays of one shape along a new axis" },
    sequence = { "lun.sequence(s1, s2, ...)", "a skeleton that applies one after the other, as s1 >> s2 does" },
    compose = { "lun.compose(root):left(s):right(s)", "a tree of skeletons; :only(s) under a unary root" },
    variant = {
        "lun.variant{opencl=f, openmp=g, default=h, ...}",
        "one function, of which the text for the platform in use runs: taken wherever a function is; all have to give\n"
            .. "the same dtype; lun.check compares what they give",
    },
    eval = {
        "lun.eval(e1, e2, ... [, {out=list}])",
        "evaluates them in as few passes as possible; returns the number of a Scalar, and numbers as they are; "
            .. "{out={w1, w2}}: writes the results to these arrays together",
    },
    explain = { "lun.explain(e, ...)", "the kernels that evaluating e would run, without running; .text: all steps" },
    expect = {
        "lun.expect(e, ..., {kernels=1, bytes=n})",
        "for tests: an error, with the plan, if evaluating the expressions together would run more kernels than that,\n"
            .. "or move more bytes, as lun.explain counts them; returns the expressions; nothing runs",
    },
    dot = { "lun.dot(a, b)", "the sum of the products, as a:dot(b)" },
    matmul = { "lun.matmul(A, B)", "the product of matrices, as A:matmul(B)" },
    compress = { "lun.compress(a, mask [, {axis=}])", "the elements where mask is true, as a:compress(mask)" },
    take = { "lun.take(a, indices [, {axis=, missing=}])", "the elements at indices, as a:take(indices)" },
    grad = {
        "lun.grad(f [, {wrt=1}])",
        "a function that gives the derivatives of f(...), one number, by the arguments numbered in wrt, a number or a\n"
            .. "list: of arrays arrays, of numbers numbers; then its value\n"
            .. "example: lun.grad(function(x) return (x ^ 2):sum() end)(lun.vector{1.0, 2.0}) is {2.0, 4.0}, 5.0",
    },
    derivative = {
        "lun.derivative(f [, k=1])",
        "the k-th derivative of a function of a number, or of the elements of an array\n"
            .. "example: lun.derivative(lun.sin, 2)(0.0) is -0.0",
    },
    hessian = {
        "lun.hessian(f)",
        "a function that gives the matrix of second derivatives of f(x), one number, x a Vector",
    },
    jvp = { "lun.jvp(f, x, v)", "f(x), and its derivative at x along v" },
    minimize = {
        'lun.minimize(f, x0 [, {method="lbfgs", tol=1e-8, maxiter=200}])',
        "x with the least f(x), from the Vector x0 on, f(x), and how many iterations that took; it ends where no\n"
            .. "element of the derivative is beyond tol",
    },
    curve_fit = {
        "lun.curve_fit(model, x, y, p0)",
        "the parameters p with the least sum of squares of model(x, p[1], p[2], ...) - y, from p0 on, and their\n"
            .. "covariance",
    },
    batch = {
        "lun.batch(f [, {axes={1, false}, out=1}])",
        "a function that gives, for many items, what f gives for one: f runs once, of items that hide the\n"
            .. "axis of the batch, by default the first of each array; axes: for each argument its axis, or false,\n"
            .. "the same for all items; out: the axis of the results\n"
            .. "example: lun.batch(function(x) return x:sum() end)(lun.vector{{1, 2}, {3, 4}}) is {3, 7}",
    },
    csr = {
        "lun.csr(rows, columns, values, {n, m} [, {offsets=true}]), lun.csr(A)",
        "a sparse matrix of n rows, m columns: triples in any order, those of one place are added; with offsets rows\n"
            .. "has where each row begins, n + 1 numbers from 1; of a matrix what is not 0; of what lun.load gives of\n"
            .. "a file of SciPy's save_npz. S:matmul(x) transpose diagonal dense shape nnz dtype rows triples,\n"
            .. "S:sum([axis]), S:map(f) of the values, S:sub{i, j} rows, S + T, S - T, -S, S * number, S / number;\n"
            .. 'lun.cg(S, b), lun.save("s.npz", S)\n'
            .. "example: lun.csr({1, 2}, {1, 1}, {3, 4}, {2, 2}):matmul(lun.vector{10, 0}) is {30, 40}",
    },
    runs = {
        "lun.runs(a, offsets), lun.runs(a, {lengths=})",
        "rows of unequal length over a Vector: offsets has where each begins, as in reduceat; r:sum() prod mean\n"
            .. "min max any all count argmin argmax norm var std median first last of each row, with the bits of the\n"
            .. "row alone; r:sort() argsort cumsum rank unique, r:topk(k), r:scan(f, id), r:reduce(f, id), r:map(f)\n"
            .. "with f(x, k, row); r:row(k), #r, r:lengths() offsets values dtype; r:apply(f); operators and\n"
            .. "operations beside numbers, other runs and Vectors with an element for each row: r - r:mean()\n"
            .. "example: lun.runs(lun.vector{3, 1, 2, 5, 4}, {1, 4}):sum() is {6, 9}",
    },
    histogram = { "lun.histogram(a [, bins] [, {range=, weights=}])", "counts and edges, as a:histogram(bins)" },
    spread = { "lun.spread(a, counts [, {axis=1}])", "elements repeated, as a:spread(counts)" },
    reduceat = { "lun.reduceat(a, offsets, f [, id])", "runs from offsets on reduced, as a:reduceat(offsets, f)" },
    indices = { "lun.indices(mask)", "the positions of the true elements, as mask:indices()" },
    filter = { "lun.filter(a, p, extra...)", "the elements for which p returns true, as a:filter(p)" },
    sort = { "lun.sort(a [, {axis=, descending=true, missing=}])", "the elements in order, as a:sort()" },
    argsort = { "lun.argsort(a [, {axis=, descending=true, missing=}])", "the indices that sort, as a:argsort()" },
    topk = { "lun.topk(a, k [, {smallest=true}])", "the largest elements and their indices, as a:topk(k)" },
    quantile = { "lun.quantile(a, q [, {axis=, skipnan=true, skipna=}])", "quantiles, as a:quantile(q)" },
    median = { "lun.median(a [, {axis=, skipnan=true, skipna=}])", "the median, as a:median()" },
    searchsorted = { 'lun.searchsorted(s, x [, {side="right"}])', "places in a sorted Vector, as s:searchsorted(x)" },
    unique = { "lun.unique(a)", "the different values and their counts, as a:unique()" },
    ismissing = { "lun.ismissing(a)", "where elements are missing, as a:ismissing()" },
    dropnan = { "lun.dropnan(a)", "the elements that are not NaN, as a:dropnan()" },
    cast = { "lun.cast(a, dtype)", "the elements as another dtype, as a:cast(dtype)" },
    prepare = {
        "lun.prepare(e1, e2, ...)",
        "compiles the kernels that lun.eval of them would run, without running them",
    },
    pack = {
        'lun.pack(skeleton [, {dtypes={"f64"}}])',
        "a map, zip, reduce or scan by a Lua function as a string, with what the function captures: lun.unpack of\n"
            .. "it, or lun_unpack in C, computes the same bits in a process without the script; dtypes: of the arrays",
    },
    unpack = { "lun.unpack(s)", "the skeleton of which lun.pack made the string s" },
    stats = { 'lun.stats() or lun.stats "reset"', "counters: compilations, launches, bytes, kernels held" },
    profile = {
        "lun.profile(f)",
        "calls f() and prints the cost of each kernel, matrix product and algorithm (sort, group ...) that it runs,\n"
            .. "and of tasks, copies and expressions of queues, as far as it waits for them; returns the rows and the\n"
            .. "results of f",
    },
    region = {
        "lun.region(name, f, ...)",
        "f(...), as a part of the script that tools and traces show by that name; regions nest",
    },
    trace = {
        "lun.trace(path), lun.trace(), lun.trace(path, f, ...)",
        "writes what the engine does from now on into a file for Perfetto or chrome://tracing: kernels, algorithms,\n"
            .. "plans, moves, files, with times, bytes and source lines; lun.trace() ends it: true, or nil, message,\n"
            .. "errno where the file cannot be written; around a function: its results",
    },
    check = {
        "lun.check(true), lun.check(false), lun.check{nan=true}",
        "tests functions given to reduce, scan and allpairs for associativity and identity, recomputes some\n"
            .. "results of Lua functions by Lua itself, and checks w[i] in C functions that are made from now on; a\n"
            .. "failed test is an error that shows the operands; nan: computes each operation at once, and stops\n"
            .. "where one makes NaN of numbers; false ends both",
    },
    clock = { "lun.clock()", "seconds on a monotonic clock, for timing" },
    trim = { "lun.trim()", "returns pooled memory to the system" },
    backends = { "lun.backends()", "the names of the backends that can be used here, best first" },
    devices = {
        "lun.devices()",
        "a list of devices: name, kind, backend, place, memory (bytes), units, fp64, bits; for the host also machine;\n"
            .. "of a driver's also platform, version, driver, extensions (a list), largest (bytes of a buffer),\n"
            .. "local_memory (bytes of a work-group), group (work-items of the largest), vector (bytes)",
    },
    use = {
        "lun.use(name, ...) or lun.use{name, ..., threads=, bind=}",
        'selects a backend, or a set of places: "openmp/4", "opencl:*", "opencl:1,opencl:3"; returns those in use;\n'
            .. 'threads of the host, at most (0: as at the start), and where they run, bind: "auto", "cores",\n'
            .. '"threads" or "none": docs/platforms.md',
    },
    math = { 'lun.math "precise" or "fast"', "accuracy of mathematical functions; returns the one in use" },
    bits = {
        "lun.bits([version])",
        'the version of the bits, "v1": it changes when any result of an operation changes; "none" with\n'
            .. 'lun.math "precise" and lun.override; lun.bits "v1" chooses one before the first kernel',
    },
    override = {
        "lun.override([algorithm [, library]])",
        'a library of the system does an algorithm, with bits of its own: "matmul" "blas", products of f32 and f64;\n'
            .. '"fft" "fftw", transforms in f64; "linalg" "lapack", factors of real matrices; nil or "own":\n'
            .. "the engine again; returns what does it, and the library's name and file: docs/doors.md",
    },
    load = {
        "lun.load(path [, opts])",
        "an array from a .npy, .png, .pgm or .ppm file, or of bytes with {dtype=}; a table of arrays from .npz,\n"
            .. "of columns from .json or .jsonl (docs/json.md) and .csv, .tsv or .txt, also .gz, with the options\n"
            .. "columns sep header names skip comment dtypes na nrows decimal thousands quote escape ragged trim\n"
            .. 'infer dates encoding source format: docs/files.md; several by a list or a pattern, "2013-*.csv",\n'
            .. "are one table; of .db (SQLite) table columns where nrows sql parameters dates dtypes, of .arrow\n"
            .. ".feather .arrows columns nrows source blobs decimals nanoseconds format, of .parquet (DuckDB) these,\n"
            .. "where and dtypes, of .duckdb table columns where nrows sql parameters dtypes blobs decimals\n"
            .. "nanoseconds, of .xlsx sheet range dtypes,\n"
            .. "of .h5 (HDF5) arrays by path, or one with dataset part: docs/doors.md; what a file has without axes\n"
            .. "has none: a:value() is its number",
    },
    open = {
        "lun.open(path [, opts])",
        "an array whose elements stay in a .npy file, or in a raw file with {dtype=, shape=, offset=}, of any size:\n"
            .. "read chunk by chunk where they are used; a write copies them into memory, never into the file;\n"
            .. "or the table in .csv, .tsv or .txt files, also .gz, whose rows go through its verbs part by part:\n"
            .. "docs/streams.md; or a SQLite database: db:sql(text [, tables [, parameters]]), db:tables(), db:close\n"
            .. "or one of DuckDB's, which has db:save(name, t) too; or the table of .parquet files, as of csv,\n"
            .. "with columns where nrows source dtypes; or the table of an .arrow or .feather file, each of whose\n"
            .. "columns is read when it is first used; or\n"
            .. 'an HDF5 file: f["run1/density"], f:read(path [, {part=}]), f:list(), f:names(): docs/doors.md',
    },
    stream = {
        "lun.stream(f, {dtype=, follow=})",
        "elements that come in chunks: f is a function that gives the next one (a Vector, a list, a number or\n"
            .. "bytes; nil at the end), a coroutine that yields them, an open file or pipe, a socket, or the path of\n"
            .. "a file, fifo or device of bare elements; follow: seconds (true: for ever) to wait for a growing file.\n"
            .. "It has map filter reduce histogram sum prod mean var std min max count any all head parts eval write,\n"
            .. "operators with numbers and what is computed element by element; one pass, constant memory",
    },
    save = {
        "lun.save(path, a [, opts])",
        "writes a file, by extension: .npy .png .pgm .ppm, raw bytes; of a table of columns .json .jsonl .csv\n"
            .. ".tsv, also .gz, with columns form sep header na quote decimal float dates append: docs/files.md,\n"
            .. "docs/json.md; .db (SQLite) and .duckdb with table append; .arrow .feather .arrows with columns\n"
            .. "compression text; .parquet with columns compression rows:\n"
            .. "docs/doors.md; of arrays by path .h5 (HDF5) with dataset compression; of arrays or records .npz,\n"
            .. "which {compress=true} compresses",
    },
    decode = {
        "lun.decode(bytes, format [, opts])",
        'what lun.load gives of a file that has these bytes, a string; format: its extension, "csv", "csv.gz", "npy",\n'
            .. '"png"; opts: those of lun.load',
    },
    encode = {
        "lun.encode(v, format [, opts])",
        "the bytes of the file that lun.save writes, a string",
    },
    table = {
        "lun.table(t [, names])",
        'turns t, whose Vectors, records and lists have one length, or a list of rows, {{a = 1, b = "x"}}, into a\n'
            .. "table of columns as lun.load gives, records printed as a column for each field; names: the order of\n"
            .. "the columns, others come last; returns t. t.a is a column, t[i] a row, #t the number of rows,\n"
            .. 't:names(), t:dtypes(), t:has(name), t:iter(), t:parts(rows), t:copy(), t:totable("rows"|"columns");\n'
            .. "verbs, which give new tables: head tail sample rows filter sort unique dropna select drop rename with\n"
            .. "fillna describe info apply group agg value_counts join pivot melt explode corr resample rolling, and\n"
            .. "t .. u: docs/tables.md",
    },
    rows = {
        "lun.rows(t, which)",
        "a new table with some rows, selected by a bool Vector or by integers in any order, repeated or not, negative\n"
            .. 'ones counting from the end; row 0 is a missing one, an error in columns of records; also\n'
            .. "as t:rows(which), or t:rows(i, j)",
    },
    factor = {
        "lun.factor(list)",
        "codes, an i32 Vector, and levels: the distinct texts of a list, sorted by bytes, or the distinct values of a\n"
            .. "Vector, sorted; codes has the number of each element's level: levels[codes[i]] is list[i]",
    },
    group = {
        "lun.group(k1 [, k2, ...] [, {order=\"first\", dropna=true, levels=}])",
        "rows in groups by equal keys, Vectors or lists of texts; groups ascend by their keys, NaN last, or\n"
            .. "stand as they first appear; #g groups; g:keys() a column for each key, g:codes() the group of each\n"
            .. "row, g:rows(k) the rows of one; g:count() rows, g:count(x) true elements, g:numbers(x) those that are\n"
            .. "not NaN (g:count(x, {skipnan=true}) is its older name); g:sum(x [,\n"
            .. "{skipnan=, skipna=}]) prod mean min max first last, g:any(x) all, g:var(x [, {ddof=}]) std,\n"
            .. "g:median(x), g:quantile(x, q): an element for each group, lazy; x may have a line for each row,\n"
            .. "and be records for first and last;\n"
            .. "g:reduce(x, f, id), g:scan(x, f, id [, {inclusive=false}]): f in row order, from id\n"
            .. "on; g:scan has each row's own element in it, as inclusive=true says, which is its default: with\n"
            .. "inclusive=false what stands before, as a:scan has it;\n"
            .. "of groups of a table columns are names, and there are g:agg size transform shift diff pct_change\n"
            .. "cumcount cumsum cumprod cummin cummax ffill bfill rank rolling, for each row, and g:head tail\n"
            .. "sample topk table iter apply: docs/tables.md;\n"
            .. "dropna=true leaves rows with a key that is missing or NaN in no group;\n"
            .. "lun.group(codes, {levels=n}) keeps groups without rows, of codes 1 .. n; levels may be the list\n"
            .. "that lun.factor gives",
    },
    join = {
        "lun.join(a, b [, how [, {na=\"match\"}]])",
        "i, j: the rows of a and b whose keys are equal, each with each, by a's rows, then b's; a and b: Vectors,\n"
            .. 'lists of texts, or lists of such columns; how: "inner", or "left": j is 0 where b has none, so that\n'
            .. "b.price:take(j, {missing = 0/0}) fits; missing keys match nothing, with na=\"match\" each other",
    },
    reduceby = { "lun.reduceby(a, k, f, id)", "as a:reduceby(k, f, id)" },
    scanby = { "lun.scanby(a, k, f, id [, {inclusive=false}])", "as a:scanby(k, f, id): inclusive by default" },
    plot = {
        "lun.plot([x,] y [, opts])",
        "draws in the terminal; y: an array, or a table of them, one series each; x: an array, dates, or a list of\n"
            .. 'dates such as "2012-01-31" or "2012-01-31 06:30"; of a table of columns all numbers, or\n'
            .. '{x="date", y={"low", "high"}};\n'
            .. 'opts: by="city" or an array of texts, bools or integers (a series for each of the 8 most frequent\n'
            .. "values and one for the others); xlog=true, ylog=true (logarithmic axes), xdate=true (x is days since\n"
            .. "1970-01-01), step=true (stairs), points=true; title, xlabel, ylabel, names, xlim={low, high}, ylim=,\n"
            .. 'width=, height=, colour=, string=true (returns the text), file="p.svg" or "p.png" (draws into a file,\n'
            .. 'in pixels), graphics="kitty" or "sixel" (pixels in the terminal; so have hist, bars, box and image)',
    },
    hist = {
        "lun.hist(a [, bins] [, opts])",
        "a histogram, drawn as bars; for a list of texts, how often each occurs; opts: low, high, title, xlabel,\n"
            .. 'ylabel, width, colour, string=true, file="h.svg" or "h.png"',
    },
    bars = {
        "lun.bars(labels, values [, opts]), lun.bars(t, {x=, y=, ...})",
        "a horizontal bar for each label: arrays or lists, or columns of a table; opts: sort=true (the longest\n"
            .. "first), most=50, title, xlabel, ylabel, width, height, colour, string=true, file=",
    },
    box = {
        "lun.box(x [, by] [, opts]), lun.box(t [, {x=, by=, ...}])",
        "boxes from quartile to quartile with the median, whiskers to the last points within 1.5 distances of the\n"
            .. "quartiles and points outside: a row for each of the 20 most frequent values of by, or for each column\n"
            .. "of numbers; opts: title, xlabel, ylabel, width, height, colour, string=true, file=",
    },
    image = {
        "lun.image(A [, high] [, opts])",
        "draws [height][width] in grey, [height][width][3] in colour; with file=\"h.svg\" or \"h.png\" a heat map;\n"
            .. 'opts: low, high, colours="viridis" (in files), "grey" or "blue-red", bar=true (the scale), title,\n'
            .. 'xlabel, ylabel, width, height, colour=false, "16", "256" or "true", string=true',
    },
    precision = {
        "lun.precision([n])",
        "the number of significant digits printed, 6 by default; returns the number in use; nil restores the default",
    },
    width = {
        "lun.width([n])",
        "the width of printed lines in columns: the terminal's by default, 80 elsewhere; returns the width in use;\n"
            .. "nil restores the default",
    },
    elements_shown = {
        "lun.elements_shown([n])",
        "up to how many elements of an array are printed without a gap, 100 by default; math.huge: all; returns the\n"
            .. "number in use; nil restores the default",
    },
    rows_shown = {
        "lun.rows_shown([n])",
        "how many rows of a table are printed at most, 11 by default, of a longer one half of them at each end;\n"
            .. "math.huge: all; returns the number in use; nil restores the default",
    },
    sql = {
        "lun.sql(text [, tables [, parameters [, opts]]])",
        "the table of the rows of a statement that DuckDB runs over tables by name and files, or true and how many\n"
            .. "rows it changed; parameters for ? $1 $name; opts: files=false for texts of strangers, stream, blobs,\n"
            .. "decimals, nanoseconds; lun.sql.config{threads=, memory=, temp=}; docs/doors.md",
    },
    door = {
        "lun.door(name)",
        "opens a library of the system that data come and go by, duckdb sqlite hdf5 lz4 zstd blas\n"
            .. "fftw lapack: true; or nil, a message that says where it was looked for and where it is to be had, and\n"
            .. "\"library\"",
    },
    info = {
        "lun.info()",
        "versions, backends, devices, ranks, the kernel cache and libraries of the system, as text",
    },
    help = {
        "lun.help(x)",
        "a text that describes a function, a name, an array, a skeleton or an operation, in scripts\n"
            .. 'print(lun.help "sort"); alone: lists everything',
    },
    isarray = { "lun.isarray(x)", "whether x is an array" },
    complex = {
        "lun.complex(re [, im=0])",
        "a complex number; of arrays c64 if both parts are f32, else c128. A number z has z.re, z.im, + - * / ^, ==\n"
            .. "with complex numbers, z:eq(x) and z:abs() angle conj real imag exp log sqrt sin and so on",
    },
    iscomplex = { "lun.iscomplex(x)", "whether x is a complex number or an array of them" },
    real = { "lun.real(a)", "the real parts, as a:real()" },
    imag = { "lun.imag(a)", "the imaginary parts, as a:imag()" },
    conj = { "lun.conj(a)", "the conjugate, as a:conj()" },
    angle = { "lun.angle(a)", "the angle, as a:angle()" },
}

-- Methods of arrays, except operations.
local METHODS = {
    dtype = { "a:dtype()", "the name of the element type" },
    shape = { "a:shape()", "the extents, as several numbers" },
    size = { "a:size()", "the number of elements; #a is the first extent" },
    kind = { "a:kind()", "Vector, View, Scalar or Composition" },
    pending = { "a:pending()", "the number of pending operations" },
    backend = {
        "a:backend()",
        "where its elements are: on a backend, or in host memory if not on the current device",
    },
    copy = {
        "a:copy([{layout=, align=, label=, readonly=true}])",
        "a copy with its own elements, in row-major order or the given layout (options: see lun.vector)",
    },
    label = {
        "a:label([text])",
        "its label, or nil; with a text gives it that one, with nil none, and returns it: errors, lun.explain and\n"
            .. "lun.profile name it so",
    },
    readonly = { "a:readonly()", "a window on all of it through which nothing is written, here or in functions" },
    aliases = {
        "a:aliases(b)",
        "whether what is written to one may change the other: an element is in both, as windows on one array",
    },
    resize = {
        "a:resize(shape)",
        "changes its extents, as many as it has, and returns it; elements in both shapes stay, others are 0, or\n"
            .. "missing of texts and dates; windows on the old elements keep these",
    },
    append = {
        "a:append(x)",
        "adds a number, or the elements of a Vector, behind those of a Vector, and returns it; windows on it stay.\n"
            .. "It takes constant time for each element, on average",
    },
    pad = {
        "a:pad(n [, edge])",
        'a value with n more elements at both ends of each axis; {{b1, a1}, {b2, a2}}: before and after each axis;\n'
            .. 'edge: their value, "wrap", "nearest" or a number, NaN by default for floats',
    },
    shift = {
        "a:shift(k [, {axis=1, edge=}])",
        'a value whose element i is a[i - k]; edge: the value beyond the end, "wrap", "nearest", a number or\n'
            .. "lun.na; by default NaN for floats, else missing",
    },
    cast = { "a:cast(dtype)", "the elements converted to another dtype" },
    reshape = {
        "a:reshape(shape)",
        "the same elements in another shape; one extent may be -1 and is computed from the others",
    },
    flatten = { "a:flatten()", "the elements in row-major order as a Vector" },
    sub = {
        "a:sub(i, j [, step]), A:sub({i, j [, step]}, ...)",
        "a window on elements i to j, or rows; with tables, on that part of each axis, {} being all of it; by rules\n"
            .. "of string.sub; writing to it writes to a",
    },
    select = { "A:select(axis, i)", "a window on index i of that axis, which is dropped" },
    row = { "A:row(i)", "a window on row i, as A[i]" },
    col = { "A:col(j)", "a window on column j" },
    transpose = {
        "A:transpose([{p1, p2, ...}])",
        "a window with the axes reversed, or axis p1 first, then p2",
    },
    view = {
        "a:view(shape)",
        "a window on the same elements in another shape; one extent may be -1; where none is possible, use reshape",
    },
    diagonal = { "A:diagonal([k])", "a window on the elements A[i][i + k] of the last two axes" },
    windows = {
        "a:windows(w [, {axis=1, step=1}])",
        "windows of w adjacent elements, as a new last axis; read-only if they overlap;\n"
            .. "M:windows{3, 3}: windows along several axes, all or {axis={...}}, as new last axes",
    },
    take = {
        "a:take(i [, {axis=1, missing=x}])",
        "the elements at the indices i, an integer array or a table, whose shape replaces the axis; negative ones\n"
            .. "count from the end; 0 gives x",
    },
    spread = {
        "a:spread(counts [, {axis=1}])",
        "repeats each element, or slice along the axis; counts: how often, one number for each or a single number",
    },
    reduceat = {
        "a:reduceat(offsets, f [, id])",
        "reduces each run of elements, from its offset up to the next one, in order, by f: a function of two values,\n"
            .. 'or "+" "*" "min" "max" "&" "|" "~"; id: the initial value, and the result of empty runs',
    },
    histogram = {
        "a:histogram([bins=10] [, {range={lo, hi}, weights=}])",
        "counts of elements in bins of equal width, and the edges; bins: a number, or a Vector of edges; with\n"
            .. "weights their sums, the edges and the counts; the last bin holds its upper edge, NaN is in none",
    },
    put = {
        "a:put(i, x [, {axis=1, combine=\"+\"}])",
        "writes x to the elements at the indices i; of equal indices the last one wins, or, with combine, each is\n"
            .. "combined in turn; returns a",
        "writes x to the elements at the indices i, the last of equal ones wins, or combines them with x one after\n"
            .. "the other; combine: an operation, or a Lua function f(old, x); returns a",
    },
    broadcast = { "a:broadcast(shape)", "a window that repeats axes of extent 1 and adds missing axes in front" },
    layout = { "a:layout()", '"right" (rows side by side), "left" (columns) or "strided"' },
    strides = { "a:strides()", "the distance in elements between neighbours along each axis, as several numbers" },
    distribute = {
        "a:distribute(kind [, {device=1, rule=, weights=, halo=1, combine=}])",
        'where the elements belong in a set of places: "single", "block", "overlap" or "copy"; rule: "remainder",\n'
            .. '"ceiling" or "balanced"; combine: by which copies that lun.teams has written are merged, as\n'
            .. 'reduce takes it; moves nothing until a kernel needs it; returns a',
    },
    distribution = {
        "a:distribution()",
        "the kind, and a table: devices, counts, starts, rule, axis, halo, fresh, combine, diverged",
    },
    touched = { "a:touched()", "says that the copies of a, one on each place, differ from now on; returns a" },
    eval = { "a:eval()", "evaluates it now; returns a" },
    free = { "a:free()", "releases the memory now" },
    fill = { "a:fill(x)", "sets all elements; returns a" },
    set = { "a:set(e)", "stores an expression into a's elements, broadcast to its shape; returns a" },
    copyto = { "a:copyto(b)", "stores a's elements into b, which has its shape; returns b" },
    value = { "a:value()", "the number of a Scalar" },
    iter = { "for i, x in a:iter()", "elements in order" },
    totable = { "a:totable([{missing=}])", "a table of the elements, nested above rank 1; missing: for missing ones" },
    read = { "a:read(first, count)", "a table of some elements, counted in row-major order" },
    tobytes = { "a:tobytes()", "the elements as a string of bytes" },
    lazy = {
        'a:lazy("sum" [, opts])',
        "a reduction as a lazy Scalar, to be evaluated with others by lun.eval; opts: as the reduction takes them",
    },
    dot = { "a:dot(b)", "the sum of the products" },
    matmul = {
        "A:matmul(B)",
        "the product of matrices; a Vector is a row on the left, a column on the right; axes in front are batches and\n"
            .. "broadcast; floats give their common dtype, integers i64 or u64",
    },
    compress = {
        "a:compress(mask [, {axis=}])",
        "the elements, in row-major order, at which mask, bools of a's shape, is true: a Vector whose length is known\n"
            .. "once it is evaluated, which #, shape and expressions of it do; along an axis, slices at which mask, a\n"
            .. "Vector of that extent, is true",
    },
    indices = { "mask:indices()", "the positions, row-major and from 1, of the true elements; length: as compress" },
    filter = { "a:filter(p, extra...)", "the elements for which p(x, extra...) gives true; length: as compress" },
    reduceby = {
        "a:reduceby(k, f, id)",
        "runs of equal neighbours in k, a Vector or a list of texts: their keys, and f, a function or\n"
            .. '"+" "*" "min" "max", of a\'s elements in each, from id on, one after the other',
    },
    scanby = {
        "a:scanby(k, f, id [, {inclusive=false}])",
        "a scan that starts anew with each run of equal neighbours in k, element after element; inclusive by\n"
            .. "default, unlike a:scan: {inclusive=false} leaves each element's own out",
    },
    real = {
        "a:real(), a.re",
        "a window on the real parts of complex numbers, which is written through; of real ones a itself",
    },
    imag = { "a:imag(), a.im", "a window on the imaginary parts of complex numbers; zeros of real ones" },
    conj = { "a:conj()", "complex numbers with the sign of their imaginary parts changed" },
    angle = { "a:angle()", "atan2(a.im, a.re), in radians from -pi to pi" },
    ismissing = { "a:ismissing()", "a mask, true where elements are missing; NaN, a value, is not" },
    dropnan = { "a:dropnan()", "the elements that are not NaN; length: as compress" },
    sort = {
        "a:sort([{axis=, descending=true, missing=\"first\"}])",
        "the elements of each line along the axis, by default the last one, sorted; stable, NaN last in both\n"
            .. "directions, -0.0 before 0.0 (after it if descending), false before true",
    },
    argsort = {
        "a:argsort([{axis=, descending=true, missing=\"first\"}])",
        "the indices, along the axis, of the elements in the order of sort; of equal ones the first comes first;\n"
            .. "of a Vector a:take(a:argsort()) is a:sort()",
    },
    topk = {
        "a:topk(k [, {smallest=true}])",
        "two Vectors: the k largest elements of a Vector, largest first, or the smallest, smallest first, and their\n"
            .. "indices; of equal ones the first; of fewer than k all; NaN is taken last",
    },
    unique = {
        "a:unique([{axis=1}])",
        "two Vectors: the distinct values, sorted, and how often each occurs; 0.0 and -0.0 are one value, 0.0, and so\n"
            .. "are all NaN; length: as compress; with axis the distinct rows, or parts along it, of a matrix, sorted\n"
            .. "by their first elements, and how often each occurs",
    },
    quantile = {
        "a:quantile(q [, {axis=, skipnan=true, skipna=false}])",
        "the q-quantile, q from 0 to 1, linearly interpolated; a list of q adds an axis in front; a line with a NaN\n"
            .. "gives NaN, unless skipnan leaves NaNs out; between an infinity and a number it is that infinity,\n"
            .. "between -inf and inf NaN",
    },
    median = {
        "a:median([{axis=, skipnan=true, skipna=false}])",
        "the middle element, or the mean of two: a:quantile(0.5)",
    },
    searchsorted = {
        's:searchsorted(x [, {side="right"}])',
        "for a sorted Vector: the index at which each element of x would be inserted, before equal elements or, with\n"
            .. '"right", after them; from 1 to #s + 1; a number gives a number',
    },
    source = { "a:source([backend])", "the source code of the kernels that would compute it" },
}

-- Operators and values that are not functions: names under which help finds them, a form, the result.
local SIGNS = {
    { "element elements", "a[i], a[-1]", "an element, counted from 1, or from the end; a[i] = x writes it" },
    { "row rows", "A[i], A[i][j]", "a row of an array of several dimensions, an element of it; A[i] = row writes it" },
    {
        "slice slices window windows", "a:sub(i, j, step)",
        "a window on elements i to j, or rows; a:sub(-1, 1, -1) reverses it; a:sub(i, j):copy() is a value",
    },
    {
        "field fields record records", "a:field 'x', a.x, a[i], a[i] = {x=1, y=2}",
        "of records (lun.struct): an array that shows a field, a.x = e stores into it;\n"
            .. "a record as a table, which has to have each field to be assigned;\n"
            .. "map, zip, stencil, sub, take, set and others as arrays have them; f gets records, may return one;\n"
            .. "a:reduce(f, P(0, 0)) is a record, a:scan(f, P(0, 0)) are records: f(p, q) returns one;\n"
            .. "a:reduceby(k, f, P(0, 0)), scanby, reduceat, and reduce and scan of groups likewise;\n"
            .. "a:eq(b) and a:ne(b) compare all fields; a:shift(k, P(0, 0)), a:pad(n, P(0, 0)), a:put(i, b),\n"
            .. "a:take(i, {missing = P(0, 0)}), lun.where(mask, a, b), of which one may be a record P(1, 2);\n"
            .. 'a:sort{by = {"x", "-y"}}, a:argsort{by = "pos.x"}, a:topk(k, {by = "x"}); a:unique(), lun.group(a),\n'
            .. "lun.join(a, b) and keys of tables: by all fields in order",
    },
    { "concat concatenate", "a .. b",
        "concatenates a and b along the first dimension; a Vector also with a number or a list" },
    { "length", "#a", "the first extent: elements, or rows" },
    { "chain", "s1 >> s2", "a skeleton that applies s1, then s2" },
    {
        "columns pairs csv", 'for name, column in pairs(lun.load "t.csv")',
        "the columns of a csv in the order of the file; t.name is one, #t the number of rows; print(t) shows some",
    },
    {
        "json decode json.decode", "lun.json.decode(text)",
        "the value of JSON text: tables, texts, numbers, lun.json.null; or nil, message with line and column, code;\n"
            .. "tables in files: lun.load, lun.save; docs/json.md",
    },
    {
        "json encode json.encode", "lun.json.encode(value [, {indent=}])",
        "the value as JSON text; arrays are nested lists, tables of columns objects of lists, NaN and inf null",
    },
    {
        "json object json.object", "lun.json.object(t)",
        "t, which lun.json.encode writes as an object also where it is empty",
    },
    { "json null json.null", "lun.json.null", "what null is in lists of JSON text" },
    {
        "sql config sql.config", "lun.sql.config([{threads=, memory=, temp=}])",
        "settings of DuckDB, temp=false for no folder of what does not fit memory; a table of what is set",
    },
    {
        "arrow export arrow.export", "lun.arrow.export(t [, {rows=, text=}])",
        "a table, or an array, as a stream of Arrow's C interface; s:address() is where; numbers are not copied;\n"
            .. 'rows: of a batch; text: "utf8_view", "large_utf8" or "utf8"; docs/doors.md',
    },
    {
        "arrow import arrow.import", "lun.arrow.import(s [, {blobs=, decimals=, nanoseconds=}])",
        "the table of such a stream, or of that at an address, empty afterwards; nil, message, code if the stream\n"
            .. 'fails; blobs: "hex" or "base64"; decimals: "f64" or "text"; nanoseconds: "floor"',
    },
    {
        "date parse date.parse", "lun.date.parse(list)",
        'days since 1970-01-01, an i64 Vector, of texts such as "2012-01-31"; a time that follows is left out; or\n'
            .. 'nil, message with the row, "format"; of one text its number',
    },
    {
        "date make date.make", "lun.date.make(year, month, day)",
        "days since 1970-01-01 of integers and arrays of them; months and days may be beyond their ends",
    },
    {
        "date year month day weekday yearday date.year date.month date.day date.weekday date.yearday",
        "lun.date.year(days)",
        "also month, day, weekday (Monday is 1), yearday: parts of dates given as days since 1970-01-01, a number or\n"
            .. "an array of integers, in the Gregorian calendar at all times",
    },
    {
        "spmd ranks npes mype spmd.npes spmd.mype", "local s = lun.spmd",
        "what ranks do together (lunarray --ranks 4 script.lua, mpirun -n 4 lunarray script.lua): each runs the whole\n"
            .. "script with data of its own; s.npes ranks, of which this one is s.mype, from 0; docs/ranks.md",
    },
    {
        "barrier barrier_begin barrier_end spmd.barrier spmd.barrier_begin spmd.barrier_end", "s.barrier()",
        "waits until all ranks are here; s.barrier_begin() and s.barrier_end(): the same with work between them",
    },
    {
        "bcast gather allgather alltoall spmd.bcast spmd.gather spmd.allgather spmd.alltoall", "s.bcast(x [, root])",
        "root's value on all; s.gather(x [, root]), s.allgather(x): a list of all values, PE p's at p + 1;\n"
            .. "s.alltoall(list): one value for each, one from each; nil, booleans, numbers, strings, arrays, tables",
    },
    {
        "allreduce exscan spmd.reduce spmd.allreduce spmd.scan spmd.exscan", "s.allreduce(op, x)",
        "the values of all combined by + * & | ~ min max or a function, in rank order by the pair tree;\n"
            .. "s.reduce(op, x [, root]); s.scan(op, x): of PE 0 to this one; s.exscan(op, x [, id]): without this one",
    },
    {
        "send recv spmd.send spmd.recv", "s.send(pe, x [, tag])",
        "a message, which s.recv(pe [, tag]) of that rank gives; send does not wait for it",
    },
    {
        "master endmaster inmaster spmd.master spmd.endmaster spmd.inmaster", "s.master(f)",
        "PE 0 calls f, all get its results; or: if s.master() then ... end; x = s.endmaster(x)",
    },
    {
        "critical shared symmetric home spmd.critical spmd.shared spmd.symmetric spmd.home",
        "s.critical(f)",
        "one rank at a time calls f; s.shared(dtype, x): a value, v:get() v:set(x), or array, v[i], on PE 0, which is\n"
            .. "s.home(v); s.symmetric(dtype, shape): an array on each rank: y[i], y:get(pe, i), y:put(pe, i, x),\n"
            .. "y:localview()",
    },
    {
        "block blksize localsize localview spmd.block spmd.blksize spmd.localsize spmd.localview",
        "lun.zeros({20, s.block(50)}, dtype)",
        "an array blocked over the ranks along these axes, or records; elements, methods and printing as ever;\n"
            .. "s.home(a, i, ...), s.blksize(a, dim, pe), s.localsize(a, pe) (bytes), s.localview(a): the own part;\n"
            .. "a:distribute(\"block\", {over=\"ranks\"}) makes a blocked; \"copy\": private again",
    },
    {
        "sharedon spmd.sharedon", "s.sharedon(owner, [extents,] f)",
        "calls f(i, j, ...) as lun.each does, each round on the rank that has owner's element: a blocked array, or\n"
            .. "function(i, j) return a[j][i] end; what other ranks have is fetched before and sent after, and\n"
            .. "elements that rounds of several ranks assign or combine take them in the serial loop's order",
    },
    {
        "atomic spmd.atomic", "s.atomic(target, [i, ...,] op, x)",
        "the old element, which op and x have changed, one rank at a time; op: + - * & | ~ min max exchange;\n"
            .. "s.atomic(function() a[i] = a[i] * 2 + 1 end): any statement that assigns one element",
    },
    {
        "date date.range", 'lun.date.range(a, b [, step="1d"])',
        "dates from a to b, b included, by a unit such as 1d 1w 1mo 1y 15m; timestamps if one has a time; months\n"
            .. "are counted from a, and end on their last day at most",
    },
    { "date text date.text", "lun.date.text(days)", 'a list of texts such as "2012-01-31"; of a number its text' },
    {
        "cache export", "lun.cache.export(path)",
        "writes the compiled kernels on disk into one file, for machines without a compiler; returns their number",
    },
    { "import", "lun.cache.import(path)", "adds the kernels of such a file; the file is code, so it must be trusted" },
    {
        "atomic", "lun.atomic.add",
        "changes an element at once and gives what it was, in functions of lun.teams, in tasks and in plain Lua:\n"
            .. "lun.atomic.add sub min max band bor bxor exchange (w, i [, j ...], x), and lun.atomic.cas(w, i\n"
            .. "[, j ...], expected, x), which changes it where it is what is expected; w: numbers, also of 8\n"
            .. "bits.  What order changes, such as sums of floats, differs from run to run",
    },
    {
        "pi e inf nan constants", "lun.pi, lun.e, lun.inf, lun.nan",
        "numbers: the circle's and the natural constant, infinity and NaN",
    },
    { "i", "lun.i", "the imaginary unit: 3 + 4 * lun.i is a complex number" },
    { "op", "lun.op.add", "an operation as a value for skeletons, like its name as text; see the operations" },
    { "na", "lun.na",
        "the missing value: in lists, a[i] = lun.na, a:fill(lun.na), lun.where(c, lun.na, a); prints <NA>" },
    { "_VERSION", "lun._VERSION", "the version, as text" },
}

-- Methods of skeletons, and of trees made by lun.compose.
local SKELETON_METHODS = {
    run = { "s:run{A, extra..., out=B}", "applies s and writes the result into B; of several results into out={B, C}" },
    source = { "s:source([backend])", "the source code of a skeleton" },
    workgroup = {
        "s:workgroup([n])",
        "sets the work-group size on opencl, 0: tuned; without n the size that is used, nil where it is tuned; then,\n"
            .. "where it has no effect or another size is used, a text that says so",
    },
    left = { "c:left(s)", "puts s under a binary root, on its left" },
    right = { "c:right(s)", "puts s under a binary root, on its right" },
    only = { "c:only(s)", "puts s under a unary root" },
}

-- Reductions: the call, and the result.
local REDUCTIONS = {}
local ALONG = "; a:%s{axis=2, keep=true, skipnan=true, skipna=false%s} along axes"

-- Names in the order of the tables.
local skeletons, reductions = {}, {}

for i, row in ipairs(core.internal.skeletons()) do
    local name = row.name
    local others = ({ "", "b, ", "b, c, " })[row.arrays]
    local first = row.folds and ", id" or row.combines and ", g, id" or ""
    local option = row.option ~= "" and (" [, {%s}]"):format(row.option) or ""
    FUNCTIONS[name] = { ("lun.%s(f%s%s)"):format(name, first, option), "a skeleton: " .. row.doc }
    METHODS[name] = {
        ("a:%s(%sf%s%s%s)"):format(name, others, first, row.extras and ", extra..." or "", option), row.doc,
    }
    skeletons[i] = name
end

for i, row in ipairs(core.internal.reductions()) do
    local takes = row.option ~= "" and ("[%s]"):format(row.option) or core.op[row.name] and "" or "[axis]"
    local also = ALONG:format(row.name, row.option ~= "" and (", %s=1"):format(row.option) or "")
    if core.op[row.name] then
        also = also .. (", but a:%s(b) is elementwise, with a number too"):format(row.name)
    end
    REDUCTIONS[row.name] = { ("a:%s(%s)"):format(row.name, takes), row.doc .. also }
    reductions[i] = row.name
end

-- Rows of lua/lunarray/names: of a method the function has the same text.
local NAMED, named, functions_named = {}, {}, {}

for i, names in ipairs(require "lunarray.names.list") do
    local rows = require("lunarray.names." .. names.file)
    NAMED[i] = rows
    for _, row in ipairs(rows.list) do
        local text = { row.call, ("%s\nexample: %s is %s"):format(row.text, row.example, row.gives) }
        named[row.name] = text
        if row.call:find "^%a:" then
            METHODS[row.name] = text
        else
            FUNCTIONS[row.name] = text
            functions_named[row.name] = text
        end
    end
end

-- Methods of texts and of dates: what has the name of another method has its text behind that one's.
for _, kind in ipairs { { "texts", "texts" }, { "times", "dates" } } do
    for _, row in ipairs(require("lunarray.names." .. kind[1]).list) do
        local text = ("%s\nexample: %s is %s"):format(row.text, row.example, row.gives)
        local other = METHODS[row.name]
        if row.name == "duration" then
            FUNCTIONS[row.name] = { row.call, text }
        elseif other then
            METHODS[row.name] = { other[1], ("%s\nof %s: %s, %s"):format(other[2], kind[2], row.call, text) }
        elseif row.call:find "^a:" then
            METHODS[row.name] = { row.call, text }
        end
    end
end
METHODS.codes = { "a:codes()", "of texts: the number of each one among a:levels(), u32, 0 where it is missing" }
METHODS.levels = { "a:levels()", "of texts: the different ones in order, which a:codes() count" }

-- Methods of tables and of groups, under t:name and g:name.
local VERBS, OF_GROUPS = {}, {}
for into, rows in pairs { [VERBS] = verbs.verbs, [OF_GROUPS] = verbs.of_groups } do
    for name, row in pairs(rows) do
        into[name] = { row[1], ("%s\nexample: %s is %s"):format(row[2], row[3], row[4]) }
    end
end

local SKELETON = [[
a skeleton: s(A, extra...) calls it, s:run{A, extra..., out=B} writes into B,
s:run{..., out={B, C}} of several results, s:source([backend]) is its code, s:workgroup(n) sets the work-group
size on a GPU (0: tuned), s1 >> s2 chains two, of which one may be a function for map; s + t, s * a, 2 - s: with
skeletons, arrays and numbers]]

local OVERVIEW = [[
Lunarray: lazy arrays that run as fused kernels. lun.help "name" or lun.help(x) describes one of them.
making arrays   vector zeros ones empty full range index linspace duration generate random frombytes concat stack struct
functions       %s
numbers         pi e inf nan na i complex iscomplex real imag conj angle
skeletons       %s sequence compose variant
of skeletons    %s
computing       eval each teams workdiv atomic call prepare pack unpack explain expect stats profile region trace check
queues          queue buffer copy task
derivatives     grad derivative hessian jvp minimize curve_fit
sparse          csr
of many items   batch runs
reductions      %s dot
printing        precision width elements_shown rows_shown
written so      %s
methods         %s
files           load open save stream sql decode encode json arrow
tables          table rows factor date group join
of a table      %s
of its groups   %s
pictures        plot hist bars box image
ranks           spmd
the engine      backends devices use math bits override clock trim cache door info isarray op _VERSION
operations      %s]]

-- The text for an operation of lun.op.
local function op_text(op)
    local name, symbol, arity, doc = describe_op(op)
    local letters = ({ "a", "a, b", "a, b, c" })[arity]
    local forms = { ("lun.%s(%s)"):format(name, letters) }
    if symbol ~= "" then
        forms[#forms + 1] = arity == 1 and symbol .. "a" or "a " .. symbol .. " b"
    elseif name ~= "sub" then
        forms[#forms + 1] = ("a:%s(%s)"):format(name, letters:sub(4))
    end
    return ("%s: %s"):format(table.concat(forms, ", "), doc)
end

-- The names in lines that fit a window, each after the first indented.
local function in_lines(names)
    local lines, line = {}, ""
    for _, name in ipairs(names) do
        if #line + #name > 80 then
            lines[#lines + 1] = line
            line = ""
        end
        line = line == "" and name or line .. " " .. name
    end
    lines[#lines + 1] = line
    return table.concat(lines, "\n" .. (" "):rep(16))
end

local function sorted(t)
    local names = {}
    for name in pairs(t) do
        names[#names + 1] = name
    end
    table.sort(names)
    return in_lines(names)
end

local function overview()
    return OVERVIEW:format(sorted(functions_named), table.concat(skeletons, " "), sorted(SKELETON_METHODS),
        table.concat(reductions, " "),
        "a[i] A[i] a:sub(i, j) #a a .. b s1 >> s2 pairs(t)", sorted(METHODS), sorted(VERBS), sorted(OF_GROUPS),
        sorted(core.op))
end

-- A row of a table above as one line, with its example in a further one.
local function line_of(row)
    return ("%s: %s"):format(row[1], (row[2]:gsub("\n", " "):gsub(" (example: )", "\n%1"):gsub(" (of %a+: )", "\n%1")))
end

-- Lines of a text that are wider than a window, in several.
local function wrapped(text, width)
    local lines = {}
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
        local indent = ""
        while #line > width do
            local at = line:sub(1, width + 1):match "^.*() " or line:find(" ", width, true)
            if not at or at <= #indent + 1 then
                break
            end
            lines[#lines + 1] = line:sub(1, at - 1)
            indent = "    "
            line = indent .. line:sub(at + 1)
        end
        lines[#lines + 1] = line
    end
    return table.concat(lines, "\n")
end

-- All that is known by this name, nil if nothing is. t:name is a table's method alone, g:name one of groups.
local function text_of_name(name)
    local texts = {}
    local own = name:match "^t:(.*)" and VERBS[name:sub(3)] or name:match "^g:(.*)" and OF_GROUPS[name:sub(3)]
    if own then
        return line_of(own)
    end
    name = name:gsub("^lun%.op%.", ""):gsub("^lun%.", ""):gsub("^[%w_.]*:", "")
    for _, known in ipairs { FUNCTIONS, METHODS, SKELETON_METHODS } do
        if known[name] then
            texts[#texts + 1] = line_of(known[name])
        end
    end
    if REDUCTIONS[name] then
        texts[#texts + 1] = ("%s, lun.%s(a): %s"):format(REDUCTIONS[name][1], name, REDUCTIONS[name][2])
    end
    if core.op[name] then
        texts[#texts + 1] = op_text(core.op[name])
    end
    for _, known in ipairs { VERBS, OF_GROUPS } do
        if known[name] then
            texts[#texts + 1] = line_of(known[name])
        end
    end
    for _, sign in ipairs(SIGNS) do
        if (" " .. sign[1] .. " "):find(" " .. name .. " ", 1, true) then
            texts[#texts + 1] = ("%s: %s"):format(sign[2], sign[3])
        end
    end
    return texts[1] and table.concat(texts, "\n")
end

-- The names of all that text_of_name knows.
local function known_names()
    local names = {}
    for _, known in ipairs { FUNCTIONS, METHODS, SKELETON_METHODS, REDUCTIONS, core.op, VERBS, OF_GROUPS } do
        for name in pairs(known) do
            names[#names + 1] = name
        end
    end
    return names
end

-- The text for an unknown name.
local function no_help(name)
    local near = guess.nearest(name:match "[%w_]*$", known_names())
    return ("no help for '%s'; %slun.help() lists everything"):format(name,
        near and ("did you mean '%s'? "):format(near) or "")
end

-- The name under which a function stands in the module, among the methods or in a table of the module.
local function name_of(f)
    local found
    local function look(where)
        for name, value in pairs(type(where) == "table" and where or {}) do
            found = found or value == f and name
        end
    end
    scope.each(look)
    look(core.internal.methods)
    scope.each(function(lun)
        look(rawget(lun, "date"))
        look(rawget(lun, "cache"))
    end)
    return found
end

-- For the reference.
M.functions, M.methods, M.reductions, M.op_text = FUNCTIONS, METHODS, REDUCTIONS, op_text
M.named, M.names = NAMED, named
M.skeletons, M.signs, M.skeleton_methods = skeletons, SIGNS, SKELETON_METHODS
M.verbs, M.of_groups = VERBS, OF_GROUPS

-- What there is about x, in lines of any length; without an argument, all.
local function text_about(...)
    local x = ...
    if select("#", ...) == 0 or scope.is_module(x) then
        return overview()
    end
    local text
    local records = package.loaded["lunarray.record.recordbase"]
    if type(x) == "string" then
        local behind = x:match "%.([%w_]+)$" -- of np.flip
        text = text_of_name(x) or foreign.path(x) or behind and text_of_name(behind)
    elseif type(x) == "function" then
        text = text_of_name(name_of(x) or "")
    elseif type(x) == "table" and name_of(x) then -- of the module, as lun.date
        text = text_of_name(name_of(x))
    elseif describe_op(x) then
        text = op_text(x)
    elseif describe_skeleton(x) then
        text = SKELETON
    elseif records and records.kind_of(x) then
        text = records.kind_of(x)
    elseif core.isarray(x) then
        text = ("a %s of dtype %s; its methods: lun.help \"a:sum\" and so on"):format(x:kind(), x:dtype())
    elseif is_columns(x) then
        text = ("a table of %d column%s and %d rows; its methods, as lun.help \"t:filter\" has each:\n%s"):format(
            #x:names(), #x:names() == 1 and "" or "s", #x, sorted(VERBS))
    elseif is_groups(x) then
        text = ("%d groups of rows; their methods, as lun.help \"g:agg\" has each:\n%s"):format(#x, sorted(OF_GROUPS))
    end
    if text then
        return text
    elseif type(x) == "string" then
        return foreign.hint(x:match "[%w_]*$") or no_help(x)
    end
    return ("no help for a %s; lun.help() lists everything"):format(type(x))
end

-- lun.help(x): without an argument, what there is. Lines fit the terminal; elsewhere they are of any length.
function M.text(...)
    local width = core.internal.terminal()
    return width and wrapped(text_about(...), math.max(width, 40)) or text_about(...)
end

-- The text for a method of the value: of a table, of groups, of an array.
local function text_of_method(owner, method)
    local mark = is_columns(owner) and "t:" or is_groups(owner) and "g:" or "a:"
    return M.text(mark .. method)
end

-- The help that "a?", "w.x:mean?" and :doc ask for: of the value that a path leads to, else of its last name.
function M.about(path)
    local complete = require "lunarray.prompt.complete"
    local parts, method = {}, path:match ":([%w_]+)$"
    for part in path:gsub(":[%w_]*$", ""):gmatch "[%w_]+" do
        parts[#parts + 1] = part
    end
    local value = complete.resolve(parts, complete.global)
    if method then
        return text_of_method(value, method)
    end
    return M.text(value == nil and path or value)
end

return M
