/* chosen.h - what the places of a set find out together of elements (lun__placing_chooses). */
#ifndef LUN_CHOSEN_H
#define LUN_CHOSEN_H

#include "sets/ordering.h"

/* What is under way: each place gives a run of elements in order, each with a number. */
typedef struct lun_choosing {
    lun_ordering w;
    int64_t *count; /* by place: of its run */
    int64_t total;
    lun_storage *here[2], *merged[2]; /* runs on the host, one after the other; all in order */
    lun_storage *out[2];              /* parts in order at places, of found[j] elements */
    int64_t *found;                   /* by place: of its part of out */
    lun_storage *to[2];               /* the results */
    int parts;                        /* places that have elements */
} lun_choosing;

/* The elements that place k takes. */
static inline lun_interval lun__chosen_part(const lun_choosing *c, int k)
{
    return lun__placing_chosen(c->w.cut, k);
}

/* The first elements in order, of all, on the host (chosen.c). */
lun_status lun__choose_first(lun_choosing *c);
/* The different values, and how many there are of each (unique_dist.c). */
lun_status lun__choose_apart(lun_choosing *c);

/* ---- runs on the host ------------------------------------------------------------------------ */

/* Of the elements; of their numbers. */
lun_dtype lun__chosen_dtype(const lun_choosing *c, int i);
/* Memory there for all runs. */
lun_status lun__chosen_room(lun_choosing *c);
/* Where the elements from the `at`-th on of all runs, or their numbers, are to be. */
lun_column lun__chosen_column(const lun_choosing *c, int i, int64_t at, int64_t count);
/* All runs in order, to merged; one: equal elements are one.  *count: how many there are then. */
lun_status lun__chosen_merge(lun_choosing *c, bool one, int64_t *count);
/* The first elements of merged, so many, are the results. */
lun_status lun__chosen_give(lun_choosing *c, int64_t count);

#endif
