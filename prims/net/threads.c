/* threads.c - ranks that are threads of one process: a mailbox for each, and steps
 * (thread_steps.c). A rank that waits asks again. A long message stays where it is until its
 * receiver has copied it, and its send is done then; whose a parcel is: see group.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/group.h"

/* ---- messages -------------------------------------------------------------------------------- */

/* The lock is held; the sender reads it without. */
static void count_waiting(lun_net_group *g, int from, int bytes)
{
    int64_t *waiting = &g->boxes[from].waiting;
    __atomic_store_n(waiting, *waiting + bytes, __ATOMIC_RELAXED);
}

bool lun__threads_isend(lun_net *n, int to, int tag, const void *bytes, int count,
                        lun_net_request **out)
{
    lun_net_group *g = ((lun_threads *)n)->group;
    const bool lends = count >= n->lends;
    lun_parcel *p = lun__parcel_new(n, tag, bytes, lends ? 0 : count);
    lun_net_request *r = p && lends ? lun__parcel_request(n, LUN_NET_SEND, out) : NULL;
    if (!p || (lends && !r)) {
        free(p);
        return false;
    }
    if (r) {
        p->lent = bytes;
        p->count = count;
        r->parcel = p;
        r->from = to;
    } else {
        *out = NULL; /* done: the mailbox has a copy */
    }
    p->at = n->clock.now + lun__net_clock_message(&n->clock, count);
    n->clock.now += (double)count * n->clock.per_byte;
    pthread_mutex_lock(&g->lock);
    *g->boxes[to].last = p;
    g->boxes[to].last = &p->next;
    if (!lends)
        count_waiting(g, n->rank, count);
    lun__parcel_changed(&g->boxes[to]);
    pthread_mutex_unlock(&g->lock);
    return true;
}

/* Where the first such message hangs; *at is NULL if there is none. The lock is held. */
static lun_parcel **find(lun_mailbox *box, int from, int tag)
{
    lun_parcel **at = &box->first;
    while (*at && ((from != LUN_NET_ANY && (*at)->from != from) || (*at)->tag != tag))
        at = &(*at)->next;
    return at;
}

static bool probe(lun_net *n, int from, int tag, lun_net_found *out)
{
    lun_net_group *g = ((lun_threads *)n)->group;
    pthread_mutex_lock(&g->lock);
    const lun_parcel *p = *find(&g->boxes[n->rank], from, tag);
    *out = p ? (lun_net_found){p->from, p->count} : (lun_net_found){-1, -1};
    pthread_mutex_unlock(&g->lock);
    return true;
}

static bool irecv(lun_net *n, int from, int tag, void *bytes, int count, lun_net_request **out)
{
    lun_net_request *r = lun__parcel_request(n, LUN_NET_RECEIVE, out);
    if (!r)
        return false;
    r->from = from;
    r->tag = tag;
    r->bytes = bytes;
    r->count = count;
    return true;
}

/* Takes a message out of a mailbox. The lock is held. */
static void take_out(lun_mailbox *box, lun_parcel **at)
{
    lun_parcel *p = *at;
    *at = p->next;
    if (box->last == &p->next)
        box->last = at;
}

/* A message that was lent goes back to its sender. */
static void give_back(lun_net_group *g, lun_parcel *p)
{
    pthread_mutex_lock(&g->lock);
    p->read = true;
    lun__parcel_changed(&g->boxes[p->from]);
    pthread_mutex_unlock(&g->lock);
}

static bool receive(lun_threads *me, lun_net_request **request)
{
    const lun_net_request *r = *request;
    lun_net_group *g = me->group;
    lun_mailbox *box = &g->boxes[me->base.rank];
    pthread_mutex_lock(&g->lock);
    lun_parcel **at = find(box, r->from, r->tag), *p = *at;
    if (p) {
        take_out(box, at);
        p->copying = 1;
        if (!p->lent)
            count_waiting(g, p->from, -p->count);
    }
    pthread_mutex_unlock(&g->lock);
    if (!p)
        return true;
    bool fits = p->count <= r->count;
    if (fits && p->count)
        memcpy(r->bytes, p->lent ? p->lent : p->bytes, (size_t)p->count);
    if (me->base.clock.now < p->at)
        me->base.clock.now = p->at;
    if (p->lent)
        give_back(g, p);
    else
        free(p);
    lun__parcel_done(me, request);
    return fits || lun__parcel_fail(&me->base, "a message is longer than the memory for it");
}

/* A send is done once its message has been read. */
static bool sent(lun_threads *me, lun_net_request **request)
{
    lun_parcel *p = (*request)->parcel;
    pthread_mutex_lock(&me->group->lock);
    const bool read = p->read;
    pthread_mutex_unlock(&me->group->lock);
    if (read) {
        free(p);
        lun__parcel_done(me, request);
    }
    return true;
}

