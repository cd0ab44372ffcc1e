/* svd_of.h - singular values and vectors, for one dtype: T, ROOT of it, EPSILON, TINY (what is no
 * number beside 1), NAME(x).  Included by svd.c once for each.
 *
 * Every row is done by itself, and every sum in one order: threads share rows. */

static T NAME(modulus)(T x)
{
    return x < 0 ? -x : x;
}

/* ---- bidiagonal form ------------------------------------------------------------------------- */

static const T *NAME(of_column)(const svd *d)
{
    return (const T *)d->columns.v + d->k * d->m + d->k;
}

/* The products of 256 elements of the vector of column k and rows behind it. */
static void NAME(partial)(void *ctx, int64_t part, int worker)
{
    const svd *d = ctx;
    const int64_t n = d->n, k = d->k, width = n - k - 1, first = part * SUM;
    const int64_t count = d->m - k - first < SUM ? d->m - k - first : SUM;
    T *w = (T *)d->w + part * n;
    (void)worker;
    memset(w, 0, (size_t)width * sizeof *w);
    NAME(lun__vectors_chain)
    (d->columns.isa, w, NAME(of_column)(d) + first, 1, (const T *)d->a + (k + first) * n + k + 1, n,
     count, width);
}

/* The vector of column k times the rows from k on: w. */
static void NAME(product)(svd *d)
{
    const int64_t parts = (d->m - d->k + SUM - 1) / SUM, width = d->n - d->k - 1;
    T *w = d->w;
    shared(d, parts, NAME(partial));
    for (int64_t part = 1; part < parts; part++)
        for (int64_t j = 0; j < width; j++)
            w[j] = w[j] + w[part * d->n + j];
}

/* Both reflections of step k, done to rows behind row k. */
static void NAME(behind)(void *ctx, int64_t part, int worker)
{
    const svd *d = ctx;
    const int64_t n = d->n, k = d->k, first = k + 1 + part * ROWS, width = n - k - 1;
    const lun_isa isa = d->columns.isa;
    const T left = ((const T *)d->tau_of_columns)[k], right = ((const T *)d->tau_of_rows)[k + 1];
    const T *v = NAME(of_column)(d), *u = (const T *)d->a + k * n + k + 1;
    (void)worker;
    for (int64_t i = first; i < d->m && i < first + ROWS; i++) {
        T *row = (T *)d->a + i * n + k + 1;
        if (left != 0)
            NAME(lun__vectors_less)(isa, row, left * v[i - k], d->w, width);
        if (right != 0) {
            const T by = right * NAME(lun__vectors_dot)(isa, row, u, width);
            NAME(lun__vectors_less)(isa, row, by, u, width);
        }
    }
}

/* The diagonal s and what stands beside it, off. */
static void NAME(bidiagonal)(svd *d, T *s, T *off)
{
    const int64_t m = d->m, n = d->n;
    T *a = d->a, *left = d->tau_of_columns, *right = d->tau_of_rows;
    right[0] = 0;
    off[n - 1] = 0;
    for (d->k = 0; d->k < n && !lun__backend_stop_requested(d->columns.services); d->k++) {
        const int64_t k = d->k, width = n - k - 1;
        T *v = (T *)d->columns.v + k * m, *row = a + k * n + k + 1;
        for (int64_t i = 0; i < m; i++)
            v[i] = i < k ? 0 : a[i * n + k];
        left[k] = NAME(lun__vectors_reflection)(d->columns.isa, v + k, m - k, &s[k]);
        if (width == 0)
            break;
        if (left[k] != 0) {
            NAME(product)(d);
            NAME(lun__vectors_less)(d->columns.isa, row, left[k] * v[k], d->w, width);
        }
        right[k + 1] = NAME(lun__vectors_reflection)(d->columns.isa, row, width, &off[k]);
        if (left[k] != 0 || right[k + 1] != 0)
            shared(d, (m - k - 1 + ROWS - 1) / ROWS, NAME(behind));
    }
}

/* ---- implicit QR ----------------------------------------------------------------------------- */

/* The rotation that makes of f and g their length, which is given, and 0. */
static T NAME(rotation)(T f, T g, T *c, T *s)
{
    const T square = f * f + g * g;
    T length = ROOT(square);
    if (!(square > TINY && square < 1 / TINY)) { /* squares lose digits */
        const T x = NAME(modulus)(f), y = NAME(modulus)(g), most = x > y ? x : y;
        const T r = (x > y ? y : x) / most;
        length = most == 0 ? 0 : most * ROOT(1 + r * r);
    }
    *c = length == 0 ? 1 : f / length;
    *s = length == 0 ? 0 : g / length;
    return length;
}

/* Off the diagonal nothing is left beside s[last], which is nothing. */
static void NAME(chase_up)(svd *d, T *s, T *off, int64_t first, int64_t last)
{
    T f = off[last - 1], c, sine;
    off[last - 1] = 0;
    for (int64_t j = last - 1; j >= first; j--) {
        s[j] = NAME(rotation)(s[j], f, &c, &sine);
        if (j > first) {
            f = -sine * off[j - 1];
            off[j - 1] = c * off[j - 1];
        }
        NAME(lun__rotations_add)(&d->right, j, last, c, sine);
    }
}

