/* steps.c - the steps of ranks that are threads: everyone leaves a part in the step with its
 * number, and takes the result once the parts are there; the last one drops it. Knows no
 * message. */
#include <stdlib.h>
#include <string.h>

#include "net/group.h"

/* The step with that number, made where this rank is the first. The lock is held. NULL: no
 * memory. */
static lun_step *step_of(lun_net_group *g, uint64_t number)
{
    for (lun_step *s = g->steps; s; s = s->next)
        if (s->number == number)
            return s;
    lun_step *s = calloc(1, sizeof *s + (size_t)g->size * sizeof s->parts[0]);
    if (s) {
        s->number = number;
        s->next = g->steps;
        g->steps = s;
    }
    return s;
}

void lun__threads_drop(lun_net_group *g, lun_step *s)
{
    lun_step **at = &g->steps;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    for (int i = 0; i < g->size; i++)
        free(s->parts[i]);
    free(s);
}

/* Leaves this rank's part, and gives the request for the result. */
static lun_net_request *join(lun_net *n, lun_net_kind kind, const void *bytes, int count,
                             lun_net_request **out)
{
    lun_threads *me = (lun_threads *)n;
    lun_parcel *p = lun__parcel_new(n, 0, bytes, count);
    lun_net_request *r = p ? lun__threads_request(n, kind, out) : NULL;
    if (!r) {
        free(p);
        return NULL;
    }
    r->number = me->steps++;
    pthread_mutex_lock(&me->group->lock);
    lun_step *s = step_of(me->group, r->number);
    if (s)
        s->parts[n->rank] = p;
    pthread_mutex_unlock(&me->group->lock);
    if (s)
        return r;
    free(p);
    lun__threads_done(me, out);
    lun__threads_fail(n, "out of memory");
    return NULL;
}

bool lun__threads_bcast(lun_net *n, int root, void *bytes, int count, lun_net_request **out)
{
    lun_net_request *r = join(n, LUN_NET_BCAST, bytes, n->rank == root ? count : 0, out);
    if (!r)
        return false;
    r->from = root;
    r->bytes = bytes;
    r->count = count;
    return true;
}

bool lun__threads_gather(lun_net *n, const void *own, int count, lun_net_parts all,
                         lun_net_request **out)
{
    lun_net_request *r = join(n, LUN_NET_GATHER, own, count, out);
    if (!r)
        return false;
    r->bytes = all.bytes;
    r->counts = all.counts;
    return true;
}

/* In a rank's part stand the counts first, then the bytes. */
bool lun__threads_exchange(lun_net *n, lun_net_parts given, lun_net_parts got,
                           lun_net_request **out)
{
    size_t head = (size_t)n->size * sizeof(int), bytes = 0;
    for (int i = 0; i < n->size; i++)
        bytes += (size_t)given.counts[i];
    char *part = malloc(head + bytes);
    if (!part)
        return lun__threads_fail(n, "out of memory");
    memcpy(part, given.counts, head);
    if (bytes)
        memcpy(part + head, given.bytes, bytes);
    lun_net_request *r = join(n, LUN_NET_EXCHANGE, part, (int)(head + bytes), out);
    free(part);
    if (!r)
        return false;
    r->bytes = got.bytes;
    r->counts = got.counts;
    return true;
}

bool lun__threads_agree(lun_net *n, uint64_t *words, int count, lun_net_request **out)
{
    lun_net_request *r = join(n, LUN_NET_AGREE, words, count * (int)sizeof *words, out);
    if (!r)
        return false;
    r->bytes = words;
    r->count = count;
    return true;
}

/* Whether the parts that r needs are there. The lock is held. */
static bool is_ready(const lun_net_group *g, const lun_step *s, const lun_net_request *r)
{
    if (r->kind == LUN_NET_BCAST)
        return s->parts[r->from] != NULL;
    for (int i = 0; i < g->size; i++)
        if (!s->parts[i])
            return false;
    return true;
}

/* The bytes for this rank in a part of an exchange, and their number in *count. */
static const char *part_for(const lun_threads *me, const lun_parcel *p, int *count)
{
    const char *bytes = p->bytes + (size_t)me->base.size * sizeof(int);
    int counts[2] = {0, 0};
    for (int i = 0; i <= me->base.rank; i++) {
        bytes += counts[0];
        memcpy(counts, p->bytes + (size_t)i * sizeof(int), sizeof(int));
    }
    *count = counts[0];
    return bytes;
}

