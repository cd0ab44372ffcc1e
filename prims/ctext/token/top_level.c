/* top_level.c - C text cut into what stands at its top level.  Matches brackets and the branches of
 * #if, each of which starts as deep in braces as the first. */
#include "ctext/token/top_level.h"

#include <stdlib.h>

#include "ctext/token/signature.h"

enum { CONDITIONS = 64 }; /* #if within #if */

typedef struct scanner {
    const lun_csource *s;
    const lun_ctokens *t;
    lun_strbuf *error;
    lun_cunits *out;
    int i, depth; /* the token ahead, and in how many braces it stands */
    int last[3];  /* tokens before it, the nearest first, preprocessor lines left out; -1: none */
    int conditions;
    struct {
        int token, depth;
    } condition[CONDITIONS];
    lun_status status;
} scanner;

static bool fail(scanner *c, int token, const char *what)
{
    c->status = lun__csource_error(c->s, token, c->error, "%s", what);
    return false;
}

/* ---- going forward --------------------------------------------------------------------------- */

static bool is_any(const lun_ctokens *t, int i, const char *const *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (lun__ctoken_word(t, i, words[k]))
            return true;
    return false;
}
#define IS_ANY(t, i, words) is_any(t, i, words, sizeof(words) / sizeof(words)[0])

/* The preprocessor line at the token ahead: follows #if. */
static bool follow(scanner *c)
{
    static const char *const opens[] = {"if", "ifdef", "ifndef"};
    static const char *const turns[] = {"else", "elif", "elifdef", "elifndef"};
    int word = c->i + 1;
    if (IS_ANY(c->t, word, opens)) {
        if (c->conditions == CONDITIONS)
            return fail(c, c->i, "#if nested more than 64 levels deep");
        c->condition[c->conditions].token = c->i;
        c->condition[c->conditions++].depth = c->depth;
    } else if (IS_ANY(c->t, word, turns)) {
        if (!c->conditions)
            return fail(c, c->i, "#else or #elif without #if");
        c->depth = c->condition[c->conditions - 1].depth;
    } else if (lun__ctoken_word(c->t, word, "endif")) {
        if (!c->conditions)
            return fail(c, c->i, "#endif without #if");
        c->conditions--;
    }
    return true;
}

/* Brings the token ahead past preprocessor lines. */
static bool settle(scanner *c)
{
    while (c->t->at[c->i].kind == LUN_CTOKEN_DIRECTIVE) {
        if (!follow(c))
            return false;
        c->i = lun__ctoken_past_line(c->t, c->i);
    }
    if (c->t->at[c->i].kind == LUN_CTOKEN_END && c->conditions)
        return fail(c, c->condition[c->conditions - 1].token, "#if without #endif");
    return true;
}

static bool advance(scanner *c)
{
    if (lun__ctoken_is(c->t, c->i, '{'))
        c->depth++;
    if (lun__ctoken_is(c->t, c->i, '}') && --c->depth < 0)
        return fail(c, c->i, "unbalanced braces: '}' without '{'");
    c->last[2] = c->last[1];
    c->last[1] = c->last[0];
    c->last[0] = c->i++;
    return settle(c);
}

