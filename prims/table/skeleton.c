/* skeleton.c - the rows of skeletons.def. */
#include "table/skeleton.h"

#include "base/sized.h"

#define EXTRAS      .extras = true
#define FOLDS       .folds = true, .extras = true
#define COMBINES    .combines = true, .extras = true
#define VALUE       0
#define ERROR       1
#define LUN_OP_NONE LUN_OP_COUNT

const lun_skeleton_info lun__skeleton_rows[LUN_SKELETON_COUNT] = {
#define LUN_SKELETON(ID, NAME, ARRAYS, OPERANDS, ARGUMENTS, OPTION, DOC) \
    [LUN_SKELETON_##ID] = {.name = #NAME,                                \
                           .doc = DOC,                                   \
                           .option = OPTION,                             \
                           .arrays = ARRAYS,                             \
                           .operands = OPERANDS,                         \
                           ARGUMENTS},
#define LUN_REDUCTION(ID, NAME, EMPTY, OP, OF, OPTION, DOC)
#include "table/skeletons.def"
#undef LUN_SKELETON
#undef LUN_REDUCTION
};

const lun__reduction_row lun__reduction_rows[LUN_REDUCTION_COUNT] = {
#define LUN_SKELETON(ID, NAME, ARRAYS, OPERANDS, ARGUMENTS, OPTION, DOC)
#define LUN_REDUCTION(ID, NAME, EMPTY, OP, OF, OPTION, DOC)         \
    [LUN_##ID] = {.info = {.name = #NAME,                           \
                           .doc = DOC,                              \
                           .option = OPTION,                        \
                           .index = LUN__OF_##OF == LUN__OF_INDEX}, \
                  .empty_is_error = EMPTY,                          \
                  .op = LUN_OP_##OP,                                \
                  .of = LUN__OF_##OF},
#include "table/skeletons.def"
#undef LUN_SKELETON
#undef LUN_REDUCTION
};

bool lun_skeleton_describe(lun_skeleton s, lun_skeleton_info *out)
{
    if ((unsigned)s >= LUN_SKELETON_COUNT || !out)
        return false;
    return lun__sized_give(out, &lun__skeleton_rows[s], sizeof *out);
}

bool lun_reduction_describe(lun_reduction r, lun_reduction_info *out)
{
    if ((unsigned)r >= LUN_REDUCTION_COUNT || !out)
        return false;
    return lun__sized_give(out, &lun__reduction_rows[r].info, sizeof *out);
}
