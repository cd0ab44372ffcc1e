/* recipe.h - plans of one step, remembered by the shape of their graph.  Private to prims/. */
#ifndef LUN_RECIPE_H
#define LUN_RECIPE_H

#include "launch/graph_shape.h"
#include "launch/kernels.h"
#include "schedule/steps.h"

/* A node as lowering sees it. */
typedef struct lun_recipe_part {
    uint64_t nature;             /* its operation, kind and dtypes */
    const lun_ir_function *body; /* of a CALL, perhaps gone by now: */
    uint64_t number;             /* its number says whether it is the same */
    uint16_t fresh;              /* bits: operands that no later node and no root has named */
    uint8_t class;               /* its length and rank within the index space */
    uint8_t use;                 /* what becomes of it: nothing, kept beside the roots, a root */
    bool folds; /* it is reduced or scanned here: by segments, whose length may be another */
    int8_t in[LUN_SHAPE_OPERANDS]; /* their numbers; -1: no more */
} lun_recipe_part;

struct lun_recipe {
    lun_recent_link recent;
    lun_recipe *next;       /* in its bucket */
    lun_recipe_part *parts; /* operands before users */
    int count, roots;
    uint32_t form;
    bool is_short;           /* its segments are such that lun__short_segments_wanted */
    int on_set;              /* not 0: its kernel is lowered for the locations of a set */
    lun_step step;           /* its nodes are those of the last run: replaced before use */
    int32_t *slots;          /* numbers of nodes in the shape's order, by slot; one block with */
    int32_t *args, *results; /* by argument (-1: fixed), by result, */
    int32_t *at;             /* by root */
    lun_kernel_ref ref;      /* of the backend that ran it last */
    int64_t bytes;           /* that it takes, about */
};

/* Tries to evaluate the roots by a recipe.  *done: whether it did, or failed as any plan would.
 * LUN_ENOMEM without *done: the arrays kept beside were too much. */
lun_status lun__recipe_run(lun_engine *e, lun_node *const *roots, int count, bool *done);
/* The same for elements first .. first + count - 1 of one root, which stays as it is. */
lun_status lun__recipe_part(lun_engine *e, lun_node *root, int64_t first, int64_t count, void *host,
                            bool *done);
/* Remembers the plan of these roots for graphs of their shape, if it is one launch without
 * anything else to it: takes the step out of it then, to be run by lun__recipe_launch.  NULL:
 * nothing has changed. */
lun_recipe *lun__recipe_learn(lun_engine *e, lun_node *const *roots, int count, lun_steps *steps);
/* Runs its step on the nodes that it names. */
lun_status lun__recipe_launch(lun_engine *e, lun_recipe *r);
/* Runs elements first .. first + count - 1 of that, into host. */
lun_status lun__recipe_launch_part(lun_engine *e, lun_recipe *r, int64_t first, int64_t count,
                                   void *host);
/* Forgets all. */
void lun__recipes_flush(lun_engine *e);

#endif
