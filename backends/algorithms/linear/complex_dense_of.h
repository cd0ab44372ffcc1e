/* complex_dense_of.h - dense_of.h's factors of complex matrices, for one dtype of their parts: T,
 * FMA and ROOT of it, NAME(x), and a vector of WIDE elements.  Included by dense.c once for each.
 *
 * A matrix is two planes of rows, the real parts, then the imaginary parts `apart` elements on.
 * Each fma is four: re by fma(-ar, br, re), fma(ai, bi, re), im by fma(-ar, bi, im),
 * fma(-ai, br, im); quotients are Smith's. */

/* The real part of an element, and where its imaginary part is from there. */
typedef struct NAME(plane) {
    T *at;
    int64_t apart;
} NAME(plane);

/* Columns j to `end` of c: dense_of.h's update; adjoint: of the adjoint of a product. */
static void NAME(complex_plain)(NAME(plane) c, NAME(plane) l, int64_t step, NAME(plane) u,
                                int64_t row, int64_t k, int64_t j, int64_t end, bool adjoint)
{
    for (; j < end; j++) {
        T re = c.at[j], im = c.at[j + c.apart];
        for (int64_t p = 0; p < k; p++) {
            const T ar = l.at[p * step], ai = l.at[p * step + l.apart];
            const T br = u.at[p * row + j], bi = u.at[p * row + j + u.apart];
            re = FMA(-ar, br, re);
            re = FMA(adjoint ? -ai : ai, bi, re);
            im = adjoint ? FMA(ai, br, im) : FMA(-ar, bi, im);
            im = adjoint ? FMA(-ar, bi, im) : FMA(-ai, br, im);
        }
        c.at[j] = re;
        c.at[j + c.apart] = im;
    }
}

#ifdef __x86_64__
/* The same of `vectors` vectors of columns from j on. */
__attribute__((target("avx2,fma"), always_inline)) static inline void
NAME(complex_vectors)(NAME(plane) c, NAME(plane) l, int64_t step, NAME(plane) u, int64_t row,
                      int64_t k, int64_t j, bool adjoint, int vectors)
{
    VECTOR re[4], im[4];
    for (int v = 0; v < vectors; v++) {
        re[v] = LOAD(c.at + j + v * WIDE);
        im[v] = LOAD(c.at + j + c.apart + v * WIDE);
    }
    for (int64_t p = 0; p < k; p++) {
        const VECTOR ar = ALL(l.at[p * step]), ai = ALL(l.at[p * step + l.apart]);
        for (int v = 0; v < vectors; v++) {
            const T *at = u.at + p * row + j + v * WIDE;
            const VECTOR br = LOAD(at), bi = LOAD(at + u.apart);
            re[v] = MINUS(ar, br, re[v]);
            re[v] = adjoint ? MINUS(ai, bi, re[v]) : PLUS(ai, bi, re[v]);
            im[v] = adjoint ? PLUS(ai, br, im[v]) : MINUS(ar, bi, im[v]);
            im[v] = adjoint ? MINUS(ar, bi, im[v]) : MINUS(ai, br, im[v]);
        }
    }
    for (int v = 0; v < vectors; v++) {
        STORE(c.at + j + v * WIDE, re[v]);
        STORE(c.at + j + c.apart + v * WIDE, im[v]);
    }
}

__attribute__((target("avx2,fma"))) static int64_t NAME(complex_wide)(NAME(plane) c, NAME(plane) l,
                                                                      int64_t step, NAME(plane) u,
                                                                      int64_t row, int64_t k,
                                                                      int64_t columns, bool adjoint)
{
    int64_t j = 0;
    for (; j + 4 * WIDE <= columns; j += 4 * WIDE) {
        if (adjoint)
            NAME(complex_vectors)(c, l, step, u, row, k, j, true, 4);
        else
            NAME(complex_vectors)(c, l, step, u, row, k, j, false, 4);
    }
    for (; j + WIDE <= columns; j += WIDE)
        NAME(complex_vectors)(c, l, step, u, row, k, j, adjoint, 1);
    return j;
}
#endif

