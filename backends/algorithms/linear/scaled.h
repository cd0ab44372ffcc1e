/* scaled.h - matrices times a power of 2 by which their greatest element is about 1, whose squares
 * neither vanish nor overflow. */
#ifndef LUN_SCALED_H
#define LUN_SCALED_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A power of 2: its exponent, and its value, or 0 where that is no f64. */
typedef struct lun_scale {
    int exponent;
    double value;
} lun_scale;

static inline lun_scale lun__scaled_power(int exponent)
{
    return (lun_scale){exponent, exponent > -1000 && exponent < 1000 ? ldexp(1, exponent) : 0};
}

/* exponent: that of the greatest of the elements of rows 0 .. rows - 1, of row i the first i + 1,
 * or with `whole` all n; with two lanes rows of real and of imaginary parts.  False: there is NaN
 * or infinity.  by: x times a power. */
#define LUN_SCALED(T, X)                                                                  \
    static inline bool lun__scaled_exponent_##X(const T *from, int64_t rows, int64_t n,   \
                                                bool whole, int lanes, int *exponent)     \
    {                                                                                     \
        T most = 0;                                                                       \
        for (int64_t i = 0; i < rows; i++)                                                \
            for (int64_t j = 0; j < (whole ? n : i / lanes + 1); j++) {                   \
                const T x = from[i * n + j], modulus = x < 0 ? -x : x;                    \
                if (x - x != 0)                                                           \
                    return false;                                                         \
                most = modulus > most ? modulus : most;                                   \
            }                                                                             \
        frexp((double)most, exponent);                                                    \
        return true;                                                                      \
    }                                                                                     \
    static inline T lun__scaled_by_##X(T x, lun_scale by)                                 \
    {                                                                                     \
        return (T)(by.value != 0 ? (double)x * by.value : ldexp((double)x, by.exponent)); \
    }
LUN_SCALED(double, f64)
LUN_SCALED(float, f32)
#undef LUN_SCALED

#endif
