/* tool.c - see tool.h; and the regions that a script or a host names. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* PTHREAD_MUTEX_RECURSIVE */
#endif
#include "engine/tool.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/sized.h"
#include "engine/state.h"
#include "lunarray_bind.h"

lun_tools *lun__tools_open(void)
{
    lun_tools *t = calloc(1, sizeof *t);
    pthread_mutexattr_t again;
    if (!t)
        return NULL;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&t->lock, &again);
    pthread_mutexattr_destroy(&again);
    return t;
}

/* Tool k goes; it is told so. */
static void drop(lun_tools *t, int k)
{
    const lun_tool gone = t->at[k];
    const int left = t->count - 1;
    memmove(t->at + k, t->at + k + 1, (size_t)(left - k) * sizeof *t->at);
    __atomic_store_n(&t->count, left, __ATOMIC_RELAXED);
    if (gone.close)
        gone.close(gone.ctx);
}

void lun__tools_end(lun_tools *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    while (t->count)
        drop(t, t->count - 1);
    pthread_mutex_unlock(&t->lock);
}

void lun__tools_close(lun_tools *t)
{
    if (!t)
        return;
    lun__tools_end(t);
    for (int i = 0; i < t->named; i++)
        free(t->regions[i].name);
    free(t->regions);
    free(t->at);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* Whole, for all tools. */
static void complete(lun_tool_event *ev)
{
    ev->size = sizeof *ev;
    ev->name = ev->name ? ev->name : "";
    ev->label = ev->label ? ev->label : "";
    ev->place = ev->place ? ev->place : "";
    ev->where = ev->where ? ev->where : "";
    if (ev->time == 0)
        ev->time = lun__clock_now();
}

void lun__tools_call(lun_tools *t, bool begins, lun_tool_event *ev)
{
    if (!lun__tools_watch(t))
        return;
    pthread_mutex_lock(&t->lock);
    if (!t->calling) {
        complete(ev);
        t->calling = true;
        for (int k = 0; k < t->count; k++) {
            const lun_tool_calls *on = &t->at[k].on[ev->kind];
            void (*call)(void *ctx, const lun_tool_event *ev) = begins ? on->begin : on->end;
            if (call)
                call(t->at[k].ctx, ev);
        }
        t->calling = false;
    }
    pthread_mutex_unlock(&t->lock);
}

void lun__tools_event(void *tools, bool begins, lun_tool_event *ev)
{
    lun__tools_call(tools, begins, ev);
}

/* ---- the list -------------------------------------------------------------------------------- */

lun_status lun_tool_add(lun_engine *e, const lun_tool *tool)
{
    LUN_NEED(e, tool && tool->size >= offsetof(lun_tool, on));
    lun_tools *t = e->tools;
    lun_tool own = {.size = 0};
    lun_status s = LUN_OK;
    lun__sized_take(&own, tool, sizeof own);
    own.size = sizeof own;
    pthread_mutex_lock(&t->lock);
    if (t->calling)
        s = lun__fail(e, LUN_EARG, "a tool is being called: it cannot add one");
    else if (!lun__grow(&t->at, t->count, &t->room, sizeof *t->at))
        s = lun__fail_nomem(e);
    if (s == LUN_OK) {
        t->at[t->count] = own;
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&t->lock);
    return s;
}

lun_status lun_tool_remove(lun_engine *e, const void *ctx)
{
    LUN_NEED(e, true);
    lun_tools *t = e->tools;
    lun_status s = LUN_EARG;
    pthread_mutex_lock(&t->lock);
    if (t->calling) {
        s = lun__fail(e, LUN_EARG, "a tool is being called: it cannot remove one");
    } else {
        for (int k = t->count - 1; k >= 0; k--)
            if (t->at[k].ctx == ctx) {
                drop(t, k);
                s = LUN_OK;
            }
        if (s != LUN_OK)
            s = lun__fail(e, s, "there is no tool with that ctx");
    }
    pthread_mutex_unlock(&t->lock);
    return s;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* The innermost region's beginning or end. */
static void call_region(lun_engine *e, bool begins, const char *name)
{
    lun_tool_event ev = {
        .kind = LUN_TOOL_REGION, .name = name, .where = lun__source_mark_text(e, e->source_line)};
    lun__tools_call(e->tools, begins, &ev);
}

lun_status lun_region_begin(lun_engine *e, const char *name)
{
    LUN_NEED(e, name);
    lun_tools *t = e->tools;
    lun_status s = LUN_OK;
    pthread_mutex_lock(&t->lock);
    t->depth++;
    if (t->count) {
        char *own = strdup(name);
        if (own && lun__grow(&t->regions, t->named, &t->region_room, sizeof *t->regions)) {
            t->regions[t->named++] = (struct lun_tool_region){own, t->depth};
            call_region(e, true, own);
        } else {
            free(own);
            t->depth--;
            s = lun__fail_nomem(e);
        }
    }
    pthread_mutex_unlock(&t->lock);
    return s;
}

lun_status lun_region_end(lun_engine *e)
{
    LUN_NEED(e, true);
    lun_tools *t = e->tools;
    lun_status s = LUN_OK;
    pthread_mutex_lock(&t->lock);
    if (!t->depth) {
        s = lun__fail(e, LUN_EARG, "no region is open");
    } else if (t->depth-- && t->named && t->regions[t->named - 1].depth > t->depth) {
        char *name = t->regions[--t->named].name;
        call_region(e, false, name);
        free(name);
    }
    pthread_mutex_unlock(&t->lock);
    return s;
}

/* ---- what a binding does --------------------------------------------------------------------- */

void lun_host_event(lun_engine *e, bool begins, lun_tool_kind kind, const char *name,
                    const char *label)
{
    LUN_NEED_OR(e, );
    lun_tool_event ev = {.kind = kind,
                         .name = name,
                         .label = label,
                         .where = lun__source_mark_text(e, e->source_line)};
    if ((unsigned)kind < LUN_TOOL_KINDS)
        lun__tools_call(e->tools, begins, &ev);
}

const int *lun_host_watched(const lun_engine *e)
{
    static const int none;
    return e ? &e->tools->count : &none;
}
