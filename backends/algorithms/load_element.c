/* load_element.c - elements of any dtype as the few types in which algorithms compute; see
 * load_element.h. */
#include "algorithms/load_element.h"

#include <string.h>

#include "table/dtype.h"
#include "table/floats.h"

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Negative numbers with all bits turned, the others above them. */
static inline uint64_t float_key(double x)
{
    uint64_t bits = bits_of(x + 0.0); /* -0.0 + 0.0 is 0.0 */
    bits ^= (uint64_t)((int64_t)bits >> 63) | (uint64_t)1 << 63;
    return x == x ? bits : UINT64_MAX;
}

static inline double widened(uint16_t bits, int exponent, int mantissa)
{
    uint32_t wide = lun__float_widen(bits, exponent, mantissa);
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

/* The case of a dtype whose elements are of type T in memory: `value` of each to `to`. */
#define LOAD(id, T, value)                      \
    case LUN_##id: {                            \
        const T *x = (const T *)c->data + from; \
        for (int64_t i = 0; i < n; i++)         \
            to[i] = value;                      \
        break;                                  \
    }
#define KEY_BOOL(x)          (x)
#define KEY_UNSIGNED(x)      (x)
#define KEY_SIGNED(x)        ((uint64_t)(int64_t)(x) ^ (uint64_t)1 << 63)
#define KEY_FLOAT(x)         float_key(x)
#define READ_PLAIN(x, e, m)  (x)
#define READ_STORED(x, e, m) widened(x, e, m)
#define INTEGER_BOOL(x)      (x)
#define INTEGER_UNSIGNED(x)  (x)
#define INTEGER_SIGNED(x)    ((uint64_t)(int64_t)(x))
#define INTEGER_FLOAT(x)     (uint64_t)(int64_t)(x)

#define LUN_DTYPE(id, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, ...) \
    LOAD(id, ctype, KEY_##kind(READ_##form(x[i], exponent, mantissa)))
void lun__load_keys(const lun_column *c, int64_t from, int64_t n, uint64_t *to)
{
    switch (c->dtype) {
#include "table/dtypes.def"
    default:
        break;
    }
}
#undef LUN_DTYPE

/* Integers are compared as they are, floats by their keys. */
#define RANGE_FLOAT(ctype, READ)                    \
    for (int64_t i = 0; i < n; i++) {               \
        const uint64_t k = float_key((double)READ); \
        least = k < least ? k : least;              \
        greatest = k > greatest ? k : greatest;     \
    }
#define RANGE_INTEGER(ctype, KEY)            \
    ctype small = x[0], large = x[0];        \
    for (int64_t i = 0; i < n; i++) {        \
        small = x[i] < small ? x[i] : small; \
        large = x[i] > large ? x[i] : large; \
    }                                        \
    least = KEY(small);                      \
    greatest = KEY(large);
#define RANGE_BOOL(ctype, READ)     RANGE_INTEGER(uint8_t, KEY_BOOL)
#define RANGE_UNSIGNED(ctype, READ) RANGE_INTEGER(ctype, KEY_UNSIGNED)
#define RANGE_SIGNED(ctype, READ)   RANGE_INTEGER(ctype, KEY_SIGNED)
#define LUN_DTYPE(id, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, ...) \
    case LUN_##id: {                                                                        \
        const ELEMENT_##kind(ctype) *x = (const ELEMENT_##kind(ctype) *)c->data + from;     \
        RANGE_##kind(ctype, READ_##form(x[i], exponent, mantissa)) break;                   \
    }
#define ELEMENT_BOOL(ctype)     uint8_t
#define ELEMENT_UNSIGNED(ctype) ctype
#define ELEMENT_SIGNED(ctype)   ctype
#define ELEMENT_FLOAT(ctype)    ctype
void lun__load_range(const lun_column *c, int64_t from, int64_t n, uint64_t *low, uint64_t *high)
{
    uint64_t least = *low, greatest = *high;
    if (n == 0)
        return;
    switch (c->dtype) {
#include "table/dtypes.def"
    default:
        break;
    }
    *low = least < *low ? least : *low;
    *high = greatest > *high ? greatest : *high;
}
#undef LUN_DTYPE

/* The lower bits of the difference do not ask for the upper ones. */
#define OFFSET_BOOL(x)     (uint32_t)(x)
#define OFFSET_UNSIGNED(x) (uint32_t)(x)
#define OFFSET_SIGNED(x)   (uint32_t)(x)
#define OFFSET_FLOAT(x)    (uint32_t) float_key(x)
#define LUN_DTYPE(id, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, ...) \
    LOAD(id, ELEMENT_##kind(ctype),                                                         \
         OFFSET_##kind(READ_##form(x[i], exponent, mantissa)) - (uint32_t)low)
void lun__load_offsets(const lun_column *c, int64_t from, int64_t n, uint64_t low, uint32_t *to)
{
    switch (c->dtype) {
#include "table/dtypes.def"
    default:
        break;
    }
}
#undef LUN_DTYPE

#define LUN_DTYPE(id, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, ...) \
    LOAD(id, ctype, (double)READ_##form(x[i], exponent, mantissa))
static void load_floats(const lun_column *c, int64_t from, int64_t n, double *to)
{
    switch (c->dtype) {
#include "table/dtypes.def"
    default:
        break;
    }
}
#undef LUN_DTYPE

#define LUN_DTYPE(id, name, ctype, utype, bytes, kind, rank, exponent, mantissa, form, ...) \
    LOAD(id, ctype, INTEGER_##kind(READ_##form(x[i], exponent, mantissa)))
static void load_integers(const lun_column *c, int64_t from, int64_t n, uint64_t *to)
{
    switch (c->dtype) {
#include "table/dtypes.def"
    default:
        break;
    }
}
#undef LUN_DTYPE

void lun__load_values(const lun_column *c, int64_t from, int64_t n, bool as_floats, void *to)
{
    if (as_floats)
        load_floats(c, from, n, to);
    else
        load_integers(c, from, n, to);
}

void lun__load_values_back(lun_dtype t, const void *from, bool from_floats, int64_t n, void *to)
{
    const int bytes = lun__dtype_get(t)->bytes;
    for (int64_t i = 0; i < n; i++) {
        uint64_t cell;
        memcpy(&cell, (const char *)from + 8 * i, sizeof cell);
        cell = lun__dtype_cell_cast(t, from_floats ? LUN_F64 : LUN_I64, cell);
        memcpy((char *)to + bytes * i, &cell, (size_t)bytes);
    }
}
