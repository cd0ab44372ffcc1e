/* interp.c - runs programs over blocks: the lun_exec of the interpreter; see reference.h, program.h.
 *
 * All memory of a run is the frame's scratch: first the run itself, then addresses of places, then the
 * registers, then the same for functions. Nothing is allocated here but the interpreter. */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "reference.h"

enum {
    ALIGNMENT = 64,
    LANE_BYTES = 8 * LUN_LANES,
    TREE_DEPTH = 64,         /* more than log2 of all blocks of a chunk */
    COMBINE_BYTES = 32 << 10 /* what a function may take where only the stack is at hand */
};

struct lun_interp {
    lun_exec exec;
    const lun_loops *loops;
    lun_program body, total;
    bool scans;
    lun_program *functions;
    int function_count;
    lun_reducer *reducers; /* the scan's last */
    int reducer_count;
};

/* A reduction while a chunk runs: lanes, or a stack of the complete subtrees so far. */
typedef struct accumulator {
    _Alignas(ALIGNMENT) unsigned char lanes[LANE_BYTES];
    uint64_t tree[TREE_DEPTH];
    uint64_t chain; /* function of a scan: combined from left to right */
    int64_t pushed;
    int height;
    bool started; /* lanes or chain hold something */
} accumulator;

/* One call of a chunk function, or one use of a combining function. */
typedef struct run {
    const lun_interp *interp;
    const lun_program *program;
    lun_frame *frame; /* NULL for a function */
    char **at;        /* by place */
    char *functions;  /* memory for combining functions */
    accumulator *accumulators;
    int64_t first;    /* index of the block's first element */
    int64_t valid, n; /* elements of the block: real ones; rounded up to 64 */
    uint64_t carry;
    int64_t trap, trap_value;
    bool stream, streamed;
} run;

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Addresses and registers of a program. */
static size_t program_bytes(const lun_program *p)
{
    return rounded((size_t)p->place_count * sizeof(char *)) + (size_t)(p->bytes * p->block);
}

/* ---- starting a program ----------------------------------------------------------------------------- */

static bool is_aligned(const void *p)
{
    return (uintptr_t)p % ALIGNMENT == 0;
}

/* Points the places of slots at the block's first element. */
static void move_to_block(run *r)
{
    const lun_program *p = r->program;
    for (int i = 0; i < p->place_count; i++) {
        const lun_place *place = &p->places[i];
        if (place->slot < 0) continue;
        char *slot = (char *)r->frame->slots[place->slot] + r->first * place->bytes;
        bool past_caches = place->offset >= 0 && r->stream && is_aligned(slot);
        if (!past_caches) r->at[i] = slot;
    }
}

/* Sets up p in memory. r->n: elements that the largest block will have. */
static void start(run *r, const lun_program *p, char *memory)
{
    char *registers = memory + rounded((size_t)p->place_count * sizeof(char *));
    r->program = p;
    r->at = (char **)(void *)memory;
    for (int i = 0; i < p->place_count; i++)
        r->at[i] = registers + (p->places[i].offset < 0 ? 0 : p->places[i].offset * p->block);
    for (int i = 0; i < p->uniform_count; i++) {
        const lun_uniform *u = &p->uniforms[i];
        const void *from = &u->imm;
        uint64_t cell = 0;
        if (u->kind == LUN_IR_ARG) from = &r->frame->args[u->imm];
        if (u->kind == LUN_IR_LOADU) from = r->frame->slots[u->imm];
        memcpy(&cell, from, p->places[u->place].bytes);
        r->interp->loops->fill[u->size](r->at[u->place], &cell, r->n);
    }
}

/* ---- combining ---------------------------------------------------------------------------------------- */

static void run_steps(run *r);

/* d = function(a, b) for `valid` <= 64 pairs that stand in the function's input places. */
static void run_function(run *r, run *f, int ins, int64_t valid)
{
    f->valid = valid;
    f->n = LUN_BLOCK_LEAST;
    f->trap = -1;
    run_steps(f);
    if (f->trap >= 0 && r->trap < 0) {
        r->trap = ins;
        r->trap_value = f->trap_value;
    }
}

static void start_function(run *f, const lun_interp *interp, int function, char *memory)
{
    *f = (run){.interp = interp, .n = LUN_BLOCK_LEAST, .valid = 1, .trap = -1};
    start(f, &interp->functions[function], memory);
}

/* out = a combined with b, all cells. f: the started function, if it is one. */
static void combine_cells(run *r, run *f, const lun_reducer *d, const uint64_t *a, const uint64_t *b,
                          uint64_t *out)
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
        if (n % 2) memcpy(x + n / 2 * size, x + (n - 1) * size, (size_t)size);
    }
}

