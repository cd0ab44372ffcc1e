/* arrange_groups.c - the elements of each group of rows in order, one group after the other.
 * Operands: codes, i32, below the number of groups; elements of 64 bits.
 *
 * Rows are cut into shares.  Each counts its rows by group, so it is known where its elements of a
 * group go, and there they go, as keys (sort/keys.h).  Then workers sort group after group, each in
 * its cache, with the result's memory beside; a group that is too long for that is sorted by all
 * workers together. */
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"
#include "algorithms/sort/radix.h"
#include "algorithms/sort/sort.h"

enum {
    BLOCK = 1024,    /* keys that are made at a time */
    LEAST = 1 << 14, /* rows of a share */
    LONG = 1 << 16,  /* elements of a group that is sorted by one worker, at most */
    BATCHES = 16     /* of groups, for each worker */
};

typedef struct arranging {
    const lun_services *services;
    lun_keys keys;
    const int32_t *codes;
    const uint64_t *from;
    uint64_t *to, *gathered;
    int64_t n, groups, shares, batch;
    int64_t *next; /* by share and group: where the next element goes */
    char *rest;    /* scratch memory for long groups */
} arranging;

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The tables of shares take no more memory than the elements, but for one. */
static int64_t shares_of(int64_t n, int64_t groups, int threads)
{
    const int64_t most = less(threads, n / LEAST + 1);
    const int64_t fit = groups > 0 ? n / groups : most;
    return fit < 1 ? 1 : less(most, fit);
}

static lun_sorting sorting_of(lun_dtype t, int64_t n)
{
    return (lun_sorting){.dtype = t, .n = n, .segment = n};
}

int64_t lun__arrange_room(const lun_algorithm_run *r, int threads)
{
    static uint64_t any;
    const int64_t n = r->in[0].n, groups = (int64_t)r->option[1];
    lun_sorting s = sorting_of(r->in[1].dtype, n);
    s.to = &any;
    const int64_t tables = shares_of(n, groups, threads) * groups;
    return (n + tables + 8) * 8 + (n > LONG ? lun__sorting_room(&s, threads) : 0);
}

/* ---- shares ---------------------------------------------------------------------------------- */

static void count_share(void *ctx, int64_t share, int worker)
{
    const arranging *a = ctx;
    int64_t *next = a->next + share * a->groups;
    const int64_t from = a->n * share / a->shares, to = a->n * (share + 1) / a->shares;
    (void)worker;
    for (int64_t g = 0; g < a->groups; g++)
        next[g] = 0;
    for (int64_t i = from; i < to; i++)
        next[a->codes[i]]++;
}

/* Counts become places: of a group the shares' ones in order. */
static void place(const arranging *a)
{
    int64_t sum = 0;
    for (int64_t g = 0; g < a->groups; g++)
        for (int64_t k = 0; k < a->shares; k++) {
            int64_t *next = a->next + k * a->groups + g, count = *next;
            *next = sum;
            sum += count;
        }
}

static void gather_share(void *ctx, int64_t share, int worker)
{
    const arranging *a = ctx;
    int64_t *next = a->next + share * a->groups;
    const int64_t from = a->n * share / a->shares, to = a->n * (share + 1) / a->shares;
    uint64_t keys[BLOCK];
    (void)worker;
    for (int64_t i = from; i < to; i += BLOCK) {
        const int64_t n = less(BLOCK, to - i);
        (void)lun__keys_read(&a->keys, a->from + i, n, 0, LUN_RECORD_KEY64, keys);
        for (int64_t j = 0; j < n; j++)
            a->gathered[next[a->codes[i + j]]++] = keys[j];
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Where a group's elements end, after all are gathered. */
static int64_t end_of(const arranging *a, int64_t group)
{
    return group < 0 ? 0 : a->next[(a->shares - 1) * a->groups + group];
}

static void write_back(const arranging *a, int64_t from, int64_t to)
{
    lun__keys_write(&a->keys, LUN_RECORD_KEY64, a->gathered + from, to - from, a->to + from);
}

/* The groups of one batch, without those that are long. */
static void sort_batch(void *ctx, int64_t number, int worker)
{
    const arranging *a = ctx;
    const lun_radix *radix = &lun__radix[LUN_RECORD_KEY64];
    uint32_t counts[LUN_SETTLE_COUNTS * LUN_DIGITS];
    const int64_t first = number * a->batch, last = less(first + a->batch, a->groups);
    int64_t from = end_of(a, first - 1), written = from;
    (void)worker;
    for (int64_t g = first; g < last; g++) {
        const int64_t to = end_of(a, g);
        if (to - from > LONG) {
            write_back(a, written, from);
            written = to;
        } else if (to - from > 1) {
            radix->settle(a->gathered + from, to - from, 64, a->to + from, counts);
        }
        from = to;
    }
    write_back(a, written, from);
}

static lun_status sort_long(const arranging *a, const lun_team *team)
{
    for (int64_t g = 0, from = 0, to; g < a->groups; g++, from = to) {
        to = end_of(a, g);
        if (to - from <= LONG)
            continue;
        lun_sorting s = sorting_of(a->keys.dtype, to - from);
        lun__keys_write(&a->keys, LUN_RECORD_KEY64, a->gathered + from, s.n, a->gathered + from);
        s.from = a->gathered + from;
        s.to = a->to + from;
        s.scratch = a->rest;
        const lun_status status = lun__sorting_run(a->services, team, &s);
        if (status != LUN_OK)
            return status;
    }
    return LUN_OK;
}

lun_status lun__arrange_run(const lun_services *services, const lun_team *team,
                            lun_algorithm_run *r)
{
    arranging a = {.services = services,
                   .keys = lun__keys(r->in[1].dtype, false),
                   .codes = r->in[0].data,
                   .from = r->in[1].data,
                   .to = r->out[0].data,
                   .gathered = r->scratch,
                   .n = r->in[0].n,
                   .groups = (int64_t)r->option[1]};
    if (a.n == 0)
        return LUN_OK;
    a.shares = shares_of(a.n, a.groups, team->threads);
    a.next = (int64_t *)a.gathered + a.n;
    a.rest = (char *)(a.next + a.shares * a.groups);
    a.batch = a.groups / (BATCHES * team->threads) + 1;
    const int64_t batches = (a.groups + a.batch - 1) / a.batch;
    if (!lun__work_parts(services, team, a.shares, &a, count_share))
        return LUN_ECANCEL;
    place(&a);
    if (!lun__work_parts(services, team, a.shares, &a, gather_share) ||
        !lun__work_parts(services, team, batches, &a, sort_batch))
        return LUN_ECANCEL;
    return sort_long(&a, team);
}
