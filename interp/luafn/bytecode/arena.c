/* arena.c - memory and failure of one compilation. */
#include "luafn/bytecode/arena.h"

#include <stdlib.h>
#include <string.h>

typedef struct lf_chunk {
    struct lf_chunk *next;
    size_t used, room;
    max_align_t memory[];
} lf_chunk;

static lf_chunk *new_chunk(const lf_arena *a, size_t room)
{
    size_t bytes = sizeof(lf_chunk) + room;
    if (!a->alloc)
        return calloc(1, bytes);
    lf_chunk *c = a->alloc(a->ctx, NULL, 0, bytes);
    return c ? memset(c, 0, bytes) : NULL;
}

/* A function that needs more than this fails as if there were no more memory. */
enum { LF_FIRST = 16 << 10, LF_LIMIT = 256 << 20 };

void *luafn_arena_take(lf_arena *a, size_t bytes)
{
    lf_chunk *c = a->chunks;
    if (bytes > LF_LIMIT)
        return NULL;
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!c || c->room - c->used < bytes) {
        size_t room = c ? 2 * c->room : LF_FIRST;
        if (room > LF_LIMIT / 16)
            room = LF_LIMIT / 16;
        if (room < bytes)
            room = bytes;
        if (a->total + room > LF_LIMIT)
            return NULL;
        c = new_chunk(a, room);
        if (!c)
            return NULL;
        c->room = room;
        c->next = a->chunks;
        a->chunks = c;
        a->total += room;
    }
    void *p = (char *)c->memory + c->used;
    c->used += bytes;
    return p;
}

void luafn_arena_free(lf_arena *a)
{
    while (a->chunks) {
        lf_chunk *next = a->chunks->next;
        if (a->alloc)
            a->alloc(a->ctx, a->chunks, sizeof(lf_chunk) + a->chunks->room, 0);
        else
            free(a->chunks);
        a->chunks = next;
    }
    a->total = 0;
}

lun_status luafn_arena_try(lf_unit *u, void (*work)(void *ctx), void *ctx)
{
    u->status = LUN_OK;
    if (!setjmp(u->escape))
        work(ctx);
    return u->status;
}

void luafn_arena_check_stop(lf_unit *u)
{
    lun_status s = u->stopped ? u->stopped(u->ctx) : LUN_OK;
    if (s == LUN_OK)
        return;
    u->status = s;
    longjmp(u->escape, 1);
}

void luafn_arena_nomem(lf_unit *u)
{
    u->status = LUN_ENOMEM;
    lun__strbuf_clear(u->error);
    lun__strbuf_puts(u->error, "out of memory while compiling a Lua function");
    longjmp(u->escape, 1);
}

void *luafn_arena_new(lf_unit *u, size_t count, size_t size)
{
    size_t bytes;
    void *p =
        __builtin_mul_overflow(count, size, &bytes) ? NULL : luafn_arena_take(&u->arena, bytes);
    if (!p)
        luafn_arena_nomem(u);
    return p;
}

char *luafn_arena_copy(lf_unit *u, const char *text, size_t length)
{
    char *copy = luafn_arena_new(u, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

void luafn_arena_push(lf_unit *u, lf_list *list, void *item)
{
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 4;
        void **at = LF_NEW(u, void *, room);
        if (list->count)
            memcpy(at, list->at, (size_t)list->count * sizeof *at);
        list->at = at;
        list->room = room;
    }
    list->at[list->count++] = item;
}
