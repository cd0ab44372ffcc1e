/* dense.c - the rows lu, solved, determinant, cholesky and triangular: factors of square matrices,
 * and what is solved with them.  Matrices of a batch are shared among threads; of one matrix, rows
 * behind a panel, and columns of right sides. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "algorithms/linear/small.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/first_failure.h"
#include "algorithms/parts/work_parts.h"

/* Columns of a panel, rows of a part, columns of a strip, elements of the matrices of a part: no
 * part of what is computed. */
enum { PANEL = 64, ROWS = 64, STRIP = 64, GRAIN = 4096 };

/* A run.  Invariant: of failures in several matrices, that of the first is kept, under `lock`. */
typedef struct dense {
    const lun_services *services;
    const lun_team *team;
    lun_algorithm_run *r;
    int64_t n, count, columns, strips; /* rows, matrices; of right sides */
    bool wide;                         /* this machine has vectors with fma */
    bool complex;                      /* each matrix is two: real and imaginary parts */
    lun_part_fn *one;                  /* matrices, or strips of right sides: `all`, and `grain` */
    int64_t all, grain;                /* of them to a part */
    pthread_mutex_t *lock;
    void *matrix; /* one that is being factored, the panel's first column or row */
    int64_t panel;
} dense;

/* Parts of one matrix: shared if it is the only one. */
static void shared(dense *d, int64_t parts, lun_part_fn *one)
{
    if (d->count == 1)
        lun__work_parts(d->services, d->team, parts, d, one);
    else
        for (int64_t part = 0; part < parts; part++)
            one(d, part, 0);
}

#define T       double
#define FMA     __builtin_fma
#define ROOT    sqrt
#define NAME(x) x##_f64
#define WIDE    4
#define VECTOR  __m256d
#define LOAD    _mm256_loadu_pd
#define STORE   _mm256_storeu_pd
#define ALL     _mm256_set1_pd
#define MINUS   _mm256_fnmadd_pd
#define PLUS    _mm256_fmadd_pd
#include "algorithms/linear/dense_of.h"

#include "algorithms/linear/complex_dense_of.h"
#undef T
#undef FMA
#undef ROOT
#undef NAME
#undef WIDE
#undef VECTOR
#undef LOAD
#undef STORE
#undef ALL
#undef MINUS
#undef PLUS
#define T       float
#define FMA     __builtin_fmaf
#define ROOT    sqrtf
#define NAME(x) x##_f32
#define WIDE    8
#define VECTOR  __m256
#define LOAD    _mm256_loadu_ps
#define STORE   _mm256_storeu_ps
#define ALL     _mm256_set1_ps
#define MINUS   _mm256_fnmadd_ps
#define PLUS    _mm256_fmadd_ps
#include "algorithms/linear/dense_of.h"

#include "algorithms/linear/complex_dense_of.h"

static dense open_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r,
                      int64_t more)
{
    dense d = {.services = services, .team = team, .r = r, .n = r->segment};
    d.complex = r->option[1] != 0;
    d.count = r->in[0].n / ((d.n + more) * d.n * (d.complex ? 2 : 1));
#ifdef __x86_64__
    d.wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    r->matrix = 0;
    return d;
}

static bool is_double(const dense *d)
{
    return lun__dtype_is_double(d->r->out[0].dtype);
}

static void several(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    for (int64_t k = part * d->grain; k < d->all && k < (part + 1) * d->grain; k++)
        d->one(ctx, k, worker);
}

/* Calls f64 or f32 for the numbers below `all`, each of which is so many matrices. */
static lun_status each_of(dense *d, int64_t all, int64_t matrices, lun_part_fn *f64,
                          lun_part_fn *f32)
{
    d->one = is_double(d) ? f64 : f32;
    d->all = all;
    d->grain = 1 + GRAIN / (d->n * d->n * matrices);
    const int64_t parts = (all + d->grain - 1) / d->grain;
    return lun__work_parts(d->services, d->team, parts, d, several) ? LUN_OK : LUN_ECANCEL;
}

static lun_status each(dense *d, int64_t all, lun_part_fn *f64, lun_part_fn *f32)
{
    return each_of(d, all, 1, f64, f32);
}

