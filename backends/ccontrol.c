/* ccontrol.c - control flow on GNU vectors: lanes that part ways run under masks.
 *
 * Where all lanes go the same way (not VARYING), an IF is an if and a BREAK a goto.  Elsewhere each
 * IF, LOOP and BLOCK has a mask k<i> of the lanes that are in it now; a BREAK or CONTINUE takes its lanes
 * out of every mask up to its target.  A LOOP with a CONTINUE also keeps l<i>, the lanes that have not
 * left it.  No statement runs with an empty mask: code jumps to the end of the innermost construct
 * instead (labels e<i>, behind a construct b<i>). */
#include <inttypes.h>
#include <string.h>

#include "crender.h"

static const lun_ir_ins *at(const lun_csection *s, int32_t v)
{
    return &s->r->ir->ins[v];
}

static bool varies(const lun_csection *s, int32_t v)
{
    return (s->r->flags[v] & LUN_CF_VARYING) != 0;
}

static lun_cname mask_type(lun_csection *s)
{
    return lun_cvtype(s->r, lun_cfull_mask(s->r));
}

static lun_cname any(lun_csection *s)
{
    return lun_cvector_any(s->r, lun_crep_bytes(lun_cfull_mask(s->r)));
}

/* The mask of construct p, or of the nearest one around it that has any. */
static lun_cname mask_of(const lun_csection *s, int32_t p)
{
    for (; p >= 0; p = s->r->parent[p])
        if (varies(s, p))
            return lun_cname_of("k%" PRId32, p);
    return lun_cname_of("k");
}

lun_cname lun_ccurrent(lun_csection *s, int bytes)
{
    lun_crep full = lun_cfull_mask(s->r), rep = lun_crep_of(LUN_BOOL, bytes);
    lun_cname k = mask_of(s, s->scope);
    if (full.t == rep.t)
        return k;
    return lun_cname_of("%s(%s)", lun_cvector_cast(s->r, rep, full).s, k.s);
}

/* True for a LOOP some lanes of which start their next round before others end theirs. */
static bool keeps_live(const lun_csection *s, int32_t loop)
{
    return at(s, loop)->kind == LUN_IR_LOOP && varies(s, loop) &&
           (s->r->flags[loop] & LUN_CF_CONTINUED);
}

/* e<i>, or f<i> in the second part of an IF. */
static char here(const lun_csection *s, char place, int32_t construct)
{
    return place == 'e' && (s->r->flags[construct] & LUN_CF_ELSE) ? 'f' : place;
}

static void jump(lun_csection *s, char place, int32_t construct)
{
    place = here(s, place, construct);
    lun_strbuf_printf(&s->labels, "\n%c%" PRId32 "\n", place, construct);
    lun_cline(s, "goto %c%" PRId32 ";", place, construct);
}

static void label(lun_csection *s, char place, int32_t construct)
{
    place = here(s, place, construct);
    lun_cname name = lun_cname_of("\n%c%" PRId32 "\n", place, construct);
    if (strstr(lun_strbuf_text(&s->labels), name.s))
        lun_cline(s, "%c%" PRId32 ":;", place, construct);
}

/* ---- variables ----------------------------------------------------------------------------------- */

static void variable(lun_csection *s, int32_t v)
{
    const lun_ir_ins *ins = at(s, v);
    lun_crep rep = lun_cvalue_rep(s->r, v);
    if (varies(s, v))
        lun_cline(s, "%s v%" PRId32 " = %s;", lun_cvtype(s->r, rep).s, v,
                  lun_cas_vector(s, ins->a, rep).s);
    else
        lun_cline(s, "%s s%" PRId32 " = %s;", lun_ctype((lun_dtype)ins->dtype).s, v,
                  lun_cas_scalar(s, ins->a).s);
}

static void get(lun_csection *s, int32_t v)
{
    const lun_ir_ins *ins = at(s, v);
    if (varies(s, v))
        lun_cline(s, "const %s v%" PRId32 " = v%" PRId32 ";",
                  lun_cvtype(s->r, lun_cvalue_rep(s->r, v)).s, v, ins->a);
    else
        lun_cline(s, "const %s s%" PRId32 " = s%" PRId32 ";", lun_ctype((lun_dtype)ins->dtype).s, v,
                  ins->a);
}

