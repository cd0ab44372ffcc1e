/* element_text.c - operations and casts on single elements, in C that every dialect understands:
 * the expressions of table/ops.def with T, U, WIDTH and M(f) filled in. */
#include "render/text/element_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "math/sequence.h"
#include "render/text/floats.h"
#include "render/text/text.h"

lun_snippet lun__element_type(lun_dtype t)
{
    bool bits = lun__dtype_is_bool(t) || lun__dtype_is_stored(t);
    return lun__text_name(
        "lun_%s", lun__dtype_get(bits ? lun__element_unsigned(lun__dtype_get(t)->bytes) : t)->name);
}

lun_dtype lun__element_signed(int bytes)
{
    return lun__dtype_integer(LUN_KIND_SIGNED, bytes);
}

lun_dtype lun__element_unsigned(int bytes)
{
    return lun__dtype_integer(LUN_KIND_UNSIGNED, bytes);
}

const char *lun__element_truth(lun_dtype t)
{
    return lun__dtype_is_bool(t) ? " != 0" : "";
}

lun_dtype lun__element_result(lun_op op, lun_dtype from)
{
    lun_rule rule = (lun_rule)lun__op_get(op)->rule;
    bool test = rule == LUN_RULE_CMP || rule == LUN_RULE_LOGIC || rule == LUN_RULE_TEST;
    return test ? LUN_BOOL : from;
}

/* Functions of the C library that are exact: the compiler may know them and use instructions. */
static const char *const exact[] = {"fabs", "floor", "ceil", "trunc", "sqrt", "copysign", "fma"};
static const char *const binary[] = {"pow", "fmod", "atan2", "hypot", "remainder"};

static bool is_one_of(const char *name, size_t n, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == n && !strncmp(list[i], name, n))
            return true;
    return false;
}

/* M(name) for a dtype: a function on single elements. One that is not exact is called under a name
 * that the compiler does not know: it would fold constants with its own library. */
static void library(lun_renderer *r, const char *name, size_t n, lun_dtype t, lun_strbuf *out)
{
    const char *suffix = lun__dtype_get(t)->suffix;
    if (r->dialect->single) {
        r->dialect->single(r, name, n, t, out);
        return;
    }
    r->libs |= LUN_RENDER_LIBM;
    if (is_one_of(name, n, exact, sizeof exact / sizeof *exact)) {
        lun__strbuf_printf(out, "__builtin_%.*s%s", (int)n, name, suffix);
        return;
    }
    lun_snippet c = lun__text_name("lun_libm_%.*s%s", (int)n, name, suffix),
                type = lun__element_type(t);
    lun__strbuf_puts(out, c.s);
    if (!lun__text_once(r, c.s))
        return;
    bool two = is_one_of(name, n, binary, sizeof binary / sizeof *binary);
    lun__strbuf_printf(
        &r->helpers, "%s %s(%s%s%s) __asm__(\"%.*s%s\") __attribute__((const, nothrow));\n", type.s,
        c.s, type.s, two ? ", " : "", two ? type.s : "", (int)n, name, suffix);
}

/* Writes the row's expression for a dtype as C over a b c. */
static void expression(lun_renderer *r, lun_op op, lun_dtype from, lun_strbuf *out)
{
    const lun_op_row *row = lun__op_get(op);
    const lun_dtype_row *d = lun__dtype_get(from);
    const char *p = lun__dtype_is_float(from) ? row->flt : row->integer;
    while (*p) {
        size_t n = 0;
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        if (n == 0) {
            lun__strbuf_add(out, p++, 1);
            continue;
        }
        if (n == 1 && *p == 'T') {
            lun__strbuf_puts(out, lun__element_type(from).s);
        } else if (n == 1 && *p == 'U') {
            lun__strbuf_puts(out, lun__element_type(lun__element_unsigned(d->bytes)).s);
        } else if (n == 5 && !strncmp(p, "WIDTH", n)) {
            lun__strbuf_printf(out, "%d", 8 * d->bytes);
        } else if (n == 7 && !strncmp(p, "int64_t", n)) {
            lun__strbuf_puts(out, "lun_i64");
        } else if (n == 1 && *p == 'M' && p[1] == '(') {
            const char *end = strchr(p, ')');
            library(r, p + 2, (size_t)(end - p - 2), from, out);
            n = (size_t)(end + 1 - p);
        } else {
            lun__strbuf_add(out, p, n);
        }
        p += n;
    }
}

