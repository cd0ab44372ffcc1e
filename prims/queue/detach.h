/* detach.h - an expression outside of its graph: what a queue takes of it (detach.c) and evaluates
 * with an engine of its own (evaluate.c).  Private to prims/queue.
 *
 * Elements in memory are lent: the user's engine does not change them while they are held. */
#ifndef LUN_DETACH_H
#define LUN_DETACH_H

#include "graph/function_ref.h"
#include "queue/queue.h"

/* A node without its pointers: operands by their number. */
typedef struct lun_detached_node {
    lun_node node;
    int32_t *in;
    int count;
    int64_t *shape;
    const char *where, *line; /* of it; that a SOURCE_LINE names.  The user's engine keeps them */
    int lent, function;       /* numbers, -1: none */
} lun_detached_node;

/* Elements that LEAFs are on. */
typedef struct lun_detached_lent {
    lun_storage *of;    /* the user's, a reference */
    lun_buffer *buffer; /* on the queue's device; NULL: in host memory */
    lun_storage *here;  /* the other engine's, while it runs */
} lun_detached_lent;

/* A function as the other engine sees it, which counts references of its own. */
typedef struct lun_detached_function {
    lun_function *of; /* the user's, a reference */
    lun_function own;
    lun_ir_function body;
    const lun_ir_function *body_of;
    int32_t *array; /* the LEAFs that it captured, by their number */
} lun_detached_function;

struct lun_detached {
    lun_node *top; /* the user's, a reference */
    lun_detached_node *parts;
    lun_detached_lent *lents;
    lun_detached_function **functions;
    int count, room, lent_count, lent_room, function_count, function_room;
    int top_at;           /* its number */
    lun_storage *landing; /* the user's: where the elements arrive */
    lun_buffer *arrives;  /* the same on a device; NULL: in host memory */
    uint64_t cell;        /* of a Scalar */
};

#endif
