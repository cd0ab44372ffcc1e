/* complex_fold.c - complex arrays combined by operations, in reductions and scans: sums are those
 * of the parts, products those of both parts together. What else combines needs an order. */
#include <stdlib.h>

#include "api/complex/complex_array.h"
#include "api/fold/lazy.h"
#include "complex/form.h"
#include "graph/function_ref.h"
#include "lunarray_bind.h"

/* ---- the product as a function of two numbers of two parts ----------------------------------- */

/* A front end of one body. */
typedef struct product {
    lun_ir ir;
    lun_ir_function function;
} product;

/* A body being written. */
typedef struct body {
    lun_ir *ir;
    lun_dtype part;
    bool failed;
} body;

static int32_t add(body *w, lun_ir_ins ins)
{
    const int at = lun__ir_add(w->ir, ins);
    w->failed = w->failed || at < 0;
    return at < 0 ? 0 : at;
}

/* Instructions as real numbers: 1 + their index, so that none is NULL. */
static lun__real *number_of(int32_t at)
{
    return (lun__real *)((uintptr_t)at + 1);
}

static int32_t index_of(const lun__real *x)
{
    return x ? (int32_t)((uintptr_t)x - 1) : -1;
}

static lun__real *write_op(void *ctx, lun_op op, lun__real *a, lun__real *b, lun__real *c)
{
    body *w = ctx;
    return number_of(add(w, (lun_ir_ins){.kind = LUN_IR_OP,
                                         .dtype = (uint8_t)w->part,
                                         .from = (uint8_t)w->part,
                                         .op = (int32_t)op,
                                         .a = index_of(a),
                                         .b = index_of(b),
                                         .c = index_of(c)}));
}

static lun__real *argument(body *w, int k)
{
    w->failed = w->failed || lun__ir_arg_add(w->ir, w->part) != k;
    return number_of(add(w, (lun_ir_ins){.kind = LUN_IR_ARG,
                                         .dtype = (uint8_t)w->part,
                                         .from = (uint8_t)w->part,
                                         .op = LUN_OP_COUNT,
                                         .a = -1,
                                         .b = -1,
                                         .c = -1,
                                         .imm = k}));
}

static lun_status specialise(void *ctx, const lun_front_param *params, int count,
                             lun_front_result *out, lun_strbuf *error)
{
    product *p = ctx;
    body w = {.ir = &p->ir, .part = params[0].dtype};
    const lun__maker m = {.ctx = &w, .op = write_op};
    lun__real *x[4];
    (void)error;
    if (count != 4)
        return LUN_EARG;
    lun__ir_free(&p->ir);
    lun__ir_init(&p->ir);
    for (int k = 0; k < 4; k++)
        x[k] = argument(&w, k);
    const lun__pair z = lun__form_times(&m, (lun__pair){x[0], x[1]}, (lun__pair){x[2], x[3]});
    p->function.body = &p->ir;
    p->function.output[0] = index_of(z.re);
    p->function.output[1] = index_of(z.im);
    p->function.outputs = 2;
    p->function.result = (uint8_t)w.part;
    out->function = &p->function;
    return w.failed ? LUN_ENOMEM : LUN_OK;
}

static void release(void *ctx)
{
    product *p = ctx;
    lun__ir_free(&p->ir);
    free(p);
}

static lun_status make_product(lun_engine *e, lun_function **out)
{
    product *p = calloc(1, sizeof *p);
    if (!p)
        return lun__fail_nomem(e);
    lun__ir_init(&p->ir);
    const lun_front front = {.ctx = p, .params = 4, .specialise = specialise, .release = release};
    lun_status s = lun__make_function_front(e, &front, out);
    if (s != LUN_OK)
        release(p);
    return s;
}

/* ---- folds ----------------------------------------------------------------------------------- */

static lun_status fold_one(lun_engine *e, const lun_folding *x, lun_array *id, lun_array *a,
                           lun_array **out)
{
    if (x->scans)
        return x->count ? lun__along_scan(e, x->f, id, a, NULL, 0, x->axes[0], x->inclusive, out)
                        : lun__fold_scan_whole(e, x->f, id, a, NULL, 0, x->inclusive, out);
    return x->count || x->keep ? lun_fold_along(e, x->f, id, a, x->axes, x->count, x->keep, out)
                               : lun_reduce(e, x->f, id, a, out);
}

static lun_status fold_both(lun_engine *e, const lun_folding *x, lun_array *const *ids,
                            lun_array *const *parts, lun_array **made)
{
    lun_function *f = NULL;
    lun_status s = make_product(e, &f);
    if (s == LUN_OK && x->scans)
        s = lun_scan_several(e, f, ids, parts, 2, NULL, 0, x->count ? x->axes[0] : -1, x->inclusive,
                             made);
    else if (s == LUN_OK)
        s = lun_reduce_several(e, f, ids, parts, 2, NULL, 0, x->axes, x->count, x->keep, made);
    lun_function_release(f);
    return s;
}

lun_status lun__complex_fold(lun_engine *e, const lun_folding *x, lun_array **out)
{
    lun__calc c = {.e = e};
    lun_array *made[2] = {NULL, NULL}, *ids[2] = {NULL, NULL};
    const bool multiplies = x->f->op == LUN_OP_MUL;
    if (!multiplies && x->f->op != LUN_OP_ADD)
        return lun__fail(e, LUN_EDTYPE,
                         "complex numbers are combined by + and *: they have no "
                         "order");
    lun__z z = lun__complex_array_parts(&c, x->a);
    z = lun__complex_array_parts(&c, z.im ? x->a : lun__complex_array_made(&c, z));
    if (x->id) {
        const lun__z id = lun__complex_array_parts(&c, x->id);
        ids[0] = id.re;
        ids[1] = id.im ? id.im : lun__calc_real(&c, 0);
    } else if (multiplies) {
        ids[0] = lun__calc_real(&c, 1);
        ids[1] = lun__calc_real(&c, 0);
    }
    lun_status s = c.s;
    if (s == LUN_OK && multiplies)
        s = fold_both(e, x, ids, (lun_array *[]){z.re, z.im}, made);
    for (int k = 0; s == LUN_OK && !multiplies && k < 2; k++)
        s = fold_one(e, x, ids[k], k ? z.im : z.re, &made[k]);
    if (s == LUN_OK) {
        z.re = lun__calc_take(&c, LUN_OK, made[0]);
        z.im = lun__calc_take(&c, LUN_OK, made[1]);
        return lun__calc_end(&c, lun__complex_array_made(&c, z), out);
    }
    lun_release(made[0]);
    lun_release(made[1]);
    c.s = s;
    return lun__calc_end(&c, NULL, out);
}
