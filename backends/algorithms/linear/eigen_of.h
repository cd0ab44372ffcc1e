/* eigen_of.h - eigenvalues and eigenvectors of symmetric matrices, for one dtype: T, ROOT of it,
 * EPSILON, NAME(x).  Included by eigen.c once for each.
 *
 * Every row is done by itself, and every sum in one order: threads share rows. */

/* Rows behind row k times its vector v, times tau: p. */
static void NAME(times)(void *ctx, int64_t part, int worker)
{
    const eigen *e = ctx;
    const int64_t n = e->n, first = e->k + 1, m = n - first;
    const T *a = e->a, *v = a + e->k * n + first;
    (void)worker;
    for (int64_t i = part * ROWS; i < m && i < (part + 1) * ROWS; i++)
        ((T *)e->w)[i] = ((const T *)e->tau)[e->k] *
                         NAME(lun__vectors_dot)(e->wide, a + (first + i) * n + first, v, m);
}

/* Rows behind row k less v w' + w v'. */
static void NAME(update)(void *ctx, int64_t part, int worker)
{
    const eigen *e = ctx;
    const int64_t n = e->n, first = e->k + 1, m = n - first;
    T *a = e->a;
    const T *v = a + e->k * n + first, *w = e->w;
    (void)worker;
    for (int64_t i = part * ROWS; i < m && i < (part + 1) * ROWS; i++)
        NAME(lun__vectors_rank_two)(e->wide, a + (first + i) * n + first, v[i], w[i], v, w, m);
}

/* Rows of the transpose of the product of reflections times reflection k. */
static void NAME(reflect)(void *ctx, int64_t part, int worker)
{
    const eigen *e = ctx;
    const int64_t n = e->n, first = e->k + 1, m = n - first;
    const T *v = (const T *)e->a + e->k * n + first, tau = ((const T *)e->tau)[e->k];
    T *z = (T *)e->z + first * n + first;
    (void)worker;
    for (int64_t i = part * ROWS; i < m && i < (part + 1) * ROWS; i++) {
        const T by = tau * NAME(lun__vectors_dot)(e->wide, z + i * n, v, m);
        NAME(lun__vectors_less)(e->wide, z + i * n, by, v, m);
    }
}

/* The matrix in tridiagonal form, d and off[1 ..]; behind the diagonal of row k of a its reflection
 * remains. */
static void NAME(tridiagonal)(eigen *e, T *d, T *off)
{
    const int64_t n = e->n;
    T *a = e->a, *tau = e->tau, *w = e->w;
    for (int64_t k = 0; k < n; k++) {
        T *v = a + k * n + k + 1;
        const int64_t m = n - k - 1;
        d[k] = a[k * n + k];
        tau[k] = 0;
        if (m == 0)
            break;
        if (lun__backend_stop_requested(e->services))
            break;
        tau[k] = NAME(lun__vectors_reflection)(e->wide, v, m, &off[k + 1]);
        if (tau[k] == 0)
            continue;
        e->k = k;
        shared(e, (m + ROWS - 1) / ROWS, NAME(times));
        NAME(lun__vectors_less)
        (e->wide, w, tau[k] / 2 * NAME(lun__vectors_dot)(e->wide, w, v, m), v, m);
        shared(e, (m + ROWS - 1) / ROWS, NAME(update));
    }
}

static T NAME(hypot)(T x, T y)
{
    x = x < 0 ? -x : x;
    y = y < 0 ? -y : y;
    const T most = x > y ? x : y, r = (x > y ? y : x) / most;
    return most == 0 ? 0 : most * ROOT(1 + r * r);
}

static T NAME(modulus)(T x)
{
    return x < 0 ? -x : x;
}

