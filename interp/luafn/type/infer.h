/* infer.h - the types of all values. */
#ifndef LUAFN_INFER_H
#define LUAFN_INFER_H

#include "luafn/graph/compile.h"

/* Gives every value its type; leaves by luafn_fail if one has none. */
void luafn_infer(lf_compile *c);

#endif
