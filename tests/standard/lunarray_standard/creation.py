"""Creation functions."""
import ctypes

from . import array as a
from . import dtypes as d
from . import engine as e
from .dlpack import from_dlpack

CTYPES = {d.bool: ctypes.c_bool, d.int8: ctypes.c_int8, d.uint8: ctypes.c_uint8, d.int16: ctypes.c_int16,
          d.uint16: ctypes.c_uint16, d.int32: ctypes.c_int32, d.uint32: ctypes.c_uint32, d.int64: ctypes.c_int64,
          d.uint64: ctypes.c_uint64, d.float32: ctypes.c_float, d.float64: ctypes.c_double}


def as_shape(shape):
    shape = (shape,) if not isinstance(shape, (tuple, list)) else tuple(shape)
    return tuple(int(n) for n in shape)


def kind_of(x):
    """The default dtype of a Python number."""
    kind = {type(True): d.bool, int: d.int64, float: d.float64, complex: d.complex128}.get(type(x))
    if kind is None:
        raise TypeError(f"numbers, or nested lists of them, expected, got {type(x).__name__}")
    return kind


def flatten(x, found):
    """The numbers of nested sequences, row by row, and the shape."""
    if isinstance(x, a.Array):
        found.extend([x.item(k) for k in range(x.size)])
        return x.shape
    if not isinstance(x, (list, tuple)):
        found.append(x)
        return ()
    shapes = {flatten(row, found) for row in x}
    if len(shapes) > 1:
        raise ValueError(f"rows of different shapes: {sorted(shapes)}")
    return (len(x),) + (shapes.pop() if shapes else ())


def tensor(numbers, shape, dtype):
    """An array of Python numbers in row-major order."""
    if dtype in d.parts:
        lanes = [part for z in numbers for part in (complex(z).real, complex(z).imag)]
        return a.make("lun_complex_of", tensor(lanes, shape + (2,), d.parts[dtype]).handle)
    if d.is_integer(dtype):
        bounds = d.iinfo(dtype)
        for x in numbers:
            if not bounds.min <= x <= bounds.max:
                raise OverflowError(f"{x} does not fit into {dtype}")
    memory = (CTYPES[dtype] * max(1, len(numbers)))(*numbers)
    return a.make("lun_tensor", memory, len(shape), e.longs(shape), dtype.number)


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    a.check_device(device)
    if isinstance(obj, a.Array):
        if dtype not in (None, obj.dtype):
            if copy is False:
                raise ValueError(f"{obj.dtype} becomes {dtype} by a copy alone")
            return a.cast(obj, dtype)
        return a.make("lun_copy", obj.handle) if copy else obj
    if hasattr(obj, "__dlpack__"):
        x = from_dlpack(obj, copy=copy)
        return a.cast(x, dtype or x.dtype)
    if copy is False:
        raise ValueError("numbers of Python become an array by a copy alone")
    numbers = []
    shape = flatten(obj, numbers)
    if dtype is None:
        order = [d.bool, d.int64, d.float64, d.complex128]
        dtype = order[max([order.index(kind_of(x)) for x in numbers], default=2)]
        if dtype is d.int64 and any(x >= 2**63 for x in numbers):
            dtype = d.uint64
    if not shape:
        return a.make("lun_copy", a.full((), numbers[0], dtype).handle)
    return tensor(numbers, shape, dtype)


def full(shape, fill_value, *, dtype=None, device=None):
    a.check_device(device)
    if isinstance(fill_value, a.Array):
        dtype, fill_value = dtype or fill_value.dtype, fill_value.item()
    return a.make("lun_copy", a.full(as_shape(shape), fill_value, dtype or kind_of(fill_value)).handle)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device)


def zeros(shape, *, dtype=None, device=None):
    return full(shape, 0, dtype=dtype or d.float64, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    return zeros(x.shape, dtype=dtype or x.dtype, device=device)


def ones(shape, *, dtype=None, device=None):
    return full(shape, 1, dtype=dtype or d.float64, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    return ones(x.shape, dtype=dtype or x.dtype, device=device)


empty, empty_like = zeros, zeros_like


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """The engine takes how many there are, which is the standard's ceil((stop - start) / step)."""
    a.check_device(device)
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        dtype = d.float64 if any(isinstance(x, float) for x in (start, stop, step)) else d.int64
    n = -(-(stop - start) // step) if all(isinstance(x, int) for x in (start, stop, step)) else ceil((stop - start) / step)
    if n <= 0:
        return zeros((0,), dtype=dtype)
    wide = d.float64 if d.is_float(dtype) else dtype
    return a.cast(a.make("lun_range", a.value(start), a.value(step), n, wide.number), dtype)


def ceil(x):
    return int(x) + (x > int(x))


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    a.check_device(device)
    dtype = dtype or (d.complex128 if any(isinstance(x, complex) for x in (start, stop)) else d.float64)
    if dtype in d.parts:
        start, stop = complex(start), complex(stop)
        both = [linspace(x, y, num, dtype=d.parts[dtype], endpoint=endpoint)
                for x, y in ((start.real, stop.real), (start.imag, stop.imag))]
        return a.make("lun_complex", both[0].handle, both[1].handle)
    wide = dtype if d.is_float(dtype) else d.float64
    n = num if endpoint else num + 1
    x = a.make("lun_linspace", float(start), float(stop), n, wide.number)
    return a.cast(x if endpoint else x[:num], dtype)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    a.check_device(device)
    dtype = dtype or d.float64
    n_cols = n_rows if n_cols is None else n_cols
    return a.script(f"lun.eye({n_rows}, {n_cols}, {k}, '{dtype.lua}')")


def meshgrid(*arrays, indexing="xy"):
    expression = f"(function(...) local all = {{...}} all[#all + 1] = {e.options(indexing=indexing)} return lun.meshgrid(" \
        "table.unpack(all)) end)(...)"
    return a.scripts(expression, *arrays)


def tril(x, /, *, k=0):
    return a.script(f"a:tril({k})", x)


def triu(x, /, *, k=0):
    return a.script(f"a:triu({k})", x)
