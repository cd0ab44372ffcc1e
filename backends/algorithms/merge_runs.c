/* merge_runs.c - the algorithms `cuts` and `merged`: sorted runs split at splitters and merged.
 * Elements are compared by their keys (keys.h) and moved as they are, so NaNs keep their bits; of
 * equal ones those of earlier runs come first.
 *
 * Runs are merged in pairs, level by level.  Workers share the elements of a level: where theirs
 * begin in both runs of a pair is searched. */
#include <stdatomic.h>
#include <string.h>

#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/sort/keys.h"

enum { FALLING = 1 /* of option 0 */, CHUNK = 1 << 16, LINE = 64 };

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t key_at(const lun_keys *k, const char *x, int64_t i)
{
    const int64_t size = k->bits / 8;
    uint64_t raw = 0;
    memcpy(&raw, x + i * size, (size_t)size);
    return lun__key(k, raw);
}

/* ---- cuts ------------------------------------------------------------------------------------ */

/* How many of n elements in order are less than the key, or not greater. */
static int64_t count_before(const lun_keys *k, const char *x, int64_t n, uint64_t key, bool equal)
{
    int64_t from = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const uint64_t middle = key_at(k, x, from + half);
        if (middle < key || (equal && middle == key)) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

int64_t lun__cuts_room(const lun_algorithm_run *r, int threads)
{
    (void)r, (void)threads;
    return 0;
}

lun_status lun__cuts_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    const lun_keys keys = lun__keys(r->in[0].dtype, r->option[0] & FALLING);
    const int64_t *owner = r->in[2].data, own = (int64_t)r->option[1];
    int64_t *to = r->out[0].data;
    (void)services, (void)team;
    for (int64_t i = 0; i < r->in[1].n; i++)
        to[i] = count_before(&keys, r->in[0].data, r->in[0].n, key_at(&keys, r->in[1].data, i),
                             owner[i] >= own);
    return LUN_OK;
}

/* ---- merged ---------------------------------------------------------------------------------- */

/* Elements, and their indices unless that is NULL. */
typedef struct side {
    char *values; /* NULL, of results: not wanted */
    int64_t *indices;
} side;

typedef struct level {
    const lun_services *services;
    lun_keys keys;
    side from, to;
    int64_t *bound; /* of the runs: run i is bound[i] .. bound[i + 1] - 1 */
    int64_t runs, n;
    atomic_llong next; /* the first element that no worker has taken */
} level;

/* Runs bound[0] .. bound[1] - 1 and .. bound[2] - 1: how many of the first `count` elements in
 * order are of the first one. */
