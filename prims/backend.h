/* backend.h - the contract between the engine and a backend.
 *
 * A backend turns kernel IR into something that runs, and runs it.  It knows no graph: it sees IR
 * and launches.  The engine knows no compiler and no device: it sees this table of functions.
 * One engine is used by one thread at a time; several engines may live at once, so a backend keeps
 * all its state behind `state`.
 */
#ifndef LUN_BACKEND_H
#define LUN_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/layout.h"
#include "base/pad.h"
#include "base/strbuf.h"
#include "base/sweep.h"
#include "ir/ir.h"
#include "lunarray.h"
#include "table/algorithm.h"

typedef struct lun_cache lun_cache;   /* prims/cache/entry.c */
typedef struct lun_kernel lun_kernel; /* the backend's own */
typedef struct lun_buffer lun_buffer; /* memory of a device, the backend's own */

/* Does indices from .. to - 1 of some work, beside others; cannot fail. */
typedef void lun_range_fn(void *ctx, int64_t from, int64_t to);

/* What the engine lends to a backend for its whole life. */
typedef struct lun_services {
    lun_strbuf *error; /* text of the last failure; a function that fails writes it */
    /* counters to keep up: compiles, cache_hits, launches, bytes_to_..., kernel_bytes */
    lun_stats *stats;
    lun_cache *cache;     /* kernels on disk; never NULL, but may be unusable (all misses) */
    const char *compiler; /* LUNARRAY_CC, or "cc" */
    int threads;          /* wanted; 0: as many as this process may use */
    int jit;              /* lun_jit */
    int math;             /* lun_math */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
    const volatile int *cancel; /* becomes nonzero when the evaluation shall stop */
    /* To be called now and then, by the thread that called run or build, with what it does and how
     * many elements of it are done; NULL: not reported. total 0: unknown. */
    void (*tick)(void *ctx, const char *what, int64_t done, int64_t total);
    void *tick_ctx;
    const struct lun_backend *native; /* the backend with that mark; NULL: none */
} lun_services;

/* Whether the evaluation shall stop: to be asked from time to time, by any thread. */
static inline bool lun__stop_wanted(const lun_services *s)
{
    return s->cancel && __atomic_load_n(s->cancel, __ATOMIC_RELAXED);
}

/* The elements of a slot that do not stand side by side in memory: read gives elements first ..
 * first+count-1, from any thread; 0, or a number that says why not.  Element i of the slot is
 * element `origin` + i there.
 * layout  read
 * NULL    of a file
 * a layout of host memory, or of numbers alone: the places themselves, as i64 (is_places); for
 *         backends with memory of their own, of the slot's buffer: read is not called there */
enum { LUN_STREAM_COLUMNS = 64 }; /* that are read together, at most */
typedef struct lun_stream_run lun_stream_run;
typedef struct lun_stream {
    /* NULL: side by side, or with a layout, in launches with turns and also of OUT slots: each line
     * from where the layout has its first element on; of UNIFORM and ARRAY slots: what is element 0
     * for that line */
    int (*read)(const void *self, int64_t first, int64_t count, void *to);
    const void *self;
    int64_t origin;
    const lun_layout *layout;
    bool is_places;
    /* columns > 0: this slot and those that follow it by `next`, so many, have elements side by
     * side at each index.  read_columns reads the first ones; false: nothing is read, for it is no
     * faster than reading each. */
    int columns, next; /* next: the number of the slot counted from 1; 0: it is the last */
    bool (*read_columns)(const void *self, int columns, int64_t first, int64_t count,
                         void *const *to);
    /* NULL, or how elements from `first` on stand in memory; elements first, first + line, ... of
     * such a run, `count` in number, to memory */
    lun_stream_run (*run)(const void *self, int64_t first);
    void (*column)(const void *self, int64_t first, int64_t count, void *to);
} lun_stream;
/* `count` elements (0: they do not) side by side from `at` on, whole blocks of which may be read.
 * Of each `line` of them, of which the first one is number `column`, numbers low .. high - 1 are
 * the stream's; others stand beyond an end, and what is found there is another element. */
