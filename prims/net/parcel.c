/* parcel.c - what ranks that are threads share: parcels, requests, that something has come. */
#include <stdlib.h>
#include <string.h>

#include "net/group.h"

bool lun__parcel_fail(lun_net *n, const char *why)
{
    size_t length = strlen(why);
    memcpy(n->error, why, length + 1);
    return false;
}

lun_parcel *lun__parcel_new(lun_net *n, int tag, const void *bytes, int count)
{
    lun_parcel *p = malloc(sizeof *p + (size_t)count);
    if (!p) {
        lun__parcel_fail(n, "out of memory");
        return NULL;
    }
    *p = (lun_parcel){.from = n->rank, .tag = tag, .count = count, .at = n->clock.now};
    if (count && bytes)
        memcpy(p->bytes, bytes, (size_t)count);
    return p;
}

lun_net_request *lun__parcel_request(lun_net *n, lun_net_kind kind, lun_net_request **out)
{
    lun_threads *me = (lun_threads *)n;
    lun_net_request *r = calloc(1, sizeof *r);
    if (!r) {
        lun__parcel_fail(n, "out of memory");
        return NULL;
    }
    r->kind = kind;
    r->next = me->open;
    me->open = r;
    return *out = r;
}

void lun__parcel_done(lun_threads *me, lun_net_request **request)
{
    lun_net_request **at = &me->open;
    while (*at != *request)
        at = &(*at)->next;
    *at = (*request)->next;
    free(*request);
    *request = NULL;
}

void lun__parcel_changed(lun_mailbox *box)
{
    box->changes++;
    pthread_cond_signal(&box->changed);
}
