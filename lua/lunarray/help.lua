-- lun.help(x): what a function, method, operation or value of the module is for, as text. Operations,
-- skeletons and reductions are described by the engine's tables, the rest here.

local core = require "lunarray.core"

local describe_op = core.internal.describe
local describe_skeleton = core.internal.skeleton

local M = {}

-- Functions of the module: how they are called, and what they do.
local FUNCTIONS = {
    vector = {
        "lun.vector(t [, dtype])",
        "a Vector of a table's numbers and Scalars; of tables or arrays of one shape an array of their rows",
    },
    zeros = { "lun.zeros(shape [, dtype])", "zeros; shape is n, {n1, n2, ...} or n1, n2, ...; dtype f64 by default" },
    ones = { "lun.ones(shape [, dtype])", "ones; shape is n, {n1, n2, ...} or n1, n2, ...; dtype f64 by default" },
    full = { "lun.full(shape, x [, dtype])", "x everywhere; the dtype is that of x by default" },
    range = { "lun.range(a, b [, step])", "a, a + step, ... up to b, as a Lua for counts; virtual" },
    index = { "lun.index(n)", "1 to n; virtual" },
    linspace = { "lun.linspace(a, b, n)", "n numbers from a to b, evenly spaced; virtual" },
    random = {
        "lun.random(shape [, {seed=, dist=, dtype=}])",
        'random numbers, "uniform" in [0, 1) or "normal"; the same for the same seed; virtual',
    },
    frombytes = { "lun.frombytes(s, dtype [, shape])", "an array of the bytes that a:tobytes() gives" },
    sequence = { "lun.sequence(s1, s2, ...)", "a skeleton that applies one after the other, as s1 >> s2 does" },
    compose = { "lun.compose(root):left(s):right(s)", "a tree of skeletons; :only(s) under a unary root" },
    eval = { "lun.eval(e1, e2, ...)", "evaluates all in as few passes as possible; a Scalar gives its number" },
    explain = { "lun.explain(e, ...)", "the kernels that evaluating e would run, without running them" },
    dot = { "lun.dot(a, b)", "the sum of the products, as a:dot(b)" },
    cast = { "lun.cast(a, dtype)", "the elements as another dtype, as a:cast(dtype)" },
    prepare = { "lun.prepare(e1, e2, ...)", "compiles what lun.eval of them would run, runs nothing" },
    stats = { 'lun.stats() or lun.stats "reset"', "counters: compiles, launches, bytes, kernels held" },
    profile = { "lun.profile(f)", "calls f() and prints what each kernel in it cost; gives the rows and f's results" },
    check = {
        "lun.check(true), lun.check(false)",
        "tries functions of reduce and scan for associativity and their first value, and computes some elements that\n"
            .. "Lua functions give again by Lua itself; raises what is found, with its operands",
    },
    clock = { "lun.clock()", "seconds on a clock that never goes back, for timing" },
    trim = { "lun.trim()", "gives pooled memory back to the system" },
    backends = { "lun.backends()", "the names of the backends that can be used here, best first" },
    devices = { "lun.devices()", "a list of devices: name, kind, backend, memory, units, and of the host its machine" },
    use = { "lun.use(name)", "selects a backend; gives the name of the one in use" },
    math = { 'lun.math "precise" or "fast"', "accuracy of mathematical functions; gives the one in use" },
    load = {
        "lun.load(path [, opts])",
        "an array from a .npy, .csv, .png, .pgm or .ppm file, or of bytes with {dtype=}",
    },
    open = {
        "lun.open(path [, opts])",
        "an array whose elements stay in a .npy file, or one of bare elements with {dtype=, shape=, offset=}, of any\n"
            .. "size: read chunk by chunk where they are used; a write copies them into memory, never into the file",
    },
    save = { "lun.save(path, a [, opts])", "writes a file, by extension: .npy .csv .png .pgm .ppm, raw bytes" },
    plot = {
        "lun.plot([x,] y [, opts])",
        "draws in the terminal; y: an array, or a table of them, one series each; opts: title, names, points=true,\n"
            .. "xlim={low, high}, ylim=, width=, height=, colour=, string=true (gives the text)",
    },
    hist = {
        "lun.hist(a [, bins] [, opts])",
        "how often which values come, as bars; opts: low, high, title, width, colour, string=true",
    },
    image = {
        "lun.image(A [, high] [, opts])",
        "draws [height][width] in gray, [height][width][3] in colours; opts: low, high, title, width, height,\n"
            .. 'colour=false, "16", "256" or "true", string=true',
    },
    info = { "lun.info()", "versions, backends, devices and the kernel cache, as text" },
    help = { "lun.help(x)", "this: give it a function, a name, an array, a skeleton or an operation" },
    isarray = { "lun.isarray(x)", "whether x is an array" },
}

