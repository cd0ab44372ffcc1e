/* floats.h - floats.def compiled for single elements: bits of a STORED float with so many exponent
 * and mantissa bits to those of a PLAIN one and back.  Knows no dtype. */
#ifndef LUN_FLOATS_H
#define LUN_FLOATS_H

#include <stdint.h>
#include <string.h>

#define LUN__FLOAT_SUM(name, word, type, sign)                             \
    static inline __attribute__((always_inline)) word name(word x, word y) \
    {                                                                      \
        type a, b;                                                         \
        memcpy(&a, &x, sizeof a);                                          \
        memcpy(&b, &y, sizeof b);                                          \
        a = a sign b;                                                      \
        memcpy(&x, &a, sizeof x);                                          \
        return x;                                                          \
    }
LUN__FLOAT_SUM(lun__float_add32, uint32_t, float, +)
LUN__FLOAT_SUM(lun__float_sub32, uint32_t, float, -)
LUN__FLOAT_SUM(lun__float_add64, uint64_t, double, +)
#undef LUN__FLOAT_SUM

#define BELOW(x, y) ((WORD)0 - (((x) - (y)) >> (WIDE_E + WIDE_M)))

/* Of a float in f32. */
static inline __attribute__((always_inline)) uint32_t lun__float_widen(uint32_t u, int SMALL_E,
                                                                       int SMALL_M)
{
    typedef uint32_t WORD, WORDS;
    enum { WIDE_E = 8, WIDE_M = 23 };
    WORDS r;
#define SUB(x, y)            lun__float_sub32(x, y)
#define LUN_FLOAT_WIDEN(...) __VA_ARGS__
#define LUN_FLOAT_NARROW(...)
#include "table/floats.def"
#undef LUN_FLOAT_WIDEN
#undef LUN_FLOAT_NARROW
#undef SUB
    return r;
}

#define LUN_FLOAT_WIDEN(...)
#define LUN_FLOAT_NARROW(...) __VA_ARGS__

/* From the bits of an f32. */
static inline __attribute__((always_inline)) uint32_t lun__float_narrow32(uint32_t u, int SMALL_E,
                                                                          int SMALL_M)
{
    typedef uint32_t WORD, WORDS;
    enum { WIDE_E = 8, WIDE_M = 23 };
    WORDS r;
#define ADD(x, y) lun__float_add32(x, y)
#include "table/floats.def"
#undef ADD
    return r;
}

/* From the bits of an f64. */
static inline __attribute__((always_inline)) uint64_t lun__float_narrow64(uint64_t u, int SMALL_E,
                                                                          int SMALL_M)
{
    typedef uint64_t WORD, WORDS;
    enum { WIDE_E = 11, WIDE_M = 52 };
    WORDS r;
#define ADD(x, y) lun__float_add64(x, y)
#include "table/floats.def"
#undef ADD
    return r;
}

#undef LUN_FLOAT_WIDEN
#undef LUN_FLOAT_NARROW
#undef BELOW

#endif
