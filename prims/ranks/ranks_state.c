/* ranks_state.c - what all files of the room need: whether the ranks still hold together, which
 * rank this is, messages that are kept until they have gone. Waits for nothing. */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

lun_status lun__net_failed(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    if (!r->given_up) {
        r->given_up = true;
        lun__strbuf_clear(&r->over);
        lun__strbuf_printf(&r->over, "rank %d lost the others: %s", r->net->rank, r->net->error);
        r->lingers = r->net->calls->abandon(r->net);
    }
    return lun__is_over(e);
}

lun_status lun__is_over(lun_engine *e)
{
    return lun__fail(e, LUN_EBACKEND, "%s", lun__strbuf_text(&e->ranks->over));
}

bool lun_spmd_lingers(const lun_engine *e)
{
    LUN_NEED_OR(e, e != NULL);
    return e->ranks && e->ranks->lingers;
}

int lun_spmd_npes(lun_engine *e)
{
    if (!e)
        return 1;
    LUN_NEED_OR(e, 0);
    return lun__alone(e) ? 1 : e->ranks->net->size;
}

int lun_spmd_mype(lun_engine *e)
{
    LUN_NEED_OR(e, 0);
    return lun__alone(e) ? 0 : e->ranks->net->rank;
}

void lun_spmd_count(lun_engine *e, int64_t gets, int64_t puts)
{
    LUN_NEED_OR(e, );
    e->stats.remote_gets += gets;
    e->stats.remote_puts += puts;
}

void lun__count_network(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    e->stats.network_time += r->net->clock.now - r->counted;
    r->counted = r->net->clock.now;
}

double lun__clock_aside(lun_engine *e)
{
    const double now = e->ranks->net->clock.now;
    e->ranks->net->clock.now = 0;
    return now;
}

void lun__clock_back(lun_engine *e, double now)
{
    e->ranks->net->clock.now = now;
    lun__count_network(e);
}

void lun__clock_reaches(lun_engine *e, double at)
{
    lun_net_clock *c = &e->ranks->net->clock;
    c->now = c->now < at ? at : c->now;
    lun__count_network(e);
}

void lun__add_source_line(lun_engine *e, lun_strbuf *text)
{
    const char *line = lun__source_mark_text(e, e->source_line);
    if (*line)
        lun__strbuf_printf(text, " (%s)", line);
}

/* ---- ends of ranks that pass messages on ----------------------------------------------------- */

void lun__tree_ended(lun_engine *e, int rank)
{
    lun_ranks_state *r = e->ranks;
    for (int i = 1; r->linked && !r->net->rank && r->lines[rank].passes && i < r->net->size; i++)
        if (r->lines[i].by_tree > r->lines[i].known && !r->lines[i].lost_by)
            r->lines[i].lost_by = rank;
}

int lun__cut_off(const lun_ranks_state *r, int rank)
{
    const lun_line *line = &r->lines[rank];
    if (r->ended[rank])
        return rank;
    return line->lost_by && line->by_tree > line->known ? line->lost_by : -1;
}

/* ---- how many messages there are ------------------------------------------------------------ */

static lun_tally *find_tally(const lun_ranks_state *r, int rank, int tag)
{
    lun_tally *t = r->tallies[rank];
    while (t && t->tag != tag)
        t = t->next;
    return t;
}

lun_tally *lun__tally(lun_engine *e, int rank, int tag)
{
    lun_ranks_state *r = e->ranks;
    lun_tally *t = find_tally(r, rank, tag);
    if (t)
        return t;
    t = calloc(1, sizeof *t);
    if (!t) {
        (void)lun__fail_nomem(e);
        return NULL;
    }
    t->tag = tag;
    t->next = r->tallies[rank];
    return r->tallies[rank] = t;
}

bool lun__still_comes(const lun_ranks_state *r, int rank, int tag)
{
    const lun_tally *t = find_tally(r, rank, tag);
    return t && t->got < t->comes;
}

