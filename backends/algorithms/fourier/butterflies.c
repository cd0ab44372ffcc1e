/* butterflies.c - one pass of a Fourier transform, and what is around passes; see butterflies.h. */
#include "algorithms/fourier/butterflies.h"

#define T          double
#define INDEX      int64_t
#define NOT_NUMBER 0x7ff8000000000000
#define REAL(x)    x
#define NAME(x)    x##_f64_1
#define COUNT      1
#define TARGET
#include "algorithms/fourier/butterflies_of.h"
#ifdef __x86_64__
#define NAME(x) x##_f64_2
#define COUNT   2
#define TARGET  __attribute__((target("avx2")))
#include "algorithms/fourier/butterflies_of.h"
#endif
#undef T
#undef INDEX
#undef NOT_NUMBER
#undef REAL
#define T          float
#define INDEX      int32_t
#define NOT_NUMBER 0x7fc00000
#define REAL(x)    x##F
#define NAME(x)    x##_f32_1
#define COUNT      1
#define TARGET
#include "algorithms/fourier/butterflies_of.h"
#define NAME(x) x##_f32_2
#define COUNT   2
#define TARGET
#include "algorithms/fourier/butterflies_of.h"
#ifdef __x86_64__
#define NAME(x) x##_f32_4
#define COUNT   4
#define TARGET  __attribute__((target("avx2")))
#include "algorithms/fourier/butterflies_of.h"
#endif

/* The part of `all` that vectors of `count` numbers take, and the rest, for which 0 remains in
 * `all` where there is none. */
static lun_butterflies split(const lun_pass *p, int count, lun_butterflies *all)
{
    lun_butterflies part = *all;
    if (p->beside * all->lines == 1) {
        part.j1 -= (part.j1 - part.j0) % count;
        all->j0 = part.j1;
    } else {
        part.t1 -= (part.t1 - part.t0) % count;
        all->t0 = part.t1;
    }
    return part;
}

static bool is_empty(const lun_butterflies *part)
{
    return part->j0 == part->j1 || part->t0 == part->t1;
}

void lun__butterflies_f64(lun_isa isa, const lun_pass *p, const double *table,
                          const lun_butterflies *part, const double *in, double *out)
{
    lun_butterflies rest = *part;
#ifdef __x86_64__
    if (isa >= LUN_ISA_AVX2) {
        const lun_butterflies by_two = split(p, 2, &rest);
        if (!is_empty(&by_two))
            pass_f64_2(p, table, &by_two, in, out);
    }
#endif
    (void)isa;
    if (!is_empty(&rest))
        pass_f64_1(p, table, &rest, in, out);
}

void lun__butterflies_f32(lun_isa isa, const lun_pass *p, const float *table,
                          const lun_butterflies *part, const float *in, float *out)
{
    lun_butterflies rest = *part;
#ifdef __x86_64__
    if (isa >= LUN_ISA_AVX2) {
        const lun_butterflies by_four = split(p, 4, &rest);
        if (!is_empty(&by_four))
            pass_f32_4(p, table, &by_four, in, out);
    }
#endif
    (void)isa;
    const lun_butterflies by_two = split(p, 2, &rest);
    if (!is_empty(&by_two))
        pass_f32_2(p, table, &by_two, in, out);
    if (!is_empty(&rest))
        pass_f32_1(p, table, &rest, in, out);
}

/* ---- steps around passes --------------------------------------------------------------------- */

/* As split. */
static lun_row_steps split_rows(int count, lun_row_steps *all)
{
    lun_row_steps part = *all;
    if (all->lines == 1 && all->stride == 1) {
        part.k1 -= (part.k1 - part.k0) % count;
        all->k0 = part.k1;
    } else {
        part.t1 -= (part.t1 - part.t0) % count;
        all->t0 = part.t1;
    }
    return part;
}

static bool is_any_row(const lun_row_steps *part)
{
    return part->k0 < part->k1 && part->t0 < part->t1;
}

#define BY(name, X, count)                                   \
    do {                                                     \
        const lun_row_steps some = split_rows(count, &rest); \
        if (is_any_row(&some))                               \
            name##_##X##_##count(&some, w, in, out);         \
    } while (0)
#ifdef __x86_64__
#define F64(name)            \
    if (isa >= LUN_ISA_AVX2) \
        BY(name, f64, 2);
#define F32(name)            \
    if (isa >= LUN_ISA_AVX2) \
        BY(name, f32, 4);    \
    BY(name, f32, 2);
#else
#define F64(name) (void)isa;
#define F32(name) \
    (void)isa;    \
    BY(name, f32, 2);
#endif
#define STEP(name, T, X, FIRST)                                                                  \
    void lun__##name##_##X(lun_isa isa, const lun_row_steps *s, const T *w, const T *in, T *out) \
    {                                                                                            \
        lun_row_steps rest = *s;                                                                 \
        FIRST(name)                                                                              \
        if (is_any_row(&rest))                                                                   \
            name##_##X##_1(&rest, w, in, out);                                                   \
    }
STEP(products, double, f64, F64)
STEP(products, float, f32, F32)
STEP(unfold, double, f64, F64)
STEP(unfold, float, f32, F32)
STEP(fold, double, f64, F64)
STEP(fold, float, f32, F32)
