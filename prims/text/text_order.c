/* text_order.c - values of a pool in order: each one's number among the different ones, and these
 * as a pool.  By the first eight bytes, and by the rest where those are equal. */
#include "text/texts_state.h"

#include <stdlib.h>
#include <string.h>

typedef struct keyed {
    uint64_t key; /* the first bytes, the first one highest, 0 beyond the end */
    uint32_t code;
} keyed;

int lun__text_order_compare(const char *a, int64_t n, const char *b, int64_t m)
{
    const int c = memcmp(a, b, (size_t)(n < m ? n : m));
    return c ? c < 0 ? -1 : 1 : (n > m) - (n < m);
}

static uint64_t key_of(const lun_text_pool *t, uint32_t code)
{
    int64_t n;
    const char *s = lun__text_pool_at(t, code, &n);
    uint64_t key = 0;
    for (int k = 0; k < 8; k++)
        key = key << 8 | (k < n ? (unsigned char)s[k] : 0);
    return key;
}

static int compare(const lun_text_pool *t, const keyed *a, const keyed *b)
{
    int64_t n, m;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    const char *x = lun__text_pool_at(t, a->code, &n), *y = lun__text_pool_at(t, b->code, &m);
    return lun__text_order_compare(x, n, y, m);
}

/* Merges the runs from[first .. middle - 1] and from[middle .. end - 1] to to[first ..]. */
static void merge(const lun_text_pool *t, const keyed *from, keyed *to, int64_t first,
                  int64_t middle, int64_t end)
{
    int64_t i = first, j = middle;
    for (int64_t k = first; k < end; k++)
        to[k] =
            j == end || (i < middle && compare(t, &from[i], &from[j]) <= 0) ? from[i++] : from[j++];
}

/* Sorts `all`, with as much room at `spare`; where the result is. */
static keyed *sorted(const lun_text_pool *t, keyed *all, keyed *spare)
{
    const int64_t n = t->count;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t first = 0; first < n; first += 2 * run) {
            const int64_t middle = first + run < n ? first + run : n;
            merge(t, all, spare, first, middle, middle + run < n ? middle + run : n);
        }
        keyed *other = all;
        all = spare;
        spare = other;
    }
    return all;
}

/* Numbers the codes by the order of their values, and makes these. */
static lun_status number(lun_engine *e, lun_text_pool *t, const keyed *all)
{
    lun_text_pool *levels;
    lun_status status = lun__text_pool_new(e, &levels);
    for (int64_t k = 0; status == LUN_OK && k < t->count; k++) {
        int64_t n;
        const char *s = lun__text_pool_at(t, all[k].code, &n);
        if (k == 0 || compare(t, &all[k - 1], &all[k]))
            status = lun__text_pool_append(e, levels, s, n);
        t->rank[all[k].code] = levels->count;
    }
    if (status != LUN_OK) {
        lun__text_pool_release(levels);
        return status;
    }
    levels->distinct = levels->sorted = levels->frozen = true;
    t->levels = levels;
    t->distinct = levels->count == t->count;
    return LUN_OK;
}

static lun_status rank_all(lun_engine *e, lun_text_pool *t)
{
    const int64_t n = t->count, bytes = (n + 1) * (int64_t)sizeof *t->rank;
    keyed *room = malloc(2 * (size_t)n * sizeof *room + 1);
    if (!room || !lun__text_pool_grow(t, (void **)&t->rank, 0, bytes)) {
        free(room);
        return lun__fail_nomem(e);
    }
    t->ranked = t->count;
    t->rank[0] = 0;
    for (int64_t k = 0; k < n; k++)
        room[k] = (keyed){key_of(t, (uint32_t)k + 1), (uint32_t)k + 1};
    lun_status status = number(e, t, sorted(t, room, room + n));
    free(room);
    if (status != LUN_OK)
        lun__text_pool_unrank(t);
    return status;
}

lun_status lun__text_order_ranks(lun_engine *e, lun_text_pool *t, const uint32_t **rank,
                                 lun_text_pool **levels)
{
    lun_status status = t->rank ? LUN_OK : rank_all(e, t);
    if (status != LUN_OK)
        return status;
    *rank = t->rank;
    *levels = t->levels;
    return LUN_OK;
}
