/* butterflies_of.h - passes over vectors of complex numbers (numbers_of.h, which names T, COUNT,
 * TARGET, NAME and NOT_NUMBER); REAL(x) is the literal x.  The last pass gives each NaN as the one
 * of the type.  Included by butterflies.c for each; ends these definitions. */
#include "algorithms/fourier/numbers_of.h"

/* ---- f numbers of which f are made ----------------------------------------------------------- */

EACH void NAME(of_3)(const V *x, V *y, MASK signs)
{
    const V a = x[1] + x[2], b = x[1] - x[2], e = x[0] - REAL(0.5) * a;
    const V t = NAME(by_i)(REAL(0.86602540378443864676) * b, signs);
    y[0] = x[0] + a;
    y[1] = e - t;
    y[2] = e + t;
}

EACH void NAME(of_4)(const V *x, V *y, MASK signs)
{
    const V t0 = x[0] + x[2], t1 = x[0] - x[2], t2 = x[1] + x[3];
    const V t3 = NAME(by_i)(x[1] - x[3], signs);
    y[0] = t0 + t2;
    y[1] = t1 - t3;
    y[2] = t0 - t2;
    y[3] = t1 + t3;
}

EACH void NAME(of_5)(const V *x, V *y, MASK signs)
{
    const T c1 = REAL(0.30901699437494742410), c2 = REAL(-0.80901699437494742410);
    const T s1 = REAL(0.95105651629515357212), s2 = REAL(0.58778525229247312917);
    const V p1 = x[1] + x[4], p2 = x[2] + x[3], u1 = x[1] - x[4], u2 = x[2] - x[3];
    const V m1 = (x[0] + c1 * p1) + c2 * p2, m2 = (x[0] + c2 * p1) + c1 * p2;
    const V e1 = NAME(by_i)(s1 * u1 + s2 * u2, signs), e2 = NAME(by_i)(s2 * u1 - s1 * u2, signs);
    y[0] = (x[0] + p1) + p2;
    y[1] = m1 - e1;
    y[2] = m2 - e2;
    y[3] = m2 + e2;
    y[4] = m1 + e1;
}

/* By the roots of f. */
EACH void NAME(of_roots)(int f, const T *w, const V *x, V *y, MASK signs)
{
    y[0] = x[0];
    for (int r = 1; r < f; r++)
        y[0] = y[0] + x[r];
    for (int q = 1; q < f; q++) {
        V s = x[0];
        for (int r = 1, k = q; r < f; r++, k = k + q < f ? k + q : k + q - f)
            s = s + NAME(by_one)(x[r], w + 2 * k, signs);
        y[q] = s;
    }
}

EACH void NAME(made)(int f, const T *w, const V *x, V *y, MASK signs)
{
    if (f == 2) {
        y[0] = x[0] + x[1];
        y[1] = x[0] - x[1];
    } else if (f == 3)
        NAME(of_3)(x, y, signs);
    else if (f == 4)
        NAME(of_4)(x, y, signs);
    else if (f == 5)
        NAME(of_5)(x, y, signs);
    else
        NAME(of_roots)(f, w, x, y, signs);
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Vectors of numbers at the same place of lines side by side. */
EACH void NAME(beside)(int f, const lun_pass *p, const T *table, const lun_butterflies *part,
                       const T *in, T *out, MASK signs)
{
    const int64_t s = 2 * p->beside * part->lines, l = p->l;
    const T *own = table + 2 * (p->twiddles - f), *w = table + 2 * p->twiddles;
    for (int64_t j = part->j0; j < part->j1; j++) {
        V re[LUN_PASSES_GREATEST], im[LUN_PASSES_GREATEST];
        for (int q = 1; q < f; q++) {
            const T *at = w + 2 * ((q - 1) * l + j);
            re[q] = NAME(all)(at[0]);
            im[q] = (V)((MASK)NAME(all)(at[1]) ^ signs);
        }
        for (int64_t t = 2 * part->t0; t < 2 * part->t1; t += 2 * COUNT) {
            V x[LUN_PASSES_GREATEST], y[LUN_PASSES_GREATEST];
            for (int r = 0; r < f; r++)
                x[r] = NAME(load)(in + (j + r * l) * s + t);
            NAME(made)(f, own, x, y, signs);
            for (int q = 1; q < f; q++)
                y[q] = NAME(times)(y[q], re[q], im[q]);
            for (int q = 0; q < f; q++)
                NAME(store)(out + (f * j + q) * s + t, l == 1 ? NAME(one_nan)(y[q]) : y[q]);
        }
    }
}

/* Of one line vectors of its numbers. */
EACH void NAME(along)(int f, const lun_pass *p, const T *table, const lun_butterflies *part,
                      const T *in, T *out, MASK signs)
{
    const int64_t l = p->l;
    const T *own = table + 2 * (p->twiddles - f), *w = table + 2 * p->twiddles;
    for (int64_t j = part->j0; j < part->j1; j += COUNT) {
        V x[LUN_PASSES_GREATEST], y[LUN_PASSES_GREATEST];
        for (int r = 0; r < f; r++)
            x[r] = NAME(load)(in + 2 * (j + r * l));
        NAME(made)(f, own, x, y, signs);
        for (int q = 1; q < f; q++) {
            const V root = NAME(load)(w + 2 * ((q - 1) * l + j));
            y[q] = NAME(by)(y[q], root, signs);
        }
        for (int q = 0; q < f; q++)
            NAME(scatter)(out + 2 * (f * j + q), 2 * f, l == 1 ? NAME(one_nan)(y[q]) : y[q]);
    }
}

#define FACTOR(name, f)                                                                           \
    static TARGET void NAME(name)(const lun_pass *p, const T *table, const lun_butterflies *part, \
                                  const T *in, T *out)                                            \
    {                                                                                             \
        const INDEX sign = (INDEX)(UINT64_C(1) << (8 * sizeof(INDEX) - 1));                       \
        MASK signs = {0};                                                                         \
        for (int k = part->inverse; k < 2 * COUNT; k += 2)                                        \
            signs[k] = sign;                                                                      \
        if (p->beside * part->lines == 1)                                                         \
            NAME(along)(f, p, table, part, in, out, signs);                                       \
        else                                                                                      \
            NAME(beside)(f, p, table, part, in, out, signs);                                      \
    }
FACTOR(by_2, 2)
FACTOR(by_3, 3)
FACTOR(by_4, 4)
FACTOR(by_5, 5)
FACTOR(by_7, 7)
FACTOR(by_11, 11)
FACTOR(by_13, 13)

static void NAME(pass)(const lun_pass *p, const T *table, const lun_butterflies *part, const T *in,
                       T *out)
{
    (p->factor == 2    ? NAME(by_2)
     : p->factor == 3  ? NAME(by_3)
     : p->factor == 4  ? NAME(by_4)
     : p->factor == 5  ? NAME(by_5)
     : p->factor == 7  ? NAME(by_7)
     : p->factor == 11 ? NAME(by_11)
                       : NAME(by_13))(p, table, part, in, out);
}

#include "algorithms/fourier/row_steps_of.h"

#undef EACH
#undef V
#undef MASK
#undef PICK
#undef REVERSED
#undef REPEATED
#undef FACTOR
#undef NAME
#undef COUNT
#undef TARGET
