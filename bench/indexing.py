"""The work of indexing.lua in numpy; run by indexing.sh.
usage: indexing.py bits repetitions"""
import sys
import time

import numpy as np

n, repetitions = 1 << int(sys.argv[1]), int(sys.argv[2])
random = np.random.default_rng(1)
x = random.random(n)
wide = random.integers(0, n, n)
narrow = wide.astype(np.int32)
A, rows = x.reshape(n // 16, 16).copy(), wide[: n // 16] % (n // 16)

y = np.zeros(n)


def put(to, at, what):
    to[at] = what


work = {
    "take i64": lambda: x.take(wide),
    "take i32": lambda: x.take(narrow),
    "take, sum": lambda: x.take(narrow).sum(),
    "put": lambda: put(y, wide, x),
    "put, +": lambda: np.add.at(y, wide, x),
    "each, +": lambda: np.add.at(y, wide, x),
    "rows of 16": lambda: A.take(rows, axis=0),
}

for name, body in work.items():
    for repetition in range(repetitions + 1):
        start = time.perf_counter()
        result = body()
        end = time.perf_counter()
        del result
        if repetition > 0:
            print(f"{name};{end - start:.9f}")