static bool at_end(const scanner *c)
{
    return c->t->at[c->i].kind == LUN_CTOKEN_END;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool declare(scanner *c, int token)
{
    lun_cunits *u = c->out;
    if (lun__ctype_reserved(c->t, token))
        return true;
    if (u->declared_count == u->declared_room) {
        int room = u->declared_room ? u->declared_room * 2 : 16;
        int *declared = realloc(u->declared, (size_t)room * sizeof *declared);
        if (!declared) {
            c->status = LUN_ENOMEM;
            return false;
        }
        u->declared = declared;
        u->declared_room = room;
    }
    u->declared[u->declared_count++] = token;
    return true;
}

static bool is_name(const lun_ctokens *t, int i)
{
    return i >= 0 && t->at[i].kind == LUN_CTOKEN_NAME;
}

/* The name before the parentheses that open at the token ahead, if it is one. */
static void note_name(const scanner *c, lun_cunit *u)
{
    const lun_ctokens *t = c->t;
    int a = c->last[0], b = c->last[1], before = c->last[2];
    u->name = -1;
    u->marked = false;
    if (a >= u->start && is_name(t, a) && !lun__ctype_reserved(t, a))
        u->name = a;
    if (before >= u->start && lun__ctoken_is(t, a, '>') && is_name(t, b) &&
        lun__ctoken_is(t, before, '<')) {
        u->name = b;
        u->marked = true;
    }
}

/* A group in braces, from its '{' on; enumerators: the names in it are declared. */
static bool pass_group(scanner *c, bool enumerators)
{
    int open = c->i, outside = c->depth, parens = 0;
    do {
        if (enumerators && c->depth == outside + 1 && !parens && is_name(c->t, c->i) &&
            (lun__ctoken_is(c->t, c->last[0], '{') || lun__ctoken_is(c->t, c->last[0], ',')) &&
            !declare(c, c->i))
            return false;
        if (lun__ctoken_is(c->t, c->i, '('))
            parens++;
        if (lun__ctoken_is(c->t, c->i, ')'))
            parens--;
        if (!advance(c))
            return false;
        if (at_end(c) && c->depth > outside)
            return fail(c, open, "unbalanced braces: '{' without '}'");
    } while (c->depth > outside);
    if (!lun__ctoken_is(c->t, c->last[0], '}'))
        return fail(c, open, "the brace opened here is closed in only one branch of an #if");
    return true;
}

/* ---- units ----------------------------------------------------------------------------------- */

/* What a unit's tokens have shown so far. */
typedef struct state {
    int parens;     /* ( and [ open */
    int closed;     /* the last ')' of parameters, or -1 */
    bool group;     /* the outermost of them is a '(' that may open parameters */
    bool value;     /* after a '=', up to the next ',' */
    bool aggregate; /* struct, union or enum was seen */
} state;

static bool follow_name(scanner *c, const lun_cunit *u)
{
    int past = c->i + 1;
    while (c->t->at[past].kind == LUN_CTOKEN_DIRECTIVE)
        past = lun__ctoken_past_line(c->t, past);
    return c->i == u->start ||
           (!lun__ctoken_is(c->t, past, ';') && !lun__ctoken_is(c->t, past, '=') &&
            !lun__ctoken_is(c->t, past, ',') && !lun__ctoken_is(c->t, past, '[')) ||
           declare(c, c->i);
}

/* A name or keyword outside all brackets. */
static bool note_word(scanner *c, lun_cunit *u, state *y)
{
    static const char *const aggregates[] = {"struct", "union", "enum"};
    int i = c->i;
    if (lun__ctoken_word(c->t, i, "static"))
        u->is_static = true;
    if (lun__ctoken_word(c->t, i, "const"))
        u->is_const = true;
    if (lun__ctoken_word(c->t, i, "__constant"))
        u->is_constant = true;
    if (lun__ctoken_word(c->t, i, "typedef"))
        u->is_typedef = true;
    if (lun__ctoken_word(c->t, i, "extern"))
        u->external = i;
    if (IS_ANY(c->t, i, aggregates))
        y->aggregate = true;
    if (u->external >= 0 || y->value)
        return true;
    if (c->last[0] >= u->start && IS_ANY(c->t, c->last[0], aggregates))
        return declare(c, i);
    return follow_name(c, u);
}

static bool note_bracket(scanner *c, lun_cunit *u, state *y)
{
    static const char *const attributes[] = {"__attribute__", "__attribute", "_Alignas"};
    const lun_ctokens *t = c->t;
    int i = c->i;
    if (lun__ctoken_is(t, i, '(') || lun__ctoken_is(t, i, '[')) {
        if (y->parens++)
            return true;
        y->group = lun__ctoken_is(t, i, '(') && !y->value &&
                   !(c->last[0] >= u->start && IS_ANY(t, c->last[0], attributes));
        if (y->group) {
            note_name(c, u);
            u->open = i;
        }
    } else if (lun__ctoken_is(t, i, ')') || lun__ctoken_is(t, i, ']')) {
        if (--y->parens < 0)
            return fail(c, i, "unbalanced parentheses: ')' without '('");
        if (!y->parens && y->group)
            u->close = y->closed = i;
    }
    return true;
}

/* The '{' ahead: of a body, of a struct's members or of an initialiser. */
static bool note_brace(scanner *c, lun_cunit *u, state *y)
{
    if (!y->parens && !u->assigned && y->closed >= 0 && c->last[0] == y->closed) {
        u->body = c->i;
        return pass_group(c, false);
    }
    if (!u->assigned && !y->aggregate && !y->parens)
        return fail(c, c->i, "no parameter list before the '{': write (float x) { return ...; }");
    int a = c->last[0], b = c->last[1];
    bool enumerators = !u->assigned && !y->parens &&
                       ((a >= u->start && lun__ctoken_word(c->t, a, "enum")) ||
                        (b >= u->start && lun__ctoken_word(c->t, b, "enum")));
    return pass_group(c, enumerators);
}

static bool cut_short(scanner *c, const lun_cunit *u, const state *y)
{
    if (y->parens)
        return fail(c, u->open >= 0 ? u->open : u->start,
                    "unbalanced parentheses: '(' without ')'");
    if (y->closed >= 0)
        return fail(c, c->last[0],
                    "the function has no body: write { return ...; } after the parameters");
    return fail(c, u->start,
                "the function has no parameter list: write it as (float x) { return ...; }");
}

/* One token of a unit; a '{' with its whole group. */
static bool note_token(scanner *c, lun_cunit *u, state *y)
{
    const lun_ctokens *t = c->t;
    if (lun__ctoken_is(t, c->i, '{'))
        return note_brace(c, u, y);
    if (!y->parens && is_name(t, c->i) && !note_word(c, u, y))
        return false;
    if (!y->parens && lun__ctoken_is(t, c->i, '='))
        u->assigned = y->value = true;
    if (!y->parens && lun__ctoken_is(t, c->i, ','))
        y->value = false;
    return note_bracket(c, u, y) && advance(c);
}

/* Reads a definition up to its '}' or a declaration up to its ';'. */
static bool read_unit(scanner *c, lun_cunit *u)
{
    state y = {.closed = -1};
    *u = (lun_cunit){
        .start = c->i, .end = -1, .name = -1, .open = -1, .close = -1, .body = -1, .external = -1};
    while (u->body < 0) {
        if (at_end(c))
            return cut_short(c, u, &y);
        if (!y.parens && lun__ctoken_is(c->t, c->i, ';')) {
            u->end = c->i;
            return advance(c);
        }
        if (!note_token(c, u, &y))
            return false;
    }
    u->end = c->last[0];
    return true;
}

static bool add_unit(scanner *c, const lun_cunit *u)
{
    lun_cunits *out = c->out;
    if (out->count == out->room) {
        int room = out->room ? out->room * 2 : 8;
        lun_cunit *at = realloc(out->at, (size_t)room * sizeof *at);
        if (!at) {
            c->status = LUN_ENOMEM;
            return false;
        }
        out->at = at;
        out->room = room;
    }
    out->at[out->count++] = *u;
    return true;
}

lun_status lun__ctop_level_read(lun_cunits *out, const lun_csource *s, lun_strbuf *error)
{
    scanner c = {.s = s, .t = &s->tokens, .error = error, .out = out, .last = {-1, -1, -1}};
    if (!settle(&c))
        return c.status;
    while (!at_end(&c)) {
        lun_cunit u;
        if (c.depth) {
            fail(&c, c.i, "unbalanced braces: a function ends in only one branch of an #if");
            return c.status;
        }
        if (!read_unit(&c, &u) || !add_unit(&c, &u))
            return c.status;
    }
    return LUN_OK;
}

void lun__ctop_level_free(lun_cunits *u)
{
    free(u->at);
    free(u->declared);
    *u = (lun_cunits){0};
}