void lun__tallies_free(lun_ranks_state *r)
{
    for (int i = 0; r->tallies && r->net && i < r->net->size; i++)
        while (r->tallies[i]) {
            lun_tally *t = r->tallies[i];
            r->tallies[i] = t->next;
            free(t);
        }
    free(r->tallies);
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Within a memory limit messages count until their receiver has them: here those that the transport
 * has copied.  What there is no room for at that moment is not counted. */
static void count_waiting(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    if (!r->net->waiting || !e->account->limit)
        return;
    const int64_t more = __atomic_load_n(r->net->waiting, __ATOMIC_RELAXED) - r->waiting;
    if (more < 0)
        lun__account_give(e->account, -more);
    if (more < 0 || lun__account_take(e->account, more))
        r->waiting += more;
}

/* Frees the sends that have gone. */
lun_status lun__let_go(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    for (lun_sending **at = &r->sending; *at && !r->given_up;) {
        lun_sending *s = *at;
        if (!r->net->calls->test(r->net, &s->request))
            return lun__net_failed(e);
        if (s->request) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        lun__sending_free(e, s);
    }
    count_waiting(e);
    return LUN_OK;
}

static void lent_went(lun_lent_bytes *lent)
{
    if (--lent->pieces)
        return;
    lent->release(lent->held);
    free(lent);
}

void lun__sending_free(lun_engine *e, lun_sending *s)
{
    lun__account_give(e->account, s->counted);
    if (s->lent)
        lent_went(s->lent);
    free(s);
}

/* Hands it to the transport, and keeps it until it has gone. */
static lun_status start(lun_engine *e, lun_sending *s, int to, int tag, const void *bytes,
                        int count)
{
    lun_ranks_state *r = e->ranks;
    lun_tally *t = tag == LUN_TAG_CONTROL ? NULL : lun__tally(e, to, tag);
    if (!t && tag != LUN_TAG_CONTROL) {
        lun__sending_free(e, s);
        return LUN_ENOMEM;
    }
    if (t)
        t->sent++;
    s->request = NULL;
    if (!r->net->calls->isend(r->net, to, tag, bytes, count, &s->request)) {
        lun__sending_free(e, s);
        return lun__net_failed(e);
    }
    s->next = r->sending;
    r->sending = s;
    lun__count_network(e);
    return LUN_OK;
}

lun_status lun__post_lent(lun_engine *e, int to, int tag, const void *bytes, int64_t count,
                          lun_lent_bytes *lent)
{
    lun_sending *s = malloc(sizeof *s);
    if (!s) {
        lent_went(lent);
        return lun__fail_nomem(e);
    }
    s->lent = lent;
    s->counted = 0;
    const lun_status status = start(e, s, to, tag, bytes, (int)count);
    return status == LUN_OK ? lun__let_go(e) : status;
}

/* What is said because real time has passed, or of ends: it arrives in the middle of what the
 * receiver does, and is no part of a modelled network. */
static bool is_timeless(int tag, char kind)
{
    if (tag != LUN_TAG_CONTROL)
        return false;
    switch (kind) {
    case LUN_SAYS_ASK:
    case LUN_SAYS_HERE:
    case LUN_SAYS_PROPOSE:
    case LUN_SAYS_OVER:
    case LUN_SAYS_END:
    case LUN_SAYS_STOP:
        return true;
    default:
        return false;
    }
}

/* kind 0: the bytes alone. */
lun_status lun__post(lun_engine *e, int to, int tag, char kind, const void *bytes, int64_t count)
{
    lun_ranks_state *r = e->ranks;
    size_t head = kind ? 1 : 0;
    if (count > LUN_NET_MOST - 1)
        return lun__fail(e, LUN_ERANGE, "a message of %lld bytes is too long", (long long)count);
    const bool counts = tag >= LUN_TAG_USER && e->account->limit;
    lun_status status = counts ? lun__let_go(e) : LUN_OK; /* what has gone makes room */
    if (status != LUN_OK)
        return status;
    const int64_t counted = tag < LUN_TAG_USER ? 0 : (int64_t)(sizeof(lun_sending) + head) + count;
    if (!lun__account_take_object(e->account, counted))
        return lun__fail_nomem(e);
    lun_sending *s = malloc(sizeof *s + head + (size_t)count);
    if (!s) {
        lun__account_give(e->account, counted);
        return lun__fail_nomem(e);
    }
    s->lent = NULL;
    s->counted = counted;
    if (kind)
        s->bytes[0] = kind;
    if (count)
        memcpy(s->bytes + head, bytes, (size_t)count);
    const lun_net_clock clock = r->net->clock;
    const bool timeless = is_timeless(tag, kind);
    if (timeless)
        r->net->clock = (lun_net_clock){0};
    status = start(e, s, to, tag, s->bytes, (int)count + (int)head);
    if (timeless)
        r->net->clock = clock;
    return status == LUN_OK ? lun__let_go(e) : status;
}
