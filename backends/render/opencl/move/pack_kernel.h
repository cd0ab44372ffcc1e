/* pack_kernel.h - the text whose kernels lay elements side by side. */
#ifndef LUN_PACK_KERNEL_H
#define LUN_PACK_KERNEL_H

#include "render/renderer.h"

/* Appends it, for elements of so many bytes: 1, 2, 4 or 8. */
void lun__cl_pack_text(lun_renderer *r, lun_cl_form form, int bytes, lun_strbuf *out);

#endif
