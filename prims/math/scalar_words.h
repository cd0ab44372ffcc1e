/* scalar_words.h - the words of the sequences on one element, in C. */
typedef double lun_w_f64;
typedef float lun_w_f32;
typedef uint64_t lun_w_i64;
typedef uint32_t lun_w_i32;
static inline uint64_t lun_w_bits(double x)
{
    uint64_t i;
    memcpy(&i, &x, sizeof i);
    return i;
}
static inline double lun_w_real(uint64_t i)
{
    double x;
    memcpy(&x, &i, sizeof x);
    return x;
}
static inline uint32_t lun_w_bitsf(float x)
{
    uint32_t i;
    memcpy(&i, &x, sizeof i);
    return i;
}
static inline float lun_w_realf(uint32_t i)
{
    float x;
    memcpy(&x, &i, sizeof x);
    return x;
}
#define INLINE           static inline
#define COLD             static
#define TABLE(...)       static const uint64_t __VA_ARGS__
#define F64              double
#define F32              float
#define I64              uint64_t
#define I32              uint32_t
#define INF              __builtin_inf()
#define INFF             __builtin_inff()
#define QNAN             __builtin_nan("")
#define QNANF            __builtin_nanf("")
#define C(x)             (x)
#define CF(x)            (x)
#define BITS(x)          lun_w_bits(x)
#define BITSF(x)         lun_w_bitsf(x)
#define REAL(x)          lun_w_real(x)
#define REALF(x)         lun_w_realf(x)
#define LT(a, b)         (-(uint64_t)((a) < (b)))
#define LTF(a, b)        (-(uint32_t)((a) < (b)))
#define LE(a, b)         (-(uint64_t)((a) <= (b)))
#define LEF(a, b)        (-(uint32_t)((a) <= (b)))
#define EQ(a, b)         (-(uint64_t)((a) == (b)))
#define EQF(a, b)        (-(uint32_t)((a) == (b)))
#define NE(a, b)         (-(uint64_t)((a) != (b)))
#define NEF(a, b)        (-(uint32_t)((a) != (b)))
#define SEL(m, a, b)     ((m) ? (a) : (b))
#define SELF(m, a, b)    ((m) ? (a) : (b))
#define SELS(m, a, b)    ((m) >> 63 ? (a) : (b))
#define SELSF(m, a, b)   ((m) >> 31 ? (a) : (b))
#define ANY(m)           ((m) != 0)
#define ANYF(m)          ((m) != 0)
#define ANYS(m)          ((m) >> 63 != 0)
#define ANYSF(m)         ((m) >> 31 != 0)
#define ANYNOT(m)        ((m) == 0)
#define ANYNOTF(m)       ((m) == 0)
#define MIN(a, b)        ((a) < (b) ? (a) : (b))
#define MINF(a, b)       ((a) < (b) ? (a) : (b))
#define MAX(a, b)        ((b) < (a) ? (a) : (b))
#define MAXF(a, b)       ((b) < (a) ? (a) : (b))
#define FMA(a, b, c)     __builtin_fma(a, b, c)
#define FMAF(a, b, c)    __builtin_fmaf(a, b, c)
#define SQRT(a)          __builtin_sqrt(a)
#define SQRTF(a)         __builtin_sqrtf(a)
#define HALVES(f, a)     ((float)f((double)(a)))
#define HALVES2(f, a, b) ((float)f((double)(a), (double)(b)))
#define WORD(table, i)   ((table)[i])
#define ROWS(table, i, a, b, c)                                        \
    (*(a) = REAL((table)[4 * (i)]), *(b) = REAL((table)[4 * (i) + 1]), \
     *(c) = REAL((table)[4 * (i) + 2]))
