/* barrier.c - cuts a body at its barriers by edits of its tokens; see barrier.h.  Variables are
 * private_variables.c's.
 */
#include "ctext/barrier.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "base/grow.h"
#include "ctext/cuts.h"
#include "ctext/token/parse_statement.h"

enum { DEPTH = 100, OWN_BYTES = 1 << 18 };

/* Statements of a block that run one after the other without a barrier. */
typedef struct segment {
    int first, last; /* tokens; first -1: none is open */
} segment;

/* What cuts within: returns that stand before token `trailing` do. */
typedef struct around {
    int depth, trailing;
} around;

/* Tokens first .. last run in a segment of their own. */
static void mark(lun_ccuts *c, int first, int last)
{
    c->segments++;
    for (int i = first; i <= last; i++)
        c->segment[i] = c->segments;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* Threads that return behind the last barrier end their round of the loop. */
static bool leave_early(lun_ccuts *c, const segment *g)
{
    bool any = false;
    for (int i = g->first; i <= g->last; i++) {
        if (!lun__ctoken_word(c->t, i, "return"))
            continue;
        any = true;
        lun__ccut_add(c, i, LUN_CCUT_INSTEAD, "goto lun_end", false);
    }
    return any;
}

static void close_segment(lun_ccuts *c, segment *g)
{
    if (g->first < 0)
        return;
    bool early = leave_early(c, g);
    lun__ccut_add(c, g->first, LUN_CCUT_BEFORE, "LUN_TEAM_EACH { ", true);
    lun__ccut_add(c, g->last, LUN_CCUT_AFTER, early ? " lun_end:; }" : " }", false);
    g->first = -1;
}

static void extend(lun_ccuts *c, segment *g, const lun_cstatement *s, int until)
{
    if (g->first < 0) {
        c->segments++;
        g->first = s->first;
    }
    g->last = s->last;
    for (int i = s->first; i <= s->last; i++)
        c->segment[i] = c->segments;
    if (s->kind == LUN_CSTATEMENT_PLAIN && lun__cown_declares(c, s->first))
        lun__cown_note(c, s->first, s->last, until, g->first);
}

/* ---- what runs once for the team ------------------------------------------------------------- */

static void block(lun_ccuts *c, int first, int past, around a);

/* Tokens from .. to - 1, each thread's, which all have to find alike; loop: it asks, too. */
static void vote(lun_ccuts *c, const lun_cstatement *s, int open, int close, bool loop)
{
    lun_strbuf end = LUN_STRBUF_INIT;
    if (close == open + 1) {
        lun__ccut_add(c, close, LUN_CCUT_BEFORE, loop ? "1 LUN_TEAM_ASK" : "", false);
        return;
    }
    mark(c, open + 1, close - 1);
    lun__strbuf_printf(&end, "); if (lun_n && lun_n != LUN_TEAM_ALL) return %d; lun_n != 0; })%s",
                       lun__csource_line(&c->m->source, c->t->at[s->first].start),
                       loop ? " LUN_TEAM_ASK" : "");
    lun__ccut_add(c, open, LUN_CCUT_AFTER,
                  "__extension__({ int lun_n = 0; LUN_TEAM_EACH lun_n += 0 != (", false);
    lun__ccut_add(c, close, LUN_CCUT_BEFORE, lun__strbuf_text(&end), false);
    if (end.failed)
        c->status = LUN_ENOMEM;
    lun__strbuf_free(&end);
}

/* Tokens between two others, which each thread does. */
static void each(lun_ccuts *c, int open, int close)
{
    if (close == open + 1)
        return;
    mark(c, open + 1, close - 1);
    lun__ccut_add(c, open, LUN_CCUT_AFTER, "__extension__({ LUN_TEAM_EACH { ", false);
    lun__ccut_add(c, close, LUN_CCUT_BEFORE, "; } })", false);
}

static void brace(lun_ccuts *c, const lun_cstatement *s)
{
    if (!lun__grow(&c->braced, c->braces, &c->brace_room, sizeof *c->braced)) {
        c->status = LUN_ENOMEM;
        return;
    }
    c->braced[c->braces][0] = s->first;
    c->braced[c->braces++][1] = s->last;
}

/* The statement inside another one, at token i. */
static void inside(lun_ccuts *c, int i, int past, around a)
{
    lun_cstatement s;
    if (i < 0)
        return;
    a.depth++;
    a.trailing = INT_MAX;
    if (!lun__cstatement_read(&s, c->t, i, past)) {
        lun__ccut_wrong(c, i, "a statement that cannot be told");
    } else if (s.kind == LUN_CSTATEMENT_BLOCK) {
        block(c, s.first + 1, s.last, a);
    } else {
        block(c, s.first, s.last + 1, a);
        brace(c, &s);
    }
}

static int next_semicolon(const lun_ccuts *c, int i, int past)
{
    for (; i < past && !lun__ctoken_is(c->t, i, ';'); i++)
        if (lun__ctoken_is(c->t, i, '(') || lun__ctoken_is(c->t, i, '['))
            i = lun__cstatement_closing(c->t, i, past);
    return i;
}

static void cut_for(lun_ccuts *c, const lun_cstatement *s, around a)
{
    const int first = next_semicolon(c, s->open + 1, s->close);
    const int second = next_semicolon(c, first + 1, s->close);
    each(c, s->open, first);
    if (lun__cown_declares(c, s->open + 1))
        lun__cown_note(c, s->open + 1, first, s->last, s->first);
    vote(c, s, first, second, true);
    each(c, second, s->close);
    inside(c, s->body, s->last + 1, a);
}

static void cut_plain(lun_ccuts *c, const lun_cstatement *s)
{
    const lun_ctokens *t = c->t;
    const bool barrier = lun__ctoken_word(t, s->first, "LUN_BARRIER");
    const bool called =
        barrier && lun__ctoken_is(t, s->first + 1, '(') && lun__ctoken_is(t, s->first + 2, ')');
    if (barrier && s->last != s->first + (called ? 3 : 1))
        lun__ccut_wrong(c, s->first, "LUN_BARRIER; is a statement of its own");
    if (!barrier && s->last != s->first + 1)
        lun__ccut_wrong(c, s->first, "a function without a result returns a value");
    for (int i = s->first; barrier && i < s->last; i++)
        lun__ccut_add(c, i, LUN_CCUT_INSTEAD, "", false);
    if (lun__ctoken_word(t, s->first, "return"))
        lun__ccut_add(c, s->first, LUN_CCUT_AFTER, " 0", false);
}

/* A statement in which threads meet, or that all of them leave. */
static void cut(lun_ccuts *c, const lun_cstatement *s, around a)
{
    switch (s->kind) {
    case LUN_CSTATEMENT_PLAIN:
        cut_plain(c, s);
        return;
    case LUN_CSTATEMENT_BLOCK:
        inside(c, s->first, s->last + 1, a);
        return;
    case LUN_CSTATEMENT_IF:
        vote(c, s, s->open, s->close, false);
        inside(c, s->body, s->last + 1, a);
        inside(c, s->other, s->last + 1, a);
        return;
    case LUN_CSTATEMENT_FOR:
        cut_for(c, s, a);
        break;
    case LUN_CSTATEMENT_WHILE:
    case LUN_CSTATEMENT_DO:
        vote(c, s, s->open, s->close, true);
        inside(c, s->body, s->last + 1, a);
        break;
    default:
        lun__ccut_wrong(c, s->first,
                        "a switch or a label around a LUN_BARRIER, or around a return before one: "
                        "write it with if");
        return;
    }
    brace(c, s); /* the arrays of what its head declares stand before it */
    if (c->status == LUN_OK)
        c->m->edits.at[s->open - 1].asks = true;
}

static void block(lun_ccuts *c, int first, int past, around a)
{
    segment g = {-1, -1};
    lun_cstatement s;
    if (a.depth > DEPTH)
        lun__ccut_wrong(c, first, "blocks within blocks around a LUN_BARRIER: more than 100");
    for (int i = first; c->status == LUN_OK && i < past; i = s.last + 1) {
        if (!lun__cstatement_read(&s, c->t, i, past)) {
            lun__ccut_wrong(c, i, "a statement that cannot be told");
            return;
        }
        const unsigned cuts =
            LUN_CHOLDS_BARRIER | LUN_CHOLDS_LEAVE | (s.first < a.trailing ? LUN_CHOLDS_RETURN : 0);
        if (s.holds & LUN_CHOLDS_GOTO)
            lun__ccut_wrong(c, s.first,
                            "goto or a label in a function with LUN_BARRIER: write a loop");
        if (s.kind == LUN_CSTATEMENT_LINE && (s.holds & LUN_CHOLDS_BRANCH))
            lun__ccut_wrong(c, s.first,
                            "#if among the statements around a LUN_BARRIER: choose between whole "
                            "functions, or within a statement");
        if (s.kind == LUN_CSTATEMENT_LINE || lun__ctoken_word(c->t, i, "LUN_SCRATCH"))
            continue;
        if (!(s.holds & cuts)) {
            extend(c, &g, &s, past);
            continue;
        }
        close_segment(c, &g);
        cut(c, &s, a);
    }
    close_segment(c, &g);
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool lun__cmeet_has(const lun_csource *s, const lun_cunit *entry)
{
    for (int i = entry->body; i < entry->end; i++)
        if (lun__ctoken_word(&s->tokens, i, "LUN_BARRIER"))
            return true;
    return false;
}

/* The token behind the last statement of the body in which threads meet. */
static int behind_last(lun_ccuts *c, const lun_cunit *u)
{
    lun_cstatement s;
    int behind = u->body + 1;
    for (int i = u->body + 1; i < u->end; i = s.last + 1) {
        if (!lun__cstatement_read(&s, c->t, i, u->end)) {
            lun__ccut_wrong(c, i, "a statement that cannot be told");
            break;
        }
        if (s.holds & LUN_CHOLDS_BARRIER)
            behind = s.last + 1;
    }
    return behind;
}

/* Barriers that are no statement among those that were cut. */
static void check_barriers(lun_ccuts *c, const lun_cunit *u)
{
    for (int i = u->body; i < u->end; i++)
        if (lun__ctoken_word(c->t, i, "LUN_BARRIER") && !c->m->edits.at[i].instead)
            lun__ccut_wrong(c, i, "LUN_BARRIER; is a statement of its own");
}

lun_status lun__cmeet_find(lun_cmaker *m)
{
    const lun_cunit *u = &m->units.at[m->entry];
    lun_ccuts c = {.m = m, .t = &m->source.tokens};
    c.status = lun__cmacros_read(&c.macros, c.t);
    c.segment = calloc((size_t)c.t->count + 1, sizeof *c.segment);
    if (!c.segment || !lun__cedits_of(&m->edits, u->body))
        c.status = LUN_ENOMEM;
    if (c.status == LUN_OK)
        block(&c, u->body + 1, u->end, (around){0, behind_last(&c, u)});
    if (c.status == LUN_OK)
        check_barriers(&c, u);
    if (c.status == LUN_OK)
        lun__cown_edit(&c);
    for (int k = 0; k < c.braces; k++) {
        lun__ccut_add(&c, c.braced[k][0], LUN_CCUT_BEFORE, "{ ", true);
        lun__ccut_add(&c, c.braced[k][1], LUN_CCUT_AFTER, " }", false);
    }
    m->meets = true;
    m->asks = true;
    lun__cmacros_free(&c.macros);
    free(c.segment);
    free(c.variable);
    free(c.braced);
    return c.status;
}

void lun__cmeet_macros(const lun_cmaker *m, bool before, lun_strbuf *out)
{
    if (!before) {
        lun__strbuf_puts(out, "#undef LUN_TEAM_ALL\n#undef LUN_TEAM_EACH\n#undef LUN_TEAM_ASK\n"
                              "#undef LUN_TEAM_OWN\n");
        return;
    }
    lun__strbuf_printf(out,
                       "#define LUN_TEAM_ALL %" PRId64 "\n#define LUN_TEAM_EACH \\\n"
                       "    for (int64_t lun_thread = 0; lun_thread < LUN_TEAM_ALL; lun_thread++)\n"
                       "#define LUN_TEAM_ASK LUN_ASK%s(return 0)\n"
                       "#define LUN_TEAM_OWN(k, before) \\\n"
                       "    typedef char lun_held##k[(before) + sizeof lun_own##k], \\\n"
                       "    lun_variables_of_a_team_that_outlive_a_barrier_take_too_much_memory_##k"
                       " \\\n    [(before) + sizeof lun_own##k <= %d ? 1 : -1]\n",
                       lun__cdivision_all(m->division->threads), m->checks.count ? "_CHECKED" : "",
                       OWN_BYTES);
}
