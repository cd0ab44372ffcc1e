# Writes box_values.lua: quartiles of the columns of the weather example, by kind of weather, the last points within 1.5
# distances of the quartiles, and how many are outside, as pandas has them. Run by hand, with pandas.
# usage: python3 tests/spec/show/box_values.py >tests/spec/show/box_values.lua
import pandas

table = pandas.read_csv("examples/data/seattle-weather.csv")
out = ["-- Written by box_values.py with pandas %s: { least within, quartiles, greatest within, number outside } of" % pandas.__version__,
       "-- columns of the weather example, by kind of weather.", "return {"]
for column in ["precipitation", "temp_max", "temp_min", "wind"]:
    out.append("    %s = {" % column)
    for kind, rows in [("all", table)] + list(table.groupby("weather")):
        x = rows[column].astype("float64")
        q = x.quantile([0.25, 0.5, 0.75]).tolist()
        reach = 1.5 * (q[2] - q[0])
        within = x[(x >= q[0] - reach) & (x <= q[2] + reach)]
        outside = len(x) - len(within)
        values = [min(within.min(), q[0])] + q + [max(within.max(), q[2])]
        out.append("        %s = { %s, %d }," % (kind, ", ".join(repr(float(v)) for v in values), outside))
    out.append("    },")
out.append("}")
print("\n".join(out))
