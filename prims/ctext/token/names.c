/* names.c - the names that a C text defines at its top level, looked up by token.  A name is
 * renamed wherever it stands, in all scopes, which changes nothing as all of the text is renamed
 * alike. */
#include "ctext/token/names.h"

#include <stdlib.h>
#include <string.h>

static int compare_text(const void *a, const void *b)
{
    const lun_cname *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* A function's definition before a declaration of the same name. */
static int compare(const void *a, const void *b)
{
    const lun_cname *x = a, *y = b;
    int order = compare_text(a, b);
    return order ? order : (x->unit < y->unit) - (x->unit > y->unit);
}

static lun_cname name_of(const lun_ctokens *t, int token, int unit)
{
    return (lun_cname){t->text + t->at[token].start, t->at[token].length, unit, false};
}

lun_status lun__cnames_read(lun_cnames *out, const lun_csource *s, const lun_cunits *units)
{
    size_t most = (size_t)units->count + (size_t)units->declared_count, n = 0;
    lun_cname *at = malloc((most ? most : 1) * sizeof *at);
    if (!at)
        return LUN_ENOMEM;
    out->at = at;
    for (int i = 0; i < units->count; i++)
        if (units->at[i].body >= 0 && units->at[i].name >= 0)
            at[n++] = name_of(&s->tokens, units->at[i].name, i);
    for (int i = 0; i < units->declared_count; i++)
        at[n++] = name_of(&s->tokens, units->declared[i], -1);
    qsort(at, n, sizeof *at, compare);
    for (size_t i = 0; i < n; i++)
        if (!out->count || compare_text(&at[out->count - 1], &at[i]))
            at[out->count++] = at[i];
    return LUN_OK;
}

void lun__cnames_free(lun_cnames *n)
{
    free(n->at);
    *n = (lun_cnames){0};
}

lun_cname *lun__cnames_find(const lun_cnames *n, const lun_ctokens *t, int i)
{
    if (i < 0 || t->at[i].kind != LUN_CTOKEN_NAME || !n->count)
        return NULL;
    lun_cname key = name_of(t, i, -1);
    return bsearch(&key, n->at, (size_t)n->count, sizeof key, compare_text);
}

void lun__cnames_mark(lun_cnames *n, const lun_ctokens *t, const lun_cunits *units, const bool *own)
{
    int unit = 0;
    for (int i = 0; i < t->count; i++) {
        while (unit < units->count && units->at[unit].end < i)
            unit++;
        const lun_cunit *u =
            unit < units->count && units->at[unit].start <= i ? &units->at[unit] : NULL;
        if (own[i] || (u && u->body < 0 && !u->assigned))
            continue;
        lun_cname *name = lun__cnames_find(n, t, i);
        if (name && name->unit >= 0 && !(u && name->unit == unit))
            name->used = true;
    }
}
