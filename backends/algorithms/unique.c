/* unique.c - the row unique: the different values in order, and how many there are of each.
 * Elements of at most 16 bits are counted by their bits; of others, where few are different they
 * are found by hashing (hash_keys.h), else in what sort.h gives.
 *
 * Where fewer results fit than there are elements, none are given where order would have to find
 * them: counts by bits and hashing need no scratch memory in proportion to the elements. */
#include <string.h>

#include "algorithms/hash_keys.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"
#include "algorithms/sort/keys.h"
#include "algorithms/sort/sort.h"
#include "table/algorithm.h"

enum {
    LINE = 64,
    LEAST = 1 << 16, /* elements from which they are counted by their bits, or hashed, where */
    FEW_OF = 64,     /* at most one in so many is different */
    PART = 65536,
    NARROW = 16,    /* bits of elements that are counted by them */
    TABLE = 1 << 20 /* elements for which there is a table of such counts, at least */
};

static int64_t rounded(int64_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- by order -------------------------------------------------------------------------------- */

static int64_t sorted_bytes(const lun_algorithm_run *r)
{
    return rounded(r->in[0].n * lun__dtype_get(r->in[0].dtype)->bytes);
}

static lun_sorting sorting_of(const lun_algorithm_run *r, void *to)
{
    return (lun_sorting){.dtype = r->in[0].dtype,
                         .n = r->in[0].n,
                         .segment = r->in[0].n,
                         .from = r->in[0].data,
                         .to = to};
}

/* Values of sorted elements of one width, and how many there are of each: zeros are one, 0.0, which
 * comes last of them, and NaNs are one, the first of them. */
#define RUNS(BITS)                                                                              \
    static int64_t runs_##BITS(const uint##BITS##_t *x, int64_t n, uint##BITS##_t infinity,     \
                               uint##BITS##_t *values, int64_t *counts)                         \
    {                                                                                           \
        const uint##BITS##_t magnitude = (uint##BITS##_t) ~(uint##BITS##_t)0 >> 1;              \
        int64_t found = 0;                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                       \
            const uint##BITS##_t last = found ? values[found - 1] : 0, size = x[i] & magnitude; \
            bool same = x[i] == last;                                                           \
            if (infinity && (size == 0 || size > infinity))                                     \
                same = size == 0 ? (last & magnitude) == 0 : (last & magnitude) > infinity;     \
            if (found && same) {                                                                \
                counts[found - 1]++;                                                            \
                values[found - 1] = infinity && size == 0 ? x[i] : last;                        \
            } else {                                                                            \
                values[found] = x[i];                                                           \
                counts[found++] = 1;                                                            \
            }                                                                                   \
        }                                                                                       \
        if (found && infinity)                                                                  \
            for (int64_t i = 0; i < found; i++)                                                 \
                values[i] = (values[i] & magnitude) ? values[i] : 0;                            \
        return found;                                                                           \
    }
RUNS(8)
RUNS(16)
RUNS(32)
RUNS(64)

static lun_status by_order(const lun_services *services, const lun_team *team, lun_algorithm_run *r,
                           char *scratch)
{
    const lun_keys k = lun__keys(r->in[0].dtype, false);
    const int64_t n = r->in[0].n;
    lun_sorting s = sorting_of(r, scratch);
    s.scratch = scratch + sorted_bytes(r);
    const lun_status status = lun__sorting_run(services, team, &s);
    if (status != LUN_OK)
        return status;
    void *values = r->out[0].data;
    int64_t *counts = r->out[1].data, found = 0;
    switch (k.bits) {
    case 8:
        found = runs_8(s.to, n, (uint8_t)k.infinity, values, counts);
        break;
    case 16:
        found = runs_16(s.to, n, (uint16_t)k.infinity, values, counts);
        break;
    case 32:
        found = runs_32(s.to, n, (uint32_t)k.infinity, values, counts);
        break;
    default:
        found = runs_64(s.to, n, k.infinity, values, counts);
    }
    r->out[0].n = r->out[1].n = found;
    return LUN_OK;
}

/* ---- by their bits --------------------------------------------------------------------------- */

static bool is_narrow(const lun_algorithm_run *r)
{
    return r->in[0].n >= LEAST && 8 * lun__dtype_get(r->in[0].dtype)->bytes <= NARROW;
}

/* A table counts those elements that another one does not. */
typedef struct tables {
    const lun_column *c;
    int64_t count, entries;
    int64_t *of;
} tables;

static tables tables_of(const lun_algorithm_run *r, int threads, void *scratch)
{
    return (tables){.c = &r->in[0],
                    .count = less(threads, r->in[0].n / TABLE + 1),
                    .entries = (int64_t)1 << 8 * lun__dtype_get(r->in[0].dtype)->bytes,
                    .of = scratch};
}

