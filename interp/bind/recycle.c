/* Blocks of arrays' userdata kept for reuse, and their end told; see recycle.h. What Lua calls its allocator
 * with is enough for both: the size of a block tells whether it can be one. Knows nothing of arrays but how
 * large their userdata are. */
#include "bind/recycle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"

/* Blocks at most: more than die between two young collections of a small heap. */
enum { KEPT = 1024 };

typedef struct spare {
    struct spare *next;
} spare;

struct lun__recycler {
    lua_Alloc alloc;
    void *ctx;
    size_t size; /* of the block of a box; 0: not known yet */
    size_t at;   /* where in its block a box stands */
    spare *spares;
    int count;
    lun__host *host;
    void *state; /* the block of the lua_State itself, which is the last to go */
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
        if (r->host)
            lun__box_ended(r->host, (const lun__box *)(const void *)((char *)old + r->at));
        if (r->count < KEPT) {
            spare *s = old;
            s->next = r->spares;
            r->spares = s;
            r->count++;
            return NULL;
        }
    }
    if (old && (uintptr_t)r->host - (uintptr_t)old < had)
        r->host = NULL; /* its finaliser was taken from it */
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

void lun__recycle(lua_State *L)
{
    lun__recycler *r = calloc(1, sizeof *r);
    if (!r)
        return;
    r->alloc = lua_getallocf(L, &r->ctx);
    r->state = lua_getextraspace(L); /* where that of a main thread begins */
    lua_setallocf(L, allocate, r);
}

/* Has a box made to see its block. */
static bool measure(lua_State *L, lun__recycler *r)
{
    bool runs = lua_gc(L, LUA_GCISRUNNING) == 1;
    lua_gc(L, LUA_GCSTOP);
    char *box = lua_newuserdatauv(L, LUN__HELD_BYTES, 0);
    const char *block = r->last;
    memset(box, -1, LUN__HELD_BYTES); /* no slot */
    lua_pop(L, 1);
    if (runs)
        lua_gc(L, LUA_GCRESTART);
    if (!block || box < block || box + LUN__HELD_BYTES > block + r->last_size)
        return false;
    r->at = (size_t)(box - block);
    r->size = r->last_size;
    return true;
}

lun__recycler *lun__recycler_of(lua_State *L)
{
    void *ctx;
    if (lua_getallocf(L, &ctx) != allocate)
        return NULL;
    lun__recycler *r = ctx;
    if (r->host)
        return NULL;
    return r->size || measure(L, r) ? r : NULL;
}

void lun__recycler_serve(lun__recycler *r, lun__host *h)
{
    r->host = h;
}
