/* thread_steps.c - the steps of ranks that are threads: everyone leaves a part in the step with its
 * number; the last one completes it and wakes the others, which take the result; the last of these
 * drops it. What a rank does for a step takes time in proportion to what it gets, at most to the
 * number of ranks.
 *
 * Bytes of a part, in the machine's byte order, of n ranks and rank r's b[r] bytes:
 *
 *   kind      offset           bytes
 *   BCAST     0                count  the root's, unless it lends them; of others none
 *   GATHER    0                count  this rank's
 *   AGREE     8 * k            8      word k; the step keeps one part, the bitwise and of all
 *   EXCHANGE  4 * r, r <= n    4      at[r], b[0] + .. + b[r - 1]
 *             4 * (n + 1) + at[r]     b[r] bytes for rank r */
#include <stdlib.h>
#include <string.h>

#include "net/group.h"

/* The step with that number, made where this rank is the first. The lock is held. NULL: no
 * memory. */
static lun_step *step_of(lun_net_group *g, uint64_t number, lun_net_kind kind)
{
    for (lun_step *s = g->steps; s; s = s->next)
        if (s->number == number)
            return s;
    lun_step *s = calloc(1, sizeof *s + (size_t)g->size * sizeof s->parts[0]);
    if (s) {
        s->number = number;
        s->kind = kind;
        s->next = g->steps;
        g->steps = s;
    }
    return s;
}

void lun__thread_step_withdraw(lun_threads *me, const lun_net_request *r)
{
    lun_net_group *g = me->group;
    if (r->kind != LUN_NET_BCAST || r->from != me->base.rank)
        return;
    pthread_mutex_lock(&g->lock);
    lun_parcel *p = r->step->parts[r->from];
    if (p && p->lent) {
        p->withdrawn = true;
        while (p->copying)
            pthread_cond_wait(&g->boxes[me->base.rank].changed, &g->lock);
    }
    pthread_mutex_unlock(&g->lock);
}

void lun__thread_step_drop(lun_step *s, int size)
{
    for (int i = 0; i < size; i++)
        free(s->parts[i]);
    free(s->common);
    free(s->loads);
    free(s);
}

/* ---- arriving -------------------------------------------------------------------------------- */

/* Of an exchange: where each rank's bytes begin in a part, and where the last one's end. */
static const int *offsets_in(const lun_parcel *p)
{
    return (const int *)(const void *)p->bytes;
}

static int bytes_for(const lun_parcel *p, int rank)
{
    return offsets_in(p)[rank + 1] - offsets_in(p)[rank];
}

/* What each rank moves in an exchange that is complete. Without memory the loads stay NULL. */
static void weigh(lun_step *s, int size)
{
    s->loads = calloc((size_t)size, sizeof *s->loads);
    for (int i = 0; s->loads && i < size; i++) {
        int64_t out = 0, in = 0;
        int partners = 0;
        for (int k = 0; k < size; k++) {
            if (k == i)
                continue;
            const int to = bytes_for(s->parts[i], k), from = bytes_for(s->parts[k], i);
            out += to;
            in += from;
            partners += to || from;
        }
        s->loads[i] = (lun_net_load){partners, out > in ? out : in};
        s->most = s->loads[i].bytes > s->most ? s->loads[i].bytes : s->most;
    }
}

static bool has_clock(const lun_threads *me)
{
    return me->base.clock.latency > 0 || me->base.clock.per_byte > 0;
}

/* Puts a part where it belongs; gives what is not kept. The lock is held. */
static lun_parcel *put_part(const lun_threads *me, lun_step *s, lun_net_kind kind, lun_parcel *p)
{
    s->arrived++;
    s->start = s->start < p->at ? p->at : s->start;
    s->bytes += p->count;
    s->differ = s->differ || s->kind != kind || (s->common && s->common->count != p->count);
    if (s->differ)
        return p;
    if (kind != LUN_NET_AGREE) {
        s->parts[me->base.rank] = p;
        return NULL;
    }
    if (!s->common) {
        s->common = p;
        return NULL;
    }
    uint64_t *all = (uint64_t *)(void *)s->common->bytes;
    const uint64_t *own = (const uint64_t *)(const void *)p->bytes;
    for (int k = 0; k < p->count / (int)sizeof *own; k++)
        all[k] &= own[k];
    return p;
}

