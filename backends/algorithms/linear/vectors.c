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

#define OF "algorithms/linear/vectors_of.h"
#include "algorithms/parts/both_floats.h"