/* s[zero] is nothing: so is what stands beside it. */
static void NAME(chase_down)(svd *d, T *s, T *off, int64_t zero, int64_t last)
{
    T f = off[zero], c, sine;
    off[zero] = 0;
    for (int64_t j = zero + 1; j <= last; j++) {
        s[j] = NAME(rotation)(s[j], f, &c, &sine);
        f = -sine * off[j];
        off[j] = c * off[j];
        NAME(lun__rotations_add)(&d->left, j, zero, c, sine);
    }
}

/* The shift of a sweep from first to last. */
static T NAME(shift)(const T *s, const T *off, int64_t first, int64_t last, T *scale)
{
    const T all[] = {s[last], s[last - 1], off[last - 1], s[first], off[first]};
    *scale = 0;
    for (int k = 0; k < 5; k++)
        *scale = NAME(modulus)(all[k]) > *scale ? NAME(modulus)(all[k]) : *scale;
    const T sp = s[last] / *scale, before = s[last - 1] / *scale, e = off[last - 1] / *scale;
    const T b = ((before + sp) * (before - sp) + e * e) / 2, c = (sp * e) * (sp * e);
    if (b == 0 && c == 0)
        return 0;
    const T root = ROOT(b * b + c);
    return c / (b + (b < 0 ? -root : root));
}

static void NAME(sweep)(svd *d, T *s, T *off, int64_t first, int64_t last)
{
    T scale, c, sine;
    const T shift = NAME(shift)(s, off, first, last, &scale);
    const T sp = s[last] / scale, sk = s[first] / scale, ek = off[first] / scale;
    T f = (sk + sp) * (sk - sp) + shift, g = sk * ek;
    for (int64_t j = first; j < last; j++) {
        T length = NAME(rotation)(f, g, &c, &sine);
        if (j > first)
            off[j - 1] = length;
        f = c * s[j] + sine * off[j];
        off[j] = c * off[j] - sine * s[j];
        g = sine * s[j + 1];
        s[j + 1] = c * s[j + 1];
        NAME(lun__rotations_add)(&d->right, j, j + 1, c, sine);
        s[j] = NAME(rotation)(f, g, &c, &sine);
        f = c * off[j] + sine * s[j + 1];
        s[j + 1] = c * s[j + 1] - sine * off[j];
        g = sine * off[j + 1];
        off[j + 1] = c * off[j + 1];
        NAME(lun__rotations_add)(&d->left, j, j + 1, c, sine);
    }
    off[last - 1] = f;
}

/* Whether x is nothing beside y and z. */
static bool NAME(is_nothing)(T x, T y, T z)
{
    return NAME(modulus)(x) <= TINY + EPSILON * (NAME(modulus)(y) + NAME(modulus)(z));
}

/* The singular values in s, the rotations done to the vectors.  False: they do not converge. */
static bool NAME(iterate)(svd *d, T *s, T *off)
{
    int sweeps = 0;
    for (int64_t last = d->n - 1; last > 0;) {
        int64_t first = last, zero;
        while (first > 0 && !NAME(is_nothing)(off[first - 1], s[first - 1], s[first]))
            first--;
        if (first > 0)
            off[first - 1] = 0;
        if (first == last) {
            last--;
            sweeps = 0;
            continue;
        }
        for (zero = last; zero >= first; zero--)
            if (NAME(is_nothing)(s[zero], zero < last ? off[zero] : 0,
                                 zero > first ? off[zero - 1] : 0))
                break;
        if (sweeps++ == SWEEPS || lun__backend_stop_requested(d->columns.services))
            return false;
        if (zero >= first)
            s[zero] = 0;
        if (zero == last)
            NAME(chase_up)(d, s, off, first, last);
        else if (zero >= first)
            NAME(chase_down)(d, s, off, zero, last);
        else
            NAME(sweep)(d, s, off, first, last);
    }
    NAME(lun__rotations_flush)(&d->left);
    NAME(lun__rotations_flush)(&d->right);
    return true;
}

/* ---- a matrix -------------------------------------------------------------------------------- */

/* Column j of the results from row `from` of the vectors: of the rows of V' the entry of the
 * greatest modulus, the first of equals, is positive; negative: the singular value was. */
static void NAME(vector)(const svd *d, T *out, int64_t j, int64_t from, bool negative)
{
    const int64_t n = d->n, rows = d->turned ? n : d->m, columns = d->turned ? d->m : n;
    T *left = out + j, *right = out + (rows + 1) * n + j;
    int64_t at = 0;
    NAME(lun__rotations_give)(&d->left, from, d->turned ? right : left, n);
    NAME(lun__rotations_give)(&d->right, from, d->turned ? left : right, n);
    for (int64_t i = 0; i < columns; i++)
        at = NAME(modulus)(right[i * n]) > NAME(modulus)(right[at * n]) ? i : at;
    const bool turn = right[at * n] < 0;
    for (int64_t i = 0; i < columns && turn; i++)
        right[i * n] = 0 - right[i * n];
    for (int64_t i = 0; i < rows && turn != negative; i++)
        left[i * n] = 0 - left[i * n];
}

