/* render.h - kernel IR rendered as C-family source text: the face of the renderer.
 *
 * One entry per language. The result is text, and what the text must be linked with. */
#ifndef LUN_RENDER_RENDER_H
#define LUN_RENDER_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"
#include "base/layout/layout.h"
#include "base/layout/pad_rows.h"
#include "base/strbuf.h"
#include "ir/ir.h"
#include "isa/isa.h"

/* Changes whenever struct lun_frame or the meaning of the exported functions does. */
enum { LUN_RENDER_ABI = 2 };

enum {
    LUN_RENDER_LIBM = 1,  /* link with -lm */
    LUN_RENDER_LOOPS = 2, /* it has loops that gain by all optimisation, -O3 */
    LUN_RENDER_USER = 4,  /* it holds users' C text */
    LUN_RENDER_SINGLE = 8 /* it computes single elements: branches gain where they stay */
};

typedef struct lun_render_target {
    lun_isa isa;
    int version; /* of the bits; LUN_VERSION_NONE: math functions are the C library's, one element
                    at a time */
} lun_render_target;

/* C with GNU vectors for host/host.h's way of running: exports lun_kernel and, for kernels with a
 * SCAN, lun_total (both lun_chunk_fn) and, for kernels with REDUCE or SCAN, lun_combine.  Equal IR
 * and target give equal text.  LUN_ENOMEM, or LUN_EARG with the reason appended to out. */
lun_status lun__gnu_render(const lun_ir *ir, const lun_render_target *target, lun_strbuf *out,
                           unsigned *needs);

/* ---- OpenCL C ---------------------------------------------------------------------------------
 *
 * One program text for each kernel.  All its entries take the same arguments, in this order:
 *
 *   0            __constant ulong *cells   head[LUN_CL_HEAD] of the plan, then for each slot its
 *                                          origin (lun_launch.origin: elements before element 0),
 *                                          then for each argument its cell: LUN_CL_HEAD + slots +
 *                                          args cells of 8 bytes
 *   1 .. slots   __global T *              slot number 0, 1, ...: the buffer's start
 *   slots + 1    __global ulong *work      only if plan.work > 0: memory of the run, plan.work
 *                                          cells
 *   the last     volatile __global int *stop   only if shape.stops: a word that is 0 until the
 *                                          launch shall end; results are then without meaning
 *
 * A run: lun__cl_plan_make; if plan.work > 0, have a buffer of at least plan.work cells and set its
 * first plan.clear cells to 0; fill `cells`; run plan.step[0 .. steps) in order, one-dimensional,
 * offset 0, with exactly that global and local size (kernels with REDUCE or SCAN demand that local
 * size); then, if plan.read > 0, read the first plan.read cells of work.  A step with chunks may
 * also be run in parts, one after the other, each with a global size for its chunks and the number
 * of its first one in head[4].  The cells that are read:
 *
 *   work[0]          0, or 1 + the instruction that trapped (a CHECK: LUN_EBOUNDS; else LUN_EZERO)
 *   work[1]          the value that a CHECK reports, an int64_t
 *   work[2 + c*r+k]  result k of r for chunk c of the range, as a cell of its dtype
 *
 * A kernel with shape.stops polls the stop flag every so many rounds of its loops: 32, or in the
 * SCALAR form, where the flag may be far from the device, up to 4096.  Only where target.coherent;
 * elsewhere a kernel that was given to the device runs to its end.
 *
 * After a trap, results and what was stored are without meaning.  If several indices trap, any one
 * of them is reported.  Behind these cells a scan keeps its totals and carries.  Memory in `work`
 * and `cells` may be used again when the last step has ended.
 *
 * The host joins the chunks (ir/combine_order.h).  Where shape.pairs the text has lun_pairs, which
 * does a level of the tree: a run by lun__cl_plan_pairs, for which the 2 * pairs rows to combine
 * are in work from cell 2 + pairs * r on, and after which row j of those read is the combination of
 * rows 2j and 2j + 1.  It reads `args` and, with shape.arrays, whole arrays in slots: any address
 * will do for other slots.  Without shape.math and shape.arrays the host may combine by itself and
 * gets the same bits.
 *
 * Of a stage of a scan the plan is lun__cl_plan_stage; its cells are in work from cell 2 on.
 *
 * Of a launch by segments (lun_launch.segment) the plan is lun__cl_plan_segments, and `chunk c` is
 * segment c.
 *
 * Both forms give the bits of ir/combine_order.h's order, math functions those of
 * math/sequence.h.
 *
 * LUN_CL_VECTOR: a work-item is a work-group and streams chunks in GNU vectors; for CPU devices
 * whose compiler is clang (PoCL).  It reads IN slots up to the next whole block of 64 elements:
 * behind the last element of every buffer there must be LUN_CL_SLACK more bytes.  It never writes
 * outside first .. n-1.
 *
 * LUN_CL_SCALAR: plain OpenCL C 1.2, one element for each work-item at a time; for GPUs, and for
 * devices whose compiler refuses the other form.  Touches nothing outside first .. n-1.
 *
 * A kernel of teams (lun_ir.threads), always in the SCALAR form: a team is a work-group, the
 * plan's first index the first thread of one.  Its threads wait for one another at BARRIERs; slots
 * that are `shared` are local memory, those that are `own` private.  A thread that fails, or is
 * stopped, does nothing more until the next barrier, where all of the team end.
 *
 * Build with LUN_CL_OPTIONS, and with LUN_CL_ROUNDED where the device's CL_DEVICE_SINGLE_FP_CONFIG
 * has CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT; with no option that relaxes arithmetic. */
