/* share.h - how the locations of a set share a step of a plan: one row for each kind of sharing, by
 * which the step is run (eval/run_plan.c) and explained (placing/moves.c).  Each row is closed
 * forms of the location's number k.  Private to prims/. */
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

/* Elements that a location reads, counted from the first of a node. */
typedef struct lun_need {
    const lun_node *of;
    lun_backend_slot *at; /* in whose memory; NULL: the host's */
    lun_interval elements;
    bool whole;      /* all elements of the array that `of` is a part of */
    bool becomes;    /* such an array, if all of it is read, is then distributed as the step is */
    const char *why; /* they move, static */
} lun_need;

typedef struct lun_share_rule {
    lun_share_kind kind;
    bool devices_first; /* moves begin in the order of lun__placing_turn */
    bool once;          /* with one result of a node all are made */
    /* How the locations share the step; look: how operands are distributed.  *out: a reference;
     * NULL: not by this rule, or ALONE. */
    lun_status (*share)(lun_engine *e, const lun_step *step, lun_placing_look *look, void *ctx,
                        lun_spread **out);
    /* Operand i at location k, which has work; false: there is none. */
    bool (*need)(lun_engine *e, const lun_step *step, const lun_spread *cut, int k, int i,
                 lun_need *out);
    /* What location k computes, as lun_plan_place counts it; lo == hi: nothing. */
    lun_interval (*work)(const lun_step *step, const lun_spread *cut, int k);
    /* For explain: stages, exchanges and accumulators; NULL: none. */
    lun_status (*beside)(lun_teller *t, const lun_step *step, const lun_spread *cut);
    /* For explain: the results, where they are made; NULL: nothing is known of them. */
    lun_status (*made)(lun_teller *t, const lun_step *step, lun_spread *cut);
} lun_share_rule;

/* The rule of a step on the set in use, and how its locations share it: *cut: a reference, NULL:
 * ALONE. */
lun_status lun__share_rule_of(lun_engine *e, const lun_step *step, lun_placing_look *look,
                              void *ctx, const lun_share_rule **out, lun_spread **cut);

#endif
