/* pace.c - the credit of a team, the rates of kernels; see pace.h. */
#include "openmp/pace.h"

#define WORTH 0.95 /* of the time of one thread: what the team must stay below */

enum {
    SIZE_FIRST = 10, /* binary order of the least count that has a rate */
    SHORT_NS = 4000, /* what no team is used for */
    LONG_NS = 4000000,
    GUESSED_NS = 20000, /* the least that a team is used for unmeasured */
    CREDIT_RUNS = 8,    /* gains beyond those of about so many runs are not kept, */
    CREDIT_NS = 500000, /* nor more than this, */
    DEBT_NS = 20000000, /* nor losses beyond this */
    TRY_SHARE = 12,     /* tries may take this part of the time of one thread */
    REMEASURE = 64,     /* every so many runs of a kernel one thread is measured again */
    SHORT_MEASURE = 16  /* the same for runs that are too short for a team */
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

/* A kernel that is met the first time runs as is guessed, the second time by one thread. */
static lun_pace_plan plan_unmeasured(const lun_pace *p, float *rate, double guess_ns)
{
    bool again = *rate < 0;
    if (guess_ns >= LONG_NS)
        return (lun_pace_plan){.team = true};
    *rate = -1;
    return (lun_pace_plan){.team = !again && guess_ns >= GUESSED_NS &&
                                   p->credit[length_of(guess_ns)] >= 0,
                           .timed = again};
}

lun_pace_plan lun__pace_plan(const lun_pace *p, lun_rate *r, int64_t count, double guess_ns)
{
    int k = size_of(count);
    double ns = (double)r->alone[k] * (double)count;
    bool now_and_then = ++r->runs % REMEASURE == 0, pays;
    if (ns <= 0)
        return plan_unmeasured(p, &r->alone[k], guess_ns);
    if (ns >= LONG_NS)
        return (lun_pace_plan){.team = true, .alone_ns = ns};
    if (ns < SHORT_NS)
        return (lun_pace_plan){.timed = r->runs % SHORT_MEASURE == 0, .alone_ns = ns};
    pays = (double)r->team[k] < WORTH * (double)r->alone[k];
    return (lun_pace_plan){.team = p->credit[length_of(ns)] >= 0 && pays != now_and_then,
                           .timed = true,
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

void lun__pace_note(lun_pace *p, lun_rate *r, int64_t count, const lun_pace_plan *plan, double ns)
{
    double alone = plan->alone_ns, each = ns / (double)count;
    int k = size_of(count);
    if (plan->team && r->team[k] <= 0)
        r->team[k] = r->alone[k];
    if (!plan->team && r->alone[k] <= 0)
        r->alone[k] = (float)each;
    else if (plan->team)
        follow(&r->team[k], each, 1.0 / 16);
    else
        follow(&r->alone[k], each, 1.0 / 4);
    if (alone < SHORT_NS)
        return;
    float *credit = &p->credit[length_of(alone)];
    double won = plan->team ? alone - ns : *credit < 0 ? alone / TRY_SHARE : 0;
    double sum = (double)*credit + won;
    *credit = (float)(sum > CREDIT_NS ? CREDIT_NS : sum < -DEBT_NS ? -DEBT_NS : sum);
}
