/* queue_item.c - what a queue does, one item at a time, and what became of it; see queue.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "lunarray_bind.h"
#include "queue/queue.h"

static lun_status run(lun_engine *e, lun_backend_slot *at, const lun_item *item)
{
    if (item->kind == LUN_ITEM_TASK)
        return lun__task_run(e, item->task);
    if (item->kind == LUN_ITEM_COPY)
        return lun__queue_copy_run(e, &item->copy);
    if (item->kind == LUN_ITEM_EVALUATE)
        return lun__evaluate_detached(e, at, item->away);
    return LUN_OK;
}

/* The same, and what it has cost.  Kernels have no rows of their own then. */
static lun_status run_counted(lun_engine *e, lun_backend_slot *at, const lun_item *item)
{
    lun_profile_work *w = item->cost;
    const bool profiling = e->profiling;
    const double start = lun__clock_now();
    w->before = e->stats;
    e->profiling = false;
    lun_status s = run(e, at, item);
    if (s == LUN_OK)
        s = lun__backend_finish(at);
    e->profiling = profiling;
    w->after = e->stats;
    w->seconds = lun__clock_now() - start;
    return s;
}

/* Tools see the item. */
static void event(lun_engine *e, bool begins, const lun_backend_slot *at, const lun_item *item)
{
    static const char *const names[] = {[LUN_ITEM_TASK] = "task",
                                        [LUN_ITEM_COPY] = "copy",
                                        [LUN_ITEM_EVALUATE] = "evaluate",
                                        [LUN_ITEM_RECORD] = "event",
                                        [LUN_ITEM_AFTER] = "wait"};
    lun_tool_event ev = {
        .kind = LUN_TOOL_TASK, .name = names[item->kind], .place = at->name, .where = item->line};
    lun__tools_call(e->tools, begins, &ev);
}

lun_status lun__queue_item_run(lun_engine *e, lun_backend_slot *at, const lun_item *item)
{
    const lun_alone before = lun__user_buffer_alone_begin(e, at);
    const int math = e->math;
    const unsigned overridden = e->overridden;
    e->math = e->services.math = item->math;
    e->overridden = item->overridden;
    lun_host_begin(e);
    event(e, true, at, item);
    lun_status s = item->cost ? run_counted(e, at, item) : run(e, at, item);
    if (s == LUN_OK)
        s = lun__backend_finish(at);
    event(e, false, at, item);
    lun_host_end(e);
    lun__user_buffer_alone_end(e, before);
    e->math = e->services.math = math;
    e->overridden = overridden;
    return s == LUN_ENOMEM && !e->error.length ? lun__fail_nomem(e) : s;
}

void lun__queue_item_unref(lun_engine *e, lun_event *ev)
{
    if (ev && !--ev->refs)
        lun__account_object_free(e->account, ev);
}

static const char *side_name(const lun_copy_operand *p)
{
    return p->memory ? p->memory->device : "an array";
}

void lun__queue_item_profile(lun_engine *e, const lun_item *item)
{
    char what[80];
    lun_profile_work *w = item->cost;
    if (!w || !e->profiling)
        return;
    w->where = item->where;
    if (item->kind == LUN_ITEM_TASK) {
        w->name = "task";
        w->body = item->task->function.body;
        w->elements = item->task->run.teams * item->task->run.threads;
    } else if (item->kind == LUN_ITEM_COPY) {
        snprintf(what, sizeof what, "%s to %s", side_name(&item->copy.from),
                 side_name(&item->copy.to));
        w->name = "copy";
        w->what = what;
        w->elements = lun__layout_count(&item->copy.to.at);
        w->after.bytes_read += w->elements * lun__dtype_get(item->copy.dtype)->bytes;
        w->after.bytes_written += w->elements * lun__dtype_get(item->copy.dtype)->bytes;
    } else {
        w->name = "evaluate";
        w->elements = lun__detached_elements(item->away);
    }
    lun__profile_queued(e, w);
}

void lun__queue_item_free(lun_engine *e, lun_item *item)
{
    lun_task_release(item->task);
    lun__queue_copy_close(e, &item->copy);
    lun__detached_free(e, item->away);
    lun__queue_item_unref(e, item->event);
    free(item->cost);
    lun__account_object_free(e->account, item);
}

void lun__queue_item_keep_failure(const lun_engine *e, lun_status s, lun_trouble *out)
{
    out->status = s;
    free(out->text);
    out->text = strdup(lun__fail_error_text(e));
    snprintf(out->where, sizeof out->where, "%s", lun_error_where(e));
}

lun_status lun__queue_item_report(lun_engine *e, lun_trouble *t)
{
    const lun_status s = t->status;
    if (s == LUN_OK)
        return LUN_OK;
    if (t->text && *t->text)
        lun__fail_text(e, s, t->text);
    else
        lun__fail_nomem(e);
    snprintf(e->error_line, sizeof e->error_line, "%s", t->where);
    e->error_where = e->error_line[0] ? e->error_line : NULL;
    free(t->text);
    *t = (lun_trouble){.status = LUN_OK};
    return s;
}
