/* pad.c - see pad.h.  Rows of the padded array are three stretches: before the array, in it, behind
 * it; the middle one is copied whole. */
#include "base/pad.h"

#include <string.h>

typedef struct copy {
    const lun_padding *p;
    const char *base;
    size_t size;
    char *to;
} copy;

int64_t lun__pad_source(const lun_padding *p, int k, int64_t i)
{
    int64_t n = p->inner[k];
    if (i >= 0 && i < n)
        return i;
    if (p->rule[k] == LUN_PAD_NEAREST)
        return i < 0 ? 0 : n - 1;
    if (p->rule[k] == LUN_PAD_WRAP)
        return i % n + (i % n < 0 ? n : 0);
    return -1;
}

/* count times the element at `from`. */
static void put_same(copy *c, const void *from, int64_t count)
{
    for (int64_t i = 0; i < count; i++, c->to += c->size)
        memcpy(c->to, from, c->size);
}

/* Elements i .. i + count - 1, from -before on, of the row whose element 0 is number `row`; all of
 * them stand beyond one end. */
static void put_beyond(copy *c, int64_t row, int64_t i, int64_t count)
{
    int last = c->p->rank - 1;
    if (c->p->rule[last] == LUN_PAD_VALUE)
        put_same(c, &c->p->value, count);
    for (int64_t k = 0; c->p->rule[last] != LUN_PAD_VALUE && k < count; k++)
        put_same(c, c->base + (row + lun__pad_source(c->p, last, i + k)) * (int64_t)c->size, 1);
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* The same anywhere in the row. */
static void put_row(copy *c, int64_t row, int64_t i, int64_t count)
{
    int64_t n = c->p->inner[c->p->rank - 1], some;
    if (i < 0 && count > 0) {
        some = least(count, -i);
        put_beyond(c, row, i, some);
        i += some;
        count -= some;
    }
    if (i < n && count > 0) {
        some = least(count, n - i);
        memcpy(c->to, c->base + (row + i) * (int64_t)c->size, (size_t)some * c->size);
        c->to += (size_t)some * c->size;
        i += some;
        count -= some;
    }
    if (count > 0)
        put_beyond(c, row, i, count);
}

/* Where the row of the padded array with these indices begins in the array; -1: all is value. */
static int64_t row_of(const lun_padding *p, const int64_t *index)
{
    int64_t row = 0;
    for (int k = 0; k < p->rank - 1; k++) {
        int64_t i = lun__pad_source(p, k, index[k] - p->before[k]);
        if (i < 0)
            return -1;
        row = row * p->inner[k] + i;
    }
    return row * p->inner[p->rank - 1];
}

/* Flat numbers at .. at + count - 1 of the padded array. */
static void put_run(copy *c, int64_t at, int64_t count)
{
    const lun_padding *p = c->p;
    int64_t index[LUN_LAYOUT_RANK];
    int last = p->rank - 1;
    for (int k = last; k >= 0; k--) {
        index[k] = at % p->extent[k];
        at /= p->extent[k];
    }
    while (count > 0) {
        int64_t some = least(count, p->extent[last] - index[last]), row = row_of(p, index);
        if (row < 0)
            put_same(c, &p->value, some);
        else
            put_row(c, row, index[last] - p->before[last], some);
        count -= some;
        index[last] = 0;
        for (int k = last - 1; k >= 0 && ++index[k] == p->extent[k]; k--)
            index[k] = 0;
    }
}

void lun__pad_read(const lun_padding *p, const lun_layout *l, const void *base, int size,
                   int64_t first, int64_t count, void *to)
{
    copy c = {.p = p, .base = base, .size = (size_t)size, .to = to};
    lun_layout s = lun__layout_simplified(l);
    int last = s.rank - 1;
    int64_t n = s.extent[last], step = s.stride[last];
    while (count > 0) { /* row after row of the layout */
        int64_t some = least(count, n - first % n), at = lun__layout_place(&s, first);
        if (step == 1)
            put_run(&c, at, some);
        for (int64_t i = 0; step != 1 && i < some; i++)
            put_run(&c, at + i * step, 1);
        first += some;
        count -= some;
    }
}
