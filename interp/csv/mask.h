/* mask.h - which of 64 bytes are of a kind, one bit for each. SSE2 where the machine has it (every
 * x86-64), arithmetic on words elsewhere. */
#ifndef LUN_CSV_MASK_H
#define LUN_CSV_MASK_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef struct lun__csv_mask {
    uint64_t separators, quotes, newlines, returns;
} lun__csv_mask;

#ifdef __SSE2__

typedef struct lun__csv_block {
    __m128i part[4];
} lun__csv_block;

static inline lun__csv_block lun__csv_mask_load(const char *p)
{
    lun__csv_block b;
    for (int i = 0; i < 4; i++)
        b.part[i] = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
    return b;
}

static inline uint64_t lun__csv_mask_equal(lun__csv_block b, char c)
{
    const __m128i all = _mm_set1_epi8(c);
    uint64_t m = 0;
    for (int i = 0; i < 4; i++)
        m |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(b.part[i], all)) << 16 * i;
    return m;
}

/* Bytes of 0x80 and above. */
static inline uint64_t lun__csv_mask_high(lun__csv_block b)
{
    uint64_t m = 0;
    for (int i = 0; i < 4; i++)
        m |= (uint64_t)(uint32_t)_mm_movemask_epi8(b.part[i]) << 16 * i;
    return m;
}

#else

typedef struct lun__csv_block {
    uint64_t part[8];
} lun__csv_block;

static inline lun__csv_block lun__csv_mask_load(const char *p)
{
    lun__csv_block b;
    memcpy(b.part, p, sizeof b.part);
    return b;
}

/* The top bits of eight bytes side by side. */
static inline uint64_t lun__csv_mask_gather(uint64_t tops)
{
    return (tops >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t lun__csv_mask_equal(lun__csv_block b, char c)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t m = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t x = b.part[i] ^ ones * (unsigned char)c;
        m |= lun__csv_mask_gather(~(((x & low) + low) | x | low)) << 8 * i;
    }
    return m;
}

static inline uint64_t lun__csv_mask_high(lun__csv_block b)
{
    uint64_t m = 0;
    for (int i = 0; i < 8; i++)
        m |= lun__csv_mask_gather(b.part[i] & UINT64_C(0x8080808080808080)) << 8 * i;
    return m;
}

#endif

static inline lun__csv_mask lun__csv_mask_look(const char *p, char separator, char quote)
{
    lun__csv_block b = lun__csv_mask_load(p);
    return (lun__csv_mask){.separators = lun__csv_mask_equal(b, separator),
                           .quotes = lun__csv_mask_equal(b, quote),
                           .newlines = lun__csv_mask_equal(b, '\n'),
                           .returns = lun__csv_mask_equal(b, '\r')};
}

/* Bit i: whether an odd number of bits 0 .. i is set. */
static inline uint64_t lun__csv_mask_odd(uint64_t m)
{
    for (int shift = 1; shift < 64; shift *= 2)
        m ^= m << shift;
    return m;
}

/* The first `count` bits, fewer than 64. */
static inline uint64_t lun__csv_mask_first(int64_t count)
{
    return (UINT64_C(1) << count) - 1;
}

#endif
