"""The array object: a reference to an array of the engine, its attributes, conversions and operators."""
import ctypes

from . import dtypes as d
from . import engine as e

BACKEND = e.evaluate("lun.zeros(1):backend()", [])[0]
number_types = (int, float, complex)  # and bool, which is an int


class Array:
    """Arrays are lazy: an expression is computed where its elements are asked for."""

    def __init__(self, handle):
        self.handle = handle
        e.do("lun_measure", handle)
        extents = (ctypes.c_int64 * e.MAX_RANK)()
        rank = e.library.lun_shape(handle, extents)
        self.shape = tuple(extents[:rank])
        self.dtype = d.by_number[e.library.lun_dtype_of(handle)]

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: e.library.lun_size(self.handle) if self.shape else 1)
    device = property(lambda self: BACKEND)

    @property
    def T(self):
        if self.ndim != 2:
            raise ValueError(f"T of an array of rank {self.ndim}; rank 2 expected")
        return self.mT

    @property
    def mT(self):
        if self.ndim < 2:
            raise ValueError(f"mT of an array of rank {self.ndim}; rank 2 or more expected")
        axes = list(range(self.ndim))
        axes[-2:] = axes[:-3:-1]
        return make("lun_permute", self.handle, e.ints(axes))

    def to_device(self, device, /, *, stream=None):
        check_device(device)
        if stream is not None:
            raise ValueError("there are no streams")
        return self

    def __array_namespace__(self, /, *, api_version=None):
        import lunarray_standard
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError(f"unknown version {api_version!r} of the standard")
        return lunarray_standard

    def item(self, index=0):
        """One element, counted in row-major order, as a Python number."""
        if self.dtype in d.parts:
            re, im = ctypes.c_double(), ctypes.c_double()
            e.do("lun_getcomplex", self.handle, index, ctypes.byref(re), ctypes.byref(im))
            return complex(re.value, im.value)
        x = e.Value()
        e.do("lun_get", self.handle, index, ctypes.byref(x))
        if x.dtype == d.float64.number:
            return ctypes.c_double.from_buffer_copy(ctypes.c_int64(x.bits)).value
        if x.dtype == d.bool.number:
            return x.bits & 0xff != 0
        return x.bits % 2**64 if x.dtype == d.uint64.number else x.bits

    def number(self, of):
        if self.ndim:
            raise TypeError(f"an array of rank {self.ndim} is no {of.__name__}; rank 0 expected")
        return of(self.item())

    def __bool__(self):
        return self.number(bool)

    def __int__(self):
        return self.number(int)

    def __float__(self):
        return self.number(float)

    def __complex__(self):
        return self.number(complex)

    def __index__(self):
        if not d.is_integer(self.dtype):
            raise TypeError(f"an array of {self.dtype} is no index")
        return self.number(int)

    def __len__(self):
        if not self.shape:
            raise TypeError("an array of rank 0 has no length")
        return self.shape[0]

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def __repr__(self):
        return f"Array({self.tolist()}, dtype={self.dtype})"

    def tolist(self):
        rows = [self.item(k) for k in range(self.size)]
        for extent in reversed(self.shape):
            rows = [rows[k:k + extent] for k in range(0, len(rows), extent)] if extent else []
        return rows[0] if rows else []

    def __getitem__(self, key, /):
        from . import indexing
        return indexing.get(self, key)

    def __setitem__(self, key, value, /):
        from . import indexing
        indexing.set(self, key, value)

    def __dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
        from . import dlpack
        return dlpack.export(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self, /):
        return (1, 0)


def make(name, *arguments):
    """Calls a function of the C interface that gives an array."""
    return Array(e.give(name, *arguments))


def check_device(device):
    if device not in (None, BACKEND):
        raise ValueError(f"no device {device!r}; there is {BACKEND!r}")


def scripts(expression, *arrays):
    """The results of a script's expression of arrays a, b, c, ...: numbers become arrays of rank 0."""
    found = e.evaluate(expression, [x.handle for x in arrays])
    return [Array(x) if isinstance(x, e.Handle) else of_number(x) for x in found]


def script(expression, *arrays, dtype=None):
    """The one result of an expression, cast to a dtype."""
    result, = scripts(expression, *arrays)
    return result if dtype is None else cast(result, dtype)


def of_number(x):
    t = d.bool if isinstance(x, bool) else d.int64 if isinstance(x, int) else d.float64
    return full((), x, t)


def cast(x, dtype):
    return x if x.dtype is dtype else make("lun_cast", x.handle, dtype.number)


def full(shape, x, dtype):
    """An array of one Python number."""
    if len(shape) > e.MAX_RANK:
        raise e.LeftOut(f"rank {len(shape)}; rank {e.MAX_RANK} at most")
    extents = e.longs(shape)
    if dtype in d.parts:
        part, z = d.parts[dtype], complex(x)
        both = [e.give("lun_full", len(shape), extents, part.number, value(y)) for y in (z.real, z.imag)]
        return make("lun_complex", *both)
    if isinstance(x, complex):
        raise TypeError(f"a complex number in an array of {dtype}")
    if d.is_integer(dtype) and isinstance(x, float):
        x = int(x)
    if dtype is d.bool:
        x = bool(x)
    return make("lun_full", len(shape), extents, dtype.number, value(x))


