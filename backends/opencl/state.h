/* state.h - what the files of this folder share: the state of one device, its kernels and buffers.
 *
 *   opencl.c   the contract of backend.h
 *   state.c    context and queue, failures
 *   flight.c   what has been given to the device and has not ended: waiting, cancelling
 *   memory.c   buffers and their pool
 *   program.c  text to a program: the driver's compiler, the cache on disk
 *   launch.c   a kernel's arguments, its slices, its results
 *   tune.c     work-group sizes by trial
 */
#ifndef LUN_OPENCL_STATE_H
#define LUN_OPENCL_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "backend.h"
#include "opencl/api.h"
#include "opencl/device.h"
#include "render/render.h"

enum { LUN_CL_FLIGHTS = 32, LUN_CL_CLASSES = 160, LUN_CL_TRIALS = 6 };

/* A launch, or a slice of one, that the device may still be busy with. */
typedef struct lun_cl_flight {
    cl_event first, last;    /* of its steps; first NULL: there is only one */
    lun_kernel *kernel;      /* whose speed it shows; NULL if that is gone */
    int64_t count, expected; /* indices; nanoseconds, by what is known of the kernel */
    bool sure;               /* that is known well */
    int trial;               /* which of the kernel's trials it is, -1: none */
    uint64_t *cells;         /* what is being copied to the device */
    int cell_room;
} lun_cl_flight;

typedef struct lun_opencl {
    const lun_services *services;
    lun_cl cl;
    lun_cl_devices devices; /* of the machine */
    lun_cl_device device;   /* this state's */
    lun_cl_target target;   /* how kernels are rendered for it */
    bool pooled;            /* freed buffers are used again; else they are only kept */
    bool chosen;            /* target.form was chosen by the user: it is not changed */
    cl_context context;     /* NULL until something is made on the device */
    cl_command_queue queue;
    pid_t owner; /* no driver survives a fork: a child must not call it */
    bool dead;   /* the device was lost, or a kernel on it does not end */
    bool stuck;  /* dead, and its objects cannot be released without waiting for ever */
    char reason[256];

    lun_cl_flight flight[LUN_CL_FLIGHTS]; /* in order, from `oldest`; a ring */
    int oldest, flying;
    int64_t ahead;          /* nanoseconds of work in flight, as expected */
    int64_t abandoned;      /* when an evaluation was stopped with work in flight; 0: never */
    int64_t progress, goal; /* elements of the run under way, given to the device and in all */
    const char *doing;

    cl_mem cells, work; /* of the launches, one after the other */
    int64_t cell_room, work_room;

    lun_buffer *spare[LUN_CL_CLASSES]; /* freed buffers, by size class */
    int64_t spare_bytes, live_bytes;   /* of these, and of buffers in use */
} lun_opencl;

struct lun_buffer {
    cl_mem mem;
    int64_t bytes;  /* that its user may touch */
    int size_class; /* -1: too large for the pool */
    lun_buffer *next;
};

/* Which size of work-groups is fastest: each is tried a few times. */
typedef struct lun_cl_tuning {
    bool started, settled;
    int group;    /* what was found, or the only choice; 0: the plan's own */
    int64_t most; /* that the device takes for the kernel */
    int count, next;
    int size[LUN_CL_TRIALS], samples[LUN_CL_TRIALS];
    double best[LUN_CL_TRIALS]; /* nanoseconds of an index */
} lun_cl_tuning;

/* One function of a kernel's program, with the arguments that it holds now. */
typedef struct lun_cl_entry {
    const char *name; /* of a plan's step; NULL: not made yet */
    cl_kernel kernel;
} lun_cl_entry;

struct lun_kernel {
    lun_cl_shape shape;
    cl_program program;
    lun_cl_entry entry[LUN_CL_STEPS];
    uint8_t *kinds; /* by instruction: what can trap */
    int kind_count;
    bool loops;  /* indices may take very different times */
    bool ran;    /* the driver has compiled all of it */
    bool stored; /* its program is in the cache on disk, or will not be */
    int claim;   /* from building to storing, so that other processes leave it to us; or negative */
    double rate; /* nanoseconds of an index, 0: not known yet */
    lun_cl_tuning tuning;
    lun_strbuf key; /* in the cache on disk */
};

