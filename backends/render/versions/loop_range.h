/* loop_range.h - where the integers of a loop lie, for all of its rounds, and whether checks of
 * them hold, as values that are computed before the loop. */
#ifndef LUN_RENDER_VERSIONS_LOOP_RANGE_H
#define LUN_RENDER_VERSIONS_LOOP_RANGE_H

#include "render/versions/version_writer.h"

enum { LUN_SPAN_LEAVES = 64 };

/* What is to hold before instruction `at` of the kernel, of which what follows knows the loops. */
typedef struct lun_range_test {
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
} lun_range_test;

enum { LUN_SPAN_LARGE = 31 }; /* what is not large lies within -2^31 .. 2^31 */

/* Takes up that condition c of the kernel holds wherever it is computed behind `at`; false: what is
 * known does not tell, and nothing is taken up. */
bool lun__loop_range_holds(lun_range_test *t, int32_t c);
/* The same of a <= b, for all of their values. */
bool lun__loop_range_below(lun_range_test *t, int32_t a, int32_t b);
/* Takes up a value of what is written. */
void lun__loop_range_take(lun_range_test *t, int32_t condition);
/* True for a value of the kernel that is there before `at`, the same for all indices. */
bool lun__loop_range_known(const lun_range_test *t, int32_t v);

/* ---- full_rounds.c --------------------------------------------------------------------------- */
/* Loops that end with the smaller one of two values, with one of which they have
 * few rounds, such as those of a thread over its elements: a version has that many. */

/* The value with which such a LOOP has few rounds, where the last one is known early, behind
 * instruction `cut`; else -1. */
int32_t lun__full_rounds_last(const lun_writer *w, int32_t cut, int32_t loop);
/* Takes up that these loops have all of their rounds; returns how many there are, 0: that is not to
 * be known. */
int lun__full_rounds_find(lun_range_test *t, int32_t cut);
/* From now on, or no more, what ends such loops is what it is then. */
void lun__full_rounds_set(lun_writer *w, int32_t cut, bool on);

/* ---- block_tests.c --------------------------------------------------------------------------- */
/* The tests of versions for many indices at once. */

/* Writes w->out->whole, if it can be known, where the checks that do not hold by themselves in the
 * version that comes are LUN_WRITTEN_NOT, and its loops have all of their rounds.  w->to.failed:
 * without memory. */
void lun__block_test_write(lun_writer *w, int32_t cut);
/* Notes that IF i of what is written, -1: none, is decided by it. */
void lun__block_test_decides(lun_writer *w, int32_t i);
/* The same of what asks whether those loops have a round. */
void lun__block_test_guards(lun_writer *w, int32_t cut);

#endif