/* c[j] takes -l[k * step] times u[k * row + j] for k = 0, 1, ... in turn. */
static void NAME(complex_update)(const dense *d, NAME(plane) c, NAME(plane) l, int64_t step,
                                 NAME(plane) u, int64_t row, int64_t k, int64_t columns,
                                 bool adjoint)
{
    int64_t j = 0;
#ifdef __x86_64__
    if (d->wide)
        j = NAME(complex_wide)(c, l, step, u, row, k, columns, adjoint);
#else
    (void)d;
#endif
    NAME(complex_plain)(c, l, step, u, row, k, j, columns, adjoint);
}

/* Element e of a plane on. */
static NAME(plane) NAME(from)(NAME(plane) a, int64_t e)
{
    return (NAME(plane)){a.at + e, a.apart};
}

/* Not inlined: a compiler may contract sums and differences beside products. */
__attribute__((noinline)) static T NAME(times)(T a, T b)
{
    return a * b;
}

/* x / by, by Smith's method. */
static void NAME(divide)(NAME(plane) x, T by_re, T by_im)
{
    const T re = x.at[0], im = x.at[x.apart];
    const bool first = (by_re < 0 ? -by_re : by_re) >= (by_im < 0 ? -by_im : by_im);
    const T more = first ? by_re : by_im, less = first ? by_im : by_re;
    const T a = first ? re : im, b = first ? im : re, r = less / more;
    const T t = more + NAME(times)(less, r), ar = NAME(times)(a, r);
    x.at[0] = (a + NAME(times)(b, r)) / t;
    x.at[x.apart] = (first ? b - ar : ar - b) / t;
}

static T NAME(modulus)(NAME(plane) a)
{
    const T re = a.at[0], im = a.at[a.apart];
    return (re < 0 ? -re : re) + (im < 0 ? -im : im);
}

static bool NAME(is_zero)(NAME(plane) a)
{
    return a.at[0] == 0 && a.at[a.apart] == 0;
}

/* ---- LU -------------------------------------------------------------------------------------- */

/* The row from k on whose element in column k has the greatest sum of the moduli of its parts, the
 * first of equals; NaN is greatest. */
static int64_t NAME(complex_pivot)(NAME(plane) a, int64_t n, int64_t k)
{
    int64_t at = k;
    T most = NAME(modulus)(NAME(from)(a, k * n + k));
    for (int64_t i = k; i < n; i++) {
        const T x = NAME(modulus)(NAME(from)(a, i * n + k));
        if (x != x)
            return i;
        at = x > most ? i : at;
        most = x > most ? x : most;
    }
    return at;
}

/* Columns from p to end of all rows from p on, and the exchanges of rows. */
static void NAME(complex_panel)(const dense *d, NAME(plane) a, int64_t p, int64_t end)
{
    const int64_t n = d->n;
    T *rows = a.at + n * n, *swaps = rows + n;
    for (int64_t k = p; k < end; k++) {
        const int64_t at = NAME(complex_pivot)(a, n, k);
        swaps[k] = (T)at;
        if (at != k) {
            NAME(exchange)(a.at + k * n, a.at + at * n, n);
            NAME(exchange)(a.at + a.apart + k * n, a.at + a.apart + at * n, n);
            NAME(exchange)(rows + k, rows + at, 1);
        }
        const NAME(plane) by = NAME(from)(a, k * n + k);
        for (int64_t i = k + 1; i < n; i++) {
            const NAME(plane) x = NAME(from)(a, i * n + k);
            if (!NAME(is_zero)(by))
                NAME(divide)(x, by.at[0], by.at[by.apart]); /* a column of zeros stays one */
            NAME(complex_update)
            (d, NAME(from)(x, 1), x, 1, NAME(from)(by, 1), n, 1, end - k - 1, false);
        }
    }
}

/* The rows below a panel, behind it: some rows, a strip of columns after the other. */
static void NAME(complex_behind)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n, end = d->panel + PANEL, top = end + part * ROWS;
    const NAME(plane) a = {d->matrix, (n + 2) * n};
    (void)worker;
    for (int64_t j = end; j < n; j += STRIP) {
        const int64_t columns = n - j < STRIP ? n - j : STRIP;
        for (int64_t i = top; i < n && i < top + ROWS; i++)
            NAME(complex_update)
        (d, NAME(from)(a, i * n + j), NAME(from)(a, i * n + d->panel), 1,
         NAME(from)(a, d->panel * n + j), n, PANEL, columns, false);
    }
}

