/* bytecode_fuzz.c - for libFuzzer: the code of a Lua function, damaged.  What luafn reads and
 * compiles is refused with a reason or becomes IR that keeps every rule of ir/ir.h, and running
 * that IR reads nothing outside of its arrays.  The bytes take the place of what lua_dump writes
 * (linked with --wrap=lua_dump), so that Lua's own reader, which trusts them, is never asked.
 * Closures of four upvalues stand around the code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "luafn/luafn.h"
#include "luafn_eval.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(unsigned char *data, size_t size, size_t room);
int __wrap_lua_dump(lua_State *L, lua_Writer writer, void *ctx, int strip);
int __real_lua_dump(lua_State *L, lua_Writer writer, void *ctx, int strip);

static const unsigned char *code; /* NULL: what Lua itself would write */
static size_t code_length;

int __wrap_lua_dump(lua_State *L, lua_Writer writer, void *ctx, int strip)
{
    if (!code)
        return __real_lua_dump(L, writer, ctx, strip);
    return writer(L, code, code_length, ctx);
}

static lun_array *no_array(lua_State *L, int index)
{
    (void)L, (void)index;
    return NULL;
}

static bool no_operation(lua_State *L, int index, lun_op *op)
{
    (void)L, (void)index, (void)op;
    return false;
}

static const lf_binding ask = {no_array, no_operation, NULL, NULL, NULL, NULL, NULL, NULL};

static lua_State *start(void)
{
    lua_State *L = luaL_newstate();
    if (!L)
        abort();
    luaL_openlibs(L);
    /* an upvalue of each kind; the first is the globals, as in most functions */
    if (luaL_dostring(L, "local n, g, t = 3, function(x) return x * 2 end, { 1, 2, k = 0.5 }\n"
                         "return function(x, y) return sin(x) + n + g(y) + t.k end"))
        abort();
    lun_strbuf error = LUN_STRBUF_INIT;
    lun_front front; /* the first one looks whether this Lua writes code as it should */
    if (luafn_front_make(L, 1, &ask, &front, &error) != LUN_OK)
        abort();
    front.release(front.ctx);
    lun__strbuf_free(&error);
    return L;
}

static void run(const lun_front_result *r)
{
    const lun_ir_function *f = r->function;
    uint64_t args[256] = {0};
    eval e = {.most = 20000};
    if (f->body->arg_count > 256 || r->arrays)
        return;
    for (int i = 0; i < f->body->arg_count; i++)
        args[i] = lun__dtype_cell_from_value((lun_dtype)f->body->args[i],
                                             (lun_value){.dtype = LUN_F64, .as.d = 1 + i});
    if (!eval_prepare(&e, f->body))
        return;
    eval_run(&e, args, NULL);
    if (e.fault && strcmp(e.fault, "an endless loop")) {
        fprintf(stderr, "%s\n", e.fault);
        abort();
    }
    eval_free(&e);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static lua_State *L;
    static const lun_dtype types[] = {LUN_F64, LUN_I64, LUN_F32, LUN_BOOL, LUN_U8};
    lun_strbuf error = LUN_STRBUF_INIT;
    lun_front front;
    if (!L)
        L = start();
    if (size < 2)
        return 0;
    lun_front_param params[2] = {{types[data[0] % 5], false, data[0] & 64, 0, 0},
                                 {types[data[1] % 5], false, data[1] & 64, 0, 0}};
    code = data + 2;
    code_length = size - 2;
    lun_status s = luafn_front_make(L, 1, &ask, &front, &error);
    if (s == LUN_OK) {
        lun_front_result r = {.function = NULL};
        s = front.specialise(front.ctx, params, 1 + (data[0] >> 7), &r, &error);
        if (s == LUN_OK) {
            if (lun__ir_verify(r.function->body, &error) != LUN_OK) {
                fprintf(stderr, "%s\n", lun__strbuf_text(&error));
                abort();
            }
            run(&r);
        }
        front.release(front.ctx);
    }
    if (s != LUN_OK && !error.length)
        abort(); /* refused without a reason */
    code = NULL;
    lun__strbuf_free(&error);
    lua_gc(L, LUA_GCSTEP, 10);
    return 0;
}

/* Half of the changes are to a single instruction or between instructions, which keeps
 * the rest readable. */
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t room, unsigned seed)
{
    if (size < 64 || seed % 2)
        return LLVMFuzzerMutate(data, size, room);
    size_t at = 40 + seed / 2 % (size - 48), from = 40 + seed / 77 % (size - 48);
    switch (seed / 2 % 5) {
    case 0:
        data[at] = (unsigned char)(seed >> 13);
        break;
    case 1:
        data[at] ^= (unsigned char)(1u << (seed >> 11 & 7));
        break;
    case 2:
        memmove(data + at, data + from, 4);
        break;
    case 3: /* an opcode stands in the lowest seven bits */
        data[at] = (unsigned char)((data[at] & 0x80) | (seed >> 9) % 83);
        break;
    default:
        data[seed >> 5 & 1] = (unsigned char)(seed >> 9);
    }
    return size;
}
