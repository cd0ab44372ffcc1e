/* logical.c - logical dtypes: dtypes of handles whose nodes have a storage dtype, by the rows of
 * table/logical.def.  What each kind does is its own room's (api/text, api/time,
 * api/complex).
 *
 * Invariant: `logical` and `texts` belong to an array that is no window, and change only where it
 * is written to; windows on it have them through it, validities and plain parts have none.  What
 * does not state that it takes a logical dtype (LUN_MOVED, LUN_BY_ORDER, LUN_ORDERED,
 * lun__logical_alike, a row of the table) reaches its operands by lun__array_usable,
 * lun__array_node or lun_missing_parts, which refuse one. */
#include "api/array/array.h"
#include "base/strbuf.h"
#include "graph/function_ref.h"
#include "lunarray_bind.h"
#include "table/op.h"

#include <stdlib.h>

typedef enum how { REFUSE, ORDER, MOVE, COMPUTE, GAPS } how;

/* What operations of a rule do with arrays of a kind. */
static how rule_of(lun_kind kind, int rule)
{
#define LUN_LOGICAL(ID, name, number, kind, storage, bytes, instead, doc)
#define LUN_LOGICAL_RULE(kind, rule, how) [LUN_KIND_##kind][LUN_RULE_##rule] = how,
#define LUN_LOGICAL_REDUCTION(kind, reduction)
    static const uint8_t rows[LUN_KIND_RECORD + 1][LUN_RULE_SELECT + 1] = {
#include "table/logical.def"
    };
#undef LUN_LOGICAL
#undef LUN_LOGICAL_RULE
#undef LUN_LOGICAL_REDUCTION
    return (how)rows[kind][rule];
}

bool lun__logical_reduced(const lun_array *a, lun_reduction r)
{
#define LUN_LOGICAL(ID, name, number, kind, storage, bytes, instead, doc)
#define LUN_LOGICAL_RULE(kind, rule, how)
#define LUN_LOGICAL_REDUCTION(kind, reduction) [LUN_KIND_##kind][LUN_##reduction] = true,
    static const bool rows[LUN_KIND_RECORD + 1][LUN_REDUCTION_COUNT] = {
#include "table/logical.def"
    };
#undef LUN_LOGICAL
#undef LUN_LOGICAL_RULE
#undef LUN_LOGICAL_REDUCTION
    if (!a || lun_is_freed(a) || !lun__array_logical(a) || (unsigned)r >= LUN_REDUCTION_COUNT)
        return false;
    return rows[lun_dtype_kind(lun__array_logical(a))][r];
}

lun_status lun__logical_refuse(lun_engine *e, lun_array *const *all, int count)
{
    int about = 0;
    lun_fail(e, LUN_EDTYPE, "");
    for (int k = count - 1; k >= 0; k--)
        if (all[k] && !lun_is_freed(all[k]) && lun__array_logical(all[k]))
            about = k;
    for (int k = 0; k < count; k++)
        lun__strbuf_printf(&e->error, "%s%s", k ? k + 1 < count ? ", " : " and " : "",
                           lun_dtype_name(lun_dtype_of(all[k])));
    lun__strbuf_printf(&e->error, "; %s", lun__dtype_instead(lun__array_logical(all[about])));
    e->error_operand = about + 1;
    return LUN_EDTYPE;
}

/* ---- by kind --------------------------------------------------------------------------------- */

void lun__logical_alike_end(lun_alike *a)
{
    for (int k = 0; k < a->count; k++) {
        lun_release(a->slots[k]);
        lun_release(a->valid[k]);
    }
    free(a->slots);
    lun_release(a->prototype);
}

/* The kind of all of them; LUN_EDTYPE: some have another one, or none. */
static lun_status kind_of_all(lun_engine *e, lun_array *const *all, int count, lun_kind *kind)
{
    bool same = true;
    for (int k = 0; k < count; k++) {
        lun_status s = lun__array_present(e, all[k]);
        if (s != LUN_OK) {
            e->error_operand = k + 1;
            return s;
        }
    }
    *kind = LUN_KIND_BOOL;
    for (int k = 0; k < count; k++)
        if (lun__array_logical(all[k]) && lun_dtype_kind(lun__array_logical(all[k])) > *kind)
            *kind = lun_dtype_kind(lun__array_logical(all[k]));
    for (int k = 0; k < count; k++)
        same = same &&
               (lun__array_logical(all[k]) ? lun_dtype_kind(lun__array_logical(all[k])) == *kind
                                           : *kind == LUN_KIND_COMPLEX);
    if (same)
        return LUN_OK;
    int other = 1; /* the first that is not as the first one */
    while (other + 1 < count && lun_dtype_of(all[other]) == lun_dtype_of(all[0]))
        other++;
    return lun__logical_refuse(e, (lun_array *[]){all[0], all[other]}, 2);
}

