"""The same workloads in numpy and, where it is installed, numexpr, timed and printed as the other programs do.
usage: peer.py workload..."""
import gc
import os
import sys
import time

import numpy as np

try:
    import numexpr
except ImportError:
    numexpr = None

REPS = int(os.environ.get("BENCH_REPS", 11))
N = int(os.environ.get("BENCH_N", 1 << 25))
WARMUP = 2


def run(name, body, variant="numpy", scale=1):
    times = []
    for rep in range(1 - WARMUP, REPS + 1):
        gc.collect()
        start = time.perf_counter()
        result = body()
        end = time.perf_counter()
        del result
        if rep > 0:
            times.append((end - start) * 1e3 * scale)
    times.sort()
    print(f"{name:<10} {variant:<22} {times[len(times) // 2]:10.4f} ms min {times[0]:.4f}", flush=True)


def uniform(seed, n=N):
    return np.random.default_rng(seed).random(n, dtype=np.float32)


def run_numexpr(name, text, arrays, calls=1):
    if numexpr:

        def body():
            for _ in range(calls):
                result = numexpr.evaluate(text, local_dict=arrays)
            return result

        run(name, body, "numexpr")


CALLS = 250  # of small arrays, timed at once; told is the time of 1000


def small(n):
    a, b, c, d = (uniform(i, n) for i in range(4))

    def body():
        for _ in range(CALLS):
            (a + b) * (c + d)

    run(f"W12_{n}", body, scale=1000 / CALLS)
    run_numexpr(f"W12_{n}", "(a + b) * (c + d)", {"a": a, "b": b, "c": c, "d": d}, 1000)


def chain(n):
    a, b, c = (uniform(i, n) for i in range(3))

    def body():
        for _ in range(CALLS):
            x = a
            for _ in range(10):
                x = x * b + c

    run("W12_chain", body, scale=1000 / CALLS)


def main(chosen):
    if any(name in chosen for name in ("W1", "W2", "W3sum", "W3dot", "W3mv", "W4f32")):
        a, b, c, d = (uniform(i) for i in range(4))
    if "W1" in chosen:
        run("W1", lambda: (a + b) * (c + d))
        run_numexpr("W1", "(a + b) * (c + d)", {"a": a, "b": b, "c": c, "d": d})
    if "W2" in chosen:
        run("W2", lambda: b + np.float32(0.4) * c)
        run_numexpr("W2", "b + s * c", {"b": b, "c": c, "s": np.float32(0.4)})
    if "W3sum" in chosen:
        run("W3sum", lambda: a.sum())
        run_numexpr("W3sum", "sum(a)", {"a": a})
    if "W3dot" in chosen:
        run("W3dot", lambda: a.dot(b))
        run_numexpr("W3dot", "sum(a * b)", {"a": a, "b": b})
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
        chain(100)


main(sys.argv[1:])
