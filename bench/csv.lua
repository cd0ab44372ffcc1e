-- CSV: makes a file of the benchmark (make DIRECTORY MEGABYTES NAME), or times lun.load and lun.save of one (FILE).
-- Prints lines "file ours load|save seconds megabytes peak columns": peak memory in MB, and what the columns take.
local lun = require "lunarray"

local clock = lun.clock

local function size_of(path)
    local f = assert(io.open(path, "rb"))
    local size = f:seek "end"
    f:close()
    return size
end

-- Peak memory of the process in MB.
local function peak()
    for line in io.lines "/proc/self/status" do
        local kilobytes = line:match "^VmHWM:%s*(%d+)"
        if kilobytes then
            return kilobytes / 1024
        end
    end
    return 0
end

-- ---------------------------------------------------------------- files

local makers = {}

function makers.numbers(rows)
    local x = lun.random(rows, { seed = 1 })
    return {
        id = lun.index(rows), k = (lun.random(rows, { seed = 2 }) * 1000):cast "i64", x = x:cast "f64",
        y = lun.floor(lun.random(rows, { seed = 3 }):cast "f64" * 1e6) / 1000,
        z = lun.exp(lun.random(rows, { seed = 4 }):cast "f64" * 80 - 40),
    }, { "id", "k", "x", "y", "z" }
end

function makers.text(rows)
    local cities = { "Berlin", "München", "New York, NY", "Paris", "Roma", "Oslo" }
    local t, names = makers.numbers(rows)
    local city, note, k = {}, {}, t.k:totable()
    for i = 1, rows do
        city[i], note[i] = cities[k[i] % #cities + 1], "note " .. k[i]
    end
    t.city, t.note, t.z, t.x = city, note, nil, nil
    return t, { names[1], "city", "note", names[2], names[4] }
end

function makers.dates(rows)
    local t, day, time = makers.numbers(rows), {}, {}
    for i = 1, rows do
        day[i] = os.date("!%Y-%m-%d", i * 600)
        time[i] = day[i] .. os.date("! %H:%M:%S", i * 600)
    end
    return { time = time, day = day, k = t.k, y = t.y }, { "time", "day", "k", "y" }
end

local function make(directory, megabytes, name)
    local path = ("%s/%s.csv"):format(directory, name)
    local t, names = makers[name](1000)
    assert(lun.save(path, t, { names = names }))
    local rows = math.floor(megabytes * 1e6 / size_of(path) * 1000)
    t, names = makers[name](rows)
    assert(lun.save(path, t, { names = names }))
end

-- ---------------------------------------------------------------- times

local function time(path)
    local name, megabytes = path:match "([^/]*)%.csv$", size_of(path) / 1e6
    local start = clock()
    local t = assert(lun.load(path))
    local seconds, most = clock() - start, peak()
    print(("%s ours load %.3f %.0f %.0f %.0f"):format(name, seconds, megabytes, most, lun.stats().allocated / 2 ^ 20))
    start = clock()
    assert(lun.save(path .. ".copy.csv", t))
    print(("%s ours save %.3f %.0f %.0f 0"):format(name, clock() - start, megabytes, peak()))
    os.remove(path .. ".copy.csv")
end

if arg[1] == "make" then
    make(arg[2], tonumber(arg[3]), arg[4])
else
    time(arg[1])
end
