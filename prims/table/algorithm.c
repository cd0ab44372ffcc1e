/* algorithm.c - the rows of algorithms.def. */
#include "table/algorithm.h"

const lun_algorithm_row lun__algorithm_rows[LUN_ALGORITHM_COUNT] = {
#define LUN_ALGORITHM(ID, NAME, OPERANDS, RESULTS, ALSO, LENGTH, TAKEN, DOC) \
    [LUN_ALGORITHM_##ID] = {.name = #NAME,                                   \
                            .doc = DOC,                                      \
                            .operands = OPERANDS,                            \
                            .results = RESULTS,                              \
                            .also = LUN_##ALSO,                              \
                            .found = LUN_LENGTH_##LENGTH,                    \
                            .taken = LUN_TAKEN_##TAKEN},
#include "table/algorithms.def"
#undef LUN_ALGORITHM
};

#define LUN_ALGORITHM(ID, NAME, OPERANDS, RESULTS, ALSO, LENGTH, TAKEN, DOC)                   \
    _Static_assert((OPERANDS) <= LUN_ALGORITHM_OPERANDS && (RESULTS) <= LUN_ALGORITHM_RESULTS, \
                   "operands and results of " #NAME);
#include "table/algorithms.def"
#undef LUN_ALGORITHM

int64_t lun__algorithm_few(int64_t n)
{
    const int64_t all = 1 << 21, least = 1 << 16, part = 32;
    return n < all ? n : n / part > least ? n / part : least;
}
