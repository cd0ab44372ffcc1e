-- Names of NumPy, Torch, pandas and others, and what to write here. An entry whose name the engine has itself is
-- ignored, and of several ways to write it the first one is used whose names all exist: so the table stays true while
-- the engine grows. The ways are code over arrays a, b, booleans m, a matrix M, a function f.

local core = require "lunarray.core"
local of_tables = require "lunarray.prompt.table_names"

local foreign = {}

local COLUMN = { "M:col(2)", "M:reshape(-1):sub(2, -1, 3)" }
local PICKED = { "a:take{3, 1}", "lun.vector{3, 1}:map(function(i) return a[i] end)" }
local KEPT = { "a:compress(m)" }

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
    arange = { "lun.index(10), lun.range(0, 9)" }, iota = { "lun.index(10)" }, empty = { "lun.zeros(10)" },
    empty_like = { "a:zeros_like()" },
    identity = { "lun.eye(3)" },
    ["rand uniform random_sample"] = { "lun.random(10)" }, ["randn normal"] = { 'lun.random(10, {dist = "normal"})' },
    ["randint integers"] = { 'lun.random(10, {dist = "integers", low = 1, high = 6})' },
    ["poisson"] = { 'lun.random(10, {dist = "poisson", rate = 2})' },
    ["exponential standard_exponential"] = { 'lun.random(10, {dist = "exponential"})' },
    ["standard_gamma"] = { 'lun.random(10, {dist = "gamma", shape = 2})' },
    ["binomial"] = { 'lun.random(10, {dist = "binomial", n = 5, p = 0.5})' }, randperm = { "lun.permutation(10)" },
    ["seed manual_seed default_rng"] = { "lun.random(10, {seed = 1})" },
    frombuffer = { "lun.frombytes(a:tobytes(), a:dtype())" }, fromfunction = { "lun.generate({2, 3}, f)" },
    -- kind and shape
    ["astype asType to type"] = { 'a:cast "f32"' }, ["ndim dim"] = { 'select("#", a:shape())' },
    ["numel nelem"] = { "a:size()" }, ["len length"] = { "#a" },
    device = { "a:backend()" }, ["cuda gpu"] = { 'lun.use "opencl"' }, ["cpu detach"] = { "a:copy()" },
    asfortranarray = { 'M:copy{layout = "left"}' }, ["clone deepcopy contiguous"] = { "a:copy()" },
    ["flatten ravel"] = { "M:reshape(-1)" },
    ["view resize"] = { "M:reshape(3, 2)" }, ["unsqueeze newaxis atleast_2d"] = { "a:expand_dims(1)" },
    ["T t permute permute_dims"] = { "M:transpose()" }, mT = { "M:matrix_transpose()" },
    rollaxis = { "M:moveaxis(2, 1)" },
    expand = { "a:broadcast_to{2, 3}" },
    -- parts
    item = { "a[1]" }, ["row iloc loc"] = { "M[2]" }, ["col column"] = COLUMN,
    ["head slice narrow"] = { "a:sub(1, 2)" }, tail = { "a:sub(-2)" },
    ["reverse reversed flipud"] = { "a:flip(1)" }, fliplr = { "M:flip(2)" }, ["gather index_select"] = PICKED,
    ["masked_select query"] = KEPT, flatnonzero = { "m:indices()" },
    ["chunk array_split hsplit vsplit"] = { "b:split(3)" },
    trace = { "M:diagonal():sum()" }, sliding_window_view = { "a:windows(2)" },
    -- joining
    ["concatenate cat append extend push"] = { "a .. b" },
    row_stack = { "lun.vstack{a, b}" }, column_stack = { "lun.stack({a, b}, 2)" },
    ["repeat_interleave repeat"] = { "a:repeat_(2)" },
    ["drop remove"] = { "a:delete(2)" },
    -- arithmetic
    add_ = { "a:set(a + b)" }, subtract = { "a - b" }, multiply = { "a * b" }, ["divide true_divide"] = { "a / b" },
    floor_divide = { "a // b" }, remainder = { "a % b" }, divmod = { "a // b, a % b" },
    float_power = { "a ^ 2" }, power = { "a ^ 2, a:ipow(2)" }, rsqrt = { "1 / a:sqrt()" },
    negative = { "-a" }, ["absolute fabs"] = { "a:abs()" }, fix = { "a:trunc()" },
    sgn = { "a:sign()" }, clamp_ = { "a:clamp(0, 2)" }, ln = { "a:log()" }, arcsin = { "b:asin()" },
    arccos = { "b:acos()" }, arctan = { "b:atan()" }, arctan2 = { "lun.atan2(a, b)" }, arcsinh = { "b:asinh()" },
    arccosh = { "b:acosh()" }, arctanh = { "b:atanh()" }, degrees = { "a:rad2deg()" },
    radians = { "a:deg2rad()" }, sigmoid = { "a:expit()" }, bitwise_count = { "a:popcount()" },
    relu = { "lun.max(a, 0)" }, softmax = { "lun.exp(b - b:max()) / lun.exp(b - b:max()):sum()" },
    bitwise_and = { "a & 1" }, bitwise_or = { "a | 1" },
    bitwise_xor = { "a ~ 1" }, ["bitwise_not invert"] = { "~a" }, left_shift = { "a << 1" },
    ["right_shift bitwise_right_shift"] = { "a:sar(1)" },
    -- comparing
    equal = { "a:eq(b)" }, not_equal = { "a:ne(b)" }, greater = { "a:gt(b)" }, greater_equal = { "a:ge(b)" },
    less = { "a:lt(b)" }, less_equal = { "a:le(b)" }, logical_and = { "m:land(m)" }, logical_or = { "m:lor(m)" },
    logical_not = { "m:lnot()" }, ["logical_xor xor"] = { "m:lxor(m)" }, array_equal = { "a:equals(b)" },
    isnull = { "b:isna()" }, notnull = { "b:notna()" },
    -- reductions and scans
    amax = { "a:max()" }, amin = { "a:min()" }, product = { "a:prod()" }, nanvar = { "b:var{skipnan=true}" },
    total = { "a:sum()" }, avg = { "a:mean()" },
    variance = { "a:var()" },
    ["stdev stddev sd"] = { "a:std()" },
    ["inner vdot"] = { "a:dot(b)" },
    pearsonr = { "a:corr(b)" }, pct = { "b:pct_change()" },
    hann = { "lun.hanning(10)" }, median_filter = { "a:medfilt(3)" }, savgol_filter = { "lun.index(5):savgol(3, 2)" },
    gaussian_filter = { "b:gaussian(1)" },
    accumulate = { "a:cumsum()" }, ["fold foldl aggregate"] = { 'a:reduce("+", 0)' },
    ["matmul mm bmm mv multi_dot gemm"] = { "M:matmul(M:transpose())" },
    ["cdist pdist pairwise_distances"] = { 'lun.allpairs(function(x, y) return math.abs(x - y) end, "+")(M, M)' },
    -- order and groups
    ["sorted sort_values"] = { "a:sort()" },
    intersect1d = { "a:intersect(b)" }, union1d = { "a:union(b)" }, setdiff1d = { "a:setdiff(b)" },
    setxor1d = { "a:setxor(b)" }, in1d = { "a:isin(b)" }, rankdata = { "a:rank()" }, bucketize = { "a:digitize(b)" },
    groupby = { "lun.group(a)" },
    merge = { "lun.join(a, a)" },
    -- functions, files, running
    ["apply applymap vectorize forEach foreach"] = { "a:map(f)" }, ["tolist to_list"] = { "a:totable()" },
    ["imread"] = { 'lun.load "picture.png"' }, ["imsave imwrite"] = { 'lun.save("picture.png", M)' },
    imshow = { "lun.image(M)" }, memmap = { 'lun.open "a.npy"' }, fromfile = { 'lun.load("a.raw", {dtype = "f32"})' },
    tofile = { 'lun.save("a.raw", a)' }, ["savetxt to_csv"] = { 'lun.save("t.csv", {a = a, b = b})' },
    set_printoptions = { "lun.precision(6), lun.width(80)" }, ["time perf_counter"] = { "lun.clock()" },
    ["compute synchronize realize"] = { "a:eval()" }, ["jit compile"] = { "lun.prepare(a + b)" },
}

