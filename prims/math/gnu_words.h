/* gnu_words.h - the words of the sequences on GNU vectors of LUN_W bytes, a native vector's: in C
 * by the instructions that the compiler is given, in OpenCL C by its functions. See sequence.h. */
#ifdef __OPENCL_VERSION__
#define LUN_CONST __constant
#define COLD      static __attribute__((noinline))
#else
#define LUN_CONST static const
#define COLD      static __attribute__((noinline, cold))
#if __GNUC__ >= 12 || defined __clang__
#define LUN_MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#if defined __has_builtin
#if __has_builtin(__builtin_elementwise_fma)
#define LUN_FUSES 1
#endif
#endif
#endif
typedef double lun_w_f64 __attribute__((vector_size(LUN_W)));
typedef float lun_w_f32 __attribute__((vector_size(LUN_W)));
typedef __UINT64_TYPE__ lun_w_i64 __attribute__((vector_size(LUN_W)));
typedef __UINT32_TYPE__ lun_w_i32 __attribute__((vector_size(LUN_W)));
typedef float lun_w_half __attribute__((vector_size(LUN_W / 2)));
#define F64        lun_w_f64
#define F32        lun_w_f32
#define I64        lun_w_i64
#define I32        lun_w_i32
#define TABLE(...) LUN_CONST __attribute__((aligned(32))) __UINT64_TYPE__ __VA_ARGS__
#define INF        C(__builtin_inf())
#define INFF       CF(__builtin_inff())
#define QNAN       C(__builtin_nan(""))
#define QNANF      CF(__builtin_nanf(""))
#define C(x)       ((F64){} + (x))
#define CF(x)      ((F32){} + (x))
#define BITS(x)    ((I64)(x))
#define BITSF(x)   ((I32)(x))
#define REAL(x)    ((F64)(x))
#define REALF(x)   ((F32)(x))
#define LT(a, b)   ((I64)((a) < (b)))
#define LTF(a, b)  ((I32)((a) < (b)))
#define LE(a, b)   ((I64)((a) <= (b)))
#define LEF(a, b)  ((I32)((a) <= (b)))
#define EQ(a, b)   ((I64)((a) == (b)))
#define EQF(a, b)  ((I32)((a) == (b)))
#define NE(a, b)   ((I64)((a) != (b)))
#define NEF(a, b)  ((I32)((a) != (b)))

