/* lane_barrier.h - barriers of teams whose threads are work-items of a group: where a thread that
 * fails, or is stopped, waits for the others, and how all of them end together. */
#ifndef LUN_LANE_BARRIER_H
#define LUN_LANE_BARRIER_H

#include "render/renderer.h"

/* Finds the barriers and votes of r->ir.  LUN_ENOMEM. */
lun_status lun__lane_barrier_find(lun_renderer *r);
void lun__lane_barrier_forget(lun_renderer *r);

/* How many elements memory of a team has, from the arguments of a frame: "f->". */
lun_snippet lun__lane_barrier_count(const lun_ir_slot *slot, const char *frame);
/* Declares, at the begin of the statements, private memory, and for all slots that
 * lun__value_is_local has the number o<slot> of the element that is their first one. */
void lun__lane_barrier_declare(lun_renderer *r, lun_strbuf *out);

/* Before any other line of instruction v: if threads have gone here, all of them find out. */
void lun__lane_barrier_before(lun_section *s, int32_t v);
/* The same at the end of LOOP p, where its rounds end. */
void lun__lane_barrier_round(lun_section *s, int32_t p);
/* Behind the last statement. */
void lun__lane_barrier_end(lun_section *s);
/* A BARRIER. */
void lun__lane_barrier_write(lun_section *s, int32_t v);
/* This thread does nothing more: goes from instruction v to the next vote. */
void lun__lane_barrier_leave(lun_section *s, int32_t v);
/* In the innermost open LOOP: ends it if the launch shall end. */
void lun__lane_barrier_poll(lun_section *s);

#endif
