-- lun.stencil against the same function on plain lists: every edge, ranks 1 to 3, radii beyond the array, layouts,
-- several arrays and results, on every backend.
local lun = require "lunarray"

local BACKENDS = { "reference", "openmp", "opencl" }

-- An accessor of a list with that shape, at index `at` (from 0, a list), by the edges of its axes; keep: nil where it
-- stands beyond an end of such an axis.
local function accessor(list, shape, edges, at)
    return function(...)
        local flat, outside = 0, nil
        for k, n in ipairs(shape) do
            local i = at[k] + select(k, ...)
            if i < 0 or i >= n then
                local edge = edges[k]
                if edge == "wrap" then
                    i = i % n
                elseif edge == "nearest" or edge == "keep" then
                    i = i < 0 and 0 or n - 1
                else
                    outside = edge
                end
            end
            flat = flat * n + i
        end
        return outside or list[flat + 1]
    end
end

-- Whether index `at` is kept: a stencil that reaches {before, after} so far along each axis, or `reach` along all, would
-- leave an axis that keeps.
local function kept(shape, edges, reach, at)
    for k, n in ipairs(shape) do
        local before, after = reach, reach
        if type(reach) == "table" then
            before, after = reach[k][1], reach[k][2]
        end
        if edges[k] == "keep" and (at[k] < before or at[k] >= n - after) then
            return true
        end
    end
    return false
end

local function product(shape)
    local n = 1
    for _, extent in ipairs(shape) do
        n = n * extent
    end
    return n
end

local function index_of(f, shape)
    local at = {}
    for k = #shape, 1, -1 do
        at[k] = f % shape[k]
        f = f // shape[k]
    end
    return at
end

local function model(f, lists, shape, edges, reach)
    local out = {}
    for i = 0, product(shape) - 1 do
        local at, accessors = index_of(i, shape), {}
        for k, list in ipairs(lists) do
            accessors[k] = accessor(list, shape, edges, at)
        end
        out[i + 1] = kept(shape, edges, reach, at) and lists[1][i + 1] or f(table.unpack(accessors))
    end
    return out
end

local function some(n, seed)
    local list, x = {}, seed
    for i = 1, n do
        x = x * 1103515245 + 12345 & 0x7fffffff
        list[i] = (x >> 8) % 1000 / 8
    end
    return list
end

-- By rank: functions of one accessor, with how far they look, and the same in C.
local functions = {
    {
        { function(x) return x(-1) + 2 * x(0) - x(1) end, 1, "(double x) { return get(x, -1) + 2 * x - get(x, 1); }" },
        { function(x) return x(3) - x(-3) end, 3, "double f(const double *x) { return get(x, 3) - get(x, -3); }" },
        { function(x) return x(0) * 2 end, 0, "(double x) { return get(x, 0) * 2; }" },
        { function(x) return math.max(x(-9), x(9), x(1)) end, 9,
            "(double x) { return fmax(fmax(get(x, -9), get(x, 3 * 3)), get(x, 1)); }" },
    },
    {
        { function(x) return (x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1)) / 4 end, 1,
            "(double x) { return (get(x, -1, 0) + get(x, 1, 0) + get(x, 0, -1) + get(x, 0, 1)) / 4; }" },
        { function(x) if x(0, 0) > x(1, 1) then return x(-2, 2) end return x(0, -1) - x(-1, 0) end, { { 2, 1 }, { 1, 2 } },
            "(double x) { if (x > get(x, 1, 1)) return get(x, -2, 2); return get(x, 0, -1) - get(x, -1, 0); }" },
    },
    {
        { function(x) return x(0, 0, -1) + x(0, 1, 0) * x(-1, 0, 0) - x(1, 1, 1) end, { { 1, 1 }, { 0, 1 }, { 1, 1 } },
            "(double x) { return get(x, 0, 0, -1) + get(x, 0, 1, 0) * get(x, -1, 0, 0) - get(x, 1, 1, 1); }" },
    },
}
local shapes = { { { 1 }, { 5 }, { 64 }, { 200 } }, { { 1, 1 }, { 3, 70 }, { 40, 3 }, { 9, 9 } }, { { 2, 3, 4 }, { 5, 1, 9 } } }

