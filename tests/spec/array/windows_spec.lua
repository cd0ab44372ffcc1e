-- Windows: what shows another array's elements and is written through, what is a value of its own, errors.

local lun = require "lunarray"
local expect = require "expect"
local programs = require "windows_program"
local shell = require "shell"

-- 11 12 13 14
-- 21 22 23 24
-- 31 32 33 34
local function table_of_places(dtype)
    return lun.vector({ { 11, 12, 13, 14 }, { 21, 22, 23, 24 }, { 31, 32, 33, 34 } }, dtype)
end

describe("a window", function()
    it("shows its array's elements and is written through", function()
        for name, case in pairs {
            sub = { function(A) return A:sub({ 2, 3 }, { 2, 3 }) end, { { 22, 23 }, { 32, 33 } } },
            ["sub with steps"] = { function(A) return A:sub({ -1, 1, -2 }, { 1, -1, 3 }) end, { { 31, 34 }, { 11, 14 } } },
            ["sub of some axes"] = { function(A) return A:sub { 3 } end, { { 31, 32, 33, 34 } } },
            ["sub of later axes"] = { function(A) return A:sub({}, { 4 }) end, { { 14 }, { 24 }, { 34 } } },
            ["sub by numbers"] = { function(A) return A:sub(2, -1) end, { { 21, 22, 23, 24 }, { 31, 32, 33, 34 } } },
            ["an index"] = { function(A) return A[2] end, { 21, 22, 23, 24 } },
            select = { function(A) return A:select(2, -1) end, { 14, 24, 34 } },
            ["select of the last axis"] = { function(A) return A:select(-1, 1) end, { 11, 21, 31 } },
            row = { function(A) return A:row(-1) end, { 31, 32, 33, 34 } },
            col = { function(A) return A:col(3) end, { 13, 23, 33 } },
            transpose = { function(A) return A:transpose() end,
                { { 11, 21, 31 }, { 12, 22, 32 }, { 13, 23, 33 }, { 14, 24, 34 } } },
            ["transpose by a list"] = { function(A) return A:transpose { 2, -2 } end,
                { { 11, 21, 31 }, { 12, 22, 32 }, { 13, 23, 33 }, { 14, 24, 34 } } },
            view = { function(A) return A:view(2, -1) end, { { 11, 12, 13, 14, 21, 22 }, { 23, 24, 31, 32, 33, 34 } } },
            diagonal = { function(A) return A:diagonal() end, { 11, 22, 33 } },
            ["diagonal above"] = { function(A) return A:diagonal(2) end, { 13, 24 } },
            ["diagonal below"] = { function(A) return A:diagonal(-1) end, { 21, 32 } },
            ["windows apart"] = { function(A) return A:row(1):windows(2, { step = 2 }) end, { { 11, 12 }, { 13, 14 } } },
            ["a window of windows"] = {
                function(A) return A:transpose():sub({ 2, 4 }):sub({}, { 3, 1, -1 }):select(2, 1):sub(2) end, { 33, 34 },
            },
        } do
            for _, dtype in ipairs { "f64", "i32", "u8", "f16" } do
                local A = table_of_places(dtype)
                local w, doubled = case[1](A), case[1](A) * 2
                assert.equal("View", w:kind(), name)
                assert.equal(dtype, w:dtype())
                assert.same(case[2], w:cast("i64"):totable(), name)
                A:set(A + 1) -- what the array holds now
                assert.same((case[1](A)):totable(), w:totable(), name)
                local before = A:copy()
                w:fill(7)
                assert.is_true(w:eq(7):all(), name)
                assert.is_true(case[1](A):eq(7):all(), name)
                assert.equal(w:size(), A:ne(before):count(), name) -- and nothing beside it
                local twice = lun.vector(case[2]) * 2
                assert.is_true(doubled:cast "i64":eq(twice:cast(dtype):cast "i64"):all(), name) -- an old expression
            end
        end
    end)

    it("is none where a value is made", function()
        local A = table_of_places()
        local values = { A:copy(), A:reshape(4, 3), A:flatten(), A:sub(1, 2):copy(), A:transpose():reshape(12), A:cast "f64",
            A + 0, A:sub({}, { 1, 2 }):flatten(), A:row(1) .. A:row(2) }
        local before = {}
        for i, x in ipairs(values) do
            before[i] = x:copy()
        end
        A:fill(0)
        for i, x in ipairs(values) do
            assert.is_true(x:eq(before[i]):all(), i)
            x:fill(5)
        end
        assert.equal(0, A:sum())
        assert.same({ 12 }, { A:flatten():shape() })
        assert.equal("Vector", lun.ones(3, 2):flatten():kind())
    end)

    it("cuts as string.sub does, on every axis", function()
        local text = "abcdefg"
        local bytes = lun.vector { text:byte(1, -1) }
        local A = bytes:broadcast(2, 7):copy()
        for i = -9, 9 do
            for j = -9, 9 do
                local wanted = { text:sub(i, j):byte(1, -1) }
                expect.elements(wanted, A:sub({}, { i, j })[2])
                assert.equal(#wanted, (select(2, A:sub({ 1 }, { i, j }):shape())))
                expect.elements({ text:sub(i, j):reverse():byte(1, -1) }, bytes:sub(j, i, -1))
            end
        end
        expect.elements({ 97, 100, 103 }, A:sub({ 2 }, { 1, -1, 3 })[1])
        expect.elements({ 103, 100, 97 }, A:sub({ 2 }, { nil, nil, -3 })[1])
        expect.elements({ 97 }, A:sub({ 1 }, { 1, -1, math.maxinteger })[1])
        expect.elements({ 103 }, A:sub({ 1 }, { -1, 1, math.mininteger })[1])
        assert.same({ 0, 7 }, { A:sub({ 3, 2 }, {}):shape() })
    end)

    it("reads old elements before it writes any", function()
        local x = lun.index(10):eval()
        x:sub(2, 10):set(x:sub(1, 9))
        expect.elements({ 1, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, x)
        x:sub(1, 9):set(x:sub(2, 10))
        expect.elements({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 9 }, x)
        x:set(x:sub(-1, 1, -1))
        expect.elements({ 9, 9, 8, 7, 6, 5, 4, 3, 2, 1 }, x)
        local A = table_of_places()
        A:sub({}, { 1, 3 }):set(A:sub({}, { 1, 3 }):transpose())
        assert.same({ { 11, 21, 31, 14 }, { 12, 22, 32, 24 }, { 13, 23, 33, 34 } }, A:totable())
        A:sub({ 2, 3 }, { 2, 3 }):set(A:sub({ 1, 2 }, { 1, 2 }) + A:sub({ 2, 3 }, { 2, 3 }))
        assert.same({ { 11, 21, 31, 14 }, { 12, 33, 53, 24 }, { 13, 35, 55, 34 } }, A:totable())
        A:set(A[1]) -- a row of itself, for every row
        assert.same({ { 11, 21, 31, 14 }, { 11, 21, 31, 14 }, { 11, 21, 31, 14 } }, A:totable())
    end)

    it("takes what is broadcast to it", function()
        local A = lun.zeros({ 2, 3 }, "i64")
        A:sub({}, { 2, 3 }):set(lun.vector { 5, 6 })
        assert.same({ { 0, 5, 6 }, { 0, 5, 6 } }, A:totable())
        A:set(lun.vector { { 1 }, { 2 } })
        assert.same({ { 1, 1, 1 }, { 2, 2, 2 } }, A:totable())
        A[1] = lun.vector { 9 }
        A:col(2):set(3)
        A:col(3):set(lun.vector { 1, 2 }:reduce "+")
        assert.same({ { 9, 3, 3 }, { 2, 3, 3 } }, A:totable())
        A:set(lun.vector { { { 4, 5, 6 } } }) -- a first extent of 1 more
        assert.same({ { 4, 5, 6 }, { 4, 5, 6 } }, A:totable())
        expect.failure("i64[3, 2] does not broadcast to i64[2, 3]", A.set, A, lun.vector { { 1, 2 }, { 3, 4 }, { 5, 6 } })
        expect.failure("i64[2, 1] does not broadcast to i64[3]", function() A[1] = lun.vector { { 1 }, { 2 } } end)
        expect.failure("lengths differ: i64[3] and i64[2]", function() A[1] = lun.vector { 1, 2 } end)
        assert.same({ { 4, 5, 6 }, { 4, 5, 6 } }, A:totable())
    end)

    it("is a target of out", function()
        local A = lun.zeros({ 3, 4 }, "i64")
        local double, both = lun.map(function(x) return x * 2 end), lun.map(function(x) return x + 1, x - 1 end)
        local row = A:row(2)
        assert.equal(row, (double:run { lun.index(4), out = row }))
        double:run { A:row(2), out = A:row(2) }
        double:run { lun.vector { 5 }, out = A:col(4) }
        assert.same({ { 0, 0, 0, 10 }, { 4, 8, 12, 10 }, { 0, 0, 0, 10 } }, A:totable())
        both:run { lun.index(3), out = { A:col(1), A:col(2) } }
        assert.same({ { 2, 0, 0, 10 }, { 3, 1, 12, 10 }, { 4, 2, 0, 10 } }, A:totable())
        local before = A:copy()
        expect.failure("bad argument 'out' to 'run' (array 2: i64[3] does not broadcast to i64[3, 4], axis 2: 3 and 4)",
            both.run, both, { lun.index(3), out = { A:col(1), A } })
        expect.failure("bad argument 'out' to 'run' (array 2: a window in which several indices share an element cannot be written to",
            both.run, both, { lun.index(4), out = { A:row(1), A:row(2):broadcast(2, 4) } })
        assert.is_true(A:eq(before):all()) -- nothing is written then
    end)

    it("takes one of several results of lun.eval, in one pass, all old elements read before any is written #place", function()
        local A = table_of_places()
        local first, last = A:row(1), A:row(3)
        local given = table.pack(lun.eval(A:row(3), A:row(1), { out = { first, last } }))
        assert.same({ n = 2, first, last }, given)
        assert.same({ { 31, 32, 33, 34 }, { 21, 22, 23, 24 }, { 11, 12, 13, 14 } }, A:totable())
        local B, c = lun.zeros({ 3, 4 }, "f32"), lun.zeros(3)
        lun.eval(A * 2, A:sum(2), A:sum(), 7, { out = { B:sub({}, { -1, 1, -1 }), c, A:col(4), A:col(3) } })
        assert.same({ { 68.0, 66.0, 64.0, 62.0 }, { 48.0, 46.0, 44.0, 42.0 }, { 28.0, 26.0, 24.0, 22.0 } }, B:totable())
        assert.same({ 130.0, 90.0, 50.0 }, c:totable())
        assert.same({ { 31, 32, 7, 270 }, { 21, 22, 7, 270 }, { 11, 12, 7, 270 } }, A:totable())
        local x, y = lun.range(1, 1000):eval(), lun.zeros(1000)
        local before = lun.stats().launches
        lun.eval(x + 1, x * 2.0, { out = { x, y } })
        assert.equal(1, lun.stats().launches - before)
        assert.equal(1001, x[1000])
        assert.equal(2000.0, y[1000])
        assert.equal(y, (lun.eval(x, { out = y })))
        assert.equal(1001.0, y[1000])
        local swap = lun.zip(function(a, b) return b, a end)
        swap:run { A:row(1), A:row(2), out = { A:row(1), A:row(2) } }
        assert.same({ { 21, 22, 7, 270 }, { 31, 32, 7, 270 } }, A:sub(1, 2):totable())
        lun.eval(A:row(1), A:row(2), { out = { A:row(3), A:row(3) } })
        assert.same({ 31, 32, 7, 270 }, A:row(3):totable()) -- the later one's
    end)

    it("is left alone where one of several results does not fit", function()
        local A, x = table_of_places(), lun.vector { 1, 2, 3 }
        local before, zero = A:copy(), lun.vector { 0 }
        for wanted, arguments in pairs {
            ["'out' to 'eval' (array 2: i64[3, 4] does not broadcast to i64[3])"] = { x, A, { out = { A:col(1), x } } },
            ["'out' to 'eval' (i64[3, 4] does not broadcast to i64[3])"] = { A, { out = x } },
            ["'out' to 'eval' (2 results, but 1 array)"] = { x, A, { out = { A } } },
            ["'out' to 'eval' (0 results, but 1 array)"] = { { out = { A } } },
            ["'out' to 'eval' (a list of 1 to 64 arrays expected)"] = { x, { out = {} } },
            ["'out' to 'eval' (array expected, got string)"] = { x, { out = { "A" } } },
            ["option out: an array or a list of arrays expected"] = { x, {} },
            ["unknown option 'into': the only option is out"] = { x, { into = A:col(1) } },
            ["got string)"] = { x, "y", { out = { A:col(1), A:col(2) } } },
            ["array 1: a window in which several indices share an element"] = { 1, 2, { out = { x:windows(2), A:col(2) } } },
            ["attempt to perform 'n//0'"] = { x, x // zero, { out = { A:col(1), A:col(2) } } },
        } do
            expect.failure(wanted, lun.eval, table.unpack(arguments))
        end
        local freed = lun.zeros(3)
        freed:free()
        expect.failure("freed", lun.eval, x, x, { out = { A:col(1), freed } })
        expect.failure("freed", lun.eval, x, freed, { out = { A:col(1), A:col(2) } })
        assert.same(before:totable(), A:totable())
    end)

    it("is copied to another array of its shape", function()
        local A, B = table_of_places(), lun.zeros(4, 3)
        assert.equal(B, A:transpose():copyto(B))
        assert.is_true(B:eq(A:transpose()):all())
        local corner = B:sub({ 3 }, { 2 })
        A:sub({ 1, 2 }, { 1, 2 }):copyto(corner)
        assert.same({ { 11.0, 12.0 }, { 21.0, 22.0 } }, corner:totable())
        expect.failure("shapes differ: a View i64[3, 4] cannot be copied into a View f64[4, 3] (use set to broadcast)", A.copyto, A, B)
        expect.failure("shapes differ: a Vector f64[1] cannot be copied into a View f64[4]", function() lun.ones(1):copyto(B:col(1)) end)
        expect.failure("array expected, got number", A.copyto, A, 5)
    end)

    it("repeats elements only to be read", function()
        local x = lun.range(1, 6)
        local w = x:windows(3)
        assert.same({ { 1, 2, 3 }, { 2, 3, 4 }, { 3, 4, 5 }, { 4, 5, 6 } }, w:totable())
        assert.same({ { 1, 2, 3 }, { 3, 4, 5 } }, x:windows(3, { step = 2 }):totable())
        local A = table_of_places()
        assert.same({ 2, 4, 2 }, { A:windows(2, { axis = 1 }):shape() })
        assert.same({ { 31, 32, 33 }, { 32, 33, 34 } }, A:windows(3, { axis = -1 })[3]:totable())
        local wide = A:row(1):broadcast(2, 4)
        assert.same({ { 11, 12, 13, 14 }, { 11, 12, 13, 14 } }, wide:totable())
        assert.same({ 0, 1 }, { wide:strides() })
        w[2] = lun.vector { 12, 13, 14 } -- one window alone shares nothing
        assert.same({ { 1, 12, 13 }, { 12, 13, 14 }, { 13, 14, 5 }, { 14, 5, 6 } }, w:totable())
        expect.failure("share an element cannot be written to: write to a copy", w.fill, w, 0)
        expect.failure("share an element cannot be written to: write to a copy", wide.set, wide, 1)
        expect.failure("share an element cannot be written to: write to a copy", lun.zeros(2, 4).copyto, lun.zeros(2, 4), wide)
        A[1][1] = 0
        assert.equal(0, wide[2][1])
    end)

    it("keeps its array alive, and ends with its freeing", function()
        local w
        do
            local big = lun.index(1000):eval()
            w = big:sub(501, 503)
        end
        collectgarbage()
        collectgarbage()
        expect.elements({ 501, 502, 503 }, w)
        local A = table_of_places()
        local row, part, copy = A[1], A:transpose():sub(2, 3), A:row(2):copy()
        local inner = part[1]
        part:free() -- of the window alone
        expect.elements({ 12, 22, 32 }, inner)
        A:free()
        for _, f in ipairs {
            function() return row[1] end, function() row[1] = 2 end, function() return row + 1 end, function() return #inner end,
            function() return inner:sum() end, function() inner:set(1) end, function() return tostring(row) end,
            function() return row:sub(1, 1) end, function() return row:layout() end, function() return lun.eval(row) end,
        } do
            expect.failure("attempt to use a freed V", f)
        end
        expect.elements({ 21, 22, 23, 24 }, copy)
    end)

    it("lets old expressions keep their elements, through any window", function()
        local A = table_of_places()
        local col = A:col(2)
        local sum, all = col + A:diagonal(1), A:transpose() * 1
        local part = A:sub({ 1, 2 }, {}):flatten()
        col:fill(0)
        A:sub({ 3 }):set(-1)
        expect.elements({ 24, 45, 66 }, sum)
        assert.same({ { 11, 21, 31 }, { 12, 22, 32 }, { 13, 23, 33 }, { 14, 24, 34 } }, all:totable())
        expect.elements({ 11, 12, 13, 14, 21, 22, 23, 24 }, part)
        assert.same({ { 11, 0, 13, 14 }, { 21, 0, 23, 24 }, { -1, -1, -1, -1 } }, A:totable())
    end)
end)

describe("a window of a Composition", function()
    local N = 1 << 20

    local function work()
        local a, b = lun.index(N):cast "f64":copy(), lun.ones(N)
        lun.eval(a, b)
        lun.stats "reset"
        return a + b, a
    end

    it("computes what is asked for, once, and evaluates all when it is first written to", function()
        local c, a = work()
        local w = c:sub(11, 20)
        assert.equal(12.0, w[1])
        assert.equal(165.0, w:sum())
        expect.elements({ 12.0, 14.0, 16.0, 18.0, 20.0 }, w:sub(1, -1, 2))
        assert.is_true(lun.stats().bytes_written < 4096)
        assert.equal(1, c:pending())
        w:eval()
        assert.equal(0, w:pending())
        assert.equal(1, c:pending())
        w[1] = 0
        assert.equal(0, c:pending())
        assert.equal(0.0, c[11])
        assert.equal(11.0, a[11])
        expect.elements({ 0.0, 13.0 }, w:sub(1, 2))
        c[12] = 5
        expect.elements({ 0.0, 5.0 }, w:sub(1, 2))
    end)

    it("sees what is written to it by another, evaluated or not", function()
        local c = work()
        local w, v = c:sub(1, 3), c:sub(2, 4)
        w:eval()
        v:fill(-1)
        expect.elements({ 2.0, -1.0, -1.0 }, w)
        local d = lun.index(8) * 2
        local x, old = d:sub(1, 4), d:sub(1, 4) + 0
        x:eval()
        d:set(lun.zeros(8, "i64"))
        expect.elements({ 0, 0, 0, 0 }, x)
        expect.elements({ 2, 4, 6, 8 }, old)
    end)

    it("is printed and read by its elements alone, turned and cut too #place", function()
        local a = lun.random({ 1024, 1024 }, { seed = 1 }):eval()
        lun.stats "reset"
        local t = (a * 2):transpose():sub({ 5, -1, 3 }, { -1, 1, -1 })
        assert.matches("^View<f64>%[340, 1024%] strided %S+ %(1 operation waiting%)\n", tostring(t))
        assert.equal(2 * a[-3][8], t[2][3])
        assert.is_true(lun.stats().bytes_written < 65536, lun.stats().bytes_written)
        assert.is_true(lun.stats().bytes_read < 65536 * 8, lun.stats().bytes_read)
    end)

    it("of a virtual array takes no memory for the rest", function()
        local n = 1 << 40
        local w = lun.index(n):sub(-3, -1)
        expect.elements({ n - 2, n - 1, n }, w)
        expect.elements({ n - 1, n - 3, n - 5 }, (lun.index(n) - 1):view(2, -1)[2]:sub(-1, 1, -2):sub(1, 3) + 0)
        local sum = 0
        for _, x in (lun.index(n) * 2):sub(1, 5000):iter() do
            sum = sum + x
        end
        assert.equal(5000 * 5001, sum)
        assert.equal(5000, #lun.index(n):sub(1, 5000):totable())
    end)
end)

describe("a window of an array in a file", function()
    it("is read and printed there, turned and cut too; a write takes the array into memory", function()
        local directory = shell.scratch()
        local path = directory .. "/t.npy"
        assert(lun.save(path, lun.index(200 * 300):cast "f32":reshape(200, 300)))
        local A = lun.open(path)
        lun.stats "reset"
        local t = A:transpose():sub({ 1, -1, 7 })
        assert.equal(300.0 * 199 + 8, t[2][-1])
        assert.matches("View<f32>%[43, 200%] strided", tostring(t))
        assert.equal(0, lun.stats().allocations)
        t[1] = 0
        assert.equal(0.0, A[200][1])
        assert.equal(1.0, lun.open(path)[1][1])
        shell.discard(directory)
    end)
end)

describe("where elements stand", function()
    it("is told by layout and strides", function()
        local A = table_of_places()
        assert.same({ "right", 4, 1 }, { A:layout(), A:strides() })
        assert.same({ "left", 1, 4 }, { A:transpose():layout(), A:transpose():strides() })
        assert.same({ "strided", 4, 2 }, { A:sub({}, { 1, -1, 2 }):layout(), A:sub({}, { 1, -1, 2 }):strides() })
        assert.same({ "strided", 4 }, { A:col(1):layout(), A:col(1):strides() })
        assert.same({ "right", 1 }, { A[2]:layout(), A[2]:strides() })
        assert.same({ "right", 4, 1 }, { A:sub(2, 3):layout(), A:sub(2, 3):strides() })
        assert.same({ "strided", -1 }, { A[2]:sub(-1, 1, -1):layout(), A[2]:sub(-1, 1, -1):strides() })
        assert.same({ "right", 4, 1 }, { (A:transpose():transpose()):layout(), A:transpose():transpose():strides() })
        assert.same({ "right" }, { A:reduce("+"):layout(), A:reduce("+"):strides() })
    end)

    it("stands in the title where it is not row by row", function()
        local A = table_of_places "f32"
        assert.matches("^View<f32>%[3, 4%] %S+\n", tostring(A))
        assert.matches("^View<f32>%[4, 3%] left %S+\n%[%[11%.0 21%.0 31%.0%]", tostring(A:transpose()))
        assert.matches("^View<f32>%[3, 2%] strided %S+\n", tostring(A:sub({}, { 1, -1, 2 })))
        assert.matches("^View<f32>%[4%] %S+\n", tostring(A[1]))
        assert.matches("^View<f32>%[3%] strided %S+\n", tostring(A:col(2)))
    end)

    it("is told by explain where a kernel needs a copy", function()
        local A = table_of_places()
        local plan = lun.explain(A:transpose() + A:view(4, 3))
        assert.equal(1, #plan)
        assert.equal(1, plan[1].staged)
        assert.equal(2, plan[1].reads)
        assert.matches("staged: 1 array of these: elements that are not contiguous are first copied into the cache",
            tostring(plan), 1, true)
        plan = lun.explain(A:sub(2, 3) + A:row(1))
        assert.equal(1, plan[1].staged) -- the row
        assert.equal(2 * 4 * 8 + 4 * 8, plan[1].bytes_read)
        assert.equal(0, lun.explain(A:sub(2, 3) * 2)[1].staged)
        assert.equal(0, #lun.explain(A:transpose())) -- nothing is computed
        local w = A:sub(2, 3)
        for _, square in ipairs { (w - 1) * (w - 1), (w - 1) * (A:sub(2, 3) - 1), (A:col(2) - 1) * (A:col(2) - 1) } do
            plan = lun.explain(square) -- equal windows are one operand, so what is computed of them is computed once
            assert.same({ 1, 2 }, { plan[1].reads, plan[1].ops })
        end
        local columns = lun.ones(200, 200):copy()
        local sum = columns:col(1)
        for k = 2, 200 do
            sum = sum + columns:col(k)
        end
        plan = lun.explain(sum) -- each window is an array that a kernel reads, though all are parts of one
        assert.is_true(#plan > 2 and plan[1].reads < 64, #plan .. " kernels")
        assert.equal(200.0 * 200, sum:sum())
        assert.is_nil(tostring(lun.explain(A + 1)):find "staged")
    end)

    it("of what a function gives computes that of the part alone", function()
        local rows, columns = 65, 130
        local A = lun.generate({ rows, columns }, function(i, j) return i * 1000 + j end):eval()
        local odd = lun.map(function(x, k) return 2 * x + k end)
        local function at(i, j) return 2 * (i * 1000 + j) + 1 end
        local T = odd(A, 1):transpose()
        local plan = lun.explain(T + A:transpose())
        assert.equal(1, #plan)
        lun.stats "reset"
        assert.equal(at(7, 5), T[5][7])
        assert.is_true(lun.stats().bytes_written <= 8 * rows) -- of 8450 elements
        local expected, q, r = {}, lun.map(function(x) return x // 7, x % 7 end)(A)
        for j = 1, columns do
            expected[j] = {}
            for i = 1, rows do
                expected[j][i] = at(i, j)
            end
        end
        assert.same(expected, T:totable())
        assert.same({ { 4005, 4006 }, { 5005, 5006 } }, (q:sub({ 4, 5 }, { 5, 6 }) * 7 + r:sub({ 4, 5 }, { 5, 6 })):totable())
        expect.elements({ at(1, 130), at(2, 129), at(3, 128) }, odd(A, 1):sub({}, { -1, 1, -1 }):diagonal():sub(1, 3))
        -- an array that the function reads whole, as long as its elements, stays whole
        local w = lun.range(1, 8)
        expect.elements({ 1, 2 }, lun.map "(long x, const long *w) { return w[8 - x]; }"(w, w):sub(7, 8):sub(-1, 1, -1))
        -- windows that overlap share what is computed once
        assert.equal(2, #lun.explain(odd(A, 1):sub(2, 65) + odd(A, 1):sub(1, 64)))
    end)
end)

describe("a window is refused", function()
    local A, x = table_of_places(), lun.index(4)

    -- Each call, and what its message says.
    local cases = {
        { "axis 0 is out of range: axes of a View i64[3, 4] count from 1, or backwards from -1", function() return A:select(0, 1) end },
        { "axis 3 is out of range: a View i64[3, 4] has 2", function() return A:select(3, 1) end },
        { "axis -3 is out of range: a View i64[3, 4] has 2", function() return A:select(-3, 1) end },
        { "an axis must be an integer, not 1.5", function() return A:select(1.5, 1) end },
        { "#2 to 'select' (index 4 is out of range for axis 1 of a View i64[3, 4])", function() return A:select(1, 4) end },
        { "index -5 is out of range for axis 2 of a View i64[3, 4]", function() return A:select(2, -5) end },
        { "index 0 is out of range for axis 1", function() return A:row(0) end },
        { "#1 to 'col' (index 5 is out of range for axis 2", function() return A:col(5) end },
        { "a Vector i64[4] has no columns", function() return (x + 0):eval():col(1) end },
        { "has no rows", function() return x:row(1) end },
        { "all 2 axes of a View i64[3, 4] must be listed, not 1", function() return A:transpose { 1 } end },
        { "axis 1 of a View i64[3, 4] is listed twice", function() return A:transpose { 1, -2 } end },
        { "axis 3 is out of range: a View i64[3, 4] has 2", function() return A:transpose { 1, 3 } end },
        { "axis 0 is out of range: axes", function() return A:transpose { 0, 1 } end },
        { "table of all axes expected, such as {2, 1}", function() return A:transpose(1, 2) end },
        { "table of axes expected, got string", function() return A:transpose "T" end },
        { "#3 to 'sub' (axis 3 is out of range: a View i64[3, 4] has 2)", function() return A:sub({}, {}, {}) end },
        { "#2 to 'sub' (table {first, last, step} expected, got number)", function() return A:sub({ 1 }, 2) end },
        { "axis 2: the step is zero", function() return A:sub({}, { 1, 2, 0 }) end },
        { "axis 1: integers {first, last, step} expected, got 1.5", function() return A:sub { 1.5 } end },
        { "axis 1: unknown field 'step'", function() return A:sub { 1, 2, step = 2 } end },
        { "axis 1: unknown field '4'", function() return A:sub { 1, 2, 3, 4 } end },
        { "number expected, got no value", function() return A:sub() end },
        { "wrong number of arguments to 'sub'", function() return A:sub(1, 2, 3, 4) end },
        { "axis 1 is out of range", function() return x:reduce "+":sub(1, 1) end },
        { "#1 to 'view' (i64[3, 4] cannot be viewed as i64[5, 2]: the numbers of elements differ)",
            function() return A:view(5, 2) end },
        { "12 elements are not a multiple of 5", function() return A:view(5, -1) end },
        { "i64[4, 3] cannot be viewed as i64[12] without a copy, since its elements are not contiguous: use reshape",
            function() return A:transpose():view(12) end },
        { "i64[3, 4] does not broadcast to i64[3, 5]", function() return A:broadcast(3, 5) end },
        { "i64[3, 4] does not broadcast to i64[4]", function() return A:broadcast(4) end },
        { "windows of 5 elements do not fit into axis 1 of length 4", function() return x:windows(5) end },
        { "windows of 0 elements do not fit into axis 1", function() return x:windows(0) end },
        { "the step of windows must be at least 1, not 0", function() return x:windows(2, { step = 0 }) end },
        { "#2 to 'windows' (axis 2 is out of range", function() return x:windows(2, { axis = 2 }) end },
        { "unknown option 'stride': the options are axis, step", function() return x:windows(2, { stride = 2 }) end },
        { "a diagonal needs an array of rank 2 or more", function() return x:diagonal() end },
        { "integer index expected, got an array: a:compress(mask) has", function() return A[x] end },
        { "windows adds an axis, and the array already has 8, the maximum",
            function() return lun.ones { 1, 1, 1, 1, 1, 1, 1, 1 }:windows(1) end },
    }

    it("with a message that tells the axes and shapes", function()
        for _, case in ipairs(cases) do
            expect.failure(case[1], case[2])
        end
        assert.same({ 0 }, { A:diagonal(math.mininteger):shape() })
        assert.same({ 0 }, { A:diagonal(math.maxinteger):shape() })
        assert.same({ 3, 4 }, { A:transpose():transpose():shape() })
    end)
end)

describe("windows as targets", function()
    -- Windows with odd extents inside a frame of guard values; each element is compared with what plain Lua writes.
    it("get their elements and nothing beside, of all dtypes, on any number of threads", function()
        local program = [[
            local lun = require "lunarray"
            local R, C, t = 613, 419, arg[1]
            local guard, nine = 77, 9
            if t == "bool" then
                guard, nine = true, false
            end
            local windows = {
                { { 2, R - 1 }, { 4, C - 3 } }, { { 3, R, 2 }, { 1, C } }, { { R, 1, -1 }, { C, 2, -2 } }, { { 5, 5 }, {} },
                { {}, { 7, 7 } }, { { 11, 600 }, { 65, 128 } }, { { 5, 5 }, { 7, 7 } },
            }
            local ways = {
                function(w, A) w:set(A) end,
                function(w, A) w:set(A + 1) end,
                function(w, A) w:set(A:sub({ -1, 1, -1 })) end,
                function(w) w:set(w + w:sub({}, { -1, 1, -1 })) end,
                function(w, A) lun.map(function(x) return x + 1 end):run { A, out = w } end,
                function(w) w:fill(nine) end,
                function(w, A) w:set(A:sub({ 1, 1 })) end,
                function(w, A) w:transpose():set(A:transpose():copy()) end,
            }
            local function places(axis, extent)
                local from, to, step = axis[1] or 1, axis[2] or extent, axis[3] or 1
                local list = {}
                for i = from, to, step do list[#list + 1] = i end
                return list
            end
            for _, axes in ipairs(windows) do
                local rows, columns = places(axes[1], R), places(axes[2], C)
                local A = (lun.index(#rows * #columns) % 13):reshape { #rows, #columns }:cast(t):copy()
                for k, way in ipairs(ways) do
                    if t ~= "bool" or (k ~= 2 and k ~= 4 and k ~= 5) then
                        local F = lun.full({ R, C }, guard, t):copy()
                        local w = F:sub(axes[1], axes[2])
                        way(w, A)
                        local got = lun.zeros({ #rows, #columns }, t):copy()
                        way(got:fill(guard) or got, A)
                        assert(w:ne(got):count() == 0, k)
                        -- what is beside: the frame with guards put back into the window
                        F:sub(axes[1], axes[2]):fill(guard)
                        assert(F:ne(lun.full({ R, C }, guard, t)):count() == 0, k)
                    end
                end
            end
            print "good"]]
        local name = os.tmpname()
        local file = assert(io.open(name, "w"))
        file:write(program)
        file:close()
        for i, t in ipairs { "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64" } do
            for _, threads in ipairs(i % 3 == 0 and { 1, 2, 8 } or { 1 + i % 8 }) do
                assert.equal("good\n", shell.capture(("LUNARRAY_THREADS=%d %s %s %s 2>&1"):format(threads,
                    shell.interpreter(), name, t)))
            end
        end
        os.remove(name)
    end)

    it("get what stands elsewhere without a kernel, and what overlaps them as it was", function()
        local A = lun.random({ 300, 200 }, { seed = 5 }):copy()
        local F = lun.zeros({ 320, 320 }):copy()
        local w = F:sub({ 3, 202 }, { 5, 304 })
        local before = lun.stats()
        w:set(A:transpose())
        F:sub({ 1, 200 }, { 320, 21, -1 }):set(A:sub({ 1, 1 }, {}):transpose())
        w:set(A:transpose())
        assert.equal(before.launches, lun.stats().launches)
        assert.is_true(w:eq(A:transpose()):all())
        assert.equal(A[1][1], F[1][320])
        w:set(F:sub({ 4, 203 }, { 6, 305 }))
        assert.is_true(F:sub({ 3, 201 }, { 5, 303 }):eq(A:transpose():sub({ 2, 200 }, { 2, 300 })):all())
    end)

    it("of which a part is read copy that part, not their array #place", function()
        local D = lun.random({ 600, 600 }, { dtype = "f32", seed = 2 }):copy()
        local model, k = D:copy(), 17
        local bytes = 4 * 600 * 600
        local function step() D:set(lun.min(D, D:sub({}, { k, k }) + D:row(k))) end
        step()
        D:set(model)
        local before = lun.stats()
        step()
        local after = lun.stats()
        assert.is_true(after.bytes_read - before.bytes_read < 1.1 * bytes)
        assert.is_true(after.bytes_written - before.bytes_written < 1.1 * bytes)
        for _, i in ipairs { 1, 17, 18, 600 } do
            for _, j in ipairs { 1, 16, 17, 600 } do
                local want = math.min(model[i][j], string.unpack("f", string.pack("f", model[i][k] + model[k][j])))
                assert.equal(want, D[i][j])
            end
        end
    end)
end)

describe("random programs on windows", function()
    it("give what plain Lua gives, and write nothing beside", function()
        for seed = 1, 60 do
            programs.run(seed)
        end
    end)

    it("do so on any number of threads", function()
        for threads = 1, 4 do
            local command = "LUNARRAY_THREADS=%d %s tests/spec/windows_program.lua %d %d 0,1,3,65,100,517,1024 15 25 2>&1"
            local text = shell.capture(command:format(threads, shell.interpreter(), 1000 * threads, 1000 * threads + 1))
            assert.equal("good\n", text)
        end
    end)

    it("do so on a device, in both forms of its kernels", function()
        for number, form in ipairs { "vector", "scalar" } do
            local command = "LUNARRAY_BACKEND=opencl LUNARRAY_OPENCL_FORM=%s %s tests/spec/windows_program.lua %d %d 0,1,3,65,100 2>&1"
            local text = shell.capture(command:format(form, shell.interpreter(), 5000 * number, 5000 * number + 4))
            assert.equal("good\n", text)
        end
    end)
end)

describe("elements that only a device has", function()
    local before = lun.use()

    -- What f makes of arrays on the device, of which nothing comes to the host.
    local function stays(f)
        lun.use "opencl"
        local a, b = lun.index(6000):cast("f32"):eval(), (lun.index(6000) * 2):cast("f32"):eval()
        local A = lun.index(6000):cast("f32"):eval():reshape { 60, 100 }
        lun.stats "reset"
        local e = f(a, b, A):eval()
        assert.equal(0, lun.stats().bytes_to_host)
        local list = e:flatten():totable()
        lun.use(before)
        return list
    end

    -- That list, by a function of indices.
    local function list(n, f)
        local t = {}
        for i = 1, n do
            t[i] = f(i)
        end
        return t
    end

    teardown(function()
        lun.use(before)
    end)

    it("stay there where arrays are joined", function()
        assert.same(list(12000, function(i) return i <= 6000 and i or (i - 6000) * 2 end),
            stays(function(a, b) return lun.concat { a, b } end))
        assert.same(list(12000, function(i) return i % 2 == 1 and (i + 1) // 2 or i end),
            stays(function(a, b) return lun.stack({ a, b }, 2) end))
        assert.same(list(6200, function(i)
            local row, column = (i - 1) // 100, (i - 1) % 100
            return row > 59 and 7 or row * 100 + column + 1
        end), stays(function(_, _, A) return lun.concat { A, lun.full({ 2, 100 }, 7, "f32") } end))
    end)

    it("stay there where windows are written", function()
        assert.same(list(6000, function(i) return i > 9 and i <= 5991 and 3 or i end), stays(function(a)
            a:sub(10, -10):fill(3)
            return a
        end))
        assert.same(list(6000, function(i) return i % 2 == 0 and i or (i + 1) // 2 * 2 + 1 end), stays(function(a, b)
            a:sub(1, -1, 2):set(b:sub(1, 3000) + 1)
            return a
        end))
        assert.same(list(6000, function(i) return (i - 1) % 100 == 3 and 2 * ((i - 1) // 100 + 1) or i end),
            stays(function(_, b, A)
                A:col(4):set(b:sub(1, 60))
                return A
            end))
    end)

    it("stay there where old elements are kept for others", function()
        local kept
        assert.same(list(6000, function(i) return i == 1 and 5 or i end), stays(function(a)
            kept = a * 1
            local c = a:copy()
            c:sub(1, 1):fill(5)
            return c
        end))
        assert.equal(1, kept[1])
    end)

    it("stay there where columns are reduced", function()
        assert.same(list(100, function(j) return 60 * j + 100 * 1770 end), stays(function(_, _, A) return A:sum(1) end))
    end)
end)
