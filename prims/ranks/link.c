/* link.c - messages between rank 0, which has the script, and ranks that serve it; see lun_link in
 * backend.h.  Each has a number, so that none is lost unseen.  Those for many ranks go down a tree
 * (broadcast_tree.c).  A wait of rank 0 that is stopped
 * tells the ranks to stop, and goes on: the answer says what became of it.  Knows
 * nothing of what they say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

/* A message from a rank that has ended may still be on its way when its end is known, also by way
 * of another rank: so often it is looked for. */
enum { LAST_LOOKS = 2000 };

/* What a message begins with. */
typedef struct head {
    int64_t sent;  /* of the line */
    int64_t asked; /* from rank 0: its number; to it: up to there its messages have come */
} head;

static lun_status has_ended(lun_engine *e, int rank)
{
    return lun__fail(e, LUN_EBACKEND, "rank %d has ended%s", rank, e->ranks->ended[rank]);
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Whether something may be sent. */
static lun_status check(lun_engine *e)
{
    const lun_ranks_state *r = e->ranks;
    if (!r || r->ending)
        return lun__fail(e, LUN_EBACKEND, "the ranks have ended");
    return r->given_up ? lun__is_over(e) : LUN_OK;
}

static lun_status send(void *ctx, int to, const void *bytes, int64_t count)
{
    lun_engine *e = ctx;
    lun_ranks_state *r = e->ranks;
    lun_status s = check(e);
    if (s != LUN_OK)
        return s;
    if (lun__cut_off(r, to) >= 0)
        return has_ended(e, lun__cut_off(r, to));
    lun_line *line = &r->lines[to];
    const head h = {++line->sent, r->net->rank ? line->asked : ++line->asked};
    char *all = malloc(sizeof h + (size_t)count);
    if (!all)
        return lun__fail_nomem(e);
    memcpy(all, &h, sizeof h);
    if (count)
        memcpy(all + sizeof h, bytes, (size_t)count);
    e->stats.messages++;
    s = lun__post(e, to, LUN_TAG_LINK, 0, all, count + (int64_t)sizeof h);
    free(all);
    return s;
}

static int compare(const void *a, const void *b)
{
    return ((const lun_tree_part *)a)->to - ((const lun_tree_part *)b)->to;
}

static lun_status spread(void *ctx, const lun_link_part *parts, int count)
{
    lun_engine *e = ctx;
    lun_ranks_state *r = e->ranks;
    int given = 0, ended = -1;
    lun_status s = check(e);
    if (s != LUN_OK)
        return s;
    lun_tree_part *all = calloc((size_t)count + 1, sizeof *all);
    if (!all)
        return lun__fail_nomem(e);
    for (int i = 0; i < count; i++) {
        lun_line *line = &r->lines[parts[i].to];
        const int by = lun__cut_off(r, parts[i].to);
        if (by >= 0) {
            ended = by;
            continue;
        }
        line->by_tree = ++line->asked;
        all[given++] = (lun_tree_part){parts[i].to, line->asked, parts[i].count, parts[i].bytes};
    }
    qsort(all, (size_t)given, sizeof *all, compare); /* ranks of one machine follow each other */
    s = lun__tree_send(e, all, given);
    free(all);
    return s == LUN_OK && ended >= 0 ? has_ended(e, ended) : s;
}

/* ---- stopping -------------------------------------------------------------------------------- */

/* Tells all ranks to end what they were asked for so far: they may wait for each other. */
static lun_status stop(lun_engine *e)
{
    const lun_ranks_state *r = e->ranks;
    lun_status s = LUN_OK;
    for (int i = 1; s == LUN_OK && i < r->net->size; i++)
        if (!r->ended[i])
            s = lun__post(e, i, LUN_TAG_CONTROL, LUN_SAYS_STOP, &r->lines[i].asked,
                          sizeof r->lines[i].asked);
    return s;
}

/* Called while a rank that serves computes. */
static void tick(void *ctx, const char *what, int64_t done, int64_t total)
{
    const double pace = 0.005;
    lun_engine *e = ctx;
    lun_ranks_state *r = e->ranks;
    const double now = r ? lun__rank_now(r) : 0;
    (void)what, (void)done, (void)total;
    if (!r || now - r->listened < pace)
        return;
    r->listened = now;
    if (lun__listen(e) != LUN_OK || lun__tree_listen(e) != LUN_OK || r->ended[0])
        __atomic_store_n(&e->cancel, LUN_STOP_CANCEL, __ATOMIC_RELAXED);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* A message that is there, without its head: *bytes, or it is held. */
static lun_status take(lun_engine *e, lun_net_found found, void **bytes, int64_t *count)
{
    lun_ranks_state *r = e->ranks;
    lun_line *line = &r->lines[found.from];
    const bool held = r->net->rank && found.from == 0;
    head h = {0, 0};
    char *all = NULL;
    const double now = held ? lun__clock_aside(e) : 0;
    lun_status s = lun__receive(e, found, LUN_TAG_LINK, &all);
    const double at = r->net->clock.now;
    if (held)
        lun__clock_back(e, now);
    if (s != LUN_OK)
        return s;
    const int64_t length = found.count - (int64_t)sizeof h;
    if (length >= 0)
        memcpy(&h, all, sizeof h);
    if (h.sent != ++line->received) {
        char text[96];
        free(all);
        snprintf(text, sizeof text, "a message from rank %d to rank %d was lost", found.from,
                 r->net->rank);
        return lun__give_up(e, text);
    }
    memmove(all, all + sizeof h, (size_t)length);
    if (held)
        return lun__tree_hold(e, (lun_held){NULL, h.asked, length, at, all});
    line->known = h.asked;
    line->lost_by = line->known < line->by_tree ? line->lost_by : 0;
    *bytes = all;
    *count = length;
    return LUN_OK;
}

/* A turn of a rank that has nothing to do until somebody wants something: no time limit ends it. */
static lun_status idle(lun_engine *e, lun_wait *w, int64_t *turns)
{
    enum { AWAKE = 20000, SHORT = 20 * 1000, LONG = 1000 * 1000, WOKEN = 50 * 1000 * 1000 };
    lun_net *n = e->ranks->net;
    const int64_t spins = n->turns ? 0 : n->wakes ? 20 : 200;
    if (e->ranks->given_up)
        return lun__is_over(e);
    if (++*turns > spins && !e->ranks->ended[0])
        n->calls->rest(n, n->wakes ? WOKEN : *turns < AWAKE ? SHORT : LONG);
    lun_status s = lun__listen(e);
    return s == LUN_OK ? lun__wait_serving(e, w) : s;
}

/* A turn of a wait for an answer. */
static lun_status turn(lun_engine *e, lun_wait *w, bool *told)
{
    lun_ranks_state *r = e->ranks;
    lun_status s = lun__wait_on(e, w);
    if (s != LUN_OK || *told || r->net->rank || lun__watch_stopped(e) == LUN_OK)
        return s;
    *told = true;
    return stop(e);
}

/* Takes a message from that rank, if there is one; on a rank that serves, all of rank 0's, of which
 * the next one is handed over, so that others do not wait for what this one does meanwhile. */
static lun_status look(lun_engine *e, int from, void **bytes, int64_t *count)
{
    lun_ranks_state *r = e->ranks;
    const bool serves = r->net->rank && from == 0;
    lun_status s = serves ? lun__tree_listen(e) : LUN_OK;
    while (s == LUN_OK && !*bytes && !r->given_up) {
        lun_net_found found;
        if (!r->net->calls->probe(r->net, from, LUN_TAG_LINK, &found))
            return lun__net_failed(e);
        if (found.count < 0)
            break;
        s = take(e, found, bytes, count);
    }
    if (s == LUN_OK && serves)
        *bytes = lun__tree_next(e, count);
    return s;
}

static lun_status receive(void *ctx, int from, void **bytes, int64_t *count)
{
    lun_engine *e = ctx;
    lun_ranks_state *r = e->ranks;
    const bool serves = r && r->net && r->net->rank && from == 0;
    lun_wait w = lun__wait_new("what it was asked for", from);
    bool told = false;
    int64_t turns = 0;
    *bytes = NULL;
    *count = 0;
    if (!r || r->ending)
        return lun__fail(e, LUN_EBACKEND, "the ranks have ended");
    for (int looks = 0;;) {
        if (r->given_up)
            return lun__is_over(e);
        lun_status s = look(e, from, bytes, count);
        if (s != LUN_OK || *bytes)
            return s;
        const int by = lun__cut_off(r, r->net->rank && r->ended[0] ? 0 : from);
        if (by >= 0 && ++looks > LAST_LOOKS)
            return r->net->rank && by == 0 ? LUN_OK : has_ended(e, by);
        if (by >= 0)
            lun__wait_soon(&w);
        s = serves ? idle(e, &w, &turns) : turn(e, &w, &told);
        if (s != LUN_OK)
            return s;
    }
}

/* ---- beginning ------------------------------------------------------------------------------- */

lun_status lun__ranks_link(lun_engine *e)
{
    lun_status s = lun_spmd_start(e);
    if (s != LUN_OK)
        return s;
    lun_ranks_state *r = e->ranks;
    if (!r->lines)
        r->lines = calloc(r->net ? (size_t)r->net->size : 1, sizeof *r->lines);
    if (!r->lines)
        return lun__fail_nomem(e);
    r->linked = true;
    r->link = (lun_link){.rank = r->net ? r->net->rank : 0,
                         .size = r->net ? r->net->size : 1,
                         .send = send,
                         .spread = spread,
                         .receive = receive,
                         .ctx = e};
    e->services.link = &r->link;
    if (r->link.rank && !(r->net && r->net->turns)) {
        e->services.tick = tick;
        e->services.tick_ctx = e;
    }
    return LUN_OK;
}

bool lun_names_ranks(const char *places)
{
    for (const char *at = places; at && *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " ");
        const size_t length = strcspn(at, ":, ");
        if (length == strlen("mpi") && !strncmp(at, "mpi", length))
            return true;
    }
    return false;
}

const char *lun_ranks_transport(const lun_engine *e)
{
    LUN_NEED_OR(e, "");
    return e->ranks && e->ranks->net ? e->ranks->net->name : "";
}

int lun_linked(const lun_engine *e)
{
    LUN_NEED_OR(e, 0);
    return e->ranks && e->ranks->linked ? e->ranks->link.size : 0;
}
