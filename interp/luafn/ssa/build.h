/* build.h - the translation of bytecode to a graph.
 *
 * build.c and build_call.c call each other: a body holds calls, and a call is the body of another
 * function, inlined. LF_MAX_CALLS limits the depth. So do team_object.c, team_operations.c and
 * build_call.c: a method of t runs functions that it is given. */
#ifndef LUAFN_BUILD_H
#define LUAFN_BUILD_H

#include "luafn/graph/body_builder.h"

/* The graph of the function that c compiles; leaves by luafn_debug_fail if it cannot be
 * compiled. */
void luafn_build(lf_compile *c);

/* build.c: inlines the body of a frame whose parameters are written, within so many rounds of
 * unrolled loops; appends its results. */
void luafn_build_body(lf_compile *c, lf_frame *f, int rounds, lf_list *results);
/* condition.c: instructions that compare or test. */
void luafn_condition_compare(lf_builder *b, uint32_t w);
void luafn_condition_test(lf_builder *b, uint32_t w);
/* unroll.c: how often the for that is prepared at b->pc runs, if that is known and it is to be
 * unrolled; 0: never; -1: a loop.  v: initial value, limit, step. */
int luafn_unroll_rounds(lf_builder *b, lf_value *const v[3]);
/* The end of a round, at b->pc: the unrolled loop; NULL: it is none. */
lf_roll *luafn_unroll_round_end(lf_builder *b);
/* Whether the rounds behind the first one become a loop after all. */
bool luafn_unroll_stays_loop(lf_builder *b, lf_roll *r);
/* build_call.c: one call; appends its results. */
void luafn_build_call(lf_builder *b, uint32_t w, lf_list *results);
/* The same of the function f, called `name` in messages (NULL: without a name). */
void luafn_build_call_apply(lf_builder *b, const lf_value *f, const char *name, const lf_list *args,
                            lf_list *results);
/* build_ops.c: an instruction that neither jumps nor calls. */
void luafn_build_op(lf_builder *b, uint32_t w);
/* builtin.c: a call of a function of math or of an operation; appends its results. */
void luafn_builtin(lf_builder *b, const lf_value *f, const lf_list *args, lf_list *results);
/* neighbour.c: the element that a parameter of a stencil, f, gives for these offsets. */
lf_value *luafn_neighbour(lf_builder *b, const lf_value *f, const lf_list *args);
/* known_integers.c: whether v is an integer that is known; of a captured one the present value is
 * taken and the code is pinned to it, unless there is no call yet. */
bool luafn_known_integer(lf_compile *c, lf_value *v, int64_t *out);
/* Whether v is `by` times one number that is the same for all threads and may be another one in the
 * next launch, and `plus`: base; by 0: it is `plus` and base NULL. */
bool luafn_known_integer_in_launch(const lf_compile *c, lf_value *v, lf_value **base, int32_t *by,
                                   int32_t *plus);
/* closure.c: a local function; registers from reg on go out of scope. */
void luafn_closure(lf_builder *b, uint32_t w);
void luafn_closure_close(lf_builder *b, int reg);

/* team_object.c: a call of a method of t, the first parameter of a function of lun.teams; args: t
 * first.  Appends its results. */
void luafn_team_object_call(lf_builder *b, const lf_value *method, const lf_list *args,
                            lf_list *results);

#endif
