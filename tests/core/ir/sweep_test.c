/* sweep_test.c - the geometry of sweeps: each stage finds in the rings all units that it reads, at
 * the step at which it reads them, and all indices within them; by a simulation that only knows
 * which unit each place of a ring holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/layout/sweep_geometry.h"

enum { MOST = 64, UNITS = 4096 };

typedef struct box {
    lun_sweep_box b;
    lun_sweep_read read[MOST];
    int maker[MOST], size[MOST];
} box;

static uint32_t state;

static int64_t some(int64_t least, int64_t most)
{
    state = state * 1664525u + 1013904223u;
    return least + (int64_t)((state >> 8) % (uint32_t)(most - least + 1));
}

static void open_box(box *x, int rank, int64_t rows, int64_t line)
{
    memset(x, 0, sizeof *x);
    x->b.rank = rank;
    x->b.extent[0] = rows;
    for (int k = 1; k < rank; k++)
        x->b.extent[k] = k == rank - 1 ? line : 20;
    x->b.read = x->read;
    x->b.maker = x->maker;
    x->b.size = x->size;
}

static int add_array(box *x, int maker, int size)
{
    x->maker[x->b.arrays] = maker;
    x->size[x->b.arrays] = size;
    return x->b.arrays++;
}

static void add_read(box *x, int stage, int array, int64_t by0, int64_t by)
{
    lun_sweep_read *r = &x->read[x->b.reads++];
    *r = (lun_sweep_read){.stage = stage, .array = array, .by = {by0}};
    for (int k = 1; k < x->b.rank; k++)
        r->by[k] = by;
}

/* `stages` of a five-point stencil, each of the one before. */
static void jacobi(box *x, int stages, int64_t rows, int64_t line)
{
    open_box(x, 2, rows, line);
    int from = add_array(x, -1, 4);
    for (int s = 0; s < stages; s++) {
        add_read(x, s, from, -1, 0);
        add_read(x, s, from, 1, 0);
        add_read(x, s, from, 0, -1);
        add_read(x, s, from, 0, 1);
        from = add_array(x, s, 4);
    }
    x->b.stages = stages;
}

/* ---- the simulation -------------------------------------------------------------------------- */

typedef struct piece {
    const lun_sweep_box *b;
    const lun_sweep_plan *p;
    int64_t lo[LUN_LAYOUT_RANK], hi[LUN_LAYOUT_RANK];
    int64_t held[MOST][UNITS]; /* by array and place in its ring: the unit, or -UNITS */
} piece;

static bool is_whole(const piece *x, int k)
{
    return k > 0 && x->p->piece[k] == x->b->extent[k];
}

static void range(const piece *x, const lun_sweep_part *of, int k, int64_t *lo, int64_t *hi)
{
    *lo = x->lo[k] - (is_whole(x, k) ? 0 : of->before[k]);
    *hi = x->hi[k] + (is_whole(x, k) ? 0 : of->after[k]);
    if (!x->b->wraps[k]) {
        *lo = *lo < 0 ? 0 : *lo;
        *hi = *hi > x->b->extent[k] ? x->b->extent[k] : *hi;
    }
}

static int64_t place(int64_t unit, int64_t ring)
{
    return (unit % ring + ring) % ring;
}

static void hold(piece *x, int array, int64_t unit)
{
    const int64_t ring = x->p->array[array].ring;
    assert_true(ring <= UNITS);
    if (ring)
        x->held[array][place(unit, ring)] = unit;
}

static void check_read(const piece *x, const lun_sweep_read *r, int64_t unit)
{
    const lun_sweep_part *a = &x->p->array[r->array], *s = &x->p->stage[r->stage];
    int64_t at = unit + r->by[0], lo, hi, slo, shi;
    if (!x->b->wraps[0])
        at = at < 0 ? 0 : at >= x->b->extent[0] ? x->b->extent[0] - 1 : at;
    if (!a->ring) { /* read where it stands: it is in memory, and the same indices alone take it */
        assert_true(x->b->maker[r->array] < 0);
        for (int k = 0; k < x->b->rank; k++)
            assert_int_equal(r->by[k], 0);
        return;
    }
    assert_int_equal(x->held[r->array][place(at, a->ring)], at);
    for (int k = 1; k < x->b->rank; k++) {
        range(x, a, k, &lo, &hi);
        range(x, s, k, &slo, &shi);
        if (is_whole(x, k) || !x->b->wraps[k]) { /* margins stand beyond what there is */
            lo = lo == 0 ? x->lo[k] - a->before[k] : lo;
            hi = hi == x->b->extent[k] ? x->hi[k] + a->after[k] : hi;
        }
        assert_true(slo + r->by[k] >= lo && shi + r->by[k] <= hi);
        assert_true(lo >= x->lo[k] - a->before[k] && hi <= x->hi[k] + a->after[k]);
    }
}

