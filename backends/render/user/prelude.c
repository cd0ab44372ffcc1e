/* prelude.c - the names that users' C texts rely on: types, mathematical functions for float and
 * double under one name as in OpenCL C, some constants. Only those that a text contains are
 * written. */
#include "render/user/prelude.h"

#include <ctype.h>
#include <string.h>

#include "render/text/element.h"
#include "render/text/text.h"
#include "render/vector/math.h"

static const char types[] =
    "typedef __INT8_TYPE__ int8_t;\ntypedef __UINT8_TYPE__ uint8_t, uchar;\n"
    "typedef __INT16_TYPE__ int16_t;\ntypedef __UINT16_TYPE__ uint16_t, ushort;\n"
    "typedef __INT32_TYPE__ int32_t;\ntypedef __UINT32_TYPE__ uint32_t, uint;\n"
    "typedef __INT64_TYPE__ int64_t;\ntypedef __UINT64_TYPE__ uint64_t, ulong;\n"
    "typedef __SIZE_TYPE__ size_t;\ntypedef _Bool bool;\n"
    "#define true 1\n#define false 0\n#define LUN_GLOBAL\n#define LUN_CONSTANT\n"
    "#define __global\n#define __constant const\n";

/* Functions of the C library by number of arguments, and OpenCL C's macros. */
static const char *const library1[] = {"rint", "nearbyint", "tgamma", "lgamma",
                                       "logb", "exp10",     "round"};
static const char *const library2[] = {"fmod", "fmin", "fmax", "fdim", "nextafter", "remainder"};

/* ALIKE: of every language, whose own may be of one type only or give other bits.  REAL: the text
 * computes in LUN_REAL(x), the float dtype in which functions of floats take x. */
enum { ALIKE = 1, REAL = 2 };

static const struct {
    const char *name, *text;
    int kind;
} macros[] = {
    {"degrees", "(x) ((LUN_REAL(x))(x) * (LUN_REAL(x))57.295779513082320877)", ALIKE | REAL},
    {"radians", "(x) ((LUN_REAL(x))(x) * (LUN_REAL(x))0.017453292519943295769)", ALIKE | REAL},
    {"mix",
     "(x, y, a) __extension__({ LUN_REAL((x) + (y) + (a)) lun_x = (x), lun_y = (y), lun_a = (a); "
     "lun_x + (lun_y - lun_x) * lun_a; })",
     ALIKE | REAL},
    {"step",
     "(edge, x) __extension__({ LUN_REAL((edge) + (x)) lun_e = (edge), lun_x = (x), lun_1 = 1, "
     "lun_0 = 0; lun_x < lun_e ? lun_0 : lun_1; })",
     ALIKE | REAL},
    {"smoothstep",
     "(lo, hi, x) __extension__({ LUN_REAL((lo) + (hi) + (x)) lun_l = (lo), lun_h = (hi), "
     "lun_x = (x), lun_t = (lun_x - lun_l) / (lun_h - lun_l); "
     "lun_t = lun_t < 0 ? 0 : lun_t > 1 ? 1 : lun_t; lun_t * lun_t * (3 - 2 * lun_t); })",
     ALIKE | REAL},
    {"sign",
     "(x) __extension__({ LUN_REAL(x) lun_x = (x), lun_1 = 1; "
     "lun_x > 0 ? lun_1 : lun_x < 0 ? -lun_1 : lun_x == 0 ? lun_x : 0; })",
     ALIKE | REAL},
    {"fract",
     "(x, p) __extension__({ LUN_REAL(x) lun_x = (x), lun_f = LUN_FLOOR(lun_x), "
     "lun_d = lun_x == lun_f ? 0 : lun_x - lun_f, "
     "lun_m = sizeof lun_x == 4 ? 0x1.fffffep-1 : 0x1.fffffffffffffp-1; *(p) = lun_f; "
     "lun_m < lun_d ? lun_m : lun_d; })",
     ALIKE | REAL},
    {"maxmag",
     "(x, y) __extension__({ LUN_REAL((x) + (y)) lun_x = (x), lun_y = (y), "
     "lun_a = lun_x < 0 ? -lun_x : lun_x, lun_b = lun_y < 0 ? -lun_y : lun_y; "
     "lun_a > lun_b || lun_y != lun_y ? lun_x : lun_b > lun_a || lun_x < lun_y || "
     "lun_x != lun_x ? lun_y : lun_x; })",
     ALIKE | REAL},
    {"minmag",
     "(x, y) __extension__({ LUN_REAL((x) + (y)) lun_x = (x), lun_y = (y), "
     "lun_a = lun_x < 0 ? -lun_x : lun_x, lun_b = lun_y < 0 ? -lun_y : lun_y; "
     "lun_a < lun_b || lun_y != lun_y ? lun_x : lun_b < lun_a || lun_y < lun_x || "
     "lun_x != lun_x ? lun_y : lun_x; })",
     ALIKE | REAL},
    {"min",
     "(x, y) __extension__({ __typeof__((x) + (y)) lun_x = (x), lun_y = (y); "
     "lun_y < lun_x ? lun_y : lun_x; })",
     ALIKE},
    {"max",
     "(x, y) __extension__({ __typeof__((x) + (y)) lun_x = (x), lun_y = (y); "
     "lun_x < lun_y ? lun_y : lun_x; })",
     ALIKE},
    {"clamp",
     "(x, lo, hi) __extension__({ __typeof__((x) + (lo) + (hi)) lun_c = (x), lun_l = (lo), "
     "lun_h = (hi); lun_c < lun_l ? lun_l : lun_h < lun_c ? lun_h : lun_c; })",
     ALIKE},
    {"mad", "(x, y, z) ((x) * (y) + (z))", ALIKE},
    {"rsqrt", "(x) (1 / _Generic((x), float: __builtin_sqrtf, default: __builtin_sqrt)(x))", 0},
    {"abs", "(x) __extension__({ __typeof__(x) lun_a = (x); lun_a < 0 ? -lun_a : lun_a; })", ALIKE},
    {"isnan", "(x) __builtin_isnan(x)", 0},
    {"isinf", "(x) (__builtin_isinf(x) != 0)", 0},
    {"isfinite", "(x) __builtin_isfinite(x)", 0},
    {"signbit", "(x) (__builtin_signbit(x) != 0)", 0},
    {"INFINITY", " __builtin_inff()", 0},
    {"NAN", " __builtin_nanf(\"\")", 0},
    {"HUGE_VAL", " __builtin_inf()", 0},
    {"FLT_MAX", " __FLT_MAX__", 0},
    {"FLT_MIN", " __FLT_MIN__", 0},
    {"FLT_EPSILON", " __FLT_EPSILON__", 0},
    {"DBL_MAX", " __DBL_MAX__", 0},
    {"DBL_MIN", " __DBL_MIN__", 0},
    {"DBL_EPSILON", " __DBL_EPSILON__", 0},
    {"INT_MAX", " __INT_MAX__", 0},
    {"INT_MIN", " (-__INT_MAX__ - 1)", 0},
    {"LONG_MAX", " __LONG_MAX__", 0},
    {"LONG_MIN", " (-__LONG_MAX__ - 1)", 0},
    {"M_PI", " 0x1.921fb54442d18p1", 0},
    {"M_PI_2", " 0x1.921fb54442d18p0", 0},
    {"M_PI_4", " 0x1.921fb54442d18p-1", 0},
    {"M_E", " 0x1.5bf0a8b145769p1", 0},
    {"M_LN2", " 0x1.62e42fefa39efp-1", 0},
    {"M_SQRT2", " 0x1.6a09e667f3bcdp0", 0},
    {"M_PI_F", " 0x1.921fb6p1f", 0},
    {"M_E_F", " 0x1.5bf0a8p1f", 0},
};

