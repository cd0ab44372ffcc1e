/* counts.h - what a rank that serves counts by itself, on its way into the counters of rank 0.
 * Knows no request. */
#ifndef LUN_MPI_COUNTS_H
#define LUN_MPI_COUNTS_H

#include "base/bytes.h"
#include "lunarray.h"

/* Appends what counters have gained over `sent`, which becomes their values. */
void lun__mpi_put_counts(lun_strbuf *out, const lun_stats *now, lun_stats *sent);
/* Adds what was put. */
void lun__mpi_take_counts(lun_bytes *in, lun_stats *to);

#endif
