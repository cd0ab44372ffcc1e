/* call_graph.c - which functions of a C text call which. Each name of a function in the body of
 * another counts as a call, unless scopes.c finds that it names something else. */
#include "ctext/token/names.h"

#include <stdlib.h>

/* What is looked through. */
typedef struct text {
    const lun_csource *s;
    const lun_cunits *units;
    const lun_cnames *names;
    const bool *own;
} text;

/* A function on the way from the first: which, and the next token to look at. */
typedef struct step {
    int unit, next;
} step;

typedef enum visit { UNSEEN, OPEN, ENDED } visit;

/* The next function that s calls, and at which token; -1: no further one. */
static int next_call(step *s, const text *x, int *token)
{
    while (s->next < x->units->at[s->unit].end) {
        *token = s->next++;
        const lun_cname *n = lun__cnames_find(x->names, &x->s->tokens, *token);
        if (n && n->unit >= 0 && !x->own[*token])
            return n->unit;
    }
    return -1;
}

static lun_status recursion(const lun_csource *s, int token, lun_strbuf *error)
{
    char name[48];
    return lun__csource_error(s, token, error,
                              "recursive call of %s: C functions must run on every backend, and "
                              "OpenCL has no recursion; write it as a loop",
                              lun__ctoken_show(&s->tokens, token, name));
}

/* Follows all calls from one function on. */
static lun_status follow(const text *x, int first, step *way, visit *seen, lun_strbuf *error)
{
    int depth = 1, token = 0;
    way[0] = (step){first, x->units->at[first].body};
    seen[first] = OPEN;
    while (depth) {
        int called = next_call(&way[depth - 1], x, &token);
        if (called < 0) {
            seen[way[--depth].unit] = ENDED;
        } else if (seen[called] == OPEN) {
            return recursion(x->s, token, error);
        } else if (seen[called] == UNSEEN) {
            seen[called] = OPEN;
            way[depth++] = (step){called, x->units->at[called].body};
        }
    }
    return LUN_OK;
}

lun_status lun__ccall_graph_check(const lun_csource *s, const lun_cunits *units,
                                  const lun_cnames *names, const bool *own, lun_strbuf *error)
{
    const text x = {s, units, names, own};
    size_t room = units->count ? (size_t)units->count : 1;
    step *way = malloc(room * sizeof *way);
    visit *seen = calloc(room, sizeof *seen);
    lun_status status = way && seen ? LUN_OK : LUN_ENOMEM;
    for (int i = 0; status == LUN_OK && i < units->count; i++)
        if (units->at[i].body >= 0 && seen[i] == UNSEEN)
            status = follow(&x, i, way, seen, error);
    free(way);
    free(seen);
    return status;
}