/* a + b, a - b, a * b of integers in languages with undefined overflow: in unsigned integers of at
 * least 32 bits. False for other operations. */
static bool wrapping(lun_op op, lun_dtype from, lun_strbuf *out)
{
    char sign = op == LUN_OP_ADD ? '+' : op == LUN_OP_SUB ? '-' : op == LUN_OP_MUL ? '*' : 0;
    if (!sign || !lun__dtype_is_integer(from))
        return false;
    lun_snippet w = lun__element_type(lun__dtype_get(from)->bytes == 8 ? LUN_U64 : LUN_U32);
    lun__strbuf_printf(out, "(%s)((%s)a %c (%s)b)", lun__element_type(from).s, w.s, sign, w.s);
    return true;
}

/* Whether an operation's result is one of those that lun_product is for, which is then defined. */
static bool is_product(lun_renderer *r, lun_op op, lun_dtype from)
{
    if (!r->dialect->product || op != LUN_OP_MUL || !lun__dtype_is_float(from))
        return false;
    if (lun__text_once(r, "lun_product"))
        lun__strbuf_puts(&r->helpers, r->dialect->product);
    return true;
}

bool lun__element_math(const lun_renderer *r, lun_op op, lun_dtype t)
{
    return lun__sequence(op, t, r->target->version)->name;
}

const char *lun__element_sequence(lun_renderer *r, lun_op op, lun_dtype t)
{
    const lun_sequence *q = lun__sequence(op, t, r->target->version);
    r->sequences |= 1u << q->text;
    if (r->target->isa == LUN_ISA_BASE)
        r->libs |= LUN_RENDER_LIBM; /* fma */
    return q->name;
}

void lun__element_sequences(const lun_renderer *r, lun_strbuf *out)
{
    lun_sequence_form form = {r->dialect->sequences_of_one ? 0 : r->bytes,
                              r->dialect->sequence_loops};
    lun__sequence_write(out, r->sequences, form);
}

/* The sequence on one element: on a vector of it, where it takes vectors. */
static void sequence(lun_renderer *r, const char *name, lun_op op, lun_dtype t)
{
    const lun_dtype_row *d = lun__dtype_get(t);
    int lanes = r->dialect->sequences_of_one ? 1 : r->bytes / d->bytes;
    bool two = lun__op_get(op)->arity == 2;
    lun_strbuf *out = &r->helpers;
    lun_snippet type = lun__element_type(t);
    lun__strbuf_printf(out, "INLINE %s %s(%s a%s)\n{\n    return lun_seq_%s(", type.s, name, type.s,
                       two ? lun__text_name(", %s b", type.s).s : "",
                       lun__element_sequence(r, op, t));
    for (int k = 0; k < 1 + two; k++) {
        const char *x = k ? "b" : "a";
        lun__strbuf_puts(out, k ? ", " : "");
        if (lanes > 1)
            lun__strbuf_printf(out, "(lun_w_%s){", d->name);
        for (int l = 0; l < lanes; l++)
            lun__strbuf_printf(out, "%s%s", l ? ", " : "", x);
        lun__strbuf_puts(out, lanes > 1 ? "}" : "");
    }
    lun__strbuf_puts(out, lanes > 1 ? ")[0];\n}\n" : ");\n}\n");
}

