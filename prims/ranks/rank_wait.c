/* rank_wait.c - waiting for other ranks: never blocked, always listening. A wait that lasts asks
 * who is there; when the time limit for ranks is over, the ranks give up together, for one reason
 * that the first of those present decides. */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

/* Turns that only look again; then turns that let others run first, of all ranks of a process so
 * many together. */
enum { SPINS = 20, YIELDS = 200, ALL_YIELDS = 800 };
/* Nanoseconds: then naps; or, on a transport that wakes a rank that rests, rests that grow: a
 * cancellation wakes nobody. */
enum { NAP = 20 * 1000, REST = 1000 * 1000, LONGEST = 50 * 1000 * 1000 };
/* Looks at the clock in one of so many turns of the short ones. */
enum { CLOCK = 16 };

lun_wait lun__wait_new(const char *noun, int from)
{
    return (lun_wait){.noun = noun, .from = from, .rest = REST};
}

void lun__wait_soon(lun_wait *w)
{
    w->rest = NAP;
}

/* The ranks that have not answered: "rank 2", "ranks 1, 3", the first of many; their number. */
static int add_missing(const lun_ranks_state *r, const lun_wait *w, lun_strbuf *out)
{
    enum { NAMED = 16 };
    lun_strbuf list = LUN_STRBUF_INIT;
    int count = 0;
    for (int i = 0; i < r->net->size; i++) {
        if (i == r->net->rank || r->here[i] || (w->from != LUN_NET_ANY && w->from != i))
            continue;
        if (count < NAMED)
            lun__strbuf_printf(&list, "%s%d", count ? ", " : "", i);
        count++;
    }
    if (count > NAMED)
        lun__strbuf_printf(&list, " and %d others", count - NAMED);
    lun__strbuf_printf(out, "rank%s %s", count == 1 ? "" : "s", lun__strbuf_text(&list));
    lun__strbuf_free(&list);
    return count;
}

/* "no word from rank 2 for 90 s in a sum (a.lua:12)" */
static void say_missing(lun_engine *e, const lun_wait *w, double seconds, lun_strbuf *out)
{
    lun_ranks_state *r = e->ranks;
    lun_strbuf missing = LUN_STRBUF_INIT;
    if (add_missing(r, w, &missing))
        lun__strbuf_printf(out, "no word from %s for %g s in %s", lun__strbuf_text(&missing),
                           seconds, w->noun);
    else
        lun__strbuf_printf(out, "no message for %g s in %s, though all ranks are there", seconds,
                           w->noun);
    lun__add_source_line(e, out);
    lun__strbuf_free(&missing);
}

static lun_status ask(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    for (int i = 0; i < r->net->size; i++) {
        r->here[i] = false;
        lun_status s =
            i == r->net->rank ? LUN_OK : lun__post(e, i, LUN_TAG_CONTROL, LUN_SAYS_ASK, NULL, 0);
        if (s != LUN_OK)
            return s;
    }
    return LUN_OK;
}

/* The time for ranks is over: the first rank that is there decides, so that all say the same. */
static lun_status too_late(lun_engine *e, lun_wait *w, double now)
{
    lun_ranks_state *r = e->ranks;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun_status s = LUN_OK;
    int first = r->net->rank;
    for (int i = r->net->rank - 1; i >= 0; i--)
        if (r->here[i])
            first = i;
    bool alone = first == r->net->rank || (w->proposed > 0 && now > w->proposed + r->timeout);
    if (!alone && w->proposed > 0)
        return LUN_OK;
    say_missing(e, w, r->timeout, &text);
    if (alone) {
        s = lun__give_up(e, lun__strbuf_text(&text));
    } else {
        s = lun__post(e, first, LUN_TAG_CONTROL, LUN_SAYS_PROPOSE, text.text, (int64_t)text.length);
        w->proposed = now;
    }
    lun__strbuf_free(&text);
    return s;
}

/* What the clock says to a wait that lasts. */
static lun_status look_at_clock(lun_engine *e, lun_wait *w)
{
    lun_ranks_state *r = e->ranks;
    double now = lun__rank_now(r);
    if (w->began <= 0) {
        w->began = now;
        return LUN_OK;
    }
    double end = r->timeout > 0 ? r->timeout : HUGE_VAL, waited = now - w->began;
    if (w->asked <= 0 && waited > fmin(r->log_after, end) / 2) {
        w->asked = now;
        lun_status s = ask(e);
        if (s != LUN_OK)
            return s;
    }
    if (!w->logged && waited > r->log_after && lun__log_is_read(&e->logger, LUN_LOG_WARN)) {
        lun_strbuf text = LUN_STRBUF_INIT;
        w->logged = true;
        say_missing(e, w, r->log_after, &text);
        lun__strbuf_puts(&text, "; waiting on");
        lun__log(&e->logger, LUN_LOG_WARN, "rank", lun__strbuf_text(&text));
        lun__strbuf_free(&text);
    }
    return waited > end ? too_late(e, w, now) : LUN_OK;
}

