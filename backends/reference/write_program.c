/* write_program.c - writes the steps of a program: registers, one step per instruction; see
 * write_program.h and program_builder.h. Knows what steps mean, not how they are run; control flow
 * is execution_masks.c's. */
#include <stdlib.h>
#include <string.h>

#include "reference/program_builder.h"

static int size_of(lun_dtype t)
{
    switch (lun__dtype_get(t)->bytes) {
    case 1:
        return 0;
    case 2:
        return 1;
    case 4:
        return 2;
    default:
        return 3;
    }
}

/* ---- operands ----------------------------------------------------------------------------------
 * */

/* The operand for the value of instruction i. */
static int32_t make_operand(builder *b, int i)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    int size = size_of((lun_dtype)ins->dtype);
    int32_t slot = b->flow.forward[i] ? (int32_t)b->ir->ins[b->flow.store[i]].imm : -1;
    b->operand[i] = lun__builder_operand(b, slot, lun__builder_register(b, size), size);
    return b->operand[i];
}

/* Gives back the registers of values whose last use is at a position, before the step there takes
 * one, so that it may write over an operand.  itself: of the value made there alone;
 * else of all others. */
static void give_back(builder *b, int at, bool itself)
{
    for (int32_t v = b->ending[at]; v >= 0; v = b->after[v]) {
        const lun_ir_ins *ins = &b->ir->ins[v];
        bool shared = ins->kind == LUN_IR_LOAD && !b->flow.copy_loads;
        shared |= ins->kind == LUN_IR_GET && b->flow.alias[v];
        shared |= lun__ir_row(ins->kind)->varies == LUN_VARIES_NEVER;
        if ((v == at) == itself && !shared)
            lun__builder_give(b, b->operand[v]);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void add_uniform(builder *b, int i)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    lun_program *p = b->p;
    bool captured = ins->kind == LUN_IR_ARG && b->part == LUN_PART_FUNCTION;
    if (captured && ins->imm < 2) {
        b->operand[i] = p->input[ins->imm];
        return;
    }
    int32_t operand = make_operand(b, i);
    if (!lun__builder_grow(b, &p->uniforms, p->uniform_count, &b->uniform_room,
                           sizeof *p->uniforms))
        return;
    p->uniforms[p->uniform_count++] = (lun_uniform){
        operand, ins->kind, (uint8_t)size_of((lun_dtype)ins->dtype), ins->imm - (captured ? 2 : 0)};
}

static void add_op(builder *b, int i)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    const lun_op_row *row = lun__op_get((lun_op)ins->op);
    lun_dtype from = (lun_dtype)ins->from;
    lun_loop_op sequence = lun__instruction_loops_math(b->loops, b->version, (lun_op)ins->op, from);
    lun_loop_op loop = sequence ? sequence : b->loops->of[from]->op[ins->op];
    int32_t d = make_operand(b, i);
    lun_step *s = lun__builder_step(b, LUN_STEP_OP, i);
    s->d = d;
    s->a = lun__builder_at(b, ins->a);
    s->b = row->arity > 1 ? lun__builder_at(b, ins->b) : -1;
    s->c = row->arity > 2 ? lun__builder_at(b, ins->c) : -1;
    s->size = (uint8_t)size_of(from);
    s->fn.op = loop;
    if (!loop)
        lun__builder_fail(b, LUN_EBACKEND);
    if ((row->flags & LUN_OPF_TRAP0) && !lun__dtype_is_float(from))
        s->kind = LUN_STEP_DIVIDE;
}

static void add_cast(builder *b, int i)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    int32_t d = make_operand(b, i);
    lun_step *s = lun__builder_step(b, LUN_STEP_CAST, i);
    s->d = d;
    s->a = lun__builder_at(b, ins->a);
    s->fn.cast = b->loops->of[ins->dtype]->cast[ins->from];
}

static void add_load(builder *b, int i)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    int32_t slot = (int32_t)ins->imm;
    if (!b->flow.copy_loads) {
        b->operand[i] = slot;
        return;
    }
    int32_t d = make_operand(b, i);
    lun_step *s = lun__builder_step(b, LUN_STEP_COPY, i);
    s->d = d;
    s->a = slot;
    s->size = (uint8_t)size_of((lun_dtype)ins->dtype);
    s->mask = -1;
}

/* A value in a operand of its own, of operands a and b as the kind has them. */
static lun_step *add_value(builder *b, int i, lun_step_kind kind)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    int inputs = lun__ir_row(ins->kind)->inputs;
    int32_t d = make_operand(b, i);
    lun_step *s = lun__builder_step(b, kind, i);
    s->d = d;
    s->a = inputs > 0 ? lun__builder_at(b, ins->a) : -1;
    s->b = inputs > 1 ? lun__builder_at(b, ins->b) : -1;
    s->imm = ins->imm;
    s->size = (uint8_t)size_of((lun_dtype)ins->dtype);
    return s;
}

