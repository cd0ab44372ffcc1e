/* merge.h - copies that differ, merged.  Private to prims/api. */
#ifndef LUN_API_MERGE_H
#define LUN_API_MERGE_H

#include "api/array/api.h"
#include "ir/ir.h"
#include "placing/moves.h"
#include "store/fetch.h"

/* How a kernel of teams writes slot `slot` of that dtype. */
lun_writing lun__writing_of(const lun_ir *body, int slot, lun_dtype t);
/* How elements of that dtype are written by 1 + a lun_atomic alone, 0: as plain ones, or else. */
lun_writing lun__writing_by(int atom, lun_dtype t);
/* How plain elements are written. */
lun_writing lun__writing_plain(void);
/* What the versions of s come to, as an expression, whose kernel the places share as the result
 * shall be distributed; *out NULL: the first version as it is.  To be evaluated where the places of
 * the versions are in use. */
lun_status lun__merge_expression(lun_engine *e, lun_storage *s, lun_node **out);

/* The merges that an evaluation of the roots begins with, as they are told beforehand. */
typedef struct lun_merges {
    lun_told_merge *at;
    lun_steps *steps;
    lun_node **nodes;
    int count;
} lun_merges;
/* To be freed in every case. */
lun_status lun__merges_make(lun_engine *e, lun_node *const *roots, int count, lun_merges *out);
void lun__merges_free(lun_engine *e, lun_merges *m);

#endif
