/* from_table.c - lun.vector of a Lua table: its shape, which must be rectangular and without holes,
 * the dtype that its numbers and arrays need, and their packing. An array in the table is like a
 * table of its elements, a Scalar like its number. Errors name the element: t[2][3]. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/host/bind.h"

/* A walk through nested tables; depth is at most the greatest rank. */
typedef struct walk {
    lua_State *L;
    lun__host *host;
    int rank; /* of the tables, without arrays in them */
    int64_t shape[LUN_MAX_RANK + 1];
    int inner; /* the rank of each array in them; 0: numbers and Scalars */
    int64_t inner_shape[LUN_MAX_RANK];
    int64_t each;   /* elements of each array; 1 if inner is 0 */
    int64_t arrays; /* their number, with Scalars; the table at 2 lists them, or the strings */
    int64_t count;  /* first pass: elements so far */
    bool mixed;     /* their dtypes differ; else all are array_dtype */
    lun_dtype array_dtype;
    int64_t at[LUN_MAX_RANK]; /* the indices of the current element, from 1 */
    bool integers, floats, booleans;
    bool fractions; /* some numbers of Lua are floats */
    bool missing;   /* some elements are lun.na */
    bool named;     /* a dtype is given */
    bool texts;     /* elements are strings, or become texts */
    bool complex;   /* some elements are complex numbers, or become ones */
    unsigned char *start;
    bool *there;       /* second pass: of each element; NULL: nothing is missing */
    unsigned char *to; /* second pass: where the next element goes */
    lun_dtype dtype;
    size_t size;
} walk;

/* Writes "t[2][3]" for the first `depth` indices. */
static const char *element_name(const walk *w, int depth, char *text, size_t room)
{
    size_t used = (size_t)snprintf(text, room, "t");
    for (int d = 0; d < depth && used < room; d++)
        used += (size_t)snprintf(text + used, room - used, "[%lld]", (long long)w->at[d]);
    return text;
}

static int complain(const walk *w, int depth, const char *what)
{
    char text[LUN_MAX_RANK * 24];
    return lun__blame_argument(
        w->L, 1, lua_pushfstring(w->L, "%s %s", element_name(w, depth, text, sizeof text), what));
}

