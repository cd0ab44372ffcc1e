/* share.h - how the locations of a set share a step of a plan: one row for each kind of sharing, by
 * which the step is run (launch/launch_dist.c has the actions) and explained (placing/moves.c has
 * the others).  Each row is closed forms of the location's number k.  Private to prims/. */
#ifndef LUN_SHARE_H
#define LUN_SHARE_H

#include "placing/placing.h"
#include "placing/teller.h"

/*  kind      what is shared                                   at location k
 *  CHAIN     the rows of steps that follow one another        whole rows, through all the steps
 *            the indices of sweeps                            its part, and what it reads around
 *  LAUNCH    the indices of a kernel                          those of its part, in whole chunks
 *  PAIRS     all pairs of rows                                some rows of the result
 *  ROWS      a reduction along the first axes                 rows, with the accumulators of k - 1
 *  STREAM    an algorithm that takes elements in order        the elements of its part
 *  ORDER     segments in order, or one of them                whole segments, or what splitters say
 *  CHOOSE    what is found out of all elements                the elements of its part
 *  PRODUCT   matrix products                                  some rows of the result
 *  ALONE     nothing                                          all, at the first location */
typedef enum lun_share_kind {
    LUN_SHARE_CHAIN,
    LUN_SHARE_LAUNCH,
    LUN_SHARE_PAIRS,
    LUN_SHARE_ROWS,
    LUN_SHARE_STREAM,
    LUN_SHARE_ORDER,
    LUN_SHARE_CHOOSE,
    LUN_SHARE_PRODUCT,
    LUN_SHARE_ALONE
} lun_share_kind;

/* Where results are:
 *   UNKNOWN  their length is found
 *   WHOLE    at the first location, or on the host
 *   PARTS    what a location computes there; reductions of segments on the host */
typedef enum lun_share_gives {
    LUN_GIVES_UNKNOWN,
    LUN_GIVES_WHOLE,
    LUN_GIVES_PARTS
} lun_share_gives;

/* Elements that a location reads, counted from the first of a node. */
typedef struct lun_need {
    const lun_node *of;
    lun_backend_slot *at; /* in whose memory; NULL: the host's */
    lun_interval elements;
    bool whole;      /* all elements of the array that `of` is a part of */
    bool indexed;    /* memory for them begins with the array's first one */
    bool becomes;    /* such an array, if all of it is read, is then distributed as the step is */
    const char *why; /* they move, static */
} lun_need;

/* A step at location k. */
typedef struct lun_share_at {
    lun_engine *e;
    const lun_step *step;
    const lun_spread *cut;
    lun_backend_slot *at;
    int k;
    lun_interval part, work; /* of `cut`; what it computes */
} lun_share_at;

/* What the locations do of a step, in turn:
 *   TOTALS    of a scan: the totals of chunks that others start from
 *   CARRIES   the first location that has indices chains them
 *   WORK      each computes what it has of the results, or cells of them
 *   ROWS      the same one after the other, by accumulators that go from one to the next
 *   SAMPLES   of elements in order, which say where to cut
 *   EXCHANGE  what lies between two cuts goes to one location
 *   PAIRS     cells are combined by pairs
 *   FOUND     what each has found becomes one result */
typedef enum lun_share_stage {
    LUN_STAGES_END,
    LUN_STAGE_OF_TOTALS,
    LUN_STAGE_OF_CARRIES,
    LUN_STAGE_OF_WORK,
    LUN_STAGE_OF_ROWS,
    LUN_STAGE_OF_SAMPLES,
    LUN_STAGE_OF_EXCHANGE,
    LUN_STAGE_OF_PAIRS,
    LUN_STAGE_OF_FOUND
} lun_share_stage;

typedef struct lun_share_stage_row {
    const char *text; /* in a plan's text; NULL: as the step's kind */
    const char *what; /* of lun_plan_place; NULL: it is none */
    /* What location k does; NULL: as the rule says. */
    lun_interval (*work)(const lun_step *step, const lun_spread *cut, int k);
    /* The most bytes that it gives to others; NULL: none. */
    int64_t (*bytes)(const lun_step *step, const lun_spread *cut, int k);
} lun_share_stage_row;
extern const lun_share_stage_row lun__share_stages[];

typedef struct lun_share_rule {
    lun_share_kind kind;
    bool devices_first; /* moves begin in the order of lun__placing_turn */
    bool once;          /* with one result of a node all are made */
    /* How the locations share the step; look: how operands are distributed.  *out: a reference;
     * NULL: not by this rule, or ALONE. */
    lun_status (*share)(lun_engine *e, const lun_step *step, lun_placing_look *look, void *ctx,
                        lun_spread **out);
    /* Operand i at a location; false: there is none.  `of` NULL: nothing of it. */
    bool (*need)(const lun_share_at *x, int i, lun_need *out);
    /* What location k computes, as lun_plan_place counts it; lo == hi: nothing. */
    lun_interval (*work)(const lun_step *step, const lun_spread *cut, int k);
    lun_share_gives gives;
} lun_share_rule;

/* What happens to the operands of a step at the locations: it does, or is predicted. */
typedef struct lun_share_actions {
    lun_storage *(*array)(void *ctx, const lun_node *n); /* that n is in; NULL: none */
    lun_status (*has)(void *ctx, const lun_need *x);     /* LUN_OK: it is there; NULL: not asked */
    lun_status (*room)(void *ctx, const lun_need *x);    /* memory for them; NULL: takes none */
    lun_status (*move)(void *ctx, const lun_need *x);    /* they become current */
} lun_share_actions;

/* A step on the set in use. */
typedef struct lun_share {
    lun_engine *e;
    const lun_step *step;
    const lun_share_rule *rule;
    const lun_share_stage *stages; /* in turn, up to END */
    lun_spread *cut;               /* owned; NULL: ALONE */
    const lun_share_actions *act;
    void *ctx;
} lun_share;

/* *out is to be closed after LUN_OK. */
lun_status lun__share_open(lun_engine *e, const lun_step *step, const lun_share_actions *act,
                           void *ctx, lun_share *out);
/* The same of a launch that is no step of a plan, but *step then, and may write in place. */
lun_status lun__share_kernel(lun_engine *e, const lun_lowered *l, int64_t n,
                             const lun_share_actions *act, void *ctx, lun_step *step,
                             lun_share *out);
void lun__share_close(lun_share *x);
/* Operand i as of lun_share_rule.need, but for its elements. */
bool lun__share_need(const lun_share *x, int i, lun_need *out);
/* What location k needs for a step, or each location for `count` steps, becomes current.  There is
 * memory there for all of it before an element moves, for memory moves when it grows. */
lun_status lun__share_bring_at(const lun_share *x, int k);
lun_status lun__share_bring(const lun_share *x, int count);
/* Result i of a step, NULL: it is not stored; folds: it is a reduction.  False: there is none. */
bool lun__share_gives(const lun_step *step, int i, const lun_node **out, bool *folds);
/* How n, a lun_share's operand, is distributed: a lun_placing_look. */
const lun_spread *lun__share_look(void *x, const lun_node *n, int64_t *offset);
/* Operands of which all was read are distributed as the step is. */
lun_status lun__share_settle(const lun_share *x);

#endif
