/* unique.c - the row unique: the different values in order, and how many there are of each.  Where
 * few are different they are found by hashing (hash_keys.h), else in what sort.h gives. */
#include <string.h>

#include "algorithms/algorithm_functions.h"
#include "algorithms/hash_keys.h"
#include "algorithms/sort/keys.h"
#include "algorithms/sort/sort.h"
#include "algorithms/work_parts.h"
#include "table/aggregate.h"

enum {
    LINE = 64,
    LEAST = 1 << 16, /* elements from which they are hashed, where */
    FEW_OF = 64,     /* at most one in so many is different */
    FEW = 8192,      /* groups whose numbers take the most scratch memory (aggregate_groups.c) */
    PART = 65536
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
                         .line = r->in[0].n,
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

/* ---- by hashing ------------------------------------------------------------------------------ */

static bool hashes(const lun_algorithm_run *r)
{
    return r->in[0].n >= LEAST && lun__dtype_bits(r->in[0].dtype) >= 32;
}

/* How many rows each group has: the row aggregate. */
static lun_algorithm_run counting_of(const lun_algorithm_run *r, int32_t *codes, int64_t groups)
{
    return (lun_algorithm_run){
        .in = {lun__column(codes, LUN_I32, r->in[0].n), lun__column(codes, LUN_I32, r->in[0].n)},
        .out[0] = lun__column(r->out[1].data, LUN_I64, groups),
        .option = {LUN_AGGREGATE_COUNT, (uint64_t)groups},
    };
}

static int64_t parts(int64_t n)
{
    return (n + PART - 1) / PART;
}

static int64_t hashing_room(const lun_algorithm_run *r, int threads)
{
    const int64_t n = r->in[0].n;
    const lun_algorithm_run counting = counting_of(r, NULL, FEW);
    return rounded(4 * n) + rounded(16 * parts(n)) +
           rounded(lun__hash_keys_room(n, n / FEW_OF, threads)) +
           rounded(lun__aggregate_room(&counting, threads));
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
        return lun__cell_cast(t, LUN_F64, key & sign ? key ^ sign : ~key);
    return lun__dtype_is_signed(t) ? lun__cell_cast(t, LUN_I64, key ^ sign) : key;
}

static void store_values(const lun_algorithm_run *r, const lun_hash_keys *d)
{
    const lun_dtype t = r->in[0].dtype;
    const int64_t size = lun__dtype_get(t)->bytes;
    char *to = r->out[0].data;
    for (int64_t i = 0; i < d->count; i++) {
        const uint64_t offset =
            d->narrow ? ((const uint32_t *)d->sorted)[i] : ((const uint64_t *)d->sorted)[i];
        const uint64_t element = element_of(t, offset - 1 + d->low);
        memcpy(to + i * size, &element, (size_t)size);
    }
    if (!lun__dtype_is_float(t) || d->high != UINT64_MAX)
        return;
    int64_t first = 0; /* NaN */
    while (d->codes[first] != d->count - 1)
        first++;
    memcpy(to + (d->count - 1) * size, (const char *)r->in[0].data + first * size, (size_t)size);
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
                       .codes = (int32_t *)(void *)scratch};
    range x = {&r->in[0], (uint64_t(*)[2])(void *)(scratch += rounded(4 * n))};
    if (!lun__parts(services, team, parts(n), &x, find_range))
        return LUN_ECANCEL;
    for (int64_t p = 0; p < parts(n); p++) {
        d.low = x.of[p][0] < d.low ? x.of[p][0] : d.low;
        d.high = x.of[p][1] > d.high ? x.of[p][1] : d.high;
    }
    d.scratch = scratch += rounded(16 * parts(n));
    lun_status s = lun__hash_keys_run(&d);
    *done = d.count > 0;
    if (s != LUN_OK || !*done)
        return s;
    lun_algorithm_run counting = counting_of(r, d.codes, d.count);
    counting.scratch = scratch + rounded(lun__hash_keys_room(n, d.most, team->threads));
    s = lun__aggregate_run(services, team, &counting);
    store_values(r, &d);
    r->out[0].n = r->out[1].n = d.count;
    return s;
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
    const lun_sorting s = sorting_of(r, any);
    const int64_t sorts = lun__sorting_room(&s, threads) + sorted_bytes(r);
    const int64_t hashed = hashes(r) ? hashing_room(r, threads) : 0;
    return (hashed > sorts ? hashed : sorts) + LINE;
}

lun_status lun__unique_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    char *scratch = (char *)r->scratch + -(uintptr_t)r->scratch % LINE;
    bool done = false;
    lun_status s = hashes(r) ? by_hashing(services, team, r, scratch, &done) : LUN_OK;
    if (s == LUN_OK && !done)
        s = by_order(services, team, r, scratch);
    if (s == LUN_OK)
        sample(r);
    return s;
}
