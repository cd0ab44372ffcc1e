"""Makes complex_factors_values.lua: what NumPy gives for some complex matrices of exact numbers.
usage: python3 complex_factors_values.py >complex_factors_values.lua"""
from textwrap import fill

import numpy as np


def drawn(m, n, seed):
    """Numbers of a linear congruence, with few bits."""
    x, rows = seed, []
    for _ in range(m):
        row = []
        for _ in range(2 * n):
            x = (x * 1103515245 + 12345) % 2 ** 31
            row.append((x >> 16) % 257 / 64 - 2)
        rows.append([complex(re, im) for re, im in zip(row[::2], row[1::2])])
    return np.array(rows)


def text(a):
    if np.ndim(a) == 0:
        return float(a).hex()
    return "{ %s }" % ", ".join(text(x) for x in a)


def row(name, value):
    print(fill("%s = %s," % (name, value), 120, initial_indent=" " * 8, subsequent_indent=" " * 12))


def parts(name, a):
    row(name, "{ %s, %s }" % (text(np.real(a)), text(np.imag(a))))


print("-- Made by complex_factors_values.py: matrices a and right sides b with what NumPy %s gives for them; complex ones"
      % np.__version__)
print("-- as their real and imaginary parts.")
print("return {")
for name, a in [("drawn 1 x 1", drawn(1, 1, 1)), ("drawn 2 x 2", drawn(2, 2, 2)), ("drawn 4 x 4", drawn(4, 4, 3)),
                ("drawn 5 x 4", drawn(5, 4, 4)), ("drawn 2 x 5", drawn(2, 5, 6)), ("drawn 7 x 3", drawn(7, 3, 7)),
                ("rank 2", drawn(6, 2, 8) @ drawn(2, 4, 9))]:
    b = drawn(a.shape[0], 1, 99)[:, 0]
    x, rest, rank, s = np.linalg.lstsq(a, b)
    print("    { name = %r, rank = %d, nuclear = %s," % (name, rank, float(np.linalg.norm(a, "nuc")).hex()))
    parts("a", a)
    parts("b", b)
    row("values", text(s))
    parts("inverse", np.linalg.pinv(a))
    parts("x", x)
    row("rest", text(rest))
    row("hermitian", text(np.linalg.eigvalsh(a @ a.conj().T)))
    if a.shape[0] == a.shape[1]:
        w = np.sort_complex(np.linalg.eigvals(a))
        parts("eigenvalues", w)
        row("condition", text(np.linalg.cond(a)))
    print("    },")
print("}")
