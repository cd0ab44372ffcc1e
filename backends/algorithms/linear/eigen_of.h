/* eigen_of.h - eigenvalues and eigenvectors of symmetric matrices, for one dtype: T, ROOT of it,
 * EPSILON, TINY (whose digits are all there), NAME(x).  Included by eigen.c once for each.
 *
 * Every row is done by itself, and every sum in one order: threads share rows. */

/* Row i from column `from` on gets what it lacks. */
static void NAME(update)(const eigen *e, int64_t i, int64_t from)
{
    const int64_t lanes = e->lanes, all = lanes * e->n, first = lanes * e->k, at = lanes * from;
    T *row = (T *)e->a + lanes * i * all + at;
    for (int64_t l = 0; e->before && l < lanes; l++) {
        const T *v = (const T *)e->before + l * all, *w = (const T *)e->w_before + l * all;
        NAME(lun__vectors_rank_two)
        (e->by.isa, row, v[lanes * i - first], w[lanes * i - first], v + at - first, w + at - first,
         all - at);
    }
}

/* Rows behind row k get what they lack, and times the vector of row k, times tau, are w. */
static void NAME(times)(void *ctx, int64_t part, int worker)
{
    const eigen *e = ctx;
    const int64_t lanes = e->lanes, all = lanes * e->n, first = e->k + 1, m = e->n - first;
    const T *v = (const T *)e->a + (lanes * all + lanes) * e->k + lanes;
    const T tau = ((const T *)e->tau)[first];
    (void)worker;
    for (int64_t i = part * ROWS; i < m && i < (part + 1) * ROWS; i++) {
        const T *row = (const T *)e->a + (lanes * all) * (first + i) + lanes * first;
        NAME(update)(e, first + i, first);
        for (int64_t l = 0; l < lanes && tau != 0; l++) {
            const T x = tau * NAME(lun__vectors_dot)(e->by.isa, row, v + l * all, lanes * m);
            ((T *)e->w)[lanes * i + l] = l ? -x : x;
        }
    }
}

/* w less the part of it along v, whose updates are those of both sides. */
static void NAME(symmetric)(eigen *e, T *v, T tau, int64_t m)
{
    T *w = e->w;
    NAME(lun__vectors_less)
    (e->by.isa, w, tau / 2 * NAME(lun__vectors_dot)(e->by.isa, w, v, m), v, m);
    if (e->lanes == 2)
        NAME(lun__vectors_times_i)(w, m, w + e->by.m);
    e->w = e->w_before;
    e->w_before = w;
    e->before = v;
}

/* What stands beside the diagonal of row k, made real; what column k + 1 is multiplied by then. */
static T NAME(beside)(const eigen *e, int64_t k, const T *x)
{
    T *turn = (T *)e->turn + 2 * k;
    if (e->lanes == 1)
        return x[0];
    return NAME(lun__vectors_unit)(turn[0] * x[0] - turn[1] * x[1], turn[0] * x[1] + turn[1] * x[0],
                                   turn + 2);
}

/* The matrix in tridiagonal form, d and off[1 ..]. */
static void NAME(tridiagonal)(eigen *e, T *d, T *off)
{
    const int64_t n = e->n, lanes = e->lanes, all = lanes * n;
    T *a = e->a, *tau = e->tau, *turn = e->turn, to[2];
    e->before = NULL;
    tau[0] = 0;
    if (lanes == 2) {
        turn[0] = 1;
        turn[1] = 0;
    }
    for (e->k = 0; e->k < n && !lun__backend_stop_requested(e->by.services); e->k++) {
        const int64_t k = e->k, m = n - k - 1;
        T *v = a + (lanes * all + lanes) * k + lanes;
        NAME(update)(e, k, k);
        d[k] = v[-lanes];
        if (m == 0)
            break;
        tau[k + 1] = NAME(lun__vectors_reflection)(e->by.isa, v, lanes * m, e->lanes, to);
        off[k + 1] = NAME(beside)(e, k, to);
        if (lanes == 2)
            NAME(lun__vectors_times_i)(v, lanes * m, v + all);
        if (tau[k + 1] != 0 || e->before)
            shared(e, (m + ROWS - 1) / ROWS, NAME(times));
        e->before = NULL;
        if (tau[k + 1] != 0)
            NAME(symmetric)(e, v, tau[k + 1], lanes * m);
    }
}

