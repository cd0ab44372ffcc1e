/* common.c - the functions that users' texts have in every language, those of OpenCL C and
 * LUN_UNIFORM, written once so that all give the same bits.  Those of integers compute in the type
 * of their first argument.  The names that each language provides: see common.h. */
#include "render/user/common.h"

#include <string.h>

#include "render/text/element_text.h"
#include "render/user/word_mention.h"

#define REAL    LUN_COMMON_REAL
#define INTEGER LUN_COMMON_INTEGER
#define RANDOM  LUN_COMMON_RANDOM

/* An integer as 64 bits, its own number of bits, and whether it is signed. */
#define BITS(x) "(uint64_t)(__typeof__(x))(" #x ")"
#define FORM(x) "8 * (int)sizeof(x), (__typeof__(x))-1 < 0"

static const struct {
    const char *name, *text;
    const char *calls; /* the functions of floats in it, with blanks around each */
    unsigned relies;
} macros[] = {
    /* any numbers */
    {"min",
     "(x, y) __extension__({ __typeof__((x) + (y)) lun_x = (x), lun_y = (y); "
     "lun_y < lun_x ? lun_y : lun_x; })",
     "", 0},
    {"max",
     "(x, y) __extension__({ __typeof__((x) + (y)) lun_x = (x), lun_y = (y); "
     "lun_x < lun_y ? lun_y : lun_x; })",
     "", 0},
    {"clamp",
     "(x, lo, hi) __extension__({ __typeof__((x) + (lo) + (hi)) lun_c = (x), lun_l = (lo), "
     "lun_h = (hi); lun_c < lun_l ? lun_l : lun_h < lun_c ? lun_h : lun_c; })",
     "", 0},
    {"abs", "(x) __extension__({ __typeof__(x) lun_a = (x); lun_a < 0 ? -lun_a : lun_a; })", "", 0},
    {"mad", "(x, y, z) ((x) * (y) + (z))", "", 0},
    {"select", "(x, y, c) ((c) ? (y) : (x))", "", 0},
    {"isequal", "(x, y) ((x) == (y))", "", 0},
    {"isnotequal", "(x, y) ((x) != (y))", "", 0},
    {"isgreater", "(x, y) ((x) > (y))", "", 0},
    {"isgreaterequal", "(x, y) ((x) >= (y))", "", 0},
    {"isless", "(x, y) ((x) < (y))", "", 0},
    {"islessequal", "(x, y) ((x) <= (y))", "", 0},
    {"islessgreater",
     "(x, y) __extension__({ __typeof__((x) + (y)) lun_x = (x), lun_y = (y); "
     "lun_x < lun_y || lun_y < lun_x; })",
     "", 0},
    {"isordered",
     "(x, y) __extension__({ __typeof__((x) + (y)) lun_x = (x), lun_y = (y); "
     "lun_x == lun_x && lun_y == lun_y; })",
     "", 0},
    {"isunordered",
     "(x, y) __extension__({ __typeof__((x) + (y)) lun_x = (x), lun_y = (y); "
     "lun_x != lun_x || lun_y != lun_y; })",
     "", 0},

    /* floats */
    {"degrees", "(x) ((LUN_REAL(x))(x) * (LUN_REAL(x))57.295779513082320877)", "", REAL},
    {"radians", "(x) ((LUN_REAL(x))(x) * (LUN_REAL(x))0.017453292519943295769)", "", REAL},
    {"mix",
     "(x, y, a) __extension__({ LUN_REAL((x) + (y) + (a)) lun_x = (x), lun_y = (y), lun_a = (a); "
     "lun_x + (lun_y - lun_x) * lun_a; })",
     "", REAL},
    {"step",
     "(edge, x) __extension__({ LUN_REAL((edge) + (x)) lun_e = (edge), lun_x = (x), lun_1 = 1, "
     "lun_0 = 0; lun_x < lun_e ? lun_0 : lun_1; })",
     "", REAL},
    {"smoothstep",
     "(lo, hi, x) __extension__({ LUN_REAL((lo) + (hi) + (x)) lun_l = (lo), lun_h = (hi), "
     "lun_x = (x), lun_t = (lun_x - lun_l) / (lun_h - lun_l); "
     "lun_t = lun_t < 0 ? 0 : lun_t > 1 ? 1 : lun_t; lun_t * lun_t * (3 - 2 * lun_t); })",
     "", REAL},
    {"sign",
     "(x) __extension__({ LUN_REAL(x) lun_x = (x), lun_1 = 1; "
     "lun_x > 0 ? lun_1 : lun_x < 0 ? -lun_1 : lun_x == 0 ? lun_x : 0; })",
     "", REAL},
    {"fract",
     "(x, p) __extension__({ LUN_REAL(x) lun_x = (x), lun_f = LUN_F_floor(lun_x), "
     "lun_d = lun_x == lun_f ? 0 : lun_x - lun_f, "
     "lun_m = sizeof lun_x == 4 ? 0x1.fffffep-1 : 0x1.fffffffffffffp-1; *(p) = lun_f; "
     "lun_m < lun_d ? lun_m : lun_d; })",
     " floor ", REAL},
    {"maxmag",
     "(x, y) __extension__({ LUN_REAL((x) + (y)) lun_x = (x), lun_y = (y), "
     "lun_a = lun_x < 0 ? -lun_x : lun_x, lun_b = lun_y < 0 ? -lun_y : lun_y; "
     "lun_a > lun_b || lun_y != lun_y ? lun_x : lun_b > lun_a || lun_x < lun_y || "
     "lun_x != lun_x ? lun_y : lun_x; })",
     "", REAL},
    {"minmag",
     "(x, y) __extension__({ LUN_REAL((x) + (y)) lun_x = (x), lun_y = (y), "
     "lun_a = lun_x < 0 ? -lun_x : lun_x, lun_b = lun_y < 0 ? -lun_y : lun_y; "
     "lun_a < lun_b || lun_y != lun_y ? lun_x : lun_b < lun_a || lun_y < lun_x || "
     "lun_x != lun_x ? lun_y : lun_x; })",
     "", REAL},
    {"rsqrt", "(x) (1 / LUN_F_sqrt(x))", " sqrt ", REAL},
    {"pown", /* of |x|, for an odd n with the sign of x */
     "(x, n) __extension__({ LUN_REAL(x) lun_x = (x); const int lun_n = (n); "
     "__typeof__(lun_x) lun_y = LUN_F_pow(LUN_F_fabs(lun_x), (__typeof__(lun_x))lun_n); "
     "lun_n & 1 ? LUN_F_copysign(lun_y, lun_x) : lun_y; })",
     " pow fabs copysign ", REAL},
    {"powr", /* exp(y log(x)): NaN where that is */
     "(x, y) __extension__({ LUN_REAL((x) + (y)) lun_x = (x), lun_y = (y), lun_0 = 0; "
     "lun_x < 0 || lun_x != lun_x || lun_y != lun_y || "
     "(lun_y == 0 && (lun_x == 0 || lun_x - lun_x != 0)) || (lun_x == 1 && lun_y - lun_y != 0) "
     "? lun_0 / lun_0 : LUN_F_pow(LUN_F_fabs(lun_x), lun_y); })",
     " pow fabs ", REAL},
    {"sincos",
     "(x, p) __extension__({ LUN_REAL(x) lun_x = (x); *(p) = LUN_F_cos(lun_x); "
     "LUN_F_sin(lun_x); })",
     " sin cos ", REAL},
    {"sinpi", /* of the distance d from the nearest integer, with the sign of its parity */
     "(x) __extension__({ LUN_REAL(x) lun_x = (x), lun_n = LUN_F_rint(lun_x), "
     "lun_d = lun_x - lun_n, lun_h = lun_n / 2, "
     "lun_s = LUN_F_sin(lun_d * (__typeof__(lun_x))3.14159265358979323846); "
     "lun_d == 0 ? LUN_F_copysign(lun_d, lun_x) : lun_h == LUN_F_floor(lun_h) ? lun_s : -lun_s; })",
     " rint sin copysign floor ", REAL},
    {"cospi",
     "(x) __extension__({ LUN_REAL(x) lun_x = (x), lun_n = LUN_F_rint(lun_x), "
     "lun_d = LUN_F_fabs(lun_x - lun_n), lun_h = lun_n / 2, "
     "lun_c = lun_d < (__typeof__(lun_x))0.25 ? LUN_F_cos(lun_d * "
     "(__typeof__(lun_x))3.14159265358979323846) "
     ": LUN_F_sin(((__typeof__(lun_x))0.5 - lun_d) * (__typeof__(lun_x))3.14159265358979323846); "
     "lun_h == LUN_F_floor(lun_h) || lun_c == 0 ? lun_c : -lun_c; })",
     " rint fabs cos sin floor ", REAL},
    {"tanpi", /* by the cotangent where d is above 1/4 */
     "(x) __extension__({ LUN_REAL(x) lun_x = (x), lun_n = LUN_F_rint(lun_x), "
     "lun_d = lun_x - lun_n, lun_a = LUN_F_fabs(lun_d), lun_h = lun_n / 2, "
     "lun_q = lun_a > (__typeof__(lun_x))0.25 ? (__typeof__(lun_x))0.5 - lun_a : lun_a, "
     "lun_t = LUN_F_tan(lun_q * (__typeof__(lun_x))3.14159265358979323846), "
     "lun_s = lun_d != 0 ? lun_d : lun_h == LUN_F_floor(lun_h) ? lun_x : -lun_x; "
     "LUN_F_copysign(lun_q < lun_a ? 1 / lun_t : lun_t, lun_s); })",
     " rint fabs tan copysign floor ", REAL},
    {"acospi", "(x) (LUN_F_acos(x) * (LUN_REAL(x))0.318309886183790671538)", " acos ", REAL},
    {"asinpi", "(x) (LUN_F_asin(x) * (LUN_REAL(x))0.318309886183790671538)", " asin ", REAL},
    {"atanpi", "(x) (LUN_F_atan(x) * (LUN_REAL(x))0.318309886183790671538)", " atan ", REAL},
    {"atan2pi", "(y, x) (LUN_F_atan2(y, x) * (LUN_REAL((y) + (x)))0.318309886183790671538)",
     " atan2 ", REAL},
    {"lround", "(x) ((int64_t)LUN_F_round(x))", " round ", REAL},
    {"lrint", "(x) ((int64_t)LUN_F_rint(x))", " rint ", REAL},

    /* integers */
    {"popcount", "(x) ((__typeof__(x))lun_ones((LUN_UNSIGNED(x))(x)))", "", INTEGER},
    {"clz", "(x) ((__typeof__(x))lun_leading((LUN_UNSIGNED(x))(x), 8 * (int)sizeof(x)))", "",
     INTEGER},
    {"ctz", "(x) ((__typeof__(x))lun_trailing((LUN_UNSIGNED(x))(x), 8 * (int)sizeof(x)))", "",
     INTEGER},
    {"rotate",
     "(x, n) ((__typeof__(x))lun_turned((LUN_UNSIGNED(x))(x), (int)(n), "
     "8 * (int)sizeof(x)))",
     "", INTEGER},
    {"mul_hi",
     "(x, y) ((__typeof__(x))lun_high(" BITS(x) ", (uint64_t)(__typeof__(x))(y), " FORM(x) "))", "",
     INTEGER},
    {"mad_hi",
     "(x, y, z) ((__typeof__(x))(lun_high(" BITS(x) ", (uint64_t)(__typeof__(x))(y), " FORM(
         x) ") + (uint64_t)(z)))",
     "", INTEGER},
    {"mul24", "(x, y) ((x) * (y))", "", 0},
    {"mad24", "(x, y, z) ((x) * (y) + (z))", "", 0},
    {"hadd",
     "(x, y) ((__typeof__(x))lun_half_sum(" BITS(x) ", (uint64_t)(__typeof__(x))(y), 0, "
                                                    "(__typeof__(x))-1 < 0))",
     "", INTEGER},
    {"rhadd",
     "(x, y) ((__typeof__(x))lun_half_sum(" BITS(x) ", (uint64_t)(__typeof__(x))(y), 1, "
                                                    "(__typeof__(x))-1 < 0))",
     "", INTEGER},
    {"add_sat",
     "(x, y) ((__typeof__(x))lun_sum_within(" BITS(x) ", (uint64_t)(__typeof__(x))(y), " FORM(
         x) "))",
     "", INTEGER},
    {"sub_sat",
     "(x, y) ((__typeof__(x))lun_difference_within(" BITS(x) ", "
                                                             "(uint64_t)(__typeof__(x))(y), " FORM(
                                                                 x) "))",
     "", INTEGER},
    {"mad_sat",
     "(x, y, z) ((__typeof__(x))lun_product_within(" BITS(
         x) ", "
            "(uint64_t)(__typeof__(x))(y), (uint64_t)(__typeof__(x))(z), " FORM(x) "))",
     "", INTEGER},
    {"abs_diff",
     "(x, y) ((LUN_UNSIGNED(x))lun_distance(" BITS(
         x) ", "
            "(uint64_t)(__typeof__(x))(y), (__typeof__(x))-1 < 0))",
     "", INTEGER},
    {"bitselect",
     "(x, y, c) __extension__({ __typeof__(x) lun_x = (x), lun_y = (y), lun_c = (c); "
     "(__typeof__(x))((lun_x & ~lun_c) | (lun_y & lun_c)); })",
     "", 0},

    /* element k, from 1, of lun.random(n, {seed}) in f64 */
    {"LUN_UNIFORM",
     "(seed, k) ((double)(lun_random_bits((uint64_t)(seed), (uint64_t)(k) - 1) >> 11) * 0x1p-53)",
     "", RANDOM},
};

