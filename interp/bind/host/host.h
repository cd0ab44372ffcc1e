/* host.h - the engine of a lua_State, and boxes for arrays and functions. */
#ifndef LUN_BIND_HOST_H
#define LUN_BIND_HOST_H

#include <lauxlib.h>
#include <lua.h>

#include "bind/host/block_pool.h"
#include "lunarray_bind.h"

/* The kinds of userdata, each also the number of the host's user value that keeps its metatable.
 * From LUN__ERROR on other user values: the metatable of error objects, the C functions by their
 * text, the table of luaopen_lunarray_core, the metatable of results of lun.explain. */
typedef enum lun__kind {
    LUN__ARRAY = 1,
    LUN__FUNCTION,
    LUN__GROUPING,
    LUN__BUFFER,
    LUN__TASK,
    LUN__QUEUE,
    LUN__EVENT,
    LUN__BLOCKED, /* holds nothing: block/blocked.lua knows its elements */
    LUN__PLAN,
    LUN__SKELETON,
    LUN__OP,
    LUN__NA,
    LUN__COMPLEX,
    LUN__VARIANT,
    LUN__OFFSET, /* what is done with it is Lua's, as with a blocked array */
    LUN__KINDS,
    LUN__ERROR = LUN__KINDS,
    LUN__CACHE,
    LUN__CORE,
    LUN__PAGE,
    LUN__VALUES = LUN__PAGE
} lun__kind;

/* One reference into the engine. The host's table of them owns the references: all are released
 * before the engine closes, in any order of Lua's finalisers, and without them. */
typedef struct lun__held {
    union {
        lun_array *array;
        lun_function *function;
        lun_plan *plan;
        lun_grouping *grouping;
        lun_memory *buffer;
        lun_task *task;
        lun_queue *queue;
        lun_event *event;
    } as;                       /* NULL: freed, or not made yet */
    const struct lun__box *box; /* the userdata, while it lives */
    int32_t kind;
    int32_t next; /* in the list of unused entries, or of ended ones */
} lun__held;

/* One engine in one lua_State: a userdata that the registry keeps. */
typedef struct lun__host {
    lun_engine *engine;      /* NULL once ended */
    const int *watched;      /* not 0 while tools watch: then each call marks its line */
    bool owned;              /* opened here, so closed here */
    lun__held **held;        /* entries, in pages of LUN__HELD_PAGE: see lun__host_held_at */
    int32_t room, unused;    /* unused: the first entry to take, -1 if there is none */
    int32_t ended;           /* the first whose userdata has ended; -1: none */
    lun__recycler *recycler; /* reports their end; NULL: finalisers do */
    int64_t pressure;        /* bytes not reported to the collector yet */
    int64_t collected;       /* bytes of elements alive after the last full collection */
    uint64_t seed;           /* of the next random array without one */
    const char *math;        /* "fast" or "precise" */
    lua_State *waiting;      /* the thread of Lua that waits for other ranks (spmd.c) */
    bool plans;              /* evaluation is off, functions are still compiled (engine.c) */
} lun__host;

/* The head of each userdata of the binding. Size, host and kind identify it; its metatable does
 * not, which scripts can exchange. */
typedef struct lun__box {
    lun__host *host;
    int32_t slot; /* in held; LUN__OP: the operation; LUN__SKELETON: unused */
    int32_t kind; /* lun__kind */
} lun__box;

enum { LUN__HELD_PAGE = 64 };
/* Entry number slot of held.  Entries never move: a call of the engine that will fill one may first
 * run functions of the script, for waiting ranks and hosts, which take others. */
static inline lun__held *lun__host_held_at(const lun__host *h, int32_t slot)
{
    return &h->held[slot / LUN__HELD_PAGE][slot % LUN__HELD_PAGE];
}

/* The size of a userdata with an entry in held. It is odd because block_pool.c reads each block of
 * this size, and few other blocks of Lua have an odd one. */
enum { LUN__HELD_BYTES = sizeof(lun__box) + 1 };

