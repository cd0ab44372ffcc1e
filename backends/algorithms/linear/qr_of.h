/* qr_of.h - matrices as an orthogonal one times a triangular one, for one dtype: T, NAME(x).
 * Included by qr.c once for each. */

/* Column panel + part of the panel that has reflection j: the reflection is applied to it. */
static void NAME(apply)(void *ctx, int64_t part, int worker)
{
    const qr *q = ctx;
    const int64_t at = q->panel + q->j, rows = q->m - at;
    const T *v = (const T *)q->by.v + at * q->m + at;
    T *column = (T *)q->by.v + (at + 1 + part) * q->m + at;
    (void)worker;
    const T by = (T)q->tau * NAME(lun__vectors_dot)(q->by.isa, v, column, rows);
    NAME(lun__vectors_less)(q->by.isa, column, by, v, rows);
}

/* The reflections of a panel of `width` columns. */
static void NAME(panel)(qr *q, int64_t width)
{
    const int64_t m = q->m, n = q->n, p = q->panel;
    T *a = q->a, *v = q->by.v;
    for (int64_t i = p; i < m; i++)
        for (int64_t j = 0; j < width; j++)
            v[(p + j) * m + i] = a[i * n + p + j];
    for (int64_t j = 0; j < width && !lun__backend_stop_requested(q->by.services); j++) {
        T *column = v + (p + j) * m;
        const T tau = NAME(lun__vectors_reflection)(q->by.isa, column + p + j, m - p - j,
                                                    &a[(p + j) * n + p + j]);
        q->j = j;
        q->tau = (double)tau;
        if (m - p - j >= LONG)
            lun__work_parts(q->by.services, q->by.team, width - j - 1, q, NAME(apply));
        else
            for (int64_t c = 0; c < width - j - 1; c++)
                NAME(apply)(q, c, 0);
        NAME(lun__reflections_column)(&q->by, p, j, tau);
        for (int64_t i = p; i < p + j; i++) {
            a[i * n + p + j] = column[i];
            column[i] = 0;
        }
    }
}

/* The triangle, as columns, and both with a diagonal that is not negative. */
static void NAME(triangular)(const qr *q, T *orthogonal, T *out)
{
    const int64_t n = q->n, columns = q->columns, rows = columns ? columns : q->k;
    const T *a = q->a;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < rows; i++) {
            const T x = i <= j && i < q->k ? a[i * n + j] : 0;
            out[j * rows + i] = i < q->k && a[i * n + i] < 0 ? 0 - x : x;
        }
    for (int64_t i = 0; columns && i < q->m; i++)
        for (int64_t j = 0; j < q->k; j++)
            if (a[j * n + j] < 0)
                orthogonal[i * columns + j] = 0 - orthogonal[i * columns + j];
}

/* Of matrix number `part` Q and below it R', or R' alone. */
static void NAME(one_qr)(void *ctx, int64_t part, int worker)
{
    qr q = *(const qr *)ctx;
    const int64_t m = q.m, n = q.n, most = n > q.columns ? n : q.columns;
    const int64_t rows = q.columns ? q.columns : q.k;
    T *out = (T *)q.r->out[0].data + part * (q.columns ? m + n : n) * rows;
    T *scratch = (T *)((char *)q.r->scratch + worker * q.bytes);
    q.a = scratch;
    q.by.v = scratch + m * n;
    q.by.t = (T *)q.by.v + q.k * m;
    q.by.w = (T *)q.by.t + (q.k + BLOCK) * BLOCK;
    q.by.product = (T *)q.by.w + 2 * BLOCK * most;
    q.by.room = (T *)q.by.product + m * most;
    memcpy(q.a, (const T *)q.r->in[0].data + part * m * n, (size_t)(m * n) * sizeof(T));
    for (q.panel = 0; q.panel < q.k; q.panel += BLOCK) {
        const int64_t width = q.k - q.panel < BLOCK ? q.k - q.panel : BLOCK;
        if (lun__backend_stop_requested(q.by.services))
            return;
        NAME(panel)(&q, width);
        NAME(lun__reflections_transform)(&q.by, q.panel, width, true, q.a, q.panel + width, n);
    }
    if (q.columns)
        NAME(lun__reflections_orthogonal)(&q.by, q.k, q.columns, out);
    NAME(triangular)(&q, out, q.columns ? out + m * q.columns : out);
}
