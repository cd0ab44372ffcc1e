/* merge_divergent.c - divergent copies become one array again: merged by the function that was
 * given, or by the operation with which all of them were written; else the first one is taken. How
 * they are stored is store/divergent.c's. */
#include "api/write/merge_divergent.h"

#include <stdlib.h>

#include "api/array/apply_function.h"
#include "eval/eval.h"
#include "lunarray_bind.h"
#include "table/atomic.h"

/* ---- how they are written -------------------------------------------------------------------- */

static lun_status merge(lun_engine *e, lun_storage *s);

lun_writing lun__merge_writing_plain(void)
{
    return (lun_writing){.op = LUN_OP_COUNT, .merge = merge};
}

/* The operation by which an atomic one changes elements; a difference is a sum of negated
 * values. */
static lun_op by_atomic(lun_atomic which)
{
    const int op = lun__atomic_rows[which].op;
    return op == LUN_OP_SUB ? LUN_OP_ADD : (lun_op)op;
}

static bool changes(const lun_ir_ins *ins)
{
    return ins->kind == LUN_IR_PUT || ins->kind == LUN_IR_ATOMIC;
}

/* The neutral element; of sums of floats it is -0.0, since -0.0 + 0.0 is 0.0. */
static bool neutral(lun_op op, lun_dtype t, uint64_t *cell)
{
    if (op != LUN_OP_ADD || !lun__dtype_is_float(t))
        return lun__op_identity(op, t, cell);
    *cell = lun__dtype_cell_from_value(t, (lun_value){.dtype = LUN_F64, .as.d = -0.0});
    return true;
}

lun_writing lun__merge_writing_by(int atom, lun_dtype t)
{
    lun_writing how = lun__merge_writing_plain();
    if (atom)
        how.op = by_atomic((lun_atomic)(atom - 1));
    return how.op < LUN_OP_COUNT && neutral(how.op, t, &how.cell) ? how
                                                                  : lun__merge_writing_plain();
}

/* How a call of C text changes the slot; false: it does not take it. */
static bool called_by(const lun_ir *body, const lun_ir_ins *ins, int slot, lun_op *op)
{
    const lun_ir_function *f = body->functions[ins->imm];
    int k = 0;
    while (k < ins->c && body->operands[ins->b + k] != -1 - slot)
        k++;
    if (k == ins->c)
        return false;
    *op = LUN_OP_COUNT;
    if (f->param[k].atom)
        *op = by_atomic((lun_atomic)(f->param[k].atom - 1));
    return true;
}

lun_writing lun__merge_writing_of(const lun_ir *body, int slot, lun_dtype t)
{
    lun_writing how = lun__merge_writing_plain();
    bool some = false;
    for (int i = 0; i < body->count; i++) {
        const lun_ir_ins *ins = &body->ins[i];
        lun_op op = LUN_OP_COUNT;
        if (ins->kind == LUN_IR_CALL ? !called_by(body, ins, slot, &op)
                                     : !changes(ins) || ins->imm != slot)
            continue;
        if (ins->kind == LUN_IR_ATOMIC)
            op = by_atomic((lun_atomic)ins->op);
        if (op == LUN_OP_COUNT || (some && op != how.op))
            return lun__merge_writing_plain();
        how.op = op;
        some = true;
    }
    return some && neutral(how.op, t, &how.cell) ? how : lun__merge_writing_plain();
}

/* ---- the expression -------------------------------------------------------------------------- */

/* Whether a distribution is over the locations of the versions and gives each its own shard. */
static bool divides(const lun_spread *x, const lun_versions *v)
{
    bool same = x && x->kind != LUN_SPREAD_COPY && x->places == v->count;
    for (int k = 0; same && k < v->count; k++)
        same = x->place[k] == v->place[k];
    return same;
}

/* Shards of equal size, of whole slices. */
static lun_spread *new_parts(const lun_versions *v, int64_t count, int64_t unit)
{
    lun_spread *x = lun__spread_new(v->count);
    if (!x)
        return NULL;
    x->kind = LUN_SPREAD_BLOCK;
    x->n = count;
    x->unit = unit;
    for (int k = 0; k < v->count; k++)
        x->place[k] = v->place[k];
    lun__spread_cut(x->rule, NULL, count / unit, x->places, x->bound);
    for (int k = 0; k <= x->places; k++)
        x->bound[k] *= unit;
    return x;
}

/* The shard that each location merges: its own one; of copies, shards of equal size. */
static lun_status decide(lun_engine *e, lun_storage *s)
{
    const lun_versions *v = s->placed->versions;
    const lun_spread *own = s->placed->spread;
    const int64_t unit = own && own->unit > 0 && s->count % own->unit == 0 ? own->unit : 1;
    lun_spread *cut = divides(own, v) ? lun__spread_retain(own) : new_parts(v, s->count, unit);
    lun_status status = cut ? lun__placement_decide(e, v->at[0], cut) : lun__fail_nomem(e);
    lun__spread_release(cut);
    return status;
}

static lun_status version(lun_engine *e, lun_storage *s, lun_array **out)
{
    lun_node *leaf;
    lun_status status = lun__node_leaf(e, s, 0, 1, &s->count, &leaf);
    return status == LUN_OK ? lun__array(e, leaf, true, out) : status;
}

