/* mask.h - masks of lanes, labels and jumps. */
#ifndef LUN_RENDER_BODY_MASK_H
#define LUN_RENDER_BODY_MASK_H

#include "render/renderer.h"

#define EACH_PART(s) for ((s)->part = 0; (s)->part < (s)->r->parts; (s)->part++)

/* The type of masks in the lanes of the kernel. */
lun_snippet lun__mask_type(lun_section *s);
/* Construct p or the nearest around it that has a mask, -1: none. */
int32_t lun__mask_holder(const lun_section *s, int32_t p);
/* The mask of the active lanes of construct p, in the lanes of the kernel, of part s->part. */
lun_snippet lun__mask_of(lun_section *s, int32_t p);
/* The mask of the lanes that are active at this statement, in lanes of so many bytes. */
lun_snippet lun__mask_current(lun_section *s, int bytes);
/* A line with "lun_any_b32(k7_0 | k7_1)" between before and after: whether any lane of any part is
 * in mask `kind` of v. */
void lun__mask_test(lun_section *s, const char *before, char kind, int32_t v, const char *after);
/* Jumps and labels: e<i> at the end of construct i, b<i> behind it, t<i> before instruction i. */
void lun__mask_jump(lun_section *s, char place, int32_t construct);
void lun__mask_label(lun_section *s, char place, int32_t construct);
/* True if something jumps to the label. */
bool lun__mask_jumped(const lun_section *s, char place, int32_t construct);
/* True for a TEMPORAL variable: a single element inside its LOOP, a vector behind it. */
bool lun__mask_temporal(const lun_section *s, int32_t var);
/* Appends the test that ends a kernel whose run is cancelled; every loop has one. */
void lun__mask_poll(lun_section *s);
/* True for a STRIPPED loop; for one whose mask is in mask registers. */
bool lun__mask_stripped(const lun_section *s, int32_t loop);
bool lun__mask_in_bits(const lun_section *s, int32_t loop);
/* True for a LOOP with a mask l<i>: some lanes begin an iteration before others end the last. */
bool lun__mask_has_live(const lun_section *s, int32_t loop);

/* ---- lane_exit.c ----------------------------------------------------------------------------- */
/* BREAK and CONTINUE under masks: which lanes leave a construct, and what they
 * save. */

/* BREAK or CONTINUE v of all active lanes. */
void lun__lane_exit_all(lun_section *s, int32_t v);
/* A divergent IF v around a single BREAK or CONTINUE, which needs no branch; false: it is
 * something else.  From a STRIPPED loop this is the only exit, also where all lanes leave at
 * once. */
bool lun__lane_exit_if(lun_section *s, int32_t v);
/* Skips the rest of the construct if no lane is active any more. */
void lun__lane_exit_skip(lun_section *s);

/* ---- poll.c ---------------------------------------------------------------------------------- */
/* Loops that ask whether they shall stop only after some rounds, which are a loop of their
 * own; those of few rounds do not ask.  Where the dialect has them ask in each round, and where
 * kernels do not ask, these write nothing. */

/* Opens and closes the rounds of LOOP `loop`, inside it. */
void lun__poll_open(lun_section *s, int32_t loop);
void lun__poll_close(lun_section *s, int32_t loop);
/* Leaves the loop if no lane is in mask `kind` of m. */
void lun__poll_leave(lun_section *s, char kind, int32_t m, int32_t loop);

/* ---- strip.c --------------------------------------------------------------------------------- */
/* Strip-mined loops; each for a STRIPPED loop only. */

/* Around the statements of the loop: */
void lun__strip_declare(lun_section *s, int32_t loop); /* before the braces, masks are declared */
void lun__strip_open(lun_section *s, int32_t loop);    /* inside them */
void lun__strip_close(lun_section *s, int32_t loop);   /* before the closing brace */
void lun__strip_after(lun_section *s, int32_t loop);   /* after it */
/* An exit of the active lanes where value c holds. */
void lun__strip_leave(lun_section *s, int32_t c, int32_t loop);
/* Behind a SET of a TEMPORAL variable inside its loop: saves it for the active lanes. */
void lun__strip_set(lun_section *s, int32_t var);

#endif
