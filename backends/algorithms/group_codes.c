/* group_codes.c - the codes of keys: the number of each one's group, i32, from 0 on; groups ascend
 * by their keys, zeros are one and NaNs are one, the last.  The number of groups follows the
 * codes.  LUN_ELIMIT: more than an i32 counts.
 *
 * Keys are taken as unsigned numbers that ascend as groups do.  Where they lie close together, a
 * table by key says which there are; else they are hashed (hash_keys.h), as few different ones
 * first, or, where that would not pay, sorted, and a group begins wherever a key is another one
 * than the key before.  Each of these ways takes scratch memory of its own, for which the run is
 * repeated. */
#include <stdatomic.h>
#include <string.h>

#include "algorithms/hash_keys.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"
#include "algorithms/sort/sort.h"
#include "table/dtype.h"

enum { PART = 65536 }; /* keys, or entries of the table, that a thread takes at a time */

/* Ways; HASH + k begins with a table of 2^k entries. */
enum { LOOK, TABLE, ORDER, HASH_FEW, HASH };

typedef struct run {
    const lun_services *services;
    const lun_team *team;
    const lun_column *keys;
    int64_t n;
    int32_t *codes;
    uint64_t low;  /* the least key */
    int64_t width; /* entries of the table */
    atomic_llong marked;
    uint8_t *marks; /* by key less the least: whether there is one */
    int32_t *table; /* then: its code */
    int64_t *indices;
    lun_column sorted;
    /* by part: its least and its greatest key; groups that begin there, then: before it */
    uint64_t *least, *greatest;
    int64_t *groups;
} run;

static int64_t parts(int64_t n)
{
    return (n + PART - 1) / PART;
}

