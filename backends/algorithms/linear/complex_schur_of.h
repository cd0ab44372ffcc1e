/* complex_schur_of.h - the triangular form of complex matrices in Hessenberg's form, by shifted QR
 * as EISPACK's comqr2, and its eigenvectors, for one dtype: T, ROOT of it, EPSILON, NAME(x).
 * Included by eigen_general_of.h.
 *
 * A row is two, of real and of imaginary parts.  Without vectors only what decides the eigenvalues
 * is transformed: they have the same bits. */

/* A sweep: of rows first .. last, with a shift. */
typedef struct NAME(complex_window) {
    int64_t first, last;
    T re, im;
} NAME(complex_window);

/* The root of x + iy whose real part is not negative. */
static void NAME(complex_root)(T x, T y, T *root)
{
    T unit[2];
    const T length = NAME(lun__vectors_unit)(x, y, unit);
    const T most = ROOT((length + NAME(modulus)(x)) / 2), least = most == 0 ? 0 : y / (2 * most);
    root[0] = x < 0 ? NAME(modulus)(least) : most;
    root[1] = x >= 0 ? least : y < 0 ? -most : most;
}

/* The eigenvalue of the two last rows that is nearer to the last element; each tenth time another
 * number. */
static void NAME(complex_shift)(const general *g, NAME(complex_window) * s, int sweeps)
{
    const int64_t n = g->n, last = s->last;
    const T *above = (const T *)g->a + 2 * (last - 1) * n + last, *here = above + 2 * n;
    T root[2], re, im;
    s->re = here[0];
    s->im = here[n];
    if (sweeps && sweeps % EXCEPTIONAL == 0) {
        s->re = s->re + (T)0.75 * NAME(size)(g, last, last - 1);
        return;
    }
    const T x = above[0] * here[-1] - above[n] * here[n - 1];
    const T y = above[0] * here[n - 1] + above[n] * here[-1];
    if (x == 0 && y == 0)
        return;
    const T p = (above[-1] - here[0]) / 2, q = (above[n - 1] - here[n]) / 2;
    NAME(complex_root)(p * p - q * q + x, 2 * p * q + y, root);
    const bool turn = p * root[0] + q * root[1] < 0;
    NAME(quotient)
    (x, y, turn ? p - root[0] : p + root[0], turn ? q - root[1] : q + root[1], &re, &im);
    s->re = s->re - re;
    s->im = s->im - im;
}

/* The rotation that makes of x, row k, and y, the row behind, in column k, their length and 0. */
static void NAME(complex_rotation)(general *g, int64_t k, T *by)
{
    const int64_t n = g->n;
    T *x = (T *)g->a + 2 * k * n + k, *y = x + 2 * n, unit[2], of[2], both[2];
    const T first = NAME(lun__vectors_unit)(x[0], x[n], unit);
    const T second = NAME(lun__vectors_unit)(y[0], y[n], of);
    const T length = NAME(lun__vectors_unit)(first, second, both);
    by[0] = both[0]; /* s = unit conj(of) sine */
    by[1] = (unit[0] * of[0] + unit[1] * of[1]) * both[1];
    by[2] = (unit[1] * of[0] - unit[0] * of[1]) * both[1];
    x[0] = unit[0] * length;
    x[n] = unit[1] * length;
    y[0] = y[n] = 0;
}

/* Some rows times the adjoints of rotations of columns first .. last, so many at a time. */
static void NAME(rotate_rows)(const general *g, T *rows, int64_t count, int64_t first, int64_t last)
{
    const int64_t n = g->n;
    T re[(COLUMNS + 1) * 8], im[(COLUMNS + 1) * 8];
    for (int64_t k = first, width; k < last; k += width) {
        width = last - k < COLUMNS ? last - k : COLUMNS;
        for (int64_t i = 0; i < 8; i++)
            for (int64_t j = 0; j <= width; j++) {
                re[j * 8 + i] = i < count ? rows[2 * i * n + k + j] : 0;
                im[j * 8 + i] = i < count ? rows[(2 * i + 1) * n + k + j] : 0;
            }
        NAME(lun__vectors_rotate_each)(g->by.isa, re, im, (const T *)g->rotations + 3 * k, width);
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j <= width; j++) {
                rows[2 * i * n + k + j] = re[j * 8 + i];
                rows[(2 * i + 1) * n + k + j] = im[j * 8 + i];
            }
    }
}

/* A sweep's rotations, of some rows of the triangle or of some columns of z, whose rows are columns
 * of the transformation. */
static void NAME(rotate_part)(void *ctx, int64_t part, int worker)
{
    const general *g = ctx;
    const int64_t n = g->n, first = g->first, last = g->last, top = g->vectors ? 0 : first;
    const int64_t own = (last - top) / 8 + 1;
    (void)worker;
    if (part < own) {
        const int64_t at = top + 8 * part, count = last + 1 - at < 8 ? last + 1 - at : 8;
        NAME(rotate_rows)(g, (T *)g->a + 2 * at * n, count, at > first ? at - 1 : first, last);
        return;
    }
    const int64_t j = COLUMNS * (part - own), width = n - j < COLUMNS ? n - j : COLUMNS;
    for (int64_t k = first; k < last; k++) {
        T *x = (T *)g->z + 2 * k * n + j;
        NAME(lun__vectors_rotate)
        (g->by.isa, x, x + n, x + 2 * n, x + 3 * n, (const T *)g->rotations + 3 * k, width);
    }
}