/* Leaves this rank's part, which becomes the step's, and gives the request for the result. */
static lun_net_request *join(lun_net *n, lun_net_kind kind, int root, lun_parcel *p,
                             lun_net_request **out)
{
    lun_threads *me = (lun_threads *)n;
    lun_net_group *g = me->group;
    lun_net_request *r = p ? lun__parcel_request(n, kind, out) : NULL;
    if (!r) {
        free(p);
        return NULL;
    }
    pthread_mutex_lock(&g->lock);
    lun_step *s = r->step = step_of(g, me->steps++, kind);
    if (s)
        p = put_part(me, s, kind, p);
    const bool complete = s && s->arrived == g->size;
    if (complete && s->kind == LUN_NET_EXCHANGE && !s->differ && has_clock(me))
        weigh(s, g->size);
    for (int i = 0; (complete || (s && kind == LUN_NET_BCAST && n->rank == root)) && i < g->size;
         i++)
        if (i != n->rank)
            lun__parcel_changed(&g->boxes[i]);
    pthread_mutex_unlock(&g->lock);
    free(p);
    if (s)
        return r;
    lun__parcel_done(me, out);
    lun__parcel_fail(n, "out of memory");
    return NULL;
}

/* Long ones are not copied: the others take them out of the root's memory. */
bool lun__thread_step_bcast(lun_net *n, int root, void *bytes, int count, lun_net_request **out)
{
    const bool gives = n->rank == root, lends = gives && count >= n->lends;
    lun_parcel *p = lun__parcel_new(n, 0, bytes, gives && !lends ? count : 0);
    if (p && lends) {
        p->lent = bytes;
        p->count = count;
    }
    lun_net_request *r = join(n, LUN_NET_BCAST, root, p, out);
    if (!r)
        return false;
    r->from = root;
    r->bytes = bytes;
    r->count = count;
    return true;
}

bool lun__thread_step_gather(lun_net *n, const void *own, int count, lun_net_parts all,
                             lun_net_request **out)
{
    lun_net_request *r =
        join(n, LUN_NET_GATHER, LUN_NET_ANY, lun__parcel_new(n, 0, own, count), out);
    if (!r)
        return false;
    r->bytes = all.bytes;
    r->counts = all.counts;
    return true;
}

bool lun__thread_step_exchange(lun_net *n, lun_net_parts given, lun_net_parts got,
                               lun_net_request **out)
{
    const size_t head = ((size_t)n->size + 1) * sizeof(int);
    int64_t bytes = 0;
    for (int i = 0; i < n->size; i++)
        bytes += given.counts[i];
    lun_parcel *p = lun__parcel_new(n, 0, NULL, (int)((int64_t)head + bytes));
    int *offsets = p ? (int *)(void *)p->bytes : NULL;
    if (p)
        offsets[0] = 0;
    for (int i = 0; p && i < n->size; i++)
        offsets[i + 1] = offsets[i] + given.counts[i];
    if (p && bytes)
        memcpy(p->bytes + head, given.bytes, (size_t)bytes);
    lun_net_request *r = join(n, LUN_NET_EXCHANGE, LUN_NET_ANY, p, out);
    if (!r)
        return false;
    r->bytes = got.bytes;
    r->counts = got.counts;
    return true;
}