/* Takes back a message that was not read, or waits until it is. */
static void take_back(lun_threads *me, const lun_net_request *r)
{
    lun_net_group *g = me->group;
    lun_mailbox *box = &g->boxes[r->from];
    lun_parcel *p = r->parcel, **at = &box->first;
    pthread_mutex_lock(&g->lock);
    while (p->copying && !p->read)
        pthread_cond_wait(&g->boxes[me->base.rank].changed, &g->lock);
    while (!p->read && *at != p)
        at = &(*at)->next;
    if (!p->read)
        take_out(box, at);
    pthread_mutex_unlock(&g->lock);
    free(p);
}

static bool test(lun_net *n, lun_net_request **request)
{
    lun_threads *me = (lun_threads *)n;
    if (!*request)
        return true;
    switch ((*request)->kind) {
    case LUN_NET_SEND:
        return sent(me, request);
    case LUN_NET_RECEIVE:
        return receive(me, request);
    default:
        return lun__thread_step(me, request);
    }
}

/* ---- resting --------------------------------------------------------------------------------- */

/* What came after the last rest ended has perhaps not been seen: then it ends at once. */
static void rest(lun_net *n, int64_t nanoseconds)
{
    const int64_t second = 1000000000;
    lun_threads *me = (lun_threads *)n;
    lun_mailbox *box = &me->group->boxes[n->rank];
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    nanoseconds += end.tv_nsec;
    end.tv_sec += nanoseconds / second;
    end.tv_nsec = nanoseconds % second;
    pthread_mutex_lock(&me->group->lock);
    for (int late = 0; !late && box->changes == me->seen;)
        late = pthread_cond_timedwait(&box->changed, &me->group->lock, &end);
    me->seen = box->changes;
    pthread_mutex_unlock(&me->group->lock);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static bool abandon(lun_net *n)
{
    lun_threads *me = (lun_threads *)n;
    while (me->open) {
        lun_net_request *r = me->open;
        me->open = r->next;
        if (r->kind == LUN_NET_SEND)
            take_back(me, r);
        else
            lun__thread_step_withdraw(me, r);
        free(r);
    }
    return false;
}

static void leave(lun_net_group *g)
{
    pthread_mutex_lock(&g->lock);
    bool last = --g->users == 0;
    pthread_mutex_unlock(&g->lock);
    if (!last)
        return;
    for (int i = 0; i < g->size; i++)
        while (g->boxes[i].first) {
            lun_parcel *p = g->boxes[i].first;
            g->boxes[i].first = p->next;
            free(p);
        }
    while (g->steps) {
        lun_step *s = g->steps;
        g->steps = s->next;
        lun__thread_step_drop(s, g->size);
    }
    if (g->sim)
        g->sim_end(g->sim);
    for (int i = 0; i < g->size; i++)
        pthread_cond_destroy(&g->boxes[i].changed);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

static void close_net(lun_net *n)
{
    abandon(n);
    leave(((lun_threads *)n)->group);
    free(n);
}

lun_net_group *lun__threads_group_new(int size)
{
    lun_net_group *g = calloc(1, sizeof *g + (size_t)size * sizeof g->boxes[0]);
    if (!g)
        return NULL;
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&g->lock, NULL);
    g->size = size;
    g->users = 1;
    for (int i = 0; i < size; i++) {
        g->boxes[i].last = &g->boxes[i].first;
        pthread_cond_init(&g->boxes[i].changed, &steady);
    }
    pthread_condattr_destroy(&steady);
    return g;
}

void lun__threads_group_free(lun_net_group *g)
{
    if (g)
        leave(g);
}

int lun__threads_group_size(const lun_net_group *g)
{
    return g->size;
}

lun_net *lun__net_threads(lun_net_group *g, int rank)
{
    static const lun_net_calls calls = {
        .isend = lun__threads_isend,
        .irecv = irecv,
        .test = test,
        .probe = probe,
        .ibcast = lun__thread_step_bcast,
        .iallgather = lun__thread_step_gather,
        .ialltoall = lun__thread_step_exchange,
        .iagree = lun__thread_step_agree,
        .rest = rest,
        .abandon = abandon,
        .close = close_net,
    };
    enum { LONG = 64 << 10 };
    lun_threads *me = calloc(1, sizeof *me);
    if (!me)
        return NULL;
    me->base = (lun_net){.calls = &calls, .rank = rank, .size = g->size, .lends = LONG};
    me->base.modelled = me->base.wakes = true;
    snprintf(me->base.name, sizeof me->base.name, "threads of one process");
    me->base.waiting = &g->boxes[rank].waiting;
    me->group = g;
    pthread_mutex_lock(&g->lock);
    g->users++;
    pthread_mutex_unlock(&g->lock);
    return &me->base;
}
