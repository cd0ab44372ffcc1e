"""What bench/group.lua times, by pandas or polars: prints the seconds of each repetition.
usage: python3 bench/group_peers.py library kind rows groups repetitions"""
import sys
import time

import numpy as np

library, kind, rows, groups, repetitions = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
random = np.random.default_rng(1)
x, keys = random.random(rows), random.integers(0, groups, rows)
if library == "pandas":
    import pandas as pd
    frame, table = pd.DataFrame({"k": keys, "x": x}), pd.DataFrame({"k": np.arange(groups), "y": np.arange(groups)})
    work = {
        "mean": lambda: frame.groupby("k")["x"].mean(),
        "join": lambda: frame.merge(table, on="k", how="inner"),
        "sort": lambda: frame["x"].sort_values(ignore_index=True),
    }
else:
    import polars as pl
    frame, table = pl.DataFrame({"k": keys, "x": x}), pl.DataFrame({"k": np.arange(groups), "y": np.arange(groups)})
    work = {
        "mean": lambda: frame.group_by("k").agg(pl.col("x").mean()).sort("k"),
        "join": lambda: frame.join(table, on="k", how="inner", maintain_order="left"),
        "sort": lambda: frame["x"].sort(),
    }
for _ in range(repetitions):
    start = time.perf_counter()
    result = work[kind]()
    print("%.9f" % (time.perf_counter() - start))
    del result
