/* scopes.c - which tokens that are spelled like a function of the text name something else: a
 * parameter, a local variable, a member, a label or a tag. Goes through each body once. A
 * declaration begins with two names, or with a word of a type: the types of a text are not
 * known. */
#include "ctext/token/names.h"

#include <stdlib.h>

#include "base/grow.h"
#include "ctext/token/parse_statement.h"
#include "ctext/token/type.h"

/* A name that hides a function. */
typedef struct hidden {
    const lun_cname *name;
    int depth; /* of the block that ends it, */
    int until; /* or the statement's last token */
} hidden;

/* Where a block began: what its end goes back to. */
typedef struct block {
    int parens, level;
} block;

/* Names hide functions in the order in which their scopes end: the last one first. */
typedef struct walk {
    const lun_ctokens *t;
    const lun_cnames *names;
    bool *own;
    hidden *hides;
    block *blocks;
    int hide_count, hide_room, depth, block_room;
    int parens, level; /* open, and how many of them a statement's own tokens stand in */
    int start;         /* of the statement or declaration */
    int loop;          /* the word for whose head is read, or -1 */
    bool failed;
} walk;

static bool is_name(const walk *w, int i)
{
    return w->t->at[i].kind == LUN_CTOKEN_NAME;
}

static bool is_word_of_statements(const walk *w, int i)
{
    static const char *const words[] = {"return", "goto",   "else",     "break",  "do",
                                        "case",   "sizeof", "continue", "default"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (lun__ctoken_word(w->t, i, words[k]))
            return true;
    return false;
}

static bool is_member_or_label(const walk *w, int i)
{
    static const char *const before[] = {"goto", "struct", "union", "enum"};
    const lun_ctokens *t = w->t;
    bool found = lun__ctoken_is(t, i - 1, '.') ||
                 (lun__ctoken_is(t, i - 1, '>') && lun__ctoken_is(t, i - 2, '-')) ||
                 (i == w->start && lun__ctoken_is(t, i + 1, ':'));
    for (size_t k = 0; k < sizeof before / sizeof *before; k++)
        found |= lun__ctoken_word(t, i - 1, before[k]);
    return found;
}

/* Whether what is read begins like a declaration. */
static bool declares(const walk *w)
{
    return is_name(w, w->start) && !is_word_of_statements(w, w->start) &&
           (lun__ctype_reserved(w->t, w->start) || is_name(w, w->start + 1) ||
            lun__ctoken_is(w->t, w->start + 1, '*'));
}

/* Whether the name at token i is declared there: behind a type or a ',' and ahead of no call. */
static bool is_declared(const walk *w, int i)
{
    static const char behind[] = "=;,[):";
    const lun_ctokens *t = w->t;
    bool ends = false;
    for (const char *c = behind; *c; c++)
        ends |= lun__ctoken_is(t, i + 1, *c);
    int at = i - 1;
    while (at > w->start && (lun__ctoken_is(t, at, '*') || lun__ctype_qualifier(t, at)))
        at--;
    const bool pointer = lun__ctoken_is(t, at, '(') && at < i - 1 && w->parens == w->level + 1;
    if (pointer) /* int (*f)(int) */
        at--;
    return ends && at >= w->start && (pointer || w->parens == w->level) && declares(w) &&
           (lun__ctoken_is(t, at, ',') || (is_name(w, at) && !is_word_of_statements(w, at)));
}

static void hide(walk *w, const lun_cname *name, int depth, int until)
{
    if (lun__grow(&w->hides, w->hide_count, &w->hide_room, sizeof *w->hides))
        w->hides[w->hide_count++] = (hidden){name, depth, until};
    else
        w->failed = true;
}

static bool is_hidden(const walk *w, const lun_cname *name)
{
    for (int k = 0; k < w->hide_count; k++)
        if (w->hides[k].name == name)
            return true;
    return false;
}

/* The name of a function at token i. */
static void note(walk *w, int i, const lun_cname *name, int past)
{
    lun_cstatement loop = {.last = -1};
    if (is_member_or_label(w, i) || is_hidden(w, name)) {
        w->own[i] = true;
    } else if (is_declared(w, i) &&
               (w->loop < 0 || lun__cstatement_read(&loop, w->t, w->loop, past))) {
        w->own[i] = true;
        hide(w, name, w->depth, w->loop < 0 ? past : loop.last);
    }
}

/* A bracket or ';' at token i; false at a '}' too many. */
static bool follow(walk *w, int i)
{
    const lun_ctokens *t = w->t;
    const bool outside = w->parens == w->level;
    if (lun__ctoken_is(t, i, '(') || lun__ctoken_is(t, i, '[')) {
        if (outside && lun__ctoken_word(t, i - 1, "for")) {
            w->loop = i - 1;
            w->level++;
            w->start = i + 1;
        }
        w->parens++;
    } else if (lun__ctoken_is(t, i, ')') || lun__ctoken_is(t, i, ']')) {
        if (outside && w->loop >= 0) {
            w->loop = -1;
            w->level--;
            w->start = i + 1;
        }
        w->parens--;
    } else if (lun__ctoken_is(t, i, '{')) {
        if (!lun__grow(&w->blocks, w->depth, &w->block_room, sizeof *w->blocks)) {
            w->failed = true;
            return false;
        }
        w->blocks[w->depth++] = (block){w->parens, w->level};
        w->parens = w->level = 0;
        w->start = i + 1;
    } else if (lun__ctoken_is(t, i, '}')) {
        if (!w->depth--)
            return false;
        w->parens = w->blocks[w->depth].parens;
        w->level = w->blocks[w->depth].level;
        w->start = i + 1;
    } else if (outside &&
               (lun__ctoken_is(t, i, ';') || (lun__ctoken_is(t, i, ':') && !declares(w)))) {
        w->start = i + 1;
    }
    return true;
}

static void end_scopes(walk *w, int i)
{
    while (w->hide_count &&
           (w->hides[w->hide_count - 1].depth > w->depth || w->hides[w->hide_count - 1].until < i))
        w->hide_count--;
}

/* The parameters hide functions in all of the body. */
static void read_head(walk *w, const lun_cunit *u)
{
    for (int i = u->open + 1; i < u->close; i++) {
        const lun_cname *name = lun__cnames_find(w->names, w->t, i);
        if (!name || name->unit < 0)
            continue;
        w->own[i] = true;
        if (lun__ctoken_is(w->t, i + 1, ',') || lun__ctoken_is(w->t, i + 1, ')') ||
            lun__ctoken_is(w->t, i + 1, '['))
            hide(w, name, 0, u->end);
    }
}

static void read_body(walk *w, const lun_cunit *u)
{
    w->start = u->body;
    for (int i = u->body; i < u->end && !w->failed; i++) {
        if (w->t->at[i].kind == LUN_CTOKEN_DIRECTIVE) {
            i = lun__ctoken_past_line(w->t, i) - 1;
            w->start = i + 1;
            continue;
        }
        end_scopes(w, i);
        const lun_cname *name = lun__cnames_find(w->names, w->t, i);
        if (name && name->unit >= 0)
            note(w, i, name, u->end);
        else if (!follow(w, i))
            return;
    }
}

lun_status lun__cscopes_read(bool **own, const lun_ctokens *t, const lun_cunits *units,
                             const lun_cnames *names)
{
    *own = calloc((size_t)t->count + 1, sizeof **own);
    walk w = {.t = t, .names = names, .own = *own, .failed = !*own};
    for (int i = 0; i < units->count && !w.failed; i++) {
        const lun_cunit *u = &units->at[i];
        if (u->body < 0)
            continue;
        w.hide_count = w.depth = w.parens = w.level = 0;
        w.loop = -1;
        if (u->open >= 0)
            read_head(&w, u);
        read_body(&w, u);
    }
    free(w.hides);
    free(w.blocks);
    return w.failed ? LUN_ENOMEM : LUN_OK;
}
