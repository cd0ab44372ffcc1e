/* pad_test.c - reads of padded arrays (base/layout/pad_rows.h) against an index at a time: boxes
 * as stencils read them, and any other layouts over the padded array; what stands around the
 * result stays. */
#include "base/layout/pad_rows.h"

#include <stdlib.h>

#include "layout_kit.h"

enum { ROUNDS = 20000, GUARD = 64, FILLER = 0xa5 };

static places p;
static unsigned char array[MOST_ELEMENTS * 8], packed[MOST_ELEMENTS * 8 + 2 * GUARD];

/* The element at a place of the padded array, by its definition. */
static const unsigned char *element(const lun_padding *d, int64_t place, int size)
{
    int64_t index[LUN_LAYOUT_RANK], at = 0;
    for (int k = d->rank - 1; k >= 0; k--) {
        index[k] = place % d->extent[k] - d->before[k];
        place /= d->extent[k];
    }
    for (int k = 0; k < d->rank; k++) {
        const int64_t n = d->inner[k];
        if ((index[k] < 0 || index[k] >= n) && d->rule[k] == LUN_PAD_VALUE)
            return (const unsigned char *)&d->value;
        while (d->rule[k] == LUN_PAD_WRAP && index[k] < 0)
            index[k] += n;
        while (d->rule[k] == LUN_PAD_WRAP && index[k] >= n)
            index[k] -= n;
        if (index[k] < 0)
            index[k] = 0;
        if (index[k] >= n)
            index[k] = n - 1;
        at = at * n + index[k];
    }
    return array + at * size;
}

static lun_padding random_padding(rng *r)
{
    lun_padding d = {.rank = 1 + (int)below(r, 4), .value = next(r)};
    const int64_t most[] = {700, 40, 12, 7};
    for (int k = 0; k < d.rank; k++) {
        int64_t reach = below(r, 2) ? below(r, 3) : 0;
        d.rule[k] = (uint8_t)below(r, 3);
        d.inner[k] = 1 + below(r, most[d.rank - 1] - 4);
        d.before[k] = reach;
        d.extent[k] = d.inner[k] + reach + (below(r, 4) ? reach : below(r, 3));
    }
    return d;
}

/* Windows of the padded array: mostly of the array's extents, as the operands of a stencil are. */
static lun_layout random_box(rng *r, const lun_padding *d)
{
    lun_layout l = lun__layout_right(d->rank, d->extent);
    for (int k = 0; k < d->rank; k++) {
        int64_t count = below(r, 8) ? d->inner[k] : 1 + below(r, d->extent[k]);
        l.offset += below(r, d->extent[k] - count + 1) * l.stride[k];
        l.extent[k] = count;
    }
    return l;
}

/* Axes in any order, backwards, with steps, repeated. */
static void rearrange(rng *r, lun_layout *l)
{
    for (int k = 0; k < l->rank; k++) {
        int j = (int)below(r, l->rank);
        int64_t extent = l->extent[k], stride = l->stride[k];
        l->extent[k] = l->extent[j];
        l->stride[k] = l->stride[j];
        l->extent[j] = extent;
        l->stride[j] = stride;
        if (!below(r, 4)) {
            l->offset += (l->extent[k] - 1) * l->stride[k];
            l->stride[k] = -l->stride[k];
        } else if (!below(r, 4)) {
            l->extent[k] = (l->extent[k] + 1) / 2;
            l->stride[k] *= 2;
        } else if (!below(r, 8)) {
            l->stride[k] = 0;
        }
    }
}

static void expect_read(const lun_padding *d, const lun_layout *l, int size, int64_t first,
                        int64_t count)
{
    unsigned char *to = packed + GUARD;
    memset(packed, FILLER, (size_t)(count * size + 2 * GUARD));
    lun_pad_box b = lun__pad_box(d, l);
    lun__pad_read(d, l, &b, array, size, first, count, to);
    for (int i = 0; i < GUARD; i++)
        assert_true(packed[i] == FILLER && to[count * size + i] == FILLER);
    for (int64_t i = 0; i < count; i++)
        if (memcmp(to + i * size, element(d, p.at[first + i], size), (size_t)size) != 0)
            fail_msg("element %lld of %lld, size %d, rank %d", (long long)(first + i),
                     (long long)p.count, size, d->rank);
}

/* Elements that are said to stand in the array itself stand there; those of its columns are right
 * everywhere.  How many: */
static int64_t expect_run(const lun_padding *d, const lun_layout *l, int size, int64_t first)
{
    lun_pad_box b = lun__pad_box(d, l);
    lun_pad_run at = lun__pad_run(d, &b, first);
    int64_t right = 0;
    assert_true(at.count == 0 || b.is);
    for (int64_t i = 0; i < at.count && first + i < p.count; i++) {
        int64_t column = (at.column + i) % at.segment;
        if (i < at.segment) {
            int64_t count = (at.count - i + at.segment - 1) / at.segment;
            if (first + i + (count - 1) * at.segment >= p.count)
                count--;
            lun__pad_column(d, &b, array, size, first + i, count, packed);
            for (int64_t k = 0; k < count; k++)
                assert_memory_equal(packed + k * size,
                                    element(d, p.at[first + i + k * at.segment], size),
                                    (size_t)size);
        }
        if (column < at.low || column >= at.high)
            continue;
        right++;
        assert_memory_equal(array + (at.offset + i) * size, element(d, p.at[first + i], size),
                            (size_t)size);
    }
    return right;
}

static void test_reads(void **state)
{
    rng r = {7};
    int64_t in_place = 0;
    (void)state;
    for (size_t i = 0; i < sizeof array; i++)
        array[i] = (unsigned char)(i * 37 + i / 251);
    for (int round = 0; round < ROUNDS; round++) {
        lun_padding d = random_padding(&r);
        lun_layout l = random_box(&r, &d);
        if (!below(&r, 4))
            rearrange(&r, &l);
        count_places(&l, &p);
        int64_t first = below(&r, 3) ? below(&r, p.count) : 0;
        int64_t count = below(&r, 3) ? below(&r, p.count - first + 1) : p.count - first;
        expect_read(&d, &l, 1 << below(&r, 4), first, count);
        in_place += first < p.count ? expect_run(&d, &l, 1 << below(&r, 4), first) : 0;
    }
    assert_true(in_place > ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