/* Raises the error that the engine is closed. */
int lun__host_ended(lua_State *L);
/* Releases the references of entries whose userdata have ended. */
void lun__host_release_ended(lun__host *h);
/* Gives nodes built from now on the nearest source line that is not in the module's files. */
void lun__source_line_mark(lua_State *L, lun__host *h);
/* Raises an error if the engine is closed; releases the entries of ended userdata; where tools
 * watch, marks the line. */
static inline void lun__host_ready(lua_State *L, lun__host *h)
{
    if (!h->engine)
        lun__host_ended(L);
    if (*h->watched)
        lun__source_line_mark(L, h);
    if (h->ended >= 0)
        lun__host_release_ended(h);
}
/* The host of the running function, ready. */
static inline lun__host *lun__host_here(lua_State *L)
{
    lun__host *h = lua_touserdata(L, lua_upvalueindex(1));
    lun__host_ready(L, h);
    return h;
}
/* Pushes the state's host; opens the engine, or takes the one on offer, at first. */
lun__host *lun__host_open(lua_State *L);
/* Makes luaopen_lunarray use this engine in L instead of opening one. */
void lun__host_offer(lua_State *L, lun_engine *e);
/* Makes it open an engine of this rank by that configuration, which lives until then. */
void lun__host_rank(lua_State *L, const lun_config *config);
/* The host of a state, NULL if there is none. Raises nothing. */
lun__host *lun__host_of(lua_State *L);
/* Ends this rank, if it is one of several (lun_spmd_end), while its requests can still be answered
 * in L. Raises nothing. */
void lun__host_leave_ranks(lua_State *L, lun__host *h, const char *why);
/* Releases all that the host holds and closes its engine, if that was opened for it: functions that
 * run later find none. Raises nothing. */
void lun__host_end(lua_State *L, lun__host *h);
/* The engine of a state, NULL if there is none. Raises nothing. */
lun_engine *lun__host_engine(lua_State *L);
/* Pushes a metatable with this name and keeps it as that of a kind; used once for each. */
void lun__host_new_type(lua_State *L, int host_at, lun__kind kind, const char *name);
/* Pushes a userdata of a kind and of `size` bytes, zeros behind its head. */
lun__box *lun__host_new_box(lua_State *L, lun__host *h, lun__kind kind, size_t size, int values);
/* The same with an entry of held, for the pointer that a call returns. Valid until the next one. */
lun__held *lun__host_new_held(lua_State *L, lun__host *h, lun__kind kind);
/* The same for an array, from a function that has the metatable at this index. */
lun__held *lun__host_new_held_array(lua_State *L, lun__host *h, int metatable);
/* The userdata at i if it is of that kind, size and host, else NULL. */
static inline lun__box *lun__host_test(lua_State *L, const lun__host *h, int i, lun__kind kind,
                                       size_t size)
{
    lun__box *box = lua_touserdata(L, i);
    bool ours = box && lua_rawlen(L, i) == size && box->host == h && box->kind == (int32_t)kind;
    return ours ? box : NULL;
}
/* The entry of the array at i, NULL if there is no array. */
static inline lun__held *lun__host_array_at(lua_State *L, const lun__host *h, int i)
{
    const lun__box *box = lun__host_test(L, h, i, LUN__ARRAY, LUN__HELD_BYTES);
    return box ? lun__host_held_at(h, box->slot) : NULL;
}
/* A full collection; releases the entries of userdata that it ended. h may be NULL. */
void lun__host_collect(lua_State *L, lun__host *h);
/* Collects so that a block of so many bytes may become free: young objects; thoroughly: all, if
 * that takes less time than fresh memory would. */
void lun__host_collect_for(lua_State *L, lun__host *h, int64_t bytes, bool thoroughly);
/* Reports the bytes allocated since the last call to the collector; for each function that
 * allocates elements. May run the collector. */
void lun__host_report_memory(lua_State *L, lun__host *h);

#endif