struct lun_stream_run {
    const void *at;
    int64_t count, line, column, low, high;
};

/* One run of a kernel over indices first .. first+count-1 of its n.
 * A slot is host memory, at the place where element 0 is or would be; for backends with memory of
 * their own it is a lun_buffer, in which element 0 is or would be `origin` elements from the
 * start.  Only indices first .. first+count-1 are touched, rounded to whole blocks of 64 only
 * within room.  first % 64 == 0; for kernels with REDUCE first % LUN_CHUNK == 0 (ir/order.h);
 * first == 0 and count == n for kernels with SCAN and where there are lines. */
typedef struct lun_launch {
    int64_t n, first, count;
    int64_t line; /* REDUCE and SCAN take lines of so many indices, at most LUN_CHUNK, each alone:
                     n % line == 0; the kernel's own index counts within one; 0: no lines */
    /* > 0: lines of an elementwise kernel on host memory, of any length that whole blocks make.  So
     * many that follow one another are run in order by one thread: they may read what the ones
     * before wrote, and slots move by the same distance from each to the next. */
    int64_t turns;
    void **slots; /* by slot */
    const int64_t
        *room; /* by slot: elements from element 0 that may be read (IN) or written (OUT) */
    const int64_t *origin; /* by slot, for backends with memory of their own, else NULL */
    /* by slot, for IN slots that no GATHER reads, with turns for any; NULL: all stand side by side
     * in memory.  For backends with memory of their own never of files. */
    const lun_stream *streams;
    const uint64_t *args; /* by argument: a cell */
    /* out, for kernels with REDUCE: a row for each chunk of the range or each line, in order: by
     * result, a cell of the result's dtype.  Not touched when count == 0. */
    uint64_t *partials;
    int64_t bytes; /* memory that the run reads and writes, for the choice of store */
    int trap;      /* out: the IR instruction that met a division by zero, or -1 */
    int workgroup; /* elements of a work-group that a script asks for; 0: the backend\'s choice */
    int64_t trap_value; /* out: with trap: what a CHECK reports: an i64, or a float's bits */
} lun_launch;

/* The matrices that are an operand of lun_product: element (i, j) of number n stands
 * lun__layout_place(&batch, n) + i * row + j * column elements from `data`. */
typedef struct lun_matrix {
    const void *data; /* host memory; for backends with memory of their own: a lun_buffer */
    lun_dtype dtype;  /* any that goes up to the product's */
    int64_t row, column;
    lun_layout batch;
} lun_matrix;

/* Matrix products: c[n] = a[n] b[n], n < count.  Each element is (s1 + s2) + s3 ..., where the b-th
 * s is the sum over the b-th 256 values of k, in order: s = fma(a[i][k], b[k][j], s) from 0;
 * integers wrap.  So it depends on its row and its column alone. */
typedef struct lun_product {
    lun_dtype dtype;                     /* of c: F32, F64, I64, U64 */
    int64_t rows, columns, inner, count; /* all > 0 */
    lun_matrix a, b;                     /* rows x inner, inner x columns */
    void *c;       /* row-major, one after the other; with memory of its own: a lun_buffer */
    void *scratch; /* product_room's bytes */
    int64_t pitch; /* > 0, in a chain: it is made by blocks of whole rows; c may be NULL, and what
                      is made begins so many elements apart from row to row */
} lun_product;

/* An operand or a result of an algorithm: n elements side by side in host memory. */
typedef struct lun_column {
    void *data;
    lun_dtype dtype;
    int64_t n;
} lun_column;

/* A run of a row of table/algorithms.def. */
typedef struct lun_algorithm_run {
    lun_algorithm which;
    lun_column in[LUN_ALGORITHM_OPERANDS]; /* only read */
    /* n: elements that there is room for; where the length is found: set to what was made */
    lun_column out[LUN_ALGORITHM_RESULTS];
    int64_t line;  /* lines of so many elements each alone; 0: all elements are one */
    int64_t first; /* the number of the first element, of a run on a piece */
    uint64_t option[LUN_ALGORITHM_OPTIONS];
    void *scratch;  /* algorithm_room's bytes */
    int64_t failed; /* out: with a failure of one element: its number */
} lun_algorithm_run;

