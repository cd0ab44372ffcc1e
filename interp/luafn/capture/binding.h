/* binding.h - what luafn asks of the binding about values that are not Lua's own. */
#ifndef LUAFN_BINDING_H
#define LUAFN_BINDING_H

#include <lua.h>
#include <stdbool.h>

#include "lunarray.h"

/* Neither function may raise an error. */
typedef struct lf_binding {
    lun_array *(*array)(lua_State *L, int index); /* of a userdata; NULL: it is none */
    bool (*operation)(lua_State *L, int index, lun_op *result); /* of a function or userdata */
} lf_binding;

#endif