static int64_t rounded(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Entries of the table, at most. */
static int64_t most_width(int64_t n)
{
    return 4 * n + 256;
}

/* Entries of it. */
static int64_t width_of(const lun_algorithm_run *r)
{
    return (int64_t)(r->range[1] - r->range[0]) + 1;
}

/* Different keys for which hashing is tried: the most, where it is not slower than sorting. */
static int64_t most_hashed(int64_t n, int way)
{
    return way == HASH_FEW ? n / 64 : n / 4;
}

static lun_sorting sorting_of(const run *x, void *to, void *scratch)
{
    return (lun_sorting){.dtype = x->keys->dtype,
                         .n = x->n,
                         .segment = x->n,
                         .from = x->keys->data,
                         .to = to,
                         .indices = x->indices,
                         .scratch = scratch};
}

static int64_t sorted_bytes(const run *x)
{
    return rounded(x->n * lun__dtype_get(x->keys->dtype)->bytes);
}

static int64_t parts_bytes(int64_t n)
{
    return rounded(8 * parts(most_width(n)));
}

int64_t lun__group_room(const lun_algorithm_run *r, int threads)
{
    static int64_t some;
    run x = {.keys = &r->in[0], .n = r->in[0].n, .indices = &some};
    const lun_sorting s = sorting_of(&x, &some, NULL);
    const int way = r->way;
    int64_t bytes = 3 * parts_bytes(x.n) + 64;
    if (way == TABLE)
        bytes += rounded(width_of(r)) + rounded(4 * width_of(r));
    else if (way >= HASH_FEW)
        bytes += lun__hash_keys_room(x.n, most_hashed(x.n, way), false, threads);
    else if (way == ORDER)
        bytes += rounded(8 * x.n) + sorted_bytes(&x) + rounded(lun__sorting_room(&s, threads));
    return bytes;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int64_t end_of(int64_t part, int64_t n)
{
    return part < n / PART ? (part + 1) * PART : n;
}

static int64_t block_of(int64_t i, int64_t to)
{
    return to - i < LUN_LOAD_BLOCK ? to - i : LUN_LOAD_BLOCK;
}

static void find_range(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    (void)worker;
    x->least[part] = UINT64_MAX;
    x->greatest[part] = 0;
    lun__load_range(x->keys, part * PART, end_of(part, x->n) - part * PART, &x->least[part],
                    &x->greatest[part]);
}

/* Until every entry is marked; each is written once, so threads do not take lines of the cache from
 * each other. */
static void mark(void *ctx, int64_t part, int worker)
{
    run *x = ctx;
    uint32_t keys[LUN_LOAD_BLOCK];
    const int64_t to = end_of(part, x->n);
    (void)worker;
    for (int64_t i = part * PART; i < to; i += LUN_LOAD_BLOCK) {
        const int64_t n = block_of(i, to);
        int64_t more = 0;
        if (atomic_load_explicit(&x->marked, memory_order_relaxed) == x->width)
            return;
        lun__load_offsets(x->keys, i, n, x->low, keys);
        for (int64_t k = 0; k < n; k++) {
            uint8_t *at = &x->marks[keys[k]];
            if (!__atomic_load_n(at, __ATOMIC_RELAXED))
                more += !__atomic_exchange_n(at, 1, __ATOMIC_RELAXED);
        }
        if (more)
            atomic_fetch_add_explicit(&x->marked, more, memory_order_relaxed);
    }
}

static void count_marks(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    int64_t count = 0;
    (void)worker;
    for (int64_t i = part * PART; i < end_of(part, x->width); i++)
        count += x->marks[i];
    x->groups[part] = count;
}

static void number_marks(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    int32_t next = (int32_t)x->groups[part];
    (void)worker;
    for (int64_t i = part * PART; i < end_of(part, x->width); i++) {
        x->table[i] = next;
        next += x->marks[i];
    }
}

/* Where every entry is marked a key's code is how far it is from the least one. */
static void look_up(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    const bool full = x->marked == x->width;
    const int64_t to = end_of(part, x->n);
    (void)worker;
    for (int64_t i = part * PART; i < to; i += LUN_LOAD_BLOCK) {
        const int64_t n = block_of(i, to);
        uint32_t *codes = (uint32_t *)x->codes + i;
        lun__load_offsets(x->keys, i, n, x->low, codes);
        for (int64_t k = 0; !full && k < n; k++)
            codes[k] = (uint32_t)x->table[codes[k]];
    }
}

/* ---- the order ------------------------------------------------------------------------------- */

/* Place p, as it is or, where a group begins, inverted. */
static void find_begins(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    uint64_t keys[LUN_LOAD_BLOCK], before = 0;
    const int64_t from = part * PART, to = end_of(part, x->n);
    int64_t count = 0;
    (void)worker;
    if (from > 0)
        lun__load_keys(&x->sorted, from - 1, 1, &before);
    for (int64_t i = from; i < to; i += LUN_LOAD_BLOCK) {
        const int64_t n = block_of(i, to);
        lun__load_keys(&x->sorted, i, n, keys);
        for (int64_t k = 0; k < n; k++) {
            const bool begins = keys[k] != before || i + k == 0;
            x->indices[i + k] ^= -(int64_t)begins;
            count += begins;
            before = keys[k];
        }
    }
    x->groups[part] = count;
}

static void number_rows(void *ctx, int64_t part, int worker)
{
    const run *x = ctx;
    int32_t code = (int32_t)x->groups[part] - 1;
    (void)worker;
    for (int64_t i = part * PART; i < end_of(part, x->n); i++) {
        const int64_t p = x->indices[i], begins = p >> 63;
        code -= (int32_t)begins;
        x->codes[p ^ begins] = code;
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Numbers of groups to those before; all of them. */
static int64_t sum_groups(const run *x, int64_t count)
{
    int64_t sum = 0;
    for (int64_t p = 0; p < count; p++) {
        const int64_t n = x->groups[p];
        x->groups[p] = sum;
        sum += n;
    }
    return sum;
}

/* The second step numbers what the first one has counted, unless it is too much. */
static lun_status numbered(run *x, int64_t count, lun_part_fn *counts, lun_part_fn *numbers)
{
    if (!lun__work_parts(x->services, x->team, count, x, counts))
        return LUN_ECANCEL;
    const int64_t groups = sum_groups(x, count);
    if (groups > INT32_MAX)
        return LUN_ELIMIT;
    x->codes[x->n] = (int32_t)groups;
    return lun__work_parts(x->services, x->team, count, x, numbers) ? LUN_OK : LUN_ECANCEL;
}

static lun_status by_table(run *x, char *scratch)
{
    x->marks = (uint8_t *)scratch;
    x->table = (int32_t *)(void *)(scratch + rounded(x->width));
    memset(x->marks, 0, (size_t)x->width);
    atomic_init(&x->marked, 0);
    if (!lun__work_parts(x->services, x->team, parts(x->n), x, mark))
        return LUN_ECANCEL;
    lun_status s = numbered(x, parts(x->width), count_marks, number_marks);
    if (s == LUN_OK && !lun__work_parts(x->services, x->team, parts(x->n), x, look_up))
        s = LUN_ECANCEL;
    return s;
}

static lun_status by_order(run *x, char *scratch)
{
    x->indices = (int64_t *)(void *)scratch;
    x->sorted =
        (lun_column){.data = scratch + rounded(8 * x->n), .dtype = x->keys->dtype, .n = x->n};
    const lun_sorting sorting =
        sorting_of(x, x->sorted.data, (char *)x->sorted.data + sorted_bytes(x));
    lun_status s = lun__sorting_run(x->services, x->team, &sorting);
    return s == LUN_OK ? numbered(x, parts(x->n), find_begins, number_rows) : s;
}

/* Gives codes, or says which way has to. */
static lun_status by_hashing(run *x, lun_algorithm_run *r, char *scratch)
{
    lun_hash_keys d = {.services = x->services,
                       .team = x->team,
                       .keys = x->keys,
                       .low = x->low,
                       .high = r->range[1],
                       .most = most_hashed(x->n, r->way),
                       .codes = x->codes,
                       .scratch = scratch,
                       .first = r->way > HASH ? r->way - HASH : 0};
    const lun_status s = lun__hash_keys_run(&d);
    const bool more = r->way == HASH_FEW && lun__hash_keys_may(d.first, most_hashed(x->n, HASH));
    x->codes[x->n] = (int32_t)d.count;
    if (s == LUN_OK && !d.count)
        r->way = more ? HASH + d.first : ORDER;
    return s;
}

/* The least and the greatest key, and the first way that they leave. */
static lun_status look(run *x, lun_algorithm_run *r)
{
    uint64_t low = UINT64_MAX, high = 0;
    if (!lun__work_parts(x->services, x->team, parts(x->n), x, find_range))
        return LUN_ECANCEL;
    for (int64_t p = 0; p < parts(x->n); p++) {
        low = x->least[p] < low ? x->least[p] : low;
        high = x->greatest[p] > high ? x->greatest[p] : high;
    }
    const bool near = high - low < (uint64_t)most_width(x->n) && high - low < INT32_MAX;
    r->way = near ? TABLE : HASH_FEW;
    r->range[0] = low;
    r->range[1] = high;
    return LUN_OK;
}

lun_status lun__group_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    run x = {.services = services, .team = team, .keys = &r->in[0], .n = r->in[0].n};
    char *scratch = (char *)r->scratch + -(uintptr_t)r->scratch % 64;
    x.codes = r->out[0].data;
    x.least = (uint64_t *)(void *)scratch;
    x.greatest = (uint64_t *)(void *)(scratch + parts_bytes(x.n));
    x.groups = (int64_t *)(void *)(scratch + 2 * parts_bytes(x.n));
    scratch += 3 * parts_bytes(x.n);
    x.codes[x.n] = 0;
    x.low = r->range[0];
    if (x.n == 0)
        return LUN_OK;
    switch (r->way) {
    case LOOK:
        return look(&x, r);
    case TABLE:
        x.width = width_of(r);
        return by_table(&x, scratch);
    case ORDER:
        return by_order(&x, scratch);
    default:
        return by_hashing(&x, r, scratch);
    }
}