for _, backend in ipairs(BACKENDS) do
    describe("a stencil on " .. backend, function()
        local before = lun.use()

        setup(function()
            lun.use(backend)
        end)

        teardown(function()
            lun.use(before)
        end)

        for rank = 1, 3 do
            it("gives what plain loops give, rank " .. rank, function()
                local cases = backend == "opencl" and 1 or #functions[rank]
                for number = 1, cases do
                    local f, reach, text = table.unpack(functions[rank][number])
                    for _, shape in ipairs(shapes[rank]) do
                        local list = some(product(shape), number)
                        local a = lun.vector(list):reshape(shape)
                        local left = a:copy { layout = "left" }
                        for _, edge in ipairs { "wrap", "nearest", 2.5, "keep" } do
                            local edges = {}
                            for k = 1, rank do
                                edges[k] = edge
                            end
                            local want = model(f, { list }, shape, edges, reach)
                            local options = { edge = edge, radius = type(reach) == "table" and 2 or reach }
                            for _, form in ipairs { f, text } do
                                local s = lun.stencil(form, options)
                                local name = ("%s %d, {%s}, %s"):format(type(form), number, table.concat(shape, ", "), edge)
                                assert.same(want, s(a):flatten():totable(), name)
                                assert.same(want, s(left):flatten():totable(), name .. ", left")
                                assert.equal(lun.vector(want):max(), s(a):max(), name)
                            end
                        end
                    end
                end
            end)
        end

        it("takes another edge for each axis", function()
            local f, shape = functions[2][1][1], { 7, 11 }
            local list = some(77, 3)
            local a = lun.vector(list):reshape(shape)
            for _, edges in ipairs { { "keep", "wrap" }, { 1.5, "nearest" }, { "wrap", 1.5 } } do
                assert.same(model(f, { list }, shape, edges, 1), lun.stencil(f, { edge = edges })(a):flatten():totable())
            end
        end)

        it("takes several arrays, numbers, helpers, and gives several results", function()
            local function laplace(x, i, j)
                return x(i + 1, j) + x(i - 1, j) + x(i, j + 1) + x(i, j - 1) - 4 * x(i, j)
            end
            local shape = { 6, 8 }
            local u, v = some(48, 1), some(48, 2)
            local k = 0.25
            local s = lun.stencil(function(x, y, c)
                return x(0, 0) + c * k * laplace(y, 0, 0), laplace(x, 0, -1) - y(2, 2)
            end, { elements = 2, edge = "wrap" })
            local p, q = s(lun.vector(u):reshape(shape), lun.vector(v):reshape(shape), 2)
            local edges = { "wrap", "wrap" }
            assert.same(model(function(x, y) return x(0, 0) + 2 * k * laplace(y, 0, 0) end, { u, v }, shape, edges, 1),
                p:flatten():totable())
            assert.same(model(function(x, y) return laplace(x, 0, -1) - y(2, 2) end, { u, v }, shape, edges, 2),
                q:flatten():totable())
        end)

        it("keeps of result k the border of array k, of further results that of the first", function()
            local s = lun.stencil(function(x, y)
                return x(-1) + x(1), y(-1) + y(1), x(1) - y(1)
            end, { elements = 2, edge = "keep" })
            local p, q, r = s(lun.vector { 1, 2, 3, 4 }, lun.vector { 10, 20, 30, 40 })
            assert.same({ 1, 4, 6, 4 }, p:totable())
            assert.same({ 10, 40, 60, 40 }, q:totable())
            assert.same({ 1, -27, -36, 4 }, r:totable())
        end)

        it("chooses elements by offsets that depend on data", function()
            local shape = { 7, 9 }
            local u, steps = some(63, 1), {}
            for i, x in ipairs(some(63, 2)) do steps[i] = math.floor(x) % 3 - 1 end
            local function highest(x)
                local bi, bj = 0, 0
                for di = -1, 1 do
                    for dj = -1, 1 do if x(di, dj) > x(bi, bj) then bi, bj = di, dj end end
                end
                return x(bi, bj) * 10 + bi - bj
            end
            local function follow(x, d)
                local i, s = d(0, 0), 0
                for k = -i, d(0, 1) + 1 do s = s + x(k, i) end
                return s + x(0, d(0, -1) * 2)
            end
            local a, d = lun.vector(u):reshape(shape), lun.vector(steps):reshape(shape)
            for _, edge in ipairs { "wrap", "nearest", 1, "keep" } do
                local edges = { edge, edge }
                assert.same(model(highest, { u }, shape, edges, 1),
                    lun.stencil(highest, { radius = 1, edge = edge })(a):flatten():totable(), tostring(edge))
                assert.same(model(follow, { u, steps }, shape, edges, { { 2, 2 }, { 2, 2 } }),
                    lun.stencil(follow, { elements = 2, radius = { 2, 2 }, edge = edge })(a, d):flatten():totable(), tostring(edge))
            end
            local short = lun.stencil(function(x, i) return x(i(0)) end, { elements = 2, radius = 1 })
            local offsets = lun.vector { 0, 1, -1, 0 }
            assert.same({ 5, 8, 6, 9 }, short(lun.vector { 5, 6, 8, 9 }, offsets):totable())
            offsets[3] = -2
            local _, message = pcall(function() return short(lun.vector { 5, 6, 8, 9 }, offsets):eval() end)
            assert.matches("offset -2 is beyond the radius of axis 1, which is 1", tostring(message), 1, true)
        end)

        it("takes C functions of several arrays, elements, numbers and whole arrays", function()
            local shape = { 6, 8 }
            local u, v, w = some(48, 1), some(48, 2), { 0.25, 3.5 }
            local s = lun.stencil([[
                double mean(double a, double b) { return (a + b) / 2; }
                double f(const double *x, double y, double c, const double *w, long k)
                {
                    double sum = 0, near[2] = {get(x, 0, -1), get(x, 0, 1)};
                    for (int i = 0; i < 2; i++)
                        sum += near[i] * w[i];
                    return sum + c * mean(y, get(y, 1,
                                                 1)) - LUN_AT(w, k);
                }]], { elements = 2, edge = "wrap" })
            local want = model(function(x, y)
                local sum = x(0, -1) * w[1]
                sum = sum + x(0, 1) * w[2]
                return sum + 2.5 * ((y(0, 0) + y(1, 1)) / 2) - w[2]
            end, { u, v }, shape, { "wrap", "wrap" }, 1)
            local a, b, weights = lun.vector(u):reshape(shape), lun.vector(v):reshape(shape), lun.vector(w)
            assert.same(want, s(a, b, 2.5, weights, 1):flatten():totable())
            local _, message = pcall(function() return s(a, b, 2.5, weights, 2):eval() end)
            assert.matches("C function, line 8: index 2 is out of range for array 'w' of length 2", tostring(message), 1, true)
        end)

        it("takes C functions of other dtypes, with many neighbours, and divides by none of them", function()
            local list = {}
            for i = 1, 130 do
                list[i] = i * 7 % 11 + 1
            end
            local a = lun.vector(list, "i32")
            local function model_of(f)
                return model(f, { list }, { #list }, { "wrap" }, 1)
            end
            local quotient = lun.stencil("(int x) { return get(x, 1) / get(x, -1) + get(x, 2) % 5; }", { edge = "wrap" })
            assert.same(model_of(function(x) return x(1) // x(-1) + x(2) % 5 end), quotient(a):totable())
            local zero = a:copy()
            zero[7] = 0
            local _, message = pcall(function() return quotient(zero):eval() end)
            assert.matches("C function, line 1: attempt to perform 'n/0'", tostring(message), 1, true)
            local terms = {}
            for i = -24, 24 do
                terms[#terms + 1] = ("get(x, %d) * %d"):format(i, i)
            end
            local wide = lun.stencil("long f(int x) { return " .. table.concat(terms, "\n + ") .. "; }", { edge = "wrap" })
            assert.same(model_of(function(x)
                local sum = 0
                for i = -24, 24 do
                    sum = sum + x(i) * i
                end
                return sum
            end), wide(a):totable())
            -- f32 elements of f64 ones; a result of its own type
            local narrow = lun.stencil "int f(float x) { return (int)get(x, 0) - (int)get(x, 1); }"
            assert.same({ -1, -2, 0 }, narrow(lun.vector { 1.5, 2.75, 4.25 }):totable())
        end)

        it("goes on in loops, in place and on lazy arrays", function()
            local s = lun.stencil(function(x) return (x(-1) + x(1)) / 2 end)
            local list = some(100, 5)
            local a, eager = lun.vector(list), lun.vector(list)
            for _ = 1, 5 do
                a = s(a)
                list = model(function(x) return (x(-1) + x(1)) / 2 end, { list }, { 100 }, { "nearest" }, 1)
                s:run { eager, out = eager }
            end
            assert.same(list, a:totable())
            assert.same(list, eager:totable())
            local b = lun.vector(some(100, 6))
            assert.same(s((b * 2 + 1):eval()):totable(), s(b * 2 + 1):totable())
            assert.same(s(b:sub(-1, 1, -3):copy()):totable(), s(b:sub(-1, 1, -3)):totable())
        end)
    end)
end

describe("a stencil", function()
    it("is one kernel with what is computed of it, and reads each array once", function()
        local s = lun.stencil(function(x) return x(-1, 0) + x(1, 0) + x(0, -1) + x(0, 1) end)
        local a = lun.random({ 100, 100 }, { dtype = "f32" }):eval()
        local want = (s(a):eval() * 2 - a):eval():sum()
        lun.stats "reset"
        assert.equal(want, (s(a) * 2 - a):sum())
        local stats = lun.stats()
        assert.equal(1, stats.launches)
        assert.equal(0, stats.bytes_written)
    end)

    it("is a method and a stage of a sequence", function()
        local a = lun.vector { 1, 2, 4 }
        assert.same({ 1, 1, 2 }, a:stencil(function(x) return x(0) - x(-1) end, { edge = 0 }):totable())
        local chain = lun.stencil(function(x) return x(1) end) >> lun.map(function(x) return x * 10 end)
        assert.same({ 20, 40, 40 }, chain(a):totable())
        assert.same({ 2.0, 4.0, 4.0 }, lun.stencil(function(x) return x(1) end, { out = "f32" })(a):totable())
    end)

    it("takes what is empty", function()
        assert.same({}, lun.stencil(function(x) return x(1) end)(lun.zeros(0)):totable())
        assert.same({}, lun.stencil "(double x) { return get(x, 1); }" (lun.zeros(0)):totable())
        assert.same({ 0, 3 }, { lun.stencil(function(x) return x(1, 1) end)(lun.zeros { 0, 3 }):shape() })
    end)

    it("says what is wrong, and where", function()
        local v = lun.vector { 1, 2, 3 }
        local function fails(text, f)
            local _, message = pcall(f)
            assert.matches(text, message, 1, true)
        end
        fails("x(...) with 2 offsets: it takes 1, one for each axis",
            function() return lun.stencil(function(x) return x(0, 1) end)(v) end)
        fails("offset 1 of x(...) is not an integer constant: write out each element that is read",
            function() return lun.stencil(function(x, i) return x(i) end)(v, 1) end)
        fails("offset -2 of x(...) is beyond the radius of axis 1, which is 1",
            function() return v:stencil(function(x) return x(-2) end, { radius = 1 }) end)
        fails("the function reads no element around its index", function() return lun.stencil(function() return 1 end)(v) end)
        fails("arithmetic on the elements around an index (local 'x')",
            function() return lun.stencil(function(x) return x + 1 end)(v) end)
        fails("a stencil takes a Lua function or a C function", function() return lun.stencil(lun.op.neg)(v) end)
        fails("offset 1 of x(...) is not an integer constant: write out each element that is read, use loops with constant " ..
            "bounds, of at most 64 rounds, or give the option radius",
            function() return lun.stencil(function(x) return x(x(0)) end)(v) end)
        fails("x(...) with offsets that are not constants may read more than 64 elements: give a smaller radius",
            function() return lun.stencil(function(x) return x(x(0)) end, { radius = 32 })(v) end)
        fails("an offset that is a float: make it an integer with math.floor or //",
            function() return lun.stencil(function(x) return x(x(0) / 2) end, { radius = 3 })(v) end)
        fails("an offset on the elements around an index",
            function() return lun.stencil(function(x) return x(x) end, { radius = 3 })(v) end)
        fails("the function reads no element around its index: get(x, -1, 0) is one, with an offset for each axis",
            function() return lun.stencil "(double x) { return x; }" (v) end)
        fails("get(x, ...) with 2 offsets: it takes 1, one for each axis of the array",
            function() return lun.stencil "(double x) { return get(x, 0, 1); }" (v) end)
        fails("C function, line 2: offset 1 of get(x, ...) is not an integer constant: write out each element that is read",
            function() return lun.stencil "(double x, int i) {\n return get(x, i); }" end)
        fails("offset -2 of get(x, ...) in line 1 is beyond the radius of axis 1, which is 1",
            function() return v:stencil("(double x) { return get(x, -2); }", { radius = 1 }) end)
        fails("get reads parameter 2 of the function, which takes an extra argument; elements=2 passes it an array",
            function() return lun.stencil "(double x, double y) { return get(x, 1) + get(y, 1); }" (v, 1) end)
        fails("the function has 1 parameter, but is called with 1 element and 1 extra argument",
            function() return lun.stencil "(double x) { return get(x, 1); }" (v, 1) end)
        fails("get(x, ...) reads elements around an index: only a stencil's function may",
            function() return lun.map "(double x) { return get(x, 1); }" (v) end)
        fails("reduce and scan need a function of two values",
            function() return v:scan("(double x, double y) { return get(x, 0) + get(y, 0); }", 0) end)
        fails('"keep", "wrap", "nearest" or a number expected, got no',
            function() return lun.stencil(function(x) return x(0) end, { edge = "no" }) end)
        fails("only one number can stand beyond the ends",
            function() return lun.stencil(function(x) return x(0, 0) end, { edge = { 1, 2 } }) end)
        fails("option edge lists 2 axes, the array has 1",
            function() return v:stencil(function(x) return x(0) end, { edge = { "wrap", "wrap" } }) end)
        fails("option radius: an integer of at least 0 expected, got -1",
            function() return lun.stencil(function(x) return x(0) end, { radius = -1 }) end)
        fails("a stencil takes arrays of one shape: array 1 is i64[3], array 2 is i64[2]",
            function() return lun.stencil(function(x, y) return x(0) + y(0) end, { elements = 2 })(v, v:sub(1, 2)) end)
        fails("does not fit into dtype i64", function() return lun.stencil(function(x) return x(1) end, { edge = 0.5 })(v) end)
        assert.same({ 2, 3, 3 }, lun.stencil(function(x) return x(1) end)(v):totable())
    end)

    describe("that is made tells what each call would", function()
        local function fails(text, f, options)
            local ok, message = pcall(lun.stencil, f, options)
            assert.falsy(ok, text)
            assert.matches(text, tostring(message), 1, true)
        end
        -- The line of the caller, with an offset.
        local function line(by)
            return ("stencil_spec.lua:%d: "):format(debug.getinfo(2, "l").currentline + by)
        end

        it("of offsets beyond the radius, with their line", function()
            fails(line(1) .. "offset -2 of x(...) is beyond the radius of axis 1, which is 1", function(x)
                return x(-2, 0) + x(1, 0) end, { radius = 1 })
            fails(line(3) .. "offset 3 of up(...) is beyond the radius of axis 2, which is 2", function(up, w)
                local s = 0
                for i = -1, 1 do s = s + w[i + 2] * up(i, 0) end
                return s + up(1,
                    3) end, { radius = { 1, 2 } })
            fails("offset -2 of x(...) is beyond the radius of axis 1, which is 1", function(x)
                local s = 0
                for i = -2, 2 do s = s + x(i) end
                return s end, { radius = 1, elements = 1 })
            fails("offset 1 of x(...) is beyond the radius of axis 1, which is 0", function(x, c)
                if x(0) > c then return x(1) end return c end, { radius = 0 })
            fails("offset -2 of get(x, ...) in line 3 is beyond the radius of axis 2, which is 1",
                "(double x)\n{ return get(x, 1, 0)\n+ get(x, 0, -2); }", { radius = 1 })
        end)

        it("of as many offsets as there are no axes", function()
            fails(line(1) .. "x(...) with 2 offsets: it takes 3, one for each axis that the options list",
                function(x) return x(0, 1) end, { radius = { 1, 2, 3 } })
            fails("x(...) with 2 offsets: it takes 1, one for each axis that the options list",
                function(x) return x(0, 1) end, { edge = { "wrap" } })
            fails("y(...) with 1 offset, but with another number before: it takes 2, one for each axis",
                function(x, y) return x(0, 1) + y(1) end, { elements = 2 })
            fails("x(...) with 0 offsets: it takes one for each axis, 1 to 8", function(x) return x() end)
            fails("get(x, ...) with 2 offsets: it takes 1, one for each axis that the options list",
                "(double x) { return get(x, 0, 1); }", { radius = { 1 } })
            fails("option edge lists 3 axes, option radius 2", function(x) return x(0, 1) end,
                { edge = { "wrap", "wrap", "wrap" }, radius = { 1, 2 } })
        end)

        it("of what is no function of neighbours", function()
            fails("a stencil takes a Lua function or a C function", lun.op.neg)
            fails("the function reads no element around its index: get(x, -1, 0) is one", "(double x) { return x; }")
        end)

        it("but not of what may change until then", function()
            local v, k, r = lun.vector { 1, 2, 4 }, 3, 3
            local helper = function(x) return x(5, 5) end
            local later
            local s = lun.stencil(function(x) return x(k) end, { radius = 2 })
            local t = lun.stencil(function(x)
                local sum = 0
                for i = -r, r do sum = sum + x(i) end
                return sum
            end, { radius = 2 })
            local u = lun.stencil(function(x) return helper(x) + later(x) end, { radius = 1 })
            local w = lun.stencil(function(x, far) if far then return x(2) end return x(1) end, { radius = 2 })
            k, r = 1, 1
            helper, later = function(x) return x(1) end, function(x) return x(-1) end
            assert.same({ 2, 4, 4 }, s(v):totable())
            assert.same({ 4, 7, 10 }, t(v):totable())
            assert.same({ 3, 5, 6 }, u(v):totable())
            assert.same({ 2, 4, 4 }, w(v):totable())
            k = 3
            local where = line(-15)
            local _, message = pcall(s, v)
            assert.matches(where .. "offset 3 of x(...) is beyond the radius of axis 1, which is 2", message, 1, true)
        end)
    end)
end)
