/* full_rounds.c - loops that have a known number of rounds in all but the last indices; see
 * loop_range.h. */
#include "render/versions/loop_range.h"

static bool is_min(const lun_ir *ir, int32_t v)
{
    const lun_ir_ins *ins = &ir->ins[v];
    return ins->kind == LUN_IR_OP && ins->op == LUN_OP_MIN &&
           lun__dtype_is_index((lun_dtype)ins->from);
}

/* If the last value of a loop is the smaller one of two, with one of which it has few rounds: that
 * one, else -1. */
static int32_t full_last(const lun_writer *w, int32_t loop)
{
    const lun_counted *c = &w->loop[loop];
    if (!is_min(w->to.ir, c->last))
        return -1;
    for (int k = 0; k < 2; k++) {
        const int32_t side = k ? w->to.ir->ins[c->last].b : w->to.ir->ins[c->last].a;
        const int64_t rounds = lun__counted_rounds(w->to.ir, c->first, side);
        if (rounds > 0)
            return side;
    }
    return -1;
}

/* Whether all loops from `loop` on, inside, count. */
static bool is_simple(const lun_writer *w, int32_t loop)
{
    for (int32_t i = loop; i < w->blocks.end[loop]; i++)
        if (w->to.ir->ins[i].kind == LUN_IR_LOOP &&
            (w->loop[i].var < 0 ||
             (!lun__counted_rounds(w->to.ir, w->loop[i].first, w->loop[i].last) &&
              full_last(w, i) < 0)))
            return false;
    return true;
}

int32_t lun__full_rounds_last(const lun_writer *w, int32_t cut, int32_t loop)
{
    if (w->to.ir->ins[loop].kind != LUN_IR_LOOP || w->loop[loop].var < 0 || !is_simple(w, loop) ||
        !lun__version_writer_early(w, cut, w->loop[loop].last))
        return -1;
    return full_last(w, loop);
}

int lun__full_rounds_find(lun_range_test *t, int32_t cut)
{
    const lun_ir *ir = t->w->to.ir;
    int found = 0;
    for (int32_t i = cut; i < ir->count; i++) {
        const int32_t full = lun__full_rounds_last(t->w, cut, i);
        if (full < 0)
            continue;
        const lun_ir_ins *last = &ir->ins[t->w->loop[i].last];
        if (!lun__loop_range_below(t, full, last->a == full ? last->b : last->a))
            return 0;
        found++;
    }
    return found;
}

void lun__full_rounds_set(lun_writer *w, int32_t cut, bool on)
{
    for (int32_t i = cut; i < w->to.ir->count; i++) {
        const int32_t full = lun__full_rounds_last(w, cut, i), last = w->loop[i].last;
        if (full >= 0)
            w->to.map[last] = on ? w->to.map[full] : lun__version_writer_first(w, last);
    }
}
