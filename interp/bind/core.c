/* core.c - luaopen_lunarray_core: makes the host and the metatables and lets each part add its
 * functions. The result is a plain table, of which lua/lunarray/init.lua makes the module. */
#include "bind/host/bind.h"

/* Pushes a table and sets it as a field of the one at `in`; returns where it is. */
static int add_table(lua_State *L, int in, const char *name)
{
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, in, name);
    return lua_gettop(L);
}

/* Makes the metatables and the module's table, which has only core.internal yet. The host is on the
 * top. */
static lun__parts start(lua_State *L, lun__host *h)
{
    lun__parts p;
    p.host = h;
    p.host_at = lua_gettop(L);
    lua_newtable(L);
    p.core = lua_gettop(L);
    p.internal = add_table(L, p.core, "internal");
    p.methods = add_table(L, p.internal, "methods");
    p.text_methods = add_table(L, p.internal, "text_methods");
    p.time_methods = add_table(L, p.internal, "time_methods");
    p.skeleton_methods = add_table(L, p.internal, "skeleton_methods");
    lun__host_new_type(L, p.host_at, LUN__ARRAY, "Vector");
    p.array = lua_gettop(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, p.internal, "array_type");
    lun__host_new_type(L, p.host_at, LUN__SKELETON, "skeleton");
    p.skeleton = lua_gettop(L);
    lua_pushvalue(L, p.skeleton_methods);
    lua_setfield(L, p.skeleton, "__index");
    lua_pushvalue(L, p.skeleton);
    lua_setfield(L, p.internal, "skeleton_type");
    lun__host_new_type(L, p.host_at, LUN__ERROR, "lunarray.error");
    lun__error_open(L);
    lua_setfield(L, p.internal, "error_type");
    return p;
}

int luaopen_lunarray_core(lua_State *L)
{
    /* Methods that bear an operation's name come after the operations: a:sub(i, j) is a slice. */
    /* clang-format off */
    static void (*const parts[])(lua_State *, const lun__parts *) = {
        lun__open_ops,
        lun__open_reduce,
        lun__open_array,
        lun__open_index,
        lun__open_missing,
        lun__open_text,
        lun__open_time,
        lun__open_complex,
        lun__open_window,
        lun__open_bytes,
        lun__open_make,
        lun__open_function,
        lun__open_variant,
        lun__open_offset,
        lun__open_skeleton,
        lun__open_generate,
        lun__open_partloop,
        lun__open_partmarks,
        lun__open_teams,
        lun__open_atomic,
        lun__open_use,
        lun__open_door,
        lun__open_terminal,
        lun__open_buffer,
        lun__open_queue,
        lun__open_call_skeleton,
        lun__open_compose,
        lun__open_package,
        lun__open_engine,
        lun__open_evaluation,
        lun__open_spmd,
        lun__open_blocked,
        lun__open_rankbytes,
        lun__open_blocks,
        lun__open_explain,
        lun__open_tool,
        lun__open_png,
        lun__open_zlib,
        lun__open_file,
        lun__open_path,
        lun__open_scratch_file,
        lun__open_layout,
        lun__open_memory,
        lun__open_concat,
        lun__open_pad,
        lun__open_cache,
        lun__open_csv,
        lun__open_table,        lun__open_memory_file, lun__open_arrow,
        lun__open_arrow_file,
        lun__open_csv_write,
        lun__open_json,
        lun__open_json_write,
        lun__open_sqlite,
        lun__open_duckdb,
        lun__open_hdf5,
        lun__open_matmul,
        lun__open_record,
        lun__open_factor,
        lun__open_date,
        lun__open_take,
        lun__open_histogram,
        lun__open_compress,
        lun__open_sort,
        lun__open_dense, lun__open_fourier,
        lun__open_group,
        lun__open_running,
    };
    /* clang-format on */
    lua_settop(L, 0);
    lun__host *h = lun__host_open(L);
    if (lua_getiuservalue(L, 1, LUN__CORE) == LUA_TTABLE)
        return 1;
    lua_settop(L, 1);
    lun__parts p = start(L, h);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i](L, &p);
    lua_settop(L, p.core);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, p.host_at, LUN__CORE);
    return 1;
}
