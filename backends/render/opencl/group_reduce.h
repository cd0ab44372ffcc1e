/* group_reduce.h - values that the lanes of a work-group combine. */
#ifndef LUN_GROUP_REDUCE_H
#define LUN_GROUP_REDUCE_H

#include "render/renderer.h"

/* A value of each index that the lanes combine. */
typedef struct lun_cl_sink {
    int32_t v;     /* the REDUCE or SCAN */
    bool lanes;    /* from an identity in 64 lanes; else by the tree of adjacent pairs */
    lun_snippet x; /* the variable that receives the value */
} lun_cl_sink;

typedef struct lun_cl_sinks {
    int count;
    lun_cl_sink sink[LUN_IR_SINKS];
} lun_cl_sinks;

/* The segment of a barrier of the group. */
static const char lun__barrier[] = "@local_barrier;\n";

/* Declarations before the loop over blocks; inside it, a variable for each value of a block, then
 * its combination with those before; behind it, each result of the chunk as a cell of `target`. */
void lun__group_reduce_open(lun_renderer *r, const lun_cl_sinks *l, lun_strbuf *out);
void lun__group_reduce_fresh(lun_renderer *r, const lun_cl_sinks *l, lun_strbuf *out);
void lun__group_reduce_join(lun_renderer *r, const lun_cl_sinks *l, lun_strbuf *out);
void lun__group_reduce_end(lun_renderer *r, const lun_cl_sinks *l, const char *target,
                           lun_strbuf *out);
/* ", &x0, &x1": arguments of body for reductions. */
void lun__group_reduce_arguments(const lun_cl_sinks *l, lun_strbuf *out);
/* Appends a sink for each REDUCE. */
void lun__group_reduce_body(lun_renderer *r, lun_cl_sinks *l);
/* Declares a local array, and counts its bytes. */
void lun__group_reduce_local(lun_renderer *r, lun_dtype t, const char *name, int count,
                             lun_strbuf *out);

#endif
