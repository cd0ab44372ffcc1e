# Writes series_values.lua: what pandas gives within groups, of joins by time, periods and rolling windows. Run by hand, with
# pandas. usage: python3 series_values.py >series_values.lua
import numpy as np
import pandas as pd

from lua_values import head, numbers, table

number = numbers(4321)


def within(t):
    g = t.groupby("k", sort=True)
    out = {
        "shift": g.n.shift(1), "shift2": g.n.shift(-2), "diff": g.n.diff(1), "diff2": g.x.diff(-2),
        "pct": g.x.pct_change(fill_method=None), "count": g.cumcount() + 1, "ffill": g.x.ffill(), "ffill1": g.x.ffill(limit=1),
        "bfill": g.x.bfill(), "bfill1": g.x.bfill(limit=1), "cumsum": g.x.cumsum(), "cumprod": g.x.cumprod(),
        "cummin": g.x.cummin(), "cummax": g.n.cummax(), "size": g.n.transform("size"), "mean": g.x.transform("mean"),
    }
    for method in ["average", "min", "max", "dense", "first"]:
        out["r_" + method] = g.x.rank(method=method)
        out["d_" + method] = g.n.rank(method=method, ascending=False)
    return pd.DataFrame(out)


def nearest(trades, quotes):
    """Joins by the nearest time; the rows of both keep their order, as here."""
    left = trades.assign(row=range(len(trades))).sort_values("time", kind="stable")
    right = quotes.sort_values("time", kind="stable")
    for direction in ["backward", "forward", "nearest"]:
        for name, options in [("", {}), ("_by", {"by": "symbol"}), ("_near", {"by": "symbol", "tolerance": pd.Timedelta("3s")})]:
            q = right if "by" in options else right.drop(columns="symbol")
            got = pd.merge_asof(left, q, on="time", direction=direction, **options)
            table(direction + name, got.sort_values("row").drop(columns="row"))


n = 60
t = pd.DataFrame({
    "k": pd.array([["north", "south", "east", "west"][number(4)] for _ in range(n)], dtype="object"),
    "x": [float(number(16)) / 4 if number(5) else np.nan for _ in range(n)],
    "n": pd.array([number(6) for _ in range(n)], dtype="Int64"),
})

head("series_values.py")
table("t", t)
table("within", within(t))

start = pd.Timestamp("2024-03-01 09:30:00")
trades = pd.DataFrame({
    "time": [start + pd.Timedelta(seconds=number(60), milliseconds=500 * number(2)) for _ in range(25)],
    "symbol": ["ABC"[number(3)] for _ in range(25)],
    "size": [number(90) + 1 for _ in range(25)],
})
quotes = pd.DataFrame({
    "time": [start + pd.Timedelta(seconds=number(60)) for _ in range(30)],
    "symbol": ["ABCD"[number(4)] for _ in range(30)],
    "bid": pd.array([number(200) / 2 for _ in range(30)], dtype="Float64"),
})
table("trades", trades)
table("quotes", quotes)
nearest(trades, quotes)
print("}")