/* A sweep of QR: the rows less a shift become a triangle, then times the rotations, and the shift
 * more. */
static void NAME(complex_sweep)(general *g, const NAME(complex_window) * s)
{
    const int64_t n = g->n, end = g->vectors ? n : s->last + 1, top = g->vectors ? 0 : s->first;
    T *a = g->a, *by = g->rotations;
    g->first = s->first;
    g->last = s->last;
    for (int64_t i = s->first; i <= s->last; i++) {
        a[2 * i * n + i] = a[2 * i * n + i] - s->re;
        a[(2 * i + 1) * n + i] = a[(2 * i + 1) * n + i] - s->im;
    }
    for (int64_t k = s->first; k < s->last; k++) {
        T *row = a + 2 * k * n + k + 1;
        NAME(complex_rotation)(g, k, by + 3 * k);
        NAME(lun__vectors_rotate)
        (g->by.isa, row, row + n, row + 2 * n, row + 3 * n, by + 3 * k, end - k - 1);
    }
    for (int64_t k = s->first; k < s->last; k++)
        by[3 * k + 2] = -by[3 * k + 2]; /* of columns by the adjoint: s is conjugate */
    shared(g, (s->last - top) / 8 + 1 + (g->vectors ? (n + COLUMNS - 1) / COLUMNS : 0),
           NAME(rotate_part));
    for (int64_t i = s->first; i <= s->last; i++) {
        a[2 * i * n + i] = a[2 * i * n + i] + s->re;
        a[(2 * i + 1) * n + i] = a[(2 * i + 1) * n + i] + s->im;
    }
}

/* The eigenvalues in re and im, the matrix a triangle.  False: they do not converge. */
static bool NAME(complex_iterate)(general *g)
{
    const int64_t n = g->n;
    T *a = g->a, norm = 0;
    NAME(complex_window) s = {.last = g->high};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i ? i - 1 : 0; j < n; j++)
            norm = norm + NAME(size)(g, i, j);
    for (int sweeps = 0; s.last >= g->low; sweeps++) {
        s.first = NAME(decoupled)(g, s.last, norm);
        if (s.first > g->low)
            a[2 * s.first * n + s.first - 1] = a[(2 * s.first + 1) * n + s.first - 1] = 0;
        if (s.first == s.last) {
            s.last--;
            sweeps = -1;
            continue;
        }
        if (sweeps == SWEEPS || lun__backend_stop_requested(g->by.services))
            return false;
        NAME(complex_shift)(g, &s, sweeps);
        NAME(complex_sweep)(g, &s);
    }
    for (int64_t i = 0; i < n; i++) {
        ((T *)g->re)[i] = a[2 * i * n + i];
        ((T *)g->im)[i] = a[(2 * i + 1) * n + i];
    }
    return true;
}

/* The eigenvectors of the triangle, each two rows of x, for products with rows of real and of
 * imaginary parts: real and less imaginary parts in turn, imaginary and real ones. */
static void NAME(complex_vectors)(general *g)
{
    const int64_t n = g->n;
    const T *re = g->re, *im = g->im;
    const lun_isa isa = g->by.isa;
    for (int64_t k = n - 1; k >= 0 && !lun__backend_stop_requested(g->by.services); k--) {
        T *out = (T *)g->x + 4 * k * n, *x = g->u, *y = x + n;
        const T least = NAME(least)(re[k], im[k]);
        memset(x, 0, (size_t)(2 * n) * sizeof(T));
        x[k] = 1;
        for (int64_t i = k - 1; i >= 0; i--) {
            const T *row = (const T *)g->a + 2 * i * n + i + 1;
            const int64_t count = k - i;
            const T sum = NAME(lun__vectors_dot)(isa, row, x + i + 1, count) -
                          NAME(lun__vectors_dot)(isa, row + n, y + i + 1, count);
            const T rest = NAME(lun__vectors_dot)(isa, row, y + i + 1, count) +
                           NAME(lun__vectors_dot)(isa, row + n, x + i + 1, count);
            const T p = re[i] - re[k], q = im[i] - im[k];
            const bool none = NAME(modulus)(p) + NAME(modulus)(q) < least;
            NAME(quotient)(-sum, -rest, none ? least : p, none ? 0 : q, &x[i], &y[i]);
            const T most = NAME(modulus)(x[i]) + NAME(modulus)(y[i]);
            NAME(shorten)(g, x, i, most);
            NAME(shorten)(g, y, i, most);
        }
        for (int64_t j = 0; j < n; j++) {
            out[2 * j] = out[2 * n + 2 * j + 1] = x[j];
            out[2 * j + 1] = 0 - y[j];
            out[2 * n + 2 * j] = y[j];
        }
    }
}
