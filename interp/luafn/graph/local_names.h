/* local_names.h - the values that are written to local variables, for the report on types. */
#ifndef LUAFN_LOCAL_NAMES_H
#define LUAFN_LOCAL_NAMES_H

#include "luafn/graph/compile.h"

typedef struct lf_named {
    const lf_proto *proto;
    const char *name;
    lf_value *value;
    int pc;
    /* luafn/type/report.c */
    bool first; /* of its name */
    int next;   /* of the same name, or -1 */
} lf_named;

/* An instruction (-1: the call) puts v into a register of a function that is being built. */
void luafn_local_name_report(lf_compile *c, const lf_proto *p, int reg, int pc, lf_value *v);

#endif
