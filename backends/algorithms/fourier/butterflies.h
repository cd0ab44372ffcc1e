/* butterflies.h - one pass of a Fourier transform (table/passes.h), or a part of it, and the steps
 * before and behind the passes. */
#ifndef LUN_BUTTERFLIES_H
#define LUN_BUTTERFLIES_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "table/passes.h"

/* Of a pass what it makes of elements j from j0 to below j1 of lines t0 to t1, of `lines` times as
 * many as the pass has.  inverse: with conjugate roots. */
typedef struct lun_butterflies {
    int64_t lines, j0, j1, t0, t1;
    bool inverse;
} lun_butterflies;
void lun__butterflies_f64(lun_isa isa, const lun_pass *p, const double *table,
                          const lun_butterflies *part, const double *in, double *out);
void lun__butterflies_f32(lun_isa isa, const lun_pass *p, const float *table,
                          const lun_butterflies *part, const float *in, float *out);

/* Of numbers side by side, `lines` of each element k, those with k from k0 to below k1 and t0 to
 * t1.  Where the numbers are an array's, element k + 1 stands `stride` numbers behind element k. */
typedef struct lun_row_steps {
    int64_t lines, stride, m, k0, k1, t0, t1;
    bool inverse, conj_before, conj_after;
    double by;
} lun_row_steps;

/* Each element k times w[k], or its conjugate if inverse; before and behind it the conjugate, of an
 * inverse transform, whose parts are exchanged, that of the exchanged one.  stride is 1. */
void lun__products_f64(lun_isa isa, const lun_row_steps *s, const double *w, const double *in,
                       double *out);
void lun__products_f32(lun_isa isa, const lun_row_steps *s, const float *w, const float *in,
                       float *out);
/* The spectrum of 2 m real numbers, k from 0 to m, of the m complex ones that `in` has; divided by
 * `by` if it is not 0. */
void lun__unfold_f64(lun_isa isa, const lun_row_steps *s, const double *w, const double *in,
                     double *out);
void lun__unfold_f32(lun_isa isa, const lun_row_steps *s, const float *w, const float *in,
                     float *out);
/* The other way, for k from 1 to m - 1. */
void lun__fold_f64(lun_isa isa, const lun_row_steps *s, const double *w, const double *in,
                   double *out);
void lun__fold_f32(lun_isa isa, const lun_row_steps *s, const float *w, const float *in,
                   float *out);

#endif
