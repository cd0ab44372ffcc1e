/* keys.c - elements as unsigned keys; see keys.h.
 *
 * Of a signed integer the sign is inverted; of a float the sign where it is positive, else all
 * bits.  Descending keys are those with all bits inverted, but for NaNs. */
#include "algorithms/sort/keys.h"

#include <string.h>

enum { BLOCK = 128 };

lun_keys lun__keys(lun_dtype t, bool descending)
{
    const lun_dtype_row *row = lun__dtype_get(t);
    const int bits = 8 * row->bytes;
    const uint64_t all = ~(uint64_t)0 >> (64 - bits), sign = (uint64_t)1 << (bits - 1);
    lun_keys k = {.dtype = t, .bits = bits};
    k.down = descending ? all : 0;
    k.flip = k.down ^ (row->kind == LUN_KIND_SIGNED ? sign : 0);
    if (row->kind == LUN_KIND_FLOAT)
        k.infinity = (all >> 1) ^ (((uint64_t)1 << row->mantissa) - 1);
    return k;
}

/* RAW: the unsigned integer as wide as the elements; WHOLE: the signed one; KEY: what holds a key.
 */
#define WIDTH(ID, RAW, WHOLE, KEY)                                                        \
    static void integers_##ID(const RAW *x, int64_t n, RAW flip, KEY *to)                 \
    {                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                   \
            to[i] = (RAW)(x[i] ^ flip);                                                   \
    }                                                                                     \
    static int64_t floats_##ID(const RAW *x, int64_t n, RAW down, RAW infinity, KEY *to)  \
    {                                                                                     \
        const RAW most = (RAW) ~(RAW)0, sign = (RAW)(most ^ (most >> 1));                 \
        KEY nans = 0;                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                 \
            RAW negative = (RAW)((WHOLE)x[i] >> (8 * sizeof(RAW) - 1));                   \
            RAW above = (RAW)(infinity - (RAW)(x[i] & (RAW)~sign)); /* negative: a NaN */ \
            RAW nan = (RAW)((WHOLE)above >> (8 * sizeof(RAW) - 1));                       \
            to[i] = (RAW)((RAW)(x[i] ^ (RAW)(negative | sign) ^ down) | nan);             \
            nans += (KEY)(nan & 1);                                                       \
        }                                                                                 \
        return (int64_t)nans;                                                             \
    }                                                                                     \
    static void back_integers_##ID(const KEY *x, int64_t n, RAW flip, RAW *to)            \
    {                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                   \
            to[i] = (RAW)((RAW)x[i] ^ flip);                                              \
    }                                                                                     \
    static void back_floats_##ID(const KEY *x, int64_t n, RAW down, RAW *to)              \
    {                                                                                     \
        const RAW most = (RAW) ~(RAW)0, sign = (RAW)(most ^ (most >> 1));                 \
        for (int64_t i = 0; i < n; i++) {                                                 \
            RAW k = (RAW)((RAW)x[i] ^ down);                                              \
            RAW positive = (RAW)((WHOLE)k >> (8 * sizeof(RAW) - 1));                      \
            to[i] = (RAW)(k ^ (RAW)((RAW)~positive | sign));                              \
        }                                                                                 \
    }                                                                                     \
    static int64_t nans_##ID(const RAW *x, int64_t n, RAW infinity, RAW *to)              \
    {                                                                                     \
        const RAW most = (RAW) ~(RAW)0;                                                   \
        int64_t count = 0;                                                                \
        for (int64_t i = 0; i < n; i++)                                                   \
            if ((RAW)(x[i] & (most >> 1)) > infinity)                                     \
                to[count++] = x[i];                                                       \
        return count;                                                                     \
    }
WIDTH(8, uint8_t, int8_t, uint32_t)
WIDTH(16, uint16_t, int16_t, uint32_t)
WIDTH(32, uint32_t, int32_t, uint32_t)
WIDTH(64, uint64_t, int64_t, uint64_t)