static const char is_nil[] = "is nil: an array cannot be made from a table with holes";

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
                 lua_pushfstring(L, "has holes: its length is %I, but it has %I numeric keys",
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

/* Replaces the table on the top, which is read by metamethods, by a plain one, as Lua's library
 * reads it; it ends at the first nil, so a wrong length does no harm. */
static void read_through(walk *w, int depth)
{
    lua_State *L = w->L;
    if (!has_readers(L))
        return;
    lua_Integer n = luaL_len(L, -1);
    if (n > MOST)
        lun__blame_argument(L, 1, "too many elements");
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

/* The shape of an array as one element of a table: a Scalar has none. Returns the rank. */
static int shape_within(const lun_array *a, int64_t shape[LUN_MAX_RANK])
{
    return lun_class_of(a) == LUN_SCALAR ? 0 : lun_shape(a, shape);
}

/* Takes the shape of the arrays from the first element, which is on the top. */
static void measure_inner(walk *w)
{
    w->each = 1;
    if (w->rank == 0 || !lun__lua_array_is(w->L, w->host, -1))
        return;
    w->inner = shape_within(lun__lua_array_check(w->L, w->host, -1), w->inner_shape);
    if (w->rank + w->inner > LUN_MAX_RANK)
        complain(w, w->rank,
                 lua_pushfstring(w->L, "is an array of rank %d: at most %d levels are allowed",
                                 w->inner, LUN_MAX_RANK));
    for (int d = 0; d < w->inner; d++)
        w->each *= w->inner_shape[d]; /* the array exists, so this does not overflow */
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
    measure_inner(w);
    lua_pop(L, 1);
}

static void refuse_ragged(const walk *w, int depth, int64_t n)
{
    walk first = *w;
    char text[LUN_MAX_RANK * 24];
    for (int d = 0; d < depth; d++)
        first.at[d] = 1;
    complain(w, depth,
             lua_pushfstring(w->L, "has %I element%s, but %s has %I: the table is ragged",
                             (lua_Integer)n, n == 1 ? "" : "s",
                             element_name(&first, depth, text, sizeof text),
                             (lua_Integer)w->shape[depth]));
}

/* Pushes what the element on the top is: "a string", "a Vector f64[3]". */
static const char *element_kind(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    if (lun__lua_array_is(L, h, lua_gettop(L)))
        return lun__error_push_kind(L, h, lua_gettop(L));
    return lua_pushfstring(L, "a %s", luaL_typename(L, -1));
}

/* The shape as "has the shape [2, 3]", pushed. */
static const char *shape_text(lua_State *L, int rank, const int64_t *shape)
{
    if (rank == 0)
        return lua_pushliteral(L, "is a number");
    lua_pushliteral(L, "has the shape [");
    for (int d = 0; d < rank; d++) {
        lua_pushfstring(L, d ? ", %I" : "%I", (lua_Integer)shape[d]);
        lua_concat(L, 2);
    }
    lua_pushliteral(L, "]");
    lua_concat(L, 2);
    return lua_tostring(L, -1);
}

/* The array on the top, whose shape must be that of the first element. */
static lun_array *check_inner(const walk *w)
{
    lun_array *a = lun__lua_array_check(w->L, w->host, -1);
    int64_t shape[LUN_MAX_RANK];
    int rank = shape_within(a, shape);
    if (rank != w->inner || memcmp(shape, w->inner_shape, (size_t)rank * sizeof *shape) != 0)
        complain(w, w->rank,
                 lua_pushfstring(w->L, "%s, but the first element %s: the table is ragged",
                                 shape_text(w->L, rank, shape),
                                 shape_text(w->L, w->inner, w->inner_shape)));
    return a;
}

/* First pass, for the array on the top. */
static void note_array(walk *w)
{
    lun_dtype t = lun_dtype_of(check_inner(w));
    lun_kind kind = lun_dtype_kind(t);
    bool exceeds_integers =
        kind == LUN_KIND_UNSIGNED && lun_dtype_size(t) == (int)sizeof(lua_Integer);
    w->mixed = w->mixed || (w->arrays > 0 && t != w->array_dtype);
    w->array_dtype = t;
    if (kind == LUN_KIND_BOOL)
        w->booleans = true;
    else if (kind == LUN_KIND_COMPLEX)
        w->complex = true;
    else if (kind == LUN_KIND_FLOAT || exceeds_integers)
        w->floats = true;
    else
        w->integers = true;
    lua_pushvalue(w->L, -1);
    lua_rawseti(w->L, 2, ++w->arrays);
}

/* First pass, for the element on the top: true for a string, and where texts are asked for. Keeps
 * what is not missing in the table at 2. */
static bool note_text(walk *w)
{
    lua_State *L = w->L;
    const int type = lua_type(L, -1);
    const bool time = w->named && lun__lua_value_is_time(w->dtype);
    const bool named = w->named && (time || lun__lua_value_is_text(w->dtype));
    if (w->named && !named)
        return false;
    if (time && type != LUA_TSTRING && (type == LUA_TBOOLEAN || w->dtype != LUN_DURATION) &&
        !lun__lua_missing_at(L, w->host, lua_gettop(L)))
        complain(w, w->rank,
                 lua_pushfstring(L, "is a %s; elements of %s are texts; integers are cast",
                                 luaL_typename(L, -1), lun_dtype_name(w->dtype)));
    if (type == LUA_TSTRING && (w->integers || w->floats || w->booleans))
        complain(w, w->rank, "is a string among numbers: specify a dtype, such as \"text\"");
    if (w->texts && !named && (type == LUA_TNUMBER || type == LUA_TBOOLEAN))
        complain(w, w->rank,
                 lua_pushfstring(L, "is a %s among strings: specify a dtype, such as \"text\"",
                                 luaL_typename(L, -1)));
    w->texts = w->texts || type == LUA_TSTRING;
    if (type != LUA_TSTRING && !(named && (type == LUA_TNUMBER || type == LUA_TBOOLEAN)))
        return false;
    lun__value_text(L, -1);
    lua_rawseti(L, 2, w->count + 1);
    return true;
}

/* Whether the element on the top is a number or a complex one, z. */
static bool number_at_top(const walk *w, double z[2])
{
    return lun__lua_complex_number_or_real(w->L, w->host, lua_gettop(w->L), z);
}

/* First pass, for the element on the top. */
static void note_element(walk *w)
{
    lua_State *L = w->L;
    double z[2];
    if (lun__lua_array_is(L, w->host, -1)) {
        note_array(w);
        return;
    }
    if (w->inner > 0)
        complain(w, w->rank,
                 lua_pushfstring(L, "is %s, but the first element is an array: the table is ragged",
                                 element_kind(L)));
    w->fractions = w->fractions || (lua_type(L, -1) == LUA_TNUMBER && !lua_isinteger(L, -1));
    if (note_text(w))
        return;
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
        complain(w, w->rank, "is a table, but the first element is not: the table is ragged");
        break;
    case LUA_TNIL:
        complain(w, w->rank, is_nil);
        break;
    default:
        if (lun__lua_missing_at(L, w->host, lua_gettop(L))) {
            w->missing = true;
            break;
        }
        if (number_at_top(w, z)) {
            if (w->named && lun_dtype_kind(w->dtype) != LUN_KIND_COMPLEX)
                complain(w, w->rank, "is a complex number: the dtype is not c64 or c128");
            w->complex = true;
            break;
        }
        complain(w, w->rank,
                 lua_pushfstring(L, "is %s; numbers or booleans expected", element_kind(L)));
    }
}

/* Second pass, for the array on the top. */
static void pack_array(walk *w)
{
    lua_State *L = w->L;
    lun__host *h = w->host;
    lun_array *a = check_inner(w);
    lun_status s = LUN_OK;
    if (lun_dtype_of(a) != w->dtype) {
        lun_array **cast = lun__lua_array_new(L, h);
        LUN__TRY(s, lun_cast(h->engine, a, w->dtype, cast));
        lun__error_check(L, h, s, 1);
        a = lun__lua_array_check(L, h, -1);
        lua_remove(L, -2); /* replaced by the cast one, which visit pops */
    }
    LUN__TRY(s, lun_read(h->engine, a, w->to, 0, w->each));
    lun__error_check(L, h, s, 1);
    w->to += (size_t)w->each * w->size;
}

/* Second pass, for the element on the top. */
static void pack_element(walk *w)
{
    lua_State *L = w->L;
    lun_value x;
    if (lun__lua_array_is(L, w->host, -1)) {
        pack_array(w);
        return;
    }
    double z[2];
    if (w->complex) {
        if (!number_at_top(w, z))
            complain(w, w->rank, "is no number beside complex ones");
        memcpy(w->to, z, sizeof z);
        w->to += w->size;
        return;
    }
    if (w->there && lun__lua_missing_at(L, w->host, lua_gettop(L))) {
        w->there[(size_t)(w->to - w->start) / w->size] = false;
        x = (lun_value){.dtype = LUN_I64};
        if (lun_dtype_kind(w->dtype) == LUN_KIND_FLOAT)
            x = (lun_value){.dtype = LUN_F64, .as.d = (double)NAN};
    } else if (!lun__lua_value_at(L, -1, &x)) {
        complain(w, w->rank, "has changed");
    }
    const char *why = lun__lua_value_pack(w->dtype, x, w->to);
    if (why) {
        const char *text = lun__value_text(L, -1);
        complain(
            w, w->rank,
            lua_pushfstring(L, "= %s %s: the dtype is %s", text, why, lun_dtype_name(w->dtype)));
    }
    w->to += w->size;
}

/* Visits the table on the top, at `depth`; recursion is as deep as the rank. */
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
                         lua_pushfstring(
                             L, "is %s, but the first element is a table: the table is ragged",
                             element_kind(L)));
            visit(w, depth + 1);
        } else if (w->to) {
            pack_element(w);
        } else {
            note_element(w);
            w->count++;
        }
        lua_pop(L, 1);
    }
}

