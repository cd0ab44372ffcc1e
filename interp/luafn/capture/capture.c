/* capture.c - inspects upvalues and fields and classifies their values. */
#include "luafn/capture/capture.h"

#include <math.h>
#include <string.h>

#include "luafn/capture/function_registry.h"
#include "lunarray_bind.h"

/* The most tables along a chain of __index. */
enum { LF_INDEX_CHAIN = 50 };

static void push_key(lua_State *L, const lf_source *s)
{
    if (s->field)
        lua_pushstring(L, s->field);
    else
        lua_pushinteger(L, s->key);
}

/* The function __index on the top is called with the table below it; its result, nil after an
 * error, replaces table, nil and metatable. */
static void call_index(lua_State *L, const lf_source *s)
{
    lua_pushvalue(L, -4);
    push_key(L, s);
    if (lua_pcall(L, 2, 1, 0) != LUA_OK) {
        lua_pop(L, 1);
        lua_pushnil(L);
    }
    lua_replace(L, -3);
    lua_pop(L, 1);
}

/* Pushes what the value on the top has itself: nil of a userdata. */
static int push_own(lua_State *L, const lf_source *s)
{
    if (!lua_istable(L, -1)) {
        lua_pushnil(L);
        return LUA_TNIL;
    }
    push_key(L, s);
    return lua_rawget(L, -2);
}

/* Pushes the field or element of t that s is, following __index. */
static void push_field(lua_State *L, int t, const lf_source *s)
{
    lua_pushvalue(L, t);
    for (int i = 0;; i++) {
        if (push_own(L, s) != LUA_TNIL)
            break;
        if (!lua_getmetatable(L, -2))
            break;
        lua_pushliteral(L, "__field"); /* of records, whose methods may have such names */
        if (lua_rawget(L, -2) == LUA_TNIL) {
            lua_pop(L, 1);
            lua_pushliteral(L, "__index");
            lua_rawget(L, -2);
        }
        if (lua_isfunction(L, -1)) {
            call_index(L, s);
            break;
        }
        lua_replace(L, -4); /* table, nil, metatable, __index -> __index, nil, metatable */
        lua_pop(L, 1);
        if (!lua_istable(L, -2) || i == LF_INDEX_CHAIN)
            break;
        lua_pop(L, 1);
    }
    lua_remove(L, -2);
}

static void capture_number(lua_State *L, const lf_source *s, lf_capture *out)
{
    static const char *const fixed[] = {"pi", "huge", "maxinteger", "mininteger"};
    static const double values[] = {3.141592653589793238462643383279502884, HUGE_VAL};
    if (lua_isinteger(L, -1)) {
        int64_t i = lua_tointeger(L, -1);
        out->value = (lun_value){.dtype = LUN_I64, .as.i = i};
        out->kind = i >= -(1 << 24) && i <= 1 << 24    ? LF_CAPTURE_INT24
                    : i >= -(1 << 30) && i <= 1 << 30  ? LF_CAPTURE_INT30
                    : i >= INT32_MIN && i <= INT32_MAX ? LF_CAPTURE_INT32
                                                       : LF_CAPTURE_INT64;
        for (int k = 2; s->field && k < 4; k++)
            if (!strcmp(s->field, fixed[k]) && i == (k == 2 ? INT64_MAX : INT64_MIN))
                out->kind = LF_CAPTURE_FIXED;
        return;
    }
    out->value = (lun_value){.dtype = LUN_F64, .as.d = lua_tonumber(L, -1)};
    out->kind = LF_CAPTURE_FLOAT;
    for (int k = 0; s->field && k < 2; k++)
        if (!strcmp(s->field, fixed[k]) && out->value.as.d == values[k])
            out->kind = LF_CAPTURE_FIXED;
}