static void set(lun_csection *s, int32_t v)
{
    const lun_ir_ins *ins = at(s, v);
    lun_crep rep = lun_cvalue_rep(s->r, ins->a);
    if (!varies(s, ins->a)) {
        lun_cline(s, "s%" PRId32 " = %s;", ins->a, lun_cas_scalar(s, ins->b).s);
        return;
    }
    lun_cname x = lun_cas_vector(s, ins->b, rep);
    if (s->r->flags[v] & LUN_CF_PLAIN)
        lun_cline(s, "v%" PRId32 " = %s;", ins->a, x.s);
    else
        lun_cline(s, "v%" PRId32 " = %s(%s, %s, v%" PRId32 ");", ins->a,
                  lun_cvector_select(s->r, rep).s, lun_ccurrent(s, lun_crep_bytes(rep)).s, x.s,
                  ins->a);
}

/* ---- constructs ---------------------------------------------------------------------------------- */

static void enter(lun_csection *s, int32_t v)
{
    s->scope = v;
    s->depth++;
}

static void open_if(lun_csection *s, int32_t v)
{
    lun_cname c, outer = mask_of(s, s->scope);
    if (!varies(s, v)) {
        lun_cline(s, "if (%s) {", lun_cas_scalar(s, at(s, v)->a).s);
        enter(s, v);
        return;
    }
    c = lun_cas_vector(s, at(s, v)->a, lun_cfull_mask(s->r));
    lun_cline(s, "%s k%" PRId32 " = %s & %s;", mask_type(s).s, v, outer.s, c.s);
    lun_cline(s, "if (%s(k%" PRId32 ")) {", any(s).s, v);
    enter(s, v);
}

static void open_loop(lun_csection *s, int32_t v)
{
    bool live = keeps_live(s, v);
    if (varies(s, v))
        lun_cline(s, "%s k%" PRId32 " = %s;", mask_type(s).s, v, mask_of(s, s->scope).s);
    if (live)
        lun_cline(s, "%s l%" PRId32 " = k%" PRId32 ";", mask_type(s).s, v, v);
    lun_cline(s, "for (;;) {");
    enter(s, v);
    if (live)
        lun_cline(s, "k%" PRId32 " = l%" PRId32 ";", v, v);
}

static void open_block(lun_csection *s, int32_t v)
{
    if (varies(s, v))
        lun_cline(s, "%s k%" PRId32 " = %s;", mask_type(s).s, v, mask_of(s, s->scope).s);
    lun_cline(s, "{");
    enter(s, v);
}

/* After a construct that lanes may have left past its end: is anybody still here? */
static void look_around(lun_csection *s, int32_t done)
{
    int32_t p = s->scope;
    if (!(s->r->flags[done] & LUN_CF_LEFT) || p < 0)
        return;
    lun_cname k = mask_of(s, p);
    if (k.s[1] == 0)
        return; /* nobody can have parted */
    lun_cline(s, "if (!%s(%s))", any(s).s, k.s);
    s->depth++;
    jump(s, 'e', p);
    s->depth--;
}

static void open_else(lun_csection *s, int32_t v)
{
    int32_t p = s->r->origin[v];
    label(s, 'e', p);
    s->depth--;
    s->scope = s->r->parent[p];
    if (!varies(s, p)) {
        lun_cline(s, "} else {");
    } else {
        lun_cname c = lun_cas_vector(s, at(s, p)->a, lun_cfull_mask(s->r));
        lun_cline(s, "}");
        lun_cline(s, "k%" PRId32 " = %s & ~%s;", p, mask_of(s, s->scope).s, c.s);
        lun_cline(s, "if (%s(k%" PRId32 ")) {", any(s).s, p);
    }
    enter(s, p);
    s->r->flags[p] |= LUN_CF_ELSE;
}

