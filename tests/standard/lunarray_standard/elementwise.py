"""Elementwise functions: operations of the engine's table, and those that scripts have under other names."""
from . import array as a
from . import dtypes as d
from . import engine as e


def operation(name, arity):
    """A function of the engine's operation with that name."""
    op = e.operation(name, arity)

    def call(*arrays):
        arrays = a.together(*arrays)
        d.result_type(*[x for x in arrays])
        return a.Array(e.apply(op, [x.handle for x in arrays]))
    if arity == 1:
        return lambda x, /: call(x)
    return lambda x1, x2, /: call(x1, x2)


def named(expression, arity):
    """A function that scripts have, of a and b."""
    def call(*arrays):
        arrays = a.together(*arrays)
        return a.script(expression, *arrays)
    if arity == 1:
        return lambda x, /: call(x)
    return lambda x1, x2, /: call(x1, x2)


UNARY = dict(abs="abs", acos="acos", acosh="acosh", asin="asin", asinh="asinh", atan="atan", atanh="atanh", bitwise_invert="bnot",
             ceil="ceil", cos="cos", cosh="cosh", exp="exp", expm1="expm1", floor="floor", isfinite="isfinite", isinf="isinf",
             isnan="isnan", log="log", log1p="log1p", log2="log2", log10="log10", logical_not="lnot", negative="neg", sign="sign",
             sin="sin", sinh="sinh", sqrt="sqrt", tan="tan", tanh="tanh", trunc="trunc")
BINARY = dict(add="add", atan2="atan2", bitwise_and="band", bitwise_left_shift="shl", bitwise_or="bor", bitwise_xor="bxor",
              copysign="copysign", divide="div", equal="eq", floor_divide="idiv", greater="gt", greater_equal="ge", hypot="hypot",
              less="lt", less_equal="le", logical_and="land", logical_or="lor", maximum="max", minimum="min", multiply="mul",
              not_equal="ne", remainder="mod", subtract="sub")
NAMED = dict(reciprocal=("a:reciprocal()", 1), round=("a:rint()", 1), signbit=("a:signbit()", 1), square=("a:square()", 1),
             bitwise_right_shift=("a:sar(b)", 2), logaddexp=("a:logaddexp(b)", 2), logical_xor=("a:lxor(b)", 2),
             nextafter=("a:nextafter(b)", 2))
for name, op in UNARY.items():
    globals()[name] = operation(op, 1)
for name, op in BINARY.items():
    globals()[name] = operation(op, 2)
for name, (expression, arity) in NAMED.items():
    globals()[name] = named(expression, arity)


def positive(x, /):
    return a.make("lun_copy", x.handle)


def pow(x1, x2, /):
    """Integers have exact powers under another name."""
    x, k = a.together(x1, x2)
    if d.is_integer(d.result_type(x, k)):
        return a.script("a:ipow(b)", x, k, dtype=d.result_type(x, k))
    return a.Array(e.apply(e.operation("pow", 2), [x.handle, k.handle]))


def real(x, /):
    return a.make("lun_real", x.handle)


def imag(x, /):
    return a.make("lun_imag", x.handle)


def conj(x, /):
    return a.make("lun_conj", x.handle)


def clip(x, /, min=None, max=None):
    """An end that is None is open."""
    for end in (min, max):
        if isinstance(end, a.Array) and d.result_type(x, end) is not x.dtype:
            raise TypeError(f"a limit of {end.dtype} for elements of {x.dtype}")
    ends = [None if end is None else a.operand(end, x.dtype) for end in (min, max)]
    given = [end for end in ends if end is not None]
    if not given:
        return positive(x)
    names = iter("bc")
    low, high = ("nil" if end is None else next(names) for end in ends)
    return a.script(f"a:clip({low}, {high})", x, *given)
