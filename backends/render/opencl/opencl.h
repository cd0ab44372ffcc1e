/* opencl.h - what the parts of the OpenCL dialect share beside render/renderer.h; private to cl*.c here.
 *
 *   opencl.c       the way through one kernel, the words of the dialect
 *   kernel.c   kernels of the VECTOR form, what the kernels of both forms have in common
 *   group.c   kernels of the SCALAR form: work-groups of 64 lanes
 *   group_scan.c    the same for scans
 *   math.c    math functions where the language's own are not near enough */
#ifndef LUN_CLRENDER_H
#define LUN_CLRENDER_H

#include "render/renderer.h"

/* ---- opencl.c --------------------------------------------------------------------------------------- */
/* Whether something in the kernel may trap; whether it takes the buffer `work`. */
bool lun_cltraps(const lun_ir *ir);
bool lun_clworks(const lun_ir *ir);

/* ---- kernel.c ----------------------------------------------------------------------------------- */
/* "__global const lun_f32" */
lun_cname lun_clslot_type(const lun_crender *r, int slot);
/* A kernel's head, with work-groups of so many items (0: any number), its frame f and, where the run has several chunks,
 * where they meet: chunks, partials, carries. */
void lun_clkernel(lun_crender *r, const char *name, int group, lun_strbuf *out);
/* Its end: reports a trap. */
void lun_clkernel_end(lun_crender *r, lun_strbuf *out);
/* Helpers: lun_publish, which reports a trap, and lun_initial, the first carry of a scan as a cell. */
void lun_clhelpers(lun_crender *r);
void lun_clentries(lun_crender *r, lun_strbuf *out);

/* ---- group.c ----------------------------------------------------------------------------------- */
/* A value of each index that lanes combine. */
typedef struct lun_clsink {
    int32_t v;   /* the REDUCE or SCAN */
    bool lanes;  /* from an identity in 64 lanes; else by the tree of adjacent pairs */
    lun_cname x; /* the variable that receives the value */
} lun_clsink;

enum { LUN_CL_SINKS = 64 };
typedef struct lun_clsinks {
    int count;
    lun_clsink sink[LUN_CL_SINKS];
} lun_clsinks;

lun_status lun_clscalar_unit(lun_crender *r, const char *first, lun_strbuf *out);
void lun_clgroups(lun_crender *r, lun_strbuf *out);

/* Declarations before the blocks; a block's values, then what becomes of them; the chunk's results, each as
 * a cell to target(v). */
void lun_clsinks_open(lun_crender *r, const lun_clsinks *l, lun_strbuf *out);
void lun_clsinks_fresh(lun_crender *r, const lun_clsinks *l, lun_strbuf *out);
void lun_clsinks_join(lun_crender *r, const lun_clsinks *l, lun_strbuf *out);
void lun_clsinks_end(lun_crender *r, const lun_clsinks *l, const char *target, lun_strbuf *out);
/* ", &x0, &x1": arguments of body for reductions. */
void lun_clsinks_arguments(const lun_clsinks *l, lun_strbuf *out);
/* The body's reductions. */
void lun_clsinks_body(lun_crender *r, lun_clsinks *l);
/* Declares a local array, and counts its bytes. */
void lun_cllocal(lun_crender *r, lun_dtype t, const char *name, int count, lun_strbuf *out);

/* ---- group_scan.c ------------------------------------------------------------------------------------ */
/* lun_total, lun_carry, lun_kernel */
void lun_clscan(lun_crender *r, lun_strbuf *out);

#endif
