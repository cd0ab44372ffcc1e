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

#endif
