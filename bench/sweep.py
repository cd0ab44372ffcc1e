"""The work of sweep.lua in numpy; called by it."""
import os
import time

import numpy as np

TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "u8": np.uint8}
WORK = {
    "map": lambda a, b: a + a.dtype.type(1),
    "fused": lambda a, b: (a + b) * (a - b),
    "sum": lambda a, b: a.sum(),
    "dot": np.dot,
    "count": lambda a, b: np.count_nonzero(a < b),
    "scan": lambda a, b: np.cumsum(a, dtype=a.dtype),
    "copy": lambda a, b: a.copy(),
    "function": lambda a, b: a * a - a,
}


def time_of(body, a, b, ms):
    times, total, k = [], 0.0, -2
    while k < 5 or (total < ms and k < 1000):
        start = time.perf_counter()
        result = body(a, b)
        end = time.perf_counter()
        del result
        a[0] = k % 2
        k += 1
        if k > 0:
            times.append((end - start) * 1e6)
            total += (end - start) * 1e3
    times.sort()
    return times[len(times) // 2]


for bits in os.environ["SWEEP_SIZES"].split():
    for name in os.environ["SWEEP_DTYPES"].split():
        n = int(2 ** float(bits))
        a = (np.random.default_rng(1).random(n) * 50).astype(TYPES[name])
        b = (np.random.default_rng(2).random(n) * 50).astype(TYPES[name])
        for work in os.environ["SWEEP_WORK"].split():
            print(work, name, bits, "numpy", time_of(WORK[work], a, b, 2))