/* Matrix number `part` of those that are factored. */
static void NAME(complex_lu)(void *ctx, int64_t part, int worker)
{
    dense d = *(const dense *)ctx;
    const int64_t n = d.n;
    const T *from = (const T *)d.r->in[0].data + part * 2 * n * n;
    const NAME(plane) a = {(T *)d.r->out[0].data + part * 2 * (n + 2) * n, (n + 2) * n};
    (void)worker;
    memcpy(a.at, from, (size_t)(n * n) * sizeof *from);
    memcpy(a.at + a.apart, from + n * n, (size_t)(n * n) * sizeof *from);
    for (int64_t i = 0; i < n; i++) {
        a.at[n * n + i] = (T)i;
        a.at[a.apart + n * n + i] = a.at[a.apart + (n + 1) * n + i] = 0;
    }
    d.matrix = a.at;
    for (int64_t p = 0; p < n && !lun__backend_stop_requested(d.services); p += PANEL) {
        const int64_t end = p + PANEL < n ? p + PANEL : n;
        NAME(complex_panel)(&d, a, p, end);
        for (int64_t i = p + 1; i < end; i++)
            NAME(complex_update)
        (&d, NAME(from)(a, i * n + end), NAME(from)(a, i * n + p), 1, NAME(from)(a, p * n + end), n,
         i - p, n - end, false);
        d.panel = p;
        shared(&d, (n - end + ROWS - 1) / ROWS, NAME(complex_behind));
    }
}

/* ---- solved ---------------------------------------------------------------------------------- */

/* dense_of.h's substitute. */
static void NAME(complex_substitute)(const dense *d, NAME(plane) t, int64_t across, int64_t along,
                                     bool down, bool unit, NAME(plane) x, int64_t columns)
{
    const int64_t n = d->n, row = d->columns;
    for (int64_t p = 0; p < n && !lun__backend_stop_requested(d->services); p += PANEL) {
        const int64_t end = p + PANEL < n ? p + PANEL : n, first = down ? p : n - 1 - p;
        for (int64_t q = p; q < n; q++) {
            const int64_t i = down ? q : n - 1 - q, known = q < end ? q - p : PANEL;
            const NAME(plane) by = NAME(from)(t, i * across + i * along);
            NAME(complex_update)
            (d, NAME(from)(x, i * row), NAME(from)(t, i * across + first * along),
             down ? along : -along, NAME(from)(x, first * row), down ? row : -row, known, columns,
             false);
            for (int64_t j = 0; q < end && !unit && j < columns; j++)
                NAME(divide)(NAME(from)(x, i * row + j), by.at[0], by.at[by.apart]);
        }
    }
}

/* A strip of columns of the right sides of a matrix. */
static void NAME(complex_solve)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n, m = d->columns, number = part / d->strips, j = part % d->strips * STRIP;
    const int64_t columns = m - j < STRIP ? m - j : STRIP;
    const bool factors = d->r->which == LUN_ALGORITHM_SOLVED;
    const int64_t rows = factors ? n + 2 : n;
    const NAME(plane) t = {(T *)d->r->in[0].data + number * 2 * rows * n, rows * n};
    const T *b = (const T *)d->r->in[1].data + number * 2 * n * m + j;
    const NAME(plane) x = {(T *)d->r->out[0].data + number * 2 * n * m + j, n * m};
    (void)worker;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = factors ? (int64_t)t.at[n * n + i] : i;
        memcpy(x.at + i * m, b + at * m, (size_t)columns * sizeof *b);
        memcpy(x.at + x.apart + i * m, b + (n + at) * m, (size_t)columns * sizeof *b);
    }
    if (factors) {
        NAME(complex_substitute)(d, t, n, 1, true, true, x, columns);
        NAME(complex_substitute)(d, t, n, 1, false, false, x, columns);
        return;
    }
    const uint64_t flags = d->r->option[0];
    const bool turned = flags & LUN_TRANSPOSED, upper = flags & LUN_UPPER;
    NAME(complex_substitute)
    (d, t, turned ? 1 : n, turned ? n : 1, upper == turned, flags & LUN_UNIT, x, columns);
}

