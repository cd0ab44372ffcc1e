"""The same workloads in numpy, timed and printed as the other programs do.
usage: peer.py workload..."""
import gc
import os
import sys
import time

import numpy as np

REPS = int(os.environ.get("BENCH_REPS", 11))
N = int(os.environ.get("BENCH_N", 1 << 25))
WARMUP = 2


def run(name, body):
    times = []
    for rep in range(1 - WARMUP, REPS + 1):
        gc.collect()
        start = time.perf_counter()
        result = body()
        end = time.perf_counter()
        del result
        if rep > 0:
            times.append((end - start) * 1e3)
    times.sort()
    print(f"{name:<10} {'numpy':<22} {times[len(times) // 2]:10.4f} ms min {times[0]:.4f}", flush=True)


def uniform(seed, n=N):
    return np.random.default_rng(seed).random(n, dtype=np.float32)


def small(n):
    a, b, c, d = (uniform(i, n) for i in range(4))

    def body():
        for _ in range(1000):
            (a + b) * (c + d)

    run(f"W12_{n}", body)


def main(chosen):
    if any(name in chosen for name in ("W1", "W2", "W3sum", "W3dot", "W3mv", "W4f32")):
        a, b, c, d = (uniform(i) for i in range(4))
    if "W1" in chosen:
        run("W1", lambda: (a + b) * (c + d))
    if "W2" in chosen:
        run("W2", lambda: b + np.float32(0.4) * c)
    if "W3sum" in chosen:
        run("W3sum", lambda: a.sum())
    if "W3dot" in chosen:
        run("W3dot", lambda: a.dot(b))
    if "W3mv" in chosen:
        run("W3mv", lambda: (a.mean(), a.var()))
    if "W4i32" in chosen:
        x = np.random.default_rng(1).integers(-100, 156, N, dtype=np.int32)
        run("W4i32", lambda: np.cumsum(x, dtype=np.int32))
    if "W4f32" in chosen:
        run("W4f32", lambda: np.cumsum(a))
    if "W12" in chosen:
        small(100)
        small(10000)


main(sys.argv[1:])
