/* expression.c - an expression of table/ops.def, C on single elements, turned into one on whole GNU
 * vectors with the same value in every lane.  A lane loop would do as well, but costs the compiler
 * fifty times more.
 *
 * What has no such form (integer division, shifts of less than 32 bits, functions without an
 * instruction) is refused, and computed lane by lane.  Knows no IR. */
#include "render/vector/expression.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "render/text/element.h"
#include "render/vector/exact.h"

typedef enum kind {
    NUMBER, /* a literal: fits every type it meets */
    VALUE,  /* lanes of T */
    UVALUE, /* lanes of U */
    COUNT,  /* lanes of signed integers of T's width: C's int made of truth values */
    MASK    /* 0 or -1 in signed integers of T's width: a truth value */
} kind;

typedef struct term {
    kind kind;
    bool loose;    /* C would have computed it in int, wider than T */
    bool positive; /* (int64_t) of an unsigned T */
    bool unused;   /* wrong, but only where another term is selected */
    double number;
    char text[600];
} term;

typedef struct parser {
    lun_renderer *r;
    const char *p;
    lun_rep rep;
    int bytes; /* of a lane */
    bool failed;
    int depth;
} parser;

static term ternary(parser *s);

static term make(parser *s, kind k, const char *format, ...) __attribute__((format(printf, 3, 4)));
static term make(parser *s, kind k, const char *format, ...)
{
    term t = {.kind = k};
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t.text, sizeof t.text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof t.text)
        s->failed = true;
    return t;
}

static term refuse(parser *s)
{
    s->failed = true;
    return make(s, NUMBER, "0");
}

static const char *vtype(parser *s, lun_dtype t, char room[24])
{
    lun_snippet c = lun__vector_of(s->r, t, s->r->lanes);
    memcpy(room, c.s, 23); /* "f64x8" */
    room[23] = 0;
    return room;
}

static const char *mask_type(parser *s, char room[24])
{
    return vtype(s, lun__element_signed(s->bytes), room);
}

static const char *unsigned_type(parser *s, char room[24])
{
    return vtype(s, lun__element_unsigned(s->bytes), room);
}

static bool is_float(const parser *s)
{
    return !s->rep.mask && lun__dtype_is_float(s->rep.t);
}

/* ---- conversions ----------------------------------------------------------------------------- */

/* A literal in every lane, of the type of k. */
static term spread(parser *s, term t, kind k)
{
    lun_dtype d = k == UVALUE  ? lun__element_unsigned(s->bytes)
                  : k == COUNT ? lun__element_signed(s->bytes)
                               : s->rep.t;
    char v[24];
    if (t.number < 0 && d != lun__element_signed(s->bytes) && !lun__dtype_is_float(d))
        return refuse(s);
    return make(s, k, "((%s){} + (%s)%s)", vtype(s, d, v), lun__element_type(d).s, t.text);
}

static term as_mask(parser *s, term t)
{
    char v[24];
    if (t.kind == MASK)
        return t;
    if (t.kind == NUMBER)
        return make(s, MASK, "((%s){} - (%s)%d)", mask_type(s, v),
                    lun__element_type(lun__element_signed(s->bytes)).s, t.number != 0);
    if (t.loose)
        return refuse(s);
    return make(s, MASK, "(%s != (%s){})", t.text,
                vtype(s, t.kind == VALUE ? s->rep.t : lun__element_unsigned(s->bytes), v));
}

/* A truth value as a number: C's int, or for floats the same number at once. */
static term as_number(parser *s, term t)
{
    char v[24];
    if (t.kind != MASK)
        return t;
    if (!is_float(s))
        return make(s, COUNT, "(%s & 1)", t.text);
    return make(s, VALUE, "(%s)(%s & %s)", vtype(s, s->rep.t, v), t.text,
                s->bytes == 4 ? "0x3f800000" : "0x3ff0000000000000");
}

/* The value in T's lanes, as C converts it on assignment or by a cast. */
static term as_value(parser *s, term t)
{
    char v[24];
    term out;
    t = as_number(s, t);
    if (t.kind == VALUE)
        return t;
    if (t.kind == NUMBER)
        return spread(s, t, VALUE);
    if (is_float(s))
        return refuse(s);
    out = make(s, VALUE, "(%s)%s", vtype(s, s->rep.t, v), t.text);
    out.unused = t.unused;
    return out;
}

static term as_unsigned(parser *s, term t)
{
    char v[24];
    if (t.kind == UVALUE)
        return t;
    if (t.kind == NUMBER)
        return spread(s, t, UVALUE);
    if (is_float(s) || t.kind == MASK)
        return refuse(s);
    term out = make(s, UVALUE, "(%s)%s", unsigned_type(s, v), t.text);
    out.unused = t.unused;
    return out;
}

