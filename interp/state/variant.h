/* variant.h - lun_variant: values between a host in C and Lua's stack. */
#ifndef LUN_VARIANT_H
#define LUN_VARIANT_H

#include "bind/host/bind.h"

enum { LUN__KIND_TEXT = 160 };

/* Checks a host's value: LUN_EARG, naming it "argument 2", if it cannot be passed to Lua. */
lun_status lun__variant_check(lun_engine *e, const lun_variant *v, const char *what, int number);
/* Pushes such a value; an array gets a reference more. The caller is a function of the binding.
 * Raises Lua's memory error. */
void lun__variant_push(lua_State *L, lun__host *h, const lun_variant *v);
/* The value at i, borrowed from the stack; false if C has no type for it. */
bool lun__variant_of(lua_State *L, lun__host *h, int i, lun_variant *out);
/* What the value at i is, for messages: "a Vector f64[3]", "a table", "nil". */
void lun__variant_kind(lua_State *L, int i, char text[LUN__KIND_TEXT]);
/* Keeps the value at i alive, for its texts, until the next one. */
void lun__variant_keep(lua_State *L, int i);

#endif
