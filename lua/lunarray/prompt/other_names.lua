-- Names of NumPy, Torch, pandas and others, and what to write here. An entry whose name the engine has itself is
-- ignored, and of several ways to write it the first one is used whose names all exist: so the table stays true while
-- the engine grows. The ways are code over arrays a, b, booleans m, a matrix M, a function f.

local core = require "lunarray.core"
local dataframes = require "lunarray.prompt.dataframe_names"
local scipy = require "lunarray.prompt.scipy_names"

local foreign = {}

local COLUMN = { "M:col(2)", "M:reshape(-1):sub(2, -1, 3)" }
local PICKED = { "a:take{3, 1}", "lun.vector{3, 1}:map(function(i) return a[i] end)" }
local KEPT = { "a:compress(m)" }

-- Names on the left, with blanks between those that mean the same; the ways on the right.
local WRITTEN = {
    -- the libraries and their types
    ["np numpy torch cupy jnp cp"] = { "lun" },
    ["pd pandas read_csv loadtxt genfromtxt"] = { 'lun.load "t.csv"' },
    ["DataFrame fromarrays"] = { "lun.table{x = a, y = b}" },
    ["plt pyplot matplotlib"] = { "lun.plot(a)" }, ["bar barh barplot"] = { 'lun.bars({"a", "b"}, {1, 2})' },
    boxplot = { "lun.box(a)" },
    ["float32 float single"] = { '"f32"' }, ["float64 double float_"] = { '"f64"' }, ["float16 half"] = { '"f16"' },
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
    variance = { "a:var(1)" },
    ["stdev stddev sd"] = { "a:std(1)" },
    ["inner vdot"] = { "a:dot(b)" },
    pearsonr = { "a:corr(b)" }, pct = { "b:pct_change()" },
    hann = { "lun.hanning(10)" }, median_filter = { "a:medfilt(3)" }, savgol_filter = { "lun.index(5):savgol(3, 2)" },
    gaussian_filter = { "b:gaussian(1)" },
    accumulate = { "a:cumsum()" }, ["fold foldl aggregate"] = { 'a:reduce("+", 0)' },
    ["matmul mm bmm mv multi_dot gemm"] = { "M:matmul(M:transpose())" },
    ["cdist pdist pairwise_distances"] = { "((M:expand_dims(2) - M:expand_dims(1)) ^ 2):sum(3):sqrt()" },
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
    set_printoptions = { "lun.precision(6), lun.width(80)" }, ["time perf_counter timeit"] = { "lun.clock()" },
    -- what is rare in NumPy
    ["asanyarray ascontiguousarray asarray_chkfinite asmatrix matrix fromiter require"] = { "lun.vector{1, 2, 3}" },
    atleast_1d = { "lun.vector{1}" }, atleast_3d = { "a:reshape(1, -1, 1)" }, ["array_equiv"] = { "a:equals(b)" },
    ["array2string array_repr array_str"] = { "tostring(a)" }, bitwise_invert = { "~a" },
    bitwise_left_shift = { "a << 1" },
    broadcast_shapes = { "lun.broadcast_arrays(a, b)" }, ["conjugate conj real"] = { "a" },
    ["apply_along_axis apply_over_axes frompyfunc"] = { "M:sum(2), M:map(f)" },
    ["around round_"] = { "b:rint(), b:round(2)" },
    ["nancumsum"] = { "b:fillnan(0):cumsum()" }, nancumprod = { "b:fillnan(1):cumprod()" },
    nanprod = { "b:prod{skipnan = true}" }, ["nanpercentile nanquantile"] = { "b:dropnan():quantile(0.5)" },
    ediff1d = { "a:diff()" }, diagflat = { "lun.diag(a)" }, ["diag_indices diag_indices_from"] = { "M:diagonal()" },
    ["fill_diagonal"] = { "lun.zeros(3, 3):diagonal():fill(1)" }, dsplit = { "M:split(3, {axis = 2})" },
    ["bmat"] = { "lun.hstack{lun.vstack{M, M}, lun.vstack{M, M}}" }, ["c_"] = { "lun.stack({a, b}, 2)" },
    ["s_ index_exp"] = { "M:sub({1, 2}, {2, 3})" }, ix_ = { "M:take{2, 1}:take({3, 1}, {axis = 2})" },
    r_ = { "a .. b" }, mgrid = { 'lun.meshgrid(a, b, {indexing = "ij"})' },
    ogrid = { "a:expand_dims(2), b:expand_dims(1)" },
    piecewise = { "lun.where(m, a, 0)" },
    choose = { "lun.where(m, a, b)" }, ["place putmask"] = { "a:set(lun.where(m, 0, a))" }, positive = { "a" },
    ["histogram_bin_edges"] = { "lun.histogram(a, 3)" }, ["logaddexp2"] = { "(lun.exp2(a) + lun.exp2(b)):log2()" },
    euler_gamma = { "0.57721566490153286" }, int_ = { '"i64"' }, ["intc"] = { '"i32"' },
    ["intp longlong"] = { '"i64"' },
    ["ubyte"] = { '"u8"' }, ushort = { '"u16"' }, ["uintc"] = { '"u32"' }, ["uint uintp ulong ulonglong"] = { '"u64"' },
    short = { '"i16"' }, ["isneginf"] = { "b:eq(-math.huge)" }, isposinf = { "b:eq(math.huge)" },
    ["isscalar isdtype issubdtype iterable isreal isrealobj"] = { "lun.isarray(a), a:dtype()" },
    ["common_type promote_types min_scalar_type"] = { "lun.result_type(a, b)" }, ["matvec vecmat"] = { "M:matmul(a)" },
    mask_indices = { "M:gt(2):nonzero()" }, ["tril_indices tril_indices_from"] = { "lun.tri(3):nonzero()" },
    ["triu_indices triu_indices_from"] = { "lun.tri(3):transpose():nonzero()" },
    unravel_index = { "(a - 1) // 3 + 1, (a - 1) % 3 + 1" }, ravel_multi_index = { "(a - 1) * 3 + b" },
    ["ndindex ndenumerate flatiter nditer nested_iters"] = { "M:flatten(), M:iter()" },
    ["polynomial Polynomial"] = { "lun.polyval({1, 2}, a)" }, ["poly1d"] = { "lun.polyval({1, 2}, a)" },
    polysub = { "lun.polyadd(a, -a)" }, ["datetime64"] = { 'lun.vector({"2024-01-05"}, "date")' },
    timedelta64 = { 'lun.duration("3d")' }, datetime_as_string = { 'd:format "%d.%m.%Y"' },
    ["get_printoptions printoptions format_float_positional format_float_scientific"] =
        { "lun.precision(6), b:format \"%.3f\"" },
    ["savez savez_compressed"] = { 'lun.save("t.npz", {a = a, b = b})' },
    ["complex64 csingle"] = { '"c64"' }, ["complex128 cdouble complexfloating"] = { '"c128"' },
    iscomplexobj = { "lun.iscomplex(a)" }, real_if_close = { "lun.real(a)" }, conjugate = { "lun.conj(a)" },
    ["shares_memory may_share_memory"] = { "a:aliases(a)" }, ["show_config show_runtime"] = { "lun.info()" },
    ["version __version__"] = { "lun._VERSION" }, ["sizeof getsizeof"] = { "a:nbytes()" },
    msort = { "M:sort{axis = 1}" },
    ["setflags writeable"] = { "a:readonly()" }, today = { 'lun.vector({os.date "%Y-%m-%d"}, "date")' },
    now = { 'lun.vector({os.date "%Y-%m-%d %H:%M:%S"}, "timestamp")' },
    spacing = { "b:nextafter(lun.inf) - b" }, ["isfortran"] = { "M:layout()" },
    ["from_dlpack fromstring"] = { "lun.frombytes(a:tobytes(), a:dtype())" },
    binary_repr = { 'lun.vector({10}, "u8"):unpackbits()' }, base_repr = { '("%x"):format(10)' },
    unwrap = { "b:diff(), b:cumsum()" }, strings = { "s:upper()" },
    rec = { 'lun.struct("P", {{"x", "f32"}, {"k", "i32"}})' },
    ["compute synchronize realize"] = { "a:eval()" }, ["jit compile"] = { "lun.prepare(a + b)" },
    ["backward autograd"] = { "lun.grad(function(x) return x:sum() end)" },
    pivot = { 't:pivot{index = "day", columns = "city", values = "temp"}' },
}

