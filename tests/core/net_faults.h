/* net_faults.h - a transport over another one that fails at one of its calls: loses what it should
 * send, or is dead from then on. */
#ifndef NET_FAULTS_H
#define NET_FAULTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net/net.h"

/* What goes wrong on the victim. */
typedef enum fault { NOTHING, LOSES, DIES, ENDS, DIFFERS } fault;

typedef struct shim {
    lun_net base;
    lun_net *inner;
    fault fault;
    int calls, at;
} shim;

/* Stands for a request that is never done. */
static char lost;

/* Counts a call that moves something; true where it is the one that is lost. False with *ok false:
 * the rank is dead. */
static bool is_lost(shim *s, bool *ok)
{
    int call = s->calls++;
    *ok = !(s->fault == DIES && call >= s->at);
    if (!*ok)
        snprintf(s->base.error, sizeof s->base.error, "killed");
    return s->fault == LOSES && call == s->at;
}

#define BEGIN                            \
    shim *s = (shim *)n;                 \
    bool ok;                             \
    if (is_lost(s, &ok)) {               \
        *out = (lun_net_request *)&lost; \
        return true;                     \
    }                                    \
    if (!ok)                             \
        return false;

static bool isend(lun_net *n, int to, int tag, const void *b, int count, lun_net_request **out)
{
    BEGIN
    return s->inner->calls->isend(s->inner, to, tag, b, count, out);
}

static bool ibcast(lun_net *n, int root, void *b, int count, lun_net_request **out)
{
    BEGIN
    return s->inner->calls->ibcast(s->inner, root, b, count, out);
}

static bool iallgather(lun_net *n, const void *b, int count, lun_net_parts all,
                       lun_net_request **out)
{
    BEGIN
    return s->inner->calls->iallgather(s->inner, b, count, all, out);
}

static bool ialltoall(lun_net *n, lun_net_parts given, lun_net_parts got, lun_net_request **out)
{
    BEGIN
    return s->inner->calls->ialltoall(s->inner, given, got, out);
}

static bool iagree(lun_net *n, uint64_t *words, int count, lun_net_request **out)
{
    BEGIN
    return s->inner->calls->iagree(s->inner, words, count, out);
}

/* A dead rank neither looks nor receives. */
static bool is_dead(shim *s)
{
    if (s->fault != DIES || s->calls <= s->at)
        return false;
    snprintf(s->base.error, sizeof s->base.error, "killed");
    return true;
}

static bool irecv(lun_net *n, int from, int tag, void *b, int count, lun_net_request **out)
{
    shim *s = (shim *)n;
    return !is_dead(s) && s->inner->calls->irecv(s->inner, from, tag, b, count, out);
}

static bool probe(lun_net *n, int from, int tag, lun_net_found *out)
{
    shim *s = (shim *)n;
    return !is_dead(s) && s->inner->calls->probe(s->inner, from, tag, out);
}

static bool test(lun_net *n, lun_net_request **request)
{
    shim *s = (shim *)n;
    if (is_dead(s))
        return false;
    return *request == (lun_net_request *)&lost || s->inner->calls->test(s->inner, request);
}

static void rest(lun_net *n, int64_t nanoseconds)
{
    shim *s = (shim *)n;
    s->inner->calls->rest(s->inner, nanoseconds);
}

static bool abandon(lun_net *n)
{
    shim *s = (shim *)n;
    return s->inner->calls->abandon(s->inner);
}

static void close_shim(lun_net *n)
{
    shim *s = (shim *)n;
    s->inner->calls->close(s->inner);
    free(s);
}

static lun_net *new_shim(lun_net *inner, fault f, int at)
{
    static const lun_net_calls calls = {
        .isend = isend,
        .irecv = irecv,
        .test = test,
        .probe = probe,
        .ibcast = ibcast,
        .iallgather = iallgather,
        .ialltoall = ialltoall,
        .iagree = iagree,
        .rest = rest,
        .abandon = abandon,
        .close = close_shim,
    };
    shim *s = calloc(1, sizeof *s);
    assert_non_null(s);
    *s = (shim){{.calls = &calls, .rank = inner->rank, .size = inner->size, .wakes = inner->wakes},
                inner,
                f,
                0,
                at};
    return &s->base;
}

#endif
