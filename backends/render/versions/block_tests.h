/* block_tests.h - the tests of versions for many indices at once. */
#ifndef LUN_BLOCK_TESTS_H
#define LUN_BLOCK_TESTS_H

#include "render/versions/version_writer.h"

/* Writes w->out->whole, if it can be known, where the checks that do not hold by themselves in the
 * version that comes are LUN_WRITTEN_NOT, and its loops have all of their rounds.  w->to.failed:
 * without memory. */
void lun__whole_write(lun_writer *w, int32_t cut);
/* Notes that IF i of what is written, -1: none, is decided by it. */
void lun__whole_decides(lun_writer *w, int32_t i);
/* The same of what asks whether those loops have a round. */
void lun__whole_decides_guards(lun_writer *w, int32_t cut);

#endif
