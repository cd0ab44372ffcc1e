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
#include "ir/order.h"
#include "ir/races.h"
#include "lunarray.h"
#include "table/algorithm.h"

typedef struct lun_cache lun_cache;   /* prims/cache/entry.c */
typedef struct lun_kernel lun_kernel; /* the backend's own */
typedef struct lun_buffer lun_buffer; /* memory of a device, the backend's own */

/* Processes indices from .. to - 1 of some work, concurrently with other calls; cannot fail. */
typedef void lun_range_fn(void *ctx, int64_t from, int64_t to);

/* Bytes for a rank. */
typedef struct lun_link_part {
    int to;
    const void *bytes;
    int64_t count;
} lun_link_part;

/* Messages between this rank and others, for a backend whose devices are ranks.  Rank 0 has the
 * script, the others serve it.  Each fails with LUN_EBACKEND, or what stopped it, and the text in
 * services->error. */
typedef struct lun_link {
    int rank, size; /* this one's number, from 0, and how many there are */
    /* Does not wait: the bytes are copied. */
    lun_status (*send)(void *ctx, int to, const void *bytes, int64_t count);
    /* On rank 0: send of each of them, to different ranks, which pass them on down a tree; what is
     * alike in them travels once.  Messages of both kinds arrive in the order in which they were
     * sent.  A rank that has ended is the failure; the others get theirs. */
    lun_status (*spread)(void *ctx, const lun_link_part *parts, int count);
    /* Waits for the next message from that rank, which is malloc'd.  NULL: rank 0 has ended. */
    lun_status (*receive)(void *ctx, int from, void **bytes, int64_t *count);
    void *ctx;
} lun_link;

/* What the engine provides to a backend as long as its state exists. */
typedef struct lun_services {
    lun_strbuf *error; /* text of the last failure; a function that fails writes it */
    /* counters to update: compiles, cache_hits, launches, bytes_to_..., kernel_bytes */
    lun_stats *stats;
    lun_cache *cache;     /* kernels on disk; never NULL, but may be unusable (all misses) */
    const char *compiler; /* LUNARRAY_CC, or "cc" */
    int threads;          /* wanted; 0: as many as this process may use */
    int jit;              /* lun_jit */
    int math;             /* lun_math */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
    const volatile int *cancel; /* becomes nonzero when the evaluation has to stop */
    /* Reports progress: called from time to time by the thread that called run or build, with what
     * it is doing and how many elements are done; NULL: no reports.  total 0: unknown. */
    void (*tick)(void *ctx, const char *what, int64_t done, int64_t total);
    void *tick_ctx;
    const struct lun_backend *native; /* the backend whose `native` is true; NULL: none */
    const lun_link *link; /* where ranks serve; NULL: they do not, for all run scripts or none */
} lun_services;

/* Whether the evaluation has to stop.  To be called from time to time, from any thread. */
static inline bool lun__stop_wanted(const lun_services *s)
{
    return s->cancel && __atomic_load_n(s->cancel, __ATOMIC_RELAXED);
}

/* A slot whose elements are not contiguous in memory: read copies elements first .. first+count-1,
 * from any thread; it returns 0 or an error number.  Element i of the slot is element `origin` + i
 * of the source.  An OUT slot has `write` instead, which takes elements to where a layout says.
 * layout  read
 * NULL    from a file
 * a layout from host memory, or only numbers: the positions themselves, as i64 (is_places); for
 *         backends with memory of their own, from the slot's buffer: read is not called there */
