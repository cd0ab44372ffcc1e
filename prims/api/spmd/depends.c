/* depends.c - what it hangs on which elements a loop reads at computed indices, so that these are
 * known while nothing of it has changed.  An array is held as it is by a further handle on its
 * elements: a write gives it others then.  Knows no rank. */
#include "api/spmd/wanted.h"

#include "base/sized.h"

_Static_assert((int)LUN_MOST_CELLS == (int)LUN_FRONT_SCALARS, "numbers that a function captures");

bool lun_same_elements(const lun_array *a, const lun_array *b)
{
    LUN_NEED_OR(lun_engine_of(a), false);
    return b && a->node && a->node == b->node;
}

lun_status lun_snapshot(lun_engine *e, lun_array *a, lun_array **out)
{
    LUN_NEED(e, a && out);
    const lun_status s = lun__array_usable(e, a);
    const lun_node *n = s == LUN_OK ? a->node : NULL;
    *out = NULL;
    if (!n || a->parent || a->viewed || a->wraps)
        return s;
    const bool leaf = n->kind == LUN_NODE_LEAF && !n->storage->wrapped && !n->storage->source;
    if (!leaf && n->kind != LUN_NODE_NUMBER && !lun__node_is(n, LUN_IS_VIRTUAL))
        return s;
    return lun__array(e, lun__node_retain(a->node), false, out);
}

/* ---- what a loop's marks hang on ------------------------------------------------------------- */

/* Array a of those that f captures is one of them. */
static lun_status add_array(lun_engine *e, const lun_boxed *b, lun_array *a, lun_depends *out)
{
    const int number = lun__boxed_number(b->loop, a);
    if (number >= 0) {
        out->stand_in[number] = true;
        return LUN_OK;
    }
    if (!out->lasts)
        return LUN_OK;
    if (out->arrays == LUN_MAX_OPERANDS) {
        out->lasts = false;
        return LUN_OK;
    }
    const lun_status s = lun_snapshot(e, a, &out->array[out->arrays]);
    out->lasts = s == LUN_OK && out->array[out->arrays];
    out->arrays += out->lasts;
    return s;
}

static lun_status find(lun_engine *e, const lun_boxed *b, const lun_search *m, lun_depends *out)
{
    lun_status s = LUN_OK;
    int at = b->box.rank;
    for (int k = 0; s == LUN_OK && k < b->r.window_count; k++, at++)
        if (lun__wanted_is_read(&m->body, LUN_IR_ARG, at))
            s = add_array(e, b, b->r.windows[k].array, out);
    for (int k = 0; k < b->r.scalars; k++, at++)
        if (lun__wanted_is_read(&m->body, LUN_IR_ARG, at))
            out->cell[out->cells++] =
                lun__dtype_cell_from_value(b->r.scalar_dtype[k], b->r.scalar[k]);
    for (int k = 0; s == LUN_OK && k < b->r.arrays; k++)
        if (!m->of[k].apart && (lun__wanted_is_read(&m->body, LUN_IR_GATHER, k) ||
                                lun__wanted_is_read(&m->body, LUN_IR_LOADU, k)))
            s = add_array(e, b, b->r.array[k], out);
    return s;
}

lun_status lun_loop_depends(lun_engine *e, lun_function *f, const lun_part_loop *loop,
                            const lun_computed *computed, lun_depends *out)
{
    LUN_NEED(e, LUN_HAS(loop, count) && (computed || !loop->count) && LUN_HAS(out, cells));
    lun_boxed b;
    lun_depends found = {.size = sizeof found, .lasts = true};
    lun_search m = {.count = 0};
    lun_part at_hand[LUN_MAX_OPERANDS];
    int parts = 0;
    for (int k = 0; k < loop->count; k++)
        if (computed[k] == LUN_COMPUTED_ALL || computed[k] == LUN_COMPUTED_BOX)
            at_hand[parts++] = (lun_part){.size = sizeof *at_hand, .array = k, .computed = true};
    lun_status s = lun__boxed_open(e, f, loop, &b);
    if (s != LUN_OK)
        return s;
    s = lun__wanted_search(e, &b, at_hand, parts, NULL, &m);
    if (s == LUN_OK)
        s = find(e, &b, &m, &found);
    lun__ir_free(&m.body);
    lun__boxed_close(&b);
    if (s != LUN_OK)
        lun_depends_release(&found);
    lun__sized_give(out, &found, sizeof found);
    return s;
}

void lun_depends_release(lun_depends *x)
{
    if (!LUN_HAS(x, arrays))
        return;
    for (int k = 0; k < x->arrays; k++)
        lun_release(x->array[k]);
    x->arrays = 0;
}
