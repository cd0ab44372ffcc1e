"""The Python Array API standard, 2024.12, over the engine's C interface: names, axes and indices are translated, and nothing is
computed here, so that the standard's conformance suite tests the engine (docs/mathematics.md, "The Array API standard")."""
from math import e, inf, nan, pi

from .array import Array
from .creation import (arange, asarray, empty, empty_like, eye, from_dlpack, full, full_like, linspace, meshgrid, ones, ones_like,
                       tril, triu, zeros, zeros_like)
from .dtypes import (bool, can_cast, complex64, complex128, finfo, float32, float64, iinfo, int8, int16, int32, int64, isdtype,
                     result_type, uint8, uint16, uint32, uint64)
from .elementwise import (abs, acos, acosh, add, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_invert, bitwise_left_shift,
                          bitwise_or, bitwise_right_shift, bitwise_xor, ceil, clip, conj, copysign, cos, cosh, divide, equal, exp,
                          expm1, floor, floor_divide, greater, greater_equal, hypot, imag, isfinite, isinf, isnan, less,
                          less_equal, log, log1p, log2, log10, logaddexp, logical_and, logical_not, logical_or, logical_xor,
                          maximum, minimum, multiply, negative, nextafter, not_equal, positive, pow, real, reciprocal, remainder,
                          round, sign, signbit, sin, sinh, sqrt, square, subtract, tan, tanh, trunc)
from .indexing import take, take_along_axis
from .info import __array_namespace_info__
from .linalg import matmul, matrix_transpose, tensordot, vecdot
from .manipulation import (broadcast_arrays, broadcast_to, concat, expand_dims, flip, moveaxis, permute_dims, repeat, reshape,
                           roll, squeeze, stack, tile, unstack)
from .searching import (argmax, argmin, argsort, count_nonzero, nonzero, searchsorted, sort, unique_all, unique_counts,
                        unique_inverse, unique_values, where)
from .statistical import all, any, cumulative_prod, cumulative_sum, diff, max, mean, min, prod, std, sum, var
from .casts import astype
from . import fft, linalg

__array_api_version__ = "2024.12"
newaxis = None
