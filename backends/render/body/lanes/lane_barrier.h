/* lane_barrier.h - threads of a team that are work-items of a group and meet at barriers: where one
 * that fails, or is told to stop, waits for the others, and how all of them end together. */
#ifndef LUN_LANE_BARRIER_H
#define LUN_LANE_BARRIER_H

#include "render/renderer.h"

/* Finds where threads meet, for r->ir.  LUN_ENOMEM. */
lun_status lun__meet_find(lun_renderer *r);
void lun__meet_forget(lun_renderer *r);

/* Declares, at the begin of the statements, what is a thread's own, and for all slots that
 * lun__value_near has the number o<slot> of the element that is their first one. */
void lun__meet_declare(lun_renderer *r, lun_strbuf *out);

/* Before any other line of instruction v: if threads have gone here, all of them find out. */
void lun__meet_before(lun_section *s, int32_t v);
/* The same at the end of LOOP p, where its rounds end. */
void lun__meet_round(lun_section *s, int32_t p);
/* Behind the last statement. */
void lun__meet_end(lun_section *s);
/* A BARRIER. */
void lun__meet_barrier(lun_section *s, int32_t v);
/* This thread does nothing more: goes from instruction v to where it meets the others next. */
void lun__meet_go(lun_section *s, int32_t v);
/* In the innermost open LOOP: ends it if the launch shall end. */
void lun__meet_poll(lun_section *s);

#endif
