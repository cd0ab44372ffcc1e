/* team_object.h - the first parameter of a function of lun.teams, t, and what its methods do.
 *
 * team_object.c, team_operations.c and build_call.c call one another: a method runs functions that
 * it is given. A kernel of which one is made is of limited size.
 */
#ifndef LUAFN_TEAM_OBJECT_H
#define LUAFN_TEAM_OBJECT_H

#include "luafn/ssa/build.h"

/* A call of t's method; args: t first.  Appends its results. */
void luafn_team_call(lf_builder *b, const lf_value *method, const lf_list *args, lf_list *results);

#endif
