/* W8: the math functions one by one over 2^18 elements, f32 and f64: loops that gcc vectorises
 * through libmvec's variants (no function is reassociated, -ffast-math is off), and the scalar C
 * library's.  Names of the workloads: <function>_f32, <function>_f64. */
#include "bench.h"

enum { N = 1 << 18 };

/* clang-format off */
#define UNARY(X)                                                                                 \
    X(exp, -20, 20) X(exp2, -20, 20) X(expm1, -2, 2) X(log, 0.01, 100) X(log2, 0.01, 100)        \
    X(log10, 0.01, 100) X(log1p, -0.9, 9) X(sin, -10, 10) X(cos, -10, 10) X(tan, -10, 10)        \
    X(asin, -1, 1) X(acos, -1, 1) X(atan, -10, 10) X(sinh, -9, 9) X(cosh, -9, 9) X(tanh, -4, 4)  \
    X(asinh, -10, 10) X(acosh, 1, 20) X(atanh, -0.99, 0.99) X(erf, -3, 3) X(erfc, -3, 3)         \
    X(cbrt, -10, 10)
/* clang-format on */
#define BINARY(X) X(pow, 0.1, 10) X(atan2, -3, 3) X(hypot, -10, 10)

#define DECLARE_1(fn, low, high)                                \
    _Pragma("omp declare simd notinbranch") double fn(double);  \
    _Pragma("omp declare simd notinbranch") float fn##f(float); \
    double scalar_##fn(double) __asm__(#fn);                    \
    float scalar_##fn##f(float) __asm__(#fn "f");
#define DECLARE_2(fn, low, high)                                       \
    _Pragma("omp declare simd notinbranch") double fn(double, double); \
    _Pragma("omp declare simd notinbranch") float fn##f(float, float); \
    double scalar_##fn(double, double) __asm__(#fn);                   \
    float scalar_##fn##f(float, float) __asm__(#fn "f");
UNARY(DECLARE_1)
BINARY(DECLARE_2)

/* One function over arrays of one type. */
#define LOOP_1(type, name, called)                                                        \
    static void name(type *r, const type *x, const type *y)                               \
    {                                                                                     \
        (void)y;                                                                          \
        _Pragma("omp parallel for simd") for (int i = 0; i < N; i++) r[i] = called(x[i]); \
    }
#define LOOP_2(type, name, called)                                                              \
    static void name(type *r, const type *x, const type *y)                                     \
    {                                                                                           \
        _Pragma("omp parallel for simd") for (int i = 0; i < N; i++) r[i] = called(x[i], y[i]); \
    }
#define LOOPS(LOOP, fn)                      \
    LOOP(double, vector_d_##fn, fn)          \
    LOOP(float, vector_s_##fn, fn##f)        \
    LOOP(double, scalar_d_##fn, scalar_##fn) \
    LOOP(float, scalar_s_##fn, scalar_##fn##f)
#define LOOPS_1(fn, low, high) LOOPS(LOOP_1, fn)
#define LOOPS_2(fn, low, high) LOOPS(LOOP_2, fn)
UNARY(LOOPS_1)
BINARY(LOOPS_2)

typedef void loop_d(double *, const double *, const double *);
typedef void loop_s(float *, const float *, const float *);

typedef struct row {
    const char *name_d, *name_s;
    double low, high;
    loop_d *vector_d, *scalar_d;
    loop_s *vector_s, *scalar_s;
} row;

#define ROW(fn, low, high) \
    {#fn "_f64", #fn "_f32", low, high, vector_d_##fn, scalar_d_##fn, vector_s_##fn, scalar_s_##fn},
static const row rows[] = {UNARY(ROW) BINARY(ROW)};

static double dx[N], dy[N], dr[N];
static float sx[N], sy[N], sr[N];

int main(int argc, char **argv)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const row *f = &rows[k];
        int chosen = argc < 2;
        for (int i = 1; i < argc; i++)
            chosen |=
                !strncmp(argv[i], f->name_d, strlen(argv[i])) && f->name_d[strlen(argv[i])] == '_';
        if (!chosen)
            continue;
        uint64_t state = 1;
        for (int i = 0; i < N; i++) {
            double u[2];
            for (int j = 0; j < 2; j++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                u[j] = f->low + (f->high - f->low) * ((double)(state >> 11) * 0x1p-53);
            }
            dx[i] = u[0], dy[i] = u[1];
            sx[i] = (float)u[0], sy[i] = (float)u[1];
        }
        BENCH(f->name_d, "libmvec", 16.0 * N, "GB/s", f->vector_d(dr, dx, dy));
        BENCH(f->name_d, "libm", 16.0 * N, "GB/s", f->scalar_d(dr, dx, dy));
        BENCH(f->name_s, "libmvec", 8.0 * N, "GB/s", f->vector_s(sr, sx, sy));
        BENCH(f->name_s, "libm", 8.0 * N, "GB/s", f->scalar_s(sr, sx, sy));
    }
    return 0;
}
