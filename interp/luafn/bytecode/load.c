/* load.c - the way from a dump to checked functions with blocks, inner functions first. */
#include "luafn/bytecode/load.h"

#include "luafn/bytecode/flow.h"

/* Recursive as functions are nested: decode.c has limited that. */
static void prepare(lf_unit *u, lf_proto *p)
{
    for (int i = 0; i < p->ps; i++)
        prepare(u, p->p[i]);
    luafn_check(u, p);
    luafn_flow(u, p);
}

lf_proto *luafn_load(lf_unit *u, const char *bytes, size_t length)
{
    lf_proto *p = luafn_decode(u, bytes, length);
    prepare(u, p);
    return p;
}
