/* parse_statement.c - statements by their tokens, by recursive descent of limited depth; see
 * parse_statement.h. */
#include "ctext/token/parse_statement.h"

enum { DEPTH = 100 }; /* statements within statements */

typedef struct reader {
    const lun_ctokens *t;
    int past;
} reader;

int lun__cstatement_closing(const lun_ctokens *t, int i, int past)
{
    int depth = 0;
    for (; i < past; i++) {
        if (lun__ctoken_is(t, i, '(') || lun__ctoken_is(t, i, '[') || lun__ctoken_is(t, i, '{'))
            depth++;
        if ((lun__ctoken_is(t, i, ')') || lun__ctoken_is(t, i, ']') || lun__ctoken_is(t, i, '}')) &&
            --depth == 0)
            return i;
    }
    return -1;
}

/* The next ';' outside of brackets, -1. */
static int semicolon(const reader *r, int i)
{
    for (; i >= 0 && i < r->past && !lun__ctoken_is(r->t, i, ';'); i++)
        if (lun__ctoken_is(r->t, i, '(') || lun__ctoken_is(r->t, i, '[') ||
            lun__ctoken_is(r->t, i, '{')) {
            i = lun__cstatement_closing(r->t, i, r->past);
            if (i < 0)
                return -1;
        }
    return i < r->past ? i : -1;
}

static bool read(const reader *r, lun_cstatement *s, int i, int depth);

/* The statement inside s, from token i on; its last token, -1. */
static int inside(const reader *r, lun_cstatement *s, int i, int depth)
{
    lun_cstatement within;
    if (!read(r, &within, i, depth + 1))
        return -1;
    s->holds |= within.holds;
    return within.last;
}

static bool line(const reader *r, lun_cstatement *s)
{
    static const char *const branches[] = {"if",      "ifdef",    "ifndef", "else", "elif",
                                           "elifdef", "elifndef", "endif",  "error"};
    s->kind = LUN_CSTATEMENT_LINE;
    s->last = lun__ctoken_past_line(r->t, s->first) - 1;
    for (size_t k = 0; k < sizeof branches / sizeof *branches; k++)
        if (lun__ctoken_word(r->t, s->first + 1, branches[k]))
            s->holds |= LUN_CHOLDS_BRANCH;
    return true;
}

static bool block(const reader *r, lun_cstatement *s, int depth)
{
    s->kind = LUN_CSTATEMENT_BLOCK;
    s->last = lun__cstatement_closing(r->t, s->first, r->past);
    for (int i = s->first + 1; s->last >= 0 && i < s->last; i++) {
        const int end = inside(&(reader){r->t, s->last}, s, i, depth);
        if (end < 0)
            return false;
        i = end;
    }
    return s->last >= 0;
}

/* A head in parentheses behind the word at token i. */
static bool head(const reader *r, lun_cstatement *s, int i)
{
    s->open = i + 1;
    s->close =
        lun__ctoken_is(r->t, i + 1, '(') ? lun__cstatement_closing(r->t, i + 1, r->past) : -1;
    s->body = s->close + 1;
    return s->close >= 0;
}

static bool branch(const reader *r, lun_cstatement *s, int depth)
{
    s->kind = LUN_CSTATEMENT_IF;
    if (!head(r, s, s->first))
        return false;
    s->last = inside(r, s, s->body, depth);
    if (s->last < 0 || !lun__ctoken_word(r->t, s->last + 1, "else") || s->last + 1 >= r->past)
        return s->last >= 0;
    s->other = s->last + 2;
    s->last = inside(r, s, s->other, depth);
    return s->last >= 0;
}

static bool loop(const reader *r, lun_cstatement *s, lun_cstatement_kind kind, int depth)
{
    s->kind = kind;
    if (kind == LUN_CSTATEMENT_DO) {
        s->body = s->first + 1;
        const int body = s->body, last = inside(r, s, body, depth);
        if (last < 0 || !lun__ctoken_word(r->t, last + 1, "while") || !head(r, s, last + 1))
            return false;
        s->body = body;
        s->last = semicolon(r, s->close);
    } else {
        s->last = head(r, s, s->first) ? inside(r, s, s->body, depth) : -1;
    }
    s->holds &= ~(unsigned)LUN_CHOLDS_LEAVE;
    return s->last >= 0;
}

/* case x: statement, label: statement, switch (x) statement */
static bool other(const reader *r, lun_cstatement *s, int colon, int depth)
{
    s->kind = LUN_CSTATEMENT_OTHER;
    if (colon < 0) {
        bool well = head(r, s, s->first);
        s->last = well ? inside(r, s, s->body, depth) : -1;
        s->holds &= ~(unsigned)LUN_CHOLDS_LEAVE;
        return s->last >= 0;
    }
    if (lun__ctoken_is(r->t, colon + 1, '}') || colon + 1 >= r->past)
        s->last = colon;
    else
        s->last = inside(r, s, colon + 1, depth);
    return s->last >= 0;
}

/* The ':' of a label at token i, -1: there is none. */
static int label(const reader *r, int i)
{
    if (lun__ctoken_word(r->t, i, "case") || lun__ctoken_word(r->t, i, "default")) {
        for (; i < r->past; i++)
            if (lun__ctoken_is(r->t, i, ':'))
                return i;
        return -1;
    }
    return r->t->at[i].kind == LUN_CTOKEN_NAME && lun__ctoken_is(r->t, i + 1, ':') ? i + 1 : -1;
}

static bool plain(const reader *r, lun_cstatement *s)
{
    static const struct {
        const char *word;
        unsigned holds;
    } words[] = {{"LUN_BARRIER", LUN_CHOLDS_BARRIER},
                 {"break", LUN_CHOLDS_LEAVE},
                 {"continue", LUN_CHOLDS_LEAVE},
                 {"return", LUN_CHOLDS_RETURN},
                 {"goto", LUN_CHOLDS_GOTO}};
    s->kind = LUN_CSTATEMENT_PLAIN;
    s->last = semicolon(r, s->first);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (lun__ctoken_word(r->t, s->first, words[k].word))
            s->holds |= words[k].holds;
    return s->last >= 0;
}

static bool read(const reader *r, lun_cstatement *s, int i, int depth)
{
    const lun_ctokens *t = r->t;
    const int colon = i < r->past ? label(r, i) : -1;
    *s = (lun_cstatement){.first = i, .open = -1, .close = -1, .body = -1, .other = -1};
    if (i >= r->past || depth > DEPTH)
        return false;
    if (t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
        return line(r, s);
    if (lun__ctoken_is(t, i, '{'))
        return block(r, s, depth);
    if (lun__ctoken_word(t, i, "if"))
        return branch(r, s, depth);
    if (lun__ctoken_word(t, i, "for"))
        return loop(r, s, LUN_CSTATEMENT_FOR, depth);
    if (lun__ctoken_word(t, i, "while"))
        return loop(r, s, LUN_CSTATEMENT_WHILE, depth);
    if (lun__ctoken_word(t, i, "do"))
        return loop(r, s, LUN_CSTATEMENT_DO, depth);
    if (colon >= 0 && !lun__ctoken_word(t, i, "case") && !lun__ctoken_word(t, i, "default"))
        s->holds |= LUN_CHOLDS_GOTO;
    if (colon >= 0 || lun__ctoken_word(t, i, "switch"))
        return other(r, s, colon, depth);
    return plain(r, s);
}

bool lun__cstatement_read(lun_cstatement *out, const lun_ctokens *t, int i, int past)
{
    return read(&(reader){t, past}, out, i, 0);
}
