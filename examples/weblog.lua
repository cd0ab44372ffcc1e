-- The log of a web server: makes one of so many lines, saves it as a csv file, loads that, and asks which pages are
-- wanted most, how much was sent with each status, at which hours, and which minute was the busiest.
--     build/lunarray examples/weblog.lua 1000000 /tmp/weblog.csv
-- prints:
--     1000000 lines, 2026-02-02 to 2026-03-01
--     3 columns, 8 rows
--        page      hits     bytes
--        text       i64       i64
--     1  /        52807  39121912
--     2  /docs/2  33894  40466164
--     3  /blog/3  28403  46270379
--     4  /shop/4  24653  51324852
--     5  /blog/5  22242  56170793
--     6  /blog/6  20217  60133120
--     7  /shop/7  19094  65463234
--     8  /blog/8  17780  69239003
--     5 columns, 4 rows
--        status    hits        bytes   median    most
--           i64     i64          i64      f64     i64
--     1     200  900151  28639542742  13294.0  466235
--     2     304   60085            0      0.0       0
--     3     404   34706     17769472    512.0     512
--     4     500    5058      2589696    512.0     512
--     hits by hour
--      0 to  1 |█▊ 3508
--      1 to  2 |█████▌ 10444
--      2 to  3 |█████████▏ 17496
--      3 to  4 |████████████▉ 24428
--      4 to  5 |████████████████▌ 31377
--      5 to  6 |████████████████████▏ 38193
--      6 to  7 |███████████████████████▊ 45151
--      7 to  8 |███████████████████████████▌ 52244
--      8 to  9 |███████████████████████████████ 58755
--      9 to 10 |██████████████████████████████████▋ 65665
--     10 to 11 |██████████████████████████████████████▋ 73177
--     11 to 12 |██████████████████████████████████████████ 79527
--     12 to 13 |█████████████████████████████████████████▉ 79492
--     13 to 14 |██████████████████████████████████████▋ 73227
--     14 to 15 |██████████████████████████████████▉ 66218
--     15 to 16 |███████████████████████████████▏ 59020
--     16 to 17 |███████████████████████████▌ 52103
--     17 to 18 |███████████████████████▊ 45123
--     18 to 19 |████████████████████▏ 38246
--     19 to 20 |████████████████▍ 31032
--     20 to 21 |████████████▊ 24363
--     21 to 22 |█████████▏ 17348
--     22 to 23 |█████▌ 10450
--     23 to 24 |█▊ 3413
--     busiest hour: from 11 o'clock on, 79527 lines
--     busiest minute: 2026-02-19 12:44, 82 lines
local lun = require "lunarray"

local lines, path = tonumber(arg[1] or 1000000), arg[2] or "/tmp/weblog.csv"

-- A log of four weeks, in the order of time: few pages are asked for often, more by day than by night. The same on each
-- machine: nothing but random numbers, products, sums and comparisons.
local function generate(n)
    local function random(seed)
        return lun.random(n, { seed = seed })
    end
    local names = { "/" }
    for k = 2, 500 do
        names[k] = ({ "/blog/", "/docs/", "/shop/" })[k * k % 11 % 3 + 1] .. k
    end
    local page = (random(1) * random(2) * random(3) * #names):cast "i64" + 1
    local second = ((random(4) + random(5)) * 43200):cast "i64"
    local time = (random(6) * 28):cast "i64" * 86400 + second + lun.date.make(2026, 2, 2) * 86400
    local chance = random(7)
    local bad = lun.where(chance:lt(0.995), 404, 500)
    local status = lun.where(chance:lt(0.9), 200, lun.where(chance:lt(0.96), 304, bad))
    local size = (random(8) * page * 1000):cast "i64" + 300
    local bytes = lun.where(status:eq(200), size, lun.where(status:eq(304), 0, 512))
    return lun.table({ time = time:sort(), page = lun.rows(lun.table { name = names }, page).name, status = status,
        bytes = bytes }, { "time", "page", "status", "bytes" })
end

local function by_page(log)
    local g = lun.group(log.page)
    return lun.table({ page = g:keys(), hits = g:count(), bytes = g:sum(log.bytes) }, { "page", "hits", "bytes" })
end

local function by_status(log)
    local g = lun.group(log.status)
    return lun.table({ status = g:keys(), hits = g:count(), bytes = g:sum(log.bytes), median = g:median(log.bytes),
        most = g:max(log.bytes) }, { "status", "hits", "bytes", "median", "most" })
end

-- The lines of each of the day's hours, also of those that have none.
local function by_hour(log)
    return lun.group(log.time // 3600 % 24 + 1, { levels = 24 }):count()
end

assert(lun.save(path, generate(lines)))
local log = assert(lun.load(path))
print(("%d lines, %s to %s"):format(#log, lun.date.text(log.time[1] // 86400), lun.date.text(log.time[-1] // 86400)))
local pages = by_page(log)
print(lun.rows(pages, select(2, pages.hits:topk(8))))
print(by_status(log))
local hours = by_hour(log)
lun.hist(log.time // 3600 % 24, 24, { low = 0, high = 24, width = 60, title = "hits by hour" })

-- Lines in the order of time: those of one minute stand together.
local minutes, hits = lun.ones(#log, "i64"):reduceby(log.time // 60, "+", 0)
local k = hits:argmax()
local minute = minutes[k]
print(("busiest hour: from %d o'clock on, %d lines"):format(hours:argmax() - 1, hours:max()))
print(("busiest minute: %s %02d:%02d, %d lines"):format(lun.date.text(minute // 1440), minute // 60 % 24, minute % 60,
    hits[k]))

-- The same of the first lines, counted one after the other.
local first = lun.rows(log, lun.index(math.min(#log, 50000)))
local part_pages, part_status, part_hours = by_page(first), by_status(first), by_hour(first)
local wanted = { hits = {}, bytes = {}, status = {}, hours = {} }
local function add(counts, key, n)
    counts[key] = (counts[key] or 0) + n
end
local rows = 0
for line in io.lines(path) do
    local time, page, status, bytes = line:match "^(%d+),([^,]+),(%d+),(%d+)$"
    if time and rows < #first then
        rows = rows + 1
        add(wanted.hits, page, 1)
        add(wanted.bytes, page, tonumber(bytes))
        add(wanted.status, tonumber(status), tonumber(bytes))
        add(wanted.hours, time // 3600 % 24 + 1, 1)
    elseif time then
        break
    end
end
assert(rows == #first and part_pages.hits:sum() == rows and part_hours:sum() == rows)
for i, page in ipairs(part_pages.page) do
    assert(part_pages.hits[i] == wanted.hits[page] and part_pages.bytes[i] == wanted.bytes[page], page)
end
for i, status in part_status.status:iter() do
    assert(part_status.bytes[i] == wanted.status[status], status)
end
for hour = 1, 24 do
    assert(part_hours[hour] == (wanted.hours[hour] or 0), hour)
end