/* The first pivot that is 0, from 1; 0: there is none. */
static int64_t NAME(complex_singular)(const dense *d, int64_t number, int64_t rows)
{
    const int64_t n = d->n;
    const NAME(plane) t = {(T *)d->r->in[0].data + number * 2 * rows * n, rows * n};
    for (int64_t k = 0; k < n; k++)
        if (NAME(is_zero)(NAME(from)(t, k * n + k)))
            return k + 1;
    return 0;
}

static void NAME(complex_det)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n;
    const NAME(plane) a = {(T *)d->r->in[0].data + part * 2 * (n + 2) * n, (n + 2) * n};
    const T *swaps = a.at + (n + 1) * n;
    T *out = (T *)d->r->out[0].data + 2 * part;
    bool is_odd = false;
    (void)worker;
    for (int64_t k = 0; k < n; k++)
        is_odd ^= swaps[k] != (T)k;
    T re = is_odd ? -a.at[0] : a.at[0], im = is_odd ? -a.at[a.apart] : a.at[a.apart];
    for (int64_t k = 1; k < n; k++) {
        const T x = a.at[k * n + k], y = a.at[k * n + k + a.apart], before = re;
        re = NAME(times)(re, x) - NAME(times)(im, y);
        im = NAME(times)(before, y) + NAME(times)(im, x);
    }
    out[0] = re;
    out[1] = im;
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

/* The rows of a Cholesky factor below a panel: some rows, a strip of columns after the other. */
static void NAME(complex_below)(void *ctx, int64_t part, int worker)
{
    const dense *d = ctx;
    const int64_t n = d->n, top = d->panel + PANEL + part * ROWS;
    const NAME(plane) u = {d->matrix, n * n}, above = NAME(from)(u, d->panel * n);
    (void)worker;
    for (int64_t end, j = top; j < n; j = end) {
        end = n - j < STRIP ? n : j + STRIP;
        for (int64_t i = top; i < end && i < top + ROWS; i++) {
            const int64_t first = i > j ? i : j;
            NAME(complex_update)
            (d, NAME(from)(u, i * n + first), NAME(from)(above, i), n, NAME(from)(above, first), n,
             PANEL, end - first, true);
        }
    }
}

/* Rows p to end of a Cholesky factor's adjoint.  The first that fails, from 1; 0: none does. */
static int64_t NAME(complex_rows)(const dense *d, NAME(plane) u, int64_t p, int64_t end)
{
    const int64_t n = d->n;
    for (int64_t i = p; i < end; i++) {
        NAME(complex_update)
        (d, NAME(from)(u, i * n + i), NAME(from)(u, p * n + i), n, NAME(from)(u, p * n + i), n,
         i - p, n - i, true);
        T *re = u.at + i * n, *im = re + u.apart;
        if (re[i] <= 0)
            return i + 1;
        re[i] = ROOT(re[i]);
        im[i] = 0;
        for (int64_t j = i + 1; j < n; j++) {
            re[j] = re[j] / re[i];
            im[j] = im[j] / re[i];
        }
    }
    return 0;
}

/* The adjoint of the Cholesky factor of matrix number `part`. */
static void NAME(complex_cholesky)(void *ctx, int64_t part, int worker)
{
    dense d = *(const dense *)ctx;
    const int64_t n = d.n;
    const T *a = (const T *)d.r->in[0].data + part * 2 * n * n;
    const NAME(plane) u = {(T *)d.r->out[0].data + part * 2 * n * n, n * n};
    (void)worker;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            u.at[i * n + j] = j < i ? 0 : a[j * n + i];
            u.at[u.apart + i * n + j] = j <= i ? 0 : -a[(n + j) * n + i];
        }
    d.matrix = u.at;
    for (int64_t p = 0; p < n && !lun__backend_stop_requested(d.services); p += PANEL) {
        const int64_t end = p + PANEL < n ? p + PANEL : n;
        const int64_t failed = NAME(complex_rows)(&d, u, p, end);
        if (failed) {
            lun__first_failure(d.r, d.lock, part + 1, d.count, failed);
            return;
        }
        d.panel = p;
        shared(&d, (n - end + ROWS - 1) / ROWS, NAME(complex_below));
    }
}