lun_snippet lun__element_op(lun_renderer *r, lun_op op, lun_dtype from)
{
    static const char *const names[] = {"a", "b", "c"};
    const lun_op_row *row = lun__op_get(op);
    lun_snippet c = lun__text_name("lun_one_%s_%s", row->name, lun__dtype_get(from)->name);
    if (!lun__text_once(r, c.s))
        return c;
    if (lun__element_math(r, op, from)) {
        sequence(r, c.s, op, from);
        return c;
    }
    lun_strbuf body = LUN_STRBUF_INIT;
    if (r->dialect->wraps || !wrapping(op, from, &body))
        expression(r, op, from, &body);
    lun_dtype result = lun__element_result(op, from);
    bool product = is_product(r, op, from);
    lun__strbuf_printf(&r->helpers, "INLINE %s %s(", lun__element_type(result).s, c.s);
    for (int k = 0; k < row->arity; k++) {
        bool condition = row->rule == LUN_RULE_SELECT && k == 0;
        lun__strbuf_printf(&r->helpers, "%s%s %s", k ? ", " : "",
                           lun__element_type(condition ? LUN_BOOL : from).s, names[k]);
    }
    const char *open = "", *close = "";
    if (product) {
        open = "lun_product(";
        close = ")";
    } else if (lun__dtype_is_bool(result)) {
        open = "(";
        close = ") != 0";
    }
    lun__strbuf_printf(&r->helpers, ")\n{\n    return %s%s%s;\n}\n", open, lun__strbuf_text(&body),
                       close);
    if (body.failed)
        r->helpers.failed = true;
    lun__strbuf_free(&body);
    return c;
}

/* The least float that is too large for an integer dtype, exactly: 2^bits or 2^(bits-1). */
static lun_snippet limit(lun_dtype t)
{
    int bits = 8 * lun__dtype_get(t)->bytes - (lun__dtype_get(t)->kind == LUN_KIND_SIGNED);
    return lun__text_name("0x1p%df", bits);
}

/* A cast between a STORED float and a PLAIN one, by their bits. */
static void cast_bits(lun_renderer *r, const char *name, lun_dtype to, lun_dtype from)
{
    lun_dtype wide = lun__dtype_is_stored(to) ? from : to;
    lun_snippet cell = lun__element_cell(r, wide), uncell = lun__element_uncell(r, wide),
                word = lun__element_type(lun__element_unsigned(lun__dtype_get(wide)->bytes));
    lun_snippet sum = lun__text_name("(WORD)%s(%s(x) %%c %s(y))", cell.s, uncell.s, uncell.s);
    lun_strbuf *out = &r->helpers;
    lun__strbuf_printf(out, "INLINE %s %s(%s a)\n{\n", lun__element_type(to).s, name,
                       lun__element_type(from).s);
    if (wide == from)
        lun__strbuf_printf(out, "    const %s u = (%s)%s(a);\n", word.s, word.s, cell.s);
    else
        lun__strbuf_printf(out, "    const %s u = a;\n", word.s);
    lun__floats_put(out, to, from, word.s, sum.s);
    if (wide == from)
        lun__strbuf_printf(out, "    return (%s)r;\n}\n", lun__element_type(to).s);
    else
        lun__strbuf_printf(out, "    return %s(r);\n}\n", uncell.s);
}

lun_snippet lun__element_cast(lun_renderer *r, lun_dtype to, lun_dtype from)
{
    const lun_dtype_row *d = lun__dtype_get(to), *f = lun__dtype_get(from);
    lun_snippet c = lun__text_name("lun_one_%s_from_%s", d->name, f->name),
                t = lun__element_type(to);
    if (!lun__text_once(r, c.s))
        return c;
    lun_strbuf *out = &r->helpers;
    if (lun__dtype_is_stored(to) || lun__dtype_is_stored(from)) {
        cast_bits(r, c.s, to, from);
        return c;
    }
    lun__strbuf_printf(out, "INLINE %s %s(%s a)\n{\n    return ", t.s, c.s,
                       lun__element_type(from).s);
    if (d->kind == LUN_KIND_BOOL) {
        lun__strbuf_puts(out, "a != 0");
    } else if (f->kind == LUN_KIND_FLOAT && d->kind != LUN_KIND_FLOAT) {
        lun_snippet u = lun__element_type(lun__element_unsigned(d->bytes)),
                    x = lun__element_type(from);
        if (d->kind == LUN_KIND_SIGNED)
            lun__strbuf_printf(out,
                               "a != a ? 0 : a >= (%s)%s ? (%s)((%s)-1 >> 1) : a < -(%s)%s ? "
                               "(%s)((%s)1 << %d) : (%s)a",
                               x.s, limit(to).s, t.s, u.s, x.s, limit(to).s, t.s, u.s,
                               8 * d->bytes - 1, t.s);
        else
            lun__strbuf_printf(out, "a >= (%s)%s ? (%s)-1 : a > 0 ? (%s)a : 0", x.s, limit(to).s,
                               t.s, t.s);
    } else {
        lun__strbuf_printf(out, "(%s)a", t.s);
    }
    lun__strbuf_puts(out, ";\n}\n");
    return c;
}