lun_status lun__logical_alike(lun_engine *e, lun_array *const *all, int count, lun_alike *out)
{
    lun_kind kind;
    lun_status s = kind_of_all(e, all, count, &kind);
    if (s != LUN_OK)
        return s;
    *out = (lun_alike){.slots = calloc(2 * (size_t)count, sizeof *out->slots), .count = count};
    if (!out->slots)
        return lun__fail_nomem(e);
    out->valid = out->slots + count;
    for (int k = 0; s == LUN_OK && k < count; k++)
        s = lun__validity_parts(e, all[k], false, &out->slots[k], &out->valid[k]);
    if (s == LUN_OK)
        s = e->kinds[kind]->alike(e, all, count, out);
    if (s != LUN_OK)
        lun__logical_alike_end(out);
    return s;
}

lun_status lun__logical_order(lun_engine *e, lun_array *const *all, int count, lun_array **keys,
                              lun_array **prototype)
{
    lun_kind kind;
    lun_status s = kind_of_all(e, all, count, &kind);
    if (s == LUN_OK && !e->kinds[kind]->order)
        s = lun__array_refuse_logical(e, all[0]);
    return s == LUN_OK ? e->kinds[kind]->order(e, all, count, keys, prototype) : s;
}

lun_status lun__logical_of_order(lun_engine *e, lun_array *prototype, lun_array *keys,
                                 lun_array **out)
{
    lun_array *slots, *valid;
    lun_status s = lun__validity_parts(e, keys, false, &slots, &valid);
    if (s != LUN_OK)
        return s;
    s = lun__validity_with_logical(e, prototype, slots, valid, out);
    lun_release(slots);
    lun_release(valid);
    return s;
}

lun_status lun__logical_move(lun_engine *e, lun_array *const *all, lun_array **out)
{
    lun_alike both;
    lun_array *in[3] = {all[0], NULL, NULL}, *made = NULL;
    lun_status s = lun__logical_alike(e, all + 1, 2, &both);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && k < 2; k++) {
        if (both.valid[k])
            s = lun_with_parts(e, both.slots[k], both.valid[k], &in[k + 1]);
        else
            lun_retain(in[k + 1] = both.slots[k]);
    }
    if (s == LUN_OK)
        s = lun_apply(e, LUN_OP_WHERE, in, 3, &made);
    if (s == LUN_OK)
        s = lun__logical_of_order(e, both.prototype, made, out);
    lun_release(in[1]);
    lun_release(in[2]);
    lun_release(made);
    lun__logical_alike_end(&both);
    return s;
}

lun_status lun__logical_by_order(lun_engine *e, lun_op op, lun_array *const *all, int count,
                                 lun_array **out)
{
    lun_array *keys[3], *prototype, *made = NULL;
    const bool picks = lun__op_get(op)->rule == LUN_RULE_PICK;
    lun_status s = lun__logical_order(e, all, count, keys, &prototype);
    if (s != LUN_OK)
        return s;
    s = lun_apply(e, op, keys, count, picks ? &made : out);
    if (s == LUN_OK && picks)
        s = lun__logical_of_order(e, prototype, made, out);
    for (int k = 0; k < count; k++)
        lun_release(keys[k]);
    lun_release(prototype);
    lun_release(made);
    return s;
}

static lun_status apply_logical(lun_engine *e, lun_op op, lun_array *const *all, int count,
                                lun_array **out)
{
    const int rule = lun__op_get(op)->rule, first = rule == LUN_RULE_SELECT;
    lun_kind kind = LUN_KIND_BOOL;
    for (int k = 0; k < count; k++) {
        if (!all[k] || lun_is_freed(all[k]))
            return lun__array_present(e, all[k]);
        if (lun__array_logical(all[k]) && lun_dtype_kind(lun__array_logical(all[k])) > kind)
            kind = lun_dtype_kind(lun__array_logical(all[k]));
    }
    const how does = rule_of(kind, rule);
    bool all_are = !first || !lun__array_logical(all[0]);
    for (int k = first; k < count; k++)
        all_are = all_are && lun__array_logical(all[k]) &&
                  lun_dtype_kind(lun__array_logical(all[k])) == kind;
    if (does == REFUSE || (does != COMPUTE && !all_are))
        return lun__logical_refuse(e, all, count);
    if (does == GAPS)
        return op == LUN_OP_ISNAN ? lun_missing(e, all[0], out)
                                  : lun__logical_refuse(e, all, count);
    if (does == MOVE)
        return lun__logical_move(e, all, out);
    if (does == COMPUTE || (does == ORDER && e->kinds[kind]->compute))
        return e->kinds[kind]->compute(e, op, all, count, out);
    return lun__logical_by_order(e, op, all, count, out);
}

