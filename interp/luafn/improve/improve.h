/* improve.h - the passes that make lowered graphs smaller or faster. */
#ifndef LUAFN_IMPROVE_H
#define LUAFN_IMPROVE_H

#include "luafn/ssa/compile.h"

void luafn_reshape(lf_compile *c); /* branches.c */
void luafn_narrow(lf_compile *c);  /* narrow.c */
void luafn_unload(lf_compile *c);  /* hoist.c */

/* About how many plain operations; a very large number for what must not run where it did not. */
int luafn_cost(const lf_value *v);

#endif