-- Values of other languages.
local CONSTANTS = {
    True = "true", TRUE = "true", True_ = "true", False = "false", FALSE = "false", False_ = "false",
    None = "nil", NULL = "nil", null = "nil", undefined = "nil", NA = "lun.na",
    NaN = "lun.nan", nan = "lun.nan", inf = "lun.inf", Inf = "lun.inf",
}

-- Advice for names without a way above.
local INSTEAD = {
    linalg = "A:solve(B), A:inv(), A:det(), A:qr(), A:svd(), A:eigh(), A:eig(), "
        .. "A:lstsq(B), A:matmul(B), a:norm(), lun.einsum",
    ["fft2 rfft2"] = "A:fftn(), A:rfftn()",
    ["ifft2 irfft2"] = "A:ifftn(), A:irfftn()",
    ["conv1d conv2d"] = "a:convolve(b); lun.stencil(f), a function of the elements around each one",
    pop = "a:resize(#a - 1), which leaves out the last element",
    ["backward autograd"] = "lun.grad(f), a function that gives derivatives and the value of f",
}

-- Names for which there is nothing, and why.
local NONE = {
    sort_complex = "complex numbers have no order: take a:abs(), a:real() or a:imag()",
    ["float128 longdouble clongfloat complex256 clongdouble"] =
        "f64 and c128 are the widest",
    ["busday_count busday_offset busdaycalendar is_busday datetime_data"] =
        "there are no business days",
    ["ma char character bytes_ str_ object_ void generic flexible floating inexact integer number"
        .. " signedinteger unsignedinteger ufunc typecodes sctypeDict ScalarType typename typing dtypes"
        .. " mintypecode"] =
        "dtypes are words: lun.help \"cast\"",
    ["core ctypeslib emath exceptions f2py lib test testing get_include getbufsize setbufsize geterr"
        .. " seterr geterrcall seterrcall errstate little_endian einsum_path histogramdd fromregex"] =
        "nothing here takes its place",
}

