-- Quantiles of whole blocked arrays by selection: all ranks count which elements have which first byte, then of those
-- with the wanted one which have which second byte, and so on; so a rank tells 256 counts for each byte, wherever the
-- elements are. Knows no transport.

local blocked = require "lunarray.block.blocked"
local core = require "lunarray.core"
local dtypes = require "lunarray.base.dtypes"
local spread = require "lunarray.block.spread"

local net = core.internal.spmd

local FEW = 4096 -- elements: all of them are not more than the counts

-- ---------------------------------------------------------------- keys

-- How elements of a dtype are told apart byte by byte: `bytes`, whether they have a sign, whether they are floats.
local function form_of(dtype)
    local float = dtype:find "f" ~= nil
    local signed = float or dtype:find "^i" ~= nil
    return { dtype = dtype, bytes = dtypes.by_name[dtype].bytes, signed = signed, float = float }
end

-- The bits of elements as i64, in an order that is theirs, but for the sign.
local function keys_of(form, x)
    if not form.float then
        return x:cast "i64":eval()
    end
    local bits = core.frombytes(x:tobytes(), "i" .. 8 * form.bytes):cast "i64"
    return core.where(bits:lt(0), bits ~ ((1 << 8 * form.bytes - 1) - 1), bits):eval()
end

-- The element of such bits.
local function element_of(form, key)
    local sign = 1 << 8 * form.bytes - 1
    if form.float and key & sign ~= 0 then
        key = key ~ (sign - 1)
    end
    local bytes = {}
    for k = 1, form.bytes do
        bytes[k] = string.char(key >> 8 * (k - 1) & 255)
    end
    return core.frombytes(table.concat(bytes), form.dtype)
end

-- ---------------------------------------------------------------- selection

-- The digit of keys whose lowest bit is `shift`; one with a sign so that it ascends, too.
local function digits_of(keys, shift, turns)
    local digits = (keys >> shift) & 255
    return turns and digits ~ 128 or digits
end

-- How many keys of all ranks have each digit, a list from 0.
local function counts_of(digits)
    local own = core.zeros(256, "i64"):copy()
    if #digits > 0 then
        own:put(digits + 1, 1, { combine = "+" })
    end
    local all = {}
    for digit = 0, 255 do
        all[digit] = 0
    end
    for _, bytes in ipairs(net.gather(own:tobytes())) do
        for digit, count in ipairs(core.frombytes(bytes, "i64"):totable()) do
            all[digit - 1] = all[digit - 1] + count
        end
    end
    return all
end

-- The element before which `before` elements of all ranks stand in order.
local function select_at(form, keys, before)
    local key = 0
    for shift = 8 * form.bytes - 8, 0, -8 do
        local turns = form.signed and shift == 8 * form.bytes - 8
        local digits = digits_of(keys, shift, turns):eval()
        local counts, digit = counts_of(digits), 0
        while before >= counts[digit] do
            before, digit = before - counts[digit], digit + 1
        end
        if #keys > 0 then
            keys = keys:compress(digits:eq(digit)):eval()
        end
        key = key | (turns and digit ~ 128 or digit) << shift
    end
    return element_of(form, key)
end

-- ---------------------------------------------------------------- quantiles

-- The quantile q of n elements, a Lua number: the engine's own of the two that it lies between.
local function quantile(form, keys, n, q)
    local at = q * (n - 1)
    local below = math.floor(at)
    local x = select_at(form, keys, below)
    if at > below then
        x = core.concat { x, select_at(form, keys, below + 1) }
    end
    return (x:quantile(at - below))
end

-- a:quantile(q, {skipnan=}) of all elements; nil: it has no such form.
return function(a, q, options)
    if a:size() <= FEW or options ~= nil and (type(options) ~= "table" or options.axis ~= nil) then
        return nil
    end
    local like = core.zeros(1, a:dtype()):quantile(q, options) -- raises what is wrong with the arguments
    blocked.evaluated(a)
    net.step(("selects of %s"):format(blocked.kind_of(a)), "a quantile", blocked.spread_of(a).key)
    local form, x = form_of(a:dtype()), blocked.part_of(a):reshape(-1)
    local n, all = spread.size(blocked.spread_of(a).shape), nil
    if form.float then
        x, all = x:dropnan():eval(), 0
        for _, bytes in ipairs(net.gather(string.pack("<i8", #x))) do
            all = all + string.unpack("<i8", bytes)
        end
    end
    local some_nan = all and all < n
    local none, results = some_nan and (all == 0 or not (options and options.skipnan)), {}
    local keys = none or keys_of(form, x)
    for k, part in ipairs(type(q) == "number" and { q } or q) do
        results[k] = none and core.full(1, 0 / 0):quantile(part) or quantile(form, keys, all or n, part)
    end
    return type(q) == "number" and results[1] or core.vector(results, like:dtype())
end