-- Methods of arrays, but those that are operations.
local METHODS = {
    dtype = { "a:dtype()", "the name of the element type" },
    shape = { "a:shape()", "the extents, as several numbers" },
    size = { "a:size()", "the number of elements; #a is the first extent" },
    kind = { "a:kind()", "Vector, View, Scalar or Composition" },
    pending = { "a:pending()", "the number of operations that wait to be computed" },
    backend = { "a:backend()", "where its elements are: a backend, or host memory while a device is in use" },
    copy = { "a:copy()", "a Vector of its own" },
    cast = { "a:cast(dtype)", "the elements converted to another dtype" },
    reshape = {
        "a:reshape(shape)",
        "the same elements in another shape; one extent may be -1 and follows from the others",
    },
    sub = { "a:sub(i, j [, step])", "elements i to j, by the rules of string.sub" },
    eval = { "a:eval()", "computes it now; gives a" },
    free = { "a:free()", "gives the memory back now" },
    fill = { "a:fill(x)", "sets all elements; gives a" },
    set = { "a:set(e)", "stores an expression into a's elements; gives a" },
    value = { "a:value()", "the number that a Scalar is" },
    iter = { "for i, x in a:iter()", "elements in order" },
    totable = { "a:totable()", "a table of the elements, nested where the rank is above 1" },
    read = { "a:read(first, count)", "a table of some elements, counted in row-major order" },
    tobytes = { "a:tobytes()", "the elements as a string of bytes" },
    lazy = { 'a:lazy("sum" [, ddof])', "a reduction as a lazy Scalar, to be evaluated with others by lun.eval" },
    dot = { "a:dot(b)", "the sum of the products" },
    source = { "a:source([backend])", "the code that computing it would run" },
}

-- What is written with signs, and values that are no functions: topics that name it, a form, what it gives.
local SIGNS = {
    { "element elements", "a[i], a[-1]", "an element, counted from 1, or from the end; a[i] = x writes it" },
    { "row rows", "A[i], A[i][j]", "a row of an array of several dimensions, an element of it; A[i] = row writes it" },
    { "slice slices", "a:sub(i, j, step)", "elements i to j, or rows; a:sub(-1, 1, -1) is all of it from behind" },
    { "concat concatenate", "a .. b", "a, then b; arrays of several dimensions row by row" },
    { "length", "#a", "the first extent: elements, or rows" },
    { "chain", "s1 >> s2", "a skeleton that applies s1, then s2" },
    {
        "columns pairs csv", 'for name, column in pairs(lun.load "t.csv")',
        "the columns of a csv in the order of the file; t.name is one, getmetatable(t).rows the number of rows",
    },
    { "op", "lun.op.add", "an operation as a value for skeletons, as its name is; see the operations" },
    { "_VERSION", "lun._VERSION", "the version, as text" },
}

-- Methods of skeletons, and of trees made by lun.compose.
local SKELETON_METHODS = {
    run = { "s:run{A, extra..., out=B}", "applies s and writes the result into B" },
    source = { "s:source([backend])", "the code of a skeleton" },
    workgroup = { "s:workgroup(n)", "sets the work-group size on opencl, 0 leaves it to the device" },
    left = { "c:left(s)", "puts s under a binary root, on its left" },
    right = { "c:right(s)", "puts s under a binary root, on its right" },
    only = { "c:only(s)", "puts s under a unary root" },
}

-- Of reductions to a number: how they are called, and what they give.
local REDUCTIONS = {}

-- Names in the order of the tables.
local skeletons, reductions = {}, {}