static T NAME(modulus)(T x)
{
    return x < 0 ? -x : x;
}

/* The length of (x, y), scaled where squares would vanish. */
static T NAME(length)(T x, T y)
{
    const T square = x * x + y * y;
    if (square > TINY && square < 1 / TINY)
        return ROOT(square);
    x = NAME(modulus)(x);
    y = NAME(modulus)(y);
    const T most = x > y ? x : y, r = (x > y ? y : x) / most;
    return most == 0 ? 0 : most * ROOT(1 + r * r);
}

/* A sweep of implicit QL from m down to l, as tql2 of EISPACK. */
static void NAME(sweep)(eigen *e, T *d, T *off, int64_t l, int64_t m, T *shift)
{
    const int64_t n = e->n;
    T g = d[l], p = (d[l + 1] - g) / (2 * off[l]), r = NAME(length)(p, 1);
    r = p < 0 ? -r : r;
    d[l] = off[l] / (p + r);
    d[l + 1] = off[l] * (p + r);
    const T next = d[l + 1], before = off[l + 1];
    T h = g - d[l], c = 1, c2 = 1, c3 = 1, s = 0, s2 = 0;
    for (int64_t i = l + 2; i < n; i++)
        d[i] = d[i] - h;
    *shift = *shift + h;
    p = d[m];
    for (int64_t i = m - 1; i >= l; i--) {
        c3 = c2;
        c2 = c;
        s2 = s;
        g = c * off[i];
        h = c * p;
        r = NAME(length)(p, off[i]);
        off[i + 1] = s * r;
        s = off[i] / r;
        c = p / r;
        p = c * d[i] - s * g;
        d[i + 1] = h + s * (c * g + s * d[i]);
        NAME(lun__rotations_add)(&e->rows, i, i + 1, c, -s);
    }
    p = -s * s2 * c3 * before * off[l] / next;
    off[l] = s * p;
    d[l] = c * p;
}

/* The eigenvalues in d, the rotations done to the rows of vectors.  False: they do not converge. */
static bool NAME(iterate)(eigen *e, T *d, T *off)
{
    const int64_t n = e->n;
    T shift = 0, most = 0;
    for (int64_t i = 1; i < n; i++)
        off[i - 1] = off[i];
    off[n - 1] = 0;
    for (int64_t l = 0; l < n; l++) {
        const T here = NAME(modulus)(d[l]) + NAME(modulus)(off[l]);
        most = here > most ? here : most;
        int64_t m = l;
        while (NAME(modulus)(off[m]) > EPSILON * most) /* the last one is 0 */
            m++;
        for (int sweeps = 0; m > l; sweeps++) {
            if (sweeps == SWEEPS || lun__backend_stop_requested(e->by.services))
                return false;
            NAME(sweep)(e, d, off, l, m, &shift);
            if (NAME(modulus)(off[l]) <= EPSILON * most)
                break;
        }
        d[l] = d[l] + shift;
        off[l] = 0;
    }
    NAME(lun__rotations_flush)(&e->rows);
    return true;
}

/* Row `row` of z is row `from` of the vectors; its entry of the greatest modulus, the first of
 * equals, is positive. */
static void NAME(vector)(const eigen *e, T *z, int64_t row, int64_t from)
{
    T *x = z + row * e->n;
    int64_t at = 0;
    NAME(lun__rotations_give)(&e->rows, from, x, 1);
    for (int64_t j = 0; j < e->n; j++)
        at = NAME(modulus)(x[j]) > NAME(modulus)(x[at]) ? j : at;
    const bool negative = x[at] < 0;
    for (int64_t j = 0; j < e->n && negative; j++)
        x[j] = -x[j];
}

/* The same of a complex one, whose entry is real, too; its parts are two rows. */
static void NAME(complex_vector)(const eigen *e, T *z, int64_t row, int64_t from)
{
    T *x = e->w_before, *re = z + 2 * row * e->n;
    NAME(lun__rotations_give)(&e->rows, from, x, 1);
    NAME(lun__vectors_apart)
    (x, e->n, x + 2 * NAME(lun__vectors_entry)(x, e->n), re, re + e->n, 1);
}