enum { LUN_STREAM_COLUMNS = 64 }; /* that are read together, at most */
typedef struct lun_stream_run lun_stream_run;
typedef struct lun_stream {
    /* NULL: contiguous; or with a layout and no write, in launches with turns, also for OUT slots:
     * each line is contiguous from the position that the layout gives for its first element; for
     * UNIFORM and ARRAY slots: that position is element 0 for the line */
    int (*read)(const void *self, int64_t first, int64_t count, void *to);
    const void *self;
    void (*write)(const void *self, int64_t first, int64_t count, const void *from);
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
 * A slot points to host memory, to where element 0 is or would be; for backends with memory of
 * their own it is a lun_buffer, in which element 0 is or would be `origin` elements from the
 * start.  Only indices first .. first+count-1 are accessed; blocks of 64 may be completed within
 * room.  first % 64 == 0; for kernels with REDUCE first % LUN_CHUNK == 0 (ir/order.h);
 * first == 0 and count == n for kernels with SCAN and where there are lines; of a SCAN's stage
 * first == 0. */
typedef struct lun_launch {
    int64_t n, first, count;
    int64_t line; /* REDUCE and SCAN process each line of this many indices, at most LUN_CHUNK, on
                     its own: n % line == 0; the kernel's index counts within a line; 0: no lines */
    /* > 0: lines of an elementwise kernel on host memory, whose length is a multiple of 64.  One
     * thread runs this many consecutive lines in order: a line may read what earlier ones wrote,
     * and slots advance by a constant distance from line to line. */
    int64_t turns;
    void **slots; /* by slot */
    const int64_t
        *room; /* by slot: elements from element 0 that may be read (IN) or written (OUT) */
    const int64_t *origin; /* by slot, for backends with memory of their own, else NULL */
    /* by slot, for IN slots that no GATHER reads and, on host memory, OUT slots of elementwise
     * kernels, with turns for all slots; NULL: all are contiguous in memory.  For backends with
     * memory of their own never files. */
    const lun_stream *streams;
    const uint64_t *args; /* by argument: a cell */
    /* out, for kernels with REDUCE: a row for each chunk of the range, or each line, in order; a
     * row has a cell for each result, in its dtype.  Unchanged if count == 0.  With a stage: a cell
     * for each chunk of the SCAN. */
    uint64_t *partials;
    lun_stage stage;  /* of a kernel with a SCAN and neither REDUCE nor lines: what is done of it */
    int64_t bytes;    /* bytes that the run reads and writes; decides how it stores */
    bool whole;       /* on host memory: once it has begun it is not stopped by any request */
    lun_races *races; /* kernels of teams: accesses are watched, and where two collide the run ends
                         as by a trap; NULL: they are not */
    int trap;         /* out: the IR instruction that trapped, such as a division by zero, or -1 */
    /* Elements of a work-group, as the script requests; with `chunk` as many as the device takes of
     * these; 0: the backend's choice. */
    int workgroup;
    /* How threads of the host share out a kernel without REDUCE and SCAN, as the script requests:
     * indices that one takes at once, about (0: the backend's choice); from first to last, instead
     * of each beginning with a share of its own. */
    int64_t chunk;
    bool in_order;
    int64_t trap_value; /* out: with trap: the value that a CHECK reports, an i64 or float bits */
} lun_launch;

/* An operand of lun_product, a batch of matrices: element (i, j) of matrix n is at
 * lun__layout_place(&batch, n) + i * row + j * column elements from `data`. */
typedef struct lun_matrix {
    const void *data; /* host memory; for backends with memory of their own: a lun_buffer */
    lun_dtype dtype;  /* any that is promoted to the product's */
    int64_t row, column;
    lun_layout batch;
} lun_matrix;

/* Matrix products: c[n] = a[n] b[n], n < count.  Each element is (s1 + s2) + s3 ..., where the b-th
 * s is the sum over the b-th 256 values of k, in order: s = fma(a[i][k], b[k][j], s) from 0;
 * integers wrap.  An element thus depends only on its row and its column. */
typedef struct lun_product {
    lun_dtype dtype;                     /* of c: F32, F64, I64, U64 */
    int64_t rows, columns, inner, count; /* all > 0 */
    lun_matrix a, b;                     /* rows x inner, inner x columns */
    void *c;       /* row-major, one after the other; with memory of its own: a lun_buffer */
    void *scratch; /* product_room's bytes */
    int64_t pitch; /* > 0, in a chain: it is computed in blocks of whole rows, whose rows are this
                      many elements apart; c may be NULL */
} lun_product;

/* An operand or a result of an algorithm: n contiguous elements in host memory, or, for
 * begin_algorithm, of a lun_buffer. */
typedef struct lun_column {
    void *data;
    lun_dtype dtype;
    int64_t n;
} lun_column;

/* One run of an algorithm of table/algorithms.def. */
typedef struct lun_algorithm_run {
    lun_algorithm which;
    lun_column in[LUN_ALGORITHM_OPERANDS]; /* read only */
    /* n: elements that fit; if the length is FOUND, it is set to the number of results */
    lun_column out[LUN_ALGORITHM_RESULTS];
    int64_t line;  /* length of a line, each of which is processed on its own; 0: there is one */
    int64_t first; /* of a run on a piece: the number of its first element */
    uint64_t option[LUN_ALGORITHM_OPTIONS];
    int64_t origin[LUN_ALGORITHM_OPERANDS]; /* in buffers: where the operands' first elements are */
    void *scratch;                          /* algorithm_room's bytes */
    int64_t failed;                         /* out: if an element caused the failure, its number */
    /* Of an algorithm that takes ROWS, run on no lines: another run with the same rows, which this
     * run does too.  NULL: there is none. */
    struct lun_algorithm_run *beside;
} lun_algorithm_run;

/* ---- chains: kernels over the same rows, run a few rows at a time ----
 * The result of one kernel is still in the cache when the next one reads it; arrays that only the
 * chain needs are never stored as a whole. */

/* The result of a kernel of a chain: for each row an element, or a line of elements. */
typedef struct lun_chain_array {
    lun_dtype dtype;
    bool narrow; /* an element for each row */
    bool read;   /* by a later kernel of the chain */
    /* Where the element of row 0 is or would be: memory for the rows that are run, exactly their
     * elements; NULL: it is not stored. */
    void *data;
} lun_chain_array;

typedef struct lun_chain_slot {
    int array;    /* the chain's array that it is; -1: the slot of the launch */
    int64_t step; /* then, for memory: elements from one row's part to the next row's */
} lun_chain_slot;

/* A kernel, given as a launch over all indices of all rows: a line of indices for each row
 * (launch->line), each run on its own, within which the kernel's index counts; or one index for
 * each row (line 0).  In the launch, `slots` points to the first row's part, `room` is the number
 * of elements from there on that may be read; a stream is read row by row; `partials` is unused. */
typedef struct lun_chain_stage {
    lun_kernel *kernel;
    lun_launch *launch;
    const lun_chain_slot *slots;
    const int *results; /* by result of a REDUCE: the array that receives its converted cells */
    /* The rows that it is run for: a narrow array of bools of the chain, or bools in memory; the
     * results of other rows are undefined.  -1 and NULL: all rows. */
    int needed_array;
    const uint8_t *needed;
    int ran; /* out: whether it was run for any row */
} lun_chain_stage;

typedef struct lun_chain {
    /* Computes array 0, in blocks of rows, before the stages run; NULL: a stage does. */
    const lun_product *product;
    int64_t first, rows, line; /* rows first .. rows - 1 are run, all where there is a product */
    lun_chain_stage *stages;
    int count;
    const lun_chain_array *arrays;
    int array_count;
    int64_t bytes; /* bytes that the run reads from memory and writes to it */
    int failed;    /* out: the stage that failed; its launch has the trap */
} lun_chain;

/* ---- sweeps: kernels over one box that read neighbouring elements ----
 * They advance together, unit by unit, each behind those that it reads from; see base/sweep.h. */

/* An array of box.maker and box.size. */
typedef struct lun_sweep_array {
    lun_dtype dtype;
    const lun_padding *pad; /* elements beyond its ends, of the box's rank; NULL: none */
    void *to;               /* memory for the result of a stage, exactly its elements; NULL: it is
                               not stored */
    /* If no stage computes it: slot `slot` of stage `stage` has its elements, in memory or as a
     * stream. */
    int stage, slot;
} lun_sweep_array;

/* The launch covers all indices of the box; its slots that are no arrays of the sweep are as for
 * run.  The last stage may combine elements, in lanes (box.whole): into `partials`, as for run. */
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
    int64_t near;  /* bytes that rings may use */
    int64_t bytes; /* bytes that the run reads from memory and writes to it */
    int failed;    /* out: the stage that failed; its launch has the trap */
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

/* Of `parts` equal parts of a device, up to 1023, number `part` from 1 on, as the number of a
 * device; and what such a number says: parts 0: it is a whole device. */
static inline int lun__device_part(int device, int parts, int part)
{
    return device | parts << 10 | part << 20;
}
static inline int lun__device_number(int device)
{
    return device & 0x3ff;
}
static inline int lun__device_parts(int device)
{
    return device >> 10 & 0x3ff;
}

typedef struct lun_backend {
    const char *name; /* "reference", "openmp", "opencl" */
    bool lines;       /* runs launches with lines; else the engine launches for each line */
    bool teams; /* runs kernels of teams (lun_ir.threads): team t has the indices t * lanes ... of
                    lun__ir_lanes, of which the last may be nobody's */
    /* The most threads of a team whose kernel it runs as a work-group, each a work-item that waits
     * at BARRIERs: team t has the indices t * threads ...; *near: bytes of memory that slots which
     * are `shared` may take for a team.  0: none now.  NULL: never. */
    int (*groups)(void *state, int64_t *near);
    /* Whether a work-group of such a kernel, as it was compiled, can have all threads of a team;
     * where it cannot it does not run. */
    bool (*fits)(void *state, const lun_kernel *kernel);
    bool native; /* its kernels are host code on host memory: other backends may delegate to it */
    bool ranks; /* its devices are ranks: number 1 is this one, which computes by another backend */

    /* Creates a state.  LUN_EBACKEND with the reason in services->error if the machine lacks
     * something.  Must be cheap: compilers and devices are used only when they are needed.
     * device: one of the backend's devices, from 1; 0: the best ("opencl:2" means 2); with
     * lun__device_part a part of one.  LUN_EBACKEND with the reason in services->error. */
    lun_status (*open)(const lun_services *services, int device, void **state);
    void (*close)(void *state);
    /* `state` was just opened for a place of a set, `other` before for the same engine: from the
     * first buffer or kernel on they have in common what devices can, which `copy` needs.  NULL:
     * there is nothing. */
    void (*meet)(void *state, void *other);

    /* Makes a kernel of an IR and its canonical text, both borrowed for the duration of the call.
     * Must not wait for a compiler unless services->jit says so or the IR contains a CALL. */
    lun_status (*build)(void *state, const lun_ir *ir, const char *text, lun_kernel **out);
    void (*release)(void *state, lun_kernel *kernel);
    /* Prepares everything that a run needs, and waits for the compiler.  LUN_EBUILD with the
     * reason, LUN_ECANCEL when stopped.  NULL: a kernel is ready when it is built. */
    lun_status (*prepare)(void *state, lun_kernel *kernel);
    /* Whether work for the kernel is in progress that its release would waste, such as a
     * compilation: it is then released later.  True for few kernels at a time.  NULL: never. */
    bool (*busy)(void *state, const lun_kernel *kernel);

    /* Runs it and waits for its end; a backend with memory of its own waits only for results and
     * traps, and runs its kernels in order.  LUN_EZERO after a trapped division (launch->trap says
     * where); LUN_EIO if a stream could not be read (trap: its slot, trap_value: the error number);
     * LUN_ECANCEL when stopped; LUN_EBUILD if a CALL does not compile. */
    lun_status (*run)(void *state, lun_kernel *kernel, lun_launch *launch);

    /* The same in parts, so that several devices work at once; all NULL: there is only run.  submit
     * gives the device as much of a launch as it takes without waiting, but all of a kernel that
     * runs for the first time; advance gives it more, *given: that was all; collect waits for the
     * end and fails as run does.  One launch at a time: between submit and collect only
     * buffer_new, buffer_free, send and copy are called.  After a failure there is no launch. */
    lun_status (*submit)(void *state, lun_kernel *kernel, lun_launch *launch);
    lun_status (*advance)(void *state, bool *given);
    lun_status (*collect)(void *state);

    /* Runs a chain; fails as run does.  NULL: the engine builds no chains. */
    lun_status (*chain)(void *state, lun_chain *chain);

    /* Runs a sweep; fails as run does.  near: bytes of cache for each core, which limit how many
     * stages run together; <= 0: unknown.  Both NULL: the engine builds no sweeps. */
    lun_status (*sweep)(void *state, lun_sweep *sweep);
    int64_t (*near)(void *state);

    /* A level of the tree over chunks: row j of cells becomes the combination of rows 2j and 2j +
     * 1, for j < pairs (lun__order_join walks the levels).  Rows are as in launch->partials; they
     * may come from several launches, also on other backends, of the same IR with the same
     * arguments.  The kernel has run; of the launch only `args` is read.  Fails as run does. */
    lun_status (*combine)(void *state, lun_kernel *kernel, lun_launch *launch, uint64_t *cells,
                          int64_t pairs);

    /* Matrix products, in host memory unless the backend has its own; waits for the end, or begins
     * it, where settle waits and fails as this does.  room:
     * the bytes of scratch memory that it needs; it does not read the operands' elements.
     * LUN_ECANCEL when stopped.  If room is negative, or both are NULL, the native backend computes
     * the product, in host memory. */
    int64_t (*product_room)(void *state, const lun_product *p);
    lun_status (*product)(void *state, const lun_product *p);

    /* Algorithms on host memory; waits for the end.  room: the bytes of scratch memory that the run
     * needs.  LUN_ECANCEL when stopped; the algorithm's file lists its other failures.  Both NULL:
     * the native backend runs it. */
    int64_t (*algorithm_room)(void *state, const lun_algorithm_run *r);
    lun_status (*algorithm)(void *state, lun_algorithm_run *r);
    /* Whether the device does that algorithm in memory of its own, on buffers, without scratch: it
     * begins it, and settle waits, fills in r and fails as algorithm does.  NULL: none. */
    bool (*takes)(void *state, lun_algorithm which);
    lun_status (*begin_algorithm)(void *state, lun_algorithm_run *r);

    /* Appends the source text that would be compiled for this IR. */
    lun_status (*source)(void *state, const lun_ir *ir, lun_strbuf *out);

    /* Fills at most room rows and returns the number of devices. */
    int (*devices)(void *state, lun_device *rows, int room);

    /* Calls task for ranges that together cover 0 .. n - 1, on as many threads as moving this many
     * bytes of host memory justifies, and waits.  NULL: there is one thread. */
    void (*share)(void *state, int64_t n, int64_t bytes, void *ctx, lun_range_fn *task);

    /* ---- for backends with memory of their own, else NULL ----
     * Each fails with LUN_ENOMEM (LUN_ELIMIT: more than the device can hold at once) or
     * LUN_EBACKEND and the text in services->error; buffers survive a failure.  upload and download
     * return when `host` may be used again, keep up stats.bytes_to_device and bytes_to_host, and
     * wait for the kernels before them. */
    lun_status (*buffer_new)(void *state, int64_t bytes, lun_buffer **out); /* content undefined */
    void (*buffer_free)(void *state, lun_buffer *buffer); /* kernels under way may still use it */
    lun_status (*upload)(void *state, lun_buffer *to, int64_t offset, const void *host,
                         int64_t bytes);
    lun_status (*download)(void *state, lun_buffer *from, int64_t offset, void *host,
                           int64_t bytes);

    /* Beside kernels: returns at once, and what uses the buffers from now on comes after it.  send
     * is upload, but `host` must stay as it is until settle has returned, which waits for no
     * kernel but those that used the buffer before, and for products and algorithms that have
     * begun.  copy: between buffers of two states that
     * have met; *done false: they have no memory in common, and nothing was copied.  NULL: the
     * backend has none. */
    lun_status (*send)(void *state, lun_buffer *to, int64_t offset, const void *host,
                       int64_t bytes);
    lun_status (*settle)(void *state);
    lun_status (*copy)(void *state, lun_buffer *to, int64_t to_offset, void *other,
                       lun_buffer *from, int64_t from_offset, int64_t bytes, bool *done);

    /* Fills `to` with the padded array of elements of so many bytes whose array begins at element
     * `origin` of `from`; fails as run does. */
    lun_status (*pad)(void *state, const lun_padding *p, int bytes, const lun_buffer *from,
                      int64_t origin, lun_buffer *to);

    lun_status (*transfer)(void *state, const lun_transfer *t); /* fails as run does */

    /* Waits until all kernels before have ended; fails as run does. */
    lun_status (*finish)(void *state);
    /* Brings the counters up to date where they are kept elsewhere; may wait for that.  NULL: they
     * are. */
    void (*count)(void *state);
    /* Opens a state for another thread on the device of `state`, where buffer_new or finish
     * was called: it has kernels and a queue of its own, and each may use the other's buffers.  It
     * is closed first.  Of `state` nothing is read that changes. */
    lun_status (*beside)(void *state, const lun_services *services, int device, void **out);

    /* Appends the key under which other machines look up an entry: its first line names the version
     * and the machine's instruction set; it names no compiler.  Appends nothing for an entry of
     * another backend or machine.  key NULL: the first line only.  NULL: entries cannot be moved to
     * other machines. */
    void (*portable_key)(const char *key, size_t length, lun_strbuf *out);

    /* With `ranks`, on ranks other than 0: does what rank 0 asks for, by a device of another
     * backend, until rank 0 has ended.  Fails where the link does, or that cannot be opened. */
    lun_status (*serve)(const lun_services *services, const struct lun_backend *by, int device);

    /* True if it is the default backend, because there is a GPU.  Must not load a driver on a
     * machine without one.  NULL: false. */
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
/* Directory for a compiler's temporary files: private, 0700, created on first use; NULL if that
 * fails.  Owned by the cache. */
const char *lun__cache_scratch(lun_cache *cache);
/* Waits at most wait_ms for the lock that the processes which use this directory share; -1: it
 * could not be acquired.  A process that ends releases it. */
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
