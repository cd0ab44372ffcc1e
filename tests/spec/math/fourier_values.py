"""Makes fourier_values.lua, what fourier_names_spec.lua compares with: transforms of small whole numbers in extended
precision by their sums, and single elements of a long one. usage: python3 fourier_values.py >fourier_values.lua"""
from textwrap import fill

import numpy as np

draws = np.random.default_rng(3)
WIDE, PI = np.longdouble, np.longdouble("3.14159265358979323846264338327950288")


def roots(n, sign):
    angle = np.array([2 * (k % n) for k in range(n)], WIDE) / n * PI
    return np.cos(angle) + sign * 1j * np.sin(angle)


def sums(x, sign):
    """The sum over j of x[j] w(sign j k) for each k, along the last axis."""
    n = x.shape[-1]
    w = roots(n, sign)
    j = np.arange(n)
    return np.stack([(x * w[j * k % n]).sum(-1) for k in range(n)], -1)


def pairs(z):
    return ", ".join(f"{{ {float(v.real)!r}, {float(v.imag)!r} }}" for v in np.ravel(z))


def show(name, value):
    print(fill(f"{name} = {{ {value} }},", 110, initial_indent=" " * 8, subsequent_indent=" " * 12))


print("-- Made by fourier_values.py.")
print("return {\n    lines = {")
for n in 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 21, 30:
    x = draws.integers(-9, 10, n) + 1j * draws.integers(-9, 10, n)
    print("        {")
    show("x", pairs(x))
    show("y", pairs(sums(x.astype(np.clongdouble), -1)))
    print("        },")
print("    },\n    matrix = {")
x = draws.integers(-9, 10, (3, 4)) + 1j * draws.integers(-9, 10, (3, 4))
y = sums(sums(x.astype(np.clongdouble), -1).T, -1).T
show("x", pairs(x))
show("y", pairs(y))
print("    },")
n = 1000000  # x[j] = (j * j * 7 + j * 3) mod 101 - 50
j = np.arange(n, dtype=np.int64)
x = ((j * j * 7 + j * 3) % 101 - 50).astype(WIDE)
print("    long = {")
for k in 0, 1, 2, 9900, 9901, 123456, 499999, 500000:
    angle = 2 * (j * k % n).astype(WIDE) / n * PI
    print(f"        {{ {k}, {float((x * np.cos(angle)).sum())!r}, {float(-(x * np.sin(angle)).sum())!r} }},")
print("    },\n}")
