/* prelude.c - the names that users' C texts rely on, in OpenCL C: types, and the language's
 * functions for any numbers. Only those that a text contains are written. */
#include "render/opencl/prelude.h"

#include <string.h>

#include "render/text/text.h"
#include "render/user/prelude.h"

static const char opencl_types[] =
    "typedef @i8 int8_t;\ntypedef @u8 uint8_t;\ntypedef @i16 int16_t;\n"
    "typedef @u16 uint16_t;\ntypedef @i32 int32_t;\ntypedef @u32 uint32_t;\n"
    "typedef @i64 int64_t;\ntypedef @u64 uint64_t;\n"
    "#define LUN_GLOBAL @global\n#define LUN_CONSTANT @constant\n";

/* Functions that convert an argument of a function of floats: integers become the widest float, as
 * in C. */
static void real_numbers(lun_renderer *r, lun_strbuf *out)
{
    static const char *const from[] = {"@i8",  "@u8",  "@i16", "@u16", "@i32",
                                       "@u32", "@i64", "@u64", "bool"};
    const char *wide = r->fp64 ? "double" : "float";
    static const char form[] = "@overloaded %s lun_real(%s x) { return x; }\n";
    lun__text_put(r, out, form, "float", "float");
    if (r->fp64)
        lun__text_put(r, out, form, "double", "double");
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        lun__text_put(r, out, form, wide, from[i]);
}

/* The language's function under another name, then its name as a macro that takes any numbers. A
 * macro of that name comes back behind the users' texts. */
static void overload(lun_renderer *r, lun_strbuf *out, const char *name, int arity,
                     const char *call)
{
    static const char *const params[] = {"", "(x)", "(x, y)", "(x, y, z)"};
    static const char *const sums[] = {"", "(x)", "(x) + (y)", "(x) + (y) + (z)"};
    for (int t = 0; t < 1 + r->fp64; t++) {
        const char *c = t ? "double" : "float";
        lun__text_put(r, out, "@overloaded %s lun_c_%s(%s x", c, name, c);
        for (int k = 1; k < arity; k++)
            lun__strbuf_printf(out, ", %s %c", c, 'x' + k);
        lun__strbuf_printf(out, ") { return %s%s; }\n", call, params[arity]);
    }
    lun__strbuf_printf(out, "#pragma push_macro(\"%s\")\n#undef %s\n#define %s%s lun_c_%s(", name,
                       name, name, params[arity], name);
    for (int k = 0; k < arity; k++)
        lun__strbuf_printf(out, "%s(__typeof__(lun_real(%s)))(%c)", k ? ", " : "", sums[arity],
                           'x' + k);
    lun__strbuf_puts(out, ")\n");
    lun__strbuf_printf(&r->after, "#pragma pop_macro(\"%s\")\n", name);
}

static void opencl_name(lun_renderer *r, lun_strbuf *out, const char *name, int arity, lun_op op)
{
    static const char *const params[] = {"", "(x)", "(x, y)", "(x, y, z)"};
    static const char *const floats[] = {"", "((float)(x))", "((float)(x), (float)(y))",
                                         "((float)(x), (float)(y), (float)(z))"};
    lun_snippet single = lun__text_name("%sf", name);
    bool generic = lun__prelude_mentions(r, name), plain = lun__prelude_mentions(r, single.s);
    (void)op;
    if (!generic && !plain)
        return;
    overload(r, out, name, arity, strcmp(name, "nearbyint") ? name : "rint");
    if (plain)
        lun__strbuf_printf(out, "#define %sf%s lun_c_%s%s\n", name, params[arity], name,
                           floats[arity]);
}

/* In place of the language's own, which come back behind the users' texts. */
static void alike(lun_strbuf *out, lun_strbuf *after, const char *name, const char *text)
{
    lun__strbuf_printf(out, "#pragma push_macro(\"%s\")\n#undef %s\n#define %s%s\n", name, name,
                       name, text);
    lun__strbuf_printf(after, "#pragma pop_macro(\"%s\")\n", name);
}

void lun__cl_prelude(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(r, out, "%s", opencl_types);
    real_numbers(r, out);
    lun__prelude_each(r, out, opencl_name);
    if (lun__prelude_mentions(r, "rsqrt"))
        overload(r, out, "rsqrt", 1, "1 / sqrt");
    if (lun__prelude_alike(r, alike, out, &r->after))
        lun__strbuf_puts(out, "#define LUN_REAL(x) __typeof__(lun_real(x))\n"
                              "#define LUN_FLOOR(x) floor(x)\n");
}
