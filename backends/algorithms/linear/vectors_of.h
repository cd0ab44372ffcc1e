/* vectors_of.h - the loops of vectors.h for one dtype: of both_floats.h. */

#define EACH static inline __attribute__((always_inline))

/* Sums of products in as many lanes as there are elements, at most: the others would be zeros,
 * which add nothing. */
#define DOT_OF_FEW(most)                                          \
    EACH T NAME(dot_of_##most)(const T *x, const T *y, int64_t n) \
    {                                                             \
        T lane[most] = {0};                                       \
        for (int64_t l = 0; l < n; l++)                           \
            lane[l] = lane[l] + x[l] * y[l];                      \
        for (int s = most / 2; s; s /= 2)                         \
            for (int l = 0; l < s; l++)                           \
                lane[l] = lane[l] + lane[l + s];                  \
        return lane[0];                                           \
    }
DOT_OF_FEW(4)
DOT_OF_FEW(8)
DOT_OF_FEW(16)
DOT_OF_FEW(32)
#undef DOT_OF_FEW

EACH T NAME(dot_of_some)(const T *x, const T *y, int64_t n)
{
    return n <= 4    ? NAME(dot_of_4)(x, y, n)
           : n <= 8  ? NAME(dot_of_8)(x, y, n)
           : n <= 16 ? NAME(dot_of_16)(x, y, n)
                     : NAME(dot_of_32)(x, y, n);
}

/* Sums of products in 64 lanes, which are vectors of so many bytes and stay in registers; what
 * stands beyond n counts as zeros, which add nothing. */
#define DOT(bytes, target)                                                                     \
    target static T NAME(dot_##bytes)(const T *x, const T *y, int64_t n)                       \
    {                                                                                          \
        typedef T vector __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));   \
        enum { WIDE = bytes / sizeof(T), PIECES = LANES / WIDE };                              \
        vector sum[PIECES] = {{0}};                                                            \
        int64_t i = 0;                                                                         \
        if (n <= LANES / 2)                                                                    \
            return NAME(dot_of_some)(x, y, n);                                                 \
        for (; i + LANES <= n; i += LANES)                                                     \
            for (int p = 0; p < PIECES; p++)                                                   \
                sum[p] = sum[p] + ((const vector *)(x + i))[p] * ((const vector *)(y + i))[p]; \
        for (int p = 0; p < PIECES; p++) {                                                     \
            const int64_t at = i + p * WIDE;                                                   \
            if (at + WIDE <= n) {                                                              \
                sum[p] = sum[p] + *(const vector *)(x + at) * *(const vector *)(y + at);       \
            } else if (at < n) {                                                               \
                T rest[2][WIDE] = {{0}};                                                       \
                for (int64_t l = 0; at + l < n; l++) {                                         \
                    rest[0][l] = x[at + l];                                                    \
                    rest[1][l] = y[at + l];                                                    \
                }                                                                              \
                sum[p] = sum[p] + *(const vector *)rest[0] * *(const vector *)rest[1];         \
            }                                                                                  \
        }                                                                                      \
        for (int half = PIECES / 2; half; half /= 2)                                           \
            for (int p = 0; p < half; p++)                                                     \
                sum[p] = sum[p] + sum[p + half];                                               \
        T lane[WIDE];                                                                          \
        memcpy(lane, sum, sizeof lane);                                                        \
        for (int s = WIDE / 2; s; s /= 2)                                                      \
            for (int l = 0; l < s; l++)                                                        \
                lane[l] = lane[l] + lane[l + s];                                               \
        return lane[0];                                                                        \
    }
/* clang-format off */
DOT(16, )
#ifdef __x86_64__
DOT(32, __attribute__((target("avx2,fma"))))
DOT(64, __attribute__((target(WIDEST))))
#endif
/* clang-format on */
#undef DOT

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

EACH void NAME(turn_by)(T *x, T *y, T *z, const T *by, int64_t n)
{
    const T a = by[0], b = by[1], c = by[2], d = by[3], e = by[4], f = by[5];
    for (int64_t j = 0; j < n && z; j++) {
        const T p = a * x[j] + b * y[j] + c * z[j];
        x[j] = x[j] - p * d;
        y[j] = y[j] - p * e;
        z[j] = z[j] - p * f;
    }
    for (int64_t j = 0; j < n && !z; j++) {
        const T p = a * x[j] + b * y[j];
        x[j] = x[j] - p * d;
        y[j] = y[j] - p * e;
    }
}

EACH void NAME(rotate_by)(T *xr, T *xi, T *yr, T *yi, const T *by, int64_t n)
{
    const T c = by[0], s = by[1], t = by[2];
    for (int64_t j = 0; j < n; j++) {
        const T x = xr[j], y = xi[j], u = yr[j], v = yi[j];
        xr[j] = c * x + (s * u - t * v);
        xi[j] = c * y + (s * v + t * u);
        yr[j] = c * u - (s * x + t * y);
        yi[j] = c * v - (s * y - t * x);
    }
}

