/* work.h - what the engine asks a backend to do (backend.h): launches of kernels, products,
 * algorithms, chains, sweeps, transfers.  It must not know who does it. */
#ifndef LUN_WORK_H
#define LUN_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/layout/layout.h"
#include "base/layout/pad_rows.h"
#include "base/layout/sweep_geometry.h"
#include "ir/combine_order.h"
#include "ir/ir.h"
#include "ir/races.h"
#include "lunarray.h"
#include "table/algorithm.h"

typedef struct lun_kernel lun_kernel; /* the backend's own */
typedef struct lun_buffer lun_buffer; /* memory of a device, the backend's own */

/* Processes indices from .. to - 1 of some work, concurrently with other calls; cannot fail. */
typedef void lun_range_fn(void *ctx, int64_t from, int64_t to);

/* A slot whose elements are not contiguous in memory: read copies elements first .. first+count-1,
 * from any thread; it returns 0 or an error number.  Element i of the slot is element `origin` + i
 * of the source.  An OUT slot has `write` instead, which takes elements to where a layout says.
 * layout  read
 * NULL    from a file
 * a layout from host memory, or only numbers: the positions themselves, as i64 (is_offsets); for
 *         backends with memory of their own, from the slot's buffer: read is not called there */
enum { LUN_STREAM_COLUMNS = 64 }; /* that are read together, at most */
typedef struct lun_stream_run lun_stream_run;
typedef struct lun_stream {
    /* NULL: contiguous; or with a layout and no write, in launches with turns, also for OUT slots:
     * each segment is contiguous from the position that the layout gives for its first element; for
     * UNIFORM and ARRAY slots: that position is element 0 for the segment */
    int (*read)(const void *self, int64_t first, int64_t count, void *to);
    const void *self;
    void (*write)(const void *self, int64_t first, int64_t count, const void *from);
    int64_t origin;
    const lun_layout *layout;
    bool is_offsets;
    /* columns > 0: this slot and those that follow it by `next`, so many, have elements side by
     * side at each index.  read_columns reads the first ones; false: nothing is read, for it is no
     * faster than reading each. */
    int columns, next; /* next: the number of the slot counted from 1; 0: it is the last */
    bool (*read_columns)(const void *self, int columns, int64_t first, int64_t count,
                         void *const *to);
    /* NULL, or how elements from `first` on stand in memory; elements first, first + segment,
     * ... of such a run, `count` in number, to memory */
    lun_stream_run (*run)(const void *self, int64_t first);
    void (*column)(const void *self, int64_t first, int64_t count, void *to);
    /* > 0, with a layout on host memory: the slot points to where the layout counts from, and so
     * many elements from there on may be touched; 0: through read and write alone. */
    int64_t room;
} lun_stream;
/* `count` elements (0: they do not) side by side from `at` on, whole blocks of which may be read.
 * Of each `segment` of them, of which the first one is number `column`, numbers low .. high - 1 are
 * the stream's; others stand beyond an end, and what is found there is another element. */
struct lun_stream_run {
    const void *at;
    int64_t count, segment, column, low, high;
};

/* One run of a kernel over indices first .. first+count-1 of its n.
 * A slot points to host memory, to where element 0 is or would be; for backends with memory of
 * their own it is a lun_buffer, in which element 0 is or would be `origin` elements from the
 * start.  Only indices first .. first+count-1 are accessed; blocks of 64 may be completed within
 * room.  first % 64 == 0; for kernels with REDUCE first % LUN_CHUNK == 0 (ir/combine_order.h);
 * first == 0 and count == n for kernels with SCAN and where there are segments; of a SCAN's stage
 * first == 0. */
