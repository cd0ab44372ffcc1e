/* owned.h - which places have the elements that values go to, and the values written there; for
 * owners.c.  Private to prims/api. */
#ifndef LUN_OWNED_H
#define LUN_OWNED_H

#include "api/write/owners.h"
#include "base/layout/layout.h"
#include "spread/spread.h"

/* Values that go to the elements of one owner. */
typedef struct lun_owned_tally {
    int owner;
    int64_t count, lo, hi; /* how many, and from the lowest to the highest element */
} lun_owned_tally;

/* What comes from one place. */
typedef struct lun_owned_source {
    lun_backend_slot *at; /* NULL: the host */
    int64_t lo, hi;       /* of all values */
    const int64_t *place;
    const char *value;
    lun_owned_tally *to; /* of the owners that get some */
    int owners;
    bool failed; /* there was no memory for them */
} lun_owned_source;

enum { LUN_OWNED_BUCKETS = 256 };

struct lun_owners {
    lun_engine *e;
    lun_owned what;
    lun_scatter how;
    int sources, owners, size; /* size: bytes of a value */
    int64_t place_step, value_step;
    lun_interval *part, *hull; /* by owner: what belongs to it; what of that values go to */
    char **at, **copy;         /* by owner: its element hull.lo in memory of the host; NULL: none */
    int64_t *offset;           /* by owner: from an element to its place, see owned.c */
    int shift; /* elements k << shift and those behind it belong to owner[k], or one behind that */
    uint16_t owner[LUN_OWNED_BUCKETS];
    lun_owned_source *source;
};

/* What each source has for each owner, and from which to which element that goes.  LUN_ENOMEM. */
lun_status lun__owned_count(lun_owners *o);
/* Writes all values, in index order; at[k]: element hull[k].lo of owner k, in memory of the host.
 * False: *bad, the first that does not fit; elements have what came before it. */
bool lun__owned_put(const lun_owners *o, char *const *at, int64_t *bad);

#endif
