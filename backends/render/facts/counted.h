/* counted.h - loops that count: for i = first, last, by ones. */
#ifndef LUN_RENDER_FACTS_COUNTED_H
#define LUN_RENDER_FACTS_COUNTED_H

#include "ir/structure.h"

/* A LOOP that gives a variable the values first, first + 1, ..., last; it is left behind the round
 * of `last`, and may be left before.  Nothing outside of the loop reads or sets the variable. */
typedef struct lun_counted {
    int32_t var;
    int32_t first, last; /* values of dtype i64 from before the loop */
    int32_t leave;       /* the IF that leaves it after the round of `last` */
    bool carries;        /* other variables are set where it is left or at its end */
} lun_counted;

/* True for a LOOP that counts. */
bool lun__counted_find(const lun_ir *ir, const lun_ir_structure *b, int32_t loop, lun_counted *out);
/* Rounds of a loop from value first to value last, where constants tell; else 0. */
int64_t lun__counted_rounds(const lun_ir *ir, int32_t first, int32_t last);
/* The same of a LOOP that carries nothing and has few rounds, those of the loops inside counted
 * with it, and no checks; else 0. */
int lun__counted_unrolled(const lun_ir *ir, const lun_ir_structure *b, int32_t loop);

#endif