static void close(lun_csection *s, int32_t v)
{
    int32_t p = s->r->origin[v];
    bool loop = at(s, p)->kind == LUN_IR_LOOP;
    label(s, 'e', p);
    s->r->flags[p] &= (uint16_t)~LUN_CF_ELSE;
    if (loop && varies(s, p))
        lun_cline(s, "if (!%s(%c%" PRId32 ")) break;", any(s).s, keeps_live(s, p) ? 'l' : 'k', p);
    s->depth--;
    s->scope = s->r->parent[p];
    lun_cline(s, "}");
    label(s, 'b', p);
    look_around(s, p);
}

/* BREAK and CONTINUE */
static void leave(lun_csection *s, int32_t v)
{
    int32_t to = s->r->origin[v];
    bool again = at(s, v)->kind == LUN_IR_CONTINUE;
    if (!varies(s, to)) { /* everybody who is inside */
        jump(s, again ? 'e' : 'b', to);
        return;
    }
    lun_cline(s, "const %s g%" PRId32 " = ~%s;", mask_type(s).s, v, mask_of(s, s->scope).s);
    for (int32_t p = s->scope;; p = s->r->parent[p]) {
        if (varies(s, p)) {
            lun_cline(s, "k%" PRId32 " &= g%" PRId32 ";", p, v);
            if (keeps_live(s, p) && !(again && p == to))
                lun_cline(s, "l%" PRId32 " &= g%" PRId32 ";", p, v);
        }
        if (p == to)
            break;
    }
    jump(s, 'e', s->scope);
}

/* ---- checks -------------------------------------------------------------------------------------- */

static void check_single(lun_csection *s, int32_t v)
{
    const lun_ir_ins *ins = at(s, v);
    lun_cname value = ins->b >= 0 ? lun_cas_scalar(s, ins->b) : lun_cname_of("0");
    lun_cline(s, "if (!%s) {", lun_cas_scalar(s, ins->a).s);
    lun_cline(s, "    if (f->trap < 0) f->trap = %" PRId32 ", f->trap_value = %s;", s->where,
              value.s);
    lun_cline(s, "    return 0;");
    lun_cline(s, "}");
}

static void check(lun_csection *s, int32_t v)
{
    const lun_ir_ins *ins = at(s, v);
    lun_crender *r = s->r;
    if (s->single) {
        check_single(s, v);
        return;
    }
    lun_crep full = lun_cfull_mask(r), value = {LUN_I64, false};
    int bytes = lun_crep_bytes(full);
    lun_cname note = lun_cvector_note(r, bytes);
    lun_cline(s, "const %s z%" PRId32 " = %s & ~%s;", mask_type(s).s, v, mask_of(s, s->scope).s,
              lun_cas_vector(s, ins->a, full).s);
    lun_cline(s, "if (__builtin_expect(%s(z%" PRId32 "), 0)) {", any(s).s, v);
    s->depth++;
    if (ins->b >= 0)
        lun_cline(s, "const %s y%" PRId32 " = %s;", lun_cvtype(r, value).s, v,
                  lun_cas_vector(s, ins->b, value).s);
    lun_cline(s, "if (%s(&z%" PRId32 ", i, f, %" PRId32 ", %s%s)) return;", note.s, v, v,
              ins->b >= 0 ? "(const lun_i64 *)&y" : "0",
              ins->b >= 0 ? lun_cname_of("%" PRId32, v).s : "");
    s->depth--;
    lun_cline(s, "}");
}

void lun_ccontrol(lun_csection *s, int32_t v)
{
    switch ((lun_ir_kind)at(s, v)->kind) {
    case LUN_IR_VAR:
        variable(s, v);
        break;
    case LUN_IR_GET:
        get(s, v);
        break;
    case LUN_IR_SET:
        set(s, v);
        break;
    case LUN_IR_IF:
        open_if(s, v);
        break;
    case LUN_IR_ELSE:
        open_else(s, v);
        break;
    case LUN_IR_LOOP:
        open_loop(s, v);
        break;
    case LUN_IR_BLOCK:
        open_block(s, v);
        break;
    case LUN_IR_END:
        close(s, v);
        break;
    case LUN_IR_CHECK:
        check(s, v);
        break;
    default:
        leave(s, v);
    }
}
