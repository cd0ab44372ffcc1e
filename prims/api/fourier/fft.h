/* fft.h - Fourier transforms as nodes.  Private to prims/. */
#ifndef LUN_FFT_H
#define LUN_FFT_H

#include "api/array/api.h"
#include "table/passes.h"

/* The transform of the elements of `in` along `axis`, of n of them, 0 < n <= LUN_PASSES_LONGEST;
 * flags: of table/passes.h.  in: of F32 or F64; complex numbers have a last axis of two elements,
 * which `axis` does not count, as the result then has. */
lun_status lun__fft_node(lun_engine *e, lun_node *in, int flags, int axis, int64_t n,
                         lun_node **out);
/* Gives back the tables that are kept. */
void lun__fft_forget(lun_engine *e);

#endif