/* Eigenvalues in ascending order, and the vectors with them; order: room for n numbers. */
static void NAME(arrange)(const eigen *e, T *d, T *order)
{
    const int64_t n = e->n;
    for (int64_t i = 0; i < n; i++)
        order[i] = (T)i;
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t k = i + 1; k < n; k++)
            least = d[k] < d[least] ? k : least;
        const T value = d[least], from = order[least];
        d[least] = d[i];
        d[i] = value;
        order[least] = order[i];
        order[i] = from;
        if (e->vectors)
            (e->lanes == 2 ? NAME(complex_vector) : NAME(vector))(e, d + e->by.m, i, (int64_t)from);
    }
}

/* The lower triangle as a full matrix, scaled; the power's exponent.  False: there is NaN or
 * infinity. */
static bool NAME(load)(const eigen *e, const T *from, int *exponent)
{
    const int64_t n = e->n, lanes = e->lanes, row = lanes * lanes * n;
    T *a = e->a;
    if (!NAME(lun__scaled_exponent)(from, lanes * n, n, false, e->lanes, exponent))
        return false;
    const lun_scale by = lun__scaled_power(-*exponent);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const T *x = from + lanes * i * n + j;
            T *lower = a + i * row + lanes * j, *upper = a + j * row + lanes * i;
            *lower = *upper = NAME(lun__scaled_by)(*x, by);
            if (lanes == 2) {
                upper[1] = i == j ? 0 : NAME(lun__scaled_by)(x[n], by);
                lower[1] = -upper[1];
            }
        }
    return true;
}

/* The product of the reflections as rows of vectors; z: room for a matrix. */
static void NAME(reflect)(eigen *e, T *z)
{
    const int64_t n = e->n, lanes = e->lanes, all = lanes * n;
    T *v = (T *)e->a - lanes * all;
    e->by.v = v;
    memset(v, 0, (size_t)(lanes * all) * sizeof *v);
    for (int64_t k = lanes; k < all; k++)
        memset(v + k * all, 0, (size_t)(k / lanes * lanes) * sizeof *v);
    NAME(lun__reflections_triangles)(&e->by, all - lanes, e->tau);
    NAME(lun__reflections_orthogonal)(&e->by, all - lanes, n, z);
    NAME(lun__reflections_turn)(&e->by, n, e->turn, 2, z);
    NAME(lun__rotations_take)(&e->rows, z);
}

static void NAME(one_eigen)(void *ctx, int64_t part, int worker)
{
    eigen e = *(const eigen *)ctx;
    const int64_t n = e.n, lanes = e.lanes, all = lanes * n;
    T *d = (T *)e.r->out[0].data + part * (e.vectors ? lanes * (n + 1) : 1) * n, *off;
    int exponent;
    e.a = (T *)((char *)e.r->scratch + worker * e.bytes) + lanes * all;
    e.w = (T *)e.a + all * all;
    e.w_before = (T *)e.w + lanes * all;
    e.turn = (T *)e.w_before + lanes * all;
    e.tau = (T *)e.turn + all;
    off = (T *)e.tau + n + 1;
    if (e.vectors) {
        e.by.t = off + n;
        e.by.w = (T *)e.by.t + (all + BLOCK) * BLOCK;
        e.by.product = (T *)e.by.w + 2 * BLOCK * n;

        e.rows.z = (T *)e.by.product + all * n;
        e.rows.list = (T *)e.rows.z + lun__rotations_elements(n, all);
        e.by.room = (T *)e.rows.list + lun__rotations_list_elements(n);
    }
    if (!NAME(load)(&e, (const T *)e.r->in[0].data + part * all * n, &exponent)) {
        lun__first_failure(e.r, e.lock, part + 1, e.count, -1); /* NaN or infinity in it */
        return;
    }
    NAME(tridiagonal)(&e, d, off);
    if (e.vectors)
        NAME(reflect)(&e, d + all);
    if (!NAME(iterate)(&e, d, off)) {
        lun__first_failure(e.r, e.lock, part + 1, e.count, 1); /* no convergence */
        return;
    }
    for (int64_t i = 0; i < n; i++)
        d[i] = (T)ldexp((double)d[i], exponent);
    if (e.vectors && lanes == 2)
        memset(d + n, 0, (size_t)n * sizeof *d);
    NAME(arrange)(&e, d, e.w);
}
