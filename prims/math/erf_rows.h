/* erf_rows.h - the table of erf in f64, bits of numbers: for c = j/64, j = 0 to 384, erf(c) in two
 * parts, 2/sqrt(pi) e^(-c^2), nothing.  Loops of every level read this one; generated programs have
 * it as text (sequence.c). */
#ifndef LUN_ERF_ROWS_H
#define LUN_ERF_ROWS_H

#include <stdint.h>

enum { LUN_ERF_ROWS = 385 };

extern const uint64_t lun_seq_erf_rows[LUN_ERF_ROWS * 4]
    __attribute__((aligned(32), visibility("hidden")));

#endif
