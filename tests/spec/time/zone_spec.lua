-- Zones: what Python's zoneinfo gives of times before a zone's first change, between changes, in the hour that is there
-- twice, in gaps, and where only the rule says what holds; what is refused.
local lun = require "lunarray"
local expect = require "expect"

local NA, list = lun.na, expect.list

local FROM_UTC <const> = {
    ["Europe/Berlin"] = {
        { "1893-03-31 23:00:00", "1893-03-31 23:53:28" }, { "1916-04-30 22:00:00", "1916-05-01 00:00:00" },
        { "1945-05-24 00:30:00", "1945-05-24 03:30:00" }, { "1979-07-01 12:00:00", "1979-07-01 13:00:00" },
        { "2024-03-31 00:59:59", "2024-03-31 01:59:59" }, { "2024-03-31 01:00:00", "2024-03-31 03:00:00" },
        { "2024-10-27 00:30:00", "2024-10-27 02:30:00" }, { "2024-10-27 01:30:00", "2024-10-27 02:30:00" },
        { "2500-07-01 12:00:00", "2500-07-01 14:00:00" },
    },
    ["America/New_York"] = {
        { "1883-11-18 17:00:00", "1883-11-18 12:00:00" }, { "1918-03-31 07:00:00", "1918-03-31 03:00:00" },
        { "2007-03-11 07:00:00", "2007-03-11 03:00:00" }, { "2024-11-03 05:30:00", "2024-11-03 01:30:00" },
        { "2024-11-03 06:30:00", "2024-11-03 01:30:00" }, { "9999-07-01 12:00:00", "9999-07-01 08:00:00" },
    },
    ["Asia/Kolkata"] = {
        { "1941-10-01 00:00:00", "1941-10-01 06:30:00" }, { "2024-01-01 00:00:00", "2024-01-01 05:30:00" },
    },
    ["Australia/Lord_Howe"] = {
        { "2024-04-06 14:45:00", "2024-04-07 01:45:00" }, { "2024-04-06 15:15:00", "2024-04-07 01:45:00" },
        { "2024-10-05 15:30:00", "2024-10-06 02:30:00" }, { "2110-01-15 00:00:00", "2110-01-15 11:00:00" },
    },
    ["America/St_Johns"] = {
        { "2011-03-13 03:30:59", "2011-03-13 00:00:59" }, { "2011-03-13 03:31:00", "2011-03-13 01:01:00" },
    },
    ["Europe/Dublin"] = {
        { "1916-05-21 02:25:21", "1916-05-21 03:00:00" }, { "2024-01-15 12:00:00", "2024-01-15 12:00:00" },
        { "2024-07-15 12:00:00", "2024-07-15 13:00:00" }, { "2048-10-25 01:00:00", "2048-10-25 01:00:00" },
    },
    ["Pacific/Apia"] = {
        { "2011-12-30 09:59:59", "2011-12-29 23:59:59" }, { "2011-12-30 10:00:00", "2011-12-31 00:00:00" },
    },
    ["Africa/Monrovia"] = {
        { "1971-12-31 23:00:00", "1971-12-31 22:15:30" }, { "1972-01-07 00:44:30", "1972-01-07 00:44:30" },
    },
    ["Etc/GMT+5"] = {
        { "2024-01-01 00:00:00", "2023-12-31 19:00:00" },
    },
}

local TO_UTC <const> = {
    ["Europe/Berlin"] = {
        { "2024-03-31 01:59:59", "2024-03-31 00:59:59" }, { "2024-03-31 02:30:00", "2024-03-31 01:30:00" },
        { "2024-10-27 02:30:00", "2024-10-27 00:30:00" }, { "2024-10-27 03:00:00", "2024-10-27 02:00:00" },
        { "9999-07-01 14:00:00", "9999-07-01 12:00:00" },
    },
    ["America/New_York"] = {
        { "2024-03-10 02:30:00", "2024-03-10 07:30:00" }, { "2024-11-03 01:30:00", "2024-11-03 05:30:00" },
        { "0001-01-01 12:00:00", "0001-01-01 16:56:02" }, { "2045-03-12 02:15:00", "2045-03-12 07:15:00" },
    },
    ["Australia/Lord_Howe"] = {
        { "2024-10-06 02:10:00", "2024-10-05 15:40:00" }, { "2024-04-07 01:45:00", "2024-04-06 14:45:00" },
    },
    ["Pacific/Apia"] = {
        { "2011-12-30 12:00:00", "2011-12-30 22:00:00" },
    },
    ["Europe/Dublin"] = {
        { "2024-03-31 01:30:00", "2024-03-31 01:30:00" }, { "2024-10-27 01:30:00", "2024-10-27 00:30:00" },
    },
}

-- Whether this machine has zone files.
local function has_zones()
    local file = io.open "/usr/share/zoneinfo/Europe/Berlin"
    return file and file:close() or false
end

local function column(pairs_of, k)
    local texts = {}
    for i, pair in ipairs(pairs_of) do
        texts[i] = pair[k]
    end
    return texts
end

describe("a:zone", function()
    it("gives what Python gives", function()
        for zone, times in pairs(has_zones() and FROM_UTC or {}) do
            local got = assert(lun.vector(column(times, 1), "timestamp"):zone("UTC", zone))
            assert.same(column(times, 2), list(got), zone)
        end
        for zone, times in pairs(has_zones() and TO_UTC or {}) do
            local got = assert(lun.vector(column(times, 1), "timestamp"):zone(zone, "UTC"))
            assert.same(column(times, 2), list(got), zone)
        end
    end)

    it("goes from one zone to another, on all backends, with gaps, microseconds, of no elements", function()
        local t = lun.vector({ "2024-07-01 12:00:00.000001", NA, "1969-12-31 23:59:59.999999" }, "timestamp")
        assert.is_true(t:zone("UTC", "UTC"):equals(t))
        assert.equal(0, #t:sub(1, 0):zone("UTC", "UTC"))
        if has_zones() then
            expect.everywhere(function()
                local there = t:zone("Asia/Tokyo", "America/New_York")
                assert.same({ "2024-06-30 23:00:00.000001", NA, "1969-12-31 09:59:59.999999" }, list(there))
                assert.is_true(there:zone("America/New_York", "Asia/Tokyo"):equals(t))
            end)
            assert.same({ 2, 1 }, { t:sub(1, 2):reshape(2, 1):zone("UTC", "Asia/Tokyo"):shape() })
        end
    end)

    it("names a zone that there is not, and refuses what is no name", function()
        local t = lun.vector({ "2024-07-01 12:00" }, "timestamp")
        local none, message = t:zone("UTC", "Nowhere/City")
        assert.is_nil(none)
        assert.equal("there is no zone 'Nowhere/City' in /usr/share/zoneinfo; zone files are the package tzdata", message)
        assert.is_nil((t:zone("Nowhere", "UTC")))
        assert.is_nil((t:zone("UTC", "Europe"))) -- a folder
        for _, name in ipairs { "", "/Europe/Berlin", "../zoneinfo/UTC", "Europe//Berlin", "Europe/", "a b", "\0" } do
            expect.failure("bad argument #2 to 'zone' (zone such as \"Europe/Berlin\" expected, got " .. name, t.zone, t, "UTC", name)
        end
        expect.failure("bad argument #1 to 'zone' (zone such as \"Europe/Berlin\" expected, got nil)", t.zone, t)
        expect.failure("bad argument #2 to 'zone' (zone such as \"Europe/Berlin\" expected, got number)", t.zone, t, "UTC", 2)
        expect.failure("timestamp expected, got date[1]", function() t:date():zone("UTC", "UTC") end)
    end)
end)
