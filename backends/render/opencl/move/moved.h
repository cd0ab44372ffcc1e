/* moved.h - what the kernels that move elements share: how their texts and the kernels open, and
 * how many work-items a move takes. */
#ifndef LUN_RENDER_OPENCL_MOVED_H
#define LUN_RENDER_OPENCL_MOVED_H

#include "render/renderer.h"

enum {
    LUN_CL_MOVED_GROUP = 256, /* work-items of a group in the SCALAR form */
    LUN_CL_MOVED_GROUPS = 32  /* for each unit, in the SCALAR form: the rest is done in turns */
};

static inline int64_t lun__cl_moved_divide_up(int64_t n, int64_t by)
{
    return n / by + (n % by != 0);
}

/* Appends the begin of a text about elements of so many bytes. */
void lun__cl_moved_text(lun_renderer *r, const char *title, int bytes, lun_strbuf *out);
/* Appends a kernel's head, of parameters c (cells), from (elements) and to (of type `element`), up
 * to its body. */
void lun__cl_moved_kernel(lun_renderer *r, lun_cl_form form, const char *name, const char *element,
                          lun_strbuf *out);
/* Makes *plan the step of that kernel for count > 0 elements on a device of so many compute units;
 * returns how many a work-item takes, one after the other, in the VECTOR form, else 0. */
int64_t lun__cl_moved_plan(lun_cl_form form, const char *name, int64_t count, int units,
                           lun_cl_plan *plan);

/* ---- pack_kernel.c --------------------------------------------------------------------------- */
/* The text whose kernels lay elements side by side. */

/* Appends it, for elements of so many bytes: 1, 2, 4 or 8. */
void lun__pack_kernel_text(lun_renderer *r, lun_cl_form form, int bytes, lun_strbuf *out);

/* ---- pad_kernel.c ---------------------------------------------------------------------------- */
/* The text whose kernel fills an array with another one and the elements beyond its
 * ends. */

/* Appends it, for elements of so many bytes: 1, 2, 4 or 8. */
void lun__pad_kernel_text(lun_renderer *r, lun_cl_form form, int bytes, lun_strbuf *out);

/* ---- product_kernel.c ------------------------------------------------------------------------ */
/* The text whose kernel multiplies matrices. */

/* Appends it, for elements of PLAIN dtypes a and b, of c as lun_product has them. */
void lun__product_kernel_text(lun_renderer *r, lun_dtype a, lun_dtype b, lun_dtype c,
                              lun_strbuf *out);

/* ---- transfer_kernel.c ----------------------------------------------------------------------- */
/* The text whose kernels give elements to the offsets of a layout. */

/* Appends it, for elements of so many bytes: 1, 2, 4 or 8. */
void lun__transfer_kernel_text(lun_renderer *r, lun_cl_form form, int bytes, lun_strbuf *out);

#endif
