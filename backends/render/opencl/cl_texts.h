/* cl_texts.h - the parts of an OpenCL text that opencl_dialect.c puts together, and what writes
 * them. Private to render/opencl/. */
#ifndef LUN_CL_TEXTS_H
#define LUN_CL_TEXTS_H

#include "render/renderer.h"

/* ---- scalar_kernel.c ------------------------------------------------------------------------- */
/* Kernels of the SCALAR form. */

/* As lun__unit_render, for the SCALAR form. */
lun_status lun__scalar_kernel_unit(lun_renderer *r, const char *first, lun_strbuf *out);
/* lun_dialect.exports: the kernels. */
void lun__scalar_kernel_all(lun_renderer *r, lun_strbuf *out);

/* ---- vector_kernels.c ------------------------------------------------------------------------ */
/* Kernels of the VECTOR form. */

/* lun_dialect.exports: the kernels, behind the chunk functions that they call. */
void lun__vector_kernels(lun_renderer *r, lun_strbuf *out);

/* ---- group_scan.c ---------------------------------------------------------------------------- */
/* Scans in the SCALAR form. */

/* lun_total, lun_carry, lun_kernel */
void lun__cl_group_scan(lun_renderer *r, lun_strbuf *out);

/* ---- cl_team.c ------------------------------------------------------------------------------- */
/* The kernel of teams whose threads are the work-items of a group. */

/* ", __local lun_f64 *m3": memory of the team, as parameters of body, or as the kernel gives it; of
 * other kernels nothing. */
void lun__cl_team_arguments(lun_renderer *r, bool declared, lun_strbuf *out);
void lun__cl_team_kernel(lun_renderer *r, lun_strbuf *out);

/* ---- cl_prelude.c ---------------------------------------------------------------------------- */
/* The names that users' texts rely on, in OpenCL C. */

/* lun_dialect.prelude. */
void lun__cl_prelude(lun_renderer *r, lun_strbuf *out);

/* ---- vector_builtins.c ----------------------------------------------------------------------- */
/* OpenCL C's own functions on whole vectors; see lun_dialect.vector_function. */

/* By the name that the language has for it, on operands of rep. */
void lun__vector_builtin_named(lun_renderer *r, const char *helper, const char *name, int arity,
                               lun_rep rep);

#endif