/* Runs a piece.  How many units of the last stage are run. */
static int64_t simulate(piece *x)
{
    int64_t lo, hi, run = 0, read;
    for (int a = 0; a < MOST; a++)
        for (int i = 0; i < UNITS; i++)
            x->held[a][i] = -UNITS;
    for (int64_t step = -UNITS / 4; step < UNITS / 2; step++) {
        for (int a = 0; a < x->b->arrays; a++) {
            range(x, &x->p->array[a], 0, &lo, &hi);
            int64_t unit = step - x->p->array[a].lag;
            if (x->b->maker[a] < 0 && unit >= lo && unit < hi)
                hold(x, a, unit);
        }
        read = 0;
        for (int s = 0; s < x->b->stages; s++) {
            int64_t unit = step - x->p->stage[s].lag;
            range(x, &x->p->stage[s], 0, &lo, &hi);
            bool runs = unit >= lo && unit < hi;
            for (; read < x->b->reads && x->b->read[read].stage == s; read++)
                if (runs)
                    check_read(x, &x->b->read[read], unit);
            for (int a = 0; a < x->b->arrays && runs; a++)
                if (x->b->maker[a] == s)
                    hold(x, a, unit);
            run += runs && s == x->b->stages - 1;
        }
    }
    return run;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_jacobi(void **unused)
{
    (void)unused;
    box x;
    lun_sweep_plan p;
    jacobi(&x, 5, 1000, 4096);
    assert_true(lun__sweep_geometry_plan(&x.b, 5, 1 << 20, &p));
    for (int s = 0; s < 5; s++) {
        assert_int_equal(p.stage[s].lag, s + 1);
        assert_int_equal(p.stage[s].before[0], 4 - s);
        assert_int_equal(p.stage[s].after[0], 4 - s);
        assert_int_equal(p.array[s].ring, 3);
        assert_int_equal(p.array[s].lag, s);
        assert_int_equal(p.array[s].before[1], 1); /* margins: the line is whole */
        assert_int_equal((p.array[s].lead + 1) % 16, 0);
    }
    assert_int_equal(p.array[5].ring, 0); /* nothing reads it */
    assert_int_equal(p.piece[1], 4096);
    assert_true(p.bytes >= 5 * 3 * 4098 * 4 && p.bytes < 5 * 3 * 4500 * 4);
    lun__sweep_geometry_free(&p);
}

static void test_depth(void **unused)
{
    (void)unused;
    box x;
    int last = 16;
    jacobi(&x, 16, 4096, 4096);
    for (int64_t near = 4 << 20; near >= 1 << 10; near /= 2) {
        int depth = lun__sweep_geometry_depth(&x.b, near);
        assert_in_range(depth, 0, last);
        last = depth;
        if (near == 512 << 10) /* rings of whole lines would hold ten */
            assert_int_equal(depth, 16);
    }
    assert_int_equal(last, 0);
    jacobi(&x, 3, 10, 64);
    assert_int_equal(lun__sweep_geometry_depth(&x.b, 1 << 20), 3);
}

static void test_too_large(void **unused)
{
    (void)unused;
    static const int64_t far[] = {INT64_MAX - 5, -INT64_MAX + 5, (int64_t)1 << 50, 1 << 30};
    for (int i = 0; i < 8; i++) {
        box x;
        lun_sweep_plan p;
        jacobi(&x, 16, 10, 1000);
        for (int r = 4; r < x.b.reads; r++) /* of the second stage and those behind it */
            x.read[r].by[i % 2] = far[i / 2];
        assert_true(!lun__sweep_geometry_plan(&x.b, 16, 1 << 20, &p) || p.bytes > 1 << 20);
        lun__sweep_geometry_free(&p);
        assert_int_equal(lun__sweep_geometry_depth(&x.b, 1 << 20), 1);
    }
}

/* What is in memory and is read at the same indices alone needs no ring; stages that combine their
 * elements are not cut. */
static void test_whole(void **unused)
{
    (void)unused;
    box x;
    lun_sweep_plan p;
    jacobi(&x, 2, 4096, 1 << 16);
    int source = add_array(&x, -1, 8);
    add_read(&x, 1, source, 0, 0);
    assert_true(lun__sweep_geometry_plan(&x.b, 2, 1 << 20, &p));
    assert_int_equal(p.array[source].ring, 0);
    assert_true(p.piece[1] < 1 << 16);
    lun__sweep_geometry_free(&p);
    x.b.whole = true;
    assert_true(lun__sweep_geometry_plan(&x.b, 2, 1 << 20, &p));
    assert_int_equal(p.piece[1], 1 << 16);
    assert_int_equal(p.array[1].stride[0], 0);
    assert_true(p.bytes < 2 * 3 * 4 * ((1 << 16) + 64)); /* lines of whole blocks */
    lun__sweep_geometry_free(&p);
    assert_int_equal(lun__sweep_geometry_depth(&x.b, 1 << 20), 2);
    assert_int_equal(lun__sweep_geometry_depth(&x.b, 1 << 10), 0);
    x.read[8].by[0] = 1;
    assert_true(lun__sweep_geometry_plan(&x.b, 2, 1 << 20, &p));
    assert_true(p.array[source].ring > 0);
    lun__sweep_geometry_free(&p);
}

/* Units that chunks end with, found by counting. */
static void test_chunks(void **unused)
{
    (void)unused;
    static const int64_t lines[] = {1, 2, 64, 96, 100, 128, 1000, 1023, 16384, 16385, 40960};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        box x;
        open_box(&x, 3, 10, lines[i]);
        int64_t units = 1;
        while (units * 20 * lines[i] % 16384)
            units++;
        assert_int_equal(lun__sweep_geometry_chunks(&x.b, 16384), units);
    }
}

