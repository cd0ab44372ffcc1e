/* reference_reduce.c - reductions and scans of the interpreter: lanes, cells, combining functions;
 * run.h.
 *
 * The order of combination is ir/combine_order.h's, so that results do not depend on blocks. */
#include <string.h>

#include "reference/run.h"

/* d = function(a, b) for `valid` <= 64 pairs in the function's input operands. */
static void run_function(run *r, run *f, int ins, int64_t valid)
{
    f->valid = valid;
    f->n = LUN_BLOCK_LEAST;
    f->trap = -1;
    lun__interp_steps(f);
    if (f->trap >= 0 && r->trap < 0) {
        r->trap = ins;
        r->trap_value = lun__ir_inner_trap(f->trap, f->trap_value);
    }
}

static void start_function(run *f, const run *r, const lun_reducer *d, char *memory)
{
    *f = (run){.interp = r->interp,
               .args = r->args + d->captured,
               .slots = r->slots ? r->slots + d->arrays : NULL,
               .cancel = r->cancel,
               .n = LUN_BLOCK_LEAST,
               .valid = 1,
               .trap = -1};
    lun__interp_start(f, &r->interp->functions[d->function], memory);
}

/* How cells of d are combined in r; f: the started function, if it is one. */
typedef struct joint {
    run *r, *f;
    const lun_reducer *d;
} joint;

/* *out = *a combined with *b; ctx: the joint. */
static void combine_cells(void *ctx, const uint64_t *a, const uint64_t *b, uint64_t *out)
{
    const joint *j = ctx;
    const lun_reducer *d = j->d;
    uint64_t cell = 0;
    if (j->f) {
        const lun_program *p = j->f->program;
        memcpy(j->f->at[p->input[0]], a, d->bytes);
        memcpy(j->f->at[p->input[1]], b, d->bytes);
        run_function(j->r, j->f, d->ins, 1);
        memcpy(&cell, j->f->at[p->output], d->bytes);
    } else {
        unsigned char pair[16];
        memcpy(pair, a, d->bytes);
        memcpy(pair + d->bytes, b, d->bytes);
        j->r->interp->loops->of[d->dtype]->pairs[d->op](&cell, pair, 2);
    }
    *out = cell;
}

/* A level of the tree over elements of a block, by a function; ctx: the joint. */
static lun_status combine_level(void *ctx, void *rows, int64_t pairs)
{
    const joint *j = ctx;
    const lun_program *p = j->f->program;
    char *x = rows;
    int64_t size = j->d->bytes;
    for (int64_t k = 0; k < pairs; k += LUN_BLOCK_LEAST) {
        int64_t count = pairs - k < LUN_BLOCK_LEAST ? pairs - k : LUN_BLOCK_LEAST;
        j->r->interp->loops->split_pairs[j->d->size](j->f->at[p->input[0]], j->f->at[p->input[1]],
                                                     x + 2 * k * size, count);
        run_function(j->r, j->f, j->d->ins, count);
        memcpy(x + k * size, j->f->at[p->output], (size_t)(count * size));
    }
    return LUN_OK;
}

/* Lanes, missing elements replaced by the identity. */
static void add_to_lanes(run *r, const lun_reducer *d, accumulator *acc, const char *x)
{
    const lun_loops *loops = r->interp->loops;
    lun_loop_lanes lanes = loops->of[d->dtype]->lanes[d->op];
    int64_t whole = r->valid / LUN_LANES * LUN_LANES, rest = r->valid - whole;
    if (!acc->started)
        loops->fill[d->size](acc->lanes, &d->identity, LUN_LANES);
    acc->started = true;
    lanes(acc->lanes, x, whole);
    if (rest > 0) {
        _Alignas(ALIGNMENT) unsigned char row[LANE_BYTES];
        loops->fill[d->size](row, &d->identity, LUN_LANES);
        memcpy(row, x + whole * d->bytes, (size_t)(rest * d->bytes));
        lanes(acc->lanes, row, LUN_LANES);
    }
}

static uint64_t fold_lanes(const run *r, const lun_reducer *d, accumulator *acc)
{
    uint64_t cell = 0;
    for (int s = LUN_LANES / 2; s > 0; s /= 2) { /* upper lanes go along, they no longer matter */
        _Alignas(ALIGNMENT) unsigned char row[LANE_BYTES];
        memcpy(row, acc->lanes, sizeof row);
        memcpy(row, acc->lanes + s * d->bytes, (size_t)(s * d->bytes));
        r->interp->loops->of[d->dtype]->lanes[d->op](acc->lanes, row, LUN_LANES);
    }
    memcpy(&cell, acc->lanes, d->bytes);
    acc->started = false;
    return cell;
}

