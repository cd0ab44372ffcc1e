/* jit.h - texts of kernels made into machine code by the C compiler, while others run.
 *
 * The compiler is a child process, one at a time, advanced by polling; there is no thread.  Kernels
 * that wait meanwhile are compiled together in its next run.  What it makes is kept on disk (cache)
 * and loaded (loader.h).  A unit that another process compiles is left to it for a while.  A unit
 * is text.
 *
 * Invariant: a unit is in the queue (QUEUED), in parts[] of the running job (RUNNING), or in
 * neither. Between calls part_count > 0 exactly while job.busy; all parts have the same `needs`,
 * and each holds the claim to its cache entry, if there is one, until the run is over. A part whose
 * unit was released keeps its key. From LUN_JIT_GIVE_UP failures in a row on only required units
 * (`wanted`) are queued. */
#ifndef LUN_JIT_H
#define LUN_JIT_H

#include "backend.h"
#include "openmp/compiler/compiler.h"
#include "openmp/compiler/job.h"
#include "openmp/compiler/loader.h"
#include "openmp/compiler/unit_result.h"

/* What a run makes of a unit. */
typedef struct lun_jit_part {
    lun_unit *unit; /* NULL: released meanwhile; the result still goes to disk */
    lun_strbuf key;
} lun_jit_part;

enum { LUN_JIT_PARTS = 8 }; /* more gain little and make those that are done wait */

typedef struct lun_jit_compiler {
    const lun_services *services;
    lun_compiler compiler;
    lun_loader loader;
    int64_t timeout_ms; /* for one compiler run; tests shorten it */

    bool logged;  /* a failure was logged */
    int failures; /* in a row */

    lun_job job;
    lun_jit_part parts[LUN_JIT_PARTS]; /* of the job */
    int part_count;
    lun_unit *first, **last; /* the queue */
    int64_t polled;          /* ns */
    unsigned serial;
} lun_jit_compiler;

void lun__jit_init(lun_jit_compiler *c, const lun_services *services, lun_isa isa);
/* Waits shortly for a compiler that runs, so that its result is not lost, then ends it; at once
 * after a cancellation. */
void lun__jit_finish(lun_jit_compiler *c);

/* Takes the unit from disk if it is there.  True if it is READY. */
bool lun__jit_look(lun_jit_compiler *c, lun_unit *u);
/* Queues a unit that is NEW or MISSED. */
void lun__jit_queue(lun_jit_compiler *c, lun_unit *u);
/* Moves things on, without waiting. */
void lun__jit_poll(lun_jit_compiler *c);
/* Waits until the unit is READY (LUN_OK) or FAILED (LUN_EBUILD).  LUN_ECANCEL when stopped. */
lun_status lun__jit_wait(lun_jit_compiler *c, lun_unit *u);
/* Takes a unit out of everything before it goes away. */
void lun__jit_forget(lun_jit_compiler *c, lun_unit *u);

#endif
