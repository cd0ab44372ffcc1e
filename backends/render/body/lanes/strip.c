/* strip.c - strip-mined loops (STRIPPED, see render/facts/exits.c): the exit test runs once for
 * each strip of iterations, and lanes leave without a branch.
 *
 * A variable with temporal divergence is written where it is set, in the active lanes; or, if it is
 * an induction variable, q<i> counts the iterations of each lane, downwards from 0.
 *
 * With mask registers (render/vector/bits.c) the iterations of a strip are counted together: each
 * SET logs the mask, g<i>[c<i>++]. If no lane has left at the end of the strip (m<i>, the masks
 * before, equals n<i>, those now), all lanes count the whole strip at once. Of four instructions in
 * an iteration, three no longer compete with those of the loop's values. */
#include "render/body/lanes/mask.h"

#include <inttypes.h>

#include "render/body/lanes/value_text.h"
#include "render/facts/passes.h"
#include "render/text/text.h"
#include "render/vector/bits.h"
#include "render/vector/cast.h"

static bool is_induction(const lun_section *s, int32_t var)
{
    return (s->r->flags[var] & LUN_FACT_INDUCTION) != 0;
}

/* The next TEMPORAL variable of the loop from `var` on that the section needs, -1: no more. */
static int32_t next_temporal(const lun_section *s, int32_t var, int32_t loop)
{
    for (; var < loop; var++)
        if (lun__renderer_ins(s->r, var)->kind == LUN_IR_VAR && lun__mask_temporal(s, var) &&
            s->r->origin[var] == loop && (s->r->flags[var] & s->need))
            return var;
    return -1;
}

#define EACH_TEMPORAL(s, loop, var)                                               \
    for (int32_t var = next_temporal(s, (s)->r->first_var[loop], loop); var >= 0; \
         var = next_temporal(s, var + 1, loop))

