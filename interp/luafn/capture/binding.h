/* binding.h - callbacks by which the binding recognises values that are not Lua's. */
#ifndef LUAFN_BINDING_H
#define LUAFN_BINDING_H

#include <lua.h>
#include <stdbool.h>

#include "lunarray.h"

typedef enum lf_fields { LF_NO_FIELDS, LF_OF_STRUCT, LF_OF_RECORDS, LF_OF_BLOCKED } lf_fields;

/* None of these functions may raise an error. */
typedef struct lf_binding {
    lun_array *(*array)(lua_State *L, int index); /* of a userdata; NULL: it is none */
    bool (*operation)(lua_State *L, int index, lun_op *result); /* of a function or userdata */
    int (*atomic)(lua_State *L,
                  int index); /* of a function: its row of lun_atomic_name; -1: none */
    /* LUN_OK, or why the running script must end, with the engine's text set; NULL: never */
    lun_status (*stopped)(lua_State *L);
    /* of a table: whether it is a struct or records of one, with the list of the names of its
     * fields pushed, or a blocked array, which is pushed; else nothing is; NULL: there are none */
    lf_fields (*fields)(lua_State *L, int index);
    bool (*buffer)(lua_State *L, int index); /* of a userdata; NULL: there are none */
    /* of a userdata: whether it is a complex number or array, whose parts are its fields re and im;
     * NULL: there are none */
    bool (*complex)(lua_State *L, int index);
    /* of a function: which of "complex", "real", "imag", "conj", "angle" it is, from 0; -1: none;
     * NULL: there are none */
    int (*former)(lua_State *L, int index);
    /* of a userdata: the array whose indices it has begin elsewhere, and for each axis what they
     * have more than those from 1; NULL: it is none; NULL itself: there are none */
    lun_array *(*shifted)(lua_State *L, int index, int64_t *shift);
    /* of a function of the library: pushes the one that kernels compile in its place; else pushes
     * nothing; NULL: there are none */
    bool (*kernel_form)(lua_State *L, int index);
} lf_binding;

#endif
