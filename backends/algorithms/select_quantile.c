/* select_quantile.c - the row quantile: the elements at given fractions of each segment in order,
 * linear between neighbours.  Long segments are selected from (select.h), others are sorted. */
#include <string.h>

#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"
#include "algorithms/quantile_of.h"
#include "algorithms/select.h"
#include "algorithms/sort/keys.h"
#include "algorithms/sort/sort.h"

enum {
    LINE = 64,
    LINES = 512, /* whose results a thread stores at a time */
    SKIP = 1     /* of option 0: NaNs are left out */
};

/* Elements of a segment in order: all of them, or those that were selected. */
typedef struct ordered {
    const lun_algorithm_run *r;
    const char *elements;
    const lun_selection *some; /* or NULL */
} ordered;

static int64_t rounded(int64_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static int64_t segment_of(const lun_algorithm_run *r)
{
    return r->segment ? r->segment : r->in[0].n;
}

static lun_sorting sorting_of(const lun_algorithm_run *r, const void *from, void *to, int64_t n)
{
    return (lun_sorting){.dtype = r->in[0].dtype,
                         .n = n,
                         .segment = segment_of(r) < n ? segment_of(r) : n,
                         .from = from,
                         .to = to};
}

static int64_t element_bytes(const lun_algorithm_run *r)
{
    return lun__dtype_get(r->in[0].dtype)->bytes;
}

static bool selects(const lun_algorithm_run *r)
{
    return lun__select_pays(r->in[0].dtype, segment_of(r));
}

/* Elements that are sorted at a time. */
static int64_t sorted_at_once(const lun_algorithm_run *r)
{
    return selects(r) ? segment_of(r) : r->in[0].n;
}

int64_t lun__quantile_room(const lun_algorithm_run *r, int threads)
{
    static char any[1];
    const int64_t n = sorted_at_once(r);
    const lun_sorting s = sorting_of(r, any, any, n);
    return lun__sorting_room(&s, threads) + rounded(n * element_bytes(r)) + 2 * LINE +
           (selects(r)
                ? rounded(lun__select_room(r->in[0].dtype, n, lun__select_most(n), false, threads))
                : 0);
}

static double element(const ordered *o, int64_t i)
{
    const int64_t size = element_bytes(o->r);
    uint64_t cell = 0;
    double x;
    i = o->some ? lun__select_at(o->some, i) : i;
    memcpy(&cell, o->elements + i * size, (size_t)size);
    cell = lun__dtype_cell_cast(LUN_F64, o->r->in[0].dtype, cell);
    memcpy(&x, &cell, sizeof x);
    return x;
}

/* How many of a sorted segment's elements are numbers: NaNs come last. */
static int64_t numbers_in(const ordered *o, int64_t n)
{
    int64_t low = 0, high = n;
    if (!lun__dtype_is_float(o->r->in[0].dtype))
        return n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const double x = element(o, middle);
        if (x == x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of n numbers, n > 0. */
static double quantile(const ordered *o, int64_t n, double q)
{
    double part;
    const int64_t below = lun__quantile_of_place(q, n, &part);
    const double a = element(o, below);
    return below == n - 1 || part == 0 ? a
                                       : lun__quantile_of_between(a, element(o, below + 1), part);
}

/* The results of segment i, of which so many elements are numbers. */
static void store(const lun_algorithm_run *r, const ordered *o, int64_t i, int64_t numbers)
{
    const int64_t segments = r->in[0].n / segment_of(r),
                  bytes = lun__dtype_get(r->out[0].dtype)->bytes;
    const bool none = numbers == 0 || (numbers < segment_of(r) && !(r->option[0] & SKIP));
    const double *q = r->in[1].data;
    for (int64_t k = 0; k < r->in[1].n; k++) {
        const double x = none ? __builtin_nan("") : quantile(o, numbers, q[k]);
        uint64_t cell;
        memcpy(&cell, &x, sizeof cell);
        cell = lun__dtype_cell_cast(r->out[0].dtype, LUN_F64, cell);
        memcpy((char *)r->out[0].data + (k * segments + i) * bytes, &cell, (size_t)bytes);
    }
}

/* Line i, by selection; `to` has room for it, and then for what selecting and sorting needs. */
static lun_status select_segment(const lun_services *services, const lun_team *team,
                                 const lun_algorithm_run *r, int64_t i, char *to)
{
    const int64_t n = segment_of(r);
    const char *from = (const char *)r->in[0].data + i * n * element_bytes(r);
    const double *q = r->in[1].data;
    char *scratch = to + rounded(n * element_bytes(r));
    lun_selection x;
    lun_status s = lun__select_count(services, team, r->in[0].dtype, false, from, n, scratch, &x);
    const int64_t numbers = n - x.nans;
    for (int64_t k = 0; numbers && k < r->in[1].n; k++) {
        double part;
        const int64_t below = lun__quantile_of_place(q[k], numbers, &part);
        lun__select_want(&x, below, false);
        lun__select_want(&x, below + 1 < numbers ? below + 1 : below, false);
    }
    if (s == LUN_OK)
        s = lun__select_take(&x, lun__select_most(n), false);
    if (s != LUN_OK)
        return s;
    lun_sorting all = sorting_of(r, from, to, n), some = sorting_of(r, x.elements, to, x.count);
    all.scratch = some.scratch =
        scratch +
        rounded(lun__select_room(r->in[0].dtype, n, lun__select_most(n), false, team->threads));
    s = lun__sorting_run(services, team, x.elements ? &some : &all);
    const ordered o = {.r = r, .elements = to, .some = x.elements ? &x : NULL};
    store(r, &o, i, numbers);
    return s;
}

/* The results of some segments, all of which are in order. */
static void store_segments(void *ctx, int64_t part, int worker)
{
    const ordered *all = ctx;
    const int64_t n = segment_of(all->r), end = (part + 1) * LINES, segments = all->r->in[0].n / n;
    (void)worker;
    for (int64_t i = part * LINES; i < (end < segments ? end : segments); i++) {
        const ordered o = {.r = all->r, .elements = all->elements + i * n * element_bytes(all->r)};
        store(o.r, &o, i, numbers_in(&o, n));
    }
}

lun_status lun__quantile_run(const lun_services *services, const lun_team *team,
                             lun_algorithm_run *r)
{
    const int64_t n = segment_of(r), segments = r->in[0].n / n;
    char *to = (char *)r->scratch + -(uintptr_t)r->scratch % LINE;
    lun_status status = LUN_OK;
    if (selects(r)) {
        for (int64_t i = 0; status == LUN_OK && i < segments; i++)
            status = select_segment(services, team, r, i, to);
        return status;
    }
    lun_sorting s = sorting_of(r, r->in[0].data, to, r->in[0].n);
    s.scratch = to + rounded(s.n * element_bytes(r));
    status = lun__sorting_run(services, team, &s);
    ordered all = {.r = r, .elements = to};
    if (status == LUN_OK &&
        !lun__work_parts(services, team, (segments + LINES - 1) / LINES, &all, store_segments))
        status = LUN_ECANCEL;
    return status;
}