static void add_store(builder *b, int i)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    int32_t slot = (int32_t)ins->imm;
    lun_step *s =
        lun__builder_step(b, lun__builder_mask(b) < 0 ? LUN_STEP_STORE : LUN_STEP_BLEND, i);
    s->d = slot;
    s->a = lun__builder_at(b, ins->a);
    s->size = (uint8_t)size_of((lun_dtype)b->ir->slots[ins->imm].dtype);
}

/* A REDUCE, or the SCAN as TOTAL and BODY need it. */
static void add_reducer(builder *b, int i, lun_step_kind kind)
{
    int r = 0;
    if (b->depth > 1) { /* a combination of some elements only has no meaning in a fixed tree */
        lun__builder_fail(b, LUN_EBACKEND);
        return;
    }
    while (r < b->reducer_count && b->reducers[r].ins != i)
        r++;
    if (kind == LUN_STEP_SCAN) {
        add_value(b, i, kind)->imm = r;
        return;
    }
    lun_step *s = lun__builder_step(b, kind, i);
    s->a = lun__builder_at(b, b->ir->ins[i].a);
    s->size = b->reducers[r].size;
    s->imm = r;
}

/* ---- variables ------------------------------------------------------------------------------- */

static void add_var(builder *b, int i)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    if (ins->kind == LUN_IR_GET && b->flow.alias[i]) {
        b->operand[i] = lun__builder_at(b, ins->a);
        return;
    }
    int32_t d = ins->kind == LUN_IR_SET ? lun__builder_at(b, ins->a) : make_operand(b, i);
    int32_t a = lun__builder_at(b, ins->kind == LUN_IR_SET ? ins->b : ins->a);
    if (d == a)
        return;
    bool masked = ins->kind == LUN_IR_SET && lun__builder_mask(b) >= 0;
    lun_step *s = lun__builder_step(b, masked ? LUN_STEP_BLEND : LUN_STEP_COPY, i);
    s->d = d;
    s->a = a;
    s->size = (uint8_t)size_of((lun_dtype)b->ir->ins[ins->kind == LUN_IR_SET ? ins->a : i].dtype);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void add_ins(builder *b, int i)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    switch ((lun_ir_kind)ins->kind) {
    case LUN_IR_CONST:
    case LUN_IR_ARG:
    case LUN_IR_LOADU:
        break; /* filled before the steps run: lun__interp_start */
    case LUN_IR_LOAD:
        add_load(b, i);
        break;
    case LUN_IR_OP:
        add_op(b, i);
        break;
    case LUN_IR_CAST:
        add_cast(b, i);
        break;
    case LUN_IR_SCAN:
        add_reducer(b, i, b->part == LUN_PART_TOTAL ? LUN_STEP_TOTAL : LUN_STEP_SCAN);
        break;
    case LUN_IR_STORE:
        if (!b->flow.sunk[i])
            add_store(b, i);
        break;
    case LUN_IR_REDUCE:
        add_reducer(b, i, LUN_STEP_REDUCE);
        break;
    case LUN_IR_VAR:
    case LUN_IR_GET:
    case LUN_IR_SET:
        add_var(b, i);
        break;
    case LUN_IR_IF:
    case LUN_IR_LOOP:
    case LUN_IR_BLOCK:
        lun__execution_mask_open(b, i);
        break;
    case LUN_IR_ELSE:
        lun__execution_mask_else(b, i);
        break;
    case LUN_IR_END:
        lun__execution_mask_close(b, i);
        break;
    case LUN_IR_BREAK:
    case LUN_IR_CONTINUE:
        lun__execution_mask_leave(b, i);
        break;
    case LUN_IR_CHECK: {
        lun_step *s = lun__builder_step(b, LUN_STEP_CHECK, i);
        s->a = lun__builder_at(b, ins->a);
        s->b = lun__builder_at(b, ins->b);
        s->size = (uint8_t)(ins->b < 0 ? 0 : size_of((lun_dtype)b->ir->ins[ins->b].dtype));
        break;
    }
    case LUN_IR_PUT: {
        lun_step *s = lun__builder_step(b, LUN_STEP_PUT, i);
        s->a = lun__builder_at(b, ins->a);
        s->b = lun__builder_at(b, ins->b);
        s->imm = ins->imm;
        s->size = (uint8_t)size_of((lun_dtype)b->ir->slots[ins->imm].dtype);
        break;
    }
    case LUN_IR_ATOMIC:
    case LUN_IR_SWAP: {
        lun_step *s = add_value(b, i, LUN_STEP_ATOMIC);
        s->c = ins->kind == LUN_IR_SWAP ? lun__builder_at(b, ins->c) : -1;
        s->fn.atomic = lun__reference_atomic_loop((lun_atomic)ins->op, (lun_dtype)ins->dtype);
        if (!s->fn.atomic)
            lun__builder_fail(b, LUN_EBACKEND);
        break;
    }
    case LUN_IR_BARRIER:
    case LUN_IR_MEET:
        lun__builder_step(b, LUN_STEP_BARRIER, i);
        break;
    default:
        if (lun__interp_value(ins->kind))
            add_value(b, i, LUN_STEP_VALUE)->fn.value = lun__interp_value(ins->kind);
        else
            lun__builder_fail(b, LUN_EBACKEND);
    }
}