static int64_t share_of(const level *v, const int64_t *bound, int64_t count)
{
    const int64_t second = bound[2] - bound[1];
    int64_t low = count > second ? count - second : 0, high = less(count, bound[1] - bound[0]);
    while (low < high) {
        const int64_t i = low + (high - low) / 2;
        if (key_at(&v->keys, v->from.values, bound[1] + count - i - 1) <
            key_at(&v->keys, v->from.values, bound[0] + i))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

/* Elements at .. to - 1 of a pair's result, of which the next are a and b of the runs. */
#define WIDTH(BITS)                                                                                \
    static void merge_##BITS(const level *v, const int64_t *bound, int64_t a, int64_t b,           \
                             int64_t at, int64_t to)                                               \
    {                                                                                              \
        const lun_keys keys = v->keys;                                                             \
        const uint##BITS##_t *x = (const void *)v->from.values;                                    \
        uint##BITS##_t *y = (void *)v->to.values;                                                  \
        for (; at < to; at++) {                                                                    \
            const bool first =                                                                     \
                a < bound[1] && (b == bound[2] || lun__key(&keys, x[a]) <= lun__key(&keys, x[b])); \
            const int64_t i = first ? a : b;                                                       \
            if (y)                                                                                 \
                y[at] = x[i];                                                                      \
            if (v->to.indices)                                                                     \
                v->to.indices[at] = v->from.indices[i];                                            \
            a += first;                                                                            \
            b += !first;                                                                           \
        }                                                                                          \
    }
WIDTH(8)
WIDTH(16)
WIDTH(32)
WIDTH(64)

/* Elements from .. to - 1 of one pair's result. */
static void merge(const level *v, const int64_t *bound, int64_t from, int64_t to)
{
    const int64_t first = share_of(v, bound, from - bound[0]);
    const int64_t a = bound[0] + first, b = bound[1] + (from - bound[0]) - first;
    switch (v->keys.bits) {
    case 8:
        merge_8(v, bound, a, b, from, to);
        return;
    case 16:
        merge_16(v, bound, a, b, from, to);
        return;
    case 32:
        merge_32(v, bound, a, b, from, to);
        return;
    default:
        merge_64(v, bound, a, b, from, to);
    }
}

static void work(void *ctx, int worker)
{
    level *v = ctx;
    (void)worker;
    for (int64_t at; (at = atomic_fetch_add(&v->next, CHUNK)) < v->n;) {
        const int64_t end = less(at + CHUNK, v->n);
        for (int64_t i = 0; i < v->runs && !lun__backend_stop_requested(v->services); i += 2) {
            const int64_t one = less(i + 1, v->runs), two = less(i + 2, v->runs);
            const int64_t bound[] = {v->bound[i], v->bound[one], v->bound[two]};
            const int64_t from = at > bound[0] ? at : bound[0], to = less(end, bound[2]);
            if (from < to)
                merge(v, bound, from, to);
        }
    }
}

static int levels_of(int64_t runs)
{
    int levels = 1;
    while ((int64_t)1 << levels < runs)
        levels++;
    return levels;
}

static int64_t rounded(int64_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static int64_t values_bytes(const lun_algorithm_run *r)
{
    return rounded(r->in[0].n * lun__dtype_get(r->in[0].dtype)->bytes);
}

static int64_t places_bytes(const lun_algorithm_run *r)
{
    return r->in[1].data ? rounded(r->in[0].n * (int64_t)sizeof(int64_t)) : 0;
}

static int64_t bound_bytes(const lun_algorithm_run *r)
{
    return rounded((r->in[2].n + 1) * (int64_t)sizeof(int64_t));
}

int64_t lun__merged_room(const lun_algorithm_run *r, int threads)
{
    const int levels = levels_of(r->in[2].n);
    (void)threads;
    return bound_bytes(r) + (levels > 1 ? values_bytes(r) + places_bytes(r) : 0) +
           (levels > 2 && !r->out[0].data ? values_bytes(r) : 0);
}

/* The levels' two sides in turn, so that the last one gives the results. */
static void lay_out(const lun_algorithm_run *r, int levels, side *between, side *results)
{
    char *at = (char *)r->scratch + bound_bytes(r);
    *results = (side){r->out[0].data, r->in[1].data ? r->out[1].data : NULL};
    *between = (side){NULL, NULL};
    if (levels == 1)
        return;
    between->values = at;
    at += values_bytes(r);
    between->indices = r->in[1].data ? (int64_t *)(void *)at : NULL;
    at += places_bytes(r);
    if (levels > 2 && !results->values)
        results->values = at;
}

static void run_level(level *v, const lun_team *team)
{
    const int64_t chunks = (v->n + CHUNK - 1) / CHUNK;
    const int workers = (int)less(chunks, team->threads);
    atomic_init(&v->next, 0);
    if (workers > 1)
        team->parallel(team, v, workers, work);
    else
        work(v, 0);
    const int64_t runs = v->runs;
    v->runs = (runs + 1) / 2;
    for (int64_t i = 0; i < v->runs; i++)
        v->bound[i] = v->bound[2 * i];
    v->bound[v->runs] = v->n;
}

/* Of equal elements the first one, with the sum of their second operands. */
static void make_one(const lun_keys *k, lun_algorithm_run *r)
{
    char *values = r->out[0].data;
    int64_t *sums = r->out[1].data, found = 0;
    const int64_t size = k->bits / 8;
    for (int64_t i = 0; i < r->in[0].n; i++) {
        if (found && key_at(k, values, found - 1) == key_at(k, values, i)) {
            sums[found - 1] += sums[i];
            continue;
        }
        memmove(values + found * size, values + i * size, (size_t)size);
        sums[found++] = sums[i];
    }
    r->out[0].n = r->out[1].n = found;
}

lun_status lun__merged_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    const int levels = levels_of(r->in[2].n);
    const int64_t *lengths = r->in[2].data;
    level v = {.services = services, .runs = r->in[2].n, .n = r->in[0].n, .bound = r->scratch};
    side sides[2];
    v.keys = lun__keys(r->in[0].dtype, r->option[0] & FALLING);
    v.from = (side){r->in[0].data, r->in[1].data};
    v.bound[0] = 0;
    for (int64_t i = 0; i < v.runs; i++)
        v.bound[i + 1] = v.bound[i] + lengths[i];
    lay_out(r, levels, &sides[1], &sides[0]);
    for (int i = levels - 1; i >= 0; i--) {
        v.to = sides[i % 2];
        if (!i)
            v.to.values = r->out[0].data;
        run_level(&v, team);
        v.from = v.to;
    }
    if (r->option[0] & LUN_MERGED_ONE)
        make_one(&v.keys, r);
    return LUN_OK;
}
