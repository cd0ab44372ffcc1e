/* constant.c - integer constants of a C text, by recursive descent of limited depth; see
 * constant.h. */
#include "ctext/token/constant.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16 }; /* of parentheses and names */

static bool number(const lun_ctokens *t, int *i, int64_t *out)
{
    char text[24], *end;
    if (t->at[*i].kind != LUN_CTOKEN_NUMBER || t->at[*i].length >= sizeof text)
        return false;
    memcpy(text, t->text + t->at[*i].start, t->at[*i].length);
    text[t->at[*i].length] = '\0';
    *out = strtol(text, &end, 0);
    ++*i;
    return *end == '\0' && *out <= INT32_MAX;
}

static bool same_name(const lun_cconstants *c, int a, int b)
{
    return lun__ctoken_same(c->t, a, b);
}

/* *x = *x + sign * y. */
static bool add(const lun_cconstants *c, lun_clinear *x, lun_clinear y, int sign)
{
    if (x->by && y.by && !same_name(c, x->name, y.name))
        return false;
    x->name = x->by ? x->name : y.name;
    x->by += sign * y.by;
    x->plus += sign * y.plus;
    return true;
}

/* *x = *x op y: numbers are below 2^32 in size. */
static bool multiply(lun_clinear *x, lun_clinear y, char op)
{
    if (op != '*' && (x->by || y.by || !y.plus))
        return false;
    if (op != '*') {
        x->plus = op == '/' ? x->plus / y.plus : x->plus % y.plus;
        return true;
    }
    if (x->by && y.by)
        return false;
    const int64_t by = x->by ? y.plus : x->plus;
    x->name = x->by ? x->name : y.name;
    const bool well = !__builtin_mul_overflow(x->by ? x->by : y.by, by, &x->by);
    return well && !__builtin_mul_overflow(x->plus, y.plus, &x->plus);
}

static bool is_small(lun_clinear x)
{
    return x.plus >= -INT32_MAX && x.plus <= INT32_MAX && x.by >= -INT32_MAX && x.by <= INT32_MAX;
}

/* A name's value. */
static bool name(const lun_cconstants *c, int *i, lun_clinear *out)
{
    *out = (lun_clinear){1, 0, *i};
    if (c->later && c->later(c, *i)) {
        ++*i;
        return true;
    }
    *out = (lun_clinear){0, 0, -1};
    return c->named && c->named(c, i, &out->plus);
}

/* A number or a name with its signs, or a sum in parentheses. */
static bool factor(const lun_cconstants *c, int *i, lun_clinear *out)
{
    const lun_cconstants within = {c->t, c->named, c->later, c->ctx, c->depth + 1};
    bool negative = false;
    for (; lun__ctoken_is(c->t, *i, '-') || lun__ctoken_is(c->t, *i, '+'); ++*i)
        negative ^= lun__ctoken_is(c->t, *i, '-');
    if (c->depth == DEPTH)
        return false;
    *out = (lun_clinear){0, 0, -1};
    if (lun__ctoken_is(c->t, *i, '(')) {
        ++*i;
        if (!lun__cconstant_linear(&within, i, out) || !lun__ctoken_is(c->t, *i, ')'))
            return false;
        ++*i;
    } else if (c->t->at[*i].kind == LUN_CTOKEN_NAME) {
        if (!name(&within, i, out))
            return false;
    } else if (!number(c->t, i, &out->plus)) {
        return false;
    }
    return !negative || multiply(out, (lun_clinear){0, -1, -1}, '*');
}

static bool product(const lun_cconstants *c, int *i, lun_clinear *out)
{
    lun_clinear by;
    if (!factor(c, i, out))
        return false;
    for (;;) {
        const char op = c->t->at[*i].kind == LUN_CTOKEN_PUNCT ? c->t->at[*i].ch : 0;
        if (op != '*' && op != '/' && op != '%')
            return true;
        ++*i;
        if (!factor(c, i, &by) || !multiply(out, by, op) || !is_small(*out))
            return false;
    }
}

bool lun__cconstant_linear(const lun_cconstants *c, int *i, lun_clinear *out)
{
    lun_clinear by;
    if (!product(c, i, out))
        return false;
    while (lun__ctoken_is(c->t, *i, '+') || lun__ctoken_is(c->t, *i, '-')) {
        const int sign = lun__ctoken_is(c->t, *i, '-') ? -1 : 1;
        ++*i;
        if (!product(c, i, &by) || !add(c, out, by, sign) || !is_small(*out))
            return false;
    }
    return is_small(*out);
}

bool lun__cconstant_read(const lun_cconstants *c, int *i, int64_t *out)
{
    lun_clinear x;
    if (!lun__cconstant_linear(c, i, &x) || x.by)
        return false;
    *out = x.plus;
    return true;
}
