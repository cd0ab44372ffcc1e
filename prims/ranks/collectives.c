/* collectives.c - bytes between all ranks: from one to all, from all to all.  Counts may be of any
 * size and differ from rank to rank; a transport's call takes so many bytes at once, so that more
 * are moved in rounds. Counts that are not known travel before them, 8 bytes each, by the same
 * call. The agreement comes before, and is the caller's. */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Bytes of each rank in one round. */
static int64_t window(const lun_ranks_state *r)
{
    int64_t most = r->most / r->net->size;
    return most > 0 ? most : 1;
}

/* Of `count` bytes those from `done` on that a round moves. */
static int part_of(int64_t count, int64_t done, int64_t most)
{
    int64_t left = count > done ? count - done : 0;
    return (int)(left < most ? left : most);
}

static lun_status sum(lun_engine *e, const int64_t *counts, int size, int64_t *offsets,
                      int64_t *total)
{
    *total = 0;
    for (int i = 0; i < size; i++) {
        offsets[i] = *total;
        if (__builtin_add_overflow(*total, counts[i], total))
            return lun__fail_nomem(e);
    }
    return LUN_OK;
}

static lun_status await(lun_engine *e, bool begun, lun_net_request **request, const char *noun)
{
    lun_wait w = lun__wait_new(noun, LUN_NET_ANY);
    return begun ? lun__wait_for(e, request, &w) : lun__net_failed(e);
}

/* ---- from all to all ------------------------------------------------------------------------- */

lun_status lun__gather_fixed(lun_engine *e, const void *own, int count, void *all)
{
    lun_net *n = e->ranks->net;
    int *counts = malloc((size_t)n->size * sizeof *counts);
    if (!counts)
        return lun__fail_nomem(e);
    for (int i = 0; i < n->size; i++)
        counts[i] = count;
    lun_net_request *request = NULL;
    bool begun = n->calls->iallgather(n, own, count, (lun_net_parts){all, counts}, &request);
    lun_status s = await(e, begun, &request, "a step of all ranks");
    if (!e->ranks->lingers)
        free(counts);
    return s;
}

/* A round of a gather: own bytes from `done` on; the pieces go to their offsets in `all`. */
static lun_status gather_round(lun_engine *e, const char *own, const int64_t *counts,
                               const int64_t *offsets, int64_t done, char *all)
{
    lun_net *n = e->ranks->net;
    int64_t most = window(e->ranks), bytes = 0;
    int *parts = malloc((size_t)n->size * sizeof *parts);
    for (int i = 0; parts && i < n->size; i++)
        bytes += parts[i] = part_of(counts[i], done, most);
    char *piece = malloc((size_t)bytes + 1);
    if (!parts || !piece) {
        free(parts);
        free(piece);
        return lun__fail_nomem(e);
    }
    lun_net_request *request = NULL;
    bool begun = n->calls->iallgather(n, own + (parts[n->rank] ? done : 0), parts[n->rank],
                                      (lun_net_parts){piece, parts}, &request);
    lun_status s = await(e, begun, &request, "a step of all ranks");
    if (e->ranks->lingers)
        return s;
    const char *from = piece;
    for (int i = 0; s == LUN_OK && i < n->size; from += parts[i++])
        memcpy(all + offsets[i] + (parts[i] ? done : 0), from, (size_t)parts[i]);
    free(parts);
    free(piece);
    return s;
}

lun_status lun__gather_known(lun_engine *e, const void *own, int64_t *counts, char **all)
{
    const int size = e->ranks->net->size;
    int64_t total = 0, longest = 0;
    lun_status s = sum(e, counts, size, counts + size, &total);
    for (int i = 0; i < size; i++)
        longest = counts[i] > longest ? counts[i] : longest;
    char *to = s == LUN_OK ? malloc((size_t)total + 1) : NULL;
    if (s == LUN_OK && !to)
        s = lun__fail_nomem(e);
    for (int64_t done = 0; s == LUN_OK && done < longest; done += window(e->ranks))
        s = gather_round(e, own, counts, counts + size, done, to);
    if (s == LUN_OK)
        *all = to;
    else
        free(to);
    return s;
}

lun_status lun__gather(lun_engine *e, const void *own, int64_t count, int64_t **counts, char **all)
{
    int64_t *sizes = calloc((size_t)e->ranks->net->size * 2, sizeof *sizes);
    if (!sizes)
        return lun__fail_nomem(e);
    lun_status s = lun__gather_fixed(e, &count, sizeof count, sizes);
    if (s == LUN_OK)
        s = lun__gather_known(e, own, sizes, all);
    if (s == LUN_OK)
        *counts = sizes;
    else if (!e->ranks->lingers)
        free(sizes);
    return s;
}

void lun__count_step(lun_engine *e, int64_t bytes)
{
    e->stats.collectives++;
    e->stats.bytes_sent += bytes;
}

/* ---- from one to all ------------------------------------------------------------------------- */

static lun_status bcast_round(lun_engine *e, int root, void *bytes, int count)
{
    enum { MANY = 1 << 16 };
    lun_net *n = e->ranks->net;
    lun_net_request *request = NULL;
    lun_wait w = lun__wait_new("a broadcast", LUN_NET_ANY);
    w.moves = count >= MANY;
    return n->calls->ibcast(n, root, bytes, count, &request) ? lun__wait_for(e, &request, &w)
                                                             : lun__net_failed(e);
}

static lun_status bcast_rounds(lun_engine *e, int root, char *bytes, int64_t count)
{
    lun_status s = LUN_OK;
    for (int64_t done = 0; s == LUN_OK && done < count; done += e->ranks->most)
        s = bcast_round(e, root, bytes + done, part_of(count, done, e->ranks->most));
    return s;
}

lun_status lun_spmd_bcast_into(lun_engine *e, int root, void *bytes, int64_t count)
{
    LUN_NEED(e, (bytes || !count) && count >= 0 && root >= 0 && root < lun_spmd_npes(e));
    if (lun__alone(e))
        return LUN_OK;
    lun_status s = bcast_rounds(e, root, bytes, count);
    if (s == LUN_OK)
        lun__count_step(e, e->ranks->net->rank == root ? count : 0);
    return s;
}

lun_status lun_spmd_bcast_bytes(lun_engine *e, int root, void **bytes, int64_t *count)
{
    LUN_NEED(e, bytes && count && root >= 0 && root < lun_spmd_npes(e));
    if (lun__alone(e))
        return LUN_OK;
    bool mine = e->ranks->net->rank == root;
    int64_t length = mine ? *count : 0;
    lun_status s = bcast_round(e, root, &length, sizeof length);
    char *to = s != LUN_OK ? NULL : mine ? *bytes : malloc((size_t)length + 1);
    if (s == LUN_OK && !to)
        s = lun__fail_nomem(e);
    if (s == LUN_OK)
        s = bcast_rounds(e, root, to, length);
    if (s == LUN_OK) {
        lun__count_step(e, mine ? length : 0);
        *bytes = to;
        *count = length;
    } else if (!mine && !e->ranks->lingers) {
        free(to);
    }
    return s;
}