/* A C function: of math, or an operation of the binding. */
static void capture_builtin(const lf_capture_context *v, lua_CFunction f, lf_capture *out)
{
    const lf_host *h = v->host;
    for (int k = 0; k < LF_MATH_COUNT; k++)
        if (f == h->math[k]) {
            out->kind = LF_CAPTURE_BUILTIN;
            out->math = (lf_math)k;
            return;
        }
    for (int k = 0; k < h->rows; k++)
        if (f == h->row[k].function) {
            out->kind = LF_CAPTURE_ROW;
            out->op = h->row[k].op;
            out->strict = true;
            return;
        }
    if (v->ask.operation(v->L, lua_gettop(v->L), &out->op))
        out->kind = LF_CAPTURE_ROW;
    int former =
        out->kind == LF_CAPTURE_ROW || !v->ask.former ? -1 : v->ask.former(v->L, lua_gettop(v->L));
    if (former >= 0) {
        out->kind = LF_CAPTURE_FORMER;
        out->former = former;
        return;
    }
    int atomic =
        out->kind == LF_CAPTURE_ROW || !v->ask.atomic ? -1 : v->ask.atomic(v->L, lua_gettop(v->L));
    if (atomic < 0)
        return;
    out->kind = LF_CAPTURE_ATOMIC;
    out->atomic = (lun_atomic)atomic;
}

static lun_status capture_function(const lf_capture_context *v, const lf_source *s, lf_capture *out,
                                   lun_strbuf *error)
{
    lua_State *L = v->L;
    out->kind = LF_CAPTURE_OTHER;
    if (lua_iscfunction(L, -1)) {
        capture_builtin(v, lua_tocfunction(L, -1), out);
        return LUN_OK;
    }
    out->kernel_form = v->ask.kernel_form && v->ask.kernel_form(L, lua_gettop(L));
    if (out->kernel_form)
        lua_replace(L, -2);
    out->kind = LF_CAPTURE_FUNCTION;
    out->closure = lua_topointer(L, -1);
    if (s->known && out->closure == s->known) {
        out->program = s->capture.program;
        out->program->refs++;
        return LUN_OK;
    }
    return luafn_registry_program(L, -1, &out->program, error);
}

static void capture_array(lun_array *a, lf_capture *out)
{
    out->kind = LF_CAPTURE_ARRAY;
    out->array = a;
    out->dtype = (lun_dtype)lun__dtype_get(lun_dtype_of(a))->compute;
    out->stored = lun_dtype_of(a);
    out->rank = lun_shape(a, out->shape);
    out->small = true;
    for (int k = 0; k < out->rank; k++)
        out->small &= out->shape[k] <= 1 << 30;
}

/* Only how many axes there are: the rest is that of the parts. */
static void capture_complex(const lun_array *a, lf_capture *out)
{
    int64_t shape[LUN_MAX_RANK];
    out->kind = LF_CAPTURE_COMPLEX;
    out->rank = a ? lun_shape(a, shape) : -1;
}

/* Records, a struct or a blocked array; else out stays as it is. */
static void capture_fields(const lf_capture_context *v, lf_capture *out)
{
    lua_State *L = v->L;
    lf_fields kind = v->ask.fields ? v->ask.fields(L, lua_gettop(L)) : LF_NO_FIELDS;
    if (kind == LF_NO_FIELDS)
        return;
    const void *fields = lua_topointer(L, -1);
    lua_pop(L, 1);
    static const lf_capture_kind kinds[] = {[LF_OF_STRUCT] = LF_CAPTURE_STRUCT,
                                            [LF_OF_RECORDS] = LF_CAPTURE_RECORDS,
                                            [LF_OF_BLOCKED] = LF_CAPTURE_BLOCKED};
    out->kind = kinds[kind];
    out->closure = kind == LF_OF_RECORDS ? fields : lua_topointer(L, -1);
}

/* A name that a method of t takes as a string, as the engine's copy, so that equal names have one
 * address. */
static const char *word_of(const char *text)
{
    static const char apart[] = "nobarrier";
    lun_op op;
    for (int k = 0; k < LUN_DTYPE_COUNT; k++)
        if (!strcmp(text, lun_dtype_name((lun_dtype)k)))
            return lun_dtype_name((lun_dtype)k);
    if (lun_op_find(text, 2, &op))
        return lun__op_get(op)->name;
    return strcmp(text, apart) ? NULL : apart;
}

