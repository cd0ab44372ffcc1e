"""Indexing: a[...], a[...] = x, take, take_along_axis."""
import ctypes

from . import array as a
from . import dtypes as d
from . import engine as e

def is_index(k):
    return isinstance(k, int) and not isinstance(k, bool) or isinstance(k, a.Array) and not k.shape and d.is_integer(k.dtype)


def is_mask(k):
    return isinstance(k, bool) or isinstance(k, a.Array) and k.dtype is d.bool


def expand(x, key):
    """The key as a list with a slice for each axis that an ellipsis, or its end, leaves out."""
    key = list(key) if isinstance(key, tuple) else [key]
    dots = [at for at, k in enumerate(key) if k is Ellipsis]
    if len(dots) > 1:
        raise IndexError("more than one ellipsis")
    used = sum(k is not None and k is not Ellipsis for k in key)
    if used > x.ndim:
        raise IndexError(f"{used} indices of an array of rank {x.ndim}")
    at = dots[0] if dots else len(key)
    return key[:at] + [slice(None)] * (x.ndim - used) + key[at + 1:]


def place(k, n):
    """An index along an axis of n elements, from 0."""
    k = k.__index__()
    if not -n <= k < n:
        raise IndexError(f"index {k} of an axis of {n}")
    return k % n


def box(x, key):
    """Of a key of integers, slices and None: first, count, step of each axis, and the shape of the result."""
    first, count, step, shape = [], [], [], []
    extents = iter(x.shape)
    for k in key:
        if k is None:
            shape.append(1)
            continue
        n = next(extents)
        if isinstance(k, slice):
            begin, end, by = k.indices(n)
            many = len(range(begin, end, by))
            first, count, step = first + [begin if many else 0], count + [many], step + [by]
            shape.append(many)
        elif is_index(k):
            first, count, step = first + [place(k, n)], count + [1], step + [1]
        else:
            raise IndexError(f"{k!r} is no index")
    return first, count, step, tuple(shape)


def window(x, first, count, step):
    return a.make("lun_window", x.handle, len(first), e.longs(first), e.longs(count), e.longs(step)) if first else x


def in_shape(x, shape):
    """A window in a shape that differs by extents of 1 alone, or of arrays that are written to nowhere else a value."""
    try:
        return a.make("lun_view", x.handle, len(shape), e.longs(shape))
    except ValueError:
        return reshaped(x, shape)


def reshaped(x, shape):
    return a.make("lun_reshape", x.handle, len(shape), e.longs(shape))


def get(x, key):
    if is_mask(key):
        return masked(x, key)
    key = expand(x, key)
    if any(isinstance(k, a.Array) and k.shape for k in key):
        return gathered(x, key)
    first, count, step, shape = box(x, key)
    return in_shape(window(x, first, count, step), shape)


def check_mask(x, mask):
    """Extents of a mask are those of the array, or 0: then it selects nothing."""
    if mask.ndim > x.ndim or any(m not in (n, 0) for m, n in zip(mask.shape, x.shape)):
        raise IndexError(f"a mask of {list(mask.shape)} for an array of {list(x.shape)}")


def masked(x, mask):
    """Elements, or slices of the axes that the mask has not, where it is true."""
    if isinstance(mask, bool):
        mask = a.full((), mask, d.bool)
    check_mask(x, mask)
    if mask.shape != x.shape[:mask.ndim]:
        return a.full((0,) + x.shape[mask.ndim:], 0, x.dtype)
    if mask.ndim == x.ndim and x.ndim:
        return a.make("lun_compress", x.handle, mask.handle)
    rest = x.shape[mask.ndim:]
    flat = reshaped(x, (mask.size,) + rest)
    return a.make("lun_compress_along", flat.handle, reshaped(mask, (mask.size,)).handle, 0)


def places(x, key):
    """The places, row-major from 0, of the elements that integer arrays and integers select: one for each axis in front."""
    if any(not isinstance(k, a.Array) and not is_index(k) for k in key):
        raise IndexError("integer arrays go together with integers alone")
    flat, stride = None, 1
    for k, n in reversed(list(zip(key, x.shape))):
        k = k if isinstance(k, a.Array) else a.full((), place(k, n), d.int64)
        if not d.is_integer(k.dtype):
            raise IndexError(f"an array of {k.dtype} is no index")
        k = a.cast(k, d.int64)
        k = a.make("lun_apply", e.operation("where", 3), e.handles([(k < 0).handle, (k + n).handle, k.handle]), 3)
        flat, stride = k * stride if flat is None else flat + k * stride, stride * n
    return flat


