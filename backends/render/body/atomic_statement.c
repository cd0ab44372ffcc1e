/* atomic_statement.c - the statements of atomic operations on elements of slots, for kernels that
 * run element by element. */
#include "render/body/statement.h"

#include <inttypes.h>

#include "render/body/lanes/value_text.h"
#include "render/text/atomic_text.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

void lun__atomic_statement(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    const lun_dtype t = (lun_dtype)ins->dtype;
    const bool local = lun__value_is_local(s->r, ins->imm);
    lun_snippet slot = lun__value_array(s, ins->imm);
    lun_snippet expected = {""};
    if (ins->kind == LUN_IR_SWAP)
        expected = lun__text_name(", %s", lun__value_single(s, ins->c).s);
    lun__text_line(s, "const %s s%" PRId32 " = %s(&%s[%s], %s%s);", lun__element_type(t).s, v,
                   lun__atomic_text(s->r, (lun_atomic)ins->op, t, local).s, slot.s,
                   lun__value_element_index(s, ins->imm, ins->b).s, lun__value_single(s, ins->a).s,
                   expected.s);
}