-- What the tables have by each of their names; where several have one, the first.
local function by_name(...)
    local names = {}
    for _, t in ipairs { ... } do
        local own = {}
        for list, value in pairs(t) do
            for name in list:gmatch "%S+" do
                own[name] = names[name] or value
            end
        end
        for name, value in pairs(own) do
            names[name] = value
        end
    end
    return names
end

foreign.written, foreign.instead, foreign.none = by_name(WRITTEN, dataframes.written, scipy.written),
    by_name(INSTEAD), by_name(NONE, dataframes.none, scipy.none)

-- Functions of NumPy that have methods: our operator or operation, and the running one.
local UFUNCS = {
    add = { "+", "cumsum" }, multiply = { "*", "cumprod" }, maximum = { "max", "cummax" },
    minimum = { "min", "cummin" }, subtract = { "-" }, divide = { "/" }, power = { "^" },
}

-- The code for such a method, as "add.at", and for one of emath, whose results may be complex; nil for others.
local function of_ufunc(path)
    local name, method = path:match "([%a]+)%.(%a+)$"
    local known = UFUNCS[name]
    if name == "emath" and (method == "sqrt" or method:find "^log%d*$") then
        return ("(b + 0 * lun.i):%s()"):format(method)
    elseif not known then
        return nil
    elseif method == "outer" then
        return (known[1]:find "%a" and "a:expand_dims(2):%s(b)" or "a:expand_dims(2) %s b"):format(known[1])
    elseif method == "at" then
        return ('b:put({1, 1}, 2, {combine = "%s"})'):format(known[1])
    elseif method == "accumulate" and known[2] then
        return ("a:%s()"):format(known[2])
    elseif known[2] and (method == "reduce" or method == "reduceat") then
        return (method == "reduce" and 'a:reduce "%s"' or 'a:reduceat({1, 2}, "%s")'):format(known[1])
    end
end

-- What stands here for a path of several names whose last one alone says too little; nil for others.
function foreign.path(path)
    local code = of_ufunc(path)
    return code and ("'%s' is %s here"):format(path:match "%a+%.%a+$", code)
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

foreign.of_tables = dataframes.of_tables

-- The hint for someone who asked a table for a method `name`, nil: none.
function foreign.table_hint(name)
    local code = foreign.of_tables[name]
    return code and ("'%s' is %s here"):format(name, code) or foreign.hint(name)
end

-- Where a name of ours is that was used elsewhere: "lun.zeros", "a:reshape"; nil for others.
function foreign.here(name)
    if (require "lunarray")[name] ~= nil then
        return "lun." .. name
    end
    return core.internal.methods[name] ~= nil and "a:" .. name or nil
end

return foreign
