/* pad_rows.c - see pad_rows.h.  Rows of the padded array are three stretches: before the array, in
 * it, behind it; the middle one is copied whole.
 *
 * What a stencil reads is a box of the padded array with the array's extents, shifted a little: its
 * rows mostly follow one another in the array, so they are copied at once, and the few elements of
 * each that stand beyond an end are put right afterwards. */
#include "base/layout/pad_rows.h"

#include <string.h>

#include "base/layout/strided_few.h"

typedef struct copy {
    const lun_padding *p;
    const char *base;
    int64_t elements; /* of the array */
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

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t most(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

/* count > 0 times the element at `from`. */
static void put_same(copy *c, const void *from, int64_t count)
{
    memcpy(c->to, from, c->size);
    for (int64_t done = 1, some; done < count; done += some) {
        some = least(done, count - done);
        memcpy(c->to + (size_t)done * c->size, c->to, (size_t)some * c->size);
    }
    c->to += (size_t)count * c->size;
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

/* Whether a simplified layout is a box of the padded array; an axis of the layout may be the
 * product of several whole ones. */
static bool is_box(const lun_padding *p, const lun_layout *s, lun_pad_box *out)
{
    int j = s->rank - 1;
    int64_t offset = s->offset, step = 1, left = s->extent[j];
    bool begun = false;
    for (int k = p->rank - 1; k >= 0; k--) {
        const int64_t n = p->extent[k], at = offset % n;
        out->first[k] = at - p->before[k];
        out->count[k] = 1;
        if (j >= 0 && (begun || s->stride[j] == step)) {
            begun = at + left > n;
            if (begun && (at != 0 || left % n != 0))
                return false;
            out->count[k] = begun ? n : left;
            left = begun ? left / n : --j >= 0 ? s->extent[j] : 1;
        }
        offset /= n;
        step *= n;
    }
    return j < 0;
}

/* Where the row of a box with these indices begins in the array; -1: all is value. */
static int64_t box_row(const lun_padding *p, const lun_pad_box *b, const int64_t *index)
{
    int64_t row = 0;
    for (int k = 0; k < p->rank - 1; k++) {
        int64_t i = lun__pad_source(p, k, b->first[k] + index[k]);
        if (i < 0)
            return -1;
        row = row * p->inner[k] + i;
    }
    return row * p->inner[p->rank - 1];
}

/* count elements from `column` on of rows of a box that are as long as those of the array and
 * follow one another there; the first begins at element `row`. */
static void put_rows(copy *c, const lun_pad_box *b, int64_t row, int64_t column, int64_t count)
{
    const int last = c->p->rank - 1;
    const int64_t n = c->p->inner[last], shift = b->first[last], at = row + shift + column;
    const int64_t from = most(at, 0), some = least(at + count, c->elements) - from;
    const int64_t beyond = shift < 0 ? 0 : most(n - shift, 0),
                  end = shift < 0 ? least(-shift, n) : n;
    if (some > 0)
        memcpy(c->to + (size_t)(from - at) * c->size, c->base + (size_t)from * c->size,
               (size_t)some * c->size);
    for (int64_t k = -column; k < count && beyond < end; k += n) { /* where a row begins */
        int64_t low = most(k + beyond, 0), high = least(k + end, count);
        copy here = *c;
        here.to += low * (int64_t)c->size;
        if (low < high)
            put_beyond(&here, row + column + k, shift + low - k, high - low);
    }
    c->to += (size_t)count * c->size;
}

/* Elements first .. first + count - 1 of a box. */
static void put_box(copy *c, const lun_pad_box *b, int64_t first, int64_t count)
{
    const lun_padding *p = c->p;
    const int last = p->rank - 1;
    const bool whole = b->count[last] == p->inner[last];
    int64_t index[LUN_LAYOUT_RANK];
    for (int k = last; k >= 0; k--) {
        index[k] = first % b->count[k];
        first /= b->count[k];
    }
    for (int64_t row = box_row(p, b, index), next; count > 0; row = next) {
        int64_t column = index[last], some = 0, followed = row;
        do { /* rows that follow one another */
            some += b->count[last] - index[last];
            index[last] = 0;
            for (int k = last - 1; k >= 0 && ++index[k] == b->count[k]; k--)
                index[k] = 0;
            followed += p->inner[last];
            next = box_row(p, b, index);
        } while (some < count && whole && row >= 0 && next == followed);
        some = least(some, count);
        if (row < 0)
            put_same(c, &p->value, some);
        else if (whole)
            put_rows(c, b, row, column, some);
        else
            put_row(c, row, b->first[last] + column, some);
        count -= some;
    }
}

lun_pad_box lun__pad_box(const lun_padding *p, const lun_layout *l)
{
    lun_layout s = lun__layout_simplified(l);
    lun_pad_box b = {false, {0}, {0}};
    b.is = is_box(p, &s, &b);
    return b;
}

void lun__pad_read(const lun_padding *p, const lun_layout *l, const lun_pad_box *b,
                   const void *base, int size, int64_t first, int64_t count, void *to)
{
    copy c = {.p = p, .base = base, .elements = 1, .size = (size_t)size, .to = to};
    for (int k = 0; k < p->rank; k++)
        c.elements *= p->inner[k];
    if (count > 0 && b->is) {
        put_box(&c, b, first, count);
        return;
    }
    lun_layout s = lun__layout_simplified(l);
    int last = s.rank - 1;
    int64_t n = s.extent[last], step = s.stride[last];
    while (count > 0) { /* row after row of the layout */
        int64_t some = least(count, n - first % n), at = lun__layout_offset(&s, first);
        if (step == 1)
            put_run(&c, at, some);
        for (int64_t i = 0; step != 1 && i < some; i++)
            put_run(&c, at + i * step, 1);
        first += some;
        count -= some;
    }
}

/* ---- in place -------------------------------------------------------------------------------- */

lun_pad_run lun__pad_run(const lun_padding *p, const lun_pad_box *b, int64_t first)
{
    const int last = p->rank - 1;
    const int64_t n = p->inner[last], shift = b->first[last];
    lun_pad_run none = {0}, r = {.segment = n, .low = most(-shift, 0), .high = least(n - shift, n)};
    int64_t rows = 1, whole = 1, step = 1, row = 0;
    if (!b->is || b->count[last] != n || n == 0 || r.low >= r.high)
        return none;
    r.column = first % n;
    first /= n;
    for (int k = last - 1; k >= 0; k--) { /* rows that follow one another from this one on */
        int64_t index = first % b->count[k], at = b->first[k] + index;
        if (at < 0 || at >= p->inner[k])
            return none;
        if (whole)
            rows += (least(b->count[k] - index, p->inner[k] - at) - 1) * whole;
        whole *= b->first[k] == 0 && b->count[k] == p->inner[k] ? p->inner[k] : 0;
        row += at * step;
        step *= p->inner[k];
        first /= b->count[k];
    }
    r.count = rows * n - r.column;
    r.offset = row * n + shift + r.column;
    return r;
}

void lun__pad_column(const lun_padding *p, const lun_pad_box *b, const void *base, int size,
                     int64_t first, int64_t count, void *to)
{
    const int last = p->rank - 1;
    const lun_pad_run r = lun__pad_run(p, b, first);
    const int64_t from = lun__pad_source(p, last, b->first[last] + r.column);
    if (from < 0) {
        copy c = {.size = (size_t)size, .to = to};
        put_same(&c, &p->value, count);
        return;
    }
    const int64_t offset = r.offset - b->first[last] - r.column + from;
    lun__strided_few_copy(to, size, (const char *)base + offset * size, r.segment * size, count,
                          (size_t)size);
}
