# The values of tests/core/math/complex_test.c, tests/spec/program/cpp_spec.lua and complex_moves_spec.lua by NumPy 2.4: prints them.
# Run: python3 complex_moves.py
import numpy as np

x = np.array([1 + 2j, -3 + 0.5j, 4j])
i = np.array([2, 2, 0])
a = np.array([7, 4j, 4j])
added = a.copy()
np.add.at(added, i, x)
print("add.at", added)
replaced = a.copy()
replaced[i] = x
print("put", replaced)
print("sum", x.sum(), "prod", x.prod(), "times i", 1j * x.prod())
print("cumsum", np.cumsum(x))
print("exclusive product", np.concatenate([[1], np.cumprod(x)[:-1]]))
print("square", x * x, "times i", x * 1j)
A = np.arange(6).reshape(2, 3) + 1j * np.arange(6)[::-1].reshape(2, 3)
print("rows", np.take(A, [1, 0], axis=0), "prod", A.prod(axis=0), "sum", A.sum(axis=1))
print("where", np.where(A.real > 2, A, -1j))
print("compress", A.ravel()[A.ravel().real % 2 == 0])
print("concatenate", np.concatenate([x, [1, 2]]))
print("mixed", (x.astype(np.complex64) * np.float32(2) + 1j).dtype, (x.astype(np.complex64) * np.float64(2) + 1j).dtype)
