/* checks.c - where a C text may fail while it runs; see checks.h. */
#include "ctext/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctext/token/atomic_words.h"
#include "ctext/token/loop_tokens.h"
#include "ctext/token/macros.h"
#include "ctext/token/operand.h"

enum { MOST = 4000 }; /* checks of one text; a failure's number has 12 bits */

typedef struct finder {
    const lun_csource *s;
    const lun_ctokens *t;
    const lun_cunits *units;
    const lun_csignature *head;
    lun_cchecks *out;
    lun_cedits *edits;
    lun_strbuf *error;
    bool plain;                  /* w[i] is checked too */
    bool hidden[LUN_MAX_PARAMS]; /* parameters whose name the body gives to something else too */
    int define; /* the NAME of the macro whose definition is looked through, -1: a body */
    lun_cmacros macros;
    lun_status status;
} finder;

/* ---- operands -------------------------------------------------------------------------------- */

/* A parameter of the macro that is looked through. */
static bool is_param(const finder *f, int token)
{
    int params, past = f->define >= 0 ? lun__cmacro_replacement(f->t, f->define, &params) : 0;
    for (int i = f->define + 1; i < past; i++)
        if (lun__ctoken_same(f->t, i, token))
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
        if (is_param(f, i) || lun__cmacro_shape_of(&f->macros, i) == LUN_CMACRO_LOOSE)
            return false;
    }
    return true;
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
    return a == b && (lun__cmacro_number(f->t, a) ||
                      lun__cmacro_shape_of(&f->macros, a) == LUN_CMACRO_NUMBER);
}

/* The left side of an assignment may be written twice: nothing in it acts. */
static bool is_quiet(const finder *f, int a, int b)
{
    for (int i = a; i <= b; i++) {
        bool name = f->t->at[i].kind == LUN_CTOKEN_NAME;
        if ((name && lun__ctoken_is(f->t, i + 1, '(')) || lun__ctoken_is(f->t, i, '=') ||
            ((lun__ctoken_is(f->t, i, '+') || lun__ctoken_is(f->t, i, '-')) &&
             lun__ctoken_is(f->t, i + 1, f->t->at[i].ch)) ||
            (name && lun__cmacro_shape_of(&f->macros, i) != LUN_CMACRO_NONE))
            return false;
    }
    return true;
}

/* Appends tokens first .. last as they are written. */
static void put_again(const finder *f, int first, int last, lun_strbuf *out)
{
    const lun_ctokens *t = f->t;
    for (int i = first; i <= last; i++) {
        const char *instead = f->edits->at ? f->edits->at[i].instead : NULL;
        const lun_ctoken *token = &t->at[i];
        if (i > first)
            lun__strbuf_add(out, t->text + t->at[i - 1].start + t->at[i - 1].length,
                            token->start - t->at[i - 1].start - t->at[i - 1].length);
        lun__strbuf_add(out, instead ? instead : t->text + token->start,
                        instead ? strlen(instead) : token->length);
    }
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
        lun_strbuf whole = LUN_STRBUF_INIT;
        lun__strbuf_printf(&whole, "= %s", open);
        put_again(f, start, i - 1, &whole);
        lun__strbuf_puts(&whole, "), (");
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
        if (f->head->param[k].array && lun__ctoken_same(f->t, f->head->param[k].name, token))
            return k;
    return -1;
}

/* What stands before and behind an index that is checked, of the array at token `array`, a
 * parameter. False without memory. */
static bool within(finder *f, int array, int param, char before[40], char behind[80])
{
    char name[48], message[160];
    snprintf(message, sizeof message, "index %%lld is out of range for array '%s' of length %%lld",
             lun__ctoken_show(f->t, array, name));
    int k = new_check(f, array, param, message);
    f->out->indexed[param] |= k != 0;
    snprintf(before, 40, "LUN_WITHIN(%d, (", k);
    snprintf(behind, 80, "), lun_length_%s)", name);
    return k != 0;
}

