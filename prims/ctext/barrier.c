/* barrier.c - cuts a body at its barriers by edits of its tokens; see barrier.h.
 *
 * Two passes: the first assigns the tokens between barriers to segments and notes variables that
 * are declared outside of all segments; the second makes those that are used in a segment other
 * than their own private, as elements of an array with one element for each thread. */
#include "ctext/barrier.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "ctext/maker.h"
#include "ctext/token/macros.h"
#include "ctext/token/parse_statement.h"

/* A variable that is declared in no statement of a segment but beside it. */
typedef struct variable {
    int declaration; /* first token of its declaration */
    int name;
    int first, type; /* its base type: tokens first .. type - 1 */
    int from, last;  /* its own: tokens from .. last, a ',' or ';' */
    int until;       /* the end of its block */
    int segment;     /* in which it is declared */
    int before;      /* the token ahead of which its array may be declared */
    bool own;        /* used in other segments: it is an element of an array */
} variable;

typedef struct cut_state {
    lun_cmaker *m;
    const lun_ctokens *t;
    lun_cmacros macros;
    int *segment; /* by token: in which it runs, from 1; 0: none */
    int segments;
    variable *variable;
    int variables, room;
    /* Statements, first and last token, that get braces, when all else is written. */
    int (*braced)[2];
    int braces, brace_room;
    lun_status status;
} cut_state;

typedef enum cut_position { CUT_BEFORE, CUT_INSTEAD, CUT_AFTER } cut_position;

/* Adds to an edit. */
static void add_edit(cut_state *c, int token, cut_position where, const char *text, bool ahead)
{
    lun_cedit *e = lun__cedits_of(&c->m->edits, token);
    lun_status s = LUN_ENOMEM;
    if (e)
        s = lun__cedits_add(where == CUT_BEFORE    ? &e->before
                            : where == CUT_INSTEAD ? &e->instead
                                                   : &e->after,
                            text, ahead);
    if (c->status == LUN_OK)
        c->status = s;
}

/* A failure at a token. */
static void fail_at(cut_state *c, int token, const char *what)
{
    if (c->status == LUN_OK)
        c->status = lun__csource_error(&c->m->source, token, c->m->error, "%s", what);
}

/* ---- private variables ----------------------------------------------------------------------- */

/* ---- declarations ---------------------------------------------------------------------------- */

static bool is_name(const cut_state *c, int i)
{
    return c->t->at[i].kind == LUN_CTOKEN_NAME;
}

static bool is_word(const cut_state *c, int i, const char *const *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (lun__ctoken_word(c->t, i, words[k]))
            return true;
    return false;
}

/* Whether a declaration begins at token i. */
static bool declares(const cut_state *c, int i)
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
static int behind(const cut_state *c, int i, int last)
{
    for (; i < last && !lun__ctoken_is(c->t, i, ','); i++)
        if (lun__ctoken_is(c->t, i, '(') || lun__ctoken_is(c->t, i, '[') ||
            lun__ctoken_is(c->t, i, '{'))
            i = lun__cstatement_closing(c->t, i, last + 1);
    return i;
}

static void note_one(cut_state *c, variable v)
{
    if (!lun__grow(&c->variable, c->variables, &c->room, sizeof *c->variable)) {
        c->status = LUN_ENOMEM;
        return;
    }
    c->variable[c->variables++] = v;
}

