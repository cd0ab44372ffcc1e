/* exchange.c - a part for each rank, a part from each: messages between those that have some, any
 * bytes long. The agreement comes before, and is the caller's. */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

/* How many bytes each rank gives this one. */
static lun_status move_counts(lun_engine *e, const int64_t *given, int64_t *got)
{
    lun_net *n = e->ranks->net;
    lun_net_request *request = NULL;
    int *each = malloc((size_t)n->size * sizeof *each);
    if (!each)
        return lun__fail_nomem(e);
    for (int i = 0; i < n->size; i++)
        each[i] = (int)sizeof *given;
    const lun_net_parts own = {(void *)(uintptr_t)given, each};
    lun_wait w = lun__wait_new("an exchange", LUN_NET_ANY);
    const lun_status s = n->calls->ialltoall(n, own, (lun_net_parts){got, each}, &request)
                             ? lun__wait_for(e, &request, &w)
                             : lun__net_failed(e);
    if (!e->ranks->lingers)
        free(each);
    return s;
}

lun_status lun_spmd_exchange_known(lun_engine *e, const void *given, const int64_t *given_counts,
                                   const int64_t *got_counts, void **got)
{
    LUN_NEED(e, given_counts && got_counts && got);
    const int size = lun_spmd_npes(e), own = lun_spmd_mype(e);
    char *from = (char *)(uintptr_t)given;
    int64_t total = 0;
    lun_status s = LUN_OK;
    for (int k = 0; k < size; k++)
        if (__builtin_add_overflow(total, got_counts[k], &total))
            s = lun__fail_nomem(e);
    char *all = s == LUN_OK ? malloc((size_t)total + 1) : NULL, *to = all;
    if (s == LUN_OK && !all)
        s = lun__fail_nomem(e);
    for (int k = 0; s == LUN_OK && k < size; from += given_counts[k], to += got_counts[k++]) {
        if (k == own && got_counts[k])
            memcpy(to, from, (size_t)got_counts[k]);
        else if (k != own)
            s = lun__rank_move(e, own, k, from, given_counts[k]);
        if (s == LUN_OK && k != own)
            s = lun__rank_move(e, k, own, to, got_counts[k]);
    }
    const bool moves = !lun__alone(e) && e->ranks->part_count;
    if (s == LUN_OK)
        s = lun__rank_moves_end(e, s);
    else if (!lun__alone(e)) { /* others wait for it */
        e->ranks->part_count = 0;
        s = lun__give_up_alone(e);
    }
    e->stats.collectives += s == LUN_OK && moves;
    if (s == LUN_OK)
        *got = all;
    else if (lun__alone(e) || !e->ranks->lingers)
        free(all);
    return s;
}

lun_status lun_spmd_exchange_bytes(lun_engine *e, const void *given, const int64_t *given_counts,
                                   int64_t **got_counts, void **got)
{
    LUN_NEED(e, given_counts && got_counts && got);
    int64_t *counts = malloc((size_t)lun_spmd_npes(e) * sizeof *counts);
    lun_status s = counts ? LUN_OK : lun__fail_nomem(e);
    if (s == LUN_OK && lun__alone(e))
        counts[0] = given_counts[0];
    else if (s == LUN_OK)
        s = move_counts(e, given_counts, counts);
    if (s == LUN_OK)
        s = lun_spmd_exchange_known(e, given, given_counts, counts, got);
    if (s == LUN_OK)
        *got_counts = counts;
    else if (lun__alone(e) || !e->ranks->lingers)
        free(counts);
    return s;
}