/* The tokens open and close become the brackets of such an index. */
static void put_index(finder *f, int array, int open, int close, int param)
{
    char before[40], behind[80];
    if (!within(f, array, param, before, behind))
        return;
    add(f, &edit(f, open)->instead, "[", false);
    add(f, &edit(f, open)->instead, before, false);
    add(f, &edit(f, close)->instead, behind, false);
    add(f, &edit(f, close)->instead, "]", false);
}

/* Token i is LUN_AT. */
static void check_index(finder *f, const lun_cextent *x, int i)
{
    const lun_ctokens *t = f->t;
    int close = lun__ctoken_is(t, i + 1, '(') ? lun__coperand_match(x, i + 1) : -1;
    int param = close > i + 4 && lun__ctoken_is(t, i + 3, ',') ? parameter(f, i + 2) : -1;
    if (param < 0) {
        f->status = lun__csource_error(f->s, i, f->error,
                                       "LUN_AT(w, i) needs the name of an array parameter of the "
                                       "entry function, and an index");
        return;
    }
    if (!edit(f, i) || !edit(f, i + 1)) {
        f->status = LUN_ENOMEM;
        return;
    }
    put_index(f, i + 2, i + 3, close, param);
    add(f, &edit(f, i)->instead, "", false);
    add(f, &edit(f, i + 1)->instead, "", false);
}

/* Another array's length fits beside the parameters. */
static bool has_room(const finder *f, int param)
{
    int count = f->head->count;
    for (int k = 0; k < f->head->count; k++)
        count += f->out->indexed[k];
    return f->out->indexed[param] || count < LUN_MAX_PARAMS;
}

/* Token i is the word of an atomic operation: of an array parameter the index is checked. */
static void check_atomic(finder *f, const lun_cextent *x, int i)
{
    const int close = lun__ctoken_is(f->t, i + 1, '(') ? lun__coperand_match(x, i + 1) : -1;
    const int past = close < 0 ? -1 : lun__cloop_comma(f->t, i + 4, close);
    const int param = lun__ctoken_is(f->t, i + 3, ',') ? parameter(f, i + 2) : -1;
    char before[40], behind[80];
    f->status = lun__catomic_check(f->s, i, past > i + 4, f->head, param, f->error);
    if (f->status != LUN_OK || param < 0 || !has_room(f, param) ||
        !within(f, i + 2, param, before, behind))
        return;
    add(f, &edit(f, i + 3)->after, before, false);
    add(f, &edit(f, past)->before, behind, true);
}

/* Whether token i names what a declaration in the body declares: it follows a type, or a `,` or `*`
 * in a statement that begins with one. */
static bool is_declared(const finder *f, int i, int first)
{
    int depth = 0, k = i - 1;
    if (lun__cmacro_type(&f->macros, k))
        return true;
    if (!lun__ctoken_is(f->t, k, ',') && !lun__ctoken_is(f->t, k, '*'))
        return false;
    for (; k >= first && depth >= 0; k--) {
        if (lun__ctoken_is(f->t, k, ';') || lun__ctoken_is(f->t, k, '{') ||
            lun__ctoken_is(f->t, k, '}'))
            break;
        depth += lun__ctoken_is(f->t, k, ')') - lun__ctoken_is(f->t, k, '(');
    }
    return lun__cmacro_type(&f->macros, depth < 0 ? k + 2 : k + 1);
}

static void find_hidden(finder *f, int first, int past)
{
    memset(f->hidden, 0, sizeof f->hidden);
    for (int i = first; i < past; i++) {
        int param = f->t->at[i].kind == LUN_CTOKEN_NAME ? parameter(f, i) : -1;
        if (param >= 0 && is_declared(f, i, first))
            f->hidden[param] = true;
    }
}

/* Token i is a name before a '['.  Unchecked stay &w[i], which may stand behind the last element,
 * and members of that name. */
