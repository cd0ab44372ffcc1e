/* interp.c - runs programs over the blocks of a chunk; see reference.h and run.h.
 *
 * Knows what steps mean; not how they were made, nor in which order results are combined. */
#include <string.h>

#include "reference/run.h"

/* ---- starting a program ---------------------------------------------------------------------- */

static bool is_aligned(const void *p)
{
    return (uintptr_t)p % ALIGNMENT == 0;
}

/* Points the operands of slots at the block's first element. */
static void move_to_block(run *r)
{
    const lun_program *p = r->program;
    for (int i = 0; i < p->operand_count; i++) {
        const lun_operand *operand = &p->operands[i];
        if (operand->slot < 0)
            continue;
        char *slot = (char *)r->frame->slots[operand->slot] + r->first * operand->bytes;
        bool past_caches = operand->offset >= 0 && r->stream && is_aligned(slot);
        if (!past_caches)
            r->at[i] = slot;
    }
}

/* Sets up p in memory. r->n: elements that the largest block will have. */
void lun__interp_start(run *r, const lun_program *p, char *memory)
{
    char *registers = memory + rounded((size_t)p->operand_count * sizeof(char *));
    r->program = p;
    r->at = (char **)(void *)memory;
    for (int i = 0; i < p->operand_count; i++)
        r->at[i] = registers + (p->operands[i].offset < 0 ? 0 : p->operands[i].offset * p->block);
    for (int i = 0; i < p->uniform_count; i++) {
        const lun_uniform *u = &p->uniforms[i];
        const void *from = &u->imm;
        uint64_t cell = 0;
        if (u->kind == LUN_IR_ARG)
            from = &r->args[u->imm];
        if (u->kind == LUN_IR_LOADU)
            from = r->frame->slots[u->imm];
        memcpy(&cell, from, p->operands[u->operand].bytes);
        r->interp->loops->fill[u->size](r->at[u->operand], &cell, r->n);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void set_trap(run *r, int ins, int64_t value)
{
    if (r->trap >= 0)
        return;
    r->trap = ins;
    r->trap_value = value;
}

static void store(run *r, const lun_step *s)
{
    char *d = r->at[s->d], *a = r->at[s->a];
    int64_t bytes = r->n << s->size;
    if (d == a)
        return;
    if (r->stream && is_aligned(d)) {
        r->interp->loops->stream(d, a, bytes);
        r->streamed = true;
    } else {
        r->interp->loops->copy(d, a, bytes);
    }
}

/* False if the check failed: what follows may rely on it. */
static bool check(run *r, const lun_step *s, const uint8_t *mask)
{
    const uint8_t *holds = (const uint8_t *)r->at[s->a];
    int64_t i = 0;
    if (!r->interp->loops->any_zero[0](holds, mask, r->valid))
        return true;
    while (holds[i] || (mask && !mask[i]))
        i++;
    int64_t value = 0;
    if (s->b >= 0)
        memcpy(&value, (const char *)r->at[s->b] + (i << s->size), (size_t)1 << s->size);
    set_trap(r, s->ins, value);
    return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void run_index(run *r, const lun_step *s, const uint8_t *mask)
{
    (void)mask;
    r->interp->loops->iota(r->at[s->d], r->first, r->n);
}

/* Watches the accesses of the block to elements `at` of the step's slot. */
static void watch(run *r, const lun_step *s, int32_t at, const uint8_t *mask, lun_access kind)
{
    const int64_t *element = (const int64_t *)(void *)r->at[at];
    for (int64_t i = 0; r->races && r->trap < 0 && i < r->valid; i++)
        if ((!mask || mask[i]) &&
            !lun__races_note(r->races, (int)s->imm, element[i], r->first + i, kind))
            set_trap(r, s->ins, 0);
}

static void run_thread(run *r, const lun_step *s, const uint8_t *mask)
{
    int64_t *d = (int64_t *)(void *)r->at[s->d];
    (void)mask;
    for (int64_t i = 0; i < r->n; i++)
        d[i] = (r->first + i) & (r->interp->lanes - 1);
}

static void run_team(run *r, const lun_step *s, const uint8_t *mask)
{
    int64_t *d = (int64_t *)(void *)r->at[s->d];
    (void)mask;
    for (int64_t i = 0; i < r->n; i++)
        d[i] = (r->first + i) / r->interp->lanes;
}

static void run_gather(run *r, const lun_step *s, const uint8_t *mask)
{
    watch(r, s, s->a, mask, LUN_ACCESS_READ);
    r->interp->loops->gather[s->size](r->at[s->d], r->slots[s->imm], r->at[s->a], mask, r->valid);
}

static void run_random(run *r, const lun_step *s, const uint8_t *mask)
{
    (void)mask;
    uint64_t key;
    memcpy(&key, r->at[s->b], sizeof key);
    r->interp->loops->random[s->size - 2](r->at[s->d], r->at[s->a], key, r->n);
}

lun_step_value *lun__interp_value(int kind)
{
    static lun_step_value *const values[LUN_IR_KIND_COUNT] = {[LUN_IR_INDEX] = run_index,
                                                              [LUN_IR_THREAD] = run_thread,
                                                              [LUN_IR_TEAM] = run_team,
                                                              [LUN_IR_GATHER] = run_gather,
                                                              [LUN_IR_RANDOM] = run_random};
    return values[kind];
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* A step on masks; the step to go on with. */
static const lun_step *run_mask(run *r, const lun_step *s)
{
    const lun_loops *loops = r->interp->loops;
    const lun_step *target = r->program->steps + s->jump;
    uint8_t *d = s->d < 0 ? NULL : (uint8_t *)r->at[s->d];
    uint8_t *a = s->a < 0 ? NULL : (uint8_t *)r->at[s->a];
    switch ((lun_step_kind)s->kind) {
    case LUN_STEP_SPLIT:
        loops->split(d, s->c < 0 ? NULL : (uint8_t *)r->at[s->c], a, (uint8_t *)r->at[s->b], r->n);
        return loops->any(d, r->n) ? s + 1 : target;
    case LUN_STEP_MASK:
        memcpy(d, a, (size_t)r->n);
        return s + 1;
    case LUN_STEP_DROP:
        loops->drop(d, a, r->n);
        return s + 1;
    case LUN_STEP_CLEAR:
        memset(d, 0, (size_t)r->n);
        return s + 1;
    case LUN_STEP_ANY:
        return loops->any(a, r->n) ? s + 1 : target;
    case LUN_STEP_REPEAT:
        if (a)
            memcpy(d, a, (size_t)r->n);
        if (__atomic_load_n(r->cancel,
                            __ATOMIC_RELAXED)) /* give up: nothing that follows matters */
            return r->program->steps + r->program->count;
        return loops->any(d, r->n) ? target : s + 1;
    case LUN_STEP_JUMP:
    default:
        return target;
    }
}

/* Marks the indices that have a thread. */
static void mask_block(const run *r, uint8_t *mask)
{
    memset(mask, 1, (size_t)r->valid);
    memset(mask + r->valid, 0, (size_t)(r->n - r->valid));
    const int64_t nobody = r->interp->lanes - r->interp->threads;
    for (int64_t i = r->interp->threads; nobody > 0 && i < r->valid; i += r->interp->lanes)
        memset(mask + i, 0, (size_t)nobody);
}

/* Runs the program on a block. */
void lun__interp_steps(run *r)
{
    const lun_program *p = r->program;
    const lun_loops *loops = r->interp->loops;
    const lun_step *end = p->steps + p->count;
    char **at = r->at;
    const int64_t n = r->n;
    if (p->base_mask >= 0)
        mask_block(r, (uint8_t *)at[p->base_mask]);
    for (const lun_step *s = p->steps; s < end;) {
        const uint8_t *mask = s->mask < 0 ? NULL : (const uint8_t *)at[s->mask];
        switch ((lun_step_kind)s->kind) {
        case LUN_STEP_DIVIDE:
            if (loops->any_zero[s->size](at[s->b], mask, r->valid))
                set_trap(r, s->ins, 0);
            if (r->trap >= 0 && p->base_mask >= 0)
                return; /* a loop might never end with what Lua has no value for */
            s->fn.op(at[s->d], at[s->a], at[s->b], NULL, n);
            break;
        case LUN_STEP_OP:
            s->fn.op(at[s->d], at[s->a], s->b < 0 ? NULL : at[s->b], s->c < 0 ? NULL : at[s->c], n);
            break;
        case LUN_STEP_CAST:
            s->fn.cast(at[s->d], at[s->a], n);
            break;
        case LUN_STEP_VALUE:
            s->fn.value(r, s, mask);
            break;
        case LUN_STEP_COPY:
            loops->copy(at[s->d], at[s->a], n << s->size);
            break;
        case LUN_STEP_STORE:
            store(r, s);
            break;
        case LUN_STEP_BLEND:
            loops->blend[s->size](at[s->d], at[s->a], mask, n);
            break;
        case LUN_STEP_CHECK:
            if (!check(r, s, mask))
                return;
            break;
        case LUN_STEP_BARRIER:
            if (r->races)
                r->races->epoch++;
            if (r->frame->meet && r->frame->meet(r->frame))
                return;
            break;
        case LUN_STEP_PUT:
            watch(r, s, s->b, mask, LUN_ACCESS_WRITE);
            loops->put[s->size](r->slots[s->imm], at[s->a], at[s->b], mask, r->valid);
            break;
        case LUN_STEP_ATOMIC:
            watch(r, s, s->b, mask, LUN_ACCESS_CHANGE);
            s->fn.atomic(r->slots[s->imm], at[s->d], at[s->a], (const int64_t *)(void *)at[s->b],
                         s->c < 0 ? NULL : at[s->c], mask, r->valid);
            break;
        case LUN_STEP_REDUCE:
        case LUN_STEP_TOTAL:
            lun__reduce_block(r, s, s->kind == LUN_STEP_TOTAL);
            break;
        case LUN_STEP_SCAN:
            lun__reduce_scan_block(r, s);
            break;
        default:
            s = run_mask(r, s);
            continue;
        }
        s++;
    }
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static void run_chunk(const lun_interp *interp, const lun_program *p, int64_t lo, int64_t hi,
                      lun_frame *frame)
{
    size_t accumulators = rounded((size_t)interp->reducer_count * sizeof(accumulator));
    char *memory = frame->scratch;
    int64_t stop = hi < frame->n ? hi : frame->n, most = lun__order_blocks(stop - lo);
    run r = {.interp = interp,
             .frame = frame,
             .args = frame->args,
             .slots = frame->slots,
             .cancel = frame->cancel,
             .races = frame->races,
             .first = lo,
             .trap = -1,
             .stream = frame->stream && p == &interp->body,
             .accumulators = (accumulator *)(void *)memory,
             .functions = memory + accumulators + rounded(program_bytes(p))};
    r.n = most < p->block ? most : p->block;
    for (int i = 0; i < interp->reducer_count; i++) {
        r.accumulators[i].roots.pushed = 0;
        r.accumulators[i].roots.height = 0;
        r.accumulators[i].started = false;
        r.accumulators[i].index = -1;
    }
    if (interp->scans && p == &interp->body)
        r.carry = *frame->carry;
    int64_t end = frame->part ? frame->part(frame, lo, hi) : stop;
    lun__interp_start(&r, p, memory + accumulators);
    for (; r.first < stop && r.trap < 0 && !__atomic_load_n(r.cancel, __ATOMIC_RELAXED);
         r.first += r.n) {
        if (r.first == end)
            end = frame->part(frame, end, hi);
        const int64_t left = (end < stop ? end : stop) - r.first;
        r.valid = left < p->block ? left : p->block;
        r.n = lun__order_blocks(r.valid);
        if (r.races)
            r.races->epoch++;
        move_to_block(&r);
        lun__interp_steps(&r);
    }
    if (r.streamed)
        interp->loops->fence();
    if (r.trap >= 0) {
        frame->trap = r.trap;
        frame->trap_value = r.trap_value;
        return;
    }
    if (r.first < stop || __atomic_load_n(r.cancel, __ATOMIC_RELAXED))
        return;
    for (int i = 0; i < interp->reducer_count; i++) {
        const lun_reducer *d = &interp->reducers[i];
        if (p == &interp->total && d->result < 0)
            *frame->carry = lun__reduce_finish(&r, d, &r.accumulators[i]);
        if (p == &interp->body && d->result >= 0)
            frame->partials[d->result] = lun__reduce_finish(&r, d, &r.accumulators[i]);
        if (d->gives_index)
            frame->partials[d->result + 1] = (uint64_t)r.accumulators[i].index;
    }
}

void lun__interp_body(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    const lun_interp *interp = self;
    run_chunk(interp, &interp->body, lo, hi, frame);
}

void lun__interp_total(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    const lun_interp *interp = self;
    run_chunk(interp, &interp->total, lo, hi, frame);
}
