/* reference_atomics.c - atomic operations on elements of memory, one after the other; see
 * write_program.h. */
#include "reference/write_program.h"

#include <string.h>

#include "table/floats.h"

/* Again until no other thread has come between. */
#define ATOMIC(T, name, result)                                                                \
    static void name##_##T(void *slot, void *vd, const void *va, const int64_t *at,            \
                           const void *vc, const uint8_t *mask, int64_t n)                     \
    {                                                                                          \
        T *memory = slot, *d = vd;                                                             \
        const T *x = va, *expected = vc;                                                       \
        (void)expected;                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                      \
            T a, r;                                                                            \
            const T b = x[i];                                                                  \
            if (mask && !mask[i])                                                              \
                continue;                                                                      \
            __atomic_load(&memory[at[i]], &a, __ATOMIC_RELAXED);                               \
            do                                                                                 \
                r = (result);                                                                  \
            while (!__atomic_compare_exchange(&memory[at[i]], &a, &r, false, __ATOMIC_RELAXED, \
                                              __ATOMIC_RELAXED));                              \
            d[i] = a;                                                                          \
        }                                                                                      \
    }

#define BOTH(T)            \
    ATOMIC(T, exchange, b) \
    ATOMIC(T, cas, memcmp(&a, &expected[i], sizeof a) ? a : b)
#define INTEGER(T, U)                \
    BOTH(T)                          \
    ATOMIC(T, add, (T)((U)a + (U)b)) \
    ATOMIC(T, sub, (T)((U)a - (U)b)) \
    ATOMIC(T, min, a < b ? a : b)    \
    ATOMIC(T, max, a > b ? a : b)    \
    ATOMIC(T, band, a &b)            \
    ATOMIC(T, bor, a | b)            \
    ATOMIC(T, bxor, a ^ b)
#define REAL(T)                             \
    BOTH(T)                                 \
    ATOMIC(T, add, a + b)                   \
    ATOMIC(T, sub, a - b)                   \
    ATOMIC(T, min, a < b || a != a ? a : b) \
    ATOMIC(T, max, a > b || a != a ? a : b)

/* Bits of floats that are computed in f32: as f32, and back. */
#define NARROW(OF, E, M)                                                                \
    typedef uint16_t OF##_bits;                                                         \
    static float OF##_of(OF##_bits u)                                                   \
    {                                                                                   \
        const uint32_t wide = lun__float_widen(u, E, M);                                \
        float x;                                                                        \
        memcpy(&x, &wide, sizeof x);                                                    \
        return x;                                                                       \
    }                                                                                   \
    static OF##_bits OF##_to(float x)                                                   \
    {                                                                                   \
        uint32_t wide;                                                                  \
        memcpy(&wide, &x, sizeof wide);                                                 \
        return (OF##_bits)lun__float_narrow32(wide, E, M);                              \
    }                                                                                   \
    BOTH(OF##_bits)                                                                     \
    ATOMIC(OF##_bits, add, OF##_to(OF##_of(a) + OF##_of(b)))                            \
    ATOMIC(OF##_bits, sub, OF##_to(OF##_of(a) - OF##_of(b)))                            \
    ATOMIC(OF##_bits, min, OF##_of(a) < OF##_of(b) || OF##_of(a) != OF##_of(a) ? a : b) \
    ATOMIC(OF##_bits, max, OF##_of(a) > OF##_of(b) || OF##_of(a) != OF##_of(a) ? a : b)

INTEGER(int8_t, uint32_t)
INTEGER(uint8_t, uint32_t)
INTEGER(int16_t, uint32_t)
INTEGER(uint16_t, uint32_t)
INTEGER(int32_t, uint32_t)
INTEGER(uint32_t, uint32_t)
INTEGER(int64_t, uint64_t)
INTEGER(uint64_t, uint64_t)
REAL(float)
REAL(double)
NARROW(f16, 5, 10)
NARROW(bf16, 8, 7)

#define REAL_ROW(T)                                                                     \
    [LUN_ATOMIC_ADD] = add_##T, [LUN_ATOMIC_SUB] = sub_##T, [LUN_ATOMIC_MIN] = min_##T, \
    [LUN_ATOMIC_MAX] = max_##T, [LUN_ATOMIC_EXCHANGE] = exchange_##T, [LUN_ATOMIC_CAS] = cas_##T
#define INTEGER_ROW(T)                                                     \
    REAL_ROW(T), [LUN_ATOMIC_BAND] = band_##T, [LUN_ATOMIC_BOR] = bor_##T, \
                 [LUN_ATOMIC_BXOR] = bxor_##T

lun_loop_atomic *lun__reference_atomic_loop(lun_atomic which, lun_dtype t)
{
    static lun_loop_atomic *const rows[LUN_DTYPE_COUNT][LUN_ATOMIC_COUNT] = {
        [LUN_I8] = {INTEGER_ROW(int8_t)},   [LUN_U8] = {INTEGER_ROW(uint8_t)},
        [LUN_I16] = {INTEGER_ROW(int16_t)}, [LUN_U16] = {INTEGER_ROW(uint16_t)},
        [LUN_F16] = {REAL_ROW(f16_bits)},   [LUN_BF16] = {REAL_ROW(bf16_bits)},
        [LUN_I32] = {INTEGER_ROW(int32_t)}, [LUN_U32] = {INTEGER_ROW(uint32_t)},
        [LUN_I64] = {INTEGER_ROW(int64_t)}, [LUN_U64] = {INTEGER_ROW(uint64_t)},
        [LUN_F32] = {REAL_ROW(float)},      [LUN_F64] = {REAL_ROW(double)},
    };
    return rows[t][which];
}
