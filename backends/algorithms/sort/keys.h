/* keys.h - elements as unsigned keys in the order of sort.h, and back.  Private to algorithms/. */
#ifndef LUN_KEYS_H
#define LUN_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "table/dtype.h"

/* A key and the index of its element. */
typedef struct lun_placed {
    uint64_t key, index;
} lun_placed;

/* What is sorted instead of elements. */
typedef enum lun_record {
    LUN_RECORD_KEY32,    /* uint32_t: the key of an element of at most 32 bits */
    LUN_RECORD_KEY64,    /* uint64_t: a key */
    LUN_RECORD_PLACED32, /* uint64_t: such a key in the upper half, its index in the lower one */
    LUN_RECORD_PLACED64  /* lun_placed */
} lun_record;

/* The keys of a dtype in one direction. */
typedef struct lun_keys {
    lun_dtype dtype;
    int bits;            /* of a key; NaNs have all of them set, and nothing else has */
    uint64_t flip, down; /* of integers, floats: what is inverted */
    uint64_t infinity;   /* of floats, without its sign; else 0 */
} lun_keys;

static inline int64_t lun__key_bytes(lun_record r)
{
    return r == LUN_RECORD_KEY32 ? 4 : r == LUN_RECORD_PLACED64 ? 16 : 8;
}

lun_keys lun__keys(lun_dtype t, bool descending);

/* The key of an element, given by its bits. */
static inline uint64_t lun__key(const lun_keys *k, uint64_t raw)
{
    const uint64_t sign = (uint64_t)1 << (k->bits - 1), all = sign | (sign - 1);
    if (!k->infinity)
        return raw ^ k->flip;
    if ((raw & ~sign) > k->infinity)
        return all;
    return (raw & sign ? raw ^ all : raw | sign) ^ k->down;
}

static inline uint64_t lun__key_nan(const lun_keys *k)
{
    const uint64_t sign = (uint64_t)1 << (k->bits - 1);
    return sign | (sign - 1);
}

/* The bits of the element of a key; of ascending floats that are no NaN. */
static inline uint64_t lun__key_raw(const lun_keys *k, uint64_t key)
{
    const uint64_t sign = (uint64_t)1 << (k->bits - 1);
    if (!k->infinity)
        return key ^ k->flip;
    return key & sign ? key ^ sign : key ^ lun__key_nan(k);
}

/* The records of n elements, whose indices begin with `index`; how many are NaN. */
int64_t lun__keys_read(const lun_keys *k, const void *from, int64_t n, int64_t index, lun_record r,
                       void *to);
/* The elements of n records; any NaN for NaNs.  `to` may be `from` where both are as wide. */
void lun__keys_write(const lun_keys *k, lun_record r, const void *from, int64_t n, void *to);
/* The indices of n placed records, plus `base`.  `to` may be `from` of PLACED32. */
void lun__keys_indices(lun_record r, const void *from, int64_t n, int64_t base, int64_t *to);
/* The NaNs among n elements, in their order; how many. */
int64_t lun__keys_nans(const lun_keys *k, const void *from, int64_t n, void *to);
/* The element, of at most 16 bits, of a key. */
uint16_t lun__keys_narrow(const lun_keys *k, uint32_t key);

#endif