lun_status lun__wait_serving(lun_engine *e, lun_wait *w)
{
    lun_ranks_state *r = e->ranks;
    const double now = lun__rank_now(r);
    if (!(r->timeout > 0) || w->logged || !lun__log_is_read(&e->logger, LUN_LOG_WARN))
        return LUN_OK;
    if (w->began <= 0 || (now > w->began + r->timeout && r->here[0])) {
        w->began = now;
        w->asked = 0;
    } else if (w->asked <= 0 && now > w->began + r->timeout / 2) {
        w->asked = now;
        r->here[0] = false;
        return lun__post(e, 0, LUN_TAG_CONTROL, LUN_SAYS_ASK, NULL, 0);
    } else if (now > w->began + r->timeout) {
        char text[128];
        w->logged = true;
        snprintf(text, sizeof text,
                 "no word from rank 0 for %g s, which rank %d serves; waiting on", r->timeout,
                 r->net->rank);
        lun__log(&e->logger, LUN_LOG_WARN, "rank", text);
    }
    return LUN_OK;
}

static void pause_for(lun_net *n, lun_wait *w)
{
    const int share = n->wakes ? ALL_YIELDS / n->size : YIELDS;
    if (w->turns < SPINS && !n->turns)
        return;
    if (!n->turns &&
        ((w->moves && !n->wakes) || w->turns < SPINS + (share < YIELDS ? share : YIELDS))) {
        sched_yield();
        return;
    }
    n->calls->rest(n, n->wakes ? w->rest : NAP);
    w->rest = w->rest * 2 < LONGEST ? w->rest * 2 : LONGEST;
}

lun_status lun__wait_on(lun_engine *e, lun_wait *w)
{
    if (e->ranks->given_up)
        return lun__is_over(e);
    lun_status s = lun__listen(e);
    if (s == LUN_OK && (w->turns % CLOCK == 0 || (w->rest > REST && e->ranks->net->wakes)))
        s = look_at_clock(e, w);
    if (s == LUN_OK)
        pause_for(e->ranks->net, w);
    if (++w->turns == SPINS + YIELDS + CLOCK)
        w->turns -= CLOCK;
    return s;
}

lun_status lun__wait_poll(lun_engine *e, lun_wait *w)
{
    lun_status s = lun__wait_on(e, w);
    if (s == LUN_OK && !(e->ranks->linked && e->ranks->ending)) /* those that serve end at once */
        s = lun__watch_stopped(e);
    if (s == LUN_ECANCEL || s == LUN_ELIMIT) {
        lun_strbuf text = LUN_STRBUF_INIT;
        lun__strbuf_printf(&text, "rank %d was stopped in %s: %s", e->ranks->net->rank, w->noun,
                           lun__fail_error_text(e));
        (void)lun__give_up(e, lun__strbuf_text(&text));
        lun__strbuf_free(&text);
        return lun__watch_stopped(e);
    }
    return s;
}

void lun__wait_event(lun_engine *e, bool begins, const char *name, const char *label, int64_t bytes)
{
    lun_tool_event ev = {.kind = LUN_TOOL_MESSAGE, .name = name, .label = label, .bytes = bytes};
    ev.where = lun__source_mark_text(e, e->source_line);
    lun__tools_call(e->tools, begins, &ev);
}

static lun_status wait_request(lun_engine *e, lun_net_request **request, lun_wait *w)
{
    lun_ranks_state *r = e->ranks;
    while (true) {
        if (r->given_up)
            return lun__is_over(e);
        if (!r->net->calls->test(r->net, request))
            return lun__net_failed(e);
        if (!*request) {
            lun__count_network(e);
            return LUN_OK;
        }
        lun_status s = lun__wait_poll(e, w);
        if (s != LUN_OK)
            return s;
    }
}

lun_status lun__wait_for(lun_engine *e, lun_net_request **request, lun_wait *w)
{
    lun__wait_event(e, true, "wait", w->noun, 0);
    const lun_status s = wait_request(e, request, w);
    lun__wait_event(e, false, "wait", w->noun, 0);
    return s;
}
