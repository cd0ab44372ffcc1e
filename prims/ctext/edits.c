/* edits.c - what is written around the tokens of a C text; see edits.h. */
#include "ctext/edits.h"

#include <stdlib.h>
#include <string.h>

lun_cedit *lun__cedits_of(lun_cedits *e, int token)
{
    if (!e->at)
        e->at = calloc((size_t)e->tokens, sizeof *e->at);
    return e->at ? &e->at[token] : NULL;
}

lun_status lun__cedits_add(char **to, const char *text, bool ahead)
{
    size_t old = *to ? strlen(*to) : 0, more = strlen(text);
    char *all = realloc(*to, old + more + 1);
    if (!all)
        return LUN_ENOMEM;
    memmove(all + (ahead ? more : old), ahead ? all : text, ahead ? old : more);
    if (ahead)
        memcpy(all, text, more);
    all[old + more] = '\0';
    *to = all;
    return LUN_OK;
}

void lun__cedits_free(lun_cedits *e)
{
    for (int i = 0; e->at && i < e->tokens; i++) {
        free(e->at[i].before);
        free(e->at[i].instead);
        free(e->at[i].after);
    }
    free(e->at);
    *e = (lun_cedits){0};
}
