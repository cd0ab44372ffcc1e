/* A tool: the time of a script by its regions, as a tree on standard error. Built and used so:
 *     cc -shared -fPIC -o regions.so regions.c $(pkg-config --cflags lunarray)
 *     LUNARRAY_TOOL=./regions.so lunarray script.lua
 * A line for each region: how often it ran, its seconds, the kernels and algorithms in it. */
#include <lunarray.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct region {
    struct region *above, *first, *next;
    char name[64];
    long times, runs;
    double began, seconds;
} region;

static void begin(void *ctx, const lun_tool_event *ev)
{
    region **now = ctx, **at = &(*now)->first;
    while (*at && strcmp((*at)->name, ev->name) != 0)
        at = &(*at)->next;
    if (!*at && !(*at = calloc(1, sizeof **at)))
        abort();
    snprintf((*at)->name, sizeof(*at)->name, "%s", ev->name);
    (*at)->above = *now;
    (*at)->began = ev->time;
    *now = *at;
}

static void end(void *ctx, const lun_tool_event *ev)
{
    region **now = ctx, *r = *now;
    r->times++;
    r->seconds += ev->time - r->began;
    *now = r->above ? r->above : r; /* one without began before the tool */
}

static void count(void *ctx, const lun_tool_event *ev)
{
    for (region *r = *(region **)ctx; ev && r; r = r->above)
        r->runs++;
}

static void print(const region *r, int depth)
{
    for (; r; r = r->next) {
        fprintf(stderr, "%*s%s: %ld x, %.6f s, %ld runs\n", 2 * depth, "", r->name, r->times,
                r->seconds, r->runs);
        print(r->first, depth + 1);
    }
}

static void finish(void *ctx)
{
    region *all = *(region **)ctx;
    while (all->above)
        all = all->above;
    fprintf(stderr, "all: %ld runs\n", all->runs);
    print(all->first, 1);
}

bool lunarray_tool(lun_engine *e, lun_tool *out)
{
    static region all, *now = &all;
    out->ctx = &now;
    out->close = finish;
    out->on[LUN_TOOL_REGION] = (lun_tool_calls){begin, end};
    out->on[LUN_TOOL_KERNEL].end = out->on[LUN_TOOL_ALGORITHM].end = count;
    return e != NULL;
}
