"""What bench/solve.lua times, by NumPy. usage: solve.py kind n repetitions"""
import sys
import time

import numpy as np

kind, n, repetitions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
draw = np.random.default_rng(1)
small = kind == "small"
a = draw.random((n, 3, 3) if small else (n, n)) - 0.5
if kind in ("cholesky", "eigh"):
    a = a @ a.T + np.eye(n)
b = draw.random((n, 3, 1) if small else n)
for _ in range(repetitions):
    start = time.perf_counter()
    if kind == "inv":
        np.linalg.inv(a)
    elif kind == "svd":
        np.linalg.svd(a, full_matrices=False)
    elif kind in ("cholesky", "qr", "eigh"):
        getattr(np.linalg, kind)(a)
    else:
        np.linalg.solve(a, b)
    print("%.9f" % (time.perf_counter() - start))
