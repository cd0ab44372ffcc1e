/* algorithm.c - the rows of algorithms.def. */
#include "table/algorithm.h"

#define KNOWN false
#define FOUND true

const lun_algorithm_row lun__algorithm_rows[LUN_ALGORITHM_COUNT] = {
#define LUN_ALGORITHM(ID, NAME, OPERANDS, RESULTS, ALSO, LENGTH, TAKEN, DOC) \
    [LUN_ALGORITHM_##ID] = {.name = #NAME,                                   \
                            .doc = DOC,                                      \
                            .operands = OPERANDS,                            \
                            .results = RESULTS,                              \
                            .also = LUN_##ALSO,                              \
                            .found = LENGTH,                                 \
                            .taken = LUN_TAKEN_##TAKEN},
#include "table/algorithms.def"
#undef LUN_ALGORITHM
};

#define LUN_ALGORITHM(ID, NAME, OPERANDS, RESULTS, ALSO, LENGTH, TAKEN, DOC)                   \
    _Static_assert((OPERANDS) <= LUN_ALGORITHM_OPERANDS && (RESULTS) <= LUN_ALGORITHM_RESULTS, \
                   "operands and results of " #NAME);
#include "table/algorithms.def"
#undef LUN_ALGORITHM
