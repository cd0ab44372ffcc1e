/* compile_queue.c - the list of units that wait for the compiler; see compile_queue.h. */
#include "openmp/compiler/compile_queue.h"

static void put(lun_jit_compiler *c, lun_unit *u, lun_unit **at)
{
    u->state = LUN_UNIT_QUEUED;
    u->next = *at;
    u->link = at;
    *(u->next ? &u->next->link : &c->last) = &u->next;
    *at = u;
}

void lun__compile_queue_put_last(lun_jit_compiler *c, lun_unit *u)
{
    put(c, u, c->last);
}

void lun__compile_queue_put_first(lun_jit_compiler *c, lun_unit *u)
{
    put(c, u, &c->first);
}

void lun__compile_queue_remove(lun_jit_compiler *c, lun_unit *u)
{
    if (!u->link)
        return;
    *u->link = u->next;
    *(u->next ? &u->next->link : &c->last) = u->link;
    u->link = NULL;
}