/* C's usual conversions for two operands: both of one kind afterwards. */
static void meet(parser *s, term *a, term *b)
{
    char v[24];
    *a = as_number(s, *a);
    *b = as_number(s, *b);
    if (a->kind == NUMBER && b->kind == NUMBER) {
        *a = spread(s, *a, VALUE);
        *b = spread(s, *b, VALUE);
        return;
    }
    bool loose = a->loose || b->loose;
    if (a->kind == NUMBER) {
        *a = spread(s, *a, b->kind);
    } else if (b->kind == NUMBER) {
        *b = spread(s, *b, a->kind);
    } else if (a->kind != b->kind) {
        if (is_float(s)) {
            refuse(s);
        } else if (a->kind == UVALUE || b->kind == UVALUE) {
            *a = as_unsigned(s, *a);
            *b = as_unsigned(s, *b);
        } else { /* VALUE and COUNT */
            if (lun__dtype_get(s->rep.t)->kind != LUN_KIND_SIGNED)
                refuse(s);
            if (a->kind == COUNT)
                *a = make(s, VALUE, "(%s)%s", vtype(s, s->rep.t, v), a->text);
            if (b->kind == COUNT)
                *b = make(s, VALUE, "(%s)%s", vtype(s, s->rep.t, v), b->text);
        }
    }
    a->loose = b->loose = loose;
}

/* ---- operators ------------------------------------------------------------------------------- */

static term constant_mask(parser *s, bool value)
{
    term t = make(s, NUMBER, "%d", value);
    t = as_mask(s, t);
    t.number = value ? 1 : -1; /* MASK with number != 0: known */
    return t;
}

static term compare(parser *s, const char *op, term a, term b)
{
    if (a.positive && b.kind == NUMBER && b.number <= 0 && !strcmp(op, ">="))
        return constant_mask(s, true);
    if (a.positive && b.kind == NUMBER && b.number < 0 && !strcmp(op, "<="))
        return constant_mask(s, false);
    bool unused = a.unused || b.unused;
    meet(s, &a, &b);
    if (a.loose || unused)
        return refuse(s);
    return make(s, MASK, "(%s %s %s)", a.text, op, b.text);
}

static term select_term(parser *s, term c, term a, term b)
{
    bool known = c.kind == MASK && c.number != 0;
    if (known)
        return c.number > 0 ? a : b;
    c = as_mask(s, c);
    if (a.kind == MASK && b.kind == MASK)
        return make(s, MASK, "((%s & %s) | (%s & ~%s))", a.text, c.text, b.text, c.text);
    if (a.unused || b.unused)
        return refuse(s);
    if (a.loose || b.loose) {
        a = as_value(s, a);
        b = as_value(s, b);
    }
    meet(s, &a, &b);
    lun_rep rep = lun__vector_rep(a.kind == UVALUE  ? lun__element_unsigned(s->bytes)
                                  : a.kind == COUNT ? lun__element_signed(s->bytes)
                                                    : s->rep.t,
                                  0);
    return make(s, a.kind, "%s(%s, %s, %s)", lun__vector_select(s->r, rep).s, c.text, a.text,
                b.text);
}

static term arithmetic(parser *s, char op, term a, term b)
{
    bool unused = a.unused || b.unused;
    meet(s, &a, &b);
    if ((op == '/' && !is_float(s)) || op == '%')
        return refuse(s);
    term t = make(s, a.kind, "(%s %c %s)", a.text, op, b.text);
    /* C computes narrow operands in int; so do bits of counts and values agree only when cut */
    t.loose = a.loose || (s->bytes < 4 && a.kind != COUNT && op != '&' && op != '|' && op != '^');
    t.unused = unused;
    return t;
}

static term shift(parser *s, bool left, term a, term b)
{
    char v[24];
    bool unused = a.unused || b.unused;
    if (a.kind != UVALUE || s->bytes < 4 || b.kind == MASK || a.loose)
        return refuse(s);
    b = as_unsigned(s, b);
    /* a count that is too large belongs to lanes that take another value: keep it defined */
    term t = make(s, UVALUE, "(%s %s (%s & ((%s){} + %d)))", a.text, left ? "<<" : ">>", b.text,
                  unsigned_type(s, v), 8 * s->bytes - 1);
    t.unused = unused;
    return t;
}

/* ---- primaries ------------------------------------------------------------------------------- */

