/* packed_loop.c - loops whose rounds are lanes: several rounds are one of vectors; see
 * statement.h. Indices of elements are those of the first lane. */
#include "render/body/statement.h"

#include <inttypes.h>

#include "render/body/lanes/mask.h"
#include "render/body/lanes/value_text.h"
#include "render/facts/counted.h"
#include "render/facts/passes.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/operation.h"
#include "render/vector/vector_memory.h"

enum {
    UNROLLED = 16, /* vectors of a loop that is unrolled, most */
    SHORT = 65536  /* rounds of one that need not ask whether it shall stop, most */
};

/* a * b + c in lanes: each compiler makes one instruction of its own form. */
static lun_snippet fused(lun_renderer *r, lun_rep rep)
{
    lun_snippet c = lun__text_name("lun_fused_%s", lun__vector_rep_name(rep).s),
                one = lun__element_op(r, LUN_OP_FMA, rep.t);
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_printf(
        &text, "INLINE $v %s($v a, $v b, $v c)\n{\n#ifdef __clang__\n    return ($v){", c.s);
    for (int l = 0; l < r->lanes; l++)
        lun__strbuf_printf(&text, "%s%s(a[%d], b[%d], c[%d])", l ? ", " : "", one.s, l, l, l);
    lun__strbuf_printf(&text,
                       "};\n#else\n    $v r;\n    LANES($W) r[l] = %s(a[l], b[l], c[l]);\n"
                       "    return r;\n#endif\n}\n",
                       one.s);
    lun__vector_helper(r, rep, lun__strbuf_text(&text));
    r->helpers.failed |= text.failed;
    lun__strbuf_free(&text);
    return c;
}

static void write_op(lun_section *s, int32_t v)
{
    lun_renderer *r = s->r;
    const lun_ir_ins *ins = lun__renderer_ins(r, v);
    const lun_rep rep = lun__value_rep(r, v);
    lun_strbuf args = LUN_STRBUF_INIT;
    int32_t in[LUN_IR_INPUTS];
    const int n = lun__ir_inputs(r->ir, ins, in);
    for (int k = 0; k < n; k++)
        lun__strbuf_printf(&args, "%s%s", k ? ", " : "", lun__value_vector(s, in[k], rep).s);
    lun__text_line(s, "%s = %s(%s);", lun__value_declare(s, v).s,
                   ins->op == LUN_OP_FMA ? fused(r, rep).s
                                         : lun__operation_vector(r, (lun_op)ins->op, rep).s,
                   lun__strbuf_text(&args));
    s->out->failed |= args.failed;
    lun__strbuf_free(&args);
}

static bool is_own(const lun_renderer *r, const lun_ir_ins *ins)
{
    return r->locals && ins->imm >= r->locals;
}

static void write_put(lun_section *s, const lun_ir_ins *ins)
{
    lun_renderer *r = s->r;
    const lun_rep rep = {(lun_dtype)r->ir->slots[ins->imm].dtype, false};
    lun__text_line(s, "%s(%s, %s, %s, %d);", lun__vector_memory_store(r, rep, is_own(r, ins)).s,
                   lun__value_array(s, ins->imm).s, lun__value_single(s, ins->b).s,
                   lun__value_vector(s, ins->a, rep).s, r->dialect->streamed_stores ? 0 : r->lanes);
}

static void statement(lun_section *s, int32_t v)
{
    lun_renderer *r = s->r;
    const lun_ir_ins *ins = lun__renderer_ins(r, v);
    if (ins->kind == LUN_IR_GET)
        lun__text_line(s, "%s = s%" PRId32 ";", lun__value_declare(s, v).s, ins->a);
    else if (ins->kind == LUN_IR_PUT)
        write_put(s, ins);
    else if (!lun__renderer_varies(r, v))
        lun__scalar_statement(s, v);
    else if (ins->kind == LUN_IR_GATHER)
        lun__text_line(s, "%s = %s(%s, %s);", lun__value_declare(s, v).s,
                       lun__vector_memory_load(r, lun__value_rep(r, v), is_own(r, ins)).s,
                       lun__value_array(s, ins->imm).s, lun__value_single(s, ins->a).s);
    else
        write_op(s, v);
}

/* Rounds as many as there are lanes, in a block that is open. */
static void vectors(lun_section *s, int32_t loop, const lun_counted *c)
{
    s->depth++;
    for (int32_t i = loop + 1; i < c->leave; i++)
        if ((s->r->flags[i] & LUN_FACT_BODY) && i != lun__renderer_ins(s->r, c->leave)->a)
            statement(s, i);
    lun__text_line(s, "s%" PRId32 " += %d;", c->var, s->r->lanes);
}

/* As many vectors as constants say. */
static void known(lun_section *s, int32_t loop, const lun_counted *c, int64_t rounds)
{
    const int64_t count = rounds / s->r->lanes;
    if (count <= UNROLLED)
        lun__text_line(s, "_Pragma(\"GCC unroll %" PRId64 "\")", count);
    lun__text_line(s,
                   "for (lun_i64 r%" PRId32 " = 0; r%" PRId32 " < %" PRId64 "; r%" PRId32 "++) {",
                   loop, loop, count, loop);
    vectors(s, loop, c);
    if (rounds > SHORT)
        lun__mask_poll(s);
    s->depth--;
    lun__text_line(s, "}");
}

bool lun__packed_loop(lun_section *s, int32_t loop)
{
    lun_renderer *r = s->r;
    lun_counted c;
    if (!lun__counted_find(r->ir, &r->blocks, loop, &c))
        return false;
    const int64_t rounds = lun__counted_rounds(r->ir, c.first, c.last);
    if (rounds && rounds % r->lanes == 0) {
        known(s, loop, &c, rounds);
        s->done = r->blocks.end[loop];
        return true;
    }
    lun_snippet last = lun__value_single(s, c.last);
    lun__text_line(s,
                   "lun_u64 r%" PRId32 " = s%" PRId32 " <= %s ? (lun_u64)%s - (lun_u64)s%" PRId32
                   " + 1 : 0;",
                   loop, c.var, last.s, last.s, c.var);
    lun__text_line(s, "const int l%" PRId32 " = r%" PRId32 " < %d || r%" PRId32 " %% %d;", loop,
                   loop, r->lanes, loop, r->lanes);
    lun__text_line(s, "for (; r%" PRId32 " >= %d; r%" PRId32 " -= %d) {", loop, r->lanes, loop,
                   r->lanes);
    vectors(s, loop, &c);
    lun__mask_poll(s);
    s->depth--;
    lun__text_line(s, "}");
    lun__text_line(s, "if (l%" PRId32 ")", loop);
    lun__packable_loop_forget(r, loop);
    return false;
}
