/* debug_info.h - source lines: the file and line of an instruction, the names of registers, and
 * failures that name them. */
#ifndef LUAFN_DEBUG_INFO_H
#define LUAFN_DEBUG_INFO_H

#include "luafn/bytecode/arena.h"
#include "luafn/bytecode/proto.h"

/* An instruction, for its line. */
typedef struct lf_spot {
    const lf_proto *proto;
    int pc;
} lf_spot;

/* The line of an instruction; the function's first line if pc < 0 or it is stripped. */
int luafn_debug_line(const lf_proto *p, int pc);
/* Appends "file:line". */
void luafn_debug_where(const lf_proto *p, int pc, lun_strbuf *out);
/* The name of the local variable in a register at an instruction, NULL if it has none. */
const char *luafn_debug_local_name(const lf_proto *p, int reg, int pc);
/* Leaves with "file:line: text". pc < 0: the line on which the function begins. */
_Noreturn void luafn_debug_fail(lf_unit *u, const lf_proto *p, int pc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
