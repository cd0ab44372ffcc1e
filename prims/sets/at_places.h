/* at_places.h - runs of algorithms at the places of a set, devices at once. */
#ifndef LUN_AT_PLACES_H
#define LUN_AT_PLACES_H

#include "backend.h"
#include "engine/state.h"
#include "graph/node.h"

/* Memory beside, for one run after the other on the host.  All zero: none yet. */
typedef struct lun_scratch {
    void *data;
    int64_t bytes;
} lun_scratch;
void lun__scratch_free(lun_engine *e, lun_scratch *s);

typedef struct lun_place_run {
    lun_algorithm_run r;
    bool wanted; /* the place does it, */
    bool there;  /* in memory of its own; else on host memory, by what computes there */
    bool begun;
} lun_place_run;

/* Begins runs[k], which is wanted there, at place k; whatever comes of it, lun__places_end waits
 * for its end. */
lun_status lun__places_begin(lun_engine *e, int k, lun_place_run *run);
/* Does it on host memory, by what computes there.  n: what explains a failure; *seconds: what it
 * took is added. */
lun_status lun__places_do(lun_engine *e, const lun_node *n, lun_backend_slot *at,
                          lun_algorithm_run *r, lun_scratch *scratch, double *seconds);
/* Has the memory beside that this needs. */
lun_status lun__places_reserve(lun_engine *e, lun_backend_slot *at, const lun_algorithm_run *r,
                               lun_scratch *scratch);
/* Waits for all that have begun, of so many places.  s, or the first failure. */
lun_status lun__places_end(lun_engine *e, const lun_node *n, lun_place_run *runs, int places,
                           double *seconds, lun_status s);
/* All three: devices at once, and the host while they work.  The backend in use stays so. */
lun_status lun__places_run(lun_engine *e, const lun_node *n, lun_place_run *runs, int places,
                           lun_scratch *scratch, double *seconds);

#endif
