/* binding.h - what luafn asks of the binding about values that are not Lua's own. */
#ifndef LUAFN_BINDING_H
#define LUAFN_BINDING_H

#include <lua.h>
#include <stdbool.h>

#include "lunarray.h"

/* None of these functions may raise an error. */
typedef struct lf_binding {
    lun_array *(*array)(lua_State *L, int index); /* of a userdata; NULL: it is none */
    bool (*operation)(lua_State *L, int index, lun_op *result); /* of a function or userdata */
    /* LUN_OK, or why whatever runs must end, its text being kept; NULL: it need not */
    lun_status (*stopped)(lua_State *L);
} lf_binding;

#endif
