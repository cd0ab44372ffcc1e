/* libm.c - what the difference tests measure results against: the C library's long double
 * functions, called directly, and arithmetic that Lua lacks (single rounding to f32, fma). A Lua
 * module.  It must not know the engine: no header of ours is included. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

typedef long double wide;

/* Largest length of an operand list. */
enum { OPERANDS = 2 };

typedef struct function {
    const char *name;
    int arity;
    wide (*one)(wide);
    wide (*two)(wide, wide);
} function;

/* By the sine: exact where it is 0. */
static wide cospil(wide x)
{
    return sinl(3.14159265358979323846264338327950288L * (0.5L - fabsl(remainderl(x, 2))));
}

#define ONE(name)               \
    {                           \
#name, 1, name##l, NULL \
    }
#define TWO(name)               \
    {                           \
#name, 2, NULL, name##l \
    }
static const function functions[] = {
    ONE(sqrt),  ONE(cbrt), ONE(exp),      ONE(exp2),  ONE(expm1), ONE(log),  ONE(log2),  ONE(log10),
    ONE(log1p), ONE(sin),  ONE(cos),      ONE(tan),   ONE(asin),  ONE(acos), ONE(atan),  ONE(sinh),
    ONE(cosh),  ONE(tanh), ONE(asinh),    ONE(acosh), ONE(atanh), ONE(erf),  ONE(erfc),  ONE(cospi),
    ONE(floor), ONE(ceil), ONE(round),    ONE(trunc), ONE(fabs),  TWO(pow),  TWO(atan2), TWO(hypot),
    TWO(fmin),  TWO(fmax), TWO(copysign), TWO(fmod),
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* A binary format: significant bits, exponents of the smallest and largest binade. */
typedef struct format {
    int size, digits, low, high;
} format;

static format check_format(lua_State *L, int i)
{
    static const char *const names[] = {"f32", "f64", NULL};
    static const format formats[] = {{4, 24, -126, 127}, {8, 53, -1022, 1023}};
    return formats[luaL_checkoption(L, i, NULL, names)];
}

static double element(format f, const char *bytes, size_t i)
{
    float x;
    double y;
    if (f.size == 4) {
        memcpy(&x, bytes + 4 * i, sizeof x);
        return (double)x;
    }
    memcpy(&y, bytes + 8 * i, sizeof y);
    return y;
}

/* The bytes of an array at stack index i; *count is their number of elements, the same for all. */
static const char *check_elements(lua_State *L, int i, format f, size_t *count, bool first)
{
    size_t length;
    const char *bytes = luaL_checklstring(L, i, &length);
    luaL_argcheck(L, length % (size_t)f.size == 0, i, "no whole number of elements");
    luaL_argcheck(L, first || length / (size_t)f.size == *count, i, "lengths differ");
    *count = length / (size_t)f.size;
    return bytes;
}

/* ---- accuracy -------------------------------------------------------------------------------- */

/* The error of got in units in the last place of the format; infinite where it is wrong in kind:
 * NaN for a number, a wrong infinity, a zero of the wrong sign. An infinity stands for the first
 * number beyond the format, so that rounding up to it at the very edge counts as what it is. */
static double error_in_ulp(wide exact, double got, format f)
{
    if (isnan(exact) || isnan(got))
        return isnan(exact) && isnan(got) ? 0 : HUGE_VAL;
    bool same_sign = !signbit(exact) == !signbit(got);
    if (exact == 0)
        return got == 0 && same_sign ? 0 : HUGE_VAL;
    if (isinf(exact))
        return isinf(got) && same_sign ? 0 : HUGE_VAL;
    if ((got == 0 || isinf(got)) && !same_sign)
        return HUGE_VAL;
    wide beyond = ldexpl(1, f.high + 1);
    wide x = fminl(fmaxl(exact, -beyond), beyond);
    wide y = fminl(fmaxl((wide)got, -beyond), beyond);
    int binade = ilogbl(x);
    if (binade < f.low)
        binade = f.low;
    if (binade > f.high)
        binade = f.high;
    return (double)(fabsl(y - x) / ldexpl(1, binade - f.digits + 1));
}

static const function *check_function(lua_State *L, int i)
{
    const char *name = luaL_checkstring(L, i);
    for (int k = 0; k < FUNCTIONS; k++)
        if (strcmp(functions[k].name, name) == 0)
            return &functions[k];
    luaL_error(L, "no function '%s'", name);
    return NULL;
}

/* libm.accuracy(name, dtype, got, a [, b]): all byte strings. Gives the largest error in ULP, where
 * (from 1) it is, and the true value there. */
static int accuracy(lua_State *L)
{
    const function *fn = check_function(L, 1);
    format f = check_format(L, 2);
    size_t count = 0, worst = 0;
    const char *got = check_elements(L, 3, f, &count, true);
    const char *operand[OPERANDS] = {NULL};
    for (int k = 0; k < fn->arity; k++)
        operand[k] = check_elements(L, 4 + k, f, &count, false);
    double most = -1;
    wide truth = 0;
    for (size_t i = 0; i < count; i++) {
        wide x = (wide)element(f, operand[0], i);
        wide exact = fn->one ? fn->one(x) : fn->two(x, (wide)element(f, operand[1], i));
        double error = error_in_ulp(exact, element(f, got, i), f);
        if (error > most) {
            most = error;
            worst = i;
            truth = exact;
        }
    }
    lua_pushnumber(L, most);
    lua_pushinteger(L, (lua_Integer)worst + 1);
    lua_pushnumber(L, (double)truth);
    return 3;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* libm.sums(dtype, bytes): in long double, the sum, the sum of magnitudes, the sum of squares, the
 * mean, and the sum of squared deviations from it. */
static int sums(lua_State *L)
{
    format f = check_format(L, 1);
    size_t count = 0;
    const char *bytes = check_elements(L, 2, f, &count, true);
    wide sum = 0, magnitude = 0, square = 0, deviation = 0;
    for (size_t i = 0; i < count; i++) {
        wide x = (wide)element(f, bytes, i);
        sum += x;
        magnitude += fabsl(x);
        square += x * x;
    }
    wide mean = sum / (wide)count;
    for (size_t i = 0; i < count; i++) {
        wide d = (wide)element(f, bytes, i) - mean;
        deviation += d * d;
    }
    lua_pushnumber(L, (double)sum);
    lua_pushnumber(L, (double)magnitude);
    lua_pushnumber(L, (double)square);
    lua_pushnumber(L, (double)mean);
    lua_pushnumber(L, (double)deviation);
    return 5;
}

/* ---- single numbers -------------------------------------------------------------------------- */

/* libm.<name>(x [, y]) as f64. Upvalue: the function's index. */
static int call(lua_State *L)
{
    const function *fn = &functions[lua_tointeger(L, lua_upvalueindex(1))];
    wide x = (wide)luaL_checknumber(L, 1);
    wide result = fn->one ? fn->one(x) : fn->two(x, (wide)luaL_checknumber(L, 2));
    lua_pushnumber(L, (double)result);
    return 1;
}

/* libm.fma(dtype, a, b, c), rounded once to the dtype. */
static int fused(lua_State *L)
{
    bool is_single = check_format(L, 1).size == 4;
    double a = luaL_checknumber(L, 2), b = luaL_checknumber(L, 3), c = luaL_checknumber(L, 4);
    lua_pushnumber(L, is_single ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c));
    return 1;
}

/* libm.float(dtype, i, unsigned): an integer of 64 bits, rounded once to the dtype. */
static int to_float(lua_State *L)
{
    bool is_single = check_format(L, 1).size == 4;
    lua_Integer i = luaL_checkinteger(L, 2);
    wide x = lua_toboolean(L, 3) ? (wide)(lua_Unsigned)i : (wide)i;
    lua_pushnumber(L, is_single ? (double)(float)x : (double)x);
    return 1;
}

/* libm.digest(dtype, bytes): 64 bits that tell results apart (FNV-1a over elements); all NaNs are
 * one.  A dtype that is no float is taken byte by byte. */
static int digest(lua_State *L)
{
    const char *dtype = luaL_checkstring(L, 1);
    size_t length;
    const char *bytes = luaL_checklstring(L, 2, &length);
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    bool is_float = strcmp(dtype, "f32") == 0 || strcmp(dtype, "f64") == 0;
    format f = is_float ? check_format(L, 1) : (format){1, 0, 0, 0};
    for (size_t i = 0; i < length / (size_t)f.size; i++) {
        uint64_t bits = 0;
        memcpy(&bits, bytes + i * (size_t)f.size, (size_t)f.size);
        if (is_float && isnan(element(f, bytes, i)))
            bits = UINT64_C(0x7ff8000000000000);
        h = (h ^ bits) * UINT64_C(0x100000001b3);
        h ^= h >> 32;
    }
    lua_pushinteger(L, (lua_Integer)h);
    return 1;
}

__attribute__((visibility("default"))) extern int luaopen_libm(lua_State *L);
int luaopen_libm(lua_State *L)
{
    static const luaL_Reg others[] = {{"accuracy", accuracy}, {"sums", sums},     {"fma", fused},
                                      {"float", to_float},    {"digest", digest}, {NULL, NULL}};
    luaL_newlib(L, others);
    for (int k = 0; k < FUNCTIONS; k++) {
        lua_pushinteger(L, k);
        lua_pushcclosure(L, call, 1);
        lua_setfield(L, -2, functions[k].name);
    }
    return 1;
}
