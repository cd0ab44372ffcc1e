/* complex_call.h - calls of skeletons with complex numbers, by their parts. */
#ifndef LUN_COMPLEX_CALL_H
#define LUN_COMPLEX_CALL_H

#include "bind/function/lua_skeleton.h"

/* lun__lua_skeleton_call, also where an argument or a first value is complex. */
int lun__complex_call(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c);
/* The same of a skeleton whose function is the variant at `variant`; 0: it is as it is. */
int lun__complex_call_variant(lua_State *L, lun__host *h, const lun__skeleton *k, int variant,
                              const lun__call *c);

#endif
