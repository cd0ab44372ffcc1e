/* teller.h - what would be where in the course of a plan, for what tells its moves beforehand. */
#ifndef LUN_TELLER_H
#define LUN_TELLER_H

#include "placing/moves.h"
#include "store/fetch.h"

/* An array in the course of the plan. */
typedef struct lun_told_array {
    const void *of;       /* the storage of a LEAF; the node that a step makes */
    lun_storage *storage; /* the same storage; NULL: of a node */
    lun_storage *at;      /* what would be where of it: a sketch, which has no memory */
} lun_told_array;

typedef struct lun_teller {
    lun_engine *e;
    lun_told *told;
    lun_told_array *known;
    int count, room;
    int step;
    int64_t size; /* of an element of the array that moves */
    const char *why;
    bool file;                    /* that array is in a file */
    bool merges;                  /* copies that differ are merged, before all steps */
    struct lun_plan_writer *text; /* of the steps; NULL: none is wanted */
} lun_teller;

/* That of a storage or node; NULL: there is none yet. */
lun_storage *lun__teller_find(const lun_teller *t, const void *of);
/* `of` has before the plan what is where of s. */
lun_status lun__teller_begin(lun_teller *t, const lun_storage *of, const lun_storage *s);
/* That of a node that a step reads, as of lun_share_actions; ctx: the teller. */
lun_storage *lun__teller_storage(void *ctx, const lun_node *n);
/* The node with the elements of n in memory by now; NULL: none. */
const lun_node *lun__teller_array(const lun_teller *t, const lun_node *n);
/* Elements lo .. hi - 1 of n, counted from its first, become current at a place, NULL: the host. */
lun_status lun__teller_need(lun_teller *t, const lun_node *n, lun_backend_slot *at, int64_t lo,
                            int64_t hi, const char *why);
/* So many bytes move; exchange: at most, elements decide. */
lun_status lun__teller_move(lun_teller *t, const char *from, const char *to, int64_t bytes,
                            const char *why, bool exchange);
/* n is made, whole: in host memory; distributed so (NULL: not yet), or with `wishes` as it wishes,
 */
lun_status lun__teller_made(lun_teller *t, const lun_node *n, bool whole, bool wishes,
                            lun_spread *spread);
/* and these elements at a location. */
lun_status lun__teller_fresh(lun_teller *t, const lun_node *n, lun_backend_slot *at,
                             lun_interval elements);
/* Place k does so with these indices; what: as of lun_plan_place. */
lun_status lun__teller_place(lun_teller *t, const char *what, int k, lun_interval indices);
void lun__teller_free(lun_teller *t);
/* What a step on the set in use would do (moves.c). */
lun_status lun__moves_step(lun_teller *t, const lun_step *step);

#endif