static lun_status cast_logical(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    lun_status s = lun__array_present(e, a);
    if (s != LUN_OK)
        return s;
    if (lun_dtype_of(a) == t)
        return lun_copy(e, a, out);
    const lun_kind from = lun_dtype_kind(lun_dtype_of(a)), to = lun_dtype_kind(t);
    return e->kinds[from > to ? from : to]->cast(e, a, t, out);
}

lun_status lun__logical_adopt(lun_engine *e, lun_array *target, lun_array *source,
                              lun_array **slots, lun_array **valid)
{
    lun_status s = lun__array_present(e, source);
    if (s != LUN_OK)
        return s;
    const lun_kind to = lun_dtype_kind(lun__array_logical(target));
    const lun_kind from = lun_dtype_kind(lun__array_logical(source));
    if (from == LUN_KIND_COMPLEX || (to == LUN_KIND_COMPLEX && !lun__array_logical(source)))
        return e->kinds[LUN_KIND_COMPLEX]->adopt(e, target, source, slots, valid);
    if (from != to)
        return lun__logical_refuse(e, (lun_array *[]){target, source}, 2);
    return e->kinds[to]->adopt(e, target, source, slots, valid);
}

lun_status lun__logical_reduce(lun_engine *e, lun_reduction r, lun_array *a, const lun_reducing *by,
                               lun_array **out)
{
    lun_status s = lun__array_present(e, a);
    const lun_logical_kind *kind = e->kinds[lun_dtype_kind(lun__array_logical(a))];
    if (s != LUN_OK)
        return s;
    return kind->reduce ? kind->reduce(e, r, a, by, out) : lun__array_refuse_logical(e, a);
}

bool lun__logical_fold(lun_engine *e, const lun_folding *x, lun_status *s, lun_array **out)
{
    lun_array *const both[] = {x->a, x->id};
    if (!x->f || x->f->op >= LUN_OP_COUNT || !x->a)
        return false;
    for (int k = 0; k < 2; k++) {
        const bool logical = both[k] && !lun_is_freed(both[k]) && lun__array_logical(both[k]);
        const lun_logical_kind *kind =
            logical ? e->kinds[lun_dtype_kind(lun__array_logical(both[k]))] : NULL;
        if (!kind || !kind->fold)
            continue;
        *s = lun__array_present(e, x->a);
        if (*s == LUN_OK)
            *s = kind->fold(e, x, out);
        return true;
    }
    return false;
}

/* ---- the interface --------------------------------------------------------------------------- */

lun_status lun_apply(lun_engine *e, lun_op op, lun_array *const *all, int count, lun_array **out)
{
    LUN_NEED(e, all && out);
    const bool fits = (unsigned)op < LUN_OP_COUNT && count == lun__op_get(op)->arity;
    return fits && lun__array_some_logical(all, count)
               ? apply_logical(e, op, all, count, out)
               : lun__missing_elementwise_apply(e, op, all, count, out);
}

#define OPERANDS_1 lun_array *a
#define OPERANDS_2 lun_array *a, lun_array *b
#define OPERANDS_3 lun_array *a, lun_array *b, lun_array *c
#define LIST_1     a
#define LIST_2     a, b
#define LIST_3     a, b, c
#define LUN_OP(ID, name, symbol, arity, rule, flt, integer, flags, identity, missing, doc) \
    lun_status lun_##name(lun_engine *e, OPERANDS_##arity, lun_array **out)                \
    {                                                                                      \
        lun_array *in[] = {LIST_##arity};                                                  \
        return lun_apply(e, LUN_OP_##ID, in, arity, out);                                  \
    }
#include "table/ops.def"
#undef LUN_OP

lun_status lun_cast(lun_engine *e, lun_array *a, lun_dtype t, lun_array **out)
{
    LUN_NEED(e, out);
    if (!lun_dtype_name(t))
        return lun__fail(e, LUN_EDTYPE, "no such dtype: %d", (int)t);
    return a && (lun__dtype_is_logical(t) || lun__array_some_logical(&a, 1))
               ? cast_logical(e, a, t, out)
               : lun__missing_elementwise_cast(e, a, t, out);
}
