/* equal_parts.c - steps in which every rank gives as many bytes: what hosts in C take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

enum { OPTIONS = 64 };

static const char *say_options(char *to, int64_t count, int root)
{
    snprintf(to, OPTIONS, "%lld %d", (long long)count, root);
    return to;
}

/* The agreement on a step of so many bytes. */
static lun_status step_of(lun_engine *e, const char *doing, const char *noun, int64_t count,
                          int root)
{
    char options[OPTIONS];
    return lun_spmd_step(e, doing, noun, say_options(options, count, root));
}

static lun_status check_root(lun_engine *e, int root)
{
    if (root >= 0 && root < lun_spmd_npes(e))
        return LUN_OK;
    return lun__fail(e, LUN_EARG, "there is no PE %d: they count from 0 to %d", root,
                     lun_spmd_npes(e) - 1);
}

lun_status lun__bcast(lun_engine *e, const char *doing, const char *noun, lun_same given)
{
    lun_status s = check_root(e, given.root);
    if (s == LUN_OK)
        s = step_of(e, doing, noun, given.count, given.root);
    return s == LUN_OK ? lun_spmd_bcast_into(e, given.root, given.bytes, given.count) : s;
}

lun_status lun_spmd_bcast(lun_engine *e, int root, void *bytes, int64_t count)
{
    LUN_NEED(e, count >= 0 && (bytes || !count));
    return lun__bcast(e, "broadcasts", "a broadcast", (lun_same){root, bytes, count});
}

/* What is noted goes, but what this rank gives itself. */
static lun_status move(lun_engine *e, lun_status s, void *to, const void *from, int64_t count)
{
    if (to && count)
        memcpy(to, from, (size_t)count);
    e->stats.collectives += !lun__alone(e);
    return lun__rank_moves_end(e, s);
}

lun_status lun_spmd_gather(lun_engine *e, int root, const void *own, int64_t count, void *all)
{
    LUN_NEED(e, count >= 0 && (own || !count));
    const int size = lun_spmd_npes(e), mype = lun_spmd_mype(e);
    char *to = mype == root ? all : NULL;
    if (!all && count && mype == root)
        return lun__fail_missing(e);
    lun_status s = check_root(e, root);
    if (s == LUN_OK)
        s = step_of(e, "gathers", "a gather", count, root);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && size > 1 && k < size; k++)
        s = lun__rank_move(e, k, root, to ? to + k * count : (void *)(uintptr_t)own, count);
    return move(e, s, to ? to + mype * count : NULL, own, count);
}

lun_status lun_spmd_allgather(lun_engine *e, const void *own, int64_t count, void *all)
{
    LUN_NEED(e, count >= 0 && ((own && all) || !count));
    void *got = NULL;
    int64_t *counts = NULL;
    char options[OPTIONS];
    const lun_said said = {sizeof said, "gathers", "a gather", say_options(options, count, 0)};
    lun_status s = lun_spmd_gather_said(e, &said, own, count, &counts, &got);
    if (s == LUN_OK && count)
        memcpy(all, got, (size_t)count * (size_t)lun_spmd_npes(e));
    free(got);
    free(counts);
    return s;
}

lun_status lun_spmd_alltoall(lun_engine *e, const void *given, int64_t count, void *got)
{
    LUN_NEED(e, count >= 0 && ((given && got) || !count));
    const int size = lun_spmd_npes(e), mype = lun_spmd_mype(e);
    char *from = (char *)(uintptr_t)given, *to = got;
    lun_status s = step_of(e, "exchanges", "an exchange", count, 0);
    if (s != LUN_OK)
        return s;
    for (int k = 0; s == LUN_OK && size > 1 && k < size; k++) {
        s = lun__rank_move(e, mype, k, from + k * count, count);
        if (s == LUN_OK)
            s = lun__rank_move(e, k, mype, to + k * count, count);
    }
    return move(e, s, to + mype * count, from + mype * count, count);
}
