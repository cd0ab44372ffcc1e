/* pack_block.c - the elements of a block where a bool is true, side by side: in vector registers
 * where the CPU compresses there, else one by one without a branch.  Knows no threads. */
#include "algorithms/compress_chunks.h"

#include "isa/isa.h"

/* Behind the last of `count` elements nothing may be written: what is not kept is written again. */
#define PACK(name, type)                                                                       \
    static void name(const void *in, const uint8_t *mask, int64_t n, void *out, int64_t count) \
    {                                                                                          \
        const type *from = in;                                                                 \
        type *to = out;                                                                        \
        for (int64_t i = 0, at = 0; at < count && i < n; i++) {                                \
            to[at] = from[i];                                                                  \
            at += mask[i];                                                                     \
        }                                                                                      \
    }
PACK(pack_1, uint8_t)
PACK(pack_2, uint16_t)
PACK(pack_4, uint32_t)
PACK(pack_8, uint64_t)

static void number(int64_t first, const uint8_t *mask, int64_t n, int64_t *to, int64_t count)
{
    for (int64_t i = 0, at = 0; at < count && i < n; i++) {
        to[at] = first + i;
        at += mask[i];
    }
}

#ifdef __x86_64__
#include <immintrin.h>

/* Compressed into a register and stored whole: the instruction that stores is slow on some CPUs.
 * The last ones are stored under a mask. */
#define WIDE(name, target_, type, lanes, of_mask, load, compress, store, store_some)       \
    __attribute__((target(target_))) static void name(const void *in, const uint8_t *mask, \
                                                      int64_t n, void *out, int64_t count) \
    {                                                                                      \
        const type *from = in;                                                             \
        type *to = out;                                                                    \
        int64_t i = 0, at = 0;                                                             \
        for (; i + (lanes) <= n && at + (lanes) <= count; i += (lanes)) {                  \
            uint64_t kept = of_mask(mask + i);                                             \
            store(to + at, compress(kept, load(from + i)));                                \
            at += __builtin_popcountll(kept);                                              \
        }                                                                                  \
        for (; i + (lanes) <= n && at < count; i += (lanes)) {                             \
            uint64_t kept = of_mask(mask + i);                                             \
            int made = __builtin_popcountll(kept);                                         \
            uint64_t some = made < 64 ? (UINT64_C(1) << made) - 1 : ~UINT64_C(0);          \
            store_some(to + at, some, compress(kept, load(from + i)));                     \
            at += made;                                                                    \
        }                                                                                  \
        for (; i < n && at < count; i++) {                                                 \
            to[at] = from[i];                                                              \
            at += mask[i];                                                                 \
        }                                                                                  \
    }

#define F512 "avx512f,avx512bw,avx512vl,avx512dq"
#define V512 F512 ",avx512vbmi2"

__attribute__((target(F512))) static inline uint64_t mask_8(const uint8_t *m)
{
    __m128i bytes = _mm_loadl_epi64((const void *)m);
    return _mm_test_epi8_mask(bytes, bytes) & 0xff;
}
__attribute__((target(F512))) static inline uint64_t mask_16(const uint8_t *m)
{
    __m128i bytes = _mm_loadu_si128((const void *)m);
    return _mm_test_epi8_mask(bytes, bytes);
}
__attribute__((target(F512))) static inline uint64_t mask_32(const uint8_t *m)
{
    __m256i bytes = _mm256_loadu_si256((const void *)m);
    return _mm256_test_epi8_mask(bytes, bytes);
}
__attribute__((target(F512))) static inline uint64_t mask_64(const uint8_t *m)
{
    __m512i bytes = _mm512_loadu_si512(m);
    return _mm512_test_epi8_mask(bytes, bytes);
}

#define COMPRESS_8(k, v) _mm512_maskz_compress_epi64((__mmask8)(k), v)
#define COMPRESS_4(k, v) _mm512_maskz_compress_epi32((__mmask16)(k), v)
#define COMPRESS_2(k, v) _mm512_maskz_compress_epi16((__mmask32)(k), v)
#define COMPRESS_1(k, v) _mm512_maskz_compress_epi8((__mmask64)(k), v)
#define STORE_8(p, k, v) _mm512_mask_storeu_epi64(p, (__mmask8)(k), v)
#define STORE_4(p, k, v) _mm512_mask_storeu_epi32(p, (__mmask16)(k), v)
#define STORE_2(p, k, v) _mm512_mask_storeu_epi16(p, (__mmask32)(k), v)
#define STORE_1(p, k, v) _mm512_mask_storeu_epi8(p, (__mmask64)(k), v)
WIDE(wide_8, F512, uint64_t, 8, mask_8, _mm512_loadu_si512, COMPRESS_8, _mm512_storeu_si512,
     STORE_8)
WIDE(wide_4, F512, uint32_t, 16, mask_16, _mm512_loadu_si512, COMPRESS_4, _mm512_storeu_si512,
     STORE_4)
WIDE(wide_2, V512, uint16_t, 32, mask_32, _mm512_loadu_si512, COMPRESS_2, _mm512_storeu_si512,
     STORE_2)
WIDE(wide_1, V512, uint8_t, 64, mask_64, _mm512_loadu_si512, COMPRESS_1, _mm512_storeu_si512,
     STORE_1)

__attribute__((target(F512))) static void wide_number(int64_t first, const uint8_t *mask, int64_t n,
                                                      int64_t *to, int64_t count)
{
    __m512i indices =
        _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    int64_t i = 0, at = 0;
    for (; i + 8 <= n && at + 8 <= count; i += 8) {
        uint64_t kept = mask_8(mask + i);
        _mm512_storeu_si512(to + at, COMPRESS_8(kept, indices));
        indices = _mm512_add_epi64(indices, _mm512_set1_epi64(8));
        at += __builtin_popcountll(kept);
    }
    number(first + i, mask + i, n - i, to + at, count - at);
}
#endif

lun_packer lun__pack_block_elements(int bytes)
{
#ifdef __x86_64__
    if (lun__isa_here() == LUN_ISA_AVX512) {
        if (bytes >= 4)
            return bytes == 8 ? wide_8 : wide_4;
        if (__builtin_cpu_supports("avx512vbmi2"))
            return bytes == 2 ? wide_2 : wide_1;
    }
#endif
    return bytes == 8 ? pack_8 : bytes == 4 ? pack_4 : bytes == 2 ? pack_2 : pack_1;
}

lun_numberer lun__pack_block_numbers(void)
{
#ifdef __x86_64__
    if (lun__isa_here() == LUN_ISA_AVX512)
        return wide_number;
#endif
    return number;
}