/* The number of elements of the shape. */
static int64_t count_of(const walk *w)
{
    int64_t n = w->each;
    for (int d = 0; d < w->rank; d++)
        if (w->shape[d] == 0)
            return 0;
    for (int d = 0; d < w->rank; d++)
        if (__builtin_mul_overflow(n, w->shape[d], &n) || n > MOST)
            lun__blame_argument(w->L, 1, "too many elements");
    return n;
}

/* Evaluates the arrays, listed by the table at 2, together. */
static void evaluate(const walk *w)
{
    lua_State *L = w->L;
    lun__host *h = w->host;
    if (w->arrays > INT_MAX)
        lun__blame_argument(L, 1, "too many arrays");
    lun_array **waiting = lua_newuserdatauv(L, (size_t)w->arrays * sizeof *waiting + 1, 0);
    int count = 0;
    for (int64_t i = 1; i <= w->arrays; i++) {
        lua_rawgeti(L, 2, i);
        lun_array *a = lun__lua_array_check(L, h, -1);
        if (lun_pending(a) > 0)
            waiting[count++] = a;
        lua_pop(L, 1);
    }
    lun_status s = LUN_OK;
    if (count > 0)
        LUN__TRY(s, lun_eval(h->engine, waiting, count));
    lun__error_check(L, h, s, 1);
    lua_pop(L, 1);
}

