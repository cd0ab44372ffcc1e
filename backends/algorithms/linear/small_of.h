/* small_of.h - factors of many small matrices for one dtype: T, an integer as wide, FMA, NAME(x).
 * Included by small.c once for each. */

#define EACH  static inline __attribute__((always_inline))
#define LANE  for (int l = 0; l < LANES; l++)
#define AT(l) (l < count ? l : count - 1) /* lanes without a matrix do that of the last one */

/* Column k: in each lane the row with the greatest modulus, the first of equals, NaN the greatest,
 * changes places with row k. */
EACH void NAME(exchange)(int n, int k, T a[MOST * MOST][LANES], T rows[MOST][LANES],
                         T swaps[MOST][LANES])
{
    T most[LANES];
    INDEX at[LANES];
    LANE
    {
        most[l] = a[k * n + k][l] < 0 ? -a[k * n + k][l] : a[k * n + k][l];
        at[l] = k;
    }
    for (int i = k + 1; i < n; i++)
        LANE
        {
            const T x = a[i * n + k][l] < 0 ? -a[i * n + k][l] : a[i * n + k][l];
            const INDEX better = (most[l] == most[l]) & ((x > most[l]) | (x != x));
            at[l] = better ? i : at[l];
            most[l] = better ? x : most[l];
        }
    LANE swaps[k][l] = (T)at[l];
    for (int i = k + 1; i < n; i++) {
        for (int j = 0; j < n; j++)
            LANE
            {
                const T upper = a[k * n + j][l], lower = a[i * n + j][l];
                a[k * n + j][l] = at[l] == i ? lower : upper;
                a[i * n + j][l] = at[l] == i ? upper : lower;
            }
        LANE
        {
            const T upper = rows[k][l], lower = rows[i][l];
            rows[k][l] = at[l] == i ? lower : upper;
            rows[i][l] = at[l] == i ? upper : lower;
        }
    }
}

EACH void NAME(lu_by)(int n, const T *from, T *to, int64_t count)
{
    T a[MOST * MOST][LANES], rows[MOST][LANES], swaps[MOST][LANES];
    for (int e = 0; e < n * n; e++)
        LANE a[e][l] = from[AT(l) * n * n + e];
    for (int i = 0; i < n; i++)
        LANE rows[i][l] = (T)i;
    for (int k = 0; k < n; k++) {
        NAME(exchange)(n, k, a, rows, swaps);
        for (int i = k + 1; i < n; i++) {
            LANE
            {
                const T by = a[k * n + k][l], x = a[i * n + k][l];
                a[i * n + k][l] = by != 0 ? x / (by != 0 ? by : 1) : x;
            }
            for (int j = k + 1; j < n; j++)
                LANE a[i * n + j][l] = FMA(-a[i * n + k][l], a[k * n + j][l], a[i * n + j][l]);
        }
    }
    for (int64_t l = 0; l < count; l++) {
        T *out = to + l * (n + 2) * n;
        for (int e = 0; e < n * n; e++)
            out[e] = a[e][l];
        for (int i = 0; i < n; i++) {
            out[n * n + i] = rows[i][l];
            out[n * n + n + i] = swaps[i][l];
        }
    }
}

EACH void NAME(solve_by)(int n, int64_t m, const T *t, const T *b, T *x, int64_t count)
{
    T a[MOST * MOST][LANES], y[MOST][LANES];
    for (int e = 0; e < n * n; e++)
        LANE a[e][l] = t[AT(l) * (n + 2) * n + e];
    for (int64_t j = 0; j < m; j++) {
        for (int i = 0; i < n; i++)
            LANE y[i][l] = b[(AT(l) * n + (int64_t)t[(AT(l) * (n + 2) + n) * n + i]) * m + j];
        for (int i = 1; i < n; i++)
            for (int k = 0; k < i; k++)
                LANE y[i][l] = FMA(-a[i * n + k][l], y[k][l], y[i][l]);
        for (int i = n - 1; i >= 0; i--) {
            for (int k = n - 1; k > i; k--)
                LANE y[i][l] = FMA(-a[i * n + k][l], y[k][l], y[i][l]);
            LANE y[i][l] = y[i][l] / a[i * n + i][l];
        }
        for (int64_t l = 0; l < count; l++)
            for (int i = 0; i < n; i++)
                x[(l * n + i) * m + j] = y[i][l];
    }
}

/* Of each number of rows, for one instruction set. */
#define SIZES(suffix, target)                                                                   \
    target static void NAME(lu_##suffix)(int64_t n, const T *from, T *to, int64_t count)        \
    {                                                                                           \
        if (n == 1)                                                                             \
            NAME(lu_by)(1, from, to, count);                                                    \
        else if (n == 2)                                                                        \
            NAME(lu_by)(2, from, to, count);                                                    \
        else if (n == 3)                                                                        \
            NAME(lu_by)(3, from, to, count);                                                    \
        else                                                                                    \
            NAME(lu_by)(4, from, to, count);                                                    \
    }                                                                                           \
    target static void NAME(solve_##suffix)(int64_t n, int64_t m, const T *t, const T *b, T *x, \
                                            int64_t count)                                      \
    {                                                                                           \
        if (n == 1)                                                                             \
            NAME(solve_by)(1, m, t, b, x, count);                                               \
        else if (n == 2)                                                                        \
            NAME(solve_by)(2, m, t, b, x, count);                                               \
        else if (n == 3)                                                                        \
            NAME(solve_by)(3, m, t, b, x, count);                                               \
        else                                                                                    \
            NAME(solve_by)(4, m, t, b, x, count);                                               \
    }
/* clang-format off */
SIZES(base, )
#ifdef __x86_64__
SIZES(avx2, __attribute__((target("avx2,fma"))))
SIZES(avx512, __attribute__((target(WIDEST))))
#define CHOSEN(isa, name, ...)                                              \
    (isa == LUN_ISA_AVX512 ? NAME(name##_avx512)                            \
     : isa == LUN_ISA_AVX2 ? NAME(name##_avx2) : NAME(name##_base))(__VA_ARGS__)
#else
#define CHOSEN(isa, name, ...) ((void)isa, NAME(name##_base)(__VA_ARGS__))
#endif
/* clang-format on */

void NAME(lun__small_lu)(lun_isa isa, int64_t n, const T *from, T *to, int64_t count)
{
    CHOSEN(isa, lu, n, from, to, count);
}

void NAME(lun__small_solve)(lun_isa isa, int64_t n, int64_t m, const T *t, const T *b, T *x,
                            int64_t count)
{
    CHOSEN(isa, solve, n, m, t, b, x, count);
}

#undef EACH
#undef LANE
#undef AT
#undef SIZES
#undef CHOSEN
