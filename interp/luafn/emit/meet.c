/* meet.c - barriers of a team kernel, once it is IR: all threads of a team come to one together.
 * Knows no control flow. */
#include "ir/agree.h"
#include "luafn/emit/emit.h"

/* The first barrier to which some threads may come alone, as the number of it among all; -1: none.
 */
static int loose_barrier(lf_compile *c)
{
    lun_ir_structure s;
    lun_ir_agreement a;
    int number = -1;
    lun_status status = lun__ir_structure_find(c->ir, &s, NULL);
    if (status == LUN_OK) {
        status = lun__ir_agree(c->ir, &s, &a);
        lun__ir_structure_free(&s);
    }
    if (status != LUN_OK)
        luafn_nomem(&c->unit);
    const int32_t loose = lun__ir_loose_barrier(c->ir, &a);
    for (int32_t i = 0; i <= loose; i++)
        number += c->ir->ins[i].kind == LUN_IR_BARRIER;
    lun__ir_agreement_free(&a);
    return number;
}

void luafn_check_barriers(lf_compile *c, const lf_list *barriers)
{
    const int number = loose_barrier(c);
    if (number < 0)
        return;
    const lf_value *v = barriers->at[number];
    luafn_fail(&c->unit, v->proto, v->pc,
               "t:%s in a branch or a loop that threads of a team may take differently: all of "
               "them come to it, or none",
               v->as.s);
}
