/* reduce.c - reductions and scans of the interpreter: lanes, trees of pairs, combining functions;
 * run.h.
 *
 * The order of combination is host/host.h's, so that results do not depend on blocks. Knows cells
 * and blocks, no chunk and no slot. */
#include <string.h>

#include "reference/run.h"

/* d = function(a, b) for `valid` <= 64 pairs that stand in the function's input places. */
static void run_function(run *r, run *f, int ins, int64_t valid)
{
    f->valid = valid;
    f->n = LUN_BLOCK_LEAST;
    f->trap = -1;
    lun__run_steps(f);
    if (f->trap >= 0 && r->trap < 0) {
        r->trap = ins;
        r->trap_value = f->trap; /* where in the function */
    }
}

static void start_function(run *f, const run *r, const lun_reducer *d, char *memory)
{
    *f = (run){.interp = r->interp,
               .args = r->args + d->captured,
               .cancel = r->cancel,
               .n = LUN_BLOCK_LEAST,
               .valid = 1,
               .trap = -1};
    lun__run_start(f, &r->interp->functions[d->function], memory);
}

/* out = a combined with b, all cells. f: the started function, if it is one. */
static void combine_cells(run *r, run *f, const lun_reducer *d, const uint64_t *a,
                          const uint64_t *b, uint64_t *out)
{
    uint64_t cell = 0;
    if (f) {
        const lun_program *p = f->program;
        memcpy(f->at[p->input[0]], a, d->bytes);
        memcpy(f->at[p->input[1]], b, d->bytes);
        run_function(r, f, d->ins, 1);
        memcpy(&cell, f->at[p->output], d->bytes);
    } else {
        unsigned char pair[16];
        memcpy(pair, a, d->bytes);
        memcpy(pair + d->bytes, b, d->bytes);
        r->interp->loops->of[d->dtype]->pairs[d->op](&cell, pair, 2);
    }
    *out = cell;
}

/* The next complete subtree, from the left. */
static void push(run *r, run *f, const lun_reducer *d, accumulator *acc, uint64_t cell)
{
    for (int64_t k = acc->pushed++; k & 1; k >>= 1)
        combine_cells(r, f, d, &acc->tree[--acc->height], &cell, &cell);
    acc->tree[acc->height++] = cell;
}

/* x[0 .. n) by the adjacent-pair tree of a function, in place. */
static void function_tree(run *r, run *f, const lun_reducer *d, char *x, int64_t n)
{
    const lun_program *p = f->program;
    int64_t size = d->bytes;
    for (; n > 1; n = (n + 1) / 2) {
        for (int64_t j = 0; j < n / 2; j += LUN_BLOCK_LEAST) {
            int64_t pairs = n / 2 - j < LUN_BLOCK_LEAST ? n / 2 - j : LUN_BLOCK_LEAST;
            r->interp->loops->split_pairs[d->size](f->at[p->input[0]], f->at[p->input[1]],
                                                   x + 2 * j * size, pairs);
            run_function(r, f, d->ins, pairs);
            memcpy(x + j * size, f->at[p->output], (size_t)(pairs * size));
        }
        if (n % 2)
            memcpy(x + n / 2 * size, x + (n - 1) * size, (size_t)size);
    }
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

/* A block of a REDUCE (of a SCAN's total, if `total`). */
void lun__reduce_block(run *r, const lun_step *s, bool total)
{
    const lun_reducer *d = &r->interp->reducers[s->imm];
    accumulator *acc = &r->accumulators[s->imm];
    char *x = r->at[s->a], *work;
    uint64_t cell = 0;
    run f;
    if (d->lanes) {
        add_to_lanes(r, d, acc, x);
        if (!total && (r->first + r->valid) % LUN_CHUNK == 0)
            push(r, NULL, d, acc, fold_lanes(r, d, acc));
        return;
    }
    work = r->at[r->program->work];
    if (d->op < LUN_OP_COUNT) {
        r->interp->loops->of[d->dtype]->pairs[d->op](work, x, r->valid);
        memcpy(&cell, work, d->bytes);
        push(r, NULL, d, acc, cell);
        return;
    }
    start_function(&f, r, d, r->functions);
    if (total) {
        for (int64_t i = 0; i < r->valid; i++) {
            memcpy(&cell, x + i * d->bytes, d->bytes);
            if (acc->started)
                combine_cells(r, &f, d, &acc->chain, &cell, &acc->chain);
            else
                acc->chain = cell;
            acc->started = true;
        }
        return;
    }
    memcpy(work, x, (size_t)(r->valid * d->bytes));
    function_tree(r, &f, d, work, r->valid);
    memcpy(&cell, work, d->bytes);
    push(r, &f, d, acc, cell);
}

/* What a chunk came to. */
uint64_t lun__reduce_finish(run *r, const lun_reducer *d, accumulator *acc)
{
    uint64_t cell;
    run f;
    bool function = d->op == LUN_OP_COUNT;
    if (function && acc->started)
        return acc->chain;
    if (d->lanes && acc->started)
        push(r, NULL, d, acc, fold_lanes(r, d, acc));
    if (function)
        start_function(&f, r, d, r->functions);
    cell = acc->tree[--acc->height];
    while (acc->height > 0)
        combine_cells(r, function ? &f : NULL, d, &acc->tree[--acc->height], &cell, &cell);
    return cell;
}

void lun__scan_block(run *r, const lun_step *s)
{
    const lun_reducer *d = &r->interp->reducers[s->imm];
    bool inclusive = d->inclusive != 0;
    char *x = r->at[s->a], *out = r->at[s->d];
    run f;
    if (d->op < LUN_OP_COUNT) {
        r->interp->loops->of[d->dtype]->scan[d->op](out, x, &r->carry, r->n, inclusive);
        return;
    }
    start_function(&f, r, d, r->functions);
    for (int64_t i = 0; i < r->valid; i++) {
        uint64_t before = r->carry, cell = 0;
        memcpy(&cell, x + i * d->bytes, d->bytes);
        combine_cells(r, &f, d, &before, &cell, &r->carry);
        memcpy(out + i * d->bytes, inclusive ? &r->carry : &before, d->bytes);
    }
}

void lun__combine(const void *self, int result, const uint64_t *a, const uint64_t *b, uint64_t *out,
                  lun_frame *frame)
{
    const lun_interp *interp = self;
    const lun_reducer *d = interp->reducers;
    while (d->result != result)
        d++;
    run r = {.interp = interp, .args = frame->args, .cancel = frame->cancel, .trap = -1}, f;
    if (d->op < LUN_OP_COUNT) {
        combine_cells(&r, NULL, d, a, b, out);
    } else {
        _Alignas(ALIGNMENT) char memory[COMBINE_BYTES];
        start_function(&f, &r, d, memory);
        combine_cells(&r, &f, d, a, b, out);
    }
    if (r.trap >= 0 && frame->trap < 0) {
        frame->trap = r.trap;
        frame->trap_value = r.trap_value;
    }
}
