/* svd.c - the row svd: singular values and vectors, by bidiagonal form and implicit QR (Golub and
 * Reinsch: Singular value decomposition and least squares solutions, 1970).  A matrix of fewer rows
 * than columns is transposed.  Matrices of a batch are shared among threads, of one matrix its
 * rows. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "algorithms/linear/reflections.h"
#include "algorithms/linear/rotations.h"
#include "algorithms/linear/scaled.h"
#include "algorithms/linear/vectors.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/first_failure.h"
#include "algorithms/parts/work_parts.h"
#include "ir/combine_order.h"

enum { ROWS = 64, SWEEPS = 75, BLOCK = LUN_REFLECTIONS, SUM = LUN_ORDER_BLOCK };

/* A run, or one matrix of it, m x n with m >= n.  Invariant: of failures in several matrices, that
 * of the first is kept, under `lock`; behind the diagonal of row k of `a` the vector of the
 * reflection of rows k + 1 remains.
 *
 * Of a complex matrix rows of `a` have parts side by side, and the row behind each is for i times
 * the vector that remains; w has a second row for i times the first.  `turn`: by which columns of
 * the right and of the left vectors, in turn, are multiplied where the bidiagonal form becomes
 * real. */
typedef struct svd {
    lun_algorithm_run *r;
    int64_t m, n, count, bytes; /* matrices, scratch memory of a worker */
    int lanes;                  /* 2: complex */
    bool turned, vectors;       /* it is the transpose */
    pthread_mutex_t *lock;
    void *a, *w, *turn, *tau_of_columns, *tau_of_rows;
    lun_reflections columns, rows; /* reflections of columns and of rows */
    lun_rotations left, right;     /* the singular vectors */
    int64_t k;                     /* the step whose reflections are applied */
} svd;

static int64_t sums(const svd *d)
{
    return (d->m + SUM - 1) / SUM;
}

static int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Elements of scratch memory of a matrix. */
static int64_t elements(const svd *d)
{
    const int64_t n = d->n, lanes = d->lanes, rows = lanes * d->m, all = lanes * n;
    const int64_t least =
        lanes * all + 2 * rows * all + (sums(d) + 1) * lanes * all + 4 * n + 2 + 4 * n + 2;
    return !d->vectors ? least
                       : least + (all + BLOCK) * BLOCK + 2 * BLOCK * n + 2 * rows * n +
                             lun__rotations_elements(n, rows) + lun__rotations_elements(n, all) +
                             2 * lun__rotations_list_elements(n);
}

static void shared(svd *d, int64_t parts, lun_part_fn *one)
{
    if (d->count == 1 && d->n >= ROWS)
        lun__work_parts(d->columns.services, d->columns.team, parts, d, one);
    else
        for (int64_t part = 0; part < parts; part++)
            one(d, part, 0);
}

#define OF "algorithms/linear/svd_of.h"
#include "algorithms/parts/both_floats.h"

static svd open_run(const lun_algorithm_run *r, int threads)
{
    const int64_t rows = (int64_t)r->option[1], columns = r->segment;
    svd d = {.m = greatest(rows, columns), .turned = rows < columns};
    const bool is_double = lun__dtype_is_double(r->in[0].dtype);
    d.n = rows + columns - d.m;
    d.vectors = !(r->option[0] & LUN_VALUES);
    d.lanes = r->option[0] & LUN_PARTS ? 2 : 1;
    d.count = r->in[0].n / (d.lanes * rows * columns);
    d.columns.m = d.lanes * d.m;
    d.rows.m = d.lanes * d.n;
    d.columns.lanes = d.rows.lanes = d.lanes;
    d.columns.is_double = d.rows.is_double = is_double;
    d.columns.isa = d.rows.isa = lun__isa_here();
    d.left = lun__rotations_of(d.n, d.columns.m);
    d.right = lun__rotations_of(d.n, d.rows.m);
    d.bytes = elements(&d) * (int64_t)(is_double ? sizeof(double) : sizeof(float));
    threads = d.count == 1 ? threads : 1;
    if (d.vectors)
        d.bytes += greatest(lun__reflections_room(&d.columns, threads, d.m, d.n, d.n, -1),
                            lun__reflections_room(&d.rows, threads, d.n, d.n - 1, d.n, -1));
    d.bytes = (d.bytes + 63) / 64 * 64;
    return d;
}

int64_t lun__svd_room(const lun_algorithm_run *r, int threads)
{
    const svd d = open_run(r, threads);
    return d.bytes * (d.count < threads ? d.count : threads);
}

lun_status lun__svd_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    const lun_team alone = {.threads = 1};
    svd d = open_run(r, team->threads);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    lun_part_fn *one = d.columns.is_double ? one_svd_f64 : one_svd_f32;
    const bool single = d.count == 1;
    d.lock = &lock;
    d.r = r;
    d.columns.services = d.rows.services = d.left.services = d.right.services = services;
    d.columns.team = d.rows.team = single ? team : &alone;
    d.left.team = d.right.team = single ? team : NULL;
    r->matrix = 0;
    if (single)
        one(&d, 0, 0);
    else
        lun__work_parts(services, team, d.count, &d, one);
    pthread_mutex_destroy(&lock);
    if (lun__backend_stop_requested(services))
        return LUN_ECANCEL;
    return r->matrix ? LUN_EARG : LUN_OK;
}
