/* passes.h - how a Fourier transform of a length is done, as data: the passes of which it consists,
 * and the table of roots of unity that these need.
 *
 * A line of n complex numbers goes through passes; of each the length is n divided by the factors
 * of those before it, by whose number lines of this length stand side by side (`beside`): line t
 * has its element i at i * beside + t.  A pass of length f * l takes f elements l apart, makes f
 * others of them, multiplies each by a root of unity, and puts them side by side: behind the last
 * pass the elements are in order. */
#ifndef LUN_PASSES_H
#define LUN_PASSES_H

#include <stdbool.h>
#include <stdint.h>

enum { LUN_PASSES_MOST = 64, LUN_PASSES_GREATEST = 13 }; /* passes; a factor */

/* twiddles: where they begin in the table: those of q = 1 for each j below l, then of q = 2 ...;
 * before them, of a factor above 5, its own roots, `factor` in number. */
typedef struct lun_pass {
    int64_t factor, l, beside, twiddles;
} lun_pass;

typedef struct lun_passes {
    int64_t n;
    int count;
    int64_t size; /* of the table */
    lun_pass pass[LUN_PASSES_MOST];
} lun_passes;

/* Those of length n; false: it has another prime factor than 2, 3, 5, 7, 11, 13. */
bool lun__passes_of(int64_t n, lun_passes *out);
/* The root of which number `at` of the table is w(k, n). */
int64_t lun__passes_root(const lun_passes *p, int64_t at);

/* A transform of n numbers.  Of even n, where they are real on one side, it is one of n/2 complex
 * numbers and of their sums and differences.  With another prime factor it is a convolution
 * (Bluestein: A linear filtering approach to the computation of discrete Fourier transform, 1970).
 * The table, in complex numbers: that of the passes; from `chirp` on as many as the transform has
 * elements, from `filter` on as many as the passes have, both only where `chirped`; from `halves`
 * on the roots w(k, n), k <= n/2, only where `half`. */
typedef struct lun_passes_plan {
    int64_t n, m;       /* of all; of the complex transform */
    bool half, chirped; /* it is of half as many; it is a convolution */
    lun_passes passes;
    int64_t chirp, filter, halves, size; /* size: at least 1 */
} lun_passes_plan;

/* real: they are so on one side.  0 < n <= LUN_PASSES_LONGEST. */
#define LUN_PASSES_LONGEST (INT64_C(1) << 40)
lun_passes_plan lun__passes_plan(int64_t n, bool real);

/* option[0] of the row fourier: a kind, and what is done beside. */
enum {
    LUN_FOURIER_COMPLEX = 0, /* of complex numbers */
    LUN_FOURIER_OF_REAL = 1, /* of real ones, as of complex ones */
    LUN_FOURIER_HALF = 2,    /* of real ones, the first n/2 + 1 numbers */
    LUN_FOURIER_TO_REAL = 3, /* of such a half, real ones */
    LUN_FOURIER_KIND = 3,
    LUN_FOURIER_INVERSE = 4,
    LUN_FOURIER_BY_LENGTH = 8, /* results are divided by n, */
    LUN_FOURIER_BY_ROOT = 16   /* by its root */
};

#endif
