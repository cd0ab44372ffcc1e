/* algorithm_functions.h - the rows of table/algorithms.def on the host's cores: a file each, two
 * functions.
 *
 * Results depend on the operands alone: threads share positions, never the order in which anything
 * is combined. */
#ifndef LUN_ALGORITHM_FUNCTIONS_H
#define LUN_ALGORITHM_FUNCTIONS_H

#include "host/host.h"

/* Bytes of scratch memory that a run by at most so many threads needs; 0: none. */
int64_t lun__algorithm_room(const lun_algorithm_run *r, int threads);
/* Does it on not more than team->threads threads, which is at most what the scratch is for.
 * LUN_ECANCEL: results are without meaning; else LUN_OK, or what the algorithm's file says. */
lun_status lun__algorithm_run(const lun_services *services, const lun_team *team,
                              lun_algorithm_run *r);

/* The same of each row, by its name. */
#define LUN_ALGORITHM(ID, NAME, OPERANDS, RESULTS, ALSO, LENGTH, TAKEN, DOC)         \
    int64_t lun__##NAME##_room(const lun_algorithm_run *r, int threads);             \
    lun_status lun__##NAME##_run(const lun_services *services, const lun_team *team, \
                                 lun_algorithm_run *r);
#include "table/algorithms.def"
#undef LUN_ALGORITHM

#endif
