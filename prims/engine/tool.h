/* tool.h - tools that watch an engine: whom it calls where work begins and ends.  Private to
 * prims/. */
#ifndef LUN_TOOL_H
#define LUN_TOOL_H

#include <pthread.h>
#include <stdbool.h>

#include "lunarray.h"

/* Invariant: `lock`, which a thread may take again, is held while a tool is called and while what
 * is here changes; `count` alone is read without it, atomically.  A tool that calls the engine is
 * not called for what that does. */
typedef struct lun_tools {
    pthread_mutex_t lock;
    int count, room;
    lun_tool *at;
    bool calling;
    int depth; /* regions that are open; */
    int named; /* of these, those whose names are kept: open since there is a tool */
    int region_room;
    struct lun_tool_region {
        char *name;
        int depth;
    } * regions;
} lun_tools;

/* NULL: no memory. */
lun_tools *lun__tools_open(void);
/* All tools go, and are told so.  NULL is allowed, as below. */
void lun__tools_end(lun_tools *t);
void lun__tools_close(lun_tools *t);
/* Whether there is a tool; where there is none nothing is to be called for. */
static inline bool lun__tools_watch(const lun_tools *t)
{
    return __atomic_load_n(&t->count, __ATOMIC_RELAXED) != 0;
}
/* Calls them.  What the event does not say becomes "" and the time now.  From any thread. */
void lun__tools_call(lun_tools *t, bool begins, lun_tool_event *ev);
/* The same with the tools as ctx, for lun_services. */
void lun__tools_event(void *tools, bool begins, lun_tool_event *ev);

#endif
