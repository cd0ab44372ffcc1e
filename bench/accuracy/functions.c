/* functions.c - the functions that are measured, and their true values by MPFR. */
#include <math.h>
#include <stdlib.h>

#include "accuracy.h"

#define UNARY(id, name, from, to, low, high)                                                   \
    {                                                                                          \
#name, LUN_OP_##id, 1, from, to, low, high, mpfr_##name, NULL, name##l, NULL, name##f, \
            name, NULL, NULL                                                                   \
    }
#define BINARY(id, name, from, to)                                                              \
    {                                                                                           \
#name, LUN_OP_##id, 2, from, to, -INFINITY, INFINITY, NULL, mpfr_##name, NULL, name##l, \
            NULL, NULL, name##f, name                                                           \
    }

static float divf(float x, float y)
{
    return x / y;
}

static double divd(double x, double y)
{
    return x / y;
}

static extended divl(extended x, extended y)
{
    return x / y;
}

/* As ops.def says it for the functions of a C library. */
static float cospif_precise(float x)
{
    return sinf(3.14159265358979323846f * (0.5f - fabsf(remainderf(x, 2))));
}

static double cospi_precise(double x)
{
    return sin(3.14159265358979323846 * (0.5 - fabs(remainder(x, 2))));
}

static extended cospi_wide(extended x)
{
    return sinl(3.14159265358979323846264338327950288L * (0.5L - fabsl(remainderl(x, 2))));
}

const function functions[] = {
    {"div", LUN_OP_DIV, 2, -10, 10, -INFINITY, INFINITY, NULL, mpfr_div, NULL, divl, NULL, NULL,
     divf, divd},
    UNARY(SQRT, sqrt, 0, 4, 0, INFINITY),
    UNARY(CBRT, cbrt, -8, 8, -INFINITY, INFINITY),
    BINARY(HYPOT, hypot, -10, 10),
    BINARY(POW, pow, 0, 40),
    UNARY(EXP, exp, -700, 700, -760, 720),
    UNARY(EXP2, exp2, -1000, 1000, -1100, 1030),
    UNARY(EXPM1, expm1, -2, 2, -760, 720),
    UNARY(LOG, log, 0, 4, 0, INFINITY),
    UNARY(LOG2, log2, 0, 4, 0, INFINITY),
    UNARY(LOG10, log10, 0, 4, 0, INFINITY),
    UNARY(LOG1P, log1p, -1, 2, -1, INFINITY),
    UNARY(SIN, sin, -100, 100, -INFINITY, INFINITY),
    UNARY(COS, cos, -100, 100, -INFINITY, INFINITY),
    UNARY(TAN, tan, -100, 100, -INFINITY, INFINITY),
    UNARY(ASIN, asin, -1, 1, -1, 1),
    UNARY(ACOS, acos, -1, 1, -1, 1),
    UNARY(ATAN, atan, -10, 10, -INFINITY, INFINITY),
    BINARY(ATAN2, atan2, -10, 10),
    UNARY(SINH, sinh, -20, 20, -720, 720),
    UNARY(COSH, cosh, -20, 20, -720, 720),
    UNARY(TANH, tanh, -4, 4, -INFINITY, INFINITY),
    UNARY(ASINH, asinh, -20, 20, -INFINITY, INFINITY),
    UNARY(ACOSH, acosh, 1, 20, 1, INFINITY),
    UNARY(ATANH, atanh, -1, 1, -1, 1),
    UNARY(ERF, erf, -6, 6, -INFINITY, INFINITY),
    UNARY(ERFC, erfc, -6, 28, -10, 28),
    {"cospi", LUN_OP_COSPI, 1, -4, 4, -INFINITY, INFINITY, mpfr_cospi, NULL, cospi_wide, NULL,
     cospif_precise, cospi_precise, NULL, NULL},
};
const int function_count = sizeof functions / sizeof *functions;

extended exact_by_mpfr(const function *f, double x, double y)
{
    mpfr_t a, b, r;
    mpfr_init2(a, 53);
    mpfr_init2(b, 53);
    mpfr_init2(r, 64);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    if (f->arity == 1)
        f->exact1(r, a, MPFR_RNDN);
    else
        f->exact2(r, a, b, MPFR_RNDN);
    extended out = mpfr_get_ld(r, MPFR_RNDN);
    mpfr_clear(a);
    mpfr_clear(b);
    mpfr_clear(r);
    return out;
}
