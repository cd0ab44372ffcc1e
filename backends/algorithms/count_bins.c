/* count_bins.c - how many elements lie in each of some bins, and the sums of their weights.
 *
 * Each worker counts in a table of its own; of elements of 8 bits each value, in eight tables in
 * turn, so that equal neighbours do not wait for each other.  Weights are added in their order:
 * parts of 65,536 elements have a table each, and these are added in the order of parts; of many
 * bins each worker adds those of a range of bins, in the order of the elements. */
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "algorithms/bins.h"
#include "algorithms/parts/algorithm_functions.h"
#include "ir/combine_order.h"

enum {
    PART = LUN_ORDER_PART,
    FEW_BINS = 8192, /* whose tables are added part by part */
    TABLES = 8,
    VALUES = 256,
    SPINS = 2000
};

static bool is_narrow(const lun_algorithm_run *r)
{
    return lun__dtype_bits(r->in[0].dtype) == 8;
}

static int workers_for(const lun_algorithm_run *r, int threads)
{
    int64_t parts = (r->in[0].n + PART - 1) / PART;
    return parts < 1 ? 1 : parts < threads ? (int)parts : threads;
}

/* A worker's part of the scratch: counts, sums of a part. */
typedef struct table {
    int64_t *counts; /* one more, for what is in no bin */
    double *sums;
} table;

static int64_t table_bytes(const lun_algorithm_run *r, bool weighed)
{
    int64_t bins = r->in[1].n - 1;
    return (bins + 1) * (int64_t)(sizeof(int64_t) + (weighed ? sizeof(double) : 0));
}

typedef struct run {
    const lun_services *services;
    lun_algorithm_run *r;
    lun_bins bins;
    const double *weights;
    int64_t n, parts;
    int workers;
    double *sums;      /* of all */
    atomic_llong next; /* the part to be taken */
    atomic_llong turn; /* the part whose sums are to be added */
    int64_t each;      /* bytes of a worker's table */
} run;

static table table_of(const run *x, int worker)
{
    char *at = (char *)x->r->scratch + worker * x->each;
    return (table){(int64_t *)at, (double *)(at + (x->bins.count + 1) * (int64_t)sizeof(int64_t))};
}

static const char *element(const run *x, int64_t k)
{
    return (const char *)x->r->in[0].data + k * lun__dtype_get(x->r->in[0].dtype)->bytes;
}

/* ---- elements of 8 bits ---------------------------------------------------------------------- */

/* How often each value is among n elements, at most 2^32. */
static void count_values(const uint8_t *from, int64_t n, uint32_t tables[TABLES][VALUES])
{
    int64_t k = 0;
    for (; k + TABLES <= n; k += TABLES) {
        uint64_t eight;
        memcpy(&eight, from + k, sizeof eight);
        for (int i = 0; i < TABLES; i++)
            tables[i][eight >> 8 * i & 0xff]++;
    }
    for (; k < n; k++)
        tables[0][from[k]]++;
}

static void count_narrow(void *ctx, int worker)
{
    run *x = ctx;
    uint32_t tables[TABLES][VALUES] = {{0}};
    uint8_t value[VALUES];
    int64_t bin[VALUES], *counts = table_of(x, worker).counts, since = 0;
    for (int v = 0; v < VALUES; v++)
        value[v] = (uint8_t)v;
    lun__bins_find(&x->bins, x->r->in[0].dtype, value, VALUES, bin);
    for (int64_t p;;) {
        p = lun__backend_stop_requested(x->services) ? x->parts : atomic_fetch_add(&x->next, 1);
        if (p >= x->parts || since >= UINT32_MAX / 2) {
            for (int i = 0; i < TABLES; i++)
                for (int v = 0; v < VALUES; v++)
                    counts[bin[v]] += tables[i][v];
            memset(tables, 0, sizeof tables);
            since = 0;
        }
        if (p >= x->parts)
            break;
        int64_t first = p * PART, n = x->n - first < PART ? x->n - first : PART;
        count_values((const uint8_t *)element(x, first), n, tables);
        since += n;
    }
}

/* ---- other elements -------------------------------------------------------------------------- */

static void count_part(const run *x, int64_t first, int64_t n, int64_t *counts)
{
    int64_t bin[LUN_BINS_BLOCK];
    for (int64_t at = 0; at < n; at += LUN_BINS_BLOCK) {
        int64_t some = n - at < LUN_BINS_BLOCK ? n - at : LUN_BINS_BLOCK;
        lun__bins_find(&x->bins, x->r->in[0].dtype, element(x, first + at), some, bin);
        for (int64_t k = 0; k < some; k++)
            counts[bin[k]]++;
    }
}

