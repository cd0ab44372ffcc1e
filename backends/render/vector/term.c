/* term.c - terms and C's conversions and operators on them; see term.h. */
#include "render/vector/term.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "render/text/element_text.h"

lun_term lun__term_make(lun_terms *s, lun_term_kind k, const char *format, ...)
{
    lun_term t = {.kind = k};
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t.text, sizeof t.text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof t.text)
        s->failed = true;
    return t;
}

lun_term lun__term_refuse(lun_terms *s)
{
    s->failed = true;
    return lun__term_make(s, LUN_TERM_NUMBER, "0");
}

static const char *vtype(lun_terms *s, lun_dtype t, char room[24])
{
    lun_snippet c = lun__vector_of(s->r, t, s->r->lanes);
    memcpy(room, c.s, 23); /* "f64x8" */
    room[23] = 0;
    return room;
}

const char *lun__term_mask_type(lun_terms *s, char room[24])
{
    return vtype(s, lun__element_signed(s->bytes), room);
}

static const char *unsigned_type(lun_terms *s, char room[24])
{
    return vtype(s, lun__element_unsigned(s->bytes), room);
}

bool lun__term_is_float(const lun_terms *s)
{
    return !s->rep.mask && lun__dtype_is_float(s->rep.t);
}

/* ---- conversions ----------------------------------------------------------------------------- */

lun_term lun__term_spread(lun_terms *s, lun_term t, lun_term_kind k)
{
    lun_dtype d = k == LUN_TERM_UVALUE  ? lun__element_unsigned(s->bytes)
                  : k == LUN_TERM_COUNT ? lun__element_signed(s->bytes)
                                        : s->rep.t;
    char v[24];
    if (t.number < 0 && d != lun__element_signed(s->bytes) && !lun__dtype_is_float(d))
        return lun__term_refuse(s);
    return lun__term_make(s, k, "((%s){} + (%s)%s)", vtype(s, d, v), lun__element_type(d).s,
                          t.text);
}

lun_term lun__term_mask(lun_terms *s, lun_term t)
{
    char v[24];
    if (t.kind == LUN_TERM_MASK)
        return t;
    if (t.kind == LUN_TERM_NUMBER)
        return lun__term_make(s, LUN_TERM_MASK, "((%s){} - (%s)%d)", lun__term_mask_type(s, v),
                              lun__element_type(lun__element_signed(s->bytes)).s, t.number != 0);
    if (t.loose)
        return lun__term_refuse(s);
    return lun__term_make(
        s, LUN_TERM_MASK, "(%s != (%s){})", t.text,
        vtype(s, t.kind == LUN_TERM_VALUE ? s->rep.t : lun__element_unsigned(s->bytes), v));
}

/* A truth value as a number: C's int, or for floats the same number at once. */
static lun_term as_number(lun_terms *s, lun_term t)
{
    char v[24];
    if (t.kind != LUN_TERM_MASK)
        return t;
    if (!lun__term_is_float(s))
        return lun__term_make(s, LUN_TERM_COUNT, "(%s & 1)", t.text);
    return lun__term_make(s, LUN_TERM_VALUE, "(%s)(%s & %s)", vtype(s, s->rep.t, v), t.text,
                          s->bytes == 4 ? "0x3f800000" : "0x3ff0000000000000");
}

lun_term lun__term_value(lun_terms *s, lun_term t)
{
    char v[24];
    lun_term out;
    t = as_number(s, t);
    if (t.kind == LUN_TERM_VALUE)
        return t;
    if (t.kind == LUN_TERM_NUMBER)
        return lun__term_spread(s, t, LUN_TERM_VALUE);
    if (lun__term_is_float(s))
        return lun__term_refuse(s);
    out = lun__term_make(s, LUN_TERM_VALUE, "(%s)%s", vtype(s, s->rep.t, v), t.text);
    out.unused = t.unused;
    return out;
}

lun_term lun__term_unsigned(lun_terms *s, lun_term t)
{
    char v[24];
    if (t.kind == LUN_TERM_UVALUE)
        return t;
    if (t.kind == LUN_TERM_NUMBER)
        return lun__term_spread(s, t, LUN_TERM_UVALUE);
    if (lun__term_is_float(s) || t.kind == LUN_TERM_MASK)
        return lun__term_refuse(s);
    lun_term out = lun__term_make(s, LUN_TERM_UVALUE, "(%s)%s", unsigned_type(s, v), t.text);
    out.unused = t.unused;
    return out;
}

/* C's usual conversions for two operands: both of one kind afterwards. */
static void unify(lun_terms *s, lun_term *a, lun_term *b)
{
    char v[24];
    *a = as_number(s, *a);
    *b = as_number(s, *b);
    if (a->kind == LUN_TERM_NUMBER && b->kind == LUN_TERM_NUMBER) {
        *a = lun__term_spread(s, *a, LUN_TERM_VALUE);
        *b = lun__term_spread(s, *b, LUN_TERM_VALUE);
        return;
    }
    bool loose = a->loose || b->loose;
    if (a->kind == LUN_TERM_NUMBER) {
        *a = lun__term_spread(s, *a, b->kind);
    } else if (b->kind == LUN_TERM_NUMBER) {
        *b = lun__term_spread(s, *b, a->kind);
    } else if (a->kind != b->kind) {
        if (lun__term_is_float(s)) {
            lun__term_refuse(s);
        } else if (a->kind == LUN_TERM_UVALUE || b->kind == LUN_TERM_UVALUE) {
            *a = lun__term_unsigned(s, *a);
            *b = lun__term_unsigned(s, *b);
        } else { /* LUN_TERM_VALUE and LUN_TERM_COUNT */
            if (lun__dtype_get(s->rep.t)->kind != LUN_KIND_SIGNED)
                lun__term_refuse(s);
            if (a->kind == LUN_TERM_COUNT)
                *a = lun__term_make(s, LUN_TERM_VALUE, "(%s)%s", vtype(s, s->rep.t, v), a->text);
            if (b->kind == LUN_TERM_COUNT)
                *b = lun__term_make(s, LUN_TERM_VALUE, "(%s)%s", vtype(s, s->rep.t, v), b->text);
        }
    }
    a->loose = b->loose = loose;
}

