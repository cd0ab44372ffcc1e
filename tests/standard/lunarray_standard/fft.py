"""The extension `fft`."""
from . import array as a
from . import dtypes as d
from . import engine as e
from .manipulation import lua_axes


def transform(name):
    def call(x, /, *, n=None, axis=-1, norm="backward"):
        return a.script(f"a:{name}{e.options(n=n, axis=lua_axes(axis, x.ndim), norm=norm)}", x)
    return call


def transforms(name):
    def call(x, /, *, s=None, axes=None, norm="backward"):
        return a.script(f"a:{name}{e.options(shape=s, axes=lua_axes(axes, x.ndim), norm=norm)}", x)
    return call


for name in "fft ifft rfft irfft hfft ihfft".split():
    globals()[name] = transform(name)
for name in "fftn ifftn rfftn irfftn".split():
    globals()[name] = transforms(name)


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    return frequencies("fftfreq", n, d, dtype, device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    return frequencies("rfftfreq", n, d, dtype, device)


def frequencies(name, n, distance, dtype, device):
    a.check_device(device)
    return a.script(f"lun.{name}({n}, {e.literal(float(distance))})", dtype=dtype or d.float64)


def fftshift(x, /, *, axes=None):
    return a.script(f"a:fftshift{e.options(axes=lua_axes(axes, x.ndim))}", x)


def ifftshift(x, /, *, axes=None):
    return a.script(f"a:ifftshift{e.options(axes=lua_axes(axes, x.ndim))}", x)
