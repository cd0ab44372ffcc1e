/* tile_of.h - the tiles of one dtype, included by tile.c once for each.
 *
 * Before: ID names it, T is its type, FMA(x, y, z) on vectors of BYTES bytes, NOT_NUMBER of a float
 * its NaN; ROWS is the largest tile, EACH_NS what an element takes. It forgets all but BYTES and
 * ROWS. */

#define NAME_(what, id)  what##_##id
#define NAME__(what, id) NAME_(what, id)
#define NAME(what)       NAME__(what, ID)
#define V                NAME(vector)

typedef T V __attribute__((vector_size(BYTES), may_alias, aligned(sizeof(T))));

/* A NaN as the one of the dtype. */
static inline __attribute__((always_inline)) V NAME(one_nan)(V x)
{
#ifdef NOT_NUMBER
    typedef __typeof__(x == x) mask;
    const V nan = NOT_NUMBER - (V){0};
    x = (V)(((mask)x & (x == x)) | ((mask)nan & (x != x)));
#endif
    return x;
}

/* rows and vectors are constants where this is used: the sums stay in registers. */
static inline __attribute__((always_inline)) void
NAME(tile)(int rows, int vectors, int64_t k, const void *a_, int64_t a_row, int64_t a_step,
           const void *b_, int64_t b_step, void *c_, int64_t c_row, bool add)
{
    enum { LANES = BYTES / sizeof(T) };
    const T *a = a_, *b = b_;
    T *c = c_;
    V sum[LUN_TILE_MOST][2] = {{{0}}};
    for (int i = 0; i < rows; i++)
        __builtin_prefetch(c + i * c_row, 1);
    for (int64_t p = 0; p < k; p++, a += a_step, b += b_step) {
        V x[2];
        for (int v = 0; v < vectors; v++)
            x[v] = *(const V *)(b + v * LANES);
#pragma GCC unroll 12
        for (int i = 0; i < rows; i++) {
            V y = a[i * a_row] - (V){0};
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++)
                sum[i][v] = FMA(y, x[v], sum[i][v]);
        }
    }
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) {
            V *to = (V *)(c + i * c_row + v * LANES);
            if (add)
                sum[i][v] = *to + sum[i][v];
            *to = NAME(one_nan)(sum[i][v]);
        }
}

#define TILE(rows, vectors)                                                                  \
    static void NAME(tile_##rows##_##vectors)(int64_t k, const void *a, int64_t a_row,       \
                                              int64_t a_step, const void *b, int64_t b_step, \
                                              void *c, int64_t c_row, bool add)              \
    {                                                                                        \
        NAME(tile)(rows, vectors, k, a, a_row, a_step, b, b_step, c, c_row, add);            \
    }
TILE(1, 1)
TILE(1, 2)
TILE(2, 1)
TILE(2, 2)
TILE(4, 1)
TILE(4, 2)
#if ROWS > 4
TILE(6, 1)
TILE(6, 2)
#endif
#if ROWS > 6
TILE(12, 1)
TILE(12, 2)
#endif
#undef TILE

/* Elements as C converts them. */
#define PLAIN(from_t)                   \
    {                                   \
        const from_t *from = x;         \
        for (int64_t i = 0; i < n; i++) \
            to[i] = (T)from[i];         \
        break;                          \
    }
#define STORED(exponent, mantissa)                                         \
    {                                                                      \
        const uint16_t *from = x;                                          \
        for (int64_t i = 0; i < n; i++) {                                  \
            uint32_t wide = lun__float_widen(from[i], exponent, mantissa); \
            float f;                                                       \
            memcpy(&f, &wide, sizeof f);                                   \
            to[i] = (T)f;                                                  \
        }                                                                  \
        break;                                                             \
    }
#define CASE_PLAIN(ctype, exponent, mantissa)  PLAIN(ctype)
#define CASE_STORED(ctype, exponent, mantissa) STORED(exponent, mantissa)
#define LUN_DTYPE(id, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, ...) \
    case LUN_##id:                                                                          \
        CASE_##form(ctype, exponent, mantissa)

static void NAME(convert)(lun_dtype t, const void *x, void *to_, int64_t n)
{
    T *to = to_;
    switch (t) {
#include "table/dtypes.def"
    default:
        break;
    }
}

#undef LUN_DTYPE
#undef CASE_PLAIN
#undef CASE_STORED
#undef PLAIN
#undef STORED
#undef NAME_
#undef NAME__
#undef NAME
#undef V
#undef ID
#undef T
#undef FMA
#undef NOT_NUMBER
#undef EACH_NS
