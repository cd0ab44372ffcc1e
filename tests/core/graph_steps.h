/* graph_steps.h - what random_graph_test.c is made of: random numbers, blocks of elements,
 * functions in IR form, and single steps that can be done on any engine. */
#ifndef GRAPH_STEPS_H
#define GRAPH_STEPS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "lunarray_bind.h"
#include "table/dtype.h"

/* ---- random numbers: splitmix64 -------------------------------------------------------------- */

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t next(rng *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline int64_t below(rng *r, int64_t n)
{
    return n > 0 ? (int64_t)(next(r) % (uint64_t)n) : 0;
}

static inline bool chance(rng *r, int percent)
{
    return below(r, 100) < percent;
}

static inline lun_dtype any_dtype(rng *r)
{
    static const lun_dtype often[] = {LUN_F64, LUN_F64, LUN_F32, LUN_I64, LUN_I32, LUN_BOOL};
    return chance(r, 60) ? often[below(r, 6)] : (lun_dtype)below(r, LUN_DTYPE_COUNT);
}

static inline lun_value any_number(rng *r)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 1e300, 0.1, 3, -1e-3};
    lun_value v = {.dtype = LUN_F64};
    if (chance(r, 50))
        return (lun_value){.dtype = LUN_I64, .as.i = below(r, 7) - 1};
    v.as.d = chance(r, 85) ? (double)(below(r, 41) - 20) / 4 : odd[below(r, 8)];
    return v;
}

/* ---- blocks: an array's elements in plain memory --------------------------------------------- */

typedef struct block {
    lun_dtype t;
    int rank;
    int64_t n, shape[LUN_MAX_RANK];
    unsigned char *bytes;
} block;

static inline block block_random_of(rng *r, lun_dtype t, int64_t n)
{
    size_t size = (size_t)lun_dtype_size(t);
    block b = {.t = t, .rank = 1, .n = n, .shape = {n}, .bytes = malloc((size_t)n * size + 1)};
    for (int64_t i = 0; b.bytes && i < n; i++) {
        lun_value v = any_number(r);
        if (!lun__dtype_is_float(t) && chance(r, 10))
            v = (lun_value){.dtype = LUN_I64, .as.u = next(r)};
        uint64_t cell = lun__dtype_cell_from_value(t, v);
        memcpy(b.bytes + (size_t)i * size, &cell, size);
    }
    return b;
}

static inline block block_random(rng *r, int64_t n)
{
    return block_random_of(r, any_dtype(r), n);
}

static inline lun_status block_array(lun_engine *e, const block *b, lun_array **out)
{
    return lun_tensor(e, b->bytes, b->rank, b->shape, b->t, out);
}

static inline lun_status block_read(lun_engine *e, lun_array *a, block *b)
{
    *b = (block){.t = lun_dtype_of(a), .n = lun_size(a)};
    b->rank = lun_shape(a, b->shape);
    b->bytes = malloc((size_t)(b->n * lun_dtype_size(b->t)) + 1);
    lun_status s = b->bytes ? lun_read(e, a, b->bytes, 0, b->n) : LUN_ENOMEM;
    if (s != LUN_OK)
        free(b->bytes);
    return s;
}

/* ---- functions in IR form -------------------------------------------------------------------- */

typedef enum function_kind { TWO_RESULTS, WITH_ARRAY, COMBINER, FUNCTION_KINDS } function_kind;

typedef struct function_of {
    function_kind kind;
    lun_ir body[LUN_DTYPE_COUNT];
    lun_ir_function made[LUN_DTYPE_COUNT];
} function_of;

typedef struct functions {
    function_of of[FUNCTION_KINDS];
} functions;

static inline int ins(lun_ir *ir, lun_ir_kind kind, lun_dtype t, int64_t imm)
{
    return lun__ir_add(ir, (lun_ir_ins){.kind = (uint8_t)kind, .dtype = (uint8_t)t, .imm = imm});
}

static inline int op2(lun_ir *ir, lun_op op, lun_dtype from, lun_dtype to, int a, int b)
{
    return lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_OP,
                                        .dtype = (uint8_t)to,
                                        .from = (uint8_t)from,
                                        .op = (int32_t)op,
                                        .a = a,
                                        .b = b});
}

