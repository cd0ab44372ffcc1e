/* c_prelude.c - the names that users' C texts rely on: types, mathematical functions for float and
 * double under one name as in OpenCL C, some constants. Only those that a text contains are
 * written. */
#include "render/user/c_prelude.h"

#include <string.h>

#include "math/sequence.h"
#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/user/common.h"
#include "render/user/word_mention.h"
#include "render/vector/vector.h"

static const char types[] =
    "typedef __INT8_TYPE__ int8_t;\ntypedef __UINT8_TYPE__ uint8_t, uchar;\n"
    "typedef __INT16_TYPE__ int16_t;\ntypedef __UINT16_TYPE__ uint16_t, ushort;\n"
    "typedef __INT32_TYPE__ int32_t;\ntypedef __UINT32_TYPE__ uint32_t, uint;\n"
    "typedef __INT64_TYPE__ int64_t;\ntypedef __UINT64_TYPE__ uint64_t, ulong;\n"
    "typedef __SIZE_TYPE__ size_t;\ntypedef __PTRDIFF_TYPE__ ptrdiff_t;\n"
    "typedef _Bool bool;\n"
    "#define true 1\n#define false 0\n#define LUN_GLOBAL\n#define LUN_CONSTANT\n"
    "#define __constant const\n#define __private\n";

/* Functions of the C library by number of arguments. */
static const char *const library1[] = {"rint", "nearbyint", "tgamma", "lgamma",
                                       "logb", "exp10",     "round"};
static const char *const library2[] = {"fmod", "fmin", "fmax", "fdim", "nextafter", "remainder"};

/* Names of C alone: other languages have them. */
static const struct {
    const char *name, *text;
} macros[] = {
#define LUN_BOTH(name) "_Generic((x), float: __builtin_" name "f, default: __builtin_" name ")"
    {"ldexp", "(x, n) " LUN_BOTH("ldexp") "(x, n)"},
    {"scalbn", "(x, n) " LUN_BOTH("ldexp") "(x, n)"},
    {"frexp", "(x, p) " LUN_BOTH("frexp") "(x, p)"},
    {"modf", "(x, p) " LUN_BOTH("modf") "(x, p)"},
    {"lgamma_r", "(x, p) " LUN_BOTH("lgamma_r") "(x, p)"},
    {"ilogb", "(x) " LUN_BOTH("ilogb") "(x)"},
    {"remquo", "(x, y, p) _Generic((x) + (y), float: __builtin_remquof, default: "
               "__builtin_remquo)(x, y, p)"},
#undef LUN_BOTH
    {"isnan", "(x) __builtin_isnan(x)"},
    {"isinf", "(x) (__builtin_isinf(x) != 0)"},
    {"isfinite", "(x) __builtin_isfinite(x)"},
    {"isnormal", "(x) (__builtin_isnormal(x) != 0)"},
    {"signbit", "(x) (__builtin_signbit(x) != 0)"},
    {"INFINITY", " __builtin_inff()"},
    {"NAN", " __builtin_nanf(\"\")"},
    {"HUGE_VAL", " __builtin_inf()"},
    {"HUGE_VALF", " __builtin_inff()"},
    {"MAXFLOAT", " __FLT_MAX__"},
    {"FLT_MAX", " __FLT_MAX__"},
    {"FLT_MIN", " __FLT_MIN__"},
    {"FLT_EPSILON", " __FLT_EPSILON__"},
    {"DBL_MAX", " __DBL_MAX__"},
    {"DBL_MIN", " __DBL_MIN__"},
    {"DBL_EPSILON", " __DBL_EPSILON__"},
    {"CHAR_BIT", " 8"},
    {"CHAR_MAX", " __SCHAR_MAX__"},
    {"CHAR_MIN", " (-__SCHAR_MAX__ - 1)"},
    {"SCHAR_MAX", " __SCHAR_MAX__"},
    {"SCHAR_MIN", " (-__SCHAR_MAX__ - 1)"},
    {"UCHAR_MAX", " (__SCHAR_MAX__ * 2 + 1)"},
    {"SHRT_MAX", " __SHRT_MAX__"},
    {"SHRT_MIN", " (-__SHRT_MAX__ - 1)"},
    {"USHRT_MAX", " (__SHRT_MAX__ * 2 + 1)"},
    {"INT_MAX", " __INT_MAX__"},
    {"INT_MIN", " (-__INT_MAX__ - 1)"},
    {"UINT_MAX", " (__INT_MAX__ * 2U + 1)"},
    {"LONG_MAX", " __LONG_MAX__"},
    {"LONG_MIN", " (-__LONG_MAX__ - 1)"},
    {"ULONG_MAX", " (__LONG_MAX__ * 2UL + 1)"},
    {"M_PI", " 0x1.921fb54442d18p1"},
    {"M_PI_2", " 0x1.921fb54442d18p0"},
    {"M_PI_4", " 0x1.921fb54442d18p-1"},
    {"M_1_PI", " 0x1.45f306dc9c883p-2"},
    {"M_2_PI", " 0x1.45f306dc9c883p-1"},
    {"M_2_SQRTPI", " 0x1.20dd750429b6dp0"},
    {"M_E", " 0x1.5bf0a8b145769p1"},
    {"M_LN2", " 0x1.62e42fefa39efp-1"},
    {"M_LN10", " 0x1.26bb1bbb55516p1"},
    {"M_LOG2E", " 0x1.71547652b82fep0"},
    {"M_LOG10E", " 0x1.bcb7b1526e50ep-2"},
    {"M_SQRT2", " 0x1.6a09e667f3bcdp0"},
    {"M_SQRT1_2", " 0x1.6a09e667f3bcdp-1"},
    {"M_PI_F", " 0x1.921fb6p1f"},
    {"M_PI_2_F", " 0x1.921fb6p0f"},
    {"M_PI_4_F", " 0x1.921fb6p-1f"},
    {"M_1_PI_F", " 0x1.45f306p-2f"},
    {"M_2_PI_F", " 0x1.45f306p-1f"},
    {"M_2_SQRTPI_F", " 0x1.20dd76p0f"},
    {"M_E_F", " 0x1.5bf0a8p1f"},
    {"M_LN2_F", " 0x1.62e43p-1f"},
    {"M_LN10_F", " 0x1.26bb1cp1f"},
    {"M_LOG2E_F", " 0x1.715476p0f"},
    {"M_LOG10E_F", " 0x1.bcb7b2p-2f"},
    {"M_SQRT2_F", " 0x1.6a09e6p0f"},
    {"M_SQRT1_2_F", " 0x1.6a09e6p-1f"},
};