/* The keys of n elements as uint32_t, of 64 bits as uint64_t. */
static int64_t make(const lun_keys *k, const void *x, int64_t n, void *to)
{
    switch (k->bits) {
#define CASE(BITS)                                                                                \
    case BITS:                                                                                    \
        if (k->infinity)                                                                          \
            return floats_##BITS(x, n, (uint##BITS##_t)k->down, (uint##BITS##_t)k->infinity, to); \
        integers_##BITS(x, n, (uint##BITS##_t)k->flip, to);                                       \
        return 0;
        CASE(8)
        CASE(16)
        CASE(32)
        CASE(64)
    }
    return 0;
}
#undef CASE

static void unmake(const lun_keys *k, const void *x, int64_t n, void *to)
{
    switch (k->bits) {
#define CASE(BITS)                                                   \
    case BITS:                                                       \
        if (k->infinity)                                             \
            back_floats_##BITS(x, n, (uint##BITS##_t)k->down, to);   \
        else                                                         \
            back_integers_##BITS(x, n, (uint##BITS##_t)k->flip, to); \
        break;
        CASE(8)
        CASE(16)
        CASE(32)
        CASE(64)
    }
}
#undef CASE

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t lun__keys_read(const lun_keys *k, const void *from, int64_t n, int64_t index, lun_record r,
                       void *to)
{
    uint64_t wide[BLOCK];
    uint32_t narrow[BLOCK];
    const int64_t size = k->bits / 8;
    int64_t nans = 0;
    if (k->bits == 64 ? r == LUN_RECORD_KEY64 : r == LUN_RECORD_KEY32)
        return make(k, from, n, to);
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t m = less(BLOCK, n - i);
        const void *x = (const char *)from + i * size;
        uint64_t *word = (uint64_t *)to + i;
        lun_placed *pair = (lun_placed *)to + i;
        nans += make(k, x, m, k->bits == 64 ? (void *)wide : narrow);
        if (k->bits < 64 && r != LUN_RECORD_PLACED32)
            for (int64_t j = 0; j < m; j++)
                wide[j] = narrow[j];
        if (r == LUN_RECORD_PLACED32)
            for (int64_t j = 0; j < m; j++)
                word[j] = (uint64_t)narrow[j] << 32 | (uint32_t)(index + i + j);
        else if (r == LUN_RECORD_PLACED64)
            for (int64_t j = 0; j < m; j++)
                pair[j] = (lun_placed){wide[j], (uint64_t)(index + i + j)};
    }
    return nans;
}

void lun__keys_write(const lun_keys *k, lun_record r, const void *from, int64_t n, void *to)
{
    uint64_t wide[BLOCK];
    uint32_t narrow[BLOCK];
    const int64_t size = k->bits / 8;
    if (k->bits == 64 ? r == LUN_RECORD_KEY64 : r == LUN_RECORD_KEY32) {
        unmake(k, from, n, to);
        return;
    }
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t m = less(BLOCK, n - i);
        const uint64_t *word = (const uint64_t *)from + i;
        const lun_placed *pair = (const lun_placed *)from + i;
        for (int64_t j = 0; j < m; j++)
            wide[j] = r == LUN_RECORD_PLACED64 ? pair[j].key : word[j] >> 32;
        if (k->bits < 64)
            for (int64_t j = 0; j < m; j++)
                narrow[j] = (uint32_t)wide[j];
        unmake(k, k->bits == 64 ? (void *)wide : narrow, m, (char *)to + i * size);
    }
}

void lun__keys_indices(lun_record r, const void *from, int64_t n, int64_t base, int64_t *to)
{
    const uint64_t *word = from;
    const lun_placed *pair = from;
    if (r == LUN_RECORD_PLACED32)
        for (int64_t i = 0; i < n; i++)
            to[i] = (int64_t)(uint32_t)word[i] + base;
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = (int64_t)pair[i].index + base;
}

int64_t lun__keys_nans(const lun_keys *k, const void *from, int64_t n, void *to)
{
    if (k->bits == 64)
        return nans_64(from, n, k->infinity, to);
    if (k->bits == 32)
        return nans_32(from, n, (uint32_t)k->infinity, to);
    return k->bits == 16 ? nans_16(from, n, (uint16_t)k->infinity, to)
                         : nans_8(from, n, (uint8_t)k->infinity, to);
}

uint16_t lun__keys_narrow(const lun_keys *k, uint32_t key)
{
    const uint64_t from = key; /* room for any width */
    uint64_t element = 0;
    unmake(k, &from, 1, &element);
    return (uint16_t)element;
}