static bool has_induction(const lun_section *s, int32_t loop)
{
    EACH_TEMPORAL(s, loop, var)
    if (is_induction(s, var))
        return true;
    return false;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Counts the iterations of the masks that were logged: entries 0 .. count-1. */
static void count_logged(lun_section *s, int32_t var, lun_snippet count)
{
    lun__text_line(s, "for (int j = 0; j < %s; j++) {", count.s);
    s->depth++;
    EACH_PART(s)
    {
        lun_snippet q = lun__value_name(s, 'q', var);
        lun__text_line(s, "%s = %s(%s, g%" PRId32 "[j].part[%d], 1);", q.s, lun__bits_count(s->r).s,
                       q.s, var, s->part);
    }
    s->part = 0;
    s->depth--;
    lun__text_line(s, "}");
}

/* The vector of an induction variable gets what the counted iterations add; counts begin anew. */
static void apply_counts(lun_section *s, int32_t var)
{
    lun_renderer *r = s->r;
    lun_rep rep = lun__value_rep(r, var), count = {lun__value_mask_rep(r).t, false};
    bool down = false;
    int32_t step = lun__exits_step(r, var, &down);
    EACH_PART(s)
    {
        lun_snippet v = lun__value_name(s, 'v', var), q = lun__value_name(s, 'q', var);
        lun_snippet iterations = q;
        if (rep.t != count.t)
            iterations = lun__text_name("%s(%s)", lun__cast_vector(r, rep, count).s, q.s);
        lun__text_line(s, "%s %c= %s * %s(%s);", v.s, down ? '+' : '-', iterations.s,
                       lun__vector_splat(r, rep).s, lun__value_single(s, step).s);
        lun__text_line(s, "%s -= %s;", q.s, q.s);
    }
    s->part = 0;
}

static void apply_all_counts(lun_section *s, int32_t loop)
{
    EACH_TEMPORAL(s, loop, var)
    if (is_induction(s, var))
        apply_counts(s, var);
}

/* The vector of a TEMPORAL variable starts with its value before the loop, its counts with 0. */
static void declare_temporal(lun_section *s, int32_t var, int32_t loop)
{
    lun_rep rep = lun__value_rep(s->r, var);
    EACH_PART(s)
    {
        lun__text_line(s, "%s = %s(s%" PRId32 ");", lun__value_name(s, 'v', var).s,
                       lun__vector_splat(s->r, rep).s, var);
        if (is_induction(s, var))
            lun__text_line(s, "%s %s = {};", lun__mask_type(s).s, lun__value_name(s, 'q', var).s);
    }
    s->part = 0;
    if (is_induction(s, var) && lun__mask_in_bits(s, loop))
        lun__text_line(s, "%s g%" PRId32 "[%d]; int c%" PRId32 " = 0;", lun__bits_set(s->r).s, var,
                       lun__exits_strip(s->r, loop), var);
}

void lun__strip_set(lun_section *s, int32_t var)
{
    int32_t loop = s->r->origin[var];
    lun_rep rep = lun__value_rep(s->r, var);
    bool bits = lun__mask_in_bits(s, loop);
    EACH_PART(s)
    {
        lun_snippet x = lun__value_name(s, 'v', var);
        if (!is_induction(s, var))
            lun__text_line(s, "%s = %s(%s, %s(s%" PRId32 "), %s);", x.s,
                           lun__vector_select(s->r, rep).s,
                           lun__mask_current(s, lun__vector_rep_bytes(rep)).s,
                           lun__vector_splat(s->r, rep).s, var, x.s);
        else if (bits)
            lun__text_line(s, "%s(&g%" PRId32 "[c%" PRId32 "].part[%d], %s);",
                           lun__bits_keep(s->r).s, var, var, s->part,
                           lun__value_name(s, 'k', loop).s);
        else
            lun__text_line(s, "%s += %s;", lun__value_name(s, 'q', var).s,
                           lun__mask_of(s, s->scope).s);
    }
    s->part = 0;
    if (is_induction(s, var) && bits)
        lun__text_line(s, "c%" PRId32 "++;", var);
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* Lanes stay active where value c is true (negated: is not), in mask registers; a comparison under
 * a mask is one instruction. */
static void narrow_mask(lun_section *s, int32_t c, int32_t loop, bool negated)
{
    lun_renderer *r = s->r;
    const lun_ir_ins *test = lun__renderer_ins(s->r, c);
    lun_snippet f = lun__text_name("%s", ""), k = lun__value_name(s, 'k', loop);
    if (test->kind == LUN_IR_OP && !lun__dtype_is_bool((lun_dtype)test->from))
        f = lun__bits_while(r, (lun_op)test->op, (lun_dtype)test->from, negated);
    if (*f.s) {
        lun_rep rep = {(lun_dtype)test->from, false};
        lun__text_line(s, "%s = %s(%s, %s, %s);", k.s, f.s, k.s,
                       lun__value_vector(s, test->a, rep).s, lun__value_vector(s, test->b, rep).s);
    } else {
        lun__text_line(s, "%s = %s(%s, %s);", k.s, lun__bits_while_mask(r, negated).s, k.s,
                       lun__value_vector(s, c, lun__value_mask_rep(r)).s);
    }
}

/* All lanes leave where c, which is uniform, holds (negated: does not). */
static void leave_uniform(lun_section *s, int32_t c, int32_t loop, bool negated)
{
    lun__text_line(s, "if (%s%s)", negated ? "!" : "", lun__value_single(s, c).s);
    s->depth++;
    lun__mask_jump(s, 'b', loop);
    s->depth--;
}

/* An exit where value c holds (negated: does not). A uniform part of the condition is a jump. */
void lun__strip_leave(lun_section *s, int32_t c, int32_t loop)
{
    const lun_renderer *r = s->r;
    bool negated = false;
    while (lun__renderer_ins(s->r, c)->kind == LUN_IR_OP &&
           lun__renderer_ins(s->r, c)->op == LUN_OP_LNOT) {
        negated = !negated;
        c = lun__renderer_ins(s->r, c)->a;
    }
    while (lun__renderer_varies(r, c) && lun__renderer_ins(s->r, c)->kind == LUN_IR_OP &&
           lun__renderer_ins(s->r, c)->op == (negated ? LUN_OP_LAND : LUN_OP_LOR)) {
        int32_t a = lun__renderer_ins(s->r, c)->a, b = lun__renderer_ins(s->r, c)->b,
                same = lun__renderer_varies(r, a) ? b : a;
        if (lun__renderer_varies(r, same) || (r->flags[same] & LUN_FACT_HOISTED))
            break;
        leave_uniform(s, same, loop, negated);
        c = same == a ? b : a;
    }
    if (!lun__renderer_varies(r, c)) {
        leave_uniform(s, c, loop, negated);
        return;
    }
    EACH_PART(s)
    {
        if (lun__mask_in_bits(s, loop))
            narrow_mask(s, c, loop, !negated);
        else
            lun__text_line(s, "%s &= %s%s;", lun__value_name(s, 'k', loop).s, negated ? "" : "~",
                           lun__value_vector(s, c, lun__value_mask_rep(r)).s);
    }
    s->part = 0;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Appends stores of the mask registers of all parts to n<i>. */
static void log_masks(lun_section *s, int32_t loop)
{
    EACH_PART(s)
    lun__text_line(s, "%s(&n%" PRId32 ".part[%d], %s);", lun__bits_keep(s->r).s, loop, s->part,
                   lun__value_name(s, 'k', loop).s);
    s->part = 0;
}

void lun__strip_declare(lun_section *s, int32_t loop)
{
    EACH_TEMPORAL(s, loop, var)
    declare_temporal(s, var, loop);
    if (lun__mask_in_bits(s, loop) && has_induction(s, loop)) {
        lun__text_line(s, "%s n%" PRId32 ";", lun__bits_set(s->r).s, loop);
        log_masks(s, loop);
        lun__text_line(s, "lun_u%d m%" PRId32 " = n%" PRId32 ".all;", s->r->parts * s->r->lanes,
                       loop, loop);
    }
    lun__text_line(s, "unsigned r%" PRId32 " = 0;", loop);
}

void lun__strip_open(lun_section *s, int32_t loop)
{
    int iterations = lun__exits_strip(s->r, loop);
    if (lun__mask_in_bits(s, loop))
        lun__text_line(s, "_Pragma(\"GCC unroll %d\")", iterations);
    lun__text_line(s, "for (int r = 0; r < %d; r++) {", iterations);
    s->depth++;
}

/* All induction variables have logged as many masks as a strip has iterations. */
static void count_strip(lun_section *s, int32_t loop)
{
    int iterations = lun__exits_strip(s->r, loop);
    log_masks(s, loop);
    lun__text_line(s, "if (__builtin_expect(n%" PRId32 ".all == m%" PRId32 ", 1)) {", loop, loop);
    s->depth++;
    EACH_TEMPORAL(s, loop, var)
    {
        if (!is_induction(s, var))
            continue;
        EACH_PART(s)
        lun__text_line(s, "%s = %s(%s, %s, %d);", lun__value_name(s, 'q', var).s,
                       lun__bits_count(s->r).s, lun__value_name(s, 'q', var).s,
                       lun__value_name(s, 'k', loop).s, iterations);
        s->part = 0;
        lun__text_line(s, "c%" PRId32 " = 0;", var);
    }
    s->depth--;
    lun__text_line(s, "} else {");
    s->depth++;
    lun__text_line(s, "m%" PRId32 " = n%" PRId32 ".all;", loop, loop);
    EACH_TEMPORAL(s, loop, var)
    {
        if (!is_induction(s, var))
            continue;
        count_logged(s, var, lun__text_name("%d", iterations));
        lun__text_line(s, "c%" PRId32 " = 0;", var);
    }
    lun__text_line(s, "if (!m%" PRId32 ") break;", loop);
    s->depth--;
    lun__text_line(s, "}");
}

void lun__strip_close(lun_section *s, int32_t loop)
{
    lun__mask_label(s, 'e', loop);
    s->depth--;
    lun__text_line(s, "}");
    if (!lun__mask_in_bits(s, loop)) {
        lun__mask_test(s, "if (!", 'k', loop, ") break;");
    } else if (has_induction(s, loop)) {
        count_strip(s, loop);
    } else {
        lun_strbuf any = LUN_STRBUF_INIT;
        EACH_PART(s)
        lun__strbuf_printf(&any, "%s%s", s->part ? " | " : "", lun__value_name(s, 'k', loop).s);
        s->part = 0;
        lun__text_line(s, "if (!(%s)) break;", lun__strbuf_text(&any));
        if (any.failed)
            s->out->failed = true;
        lun__strbuf_free(&any);
    }
    lun__text_line(s, "if (__builtin_expect(++r%" PRId32 " == 1u << 28, 0)) {", loop);
    s->depth++;
    lun__text_line(s, "r%" PRId32 " = 0;", loop);
    apply_all_counts(s, loop);
    s->depth--;
    lun__text_line(s, "}");
    lun__mask_poll(s);
}

void lun__strip_after(lun_section *s, int32_t loop)
{
    EACH_TEMPORAL(s, loop, var)
    {
        if (!is_induction(s, var))
            continue;
        if (lun__mask_in_bits(s, loop))
            count_logged(s, var, lun__text_name("c%" PRId32, var));
        apply_counts(s, var);
    }
}
