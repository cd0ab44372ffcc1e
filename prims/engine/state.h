/* state.h - the engine object: everything one engine owns, and how failures are told.
 * Private to prims/. */
#ifndef LUN_ENGINE_H
#define LUN_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "base/strbuf.h"
#include "engine/watch.h"
#include "graph/node.h"
#include "lunarray.h"
#include "store/pool.h"

enum { LUN_MAX_BACKENDS = 32 };

/* A backend, or one device of it by number. */
typedef struct lun_backend_slot {
    const lun_backend *backend;
    char name[32]; /* "opencl", "opencl:2" */
    int device;    /* 0: the backend's choice */
    void *state;   /* once opened */
    char *reason;  /* why it cannot be used, once tried */
} lun_backend_slot;

typedef struct lun_kernel_entry lun_kernel_entry; /* run/kernels.c */
typedef struct lun_recipe lun_recipe;             /* run/recipe.c */

struct lun_engine {
    lun_services services;
    lun_stats stats;
    lun_strbuf error;
    int error_operand; /* from 1; 0: not about one */
    const char *error_where;
    bool out_of_memory;    /* the last failure, if it has no text */
    char error_place[256]; /* where error_where may point */
    char *compiler, *cache_dir;
    int sandbox, jit, math;
    int64_t memory_limit;
    lun_config config; /* as given, without its texts */
    volatile int cancel;
    int stretch;     /* how many that began have not ended */
    double deadline; /* of the outermost; 0: none */
    lun_watch *watch;
    struct lun_profile *profile; /* the last one, NULL: never asked for */
    bool profiling;

    /* progress.c */
    void (*progress)(void *ctx, const lun_progress *p);
    void *progress_ctx;
    double began, told_at; /* seconds: of this evaluation, of the last call */
    bool progress_told;
    bool telling; /* the host's function runs: nothing is evaluated */

    lun_pool *pool;
    lun_cache *cache;
    lun_backend_slot backends[LUN_MAX_BACKENDS];
    int backend_count, current;

    /* graph/node.c */
    lun_node **buckets, *spare;
    uint64_t bucket_count, node_count; /* interned nodes */
    void *slabs;
    uint64_t walk; /* number of the last walk over the graph */

    /* kernels by canonical IR text; plans by the shape of their graph */
    lun_kernel_entry **kernels;
    uint32_t kernel_buckets, kernel_count;
    lun_recipe **recipes;
    uint32_t recipe_count;
    lun_recipe *learned; /* the last one */

    char **places; /* lun_mark's texts; node->where is an index + 1 */
    int place_count, place_room;
    uint32_t place;
    uint16_t workgroup; /* lun_workgroup */

    struct lun_array *spare_handles;
    void *handle_slabs;

    lun_storage *spare_storage; /* store/storage.c: unused ones */
    int untimed;                /* run/launch.c: launches since the last one that was timed */

    void *host;
    void (*host_close)(void *host);
};

/* Forgets the last failure, for those who write their text into e->error themselves. */
void lun__clear(lun_engine *e);
/* An argument that must be given is NULL, or a count makes no sense: for LUN_NEED. */
lun_status lun__missing(lun_engine *e);
/* The first line of functions of the interface: what they cannot do without. */
#define LUN_NEED(e, condition)      \
    do {                            \
        if (!(e) || !(condition))   \
            return lun__missing(e); \
    } while (0)
/* Fails unless v's dtype is one that a lun_value can have. */
lun_status lun__value_check(lun_engine *e, lun_value v);
/* Writes the text of a failure, whose place is not known, and returns s. */
lun_status lun__fail(lun_engine *e, lun_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
lun_status lun__nomem(lun_engine *e);
/* The place with that number ("script:12"), "" for 0. */
const char *lun__place(const lun_engine *e, uint32_t where);

/* The backend in use, opened on first use. */
lun_status lun__backend(lun_engine *e, lun_backend_slot **out);
/* By name ("openmp", "opencl:2"); NULL if there is none. */
lun_backend_slot *lun__backend_find(lun_engine *e, const char *name);
lun_status lun__backend_open(lun_engine *e, lun_backend_slot *slot);
/* Lists the backends and opens the one named, or the first that is good for a start if name is NULL or "". */
lun_status lun__backend_choose(lun_engine *e, const char *name);

/* An evaluation begins and ends, for those who want to see how far it is. */
void lun__progress_begin(lun_engine *e);
void lun__progress_end(lun_engine *e);

/* Seconds on a clock that never goes back. */
double lun__now(void);

/* Releases what graph/node.c, store/storage.c, run/kernels.c and run/recipe.c keep in the engine. */
void lun__nodes_close(lun_engine *e);
void lun__storage_close(lun_engine *e);
void lun__kernels_flush(lun_engine *e);
void lun__recipes_flush(lun_engine *e);

#endif
