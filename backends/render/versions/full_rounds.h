/* full_rounds.h - loops that end with the smaller one of two values, with one of which they have
 * few rounds, such as those of a thread over its elements: a version has that many. */
#ifndef LUN_FULL_ROUNDS_H
#define LUN_FULL_ROUNDS_H

#include "render/versions/span.h"

/* The value with which such a LOOP has few rounds, where the last one is known early, behind
 * instruction `cut`; else -1. */
int32_t lun__full_last(const lun_writer *w, int32_t cut, int32_t loop);
/* Takes up that these loops have all of their rounds; returns how many there are, 0: that is not to
 * be known. */
int lun__full_find(lun_span_test *t, int32_t cut);
/* From now on, or no more, what ends such loops is what it is then. */
void lun__full_set(lun_writer *w, int32_t cut, bool on);

#endif
