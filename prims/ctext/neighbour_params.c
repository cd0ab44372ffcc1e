/* neighbour_params.c - the elements around an index that a C text reads; see neighbour_params.h.
 * Each of them becomes a parameter of the entry. */
#include "ctext/neighbour_params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctext/token/constant.h"

typedef struct finder {
    const lun_csource *s;
    const lun_ctokens *t;
    lun_cneighbours *out;
    lun_cedits *edits;
    lun_strbuf *error;
    lun_csignature head;          /* of the definition that is looked through */
    bool alone[LUN_MAX_PARAMS];   /* parameters that also stand outside of get(...) */
    int array_at[LUN_MAX_PARAMS]; /* where it is an array: such a token, or 0 */
    int axes;                     /* offsets of each get(...); 0: none was found */
    lun_status status;
} finder;

static bool same_name(const lun_ctokens *t, int a, int b)
{
    return t->at[a].kind == LUN_CTOKEN_NAME && t->at[b].kind == LUN_CTOKEN_NAME &&
           t->at[a].length == t->at[b].length &&
           !memcmp(t->text + t->at[a].start, t->text + t->at[b].start, t->at[a].length);
}

static bool is_get(const lun_ctokens *t, int i)
{
    return lun__ctoken_word(t, i, "get") && lun__ctoken_is(t, i + 1, '(');
}

/* The entry's parameter that token i names, or -1. */
static int parameter(const finder *f, int i)
{
    for (int k = 0; k < f->head.count; k++)
        if (same_name(f->t, f->head.param[k].name, i))
            return k;
    return -1;
}

/* ---- get(x, ...) ----------------------------------------------------------------------------- */

static void wrong(finder *f, int token, const char *what)
{
    if (f->status == LUN_OK)
        f->status = lun__csource_error(f->s, token, f->error, "%s", what);
}

/* The number of neighbour `n`, or -1. */
static int number_of(finder *f, int token, const lun_neighbour *n)
{
    lun_cneighbours *out = f->out;
    for (int k = 0; k < out->count; k++)
        if (out->at[k].param == n->param && !memcmp(out->at[k].by, n->by, sizeof n->by))
            return k;
    if (out->count == LUN_IR_INPUTS) {
        f->status = lun__csource_error(f->s, token, f->error,
                                       "the function reads more than %d elements around its index",
                                       LUN_IR_INPUTS);
        return -1;
    }
    if (!out->at)
        out->at = malloc(LUN_IR_INPUTS * sizeof *out->at);
    if (!out->at) {
        f->status = LUN_ENOMEM;
        return -1;
    }
    out->at[out->count] = *n;
    return out->count++;
}

/* The offsets from token i on, behind a ','; the token behind the ')'. */
static int offsets(finder *f, int i, lun_neighbour *n)
{
    char name[48];
    for (;; i++) {
        const int first = i;
        int64_t by;
        if (n->axes == LUN_MAX_RANK) {
            wrong(f, i, "get(x, ...) with more than 8 offsets: arrays have at most 8 axes");
            return i;
        }
        bool constant = lun__cconstant_read(&(lun_cconstants){.t = f->t}, &i, &by);
        bool last = lun__ctoken_is(f->t, i, ')');
        if (!constant || (!last && !lun__ctoken_is(f->t, i, ','))) {
            f->status = lun__csource_error(
                f->s, first, f->error,
                "offset %d of get(%s, ...) is not an integer constant: write out each element that "
                "is read, with numbers for its offsets",
                n->axes + 1, lun__ctoken_show(f->t, f->head.param[n->param].name, name));
            return i;
        }
        n->by[n->axes++] = by;
        if (last)
            return i + 1;
    }
}

