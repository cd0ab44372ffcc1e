/* schur_of.h - Hessenberg's form and Schur's, for one dtype: T, ROOT of it, EPSILON, NAME(x).
 * Included by eigen_general_of.h.
 *
 * Without vectors only what decides the eigenvalues is transformed: they have the same bits. */

/* ---- Hessenberg's form ----------------------------------------------------------------------- */

/* The vector of column k, of elements k + 1 .. high. */
static const T *NAME(of_column)(const general *g)
{
    return (const T *)g->by.v + g->lanes * (g->k + 1) * (g->by.m + 1);
}

/* The products of SUM elements of the vector, conjugate, and rows behind row k. */
static void NAME(partial)(void *ctx, int64_t part, int worker)
{
    const general *g = ctx;
    const int64_t n = g->n, lanes = g->lanes, at = g->k + 1, first = part * SUM;
    const int64_t rest = lanes * (g->high - g->k) - first;
    (void)worker;
    for (int64_t l = 0; l < lanes; l++) {
        T *w = (T *)g->w + (lanes * part + l) * n;
        memset(w, 0, (size_t)(n - at) * sizeof *w);
        NAME(lun__vectors_chain)
        (g->by.isa, w, NAME(of_column)(g) + l * g->by.m + first, 1,
         (const T *)g->a + (lanes * at + first) * n + at, n, rest < SUM ? rest : SUM, n - at);
    }
}

/* Row i times the reflection from the right; of a complex one, conj(v) from its parts. */
static void NAME(from_right)(const general *g, int64_t i, T tau, const T *v)
{
    const int64_t n = g->n, all = g->high - g->k;
    const lun_isa isa = g->by.isa;
    T *re = (T *)g->a + g->lanes * i * n + g->k + 1, *im = re + n;
    if (g->lanes == 1) {
        const T by = tau * NAME(lun__vectors_dot)(isa, re, v, all);
        NAME(lun__vectors_less)(isa, re, by, v, all);
        return;
    }
    const T *vr = g->u, *vi = vr + n;
    const T x =
        tau * (NAME(lun__vectors_dot)(isa, re, vr, all) - NAME(lun__vectors_dot)(isa, im, vi, all));
    const T y =
        tau * (NAME(lun__vectors_dot)(isa, re, vi, all) + NAME(lun__vectors_dot)(isa, im, vr, all));
    NAME(lun__vectors_less)(isa, re, x, vr, all);
    NAME(lun__vectors_less)(isa, re, y, vi, all);
    NAME(lun__vectors_less)(isa, im, y, vr, all);
    NAME(lun__vectors_less)(isa, im, -x, vi, all);
}

/* The reflection of column k, from the left to rows behind it, then from the right to all. */
static void NAME(reflected)(void *ctx, int64_t part, int worker)
{
    const general *g = ctx;
    const int64_t n = g->n, lanes = g->lanes, at = g->k + 1;
    const T tau = ((const T *)g->tau)[at], *v = NAME(of_column)(g);
    (void)worker;
    for (int64_t i = part * ROWS; i <= g->high && i < (part + 1) * ROWS; i++) {
        for (int64_t l = 0; i >= at && l < lanes * lanes; l++)
            NAME(lun__vectors_less)
        (g->by.isa, (T *)g->a + (lanes * i + l / lanes) * n + at,
         tau * v[l % lanes * g->by.m + lanes * (i - at) + l / lanes],
         (const T *)g->w + l % lanes * n, n - at);
        NAME(from_right)(g, i, tau, v);
    }
}

/* Column k as a vector, in its place zeros and what it becomes; its tau. */
static T NAME(take_column)(general *g)
{
    const int64_t n = g->n, lanes = g->lanes, count = lanes * (g->high - g->k);
    T *a = (T *)g->a + lanes * (g->k + 1) * n + g->k, *v = (T *)NAME(of_column)(g), to[2];
    for (int64_t i = 0; i < count; i++) {
        v[i] = a[i * n];
        a[i * n] = 0;
    }
    const T tau = NAME(lun__vectors_reflection)(g->by.isa, v, count, g->lanes, to);
    for (int64_t l = 0; l < lanes; l++)
        a[l * n] = to[l];
    if (lanes == 1)
        return tau;
    NAME(lun__vectors_times_i)(v, count, v + g->by.m);
    for (int64_t i = 0; i < count; i++)
        ((T *)g->u)[i % 2 * n + i / 2] = v[i];
    return tau;
}

/* The matrix in Hessenberg's form; the vectors of reflections are rows of by.v. */
static void NAME(hessenberg)(general *g)
{
    const int64_t n = g->n, lanes = g->lanes;
    T *tau = g->tau, *w = g->w;
    memset(g->by.v, 0, (size_t)(lanes * n * lanes * n) * sizeof(T));
    for (int64_t i = 0; i < n; i++)
        tau[i] = 0;
    for (g->k = g->low; g->k < g->high - 1; g->k++) {
        const int64_t at = g->k + 1, parts = sums(lanes * (g->high - g->k));
        if (lun__backend_stop_requested(g->by.services))
            return;
        tau[at] = NAME(take_column)(g);
        if (tau[at] == 0)
            continue;
        shared(g, parts, NAME(partial));
        for (int64_t part = lanes; part < lanes * parts; part++)
            for (int64_t j = 0; j < n - at; j++)
                w[part % lanes * n + j] = w[part % lanes * n + j] + w[part * n + j];
        shared(g, g->high / ROWS + 1, NAME(reflected));
    }
}

