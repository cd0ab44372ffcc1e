/* statement.c - the statements of a section on GNU vectors: a line for each instruction, a function
 * for each kind. Control flow is in masked_control.c, uniform values in scalar_statement.c. */
#include "render/body/statement.h"

#include <inttypes.h>

#include "render/body/lanes/lane_barrier.h"
#include "render/body/lanes/mask.h"
#include "render/body/lanes/value_text.h"
#include "render/facts/uses.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/user/faults.h"
#include "render/vector/cast.h"
#include "render/vector/operation.h"
#include "render/vector/vector_math.h"
#include "render/vector/vector_memory.h"

/* ---- vectors, by kind ------------------------------------------------------------------------ */

static void emit_index(lun_section *s, int32_t v)
{
    lun_renderer *r = s->r;
    lun_rep rep = {LUN_I64, false};
    if (lun__text_once(r, "lun_index")) {
        lun_strbuf text = LUN_STRBUF_INIT;
        lun__strbuf_puts(&text, "INLINE $v lun_index(lun_i64 i)\n{\n    return ($v){");
        for (int l = 0; l < r->lanes; l++)
            lun__strbuf_printf(&text, "%s%d", l ? ", " : "", l);
        lun__strbuf_puts(&text, "} + i;\n}\n");
        lun__vector_helper(r, rep, lun__strbuf_text(&text));
        lun__strbuf_free(&text);
    }
    lun__text_line(s, "%s = lun_index(%s);", lun__value_declare(s, v).s, lun__value_index(s).s);
    lun__gather_first(s, v);
}

static void emit_load(lun_section *s, int32_t v)
{
    lun_snippet load = lun__vector_memory_load(s->r, lun__value_rep(s->r, v), false);
    lun__text_line(s, "%s = %s(u->%s, %s);", lun__value_declare(s, v).s, load.s,
                   lun__value_slot(s->r, lun__renderer_ins(s->r, v)->imm).s, lun__value_index(s).s);
}

static void emit_random(lun_section *s, int32_t v)
{
    lun_renderer *r = s->r;
    lun_rep rep = lun__value_rep(r, v);
    if (r->flags[v] & LUN_FACT_STREAM) {
        lun__text_line(s, "%s = %s(w%" PRId32 ", %d);", lun__value_declare(s, v).s,
                       lun__vector_memory_load(r, rep, true).s, v, lun__value_offset(s));
        return;
    }
    lun_snippet c = lun__text_name("lun_random_each_%s", lun__vector_rep_name(rep).s);
    lun_snippet one = lun__random_one(r, rep.t), index = lun__vector_of(r, LUN_I64, r->lanes);
    if (lun__text_once(r, c.s)) {
        lun_strbuf text = LUN_STRBUF_INIT;
        lun__strbuf_printf(&text,
                           "INLINE $v lun_random_each_$n(%s a, lun_u64 key)\n{\n    $v r;\n"
                           "    LANES($W) r[l] = %s((lun_u64)a[l], key);\n"
                           "    return r;\n}\n",
                           index.s, one.s);
        lun__vector_helper(r, rep, lun__strbuf_text(&text));
        lun__strbuf_free(&text);
    }
    lun__text_line(s, "%s = %s(%s, %s);", lun__value_declare(s, v).s, c.s,
                   lun__value_vector(s, lun__renderer_ins(s->r, v)->a, (lun_rep){LUN_I64, false}).s,
                   lun__value_single(s, lun__renderer_ins(s->r, v)->b).s);
}

static void emit_op(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_renderer *r = s->r;
    lun_op op = (lun_op)ins->op;
    const lun_op_row *row = lun__op_get(op);
    lun_dtype from = (lun_dtype)ins->from;
    bool choice = row->rule == LUN_RULE_SELECT;
    lun_rep rep = lun__vector_rep(from, r->mask[choice ? ins->b : ins->a]);
    lun_rep condition = lun__vector_rep(LUN_BOOL, lun__vector_rep_bytes(rep));
    int32_t in[LUN_IR_INPUTS];
    int n = lun__ir_inputs(r->ir, ins, in);
    lun_strbuf args = LUN_STRBUF_INIT;
    bool math = lun__element_math(r, op, from);
    if (lun__uses_traps(r, v)) {
        lun_snippet b = lun__value_vector(s, in[1], rep),
                    note = lun__vector_note(r, lun__vector_rep_bytes(rep));
        lun_snippet m = lun__vector_type(r, condition),
                    mask = lun__mask_current(s, lun__vector_rep_bytes(rep));
        lun_snippet z = lun__value_name(s, 'z', v);
        lun__text_line(s, "const %s %s = (%s == (%s){})%s%s;", m.s, z.s, b.s,
                       lun__vector_type(r, rep).s, r->masked ? " & " : "", r->masked ? mask.s : "");
        lun__text_line(s, "if (__builtin_expect(%s(%s), 0) && %s(&%s, %s, f, %" PRId32 ", 0)%s;",
                       lun__vector_any(r, lun__vector_rep_bytes(rep)).s, z.s, note.s, z.s,
                       lun__value_index(s).s, v, r->masked ? ") return" : ") {}");
    }
    if (lun__constant_operand(s, v, rep)) {
        lun__gather_first(s, v);
        return;
    }
    for (int k = 0; k < n; k++)
        lun__strbuf_printf(&args, "%s%s", k ? ", " : "",
                           lun__value_vector(s, in[k], choice && k == 0 ? condition : rep).s);
    lun_snippet name = math ? lun__vector_math(r, op, from) : lun__operation_vector(r, op, rep);
    lun__text_line(s, "%s = %s(%s);", lun__value_declare(s, v).s, name.s, lun__strbuf_text(&args));
    lun__strbuf_free(&args);
    lun__gather_first(s, v);
}