static void check_plain(finder *f, const lun_cextent *x, int i)
{
    const lun_ctokens *t = f->t;
    int param = parameter(f, i), close = lun__coperand_match(x, i + 1);
    bool member = lun__ctoken_is(t, i - 1, '.') ||
                  (lun__ctoken_is(t, i - 1, '>') && lun__ctoken_is(t, i - 2, '-'));
    bool address = lun__ctoken_is(t, i - 1, '&') && !lun__ctoken_is(t, i - 2, '&') &&
                   !lun__ctoken_is(t, i - 2, ')') && !lun__ctoken_is(t, i - 2, ']') &&
                   t->at[i - 2].kind == LUN_CTOKEN_PUNCT;
    if (param < 0 || close <= i + 2 || f->hidden[param] || member || address ||
        lun__cmacro_shape_of(&f->macros, i) != LUN_CMACRO_NONE || !has_room(f, param))
        return;
    put_index(f, i, i + 1, close, param);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void look(finder *f, int first, int past)
{
    const lun_ctokens *t = f->t;
    lun_cextent x = {t, first, past, lun__cmacro_type, &f->macros};
    if (f->plain && f->define < 0)
        find_hidden(f, first, past);
    for (int i = first; f->status == LUN_OK && i < past; i++) {
        if (t->at[i].kind == LUN_CTOKEN_DIRECTIVE) {
            i = lun__ctoken_past_line(t, i) - 1;
            continue;
        }
        if (lun__ctoken_word(t, i, "LUN_AT"))
            check_index(f, &x, i);
        else if (f->define < 0 && lun__catomic_of(t, i) >= 0)
            check_atomic(f, &x, i);
        else if (f->plain && f->define < 0 && lun__ctoken_is(t, i + 1, '['))
            check_plain(f, &x, i);
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
        if (!lun__ctoken_same(f->t, i, name))
            continue;
        bool own = i < line && (lun__ctoken_word(f->t, i - 1, "define") ||
                                lun__ctoken_word(f->t, i - 1, "undef"));
        if (!own && (i < line || !u || u->body < 0 || i < u->body))
            return false;
    }
    return true;
}

lun_status lun__cchecks_find(lun_cchecks *out, lun_cedits *edits, const lun_csource *s,
                             const lun_cunits *units, int entry, bool plain, lun_strbuf *error)
{
    const lun_ctokens *t = &s->tokens;
    finder f = {.s = s,
                .t = t,
                .units = units,
                .out = out,
                .edits = edits,
                .error = error,
                .plain = plain,
                .define = -1};
    f.status = lun__cmacros_read(&f.macros, t);
    for (int i = 0; i < units->count && f.status == LUN_OK; i++) {
        const lun_cunit *u = &units->at[i];
        lun_csignature head = {0}; /* of helpers: no array has a length there */
        if (u->body < 0)
            continue;
        if (i == entry || (u->name >= 0 && units->at[entry].name >= 0 &&
                           lun__ctoken_same(t, u->name, units->at[entry].name)))
            f.status = lun__csignature_read(&head, s, u, error);
        f.head = &head;
        if (f.status == LUN_OK)
            look(&f, u->body + 1, u->end);
    }
    lun_csignature head;
    if (f.status == LUN_OK)
        f.status = lun__csignature_read(&head, s, &units->at[entry], error);
    f.head = &head;
    for (int i = 0; i < f.macros.macros && f.status == LUN_OK; i++) {
        int params;
        f.define = f.macros.names[i];
        if (in_bodies(&f, f.define))
            look(&f, lun__cmacro_replacement(t, f.define, &params),
                 lun__ctoken_past_line(t, f.define) - 1);
    }
    lun__cmacros_free(&f.macros);
    return f.status;
}

void lun__cchecks_free(lun_cchecks *c)
{
    for (int i = 0; i < c->count; i++)
        free(c->faults[i].text);
    free(c->faults);
    *c = (lun_cchecks){0};
}
