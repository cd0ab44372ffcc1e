-- Columns of text as lun.load gives them: whatever a script does with one, in whichever order, it is the plain list of
-- strings that stands beside it here.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local core = require "lunarray.core"

local directory

local function generator(seed)
    return function(n)
        seed = seed * 6364136223846793005 + 1442695040888963407
        return (seed >> 33) % n + 1
    end
end

-- `rows` texts, of which some `most` are different; short and long, with quotes, commas, lines; one is no number.
local function texts(rows, most, seed)
    local random, list = generator(seed or 1), {}
    for i = 1, rows do
        local x = random(most)
        list[i] = x % 7 == 0 and "" or x % 5 == 0 and ('say "%d", and\nmore'):format(x)
            or x % 3 == 0 and ("Ω%d"):format(x) .. ("-"):rep(x % 60) or ("t%d"):format(x)
    end
    list[1] = rows > 0 and "first" or nil
    return list
end

local function quoted(text)
    return '"' .. text:gsub('"', '""') .. '"'
end

-- The list as a column of a csv file that was just read.
local function column(list)
    local lines = { "n,t" }
    for i, text in ipairs(list) do
        lines[i + 1] = i .. "," .. quoted(text)
    end
    local t = assert(lun.load(shell.write(directory .. "/t.csv", table.concat(lines, "\n") .. "\n")))
    return t.t, t
end

local function is_untouched(list)
    return core.internal.texts(list) ~= nil
end

local shapes = { { 1, 1 }, { 2, 5 }, { 40, 3 }, { 3000, 2 }, { 9000, 30 }, { 9000, 3000 }, { 70000, 9 }, { 70000, 1 << 40 } }

-- Calls f(list, column, table of columns, rows) for lists of several lengths and kinds.
local function each(f)
    for k, shape in ipairs(shapes) do
        local list = texts(shape[1], shape[2], k)
        local c, t = column(list)
        f(list, c, t, shape[1])
    end
end

-- The result of f, or its message.
local function outcome(f, ...)
    return table.pack(pcall(f, ...))
end

