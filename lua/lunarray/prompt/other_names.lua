-- Names of NumPy, Torch, pandas and others, and what to write here. An entry whose name the engine has itself is
-- ignored, and of several ways to write it the first one is used whose names all exist: so the table stays true while
-- the engine grows. The ways are code over arrays a, b, booleans m, a matrix M, a function f.

local core = require "lunarray.core"

local foreign = {}

local ROTATED = { 'a:shift(1, {edge = "wrap"})', "a:sub(-1) .. a:sub(1, -2)" }
local COLUMN = { "M:col(2)", "M:reshape(-1):sub(2, -1, 3)" }
local PICKED = { "a:take{3, 1}", "lun.vector{3, 1}:map(function(i) return a[i] end)" }
local LIKE = { "lun.zeros({a:shape()}, a:dtype())" }
local KEPT = { "a:compress(m)" }
local EYE = { "lun.index(9):map(function(i) return (i - 1) % 4 == 0 and 1.0 or 0.0 end):reshape(3, 3)" }

-- Names on the left, with blanks between those that mean the same; the ways on the right.
local WRITTEN = {
    -- the libraries and their types
    ["np numpy torch cupy jnp cp"] = { "lun" },
    ["pd pandas read_csv loadtxt genfromtxt"] = { 'lun.load "t.csv"' },
    DataFrame = { "lun.table{x = a, y = b}" },
    ["plt pyplot matplotlib"] = { "lun.plot(a)" },
    ["float32 float float_ single"] = { '"f32"' }, ["float64 double"] = { '"f64"' }, ["float16 half"] = { '"f16"' },
    bfloat16 = { '"bf16"' }, int8 = { '"i8"' }, int16 = { '"i16"' }, ["int32 int"] = { '"i32"' },
    ["int64 long"] = { '"i64"' }, ["uint8 byte"] = { '"u8"' }, uint16 = { '"u16"' }, uint32 = { '"u32"' },
    uint64 = { '"u64"' }, ["bool_ bool"] = { '"bool"' },
    -- making
    ["array asarray tensor as_tensor ndarray Series new from_list"] = { "lun.vector{1, 2, 3}" },
    ["recarray record_array"] = { 'lun.zeros(3, lun.struct("P", {{"x", "f32"}, {"k", "i32"}}))' },
    arange = { "lun.index(10), lun.range(0, 9)" }, iota = { "lun.index(10)" }, ["empty zeros_like empty_like"] = LIKE,
    ones_like = { "lun.ones({a:shape()}, a:dtype())" }, full_like = { "lun.full({a:shape()}, 7, a:dtype())" },
    logspace = { "10.0 ^ lun.linspace(0, 3, 4)" }, ["eye identity"] = EYE,
    ["rand uniform random_sample"] = { "lun.random(10)" }, ["randn normal"] = { 'lun.random(10, {dist = "normal"})' },
    ["randint integers"] = { "(lun.random(10) * 6):floor() + 1" },
    ["seed manual_seed default_rng"] = { "lun.random(10, {seed = 1})" },
    frombuffer = { "lun.frombytes(a:tobytes(), a:dtype())" }, fromfunction = { "lun.generate({2, 3}, f)" },
    -- kind and shape
    ["astype asType to type"] = { 'a:cast "f32"' }, ["ndim dim rank"] = { 'select("#", a:shape())' },
    ["numel nelem"] = { "a:size()" }, ["len length"] = { "#a" }, nbytes = { "#a:tobytes()" },
    device = { "a:backend()" }, ["cuda gpu"] = { 'lun.use "opencl"' }, ["cpu detach"] = { "a:copy()" },
    asfortranarray = { 'M:copy{layout = "left"}' }, ["clone deepcopy contiguous"] = { "a:copy()" },
    ["flatten ravel"] = { "M:reshape(-1)" },
    ["view resize"] = { "M:reshape(3, 2)" }, ["unsqueeze expand_dims newaxis"] = { "a:reshape(1, -1)" },
    squeeze = { "M:reshape(-1)" }, ["T t permute swapaxes moveaxis transpose"] = { "M:transpose()" },
    ["expand broadcast_to"] = { "a:broadcast{2, 3}" },
    -- parts
    item = { "a[1]" }, ["row iloc loc"] = { "M[2]" }, ["col column"] = COLUMN,
    ["head slice narrow"] = { "a:sub(1, 2)" }, tail = { "a:sub(-2)" },
    ["flip reverse reversed flipud"] = { "a:sub(-1, 1, -1)" }, ["roll shift"] = ROTATED,
    diff = { "a:sub(2) - a:sub(1, -2)" }, ["take gather index_select"] = PICKED,
    ["filter compress masked_select query"] = KEPT, ["nonzero argwhere flatnonzero"] = { "m:indices()" },
    ["split chunk array_split"] = { "a:sub(1, 2), a:sub(3)" }, ["diag diagonal"] = { "M:diagonal()" },
    trace = { "M:diagonal():sum()" }, sliding_window_view = { "a:windows(2)" }, rolling = { "a:windows(2):mean(2)" },
    -- joining
    ["concatenate concat cat append hstack extend push insert"] = { "a .. b" },
    ["vstack stack row_stack"] = { "lun.vector{a, b}" }, column_stack = { "lun.stack({a, b}, 2)" },
    ["tile repeat_interleave"] = { "a .. a" },
    ["delete drop remove"] = { "a:sub(1, 1) .. a:sub(3)" },
    -- arithmetic
    add_ = { "a:set(a + b)" }, subtract = { "a - b" }, multiply = { "a * b" }, ["divide true_divide"] = { "a / b" },
    floor_divide = { "a // b" }, ["remainder fmod"] = { "a % b" }, divmod = { "a // b, a % b" },
    ["power float_power"] = { "a ^ 2" }, square = { "a * a" }, reciprocal = { "1 / a" }, rsqrt = { "1 / a:sqrt()" },
    negative = { "-a" }, ["absolute fabs"] = { "a:abs()" }, rint = { "a:round()" }, fix = { "a:trunc()" },
    sgn = { "a:sign()" }, ["clip clamp_"] = { "a:clamp(0, 2)" }, ln = { "a:log()" },
    maximum = { "lun.max(a, b)" }, minimum = { "lun.min(a, b)" }, arcsin = { "b:asin()" },
    arccos = { "b:acos()" }, arctan = { "b:atan()" }, arctan2 = { "lun.atan2(a, b)" }, arcsinh = { "b:asinh()" },
    arccosh = { "b:acosh()" }, arctanh = { "b:atanh()" }, ["degrees rad2deg"] = { "a * (180 / math.pi)" },
    ["radians deg2rad"] = { "a * (math.pi / 180)" }, sigmoid = { "1 / (1 + lun.exp(-a))" },
    relu = { "lun.max(a, 0)" }, softmax = { "lun.exp(b - b:max()) / lun.exp(b - b:max()):sum()" },
    heaviside = { "lun.where(a:lt(0), 0, 1)" }, bitwise_and = { "a & 1" }, bitwise_or = { "a | 1" },
    bitwise_xor = { "a ~ 1" }, ["bitwise_not invert"] = { "~a" }, left_shift = { "a << 1" }, right_shift = { "a >> 1" },
    -- comparing
    equal = { "a:eq(b)" }, not_equal = { "a:ne(b)" }, greater = { "a:gt(b)" }, greater_equal = { "a:ge(b)" },
    less = { "a:lt(b)" }, less_equal = { "a:le(b)" }, logical_and = { "m:land(m)" }, logical_or = { "m:lor(m)" },
    logical_not = { "m:lnot()" }, ["logical_xor xor"] = { "m:ne(m)" }, isclose = { "(a - b):abs():le(1e-8)" },
    allclose = { "(a - b):abs():le(1e-8 + 1e-5 * b:abs()):all()" }, ["array_equal equals"] = { "a:eq(b):all()" },
    ["isna isnull"] = { "b:isnan()" }, ["notna notnull"] = { "b:isnan():lnot()" },
    ["fillna nan_to_num"] = { "b:fillnan(0)" }, ["dropna dropnan"] = { "b:dropnan()" },
    -- reductions and scans
    amax = { "a:max()" }, amin = { "a:min()" },
    nanmax = { "b:max{skipnan=true}" }, nanmin = { "b:min{skipnan=true}" }, nansum = { "b:sum{skipnan=true}" },
    nanmean = { "b:mean{skipnan=true}" }, product = { "a:prod()" },
    total = { "a:sum()" }, avg = { "a:mean()" }, average = { "b:dot(a) / a:sum()" },
    variance = { "a:var()" },
    ["stdev stddev sd"] = { "a:std()" }, ptp = { "a:max() - a:min()" }, count_nonzero = { "a:ne(0):count()" },
    ["inner vdot"] = { "a:dot(b)" }, linalg = { "a:norm()" },
    describe = { "a:mean(), a:std(), a:min(), a:max()" },
    cov = { "((a - a:mean()) * (b - b:mean())):mean()" },
    ["corr corrcoef"] = { "((a - a:mean()) * (b - b:mean())):mean() / (a:std() * b:std())" },
    ["trapz trapezoid"] = { "((b:sub(2) + b:sub(1, -2)) / 2):sum()" },
    ["cumsum accumulate"] = { 'a:scan("+", 0, {inclusive = true})' },
    cumprod = { 'a:scan("*", 1, {inclusive = true})' }, cummax = { 'a:scan("max", a[1], {inclusive = true})' },
    cummin = { 'a:scan("min", a[1], {inclusive = true})' }, ["fold foldl aggregate"] = { 'a:reduce("+", 0)' },
    ["matmul mm bmm mv multi_dot gemm"] = { "M:matmul(M:transpose())" },
    ["cdist pdist pairwise_distances"] = { 'lun.allpairs(function(x, y) return math.abs(x - y) end, "+")(M, M)' },
    outer = { "a:reshape(-1, 1) * b" },
    -- order and groups
    ["sort sorted sort_values"] = { "a:sort()" }, argsort = { "a:argsort()" },
    ["unique value_counts"] = { "a:unique()" },
    median = { "a:median()" }, ["quantile percentile"] = { "a:quantile(0.9)" }, topk = { "a:topk(2)" },
    ["histogram bincount"] = { "a:histogram()" }, groupby = { "lun.group(a)" }, ["merge join"] = { "lun.join(a, a)" },
    -- functions, files, running
    ["apply applymap vectorize forEach foreach"] = { "a:map(f)" }, ["tolist to_list"] = { "a:totable()" },
    ["imread"] = { 'lun.load "picture.png"' }, ["imsave imwrite"] = { 'lun.save("picture.png", M)' },
    imshow = { "lun.image(M)" }, memmap = { 'lun.open "a.npy"' }, fromfile = { 'lun.load("a.raw", {dtype = "f32"})' },
    tofile = { 'lun.save("a.raw", a)' }, ["savetxt to_csv"] = { 'lun.save("t.csv", {a = a, b = b})' },
    set_printoptions = { "lun.precision(6), lun.width(80)" }, ["time perf_counter"] = { "lun.clock()" },
    ["compute synchronize realize"] = { "a:eval()" }, ["jit compile"] = { "lun.prepare(a + b)" },
}

