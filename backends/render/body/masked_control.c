/* masked_control.c - control flow on GNU vectors: divergent control flow runs under masks.
 *
 * Uniform control flow stays as it is: an IF is an if, a BREAK a goto. A divergent IF, LOOP or
 * BLOCK has a mask k<i> of its active lanes; a BREAK or CONTINUE takes its lanes out of every mask
 * up to its target. A LOOP with a CONTINUE also has a mask l<i> of the lanes that have not left it.
 * No statement runs with an empty mask: a jump to the end of the innermost construct skips it
 * (labels e<i>, behind a construct b<i>).
 *
 * How lanes leave is in lane_exit.c, strip-mined loops in strip.c. Several vectors (parts) may go
 * through the statements together, each with its own masks. */
#include "render/body/statement.h"

#include <inttypes.h>

#include "render/body/lanes/lane_barrier.h"
#include "render/body/lanes/mask.h"
#include "render/body/lanes/value_text.h"
#include "render/facts/counted.h"
#include "render/facts/uses.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/vector/bits.h"
#include "render/versions/loop_versions.h"

/* ---- variables ------------------------------------------------------------------------------- */

static void variable(lun_section *s, int32_t v)
{
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_rep rep = lun__value_rep(s->r, v);
    if (!lun__renderer_varies(s->r, v)) {
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
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    if (!lun__renderer_varies(s->r, v)) {
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
    const lun_ir_ins *ins = lun__renderer_ins(s->r, v);
    lun_rep rep = lun__value_rep(s->r, ins->a);
    if (!lun__renderer_varies(s->r, ins->a) && !lun__uses_behind(s->r, v)) {
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
    if (lun__lane_exit_if(s, v))
        return;
    if (!lun__renderer_varies(s->r, v)) {
        lun__text_line(s, "if (%s%s) {", decided(s, v),
                       lun__value_single(s, lun__renderer_ins(s->r, v)->a).s);
        enter(s, v);
        return;
    }
    EACH_PART(s)
    lun__text_line(
        s, "%s %s = %s & %s;", lun__mask_type(s).s, lun__value_name(s, 'k', v).s,
        lun__mask_of(s, s->scope).s,
        lun__value_vector(s, lun__renderer_ins(s->r, v)->a, lun__value_mask_rep(s->r)).s);
    s->part = 0;
    lun__mask_test(s, "if (", 'k', v, ") {");
    enter(s, v);
}

/* Declares the masks of a LOOP or BLOCK. */
static void declare_masks(lun_section *s, int32_t v)
{
    if (!lun__renderer_varies(s->r, v))
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
        if (lun__mask_has_live(s, v))
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
    if (!lun__mask_has_live(s, v))
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
    if (!lun__renderer_varies(s->r, p)) {
        lun__text_line(s, "} else {");
    } else {
        lun__text_line(s, "}");
        EACH_PART(s)
        lun__text_line(
            s, "%s = %s & ~%s;", lun__value_name(s, 'k', p).s, lun__mask_of(s, s->scope).s,
            lun__value_vector(s, lun__renderer_ins(s->r, p)->a, lun__value_mask_rep(s->r)).s);
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
    if (!lun__renderer_varies(s->r, p)) {
        int32_t m = lun__mask_holder(s, p);
        lun__mask_label(s, 'e', p);
        lun__lane_barrier_round(s, p);
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
        lun__poll_leave(s, lun__mask_has_live(s, p) ? 'l' : 'k', p, p);
    lun__poll_close(s, p);
}

static void close_construct(lun_section *s, int32_t v)
{
    int32_t p = s->r->origin[v];
    if (lun__renderer_ins(s->r, p)->kind == LUN_IR_LOOP)
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
        lun__lane_exit_skip(s);
}

void lun__masked_control(lun_section *s, int32_t v)
{
    switch ((lun_ir_kind)lun__renderer_ins(s->r, v)->kind) {
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
        lun__lane_exit_all(s, v);
    }
    s->part = 0;
}
