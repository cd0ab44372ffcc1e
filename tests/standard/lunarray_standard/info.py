"""What the namespace says of itself."""
from . import array as a
from . import dtypes as d
from . import engine as e


class Info:
    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": e.MAX_RANK}

    def default_device(self):
        return a.BACKEND

    def devices(self):
        return [a.BACKEND]

    def default_dtypes(self, *, device=None):
        a.check_device(device)
        return {"real floating": d.float64, "complex floating": d.complex128, "integral": d.int64, "indexing": d.int64}

    def dtypes(self, *, device=None, kind=None):
        a.check_device(device)
        return {t.name: t for t in d.every if kind is None or d.isdtype(t, kind)}


def __array_namespace_info__():
    return Info()
