/* algorithm_functions.c - which file does which row; see algorithm_functions.h. */
#include "algorithms/parts/algorithm_functions.h"

#include <math.h>

#include "table/aggregate.h"

static const struct {
    int64_t (*room)(const lun_algorithm_run *r, int threads);
    lun_status (*run)(const lun_services *services, const lun_team *team, lun_algorithm_run *r);
} rows[LUN_ALGORITHM_COUNT] = {
#define LUN_ALGORITHM(ID, NAME, OPERANDS, RESULTS, ALSO, LENGTH, TAKEN, DOC) \
    [LUN_ALGORITHM_##ID] = {lun__##NAME##_room, lun__##NAME##_run},
#include "table/algorithms.def"
#undef LUN_ALGORITHM
};

int64_t lun__algorithm_room(const lun_algorithm_run *r, int threads)
{
    return rows[r->which].room(r, threads);
}

/* Whether results are computed of elements, and a NaN among them is the one of the dtype: others
 * pass elements on, or see to it themselves. */
static bool computes(const lun_algorithm_run *r)
{
    switch (r->which) {
    case LUN_ALGORITHM_WEIGHED:
    case LUN_ALGORITHM_LU:
    case LUN_ALGORITHM_SOLVED:
    case LUN_ALGORITHM_DETERMINANT:
    case LUN_ALGORITHM_CHOLESKY:
    case LUN_ALGORITHM_TRIANGULAR:
    case LUN_ALGORITHM_EIGEN:
    case LUN_ALGORITHM_EIGEN_GENERAL:
    case LUN_ALGORITHM_QR:
    case LUN_ALGORITHM_SVD:
        return true;
    case LUN_ALGORITHM_AGGREGATE:
        switch (r->option[0] & ~(uint64_t)LUN_AGGREGATE_SKIPNAN) {
        case LUN_AGGREGATE_SUM:
        case LUN_AGGREGATE_PROD:
        case LUN_AGGREGATE_DEVIATIONS:
            return true;
        default:
            return false;
        }
    default:
        return false;
    }
}

static void to_one_nan(const lun_column *c)
{
    float *f = c->data;
    double *d = c->data;
    const bool wide = lun__dtype_is_double(c->dtype);
    const int64_t n = lun__dtype_is_plain_float(c->dtype) ? c->n : 0;
    for (int64_t i = 0; wide && i < n; i++)
        d[i] = d[i] == d[i] ? d[i] : (double)NAN;
    for (int64_t i = 0; !wide && i < n; i++)
        f[i] = f[i] == f[i] ? f[i] : NAN;
}

lun_status lun__algorithm_run(const lun_services *services, const lun_team *team,
                              lun_algorithm_run *r)
{
    lun_status s = rows[r->which].run(services, team, r);
    for (const lun_algorithm_run *x = r; s == LUN_OK && x; x = x->beside)
        if (computes(x))
            to_one_nan(&x->out[0]);
    return s == LUN_OK && lun__backend_stop_requested(services) ? LUN_ECANCEL : s;
}
