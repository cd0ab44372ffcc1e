/* lane_exit.c - lanes that leave constructs; see mask.h.
 *
 * A variable with temporal divergence (TEMPORAL) is a single element inside its LOOP; lanes that
 * leave the loop save its value to the vector that is the variable behind the loop. */
#include "render/body/lanes/mask.h"

#include <inttypes.h>

#include "render/body/lanes/value_text.h"
#include "render/text/text.h"
#include "render/vector/cast.h"

/* The lanes `leaving` (a kind of name, of instruction v) of one part save the variables whose
 * temporal divergence is due to LOOP p. Lanes that leave a STRIPPED loop have saved them, or their
 * iterations, already. */
static void save_live_out(lun_section *s, int32_t p, char leaving, int32_t v)
{
    const lun_renderer *r = s->r;
    lun_rep full = lun__value_mask_rep(r);
    for (int32_t var = r->first_var[p]; !lun__mask_stripped(s, p) && var < p; var++) {
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

/* Takes the lanes h<v> of one part out of the masks from here up to the target of v. */
static void take_out(lun_section *s, int32_t v)
{
    int32_t to = s->r->origin[v];
    bool again = lun__renderer_ins(s->r, v)->kind == LUN_IR_CONTINUE;
    lun_snippet h = lun__value_name(s, 'h', v);
    for (int32_t p = s->scope;; p = s->r->parent[p]) {
        bool stays = again && p == to;
        if (lun__renderer_varies(s->r, p)) {
            lun__text_line(s, "%s &= ~%s;", lun__value_name(s, 'k', p).s, h.s);
            if (lun__mask_has_live(s, p) && !stays)
                lun__text_line(s, "%s &= ~%s;", lun__value_name(s, 'l', p).s, h.s);
            if (!stays)
                save_live_out(s, p, 'h', v);
        }
        if (p == to)
            break;
    }
}

void lun__lane_exit_all(lun_section *s, int32_t v)
{
    int32_t to = s->r->origin[v];
    s->nonempty = -1;
    if (!lun__renderer_varies(s->r, to)) { /* uniform: all lanes inside */
        lun__mask_jump(s, lun__renderer_ins(s->r, v)->kind == LUN_IR_CONTINUE ? 'e' : 'b', to);
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

void lun__lane_exit_skip(lun_section *s)
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

bool lun__lane_exit_if(lun_section *s, int32_t v)
{
    const lun_renderer *r = s->r;
    if (v + 2 >= r->ir->count || r->origin[v + 2] != v ||
        lun__renderer_ins(s->r, v + 2)->kind != LUN_IR_END)
        return false;
    int kind = lun__renderer_ins(s->r, v + 1)->kind;
    if ((kind != LUN_IR_BREAK && kind != LUN_IR_CONTINUE) || !(r->flags[v + 1] & s->need))
        return false;
    int32_t to = r->origin[v + 1];
    if (lun__mask_stripped(s, to)) {
        lun__strip_leave(s, lun__renderer_ins(s->r, v)->a, to);
        s->done = v + 2;
        return true;
    }
    if (!lun__renderer_varies(s->r, v))
        return false;
    bool simple = s->scope == to && !lun__mask_has_live(s, to) && !saves_any(s, to);
    EACH_PART(s)
    {
        lun_snippet c = lun__value_vector(s, lun__renderer_ins(s->r, v)->a, lun__value_mask_rep(r)),
                    k = lun__mask_of(s, s->scope);
        if (simple)
            lun__text_line(s, "%s &= ~%s;", k.s, c.s);
        else
            lun__text_line(s, "const %s %s = %s & %s;", lun__mask_type(s).s,
                           lun__value_name(s, 'h', v + 1).s, k.s, c.s);
    }
    s->part = 0;
    if (simple) {
        lun__lane_exit_skip(s);
    } else {
        lun__mask_test(s, "if (", 'h', v + 1, ") {");
        s->depth++;
        EACH_PART(s)
        take_out(s, v + 1);
        s->part = 0;
        lun__lane_exit_skip(s);
        s->depth--;
        lun__text_line(s, "}");
    }
    s->done = v + 2;
    return true;
}
