/* radix.c - digits of records; see radix.h. */
#include "algorithms/sort/radix.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Both at multiples of LUN_LINE. */
static inline void write_line(char *to, const char *from, bool stream)
{
#ifdef __SSE2__
    if (stream) {
        for (int i = 0; i < LUN_LINE; i += 16)
            _mm_stream_si128((__m128i *)(void *)(to + i),
                             _mm_load_si128((const __m128i *)(const void *)(from + i)));
        return;
    }
#endif
    (void)stream;
    memcpy(to, from, LUN_LINE);
}

static inline void fence(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* A line of a digit is full: up to `end`. */
static inline void leave_line(lun_spread *to, uint32_t digit, char *end)
{
    char *begin = end - LUN_LINE, *first = to->first[digit];
    if (begin >= first)
        write_line(begin, to->line[digit], to->stream);
    else
        memcpy(first, to->line[digit] + (first - begin), (size_t)(end - first));
}

static void flush(uint32_t mask, lun_spread *to)
{
    for (uint32_t d = 0; d <= mask; d++) {
        char *at = to->at[d], *begin = at - (uintptr_t)at % LUN_LINE;
        if (begin < to->first[d])
            memcpy(to->first[d], to->line[d] + (to->first[d] - begin), (size_t)(at - to->first[d]));
        else
            memcpy(begin, to->line[d], (size_t)(at - begin));
    }
    fence();
}

/* Bits of each of two digits by which n records are all but sorted, if their keys are random. */
static int digit_for(int64_t n)
{
    int bits = 64 - __builtin_clzll((uint64_t)n) - 1;
    return bits < 4 ? 4 : bits > LUN_DIGIT ? LUN_DIGIT : bits;
}

#define ID         key32
#define RECORD     uint32_t
#define WORD       uint32_t
#define KEY(r)     (r)
#define LESS(a, b) ((a) < (b))
#define LAST(s)    ((uint32_t)(s)->last[0])
#define KEEP(s, r) ((s)->last[0] = (r))
#define LOW        0
#include "algorithms/sort/radix_of.h"

#define ID         key64
#define RECORD     uint64_t
#define WORD       uint64_t
#define KEY(r)     (r)
#define LESS(a, b) ((a) < (b))
#define LAST(s)    ((s)->last[0])
#define KEEP(s, r) ((s)->last[0] = (r))
#define LOW        0
#include "algorithms/sort/radix_of.h"

/* Indices ascend, so whole words do where keys are equal. */
#define ID         placed32
#define RECORD     uint64_t
#define WORD       uint64_t
#define KEY(r)     (r)
#define LESS(a, b) ((a) < (b))
#define LAST(s)    ((s)->last[0])
#define KEEP(s, r) ((s)->last[0] = (r))
#define LOW        32
#include "algorithms/sort/radix_of.h"

#define ID         placed64
#define RECORD     lun_placed
#define WORD       uint64_t
#define KEY(r)     ((r).key)
#define LESS(a, b) ((a).key < (b).key)
#define LAST(s)    ((lun_placed){(s)->last[0], (s)->last[1]})
#define KEEP(s, r) ((s)->last[0] = (r).key, (s)->last[1] = (r).index)
#define LOW        0
#include "algorithms/sort/radix_of.h"

#define ROW(id, size, lowest)                                                                  \
    {                                                                                          \
        .bytes = size, .low = lowest, .see = see_##id, .count = count_##id, .mark = mark_##id, \
        .spread = spread_##id, .flush = flush, .settle = settle_##id                           \
    }
const lun_radix lun__radix[4] = {ROW(key32, 4, 0), ROW(key64, 8, 0), ROW(placed32, 8, 32),
                                 ROW(placed64, 16, 0)};