/* Singular values in descending order, and the vectors with them; order: room for n numbers. */
static void NAME(arrange)(const svd *d, T *s, T *order, int exponent, T *out)
{
    const int64_t n = d->n, rows = d->turned ? n : d->m;
    T *values = d->vectors ? out + rows * n : out;
    for (int64_t i = 0; i < n; i++)
        order[i] = (T)i;
    for (int64_t i = 0; i < n; i++) {
        int64_t most = i;
        for (int64_t k = i + 1; k < n; k++)
            most = NAME(modulus)(s[k]) > NAME(modulus)(s[most]) ? k : most;
        const T value = s[most], from = order[most];
        s[most] = s[i];
        order[most] = order[i];
        values[i] = (T)ldexp((double)NAME(modulus)(value) + 0, exponent);
        if (d->vectors)
            NAME(vector)(d, out, i, (int64_t)from, value < 0);
    }
}

/* The matrix or its transpose, scaled.  False: there is NaN or infinity. */
static bool NAME(load)(const svd *d, const T *from, int *exponent)
{
    const int64_t m = d->m, n = d->n, row = d->turned ? 1 : n, column = d->turned ? m : 1;
    T *a = d->a;
    if (!NAME(lun__scaled_exponent)(from, m, n, true, exponent))
        return false;
    const lun_scale by = lun__scaled_power(-*exponent);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            a[i * n + j] = NAME(lun__scaled_by)(from[i * row + j * column], by);
    return true;
}

/* The products of the reflections as rows of vectors; z: room for a matrix. */
static void NAME(reflect)(svd *d, T *z)
{
    const int64_t n = d->n;
    T *v = (T *)d->a - n;
    NAME(lun__reflections_triangles)(&d->columns, n, d->tau_of_columns);
    NAME(lun__reflections_orthogonal)(&d->columns, n, n, z);
    NAME(lun__rotations_take)(&d->left, z);
    d->rows.v = v;
    memset(v, 0, (size_t)n * sizeof *v);
    for (int64_t k = 1; k < n; k++)
        memset(v + k * n, 0, (size_t)k * sizeof *v);
    NAME(lun__reflections_triangles)(&d->rows, n - 1, d->tau_of_rows);
    NAME(lun__reflections_orthogonal)(&d->rows, n - 1, n, z);
    NAME(lun__rotations_take)(&d->right, z);
}

/* The scratch memory of a matrix; gives what is left of it for the products of reflections. */
static T *NAME(open)(svd *d, T *scratch)
{
    const int64_t m = d->m, n = d->n;
    d->a = scratch + n;
    d->columns.v = (T *)d->a + m * n;
    d->w = (T *)d->columns.v + n * m;
    d->tau_of_columns = (T *)d->w + (sums(d) + 1) * n;
    d->tau_of_rows = (T *)d->tau_of_columns + n;
    if (!d->vectors)
        return NULL;
    d->columns.t = d->rows.t = (T *)d->tau_of_rows + n + 1 + 2 * n + 1;
    d->columns.w = d->rows.w = (T *)d->columns.t + (n + BLOCK) * BLOCK;
    d->columns.product = d->rows.product = (T *)d->columns.w + 2 * BLOCK * n;
    T *z = (T *)d->columns.product + m * n;

    d->left.z = z + m * n;
    d->right.z = (T *)d->left.z + lun__rotations_elements(n, m);
    d->left.list = (T *)d->right.z + lun__rotations_elements(n, n);
    d->right.list = (T *)d->left.list + lun__rotations_list_elements(n);
    d->columns.room = d->rows.room = (T *)d->right.list + lun__rotations_list_elements(n);
    return z;
}

static void NAME(one_svd)(void *ctx, int64_t part, int worker)
{
    svd d = *(const svd *)ctx;
    const int64_t m = d.m, n = d.n;
    T *out = (T *)d.r->out[0].data + part * (d.vectors ? m + n + 1 : 1) * n;
    T *z = NAME(open)(&d, (T *)((char *)d.r->scratch + worker * d.bytes));
    T *s = (T *)d.tau_of_rows + n + 1, *off = s + n;
    int exponent;
    if (!NAME(load)(&d, (const T *)d.r->in[0].data + part * m * n, &exponent)) {
        lun__first_failure(d.r, d.lock, part + 1, d.count, -1); /* NaN or infinity in it */
        return;
    }
    NAME(bidiagonal)(&d, s, off);
    if (d.vectors)
        NAME(reflect)(&d, z);
    if (NAME(iterate)(&d, s, off))
        NAME(arrange)(&d, s, d.w, exponent, out);
    else
        lun__first_failure(d.r, d.lock, part + 1, d.count, 1); /* no convergence */
}