EACH void NAME(rotate_each_by)(T *restrict re, T *restrict im, const T *by, int64_t k)
{
    for (int64_t q = 0; q < k; q++, re += 8, im += 8, by += 3)
        NAME(rotate_by)(re, im, re + 8, im + 8, by, 8);
}

EACH void NAME(rank_two_by)(T *x, T v, T w, const T *vs, const T *ws, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        x[j] = x[j] - (v * ws[j] + w * vs[j]);
}

EACH void NAME(subtract_by)(T *x, const T *y, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        x[j] = x[j] - y[j];
}

EACH void NAME(chain_by)(T *c, const T *a, int64_t step, const T *b, int64_t row, int64_t k,
                         int64_t n)
{
    int64_t p = 0;
    for (; p + 4 <= k; p += 4) {
        const T by[] = {a[p * step], a[(p + 1) * step], a[(p + 2) * step], a[(p + 3) * step]};
        const T *from = b + p * row;
        for (int64_t j = 0; j < n; j++) {
            T x = FMA(by[0], from[j], c[j]);
            x = FMA(by[1], from[row + j], x);
            x = FMA(by[2], from[2 * row + j], x);
            c[j] = FMA(by[3], from[3 * row + j], x);
        }
    }
    for (; p < k; p++)
        for (int64_t j = 0; j < n; j++)
            c[j] = FMA(a[p * step], b[p * row + j], c[j]);
}

