/* pace.c - the credit of a team, the rates of kernels; see pace.h. */
#include "openmp/threads/pace.h"

#define WORTH 0.95 /* of the time of one thread: what the team must stay below */

enum {
    SIZE_FIRST = 10, /* binary order of the least count that has a rate */
    SHORT_NS = 4000, /* what no team is used for */
    LONG_NS = 4000000,
    CREDIT_RUNS = 64,   /* gains beyond the time of so many runs by one thread are not kept, */
    DEBT_NS = 20000000, /* nor losses beyond this */
    TRY_SHARE = 12,     /* tries may take this part of the time of one thread */
    FIRST = 3, /* runs of one thread that are measured before the team is used by measure */
    REMEASURE =
        64, /* every so many runs of a kernel the other way is measured again, at first sooner */
    SHORT_MEASURE = 16 /* the same for runs that are too short for a team */
};

static int order_of(uint64_t x)
{
    return 63 - __builtin_clzll(x | 1);
}

static int size_of(int64_t count)
{
    int k = order_of((uint64_t)count) - SIZE_FIRST;
    return k < 0 ? 0 : k < LUN_PACE_SIZES ? k : LUN_PACE_SIZES - 1;
}

static int length_of(double ns)
{
    int k = ns > SHORT_NS ? order_of((uint64_t)(ns / SHORT_NS)) : 0;
    return k < LUN_PACE_LENGTHS ? k : LUN_PACE_LENGTHS - 1;
}

/* First run: the static estimate decides.  Then one thread runs it until measured: more than once,
 * as its operands may come from memory the first time. */
static lun_pace_plan plan_unmeasured(const lun_pace *p, lun_rate *r, int k, double guess_ns)
{
    bool again = r->seen[k] > 0;
    if (guess_ns >= LONG_NS)
        return (lun_pace_plan){.team = true};
    r->seen[k]++;
    return (lun_pace_plan){.team = !again && guess_ns >= LUN_PACE_GUESSED_NS &&
                                   p->credit[length_of(guess_ns)] >= 0,
                           .timed = again};
}

lun_pace_plan lun__pace_plan(const lun_pace *p, lun_rate *r, int64_t count, double guess_ns,
                             int threads)
{
    int k = size_of(count);
    double ns = (double)r->alone[k] * (double)count;
    bool again = ++r->runs % REMEASURE == 0, pays;
    if (ns >= LONG_NS)
        return (lun_pace_plan){.team = true, .timed = true, .threads = threads, .alone_ns = ns};
    if (r->seen[k] <= FIRST)
        return plan_unmeasured(p, r, k, guess_ns);
    if (r->seen[k] < UINT8_MAX) {
        unsigned runs = ++r->seen[k];
        again = again || (runs & (runs - 1)) == 0; /* 8, 16, 32, ... */
    }
    if (ns < SHORT_NS)
        return (lun_pace_plan){.timed = r->runs % SHORT_MEASURE == 0, .alone_ns = ns};
    pays = (double)r->team[k] < WORTH * (double)r->alone[k];
    return (lun_pace_plan){.team = p->credit[length_of(ns)] >= 0 && pays != again,
                           .timed = true,
                           .threads = threads,
                           .alone_ns = ns};
}

/* rate goes to what was measured by a part of the way: by `up` if that is more, as other processes
 * may have run meanwhile, else by half of it. */
static void follow(float *rate, double measured, double up)
{
    double before = (double)*rate, most = before * 2;
    double to = measured > most ? most : measured;
    *rate = (float)(before + (to - before) * (to > before ? up : 0.5));
}

static void note_rates(lun_rate *r, int k, const lun_pace_plan *plan, double each)
{
    float *alone = &r->alone[k], *team = &r->team[k];
    if (!plan->team && plan->alone_ns > 0)
        follow(alone, each, 1.0 / 4);
    else if (!plan->team)
        *alone = *alone > 0 && (double)*alone < each ? *alone : (float)each;
    if (!plan->team)
        return;
    if (*team <= 0)
        *team = *alone;
    follow(team, each, 1.0 / 16);
    if ((double)*alone > each * plan->threads) /* no team wins more */
        *alone = (float)(each * plan->threads);
}

void lun__pace_note(lun_pace *p, lun_rate *r, int64_t count, const lun_pace_plan *plan, double ns)
{
    double alone = plan->alone_ns;
    note_rates(r, size_of(count), plan, ns / (double)count);
    if (alone < SHORT_NS || alone >= LONG_NS)
        return;
    float *credit = &p->credit[length_of(alone)];
    double won = plan->team ? alone - ns : *credit < 0 ? alone / TRY_SHARE : 0;
    double sum = (double)*credit + won, most = CREDIT_RUNS * alone;
    *credit = (float)(sum > most ? most : sum < -DEBT_NS ? -DEBT_NS : sum);
}
