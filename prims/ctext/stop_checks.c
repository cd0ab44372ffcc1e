/* stop_checks.c - loops of a C text ask whether they shall stop; see stop_checks.h. */
#include "ctext/stop_checks.h"

#include <stdlib.h>
#include <string.h>

#include "ctext/token/loop_tokens.h"
#include "ctext/token/signature.h"

typedef enum leave { LEAVES_NOTHING, LEAVES_NUMBER, CANNOT_LEAVE } leave;

/* How a function is left, by leave. */
static const char *const leaving[] = {"return", "return 0"};

typedef struct finder {
    const lun_ctokens *t;
    const lun_cunits *units;
    const lun_cnames *names;
    lun_cedits *edits;
    int entry;
    bool checked; /* loops end at a failed check */
    bool *asks; /* by name of the text's top level: a function that asks, or calls one that does */
    lun_status status;
} finder;

/* ---- rounds that do not ask ------------------------------------------------------------------ */

static bool is_edited(const finder *f, int i)
{
    const lun_cedit *e = f->edits->at ? &f->edits->at[i] : NULL;
    return e && (e->before || e->instead || e->after);
}

/* True if what stands between two tokens may be written twice, on one line: its names stay as they
 * are, nothing in it is edited; and, if it is a condition, it does nothing. */
static bool is_plain(const finder *f, int open, int close, bool condition)
{
    const lun_ctokens *t = f->t;
    if (memchr(t->text + t->at[open].start, '\n', t->at[close].start - t->at[open].start))
        return false;
    for (int i = open + 1; i < close; i++) {
        char ch = t->at[i].ch, next = t->at[i + 1].ch, last = t->at[i - 1].ch;
        bool punct = t->at[i].kind == LUN_CTOKEN_PUNCT;
        if (is_edited(f, i))
            return false;
        if (t->at[i].kind == LUN_CTOKEN_NAME ? lun__cnames_find(f->names, t, i) != NULL
                                             : !punct && t->at[i].kind != LUN_CTOKEN_NUMBER)
            return false;
        if (!punct)
            continue;
        bool sets = ch == '=' && next != '=' && !(last && strchr("<>=!", last));
        bool steps = (ch == '+' || ch == '-') && next == ch;
        if (!strchr(condition ? "<>=!+-*&|[]." : "<>=!+-*&|[].,", ch) ||
            (condition && (sets || steps)))
            return false;
    }
    return close > open + 1;
}

/* ---- edits ----------------------------------------------------------------------------------- */

typedef enum side { BEFORE, AFTER } side;

static void put(finder *f, int token, side where, const char *text, bool ahead)
{
    lun_cedit *e = lun__cedits_of(f->edits, token);
    lun_status s =
        e ? lun__cedits_add(where == BEFORE ? &e->before : &e->after, text, ahead) : LUN_ENOMEM;
    if (s != LUN_OK)
        f->status = s;
}

/* Appends what stands between two tokens. */
static void copy(const finder *f, int open, int close, lun_strbuf *out)
{
    const lun_ctoken *first = &f->t->at[open + 1], *last = &f->t->at[close - 1];
    lun__strbuf_add(out, f->t->text + first->start, last->start + last->length - first->start);
}

/* The condition between tokens open and close asks too; counts: of a `for` with a condition and a
 * step. */
static void put_ask(finder *f, int open, int close, bool counts, leave how)
{
    bool empty = close == open + 1;
    put(f, open, AFTER, empty ? "1" : "(", false);
    put(f, close, BEFORE, empty ? " " : ") ", false);
    put(f, close, BEFORE, counts ? "LUN_ASK_FOR" : "LUN_ASK", false);
    put(f, close, BEFORE, f->checked ? "_CHECKED(" : "(", false);
    put(f, close, BEFORE, leaving[how], false);
    put(f, close, BEFORE, ")", false);
}

/* Rounds that do not ask, behind the ')' of a loop with this condition; step: the ';' before what a
 * `for` does in each, -1: it has none. */
