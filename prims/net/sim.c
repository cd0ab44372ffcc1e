/* sim.c - the transport of simulated ranks: those of threads.c, of which one runs at a time, see
 * sim_turns.c. Each call ends its rank's turn before it does anything. A message is on its way
 * until the generator lets it come; a step is over no sooner than the network of modelled_clock.c
 * carries it. A call may be lost, as MPI loses one: it fails, or is never done; a rank may be
 * killed at a call: this and all later ones fail, and what it sent before comes. Knows no
 * engine. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "net/sim.h"

/* The network where none is modelled, and what a message is late where nothing is said. */
#define LATENCY  2e-6
#define PER_BYTE 1e-10
#define LATE     20e-6

/* Of messages so long some are done only when they have come, as in MPI. */
enum { LONG = 4096 };

/* ---- a call ---------------------------------------------------------------------------------- */

static bool fail(lun_sim_end *me, const char *why)
{
    return lun__parcel_fail(&me->base, why);
}

/* A rank's turn ends with a call, and begins again. False: it is to fail. */
static bool begin(lun_sim_end *me, double rest)
{
    lun_sim *s = me->sim;
    lun_sim_rank *r = &s->ranks[me->base.rank];
    if (r->state == LUN_SIM_GONE)
        return fail(me, "this rank has left");
    lun__sim_turn(me, rest > 0 ? s->now + rest : 0);
    r->calls++;
    if (s->hangs)
        return fail(me, "nothing has moved for ten minutes of the simulated clock");
    if (!r->killed && s->plan.kill_rank == me->base.rank && r->calls >= s->plan.kill_call) {
        lun__sim_log(s, "rank %d is killed at its call %lld", me->base.rank, (long long)r->calls);
        r->killed = true;
    }
    return !r->killed || fail(me, "killed");
}

/* Whether a call that moves something is to be lost: *fails, or it is never done. */
static bool is_lost(lun_sim_end *me, bool *fails)
{
    lun_sim *s = me->sim;
    lun_sim_rank *r = &s->ranks[me->base.rank];
    s->moved = s->now;
    if (r->lost || s->plan.lose_rank != me->base.rank || r->calls < s->plan.lose_call)
        return false;
    r->lost = true;
    *fails = lun__sim_draw(s, 2);
    lun__sim_log(s, "rank %d: its call %lld is lost%s", me->base.rank, (long long)r->calls,
                 *fails ? " and fails" : "");
    return true;
}

static lun_sim_request *new_request(lun_sim_end *me, lun_net_request **out)
{
    lun_sim_request *r = calloc(1, sizeof *r);
    if (!r) {
        fail(me, "out of memory");
        return NULL;
    }
    r->next = me->open;
    me->open = r;
    *out = (lun_net_request *)(void *)r;
    return r;
}

static void done(lun_sim_end *me, lun_net_request **request)
{
    lun_sim_request *r = (lun_sim_request *)(void *)*request, **at = &me->open;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    free(r->message);
    free(r);
    *request = NULL;
}

/* Begins a call that moves something: true with a request if it is to be made, else *ok is what it
 * gives. */
static bool begin_moving(lun_sim_end *me, lun_net_request **out, lun_sim_request **r, bool *ok)
{
    bool fails = false;
    *ok = false;
    if (!begin(me, 0))
        return false;
    const bool lost = is_lost(me, &fails);
    if (fails)
        return fail(me, "the call was lost");
    *r = new_request(me, out);
    *ok = *r != NULL;
    return *r && !lost;
}

/* What the network takes for it. */
static lun_net_clock network_of(const lun_sim_end *me)
{
    const lun_net_clock *c = &me->base.clock;
    return c->latency > 0 || c->per_byte > 0
               ? *c
               : (lun_net_clock){.latency = LATENCY, .per_byte = PER_BYTE};
}

/* ---- messages -------------------------------------------------------------------------------- */

