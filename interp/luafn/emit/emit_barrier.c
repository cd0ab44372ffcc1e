/* emit_barrier.c - barriers of a team kernel, checked in the IR: all threads of a team reach one
 * together. Memory is requested outside of loops, since it is zeroed once. */
#include "ir/uniform.h"
#include "luafn/emit/emit.h"

static bool in_loop(const lun_ir *ir, const lun_ir_structure *s, int32_t i)
{
    for (int32_t p = s->parent[i]; p >= 0; p = s->parent[p])
        if (ir->ins[p].kind == LUN_IR_LOOP)
            return true;
    return false;
}

/* Replaces a request for memory by an unused number. */
static void take_out(lun_ir *ir, int32_t i)
{
    ir->ins[i] = (lun_ir_ins){
        .kind = LUN_IR_CONST, .dtype = LUN_I64, .op = LUN_OP_COUNT, .a = -1, .b = -1, .c = -1};
}

/* The first barrier that some threads may reach alone; -1: none. */
static int32_t loose_barrier(lf_compile *c, const lun_ir_structure *s)
{
    lun_ir_agreement a;
    if (lun__ir_uniform_find(c->ir, s, &a) != LUN_OK)
        return -2;
    const int32_t loose = lun__ir_uniform_loose(c->ir, &a);
    lun__ir_uniform_free(&a);
    return loose;
}

/* *looped: memory in a loop, *loose: a barrier that some may reach alone; -1: none, -2: no
 * memory. */
static void look(lf_compile *c, const lf_value **of, int32_t *looped, int32_t *loose)
{
    lun_ir_structure s;
    *looped = *loose = -2;
    if (lun__ir_structure_find(c->ir, &s, NULL) != LUN_OK)
        return;
    *looped = -1;
    for (int32_t i = 0; i < c->ir->count; i++) {
        if (!of[i])
            continue;
        if (*looped < 0 && of[i]->sub != LF_BARRIER_ALL && in_loop(c->ir, &s, i))
            *looped = i;
        if (of[i]->sub == LF_MEMORY_THREAD)
            take_out(c->ir, i);
    }
    *loose = loose_barrier(c, &s);
    lun__ir_structure_free(&s);
}

void luafn_emit_barrier_check(lf_compile *c, const lf_list *barriers)
{
    const lf_value **of = LF_NEW(&c->unit, const lf_value *, c->ir->count + 1);
    int32_t looped, loose;
    for (int32_t i = 0, number = 0; i < c->ir->count; i++)
        of[i] = c->ir->ins[i].kind == LUN_IR_BARRIER ? barriers->at[number++] : NULL;
    look(c, of, &looped, &loose);
    if (loose == -2)
        luafn_arena_nomem(&c->unit);
    if (loose >= 0)
        luafn_debug_fail(
            &c->unit, of[loose]->proto, of[loose]->pc,
            "t:%s in a branch or a loop that threads of a team may take differently: all of "
            "them come to it, or none",
            of[loose]->as.s);
    if (looped >= 0)
        luafn_debug_fail(
            &c->unit, of[looped]->proto, of[looped]->pc,
            "t:%s in a loop: its elements are zero once, when the team begins; call it "
            "before the loop",
            of[looped]->as.s);
    for (int32_t i = 0; i < c->ir->count; i++)
        if (of[i] && of[i]->sub != LF_BARRIER_ALL)
            take_out(c->ir, i);
}