lun_status luafn_capture(const lf_capture_context *v, const lf_source *list, int i, lf_capture *out,
                         lun_strbuf *error)
{
    lua_State *L = v->L;
    const lf_source *s = &list[i];
    memset(out, 0, sizeof *out);
    luaL_checkstack(L, 8, "a Lua function captures too many values");
    if (!s->upvalue)
        push_field(L, v->base + s->parent, s);
    else if (!lua_getupvalue(L, v->base + s->parent, s->upvalue))
        lua_pushnil(L);
    switch (lua_type(L, -1)) {
    case LUA_TNIL:
        out->kind = LF_CAPTURE_NIL;
        break;
    case LUA_TBOOLEAN:
        out->kind = LF_CAPTURE_BOOL;
        out->value = (lun_value){.dtype = LUN_BOOL, .as.u = lua_toboolean(L, -1) != 0};
        break;
    case LUA_TNUMBER:
        capture_number(L, s, out);
        break;
    case LUA_TSTRING:
        out->kind = LF_CAPTURE_STRING;
        out->word = word_of(lua_tostring(L, -1));
        break;
    case LUA_TTABLE:
        out->kind = LF_CAPTURE_TABLE;
        capture_fields(v, out);
        break;
    case LUA_TLIGHTUSERDATA:
        out->kind = LF_CAPTURE_PARAM;
        out->argument = (int)(intptr_t)lua_touserdata(L, -1);
        break;
    case LUA_TFUNCTION:
        return capture_function(v, s, out, error);
    default: {
        lun_array *a = lua_isuserdata(L, -1) ? v->ask.array(L, lua_gettop(L)) : NULL;
        if (!a && lua_isuserdata(L, -1) && v->ask.shifted)
            a = v->ask.shifted(L, lua_gettop(L), out->shift);
        out->kind = LF_CAPTURE_OTHER;
        if (a && lun_is_freed(a)) {
            lun__strbuf_printf(error, "attempt to use a freed Vector ('%s')",
                               s->name ? s->name : "?");
            return error->failed ? LUN_ENOMEM : LUN_EFREED;
        }
        if (!a && lua_isuserdata(L, -1) && v->ask.buffer && v->ask.buffer(L, lua_gettop(L))) {
            lun__strbuf_printf(error,
                               "'%s' is captured: pass the buffer as an argument, of lun.task",
                               s->name ? s->name : "?");
            return error->failed ? LUN_ENOMEM : LUN_EARG;
        }
        if (lua_isuserdata(L, -1) && v->ask.complex && v->ask.complex(L, lua_gettop(L)))
            capture_complex(a, out);
        else if (a)
            capture_array(a, out);
        else if (lua_isuserdata(L, -1) && v->ask.operation(L, lua_gettop(L), &out->op))
            out->kind = LF_CAPTURE_ROW;
        else
            capture_fields(v, out);
    }
    }
    return LUN_OK;
}

bool luafn_capture_same(const lf_capture *then, const lf_capture *now)
{
    if (then->kind != now->kind || (then->pinned && then->value.as.i != now->value.as.i))
        return false;
    switch (then->kind) {
    case LF_CAPTURE_FIXED:
        return then->value.dtype == now->value.dtype && then->value.as.u == now->value.as.u;
    case LF_CAPTURE_STRING:
        return then->word == now->word;
    case LF_CAPTURE_FUNCTION:
        return then->program == now->program;
    case LF_CAPTURE_STRUCT:
        return then->closure == now->closure;
    case LF_CAPTURE_RECORDS:
        return !then->whole || then->closure == now->closure;
    case LF_CAPTURE_BUILTIN:
        return then->math == now->math;
    case LF_CAPTURE_ROW:
        return then->op == now->op && then->strict == now->strict;
    case LF_CAPTURE_ATOMIC:
        return then->atomic == now->atomic;
    case LF_CAPTURE_FORMER:
        return then->former == now->former;
    case LF_CAPTURE_PARAM:
        return then->argument == now->argument;
    case LF_CAPTURE_COMPLEX:
        return then->rank == now->rank;
    case LF_CAPTURE_ARRAY:
        return then->stored == now->stored && then->rank == now->rank &&
               then->small == now->small && !memcmp(then->shift, now->shift, sizeof now->shift);
    default:
        return true;
    }
}
