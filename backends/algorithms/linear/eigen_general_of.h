/* eigen_general_of.h - eigenvalues and eigenvectors of square matrices for one dtype: T, ROOT of
 * it, EPSILON, TINY, NAME(x).  Included by eigen_general.c once for each. */

static T NAME(modulus)(T x)
{
    return x < 0 ? -x : x;
}

#include "algorithms/linear/balance_of.h"
#include "algorithms/linear/schur_of.h"
#include "algorithms/linear/schur_vectors_of.h"

#include "algorithms/linear/complex_schur_of.h"

/* Rows become times a power of 2 by which their greatest element is about 1. */
static void NAME(lessen)(const general *g, T *x, int64_t rows)
{
    int exponent = 0;
    frexp((double)NAME(lun__vectors_greatest)(g->by.isa, x, rows * g->n), &exponent);
    const lun_scale by = lun__scaled_power(-exponent);
    for (int64_t i = 0; i < rows * g->n; i++)
        x[i] = NAME(lun__scaled_by)(x[i], by);
}

/* Row k of the real parts and of the imaginary parts is the vector of row `from`, of length 1; its
 * element of the greatest modulus, the first of equals, is real and positive. */
static void NAME(vector)(const general *g, int64_t k, int64_t from, T *vectors)
{
    const int64_t n = g->n;
    const T *im = g->im;
    const bool complex = g->lanes == 2, is_pair = complex || im[from] != 0;
    const bool second = !complex && im[from] < 0;
    T *x = (T *)g->q + (second ? from - 1 : g->lanes * from) * n, *y = x + n;
    T *re = vectors + k * n, *out = re + n * n, most = 0;
    int64_t at = 0;
    for (int64_t j = 0; j < n; j++) {
        const T square = is_pair ? x[j] * x[j] + y[j] * y[j] : x[j] * x[j];
        at = square > most ? j : at;
        most = square > most ? square : most;
    }
    T square = NAME(lun__vectors_dot)(g->by.isa, x, x, n);
    if (is_pair)
        square = square + NAME(lun__vectors_dot)(g->by.isa, y, y, n);
    const T a = x[at], b = is_pair ? y[at] : 0, length = ROOT(square) * ROOT(most);
    for (int64_t j = 0; j < n; j++) {
        re[j] = is_pair ? (x[j] * a + y[j] * b) / length : x[j] * a / length;
        out[j] = is_pair ? (y[j] * a - x[j] * b) / length : 0;
        out[j] = second ? 0 - out[j] : out[j] + 0; /* no -0 */
        re[j] = re[j] + 0;
    }
}

/* The eigenvectors of the matrix, as rows of q, of length about 1. */
static void NAME(transform)(general *g)
{
    const int64_t n = g->n, lanes = g->lanes, all = lanes * n;
    const T *im = g->im;
    lun__products_run(g->by.services, g->by.team, g->by.is_double, (lun_operand){g->x, all, 1},
                      (lun_operand){g->z, n, 1}, g->q, all, n, all, g->by.room);
    for (int64_t k = 0, rows; k < all; k += rows) {
        T *x = (T *)g->q + k * n;
        rows = lanes == 2 || im[k] != 0 ? 2 : 1;
        NAME(lessen)(g, x, rows);
        for (int64_t i = 0; i < rows; i++)
            NAME(unbalance)(g, x + i * n);
        NAME(lessen)(g, x, rows);
    }
}

/* Eigenvalues by their real, then their imaginary parts, and the vectors with them. */
static void NAME(arrange)(general *g, T *out, int exponent)
{
    const int64_t n = g->n;
    const T *re = g->re, *im = g->im;
    T *order = g->order;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0; at--) {
            const int64_t before = (int64_t)order[at - 1];
            if (re[before] < re[i] || (re[before] == re[i] && im[before] <= im[i]))
                break;
            order[at] = order[at - 1];
        }
        order[at] = (T)i;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = (int64_t)order[i];
        out[i] = (T)ldexp((double)re[from], exponent);
        out[n + i] = (T)ldexp((double)im[from], exponent);
        if (g->vectors)
            NAME(vector)(g, i, from, out + 2 * n);
    }
}

/* The matrix, scaled; the power's exponent.  False: there is NaN or infinity. */
static bool NAME(load)(const general *g, const T *from, int *exponent)
{
    T *a = g->a;
    if (!NAME(lun__scaled_exponent)(from, g->by.m, g->n, true, 1, exponent))
        return false;
    const lun_scale by = lun__scaled_power(-*exponent);
    for (int64_t i = 0; i < g->by.m * g->n; i++)
        a[i] = NAME(lun__scaled_by)(from[i], by);
    return true;
}

static void NAME(open)(general *g, T *scratch)
{
    const int64_t n = g->n, all = g->by.m;
    g->a = scratch;
    g->by.v = scratch + all * n;
    g->w = (T *)g->by.v + all * all;
    g->u = (T *)g->w + sums(all) * all;
    g->rotations = (T *)g->u + 2 * n;
    g->tau = (T *)g->rotations + 3 * n;
    g->scale = (T *)g->tau + n;
    g->re = (T *)g->scale + n;
    g->im = (T *)g->re + n;
    g->order = (T *)g->im + n;
    if (!g->vectors)
        return;
    g->q = (T *)g->order + n;
    g->z = (T *)g->q + all * n;
    g->by.product = (T *)g->z + all * n;
    g->x = g->by.v; /* the reflections are done when the vectors begin */
    g->by.t = (T *)g->by.product + all * n;
    g->by.w = (T *)g->by.t + (all + BLOCK) * BLOCK;
    g->by.room = (T *)g->by.w + 2 * BLOCK * n;
}

static void NAME(one_general)(void *ctx, int64_t part, int worker)
{
    general g = *(const general *)ctx;
    const int64_t n = g.n;
    T *out = (T *)g.r->out[0].data + part * (g.vectors ? 2 * n + 2 : 2) * n;
    int exponent;
    NAME(open)(&g, (T *)((char *)g.r->scratch + worker * g.bytes));
    if (!NAME(load)(&g, (const T *)g.r->in[0].data + part * g.by.m * n, &exponent)) {
        lun__first_failure(g.r, g.lock, part + 1, g.count, -1); /* NaN or infinity in it */
        return;
    }
    NAME(balance)(&g);
    NAME(hessenberg)(&g);
    if (g.vectors)
        NAME(reflect)(&g);
    if (!(g.lanes == 2 ? NAME(complex_iterate) : NAME(iterate))(&g)) {
        lun__first_failure(g.r, g.lock, part + 1, g.count, 1); /* no convergence */
        return;
    }
    if (g.vectors) {
        (g.lanes == 2 ? NAME(complex_vectors) : NAME(vectors))(&g);
        NAME(transform)(&g);
    }
    NAME(arrange)(&g, out, exponent);
}
