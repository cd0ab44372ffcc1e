/* sort_count.c - elements of few bits in order, by counting them.  See sort_parts.h. */
#include <stdatomic.h>
#include <string.h>

#include "algorithms/sort/sort_parts.h"

enum {
    LEAST_8 = 64, /* elements of a segment for which it is worth it */
    LEAST_16 = 1 << 15,
    TOGETHER = 1 << 18, /* from which all workers take a segment */
    ROUND = 1 << 30     /* elements that are counted in 32 bits */
};

typedef struct run {
    const lun_services *services;
    const lun_team *team;
    const lun_sorting *s;
    lun_keys keys;
    int workers, values;
    const char *from; /* of the segment that all take */
    char *to;
    int64_t *starts; /* by key, and the end: of that segment */
    char *own;       /* of worker 0, the others follow */
    atomic_llong next;
} run;

bool lun__sort_counts(const lun_sorting *s)
{
    const int bits = lun__dtype_bits(s->dtype);
    return !s->indices &&
           ((bits == 8 && s->segment >= LEAST_8) || (bits == 16 && s->segment >= LEAST_16));
}

static int values_of(lun_dtype t)
{
    return 1 << lun__dtype_bits(t);
}

/* A worker's counts of elements, counts of a round, and starts. */
static int64_t own_bytes(lun_dtype t)
{
    return values_of(t) * (int64_t)(2 * sizeof(int64_t) + sizeof(uint32_t)) + LUN_LINE;
}

static int64_t *starts_in(const run *r, char *own)
{
    return (int64_t *)(void *)own + r->values;
}

static uint32_t *round_in(const run *r, char *own)
{
    return (uint32_t *)(void *)(starts_in(r, own) + r->values + 1);
}

int64_t lun__sort_count_room(const lun_sorting *s, int workers)
{
    return (workers + 1) * own_bytes(s->dtype);
}

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Adds how many of n elements there are of each. */
static void count_8(const uint8_t *x, int64_t n, int64_t *counts)
{
    uint32_t part[4][256];
    memset(part, 0, sizeof part);
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            part[k][x[i + k]]++;
    for (; i < n; i++)
        part[0][x[i]]++;
    for (int v = 0; v < 256; v++)
        counts[v] += (int64_t)part[0][v] + part[1][v] + part[2][v] + part[3][v];
}

static void count_16(const uint16_t *x, int64_t n, uint32_t *part, int64_t *counts)
{
    memset(part, 0, sizeof *part << 16);
    for (int64_t i = 0; i < n; i++)
        part[x[i]]++;
    for (int v = 0; v < 1 << 16; v++)
        counts[v] += part[v];
}

static void count(const run *r, const char *from, int64_t n, char *own)
{
    int64_t *counts = (int64_t *)(void *)own;
    memset(counts, 0, sizeof *counts * (size_t)r->values);
    for (int64_t i = 0; i < n && !lun__backend_stop_requested(r->services); i += ROUND) {
        if (r->values == 256)
            count_8((const uint8_t *)from + i, less(ROUND, n - i), counts);
        else
            count_16((const uint16_t *)(const void *)from + i, less(ROUND, n - i), round_in(r, own),
                     counts);
    }
}

/* Where elements of each key begin; NaNs have no indices here. */
static void start(const run *r, const int64_t *counts, int64_t *starts)
{
    const uint32_t most = (uint32_t)r->keys.infinity;
    int64_t sum = 0;
    for (int key = 0; key < r->values; key++) {
        const uint16_t v = lun__keys_narrow(&r->keys, (uint32_t)key);
        starts[key] = sum;
        if (!most || (v & (uint32_t)(r->values / 2 - 1)) <= most)
            sum += counts[v];
    }
    starts[r->values] = sum;
}