/* The arrays' dtype where they have the same one and it can hold the numbers beside them, else the
 * dtype of Lua's numbers. */
static lun_dtype choose_dtype(const walk *w)
{
    if (w->complex)
        return w->arrays > 0 && !w->mixed && w->array_dtype == LUN_C64 ? LUN_C64 : LUN_C128;
    if (w->booleans && (w->integers || w->floats))
        lun__blame_argument(w->L, 1, "numbers and booleans are mixed: specify a dtype");
    if (w->arrays > 0 && !w->mixed &&
        (!w->fractions || lun_dtype_kind(w->array_dtype) == LUN_KIND_FLOAT))
        return w->array_dtype;
    if (w->booleans)
        return LUN_BOOL;
    if (w->missing && !w->integers)
        return LUN_F64;
    return w->integers && !w->floats ? LUN_I64 : LUN_F64;
}

/* The array of the strings that the first pass found; the others are missing. */
static int vector_of_strings(walk *w)
{
    lua_State *L = w->L;
    lun__host *h = w->host;
    if (w->arrays > 0)
        lun__blame_argument(L, 1, "strings and arrays are mixed");
    lun_string *all = lua_newuserdatauv(L, (size_t)w->count * sizeof *all + 1, 0);
    for (int64_t i = 0; i < w->count; i++) {
        all[i] = (lun_string){NULL, 0};
        if (lua_rawgeti(L, 2, i + 1) == LUA_TSTRING) /* the table keeps it */
            all[i] = lun__lua_text_at(L, -1);
        lua_pop(L, 1);
    }
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    LUN__TRY(s, lun_text_tensor(h->engine, all, w->rank, w->shape, out));
    lun__error_check(L, h, s, 1);
    if (w->named && w->dtype != LUN_TEXT) {
        lun_array **read = lun__lua_array_new(L, h);
        LUN__TRY(s, lun_cast(h->engine, *lun__lua_array_slot(L, h, -2), w->dtype, read));
        lun__error_check(L, h, s, 1);
    }
    lun__host_report_memory(L, h);
    return 1;
}

/* The dtype of the elements in the buffer. */
static lun_dtype stored_as(lun_dtype t)
{
    return !lun__lua_value_is_time(t) ? t : t == LUN_DATE ? LUN_I32 : LUN_I64;
}

/* ---- numbers in a row ------------------------------------------------------------------------ */

/* The greatest integer up to which all are floats as well. */
#define EXACT (INT64_C(1) << 53)

/* The number on the top as an element; false: it is none that fits. */
static bool put_number(lua_State *L, bool floats, void *to)
{
    if (!floats)
        return lua_isinteger(L, -1) &&
               memcpy(to, &(int64_t){lua_tointeger(L, -1)}, sizeof(int64_t));
    if (lua_isinteger(L, -1) && llabs(lua_tointeger(L, -1)) > EXACT)
        return false;
    return memcpy(to, &(double){lua_tonumber(L, -1)}, sizeof(double));
}

/* One walk over a table of numbers at 1, in the order of Lua's own, which sees each key: false
 * where one is no index up to n, or an element is no number of that kind. */
static bool pack_numbers(lua_State *L, int64_t n, bool floats, unsigned char *to)
{
    int64_t count = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TNUMBER)
            continue; /* a field beside the elements */
        const int64_t at = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
        if (at < 1 || at > n || lua_type(L, -1) != LUA_TNUMBER ||
            !put_number(L, floats, to + (size_t)(at - 1) * 8)) {
            lua_pop(L, 2);
            return false;
        }
        count++;
    }
    return count == n;
}

/* The vector of a table of numbers at 1 alone, i64 or f64; false, and nothing on the stack: there
 * is more to it, or something is wrong. */