/* A sweep of implicit QL from m down to l, as tql2 of EISPACK; z NULL: without vectors. */
static void NAME(sweep)(const eigen *e, T *d, T *off, int64_t l, int64_t m, T *shift)
{
    const int64_t n = e->n;
    T *z = e->z, g = d[l], p = (d[l + 1] - g) / (2 * off[l]), r = NAME(hypot)(p, 1);
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
        r = NAME(hypot)(p, off[i]);
        off[i + 1] = s * r;
        s = off[i] / r;
        c = p / r;
        p = c * d[i] - s * g;
        d[i + 1] = h + s * (c * g + s * d[i]);
        if (z)
            NAME(lun__vectors_rotate)(e->wide, z + i * n, z + (i + 1) * n, c, s, n);
    }
    p = -s * s2 * c3 * before * off[l] / next;
    off[l] = s * p;
    d[l] = c * p;
}

/* The eigenvalues in d, the rotations done to the rows of z.  False: they do not converge. */
static bool NAME(iterate)(const eigen *e, T *d, T *off)
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
            if (sweeps == SWEEPS || lun__backend_stop_requested(e->services))
                return false;
            NAME(sweep)(e, d, off, l, m, &shift);
            if (NAME(modulus)(off[l]) <= EPSILON * most)
                break;
        }
        d[l] = d[l] + shift;
        off[l] = 0;
    }
    return true;
}

/* Eigenvalues in ascending order, and the vectors with them; of each the entry of the greatest
 * modulus, the first of equals, is positive. */
static void NAME(arrange)(const eigen *e, T *d)
{
    const int64_t n = e->n;
    T *z = e->z;
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t k = i + 1; k < n; k++)
            least = d[k] < d[least] ? k : least;
        const T value = d[least];
        d[least] = d[i];
        d[i] = value;
        int64_t at = 0;
        for (int64_t j = 0; z && j < n; j++) {
            const T x = z[least * n + j];
            z[least * n + j] = z[i * n + j];
            z[i * n + j] = x;
            at = NAME(modulus)(x) > NAME(modulus)(z[i * n + at]) ? j : at;
        }
        for (int64_t j = 0; z && j < n && z[i * n + at] < 0; j++)
            if (j != at)
                z[i * n + j] = -z[i * n + j];
        if (z && z[i * n + at] < 0)
            z[i * n + at] = -z[i * n + at];
    }
}

/* The lower triangle as a full matrix, times a power of 2 by which its greatest element is about 1;
 * that power's exponent.  False: there is NaN or infinity. */
static bool NAME(load)(const eigen *e, const T *from, int *exponent)
{
    const int64_t n = e->n;
    T *a = e->a, most = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const T x = from[i * n + j];
            if (x - x != 0)
                return false;
            most = NAME(modulus)(x) > most ? NAME(modulus)(x) : most;
        }
    frexp((double)most, exponent);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            a[i * n + j] = a[j * n + i] = (T)ldexp((double)from[i * n + j], -*exponent);
    return true;
}

static void NAME(one_eigen)(void *ctx, int64_t part, int worker)
{
    eigen e = *(const eigen *)ctx;
    const int64_t n = e.n;
    const bool vectors = e.r->option[0] == 0;
    T *d = (T *)e.r->out[0].data + part * (vectors ? n + 1 : 1) * n, *off;
    int exponent;
    e.a = (T *)e.r->scratch + worker * scratch_of(n);
    e.w = (T *)e.a + n * n;
    e.tau = (T *)e.w + n;
    off = (T *)e.tau + n;
    e.z = NULL;
    if (!NAME(load)(&e, (const T *)e.r->in[0].data + part * n * n, &exponent)) {
        lun__first_failure(e.r, e.lock, part + 1, e.count, -1); /* NaN or infinity in it */
        return;
    }
    NAME(tridiagonal)(&e, d, off);
    if (vectors) {
        T *z = d + n;
        e.z = z;
        for (int64_t i = 0; i < n * n; i++)
            z[i] = i % (n + 1) == 0;
        for (e.k = n - 3; e.k >= 0 && !lun__backend_stop_requested(e.services); e.k--)
            shared(&e, (n - e.k - 1 + ROWS - 1) / ROWS, NAME(reflect));
    }
    if (!NAME(iterate)(&e, d, off)) {
        lun__first_failure(e.r, e.lock, part + 1, e.count, 1); /* no convergence */
        return;
    }
    for (int64_t i = 0; i < n; i++)
        d[i] = (T)ldexp((double)d[i], exponent);
    NAME(arrange)(&e, d);
}
