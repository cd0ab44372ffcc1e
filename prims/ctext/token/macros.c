/* macros.c - macros and types that a C text defines; see macros.h. */
#include "ctext/token/macros.h"

#include <stdlib.h>
#include <string.h>

#include "ctext/token/signature.h"

/* ---- macros ---------------------------------------------------------------------------------- */

int lun__cmacro_defined(const lun_ctokens *t, int i)
{
    bool is = t->at[i].kind == LUN_CTOKEN_DIRECTIVE && lun__ctoken_word(t, i + 1, "define") &&
              t->at[i + 2].kind == LUN_CTOKEN_NAME;
    return is ? i + 2 : -1;
}

int lun__cmacro_replacement(const lun_ctokens *t, int name, int *params)
{
    int i = name + 1;
    *params = -1;
    if (!lun__ctoken_is(t, i, '(') || t->at[i].start != t->at[name].start + t->at[name].length)
        return i;
    *params = i;
    while (!lun__ctoken_is(t, i, ')') && t->at[i].kind != LUN_CTOKEN_ENDLINE)
        i++;
    return lun__ctoken_is(t, i, ')') ? i + 1 : i;
}

bool lun__cmacro_number(const lun_ctokens *t, int i)
{
    if (t->at[i].kind != LUN_CTOKEN_NUMBER)
        return false;
    const char *p = t->text + t->at[i].start, *end = p + t->at[i].length;
    bool hex = end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    for (p += hex ? 2 : 0; p < end; p++) {
        if ((*p >= '1' && *p <= '9') || (hex && strchr("abcdefABCDEF", *p)))
            return true; /* not zero */
        if (!strchr("0.'", *p))
            return false;
    }
    return false;
}

static lun_cmacro_shape shape_of_one(const lun_ctokens *t, int name)
{
    int params, i = lun__cmacro_replacement(t, name, &params), end = i, depth = 0;
    while (t->at[end].kind != LUN_CTOKEN_ENDLINE)
        end++;
    if (end == i + 1 && params < 0 && lun__cmacro_number(t, i))
        return LUN_CMACRO_NUMBER;
    for (int k = i; k < end; k++) {
        if (lun__ctoken_is(t, k, '(') || lun__ctoken_is(t, k, '['))
            depth++;
        if (lun__ctoken_is(t, k, ')') || lun__ctoken_is(t, k, ']'))
            depth--;
        bool member = lun__ctoken_is(t, k, '.') ||
                      (lun__ctoken_is(t, k, '-') && lun__ctoken_is(t, k + 1, '>')) ||
                      (lun__ctoken_is(t, k, '>') && lun__ctoken_is(t, k - 1, '-'));
        if (!depth && t->at[k].kind == LUN_CTOKEN_PUNCT && !member && !lun__ctoken_is(t, k, ')') &&
            !lun__ctoken_is(t, k, ']'))
            return LUN_CMACRO_LOOSE;
    }
    return end > i ? LUN_CMACRO_PRIMARY : LUN_CMACRO_LOOSE;
}

lun_cmacro_shape lun__cmacro_shape_of(const lun_cmacros *m, int token)
{
    lun_cmacro_shape all = LUN_CMACRO_NONE;
    for (int i = 0; i < m->macros; i++) {
        if (!lun__ctoken_same(m->t, m->names[i], token))
            continue;
        lun_cmacro_shape one = shape_of_one(m->t, m->names[i]);
        all = all == LUN_CMACRO_NONE || one < all ? one : all;
    }
    return all;
}

/* ---- types ----------------------------------------------------------------------------------- */

bool lun__cmacro_type(const void *macros, int token)
{
    const lun_cmacros *m = macros;
    if (lun__ctype_reserved(m->t, token))
        return true;
    for (int i = m->macros; i < m->macros + m->types; i++)
        if (lun__ctoken_same(m->t, m->names[i], token))
            return true;
    return false;
}

/* Notes the names that the typedef at token i defines. */
static void note_typedef(lun_cmacros *m, int i)
{
    const lun_ctokens *t = m->t;
    int depth = 0;
    for (i++; i < t->count && (depth || !lun__ctoken_is(t, i, ';')); i++) {
        depth += lun__ctoken_is(t, i, '{') - lun__ctoken_is(t, i, '}');
        if (!depth && t->at[i].kind == LUN_CTOKEN_NAME &&
            (lun__ctoken_is(t, i + 1, ';') || lun__ctoken_is(t, i + 1, ',') ||
             lun__ctoken_is(t, i + 1, '[') || lun__ctoken_is(t, i + 1, ')')))
            m->names[m->macros + m->types++] = i;
    }
}

lun_status lun__cmacros_read(lun_cmacros *m, const lun_ctokens *t)
{
    m->t = t;
    m->names = malloc((size_t)t->count * sizeof *m->names);
    if (!m->names)
        return LUN_ENOMEM;
    for (int i = 0; i < t->count; i++)
        if (lun__cmacro_defined(t, i) >= 0)
            m->names[m->macros++] = i + 2;
    for (int i = 0; i < t->count; i++)
        if (lun__ctoken_word(t, i, "typedef"))
            note_typedef(m, i);
    return LUN_OK;
}

void lun__cmacros_free(lun_cmacros *m)
{
    free(m->names);
}