def value(x):
    """A Python number as a lun_value."""
    if isinstance(x, bool):
        return e.Value(d.bool.number, x)
    if isinstance(x, float):
        return e.Value(d.float64.number, ctypes.c_int64.from_buffer_copy(ctypes.c_double(x)).value)
    if not -2**63 <= x < 2**64:
        raise OverflowError(f"{x} is no integer of 64 bits")
    return e.Value(d.int64.number if x < 2**63 else d.uint64.number, x if x < 2**63 else x - 2**64)


def operand(x, other):
    """A Python number as an array of rank 0 in the dtype that it adopts beside other arrays."""
    return x if isinstance(x, Array) else full((), x, d.adopt(x, other))


def together(*arrays):
    """Arrays and Python numbers, which adopt the dtype of the arrays."""
    strong = [x for x in arrays if isinstance(x, Array)]
    if not strong or not all(isinstance(x, (Array,) + number_types) for x in arrays):
        raise TypeError("arrays and Python numbers expected, one array at least, got " +
                        ", ".join(type(x).__name__ for x in arrays))
    return [operand(x, d.result_type(*strong)) for x in arrays]


def binary(name, kinds, reflected=False):
    """The method of a binary operator: the elementwise function of that name."""
    def method(self, other, /):
        from . import elementwise
        if not isinstance(other, (Array,) + number_types):
            return NotImplemented
        if self.dtype.kind not in kinds:
            raise TypeError(f"{name} of {self.dtype}; expected: {', '.join(sorted(kinds))}")
        operands = (other, self) if reflected else (self, other)
        return getattr(elementwise, name)(*operands)
    return method


def in_place(name, kinds):
    """The method of an operator that stores into its left operand."""
    compute = binary(name, kinds)

    def method(self, other, /):
        result = compute(self, other)
        if result is NotImplemented:
            return result
        if result.dtype is not self.dtype or result.shape != self.shape:
            raise ValueError(f"a result of {result.dtype}{list(result.shape)} does not go into {self.dtype}{list(self.shape)}")
        store(self, result)
        return self
    return method


def store(target, source):
    """Stores into the elements; an array of rank 0 is another number from then on."""
    if target.shape:
        e.do("lun_store", target.handle, source.handle)
        return
    target.handle = e.give("lun_copy", cast(source, target.dtype).handle)


INTEGERS = d.KINDS["integral"]
NUMERIC = d.KINDS["numeric"]
REAL = INTEGERS | {"real floating"}
BITS = INTEGERS | {"bool"}
ALL = NUMERIC | {"bool"}
for operator, function, of in [
        ("add", "add", NUMERIC), ("sub", "subtract", NUMERIC), ("mul", "multiply", NUMERIC),
        ("truediv", "divide", NUMERIC - INTEGERS), ("floordiv", "floor_divide", REAL), ("mod", "remainder", REAL),
        ("pow", "pow", NUMERIC), ("and", "bitwise_and", BITS), ("or", "bitwise_or", BITS), ("xor", "bitwise_xor", BITS),
        ("lshift", "bitwise_left_shift", INTEGERS), ("rshift", "bitwise_right_shift", INTEGERS)]:
    setattr(Array, f"__{operator}__", binary(function, of))
    setattr(Array, f"__r{operator}__", binary(function, of, reflected=True))
    setattr(Array, f"__i{operator}__", in_place(function, of))
for operator, function, of in [("lt", "less", REAL), ("le", "less_equal", REAL), ("gt", "greater", REAL),
                               ("ge", "greater_equal", REAL), ("eq", "equal", ALL), ("ne", "not_equal", ALL)]:
    setattr(Array, f"__{operator}__", binary(function, of))
Array.__hash__ = None


def unary(name, kinds):
    def method(self, /):
        from . import elementwise
        if self.dtype.kind not in kinds:
            raise TypeError(f"{name} of {self.dtype}; expected: {', '.join(sorted(kinds))}")
        return getattr(elementwise, name)(self)
    return method


for operator, function, of in [("abs", "abs", NUMERIC), ("neg", "negative", NUMERIC), ("pos", "positive", NUMERIC),
                               ("invert", "bitwise_invert", BITS)]:
    setattr(Array, f"__{operator}__", unary(function, of))


def matmul_with(order):
    def method(self, other, /):
        from . import linalg
        if not isinstance(other, Array):
            return NotImplemented
        return linalg.matmul(*((self, other) if order else (other, self)))
    return method


def imatmul(self, other, /):
    result = self @ other
    if result.shape != self.shape or result.dtype is not self.dtype:
        raise ValueError(f"a product of {result.dtype}{list(result.shape)} does not go into {self.dtype}{list(self.shape)}")
    store(self, result)
    return self


Array.__matmul__, Array.__rmatmul__, Array.__imatmul__ = matmul_with(True), matmul_with(False), imatmul
