"""Searching, sorting and sets.  Scripts count indices from 1."""
from collections import namedtuple

from . import array as a
from . import dtypes as d
from . import engine as e
from .indexing import axis_of, take
from .statistical import along

UniqueAllResult = namedtuple("UniqueAllResult", "values indices inverse_indices counts")
UniqueCountsResult = namedtuple("UniqueCountsResult", "values counts")
UniqueInverseResult = namedtuple("UniqueInverseResult", "values inverse_indices")
DESCENDING, RIGHT = 1, 2


def argmax(x, /, *, axis=None, keepdims=False):
    return along("argmax", x, axis, keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    return along("argmin", x, axis, keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    return along("count", x, axis, keepdims)


def nonzero(x, /):
    if not x.shape:
        raise ValueError("nonzero of an array of rank 0")
    return tuple(y - 1 for y in a.scripts("table.unpack(a:nonzero())", x))


def where(condition, x1, x2, /):
    x1, x2 = a.together(x1, x2)
    d.result_type(x1, x2)
    return a.Array(e.apply(e.operation("where", 3), [condition.handle, x1.handle, x2.handle]))


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    if sorter is not None:
        x1 = take(x1, sorter, axis=0)
    return a.make("lun_searchsorted", x1.handle, x2.handle, {"left": 0, "right": RIGHT}[side], 0)


def sort(x, /, *, axis=-1, descending=False, stable=True):
    return a.make("lun_sort", x.handle, axis_of(axis, x.ndim), DESCENDING if descending else 0)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    return a.make("lun_argsort", x.handle, axis_of(axis, x.ndim), DESCENDING if descending else 0, 0)


def unique_values(x, /):
    return a.script("a:unique_values()", x)


def unique_counts(x, /):
    return UniqueCountsResult(*a.scripts("a:unique_counts()", x))


def unique_inverse(x, /):
    values, inverse = a.scripts("a:unique_inverse()", x)
    return UniqueInverseResult(values, inverse - 1)


def unique_all(x, /):
    values, indices, inverse, counts = a.scripts("a:unique_all()", x)
    return UniqueAllResult(values, indices - 1, inverse - 1, counts)
