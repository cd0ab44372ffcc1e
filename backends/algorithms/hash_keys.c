/* hash_keys.c - the different keys of a column, by hashing; see hash_keys.h.
 *
 * All threads put keys into one table, first a small one; where it gets too full the next is four
 * times as large, up to one for as many as hashing may pay for.  Then the keys in the table are
 * sorted and each entry gets the number of its key.  So which entry a key has, which depends on the
 * order of work, is seen nowhere.
 *
 * Where a sample says that there are few different keys, it fills the table, and the codes of all
 * are looked up there; one that is not there begins it anew.  Else all keys fill it, and codes hold
 * entries until these have numbers.  Where only counts are wanted, keys are counted as they are
 * looked up or fill it.
 *
 * Invariant: an entry of the table is 0, or becomes a key once, by compare and exchange, and
 * stays so; a key is in one entry, less than TRIES behind that of its hash, with no empty one
 * between (open addressing, linear probing). numbers[] is written when all threads are done with
 * filling. */
#include "algorithms/hash_keys.h"

#include <stdatomic.h>
#include <string.h>

#include "algorithms/key_counts.h"
#include "algorithms/parts/work_parts.h"
#include "algorithms/sort/sort.h"
#include "table/dtype.h"

enum {
    AHEAD = 256,  /* keys that are looked for at a time */
    PART = 65536, /* keys, or entries, that a thread takes at a time */
    TRIES = 128,  /* entries beside its own at which a key may be */
    FIRST = 13,   /* log2 of entries of the first table */
    MOST = 30,
    DENSE = 20,  /* from which tables may be half full, smaller ones a quarter */
    SAMPLE = 64, /* of so many blocks one is looked at first, where */
    OFTEN = 8,   /* a key occurs so often in it, on average, it is all that is looked at */
    LINE = 64
};

typedef struct table {
    int log2;
    void *slots;      /* 0: no key */
    int32_t *numbers; /* of the keys of entries */
} table;

#define KEY  uint32_t
#define BITS 32
#include "algorithms/distinct_of.h"
#define KEY  uint64_t
#define BITS 64
#include "algorithms/distinct_of.h"

typedef struct run {
    lun_hash_keys *d;
    table table;
    char *keys, *sorted, *rest;
    int64_t n, size;       /* keys; bytes of one in the table */
    int64_t *parts;        /* of the table: its keys, then those before it */
    int64_t step;          /* of so many blocks of keys one fills the table */
    lun_key_counts counts; /* of entries */
    atomic_llong made;
    atomic_bool full, missed;
} run;

