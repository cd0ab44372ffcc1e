"""Statistical and utility functions: reductions, running sums, differences."""
import ctypes

from . import array as a
from . import dtypes as d
from . import engine as e
from .indexing import axis_of, reshaped

REDUCTIONS = {name: k for k, name in enumerate("sum prod min max mean var std any all count argmin argmax norm".split())}
NO_AXES = -1


def along(name, x, axis, keepdims, correction=0.0):
    """A reduction of all axes (None), of one or of several.  The mean of no elements at all is an error of the engine's, along
    an axis it is NaN: such an array is taken as a row."""
    if name in ("mean", "var", "std") and axis is None and not x.size:
        row = along(name, reshaped(x, (1, 0)), 1, False, correction)
        return reshaped(row, (1,) * x.ndim if keepdims else ())
    axes = [] if axis is None else [axis_of(k, x.ndim) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    count = NO_AXES if axis is not None and not axes else len(axes)
    whole = int(correction)
    options = e.Along(ctypes.sizeof(e.Along), keepdims, False, whole, correction - whole, False)
    return a.make("lun_along", REDUCTIONS[name], x.handle, e.ints(axes), count, ctypes.addressof(options))


def wide(x, dtype):
    """The dtype in which elements are added."""
    if dtype is not None:
        return dtype
    return {"signed integer": d.int64, "unsigned integer": d.uint64, "bool": d.int64}.get(x.dtype.kind, x.dtype)


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    t = wide(x, dtype)
    return a.cast(along("sum", a.cast(x, t), axis, keepdims), t)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    t = wide(x, dtype)
    return a.cast(along("prod", a.cast(x, t), axis, keepdims), t)


def min(x, /, *, axis=None, keepdims=False):
    return a.cast(along("min", x, axis, keepdims), x.dtype)


def max(x, /, *, axis=None, keepdims=False):
    return a.cast(along("max", x, axis, keepdims), x.dtype)


def mean(x, /, *, axis=None, keepdims=False):
    return a.cast(along("mean", x, axis, keepdims), x.dtype)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    return a.cast(along("var", x, axis, keepdims, float(correction)), x.dtype)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return a.cast(along("std", x, axis, keepdims, float(correction)), x.dtype)


def any(x, /, *, axis=None, keepdims=False):
    return along("any", x, axis, keepdims)


def all(x, /, *, axis=None, keepdims=False):
    return along("all", x, axis, keepdims)


def running(name, x, axis, dtype, include_initial):
    if axis is None and x.ndim != 1:
        raise ValueError(f"{name} of an array of several axes needs one")
    t = wide(x, dtype)
    options = e.options(axis=axis_of(axis or 0, x.ndim) + 1, include_initial=include_initial)
    return a.script(f"a:{name}{options}", a.cast(x, t), dtype=t)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return running("cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return running("cumulative_prod", x, axis, dtype, include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    given = [y for y in (prepend, append) if y is not None]
    names = iter("bc")
    front = "" if prepend is None else f", prepend = {next(names)}"
    behind = "" if append is None else f", append = {next(names)}"
    return a.script(f"a:diff({n}, {{axis = {axis_of(axis, x.ndim) + 1}{front}{behind}}})", x, *given)