-- Values of other languages.
local CONSTANTS = {
    True = "true", TRUE = "true", True_ = "true", False = "false", FALSE = "false", False_ = "false",
    None = "nil", NULL = "nil", null = "nil", undefined = "nil", NA = "lun.na",
    NaN = "lun.nan", nan = "lun.nan", inf = "lun.inf", Inf = "lun.inf",
}

-- Advice for names without a way above.
local INSTEAD = {
    pivot = "lun.group(k1, k2), an element for each pair of keys",
    linalg = "A:solve(B), A:inv(), A:det(), A:qr(), A:svd(), A:eigh(), A:lstsq(B), A:matmul(B), a:norm(), lun.einsum",
    ["fft ifft rfft eig"] = "",
    ["convolve correlate conv1d conv2d"] = "lun.stencil(f), a function of the elements around each one",
    pop = "arrays keep their length; a .. b makes a longer one",
    ["backward autograd"] = "lun.grad(f), a function that gives derivatives and the value of f",
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

foreign.written, foreign.instead, foreign.none = by_name(WRITTEN), by_name(INSTEAD), by_name(of_tables.none)
for name, ways in pairs(by_name(of_tables.written)) do
    foreign.written[name] = foreign.written[name] or ways
end

-- Whether the engine has that name itself, as a function of the module or a method of arrays.
local function is_ours(name)
    return (require "lunarray")[name] ~= nil or core.internal.methods[name] ~= nil
end

-- Where methods are of what the letters of the code are: t and u tables, g groups, s texts, d dates, else an array.
local function methods_of(letter)
    if letter == "t" or letter == "u" then
        return require("lunarray.table.object").verbs
    elseif letter == "g" then
        return require("lunarray.table.group").methods
    end
    return letter == "s" and core.internal.text_methods or letter == "d" and core.internal.time_methods or {}
end

-- Whether all names that stand in the code exist.
local function exists(code)
    for letter, name in code:gmatch "(%w*):([%a_][%w_]*)" do
        local chained = letter == "" and (methods_of "t"[name] or methods_of "g"[name] or methods_of "s"[name])
        if not chained and methods_of(letter)[name] == nil and core.internal.methods[name] == nil then
            return false
        end
    end
    for name in code:gmatch "lun%.([%a_][%w_]*)" do
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

-- How a value of other languages is written, nil for other names.
function foreign.constant(name)
    return CONSTANTS[name] and ("'%s' is %s here"):format(name, CONSTANTS[name])
end

-- The hint for someone who looked for `name`, nil: none.
function foreign.hint(name)
    local code = foreign.code(name)
    if code then
        return ("'%s' is %s here"):format(name, code)
    elseif foreign.instead[name] and not is_ours(name) then
        local instead = foreign.instead[name]
        return ("there is no '%s' yet"):format(name) .. (instead ~= "" and "; instead: " .. instead or "")
    elseif foreign.none[name] and not is_ours(name) then
        return ("there is no '%s' here: %s"):format(name, foreign.none[name])
    end
    return foreign.constant(name)
end

-- Where a name of ours is that was used elsewhere: "lun.zeros", "a:reshape"; nil for others.
function foreign.here(name)
    if (require "lunarray")[name] ~= nil then
        return "lun." .. name
    end
    return core.internal.methods[name] ~= nil and "a:" .. name or nil
end

return foreign
