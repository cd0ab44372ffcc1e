-- Labels, read-only views, aliases, arrays that are empty at first and that change their size. What arrays hold is
-- compared with Lua tables.

local lun = require "lunarray"
local expect = require "expect"
local onplaces = require "onplaces"
local shell = require "shell"

local function sum_of(list)
    local sum = 0
    for _, x in ipairs(list) do
        sum = sum + x
    end
    return sum
end

describe("a label", function()
    it("is given when an array is made, and later", function()
        assert.equal("rho", lun.vector({ 1, 2 }, "f64", { label = "rho" }):label())
        assert.equal("u", lun.zeros({ 2, 3 }, "f32", { label = "u" }):label())
        assert.equal("u", lun.ones(2, { label = "u" }):label())
        assert.equal("v", lun.full(3, 7, nil, { label = "v" }):label())
        assert.equal("e", lun.empty(3, "i32", { label = "e" }):label())
        assert.equal("r", lun.random(3, { seed = 1, label = "r" }):label())
        assert.equal("r", lun.random(3, { dist = "exponential", label = "r" }):label())
        local a = lun.index(3)
        assert.is_nil(a:label())
        assert.equal(a, a:label "ids")
        assert.equal("ids", a:label())
        assert.equal(a, a:label(nil))
        assert.is_nil(a:label())
    end)

    it("is that of the array and its windows, not of copies and results", function()
        local a = lun.vector({ { 1, 2 }, { 3, 4 } }, "f64", { label = "A" })
        assert.equal("A", a[1]:label())
        assert.equal("A", a:transpose():label())
        assert.is_nil(a:copy():label())
        assert.equal("B", a:copy({ label = "B" }):label())
        assert.is_nil((a + 1):label())
        assert.equal("row", a[2]:label("row"):label())
        assert.equal("A", a:label())
        a:fill(7)
        assert.equal("A", a:label())
    end)

    it("stands in errors", function()
        local a = lun.vector({ 1.0, 2.0, 3.0 }, "f64", { label = "rho" })
        expect.failure("'rho' f64[3] and i64[2]", function() return a + lun.vector { 1, 2 } end)
        expect.failure("index 5 of 'rho' is out of range: 1 to 3", function() return a[5] end)
        expect.failure("index 9 of 'rho' is out of range: 1 to 3", function() a[9] = 1 end)
        expect.failure("a Vector 'rho' f64[3] has 1", function() return a:sum { axis = 3 } end)
        expect.failure("'rho' f64[3]", function() return a:matmul(lun.ones(2, 2)) end)
    end)

    it("stands in plans and profiles", function()
        local a = lun.vector({ 1.0, 2.0, 3.0 }, "f64", { label = "rho" })
        local b = lun.vector({ 1.0, 2.0, 3.0 }, "f64", { label = "u" })
        local e = (a * 2 + b):label "flux"
        local plan = lun.explain(e)
        assert.equal("rho, u, flux", plan[1].labels)
        assert.truthy(tostring(plan):find("of: rho, u, flux", 1, true))
        assert.truthy(plan.graph:find("array f64[3] 'rho'", 1, true))
        assert.equal("", lun.explain(lun.ones(3) + 1)[1].labels)
        local print, text = _G.print, {}
        _G.print = function(x) text[#text + 1] = x end
        local ok, rows = pcall(lun.profile, function() e:eval() end)
        _G.print = print
        assert(ok, rows)
        assert.equal("rho, u, flux", rows[1].labels)
        assert.truthy(text[1]:find("of rho, u, flux", 1, true))
    end)

    it("is a short text without control characters", function()
        local a = lun.ones(2)
        expect.failure("the label has 32 bytes, at most 31 are allowed", a.label, a, ("x"):rep(32))
        expect.failure("byte 2 of the label is a control character", a.label, a, "a\nb")
        expect.failure("the label has a NUL byte", a.label, a, "a\0b")
        expect.failure("string expected", a.label, a, {})
        expect.failure("option label: a text expected, got 3", lun.zeros, 2, { label = 3 })
        expect.failure("at most 31 are allowed", lun.zeros, 2, { label = ("x"):rep(32) })
        expect.failure("the options are layout, align, label, readonly", lun.zeros, 2, { lable = "x" })
        assert.equal(("x"):rep(31), a:label(("x"):rep(31)):label())
    end)
end)

describe("a read-only view", function()
    it("shows what is written to its array, and lets nothing be written", function()
        local a = lun.vector { 1.0, 2.0, 3.0 }
        local r = a:readonly()
        a[2] = 20.0
        expect.elements({ 1.0, 20.0, 3.0 }, r)
        expect.elements({ 2.0, 40.0, 6.0 }, r * 2)
        local writes = {
            function() r[1] = 5 end,
            function() r:fill(5) end,
            function() r:set(lun.zeros(3)) end,
            function() r:put({ 1 }, 5) end,
            function() r:sub(1, 2)[1] = 5 end,
            function() r:sub(1, 2):fill(5) end,
            function() r:append(5) end,
            function() r:resize(5) end,
            function() lun.eval(a + 1, { out = { r } }) end,
            function() lun.map("+"):run { a, 1, out = r } end,
            function() lun.each(3, function(i) r[i] = 5.0 end) end,
            function() lun.each(3, "void f(int i, double *x) { x[i] = 5; }", r) end,
            function() lun.teams { league = 1 }(function() r[1] = 5.0 end) end,
        }
        for k, write in ipairs(writes) do
            local ok, message = pcall(write)
            assert(not ok, "write number " .. k .. " did not fail")
            if k ~= 10 then
                assert(tostring(message):find("read-only", 1, true), k .. ": " .. tostring(message))
            end
        end
        expect.elements({ 1.0, 20.0, 3.0 }, a)
    end)

    it("is read by functions as any array, and copied to one that is written", function()
        local r = lun.vector({ 1.0, 2.0, 3.0 }):readonly()
        expect.elements({ 1.0, 4.0, 9.0 }, lun.index(3):map(function(i) return r[i] * r[i] end))
        expect.elements({ 2.0, 3.0, 4.0 }, lun.map("double f(double x, const double *w) { return w[0] + x; }")(r, r))
        local c = r:copy()
        c[1] = 7
        expect.elements({ 7.0, 2.0, 3.0 }, c)
        expect.elements({ 1.0, 2.0, 3.0 }, r)
    end)

    it("is what is made with readonly = true", function()
        for _, a in ipairs {
            lun.vector({ 1, 2 }, "f64", { readonly = true }), lun.zeros(2, "f64", { readonly = true }),
            lun.ones({ 2, 2 }, "f32", { readonly = true, layout = "left" })[1], lun.full(2, 7, "i64", { readonly = true }),
            lun.random(2, { readonly = true }), lun.ones(2):copy({ readonly = true }),
        } do
            expect.failure("read-only", function() a[1] = 1 end)
        end
        lun.zeros(2, { readonly = false })[1] = 1
        expect.failure("option readonly: true or false expected, got 1", lun.zeros, 2, { readonly = 1 })
    end)

    it("is so for both parts of complex numbers and for what is missing", function()
        local z = lun.vector({ lun.complex(1, 2) }):readonly()
        expect.failure("read-only", function() z[1] = 0 end)
        expect.failure("read-only", function() z.re[1] = 0 end)
        expect.failure("read-only", function() z.im[1] = 0 end)
        local m = lun.vector({ 1, lun.na }):readonly()
        expect.failure("read-only", function() m[1] = lun.na end)
        expect.failure("read-only", function() m[2] = 5 end)
        local t = lun.vector({ "a", "b" }):readonly()
        expect.failure("read-only", function() t[1] = "c" end)
    end)
end)

describe("aliases", function()
    it("are windows that have an element in common", function()
        local a = lun.zeros(4, 6)
        assert.is_true(a:aliases(a))
        assert.is_true(a:aliases(a:readonly()))
        assert.is_true(a[2]:aliases(a:col(3)))
        assert.is_false(a[2]:aliases(a[3]))
        assert.is_true(a:transpose():aliases(a))
        assert.is_false(a:sub({}, { 1, -1, 2 }):aliases(a:sub({}, { 2, -1, 2 })))
        assert.is_true(a:sub({}, { 1, -1, 2 }):aliases(a:sub({}, { 1, -1, 3 })))
        assert.is_false(a:aliases(a:copy()))
        assert.is_false(a:aliases(a + 0))
        assert.is_false(lun.ones(2):aliases(lun.ones(2)))
        assert.is_false(a:sub({ 3, 2 }):aliases(a))
        expect.failure("array expected", a.aliases, a, 3)
    end)

    it("are the pairs of windows that a count of elements finds", function()
        local a, cuts = lun.zeros(7, 9), {}
        for k = 1, 40 do
            local i, j, di, dj = k * 5 % 7 + 1, k * 4 % 9 + 1, k % 3 + 1, k * 7 % 4 + 1
            cuts[k] = { i, j, di, dj }
        end
        for k = 1, 39 do
            local p, q = cuts[k], cuts[k + 1]
            local seen, common = {}, false
            for r = p[1], 7, p[3] do
                for c = p[2], 9, p[4] do seen[r * 100 + c] = true end
            end
            for r = q[1], 7, q[3] do
                for c = q[2], 9, q[4] do common = common or seen[r * 100 + c] or false end
            end
            local one = a:sub({ p[1], -1, p[3] }, { p[2], -1, p[4] })
            assert.equal(common, one:aliases(a:sub({ q[1], -1, q[3] }, { q[2], -1, q[4] })), k)
        end
    end)
end)

describe("an empty array", function()
    it("has elements when they are written", function()
        for _, dtype in ipairs { "bool", "i8", "u16", "f16", "f32", "f64", "i64", "c128" } do
            local a = lun.empty({ 3, 5 }, dtype)
            assert.same({ 3, 5 }, { a:shape() })
            assert.equal(dtype, a:dtype())
            a:fill(dtype == "bool" or 1)
            assert.equal(15, a:ne(0):count())
        end
        assert.equal("f64", lun.empty(2):dtype())
        assert.equal(0, #lun.empty(0))
        assert.equal("left", lun.empty(3, 4, "f32", { layout = "left" }):layout())
        expect.failure("negative", lun.empty, -1)
        expect.failure("unknown dtype", lun.empty, 3, "f31")
    end)

    it("has zeros in a sandbox", function()
        local scratch = shell.scratch()
        shell.write(scratch .. "/s.lua", [[
            for k = 1, 50 do local a = lun.ones(1000 + k); a[1] = k; a:free() end
            local sum = 0
            for k = 1, 50 do sum = sum + lun.empty(1000 + k):abs():sum() end
            print(sum)]])
        local output = shell.capture(shell.interpreter() .. " --sandbox " .. scratch .. "/s.lua 2>&1")
        shell.discard(scratch)
        assert.equal("0.0\n", output)
    end)
end)

describe("resize", function()
    it("keeps the elements that both shapes have", function()
        for _, shape in ipairs { { 2, 3 }, { 5, 7 }, { 1, 8 }, { 4, 1 }, { 0, 4 }, { 3, 4 } } do
            local list, model = {}, {}
            for i = 1, 3 do
                list[i] = {}
                for j = 1, 4 do list[i][j] = i * 10 + j end
            end
            for i = 1, shape[1] do
                model[i] = {}
                for j = 1, shape[2] do model[i][j] = list[i] and list[i][j] or 0 end
            end
            local a = lun.vector(list):label "A"
            assert.equal(a, a:resize(shape))
            assert.same({ shape[1], shape[2] }, { a:shape() })
            assert.same(model, a:totable())
            assert.equal("A", a:label())
            if shape[1] > 0 then
                a[1][1] = 7
                assert.equal(7, a[1][1])
            end
        end
    end)

    it("leaves windows with the old elements, and missing texts and dates behind the others", function()
        local a = lun.vector { 1, 2, 3 }
        local w = a:sub(2, 3)
        a:resize(2)
        a[2] = 20
        expect.elements({ 2, 3 }, w)
        expect.elements({ 1, 20 }, a)
        local t = lun.vector({ "a", "b" }):resize(3)
        assert.equal("a", t[1])
        assert.is_nil(t[3])
        assert.is_nil(lun.vector({ "2024-01-05" }, "date"):resize(2)[2])
        local m = lun.vector({ 1, lun.na, 3 }):resize(2)
        assert.is_nil(m[2])
        assert.same({ 1, 2, 0 }, lun.vector({ 1.0, 2.0 }, "i32"):resize(3):totable())
    end)

    it("refuses other numbers of axes, windows and wrong extents, and changes nothing then", function()
        local a = lun.vector { { 1, 2 }, { 3, 4 } }
        expect.failure("i64[2, 2] keeps its number of axes: 2 extents expected, got 1", a.resize, a, 4)
        expect.failure("negative", a.resize, a, -1, 2)
        expect.failure("cannot be resized: resize a copy", function() a[1]:resize(3) end)
        assert.same({ { 1, 2 }, { 3, 4 } }, a:totable())
    end)
end)

describe("append", function()
    it("adds numbers and Vectors one after the other", function()
        for _, dtype in ipairs { "bool", "i8", "u64", "f16", "f32", "f64" } do
            local a, model = lun.zeros(0, dtype), {}
            for k = 1, 300 do
                local x = k % 2
                if dtype == "bool" then x = x == 1 end
                model[#model + 1] = dtype:find "f" and x + 0.0 or x
                assert.equal(a, a:append(x))
            end
            a:append(a)
            assert.equal(600, #a)
            for k = 1, 300 do model[300 + k] = model[k] end
            expect.elements(model, a)
        end
        local v = lun.vector({ 1, 2 }, "i32")
        v:append(lun.vector { 3, 4, 5 }):append(lun.index(2) * 10):append(lun.zeros(0)):append(lun.full(2, 7))
        expect.elements({ 1, 2, 3, 4, 5, 10, 20, 7, 7 }, v)
        expect.elements({ 1, 2, 3, 9 }, lun.index(3):append(9))
        expect.elements({ 2.0, 4.0, 0.5 }, (lun.vector { 1.0, 2.0 } * 2):append(0.5))
    end)

    it("leaves windows on the Vector valid, and other holders of its elements alone", function()
        local a = lun.vector { 1, 2, 3 }
        local w, old, copy = a:sub(2, 3), a + 0, a:copy()
        for k = 4, 200 do
            a:append(k)
            if k == 100 then copy = a:copy() end
        end
        w[1] = 50
        assert.equal(50, a[2])
        a[3] = 60
        expect.elements({ 50, 60 }, w)
        expect.elements({ 1, 2, 3 }, old)
        copy:append(-1)
        assert.equal(-1, copy[101])
        assert.equal(101, a[101])
        assert.equal(200, #a)
    end)

    it("takes constant time for each element: memory is doubled", function()
        local a, list = lun.zeros(0, "i64"), {}
        local before = lun.stats().allocations
        for k = 1, 20000 do
            a:append(k)
            list[k] = k
        end
        assert.equal(sum_of(list), a:sum())
        assert.truthy(lun.stats().allocations - before < 40)
    end)

    it("takes missing elements, texts and dates", function()
        local m = lun.vector { 1, lun.na }
        m:append(lun.na):append(4):append(lun.vector { 5, lun.na })
        assert.equal(3, m:count_nonzero())
        assert.same({ 1, nil, nil, 4, 5, nil }, { m[1], m[2], m[3], m[4], m[5], m[6] })
        local p = lun.vector { 1, 2 }
        p:append(lun.na)
        assert.is_nil(p[3])
        assert.equal(2, p[2])
        local t = lun.vector { "a", "b" }
        local w = t:sub(2, 2)
        t:append("c"):append(lun.vector { "a", "dd" }):append(lun.na)
        assert.same({ "a", "b", "c", "a", "dd" }, { t[1], t[2], t[3], t[4], t[5] })
        assert.is_nil(t[6])
        assert.equal("b", w[1])
        local d = lun.vector({ "2024-01-31" }, "date")
        d:append("2024-02-01"):append(lun.vector({ "2024-02-02" }, "date"))
        assert.same({ "2024-01-31", "2024-02-01", "2024-02-02" }, { d[1], d[2], d[3] })
    end)

    it("refuses what does not fit, and changes nothing then", function()
        local a = lun.vector({ 1, 2 }, "i32")
        expect.failure("number 1.5 does not fit into dtype i32", a.append, a, 1.5)
        expect.failure("a Vector or a number expected, got f64[2, 2]", a.append, a, lun.zeros(2, 2))
        expect.failure("array or number expected, got string", a.append, a, "x")
        expect.failure("value expected", a.append, a)
        expect.failure("a Vector without gaps expected, got f64[2, 2]", function() lun.zeros(2, 2):append(1) end)
        expect.failure("which cannot be appended to: append to a copy", function() a:sub(1, 1):append(1) end)
        expect.failure("c128[1] does not grow", function() lun.vector({ lun.complex(1, 2) }):append(1) end)
        expect.failure("date and i64", function() lun.vector({ "2024-01-31" }, "date"):append(lun.vector { 1 }) end)
        expect.elements({ 1, 2 }, a)
    end)
end)

describe("on sets of places", function()
    onplaces.restore(before_each, after_each)

    it("arrays grow, are resized, read-only and labelled as on one place", function()
        for _, set in ipairs(onplaces.sets) do
            lun.use(set)
            local a = lun.vector({ 1.0, 2.0, 3.0 }, "f64", { label = "rho" })
            for k = 4, 100 do
                a:append(k)
                if k % 10 == 0 then
                    assert.equal(k * (k + 1) / 2, (a * 1):sum())
                end
            end
            a:resize(50)
            assert.equal(1275.0, (a + 0):sum())
            expect.failure("'rho' f64[50] is read-only", function() a:readonly()[1] = 1 end)
            local b = lun.ones(64):distribute "block"
            b:append(5)
            assert.equal(69.0, (b + 0):sum())
            assert.truthy(lun.empty(5):fill(2):sum() == 10)
        end
    end)
end)
