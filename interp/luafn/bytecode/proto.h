/* proto.h - a Lua function's code as decoded from lua_dump's bytes by decode.c, checked by check.c
 * and completed by flow.c. */
#ifndef LUAFN_PROTO_H
#define LUAFN_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "luafn/bytecode/opcodes.h"

typedef enum lf_tag {
    LF_K_NIL,
    LF_K_FALSE,
    LF_K_TRUE,
    LF_K_INT,
    LF_K_FLOAT,
    LF_K_STRING,
    LF_K_BYTES /* a string with zero bytes inside */
} lf_tag;

typedef struct lf_const {
    lf_tag tag;
    union {
        int64_t i;
        double n;
        const char *s;
    } as;
} lf_const;

typedef struct lf_upval {
    bool in_stack; /* a register of the enclosing function, else one of its upvalues */
    uint8_t index;
    const char *name; /* "?" if stripped */
} lf_upval;

typedef struct lf_local {
    const char *name;
    int start, end; /* instructions where it is alive */
    int below;      /* the last one before it that is alive where it begins, or -1 */
} lf_local;

typedef struct lf_proto {
    const char *source; /* as Lua keeps it, "@file" or "=name" or text; NULL if stripped */
    int line_defined;
    uint8_t params, vararg, stack;
    uint32_t *code;
    lf_const *k;
    lf_upval *upval;
    struct lf_proto **p;
    int *line; /* by instruction; NULL if stripped */
    lf_local *local;
    int codes, ks, upvals, ps, locals;
    struct lf_flow *flow; /* its blocks, see flow.h */
} lf_proto;

#endif
