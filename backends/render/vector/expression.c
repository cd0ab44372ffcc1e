/* expression.c - an expression of table/ops.def, C on single elements, turned into one on whole GNU
 * vectors with the same value in every lane.  A lane loop would do as well, but costs the compiler
 * fifty times more.
 *
 * What has no such form (integer division, shifts of less than 32 bits, functions without an
 * instruction) is refused, and computed lane by lane.  Knows no IR. */
#include "render/vector/operation.h"

#include <ctype.h>
#include <string.h>

#include "render/text/element_text.h"
#include "render/vector/term.h"

typedef struct parser {
    lun_terms on;
    const char *p;
    int depth;
} parser;

static lun_term ternary(parser *s);

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

/* M(name)(arguments) */
static lun_term function(parser *s)
{
    char name[16];
    size_t n = strcspn(s->p, ")");
    lun_term arg[3] = {
        {.kind = LUN_TERM_NUMBER}, {.kind = LUN_TERM_NUMBER}, {.kind = LUN_TERM_NUMBER}};
    int count = 0;
    if (n >= sizeof name)
        return lun__term_refuse(&s->on);
    memcpy(name, s->p, n);
    name[n] = 0;
    s->p += n + 1;
    if (!take(s, "("))
        return lun__term_refuse(&s->on);
    do {
        if (count == 3)
            return lun__term_refuse(&s->on);
        arg[count++] = lun__term_value(&s->on, ternary(s));
    } while (take(s, ","));
    if (!take(s, ")") || !lun__term_is_float(&s->on))
        return lun__term_refuse(&s->on);
    if (!strcmp(name, "fabs"))
        return lun__term_fabs(&s->on, arg[0]);
    if (!strcmp(name, "copysign"))
        return lun__term_copysign(&s->on, arg[0], arg[1]);
    if (strcmp(name, "floor") && strcmp(name, "ceil") && strcmp(name, "trunc") &&
        strcmp(name, "sqrt") && strcmp(name, "fma"))
        return lun__term_refuse(&s->on);
    lun_snippet f = lun__exact_function(s->on.r, name, s->on.rep);
    if (count == 3)
        return lun__term_make(&s->on, LUN_TERM_VALUE, "%s(%s, %s, %s)", f.s, arg[0].text,
                              arg[1].text, arg[2].text);
    return lun__term_make(&s->on, LUN_TERM_VALUE, "%s(%s)", f.s, arg[0].text);
}

