"""Dtypes and the functions of dtypes: astype, can_cast, finfo, iinfo, isdtype, result_type."""
import ctypes
from collections import namedtuple

from . import engine as e


class DType:
    """A dtype of the standard and its number in the engine."""

    def __init__(self, name, number, kind, size):
        self.name, self.number, self.kind, self.size = name, number, kind, size
        text = e.library.lun_dtype_name
        text.restype = ctypes.c_char_p
        self.lua = text(number).decode()

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return hash(self.name)


bool = DType("bool", 0, "bool", 1)
int8 = DType("int8", 1, "signed integer", 1)
uint8 = DType("uint8", 2, "unsigned integer", 1)
int16 = DType("int16", 3, "signed integer", 2)
uint16 = DType("uint16", 4, "unsigned integer", 2)
int32 = DType("int32", 5, "signed integer", 4)
uint32 = DType("uint32", 6, "unsigned integer", 4)
int64 = DType("int64", 7, "signed integer", 8)
uint64 = DType("uint64", 8, "unsigned integer", 8)
float32 = DType("float32", 9, "real floating", 4)
float64 = DType("float64", 10, "real floating", 8)
complex64 = DType("complex64", 36, "complex floating", 8)
complex128 = DType("complex128", 37, "complex floating", 16)

every = [bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64, complex64, complex128]
by_number = {t.number: t for t in every}
by_lua = {t.lua: t for t in every}
parts = {complex64: float32, complex128: float64}
KINDS = {"bool": {"bool"}, "integral": {"signed integer", "unsigned integer"},
         "numeric": {"signed integer", "unsigned integer", "real floating", "complex floating"}}
finfo_object = namedtuple("finfo_object", "bits eps max min smallest_normal dtype")
iinfo_object = namedtuple("iinfo_object", "bits max min dtype")


def is_float(t):
    return t.kind in ("real floating", "complex floating")


def is_integer(t):
    return t.kind in KINDS["integral"]


def check_dtype(t):
    if not isinstance(t, DType):
        raise TypeError(f"a dtype expected, got {t!r}")
    return t


def dtype_of(x):
    return x if isinstance(x, DType) else x.dtype


def isdtype(dtype, kind):
    check_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, DType):
        return dtype is kind
    kinds = KINDS.get(kind, {kind})
    if not kinds <= {"bool", "signed integer", "unsigned integer", "real floating", "complex floating"}:
        raise ValueError(f"unknown kind {kind!r}")
    return dtype.kind in kinds


def can_cast(from_, to, /):
    return e.evaluate(f"lun.can_cast({e.literal(dtype_of(from_).lua)}, {e.literal(check_dtype(to).lua)})", [])[0]


def finfo(type, /):
    t = parts.get(dtype_of(type), dtype_of(type))
    bits, *numbers = e.evaluate(f'(function(f) return f.bits, f.eps, f.max, f.min, f.tiny end)(lun.finfo("{t.lua}"))', [])
    return finfo_object(bits, *numbers, t)


def iinfo(type, /):
    t = dtype_of(type)
    bits, most, least = e.evaluate(f'(function(f) return f.bits, f.max, f.min end)(lun.iinfo("{t.lua}"))', [])
    return iinfo_object(bits, int(most) - (t is uint64), int(least), t)


def result_type(*arrays_and_dtypes):
    """The engine's common dtype of arrays and dtypes; Python numbers adopt it."""
    strong = [dtype_of(x) for x in arrays_and_dtypes if not isinstance(x, (int, float, complex))]
    weak = [x for x in arrays_and_dtypes if isinstance(x, (int, float, complex))]
    if not strong:
        raise ValueError("an array or a dtype expected among the arguments")
    common = strong[0]
    for t in strong[1:]:
        common = common_dtype(common, t)
    for x in weak:
        common = adopt(x, common)
    return common


def common_dtype(s, t):
    if s is t:
        return s
    if (s is bool) != (t is bool):
        raise TypeError(f"{s} and {t} have no common dtype in the standard")
    return by_lua[e.evaluate(f"lun.result_type({e.literal(s.lua)}, {e.literal(t.lua)})", [])[0]]


def adopt(x, t):
    """The dtype in which a Python number stands beside an array of dtype t."""
    if isinstance(x, type(True)):
        return t
    if isinstance(x, int) and t is not bool:
        return t
    if isinstance(x, float) and is_float(t):
        return t
    if isinstance(x, complex) and is_float(t):
        return {float32: complex64, float64: complex128}.get(t, t)
    raise TypeError(f"a Python {type(x).__name__} does not go with {t}")
