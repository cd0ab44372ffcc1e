/* control.h - what the statements of control flow share: masks and jumps (control.c), loops that look
 * around every few rounds only (lazy.c).  Private to these two. */
#ifndef LUN_CCONTROL_H
#define LUN_CCONTROL_H

#include "render/renderer.h"

#define EACH_PART(s) for ((s)->part = 0; (s)->part < (s)->r->parts; (s)->part++)

lun_cname lun_cmask_type(lun_csection *s);
/* The mask of the lanes that are in construct p, of one part. */
lun_cname lun_cmask_of(lun_csection *s, int32_t p);
/* A line with "lun_any_b32(k7_0 | k7_1)" at %s: whether any lane of any part is in mask `kind` of v. */
void lun_ctest_line(lun_csection *s, const char *before, char kind, int32_t v, const char *after);
/* Labels e<i> at the end of construct i, b<i> behind it. */
void lun_cjump(lun_csection *s, char place, int32_t construct);
void lun_clabel(lun_csection *s, char place, int32_t construct);
/* True for a variable that is a single element inside a LOOP and differs behind it. */
bool lun_csplit(const lun_csection *s, int32_t var);
void lun_cpoll(lun_csection *s);

/* ---- lazy.c: all but the first two only for a LAZY loop ------------------------------------------- */
bool lun_clazy(const lun_csection *s, int32_t loop);
/* True for a loop whose mask is kept as bits. */
bool lun_clazy_bits(const lun_csection *s, int32_t loop);
void lun_clazy_open(lun_csection *s, int32_t loop);   /* before the braces, masks are declared */
void lun_clazy_rounds(lun_csection *s, int32_t loop); /* inside them */
void lun_clazy_close(lun_csection *s, int32_t loop);  /* before the closing brace */
void lun_clazy_behind(lun_csection *s, int32_t loop); /* after it */
void lun_clazy_leave(lun_csection *s, int32_t c, int32_t loop);
void lun_clazy_set(lun_csection *s, int32_t var);

#endif
