/* load_save.c - lun.load, lun.save, lun.decode, lun.encode and lun.sql of the module, called from
 * C. Options are text, which lua/lunarray/base/literals.lua reads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state/embed.h"
#include "state/modules.h"
#include "state/variant.h"

/* A call: the first member is what lun__embed_run takes. */
typedef struct call {
    lun__job job;        /* text: the path, or the format; found, length: bytes of that format */
    const char *options; /* NULL: none */
    const lun_variant *value;
    lun_variant result;
    void *bytes;              /* encoded, */
    size_t size;              /* and their number */
    const char *const *names; /* of tables of a statement */
    lun_table *const *tables;
    int64_t count;
} call;

/* Pushes a function of the module, not of a script's copy. */
static void push_function(lua_State *L, const char *name)
{
    lun__module_push(L, "lunarray.format.io");
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* Pushes the options; false: they are none, and the failure is recorded. */
static bool push_options(lua_State *L, call *c)
{
    lun__module_push(L, "lunarray.base.literals");
    lua_getfield(L, -1, "read");
    lua_remove(L, -2);
    lua_pushstring(L, c->options);
    lua_call(L, 1, 2);
    if (lua_isnil(L, -2))
        c->job.status = lun_fail(c->job.engine, LUN_EARG, lua_tostring(L, -1));
    lua_pop(L, 1);
    return !lua_isnil(L, -1);
}

/* The module's failure, at i: nil, a message. */
static int fail(lua_State *L, lun__job *j, int i)
{
    const char *text = luaL_tolstring(L, i + 1, NULL);
    j->status = lun_fail(j->engine, LUN_EIO, text);
    return 0;
}

/* The first result of a function, at i, as the call's. */
static int take_result(lua_State *L, call *c, int i)
{
    if (lua_isnil(L, i))
        return fail(L, &c->job, i);
    if (!lun__variant_of(L, lun__host_here(L), i, &c->result))
        return luaL_error(L, "records are no array or table: load them from a script");
    lun__variant_retain(&c->result);
    return 0;
}

/* ---- in Lua ---------------------------------------------------------------------------------- */

static int load_value(lua_State *L)
{
    call *c = lua_touserdata(L, 1);
    push_function(L, "load");
    lua_pushstring(L, c->job.text);
    if (!push_options(L, c))
        return 0;
    lua_call(L, 2, 2);
    return take_result(L, c, lua_gettop(L) - 1);
}

static int decode_value(lua_State *L)
{
    call *c = lua_touserdata(L, 1);
    push_function(L, "decode");
    lua_pushlstring(L, c->job.found, c->job.length);
    lua_pushstring(L, c->job.text);
    if (!push_options(L, c))
        return 0;
    lua_call(L, 3, 2);
    return take_result(L, c, lua_gettop(L) - 1);
}

static int save_value(lua_State *L)
{
    call *c = lua_touserdata(L, 1);
    push_function(L, "save");
    lua_pushstring(L, c->job.text);
    lun__variant_push(L, lun__host_here(L), c->value);
    if (!push_options(L, c))
        return 0;
    lua_call(L, 3, 2);
    const int at = lua_gettop(L) - 1;
    return lua_toboolean(L, at) ? 0 : fail(L, &c->job, at);
}

static int encode_value(lua_State *L)
{
    call *c = lua_touserdata(L, 1);
    push_function(L, "encode");
    lun__variant_push(L, lun__host_here(L), c->value);
    lua_pushstring(L, c->job.text);
    if (!push_options(L, c))
        return 0;
    lua_call(L, 3, 2);
    const int at = lua_gettop(L) - 1;
    const char *text = lua_tolstring(L, at, &c->size);
    if (!text)
        return fail(L, &c->job, at);
    c->bytes = malloc(c->size + !c->size);
    if (c->bytes)
        memcpy(c->bytes, text, c->size);
    else
        c->job.status = lun_fail(c->job.engine, LUN_ENOMEM, "not enough memory for the bytes");
    return 0;
}

static int sql_value(lua_State *L)
{
    call *c = lua_touserdata(L, 1);
    lun__module_push(L, "lunarray.format.duckdb");
    lua_getfield(L, -1, "sql_of_host");
    lua_pushstring(L, c->job.text);
    lua_newtable(L);
    lua_newtable(L);
    for (int64_t k = 0; k < c->count; k++) {
        const lun_variant v = {.type = LUN_TYPE_TABLE, .as.table = c->tables[k]};
        lua_pushstring(L, c->names[k]);
        lua_rawseti(L, -3, k + 1);
        lun__variant_push(L, lun__host_here(L), &v);
        lua_rawseti(L, -2, k + 1);
    }
    if (!push_options(L, c))
        return 0;
    lua_call(L, 4, 2);
    return take_result(L, c, lua_gettop(L) - 1);
}

#define PROTECTED(name)                               \
    static int name##_protected(lua_State *L)         \
    {                                                 \
        return lun__embed_with_host(L, name##_value); \
    }
PROTECTED(load)
PROTECTED(save)
PROTECTED(decode)
PROTECTED(encode)
PROTECTED(sql)

/* ---- from C ---------------------------------------------------------------------------------- */

static lun_status no_place(lun_engine *e)
{
    return lun_fail(e, LUN_EARG, "the pointer for the result is missing (NULL)");
}

lun_status lun_load_any(lun_engine *e, const char *path, const char *options, lun_variant *out)
{
    call c = {.job = {.text = path}, .options = options};
    if (e && !out)
        return no_place(e);
    lun_status s = lun__embed_call(e, load_protected, &c.job);
    if (s == LUN_OK)
        *out = c.result;
    return s;
}

lun_status lun_save_any(lun_engine *e, const char *path, const lun_variant *v, const char *options)
{
    call c = {.job = {.text = path}, .options = options, .value = v};
    if (e && !v)
        return lun_fail(e, LUN_EARG, "a value is missing (NULL)");
    lun_status s = e ? lun__variant_check(e, v, "argument", 2) : LUN_EARG;
    return s == LUN_OK ? lun__embed_call(e, save_protected, &c.job) : s;
}

lun_status lun_decode(lun_engine *e, const void *bytes, size_t n, const char *format,
                      const char *options, lun_variant *out)
{
    call c = {.job = {.text = format, .found = n ? bytes : "", .length = n}, .options = options};
    if (e && !out)
        return no_place(e);
    if (e && n && !bytes)
        return lun_fail(e, LUN_EARG, "the bytes are missing (NULL)");
    lun_status s = lun__embed_call(e, decode_protected, &c.job);
    if (s == LUN_OK)
        *out = c.result;
    return s;
}

lun_status lun_encode(lun_engine *e, const lun_variant *v, const char *format, const char *options,
                      void **bytes, size_t *n)
{
    call c = {.job = {.text = format}, .options = options, .value = v};
    if (e && (!bytes || !n))
        return no_place(e);
    if (e && !v)
        return lun_fail(e, LUN_EARG, "a value is missing (NULL)");
    lun_status s = e ? lun__variant_check(e, v, "argument", 1) : LUN_EARG;
    if (s == LUN_OK)
        s = lun__embed_call(e, encode_protected, &c.job);
    if (s == LUN_OK) {
        *bytes = c.bytes;
        *n = c.size;
    }
    return s;
}

lun_status lun_sql(lun_engine *e, const char *text, const char *const *names,
                   lun_table *const *tables, int64_t n, const char *options, lun_variant *out)
{
    call c = {.job = {.text = text}, .options = options, .names = names, .tables = tables};
    if (e && !out)
        return no_place(e);
    if (e && (n < 0 || (n && (!names || !tables))))
        return lun_fail(e, LUN_EARG, "the tables are missing (NULL)");
    for (int64_t k = 0; e && k < n; k++) {
        const lun_variant v = {.type = LUN_TYPE_TABLE, .as.table = tables[k]};
        const lun_status s = names[k] ? lun__variant_check(e, &v, "table", (int)k + 1) : LUN_EARG;
        if (s != LUN_OK)
            return names[k] ? s : lun_fail(e, LUN_EARG, "a table has no name (NULL)");
    }
    c.count = n;
    const lun_status s = lun__embed_call(e, sql_protected, &c.job);
    if (s == LUN_OK)
        *out = c.result;
    return s;
}

/* The result of a load if it is of that type; else what it is instead, and LUN_EARG. */
static lun_status load_typed(lun_engine *e, const char *path, const char *options, lun_type type,
                             const char *instead, lun_variant *out)
{
    char text[512];
    lun_status s = lun_load_any(e, path, options, out);
    if (s != LUN_OK || out->type == type)
        return s;
    lun__variant_release(out);
    snprintf(text, sizeof text, "%s contains %s", path, instead);
    return lun_fail(e, LUN_EARG, text);
}

lun_status lun_load(lun_engine *e, const char *path, lun_array **out)
{
    lun_variant v;
    if (e && !out)
        return no_place(e);
    lun_status s = load_typed(e, path, NULL, LUN_TYPE_ARRAY,
                              "several columns, not one array: lun_table_load reads them", &v);
    if (s == LUN_OK)
        *out = v.as.array;
    return s;
}

lun_status lun_table_load(lun_engine *e, const char *path, const char *options, lun_table **out)
{
    lun_variant v;
    if (e && !out)
        return no_place(e);
    lun_status s = load_typed(e, path, options, LUN_TYPE_TABLE,
                              "one array, not a table: lun_load reads it", &v);
    if (s == LUN_OK)
        *out = v.as.table;
    return s;
}

lun_status lun_save(lun_engine *e, const char *path, lun_array *a)
{
    return lun_save_any(e, path, &(lun_variant){.type = LUN_TYPE_ARRAY, .as.array = a}, NULL);
}
