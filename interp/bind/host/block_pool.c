/* block_pool.c - blocks of one size kept for reuse, and a callback when they end; see block_pool.h.
 * Both rely on the size with which Lua calls its allocator: by it a block can hold such a userdata
 * or not. Knows nothing of arrays.
 *
 * Invariant: the free list has at most KEPT blocks, all of `size` bytes and none used by Lua; it is
 * empty until `size` is measured. While owner is not NULL, each free of a block of that size is
 * reported to it once. Only the thread that runs the state touches the recycler. The recycler ends
 * with `state`, the last block that Lua frees. */
#include "bind/host/block_pool.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The most blocks kept: more than are freed between two young collections of a small heap. */
enum { KEPT = 1024 };

typedef struct spare {
    struct spare *next;
} spare;

struct lun__recycler {
    lua_Alloc alloc;
    void *ctx;
    size_t size; /* of the block of a userdata that is watched; 0: not known yet */
    size_t at;   /* offset of the userdata in its block */
    spare *spares;
    int count;
    void *owner; /* NULL: ends are not reported */
    lun__ended_call *ended;
    void *state; /* the block of the lua_State itself, which is freed last */
    void *last;  /* while the size is not known: the last block of a userdata, */
    size_t last_size;
};

static void end(lun__recycler *r)
{
    for (spare *s = r->spares, *next; s; s = next) {
        next = s->next;
        r->alloc(r->ctx, s, r->size, 0);
    }
    free(r);
}

static void *allocate(void *self, void *old, size_t had, size_t size)
{
    lun__recycler *r = self;
    if (!old) {
        spare *s = r->spares;
        if (size == r->size && s) {
            r->spares = s->next;
            r->count--;
            return s;
        }
    } else if (!size && had == r->size) {
        if (r->owner)
            r->ended(r->owner, (char *)old + r->at);
        if (r->count < KEPT) {
            spare *s = old;
            s->next = r->spares;
            r->spares = s;
            r->count++;
            return NULL;
        }
    }
    if (old && (uintptr_t)r->owner - (uintptr_t)old < had)
        r->owner = NULL; /* a script removed its finaliser */
    void *block = r->alloc(r->ctx, old, had, size);
    if (old && old == r->state && !size) {
        end(r);
        return NULL;
    }
    if (!r->size && !old && had == LUA_TUSERDATA) {
        r->last = block;
        r->last_size = size;
    }
    return block;
}

void lun__block_pool_wrap(lua_State *L)
{
    lun__recycler *r = calloc(1, sizeof *r);
    if (!r)
        return;
    r->alloc = lua_getallocf(L, &r->ctx);
    r->state = lua_getextraspace(L); /* the block of a main thread begins there */
    lua_setallocf(L, allocate, r);
}

/* Makes a userdata of so many bytes to see its block. */
static bool measure(lua_State *L, lun__recycler *r, size_t bytes)
{
    bool runs = lua_gc(L, LUA_GCISRUNNING) == 1;
    lua_gc(L, LUA_GCSTOP);
    char *data = lua_newuserdatauv(L, bytes, 0);
    const char *block = r->last;
    memset(data, -1, bytes); /* belongs to no owner */
    lua_pop(L, 1);
    if (runs)
        lua_gc(L, LUA_GCRESTART);
    if (!block || data < block || data + bytes > block + r->last_size)
        return false;
    r->at = (size_t)(data - block);
    r->size = r->last_size;
    return true;
}

lun__recycler *lun__block_pool_of(lua_State *L, size_t bytes)
{
    void *ctx;
    if (lua_getallocf(L, &ctx) != allocate)
        return NULL;
    lun__recycler *r = ctx;
    if (r->owner)
        return NULL;
    return r->size || measure(L, r, bytes) ? r : NULL;
}

void lun__block_pool_serve(lun__recycler *r, void *owner, lun__ended_call *ended)
{
    r->owner = owner;
    r->ended = ended;
}