/* Notes the variables of the declaration first .. last, a ';', in a block that ends at `until`. */
static void note_variables(cut_state *c, int first, int last, int until, int before)
{
    int i = first;
    while (is_name(c, i))
        i++;
    const int type = lun__ctoken_is(c->t, i, '*') ? i : i - 1;
    if (lun__ctoken_is(c->t, i, '{')) /* a type of its own: what it declares stays in its segment */
        return;
    for (i = type; c->status == LUN_OK && i < last; i++) {
        variable v = {.declaration = first,
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

static bool is_member(const cut_state *c, int i)
{
    return lun__ctoken_is(c->t, i - 1, '.') ||
           (lun__ctoken_is(c->t, i - 1, '>') && lun__ctoken_is(c->t, i - 2, '-'));
}

static bool sees(const variable *v, int i)
{
    return i > v->name && i < v->until;
}

/* Whether token i is variable v, and not a later one of its name. */
static bool is_use(const cut_state *c, const variable *v, int i)
{
    if (!sees(v, i) || !lun__ctoken_same(c->t, i, v->name) || is_member(c, i))
        return false;
    for (int k = 0; k < c->variables; k++) {
        const variable *u = &c->variable[k];
        if (u->name > v->name && (sees(u, i) || u->name == i) &&
            lun__ctoken_same(c->t, u->name, v->name))
            return false;
    }
    return true;
}

static void find_private(const cut_state *c)
{
    for (int k = 0; k < c->variables; k++) {
        variable *v = &c->variable[k];
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
static void put_type(const cut_state *c, int first, int past, lun_strbuf *out)
{
    static const char *const left[] = {"const", "register", "volatile", "__private", "private"};
    for (int i = first; i < past; i++) {
        if (is_word(c, i, left, sizeof left / sizeof *left))
            continue;
        lun__cmaker_put_word(c->m, i, out);
        lun__strbuf_puts(out, " ");
    }
}

static void edit(cut_state *c, int token, cut_position where, lun_strbuf *text)
{
    add_edit(c, token, where, lun__strbuf_text(text), where == CUT_BEFORE);
    if (text->failed)
        c->status = LUN_ENOMEM;
    lun__strbuf_free(text);
}

static void leave_out(cut_state *c, int first, int past)
{
    for (int i = first; i < past; i++)
        add_edit(c, i, CUT_INSTEAD, "", false);
}

/* The '=' of a declaration, or the ',' or ';' behind it. */
static int value_of(const cut_state *c, const variable *v)
{
    int i = v->name;
    while (i < v->last && !lun__ctoken_is(c->t, i, '='))
        i++;
    return i;
}

/* The number of the array declared last before that of variable k, in a scope that is still open
 * there; 0: none is. */
static int held_at(const cut_state *c, int k)
{
    const int before = c->variable[k].before;
    while (--k >= 0)
        if (c->variable[k].own && before < c->variable[k].until)
            return k + 1;
    return 0;
}

/* The array that has an element for each thread. */
static void put_array(cut_state *c, int k)
{
    const variable *v = &c->variable[k];
    const int number = k + 1, held = held_at(c, k);
    lun_strbuf text = LUN_STRBUF_INIT;
    const int end = value_of(c, v);
    put_type(c, v->first, v->type, &text);
    put_type(c, v->from, v->name, &text);
    lun__strbuf_printf(&text, "lun_own%d[LUN_TEAM_ALL]", number);
    for (int i = v->name + 1; i < end; i++) {
        if (lun__ctoken_is(c->t, i, '(') ||
            (lun__ctoken_is(c->t, i, '[') && lun__ctoken_is(c->t, i + 1, ']')))
            fail_at(c, v->name,
                    "a variable that outlives a LUN_BARRIER is a number, a pointer, a "
                    "struct of a named type or an array of stated lengths");
        lun__cmaker_put_word(c->m, i, &text);
    }
    if (held)
        lun__strbuf_printf(&text, "; LUN_TEAM_OWN(%d, sizeof(lun_held%d)); ", number, held);
    else
        lun__strbuf_printf(&text, "; LUN_TEAM_OWN(%d, 0); ", number);
    edit(c, v->before, CUT_BEFORE, &text);
}

/* Its declaration assigns. */
static void put_value(cut_state *c, const variable *v, int number)
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
        edit(c, v->name, CUT_INSTEAD, &text);
        lun__strbuf_printf(&copy,
                           "; __builtin_memcpy(&lun_own%d[lun_thread], &lun_value, sizeof "
                           "lun_value); }",
                           number);
        edit(c, v->last, CUT_BEFORE, &copy);
    } else {
        lun__strbuf_printf(&text, "lun_own%d[lun_thread]", number);
        edit(c, v->name, CUT_INSTEAD, &text);
    }
    if (lun__ctoken_is(c->t, v->last, ','))
        add_edit(c, v->last, CUT_INSTEAD, ";", false);
}

/* The first token of the statement in which a ',' at token i separates declarators; -1: it stands
 * in brackets. */
static int statement_of(const cut_state *c, int i, int first)
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
static bool is_declared(const cut_state *c, int i, int first)
{
    int k = i - 1;
    while (lun__ctoken_is(c->t, k, '*'))
        k--;
    if (lun__ctoken_is(c->t, k, ','))
        k = statement_of(c, k, first);
    return k >= 0 && is_name(c, k) && declares(c, k) && lun__cmacro_type(&c->macros, k);
}

static void put_uses(cut_state *c, const variable *v, int number)
{
    for (int i = v->name + 1; c->status == LUN_OK && i < v->until; i++) {
        lun_strbuf text = LUN_STRBUF_INIT;
        if (!is_use(c, v, i))
            continue;
        if (is_declared(c, i, v->name + 1)) {
            fail_at(c, i,
                    "the name of a variable that outlives a LUN_BARRIER is declared again: "
                    "take another one");
            return;
        }
        lun__strbuf_printf(&text, "lun_own%d[lun_thread]", number);
        edit(c, i, CUT_INSTEAD, &text);
    }
}

/* Makes those that outlive their segment elements of arrays. */
static void edit_variables(cut_state *c)
{
    find_private(c);
    /* what is put before a token goes ahead of what was put there before */
    for (int k = c->variables - 1; c->status == LUN_OK && k >= 0; k--)
        if (c->variable[k].own)
            put_array(c, k);
    for (int k = 0; c->status == LUN_OK && k < c->variables; k++) {
        const variable *v = &c->variable[k];
        if (!v->own)
            continue;
        if (k == 0 || c->variable[k - 1].declaration != v->declaration)
            leave_out(c, v->first, v->type);
        put_value(c, v, k + 1);
        put_uses(c, v, k + 1);
    }
}

/* ---- segments -------------------------------------------------------------------------------- */

enum { DEPTH = 100, PRIVATE_BYTES = 1 << 18 };

/* Statements of a block that run one after the other without a barrier. */
typedef struct segment {
    int first, last; /* tokens; first -1: none is open */
} segment;

/* What cuts within: returns that stand before token `trailing` do. */
typedef struct around {
    int depth, trailing;
} around;

/* Tokens first .. last run in a segment of their own. */
static void mark(cut_state *c, int first, int last)
{
    c->segments++;
    for (int i = first; i <= last; i++)
        c->segment[i] = c->segments;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* Threads that return behind the last barrier end their round of the loop. */
static bool leave_early(cut_state *c, const segment *g)
{
    bool any = false;
    for (int i = g->first; i <= g->last; i++) {
        if (!lun__ctoken_word(c->t, i, "return"))
            continue;
        any = true;
        add_edit(c, i, CUT_INSTEAD, "goto lun_end", false);
    }
    return any;
}

static void close_segment(cut_state *c, segment *g)
{
    if (g->first < 0)
        return;
    bool early = leave_early(c, g);
    add_edit(c, g->first, CUT_BEFORE, "LUN_TEAM_EACH { ", true);
    add_edit(c, g->last, CUT_AFTER, early ? " lun_end:; }" : " }", false);
    g->first = -1;
}

static void extend(cut_state *c, segment *g, const lun_cstatement *s, int until)
{
    if (g->first < 0) {
        c->segments++;
        g->first = s->first;
    }
    g->last = s->last;
    for (int i = s->first; i <= s->last; i++)
        c->segment[i] = c->segments;
    if (s->kind == LUN_CSTATEMENT_PLAIN && declares(c, s->first))
        note_variables(c, s->first, s->last, until, g->first);
}

/* ---- what runs once for the team ------------------------------------------------------------- */

static void block(cut_state *c, int first, int past, around a);

/* Tokens from .. to - 1, each thread's, which all have to find alike; loop: it asks, too. */
static void vote(cut_state *c, const lun_cstatement *s, int open, int close, bool loop)
{
    lun_strbuf end = LUN_STRBUF_INIT;
    if (close == open + 1) {
        add_edit(c, close, CUT_BEFORE, loop ? "1 LUN_TEAM_ASK" : "", false);
        return;
    }
    mark(c, open + 1, close - 1);
    lun__strbuf_printf(&end, "); if (lun_n && lun_n != LUN_TEAM_ALL) return %d; lun_n != 0; })%s",
                       lun__csource_line(&c->m->source, c->t->at[s->first].start),
                       loop ? " LUN_TEAM_ASK" : "");
    add_edit(c, open, CUT_AFTER, "__extension__({ int lun_n = 0; LUN_TEAM_EACH lun_n += 0 != (",
             false);
    add_edit(c, close, CUT_BEFORE, lun__strbuf_text(&end), false);
    if (end.failed)
        c->status = LUN_ENOMEM;
    lun__strbuf_free(&end);
}

/* Tokens between two others, which each thread does. */
static void each(cut_state *c, int open, int close)
{
    if (close == open + 1)
        return;
    mark(c, open + 1, close - 1);
    add_edit(c, open, CUT_AFTER, "__extension__({ LUN_TEAM_EACH { ", false);
    add_edit(c, close, CUT_BEFORE, "; } })", false);
}

static void brace(cut_state *c, const lun_cstatement *s)
{
    if (!lun__grow(&c->braced, c->braces, &c->brace_room, sizeof *c->braced)) {
        c->status = LUN_ENOMEM;
        return;
    }
    c->braced[c->braces][0] = s->first;
    c->braced[c->braces++][1] = s->last;
}

/* The statement inside another one, at token i. */
static void inside(cut_state *c, int i, int past, around a)
{
    lun_cstatement s;
    if (i < 0)
        return;
    a.depth++;
    a.trailing = INT_MAX;
    if (!lun__cstatement_read(&s, c->t, i, past)) {
        fail_at(c, i, "a statement that is ambiguous");
    } else if (s.kind == LUN_CSTATEMENT_BLOCK) {
        block(c, s.first + 1, s.last, a);
    } else {
        block(c, s.first, s.last + 1, a);
        brace(c, &s);
    }
}

static int next_semicolon(const cut_state *c, int i, int past)
{
    for (; i < past && !lun__ctoken_is(c->t, i, ';'); i++)
        if (lun__ctoken_is(c->t, i, '(') || lun__ctoken_is(c->t, i, '['))
            i = lun__cstatement_closing(c->t, i, past);
    return i;
}

static void cut_for(cut_state *c, const lun_cstatement *s, around a)
{
    const int first = next_semicolon(c, s->open + 1, s->close);
    const int second = next_semicolon(c, first + 1, s->close);
    each(c, s->open, first);
    if (declares(c, s->open + 1))
        note_variables(c, s->open + 1, first, s->last, s->first);
    vote(c, s, first, second, true);
    each(c, second, s->close);
    inside(c, s->body, s->last + 1, a);
}

static void cut_plain(cut_state *c, const lun_cstatement *s)
{
    const lun_ctokens *t = c->t;
    const bool barrier = lun__ctoken_word(t, s->first, "LUN_BARRIER");
    const bool called =
        barrier && lun__ctoken_is(t, s->first + 1, '(') && lun__ctoken_is(t, s->first + 2, ')');
    if (barrier && s->last != s->first + (called ? 3 : 1))
        fail_at(c, s->first, "LUN_BARRIER; is a statement of its own");
    if (!barrier && s->last != s->first + 1)
        fail_at(c, s->first, "a function without a result returns a value");
    for (int i = s->first; barrier && i < s->last; i++)
        add_edit(c, i, CUT_INSTEAD, "", false);
    if (lun__ctoken_word(t, s->first, "return"))
        add_edit(c, s->first, CUT_AFTER, " 0", false);
}

/* A statement with a barrier, or that all of them leave. */
static void cut(cut_state *c, const lun_cstatement *s, around a)
{
    switch (s->kind) {
    case LUN_CSTATEMENT_PLAIN:
        cut_plain(c, s);
        return;
    case LUN_CSTATEMENT_BLOCK:
        inside(c, s->first, s->last + 1, a);
        return;
    case LUN_CSTATEMENT_IF:
        vote(c, s, s->open, s->close, false);
        inside(c, s->body, s->last + 1, a);
        inside(c, s->other, s->last + 1, a);
        return;
    case LUN_CSTATEMENT_FOR:
        cut_for(c, s, a);
        break;
    case LUN_CSTATEMENT_WHILE:
    case LUN_CSTATEMENT_DO:
        vote(c, s, s->open, s->close, true);
        inside(c, s->body, s->last + 1, a);
        break;
    default:
        fail_at(c, s->first,
                "a switch or a label around a LUN_BARRIER, or around a return before one: "
                "write it with if");
        return;
    }
    brace(c, s); /* the arrays of what its head declares stand before it */
    if (c->status == LUN_OK)
        c->m->edits.at[s->open - 1].asks = true;
}

static void block(cut_state *c, int first, int past, around a)
{
    segment g = {-1, -1};
    lun_cstatement s;
    if (a.depth > DEPTH)
        fail_at(c, first, "blocks within blocks around a LUN_BARRIER: more than 100");
    for (int i = first; c->status == LUN_OK && i < past; i = s.last + 1) {
        if (!lun__cstatement_read(&s, c->t, i, past)) {
            fail_at(c, i, "a statement that is ambiguous");
            return;
        }
        const unsigned cuts =
            LUN_CHOLDS_BARRIER | LUN_CHOLDS_LEAVE | (s.first < a.trailing ? LUN_CHOLDS_RETURN : 0);
        if (s.holds & LUN_CHOLDS_GOTO)
            fail_at(c, s.first, "goto or a label in a function with LUN_BARRIER: write a loop");
        if (s.kind == LUN_CSTATEMENT_LINE && (s.holds & LUN_CHOLDS_BRANCH))
            fail_at(c, s.first,
                    "#if among the statements around a LUN_BARRIER: choose between whole "
                    "functions, or within a statement");
        if (s.kind == LUN_CSTATEMENT_LINE || lun__ctoken_word(c->t, i, "LUN_SCRATCH"))
            continue;
        if (!(s.holds & cuts)) {
            extend(c, &g, &s, past);
            continue;
        }
        close_segment(c, &g);
        cut(c, &s, a);
    }
    close_segment(c, &g);
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool lun__cbarrier_has(const lun_csource *s, const lun_cunit *entry)
{
    for (int i = entry->body; i < entry->end; i++)
        if (lun__ctoken_word(&s->tokens, i, "LUN_BARRIER"))
            return true;
    return false;
}

/* The token behind the last statement of the body with a barrier. */
static int behind_last(cut_state *c, const lun_cunit *u)
{
    lun_cstatement s;
    int behind = u->body + 1;
    for (int i = u->body + 1; i < u->end; i = s.last + 1) {
        if (!lun__cstatement_read(&s, c->t, i, u->end)) {
            fail_at(c, i, "a statement that is ambiguous");
            break;
        }
        if (s.holds & LUN_CHOLDS_BARRIER)
            behind = s.last + 1;
    }
    return behind;
}

/* Barriers that are no statement among those that were cut. */
static void check_barriers(cut_state *c, const lun_cunit *u)
{
    for (int i = u->body; i < u->end; i++)
        if (lun__ctoken_word(c->t, i, "LUN_BARRIER") && !c->m->edits.at[i].instead)
            fail_at(c, i, "LUN_BARRIER; is a statement of its own");
}

lun_status lun__cbarrier_find(lun_cmaker *m)
{
    const lun_cunit *u = &m->units.at[m->entry];
    cut_state c = {.m = m, .t = &m->source.tokens};
    c.status = lun__cmacros_read(&c.macros, c.t);
    c.segment = calloc((size_t)c.t->count + 1, sizeof *c.segment);
    if (!c.segment || !lun__cedits_of(&m->edits, u->body))
        c.status = LUN_ENOMEM;
    if (c.status == LUN_OK)
        block(&c, u->body + 1, u->end, (around){0, behind_last(&c, u)});
    if (c.status == LUN_OK)
        check_barriers(&c, u);
    if (c.status == LUN_OK)
        edit_variables(&c);
    for (int k = 0; k < c.braces; k++) {
        add_edit(&c, c.braced[k][0], CUT_BEFORE, "{ ", true);
        add_edit(&c, c.braced[k][1], CUT_AFTER, " }", false);
    }
    m->has_barriers = true;
    m->asks = true;
    lun__cmacros_free(&c.macros);
    free(c.segment);
    free(c.variable);
    free(c.braced);
    return c.status;
}

void lun__cbarrier_macros(const lun_cmaker *m, bool before, lun_strbuf *out)
{
    if (!before) {
        lun__strbuf_puts(out, "#undef LUN_TEAM_ALL\n#undef LUN_TEAM_EACH\n#undef LUN_TEAM_ASK\n"
                              "#undef LUN_TEAM_OWN\n");
        return;
    }
    lun__strbuf_printf(out,
                       "#define LUN_TEAM_ALL %" PRId64 "\n#define LUN_TEAM_EACH \\\n"
                       "    for (int64_t lun_thread = 0; lun_thread < LUN_TEAM_ALL; lun_thread++)\n"
                       "#define LUN_TEAM_ASK LUN_ASK%s(return 0)\n"
                       "#define LUN_TEAM_OWN(k, before) \\\n"
                       "    typedef char lun_held##k[(before) + sizeof lun_own##k], \\\n"
                       "    lun_variables_of_a_team_that_outlive_a_barrier_take_too_much_memory_##k"
                       " \\\n    [(before) + sizeof lun_own##k <= %d ? 1 : -1]\n",
                       lun_team_product(m->division->threads, 0), m->checks.count ? "_CHECKED" : "",
                       PRIVATE_BYTES);
}
