/* deinterleave.c - every third or fourth element of a row, by shuffles of whole vectors; see
 * plane.h.
 *
 * Channels of pictures and columns of narrow tables are read so.  Vectors have 16 bytes, and 64
 * where the processor can and two of them hold the elements of one shuffle by 4 or 8 bytes. */
#include "base/layout/plane.h"

#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 12) /* __builtin_shufflevector */

/* Elements 0, 2, ... of two vectors of N. */
#define EVEN_2(a, b) __builtin_shufflevector(a, b, 0, 2)
#define EVEN_4(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define EVEN_8(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define EVEN_16(a, b) \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)

/* Elements 0, 3, ... of three vectors of N: those of the first two, then those of the third. */
#define THIRD_2(a, b, c) ((void)(c), __builtin_shufflevector(a, b, 0, 3))
#define THIRD_4(a, b, c) \
    __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, -1), c, 0, 1, 2, 5)
#define THIRD_8(a, b, c)                                                                           \
    __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, -1, -1), c, 0, 1, 2, \
                            3, 4, 5, 10, 13)
#define THIRD_16(a, b, c)                                                                          \
    __builtin_shufflevector(                                                                       \
        __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, -1, -1, -1, -1, -1), \
        c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29)

/* Whole vectors of the result; of each, all the elements from its first to its last are read, and
 * up to step - 1 behind that. */
#define EVERY(name, T, N, TARGET)                                                               \
    typedef T vector_##name __attribute__((vector_size(N * sizeof(T)), may_alias, aligned(1))); \
    TARGET static int64_t thirds_##name(int64_t n, void *packed, const void *strided)           \
    {                                                                                           \
        vector_##name *to = packed;                                                             \
        const vector_##name *from = strided;                                                    \
        int64_t i = 0;                                                                          \
        for (; i + N < n; i += N, from += 3)                                                    \
            *to++ = THIRD_##N(from[0], from[1], from[2]);                                       \
        return i;                                                                               \
    }                                                                                           \
    TARGET static int64_t fourths_##name(int64_t n, void *packed, const void *strided)          \
    {                                                                                           \
        vector_##name *to = packed;                                                             \
        const vector_##name *from = strided;                                                    \
        int64_t i = 0;                                                                          \
        for (; i + N < n; i += N, from += 4) {                                                  \
            vector_##name low = EVEN_##N(from[0], from[1]), high = EVEN_##N(from[2], from[3]);  \
            *to++ = EVEN_##N(low, high);                                                        \
        }                                                                                       \
        return i;                                                                               \
    }

#define NARROW __attribute__((target("ssse3")))
#define WIDE   __attribute__((target("avx512f")))
EVERY(1, uint8_t, 16, NARROW)
EVERY(2, uint16_t, 8, NARROW)
EVERY(4, uint32_t, 4, NARROW)
EVERY(8, uint64_t, 2, NARROW)
EVERY(4_wide, uint32_t, 16, WIDE)
EVERY(8_wide, uint64_t, 8, WIDE)

typedef int64_t every_fn(int64_t n, void *to, const void *from);
static every_fn *const narrow[][2] = {
    {thirds_1, fourths_1}, {thirds_2, fourths_2}, {thirds_4, fourths_4}, {thirds_8, fourths_8}};
static every_fn *const wide[][2] = {{thirds_4_wide, fourths_4_wide},
                                    {thirds_8_wide, fourths_8_wide}};

int64_t lun__deinterleave(int size, int64_t step, int64_t n, void *to, const void *from)
{
    if (step < 3 || step > 4 || !__builtin_cpu_supports("ssse3"))
        return 0;
    if (size >= 4 && n > 64 && __builtin_cpu_supports("avx512f"))
        return wide[size == 8][step - 3](n, to, from);
    return narrow[__builtin_ctz((unsigned)size)][step - 3](n, to, from);
}

#else

int64_t lun__deinterleave(int size, int64_t step, int64_t n, void *to, const void *from)
{
    (void)size, (void)step, (void)n, (void)to, (void)from;
    return 0;
}

#endif
