/* small.c - factors of many small matrices; see small.h. */
#include "algorithms/linear/small.h"

#include <stdint.h>

enum { LANES = LUN_SMALL_LANES, MOST = LUN_SMALL_ROWS };

#ifdef __clang__
#define WIDEST "avx512f,avx512vl,avx512dq,fma"
#else
#define WIDEST "avx512f,avx512vl,avx512dq,fma,prefer-vector-width=512"
#endif

#define OF "algorithms/linear/small_of.h"
#include "algorithms/parts/both_floats.h"