/* Whether element x, which comes later, is better than a by d. */
static bool is_better(const lun_reducer *d, uint64_t x_cell, uint64_t a_cell)
{
    lun_value x = lun__dtype_cell_to_value((lun_dtype)d->dtype, x_cell),
              a = lun__dtype_cell_to_value((lun_dtype)d->dtype, a_cell);
    bool least = d->op == LUN_OP_MIN;
    if (lun__dtype_value_is_float(x))
        return (least ? x.as.d < a.as.d : x.as.d > a.as.d) ||
               (x.as.d != x.as.d && a.as.d == a.as.d);
    if (lun__dtype_value_is_unsigned(x))
        return least ? x.as.u < a.as.u : x.as.u > a.as.u;
    return least ? x.as.i < a.as.i : x.as.i > a.as.i;
}

/* The number of the first element of x that equals the cell, or is NaN as it is; there is one. */
static int64_t find(const run *r, const lun_reducer *d, uint64_t cell, const char *x)
{
    const lun_loops *loops = r->interp->loops;
    const lun_loops_of *of = loops->of[d->dtype];
    _Alignas(ALIGNMENT) unsigned char row[LANE_BYTES], is[LUN_LANES];
    lun_value v = lun__dtype_cell_to_value((lun_dtype)d->dtype, cell);
    bool nan = lun__dtype_value_is_float(v) && v.as.d != v.as.d;
    loops->fill[d->size](row, &cell, LUN_LANES);
    for (int64_t k = 0;; k += LUN_LANES) {
        of->op[nan ? LUN_OP_ISNAN : LUN_OP_EQ](is, x + k * d->bytes, row, NULL, LUN_LANES);
        const unsigned char *hit = memchr(is, 1, LUN_LANES);
        if (hit)
            return k + (hit - is);
    }
}

/* The block's best element is looked for only where it is better than those before. */
static void add_to_places(run *r, const lun_reducer *d, accumulator *acc, const char *x)
{
    add_to_lanes(r, d, acc, x);
    uint64_t best = fold_lanes(r, d, acc);
    if (acc->index >= 0 && !is_better(d, best, acc->chain))
        return;
    acc->index = r->first + find(r, d, best, x);
    acc->chain = best;
}

/* A function's total: its operands from left to right. */
static void add_to_chain(joint *j, accumulator *acc, const char *x)
{
    for (int64_t i = 0; i < j->r->valid; i++) {
        uint64_t cell = 0;
        memcpy(&cell, x + i * j->d->bytes, j->d->bytes);
        if (acc->started)
            combine_cells(j, &acc->chain, &cell, &acc->chain);
        else
            acc->chain = cell;
        acc->started = true;
    }
}

/* A block of a REDUCE (of a SCAN's total, if `total`). */
void lun__reduce_block(run *r, const lun_step *s, bool total)
{
    const lun_reducer *d = &r->interp->reducers[s->imm];
    accumulator *acc = &r->accumulators[s->imm];
    char *x = r->at[s->a], *work;
    uint64_t cell = 0;
    run f;
    joint j = {r, NULL, d};
    if (d->gives_index) {
        add_to_places(r, d, acc, x);
        return;
    }
    if (d->lanes) {
        add_to_lanes(r, d, acc, x);
        if (!total && (r->first + r->valid) % LUN_CHUNK == 0)
            lun__order_push(&acc->roots, fold_lanes(r, d, acc), combine_cells, &j);
        return;
    }
    work = r->at[r->program->work];
    if (d->op < LUN_OP_COUNT) {
        r->interp->loops->of[d->dtype]->pairs[d->op](work, x, r->valid);
    } else {
        start_function(&f, r, d, r->functions);
        j.f = &f;
        if (total) {
            add_to_chain(&j, acc, x);
            return;
        }
        memcpy(work, x, (size_t)(r->valid * d->bytes));
        lun__order_join(work, r->valid, d->bytes, combine_level, &j);
    }
    memcpy(&cell, work, d->bytes);
    lun__order_push(&acc->roots, cell, combine_cells, &j);
}

/* What a chunk came to. */
uint64_t lun__reduce_finish(run *r, const lun_reducer *d, accumulator *acc)
{
    run f;
    joint j = {r, NULL, d};
    bool function = d->op == LUN_OP_COUNT;
    if (d->gives_index || (function && acc->started))
        return acc->chain;
    if (d->lanes && acc->started)
        lun__order_push(&acc->roots, fold_lanes(r, d, acc), combine_cells, &j);
    if (function) {
        start_function(&f, r, d, r->functions);
        j.f = &f;
    }
    return lun__order_finish(&acc->roots, combine_cells, &j);
}