static bool is_word(int c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool mentions(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p++)
        if (!is_word(p[n]) && (p == text || !is_word(p[-1])))
            return true;
    return false;
}

bool lun__prelude_mentions(const lun_renderer *r, const char *word)
{
    for (int i = 0; i < r->ir->function_count; i++)
        if (r->ir->functions[i]->text && mentions(r->ir->functions[i]->text, word))
            return true;
    return false;
}

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
    const char *b = row->arity == 2 ? ", b" : "", *suffix = lun__dtype_get(t)->suffix;
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(
        out, "%s %s(%s a%s%s) __asm__(\"_ZGV%cN%d%s_lun_math_%s%s\");\n%s %s(%s a%s%s)\n{\n", v.s,
        f.s, v.s, row->arity == 2 ? ", " : "", row->arity == 2 ? lun__text_name("%s b", v.s).s : "",
        letter, lanes, row->arity == 2 ? "vv" : "v", row->name, suffix, v.s, f.s, v.s,
        row->arity == 2 ? ", " : "", row->arity == 2 ? lun__text_name("%s b", v.s).s : "");
    if (lanes == native) {
        lun__strbuf_printf(out, "    return lun_m%d(a%s);\n}\n", lun__vecmath_index(op, t), b);
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
    lun__strbuf_printf(out, "    const %s y = lun_m%d(wide_a%s);\n    return RESIZE(%s, y, y",
                       wide.s, lun__vecmath_index(op, t), row->arity == 2 ? ", wide_b" : "", v.s);
    for (int l = 0; l < lanes; l++)
        lun__strbuf_printf(out, ", %d", l);
    lun__strbuf_puts(out, ");\n}\n");
}

