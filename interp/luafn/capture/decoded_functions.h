/* decoded_functions.h - a Lua function's code, decoded, with the cache of its compiled forms. */
#ifndef LUAFN_DECODED_FUNCTIONS_H
#define LUAFN_DECODED_FUNCTIONS_H

#include "luafn/bytecode/load.h"

struct lf_cached;

typedef struct lf_program {
    int refs;
    lf_arena arena;
    lf_proto *proto;
    struct lf_cached *cache;                /* compiled forms, see function_cache.h */
    void (*free_cache)(struct lf_cached *); /* set with the first of them */
} lf_program;

/* Decodes what lua_dump wrote; a new reference. */
lun_status luafn_decoded_make(const char *bytes, size_t length, lf_program **out,
                              lun_strbuf *error);
/* The last one frees the compiled forms too. */
void luafn_decoded_release(lf_program *p);

#endif
