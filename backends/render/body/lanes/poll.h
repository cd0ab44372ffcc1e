/* poll.h - loops that ask whether they shall stop only after some rounds, which are a loop of their
 * own; those of few rounds do not ask.  Where the dialect has them ask in each round, and where
 * kernels do not ask, these write nothing. */
#ifndef LUN_RENDER_BODY_POLL_H
#define LUN_RENDER_BODY_POLL_H

#include "render/renderer.h"

/* Opens and closes the rounds of LOOP `loop`, inside it. */
void lun__poll_open(lun_section *s, int32_t loop);
void lun__poll_close(lun_section *s, int32_t loop);
/* Leaves the loop if no lane is in mask `kind` of m. */
void lun__poll_leave(lun_section *s, char kind, int32_t m, int32_t loop);

#endif
