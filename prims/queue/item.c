/* item.c - what a queue does, one item at a time, and what became of it; see queue.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lunarray_bind.h"
#include "queue/queue.h"

/* The device has done all that it was given. */
static lun_status finish(const lun_backend_slot *at)
{
    return at->backend->finish ? at->backend->finish(at->state) : LUN_OK;
}

static lun_status run(lun_engine *e, lun_backend_slot *at, const lun_item *item)
{
    if (item->kind == LUN_ITEM_TASK)
        return lun__task_run(e, item->task);
    if (item->kind == LUN_ITEM_COPY)
        return lun__copy_run(e, &item->copy);
    if (item->kind == LUN_ITEM_EVALUATE)
        return lun__away_run(e, at, item->away);
    return LUN_OK;
}

lun_status lun__item_run(lun_engine *e, lun_backend_slot *at, const lun_item *item)
{
    const lun_place_alone before = lun__alone_begin(e, at);
    const int math = e->math;
    e->math = e->services.math = item->math;
    lun_host_begin(e);
    lun_status s = run(e, at, item);
    if (s == LUN_OK)
        s = finish(at);
    lun_host_end(e);
    lun__alone_end(e, before);
    e->math = e->services.math = math;
    return s == LUN_ENOMEM && !e->error.length ? lun__nomem(e) : s;
}

void lun__event_unref(lun_event *ev)
{
    if (ev && !--ev->refs)
        free(ev);
}

void lun__item_free(lun_engine *e, lun_item *item)
{
    lun_task_release(item->task);
    lun__copy_close(e, &item->copy);
    lun__away_free(e, item->away);
    lun__event_unref(item->event);
    free(item);
}

void lun__trouble_keep(const lun_engine *e, lun_status s, lun_trouble *out)
{
    out->status = s;
    free(out->text);
    out->text = strdup(lun_error(e));
    snprintf(out->where, sizeof out->where, "%s", lun_error_where(e));
}

lun_status lun__trouble_tell(lun_engine *e, lun_trouble *t)
{
    const lun_status s = t->status;
    if (s == LUN_OK)
        return LUN_OK;
    if (t->text && *t->text)
        lun__fail(e, s, "%s", t->text);
    else
        lun__nomem(e);
    snprintf(e->error_place, sizeof e->error_place, "%s", t->where);
    e->error_where = e->error_place[0] ? e->error_place : NULL;
    free(t->text);
    *t = (lun_trouble){.status = LUN_OK};
    return s;
}