static int64_t tables_bytes(const tables *t)
{
    return t->count * t->entries * (int64_t)sizeof *t->of;
}

static void count_bits(void *ctx, int64_t number, int worker)
{
    const tables *t = ctx;
    const int64_t from = t->c->n / t->count * number;
    const int64_t to = number + 1 < t->count ? t->c->n / t->count * (number + 1) : t->c->n;
    int64_t *counts = t->of + number * t->entries;
    const uint8_t *bytes = t->c->data;
    const uint16_t *words = t->c->data;
    (void)worker;
    memset(counts, 0, (size_t)t->entries * sizeof *counts);
    if (t->entries == 256)
        for (int64_t i = from; i < to; i++)
            counts[bytes[i]]++;
    else
        for (int64_t i = from; i < to; i++)
            counts[words[i]]++;
}

static void put_value(lun_algorithm_run *r, uint16_t value, int64_t count)
{
    const int64_t at = r->out[0].n++;
    if (lun__dtype_get(r->in[0].dtype)->bytes == 1)
        ((uint8_t *)r->out[0].data)[at] = (uint8_t)value;
    else
        ((uint16_t *)r->out[0].data)[at] = value;
    ((int64_t *)r->out[1].data)[at] = count;
}

/* The first NaN, which there is. */
static uint16_t first_nan(const lun_keys *k, const lun_column *c)
{
    uint16_t nans[LINE] = {0};
    const char *at = c->data;
    for (int64_t i = 0; i < c->n; i += LINE)
        if (lun__keys_nans(k, at + i * (k->bits / 8), less(LINE, c->n - i), nans))
            break;
    return k->bits == 8 ? *(const uint8_t *)nans : nans[0];
}

/* All tables become the first one; how many elements occur. */
static int64_t add_up(const tables *t)
{
    int64_t found = 0;
    for (int64_t k = 0; k < t->entries; k++) {
        for (int64_t i = 1; i < t->count; i++)
            t->of[k] += t->of[i * t->entries + k];
        found += t->of[k] != 0;
    }
    return found;
}

/* In the order of their keys: a zero is one with that before it, and NaNs are the elements that no
 * key below theirs counts. */
static void put_values(const tables *t, lun_algorithm_run *r)
{
    const lun_keys k = lun__keys(r->in[0].dtype, false);
    const uint32_t magnitude = (uint32_t)t->entries / 2 - 1;
    int64_t counted = 0, zeros = 0;
    for (uint32_t key = 0; key < (uint32_t)t->entries; key++) {
        const uint16_t value = lun__keys_narrow(&k, key);
        int64_t count = t->of[value];
        if (k.infinity && (value & magnitude) > k.infinity)
            continue;
        counted += count;
        if (k.infinity && (value & magnitude) == 0) {
            zeros += count;
            count = value == 0 ? zeros : 0;
        }
        if (count)
            put_value(r, value, count);
    }
    if (counted < r->in[0].n)
        put_value(r, first_nan(&k, &r->in[0]), r->in[0].n - counted);
}

static lun_status by_bits(const lun_services *services, const lun_team *team, lun_algorithm_run *r,
                          char *scratch)
{
    tables t = tables_of(r, team->threads, scratch);
    const int64_t room = r->out[0].n;
    if (!lun__work_parts(services, team, t.count, &t, count_bits))
        return LUN_ECANCEL;
    r->out[0].n = 0;
    if (add_up(&t) <= room)
        put_values(&t, r);
    r->out[1].n = r->out[0].n;
    return LUN_OK;
}

/* ---- by hashing ------------------------------------------------------------------------------ */

/* Whether results are to be given only where order need not find them. */
static bool is_limited(const lun_algorithm_run *r)
{
    return r->out[0].n < r->in[0].n;
}

/* Where it is not, order finds them that hashing did not. */
static bool hashes(const lun_algorithm_run *r)
{
    const int64_t n = r->in[0].n;
    return n >= LEAST && !is_narrow(r) && (is_limited(r) || lun__algorithm_few(n) == n);
}

static int64_t parts(int64_t n)
{
    return (n + PART - 1) / PART;
}

static int64_t hashing_room(const lun_algorithm_run *r, int threads)
{
    const int64_t n = r->in[0].n;
    return rounded(16 * parts(n)) + lun__hash_keys_room(n, n / FEW_OF, true, threads);
}

typedef struct range {
    const lun_column *keys;
    uint64_t (*of)[2]; /* the least and the greatest key of each part */
} range;

static void find_range(void *ctx, int64_t part, int worker)
{
    const range *x = ctx;
    uint64_t *of = x->of[part];
    (void)worker;
    of[0] = UINT64_MAX;
    of[1] = 0;
    lun__load_range(x->keys, part * PART, less(PART, x->keys->n - part * PART), &of[0], &of[1]);
}

