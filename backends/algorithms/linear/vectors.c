/* vectors.c - loops over rows of numbers; see vectors.h. */
#include "algorithms/linear/vectors.h"

#include <math.h>
#include <string.h>

#include "ir/combine_order.h"

enum { LANES = LUN_LANES, CHUNK = LUN_CHUNK };

#ifdef __clang__
#define WIDEST "avx512f,fma"
#else
#define WIDEST "avx512f,fma,prefer-vector-width=512"
#endif

#define T       double
#define FMA     __builtin_fma
#define ROOT    sqrt
#define SMALL   200
#define NAME(x) x##_f64
#include "algorithms/linear/vectors_of.h"
#undef T
#undef FMA
#undef ROOT
#undef SMALL
#undef NAME
#define T       float
#define FMA     __builtin_fmaf
#define ROOT    sqrtf
#define SMALL   30
#define NAME(x) x##_f32
#include "algorithms/linear/vectors_of.h"
