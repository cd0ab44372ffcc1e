/* eigen_of.h - eigenvalues and eigenvectors of symmetric matrices, for one dtype: T, ROOT of it,
 * EPSILON, TINY (whose digits are all there), NAME(x).  Included by eigen.c once for each.
 *
 * Every row is done by itself, and every sum in one order: threads share rows. */

/* Row i from column `from` on gets what it lacks. */
static void NAME(update)(const eigen *e, int64_t i, int64_t from)
{
    const int64_t n = e->n, first = e->k, m = n - from;
    const T *v = e->before, *w = e->w_before;
    if (v)
        NAME(lun__vectors_rank_two)
    (e->by.isa, (T *)e->a + i * n + from, v[i - first], w[i - first], v + from - first,
     w + from - first, m);
}

/* Rows behind row k get what they lack, and times the vector of row k, times tau, are w. */
static void NAME(times)(void *ctx, int64_t part, int worker)
{
    const eigen *e = ctx;
    const int64_t n = e->n, first = e->k + 1, m = n - first;
    const T *a = e->a, *v = a + e->k * n + first, tau = ((const T *)e->tau)[first];
    (void)worker;
    for (int64_t i = part * ROWS; i < m && i < (part + 1) * ROWS; i++) {
        NAME(update)(e, first + i, first);
        if (tau != 0)
            ((T *)e->w)[i] =
                tau * NAME(lun__vectors_dot)(e->by.isa, a + (first + i) * n + first, v, m);
    }
}

/* The matrix in tridiagonal form, d and off[1 ..]. */
static void NAME(tridiagonal)(eigen *e, T *d, T *off)
{
    const int64_t n = e->n;
    T *a = e->a, *tau = e->tau;
    e->before = NULL;
    tau[0] = 0;
    for (e->k = 0; e->k < n && !lun__backend_stop_requested(e->by.services); e->k++) {
        const int64_t k = e->k, m = n - k - 1;
        T *v = a + k * n + k + 1;
        NAME(update)(e, k, k);
        d[k] = a[k * n + k];
        if (m == 0)
            break;
        tau[k + 1] = NAME(lun__vectors_reflection)(e->by.isa, v, m, &off[k + 1]);
        if (tau[k + 1] != 0 || e->before)
            shared(e, (m + ROWS - 1) / ROWS, NAME(times));
        e->before = NULL;
        if (tau[k + 1] != 0) {
            T *w = e->w;
            NAME(lun__vectors_less)
            (e->by.isa, w, tau[k + 1] / 2 * NAME(lun__vectors_dot)(e->by.isa, w, v, m), v, m);
            e->w = e->w_before;
            e->w_before = w;
            e->before = v;
        }
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
            NAME(vector)(e, d + n, i, (int64_t)from);
    }
}

/* The lower triangle as a full matrix, scaled; the power's exponent.  False: there is NaN or
 * infinity. */
static bool NAME(load)(const eigen *e, const T *from, int *exponent)
{
    const int64_t n = e->n;
    T *a = e->a;
    if (!NAME(lun__scaled_exponent)(from, n, n, false, exponent))
        return false;
    const lun_scale by = lun__scaled_power(-*exponent);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            a[i * n + j] = a[j * n + i] = NAME(lun__scaled_by)(from[i * n + j], by);
    return true;
}

/* The product of the reflections as rows of vectors; z: room for a matrix. */
static void NAME(reflect)(eigen *e, T *z)
{
    const int64_t n = e->n;
    T *v = (T *)e->a - n;
    e->by.v = v;
    memset(v, 0, (size_t)n * sizeof *v);
    for (int64_t k = 1; k < n; k++)
        memset(v + k * n, 0, (size_t)k * sizeof *v);
    NAME(lun__reflections_triangles)(&e->by, n - 1, e->tau);
    NAME(lun__reflections_orthogonal)(&e->by, n - 1, n, z);
    NAME(lun__rotations_take)(&e->rows, z);
}

static void NAME(one_eigen)(void *ctx, int64_t part, int worker)
{
    eigen e = *(const eigen *)ctx;
    const int64_t n = e.n;
    T *d = (T *)e.r->out[0].data + part * (e.vectors ? n + 1 : 1) * n, *off;
    int exponent;
    e.a = (T *)((char *)e.r->scratch + worker * e.bytes) + n;
    e.w = (T *)e.a + n * n;
    e.w_before = (T *)e.w + n;
    e.tau = (T *)e.w_before + n;
    off = (T *)e.tau + n + 1;
    if (e.vectors) {
        e.by.t = off + n;
        e.by.w = (T *)e.by.t + (n + BLOCK) * BLOCK;
        e.by.product = (T *)e.by.w + 2 * BLOCK * n;

        e.rows.z = (T *)e.by.product + n * n;
        e.rows.list = (T *)e.rows.z + lun__rotations_elements(n, n);
        e.by.room = (T *)e.rows.list + lun__rotations_list_elements(n);
    }
    if (!NAME(load)(&e, (const T *)e.r->in[0].data + part * n * n, &exponent)) {
        lun__first_failure(e.r, e.lock, part + 1, e.count, -1); /* NaN or infinity in it */
        return;
    }
    NAME(tridiagonal)(&e, d, off);
    if (e.vectors)
        NAME(reflect)(&e, d + n);
    if (!NAME(iterate)(&e, d, off)) {
        lun__first_failure(e.r, e.lock, part + 1, e.count, 1); /* no convergence */
        return;
    }
    for (int64_t i = 0; i < n; i++)
        d[i] = (T)ldexp((double)d[i], exponent);
    NAME(arrange)(&e, d, e.w);
}
