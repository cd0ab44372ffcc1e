/* state.h - the engine object: everything one engine owns.  Knows other rooms' types by name only.
 * Private to prims/.
 *
 * Invariant: one thread at a time is inside of a call and touches the engine (failure.c); other
 * threads touch `cancel`, `host_stop` (lun_cancel), `inside`, `refused`, `later` and a shared
 * account, atomically, and what a room keeps under a lock of its own (queue/queue.h,
 * store/export.c, engine/watch.c, engine/log.c). backends[k]->number is k.  Slots and their states
 * stay until the engine ends, so that pointers to them may be kept; `state` is NULL until the
 * backend is opened, and `reason` is why it cannot be. backends[current] computes.  Outside of an
 * evaluation set_count is 0, or at least 2 and `current` what computes at set[0];
 * lun__state_set_enter and lun__set_take change both for a while. */
#ifndef LUN_ENGINE_H
#define LUN_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "base/account.h"
#include "base/recent.h"
#include "base/strbuf.h"
#include "engine/failure.h"
#include "engine/log.h"
#include "engine/tool.h"
#include "engine/watch.h"
#include "lunarray.h"

/* Backends, and devices and locations that have been named. */
enum { LUN_MAX_BACKENDS = LUN_MAX_PLACES + 256, LUN_DEVICE_PARTS = 511, LUN_REMEMBERED_TEAMS = 64 };

/* A backend, one device of it by number, or a location on the host's memory by number. */
typedef struct lun_backend_slot lun_backend_slot;
struct lun_backend_slot {
    const lun_backend *backend;
    char name[32];            /* "opencl", "opencl:2", "openmp.2" */
    int number;               /* among the engine's */
    int device;               /* 0: the backend's choice */
    int parts, part;          /* of so many equal parts of the device number `part`; 0: all of it */
    void *state;              /* once opened, */
    lun_abilities can;        /* what it can do, */
    lun_work_mark last;       /* and its last transfer or work that lun__backend_settle waits for */
    char *reason;             /* why it cannot be used, once tried */
    lun_backend_slot *of;     /* of a part of host memory: the backend that computes there */
    lun_place_stats *counted; /* of a location of a set; NULL: it never was one */
    int rank;  /* of a location that is a rank of one script: its number from 1; else 0 */
    bool away; /* it is another rank: this one has none of its memory and does none of its work */
};

/* The backend that computes at a location. */
static inline lun_backend_slot *lun__state_computes_at(lun_backend_slot *at)
{
    return at->of ? at->of : at;
}

/* What other rooms keep here; each is theirs alone. */
typedef struct lun_pool lun_pool;                         /* store/pool.c */
typedef struct lun_storage lun_storage;                   /* store/storage.c */
typedef struct lun_node lun_node;                         /* graph/node.c */
typedef struct lun_kernel_entry lun_kernel_entry;         /* launch/kernels.c */
typedef struct lun_recipe lun_recipe;                     /* eval/recipe.c */
typedef struct lun_remembered_teams lun_remembered_teams; /* steps/teams_step.c */
typedef struct lun_queues lun_queues;                     /* queue/queue.c */
typedef struct lun_ranks_state lun_ranks_state;           /* ranks/ranks_state.h */
typedef struct lun_shared lun_shared;                     /* api/spmd/shared.c */
typedef struct lun_tracing lun_tracing;                   /* trace/trace.c */

struct lun_engine {
    lun_services services;
    int opened_threads;            /* services.threads and */
    const char *opened_threads_by; /* threads_by when the engine opened */
    lun_stats stats;
    lun_logger logger;
    lun_tools *own_tools;     /* NULL in a worker, */
    lun_tools *tools;         /* whose tools are those of the user's engine */
    lun_strbuf error;         /* with the marks of LUN_NTH; */
    lun_strbuf error_plain;   /* where lun_error_from writes it without */
    lun_strbuf error_message; /* without its traceback, for lun_error_get */
    lun_status error_status;
    const char *call, *error_call; /* the function that is inside now; that has failed */
    int error_operand;             /* from 1; 0: not about one */
    const char *error_where;
    bool error_is_index;  /* it is that an index of some graph/take_nodes.h is out of range */
    bool out_of_memory;   /* the last failure, if it has no text */
    uint64_t fp_mode;     /* of the thread inside, as it was before (base/fp_mode.h) */
    uintptr_t inside;     /* the thread inside of a call, 0: none; atomic, as this is: */
    bool refused;         /* another one has called meanwhile */
    lun_later *later;     /* what others have released meanwhile; atomic */
    char error_line[256]; /* where error_where may point */
    char *compiler, *cache_dir;
    int sandbox, jit, math;
    int64_t checks;                     /* LUNARRAY_CHECK; 0: none */
    bool check_indices;                 /* of C functions that are made from now on */
    bool block_all;                     /* see lun_block_all */
    lun_account *own_account, *account; /* a worker's is that of the user's engine */
    lun_config config;                  /* as given, without its texts */
    int local_rank; /* of several ranks: its number among those of its machine */
    volatile int cancel;
    int stretch;     /* nesting of stretches, see watch.h */
    double deadline; /* of the outermost; 0: none */
    lun_watch *watch;
    struct lun_profile *profile; /* the last one, NULL: never asked for */
    bool profiling;
    lun_tracing *trace; /* NULL: none is on */