def split(x, key):
    """The integer arrays of a key, and the number of whole axes behind them."""
    while key and isinstance(key[-1], slice) and key[-1] == slice(None):
        key = key[:-1]
    if None in [k for k in key if not isinstance(k, a.Array)]:
        raise IndexError("integer arrays do not go together with None")
    return key, x.shape[len(key):]


def gathered(x, key):
    if len(key) == 1:
        return take(x, key[0], axis=0)
    key, rest = split(x, key)
    n = 1
    for extent in x.shape[:len(key)]:
        n *= extent
    return take(reshaped(x, (n,) + rest), places(x, key), axis=0)


def set(x, key, value):
    if isinstance(value, a.number_types):
        value = a.full((), value, x.dtype) if not isinstance(value, complex) or x.dtype in d.parts else None
    if not isinstance(value, a.Array):
        raise TypeError(f"a value that {x.dtype} does not take")
    if d.result_type(value, x) is not x.dtype:
        raise TypeError(f"elements of {value.dtype} do not go into {x.dtype}")
    if is_mask(key):
        return set_masked(x, key, value)
    key = expand(x, key)
    if any(isinstance(k, a.Array) and k.shape for k in key):
        return scatter(x, key, value)
    first, count, step, shape = box(x, key)
    if value.ndim > len(shape) and value.shape[:value.ndim - len(shape)] == (1,) * (value.ndim - len(shape)):
        value = reshaped(value, value.shape[value.ndim - len(shape):])
    whole = a.make("lun_broadcast", value.handle, len(shape), e.longs(shape)) if value.shape != shape else value
    if x.shape:
        whole = reshaped(whole, count)
    a.store(window(x, first, count, step), whole) if x.shape else a.store(x, whole)


def set_masked(x, mask, value):
    if isinstance(mask, bool):
        mask = a.full((), mask, d.bool)
    check_mask(x, mask)
    if mask.shape != x.shape[:mask.ndim]:
        return
    if not value.shape:
        mask = reshaped(mask, mask.shape + (1,) * (x.ndim - mask.ndim))
        where = e.handles([mask.handle, value.handle, x.handle])
        return a.store(x, a.cast(a.make("lun_apply", e.operation("where", 3), where, 3), x.dtype))
    flat = a.make("lun_copy", reshaped(x, (mask.size,) + x.shape[mask.ndim:]).handle)
    at = a.make("lun_indices", reshaped(mask, (mask.size,)).handle, 0)
    e.do("lun_put", flat.handle, at.handle, a.cast(value, x.dtype).handle, 0, NO_OPERATION)
    a.store(x, reshaped(flat, x.shape))


NO_OPERATION = 0x7fffffff


def scatter(x, key, value):
    key, rest = split(x, key)
    at = places(x, key)
    n = 1
    for extent in x.shape[:len(key)]:
        n *= extent
    flat = a.make("lun_copy", reshaped(x, (n,) + rest).handle)
    e.do("lun_put", flat.handle, at.handle, a.cast(value, x.dtype).handle, 0, NO_OPERATION)
    a.store(x, reshaped(flat, x.shape))


def axis_of(axis, rank):
    if not -rank <= axis < rank:
        raise IndexError(f"axis {axis} of an array of rank {rank}")
    return axis % rank


def take(x, indices, /, *, axis=None):
    if axis is None and x.ndim != 1:
        raise ValueError("take of an array of several axes needs one")
    return a.make("lun_take", x.handle, indices.handle, axis_of(axis or 0, x.ndim), ctypes.c_void_p())


def take_along_axis(x, indices, /, *, axis=-1):
    """Scripts count indices from 1, or from the end."""
    shifted = a.make("lun_apply", e.operation("where", 3), e.handles(
        [(indices < 0).handle, indices.handle, (indices + 1).handle]), 3)
    return a.script(f"a:take_along_axis(b, {{axis = {axis_of(axis, x.ndim) + 1}}})", x, shifted)