for i, row in ipairs(core.internal.skeletons()) do
    local name = row.name
    local others = ({ "", "b, ", "b, c, " })[row.arrays]
    local first = row.folds and ", id" or ""
    local option = row.option ~= "" and (" [, {%s}]"):format(row.option) or ""
    FUNCTIONS[name] = { ("lun.%s(f%s%s)"):format(name, first, option), "a skeleton: " .. row.doc }
    METHODS[name] = {
        ("a:%s(%sf%s%s%s)"):format(name, others, row.extras and ", extra..." or "", first, option), row.doc,
    }
    skeletons[i] = name
end

for i, row in ipairs(core.internal.reductions()) do
    local option = row.option ~= "" and ("[%s]"):format(row.option) or ""
    local also = core.op[row.name] and ("; a:%s(b) is elementwise"):format(row.name) or ""
    REDUCTIONS[row.name] = { ("a:%s(%s)"):format(row.name, option), row.doc .. also }
    reductions[i] = row.name
end

local SKELETON = [[
a skeleton: s(A, extra...) calls it, s:run{A, extra..., out=B} writes into B,
s:run{..., out={B, C}} of several results, s:source([backend]) is its code, s:workgroup(n) sets the work-group
size on a GPU (0: tuned), s1 >> s2 chains two, of which one may be a function for map]]

local OVERVIEW = [[
Lunarray: lazy arrays that run as fused kernels. lun.help "name" or lun.help(x) tells about one thing.
making arrays   vector zeros ones full range index linspace random frombytes
skeletons       %s sequence compose
of skeletons    %s
computing       eval prepare explain stats profile check
reductions      %s dot
written so      %s
methods         %s
files           load open save
pictures        plot hist image
the engine      backends devices use math clock trim info isarray op _VERSION
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
    return OVERVIEW:format(table.concat(skeletons, " "), sorted(SKELETON_METHODS), table.concat(reductions, " "),
        "a[i] A[i] a:sub(i, j) #a a .. b s1 >> s2 pairs(t)", sorted(METHODS), sorted(core.op))
end

-- All that is known by this name, nil if nothing is.
local function text_of_name(name)
    local texts = {}
    name = name:gsub("^lun%.op%.", ""):gsub("^lun%.", ""):gsub("^%a*:", "")
    for _, known in ipairs { FUNCTIONS, METHODS, SKELETON_METHODS } do
        if known[name] then
            texts[#texts + 1] = ("%s: %s"):format(known[name][1], known[name][2])
        end
    end
    if REDUCTIONS[name] then
        texts[#texts + 1] = ("%s, lun.%s(a): %s"):format(REDUCTIONS[name][1], name, REDUCTIONS[name][2])
    end
    if core.op[name] then
        texts[#texts + 1] = op_text(core.op[name])
    end
    for _, sign in ipairs(SIGNS) do
        if (" " .. sign[1] .. " "):find(" " .. name .. " ", 1, true) then
            texts[#texts + 1] = ("%s: %s"):format(sign[2], sign[3])
        end
    end
    return texts[1] and table.concat(texts, "\n")
end

-- The name under which a function stands in the module or among the methods.
local function name_of(f)
    for _, where in ipairs { package.loaded.lunarray or core, core.internal.methods } do
        for name, value in pairs(where) do
            if value == f then
                return name
            end
        end
    end
end

-- What the reference is made of.
M.functions, M.methods, M.reductions, M.op_text = FUNCTIONS, METHODS, REDUCTIONS, op_text
M.skeletons, M.signs, M.skeleton_methods = skeletons, SIGNS, SKELETON_METHODS

-- lun.help(x): without an argument, what there is.
function M.text(...)
    local x = ...
    if select("#", ...) == 0 or x == package.loaded.lunarray then
        return overview()
    end
    local text
    if type(x) == "string" then
        text = text_of_name(x)
    elseif type(x) == "function" then
        text = text_of_name(name_of(x) or "")
    elseif describe_op(x) then
        text = op_text(x)
    elseif describe_skeleton(x) then
        text = SKELETON
    elseif core.isarray(x) then
        text = ("a %s of dtype %s; its methods: lun.help \"a:sum\" and so on"):format(x:kind(), x:dtype())
    end
    if text then
        return text
    elseif type(x) == "string" then
        return ("no help for '%s'; lun.help() tells what there is"):format(x)
    end
    return ("no help for a %s; lun.help() tells what there is"):format(type(x))
end

return M
