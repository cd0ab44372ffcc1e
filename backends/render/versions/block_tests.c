/* block_tests.c - the tests of versions for many indices at once; see loop_range.h.
 *
 * The index lies between the first and the last one, and what is computed of it by bounds. */
#include "render/versions/loop_range.h"

#include <stdlib.h>

/* Writes what is the same for all indices. */
static void write_same(lun_writer *w, uint8_t *differs)
{
    int32_t in[LUN_IR_INPUTS];
    for (int32_t i = 0; i < w->to.ir->count; i++) {
        differs[i] = w->to.ir->ins[i].kind == LUN_IR_INDEX || !lun__version_writer_free(w, i);
        for (int k = differs[i] ? -1 : lun__ir_inputs(w->to.ir, &w->to.ir->ins[i], in) - 1; k >= 0;
             k--)
            differs[i] |= differs[in[k]];
        if (!differs[i])
            lun__ir_write_copy(&w->to, i);
    }
}

static bool find(lun_range_test *t)
{
    lun_writer *w = t->w;
    const int64_t large = INT64_C(1) << LUN_SPAN_LARGE;
    t->first = lun__ir_write(&w->to, LUN_IR_INDEX, LUN_I64, -1, -1, 0);
    t->last = lun__ir_write(&w->to, LUN_IR_INDEX, LUN_I64, -1, -1, 1);
    lun__loop_range_take(
        t, lun__ir_write_op(&w->to, LUN_OP_GE, t->first, lun__ir_write_integer(&w->to, -large)));
    lun__loop_range_take(
        t, lun__ir_write_op(&w->to, LUN_OP_LE, t->last, lun__ir_write_integer(&w->to, large)));
    for (int32_t i = t->at; i < w->to.ir->count; i++)
        if (w->to.ir->ins[i].kind == LUN_IR_CHECK && (w->state[i] & LUN_WRITTEN_NOT) &&
            !lun__loop_range_holds(t, w->to.ir->ins[i].a))
            return false;
    return lun__full_rounds_find(t, t->at) > 0;
}

/* Loops that have rounds in the version, as bounds show: their first value does not wrap. */
static void note_guards(lun_writer *w, int32_t cut, const uint8_t *differs)
{
    for (int32_t i = cut; i < w->to.ir->count; i++) {
        const int32_t full = lun__full_rounds_last(w, cut, i), p = w->blocks.parent[i];
        if (full >= 0 && differs[full] && lun__version_writer_guards(w, p, i))
            w->state[p] |= LUN_WRITTEN_DECIDED;
    }
}

void lun__block_test_write(lun_writer *w, int32_t cut)
{
    const size_t n = (size_t)w->to.ir->count + 1;
    lun_versions to = {0};
    lun_writer x = *w;
    uint8_t *differs = calloc(n, 1);
    lun__ir_init(&to.ir);
    x.out = &to;
    x.to.to = &to.ir;
    x.to.from = &to.from;
    x.to.room = 0;
    x.to.map = malloc(n * sizeof *x.to.map);
    x.to.failed = !differs || !x.to.map;
    if (!x.to.failed) {
        lun_range_test t = {.w = &x, .at = cut, .all = -1, .differs = differs};
        write_same(&x, differs);
        if (find(&t) && !x.to.failed) {
            w->out->whole = to.ir;
            w->out->holds = t.all;
            lun__ir_init(&to.ir);
            note_guards(w, cut, differs);
        }
    }
    w->to.failed |= x.to.failed;
    free(x.to.map);
    free(differs);
    lun__ir_free(&to.ir);
    free(to.from);
}

void lun__block_test_decides(lun_writer *w, int32_t i)
{
    lun_versions *o = w->out;
    if (i >= 0 && o->whole.count && o->decided_count < LUN_VERSIONS_DECIDED)
        o->decided[o->decided_count++] = i;
}

void lun__block_test_guards(lun_writer *w, int32_t cut)
{
    for (int32_t i = cut; i < w->to.ir->count && !w->to.failed; i++)
        if (w->state[i] & LUN_WRITTEN_DECIDED)
            lun__block_test_decides(w, lun__version_writer_first(w, i));
}
