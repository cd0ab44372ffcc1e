"""The work of views.lua in numpy; run by views.sh.
usage: views.py repetitions"""
import sys
import time

import numpy as np

repetitions = int(sys.argv[1])
rows, columns = 8192, 4096
random = np.random.default_rng(1)


def some(*shape):
    return random.random(shape, dtype=np.float32)


A, B, W = some(rows, columns), some(rows, columns), some(columns, rows)
row, col = some(columns), some(rows, 1)
x3, r3, x1 = some(1 << 23, 3), some(3), some((1 << 24) + 6)


def standard(axis):
    return (A - A.mean(axis=axis, keepdims=True)) / A.std(axis=axis, keepdims=True)


def softmax():
    e = np.exp(A - A.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


work = {
    "transpose": lambda: W.T.copy(),
    "add_t": lambda: A + W.T,
    "add": lambda: A + B,
    "add_row": lambda: A + row,
    "add_col": lambda: A + col,
    "add_3": lambda: x3 + r3,
    "sum": lambda: A.sum(),
    "sum_rows": lambda: A.sum(axis=1),
    "sum_cols": lambda: A.sum(axis=0),
    "sum_3": lambda: x3.sum(axis=1),
    "sum_3_cols": lambda: x3.sum(axis=0),
    "softmax": softmax,
    "std_rows": lambda: standard(1),
    "std_cols": lambda: standard(0),
    "moving": lambda: np.lib.stride_tricks.sliding_window_view(x1, 7).mean(axis=1),
}

for name, body in work.items():
    times = []
    for repetition in range(repetitions + 1):
        start = time.perf_counter()
        result = body()
        times.append(time.perf_counter() - start)
        del result
    print(name, "numpy", sorted(times[1:])[repetitions // 2] * 1e3)
