# Makes complex_values.lua: functions of complex numbers at random points, to 60 digits by mpmath, and at special values by
# the tables of C99's Annex G (G.6), written out here.  Run: python3 complex_values.py > complex_values.lua (mpmath 1.4).
import random
import mpmath as mp

mp.mp.dps = 60
random.seed(20261129)
INF, NAN = float("inf"), float("nan")


def lua(x):
    return "N" if x != x else "H" if x == INF else "-H" if x == -INF else x.hex() if x or str(x) == "-0.0" else "0x0p+0"


def points():
    for _ in range(8):
        yield complex(random.uniform(-5, 5), random.uniform(-5, 5))
    for _ in range(6):
        r, phi = 1 + random.uniform(-1, 1) * 10.0 ** -random.randint(1, 12), random.uniform(-3.14, 3.14)
        yield complex(r * float(mp.cos(phi)), r * float(mp.sin(phi)))
    for s in (1, -1):
        for _ in range(4):
            e = 10.0 ** -random.randint(2, 14)
            yield complex(s + e * random.uniform(-1, 1), e * random.uniform(-1, 1))
    for _ in range(8):
        yield complex(random.uniform(-1, 1) * 10.0 ** random.randint(-18, 2),
                      random.uniform(-1, 1) * 10.0 ** random.randint(-18, 2))


LARGE = [complex(709.5, 1), complex(-700, 2), complex(300, -700.25), complex(1e150, 1e140), complex(1e-160, 1e-170),
         complex(-1e200, 1e-200), complex(1e308, 1e308), complex(5e-324, 5e-324), complex(1e-310, -3e-320)]
# where the result is finite
ROOM = {"exp": 6, "expm1": 2, "sinh": 2, "cosh": 2, "sin": 2, "cos": 2}

FUNCTIONS = {
    "exp": mp.exp, "expm1": lambda z: mp.expm1(z), "log": mp.log, "log1p": lambda z: mp.log(1 + z),
    "log2": lambda z: mp.log(z) / mp.log(2), "log10": lambda z: mp.log(z) / mp.log(10), "sqrt": mp.sqrt, "sin": mp.sin,
    "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh,
    "tanh": mp.tanh, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh,
}


def value(f, z):
    with mp.workdps(700):  # 1 + z of a z of 1e-310
        w = mp.mpc(f(mp.mpc(z.real, z.imag)))
        return float(w.real), float(w.imag)


print("-- Made by complex_values.py: by function, x, y and the parts of f(x + iy).  H: infinity, N: NaN, S: a zero of any sign,")
print("-- I: an infinity of any sign.")
print('local H, N, S, I = math.huge, 0.0 / 0.0, "zero", "infinity"')
print("local M = { points = {}, special = {} }")
for name, f in FUNCTIONS.items():
    rows = []
    for z in list(points()) + LARGE:
        if name in ("exp", "expm1", "sinh", "cosh") and abs(z.real) > 709.7:
            continue
        if name in ("sin", "cos") and (abs(z.imag) > 709.7 or abs(z.real) > 1e15):
            continue
        if name in ("exp", "expm1", "sinh", "cosh", "tanh") and abs(z.imag) > 1e15:
            continue
        if name in ("tan", "tanh") and (abs(z.real) > 1e15 or abs(z.imag) > 1e15):
            continue
        re, im = value(f, z)
        if abs(re) != INF and abs(im) != INF:
            rows.append("{%s}" % ",".join(lua(x) for x in (z.real, z.imag, re, im)))
    print("M.points.%s = {\n    %s,\n}" % (name, ",\n    ".join(rows)))

