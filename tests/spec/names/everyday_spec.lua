-- Everyday spellings: an axis as a bare number, windows along several axes, numbers joined to a Vector, choices from
-- lists, ends of linspace, bytes of records, and what errors of such calls say. Values are counted by hand.

local lun = require "lunarray"
local expect = require "expect"
local shell = require "shell"

local M = lun.vector { { 3, 1, 2 }, { 1, 5, 0 } }

describe("an axis as a number", function()
    it("is that of the options", function()
        local mask = lun.vector { true, false, true }
        for k, case in ipairs {
            { { { 1, 1, 0 }, { 3, 5, 2 } }, M:sort(1) },
            { { { 2, 1, 2 }, { 1, 2, 1 } }, M:argsort(1) },
            { { 2.0, 3.0, 1.0 }, M:median(1) },
            { { 2.0, 1.0 }, M:quantile(0.5, -1) },
            { { { 3, 2 }, { 1, 0 } }, M:compress(mask, 2) },
            { { { 2, 3 }, { 0, 1 } }, M:take({ 3, 1 }, 2) },
            { { { 9, 1, 2 }, { 9, 5, 0 } }, M:copy():put({ 1 }, 9, 2) },
            { { { 3, 1, 2 }, { 4, 6, 2 } }, M:cumsum(1) },
            { { { 2, 3, 1 }, { 0, 1, 5 } }, M:roll(1, 2) },
            { { { 3, 3, 1, 2 }, { 1, 1, 5, 0 } }, M:spread({ 2, 1, 1 }, 2) },
            { { { -2, 1 }, { 4, -5 } }, M:diff(1, 2) },
            { { { 1, 5, 0 }, { 3, 1, 2 } }, (M:unique(1)) },
        } do
            assert.same(case[1], case[2]:totable(), "case " .. k)
        end
        assert.same({ 1, 2, 3 }, lun.vector { 3, 1, 2 }:sort(1):totable())
        local P = lun.struct("P", { { "x", "i64" }, { "v", "f32", 2 } })
        local r = lun.zeros({ 2, 3 }, P)
        r.x = M
        assert.same({ { 3, 2 }, { 1, 0 } }, r:compress(mask, 2).x:totable())
        assert.same({ { 2, 3 }, { 0, 1 } }, r:take({ 3, 1 }, 2).x:totable())
        assert.same({ { 1, 5, 0 }, { 1, 5, 0 } }, r:put({ 1 }, r:take({ 2 }), 1).x:totable())
        assert.same({ 1, 3 }, { lun.complex(M, 0):sort(1):real():row(1):totable()[1], lun.complex(M, 0):sort(1):real()[2][1] })
    end)

    it("is refused where it could be something else", function()
        expect.failure("bad argument #1 to 'zscore' (table of options expected, got number: write {axis=1})",
            function() local x = M:zscore(1) return x end)
        expect.failure("axis 3 is out of range", function() local x = M:sort(3) return x end)
        expect.failure('(options such as {axis=1, descending=true, missing="first"} expected, got descending)', M.sort, M, "descending")
        expect.failure('(options such as {axis=1, edge=0} expected, got 1)', M.shift, M, 1, 1)
    end)
end)

describe("windows along several axes", function()
    it("are those along one after the other", function()
        local A = lun.index(20):reshape(4, 5)
        local w = A:windows { 2, 3 }
        assert.same({ 3, 3, 2, 3 }, { w:shape() })
        for i = 1, 3 do
            for j = 1, 3 do
                assert.same(A:sub({ i, i + 1 }, { j, j + 2 }):totable(), w[i][j]:totable())
            end
        end
        assert.same({ 2, 2, 2, 3 }, { A:windows({ 2, 3 }, { step = 2 }):shape() })
        assert.same({ 3, 2, 2, 2 }, { A:windows({ 2, 2 }, { step = { 1, 3 } }):shape() })
        local turned = A:windows({ 2, 3 }, { axis = { 2, 1 } })
        assert.same({ 2, 4, 2, 3 }, { turned:shape() })
        assert.same({ { 1, 6, 11 }, { 2, 7, 12 } }, turned[1][1]:totable())
        assert.same({ 4, 4, 2 }, { A:windows({ 2 }, { axis = { 2 } }):shape() })
        assert.same({ { 1, 2 }, { 2, 3 } }, lun.index(3):windows { 2 }:totable())
        local P = lun.struct("P", { { "x", "f64" }, { "v", "f32", 2 } })
        assert.same({ 2, 2, 2, 2, 2 }, { lun.zeros({ 3, 3 }, P):windows { 2, 2 }.v:shape() })
    end)

    it("need a width for each axis", function()
        local A = lun.zeros(4, 5)
        expect.failure("bad argument #1 to 'windows' (1 width for a View f64[4, 5], of 2 axes: write 2, or the axes as {axis={...}})",
            function() local x = A:windows { 2 } return x end)
        expect.failure("(3 widths for a View f64[4, 5]: one for each axis expected)", A.windows, A, { 2, 2, 2 })
        expect.failure("(widths of two axes are a list, {2, 3}; an axis is {axis=3})", A.windows, A, 2, 3)
        expect.failure("width: an integer expected, got 1.5", A.windows, A, { 1.5, 2 })
        expect.failure("windows of 9 elements do not fit into axis 2 of length 5", A.windows, A, { 2, 9 })
        expect.failure("option axis: axis 1 is given twice", A.windows, A, { 2, 2 }, { axis = { 1, 1 } })
        expect.failure("option step: a list of 2 expected, one for each width", A.windows, A, { 2, 2 }, { step = { 1 } })
        expect.failure("number expected, got string", A.windows, A, "x")
    end)
end)

