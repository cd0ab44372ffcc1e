/* compiler.h - the C compiler as a command: which file it is, its arguments, what its output
 * depends on. */
#ifndef LUN_COMPILER_H
#define LUN_COMPILER_H

#include <stdbool.h>

#include "backend.h"
#include "base/strbuf.h"
#include "isa/isa.h"

typedef struct lun_compiler {
    const char *name; /* as configured */
    lun_isa isa;
    char *path;                           /* NULL: not looked for, or there is none */
    bool looked;                          /* for it */
    long long size, seconds, nanoseconds; /* of its file */
} lun_compiler;

enum {
    LUN_COMPILER_WORDS = 64,         /* of a command line, at most */
    LUN_COMPILER_NO_VECTORS = 1 << 8 /* beside LUN_RENDER_*: it makes none of its own */
};

bool lun__compiler_find(lun_compiler *c);
void lun__compiler_free(lun_compiler *c);
/* Appends all that decides how a text's machine code looks; needs: LUN_RENDER_*, bits: the version
 * of the bits that the text was rendered for. */
void lun__compiler_key(const lun_compiler *c, const char *text, unsigned needs, const char *bits,
                       lun_strbuf *key);
/* Machines with these instructions, which can run what it compiles. */
lun_cache_machine lun__compiler_machine(void);
/* The command line from a file to a shared object, NULL at its end. */
void lun__compiler_command(const lun_compiler *c, unsigned needs, char *from, char *to,
                           char *words[LUN_COMPILER_WORDS]);

#endif
