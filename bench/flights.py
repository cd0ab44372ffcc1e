# The 25 questions of bench/flights.lua, asked of pandas or polars: python3 bench/flights.py pandas|polars DIR.
import sys

library, folder = sys.argv[1], sys.argv[2]


def q(number, x):
    print(number, "%.6g" % x if isinstance(x, float) or hasattr(x, "dtype") else x, sep="\t")


if library == "pandas":
    import pandas as pd

    f, airlines = pd.read_csv(folder + "/flights.csv", parse_dates=["time_hour"]), pd.read_csv(folder + "/airlines.csv")
    planes, weather = pd.read_csv(folder + "/planes.csv"), pd.read_csv(folder + "/weather.csv", parse_dates=["time_hour"])

    q(1, f.dep_time.isna().sum())
    q(2, f.assign(gone=f.dep_time.isna()).groupby("month").gone.mean().max())
    q(3, f.groupby("carrier").dep_delay.mean().idxmax())
    q(4, f.groupby("dest").arr_delay.mean().nlargest(5).sum())
    q(5, f.groupby(["month", "day"]).size().mean())
    q(6, f.sort_values("distance", ascending=False, kind="stable").dest.iloc[0])
    q(7, (f.arr_delay.dropna() <= 0).mean())
    q(8, f.groupby("origin").arr_delay.median().max())
    q(9, f.groupby("hour").dep_delay.std().max())
    q(10, f.carrier.value_counts().reset_index().merge(airlines, on="carrier").name[0])
    q(11, f.merge(planes, on="tailnum").seats.mean())
    q(12, f[~f.tailnum.isin(planes.tailnum)].tailnum.nunique())
    w = f.merge(weather, on=["origin", "time_hour"])
    q(13, w.wind_speed.corr(w.dep_delay))
    q(14, f.pivot_table(index="month", columns="origin", values="dep_delay", aggfunc="mean").JFK[7])
    q(15, f[["origin", "dest"]].value_counts().groupby("origin").nlargest(3).sum())
    q(16, f.resample("1D", on="time_hour").size().max())
    q(17, f.resample("1D", on="time_hour").size().rolling(7).mean().max())
    q(18, f.assign(speed=f.distance / f.air_time * 60).sort_values("speed", ascending=False).tailnum.iloc[0])
    q(19, f[["origin", "dest"]].value_counts().index[0][1])
    q(20, (f.time_hour.dt.day_of_week >= 5).mean())
    q(21, f[f.groupby("dest").arr_delay.rank() == 1].dest.nunique())
    q(22, f[f.tailnum == "N14228"].distance.cumsum().iloc[99])
    q(23, f.dep_delay.fillna(f.groupby("carrier").dep_delay.transform("mean")).mean())
    q(24, (f.sched_dep_time // 100).mean())
    q(25, f.groupby("carrier").arr_delay.quantile(0.9).max())
else:
    import polars as pl
    from polars import col

    def read(name):
        return pl.read_csv(folder + "/" + name + ".csv", null_values="NA", try_parse_dates=True, infer_schema_length=10000)

    f, airlines, planes, weather = read("flights"), read("airlines"), read("planes"), read("weather")

    q(1, f["dep_time"].null_count())
    q(2, f.group_by("month").agg(col("dep_time").is_null().mean())["dep_time"].max())
    q(3, f.group_by("carrier").agg(col("dep_delay").mean()).sort("dep_delay")["carrier"][-1])
    q(4, f.group_by("dest").agg(col("arr_delay").mean()).top_k(5, by="arr_delay")["arr_delay"].sum())
    q(5, f.group_by("month", "day").len()["len"].mean())
    q(6, f.sort("distance", descending=True, maintain_order=True)["dest"][0])
    q(7, (f["arr_delay"].drop_nulls() <= 0).mean())
    q(8, f.group_by("origin").agg(col("arr_delay").median())["arr_delay"].max())
    q(9, f.group_by("hour").agg(col("dep_delay").std())["dep_delay"].max())
    q(10, f["carrier"].value_counts(sort=True).join(airlines, on="carrier", maintain_order="left")["name"][0])
    q(11, f.join(planes, on="tailnum")["seats"].mean())
    q(12, f.join(planes, on="tailnum", how="anti")["tailnum"].drop_nulls().n_unique())
    w = f.join(weather, on=["origin", "time_hour"])
    q(13, w.select(pl.corr("wind_speed", "dep_delay")).item())
    q(14, f.pivot("origin", index="month", values="dep_delay", aggregate_function="mean").filter(month=7)["JFK"][0])
    q(15, f.group_by("origin", "dest").len().group_by("origin").agg(col("len").top_k(3).sum())["len"].sum())
    q(16, f.sort("time_hour").group_by_dynamic("time_hour", every="1d").agg(pl.len())["len"].max())
    q(17, f.sort("time_hour").group_by_dynamic("time_hour", every="1d").agg(pl.len())["len"].rolling_mean(7).max())
    q(18, f.with_columns(speed=col("distance") / col("air_time") * 60).drop_nulls("speed").sort("speed")["tailnum"][-1])
    q(19, f.group_by("origin", "dest").len().sort("len")["dest"][-1])
    q(20, (f["time_hour"].dt.weekday() > 5).mean())
    q(21, f.filter(col("arr_delay").rank().over("dest") == 1)["dest"].n_unique())
    q(22, f.filter(tailnum="N14228")["distance"].cum_sum()[99])
    q(23, f.select(col("dep_delay").fill_null(col("dep_delay").mean().over("carrier")).mean()).item())
    q(24, (f["sched_dep_time"] // 100).mean())
    q(25, f.group_by("carrier").agg(col("arr_delay").quantile(0.9, "linear"))["arr_delay"].max())
