"""Makes eig_values.lua: the eigenvalues that NumPy gives for some matrices of exact numbers, and roots. usage: python3 eig_values.py >eig_values.lua"""
from textwrap import fill

import numpy as np


def drawn(n, seed):
    """Numbers of a linear congruence, with few bits."""
    x, rows = seed, []
    for _ in range(n):
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


def parts(values):
    values = sorted((complex(v) for v in values), key=lambda v: (v.real, v.imag))
    row("re", text([v.real for v in values]))
    row("im", text([v.imag for v in values]))


print("-- Made by eig_values.py: matrices a, or coefficients c, with what NumPy %s gives for them." % np.__version__)
print("return {")
cyclic = np.roll(np.eye(5), 1, axis=1) * [[2], [0.5], [1], [4], [0.25]]
stairs = np.triu(drawn(6, 11)) + np.diag([3.0, 0, 0, 0, -2], -1)
matrices = [("%d" % n, drawn(n, n)) for n in (1, 2, 3, 4, 5, 8, 13)]
matrices += [("cyclic", cyclic), ("stairs", stairs), ("badly scaled", drawn(4, 3) * np.outer([1e8, 1, 1e-6, 1], [1e-8, 1, 1e6, 1]))]
for name, a in matrices:
    print("    { name = %r," % name)
    row("a", text(a))
    parts(np.linalg.eigvals(a))
    print("    },")
for c in ([1, -6, 11, -6], [2, 0, 0, -16], [0, 1, 0, 4, 0], [1, 2, 3, 4, 5, 6, 7]):
    print("    { name = %r," % ("roots of %s" % c))
    row("c", "{ %s }" % ", ".join(str(x) for x in c))
    parts(np.roots(c))
    print("    },")
print("}")