PI = float(mp.pi)
H = "H"
# G.6.1 to G.6.4: (x, y) of y >= 0, then the result; the others follow by f(conj z) = conj f(z) and by what is odd or even.
# expm1, and tanh at infinity: the Array API standard.
SPECIAL = {
    "acos": [(0, 0, PI / 2, -0.0), (-0.0, 0, PI / 2, -0.0), (0, NAN, PI / 2, NAN), (-0.0, NAN, PI / 2, NAN),
             (2, INF, PI / 2, -INF), (2, NAN, NAN, NAN), (-INF, 1, PI, -INF), (INF, 1, 0, -INF),
             (-INF, INF, 3 * PI / 4, -INF), (INF, INF, PI / 4, -INF), (INF, NAN, NAN, "I"), (-INF, NAN, NAN, "I"),
             (NAN, 1, NAN, NAN), (NAN, INF, NAN, -INF), (NAN, NAN, NAN, NAN)],
    "acosh": [(0, 0, 0, PI / 2), (-0.0, 0, 0, PI / 2), (1, INF, INF, PI / 2), (1, NAN, NAN, NAN), (-INF, 1, INF, PI),
              (INF, 1, INF, 0), (-INF, INF, INF, 3 * PI / 4), (INF, INF, INF, PI / 4), (INF, NAN, INF, NAN),
              (-INF, NAN, INF, NAN), (NAN, 1, NAN, NAN), (NAN, INF, INF, NAN), (NAN, NAN, NAN, NAN)],
    "asinh": [(0, 0, 0, 0), (1, INF, INF, PI / 2), (1, NAN, NAN, NAN), (INF, 1, INF, 0), (INF, INF, INF, PI / 4),
              (INF, NAN, INF, NAN), (NAN, 0, NAN, 0), (NAN, 1, NAN, NAN), (NAN, INF, "I", NAN), (NAN, NAN, NAN, NAN)],
    "atanh": [(0, 0, 0, 0), (0, NAN, 0, NAN), (1, 0, INF, 0), (1, INF, 0, PI / 2), (1, NAN, NAN, NAN), (INF, 1, 0, PI / 2),
              (INF, INF, 0, PI / 2), (INF, NAN, 0, NAN), (NAN, 1, NAN, NAN), (NAN, INF, "S", PI / 2), (NAN, NAN, NAN, NAN)],
    "cosh": [(0, 0, 1, 0), (0, INF, NAN, "S"), (0, NAN, NAN, "S"), (1, INF, NAN, NAN), (1, NAN, NAN, NAN), (INF, 0, INF, 0),
             (INF, 1, INF, INF), (INF, 2, -INF, INF), (INF, INF, "I", NAN), (INF, NAN, INF, NAN), (NAN, 0, NAN, "S"),
             (NAN, 1, NAN, NAN), (NAN, NAN, NAN, NAN)],
    "sinh": [(0, 0, 0, 0), (0, INF, "S", NAN), (0, NAN, "S", NAN), (1, INF, NAN, NAN), (1, NAN, NAN, NAN), (INF, 0, INF, 0),
             (INF, 1, INF, INF), (INF, 2, -INF, INF), (INF, INF, "I", NAN), (INF, NAN, "I", NAN), (NAN, 0, NAN, 0),
             (NAN, 1, NAN, NAN), (NAN, NAN, NAN, NAN)],
    "tanh": [(0, 0, 0, 0), (1, INF, NAN, NAN), (1, NAN, NAN, NAN), (INF, 1, 1, 0), (INF, 2, 1, 0), (INF, INF, 1, "S"),
             (INF, NAN, 1, "S"), (NAN, 0, NAN, 0), (NAN, 1, NAN, NAN), (NAN, NAN, NAN, NAN)],
    "expm1": [(0, 0, 0, 0), (-0.0, 0, 0, 0), (1, INF, NAN, NAN), (1, NAN, NAN, NAN), (INF, 0, INF, 0), (-INF, 1, -1, 0),
              (-INF, 2, -1, 0), (INF, 1, INF, INF), (INF, 2, -INF, INF), (-INF, INF, -1, "S"), (INF, INF, "I", NAN),
              (-INF, NAN, -1, "S"), (INF, NAN, "I", NAN), (NAN, 0, NAN, 0), (NAN, 1, NAN, NAN), (NAN, NAN, NAN, NAN)],
    "exp": [(0, 0, 1, 0), (-0.0, 0, 1, 0), (1, INF, NAN, NAN), (1, NAN, NAN, NAN), (INF, 0, INF, 0), (-INF, 1, 0, 0),
            (-INF, 2, -0.0, 0), (INF, 1, INF, INF), (INF, 2, -INF, INF), (-INF, INF, "S", "S"), (INF, INF, "I", NAN),
            (-INF, NAN, "S", "S"), (INF, NAN, "I", NAN), (NAN, 0, NAN, 0), (NAN, 1, NAN, NAN), (NAN, NAN, NAN, NAN)],
    "log": [(-0.0, 0, -INF, PI), (0, 0, -INF, 0), (1, INF, INF, PI / 2), (1, NAN, NAN, NAN), (-INF, 1, INF, PI), (INF, 1, INF, 0),
            (-INF, INF, INF, 3 * PI / 4), (INF, INF, INF, PI / 4), (INF, NAN, INF, NAN), (-INF, NAN, INF, NAN), (NAN, 1, NAN, NAN),
            (NAN, INF, INF, NAN), (NAN, NAN, NAN, NAN)],
    "sqrt": [(0, 0, 0, 0), (-0.0, 0, 0, 0), (1, INF, INF, INF), (NAN, INF, INF, INF), (INF, INF, INF, INF), (1, NAN, NAN, NAN),
             (-INF, 1, 0, INF), (INF, 1, INF, 0), (-INF, NAN, NAN, "I"), (INF, NAN, INF, NAN), (NAN, 1, NAN, NAN),
             (NAN, NAN, NAN, NAN)],
}


def cell(x):
    return {"S": "S", "I": "I"}.get(x) or lua(float(x))


for name, rows in SPECIAL.items():
    print("M.special.%s = {\n    %s,\n}" % (name, ",\n    ".join("{%s}" % ",".join(cell(x) for x in row) for row in rows)))
print("return M")
