/* column_transpose.c - neighbouring columns of rows that stand evenly, each into a row of its own:
 * what transpose.c does with sides too short for its tiles; see column_transpose.h.
 *
 * By shuffles of two vectors of 64 bytes, where the processor can.  Rows of few elements: what a
 * block of as many rows as a vector has elements fills is loaded once, and each column picked from
 * it, a vector at a time.  Longer ones: a square whose rows begin where the rows do and end in the
 * next ones. */
#include "base/layout/column_transpose.h"

#include <string.h>

#include "base/layout/vector_transpose.h"

typedef void element_copy(const char *from, int64_t step, int64_t n, char *to);

#define PLAIN(size, T)                                                                            \
    static void plain_##size(const char *from, int64_t step, int64_t n, char *to)                 \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            memcpy(to + i * (int64_t)sizeof(T), from + i * step * (int64_t)sizeof(T), sizeof(T)); \
    }
PLAIN(1, uint8_t)
PLAIN(2, uint16_t)
PLAIN(4, uint32_t)
PLAIN(8, uint64_t)
static element_copy *const plain[] = {plain_1, plain_2, plain_4, plain_8};

#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12)
#include <immintrin.h>

enum {
    LINE = 64,
    AHEAD = 8 << 10 /* bytes that are fetched before they are read: what is computed in between */
};

#define INLINE static inline __attribute__((always_inline))

/* Where lane l of column c comes from when the s-th vector of N elements joins those before, which
 * hold their lanes already: below N from them, else from it. */
#define FROM(l)                                                       \
    (lane)(((l)*row + c) / N == s             ? N + ((l)*row + c) % N \
           : s == 1 && ((l)*row + c) / N == 0 ? ((l)*row + c) % N     \
                                              : (l))
#define EIGHT(l)                                                                           \
    FROM(l), FROM(l + 1), FROM(l + 2), FROM(l + 3), FROM(l + 4), FROM(l + 5), FROM(l + 6), \
        FROM(l + 7)
#define SIXTEEN(l)   EIGHT(l), EIGHT(l + 8)
#define THIRTYTWO(l) SIXTEEN(l), SIXTEEN(l + 16)

/* Blocks of N rows of `row` elements, a constant where this is used.  All of a block is read, so
 * it is not the last; how many elements of each column are done. */
#define FEW(name, T, N_, LANES, PICK, TARGET)                                                  \
    TARGET INLINE int64_t few_##name(const char *from, int row, int64_t n, int columns,        \
                                     void *const *to)                                          \
    {                                                                                          \
        enum { N = N_ };                                                                       \
        typedef T lane, lanes __attribute__((vector_size(64)));                                \
        int64_t i = 0;                                                                         \
        for (; i + N < n; i += N, from += row * LINE) {                                        \
            __m512i v[8];                                                                      \
            UNROLLED for (int s = 0; s < row; s++) v[s] = _mm512_loadu_si512(from + s * LINE); \
            UNROLLED for (int s = 0; s < row; s++)                                             \
                _mm_prefetch(from + AHEAD + s * LINE, _MM_HINT_T0);                            \
            UNROLLED for (int c = 0; c < row; c++)                                             \
            {                                                                                  \
                __m512i x = v[0];                                                              \
                if (c >= columns)                                                              \
                    break;                                                                     \
                UNROLLED for (int s = 1; s < row; s++) x =                                     \
                    PICK(x, (__m512i)(lanes){LANES(0)}, v[s]);                                 \
                _mm512_storeu_si512((char *)to[c] + i * (int64_t)sizeof(T), x);                \
            }                                                                                  \
        }                                                                                      \
        return i;                                                                              \
    }                                                                                          \
    TARGET static int64_t split_##name(const char *from, int row, int64_t n, int columns,      \
                                       void *const *to)                                        \
    {                                                                                          \
        switch (row) {                                                                         \
        case 2:                                                                                \
            return few_##name(from, 2, n, columns, to);                                        \
        case 3:                                                                                \
            return few_##name(from, 3, n, columns, to);                                        \
        case 4:                                                                                \
            return few_##name(from, 4, n, columns, to);                                        \
        case 5:                                                                                \
            return few_##name(from, 5, n, columns, to);                                        \
        case 6:                                                                                \
            return few_##name(from, 6, n, columns, to);                                        \
        case 7:                                                                                \
            return few_##name(from, 7, n, columns, to);                                        \
        case 8:                                                                                \
            return few_##name(from, 8, n, columns, to);                                        \
        default:                                                                               \
            return 0;                                                                          \
        }                                                                                      \
    }

