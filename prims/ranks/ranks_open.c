/* ranks_open.c - an engine becomes one of several ranks, by its configuration or by what a launcher
 * says, and ceases to be one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

struct lun_ranks {
    lun_net_group *group;
};

/* Seconds of LUNARRAY_RANK_TIMEOUT; 0: none. */
static lun_status time_limit(lun_engine *e, double *out)
{
    const char *s = getenv("LUNARRAY_RANK_TIMEOUT");
    char *end = NULL;
    *out = s && *s ? strtod(s, &end) : 0;
    if (s && *s && (*end || !(*out >= 0)))
        return lun__fail(e, LUN_EARG, "LUNARRAY_RANK_TIMEOUT must be a number of seconds, not '%s'",
                         s);
    return LUN_OK;
}

/* The network of LUNARRAY_RANK_CLOCK: "latency,bandwidth", in seconds and bytes a second. */
static lun_status modelled_network(lun_engine *e, lun_net *n)
{
    const char *s = getenv("LUNARRAY_RANK_CLOCK");
    double latency, bandwidth;
    int end = 0;
    if (!s || !*s || !n)
        return LUN_OK;
    if (!n->modelled)
        return lun__fail(e, LUN_EARG,
                         "LUNARRAY_RANK_CLOCK models the network of --ranks, not that of MPI");
    if (sscanf(s, "%lf,%lf%n", &latency, &bandwidth, &end) != 2 || s[end] || !(latency >= 0) ||
        !(bandwidth > 0) || !isfinite(latency))
        return lun__fail(
            e, LUN_EARG,
            "LUNARRAY_RANK_CLOCK must be a latency in seconds and bytes a second, such "
            "as '2e-6,1e10', not '%s'",
            s);
    n->clock = (lun_net_clock){.latency = latency, .per_byte = 1 / bandwidth};
    return LUN_OK;
}

lun_status lun__ranks_open(lun_engine *e, lun_net *net)
{
    enum { LOG_AFTER = 60 };
    lun_ranks_state *r = calloc(1, sizeof *r);
    size_t size = net ? (size_t)net->size : 1;
    lun_status s = LUN_OK;
    if (r) {
        *r = (lun_ranks_state){.net = net, .log_after = LOG_AFTER, .most = LUN_NET_MOST - 1};
        r->ended = calloc(size, sizeof *r->ended);
        r->here = calloc(size, sizeof *r->here);
        r->queue = calloc(size, sizeof *r->queue);
        r->tallies = calloc(size, sizeof(lun_tally *));
        r->holder = -1;
        s = time_limit(e, &r->timeout);
        if (s == LUN_OK)
            s = modelled_network(e, net);
    }
    if (r && r->ended && r->here && r->queue && r->tallies && s == LUN_OK) {
        e->ranks = r;
        return LUN_OK;
    }
    if (r) {
        free(r->ended);
        free(r->here);
        free(r->queue);
        free(r->tallies);
    }
    free(r);
    if (net) {
        net->calls->abandon(net);
        net->calls->close(net);
    }
    return s == LUN_OK ? lun__fail_nomem(e) : s;
}

static void drop_own(lun_engine *e, lun_ranks_state *r)
{
    for (int i = 0; i < LUN_SELF_TAGS; i++)
        while (r->own[i]) {
            lun_self_tag *t = r->own[i];
            r->own[i] = t->next;
            while (t->first) {
                lun_self_message *k = t->first;
                t->first = k->next;
                lun__account_object_free(e->account, k);
            }
            lun__account_object_free(e->account, t);
        }
}