describe("a column of text", function()
    before_each(function()
        directory = shell.scratch()
    end)

    after_each(function()
        shell.discard(directory)
    end)

    it("has its length and each element, by any index", function()
        each(function(list, c, _, n)
            assert.equal("table", type(c))
            assert.equal(n, #c)
            for _, key in ipairs { 0, -1, n + 1, 1.0, n + 0.0, 1.5, "1", "n", math.mininteger, math.maxinteger, 1e300, true } do
                assert.equal(list[key], c[key])
            end
            assert.is_true(is_untouched(c))
            local random = generator(n)
            for _ = 1, 50 do
                local i = random(n)
                assert.equal(list[i], c[i])
            end
            for i = 1, n do
                if list[i] ~= c[i] then
                    assert.equal(list[i], c[i], ("element %d of %d"):format(i, n))
                end
            end
            assert.equal(n, #c)
            assert.is_nil(c[n + 1])
        end)
    end)

    it("is a plain list once a script has gone through it twice, or by pairs", function()
        each(function(list, c, _, n)
            for i = 1, n do
                assert(c[i] == list[i])
            end
            assert.is_true(is_untouched(c))
            for i = 1, n do
                assert(c[i] == list[i])
            end
            if n > 9000 then
                assert.is_false(is_untouched(c))
                assert.is_nil(getmetatable(c))
                assert.equal(n, rawlen(c))
                assert.same({ next(list) }, { next(c) })
            end
        end)
        local list = texts(20000, 50)
        local c = column(list)
        for key, text in pairs(c) do
            assert(list[key] == text)
        end
        assert.is_nil(getmetatable(c))
        assert.same(list, c)
    end)

    it("goes through the functions of Lua's library", function()
        each(function(list, _, t, n)
            local function fresh()
                return column(list)
            end
            assert.equal(table.concat(list, "|"), table.concat(t.t, "|"))
            local m = math.min(n, 100)
            assert.same({ table.unpack(list, 1, m) }, { table.unpack(fresh(), 1, m) })
            assert.same({ select("#", table.unpack(list, 1, m)) }, { select("#", table.unpack(fresh(), 1, m)) })
            local count = 0
            for i, text in ipairs(fresh()) do
                count = i
                assert(list[i] == text)
            end
            assert.equal(n, count)
            local plain, c = table.move(list, 1, n, 1, {}), fresh()
            table.sort(plain)
            table.sort(c)
            assert.same(plain, c)
            plain, c = table.move(list, 1, n, 1, {}), fresh()
            table.insert(plain, 1, "new")
            table.insert(c, 1, "new")
            assert.same(plain, c)
            plain, c = table.move(list, 1, n, 1, {}), fresh()
            assert.equal(table.remove(plain), table.remove(c))
            assert.same(plain, c)
            assert.same(list, table.move(fresh(), 1, n, 1, {}))
        end)
    end)

    it("can be written to", function()
        local writes = {
            function(t) t[2] = "two" end, function(t) t[#t + 1] = "more" end, function(t) t[#t] = nil end,
            function(t) t.name = "x" end, function(t) t[1], t[2] = t[2], t[1] end, function(t) t[1] = nil end,
            function(t) t[nil] = 1 end, function(t) t[0 / 0] = 1 end, function(t) t[2.0] = 5 end,
            function(t) rawset(t, 3, "raw") end, function(t) rawset(t, #t + 1, "raw") end,
        }
        for k, write in ipairs(writes) do
            for _, rows in ipairs { 3, 9000 } do
                local list = texts(rows, 40, k)
                local c = column(list)
                local plain, got = outcome(write, list), outcome(write, c)
                assert.equal(plain[1], got[1], k)
                assert.equal(#list, #c, k)
                for i = 0, #list + 1 do
                    assert(list[i] == c[i], k)
                end
                for key, text in pairs(c) do
                    assert(list[key] == text, k)
                end
                assert.equal(list.name, c.name)
            end
        end
        local c = column { "a", "b" }
        expect.failure("index is nil", function()
            c[nil] = 1
        end)
        expect.failure("index is NaN", function()
            column { "a" }[0 / 0] = 1
        end)
    end)

    it("is another table's fallback, and keeps its metatable to itself", function()
        local c = column { "a", "b" }
        local other = setmetatable({ [2] = "own" }, { __index = c })
        assert.same({ "a", "own" }, { other[1], other[2] })
        assert.is_true(is_untouched(c))
        expect.failure("protected metatable", setmetatable, c, {})
        assert.equal("a", c[1])
    end)

    it("gives the same groups, factors, joins, dates and runs as its list", function()
        each(function(list, _, _, n)
            local c, x = column(list), lun.index(n)
            local codes, levels = lun.factor(c)
            local wanted, names = lun.factor(list)
            expect.elements(wanted:totable(), codes)
            assert.equal(#names, #levels)
            for k, name in ipairs(names) do
                assert(name == levels[k])
            end
            local g, h = lun.group(c), lun.group(list)
            assert.equal(#h, #g)
            assert.equal(table.concat(h:keys(), "|"), table.concat(g:keys(), "|"))
            expect.elements(h:sum(x):totable(), g:sum(x))
            local keys, sums = x:reduceby(c, "+", 0)
            local plain, same = x:reduceby(list, "+", 0)
            assert.same(plain, keys)
            expect.elements(same:totable(), sums)
            assert.is_true(is_untouched(c) or n <= 40 or #keys > n / 8)
            local mixed = lun.group(column(list), x % 3)
            assert.equal(#lun.group(list, x % 3), #mixed)
        end)
        local a, b = texts(3000, 500, 3), texts(700, 900, 4)
        local i, j = lun.join(a, b, "left")
        for _, pair in ipairs { { column(a), column(b) }, { a, column(b) }, { column(a), b } } do
            local p, q = lun.join(pair[1], pair[2], "left")
            expect.elements(i:totable(), p)
            expect.elements(j:totable(), q)
        end
    end)

    it("of dates gives their days, or names the first row that is none", function()
        for _, n in ipairs { 1, 3000, 70000 } do
            local days = (lun.index(n) * 37 % 9000):cast "i64"
            local list = lun.date.text(days)
            expect.elements(days:totable(), lun.date.parse((column(list))))
            for _, step in ipairs { 1, 700 } do -- few different ones, and many
                local texts_of = lun.date.text(lun.index(n) // step)
                expect.elements((lun.index(n) // step):totable(), lun.date.parse((column(texts_of))))
            end
            list[n], list[n // 2 + 1] = "soon", "2012-02-30"
            local _, wanted = lun.date.parse(list)
            local none, message, code = lun.date.parse((column(list)))
            assert.is_nil(none)
            assert.equal(wanted, message)
            assert.equal("format", code)
        end
    end)

    it("is saved, picked from and printed as its list is", function()
        each(function(list, c, t, n)
            local plain = lun.table({ n = lun.index(n), t = list }, { "n", "t" })
            assert.equal(tostring(plain), tostring(t))
            local a, b = directory .. "/a.csv", directory .. "/b.csv"
            assert(lun.save(a, t))
            assert(lun.save(b, plain))
            assert.is_true(is_untouched(c))
            assert.equal(shell.slurp(b), shell.slurp(a))
            local random, places = generator(n), {}
            for k = 1, 20000 do
                places[k] = random(n)
            end
            places[#places + 1] = -1
            local mask = lun.index(n) % 3
            for _, which in ipairs { lun.vector(places), mask:eq(1), lun.zeros(0, "i64"), mask:lt(0) } do
                local some, wanted = lun.rows(t, which), lun.rows(plain, which)
                assert.equal(#wanted.t, #some.t)
                assert.equal(tostring(wanted), tostring(some))
                assert.equal(table.concat(wanted.t, "|"), table.concat(some.t, "|"))
            end
            assert.is_true(is_untouched(c))
        end)
        local _, t = column { "x", "y" }
        assert.same({ "", "y", "" }, table.move(lun.rows({ t = t.t }, { 0, 2, 0 }).t, 1, 3, 1, {}))
        assert.equal(2, #lun.table { t = t.t })
        assert.equal("text", lun.vector(t.t):dtype())
    end)

    it("is the same on 1 to 4 threads, and so is what is made of it", function()
        local list = texts(60000, 5000, 8)
        local _, t = column(list)
        assert(lun.save(directory .. "/t.csv", t))
        local script = shell.write(directory .. "/count.lua", [[
            local lun = require "lunarray"
            local t = assert(lun.load(arg[1]))
            local g = lun.group(t.t)
            local some = lun.rows(t, (lun.index(#t) % 2):eq(0))
            print(#g, g:codes():cast("f64"):dot(t.n:cast "f64"), table.concat(g:keys(), "|"), table.concat(some.t, "|"))
            assert(lun.save(arg[1] .. ".copy.csv", some))
            print(io.open(arg[1] .. ".copy.csv"):read "a")
        ]])
        local first
        for threads = 1, 4 do
            local text = shell.capture(("LUNARRAY_THREADS=%d LUA_PATH='%s' LUA_CPATH='%s' %s %s %s"):format(threads,
                package.path, package.cpath, shell.interpreter(), script, directory .. "/t.csv"))
            first = first or text
            assert.is_true(#text > 100000)
            assert.is_true(first == text)
        end
    end)

    it("counts as the engine's memory, which is given back", function()
        collectgarbage()
        local before = lun.stats().allocated
        local c = column(texts(70000, 1 << 40))
        assert.is_true(lun.stats().allocated - before > 500000)
        assert.equal(70000, #c)
        c = nil -- luacheck: ignore
        collectgarbage()
        collectgarbage()
        assert.is_true(lun.stats().allocated - before < 100000)
    end)
end)
