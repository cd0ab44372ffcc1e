/* random_graph_test.c - random graphs of everything a node can be, evaluated as the engine likes,
 * against the same steps one at a time.
 *
 * What an array must hold is kept in plain memory beside it (a `cell block` of the item), computed
 * by a second engine on fresh arrays, each step evaluated at once; parts, Views and writes are done
 * by hand.  So nothing of the graph, its lifetimes or copy-on-write is shared with what is tested.
 * Usage: random_graph_test [first seed [number of graphs]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph_steps.h"

enum { LIVE = 40, ROOTS = 24 };

static long first_seed = 1, graphs = 1200;

/* An array of the tested engine and what it must hold. */
typedef struct item {
    int refs; /* the pool's and those of Views */
    lun_array *a;
    block b;             /* a View's has no bytes of its own */
    struct item *parent; /* View */
    int64_t offset;      /* View: first element in the parent */
    void *wrapped;       /* the host's own memory; the array lets go of it */
} item;

typedef struct world {
    lun_engine *e, *single; /* tested; one step at a time */
    functions f;
    rng r;
    item *live[LIVE];
    int count;
    int64_t n; /* the favourite length */
    char what[64];
    long seed;
} world;

#define MUST(w, engine, call)                                                           \
    do {                                                                                \
        lun_status s_ = (call);                                                         \
        if (s_)                                                                         \
            fail_msg("seed %ld, %s: %s: %s", (w)->seed, (w)->what, lun_status_name(s_), \
                     lun_error(engine));                                                \
    } while (0)

/* ---- items ----------------------------------------------------------------------------------- */

static unsigned char *bytes_of(const item *i)
{
    int64_t at = 0;
    for (; i->parent; i = i->parent)
        at += i->offset;
    return i->b.bytes + at * lun_dtype_size(i->b.t);
}

static size_t size_of(const item *i)
{
    return (size_t)(i->b.n * lun_dtype_size(i->b.t));
}

static void item_release(item *i)
{
    while (i && !--i->refs) {
        item *parent = i->parent;
        lun_release(i->a);
        free(i->b.bytes);
        free(i);
        i = parent;
    }
}

static void drop(world *w, int k)
{
    item *i = w->live[k];
    if (i->wrapped) /* writes have gone through */
        assert_memory_equal(i->wrapped, i->b.bytes, size_of(i));
    w->live[k] = w->live[--w->count];
    item_release(i);
}

/* Takes a and b over. */
static item *keep(world *w, lun_array *a, block b)
{
    item *i = calloc(1, sizeof *i);
    int64_t shape[LUN_MAX_RANK];
    assert_non_null(i);
    *i = (item){.refs = 1, .a = a, .b = b};
    if (w->count == LIVE)
        drop(w, (int)below(&w->r, LIVE));
    w->live[w->count++] = i;
    if (lun_dtype_of(a) != b.t || lun_size(a) != b.n || lun_shape(a, shape) != b.rank ||
        memcmp(shape, b.shape, (size_t)b.rank * sizeof *shape))
        fail_msg("seed %ld, %s: another dtype or shape than expected", w->seed, w->what);
    return i;
}

/* Any item, most often a young one. */
static item *pick(world *w)
{
    int64_t back =
        chance(&w->r, 60) ? below(&w->r, w->count < 6 ? w->count : 6) : below(&w->r, w->count);
    return w->live[w->count - 1 - back];
}

/* One whose size fits an operation with n elements. */
static item *pick_size(world *w, int64_t n)
{
    for (int tries = 0; tries < 30; tries++) {
        item *i = pick(w);
        if (i->b.n == n || i->b.rank == 0 || (i->b.n == 1 && i->b.rank == 1))
            return i;
    }
    return pick(w);
}

/* ---- checking -------------------------------------------------------------------------------- */

static void compare(world *w, const item *i, const void *got, int64_t first, int64_t count)
{
    int size = lun_dtype_size(i->b.t);
    const unsigned char *want = bytes_of(i) + first * size;
    for (int64_t k = 0; k < count; k++)
        if (memcmp((const unsigned char *)got + k * size, want + k * size, (size_t)size)) {
            uint64_t x = 0, y = 0;
            memcpy(&x, (const unsigned char *)got + k * size, (size_t)size);
            memcpy(&y, want + k * size, (size_t)size);
            fail_msg("seed %ld, %s: element %ld of %ld (%s) is %lx, not %lx", w->seed, w->what,
                     (long)(first + k), (long)i->b.n, lun_dtype_name(i->b.t), (long)x, (long)y);
        }
}

