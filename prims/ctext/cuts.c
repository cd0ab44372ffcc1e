/* cuts.c - edits and failures of what barrier.c and private_variables.c cut. */
#include "ctext/cuts.h"

void lun__ccut_add(lun_ccuts *c, int token, lun_ccut_place where, const char *text, bool ahead)
{
    lun_cedit *e = lun__cedits_of(&c->m->edits, token);
    lun_status s = LUN_ENOMEM;
    if (e)
        s = lun__cedits_add(where == LUN_CCUT_BEFORE    ? &e->before
                            : where == LUN_CCUT_INSTEAD ? &e->instead
                                                        : &e->after,
                            text, ahead);
    if (c->status == LUN_OK)
        c->status = s;
}

void lun__ccut_wrong(lun_ccuts *c, int token, const char *what)
{
    if (c->status == LUN_OK)
        c->status = lun__csource_error(&c->m->source, token, c->m->error, "%s", what);
}
