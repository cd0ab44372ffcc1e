/* eigen_general.c - the row eigen_general: eigenvalues and eigenvectors of square matrices of any
 * kind, real or complex, by balancing, Hessenberg's form and shifted QR (EISPACK's balanc, orthes,
 * hqr2 and comqr2: Smith and others, Matrix eigensystem routines, 1976).  Matrices of a batch are
 * shared among threads, of one matrix the rows that reflections, or a complex sweep, are applied
 * to. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "algorithms/linear/products.h"
#include "algorithms/linear/reflections.h"
#include "algorithms/linear/scaled.h"
#include "algorithms/linear/vectors.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/first_failure.h"
#include "algorithms/parts/work_parts.h"
#include "ir/combine_order.h"

/* EXCEPTIONAL: after so many sweeps for one eigenvalue the next shift is another one. */
enum { ROWS = 64, SWEEPS = 90, EXCEPTIONAL = 10, BLOCK = LUN_REFLECTIONS, SUM = LUN_ORDER_BLOCK };
enum { COLUMNS = 64 }; /* that rotations are applied to at a time */

/* A run, or one matrix of it.  Invariant: of failures in several matrices, that of the first is
 * kept, under `lock`; rows and columns outside low .. high have their eigenvalues on the diagonal.
 * Rows of `z` are columns of the transformation, rows of `x` the eigenvectors of `a`: of a pair the
 * real parts, then the imaginary ones.
 *
 * Rows of a complex matrix are two, of the parts, and so are those of `z`; all eigenvectors are as
 * those of pairs. */
typedef struct general {
    lun_algorithm_run *r;
    int64_t n, count, bytes; /* rows, matrices, scratch memory of a worker */
    int lanes;               /* 2: complex */
    bool vectors;
    pthread_mutex_t *lock;
    void *a, *q, *z, *x;
    void *w, *tau, *scale, *re, *im, *order; /* w: sums of products of rows, one for each SUM */
    void *u,
        *rotations; /* complex: the parts of the vector of column k; of a sweep, three numbers */
    lun_reflections by;
    int64_t low, high, k; /* k: the column whose reflection is applied */
    int64_t first, last;  /* rows of a sweep */
} general;

static int64_t sums(int64_t n)
{
    return (n + SUM - 1) / SUM;
}

/* Elements of scratch memory of a matrix. */
static int64_t elements(const general *g)
{
    const int64_t n = g->n, all = g->by.m;
    const int64_t least = (n + all + sums(all)) * all + 10 * n;
    return !g->vectors ? least : least + 3 * all * n + (all + BLOCK) * BLOCK + 2 * BLOCK * n;
}

static void shared(general *g, int64_t parts, lun_part_fn *one)
{
    if (g->count == 1 && parts > 2)
        lun__work_parts(g->by.services, g->by.team, parts, g, one);
    else
        for (int64_t part = 0; part < parts; part++)
            one(g, part, 0);
}

#define OF "algorithms/linear/eigen_general_of.h"
#include "algorithms/parts/both_floats.h"

static general open_run(const lun_algorithm_run *r, int threads)
{
    general g = {.n = r->segment, .vectors = r->option[0] == 0};
    const int64_t n = g.n;
    const bool is_double = lun__dtype_is_double(r->in[0].dtype);
    g.lanes = r->option[1] ? 2 : 1;
    g.count = r->in[0].n / (g.lanes * n * n);
    g.by.m = g.lanes * n;
    g.by.lanes = g.lanes;
    g.by.is_double = is_double;
    g.by.isa = lun__isa_here();
    g.bytes = elements(&g) * (int64_t)(is_double ? sizeof(double) : sizeof(float));
    threads = g.count == 1 ? threads : 1;
    if (g.vectors) {
        const int64_t reflections = lun__reflections_room(&g.by, threads, n, n - 1, n, -1);
        const int64_t product = lun__products_room(is_double, threads, g.by.m, n, g.by.m);
        g.bytes += reflections > product ? reflections : product;
    }
    g.bytes = (g.bytes + 63) / 64 * 64;
    return g;
}

int64_t lun__eigen_general_room(const lun_algorithm_run *r, int threads)
{
    const general g = open_run(r, threads);
    return g.bytes * (g.count < threads ? g.count : threads);
}

lun_status lun__eigen_general_run(const lun_services *services, const lun_team *team,
                                  lun_algorithm_run *r)
{
    const lun_team alone = {.threads = 1};
    general g = open_run(r, team->threads);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    lun_part_fn *one = g.by.is_double ? one_general_f64 : one_general_f32;
    g.lock = &lock;
    g.r = r;
    g.by.services = services;
    g.by.team = g.count == 1 ? team : &alone;
    r->matrix = 0;
    if (g.count == 1)
        one(&g, 0, 0);
    else
        lun__work_parts(services, team, g.count, &g, one);
    pthread_mutex_destroy(&lock);
    if (lun__backend_stop_requested(services))
        return LUN_ECANCEL;
    return r->matrix ? LUN_EARG : LUN_OK;
}
