/* wait.c - waiting for queues and events: items that have ended are freed, failures are reported;
 * the end of queues; see queue.h. */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "lunarray_bind.h"
#include "queue/queue.h"

/* Seconds between looks at whether the user's work is to stop. */
#define LOOK 0.01

/* ---- the end --------------------------------------------------------------------------------- */

static void free_ended(lun_queue *q)
{
    for (lun_item *item = q->ended, *next; item; item = next) {
        next = item->next;
        lun__queue_item_free(q->e, item);
    }
    q->ended = q->ended_last = NULL;
}

static void end_queue(lun_queue *q)
{
    *q->link = q->next;
    if (q->next)
        q->next->link = q->link;
    if (q->async)
        q->e->queues->workers--;
    lun__worker_close(q);
    free_ended(q);
    free(q->trouble.text);
    lun__account_object_free(q->e->account, q);
}

void lun__wait_end_all(lun_queues *all)
{
    for (lun_queue *q = all->queues; q; q = q->next)
        lun__worker_ask(q); /* all of them, before one is waited for */
    for (lun_queue *q = all->queues; q; q = q->next)
        lun__worker_close(q); /* all of them, before what their items hold ends */
    while (all->queues)
        end_queue(all->queues);
    while (all->plain)
        end_queue(all->plain);
}

void lun__wait_end_plain(lun_queue *q)
{
    if (!q->async && !q->outside)
        end_queue(q);
}

static bool is_idle(lun_queue *q)
{
    pthread_mutex_lock(&q->e->queues->lock);
    const bool idle = !q->waiting;
    pthread_mutex_unlock(&q->e->queues->lock);
    return idle;
}

void lun__wait_sweep(lun_engine *e)
{
    for (lun_queue *q = e->queues->queues, *next; q; q = next) {
        next = q->next;
        if (!q->outside && is_idle(q))
            end_queue(q);
    }
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* What a wait is for: the event, or without one that the queue has done all. */
static bool is_reached(const lun_queue *q, const lun_event *ev)
{
    return ev ? ev->done : !q->waiting;
}

lun_status lun__wait_usable(const lun_queue *q)
{
    if (!q->own || q->process == getpid())
        return LUN_OK;
    return lun__fail(q->e, LUN_EARG, "the queue belongs to the parent of this process");
}

lun_status lun__wait_look(lun_engine *e)
{
    lun__thread_wait(&e->queues->changed, &e->queues->lock, lun__clock_now() + LOOK);
    return lun__watch_stopped(e);
}

lun_status lun__wait_queue(lun_queue *q, const lun_event *ev)
{
    lun_queues *all = q->e->queues;
    lun_status s = lun__wait_usable(q);
    if (s != LUN_OK)
        return s;
    lun_host_begin(q->e);
    pthread_mutex_lock(&all->lock);
    while (!is_reached(q, ev) && s == LUN_OK)
        s = lun__wait_look(q->e);
    if (s != LUN_OK)
        lun__worker_stop(q);
    pthread_mutex_unlock(&all->lock);
    lun_host_end(q->e);
    return s;
}

lun_status lun__wait_let_go(lun_queue *q, const lun_event *ev, bool lands)
{
    lun_queues *all = q->e->queues;
    lun_status s = LUN_OK;
    for (bool more = true; more;) {
        pthread_mutex_lock(&all->lock);
        lun_item *item = q->ended;
        more = item && (lands || !(item->copy.array || item->away));
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
            s = lun__queue_copy_land(q->e, &item->copy);
        if (!item->dropped) {
            lun__queue_item_profile(q->e, item);
            lun__detached_land(q->e, item->away);
        }
        more = !ev || item->event != ev;
        lun__queue_item_free(q->e, item);
    }
    return s;
}

/* The queue's failure, reported once; what is left is dropped first. */
static lun_status report(lun_queue *q)
{
    lun_queues *all = q->e->queues;
    pthread_mutex_lock(&all->lock);
    while (q->trouble.status != LUN_OK && q->waiting) /* it drops them */
        pthread_cond_wait(&all->changed, &all->lock);
    lun_status s = lun__queue_item_report(q->e, &q->trouble);
    pthread_mutex_unlock(&all->lock);
    return s;
}

/* The user's work is to stop, which s and the engine's failure say. */
static lun_status abandon(lun_queue *q, lun_status s)
{
    lun_trouble stopped = {.status = LUN_OK};
    lun__queue_item_keep_failure(q->e, s, &stopped);
    (void)lun__wait_let_go(q, NULL, true);
    (void)report(q);
    return lun__queue_item_report(q->e, &stopped);
}

lun_status lun_queue_wait(lun_queue *q)
{
    if (!q)
        return LUN_EARG;
    LUN_NEED(q->e, true);
    lun_status s = lun__wait_queue(q, NULL);
    if (s != LUN_OK)
        return abandon(q, s);
    const lun_status landed = lun__wait_let_go(q, NULL, true);
    s = report(q);
    return s == LUN_OK ? landed : s;
}

lun_status lun_queue_idle(lun_queue *q, bool *idle)
{
    if (!q)
        return LUN_EARG;
    LUN_NEED(q->e, idle);
    *idle = is_idle(q);
    return *idle ? lun__wait_let_go(q, NULL, true) : LUN_OK;
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
    if (!ev)
        return LUN_EARG;
    LUN_NEED(ev->queue->e, done);
    *done = look(ev, &dropped);
    return *done ? lun__wait_let_go(ev->queue, ev, true) : LUN_OK;
}

lun_status lun_event_wait(lun_event *ev)
{
    bool dropped;
    if (!ev)
        return LUN_EARG;
    LUN_NEED(ev->queue->e, true);
    lun_status s = lun__wait_queue(ev->queue, ev);
    if (s != LUN_OK)
        return abandon(ev->queue, s);
    (void)look(ev, &dropped);
    s = lun__wait_let_go(ev->queue, ev, true);
    return dropped ? lun_queue_wait(ev->queue) : s;
}

static void release(void *object)
{
    lun_event *ev = object;
    lun_queue *q = ev->queue;
    q->outside--;
    lun__queue_item_unref(q->e, ev);
    lun__wait_end_plain(q);
}

void lun_event_release(lun_event *ev)
{
    if (!ev)
        return;
    LUN_RELEASES(ev->queue->e, &ev->later, release, ev);
    release(ev);
}