/* 64, 0.5: digits and a point, whatever the locale. */
static lun_term number(parser *s)
{
    size_t n = strspn(s->p, "0123456789.");
    lun_term t = lun__term_make(&s->on, LUN_TERM_NUMBER, "%.*s", (int)n, s->p);
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

static lun_term primary(parser *s)
{
    skip(s);
    if (isdigit((unsigned char)*s->p))
        return number(s);
    if (take(s, "WIDTH")) {
        lun_term t = lun__term_make(&s->on, LUN_TERM_NUMBER, "%d", 8 * s->on.bytes);
        t.number = 8 * s->on.bytes;
        return t;
    }
    if (take(s, "M("))
        return function(s);
    if (take(s, "(")) {
        lun_term t = ternary(s);
        if (!take(s, ")"))
            return lun__term_refuse(&s->on);
        return t;
    }
    if (*s->p >= 'a' && *s->p <= 'c' && !isalnum((unsigned char)s->p[1])) {
        char name = *s->p++;
        return lun__term_make(&s->on, s->on.rep.mask ? LUN_TERM_MASK : LUN_TERM_VALUE, "%c", name);
    }
    return lun__term_refuse(&s->on);
}

static lun_term unary(parser *s)
{
    lun_term t;
    if (++s->depth > 64)
        return lun__term_refuse(&s->on);
    if (take(s, "(T)")) {
        t = unary(s);
        bool number = t.kind == LUN_TERM_NUMBER;
        t = number ? lun__term_spread(&s->on, t, LUN_TERM_VALUE) : lun__term_value(&s->on, t);
        t.loose = false;
    } else if (take(s, "(U)")) {
        t = lun__term_unsigned(&s->on, unary(s));
        t.loose = false;
    } else if (take(s, "(int64_t)")) {
        t = unary(s);
        if (t.kind != LUN_TERM_VALUE || t.loose || lun__term_is_float(&s->on)) {
            t = lun__term_refuse(&s->on);
        } else if (lun__dtype_get(s->on.rep.t)->kind == LUN_KIND_UNSIGNED) {
            char v[24];
            if (s->on.bytes == 8)
                t = lun__term_make(&s->on, LUN_TERM_COUNT, "(%s)%s", lun__term_mask_type(&s->on, v),
                                   t.text);
            else
                t.positive = true;
        }
    } else if (take(s, "-")) {
        t = unary(s);
        if (t.kind == LUN_TERM_NUMBER) {
            lun_term n = lun__term_make(&s->on, LUN_TERM_NUMBER, "-%s", t.text);
            n.number = -t.number;
            t = n;
        } else if (t.kind == LUN_TERM_MASK) {
            t = lun__term_refuse(&s->on);
        } else {
            lun_term n = lun__term_make(&s->on, t.kind, "(-%s)", t.text);
            n.unused = t.positive || t.unused;
            n.loose = t.loose || (!lun__term_is_float(&s->on) && s->on.bytes < 4);
            t = n;
        }
    } else if (take(s, "~")) {
        t = unary(s);
        if (t.kind == LUN_TERM_MASK || lun__term_is_float(&s->on))
            t = lun__term_refuse(&s->on);
        t = lun__term_make(&s->on, t.kind, "(~%s)", t.text);
        t.loose = s->on.bytes < 4;
    } else if (take(s, "!")) {
        t = lun__term_mask(&s->on, unary(s));
        t = lun__term_make(&s->on, LUN_TERM_MASK, "(~%s)", t.text);
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

static lun_term binary(parser *s, size_t level)
{
    if (level == sizeof levels / sizeof *levels)
        return unary(s);
    lun_term a = binary(s, level + 1);
    const char *op;
    while (!s->on.failed && (op = operator_ahead(s, levels[level]))) {
        lun_term b = binary(s, level + 1);
        if (!strcmp(op, "||") || !strcmp(op, "&&")) {
            bool known = a.kind == LUN_TERM_MASK && a.number != 0;
            if (known && (a.number > 0) == (*op == '|'))
                continue;
            known = b.kind == LUN_TERM_MASK && b.number != 0;
            if (known && (b.number > 0) != (*op == '|'))
                continue;
            a = lun__term_mask(&s->on, a);
            b = lun__term_mask(&s->on, b);
            a = lun__term_make(&s->on, LUN_TERM_MASK, "(%s %c %s)", a.text, *op, b.text);
        } else if (level == 5 || level == 6) {
            a = lun__term_compare(&s->on, op, a, b);
        } else if (level == 7) {
            a = lun__term_shift(&s->on, *op == '<', a, b);
        } else {
            a = lun__term_arithmetic(&s->on, *op, a, b);
        }
    }
    return a;
}

static lun_term ternary(parser *s)
{
    if (++s->depth > 64)
        return lun__term_refuse(&s->on);
    lun_term c = binary(s, 0);
    if (take(s, "?")) {
        lun_term a = ternary(s);
        if (!take(s, ":"))
            return lun__term_refuse(&s->on);
        lun_term b = ternary(s);
        c = lun__term_select(&s->on, c, a, b);
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
    parser s = {.on = {.r = r, .rep = rep, .bytes = lun__vector_rep_bytes(rep)}};
    s.p = lun__term_is_float(&s.on) ? row->flt : row->integer;
    lun_term t;
    if (row->rule == LUN_RULE_SELECT) { /* its first operand is a mask whatever the dtype */
        t = lun__term_make(&s.on, rep.mask ? LUN_TERM_MASK : LUN_TERM_VALUE, "%s(a, b, c)",
                           lun__vector_select(r, rep).s);
        s.p = "";
    } else {
        t = ternary(&s);
        skip(&s);
    }
    bool test = lun__dtype_is_bool(lun__element_result(op, rep.mask ? LUN_BOOL : rep.t));
    if (!s.on.failed)
        t = test ? lun__term_mask(&s.on, t) : lun__term_value(&s.on, t);
    if (s.on.failed || *s.p || t.unused)
        return false;
    put_bare(t.text, out);
    return true;
}