/* ---- chains: kernels that take the same rows, run some rows at a time ----
 * What one leaves the next finds in the cache; arrays that only the chain needs are never in memory
 * as a whole. */

/* What a kernel of a chain computes: an element for each row, or a line of elements for each. */
typedef struct lun_chain_array {
    lun_dtype dtype;
    bool narrow; /* an element for each row */
    bool read;   /* by a later kernel of the chain */
    void *data;  /* where all of it goes, with room for its elements alone; NULL: nowhere */
} lun_chain_array;

typedef struct lun_chain_slot {
    int array;    /* which of the chain's arrays it is; -1: what the launch says */
    int64_t step; /* then, of memory: elements from what one row has to what the next has */
} lun_chain_slot;

/* A kernel, by a launch over all indices of all rows: a line of them for each row (launch->line),
 * which the kernel's own index counts within, each run alone; or one for each row (line 0).
 * Of the launch `slots` is memory at what the first row has, `room` how many elements from there
 * on may be read; a stream is read row after row.  `partials` is not used. */
typedef struct lun_chain_stage {
    lun_kernel *kernel;
    lun_launch *launch;
    const lun_chain_slot *slots;
    const int *results; /* by result of a REDUCE: the array that its cells, converted, become */
    /* The narrow array of bools that says which rows it is run for, or all of them as memory: the
     * others get anything.  -1 and NULL: for all rows. */
    int needed_array;
    const uint8_t *needed;
    int ran; /* out: whether it was run for some row */
} lun_chain_stage;

typedef struct lun_chain {
    /* What makes array 0, as blocks of its rows, before the stages run; NULL: a stage does. */
    const lun_product *product;
    int64_t rows, line;
    lun_chain_stage *stages;
    int count;
    const lun_chain_array *arrays;
    int array_count;
    int64_t bytes; /* that the run takes from memory and leaves there */
    int failed;    /* out: the stage that a failure is of; its launch has the trap */
} lun_chain;

/* ---- sweeps: elementwise kernels over one box that read elements around each index ----
 * They are run unit by unit, each lagging behind those that it reads from, see base/sweep.h. */

/* An array of box.maker and box.size. */
typedef struct lun_sweep_array {
    lun_dtype dtype;
    const lun_padding *pad; /* what stands beyond its ends, of the box's rank; NULL: nothing does */
    void *to;               /* where one that a stage makes goes, with room for its elements alone;
                               NULL: nowhere */
    /* Another one: slot `slot` of stage `stage` has its elements, in memory or as a stream. */
    int stage, slot;
} lun_sweep_array;

/* Of the launch, over all indices of the box, the slots that are not of arrays are as they are for
 * run; `partials` is not used. */
typedef struct lun_sweep_stage {
    lun_kernel *kernel;
    lun_launch *launch;
    const int *slots; /* by slot: IN: the number in box.read; OUT: its array; other: -1 */
    int ran;          /* out: whether it was run */
} lun_sweep_stage;

typedef struct lun_sweep {
    lun_sweep_box box;
    lun_sweep_stage *stages;
    const lun_sweep_array *arrays;
    int64_t near;  /* bytes that rings may take */
    int64_t bytes; /* that the run takes from memory and leaves there */
    int failed;    /* out: the stage that a failure is of; its launch has the trap */
} lun_sweep;

/* Elements of so many bytes, in flat order, to the places of `at`, which are different, from those
 * of `of`, a layout of as many, in another buffer; `to_origin` and `from_origin` are their bases,
 * in elements from the buffers' starts. */
typedef struct lun_transfer {
    int bytes;
    lun_buffer *to;
    const lun_buffer *from; /* NULL: each is what the first bytes of cell hold */
    int64_t to_origin, from_origin;
    lun_layout at, of;
    uint64_t cell;
} lun_transfer;

