/* dense_of.h - the factors of a matrix and what is solved with them, for one dtype: T, FMA and ROOT
 * of it, NAME(x), and a vector of WIDE elements.  Included by dense.c once for each.
 *
 * Every element is one chain of fma in the order that lun_lu and its like state: rows and columns
 * are shared among threads and done in any order, no sum is. */

/* c[j] takes fma(-l[k * step], u[k * row + j], c[j]) for k = 0, 1, ... in turn. */
static void NAME(update_plain)(T *c, const T *l, int64_t step, const T *u, int64_t row, int64_t k,
                               int64_t columns)
{
    for (int64_t p = 0; p < k; p++)
        for (int64_t j = 0; j < columns; j++)
            c[j] = FMA(-l[p * step], u[p * row + j], c[j]);
}

#ifdef __x86_64__
/* The same of eight vectors of columns at a time, of one, of one column. */
__attribute__((target("avx2,fma"))) static void NAME(update_wide)(T *c, const T *l, int64_t step,
                                                                  const T *u, int64_t row,
                                                                  int64_t k, int64_t columns)
{
    int64_t j = 0;
    for (; j + 8 * WIDE <= columns; j += 8 * WIDE) {
        VECTOR v[8];
        for (int i = 0; i < 8; i++)
            v[i] = LOAD(c + j + i * WIDE);
        for (int64_t p = 0; p < k; p++) {
            const VECTOR by = ALL(l[p * step]);
            for (int i = 0; i < 8; i++)
                v[i] = MINUS(by, LOAD(u + p * row + j + i * WIDE), v[i]);
        }
        for (int i = 0; i < 8; i++)
            STORE(c + j + i * WIDE, v[i]);
    }
    for (; j + WIDE <= columns; j += WIDE) {
        VECTOR v = LOAD(c + j);
        for (int64_t p = 0; p < k; p++)
            v = MINUS(ALL(l[p * step]), LOAD(u + p * row + j), v);
        STORE(c + j, v);
    }
    for (; j < columns; j++) {
        T x = c[j];
        for (int64_t p = 0; p < k; p++)
            x = FMA(-l[p * step], u[p * row + j], x);
        c[j] = x;
    }
}
#endif

static void NAME(update)(bool wide, T *c, const T *l, int64_t step, const T *u, int64_t row,
                         int64_t k, int64_t columns)
{
#ifdef __x86_64__
    if (wide) {
        NAME(update_wide)(c, l, step, u, row, k, columns);
        return;
    }
#else
    (void)wide;
#endif
    NAME(update_plain)(c, l, step, u, row, k, columns);
}

/* The row from k on with the greatest modulus in column k, the first of equals; NaN is greatest. */
static int64_t NAME(pivot)(const T *a, int64_t n, int64_t k)
{
    int64_t at = k;
    for (int64_t i = k; i < n; i++) {
        const T x = a[i * n + k] < 0 ? -a[i * n + k] : a[i * n + k];
        const T most = a[at * n + k] < 0 ? -a[at * n + k] : a[at * n + k];
        if (x != x)
            return i;
        at = x > most ? i : at;
    }
    return at;
}

static void NAME(exchange)(T *a, T *b, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        const T x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

/* Columns from p to end of all rows from p on, and the exchanges of rows. */
static void NAME(panel)(const dense *d, T *a, int64_t p, int64_t end)
{
    const int64_t n = d->n;
    T *rows = a + n * n, *swaps = rows + n;
    for (int64_t k = p; k < end; k++) {
        const int64_t at = NAME(pivot)(a, n, k);
        swaps[k] = (T)at;
        if (at != k) {
            NAME(exchange)(a + k * n, a + at * n, n);
            NAME(exchange)(rows + k, rows + at, 1);
        }
        const T by = a[k * n + k];
        for (int64_t i = k + 1; i < n; i++) {
            T *row = a + i * n;
            if (by != 0)
                row[k] = row[k] / by; /* a column of zeros stays one */
            NAME(update)(d->wide, row + k + 1, row + k, 1, a + k * n + k + 1, n, 1, end - k - 1);
        }
    }
}

/* The rows below a panel, behind it: some rows, a strip of columns after the other. */
static void NAME(behind)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n, end = d->panel + PANEL, top = end + part * ROWS;
    T *a = (T *)d->matrix;
    (void)worker;
    for (int64_t j = end; j < n; j += STRIP) {
        const int64_t columns = n - j < STRIP ? n - j : STRIP;
        for (int64_t i = top; i < n && i < top + ROWS; i++)
            NAME(update)
        (d->wide, a + i * n + j, a + i * n + d->panel, 1, a + d->panel * n + j, n, PANEL, columns);
    }
}