/* x*y + x and x - y */
static inline void make_two_results(lun_ir *ir, lun_ir_function *f)
{
    lun__ir_arg_add(ir, LUN_F64);
    lun__ir_arg_add(ir, LUN_F64);
    int x = ins(ir, LUN_IR_ARG, LUN_F64, 0), y = ins(ir, LUN_IR_ARG, LUN_F64, 1);
    f->output[0] =
        op2(ir, LUN_OP_ADD, LUN_F64, LUN_F64, op2(ir, LUN_OP_MUL, LUN_F64, LUN_F64, x, y), x);
    f->output[1] = op2(ir, LUN_OP_SUB, LUN_F64, LUN_F64, x, y);
    f->outputs = 2;
}

/* w[|x|] where that is within w, else an error */
static inline void make_with_array(lun_ir *ir, lun_ir_function *f, lun_dtype t)
{
    lun__ir_arg_add(ir, LUN_I64);
    lun__ir_arg_add(ir, LUN_I64);
    lun__ir_slot_add(ir, t, LUN_SLOT_ARRAY);
    int x = ins(ir, LUN_IR_ARG, LUN_I64, 0), n = ins(ir, LUN_IR_ARG, LUN_I64, 1);
    int at = op2(ir, LUN_OP_MOD, LUN_I64, LUN_I64, x, n);
    int within = op2(ir, LUN_OP_LT, LUN_I64, LUN_BOOL, x, n);
    lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_CHECK, .dtype = LUN_BOOL, .a = within, .b = x});
    f->output[0] =
        lun__ir_add(ir, (lun_ir_ins){.kind = LUN_IR_GATHER, .dtype = (uint8_t)t, .a = at});
    f->outputs = 1;
}

/* a/2 + b: not associative, so the order shows */
static inline void make_combiner(lun_ir *ir, lun_ir_function *f)
{
    lun__ir_arg_add(ir, LUN_F64);
    lun__ir_arg_add(ir, LUN_F64);
    int a = ins(ir, LUN_IR_ARG, LUN_F64, 0), b = ins(ir, LUN_IR_ARG, LUN_F64, 1);
    double half = 0.5;
    int64_t bits;
    memcpy(&bits, &half, sizeof bits);
    int k = ins(ir, LUN_IR_CONST, LUN_F64, bits);
    f->output[0] =
        op2(ir, LUN_OP_ADD, LUN_F64, LUN_F64, op2(ir, LUN_OP_MUL, LUN_F64, LUN_F64, a, k), b);
    f->outputs = 1;
}

static inline lun_status specialise(void *ctx, const lun_front_param *params, int count,
                                    lun_front_result *out, lun_strbuf *error)
{
    function_of *f = ctx;
    static const char *const notes[] = {"w[%lld] is outside"};
    lun_dtype t = f->kind == WITH_ARRAY ? params[1].dtype : LUN_F64;
    if (count != 2 || (f->kind == WITH_ARRAY) != params[1].array) {
        lun__strbuf_puts(error, "wrong arguments");
        return LUN_EARG;
    }
    out->function = &f->made[t];
    out->notes = notes;
    out->note_count = 1;
    if (f->kind == WITH_ARRAY) {
        out->scalars = 1;
        out->scalar[0] = (lun_value){.dtype = LUN_I64, .as.i = params[1].shape[0]};
        out->scalar_dtype[0] = LUN_I64;
    }
    return LUN_OK;
}

static inline void functions_open(functions *f)
{
    memset(f, 0, sizeof *f);
    for (int k = 0; k < FUNCTION_KINDS; k++) {
        f->of[k].kind = (function_kind)k;
        for (int t = 0; t < LUN_DTYPE_COUNT; t++) {
            lun_ir *ir = &f->of[k].body[t];
            lun__ir_init(ir);
            f->of[k].made[t] = (lun_ir_function){.body = ir,
                                                 .params = 2,
                                                 .param = {{.dtype = LUN_F64}, {.dtype = LUN_F64}},
                                                 .result = LUN_F64};
            if (k == TWO_RESULTS)
                make_two_results(ir, &f->of[k].made[t]);
            else if (k == WITH_ARRAY)
                make_with_array(ir, &f->of[k].made[t], (lun_dtype)t);
            else
                make_combiner(ir, &f->of[k].made[t]);
        }
    }
}

