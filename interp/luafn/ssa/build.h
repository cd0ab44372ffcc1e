/* build.h - the translation of bytecode to a graph.
 *
 * build.c and build_call.c call each other: a body holds calls, and a call is the body of
 * another function, put in place. LF_MAX_CALLS limits the depth. */
#ifndef LUAFN_BUILD_H
#define LUAFN_BUILD_H

#include "luafn/ssa/builder.h"

/* The graph of the function that c compiles; leaves by luafn_fail if it cannot be compiled. */
void luafn_build(lf_compile *c);

/* build.c: inlines the body of a frame whose parameters are written; appends its results. */
void luafn_body(lf_compile *c, lf_frame *f, lf_list *results);
/* build_call.c: one call; appends its results. */
void luafn_call(lf_builder *b, uint32_t w, lf_list *results);
/* build_ops.c: an instruction that neither jumps nor calls. */
void luafn_operation(lf_builder *b, uint32_t w);
/* builtin.c: a call of a function of math or of an operation; appends its results. */
void luafn_builtin(lf_builder *b, const lf_value *f, const lf_list *args, lf_list *results);
/* neighbour.c: the element that a parameter of a stencil, f, gives for these offsets. */
lf_value *luafn_neighbour(lf_builder *b, const lf_value *f, const lf_list *args);
/* closure.c: a local function; registers from reg on go out of scope. */
void luafn_closure(lf_builder *b, uint32_t w);
void luafn_close(lf_builder *b, int reg);

#endif
