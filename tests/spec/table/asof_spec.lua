-- Joins by the nearest time: what pandas gives, loops over random tables, errors.
local lun = require "lunarray"
local expect = require "expect"
local stored = require "table.series_values"
local like = require "table_values"

local NA, list = lun.na, expect.list

local function timed(stored_table)
    local t = like.table(stored_table)
    t.time = lun.vector(t.time, "timestamp")
    return t
end

-- The row of u for a time, by a loop over all rows.
local function found(time, by, u, direction, tolerance)
    local best
    for j, other in ipairs(u.time) do
        if time ~= NA and other ~= NA and by ~= NA and u.by[j] == by then
            local d, e = other - time, best and u.time[best] - time
            local usable = (direction == "nearest" or direction == "backward" and d <= 0 or direction == "forward" and d >= 0)
                and math.abs(d) <= (tolerance or math.huge)
            -- Of rows before or at the time the last, of those behind it the first; of two as near the one before.
            if usable and (not best or math.abs(d) < math.abs(e) or math.abs(d) == math.abs(e)
                and (d <= 0 and direction ~= "forward")) then
                best = j
            end
        end
    end
    return best
end

describe("t:join by the nearest time", function()
    it("gives what pandas gives", function()
        expect.everywhere(function()
            local trades, quotes = timed(stored.trades), timed(stored.quotes)
            for _, direction in ipairs { "backward", "forward", "nearest" } do
                local opts = { how = "asof", direction = direction }
                like.check(stored[direction], trades:join(quotes:drop "symbol", "time", opts), direction)
                opts.by = "symbol"
                like.check(stored[direction .. "_by"], trades:join(quotes, "time", opts), direction .. " by symbol")
                opts.tolerance = "3s"
                like.check(stored[direction .. "_near"], trades:join(quotes, "time", opts), direction .. " within 3 s")
            end
        end)
    end)

    it("gives what a loop gives, of random tables with gaps and equal times", function()
        local seed = 7
        local function number(n)
            seed = seed * 6364136223846793005 + 1442695040888963407
            return (seed >> 33) % n
        end
        local function random(rows)
            local time, by = {}, {}
            for i = 1, rows do
                time[i] = number(8) == 0 and NA or number(12)
                by[i] = number(8) == 0 and NA or number(3)
            end
            return { time = time, by = by, row = lun.index(rows):totable() }
        end
        local kinds = { "i64", "f64", "date", "timestamp", "u8", "duration" }
        for round = 1, 60 do
            local a, b = random(number(20) + 1), random(number(20) + 1)
            local kind = kinds[round % #kinds + 1]
            local function made(x)
                local time = lun.vector(x.time, "i64")
                time = kind == "timestamp" and time:cast("timestamp", { unit = "s" }) or kind == "duration" and lun.duration(time)
                    or time:cast(kind)
                return lun.table({ time = time, by = lun.vector(x.by, "i64"), row = lun.vector(x.row) }, { "time", "by", "row" })
            end
            local direction = ({ "backward", "forward", "nearest" })[round % 3 + 1]
            local tolerance = round % 2 == 0 and number(4) or nil
            local t, u = made(a), made(b):rename { row = "other" }
            local unit = kind == "date" and "d" or (kind == "timestamp" or kind == "duration") and "s"
            local got = t:join(u, "time", { how = "asof", by = "by", direction = direction,
                tolerance = tolerance and (unit and tolerance .. unit or tolerance) })
            local wanted = {}
            for i, time in ipairs(a.time) do
                wanted[i] = found(time, a.by[i], b, direction, tolerance) or NA
            end
            assert.same({ "time", "by", "row", "other" }, got:names())
            assert.same(wanted, list(got.other), ("round %d: %s, %s"):format(round, kind, direction))
            assert.same(a.row, list(got.row))
        end
    end)

    it("matches dates with timestamps, missing keys if they shall, and says where rows are from", function()
        local at, day = { "2024-01-02 12:00", NA }, { "2024-01-01", "2024-01-02", "2024-01-03" }
        local t = lun.table({ at = lun.vector(at, "timestamp"), k = { 1, NA }, v = { 1, 2 } }, { "at", "k", "v" })
        local u = lun.table({ day = lun.vector(day, "date"), k = { 1, 1, NA }, v = { "a", "b", "c" } }, { "day", "k", "v" })
        local got = t:join(u, { at = "day" }, { how = "asof", by = "k", source = true })
        assert.same({ "at", "k", "v", "v_right", "_join" }, got:names())
        assert.same({ { at = "2024-01-02 12:00:00", k = 1, v = 1, v_right = "b", _join = "both" }, { v = 2, _join = "left" } },
            got:totable())
        t.at = lun.vector({ "2024-01-02 12:00", "2024-01-05" }, "timestamp")
        assert.same({ "b", "c" }, t:join(u, { at = "day" }, { how = "asof", by = "k", na = "match" }):totable("columns").v_right)
        got = t:join(u:drop "k", { at = "day" }, { how = "asof", tolerance = "12h", suffix = "2" })
        assert.same({ { at = "2024-01-02 12:00:00", k = 1, v = 1, v2 = "b" }, { at = "2024-01-05 00:00:00", v = 2 } }, got:totable())
        got = t:join(u:rename { k = "key" }, { at = "day" }, { how = "asof", by = { k = "key" } })
        assert.same({ "at", "k", "v", "v_right" }, got:names())
    end)

    it("of extremes, of no rows", function()
        local t = lun.table { x = lun.vector { math.mininteger, math.maxinteger }, i = { 1, 2 } }
        local u = lun.table { x = lun.vector { math.maxinteger - 1, math.mininteger + 1 }, j = { 1, 2 } }
        assert.same({ 2, 1 }, list(t:join(u, "x", { how = "asof", direction = "nearest" }).j))
        assert.same({ NA, 1 }, list(t:join(u, "x", { how = "asof" }).j))
        assert.same({ NA, NA }, list(t:join(u:head(0), "x", { how = "asof" }).j))
        assert.equal(0, #t:head(0):join(u, "x", { how = "asof" }))
        local f = lun.table { x = lun.vector { 1.5, 0 / 0, 1 / 0, NA }, i = { 1, 2, 3, 4 } }
        assert.same({ 1, NA, 3, NA }, list(f:join(f:rename { i = "j" }, "x", { how = "asof" }).j))
    end)

    it("refuses what has no order, and options that it has not", function()
        local t = lun.table { time = lun.vector({ "2024-01-01" }, "date"), x = { 1 }, s = { "a" } }
        local function refused(text, on, opts)
            opts.how = opts.how or "asof"
            expect.failure(text, function() t:join(t, on, opts) end)
        end
        refused("'s' is text; times or numbers expected", "s", {})
        refused("keys differ: 'time' is date, 'x' is i64", { time = "x" }, {})
        refused("takes one time; the keys that are equal are the option 'by'", { "time", "x" }, {})
        refused("takes one time", nil, {})
        refused("no column 'q'", "time", { by = "q" })
        refused("option 'direction': backward, forward or nearest expected, got back", "time", { direction = "back" })
        refused("option 'tolerance': duration such as \"10s\" expected, got 10", "time", { tolerance = 10 })
        refused("option 'tolerance': duration such as \"10s\" expected, got soon", "time", { tolerance = "soon" })
        refused("option 'tolerance': duration such as \"10s\" expected, got -1d", "time", { tolerance = "-1d" })
        refused("option 'tolerance': number from 0 on expected, got 1d", "x", { tolerance = "1d" })
        refused("option 'tolerance': number from 0 on expected, got -1", "x", { tolerance = -1 })
        refused("option 'validate' does not go with how = \"asof\"", "time", { validate = "1:1" })
        refused("option 'by' goes with how = \"asof\"", "time", { how = "left", by = "x" })
        refused("option 'how': inner, left, right, full, semi, anti, cross or asof expected, got near", "time", { how = "near" })
        refused("option 'na': \"match\" expected, got drop", "time", { na = "drop" })
    end)
end)
