/* variant.c - lun_variant: values between a host in C and Lua's stack. */
#include "state/variant.h"

#include <stdio.h>
#include <string.h>

#include "state/modules.h"
#include "state/records.h"

static const char kept_key; /* of the registry: its address */

lun_status lun__variant_check(lun_engine *e, const lun_variant *v, const char *what, int number)
{
    char text[96];
    const char *wrong = NULL;
    if ((unsigned)v->type > LUN_TYPE_TABLE)
        wrong = "has no such type";
    else if (v->type == LUN_TYPE_TEXT && !v->as.text)
        wrong = "is a text whose pointer is NULL";
    else if (v->type == LUN_TYPE_ARRAY && !v->as.array)
        wrong = "is an array whose pointer is NULL";
    else if (v->type == LUN_TYPE_ARRAY && lun_engine_of(v->as.array) != e)
        wrong = "is an array of another engine";
    else if (v->type == LUN_TYPE_TABLE && !v->as.table)
        wrong = "is a table whose pointer is NULL";
    else if (v->type == LUN_TYPE_TABLE && lun_table_engine(v->as.table) != e)
        wrong = "is a table of another engine";
    if (!wrong)
        return LUN_OK;
    snprintf(text, sizeof text, "%s %d %s", what, number, wrong);
    return lun_fail(e, LUN_EARG, text);
}

void lun__variant_push_verb(lua_State *L, const char *name)
{
    lun__module_push(L, "lunarray.table.lists");
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* The table of columns at i, which is replaced by a userdata that holds it; NULL: it is none. */
static lun_table *table_at(lua_State *L, lun__host *h, int i)
{
    lun_table *t = NULL;
    const int top = lua_gettop(L);
    luaL_checkstack(L, 12, "too many values");
    lun__variant_push_verb(L, "of");
    lua_pushvalue(L, i);
    lua_call(L, 1, 2);
    if (!lua_isnil(L, top + 1)) {
        lun_status s = lun__lua_table_make(L, h, top + 1, top + 2);
        lun__error_check(L, h, s, 1);
        t = *(lun_table **)lua_touserdata(L, -1);
        lua_replace(L, i);
    }
    lua_settop(L, top);
    return t;
}

/* Pushes the number that a weak complex Scalar is; false: the array is another one. */
static bool push_complex(lua_State *L, lun__host *h, lun_array *a)
{
    double re, im;
    if (!lun_is_weak(a) || lun_dtype_kind(lun_dtype_of(a)) != LUN_KIND_COMPLEX ||
        lun_getcomplex(h->engine, a, 0, &re, &im) != LUN_OK)
        return false;
    lun__lua_complex_number_push(L, h, re, im);
    return true;
}

/* Replaces a complex number at i by a weak Scalar; false: another value is there. */
static bool replace_complex(lua_State *L, lun__host *h, int i)
{
    double z[2];
    if (!lun__lua_complex_number_at(L, h, i, z))
        return false;
    lun_array **place = lun__lua_array_new(L, h);
    lun__error_check(L, h, lun_complex_number(h->engine, z[0], z[1], place), 1);
    lua_replace(L, i);
    return true;
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
        if (lun_record_struct(v->as.array)) {
            lun__records_push(L, h, v->as.array);
            break;
        }
        if (push_complex(L, h, v->as.array))
            break;
        lun_array **place = lun__lua_array_new(L, h);
        lun_retain(v->as.array);
        *place = v->as.array;
        break;
    }
    case LUN_TYPE_TABLE:
        lun__variant_push_verb(L, "table");
        lun__lua_table_lists(L, h, v->as.table);
        lua_call(L, 2, 1);
    }
}

void lun__variant_retain(const lun_variant *v)
{
    if (v->type == LUN_TYPE_ARRAY)
        lun_retain(v->as.array);
    else if (v->type == LUN_TYPE_TABLE)
        lun_table_retain(v->as.table);
}

void lun__variant_release(const lun_variant *v)
{
    if (v->type == LUN_TYPE_ARRAY)
        lun_release(v->as.array);
    else if (v->type == LUN_TYPE_TABLE)
        lun_table_release(v->as.table);
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
    case LUA_TTABLE:
        if (lun__records_replace(L, h, i)) {
            out->type = LUN_TYPE_ARRAY;
            out->as.array = *lun__lua_array_slot(L, h, i);
            return true;
        }
        out->as.table = table_at(L, h, i);
        out->type = out->as.table ? LUN_TYPE_TABLE : LUN_TYPE_NIL;
        return out->as.table != NULL;
    default:
        if (!lun__lua_array_is(L, h, i) && !replace_complex(L, h, i))
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
