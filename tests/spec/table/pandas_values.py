# Writes pandas_values.lua: groups, joins and long forms of two small tables, as pandas has them. Run by hand, with pandas.
# usage: python3 pandas_values.py >pandas_values.lua
import pandas as pd

from lua_values import head, numbers, table

number = numbers(12345)
n = 60
t = pd.DataFrame({
    "k": pd.array([["north", "south", "east", "west"][number(4)] for _ in range(n)], dtype="object"),
    "j": pd.array([number(4) if number(8) else None for _ in range(n)], dtype="Int64"),
    "x": pd.array([number(64) / 4 if number(6) else None for _ in range(n)], dtype="Float64"),
    "y": pd.array([number(64) / 8 if number(9) else None for _ in range(n)], dtype="Float64"),
    "n": pd.array([number(6) for _ in range(n)], dtype="Int64"),
})
u = pd.DataFrame({
    "j": pd.array([0, 2, 2, 5, None, 7], dtype="Int64"),
    "b": pd.array([10, 20, 30, 40, 50, 60], dtype="Int64"),
    "x": pd.array([1, 2, 3, 4, 5, 6], dtype="Int64"),
})

head("pandas_values.py")
table("t", t)
table("u", u)

g = t.groupby("k", sort=True)
mode = lambda s: s.mode().iloc[0] if len(s.mode()) else None
table("by_k", pd.DataFrame({
    "rows": g.size(), "count": g.x.count(), "sum": g.n.sum(), "mean": g.x.mean(), "min": g.x.min(), "max": g.n.max(),
    "first": g.x.first(), "last": g.x.last(), "var": g.x.var(ddof=0), "std": g.x.std(ddof=1), "median": g.x.median(),
    "q": g.x.quantile(0.3), "nunique": g.x.nunique(), "mode": g.n.agg(mode), "prod": g.n.prod(),
    "argmin": g.x.agg(lambda s: s.astype(float).idxmin() + 1), "argmax": g.x.agg(lambda s: s.astype(float).idxmax() + 1),
    "corr": g[["x", "y"]].apply(lambda d: d.astype(float).corr().iloc[0, 1]),
    "cov": g[["x", "y"]].apply(lambda d: d.astype(float).cov().iloc[0, 1]),
}).reset_index())
g = t.groupby(["k", "j"], sort=True, dropna=False)
table("by_k_j", pd.DataFrame({"rows": g.size(), "mean": g.x.mean()}).reset_index())
g = t.groupby("j", sort=True, dropna=True)
table("by_j", pd.DataFrame({"rows": g.size(), "sum": g.n.sum(), "kinds": g.k.nunique()}).reset_index())

t["row"] = pd.array(range(n), dtype="Int64")
u["line"] = pd.array(range(len(u)), dtype="Int64")
there, other = t[t.j.notna()], u[u.j.notna()]  # pandas matches missing keys
inner = there.merge(other, on="j", suffixes=("", "_right")).sort_values(["row", "line"])
table("inner", inner)
left = t.merge(other, on="j", how="left", suffixes=("", "_right")).sort_values(["row", "line"])
table("left", left)
right = there.merge(u, on="j", how="right", suffixes=("", "_right")).sort_values(["line", "row"])
table("right", right)
full = pd.concat([left, right[right.row.isna()]])
table("full", full)
table("semi", t[t.j.isin(other.j)])
table("anti", t[~t.j.isin(other.j)])
table("cross", t.head(5).merge(u.drop(columns=["x", "j"]), how="cross"))

p = t.pivot_table(index="k", columns="j", values="x", aggfunc="median", dropna=False)
p = p[[c for c in p.columns if not pd.isna(c)]]
p.columns = [str(c) for c in p.columns]
table("pivot", p.reset_index())
p = t.pivot_table(index="n", columns="k", values="row", aggfunc="count", fill_value=0)
table("counts", p.reset_index())
table("melt", t.melt(id_vars=["k", "n"], value_vars=["x", "y"]))
table("explode", pd.DataFrame({"s": ["a;b", "c", "d;;e"], "i": [1, 2, 3]}).assign(
    s=lambda d: d.s.str.split(";")).explode("s"))
c = t[["x", "y", "n"]].astype(float).corr()
table("corr", c.reset_index(names="column"))
table("sorted", t.sort_values(["k", "x"], ascending=[True, False], kind="stable", na_position="last"))
table("values", t.value_counts("n").reset_index().sort_values(["count", "n"], ascending=[False, True]))
print("}")
