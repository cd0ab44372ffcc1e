/* eigen.c - the row eigen: eigenvalues and eigenvectors of symmetric matrices, by Householder's
 * tridiagonal form and implicit QL (Wilkinson and Reinsch: Handbook for automatic computation,
 * 1971).  Matrices of a batch are shared among threads, of one matrix its rows. */
#include <float.h>
#include <math.h>
#include <pthread.h>

#include "algorithms/linear/first_failure.h"
#include "algorithms/linear/vectors.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"

enum { ROWS = 64, SWEEPS = 60 };

/* A run, or one matrix of it.  Invariant: of failures in several matrices, that of the first is
 * kept, under `lock`. */
typedef struct eigen {
    const lun_services *services;
    const lun_team *team;
    lun_algorithm_run *r;
    int64_t n, count; /* rows, matrices */
    bool wide;        /* vectors.h */
    pthread_mutex_t *lock;
    void *a, *w, *tau, *z; /* the matrix; a vector; factors of reflections; rows are eigenvectors */
    int64_t k;             /* the row whose reflection is applied */
} eigen;

static int64_t scratch_of(int64_t n)
{
    return n * n + 3 * n;
}

static void shared(eigen *e, int64_t parts, lun_part_fn *one)
{
    if (e->count == 1 && parts > 4)
        lun__work_parts(e->services, e->team, parts, e, one);
    else
        for (int64_t part = 0; part < parts; part++)
            one(e, part, 0);
}

#define T       double
#define ROOT    sqrt
#define EPSILON DBL_EPSILON
#define NAME(x) x##_f64
#include "algorithms/linear/eigen_of.h"
#undef T
#undef ROOT
#undef EPSILON
#undef NAME
#define T       float
#define ROOT    sqrtf
#define EPSILON FLT_EPSILON
#define NAME(x) x##_f32
#include "algorithms/linear/eigen_of.h"

int64_t lun__eigen_room(const lun_algorithm_run *r, int threads)
{
    const int64_t n = r->segment, count = r->in[0].n / (n * n);
    return scratch_of(n) * (count < threads ? count : threads) * (int64_t)sizeof(double);
}

lun_status lun__eigen_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    eigen e = {.services = services, .team = team, .r = r, .n = r->segment};
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const bool wide = lun__dtype_is_double(r->out[0].dtype);
    e.lock = &lock;
    e.count = r->in[0].n / (e.n * e.n);
    e.wide = lun__vectors_wide();
    r->matrix = 0;
    if (e.count == 1)
        (wide ? one_eigen_f64 : one_eigen_f32)(&e, 0, 0);
    else
        lun__work_parts(services, team, e.count, &e, wide ? one_eigen_f64 : one_eigen_f32);
    pthread_mutex_destroy(&lock);
    if (lun__backend_stop_requested(services))
        return LUN_ECANCEL;
    return r->matrix ? LUN_EARG : LUN_OK;
}