static bool isend(lun_net *n, int to, int tag, const void *bytes, int count, lun_net_request **out)
{
    lun_sim_end *me = (lun_sim_end *)n;
    lun_sim *s = me->sim;
    lun_sim_request *r = NULL;
    bool ok;
    if (!begin_moving(me, out, &r, &ok))
        return ok;
    const bool waits = count >= LONG && lun__sim_draw(s, 2);
    lun_sim_message *m = malloc(sizeof *m + (waits ? 0 : (size_t)count));
    if (!m)
        return fail(me, "out of memory");
    const lun_net_clock c = network_of(me);
    *m =
        (lun_sim_message){.from = n->rank, .to = to, .tag = tag, .count = count, .clock = n->clock};
    m->due = s->now + lun__net_clock_message(&c, count) + lun__sim_delay(s, s->plan.late);
    m->waits = waits;
    m->bytes = waits ? bytes : m->copy;
    if (!waits && count)
        memcpy(m->copy, bytes, (size_t)count);
    lun__sim_log(s, "rank %d: sends to %d, tag %d, %d bytes%s", n->rank, to, tag, count,
                 waits ? ", and waits" : "");
    n->clock.now += (double)count * n->clock.per_byte;
    *s->last = m;
    s->last = &m->next;
    if (waits)
        r->message = m;
    else
        done(me, out); /* it is no longer the sender's */
    return true;
}

static bool irecv(lun_net *n, int from, int tag, void *bytes, int count, lun_net_request **out)
{
    lun_sim_end *me = (lun_sim_end *)n;
    if (!begin(me, 0))
        return false;
    lun__sim_log(me->sim, "rank %d: receives from %d, tag %d", n->rank, from, tag);
    lun_sim_request *r = new_request(me, out);
    return r && (me->inner->calls->irecv(me->inner, from, tag, bytes, count, &r->inner) ||
                 fail(me, me->inner->error));
}

static bool probe(lun_net *n, int from, int tag, lun_net_found *out)
{
    lun_sim_end *me = (lun_sim_end *)n;
    if (!begin(me, 0))
        return false;
    const bool ok = me->inner->calls->probe(me->inner, from, tag, out);
    lun__sim_log(me->sim, "rank %d: looks for %d, tag %d: %d, %d bytes", n->rank, from, tag,
                 out->from, (int)out->count);
    return ok;
}

/* The request of threads.c, with this rank's modelled clock. */
static bool test_inner(lun_sim_end *me, lun_net_request **inner)
{
    me->inner->clock = me->base.clock;
    if (!me->inner->calls->test(me->inner, inner))
        return fail(me, me->inner->error);
    me->base.clock = me->inner->clock;
    return true;
}

