-- t:join, of every kind, as pandas joins, and its errors.
local lun = require "lunarray"
local expect = require "expect"
local stored = require "table.pandas_values"
local like = require "table_values"

local function both()
    local t, u = like.table(stored.t), like.table(stored.u)
    t.row, u.line = lun.index(#t) - 1, lun.index(#u) - 1
    return t, u
end

describe("t:join", function()
    it("gives the rows that pandas gives, in order", function()
        expect.everywhere(function()
            local t, u = both()
            for _, how in ipairs { "inner", "left", "right", "full", "semi", "anti" } do
                like.check(stored[how], t:join(u, "j", { how = how }), how)
            end
            like.check(stored.full, t:join(u, "j", { how = "outer" }), "outer")
            like.check(stored.cross, t:head(5):join(u:select("b", "line"), { how = "cross" }), "cross")
            like.check(stored.inner, t:join(u:rename { j = "key" }, { j = "key" }), "names that differ")
        end)
    end)

    it("takes the columns that both have, and names the others' apart", function()
        local t = lun.table({ a = { 1, 2 }, b = { "x", "y" }, c = { 5, 6 } }, { "a", "b", "c" })
        local u = lun.table({ a = { 2, 1 }, b = { "y", "z" }, d = { 7, 8 } }, { "a", "b", "d" })
        assert.same({ { a = 2, b = "y", c = 6, d = 7 } }, t:join(u):totable())
        assert.same({ "a", "b", "c", "b_u", "d" }, t:join(u, "a", { suffix = "_u" }):names())
        expect.failure("two columns would be called 'b_right'", t.join, t, u:with { b_right = 1 }, "a")
        assert.same({ "a", "b", "c", "b_right", "d", "_join" }, t:join(u, "a", { source = true }):names())
    end)

    it("says where rows come from", function()
        local t, u = lun.table { a = { 1, 2 } }, lun.table { a = { 2, 3 } }
        assert.same({ "left", "both", "right" }, { table.unpack(t:join(u, "a", { how = "full", source = true })._join) })
    end)

    it("matches missing keys where it is asked to", function()
        local t, u = lun.table { a = { 1, lun.na } }, lun.table { a = { lun.na, 1 }, b = { 5, 6 } }
        assert.same({ 6 }, t:join(u, "a").b:totable())
        assert.same({ 6, 5 }, t:join(u, "a", { na = "match" }).b:totable())
    end)

    it("may have no rows on a side", function()
        local t, u = both()
        for _, how in ipairs { "inner", "left", "right", "full", "semi", "anti", "cross" } do
            local on = how ~= "cross" and "j" or nil
            local wanted = { left = #t, full = #t, anti = #t }
            assert.equal(wanted[how] or 0, #t:join(u:head(0), on, { how = how, suffix = "_u" }), how)
            wanted = { right = #u, full = #u }
            assert.equal(wanted[how] or 0, #t:head(0):join(u, on, { how = how, suffix = "_u" }), how)
        end
    end)

    it("compares integers of all dtypes, and floats by value", function()
        local t = lun.table { a = lun.vector({ 1, 2, 3 }, "i16") }
        assert.same({ 2 }, t:join(lun.table { a = lun.vector({ 2, 200 }, "u8") }, "a").a:totable())
        assert.same({ 3 }, t:join(lun.table { a = { 2.5, 3.0 } }, "a").a:totable())
    end)

    it("refuses keys that differ, options it has not, and keys that repeat", function()
        local t, u = both()
        expect.failure("keys differ: 'k' is text, 'b' is i64", t.join, t, u, { k = "b" })
        expect.failure("no column 'nosuch'", t.join, t, u, "nosuch")
        expect.failure("the tables have no column in common", t.join, t:select "k", u)
        expect.failure("'join': unknown option 'on'; there are by, direction, how, na, source", t.join, t, u, "j", { on = 1 })
        expect.failure("inner, left, right, full, semi, anti, cross or asof expected, got sideways", t.join, t, u, "j",
            { how = "sideways" })
        expect.failure("table of columns expected, got number", t.join, t, 3)
        expect.failure([[validate = "m:1": 1 keys (j) of the right table repeat]], t.join, t, u, "j", { validate = "m:1" })
        expect.failure([[validate = "1:1": 4 keys (j) of the left table repeat]], t.join, t, u, "j", { validate = "1:1" })
        assert.equal(#t:join(u, "j"), #t:join(u:unique "j", "j", { validate = "m:1" }) + #t:filter { j = 2 })
        local wide = lun.table { i = lun.index(1 << 21) }
        expect.failure("the result would have 2097152 times 2097152 rows", wide.join, wide, wide, { how = "cross" })
    end)
end)
