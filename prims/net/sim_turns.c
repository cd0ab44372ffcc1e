/* sim_turns.c - who goes on, and what comes: of the ranks of a group one runs until its next call
 * of the transport; then a generator chooses among the ranks that may go on and the messages that
 * may come, which are those whose time has come, but for a later one of the same pair and tag.
 * Where there is none, the clock goes on to the next time at which there is one.
 *
 * Invariant: once each rank has made its first call, at most one is in the state RUNS, so that what
 * happens is a function of the seed. Knows no engine. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "net/sim.h"

/* Seconds: what a call takes; the silence after which ranks are said to hang. */
#define CALL    1e-7
#define SILENCE 600.0

uint64_t lun__sim_draw(lun_sim *s, uint64_t below)
{
    uint64_t x = s->state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % below;
}

double lun__sim_delay(lun_sim *s, double most)
{
    return most * (double)lun__sim_draw(s, 1 << 20) / (1 << 20);
}

void lun__sim_log(lun_sim *s, const char *format, ...)
{
    if (!s->log)
        return;
    va_list args;
    va_start(args, format);
    fprintf(s->log, "%.7f ", s->now);
    vfprintf(s->log, format, args);
    fputc('\n', s->log);
    fflush(s->log);
    va_end(args);
}

/* ---- what may be next ------------------------------------------------------------------------ */

/* When the rank may go on; infinite where it takes no turn. */
static double rank_time(const lun_sim *s, int k)
{
    const lun_sim_rank *r = &s->ranks[k];
    if (r->state == LUN_SIM_READY)
        return 0;
    if (r->state != LUN_SIM_RESTS)
        return HUGE_VAL;
    return s->group->boxes[k].changes != r->seen ? 0 : r->until;
}

/* Whether an earlier message of the same pair and tag is on its way. */
static bool is_behind(const lun_sim *s, const lun_sim_message *m)
{
    for (const lun_sim_message *p = s->first; p != m; p = p->next)
        if (p->from == m->from && p->to == m->to && p->tag == m->tag)
            return true;
    return false;
}

/* A slow rank has a turn in one of so many cases where another could have it. */
enum { SLOW = 8 };

/* Counts what may be next by `now`; the one of number `chosen` is given in *rank or *message. */
static int count_next(lun_sim *s, double now, int chosen, bool slow, int *rank,
                      lun_sim_message **message)
{
    int count = 0;
    for (int k = 0; k < s->group->size; k++)
        if (rank_time(s, k) <= now && (slow || k != s->plan.slow) && count++ == chosen)
            *rank = k;
    for (lun_sim_message *m = s->first; m; m = m->next)
        if (m->due <= now && !is_behind(s, m) && count++ == chosen)
            *message = m;
    return count;
}

/* The first time at which something may be next. */
static double next_time(const lun_sim *s)
{
    double t = HUGE_VAL;
    for (int k = 0; k < s->group->size; k++)
        t = fmin(t, rank_time(s, k));
    for (const lun_sim_message *m = s->first; m; m = m->next)
        t = is_behind(s, m) ? t : fmin(t, m->due);
    return t;
}

/* ---- deliveries ------------------------------------------------------------------------------ */

/* Puts a message into its receiver's mailbox, as its sender would. Without memory it stays on its
 * way. */
static void deliver(lun_sim *s, lun_sim_message *m)
{
    lun_threads from = {.group = s->group};
    lun_net_request *none = NULL;
    from.base = (lun_net){.rank = m->from, .size = s->group->size, .lends = INT_MAX};
    from.base.clock = m->clock;
    if (!lun__threads_isend(&from.base, m->to, m->tag, m->bytes, m->count, &none))
        return;
    lun__sim_log(s, "%d -> %d, tag %d, %d bytes", m->from, m->to, m->tag, m->count);
    lun_sim_message **at = &s->first;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    if (s->last == &m->next)
        s->last = at;
    s->moved = s->now;
    m->came = true;
    if (m->waits)
        lun__parcel_changed(&s->group->boxes[m->from]); /* its sender may look again */
    else
        free(m);
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* No rank runs: chooses the next one. The lock is held. */
static void go_on(lun_sim *s)
{
    while (true) {
        const bool slow = s->plan.slow < 0 || lun__sim_draw(s, SLOW) == 0;
        lun_sim_message *message = NULL;
        int rank = -1, count = count_next(s, s->now, -1, slow, &rank, &message);
        if (!count && !slow)
            continue; /* the slow rank alone, perhaps: it is drawn again */
        if (!count) {
            const double t = next_time(s);
            if (t >= HUGE_VAL)
                return; /* all have gone */
            s->now = fmax(s->now, t);
            s->hangs = s->hangs || s->now > s->moved + SILENCE;
            continue;
        }
        (void)count_next(s, s->now, (int)lun__sim_draw(s, (uint64_t)count), slow, &rank, &message);
        if (message) {
            deliver(s, message);
            continue;
        }
        s->now += CALL;
        s->ranks[rank].state = LUN_SIM_RUNS;
        s->running = 1;
        pthread_cond_signal(&s->ranks[rank].turn);
        return;
    }
}

void lun__sim_turn(lun_sim_end *me, double until)
{
    lun_sim *s = me->sim;
    lun_sim_rank *r = &s->ranks[me->base.rank];
    pthread_mutex_lock(&s->lock);
    r->state = until > 0 ? LUN_SIM_RESTS : LUN_SIM_READY;
    r->until = until;
    if (--s->running == 0)
        go_on(s);
    while (r->state != LUN_SIM_RUNS)
        pthread_cond_wait(&r->turn, &s->lock);
    if (until > 0)
        r->seen = s->group->boxes[me->base.rank].changes;
    pthread_mutex_unlock(&s->lock);
}

void lun__sim_leave(lun_sim_end *me)
{
    lun_sim *s = me->sim;
    lun_sim_rank *r = &s->ranks[me->base.rank];
    pthread_mutex_lock(&s->lock);
    const bool there = r->state != LUN_SIM_GONE;
    r->state = LUN_SIM_GONE;
    if (there && --s->running == 0)
        go_on(s);
    pthread_mutex_unlock(&s->lock);
}