describe("a Vector and a number", function()
    it("are joined in the dtype of an operation with it", function()
        local v = lun.vector { 3, 1 }
        for _, case in ipairs {
            { { 3, 1, 7 }, "i64", v .. 7 }, { { 7, 3, 1 }, "i64", 7 .. v }, { { 3.0, 1.0, 0.5 }, "f64", v .. 0.5 },
            { { 3, 1, 4, 5 }, "i64", v .. { 4, 5 } }, { { 4, 5, 3, 1 }, "i64", { 4, 5 } .. v },
            { { 3, 1, 7 }, "i32", v:cast "i32" .. 7 }, { { 3.0, 1.0, 0.5 }, "f32", v:cast "f32" .. 0.5 },
            { { 1, 2, 3 }, "i64", 1 .. (2 .. lun.vector { 3 }) }, { { 8 }, "i64", lun.zeros(0, "i64") .. 8 },
        } do
            assert.same(case[1], case[3]:totable())
            assert.equal(case[2], case[3]:dtype())
        end
        assert.same({ { 3, 1, 2 }, { 1, 5, 0 }, { 7, 8, 9 } }, (M .. { { 7, 8, 9 } }):totable())
        assert.same({ "3x", "1x" }, (v .. "x"):totable()) -- texts are joined element by element
        assert.same({ "a3" }, (lun.vector { "a" } .. 3):totable())
    end)

    it("are refused where nothing fits", function()
        local v = lun.vector { 3, 1 }
        expect.failure("(a number behind i64[2, 3]: parts of its first axis are joined, as in M .. lun.full({1, n}, 3))",
            function() return M .. 3 end)
        expect.failure("bad argument #2 to '..' (array, list or number expected, got boolean)", function() return v .. true end)
        expect.failure("bad argument #1 to '..' (array, list or number expected, got nil)", function() return nil .. v end)
        expect.failure("bad argument #2 to '..' (array, list of numbers or number expected, got another table)",
            function() return v .. { print } end)
    end)
end)