/* Whether a text mentions it and no sequence computes an operation of that name. */
static bool is_mentioned(const lun_renderer *r, const char *name)
{
    for (int op = 0; op < LUN_OP_COUNT; op++)
        if (!strcmp(lun__op_get((lun_op)op)->name, name) &&
            lun__element_math(r, (lun_op)op, LUN_F32))
            return false;
    return lun__word_mention(r, name);
}

unsigned lun__common_each(lun_renderer *r, lun_strbuf *out,
                          void (*write)(lun_renderer *r, lun_strbuf *out, const char *name,
                                        const char *text))
{
    unsigned relies = 0;
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        if (!is_mentioned(r, macros[i].name))
            continue;
        relies |= macros[i].relies;
        write(r, out, macros[i].name, macros[i].text);
    }
    return relies;
}

bool lun__common_calls(const lun_renderer *r, const char *name)
{
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
        for (const char *p = macros[i].calls; (p = strstr(p, name)); p++)
            if (p[-1] == ' ' && p[strlen(name)] == ' ' && is_mentioned(r, macros[i].name))
                return true;
    return false;
}

/* Integers of w bits are held in 64: extended by their sign (s), or by zeros. */
static const char bit_functions[] =
    "$ uint64_t lun_ones(uint64_t u)\n{\n"
    "    u -= u >> 1 & 0x5555555555555555;\n"
    "    u = (u & 0x3333333333333333) + (u >> 2 & 0x3333333333333333);\n"
    "    u = (u + (u >> 4)) & 0x0f0f0f0f0f0f0f0f;\n"
    "    return u * 0x0101010101010101 >> 56;\n}\n"
    "$ uint64_t lun_leading(uint64_t u, int w)\n{\n"
    "    u |= u >> 1; u |= u >> 2; u |= u >> 4; u |= u >> 8; u |= u >> 16; u |= u >> 32;\n"
    "    return w - lun_ones(u);\n}\n"
    "$ uint64_t lun_trailing(uint64_t u, int w)\n{\n"
    "    return u ? lun_ones(~u & (u - 1)) : w;\n}\n"
    "$ uint64_t lun_turned(uint64_t u, int n, int w)\n{\n"
    "    return u << (n & (w - 1)) | u >> (-n & (w - 1));\n}\n"
    "$ uint64_t lun_distance(uint64_t a, uint64_t b, int s)\n{\n"
    "    return (s ? (int64_t)a < (int64_t)b : a < b) ? b - a : a - b;\n}\n"
    "$ uint64_t lun_half_sum(uint64_t a, uint64_t b, int up, int s)\n{\n"
    "    const uint64_t mean = s ? (uint64_t)((int64_t)(a ^ b) >> 1) : (a ^ b) >> 1;\n"
    "    return up ? (a | b) - mean : (a & b) + mean;\n}\n";