#define LUN_CL_OPTIONS "-cl-std=CL1.2 -w" /* a driver must not print either */
#define LUN_CL_ROUNDED "-cl-fp32-correctly-rounded-divide-sqrt"

enum {
    LUN_CL_HEAD = 7,
    LUN_CL_LINE = 5,  /* of head: indices of a segment, 0: there are no segments */
    LUN_CL_WIDE,      /* of head, SCALAR: with segments: lanes of one, a power of two */
    LUN_CL_STEPS = 4, /* kernels of a text; a plan has at most 3 of them */
    LUN_CL_SLACK = 64 * 8,
    LUN_CL_TEAM_BYTES = 8, /* of local memory that a kernel of teams takes beside its slots */
    LUN_CL_ABI = 6         /* changes whenever what is said above does */
};

typedef enum lun_cl_form { LUN_CL_VECTOR, LUN_CL_SCALAR } lun_cl_form;

typedef struct lun_cl_target {
    lun_cl_form form;
    bool fp64;         /* cl_khr_fp64 */
    bool wide_atomics; /* cl_khr_int64_base_atomics */
    bool more_atomics; /* cl_khr_int64_extended_atomics */
    bool plain_reads; /* a volatile read of a cell that others change at once gives what one of them
                          left there: a processor's */
    bool coherent;    /* a running kernel sees host writes: its loops may poll the stop flag */
    /* VECTOR: of a native vector: 16, 32 or 64 (4 * CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT) */
    int bytes;
    int version; /* of the bits */
    /* What of IEEE 754's arithmetic the device lacks in f32 and in f64; NULL: nothing. */
    const char *lacks[2];
} lun_cl_target;

/* What a plan needs to know of a text; plain data, may be copied and kept. */
typedef struct lun_cl_shape {
    lun_cl_form form;
    int slots, args, results;
    bool scan, traps;
    bool stops;       /* its loops end at once when the word `stop` is set */
    bool pairs, math; /* it has lun_pairs; a combining function uses the device's math functions, */
    bool arrays;      /* indexes arrays */
    int64_t cost;     /* lun__ir_cost */
    size_t local_bytes; /* local memory of its most demanding entry (declared in the text) */
    int team;           /* threads of a team, each a work-item of its group; 0: there are none */
    int group; /* elements of a work-group, for kernels without REDUCE and SCAN, at the host's
                           choice; 0: as the plan thinks best.  VECTOR: in whole blocks of 64 */
} lun_cl_shape;

typedef struct lun_cl_plan {
    int64_t head[LUN_CL_HEAD];
    int64_t work, clear, read; /* in cells of 8 bytes; clear is 0 or 2 */
    int steps;                 /* 0: nothing to run (count == 0) */
    struct {
        const char
            *kernel; /* "lun_kernel", "lun_segments", "lun_total", "lun_carry", "lun_pairs" */
        size_t global, local;
        int64_t chunks; /* one for each group; 0: a group for all, or for any */
    } step[LUN_CL_STEPS];
} lun_cl_plan;

/* Renders.  LUN_ENOMEM, or with the reason appended to out (which then holds nothing else):
 * LUN_EDTYPE if the IR needs f64 and the device has none (f32 sums, products and their scans are
 * accumulated in f64, so they need it too), LUN_EARG for what cannot be rendered. */
lun_status lun__cl_dialect_render(const lun_ir *ir, const lun_cl_target *target, lun_strbuf *out,
                                  lun_cl_shape *shape);

/* For indices first .. first + count - 1 (lun_launch's) on a device of so many compute units. */
void lun__cl_plan_make(const lun_cl_shape *shape, int64_t first, int64_t count, int units,
                       lun_cl_plan *plan);
/* For a stage of a scan, not ALL, of indices 0 .. count - 1, count > 0. */
void lun__cl_plan_stage(const lun_cl_shape *shape, lun_stage stage, int64_t count,
                        lun_cl_plan *plan);
/* For `segments` segments of so many indices each, of a kernel with REDUCE or SCAN. */
void lun__cl_plan_segments(const lun_cl_shape *shape, int64_t segments, int64_t segment, int units,
                           lun_cl_plan *plan);
/* For a level of that many pairs of rows; only where shape->pairs. */
void lun__cl_plan_pairs(const lun_cl_shape *shape, int64_t pairs, lun_cl_plan *plan);

/* ---- elements that are moved -------------------------------------------------------------------
 *
 * Texts that depend on nothing but the size of an element. */
typedef enum lun_cl_builtin {
    LUN_CL_PACK,
    LUN_CL_PAD,
    LUN_CL_TRANSFER,
    LUN_CL_BUILTINS
} lun_cl_builtin;

