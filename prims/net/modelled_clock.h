/* modelled_clock.h - the modelled network's times, in seconds. Knows no transport. */
#ifndef LUN_MODELLED_CLOCK_H
#define LUN_MODELLED_CLOCK_H

#include <stdint.h>

/* A rank's clock: what its messages cost, and how late it is. All 0: no network is modelled. */
typedef struct lun_net_clock {
    double latency, per_byte, now;
} lun_net_clock;

/* What a rank moves in an exchange: ranks that it gives to or gets from, and bytes, of both the
 * larger number. */
typedef struct lun_net_load {
    int partners;
    int64_t bytes;
} lun_net_load;

/* From its start to its arrival. */
double lun__clock_message(const lun_net_clock *c, int64_t bytes);
double lun__clock_bcast(const lun_net_clock *c, int size, int64_t bytes);
/* others: the bytes of all ranks but one. */
double lun__clock_gather(const lun_net_clock *c, int size, int64_t others);
/* most: the bytes of the rank that moves the most. */
double lun__clock_exchange(const lun_net_clock *c, int size, lun_net_load own, int64_t most);
double lun__clock_agree(const lun_net_clock *c, int size, int64_t bytes);

#endif
