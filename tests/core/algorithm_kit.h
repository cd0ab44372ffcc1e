/* algorithm_kit.h - what tests of backends/algorithms share: runs with memory that ends at pages
 * that must not be touched, elements as numbers and in order. */
#ifndef TEST_ALGORITHM_KIT_H
#define TEST_ALGORITHM_KIT_H

#include "kernels.h"

#include <math.h>

#include "algorithms/parts/algorithm_functions.h"

static inline int64_t below(uint64_t *seed, int64_t n)
{
    return (int64_t)(test_random(seed) % (uint64_t)n);
}

typedef int64_t room_fn(const lun_algorithm_run *, int);
typedef lun_status run_fn(const lun_services *, const lun_team *, lun_algorithm_run *);

/* The run, again while it asks for other scratch memory, with results and scratch that end at pages
 * that must not be touched; its results. */
static inline lun_status run_guarded(room_fn *room, run_fn *run, lun_algorithm_run *r, int results,
                                     int threads, test_memory *out)
{
    lun_services services = test_services();
    lun_team team = {.threads = threads, .parallel = test_parallel};
    lun_status s;
    int way;
    for (int k = 0; k < results; k++) {
        out[k] = test_guarded((size_t)(r->out[k].n * lun__dtype_get(r->out[k].dtype)->bytes));
        r->out[k].data = out[k].data;
    }
    do {
        test_memory scratch = test_guarded((size_t)room(r, threads));
        memset(scratch.data, 0xa5, (size_t)room(r, threads));
        r->scratch = scratch.data;
        way = r->way;
        s = run(&services, &team, r);
        test_guarded_free(&scratch);
    } while (s == LUN_OK && r->way != way);
    return s;
}

static inline double number_of(lun_dtype t, uint64_t cell)
{
    uint64_t bits = lun__dtype_cell_cast(LUN_F64, t, cell);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t cell_at(const lun_column *c, int64_t i)
{
    const int bytes = lun__dtype_get(c->dtype)->bytes;
    uint64_t cell = 0;
    memcpy(&cell, (const char *)c->data + i * bytes, (size_t)bytes);
    return cell;
}

/* Less, equal, greater as groups ascend. */
static inline int compare(lun_dtype t, uint64_t a, uint64_t b)
{
    if (lun__dtype_is_float(t)) {
        double x = number_of(t, a), y = number_of(t, b);
        if (isnan(x) || isnan(y))
            return isnan(x) - isnan(y);
        return (x > y) - (x < y);
    }
    if (lun__dtype_is_signed(t)) {
        int64_t x = (int64_t)lun__dtype_cell_cast(LUN_I64, t, a);
        int64_t y = (int64_t)lun__dtype_cell_cast(LUN_I64, t, b);
        return (x > y) - (x < y);
    }
    return (a > b) - (a < b);
}

#endif
