/* quantile_of.h - which elements in order a quantile lies between, and where.  Private to the
 * room. */
#ifndef LUN_QUANTILE_OF_H
#define LUN_QUANTILE_OF_H

#include <stdint.h>

/* The element below a part q of n numbers, and how far it is to the next one. */
static inline int64_t lun__quantile_of_place(double q, int64_t n, double *part)
{
    const double at = q * (double)(n - 1);
    const int64_t below = at < (double)(n - 1) ? (int64_t)at : n - 1;
    *part = at - (double)below;
    return below;
}

/* Between a and b, a <= b, at 0 < part < 1.  Where the difference is no number of f64, because an
 * end is infinite or huge ends have opposite signs, it is the sum of weighted ends, which cannot
 * overflow: an infinite end stays, between both infinities is NaN.  Equal ends give their value. */
static inline double lun__quantile_of_between(double a, double b, double part)
{
    const double step = b - a;
    if (a == b)
        return a;
    if (!__builtin_isfinite(step))
        return a * (1 - part) + b * part;
    return part < 0.5 ? a + step * part : b - step * (1 - part);
}

#endif