static void skip(parser *s)
{
    while (*s->p == ' ')
        s->p++;
}

static bool take(parser *s, const char *text)
{
    skip(s);
    size_t n = strlen(text);
    if (strncmp(s->p, text, n))
        return false;
    s->p += n;
    return true;
}

static term fabs_of(parser *s, term a)
{
    char v[24], m[24];
    const char *bits = s->bytes == 4 ? "0x7fffffff" : "0x7fffffffffffffff";
    return make(s, VALUE, "((%s)((%s)%s & %s))", vtype(s, s->rep.t, v), mask_type(s, m), a.text,
                bits);
}

static term copysign_of(parser *s, term a, term b)
{
    char v[24], m[24];
    const char *bits = s->bytes == 4 ? "0x7fffffff" : "0x7fffffffffffffff";
    mask_type(s, m);
    return make(s, VALUE, "((%s)(((%s)%s & %s) | ((%s)%s & ~%s)))", vtype(s, s->rep.t, v), m,
                a.text, bits, m, b.text, bits);
}

/* M(name)(arguments) */
static term function(parser *s)
{
    char name[16];
    size_t n = strcspn(s->p, ")");
    term arg[3] = {{.kind = NUMBER}, {.kind = NUMBER}, {.kind = NUMBER}};
    int count = 0;
    if (n >= sizeof name)
        return refuse(s);
    memcpy(name, s->p, n);
    name[n] = 0;
    s->p += n + 1;
    if (!take(s, "("))
        return refuse(s);
    do {
        if (count == 3)
            return refuse(s);
        arg[count++] = as_value(s, ternary(s));
    } while (take(s, ","));
    if (!take(s, ")") || !is_float(s))
        return refuse(s);
    if (!strcmp(name, "fabs"))
        return fabs_of(s, arg[0]);
    if (!strcmp(name, "copysign"))
        return copysign_of(s, arg[0], arg[1]);
    if (strcmp(name, "floor") && strcmp(name, "ceil") && strcmp(name, "trunc") &&
        strcmp(name, "sqrt") && strcmp(name, "fma"))
        return refuse(s);
    lun_snippet f = lun__exact_function(s->r, name, s->rep);
    if (count == 3)
        return make(s, VALUE, "%s(%s, %s, %s)", f.s, arg[0].text, arg[1].text, arg[2].text);
    return make(s, VALUE, "%s(%s)", f.s, arg[0].text);
}

/* 64, 0.5: digits and a point, whatever the locale. */
static term number(parser *s)
{
    size_t n = strspn(s->p, "0123456789.");
    term t = make(s, NUMBER, "%.*s", (int)n, s->p);
    double unit = 1;
    for (size_t i = 0; i < n; i++) {
        if (s->p[i] != '.')
            t.number = 10 * t.number + (s->p[i] - '0');
        if (memchr(s->p, '.', i))
            unit *= 10;
    }
    t.number /= unit;
    s->p += n;
    return t;
}

static term primary(parser *s)
{
    skip(s);
    if (isdigit((unsigned char)*s->p))
        return number(s);
    if (take(s, "WIDTH")) {
        term t = make(s, NUMBER, "%d", 8 * s->bytes);
        t.number = 8 * s->bytes;
        return t;
    }
    if (take(s, "M("))
        return function(s);
    if (take(s, "(")) {
        term t = ternary(s);
        if (!take(s, ")"))
            return refuse(s);
        return t;
    }
    if (*s->p >= 'a' && *s->p <= 'c' && !isalnum((unsigned char)s->p[1])) {
        char name = *s->p++;
        return make(s, s->rep.mask ? MASK : VALUE, "%c", name);
    }
    return refuse(s);
}

static term unary(parser *s)
{
    term t;
    if (++s->depth > 64)
        return refuse(s);
    if (take(s, "(T)")) {
        t = unary(s);
        bool number = t.kind == NUMBER;
        t = number ? spread(s, t, VALUE) : as_value(s, t);
        t.loose = false;
    } else if (take(s, "(U)")) {
        t = as_unsigned(s, unary(s));
        t.loose = false;
    } else if (take(s, "(int64_t)")) {
        t = unary(s);
        if (t.kind != VALUE || t.loose || is_float(s)) {
            t = refuse(s);
        } else if (lun__dtype_get(s->rep.t)->kind == LUN_KIND_UNSIGNED) {
            char v[24];
            if (s->bytes == 8)
                t = make(s, COUNT, "(%s)%s", mask_type(s, v), t.text);
            else
                t.positive = true;
        }
    } else if (take(s, "-")) {
        t = unary(s);
        if (t.kind == NUMBER) {
            term n = make(s, NUMBER, "-%s", t.text);
            n.number = -t.number;
            t = n;
        } else if (t.kind == MASK) {
            t = refuse(s);
        } else {
            term n = make(s, t.kind, "(-%s)", t.text);
            n.unused = t.positive || t.unused;
            n.loose = t.loose || (!is_float(s) && s->bytes < 4);
            t = n;
        }
    } else if (take(s, "~")) {
        t = unary(s);
        if (t.kind == MASK || is_float(s))
            t = refuse(s);
        t = make(s, t.kind, "(~%s)", t.text);
        t.loose = s->bytes < 4;
    } else if (take(s, "!")) {
        t = as_mask(s, unary(s));
        t = make(s, MASK, "(~%s)", t.text);
    } else {
        t = primary(s);
    }
    s->depth--;
    return t;
}

