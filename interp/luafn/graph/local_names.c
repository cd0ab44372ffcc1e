/* local_names.c - records the values that local variables get. */
#include "luafn/graph/local_names.h"

/* The local variable that an instruction sets: one alive behind it, or one that begins with the
 * values of this and the next instructions. */
static const char *name_of(const lf_proto *p, int reg, int pc)
{
    enum { LF_VALUES = 16 };
    for (int i = pc + 1; i < p->codes && i < pc + LF_VALUES; i++) {
        const char *name = luafn_debug_local_name(p, reg, i);
        if (name || lf_a(p->code[i]) == reg)
            return name;
    }
    return NULL;
}

void luafn_local_name_report(lf_compile *c, const lf_proto *p, int reg, int pc, lf_value *v)
{
    const char *name = p == c->shown ? name_of(p, reg, pc) : NULL;
    if (!name || name[0] == '(') /* "(for state)" */
        return;
    lf_named *n = LF_NEW(&c->unit, lf_named, 1);
    *n = (lf_named){.proto = p, .name = name, .value = v, .pc = pc};
    luafn_arena_push(&c->unit, &c->named, n);
}