#if LUN_W == 64 && defined __AVX512DQ__ && !defined __OPENCL_VERSION__
#define LUN_K64(m) ((unsigned char)__builtin_ia32_cvtq2mask512((lun_w_s64)(m)))
#define LUN_K32(m) ((unsigned short)__builtin_ia32_cvtd2mask512((lun_w_s32)(m)))
typedef long long lun_w_s64 __attribute__((vector_size(LUN_W)));
typedef int lun_w_s32 __attribute__((vector_size(LUN_W)));
#ifdef __clang__
#define SELS(m, a, b)  ((F64)__builtin_ia32_selectpd_512(LUN_K64(m), (F64)(a), (F64)(b)))
#define SELSF(m, a, b) ((F32)__builtin_ia32_selectps_512(LUN_K32(m), (F32)(a), (F32)(b)))
#define SQRT(a)        ((F64)__builtin_ia32_sqrtpd512(a, 4))
#define SQRTF(a)       ((F32)__builtin_ia32_sqrtps512(a, 4))
#define MIN(a, b)      ((F64)__builtin_ia32_minpd512((F64)(a), (F64)(b), 4))
#define MINF(a, b)     ((F32)__builtin_ia32_minps512((F32)(a), (F32)(b), 4))
#define MAX(a, b)      ((F64)__builtin_ia32_maxpd512((F64)(a), (F64)(b), 4))
#define MAXF(a, b)     ((F32)__builtin_ia32_maxps512((F32)(a), (F32)(b), 4))
#else
#define SELS(m, a, b)  ((F64)__builtin_ia32_blendmpd_512_mask((F64)(b), (F64)(a), LUN_K64(m)))
#define SELSF(m, a, b) ((F32)__builtin_ia32_blendmps_512_mask((F32)(b), (F32)(a), LUN_K32(m)))
#define SQRT(a)        ((F64)__builtin_ia32_sqrtpd512_mask(a, a, (unsigned char)-1, 4))
#define SQRTF(a)       ((F32)__builtin_ia32_sqrtps512_mask(a, a, (unsigned short)-1, 4))
#define MIN(a, b)      LUN_EDGE(pd, F64, unsigned char, min, a, b)
#define MINF(a, b)     LUN_EDGE(ps, F32, unsigned short, min, a, b)
#define MAX(a, b)      LUN_EDGE(pd, F64, unsigned char, max, a, b)
#define MAXF(a, b)     LUN_EDGE(ps, F32, unsigned short, max, a, b)
#define LUN_EDGE(kind, type, mask, edge, a, b) \
    ((type)__builtin_ia32_##edge##kind##512_mask((type)(a), (type)(b), (type){}, (mask)-1, 4))
#endif
#define SEL(m, a, b)  SELS(m, a, b)
#define SELF(m, a, b) SELSF(m, a, b)
#define ANY(m)        __builtin_expect(LUN_K64(m) != 0, 0)
#define ANYF(m)       __builtin_expect(LUN_K32(m) != 0, 0)
#define ANYS(m)       ANY(m)
#define ANYSF(m)      ANYF(m)
#define ANYNOT(m)     __builtin_expect(LUN_K64(m) != 0xff, 0)
#define ANYNOTF(m)    __builtin_expect(LUN_K32(m) != 0xffff, 0)
#ifndef LUN_FUSES
#define FMA(a, b, c)  ((F64)__builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4))
#define FMAF(a, b, c) ((F32)__builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4))
#endif
#elif LUN_W == 32 && defined __AVX2__ && !defined __OPENCL_VERSION__
#define SELS(m, a, b)  ((F64)__builtin_ia32_blendvpd256((F64)(b), (F64)(a), (F64)(m)))
#define SELSF(m, a, b) ((F32)__builtin_ia32_blendvps256((F32)(b), (F32)(a), (F32)(m)))
#define SEL(m, a, b)   SELS(m, a, b)
#define SELF(m, a, b)  SELSF(m, a, b)
#define ANY(m)         __builtin_expect(__builtin_ia32_movmskpd256((F64)(m)) != 0, 0)
#define ANYF(m)        __builtin_expect(__builtin_ia32_movmskps256((F32)(m)) != 0, 0)
#define ANYS(m)        ANY(m)
#define ANYSF(m)       ANYF(m)
#define ANYNOT(m)      __builtin_expect(__builtin_ia32_movmskpd256((F64)(m)) != 0xf, 0)
#define ANYNOTF(m)     __builtin_expect(__builtin_ia32_movmskps256((F32)(m)) != 0xff, 0)
#define MIN(a, b)      ((F64)__builtin_ia32_minpd256((F64)(a), (F64)(b)))
#define MINF(a, b)     ((F32)__builtin_ia32_minps256((F32)(a), (F32)(b)))
#define MAX(a, b)      ((F64)__builtin_ia32_maxpd256((F64)(a), (F64)(b)))
#define MAXF(a, b)     ((F32)__builtin_ia32_maxps256((F32)(a), (F32)(b)))
#define SQRT(a)        ((F64)__builtin_ia32_sqrtpd256(a))
#define SQRTF(a)       ((F32)__builtin_ia32_sqrtps256(a))
#ifndef LUN_FUSES
#define FMA(a, b, c)  ((F64)__builtin_ia32_vfmaddpd256(a, b, c))
#define FMAF(a, b, c) ((F32)__builtin_ia32_vfmaddps256(a, b, c))
#endif
#else
typedef __INT64_TYPE__ lun_w_s64 __attribute__((vector_size(LUN_W)));
typedef __INT32_TYPE__ lun_w_s32 __attribute__((vector_size(LUN_W)));
#define SEL(m, a, b)   REAL(((I64)(m)&BITS(a)) | (~(I64)(m)&BITS(b)))
#define SELF(m, a, b)  REALF(((I32)(m)&BITSF(a)) | (~(I32)(m)&BITSF(b)))
#define SELS(m, a, b)  SEL((lun_w_s64)(m) >> 63, a, b)
#define SELSF(m, a, b) SELF((lun_w_s32)(m) >> 31, a, b)
#define ANY(m)         lun_w_any((I64)(m))
#define ANYF(m)        lun_w_any((I64)(m))
#define ANYS(m)        lun_w_any((I64)(m) >> 63)
#define ANYSF(m)       lun_w_any((I64)((I32)(m) >> 31))
#define ANYNOT(m)      lun_w_any(~(I64)(m))
#define ANYNOTF(m)     lun_w_any(~(I64)(m))
#define MIN(a, b)      SEL(LT(a, b), a, b)
#define MINF(a, b)     SELF(LTF(a, b), a, b)
#define MAX(a, b)      SEL(LT(b, a), a, b)
#define MAXF(a, b)     SELF(LTF(b, a), a, b)
#define SQRT(a)        lun_w_sqrt(a)
#define SQRTF(a)       lun_w_sqrtf(a)
INLINE int lun_w_any(I64 m)
{
    __UINT64_TYPE__ k = 0;
    for (int l = 0; l < LUN_W / 8; l++)
        k |= m[l];
    return (int)__builtin_expect(k != 0, 0);
}
#ifdef __OPENCL_VERSION__
#if LUN_W == 64
typedef double8 lun_w_cl_f64;
typedef float16 lun_w_cl_f32;
#elif LUN_W == 32
typedef double4 lun_w_cl_f64;
typedef float8 lun_w_cl_f32;
#else
typedef double2 lun_w_cl_f64;
typedef float4 lun_w_cl_f32;
#endif
#define LUN_BY(type, text)       \
    union {                      \
        lun_w_##type v;          \
        lun_w_cl_##type o;       \
    } x = {a}, y = {b}, z = {c}; \
    x.o = text;                  \
    return x.v;
INLINE F64 lun_w_fma(F64 a, F64 b, F64 c){LUN_BY(f64, fma(x.o, y.o, z.o))} INLINE F32
    lun_w_fmaf(F32 a, F32 b, F32 c){LUN_BY(f32, fma(x.o, y.o, z.o))} INLINE F64
    lun_w_sqrt2(F64 a, F64 b, F64 c){LUN_BY(f64, sqrt(x.o))} INLINE F32
    lun_w_sqrt2f(F32 a, F32 b, F32 c){LUN_BY(f32, sqrt(x.o))}
#define lun_w_sqrt(a)  lun_w_sqrt2(a, a, a)
#define lun_w_sqrtf(a) lun_w_sqrt2f(a, a, a)
#else
INLINE F64 lun_w_sqrt(F64 a)
{
#ifdef __SSE2__
    return (F64)__builtin_ia32_sqrtpd(a);
#else
    for (int l = 0; l < LUN_W / 8; l++)
        a[l] = __builtin_sqrt(a[l]);
    return a;
#endif
}
INLINE F32 lun_w_sqrtf(F32 a)
{
#ifdef __SSE2__
    return (F32)__builtin_ia32_sqrtps(a);
#else
    for (int l = 0; l < LUN_W / 4; l++)
        a[l] = __builtin_sqrtf(a[l]);
    return a;
#endif
}
#endif
#endif

#ifdef LUN_FUSES
#define FMA(a, b, c)  __builtin_elementwise_fma((F64)(a), (F64)(b), (F64)(c))
#define FMAF(a, b, c) __builtin_elementwise_fma((F32)(a), (F32)(b), (F32)(c))
#elif !defined FMA && defined __OPENCL_VERSION__
#define FMA(a, b, c)  lun_w_fma(a, b, c)
#define FMAF(a, b, c) lun_w_fmaf(a, b, c)
#elif !defined FMA && !defined __SSE2__
INLINE F64 lun_w_fma(F64 a, F64 b, F64 c)
{
    for (int l = 0; l < LUN_W / 8; l++)
        a[l] = __builtin_fma(a[l], b[l], c[l]);
    return a;
}
INLINE F32 lun_w_fmaf(F32 a, F32 b, F32 c)
{
    for (int l = 0; l < LUN_W / 4; l++)
        a[l] = __builtin_fmaf(a[l], b[l], c[l]);
    return a;
}
#define FMA(a, b, c)  lun_w_fma(a, b, c)
#define FMAF(a, b, c) lun_w_fmaf(a, b, c)
#elif !defined FMA
/* Without the instruction: exact all the same.  f64: Dekker's product, two sums, what is left
 * rounded to odd (Boldo and Melquiond 2008); lanes whose exponents would overflow or lose bits by
 * the C library's fma.  f32: the product is exact in f64, the sum rounded to odd there.  Infinities
 * and NaN are never made odd. */
#define LUN_W_ODD(s, e) ((s) + ((I64)((e) != 0) & ~-((s)&1) & (1 - 2 * (((s) ^ BITS(e)) >> 63))))
INLINE F64 lun_w_sum(F64 a, F64 b, F64 *e)
{
    F64 s = a + b, t = s - a;
    *e = (a - (s - t)) + (b - t);
    return s;
}
INLINE I64 lun_w_within(F64 x, double most)
{
    return LT(REAL(BITS(x) & 0x7fffffffffffffff), C(most));
}
static __attribute__((noinline)) F64 lun_w_fma(F64 a, F64 b, F64 c)
{
    F64 p = a * b, s = a * 0x1.0000002p27, ah = s - (s - a), al = a - ah, t = b * 0x1.0000002p27,
        bh = t - (t - b), bl = b - bh;
    F64 e = ((ah * bh - p) + ah * bl + al * bh) + al * bl, ul, tl, vl;
    F64 uh = lun_w_sum(c, e, &ul), th = lun_w_sum(p, uh, &tl), vh = lun_w_sum(tl, ul, &vl);
    F64 r = th + REAL(LUN_W_ODD(BITS(vh), vl));
    I64 zero = EQ(a, C(0)) | EQ(b, C(0)),
        plain = lun_w_within(a, 0x1p900) & lun_w_within(b, 0x1p900) & lun_w_within(c, 0x1p900);
    r = SEL(zero, p + c, r);
    plain &= zero | (lun_w_within(p, 0x1p900) & ~lun_w_within(p, 0x1p-900));
    if (ANY(~plain))
        for (int l = 0; l < LUN_W / 8; l++)
            if (!plain[l])
                r[l] = __builtin_fma(a[l], b[l], c[l]);
    return r;
}
INLINE lun_w_half lun_w_fmah(lun_w_half a, lun_w_half b, lun_w_half c)
{
    F64 x = __builtin_convertvector(a, F64), y = __builtin_convertvector(b, F64),
        z = __builtin_convertvector(c, F64), e, s = lun_w_sum(x * y, z, &e);
    I64 finite = (I64)(e - e == 0);
    return __builtin_convertvector(SEL(finite, REAL(LUN_W_ODD(BITS(s), e)), s), lun_w_half);
}
static __attribute__((noinline)) F32 lun_w_fmaf(F32 a, F32 b, F32 c)
{
    union {
        F32 whole;
        lun_w_half part[2];
    } x = {a}, y = {b}, z = {c};
    x.part[0] = lun_w_fmah(x.part[0], y.part[0], z.part[0]);
    x.part[1] = lun_w_fmah(x.part[1], y.part[1], z.part[1]);
    return x.whole;
}
#define FMA(a, b, c)    lun_w_fma(a, b, c)
#define FMAF(a, b, c)   lun_w_fmaf(a, b, c)
#endif

/* A function of f64 on the halves of a vector of f32. */
#define HALVES(f, a)                                                                          \
    __extension__({                                                                           \
        union {                                                                               \
            F32 whole;                                                                        \
            lun_w_half part[2];                                                               \
        } x_ = {a};                                                                           \
        x_.part[0] =                                                                          \
            __builtin_convertvector(f(__builtin_convertvector(x_.part[0], F64)), lun_w_half); \
        x_.part[1] =                                                                          \
            __builtin_convertvector(f(__builtin_convertvector(x_.part[1], F64)), lun_w_half); \
        x_.whole;                                                                             \
    })
#define HALVES2(f, a, b)                                                                           \
    __extension__({                                                                                \
        union {                                                                                    \
            F32 whole;                                                                             \
            lun_w_half part[2];                                                                    \
        } x_ = {a}, y_ = {b};                                                                      \
        x_.part[0] = __builtin_convertvector(                                                      \
            f(__builtin_convertvector(x_.part[0], F64), __builtin_convertvector(y_.part[0], F64)), \
            lun_w_half);                                                                           \
        x_.part[1] = __builtin_convertvector(                                                      \
            f(__builtin_convertvector(x_.part[1], F64), __builtin_convertvector(y_.part[1], F64)), \
            lun_w_half);                                                                           \
        x_.whole;                                                                                  \
    })

/* The body of a function by a loop of the library, 64 bytes: whole vectors of any level. */
#ifndef __OPENCL_VERSION__
#define FAR(type, x, loop)                                                              \
    {                                                                                   \
        type y_[64 / LUN_W] = {x};                                                      \
        lun_sequence_loops[loop](y_, y_, 0, 0, sizeof y_ / sizeof(__typeof__((x)[0]))); \
        return y_[0];                                                                   \
    }
typedef void lun_w_loop(void *, const void *, const void *, const void *, __INT64_TYPE__);
#endif

/* table[i], a word for each lane; the columns of rows of four. */
#ifdef __OPENCL_VERSION__
typedef __constant __UINT64_TYPE__ *lun_w_table;
#else
typedef const __UINT64_TYPE__ *lun_w_table;
#endif
INLINE I64 lun_w_word(lun_w_table table, I64 i)
{
    I64 r;
    for (int l = 0; l < LUN_W / 8; l++)
        r[l] = table[i[l]];
    return r;
}
#define WORD(table, i) lun_w_word(table, i)
#if LUN_W == 32 && defined LUN_MIX
INLINE void lun_w_rows(lun_w_table table, I64 i, F64 *a, F64 *b, F64 *c)
{
    const F64 p = *(const F64 *)(table + 4 * i[0]), q = *(const F64 *)(table + 4 * i[1]),
              r = *(const F64 *)(table + 4 * i[2]), s = *(const F64 *)(table + 4 * i[3]);
    const F64 u = LUN_MIX(p, q, 0, 4, 2, 6), v = LUN_MIX(p, q, 1, 5, 3, 7),
              w = LUN_MIX(r, s, 0, 4, 2, 6), z = LUN_MIX(r, s, 1, 5, 3, 7);
    *a = LUN_MIX(u, w, 0, 1, 4, 5);
    *b = LUN_MIX(v, z, 0, 1, 4, 5);
    *c = LUN_MIX(u, w, 2, 3, 6, 7);
}
#else
INLINE void lun_w_rows(lun_w_table table, I64 i, F64 *a, F64 *b, F64 *c)
{
    I64 p, q, r;
    for (int l = 0; l < LUN_W / 8; l++) {
        lun_w_table row = table + 4 * i[l];
        p[l] = row[0];
        q[l] = row[1];
        r[l] = row[2];
    }
    *a = (F64)p;
    *b = (F64)q;
    *c = (F64)r;
}
#endif
#define ROWS(table, i, a, b, c) lun_w_rows(table, i, a, b, c)