/* ---- binary operators, by precedence --------------------------------------------------------- */

/* The operator ahead, if it is one of this level; longest first. */
static const char *operator_ahead(parser *s, const char *const *level)
{
    skip(s);
    for (; *level; level++) {
        size_t n = strlen(*level);
        if (strncmp(s->p, *level, n))
            continue;
        if (n == 1 && (s->p[1] == *s->p || (s->p[1] == '=' && strchr("<>=!", *s->p))))
            continue;
        s->p += n;
        return *level;
    }
    return NULL;
}

static const char *const levels[][5] = {{"||", 0},
                                        {"&&", 0},
                                        {"|", 0},
                                        {"^", 0},
                                        {"&", 0},
                                        {"==", "!=", 0},
                                        {"<=", ">=", "<", ">", 0},
                                        {"<<", ">>", 0},
                                        {"+", "-", 0},
                                        {"*", "/", "%", 0}};

static term binary(parser *s, size_t level)
{
    if (level == sizeof levels / sizeof *levels)
        return unary(s);
    term a = binary(s, level + 1);
    const char *op;
    while (!s->failed && (op = operator_ahead(s, levels[level]))) {
        term b = binary(s, level + 1);
        if (!strcmp(op, "||") || !strcmp(op, "&&")) {
            bool known = a.kind == MASK && a.number != 0;
            if (known && (a.number > 0) == (*op == '|'))
                continue;
            known = b.kind == MASK && b.number != 0;
            if (known && (b.number > 0) != (*op == '|'))
                continue;
            a = as_mask(s, a);
            b = as_mask(s, b);
            a = make(s, MASK, "(%s %c %s)", a.text, *op, b.text);
        } else if (level == 5 || level == 6) {
            a = compare(s, op, a, b);
        } else if (level == 7) {
            a = shift(s, *op == '<', a, b);
        } else {
            a = arithmetic(s, *op, a, b);
        }
    }
    return a;
}

static term ternary(parser *s)
{
    if (++s->depth > 64)
        return refuse(s);
    term c = binary(s, 0);
    if (take(s, "?")) {
        term a = ternary(s);
        if (!take(s, ":"))
            return refuse(s);
        term b = ternary(s);
        c = select_term(s, c, a, b);
    }
    s->depth--;
    return c;
}

/* Without the parentheses around all of it. */
static void put_bare(const char *text, lun_strbuf *out)
{
    size_t n = strlen(text), close = 0;
    int depth = 0;
    for (close = 0; close < n; close++) {
        depth += text[close] == '(';
        depth -= text[close] == ')';
        if (depth == 0)
            break;
    }
    bool around = n > 2 && *text == '(' && close == n - 1;
    lun__strbuf_add(out, text + around, n - 2 * around);
}

bool lun__expression_vector(lun_renderer *r, lun_op op, lun_rep rep, lun_strbuf *out)
{
    const lun_op_row *row = lun__op_get(op);
    parser s = {.r = r, .rep = rep, .bytes = lun__vector_rep_bytes(rep)};
    s.p = is_float(&s) ? row->flt : row->integer;
    term t;
    if (row->rule == LUN_RULE_SELECT) { /* its first operand is a mask whatever the dtype */
        t = make(&s, rep.mask ? MASK : VALUE, "%s(a, b, c)", lun__vector_select(r, rep).s);
        s.p = "";
    } else {
        t = ternary(&s);
        skip(&s);
    }
    bool test = lun__dtype_is_bool(lun__element_result(op, rep.mask ? LUN_BOOL : rep.t));
    if (!s.failed)
        t = test ? as_mask(&s, t) : as_value(&s, t);
    if (s.failed || *s.p || t.unused)
        return false;
    put_bare(t.text, out);
    return true;
}
