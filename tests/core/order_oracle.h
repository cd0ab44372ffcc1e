/* order_oracle.h - reductions in the order that ir/combine_order.h states, written out element
 * by element on cells. */
#ifndef TEST_ORDER_ORACLE_H
#define TEST_ORDER_ORACLE_H

#include "kernels.h"

#include <math.h>

/* ---- one combination ------------------------------------------------------------------------- */

/* f(a, b), on cells of dtype t. A function: op LUN_OP_COUNT + 1 or + 2. */
typedef struct combiner {
    int op;
    lun_dtype t;
} combiner;

enum { MIX = LUN_OP_COUNT + 1, BRANCH = LUN_OP_COUNT + 2 };

static inline uint64_t from_i32(int32_t x)
{
    return (uint32_t)x;
}

static inline uint64_t combine_whole(const combiner *f, uint64_t a, uint64_t b)
{
    int bits = 8 * lun__dtype_get(f->t)->bytes;
    uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1, r = 0;
    bool is_signed = lun__dtype_get(f->t)->kind == LUN_KIND_SIGNED;
    uint64_t flip = is_signed ? (uint64_t)1 << (bits - 1) : 0; /* orders signed ones too */
    bool less = ((a & mask) ^ flip) < ((b & mask) ^ flip);
    switch (f->op) {
    case LUN_OP_ADD:
        r = a + b;
        break;
    case LUN_OP_MUL:
        r = a * b;
        break;
    case LUN_OP_BAND:
        r = a & b;
        break;
    case LUN_OP_BOR:
        r = a | b;
        break;
    case LUN_OP_BXOR:
        r = a ^ b;
        break;
    case LUN_OP_LAND:
        r = a && b;
        break;
    case LUN_OP_LOR:
        r = a || b;
        break;
    case LUN_OP_MIN:
    case LUN_OP_FMIN:
        r = less ? a : b;
        break;
    case LUN_OP_MAX:
    case LUN_OP_FMAX:
        r = less ? b : a;
        break;
    case MIX:
        return from_i32((int32_t)((uint32_t)a * 3u + (uint32_t)b));
    case BRANCH: {
        int32_t x = (int32_t)a, y = (int32_t)b;
        for (int k = 0; k < (y & 3); k++)
            x = (int32_t)((uint32_t)x + (uint32_t)y);
        return from_i32(x < y ? y : x);
    }
    default:
        abort();
    }
    return r & mask;
}

static inline double combine_float(int op, double a, double b)
{
    switch (op) {
    case LUN_OP_ADD:
        return a + b;
    case LUN_OP_MUL:
        return a * b;
    case LUN_OP_MIN:
        return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
    case LUN_OP_MAX:
        return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
    case LUN_OP_FMIN:
        return isnan(a) ? b : isnan(b) || a < b ? a : b;
    case LUN_OP_FMAX:
        return isnan(a) ? b : isnan(b) || a > b ? a : b;
    default:
        abort();
    }
}

static inline uint64_t apply(const combiner *f, uint64_t a, uint64_t b)
{
    uint64_t cell = 0;
    if (f->t == LUN_F32) {
        float x, y, r;
        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        r = (float)combine_float(f->op, (double)x, (double)y);
        memcpy(&cell, &r, 4);
    } else if (f->t == LUN_F64) {
        double x, y, r;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        r = combine_float(f->op, x, y);
        memcpy(&cell, &r, 8);
    } else {
        cell = combine_whole(f, a, b);
    }
    return cell;
}

/* ---- the order ------------------------------------------------------------------------------- */

static inline bool has_lanes(const combiner *f)
{
    return f->op < LUN_OP_COUNT && f->op != LUN_OP_FMIN && f->op != LUN_OP_FMAX;
}

static inline uint64_t neutral(const combiner *f)
{
    lun_value v = {.dtype = LUN_F64};
    v.as.d = f->op == LUN_OP_MIN ? INFINITY : f->op == LUN_OP_MAX ? -INFINITY : 0;
    if (f->op == LUN_OP_MUL || f->op == LUN_OP_LAND)
        v.as.d = 1;
    if (f->op == LUN_OP_BAND)
        return UINT64_MAX >> (64 - 8 * lun__dtype_get(f->t)->bytes);
    return lun__dtype_cell_from_value(f->t, v);
}

