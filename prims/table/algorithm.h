/* algorithm.h - algorithms.def expanded.
 *
 * Pure data; knows no graph, no backend. */
#ifndef LUN_ALGORITHM_H
#define LUN_ALGORITHM_H

#include <stdbool.h>
#include <stdint.h>

#include "lunarray.h"

typedef enum lun_algorithm {
#define LUN_ALGORITHM(ID, NAME, OPERANDS, RESULTS, ALSO, LENGTH, TAKEN, DOC) LUN_ALGORITHM_##ID,
#include "table/algorithms.def"
#undef LUN_ALGORITHM
    LUN_ALGORITHM_COUNT
} lun_algorithm;

/* Of one algorithm, at most. */
enum { LUN_ALGORITHM_OPERANDS = 4, LUN_ALGORITHM_RESULTS = 3, LUN_ALGORITHM_OPTIONS = 2 };

/* Of option[0] of MERGED: equal elements are one; of QR and SVD: complex matrices. */
enum { LUN_MERGED_ONE = 2, LUN_PARTS = 4 };

/* Of DIGITS and NARROW: bits of a digit, quantiles at most, words of the state of so many, and how
 * many a state is of.  Its first words: tables of counts (0: there are results), the bits of a key
 * below and above the digit, how many elements are no NaN, whether some elements are counted, from
 * which no candidates are kept. */
enum { LUN_DIGIT_BITS = 11, LUN_DIGIT_QUANTILES = 8 };
static inline int64_t lun__algorithm_digit_state(int64_t quantiles)
{
    return 6 + 6 * quantiles;
}
static inline int64_t lun__algorithm_digit_quants(int64_t words)
{
    return (words - 6) / 6;
}

/* How many counts there are, with those of NaNs; 0: there are results. */
static inline int64_t lun__algorithm_digit_counts(const int64_t *state)
{
    return state[0] ? (state[0] << LUN_DIGIT_BITS) + 1 : 0;
}
/* Whether a state asks for a digit of keys of so many bits. */
static inline bool lun__algorithm_digit_fits(const int64_t *state, int64_t quantiles, int64_t bits)
{
    return state[0] > 0 && state[0] <= 2 * quantiles && state[1] >= 0 && state[1] < state[2] &&
           state[2] <= bits && (state[2] == bits || state[2] - state[1] <= LUN_DIGIT_BITS);
}
static inline bool lun__algorithm_digit_some(const int64_t *state)
{
    return state[4] != 0;
}

typedef struct lun_algorithm_row {
    const char *name, *doc;
    int operands, results;
    lun_dtype also;
    enum { LUN_LENGTH_KNOWN, LUN_LENGTH_FOUND, LUN_LENGTH_FEW } found; /* its length */
    enum { LUN_TAKEN_WHOLE, LUN_TAKEN_PIECES, LUN_TAKEN_ROWS } taken;  /* see algorithms.def */
} lun_algorithm_row;

extern const lun_algorithm_row lun__algorithm_rows[LUN_ALGORITHM_COUNT];

/* Results for which memory is taken first where the length of n, at most, is FEW. */
int64_t lun__algorithm_few(int64_t n);

#endif