static inline void functions_close(functions *f)
{
    for (int k = 0; k < FUNCTION_KINDS; k++)
        for (int t = 0; t < LUN_DTYPE_COUNT; t++)
            lun__ir_free(&f->of[k].body[t]);
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef enum step_kind {
    STEP_SOURCE,
    STEP_OP,
    STEP_CAST,
    STEP_CONCAT,
    STEP_RESHAPE,
    STEP_REDUCE,
    STEP_SCAN,
    STEP_TOTAL,
    STEP_CALL,
    STEP_KINDS
} step_kind;

/* All that a step needs but its operands; the same on any engine. */
typedef struct step {
    step_kind kind;
    int operands, op, function, source;
    int numbers; /* bits: operands that are numbers instead */
    lun_value number[3];
    bool inclusive, with_id;
    lun_dtype t;
    int64_t n;
    uint64_t seed;
} step;

static inline void step_random(rng *r, int64_t n, step *s)
{
    static const step_kind kinds[] = {STEP_OP,     STEP_OP,   STEP_OP,   STEP_OP,     STEP_OP,
                                      STEP_OP,     STEP_OP,   STEP_OP,   STEP_OP,     STEP_OP,
                                      STEP_CAST,   STEP_CAST, STEP_SCAN, STEP_TOTAL,  STEP_REDUCE,
                                      STEP_CONCAT, STEP_CALL, STEP_CALL, STEP_RESHAPE};
    lun_op_info info = {.size = sizeof info};
    *s = (step){.kind = kinds[below(r, 19)], .operands = 1, .t = any_dtype(r), .n = n};
    s->op = (int)below(r, chance(r, 50) ? LUN_OP_SQRT : LUN_OP_COUNT);
    s->function = (int)below(r, FUNCTION_KINDS);
    s->source = (int)below(r, 6);
    s->inclusive = chance(r, 50);
    s->with_id = chance(r, 40);
    s->seed = next(r);
    if (chance(r, 12))
        s->kind = STEP_SOURCE;
    if (s->kind == STEP_SOURCE && chance(r, 25))
        s->n = chance(r, 50) ? 1 : below(r, 300);
    for (int k = 0; k < 3; k++)
        s->number[k] = any_number(r);
    if (s->kind == STEP_SOURCE)
        s->operands = 0;
    if (s->kind == STEP_CONCAT || s->kind == STEP_CALL)
        s->operands = 2;
    if ((s->kind == STEP_REDUCE || s->kind == STEP_SCAN) && chance(r, 30))
        s->operands = 2; /* the second: the initial value */
    if (s->kind == STEP_OP) {
        lun_op_describe((lun_op)s->op, &info);
        s->operands = info.arity;
        if (info.arity > 1 && chance(r, 35))
            s->numbers = 1 << below(r, info.arity);
    }
}

static inline lun_status step_source(lun_engine *e, const step *s, lun_array **out)
{
    lun_value a = s->number[0], b = s->number[1];
    int64_t shape[3] = {s->n, 1, 1};
    int rank = 1;
    if (s->n % 2 == 0 && s->seed % 3 == 0) {
        shape[rank++ - 1] = s->n / 2;
        shape[1] = 2;
    }
    switch (s->source) {
    case 0:
        return lun_full(e, rank, shape, s->t, a, out);
    case 1:
        return lun_range(e, a, b, s->n, s->t, out);
    case 2:
        return lun_linspace(e, 0.1, 7, s->n, lun__dtype_is_float(s->t) ? s->t : LUN_F64, out);
    case 3:
        return lun_random(e, rank, shape, s->seed, (lun_dist)(s->seed >> 8 & 1),
                          lun__dtype_is_float(s->t) ? s->t : LUN_F32, out);
    default: {
        rng r = {s->seed};
        block x = block_random_of(&r, s->t, s->n);
        x.rank = rank;
        memcpy(x.shape, shape, sizeof shape);
        lun_status status = block_array(e, &x, out);
        free(x.bytes);
        return status;
    }
    }
}

static inline lun_status number_array(lun_engine *e, lun_value v, lun_array **out)
{
    return v.dtype == LUN_F64 ? lun_number(e, v.as.d, out) : lun_integer(e, v.as.i, out);
}

static inline lun_status step_op(lun_engine *e, const step *s, lun_array *const *in,
                                 lun_array **out)
{
    lun_array *a[3], *made[3] = {0};
    lun_status status = LUN_OK;
    for (int k = 0; status == LUN_OK && k < s->operands; k++) {
        a[k] = in[k];
        if (s->numbers & 1 << k)
            status = number_array(e, s->number[k], &made[k]);
        if (made[k])
            a[k] = made[k];
    }
    if (status == LUN_OK)
        status = lun_apply(e, (lun_op)s->op, a, s->operands, out);
    for (int k = 0; k < 3; k++)
        lun_release(made[k]);
    return status;
}

static inline lun_status step_reshape(lun_engine *e, const step *s, lun_array *a, lun_array **out)
{
    int64_t n = lun_size(a), shape[3] = {n, 1, 1};
    int rank = 1;
    if (s->seed % 3 && n % 2 == 0) {
        shape[0] = n / 2;
        shape[1] = 2;
        rank = s->seed % 3 == 1 ? 2 : 3;
    } else if (n == 1 && s->seed % 2) {
        rank = 0;
    }
    return lun_reshape(e, a, rank, shape, out);
}

static inline lun_status step_function(lun_engine *e, functions *f, const step *s,
                                       lun_function **out)
{
    lun_front front = {.ctx = &f->of[s->function], .params = 2, .specialise = specialise};
    if (s->kind == STEP_CALL || s->function == COMBINER)
        return lun__make_function_front(e, &front, out);
    static const lun_op ops[] = {LUN_OP_ADD, LUN_OP_MUL, LUN_OP_MIN,  LUN_OP_MAX, LUN_OP_LOR,
                                 LUN_OP_BOR, LUN_OP_ADD, LUN_OP_FMIN, LUN_OP_FMAX};
    return lun_function_op(e, ops[s->seed % 9], out);
}

static inline lun_status step_with_function(lun_engine *e, functions *f, const step *s,
                                            lun_array *const *in, lun_array **outs, int *results)
{
    lun_function *fn;
    lun_array *id = s->operands > 1 ? in[1] : NULL, *made = NULL;
    lun_status status = step_function(e, f, s, &fn);
    if (status != LUN_OK)
        return status;
    if (s->kind == STEP_CALL)
        status = lun_call(e, fn, in, 2, s->function == WITH_ARRAY ? 1 : 2, outs, 2, results);
    else if (!id && s->with_id && (status = number_array(e, s->number[0], &made)) == LUN_OK)
        id = made;
    if (status == LUN_OK && s->kind == STEP_REDUCE)
        status = lun_reduce(e, fn, id, in[0], outs);
    if (status == LUN_OK && s->kind == STEP_SCAN)
        status = lun_scan(e, fn, id, in[0], s->inclusive, outs);
    lun_release(made);
    lun_function_release(fn);
    return status;
}

/* Does the step; *results arrays come out, 0 on failure. */
static inline lun_status step_build(lun_engine *e, functions *f, const step *s,
                                    lun_array *const *in, lun_array **outs, int *results)
{
    static const lun_reduction lazy[] = {LUN_SUM, LUN_PROD, LUN_MIN,  LUN_MAX,
                                         LUN_ANY, LUN_ALL,  LUN_COUNT};
    lun_status status;
    *results = 1;
    switch (s->kind) {
    case STEP_SOURCE:
        status = step_source(e, s, outs);
        break;
    case STEP_OP:
        status = step_op(e, s, in, outs);
        break;
    case STEP_CAST:
        status = lun_cast(e, in[0], s->t, outs);
        break;
    case STEP_CONCAT:
        status = lun_concat(e, in[0], in[1], outs);
        break;
    case STEP_RESHAPE:
        status = step_reshape(e, s, in[0], outs);
        break;
    case STEP_TOTAL:
        status = lun_total_lazy(e, lazy[s->seed % 7], in[0], 0, outs);
        break;
    default:
        status = step_with_function(e, f, s, in, outs, results);
    }
    if (status != LUN_OK)
        *results = 0;
    return status;
}

#endif
