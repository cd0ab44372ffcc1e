/* gpu_state.h - what the files of this folder share: the state of one device, its kernels and
 * buffers.
 *
 *   gpu.c                 the contract of backend.h
 *   gpu_device.c          lists of devices; what this machine says of them
 *   gpu_state.c           the queue, failures
 *   stop.c                the stop flag of running kernels
 *   coherence.c           whether running kernels see host writes, such as that flag
 *   batches.c             batches that the device has not ended: waiting, cancelling
 *   overlap_transfers.c   transfers beside kernels, what waits for which
 *   gpu_buffers.c         buffers and their pool
 *   gpu_kernel.c          a kernel's memory, and its end
 *   gpu_program.c         text to a program: the driver's compiler, the cache on disk
 *   tune.c                work-group sizes by trial
 *   slice.c               how many indices are given to the device at once
 *   gpu_pack.c            strided slots
 *   device_copy.c         elements that go elsewhere in the device's memory
 *   gpu_product.c         matrix products
 *   gpu_run.c             a kernel's arguments, one slice, its results
 *   math_probe.c          whether math functions have the host's bits on the device
 *   launch_flight.c       a launch, slice by slice, from its start to its end
 *
 * None of them knows an API: they call the driver (driver.h).
 *
 * Invariant: the states of one driver are linked through `peer` into a circular list, a lone one
 * to itself; link_peer and unlink_peer alone change it, on the engine's thread. The driver is
 * called in process `owner` only, and releases nothing once the state is stuck; `lost` and
 * `stuck` are never reset. A state of a sub-device holds a reference to each of piece[0 .. parts
 * - 1]; states of the same `whole` and `parts` that have queues hold the same ids, since only
 * queues of the same ids share memory. */
#ifndef LUN_GPU_STATE_H
#define LUN_GPU_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "backend.h"
#include "gpu/driver.h"
#include "gpu/gpu.h"
#include "reference/reference.h"
#include "render/render.h"

enum { LUN_GPU_BATCHES = 32, LUN_GPU_CLASSES = 160, LUN_GPU_TRIALS = 6, LUN_GPU_SIZES = 4 };
enum { LUN_GPU_MULTIPLIERS = 16 };

/* The kernel of matrix products for operands and a result of these dtypes; NULL: none yet. */
typedef struct lun_gpu_multiplier {
    lun_dtype a, b, c;
    lun_kernel *kernel;
} lun_gpu_multiplier;

/* Steps given to the device at once: a launch, or a slice of one. */
typedef struct lun_gpu_batch {
    lun_gpu_marks marks;
    lun_kernel *kernel;      /* whose speed it shows; NULL: that is released */
    int64_t count, expected; /* indices; nanoseconds by the kernel's rate */
    bool sure;               /* expected is known, and does not depend on the elements */
    int trial;               /* of the kernel's tuning, -1: none */
    uint64_t *cells;         /* what is being copied to the device */
    int cell_room;
} lun_gpu_batch;

/* A launch as its kernel sees it: strided slots are replaced by buffers that
 * hold a range of them side by side. */
typedef struct lun_gpu_packing {
    const lun_launch *from;
    lun_launch launch; /* from's, with slots and origins of its own if anything is packed */
    int slots;
    int64_t index_bytes;  /* of an index in all buffers; 0: nothing is packed */
    int64_t most;         /* indices that are packed at once */
    int64_t first, count; /* indices that are packed */
    void **slot;          /* tables of the launch, malloc'd */
    int64_t *origin;
    uint8_t *bytes; /* by slot: of an element; 0: it is from's */
} lun_gpu_packing;

/* A launch from its start to its end: one at a time. */
typedef struct lun_gpu_flight {
    lun_kernel *kernel; /* NULL: there is none under way */
    lun_launch *launch;
    lun_gpu_packing packing;
    lun_cl_plan plan;
    uint64_t *work;      /* malloc'd: the cells that a stage of a scan begins with, or NULL */
    bool given;          /* all of it, to the device */
    bool planned;        /* of a reduction or scan: it has a plan */
    bool fresh;          /* nothing of it was given yet */
    bool more, first;    /* the last slice goes on in the next one; it was the first of its step */
    int step;            /* of the plan */
    int64_t done, count; /* indices, or chunks, of the step that were given; indices of the last
                            slice */
    lun_work_mark mark;
} lun_gpu_flight;

