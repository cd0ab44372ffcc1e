-- The engine's tables against those of the difference tests: an operation, a dtype or a reduction that
-- has no oracle fails here, and so does one that is gone.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local oracle = require "diff.oracle"

local shell = require "shell"
local internal = require "lunarray.core".internal
local describe_op = internal.describe

-- Second arguments of the rows of a table file: names.
local function rows(file, macro)
    local handle = assert(io.open("prims/table/" .. file, "rb"))
    local text = handle:read "a"
    handle:close()
    local names = {}
    for name in text:gmatch("\n" .. macro .. "%([%w_]+, ([%w_]+),") do
        names[#names + 1] = name
    end
    assert(#names > 0, "no rows of " .. macro)
    return names
end

local function set(list)
    local result = {}
    for _, name in ipairs(list) do
        result[name] = true
    end
    return result
end

local function keys(t)
    local result = {}
    for name in pairs(t) do
        result[name] = true
    end
    return result
end

local function names_of(list)
    local names = {}
    for i, row in ipairs(list) do
        names[i] = row.name
    end
    return names
end

-- What the skeletons give of {1, 2, 3}, each with the function of so many operands below; options: by name, a value of
-- it, what the call then gives and of which dtype;
-- extra: what it gives with the longer function and 2 as an extra number.
local skeletons = {
    map = {
        result = { -1, -2, -3 }, extra = { -2, -4, -6 },
        options = { elements = { 1, { -1, -2, -3 }, "i64" }, out = { "i8", { -1, -2, -3 }, "i8" } },
    },
    zip = { result = { 2, 4, 6 }, extra = { 4, 8, 12 }, options = { out = { "i8", { 2, 4, 6 }, "i8" } } },
    reduce = {
        result = 6, extra = 2,
        options = { axis = { 1, 6, "i64" }, keep = { true, { 6 }, "i64" }, elements = { 1, 6, "i64" } },
    },
    scan = {
        result = { 0, 1, 3 }, extra = { 2, 1, 1 },
        options = {
            axis = { 1, { 0, 1, 3 }, "i64" }, inclusive = { true, { 1, 3, 6 }, "i64" }, elements = { 1, { 0, 1, 3 }, "i64" },
        },
    },
    stencil = {
        result = { -1, -2, -3 }, extra = { -2, -4, -6 }, functions = {
            function(x) return -x(0) end, function(x, k) return -x(0) * k end,
        },
        options = {
            elements = { 1, { -1, -2, -3 }, "i64" }, out = { "i8", { -1, -2, -3 }, "i8" },
            edge = { "wrap", { -1, -2, -3 }, "i64" }, radius = { 0, { -1, -2, -3 }, "i64" },
        },
    },
    -- of {{1, 2, 3}} and itself: 2 + 4 + 6
    allpairs = {
        result = { { 12 } }, extra = { { 24 } }, shape = { 1, 3 },
        options = { out = { "i8", { { 12 } }, "i8" } },
    },
}

local functions = { function(x) return -x end, function(x, y) return x + y end }
local longer = { function(x, k) return -x * k end, function(x, y, k) return (x + y) * k end }
local function shifted(x, y, k) -- associative; k is its identity
    return x + y - k
end

local function plain(a)
    return a:kind() == "Scalar" and a:value() or a:totable()
end

local function check_skeleton(row, expected)
    local a, name = lun.vector { 1, 2, 3 }, row.name
    if expected.shape then
        a = a:reshape(table.unpack(expected.shape))
    end
    local f, id = functions[row.operands], row.folds and 0 or nil
    local more = row.folds and shifted or longer[row.operands]
    if expected.functions then
        f, more = table.unpack(expected.functions)
    end
    local by = row.combines and { functions[2] } or {} -- the function that follows the first
    local arrays, options = {}, row.combines and { by[1], 0 } or row.folds and { id } or {}
    id = options[1]
    for i = 1, row.arrays do
        arrays[i] = a
    end
    -- a call of the method: the arrays, the function, what follows
    local function method(g, ...)
        local arguments = { table.unpack(arrays) }
        for _, x in ipairs { g, ... } do
            arguments[#arguments + 1] = x
        end
        return a[name](table.unpack(arguments))
    end
    assert.same(expected.result, plain(lun[name](f, id)(table.unpack(arrays))), name)
    assert.same(expected.result, plain(method(f, id)), name)
    assert.has_error(function() lun[name](f, id)(table.unpack(arrays, 2)) end)

    -- operands: an operation of another arity is refused; folds: one that is not associative
    assert.has_error(function() lun[name](row.operands == 1 and lun.op.add or lun.op.neg, id) end)
    if row.operands == 2 then
        assert.equal(not row.folds, (pcall(lun[name], lun.op.sub, id)), name)
    end
    if row.combines then
        assert.has_error(function() lun[name](f, lun.op.sub) end)
        assert.has_error(function() lun[name](f) end)
    end

    -- extras
    assert.is_true(row.extras, name)
    arrays[#arrays + 1] = 2
    assert.same(expected.extra,
        plain(lun[name](more, row.folds and 2 or by[1])(table.unpack(arrays))), name)
    arrays[#arrays] = nil

    -- the options
    local known = {}
    for option in row.option:gmatch "(%w+)=" do
        known[option] = true
    end
    assert.same(known, keys(expected.options), name)
    for option, case in pairs(expected.options) do
        options[#options + 1] = { [option] = case[1] }
        local with = lun[name](f, table.unpack(options))(table.unpack(arrays))
        assert.same(case[2], plain(with), name .. " " .. option)
        assert.equal(case[3], with:dtype())
        assert.same(case[2], plain(method(f, table.unpack(options))), name .. " " .. option)
        options[#options] = { nonsense = true }
        assert.has_error(function() lun[name](f, table.unpack(options)) end)
        options[#options] = nil
    end
    assert.matches(row.option, lun.help(name), 1, true)
    assert.matches("a:" .. name .. "(", lun.help(name), 1, true)
    assert.matches(row.doc, lun.help(name), 1, true)
end

-- What the reductions give of {3, 1, 2}, and with 1 as their option; without one a number is an axis.
local reductions = {
    sum = { 6 }, prod = { 6 }, min = { 1 }, max = { 3 }, mean = { 2.0 }, var = { 2 / 3, 1.0 },
    std = { math.sqrt(2 / 3), 1.0 }, any = { true }, all = { true }, count = { 3 }, argmin = { 2 }, argmax = { 1 },
    norm = { math.sqrt(14) },
}

local function check_reduction(row, expected, of_empty)
    local a, name = lun.vector { 3, 1, 2 }, row.name
    local function near(wanted, got)
        assert.is_true(wanted == got or math.abs(wanted - got) < 1e-15, name .. ": " .. tostring(got))
    end
    near(expected[1], a[name](a))
    near(expected[1], lun[name](a))
    local scalar = a:lazy(name)
    assert.equal("Scalar", scalar:kind())
    near(expected[1], lun.eval(scalar))
    assert.equal(row.option ~= "", expected[2] ~= nil, name)
    if expected[2] then
        near(expected[2], a[name](a, 1))
        assert.matches(("a:%s([%s])"):format(name, row.option), lun.help(name), 1, true)
    elseif not lun.op[name] then
        near(expected[1], a[name](a, 1))
        assert.has_error(function() a[name](a, 2) end)
    end
    assert.equal(of_empty, (pcall(a[name], lun.zeros(0))), name)
    assert.matches(row.doc, lun.help(name), 1, true)
end

describe("the difference tests cover", function()
    it("every operation of the table", function()
        local known = keys(oracle.ops)
        assert.same(set(rows("ops.def", "LUN_OP")), known)
        assert.same(keys(lun.op), known)
    end)

    it("each operation with its number of operands", function()
        local short = { "bool", "i8", "f64" }
        for name, row in pairs(oracle.ops) do
            local called, _, arity, doc = describe_op(lun.op[name])
            assert.equal(name, called)
            assert.is_true(#doc > 0)
            row.arity = arity
            assert.is_function(lun[name])
            local some = false
            for _, t in ipairs(short) do
                some = some or oracle.element(row, dtypes[t]) ~= nil
            end
            assert.is_true(some or row.accuracy ~= nil, name)
        end
    end)

    it("every dtype", function()
        local names = {}
        for i, t in ipairs(dtypes.list) do
            names[i] = t.name
        end
        assert.same(rows("dtypes.def", "LUN_DTYPE"), names)
        local _, message = pcall(lun.vector, {}, "none")
        names[#names + 1], names[#names + 2] = "c64", "c128" -- pairs of f32 and f64, in complex_functions_spec.lua
        assert.equal(table.concat(names, " "), message:match "the dtypes are ([%w ]+)")
    end)

    it("every skeleton, which does what its row says", function()
        assert.same(rows("skeletons.def", "LUN_SKELETON"), names_of(internal.skeletons()))
        for _, row in ipairs(internal.skeletons()) do
            check_skeleton(row, assert(skeletons[row.name], "no oracle of " .. row.name))
        end
    end)

    it("every reduction, which does what its row says", function()
        local file = shell.slurp "prims/table/skeletons.def"
        assert.same(rows("skeletons.def", "LUN_REDUCTION"), names_of(internal.reductions()))
        for _, row in ipairs(internal.reductions()) do
            local empty = file:match("LUN_REDUCTION%(%w+, " .. row.name .. ", (%u+),")
            check_reduction(row, assert(reductions[row.name], "no oracle of " .. row.name), empty == "VALUE")
        end
    end)

    it("the backends", function()
        local names = set(harness.backends)
        assert.is_true(names.reference)
        assert.is_true(names.openmp, "openmp cannot be used here")
        assert.equal("opencl", harness.device, "opencl cannot be used here")
    end)

    it("compiled kernels: LUNARRAY_JIT=sync leaves nothing to the interpreter", function()
        if os.getenv "LUNARRAY_JIT" ~= "sync" then
            pending "LUNARRAY_JIT is not sync"
        end
        local used = lun.use()
        lun.use "openmp"
        local before = lun.stats()
        assert.equal(6.5, (lun.vector { 1.0, 2.0, 3.0 } + 0.5)[3] + 3.0)
        local after = lun.stats()
        lun.use(used)
        assert.is_true(after.launches > before.launches)
        assert.equal(before.interpreted, after.interpreted)
    end)
end)
