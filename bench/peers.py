"""What bench/peers.lua times, by NumPy, polars or JAX: prints "name seconds" for each repetition.
usage: python3 bench/peers.py library FILE.csv repetitions name...    (names that a library has no fitting call for are left out)"""
import gc
import os
import sys
import time

library, path, repetitions = sys.argv[1], sys.argv[2], int(sys.argv[3])
N, ROWS, GROUPS = 1 << 24, 10000000, 100000
import numpy as np

work = {}
if library == "numpy":

    def uniform(n, seed):
        return np.random.default_rng(seed).random(n)

    def fused():
        a, b, c, d = (uniform(N, k) for k in range(4))
        return lambda: (a + b) * (c + d)

    def distance():
        a, b = uniform(N, 1), uniform(N, 2)
        return lambda: ((a - b) ** 2).sum()

    def mandelbrot():
        w, h = 1024, 768
        cx, cy = np.meshgrid(np.arange(w) * (3 / w) - 2, np.arange(h) * (2.25 / h) - 1.125)

        def body():
            zx, zy = np.zeros_like(cx), np.zeros_like(cx)
            n, inside = np.zeros(cx.shape, np.int64), np.ones(cx.shape, bool)
            for _ in range(200):
                inside &= zx * zx + zy * zy <= 4
                n += inside
                zx, zy = np.where(inside, zx * zx - zy * zy + cx, zx), np.where(inside, 2 * zx * zy + cy, zy)
            return n

        return body

    def sort():
        x = uniform(ROWS, 1)
        return lambda: np.sort(x)

    def group():
        x, keys = uniform(ROWS, 1), np.random.default_rng(2).integers(0, GROUPS, ROWS)
        return lambda: np.bincount(keys, x, GROUPS) / np.bincount(keys, minlength=GROUPS)

    def stencil():
        n = 2048
        start = np.random.default_rng(1).random((n, n))

        def body():
            u = start
            for _ in range(10):
                p = np.pad(u, 1)
                u = (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]) / 4
            return u

        return body

    work = {f.__name__: f for f in (fused, distance, mandelbrot, sort, group, stencil)}
elif library == "polars":
    import polars as pl

    def sort():
        x = pl.Series(np.random.default_rng(1).random(ROWS))
        return lambda: x.sort()

    def group():
        random = np.random.default_rng(1)
        frame = pl.DataFrame({"x": random.random(ROWS), "k": random.integers(0, GROUPS, ROWS)})
        return lambda: frame.group_by("k").agg(pl.col("x").mean()).sort("k")

    def fused():
        random = np.random.default_rng(1)
        frame = pl.DataFrame({name: random.random(N) for name in "abcd"})
        return lambda: frame.select((pl.col("a") + pl.col("b")) * (pl.col("c") + pl.col("d")))

    def distance():
        random = np.random.default_rng(1)
        frame = pl.DataFrame({name: random.random(N) for name in "ab"})
        return lambda: frame.select(((pl.col("a") - pl.col("b")) ** 2).sum())

    def csv():
        return lambda: pl.read_csv(path)

    work = {f.__name__: f for f in (sort, group, fused, distance, csv)}
else:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")

    def uniform(n, seed):
        return jax.random.uniform(jax.random.key(seed), n, dtype=jnp.float64)

    def fused():
        a, b, c, d = (uniform(N, k) for k in range(4))
        f = jax.jit(lambda a, b, c, d: (a + b) * (c + d))
        return lambda: f(a, b, c, d).block_until_ready()

    def distance():
        a, b = uniform(N, 1), uniform(N, 2)
        f = jax.jit(lambda a, b: ((a - b) ** 2).sum())
        return lambda: f(a, b).block_until_ready()

    def mandelbrot():
        w, h = 1024, 768
        cx, cy = jnp.meshgrid(jnp.arange(w) * (3 / w) - 2, jnp.arange(h) * (2.25 / h) - 1.125)

        def escape(cx, cy):
            def inside(s):
                return (s[2] < 200) & (s[0] * s[0] + s[1] * s[1] <= 4)

            def step(s):
                return s[0] * s[0] - s[1] * s[1] + cx, 2 * s[0] * s[1] + cy, s[2] + 1

            return jax.lax.while_loop(inside, step, (0.0, 0.0, 0))[2]

        f = jax.jit(jax.vmap(jax.vmap(escape)))
        return lambda: f(cx, cy).block_until_ready()

    def sort():
        x = uniform(ROWS, 1)
        f = jax.jit(jnp.sort)
        return lambda: f(x).block_until_ready()

    def group():
        x, keys = uniform(ROWS, 1), jax.random.randint(jax.random.key(2), ROWS, 0, GROUPS)
        f = jax.jit(lambda x, keys: jax.ops.segment_sum(x, keys, GROUPS) / jnp.bincount(keys, length=GROUPS))
        return lambda: f(x, keys).block_until_ready()

    def stencil():
        n = 2048
        start = uniform((n, n), 1)

        def ten(u):
            for _ in range(10):
                p = jnp.pad(u, 1)
                u = (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]) / 4
            return u

        f = jax.jit(ten)
        return lambda: f(start).block_until_ready()

    work = {f.__name__: f for f in (fused, distance, mandelbrot, sort, group, stencil)}

for name in sys.argv[4:]:
    if name not in work:
        continue
    body = work[name]()
    for turn in range(-1, repetitions + 1):
        gc.collect()
        start = time.perf_counter()
        result = body()
        end = time.perf_counter()
        del result
        if turn > 0:
            print(f"{name} {end - start:.9f}", flush=True)
    del body
sys.stdout.flush()
os._exit(0)  # JAX's own end takes a while