typedef struct lun_gpu lun_gpu;
struct lun_gpu {
    const lun_gpu_driver *driver;
    const lun_services *services;
    void *library;           /* of the driver's list */
    lun_gpu_devices devices; /* of the machine */
    lun_gpu_device device;   /* this state's */
    lun_cl_target target;    /* how kernels are rendered for it */
    bool pooled;             /* freed buffers are used again; else they are only kept */
    bool form_fixed;         /* target.form was chosen by the user */
    bool groups;             /* teams with barriers are work-groups */
    void *queue;             /* NULL until something is made on the device */
    void *first;             /* the queue of another state, whose memory this one shares, or NULL */
    void *shared[LUN_GPU_DEVICES]; /* the devices that share the queue's memory: their ids */
    int shared_count;
    void *whole; /* of a sub-device: the device divided, into how many, which of them; all ids */
    int parts, part;
    void *piece[LUN_GPU_DEVICES];
    lun_gpu *peer;           /* the next state of the list of peers */
    lun_gpu_failure failure; /* filled by the driver */
    pid_t owner;             /* drivers do not survive a fork: a child must not call them */
    bool lost;               /* the device was lost, or a kernel on it does not end */
    bool stuck;              /* lost, and releasing its objects would wait without end */
    char reason[256];        /* of lost */

    lun_gpu_batch batch[LUN_GPU_BATCHES]; /* a ring: in_flight of them in order, from `oldest` on */
    int oldest, in_flight;
    int64_t given;  /* batches so far */
    void **awaited; /* transfers that end before the next batch begins: their marks */
    int awaited_count, awaited_room;
    void *sending;        /* the last transfer from the host's memory, until it is settled, */
    lun_work_mark sent;   /* and its mark */
    lun_work_mark marked; /* the last one that was given */
    int64_t flushed;      /* batches that the driver was flushed behind */
    lun_gpu_flight flight;
    int64_t ahead;          /* nanoseconds of work in flight, as expected */
    bool stopped;           /* what is in flight belongs to an evaluation that was stopped */
    int64_t progress, goal; /* elements of the run under way: given to the device, and in all */
    const char *doing; /* the run under way, as services->tick names it; NULL before the first */

    volatile int *stop; /* shared with kernels: nonzero ends those that ask; NULL: not yet */
    void *stop_memory;  /* the same, as their argument */

    void *cells, *work; /* memory of the launches, one after the other */
    int64_t cell_room, work_room;

    bool probed[2][LUN_OP_COUNT]; /* math functions that have the host's bits, of f32 and f64 */
    /* By text and the logarithm of an element's size; NULL: not yet. */
    lun_kernel *own[LUN_CL_BUILTINS][LUN_GPU_SIZES];
    lun_gpu_multiplier multiplier[LUN_GPU_MULTIPLIERS];
    unsigned multipliers; /* made so far */

    lun_buffer *spare[LUN_GPU_CLASSES]; /* freed buffers, by size class */
    int64_t spare_bytes, live_bytes;    /* of these, and of buffers in use */
};

struct lun_buffer {
    void *memory;
    int64_t bytes;     /* that its user may touch */
    int size_class;    /* -1: too large for the pool */
    void *moving;      /* the last transfer from or to it, which no batch waits for yet; or NULL */
    const lun_gpu *by; /* whose batch number `used` is the last that uses it; NULL: none does */
    int64_t used;
    lun_buffer *next;
};

/* Which size of work-groups is fastest: each is tried a few times. */
typedef struct lun_gpu_tuning {
    bool started, settled;
    int group;    /* what was found, or the only choice; 0: the plan's own */
    int64_t most; /* that the device takes for the kernel */
    int count, next;
    int size[LUN_GPU_TRIALS], samples[LUN_GPU_TRIALS];
    double best[LUN_GPU_TRIALS]; /* nanoseconds of an index */
} lun_gpu_tuning;

/* One function of a kernel's program. */
typedef struct lun_gpu_entry {
    const char *name; /* of a plan's step; NULL: not made yet */
    void *kernel;
    int64_t most; /* work-items of its largest work-group, 0: unknown */
    bool ran;     /* the driver has compiled what it compiles in a first run */
} lun_gpu_entry;

/* Elements that each work-group has beside it: their number is an argument of a launch. */
typedef struct lun_gpu_room {
    int64_t arg;
    int bytes; /* of one */
} lun_gpu_room;