static const char wide_functions[] =
    /* the upper 64 bits of a product */
    "$ uint64_t lun_upper(uint64_t a, uint64_t b, int s)\n{\n"
    "    const uint64_t low = 0xffffffff, x = (a & low) * (b & low),\n"
    "        y = (a >> 32) * (b & low) + (x >> 32), z = (a & low) * (b >> 32) + (y & low),\n"
    "        h = (a >> 32) * (b >> 32) + (y >> 32) + (z >> 32);\n"
    "    return !s ? h : h - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0);\n}\n"
    "$ uint64_t lun_high(uint64_t a, uint64_t b, int w, int s)\n{\n"
    "    return w < 64 ? a * b >> (w & 63) : lun_upper(a, b, s);\n}\n"
    /* a signed number, or one that is not, cut to what w bits hold */
    "$ uint64_t lun_within(uint64_t u, int w, int s)\n{\n"
    "    const uint64_t most = ~(uint64_t)0 >> (64 - w + s);\n"
    "    if (!s) return u > most ? most : u;\n"
    "    return (int64_t)u > (int64_t)most ? most : (int64_t)u < ~(int64_t)most ? ~most : u;\n}\n"
    "$ uint64_t lun_sum_within(uint64_t a, uint64_t b, int w, int s)\n{\n"
    "    const uint64_t u = a + b;\n"
    "    if (!s) return u < a ? lun_within(~(uint64_t)0, w, s) : lun_within(u, w, s);\n"
    "    return (int64_t)((a ^ u) & (b ^ u)) < 0 ? (a >> 63) + (~(uint64_t)0 >> 1)\n"
    "                                            : lun_within(u, w, s);\n}\n"
    "$ uint64_t lun_difference_within(uint64_t a, uint64_t b, int w, int s)\n{\n"
    "    const uint64_t u = a - b;\n"
    "    if (!s) return a < b ? 0 : u;\n"
    "    return (int64_t)((a ^ b) & (a ^ u)) < 0 ? (a >> 63) + (~(uint64_t)0 >> 1)\n"
    "                                            : lun_within(u, w, s);\n}\n"
    "$ uint64_t lun_product_within(uint64_t a, uint64_t b, uint64_t c, int w, int s)\n{\n"
    "    const uint64_t p = a * b, u = p + c, most = ~(uint64_t)0;\n"
    "    const uint64_t h = lun_upper(a, b, s) + (u < p) - (s && (int64_t)c < 0);\n"
    "    if (!s) return lun_within(h ? most : u, w, s);\n"
    "    return lun_within(h == (uint64_t)((int64_t)u >> 63) ? u\n"
    "                      : (int64_t)h < 0 ? ~(most >> 1) : most >> 1, w, s);\n}\n";

