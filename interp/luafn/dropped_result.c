/* dropped_result.c - whether a script's call takes no result, by the bytecode of the function that
 * calls.  Lua says which line it is on and by which name it calls, not which instruction runs: the
 * answer is yes only where no call of that name on that line takes one. */
#include <string.h>

#include "luafn/capture/function_registry.h"
#include "luafn/luafn.h"

/* The register to which an instruction brings what is then called; -1: none.  *known: whether that
 * is the field of this name, else it may be any. */
static int brought(const lf_proto *p, uint32_t w, const char *name, bool *known)
{
    const lf_opcode op = lf_op(w);
    if (op == OP_GETTABLE || (op == OP_SELF && !lf_k(w))) {
        *known = false;
        return lf_a(w);
    }
    if (op != OP_SELF && op != OP_GETFIELD && op != OP_GETTABUP)
        return -1;
    const lf_const *key = &p->k[lf_c(w)];
    *known = true;
    return key->tag == LF_K_STRING && strcmp(key->as.s, name) == 0 ? lf_a(w) : -1;
}

/* The next call of what is in a register after an instruction; -1: none. */
static int next_call(const lf_proto *p, int pc, int reg)
{
    while (++pc < p->codes)
        if (lf_a(p->code[pc]) == reg &&
            (lf_op(p->code[pc]) == OP_CALL || lf_op(p->code[pc]) == OP_TAILCALL))
            return pc;
    return -1;
}

static bool all_drop(const lf_proto *p, const char *name, int line)
{
    int drops = 0;
    for (int pc = 0; pc < p->codes; pc++) {
        bool known;
        const int reg = brought(p, p->code[pc], name, &known);
        const int call = reg >= 0 ? next_call(p, pc, reg) : -1;
        if (call < 0 || luafn_debug_line(p, call) != line)
            continue;
        if (!known || lf_op(p->code[call]) != OP_CALL || lf_c(p->code[call]) != 1)
            return false;
        drops++;
    }
    return drops > 0;
}

bool luafn_dropped_result(lua_State *L, int level, const char *name)
{
    lua_Debug called, caller;
    lf_program *p;
    if (!lua_getstack(L, level, &called) || !lua_getinfo(L, "nt", &called) || called.istailcall ||
        !called.name || strcmp(called.name, name) != 0 || !lua_getstack(L, level + 1, &caller))
        return false;
    luaL_checkstack(L, LUA_MINSTACK, NULL);
    lua_getinfo(L, "lf", &caller);
    lun_strbuf error = LUN_STRBUF_INIT;
    const bool read = caller.currentline > 0 && !lua_iscfunction(L, -1) &&
                      luafn_registry_program(L, -1, &p, &error) == LUN_OK;
    lun__strbuf_free(&error);
    lua_pop(L, 1);
    const bool drops = read && p->proto->line && all_drop(p->proto, name, caller.currentline);
    if (read)
        luafn_decoded_release(p);
    return drops;
}
