/* qr.c - the row qr: matrices as an orthogonal one times a triangular one, by Householder's
 * reflections in blocks.  Matrices of a batch are shared among threads; of one matrix the columns
 * of a panel, and products. */
#include <math.h>
#include <string.h>

#include "algorithms/linear/reflections.h"
#include "algorithms/linear/vectors.h"
#include "algorithms/parts/algorithm_functions.h"
#include "algorithms/parts/work_parts.h"

enum { BLOCK = LUN_REFLECTIONS, LONG = 2048 }; /* columns of a panel; rows that are shared */

/* A run, or one matrix of it.  Invariant: the m x n matrix `a` has R above its diagonal in the
 * columns that are done; a complex row is two, `lanes`. */
typedef struct qr {
    lun_algorithm_run *r;
    int64_t m, n, k, columns, count; /* columns that are reflected; of Q; matrices */
    int lanes;
    int64_t bytes; /* of scratch memory for a worker */
    void *a;
    lun_reflections by;
    int64_t panel, j; /* the panel's first column, and the reflection that is applied to others */
    double tau;
} qr;

static qr open_run(const lun_algorithm_run *r)
{
    qr q = {.n = r->segment, .lanes = r->option[0] & LUN_PARTS ? 2 : 1};
    const int64_t rows = (int64_t)r->option[1];
    q.m = q.lanes * rows;
    q.k = rows < q.n ? rows : q.n;
    q.count = r->in[0].n / (q.m * q.n);
    q.columns = r->option[0] & LUN_TRIANGULAR ? 0 : r->option[0] & LUN_COMPLETE ? rows : q.k;
    q.by.lanes = q.lanes;
    q.by.is_double = lun__dtype_is_double(r->in[0].dtype);
    q.by.m = q.m;
    q.by.isa = lun__isa_here();
    return q;
}

/* The elements of scratch memory that one matrix takes, without what products take. */
static int64_t elements(const qr *q)
{
    const int64_t most = q->n > q->columns ? q->n : q->columns;
    const int64_t k = q->lanes * q->k;
    return q->m * q->n + k * q->m + (k + BLOCK) * BLOCK + 2 * BLOCK * most + q->m * most;
}

#define OF "algorithms/linear/qr_of.h"
#include "algorithms/parts/both_floats.h"

static int64_t worker_bytes(const qr *q, int threads)
{
    const int64_t size = q->by.is_double ? sizeof(double) : sizeof(float);
    const int64_t bytes =
        elements(q) * size + lun__reflections_room(&q->by, q->count == 1 ? threads : 1,
                                                   q->m / q->lanes, q->k, q->columns, q->n);
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
    q.by.services = services;
    q.r = r;
    q.bytes = worker_bytes(&q, team->threads);
    q.by.team = q.count == 1 ? team : &alone;
    lun_part_fn *one = q.by.is_double ? one_qr_f64 : one_qr_f32;
    if (q.count == 1)
        one(&q, 0, 0);
    else
        lun__work_parts(services, team, q.count, &q, one);
    return lun__backend_stop_requested(services) ? LUN_ECANCEL : LUN_OK;
}