static int64_t rounded(int64_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t parts(int64_t n)
{
    return (n + PART - 1) / PART;
}

/* Keys that a table may hold. */
static int64_t most_in(int log2)
{
    return (int64_t)1 << (log2 < DENSE ? log2 - 2 : log2 - 1);
}

/* The log2 of the smallest table for so many keys. */
static int log2_for(int64_t keys)
{
    int log2 = FIRST;
    while (log2 < MOST && most_in(log2) < keys)
        log2++;
    return log2;
}

/* Different keys that the largest table comes to hold where it is not too full. */
static int64_t most_keys(int64_t n, int64_t most)
{
    return less(n, most_in(log2_for(most)));
}

static lun_sorting sorting_of(const void *from, void *to, int64_t n, int64_t size)
{
    return (lun_sorting){
        .dtype = size == 4 ? LUN_U32 : LUN_U64, .n = n, .segment = n, .from = from, .to = to};
}

int64_t lun__hash_keys_room(int64_t n, int64_t most, bool counts, int threads)
{
    static char any[1];
    const int64_t entries = (int64_t)1 << log2_for(most), held = most_keys(n, most);
    const lun_sorting narrow = sorting_of(any, any, held, 4), wide = sorting_of(any, any, held, 8);
    const int64_t sorts[] = {lun__sorting_room(&narrow, threads),
                             lun__sorting_room(&wide, threads)};
    const int64_t caches = lun__key_counts_room(n, entries, threads) * threads;
    const int64_t counted = 8 * entries + caches * (int64_t)sizeof(lun_key_count);
    return rounded(8 * entries) + rounded(4 * entries) + 2 * rounded(8 * held) +
           rounded(8 * parts(entries)) + (counts ? rounded(counted) : 0) +
           rounded(sorts[sorts[0] < sorts[1]]) + LINE;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* n <= AHEAD keys as the table holds them. */
static void load(const run *x, int64_t from, int64_t n, void *to)
{
    const lun_hash_keys *d = x->d;
    if (d->narrow) {
        uint32_t *keys = to;
        lun__load_offsets(d->keys, from, n, d->low, keys);
        for (int64_t i = 0; i < n; i++)
            keys[i]++;
    } else {
        uint64_t *keys = to;
        lun__load_keys(d->keys, from, n, keys);
        for (int64_t i = 0; i < n; i++)
            keys[i] -= d->low - 1;
    }
}

static int64_t find(const run *x, const void *keys, int64_t n, bool fill, int32_t *entries)
{
    return x->d->narrow ? find_32(&x->table, keys, n, fill, entries)
                        : find_64(&x->table, keys, n, fill, entries);
}

static void clear(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    const int64_t from = part * PART, to = less(from + PART, (int64_t)1 << x->table.log2);
    (void)worker;
    memset((char *)x->table.slots + from * x->size, 0, (size_t)((to - from) * x->size));
}

/* Where the codes of n <= AHEAD keys go. */
static int32_t *codes_at(const run *x, int64_t i, int32_t *buffer)
{
    return x->d->codes ? x->d->codes + i : buffer;
}

static void fill(void *ctx, int64_t part, int worker)
{
    run *x = ctx;
    uint64_t keys[AHEAD];
    int32_t buffer[AHEAD];
    const int64_t to = less((part + 1) * PART, x->n), most = most_in(x->table.log2);
    for (int64_t i = part * PART; i < to && !atomic_load_explicit(&x->full, memory_order_relaxed);
         i += x->step * AHEAD) {
        const int64_t n = less(AHEAD, to - i);
        int32_t *entries = codes_at(x, i, buffer), all = 0;
        load(x, i, n, keys);
        const int64_t made = find(x, keys, n, true, entries);
        for (int64_t k = 0; k < n; k++)
            all |= entries[k];
        if (all < 0 || (made && atomic_fetch_add(&x->made, made) + made > most))
            atomic_store(&x->full, true);
        else if (x->d->counts && x->step == 1)
            lun__key_counts_add(&x->counts, worker, entries, n);
    }
}

static lun_status fill_table(run *x, int log2)
{
    lun_hash_keys *d = x->d;
    x->table.log2 = log2;
    atomic_init(&x->made, 0);
    atomic_init(&x->full, false);
    if (d->counts)
        lun__key_counts_begin(&x->counts, (int64_t)1 << log2);
    if (!lun__work_parts(d->services, d->team, parts((int64_t)1 << log2), x, clear) ||
        !lun__work_parts(d->services, d->team, parts(x->n), x, fill))
        return LUN_ECANCEL;
    if (d->counts && !x->full)
        lun__key_counts_end(&x->counts);
    return LUN_OK;
}

/* ---- the numbers ----------------------------------------------------------------------------- */

static int64_t collected(const run *x, int64_t part, void *to)
{
    const int64_t from = part * PART, end = less(from + PART, (int64_t)1 << x->table.log2);
    return x->d->narrow ? collect_32(&x->table, from, end, to)
                        : collect_64(&x->table, from, end, to);
}

static void count_keys(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    (void)worker;
    x->parts[part] = collected(x, part, NULL);
}

static void collect_keys(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    (void)worker;
    collected(x, part, x->keys + x->parts[part] * x->size);
}

static void number_entries(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    int32_t entries[AHEAD];
    const int64_t to = less((part + 1) * PART, x->d->count);
    (void)worker;
    for (int64_t i = part * PART; i < to; i += AHEAD) {
        const int64_t n = less(AHEAD, to - i);
        find(x, x->sorted + i * x->size, n, false, entries);
        for (int64_t k = 0; k < n; k++)
            x->table.numbers[entries[k]] = (int32_t)(i + k);
        for (int64_t k = 0; x->d->counts && k < n; k++)
            x->d->counts[i + k] = x->counts.of[entries[k]];
    }
}

static void look_up(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    int32_t *codes = x->d->codes;
    (void)worker;
    for (int64_t i = part * PART; i < less((part + 1) * PART, x->n); i++)
        codes[i] = x->table.numbers[codes[i]];
}

/* The codes of all keys by a table that was filled by some of them. */
static void look_for(void *ctx, int64_t part, int worker)
{
    run *x = ctx;
    uint64_t keys[AHEAD];
    int32_t buffer[AHEAD];
    const int64_t to = less((part + 1) * PART, x->n);
    bool all = true;
    for (int64_t i = part * PART; all && !x->missed && i < to; i += AHEAD) {
        const int64_t n = less(AHEAD, to - i);
        int32_t *codes = codes_at(x, i, buffer);
        load(x, i, n, keys);
        all = x->d->narrow ? number_32(&x->table, (const uint32_t *)keys, n, codes)
                           : number_64(&x->table, keys, n, codes);
        if (x->d->counts)
            lun__key_counts_add(&x->counts, worker, codes, n);
    }
    if (!all)
        atomic_store(&x->missed, true);
}

static bool look_for_all(run *x)
{
    const lun_hash_keys *d = x->d;
    if (d->counts)
        lun__key_counts_begin(&x->counts, (int64_t)1 << x->table.log2);
    if (!lun__work_parts(d->services, d->team, parts(x->n), x, look_for))
        return false;
    if (d->counts) {
        lun__key_counts_end(&x->counts);
        memcpy(d->counts, x->counts.of, (size_t)d->count * sizeof *d->counts);
    }
    return true;
}

/* Sorts the keys in the table, unless they are more than fit, and numbers its entries. */
static lun_status number(run *x)
{
    lun_hash_keys *d = x->d;
    const int64_t count = parts((int64_t)1 << x->table.log2);
    int64_t sum = 0;
    if (!lun__work_parts(d->services, d->team, count, x, count_keys))
        return LUN_ECANCEL;
    for (int64_t p = 0; p < count; p++) {
        const int64_t n = x->parts[p];
        x->parts[p] = sum;
        sum += n;
    }
    if (d->counts && sum > d->room)
        return LUN_OK;
    d->count = sum;
    if (!lun__work_parts(d->services, d->team, count, x, collect_keys))
        return LUN_ECANCEL;
    lun_sorting s = sorting_of(x->keys, x->sorted, sum, x->size);
    s.scratch = x->rest;
    const lun_status status = lun__sorting_run(d->services, d->team, &s);
    if (status != LUN_OK)
        return status;
    d->sorted = x->sorted;
    return lun__work_parts(d->services, d->team, parts(sum), x, number_entries) ? LUN_OK
                                                                                : LUN_ECANCEL;
}

/* Fills the smallest table that holds the keys: d->count is 0 where none does. */
static lun_status fill_some(run *x, int from, int most)
{
    lun_hash_keys *d = x->d;
    lun_status s = LUN_OK;
    d->count = 0;
    for (int log2 = from; s == LUN_OK && log2 <= most;) {
        s = fill_table(x, log2);
        if (s == LUN_OK && !x->full)
            return number(x);
        log2 = log2 < most ? (int)less(log2 + 2, most) : most + 1;
    }
    return s;
}

/* What a sample says: whether the codes of all are there, or the first table to try. */
static lun_status look_at_sample(run *x, int *first, bool *done)
{
    lun_hash_keys *d = x->d;
    const int64_t seen = x->n / SAMPLE, few = seen / OFTEN;
    x->step = SAMPLE;
    lun_status s = fill_some(x, FIRST, log2_for(few));
    if (s == LUN_OK && d->count && d->count <= few) {
        if (!look_for_all(x))
            return LUN_ECANCEL;
        *done = !x->missed;
        *first = x->table.log2;
        return LUN_OK;
    }
    if (s == LUN_OK)
        s = fill_table(x, log2_for(seen));
    /* Of so many of the different keys, each equally likely, two would be the same so often. */
    const double same = (double)(seen - x->made),
                 all = (double)seen * (double)seen / (2 * same + 1);
    while (*first <= MOST && (double)most_in(*first) < all / 2)
        (*first)++;
    return s;
}

bool lun__hash_keys_may(int first, int64_t most)
{
    return first <= log2_for(most);
}

lun_status lun__hash_keys_run(lun_hash_keys *d)
{
    run x = {.d = d, .n = d->keys->n};
    const int most = log2_for(d->most);
    const int64_t entries = (int64_t)1 << most;
    char *at = (char *)d->scratch + -(uintptr_t)d->scratch % LINE;
    int first = d->first ? d->first : FIRST;
    d->count = 0;
    d->first = MOST + 1;
    d->narrow = d->high - d->low < UINT32_MAX;
    if (d->high - d->low == UINT64_MAX) /* a key would be 0 */
        return LUN_OK;
    x.size = d->narrow ? 4 : 8;
    x.table.slots = at;
    x.table.numbers = (int32_t *)(void *)(at += rounded(x.size * entries));
    x.keys = at += rounded(4 * entries);
    x.sorted = at += rounded(x.size * most_keys(x.n, d->most));
    x.parts = (int64_t *)(void *)(at += rounded(x.size * most_keys(x.n, d->most)));
    at += rounded(8 * parts(entries));
    if (d->counts) {
        const int workers = d->team->threads;
        x.counts = (lun_key_counts){.workers = workers,
                                    .room = lun__key_counts_room(x.n, entries, workers),
                                    .of = (_Atomic int64_t *)(void *)at,
                                    .caches = (lun_key_count *)(void *)(at + 8 * entries)};
        at += rounded(8 * entries + workers * x.counts.room * (int64_t)sizeof(lun_key_count));
    }
    x.rest = at;
    lun_status s = LUN_OK;
    bool done = false;
    if (first == FIRST && x.n >= 2 * SAMPLE * AHEAD)
        s = look_at_sample(&x, &first, &done);
    if (s != LUN_OK || done)
        return s;
    x.step = 1;
    s = fill_some(&x, first, most);
    d->first = first > most ? first : most + 1;
    if (s != LUN_OK || !d->count || !d->codes)
        return s;
    return lun__work_parts(d->services, d->team, parts(x.n), &x, look_up) ? LUN_OK : LUN_ECANCEL;
}
