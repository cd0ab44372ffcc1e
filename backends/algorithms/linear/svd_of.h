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
    return (const T *)d->columns.v + d->lanes * d->k * (d->columns.m + 1);
}

/* Row i from column k + 1 on. */
static T *NAME(row)(const svd *d, int64_t i)
{
    return (T *)d->a + d->lanes * (i * d->rows.m + d->k + 1);
}

/* The products of 256 elements of the vector of column k and rows behind it: of the real and of the
 * imaginary parts of the vector. */
static void NAME(partial)(void *ctx, int64_t part, int worker)
{
    const svd *d = ctx;
    const int64_t lanes = d->lanes, all = d->rows.m, first = part * SUM, left = d->m - d->k - first;
    const int64_t width = all - lanes * (d->k + 1);
    (void)worker;
    for (int64_t l = 0; l < lanes; l++) {
        T *w = (T *)d->w + (lanes * part + l) * all;
        memset(w, 0, (size_t)width * sizeof *w);
        NAME(lun__vectors_chain)
        (d->columns.isa, w, NAME(of_column)(d) + lanes * first + l, lanes,
         NAME(row)(d, d->k + first), lanes * all, left < SUM ? left : SUM, width);
    }
}

/* The vector of column k, conjugate, times the rows from k on: w. */
static void NAME(product)(svd *d)
{
    const int64_t lanes = d->lanes, all = d->rows.m, width = all - lanes * (d->k + 1);
    const int64_t parts = (d->m - d->k + SUM - 1) / SUM;
    T *w = d->w;
    shared(d, parts, NAME(partial));
    for (int64_t part = lanes; part < lanes * parts; part++)
        for (int64_t j = 0; j < width; j++)
            w[part % lanes * all + j] = w[part % lanes * all + j] + w[part * all + j];
    if (lanes == 1)
        return;
    for (int64_t j = 0; j < width; j += 2) {
        w[j] = w[j] + w[all + j + 1];
        w[j + 1] = w[j + 1] - w[all + j];
    }
    NAME(lun__vectors_times_i)(w, width, w + all);
}

/* Row i less what the reflection of column k makes of it. */
static void NAME(left)(const svd *d, int64_t i)
{
    const int64_t lanes = d->lanes, all = d->rows.m;
    const T tau = ((const T *)d->tau_of_columns)[d->k], *v = NAME(of_column)(d);
    for (int64_t l = 0; l < lanes; l++)
        NAME(lun__vectors_less)
    (d->columns.isa, NAME(row)(d, i), tau * v[lanes * (i - d->k) + l], (const T *)d->w + l * all,
     all - lanes * (d->k + 1));
}

/* Both reflections of step k, done to rows behind row k. */
static void NAME(behind)(void *ctx, int64_t part, int worker)
{
    const svd *d = ctx;
    const int64_t lanes = d->lanes, all = d->rows.m, first = d->k + 1 + part * ROWS;
    const int64_t width = all - lanes * (d->k + 1);
    const lun_isa isa = d->columns.isa;
    const T left = ((const T *)d->tau_of_columns)[d->k], *u = NAME(row)(d, d->k);
    const T right = ((const T *)d->tau_of_rows)[d->k + 1];
    (void)worker;
    for (int64_t i = first; i < d->m && i < first + ROWS; i++) {
        T *row = NAME(row)(d, i);
        if (left != 0)
            NAME(left)(d, i);
        for (int64_t l = 0; l < lanes && right != 0; l++) {
            const T by = right * NAME(lun__vectors_dot)(isa, row, u + l * all, width);
            NAME(lun__vectors_less)(isa, row, by, u + l * all, width);
        }
    }
}

/* An element of the bidiagonal form, the one of number `at` from the first on, made real. */
static T NAME(straight)(const svd *d, int64_t at, const T *x)
{
    T *by = (T *)d->turn + 2 * at;
    if (d->lanes == 1)
        return x[0];
    return NAME(lun__vectors_unit)(x[0] * by[0] + x[1] * by[1], x[1] * by[0] - x[0] * by[1],
                                   by + 2);
}

