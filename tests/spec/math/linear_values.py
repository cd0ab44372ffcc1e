"""Makes linear_values.lua, what linear_spec.lua compares with: exact solutions, inverses and determinants in rational
arithmetic, rounded once; logarithms with 60 digits. usage: python3 linear_values.py >linear_values.lua"""
from decimal import Decimal, getcontext
from fractions import Fraction
from textwrap import fill

getcontext().prec = 60


def hilbert(n):
    return [[Fraction(float(Fraction(1, i + j + 1))) for j in range(n)] for i in range(n)]


def drawn(n, seed, divisor=64):
    """Entries of a few bits, of the smallest standard generator."""
    rows = []
    for _ in range(n):
        row = []
        for _ in range(n):
            seed = seed * 16807 % 2147483647
            row.append(Fraction(seed % 255 - 127, divisor))
        rows.append(row)
    return rows


def graded(n):
    return [[x / 2 ** (4 * i) for x in row] for i, row in enumerate(drawn(n, 77))]


def solved(a, b):
    """The solutions x of a x = b and the determinant of a, by elimination."""
    n = len(a)
    rows = [list(a[i]) + list(b[i]) for i in range(n)]
    det = Fraction(1)
    for k in range(n):
        at = next(i for i in range(k, n) if rows[i][k] != 0)
        if at != k:
            rows[k], rows[at], det = rows[at], rows[k], -det
        det *= rows[k][k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                by = rows[i][k]
                rows[i] = [x - by * y for x, y in zip(rows[i], rows[k])]
    return [row[n:] for row in rows], det


def norm(a):
    return max(sum(abs(x) for x in row) for row in a)


def text(rows):
    return "{ %s }" % ", ".join("{ %s }" % ", ".join(float(x).hex() for x in row) for row in rows)


def row(name, value):
    print(fill("%s = %s," % (name, value), 120, initial_indent=" " * 8, subsequent_indent=" " * 12))


print("-- Made by linear_values.py: matrices a, exact values of them, their condition in the greatest sum of a row.")
print("return {")
for name, a in [("drawn 1", drawn(1, 5)), ("drawn 2", drawn(2, 1)), ("drawn 3", drawn(3, 2)), ("drawn 5", drawn(5, 3)),
                ("drawn 8", drawn(8, 4)), ("graded 5", graded(5)), ("Hilbert 4", hilbert(4)), ("Hilbert 7", hilbert(7))]:
    n = len(a)
    identity = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    b = [[Fraction(i + 1)] for i in range(n)]
    inverse, det = solved(a, identity)
    x, _ = solved(a, b)
    log = (Decimal(abs(det).numerator) / Decimal(abs(det).denominator)).ln()
    print("    { name = %r, condition = %.3g," % (name, norm(a) * norm(inverse)))
    row("a", text(a))
    row("inverse", text(inverse))
    row("x", "{ %s }" % ", ".join(float(line[0]).hex() for line in x))
    print("        det = %s, log = %s }," % (float(det).hex(), float(log).hex()))
print("}")
