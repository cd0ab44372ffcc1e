/* checks.c - where a C text may fail while it runs; see checks.h. */
#include "ctext/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctext/operand.h"

enum { MOST = 4000 }; /* checks of one text; a failure's number has 12 bits */

typedef struct finder {
    const lun_csource *s;
    const lun_ctokens *t;
    const lun_cunits *units;
    const lun_csignature *head;
    lun_cchecks *out;
    lun_cedits *edits;
    lun_strbuf *error;
    int define; /* the NAME of the macro whose definition is looked through, -1: a body */
    int *names; /* of macros, then of typedefs: their tokens */
    int macros, types;
    lun_status status;
} finder;

/* ---- macros ---------------------------------------------------------------------------------- */

static bool same_name(const lun_ctokens *t, int a, int b)
{
    return t->at[a].kind == LUN_CTOKEN_NAME && t->at[b].kind == LUN_CTOKEN_NAME &&
           t->at[a].length == t->at[b].length &&
           !memcmp(t->text + t->at[a].start, t->text + t->at[b].start, t->at[a].length);
}

/* The macro's NAME if a definition opens at token i, else -1. */
static int defined(const lun_ctokens *t, int i)
{
    bool is = t->at[i].kind == LUN_CTOKEN_DIRECTIVE && lun__ctoken_word(t, i + 1, "define") &&
              t->at[i + 2].kind == LUN_CTOKEN_NAME;
    return is ? i + 2 : -1;
}

/* The first token of a macro's replacement; *params: the '(' before its parameters, -1: none. */
static int replacement(const lun_ctokens *t, int name, int *params)
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

static bool is_number(const lun_ctokens *t, int i)
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

/* What a macro's replacement is, of all its definitions: a number other than zero; an expression
 * that no operator beside it can take apart. */
typedef enum shape { NO_MACRO, LOOSE, PRIMARY, NUMBER } shape;

static shape shape_of_one(const lun_ctokens *t, int name)
{
    int params, i = replacement(t, name, &params), end = i, depth = 0;
    while (t->at[end].kind != LUN_CTOKEN_ENDLINE)
        end++;
    if (end == i + 1 && params < 0 && is_number(t, i))
        return NUMBER;
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
            return LOOSE;
    }
    return end > i ? PRIMARY : LOOSE;
}

static shape shape_of(const finder *f, int token)
{
    shape all = NO_MACRO;
    for (int i = 0; i < f->macros; i++) {
        if (!same_name(f->t, f->names[i], token))
            continue;
        shape one = shape_of_one(f->t, f->names[i]);
        all = all == NO_MACRO || one < all ? one : all;
    }
    return all;
}

/* A parameter of the macro that is looked through. */
static bool is_param(const finder *f, int token)
{
    int params, past = f->define >= 0 ? replacement(f->t, f->define, &params) : 0;
    for (int i = f->define + 1; i < past; i++)
        if (same_name(f->t, i, token))
            return true;
    return false;
}

