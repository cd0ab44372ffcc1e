/* records.c - arrays of records between a host in C and scripts: descriptions of structs as
 * tables of lua/lunarray/record/host.lua, and back. */
#include "state/records.h"

#include "state/modules.h"

enum { MOST_FIELDS = 64 };

/* Pushes that function of host.lua. */
static void push_function(lua_State *L, const char *name)
{
    luaL_checkstack(L, LUA_MINSTACK, "too many values");
    lun__module_push(L, "lunarray.record.host");
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* ---- to scripts ------------------------------------------------------------------------------ */

/* Pushes {name, dtype, offset=, extents}, where a struct stands instead of the dtype's name. */
static void push_field(lua_State *L, const lun_field *f)
{
    lua_createtable(L, 3, 1);
    lua_pushstring(L, f->name);
    lua_rawseti(L, -2, 1);
    lua_pushstring(L, f->record ? f->record->name : lun_dtype_name(f->dtype));
    lua_rawseti(L, -2, 2);
    lua_pushinteger(L, (lua_Integer)f->offset);
    lua_setfield(L, -2, "offset");
    if (!f->rank)
        return;
    lua_createtable(L, f->rank, 0);
    for (int k = 0; k < f->rank; k++) {
        lua_pushinteger(L, (lua_Integer)f->extent[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_rawseti(L, -2, 3);
}

void lun__records_push(lua_State *L, lun__host *h, lun_array *a)
{
    const lun_struct *r = lun_record_struct(a);
    push_function(L, "records");
    lua_pushstring(L, r->name);
    lua_createtable(L, r->count, 0);
    lua_pushinteger(L, (lua_Integer)r->bytes);
    lua_createtable(L, r->count, 0);
    for (int k = 0; k < r->count; k++) {
        push_field(L, &r->fields[k]);
        lua_rawseti(L, -4, k + 1);
        lun_array **field = lun__lua_array_new(L, h);
        lun_status s = lun_record_field(h->engine, a, r->fields[k].name, field);
        lun__error_check(L, h, s, 1);
        if (r->fields[k].record) {
            lun__records_push(L, h, *field);
            lua_remove(L, -2);
        }
        lua_rawseti(L, -2, k + 1);
    }
    lua_call(L, 4, 1);
}

/* ---- from scripts ---------------------------------------------------------------------------- */

/* Field k of the list of fields at `rows`, with its array, at the top, which may be records. */
static void take_field(lua_State *L, lun__host *h, int rows, int k, lun_field *f)
{
    const int array = lua_gettop(L);
    lua_rawgeti(L, rows, k);
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    lua_getfield(L, -3, "offset");
    *f = (lun_field){.name = lua_tostring(L, -3), .offset = (size_t)lua_tointeger(L, -1)};
    if (lun__records_replace(L, h, array))
        f->record = lun_record_struct(*lun__lua_array_slot(L, h, array));
    else
        (void)lun_dtype_find(lua_tostring(L, -2), &f->dtype);
    if (lua_rawgeti(L, -4, 3) == LUA_TTABLE)
        f->rank = (int)lua_rawlen(L, -1);
    for (int axis = 0; axis < f->rank; axis++) {
        lua_rawgeti(L, array + 5, axis + 1);
        f->extent[axis] = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    lua_settop(L, array);
}

bool lun__records_replace(lua_State *L, lun__host *h, int i)
{
    lun_field fields[MOST_FIELDS];
    lun_array *arrays[MOST_FIELDS];
    int64_t shape[LUN_MAX_RANK];
    const int top = lua_gettop(L);
    if (!lun__record_is_at(L, i))
        return false;
    push_function(L, "parts");
    lua_pushvalue(L, i);
    lua_call(L, 1, 5); /* name, fields, bytes, arrays, shape */
    if (lua_isnil(L, top + 1)) {
        lua_settop(L, top);
        return false;
    }
    lun_struct r = {.size = sizeof r,
                    .name = lua_tostring(L, top + 1),
                    .fields = fields,
                    .count = (int)lua_rawlen(L, top + 2),
                    .bytes = (size_t)lua_tointeger(L, top + 3)};
    const int rank = (int)lua_rawlen(L, top + 5);
    luaL_checkstack(L, r.count + LUA_MINSTACK, "too many values");
    for (int k = 0; k < rank; k++) {
        lua_rawgeti(L, top + 5, k + 1);
        shape[k] = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    for (int k = 0; k < r.count; k++) { /* they stay on the stack, which keeps them */
        lua_rawgeti(L, top + 4, k + 1);
        take_field(L, h, top + 2, k + 1, &fields[k]);
        arrays[k] = *lun__lua_array_slot(L, h, lua_gettop(L));
    }
    lun_array **made = lun__lua_array_new(L, h);
    lun_status s = lun_records_of(h->engine, &r, rank, shape, arrays, made);
    lun__error_check(L, h, s, 1);
    lua_replace(L, i);
    lua_settop(L, top);
    return true;
}