/* The only matrix, whose parts are shared. */
static lun_status alone(dense *d, lun_part_fn *f64, lun_part_fn *f32)
{
    (is_double(d) ? f64 : f32)(d, 0, 0);
    return lun__backend_stop_requested(d->services) ? LUN_ECANCEL : LUN_OK;
}

/* All matrices, or the only one. */
static lun_status factor(dense *d, lun_part_fn *f64, lun_part_fn *f32)
{
    return d->count > 1 ? each(d, d->count, f64, f32) : alone(d, f64, f32);
}

/* Whether matrices are done several at a time; how many times. */
static bool is_small(const dense *d)
{
    return d->count > 1 && d->n <= LUN_SMALL_ROWS && !d->complex;
}

static int64_t groups(const dense *d)
{
    return (d->count + LUN_SMALL_LANES - 1) / LUN_SMALL_LANES;
}

lun_status lun__lu_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    dense d = open_run(services, team, r, 0);
    if (is_small(&d))
        return each_of(&d, groups(&d), LUN_SMALL_LANES, some_lu_f64, some_lu_f32);
    return d.complex ? factor(&d, complex_lu_f64, complex_lu_f32)
                     : factor(&d, one_lu_f64, one_lu_f32);
}

/* The first pivot of matrix k that is 0. */
static int64_t singular(const dense *d, int64_t k, int64_t rows)
{
    if (d->complex)
        return (is_double(d) ? complex_singular_f64 : complex_singular_f32)(d, k, rows);
    return (is_double(d) ? singular_f64 : singular_f32)(d, k, rows);
}

static lun_status solve(dense *d, int64_t rows, bool unit)
{
    for (int64_t k = 0; k < d->count && !unit; k++) {
        d->r->failed = singular(d, k, rows);
        d->r->matrix = k + 1;
        d->r->matrices = d->count;
        if (d->r->failed)
            return LUN_EARG;
    }
    d->columns = d->r->in[1].n / (d->n * d->count * (d->complex ? 2 : 1));
    d->strips = (d->columns + STRIP - 1) / STRIP;
    if (is_small(d) && d->r->which == LUN_ALGORITHM_SOLVED)
        return each_of(d, groups(d), LUN_SMALL_LANES, some_solve_f64, some_solve_f32);
    if (d->complex)
        return each(d, d->count * d->strips, complex_solve_f64, complex_solve_f32);
    return each(d, d->count * d->strips, one_solve_f64, one_solve_f32);
}

lun_status lun__solved_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    dense d = open_run(services, team, r, 2);
    return solve(&d, d.n + 2, false);
}

lun_status lun__triangular_run(const lun_services *services, const lun_team *team,
                               lun_algorithm_run *r)
{
    dense d = open_run(services, team, r, 0);
    return solve(&d, d.n, r->option[0] & LUN_UNIT);
}

lun_status lun__determinant_run(const lun_services *services, const lun_team *team,
                                lun_algorithm_run *r)
{
    dense d = open_run(services, team, r, 2);
    return d.complex ? each(&d, d.count, complex_det_f64, complex_det_f32)
                     : each(&d, d.count, one_det_f64, one_det_f32);
}

lun_status lun__cholesky_run(const lun_services *services, const lun_team *team,
                             lun_algorithm_run *r)
{
    dense d = open_run(services, team, r, 0);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    d.lock = &lock;
    const lun_status s = d.complex ? factor(&d, complex_cholesky_f64, complex_cholesky_f32)
                                   : factor(&d, one_cholesky_f64, one_cholesky_f32);
    pthread_mutex_destroy(&lock);
    return s == LUN_OK && r->matrix ? LUN_EARG : s;
}

#define NO_ROOM(name)                                                   \
    int64_t lun__##name##_room(const lun_algorithm_run *r, int threads) \
    {                                                                   \
        (void)r, (void)threads;                                         \
        return 0;                                                       \
    }
NO_ROOM(lu)
NO_ROOM(solved)
NO_ROOM(triangular)
NO_ROOM(determinant)
NO_ROOM(cholesky)
