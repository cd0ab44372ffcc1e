-- CSV files beyond a plain load: written at length, and columns that are read when they are used.
local lun = require "lunarray"
local shell = require "shell"

local directory

local function path_of(name)
    return directory .. "/" .. name
end

local function write(text, name)
    return shell.write(path_of(name), text)
end

-- What the Lua library writes for a float so that it reads back: the fewest of 15 to 17 digits.
local function fewest(x)
    if x ~= x then
        return "nan"
    end
    local text
    for digits = 15, 17 do
        text = ("%." .. digits .. "g"):format(x)
        if tonumber(text) == x then
            break
        end
    end
    return text:find "[.en]" and text or text .. ".0"
end

describe("csv files", function()
    before_each(function()
        directory = shell.scratch()
    end)

    after_each(function()
        shell.discard(directory)
    end)

    describe("that are written", function()
        it("have the fewest of 15 to 17 digits, whatever the float", function()
            local random = dofile "tests/torture/kit.lua".generator(12)
            local list = { 0.0, -0.0, 1.0, 0.5, 1e15, 1e16, 1e17, 999999999999999, 1e21, 1e22, 1e23, 5e-324,
                2.2250738585072014e-308, 1.7976931348623157e308, 0.0001, 0.00001, 123456789012345678.0, 0x1p-1074,
                9007199254740993.0, 4503599627370496.5, math.huge, -math.huge, 0.1, 1 / 3, 2 / 3 }
            for i = 1, 60000 do
                local kind = i % 4
                if kind == 0 then
                    list[#list + 1] = string.unpack("<d", string.pack("<i8", random(0x7fefffffffffffff)))
                elseif kind == 1 then
                    list[#list + 1] = random(1000000) / 10.0 ^ random(12)
                elseif kind == 2 then
                    list[#list + 1] = -random(1 << 53) / (1 << 53)
                else
                    list[#list + 1] = tonumber(("%de%d"):format(random(99999999), random(600) - 300))
                end
            end
            local path = path_of "f.csv"
            assert(lun.save(path, { x = lun.vector(list, "f64") }))
            local i = 0
            for line in io.lines(path) do
                if i > 0 and fewest(list[i]) ~= line then
                    assert.equal(fewest(list[i]), line)
                end
                i = i + 1
            end
            assert.equal(#list + 1, i)
        end)

        it("have quotes around the fields that need them, wherever in one", function()
            local list, lines = {}, { "t" }
            for length = 1, 20 do
                for place = 1, length do
                    for c in (',"\n\r+-!#\v\t.;aé'):gmatch(utf8.charpattern) do
                        local text = ("x"):rep(place - 1) .. c .. ("y"):rep(length - place)
                        list[#list + 1] = text
                        lines[#list + 1] = text:find '[,"\n\r]' and '"' .. text:gsub('"', '""') .. '"'
                            or text == "\t" and '"\t"' or text
                    end
                end
            end
            assert(lun.save(path_of "q.csv", { t = list }))
            assert.equal(table.concat(lines, "\n") .. "\n", shell.slurp(path_of "q.csv"))
        end)

        it("have each row once, in order, with fields of every kind", function()
            local ROWS = 150000
            local names, mixed = {}, {}
            for i = 1, ROWS do
                names[i] = i % 7 == 0 and ("a, %d"):format(i) or i % 11 == 0 and ('"%d"'):format(i) or "n" .. i
                mixed[i] = i % 3 == 0 and i or i % 3 == 1 and i + 0.5 or i % 2 == 0
            end
            local path = path_of "rows.csv"
            local index = lun.index(ROWS)
            assert(lun.save(path, { n = names, m = mixed, i = index, e = index * 0.25, b = index:gt(5),
                u = index:cast "u8" }, { names = { "i", "n", "m", "e", "b", "u" } }))
            local row = 0
            for line in io.lines(path) do
                if row > 0 then
                    local n, m = names[row], mixed[row]
                    n = n:find '[,"]' and '"' .. n:gsub('"', '""') .. '"' or n
                    local expected = ("%d,%s,%s,%s,%s,%d"):format(row, n, tostring(m), fewest(row * 0.25), row > 5, row % 256)
                    if expected ~= line then
                        assert.equal(expected, line)
                    end
                end
                row = row + 1
            end
            assert.equal(ROWS + 1, row)
        end)

        it("twice are the same bytes, and so is what was loaded from them", function()
            local a, b, c = path_of "a.csv", path_of "b.csv", path_of "c.csv"
            local t = { x = lun.random(5000, { seed = 3 }), k = lun.index(5000) % 17 }
            assert(lun.save(a, t))
            assert(lun.save(b, t))
            assert(lun.save(c, assert(lun.load(a)), { names = { "k", "x" } }))
            assert.equal(shell.slurp(a), shell.slurp(b))
            assert.equal(shell.slurp(a), shell.slurp(c))
        end)
    end)

    describe("that are opened", function()
        local TEXT = "a,b,c\n1,x,2.5\n2,y,\n3,z,4\n"

        it("read a column when it is used", function()
            local path = write(TEXT, "o.csv")
            local t = assert(lun.open(path))
            assert.equal(3, #t)
            assert.is_nil(rawget(t, "a"))
            assert.same({ 1, 2, 3 }, t.a:totable())
            assert.is_true(rawequal(t.a, t.a))
            assert.is_nil(rawget(t, "b"))
            assert.is_false(t:has "z")
            assert.equal(tostring(lun.load(path)), tostring(t))
            local seen = {}
            for name, column in pairs(t) do
                seen[#seen + 1] = name .. #column
            end
            assert.same({ "a3", "b3", "c3" }, seen)
            assert.same({ "x", "y", "z" }, t.b:totable())
        end)

        it("have the columns that are asked for, others can be added or taken away", function()
            local t = assert(lun.open(write(TEXT, "o.csv"), { columns = { "c", "a" } }))
            assert.same({ "c", "a" }, t:names())
            t.d, t.c = t.a * 2, nil
            local names = {}
            for name in pairs(t) do
                names[#names + 1] = name
            end
            assert.same({ "a", "d" }, names)
            assert.is_false(t:has "c")
            assert(lun.save(path_of "s.csv", t))
            assert.equal("a,d\n1,2\n2,4\n3,6\n", shell.slurp(path_of "s.csv"))
        end)

        it("are checked at once, and refused when they have changed", function()
            local path = write("a,b\n1,2\n3\n", "o.csv")
            local t, message, code = lun.open(path)
            assert.is_nil(t)
            assert.equal(path .. ": line 3: 1 field, but the header has 2; {ragged = \"fill\"} makes the others missing, "
                .. "{ragged = \"skip\"} leaves such rows out", message)
            assert.equal("format", code)
            write(TEXT, "o.csv")
            t = assert(lun.open(path))
            write(TEXT .. "4,w,1\n", "o.csv")
            local ok, problem = pcall(function() return t.a:sum() end)
            assert.is_false(ok)
            assert.equal(path .. ": the file has changed since it was opened; open it again", problem)
            t, message, code = lun.open(path_of "none.csv")
            assert.same({ nil, path_of "none.csv" .. ": No such file or directory", 2 }, { t, message, code })
            assert.is_false(pcall(lun.open, path, { dtype = "f32" }))
        end)
    end)
end)
