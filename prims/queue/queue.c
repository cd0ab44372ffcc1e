/* queue.c - queues as their user sees them: how they are opened, what is given to them; see
 * queue.h. */
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "lunarray_bind.h"
#include "queue/queue.h"

enum {
    MOST_WORKERS = 64,
    MOST_WAITING = 4096 /* items; then giving another one waits */
};

/* ---- giving ---------------------------------------------------------------------------------- */

/* Waits for what is to give this array, or a window of it, elements, so that a copy comes after. */
static lun_status settle(lun_engine *e, lun_array *a)
{
    lun_status s = LUN_OK;
    for (lun_queue *q = a ? e->queues->queues : NULL; q && s == LUN_OK; q = q->next) {
        lun_array *base = lun__array_base(a);
        bool fills = false;
        pthread_mutex_lock(&e->queues->lock);
        const lun_item *lists[] = {q->ended, q->running, q->first};
        for (int k = 0; k < 3; k++)
            for (const lun_item *i = lists[k]; i; i = k == 1 ? NULL : i->next)
                fills |= (i->copy.array && lun__array_base(i->copy.array) == base) ||
                         lun__detached_is(i->away, base->node);
        pthread_mutex_unlock(&e->queues->lock);
        if (!fills)
            continue;
        s = lun__wait_queue(q, NULL);
        if (s == LUN_OK)
            s = lun__wait_let_go(q, NULL, true);
    }
    return s;
}

static lun_status new_item(lun_queue *q, lun_item_kind kind, lun_item **out)
{
    lun_item *item = lun__account_object_new(q->e->account, sizeof *item);
    if (!item)
        return lun__fail_nomem(q->e);
    item->kind = kind;
    item->math = q->e->math;
    item->overridden = q->e->overridden;
    item->where = q->e->source_line;
    item->line = lun__source_mark_text(q->e, item->where);
    item->deadline = q->e->deadline;
    if (q->e->profiling &&
        (kind == LUN_ITEM_TASK || kind == LUN_ITEM_COPY || kind == LUN_ITEM_EVALUATE))
        item->cost = calloc(1, sizeof *item->cost); /* without memory it is not counted */
    *out = item;
    return LUN_OK;
}

/* Waits until the queue has room for another item. */
static lun_status make_room(lun_queue *q)
{
    lun_queues *all = q->e->queues;
    lun_status s = lun__wait_usable(q);
    lun_host_begin(q->e);
    pthread_mutex_lock(&all->lock);
    while (s == LUN_OK && q->waiting >= MOST_WAITING)
        s = lun__wait_look(q->e);
    pthread_mutex_unlock(&all->lock);
    lun_host_end(q->e);
    return s;
}

/* Done at once by the user's engine. */
static lun_status do_now(lun_queue *q, lun_item *item)
{
    lun_status s = lun__queue_item_run(q->e, q->at, item);
    if (item->event) {
        item->event->done = true;
        item->event->dropped = s != LUN_OK;
    }
    if (s == LUN_OK) {
        lun__queue_item_profile(q->e, item);
        s = lun__queue_copy_land(q->e, &item->copy);
    }
    lun__queue_item_free(q->e, item);
    return s;
}

static lun_status give(lun_queue *q, lun_item *item)
{
    lun_queues *all = q->e->queues;
    if (!q->async)
        return do_now(q, item);
    lun_status s = make_room(q);
    if (s != LUN_OK) {
        lun__queue_item_free(q->e, item);
        return s;
    }
    pthread_mutex_lock(&all->lock);
    *(q->last ? &q->last->next : &q->first) = item;
    q->last = item;
    q->waiting++;
    pthread_cond_signal(&q->given);
    pthread_mutex_unlock(&all->lock);
    return lun__wait_let_go(q, NULL, false);
}