void lun__ranks_close(lun_engine *e)
{
    lun_ranks_state *r = e->ranks;
    if (!r)
        return;
    if (r->net) {
        (void)lun_spmd_end(e, NULL);
        for (int i = 0; i < r->net->size; i++)
            free(r->ended[i]);
    }
    lun__tallies_free(r);
    if (r->net)
        r->net->calls->close(r->net);
    while (r->sending) {
        lun_sending *s = r->sending;
        r->sending = s->next;
        if (!r->lingers)
            lun__sending_free(e, s);
    }
    lun__account_give(e->account, r->waiting);
    lun__drop_questions(r);
    drop_own(e, r);
    while (r->held) {
        lun_held *h = r->held;
        r->held = h->next;
        free(h->bytes);
        free(h);
    }
    e->services.link = NULL; /* which is r's */
    free(r->ended);
    free(r->here);
    free(r->queue);
    free(r->parts);
    free(r->locations);
    free(r->lines);
    lun__strbuf_free(&r->over);
    lun__strbuf_free(&r->doing);
    lun__strbuf_free(&r->options);
    if (!r->lingers)
        free(r);
    e->ranks = NULL;
}

/* ---- which rank this is ---------------------------------------------------------------------- */

lun_status lun_ranks_new(int count, lun_ranks **out)
{
    enum { MOST = 4096 };
    if (!out || count < 1 || count > MOST)
        return LUN_EARG;
    lun_ranks *ranks = calloc(1, sizeof *ranks);
    if (ranks)
        ranks->group = lun__threads_group_new(count);
    if (!ranks || !ranks->group) {
        free(ranks);
        return LUN_ENOMEM;
    }
    *out = ranks;
    return LUN_OK;
}

void lun_ranks_free(lun_ranks *ranks)
{
    if (ranks)
        lun__threads_group_free(ranks->group);
    free(ranks);
}

int lun_rank(const lun_config *config)
{
    if (config && config->size >= offsetof(lun_config, rank) + sizeof config->rank && config->ranks)
        return config->rank;
    return lun__launcher_env().rank;
}

bool lun_launched(void)
{
    return lun__launcher_env().size > 1;
}

int lun__local_rank(const lun_config *c)
{
    return c->ranks ? c->rank : lun__launcher_env().local;
}

/* What simulates the ranks of this process, NULL: nothing does. */
static const char *simulation(void)
{
    const char *s = getenv("LUNARRAY_SIM");
    return s && *s ? s : NULL;
}

/* This rank's end of a group of threads. */
static lun_status join_threads(lun_engine *e, lun_net **net)
{
    const lun_config *c = &e->config;
    char why[1024];
    if (!simulation()) {
        *net = lun__net_threads(c->ranks->group, c->rank);
        return *net ? LUN_OK : lun__fail_nomem(e);
    }
    *net = lun__net_sim(c->ranks->group, c->rank, simulation(), why, (int)sizeof why);
    return *net ? LUN_OK : lun__fail(e, LUN_EARG, "%s", why);
}

lun_status lun_spmd_start(lun_engine *e)
{
    LUN_NEED(e, true);
    if (e->ranks)
        return LUN_OK;
    lun_net *net = NULL;
    const lun_config *c = &e->config;
    if (c->ranks) {
        int size = lun__threads_group_size(c->ranks->group);
        if (c->rank < 0 || c->rank >= size)
            return lun__fail(e, LUN_EARG, "lun_config: rank must be from 0 to %d, not %d", size - 1,
                             c->rank);
        const lun_status s = size > 1 ? join_threads(e, &net) : LUN_OK;
        return s == LUN_OK ? lun__ranks_open(e, net) : s;
    }
    lun_net_launch launch = lun__launcher_env();
    char why[2048];
    double seconds;
    lun_status s = time_limit(e, &seconds);
    if (s != LUN_OK)
        return s;
    if (launch.size > 1 && simulation())
        return lun__fail(e, LUN_EARG,
                         "LUNARRAY_SIM simulates the ranks of --ranks, not those of MPI");
    if (launch.size > 1 && !(net = lun__mpi_transport(&launch, seconds, why, (int)sizeof why)))
        return lun__fail(e, LUN_EBACKEND, "%s", why);
    return lun__ranks_open(e, net);
}
