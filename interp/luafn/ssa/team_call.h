/* team_call.h - a call of a method of t, for team_object.c (numbers, memory, the table of methods)
 * and team_operations.c (operations of all threads of a team). */
#ifndef LUAFN_TEAM_CALL_H
#define LUAFN_TEAM_CALL_H

#include "luafn/ssa/build.h"

typedef struct lf_team_call {
    lf_builder *b;
    const char *name;
    const lf_list *args; /* t first */
    lf_list *results;
} lf_team_call;

typedef void lf_team_method(const lf_team_call *c);

/* Argument k behind t, from 0; NULL: there is none.  As a number, as a function, or it fails. */
lf_value *luafn_team_call_arg(const lf_team_call *c, int k);
lf_value *luafn_team_call_number(const lf_team_call *c, int k);
const lf_value *luafn_team_call_function(const lf_team_call *c, int k);
void luafn_team_call_give(const lf_team_call *c, lf_value *v);

/* Argument k, an integer that is known when the kernel is compiled, of low .. high. */
int64_t luafn_team_call_whole(const lf_team_call *c, int k, int64_t low, int64_t high,
                              const char *what);

/* What is known of the team: lun_front_team.  The product of extents from number `from` on. */
const int64_t *luafn_team_call_known(const lf_builder *b, int what);
/* Threads of a team; the number of the running one, from 0. */
int64_t luafn_team_call_threads(const lf_builder *b);
lf_value *luafn_team_call_thread(lf_builder *b);
lf_value *luafn_team_call_arith(lf_builder *b, lf_arith op, lf_value *x, lf_value *y);
/* x op n */
lf_value *luafn_team_call_by(lf_builder *b, lf_arith op, lf_value *x, int64_t n);

/* ---- team_operations.c ---- */

lf_team_method luafn_team_op_barrier, luafn_team_op_each, luafn_team_op_vector,
    luafn_team_op_single, luafn_team_op_broadcast, luafn_team_op_reduce, luafn_team_op_scan,
    luafn_team_op_identity;

#endif