/* Any stages, reads and edges, cut into pieces of any size. */
static void test_simulated(void **unused)
{
    (void)unused;
    static piece w;
    for (state = 1; state < 400; state++) {
        const uint32_t seed = state;
        box x;
        lun_sweep_plan p;
        const int64_t rank = some(2, 3), rows = some(1, 60);
        open_box(&x, (int)rank, rows, some(1, 3000));
        for (int k = 0; k < x.b.rank; k++)
            x.b.wraps[k] = some(0, 1);
        for (int i = (int)some(1, 2); i > 0; i--)
            add_array(&x, -1, 1 << some(0, 3));
        x.b.stages = (int)some(1, 6);
        for (int s = 0; s < x.b.stages; s++) {
            for (int i = (int)some(1, 5); i > 0; i--) {
                const int64_t array = some(0, x.b.arrays - 1), by0 = some(-3, 3);
                add_read(&x, s, (int)array, by0, some(-3, 3));
            }
            for (int i = (int)some(1, 2); i > 0; i--)
                add_array(&x, s, 1 << some(0, 3));
        }
        assert_true(lun__sweep_geometry_plan(&x.b, x.b.stages, some(1 << 10, 1 << 19), &p));
        w.b = &x.b;
        w.p = &p;
        int64_t band = some(1, x.b.extent[0]);
        for (int64_t first = 0; first < x.b.extent[0]; first += band) {
            w.lo[0] = first;
            w.hi[0] = first + band < x.b.extent[0] ? first + band : x.b.extent[0];
            for (int k = 1; k < x.b.rank; k++) {
                int64_t pieces = (x.b.extent[k] + p.piece[k] - 1) / p.piece[k];
                w.lo[k] = some(0, pieces - 1) * p.piece[k];
                w.hi[k] = w.lo[k] + p.piece[k];
                w.hi[k] = w.hi[k] < x.b.extent[k] ? w.hi[k] : x.b.extent[k];
            }
            assert_true(simulate(&w) >= w.hi[0] - w.lo[0]);
        }
        lun__sweep_geometry_free(&p);
        state = seed;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobi),    cmocka_unit_test(test_depth),
        cmocka_unit_test(test_too_large), cmocka_unit_test(test_whole),
        cmocka_unit_test(test_chunks),    cmocka_unit_test(test_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
