/* queue.h - the explicit layer: memory at a location, tasks, copies, and the queues that run them.
 * Private to prims/queue.
 *
 *   user_buffers.c   buffers; what an engine keeps of all this
 *   task.c           functions of teams with their arguments
 *   queue_copy.c     copies: what they are, and one done
 *   evaluate.c       expressions that a worker evaluates
 *   queue_item.c     what a queue does, one after the other
 *   worker.c         the thread of an asynchronous queue, with an engine of its own
 *   queue.c          queues as their user sees them: giving, waiting, failures
 *
 * Invariant: only the user's thread touches references, arrays and the user's engine; a worker
 * touches its own engine, the memory that an item names, and what is under lun_queues.lock, which
 * is not held while an item runs or is freed.  The user's thread does to a worker's engine nothing
 * but cancel it, from lun__worker_open until its thread has ended. An item given to an asynchronous
 * queue is in the list `first`, is `running`, or is in the list `ended`; `waiting` counts those of
 * the first two.  It holds what it names by references until the user's thread frees it.  Items
 * begin and end in the order in which they were given.  From a failure, `trouble`, until that is
 * reported to the user all further ones are dropped. A queue is in the list `queues` (with a
 * thread; `workers` is their number) or `plain` until it has no handle and has done all.  A buffer
 * is in the list `memories` until its last reference ends; `freed` keeps its user from giving it to
 * anything new. */
#ifndef LUN_QUEUE_H
#define LUN_QUEUE_H

#include <pthread.h>
#include <sys/types.h>

#include "api/array/array.h"
#include "api/loop/teams.h"
#include "base/layout/layout.h"
#include "engine/state.h"
#include "launch/profile.h"
#include "steps/teams_step.h"

/* ---- memory ---------------------------------------------------------------------------------- */

struct lun_memory {
    int refs;               /* handles, tasks, items */
    lun_later later, frees; /* lun_buffer_release, lun_buffer_free */
    bool freed;             /* by its user: nothing new may use it */
    lun_engine *e;
    lun_backend_slot *at; /* NULL: host memory */
    char device[32];      /* as its user knows it */
    lun_dtype dtype;
    int rank;
    int64_t extent[LUN_MAX_RANK], n; /* n: elements of memory, */
    int64_t row;                     /* of which so many are from one row to the next */
    void *data;                      /* of host memory, from the pool */
    int64_t bytes;
    lun_buffer *buffer; /* of a device, */
    int kind;           /* which memory of it: see user_buffers.c */
    lun_memory *next, **link;
};

/* A device by its name, open: one device has one slot.  *out NULL: the host's memory, which "host"
 * and backends without memory of their own name. */
lun_status lun__user_buffer_location(lun_engine *e, const char *name, lun_backend_slot **out);
/* The slot of that device, of the user's engine, in engine `own`: open, with the same memory. */
lun_status lun__user_buffer_slot(lun_engine *own, lun_backend_slot *theirs, lun_backend_slot **out);
/* A backend of the engine is the only one in use for a while. */
typedef struct lun_alone {
    int current, set_count;
} lun_alone;
lun_alone lun__user_buffer_alone_begin(lun_engine *e, const lun_backend_slot *at);
void lun__user_buffer_alone_end(lun_engine *e, lun_alone before);
/* Where its elements stand. */
lun_layout lun__user_buffer_layout(const lun_memory *m);
/* The last reference ends it. */
void lun__user_buffer_release(lun_memory *m);
/* LUN_EFREED if it was freed; `what` and `number` name it. */
lun_status lun__user_buffer_usable(lun_engine *e, const lun_memory *m, const char *what,
                                   int number);

/* ---- tasks ----------------------------------------------------------------------------------- */

typedef struct lun_task_array {
    lun_memory *memory; /* NULL: scratch */
    int number;         /* of the argument, from 0 */
} lun_task_array;

