"""The engine: loads the shared library, declares the functions of the C interface that the layer calls, and calls functions of
scripts.  Statuses become exceptions with the engine's text."""
import ctypes
import os
import re
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

MAX_RANK = 8

library = ctypes.CDLL(os.environ.get("LUNARRAY_LIBRARY", "build/liblunarray.so.0"))
engine = c_void_p()


class Value(ctypes.Structure):
    """lun_value; the union as its bits, in which it is passed alike."""
    _fields_ = [("dtype", c_int), ("bits", c_int64)]


class Payload(ctypes.Union):
    _fields_ = [("boolean", c_bool), ("integer", c_int64), ("number", c_double), ("text", c_char_p), ("array", c_void_p)]


class Variant(ctypes.Structure):
    """lun_variant"""
    _fields_ = [("type", c_int), ("length", c_size_t), ("as_", Payload)]


NIL, BOOLEAN, INTEGER, NUMBER, TEXT, ARRAY, TABLE = range(7)


class Along(ctypes.Structure):
    """lun_along_options"""
    _fields_ = [("size", c_size_t), ("keep", c_bool), ("skipnan", c_bool), ("ddof", c_int64), ("ddof_part", c_double),
                ("propagate", c_bool)]


# Argument types by letter, behind the engine: a an array, A several, l an extent, L several, i an int, I several, d a double,
# v a lun_value, p any pointer.
LETTERS = {"a": c_void_p, "A": POINTER(c_void_p), "l": c_int64, "L": POINTER(c_int64), "i": c_int,
           "I": POINTER(c_int), "d": c_double, "v": Value, "p": c_void_p}
GIVES_ARRAY = {
    "lun_tensor": "piLi", "lun_full": "iLiv", "lun_range": "vvli", "lun_linspace": "ddli", "lun_complex": "aa", "lun_real": "a",
    "lun_imag": "a", "lun_conj": "a", "lun_apply": "iAi", "lun_cast": "ai", "lun_concat_along": "Aii", "lun_stack": "Aii",
    "lun_reshape": "aiL", "lun_take": "aaip", "lun_window": "aiLLL", "lun_permute": "aI", "lun_view": "aiL",
    "lun_broadcast": "aiL", "lun_compress": "aa", "lun_compress_along": "aai", "lun_indices": "al", "lun_sort": "aii",
    "lun_argsort": "aiil", "lun_searchsorted": "aail", "lun_along": "iaIip", "lun_matmul": "aa", "lun_copy": "a",
    "lun_complex_of": "a", "lun_from_dlpack": "p", "lun_from_dlpack_plain": "p", "lun_diagonal": "al"}
GIVES_STATUS = {"lun_get": "alp", "lun_getcomplex": "alpp", "lun_store": "aa", "lun_put": "aaaii", "lun_measure": "a",
                "lun_to_dlpack": "ap", "lun_to_dlpack_plain": "ap"}
for table, tail in (GIVES_ARRAY, [POINTER(c_void_p)]), (GIVES_STATUS, []):
    for name, letters in table.items():
        getattr(library, name).argtypes = [c_void_p] + [LETTERS[k] for k in letters] + tail
library.lun_error.restype = c_char_p
library.lun_error.argtypes = [c_void_p]
library.lun_size.restype = c_int64
library.lun_size.argtypes = library.lun_release.argtypes = [c_void_p]
library.lun_dtype_of.argtypes = [c_void_p]
library.lun_shape.argtypes = [c_void_p, POINTER(c_int64)]
library.lun_op_find.argtypes = [c_char_p, c_int, POINTER(c_int)]
library.lun_op_find.restype = c_bool
library.lun_ref_call.argtypes = [c_void_p, POINTER(Variant), c_int, POINTER(Variant), c_int, POINTER(c_int)]
library.lun_ref_free.argtypes = [c_void_p]
library.lun_scope_run.argtypes = [c_void_p, c_char_p, c_size_t, c_char_p]
library.lun_scope_ref.argtypes = [c_void_p, c_char_p, POINTER(c_void_p)]

# By lun_status: what Python raises for it.
RAISES = {2: TypeError, 3: ValueError, 4: IndexError, 5: MemoryError, 7: ZeroDivisionError, 14: IndexError, 1: ValueError}


TOO_MANY_AXES = re.compile(r"rank \d+ is out of range|\d+ extents; at most|have at most \d axes|result would have \d+ axes")

try:
    from hypothesis.errors import UnsatisfiedAssumption as Discarded
