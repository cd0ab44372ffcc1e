/* compile_queue.h - the units that wait for the compiler, a list from lun_jit_compiler.first on;
 * for jit.c and jit_run.c alone.
 *
 * Invariant: a unit is in the list once at most; its state is then LUN_UNIT_QUEUED, and *link
 * points to it.  link is NULL of others.  `last` points to the NULL at the end of the list. */
#ifndef LUN_COMPILE_QUEUE_H
#define LUN_COMPILE_QUEUE_H

#include "openmp/compiler/jit.h"

/* Puts a unit that is not in the queue at its end, or at its head. */
void lun__compile_queue_put_last(lun_jit_compiler *c, lun_unit *u);
void lun__compile_queue_put_first(lun_jit_compiler *c, lun_unit *u);
/* Takes a unit out of the queue, if it is there; its state stays. */
void lun__compile_queue_remove(lun_jit_compiler *c, lun_unit *u);

#endif
