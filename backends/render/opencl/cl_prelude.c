/* cl_prelude.c - the names that users' C texts rely on, in OpenCL C: types, and the language's
 * functions for any numbers. Only those that a text contains are written. */
#include "render/opencl/cl_texts.h"

#include <string.h>

#include "render/text/element_text.h"
#include "render/text/text.h"
#include "render/user/c_prelude.h"
#include "render/user/common.h"
#include "render/user/word_mention.h"

static const char opencl_types[] =
    "typedef @i8 int8_t;\ntypedef @u8 uint8_t;\ntypedef @i16 int16_t;\n"
    "typedef @u16 uint16_t;\ntypedef @i32 int32_t;\ntypedef @u32 uint32_t;\n"
    "typedef @i64 int64_t;\ntypedef @u64 uint64_t;\n"
    "#define LUN_CONSTANT @constant\n";

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

/* Defines a macro in place of the language's own of that name, which comes back behind the users'
 * texts. */
static void define(lun_renderer *r, lun_strbuf *out, const char *name, const char *text)
{
    lun__strbuf_printf(out, "#pragma push_macro(\"%s\")\n#undef %s\n#define %s%s\n", name, name,
                       name, text);
    lun__strbuf_printf(&r->after, "#pragma pop_macro(\"%s\")\n", name);
}

/* The language's function, or a sequence of math/sequence.h, under another name, for each type of
 * floats. */
static void overload(lun_renderer *r, lun_strbuf *out, const char *name, int arity, lun_op op)
{
    static const char *const params[] = {"", "(a)", "(a, b)", "(a, b, c)"};
    for (int t = 0; t < 1 + r->fp64; t++) {
        const char *c = t ? "double" : "float";
        lun_dtype dtype = t ? LUN_F64 : LUN_F32;
        bool sequence = op < LUN_OP_COUNT && lun__element_math(r, op, dtype);
        lun_snippet own = {""};
        if (sequence) {
            own = lun__element_op(r, op, dtype);
            lun__text_put(r, out, "@inline %s %s(%s%s%s);\n", c, own.s, c, arity > 1 ? ", " : "",
                          arity > 1 ? c : "");
        }
        lun__text_put(r, out, "@overloaded %s lun_c_%s(%s a", c, name, c);
        for (int k = 1; k < arity; k++)
            lun__strbuf_printf(out, ", %s %c", c, 'a' + k);
        lun__strbuf_printf(out, ") { return %s%s; }\n",
                           sequence                    ? own.s
                           : strcmp(name, "nearbyint") ? name
                                                       : "rint",
                           params[arity]);
    }
}

static void opencl_name(lun_renderer *r, lun_strbuf *out, const char *name, int arity, lun_op op)
{
    static const char *const params[] = {"", "(x)", "(x, y)", "(x, y, z)"};
    static const char *const sums[] = {"", "(x)", "(x) + (y)", "(x) + (y) + (z)"};
    static const char *const floats[] = {"", "((float)(x))", "((float)(x), (float)(y))",
                                         "((float)(x), (float)(y), (float)(z))"};
    lun_snippet single = lun__text_name("%sf", name);
    bool generic = lun__word_mention(r, name), plain = lun__word_mention(r, single.s);
    bool called = lun__common_calls(r, name);
    if (!generic && !plain && !called)
        return;
    lun_strbuf text = LUN_STRBUF_INIT; /* any numbers, taken as the widest float among them */
    lun__strbuf_printf(&text, "%s lun_c_%s(", params[arity], name);
    for (int k = 0; k < arity; k++)
        lun__strbuf_printf(&text, "%s(__typeof__(lun_real(%s)))(%c)", k ? ", " : "", sums[arity],
                           'x' + k);
    lun__strbuf_puts(&text, ")");
    overload(r, out, name, arity, op);
    if (generic)
        define(r, out, name, lun__strbuf_text(&text));
    if (called)
        lun__strbuf_printf(out, "#define LUN_F_%s%s\n", name, lun__strbuf_text(&text));
    if (plain)
        lun__strbuf_printf(out, "#define %sf%s lun_c_%s%s\n", name, params[arity], name,
                           floats[arity]);
    out->failed |= text.failed;
    lun__strbuf_free(&text);
}