struct lun_task {
    int refs;
    lun_later later;
    lun_engine *e;
    lun_function *f;          /* keeps what the body and its texts are */
    lun_ir_function function; /* the body, as it was when the task was made */
    lun_team_run run;         /* without arrays */
    uint32_t where;           /* the source line that made it */
    lun_task_array array[LUN_TEAM_ARRAYS];
    int arrays;
    uint64_t cell[LUN_TEAM_CELLS];
    lun_front_scratch scratch[LUN_FRONT_SCRATCHES];
};

/* Runs all of it on the backend in use of e. */
lun_status lun__task_run(lun_engine *e, const lun_task *t);

/* ---- copies ---------------------------------------------------------------------------------- */

/* Elements of one side: memory, or at an address of the host, as `at` says. */
typedef struct lun_copy_operand {
    lun_memory *memory;
    void *host;
    lun_layout at;
} lun_copy_operand;

typedef struct lun_copying {
    lun_dtype dtype;
    lun_copy_operand to, from;
    lun_node *source;     /* the LEAF of an array that is read: a reference */
    lun_storage *landing; /* what an array is to receive: a reference, */
    lun_array *array;     /* that array: a reference, */
    lun_layout window;    /* and which of its elements these are */
} lun_copying;

/* Checks and describes a copy; what it holds is to be ended. */
lun_status lun__queue_copy_open(lun_engine *e, const lun_copy_side *to, const lun_copy_side *from,
                                const int64_t *extents, lun_copying *out);
void lun__queue_copy_close(lun_engine *e, lun_copying *c);
/* Does it on the backend in use of e. */
lun_status lun__queue_copy_run(lun_engine *e, const lun_copying *c);
/* Gives the array what has arrived. */
lun_status lun__queue_copy_land(lun_engine *e, lun_copying *c);

/* ---- expressions ----------------------------------------------------------------------------- */

/* What a node that waits is made of, as it was: nothing that the user's engine does changes it. */
typedef struct lun_detached lun_detached;

/* For a queue on `at`, of the user's engine e. */
lun_status lun__detached_take(lun_engine *e, lun_backend_slot *at, lun_node *top,
                              lun_detached **out);
/* NULL is allowed. */
void lun__detached_free(lun_engine *e, lun_detached *a);
/* Evaluates it with engine e on the same device, its slot `at`. */
lun_status lun__evaluate_detached(lun_engine *e, lun_backend_slot *at, lun_detached *a);
/* How many elements it has. */
int64_t lun__detached_elements(const lun_detached *a);
/* Whether that is the node; of none: false. */
bool lun__detached_is(const lun_detached *a, const lun_node *n);
/* The node gets its elements, unless it has some by now; of none: nothing. */
void lun__detached_land(lun_engine *e, lun_detached *a);

/* ---- queues ---------------------------------------------------------------------------------- */

typedef struct lun_trouble {
    lun_status status;
    char *text; /* malloc'd; NULL: there was no memory for it */
    char where[256];
} lun_trouble;

typedef enum lun_item_kind {
    LUN_ITEM_TASK,
    LUN_ITEM_COPY,
    LUN_ITEM_EVALUATE,
    LUN_ITEM_RECORD, /* an event happens */
    LUN_ITEM_AFTER   /* waits for another queue's event */
} lun_item_kind;

typedef struct lun_item lun_item;
struct lun_item {
    lun_item *next;
    lun_item_kind kind;
    int math;            /* lun_math when it was given; */
    unsigned overridden; /* the same of lun_override */
    bool dropped;        /* it was not done, or failed */
    lun_task *task;
    lun_copying copy;
    lun_detached *away;
    lun_event *event;
    uint32_t where;         /* the source line that gave it */
    const char *line;       /* its text */
    double deadline;        /* of the stretch that gave it, when its work ends too; 0: none */
    lun_profile_work *cost; /* for a profile, NULL: none is on */
};

