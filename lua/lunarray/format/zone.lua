-- Time zones out of the system's zone files (RFC 9636, TZif): the times at which the offset from UTC changes, to the
-- second, and the offset from each of them on. Beyond the last one that a file lists its rule, POSIX's TZ, gives those
-- of 400 years, after which the calendar repeats.

local internal = require("lunarray.core").internal

local M = {}

local FOLDERS <const> = { "/usr/share/zoneinfo/", "/usr/lib/zoneinfo/", "/usr/share/lib/zoneinfo/", "/etc/zoneinfo/" }
local DAY <const>, YEARS <const> = 86400, 400
M.period = 146097 * DAY -- seconds of 400 years

-- ---------------------------------------------------------------- rules

-- A rule being read: the text and the place in it.
local Rule = {}
Rule.__index = Rule

function Rule:take(pattern)
    local first, last, a, b, c = self.text:find("^" .. pattern, self.at)
    if not first then
        return nil
    end
    self.at = last + 1
    return a, b, c
end

-- Seconds of "[+-]hh[:mm[:ss]]", nil: there are none.
function Rule:seconds()
    local sign, hours = self:take "([+-]?)(%d+)"
    if not hours then
        return nil
    end
    local minutes = tonumber(self:take ":(%d+)" or 0)
    local all = tonumber(hours) * 3600 + minutes * 60 + tonumber(self:take ":(%d+)" or 0)
    return sign == "-" and -all or all
end

-- What gives the day, since 1970-01-01, of a year's change: "M10.5.0", the last Sunday of October, "J300", which never
-- counts 29 February, or "299", which does, from 0; nil: no such text is there.
function Rule:day()
    local month, week, weekday = self:take ",M(%d+)%.(%d)%.(%d)"
    if month then
        month, week, weekday = tonumber(month), tonumber(week), tonumber(weekday)
        return function(year)
            local first = internal.civil_days(year, month, 1)
            local at = first + (weekday - first - 4) % 7 + 7 * (week - 1) -- 1970-01-01 was a Thursday, number 4
            return at < internal.civil_days(year, month + 1, 1) and at or at - 7
        end
    end
    local counted, number = self:take ",(J?)(%d+)"
    number = tonumber(number)
    return number and function(year)
        local first = internal.civil_days(year, 1, 1)
        local leap = counted == "J" and internal.civil_days(year, 3, 1) - first == 60
        return first + number - (counted == "J" and 1 or 0) + (leap and number >= 60 and 1 or 0)
    end
end

-- The day of a year's change, and its second.
function Rule:change()
    local day = self:day()
    local second = day and self:take "(/)" and self:seconds() or 7200
    return day, second
end

local NAME <const> = "(%a%a%a+)"
local QUOTED <const> = "(<[%w+-]+>)"

-- The rule that a text is: its offset, and that of summer with what begins and ends it; nil: it is none.
local function rule_of(text)
    local rule = setmetatable({ text = text, at = 1 }, Rule)
    local named = rule:take(NAME) or rule:take(QUOTED)
    local west = named and rule:seconds()
    if not west then
        return nil
    elseif rule.at > #text then
        return { offset = -west }
    end
    named = rule:take(NAME) or rule:take(QUOTED)
    local summer = rule:seconds() or west - 3600
    local from, from_second = rule:change()
    local to, to_second = rule:change()
    if not named or not from or not to or rule.at <= #text then
        return nil
    end
    return { offset = -west, summer = -summer, from = from, from_second = from_second, to = to, to_second = to_second }
end

-- Adds the changes by a rule of so many years.
local function add_changes(zone, rule, first, years)
    local last = zone.at[#zone.at] or math.mininteger
    for year = first, first + years do
        local pair = {
            { rule.from(year) * DAY + rule.from_second - rule.offset, rule.summer },
            { rule.to(year) * DAY + rule.to_second - rule.summer, rule.offset },
        }
        if pair[2][1] < pair[1][1] then
            pair[1], pair[2] = pair[2], pair[1]
        end
        for _, change in ipairs(pair) do
            if change[1] > last then
                zone.at[#zone.at + 1], zone.offset[#zone.offset + 1] = change[1], change[2]
            end
        end
    end
    zone.ends = internal.civil_days(first + years, 1, 1) * DAY
end

-- ---------------------------------------------------------------- files

-- The counts of a header at a byte, and the byte behind it.
local function header(bytes, at)
    if bytes:sub(at, at + 3) ~= "TZif" or #bytes < at + 43 then
        return nil
    end
    local n = { version = bytes:sub(at + 4, at + 4) }
    n.utc, n.standard, n.leaps, n.times, n.kinds, n.chars = string.unpack(">I4I4I4I4I4I4", bytes, at + 20)
    return n, at + 44
end

local function size_of(n, bytes)
    return n.times * (bytes + 1) + n.kinds * 6 + n.chars + n.leaps * (bytes + 4) + n.standard + n.utc
end

-- The zone of a file's bytes; nil: they are none.
local function parsed(bytes)
    local n, at = header(bytes, 1)
    local wide = n and n.version ~= "\0"
    if wide then
        n, at = header(bytes, at + size_of(n, 4))
    end
    local width = wide and 8 or 4
    if not n or n.kinds == 0 or n.leaps > 0 or #bytes < at + size_of(n, width) - 1 then
        return nil
    end
    local kinds = at + n.times * (width + 1)
    local function offset_of(kind)
        return kind < n.kinds and string.unpack(">i4", bytes, kinds + kind * 6) or nil
    end
    local zone = { at = {}, offset = {}, first = offset_of(0) }
    for k = 1, n.times do
        zone.at[k] = string.unpack(wide and ">i8" or ">i4", bytes, at + (k - 1) * width)
        zone.offset[k] = offset_of(bytes:byte(at + n.times * width + k - 1))
        if not zone.offset[k] or k > 1 and zone.at[k] <= zone.at[k - 1] then
            return nil
        end
    end
    local text = wide and bytes:match("^\n([^\n]*)\n", at + size_of(n, width)) or ""
    local rule = text ~= "" and rule_of(text)
    if rule == nil then
        return nil
    elseif rule and rule.summer then
        local last = zone.at[#zone.at]
        add_changes(zone, rule, last and internal.civil_of(last // DAY) or 1600, YEARS + 1)
    end
    return zone
end

-- The zone of that name: at, seconds since 1970-01-01 UTC that ascend; offset, seconds east of UTC from each of them
-- on; first, before them; ends: where it repeats what was `period` before, or nil. Or nil and what is wrong.
function M.read(name)
    if name == "UTC" then
        return { at = {}, offset = {}, first = 0 }
    end
    for _, folder in ipairs(FOLDERS) do
        local handle = io.open(folder .. name, "rb")
        local bytes = handle and handle:read "a"
        if handle then
            handle:close()
        end
        if bytes then
            local zone = parsed(bytes)
            if zone then
                return zone
            end
            return nil, ("%s%s is no zone file"):format(folder, name)
        end
    end
    return nil, ("there is no zone '%s' in %s; zone files are the package tzdata"):format(name,
        FOLDERS[1]:sub(1, -2))
end

return M
