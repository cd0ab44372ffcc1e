"""Casts."""
from . import array as a
from . import dtypes as d


def astype(x, dtype, /, *, copy=True, device=None):
    a.check_device(device)
    if x.dtype in d.parts and dtype not in d.parts and dtype is not d.bool:
        raise TypeError(f"{x.dtype} does not become {dtype}: take real or imag")
    if dtype is x.dtype:
        return a.make("lun_copy", x.handle) if copy else x
    return a.cast(x, dtype)