    /* progress.c */
    void (*progress)(void *ctx, const lun_progress *p);
    void *progress_ctx;
    double began, progress_at; /* seconds: of this evaluation, of the last call */
    bool progress_called;
    int works;        /* of the host's that are open (lun_host_work), one in the other */
    bool in_callback; /* the host's function runs: nothing is evaluated */

    lun_pool *pool;
    lun_cache *cache;
    lun_backend_slot **backends;
    int backend_count, backend_room, current;
    lun_strbuf refused_plugins;
    lun_backend_slot **set; /* the locations in use, `current` is the first one's */
    int set_count;          /* 0: `current` is the only one */
    unsigned overridden;    /* bit k: by row k of lun__overrides_all, */
    lun_backend_slot overrides[LUN_OVERRIDES]; /* whose backends are these, once opened */
    char override_text[512];                   /* of lun_override_at */
    struct lun_fft_tables *fft_tables;         /* api/fourier/fft.c; NULL: none yet */
    void *told; /* api/write/distribute.c: the lists that were given last */

    /* graph/node.c */
    lun_node **buckets, *spare;
    uint64_t bucket_count, node_count; /* interned nodes */
    void *slabs;
    uint64_t walk;  /* number of the last walk over the graph */
    uint32_t looks; /* evaluations that succeeded; wraps around */

    /* kernels by canonical IR text; plans by the shape of their graph */
    lun_kernel_entry **kernels;
    uint32_t kernel_buckets;
    lun_recent kernels_used;
    int kernels_held; /* while > 0 none is given up */
    int64_t kernels_most, kernel_bytes_most;
    struct lun_placed *spare_placed; /* store/current.c: unused ones */
    struct lun_flight *flights; /* launch/flights.c: memory of so many for the next; NULL: in use */
    int flights_room;
    lun_recipe **recipes;
    uint32_t recipe_count;
    uint64_t functions_used; /* bodies that front ends made, see lun_ir_function */
    lun_remembered_teams *teams[LUN_REMEMBERED_TEAMS]; /* by their functions' numbers */
    int64_t recipe_bytes, recipe_bytes_most;
    lun_recent recipes_used;

    char **source_lines; /* lun_work_mark's texts; node->where is an index + 1 */
    int source_line_count, source_line_room;
    uint32_t source_line;
    uint16_t workgroup; /* lun_workgroup */
    int64_t chunk;      /* of launches now: see lun_launch */
    bool in_order;

    struct lun_array *spare_handles;
    void *handle_slabs;
    int64_t labels; /* handles that have one */
    /* The label of an array whose elements a node is (api/array/array.h); NULL: it has none. */
    const char *(*label_of)(const lun_engine *e, const struct lun_node *n);
    /* what each kind of logical dtypes does (api/array/array.h); NULL: a kind that kernels know */
    const struct lun_logical_kind *kinds[LUN_KIND_RECORD + 1];

    lun_storage *spare_storage;  /* store/storage.c: unused ones */
    struct lun_exports *exports; /* store/export.c: NULL: there was none yet; */
    struct lun_export *exported; /* those that are held */
    int64_t files_opened;        /* store/element_file.c: so far */
    int diverged;                /* store/divergent.c: arrays whose copies differ; */
    bool logged_first;           /* it was logged that of such an array the first one was taken */
    int untimed;                 /* launch/launch.c: launches since the last one that was timed */

    lun_queues *queues;                /* NULL: none was made */
    void (*queues_end)(lun_engine *e); /* ends them */
    lun_ranks_state *ranks;            /* ranks/ranks_open.c; NULL: not asked for yet */
    lun_shared *shared;                /* api/spmd/shared.c: the last one made first */
    int64_t shared_made;

    void *host;
    void (*host_close)(void *host);
    void (*host_trim)(void *host); /* called by lun_trim; NULL: nothing */
    void (*host_stop)(void *host); /* called by lun_cancel; NULL: nothing */
};

/* The backend in use, opened on first use. */
lun_status lun__backend(lun_engine *e, lun_backend_slot **out);
/* Has task do indices 0 .. n - 1 in ranges, on the threads of the backend in use where moving so
 * many bytes of host memory is worth it. */
void lun__backend_share_range(lun_engine *e, int64_t n, int64_t bytes, void *ctx,
                              lun_range_fn *task);
