/* trace.c - lun_trace: a tool that keeps what begins and ends, by thread, until it is written.
 * Knows no node.
 *
 * An end closes the innermost slice of its kind; what was opened in it and not ended ends with it.
 * An end without a beginning is of something that began before the trace. */
#include "trace/trace.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"

/* ---- texts ----------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *text)
{
    uint32_t h = 0x811c9dc5u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 0x01000193u;
    return h;
}

/* Twice the room for hashes. */
static bool widen(lun_tracing *t)
{
    const uint32_t room = t->hashed_room ? 2 * t->hashed_room : 256;
    uint32_t *hashed = calloc(room, sizeof *hashed);
    if (!hashed)
        return false;
    for (int i = 0; i < t->text_count; i++) {
        uint32_t k = hash_of(t->text[i]) & (room - 1);
        while (hashed[k])
            k = (k + 1) & (room - 1);
        hashed[k] = (uint32_t)i + 1;
    }
    free(t->hashed);
    t->hashed = hashed;
    t->hashed_room = room;
    return true;
}

/* The number of a text; without memory 0, which is that of "". */
static uint32_t number_of(lun_tracing *t, const char *text)
{
    if (!*text && t->text_count)
        return 0;
    if (2 * (uint32_t)t->text_count >= t->hashed_room && !widen(t))
        return 0;
    uint32_t k = hash_of(text) & (t->hashed_room - 1);
    for (; t->hashed[k]; k = (k + 1) & (t->hashed_room - 1))
        if (!strcmp(t->text[t->hashed[k] - 1], text))
            return t->hashed[k] - 1;
    char *own =
        lun__grow(&t->text, t->text_count, &t->text_room, sizeof *t->text) ? strdup(text) : NULL;
    if (!own)
        return 0;
    t->text[t->text_count++] = own;
    t->hashed[k] = (uint32_t)t->text_count;
    return (uint32_t)t->text_count - 1;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void name_lane(const lun_tracing *t, lun_trace_lane *x, const lun_tool_event *ev)
{
    int same = 1;
    for (int i = 0; i < t->lane_count; i++)
        same += x->track && t->lanes[i]->track && !strcmp(t->lanes[i]->track, x->track);
    if (x->track && same == 1)
        snprintf(x->name, sizeof x->name, "%s", x->track);
    else if (x->track)
        snprintf(x->name, sizeof x->name, "%s %d", x->track, same);
    else if (ev->kind == LUN_TOOL_TASK)
        snprintf(x->name, sizeof x->name, "queue on %s", ev->place);
    else
        snprintf(x->name, sizeof x->name, "thread %d", t->lane_count + 1);
}

/* NULL: no memory. */
static lun_trace_lane *lane_of(lun_tracing *t, const lun_tool_event *ev)
{
    const uint64_t thread = ev->track ? 0 : (uint64_t)pthread_self();
    const uint64_t id = ev->track ? ev->id : 0;
    for (int i = 0; i < t->lane_count; i++)
        if (t->lanes[i]->thread == thread && t->lanes[i]->id == id)
            return t->lanes[i];
    lun_trace_lane *x = calloc(1, sizeof *x);
    if (!x || !lun__grow(&t->lanes, t->lane_count, &t->lane_room, sizeof(lun_trace_lane *))) {
        free(x);
        return NULL;
    }
    x->thread = thread;
    x->id = id;
    x->track = ev->track ? "compiler" : NULL;
    name_lane(t, x, ev);
    t->lanes[t->lane_count++] = x;
    return x;
}

/* A slice that has ended; of more than LUN_TRACE_MOST the oldest goes. */
static void keep(lun_trace_lane *x, const lun_trace_slice *s)
{
    if (x->count >= x->room && x->room < LUN_TRACE_MOST) {
        const int64_t room = x->room ? 2 * x->room : 256;
        lun_trace_slice *at = realloc(x->at, (size_t)room * sizeof *at);
        if (!at) {
            x->lost++;
            return;
        }
        x->at = at;
        x->room = room;
    }
    x->at[x->count++ % x->room] = *s;
}

/* The number of a label, of which the beginning is enough. */
static uint32_t number_of_label(lun_tracing *t, const char *text)
{
    enum { LONGEST = 256 };
    char some[LONGEST + 4];
    if (strlen(text) <= LONGEST)
        return number_of(t, text);
    snprintf(some, sizeof some, "%.*s...", LONGEST, text);
    return number_of(t, some);
}

static void begin(void *trace, const lun_tool_event *ev)
{
    lun_tracing *t = trace;
    lun_trace_lane *x = lane_of(t, ev);
    if (!x)
        return;
    if (x->depth == LUN_TRACE_DEPTH) {
        x->lost++;
        x->deeper++;
        return;
    }
    x->open[x->depth++] = (lun_trace_slice){.begin = ev->time,
                                            .name = number_of(t, ev->name),
                                            .label = number_of_label(t, ev->label),
                                            .place = number_of(t, ev->place),
                                            .where = number_of(t, ev->where),
                                            .kind = (uint8_t)ev->kind};
}

static void end(void *trace, const lun_tool_event *ev)
{
    lun_tracing *t = trace;
    lun_trace_lane *x = lane_of(t, ev);
    int k = x ? x->depth - 1 : -1;
    if (x && x->deeper) {
        x->deeper--;
        return;
    }
    while (k >= 0 && x->open[k].kind != (uint8_t)ev->kind)
        k--;
    for (int i = x ? x->depth - 1 : -1; k >= 0 && i >= k; i--) {
        lun_trace_slice *s = &x->open[i];
        s->end = ev->time;
        if (i == k) {
            s->elements = ev->elements;
            s->bytes = ev->bytes;
            s->operations = ev->operations;
            s->interpreted = ev->interpreted;
        }
        keep(x, s);
        x->depth = i;
    }
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void free_trace(lun_tracing *t)
{
    for (int i = 0; i < t->lane_count; i++) {
        free(t->lanes[i]->at);
        free(t->lanes[i]);
    }
    for (int i = 0; i < t->text_count; i++)
        free(t->text[i]);
    free(t->lanes);
    free(t->text);
    free(t->hashed);
    free(t->path);
    free(t);
}

/* What is open ends now. */
static void end_all(lun_tracing *t)
{
    const double now = lun__clock_now();
    for (int i = 0; i < t->lane_count; i++) {
        lun_trace_lane *x = t->lanes[i];
        while (x->depth) {
            lun_trace_slice *s = &x->open[--x->depth];
            s->end = now;
            keep(x, s);
        }
    }
}

/* The path, of rank r > 0 with "rankR" before its last extension; malloc'd. */
static char *path_of(const char *path, int rank)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    lun_strbuf text = LUN_STRBUF_INIT;
    const size_t length = strlen(path), stem = dot ? (size_t)(dot - path) : length;
    lun__strbuf_add(&text, path, rank ? stem : length);
    if (rank)
        lun__strbuf_printf(&text, ".rank%d%s", rank, path + stem);
    if (!text.failed)
        return text.text;
    lun__strbuf_free(&text);
    return NULL;
}

static int write_all(lun_tracing *t)
{
    const int rank = lun_spmd_mype(t->e);
    char *path = path_of(t->path, rank);
    if (!path)
        return ENOMEM;
    end_all(t);
    const int code = lun__trace_json(t, rank, path);
    free(path);
    return code;
}

static lun_status cannot_write(lun_engine *e, const char *path, int code)
{
    if (code == ENOMEM)
        return lun__fail_nomem(e);
    const lun_status s =
        lun__fail(e, LUN_EIO, "the trace cannot be written: %s: %s", path, strerror(code));
    errno = code; /* for bindings */
    return s;
}

/* The tool ends: by lun_trace, which has taken the trace away, or with the engine. */
static void close_tool(void *trace)
{
    lun_tracing *t = trace;
    lun_engine *e = t->e;
    if (e->trace != t)
        return;
    const int code = write_all(t);
    if (code && cannot_write(e, t->path, code) != LUN_OK)
        lun__log(&e->logger, LUN_LOG_WARN, "door", lun_error(e));
    e->trace = NULL;
    free_trace(t);
}

/* The path from the root, which stays where the working directory changes; malloc'd. */
static char *absolute(const char *path)
{
    char folder[PATH_MAX];
    lun_strbuf text = LUN_STRBUF_INIT;
    if (*path == '/' || !getcwd(folder, sizeof folder))
        return strdup(path);
    lun__strbuf_printf(&text, "%s/%s", folder, path);
    if (!text.failed)
        return text.text;
    lun__strbuf_free(&text);
    return NULL;
}

static lun_status start(lun_engine *e, const char *path)
{
    lun_replacing_file probe;
    if (e->trace)
        return lun__fail(e, LUN_EARG, "a trace is on already, into %s", e->trace->path);
    if (!*path)
        return lun__fail(e, LUN_EARG, "the path of a trace must not be empty");
    char *there = path_of(path, lun_spmd_mype(e)); /* ranks may be threads that try at once */
    if (!there)
        return lun__fail_nomem(e);
    lun__replacing_file_open(&probe, there);
    const int code = lun__replacing_file_end(&probe, false);
    free(there);
    if (code)
        return cannot_write(e, path, code);
    lun_tracing *t = calloc(1, sizeof *t);
    char *own = t ? absolute(path) : NULL;
    if (!own) {
        free(t);
        return lun__fail_nomem(e);
    }
    *t = (lun_tracing){.e = e, .path = own, .start = lun__clock_now()};
    lun_tool tool = {.size = sizeof tool, .ctx = t, .close = close_tool};
    for (int k = 0; k < LUN_TOOL_KINDS; k++)
        if (k != LUN_TOOL_ALLOCATION)
            tool.on[k] = (lun_tool_calls){begin, end};
    lun_trace_lane *first = lane_of(t, &(lun_tool_event){.size = sizeof(lun_tool_event)});
    if (first)
        snprintf(first->name, sizeof first->name, "script");
    lun_status s = first && number_of(t, "") == 0 && t->text_count ? lun_tool_add(e, &tool)
                                                                   : lun__fail_nomem(e);
    if (s == LUN_OK)
        e->trace = t;
    else
        free_trace(t);
    return s;
}

static lun_status stop(lun_engine *e)
{
    lun_tracing *t = e->trace;
    if (!t)
        return lun__fail(e, LUN_EARG, "no trace is on");
    e->trace = NULL;
    lun_status s = lun_tool_remove(e, t);
    if (s != LUN_OK) {
        e->trace = t;
        return s;
    }
    const int code = write_all(t);
    s = code ? cannot_write(e, t->path, code) : LUN_OK;
    free_trace(t);
    return s;
}

lun_status lun_trace(lun_engine *e, const char *path_or_NULL)
{
    LUN_NEED(e, true);
    return path_or_NULL ? start(e, path_or_NULL) : stop(e);
}
