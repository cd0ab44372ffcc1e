/* teams.c - the kernel of a function of lun_teams: its body, the kernel's index as the number of
 * the thread.  Knows no launch, and not what a team is. */
#include "plan/teams.h"

#include "plan/lowering.h"

static int32_t scalar(lun_lowerer *l, const lun_team_kernel *k, int i)
{
    const int league = i - LUN_FRONT_BLOCKS;
    if (i == LUN_FRONT_ITEM)
        return lun__lower_flow(l, LUN_IR_INDEX, LUN_I64, -1, -1);
    if (i == LUN_FRONT_BASE)
        return lun__lower_number(l, LUN_I64, (uint64_t)k->base);
    if (i < LUN_FRONT_BASE)
        return lun__lower_number(l, LUN_I64, (uint64_t)k->blocks[league]);
    return lun__lower_number(l, (lun_dtype)k->f->body->args[i], k->cells[i - LUN_FRONT_NUMBERS]);
}

lun_status lun__lower_teams(lun_engine *e, const lun_team_kernel *k, lun_lowered *out)
{
    const lun_ir *body = k->f->body;
    int32_t params[LUN_FRONT_NUMBERS + LUN_MAX_OPERANDS + LUN_FRONT_SCALARS + LUN_FRONT_ARRAYS];
    int32_t arrays[LUN_MAX_OPERANDS + LUN_FRONT_SCRATCHES + LUN_FRONT_ARRAYS];
    lun_lowerer l = lun__lower_alone(e, out);
    for (int i = 0; i < body->arg_count; i++)
        params[i] = scalar(&l, k, i);
    for (int i = 0; i < body->slot_count; i++)
        arrays[i] = lun__lower_source(&l, (lun_slot_source){.node = k->arrays[i], .copy = i},
                                      (lun_ir_role)body->slots[i].role);
    if (l.status == LUN_OK)
        (void)lun__lower_inline(&l, k->f, params, arrays, k->notes, 0, NULL);
    if (k->f->types)
        lun__strbuf_puts(&out->types, k->f->types);
    out->ops = 1;
    return lun__lower_end(&l);
}