/* Each loop, as compiled for every machine and for those with wider vectors. */
#ifdef __x86_64__
#define WIDER(type, name, parameters, ...)                                       \
    __attribute__((target("avx2,fma"))) static type NAME(name##_avx2) parameters \
    {                                                                            \
        return NAME(name##_by)(__VA_ARGS__);                                     \
    }                                                                            \
    __attribute__((target(WIDEST))) static type NAME(name##_avx512) parameters   \
    {                                                                            \
        return NAME(name##_by)(__VA_ARGS__);                                     \
    }
#define CHOSEN(isa, name, ...)                                      \
    return isa == LUN_ISA_AVX512 ? NAME(name##_avx512)(__VA_ARGS__) \
           : isa == LUN_ISA_AVX2 ? NAME(name##_avx2)(__VA_ARGS__)   \
                                 : NAME(name##_by)(__VA_ARGS__)
#else
#define WIDER(type, name, parameters, ...)
#define CHOSEN(isa, name, ...) \
    (void)isa;                 \
    return NAME(name##_by)(__VA_ARGS__)
#endif

/* clang-format off */
WIDER(T, greatest, (const T *x, int64_t n), x, n)
WIDER(void, times, (T *x, T by, int64_t n), x, by, n)
WIDER(void, turn, (T *x, T *y, T *z, const T *by, int64_t n), x, y, z, by, n)
WIDER(void, less, (T *x, T by, const T *y, int64_t n), x, by, y, n)
WIDER(void, rank_two, (T *x, T v, T w, const T *vs, const T *ws, int64_t n), x, v, w, vs, ws, n)
WIDER(void, rotate, (T *xr, T *xi, T *yr, T *yi, const T *by, int64_t n), xr, xi, yr, yi, by, n)
WIDER(void, rotate_each, (T *re, T *im, const T *by, int64_t k), re, im, by, k)
WIDER(void, subtract, (T *x, const T *y, int64_t n), x, y, n)
WIDER(void, chain, (T *c, const T *a, int64_t step, const T *b, int64_t row, int64_t k, int64_t n),
      c, a, step, b, row, k, n)
/* clang-format on */

static T NAME(dot_chunk)(lun_isa isa, const T *x, const T *y, int64_t n)
{
#ifdef __x86_64__
    if (isa == LUN_ISA_AVX512)
        return NAME(dot_64)(x, y, n);
    if (isa == LUN_ISA_AVX2)
        return NAME(dot_32)(x, y, n);
#endif
    (void)isa;
    return NAME(dot_16)(x, y, n);
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

T NAME(lun__vectors_dot)(lun_isa isa, const T *x, const T *y, int64_t n)
{
    if (n <= CHUNK)
        return NAME(dot_chunk)(isa, x, y, n);
    lun_order_roots roots = {0};
    for (int64_t i = 0; i < n; i += CHUNK) {
        const T part = NAME(dot_chunk)(isa, x + i, y + i, n - i < CHUNK ? n - i : CHUNK);
        uint64_t cell = 0;
        memcpy(&cell, &part, sizeof part);
        lun__order_push(&roots, cell, NAME(sum_of_pair), NULL);
    }
    const uint64_t cell = lun__order_finish(&roots, NAME(sum_of_pair), NULL);
    T sum;
    memcpy(&sum, &cell, sizeof sum);
    return sum;
}

T NAME(lun__vectors_greatest)(lun_isa isa, const T *x, int64_t n)
{
    CHOSEN(isa, greatest, x, n);
}

T NAME(lun__vectors_unit)(T re, T im, T *unit)
{
    const T x = re < 0 ? -re : re, y = im < 0 ? -im : im, most = x > y ? x : y;
    const T r = (x > y ? y : x) / most, length = most * ROOT(1 + r * r);
    const bool is_zero = x == 0 && y == 0;
    unit[0] = is_zero ? 1 : re / length;
    unit[1] = is_zero ? 0 : im / length;
    return is_zero ? 0 : length;
}

void NAME(lun__vectors_times_i)(const T *x, int64_t n, T *y)
{
    for (int64_t j = 0; j < n; j += 2) {
        y[j] = -x[j + 1];
        y[j + 1] = x[j];
    }
}

int64_t NAME(lun__vectors_entry)(const T *x, int64_t n)
{
    int64_t at = 0;
    T most = 0;
    for (int64_t k = 0; k < n; k++) {
        const T square = x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1];
        at = square > most ? k : at;
        most = square > most ? square : most;
    }
    return at;
}

void NAME(lun__vectors_apart)(const T *x, int64_t n, const T *by, T *re, T *im, int64_t step)
{
    const T a = by[0], b = by[1], length = ROOT(a * a + b * b);
    for (int64_t k = 0; k < n; k++) {
        const T u = x[2 * k], v = x[2 * k + 1];
        re[k * step] = (u * a + v * b) / length + 0; /* no -0 */
        im[k * step] = (v * a - u * b) / length + 0;
    }
}

T NAME(lun__vectors_reflection)(lun_isa isa, T *x, int64_t n, int lanes, T *to)
{
    const T *behind = x + lanes;
    T first = 0, unit[2] = {1, 0};
    for (int l = 0; l < lanes; l++) {
        const T modulus = x[l] < 0 ? -x[l] : x[l];
        first = modulus > first ? modulus : first;
        to[l] = x[l];
    }
    const T rest = NAME(lun__vectors_greatest)(isa, behind, n - lanes);
    const T most = first > rest ? first : rest;
    int exponent = 0;
    if (rest == 0 && NAME(lun__vectors_dot)(isa, behind, behind, n - lanes) == 0) {
        if (lanes == 2)
            x[0] = x[1] = 0; /* of v and of i v sums of products may be infinite */
        return 0;            /* NaN is not 0 */
    }
    if (most - most == 0 && most != 0)
        frexp((double)most, &exponent);
    const int small =
        sizeof(T) == sizeof(double) ? 200 : 30; /* powers of 2 whose squares add up without loss */
    exponent = exponent > -small && exponent < small ? 0 : exponent;
    for (int64_t j = 0; exponent && j < n; j++)
        x[j] = (T)ldexp((double)x[j], -exponent);
    const T square = NAME(lun__vectors_dot)(isa, x, x, n), length = ROOT(square);
    first = x[0] < 0 ? -x[0] : x[0];
    if (lanes == 2)
        first = NAME(lun__vectors_unit)(x[0], x[1], unit);
    else
        unit[0] = x[0] < 0 ? -1 : 1;
    for (int l = 0; l < lanes; l++) {
        const T by = -unit[l] * length;
        x[l] = x[l] - by;
        to[l] = (T)ldexp((double)by, exponent);
    }
    return 1 / (square + first * length);
}

void NAME(lun__vectors_times)(lun_isa isa, T *x, T by, int64_t n)
{
    CHOSEN(isa, times, x, by, n);
}

void NAME(lun__vectors_turn)(lun_isa isa, T *x, T *y, T *z, const T *by, int64_t n)
{
    CHOSEN(isa, turn, x, y, z, by, n);
}

void NAME(lun__vectors_less)(lun_isa isa, T *x, T by, const T *y, int64_t n)
{
    CHOSEN(isa, less, x, by, y, n);
}

void NAME(lun__vectors_rank_two)(lun_isa isa, T *x, T v, T w, const T *vs, const T *ws, int64_t n)
{
    CHOSEN(isa, rank_two, x, v, w, vs, ws, n);
}

void NAME(lun__vectors_rotate)(lun_isa isa, T *xr, T *xi, T *yr, T *yi, const T *by, int64_t n)
{
    CHOSEN(isa, rotate, xr, xi, yr, yi, by, n);
}

void NAME(lun__vectors_rotate_each)(lun_isa isa, T *re, T *im, const T *by, int64_t k)
{
    CHOSEN(isa, rotate_each, re, im, by, k);
}

void NAME(lun__vectors_subtract)(lun_isa isa, T *x, const T *y, int64_t n)
{
    CHOSEN(isa, subtract, x, y, n);
}

void NAME(lun__vectors_chain)(lun_isa isa, T *c, const T *a, int64_t step, const T *b, int64_t row,
                              int64_t k, int64_t n)
{
    CHOSEN(isa, chain, c, a, step, b, row, k, n);
}

#undef EACH
#undef WIDER
#undef CHOSEN