typedef struct lun_launch {
    int64_t n, first, count;
    /* REDUCE and SCAN process each segment of this many indices, at most LUN_CHUNK, on its own:
     * n % segment == 0; the kernel's index counts within one; 0: no segments. */
    int64_t segment;
    /* > 0: segments of an elementwise kernel, whose length is a multiple of 64, on host memory or a
     * device that runs such launches.  One thread runs this many consecutive segments in order:
     * a segment may read what earlier ones wrote, and slots advance by a constant distance from
     * segment to segment. */
    int64_t turns;
    void **slots; /* by slot */
    const int64_t
        *room; /* by slot: elements from element 0 that may be read (IN) or written (OUT) */
    const int64_t *origin; /* by slot, for backends with memory of their own, else NULL */
    /* by slot, for IN slots that no GATHER reads and, on host memory, OUT slots of elementwise
     * kernels, with turns for all slots, which are not read then; NULL: all are contiguous.  For
     * backends with memory of their own never files. */
    const lun_stream *streams;
    const uint64_t *args; /* by argument: a cell */
    /* out, for kernels with REDUCE: a row for each chunk of the range, or each segment, in order; a
     * row has a cell for each result, in its dtype.  Unchanged if count == 0.  With a stage: a cell
     * for each chunk of the SCAN. */
    uint64_t *partials;
    lun_stage
        stage;     /* of a kernel with a SCAN and neither REDUCE nor segments: what is done of it */
    int64_t bytes; /* bytes that the run reads and writes; decides how it stores */
    bool whole;    /* on host memory: once it has begun it is not stopped by any request */
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
    /* Of a kernel with MEETs: several workers run each index together, one index after the other.
     * Arguments `crew` and the next one are the first and the last of the parts of all; a worker
     * gets some of them instead.  0: one worker runs an index, and MEET is nothing. */
    int crew;
} lun_launch;

/* An operand of lun_product, a batch of matrices: element (i, j) of matrix n is at
 * lun__layout_offset(&batch, n) + i * row + j * column elements from `data`. */
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
    void *scratch; /* what `takes` asks for */
    int64_t pitch; /* > 0, in a chain: it is computed in blocks of whole rows, whose rows are this
                      many elements apart; c may be NULL */
} lun_product;

/* An operand or a result of an algorithm: n contiguous elements in host memory, or of a lun_buffer
 * of a backend with memory of its own, unless they are few and `here`. */
typedef struct lun_column {
    void *data;
    lun_dtype dtype;
    int64_t n;
    bool here;
} lun_column;

static inline lun_column lun__work_column(void *data, lun_dtype t, int64_t n)
{
    return (lun_column){.data = data, .dtype = t, .n = n};
}

/* One run of an algorithm of table/algorithms.def. */
typedef struct lun_algorithm_run {
    lun_algorithm which;
    lun_column in[LUN_ALGORITHM_OPERANDS]; /* read only */
    /* n: elements that fit; if the length is FOUND, it is set to the number of results; if it is
     * FEW also, to 0 where there are more than fit */
    lun_column out[LUN_ALGORITHM_RESULTS];
    int64_t
        segment;   /* length of a segment, each of which is processed on its own; 0: there is one */
    int64_t first; /* of a run on a piece: the number of its first element */
    uint64_t option[LUN_ALGORITHM_OPTIONS];
    int64_t every; /* of ORDERED: by so many elements samples are apart, > 0 */
    /* in buffers: where the operands' first elements are, and the results' */
    int64_t origin[LUN_ALGORITHM_OPERANDS], to_origin[LUN_ALGORITHM_RESULTS];
    void *scratch; /* what `takes` asks for */
    /* Of GROUP: a run that needs other scratch memory than it has gives no results and sets `way`,
     * 0 at first; it is to be repeated.  The least and the greatest key, where that is not 0. */
    int way;
    uint64_t range[2];
    int64_t failed;           /* out: if an element caused the failure, its number */
    int64_t matrix, matrices; /* out: of which matrix that is the pivot, from 1, of how many */
    /* Of an algorithm that takes ROWS, run on no segments: another run with the same rows, which
     * this run does too.  NULL: there is none. */
    struct lun_algorithm_run *beside;
} lun_algorithm_run;

