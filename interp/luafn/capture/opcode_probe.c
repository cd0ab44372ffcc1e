/* opcode_probe.c - compiles small functions with the running Lua and compares the instructions with
 * luafn/bytecode/opcodes.h: the chunk's header does not distinguish releases of 5.4, or a patched
 * Lua. */
#include "luafn/capture/function_registry.h"

#include <lauxlib.h>

#include "luafn/capture/decoded_functions.h"

typedef struct probe_row {
    const char *text; /* a function; u is an upvalue, g a global */
    int pc;
    lf_opcode op; /* at pc */
} probe_row;

static const probe_row rows[] = {
    {"function(a, b) b = a end", 0, OP_MOVE},
    {"function(a) a = 1 end", 0, OP_LOADI},
    {"function(a) a = 1.0 end", 0, OP_LOADF},
    {"function(a) a = 0.5 end", 0, OP_LOADK},
    {"function(a) a = false end", 0, OP_LOADFALSE},
    {"function(a, b) a = a == b end", 2, OP_LFALSESKIP},
    {"function(a, b) a = a == b end", 3, OP_LOADTRUE},
    {"function(a) a = nil end", 0, OP_LOADNIL},
    {"function(a) a = u end", 0, OP_GETUPVAL},
    {"function(a) u = a end", 0, OP_SETUPVAL},
    {"function(a) a = g end", 0, OP_GETTABUP},
    {"function(a, b) a = a[b] end", 0, OP_GETTABLE},
    {"function(a) a = a[1] end", 0, OP_GETI},
    {"function(a) a = a.x end", 0, OP_GETFIELD},
    {"function(a) a = a + 1 end", 0, OP_ADDI},
    {"function(a) a = a + 0.5 end", 0, OP_ADDK},
    {"function(a) a = a - 0.5 end", 0, OP_SUBK},
    {"function(a) a = a * 0.5 end", 0, OP_MULK},
    {"function(a) a = a % 0.5 end", 0, OP_MODK},
    {"function(a) a = a ^ 0.5 end", 0, OP_POWK},
    {"function(a) a = a / 0.5 end", 0, OP_DIVK},
    {"function(a) a = a // 0.5 end", 0, OP_IDIVK},
    {"function(a) a = a & 7 end", 0, OP_BANDK},
    {"function(a) a = a | 7 end", 0, OP_BORK},
    {"function(a) a = a ~ 7 end", 0, OP_BXORK},
    {"function(a) a = a >> 1 end", 0, OP_SHRI},
    {"function(a) a = 1 << a end", 0, OP_SHLI},
    {"function(a, b) a = a + b end", 0, OP_ADD},
    {"function(a, b) a = a - b end", 0, OP_SUB},
    {"function(a, b) a = a * b end", 0, OP_MUL},
    {"function(a, b) a = a % b end", 0, OP_MOD},
    {"function(a, b) a = a ^ b end", 0, OP_POW},
    {"function(a, b) a = a / b end", 0, OP_DIV},
    {"function(a, b) a = a // b end", 0, OP_IDIV},
    {"function(a, b) a = a & b end", 0, OP_BAND},
    {"function(a, b) a = a | b end", 0, OP_BOR},
    {"function(a, b) a = a ~ b end", 0, OP_BXOR},
    {"function(a, b) a = a << b end", 0, OP_SHL},
    {"function(a, b) a = a >> b end", 0, OP_SHR},
    {"function(a, b) a = a + b end", 1, OP_MMBIN},
    {"function(a) a = a + 1 end", 1, OP_MMBINI},
    {"function(a) a = a + 0.5 end", 1, OP_MMBINK},
    {"function(a) a = -a end", 0, OP_UNM},
    {"function(a) a = ~a end", 0, OP_BNOT},
    {"function(a) a = not a end", 0, OP_NOT},
    {"function(a) a = #a end", 0, OP_LEN},
    {"function(a, b) if a == b then a = b end end", 0, OP_EQ},
    {"function(a, b) if a == b then a = b end end", 1, OP_JMP},
    {"function(a, b) if a < b then a = b end end", 0, OP_LT},
    {"function(a, b) if a <= b then a = b end end", 0, OP_LE},
    {"function(a, b) if a == 0.5 then a = b end end", 0, OP_EQK},
    {"function(a, b) if a == 1 then a = b end end", 0, OP_EQI},
    {"function(a, b) if a < 1 then a = b end end", 0, OP_LTI},
    {"function(a, b) if a <= 1 then a = b end end", 0, OP_LEI},
    {"function(a, b) if a > 1 then a = b end end", 0, OP_GTI},
    {"function(a, b) if a >= 1 then a = b end end", 0, OP_GEI},
    {"function(a, b) if a then a = b end end", 0, OP_TEST},
    {"function(a, b) local c = a or b end", 0, OP_TESTSET},
    {"function(a, b) a(b) end", 2, OP_CALL},
    {"function(a, b) return a(b) end", 2, OP_TAILCALL},
    {"function(a, b) return a, b end", 2, OP_RETURN},
    {"function() end", 0, OP_RETURN0},
    {"function(a) return a end", 0, OP_RETURN1},
    {"function(a) for i = 1, a do end end", 3, OP_FORPREP},
    {"function(a) for i = 1, a do end end", 4, OP_FORLOOP},
    {"function(a) a = function() end end", 0, OP_CLOSURE},
    {"function(a) do local c; a = function() return c end end end", 3, OP_CLOSE},
};

enum { LF_ROWS = sizeof rows / sizeof *rows };

static int collect(lua_State *L, const void *bytes, size_t length, void *ctx)
{
    (void)L;
    lun__strbuf_add(ctx, bytes, length);
    return 0;
}

static lun_status compare(const lf_program *p, lun_strbuf *error)
{
    const lf_proto *chunk = p->proto;
    for (int i = 0; i < LF_ROWS; i++) {
        const lf_proto *f = chunk->ps == LF_ROWS ? chunk->p[i] : chunk;
        if (f != chunk && rows[i].pc < f->codes && lf_op(f->code[rows[i].pc]) == rows[i].op)
            continue;
        lun__strbuf_printf(error,
                           "the bytecode of this Lua is not that of Lua 5.4 (in \"%s\"): Lua "
                           "functions cannot be compiled, use C source instead",
                           rows[i].text);
        return LUN_ESCRIPT;
    }
    return LUN_OK;
}

lun_status luafn_opcode_probe(lua_State *L, lun_strbuf *error)
{
    lun_strbuf text = LUN_STRBUF_INIT;
    lf_program *p;
    lun__strbuf_puts(&text, "local u = 1; return ");
    for (int i = 0; i < LF_ROWS; i++)
        lun__strbuf_printf(&text, "%s%s", i ? ",\n" : "", rows[i].text);
    /* neither call raises an error: the parser's are a status */
    int bad = text.failed ? LUA_ERRMEM : luaL_loadbufferx(L, text.text, text.length, "=probe", "t");
    lun__strbuf_clear(&text);
    if (!bad)
        lua_dump(L, collect, &text, 0);
    lua_pop(L, 1);
    lun_status s =
        bad || text.failed ? LUN_ENOMEM : luafn_decoded_make(text.text, text.length, &p, error);
    lun__strbuf_free(&text);
    if (s != LUN_OK)
        return s;
    s = compare(p, error);
    luafn_decoded_release(p);
    return s;
}