void lun__reduce_scan_block(run *r, const lun_step *s)
{
    const lun_reducer *d = &r->interp->reducers[s->imm];
    bool inclusive = d->inclusive != 0;
    char *x = r->at[s->a], *out = r->at[s->d];
    run f;
    joint j = {r, &f, d};
    if (d->op < LUN_OP_COUNT) {
        r->interp->loops->of[d->dtype]->scan[d->op](out, x, &r->carry, r->n, inclusive);
        return;
    }
    start_function(&f, r, d, r->functions);
    for (int64_t i = 0; i < r->valid; i++) {
        uint64_t before = r->carry, cell = 0;
        memcpy(&cell, x + i * d->bytes, d->bytes);
        combine_cells(&j, &before, &cell, &r->carry);
        memcpy(out + i * d->bytes, inclusive ? &r->carry : &before, d->bytes);
    }
}

/* NULL: the result is an index, which goes with the result before it. */
static const lun_reducer *reducer_of(const lun_interp *interp, int result)
{
    for (int i = 0; i < interp->reducer_count; i++)
        if (interp->reducers[i].result == result)
            return &interp->reducers[i];
    return NULL;
}

/* Two cells each: the element and its index; out may be a. */
static void combine_places(const lun_reducer *d, const uint64_t *a, const uint64_t *b,
                           uint64_t *out)
{
    memmove(out, is_better(d, b[0], a[0]) ? b : a, 2 * sizeof *out);
}

void lun__reduce_combine(const void *self, int result, const uint64_t *a, const uint64_t *b,
                         uint64_t *out, lun_frame *frame)
{
    const lun_interp *interp = self;
    const lun_reducer *d = reducer_of(interp, result);
    if (!d)
        return;
    if (d->gives_index) {
        combine_places(d, a, b, out);
        return;
    }
    run r = {.interp = interp,
             .args = frame->args,
             .slots = frame->slots,
             .cancel = frame->cancel,
             .trap = -1};
    run f;
    joint j = {&r, NULL, d};
    if (d->op < LUN_OP_COUNT) {
        combine_cells(&j, a, b, out);
    } else {
        _Alignas(ALIGNMENT) char memory[COMBINE_BYTES];
        start_function(&f, &r, d, memory);
        j.f = &f;
        combine_cells(&j, a, b, out);
    }
    if (r.trap >= 0 && frame->trap < 0) {
        frame->trap = r.trap;
        frame->trap_value = r.trap_value;
    }
}

/* By an operation: elements are packed, whole cells are copied and the next one lies over what is
 * too much. */
static void combine_column(const lun_interp *interp, const lun_reducer *d, int results,
                           uint64_t *cells, int64_t pairs)
{
    enum { BLOCK = LUN_BLOCK_LEAST, ROOM = (BLOCK + 1) * sizeof *cells };
    _Alignas(ALIGNMENT) unsigned char a[ROOM] = {0}, b[ROOM] = {0}, y[ROOM];
    const uint64_t bits = UINT64_MAX >> (64 - 8 * d->bytes);
    for (int64_t k = 0; k < pairs; k += BLOCK) {
        int64_t count = pairs - k < BLOCK ? pairs - k : BLOCK;
        const uint64_t *from = cells + 2 * k * results;
        uint64_t *to = cells + k * results;
        for (int64_t i = 0; i < count; i++, from += 2 * results) {
            memcpy(a + i * d->bytes, from, sizeof *from);
            memcpy(b + i * d->bytes, from + results, sizeof *from);
        }
        interp->loops->of[d->dtype]->op[d->op](y, a, b, NULL, BLOCK);
        for (int64_t i = 0; i < count; i++, to += results) {
            memcpy(to, y + i * d->bytes, sizeof *to);
            *to &= bits;
        }
    }
}

void lun__reduce_combine_rows(const void *self, int result, int results, uint64_t *cells,
                              int64_t pairs, lun_frame *frame)
{
    const lun_interp *interp = self;
    const lun_reducer *d = reducer_of(interp, result);
    uint64_t *x = cells + result;
    if (!d)
        return;
    if (d->op < LUN_OP_COUNT && !d->gives_index) {
        combine_column(interp, d, results, x, pairs);
        return;
    }
    for (int64_t j = 0; j < pairs; j++)
        lun__reduce_combine(self, result, x + 2 * j * results, x + (2 * j + 1) * results,
                            x + j * results, frame);
}