/* The elements first .. last - 1 of a segment. */
static void fill(const run *r, const int64_t *starts, int64_t first, int64_t last, char *to)
{
    int low = 0, high = r->values;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (starts[middle] <= first)
            low = middle;
        else
            high = middle;
    }
    last = less(last, starts[r->values]);
    for (int key = low; first < last; key++) {
        const int64_t end = less(starts[key + 1], last);
        const uint16_t v = lun__keys_narrow(&r->keys, (uint32_t)key);
        if (r->values == 256 && end > first)
            memset(to + first, v, (size_t)(end - first));
        else
            for (uint16_t *x = (uint16_t *)(void *)to; first < end; first++)
                x[first] = v;
        first = end > first ? end : first;
    }
}

static void finish(const run *r, const int64_t *starts, const char *from, char *to)
{
    const int64_t rest = starts[r->values];
    if (rest < r->s->segment && r->keys.infinity)
        lun__keys_nans(&r->keys, from, r->s->segment, to + rest * (r->keys.bits / 8));
}

/* ---- segments -------------------------------------------------------------------------------- */

static void work_on_segments(void *ctx, int worker)
{
    run *r = ctx;
    const lun_sorting *s = r->s;
    char *own = r->own + worker * own_bytes(s->dtype);
    const int64_t *counts = (int64_t *)(void *)own;
    int64_t *starts = starts_in(r, own);
    const int64_t bytes = s->segment * (r->keys.bits / 8);
    for (int64_t i; (i = atomic_fetch_add(&r->next, 1)) < s->n / s->segment;) {
        if (lun__backend_stop_requested(r->services))
            continue;
        const char *from = (const char *)s->from + i * bytes;
        char *to = (char *)s->to + i * bytes;
        count(r, from, s->segment, own);
        start(r, counts, starts);
        fill(r, starts, 0, s->segment, to);
        finish(r, starts, from, to);
    }
}

/* ---- one segment, by all workers ------------------------------------------------------------- */

static void work_on_counts(void *ctx, int worker)
{
    run *r = ctx;
    const int64_t n = r->s->segment, size = r->keys.bits / 8;
    const int64_t first = n / r->workers * worker;
    const int64_t last = worker + 1 < r->workers ? n / r->workers * (worker + 1) : n;
    count(r, r->from + first * size, last - first, r->own + worker * own_bytes(r->s->dtype));
}

static void work_on_results(void *ctx, int worker)
{
    run *r = ctx;
    const int64_t n = r->s->segment, first = n / r->workers * worker;
    const int64_t last = worker + 1 < r->workers ? n / r->workers * (worker + 1) : n;
    if (!lun__backend_stop_requested(r->services))
        fill(r, r->starts, first, last, r->to);
}

static void together(run *r, int workers, void (*work)(void *ctx, int worker))
{
    if (workers > 1)
        r->team->parallel(r->team, r, workers, work);
    else
        work(r, 0);
}

static void run_one(run *r)
{
    together(r, r->workers, work_on_counts);
    int64_t *all = (int64_t *)(void *)r->own;
    for (int w = 1; w < r->workers; w++) {
        const int64_t *more = (int64_t *)(void *)(r->own + w * own_bytes(r->s->dtype));
        for (int v = 0; v < r->values; v++)
            all[v] += more[v];
    }
    start(r, all, r->starts);
    together(r, r->workers, work_on_results);
    finish(r, r->starts, r->from, r->to);
}

void lun__sort_count_run(const lun_services *services, const lun_team *team, int workers,
                         const lun_sorting *s)
{
    run r = {.services = services, .team = team, .workers = workers, .s = s};
    r.keys = lun__keys(s->dtype, s->descending);
    r.values = values_of(s->dtype);
    r.starts = s->scratch;
    r.own = (char *)s->scratch + own_bytes(s->dtype);
    atomic_init(&r.next, 0);
    if (s->segment < TOGETHER) {
        together(&r, (int)less(workers, s->n / s->segment), work_on_segments);
        return;
    }
    const int64_t bytes = s->segment * (r.keys.bits / 8);
    for (int64_t i = 0; i < s->n / s->segment && !lun__backend_stop_requested(services); i++) {
        r.from = (const char *)s->from + i * bytes;
        r.to = (char *)s->to + i * bytes;
        run_one(&r);
    }
}
