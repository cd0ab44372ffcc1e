"""Makes convolution_values.lua, what convolution_spec.lua compares with: convolutions and correlations of small whole
numbers by NumPy, of matrices by SciPy. usage: python3 convolution_values.py >convolution_values.lua"""
from textwrap import fill

import numpy as np
from scipy import signal

draws = np.random.default_rng(1)


def text(x):
    return "{ " + ", ".join(text(y) if isinstance(y, list) else str(y) for y in x) + " }"


def row(name, mode, a, b, c):
    line = f'{{ name = "{name}", mode = "{mode}", a = {text(a.tolist())}, b = {text(b.tolist())}, c = {text(c.tolist())} }},'
    print(fill(line, 110, initial_indent=" " * 4, subsequent_indent=" " * 8))


print("-- Made by convolution_values.py.")
print("return {")
for n, m in [(1, 1), (5, 1), (1, 5), (5, 2), (2, 5), (6, 3), (3, 6), (4, 4), (7, 4), (4, 7), (5, 5)]:
    a, b = draws.integers(-9, 10, n), draws.integers(-9, 10, m)
    for mode in "full", "same", "valid":
        row("convolve", mode, a, b, np.convolve(a, b, mode))
        row("correlate", mode, a, b, np.correlate(a, b, mode))
for n, m in [((3, 4), (2, 2)), ((3, 3), (1, 3)), ((2, 3, 3), (1, 2, 2))]:
    a, b = draws.integers(-9, 10, n), draws.integers(-9, 10, m)
    for mode in "full", "valid":
        for name in "convolve", "correlate":
            row(name, mode, a, b, getattr(signal, name)(a, b, mode, "direct"))
print("}")
