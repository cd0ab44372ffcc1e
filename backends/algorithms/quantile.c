/* quantile.c - the row quantile: what stands at given parts of each line in order, linear between
 * neighbours.  Lines are sorted by sort.h. */
#include <string.h>

#include "algorithms/algorithms.h"
#include "algorithms/keys.h"
#include "algorithms/sort.h"

enum { LINE = 64, SKIP = 1 /* of option 0: NaNs are left out */ };

static int64_t rounded(int64_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static lun_sorting sorting_of(const lun_algorithm_run *r, void *to)
{
    return (lun_sorting){.dtype = r->in[0].dtype,
                         .n = r->in[0].n,
                         .line = r->line ? r->line : r->in[0].n,
                         .from = r->in[0].data,
                         .to = to};
}

static int64_t element_bytes(const lun_algorithm_run *r)
{
    return lun__dtype_get(r->in[0].dtype)->bytes;
}

int64_t lun__quantile_room(const lun_algorithm_run *r, int threads)
{
    static char any[1];
    const lun_sorting s = sorting_of(r, any);
    return lun__sorting_room(&s, threads) + rounded(s.n * element_bytes(r)) + LINE;
}

static double element(const lun_algorithm_run *r, const char *line, int64_t i)
{
    const int64_t size = element_bytes(r);
    uint64_t cell = 0;
    double x;
    memcpy(&cell, line + i * size, (size_t)size);
    cell = lun__cell_cast(LUN_F64, r->in[0].dtype, cell);
    memcpy(&x, &cell, sizeof x);
    return x;
}

/* How many of a sorted line's elements are numbers: NaNs stand last. */
static int64_t numbers_in(const lun_algorithm_run *r, const char *line, int64_t n)
{
    int64_t low = 0, high = n;
    if (!lun__dtype_is_float(r->in[0].dtype))
        return n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const double x = element(r, line, middle);
        if (x == x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of n numbers, n > 0.  Equal neighbours, infinite ones too, give their value. */
static double quantile(const lun_algorithm_run *r, const char *line, int64_t n, double q)
{
    const double at = q * (double)(n - 1);
    const int64_t below = at < (double)(n - 1) ? (int64_t)at : n - 1;
    const double part = at - (double)below, a = element(r, line, below);
    if (below == n - 1 || part == 0)
        return a;
    const double b = element(r, line, below + 1), step = b - a;
    if (a == b)
        return a;
    return part < 0.5 ? a + step * part : b - step * (1 - part);
}

lun_status lun__quantile_run(const lun_services *services, const lun_team *team,
                             lun_algorithm_run *r)
{
    char *sorted = (char *)r->scratch + -(uintptr_t)r->scratch % LINE;
    lun_sorting s = sorting_of(r, sorted);
    s.scratch = sorted + rounded(s.n * element_bytes(r));
    const lun_status status = lun__sorting_run(services, team, &s);
    if (status != LUN_OK)
        return status;
    const int64_t lines = s.n / s.line, bytes = lun__dtype_get(r->out[0].dtype)->bytes;
    const double *q = r->in[1].data;
    for (int64_t i = 0; i < lines; i++) {
        const char *line = sorted + i * s.line * element_bytes(r);
        const int64_t numbers = numbers_in(r, line, s.line);
        const bool none = numbers == 0 || (numbers < s.line && !(r->option[0] & SKIP));
        for (int64_t k = 0; k < r->in[1].n; k++) {
            const double x = none ? __builtin_nan("") : quantile(r, line, numbers, q[k]);
            uint64_t cell;
            memcpy(&cell, &x, sizeof cell);
            cell = lun__cell_cast(r->out[0].dtype, LUN_F64, cell);
            memcpy((char *)r->out[0].data + (k * lines + i) * bytes, &cell, (size_t)bytes);
        }
    }
    return LUN_OK;
}
