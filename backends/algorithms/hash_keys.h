/* hash_keys.h - the different keys of a column in order, and which of them each key is, by hashing.
 *
 * What it gives depends on the keys alone, not on threads nor on the entries that keys have in the
 * table. Private to algorithms/. */
#ifndef LUN_HASH_KEYS_H
#define LUN_HASH_KEYS_H

#include "algorithms/load_element.h"
#include "host/host.h"

typedef struct lun_hash_keys {
    const lun_services *services;
    const lun_team *team;
    const lun_column *keys; /* not empty; as lun__load_keys gives them */
    uint64_t low, high;     /* the least and the greatest one */
    int64_t most;           /* different keys that hashing may pay for; at least one in 64 keys */
    /* out, one of them: for each key its number among the different ones, from 0 on; how many there
     * are of each different one, of which there is room for so many */
    int32_t *codes;
    int64_t *counts, room;
    void *scratch; /* lun__hash_keys_room's bytes */
    /* log2 of the entries of the first table to try; 0: a sample says it. Out, where count is 0: of
     * the first one that may be large enough, for a run with more keys for which hashing pays */
    int first;
    /* out: different keys; 0: too many for hashing to pay, too many that fall together, or more
     * than there is room for: then the rest is without meaning */
    int64_t count;
    bool narrow; /* out: sorted holds uint32_t, else uint64_t */
    /* out, in the scratch: the different keys, ascending, each less `low` and plus 1 */
    const void *sorted;
} lun_hash_keys;

/* Bytes of scratch memory that a run on n keys by at most so many threads needs. */
int64_t lun__hash_keys_room(int64_t n, int64_t most, bool counts, int threads);
/* Whether a run with so many keys for which it pays would begin with a table so large. */
bool lun__hash_keys_may(int first, int64_t most);
/* LUN_OK or LUN_ECANCEL. */
lun_status lun__hash_keys_run(lun_hash_keys *x);

#endif
