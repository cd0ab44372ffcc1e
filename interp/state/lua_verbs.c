/* lua_verbs.c - the C interface to verbs of tables: each calls its function of
 * lua/lunarray/table/lists.lua in the engine's own state. */
#include <string.h>

#include "state/embed.h"
#include "state/variant.h"

/* A call: the first member is what lun__embed_run takes. */
typedef struct verb {
    lun__job job; /* its text is the function's name, its array and table are arguments */
    lun_table *other;
    lun_table *const *tables;
    const char *const *names;
    int64_t n, count;
    const lun_table_aggregate *aggregates;
    lun_table_sort_options sort;
    lun_table_group_options group;
    lun_table_join_options join;
    bool joined;
    int (*push)(lua_State *L, lun__host *h, const struct verb *v); /* how many arguments */
} verb;

/* ---- the call -------------------------------------------------------------------------------- */

static void push_table(lua_State *L, lun__host *h, lun_table *t)
{
    lun__variant_push(L, h, &(lun_variant){.type = LUN_TYPE_TABLE, .as.table = t});
}

static void push_names(lua_State *L, const char *const *names, int64_t n)
{
    lua_createtable(L, (int)n, 0);
    for (int64_t k = 0; k < n; k++) {
        lua_pushstring(L, names[k]);
        lua_rawseti(L, -2, k + 1);
    }
}

static int call_with_host(lua_State *L)
{
    verb *v = lua_touserdata(L, 1);
    lun__host *h = lun__host_here(L);
    lun_variant result;
    luaL_checkstack(L, 16, NULL);
    lun__variant_push_verb(L, v->job.text);
    lua_call(L, v->push(L, h, v), 1);
    if (!lun__variant_of(L, h, lua_gettop(L), &result))
        return luaL_error(L, "'%s' gave no table", v->job.text);
    lun__variant_retain(&result);
    v->job.table = result.as.table;
    return 0;
}

static int call_verb(lua_State *L)
{
    return lun__embed_with_host(L, call_with_host);
}

/* Whether a pointer is missing among these names. */
static bool has_gap(const char *const *names, int64_t n)
{
    bool gap = n < 0 || (n && !names);
    for (int64_t k = 0; !gap && k < n; k++)
        gap = !names[k];
    return gap;
}

static lun_status run(lun_engine *e, verb *v, const lun_table *t, lun_table **out)
{
    const lun_variant table = {.type = LUN_TYPE_TABLE, .as.table = (lun_table *)(uintptr_t)t};
    if (!e)
        return LUN_EARG;
    if (!out || has_gap(v->names, v->n))
        return lun_fail(e, LUN_EARG, "a name or the pointer for the result is missing (NULL)");
    lun_status s = lun__variant_check(e, &table, "argument", 1);
    if (s == LUN_OK)
        s = lun__embed_call(e, call_verb, &v->job);
    if (s == LUN_OK)
        *out = v->job.table;
    return s;
}

/* What a caller's options say: as many bytes as both have. */
static lun_status take_options(lun_engine *e, void *to, const void *from, size_t size)
{
    size_t room = size;
    if (from)
        memcpy(&room, from, sizeof room);
    if (room < sizeof room)
        return lun_fail(e, LUN_EARG, "options without their size");
    if (from)
        memcpy(to, from, room < size ? room : size);
    return LUN_OK;
}

