/* cstyle.h - kernel IR rendered as C-family source text.
 *
 * One entry per dialect.  Knows no compiler and no file: what comes out is text, and what the text needs
 * to be linked with. */
#ifndef LUN_CSTYLE_H
#define LUN_CSTYLE_H

#include "ir.h"
#include "strbuf.h"
#include "vecmath.h"

/* Changes whenever struct lun_frame or the meaning of the exported functions does. */
enum { LUN_CSTYLE_ABI = 1 };

enum {
    LUN_CSTYLE_LIBM = 1, /* link with -lm */
    LUN_CSTYLE_LOOPS = 2 /* it has loops that gain by all optimisation, -O3 */
};

typedef struct lun_cstyle_target {
    lun_isa isa;
    const void *const *math; /* as lun_vecmath gives; only which entries are NULL matters here */
} lun_cstyle_target;

/* C with GNU vectors for host.h's way of running: exports lun_kernel and, for kernels with a SCAN,
 * lun_total (both lun_chunk_fn) and, for kernels with REDUCE or SCAN, lun_combine.  Equal IR and target
 * give equal text.  LUN_ENOMEM, or LUN_EARG with the reason appended to out. */
lun_status lun_cstyle_openmp(const lun_ir *ir, const lun_cstyle_target *target, lun_strbuf *out,
                             unsigned *needs);

#endif
