/* recycle.h - a wrapper around the allocator of a lua_State of our own: the blocks of arrays' userdata, which
 * scripts make and drop all the time, are kept for the next ones, and their end is noticed without a
 * finaliser, which costs Lua more than an array does. States of others keep their allocator. */
#ifndef LUN_RECYCLE_H
#define LUN_RECYCLE_H

#include <stdbool.h>

#include <lua.h>

struct lun__host;
struct lun__box;
typedef struct lun__recycler lun__recycler;

/* Wraps the allocator of L, a main thread, until its end. Without memory for it L stays as it is. */
void lun__recycle(lua_State *L);

/* That of a state which serves no host yet, NULL if there is none. Raises Lua's memory error. */
lun__recycler *lun__recycler_of(lua_State *L);
/* From now on lun__box_ended(h, box) is called when Lua frees a block that may hold a box of h, or holds
 * other bytes at its place. NULL: of none. */
void lun__recycler_serve(lun__recycler *r, struct lun__host *h);

/* host.c: as said. Called amid Lua's work: must call nothing of Lua. */
void lun__box_ended(struct lun__host *h, const struct lun__box *box);

#endif
