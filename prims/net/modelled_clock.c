/* modelled_clock.c - what steps and messages cost in a modelled network: each message takes a
 * latency and its bytes' time, and a rank sends and receives one at a time. Steps cost what their
 * usual algorithms do (Thakur, Rabenseifner and Gropp 2005, "Optimization of collective
 * communication operations in MPICH"). Pure functions. */
#include "net/net.h"

/* Rounds of a binomial tree. */
static int rounds(int size)
{
    int k = 0;
    while (k < 30 && (1 << k) < size)
        k++;
    return k;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

double lun__net_clock_message(const lun_net_clock *c, int64_t bytes)
{
    return c->latency + (double)bytes * c->per_byte;
}

/* A binomial tree; long ones scattered and then gathered by a ring. */
double lun__net_clock_bcast(const lun_net_clock *c, int size, int64_t bytes)
{
    double n = (double)bytes * c->per_byte, p = size;
    return least(rounds(size) * (c->latency + n),
                 (rounds(size) + p - 1) * c->latency + 2 * n * (p - 1) / p);
}

/* Recursive doubling: each rank gets all bytes but its own. */
double lun__net_clock_gather(const lun_net_clock *c, int size, int64_t others)
{
    return rounds(size) * c->latency + (double)others * c->per_byte;
}

/* One message for each rank with a part, or Bruck's algorithm, which moves half of the most that
 * any rank has in each round. */
double lun__net_clock_exchange(const lun_net_clock *c, int size, lun_net_load own, int64_t most)
{
    double bruck = rounds(size) * (c->latency + (double)most * c->per_byte / 2);
    return least(own.partners * c->latency + (double)own.bytes * c->per_byte, bruck);
}

/* Recursive doubling of all bytes in each round. */
double lun__net_clock_agree(const lun_net_clock *c, int size, int64_t bytes)
{
    return rounds(size) * lun__net_clock_message(c, bytes);
}
