/* table.c - lun.vector of a Lua table: its shape, which must be rectangular and without holes, the
 * dtype that its numbers ask for, and their packing. Every complaint says where: t[2][3]. */
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"

/* A walk through nested tables; depth is at most the greatest rank. */
typedef struct walk {
    lua_State *L;
    int rank;
    int64_t shape[LUN_MAX_RANK];
    int64_t at[LUN_MAX_RANK]; /* the indices on the way, from 1 */
    bool integers, floats, booleans;
    unsigned char *to; /* second pass: where the next element goes */
    lun_dtype dtype;
    size_t size;
} walk;

/* Writes "t[2][3]" for the first `depth` indices. */
static const char *place(const walk *w, int depth, char *text, size_t room)
{
    size_t used = (size_t)snprintf(text, room, "t");
    for (int d = 0; d < depth && used < room; d++)
        used += (size_t)snprintf(text + used, room - used, "[%lld]", (long long)w->at[d]);
    return text;
}

static int complain(const walk *w, int depth, const char *what)
{
    char text[LUN_MAX_RANK * 24];
    return lun__bad_argument(
        w->L, 1, lua_pushfstring(w->L, "%s %s", place(w, depth, text, sizeof text), what));
}

static const char is_nil[] = "is nil: a table with holes makes no array";

/* Complains about numbers as keys beyond 1 .. n in the table on the top; a nil before is found
 * later. */
static void refuse_holes(const walk *w, int depth, int64_t n)
{
    lua_State *L = w->L;
    int64_t numbers = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        numbers += lua_type(L, -2) == LUA_TNUMBER;
    if (numbers > n)
        complain(w, depth,
                 lua_pushfstring(L, "has holes: its length is %I, but it has %I numbered elements",
                                 (lua_Integer)n, (lua_Integer)numbers));
}

/* More elements than a table can hold; a table may hold another many times, though. */
#define MOST (INT64_C(1) << 40)

/* Whether the table on the top has metamethods by which it is read. */
static bool has_readers(lua_State *L)
{
    if (luaL_getmetafield(L, -1, "__index") == LUA_TNIL &&
        luaL_getmetafield(L, -1, "__len") == LUA_TNIL)
        return false;
    lua_pop(L, 1);
    return true;
}

/* Puts a plain table in the place of one on the top whose metamethods say what is in it, as Lua's
 * own library reads it; the first nil ends that, so no length can lie. */
static void read_through(walk *w, int depth)
{
    lua_State *L = w->L;
    if (!has_readers(L))
        return;
    lua_Integer n = luaL_len(L, -1);
    if (n > MOST)
        lun__bad_argument(L, 1, "too many elements");
    refuse_holes(w, depth, n);
    lua_newtable(L);
    for (lua_Integer i = 1; i <= n; i++) {
        w->at[depth] = i;
        if (lua_geti(L, -2, i) == LUA_TNIL)
            complain(w, depth + 1, is_nil);
        lua_rawseti(L, -2, i);
    }
    lua_remove(L, -2);
}

/* Finds rank and shape by the first element of each level; the table is at 1. */
static void measure(walk *w)
{
    lua_State *L = w->L;
    lua_pushvalue(L, 1);
    while (lua_istable(L, -1)) {
        if (w->rank == LUN_MAX_RANK)
            complain(w, w->rank,
                     lua_pushfstring(L, "is a table: at most %d levels are allowed", LUN_MAX_RANK));
        read_through(w, w->rank);
        w->at[w->rank] = 1;
        w->shape[w->rank++] = (int64_t)lua_rawlen(L, -1);
        lua_rawgeti(L, -1, 1);
        lua_remove(L, -2);
    }
    lua_pop(L, 1);
}

static void refuse_ragged(const walk *w, int depth, int64_t n)
{
    walk first = *w;
    char text[LUN_MAX_RANK * 24];
    for (int d = 0; d < depth; d++)
        first.at[d] = 1;
    complain(w, depth,
             lua_pushfstring(w->L, "has %I elements, %s has %I: the table is ragged",
                             (lua_Integer)n, place(&first, depth, text, sizeof text),
                             (lua_Integer)w->shape[depth]));
}

/* Pushes what the element on the top is: "a string", "a Vector f64[3]". */
static const char *element_kind(lua_State *L)
{
    lun__host *h = lun__here(L);
    if (lun__is_array(L, h, lua_gettop(L)))
        return lun__push_kind(L, h, lua_gettop(L));
    return lua_pushfstring(L, "a %s", luaL_typename(L, -1));
}

