/* builtin.h - the functions of Lua's math library that differ from the operation of the same name,
 * or are no operation of table/ops.def. Every other function of math whose name a row of that table
 * has is that row. */
#ifndef LUAFN_BUILTIN_H
#define LUAFN_BUILTIN_H

/* X(ID, name in the math library or NULL, least number of arguments, the most that map and zip
 * pass); why it is no row: */
#define LF_MATHS(X)                                                                            \
    X(CEIL, "ceil", 1, 1)           /* gives an integer */                                     \
    X(FLOOR, "floor", 1, 1)         /* gives an integer */                                     \
    X(MAX, "max", 1, 2)             /* any number of arguments; NaN only if it is the first */ \
    X(MIN, "min", 1, 2)             /* the same */                                             \
    X(LOG, "log", 1, 2)             /* may have a base */                                      \
    X(ATAN, "atan", 1, 2)           /* may have a second argument: then it is the row atan2 */ \
    X(FMOD, "fmod", 2, 2)           /* the sign is that of the first argument */               \
    X(MODF, "modf", 1, 1)           /* two results */                                          \
    X(TOINTEGER, "tointeger", 1, 1) /* gives an integer or fails */                            \
    X(ULT, "ult", 2, 2)             /* unsigned comparison of integers */                      \
    X(LOG_BASE, NULL, 2, 2)         /* log with a base */                                      \
    X(FRACTION, NULL, 1, 1)         /* the second result of modf */

typedef enum lf_math {
#define LF_MATH_ENUM(id, name, arguments, most) LF_MATH_##id,
    LF_MATHS(LF_MATH_ENUM)
#undef LF_MATH_ENUM
        LF_MATH_COUNT
} lf_math;

#endif
