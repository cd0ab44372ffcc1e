/* balance_of.h - a matrix whose rows and columns have norms of one order, by powers of 2 and
 * exchanges, for one dtype: T, NAME(x).  Included by eigen_general_of.h. */

/* Rows and columns i and k change places, of the part that is not decided. */
static void NAME(exchange)(general *g, int64_t i, int64_t k)
{
    T *a = g->a;
    const int64_t n = g->n;
    for (int64_t j = 0; j <= g->high && i != k; j++) {
        const T x = a[j * n + i];
        a[j * n + i] = a[j * n + k];
        a[j * n + k] = x;
    }
    for (int64_t j = g->low; j < n && i != k; j++) {
        const T x = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = x;
    }
}

/* Whether row or column i has only zeros from low to high, but for its diagonal. */
static bool NAME(is_alone)(const general *g, int64_t i, bool row)
{
    const T *a = g->a;
    for (int64_t j = g->low; j <= g->high; j++)
        if (j != i && a[row ? i * g->n + j : j * g->n + i] != 0)
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
    const int64_t n = g->n;
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
                    c = c + NAME(modulus)(a[j * n + i]);
                    r = r + NAME(modulus)(a[i * n + j]);
                }
            const T f = NAME(factor)(c, r), all = scale[i] * f;
            if (f == 1 || all > most || all < 1 / most)
                continue;
            again = true;
            scale[i] = all;
            for (int64_t j = g->low; j < n; j++)
                a[i * n + j] = a[i * n + j] / f;
            for (int64_t j = 0; j <= g->high; j++)
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