static void put_rounds(finder *f, int open, int close, int step, int end)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lun__strbuf_puts(&text, step >= 0 ? " LUN_STEPS(" : " LUN_ROUNDS(");
    copy(f, open, close, &text);
    if (step >= 0) {
        put(f, step, AFTER, " LUN_STEP(", false);
        put(f, end, BEFORE, ")", true);
        lun__strbuf_puts(&text, ", ");
        copy(f, step, end, &text);
    }
    lun__strbuf_puts(&text, ") ");
    put(f, end, AFTER, lun__strbuf_text(&text), false);
    if (text.failed)
        f->status = LUN_ENOMEM;
    lun__strbuf_free(&text);
}

/* The loop at token i of a body that ends at `past`: true if it asks. */
static bool edit_loop(finder *f, int i, int past, leave how)
{
    const lun_ctokens *t = f->t;
    bool is_while = lun__ctoken_word(t, i, "while"), is_for = lun__ctoken_word(t, i, "for");
    bool asks = f->edits->at && f->edits->at[i].asks;
    if ((!is_while && !is_for) || !lun__ctoken_is(t, i + 1, '(') || asks)
        return false;
    int close = lun__cloop_closing(t, i + 1, past);
    int first = is_for && close >= 0 ? lun__cloop_semicolon(t, i + 2, close) : i + 1;
    int second = is_for && first >= 0 ? lun__cloop_semicolon(t, first + 1, close) : close;
    if (close < 0 || first < 0 || second < 0 ||
        (is_for && lun__cloop_few(t, first, second, close, past)) || (is_while && close == i + 2))
        return false;
    int step = is_for && close > second + 1 ? second : -1;
    if (is_plain(f, first, second, true) && (step < 0 || is_plain(f, step, close, false)) &&
        lun__cloop_go_on(t, close, past))
        put_rounds(f, first, second, step, close);
    put_ask(f, first, second, step >= 0 && second > first + 1, how);
    return true;
}