/* The first operands are the slots, by number. Then the registers that live as long as the program:
 * the mask of the whole, parameters, uniform values, work. */
static void add_lasting(builder *b)
{
    lun_program *p = b->p;
    bool trees = false;
    for (int s = 0; s < b->ir->slot_count; s++)
        lun__builder_operand(b, s, -1, size_of((lun_dtype)b->ir->slots[s].dtype));
    if (b->flow.control)
        p->base_mask = lun__builder_take(b, 0);
    for (int r = 0; r < b->reducer_count; r++)
        trees |= !b->reducers[r].lanes;
    if (trees)
        p->work = lun__builder_take(b, 3);
    if (b->part == LUN_PART_FUNCTION)
        for (int k = 0; k < 2; k++)
            p->input[k] = lun__builder_take(b, size_of(lun__ir_function_param(b->function, k)));
    for (int i = 0; i < b->ir->count; i++) {
        if (b->flow.needed[i] && lun__ir_row(b->ir->ins[i].kind)->varies == LUN_VARIES_NEVER)
            add_uniform(b, i);
    }
}

/* A function combines two values; it has no index and, but for the arrays that it indexes, no
 * memory. */
static bool combines_two(const lun_ir *ir, const lun_ir_function *f)
{
    const unsigned memory = LUN_EFFECT_INDEX | LUN_EFFECT_WRITES;
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_row *row = lun__ir_row(ir->ins[i].kind);
        if ((row->effects & memory) || (row->fields & LUN_FIELD_COMBINER))
            return false;
    }
    return lun__ir_function_params(f) >= 2 && f->outputs == 1;
}

static void build(builder *b)
{
    const lun_ir *ir = b->ir;
    for (int i = ir->count - 1; i >= 0; i--) {
        int32_t last = b->flow.last[i];
        if (!b->flow.needed[i] || !lun__ir_has_value(&ir->ins[i]))
            continue;
        b->after[i] = b->ending[last];
        b->ending[last] = i;
    }
    add_lasting(b);
    b->arms[0] = (arm){.ins = -1, .mask = b->p->base_mask, .other = -1, .round = -1, .jumps = -1};
    b->depth = 1;
    for (int i = 0; i < ir->count && b->status == LUN_OK; i++) {
        if (!b->flow.needed[i])
            continue;
        give_back(b, i, false);
        add_ins(b, i);
        give_back(b, i, true);
    }
    for (int i = 0; i < ir->count && b->status == LUN_OK; i++)
        if (b->flow.sunk[i])
            add_store(b, i);
    if (b->part == LUN_PART_FUNCTION)
        b->p->output = lun__builder_at(b, b->function->output[0]);
    b->p->block = b->part == LUN_PART_FUNCTION ? LUN_BLOCK_LEAST : LUN_BLOCK_MOST;
    int64_t least = ir->threads ? lun__ir_lanes(ir) : LUN_BLOCK_LEAST;
    while (b->p->block > least && b->p->block > LUN_BLOCK_LEAST &&
           b->p->block * b->p->bytes > LUN_REGISTER_BYTES)
        b->p->block /= 2;
}

lun_status lun__program_make(const lun_ir *ir, lun_program_part part,
                             const lun_ir_function *function, const lun_loops *loops, int version,
                             const lun_reducer *reducers, int reducer_count, lun_program *out)
{
    size_t n = (size_t)ir->count + 1;
    builder b = {.ir = ir,
                 .part = part,
                 .function = function,
                 .loops = loops,
                 .version = version,
                 .reducers = reducers,
                 .reducer_count = reducer_count,
                 .p = out};
    if (function && !combines_two(ir, function))
        return LUN_EBACKEND;
    *out = (lun_program){.base_mask = -1, .work = -1, .input = {-1, -1}, .output = -1};
    b.status = lun__liveness_find(ir, part, function ? function->output[0] : -1, &b.flow);
    if (b.status != LUN_OK)
        return b.status;
    b.operand = malloc(n * 3 * sizeof *b.operand);
    b.arms = malloc(n * sizeof *b.arms);
    if (b.operand && b.arms) {
        memset(b.operand, -1, n * 3 * sizeof *b.operand);
        b.ending = b.operand + n;
        b.after = b.operand + 2 * n;
        build(&b);
    } else {
        lun__builder_fail(&b, LUN_ENOMEM);
    }
    free(b.operand);
    free(b.arms);
    for (int k = 0; k < 4; k++)
        free(b.free_registers[k]);
    lun__liveness_free(&b.flow);
    if (b.status != LUN_OK)
        lun__program_free(out);
    return b.status;
}

void lun__program_free(lun_program *p)
{
    free(p->steps);
    free(p->operands);
    free(p->uniforms);
    memset(p, 0, sizeof *p);
}