/* Lanes, missing elements replaced by the identity. */
static void add_to_lanes(run *r, const lun_reducer *d, accumulator *acc, const char *x)
{
    const lun_loops *loops = r->interp->loops;
    lun_loop_lanes lanes = loops->of[d->dtype]->lanes[d->op];
    int64_t whole = r->valid / LUN_LANES * LUN_LANES, rest = r->valid - whole;
    if (!acc->started) loops->fill[d->size](acc->lanes, &d->identity, LUN_LANES);
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
static void reduce_block(run *r, const lun_step *s, bool total)
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
    start_function(&f, r->interp, d->function, r->functions);
    if (total) {
        for (int64_t i = 0; i < r->valid; i++) {
            memcpy(&cell, x + i * d->bytes, d->bytes);
            if (acc->started) combine_cells(r, &f, d, &acc->chain, &cell, &acc->chain);
            else acc->chain = cell;
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
static uint64_t finish_reducer(run *r, const lun_reducer *d, accumulator *acc)
{
    uint64_t cell;
    run f;
    bool function = d->op == LUN_OP_COUNT;
    if (function && acc->started) return acc->chain;
    if (d->lanes && acc->started) push(r, NULL, d, acc, fold_lanes(r, d, acc));
    if (function) start_function(&f, r->interp, d->function, r->functions);
    cell = acc->tree[--acc->height];
    while (acc->height > 0)
        combine_cells(r, function ? &f : NULL, d, &acc->tree[--acc->height], &cell, &cell);
    return cell;
}

static void scan_block(run *r, const lun_step *s)
{
    const lun_reducer *d = &r->interp->reducers[s->imm];
    bool inclusive = d->inclusive != 0;
    char *x = r->at[s->a], *out = r->at[s->d];
    run f;
    if (d->op < LUN_OP_COUNT) {
        r->interp->loops->of[d->dtype]->scan[d->op](out, x, &r->carry, r->n, inclusive);
        return;
    }
    start_function(&f, r->interp, d->function, r->functions);
    for (int64_t i = 0; i < r->valid; i++) {
        uint64_t before = r->carry, cell = 0;
        memcpy(&cell, x + i * d->bytes, d->bytes);
        combine_cells(r, &f, d, &before, &cell, &r->carry);
        memcpy(out + i * d->bytes, inclusive ? &r->carry : &before, d->bytes);
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------ */

static void set_trap(run *r, int ins, int64_t value)
{
    if (r->trap >= 0) return;
    r->trap = ins;
    r->trap_value = value;
}

static void store(run *r, const lun_step *s)
{
    char *d = r->at[s->d], *a = r->at[s->a];
    int64_t bytes = r->n << s->size;
    if (d == a) return;
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
    if (!r->interp->loops->any_zero[0](holds, mask, r->valid)) return true;
    while (holds[i] || (mask && !mask[i])) i++;
    int64_t value = 0;
    if (s->b >= 0) memcpy(&value, r->at[s->b] + i * (int64_t)sizeof value, sizeof value);
    set_trap(r, s->ins, value);
    return false;
}

static uint64_t key_of(const char *place)
{
    uint64_t key;
    memcpy(&key, place, sizeof key);
    return key;
}

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
        if (a) memcpy(d, a, (size_t)r->n);
        return loops->any(d, r->n) ? target : s + 1;
    case LUN_STEP_JUMP:
    default:
        return target;
    }
}

/* Runs the program on a block. */
static void run_steps(run *r)
{
    const lun_program *p = r->program;
    const lun_loops *loops = r->interp->loops;
    const lun_step *end = p->steps + p->count;
    char **at = r->at;
    const int64_t n = r->n;
    if (p->base_mask >= 0) {
        memset(at[p->base_mask], 1, (size_t)r->valid);
        memset(at[p->base_mask] + r->valid, 0, (size_t)(n - r->valid));
    }
    for (const lun_step *s = p->steps; s < end;) {
        const uint8_t *mask = s->mask < 0 ? NULL : (const uint8_t *)at[s->mask];
        switch ((lun_step_kind)s->kind) {
        case LUN_STEP_DIVIDE:
            if (loops->any_zero[s->size](at[s->b], mask, r->valid)) set_trap(r, s->ins, 0);
            s->fn.op(at[s->d], at[s->a], at[s->b], NULL, n);
            break;
        case LUN_STEP_OP:
            s->fn.op(at[s->d], at[s->a], s->b < 0 ? NULL : at[s->b], s->c < 0 ? NULL : at[s->c], n);
            break;
        case LUN_STEP_MATH:
            loops->math[s->arity - 1][s->wide](at[s->d], at[s->a], s->b < 0 ? NULL : at[s->b],
                                               s->fn.math, n);
            break;
        case LUN_STEP_CAST:
            s->fn.cast(at[s->d], at[s->a], n);
            break;
        case LUN_STEP_INDEX:
            loops->iota(at[s->d], r->first, n);
            break;
        case LUN_STEP_GATHER:
            loops->gather[s->size](at[s->d], r->frame->slots[s->imm], at[s->a], mask, r->valid);
            break;
        case LUN_STEP_RANDOM:
            loops->random[s->size - 2](at[s->d], at[s->a], key_of(at[s->b]), n);
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
            if (!check(r, s, mask)) return;
            break;
        case LUN_STEP_REDUCE:
        case LUN_STEP_TOTAL:
            reduce_block(r, s, s->kind == LUN_STEP_TOTAL);
            break;
        case LUN_STEP_SCAN:
            scan_block(r, s);
            break;
        default:
            s = run_mask(r, s);
            continue;
        }
        s++;
    }
}

/* ---- chunks ------------------------------------------------------------------------------------------------- */

static void run_chunk(const lun_interp *interp, const lun_program *p, int64_t lo, int64_t hi,
                      lun_frame *frame)
{
    size_t accumulators = rounded((size_t)interp->reducer_count * sizeof(accumulator));
    char *memory = frame->scratch;
    int64_t stop = hi < frame->n ? hi : frame->n, most = (stop - lo + 63) / 64 * 64;
    run r = {.interp = interp, .frame = frame, .first = lo, .trap = -1,
             .stream = frame->stream && p == &interp->body,
             .accumulators = (accumulator *)(void *)memory,
             .functions = memory + accumulators + rounded(program_bytes(p))};
    r.n = most < p->block ? most : p->block;
    for (int i = 0; i < interp->reducer_count; i++) {
        r.accumulators[i].pushed = r.accumulators[i].height = 0;
        r.accumulators[i].started = false;
    }
    if (interp->scans && p == &interp->body) r.carry = *frame->carry;
    start(&r, p, memory + accumulators);
    for (; r.first < stop && r.trap < 0; r.first += p->block) {
        r.valid = stop - r.first < p->block ? stop - r.first : p->block;
        r.n = (r.valid + 63) / 64 * 64;
        move_to_block(&r);
        run_steps(&r);
    }
    if (r.streamed) interp->loops->fence();
    if (r.trap >= 0) {
        frame->trap = r.trap;
        frame->trap_value = r.trap_value;
        return;
    }
    for (int i = 0; i < interp->reducer_count; i++) {
        const lun_reducer *d = &interp->reducers[i];
        if (p == &interp->total && d->result < 0)
            *frame->carry = finish_reducer(&r, d, &r.accumulators[i]);
        if (p == &interp->body && d->result >= 0)
            frame->partials[d->result] = finish_reducer(&r, d, &r.accumulators[i]);
    }
}

static void body(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    const lun_interp *interp = self;
    run_chunk(interp, &interp->body, lo, hi, frame);
}

static void total(const void *self, int64_t lo, int64_t hi, lun_frame *frame)
{
    const lun_interp *interp = self;
    run_chunk(interp, &interp->total, lo, hi, frame);
}

/* There is nowhere to report a division by zero in a function here; its value is the operation's. */
static void combine(const void *self, int result, const uint64_t *a, const uint64_t *b, uint64_t *out)
{
    const lun_interp *interp = self;
    const lun_reducer *d = interp->reducers;
    while (d->result != result) d++;
    run r = {.interp = interp, .trap = -1}, f;
    if (d->op < LUN_OP_COUNT) {
        combine_cells(&r, NULL, d, a, b, out);
    } else {
        _Alignas(ALIGNMENT) char memory[COMBINE_BYTES];
        start_function(&f, interp, d->function, memory);
        combine_cells(&r, &f, d, a, b, out);
    }
}

/* ---- making ------------------------------------------------------------------------------------------------- */

const lun_loops *lun_loops_for(lun_isa isa)
{
#ifdef __x86_64__
    if (isa == LUN_ISA_AVX512) return &lun_loops_avx512;
    if (isa == LUN_ISA_AVX2) return &lun_loops_avx2;
#endif
    (void)isa;
    return &lun_loops_base;
}

/* Fills the table of reductions, the scan's included. */
static lun_status find_reducers(lun_interp *in, const lun_ir *ir)
{
    in->reducers = calloc((size_t)ir->result_count + 1, sizeof *in->reducers);
    if (!in->reducers) return LUN_ENOMEM;
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        bool scan = ins->kind == LUN_IR_SCAN;
        if (!scan && ins->kind != LUN_IR_REDUCE) continue;
        if (in->reducer_count > ir->result_count) return LUN_EARG;
        lun_reducer *d = &in->reducers[in->reducer_count++];
        *d = (lun_reducer){.op = ins->op, .ins = i, .result = scan ? -1 : (int32_t)ins->imm,
                           .dtype = ins->dtype, .inclusive = ins->inclusive};
        d->bytes = lun_dtype_get((lun_dtype)d->dtype)->bytes;
        while (1 << d->size < d->bytes) d->size++;
        if (d->op == LUN_OP_COUNT) {
            d->function = scan ? (int32_t)ins->imm : ins->c;
            if (!ir->functions[d->function]->body) return LUN_EBACKEND;
        } else {
            d->lanes = (lun_op_get((lun_op)d->op)->flags & LUN_OPF_COMM) &&
                       lun_op_identity((lun_op)d->op, (lun_dtype)d->dtype, &d->identity);
            if (!in->loops->of[d->dtype]->pairs[d->op]) return LUN_EBACKEND;
        }
        in->scans |= scan;
    }
    return LUN_OK;
}

static lun_status make_functions(lun_interp *in, const lun_ir *ir)
{
    in->functions = calloc((size_t)ir->function_count + 1, sizeof *in->functions);
    if (!in->functions) return LUN_ENOMEM;
    in->function_count = ir->function_count;
    for (int i = 0; i < in->reducer_count; i++) {
        const lun_reducer *d = &in->reducers[i];
        lun_program *p = &in->functions[d->function];
        if (d->op < LUN_OP_COUNT || p->place_count) continue;
        const lun_ir_function *f = ir->functions[d->function];
        lun_status s = lun__program_make(f->body, LUN_PART_FUNCTION, f, in->loops, in->exec.math,
                                         NULL, 0, p);
        if (s != LUN_OK) return s;
        if (program_bytes(p) > COMBINE_BYTES) return LUN_EBACKEND;
    }
    return LUN_OK;
}

static void find_scratch(lun_interp *in)
{
    size_t function = 0, program = rounded(program_bytes(&in->body));
    if (rounded(program_bytes(&in->total)) > program) program = rounded(program_bytes(&in->total));
    for (int i = 0; i < in->function_count; i++)
        if (program_bytes(&in->functions[i]) > function) function = program_bytes(&in->functions[i]);
    in->exec.scratch =
        rounded((size_t)in->reducer_count * sizeof(accumulator)) + program + rounded(function);
}

lun_status lun_interp_make_isa(const lun_ir *ir, int math, lun_isa isa, lun_interp **out)
{
    lun_interp *in = calloc(1, sizeof *in);
    if (!in) return LUN_ENOMEM;
    in->loops = lun_loops_for(isa);
    in->exec = (lun_exec){.self = in, .body = body, .total = total, .combine = combine,
                          .math = lun_vecmath(isa, (lun_math)math)};
    lun_status s = find_reducers(in, ir);
    if (s == LUN_OK) s = make_functions(in, ir);
    if (s == LUN_OK)
        s = lun__program_make(ir, LUN_PART_BODY, NULL, in->loops, in->exec.math, in->reducers,
                              in->reducer_count, &in->body);
    if (s == LUN_OK && in->scans)
        s = lun__program_make(ir, LUN_PART_TOTAL, NULL, in->loops, in->exec.math, in->reducers,
                              in->reducer_count, &in->total);
    if (s != LUN_OK) {
        lun_interp_free(in);
        return s;
    }
    find_scratch(in);
    *out = in;
    return LUN_OK;
}

lun_status lun_interp_make(const lun_ir *ir, int math, lun_interp **out)
{
    return lun_interp_make_isa(ir, math, lun_isa_here(), out);
}

const lun_exec *lun_interp_exec(const lun_interp *interp)
{
    return &interp->exec;
}

void lun_interp_free(lun_interp *in)
{
    if (!in) return;
    lun__program_free(&in->body);
    lun__program_free(&in->total);
    for (int i = 0; i < in->function_count; i++) lun__program_free(&in->functions[i]);
    free(in->functions);
    free(in->reducers);
    free(in);
}