/* memcpy of so many bytes, shared so. */
void lun__backend_share_copy(lun_engine *e, void *to, const void *from, int64_t bytes);
/* Whether the backend in use, or every location of the set, runs chains of kernels. */
bool lun__backend_chains(const lun_engine *e);
/* Whether it runs launches with segments on host memory. */
bool lun__backend_segments(const lun_engine *e);
/* The same of sweeps; *cache_bytes: what is near a core, 0: not known, as on sets. */
bool lun__backend_sweeps(lun_engine *e, int64_t *cache_bytes);
/* Another one, which is so; NULL: there are too many, or no memory. */
lun_backend_slot *lun__backend_add(lun_engine *e, lun_backend_slot as);
/* By name ("openmp", "opencl:2"); NULL if there is none. */
lun_backend_slot *lun__backend_find(lun_engine *e, const char *name);
/* The failure that there is none of that name, with the names that there are. */
lun_status lun__backend_unknown(lun_engine *e, const char *name);
/* Opens it once; what it says when that fails is kept and given again.  LUN_EBACKEND. */
lun_status lun__backend_open(lun_engine *e, lun_backend_slot *slot);
/* The same beside `theirs`, of another engine, which is open. */
lun_status lun__backend_beside(lun_engine *e, lun_backend_slot *slot,
                               const lun_backend_slot *theirs);
/* *at, a backend by which a rank computes, becomes the device of it that is this rank's: of those
 * of the best kind each rank of a machine has its own, as far as there are so many. */
lun_status lun__backend_for_rank(lun_engine *e, lun_backend_slot **at);
/* The backend whose kernels are the host's code on host memory, open. */
lun_status lun__backend_native(lun_engine *e, lun_backend_slot **out);
/* Whether the one in use does that work, an algorithm in host memory; *scratch: see
 * lun_backend.takes. */
bool lun__backend_takes(const lun_engine *e, const lun_work *work, int64_t *scratch);
/* Whether a kernel of that IR runs there. */
bool lun__backend_runs(const lun_backend_slot *at, const lun_ir *ir);
/* What does it instead, else the one in use, if it does that work, else the native one. */
lun_status lun__backend_for(lun_engine *e, const lun_work *work, lun_backend_slot **out,
                            int64_t *scratch);
/* What does it instead on host memory, as lun_override says; NULL: nothing does. */
lun_backend_slot *lun__backend_instead(lun_engine *e, const lun_work *work, int64_t *scratch);
/* Opens the backend of that row. */
lun_status lun__backend_override(lun_engine *e, int row);
/* Does the work there, and waits for its end. */
static inline lun_status lun__state_backend_do(const lun_backend_slot *at, const lun_work *work)
{
    return lun__backend_work_do(at->backend, at->state, work);
}
static inline lun_status lun__state_transfer(const lun_backend_slot *at, const lun_transfer *t)
{
    return lun__state_backend_do(at, &(lun_work){.kind = LUN_WORK_TRANSFER, .is.transfer = t});
}
/* The same of `count` elements of so many bytes side by side. */
lun_status lun__backend_move(const lun_backend_slot *at, lun_buffer *to, int64_t to_origin,
                             const lun_buffer *from, int64_t from_origin, int64_t count, int bytes);
/* Has task do indices 0 .. n - 1 in ranges, on the threads of that backend, if it has some. */
void lun__backend_share(const lun_backend_slot *at, int64_t n, int64_t bytes, void *ctx,
                        lun_range_fn *task);
/* Waits for at->last, until when host memory stays as it is. */
lun_status lun__backend_settle(lun_backend_slot *at);
/* Waits until its device has done all, if it has memory of its own. */
lun_status lun__backend_finish(const lun_backend_slot *at);
/* ---- open_set.c: several backends, or devices, as one ---------------------------------------- */

/* Lists the backends of the build. */
lun_status lun__set_list(lun_engine *e);
/* Uses the locations named, or the first backend that is good for a start if
 * name is NULL or "". */
lun_status lun__set_choose(lun_engine *e, const char *name);
/* Uses the set of locations that the text names, see lun_use.  After a failure the old one
 * stays. */
lun_status lun__set_use(lun_engine *e, const char *text);
/* Number k of the locations in use, from 0; of a single one the backend itself; NULL past the
 * last. */
lun_backend_slot *lun__set_at(lun_engine *e, int k);
/* How many there are. */
static inline int lun__state_places(const lun_engine *e)
{
    return e->set_count ? e->set_count : 1;
}
/* Whether the locations in use are ranks that all take the same steps. */
static inline bool lun__state_of_ranks(const lun_engine *e)
{
    return e->set_count && e->set[0]->rank;
}
/* Makes what computes at a location the backend in use; gives what was so before. */
static inline int lun__state_set_enter(lun_engine *e, lun_backend_slot *at)
{
    int before = e->current;
    e->current = lun__state_computes_at(at)->number;
    return before;
}

/* A set of locations that was in use. */
typedef struct lun_in_use {
    lun_backend_slot **at;
    int count, current;
} lun_in_use;
/* What the locations of the set were given to do sets out: the host is about to be busy. */
void lun__set_advance(lun_engine *e);
/* Uses several locations, which are open, until lun__set_back; the list stays until then. */
void lun__set_take(lun_engine *e, lun_backend_slot **at, int count, lun_in_use *before);
void lun__set_back(lun_engine *e, const lun_in_use *before);

/* An evaluation begins and ends; between, the host's progress function is called. */
void lun__progress_begin(lun_engine *e);
void lun__progress_end(lun_engine *e);
/* The failure of an evaluation that the host's progress function begins. */
lun_status lun__progress_refuse(lun_engine *e);

#endif
