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


def windows(t, r):
    """Functions of windows: ddof 0 for var and std, places from 1."""
    x = r.x
    out = {
        "count": x.count(), "sum": x.sum(), "mean": x.mean(), "min": x.min(), "max": x.max(), "first": x.first(),
        "last": x.last(), "var": x.var(ddof=0), "std": x.std(ddof=1), "median": x.median(), "quantile": x.quantile(0.3),
        "nunique": x.nunique(), "prod": x.apply(np.nanprod),
    }
    return pd.DataFrame({name: np.asarray(values) for name, values in out.items()})


def steps(t):
    table("steps", t)
    table("rolled", windows(t, t.rolling(4, min_periods=2)).drop(columns="count"))
    table("centred", windows(t, t.rolling(6, min_periods=3, center=True)).drop(columns="count"))
    pair = t.rolling(5, min_periods=3)
    table("pairs", pd.DataFrame({"corr": pair.x.corr(t.y), "cov": pair.x.cov(t.y)}))
    table("intervals", pd.DataFrame({
        "ewm": t.x.ewm(alpha=0.3).mean().where(t.x.notna()), "cut": pd.cut(t.x, [0, 1, 2.5, 4], labels=False) + 1,
        "left": pd.cut(t.x, [0, 1, 2.5, 4], right=False, labels=False) + 1, "qcut": pd.qcut(t.y, 4, labels=False) + 1,
        "texts": pd.cut(t.x, [0, 1, 2.5, 4], labels=["low", "mid", "high"]).astype(object),
    }))


def periods(t):
    """Groups by periods: of empty ones the count is 0, and all else missing."""
    table("days", t)
    for unit, rule in [("1mo", "MS"), ("1w", "W-MON"), ("1q", "QS"), ("1y", "YS"), ("1d", "D")]:
        options = {"closed": "left", "label": "left"} if unit == "1w" else {}
        g = t.set_index("day").resample(rule, **options)
        got = pd.DataFrame({"n": g.size(), "c": g.x.count(), "sum": g.x.sum(), "mean": g.x.mean(), "last": g.x.last()})
        got["sum"] = got["sum"].where(got.n > 0)
        table("by_" + unit, got.reset_index())
    g = t.groupby("k").resample("MS", on="day")
    got = pd.DataFrame({"n": g.size(), "mean": g.x.mean()}).reset_index()
    table("by_k", got)
    ordered = t.sort_values("day")
    for unit, width in [("week", "7D"), ("days", "40D")]:
        table("last_" + unit, windows(t, ordered.rolling(width, on="day")).set_index(ordered.index).sort_index())
    got = ordered.groupby("k").rolling("40D", on="day").x.sum().droplevel(0).reset_index()
    table("last_k", got.set_index(ordered.sort_values(["k", "day"]).index).sort_index()[["x"]])


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
steps(pd.DataFrame({
    "x": [float(number(16)) / 4 if number(6) else np.nan for _ in range(50)],
    "y": [float(number(1000)) / 8 for _ in range(50)],
}))
days = sorted({number(400) for _ in range(45)}, key=lambda i: i * 7919 % 401)
periods(pd.DataFrame({
    "day": [pd.Timestamp("2023-11-20") + pd.Timedelta(days=i) for i in days],
    "k": ["pq"[number(2)] for _ in days],
    "x": [float(number(16)) / 4 if number(6) else np.nan for _ in days],
}))
print("}")
