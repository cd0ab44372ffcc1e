/* queue.c - queues as their user sees them: what is given to them, waiting, failures, the end; see
 * queue.h.  Knows no kernel. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sized.h"
#include "base/thread.h"
#include "lunarray_bind.h"
#include "queue/queue.h"

enum {
    MOST_WORKERS = 64,
    MOST_WAITING = 4096 /* items; then giving another one waits */
};

/* Seconds between looks at whether the user's work is to stop. */
#define LOOK 0.01

/* ---- the end --------------------------------------------------------------------------------- */

static void free_ended(lun_queue *q)
{
    for (lun_item *item = q->ended, *next; item; item = next) {
        next = item->next;
        lun__item_free(q->e, item);
    }
    q->ended = q->ended_last = NULL;
}

/* Ends a queue that is in no list. */
static void end_queue(lun_queue *q)
{
    if (q->async)
        q->e->queues->workers--;
    lun__worker_close(q);
    free_ended(q);
    free(q->trouble.text);
    free(q);
}

static void end_queues(lun_queues *all)
{
    for (lun_queue *q = all->queues; q; q = q->next)
        lun__worker_close(q); /* all of them, before what their items hold ends */
    for (lun_queue *q = all->queues, *next; q; q = next) {
        next = q->next;
        end_queue(q);
    }
    all->queues = NULL;
}

static bool is_idle(lun_queue *q)
{
    pthread_mutex_lock(&q->e->queues->lock);
    const bool idle = !q->waiting;
    pthread_mutex_unlock(&q->e->queues->lock);
    return idle;
}

