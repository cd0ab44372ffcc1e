/* uniform.c - see uniform.h.  One walk after the other over the instructions, until none learns
 * more.
 *
 * A jump that some threads take alone makes what follows loose, up to the END of the block that it
 * leaves.  If that is a LOOP, the other threads go on in it: all of it is loose. */
#include "ir/uniform.h"

#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const lun_ir *ir;
    const lun_ir_structure *s;
    lun_ir_agreement *out;
    uint8_t *now;       /* by block that is open: what stands in it from here on is loose */
    uint8_t *divergent; /* by LOOP: threads run it for different numbers of rounds */
    bool changed;
} walk;

static void mark(walk *w, uint8_t *at)
{
    w->changed |= !*at;
    *at = 1;
}

static bool may_differ(const walk *w, int32_t i)
{
    const lun_ir_ins *ins = &w->ir->ins[i];
    const lun_ir_row *row = lun__ir_row(ins->kind);
    int32_t in[LUN_IR_INPUTS];
    if (ins->kind == LUN_IR_TEAM)
        return false;
    if (row->varies == LUN_VARIES_ALWAYS && ins->kind != LUN_IR_RANDOM)
        return true;
    if (ins->kind == LUN_IR_GATHER && w->ir->slots[ins->imm].role == LUN_SLOT_TARGET &&
        !w->ir->slots[ins->imm].settled)
        return true;
    for (int k = lun__ir_inputs(w->ir, ins, in) - 1; k >= 0; k--)
        if (w->out->varies[in[k]])
            return true;
    return false;
}

static void enter(walk *w, int32_t block)
{
    const lun_ir_ins *ins = &w->ir->ins[block];
    w->now[block] = w->out->loose[block] || w->divergent[block] ||
                    (ins->kind == LUN_IR_IF && w->out->varies[ins->a]);
}

static void leave(walk *w, int32_t i)
{
    int32_t p = i;
    do {
        p = w->s->parent[p];
        w->now[p] = 1;
        bool goes_on = p == w->s->target[i] && w->ir->ins[i].kind == LUN_IR_CONTINUE;
        if (w->ir->ins[p].kind == LUN_IR_LOOP && !goes_on)
            mark(w, &w->divergent[p]);
    } while (p != w->s->target[i]);
}

static void visit(walk *w, int32_t i)
{
    const lun_ir_ins *ins = &w->ir->ins[i];
    const int32_t around = w->s->parent[i];
    if (around >= 0 && w->now[around])
        mark(w, &w->out->loose[i]);
    switch (lun__ir_row(ins->kind)->flow) {
    case LUN_FLOW_OPEN:
    case LUN_FLOW_BRANCH:
        enter(w, i);
        break;
    case LUN_FLOW_OTHER:
        enter(w, w->s->target[i]);
        break;
    case LUN_FLOW_LEAVE:
        if (w->out->loose[i])
            leave(w, i);
        break;
    default:
        if (ins->kind == LUN_IR_SET && (w->out->loose[i] || w->out->varies[ins->b]))
            mark(w, &w->out->varies[ins->a]);
        else if (lun__ir_has_value(ins) && may_differ(w, i))
            mark(w, &w->out->varies[i]);
    }
}

lun_status lun__ir_uniform_find(const lun_ir *ir, const lun_ir_structure *s, lun_ir_agreement *out)
{
    const size_t n = (size_t)ir->count + 1;
    walk w = {.ir = ir, .s = s, .out = out, .changed = true};
    out->varies = calloc(n, 4);
    if (!out->varies)
        return LUN_ENOMEM;
    out->loose = out->varies + n;
    w.now = out->varies + 2 * n;
    w.divergent = out->varies + 3 * n;
    while (w.changed) {
        w.changed = false;
        for (int32_t i = 0; i < ir->count; i++)
            visit(&w, i);
    }
    return LUN_OK;
}

void lun__ir_uniform_free(lun_ir_agreement *a)
{
    free(a->varies);
    memset(a, 0, sizeof *a);
}

int32_t lun__ir_uniform_loose(const lun_ir *ir, const lun_ir_agreement *a)
{
    for (int32_t i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_BARRIER && a->loose[i])
            return i;
    return -1;
}
