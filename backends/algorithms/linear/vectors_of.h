/* vectors_of.h - the loops of vectors.h for one dtype: T, FMA and ROOT of it, SMALL (powers of 2
 * whose squares add up without loss), NAME(x).  Included by vectors.c once for each. */

#define EACH static inline __attribute__((always_inline))

EACH T NAME(dot_by)(const T *x, const T *y, int64_t n)
{
    T lane[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] = lane[l] + x[i + l] * y[i + l];
    for (int l = 0; i + l < n; l++)
        lane[l] = lane[l] + x[i + l] * y[i + l];
    for (int s = LANES / 2; s; s /= 2)
        for (int l = 0; l < s; l++)
            lane[l] = lane[l] + lane[l + s];
    return lane[0];
}

EACH T NAME(greatest_by)(const T *x, int64_t n)
{
    T most[LANES / 4] = {0};
    int64_t i = 0;
    for (; i + LANES / 4 <= n; i += LANES / 4)
        for (int l = 0; l < LANES / 4; l++) {
            const T modulus = x[i + l] < 0 ? -x[i + l] : x[i + l];
            most[l] = modulus > most[l] ? modulus : most[l];
        }
    for (int l = 0; i + l < n; l++) {
        const T modulus = x[i + l] < 0 ? -x[i + l] : x[i + l];
        most[l] = modulus > most[l] ? modulus : most[l];
    }
    for (int l = 1; l < LANES / 4; l++)
        most[0] = most[l] > most[0] ? most[l] : most[0];
    return most[0];
}

EACH void NAME(times_by)(T *x, T by, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        x[j] = x[j] * by;
}

EACH void NAME(less_by)(T *x, T by, const T *y, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        x[j] = x[j] - by * y[j];
}

EACH void NAME(rank_two_by)(T *x, T v, T w, const T *vs, const T *ws, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        x[j] = x[j] - (v * ws[j] + w * vs[j]);
}

EACH void NAME(rotate_by)(T *x, T *y, T c, T s, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        const T h = y[j];
        y[j] = s * x[j] + c * h;
        x[j] = c * x[j] - s * h;
    }
}

EACH void NAME(subtract_by)(T *x, const T *y, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        x[j] = x[j] - y[j];
}

EACH void NAME(chain_by)(T *c, const T *a, int64_t step, const T *b, int64_t row, int64_t k,
                         int64_t n)
{
    for (int64_t p = 0; p < k; p++)
        for (int64_t j = 0; j < n; j++)
            c[j] = FMA(a[p * step], b[p * row + j], c[j]);
}

/* Each loop, as compiled for every machine and for wide vectors. */
#ifdef __x86_64__
#define WIDER(type, name, parameters, ...)                                       \
    __attribute__((target("avx2,fma"))) static type NAME(name##_wide) parameters \
    {                                                                            \
        return NAME(name##_by)(__VA_ARGS__);                                     \
    }
#define CHOSEN(wide, name, ...) \
    return wide ? NAME(name##_wide)(__VA_ARGS__) : NAME(name##_by)(__VA_ARGS__)
#else
#define WIDER(type, name, parameters, ...)
#define CHOSEN(wide, name, ...) \
    (void)wide;                 \
    return NAME(name##_by)(__VA_ARGS__)
#endif

/* clang-format off */
WIDER(T, dot, (const T *x, const T *y, int64_t n), x, y, n)
WIDER(T, greatest, (const T *x, int64_t n), x, n)
WIDER(void, times, (T *x, T by, int64_t n), x, by, n)
WIDER(void, less, (T *x, T by, const T *y, int64_t n), x, by, y, n)
WIDER(void, rank_two, (T *x, T v, T w, const T *vs, const T *ws, int64_t n), x, v, w, vs, ws, n)
WIDER(void, rotate, (T *x, T *y, T c, T s, int64_t n), x, y, c, s, n)
WIDER(void, subtract, (T *x, const T *y, int64_t n), x, y, n)
WIDER(void, chain, (T *c, const T *a, int64_t step, const T *b, int64_t row, int64_t k, int64_t n),
      c, a, step, b, row, k, n)
/* clang-format on */

static T NAME(dot_chunk)(bool wide, const T *x, const T *y, int64_t n)
{
    CHOSEN(wide, dot, x, y, n);
}

static void NAME(sum_of_pair)(void *ctx, const uint64_t *a, const uint64_t *b, uint64_t *out)
{
    T x, y;
    (void)ctx;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    x = x + y;
    memcpy(out, &x, sizeof x);
}

T NAME(lun__vectors_dot)(bool wide, const T *x, const T *y, int64_t n)
{
    if (n <= CHUNK)
        return NAME(dot_chunk)(wide, x, y, n);
    lun_order_roots roots = {0};
    for (int64_t i = 0; i < n; i += CHUNK) {
        const T part = NAME(dot_chunk)(wide, x + i, y + i, n - i < CHUNK ? n - i : CHUNK);
        uint64_t cell = 0;
        memcpy(&cell, &part, sizeof part);
        lun__order_push(&roots, cell, NAME(sum_of_pair), NULL);
    }
    const uint64_t cell = lun__order_finish(&roots, NAME(sum_of_pair), NULL);
    T sum;
    memcpy(&sum, &cell, sizeof sum);
    return sum;
}

T NAME(lun__vectors_greatest)(bool wide, const T *x, int64_t n)
{
    CHOSEN(wide, greatest, x, n);
}

T NAME(lun__vectors_reflection)(bool wide, T *x, int64_t n, T *to)
{
    const T first = x[0] < 0 ? -x[0] : x[0], rest = NAME(lun__vectors_greatest)(wide, x + 1, n - 1);
    const T most = first > rest ? first : rest;
    int exponent = 0;
    *to = x[0];
    if (rest == 0 && NAME(lun__vectors_dot)(wide, x + 1, x + 1, n - 1) == 0) /* NaN is not 0 */
        return 0;
    if (most - most == 0 && most != 0)
        frexp((double)most, &exponent);
    exponent = exponent > -SMALL && exponent < SMALL ? 0 : exponent;
    for (int64_t j = 0; exponent && j < n; j++)
        x[j] = (T)ldexp((double)x[j], -exponent);
    const T square = NAME(lun__vectors_dot)(wide, x, x, n), length = ROOT(square);
    const T by = x[0] < 0 ? length : -length, tau = 1 / (square - x[0] * by);
    x[0] = x[0] - by;
    *to = (T)ldexp((double)by, exponent);
    return tau;
}

void NAME(lun__vectors_times)(bool wide, T *x, T by, int64_t n)
{
    CHOSEN(wide, times, x, by, n);
}

void NAME(lun__vectors_less)(bool wide, T *x, T by, const T *y, int64_t n)
{
    CHOSEN(wide, less, x, by, y, n);
}

void NAME(lun__vectors_rank_two)(bool wide, T *x, T v, T w, const T *vs, const T *ws, int64_t n)
{
    CHOSEN(wide, rank_two, x, v, w, vs, ws, n);
}

void NAME(lun__vectors_rotate)(bool wide, T *x, T *y, T c, T s, int64_t n)
{
    CHOSEN(wide, rotate, x, y, c, s, n);
}

void NAME(lun__vectors_subtract)(bool wide, T *x, const T *y, int64_t n)
{
    CHOSEN(wide, subtract, x, y, n);
}

void NAME(lun__vectors_chain)(bool wide, T *c, const T *a, int64_t step, const T *b, int64_t row,
                              int64_t k, int64_t n)
{
    CHOSEN(wide, chain, c, a, step, b, row, k, n);
}

#undef EACH
#undef WIDER
#undef CHOSEN