/* Ends queues without handles that have done all. */
static void sweep(lun_engine *e)
{
    for (lun_queue **at = &e->queues->queues; *at;) {
        lun_queue *q = *at;
        if (q->outside || !is_idle(q)) {
            at = &q->next;
            continue;
        }
        *at = q->next;
        end_queue(q);
    }
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* What a wait is for: the event, or without one that the queue has done all. */
static bool is_reached(const lun_queue *q, const lun_event *ev)
{
    return ev ? ev->done : !q->waiting;
}

static lun_status not_after_fork(const lun_queue *q)
{
    if (!q->own || q->process == getpid())
        return LUN_OK;
    return lun__fail(q->e, LUN_EARG, "the queue belongs to the parent of this process");
}

/* Waits; if the user's work is to stop, stops the queue. */
static lun_status reach(lun_queue *q, const lun_event *ev)
{
    lun_queues *all = q->e->queues;
    lun_status s = not_after_fork(q);
    if (s != LUN_OK)
        return s;
    lun_host_begin(q->e);
    pthread_mutex_lock(&all->lock);
    while (!is_reached(q, ev) && s == LUN_OK) {
        lun__thread_wait(&all->changed, &all->lock, lun__now() + LOOK);
        s = lun__stopped(q->e);
    }
    if (s != LUN_OK)
        lun__worker_stop(q);
    pthread_mutex_unlock(&all->lock);
    lun_host_end(q->e);
    return s;
}

/* Takes the items that have ended, as far as the event or without one all, and lets go of them;
 * arrays receive what was copied to them. */
static lun_status let_go(lun_queue *q, const lun_event *ev, bool lands)
{
    lun_queues *all = q->e->queues;
    lun_status s = LUN_OK;
    for (bool more = true; more;) {
        pthread_mutex_lock(&all->lock);
        lun_item *item = q->ended;
        more = item && (lands || !item->copy.array);
        if (more) {
            q->ended = item->next;
            if (!q->ended)
                q->ended_last = NULL;
        }
        lun__worker_counters(q);
        pthread_mutex_unlock(&all->lock);
        if (!more)
            break;
        if (!item->dropped && s == LUN_OK)
            s = lun__copy_land(q->e, &item->copy);
        more = !ev || item->event != ev;
        lun__item_free(q->e, item);
    }
    return s;
}

/* The queue's failure, told once; what is left is dropped first. */
static lun_status tell(lun_queue *q)
{
    lun_queues *all = q->e->queues;
    pthread_mutex_lock(&all->lock);
    while (q->trouble.status != LUN_OK && q->waiting) /* it drops them */
        pthread_cond_wait(&all->changed, &all->lock);
    lun_status s = lun__trouble_tell(q->e, &q->trouble);
    pthread_mutex_unlock(&all->lock);
    return s;
}

/* The user's work is to stop, which s says and the engine's failure tells. */
static lun_status abandon(lun_queue *q, lun_status s)
{
    lun_trouble stopped = {.status = LUN_OK};
    lun__trouble_keep(q->e, s, &stopped);
    (void)let_go(q, NULL, true);
    (void)tell(q);
    return lun__trouble_tell(q->e, &stopped);
}

lun_status lun_queue_wait(lun_queue *q)
{
    if (!q)
        return LUN_EARG;
    lun_status s = reach(q, NULL);
    if (s != LUN_OK)
        return abandon(q, s);
    const lun_status landed = let_go(q, NULL, true);
    s = tell(q);
    return s == LUN_OK ? landed : s;
}

lun_status lun_queue_idle(lun_queue *q, bool *idle)
{
    if (!q || !idle)
        return LUN_EARG;
    *idle = is_idle(q);
    return *idle ? let_go(q, NULL, true) : LUN_OK;
}

/* ---- giving ---------------------------------------------------------------------------------- */

/* Waits for copies that are to fill this array or a window of it, so that a new one comes after. */
static lun_status settle(lun_engine *e, lun_array *a)
{
    lun_status s = LUN_OK;
    for (lun_queue *q = a ? e->queues->queues : NULL; q && s == LUN_OK; q = q->next) {
        lun_array *base = lun__base(a);
        bool fills = false;
        pthread_mutex_lock(&e->queues->lock);
        const lun_item *lists[] = {q->ended, q->running, q->first};
        for (int k = 0; k < 3; k++)
            for (const lun_item *i = lists[k]; i; i = k == 1 ? NULL : i->next)
                fills |= i->copy.array && lun__base(i->copy.array) == base;
        pthread_mutex_unlock(&e->queues->lock);
        if (!fills)
            continue;
        s = reach(q, NULL);
        if (s == LUN_OK)
            s = let_go(q, NULL, true);
    }
    return s;
}

static lun_status new_item(lun_queue *q, lun_item_kind kind, lun_item **out)
{
    lun_item *item = calloc(1, sizeof *item);
    if (!item)
        return lun__nomem(q->e);
    item->kind = kind;
    item->math = q->e->math;
    *out = item;
    return LUN_OK;
}

/* Waits until the queue has room for another item. */
static lun_status make_room(lun_queue *q)
{
    lun_queues *all = q->e->queues;
    lun_status s = not_after_fork(q);
    lun_host_begin(q->e);
    pthread_mutex_lock(&all->lock);
    while (s == LUN_OK && q->waiting >= MOST_WAITING) {
        lun__thread_wait(&all->changed, &all->lock, lun__now() + LOOK);
        s = lun__stopped(q->e);
    }
    pthread_mutex_unlock(&all->lock);
    lun_host_end(q->e);
    return s;
}

/* Done at once by the user's engine. */
static lun_status do_now(lun_queue *q, lun_item *item)
{
    lun_status s = lun__item_run(q->e, q->at, item);
    if (item->event) {
        item->event->done = true;
        item->event->dropped = s != LUN_OK;
    }
    if (s == LUN_OK)
        s = lun__copy_land(q->e, &item->copy);
    lun__item_free(q->e, item);
    return s;
}

static lun_status give(lun_queue *q, lun_item *item)
{
    lun_queues *all = q->e->queues;
    if (!q->async)
        return do_now(q, item);
    lun_status s = make_room(q);
    if (s != LUN_OK) {
        lun__item_free(q->e, item);
        return s;
    }
    pthread_mutex_lock(&all->lock);
    *(q->last ? &q->last->next : &q->first) = item;
    q->last = item;
    q->waiting++;
    pthread_cond_signal(&q->given);
    pthread_mutex_unlock(&all->lock);
    return let_go(q, NULL, false);
}

/* Whether the queue's kernels can use the memory. */
static lun_status check_place(const lun_queue *q, const lun_task *t)
{
    const lun_backend_slot *own = q->at->backend->buffer_new ? q->at : NULL;
    for (int k = 0; k < t->arrays; k++) {
        const lun_task_array *a = &t->array[k];
        if (!a->memory)
            continue;
        lun_status s = lun__memory_usable(q->e, a->memory, "argument", a->number);
        if (s != LUN_OK)
            return s;
        if (a->memory->at != own)
            return lun__fail(q->e, LUN_EARG,
                             "argument %d of the task is a buffer of %s, and the queue is on %s: "
                             "copy it to a buffer there",
                             a->number, a->memory->device, q->at->name);
    }
    return LUN_OK;
}

lun_status lun_queue_enqueue(lun_queue *q, lun_task *t)
{
    lun_item *item = NULL;
    if (!q)
        return LUN_EARG;
    LUN_NEED(q->e, t && t->e == q->e);
    sweep(q->e);
    lun_status s = check_place(q, t);
    if (s == LUN_OK)
        s = new_item(q, LUN_ITEM_TASK, &item);
    if (s != LUN_OK)
        return s;
    item->task = t;
    t->refs++;
    return give(q, item);
}

lun_status lun_queue_copy(lun_queue *q, const lun_copy_side *to, const lun_copy_side *from,
                          const int64_t *extents)
{
    lun_item *item = NULL;
    if (!q)
        return LUN_EARG;
    LUN_NEED(q->e, to && from);
    sweep(q->e);
    lun_copy_side sides[2] = {{.size = sizeof *sides}, {.size = sizeof *sides}};
    lun__take(&sides[0], to, sizeof *sides);
    lun__take(&sides[1], from, sizeof *sides);
    lun_status s = settle(q->e, sides[1].array);
    if (s == LUN_OK)
        s = settle(q->e, sides[0].array);
    if (s == LUN_OK)
        s = new_item(q, LUN_ITEM_COPY, &item);
    if (s != LUN_OK)
        return s;
    s = lun__copy_open(q->e, &sides[0], &sides[1], extents, &item->copy);
    if (s == LUN_OK)
        return give(q, item);
    lun__item_free(q->e, item);
    return s;
}

lun_status lun_queue_evaluate(lun_queue *q, lun_array *a)
{
    lun_item *item = NULL;
    if (!q)
        return LUN_EARG;
    lun_engine *e = q->e;
    LUN_NEED(e, a);
    lun_status s = lun__usable(e, a);
    if (s != LUN_OK)
        return s;
    const lun_place_alone before = lun__alone_begin(e, q->at);
    s = lun_eval(e, &a, 1);
    lun__alone_end(e, before);
    if (s == LUN_OK || !q->async || s == LUN_ECANCEL || s == LUN_ELIMIT)
        return s;
    lun_trouble why = {.status = LUN_OK};
    lun__trouble_keep(e, s, &why);
    if (new_item(q, LUN_ITEM_FAILED, &item) != LUN_OK)
        return lun__trouble_tell(e, &why);
    item->trouble = why;
    return give(q, item);
}

lun_status lun_queue_record(lun_queue *q, lun_event **out)
{
    lun_item *item = NULL;
    if (!q)
        return LUN_EARG;
    LUN_NEED(q->e, out);
    lun_event *ev = calloc(1, sizeof *ev);
    lun_status s = ev ? new_item(q, LUN_ITEM_RECORD, &item) : lun__nomem(q->e);
    if (s != LUN_OK) {
        free(ev);
        return s;
    }
    *ev = (lun_event){.refs = 2, .queue = q};
    q->outside++;
    item->event = ev;
    s = give(q, item);
    if (s == LUN_OK)
        *out = ev;
    else
        lun_event_release(ev);
    return s;
}

lun_status lun_queue_wait_for(lun_queue *q, lun_event *ev)
{
    lun_item *item = NULL;
    if (!q)
        return LUN_EARG;
    LUN_NEED(q->e, ev && ev->queue->e == q->e);
    if (!q->async)
        return reach(ev->queue, ev);
    lun_status s = new_item(q, LUN_ITEM_AFTER, &item);
    if (s != LUN_OK)
        return s;
    item->event = ev;
    ev->refs++;
    return give(q, item);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Whether it has happened, and whether it was dropped, not both. */
static bool look(const lun_event *ev, bool *dropped)
{
    pthread_mutex_t *lock = &ev->queue->e->queues->lock;
    pthread_mutex_lock(lock);
    const bool done = ev->done;
    *dropped = done && ev->dropped;
    pthread_mutex_unlock(lock);
    return done;
}

lun_status lun_event_done(lun_event *ev, bool *done)
{
    bool dropped;
    if (!ev || !done)
        return LUN_EARG;
    *done = look(ev, &dropped);
    return *done ? let_go(ev->queue, ev, true) : LUN_OK;
}

lun_status lun_event_wait(lun_event *ev)
{
    bool dropped;
    if (!ev)
        return LUN_EARG;
    lun_status s = reach(ev->queue, ev);
    if (s != LUN_OK)
        return abandon(ev->queue, s);
    (void)look(ev, &dropped);
    s = let_go(ev->queue, ev, true);
    return dropped ? lun_queue_wait(ev->queue) : s;
}

void lun_event_release(lun_event *ev)
{
    if (!ev)
        return;
    ev->queue->outside--;
    lun__event_unref(ev);
}

/* ---- a queue --------------------------------------------------------------------------------- */

static lun_status open_queue(lun_queue *q, const char *device)
{
    lun_engine *e = q->e;
    lun_status s = lun__memory_place(e, device, &q->at);
    if (s == LUN_OK && !q->at)
        return lun__fail(e, LUN_EARG,
                         "'host' is memory, and computes nothing: a queue is on a backend or a "
                         "device, such as openmp or opencl:1");
    if (s != LUN_OK || !q->async)
        return s;
    if (q->at->backend->finish) /* there are buffers that a state beside can share */
        s = q->at->backend->finish(q->at->state);
    if (s != LUN_OK)
        return s;
    if (e->queues->workers >= MOST_WORKERS)
        return lun__fail(e, LUN_ELIMIT, "more than %d queues at work at once", (int)MOST_WORKERS);
    s = lun__worker_open(q);
    if (s == LUN_OK)
        e->queues->workers++;
    return s;
}

lun_status lun_queue_new(lun_engine *e, const char *device, const lun_queue_options *options,
                         lun_queue **out)
{
    LUN_NEED(e, device && out);
    lun_queues *all;
    lun_queue_options how = {.size = sizeof how};
    if (options)
        lun__take(&how, options, sizeof how);
    lun_status s = lun__queues(e, &all);
    if (s != LUN_OK)
        return s;
    sweep(e);
    lun_queue *q = calloc(1, sizeof *q);
    if (!q)
        return lun__nomem(e);
    *q = (lun_queue){.outside = 1, .e = e, .async = how.async};
    s = open_queue(q, device);
    if (s != LUN_OK) {
        free(q);
        return s;
    }
    q->next = all->queues;
    all->queues = q;
    all->end_queues = end_queues;
    *out = q;
    return LUN_OK;
}

void lun_queue_free(lun_queue *q)
{
    if (!q)
        return;
    q->outside--;
    sweep(q->e);
}

const char *lun_queue_device(const lun_queue *q)
{
    return q ? q->at->name : "";
}
