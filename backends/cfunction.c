/* cfunction.c - user functions in the generated text: the names that C text relies on, the text itself,
 * calls lane by lane, combiners of reductions and scans.  Knows no statement but the call. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "crender.h"

/* ---- names that C text relies on ----------------------------------------------------------------- */

static const char types[] =
    "typedef __INT8_TYPE__ int8_t;\ntypedef __UINT8_TYPE__ uint8_t, uchar;\n"
    "typedef __INT16_TYPE__ int16_t;\ntypedef __UINT16_TYPE__ uint16_t, ushort;\n"
    "typedef __INT32_TYPE__ int32_t;\ntypedef __UINT32_TYPE__ uint32_t, uint;\n"
    "typedef __INT64_TYPE__ int64_t;\ntypedef __UINT64_TYPE__ uint64_t, ulong;\n"
    "typedef __SIZE_TYPE__ size_t;\ntypedef _Bool bool;\n"
    "#define true 1\n#define false 0\n#define LUN_GLOBAL\n";

/* Of the C library, by number of arguments; and how OpenCL C calls more. */
static const char *const library1[] = {"rint", "nearbyint", "tgamma", "lgamma",
                                       "logb", "exp10",     "round"};
static const char *const library2[] = {"fmod", "fmin", "fmax", "fdim", "nextafter", "remainder"};