/* The diagonal s and what stands beside it, off. */
static void NAME(bidiagonal)(svd *d, T *s, T *off)
{
    const int64_t n = d->n, lanes = d->lanes, high = d->columns.m, all = d->rows.m;
    T *left = d->tau_of_columns, *right = d->tau_of_rows, *turn = d->turn, to[2];
    right[0] = off[n - 1] = turn[1] = 0;
    turn[0] = 1;
    for (d->k = 0; d->k < n && !lun__backend_stop_requested(d->columns.services); d->k++) {
        const int64_t k = d->k, width = all - lanes * (k + 1);
        T *v = (T *)d->columns.v + lanes * k * high, *row = NAME(row)(d, k);
        for (int64_t i = 0; i < high; i++)
            v[i] = i < lanes * k
                       ? 0
                       : ((const T *)d->a)[i / lanes * lanes * all + lanes * k + i % lanes];
        left[k] = NAME(lun__vectors_reflection)(d->columns.isa, v + lanes * k, high - lanes * k,
                                                d->lanes, to);
        s[k] = NAME(straight)(d, 2 * k, to);
        if (lanes == 2)
            NAME(lun__vectors_times_i)(v, high, v + high);
        if (width == 0)
            break;
        if (left[k] != 0) {
            NAME(product)(d);
            NAME(left)(d, k);
        }
        right[k + 1] = NAME(lun__vectors_reflection)(d->columns.isa, row, width, d->lanes, to);
        off[k] = NAME(straight)(d, 2 * k + 1, to);
        if (lanes == 2)
            NAME(lun__vectors_times_i)(row, width, row + all);
        if (left[k] != 0 || right[k + 1] != 0)
            shared(d, (d->m - k - 1 + ROWS - 1) / ROWS, NAME(behind));
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

/* The same of complex ones: the entry is real, too; the parts of a row are two. */
static void NAME(complex_vector)(const svd *d, T *out, int64_t j, int64_t from, bool negative)
{
    const int64_t n = d->n, rows = d->turned ? n : d->m, columns = d->turned ? d->m : n;
    T *x = d->columns.v, *y = x + 2 * d->m, *left = d->turned ? y : x, *right = d->turned ? x : y;
    T *to = out + 2 * (rows + 1) * n + j, by[2];
    NAME(lun__rotations_give)(&d->left, from, x, 1);
    NAME(lun__rotations_give)(&d->right, from, y, 1);
    memcpy(by, right + 2 * NAME(lun__vectors_entry)(right, columns), sizeof by);
    NAME(lun__vectors_apart)(right, columns, by, to, to + n, 2 * n);
    by[negative ? 0 : 1] = -by[negative ? 0 : 1];
    NAME(lun__vectors_apart)(left, rows, by, out + j, out + n + j, 2 * n);
}

/* Singular values in descending order, and the vectors with them; order: room for n numbers. */
static void NAME(arrange)(const svd *d, T *s, T *order, int exponent, T *out)
{
    const int64_t n = d->n, rows = d->turned ? n : d->m;
    T *values = d->vectors ? out + d->lanes * rows * n : out;
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
        if (d->vectors && d->lanes == 2)
            values[n + i] = 0;
        if (d->vectors)
            (d->lanes == 2 ? NAME(complex_vector) : NAME(vector))(d, out, i, (int64_t)from,
                                                                  value < 0);
    }
}

/* The matrix or its transpose, scaled.  False: there is NaN or infinity. */
static bool NAME(load)(const svd *d, const T *from, int *exponent)
{
    const int64_t m = d->m, n = d->n, lanes = d->lanes, part = d->turned ? m : n;
    const int64_t row = d->turned ? 1 : lanes * n, column = d->turned ? lanes * m : 1;
    T *a = d->a;
    if (!NAME(lun__scaled_exponent)(from, lanes * m, n, true, 1, exponent))
        return false;
    const lun_scale by = lun__scaled_power(-*exponent);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < lanes * n; j++) {
            const T *x = from + i * row + j / lanes * column + j % lanes * part;
            a[i * lanes * lanes * n + j] = NAME(lun__scaled_by)(*x, by);
        }
    return true;
}

/* The products of the reflections as rows of vectors; z: room for a matrix. */
static void NAME(reflect)(svd *d, T *z)
{
    const int64_t n = d->n, lanes = d->lanes, all = d->rows.m;
    const T *turn = d->turn;
    T *v = (T *)d->a - lanes * all;
    NAME(lun__reflections_triangles)(&d->columns, all, d->tau_of_columns);
    NAME(lun__reflections_orthogonal)(&d->columns, all, n, z);
    NAME(lun__reflections_turn)(&d->columns, n, turn + 2, 4, z);
    NAME(lun__rotations_take)(&d->left, z);
    d->rows.v = v;
    memset(v, 0, (size_t)(lanes * all) * sizeof *v);
    for (int64_t k = lanes; k < all; k++)
        memset(v + k * all, 0, (size_t)(k / lanes * lanes) * sizeof *v);
    NAME(lun__reflections_triangles)(&d->rows, all - lanes, d->tau_of_rows);
    NAME(lun__reflections_orthogonal)(&d->rows, all - lanes, n, z);
    NAME(lun__reflections_turn)(&d->rows, n, turn, 4, z);
    NAME(lun__rotations_take)(&d->right, z);
}

/* The scratch memory of a matrix; gives what is left of it for the products of reflections. */
static T *NAME(open)(svd *d, T *scratch)
{
    const int64_t n = d->n, lanes = d->lanes, rows = d->columns.m, all = d->rows.m;
    d->a = scratch + lanes * all;
    d->columns.v = (T *)d->a + rows * all;
    d->w = (T *)d->columns.v + all * rows;
    d->turn = (T *)d->w + (sums(d) + 1) * lanes * all;
    d->tau_of_columns = (T *)d->turn + 4 * n + 2;
    d->tau_of_rows = (T *)d->tau_of_columns + n;
    if (!d->vectors)
        return NULL;
    d->columns.t = d->rows.t = (T *)d->tau_of_rows + n + 1 + 2 * n + 1;
    d->columns.w = d->rows.w = (T *)d->columns.t + (all + BLOCK) * BLOCK;
    d->columns.product = d->rows.product = (T *)d->columns.w + 2 * BLOCK * n;
    T *z = (T *)d->columns.product + rows * n;

    d->left.z = z + rows * n;
    d->right.z = (T *)d->left.z + lun__rotations_elements(n, rows);
    d->left.list = (T *)d->right.z + lun__rotations_elements(n, all);
    d->right.list = (T *)d->left.list + lun__rotations_list_elements(n);
    d->columns.room = d->rows.room = (T *)d->right.list + lun__rotations_list_elements(n);
    return z;
}

static void NAME(one_svd)(void *ctx, int64_t part, int worker)
{
    svd d = *(const svd *)ctx;
    const int64_t m = d.m, n = d.n;
    T *out = (T *)d.r->out[0].data + part * (d.vectors ? d.lanes * (m + n + 1) : 1) * n;
    T *z = NAME(open)(&d, (T *)((char *)d.r->scratch + worker * d.bytes));
    T *s = (T *)d.tau_of_rows + n + 1, *off = s + n;
    int exponent;
    if (!NAME(load)(&d, (const T *)d.r->in[0].data + part * d.lanes * m * n, &exponent)) {
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
