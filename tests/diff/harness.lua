-- Runs expressions on every backend and compares what comes out: with lists of expected elements, and
-- the backends with each other, bit for bit. Counts what it compares; knows no operation.

local BUILD = os.getenv "BUILD" or "build"
package.cpath = BUILD .. "/tests/?.so;" .. package.cpath

local lun = require "lunarray"
local dtypes = require "diff.dtypes"
local libm = require "libm"

local harness = { elements = 0, combinations = 0 }

-- The backends of the host, which give the same bits, and the device, which does so wherever operations are
-- exact. A device's compiler takes long, so it takes part in one run of so many: LUNARRAY_DIFF_DEVICE=1 has
-- it take part in all. LUNARRAY_DIFF_BACKENDS: of the host's backends only these.
harness.backends = {}
local asked = os.getenv "LUNARRAY_DIFF_BACKENDS"
for _, name in ipairs(lun.backends()) do
    if name == "opencl" then
        harness.device = name
    elseif not asked or (" " .. asked .. " "):find(" " .. name .. " ", 1, true) then
        harness.backends[#harness.backends + 1] = name
    end
end
harness.device_every = tonumber(os.getenv "LUNARRAY_DIFF_DEVICE")
local runs = 0

-- The backends for a test of dtype t: with the device, if it takes part in this dtype's (chosen: a set).
function harness.backends_for(t, chosen)
    local list = { table.unpack(harness.backends) }
    if harness.device and (chosen[t.name] or harness.device_every == 1) then
        list[#list + 1] = harness.device
    end
    return list
end

local SHOWN = 12 -- failures that a message quotes

-- ---------------------------------------------------------------- arrays

-- A new array (a leaf of its own: nothing evaluated before is known of it).
function harness.array(t, list)
    return lun.frombytes(type(list) == "string" and list or dtypes.pack(t, list), t.name)
end

local MOST = 100 -- results of one lun.eval

-- Evaluates a list of { label =, array = } in few kernels; gives each entry its dtype and bytes.
local function evaluate(entries)
    for first = 1, #entries, MOST do
        local arrays = {}
        for i = first, math.min(first + MOST - 1, #entries) do
            arrays[#arrays + 1] = entries[i].array
        end
        lun.eval(table.unpack(arrays))
    end
    for _, entry in ipairs(entries) do
        entry.dtype = entry.array:dtype()
        entry.bytes = entry.array:tobytes()
        entry.array = nil
    end
    return entries
end

-- make() builds the arrays anew and returns a list of entries { label =, array = }. Gives, by backend, the
-- list with the results; `backends`: the names, by default those of the host. every: the device takes part
-- too, in one run of so many.
function harness.run(make, backends, every)
    local results = { backends = { table.unpack(backends or harness.backends) } }
    local before = lun.use()
    if every and harness.device then
        runs = runs + 1
        if runs % (harness.device_every or every) == 0 then
            results.backends[#results.backends + 1] = harness.device
        end
    end
    for _, backend in ipairs(results.backends) do
        lun.use(backend)
        results[backend] = evaluate(make())
    end
    lun.use(before)
    collectgarbage()
    return results
end

-- ---------------------------------------------------------------- failures

harness.failures = {}

function harness.fail(...)
    harness.failures[#harness.failures + 1] = string.format(...)
end

-- Ends a test: raises if something failed since the last call.
function harness.finish()
    local list = harness.failures
    harness.failures = {}
    if #list > 0 then
        local more = #list > SHOWN and ("\n... and %d more"):format(#list - SHOWN) or ""
        error(("%d failures:\n%s%s"):format(#list, table.concat(list, "\n", 1, math.min(SHOWN, #list)), more), 0)
    end
end

-- ---------------------------------------------------------------- comparing

local function text(x)
    return math.type(x) == "float" and ("%a (%.17g)"):format(x, x) or tostring(x)
end
harness.text = text

-- Equal elements; zeros of different sign are not, unless any_zero. NaNs are all equal.
local function same(x, y, any_zero)
    if x ~= y then
        return x ~= x and y ~= y
    end
    return x ~= 0 or any_zero or math.type(x) ~= "float" or 1 / x == 1 / y
end
harness.same = same

-- The operands of element i, for a message.
local function operands_text(operands, i)
    local parts = {}
    for k, list in ipairs(operands or {}) do
        local x = list
        if type(list) == "table" then
            x = #list == 1 and list[1] or list[i]
        end
        parts[k] = text(x)
    end
    return table.concat(parts, ", ")
end

-- Where the bytes of a result are not as wanted; nil if nowhere. wanted[i] nil: element i is not compared.
local function first_wrong(dtype, bytes, wanted, count, any_zero)
    local got = dtypes.unpack(dtype, bytes)
    for i = 1, count do
        local want = wanted[i]
        if want ~= nil and not same(got[i], want, any_zero) then
            return i, got[i]
        end
    end
    return nil
end

-- Compares the result `index` of every backend with the expected elements. An element that is nil is not
-- compared. dtype: the expected one; operands: lists or numbers, for the message.
function harness.expect(results, index, dtype, wanted, count, operands, any_zero)
    local good -- bytes that were found right
    local promised = 0
    for i = 1, count do
        promised = wanted[i] ~= nil and promised + 1 or promised
    end
    for _, backend in ipairs(results.backends) do
        local entry = results[backend][index]
        harness.combinations = harness.combinations + 1
        if entry.dtype ~= dtype.name then
            harness.fail("%s on %s gives %s, not %s", entry.label, backend, entry.dtype, dtype.name)
        elseif #entry.bytes ~= count * dtype.size then
            harness.fail("%s on %s gives %d bytes, not %d", entry.label, backend, #entry.bytes, count * dtype.size)
        else
            harness.elements = harness.elements + promised
            local at, got
            if entry.bytes ~= good then
                at, got = first_wrong(dtype, entry.bytes, wanted, count, any_zero)
                good = not at and entry.bytes or good
            end
            if at then
                harness.fail("%s on %s: element %d of (%s) is %s, not %s", entry.label, backend, at,
                    operands_text(operands, at), text(got), text(wanted[at]))
            end
        end
    end
end

-- Where two byte strings of a dtype differ: the index of the element, nil if nowhere. A NaN is a NaN.
function harness.first_difference(t, x, y)
    if x == y then
        return nil
    end
    local a, b = dtypes.unpack(t, x), dtypes.unpack(t, y)
    if #a ~= #b then
        return math.min(#a, #b) + 1
    end
    for i = 1, #a do
        if not same(a[i], b[i]) then
            return i, a[i], b[i]
        end
    end
    return nil
end

-- All results have the same bits on every backend; exact: on the device too, which has math functions and
-- a way to accumulate of its own.
function harness.same_bits(results, operands, exact)
    local first = results.backends[1]
    for k = 2, #results.backends do
        local other = results.backends[k]
        if other == harness.device and not exact then
            break
        end
        for i, entry in ipairs(results[first]) do
            local second = results[other][i]
            local t = dtypes[entry.dtype]
            harness.elements = harness.elements + #entry.bytes // t.size
            local at, x, y = harness.first_difference(t, entry.bytes, second.bytes)
            if at then
                harness.fail("%s: element %d of (%s) is %s on %s, %s on %s", entry.label, at,
                    operands_text(operands, at), text(x), first, text(y), other)
            end
        end
    end
end

-- Random programs number first .. first + count - 1: run(number, backend) says what is wrong with one, or nil, on each
-- of the backends that chosen(number, compiled) gives; compiled: whether it is one of those that wait for the compiler, one of
-- `every` where LUNARRAY_JIT=sync has all do so. Ends with the first that is wrong.
function harness.programs(first, count, every, chosen, run)
    every = os.getenv "LUNARRAY_JIT" == "sync" and every or 1
    for number = first, first + count - 1 do
        for _, backend in ipairs(chosen(number, number % every == 0)) do
            local failure = run(number, backend)
            if failure then harness.fail("%s", failure) end
            harness.combinations = harness.combinations + 1
        end
        if #harness.failures > 0 then break end
    end
    harness.finish()
end

-- The largest error of a result, measured against the true value; also its place.
function harness.accuracy(name, entry, a, b)
    local t = dtypes[entry.dtype]
    harness.elements = harness.elements + #entry.bytes // t.size
    harness.combinations = harness.combinations + 1
    return libm.accuracy(name, t.name, entry.bytes, a, b)
end

-- The promised accuracy, in ULP: the largest bound of prims/math/functions.def.
harness.limit = { f32 = 1.6, f64 = 1.5 }

-- ---------------------------------------------------------------- counting

-- Adds this file's counts to those of the others; tests/run.sh prints the sum.
function harness.report()
    local path = os.getenv "LUNARRAY_DIFF_COUNTS"
    local line = ("%d %d"):format(harness.elements, harness.combinations)
    if path then
        local file = assert(io.open(path, "a"))
        file:write(line, "\n")
        file:close()
    else
        print(("compared: %d elements, %d combinations of operation, dtype and backend"):format(harness.elements,
            harness.combinations))
    end
end

return harness