/* True for a function that the compiler may replace by an instruction: its result is exact. */
static bool is_exact(const char *name)
{
    static const char *const names[] = {"sqrt",     "fabs", "floor", "ceil",      "trunc",
                                        "copysign", "fma",  "rint",  "nearbyint", "round",
                                        "fmin",     "fmax", "fdim"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* Declares a function of the C library for float (suffix "f") or double under a name that the
 * compiler does not know: it would fold constants with its own library, and replace pow(x, 0.5) by
 * a square root. With `vector` it has the variants on whole vectors that define() writes, and
 * vectorised loops call these. */
static void declare(lun_strbuf *out, const char *name, int arity, const char *suffix, bool vector)
{
    const char *t = *suffix ? "float" : "double";
    const char *more = arity == 1 ? "" : arity == 2 ? ", float" : ", float, float";
    if (!*suffix)
        more = arity == 1 ? "" : arity == 2 ? ", double" : ", double, double";
    lun__strbuf_printf(
        out, "%s lun_libm_%s%s(%s%s) __asm__(\"%s%s%s\") __attribute__((const, nothrow%s));\n", t,
        name, suffix, t, more, vector ? "lun_math_" : "", name, suffix,
        vector ? ", simd(\"notinbranch\")" : "");
}

/* The variant on vectors of so many bytes, under the name that the vector ABI gives it. */
static void define_variant(lun_renderer *r, lun_op op, lun_dtype t, char letter, int bytes)
{
    const lun_op_row *row = lun__op_get(op);
    int lanes = bytes / lun__dtype_get(t)->bytes, native = r->bytes / lun__dtype_get(t)->bytes;
    lun_snippet v = lun__vector_of(r, t, lanes), wide = lun__vector_of(r, t, native);
    lun_snippet f = lun__text_name("lun_%c_%s_%s", letter, row->name, lun__dtype_get(t)->name);
    const char *b = row->arity == 2 ? ", b" : "", *suffix = lun__dtype_get(t)->suffix,
               *name = lun__sequence(op, t, r->target->version)->name;
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(
        out, "%s %s(%s a%s%s) __asm__(\"_ZGV%cN%d%s_lun_math_%s%s\");\n%s %s(%s a%s%s)\n{\n", v.s,
        f.s, v.s, row->arity == 2 ? ", " : "", row->arity == 2 ? lun__text_name("%s b", v.s).s : "",
        letter, lanes, row->arity == 2 ? "vv" : "v", row->name, suffix, v.s, f.s, v.s,
        row->arity == 2 ? ", " : "", row->arity == 2 ? lun__text_name("%s b", v.s).s : "");
    if (lanes == native) {
        lun__strbuf_printf(out, "    return lun_seq_%s(a%s);\n}\n", name, b);
        return;
    }
    for (int k = 0; k < row->arity; k++) {
        const char *x = k ? "b" : "a";
        lun__strbuf_printf(out, "    const %s wide_%s = RESIZE(%s, %s, %s", wide.s, x, wide.s, x,
                           x);
        for (int l = 0; l < native; l++)
            lun__strbuf_printf(out, ", %d", l % lanes);
        lun__strbuf_puts(out, ");\n");
    }
    lun__strbuf_printf(out, "    const %s y = lun_seq_%s(wide_a%s);\n    return RESIZE(%s, y, y",
                       wide.s, name, row->arity == 2 ? ", wide_b" : "", v.s);
    for (int l = 0; l < lanes; l++)
        lun__strbuf_printf(out, ", %d", l);
    lun__strbuf_puts(out, ");\n}\n");
}

/* Defines a function that declare() declares with `vector`: the sequence on single elements, and on
 * each size of vector that a compiler for this instruction set may choose. */
static void define(lun_renderer *r, lun_op op, lun_dtype t)
{
    static const struct {
        char letter; /* SSE, AVX, AVX2, AVX-512 in the names of variants */
        int bytes;
        lun_isa least;
    } variants[] = {{'b', 16, LUN_ISA_BASE},
                    {'c', 32, LUN_ISA_AVX2},
                    {'d', 32, LUN_ISA_AVX2},
                    {'e', 64, LUN_ISA_AVX512}};
    const lun_op_row *row = lun__op_get(op);
    const char *suffix = lun__dtype_get(t)->suffix, *more = row->arity == 2 ? ", " : "";
    lun_snippet c = lun__element_type(t), one = lun__element_op(r, op, t);
    lun_snippet second = row->arity == 2 ? lun__text_name("%s b", c.s) : lun__text_name("%s", "");
    lun__strbuf_printf(&r->helpers,
                       "%s lun_math_%s%s(%s a%s%s) __asm__(\"lun_math_%s%s\");\n"
                       "%s lun_math_%s%s(%s a%s%s)\n{\n    return %s(a%s);\n}\n",
                       c.s, row->name, suffix, c.s, more, second.s, row->name, suffix, c.s,
                       row->name, suffix, c.s, more, second.s, one.s, row->arity == 2 ? ", b" : "");
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (r->target->isa >= variants[i].least)
            define_variant(r, op, t, variants[i].letter, variants[i].bytes);
}

/* Declares a function; a row of ops.def that a sequence computes also gets its variants. */
static void provide(lun_renderer *r, lun_strbuf *out, const char *name, int arity, lun_op op,
                    lun_dtype t)
{
    bool vector = op < LUN_OP_COUNT && lun__element_math(r, op, t);
    declare(out, name, arity, lun__dtype_get(t)->suffix, vector);
    if (vector)
        define(r, op, t);
}

static void math_name(lun_renderer *r, lun_strbuf *out, const char *name, int arity, lun_op op)
{
    static const char *const params[] = {"", "(x)", "(x, y)", "(x, y, z)"};
    static const char *const sums[] = {"", "(x)", "(x) + (y)", "(x) + (y) + (z)"};
    lun_snippet single = lun__text_name("%sf", name);
    bool generic = lun__word_mention(r, name), plain = lun__word_mention(r, single.s);
    bool called = lun__common_calls(r, name);
    if (!generic && !plain && !called)
        return;
    lun_snippet f = lun__text_name("__builtin_%sf", name), d = lun__text_name("__builtin_%s", name);
    r->libs |= LUN_RENDER_LIBM;
    if (!is_exact(name)) {
        f = lun__text_name("lun_libm_%sf", name);
        d = lun__text_name("lun_libm_%s", name);
        provide(r, out, name, arity, op, LUN_F32);
        if (generic || called)
            provide(r, out, name, arity, op, LUN_F64);
    }
    if (generic)
        lun__strbuf_printf(out, "#define %s%s _Generic(%s, float: %s, default: %s)%s\n", name,
                           params[arity], sums[arity], f.s, d.s, params[arity]);
    if (called)
        lun__strbuf_printf(out, "#define LUN_F_%s%s _Generic(%s, float: %s, default: %s)%s\n", name,
                           params[arity], sums[arity], f.s, d.s, params[arity]);
    if (plain)
        lun__strbuf_printf(out, "#define %s%s %s%s\n", single.s, params[arity], f.s, params[arity]);
}

void lun__c_prelude_each(lun_renderer *r, lun_strbuf *out,
                         void (*write)(lun_renderer *r, lun_strbuf *out, const char *name,
                                       int arity, lun_op op))
{
    for (int op = 0; op < LUN_OP_COUNT; op++) { /* sequences, and rows M(name)(a, ...) */
        const lun_op_row *row = lun__op_get((lun_op)op);
        char name[16];
        if (lun__element_math(r, (lun_op)op, LUN_F32)) {
            write(r, out, row->name, row->arity, (lun_op)op);
            continue;
        }
        size_t n = row->flt && !strncmp(row->flt, "M(", 2) ? strcspn(row->flt + 2, ")") : 0;
        if (n == 0 || n >= sizeof name ||
            strspn(row->flt + n + 3, "(abc, )") != strlen(row->flt + n + 3))
            continue;
        memcpy(name, row->flt + 2, n);
        name[n] = 0;
        write(r, out, name, row->arity, (lun_op)op);
    }
    for (size_t i = 0; i < sizeof library1 / sizeof *library1; i++)
        write(r, out, library1[i], 1, LUN_OP_COUNT);
    for (size_t i = 0; i < sizeof library2 / sizeof *library2; i++)
        write(r, out, library2[i], 2, LUN_OP_COUNT);
}

static void common(lun_renderer *r, lun_strbuf *out, const char *name, const char *text)
{
    (void)r;
    lun__strbuf_printf(out, "#define %s%s\n", name, text);
}

static const char unsigned_types[] =
    "#define LUN_UNSIGNED(x) __typeof__(_Generic((x), char: (uchar)0, signed char: (uchar)0, \\\n"
    "    uchar: (uchar)0, short: (ushort)0, ushort: (ushort)0, int: 0u, uint: 0u, \\\n"
    "    long long: 0ull, unsigned long long: 0ull, default: 0ul))\n";

static void macro_names(lun_renderer *r, lun_strbuf *out)
{
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        if (!lun__word_mention(r, macros[i].name))
            continue;
        if (strstr(macros[i].text, "_Generic"))
            r->libs |= LUN_RENDER_LIBM;
        lun__strbuf_printf(out, "#define %s%s\n", macros[i].name, macros[i].text);
    }
    unsigned relies = lun__common_each(r, out, common);
    if (relies & LUN_COMMON_REAL)
        lun__strbuf_puts(
            out, "#define LUN_REAL(x) __typeof__(_Generic((x), float: 0.0f, default: 0.0))\n");
    if (relies & LUN_COMMON_INTEGER)
        lun__strbuf_puts(out, unsigned_types);
    lun__common_functions(out, relies, "static inline");
}

/* Names that compilers define in GNU C, which a text may give to something else. */
static void predefined(const lun_renderer *r, lun_strbuf *out)
{
    static const char *const names[] = {"linux", "unix", "i386"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lun__word_mention(r, names[i]))
            lun__strbuf_printf(out, "#undef %s\n", names[i]);
}

void lun__c_prelude_write(lun_renderer *r, lun_strbuf *out)
{
    lun__strbuf_puts(out, types);
    predefined(r, out);
    lun__c_prelude_each(r, out, math_name);
    macro_names(r, out);
}