static inline uint64_t pair_tree(const combiner *f, const uint64_t *x, int64_t n)
{
    if (n < 1)
        return neutral(f);
    uint64_t *level = malloc((size_t)n * sizeof *level), root;
    memcpy(level, x, (size_t)n * sizeof *level);
    while (n > 1) {
        int64_t up = 0;
        for (int64_t j = 0; j < n; j += 2)
            level[up++] = j + 1 < n ? apply(f, level[j], level[j + 1]) : level[j];
        n = up;
    }
    root = level[0];
    free(level);
    return root;
}

static inline uint64_t chunk_value(const combiner *f, const uint64_t *x, int64_t n)
{
    uint64_t lane[64];
    if (!has_lanes(f))
        return pair_tree(f, x, n);
    for (int l = 0; l < 64; l++) {
        lane[l] = neutral(f);
        for (int64_t i = l; i < (n + 63) / 64 * 64; i += 64)
            lane[l] = apply(f, lane[l], i < n ? x[i] : neutral(f));
    }
    for (int s = 32; s > 0; s /= 2)
        for (int l = 0; l < s; l++)
            lane[l] = apply(f, lane[l], lane[l + s]);
    return lane[0];
}

static inline uint64_t reduced(const combiner *f, const uint64_t *x, int64_t n)
{
    uint64_t part[64];
    int64_t chunks = 0;
    for (int64_t i = 0; i < n; i += LUN_CHUNK)
        part[chunks++] = chunk_value(f, x + i, n - i < LUN_CHUNK ? n - i : LUN_CHUNK);
    return pair_tree(f, part, chunks);
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* NaNs count as equal: their bits depend on the order of operands in an instruction. */
static inline bool same(lun_dtype t, uint64_t a, uint64_t b)
{
    lun_value x = lun__dtype_cell_to_value(t, a), y = lun__dtype_cell_to_value(t, b);
    if (x.dtype == LUN_F64 && isnan(x.as.d) && isnan(y.as.d))
        return true;
    return a == b;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The IR forms of MIX and BRANCH. */
static inline void make_function(lun_ir_function *f, lun_ir *body, int op)
{
    *f = (lun_ir_function){.body = body, .outputs = 1, .params = 2, .result = LUN_I32};
    f->param[0].dtype = f->param[1].dtype = LUN_I32;
    lun__ir_init(body);
    int32_t x = ir_arg(body, LUN_I32), y = ir_arg(body, LUN_I32),
            three = ir_const(body, LUN_I32, 3);
    if (op == MIX) {
        int32_t product = ir_op(body, LUN_OP_MUL, LUN_I32, x, three, -1);
        f->output[0] = ir_op(body, LUN_OP_ADD, LUN_I32, product, y, -1);
        return;
    }
    int32_t zero = ir_const(body, LUN_I32, 0), one = ir_const(body, LUN_I32, 1);
    int32_t times = ir_op(body, LUN_OP_BAND, LUN_I32, y, three, -1);
    int32_t r = ir_flow(body, LUN_IR_VAR, x, -1, 0), k = ir_flow(body, LUN_IR_VAR, zero, -1, 0);
    ir_flow(body, LUN_IR_LOOP, -1, -1, 0);
    int32_t now = ir_flow(body, LUN_IR_GET, k, -1, 0);
    ir_flow(body, LUN_IR_IF, ir_op(body, LUN_OP_GE, LUN_I32, now, times, -1), -1, 0);
    ir_flow(body, LUN_IR_BREAK, -1, -1, 0);
    ir_flow(body, LUN_IR_END, -1, -1, 0);
    int32_t old = ir_flow(body, LUN_IR_GET, r, -1, 0);
    ir_flow(body, LUN_IR_SET, r, ir_op(body, LUN_OP_ADD, LUN_I32, old, y, -1), 0);
    ir_flow(body, LUN_IR_SET, k, ir_op(body, LUN_OP_ADD, LUN_I32, now, one, -1), 0);
    ir_flow(body, LUN_IR_END, -1, -1, 0);
    int32_t last = ir_flow(body, LUN_IR_GET, r, -1, 0);
    ir_flow(body, LUN_IR_IF, ir_op(body, LUN_OP_LT, LUN_I32, last, y, -1), -1, 0);
    ir_flow(body, LUN_IR_SET, r, y, 0);
    ir_flow(body, LUN_IR_END, -1, -1, 0);
    f->output[0] = ir_flow(body, LUN_IR_GET, r, -1, 0);
}

#endif
