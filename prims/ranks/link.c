/* link.c - messages between rank 0, which has the script, and ranks that serve it; see lun_link in
 * backend.h.  Each has a number, so that none is lost unseen.  A wait of rank 0 that is stopped
 * tells the rank that it waits for to stop, and goes on: the answer says what became of it.  Knows
 * nothing of what they say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "ranks/state.h"

/* A message from a rank that has ended may still be on its way when its end is known: so often it
 * is looked for. */
enum { LAST_LOOKS = 2000 };

static lun_status has_ended(lun_engine *e, int rank)
{
    return lun__fail(e, LUN_EBACKEND, "rank %d has ended%s", rank, e->ranks->ended[rank]);
}

/* ---- sending --------------------------------------------------------------------------------- */

static lun_status send(void *ctx, int to, const void *bytes, int64_t count)
{
    lun_engine *e = ctx;
    lun_ranks_state *r = e->ranks;
    if (!r || r->ending)
        return lun__fail(e, LUN_EBACKEND, "the ranks have ended");
    if (r->given_up)
        return lun__is_over(e);
    if (r->ended[to])
        return has_ended(e, to);
    const int64_t number = ++r->sent[to];
    char *all = malloc(sizeof number + (size_t)count);
    if (!all)
        return lun__nomem(e);
    memcpy(all, &number, sizeof number);
    if (count)
        memcpy(all + sizeof number, bytes, (size_t)count);
    e->stats.messages++;
    lun_status s = lun__post(e, to, LUN_TAG_LINK, 0, all, count + (int64_t)sizeof number);
    free(all);
    return s;
}

/* ---- stopping -------------------------------------------------------------------------------- */

/* Tells a rank to end what it was asked for so far. */
static lun_status stop(lun_engine *e, int rank)
{
    const int64_t number = e->ranks->sent[rank];
    return lun__post(e, rank, LUN_TAG_CONTROL, LUN_SAYS_STOP, &number, sizeof number);
}

/* Called while a rank that serves computes. */
static void tick(void *ctx, const char *what, int64_t done, int64_t total)
{
    const double pace = 0.005;
    lun_engine *e = ctx;
    lun_ranks_state *r = e->ranks;
    const double now = lun__now();
    (void)what, (void)done, (void)total;
    if (!r || now - r->listened < pace)
        return;
    r->listened = now;
    if (lun__listen(e) != LUN_OK || r->ended[0])
        __atomic_store_n(&e->cancel, LUN_STOP_CANCEL, __ATOMIC_RELAXED);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* A message that is there, without its number. */
static lun_status take(lun_engine *e, lun_net_found found, void **bytes, int64_t *count)
{
    lun_ranks_state *r = e->ranks;
    int64_t number = 0;
    char *all = NULL;
    lun_status s = lun__receive(e, found, LUN_TAG_LINK, &all);
    if (s != LUN_OK)
        return s;
    const int64_t length = found.count - (int64_t)sizeof number;
    if (length >= 0)
        memcpy(&number, all, sizeof number);
    if (number != ++r->received[found.from]) {
        char text[96];
        free(all);
        snprintf(text, sizeof text, "a message from rank %d to rank %d was lost", found.from,
                 r->net->rank);
        return lun__give_up(e, text);
    }
    if (r->net->rank && found.from == 0 && number > r->stop)
        __atomic_store_n(&e->cancel, LUN_STOP_NONE, __ATOMIC_RELAXED);
    memmove(all, all + sizeof number, (size_t)length);
    *bytes = all;
    *count = length;
    return LUN_OK;
}

/* A turn of a rank that has nothing to do, until somebody wants something: no time limit holds. */
static lun_status idle(lun_engine *e, int64_t *turns)
{
    enum { AWAKE = 20000, SHORT = 20 * 1000, LONG = 1000 * 1000 };
    const struct timespec nap = {.tv_nsec = ++*turns < AWAKE ? SHORT : LONG};
    const int64_t spins = 200;
    if (e->ranks->given_up)
        return lun__is_over(e);
    if (*turns > spins && !e->ranks->ended[0])
        nanosleep(&nap, NULL);
    return lun__listen(e);
}

/* A turn of a wait for an answer. */
static lun_status turn(lun_engine *e, int from, lun_wait *w, bool *told)
{
    lun_ranks_state *r = e->ranks;
    lun_status s = lun__wait_on(e, w);
    if (s != LUN_OK || *told || r->net->rank || lun__stopped(e) == LUN_OK)
        return s;
    *told = true;
    return stop(e, from);
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
        lun_net_found found;
        if (r->given_up)
            return lun__is_over(e);
        if (!r->net->calls->probe(r->net, from, LUN_TAG_LINK, &found))
            return lun__net_failed(e);
        if (found.count >= 0)
            return take(e, found, bytes, count);
        if (r->ended[from] && ++looks > LAST_LOOKS)
            return serves ? LUN_OK : has_ended(e, from);
        lun_status s = serves ? idle(e, &turns) : turn(e, from, &w, &told);
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
    r->linked = true;
    r->link = (lun_link){.rank = r->net ? r->net->rank : 0,
                         .size = r->net ? r->net->size : 1,
                         .send = send,
                         .receive = receive,
                         .ctx = e};
    e->services.link = &r->link;
    if (r->link.rank) {
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

int lun_linked(const lun_engine *e)
{
    return e && e->ranks && e->ranks->linked ? e->ranks->link.size : 0;
}
