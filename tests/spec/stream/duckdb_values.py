# Writes duckdb_values.lua: what DuckDB and pandas have of the rows of flights.lua's file, which this script makes by the
# same numbers. Run by hand, with pandas and duckdb.
# usage: PYTHONPATH=../table python3 duckdb_values.py >duckdb_values.lua
import duckdb
import pandas as pd

from lua_values import numbers, table

ROWS = 150001
number = numbers(77)
rows = []
for r in range(ROWS):
    k, gap, x, y, n, day = number(13), number(9), number(4096), number(5), number(1000), number(366)
    rows.append((("k%d" % k) if k else None, (x - 2000) / 4 if gap else None, (x * n % 512) / 8 if y else None, n - 500,
                 pd.Timestamp("2024-01-01") + pd.Timedelta(days=day), "s%d" % (n % 700)))
t = pd.DataFrame(rows, columns=["k", "x", "y", "n", "d", "s"])
t["row"] = range(1, ROWS + 1)
other = pd.DataFrame({"k": ["k1", "k3", "k3", "k99"], "w": [0.5, 2.0, 4.0, 8.0]})
con = duckdb.connect()
con.register("t", t)
con.register("o", other)
sql = lambda text: con.execute(text).df()

print("-- Written by duckdb_values.py with DuckDB %s and pandas %s.\nlocal NA = require(\"lunarray\").na\n\nreturn {"
      % (duckdb.__version__, pd.__version__))
table("by_k", sql("""select k, count(*) as rows, count(x) as there, sum(x) as sum, avg(x) as mean, min(x) as low,
    max(x) as high, stddev_pop(x) as std, var_samp(n) as var, sum(n) as total, avg(n) as middle, min(d)::date::varchar
    as since, max(s) as last_text, median(x) as median, quantile_cont(x, 0.9) as q, count(distinct s) as kinds,
    corr(x, y) as corr, covar_samp(x, y) as cov, bool_or(n > 498) as some, bool_and(n > -500) as every
    from t group by k order by k nulls last"""))
table("chain", sql("""select k, month(d) as month, count(*) as rows, sum(x * 2 + n) as sum, avg(y) as mean from t
    where x > 100 and n <> 7 group by k, month(d) order by k nulls last, month"""))
table("joined", sql("""select k, count(*) as rows, sum(w * n) as sum from t join o using (k) group by k order by k"""))
table("counts", sql("""select s, count(*) as count from t where s < 's2' group by s order by count desc, s"""))
top = t[t.k.notna()].sort_values(["k", "x"], ascending=[True, False], kind="stable").groupby("k").head(2)
table("top", top[["k", "x", "row"]])
table("ends", pd.concat([t.head(3), t.tail(3)])[["row", "n", "s"]])
table("whole", sql("""select sum(x) as sum, avg(x) as mean, min(x) as low, max(x) as high, avg(n) as middle,
    count(y) as there, var_pop(n) as var, stddev_samp(n) as std from t"""))
print("}")
