/* jit.h - texts of kernels made into machine code by the C compiler, while others run.
 *
 * The compiler is a child process, one at a time, that is looked after whenever somebody polls; there is
 * no thread.  What it makes is kept on disk (cache) and loaded (loader.h).  Knows no IR: a unit is text. */
#ifndef LUN_JIT_H
#define LUN_JIT_H

#include <sys/types.h>

#include "backend.h"
#include "host.h"
#include "vecmath.h"

typedef enum lun_unit_state {
    LUN_UNIT_NEW,
    LUN_UNIT_MISSED,  /* looked for on disk, not found */
    LUN_UNIT_QUEUED,  /* waits for the compiler */
    LUN_UNIT_RUNNING, /* the compiler works on it */
    LUN_UNIT_READY,
    LUN_UNIT_FAILED
} lun_unit_state;

/* A kernel's text on its way. */
typedef struct lun_unit {
    char *source; /* owned; NULL once it is ready */
    unsigned needs;
    int math;            /* lun_math that the text was rendered for */
    bool scans, reduces; /* which functions it has */
    bool wanted; /* somebody cannot do without it: its failure is an error, not a line in the log */
    lun_unit_state state;
    void *object; /* what holds its code, unloaded with it */
    lun_chunk_fn kernel, total;
    void (*combine)(const void *self, int result, const uint64_t *a, const uint64_t *b,
                    uint64_t *out, lun_frame *frame);
    lun_strbuf message;    /* FAILED: why, with the compiler's words */
    struct lun_unit *next; /* in the queue */
} lun_unit;

typedef struct lun_jit_job {
    lun_unit *unit; /* NULL: released meanwhile; the result still goes to disk */
    lun_strbuf key;
    pid_t pid, owner; /* the compiler, the process that started it */
    int pipe;         /* its words, -1: closed */
    lun_strbuf words;
    char *source, *output; /* files */
    int64_t started;       /* ns */
} lun_jit_job;

typedef struct lun_jit_compiler {
    const lun_services *services;
    lun_isa isa;
    int64_t timeout_ms; /* for one compiler run; tests shorten it */

    char *path;        /* of the compiler; NULL: not looked for, or there is none */
    bool looked, told; /* for the compiler; a failure has been logged */
    long long size, seconds, nanoseconds; /* of its file */
    int failures;                         /* in a row */

    bool busy;
    lun_jit_job job;
    lun_unit *first, **last;
    int64_t polled; /* ns */
    unsigned serial;
} lun_jit_compiler;

void lun_jit_init(lun_jit_compiler *c, const lun_services *services, lun_isa isa);
/* Waits shortly for a compiler that runs, so that its result is not lost, then ends it; at once after a cancellation. */
void lun_jit_finish(lun_jit_compiler *c);

/* Takes the unit from disk if it is there.  True if it is READY. */
bool lun_jit_look(lun_jit_compiler *c, lun_unit *u);
/* Queues a unit that is NEW or MISSED. */
void lun_jit_queue(lun_jit_compiler *c, lun_unit *u);
/* Moves things on, without waiting. */
void lun_jit_poll(lun_jit_compiler *c);
/* Waits until the unit is READY (LUN_OK) or FAILED (LUN_EBUILD).  LUN_ECANCEL when stopped. */
lun_status lun_jit_wait(lun_jit_compiler *c, lun_unit *u);
/* Takes a unit out of everything before it goes away. */
void lun_jit_forget(lun_jit_compiler *c, lun_unit *u);
void lun_unit_free(lun_unit *u);

#endif
