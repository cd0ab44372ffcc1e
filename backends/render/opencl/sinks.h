/* sinks.h - values that the lanes of a work-group combine. */
#ifndef LUN_RENDER_OPENCL_SINKS_H
#define LUN_RENDER_OPENCL_SINKS_H

#include "render/renderer.h"

/* A value of each index that the lanes combine. */
typedef struct lun_clsink {
    int32_t v;   /* the REDUCE or SCAN */
    bool lanes;  /* from an identity in 64 lanes; else by the tree of adjacent pairs */
    lun_cname x; /* the variable that receives the value */
} lun_clsink;

typedef struct lun_clsinks {
    int count;
    lun_clsink sink[LUN_IR_SINKS];
} lun_clsinks;

/* A line: the work-items of a group meet. */
static const char lun__barrier[] = "@local_barrier;\n";

/* Declarations before the loop over blocks; inside it, a variable for each value of a block, then
 * its combination with those before; behind it, each result of the chunk as a cell of `target`. */
void lun__cl_sinks_open(lun_crender *r, const lun_clsinks *l, lun_strbuf *out);
void lun__cl_sinks_fresh(lun_crender *r, const lun_clsinks *l, lun_strbuf *out);
void lun__cl_sinks_join(lun_crender *r, const lun_clsinks *l, lun_strbuf *out);
void lun__cl_sinks_end(lun_crender *r, const lun_clsinks *l, const char *target, lun_strbuf *out);
/* ", &x0, &x1": arguments of body for reductions. */
void lun__cl_sinks_arguments(const lun_clsinks *l, lun_strbuf *out);
/* Appends a sink for each REDUCE. */
void lun__cl_sinks_body(lun_crender *r, lun_clsinks *l);
/* Declares a local array, and counts its bytes. */
void lun__cl_sinks_local(lun_crender *r, lun_dtype t, const char *name, int count, lun_strbuf *out);

#endif
