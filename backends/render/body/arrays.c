/* arrays.c - the arrays of a kernel in versions; see arrays.h. */
#include "render/body/arrays.h"

#include <inttypes.h>

#include "render/text/element_text.h"
#include "render/text/text.h"

/* Whether statements read or put elements of the slot. */
static bool is_used(const lun_renderer *r, int slot)
{
    for (int32_t i = 0; i < r->ir->count; i++)
        if ((r->flags[i] & LUN_FACT_BODY) && r->ir->ins[i].imm == slot &&
            lun__ir_row(r->ir->ins[i].kind)->imm == LUN_IMM_SLOT)
            return true;
    return false;
}

/* Whether other workers put elements meanwhile. */
static bool has_crew(const lun_ir *ir)
{
    for (int32_t i = 0; i < ir->count; i++)
        if (ir->ins[i].kind == LUN_IR_MEET)
            return true;
    return false;
}

void lun__arrays_restrict(const lun_renderer *r, bool call, lun_strbuf *out)
{
    const bool crew = has_crew(r->ir);
    for (int k = 0; r->from && k < (r->locals ? r->locals : r->ir->slot_count); k++) {
        const lun_ir_slot *slot = &r->ir->slots[k];
        const bool written = slot->role == LUN_SLOT_TARGET || slot->role == LUN_SLOT_OUT;
        const bool apart = !crew && (slot->role == LUN_SLOT_TARGET || slot->role == LUN_SLOT_ARRAY);
        if (!is_used(r, k))
            continue;
        if (call)
            lun__strbuf_printf(out, ", u.p%d", k);
        else
            lun__strbuf_printf(out, ", %s%s%s *%s p%d", lun__text_global(r).s,
                               written ? "" : "const ", lun__element_type((lun_dtype)slot->dtype).s,
                               apart ? "restrict" : "const", k);
    }
}

void lun__arrays_own(const lun_renderer *r, lun_strbuf *out)
{
    for (int k = r->locals; k && k < r->ir->slot_count; k++)
        if (is_used(r, k))
            lun__strbuf_printf(out, "    %s m%d[%" PRId64 "] = {0};\n",
                               lun__element_type((lun_dtype)r->ir->slots[k].dtype).s, k,
                               r->ir->slots[k].own);
}
