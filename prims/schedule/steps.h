/* steps.h - a plan as a value: what an evaluation will do, in its order, made before anything runs.
 * eval/eval.c does it, api/engine/explain.c shows it, eval/recipe.c remembers it.  Private to
 * prims/. */
#ifndef LUN_STEPS_H
#define LUN_STEPS_H

#include "plan/plan.h"

/*  kind    does                                                      node    lowered
 *  LAUNCH  a kernel over n indices, whose results go to the nodes    -       the kernel
 *          that `lowered` names
 *  COPY    the blocks of the operands of a CONCAT, in turn           it      -
 *  PRODUCT the matrix products of a MATMUL                           it      -
 *  ALGORITHM  all results of an ALGORITHM                            it, or  -
 *                                                                    one
 *  RUNNING a function along segments: all results of a RUNNING          it, or  -
 *                                                                    one
 *  FILL    the elements of a NUMBER over many indices                it      -
 * Each node that receives a result is a LEAF (or NUMBER, for a Scalar) afterwards. */
typedef enum lun_step_kind {
    LUN_STEP_LAUNCH,
    LUN_STEP_COPY,
    LUN_STEP_PRODUCT,
    LUN_STEP_ALGORITHM,
    LUN_STEP_RUNNING,
    LUN_STEP_FILL
} lun_step_kind;

typedef struct lun_step {
    lun_step_kind kind;
    int64_t n;       /* indices */
    const char *cut; /* why the graph was cut behind it, "" */
    int kept; /* of the arrays that it writes: not asked for, but computed for the second time */
    lun_node *node;
    lun_lowered lowered;
    struct lun_kernel_ref *ref; /* of a recipe: the kernel of its last run; NULL: of none */
    int group;                  /* LAUNCH: its number in the schedule, while there is one */
    int done;                   /* the first of the held nodes that are let go after it, -1: none */
    int until;                  /* the last step that needs what it makes */
    int chain; /* of neighbours that are run some rows at a time, from 1; 0: it is in none */
    const struct lun_steps *of; /* the plan that it is a step of, of a chain; NULL: a step alone */
    bool held;                  /* PRODUCT, blocks: more than this plan refers to what it makes */
    int64_t halo; /* of a sweep on a set: elements on either side that a location computes, too */
    bool used;    /* a later step reads what it reduces; of a chain one behind the chain */
    bool sweep; /* it is run as sweeps are (schedule/sweep.h), with its neighbours of that chain */
    struct lun_outer_axis *across; /* LAUNCH: how it is run instead, with the same bits; or NULL */
    bool blocks;                   /* LAUNCH: its result is a reduction in blocks; */
    struct lun_pairs *pairs;       /* how that is run instead, with the same bits; or NULL */
} lun_step;

/* A node that receives a result: it lives as long as steps need it, though its users may become
 * leaves before. */
typedef struct lun_steps_held {
    lun_node *node; /* NULL: it was let go */
    int next;       /* that is let go after the same step, -1: none */
    int until;      /* the step */
} lun_steps_held;

/* Steps in their order. */
typedef struct lun_steps {
    lun_step *at;
    int count, room;
    lun_steps_held *held;
    int held_count, held_room;
    lun_node *const *roots; /* borrowed */
    int root_count;
} lun_steps;

enum {
    LUN_STEPS_KEEP = 1, /* with what lun__keeps says */
    LUN_STEPS_PART = 2, /* the last one is run in part, by itself: it is in no chain */
    LUN_STEPS_PLAIN = 4 /* before the machine is looked at: no chains, sweeps, tiles */
};

/* The steps that make every root a LEAF (or NUMBER, for Scalars); how: of the above.
 * Changes no node but their scratch fields.  LUN_ENOMEM, or LUN_ECANCEL, LUN_ELIMIT when the
 * evaluation shall stop. */
lun_status lun__steps_make(lun_engine *e, lun_node *const *roots, int count, unsigned how,
                           lun_steps *out);
/* Lets go of the nodes that no step behind `step` needs; all steps up to it have run. */
void lun__steps_done(lun_engine *e, lun_steps *s, int step);
void lun__steps_free(lun_engine *e, lun_steps *s);

#endif