static void NAME(lu)(dense *d, T *a)
{
    const int64_t n = d->n;
    for (int64_t i = 0; i < n; i++)
        a[n * n + i] = (T)i;
    d->matrix = a;
    for (int64_t p = 0; p < n && !lun__backend_stop_requested(d->services); p += PANEL) {
        const int64_t end = p + PANEL < n ? p + PANEL : n;
        NAME(panel)(d, a, p, end);
        for (int64_t i = p + 1; i < end; i++)
            NAME(update)
        (d->wide, a + i * n + end, a + i * n + p, 1, a + p * n + end, n, i - p, n - end);
        d->panel = p;
        shared(d, (n - end + ROWS - 1) / ROWS, NAME(behind));
    }
}

/* Matrix number `part` of those that are factored. */
static void NAME(one_lu)(void *ctx, int64_t part, int worker)
{
    dense d = *(const dense *)ctx;
    const int64_t n = d.n;
    T *a = (T *)d.r->out[0].data + part * (n + 2) * n;
    (void)worker;
    memcpy(a, (const T *)d.r->in[0].data + part * n * n, (size_t)(n * n) * sizeof *a);
    NAME(lu)(&d, a);
}

/* Matrices of group number `part`: how many, and the first one. */
static int64_t NAME(group)(const dense *d, int64_t part, int64_t *first)
{
    *first = part * LUN_SMALL_LANES;
    return d->count - *first < LUN_SMALL_LANES ? d->count - *first : LUN_SMALL_LANES;
}

static void NAME(some_lu)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n;
    int64_t first;
    const int64_t count = NAME(group)(d, part, &first);
    (void)worker;
    NAME(lun__small_lu)
    (lun__isa_here(), n, (const T *)d->r->in[0].data + first * n * n,
     (T *)d->r->out[0].data + first * (n + 2) * n, count);
}

static void NAME(some_solve)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n, m = d->columns;
    int64_t first;
    const int64_t count = NAME(group)(d, part, &first);
    (void)worker;
    NAME(lun__small_solve)
    (lun__isa_here(), n, m, (const T *)d->r->in[0].data + first * (n + 2) * n,
     (const T *)d->r->in[1].data + first * n * m, (T *)d->r->out[0].data + first * n * m, count);
}

/* Row i of x with the rows from `first` on that are known: `known` of them, upwards or downwards;
 * element (i, k) of the triangle is t[i * across + k * along]. */
static void NAME(known)(const dense *d, const T *t, int64_t across, int64_t along, bool down, T *x,
                        int64_t row, int64_t columns, int64_t i, int64_t first, int64_t known)
{
    NAME(update)
    (d->wide, x + i * row, t + i * across + first * along, down ? along : -along, x + first * row,
     down ? row : -row, known, columns);
}

/* Rows of x, from the first down or from the last up: a block of them, then the others with it. */
static void NAME(substitute)(const dense *d, const T *t, int64_t across, int64_t along, bool down,
                             bool unit, T *x, int64_t row, int64_t columns)
{
    const int64_t n = d->n;
    for (int64_t p = 0; p < n && !lun__backend_stop_requested(d->services); p += PANEL) {
        const int64_t end = p + PANEL < n ? p + PANEL : n, first = down ? p : n - 1 - p;
        for (int64_t q = p; q < n; q++) {
            const int64_t i = down ? q : n - 1 - q, known = q < end ? q - p : PANEL;
            NAME(known)(d, t, across, along, down, x, row, columns, i, first, known);
            for (int64_t j = 0; q < end && !unit && j < columns; j++)
                x[i * row + j] = x[i * row + j] / t[i * across + i * along];
        }
    }
}

