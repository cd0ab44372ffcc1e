/* allgatherv.c - an agreement on how many bytes of each rank follow, and a gather of these: as few
 * steps as possible. Few bytes of different numbers go in records of 1 + `most` bytes: their number
 * in the first one, then the bytes, then anything. */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks_state.h"

#include "base/sized.h"

/* Up to so many bytes of each rank are gathered in records of one length. */
enum { SHORT = 255 };

/* Bytes of different numbers, none above `most`: each rank's number stands before its bytes. */
static lun_status gather_records(lun_engine *e, const void *own, int64_t count, int64_t most,
                                 int64_t *counts, char **all)
{
    const int size = e->ranks->net->size;
    const size_t length = 1 + (size_t)most;
    unsigned char record[1 + SHORT] = {(unsigned char)count};
    char *records = malloc((size_t)size * length);
    if (!records)
        return lun__fail_nomem(e);
    if (count)
        memcpy(record + 1, own, (size_t)count);
    lun_status s = lun__gather_fixed(e, record, (int)length, records);
    char *to = records;
    for (int i = 0; s == LUN_OK && i < size; i++) {
        const char *from = records + (size_t)i * length;
        counts[i] = (unsigned char)*from;
        memmove(to, from + 1, (size_t)counts[i]);
        to += counts[i];
    }
    if (s == LUN_OK)
        *all = records;
    else if (!e->ranks->lingers)
        free(records);
    return s;
}

/* After an agreement on whether the counts are the same, and how large they are. */
static lun_status gather_agreed(lun_engine *e, const lun_agreed *a, const void *own, int64_t count,
                                int64_t **counts, char **all)
{
    const int size = e->ranks->net->size;
    if (!a->same && a->most > SHORT)
        return lun__gather(e, own, count, counts, all);
    int64_t *sizes = calloc((size_t)size * 2, sizeof *sizes);
    if (!sizes)
        return lun__fail_nomem(e);
    for (int i = 0; i < size; i++)
        sizes[i] = count;
    lun_status s = a->same ? lun__gather_known(e, own, sizes, all)
                           : gather_records(e, own, count, a->most, sizes, all);
    if (s == LUN_OK)
        *counts = sizes;
    else
        free(sizes);
    return s;
}

/* One rank alone: its own bytes. */
static lun_status gather_self(lun_engine *e, const void *own, int64_t count, int64_t **counts,
                              char **all)
{
    *counts = malloc(sizeof **counts);
    *all = malloc((size_t)count + 1);
    if (!*counts || !*all) {
        free(*counts);
        free(*all);
        return lun__fail_nomem(e);
    }
    **counts = count;
    if (count)
        memcpy(*all, own, (size_t)count);
    return LUN_OK;
}

lun_status lun_spmd_gather_said(lun_engine *e, const lun_said *said, const void *own, int64_t count,
                                int64_t **counts, void **all)
{
    LUN_NEED(e, (!said || LUN_HAS(said, noun)) && count >= 0 && (own || !count) && counts && all);
    lun_agreed a = {.size = sizeof a, .value = count, .most = count};
    char *bytes = NULL;
    lun_said words = {0};
    if (said)
        lun__sized_take(&words, said, sizeof words);
    lun_status s = said ? lun_spmd_agree(e, words.doing, words.noun, words.options, &a) : LUN_OK;
    if (s != LUN_OK)
        return s;
    if (lun__alone(e)) {
        s = gather_self(e, own, count, counts, &bytes);
    } else {
        s = said ? gather_agreed(e, &a, own, count, counts, &bytes)
                 : lun__gather(e, own, count, counts, &bytes);
        if (s == LUN_OK)
            lun__count_step(e, count);
    }
    if (s == LUN_OK)
        *all = bytes;
    return s;
}

lun_status lun_spmd_gather_bytes(lun_engine *e, const void *own, int64_t count, int64_t **counts,
                                 void **all)
{
    return lun_spmd_gather_said(e, NULL, own, count, counts, all);
}
