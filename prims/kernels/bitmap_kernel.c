/* bitmap_kernel.c - the kernel of a body that marks elements; see bitmap_kernel.h. */
#include "kernels/bitmap_kernel.h"

#include <stdlib.h>

#include "plan/lowering.h"

/* The index along axis k: that of the launch, by the extents behind the axis and its own. */
static int32_t index_along(lun_lowerer *l, const lun_marking *m, int k, int32_t round)
{
    int64_t behind = 1;
    int32_t x = round;
    for (int d = k + 1; d < m->rank; d++)
        behind *= m->extent[d];
    if (k + 1 < m->rank)
        x = lun__lower_integer(l, LUN_OP_IDIV, LUN_I64, x,
                               lun__lower_number(l, LUN_I64, (uint64_t)behind));
    if (k > 0)
        x = lun__lower_integer(l, LUN_OP_MOD, LUN_I64, x,
                               lun__lower_number(l, LUN_I64, (uint64_t)m->extent[k]));
    return lun__lower_integer(l, LUN_OP_ADD, LUN_I64, x,
                              lun__lower_number(l, LUN_I64, (uint64_t)m->first[k]));
}

static int32_t scalar(lun_lowerer *l, const lun_marking *m, int k, int32_t round)
{
    if (k < m->rank)
        return index_along(l, m, k, round);
    const lun_taken *x = &m->taken[k - m->rank];
    return x->how == LUN_TAKES_ELEMENT ? lun__lower_load(l, x->node, 0, false)
                                       : lun__lower_number(l, (lun_dtype)m->body->args[k], x->cell);
}

static void inline_body(lun_lowerer *l, const lun_marking *m, int32_t *params, int32_t *arrays)
{
    lun_ir_function f = {.body = (lun_ir *)(uintptr_t)m->body,
                         .output = {m->value},
                         .outputs = 1,
                         .note_count = m->note_count};
    int32_t value;
    const int32_t round = lun__lower_moved(
        l,
        lun__lower_add(
            l, (lun_ir_ins){.kind = LUN_IR_INDEX, .dtype = LUN_I64, .a = -1, .b = -1, .c = -1}, 0));
    for (int k = 0; l->status == LUN_OK && k < m->body->arg_count; k++)
        params[k] = scalar(l, m, k, round);
    for (int k = 0; l->status == LUN_OK && k < m->body->slot_count; k++)
        arrays[k] = m->arrays[k]
                        ? lun__lower_slot(l, m->arrays[k], 0, (lun_ir_role)m->body->slots[k].role)
                        : -1;
    if (l->status != LUN_OK || !lun__lower_inline(l, &f, params, arrays, m->notes, 0, &value))
        return;
    const int slot = lun__lower_source(l, (lun_slot_source){.node = m->like}, LUN_SLOT_OUT);
    if (l->status == LUN_OK)
        (void)lun__lower_add(
            l,
            (lun_ir_ins){
                .kind = LUN_IR_STORE, .dtype = LUN_I64, .a = value, .b = -1, .c = -1, .imm = slot},
            0);
}

lun_status lun__bitmap_kernel_lower(lun_engine *e, const lun_marking *m, lun_lowered *out)
{
    lun_lowerer l = lun__lower_ungrouped(e, out);
    const size_t params = (size_t)m->body->arg_count + 1;
    int32_t *numbers = malloc((params + (size_t)m->body->slot_count) * sizeof *numbers);
    if (numbers)
        inline_body(&l, m, numbers, numbers + params);
    else
        lun__lower_nomem(&l);
    free(numbers);
    out->ops = 1;
    return lun__lower_end(&l);
}
