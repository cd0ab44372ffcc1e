/* vectors.h - loops over rows of numbers of which factors are made, in vectors of this machine.
 *
 * Each has one order of operations, whatever the width of vectors: a sum of products is 64 lanes,
 * folded in halves, of each 16,384 products, and the tree of adjacent pairs over these
 * (ir/combine_order.h). */
#ifndef LUN_VECTORS_H
#define LUN_VECTORS_H

#include <stdint.h>

#include "isa/isa.h"

/* dot: the sum of x[j] * y[j].  greatest: the greatest modulus, NaN left out.  times: x[j] * by.
 * turn: of p = by[0] x + by[1] y + by[2] z each of x, y, z loses p times by[3], by[4], by[5]; z may
 * be NULL, and counts for nothing.  less: x[j] - by * y[j].
 * rank_two: x[j] - (v * ws[j] + w * vs[j]).  subtract: x[j] - y[j].
 * reflection: x becomes v by which 1 - tau v v' makes of x a vector of `to` and zeros, the sign of
 * `to` not being x[0]'s; v is x but for its first element, times a power of 2 where squares would
 * lose digits.  tau is given, 0 where all but x[0] is 0.  With two lanes numbers are complex, two
 * elements each, and v is 0 where tau is.
 * unit: the modulus of a complex number, and the number divided by it, 1 of 0.
 * times_i: the complex numbers x, n elements, times i to y.
 * rotate: complex x and y, of real and imaginary parts, become c x + s y and c y - conj(s) x, by
 * c and s = by[0], by[1] + i by[2].  rotate_each: the same by each of k rotations in turn, three
 * numbers each, of 8 numbers and the next 8 of the parts.
 * entry: of n complex numbers that of the greatest modulus, the first of equals.
 * apart: the parts of x[k] conj(by) / |by|, n complex numbers, to re[k * step] and im[k * step].
 * chain: c[j] = fma(a[p * step], b[p * row + j], c[j]) for p = 0 .. k - 1 in turn. */
#define LUN_VECTORS(T, X)                                                                          \
    T lun__vectors_dot_##X(lun_isa isa, const T *x, const T *y, int64_t n);                        \
    T lun__vectors_greatest_##X(lun_isa isa, const T *x, int64_t n);                               \
    T lun__vectors_reflection_##X(lun_isa isa, T *x, int64_t n, int lanes, T *to);                 \
    T lun__vectors_unit_##X(T re, T im, T *unit);                                                  \
    void lun__vectors_times_i_##X(const T *x, int64_t n, T *y);                                    \
    int64_t lun__vectors_entry_##X(const T *x, int64_t n);                                         \
    void lun__vectors_rotate_##X(lun_isa isa, T *xr, T *xi, T *yr, T *yi, const T *by, int64_t n); \
    void lun__vectors_rotate_each_##X(lun_isa isa, T *re, T *im, const T *by, int64_t k);          \
    void lun__vectors_apart_##X(const T *x, int64_t n, const T *by, T *re, T *im, int64_t step);   \
    void lun__vectors_times_##X(lun_isa isa, T *x, T by, int64_t n);                               \
    void lun__vectors_turn_##X(lun_isa isa, T *x, T *y, T *z, const T *by, int64_t n);             \
    void lun__vectors_less_##X(lun_isa isa, T *x, T by, const T *y, int64_t n);                    \
    void lun__vectors_rank_two_##X(lun_isa isa, T *x, T v, T w, const T *vs, const T *ws,          \
                                   int64_t n);                                                     \
    void lun__vectors_subtract_##X(lun_isa isa, T *x, const T *y, int64_t n);                      \
    void lun__vectors_chain_##X(lun_isa isa, T *c, const T *a, int64_t step, const T *b,           \
                                int64_t row, int64_t k, int64_t n);
LUN_VECTORS(double, f64)
LUN_VECTORS(float, f32)
#undef LUN_VECTORS

#endif
