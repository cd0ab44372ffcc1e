/* private_variables.c - variables of a thread that outlive a barrier: elements of arrays, one for
 * each thread; see barrier.h.  Knows no statement but declarations. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ctext/cuts.h"
#include "ctext/token/parse_statement.h"

/* ---- declarations ---------------------------------------------------------------------------- */

static bool is_name(const lun_ccuts *c, int i)
{
    return c->t->at[i].kind == LUN_CTOKEN_NAME;
}

static bool is_word(const lun_ccuts *c, int i, const char *const *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (lun__ctoken_word(c->t, i, words[k]))
            return true;
    return false;
}

bool lun__cown_declares(const lun_ccuts *c, int i)
{
    static const char *const others[] = {"return", "goto",   "else",     "break",
                                         "case",   "sizeof", "continue", "default"};
    static const char *const types[] = {"struct", "union", "enum"};
    if (!is_name(c, i) || is_word(c, i, others, sizeof others / sizeof *others))
        return false;
    return is_word(c, i, types, sizeof types / sizeof *types) || lun__cmacro_type(&c->macros, i) ||
           is_name(c, i + 1);
}

/* The ',' or ';' behind what begins at token i. */
static int behind(const lun_ccuts *c, int i, int last)
{
    for (; i < last && !lun__ctoken_is(c->t, i, ','); i++)
        if (lun__ctoken_is(c->t, i, '(') || lun__ctoken_is(c->t, i, '[') ||
            lun__ctoken_is(c->t, i, '{'))
            i = lun__cstatement_closing(c->t, i, last + 1);
    return i;
}

static void note_one(lun_ccuts *c, lun_cvariable v)
{
    if (!lun__grow(&c->variable, c->variables, &c->room, sizeof *c->variable)) {
        c->status = LUN_ENOMEM;
        return;
    }
    c->variable[c->variables++] = v;
}

void lun__cown_note(lun_ccuts *c, int first, int last, int until, int before)
{
    int i = first;
    while (is_name(c, i))
        i++;
    const int type = lun__ctoken_is(c->t, i, '*') ? i : i - 1;
    if (lun__ctoken_is(c->t, i, '{')) /* a type of its own: what it declares stays in its segment */
        return;
    for (i = type; c->status == LUN_OK && i < last; i++) {
        lun_cvariable v = {.declaration = first,
                           .name = i,
                           .first = first,
                           .type = type,
                           .from = i,
                           .until = until,
                           .segment = c->segment[first],
                           .before = before};
        while (lun__ctoken_is(c->t, v.name, '*') || (is_name(c, v.name) && is_name(c, v.name + 1)))
            v.name++;
        v.last = i = behind(c, v.name, last);
        if (is_name(c, v.name))
            note_one(c, v);
    }
}

/* ---- which of them outlive a barrier --------------------------------------------------------- */

static bool is_member(const lun_ccuts *c, int i)
{
    return lun__ctoken_is(c->t, i - 1, '.') ||
           (lun__ctoken_is(c->t, i - 1, '>') && lun__ctoken_is(c->t, i - 2, '-'));
}

static bool sees(const lun_cvariable *v, int i)
{
    return i > v->name && i < v->until;
}

/* Whether token i is variable v, and not a later one of its name. */
static bool is_use(const lun_ccuts *c, const lun_cvariable *v, int i)
{
    if (!sees(v, i) || !lun__ctoken_same(c->t, i, v->name) || is_member(c, i))
        return false;
    for (int k = 0; k < c->variables; k++) {
        const lun_cvariable *u = &c->variable[k];
        if (u->name > v->name && (sees(u, i) || u->name == i) &&
            lun__ctoken_same(c->t, u->name, v->name))
            return false;
    }
    return true;
}

static void find_own(const lun_ccuts *c)
{
    for (int k = 0; k < c->variables; k++) {
        lun_cvariable *v = &c->variable[k];
        for (int i = v->name + 1; i < v->until && !v->own; i++)
            v->own = c->segment[i] != v->segment && is_use(c, v, i);
    }
    for (int k = 0; k < c->variables; k++) /* a declaration is edited as a whole */
        for (int i = 0; i < c->variables; i++)
            if (c->variable[i].own && c->variable[i].declaration == c->variable[k].declaration)
                c->variable[k].own = true;
}

/* ---- edits ----------------------------------------------------------------------------------- */

/* Appends tokens first .. past - 1 but for what only a variable of a function may be. */
static void put_type(const lun_ccuts *c, int first, int past, lun_strbuf *out)
{
    static const char *const left[] = {"const", "register", "volatile", "__private", "private"};
    for (int i = first; i < past; i++) {
        if (is_word(c, i, left, sizeof left / sizeof *left))
            continue;
        lun__cmaker_put_word(c->m, i, out);
        lun__strbuf_puts(out, " ");
    }
}

static void edit(lun_ccuts *c, int token, lun_ccut_place where, lun_strbuf *text)
{
    lun__ccut_add(c, token, where, lun__strbuf_text(text), where == LUN_CCUT_BEFORE);
    if (text->failed)
        c->status = LUN_ENOMEM;
    lun__strbuf_free(text);
}

static void leave_out(lun_ccuts *c, int first, int past)
{
    for (int i = first; i < past; i++)
        lun__ccut_add(c, i, LUN_CCUT_INSTEAD, "", false);
}

/* The '=' of a declaration, or the ',' or ';' behind it. */
static int value_of(const lun_ccuts *c, const lun_cvariable *v)
{
    int i = v->name;
    while (i < v->last && !lun__ctoken_is(c->t, i, '='))
        i++;
    return i;
}