describe("making arrays", function()
    it("leaves out the end", function()
        expect.elements({ 0.0, 0.25, 0.5, 0.75 }, lun.linspace(0, 1, 4, { endpoint = false }))
        expect.elements({ 0.0, 1.0 }, lun.linspace(0, 1, 2, { endpoint = true }))
        expect.elements({ 5.0 }, lun.linspace(5, 9, 1, { endpoint = false }))
        assert.equal(0, #lun.linspace(0, 1, 0, { endpoint = false }))
        expect.elements({ 1.0, 10.0 }, lun.logspace(0, 2, 2, { endpoint = false }))
        expect.close({ 1.0, 2.0, 4.0, 8.0 }, lun.geomspace(1, 16, 4, { endpoint = false }), 2)
        expect.failure("option endpoint: true or false expected, got 0", lun.linspace, 0, 1, 4, { endpoint = 0 })
        expect.failure("unknown option 'stop'", lun.linspace, 0, 1, 4, { stop = 1 })
        expect.failure("options such as {endpoint=false} expected, got f32", lun.linspace, 0, 1, 4, "f32")
        expect.failure("option endpoint: true or false expected, got 1", lun.geomspace, 1, 2, 4, { endpoint = 1 })
    end)

    it("by range says what one number could mean", function()
        expect.failure("the last number is missing: 1 to 5 is lun.index(5), 0 to 4 is lun.range(0, 4)", lun.range, 5)
        expect.failure("number expected, got nil", lun.range, 2.5)
    end)

    it("chooses from lists", function()
        local words = lun.choice({ "a", "b" }, 40, { seed = 1 })
        assert.equal("text", words:dtype())
        assert.same({ "a", "b" }, (words:unique():totable()))
        expect.elements(lun.choice(lun.vector { 1.5, 2.5 }, 9, { seed = 3 }):totable(), lun.choice({ 1.5, 2.5 }, 9, { seed = 3 }))
        local one = lun.choice { "x", "x" }
        assert.equal("x", one)
        assert.equal(7, lun.choice({ 7, 8 }, { p = { 1, 0 } }))
        assert.is_true(lun.choice(6) <= 6)
        assert.same({ 1, 2, 3 }, lun.permutation({ 3, 1, 2 }):sort():totable())
        expect.failure("bad argument #1 to 'choice'", lun.choice, { print }, 3)
        expect.failure("bad argument #1 to 'choice' (nothing to choose from)", lun.choice, {}, 3)
    end)
end)

describe("errors", function()
    it("say what to write", function()
        local v = lun.vector { 1, 2, 3 }
        expect.failure("bad argument #2 to 'cross' (vectors of 3 elements expected, got i64[2])", lun.cross, v, lun.vector { 1, 2 })
        expect.failure("'cross' (3 elements along the last axis expected, got f64[3, 4]: {axis=1} takes the axis that has 3)",
            lun.cross, lun.zeros(3, 4), lun.zeros(3, 4))
        assert.same({ 3, 4 }, { lun.cross(lun.zeros(3, 4), lun.zeros(3, 4), 1):shape() })
        expect.failure("(array expected, got table: lun.vector{...} makes one of a list)", lun.cross, v, { 1, 2, 3 })
        expect.failure("'eval' (array or number expected, got a list: arrays are written one by one, lun.eval(a, b), or ",
            lun.eval, { v, v })
    end)
end)

describe("tables", function()
    it("say where options of join and pivot stand", function()
        local t, u = lun.table { k = { "a", "b" }, x = { 1, 2 } }, lun.table { k = { "a" }, y = { 3 } }
        expect.failure('\'join\': table of options expected, got "left": write {how = "left"}', t.join, t, u, "k", "left")
        expect.failure("'how' is an option, and options stand behind the keys: t:join(u, \"key\", {how = ...})",
            t.join, t, u, { how = "left" })
        expect.failure("'pivot': table of options expected, {agg=..., columns=..., fill=..., index=..., values=...}, got string",
            t.pivot, t, "k", "x")
        local same = lun.table { how = { "a", "b" } }
        assert.equal(1, #same:join(lun.table { k = { "a" } }, { how = "k" })) -- columns of that name are keys
    end)

    it("have the names of pandas told in scripts", function()
        local function hint(code)
            local path = os.tmpname()
            local file <close> = assert(io.open(path, "w"))
            file:write("local t = lun.table{x = {1, 2}}\n" .. code .. "\n"):flush()
            local said = shell.capture(("%s/lunarray '%s' 2>&1"):format(os.getenv "BUILD" or "build", path))
            os.remove(path)
            return said:match "\n('.- here)\n"
        end
        assert.equal("'merge' is t:join(u, \"city\") here", hint "t:merge(t)")
        assert.equal("'save' is lun.save(\"t.csv\", t) here", hint "t:save('x.csv')")
        assert.equal("'shape' is #t, #t:names() here", hint "print(t:shape())")
        assert.is_nil(hint "print(t.lst)")
    end)
end)

describe("bytes of records", function()
    it("are those of their memory", function()
        local fields = { { "x", "f32" }, { "y", "f64" }, { "m", "f32", { 2, 3 } }, { "z", "c64" } }
        local P, Q = lun.struct("P", fields), lun.struct("Q", fields, { layout = "soa" })
        local p, q = lun.zeros(4, P), lun.zeros(4, Q)
        assert.same({ 48, 4 * 48, 4 * 48 }, { p:itemsize(), p:nbytes(), #p:tobytes() }) -- 4 after x, as in C
        assert.same({ 44, 4 * 44, 44, 0 }, { q:itemsize(), q:nbytes(), lun.zeros(0, Q):itemsize(), lun.zeros(0, Q):nbytes() })
    end)
end)