/* ---- chains: kernels over the same rows, run a few rows at a time ----
 * The result of one kernel is still in the cache when the next one reads it; arrays that only the
 * chain needs are never stored as a whole. */

/* The result of a kernel of a chain: for each row an element, or a segment of elements. */
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

/* A kernel, given as a launch over all indices of all rows: a segment of indices for each row
 * (launch->segment), each run on its own, within which the kernel's index counts; or one index for
 * each row (segment 0).  In the launch, `slots` points to the first row's part, `room` is the
 * number of elements from there on that may be read; a stream is read row by row; `partials` is
 * unused. */
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
    int64_t first, rows, segment; /* rows first .. rows - 1 are run, all where there is a product */
    lun_chain_stage *stages;
    int count;
    const lun_chain_array *arrays;
    int array_count;
    int64_t bytes; /* bytes that the run reads from memory and writes to it */
    int failed;    /* out: the stage that failed; its launch has the trap */
} lun_chain;

/* ---- sweeps: kernels over one box that read neighbouring elements ----
 * They advance together, unit by unit, each behind those that it reads from; see
 * base/layout/sweep_geometry.h. */

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

/* ---- one of these ---------------------------------------------------------------------------- */

typedef enum lun_work_kind {
    /* Runs a kernel. */
    LUN_WORK_LAUNCH,
    /* A level of the tree over chunks: row j of cells becomes the combination of rows 2j and 2j +
     * 1, for j < pairs (lun__order_join walks the levels).  Rows are as in launch->partials; they
     * may come from several launches, also on other backends, of the same IR and arguments.
     * The kernel has run; of the launch only `args` is read, and slots that a function indexes. */
    LUN_WORK_COMBINE,
    LUN_WORK_CHAIN,
    LUN_WORK_SWEEP,
    /* In host memory unless the backend has its own. */
    LUN_WORK_PRODUCT,
    /* In host memory; of a backend with memory of its own on buffers, without scratch.  Whether it
     * is taken hangs on `which` alone there. */
    LUN_WORK_ALGORITHM,
    /* Fills `to` with the padded array of elements of so many bytes whose array begins at element
     * `origin` of `from`. */
    LUN_WORK_PAD,
    LUN_WORK_TRANSFER,
    /* Calls task for ranges that together cover 0 .. n - 1, on as many threads as moving so many
     * bytes of host memory justifies; cannot fail. */
    LUN_WORK_SHARE
} lun_work_kind;

typedef struct lun_work_run {
    lun_kernel *kernel; /* NULL: `takes` is asked before it is built, of the IR */
    const lun_ir *ir;
    lun_launch *launch;
    uint64_t *cells; /* of COMBINE, as is pairs */
    int64_t pairs;
} lun_work_run;

typedef struct lun_work_pad {
    const lun_padding *pad;
    int bytes;
    const lun_buffer *from;
    int64_t origin;
    lun_buffer *to;
} lun_work_pad;

typedef struct lun_work_share {
    int64_t n, bytes;
    void *ctx;
    lun_range_fn *task;
} lun_work_share;

typedef struct lun_work {
    lun_work_kind kind;
    union {
        lun_work_run run; /* LAUNCH, COMBINE */
        lun_chain *chain;
        lun_sweep *sweep;
        const lun_product *product;
        lun_algorithm_run *algorithm;
        lun_work_pad pad;
        const lun_transfer *transfer;
        lun_work_share share;
    } is;
} lun_work;

static inline lun_work lun__work_launch(lun_kernel *kernel, lun_launch *launch)
{
    return (lun_work){.kind = LUN_WORK_LAUNCH, .is.run = {.kernel = kernel, .launch = launch}};
}

static inline lun_work lun__work_combine(lun_kernel *kernel, lun_launch *launch, uint64_t *cells,
                                         int64_t pairs)
{
    return (lun_work){
        .kind = LUN_WORK_COMBINE,
        .is.run = {.kernel = kernel, .launch = launch, .cells = cells, .pairs = pairs}};
}

#endif
