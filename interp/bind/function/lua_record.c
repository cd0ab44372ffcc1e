/* lua_record.c - for lua/lunarray/record*.lua: fields of structs in an array of structs, as strided
 * arrays; skeletons of functions that take them. */
#include "bind/function/lua_skeleton.h"

/* A field's end: its reference to the bytes. */
static void let_go(void *data, void *bytes)
{
    (void)data;
    lun_release(bytes);
}

/* Whether elements of that size, `each` of them side by side, with a stride of `step` bytes from
 * byte `offset` on, are within n bytes. */
static bool fits(int64_t n, int64_t count, lua_Integer offset, lua_Integer step, int size,
                 int64_t each)
{
    int64_t span, own;
    return !__builtin_mul_overflow(each, (int64_t)size, &own) && step >= own && step % size == 0 &&
           offset >= 0 && offset % size == 0 && offset <= step - own &&
           !__builtin_mul_overflow(count, (int64_t)step, &span) && span <= n;
}

/* Puts the extents in the list at i behind `rank` others; the new rank, 0: they are too many. */
static int add_extents(lua_State *L, int i, int rank, int64_t *shape, int64_t *each)
{
    const int count = lua_istable(L, i) ? (int)lua_rawlen(L, i) : 0;
    if (rank + count > LUN_MAX_RANK)
        return 0;
    for (int k = 0; k < count; k++) {
        lua_rawgeti(L, i, k + 1);
        shape[rank + k] = lua_tointeger(L, -1);
        *each *= shape[rank + k];
        lua_pop(L, 1);
    }
    return rank + count;
}

/* Where elements are in a Vector of bytes: the layout, in elements. */
typedef struct place {
    int rank;
    int64_t shape[LUN_MAX_RANK], strides[LUN_MAX_RANK];
    lua_Integer offset; /* in bytes */
} place;

/* Reads offset, step, shape and extents at 2, 3, 5 and 6 for elements of `size` bytes, `apart` of
 * them apart in a struct. */
static void read_place(lua_State *L, int size, int apart, place *p)
{
    int64_t count = 1, each = apart;
    const lun_array *bytes = lun__lua_array_check(L, lun__host_here(L), 1);
    const lua_Integer step = luaL_checkinteger(L, 3);
    p->offset = luaL_checkinteger(L, 2);
    const int outer = lun__lua_value_shape(L, 5, p->shape);
    p->rank = add_extents(L, 6, outer, p->shape, &each);
    bool sane = step > 0;
    luaL_argcheck(L, p->rank >= outer, 5, "too many axes");
    if (p->rank > outer)
        p->strides[p->rank - 1] = apart;
    if (p->rank > outer + 1)
        p->strides[outer] = p->shape[p->rank - 1] * apart;
    for (int k = outer - 1; sane && k >= 0; k--)
        sane = !__builtin_mul_overflow(count, step / size, &p->strides[k]) &&
               !__builtin_mul_overflow(count, p->shape[k], &count);
    luaL_argcheck(L, sane && fits(lun_size(bytes), count, p->offset, step, size, each), 2,
                  "outside of the bytes");
}

/* Elements of dtype t at a place of the bytes at 1, which nothing else reads or writes, so arrays
 * may wrap them. */
static lun_status wrap_bytes(lun__host *h, lun_array *bytes, const place *p, lua_Integer offset,
                             lun_dtype t, lun_array **out)
{
    const void *data = NULL;
    lun_status s = lun_data(h->engine, bytes, &data);
    if (s != LUN_OK)
        return s;
    lun_retain(bytes);
    char *at = (char *)(uintptr_t)data + offset;
    s = lun_wrap_strided(h->engine, at, p->rank, p->shape, p->strides, t, let_go, bytes, out);
    if (s != LUN_OK)
        lun_release(bytes);
    return s;
}

/* The same of complex numbers with such parts. */
static lun_status wrap_complex(lun__host *h, lun_array *bytes, const place *p, lun_dtype part,
                               lun_array **out)
{
    lun_array *re = NULL, *im = NULL;
    lun_status s = wrap_bytes(h, bytes, p, p->offset, part, &re);
    if (s == LUN_OK)
        s = wrap_bytes(h, bytes, p, p->offset + lun_dtype_size(part), part, &im);
    if (s == LUN_OK)
        s = lun_complex_joined(h->engine, re, im, out);
    lun_release(re);
    lun_release(im);
    return s;
}

/* internal.field(bytes, offset, step, dtype, shape [, extents]): elements of structs of `step`
 * bytes in a Vector of u8 without other uses, arrays of those extents in each; writes to them
 * change it. */
static int field(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    place p;
    lun_array *bytes = lun__lua_array_check(L, h, 1);
    const lun_dtype t = lun__lua_value_number_dtype(L, 4), part = lun_complex_part(t);
    const bool complex = part != LUN_DTYPE_COUNT;
    read_place(L, lun_dtype_size(complex ? part : t), complex ? 2 : 1, &p);
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, complex ? wrap_complex(h, bytes, &p, part, out)
                        : wrap_bytes(h, bytes, &p, p.offset, t, out));
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

/* internal.zero_bytes(n): a Vector of u8 in memory, zeros. */
static int zero_bytes(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_Integer n = luaL_checkinteger(L, 1);
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_vector(h->engine, NULL, n, LUN_U8, out));
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

/* internal.skeleton_of(s, f, n): s with another function, of n arrays. */
static int skeleton_of(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun__skeleton *old = lun__lua_skeleton_check(L, h, 1);
    lua_Integer leaves = luaL_checkinteger(L, 3);
    if (leaves > LUN__MOST_ARRAYS)
        luaL_error(L,
                   "bad argument to '%s' (%I elements of records, at most %d: capture the records, "
                   "r[i].x, in lun.generate)",
                   old->name, leaves, LUN__MOST_ARRAYS);
    lun__skeleton *k = lun__lua_skeleton_new(L, h, old->kind);
    lun__box box = k->box;
    int at = lua_gettop(L);
    *k = *old;
    k->box = box;
    k->varies = k->deferred = false; /* the function in use has been chosen */
    k->leaves = (int)leaves;
    k->f = lun__lua_function_at(L, h, 2, k->leaves, false);
    lua_setiuservalue(L, at, LUN__USE_FUNCTION);
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, at, LUN__USE_SOURCE);
    lua_getiuservalue(L, 1, LUN__USE_BY);
    lua_setiuservalue(L, at, LUN__USE_BY);
    lua_getiuservalue(L, 1, LUN__USE_ID);
    lua_setiuservalue(L, at, LUN__USE_ID);
    return 1;
}

/* internal.argument(k): what stands in records for argument k, from 0, of the call of a function
 * that captures them. */
static int argument(lua_State *L)
{
    lua_pushlightuserdata(L, (void *)(intptr_t)luaL_checkinteger(L, 1));
    return 1;
}

/* internal.offer_records(t): the functions, by their names, that calls with records use. */
static int offer_records(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lun__record_set_overrides(L);
    return 0;
}

void lun__open_record(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {
        {"field", field},       {"zero_bytes", zero_bytes},       {"skeleton_of", skeleton_of},
        {"argument", argument}, {"offer_records", offer_records}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