/* The element that has a key of load_element.h, unless it is that of NaNs. */
static uint64_t element_of(lun_dtype t, uint64_t key)
{
    const uint64_t sign = (uint64_t)1 << 63;
    if (lun__dtype_is_float(t))
        return lun__dtype_cell_cast(t, LUN_F64, key & sign ? key ^ sign : ~key);
    return lun__dtype_is_signed(t) ? lun__dtype_cell_cast(t, LUN_I64, key ^ sign) : key;
}

/* The first NaN, which there is. */
static void store_nan(const lun_keys *k, const range *x, char *to)
{
    uint64_t nans[LINE];
    int64_t part = 0, found = 0;
    const int64_t size = k->bits / 8;
    while (x->of[part][1] != UINT64_MAX)
        part++;
    for (int64_t i = part * PART; !found; i += LINE)
        found = lun__keys_nans(k, (const char *)x->keys->data + i * size,
                               less(LINE, x->keys->n - i), nans);
    memcpy(to, nans, (size_t)size);
}

static void store_values(const lun_algorithm_run *r, const lun_hash_keys *d, const range *x)
{
    const lun_keys k = lun__keys(r->in[0].dtype, false);
    const int64_t size = k.bits / 8;
    char *to = r->out[0].data;
    for (int64_t i = 0; i < d->count; i++) {
        const uint64_t offset =
            d->narrow ? ((const uint32_t *)d->sorted)[i] : ((const uint64_t *)d->sorted)[i];
        const uint64_t element = element_of(r->in[0].dtype, offset - 1 + d->low);
        memcpy(to + i * size, &element, (size_t)size);
    }
    if (k.infinity && d->high == UINT64_MAX)
        store_nan(&k, x, to + (d->count - 1) * size);
}

/* Whether it gives results, or order has to. */
static lun_status by_hashing(const lun_services *services, const lun_team *team,
                             lun_algorithm_run *r, char *scratch, bool *done)
{
    const int64_t n = r->in[0].n;
    lun_hash_keys d = {.services = services,
                       .team = team,
                       .keys = &r->in[0],
                       .low = UINT64_MAX,
                       .most = n / FEW_OF,
                       .counts = r->out[1].data,
                       .room = r->out[0].n,
                       .scratch = scratch + rounded(16 * parts(n))};
    range x = {&r->in[0], (uint64_t(*)[2])(void *)scratch};
    if (!lun__work_parts(services, team, parts(n), &x, find_range))
        return LUN_ECANCEL;
    for (int64_t p = 0; p < parts(n); p++) {
        d.low = x.of[p][0] < d.low ? x.of[p][0] : d.low;
        d.high = x.of[p][1] > d.high ? x.of[p][1] : d.high;
    }
    const lun_status s = lun__hash_keys_run(&d);
    *done = d.count > 0;
    if (s != LUN_OK || !*done)
        return s;
    store_values(r, &d, &x);
    r->out[0].n = r->out[1].n = d.count;
    return LUN_OK;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Of the values as many as are wanted, evenly apart; the last one is the last. */
static void sample(lun_algorithm_run *r)
{
    const int64_t size = lun__dtype_get(r->out[0].dtype)->bytes;
    const int64_t found = r->out[0].n, count = r->out[2].n;
    for (int64_t i = 0; found && i < count; i++)
        memcpy((char *)r->out[2].data + i * size,
               (const char *)r->out[0].data + ((i + 1) * found - 1) / count * size, (size_t)size);
}

/* ---- any ------------------------------------------------------------------------------------- */

int64_t lun__unique_room(const lun_algorithm_run *r, int threads)
{
    static char any[1];
    if (is_narrow(r)) {
        const tables t = tables_of(r, threads, NULL);
        return tables_bytes(&t) + LINE;
    }
    const lun_sorting s = sorting_of(r, any);
    const int64_t sorts = is_limited(r) ? 0 : lun__sorting_room(&s, threads) + sorted_bytes(r);
    const int64_t hashed = hashes(r) ? hashing_room(r, threads) : 0;
    return (hashed > sorts ? hashed : sorts) + LINE;
}

lun_status lun__unique_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    char *scratch = (char *)r->scratch + -(uintptr_t)r->scratch % LINE;
    const bool limited = is_limited(r);
    bool done = is_narrow(r);
    lun_status s = done ? by_bits(services, team, r, scratch) : LUN_OK;
    if (hashes(r) && !done)
        s = by_hashing(services, team, r, scratch, &done);
    if (s == LUN_OK && !done && limited)
        r->out[0].n = r->out[1].n = 0;
    else if (s == LUN_OK && !done)
        s = by_order(services, team, r, scratch);
    if (s == LUN_OK)
        sample(r);
    return s;
}
