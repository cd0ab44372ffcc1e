"""Linear algebra: the functions of the main namespace and those of the extension `linalg`."""
from collections import namedtuple

from . import array as a
from . import dtypes as d
from . import engine as e
from .indexing import axis_of, in_shape
from .manipulation import lua_axes
from .statistical import wide

EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = namedtuple("QRResult", "Q R")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = namedtuple("SVDResult", "U S Vh")


def matmul(x1, x2, /):
    t = d.result_type(x1, x2)
    return a.cast(a.make("lun_matmul", x1.handle, x2.handle), t)


def matrix_transpose(x, /):
    return x.mT


def tensordot(x1, x2, /, *, axes=2):
    t = d.result_type(x1, x2)
    if not isinstance(axes, int):
        axes = [[axis_of(k, x.ndim) + 1 for k in of] for x, of in zip((x1, x2), axes)]
    return a.script(f"a:tensordot(b, {e.literal(axes)})", x1, x2, dtype=t)


def vecdot(x1, x2, /, *, axis=-1):
    t = d.result_type(x1, x2)
    return a.script(f"a:vecdot(b, {{axis = {axis}}})", x1, x2, dtype=t)


def batched(expression, x, dtype=None):
    """Of one matrix a number of scripts is no array: a batch of one gives it."""
    if x.ndim > 2:
        return a.script(expression, x, dtype=dtype)
    result = a.script(expression, in_shape(x, (1,) + x.shape), dtype=dtype)
    return in_shape(result, result.shape[1:])


def real_of(t):
    return d.parts.get(t, t)


def cholesky(x, /, *, upper=False):
    return a.script(f"a:cholesky{e.options(upper=upper)}", x)


def cross(x1, x2, /, *, axis=-1):
    return a.script(f"a:cross(b, {{axis = {axis}}})", x1, x2)


def det(x, /):
    return batched("a:det()", x, x.dtype)


def diagonal(x, /, *, offset=0):
    return a.make("lun_diagonal", x.handle, offset)


def eigh(x, /):
    return EighResult(*a.scripts("a:eigh()", x))


def eigvalsh(x, /):
    return a.script("a:eigvalsh()", x)


def inv(x, /):
    return a.script("a:inv()", x)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return batched(f"a:matrix_norm{e.options(ord=ord, keep=keepdims)}", x, real_of(x.dtype))


def matrix_power(x, n, /):
    return a.script(f"a:matrix_power({n})", x)


def matrix_rank(x, /, *, rtol=None):
    if isinstance(rtol, a.Array):
        return a.script("a:matrix_rank{rtol = b}", x, rtol) if rtol.shape else matrix_rank(x, rtol=float(rtol))
    return batched(f"a:matrix_rank{e.options(rtol=rtol)}", x, d.int64)


def outer(x1, x2, /):
    return a.script("a:outer(b)", x1, x2)


def pinv(x, /, *, rtol=None):
    if isinstance(rtol, a.Array):
        return a.script("a:pinv{rtol = b}", x, rtol) if rtol.shape else pinv(x, rtol=float(rtol))
    return a.script(f"a:pinv{e.options(rtol=rtol)}", x)


def qr(x, /, *, mode="reduced"):
    return QRResult(*a.scripts(f"a:qr{e.options(mode=mode)}", x))


def slogdet(x, /):
    y = x if x.ndim > 2 else in_shape(x, (1,) + x.shape)
    sign, logarithm = a.scripts("a:slogdet()", y)
    found = [a.cast(sign, x.dtype), a.cast(logarithm, real_of(x.dtype))]
    return SlogdetResult(*(found if x.ndim > 2 else [in_shape(y, ()) for y in found]))


def solve(x1, x2, /):
    return a.script("a:solve(b)", x1, x2)


def svd(x, /, *, full_matrices=True):
    return SVDResult(*a.scripts(f"a:svd{e.options(full=full_matrices)}", x))


def svdvals(x, /):
    return a.script("a:svdvals()", x)


def trace(x, /, *, offset=0, dtype=None):
    t = wide(x, dtype)
    if x.dtype in d.parts and t not in d.parts:
        raise e.LeftOut(f"{x.dtype} does not become {t}: take real or imag")
    return batched(f"a:trace({offset})", a.cast(x, t), t)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    options = e.options(ord=ord, axis=lua_axes(axis, x.ndim), keep=keepdims)
    return a.script(f"a:vector_norm{options}", x, dtype=real_of(x.dtype))