/* The product of the reflections, its columns as rows of z. */
static void NAME(reflect)(general *g)
{
    const int64_t n = g->n, lanes = g->lanes;
    const T *q = g->q;
    T *z = g->z;
    NAME(lun__reflections_triangles)(&g->by, lanes * (n - 1), g->tau);
    NAME(lun__reflections_orthogonal)(&g->by, lanes * (n - 1), n, g->q);
    for (int64_t i = 0; i < lanes * n; i++)
        for (int64_t j = 0; j < n; j++)
            z[(lanes * j + i % lanes) * n + i / lanes] = q[i * n + j];
}

/* ---- shifted QR ------------------------------------------------------------------------------ */

/* Columns from .. to - 1 of so many rows from row `at` on. */
static void NAME(turn_rows)(const general *g, int64_t at, int64_t from, int64_t to, int rows,
                            const T *by)
{
    T *row = (T *)g->a + at * g->n + from;
    NAME(lun__vectors_turn)
    (g->by.isa, row, row + g->n, rows == 3 ? row + 2 * g->n : NULL, by, to - from);
}

/* Rows from .. to - 1 of so many columns from column `at` on, and those of the transformation. */
static void NAME(turn_columns)(const general *g, int64_t at, int64_t from, int64_t to, int columns,
                               const T *by)
{
    const int64_t n = g->n;
    for (int64_t i = from; i < to; i++) {
        T *x = (T *)g->a + i * n + at, p = by[0] * x[0] + by[1] * x[1];
        p = columns == 3 ? p + by[2] * x[2] : p;
        for (int j = 0; j < columns; j++)
            x[j] = x[j] - p * by[3 + j];
    }
    if (g->vectors) {
        T *z = (T *)g->z + at * n;
        NAME(lun__vectors_turn)
        (g->by.isa, z, z + n, columns == 3 ? z + 2 * n : NULL, by, n);
    }
}

/* A sweep: of rows first .. last, from row `start` on; by the sum x + y and the product x y - w of
 * two shifts, behind all exceptional ones, `shift`; p, q, r: the column that is reflected. */
typedef struct NAME(window) {
    int64_t first, start, last;
    T x, y, w, shift, p, q, r;
} NAME(window);

/* Where the part begins that is not yet decoupled from row `last`. */
static int64_t NAME(decoupled)(const general *g, int64_t last, T norm)
{
    int64_t i = last;
    for (; i > g->low; i--) {
        T sum = NAME(size)(g, i - 1, i - 1) + NAME(size)(g, i, i);
        sum = sum == 0 ? norm : sum;
        if (NAME(size)(g, i, i - 1) <= EPSILON * sum)
            break;
    }
    return i;
}

/* The eigenvalues of rows last - 1 and last; where they are real the rotation that decouples. */
static void NAME(pair)(general *g, int64_t last)
{
    const int64_t n = g->n;
    T *a = g->a, *re = g->re, *im = g->im;
    T *upper = a + (last - 1) * n, *lower = a + last * n;
    const T w = lower[last - 1] * upper[last], x = lower[last];
    T p = (upper[last - 1] - x) / 2;
    const T square = p * p + w, root = ROOT(NAME(modulus)(square));
    im[last - 1] = im[last] = 0;
    if (square < 0) {
        re[last - 1] = re[last] = x + p;
        im[last - 1] = root;
        im[last] = -root;
        return;
    }
    const T z = p + (p < 0 ? -root : root), c = lower[last - 1];
    re[last - 1] = re[last] = x + z;
    if (z != 0)
        re[last] = x - w / z;
    const T sum = NAME(modulus)(c) + NAME(modulus)(z);
    p = c / sum;
    T q = z / sum;
    const T length = ROOT(p * p + q * q);
    p = p / length;
    q = q / length;
    for (int64_t j = last - 1; j < (g->vectors ? n : 0); j++) {
        const T t = upper[j];
        upper[j] = q * t + p * lower[j];
        lower[j] = q * lower[j] - p * t;
    }
    for (int64_t i = 0; i < (g->vectors ? last + 1 : 0); i++) {
        T *row = a + i * n + last - 1;
        const T t = row[0];
        row[0] = q * t + p * row[1];
        row[1] = q * row[1] - p * t;
    }
    for (int64_t i = 0; i < (g->vectors ? n : 0); i++) {
        T *s = (T *)g->z + (last - 1) * n + i;
        const T t = s[0];
        s[0] = q * t + p * s[n];
        s[n] = q * s[n] - p * t;
    }
}

