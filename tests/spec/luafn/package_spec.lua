-- lun.pack and lun.unpack: what a skeleton gives after it has been bytes is what Lua computes from numbers; bytes that are no
-- package, or a changed one, are errors or skeletons and nothing worse.
local lun = require "lunarray"

-- CRC-32 as zip archives have it.
local function crc32(text)
    local crc = 0xffffffff
    for i = 1, #text do
        crc = crc ~ text:byte(i)
        for _ = 1, 8 do
            crc = crc & 1 == 1 and crc >> 1 ~ 0xedb88320 or crc >> 1
        end
    end
    return crc ~ 0xffffffff
end

local HEADER = 52

-- The package with other bytes behind the header, whose length and checksum are right.
local function with_body(package, body)
    return package:sub(1, 40) .. ("<i8I4"):pack(#body, crc32(body)) .. body
end

local function list(a)
    return a:totable()
end

describe("a packed skeleton", function()
    it("maps elements of each dtype that it was packed for", function()
        local k, shift = 3, 0.25
        local f = function(x)
            if x > 2 then
                return x * k + shift
            end
            return x - shift
        end
        local g = lun.unpack(lun.pack(lun.map(f), { dtypes = { "f64", "f32", "f16" } }))
        local numbers, want = { -1.5, 0.0, 2.0, 2.5, 1000.0 }, {}
        for i, x in ipairs(numbers) do
            want[i] = f(x)
        end
        k, shift = 100, 100 -- what it captured stays
        for _, dtype in ipairs { "f64", "f32", "f16" } do
            local got = g(lun.vector(numbers, dtype))
            assert.same(want, list(got:cast "f64"), dtype)
            assert.equal(dtype == "f16" and "f32" or dtype, got:dtype())
        end
    end)

    it("computes with integers and bools", function()
        local g = lun.unpack(lun.pack(lun.map(function(x)
            return x // 3 % 5 ~ 1
        end), { dtypes = { "i64", "u8" } }))
        local want = {}
        for x = 0, 99 do
            want[x + 1] = x // 3 % 5 ~ 1
        end
        assert.same(want, list(g(lun.range(0, 99):cast "i64")))
        assert.same(want, list(g(lun.range(0, 99):cast "u8")))
        local both = lun.unpack(lun.pack(lun.zip(function(x, y)
            return x and not y
        end), { dtypes = { "bool" } }))
        assert.same({ false, true, false }, list(both(lun.vector { true, true, false }, lun.vector { true, false, false })))
    end)

    it("zips arrays of different dtypes, and gives several results", function()
        local g = lun.unpack(lun.pack(lun.zip(function(x, n)
            return x * n, n + 1
        end), { dtypes = { { "f64", "i32" } } }))
        local product, more = g(lun.vector { 0.5, 1.5 }, lun.vector({ 4, 6 }, "i32"))
        assert.same({ 2.0, 9.0 }, list(product))
        assert.same({ 5, 7 }, list(more))
    end)

    it("takes as many arrays as the option elements says", function()
        local g = lun.unpack(lun.pack(lun.map(function(a, b, c)
            return a * b + c
        end, { elements = 3 })))
        assert.same({ 14.0, 23.0 }, list(g(lun.vector { 2.0, 3 }, lun.vector { 5.0, 6 }, lun.vector { 4.0, 5 })))
    end)

    it("reads captured arrays of every rank, Scalars and slices", function()
        local weights = lun.vector({ 10, 20, 30 }, "f32")
        local grid = lun.range(1, 6):reshape(2, 3)
        local odd = lun.range(1, 9):sub { 1, 9, 2 }
        local total = lun.vector({ 1.0, 2.0 }):sum()
        local f = lun.map(function(x)
            local i = x // 1 | 0
            return weights[i] + grid[2][i] * 100 + odd[i + 1] * 1000 + total + #weights
        end)
        local g = lun.unpack(lun.pack(f))
        local want = {}
        for i = 1, 3 do
            want[i] = 10.0 * i + (3 + i) * 100 + (2 * i + 1) * 1000 + 3.0 + 3
        end
        local x = lun.vector { 1.0, 2.0, 3.0 }
        assert.same(want, list(f(x)))
        assert.same(want, list(g(x)))
        weights[1] = 0 -- the package has its own
        assert.same(want, list(g(x)))
    end)

    it("runs loops over a captured table of coefficients", function()
        local c = lun.vector { 3.0, -2.0, 0.5, 1.25 }
        local f = function(x)
            local y = 0.0
            for i = #c, 1, -1 do
                y = y * x + c[i]
            end
            return y
        end
        local g = lun.unpack(lun.pack(lun.map(f)))
        local want = {}
        for i = 1, 1000 do
            want[i] = f(i / 8)
        end
        assert.same(want, list(g(lun.range(1, 1000) / 8)))
    end)

    it("reduces and scans, with its first value, axes and options", function()
        local longest = function(a, b)
            return math.max(a, b)
        end
        local x = lun.vector { 3.0, -1, 7, 2, 5, 0 }
        local reduce = lun.unpack(lun.pack(lun.reduce(longest, 4)))
        assert.equal(7.0, reduce(x):value())
        assert.equal(4.0, reduce(lun.vector { 1.0 }):value())
        local rows = lun.unpack(lun.pack(lun.reduce(longest, -9, { axis = -1, keep = true })))
        assert.same({ { 7.0 }, { 5.0 } }, list(rows(x:reshape(2, 3))))
        local scan = lun.unpack(lun.pack(lun.scan(longest, 2.5)))
        local running = lun.scan(longest, 2.5)
        assert.same(list(running(x)), list(scan(x)))
        local lines = lun.unpack(lun.pack(lun.scan(longest, -9, { axis = 2, inclusive = true })))
        assert.same({ { 3.0, 3, 7 }, { 2.0, 5, 5 } }, list(lines(x:reshape(2, 3))))
    end)

    it("reduces several arrays at once", function()
        local f = lun.reduce(function(at, least, i, x)
            if x < least then
                return i, x
            end
            return at, least
        end, { 0, math.huge }, { elements = 2 })
        local g = lun.unpack(lun.pack(f, { dtypes = { { "i64", "f64" } } }))
        local at, least = g(lun.range(1, 5):cast "i64", lun.vector { 4.0, 2, 8, 1, 9 })
        assert.equal(4, at:value())
        assert.equal(1.0, least:value())
    end)

    it("may be one of an operation", function()
        assert.equal(6.0, lun.unpack(lun.pack(lun.reduce "+"))(lun.vector { 1.0, 2, 3 }):value())
        assert.same({ 2.0, 3.0 }, list(lun.unpack(lun.pack(lun.map "sqrt"))(lun.vector { 4.0, 9 })))
    end)

    it("casts results as the option out says", function()
        local g = lun.unpack(lun.pack(lun.map(function(x)
            return x * 2
        end, { out = "i16" })))
        assert.equal("i16", g(lun.vector { 1.5 }):dtype())
        assert.same({ 3 }, list(g(lun.vector { 1.5 })))
    end)

    it("is composed, printed and packed again", function()
        local more = lun.map(function(x) return x + 1 end)
        local g = lun.unpack(lun.pack(lun.map(function(x) return x * 2 end)))
        assert.same({ 3.0, 5.0 }, list((g >> more)(lun.vector { 1.0, 2.0 })))
        assert.equal("map(a packed function)", tostring(g))
        assert.same({ 2.0 }, list(lun.unpack(lun.pack(g))(lun.vector { 1.0 })))
        local sixteen = {}
        for k = 1, 16 do
            sixteen[k] = "a" .. k
        end
        local wide = load(("return function(%s) return a1 end"):format(table.concat(sixteen, ", ")))()
        local ok, message = pcall(lun.pack, lun.map(wide, { elements = 16 }))
        assert.is_false(ok)
        assert.matches("a skeleton of at most 8 arrays expected, got 16", message)
    end)

    it("stays lazy and fuses", function()
        local g = lun.unpack(lun.pack(lun.map(function(x)
            return x * x
        end)))
        local e = g(lun.vector { 1.0, 2, 3 } + 1) - 1
        assert.equal(1, #lun.explain(e))
        assert.same({ 3.0, 8, 15 }, list(e))
    end)

    it("has the messages of its function, with the line in the script", function()
        local a = lun.vector { 1.0, 2.0 }
        local g = lun.unpack(lun.pack(lun.map(function(x)
            return a[x // 1 | 0]
        end)))
        local ok, message = pcall(list, g(lun.vector { 1.0, 3.0 }))
        assert.is_false(ok)
        assert.matches("package_spec.lua:%d+: index 3 is out of range for array 'a' of length 2", message)
    end)

    it("leaves out elements that are missing", function()
        local g = lun.unpack(lun.pack(lun.map(function(x)
            return x + 1
        end)))
        assert.same({ true, false, true }, list(g(lun.vector { lun.na, 2.0, lun.na }):ismissing()))
    end)

    it("is the same in another process, on every backend, without a compiler", function()
        local path = os.tmpname()
        local c = lun.vector { 0.5, 0.25, 0.125 }
        local f = lun.map(function(x)
            local y = math.sin(x) ^ 3
            for i = 1, #c do
                y = y + c[i] * x
            end
            return y
        end)
        local file = assert(io.open(path, "wb"))
        file:write(lun.pack(f))
        file:close()
        local x = lun.range(1, 1000) / 7
        local want = ("%a"):format((f(x) * lun.range(1, 1000)):sum())
        local script = ([[local lun = require "lunarray"
            local file = assert(io.open(arg[1], "rb"))
            local g = lun.unpack(file:read "a")
            print(("%a"):format((g(lun.range(1, 1000) / 7) * lun.range(1, 1000)):sum()))]]):gsub("%s+", " ")
        local program = (os.getenv "BUILD" or "build") .. "/lunarray"
        for _, backend in ipairs { "reference", "openmp", "openmp/3" } do
            local run = ("echo '%s' | LUNARRAY_BACKEND=%s LUNARRAY_JIT=off %s - %s 2>&1"):format(script, backend, program, path)
            local pipe = assert(io.popen(run))
            assert.equal(want, (pipe:read "a"):gsub("%s+$", ""), backend)
            pipe:close()
        end
        os.remove(path)
    end)
end)

describe("lun.pack refuses", function()
    local function refused(message, ...)
        local ok, got = pcall(lun.pack, ...)
        assert.is_false(ok)
        assert.matches(message, got)
    end

    it("what is no skeleton of elements", function()
        refused("skeleton expected, got number", 1)
        refused("skeleton expected, got nil")
        refused("a map, zip, reduce or scan expected, got a stencil", lun.stencil(function(x)
            return x(-1) + x(1)
        end))
        refused("C text is not packed", lun.map "(double x) { return x; }")
    end)

    it("unknown options and dtypes", function()
        local f = lun.map(function(x)
            return x
        end)
        refused("unknown option 'dtype': the only option is dtypes", f, { dtype = "f64" })
        refused("option dtypes: a list of dtypes expected, .* got f46", f, { dtypes = { "f46" } })
        refused("option dtypes: a list of dtypes expected", f, { dtypes = "f64" })
        refused("option dtypes: a list of dtypes expected", f, { dtypes = {} })
        refused("option dtypes: a list of 1 dtypes expected, got 2", f, { dtypes = { { "f64", "f64" } } })
        refused("functions of c128 are not packed", f, { dtypes = { "c128" } })
        refused("option dtypes: at most 16 expected, got 17", f, { dtypes = { table.unpack(lun.range(1, 17):totable()) } })
    end)

    it("what the function itself refuses, with its line", function()
        refused("package_spec.lua:%d+:", lun.map(function(x)
            return x .. "a"
        end))
    end)

    it("parameters beyond the elements, records, complex numbers", function()
        refused("arithmetic on nil %(local 'y'%)", lun.map(function(x, y)
            return x + y
        end))
        refused("records or complex numbers", lun.map(function(x)
            return lun.complex(x, x)
        end))
    end)

    it("large arrays, arrays with missing elements", function()
        local large, gaps = lun.zeros(131073), lun.vector { 1.0, lun.na }
        refused("a captured array has 1048584 bytes, at most 1048576 are packed", lun.map(function(x)
            return large[1] + x
        end))
        refused("missing elements", lun.map(function(x)
            return gaps[1] + x
        end))
    end)
end)

describe("lun.unpack refuses", function()
    local weights = lun.vector { 1.0, 2, 4 }
    local package = lun.pack(lun.map(function(x)
        local sum = 0.0
        for i = 1, #weights do
            sum = sum + weights[i] * x
        end
        if x > 100 then
            return weights[x // 1 | 0]
        end
        return sum
    end))

    local function refused(message, bytes)
        local ok, got = pcall(lun.unpack, bytes)
        assert.is_false(ok)
        assert.matches("bad argument #1 to 'unpack' %(" .. message, got)
    end

    it("what is no package", function()
        refused("string of lun.pack expected, got nil", nil)
        refused("not a package of lun.pack", "")
        refused("not a package of lun.pack", "lunpack")
        refused("not a package of lun.pack", ("x"):rep(1000))
    end)

    it("a package that was cut, at every length, or has something behind it", function()
        for length = 0, #package - 1 do
            refused(length < 8 and "not a package" or "the package has not the length that it says", package:sub(1, length))
        end
        refused("the package has not the length that it says", package .. "\0")
    end)

    it("each changed byte", function()
        for i = 1, #package do
            local changed = package:sub(1, i - 1) .. string.char(package:byte(i) ~ 1 << i % 8) .. package:sub(i + 1)
            -- The version of the library is a text for messages alone.
            if i <= 24 or i > 40 then
                assert.is_false(pcall(lun.unpack, changed), i)
            end
        end
    end)

    it("other versions, naming the one that wrote it", function()
        local other = package:sub(1, 8) .. ("<i4"):pack(2) .. package:sub(13)
        local version = package:sub(25, 40):match "^[^%z]+":gsub("%.", "%%.")
        refused(("the package was written by Lunarray %s in a form that %s does not read: pack the skeleton again"):format(version,
            version), other)
        local bits = package:sub(1, 16) .. "v9\0\0\0\0\0\0" .. package:sub(25)
        refused("the package was made for bits v9, this engine computes bits " .. lun.bits(), bits)
    end)

    it("bytes that its checksum fits, or gives skeletons that compute", function()
        local body, x = package:sub(HEADER + 1), lun.vector { -1.0, 2.0, 1e3 }
        local random, taken = 12345, 0
        local function draw(n)
            random = (random * 1103515245 + 12345) & 0x7fffffff
            return (random >> 8) % n
        end
        for _ = 1, 3000 do
            local changed = body
            for _ = 1, 1 + draw(3) do
                local at = 1 + draw(#body)
                changed = changed:sub(1, at - 1) .. string.char(draw(256)) .. changed:sub(at + 1)
            end
            local ok, g = pcall(lun.unpack, with_body(package, changed))
            if ok then
                taken = taken + 1
                pcall(function()
                    return g(x):eval()
                end)
            else
                assert.matches("bad argument #1 to 'unpack'", g)
            end
        end
        assert.is_true(taken > 0) -- else nothing was run
        for length = 0, #body - 1, 7 do
            assert.is_false(pcall(lun.unpack, with_body(package, body:sub(1, length))), length)
        end
    end)

    it("gathers beyond a captured array, which a changed length would cause", function()
        -- The captured number of elements, 3, becomes 2^40: the body's own check and its loop let every index pass.
        local body = package:sub(HEADER + 1)
        local three, huge = ("<i8"):pack(3), ("<i8"):pack(1 << 40)
        local from, refusals = 1, 0
        while true do
            local at = body:find(three, from, true)
            if not at then
                break
            end
            local ok, g = pcall(lun.unpack, with_body(package, body:sub(1, at - 1) .. huge .. body:sub(at + 8)))
            if ok then
                local fine, message = pcall(function()
                    return g(lun.vector { 1.0, 1e9 }):eval()
                end)
                assert.is_false(fine)
                assert.matches("index outside of an array that the package has", message)
                refusals = refusals + 1
            end
            from = at + 1
        end
        assert.is_true(refusals > 0)
    end)

    it("goes on with others", function()
        assert.same({ 7.0 }, list(lun.unpack(package)(lun.vector { 1.0 })))
    end)
end)
