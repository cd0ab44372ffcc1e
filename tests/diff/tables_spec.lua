-- The engine's tables against those of the difference tests: an operation, a dtype or a reduction that
-- has no oracle fails here, and so does one that is gone.
local harness = require "diff.harness"
local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local oracle = require "diff.oracle"

local describe_op = require "lunarray.core".internal.describe

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
        assert.equal(table.concat(names, " "), message:match "the dtypes are ([%w ]+)")
    end)

    it("every reduction and skeleton", function()
        assert.same(set(rows("skeletons.def", "LUN_REDUCTION")), set {
            "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count", "argmin", "argmax", "norm",
        })
        assert.same(set(rows("skeletons.def", "LUN_SKELETON")), set { "map", "zip", "reduce", "scan" })
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