/* The operand of a CAST of value a to dtype t: integers that were widened and are cut again are
 * taken as they were. */
static int32_t before_widening(const lun_section *s, int32_t a, lun_dtype t)
{
    const lun_ir_ins *wide = lun__renderer_ins(s->r, a);
    bool ints = lun__dtype_is_integer((lun_dtype)wide->dtype) && lun__dtype_is_integer(t);
    bool back = wide->kind == LUN_IR_CAST && (lun_dtype)wide->from == t && ints &&
                lun__dtype_get((lun_dtype)wide->dtype)->bytes >= lun__dtype_get(t)->bytes;
    return back && lun__renderer_varies(s->r, a) ? wide->a : a;
}

static void emit_cast(lun_section *s, int32_t v)
{
    lun_renderer *r = s->r;
    int32_t a = before_widening(s, lun__renderer_ins(s->r, v)->a,
                                (lun_dtype)lun__renderer_ins(s->r, v)->dtype);
    lun_rep to = lun__value_rep(r, v), from = lun__value_rep(r, a);
    lun_snippet x = lun__value_vector(s, a, from);
    if (to.t == from.t && to.mask == from.mask)
        lun__text_line(s, "%s = %s;", lun__value_declare(s, v).s, x.s);
    else
        lun__text_line(s, "%s = %s(%s);", lun__value_declare(s, v).s,
                       lun__cast_vector(r, to, from).s, x.s);
}

static void emit_call(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_renderer *r = s->r;
    lun_strbuf args = LUN_STRBUF_INIT;
    for (int k = 0; k < ins->c; k++) {
        int32_t o = r->ir->operands[ins->b + k];
        lun__strbuf_puts(&args, ", ");
        if (o < 0)
            lun__strbuf_printf(&args, "u->%s", lun__value_slot(r, -1 - (int64_t)o).s);
        else if (lun__renderer_varies(r, o))
            lun__strbuf_puts(&args, lun__value_vector(s, o, lun__value_rep(r, o)).s);
        else
            lun__strbuf_puts(&args, lun__value_single(s, o).s);
    }
    lun__text_line(
        s, "%s = %s(u->n - i%s%s);", lun__value_declare(s, v).s, lun__user_call_helper(r, v).s,
        lun__faults_handed(r, r->ir->functions[ins->imm]) ? ", f" : "", lun__strbuf_text(&args));
    lun__strbuf_free(&args);
}

/* The scan has left the running combinations in memory. */
static void emit_scan(lun_section *s, int32_t v)
{
    lun_rep rep = lun__value_rep(s->r, v);
    lun_rep lanes = {rep.t, false};
    if (s->scope >= 0)
        lun__strbuf_puts(&s->r->problem, "a scan inside control flow");
    lun__text_line(s, "%s = %s(scan, %d);", lun__value_declare(s, v).s,
                   lun__vector_memory_load(s->r, lanes, true).s, lun__value_offset(s));
}

static void emit_store(lun_section *s, int32_t v)
{
    lun_renderer *r = s->r;
    int64_t slot = lun__renderer_ins(s->r, v)->imm;
    lun_rep rep = lun__value_rep(r, lun__renderer_ins(s->r, v)->a);
    lun_snippet store = lun__vector_memory_store(r, rep, false),
                x = lun__value_vector(s, lun__renderer_ins(s->r, v)->a, rep);
    lun_snippet p = lun__value_slot(r, slot), here = lun__value_index(s);
    lun_snippet how = r->dialect->streamed_stores ? lun__text_name("u->t%" PRId64, slot)
                                                  : lun__text_name("u->n - (%s)", here.s);
    if (s->scope >= 0) { /* lanes that are not active keep what memory holds */
        lun__text_line(s, "%s(u->%s, %s, %s(%s, %s, %s(u->%s, %s)), %s);", store.s, p.s, here.s,
                       lun__vector_select(r, rep).s,
                       lun__mask_current(s, lun__vector_rep_bytes(rep)).s, x.s,
                       lun__vector_memory_load(r, rep, false).s, p.s, here.s, how.s);
        return;
    }
    lun__text_line(s, "%s(u->%s, %s, %s, %s);", store.s, p.s, here.s, x.s, how.s);
}