struct lun_kernel {
    lun_cl_shape shape;
    void *program;
    lun_gpu_entry entry[LUN_CL_STEPS];
    void **memory;  /* arguments of a launch: cells, slots, work */
    uint8_t *kinds; /* by instruction: what can trap */
    int kind_count;
    uint8_t *sizes;     /* by slot: bytes of an element */
    lun_gpu_room *room; /* of a kernel of teams */
    int rooms;
    lun_interp *joiner; /* joins chunks on the host; NULL: the device does */
    bool narrow;        /* a group of it cannot have all threads of a team: it has no program */
    bool loops;         /* indices may take very different times */
    bool ran;           /* the driver has compiled all of it */
    bool stored;        /* its program is in the cache on disk, or will not be */
    int claim;          /* to the cache's entry from building to storing; negative: none */
    double rate;        /* nanoseconds of an index, by the last batch; 0: unknown */
    lun_gpu_tuning tuning;
    lun_strbuf key; /* in the cache on disk */
    int64_t bytes;  /* in stats.kernel_bytes */
};

/* ---- gpu_state.c ----------------------------------------------------------------------------- */
/* Writes a failure's text, "backend NAME: ...", and returns s. */
lun_status lun__gpu_state_fail(lun_gpu *g, lun_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The status of a driver's answer, with its text; after LUN_GPU_LOST and LUN_GPU_FAULT the state
 * is lost. */
lun_status lun__gpu_state_check(lun_gpu *g, lun_gpu_answer answer);
/* Makes the state lost; the first reason stays. */
void lun__gpu_state_set_lost(lun_gpu *g, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Opens the queue if it is not open.  LUN_EBACKEND in a child of fork, and if the state is lost. */
lun_status lun__gpu_state_ready(lun_gpu *g);
/* The two have in common what devices can. */
void lun__gpu_state_link_peer(lun_gpu *g, lun_gpu *other);
/* Removes the state from the list of its peers. */
void lun__gpu_state_unlink_peer(lun_gpu *g);
/* True if objects may be released: not in a child of fork, nor if the state is stuck. */
bool lun__gpu_state_may_release(const lun_gpu *g);
/* Nanoseconds of a clock that never goes back. */
int64_t lun__gpu_state_now(void);

/* ---- stop.c ---------------------------------------------------------------------------------- */
/* Allocates the stop flag, before the first kernel that polls it runs. */
lun_status lun__gpu_stop_open(lun_gpu *g);
/* With the queue; a kernel that does not end may still read it. */
void lun__gpu_stop_close(lun_gpu *g);
/* Sets or clears the flag, at which kernels in flight that poll it end.  A launch of such kernels
 * returns when they have ended: those in flight are of the current launch, whose results are
 * dropped. */
void lun__gpu_stop_set(lun_gpu *g, bool stop);

/* ---- coherence.c ----------------------------------------------------------------------------- */
/* Measures whether the device is coherent, if unknown: device.coherence, target.coherent.
 * LUN_OK whatever it finds; takes some milliseconds, where it is not up to a second. */
lun_status lun__gpu_coherence_find(lun_gpu *g);

/* ---- math_probe.c ---------------------------------------------------------------------------- */
/* The math functions of a kernel have the host's bits on the device, as far as is tried; else
 * LUN_EBACKEND, or the device's failure. */
lun_status lun__gpu_math_probe(lun_gpu *g, const lun_ir *ir);

/* ---- batches.c ------------------------------------------------------------------------------- */
/* Whether a batch can be given now, without waiting, while at most `left` others are in flight. */
lun_status lun__gpu_batch_room(lun_gpu *g, int left, bool *room);
/* A batch with room for so many cells, waiting for the oldest ones while too much is in flight.
 * LUN_ECANCEL, LUN_ENOMEM, or the device's failure. */
lun_status lun__gpu_batch_reserve(lun_gpu *g, int cells, lun_gpu_batch **out);
/* Gives steps to the device as the batch that reserve gave, whose kernel, count and trial are
 * filled in.  The kernel's memory holds the arguments: so many. */
lun_status lun__gpu_batch_submit(lun_gpu *g, lun_gpu_batch *b, const lun_gpu_step *steps, int count,
                                 int memories);
/* Waits until at most `left` batches are in flight.  LUN_ECANCEL as soon as the evaluation shall
 * stop. */
lun_status lun__gpu_batch_wait(lun_gpu *g, int left);
/* The evaluation shall stop: LUN_ECANCEL, with the stop flag set for what is in flight. */
lun_status lun__gpu_batch_interrupted(lun_gpu *g);
/* Waits until nothing given to the device reads memory of the host; else the state is stuck. */
void lun__gpu_batch_wait_safe(lun_gpu *g);
/* Batches in flight no longer refer to the kernel: it may be released. */
void lun__gpu_batch_forget(lun_gpu *g, const lun_kernel *k);
/* Waits for all batches, a few seconds at most, and frees what they hold. */
void lun__gpu_batch_drain(lun_gpu *g);

/* ---- launch_flight.c ------------------------------------------------------------------------- */
/* Begins a launch; *mark: until lun__gpu_flight_collect it is under way. */
lun_status lun__gpu_flight_launch(lun_gpu *g, lun_kernel *k, lun_launch *l, lun_work_mark *mark);
/* Gives the device more of it, *given: that was all. */
lun_status lun__gpu_flight_advance(lun_gpu *g, bool *given);
/* Waits for its end, if there is one. */
lun_status lun__gpu_flight_collect(lun_gpu *g);

/* ---- gpu_run.c, gpu_product.c, device_copy.c: LUN_WORK_... ----------------------------------- */
lun_status lun__gpu_run_combine(lun_gpu *g, const lun_work_run *w);
bool lun__gpu_product_multiplies(const lun_gpu *g, const lun_product *p);
lun_status lun__gpu_product(lun_gpu *g, const lun_product *p);
lun_status lun__gpu_device_copy_pad(lun_gpu *g, const lun_work_pad *w);
lun_status lun__gpu_device_copy(lun_gpu *g, const lun_transfer *t);

/* ---- overlap_transfers.c --------------------------------------------------------------------- */
/* The next batch uses a buffer: it begins when transfers of it have ended. */
lun_status lun__gpu_overlap_use(lun_gpu *g, const lun_buffer *b);
/* The same of the next batch and those behind it. */
lun_status lun__gpu_overlap_use_on(lun_gpu *g, const lun_buffer *b);
/* Releases the awaited marks: the batch that waits for them is submitted, or none will be. */
void lun__gpu_overlap_free(lun_gpu *g);
/* Waits for all awaited transfers and for that of the buffer, NULL: of none. */
lun_status lun__gpu_overlap_wait(lun_gpu *g, lun_buffer *b);
/* Releases the mark of a buffer's transfer: its memory is about to be freed. */
void lun__gpu_overlap_forget(lun_gpu *g, lun_buffer *b);
/* lun__gpu_buffer_write with a mark, and the wait for it. */
lun_status lun__gpu_overlap_send(lun_gpu *g, lun_buffer *to, int64_t offset, const void *host,
                                 int64_t bytes, lun_work_mark *out);
lun_status lun__gpu_overlap_settle(lun_gpu *g);
/* Releases all marks of this file. */
void lun__gpu_overlap_close(lun_gpu *g);

/* ---- gpu_buffers.c --------------------------------------------------------------------------- */
/* Memory of at least `cells` cells of 8 bytes in *memory, which has *room; its content is lost. */
lun_status lun__gpu_buffer_cells(lun_gpu *g, void **memory, int64_t *room, int64_t cells);
/* Waits for all that was given. */
lun_status lun__gpu_buffer_finish(lun_gpu *g);
/* Gives the spare buffers back to the device. */
void lun__gpu_buffer_trim(lun_gpu *g);

/* ---- gpu_kernel.c ---------------------------------------------------------------------------- */
/* A kernel with what a launch looks up in the IR; NULL without memory. */
lun_kernel *lun__gpu_kernel(const lun_ir *ir);
/* Lets go of its program, and of the claim to one. */
void lun__gpu_kernel_unload(lun_gpu *g, lun_kernel *k);

/* ---- gpu_program.c --------------------------------------------------------------------------- */
/* Makes k->program of the text, by the cache on disk or the driver's compiler.  LUN_EBUILD with the
 * compiler's words. */
lun_status lun__gpu_program(lun_gpu *g, const char *text, lun_kernel *k);
/* Puts the program into the cache on disk, once.  Best called after its first run: drivers compile
 * some of it only then. */
void lun__gpu_program_store(lun_gpu *g, lun_kernel *k);
/* Ends the claim, if there is one: the program is stored, or will not be. */
void lun__gpu_program_unclaim(lun_gpu *g, lun_kernel *k);

/* The function of the kernel's program that has this name. */
lun_status lun__gpu_program_entry(lun_gpu *g, lun_kernel *k, const char *name, lun_gpu_entry **out);

/* ---- gpu_run.c ------------------------------------------------------------------------------- */

/* What is given to the device at once: steps first .. end-1 of a plan; of a step that goes by
 * chunks, `chunks` of them from number head[4] of the plan on, 0: all. */
typedef struct lun_gpu_slice {
    int first, end;
    int64_t chunks, count; /* count: indices, 0 for what does not go over them */
    int trial;
    bool fresh;           /* traps and results start here */
    bool guarded;         /* something in it runs for the first time: drivers compile then */
    const uint64_t *work; /* what work starts with, plan.work cells; NULL: plan.clear zeros */
} lun_gpu_slice;

/* The plan for indices first .. first+count-1, with the size of work-groups that the script asks
 * for, or that is fastest. */
lun_status lun__gpu_run_plan(lun_gpu *g, lun_kernel *k, const lun_launch *l, int64_t first,
                             int64_t count, lun_cl_plan *plan, int *trial);
/* Gives the device a slice; waits for one that is guarded, or in which a function runs for the
 * first time. */
lun_status lun__gpu_run_give(lun_gpu *g, lun_kernel *k, const lun_launch *l,
                             const lun_cl_plan *plan, const lun_gpu_slice *p);
/* Waits; a trap, or the `count` cells behind it go to `results`. */
lun_status lun__gpu_run_results(lun_gpu *g, const lun_kernel *k, int64_t count, lun_launch *l,
                                uint64_t *results);

/* ---- tune.c ---------------------------------------------------------------------------------- */
/* The work-group size for so many indices, 0: the plan's own; *trial: which trial that is, or -1.
 * most: work-items that a group of the kernel can have, 0: unknown. */
int lun__gpu_tune_group(lun_gpu *g, lun_kernel *k, int64_t most, int64_t count, int *trial);
/* A trial took so many nanoseconds for an index. */
void lun__gpu_tune_tried(lun_gpu *g, lun_kernel *k, int trial, double rate);

/* ---- slice.c --------------------------------------------------------------------------------- */
/* How many of `left` indices make the next slice, in whole grains, after one of `last` (0: the
 * first). start: indices of a first slice of a kernel with loops. */
int64_t lun__gpu_slice(const lun_kernel *k, int64_t grain, int64_t start, int64_t left,
                       int64_t last);
/* The grain and the start of slices of single elements. */
int64_t lun__gpu_slice_element_grain(const lun_kernel *k);
int64_t lun__gpu_slice_element_start(const lun_gpu *g);
/* The grain of slices of chunks: the least that keeps the device busy. */
int64_t lun__gpu_slice_chunk_grain(const lun_gpu *g, int64_t chunk);
/* How many batches may be in flight when the next slice is given: the last slice's rate, or the
 * last but one's, decides its size.  first: the slice just given is the first of its run. */
int lun__gpu_slice_ahead(const lun_kernel *k, bool first);
/* Between slices: waits until the kernel's rate is known well enough for the next one's size. */
lun_status lun__gpu_slice_adapt(lun_gpu *g, const lun_kernel *k, bool first);

/* ---- builtins.c ------------------------------------------------------------------------------ */
enum { LUN_GPU_BUILTIN_MEMORIES = 3 };

/* A step of a builtin kernel, whose arguments are its cells and then memories. */
typedef struct lun_gpu_builtin {
    const int64_t *cells;
    int cell_count;
    lun_cl_plan plan; /* of one step */
    int64_t count;    /* what the kernel's rate counts */
    int memories;
    void *memory[LUN_GPU_BUILTIN_MEMORIES];
} lun_gpu_builtin;

/* A kernel without a program, for lun__gpu_builtin_build to finish.  NULL: out of memory, reported.
 * */
lun_kernel *lun__gpu_builtin_open(lun_gpu *g);
/* Builds the program of the text, which is freed; `rendered` is the status of writing it.  *out
 * becomes k, the caller's to release; after a failure k is released. */
lun_status lun__gpu_builtin_build(lun_gpu *g, lun_status rendered, lun_strbuf *text, lun_kernel *k,
                                  lun_kernel **out);
/* The kernels of a text for elements of so many bytes, which g keeps. */
lun_status lun__gpu_builtin_sized(lun_gpu *g, lun_cl_builtin which, int bytes, lun_kernel **out);
/* Gives the step to the device; waits for the first one of a kernel, which is stored then. */
lun_status lun__gpu_builtin_run(lun_gpu *g, lun_kernel *k, const lun_gpu_builtin *call);

/* ---- gpu_pack.c ------------------------------------------------------------------------------ */

/* For a launch of the kernel, which outlives it.  Also after a failure p is to be closed. */
lun_status lun__gpu_pack_open(lun_gpu *g, const lun_kernel *k, const lun_launch *l,
                              lun_gpu_packing *p);
/* Has the device pack indices first .. first+count-1, or fewer if memory is short: *count becomes
 * less then, in whole grains. Nothing is done where they are packed already. */
lun_status lun__gpu_pack(lun_gpu *g, lun_gpu_packing *p, int64_t first, int64_t *count,
                         int64_t grain);
/* Lets go of the buffers; the device may still be reading them. */
void lun__gpu_pack_close(lun_gpu *g, lun_gpu_packing *p);

#endif
