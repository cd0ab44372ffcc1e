/* span.h - where the integers of a loop lie, for all of its rounds, and whether checks of them
 * hold, as values that are computed before the loop. */
#ifndef LUN_RENDER_VERSIONS_SPAN_H
#define LUN_RENDER_VERSIONS_SPAN_H

#include "render/versions/version_writer.h"

enum { LUN_SPAN_LEAVES = 64 };

/* What is to hold before instruction `at` of the kernel, of which what follows knows the loops. */
typedef struct lun_span_test {
    lun_writer *w;
    int32_t at;
    int32_t all;                   /* bool, of what is written: all of it holds; -1: nothing yet */
    int32_t leaf[LUN_SPAN_LEAVES]; /* values of the kernel: integers of which `all` has it that
                                      they are not large */
    int leaves;
    int budget; /* instructions that are looked at for one condition */
    /* of a test for many indices: by instruction, whether it may differ between them, and values of
     * what is written: the first and the last of these indices, which are not large.  NULL: of a
     * test for one */
    const uint8_t *differs;
    int32_t first, last;
} lun_span_test;

enum { LUN_SPAN_LARGE = 31 }; /* what is not large lies within -2^31 .. 2^31 */

/* Takes up that condition c of the kernel holds wherever it is computed behind `at`; false: what is
 * known does not tell, and nothing is taken up. */
bool lun__span_holds(lun_span_test *t, int32_t c);
/* The same of a <= b, for all of their values. */
bool lun__span_below(lun_span_test *t, int32_t a, int32_t b);
/* Takes up a value of what is written. */
void lun__span_take(lun_span_test *t, int32_t condition);
/* True for a value of the kernel that is there before `at`, the same for all indices. */
bool lun__span_known(const lun_span_test *t, int32_t v);

#endif
