/* control.c - control flow on GNU vectors: divergent control flow runs under masks.
 *
 * Uniform control flow stays as it is: an IF is an if, a BREAK a goto. A divergent IF, LOOP or
 * BLOCK has a mask k<i> of its active lanes; a BREAK or CONTINUE takes its lanes out of every mask
 * up to its target. A LOOP with a CONTINUE also has a mask l<i> of the lanes that have not left it.
 * No statement runs with an empty mask: a jump to the end of the innermost construct skips it
 * (labels e<i>, behind a construct b<i>).
 *
 * A variable with temporal divergence (TEMPORAL) is a single element inside its LOOP; lanes that
 * leave the loop save its value to the vector that is the variable behind the loop.
 *
 * Strip-mined loops are in strip.c. Several vectors (parts) may go through the statements together,
 * each with its own masks. */
#include "render/body/control.h"

#include <inttypes.h>

#include "render/body/mask.h"
#include "render/body/meet.h"
#include "render/body/poll.h"
#include "render/body/strip.h"
#include "render/body/value.h"
#include "render/facts/counted.h"
#include "render/facts/uses.h"
#include "render/text/element.h"
#include "render/text/text.h"
#include "render/vector/bits.h"
#include "render/vector/cast.h"
#include "render/versions/versions.h"

/* ---- masks ----------------------------------------------------------------------------------- */

/* True for a LOOP with a mask l<i>: some lanes begin an iteration before others end the last. */
static bool has_live_mask(const lun_section *s, int32_t loop)
{
    return lun__ins(s->r, loop)->kind == LUN_IR_LOOP && lun__varies(s->r, loop) &&
           (s->r->flags[loop] & LUN_FACT_CONTINUED);
}

/* ---- variables ------------------------------------------------------------------------------- */

static bool is_stripped(const lun_section *s, int32_t loop)
{
    return (s->r->flags[loop] & LUN_FACT_STRIPPED) != 0;
}

/* The lanes `leaving` (a kind of name, of instruction v) of one part save the variables whose
 * temporal divergence is due to LOOP p. Lanes that leave a STRIPPED loop have saved them, or their
 * iterations, already. */
static void save_live_out(lun_section *s, int32_t p, char leaving, int32_t v)
{
    const lun_renderer *r = s->r;
    lun_rep full = lun__value_mask_rep(r);
    for (int32_t var = r->first_var[p]; !is_stripped(s, p) && var < p; var++) {
        if (r->ir->ins[var].kind != LUN_IR_VAR || !lun__mask_temporal(s, var) ||
            r->origin[var] != p || !(r->flags[var] & s->need))
            continue;
        lun_rep rep = lun__value_rep(r, var),
                own = lun__vector_rep(LUN_BOOL, lun__vector_rep_bytes(rep));
        lun_snippet x = lun__value_name(s, 'v', var), m = lun__value_name(s, leaving, v);
        if (own.t != full.t)
            m = lun__text_name("%s(%s)", lun__cast_vector(s->r, own, full).s, m.s);
        lun__text_line(s, "%s = %s(%s, %s(s%" PRId32 "), %s);", x.s,
                       lun__vector_select(s->r, rep).s, m.s, lun__vector_splat(s->r, rep).s, var,
                       x.s);
    }
}

static bool saves_any(const lun_section *s, int32_t loop)
{
    for (int32_t var = s->r->first_var[loop]; var < loop; var++)
        if (s->r->ir->ins[var].kind == LUN_IR_VAR && lun__mask_temporal(s, var) &&
            s->r->origin[var] == loop)
            return true;
    return false;
}

static void variable(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__ins(s->r, v);
    lun_rep rep = lun__value_rep(s->r, v);
    if (!lun__varies(s->r, v)) {
        lun__text_line(s, "%s s%" PRId32 " = %s;", lun__element_type((lun_dtype)ins->dtype).s, v,
                       lun__value_single(s, ins->a).s);
        if (!lun__mask_temporal(s, v))
            return;
        EACH_PART(s)
        lun__text_line(s, "%s %s = {};", lun__vector_type(s->r, rep).s,
                       lun__value_name(s, 'v', v).s);
        return;
    }
    EACH_PART(s)
    lun__text_line(s, "%s %s = %s;", lun__vector_type(s->r, rep).s, lun__value_name(s, 'v', v).s,
                   lun__value_vector(s, ins->a, rep).s);
}

