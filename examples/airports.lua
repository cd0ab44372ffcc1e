-- Airports of the United States, joined with the regions that their states belong to: how many there are and which are
-- the northernmost, by region and by state, and which ones are in no state.
--     build/lunarray examples/airports.lua examples/data/airports.csv
-- prints:
--     3376 airports, 3340 of them in 50 states and the capital
--     6 columns, 4 rows
--        region     airports   middle    north  code  city
--        text            i64      f64      f64  text  text
--     1  Midwest         932  41.7142  48.9978  S28   Dunseith
--     2  Northeast       315  41.9090  47.2855  FVE   Frenchville
--     3  South          1121  33.8756  40.1750  HLG   Wheeling
--     4  West            972  43.0313  71.2854  BRW   Barrow
--     6 columns, 10 rows
--         state  airports   middle    north  code  city
--         text        i64      f64      f64  text  text
--      1  AK          263  61.0968  71.2854  BRW   Barrow
--      2  TX          209  31.7797  36.4120  PYX   Perryton
--      3  CA          205  37.1124  41.8874  O81   Tulelake
--      4  OK          102  35.4850  36.9092  MIO   Miami
--      5  FL          100  28.0385  30.8458  1J0   Bonifay
--      6  OH          100  40.4775  41.7780  HZY   Ashtabula
--      7  GA           97  32.6454  34.8551  46A   Blairsville
--      8  NY           97  42.5926  44.9358  MSS   Massena
--      9  MI           94  43.3778  47.1684  CMX   Hancock
--     10  MN           89  45.5453  48.9414  RRT   Warroad
--     3 columns, 10 rows
--         state  country                         airports
--         text   text                                 i64
--      1  AS     USA                                    3
--      2  CQ     USA                                    4
--      3  GU     USA                                    1
--      4  NA     Federated States of Micronesia         1
--      5  NA     N Mariana Islands                      1
--      6  NA     Palau                                  1
--      7  NA     Thailand                               1
--      8  NA     USA                                    8
--      9  PR     USA                                   11
--     10  VI     USA                                    5
local lun = require "lunarray"

local path = assert(arg[1], "which CSV file?")
local airports = assert(lun.load(path))

-- The regions of the Census Bureau: a row for each state.
local state, region = {}, {}
for name, list in pairs {
    Northeast = "CT MA ME NH NJ NY PA RI VT",
    Midwest = "IA IL IN KS MI MN MO ND NE OH SD WI",
    South = "AL AR DC DE FL GA KY LA MD MS NC OK SC TN TX VA WV",
    West = "AK AZ CA CO HI ID MT NM NV OR UT WA WY",
} do
    for letters in list:gmatch "%u+" do
        state[#state + 1], region[#region + 1] = letters, name
    end
end
local regions = lun.table({ state = state, region = region }, { "state", "region" })

-- For each airport the row of its state, 0 where there is none: islands far away, and "NA", where the file knows none.
local _, row = lun.join(airports.state, regions.state, "left")
airports.region = lun.rows(regions, row).region
local known, others = lun.rows(airports, row:gt(0)), lun.rows(airports, row:eq(0))
print(("%d airports, %d of them in %d states and the capital"):format(#airports, #known, #regions - 1))

-- What there is by one column. In rows from north to south the first one of a group is its northernmost airport.
local function by(name)
    local rows = lun.rows(known, known.latitude:argsort { descending = true })
    local g = lun.group(rows[name])
    local first = lun.rows(rows, g:first(lun.index(#rows)))
    return lun.table({ [name] = g:keys(), airports = g:count(), north = first.latitude, code = first.iata,
        city = first.city, middle = g:median(rows.latitude) }, { name, "airports", "middle", "north", "code", "city" })
end

local by_region, by_state = by "region", by "state"
print(by_region)
print(lun.rows(by_state, select(2, by_state.airports:topk(10))))

local g = lun.group(others.state, others.country)
local codes, countries = g:keys()
print(lun.table({ state = codes, country = countries, airports = g:count() }, { "state", "country", "airports" }))

-- The same, one airport after the other.
local count, north, city = {}, {}, {}
for k, letters in ipairs(airports.state) do
    local latitude = airports.latitude[k]
    count[letters] = (count[letters] or 0) + 1
    if latitude > (north[letters] or -90) then
        north[letters], city[letters] = latitude, airports.city[k]
    end
end
assert(#by_state == #regions and by_region.airports:sum() == #known and #known + #others == #airports)
for k, letters in ipairs(by_state.state) do
    assert(by_state.airports[k] == count[letters] and by_state.north[k] == north[letters])
    assert(by_state.city[k] == city[letters], letters)
end
