"""What bench/mathematics.lua times, by NumPy and SciPy. usage: mathematics.py kind n repetitions

THREADS is the number that SciPy's transforms may use. Prints nothing for a kind that neither has."""
import os
import sys
import time

import numpy as np

kind, n, repetitions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
workers = int(os.environ.get("THREADS", "1"))
draw = np.random.default_rng(1)


def reals(*shape):
    return draw.random(shape)


def complexes(*shape):
    return draw.random(shape) + 1j * draw.random(shape)


def square():
    return reals(n, n) - 0.5


def positive():
    a = square()
    return a @ a.T + np.eye(n)


def gradient(x, y, w):
    return 2 / n * (x.T @ (x @ w - y))


def transform(name):
    try:
        import scipy.fft
    except ImportError:
        return getattr(np.fft, name)
    return lambda a: getattr(scipy.fft, name)(a, workers=workers)


KINDS = {
    "fft": (lambda: (complexes(n),), lambda a: transform("fft")(a)),
    "rfft": (lambda: (reals(n),), lambda a: transform("rfft")(a)),
    "lines": (lambda: (complexes(n, 1024),), lambda a: transform("fft")(a)),
    "fft2": (lambda: (complexes(n, n),), lambda a: transform("fft2")(a)),
    "solve": (lambda: (square(), reals(n)), np.linalg.solve),
    "small": (lambda: (reals(n, 3, 3) - 0.5, reals(n, 3, 1)), np.linalg.solve),
    "inv": (lambda: (square(),), np.linalg.inv),
    "qr": (lambda: (square(),), np.linalg.qr),
    "svd": (lambda: (square(),), lambda a: np.linalg.svd(a, full_matrices=False)),
    "cholesky": (lambda: (positive(),), np.linalg.cholesky),
    "eigh": (lambda: (positive(),), np.linalg.eigh),
    "eig": (lambda: (square(),), np.linalg.eig),
    "complex*": (lambda: (complexes(n), complexes(n)), np.multiply),
    "complex-abs": (lambda: (complexes(n),), np.abs),
    "complex-exp": (lambda: (complexes(n),), np.exp),
    "complex-sum": (lambda: (complexes(n),), np.sum),
    "integers": (lambda: (), lambda: draw.integers(1, 1001, n)),
    "exponential": (lambda: (), lambda: draw.exponential(size=n)),
    "permutation": (lambda: (), lambda: draw.permutation(n)),
    "loss": (lambda: (reals(n, 100), reals(n), reals(100)), lambda x, y, w: ((x @ w - y) ** 2).mean()),
    "grad": (lambda: (reals(n, 100), reals(n), reals(100)), gradient),
}
make, work = KINDS[kind]
operands = make()
for _ in range(repetitions):
    start = time.perf_counter()
    result = work(*operands)
    print("%.9f" % (time.perf_counter() - start))
    del result
