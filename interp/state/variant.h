/* variant.h - lun_variant: values between a host in C and Lua's stack. */
#ifndef LUN_VARIANT_H
#define LUN_VARIANT_H

#include "bind/host/bind.h"

enum { LUN__KIND_TEXT = 160 };

/* Checks a host's value: LUN_EARG, naming it "argument 2", if it cannot be passed to Lua. */
lun_status lun__variant_check(lun_engine *e, const lun_variant *v, const char *what, int number);
/* Pushes such a value; an array or a table gets a reference more. The caller is a function of the
 * binding. Raises Lua's memory error. */
void lun__variant_push(lua_State *L, lun__host *h, const lun_variant *v);
/* The value at i, an absolute index, borrowed from the stack, where a table is then replaced by
 * what holds its reference; false if C has no type for it. Raises errors. */
bool lun__variant_of(lua_State *L, lun__host *h, int i, lun_variant *out);
/* One more reference to an array or a table, or one less. */
void lun__variant_retain(const lun_variant *v);
void lun__variant_release(const lun_variant *v);
/* Pushes that function of lua/lunarray/table/lists.lua. */
void lun__variant_push_verb(lua_State *L, const char *name);
/* What the value at i is, for messages: "a Vector f64[3]", "a table", "nil". */
void lun__variant_kind(lua_State *L, int i, char text[LUN__KIND_TEXT]);
/* Keeps the value at i alive, for its texts, until the next one. */
void lun__variant_keep(lua_State *L, int i);

#endif
