-- Columns of text as lun.load gives them: arrays whose elements are the strings of the list that stands beside them
-- here; what is made of them is what is made of that list.
local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

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

local shapes = { { 1, 1 }, { 2, 5 }, { 40, 3 }, { 3000, 2 }, { 9000, 30 }, { 9000, 3000 }, { 70000, 9 }, { 70000, 1 << 40 } }

-- Calls f(list, column, table of columns, rows) for lists of several lengths and kinds.
local function each(f)
    for k, shape in ipairs(shapes) do
        local list = texts(shape[1], shape[2], k)
        local c, t = column(list)
        f(list, c, t, shape[1])
    end
end

describe("a column of text", function()
    before_each(function()
        directory = shell.scratch()
    end)

    after_each(function()
        shell.discard(directory)
    end)

    it("has its length and each element", function()
        each(function(list, c, _, n)
            assert.equal("text", c:dtype())
            assert.equal(n, #c)
            assert.same(list, c:totable())
            local random = generator(n)
            for _ = 1, 50 do
                local i = random(n)
                assert.equal(list[i], c[i])
                assert.equal(list[n + 1 - i], c[-i])
            end
            assert.is_true(c:equals(lun.vector(list, "text")))
        end)
    end)

    it("can be written to", function()
        for _, rows in ipairs { 3, 9000, 70000 } do
            local list = texts(rows, 1 << 40, rows)
            local c = column(list)
            c[2], c[-1], c[1] = "two", list[2], lun.na
            list[2], list[rows], list[1] = "two", list[2], lun.na
            assert.same(list, c:totable())
        end
    end)

    it("gives the same groups, factors, joins, dates and runs as its list", function()
        each(function(list, _, _, n)
            local c, x = column(list), lun.index(n)
            local codes, levels = lun.factor(c)
            local wanted, names = lun.factor(list)
            expect.elements(wanted:totable(), codes)
            assert.same(names, levels:totable())
            local g, h = lun.group(c), lun.group(list)
            assert.equal(#h, #g)
            assert.same(h:keys(), g:keys():totable())
            expect.elements(h:sum(x):totable(), g:sum(x))
            local keys, sums = x:reduceby(c, "+", 0)
            local plain, same = x:reduceby(list, "+", 0)
            assert.same(plain, keys:totable())
            expect.elements(same:totable(), sums)
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
        each(function(list, _, t, n)
            local plain = lun.table({ n = lun.index(n), t = list }, { "n", "t" })
            assert.equal(tostring(plain), tostring(t))
            local a, b = directory .. "/a.csv", directory .. "/b.csv"
            assert(lun.save(a, t))
            assert(lun.save(b, plain))
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
                assert.is_true(wanted == some)
            end
        end)
        local _, t = column { "x", "y" }
        assert.same({ lun.na, "y", lun.na }, lun.rows({ t = t.t }, { 0, 2, 0 }).t:totable())
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
            print(#g, g:codes():cast("f64"):dot(t.n:cast "f64"), table.concat(g:keys():totable(), "|"), table.concat(some.t:totable(), "|"))
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
