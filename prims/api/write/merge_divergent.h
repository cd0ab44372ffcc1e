/* merge_divergent.h - divergent copies, merged.  Private to prims/api. */
#ifndef LUN_API_MERGE_DIVERGENT_H
#define LUN_API_MERGE_DIVERGENT_H

#include "api/array/api.h"
#include "ir/ir.h"
#include "placing/moves.h"
#include "store/fetch.h"

/* How a kernel of teams writes slot `slot` of that dtype. */
lun_writing lun__merge_writing_of(const lun_ir *body, int slot, lun_dtype t);
/* How elements of that dtype are written: by operation atom - 1 of lun_atomic only; 0: as plain
 * elements; anything else: not known. */
lun_writing lun__merge_writing_by(int atom, lun_dtype t);
/* How plain elements are written. */
lun_writing lun__merge_writing_plain(void);
/* The versions of s merged, as an expression whose result is distributed as s shall be; *out NULL:
 * the first version as it is. To be evaluated while the locations of the versions are in use. */
lun_status lun__merge_expression(lun_engine *e, lun_storage *s, lun_node **out);

/* The merges with which an evaluation of the roots begins, as a plan predicts them. */
typedef struct lun_merges {
    lun_told_merge *at;
    lun_steps *steps;
    lun_node **nodes;
    int count;
} lun_merges;
/* To be freed in every case. */
lun_status lun__merge_make(lun_engine *e, lun_node *const *roots, int count, lun_merges *out);
void lun__merge_free(lun_engine *e, lun_merges *m);

#endif
