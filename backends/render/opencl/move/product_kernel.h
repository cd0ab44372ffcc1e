/* product_kernel.h - the text whose kernel multiplies matrices. */
#ifndef LUN_PRODUCT_KERNEL_H
#define LUN_PRODUCT_KERNEL_H

#include "render/renderer.h"

/* Appends it, for elements of PLAIN dtypes a and b, of c as lun_product has them. */
void lun__cl_product_text(lun_renderer *r, lun_dtype a, lun_dtype b, lun_dtype c, lun_strbuf *out);

#endif
