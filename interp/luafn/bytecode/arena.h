/* arena.h - one compilation: its memory, and how it fails.
 *
 * All memory of a compilation is in one arena and freed at once. A mistake in the script or a
 * failed allocation leaves by longjmp to luafn_arena_try: no frame of Lua or the engine is between
 * them.
 *
 * Invariant: total is the sum of the bytes of all chunks and at most the limit; memory is zeroed,
 * never moves, and is freed only by luafn_arena_free. */
#ifndef LUAFN_ARENA_H
#define LUAFN_ARENA_H

#include <setjmp.h>
#include <stddef.h>

#include "ir/ir.h"

typedef struct lf_arena {
    struct lf_chunk *chunks; /* newest first */
    size_t total;            /* bytes of all chunks */
    /* as lua_Alloc; NULL: C's memory */
    void *(*alloc)(void *ctx, void *old, size_t had, size_t bytes);
    void *ctx;
} lf_arena;

/* Zeroed memory, NULL if there is none or the arena has reached its limit. */
void *luafn_arena_take(lf_arena *a, size_t bytes);
void luafn_arena_free(lf_arena *a);

typedef struct lf_unit {
    lf_arena arena;
    jmp_buf escape;
    lun_status status;
    lun_strbuf *error;                /* where the text of a failure goes */
    lun_status (*stopped)(void *ctx); /* LUN_OK, or why the work must end; NULL: it need not */
    void *ctx;
} lf_unit;

/* Runs work(ctx) and returns its status: LUN_OK, or what luafn_debug_fail and luafn_arena_nomem
 * left. */
lun_status luafn_arena_try(lf_unit *u, void (*work)(void *ctx), void *ctx);

/* count elements of `size` bytes, zeroed; does not return without memory. */
void *luafn_arena_new(lf_unit *u, size_t count, size_t size);
#define LF_NEW(u, type, count) ((type *)luafn_arena_new((u), (size_t)(count), sizeof(type)))
char *luafn_arena_copy(lf_unit *u, const char *text, size_t length);

/* A growing list of pointers. */
typedef struct lf_list {
    void **at;
    int count, room;
} lf_list;

void luafn_arena_push(lf_unit *u, lf_list *list, void *item);

/* Does not return if the work must end: to be called from time to time. */
void luafn_arena_check_stop(lf_unit *u);
_Noreturn void luafn_arena_nomem(lf_unit *u);

#endif
