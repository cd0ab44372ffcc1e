/* small.h - factors of many small matrices, and what is solved with them: eight matrices at a time,
 * an element of each in a lane, with the operations of one matrix in their order. */
#ifndef LUN_SMALL_H
#define LUN_SMALL_H

#include <stdint.h>

#include "isa/isa.h"

enum { LUN_SMALL_ROWS = 4, LUN_SMALL_LANES = 8 }; /* of a matrix, at most; matrices at a time */

/* lu: n + 2 rows for each of `count` matrices, at most 8, as LU has them.  solve: x, of m columns,
 * with such factors t and right sides b. */
#define LUN_SMALL(T, X)                                                                        \
    void lun__small_lu_##X(lun_isa isa, int64_t n, const T *from, T *to, int64_t count);       \
    void lun__small_solve_##X(lun_isa isa, int64_t n, int64_t m, const T *t, const T *b, T *x, \
                              int64_t count);
LUN_SMALL(double, f64)
LUN_SMALL(float, f32)
#undef LUN_SMALL

#endif
