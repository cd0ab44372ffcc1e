/* recycle.h - a wrapper around the allocator of a lua_State of our own: the blocks of arrays' userdata, which
 * scripts make and drop all the time, are kept for the next ones, and their end is noticed without a
 * finaliser, which costs Lua more than an array does. States of others keep their allocator. */
#ifndef LUN_RECYCLE_H
#define LUN_RECYCLE_H

#include <stddef.h>

#include <lua.h>

typedef struct lun__recycler lun__recycler;
/* Is told of a userdata's end: data, of the size that is watched, is freed, or is other bytes in a block of
 * that size. Called amid Lua's work: must call nothing of Lua. */
typedef void lun__ended_call(void *owner, const void *data);

/* Wraps the allocator of L, a main thread, until its end. Without memory for it L stays as it is. */
void lun__recycle(lua_State *L);

/* That of a state which serves no owner yet, NULL if there is none. Userdata of so many bytes, without user
 * values, are watched: the same number in all calls. Raises Lua's memory error. */
lun__recycler *lun__recycler_of(lua_State *L, size_t bytes);
/* From now on ended(owner, data) is called for each; owner, a userdata of L, ends it by its own end. NULL:
 * none is told. */
void lun__recycler_serve(lun__recycler *r, void *owner, lun__ended_call *ended);

#endif
