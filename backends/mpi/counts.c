/* counts.c - counters of ranks that serve; see counts.h.  Launches, transfers and the like are rank
 * 0's to count, which asks for them. */
#include "mpi/counts.h"

#include <stddef.h>
#include <string.h>

static const size_t counted[] = {offsetof(lun_stats, compiles), offsetof(lun_stats, cache_hits),
                                 offsetof(lun_stats, interpreted), offsetof(lun_stats, overtaken)};
enum { COUNTED = sizeof counted / sizeof *counted };

static int64_t *at(lun_stats *s, int k)
{
    return (int64_t *)(void *)((char *)s + counted[k]);
}

void lun__mpi_put_counts(lun_strbuf *out, const lun_stats *now, lun_stats *sent)
{
    lun_stats all = *now;
    const double seconds = all.compile_time - sent->compile_time;
    int64_t bits;
    memcpy(&bits, &seconds, sizeof bits);
    for (int k = 0; k < COUNTED; k++)
        lun__bytes_put_i32(out, (int32_t)(*at(&all, k) - *at(sent, k)));
    lun__bytes_put_i64(out, bits);
    *sent = all;
}

void lun__mpi_take_counts(lun_bytes *in, lun_stats *to)
{
    double seconds;
    for (int k = 0; k < COUNTED; k++)
        *at(to, k) += lun__bytes_take_i32(in);
    const int64_t bits = lun__bytes_take_i64(in);
    memcpy(&seconds, &bits, sizeof seconds);
    to->compile_time += seconds;
}
