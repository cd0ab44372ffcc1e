/* reflections_of.h - products of reflections for one dtype: T, NAME(x).  Included by reflections.c
 * once for each. */

void NAME(lun__reflections_column)(const lun_reflections *r, int64_t p, int64_t j, T tau)
{
    const int64_t at = p + j - j % r->lanes, rows = r->m - at;
    const T *v = (const T *)r->v + (p + j) * r->m + at;
    T *t = (T *)r->t + p * BLOCK, z[BLOCK];
    for (int64_t i = 0; i < j; i++)
        z[i] = NAME(lun__vectors_dot)(r->isa, (const T *)r->v + (p + i) * r->m + at, v, rows);
    for (int64_t i = 0; i < j; i++) {
        T sum = 0;
        NAME(lun__vectors_chain)(r->isa, &sum, t + i * BLOCK + i, 1, z + i, 1, j - i, 1);
        t[i * BLOCK + j] = -tau * sum;
    }
    t[j * BLOCK + j] = tau;
    for (int64_t i = j + 1; i < BLOCK; i++)
        t[i * BLOCK + j] = 0;
}

void NAME(lun__reflections_triangles)(const lun_reflections *r, int64_t k, const T *tau)
{
    for (int64_t p = 0; p < k && !lun__backend_stop_requested(r->services); p += BLOCK)
        for (int64_t j = 0; j < block_width(k, p); j++)
            NAME(lun__reflections_column)(r, p, j, tau[(p + j) / r->lanes]);
}

void NAME(lun__reflections_transform)(const lun_reflections *r, int64_t p, int64_t width,
                                      bool turned, T *c, int64_t first, int64_t all)
{
    const int64_t m = r->m, rows = m - p, columns = all - first;
    const T *v = (const T *)r->v + p * m + p, *t = (const T *)r->t + p * BLOCK;
    T *w = r->w, *next = w + BLOCK * columns, *product = r->product;
    const lun_operand across = {v, m, 1}, down = {v, 1, m};
    const lun_operand triangle = turned ? (lun_operand){t, 1, BLOCK} : (lun_operand){t, BLOCK, 1};
    if (columns <= 0)
        return;
    c += p * all + first;
    lun__products_run(r->services, r->team, r->is_double, across, (lun_operand){c, all, 1}, w,
                      width, columns, rows, r->room);
    lun__products_run(r->services, r->team, r->is_double, triangle, (lun_operand){w, columns, 1},
                      next, width, columns, width, r->room);
    lun__products_run(r->services, r->team, r->is_double, down, (lun_operand){next, columns, 1},
                      product, rows, columns, width, r->room);
    for (int64_t i = 0; i < rows; i++)
        NAME(lun__vectors_subtract)(r->isa, c + i * all, product + i * columns, columns);
}

void NAME(lun__reflections_orthogonal)(const lun_reflections *r, int64_t k, int64_t columns, T *out)
{
    for (int64_t i = 0; i < r->m; i++)
        for (int64_t j = 0; j < columns; j++)
            out[i * columns + j] = i == r->lanes * j;
    for (int64_t p = (k + BLOCK - 1) / BLOCK * BLOCK - BLOCK; p >= 0; p -= BLOCK)
        if (!lun__backend_stop_requested(r->services))
            NAME(lun__reflections_transform)
    (r, p, block_width(k, p), false, out, p / r->lanes, columns);
}

void NAME(lun__reflections_turn)(const lun_reflections *r, int64_t columns, const T *by,
                                 int64_t step, T *c)
{
    for (int64_t i = 0; r->lanes == 2 && i < r->m * columns; i += 2 * columns)
        for (int64_t j = 0; j < columns; j++) {
            const T *z = by + j * step, x = c[i + j], y = c[i + columns + j];
            c[i + j] = x * z[0] - y * z[1];
            c[i + columns + j] = x * z[1] + y * z[0];
        }
}