bool lun__thread_step_agree(lun_net *n, uint64_t *words, int count, lun_net_request **out)
{
    lun_parcel *p = lun__parcel_new(n, 0, words, count * (int)sizeof *words);
    lun_net_request *r = join(n, LUN_NET_AGREE, LUN_NET_ANY, p, out);
    if (!r)
        return false;
    r->bytes = words;
    r->count = count;
    return true;
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* The part that a root has lent, NULL: none. The lock is held. */
static lun_parcel *lent_part(const lun_net_request *r)
{
    lun_parcel *p = r->kind == LUN_NET_BCAST ? r->step->parts[r->from] : NULL;
    return p && p->lent ? p : NULL;
}

/* Whether the parts that r needs are there, and what this rank has lent is with all. The lock is
 * held. */
static bool is_ready(const lun_threads *me, const lun_net_request *r)
{
    const lun_net_group *g = me->group;
    const lun_step *s = r->step;
    if (r->from == me->base.rank && lent_part(r))
        return s->taken == g->size - 1;
    return s->arrived == g->size || (r->kind == LUN_NET_BCAST && s->parts[r->from]);
}

/* The bytes for this rank in a part, and their number in *count. */
static const char *part_for(const lun_threads *me, const lun_net_request *r, const lun_parcel *p,
                            int *count)
{
    const int rank = me->base.rank, size = me->base.size;
    if (r->kind != LUN_NET_EXCHANGE) {
        *count = p->count;
        return p->bytes;
    }
    *count = bytes_for(p, rank);
    return p->bytes + ((size_t)size + 1) * sizeof(int) + offsets_in(p)[rank];
}

/* Copies the result of a step that is ready; false where the ranks do not agree on its sizes. */
static bool take(const lun_threads *me, const lun_net_request *r)
{
    const lun_step *s = r->step;
    char *to = r->bytes;
    if (r->kind == LUN_NET_BCAST) {
        const lun_parcel *p = s->parts[r->from];
        if (!p || p->count != r->count)
            return false;
        if (r->from != me->base.rank && p->count)
            memcpy(to, p->lent ? p->lent : p->bytes, (size_t)p->count);
        return true;
    }
    if (s->differ)
        return false;
    if (r->kind == LUN_NET_AGREE) {
        memcpy(to, s->common->bytes, (size_t)s->common->count);
        return true;
    }
    for (int i = 0; i < me->base.size; i++) {
        int count;
        const char *from = part_for(me, r, s->parts[i], &count);
        if (count != r->counts[i])
            return false;
        if (count)
            memcpy(to, from, (size_t)count);
        to += count;
    }
    return true;
}

/* What the step costs once all that is needed has started. */
static double cost_of(const lun_threads *me, const lun_net_request *r)
{
    const lun_net_clock *c = &me->base.clock;
    const lun_step *s = r->step;
    const int size = me->base.size;
    switch (r->kind) {
    case LUN_NET_BCAST:
        return lun__net_clock_bcast(c, size, r->count);
    case LUN_NET_AGREE:
        return lun__net_clock_agree(c, size, r->count * (int64_t)sizeof(uint64_t));
    case LUN_NET_EXCHANGE:
        return s->loads ? lun__net_clock_exchange(c, size, s->loads[me->base.rank], s->most) : 0;
    default:
        return lun__net_clock_gather(c, size, s->bytes - s->parts[me->base.rank]->count);
    }
}

/* Moves this rank's modelled clock to the end of the step. */
static void pass_time(lun_threads *me, const lun_net_request *r)
{
    lun_net_clock *c = &me->base.clock;
    const double start = r->kind == LUN_NET_BCAST ? r->step->parts[r->from]->at : r->step->start;
    const double end = start + cost_of(me, r);
    if (c->now < end)
        c->now = end;
}

bool lun__thread_step(lun_threads *me, lun_net_request **request)
{
    lun_net_group *g = me->group;
    lun_step *s = (*request)->step;
    pthread_mutex_lock(&g->lock);
    const bool ready = is_ready(me, *request);
    lun_parcel *lent = ready ? lent_part(*request) : NULL;
    const bool withdrawn = lent && lent->withdrawn;
    if (lent)
        lent->copying++;
    pthread_mutex_unlock(&g->lock);
    if (!ready)
        return true;
    const bool fits = !withdrawn && take(me, *request);
    if (fits && has_clock(me))
        pass_time(me, *request);
    pthread_mutex_lock(&g->lock);
    const bool last = ++s->taken == g->size;
    if (lent)
        lent->copying--;
    if (lent && (lent->withdrawn || s->taken == g->size - 1))
        lun__parcel_changed(&g->boxes[(*request)->from]);
    lun_step **at = &g->steps;
    while (last && *at != s)
        at = &(*at)->next;
    if (last)
        *at = s->next;
    pthread_mutex_unlock(&g->lock);
    if (last)
        lun__thread_step_drop(s, g->size);
    lun__parcel_done(me, request);
    return fits ||
           lun__parcel_fail(&me->base,
                            withdrawn ? "the rank that broadcasts has given up"
                                      : "the ranks do not agree on the number of bytes of a step");
}