static bool vector_of_numbers(lua_State *L, lun__host *h, bool named, lun_dtype t)
{
    const int64_t n = (int64_t)lua_rawlen(L, 1);
    const lun_kind kind = named ? lun_dtype_kind(t) : LUN_KIND_FLOAT;
    bool floats = kind == LUN_KIND_FLOAT;
    if (lua_getmetatable(L, 1))
        return lua_pop(L, 1), false;
    if (n < 1 || n > MOST ||
        (named && (lun_dtype_size(t) != 8 || (!floats && kind != LUN_KIND_SIGNED))))
        return false;
    const int type = lua_rawgeti(L, 1, 1);
    floats = named ? floats : !lua_isinteger(L, -1);
    lua_pop(L, 1);
    if (type != LUA_TNUMBER)
        return false;
    unsigned char *buffer = lua_newuserdatauv(L, (size_t)n * 8, 0);
    bool done = pack_numbers(L, n, floats, buffer);
    if (!done && !named && !floats)
        done = pack_numbers(L, n, floats = true, buffer);
    if (done) {
        lun_array **out = lun__lua_array_new(L, h);
        lun_status s;
        LUN__TRY(s, lun_tensor(h->engine, buffer, 1, &n, floats ? LUN_F64 : LUN_I64, out));
        lun__error_check(L, h, s, 1);
        lun__host_report_memory(L, h);
    }
    lua_remove(L, done ? -2 : -1);
    return done;
}

/* The table is at 1, the name of a dtype or nothing at 2. */
int lun__from_table(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    walk w = {.L = L, .host = h};
    bool named = w.named = !lua_isnoneornil(L, 2);
    if (named)
        w.dtype = lun__lua_value_any_dtype(L, 2);
    lua_settop(L, 1);
    if (lua_istable(L, 1) && vector_of_numbers(L, h, named, w.dtype))
        return 1;
    lua_newtable(L);
    luaL_checkstack(L, 4 * LUN_MAX_RANK, NULL);
    measure(&w);
    int64_t count = count_of(&w);
    lua_pushvalue(L, 1);
    visit(&w, 0);
    lua_pop(L, 1);
    if (w.texts || (named && (lun__lua_value_is_text(w.dtype) || lun__lua_value_is_time(w.dtype))))
        return vector_of_strings(&w);
    if (!named)
        w.dtype = choose_dtype(&w);
    w.complex = lun_dtype_kind(w.dtype) == LUN_KIND_COMPLEX;
    const lun_dtype wanted = w.dtype;
    if (w.complex)
        w.dtype = LUN_C128; /* in which elements are packed */
    if (w.complex && w.missing)
        lun__blame_argument(L, 1, "no element of a complex array is missing: write a NaN");
    w.size = (size_t)lun_dtype_size(w.dtype);
    if (w.arrays > 0)
        evaluate(&w);

    unsigned char *buffer = lua_newuserdatauv(L, (size_t)count * w.size + 1, 0);
    w.to = w.start = buffer;
    if (w.missing) {
        w.there = lua_newuserdatauv(L, (size_t)count + 1, 0);
        memset(w.there, true, (size_t)count);
    }
    lua_pushvalue(L, 1);
    visit(&w, 0);
    lua_pop(L, 1);
    if (w.inner > 0)
        memcpy(w.shape + w.rank, w.inner_shape, (size_t)w.inner * sizeof *w.shape);
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    lun_dtype t = stored_as(w.dtype);
    if (w.complex) {
        w.shape[w.rank + w.inner] = 2;
        LUN__TRY(s, lun_tensor(h->engine, buffer, w.rank + w.inner + 1, w.shape, LUN_F64, out));
        lun__error_check(L, h, s, 1);
        lun__lua_complex_of_lanes(L, h, 1);
    } else {
        LUN__TRY(s, lun_tensor(h->engine, buffer, w.rank + w.inner, w.shape, t, out));
        lun__error_check(L, h, s, 1);
    }
    w.dtype = wanted;
    if (t != w.dtype) {
        lun_array **made = lun__lua_array_new(L, h);
        LUN__TRY(s, lun_cast(h->engine, *lun__lua_array_slot(L, h, -2), w.dtype, made));
        lun__error_check(L, h, s, 1);
    }
    if (w.missing)
        lun__lua_missing_with(L, h, w.rank, w.shape, w.there);
    lun__host_report_memory(L, h);
    return 1;
}