static void check_part(world *w, const item *i, int64_t first, int64_t count)
{
    void *got = malloc((size_t)(count * lun_dtype_size(i->b.t)) + 1);
    assert_non_null(got);
    MUST(w, w->e, lun_read(w->e, i->a, got, first, count));
    compare(w, i, got, first, count);
    free(got);
}

static void check(world *w, const item *i)
{
    snprintf(w->what, sizeof w->what, "check");
    if (i->b.n && chance(&w->r, 30)) {
        int64_t first = below(&w->r, i->b.n), count = below(&w->r, i->b.n - first + 1);
        check_part(w, i, first, count);
    } else if (i->b.n && chance(&w->r, 20)) {
        int64_t k = below(&w->r, i->b.n);
        lun_value v;
        MUST(w, w->e, lun_get(w->e, i->a, k, &v));
        uint64_t cell = lun__dtype_cell_from_value(i->b.t, v);
        if (!lun__dtype_is_float(i->b.t) || v.as.d == v.as.d)
            compare(w, i, &cell, k, 1);
    } else if (chance(&w->r, 30)) {
        const void *data;
        MUST(w, w->e, lun_data(w->e, i->a, &data));
        compare(w, i, data, 0, i->b.n);
    } else {
        check_part(w, i, 0, i->b.n);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The step on the tested engine's arrays and on fresh ones; keeps what both give. */
static void build(world *w, const step *s, item *const *in)
{
    lun_array *a[3], *fresh[3], *outs[2], *singles[2];
    block b[2];
    int results = 0, expected = 0;
    for (int k = 0; k < s->operands; k++)
        a[k] = in[k]->a;
    snprintf(w->what, sizeof w->what, "step %d, op %d", (int)s->kind, s->op);
    lun_status got = step_build(w->e, &w->f, s, a, outs, &results);
    for (int k = 0; k < s->operands; k++) {
        block from = in[k]->b;
        from.bytes = bytes_of(in[k]);
        MUST(w, w->single, block_array(w->single, &from, &fresh[k]));
    }
    lun_status want = step_build(w->single, &w->f, s, fresh, singles, &expected);
    if (got != want || results != expected)
        fail_msg("seed %ld, %s: status %s, expected %s", w->seed, w->what, lun_status_name(got),
                 lun_status_name(want));
    bool well = true;
    for (int k = 0; k < results; k++) {
        lun_status st = lun_eval(w->single, &singles[k], 1);
        well = well && st == LUN_OK;
        if (st != LUN_OK && st != LUN_EZERO && st != LUN_EBOUNDS)
            MUST(w, w->single, st);
    }
    for (int k = 0; k < results; k++)
        if (well) {
            MUST(w, w->single, block_read(w->single, singles[k], &b[k]));
            keep(w, outs[k], b[k]);
        } else {
            lun_release(outs[k]); /* e.g. a division by zero: it is never read */
        }
    for (int k = 0; k < results; k++)
        lun_release(singles[k]);
    for (int k = 0; k < s->operands; k++)
        lun_release(fresh[k]);
}

static void free_own(void *data, void *ctx)
{
    (void)ctx;
    free(data);
}

static void new_step(world *w)
{
    step s;
    item *in[3];
    step_random(&w->r, w->n, &s);
    if (w->count == 0 || s.operands == 0) {
        s.kind = STEP_SOURCE;
        s.operands = 0;
        if (w->r.state % 3 == 0 && w->n) { /* the host's own memory */
            block b = block_random(&w->r, w->n);
            lun_array *a;
            void *own = malloc((size_t)(b.n * lun_dtype_size(b.t)));
            assert_non_null(own);
            memcpy(own, b.bytes, (size_t)(b.n * lun_dtype_size(b.t)));
            b.rank = 1;
            b.shape[0] = b.n;
            snprintf(w->what, sizeof w->what, "wrap");
            MUST(w, w->e, lun_wrap(w->e, own, b.n, b.t, free_own, NULL, &a));
            keep(w, a, b)->wrapped = own;
            return;
        }
    }
    for (int k = 0; k < s.operands; k++)
        in[k] = k ? pick_size(w, in[0]->b.n) : pick(w);
    build(w, &s, in);
}

/* Elements first, first + step, ... by hand. */
static void new_part(world *w)
{
    item *i = pick(w);
    lun_array *a;
    block b = i->b;
    int64_t row = 1, by = 1;
    if (b.rank == 0 || b.shape[0] == 0)
        return;
    for (int k = 1; k < b.rank; k++)
        row *= b.shape[k];
    int64_t first = below(&w->r, b.shape[0]), count = below(&w->r, b.shape[0] - first + 1);
    if (b.rank == 1 && count && chance(&w->r, 50)) {
        int64_t most = count;
        by = 1 + below(&w->r, 3);
        count = (most + by - 1) / by;
        if (chance(&w->r, 50)) {
            first += (count - 1) * by;
            by = -by;
        }
    }
    snprintf(w->what, sizeof w->what, "slice");
    MUST(w, w->e, lun_slice(w->e, i->a, first, count, by, &a));
    size_t size = (size_t)(row * lun_dtype_size(b.t));
    b.shape[0] = count;
    b.n = count * row;
    b.bytes = malloc((size_t)count * size + 1);
    assert_non_null(b.bytes);
    for (int64_t k = 0; k < count; k++)
        memcpy(b.bytes + (size_t)k * size, bytes_of(i) + (size_t)(first + k * by) * size, size);
    keep(w, a, b);
}

static void new_row(world *w)
{
    item *i = pick(w), *v;
    lun_array *a;
    block b = i->b;
    if (b.rank < 2 || b.shape[0] == 0)
        return;
    int64_t k = below(&w->r, b.shape[0]);
    snprintf(w->what, sizeof w->what, "row");
    MUST(w, w->e, lun_row(w->e, i->a, k, &a));
    b.n /= b.shape[0];
    memmove(b.shape, b.shape + 1, (size_t)--b.rank * sizeof *b.shape);
    b.bytes = NULL;
    i->refs++;
    v = keep(w, a, b);
    v->parent = i;
    v->offset = k * b.n;
}

/* ---- writes ---------------------------------------------------------------------------------- */

static void write_some(world *w, item *i)
{
    int size = lun_dtype_size(i->b.t);
    block b = block_random_of(&w->r, i->b.t, i->b.n);
    int64_t first = i->b.n ? below(&w->r, i->b.n) : 0;
    int64_t count = below(&w->r, i->b.n - first + 1);
    lun_status s;
    if (i->b.n && chance(&w->r, 40)) {
        uint64_t cell = 0;
        memcpy(&cell, b.bytes, (size_t)size);
        count = 1;
        s = lun_set(w->e, i->a, first, lun__dtype_cell_to_value(i->b.t, cell));
        if (lun__dtype_is_float(i->b.t)) /* a NaN may lose its payload */
            cell = lun__dtype_cell_from_value(i->b.t, lun__dtype_cell_to_value(i->b.t, cell));
        memcpy(b.bytes, &cell, (size_t)size);
    } else {
        s = lun_write(w->e, i->a, b.bytes, first, count);
    }
    bool scalar = s == LUN_EARG && i->b.rank == 0;
    if (!scalar) {
        MUST(w, w->e, s);
        memcpy(bytes_of(i) + first * size, b.bytes, (size_t)(count * size));
    }
    free(b.bytes);
}

/* Whether NumPy's rule repeats from's elements in the shape of `to`; extents of 1 in front may be
 * more. */
static bool broadcasts(const block *from, const block *to)
{
    for (int k = 0; k < from->rank; k++) {
        int at = to->rank - from->rank + k;
        if (from->shape[k] != 1 && (at < 0 || from->shape[k] != to->shape[at]))
            return false;
    }
    return true;
}

/* The element of `from` that stands at element k of `to` then. */
static int64_t repeated(const block *from, const block *to, int64_t k)
{
    int64_t at = 0, stride = 1;
    for (int i = to->rank - 1; i >= 0 && i >= to->rank - from->rank; i--) {
        int64_t extent = from->shape[i - (to->rank - from->rank)];
        at += extent > 1 ? k % to->shape[i] * stride : 0;
        stride *= extent;
        k /= to->shape[i];
    }
    return at;
}

/* target takes source's elements, converted. */
static void store(world *w, item *target, item *source)
{
    lun_array *fresh, *cast;
    block from = source->b, b;
    lun_status s = lun_store(w->e, target->a, source->a);
    bool fits = broadcasts(&source->b, &target->b);
    if (target->b.rank == 0 && s == LUN_EARG)
        return;
    if (!fits) {
        assert_int_equal(s, LUN_ESHAPE);
        return;
    }
    MUST(w, w->e, s);
    from.bytes = bytes_of(source);
    MUST(w, w->single, block_array(w->single, &from, &fresh));
    MUST(w, w->single, lun_cast(w->single, fresh, target->b.t, &cast));
    MUST(w, w->single, block_read(w->single, cast, &b));
    size_t size = (size_t)lun_dtype_size(b.t);
    for (int64_t k = 0; k < target->b.n; k++)
        memcpy(bytes_of(target) + (size_t)k * size,
               b.bytes + (size_t)repeated(&source->b, &target->b, k) * size, size);
    lun_release(fresh);
    lun_release(cast);
    free(b.bytes);
}

static void change(world *w)
{
    item *i = pick(w);
    snprintf(w->what, sizeof w->what, "write");
    if (chance(&w->r, 60)) {
        write_some(w, i);
    } else {
        snprintf(w->what, sizeof w->what, "store");
        store(w, i, pick_size(w, i->b.n));
    }
    item *top = i;
    while (top->parent)
        top = top->parent;
    if (top->wrapped)
        assert_memory_equal(top->wrapped, top->b.bytes, size_of(top));
    if (chance(&w->r, 50))
        check(w, pick(w));
}

/* ---- a graph --------------------------------------------------------------------------------- */

static void evaluate_some(world *w)
{
    lun_array *roots[ROOTS];
    int count = 1 + (int)below(&w->r, chance(&w->r, 60) ? 4 : ROOTS);
    snprintf(w->what, sizeof w->what, "eval of %d", count);
    int64_t n = pick(w)->b.n;
    for (int k = 0; k < count; k++)
        roots[k] = (chance(&w->r, 70) ? pick_size(w, n) : pick(w))->a;
    MUST(w, w->e, lun_eval(w->e, roots, count));
}

static void free_one(world *w)
{
    int k = (int)below(&w->r, w->count);
    item *i = w->live[k];
    lun_array *out;
    if (i->refs > 1)
        return;
    i->wrapped = NULL;
    MUST(w, w->e, lun_free(w->e, i->a));
    assert_int_equal(lun_neg(w->e, i->a, &out), LUN_EFREED);
    drop(w, k);
}

static void copy_one(world *w)
{
    const item *i = pick(w);
    lun_array *a;
    block b = i->b;
    snprintf(w->what, sizeof w->what, "copy");
    MUST(w, w->e, lun_copy(w->e, i->a, &a));
    b.bytes = malloc(size_of(i) + 1);
    assert_non_null(b.bytes);
    memcpy(b.bytes, bytes_of(i), size_of(i));
    keep(w, a, b);
}

static void one_graph(world *w, int steps, int lazy)
{
    static const int64_t lengths[] = {0, 1, 2, 3, 7, 63, 64, 65, 128, 200, 1000, 2000};
    w->n = lengths[below(&w->r, (int64_t)(sizeof lengths / sizeof *lengths))];
    for (int k = 0; k < steps; k++) {
        int64_t dice = below(&w->r, 100);
        if (dice < 72 || w->count < 2)
            new_step(w);
        else if (dice < 84)
            new_part(w);
        else if (dice < 87)
            new_row(w);
        else if (dice < 88)
            free_one(w);
        else if (chance(&w->r, lazy))
            continue;
        else if (dice < 94)
            change(w);
        else if (dice < 96)
            copy_one(w);
        else if (dice < 98)
            check(w, pick(w));
        else
            evaluate_some(w);
    }
    if (w->count && chance(&w->r, 50))
        evaluate_some(w);
    while (w->count) {
        check(w, w->live[w->count - 1]);
        drop(w, w->count - 1);
    }
}

static void test_random_graphs(void **state)
{
    int64_t all = 0;
    (void)state;
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
    lun_stats stats = {.size = sizeof stats};
    world w = {0};
    assert_int_equal(lun_open(&c, &w.e), LUN_OK);
    assert_int_equal(lun_open(&c, &w.single), LUN_OK);
    functions_open(&w.f);
    for (long k = 0; k < graphs; k++) {
        w.seed = first_seed + k;
        w.r.state = (uint64_t)w.seed * 0x9e3779b97f4a7c15u;
        int64_t dice = below(&w.r, 100);
        int steps = 1 + (int)below(&w.r, dice < 60 ? 20 : dice < 94 ? 120 : dice < 99 ? 600 : 2000);
        all += steps;
        one_graph(&w, steps, chance(&w.r, 40) ? 100 : 30);
        lun_stats_get(w.e, &stats);
        assert_int_equal(stats.nodes, 0);
        assert_int_equal(stats.allocated, 0);
    }
    functions_close(&w.f);
    lun_close(w.e);
    lun_close(w.single);
    printf("%lld steps\n", (long long)all);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        first_seed = atol(argv[1]);
    if (argc > 2)
        graphs = atol(argv[2]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
