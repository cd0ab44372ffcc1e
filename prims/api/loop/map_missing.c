/* map_missing.c - lun_call and scans by functions of operands of which elements are missing: the
 * function is applied to those elements for which all operands are there, and never to what stands
 * in the slots of the others, for which it may fail; its results are spread back. */
#include "api/loop/map_missing.h"
#include "api/fold/lazy.h"
#include "lunarray_bind.h"

typedef struct gaps {
    lun_engine *e;
    int rank;
    int64_t n, shape[LUN_MAX_RANK]; /* to which the elements are broadcast */
    lun_array *slots[LUN_MAX_OPERANDS], *kept[LUN_MAX_OPERANDS];
    lun_array *there; /* where all are there, in that shape */
    lun_array *flat;  /* the same, a Vector */
    lun_array *place; /* of each element among those that are there, or LUN_NO_INDEX; a Vector */
} gaps;

/* Narrows *there, or begins it, to where the elements of a are; its slots as *slots. */
static lun_status add_operand(gaps *g, lun_array *a, lun_array **slots)
{
    lun_array *valid = NULL, *both = NULL;
    int64_t shape[LUN_MAX_RANK];
    lun_status s = lun_missing_parts(g->e, a, slots, &valid);
    if (s != LUN_OK || a->weak)
        return s;
    if (!valid) {
        const int rank = lun_shape(a, shape);
        s = lun_full(g->e, rank, shape, LUN_BOOL, (lun_value){.dtype = LUN_BOOL, .as.u = 1},
                     &valid);
    }
    if (s != LUN_OK || !g->there) {
        g->there = valid;
        return s;
    }
    s = lun_land(g->e, g->there, valid, &both);
    lun_release(valid);
    if (s == LUN_OK) {
        lun_release(g->there);
        g->there = both;
    }
    return s;
}

/* The elements of a that are there, as a Vector. */
static lun_status keep(gaps *g, lun_array *a, lun_array **out)
{
    lun_array *wide, *vector = NULL;
    if (a->weak) {
        lun_retain(*out = a);
        return LUN_OK;
    }
    lun_status s = lun_broadcast(g->e, a, g->rank, g->shape, &wide);
    if (s != LUN_OK)
        return s;
    s = lun_reshape(g->e, wide, 1, &g->n, &vector);
    if (s == LUN_OK)
        s = lun_compress(g->e, vector, g->flat, out);
    lun_release(wide);
    lun_release(vector);
    return s;
}

/* place of there. */
static lun_status find_places(gaps *g)
{
    lun_engine *e = g->e;
    lun_function *add = NULL;
    lun_array *sums = NULL, *none = NULL;
    lun_value x = {.dtype = LUN_I64, .as.i = LUN_NO_INDEX};
    lun_status s = lun_function_op(e, LUN_OP_ADD, &add);
    if (s == LUN_OK)
        s = lun__fold_scan_whole(e, add, NULL, g->flat, NULL, 0, false, &sums);
    if (s == LUN_OK)
        s = lun_full(e, 0, NULL, LUN_I64, x, &none);
    if (s == LUN_OK)
        s = lun_where(e, g->flat, sums, none, &g->place);
    lun_function_release(add);
    lun_release(sums);
    lun_release(none);
    return s;
}

/* Exchanges a result for the elements that are there, *a, for an array of all. */
static lun_status spread(gaps *g, lun_array **a)
{
    lun_array *vector, *slots = NULL, *all = NULL;
    const lun_value blank = lun__validity_blank(lun_dtype_of(*a));
    lun_status s = lun_take(g->e, *a, g->place, 0, &blank, &vector);
    if (s != LUN_OK)
        return s;
    s = lun_reshape(g->e, vector, g->rank, g->shape, &slots);
    if (s == LUN_OK)
        s = lun_with_parts(g->e, slots, g->there, &all);
    lun_release(vector);
    lun_release(slots);
    if (s == LUN_OK) {
        lun_release(*a);
        *a = all;
    }
    return s;
}

static lun_status begin(gaps *g, lun_array *const *operands, int elements)
{
    lun_status s = LUN_OK;
    for (int k = 0; s == LUN_OK && k < elements; k++)
        s = add_operand(g, operands[k], &g->slots[k]);
    if (s != LUN_OK)
        return s;
    g->rank = lun_shape(g->there, g->shape);
    g->n = lun_size(g->there);
    s = lun_reshape(g->e, g->there, 1, &g->n, &g->flat);
    for (int k = 0; s == LUN_OK && k < elements; k++)
        s = keep(g, g->slots[k], &g->kept[k]);
    return s == LUN_OK ? find_places(g) : s;
}

static void end(gaps *g, int elements)
{
    for (int k = 0; k < elements; k++) {
        lun_release(g->slots[k]);
        lun_release(g->kept[k]);
    }
    lun_release(g->there);
    lun_release(g->flat);
    lun_release(g->place);
}

lun_status lun__map_missing_call(lun_engine *e, lun_function *f, lun_array *const *operands,
                                 int count, int elements, lun_array **outs, int room, int *results)
{
    gaps g = {.e = e};
    lun_status s = begin(&g, operands, elements);
    for (int k = elements; k < count; k++)
        g.kept[k] = operands[k];
    if (s == LUN_OK)
        s = lun__apply_around(e, f, g.kept, count, elements, NULL, outs, room, results);
    int spreads = 0;
    for (; s == LUN_OK && spreads < *results; spreads++) {
        s = spread(&g, &outs[spreads]);
        for (int k = 0; s != LUN_OK && k < *results; k++)
            lun_release(outs[k]);
    }
    end(&g, elements);
    return s;
}

lun_status lun__map_missing_scan(lun_engine *e, lun_function *f, lun_array *id, lun_array *a,
                                 lun_array *const *extra, int extras, bool inclusive,
                                 lun_array **out)
{
    gaps g = {.e = e};
    lun_array *scan = NULL;
    lun_status s = begin(&g, &a, 1);
    if (s == LUN_OK)
        s = lun__fold_scan_whole(e, f, id, g.kept[0], extra, extras, inclusive, &scan);
    if (s == LUN_OK)
        s = spread(&g, &scan);
    if (s == LUN_OK)
        *out = scan;
    else
        lun_release(scan);
    end(&g, 1);
    return s;
}
