/* search.c - the row searchsorted: the indices that elements would have in a sorted Vector.  NaN is
 * greater than all numbers, zeros are equal. */
#include <stdatomic.h>
#include <string.h>

#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/sort/keys.h"

enum { CHUNK = 1 << 12, RIGHT = 1 /* of option 0 */ };

typedef struct run {
    const lun_services *services;
    const lun_algorithm_run *r;
    lun_keys keys;
    int64_t chunks;
    atomic_llong next;
} run;

/* The key of element i of x, which of -0.0 is that of 0.0. */
static inline uint64_t key_at(const lun_keys *k, const char *x, int64_t i)
{
    const int64_t size = k->bits / 8;
    uint64_t raw = 0;
    memcpy(&raw, x + i * size, (size_t)size);
    return lun__key(k, k->infinity && raw == (uint64_t)1 << (k->bits - 1) ? 0 : raw);
}

/* How many of n sorted elements are less than the key, or not greater. */
static int64_t search(const lun_keys *k, const char *sorted, int64_t n, uint64_t key, bool right)
{
    int64_t from = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const uint64_t middle = key_at(k, sorted, from + half);
        if (right ? middle <= key : middle < key) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

static void work(void *ctx, int worker)
{
    run *all = ctx;
    const lun_algorithm_run *r = all->r;
    const bool right = r->option[0] & RIGHT;
    const int64_t base = (int64_t)r->option[1], n = r->in[1].n;
    int64_t *to = r->out[0].data;
    (void)worker;
    for (int64_t c; (c = atomic_fetch_add(&all->next, 1)) < all->chunks;) {
        const int64_t end = c + 1 < all->chunks ? (c + 1) * CHUNK : n;
        for (int64_t i = c * CHUNK; i < end && !lun__backend_stop_requested(all->services); i++)
            to[i] = base + search(&all->keys, r->in[0].data, r->in[0].n,
                                  key_at(&all->keys, r->in[1].data, i), right);
    }
}

int64_t lun__searchsorted_room(const lun_algorithm_run *r, int threads)
{
    (void)r, (void)threads;
    return 0;
}

lun_status lun__searchsorted_run(const lun_services *services, const lun_team *team,
                                 lun_algorithm_run *r)
{
    run all = {.services = services, .r = r, .keys = lun__keys(r->in[0].dtype, false)};
    all.chunks = (r->in[1].n + CHUNK - 1) / CHUNK;
    atomic_init(&all.next, 0);
    const int workers = all.chunks < team->threads ? (int)all.chunks : team->threads;
    if (workers > 1)
        team->parallel(team, &all, workers, work);
    else
        work(&all, 0);
    return LUN_OK;
}