/* First pass, for the element on the top. */
static void note_element(walk *w)
{
    lua_State *L = w->L;
    switch (lua_type(L, -1)) {
    case LUA_TNUMBER:
        if (lua_isinteger(L, -1))
            w->integers = true;
        else
            w->floats = true;
        break;
    case LUA_TBOOLEAN:
        w->booleans = true;
        break;
    case LUA_TTABLE:
        complain(w, w->rank, "is a table, unlike the first element: the table is ragged");
        break;
    case LUA_TNIL:
        complain(w, w->rank, is_nil);
        break;
    default:
        complain(w, w->rank,
                 lua_pushfstring(L, "is %s; numbers or booleans expected", element_kind(L)));
    }
}

/* Second pass, for the element on the top. */
static void pack_element(walk *w)
{
    lua_State *L = w->L;
    lun_value x;
    if (!lun__to_value(L, -1, &x))
        complain(w, w->rank, "has changed");
    const char *why = lun__pack(w->dtype, x, w->to);
    if (why) {
        const char *text = luaL_tolstring(L, -1, NULL);
        complain(
            w, w->rank,
            lua_pushfstring(L, "= %s %s: the dtype is %s", text, why, lun_dtype_name(w->dtype)));
    }
    w->to += w->size;
}

/* Goes through the table on the top, which stands at `depth`; recursion is as deep as the rank. */
static void visit(walk *w, int depth)
{
    lua_State *L = w->L;
    read_through(w, depth);
    int64_t n = (int64_t)lua_rawlen(L, -1);
    if (n != w->shape[depth])
        refuse_ragged(w, depth, n);
    if (!w->to)
        refuse_holes(w, depth, n);
    for (int64_t i = 1; i <= n; i++) {
        w->at[depth] = i;
        lua_rawgeti(L, -1, i);
        if (depth + 1 < w->rank) {
            if (!lua_istable(L, -1))
                complain(w, depth + 1,
                         lua_pushfstring(L,
                                         "is a %s, unlike the first element, a table: the table "
                                         "is ragged",
                                         luaL_typename(L, -1)));
            visit(w, depth + 1);
        } else if (w->to) {
            pack_element(w);
        } else {
            note_element(w);
        }
        lua_pop(L, 1);
    }
}

/* The number of elements of the shape. */
static int64_t count_of(const walk *w)
{
    int64_t n = 1;
    for (int d = 0; d < w->rank; d++)
        if (w->shape[d] == 0)
            return 0;
    for (int d = 0; d < w->rank; d++)
        if (__builtin_mul_overflow(n, w->shape[d], &n) || n > MOST)
            lun__bad_argument(w->L, 1, "too many elements");
    return n;
}

static lun_dtype choose_dtype(const walk *w)
{
    if (w->booleans && (w->integers || w->floats))
        lun__bad_argument(w->L, 1, "numbers and booleans are mixed: name a dtype");
    if (w->booleans)
        return LUN_BOOL;
    return w->integers && !w->floats ? LUN_I64 : LUN_F64;
}

/* The table is at 1, the name of a dtype or nothing at 2. */
int lun__vector_of_table(lua_State *L)
{
    lun__host *h = lun__here(L);
    walk w = {.L = L};
    bool named = !lua_isnoneornil(L, 2);
    if (named)
        w.dtype = lun__check_dtype(L, 2);
    lua_settop(L, 1);
    luaL_checkstack(L, 4 * LUN_MAX_RANK, NULL);
    measure(&w);
    int64_t count = count_of(&w);
    visit(&w, 0);
    if (!named)
        w.dtype = choose_dtype(&w);
    w.size = (size_t)lun_dtype_size(w.dtype);

    unsigned char *buffer = lua_newuserdatauv(L, (size_t)count * w.size + 1, 0);
    w.to = buffer;
    lua_pushvalue(L, 1);
    visit(&w, 0);
    lua_pop(L, 1);
    lun_array **out = lun__new_array(L, h);
    lun_status s;
    LUN__TRY(s, lun_tensor(h->engine, buffer, w.rank, w.shape, w.dtype, out));
    lun__check(L, h, s, 1);
    lun__report_memory(L, h);
    return 1;
}
