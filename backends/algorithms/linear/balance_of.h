/* balance_of.h - a matrix whose rows and columns have norms of one order, by powers of 2 and
 * exchanges, for one dtype: T, NAME(x).  Included by eigen_general_of.h. */

/* Rows and columns i and k change places, of the part that is not decided. */
static void NAME(exchange)(general *g, int64_t i, int64_t k)
{
    T *a = g->a;
    const int64_t n = g->n, lanes = g->lanes;
    for (int64_t j = 0; j < lanes * (g->high + 1) && i != k; j++) {
        const T x = a[j * n + i];
        a[j * n + i] = a[j * n + k];
        a[j * n + k] = x;
    }
    for (int64_t l = 0; l < lanes && i != k; l++)
        for (int64_t j = g->low; j < n; j++) {
            T *to = a + (lanes * i + l) * n + j, *from = a + (lanes * k + l) * n + j;
            const T x = *to;
            *to = *from;
            *from = x;
        }
}

/* The sum of the moduli of the parts of an element. */
static T NAME(size)(const general *g, int64_t i, int64_t j)
{
    const T *x = (const T *)g->a + g->lanes * i * g->n + j;
    return g->lanes == 1 ? NAME(modulus)(x[0]) : NAME(modulus)(x[0]) + NAME(modulus)(x[g->n]);
}

/* Whether row or column i has only zeros from low to high, but for its diagonal. */
static bool NAME(is_alone)(const general *g, int64_t i, bool row)
{
    for (int64_t j = g->low; j <= g->high; j++)
        if (j != i && NAME(size)(g, row ? i : j, row ? j : i) != 0)
            return false;
    return true;
}

/* Rows that are alone go to the end, columns to the beginning. */
static void NAME(isolate)(general *g)
{
    T *scale = g->scale;
    bool again = true;
    while (again && g->high > 0) {
        again = false;
        for (int64_t i = g->high; i >= 0 && !again; i--)
            if (NAME(is_alone)(g, i, true)) {
                scale[g->high] = (T)i;
                NAME(exchange)(g, i, g->high);
                g->high--;
                again = true;
            }
    }
    again = true;
    while (again && g->low < g->high) {
        again = false;
        for (int64_t i = g->low; i <= g->high && !again; i++)
            if (NAME(is_alone)(g, i, false)) {
                scale[g->low] = (T)i;
                NAME(exchange)(g, i, g->low);
                g->low++;
                again = true;
            }
    }
}

/* The power of 2 by which column i, of norm c, and row i, of norm r, come to one order; 1 if that
 * is little. */
static T NAME(factor)(T c, T r)
{
    const T sum = c + r;
    T f = 1;
    if (c == 0 || r == 0)
        return 1;
    while (c < r / 2) {
        f = f * 2;
        c = c * 4;
    }
    while (c >= r * 2) {
        f = f / 2;
        c = c / 4;
    }
    return (c + r) / f < (T)0.95 * sum ? f : 1;
}

static void NAME(balance)(general *g)
{
    const int64_t n = g->n, lanes = g->lanes;
    T *a = g->a, *scale = g->scale;
    const T most = sizeof(T) == sizeof(double) ? (T)0x1p400 : (T)0x1p50;
    g->low = 0;
    g->high = n - 1;
    for (int64_t i = 0; i < n; i++)
        scale[i] = (T)i;
    NAME(isolate)(g);
    for (int64_t i = g->low; i <= g->high; i++)
        scale[i] = 1;
    for (bool again = true; again && !lun__backend_stop_requested(g->by.services);) {
        again = false;
        for (int64_t i = g->low; i <= g->high; i++) {
            T c = 0, r = 0;
            for (int64_t j = g->low; j <= g->high; j++)
                if (j != i) {
                    c = c + NAME(size)(g, j, i);
                    r = r + NAME(size)(g, i, j);
                }
            const T f = NAME(factor)(c, r), all = scale[i] * f;
            if (f == 1 || all > most || all < 1 / most)
                continue;
            again = true;
            scale[i] = all;
            for (int64_t l = lanes * i; l < lanes * (i + 1); l++)
                for (int64_t j = g->low; j < n; j++)
                    a[l * n + j] = a[l * n + j] / f;
            for (int64_t j = 0; j < lanes * (g->high + 1); j++)
                a[j * n + i] = a[j * n + i] * f;
        }
    }
}

/* Vector x of the balanced matrix becomes one of the matrix. */
static void NAME(unbalance)(const general *g, T *x)
{
    const T *scale = g->scale;
    for (int64_t i = g->low; i <= g->high; i++)
        x[i] = x[i] * scale[i];
    for (int64_t step = 1; step <= g->n; step++) {
        const int64_t i = step <= g->low ? g->low - step : step - 1;
        if (i >= g->low && i <= g->high)
            continue;
        const int64_t k = (int64_t)scale[i];
        const T kept = x[i];
        x[i] = x[k];
        x[k] = kept;
    }
}