static void emit_reduce(lun_section *s, int32_t v)
{
    lun_rep rep =
        lun__vector_rep((lun_dtype)lun__renderer_ins(s->r, v)->dtype, s->r->bytes / s->r->lanes);
    int32_t a = lun__renderer_ins(s->r, v)->a;
    if (s->r->flags[v] & LUN_FACT_WIDE) {
        a = lun__renderer_ins(s->r, a)->a;
        rep = lun__value_rep(s->r, a);
    }
    if (s->scope >= 0)
        lun__strbuf_puts(&s->r->problem, "a reduction inside control flow");
    if (s->r->flags[v] & LUN_FACT_NARROW) {
        a = lun__renderer_ins(s->r, a)->a;
        lun_rep from = lun__value_rep(s->r, a), to = {LUN_I32, false};
        lun__text_line(s, "x%" PRId64 "[%d] = %s(%s);", lun__renderer_ins(s->r, v)->imm, s->part,
                       lun__cast_vector(s->r, to, from).s, lun__value_vector(s, a, from).s);
        return;
    }
    lun__text_line(s, "x%" PRId64 "[%d] = %s;", lun__renderer_ins(s->r, v)->imm, s->part,
                   lun__value_vector(s, a, rep).s);
}

typedef void emitter(lun_section *s, int32_t v);

static emitter *const emit[LUN_IR_KIND_COUNT] = {
    [LUN_IR_INDEX] = emit_index,
    [LUN_IR_LOAD] = emit_load,
    [LUN_IR_GATHER] = lun__gather_statement,
    [LUN_IR_RANDOM] = emit_random,
    [LUN_IR_OP] = emit_op,
    [LUN_IR_CAST] = emit_cast,
    [LUN_IR_CALL] = emit_call,
    [LUN_IR_SCAN] = emit_scan,
    [LUN_IR_STORE] = emit_store,
    [LUN_IR_REDUCE] = emit_reduce,
    [LUN_IR_VAR] = lun__masked_control,
    [LUN_IR_GET] = lun__masked_control,
    [LUN_IR_SET] = lun__masked_control,
    [LUN_IR_IF] = lun__masked_control,
    [LUN_IR_ELSE] = lun__masked_control,
    [LUN_IR_LOOP] = lun__masked_control,
    [LUN_IR_BLOCK] = lun__masked_control,
    [LUN_IR_END] = lun__masked_control,
    [LUN_IR_BREAK] = lun__masked_control,
    [LUN_IR_CONTINUE] = lun__masked_control,
    [LUN_IR_CHECK] = lun__gather_check,
};

/* True for instructions that make a single element. */
static bool is_scalar(const lun_renderer *r, int32_t v)
{
    int kind = r->ir->ins[v].kind;
    if (!lun__ir_has_value(&r->ir->ins[v]) || lun__renderer_varies(r, v))
        return false;
    return kind != LUN_IR_VAR && kind != LUN_IR_GET;
}

void lun__statement_section(lun_section *s)
{
    const lun_renderer *r = s->r;
    s->done = s->nonempty = -1;
    for (int32_t v = 0; v < r->ir->count; v++) {
        unsigned f = r->flags[v];
        bool hoisted = (f & LUN_FACT_HOISTED) && s->form != LUN_SECTION_FUNCTION;
        if (v <= s->done)
            continue;
        lun__lane_barrier_before(s, v);
        if (hoisted != (s->need == LUN_FACT_HOISTED))
            continue;
        if (!(f & (hoisted ? LUN_FACT_BODY | LUN_FACT_OPERAND : s->need)))
            continue;
        if (s->form == LUN_SECTION_ELEMENT && lun__indexed_statement(s, v))
            continue;
        if ((f & LUN_FACT_PACKED) && lun__packed_loop(s, v))
            continue;
        if (is_scalar(r, v))
            lun__scalar_statement(s, v);
        else if (emit[r->ir->ins[v].kind] == lun__masked_control ||
                 emit[r->ir->ins[v].kind] == lun__gather_check)
            emit[r->ir->ins[v].kind](s, v);
        else
            for (s->part = 0; s->part < r->parts; s->part++)
                (f & LUN_FACT_LINEAR ? lun__gather_first : emit[r->ir->ins[v].kind])(s, v);
        s->part = 0;
    }
    lun__lane_barrier_end(s);
    if (s->need != LUN_FACT_OPERAND)
        return;
    int32_t a = r->ir->ins[r->ir->scan].a;
    if (s->form == LUN_SECTION_ELEMENT) {
        lun__text_line(s, "*x = %s;", lun__value_single(s, a).s);
        return;
    }
    lun_rep rep = lun__vector_rep((lun_dtype)r->ir->ins[r->ir->scan].dtype, r->bytes / r->lanes);
    for (s->part = 0; s->part < r->parts; s->part++)
        lun__text_line(s, "x[%d] = %s;", s->part, lun__value_vector(s, a, rep).s);
}
