/* qr_of.h - matrices as an orthogonal one times a triangular one, for one dtype: T, NAME(x).
 * Included by qr.c once for each. */

/* Column panel + part of the panel that has reflection j: the reflection is applied to it. */
static void NAME(apply)(void *ctx, int64_t part, int worker)
{
    const qr *q = ctx;
    const int64_t at = q->panel + q->j, rows = q->m - at;
    const T *v = (const T *)q->v + at * q->m + at;
    T *column = (T *)q->v + (at + 1 + part) * q->m + at;
    (void)worker;
    const T by = (T)q->tau * NAME(lun__vectors_dot)(q->wide, v, column, rows);
    NAME(lun__vectors_less)(q->wide, column, by, v, rows);
}

/* Column j of the panel's triangle. */
static void NAME(triangle)(const qr *q, T *t, int64_t j, T tau)
{
    const int64_t at = q->panel + j, rows = q->m - at;
    const T *v = (const T *)q->v + at * q->m + at;
    T z[BLOCK];
    for (int64_t i = 0; i < j; i++)
        z[i] =
            NAME(lun__vectors_dot)(q->wide, (const T *)q->v + (q->panel + i) * q->m + at, v, rows);
    for (int64_t i = 0; i < j; i++) {
        T sum = 0;
        NAME(lun__vectors_chain)(q->wide, &sum, t + i * BLOCK + i, 1, z + i, 1, j - i, 1);
        t[i * BLOCK + j] = -tau * sum;
    }
    t[j * BLOCK + j] = tau;
}

/* The reflections of a panel of `width` columns. */
static void NAME(panel)(qr *q, int64_t width)
{
    const int64_t m = q->m, n = q->n, p = q->panel;
    T *a = q->a, *v = q->v, *t = (T *)q->t + p * BLOCK;
    for (int64_t i = p; i < m; i++)
        for (int64_t j = 0; j < width; j++)
            v[(p + j) * m + i] = a[i * n + p + j];
    memset(t, 0, BLOCK * BLOCK * sizeof *t);
    for (int64_t j = 0; j < width && !lun__backend_stop_requested(q->services); j++) {
        T *column = v + (p + j) * m;
        const T tau = NAME(lun__vectors_reflection)(q->wide, column + p + j, m - p - j,
                                                    &a[(p + j) * n + p + j]);
        q->j = j;
        q->tau = (double)tau;
        if (m - p - j >= LONG)
            lun__work_parts(q->services, q->team, width - j - 1, q, NAME(apply));
        else
            for (int64_t c = 0; c < width - j - 1; c++)
                NAME(apply)(q, c, 0);
        NAME(triangle)(q, t, j, tau);
        for (int64_t i = p; i < p + j; i++) {
            a[i * n + p + j] = column[i];
            column[i] = 0;
        }
    }
}

/* From row `panel` on, columns from `first` on of c, which has `all` of them: c - V T V' c, or with
 * T'. */
static void NAME(transform)(const qr *q, int64_t width, bool turned, T *c, int64_t first,
                            int64_t all)
{
    const int64_t m = q->m, p = q->panel, rows = m - p, columns = all - first;
    const T *v = (const T *)q->v + p * m + p, *t = (const T *)q->t + p * BLOCK;
    T *w = q->w, *next = w + BLOCK * columns, *product = q->product;
    if (columns <= 0)
        return;
    c += p * all + first;
    lun__products_run(q->services, q->team, q->is_double, (lun_operand){v, m, 1},
                      (lun_operand){c, all, 1}, w, width, columns, rows, q->room);
    lun__products_run(q->services, q->team, q->is_double,
                      turned ? (lun_operand){t, 1, BLOCK} : (lun_operand){t, BLOCK, 1},
                      (lun_operand){w, columns, 1}, next, width, columns, width, q->room);
    lun__products_run(q->services, q->team, q->is_double, (lun_operand){v, 1, m},
                      (lun_operand){next, columns, 1}, product, rows, columns, width, q->room);
    for (int64_t i = 0; i < rows; i++)
        NAME(lun__vectors_subtract)(q->wide, c + i * all, product + i * columns, columns);
}

/* The product of the reflections, in its first columns. */
static void NAME(orthogonal)(qr *q, T *out)
{
    const int64_t columns = q->columns;
    for (int64_t i = 0; i < q->m; i++)
        for (int64_t j = 0; j < columns; j++)
            out[i * columns + j] = i == j;
    for (q->panel = (q->k - 1) / BLOCK * BLOCK; q->panel >= 0; q->panel -= BLOCK) {
        const int64_t width = q->k - q->panel < BLOCK ? q->k - q->panel : BLOCK;
        if (lun__backend_stop_requested(q->services))
            return;
        NAME(transform)(q, width, false, out, q->panel, columns);
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
    q.v = scratch + m * n;
    q.t = (T *)q.v + q.k * m;
    q.w = (T *)q.t + (q.k + BLOCK) * BLOCK;
    q.product = (T *)q.w + 2 * BLOCK * most;
    q.room = (T *)q.product + m * most;
    memcpy(q.a, (const T *)q.r->in[0].data + part * m * n, (size_t)(m * n) * sizeof(T));
    for (q.panel = 0; q.panel < q.k; q.panel += BLOCK) {
        const int64_t width = q.k - q.panel < BLOCK ? q.k - q.panel : BLOCK;
        if (lun__backend_stop_requested(q.services))
            return;
        NAME(panel)(&q, width);
        NAME(transform)(&q, width, true, q.a, q.panel + width, n);
    }
    if (q.columns)
        NAME(orthogonal)(&q, out);
    NAME(triangular)(&q, out, q.columns ? out + m * q.columns : out);
}
