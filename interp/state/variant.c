/* variant.c - lun_variant: values between a host in C and Lua's stack. */
#include "state/variant.h"

#include <stdio.h>
#include <string.h>

static const char kept_key; /* of the registry: its address */

lun_status lun__variant_check(lun_engine *e, const lun_variant *v, const char *what, int number)
{
    char text[96];
    const char *wrong = NULL;
    if ((unsigned)v->type > LUN_TYPE_ARRAY)
        wrong = "has no such type";
    else if (v->type == LUN_TYPE_TEXT && !v->as.text)
        wrong = "is a text whose pointer is NULL";
    else if (v->type == LUN_TYPE_ARRAY && !v->as.array)
        wrong = "is an array whose pointer is NULL";
    else if (v->type == LUN_TYPE_ARRAY && lun_engine_of(v->as.array) != e)
        wrong = "is an array of another engine";
    if (!wrong)
        return LUN_OK;
    snprintf(text, sizeof text, "%s %d %s", what, number, wrong);
    return lun_fail(e, LUN_EARG, text);
}

void lun__variant_push(lua_State *L, lun__host *h, const lun_variant *v)
{
    switch (v->type) {
    case LUN_TYPE_NIL:
        lua_pushnil(L);
        break;
    case LUN_TYPE_BOOLEAN:
        lua_pushboolean(L, v->as.boolean);
        break;
    case LUN_TYPE_INTEGER:
        lua_pushinteger(L, v->as.integer);
        break;
    case LUN_TYPE_NUMBER:
        lua_pushnumber(L, v->as.number);
        break;
    case LUN_TYPE_TEXT:
        lua_pushlstring(L, v->as.text, v->length ? v->length : strlen(v->as.text));
        break;
    case LUN_TYPE_ARRAY: {
        lun_array **place = lun__lua_array_new(L, h);
        lun_retain(v->as.array);
        *place = v->as.array;
    }
    }
}

bool lun__variant_of(lua_State *L, lun__host *h, int i, lun_variant *out)
{
    *out = (lun_variant){.type = LUN_TYPE_NIL};
    switch (lua_type(L, i)) {
    case LUA_TNIL:
        return true;
    case LUA_TBOOLEAN:
        out->type = LUN_TYPE_BOOLEAN;
        out->as.boolean = lua_toboolean(L, i);
        return true;
    case LUA_TNUMBER:
        out->type = lua_isinteger(L, i) ? LUN_TYPE_INTEGER : LUN_TYPE_NUMBER;
        if (out->type == LUN_TYPE_INTEGER)
            out->as.integer = lua_tointeger(L, i);
        else
            out->as.number = lua_tonumber(L, i);
        return true;
    case LUA_TSTRING:
        out->type = LUN_TYPE_TEXT;
        out->as.text = lua_tolstring(L, i, &out->length);
        return true;
    default:
        if (!lun__lua_array_is(L, h, i))
            return false;
        out->type = LUN_TYPE_ARRAY;
        out->as.array = *lun__lua_array_slot(L, h, i);
        return out->as.array != NULL;
    }
}

/* "a Vector f64[3]" */
static void describe_array(const lun_array *a, char text[LUN__KIND_TEXT])
{
    static const char *const classes[] = {"Vector", "View", "Scalar", "Composition"};
    int64_t shape[LUN_MAX_RANK];
    if (lun_is_freed(a)) {
        snprintf(text, LUN__KIND_TEXT, "a freed array");
        return;
    }
    int rank = lun_shape(a, shape), room = LUN__KIND_TEXT;
    int at = snprintf(text, LUN__KIND_TEXT, "a %s %s", classes[lun_class_of(a)],
                      lun_dtype_name(lun_dtype_of(a)));
    for (int i = 0; i < rank && at < room - 24; i++)
        at +=
            snprintf(text + at, (size_t)(room - at), "%s%lld", i ? ", " : "[", (long long)shape[i]);
    if (rank && at < room)
        snprintf(text + at, (size_t)(room - at), "]");
}

void lun__variant_kind(lua_State *L, int i, char text[LUN__KIND_TEXT])
{
    const lun_array *a = lun__lua_array_at(L, i);
    const char *type = luaL_typename(L, i);
    if (a)
        describe_array(a, text);
    else
        snprintf(text, LUN__KIND_TEXT, "%s%s", lua_isnil(L, i) ? "" : "a ", type);
}

void lun__variant_keep(lua_State *L, int i)
{
    lua_pushvalue(L, i);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_key);
}
