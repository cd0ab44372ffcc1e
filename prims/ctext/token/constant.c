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

/* A number or a name with its signs, or a sum in parentheses. */
static bool factor(const lun_cconstants *c, int *i, int64_t *out)
{
    const lun_cconstants within = {c->t, c->named, c->ctx, c->depth + 1};
    bool negative = false;
    for (; lun__ctoken_is(c->t, *i, '-') || lun__ctoken_is(c->t, *i, '+'); ++*i)
        negative ^= lun__ctoken_is(c->t, *i, '-');
    if (c->depth == DEPTH)
        return false;
    if (lun__ctoken_is(c->t, *i, '(')) {
        ++*i;
        if (!lun__cconstant_read(&within, i, out) || !lun__ctoken_is(c->t, *i, ')'))
            return false;
        ++*i;
    } else if (c->named && c->t->at[*i].kind == LUN_CTOKEN_NAME) {
        if (!c->named(&within, i, out))
            return false;
    } else if (!number(c->t, i, out)) {
        return false;
    }
    *out = negative ? -*out : *out;
    return true;
}

static bool product(const lun_cconstants *c, int *i, int64_t *out)
{
    int64_t by;
    if (!factor(c, i, out))
        return false;
    for (;;) {
        const char op = c->t->at[*i].kind == LUN_CTOKEN_PUNCT ? c->t->at[*i].ch : 0;
        if (op != '*' && op != '/' && op != '%')
            return true;
        ++*i;
        if (!factor(c, i, &by))
            return false;
        if (op == '*' ? __builtin_mul_overflow(*out, by, out) : by == 0)
            return false;
        if (op != '*')
            *out = op == '/' ? *out / by : *out % by;
    }
}

bool lun__cconstant_read(const lun_cconstants *c, int *i, int64_t *out)
{
    int64_t by;
    if (!product(c, i, out))
        return false;
    while (lun__ctoken_is(c->t, *i, '+') || lun__ctoken_is(c->t, *i, '-')) {
        bool minus = lun__ctoken_is(c->t, *i, '-');
        ++*i;
        if (!product(c, i, &by) ||
            (minus ? __builtin_sub_overflow(*out, by, out) : __builtin_add_overflow(*out, by, out)))
            return false;
    }
    return *out >= -INT32_MAX && *out <= INT32_MAX;
}
