/* lane_barrier.c - threads of a team at barriers; see lane_barrier.h.
 *
 * A thread must not end while others wait for it.  One that fails goes to the next point to which
 * all threads come together: a barrier, or where control flow that all have in common hangs on what
 * it has not computed.  There the threads vote, and all end if one has failed.  Two cells are used
 * in turn: a thread writes one again only when all have read it, by the barrier of the other. */
#include "render/body/lanes/lane_barrier.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ir/segments.h"
#include "render/body/lanes/mask.h"
#include "render/body/lanes/value_text.h"
#include "render/text/element_text.h"
#include "render/text/text.h"

struct lun_lane_barriers {
    lun_ir_segments cut;
    int32_t
        *next; /* by instruction: the point, an instruction, that comes after it; count: the end */
};

/* ---- where threads vote ---------------------------------------------------------------------- */

static int flow_of(const lun_renderer *r, int32_t i)
{
    return lun__ir_row(r->ir->ins[i].kind)->flow;
}

/* Whether all threads come together before i, and what follows hangs on it. */
static bool is_point(const lun_renderer *r, int32_t i)
{
    const lun_ir_segments *c = &r->barriers->cut;
    const int flow = flow_of(r, i);
    if (!lun__ir_segments_is_outer(c, i) || c->agreement.loose[i])
        return false;
    if (flow == LUN_FLOW_LEAVE)
        return c->split[c->blocks.target[i]];
    if (flow == LUN_FLOW_CLOSE) /* of a round */
        return c->split[c->blocks.target[i]] && r->ir->ins[c->blocks.target[i]].kind == LUN_IR_LOOP;
    return r->ir->ins[i].kind == LUN_IR_BARRIER || c->split[i];
}

/* From the last instruction back: the first part of an IF goes on behind its end. */
static void find_next(lun_renderer *r)
{
    const lun_ir_structure *blocks = &r->barriers->cut.blocks;
    int32_t *next = r->barriers->next, now = r->ir->count;
    for (int32_t i = r->ir->count - 1; i >= 0; i--) {
        if (flow_of(r, i) == LUN_FLOW_OTHER)
            now = next[blocks->end[blocks->target[i]]];
        next[i] = now;
        if (is_point(r, i))
            now = i;
    }
}

lun_status lun__lane_barrier_find(lun_renderer *r)
{
    struct lun_lane_barriers *m = calloc(1, sizeof *m);
    lun_status s = m ? lun__ir_segments_find(r->ir, &m->cut) : LUN_ENOMEM;
    if (s == LUN_OK) {
        m->next = malloc(((size_t)r->ir->count + 1) * sizeof *m->next);
        s = m->next ? LUN_OK : LUN_ENOMEM;
        r->barriers = m;
    } else {
        free(m);
    }
    if (s == LUN_OK)
        find_next(r);
    return s;
}

void lun__lane_barrier_forget(lun_renderer *r)
{
    if (!r->barriers)
        return;
    lun__ir_segments_free(&r->barriers->cut);
    free(r->barriers->next);
    free(r->barriers);
    r->barriers = NULL;
}

/* ---- memory ---------------------------------------------------------------------------------- */

lun_snippet lun__lane_barrier_count(const lun_ir_slot *slot, const char *frame)
{
    return slot->shared > 0
               ? lun__text_name("%" PRId64, slot->shared)
               : lun__text_name("(lun_i64)%sargs[%" PRId64 "]", frame, -1 - slot->shared);
}

void lun__lane_barrier_declare(lun_renderer *r, lun_strbuf *out)
{
    for (int k = 0; k < r->ir->slot_count; k++) {
        const lun_ir_slot *slot = &r->ir->slots[k];
        if (!lun__value_is_local(r, k))
            continue;
        lun__strbuf_printf(out, "    const lun_i64 o%d = (f->team - (lun_i64)f->args[%d])", k,
                           LUN_FRONT_BASE);
        if (slot->shared) {
            lun__strbuf_printf(out, " * %s;\n", lun__lane_barrier_count(slot, "f->").s);
            continue;
        }
        lun__strbuf_printf(out, " * %" PRId64 " + f->thread * %" PRId64 ";\n",
                           slot->own * r->ir->threads, slot->own);
        lun__strbuf_printf(out, "    %s m%d[%" PRId64 "] = {0};\n",
                           lun__element_type((lun_dtype)slot->dtype).s, k, slot->own);
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The name of the function by which threads vote. */
static lun_snippet vote(lun_renderer *r)
{
    lun_snippet name = lun__text_name("lun_vote");
    if (lun__text_once(r, name.s))
        lun__text_put(r, &r->helpers,
                      "/* Whether one of the team has failed, or is told to stop. */\n"
                      "INLINE int lun_vote(struct frame *f, const int stop)\n{\n"
                      "    @local int *const cell = f->votes + f->turn;\n"
                      "    f->turn ^= 1;\n    if (stop || f->left || f->trap >= 0) *cell = 1;\n"
                      "    @team_barrier;\n    return *cell;\n}\n");
    return name;
}

static bool may_end(const lun_renderer *r)
{
    for (int32_t i = 0; i < r->ir->count; i++)
        if (lun__ir_may_fail(r->ir, &r->ir->ins[i]))
            return true;
    return r->stops;
}

static void vote_at(lun_section *s, int32_t v)
{
    lun__mask_label(s, 't', v);
    lun__text_line(s, "if (%s(f, 0)) return;", vote(s->r).s);
}

void lun__lane_barrier_before(lun_section *s, int32_t v)
{
    if (s->r->barriers && flow_of(s->r, v) != LUN_FLOW_CLOSE &&
        s->r->ir->ins[v].kind != LUN_IR_BARRIER && lun__mask_jumped(s, 't', v))
        vote_at(s, v);
}

void lun__lane_barrier_round(lun_section *s, int32_t p)
{
    const int32_t end = s->r->blocks.end[p];
    if (s->r->barriers && lun__mask_jumped(s, 't', end))
        vote_at(s, end);
}

void lun__lane_barrier_end(lun_section *s)
{
    if (s->r->barriers)
        lun__mask_label(s, 't', s->r->ir->count);
}

void lun__lane_barrier_write(lun_section *s, int32_t v)
{
    if (may_end(s->r)) {
        vote_at(s, v);
        return;
    }
    lun_strbuf line = LUN_STRBUF_INIT;
    lun__text_put(s->r, &line, "@team_barrier;");
    lun__text_line(s, "%s", lun__strbuf_text(&line));
    lun__strbuf_free(&line);
}

void lun__lane_barrier_leave(lun_section *s, int32_t v)
{
    lun__mask_jump(s, 't', s->r->barriers->next[v]);
}

void lun__lane_barrier_poll(lun_section *s)
{
    const int32_t loop = s->scope;
    if (s->r->barriers->cut.split[loop]) {
        lun__text_line(s, "if (%s(f, %s)) return;", vote(s->r).s, s->r->dialect->stopped);
        return;
    }
    lun__text_line(s, "if (%s) {", s->r->dialect->stopped);
    s->depth++;
    lun__text_line(s, "f->left = 1;");
    lun__lane_barrier_leave(s, loop);
    s->depth--;
    lun__text_line(s, "}");
}
