/* ordering.h - what lines in order on the places of a set are made with (ordered.c): memory at
 * the places, and runs of algorithms there.  It must not know in what order. */
#ifndef LUN_RUN_ORDERING_H
#define LUN_RUN_ORDERING_H

#include "placing/placing.h"
#include "sets/at_places.h"
#include "store/fetch.h"
#include "store/pool.h"

/* Elements at the places, in order: each place has those from lo[k] on, in memory from piece->lo
 * on. */
typedef struct lun_ordering {
    lun_engine *e;
    lun_node *n;
    lun_spread *cut;
    int places;
    bool asks_places;    /* ARGSORT */
    lun_storage *to;     /* the result */
    lun_storage *run[2]; /* parts in order: elements; where they stood; NULL: not wanted */
    lun_storage *met[2]; /* what lies between two cuts, run after run */
    int64_t every;       /* of so many elements in order one is a sample */
    int64_t *sample;     /* by place: the number of its first sample; one more */
    char *samples, *ordered, *splitters; /* as given, in order; those at which is cut */
    int64_t *stood;                      /* by sample in order: its number as given */
    int64_t *owner;                      /* by splitter: its place, */
    int64_t *at;                         /* and how many come before it there, with itself; NONE,
                                            ALL: of each place so many do */
    int64_t *cuts;       /* by place, by splitter: its elements before that; one more: all */
    int64_t *lengths;    /* by place: of the runs that it merges */
    int64_t *begins;     /* by place: the number of its first element in order; one more */
    lun_place_run *runs; /* by place */
    lun_scratch scratch;
    double seconds;
} lun_ordering;

static inline int64_t lun__ordering_size(const lun_ordering *w)
{
    return lun__dtype_get((lun_dtype)w->n->more[0]->dtype)->bytes;
}

static inline lun_interval lun__ordering_part(const lun_ordering *w, int k)
{
    return lun__spread_part(w->cut, k);
}

/* The column of elements from `lo` on of a piece, as results have them. */
static inline lun_column lun__ordering_column(const lun_piece *x, lun_dtype t, int64_t n)
{
    return (lun_column){.data = x->buffer ? (void *)x->buffer : x->data, .dtype = t, .n = n};
}

/* Memory for elements lo .. hi - 1 at a place, instead of what it has of them; what it has is used
 * where it suffices. */
lun_status lun__ordering_room(lun_ordering *w, lun_storage *s, int k, int64_t lo, int64_t hi,
                              lun_column *out);
/* Host memory is had before any work is done, for parts that are a little longer than they were
 * meant to be: a failure later would do work twice. */
lun_status lun__ordering_reserve(lun_ordering *w);
/* Bytes of `from` at place k, from the start of its memory there, to those of `to` at place j; they
 * are under way until lun__placed_carried. */
lun_status lun__ordering_carry(lun_ordering *w, const lun_storage *from, int k, int64_t from_at,
                               const lun_storage *to, int j, int64_t to_at, int64_t bytes);
/* Place k is to run an algorithm. */
lun_algorithm_run *lun__ordering_want(lun_ordering *w, int k, lun_algorithm which);
/* Runs what is wanted. */
lun_status lun__ordering_run(lun_ordering *w);
/* The operand's elements at place k, of that run. */
lun_status lun__ordering_load(lun_ordering *w, int k, lun_algorithm_run *r);

#endif
