/* layout_kit.h - random layouts, and the places of their elements by plain counting of indices,
 * which is what layout.h's answers are compared with. */
#ifndef LAYOUT_KIT_H
#define LAYOUT_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/layout/layout.h"

enum { MOST_ELEMENTS = 16384, MOST_SPAN = 1 << 22 };

typedef struct rng {
    uint64_t state;
} rng;

/* splitmix64 */
static inline uint64_t next(rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline int64_t below(rng *r, int64_t n)
{
    return (int64_t)(next(r) % (uint64_t)n);
}

/* What stands at each flat number: its place. All indices are counted up one by one. */
typedef struct places {
    int64_t count, low, high; /* low and high: 0 and -1 without elements */
    int64_t at[MOST_ELEMENTS];
} places;

static inline void count_places(const lun_layout *l, places *p)
{
    int64_t index[LUN_LAYOUT_RANK] = {0};
    *p = (places){.high = -1};
    for (int k = 0; k < l->rank; k++)
        if (l->extent[k] == 0)
            return;
    for (int k = 0; k >= 0;) {
        int64_t at = l->offset;
        for (k = 0; k < l->rank; k++)
            at += index[k] * l->stride[k];
        assert_true(p->count < MOST_ELEMENTS);
        if (!p->count || at < p->low)
            p->low = at;
        if (!p->count || at > p->high)
            p->high = at;
        p->at[p->count++] = at;
        for (k = l->rank - 1; k >= 0 && ++index[k] == l->extent[k]; k--)
            index[k] = 0;
    }
}

/* Whether each element stands at a place of its own. */
static inline bool has_distinct_places(const places *p)
{
    static bool seen[MOST_SPAN + 1];
    bool distinct = true;
    for (int64_t i = 0; i < p->count; i++) {
        distinct = distinct && !seen[p->at[i] - p->low];
        seen[p->at[i] - p->low] = true;
    }
    for (int64_t i = 0; i < p->count; i++)
        seen[p->at[i] - p->low] = false;
    return distinct;
}

static inline void expect_places(const lun_layout *l, const places *p)
{
    static places got;
    count_places(l, &got);
    assert_int_equal(got.count, p->count);
    assert_memory_equal(got.at, p->at, (size_t)p->count * sizeof *p->at);
}

/* Random extents of at most `most` elements. */
static inline void random_extents(rng *r, lun_layout *l, int64_t most)
{
    static const int64_t some[] = {1, 2, 2, 3, 3, 4, 5, 7, 8, 16, 17, 31, 32, 63, 64, 65, 100, 257};
    int64_t count = 1;
    l->rank = (int)below(r, LUN_LAYOUT_RANK + 1);
    for (int k = 0; k < l->rank; k++) {
        int64_t n = some[below(r, sizeof some / sizeof *some)];
        l->extent[k] = count * n <= most ? n : 1;
        count *= l->extent[k];
    }
    if (l->rank && below(r, 40) == 0)
        l->extent[below(r, l->rank)] = 0;
}

/* Strides as of the axes in some order, with gaps, some of them negative, some 0. */
static inline void random_strides(rng *r, lun_layout *l)
{
    int order[LUN_LAYOUT_RANK];
    bool gaps = below(r, 2), signs = below(r, 3) == 0, zeros = below(r, 3) == 0;
    int64_t how = below(r, 4), step = 1 + (below(r, 4) == 0) * below(r, 4);
    for (int k = 0; k < l->rank; k++) {
        int at = how == 0 ? k : how == 1 ? 0 : (int)below(r, k + 1);
        memmove(order + at + 1, order + at, (size_t)(k - at) * sizeof *order);
        order[at] = k;
    }
    for (int i = l->rank - 1; i >= 0; i--) {
        int k = order[i];
        l->stride[k] = step;
        step *= l->extent[k] ? l->extent[k] : 1;
        if (gaps && below(r, 3) == 0)
            step += below(r, 5);
        if (signs && below(r, 2))
            l->stride[k] = -l->stride[k];
        if (zeros && below(r, 3) == 0)
            l->stride[k] = 0;
        if (below(r, 60) == 0)
            l->stride[k] = below(r, 9) - 4;
    }
}

/* Any layout of at most `most` elements and its places, which begin at a small number. */
static inline lun_layout random_layout(rng *r, int64_t most, places *p)
{
    for (;;) {
        lun_layout l = {0};
        random_extents(r, &l, most);
        random_strides(r, &l);
        count_places(&l, p);
        if (p->high - p->low > MOST_SPAN)
            continue;
        l.offset = below(r, 20) - p->low;
        count_places(&l, p);
        return l;
    }
}

#endif