/* Between an element and a cell where the language has functions for the bits of floats. */
static void named_cells(lun_renderer *r, lun_dtype t, const char *cell, const char *uncell)
{
    lun_snippet c = lun__element_type(t);
    bool real = lun__dtype_is_plain_float(t);
    bool single = real && lun__dtype_get(t)->bytes == 4;
    lun_dtype u = lun__element_unsigned(lun__dtype_get(t)->bytes);
    if (cell)
        lun__text_put(r, &r->helpers, "INLINE lun_u64 %s(%s a)\n{\n    return %s(a);\n}\n", cell,
                      c.s,
                      single ? "@bits_of_f32"
                      : real ? "@bits_of_f64"
                             : lun__text_name("(%s)", lun__element_type(u).s).s);
    if (uncell)
        lun__text_put(r, &r->helpers, "INLINE %s %s(lun_u64 cell)\n{\n    return %s;\n}\n", c.s,
                      uncell,
                      single ? "@f32_of_bits((lun_u32)cell)"
                      : real ? "@f64_of_bits(cell)"
                             : lun__text_name("(%s)cell", c.s).s);
}

lun_snippet lun__element_cell(lun_renderer *r, lun_dtype t)
{
    lun_snippet c = lun__text_name("lun_cell_%s", lun__dtype_get(t)->name);
    if (!lun__text_once(r, c.s))
        return c;
    if (r->dialect->bit_names)
        named_cells(r, t, c.s, NULL);
    else
        lun__strbuf_printf(&r->helpers,
                           "INLINE lun_u64 %s(%s a)\n{\n    lun_u64 cell = 0;\n"
                           "    __builtin_memcpy(&cell, &a, sizeof a);\n    return cell;\n}\n",
                           c.s, lun__element_type(t).s);
    return c;
}

lun_snippet lun__element_uncell(lun_renderer *r, lun_dtype t)
{
    lun_snippet c = lun__text_name("lun_of_cell_%s", lun__dtype_get(t)->name),
                type = lun__element_type(t);
    if (!lun__text_once(r, c.s))
        return c;
    if (r->dialect->bit_names)
        named_cells(r, t, NULL, c.s);
    else
        lun__strbuf_printf(&r->helpers,
                           "INLINE %s %s(lun_u64 cell)\n{\n    %s a;\n"
                           "    __builtin_memcpy(&a, &cell, sizeof a);\n    return a;\n}\n",
                           type.s, c.s, type.s);
    return c;
}

lun_snippet lun__element_const(lun_renderer *r, lun_dtype t, uint64_t bits)
{
    int width = 8 * lun__dtype_get(t)->bytes;
    if (width < 64)
        bits &= ((uint64_t)1 << width) - 1;
    if (lun__dtype_is_bool(t))
        bits = bits != 0;
    if (lun__dtype_is_plain_float(t))
        return lun__text_name("%s(0x%" PRIx64 "u)", lun__element_uncell(r, t).s, bits);
    return lun__text_name("(%s)0x%" PRIx64 "u", lun__element_type(t).s, bits);
}
