/* schur_vectors_of.h - the eigenvectors of a matrix in Schur's form, for one dtype: T, EPSILON,
 * TINY (whose digits are all there), NAME(x).  Included by eigen_general_of.h. */

/* (a + bi) / (c + di), by Smith's method. */
static void NAME(quotient)(T a, T b, T c, T d, T *re, T *im)
{
    if (NAME(modulus)(c) >= NAME(modulus)(d)) {
        const T r = d / c, t = c + d * r;
        *re = (a + b * r) / t;
        *im = (b - a * r) / t;
    } else {
        const T r = c / d, t = c * r + d;
        *re = (a * r + b) / t;
        *im = (b * r - a) / t;
    }
}

/* Elements from `at` on become less where their squares are no numbers beside 1. */
static void NAME(shorten)(const general *g, T *x, int64_t at, T most)
{
    if (EPSILON * most * most > 1)
        for (int64_t j = at; j < g->n; j++)
            x[j] = x[j] / most;
}

/* What is no difference of eigenvalues beside p + qi. */
static T NAME(least)(T p, T q)
{
    const T beside = EPSILON * (NAME(modulus)(p) + NAME(modulus)(q));
    return beside > TINY ? beside : TINY;
}

/* The vector of the real eigenvalue of row k. */
static void NAME(real_vector)(const general *g, int64_t k)
{
    const int64_t n = g->n;
    const T *a = g->a, *re = g->re, *im = g->im, p = re[k], least = NAME(least)(p, 0);
    T *x = (T *)g->x + k * n, below = 0, rest = 0; /* of the row below, the second of a pair */
    int64_t l = k;
    x[k] = 1;
    for (int64_t i = k - 1; i >= 0; i--) {
        const T *row = a + i * n;
        const T r = NAME(lun__vectors_dot)(g->by.isa, row + l, x + l, k - l + 1);
        T w = row[i] - p;
        if (im[i] < 0) {
            below = w;
            rest = r;
            continue;
        }
        l = i;
        if (im[i] == 0) {
            w = NAME(modulus)(w) < least ? least : w;
            x[i] = -r / w;
        } else {
            const T right = row[i + 1], left = row[n + i];
            const T q = (re[i] - p) * (re[i] - p) + im[i] * im[i];
            x[i] = (right * rest - below * r) / q;
            x[i + 1] = NAME(modulus)(right) > NAME(modulus)(below) ? (-r - w * x[i]) / right
                                                                   : (-rest - left * x[i]) / below;
        }
        NAME(shorten)(g, x, i, NAME(modulus)(x[i]));
    }
}

/* Elements i and i + 1 of a complex vector, from rows of a pair: of both rows w and the sums. */
static void NAME(pair_of_elements)(const general *g, int64_t i, T p, T q, const T *sum,
                                   const T *rest, T w, T below, T norm, T *x, T *y)
{
    const T *row = (const T *)g->a + i * g->n, *re = g->re, *im = g->im;
    const T right = row[i + 1], left = row[g->n + i];
    T vr = (re[i] - p) * (re[i] - p) + im[i] * im[i] - q * q, vi = (re[i] - p) * 2 * q;
    if (vr == 0 && vi == 0)
        vr = EPSILON * norm *
             (NAME(modulus)(w) + NAME(modulus)(q) + NAME(modulus)(right) + NAME(modulus)(left) +
              NAME(modulus)(below));
    NAME(quotient)
    (right * rest[0] - below * sum[0] + q * sum[1], right * rest[1] - below * sum[1] - q * sum[0],
     vr, vi, &x[i], &y[i]);
    if (NAME(modulus)(right) > NAME(modulus)(below) + NAME(modulus)(q)) {
        x[i + 1] = (-sum[0] - w * x[i] + q * y[i]) / right;
        y[i + 1] = (-sum[1] - w * y[i] - q * x[i]) / right;
    } else {
        NAME(quotient)
        (-rest[0] - left * x[i], -rest[1] - left * y[i], below, q, &x[i + 1], &y[i + 1]);
    }
}

/* The vector of the first eigenvalue of the pair of rows k - 1 and k. */
static void NAME(complex_vector)(const general *g, int64_t k, T norm)
{
    const int64_t n = g->n;
    const T *a = g->a, *re = g->re, *im = g->im, p = re[k], q = im[k];
    const T *upper = a + (k - 1) * n, *lower = a + k * n, least = NAME(least)(p, q);
    T *x = (T *)g->x + (k - 1) * n, *y = x + n, below = 0, rest[2] = {0, 0};
    int64_t l = k - 1;
    if (NAME(modulus)(lower[k - 1]) > NAME(modulus)(upper[k])) {
        x[k - 1] = q / lower[k - 1];
        y[k - 1] = -(lower[k] - p) / lower[k - 1];
    } else {
        NAME(quotient)(0, -upper[k], upper[k - 1] - p, q, &x[k - 1], &y[k - 1]);
    }
    x[k] = 0;
    y[k] = 1;
    for (int64_t i = k - 2; i >= 0; i--) {
        const T *row = a + i * n;
        const T sum[] = {NAME(lun__vectors_dot)(g->by.isa, row + l, x + l, k - l + 1),
                         NAME(lun__vectors_dot)(g->by.isa, row + l, y + l, k - l + 1)};
        T w = row[i] - p;
        if (im[i] < 0) {
            below = w;
            rest[0] = sum[0];
            rest[1] = sum[1];
            continue;
        }
        l = i;
        if (im[i] == 0) {
            w = NAME(modulus)(w) + NAME(modulus)(q) < least ? least : w;
            NAME(quotient)(-sum[0], -sum[1], w, q, &x[i], &y[i]);
        } else {
            NAME(pair_of_elements)(g, i, p, q, sum, rest, w, below, norm, x, y);
        }
        const T most =
            NAME(modulus)(x[i]) > NAME(modulus)(y[i]) ? NAME(modulus)(x[i]) : NAME(modulus)(y[i]);
        NAME(shorten)(g, x, i, most);
        NAME(shorten)(g, y, i, most);
    }
}

/* The eigenvectors, as rows of x. */
static void NAME(vectors)(general *g)
{
    const int64_t n = g->n;
    const T *a = g->a, *im = g->im;
    T norm = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i ? i - 1 : 0; j < n; j++)
            norm = norm + NAME(modulus)(a[i * n + j]);
    memset(g->x, 0, (size_t)(n * n) * sizeof(T));
    for (int64_t k = n - 1; k >= 0 && !lun__backend_stop_requested(g->by.services); k--) {
        if (im[k] == 0)
            NAME(real_vector)(g, k);
        else if (im[k] < 0)
            NAME(complex_vector)(g, k, norm);
    }
}
