/* trace.h - what trace.c collects and trace_json.c writes.  Private to prims/trace. */
#ifndef LUN_TRACE_H
#define LUN_TRACE_H

#include "base/replacing_file.h"
#include "engine/state.h"

/* Events of a lane that are kept: the last ones. */
enum { LUN_TRACE_MOST = 1 << 20, LUN_TRACE_DEPTH = 128 };

/* A slice; texts by number.  end < 0: it has not ended. */
typedef struct lun_trace_slice {
    double begin, end;
    int64_t elements, bytes;
    uint32_t name, label, place, where;
    int32_t operations;
    uint8_t kind;
    bool interpreted;
} lun_trace_slice;

/* What is done one after the other: a thread, or what works beside threads. */
typedef struct lun_trace_lane {
    uint64_t thread;   /* 0: it is none, */
    uint64_t id;       /* but the one of this number that has */
    const char *track; /* this name; NULL: a thread */
    char name[64];
    lun_trace_slice *at; /* a ring once it is full: slice number i is at[i % room] */
    int64_t count, room; /* of all so far */
    int64_t lost;        /* without memory, or too deep */
    int depth, deeper;   /* deeper: open ones beyond that, which are not kept */
    lun_trace_slice open[LUN_TRACE_DEPTH]; /* the innermost last */
} lun_trace_lane;

/* Invariant: only under the tools' lock.  Text number i is text[i]; hashed[] has i + 1 at its hash
 * or behind, with room for twice as many. */
typedef struct lun_tracing {
    lun_engine *e;
    char *path;
    double start; /* of the clock */
    lun_trace_lane **lanes;
    int lane_count, lane_room;
    char **text;
    int text_count, text_room;
    uint32_t *hashed, hashed_room;
} lun_tracing;

/* Writes all of it; 0 or an errno. */
int lun__trace_json(const lun_tracing *t, int rank, const char *path);

#endif
