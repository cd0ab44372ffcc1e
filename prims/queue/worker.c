/* worker.c - the thread of an asynchronous queue: it takes item after item and does it with an
 * engine of its own, whose device state shares the memory of the user's; see queue.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/engine/engine_open.h"
#include "base/thread.h"
#include "queue/queue.h"
#include "store/pool.h"

/* ---- counters -------------------------------------------------------------------------------- */

/* Adds what `now` has counted since `before`. */
static void add_counters(lun_stats *to, const lun_stats *now, const lun_stats *before)
{
    to->compiles += now->compiles - before->compiles;
    to->cache_hits += now->cache_hits - before->cache_hits;
    to->launches += now->launches - before->launches;
    to->interpreted += now->interpreted - before->interpreted;
    to->overtaken += now->overtaken - before->overtaken;
    to->bytes_read += now->bytes_read - before->bytes_read;
    to->bytes_written += now->bytes_written - before->bytes_written;
    to->bytes_to_device += now->bytes_to_device - before->bytes_to_device;
    to->bytes_to_host += now->bytes_to_host - before->bytes_to_host;
    to->allocations += now->allocations - before->allocations;
    to->compile_time += now->compile_time - before->compile_time;
    to->transfer_time += now->transfer_time - before->transfer_time;
    to->run_time += now->run_time - before->run_time;
}

void lun__worker_counters(lun_queue *q)
{
    static const lun_stats none;
    add_counters(&q->e->stats, &q->owed, &none);
    q->owed = none;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Waits until the event happens, or the queue is to stop; under the lock. */
static void wait_for(lun_queue *q, const lun_event *ev)
{
    while (!ev->done && !q->stopping && !q->ends)
        pthread_cond_wait(&q->e->queues->changed, &q->e->queues->lock);
}

/* Under the lock, which is released while it runs. */
static lun_status run(lun_queue *q, const lun_item *item)
{
    if (item->kind == LUN_ITEM_AFTER) {
        wait_for(q, item->event);
        return LUN_OK;
    }
    pthread_mutex_unlock(&q->e->queues->lock);
    lun_backend_slot *at;
    if (item->deadline > 0)
        lun__watch_take(q->own, item->deadline, q->limit);
    lun_status s = lun__user_buffer_slot(q->own, q->at, &at);
    if (s == LUN_OK && item->deadline > 0)
        s = lun__watch_stopped(q->own);
    if (s == LUN_OK)
        s = lun__queue_item_run(q->own, at, item);
    if (item->deadline > 0)
        lun__watch_take(q->own, 0, 0);
    pthread_mutex_lock(&q->e->queues->lock);
    return s;
}

static lun_item *take(lun_queue *q)
{
    lun_item *item = q->first;
    q->first = item->next;
    if (!q->first)
        q->last = NULL;
    item->next = NULL;
    q->running = item;
    return item;
}

/* The item running has ended. */
static void end(lun_queue *q, lun_status s)
{
    lun_item *item = q->running;
    const bool drops = q->trouble.status != LUN_OK || q->stopping || q->ends;
    if (s != LUN_OK && !drops)
        lun__queue_item_keep_failure(q->own, s, &q->trouble);
    item->dropped = drops || s != LUN_OK;
    if (item->kind == LUN_ITEM_RECORD) {
        item->event->done = true;
        item->event->dropped = item->dropped;
    }
    add_counters(&q->owed, &q->own->stats, &q->known);
    q->known = q->own->stats;
    *(q->ended ? &q->ended_last->next : &q->ended) = item;
    q->ended_last = item;
    q->running = NULL;
    q->waiting--;
    pthread_cond_broadcast(&q->e->queues->changed);
}

static void *work(void *self)
{
    lun_queue *q = self;
    pthread_mutex_lock(&q->e->queues->lock);
    while (q->first || !q->ends) {
        if (!q->first) {
            pthread_cond_wait(&q->given, &q->e->queues->lock);
            continue;
        }
        const lun_item *item = take(q);
        const bool drops = q->trouble.status != LUN_OK || q->stopping || q->ends;
        end(q, drops ? LUN_OK : run(q, item));
    }
    pthread_mutex_unlock(&q->e->queues->lock);
    return NULL;
}

/* ---- its engine ------------------------------------------------------------------------------ */

/* A backend for the engine's start that needs no device. */
static const char *start_with(const lun_queue *q)
{
    const lun_engine *e = q->e;
    if (!q->at->backend->buffer_new)
        return q->at->name;
    for (int i = 0; i < e->backend_count; i++)
        if (e->backends[i]->state && !e->backends[i]->backend->buffer_new)
            return e->backends[i]->name;
    return e->services.native ? e->services.native->name : ""; /* nothing of the environment */
}

static lun_status open_engine(lun_queue *q)
{
    const lun_engine *e = q->e;
    lun_config c = {.size = sizeof c,
                    .backend = start_with(q),
                    .threads = e->services.threads,
                    .jit = (lun_jit)e->jit,
                    .memory_limit = e->account->limit,
                    .cache_dir = e->cache_dir,
                    .sandbox = e->sandbox,
                    .kernels = e->config.kernels,
                    .kernel_memory = e->config.kernel_memory,
                    .cache_size = e->config.cache_size};
    lun_backend_slot *at;
    lun_status s = lun__engine_open_worker(&c, q->e, &q->own);
    if (s != LUN_OK) {
        q->own = NULL;
        return lun__fail(q->e, s, "a queue has no engine: %s", lun_error(NULL));
    }
    lun__account_join(e->account, q->own->account);
    q->own->account = q->own->services.account = e->account;
    lun__pool_join(q->own->pool, e->account);
    q->own->services.bind = e->services.bind;
    q->own->stretch = 1; /* it is stopped by the queue, and goes on when the queue says */
    s = lun__user_buffer_slot(q->own, q->at, &at);
    if (s == LUN_OK)
        return LUN_OK;
    return lun__fail_text(q->e, s, lun__fail_error_text(q->own));
}

lun_status lun__worker_open(lun_queue *q)
{
    lun_status s = open_engine(q);
    if (s == LUN_OK) {
        q->process = getpid();
        q->known = q->own->stats;
        lun__thread_condition(&q->given);
        if (lun__thread_start(&q->thread, work, q))
            return LUN_OK;
        pthread_cond_destroy(&q->given);
        s = lun__fail(q->e, LUN_ELIMIT, "no thread for another queue");
    }
    lun_close(q->own);
    q->own = NULL;
    return s;
}

void lun__worker_stop(lun_queue *q)
{
    if (!q->waiting || q->process != getpid())
        return;
    q->stopping = true;
    lun_cancel(q->own);
    pthread_cond_broadcast(&q->e->queues->changed);
    while (q->waiting)
        pthread_cond_wait(&q->e->queues->changed, &q->e->queues->lock);
    q->stopping = false;
    __atomic_store_n(&q->own->cancel, LUN_STOP_NONE, __ATOMIC_RELAXED);
}

void lun__worker_ask(lun_queue *q)
{
    if (!q->own || q->process != getpid())
        return;
    pthread_mutex_lock(&q->e->queues->lock);
    q->ends = true;
    lun_cancel(q->own);
    pthread_cond_broadcast(&q->e->queues->changed);
    pthread_cond_signal(&q->given);
    pthread_mutex_unlock(&q->e->queues->lock);
}

void lun__worker_close(lun_queue *q)
{
    lun__worker_ask(q);
    if (!q->own || q->process != getpid())
        return;
    pthread_join(q->thread, NULL);
    pthread_cond_destroy(&q->given);
    lun_close(q->own);
    q->own = NULL;
}