/* The text for elements of 1, 2, 4 or 8 bytes; offsets to pack need that of 8.  LUN_ENOMEM. */
lun_status lun__cl_dialect_builtin(lun_cl_builtin which, lun_cl_form form, int bytes,
                                   lun_strbuf *out);

/* ---- packing ----------------------------------------------------------------------------------
 *
 * Kernels read slots whose elements are side by side.  Those of strided slots are copied so by a
 * kernel with these arguments:
 *
 *   0   __constant long *cells     LUN_CL_PACK_CELLS of them, as lun__pack_kernel_plan fills them
 *   1   __global const T *from     the buffer's start; of offsets any memory
 *   2   __global T *to             element `first` goes to its start; of offsets a long */
enum { LUN_CL_PACK_CELLS = 29 };

/* Elements first .. first + count - 1 of a layout whose base is `origin` elements from the start of
 * a buffer; or their offsets themselves.  The layout is simplified, count > 0. */
typedef struct lun_cl_packing {
    const lun_layout *layout;
    int64_t origin, first, count;
    bool places;
} lun_cl_packing;

/* The step of a plan and the cells for it. */
void lun__pack_kernel_plan(lun_cl_form form, const lun_cl_packing *packing, int units,
                           int64_t *cells, lun_cl_plan *plan);

/* ---- padding -----------------------------------------------------------------------------------
 *
 * An array with elements beyond its ends is made by a kernel with these arguments: __constant long
 * *cells, LUN_CL_PAD_CELLS of them as lun__pad_kernel_plan fills them, the starts of the array's
 * buffer and of the padded array's. */
enum { LUN_CL_PAD_CELLS = 6 + 4 * LUN_LAYOUT_RANK };

/* The padded array; element 0 of the array is `origin` elements from the start of its buffer. */
typedef struct lun_cl_padding {
    const lun_padding *padding;
    int64_t origin;
} lun_cl_padding;

/* The step of a plan for elements first .. first + count - 1, count > 0, and the cells for it. */
void lun__pad_kernel_plan(lun_cl_form form, const lun_cl_padding *p, int64_t first, int64_t count,
                          int units, int64_t *cells, lun_cl_plan *plan);

/* ---- transfers ---------------------------------------------------------------------------------
 *
 * Elements go to other offsets by kernels with these arguments: __constant long *cells,
 * LUN_CL_TRANSFER_CELLS of them as lun__transfer_kernel_plan fills them, the starts of the
 * buffer that is read (of a fill any) and of the one that is written. */
enum { LUN_CL_TRANSFER_CELLS = 4 + 2 * (2 + 2 * LUN_LAYOUT_RANK) };

/* The step of a plan for elements first .. first + count - 1, count > 0, and the cells for it. */
void lun__transfer_kernel_plan(lun_cl_form form, const lun_transfer *t, int64_t first,
                               int64_t count, int units, int64_t *cells, lun_cl_plan *plan);

/* ---- coherence ------------------------------------------------------------------------------- */

/* The text of lun_listen(__constant long *c, __global int *to, volatile __global int *stop), which
 * reads the word up to c[0] times and says in to[0]: 1 if it was not 0 at the start, 2 if it became
 * so meanwhile, else 0.  One work-item.  LUN_ENOMEM. */
lun_status lun__cl_dialect_coherence(lun_strbuf *out);

/* ---- math functions -------------------------------------------------------------------------- */

/* The text of lun_math(__constant long *c, __global T *x, __global T *y, __global T *to): to[i] is
 * an operation of math/sequence.h of x[i], and y[i], for i below c[0], a work-item each.
 * LUN_ENOMEM. */
lun_status lun__cl_dialect_math(lun_op op, lun_dtype dtype, int version, lun_strbuf *out);

/* ---- matrix products --------------------------------------------------------------------------
 *
 * A kernel of a text that depends on the dtypes alone, in the SCALAR form: a work-group computes a
 * square of the result.  Its arguments: __constant long *cells, LUN_CL_PRODUCT_CELLS of them as
 * lun__product_kernel_plan fills them, the starts of the buffers of both operands and of the
 * result. */
enum { LUN_CL_PRODUCT_CELLS = 14 };

/* Squares first .. first + count - 1 of the products of a batch from `number` on, whose operands
 * are so many elements apart, for values begin .. end - 1 of k: begin is a multiple of 256, and
 * what is before it is in the result. */
typedef struct lun_cl_product {
    int64_t number, batch[2], first, count, begin, end;
} lun_cl_product;

/* The text for operands of PLAIN dtypes and a result of lun_product's.  LUN_ENOMEM. */
lun_status lun__cl_dialect_product(lun_dtype a, lun_dtype b, lun_dtype c, lun_strbuf *out);
/* Squares of one product. */
int64_t lun__product_kernel_squares(const lun_product *p);
/* The step of a plan and the cells for it. */
void lun__product_kernel_plan(const lun_product *p, const lun_cl_product *part, int64_t *cells,
                              lun_cl_plan *plan);

#endif
