/* pad_kernel.h - the text whose kernel fills an array with another one and what stands beyond its
 * ends. */
#ifndef LUN_PAD_KERNEL_H
#define LUN_PAD_KERNEL_H

#include "render/renderer.h"

/* Appends it, for elements of so many bytes: 1, 2, 4 or 8. */
void lun__cl_pad_text(lun_renderer *r, lun_cl_form form, int bytes, lun_strbuf *out);

#endif