struct lun_event {
    int refs; /* its handle, items */
    lun_later later;
    lun_queue *queue;   /* as long as there is a handle */
    bool done, dropped; /* under the lock */
};

struct lun_queue {
    lun_later later;
    int outside; /* handles: its own, of its events; without any it ends when it has done all */
    lun_engine *e;
    lun_backend_slot *at;
    bool async;
    double limit;    /* the time limit of the user's engine when it was made */
    lun_engine *own; /* the worker's; NULL: the user's engine runs it */
    pthread_t thread;
    pid_t process; /* a child has no such thread after fork */
    pthread_cond_t given;
    /* under the lock */
    lun_item *first, *last; /* not begun */
    lun_item *running;
    lun_item *ended, *ended_last; /* in order, until the user's thread lets go of them */
    int waiting;                  /* of those not ended */
    bool stopping, ends;
    lun_trouble trouble;   /* status LUN_OK: none */
    lun_stats owed, known; /* counters of the worker's, not reported yet; as they were last */
    lun_queue *next, **link;
};

/* What an engine keeps of all this. */
struct lun_queues {
    pthread_mutex_t lock;
    pthread_cond_t changed;              /* an item has ended */
    lun_queue *queues;                   /* with a thread: MOST_WORKERS at most */
    lun_queue *plain;                    /* without one; these have done all that they were given */
    void (*end_queues)(lun_queues *all); /* NULL: none was made */
    int workers;
    lun_memory *memories;
};

/* The engine's, made when first asked for.  NULL: no memory. */
lun_queues *lun__user_buffer_queues(lun_engine *e);

/* An item done by engine e on slot `at`; of LUN_ITEM_AFTER nothing. */
lun_status lun__queue_item_run(lun_engine *e, lun_backend_slot *at, const lun_item *item);
/* Adds what it took to the profile of the user's engine, if one is on since it was given. */
void lun__queue_item_profile(lun_engine *e, const lun_item *item);
/* Ends it and what it holds; on the user's thread. */
void lun__queue_item_free(lun_engine *e, lun_item *item);
/* The engine's last failure, kept. */
void lun__queue_item_keep_failure(const lun_engine *e, lun_status s, lun_trouble *out);
/* The same as e's failure; t is empty then. */
lun_status lun__queue_item_report(lun_engine *e, lun_trouble *t);

/* An item's reference. */
void lun__queue_item_unref(lun_engine *e, lun_event *ev);

/* LUN_EARG in a child of the process whose thread it has. */
lun_status lun__wait_usable(const lun_queue *q);
/* Waits a little, or until an item has ended; how the user's work is to stop; under the lock. */
lun_status lun__wait_look(lun_engine *e);
/* Waits until the event has happened, or without one until the queue has done all; if the user's
 * work is to stop, stops the queue. */
lun_status lun__wait_queue(lun_queue *q, const lun_event *ev);
/* Takes the items that have ended, as far as the event or without one all, and lets go of them;
 * arrays receive what was copied to them or is theirs; lands: else such items stay. */
lun_status lun__wait_let_go(lun_queue *q, const lun_event *ev, bool lands);
/* Ends it if it has no thread and no handle. */
void lun__wait_end_plain(lun_queue *q);
/* Ends queues without handles that have done all; all queues. */
void lun__wait_sweep(lun_engine *e);
void lun__wait_end_all(lun_queues *all);

/* The thread and its engine. */
lun_status lun__worker_open(lun_queue *q);
/* Drops what waits, stops what runs and waits for its end; under the lock. */
void lun__worker_stop(lun_queue *q);
/* Tells it to end, at once what it runs too, and does not wait. */
void lun__worker_ask(lun_queue *q);
/* Ends both. */
void lun__worker_close(lun_queue *q);
/* Tells the user's engine what the worker has counted; under the lock. */
void lun__worker_counters(lun_queue *q);

#endif
