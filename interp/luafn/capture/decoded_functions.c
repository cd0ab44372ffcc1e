/* decoded_functions.c - makes and frees decoded functions. */
#include "luafn/capture/decoded_functions.h"

#include <stdlib.h>

typedef struct decoding {
    lf_unit u;
    const char *bytes;
    size_t length;
    lf_proto *proto;
} decoding;

static void decode(void *ctx)
{
    decoding *d = ctx;
    d->proto = luafn_load(&d->u, d->bytes, d->length);
}

lun_status luafn_decoded_make(const char *bytes, size_t length, lf_program **out, lun_strbuf *error)
{
    decoding d = {.u = {.error = error}, .bytes = bytes, .length = length};
    lf_program *p = calloc(1, sizeof *p);
    lun_status s = p ? luafn_arena_try(&d.u, decode, &d) : LUN_ENOMEM;
    if (s != LUN_OK) {
        luafn_arena_free(&d.u.arena);
        free(p);
        return s;
    }
    p->refs = 1;
    p->arena = d.u.arena;
    p->proto = d.proto;
    *out = p;
    return LUN_OK;
}

void luafn_decoded_release(lf_program *p)
{
    if (--p->refs > 0)
        return;
    if (p->cache)
        p->free_cache(p->cache);
    luafn_arena_free(&p->arena);
    free(p);
}
