"""Makes csr_values.lua: what SciPy gives for some sparse matrices of exact numbers. usage: python3 csr_values.py >csr_values.lua"""
import base64
import io
from textwrap import fill

import numpy as np
import scipy.sparse


def drawn(count, most, seed):
    x, out = seed, []
    for _ in range(count):
        x = (x * 1103515245 + 12345) % 2 ** 31
        out.append((x >> 16) % most)
    return np.array(out)


def text(a):
    a = a.toarray() if scipy.sparse.issparse(a) else np.asarray(a)
    if a.ndim == 0:
        return repr(a.item())
    return "{ %s }" % ", ".join(text(x) for x in a)


def row(name, value):
    print(fill("%s = %s," % (name, value), 120, initial_indent=" " * 8, subsequent_indent=" " * 12, break_long_words=False))


print("-- Made by csr_values.py: triples from 1, with what SciPy %s gives for them." % scipy.__version__)
print("return {")
for n, m, count in ((1, 1, 1), (3, 4, 5), (4, 3, 20), (7, 7, 12), (20, 9, 60)):
    i, j, v = drawn(count, n, 1), drawn(count, m, 2), (drawn(count, 65, 3) - 32) / 4
    s = scipy.sparse.coo_array((v, (i, j)), shape=(n, m)).tocsr()
    x, y = drawn(m, 17, 4) - 8, (drawn(m * 3, 17, 5) - 8).reshape(m, 3)
    print("    { n = %d, m = %d," % (n, m))
    row("rows", text(i + 1))
    row("columns", text(j + 1))
    row("values", text(v))
    row("dense", text(s))
    row("offsets", text(s.indptr + 1))
    row("x", text(x))
    row("product", text(s @ x))
    row("y", text(y))
    row("products", text(s @ y))
    row("transpose", text(s.T))
    row("diagonal", text(s.diagonal()))
    row("columns_sum", text(s.sum(axis=0)))
    row("rows_sum", text(s.sum(axis=1)))
    row("sum", text(s.sum()))
    print("    },")
files = []
for s in (s, s.tocsc()):
    out = io.BytesIO()
    scipy.sparse.save_npz(out, s)
    files.append(base64.b16encode(out.getvalue()).decode())
print("    files = {")
for f in files:
    print('        "%s",' % '"\n            .. "'.join(f[k:k + 100] for k in range(0, len(f), 100)))
print("    },")
print("}")
