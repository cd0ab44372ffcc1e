/* numbers_of.h - vectors of COUNT complex numbers of type T, for the processors of TARGET; NAME(x)
 * is the name of x, NOT_NUMBER the bits of the type's NaN.  Included by butterflies_of.h.
 *
 * Products and sums of parts are those of one complex number in its order: a difference is the sum
 * with the number whose sign has changed, which has the same bits. */

#define EACH static inline TARGET __attribute__((always_inline))
typedef T NAME(vector) __attribute__((vector_size(2 * COUNT * sizeof(T))));
typedef INDEX NAME(mask) __attribute__((vector_size(2 * COUNT * sizeof(T))));
typedef T NAME(one) __attribute__((vector_size(2 * sizeof(T))));
#define V    NAME(vector)
#define MASK NAME(mask)
#if COUNT == 1
#define PICK(x, a, b) __builtin_shufflevector(x, x, a, b)
#define REVERSED(x)   x
#define REPEATED(x)   x
#elif COUNT == 2
#define PICK(x, a, b) __builtin_shufflevector(x, x, a, b, a + 2, b + 2)
#define REVERSED(x)   __builtin_shufflevector(x, x, 2, 3, 0, 1)
#define REPEATED(x)   __builtin_shufflevector(x, x, 0, 1, 0, 1)
#else
#define PICK(x, a, b) __builtin_shufflevector(x, x, a, b, a + 2, b + 2, a + 4, b + 4, a + 6, b + 6)
#define REVERSED(x)   __builtin_shufflevector(x, x, 6, 7, 4, 5, 2, 3, 0, 1)
#define REPEATED(x)   __builtin_shufflevector(x, x, 0, 1, 0, 1, 0, 1, 0, 1)
#endif

EACH V NAME(load)(const T *at)
{
    V x;
    __builtin_memcpy(&x, at, sizeof x);
    return x;
}

EACH void NAME(store)(T *at, V x)
{
    __builtin_memcpy(at, &x, sizeof x);
}

/* x in all parts; -0 remains. */
EACH V NAME(all)(T x)
{
    const V zero = {0};
    return x - zero;
}

/* The numbers of x to places `step` apart. */
EACH void NAME(scatter)(T *at, int64_t step, V x)
{
#define PUT(k)                                                                \
    do {                                                                      \
        NAME(one) part = __builtin_shufflevector(x, x, 2 * (k), 2 * (k) + 1); \
        __builtin_memcpy(at + (k)*step, &part, sizeof part);                  \
    } while (0)
    PUT(0);
#if COUNT > 1
    PUT(1);
#endif
#if COUNT > 2
    PUT(2);
    PUT(3);
#endif
#undef PUT
}

EACH V NAME(one_nan)(V x)
{
    return (V)(((MASK)x & (x == x)) | (((MASK){0} + NOT_NUMBER) & (x != x)));
}

/* Times i; of an inverse transform, whose signs are others, times -i. */
EACH V NAME(by_i)(V x, MASK signs)
{
    return (V)((MASK)PICK(x, 1, 0) ^ signs);
}

/* Times numbers whose real parts are re, and whose imaginary parts, with their signs, are im. */
EACH V NAME(times)(V x, V re, V im)
{
    return x * re + PICK(x, 1, 0) * im;
}

/* Times the conjugate roots of an inverse transform, or the roots. */
EACH V NAME(by)(V x, V w, MASK signs)
{
    return NAME(times)(x, PICK(w, 0, 0), (V)((MASK)PICK(w, 1, 1) ^ signs));
}

EACH V NAME(by_one)(V x, const T *w, MASK signs)
{
    return NAME(times)(x, NAME(all)(w[0]), (V)((MASK)NAME(all)(w[1]) ^ signs));
}