/* ---- state.c ------------------------------------------------------------------------------------- */
/* Writes a failure's text, "backend opencl: ...", and returns s. */
lun_status lun_opencl_fail(lun_opencl *o, lun_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The failure of a call that makes something. */
lun_status lun_opencl_failed(lun_opencl *o, const char *call, cl_int code);
/* The failure of a call that works on the queue: if it tells that the device is lost, the state is dead. */
lun_status lun_opencl_lost(lun_opencl *o, const char *call, cl_int code);
void lun_opencl_die(lun_opencl *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes sure that calls may be made: this process, a living device, its context and queue. */
lun_status lun_opencl_ready(lun_opencl *o);
/* True if objects may be released: not in a child of fork, nor where that would wait for ever. */
bool lun_opencl_may_release(const lun_opencl *o);
int64_t lun_opencl_now(void);

/* ---- flight.c ------------------------------------------------------------------------------------ */
/* Room for one more launch with so many cells, waiting for the oldest ones if too much is in flight.
 * LUN_ECANCEL, LUN_ENOMEM, or the device's failure. */
lun_status lun_opencl_board(lun_opencl *o, int cells, lun_cl_flight **out);
/* What was given by board has been given to the device. */
void lun_opencl_depart(lun_opencl *o, lun_cl_flight *f);
/* Waits until at most `left` launches are in flight.  LUN_ECANCEL as soon as the evaluation shall stop. */
lun_status lun_opencl_wait(lun_opencl *o, int left);
/* Forgets a kernel that is about to go. */
void lun_opencl_forget(lun_opencl *o, const lun_kernel *k);
/* Waits for the rest of the flights, but not for ever, and frees what they hold. */
/* Waits until nothing that was given to the device reads memory of ours; else the device is stuck. */
void lun_opencl_settle(lun_opencl *o);
void lun_opencl_land(lun_opencl *o);

/* ---- memory.c ------------------------------------------------------------------------------------ */
lun_status lun_opencl_buffer_new(void *state, int64_t bytes, lun_buffer **out);
void lun_opencl_buffer_free(void *state, lun_buffer *b);
lun_status lun_opencl_upload(void *state, lun_buffer *to, const void *host, int64_t bytes);
lun_status lun_opencl_download(void *state, lun_buffer *from, int64_t offset, void *host,
                               int64_t bytes);
/* Memory of at least `cells` cells of 8 bytes in *mem, which has *room; what was in it is lost. */
lun_status lun_opencl_cells(lun_opencl *o, cl_mem *mem, int64_t *room, int64_t cells);
/* Gives the spare buffers back to the device. */
void lun_opencl_trim(lun_opencl *o);

/* ---- program.c ----------------------------------------------------------------------------------- */
/* Makes k->program of the text, by the cache on disk or the driver's compiler.  LUN_EBUILD with the
 * compiler's words. */
lun_status lun_opencl_program(lun_opencl *o, const char *text, lun_kernel *k);
/* Appends everything that the driver's output depends on. */
void lun_opencl_key(const lun_cl_device *d, const char *text, lun_strbuf *key);
/* Puts the program into the cache on disk, once.  Best called after its first run: drivers compile
 * some of it only then. */
void lun_opencl_program_store(lun_opencl *o, lun_kernel *k);
/* Ends the claim, if there is one: the program is stored, or will not be. */
void lun_opencl_program_unclaim(lun_opencl *o, lun_kernel *k);

/* ---- tune.c -------------------------------------------------------------------------------------- */
/* The work-group size for so many indices, 0: the plan's own; *trial: which trial that is, or -1.
 * kernel: the entry that will run. */
int lun_opencl_group(lun_opencl *o, lun_kernel *k, cl_kernel kernel, int64_t count, int *trial);
/* A trial took so many nanoseconds for an index. */
void lun_opencl_tried(lun_opencl *o, lun_kernel *k, int trial, double rate);

/* ---- launch.c ------------------------------------------------------------------------------------ */
lun_status lun_opencl_run(void *state, lun_kernel *k, lun_launch *launch);

#endif