typedef struct lun_backend {
    const char *name; /* "reference", "openmp", "opencl" */
    bool lines;       /* runs launches with lines; else the engine launches for each line */
    bool native; /* its kernels are the host's code on host memory: others may lend it theirs */

    /* Makes a state.  LUN_EBACKEND with the reason in services->error if the machine lacks
     * something.  Must be cheap: no compiler, no device is touched before it is needed.
     * device: which of the backend's devices, from 1; 0: its best ("opencl:2" means 2). */
    lun_status (*open)(const lun_services *services, int device, void **state);
    void (*close)(void *state);

    /* Takes an IR (borrowed for the call only; copy what is needed) and its canonical
     * text, and makes a kernel.  Must not wait for a compiler unless services->jit says so
     * or the IR holds a CALL. */
    lun_status (*build)(void *state, const lun_ir *ir, const char *text, lun_kernel **out);
    void (*release)(void *state, lun_kernel *kernel);
    /* Makes ready all that a run would need, without running: waits for a compiler.  LUN_EBUILD
     * with the reason, LUN_ECANCEL when stopped.  NULL: a kernel is ready when it is built. */
    lun_status (*prepare)(void *state, lun_kernel *kernel);
    /* Whether something is being made for the kernel that its release would waste: it is then given
     * up later.  Only of few kernels at a time.  NULL: never. */
    bool (*busy)(void *state, const lun_kernel *kernel);

    /* Runs it and waits for the end; a backend with memory of its own only waits for results and
     * traps, and runs its kernels in order.  LUN_EZERO after a trapped division (launch->trap says
     * where); LUN_EIO when a stream could not be read (trap: its slot, trap_value: what read gave);
     * LUN_ECANCEL when stopped; LUN_EBUILD if a CALL does not compile. */
    lun_status (*run)(void *state, lun_kernel *kernel, lun_launch *launch);

    /* Runs a chain; fails as run does.  NULL: the engine makes none. */
    lun_status (*chain)(void *state, lun_chain *chain);

    /* Runs sweeps; fails as run does.  near: bytes that stay near a core, for the choice how many
     * stages are run together; <= 0: unknown.  Both NULL: the engine makes none. */
    lun_status (*sweep)(void *state, lun_sweep *sweep);
    int64_t (*near)(void *state);

    /* A level of the tree over chunks: row j of cells becomes the combination of rows 2j and 2j +
     * 1, for j < pairs (lun__order_join walks the levels).  Rows are as in launch->partials; they
     * may come from several launches, also of other backends, of the same IR with the same
     * arguments.  The kernel has run; of the launch `args` is read.  Fails as run does. */
    lun_status (*combine)(void *state, lun_kernel *kernel, lun_launch *launch, uint64_t *cells,
                          int64_t pairs);

    /* Matrix products, in host memory unless the backend has its own; waits for the end.  room:
     * bytes of scratch memory that it wants beside, 0: none; of p what its operands hold is not
     * looked at.  LUN_ECANCEL when stopped.  Where room is negative, and where both are NULL, the
     * engine has the native backend do it, in host memory. */
    int64_t (*product_room)(void *state, const lun_product *p);
    lun_status (*product)(void *state, const lun_product *p);

    /* Algorithms on host memory; waits for the end.  room: bytes of scratch memory that the run
     * wants.  LUN_ECANCEL when stopped; what else each fails with is its file's.  Both NULL: the
     * engine has the native backend do it. */
    int64_t (*algorithm_room)(void *state, const lun_algorithm_run *r);
    lun_status (*algorithm)(void *state, lun_algorithm_run *r);

    /* The text that would be compiled for this IR. */
    lun_status (*source)(void *state, const lun_ir *ir, lun_strbuf *out);

    /* Fills at most room rows, returns how many devices there are. */
    int (*devices)(void *state, lun_device *rows, int room);

    /* Calls task for ranges that make up 0 .. n - 1, on as many threads as moving so many bytes of
     * host memory is worth, and waits.  NULL: there is one thread. */
    void (*share)(void *state, int64_t n, int64_t bytes, void *ctx, lun_range_fn *task);

    /* ---- for backends with memory of their own, else NULL ----
     * Each fails with LUN_ENOMEM (LUN_ELIMIT: more than the device can hold at once) or
     * LUN_EBACKEND and the text in services->error; buffers survive a failure.  upload and download
     * return when `host` may be used again, keep up stats.bytes_to_device and bytes_to_host, and
     * wait for the kernels before them. */
    lun_status (*buffer_new)(void *state, int64_t bytes, lun_buffer **out); /* content undefined */
    void (*buffer_free)(void *state, lun_buffer *buffer); /* kernels under way may still use it */
    lun_status (*upload)(void *state, lun_buffer *to, const void *host, int64_t bytes);
    lun_status (*download)(void *state, lun_buffer *from, int64_t offset, void *host,
                           int64_t bytes);

    /* Fills `to` with the padded array of elements of so many bytes whose array begins at element
     * `origin` of `from`; fails as run does. */
    lun_status (*pad)(void *state, const lun_padding *p, int bytes, const lun_buffer *from,
                      int64_t origin, lun_buffer *to);

    lun_status (*transfer)(void *state, const lun_transfer *t); /* fails as run does */

    /* Appends the key under which an entry is looked for where it was not made: it opens with a
     * line that names the version and the machine's instructions, and names no compiler.  Nothing
     * for an entry that is not this backend's, or for another machine.  key NULL: that line alone.
     * NULL: entries stay where they were made. */
    void (*portable_key)(const char *key, size_t length, lun_strbuf *out);

    /* True if it is the default where no backend is named: there is a GPU.  Must not load a
     * driver on a machine without one.  NULL: false. */
    bool (*preferred)(const lun_services *services);
} lun_backend;