/* ---- operators ------------------------------------------------------------------------------- */

static lun_term constant_mask(lun_terms *s, bool value)
{
    lun_term t = lun__term_make(s, LUN_TERM_NUMBER, "%d", value);
    t = lun__term_mask(s, t);
    t.number = value ? 1 : -1; /* LUN_TERM_MASK with number != 0: known */
    return t;
}

lun_term lun__term_compare(lun_terms *s, const char *op, lun_term a, lun_term b)
{
    if (a.positive && b.kind == LUN_TERM_NUMBER && b.number <= 0 && !strcmp(op, ">="))
        return constant_mask(s, true);
    if (a.positive && b.kind == LUN_TERM_NUMBER && b.number < 0 && !strcmp(op, "<="))
        return constant_mask(s, false);
    bool unused = a.unused || b.unused;
    unify(s, &a, &b);
    if (a.loose || unused)
        return lun__term_refuse(s);
    return lun__term_make(s, LUN_TERM_MASK, "(%s %s %s)", a.text, op, b.text);
}

lun_term lun__term_select(lun_terms *s, lun_term c, lun_term a, lun_term b)
{
    bool known = c.kind == LUN_TERM_MASK && c.number != 0;
    if (known)
        return c.number > 0 ? a : b;
    c = lun__term_mask(s, c);
    if (a.kind == LUN_TERM_MASK && b.kind == LUN_TERM_MASK)
        return lun__term_make(s, LUN_TERM_MASK, "((%s & %s) | (%s & ~%s))", a.text, c.text, b.text,
                              c.text);
    if (a.unused || b.unused)
        return lun__term_refuse(s);
    if (a.loose || b.loose) {
        a = lun__term_value(s, a);
        b = lun__term_value(s, b);
    }
    unify(s, &a, &b);
    lun_rep rep = lun__vector_rep(a.kind == LUN_TERM_UVALUE  ? lun__element_unsigned(s->bytes)
                                  : a.kind == LUN_TERM_COUNT ? lun__element_signed(s->bytes)
                                                             : s->rep.t,
                                  0);
    return lun__term_make(s, a.kind, "%s(%s, %s, %s)", lun__vector_select(s->r, rep).s, c.text,
                          a.text, b.text);
}

lun_term lun__term_arithmetic(lun_terms *s, char op, lun_term a, lun_term b)
{
    bool unused = a.unused || b.unused;
    unify(s, &a, &b);
    if ((op == '/' && !lun__term_is_float(s)) || op == '%')
        return lun__term_refuse(s);
    lun_term t = lun__term_make(s, a.kind, "(%s %c %s)", a.text, op, b.text);
    /* C computes narrow operands in int; so do bits of counts and values agree only when cut */
    t.loose = a.loose ||
              (s->bytes < 4 && a.kind != LUN_TERM_COUNT && op != '&' && op != '|' && op != '^');
    t.unused = unused;
    return t;
}

lun_term lun__term_shift(lun_terms *s, bool left, lun_term a, lun_term b)
{
    char v[24];
    bool unused = a.unused || b.unused;
    if (a.kind != LUN_TERM_UVALUE || s->bytes < 4 || b.kind == LUN_TERM_MASK || a.loose)
        return lun__term_refuse(s);
    b = lun__term_unsigned(s, b);
    /* a count that is too large belongs to lanes that take another value: keep it defined */
    lun_term t = lun__term_make(s, LUN_TERM_UVALUE, "(%s %s (%s & ((%s){} + %d)))", a.text,
                                left ? "<<" : ">>", b.text, unsigned_type(s, v), 8 * s->bytes - 1);
    t.unused = unused;
    return t;
}

/* ---- signs ----------------------------------------------------------------------------------- */

lun_term lun__term_fabs(lun_terms *s, lun_term a)
{
    char v[24], m[24];
    const char *bits = s->bytes == 4 ? "0x7fffffff" : "0x7fffffffffffffff";
    return lun__term_make(s, LUN_TERM_VALUE, "((%s)((%s)%s & %s))", vtype(s, s->rep.t, v),
                          lun__term_mask_type(s, m), a.text, bits);
}

lun_term lun__term_copysign(lun_terms *s, lun_term a, lun_term b)
{
    char v[24], m[24];
    const char *bits = s->bytes == 4 ? "0x7fffffff" : "0x7fffffffffffffff";
    lun__term_mask_type(s, m);
    return lun__term_make(s, LUN_TERM_VALUE, "((%s)(((%s)%s & %s) | ((%s)%s & ~%s)))",
                          vtype(s, s->rep.t, v), m, a.text, bits, m, b.text, bits);
}
