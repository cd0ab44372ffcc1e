/* both_floats.h - the text of the file OF for double, then for float: T is the type, NAME(x) the
 * name of x for it; FMA, ROOT, EPSILON, TINY and INDEX, an integer of its size, are those of the
 * type. Ends the definition of OF. */
#define T       double
#define NAME(x) x##_f64
#define INDEX   int64_t
#define FMA     __builtin_fma
#define ROOT    sqrt
#define EPSILON DBL_EPSILON
#define TINY    (DBL_MIN / DBL_EPSILON)
#include OF
#undef T
#undef NAME
#undef INDEX
#undef FMA
#undef ROOT
#undef EPSILON
#undef TINY
#define T       float
#define NAME(x) x##_f32
#define INDEX   int32_t
#define FMA     __builtin_fmaf
#define ROOT    sqrtf
#define EPSILON FLT_EPSILON
#define TINY    (FLT_MIN / FLT_EPSILON)
#include OF
#undef T
#undef NAME
#undef INDEX
#undef FMA
#undef ROOT
#undef EPSILON
#undef TINY
#undef OF