/* Word n of the stream of a seed: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random
 * numbers, 2011), two words a block. */
static const char random_function[] =
    "$ uint64_t lun_random_bits(uint64_t seed, uint64_t n)\n{\n"
    "    const uint64_t low = 0xffffffff;\n"
    "    uint64_t a = n >> 1 & low, b = n >> 33, c = 0, d = 0, k = seed & low, l = seed >> 32;\n"
    "    for (int round = 0; round < 10; round++) {\n"
    "        const uint64_t p = a * 0xd2511f53, q = c * 0xcd9e8d57;\n"
    "        a = (q >> 32) ^ b ^ k, b = q & low, c = (p >> 32) ^ d ^ l, d = p & low;\n"
    "        k = (k + 0x9e3779b9) & low, l = (l + 0xbb67ae85) & low;\n"
    "    }\n"
    "    return n & 1 ? c | d << 32 : a | b << 32;\n}\n";

void lun__common_functions(lun_strbuf *out, unsigned relies, const char *inlined)
{
    const char *const parts[] = {relies & INTEGER ? bit_functions : "",
                                 relies & INTEGER ? wide_functions : "",
                                 relies & RANDOM ? random_function : ""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (const char *p = parts[i], *end; *p; p = end) {
            end = p + strcspn(p, "$");
            lun__strbuf_add(out, p, (size_t)(end - p));
            if (*end)
                lun__strbuf_puts(out, inlined), end++;
        }
}
