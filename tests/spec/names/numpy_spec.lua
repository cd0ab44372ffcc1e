-- Names of NumPy beside NumPy itself: the same code on the same arrays, exactly or within a few roundings.
local lun = require "lunarray"
local numpy = require "numpy"
local shell = require "shell"

local NUMPY = {
    bool = "bool", i8 = "int8", u8 = "uint8", i16 = "int16", u16 = "uint16", i32 = "int32", u32 = "uint32", i64 = "int64",
    u64 = "uint64", f32 = "float32", f64 = "float64", f16 = "float16",
}

-- The same arrays on both sides: numbers of `range` in a fixed disorder, halves among the floats.
local function array(dtype, shape, range, offset)
    local n = 1
    for _, extent in ipairs(shape) do
        n = n * extent
    end
    local list = {}
    for k = 1, n do
        local x = (k * 37 + k * k * 11) % range + (offset or 0)
        list[k] = dtype:find "f" and x + (k % 3) * 0.5 or dtype == "bool" and x % 2 or x
    end
    local flat = n > 0 and lun.vector(list, dtype == "bool" and "u8" or dtype) or lun.zeros(0, dtype)
    flat = dtype == "bool" and flat:ne(0) or flat
    local text = ("np.array([%s], dtype=np.%s).reshape(%s)"):format(table.concat(list, ", "), NUMPY[dtype],
        #shape == 1 and shape[1] .. "," or table.concat(shape, ", "))
    return flat:reshape(shape), text
end

-- All elements of the results in order, and their shapes.
local function flat(results)
    local shapes, numbers = {}, {}
    for k = 1, results.n do
        local x = results[k]
        if lun.isarray(x) then
            shapes[k] = table.concat({ x:shape() }, " ")
            for _, v in ipairs(select("#", x:shape()) == 0 and { x:value() } or x:flatten():totable()) do
                numbers[#numbers + 1] = v == true and 1 or v == false and 0 or v
            end
        else
            shapes[k] = ""
            numbers[#numbers + 1] = x == true and 1 or x == false and 0 or x
        end
    end
    return table.concat(shapes, "; "), numbers
end

local PRELUDE = [[
import warnings; warnings.filterwarnings("ignore")
import numpy as np
def show(name, *xs):
    xs = [np.asarray(x) for x in xs]
    print("=", name)
    print("; ".join(" ".join(str(n) for n in x.shape) for x in xs))
    for x in xs:
        for v in x.ravel():
            v = v.item()
            print(repr(float(v)) if isinstance(v, float) else int(v) if v < 2**63 else int(v) - 2**64)
]]

-- What NumPy answers to the cases of groups, which one process computes: for each case shapes and numbers; and its output.
local function numpys(groups)
    local lines, number = { PRELUDE }, 0
    for _, group in ipairs(groups) do
        group.env = setmetatable({ lun = lun }, { __index = _G })
        for name, one in pairs(group.given) do
            local text
            group.env[name], text = array(table.unpack(one))
            lines[#lines + 1] = name .. " = " .. text
        end
        for _, case in ipairs(group.cases) do
            number = number + 1
            lines[#lines + 1] = ("show(%d, *(lambda r: r if isinstance(r, (tuple, list)) else [r])(%s))"):format(number, case[2])
        end
    end
    local directory = shell.scratch()
    local out = numpy.run(directory, table.concat(lines, "\n"))
    shell.discard(directory)
    local answers = {}
    for k, shapes, body in out:gmatch "= (%d+)\n([^\n]*)\n([^=]*)" do
        local numbers = {}
        for word in body:gmatch "%S+" do
            numbers[#numbers + 1] = word == "nan" and 0 / 0 or word == "inf" and math.huge or word == "-inf" and -math.huge
                or tonumber(word)
        end
        answers[tonumber(k)] = { shapes, numbers }
    end
    return answers, out
end

-- Adds to a list what is wrong with ours of a case.
local function check(case, env, answer, wrong)
    local code = case[1]
    local theirs, expected = table.unpack(answer)
    local ok, shapes, numbers = pcall(function()
        return flat(table.pack(assert(load("return " .. code, "=case", "t", env))()))
    end)
    if not ok or shapes ~= theirs or #numbers ~= #expected then
        wrong[#wrong + 1] = ("%s: %s, NumPy has %s"):format(code, shapes, theirs)
        return
    end
    for i, x in ipairs(expected) do
        local y = numbers[i]
        local error_allowed = (case[3] or 0) * math.max(math.abs(x), case[4] or 0)
        if not (y == x or y ~= y and x ~= x or math.abs(y - x) <= error_allowed) then
            wrong[#wrong + 1] = ("%s, element %d: %s, NumPy has %s"):format(code, i, y, x)
        end
    end
end

-- Groups are { given =, cases = }: cases { ours, NumPy's [, relative error] } on the arrays that `given` lists by name.
local function compare_all(groups)
    local answers, out = numpys(groups)
    local wrong, number = {}, 0
    for _, group in ipairs(groups) do
        for _, case in ipairs(group.cases) do
            number = number + 1
            assert.is_truthy(answers[number], case[2] .. ": " .. out:sub(-400))
            check(case, group.env, answers[number], wrong)
        end
    end
    assert.equal("", table.concat(wrong, "\n"))
end

local function compare(given, cases)
    compare_all { { given = given, cases = cases } }
end

local REAL = { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64" }
local ALL = { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64" }

local function on(dtypes, cases)
    local groups = {}
    for k, dtype in ipairs(dtypes) do
        groups[k] = { cases = cases, given = {
            v = { dtype, { 7 }, 5, 1 }, A = { dtype, { 3, 4 }, 9, 1 }, T = { dtype, { 2, 3, 4 }, 11, 1 },
            o = { dtype, { 0 }, 1 }, O = { dtype, { 2, 0, 3 }, 1 }, one = { dtype, { 1 }, 5, 1 },
        } }
    end
    compare_all(groups)
end

describe("names beside NumPy", function()
    it("make arrays", numpy.needed(pending, function()
        compare({ v = { "f64", { 4 }, 5, 1 }, k = { "i32", { 3 }, 5, 1 }, A = { "i16", { 3, 4 }, 9 } }, {
            { "lun.eye(3)", "np.eye(3)" }, { "lun.eye(3, 5, -1)", "np.eye(3, 5, -1)" }, { "lun.eye(0)", "np.eye(0)" },
            { "lun.eye(2, 4, 9)", "np.eye(2, 4, 9)" }, { "lun.tri(3)", "np.tri(3)" }, { "lun.tri(3, 5, 1)", "np.tri(3, 5, 1)" },
            { "lun.tri(4, 2, -1)", "np.tri(4, 2, -1)" }, { "v:diag()", "np.diag(v)" }, { "v:diag(2)", "np.diag(v, 2)" },
            { "k:diag(-1)", "np.diag(k, -1)" }, { "A:diag(1)", "np.diag(A, 1)" }, { "A:tril()", "np.tril(A)" },
            { "A:tril(-1)", "np.tril(A, -1)" }, { "A:triu(1)", "np.triu(A, 1)" },
            { "lun.stack{A, A + 1}:triu()", "np.triu(np.stack([A, A + 1]))" },
            { "A:zeros_like()", "np.zeros_like(A)" }, { "A:ones_like 'f32'", "np.ones_like(A)" },
            { "A:full_like(3)", "np.full_like(A, 3)" },
            { "lun.meshgrid(v, k)", "np.meshgrid(v, k)" }, { "lun.meshgrid(v, k, {indexing='ij'})", "np.meshgrid(v, k, indexing='ij')" },
            { "lun.meshgrid(v, k, k)", "np.meshgrid(v, k, k)" }, { "lun.meshgrid(v)", "np.meshgrid(v)" },
            { "lun.logspace(0, 2, 5)", "np.logspace(0, 2, 5)", 1e-14 },
            { "lun.logspace(1, 4, 4, {base = 2})", "np.logspace(1, 4, 4, base=2)" },
            { "lun.geomspace(1, 1000, 4)", "np.geomspace(1, 1000, 4)", 1e-14 },
            { "lun.geomspace(-3, -7, 6)", "np.geomspace(-3, -7, 6)", 1e-14 },
            { "lun.geomspace(5, 2, 1)", "np.geomspace(5, 2, 1)" },
            { "v:vander()", "np.vander(v)" }, { "k:vander(5)", "np.vander(k, 5)" }, { "v:vander(1)", "np.vander(v, 1)" },
            { "A:nbytes()", "A.nbytes" }, { "A:itemsize()", "A.itemsize" },
            { "lun.finfo('f32').max", "np.finfo(np.float32).max" }, { "lun.finfo('f16').tiny", "np.finfo(np.float16).tiny" },
            { "lun.finfo('f64').eps", "np.finfo(np.float64).eps" }, { "lun.finfo('f64').digits", "np.finfo(np.float64).precision" },
            { "lun.finfo('f32').digits", "np.finfo(np.float32).precision" }, { "lun.iinfo('i16').min", "np.iinfo(np.int16).min" },
            { "lun.iinfo('i64').max", "np.iinfo(np.int64).max" }, { "lun.iinfo('u32').max", "np.iinfo(np.uint32).max" },
        })
        local cases = {}
        for _, from in ipairs(ALL) do
            for _, to in ipairs(ALL) do
                cases[#cases + 1] = { ("lun.can_cast('%s', '%s')"):format(from, to),
                    ("np.can_cast(np.%s, np.%s)"):format(NUMPY[from], NUMPY[to]) }
            end
        end
        compare({}, cases)
    end))

    it("shape arrays of all dtypes", numpy.needed(pending, function()
        on(ALL, {
            { "v:tile(3)", "np.tile(v, 3)" }, { "v:tile{2, 2}", "np.tile(v, (2, 2))" }, { "A:tile(2)", "np.tile(A, 2)" },
            { "A:tile{2, 1, 3}", "np.tile(A, (2, 1, 3))" }, { "A:tile{0, 2}", "np.tile(A, (0, 2))" }, { "o:tile(3)", "np.tile(o, 3)" },
            { "v:repeat_(2)", "np.repeat(v, 2)" }, { "A:repeat_(lun.vector{1, 0, 2})", "np.repeat(A, [1, 0, 2], axis=0)" },
            { "A:repeat_(2, {axis = -1})", "np.repeat(A, 2, axis=-1)" },
            { "v:roll(2)", "np.roll(v, 2)" }, { "v:roll(-9)", "np.roll(v, -9)" }, { "A:roll(5)", "np.roll(A, 5)" },
            { "A:roll(1, {axis = 2})", "np.roll(A, 1, axis=1)" }, { "A:roll({1, -2}, {axis = {1, 2}})",
                "np.roll(A, (1, -2), axis=(0, 1))" },
            { "T:roll(3, {axis = {1, -1}})", "np.roll(T, 3, axis=(0, -1))" }, { "o:roll(2)", "np.roll(o, 2)" },
            { "O:roll(1, {axis = 2})", "np.roll(O, 1, axis=1)" },
            { "v:flip()", "np.flip(v)" }, { "T:flip()", "np.flip(T)" }, { "T:flip(2)", "np.flip(T, 1)" },
            { "T:flip{1, -1}", "np.flip(T, (0, -1))" }, { "O:flip()", "np.flip(O)" },
            { "A:rot90()", "np.rot90(A)" }, { "A:rot90(2)", "np.rot90(A, 2)" }, { "A:rot90(-1)", "np.rot90(A, -1)" },
            { "T:rot90(7)", "np.rot90(T, 7)" }, { "A:rot90(0)", "np.rot90(A, 0)" },
            { "T:swapaxes(1, 3)", "np.swapaxes(T, 0, 2)" }, { "T:swapaxes(-1, 2)", "np.swapaxes(T, -1, 1)" },
            { "T:matrix_transpose()", "np.swapaxes(T, -1, -2)" },
            { "T:moveaxis(1, 3)", "np.moveaxis(T, 0, 2)" }, { "T:moveaxis(-1, 1)", "np.moveaxis(T, -1, 0)" },
            { "T:moveaxis({1, 2}, {3, 1})", "np.moveaxis(T, (0, 1), (2, 0))" },
            { "v:expand_dims(1)", "np.expand_dims(v, 0)" }, { "A:expand_dims(3)", "np.expand_dims(A, 2)" },
            { "A:expand_dims(-2)", "np.expand_dims(A, -2)" }, { "A:transpose():expand_dims(2)", "np.expand_dims(A.T, 1)" },
            { "A:expand_dims(1):squeeze()", "A" }, { "A:expand_dims(2):squeeze(2)", "A" },
            { "one:squeeze()", "np.squeeze(one)" }, { "O:expand_dims(1):squeeze{1}", "O" },
            { "v:broadcast_to{2, 7}", "np.broadcast_to(v, (2, 7))" },
            { "lun.broadcast_arrays(A, lun.vector{1, 2, 3, 4})", "np.broadcast_arrays(A, np.array([1, 2, 3, 4]))" },
            { "A:unstack()[2]", "A[1]" }, { "T:unstack(-1)[4]", "T[..., 3]" }, { "A:unstack(2)[1]", "A[:, 0]" },
            { "table.unpack(A:split(3))", "np.split(A, 3)" }, { "table.unpack(A:split(2, {axis = 2}))", "np.split(A, 2, axis=1)" },
            { "table.unpack(v:split{3, 3, 6})", "np.split(v, [2, 2, 5])" },
            { "lun.hstack{v, one}", "np.hstack([v, one])" }, { "lun.hstack{A, A}", "np.hstack([A, A])" },
            { "lun.vstack{v, v}", "np.vstack([v, v])" }, { "lun.vstack{A, A}", "np.vstack([A, A])" },
            { "lun.dstack{v, v}", "np.dstack([v, v])" }, { "lun.dstack{A, A}", "np.dstack([A, A])" }, { "lun.dstack{T, T}",
                "np.dstack([T, T])" },
            { "A:take_along_axis(A:argsort())", "np.take_along_axis(A, np.argsort(A, axis=-1, kind='stable'), -1)" },
            { "T:take_along_axis(T:argsort{axis = 2}, {axis = 2})", "np.take_along_axis(T, np.argsort(T, axis=1, kind='stable'), 1)" },
            { "A:take_along_axis(lun.vector{{-1, 1}}, {axis = 2})", "np.take_along_axis(A, np.array([[-1, 0]]), 1)" },
            { "v:take_along_axis(lun.vector{2, 2, 7, -7})", "np.take_along_axis(v, np.array([1, 1, 6, -7]), 0)" },
            { "v:delete(2)", "np.delete(v, 1)" }, { "v:delete{1, -1, 3}", "np.delete(v, [0, -1, 2])" }, { "A:delete(5)",
                "np.delete(A, 4)" },
            { "A:delete(2, {axis = 1})", "np.delete(A, 1, axis=0)" }, { "T:delete({1, 4}, {axis = -1})", "np.delete(T, [0, 3], axis=-1)" },
            { "v:insert(3, 1)", "np.insert(v, 2, 1)" }, { "v:insert({1, 3, 8}, {1, 0, 1})", "np.insert(v, [0, 2, 7], [1, 0, 1])" },
            { "v:insert(8, {1, 0})", "np.insert(v, 7, [1, 0])" }, { "v:insert({4, 2, 4}, 1)", "np.insert(v, [3, 1, 3], 1)" },
            { "A:insert(2, 1, {axis = 2})", "np.insert(A, 1, 1, axis=1)" }, { "A:insert(4, {1, 0, 1, 0}, {axis = 1})",
                "np.insert(A, 3, [1, 0, 1, 0], axis=0)" },
            { "(v:zeros_like() .. v .. v:zeros_like()):trim_zeros()",
                "np.trim_zeros(np.concatenate([np.zeros_like(v), v, np.zeros_like(v)]))" },
            { "o:trim_zeros()", "np.trim_zeros(o)" },
        })
    end))

    it("sum and differ", numpy.needed(pending, function()
        on(REAL, {
            { "v:cumsum()", "np.cumsum(v)", 1e-6 }, { "A:cumsum()", "np.cumsum(A)", 1e-6 }, { "A:cumsum{axis = 1}", "np.cumsum(A, axis=0)",
                1e-6 },
            { "T:cumsum{axis = -2}", "np.cumsum(T, axis=-2)", 1e-6 }, { "o:cumsum()", "np.cumsum(o)" }, { "O:cumsum{axis = 3}",
                "np.cumsum(O, axis=2)" },
            { "v:cumprod()", "np.cumprod(v)", 1e-6 }, { "T:cumprod{axis = 2}", "np.cumprod(T, axis=1)", 1e-6 },
            { "A:cummax{axis = 2}", "np.maximum.accumulate(A, axis=1)" }, { "A:cummin{axis = 1}", "np.minimum.accumulate(A, axis=0)" },
            { "v:cummin()", "np.minimum.accumulate(v)" }, { "T:cummax()", "np.maximum.accumulate(T.ravel())" },
            { "v:cumulative_sum()", "np.cumulative_sum(v)", 1e-6 },
            { "A:cumulative_sum{axis = 2, include_initial = true}", "np.cumulative_sum(A, axis=1, include_initial=True)", 1e-6 },
            { "A:cumulative_prod{axis = 1, include_initial = true}", "np.cumulative_prod(A, axis=0, include_initial=True)", 1e-6 },
            { "v:diff()", "np.diff(v)" }, { "v:diff(3)", "np.diff(v, 3)" }, { "v:diff(0)", "np.diff(v, 0)" }, { "v:diff(7)",
                "np.diff(v, 7)" },
            { "A:diff{axis = 1}", "np.diff(A, axis=0)" }, { "A:diff(2)", "np.diff(A, 2)" },
            { "v:diff{prepend = 1, append = 3}", "np.diff(v, prepend=v.dtype.type(1), append=v.dtype.type(3))" },
            { "A:diff(1, {axis = 1, prepend = A})", "np.diff(A, 1, axis=0, prepend=A)" },
            { "v:trapz()", "np.trapezoid(v.astype('d'))", 1e-6 }, { "A:trapz{axis = 1, dx = 0.5}",
                "np.trapezoid(A.astype('d'), dx=0.5, axis=0)", 1e-6 },
            { "A:trapz(lun.vector{1, 2, 4, 7})", "np.trapezoid(A.astype('d'), np.array([1, 2, 4, 7]))", 1e-6 },
            { "v:average(v)", "np.average(v.astype('d'), weights=v)", 1e-6 }, { "A:average(A, {axis = 2})",
                "np.average(A.astype('d'), weights=A, axis=1)", 1e-6 },
            { "A:average(lun.vector{1, 2, 3}, {axis = 1})", "np.average(A.astype('d'), weights=[1, 2, 3], axis=0)", 1e-6 },
            { "v:average()", "np.average(v)", 1e-6 }, { "A:average(nil, {axis = 2})", "np.average(A, axis=1)", 1e-6 },
            { "v:ptp()", "np.ptp(v)" }, { "A:ptp{axis = 2}", "np.ptp(A, axis=1)" }, { "A:ptp{axis = 1, keep = true}",
                "np.ptp(A, axis=0, keepdims=True)" },
            { "v:count_nonzero()", "np.count_nonzero(v)" }, { "A:count_nonzero(2)", "np.count_nonzero(A, axis=1)" },
            { "(v - 1):count_nonzero()", "np.count_nonzero(v - 1)" },
        })
        on({ "i8", "u16", "i32", "i64", "u64" }, {
            { "v:bincount()", "np.bincount(v.astype('i8'))[1:]" }, { "v:bincount{n = 8}", "np.bincount(v.astype('i8'), minlength=9)[1:]" },
            { "v:bincount{weights = v * 0.5}", "np.bincount(v.astype('i8'), weights=v * 0.5)[1:]" },
        })
        compare({ v = { "f64", { 9 }, 7 }, f = { "f32", { 9 }, 7 }, A = { "f64", { 4, 5 }, 9 }, x = { "f64", { 9 }, 50 } }, {
            { "v:gradient()", "np.gradient(v)" }, { "v:gradient(0.5)", "np.gradient(v, 0.5)" }, { "f:gradient()", "np.gradient(f)" },
            { "v:gradient(x:sort())", "np.gradient(v, np.sort(x))", 1e-13 }, { "A:gradient()", "np.gradient(A)" },
            { "A:gradient{axis = 2}", "np.gradient(A, axis=1)" }, { "A:gradient(2, {axis = 1})", "np.gradient(A, 2, axis=0)" },
            { "A:sub(1, 2):gradient{axis = 1}", "np.gradient(A[:2], axis=0)" },
            { "lun.where(v:gt(4), 0/0, v):nansum()", "np.nansum(np.where(v > 4, np.nan, v))" },
            { "lun.where(A:gt(4), 0/0, A):nanmean{axis = 2}", "np.nanmean(np.where(A > 4, np.nan, A), axis=1)", 1e-15 },
            { "lun.where(A:gt(4), 0/0, A):nanmax{axis = 1, keep = true}", "np.nanmax(np.where(A > 4, np.nan, A), axis=0, keepdims=True)" },
            { "lun.where(v:gt(4), 0/0, v):nanmin()", "np.nanmin(np.where(v > 4, np.nan, v))" },
            { "lun.where(v:gt(4), 0/0, v):nanstd{ddof = 1}", "np.nanstd(np.where(v > 4, np.nan, v), ddof=1)", 1e-14 },
            { "lun.where(A:gt(4), 0/0, A):nanmedian{axis = 2}", "np.nanmedian(np.where(A > 4, np.nan, A), axis=1)" },
        })
    end))

    it("compute elementwise", numpy.needed(pending, function()
        on(REAL, {
            { "v:square()", "np.square(v)" }, { "v:reciprocal()", "np.true_divide(1, v).astype(v.dtype if v.dtype.kind == 'f' else 'd')",
                1e-7 },
            { "(v / 2):rint()", "np.rint(v / 2)" }, { "v:rint()", "np.rint(v)" }, { "A:signbit()", "np.signbit(A)" },
            { "v:fmod(3)", "np.fmod(v, v.dtype.type(3))" }, { "A:minimum(3)", "np.minimum(A, A.dtype.type(3))" }, { "A:maximum(T)",
                "np.maximum(A[None], T)", 0 } ,
            { "A:clip(2, 5)", "np.clip(A, 2, 5)" }, { "A:clip(nil, 4)", "np.clip(A, None, 4)" }, { "A:clip(4)", "np.clip(A, 4, None)" },
            { "v:lxor(lun.vector{1, 0, 1, 0, 1, 0, 1})", "np.logical_xor(v, [1, 0, 1, 0, 1, 0, 1])" },
            { "v:isclose(v + 1)", "np.isclose(v, v + 1)" }, { "v:allclose(v)", "np.allclose(v, v)" },
        })
        on({ "i8", "i16", "i32", "i64" }, {
            { "(v - 3):fmod(-2)", "np.fmod(v - 3, v.dtype.type(-2))" }, { "(A - 5):sar(1)", "np.right_shift(A - 5, A.dtype.type(1))" },
            { "(v - 4):gcd(v)", "np.gcd(v - 4, v)" }, { "v:lcm(6)", "np.lcm(v, v.dtype.type(6))" }, { "(v - 3):popcount()",
                "np.bitwise_count((v - 3).view(v.dtype.str.replace('i', 'u')))" },
        })
        on({ "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64" }, {
            { "v:ipow(v)", "np.power(v, v)" }, { "A:ipow(70)", "np.power(A, A.dtype.type(70))" }, { "v:popcount()", "np.bitwise_count(v)" },
        })
        compare({ v = { "f64", { 40 }, 37, -18 }, f = { "f32", { 40 }, 37, -18 } }, {
            { "v:fmod(2.5)", "np.fmod(v, 2.5)" }, { "v:fmod(-7)", "np.fmod(v, -7)" }, { "f:fmod(lun.vector({0.3}, 'f32'))",
                "np.fmod(f, np.float32(0.3))" },
            { "(v / 4):rint()", "np.rint(v / 4)" }, { "(v / 4):modf()", "np.modf(v / 4)" }, { "f:modf()", "np.modf(f)" },
            { "v:frexp()", "np.frexp(v)" }, { "f:frexp()", "np.frexp(f)" }, { "(v * 1e-310):frexp()", "np.frexp(v * 1e-310)" },
            { "v:ldexp(1040)", "np.ldexp(v, 1040)" }, { "v:ldexp(lun.index(40):cast'i32' * 53 - 1060)",
                "np.ldexp(v, np.arange(1, 41) * 53 - 1060)" },
            { "f:ldexp(lun.index(40):cast'i32' * 7 - 160)", "np.ldexp(f, np.arange(1, 41) * 7 - 160)" },
            { "v:nextafter(0.5)", "np.nextafter(v, 0.5)" },
            { "f:nextafter(lun.vector({-2.5}, 'f32'))", "np.nextafter(f, np.float32(-2.5))" },
            { "(v * 1e-310):nextafter(1)", "np.nextafter(v * 1e-310, 1)" }, { "(v * 2.0^-1074):nextafter(0)",
                "np.nextafter(v * 2.0**-1074, 0)" },
            { "lun.where(v:gt(3), 1/0, v):nextafter(0)", "np.nextafter(np.where(v > 3, np.inf, v), 0)" },
            { "f:nextafter(f)", "np.nextafter(f, f)" },
            { "v:clip(lun.vector{2}, nil)", "np.clip(v, [2], None)" }, { "v:clip(nil, v - 1)", "np.clip(v, None, v - 1)" },
            { "v:logaddexp(1.5)", "np.logaddexp(v, 1.5)", 1e-15 }, { "v:logaddexp(v)", "np.logaddexp(v, v)", 1e-15 },
            { "v:heaviside(0.5)", "np.heaviside(v, 0.5)" }, { "v:deg2rad()", "np.deg2rad(v)", 2e-16 }, { "v:rad2deg()", "np.rad2deg(v)",
                2e-16 },
            { "(v / 8):sinc()", "np.sinc(v / 8)", 1e-14, 1 }, { "f:sinc()", "np.sinc(f)", 1e-6, 1 },
            { "v:expit()", "1 / (1 + np.exp(-v))", 1e-15 }, { "v:softplus()", "np.logaddexp(v, 0)", 1e-15 },
            { "lun.where(v:gt(3), 1/0, lun.where(v:lt(-9), 0/0, v)):nan_to_num()",
                "np.nan_to_num(np.where(v > 3, np.inf, np.where(v < -9, np.nan, v)))" },
            { "lun.where(f:gt(3), -1/0, f):nan_to_num()", "np.nan_to_num(np.where(f > 3, np.float32(-np.inf), f))" },
            { "lun.where(v:gt(3), 1/0, v):nan_to_num{posinf = 7, nan = 1}", "np.nan_to_num(np.where(v > 3, np.inf, v), posinf=7, nan=1)" },
            { "v:isclose(v * 1.000001, {rtol = 1e-7})", "np.isclose(v, v * 1.000001, rtol=1e-7)" },
            { "lun.where(v:gt(3), 1/0, 0/0):isclose(lun.where(v:gt(5), 1/0, 0/0), {equal_nan = true})",
                "np.isclose(np.where(v > 3, np.inf, np.nan), np.where(v > 5, np.inf, np.nan), equal_nan=True)" },
        })
    end))

    it("search", numpy.needed(pending, function()
        on(ALL, {
            { "A:ne(1):nonzero()[1] - 1", "np.nonzero(A != 1)[0]" }, { "T:argwhere() - 1", "np.argwhere(T)" },
            { "O:argwhere()", "np.argwhere(O)" }, { "A:extract(A:ne(1))", "np.extract(A != 1, A)" },
            { "A:unique_values()", "np.unique(A)" }, { "A:unique_counts()", "np.unique_counts(A)" },
            { "T:unique_inverse()", "(lambda u: (u[0], u[1] + 1))(np.unique_inverse(T))" },
            { "T:unique_all()", "(lambda u: (u[0], u[1] + 1, u[2] + 1, u[3]))(np.unique_all(T))" }, { "o:unique_all()",
                "np.unique_all(o)" },
            { "(A % 2):unique{axis = 1}", "np.unique(A % 2, axis=0, return_counts=True)" },
            { "(T % 2):unique{axis = 2}", "np.unique(T % 2, axis=1, return_counts=True)" },
            { "(T % 3):unique{axis = -1}", "np.unique(T % 3, axis=-1, return_counts=True)" },
            { "A:isin{1, 3, 7}", "np.isin(A, [1, 3, 7])" }, { "T:isin(v)", "np.isin(T, v)" }, { "v:isin(o)", "np.isin(v, o)" },
            { "A:intersect(v)", "np.intersect1d(A, v)" }, { "A:union(v)", "np.union1d(A, v)" }, { "A:setdiff(v)", "np.setdiff1d(A, v)" },
            { "A:setxor(v)", "np.setxor1d(A, v)" }, { "A:nunique()", "len(np.unique(A))" },
            { "A:mode()", "(lambda u, c: u[c.argmax()])(*np.unique(A, return_counts=True))" },
        })
        on(REAL, {
            { "A:digitize(lun.vector{2, 4, 5})", "np.digitize(A, np.array([2, 4, 5])) + 1" },
            { "v:digitize(lun.vector{2, 4, 5}, {right = true})", "np.digitize(v, np.array([2, 4, 5]), right=True) + 1" },
        })
        compare({ v = { "f64", { 40 }, 37, -3 }, A = { "f32", { 3, 5 }, 12 }, x = { "f64", { 6 }, 30 }, y = { "f64", { 6 }, 9 } }, {
            { "v:interp(x:sort(), y)", "np.interp(v, np.sort(x), y)", 1e-15 },
            { "A:cast'f64':interp(x:sort(), y, {left = -1, right = -2})", "np.interp(A, np.sort(x), y, left=-1, right=-2)", 1e-15 },
            { "v:interp(lun.vector{3}, lun.vector{5})", "np.interp(v, [3], [5])" },
            { "lun.where(v:gt(9), 0/0, v):unique_values()", "np.unique_values(np.where(v > 9, np.nan, v))" },
            { "lun.where(v:gt(9), 0/0, v):unique_counts()", "np.unique_counts(np.where(v > 9, np.nan, v))" },
            { "lun.where(A:gt(4), 0/0, A):unique_all()",
                "(lambda u: (u[0], u[1] + 1, u[2] + 1, u[3]))(np.unique_all(np.where(A > 4, np.float32(np.nan), A)))" },
        })
    end))

    it("do statistics", numpy.needed(pending, function()
        on({ "i8", "u16", "i32", "i64", "f32", "f64" }, {
            { "v:cov(v * 2 + 1)", "np.cov(v.astype('d'), v.astype('d') * 2 + 1)[0, 1]", 1e-6 }, { "v:cov(v, {ddof = 0})",
                "np.var(v.astype('d'))", 1e-6 },
            { "A:cov()", "np.cov(A.astype('d'))", 1e-6, 1 }, { "A:cov{rows = false, ddof = 0}",
                "np.cov(A.astype('d'), rowvar=False, ddof=0)", 1e-6, 1 },
            { "A:corrcoef()", "np.corrcoef(A.astype('d'))", 1e-6, 1 }, { "A:corrcoef{rows = false}",
                "np.corrcoef(A.astype('d'), rowvar=False)", 1e-6, 1 },
            { "v:corr(v:square())", "np.corrcoef(v.astype('d'), np.square(v).astype('d'))[0, 1]", 1e-6, 1 },
            { "v:percentile(30)", "np.percentile(v.astype('d'), 30)", 1e-6 }, { "A:percentile({10, 90}, {axis = 2})",
                "np.percentile(A.astype('d'), [10, 90], axis=1)", 1e-6 },
            { "v:zscore()", "(v - v.mean()) / v.std()", 2e-6, 1 },
            { "A:zscore{axis = 1, ddof = 1}", "(A - A.mean(axis=0)) / A.std(axis=0, ddof=1)", 2e-6, 1 },
            { "A:moment(2)", "A.var()", 1e-6 }, { "A:moment(3, {axis = 1})", "((A - A.mean(axis=0)) ** 3).mean(axis=0)", 1e-5, 10 },
            { "A:skew()", "((A - A.mean()) ** 3).mean() / A.astype('d').var() ** 1.5", 2e-6, 1 },
            { "A:kurtosis{axis = 2}", "((A - A.mean(axis=1, keepdims=True)) ** 4).mean(axis=1) / A.var(axis=1) ** 2 - 3", 2e-6, 1 },
            { "v:pct_change()", "np.concatenate([[np.nan], v[1:] / v[:-1] - 1.0])", 1e-6, 1 },
        })
        compare({ a = { "f64", { 90 }, 37, -3 }, b = { "f64", { 90 }, 23 } }, {
            { "a:histogram2d(b)", "np.histogram2d(a, b)", 1e-14 }, { "a:histogram2d(b, 3)", "np.histogram2d(a, b, 3)", 1e-14 },
            { "a:histogram2d(b, {4, lun.vector{1, 3, 20}})", "np.histogram2d(a, b, [4, [1, 3, 20]])", 1e-14 },
        })
    end))

    it("have polynomials and windows", numpy.needed(pending, function()
        on({ "i32", "i64", "f64" }, {
            { "v:polyval(A)", "np.polyval(v, A)" }, { "v:polyval(2)", "np.polyval(v, 2)" }, { "v:polyder()", "np.polyder(v)" },
            { "v:polyder(3)", "np.polyder(v, 3)" }, { "v:polyint(2)", "np.polyint(v, 2)", 1e-15 },
            { "v:polymul{1, 2, 3}", "np.polymul(v, [1, 2, 3])" }, { "v:polyadd{1, 2, 3}", "np.polyadd(v, [1, 2, 3])" },
            { "v:polydiv{1, 2, 3}", "np.polydiv(v, [1, 2, 3])", 1e-13 }, { "one:polydiv{1, 2}", "np.polydiv(one, [1, 2])" },
            { "v:poly()", "np.poly(v)", 1e-14 },
        })
        compare({ x = { "f64", { 30 }, 37, -9 }, y = { "f64", { 30 }, 23 } }, {
            { "x:polyfit(y, 1)", "np.polyfit(x, y, 1)", 1e-11 }, { "x:polyfit(y, 4)", "np.polyfit(x, y, 4)", 1e-8 },
            { "x:polyfit(y, 0)", "np.polyfit(x, y, 0)", 1e-14 }, { "(x / 3):i0()", "np.i0(x / 3)", 2e-15 },
            { "lun.hanning(12)", "np.hanning(12)", 1e-14, 0.1 }, { "lun.hamming(7)", "np.hamming(7)", 1e-14 },
            { "lun.blackman(9)", "np.blackman(9)", 1e-14, 0.1 }, { "lun.bartlett(8)", "np.bartlett(8)", 1e-15 },
            { "lun.kaiser(11, 8.6)", "np.kaiser(11, 8.6)", 1e-13 }, { "lun.kaiser(1, 3)", "np.kaiser(1, 3)" }, { "lun.hanning(0)",
                "np.hanning(0)" },
        })
    end))
end)
