/* qr.c - the row qr: matrices as an orthogonal one times a triangular one, by Householder's
 * reflections in blocks of 32 columns (Schreiber and Van Loan: A storage-efficient WY
 * representation, 1989).  Matrices of a batch are shared among threads; of one matrix the columns
 * of a panel, and products. */
#include <math.h>
#include <string.h>

#include "algorithms/linear/products.h"
#include "algorithms/linear/vectors.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"

enum { BLOCK = 32, LONG = 2048 }; /* columns of a panel: part of the bits; rows that are shared */

/* A run, or one matrix of it.  Invariant: the m x n matrix `a` has R above its diagonal in the
 * columns that are done; row j of `v` has the vector of reflection j, zeros before element j; block
 * p of `t` is the triangle of panel p, with zeros below. */
typedef struct qr {
    const lun_services *services;
    const lun_team *team;
    lun_algorithm_run *r;
    int64_t m, n, k, columns, count; /* reflections; of Q; matrices */
    bool wide, is_double;
    int64_t bytes; /* of scratch memory for a worker */
    void *a, *v, *t, *w, *product, *room;
    int64_t panel, j; /* the panel's first column, and the reflection that is applied to others */
    double tau;
} qr;

static qr open_run(const lun_algorithm_run *r)
{
    qr q = {.m = (int64_t)r->option[1], .n = r->segment};
    const bool alone = r->option[0] == LUN_TRIANGULAR;
    q.k = q.m < q.n ? q.m : q.n;
    q.count = r->in[0].n / (q.m * q.n);
    q.columns = alone ? 0 : r->option[0] == LUN_COMPLETE ? q.m : q.k;
    q.is_double = lun__dtype_is_double(r->in[0].dtype);
    q.wide = lun__vectors_wide();
    return q;
}

/* The elements of scratch memory that one matrix takes, without what products take. */
static int64_t elements(const qr *q)
{
    const int64_t most = q->n > q->columns ? q->n : q->columns;
    return q->m * q->n + q->k * q->m + (q->k + BLOCK) * BLOCK + 2 * BLOCK * most + q->m * most;
}

#define T       double
#define NAME(x) x##_f64
#include "algorithms/linear/qr_of.h"
#undef T
#undef NAME
#define T       float
#define NAME(x) x##_f32
#include "algorithms/linear/qr_of.h"

/* The most that a product of this run takes, by so many threads. */
static int64_t products_room(const qr *q, int threads)
{
    int64_t most = 0;
    for (int64_t p = 0; p < q->k; p += BLOCK) {
        const int64_t width = q->k - p < BLOCK ? q->k - p : BLOCK;
        for (int which = 0; which < 2; which++) {
            const int64_t columns = which ? q->columns - p : q->n - p - width;
            const int64_t sizes[3][3] = {
                {width, columns, q->m - p}, {width, columns, width}, {q->m - p, columns, width}};
            for (int i = 0; columns > 0 && i < 3; i++) {
                const int64_t bytes = lun__products_room(q->is_double, threads, sizes[i][0],
                                                         sizes[i][1], sizes[i][2]);
                most = bytes > most ? bytes : most;
            }
        }
    }
    return most;
}

static int64_t worker_bytes(const qr *q, int threads)
{
    const int64_t size = q->is_double ? sizeof(double) : sizeof(float);
    const int64_t bytes = elements(q) * size + products_room(q, q->count == 1 ? threads : 1);
    return (bytes + 63) / 64 * 64;
}

int64_t lun__qr_room(const lun_algorithm_run *r, int threads)
{
    const qr q = open_run(r);
    return worker_bytes(&q, threads) * (q.count < threads ? q.count : threads);
}

lun_status lun__qr_run(const lun_services *services, const lun_team *team, lun_algorithm_run *r)
{
    const lun_team alone = {.threads = 1};
    qr q = open_run(r);
    q.services = services;
    q.r = r;
    q.bytes = worker_bytes(&q, team->threads);
    q.team = q.count == 1 ? team : &alone;
    lun_part_fn *one = q.is_double ? one_qr_f64 : one_qr_f32;
    if (q.count == 1)
        one(&q, 0, 0);
    else
        lun__work_parts(services, team, q.count, &q, one);
    return lun__backend_stop_requested(services) ? LUN_ECANCEL : LUN_OK;
}
