/* execution_masks.c - masks for control flow; see program_builder.h.
 *
 * Each arm (branch, loop body, block) has a mask of the elements that run it. IF splits the mask of
 * the arm around it; BREAK and CONTINUE take their elements out of the masks of all arms that they
 * leave, so that after an END the arm around goes on with what its mask still holds. An arm without
 * elements is jumped over. */
#include "reference/program_builder.h"

static void add_mask(builder *b, lun_step_kind kind, int i, int32_t d, int32_t a)
{
    lun_step *s = lun__builder_step(b, kind, i);
    s->d = d;
    s->a = a;
    s->mask = -1;
}

/* The last step jumps to the ELSE or END of the innermost arm. */
static void jump_out(builder *b)
{
    arm *top = &b->arms[b->depth - 1];
    if (b->status != LUN_OK)
        return;
    b->p->steps[b->p->count - 1].jump = top->jumps;
    top->jumps = b->p->count - 1;
}

static void land(builder *b, arm *top)
{
    while (top->jumps >= 0 && b->status == LUN_OK) {
        lun_step *s = &b->p->steps[top->jumps];
        top->jumps = s->jump;
        s->jump = b->p->count;
    }
}

void lun__execution_mask_open(builder *b, int i)
{
    const lun_ir_ins *ins = &b->ir->ins[i];
    int32_t around = b->arms[b->depth - 1].mask, mask = lun__builder_take(b, 0);
    arm *a = &b->arms[b->depth];
    *a = (arm){.ins = i, .mask = mask, .other = -1, .round = -1, .jumps = -1};
    if (ins->kind == LUN_IR_IF) {
        if (b->flow.blocks.other[i] >= 0)
            a->other = lun__builder_take(b, 0);
        add_mask(b, LUN_STEP_SPLIT, i, a->mask, around);
        if (b->status == LUN_OK) {
            lun_step *s = &b->p->steps[b->p->count - 1];
            s->b = lun__builder_at(b, ins->a);
            s->c = a->other;
        }
        b->depth++;
        jump_out(b);
        return;
    }
    add_mask(b, LUN_STEP_MASK, i, a->mask, around);
    if (b->flow.blocks.continued[i]) {
        a->round = lun__builder_take(b, 0);
        add_mask(b, LUN_STEP_MASK, i, a->round, around);
    }
    a->start = b->p->count;
    b->depth++;
}

void lun__execution_mask_else(builder *b, int i)
{
    arm *top = &b->arms[b->depth - 1];
    land(b, top);
    add_mask(b, LUN_STEP_ANY, i, -1, top->other);
    jump_out(b);
    lun__builder_give(b, top->mask);
    top->mask = top->other;
    top->other = -1;
    top->emptied = false;
}

void lun__execution_mask_close(builder *b, int i)
{
    arm *top = &b->arms[b->depth - 1];
    land(b, top);
    if (b->ir->ins[top->ins].kind == LUN_IR_LOOP) {
        add_mask(b, LUN_STEP_REPEAT, i, top->mask, top->round);
        if (b->status == LUN_OK)
            b->p->steps[b->p->count - 1].jump = top->start;
    }
    lun__builder_give(b, top->mask);
    lun__builder_give(b, top->other);
    lun__builder_give(b, top->round);
    b->depth--;
    top--;
    if (b->depth > 1 && top->emptied) {
        add_mask(b, LUN_STEP_ANY, i, -1, top->mask);
        jump_out(b);
    }
}

/* BREAK or CONTINUE: the elements of the mask leave all arms inside the target, and the target. */
void lun__execution_mask_leave(builder *b, int i)
{
    bool again = b->ir->ins[i].kind == LUN_IR_CONTINUE;
    int32_t here = b->arms[b->depth - 1].mask;
    int d = b->depth - 1;
    for (; d > 0; d--) {
        arm *a = &b->arms[d];
        bool last = a->ins == b->flow.blocks.target[i];
        if (d < b->depth - 1) {
            add_mask(b, LUN_STEP_DROP, i, a->mask, here);
            a->emptied = true;
        }
        if (a->round >= 0 && !(last && again))
            add_mask(b, LUN_STEP_DROP, i, a->round, here);
        if (last)
            break;
    }
    if (d == 0)
        lun__builder_fail(b, LUN_EBACKEND);
    add_mask(b, LUN_STEP_CLEAR, i, here, -1);
    add_mask(b, LUN_STEP_JUMP, i, -1, -1);
    jump_out(b);
}
