-- What the specs compare with: Lua's own numbers, element by element; and every backend in turn. Knows no engine
-- internals.
local lun = require "lunarray"
local shell = require "shell"

local expect = {}

local function same(a, b)
    return a == b and math.type(a) == math.type(b) or a ~= a and b ~= b
end

-- Fails unless the array holds exactly these numbers (NaN equals NaN; 1 and 1.0 differ).
function expect.elements(wanted, array)
    local got = array:totable()
    assert(#got == #wanted, ("%d elements, %d expected"):format(#got, #wanted))
    for i = 1, #wanted do
        assert(same(wanted[i], got[i]), ("element %d is %s, %s expected"):format(i, got[i], wanted[i]))
    end
end

-- Fails unless each element is within `ulps` rounding errors of f64.
function expect.close(wanted, array, ulps)
    local got = array:totable()
    assert(#got == #wanted, ("%d elements, %d expected"):format(#got, #wanted))
    for i = 1, #wanted do
        local room = math.abs(wanted[i]) * 2.0 ^ -52 * (ulps or 2)
        assert(same(wanted[i], got[i]) or math.abs(wanted[i] - got[i]) <= room,
            ("element %d is %.17g, %.17g expected"):format(i, got[i], wanted[i]))
    end
end

-- The list f(t1[1], t2[1], ...), f(t1[2], t2[2], ...), ...
function expect.map(f, t, ...)
    local result, others = {}, { ... }
    for i = 1, #t do
        local row = {}
        for k, other in ipairs(others) do
            row[k] = type(other) == "table" and other[i] or other
        end
        result[i] = f(t[i], table.unpack(row))
    end
    return result
end

-- tostring(x), a float with a point in every locale.
function expect.text(x)
    return math.type(x) == "float" and (tostring(x):gsub(",", ".")) or tostring(x)
end

-- Fails unless the call raises an error whose text holds `part`; gives the error.
function expect.failure(part, f, ...)
    local results = table.pack(pcall(f, ...))
    assert(not results[1], "no error, one with '" .. part .. "' expected")
    local text = tostring(results[2])
    assert(text:find(part, 1, true), ("the error is '%s', one with '%s' expected"):format(text, part))
    return results[2]
end

-- What f(...) costs in Lua: hundreds of its instructions, and kilobytes that it allocates.
function expect.work(f, ...)
    local instructions = 0
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    debug.sethook(function() instructions = instructions + 1 end, "", 100)
    local ok, message = pcall(f, ...)
    debug.sethook()
    local kilobytes = collectgarbage "count" - before
    collectgarbage "restart"
    assert(ok, message)
    return instructions, kilobytes
end

-- Calls check(backend) with each backend in use, then goes back to the first.
function expect.everywhere(check)
    local backends = lun.backends()
    for _, backend in ipairs(backends) do
        lun.use(backend)
        check(backend)
    end
    lun.use(backends[1])
end

-- Fails unless the script, which prints a number and the hash of its results, prints the same on any number of threads
-- and on both backends of the host.
function expect.same_bits(path)
    local wanted
    for _, way in ipairs { { "openmp", 1 }, { "openmp", 2 }, { "openmp", 3 }, { "openmp", 5 }, { "openmp", 8 }, { "reference", 4 } } do
        local text = shell.capture(("LUNARRAY_BACKEND=%s LUNARRAY_THREADS=%d %s %s 2>&1"):format(way[1], way[2],
            shell.interpreter(), path))
        wanted = wanted or text
        assert(text:find "^%d+%s%x+\n$", text)
        assert(text == wanted, ("%s with %d threads: %s, not %s"):format(way[1], way[2], text, wanted))
    end
end

-- The same of lines of Lua that add strings to the list `texts`.
function expect.same_texts(lines)
    local path = shell.write(os.tmpname(), 'local lun = require "lunarray"\nlocal texts = {}\n' .. lines .. [[

        local hash, bytes = 0, table.concat(texts)
        for k = 1, #bytes do hash = hash * 31 + bytes:byte(k) end
        print(#bytes, ("%x"):format(hash))]])
    expect.same_bits(path)
    os.remove(path)
end

-- The elements of a Vector, with lun.na where one is missing, whose slot is NaN if it is a float.
function expect.list(a)
    local elements = a:totable()
    for i, missing in ipairs(a:ismissing():totable()) do
        if missing then
            assert(type(elements[i]) ~= "number" or elements[i] ~= elements[i])
            elements[i] = lun.na
        end
    end
    return elements
end

return expect
