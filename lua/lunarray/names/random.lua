-- Random numbers of other distributions than "uniform" and "normal" without parameters, which the engine draws itself;
-- permutations and choices.

local call = require "lunarray.names.call"
local core = require "lunarray.core"
local draws = require "lunarray.names.draws"
local dtypes = require "lunarray.base.dtypes"
local records = require "lunarray.base.records"
local as_text = require("lunarray.base.number").format

local rows, row = call.rows "Random numbers"
local bad, size_of, whole = call.bad, call.size, call.whole

-- ---------------------------------------------------------------- elements

-- The low and the high half of a seed.
local function halves(seed)
    return seed & 0xffffffff, seed >> 32
end

-- f(i, parameters ..., key, lock) of each element of `shape`; parameters are numbers and arrays, which broadcast.
local function drawn(f, shape, seed, ...)
    local parameters, any = { ... }, false
    for _, p in ipairs(parameters) do
        any = any or core.isarray(p)
    end
    local i = core.index(size_of(shape)):reshape(shape)
    local n = #parameters
    for k, p in ipairs(parameters) do
        parameters[k] = any and not core.isarray(p) and core.full(1, p) or p
    end
    parameters[n + 1], parameters[n + 2] = halves(seed)
    return core.map(f, { elements = any and n + 1 or 1 })(i, table.unpack(parameters))
end

local function uniform(shape, seed)
    return core.random(shape, { seed = seed })
end

local INTEGER = { signed = true, unsigned = true }

local function is_integer(dtype)
    return INTEGER[dtypes.by_name[dtype].kind]
end

local function normal(shape, seed)
    return core.random(shape, { seed = seed, dist = "normal" })
end

-- ---------------------------------------------------------------- distributions

-- By name: the dtype of elements; parameters, each with its default and a test of arrays, or nil; make(shape, seed,
-- parameters ..., dtype).
local DISTS, NAMES = {}, {}

local function positive(a) return core.gt(a, 0) end
local function not_negative(a) return core.ge(a, 0) end
local function probability(a) return core.land(core.ge(a, 0), core.le(a, 1)) end
local function share(a) return core.land(core.gt(a, 0), core.le(a, 1)) end

local MUST = {
    [positive] = "greater than 0 expected",
    [not_negative] = "0 or greater expected",
    [probability] = "from 0 to 1 expected",
    [share] = "greater than 0, at most 1 expected",
}

