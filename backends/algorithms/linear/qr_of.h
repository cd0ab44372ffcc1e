/* qr_of.h - matrices as an orthogonal one times a triangular one, for one dtype: T, NAME(x).
 * Included by qr.c once for each. */

/* Column panel + part of the panel that has reflection j: the reflection is applied to it. */
static void NAME(apply)(void *ctx, int64_t part, int worker)
{
    const qr *q = ctx;
    const int64_t at = q->lanes * (q->panel + q->j), rows = q->m - at;
    T *column = (T *)q->by.v + (at + q->lanes * (1 + part)) * q->m + at;
    (void)worker;
    for (int l = 0; l < q->lanes; l++) {
        const T *v = (const T *)q->by.v + (at + l) * q->m + at;
        const T by = (T)q->tau * NAME(lun__vectors_dot)(q->by.isa, v, column, rows);
        NAME(lun__vectors_less)(q->by.isa, column, by, v, rows);
    }
}

/* Column j of a panel, which is done, becomes that of R; its vector lacks what stands before it. */
static void NAME(triangle)(qr *q, int64_t j, const T *to)
{
    const int64_t m = q->m, n = q->n, p = q->lanes * q->panel, at = p + q->lanes * j;
    T *a = (T *)q->a + q->panel + j, *column = (T *)q->by.v + at * m;
    for (int64_t i = p; i < at; i++) {
        a[i * n] = column[i];
        column[i] = 0;
    }
    for (int l = 0; l < q->lanes; l++)
        a[(at + l) * n] = to[l];
    if (q->lanes == 2)
        NAME(lun__vectors_times_i)(column + p, m - p, column + m + p);
}

/* The reflections of a panel of `width` columns. */
static void NAME(panel)(qr *q, int64_t width)
{
    const int64_t m = q->m, n = q->n, p = q->lanes * q->panel;
    const T *a = (const T *)q->a + q->panel;
    T *v = q->by.v, to[2];
    for (int64_t i = p; i < m; i++)
        for (int64_t j = 0; j < width; j++)
            v[(p + q->lanes * j) * m + i] = a[i * n + j];
    for (int64_t j = 0; j < width && !lun__backend_stop_requested(q->by.services); j++) {
        const int64_t at = p + q->lanes * j;
        const T tau =
            NAME(lun__vectors_reflection)(q->by.isa, v + at * m + at, m - at, q->lanes, to);
        q->j = j;
        q->tau = (double)tau;
        NAME(triangle)(q, j, to);
        if (m - at >= LONG)
            lun__work_parts(q->by.services, q->by.team, width - j - 1, q, NAME(apply));
        else
            for (int64_t c = 0; c < width - j - 1; c++)
                NAME(apply)(q, c, 0);
        for (int l = 0; l < q->lanes; l++)
            NAME(lun__reflections_column)(&q->by, p, at + l - p, tau);
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

/* The same of a complex one: rows of the triangle times conj(d) / |d| of their diagonal's d, and
 * columns of Q times d / |d|. */
static void NAME(complex_triangular)(const qr *q, T *orthogonal, T *out)
{
    const int64_t n = q->n, columns = q->columns, rows = columns ? columns : q->k;
    memset(out, 0, (size_t)(2 * n * rows) * sizeof *out);
    for (int64_t i = 0; i < q->k; i++) {
        const T *re = (const T *)q->a + 2 * i * n, *im = re + n;
        T unit[2];
        const T length = NAME(lun__vectors_unit)(re[i], im[i], unit);
        for (int64_t j = i; j < n; j++) {
            T *to = out + 2 * j * rows + i;
            to[0] = j == i ? length : re[j] * unit[0] + im[j] * unit[1] + 0;
            to[rows] = j == i ? 0 : im[j] * unit[0] - re[j] * unit[1] + 0; /* no -0 */
        }
        for (int64_t j = 0; columns && j < q->m; j += 2) {
            T *to = orthogonal + j * columns + i;
            const T x = to[0], y = to[columns];
            to[0] = x * unit[0] - y * unit[1] + 0;
            to[columns] = x * unit[1] + y * unit[0] + 0;
        }
    }
}

/* Of matrix number `part` Q and below it R', or R' alone. */
static void NAME(one_qr)(void *ctx, int64_t part, int worker)
{
    qr q = *(const qr *)ctx;
    const int64_t m = q.m, n = q.n, most = n > q.columns ? n : q.columns;
    const int64_t rows = q.columns ? q.columns : q.k;
    T *out = (T *)q.r->out[0].data + part * (q.columns ? m + q.lanes * n : q.lanes * n) * rows;
    T *scratch = (T *)((char *)q.r->scratch + worker * q.bytes);
    q.a = scratch;
    q.by.v = scratch + m * n;
    q.by.t = (T *)q.by.v + q.lanes * q.k * m;
    q.by.w = (T *)q.by.t + (q.lanes * q.k + BLOCK) * BLOCK;
    q.by.product = (T *)q.by.w + 2 * BLOCK * most;
    q.by.room = (T *)q.by.product + m * most;
    memcpy(q.a, (const T *)q.r->in[0].data + part * m * n, (size_t)(m * n) * sizeof(T));
    for (q.panel = 0; q.panel < q.k; q.panel += BLOCK / q.lanes) {
        const int64_t rest = q.k - q.panel, width = rest < BLOCK / q.lanes ? rest : BLOCK / q.lanes;
        if (lun__backend_stop_requested(q.by.services))
            return;
        NAME(panel)(&q, width);
        NAME(lun__reflections_transform)
        (&q.by, q.lanes * q.panel, q.lanes * width, true, q.a, q.panel + width, n);
    }
    if (q.columns)
        NAME(lun__reflections_orthogonal)(&q.by, q.lanes * q.k, q.columns, out);
    (q.lanes == 2 ? NAME(complex_triangular) : NAME(triangular))(&q, out, out + m * q.columns);
}
