/* calls.c - which functions of a C text call which; see calls.h.  Each name of a function in the
 * body of another counts as a call.  Knows neither types nor macros. */
#include "ctext/calls.h"

#include <stdlib.h>

/* A function on the way from the first: which, and the next token to look at. */
typedef struct step {
    int unit, next;
} step;

typedef enum visit { UNSEEN, OPEN, ENDED } visit;

/* The next function that s calls, and at which token; -1: no further one. */
static int next_call(step *s, const lun_ctokens *t, const lun_cunits *units,
                     const lun_cnames *names, int *token)
{
    while (s->next < units->at[s->unit].end) {
        *token = s->next++;
        const lun_cname *n = lun__cnames_find(names, t, *token);
        if (n && n->unit >= 0)
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
static lun_status follow(const lun_csource *s, const lun_cunits *units, const lun_cnames *names,
                         int first, step *way, visit *seen, lun_strbuf *error)
{
    int depth = 1, token = 0;
    way[0] = (step){first, units->at[first].body};
    seen[first] = OPEN;
    while (depth) {
        int called = next_call(&way[depth - 1], &s->tokens, units, names, &token);
        if (called < 0) {
            seen[way[--depth].unit] = ENDED;
        } else if (seen[called] == OPEN) {
            return recursion(s, token, error);
        } else if (seen[called] == UNSEEN) {
            seen[called] = OPEN;
            way[depth++] = (step){called, units->at[called].body};
        }
    }
    return LUN_OK;
}

lun_status lun__ccalls_check(const lun_csource *s, const lun_cunits *units, const lun_cnames *names,
                             lun_strbuf *error)
{
    size_t room = units->count ? (size_t)units->count : 1;
    step *way = malloc(room * sizeof *way);
    visit *seen = calloc(room, sizeof *seen);
    lun_status status = way && seen ? LUN_OK : LUN_ENOMEM;
    for (int i = 0; status == LUN_OK && i < units->count; i++)
        if (units->at[i].body >= 0 && seen[i] == UNSEEN)
            status = follow(s, units, names, i, way, seen, error);
    free(way);
    free(seen);
    return status;
}