static const struct {
    const char *name, *text;
} macros[] = {
    {"min", "(x, y) __extension__({ __typeof__((x) + (y)) lun_x = (x), lun_y = (y); "
            "lun_y < lun_x ? lun_y : lun_x; })"},
    {"max", "(x, y) __extension__({ __typeof__((x) + (y)) lun_x = (x), lun_y = (y); "
            "lun_x < lun_y ? lun_y : lun_x; })"},
    {"clamp",
     "(x, lo, hi) __extension__({ __typeof__((x) + (lo) + (hi)) lun_c = (x), lun_l = (lo), "
     "lun_h = (hi); lun_c < lun_l ? lun_l : lun_h < lun_c ? lun_h : lun_c; })"},
    {"mad", "(x, y, z) ((x) * (y) + (z))"},
    {"rsqrt", "(x) (1 / _Generic((x), float: __builtin_sqrtf, default: __builtin_sqrt)(x))"},
    {"abs", "(x) __extension__({ __typeof__(x) lun_a = (x); lun_a < 0 ? -lun_a : lun_a; })"},
    {"isnan", "(x) __builtin_isnan(x)"},
    {"isinf", "(x) (__builtin_isinf(x) != 0)"},
    {"isfinite", "(x) __builtin_isfinite(x)"},
    {"signbit", "(x) (__builtin_signbit(x) != 0)"},
    {"INFINITY", " __builtin_inff()"},
    {"NAN", " __builtin_nanf(\"\")"},
    {"HUGE_VAL", " __builtin_inf()"},
    {"FLT_MAX", " __FLT_MAX__"},
    {"FLT_MIN", " __FLT_MIN__"},
    {"FLT_EPSILON", " __FLT_EPSILON__"},
    {"DBL_MAX", " __DBL_MAX__"},
    {"DBL_MIN", " __DBL_MIN__"},
    {"DBL_EPSILON", " __DBL_EPSILON__"},
    {"INT_MAX", " __INT_MAX__"},
    {"INT_MIN", " (-__INT_MAX__ - 1)"},
    {"LONG_MAX", " __LONG_MAX__"},
    {"LONG_MIN", " (-__LONG_MAX__ - 1)"},
    {"M_PI", " 0x1.921fb54442d18p1"},
    {"M_PI_2", " 0x1.921fb54442d18p0"},
    {"M_PI_4", " 0x1.921fb54442d18p-1"},
    {"M_E", " 0x1.5bf0a8b145769p1"},
    {"M_LN2", " 0x1.62e42fefa39efp-1"},
    {"M_SQRT2", " 0x1.6a09e667f3bcdp0"},
    {"M_PI_F", " 0x1.921fb6p1f"},
    {"M_E_F", " 0x1.5bf0a8p1f"},
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

static bool any_mentions(const lun_crender *r, const char *word)
{
    for (int i = 0; i < r->ir->function_count; i++)
        if (r->ir->functions[i]->text && mentions(r->ir->functions[i]->text, word))
            return true;
    return false;
}

/* sqrt(x) and sqrtf(x): functions that the compiler may replace by an instruction. */
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

/* One function of the C library for float (suffix "f") or double, under a name of ours: the compiler
 * would otherwise compute constants in its own way, and pow(x, 0.5) as a square root. */
static void declare(lun_crender *r, lun_strbuf *out, const char *name, int arity,
                    const char *suffix, bool vector)
{
    const char *t = *suffix ? "float" : "double";
    const char *more = arity == 1 ? "" : arity == 2 ? ", float" : ", float, float";
    if (!*suffix)
        more = arity == 1 ? "" : arity == 2 ? ", double" : ", double, double";
    r->libs |= LUN_CSTYLE_LIBM | (vector ? LUN_CSTYLE_LIBMVEC : 0);
    lun_strbuf_printf(
        out, "%s lun_libm_%s%s(%s%s) __asm__(\"%s%s\") __attribute__((const, nothrow%s));\n", t,
        name, suffix, t, more, name, suffix, vector ? ", simd(\"notinbranch\")" : "");
}

static void math_name(lun_crender *r, lun_strbuf *out, const char *name, int arity, lun_op op)
{
    static const char *const params[] = {"", "(x)", "(x, y)", "(x, y, z)"};
    static const char *const sums[] = {"", "(x)", "(x) + (y)", "(x) + (y) + (z)"};
    lun_cname single = lun_cname_of("%sf", name);
    bool generic = any_mentions(r, name), plain = any_mentions(r, single.s);
    if (!generic && !plain)
        return;
    lun_cname f = lun_cname_of("__builtin_%sf", name), d = lun_cname_of("__builtin_%s", name);
    r->libs |= LUN_CSTYLE_LIBM;
    if (!is_exact(name)) {
        bool row = op < LUN_OP_COUNT;
        f = lun_cname_of("lun_libm_%sf", name);
        d = lun_cname_of("lun_libm_%s", name);
        declare(r, out, name, arity, "f", row && lun_chas_math(r, op, LUN_F32));
        if (generic)
            declare(r, out, name, arity, "", row && lun_chas_math(r, op, LUN_F64));
    }
    if (generic)
        lun_strbuf_printf(out, "#define %s%s _Generic(%s, float: %s, default: %s)%s\n", name,
                          params[arity], sums[arity], f.s, d.s, params[arity]);
    if (plain)
        lun_strbuf_printf(out, "#define %s%s %s%s\n", single.s, params[arity], f.s, params[arity]);
}

static void math_names(lun_crender *r, lun_strbuf *out)
{
    for (int op = 0; op < LUN_OP_COUNT; op++) { /* rows of the form M(name)(a, ...) */
        const lun_op_row *row = lun_op_get((lun_op)op);
        char name[16];
        size_t n = row->flt && !strncmp(row->flt, "M(", 2) ? strcspn(row->flt + 2, ")") : 0;
        if (n == 0 || n >= sizeof name ||
            strspn(row->flt + n + 3, "(abc, )") != strlen(row->flt + n + 3))
            continue;
        memcpy(name, row->flt + 2, n);
        name[n] = 0;
        math_name(r, out, name, row->arity, (lun_op)op);
    }
    for (size_t i = 0; i < sizeof library1 / sizeof *library1; i++)
        math_name(r, out, library1[i], 1, LUN_OP_COUNT);
    for (size_t i = 0; i < sizeof library2 / sizeof *library2; i++)
        math_name(r, out, library2[i], 2, LUN_OP_COUNT);
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
        if (any_mentions(r, macros[i].name))
            lun_strbuf_printf(out, "#define %s%s\n", macros[i].name, macros[i].text);
}

void lun_cfunctions(lun_crender *r, lun_strbuf *out)
{
    bool first = true;
    for (int i = 0; i < r->ir->function_count; i++) {
        const char *text = r->ir->functions[i]->text;
        if (!text)
            continue;
        if (first) {
            lun_strbuf_puts(out, types);
            math_names(r, out);
        }
        first = false;
        lun_strbuf_printf(out, "#line 1 \"C function\"\n%s\n", text);
    }
    if (!first)
        lun_strbuf_puts(out, "#line 1 \"kernel\"\n");
}

/* ---- calls --------------------------------------------------------------------------------------- */

static int first_lane(int lane, int lanes, int arg)
{
    (void)lane, (void)lanes, (void)arg;
    return 0;
}

/* A varying operand: lanes beyond the last index take the first lane's value, so that the function sees
 * nothing it would not see anyway, and every vector takes the same way through it. */
static void call_operand(lun_crender *r, lun_strbuf *head, lun_strbuf *fill, lun_strbuf *args,
                         int k, int32_t o)
{
    lun_crep rep = lun_cvalue_rep(r, o);
    lun_cname a = lun_cname_of("a%d", k);
    lun_strbuf_printf(head, ", %s %s", lun_cvtype(r, rep).s, a.s);
    lun_strbuf_printf(fill, "        %s = %s(%s(left), %s, ", a.s, lun_cvector_select(r, rep).s,
                      lun_cvector_live(r, lun_crep_bytes(rep)).s, a.s);
    lun_cshuffle(r, fill, rep, a.s, a.s, first_lane, 0);
    lun_strbuf_puts(fill, ");\n");
    lun_strbuf_printf(args, "%s[l]%s", a.s, rep.mask ? " & 1" : "");
}

lun_cname lun_ccall(lun_crender *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    const lun_ir_function *f = r->ir->functions[ins->imm];
    lun_cname c = lun_cname_of("lun_call%" PRId32, v);
    lun_crep rep = lun_cvalue_rep(r, v);
    lun_strbuf head = LUN_STRBUF_INIT, fill = LUN_STRBUF_INIT, args = LUN_STRBUF_INIT;
    if (!lun_cmake(r, c.s))
        return c;
    for (int k = 0; k < ins->c; k++) {
        int32_t o = r->ir->operands[ins->b + k];
        if (k)
            lun_strbuf_puts(&args, ", ");
        if (o >= 0 && (r->flags[o] & LUN_CF_VARYING)) {
            call_operand(r, &head, &fill, &args, k, o);
            continue;
        }
        lun_dtype t = (lun_dtype)(o < 0 ? r->ir->slots[-1 - o].dtype : r->ir->ins[o].dtype);
        lun_strbuf_printf(&head, ", %s%s %sa%d", o < 0 ? "const " : "", lun_ctype(t).s,
                          o < 0 ? "*" : "", k);
        lun_strbuf_printf(&args, "a%d", k);
    }
    lun_strbuf_printf(&r->helpers, "INLINE %s %s(lun_i64 left%s)\n{\n    %s r;\n",
                      lun_cvtype(r, rep).s, c.s, lun_strbuf_text(&head), lun_cvtype(r, rep).s);
    if (fill.length)
        lun_strbuf_printf(&r->helpers, "    if (left < %d) {\n%s    }\n", r->lanes,
                          lun_strbuf_text(&fill));
    lun_strbuf_printf(
        &r->helpers, "    for (int l = 0; l < %d; l++) r[l] = %s%s(%s)%s;\n    return r;\n}\n",
        r->lanes, rep.mask ? "-(" : "", f->name, lun_strbuf_text(&args), rep.mask ? " != 0)" : "");
    lun_strbuf_free(&head);
    lun_strbuf_free(&fill);
    lun_strbuf_free(&args);
    return c;
}

/* ---- combiners ----------------------------------------------------------------------------------- */

/* A function in IR form, as one on single elements: its statements are those of a kernel in which
 * nothing differs between indices. */
static void ir_function(lun_crender *r, const lun_ir_function *fn, lun_strbuf *out, int32_t where)
{
    lun_crender outer = *r;
    lun_csection s = {
        .r = r, .out = out, .need = LUN_CF_BODY, .scope = -1, .single = true, .where = where};
    r->ir = fn->body;
    r->masked = false;
    if (lun_cfacts_single(r) == LUN_OK) {
        lun_cbody(&s);
        lun_cline(&s, "return %s;", lun_cas_scalar(&s, fn->output[0]).s);
    } else {
        out->failed = true;
    }
    if (s.labels.failed)
        out->failed = true;
    lun_strbuf_free(&s.labels);
    free(r->flags);
    free(r->mask);
    free(r->parent);
    free(r->origin);
    r->ir = outer.ir;
    r->masked = outer.masked;
    r->flags = outer.flags;
    r->mask = outer.mask;
    r->parent = outer.parent;
    r->origin = outer.origin;
}

lun_cname lun_ccombiner(lun_crender *r, int32_t v)
{
    const lun_ir_ins *ins = &r->ir->ins[v];
    lun_cname c = lun_cname_of("lun_join%" PRId32, v), t = lun_ctype((lun_dtype)ins->dtype);
    if (!lun_cmake(r, c.s))
        return c;
    lun_strbuf body = LUN_STRBUF_INIT;
    const char *truth = ins->dtype == LUN_BOOL ? " != 0" : "";
    int64_t k = ins->kind == LUN_IR_SCAN ? ins->imm : ins->c;
    if (ins->op < LUN_OP_COUNT) {
        lun_cname one = lun_cscalar_op(r, (lun_op)ins->op, (lun_dtype)ins->dtype);
        lun_strbuf_printf(&body, "    return %s(a, b);\n", one.s);
    } else if (r->ir->functions[k]->text) {
        lun_strbuf_printf(&body, "    return %s(a, b)%s;\n", r->ir->functions[k]->name, truth);
    } else {
        ir_function(r, r->ir->functions[k], &body, v);
    }
    lun_strbuf_printf(&r->helpers, "INLINE %s %s(%s a, %s b, struct frame *f)\n{\n%s}\n", t.s, c.s,
                      t.s, t.s, lun_strbuf_text(&body));
    if (body.failed)
        r->helpers.failed = true;
    lun_strbuf_free(&body);
    return c;
}