static void set_text(lua_State *L, const char *name, const char *text)
{
    if (text) {
        lua_pushstring(L, text);
        lua_setfield(L, -2, name);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int push_array(lua_State *L, lun__host *h, const verb *v)
{
    push_table(L, h, v->job.native);
    lun__variant_push(L, h, &(lun_variant){.type = LUN_TYPE_ARRAY, .as.array = v->job.array});
    return 2;
}

static lun_status by_array(lun_engine *e, const char *name, lun_table *t, lun_array *a,
                           lun_table **out)
{
    const lun_variant array = {.type = LUN_TYPE_ARRAY, .as.array = a};
    verb v = {.job = {.text = name, .array = a, .native = t}, .push = push_array};
    lun_status s = e ? lun__variant_check(e, &array, "argument", 2) : LUN_EARG;
    return s == LUN_OK ? run(e, &v, t, out) : s;
}

lun_status lun_table_filter(lun_engine *e, lun_table *t, lun_array *mask, lun_table **out)
{
    return by_array(e, "filter", t, mask, out);
}

lun_status lun_table_take(lun_engine *e, lun_table *t, lun_array *rows, lun_table **out)
{
    return by_array(e, "take", t, rows, out);
}

static int push_sort(lua_State *L, lun__host *h, const verb *v)
{
    push_table(L, h, v->job.native);
    push_names(L, v->names, v->n);
    lua_createtable(L, (int)v->n, 0);
    for (int64_t k = 0; k < v->n; k++) {
        lua_pushboolean(L, v->sort.descending && v->sort.descending[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_pushstring(L, v->sort.missing_first ? "first" : "last");
    return 4;
}

lun_status lun_table_sort(lun_engine *e, lun_table *t, const char *const *names, int64_t n,
                          const lun_table_sort_options *options, lun_table **out)
{
    verb v = {.job = {.text = "sort", .native = t}, .names = names, .n = n, .push = push_sort};
    lun_status s = e ? take_options(e, &v.sort, options, sizeof v.sort) : LUN_EARG;
    return s == LUN_OK ? run(e, &v, t, out) : s;
}

static int push_concat(lua_State *L, lun__host *h, const verb *v)
{
    lua_createtable(L, (int)v->count, 0);
    for (int64_t k = 0; k < v->count; k++) {
        push_table(L, h, v->tables[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_pushboolean(L, v->joined);
    return 2;
}

lun_status lun_table_concat(lun_engine *e, lun_table *const *tables, int64_t n, bool joined,
                            lun_table **out)
{
    verb v = {.job = {.text = "concat"}, .tables = tables, .count = n, .joined = joined};
    v.push = push_concat;
    if (e && (n < 1 || !tables))
        return lun_fail(e, LUN_EARG, "no tables to concatenate");
    for (int64_t k = 1; e && k < n; k++) {
        const lun_variant table = {.type = LUN_TYPE_TABLE, .as.table = tables[k]};
        lun_status s = lun__variant_check(e, &table, "table", (int)k);
        if (s != LUN_OK)
            return s;
    }
    return run(e, &v, e ? tables[0] : NULL, out);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* {name, function, column, other or quantile} */
static void push_aggregate(lua_State *L, const lun_table_aggregate *a)
{
    int k = 3;
    lua_createtable(L, 4, 0);
    lua_pushstring(L, a->name);
    lua_rawseti(L, -2, 1);
    lua_pushstring(L, a->function);
    lua_rawseti(L, -2, 2);
    if (a->column) {
        lua_pushstring(L, a->column);
        lua_rawseti(L, -2, k++);
    }
    if (a->other) {
        lua_pushstring(L, a->other);
        lua_rawseti(L, -2, k++);
    }
    if (!strcmp(a->function, "quantile")) {
        lua_pushnumber(L, a->quantile);
        lua_rawseti(L, -2, k);
    }
}

static int push_group(lua_State *L, lun__host *h, const verb *v)
{
    push_table(L, h, v->job.native);
    push_names(L, v->names, v->n);
    lua_createtable(L, 0, 2);
    set_text(L, "order", v->group.first_order ? "first" : NULL);
    lua_pushboolean(L, v->group.drop_missing);
    lua_setfield(L, -2, "dropna");
    lua_createtable(L, (int)v->count, 0);
    for (int64_t k = 0; k < v->count; k++) {
        push_aggregate(L, &v->aggregates[k]);
        lua_rawseti(L, -2, k + 1);
    }
    return 4;
}

lun_status lun_table_group_agg(lun_engine *e, lun_table *t, const char *const *keys, int64_t n,
                               const lun_table_aggregate *aggregates, int64_t count,
                               const lun_table_group_options *options, lun_table **out)
{
    verb v = {.job = {.text = "group_agg", .native = t}, .names = keys, .n = n, .push = push_group};
    bool gap = count < 0 || (count && !aggregates);
    for (int64_t k = 0; !gap && k < count; k++)
        gap = !aggregates[k].name || !aggregates[k].function;
    if (e && gap)
        return lun_fail(e, LUN_EARG, "an aggregate, its name or its function is missing (NULL)");
    v.aggregates = aggregates;
    v.count = count;
    lun_status s = e ? take_options(e, &v.group, options, sizeof v.group) : LUN_EARG;
    return s == LUN_OK ? run(e, &v, t, out) : s;
}

/* ---- joins ----------------------------------------------------------------------------------- */

/* Keys: a list of names, or a table of left and right names; nil: all that both tables have. */
static void push_keys(lua_State *L, const verb *v)
{
    if (!v->n) {
        lua_pushnil(L);
        return;
    }
    if (!v->join.right) {
        push_names(L, v->names, v->n);
        return;
    }
    lua_createtable(L, 0, (int)v->n);
    for (int64_t k = 0; k < v->n; k++) {
        lua_pushstring(L, v->names[k]);
        lua_pushstring(L, v->join.right[k]);
        lua_rawset(L, -3);
    }
}

static int push_join(lua_State *L, lun__host *h, const verb *v)
{
    const lun_table_join_options *o = &v->join;
    push_table(L, h, v->job.native);
    push_table(L, h, v->other);
    push_keys(L, v);
    lua_createtable(L, 0, 8);
    set_text(L, "how", o->how);
    set_text(L, "suffix", o->suffix);
    set_text(L, "validate", o->validate);
    set_text(L, "na", o->match_missing ? "match" : NULL);
    set_text(L, "direction", o->direction);
    if (o->source) {
        lua_pushboolean(L, true);
        lua_setfield(L, -2, "source");
    }
    if (o->by_count) {
        push_names(L, o->by, o->by_count);
        lua_setfield(L, -2, "by");
    }
    if (o->tolerance) {
        if (!lua_stringtonumber(L, o->tolerance))
            lua_pushstring(L, o->tolerance);
        lua_setfield(L, -2, "tolerance");
    }
    return 4;
}

lun_status lun_table_join(lun_engine *e, lun_table *t, lun_table *u, const char *const *keys,
                          int64_t n, const lun_table_join_options *options, lun_table **out)
{
    const lun_variant right = {.type = LUN_TYPE_TABLE, .as.table = u};
    verb v = {.job = {.text = "join", .native = t}, .other = u, .names = keys, .n = n};
    v.push = push_join;
    lun_status s = e ? lun__variant_check(e, &right, "argument", 2) : LUN_EARG;
    if (s == LUN_OK)
        s = take_options(e, &v.join, options, sizeof v.join);
    if (s != LUN_OK)
        return s;
    if ((v.join.right && has_gap(v.join.right, n)) || has_gap(v.join.by, v.join.by_count))
        return lun_fail(e, LUN_EARG, "the name of a key is missing (NULL)");
    return run(e, &v, t, out);
}