/* *sofar = f(*sofar, version k). */
static lun_status combine(lun_engine *e, lun_function *f, lun_storage *k, lun_array **sofar)
{
    lun_array *next = NULL, *both = NULL;
    int results;
    lun_status s = version(e, k, &next);
    if (s == LUN_OK)
        s = lun__apply_around(e, f, (lun_array *[]){*sofar, next}, 2, 2, NULL, &both, 1, &results);
    lun_release(next);
    if (s == LUN_OK) {
        lun_release(*sofar);
        *sofar = both;
    }
    return s;
}

static lun_status combine_all(lun_engine *e, lun_storage *s, lun_function *f, lun_node **out)
{
    const lun_versions *v = s->placed->versions;
    lun_array *sofar = NULL;
    lun_node *n = NULL;
    lun_status status = decide(e, s);
    if (status == LUN_OK)
        status = version(e, v->at[0], &sofar);
    for (int k = 1; status == LUN_OK && k < v->count; k++)
        status = combine(e, f, v->at[k], &sofar);
    if (status == LUN_OK)
        status = lun__array_node(e, sofar, LUN_DTYPE_COUNT, &n);
    if (status == LUN_OK)
        status = lun__convert(e, n, s->dtype, out);
    lun__node_release(e, n);
    lun_release(sofar);
    return status;
}

lun_status lun__merge_expression(lun_engine *e, lun_storage *s, lun_node **out)
{
    const lun_op op = s->placed->versions->how.op;
    lun_function *f = lun__divergent_function(s);
    lun_status status = LUN_OK;
    *out = NULL;
    if (!s->count || (!f && op == LUN_OP_COUNT))
        return LUN_OK;
    lun_function_retain(f);
    if (!f)
        status = lun_function_op(e, op, &f);
    if (status == LUN_OK)
        status = combine_all(e, s, f, out);
    lun_function_release(f);
    return status;
}

/* ---- merging --------------------------------------------------------------------------------- */

static void count(lun_engine *e, const lun_storage *s, const lun_spread *cut)
{
    const lun_versions *v = s->placed->versions;
    e->stats.merges++;
    for (int k = 0; k < v->count; k++) {
        const lun_interval x = cut ? lun__spread_part(cut, k) : (lun_interval){0, k == 0};
        v->place[k]->counted->merges += x.lo < x.hi;
    }
}

/* Takes the first version; what the others wrote is lost. */
static lun_status take_first(lun_engine *e, lun_storage *s)
{
    if (s->count && !e->logged_first)
        lun__log(&e->logger, LUN_LOG_WARN, "memory",
                 "copies of an array differ and no function merges them: the first place's "
                 "is taken; distribute(kind, {combine = f}) gives one");
    e->logged_first |= s->count > 0;
    count(e, s, NULL);
    return lun__divergent_taken(e, s, s->placed->versions->at[0]);
}

static lun_status merge(lun_engine *e, lun_storage *s)
{
    const lun_versions *v = s->placed->versions;
    lun_node *n;
    lun_in_use before;
    lun_status status = lun__merge_expression(e, s, &n);
    if (status != LUN_OK || !n)
        return status == LUN_OK ? take_first(e, s) : status;
    lun__set_take(e, v->place, v->count, &before);
    status = lun__eval(e, &n, 1);
    lun__set_back(e, &before);
    if (status == LUN_OK) {
        count(e, s, v->at[0]->placed->spread);
        status = lun__divergent_taken(e, s, n->storage);
    }
    lun__node_release(e, n);
    return status;
}

/* ---- telling --------------------------------------------------------------------------------- */

static lun_status tell(lun_engine *e, lun_storage *s, lun_merges *m, int k)
{
    const lun_versions *v = s->placed->versions;
    lun_in_use before;
    m->at[k].storage = s;
    lun_status status = lun__merge_expression(e, s, &m->nodes[k]);
    if (status != LUN_OK || !m->nodes[k])
        return status;
    m->at[k].node = m->nodes[k];
    lun__set_take(e, v->place, v->count, &before);
    status = lun__steps_make(e, &m->nodes[k], 1, LUN_STEPS_KEEP, &m->steps[k]);
    lun__set_back(e, &before);
    if (status == LUN_OK)
        m->at[k].steps = &m->steps[k];
    return status;
}

lun_status lun__merge_make(lun_engine *e, lun_node *const *roots, int count, lun_merges *out)
{
    lun_storage **found = NULL;
    lun_status s = LUN_OK;
    int some = 0;
    *out = (lun_merges){0};
    if (e->diverged)
        s = lun__divergent_operands(e, roots, count, &found, &some);
    out->at = calloc((size_t)some + 1, sizeof *out->at);
    out->steps = calloc((size_t)some + 1, sizeof *out->steps);
    out->nodes = calloc((size_t)some + 1, sizeof *out->nodes);
    if (s == LUN_OK && !(out->at && out->steps && out->nodes))
        s = lun__fail_nomem(e);
    for (; s == LUN_OK && out->count < some; out->count++)
        s = tell(e, found[out->count], out, out->count);
    free(found);
    return s;
}

void lun__merge_free(lun_engine *e, lun_merges *m)
{
    for (int k = 0; k < m->count; k++) {
        if (m->at[k].steps)
            lun__steps_free(e, &m->steps[k]);
        if (m->nodes[k])
            lun__node_release(e, m->nodes[k]);
    }
    free(m->at);
    free(m->steps);
    free(m->nodes);
}
