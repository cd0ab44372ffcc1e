/* vector_kernels.h - kernels of the VECTOR form. */
#ifndef LUN_VECTOR_KERNELS_H
#define LUN_VECTOR_KERNELS_H

#include "render/renderer.h"

/* lun_dialect.exports: the kernels, behind the chunk functions that they call. */
void lun__cl_streamed_kernels(lun_renderer *r, lun_strbuf *out);

#endif
