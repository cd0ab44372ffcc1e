/* cl_words.h - the words of the sequences on one element, in OpenCL C. See sequence.h. */
#define COLD             static
#define TABLE(...)       __constant ulong __VA_ARGS__
#define F64              double
#define F32              float
#define I64              ulong
#define I32              uint
#define INF              as_double(0x7ff0000000000000UL)
#define INFF             as_float(0x7f800000u)
#define QNAN             as_double(0x7ff8000000000000UL)
#define QNANF            as_float(0x7fc00000u)
#define C(x)             (x)
#define CF(x)            (x)
#define BITS(x)          as_ulong(x)
#define BITSF(x)         as_uint(x)
#define REAL(x)          as_double((ulong)(x))
#define REALF(x)         as_float((uint)(x))
#define LT(a, b)         (-(ulong)((a) < (b)))
#define LTF(a, b)        (-(uint)((a) < (b)))
#define LE(a, b)         (-(ulong)((a) <= (b)))
#define LEF(a, b)        (-(uint)((a) <= (b)))
#define EQ(a, b)         (-(ulong)((a) == (b)))
#define EQF(a, b)        (-(uint)((a) == (b)))
#define NE(a, b)         (-(ulong)((a) != (b)))
#define NEF(a, b)        (-(uint)((a) != (b)))
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
#define FMA(a, b, c)     fma((double)(a), (double)(b), (double)(c))
#define FMAF(a, b, c)    fma((float)(a), (float)(b), (float)(c))
#define SQRT(a)          sqrt((double)(a))
#define SQRTF(a)         sqrt((float)(a))
#define HALVES(f, a)     ((float)f((double)(a)))
#define HALVES2(f, a, b) ((float)f((double)(a), (double)(b)))
#define WORD(table, i)   ((table)[i])
#define ROWS(table, i, a, b, c)                                        \
    (*(a) = REAL((table)[4 * (i)]), *(b) = REAL((table)[4 * (i) + 1]), \
     *(c) = REAL((table)[4 * (i) + 2]))