/* All backends of this build, best first, NULL at the end (backends/all.c). */
extern const lun_backend *const lun__backends_all[];

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes n bytes; false with errno, which is EFBIG beyond the process's limit:
 * there is no signal. */
bool lun__write_all(int fd, const void *bytes, size_t n);

/* ---- the cache, as backends see it ------------------------------------------------------------
 * An entry is bytes under a key; the whole key is stored and compared, the bytes are checked
 * against a hash before they are returned.  A damaged or foreign entry is a miss and is removed. */

/* On a hit *bytes is malloc'd memory of *length bytes for the caller.  False: a miss. */
bool lun__cache_load(lun_cache *cache, const char *key, size_t key_length, void **bytes,
                     size_t *length);
/* Best effort: a failure leaves the cache as it was; the first one is logged. */
void lun__cache_store(lun_cache *cache, const char *key, size_t key_length, const void *bytes,
                      size_t length);
/* Directory for a compiler's temporary files: private, 0700, made on first use; NULL if none can be
 * had.  Owned by the cache. */
const char *lun__cache_scratch(lun_cache *cache);
/* Waits at most wait_ms for the lock that the processes sharing this directory have in common; -1:
 * it was not to be had.  A process that ends lets go of it. */
int lun__cache_lock(lun_cache *cache, int wait_ms);
void lun__cache_unlock(int lock); /* -1 is allowed */

/* Claims to make the entry of a key, so that of the processes that share the directory only one
 * makes it.  Never waits.  A claim is a descriptor, closed on exec, which the maker of the entry
 * inherits: the claim is TAKEN as long as any process has it open.  It is LEFT when none has, but
 * its owner lives and did not end it: the entry may be about to be stored; an owner that does not
 * store it in time is overruled by `abandoned`.  NONE: this directory has no claims; make the entry
 * without. */
enum { LUN_CLAIM_NONE = -1, LUN_CLAIM_TAKEN = -2, LUN_CLAIM_LEFT = -3 };
int lun__cache_claim(lun_cache *cache, const char *key, size_t key_length, bool abandoned);
/* Ends a claim of ours: the entry is stored, or will not be. */
void lun__cache_unclaim(lun_cache *cache, const char *key, size_t key_length);

#endif