local function dist(name, dtype, parameters, make)
    DISTS[name] = { dtype = dtype, parameters = parameters, make = make }
    NAMES[#NAMES + 1] = name
end

dist("uniform", "f64", { { "low", 0 }, { "high", 1 } }, function(shape, seed, low, high, dtype)
    return core.random(shape, { seed = seed, dtype = dtype }) * (high - low) + low
end)
dist("normal", "f64", { { "mean", 0 }, { "std", 1, not_negative } }, function(shape, seed, mean, std, dtype)
    return core.random(shape, { seed = seed, dist = "normal", dtype = dtype }) * std + mean
end)
dist("integers", "i64", { { "low" }, { "high" } }, function(shape, seed, low, high)
    local limit
    if core.isarray(low) or core.isarray(high) then
        limit = core.map(draws.surplus)(core.add(core.sub(high, low), 1))
    else
        limit = draws.surplus(high - low + 1)
    end
    return drawn(draws.integer, shape, seed, low, high, limit)
end)
dist("bernoulli", "bool", { { "p", 0.5, probability } }, function(shape, seed, p)
    return uniform(shape, seed):lt(p)
end)
dist("exponential", "f64", { { "scale", 1, not_negative } }, function(shape, seed, scale)
    return (1 - uniform(shape, seed)):log() * -scale
end)
dist("geometric", "i64", { { "p", nil, share } }, function(shape, seed, p)
    return ((-uniform(shape, seed)):log1p() / core.log1p(-p)):floor() + 1
end)
dist("gamma", "f64", { { "shape", nil, positive }, { "scale", 1, not_negative } }, function(shape, seed, a, scale)
    return drawn(draws.gamma, shape, seed, a, scale)
end)
dist("beta", "f64", { { "a", nil, positive }, { "b", nil, positive } }, function(shape, seed, a, b)
    return drawn(draws.beta, shape, seed, a, b)
end)
dist("chisquare", "f64", { { "df", nil, positive } }, function(shape, seed, df)
    return drawn(draws.chisquare, shape, seed, df)
end)
dist("student", "f64", { { "df", nil, positive } }, function(shape, seed, df)
    return drawn(draws.student, shape, seed, df, normal(shape, seed))
end)
dist("poisson", "i64", { { "rate", nil, not_negative } }, function(shape, seed, rate)
    return drawn(draws.poisson, shape, seed, rate, uniform(shape, seed))
end)
dist("binomial", "i64", { { "n", nil, not_negative }, { "p", nil, probability } }, function(shape, seed, n, p)
    return drawn(draws.binomial, shape, seed, n, p, uniform(shape, seed))
end)

-- ---------------------------------------------------------------- lun.random

-- A parameter: a number, or an array that broadcasts to `shape`; of the dtype that functions take.
local function parameter(options, description, shape, dtype)
    local name, default, must = table.unpack(description, 1, 3)
    local x = options[name]
    if x == nil then
        x = default
    end
    local number = math.type(x)
    if not number and not core.isarray(x) then
        bad(2, "'%s': a number or an array expected, got %s", name, x == nil and "no value" or records.kind_of(x))
    elseif not number then
        local extents = { x:shape() }
        for back = 0, #extents - 1 do
            local extent, wanted = extents[#extents - back], shape[#shape - back]
            if extent ~= wanted and (extent ~= 1 or not wanted) then
                bad(2, "'%s': %s does not broadcast to the shape", name, call.described(x))
            end
        end
    end
    if dtype == "i64" then
        local exact = number and math.tointeger(x) or not number and is_integer(x:dtype())
        if not exact then
            bad(2, "'%s': whole numbers expected, got %s", name, number and tostring(x) or call.described(x))
        end
        return number and exact or x:cast "i64"
    end
    x = number and x + 0.0 or x:cast "f64"
    local finite = number and x - x == 0 or not number and core.isfinite(x):all()
    if not finite then
        bad(2, "'%s': finite numbers expected%s", name, number and (", got " .. tostring(x)):gsub("-nan", "nan") or "")
    end
    local good = must == nil or must(number and core.full(1, x) or x):all()
    if not good then
        bad(2, "'%s': %s%s", name, MUST[must], number and ", got " .. as_text("%.14g", x) or "")
    end
    return x
end

-- Integers in a dtype that holds them.
local function check_range(low, high, dtype)
    local falls = core.isarray(low) or core.isarray(high)
    falls = falls and core.lt(high, low):any() or not falls and high < low
    if falls then
        bad(2, "'high' is less than 'low'")
    end
    local least, most = low, high
    if core.isarray(low) then
        least = low:size() > 0 and low:min() or 0
    end
    if core.isarray(high) then
        most = high:size() > 0 and high:max() or 0
    end
    if is_integer(dtype) then
        local full = core.full(2, 0, "i64")
        full[1], full[2] = least, most
        local held = full:cast(dtype)
        if dtype ~= "u64" and not held:cast "i64":eq(full):all() or dtype == "u64" and least < 0 then
            bad(2, "%s does not hold integers from %d to %d", dtype, least, most)
        end
    end
end

local COMMON = "seed dist dtype layout align label readonly"

-- shape: a list, or a number; seed, dtype: as they are without options.
local function random(shape, options, seed)
    shape = call.extents(shape, 1)
    local name = options.dist == nil and "uniform" or options.dist
    call.word(name, 2, table.concat(NAMES, " "), "distribution")
    local d = DISTS[name]
    local known, values = COMMON, {}
    for _, description in ipairs(d.parameters) do
        known = known .. " " .. description[1]
    end
    call.options(options, 2, known)
    local dtype = options.dtype == nil and d.dtype or call.dtype(options.dtype, 2)
    if d.dtype == "f64" and not dtypes.is_float(dtype) then
        bad(2, "'dtype': a float expected for \"%s\", got %s", name, dtype)
    end
    for k, description in ipairs(d.parameters) do
        values[k] = parameter(options, description, shape, (name == "integers" or description[1] == "n") and "i64")
    end
    if name == "integers" then
        check_range(values[1], values[2], dtype)
    elseif name == "binomial" then
        local n = values[1]
        local negative = core.isarray(n) and core.lt(n, 0):any() or not core.isarray(n) and n < 0
        if negative then
            bad(2, "'n': %s", MUST[not_negative])
        end
        values[1] = core.isarray(n) and n:cast "f64" or n + 0.0
    end
    values[#d.parameters + 1] = dtype
    if size_of(shape) == 0 then
        return core.zeros(shape, dtype)
    end
    local x = d.make(shape, seed, table.unpack(values))
    return x:dtype() == dtype and x or x:cast(dtype)
end

rows.random = call.called("random", 0, 3, random)

-- ---------------------------------------------------------------- permutations, choices

local function seed_of(options, argument)
    if options.seed == nil then
        return (core.random(1)[1] * 2 ^ 53) // 1 | 0 -- from the engine's own seeds
    end
    return whole(options.seed, argument, nil, nil, "seed")
end

local function order(n, seed)
    local key, lock = halves(seed)
    return core.map(draws.word)(core.index(n), 7, key, lock):cast "u64":argsort()
end

-- The number of elements along the first axis of an array, or a number of integers from 1.
local function length(x, argument)
    if core.isarray(x) and call.rank(x) > 0 then
        return (x:shape())
    end
    return whole(x, argument, 0, nil, "number, list or array")
end

-- An array of a list of numbers or texts.
local function listed(x)
    if type(x) ~= "table" or core.isarray(x) or getmetatable(x) then
        return x
    end
    local ok, v = pcall(core.vector, x)
    if not ok then
        bad(1, "%s", type(v) == "string" and v:match "%((.*)%)$" or "a list of numbers or texts expected")
    end
    return v
end

row("permutation", "lun.permutation(n_or_a [, {seed=}])",
    "1 to n in a random order, or the elements of a list, or of an array along its first axis",
    "lun.permutation(4, {seed = 1}):sort()", "{1, 2, 3, 4}",
    function(a, options)
        a = listed(a)
        local n = length(a, 1)
        options = call.options(options, 2, "seed")
        local seed = seed_of(options, 2)
        local p = n > 0 and order(n, seed) or core.zeros(0, "i64")
        return core.isarray(a) and a:take(p) or p
    end)

row("shuffle", "a:shuffle([{seed=}])", "exchanges the elements along the first axis, in place; gives the array",
    "lun.index(3):copy():shuffle{seed = 1}:sort()", "{1, 2, 3}",
    function(a, options)
        call.array(a, 1)
        local n = length(a, 1)
        options = call.options(options, 2, "seed")
        return n > 1 and a:set(a:take(order(n, seed_of(options, 2))):eval()) or a
    end)

-- The probabilities of n things.
local function weights(p, n)
    p = call.vector(p, 3):cast "f64"
    if #p ~= n then
        bad(3, "'p': %d probabilities expected, got %d", n, #p)
    elseif n > 0 and not core.ge(p, 0):all() then
        bad(3, "'p': %s", MUST[not_negative])
    elseif math.abs(p:sum() - 1) > 1e-8 then
        bad(3, "'p': the sum is %s, not 1", as_text("%.14g", p:sum()))
    end
    return p
end

row("choice", "lun.choice(n_or_a [, k [, {seed=, replace=true, p=}]])",
    "k of the numbers 1 to n, of a list, or of the elements of an array along its first axis; k is a number or a\n"
        .. "shape, without it one element is the value; replace: an element may come more than once; p: the\n"
        .. "probability of each",
    "lun.choice(1, 3)", "{1, 1, 1}",
    function(a, k, options)
        a = listed(a)
        if type(k) == "table" and next(k) ~= nil and #k == 0 and options == nil then -- choice(a, {p = p})
            k, options = nil, k
        end
        local n = length(a, 1)
        local one = k == nil
        local shape = call.extents(one and 1 or k, 2)
        options = call.options(options, 3, "seed replace p")
        local seed, size = seed_of(options, 3), size_of(shape)
        local p = options.p ~= nil and weights(options.p, n)
        local i
        if size == 0 then
            i = core.zeros(0, "i64")
        elseif options.replace ~= false then
            if n == 0 then
                bad(1, "nothing to choose from")
            end
            local last = p and core.where(p:gt(0), core.index(n), 1):max()
            i = p and core.min(p:cumsum():searchsorted(uniform({ size }, seed), { side = "right" }), last)
                or drawn(draws.integer, { size }, seed, 1, n, draws.surplus(n))
        else
            local most = p and p:gt(0):count() or n
            if size > most then
                bad(2, "%d of %d%s without replacement", size, most, p and " with a probability above 0" or "")
            end
            i = p and ((1 - uniform({ n }, seed)):log() / -p):argsort() or order(n, seed)
            i = i:sub(1, size)
        end
        local x = core.isarray(a) and a:take(i) or i
        if one then
            return x[1]
        elseif #shape == 1 then
            return x
        end
        local all = core.isarray(a) and { a:shape() } or { n }
        return x:reshape(table.move(all, 2, #all, #shape + 1, shape))
    end)

-- draw: as functions compile it, without checks.
local function element(draw)
    return function(seed, k)
        return draw(whole(seed, 1), whole(k, 2, 1))
    end
end

row("uniform", "lun.uniform(seed, k)", "element k of lun.random(n, {seed=}), a number; also in Lua functions",
    "lun.uniform(1, 2) == lun.random(2, {seed = 1})[2]", "true", element(draws.uniform))

row("normal", "lun.normal(seed, k)",
    "element k of lun.random(n, {seed=, dist=\"normal\"}), a number; also in Lua functions",
    "lun.normal(1, 2) == lun.random(2, {seed = 1, dist = \"normal\"})[2]", "true", element(draws.normal))

row("multivariate_normal", "lun.multivariate_normal(mean, cov, n [, {seed=}])",
    "n rows of normal numbers with these means and covariances",
    "lun.multivariate_normal({1, 2}, lun.eye(2), 3):shape()", "3, 2",
    function(mean, cov, n, options)
        mean = call.vector(mean, 1)
        call.of_rank(cov, 2, 2)
        local d = #mean
        local m, k = cov:shape()
        if m ~= d or k ~= d then
            bad(2, "%d x %d covariances expected, got %s", d, d, call.described(cov))
        end
        n = whole(n, 3, 0, nil, "number of rows")
        options = call.options(options, 4, "seed")
        local z = normal({ n, d }, seed_of(options, 4))
        return z:matmul(cov:cholesky { upper = true }) + mean
    end)

-- Seed number i of those that are made of a seed.
function rows.part_of_seed(seed, i)
    local key, lock = halves(whole(seed, 1))
    if core.isarray(i) then
        return core.map(draws.part)(i:cast "i64", key, lock)
    end
    return draws.part(whole(i, 2), key, lock)
end

return rows