-- Advice for names without a way above.
local INSTEAD = {
    ["T t permute swapaxes moveaxis transpose"] = "M:reshape(-1):sub(j, -1, n) is column j of n columns",
    einsum = "A:matmul(B), and sums along axes",
    ["expand broadcast_to broadcast"] = "M[i] - a for each row",
    ["diag diagonal trace"] = "M:reshape(-1):sub(1, -1, n + 1) is the diagonal of n columns",
    pivot = "lun.group(k1, k2), an element for each pair of keys",
    ["fft ifft rfft inv solve det svd eig"] = "",
    ["convolve correlate conv1d conv2d"] = "lun.stencil(f), a function of the elements around each one",
    pop = "arrays keep their length; a .. b makes a longer one",
    ["backward grad autograd"] = "derivatives are written by hand",
}

local function by_name(t)
    local names = {}
    for list, value in pairs(t) do
        for name in list:gmatch "%S+" do
            names[name] = value
        end
    end
    return names
end

foreign.written, foreign.instead = by_name(WRITTEN), by_name(INSTEAD)

-- Whether the engine has that name itself, as a function of the module or a method of arrays.
local function is_ours(name)
    return (require "lunarray")[name] ~= nil or core.internal.methods[name] ~= nil
end

-- Whether all names that stand in the code exist.
local function exists(code)
    for name in code:gmatch ":([%a_]+)" do
        if core.internal.methods[name] == nil then
            return false
        end
    end
    for name in code:gmatch "lun%.([%a_]+)" do
        if (require "lunarray")[name] == nil then
            return false
        end
    end
    return true
end

-- The code for what others call `name`; nil if the engine has that name, or there is none.
function foreign.code(name)
    for _, code in ipairs(not is_ours(name) and foreign.written[name] or {}) do
        if exists(code) then
            return code
        end
    end
end

-- The hint for someone who looked for `name`, nil: none.
function foreign.hint(name)
    local code = foreign.code(name)
    if code then
        return ("'%s' is %s here"):format(name, code)
    elseif foreign.instead[name] and not is_ours(name) then
        local instead = foreign.instead[name]
        return ("there is no '%s' yet"):format(name) .. (instead ~= "" and "; instead: " .. instead or "")
    end
end

-- Where a name of ours is that was used elsewhere: "lun.zeros", "a:reshape"; nil for others.
function foreign.here(name)
    if (require "lunarray")[name] ~= nil then
        return "lun." .. name
    end
    return core.internal.methods[name] ~= nil and "a:" .. name or nil
end

return foreign
