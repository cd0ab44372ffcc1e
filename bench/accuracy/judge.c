/* judge.c - errors in units of the last place. Infinity stands for the first number that is too
 * large, so that results at the edge of the range are judged like others; NaN for a number, the
 * wrong infinity or the wrong sign of zero are wrong in kind and count as infinitely far. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "accuracy.h"

void note(worst *w, double ulp, double x, double y)
{
    if (isinf(ulp)) {
        if (!w->wrong++) {
            w->wrong_at[0] = x;
            w->wrong_at[1] = y;
        }
    } else if (ulp > w->ulp) {
        w->ulp = ulp;
        w->at[0] = x;
        w->at[1] = y;
    }
}

void merge(worst *into, const worst *from)
{
    if (from->ulp > into->ulp) {
        into->ulp = from->ulp;
        memcpy(into->at, from->at, sizeof into->at);
    }
    if (from->wrong && !into->wrong)
        memcpy(into->wrong_at, from->wrong_at, sizeof into->wrong_at);
    into->wrong += from->wrong;
    into->seen += from->seen;
}

enum { LANES = 8 };
typedef double reals __attribute__((vector_size(LANES * 8)));
typedef int64_t wholes __attribute__((vector_size(LANES * 8)));

static inline reals choose(wholes mask, reals a, reals b)
{
    return (reals)((mask & (wholes)a) | (~mask & (wholes)b));
}

static inline reals limited(reals x)
{
    const reals end = (reals){0} + 0x1p128;
    return choose(x > end, end, choose(x < -end, -end, x));
}

static inline reals magnitude(reals x)
{
    return (reals)((wholes)x & INT64_MAX);
}

static inline reals errors_f32(reals exact, reals got)
{
    wholes e = (wholes)magnitude(exact) >> 52, wrong;
    const wholes low = (wholes){0} + 1023 - 126, high = (wholes){0} + 1023 + 127;
    e = (wholes)choose(e < low, (reals)low, (reals)e); /* subnormal numbers are evenly spaced */
    e = (wholes)choose(e > high, (reals)high, (reals)e);
    reals scale = (reals)((2 * 1023 + 23 - e) << 52), d;
    d = magnitude(limited(got) - limited(exact)) * scale;
    wholes nan_e = exact != exact, nan_g = got != got;
    wrong = nan_e ^ nan_g;
    wrong |= ~nan_e & ((exact == 0) | (got == 0)) & (((wholes)exact ^ (wholes)got) < 0);
    wrong |= (magnitude(exact) > DBL_MAX) & (magnitude(got) <= DBL_MAX);
    d = choose(nan_e & nan_g, (reals){0}, d);
    return choose(wrong, (reals){0} + INFINITY, d);
}

static inline reals errors_at(const double *exact, const float *got, int i)
{
    reals e, g;
    memcpy(&e, exact + i, sizeof e);
    for (int l = 0; l < LANES; l++)
        g[l] = (double)got[i + l];
    return errors_f32(e, g);
}

void judge_f32(worst *w, const float *x, const float *y, const double *exact, const float *got,
               int n)
{
    reals largest = {0};
    bool more = false;
    for (int i = 0; i < n; i += LANES) {
        reals d = errors_at(exact, got, i);
        largest = choose(d > largest, d, largest);
    }
    w->seen += n;
    for (int l = 0; l < LANES; l++)
        more |= largest[l] > w->ulp;
    for (int i = 0; more && i < n; i += LANES) {
        reals d = errors_at(exact, got, i);
        for (int l = 0; l < LANES; l++)
            note(w, d[l], (double)x[i + l], y ? (double)y[i + l] : 0);
    }
}

double error_in_ulp(extended exact, double got, bool is_double)
{
    int digits = is_double ? 53 : 24, low = is_double ? -1074 : -149, e;
    extended beyond = is_double ? 0x1p1024L : 0x1p128L;
    if (isnan(exact) || isnan(got))
        return isnan(exact) && isnan(got) ? 0 : INFINITY;
    if ((exact == 0 || got == 0) && !signbit(exact) != !signbit(got))
        return INFINITY;
    if (isinf(exact))
        return (extended)got == exact ? 0 : INFINITY;
    if (exact == 0)
        return (double)ldexpl(fabsl((extended)got), -low);
    extended g = isinf(got) ? copysignl(beyond, (extended)got) : (extended)got;
    extended x = fabsl(exact) > beyond ? copysignl(beyond, exact) : exact;
    frexpl(x, &e);
    int unit = e - digits < low ? low : e - digits, most = (is_double ? 1024 : 128) - digits;
    return (double)ldexpl(fabsl(g - x), -(unit > most ? most : unit));
}