/* Takes the result of a step that is ready; false where the ranks do not agree on its sizes. The
 * lock is held. */
static bool take(const lun_threads *me, const lun_step *s, const lun_net_request *r)
{
    char *to = r->bytes;
    if (r->kind == LUN_NET_BCAST) {
        const lun_parcel *p = s->parts[r->from];
        if (p->count != r->count)
            return false;
        if (r->from != me->base.rank && p->count)
            memcpy(to, p->bytes, (size_t)p->count);
        return true;
    }
    for (int i = 0; i < me->base.size; i++) {
        const lun_parcel *p = s->parts[i];
        const char *from = p->bytes;
        int count = p->count;
        if (r->kind == LUN_NET_AGREE) {
            if (count != r->count * (int)sizeof(uint64_t))
                return false;
            for (int k = 0; k < r->count; k++)
                ((uint64_t *)r->bytes)[k] &= ((const uint64_t *)(const void *)from)[k];
            continue;
        }
        if (r->kind == LUN_NET_EXCHANGE)
            from = part_for(me, p, &count);
        if (count != r->counts[i])
            return false;
        if (count)
            memcpy(to, from, (size_t)count);
        to += count;
    }
    return true;
}

/* What this rank and the busiest one move in an exchange. */
static lun_net_load load_of(const lun_threads *me, const lun_step *s, int64_t *most)
{
    int size = me->base.size, own = me->base.rank;
    lun_net_load load = {0};
    *most = 0;
    for (int i = 0; i < size; i++) {
        int64_t out = 0, in = 0;
        int partners = 0;
        for (int k = 0; k < size; k++) {
            int to, from;
            memcpy(&to, s->parts[i]->bytes + (size_t)k * sizeof(int), sizeof to);
            memcpy(&from, s->parts[k]->bytes + (size_t)i * sizeof(int), sizeof from);
            if (k == i)
                continue;
            out += to;
            in += from;
            partners += to || from;
        }
        int64_t bytes = out > in ? out : in;
        *most = bytes > *most ? bytes : *most;
        if (i == own)
            load = (lun_net_load){partners, bytes};
    }
    return load;
}

/* What the step costs once all that is needed has started. */
static double cost_of(const lun_threads *me, const lun_step *s, const lun_net_request *r)
{
    const lun_net_clock *c = &me->base.clock;
    int size = me->base.size;
    int64_t bytes = 0, most;
    if (r->kind == LUN_NET_BCAST)
        return lun__clock_bcast(c, size, r->count);
    if (r->kind == LUN_NET_AGREE)
        return lun__clock_agree(c, size, r->count * (int64_t)sizeof(uint64_t));
    if (r->kind == LUN_NET_EXCHANGE) {
        lun_net_load own = load_of(me, s, &most);
        return lun__clock_exchange(c, size, own, most);
    }
    for (int i = 0; i < size; i++)
        bytes += i == me->base.rank ? 0 : s->parts[i]->count;
    return lun__clock_gather(c, size, bytes);
}

/* Moves this rank's modelled clock to the end of the step. The lock is held. */
static void pass_time(lun_threads *me, const lun_step *s, const lun_net_request *r)
{
    lun_net_clock *c = &me->base.clock;
    double start = s->parts[r->kind == LUN_NET_BCAST ? r->from : 0]->at;
    for (int i = 0; r->kind != LUN_NET_BCAST && i < me->base.size; i++)
        start = s->parts[i]->at > start ? s->parts[i]->at : start;
    double end = start + cost_of(me, s, r);
    if (c->now < end)
        c->now = end;
}

bool lun__threads_step(lun_threads *me, lun_net_request **request)
{
    lun_net_group *g = me->group;
    bool fits = true;
    pthread_mutex_lock(&g->lock);
    lun_step *s = step_of(g, (*request)->number);
    bool ready = s && is_ready(g, s, *request);
    if (ready) {
        fits = take(me, s, *request);
        if (fits && (me->base.clock.latency > 0 || me->base.clock.per_byte > 0))
            pass_time(me, s, *request);
        if (++s->taken == g->size)
            lun__threads_drop(g, s);
    }
    pthread_mutex_unlock(&g->lock);
    if (ready)
        lun__threads_done(me, request);
    return fits ||
           lun__threads_fail(&me->base, "the ranks do not agree on the number of bytes of a step");
}
