/* eigen.c - the row eigen: eigenvalues and eigenvectors of symmetric matrices, or complex Hermitian
 * ones, by Householder's tridiagonal form, which is real, and implicit QL (Wilkinson and Reinsch:
 * Handbook for automatic computation, 1971).  Matrices of a batch are shared among threads, of one
 * matrix its rows. */
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

enum { ROWS = 64, SWEEPS = 60, BLOCK = LUN_REFLECTIONS };

/* A run, or one matrix of it.  Invariant: of failures in several matrices, that of the first is
 * kept, under `lock`; behind the diagonal of row k of `a` the vector of reflection k + 1 remains,
 * and rows behind row k lack the update by `before` and `w_before`, unless these are NULL.
 *
 * Of a complex matrix row k is column k, the parts side by side, and the row behind it has, behind
 * the diagonal, i times the vector that remains; so has `w` a second row.  `turn`: by which columns
 * are multiplied where the tridiagonal form becomes real. */
typedef struct eigen {
    lun_algorithm_run *r;
    int64_t n, count, bytes; /* rows, matrices, scratch memory of a worker */
    int lanes;               /* 2: complex */
    bool vectors;
    pthread_mutex_t *lock;
    void *a, *w, *w_before, *turn, *tau; /* tau: of reflections, the first of which is none */
    const void *before;
    lun_reflections by;
    lun_rotations rows; /* eigenvectors */
    int64_t k;          /* the row whose reflection is applied */
} eigen;

/* Elements of scratch memory of a matrix. */
static int64_t elements(const eigen *e)
{
    const int64_t n = e->n, all = e->lanes * n;
    const int64_t least = (all + 3 * e->lanes + 1) * all + 2 * n + 1;
    return !e->vectors ? least
                       : least + (all + BLOCK) * BLOCK + 2 * BLOCK * n + all * n +
                             lun__rotations_elements(n, all) + lun__rotations_list_elements(n);
}

static void shared(eigen *e, int64_t parts, lun_part_fn *one)
{
    if (e->count == 1 && parts > 4)
        lun__work_parts(e->by.services, e->by.team, parts, e, one);
    else
        for (int64_t part = 0; part < parts; part++)
            one(e, part, 0);
}

#define OF "algorithms/linear/eigen_of.h"
#include "algorithms/parts/both_floats.h"

static eigen open_run(const lun_algorithm_run *r, int threads)
{
    eigen e = {.n = r->segment, .vectors = r->option[0] == 0};
    e.lanes = r->option[1] ? 2 : 1;
    e.count = r->in[0].n / (e.lanes * e.n * e.n);
    e.by.m = e.lanes * e.n;
    e.by.lanes = e.lanes;
    e.by.is_double = lun__dtype_is_double(r->in[0].dtype);
    e.by.isa = lun__isa_here();
    e.rows = lun__rotations_of(e.n, e.by.m);
    e.bytes = elements(&e) * (int64_t)(e.by.is_double ? sizeof(double) : sizeof(float));
    if (e.vectors)
        e.bytes += lun__reflections_room(&e.by, e.count == 1 ? threads : 1, e.n, e.n - 1, e.n, -1);
    e.bytes = (e.bytes + 63) / 64 * 64;
    return e;
}

int64_t lun__eigen_room(const lun_algorithm_run *r, int threads)
{
    const eigen e = open_run(r, threads);
    return e.bytes * (e.count < threads ? e.count : threads);
}

lun_status lun__eigen_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    const lun_team alone = {.threads = 1};
    eigen e = open_run(r, team->threads);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    lun_part_fn *one = e.by.is_double ? one_eigen_f64 : one_eigen_f32;
    e.lock = &lock;
    e.r = r;
    e.by.services = e.rows.services = services;
    e.by.team = e.count == 1 ? team : &alone;
    e.rows.team = e.count == 1 ? team : NULL;
    r->matrix = 0;
    if (e.count == 1)
        one(&e, 0, 0);
    else
        lun__work_parts(services, team, e.count, &e, one);
    pthread_mutex_destroy(&lock);
    if (lun__backend_stop_requested(services))
        return LUN_ECANCEL;
    return r->matrix ? LUN_EARG : LUN_OK;
}