except ImportError:
    class Discarded(Exception):
        pass


class EngineError(RuntimeError):
    pass


class LeftOut(Discarded, ValueError):
    """What the standard allows and the engine has not, by exceptions.txt: the suite discards examples of it."""


def check(status):
    if status:
        text = (library.lun_error(engine) or b"").decode(errors="replace")
        raise (LeftOut if TOO_MANY_AXES.search(text) else RAISES.get(status, EngineError))(text)


check(library.lun_open(None, byref(engine)))
scope = c_void_p()
check(library.lun_scope_new(engine, byref(scope)))


class Handle(c_void_p):
    """A reference to an array, which is given up with the last Python object that has it."""

    def __del__(self, release=library.lun_release):
        release(self)


def give(name, *arguments):
    """Calls a function that gives an array: its handle."""
    out = Handle()
    check(getattr(library, name)(engine, *arguments, byref(out)))
    return out


def do(name, *arguments):
    check(getattr(library, name)(engine, *arguments))


def longs(numbers):
    return (c_int64 * max(1, len(numbers)))(*numbers)


def ints(numbers):
    return (c_int * max(1, len(numbers)))(*numbers)


def handles(list_of):
    memory = (c_void_p * max(1, len(list_of)))(*list_of)
    memory.owners = list_of
    return memory


def operation(name, arity):
    """The number of an operation by its name."""
    out = c_int()
    if not library.lun_op_find(name.encode(), arity, byref(out)):
        raise AttributeError(f"no operation {name} of {arity} operands")
    return out.value


def apply(op, operands):
    return give("lun_apply", op, handles(operands), len(operands))


functions = {}
# What a script gives, behind a number whose bit k says that result k was a complex number: it is an array of one then.
RESULTS = b"""
function results(...)
  local all, numbers = table.pack(...), 0
  for k = 1, all.n do
    if lun.iscomplex(all[k]) and not lun.isarray(all[k]) then
      all[k], numbers = lun.full(1, all[k]), numbers | 1 << k
    end
  end
  return numbers, table.unpack(all, 1, all.n)
end
"""
check(library.lun_scope_run(scope, RESULTS, len(RESULTS), b"=results"))


def function(expression):
    """The reference to a function of a script, of a, b, c, d, ..., that gives an expression; they are kept."""
    if expression in functions:
        return functions[expression]
    if len(functions) > 5000:
        for ref in functions.values():
            library.lun_ref_free(ref)
        functions.clear()
    text = f"function standard(...) local a, b, c, d = ... return results({expression}) end".encode()
    check(library.lun_scope_run(scope, text, len(text), f"={expression[:60]}".encode()))
    ref = c_void_p()
    check(library.lun_scope_ref(scope, b"standard", byref(ref)))
    functions[expression] = ref
    return ref


def evaluate(expression, operands, room=16):
    """Calls such a function with arrays: its results, handles of arrays and Python's numbers."""
    arguments = (Variant * max(1, len(operands)))()
    for at, operand in enumerate(operands):
        arguments[at].type = ARRAY
        arguments[at].as_.array = operand.value
    results, given = (Variant * room)(), c_int()
    check(library.lun_ref_call(function(expression), arguments, len(operands), results, room, byref(given)))
    numbers, *found = [read_result(result) for result in results[:given.value]]
    return [alone(x) if numbers >> k & 1 else x for k, x in enumerate(found, 1)]


def alone(x):
    """The one element of an array as an array of rank 0."""
    return give("lun_reshape", x, 0, longs(()))


def read_result(result):
    if result.type == ARRAY:
        return Handle(result.as_.array)
    if result.type == TEXT:
        return result.as_.text.decode()
    return {NIL: None, BOOLEAN: result.as_.boolean, INTEGER: result.as_.integer, NUMBER: result.as_.number}[result.type]


def literal(x):
    """A Python number, text, None or sequence of them as Lua writes it."""
    if x is None:
        return "nil"
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x) if x > -2**63 else "math.mininteger"
    if isinstance(x, float):
        if x != x:
            return "lun.nan"
        return x.hex() if abs(x) != float("inf") else "lun.inf" if x > 0 else "(-lun.inf)"
    if isinstance(x, str):
        return f'"{x}"'
    return "{" + ", ".join(literal(y) for y in x) + "}"


def options(**given):
    """A table of options, of those that are not None."""
    return "{" + ", ".join(f"{name} = {literal(x)}" for name, x in given.items() if x is not None) + "}"