/* A strip of columns of the right sides of a matrix. */
static void NAME(one_solve)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n, m = d->columns, number = part / d->strips, j = part % d->strips * STRIP;
    const int64_t columns = m - j < STRIP ? m - j : STRIP;
    const bool factors = d->r->which == LUN_ALGORITHM_SOLVED;
    const T *t = (const T *)d->r->in[0].data + number * (factors ? n + 2 : n) * n;
    const T *b = (const T *)d->r->in[1].data + number * n * m + j;
    T *x = (T *)d->r->out[0].data + number * n * m + j;
    (void)worker;
    for (int64_t i = 0; i < n; i++)
        memcpy(x + i * m, b + (factors ? (int64_t)t[n * n + i] : i) * m,
               (size_t)columns * sizeof *x);
    if (factors) {
        NAME(substitute)(d, t, n, 1, true, true, x, m, columns);
        NAME(substitute)(d, t, n, 1, false, false, x, m, columns);
        return;
    }
    const uint64_t flags = d->r->option[0];
    const bool turned = flags & LUN_TRANSPOSED, upper = flags & LUN_UPPER;
    NAME(substitute)
    (d, t, turned ? 1 : n, turned ? n : 1, upper == turned, flags & LUN_UNIT, x, m, columns);
}

/* The first pivot that is 0, from 1; 0: there is none. */
static int64_t NAME(singular)(const dense *d, int64_t number, int64_t rows)
{
    const T *t = (const T *)d->r->in[0].data + number * rows * d->n;
    for (int64_t k = 0; k < d->n; k++)
        if (t[k * d->n + k] == 0)
            return k + 1;
    return 0;
}

/* The sign of a product of pivots, +0 where one is 0. */
static T NAME(sign_of)(const T *a, int64_t n, T sign)
{
    for (int64_t k = 0; k < n; k++) {
        const T u = a[k * n + k];
        sign = u < 0 ? -sign : u > 0 ? sign : sign * u;
    }
    return sign == 0 ? 0 : sign;
}

static void NAME(one_det)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n;
    const T *a = (const T *)d->r->in[0].data + part * (n + 2) * n, *swaps = a + (n + 1) * n;
    T *out = (T *)d->r->out[0].data + part, sum = 0;
    int is_odd = 0; /* no branch on what is as good as random */
    (void)worker;
    for (int64_t k = 0; k < n; k++)
        is_odd ^= swaps[k] != (T)k;
    T product = (T)(1 - 2 * is_odd);
    if (d->r->option[0] == LUN_SIGN) {
        *out = NAME(sign_of)(a, n, product);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        product = product * a[k * n + k];
        sum = sum + a[k * n + k];
    }
    *out = d->r->option[0] == LUN_LOGARITHM ? sum : product;
}

/* The rows of a Cholesky factor below a panel: some rows, a strip of columns after the other. */
static void NAME(below)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n, top = d->panel + PANEL + part * ROWS;
    T *u = (T *)d->matrix;
    const T *above = u + d->panel * n;
    (void)worker;
    for (int64_t end, j = top; j < n; j = end) {
        end = n - j < STRIP ? n : j + STRIP;
        for (int64_t i = top; i < end && i < top + ROWS; i++) {
            const int64_t first = i > j ? i : j;
            NAME(update)
            (d->wide, u + i * n + first, above + i, n, above + first, n, PANEL, end - first);
        }
    }
}

/* Rows p to end of a Cholesky factor's transpose.  The first that fails, from 1; 0: none does. */
static int64_t NAME(rows)(const dense *d, T *u, int64_t p, int64_t end)
{
    const int64_t n = d->n;
    for (int64_t i = p; i < end; i++) {
        NAME(update)(d->wide, u + i * n + i, u + p * n + i, n, u + p * n + i, n, i - p, n - i);
        const T square = u[i * n + i];
        if (square <= 0)
            return i + 1;
        u[i * n + i] = ROOT(square);
        for (int64_t j = i + 1; j < n; j++)
            u[i * n + j] = u[i * n + j] / u[i * n + i];
    }
    return 0;
}

/* The transpose of the Cholesky factor of matrix number `part`. */
static void NAME(one_cholesky)(void *ctx, int64_t part, int worker)
{
    dense d = *(const dense *)ctx;
    const int64_t n = d.n;
    const T *a = (const T *)d.r->in[0].data + part * n * n;
    T *u = (T *)d.r->out[0].data + part * n * n;
    (void)worker;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            u[i * n + j] = j < i ? 0 : a[j * n + i];
    d.matrix = u;
    for (int64_t p = 0; p < n && !lun__backend_stop_requested(d.services); p += PANEL) {
        const int64_t end = p + PANEL < n ? p + PANEL : n;
        const int64_t failed = NAME(rows)(&d, u, p, end);
        if (failed) {
            lun__first_failure(d.r, d.lock, part + 1, d.count, failed);
            return;
        }
        d.panel = p;
        shared(&d, (n - end + ROWS - 1) / ROWS, NAME(below));
    }
}