#define F512         __attribute__((target("avx512f")))
#define BW512        __attribute__((target("avx512f,avx512bw")))
#define VBMI         __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define SIXTYFOUR(l) THIRTYTWO(l), THIRTYTWO(l + 32)
FEW(1, uint8_t, 64, SIXTYFOUR, _mm512_permutex2var_epi8, VBMI)
FEW(2, uint16_t, 32, THIRTYTWO, _mm512_permutex2var_epi16, BW512)
FEW(4, uint32_t, 16, SIXTEEN, _mm512_permutex2var_epi32, F512)
FEW(8, uint64_t, 8, EIGHT, _mm512_permutex2var_epi64, F512)

/* Squares of N rows by N elements, of which the first `columns` are stored.  A square reads N
 * elements from each row's start on, so none of the last rows is the start of one. */
#define SQUARES(name, T, N)                                                                    \
    F512 static int64_t squares_##name(const char *from, int64_t row, int64_t n, int columns,  \
                                       void *const *to)                                        \
    {                                                                                          \
        typedef T vector __attribute__((vector_size(64)));                                     \
        const int64_t size = sizeof(T), pitch = row * size, behind = (N + row - 1) / row;      \
        int64_t i = 0;                                                                         \
        for (; i + N + behind < n; i += N, from += N * pitch) {                                \
            vector v[N], w[N];                                                                 \
            UNROLLED for (int k = 0; k < N; k++) memcpy(&v[k], from + k * pitch, sizeof v[k]); \
            UNROLLED for (int k = 0; k < N; k++)                                               \
                _mm_prefetch(from + AHEAD + k * pitch, _MM_HINT_T0);                           \
            TURN(N, v, w)                                                                      \
            UNROLLED for (int k = 0; k < N; k++)                                               \
            {                                                                                  \
                if (k >= columns)                                                              \
                    break;                                                                     \
                memcpy((char *)to[k] + i * size, &v[k], sizeof v[k]);                          \
            }                                                                                  \
        }                                                                                      \
        return i;                                                                              \
    }
SQUARES(4, uint32_t, 16)
SQUARES(8, uint64_t, 8)

/* Squares side by side until all columns are stored. */
static int64_t squares(int size, const char *from, int64_t row, int64_t n, int columns,
                       void *const *to)
{
    const int side = LINE / size;
    int64_t done = 0;
    for (int c = 0; c < columns; c += side) {
        int some = columns - c < side ? columns - c : side;
        done = size == 4 ? squares_4(from + c * size, row, n, some, to + c)
                         : squares_8(from + c * size, row, n, some, to + c);
    }
    return done;
}

bool lun__column_transpose_fast(int size, int64_t row)
{
    if (size >= 4)
        return row <= LINE / size && __builtin_cpu_supports("avx512f");
    return row <= 8 &&
           (size == 2 ? __builtin_cpu_supports("avx512bw") : __builtin_cpu_supports("avx512vbmi"));
}

/* Elements of each column that shuffles have copied. */
static int64_t shuffled(int size, const char *from, int64_t row, int64_t n, int columns,
                        void *const *to)
{
    const int few = size == 4 ? 7 : size == 8 ? 4 : 8;
    if (!__builtin_cpu_supports("avx512f"))
        return 0;
    if (row > few)
        return size >= 4 ? squares(size, from, row, n, columns, to) : 0;
    if (!lun__column_transpose_fast(size, row))
        return 0;
    switch (size) {
    case 1:
        return split_1(from, (int)row, n, columns, to);
    case 2:
        return split_2(from, (int)row, n, columns, to);
    case 4:
        return split_4(from, (int)row, n, columns, to);
    default:
        return split_8(from, (int)row, n, columns, to);
    }
}
#else
bool lun__column_transpose_fast(int size, int64_t row)
{
    (void)size, (void)row;
    return false;
}

static int64_t shuffled(int size, const char *from, int64_t row, int64_t n, int columns,
                        void *const *to)
{
    (void)size, (void)from, (void)row, (void)n, (void)columns, (void)to;
    return 0;
}
#endif

bool lun__column_transpose(int size, const void *from, int64_t row, int64_t n, int columns,
                           void *const *to)
{
    int64_t done = shuffled(size, from, row, n, columns, to);
    if (!done)
        return false;
    for (int c = 0; c < columns; c++)
        plain[__builtin_ctz((unsigned)size)]((const char *)from + (done * row + c) * size, row,
                                             n - done, (char *)to[c] + done * size);
    return true;
}
