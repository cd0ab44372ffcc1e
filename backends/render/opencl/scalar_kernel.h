/* scalar_kernel.h - kernels of the SCALAR form. */
#ifndef LUN_SCALAR_KERNEL_H
#define LUN_SCALAR_KERNEL_H

#include "render/renderer.h"

/* As lun__unit_render, for the SCALAR form. */
lun_status lun__cl_group_unit(lun_renderer *r, const char *first, lun_strbuf *out);
/* lun_dialect.exports: the kernels. */
void lun__cl_group_kernels(lun_renderer *r, lun_strbuf *out);
#endif