/* Whether the queue's kernels can use the memory. */
static lun_status check_location(const lun_queue *q, const lun_task *t)
{
    const lun_backend_slot *own = q->at->backend->buffer_new ? q->at : NULL;
    for (int k = 0; k < t->arrays; k++) {
        const lun_task_array *a = &t->array[k];
        if (!a->memory)
            continue;
        lun_status s = lun__user_buffer_usable(q->e, a->memory, "argument", a->number);
        if (s != LUN_OK)
            return s;
        if (a->memory->at != own)
            return lun__fail(q->e, LUN_EARG,
                             "argument " LUN_NTH
                             " of the task is a buffer of %s, and the queue is on %s: "
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
    lun__wait_sweep(q->e);
    lun_status s = check_location(q, t);
    if (s == LUN_OK)
        s = new_item(q, LUN_ITEM_TASK, &item);
    if (s != LUN_OK)
        return s;
    item->task = t;
    item->where = t->where;
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
    lun__wait_sweep(q->e);
    lun_copy_side sides[2] = {{.size = sizeof *sides}, {.size = sizeof *sides}};
    lun__sized_take(&sides[0], to, sizeof *sides);
    lun__sized_take(&sides[1], from, sizeof *sides);
    lun_status s = settle(q->e, sides[1].array);
    if (s == LUN_OK)
        s = settle(q->e, sides[0].array);
    if (s == LUN_OK)
        s = new_item(q, LUN_ITEM_COPY, &item);
    if (s != LUN_OK)
        return s;
    s = lun__queue_copy_open(q->e, &sides[0], &sides[1], extents, &item->copy);
    if (s == LUN_OK)
        return give(q, item);
    lun__queue_item_free(q->e, item);
    return s;
}

/* At once, by the user's engine. */
static lun_status evaluate_now(lun_queue *q, lun_array *a)
{
    const lun_alone before = lun__user_buffer_alone_begin(q->e, q->at);
    lun_status s = lun_eval(q->e, &a, 1);
    lun__user_buffer_alone_end(q->e, before);
    return s;
}

lun_status lun_queue_evaluate(lun_queue *q, lun_array *a)
{
    lun_item *item = NULL;
    lun_node *n;
    if (!q)
        return LUN_EARG;
    lun_engine *e = q->e;
    LUN_NEED(e, a);
    lun__wait_sweep(e);
    lun_status s = lun__array_usable(e, a);
    if (s != LUN_OK || !q->async)
        return s == LUN_OK ? evaluate_now(q, a) : s;
    s = lun__array_root(e, a, &n);
    if (s != LUN_OK)
        return s;
    if (!lun__node_ready(n))
        s = new_item(q, LUN_ITEM_EVALUATE, &item);
    if (item)
        s = lun__detached_take(e, q->at, n, &item->away);
    lun__node_release(e, n);
    if (item && s == LUN_OK)
        return give(q, item);
    if (item)
        lun__queue_item_free(e, item);
    return s;
}

lun_status lun_queue_record(lun_queue *q, lun_event **out)
{
    lun_item *item = NULL;
    if (!q)
        return LUN_EARG;
    LUN_NEED(q->e, out);
    lun_event *ev = lun__account_object_new(q->e->account, sizeof *ev);
    lun_status s = ev ? new_item(q, LUN_ITEM_RECORD, &item) : lun__fail_nomem(q->e);
    if (s != LUN_OK) {
        lun__account_object_free(q->e->account, ev);
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
        return lun__wait_queue(ev->queue, ev);
    lun_status s = new_item(q, LUN_ITEM_AFTER, &item);
    if (s != LUN_OK)
        return s;
    item->event = ev;
    ev->refs++;
    return give(q, item);
}

/* ---- a queue --------------------------------------------------------------------------------- */

static lun_status open_queue(lun_queue *q, const char *device)
{
    lun_engine *e = q->e;
    lun_status s = lun__user_buffer_location(e, device, &q->at);
    if (s == LUN_OK && !q->at)
        return lun__fail(e, LUN_EARG,
                         "'host' is memory, and computes nothing: a queue is on a backend or a "
                         "device, such as openmp or opencl:1");
    if (s != LUN_OK || !q->async)
        return s;
    if (q->at->backend->remote)
        return lun__fail(e, LUN_EARG,
                         "a queue on %s cannot be asynchronous: only the script's own thread can "
                         "reach that place; leave out async = true",
                         q->at->name);
    s = lun__backend_finish(q->at); /* there are buffers that a state beside can share */
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
    lun_queue_options how = {.size = sizeof how};
    if (options)
        lun__sized_take(&how, options, sizeof how);
    lun_queues *all = lun__user_buffer_queues(e);
    if (!all)
        return lun__fail_nomem(e);
    lun__wait_sweep(e);
    lun_queue *q = lun__account_object_new(e->account, sizeof *q);
    if (!q)
        return lun__fail_nomem(e);
    *q = (lun_queue){.outside = 1, .e = e, .async = how.async, .limit = e->config.time_limit};
    lun_status s = open_queue(q, device);
    if (s != LUN_OK) {
        lun__account_object_free(e->account, q);
        return s;
    }
    q->link = q->async ? &all->queues : &all->plain;
    q->next = *q->link;
    if (q->next)
        q->next->link = &q->next;
    *q->link = q;
    all->end_queues = lun__wait_end_all;
    *out = q;
    return LUN_OK;
}

static void release(void *object)
{
    lun_queue *q = object;
    q->outside--;
    if (q->async)
        lun__wait_sweep(q->e);
    else
        lun__wait_end_plain(q);
}

void lun_queue_free(lun_queue *q)
{
    if (!q)
        return;
    LUN_RELEASES(q->e, &q->later, release, q);
    release(q);
}

const char *lun_queue_device(const lun_queue *q)
{
    return q ? q->at->name : "";
}
