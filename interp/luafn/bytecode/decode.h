/* decode.h - a Lua function's code as lua_dump writes it, taken apart.
 *
 * Knows the format of Lua 5.4's binary chunks and nothing of what the code means. */
#ifndef LUAFN_DECODE_H
#define LUAFN_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "luafn/bytecode/arena.h"
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

/* Decodes a dump; everything lies in the unit's arena. */
lf_proto *luafn_decode(lf_unit *u, const char *bytes, size_t length);

/* Leaves if p's instructions do not fit what else p says of itself; those inside of it are checked already. */
void luafn_check(lf_unit *u, const lf_proto *p);

/* The line of an instruction; the function's first line if pc < 0 or it is stripped. */
int luafn_line(const lf_proto *p, int pc);
/* Appends "file:line". */
void luafn_where(const lf_proto *p, int pc, lun_strbuf *out);
/* The name of the local variable in a register at an instruction, NULL if it has none. */
const char *luafn_local_name(const lf_proto *p, int reg, int pc);

#endif
