/* butterflies.h - one pass of a Fourier transform (table/passes.h), or a part of it. */
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

#endif