static void get(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__ins(s->r, v);
    if (!lun__varies(s->r, v)) {
        lun__text_line(s, "const %s s%" PRId32 " = s%" PRId32 ";",
                       lun__element_type((lun_dtype)ins->dtype).s, v, ins->a);
        return;
    }
    EACH_PART(s)
    lun__text_line(s, "const %s %s = %s;", lun__vector_type(s->r, lun__value_rep(s->r, v)).s,
                   lun__value_name(s, 'v', v).s, lun__value_name(s, 'v', ins->a).s);
}

static void set(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__ins(s->r, v);
    lun_rep rep = lun__value_rep(s->r, ins->a);
    if (!lun__varies(s->r, ins->a) && !lun__uses_behind(s->r, v)) {
        lun__text_line(s, "s%" PRId32 " = %s;", ins->a, lun__value_single(s, ins->b).s);
        if (lun__mask_temporal(s, ins->a) && v > s->r->origin[ins->a] &&
            lun__mask_stripped(s, s->r->origin[ins->a]))
            lun__strip_set(s, ins->a);
        return;
    }
    EACH_PART(s)
    {
        lun_snippet x = lun__value_vector(s, ins->b, rep), var = lun__value_name(s, 'v', ins->a);
        if (s->r->flags[v] & LUN_FACT_UNMASKED)
            lun__text_line(s, "%s = %s;", var.s, x.s);
        else
            lun__text_line(s, "%s = %s(%s, %s, %s);", var.s, lun__vector_select(s->r, rep).s,
                           lun__mask_current(s, lun__vector_rep_bytes(rep)).s, x.s, var.s);
    }
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* Takes the lanes h<v> of one part out of the masks from here up to the target of v. */
static void take_out(lun_section *s, int32_t v)
{
    int32_t to = s->r->origin[v];
    bool again = lun__ins(s->r, v)->kind == LUN_IR_CONTINUE;
    lun_snippet h = lun__value_name(s, 'h', v);
    for (int32_t p = s->scope;; p = s->r->parent[p]) {
        bool stays = again && p == to;
        if (lun__varies(s->r, p)) {
            lun__text_line(s, "%s &= ~%s;", lun__value_name(s, 'k', p).s, h.s);
            if (has_live_mask(s, p) && !stays)
                lun__text_line(s, "%s &= ~%s;", lun__value_name(s, 'l', p).s, h.s);
            if (!stays)
                save_live_out(s, p, 'h', v);
        }
        if (p == to)
            break;
    }
}

/* BREAK and CONTINUE of all active lanes */
static void exit_all(lun_section *s, int32_t v)
{
    int32_t to = s->r->origin[v];
    s->nonempty = -1;
    if (!lun__varies(s->r, to)) { /* uniform: all lanes inside */
        lun__mask_jump(s, lun__ins(s->r, v)->kind == LUN_IR_CONTINUE ? 'e' : 'b', to);
        return;
    }
    EACH_PART(s)
    {
        lun__text_line(s, "const %s %s = %s;", lun__mask_type(s).s, lun__value_name(s, 'h', v).s,
                       lun__mask_of(s, s->scope).s);
        take_out(s, v);
    }
    s->part = 0;
    lun__mask_jump(s, 'e', s->scope);
}

/* Skips the rest of the construct if no lane is active any more. */
static void skip_if_empty(lun_section *s)
{
    int32_t p = s->scope, m = lun__mask_holder(s, p);
    if (m < 0)
        return; /* control flow has not diverged */
    lun__mask_test(s, "if (!", 'k', m, ")");
    s->depth++;
    lun__mask_jump(s, 'e', p);
    s->depth--;
    s->nonempty = m == p ? p : -1;
}

/* A divergent IF around a single BREAK or CONTINUE needs no branch. From a STRIPPED loop this is
 * the only exit, also where all lanes leave at once. */
static bool exit_if(lun_section *s, int32_t v)
{
    const lun_renderer *r = s->r;
    if (v + 2 >= r->ir->count || r->origin[v + 2] != v || lun__ins(s->r, v + 2)->kind != LUN_IR_END)
        return false;
    int kind = lun__ins(s->r, v + 1)->kind;
    if ((kind != LUN_IR_BREAK && kind != LUN_IR_CONTINUE) || !(r->flags[v + 1] & s->need))
        return false;
    int32_t to = r->origin[v + 1];
    if (lun__mask_stripped(s, to)) {
        lun__strip_leave(s, lun__ins(s->r, v)->a, to);
        s->done = v + 2;
        return true;
    }
    if (!lun__varies(s->r, v))
        return false;
    bool simple = s->scope == to && !has_live_mask(s, to) && !saves_any(s, to);
    EACH_PART(s)
    {
        lun_snippet c = lun__value_vector(s, lun__ins(s->r, v)->a, lun__value_mask_rep(r)),
                    k = lun__mask_of(s, s->scope);
        if (simple)
            lun__text_line(s, "%s &= ~%s;", k.s, c.s);
        else
            lun__text_line(s, "const %s %s = %s & %s;", lun__mask_type(s).s,
                           lun__value_name(s, 'h', v + 1).s, k.s, c.s);
    }
    s->part = 0;
    if (simple) {
        skip_if_empty(s);
    } else {
        lun__mask_test(s, "if (", 'h', v + 1, ") {");
        s->depth++;
        EACH_PART(s)
        take_out(s, v + 1);
        s->part = 0;
        skip_if_empty(s);
        s->depth--;
        lun__text_line(s, "}");
    }
    s->done = v + 2;
    return true;
}

/* ---- constructs ------------------------------------------------------------------------------ */

static void enter(lun_section *s, int32_t v)
{
    s->scope = v;
    s->depth++;
    s->nonempty = -1;
}

/* Rounds of a loop of a kernel in versions that is unrolled, else 0. */
static int unrolled(const lun_section *s, int32_t loop)
{
    return s->r->from ? lun__counted_unrolled(s->r->ir, &s->r->blocks, loop) : 0;
}

/* What an IF holds with, besides its condition. */
static const char *decided(const lun_section *s, int32_t v)
{
    const lun_versions *whole = s->r->whole;
    for (int k = 0; whole && k < whole->decided_count; k++)
        if (whole->decided[k] == v)
            return "whole || ";
    return "";
}

static void open_if(lun_section *s, int32_t v)
{
    const int32_t around = s->r->parent[v];
    if (around >= 0 && v == s->r->blocks.end[around] - 4 && unrolled(s, around)) {
        s->done = v + 2; /* the rounds are counted */
        return;
    }
    if (exit_if(s, v))
        return;
    if (!lun__varies(s->r, v)) {
        lun__text_line(s, "if (%s%s) {", decided(s, v),
                       lun__value_single(s, lun__ins(s->r, v)->a).s);
        enter(s, v);
        return;
    }
    EACH_PART(s)
    lun__text_line(s, "%s %s = %s & %s;", lun__mask_type(s).s, lun__value_name(s, 'k', v).s,
                   lun__mask_of(s, s->scope).s,
                   lun__value_vector(s, lun__ins(s->r, v)->a, lun__value_mask_rep(s->r)).s);
    s->part = 0;
    lun__mask_test(s, "if (", 'k', v, ") {");
    enter(s, v);
}

/* Declares the masks of a LOOP or BLOCK. */
static void declare_masks(lun_section *s, int32_t v)
{
    if (!lun__varies(s->r, v))
        return;
    EACH_PART(s)
    {
        lun_snippet k = lun__value_name(s, 'k', v);
        lun_snippet from = lun__mask_of(s, s->scope);
        if (lun__mask_in_bits(s, v))
            lun__text_line(s, "%s %s = %s(%s);", lun__bits_type(s->r).s, k.s,
                           lun__bits_of_mask(s->r).s, from.s);
        else
            lun__text_line(s, "%s %s = %s;", lun__mask_type(s).s, k.s, from.s);
        if (has_live_mask(s, v))
            lun__text_line(s, "%s %s = %s;", lun__mask_type(s).s, lun__value_name(s, 'l', v).s,
                           k.s);
    }
    s->part = 0;
}

static void open_loop(lun_section *s, int32_t v)
{
    declare_masks(s, v);
    if (lun__mask_stripped(s, v))
        lun__strip_declare(s, v);
    const int rounds = unrolled(s, v);
    if (rounds) {
        lun__text_line(s, "_Pragma(\"GCC unroll %d\")", rounds);
        lun__text_line(s, "for (int r%" PRId32 " = 0; r%" PRId32 " < %d; r%" PRId32 "++) {", v, v,
                       rounds, v);
    } else {
        lun__text_line(s, "for (;;) {");
    }
    enter(s, v);
    if (lun__mask_stripped(s, v))
        lun__strip_open(s, v);
    else
        lun__poll_open(s, v);
    if (!has_live_mask(s, v))
        return;
    EACH_PART(s)
    lun__text_line(s, "%s = %s;", lun__value_name(s, 'k', v).s, lun__value_name(s, 'l', v).s);
}

static void open_block(lun_section *s, int32_t v)
{
    declare_masks(s, v);
    lun__text_line(s, "{");
    enter(s, v);
}

static void open_else(lun_section *s, int32_t v)
{
    int32_t p = s->r->origin[v];
    lun__mask_label(s, 'e', p);
    s->depth--;
    s->scope = s->r->parent[p];
    if (!lun__varies(s->r, p)) {
        lun__text_line(s, "} else {");
    } else {
        lun__text_line(s, "}");
        EACH_PART(s)
        lun__text_line(s, "%s = %s & ~%s;", lun__value_name(s, 'k', p).s,
                       lun__mask_of(s, s->scope).s,
                       lun__value_vector(s, lun__ins(s->r, p)->a, lun__value_mask_rep(s->r)).s);
        s->part = 0;
        lun__mask_test(s, "if (", 'k', p, ") {");
    }
    enter(s, p);
    s->r->flags[p] |= LUN_FACT_ELSE;
}

/* The end of a LOOP. Where a jump leads here, the mask may be empty. */
static void close_loop(lun_section *s, int32_t p)
{
    bool nonempty = s->nonempty == p, jumped = lun__mask_jumped(s, 'e', p);
    bool polls = s->r->dialect->rounds <= 1 && !unrolled(s, p);
    if (lun__mask_stripped(s, p)) {
        lun__strip_close(s, p);
        return;
    }
    if (!lun__varies(s->r, p)) {
        int32_t m = lun__mask_holder(s, p);
        lun__mask_label(s, 'e', p);
        lun__meet_round(s, p);
        /* a jump may have emptied the mask around a uniform loop: then no lane goes on */
        if (jumped && m >= 0 && (s->r->flags[p] & LUN_FACT_LEFT))
            lun__poll_leave(s, 'k', m, p);
        if (polls)
            lun__mask_poll(s);
        lun__poll_close(s, p);
        return;
    }
    if (polls && (nonempty || !jumped))
        lun__mask_poll(s);
    if (nonempty && jumped)
        lun__text_line(s, "continue;");
    lun__mask_label(s, 'e', p);
    if (polls && !nonempty && jumped)
        lun__mask_poll(s);
    if (!nonempty || jumped)
        lun__poll_leave(s, has_live_mask(s, p) ? 'l' : 'k', p, p);
    lun__poll_close(s, p);
}

static void close_construct(lun_section *s, int32_t v)
{
    int32_t p = s->r->origin[v];
    if (lun__ins(s->r, p)->kind == LUN_IR_LOOP)
        close_loop(s, p);
    else
        lun__mask_label(s, 'e', p);
    s->r->flags[p] &= ~(uint32_t)LUN_FACT_ELSE;
    s->depth--;
    s->scope = s->r->parent[p];
    s->nonempty = -1;
    lun__text_line(s, "}");
    lun__mask_label(s, 'b', p);
    if (lun__mask_stripped(s, p))
        lun__strip_after(s, p);
    if ((s->r->flags[p] & LUN_FACT_LEFT) && s->scope >= 0)
        skip_if_empty(s);
}

void lun__control_statement(lun_section *s, int32_t v)
{
    switch ((lun_ir_kind)lun__ins(s->r, v)->kind) {
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
        close_construct(s, v);
        break;
    default:
        exit_all(s, v);
    }
    s->part = 0;
}
