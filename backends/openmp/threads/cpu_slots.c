/* cpu_slots.c - the choice of CPU slots; see cpu_slots.h.  First one hardware thread of each core,
 * in turn from each memory node, so that few threads have the most of caches and memory; then the
 * cores' other ones. */
#include "openmp/threads/cpu_slots.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE_MOST = 32 << 20 }; /* one process cannot count on more of a large last-level cache */

/* What the choice is made of: slots that are allowed, with their order. */
typedef struct candidate {
    const lun_cpu_slot *slot;
    int sibling,
        turn; /* how many of its core, of its node and this sibling number, come before it */
} candidate;

static int by_order(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->sibling != y->sibling)
        return x->sibling < y->sibling ? -1 : 1;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    if (x->slot->node != y->slot->node)
        return x->slot->node < y->slot->node ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int by_node(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->slot->node != y->slot->node)
        return x->slot->node < y->slot->node ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Allowed slots in the order in which they are to be used; how many, and how many cores they are
 * on. */
static int order(const lun_topology *t, candidate *c, int *cores)
{
    int n = 0;
    *cores = 0;
    for (int i = 0; i < t->count; i++) {
        if (!t->slots[i].allowed)
            continue;
        candidate one = {.slot = &t->slots[i]};
        for (int k = 0; k < n; k++)
            one.sibling += c[k].slot->core == one.slot->core;
        for (int k = 0; k < n; k++)
            one.turn += c[k].slot->node == one.slot->node && c[k].sibling == one.sibling;
        *cores += one.sibling == 0;
        c[n++] = one;
    }
    qsort(c, (size_t)n, sizeof *c, by_order);
    return n;
}

/* The number of threads, within the limits. */
static int threads_for(const lun_cpu_slots_limits *limits, int slots, int cores)
{
    int n = limits->siblings ? slots : cores;
    if (limits->threads > 0)
        return limits->threads;
    if (limits->quota > 0 && limits->quota < n)
        n = limits->quota;
    return n > 0 ? n : 1;
}

/* What stays in the last-level caches that the first n candidates use. */
static int64_t cache_of(const lun_topology *t, const candidate *c, int n)
{
    int64_t one = t->l3 > 0 ? t->l3 : t->l2, sum = 0;
    if (one > SHARE_MOST)
        one = SHARE_MOST;
    for (int i = 0; i < n; i++) {
        bool seen = false;
        for (int k = 0; k < i && !seen; k++)
            seen = c[k].slot->cache == c[i].slot->cache;
        sum += seen ? 0 : one;
    }
    return sum;
}

bool lun__cpu_slots_make(const lun_topology *t, const lun_cpu_slots_limits *limits,
                         lun_cpu_slots *out)
{
    int cores;
    *out = (lun_cpu_slots){0};
    candidate *c = calloc((size_t)t->count + 1, sizeof *c);
    if (!c)
        return false;
    int n = order(t, c, &cores), threads = threads_for(limits, n, cores);
    int room = limits->siblings ? n : cores, used = threads < room ? threads : room;
    out->cpus = calloc((size_t)threads, sizeof *out->cpus);
    out->nodes = calloc((size_t)threads, sizeof *out->nodes);
    if (!out->cpus || !out->nodes) {
        lun__cpu_slots_free(out);
        free(c);
        return false;
    }
    out->threads = threads;
    out->cache_bytes = cache_of(t, c, used);
    out->chunk_bytes = t->l2 > 0 ? t->l2 / t->l2_cores / 2 : 0;
    qsort(c, (size_t)used, sizeof *c, by_node);
    for (int w = 0; w < threads; w++) {
        /* more threads than slots share them out evenly */
        const lun_cpu_slot *p = used ? c[(int64_t)w * used / threads].slot : NULL;
        out->cpus[w] = p ? p->cpu : -1;
        out->nodes[w] = p ? p->node : 0;
        out->node_count += w == 0 || out->nodes[w] != out->nodes[w - 1];
    }
    free(c);
    return true;
}

int lun__cpu_slots_core(const lun_topology *t, int cpu)
{
    for (int i = 0; i < t->count; i++)
        if (t->slots[i].cpu == cpu)
            return t->slots[i].core;
    return -1;
}

int lun__cpu_slots_of(const lun_topology *t, const lun_cpu_slots *s, int worker, int callers,
                      bool siblings)
{
    int own = s->cpus[worker], first = s->cpus[0];
    if (own < 0 || own == first || (siblings && own != callers))
        return own;
    if (!siblings && lun__cpu_slots_core(t, own) != lun__cpu_slots_core(t, callers))
        return own;
    return first;
}

void lun__cpu_slots_free(lun_cpu_slots *p)
{
    free(p->cpus);
    free(p->nodes);
    *p = (lun_cpu_slots){0};
}
