/* small.c - factors of many small matrices; see small.h. */
#include "algorithms/linear/small.h"

#include <stdint.h>

enum { LANES = LUN_SMALL_LANES, MOST = LUN_SMALL_ROWS };

#ifdef __clang__
#define WIDEST "avx512f,avx512vl,avx512dq,fma"
#else
#define WIDEST "avx512f,avx512vl,avx512dq,fma,prefer-vector-width=512"
#endif

#define T       double
#define INDEX   int64_t
#define FMA     __builtin_fma
#define NAME(x) x##_f64
#include "algorithms/linear/small_of.h"
#undef T
#undef INDEX
#undef FMA
#undef NAME
#define T       float
#define INDEX   int32_t
#define FMA     __builtin_fmaf
#define NAME(x) x##_f32
#include "algorithms/linear/small_of.h"
