/* combine_order.c - the tree of adjacent pairs and the first value of a scan; see
 * combine_order.h. */
#include "ir/combine_order.h"

#include <string.h>

const lun_order_row lun__order_numbers[] = {
    {"lanes", LUN_LANES},           {"chunk", LUN_CHUNK},
    {"scan_chunk", LUN_SCAN_CHUNK}, {"scan_group", LUN_SCAN_GROUP},
    {"block", LUN_ORDER_BLOCK},     {"running_line", LUN_RUNNING_SEGMENT},
    {"part", LUN_ORDER_PART},       {NULL, 0},
};

#include "math/op_cell.h"
#include "table/op.h"

bool lun__order_free(const lun_ir *ir)
{
    const lun_ir_ins *scan = &ir->ins[ir->scan];
    return ir->result_count == 0 && scan->op < LUN_OP_COUNT &&
           lun__op_get((lun_op)scan->op)->flags & LUN_OPF_ASSOC &&
           !lun__dtype_is_float((lun_dtype)scan->dtype);
}

bool lun__order_in_lanes(const lun_ir *ir)
{
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        uint64_t identity;
        if (ins->kind == LUN_IR_REDUCE &&
            (ins->with_index || ins->op >= LUN_OP_COUNT ||
             !(lun__op_get((lun_op)ins->op)->flags & LUN_OPF_COMM) ||
             !lun__op_identity((lun_op)ins->op, (lun_dtype)ins->dtype, &identity)))
            return false;
    }
    return ir->result_count > 0;
}

lun_status lun__order_join(void *rows, int64_t n, size_t bytes, lun_order_level level, void *ctx)
{
    char *row = rows;
    lun_status s = LUN_OK;
    for (; s == LUN_OK && n > 1; n = n / 2 + n % 2) {
        s = level(ctx, rows, n / 2);
        if (n % 2)
            memcpy(row + (size_t)(n / 2) * bytes, row + (size_t)(n - 1) * bytes, bytes);
    }
    return s;
}

void lun__order_push(lun_order_roots *r, uint64_t cell, lun_order_pair pair, void *ctx)
{
    for (uint64_t k = r->pushed++; k & 1; k >>= 1)
        pair(ctx, &r->root[--r->height], &cell, &cell);
    r->root[r->height++] = cell;
}

uint64_t lun__order_finish(lun_order_roots *r, lun_order_pair pair, void *ctx)
{
    uint64_t cell = r->root[--r->height];
    while (r->height > 0)
        pair(ctx, &r->root[--r->height], &cell, &cell);
    r->pushed = 0;
    return cell;
}

int32_t lun__order_first(const lun_ir *ir, int32_t casts[LUN_ORDER_CASTS], int *count)
{
    int32_t v = ir->ins[ir->scan].b;
    int n = 0;
    for (; ir->ins[v].kind == LUN_IR_CAST; v = ir->ins[v].a) {
        if (n == LUN_ORDER_CASTS)
            return -1;
        casts[n++] = v;
    }
    *count = n;
    uint8_t kind = ir->ins[v].kind;
    return kind == LUN_IR_CONST || kind == LUN_IR_ARG || kind == LUN_IR_LOADU ? v : -1;
}

/* ---- a chunk by an operation ----------------------------------------------------------------- */

static void pair_by_operation(void *ctx, const uint64_t *a, const uint64_t *b, uint64_t *out)
{
    const lun_order_chunk *c = ctx;
    const uint64_t x[3] = {*a, *b, 0};
    (void)lun__op_cell(c->op, c->dtype, 0, x, out);
}

void lun__order_chunk_begin(lun_order_chunk *c, lun_op op, lun_dtype t)
{
    uint64_t identity = 0;
    const bool has = lun__op_identity(op, t, &identity);
    *c = (lun_order_chunk){.op = op, .dtype = t};
    c->in_lanes = has && lun__op_get(op)->flags & LUN_OPF_COMM;
    for (int l = 0; l < LUN_LANES; l++)
        c->lane[l] = identity;
}

void lun__order_chunk_push(lun_order_chunk *c, uint64_t cell)
{
    uint64_t *lane = &c->lane[c->pushed++ % LUN_LANES];
    if (c->in_lanes)
        pair_by_operation(c, lane, &cell, lane);
    else
        lun__order_push(&c->roots, cell, pair_by_operation, c);
}

uint64_t lun__order_chunk_end(lun_order_chunk *c)
{
    if (!c->in_lanes)
        return lun__order_finish(&c->roots, pair_by_operation, c);
    for (int half = LUN_LANES / 2; half; half /= 2)
        for (int l = 0; l < half; l++)
            pair_by_operation(c, &c->lane[l], &c->lane[l + half], &c->lane[l]);
    return c->lane[0];
}