/* Defines a function that declare() declares with `vector`: by the C library on single elements, by
 * math/vecmath.h on each size of vector that a compiler for this instruction set may choose. */
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
    lun_snippet type = lun__math_type(r, t, row->arity), c = lun__element_type(t);
    lun_snippet second = row->arity == 2 ? lun__text_name("%s b", c.s) : lun__text_name("%s", "");
    int index = lun__vecmath_index(op, t);
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(out, "static %s lun_m%d;\n", type.s, index);
    lun__strbuf_printf(&r->setup, "    lun_m%d = (%s)f->math[%d];\n", index, type.s, index);
    lun__strbuf_printf(out,
                       "%s lun_scalar_%s%s(%s a%s%s) __asm__(\"%s%s\");\n"
                       "%s lun_one_math_%s%s(%s a%s%s) __asm__(\"lun_math_%s%s\");\n"
                       "%s lun_one_math_%s%s(%s a%s%s)\n{\n    return lun_scalar_%s%s(a%s);\n}\n",
                       c.s, row->name, suffix, c.s, more, second.s, row->name, suffix, c.s,
                       row->name, suffix, c.s, more, second.s, row->name, suffix, c.s, row->name,
                       suffix, c.s, more, second.s, row->name, suffix,
                       row->arity == 2 ? ", b" : "");
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (r->target->isa >= variants[i].least)
            define_variant(r, op, t, variants[i].letter, variants[i].bytes);
}

/* Declares a function; a row of ops.def with vector math also gets its variants. */
static void provide(lun_renderer *r, lun_strbuf *out, const char *name, int arity, lun_op op,
                    lun_dtype t)
{
    bool vector = op < LUN_OP_COUNT && lun__math_has(r, op, t);
    declare(out, name, arity, lun__dtype_get(t)->suffix, vector);
    if (vector)
        define(r, op, t);
}

static void math_name(lun_renderer *r, lun_strbuf *out, const char *name, int arity, lun_op op)
{
    static const char *const params[] = {"", "(x)", "(x, y)", "(x, y, z)"};
    static const char *const sums[] = {"", "(x)", "(x) + (y)", "(x) + (y) + (z)"};
    lun_snippet single = lun__text_name("%sf", name);
    bool generic = lun__prelude_mentions(r, name), plain = lun__prelude_mentions(r, single.s);
    if (!generic && !plain)
        return;
    lun_snippet f = lun__text_name("__builtin_%sf", name), d = lun__text_name("__builtin_%s", name);
    r->libs |= LUN_RENDER_LIBM;
    if (!is_exact(name)) {
        f = lun__text_name("lun_libm_%sf", name);
        d = lun__text_name("lun_libm_%s", name);
        provide(r, out, name, arity, op, LUN_F32);
        if (generic)
            provide(r, out, name, arity, op, LUN_F64);
    }
    if (generic)
        lun__strbuf_printf(out, "#define %s%s _Generic(%s, float: %s, default: %s)%s\n", name,
                           params[arity], sums[arity], f.s, d.s, params[arity]);
    if (plain)
        lun__strbuf_printf(out, "#define %s%s %s%s\n", single.s, params[arity], f.s, params[arity]);
}

void lun__prelude_each(lun_renderer *r, lun_strbuf *out,
                       void (*write)(lun_renderer *r, lun_strbuf *out, const char *name, int arity,
                                     lun_op op))
{
    for (int op = 0; op < LUN_OP_COUNT; op++) { /* rows of the form M(name)(a, ...) */
        const lun_op_row *row = lun__op_get((lun_op)op);
        char name[16];
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

bool lun__prelude_alike(const lun_renderer *r,
                        void (*write)(lun_strbuf *out, lun_strbuf *after, const char *name,
                                      const char *text),
                        lun_strbuf *out, lun_strbuf *after)
{
    bool real = false;
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        if (!(macros[i].kind & ALIKE) || !lun__prelude_mentions(r, macros[i].name))
            continue;
        real |= macros[i].kind & REAL;
        write(out, after, macros[i].name, macros[i].text);
    }
    return real;
}

static void macro_names(const lun_renderer *r, lun_strbuf *out)
{
    bool real = false;
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        if (!lun__prelude_mentions(r, macros[i].name))
            continue;
        real |= macros[i].kind & REAL;
        lun__strbuf_printf(out, "#define %s%s\n", macros[i].name, macros[i].text);
    }
    if (real)
        lun__strbuf_puts(
            out, "#define LUN_REAL(x) __typeof__(_Generic((x), float: 0.0f, default: 0.0))\n"
                 "#define LUN_FLOOR(x) _Generic((x), float: __builtin_floorf, default: "
                 "__builtin_floor)(x)\n");
}

/* Names that compilers define in GNU C, which a text may give to something else. */
static void predefined(const lun_renderer *r, lun_strbuf *out)
{
    static const char *const names[] = {"linux", "unix", "i386"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lun__prelude_mentions(r, names[i]))
            lun__strbuf_printf(out, "#undef %s\n", names[i]);
}

void lun__prelude_write(lun_renderer *r, lun_strbuf *out)
{
    lun__strbuf_puts(out, types);
    predefined(r, out);
    lun__prelude_each(r, out, math_name);
    macro_names(r, out);
}