/* The shifts of a sweep, from the two last rows; each tenth time others. */
static void NAME(choose_shifts)(general *g, NAME(window) * s, int sweeps)
{
    const int64_t n = g->n, last = s->last;
    T *a = g->a;
    s->x = a[last * n + last];
    s->y = a[(last - 1) * n + last - 1];
    s->w = a[last * n + last - 1] * a[(last - 1) * n + last];
    if (sweeps == 0 || sweeps % EXCEPTIONAL)
        return;
    s->shift = s->shift + s->x;
    for (int64_t i = g->low; i <= last; i++)
        a[i * n + i] = a[i * n + i] - s->x;
    const T sum =
        NAME(modulus)(a[last * n + last - 1]) + NAME(modulus)(a[(last - 1) * n + last - 2]);
    s->x = s->y = (T)0.75 * sum;
    s->w = (T)-0.4375 * sum * sum;
}

/* Where the sweep starts: two small elements below the diagonal in a row. */
static void NAME(choose_start)(const general *g, NAME(window) * s)
{
    const int64_t n = g->n;
    T *a = g->a;
    for (s->start = s->last - 2;; s->start--) {
        const int64_t m = s->start;
        const T *here = a + m * n + m, z = here[0], r = s->x - z, t = s->y - z;
        s->p = (r * t - s->w) / here[n] + here[1];
        s->q = here[n + 1] - z - r - t;
        s->r = here[2 * n + 1];
        const T sum = NAME(modulus)(s->p) + NAME(modulus)(s->q) + NAME(modulus)(s->r);
        s->p = s->p / sum;
        s->q = s->q / sum;
        s->r = s->r / sum;
        if (m == s->first)
            break;
        const T beside = NAME(modulus)(here[-1]) * (NAME(modulus)(s->q) + NAME(modulus)(s->r));
        const T around =
            NAME(modulus)(here[-n - 1]) + NAME(modulus)(z) + NAME(modulus)(here[n + 1]);
        if (beside <= EPSILON * (NAME(modulus)(s->p) * around))
            break;
    }
    for (int64_t i = s->start + 2; i <= s->last; i++) {
        a[i * n + i - 2] = 0;
        if (i > s->start + 2)
            a[i * n + i - 3] = 0;
    }
}

/* A double sweep of QR. */
static void NAME(sweep)(general *g, NAME(window) * s)
{
    const int64_t n = g->n, end = g->vectors ? n : s->last + 1, top = g->vectors ? 0 : s->first;
    T *a = g->a;
    for (int64_t k = s->start; k < s->last; k++) {
        const bool three = k != s->last - 1;
        T *before = a + k * n + k - 1, sum = 1;
        if (k != s->start) {
            s->p = before[0];
            s->q = before[n];
            s->r = three ? before[2 * n] : 0;
            sum = NAME(modulus)(s->p) + NAME(modulus)(s->q) + NAME(modulus)(s->r);
            if (sum == 0)
                continue;
            s->p = s->p / sum;
            s->q = s->q / sum;
            s->r = s->r / sum;
        }
        T length = ROOT(s->p * s->p + s->q * s->q + s->r * s->r);
        length = s->p < 0 ? -length : length;
        if (length == 0)
            continue;
        if (k != s->start)
            before[0] = -length * sum;
        else if (s->first != s->start)
            before[0] = -before[0];
        const T p = s->p + length, x = p / length, y = s->q / length, z = s->r / length;
        const T q = s->q / p, r = s->r / p;
        const int64_t most = k + 3 < s->last ? k + 3 : s->last;
        NAME(turn_rows)(g, k, k, end, three ? 3 : 2, (const T[]){1, q, r, x, y, z});
        NAME(turn_columns)(g, k, top, most + 1, three ? 3 : 2, (const T[]){x, y, z, 1, q, r});
    }
}

/* The eigenvalues in re and im, the matrix in Schur's form.  False: they do not converge. */
static bool NAME(iterate)(general *g)
{
    const int64_t n = g->n;
    T *a = g->a, *re = g->re, *im = g->im, norm = 0;
    NAME(window) s = {.last = g->high};
    for (int64_t i = 0; i < n; i++) {
        re[i] = a[i * n + i];
        im[i] = 0;
        for (int64_t j = i ? i - 1 : 0; j < n; j++)
            norm = norm + NAME(modulus)(a[i * n + j]);
    }
    for (int sweeps = 0; s.last >= g->low; sweeps++) {
        s.first = NAME(decoupled)(g, s.last, norm);
        if (s.first > g->low)
            a[s.first * n + s.first - 1] = 0; /* and it stays decoupled, with vectors or without */
        if (s.first >= s.last - 1) {
            for (int64_t i = s.first; i <= s.last; i++)
                a[i * n + i] = a[i * n + i] + s.shift;
            re[s.last] = a[s.last * n + s.last];
            if (s.first == s.last - 1)
                NAME(pair)(g, s.last);
            s.last = s.first - 1;
            sweeps = -1;
            continue;
        }
        if (sweeps == SWEEPS || lun__backend_stop_requested(g->by.services))
            return false;
        NAME(choose_shifts)(g, &s, sweeps);
        NAME(choose_start)(g, &s);
        NAME(sweep)(g, &s);
    }
    return true;
}
