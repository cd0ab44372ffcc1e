"""Manipulation functions."""
from . import array as a
from . import dtypes as d
from . import engine as e
from .indexing import axis_of, in_shape, reshaped


def many(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def lua_axes(axis, rank):
    """One axis or several as scripts have them, from 1; None stays."""
    if axis is None:
        return None
    found = [axis_of(k, rank) + 1 for k in many(axis)]
    return found if isinstance(axis, (tuple, list)) else found[0]


def broadcast_to(x, /, shape):
    return a.make("lun_broadcast", x.handle, len(shape), e.longs(shape))


def broadcast_shapes(*shapes):
    """By the engine: the shape of the sum of arrays without memory."""
    total = a.full(shapes[0], True, d.bool)
    for shape in shapes[1:]:
        both = e.handles([total.handle, a.full(shape, True, d.bool).handle])
        total = a.make("lun_apply", e.operation("land", 2), both, 2)
    return total.shape


def broadcast_arrays(*arrays):
    shape = broadcast_shapes(*[x.shape for x in arrays])
    return [broadcast_to(x, shape) for x in arrays]


def concat(arrays, /, *, axis=0):
    if axis is None:
        arrays, axis = [reshaped(x, (x.size,)) for x in arrays], 0
    d.result_type(*arrays)
    list_of = e.handles([x.handle for x in arrays])
    return a.make("lun_concat_along", list_of, len(arrays), axis_of(axis, arrays[0].ndim))


def stack(arrays, /, *, axis=0):
    d.result_type(*arrays)
    list_of = e.handles([x.handle for x in arrays])
    return a.make("lun_stack", list_of, len(arrays), axis_of(axis, arrays[0].ndim + 1))


def unstack(x, /, *, axis=0):
    axis = axis_of(axis, x.ndim)
    return tuple(x[(slice(None),) * axis + (k,)] for k in range(x.shape[axis]))


def expand_dims(x, /, axis):
    shape = list(x.shape)
    shape.insert(axis_of(axis, x.ndim + 1), 1)
    return in_shape(x, tuple(shape))


def squeeze(x, /, axis):
    axes = [axis_of(k, x.ndim) for k in many(axis)]
    if any(x.shape[k] != 1 for k in axes):
        raise ValueError(f"axes {axes} of {list(x.shape)} are not all of extent 1")
    return in_shape(x, tuple(n for k, n in enumerate(x.shape) if k not in axes))


def flip(x, /, *, axis=None):
    return a.script(f"a:flip({e.literal(lua_axes(axis, x.ndim))})", x)


def moveaxis(x, source, destination, /):
    return a.script(f"a:moveaxis({e.literal(lua_axes(source, x.ndim))}, {e.literal(lua_axes(destination, x.ndim))})", x)


def permute_dims(x, /, axes):
    if len(axes) != x.ndim:
        raise ValueError(f"{len(axes)} axes of an array of rank {x.ndim}")
    return a.make("lun_permute", x.handle, e.ints([axis_of(k, x.ndim) for k in axes])) if axes else x


def repeat(x, repeats, /, *, axis=None):
    if axis is None:
        x, axis = reshaped(x, (x.size,)), 0
    option = f"{{axis = {axis_of(axis, x.ndim) + 1}}}"
    if isinstance(repeats, a.Array):
        return a.script(f"a:repeat_(b, {option})", x, repeats)
    return a.script(f"a:repeat_({repeats}, {option})", x)


def reshape(x, /, shape, *, copy=None):
    if copy is False:
        return a.make("lun_view", x.handle, len(shape), e.longs(of_extent(x, shape)))
    result = reshaped(x, of_extent(x, shape))
    return a.make("lun_copy", result.handle) if copy else result


def of_extent(x, shape):
    """The shape with the extent that -1 stands for."""
    if -1 not in shape:
        return tuple(shape)
    known = 1
    for n in shape:
        known *= n if n != -1 else 1
    return tuple(x.size // known if n == -1 else n for n in shape)


def roll(x, /, shift, *, axis=None):
    option = "" if axis is None else f", {{axis = {e.literal(lua_axes(axis, x.ndim))}}}"
    return a.script(f"a:roll({e.literal(shift)}{option})", x)


def tile(x, repetitions, /):
    return a.script(f"a:tile({e.literal(tuple(repetitions))})", x)
