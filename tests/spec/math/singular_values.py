"""Makes singular_values.lua: what NumPy gives for some matrices of exact numbers. usage: python3 singular_values.py >singular_values.lua"""
from textwrap import fill

import numpy as np
import scipy.linalg


def drawn(m, n, seed):
    """Numbers of a linear congruence, with few bits."""
    x, rows = seed, []
    for _ in range(m):
        row = []
        for _ in range(n):
            x = (x * 1103515245 + 12345) % 2 ** 31
            row.append((x >> 16) % 257 / 64 - 2)
        rows.append(row)
    return np.array(rows)


def text(a):
    if np.ndim(a) == 0:
        return float(a).hex()
    return "{ %s }" % ", ".join(text(x) for x in a)


def row(name, value):
    print(fill("%s = %s," % (name, value), 120, initial_indent=" " * 8, subsequent_indent=" " * 12))


print("-- Made by singular_values.py: matrices a and right sides b with what NumPy %s and SciPy %s give for them."
      % (np.__version__, scipy.__version__))
print("return {")
low = drawn(6, 2, 8) @ drawn(2, 4, 9)
for name, a in [("drawn 1 x 1", drawn(1, 1, 1)), ("drawn 2 x 2", drawn(2, 2, 2)), ("drawn 3 x 3", drawn(3, 3, 3)),
                ("drawn 5 x 4", drawn(5, 4, 4)), ("drawn 3 x 2", drawn(3, 2, 5)), ("drawn 2 x 5", drawn(2, 5, 6)),
                ("drawn 7 x 3", drawn(7, 3, 7)), ("rank 2", low)]:
    b = drawn(a.shape[0], 1, 99)[:, 0]
    x, rest, rank, s = np.linalg.lstsq(a, b)
    print("    { name = %r, rank = %d, nuclear = %s," % (name, rank, float(np.linalg.norm(a, "nuc")).hex()))
    row("a", text(a))
    row("b", text(b))
    row("values", text(s))
    row("inverse", text(np.linalg.pinv(a)))
    row("x", text(x))
    row("rest", text(rest))
    if a.shape[0] == a.shape[1]:
        row("condition", "{ %s }" % ", ".join(text(np.linalg.cond(a, p)) for p in (2, 1, np.inf, "fro")))
        row("exponential", text(scipy.linalg.expm(a)))
    print("    },")
print("}")
