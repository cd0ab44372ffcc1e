-- Records with complex fields: their memory as C has it, elements, functions that take and give them, reductions, loops, C
-- functions, files; against plain Lua on tables.
local lun = require "lunarray"
local expect = require "expect"

local c, i = lun.complex, lun.i

-- Values as texts, complex numbers in tables among them.
local function shown(x)
    if lun.iscomplex(x) then
        return ("%a %a"):format(x.re, x.im)
    elseif type(x) ~= "table" then
        return type(x) == "number" and ("%a"):format(x) or tostring(x)
    end
    local parts = {}
    for key, value in pairs(x) do
        parts[#parts + 1] = tostring(key) .. "=" .. shown(value)
    end
    table.sort(parts)
    return "{" .. table.concat(parts, ", ") .. "}"
end

local function same(want, got)
    assert.equal(shown(want), shown(got))
end

for _, layout in ipairs { "aos", "soa" } do
    local Wave = lun.struct("Wave", { { "k", "f32" }, { "z", "c64" }, { "a", "c128" }, { "v", "c64", 2 } }, { layout = layout })
    local S = lun.struct("S", { { "n", "i64" }, { "z", "c128" } }, { layout = layout })

    local function waves()
        return { { k = 1.0, z = i, a = c(1, 2), v = { c(1, 0), 2 * i } }, { k = 2.0, z = c(3, 0), a = c(5, 6), v = { i, c(4, 0) } } }
    end

    local function sums(n)
        local list = {}
        for k = 1, n do
            list[k] = { n = k, z = c(1 + k % 3 / 4, k % 5 / 8) }
        end
        return list
    end

    describe("records with complex fields, " .. layout, function()
        it("hold what is written, in C's places", function()
            assert.equal(("struct Wave { f32 k; c64 z; c128 a; c64 v[2]; } (%s, 48 bytes)"):format(layout), tostring(Wave))
            local r = lun.vector(waves(), Wave)
            same(waves(), r:totable())
            same(i, r[1].z)
            assert.equal("c64", r.z:dtype())
            local bytes = r:tobytes()
            assert.equal(96, #bytes)
            same({ 1.0, 0.0, 1.0, 13 }, { string.unpack("<fff", bytes) })
            r[1] = { k = 9.0, z = 5, a = c(7, 8), v = { 1, i } }
            r.z = r.z * i
            r.a[2] = 3
            same({ { k = 9.0, z = 5 * i, a = c(7, 8), v = { c(1, 0), i } }, { k = 2.0, z = 3 * i, a = c(3, 0), v = { i, c(4, 0) } } },
                r:totable())
            same(r:totable(), lun.frombytes(r:tobytes(), Wave):totable())
            same(r:totable(), r:copy { layout = "aos" }:totable())
            same(r:totable(), lun.concat { r:sub(1, 1), r:sub(2, 2) }:totable())
        end)

        it("are taken and given by functions", function()
            local r = lun.vector(waves(), Wave)
            same({ i, c(6, 0) }, r:map(function(w) return w.z * w.k end):totable())
            same({ 2.0 + math.sqrt(5), math.sqrt(61) }, r:map(function(w) return w.a:abs() + w.v[2].im end):totable())
            local made = r:map(function(w) return Wave(w.k + 1, w.z * w.z, c(w.k, 2), { w.z, w.v[1] }) end)
            same({ { k = 2.0, z = c(-1, 0), a = c(1, 2), v = { i, c(1, 0) } }, { k = 3.0, z = c(9, 0), a = c(2, 2), v = { c(3, 0), i } } },
                made:totable())
            local real = lun.generate(3, function(k) return S(k, k * 2) end)
            same({ { n = 1, z = c(2, 0) }, { n = 2, z = c(4, 0) }, { n = 3, z = c(6, 0) } }, real:totable())
            same({ c(2, 0), c(6, 0) }, real:filter(function(s) return s.n ~= 2 end).z:totable())
        end)

        it("are combined", function()
            for _, n in ipairs { 1, 2, 700 } do
                local list, s = sums(n), lun.vector(sums(n), S)
                local total = s:reduce(function(p, q) return S(p.n + q.n, p.z + q.z) end, S(0, 0))
                local scanned = s:scan(function(p, q) return S(p.n + q.n, p.z + q.z) end, S(0, 0), { inclusive = true }):totable()
                local at, z = 0, c(0, 0)
                for k, one in ipairs(list) do -- exact sums: quarters and eighths
                    at, z = at + one.n, z + one.z
                    same({ n = at, z = z }, scanned[k])
                end
                same({ n = at, z = z }, total)
            end
        end)

        it("are read and assigned in loops", function()
            local s = lun.vector(sums(50), S)
            lun.each(50, function(k)
                s[k].z = s[k].z * 2
                s[k].n = s[k].n + 1
            end)
            for k, one in ipairs(sums(50)) do
                same({ n = one.n + 1, z = one.z * 2 }, s[k])
            end
            same(s.z:totable(), lun.index(50):map(function(k) return s[k].z end):totable())
        end)

        it("are taken and given by C functions", function()
            local s = lun.vector(sums(9), S)
            same((s.z * s.z):totable(), s:map "c128 f(S s) { return lun_cmul(s.z, s.z); }":totable())
            local moved = s:map "S f(S s) { s.z.re += s.n; return s; }"
            same((s.z + s.n):totable(), moved.z:totable())
            local N = lun.struct("Nested", { { "s", S }, { "q", "f32" } }, { layout = layout })
            local nested = lun.zeros(2, N)
            nested.s.z = lun.vector { 3 + 4 * i, 2 * i }
            same({ 5.0, 2.0 }, nested:map "double f(Nested n) { return lun_cabs(n.s.z); }":totable())
            same({ c(3, 4), c(0, 2) }, nested:map(function(n) return n.s.z end):totable())
        end)

        it("are shown, are columns, and go to files and back", function()
            local r = lun.vector(waves(), Wave)
            assert.matches("k  z.re  z.im  a.re  a.im  v%[1%].re", tostring(r))
            assert.matches("r.k  r.z.re  r.z.im", tostring(lun.table { r = r }))
            local path = os.tmpname() .. ".npy"
            lun.save(path, r)
            same(waves(), lun.load(path):totable())
            local file <close> = assert(io.open(path, "rb"))
            assert.matches("%[%('k', '<f4'%), %('z', '<c8'%), %('', '|V4'%), %('a', '<c16'%), %('v', '<c8', %(2,%)%)%]", file:read "a")
            os.remove(path)
        end)

        it("are the first and last of groups, as complex numbers are", function()
            local list = sums(7)
            local s, k = lun.vector(list, S), lun.vector { 2, 1, 2, 1, 3, 1, 2 }
            for _, g in ipairs { lun.group(k), lun.group(k, { order = "first" }) } do
                local first, last = {}, {}
                for j, key in ipairs(g:keys():totable()) do
                    for at = 7, 1, -1 do
                        first[j] = k[at] == key and list[at] or first[j]
                        last[j] = last[j] or k[at] == key and list[at]
                    end
                end
                same(first, g:first(s):totable())
                same(last, g:last(s):totable())
                for j = 1, 3 do
                    same(first[j].z, g:first(s.z)[j])
                    same(last[j].z, g:last(s.z)[j])
                end
            end
            local t = lun.table { k = k, s = s, z = s.z }:group "k":agg { a = { "first", "s" }, b = { "last", "z" } }
            same({ list[2], list[1], list[5] }, t.a:totable())
            same({ list[6].z, list[7].z, list[5].z }, t.b:totable())
            expect.failure("not for complex numbers", function() lun.group(k):first(s.z, { skipnan = true }) end)
        end)

        it("say what is wrong", function()
            local s = lun.vector(sums(2), S)
            expect.failure("bad argument #1 to 'filter' (the predicate gives i64, not bool)", function()
                s:filter(function(p) return p.n end)
            end)
            same({ sums(2)[2] }, s:filter "int f(S s) { return s.n > 1; }":totable())
            expect.failure("a.s is an array of records of S: give it as a list, a:totable()", lun.json.encode, { a = { s = s } })
            expect.failure("field 'z': number expected, got string", function() s[1] = { n = 1, z = "x" } end)
            expect.failure("complex numbers have no order", function() return s:map(function(p) return p.z < 1 end) end)
            same(sums(2), s:totable())
        end)
    end)
end

describe("records of NumPy with complex fields", function()
    it("are read in the other byte order", function()
        local path = os.tmpname() .. ".npy"
        local header = "{'descr': [('b', '|i1'), ('z', '>c16')], 'fortran_order': False, 'shape': (2,), }"
        header = header .. (" "):rep(127 - 10 - #header) .. "\n"
        local file = assert(io.open(path, "wb"))
        file:write("\x93NUMPY\1\0", string.pack("<I2", #header), header, string.pack(">i1dd i1dd", 1, 1.0, 2.0, 2, 3.0, -4.0))
        file:close()
        same({ { b = 1, z = c(1, 2) }, { b = 2, z = c(3, -4) } }, lun.load(path):totable())
        os.remove(path)
    end)
end)
