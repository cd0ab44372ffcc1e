# Makes complex_loops.lua: loops of complex numbers by NumPy.  Run: python3 complex_loops.py > complex_loops.lua (NumPy 2.4).
# Parts are computed apart where bits are compared, since NumPy's complex product may be fused.
import numpy as np


def text(z):
    return "{ %s, %s }" % (float(z.real).hex(), float(z.imag).hex())


def table(name, rows):
    print("    %s = {" % name)
    for row in rows:
        print("        " + row + ",")
    print("    },")


xs = np.linspace(-1.5, 1.5, 13)
ys = np.linspace(-1, 1, 9)
print("-- Made by complex_loops.py.")
print("return {")

# How often z = z*z + c stays within radius 2, c = -0.8 + 0.156i.
counts = []
for y in ys:
    row = []
    for x in xs:
        a, b, n = np.float64(x), np.float64(y), 0
        while n < 80 and a * a + b * b <= 4:
            a, b, n = a * a - b * b + np.float64(-0.8), a * b + b * a + np.float64(0.156), n + 1
        row.append(str(n))
    counts.append("{ " + ", ".join(row) + " }")
table("julia", counts)

# Newton's method for z^3 = 1, ten steps from each point.
grid = (xs[None, :] + 1j * ys[:, None] + (0.013 + 0.017j)).astype(np.complex128).ravel()
z = grid.copy()
for _ in range(10):
    z = z - (z ** 3 - 1) / (3 * z ** 2)
table("points", [text(p) for p in grid])
table("newton", [text(p) for p in z])

# A polynomial by Horner's rule, the sum of a geometric series, a product.
coefficients = np.array([1 + 2j, -3j, 0.5, 2 - 1j])
p = np.zeros_like(grid)
for c in coefficients:
    p = p * grid + c
table("horner", [text(v) for v in p])
table("functions", [text(v) for v in np.exp(grid) * np.sqrt(grid + 2) - np.log(grid * 1j) / np.tanh(grid)])
table("cumulative", [text(v) for v in np.cumsum(grid[:20] * grid[20:40])])
table("product", [text(np.prod(grid[:12]))])
print("}")