/* The number of the array declared last before that of variable k, in a scope that is still open
 * there; 0: none is. */
static int held_at(const lun_ccuts *c, int k)
{
    const int before = c->variable[k].before;
    while (--k >= 0)
        if (c->variable[k].own && before < c->variable[k].until)
            return k + 1;
    return 0;
}

/* The array that has an element for each thread. */
static void put_array(lun_ccuts *c, int k)
{
    const lun_cvariable *v = &c->variable[k];
    const int number = k + 1, held = held_at(c, k);
    lun_strbuf text = LUN_STRBUF_INIT;
    const int end = value_of(c, v);
    put_type(c, v->first, v->type, &text);
    put_type(c, v->from, v->name, &text);
    lun__strbuf_printf(&text, "lun_own%d[LUN_TEAM_ALL]", number);
    for (int i = v->name + 1; i < end; i++) {
        if (lun__ctoken_is(c->t, i, '(') ||
            (lun__ctoken_is(c->t, i, '[') && lun__ctoken_is(c->t, i + 1, ']')))
            lun__ccut_wrong(c, v->name,
                            "a variable that outlives a LUN_BARRIER is a number, a pointer, a "
                            "struct of a named type or an array of stated lengths");
        lun__cmaker_put_word(c->m, i, &text);
    }
    if (held)
        lun__strbuf_printf(&text, "; LUN_TEAM_OWN(%d, sizeof(lun_held%d)); ", number, held);
    else
        lun__strbuf_printf(&text, "; LUN_TEAM_OWN(%d, 0); ", number);
    edit(c, v->before, LUN_CCUT_BEFORE, &text);
}

/* Its declaration assigns. */
static void put_value(lun_ccuts *c, const lun_cvariable *v, int number)
{
    lun_strbuf text = LUN_STRBUF_INIT, copy = LUN_STRBUF_INIT;
    const int equals = value_of(c, v);
    leave_out(c, v->from, v->name);
    if (equals == v->last) {
        leave_out(c, v->name, v->last);
    } else if (lun__ctoken_is(c->t, equals + 1, '{')) {
        lun__strbuf_puts(&text, "{ ");
        put_type(c, v->first, v->type, &text);
        put_type(c, v->from, v->name, &text);
        lun__strbuf_puts(&text, "lun_value");
        edit(c, v->name, LUN_CCUT_INSTEAD, &text);
        lun__strbuf_printf(&copy,
                           "; __builtin_memcpy(&lun_own%d[lun_thread], &lun_value, sizeof "
                           "lun_value); }",
                           number);
        edit(c, v->last, LUN_CCUT_BEFORE, &copy);
    } else {
        lun__strbuf_printf(&text, "lun_own%d[lun_thread]", number);
        edit(c, v->name, LUN_CCUT_INSTEAD, &text);
    }
    if (lun__ctoken_is(c->t, v->last, ','))
        lun__ccut_add(c, v->last, LUN_CCUT_INSTEAD, ";", false);
}

/* The first token of the statement in which a ',' at token i separates declarators; -1: it stands
 * in brackets. */
static int statement_of(const lun_ccuts *c, int i, int first)
{
    int depth = 0;
    for (; i >= first; i--) {
        const char ch = c->t->at[i].kind == LUN_CTOKEN_PUNCT ? c->t->at[i].ch : 0;
        if (!depth && (ch == ';' || ch == '{' || ch == '}'))
            break;
        depth += (ch == ')' || ch == ']' || ch == '}') - (ch == '(' || ch == '[' || ch == '{');
        if (depth < 0 && (ch != '(' || !lun__ctoken_word(c->t, i - 1, "for")))
            return -1;
        if (depth < 0)
            break;
    }
    return i + 1;
}

/* Whether a declaration, in a body that begins at `first`, declares the name at token i. */
static bool is_declared(const lun_ccuts *c, int i, int first)
{
    int k = i - 1;
    while (lun__ctoken_is(c->t, k, '*'))
        k--;
    if (lun__ctoken_is(c->t, k, ','))
        k = statement_of(c, k, first);
    return k >= 0 && is_name(c, k) && lun__cown_declares(c, k) && lun__cmacro_type(&c->macros, k);
}

static void put_uses(lun_ccuts *c, const lun_cvariable *v, int number)
{
    for (int i = v->name + 1; c->status == LUN_OK && i < v->until; i++) {
        lun_strbuf text = LUN_STRBUF_INIT;
        if (!is_use(c, v, i))
            continue;
        if (is_declared(c, i, v->name + 1)) {
            lun__ccut_wrong(c, i,
                            "the name of a variable that outlives a LUN_BARRIER is declared again: "
                            "take another one");
            return;
        }
        lun__strbuf_printf(&text, "lun_own%d[lun_thread]", number);
        edit(c, i, LUN_CCUT_INSTEAD, &text);
    }
}

void lun__cown_edit(lun_ccuts *c)
{
    find_own(c);
    /* what is put before a token goes ahead of what was put there before */
    for (int k = c->variables - 1; c->status == LUN_OK && k >= 0; k--)
        if (c->variable[k].own)
            put_array(c, k);
    for (int k = 0; c->status == LUN_OK && k < c->variables; k++) {
        const lun_cvariable *v = &c->variable[k];
        if (!v->own)
            continue;
        if (k == 0 || c->variable[k - 1].declaration != v->declaration)
            leave_out(c, v->first, v->type);
        put_value(c, v, k + 1);
        put_uses(c, v, k + 1);
    }
}