static void count_wide(void *ctx, int worker)
{
    run *x = ctx;
    int64_t *counts = table_of(x, worker).counts;
    for (int64_t p; (p = atomic_fetch_add(&x->next, 1)) < x->parts;)
        if (!lun__backend_stop_requested(x->services))
            count_part(x, p * PART, x->n - p * PART < PART ? x->n - p * PART : PART, counts);
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Bins low .. high - 1 alone. */
static void add_part(const run *x, int64_t first, int64_t n, int64_t low, int64_t high,
                     int64_t *counts, double *sums)
{
    int64_t bin[LUN_BINS_BLOCK];
    for (int64_t at = 0; at < n; at += LUN_BINS_BLOCK) {
        int64_t some = n - at < LUN_BINS_BLOCK ? n - at : LUN_BINS_BLOCK;
        lun__bins_find(&x->bins, x->r->in[0].dtype, element(x, first + at), some, bin);
        for (int64_t k = 0; k < some; k++)
            if (bin[k] >= low && bin[k] < high) {
                counts[bin[k]]++;
                sums[bin[k]] += x->weights[first + at + k];
            }
    }
}

/* Adds a part's sums to those of all when those before it are there. */
static void add_in_turn(run *x, int64_t part, const double *sums)
{
    for (int i = 0; atomic_load_explicit(&x->turn, memory_order_acquire) != part; i++)
        if (i > SPINS)
            sched_yield();
    for (int64_t b = 0; b < x->bins.count; b++)
        x->sums[b] += sums[b];
    atomic_store_explicit(&x->turn, part + 1, memory_order_release);
}

static void weigh_parts(void *ctx, int worker)
{
    run *x = ctx;
    table t = table_of(x, worker);
    for (int64_t p; (p = atomic_fetch_add(&x->next, 1)) < x->parts;) {
        int64_t first = p * PART, n = x->n - first < PART ? x->n - first : PART;
        memset(t.sums, 0, (size_t)(x->bins.count + 1) * sizeof *t.sums);
        if (!lun__backend_stop_requested(x->services))
            add_part(x, first, n, 0, x->bins.count, t.counts, t.sums);
        add_in_turn(x, p, t.sums);
    }
}

static void weigh_range(void *ctx, int worker)
{
    run *x = ctx;
    int64_t range = x->bins.count / x->workers + 1, low = worker * range;
    for (int64_t p = 0; p < x->parts && !lun__backend_stop_requested(x->services); p++)
        add_part(x, p * PART, x->n - p * PART < PART ? x->n - p * PART : PART, low, low + range,
                 table_of(x, worker).counts, x->sums);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The edges checked, tables and results zero. */
static lun_status start(const lun_services *services, const lun_team *team, lun_algorithm_run *r,
                        bool weighed, run *x)
{
    *x = (run){.services = services, .r = r, .n = r->in[0].n, .each = table_bytes(r, weighed)};
    int64_t wrong = lun__bins_make(r->in[1].data, r->in[1].n - 1, &x->bins);
    if (wrong >= 0) {
        r->failed = wrong;
        return LUN_ERANGE;
    }
    x->parts = (x->n + PART - 1) / PART;
    x->workers = workers_for(r, team->threads);
    memset(r->scratch, 0, (size_t)(x->workers * x->each));
    return LUN_OK;
}

static void go(const run *x, const lun_team *team, void (*task)(void *ctx, int worker))
{
    if (x->workers > 1)
        team->parallel(team, (void *)(uintptr_t)x, x->workers, task);
    else
        task((void *)(uintptr_t)x, 0);
}

static void add_counts(const run *x, int64_t *to)
{
    memset(to, 0, (size_t)x->bins.count * sizeof *to);
    for (int w = 0; w < x->workers; w++) {
        const int64_t *counts = table_of(x, w).counts;
        for (int64_t b = 0; b < x->bins.count; b++)
            to[b] += counts[b];
    }
}

int64_t lun__histogram_room(const lun_algorithm_run *r, int threads)
{
    return workers_for(r, threads) * table_bytes(r, false);
}

lun_status lun__histogram_run(const lun_services *services, const lun_team *team,
                              lun_algorithm_run *r)
{
    run x;
    lun_status s = start(services, team, r, false, &x);
    if (s != LUN_OK)
        return s;
    go(&x, team, is_narrow(r) ? count_narrow : count_wide);
    add_counts(&x, r->out[0].data);
    return LUN_OK;
}

int64_t lun__weighed_room(const lun_algorithm_run *r, int threads)
{
    return workers_for(r, threads) * table_bytes(r, true);
}

lun_status lun__weighed_run(const lun_services *services, const lun_team *team,
                            lun_algorithm_run *r)
{
    run x;
    lun_status s = start(services, team, r, true, &x);
    if (s != LUN_OK)
        return s;
    x.weights = r->in[2].data;
    x.sums = r->out[0].data;
    memset(x.sums, 0, (size_t)x.bins.count * sizeof *x.sums);
    go(&x, team, x.bins.count <= FEW_BINS ? weigh_parts : weigh_range);
    add_counts(&x, r->out[1].data);
    return LUN_OK;
}
