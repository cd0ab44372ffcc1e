/* skeleton.h - skeletons.def expanded: the skeletons and the whole reductions.
 *
 * Pure data; knows no graph, no IR, no backend. */
#ifndef LUN_SKELETON_H
#define LUN_SKELETON_H

#include <stdint.h>

#include "lunarray_bind.h"

extern const lun_skeleton_info lun__skeleton_rows[LUN_SKELETON_COUNT];

/* What a kernel is to a user: a scan if it has one, else a reduce if it reduces, else a map. */
static inline const char *lun__skeleton_kernel_name(bool scans, bool reduces)
{
    lun_skeleton s = scans ? LUN_SKELETON_SCAN : reduces ? LUN_SKELETON_REDUCE : LUN_SKELETON_MAP;
    return lun__skeleton_rows[s].name;
}

/* What a whole reduction combines; skeletons.def says it. */
typedef enum lun__reduced {
    LUN__OF_SUMS,
    LUN__OF_ELEMENTS,
    LUN__OF_TRUTH,
    LUN__OF_COUNTS,
    LUN__OF_NUMBER,
    LUN__OF_INDEX
} lun__reduced;

typedef struct lun__reduction_row {
    lun_reduction_info info;
    uint8_t empty_is_error;
    uint8_t op, of; /* lun_op, LUN_OP_COUNT: none; lun__reduced */
} lun__reduction_row;

extern const lun__reduction_row lun__reduction_rows[LUN_REDUCTION_COUNT];

#endif
