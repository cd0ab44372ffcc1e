/* queue.c - the list of units that wait for the compiler; see queue.h.  Knows neither texts nor
 * runs. */
#include "openmp/queue.h"

void lun__jit_put_last(lun_jit_compiler *c, lun_unit *u)
{
    u->state = LUN_UNIT_QUEUED;
    u->next = NULL;
    *c->last = u;
    c->last = &u->next;
}

void lun__jit_put_first(lun_jit_compiler *c, lun_unit *u)
{
    u->state = LUN_UNIT_QUEUED;
    u->next = c->first;
    c->first = u;
    if (c->last == &c->first)
        c->last = &u->next;
}

void lun__jit_unqueue(lun_jit_compiler *c, lun_unit *u)
{
    lun_unit **p = &c->first;
    while (*p && *p != u)
        p = &(*p)->next;
    if (*p)
        *p = u->next;
    c->last = &c->first;
    while (*c->last)
        c->last = &(*c->last)->next;
}
