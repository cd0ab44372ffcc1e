/* user_call.c - calls of a user's C functions on GNU vectors, lane by lane. */
#include "render/body/statement.h"

#include <inttypes.h>

#include "render/body/lanes/value_text.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/user/faults.h"

/* ---- calls ----------------------------------------------------------------------------------- */

static int first_lane(int lane, int lanes, int arg)
{
    (void)lane, (void)lanes, (void)arg;
    return 0;
}

/* A varying operand: lanes beyond the last index take the value of the first lane. So the function
 * sees no other argument than it would on single elements, and its control flow is the same. */
static void call_operand(lun_renderer *r, lun_strbuf *head, lun_strbuf *fill, lun_strbuf *args,
                         int k, int32_t o)
{
    lun_rep rep = lun__value_rep(r, o);
    lun_snippet a = lun__text_name("a%d", k);
    lun__strbuf_printf(head, ", %s %s", lun__vector_type(r, rep).s, a.s);
    lun__strbuf_printf(fill, "        %s = %s(%s(left), %s, ", a.s, lun__vector_select(r, rep).s,
                       lun__vector_live(r, lun__vector_rep_bytes(rep)).s, a.s);
    lun__vector_shuffle(r, fill, rep, a.s, a.s, first_lane, 0);
    lun__strbuf_puts(fill, ");\n");
    lun__strbuf_printf(args, "%s[l]%s", a.s, rep.mask ? " & 1" : "");
}

lun_snippet lun__user_call_helper(lun_renderer *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    const lun_ir_function *f = r->ir->functions[ins->imm];
    lun_snippet c = lun__text_name("lun_call%" PRId32, v);
    lun_rep rep = lun__value_rep(r, v);
    lun_strbuf head = LUN_STRBUF_INIT, fill = LUN_STRBUF_INIT, args = LUN_STRBUF_INIT;
    if (!lun__text_once(r, c.s))
        return c;
    for (int k = 0; k < ins->c; k++) {
        int32_t o = r->ir->operands[ins->b + k];
        if (k)
            lun__strbuf_puts(&args, ", ");
        if (o >= 0 && lun__renderer_varies(r, o)) {
            call_operand(r, &head, &fill, &args, k, o);
            continue;
        }
        lun_dtype t = (lun_dtype)(o < 0 ? r->ir->slots[-1 - o].dtype : r->ir->ins[o].dtype);
        lun__strbuf_printf(&head, ", %s%s%s %sa%d", o < 0 ? lun__text_global(r).s : "",
                           o < 0 ? "const " : "", lun__element_type(t).s, o < 0 ? "*" : "", k);
        lun__strbuf_printf(&args, "%sa%d", o < 0 ? lun__text_flat(r) : "", k);
    }
    lun__strbuf_printf(&r->helpers, "INLINE %s %s(lun_i64 left%s%s)\n{\n    %s r;\n%s",
                       lun__vector_type(r, rep).s, c.s,
                       lun__faults_handed(r, f) ? ", struct frame *f" : "", lun__strbuf_text(&head),
                       lun__vector_type(r, rep).s, lun__faults_before(r, f, v).s);
    if (fill.length)
        lun__strbuf_printf(&r->helpers, "    if (left < %d) {\n%s    }\n", r->lanes,
                           lun__strbuf_text(&fill));
    lun__strbuf_printf(&r->helpers, "    LANES(%d) r[l] = %s%s(%s%s)%s;\n", r->lanes,
                       rep.mask ? "-(" : "", f->name, lun__faults_argument(r, f, v).s,
                       lun__strbuf_text(&args), rep.mask ? " != 0)" : "");
    lun__faults_behind(r, f, v, &r->helpers);
    lun__strbuf_puts(&r->helpers, "    return r;\n}\n");
    lun__strbuf_free(&head);
    lun__strbuf_free(&fill);
    lun__strbuf_free(&args);
    return c;
}
