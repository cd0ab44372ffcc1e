/* check.h - whether code keeps the rules that everything behind it relies on. */
#ifndef LUAFN_CHECK_H
#define LUAFN_CHECK_H

#include "luafn/bytecode/where.h"

/* Leaves if p's instructions do not fit what else p says of itself; the functions inside p are
 * not looked into, but for their upvalues. */
void luafn_check(lf_unit *u, const lf_proto *p);

#endif