/* Whether tokens a .. b are one operand also when macros and parameters are replaced. */
static bool is_whole(const finder *f, int a, int b)
{
    int depth = 0;
    for (int i = a; i <= b; i++) {
        if (lun__ctoken_is(f->t, i, '(') || lun__ctoken_is(f->t, i, '['))
            depth++;
        if (lun__ctoken_is(f->t, i, ')') || lun__ctoken_is(f->t, i, ']'))
            depth--;
        if (depth || f->t->at[i].kind != LUN_CTOKEN_NAME)
            continue;
        if (is_param(f, i) || shape_of(f, i) == LOOSE)
            return false;
    }
    return true;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* A word of a type, or a name that a typedef anywhere in the text defines. */
static bool is_type(const void *ctx, int token)
{
    const finder *f = ctx;
    if (lun__csignature_reserved(f->t, token))
        return true;
    for (int i = f->macros; i < f->macros + f->types; i++)
        if (same_name(f->t, f->names[i], token))
            return true;
    return false;
}

/* Notes the names that the typedef at token i defines. */
static void note_typedef(finder *f, int i)
{
    const lun_ctokens *t = f->t;
    int depth = 0;
    for (i++; i < t->count && (depth || !lun__ctoken_is(t, i, ';')); i++) {
        depth += lun__ctoken_is(t, i, '{') - lun__ctoken_is(t, i, '}');
        if (!depth && t->at[i].kind == LUN_CTOKEN_NAME &&
            (lun__ctoken_is(t, i + 1, ';') || lun__ctoken_is(t, i + 1, ',') ||
             lun__ctoken_is(t, i + 1, '[') || lun__ctoken_is(t, i + 1, ')')))
            f->names[f->macros + f->types++] = i;
    }
}

static void gather(finder *f)
{
    f->names = malloc((size_t)f->t->count * sizeof *f->names);
    if (!f->names) {
        f->status = LUN_ENOMEM;
        return;
    }
    for (int i = 0; i < f->t->count; i++)
        if (defined(f->t, i) >= 0)
            f->names[f->macros++] = i + 2;
    for (int i = 0; i < f->t->count; i++)
        if (lun__ctoken_word(f->t, i, "typedef"))
            note_typedef(f, i);
}

/* ---- edits ----------------------------------------------------------------------------------- */

static void add(finder *f, char **to, const char *text, bool ahead)
{
    if (f->status == LUN_OK)
        f->status = lun__cedits_add(to, text, ahead);
}

static lun_cedit *edit(finder *f, int token)
{
    return lun__cedits_of(f->edits, token);
}

/* A new check at token i: its number in the text, 0: without memory or beyond the most. */
static int new_check(finder *f, int i, int param, const char *message)
{
    lun_cchecks *c = f->out;
    if (c->count == MOST)
        return 0;
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__csource_error(f->s, i, &text, "%s", message);
    lun_ir_slip *faults = realloc(c->faults, (size_t)(c->count + 1) * sizeof *faults);
    if (faults)
        c->faults = faults;
    if (!faults || text.failed || !edit(f, i)) {
        lun__strbuf_free(&text);
        f->status = LUN_ENOMEM;
        return 0;
    }
    c->faults[c->count++] = (lun_ir_slip){text.text, param};
    return c->count;
}

/* ---- divisions ------------------------------------------------------------------------------- */

/* The divisor a .. b cannot be zero. */
static bool never_zero(const finder *f, int a, int b)
{
    if (lun__ctoken_word(f->t, a, "sizeof"))
        return true;
    return a == b && (is_number(f->t, a) || shape_of(f, a) == NUMBER);
}

/* The left side of an assignment may be written twice: nothing in it acts. */
static bool is_quiet(const finder *f, int a, int b)
{
    for (int i = a; i <= b; i++) {
        bool name = f->t->at[i].kind == LUN_CTOKEN_NAME;
        if ((name && lun__ctoken_is(f->t, i + 1, '(')) || lun__ctoken_is(f->t, i, '=') ||
            ((lun__ctoken_is(f->t, i, '+') || lun__ctoken_is(f->t, i, '-')) &&
             lun__ctoken_is(f->t, i + 1, f->t->at[i].ch)) ||
            (name && shape_of(f, i) != NO_MACRO))
            return false;
    }
    return true;
}

/* Token i is / or %, of an assignment if `sets`. */
static void check_division(finder *f, const lun_cextent *x, int i, bool sets)
{
    const lun_ctokens *t = f->t;
    bool modulo = lun__ctoken_is(t, i, '%');
    int right = i + 1 + sets, start = lun__coperand_start(x, i, sets);
    int end = sets ? lun__coperand_value_end(x, right) : lun__coperand_end(x, right);
    if (start < 0 || end < 0 || never_zero(f, right, end) || !is_whole(f, start, i - 1) ||
        (!sets && !is_whole(f, right, end)) || (sets && !is_quiet(f, start, i - 1)))
        return;
    int k = new_check(f, i, -1, modulo ? "attempt to perform 'n%%0'" : "attempt to perform 'n/0'");
    if (!k)
        return;
    char open[64];
    const char *name = modulo ? "LUN_MODULO" : "LUN_DIVIDE";
    snprintf(open, sizeof open, "%s(%d, (", name, k);
    if (!sets) {
        add(f, &edit(f, start)->before, open, true);
        add(f, &edit(f, i)->instead, "), (", false);
    } else {
        const char *left = t->text + t->at[start].start;
        size_t length = t->at[i - 1].start + t->at[i - 1].length - t->at[start].start;
        lun_strbuf whole = LUN_STRBUF_INIT;
        lun__strbuf_printf(&whole, "= %s%.*s), (", open, (int)length, left);
        if (whole.failed)
            f->status = LUN_ENOMEM;
        else
            add(f, &edit(f, i)->instead, whole.text, false);
        lun__strbuf_free(&whole);
        add(f, &edit(f, i + 1)->instead, "", false);
    }
    add(f, &edit(f, end)->after, "))", false);
}

/* ---- indices --------------------------------------------------------------------------------- */

static int parameter(const finder *f, int token)
{
    for (int k = 0; k < f->head->count; k++)
        if (f->head->param[k].array && same_name(f->t, f->head->param[k].name, token))
            return k;
    return -1;
}

/* Token i is LUN_AT. */
static void check_index(finder *f, const lun_cextent *x, int i)
{
    const lun_ctokens *t = f->t;
    int close = lun__ctoken_is(t, i + 1, '(') ? lun__coperand_match(x, i + 1) : -1;
    int param = close > i + 4 && lun__ctoken_is(t, i + 3, ',') ? parameter(f, i + 2) : -1;
    char name[48], message[160], text[64];
    if (param < 0) {
        f->status = lun__csource_error(f->s, i, f->error,
                                       "LUN_AT(w, i) needs the name of an array parameter of the "
                                       "entry function, and an index");
        return;
    }
    snprintf(message, sizeof message, "index %%lld is out of range for array '%s' of length %%lld",
             lun__ctoken_show(t, i + 2, name));
    int k = new_check(f, i, param, message);
    if (!k)
        return;
    f->out->indexed[param] = true;
    snprintf(text, sizeof text, "[LUN_INDEX(%d, (", k);
    add(f, &edit(f, i)->instead, "", false);
    add(f, &edit(f, i + 1)->instead, "", false);
    add(f, &edit(f, i + 3)->instead, text, false);
    snprintf(text, sizeof text, "), lun_length_%s)]", name);
    add(f, &edit(f, close)->instead, text, false);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void look(finder *f, int first, int past)
{
    const lun_ctokens *t = f->t;
    lun_cextent x = {t, first, past, is_type, f};
    for (int i = first; f->status == LUN_OK && i < past; i++) {
        if (t->at[i].kind == LUN_CTOKEN_DIRECTIVE) {
            i = lun__ctoken_past_line(t, i) - 1;
            continue;
        }
        if (lun__ctoken_word(t, i, "LUN_AT"))
            check_index(f, &x, i);
        if (!lun__ctoken_is(t, i, '/') && !lun__ctoken_is(t, i, '%'))
            continue;
        bool joined = t->at[i + 1].start == t->at[i].start + 1;
        if (joined && lun__ctoken_is(t, i + 1, ':')) /* the digraph %: */
            continue;
        check_division(f, &x, i, joined && lun__ctoken_is(t, i + 1, '='));
    }
}

/* Whether all uses of a macro stand in bodies, where a check may. */
static bool in_bodies(const finder *f, int name)
{
    int unit = 0, line = -1;
    for (int i = 0; i < f->t->count; i++) {
        while (unit < f->units->count && f->units->at[unit].end < i)
            unit++;
        const lun_cunit *u = unit < f->units->count ? &f->units->at[unit] : NULL;
        if (f->t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            line = lun__ctoken_past_line(f->t, i);
        if (!same_name(f->t, i, name))
            continue;
        bool own = i < line && (lun__ctoken_word(f->t, i - 1, "define") ||
                                lun__ctoken_word(f->t, i - 1, "undef"));
        if (!own && (i < line || !u || u->body < 0 || i < u->body))
            return false;
    }
    return true;
}

lun_status lun__cchecks_find(lun_cchecks *out, lun_cedits *edits, const lun_csource *s,
                             const lun_cunits *units, int entry, lun_strbuf *error)
{
    const lun_ctokens *t = &s->tokens;
    finder f = {
        .s = s, .t = t, .units = units, .out = out, .edits = edits, .error = error, .define = -1};
    gather(&f);
    for (int i = 0; i < units->count && f.status == LUN_OK; i++) {
        const lun_cunit *u = &units->at[i];
        lun_csignature head = {0}; /* of helpers: no array has a length there */
        if (u->body < 0)
            continue;
        if (i == entry || (u->name >= 0 && units->at[entry].name >= 0 &&
                           same_name(t, u->name, units->at[entry].name)))
            f.status = lun__csignature_read(&head, s, u, error);
        f.head = &head;
        if (f.status == LUN_OK)
            look(&f, u->body + 1, u->end);
    }
    lun_csignature head;
    if (f.status == LUN_OK)
        f.status = lun__csignature_read(&head, s, &units->at[entry], error);
    f.head = &head;
    for (int i = 0; i < f.macros && f.status == LUN_OK; i++) {
        int params;
        f.define = f.names[i];
        if (in_bodies(&f, f.define))
            look(&f, replacement(t, f.define, &params), lun__ctoken_past_line(t, f.define) - 1);
    }
    free(f.names);
    return f.status;
}

void lun__cchecks_free(lun_cchecks *c)
{
    for (int i = 0; i < c->count; i++)
        free(c->faults[i].text);
    free(c->faults);
    *c = (lun_cchecks){0};
}