/* The language's own with other types than floats, $: the result, the head and the call, and the
 * macro for any numbers, whose floats are as wide as `sum`. */
static const struct {
    const char *name, *result, *own, *head, *call, *params, *sum, *rest;
} mixed[] = {
    {"ldexp", "$", "ldexp", "($ a, int n)", "(a, n)", "(x, n)", "x", ", n"},
    {"scalbn", "$", "ldexp", "($ a, int n)", "(a, n)", "(x, n)", "x", ", n"},
    {"frexp", "$", "frexp", "($ a, int *p)", "(a, p)", "(x, p)", "x", ", p"},
    {"modf", "$", "modf", "($ a, $ *p)", "(a, p)", "(x, p)", "x", ", p"},
    {"lgamma_r", "$", "lgamma_r", "($ a, int *p)", "(a, p)", "(x, p)", "x", ", p"},
    {"ilogb", "int", "ilogb", "($ a)", "(a)", "(x)", "x", ""},
    {"remquo", "$", "remquo", "($ a, $ b, int *p)", "(a, b, p)", "(x, y, p)", "(x) + (y)",
     ", y, p"},
};

static void mixed_names(lun_renderer *r, lun_strbuf *out)
{
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++) {
        const char *name = mixed[i].name;
        if (!lun__word_mention(r, name))
            continue;
        for (int t = 0; t < 1 + r->fp64; t++) {
            const char *c = t ? "double" : "float";
            lun__text_put(r, out, "@overloaded %s lun_c_%s",
                          *mixed[i].result == '$' ? c : mixed[i].result, name);
            for (const char *p = mixed[i].head; *p; p++)
                if (*p == '$')
                    lun__strbuf_puts(out, c);
                else
                    lun__strbuf_add(out, p, 1);
            lun__strbuf_printf(out, " { return %s%s; }\n", mixed[i].own, mixed[i].call);
        }
        lun_snippet text =
            lun__text_name("%s lun_c_%s((__typeof__(lun_real(", mixed[i].params, name);
        lun_strbuf all = LUN_STRBUF_INIT;
        lun__strbuf_printf(&all, "%s%s)))(x)%s)", text.s, mixed[i].sum, mixed[i].rest);
        define(r, out, name, lun__strbuf_text(&all));
        out->failed |= all.failed;
        lun__strbuf_free(&all);
    }
    if (lun__word_mention(r, "HUGE_VALF"))
        define(r, out, "HUGE_VALF", " INFINITY");
}

/* Functions that give the unsigned type as wide as an integer. */
static void unsigned_types(lun_renderer *r, lun_strbuf *out)
{
    static const char *const pairs[][2] = {{"@i8", "@u8"},   {"@u8", "@u8"},   {"@i16", "@u16"},
                                           {"@u16", "@u16"}, {"@i32", "@u32"}, {"@u32", "@u32"},
                                           {"@i64", "@u64"}, {"@u64", "@u64"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        lun__text_put(r, out, "@overloaded %s lun_unsigned(%s x) { return x; }\n", pairs[i][1],
                      pairs[i][0]);
    lun__strbuf_puts(out, "#define LUN_UNSIGNED(x) __typeof__(lun_unsigned(x))\n");
}

void lun__cl_prelude(lun_renderer *r, lun_strbuf *out)
{
    lun__text_put(r, out, "%s", opencl_types);
    lun__text_put(r, out,
                  r->dialect->flat ? "#define LUN_GLOBAL\n" : "#define LUN_GLOBAL @global\n");
    real_numbers(r, out);
    lun__c_prelude_each(r, out, opencl_name);
    mixed_names(r, out);
    unsigned relies = lun__common_each(r, out, define);
    if (relies & LUN_COMMON_REAL)
        lun__strbuf_puts(out, "#define LUN_REAL(x) __typeof__(lun_real(x))\n");
    if (relies & LUN_COMMON_INTEGER)
        unsigned_types(r, out);
    lun__common_functions(out, relies, "static inline");
}
