/* make_interpreter.c - makes an interpreter from IR: its programs, its reductions, the memory it
 * will need; see reference.h. */
#include <stdlib.h>

#include "reference/run.h"

const lun_loops *lun__interpreter_loops(lun_isa isa)
{
#ifdef __x86_64__
    if (isa == LUN_ISA_AVX512)
        return &lun__loops_avx512;
    if (isa == LUN_ISA_AVX2)
        return &lun__loops_avx2;
#endif
    (void)isa;
    return &lun__loops_base;
}

/* Fills the table of reductions, with `scans` the scan's included. */
static lun_status find_reducers(lun_interp *in, const lun_ir *ir, bool scans)
{
    in->reducers = calloc((size_t)ir->result_count + 1, sizeof *in->reducers);
    if (!in->reducers)
        return LUN_ENOMEM;
    for (int i = 0; i < ir->count; i++) {
        const lun_ir_ins *ins = &ir->ins[i];
        bool scan = ins->kind == LUN_IR_SCAN;
        if (scan ? !scans : ins->kind != LUN_IR_REDUCE)
            continue;
        if (in->reducer_count > ir->result_count)
            return LUN_EARG;
        lun_reducer *d = &in->reducers[in->reducer_count++];
        *d = (lun_reducer){.op = ins->op,
                           .ins = i,
                           .captured = ins->captured ? ins->captured - 1 : 0,
                           .arrays = ins->arrays ? ins->arrays - 1 : 0,
                           .result = scan ? -1 : (int32_t)ins->imm,
                           .dtype = ins->dtype,
                           .inclusive = scan && ins->inclusive,
                           .gives_index = lun__ir_gives_index(ins)};
        d->bytes = lun__dtype_get((lun_dtype)d->dtype)->bytes;
        while (1 << d->size < d->bytes)
            d->size++;
        if (d->op == LUN_OP_COUNT) {
            d->function = ins->c;
            if (!ir->functions[d->function]->body)
                return LUN_EBACKEND;
        } else {
            d->lanes = (lun__op_get((lun_op)d->op)->flags & LUN_OPF_COMM) &&
                       lun__op_identity((lun_op)d->op, (lun_dtype)d->dtype, &d->identity);
            if (!in->loops->of[d->dtype]->pairs[d->op])
                return LUN_EBACKEND;
        }
        in->scans |= scan;
    }
    return LUN_OK;
}

static lun_status make_functions(lun_interp *in, const lun_ir *ir)
{
    in->functions = calloc((size_t)ir->function_count + 1, sizeof *in->functions);
    if (!in->functions)
        return LUN_ENOMEM;
    in->function_count = ir->function_count;
    for (int i = 0; i < in->reducer_count; i++) {
        const lun_reducer *d = &in->reducers[i];
        lun_program *p = &in->functions[d->function];
        if (d->op < LUN_OP_COUNT || p->operand_count)
            continue;
        const lun_ir_function *f = ir->functions[d->function];
        lun_status s =
            lun__program_make(f->body, LUN_PART_FUNCTION, f, in->loops, in->version, NULL, 0, p);
        if (s != LUN_OK)
            return s;
        if (program_bytes(p) > COMBINE_BYTES)
            return LUN_EBACKEND;
    }
    return LUN_OK;
}

static void find_scratch(lun_interp *in)
{
    size_t function = 0, program = rounded(program_bytes(&in->body));
    if (rounded(program_bytes(&in->total)) > program)
        program = rounded(program_bytes(&in->total));
    for (int i = 0; i < in->function_count; i++)
        if (program_bytes(&in->functions[i]) > function)
            function = program_bytes(&in->functions[i]);
    in->exec.scratch =
        rounded((size_t)in->reducer_count * sizeof(accumulator)) + program + rounded(function);
}

/* What combines cells: an interpreter without programs. */
static lun_status make_reducers(const lun_ir *ir, int version, lun_isa isa, bool scans,
                                lun_interp **out)
{
    lun_interp *in = calloc(1, sizeof *in);
    if (!in)
        return LUN_ENOMEM;
    in->loops = lun__interpreter_loops(isa);
    in->exec = (lun_exec){
        .self = in, .combine = lun__reduce_combine, .combine_rows = lun__reduce_combine_rows};
    in->version = version;
    lun_status s = find_reducers(in, ir, scans);
    if (s == LUN_OK)
        s = make_functions(in, ir);
    if (s == LUN_OK)
        *out = in;
    else
        lun__interpreter_free(in);
    return s;
}

lun_status lun__interpreter_combine(const lun_ir *ir, int version, lun_interp **out)
{
    return make_reducers(ir, version, lun__isa_here(), false, out);
}

lun_status lun__interpreter_make_isa(const lun_ir *ir, int version, lun_isa isa, lun_interp **out)
{
    lun_interp *in = NULL;
    lun_status s = make_reducers(ir, version, isa, true, &in);
    if (s != LUN_OK)
        return s;
    in->threads = ir->threads;
    in->lanes = ir->threads ? lun__ir_lanes(ir) : 0;
    in->exec.body = lun__interp_body;
    in->exec.total = lun__interp_total;
    s = lun__program_make(ir, LUN_PART_BODY, NULL, in->loops, in->version, in->reducers,
                          in->reducer_count, &in->body);
    if (s == LUN_OK && in->scans)
        s = lun__program_make(ir, LUN_PART_TOTAL, NULL, in->loops, in->version, in->reducers,
                              in->reducer_count, &in->total);
    if (s != LUN_OK) {
        lun__interpreter_free(in);
        return s;
    }
    find_scratch(in);
    *out = in;
    return LUN_OK;
}

lun_status lun__interpreter_make(const lun_ir *ir, int version, lun_interp **out)
{
    return lun__interpreter_make_isa(ir, version, lun__isa_here(), out);
}

const lun_exec *lun__interpreter_exec(const lun_interp *interp)
{
    return &interp->exec;
}

static size_t held_by(const lun_program *p)
{
    return sizeof *p + (size_t)p->count * sizeof *p->steps +
           (size_t)p->operand_count * sizeof *p->operands +
           (size_t)p->uniform_count * sizeof *p->uniforms;
}

int64_t lun__interpreter_bytes(const lun_interp *in)
{
    if (!in)
        return 0;
    size_t bytes = sizeof *in + held_by(&in->body) + held_by(&in->total) +
                   (size_t)in->reducer_count * sizeof *in->reducers;
    for (int i = 0; i < in->function_count; i++)
        bytes += held_by(&in->functions[i]);
    return (int64_t)bytes;
}

void lun__interpreter_free(lun_interp *in)
{
    if (!in)
        return;
    lun__program_free(&in->body);
    lun__program_free(&in->total);
    for (int i = 0; i < in->function_count; i++)
        lun__program_free(&in->functions[i]);
    free(in->functions);
    free(in->reducers);
    free(in);
}