/* The get at token i becomes a parameter's name; the token behind its ')'. */
static int take(finder *f, int i)
{
    const lun_ctokens *t = f->t;
    char name[48];
    lun_neighbour n = {.param = parameter(f, i + 2),
                       .line = lun__csource_line(f->s, t->at[i].start)};
    if (n.param < 0 || !lun__ctoken_is(t, i + 3, ',')) {
        wrong(f, i,
              "get(x, ...) needs the name of a parameter of this function, and an offset for each "
              "axis: get(x, -1, 0)");
        return i + 1;
    }
    n.dtype = f->head.param[n.param].dtype;
    const int past = offsets(f, i + 4, &n);
    if (f->status == LUN_OK && f->axes && n.axes != f->axes)
        f->status = lun__csource_error(f->s, i, f->error,
                                       "get(x, ...) with %d offset%s, but with %d before: it takes "
                                       "one for each axis",
                                       n.axes, n.axes == 1 ? "" : "s", f->axes);
    const int number = f->status == LUN_OK ? number_of(f, i, &n) : -1;
    if (number < 0)
        return past;
    f->axes = n.axes;
    snprintf(name, sizeof name, "lun_around_%d", number);
    for (int k = i; f->status == LUN_OK && k < past; k++) {
        lun_cedit *e = lun__cedits_of(f->edits, k);
        f->status = e ? lun__cedits_add(&e->instead, k == i ? name : "", false) : LUN_ENOMEM;
    }
    return past;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static const char in_macro[] = "get(x, ...) in a macro: write it in the body of the function";

/* A parameter that stands outside of get(...). */
static void note(finder *f, int i, bool macro)
{
    const int k = parameter(f, i);
    if (k < 0) /* else the text opens before it */
        return;
    bool member = lun__ctoken_is(f->t, i - 1, '.') ||
                  (lun__ctoken_is(f->t, i - 1, '>') && lun__ctoken_is(f->t, i - 2, '-'));
    if (member)
        return;
    f->alone[k] = true;
    if (f->head.param[k].array && !macro)
        f->array_at[k] = i;
}

/* The body of a definition of the entry. */
static void look(finder *f, const lun_cunit *u)
{
    int line = 0; /* past the preprocessor line that opened last */
    for (int i = u->body + 1; f->status == LUN_OK && i < u->end; i++) {
        if (f->t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            line = lun__ctoken_past_line(f->t, i);
        if (is_get(f->t, i) && i < line)
            wrong(f, i, in_macro);
        else if (is_get(f->t, i))
            i = take(f, i) - 1;
        else
            note(f, i, i < line);
    }
}

/* Of the text outside the entry: no get(...), and parameters of the entry that macros name. */
static void look_outside(finder *f, int first, int past)
{
    int line = 0;
    for (int i = first; f->status == LUN_OK && i < past; i++) {
        if (f->t->at[i].kind == LUN_CTOKEN_DIRECTIVE)
            line = lun__ctoken_past_line(f->t, i);
        if (is_get(f->t, i))
            wrong(f, i,
                  i < line ? in_macro
                           : "get(x, ...) in a helper function: only the function that kernels "
                             "call reads elements around its index; pass them to the helper");
        if (i < line)
            note(f, i, true);
    }
}

/* Whether the text has a function, a macro or anything else of this name. */
static bool defines_get(const lun_ctokens *t, const lun_cnames *names)
{
    for (int i = 0; i < t->count; i++) {
        if (!lun__ctoken_word(t, i, "get"))
            continue;
        if (lun__cnames_find(names, t, i) || (i && lun__ctoken_word(t, i - 1, "define")))
            return true;
    }
    return false;
}

static bool any_get(const lun_ctokens *t)
{
    for (int i = 0; i < t->count; i++)
        if (is_get(t, i))
            return true;
    return false;
}

/* Which parameters are replaced: those that stand in get(...) alone. */
static void replace(finder *f)
{
    for (int k = 0; k < f->out->count; k++) {
        int p = f->out->at[k].param;
        f->out->replaced[p] = f->head.param[p].array || !f->alone[p];
        if (f->array_at[p])
            wrong(f, f->array_at[p],
                  "an array that get(x, ...) reads has no other use: the element itself is "
                  "get(x, 0), with an offset for each axis");
    }
}

lun_status lun__cneighbours_find(lun_cneighbours *out, lun_cedits *edits, const lun_csource *s,
                                 const lun_cunits *units, const lun_cnames *names, int entry,
                                 lun_strbuf *error)
{
    const lun_ctokens *t = &s->tokens;
    finder f = {.s = s, .t = t, .out = out, .edits = edits, .error = error};
    if (!any_get(t) || defines_get(t, names))
        return LUN_OK;
    int done = 0; /* tokens before it belong to units that were looked through */
    for (int i = 0; i < units->count && f.status == LUN_OK; i++) {
        const lun_cunit *u = &units->at[i], *e = &units->at[entry];
        if (i != entry &&
            !(u->body >= 0 && u->name >= 0 && e->name >= 0 && same_name(t, u->name, e->name)))
            continue;
        f.status = lun__csignature_read(&f.head, s, u, error);
        if (f.status == LUN_OK)
            look_outside(&f, done, u->body);
        if (f.status == LUN_OK)
            look(&f, u);
        done = u->end;
    }
    if (f.status == LUN_OK)
        look_outside(&f, done, t->count);
    if (f.status == LUN_OK)
        f.status = lun__csignature_read(&f.head, s, &units->at[entry], error);
    if (f.status == LUN_OK)
        replace(&f);
    return f.status;
}
