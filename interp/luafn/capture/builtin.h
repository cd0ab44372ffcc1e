/* builtin.h - the functions of Lua's math library that can be compiled. */
#ifndef LUAFN_BUILTIN_H
#define LUAFN_BUILTIN_H

/* X(ID, name in the math library or NULL) */
#define LF_MATHS(X)           \
    X(ABS, "abs")             \
    X(CEIL, "ceil")           \
    X(FLOOR, "floor")         \
    X(SQRT, "sqrt")           \
    X(EXP, "exp")             \
    X(LOG, "log")             \
    X(SIN, "sin")             \
    X(COS, "cos")             \
    X(TAN, "tan")             \
    X(ASIN, "asin")           \
    X(ACOS, "acos")           \
    X(ATAN, "atan")           \
    X(MAX, "max")             \
    X(MIN, "min")             \
    X(FMOD, "fmod")           \
    X(MODF, "modf")           \
    X(TOINTEGER, "tointeger") \
    X(ULT, "ult")             \
    X(ATAN2, NULL)            \
    X(LOG_BASE, NULL)         \
    X(FRACTION, NULL) /* what modf leaves */

typedef enum lf_math {
#define LF_MATH_ENUM(id, name) LF_MATH_##id,
    LF_MATHS(LF_MATH_ENUM)
#undef LF_MATH_ENUM
        LF_MATH_COUNT
} lf_math;

#endif
