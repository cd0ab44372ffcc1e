-- LUN_ATOMIC_ADD and its like in C texts of teams, tasks, map and lun.each. The oracle is plain Lua.
local lun = require "lunarray"
local expect = require "expect"

local everywhere, refused = expect.everywhere, expect.failure

-- A number as an element of the dtype has it.
local packs = { f32 = "f", f64 = "d" }
local function stored(t, x)
    local bits = tonumber(t:match "^[iu](%d+)$")
    if bits and bits < 64 then
        local kind = t:sub(1, 1) == "i" and "i" or "I"
        return (string.unpack(kind .. bits // 8, string.pack("I" .. bits // 8, x & (1 << bits) - 1)))
    end
    if t == "i64" or t == "u64" then return x end
    return (string.unpack(packs[t], string.pack(packs[t], x)))
end

local ctypes = {
    i8 = "char", u8 = "uchar", i16 = "short", u16 = "ushort", i32 = "int", u32 = "uint", i64 = "long", u64 = "ulong",
    f32 = "float", f64 = "double",
}
local rows = {
    ADD = function(a, x) return a + x end,
    SUB = function(a, x) return a - x end,
    MIN = function(a, x, less) return less(x, a) and x or a end,
    MAX = function(a, x, less) return less(a, x) and x or a end,
    BAND = function(a, x) return a & x end,
    BOR = function(a, x) return a | x end,
    BXOR = function(a, x) return a ~ x end,
    EXCHANGE = function(_, x) return x end,
}
local names = { "ADD", "SUB", "MIN", "MAX", "BAND", "BOR", "BXOR", "EXCHANGE" }
local bits = { BAND = true, BOR = true, BXOR = true }

local function values(t)
    if t == "f32" or t == "f64" then return { 0.0, 1.5, -2.25, 1e10, -3.0, 0.125, 7.0 } end
    if t == "i8" or t == "u8" then return { 0, 1, 2, 100, 77, 127, 6 } end
    if t == "i16" then return { 0, 1, -2, 1000, -77, 32767, -32768 } end
    if t == "u16" then return { 0, 1, 2, 1000, 77, 65535, 6 } end
    if t == "u32" or t == "u64" then return { 0, 1, 2, 1000, 77, (1 << 31) + 5, 6 } end
    return { 0, 1, -2, 1000, -77, (1 << 31) - 1, -(1 << 31) }
end

describe("LUN_ATOMIC_", function()
    -- Element (row, i, j) is given[i], changed by the row and given[j]; one kernel for all rows of a dtype.
    it("changes each element as the row says and gives the old one, for all dtypes", function()
        everywhere(function()
            for t, c in pairs(ctypes) do
                local given, float = values(t), t:sub(1, 1) == "f"
                local less = t == "u64" and math.ult or function(a, b) return a < b end
                local olds, xs, old, new, cases = {}, {}, {}, {}, {}
                for _, name in ipairs(names) do
                    if not (float and bits[name]) then
                        cases[#cases + 1] = ("case %d: got[i] = LUN_ATOMIC_%s(w, i, x[i]); break;"):format(#cases, name)
                        for _, a in ipairs(given) do
                            for _, b in ipairs(given) do
                                local k = #xs + 1
                                olds[k], xs[k], old[k] = a, b, stored(t, a)
                                new[k] = stored(t, rows[name](stored(t, a), stored(t, b), less))
                            end
                        end
                    end
                end
                local w, got = lun.vector(olds, t), lun.zeros(#olds, t)
                lun.each(#olds, ("void f(int i, %s *w, const %s *x, %s *got, int n) { switch (i / n) { %s } }"):format(c, c, c,
                    table.concat(cases, " ")), w, lun.vector(xs, t), got, #given * #given)
                assert.same(old, got:totable(), t)
                assert.same(new, w:totable(), t)
            end
        end)
    end)

    it("exchanges where the element is as expected", function()
        everywhere(function()
            for t, c in pairs(ctypes) do
                local w, got = lun.vector({ 1, 2, 3, 4 }, t), lun.zeros(4, t)
                lun.each(4, ("void f(int i, %s *w, %s *got) { got[i] = LUN_ATOMIC_CAS(w, i, 2 + (i & 2), 9); }"):format(c, c), w, got)
                local float = t:sub(1, 1) == "f"
                local function as(list)
                    for k, x in ipairs(list) do list[k] = float and x + 0.0 or x end
                    return list
                end
                assert.same(as { 1, 9, 3, 9 }, w:totable(), t)
                assert.same(as { 1, 2, 3, 4 }, got:totable(), t)
            end
        end)
    end)

    it("loses nothing where all write one element", function()
        everywhere(function()
            for _, t in ipairs { "i16", "i32", "i64", "f64" } do
                local c, n = ctypes[t], 4000
                local w = lun.zeros(3, t)
                local old = lun.range(1, n):map(([[%s f(int i, %s *w) {
                    __global %s *v = w;
                    %s seen = v[1], had;
                    LUN_ATOMIC_MAX(w, 2, i);
                    do { had = seen; seen = LUN_ATOMIC_CAS(w, 1, had, had + 1); } while (seen != had);
                    return LUN_ATOMIC_ADD(v, 0, 1);
                }]]):format(c, c, c, c), w)
                local list, seen = old:totable(), {}
                assert.same({ n, n, n }, { w[1] // 1 | 0, w[2] // 1 | 0, w[3] // 1 | 0 }, t)
                for _, x in ipairs(list) do seen[x // 1 | 0] = true end
                for k = 0, n - 1 do assert(seen[k], t) end
            end
        end)
    end)

    it("is for teams and tasks, also behind barriers, in helpers and of memory of a team", function()
        local text = [[
        #define COUNT(w, i) LUN_ATOMIC_ADD(w, i, 1)
        static void note(__global long *h, long at) { LUN_ATOMIC_ADD(h, at, 1); COUNT(h, 3); }
        void f(long *h, const long *x, long n) {
            LUN_SCRATCH(long, s, 2);
            LUN_SCRATCH(int, last, 1);
            const long i = LUN_INDEX(0);
            if (i < n) LUN_ATOMIC_ADD(s, x[i] & 1, x[i]);
            LUN_ATOMIC_MAX(last, 0, (int)LUN_THREAD(0));
            LUN_BARRIER;
            if (LUN_THREAD(0) < 2) LUN_ATOMIC_ADD(h, LUN_THREAD(0), s[LUN_THREAD(0)]);
            if (LUN_THREAD(0) == last[0]) note(h, 2);
        }]]
        everywhere(function(backend)
            local n, team = 1000, 7
            local blocks = (n + team - 1) // team
            local x, want = lun.range(1, n), { 0, 0, blocks, blocks }
            for i = 1, n do want[i % 2 + 1] = want[i % 2 + 1] + i end
            local h = lun.zeros(4, "i64")
            lun.teams(lun.workdiv(n, { team = team }))(text, h, x, n)
            assert.same(want, h:totable())
            local q, b, given = lun.queue(backend, { async = true }), lun.buffer(backend, 4, "i64"), lun.buffer(backend, n, "i64")
            local out = lun.zeros(4, "i64")
            lun.copy(q, given, x:eval())
            q:enqueue(lun.task(lun.workdiv(n, { team = team }), text, b, given, n))
            lun.copy(q, out, b)
            q:wait()
            assert.same(want, out:totable())
        end)
    end)

    it("checks indices of the function's arrays, and refuses other elements", function()
        everywhere(function()
            local v = lun.zeros(3, "i64")
            refused("line 2: index 3 is out of range for array 'v' of length 3", lun.each, 4,
                "(int i, long *v) {\nLUN_ATOMIC_ADD(v, (i * 6 / 3 - i % 7), 1); }", v)
            assert.same({ 0, 0, 0 }, v:totable())
            refused("index -1 is out of range for array 'v' of length 3", lun.teams { league = 2 },
                "(long *v) { LUN_ATOMIC_MAX(v, -1, 2); }", v)
            refused("LUN_ATOMIC_ADD on elements of bool: it is for numbers", lun.each, 1,
                "(int i, bool *v) { LUN_ATOMIC_ADD(v, i, 1); }", lun.zeros(1, "bool"))
            refused("LUN_ATOMIC_BOR on elements of f64: it is for integers", lun.each, 1,
                "(int i, double *v) { LUN_ATOMIC_BOR(v, i, 1); }", lun.zeros(1))
            refused("LUN_ATOMIC_ADD of a pointer to const", lun.each, 1,
                "(int i, long *w, const long *v) { LUN_ATOMIC_ADD(v, i, 1); w[0] = 1; }", v, lun.ones(3, "i64"))
            refused("LUN_ATOMIC_CAS(w, i, expected, x) takes an array, an index and two values", lun.each, 1,
                "(int i, long *v) { LUN_ATOMIC_CAS(v); }", v)
        end)
    end)
end)