static bool test(lun_net *n, lun_net_request **request)
{
    lun_sim_end *me = (lun_sim_end *)n;
    lun_sim *s = me->sim;
    lun_sim_request *r = (lun_sim_request *)(void *)*request;
    if (!r)
        return true;
    if (!begin(me, 0))
        return false;
    bool over = r->message && r->message->came;
    if (r->inner && s->now >= r->due) {
        if (!test_inner(me, &r->inner))
            return false;
        over = !r->inner;
    }
    lun__sim_log(s, "rank %d: asks whether it is done: %s", n->rank, over ? "yes" : "no");
    if (over) {
        s->moved = s->now;
        done(me, request);
    }
    return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A step has begun: it is over no sooner than in `cost` seconds. */
static bool begun(lun_sim_end *me, lun_sim_request *r, bool ok, double cost, const char *what)
{
    lun_sim *s = me->sim;
    r->due = s->now + cost + lun__sim_delay(s, s->plan.late);
    lun__sim_log(s, "rank %d: %s", me->base.rank, what);
    return ok || fail(me, me->inner->error);
}

static int64_t sum_of(const int *counts, int size)
{
    int64_t sum = 0;
    for (int i = 0; i < size; i++)
        sum += counts[i];
    return sum;
}

/* The transport below; what a root lends it is read where it is in one of two cases. */
static lun_net *below(lun_sim_end *me)
{
    me->inner->clock = me->base.clock;
    me->inner->lends = lun__sim_draw(me->sim, 2) ? LONG : INT_MAX;
    return me->inner;
}

static bool ibcast(lun_net *n, int root, void *bytes, int count, lun_net_request **out)
{
    lun_sim_end *me = (lun_sim_end *)n;
    lun_sim_request *r = NULL;
    const lun_net_clock c = network_of(me);
    bool ok;
    if (!begin_moving(me, out, &r, &ok))
        return ok;
    ok = lun__thread_step_bcast(below(me), root, bytes, count, &r->inner);
    return begun(me, r, ok, lun__net_clock_bcast(&c, n->size, count), "broadcasts");
}

static bool iallgather(lun_net *n, const void *own, int count, lun_net_parts all,
                       lun_net_request **out)
{
    lun_sim_end *me = (lun_sim_end *)n;
    lun_sim_request *r = NULL;
    const lun_net_clock c = network_of(me);
    bool ok;
    if (!begin_moving(me, out, &r, &ok))
        return ok;
    ok = lun__thread_step_gather(below(me), own, count, all, &r->inner);
    const int64_t others = sum_of(all.counts, n->size) - count;
    return begun(me, r, ok, lun__net_clock_gather(&c, n->size, others), "gathers");
}

static bool ialltoall(lun_net *n, lun_net_parts given, lun_net_parts got, lun_net_request **out)
{
    lun_sim_end *me = (lun_sim_end *)n;
    lun_sim_request *r = NULL;
    const lun_net_clock c = network_of(me);
    bool ok;
    if (!begin_moving(me, out, &r, &ok))
        return ok;
    const int64_t bytes = sum_of(given.counts, n->size) + sum_of(got.counts, n->size);
    ok = lun__thread_step_exchange(below(me), given, got, &r->inner);
    const lun_net_load load = {n->size - 1, bytes};
    return begun(me, r, ok, lun__net_clock_exchange(&c, n->size, load, bytes), "exchanges");
}

static bool iagree(lun_net *n, uint64_t *words, int count, lun_net_request **out)
{
    lun_sim_end *me = (lun_sim_end *)n;
    lun_sim_request *r = NULL;
    const lun_net_clock c = network_of(me);
    bool ok;
    if (!begin_moving(me, out, &r, &ok))
        return ok;
    ok = lun__thread_step_agree(below(me), words, count, &r->inner);
    return begun(me, r, ok, lun__net_clock_agree(&c, n->size, count * 8), "agrees");
}

/* ---- waiting --------------------------------------------------------------------------------- */

static double now(const lun_net *n)
{
    return ((const lun_sim_end *)n)->sim->now;
}

static void rest(lun_net *n, int64_t nanoseconds)
{
    lun_sim_end *me = (lun_sim_end *)n;
    double seconds = (double)nanoseconds * 1e-9;
    for (const lun_sim_request *r = me->open; r; r = r->next) { /* a step may be over before */
        const double left = r->due - me->sim->now;
        seconds = r->inner && left > 0 && left < seconds ? left : seconds;
    }
    if (begin(me, seconds))
        lun__sim_log(me->sim, "rank %d: has rested", n->rank);
}

static void leave(lun_net *n)
{
    lun__sim_leave((lun_sim_end *)n);
}

/* Takes a message that was not delivered back from its way. */
static void take_back(lun_sim *s, lun_sim_message *m)
{
    lun_sim_message **at = &s->first;
    while (*at && *at != m)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = m->next;
    if (s->last == &m->next)
        s->last = at;
}

static bool abandon(lun_net *n)
{
    lun_sim_end *me = (lun_sim_end *)n;
    pthread_mutex_lock(&me->sim->lock);
    while (me->open) {
        lun_net_request *r = (lun_net_request *)(void *)me->open;
        if (me->open->message && !me->open->message->came)
            take_back(me->sim, me->open->message);
        done(me, &r);
    }
    pthread_mutex_unlock(&me->sim->lock);
    const bool lingers = me->inner->calls->abandon(me->inner);
    lun__sim_leave(me);
    return lingers;
}

static void close_sim(lun_net *n)
{
    lun_sim_end *me = (lun_sim_end *)n;
    abandon(n);
    me->inner->calls->close(me->inner); /* the last one frees the simulation */
    free(me);
}

/* ---- LUNARRAY_SIM ---------------------------------------------------------------------------- */

/* "rank@call" */
static bool read_call(const char *text, int size, int *rank, int64_t *call)
{
    long long at;
    int end = 0;
    if (sscanf(text, "%d@%lld%n", rank, &at, &end) != 2 || text[end] || at < 1)
        return false;
    *call = at;
    return *rank >= 0 && *rank < size;
}

/* One word after the seed. */
static bool read_word(char *word, int size, lun_sim_plan *p)
{
    char *value = strchr(word, '='), *end;
    if (!value)
        return false;
    *value++ = '\0';
    if (!strcmp(word, "lose"))
        return read_call(value, size, &p->lose_rank, &p->lose_call);
    if (!strcmp(word, "kill"))
        return read_call(value, size, &p->kill_rank, &p->kill_call);
    if (!strcmp(word, "log"))
        return *value && snprintf(p->log, sizeof p->log, "%s", value) < (int)sizeof p->log;
    const double number = strtod(value, &end);
    if (end == value || *end || !(number >= 0) || number > 1e9)
        return false;
    if (!strcmp(word, "late"))
        p->late = number * 1e-6;
    else if (!strcmp(word, "slow"))
        p->slow = (int)number;
    else
        return false;
    return strcmp(word, "slow") != 0 || number < size;
}

static bool read_plan(const char *text, int size, lun_sim_plan *p)
{
    char all[512], *rest = all, *end;
    *p = (lun_sim_plan){.late = LATE, .lose_rank = -1, .kill_rank = -1, .slow = -1};
    if (snprintf(all, sizeof all, "%s", text) >= (int)sizeof all)
        return false;
    const char *seed = strsep(&rest, ",");
    p->seed = strtoull(seed, &end, 10);
    bool ok = *seed >= '0' && *seed <= '9' && !*end;
    while (ok && rest)
        ok = read_word(strsep(&rest, ","), size, p);
    return ok;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void free_sim(lun_sim *s)
{
    while (s->first) {
        lun_sim_message *m = s->first;
        s->first = m->next;
        free(m);
    }
    for (int k = 0; k < s->group->size; k++)
        pthread_cond_destroy(&s->ranks[k].turn);
    pthread_mutex_destroy(&s->lock);
    if (s->log)
        fclose(s->log);
    free(s);
}

static lun_sim *new_sim(lun_net_group *g, const lun_sim_plan *plan)
{
    lun_sim *s = calloc(1, sizeof *s + (size_t)g->size * sizeof s->ranks[0]);
    if (!s)
        return NULL;
    s->plan = *plan;
    s->state = plan->seed;
    s->group = g;
    g->sim_end = free_sim;
    s->running = g->size;
    s->now = s->moved = 1; /* a time of 0 says that there is none */
    s->last = &s->first;
    s->log = plan->log[0] ? fopen(plan->log, "w") : NULL;
    if (plan->log[0] && !s->log) {
        free(s);
        return NULL;
    }
    if (s->log)
        setvbuf(s->log, NULL, _IOLBF, 0);
    pthread_mutex_init(&s->lock, NULL);
    for (int k = 0; k < g->size; k++)
        pthread_cond_init(&s->ranks[k].turn, NULL);
    return s;
}

lun_net *lun__net_sim(lun_net_group *g, int rank, const char *text, char *why, int room)
{
    static const lun_net_calls calls = {
        .isend = isend,
        .irecv = irecv,
        .test = test,
        .probe = probe,
        .ibcast = ibcast,
        .iallgather = iallgather,
        .ialltoall = ialltoall,
        .iagree = iagree,
        .now = now,
        .rest = rest,
        .leave = leave,
        .abandon = abandon,
        .close = close_sim,
    };
    lun_sim_plan plan;
    if (!read_plan(text, g->size, &plan)) {
        snprintf(why, (size_t)room,
                 "LUNARRAY_SIM must be a seed and perhaps late=us, lose=rank@call, kill=rank@call, "
                 "slow=rank, log=file behind it, joined by commas, not '%s'",
                 text);
        return NULL;
    }
    pthread_mutex_lock(&g->lock); /* ranks may be opened by several threads */
    if (!g->sim)
        g->sim = new_sim(g, &plan);
    pthread_mutex_unlock(&g->lock);
    if (!g->sim) {
        snprintf(why, (size_t)room, "LUNARRAY_SIM: %s",
                 plan.log[0] ? "its log cannot be written" : "out of memory");
        return NULL;
    }
    lun_sim_end *me = calloc(1, sizeof *me);
    lun_net *inner = me ? lun__net_threads(g, rank) : NULL;
    if (!inner) {
        free(me);
        snprintf(why, (size_t)room, "out of memory");
        return NULL;
    }
    me->base = *inner;
    me->base.calls = &calls;
    me->base.turns = true;
    snprintf(me->base.name, sizeof me->base.name, "simulated ranks of one process");
    me->inner = inner;
    me->sim = g->sim;
    return &me->base;
}