/* The jump at token i of a body that ends at `past`: true if it asks. */
static bool edit_jump(finder *f, int i, int past, leave how)
{
    int end = lun__cloop_semicolon(f->t, i, past);
    if (!lun__ctoken_word(f->t, i, "goto") || end < 0 || !lun__cloop_back(f->t, i, past))
        return false;
    put(f, i, BEFORE, f->checked ? "{ LUN_JUMP_CHECKED(" : "{ LUN_JUMP(", false);
    put(f, i, BEFORE, leaving[how], false);
    put(f, i, BEFORE, ") ", false);
    put(f, end, AFTER, " }", false);
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* How function u is left before its end. */
static leave leave_of(const finder *f, const lun_cunit *u)
{
    bool nothing = false, number = false, pointer = false;
    for (int i = u->start; i < u->name; i++) {
        pointer |= lun__ctoken_is(f->t, i, '*');
        if (lun__ctoken_is(f->t, i, '*') || lun__ctype_qualifier(f->t, i))
            continue;
        if (lun__ctoken_word(f->t, i, "void"))
            nothing = true;
        else if (lun__ctype_reserved(f->t, i) && f->t->at[i].kind == LUN_CTOKEN_NAME)
            number = true;
        else
            return CANNOT_LEAVE;
    }
    return pointer || number ? LEAVES_NUMBER : nothing ? LEAVES_NOTHING : CANNOT_LEAVE;
}

static int name_at(const finder *f, int token)
{
    const lun_cname *n = token >= 0 ? lun__cnames_find(f->names, f->t, token) : NULL;
    return n && n->unit >= 0 ? (int)(n - f->names->at) : -1;
}

static bool is_entry(const finder *f, int unit)
{
    int name = name_at(f, f->units->at[unit].name);
    return unit == f->entry || (name >= 0 && name == name_at(f, f->units->at[f->entry].name));
}

static leave how_of(const finder *f, int unit)
{
    return is_entry(f, unit) ? LEAVES_NUMBER : leave_of(f, &f->units->at[unit]);
}

/* Whether each function can be left, and each call be seen: no macro calls one or makes names. */
static bool all_leave(const finder *f)
{
    for (int i = 0; i < f->units->count; i++)
        if (f->units->at[i].body >= 0 && how_of(f, i) == CANNOT_LEAVE)
            return false;
    for (int i = 0, line = 0; i < f->t->count; i++) {
        if (f->t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            line = lun__ctoken_past_line(f->t, i);
        if (i < line && (name_at(f, i) >= 0 || lun__ctoken_is(f->t, i, '#')) &&
            f->t->at[i].kind != LUN_CTOKEN_DIRECTIVE)
            return false;
    }
    return true;
}

/* Edits the loops of a function; true if one asks. */
static bool edit_loops(finder *f, int unit)
{
    const lun_cunit *u = &f->units->at[unit];
    leave how = how_of(f, unit);
    bool any = false;
    for (int i = u->body + 1; i < u->end; i++) {
        if (f->t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            i = lun__ctoken_past_line(f->t, i) - 1;
        else
            any |= edit_loop(f, i, u->end, how) || edit_jump(f, i, u->end, how);
    }
    return any;
}

/* Edits the loops that macros are: where every function is left with a number, so are these.  True
 * if one asks. */
static bool edit_macros(finder *f)
{
    const lun_ctokens *t = f->t;
    bool any = false;
    for (int i = 0; i < f->units->count; i++)
        if (f->units->at[i].body >= 0 && how_of(f, i) != LEAVES_NUMBER)
            return false;
    for (int i = 0; i < t->count; i++) {
        if (t->at[i].kind != LUN_CTOKEN_DIRECTIVE || !lun__ctoken_word(t, i + 1, "define"))
            continue;
        int past = lun__ctoken_past_line(t, i);
        for (i += 3; i < past - 1; i++)
            any |= edit_loop(f, i, past - 1, LEAVES_NUMBER);
    }
    return any;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A call at token i of a function that asks: its ')', -1: it is none. */
static int call_end(const finder *f, int i, int past)
{
    int name = name_at(f, i);
    if (name < 0 || !f->asks[name] || !lun__ctoken_is(f->t, i + 1, '('))
        return -1;
    return lun__cloop_closing(f->t, i + 1, past);
}

/* True if a function calls one that asks. */
static bool calls_asking(const finder *f, const lun_cunit *u)
{
    for (int i = u->body + 1; i < u->end; i++)
        if (call_end(f, i, u->end) >= 0)
            return true;
    return false;
}

/* Who calls a function that asks, does so too. */
static void spread(finder *f)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < f->units->count; i++) {
            const lun_cunit *u = &f->units->at[i];
            int name = u->body >= 0 ? name_at(f, u->name) : -1;
            if (name >= 0 && !f->asks[name] && calls_asking(f, u))
                more = f->asks[name] = true;
        }
    }
}

/* A function ends after a call in which another one was stopped. */
static void edit_calls(finder *f, int unit)
{
    const lun_cunit *u = &f->units->at[unit];
    for (int i = u->body + 1; i < u->end; i++) {
        int close = call_end(f, i, u->end);
        if (close < 0)
            continue;
        int callee = f->names->at[name_at(f, i)].unit;
        bool nothing = how_of(f, callee) == LEAVES_NOTHING;
        put(f, i, BEFORE,
            nothing ? "__extension__({ " : "__extension__({ __auto_type lun_r = ", false);
        put(f, close, AFTER, nothing ? " })" : " lun_r; })", true);
        put(f, close, AFTER, "; ", true);
        put(f, close, AFTER, leaving[how_of(f, unit)], true);
        put(f, close, AFTER, "; if (LUN_STOPPED) ", true);
    }
}

lun_status lun__cstop_checks_find(bool *asks, lun_cedits *edits, const lun_csource *s,
                                  const lun_cunits *units, const lun_cnames *names, int entry,
                                  bool checked)
{
    finder f = {&s->tokens, units, names, edits, entry, checked, NULL, LUN_OK};
    f.asks = calloc((size_t)names->count + 1, sizeof *f.asks);
    if (!f.asks)
        return LUN_ENOMEM;
    bool all = all_leave(&f);
    for (int i = 0; i < units->count; i++) {
        if (units->at[i].body < 0 || !(all || is_entry(&f, i)) || !edit_loops(&f, i))
            continue;
        int name = name_at(&f, units->at[i].name);
        *asks = true;
        if (name >= 0)
            f.asks[name] = true;
    }
    if (all && edit_macros(&f)) { /* any function may have such a loop */
        *asks = true;
        memset(f.asks, true, (size_t)names->count * sizeof *f.asks);
    }
    if (all)
        spread(&f);
    for (int i = 0; all && i < units->count; i++)
        if (units->at[i].body >= 0)
            edit_calls(&f, i);
    free(f.asks);
    return f.status;
}
