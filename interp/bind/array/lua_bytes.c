/* lua_bytes.c - many elements at once: into Lua tables and byte strings, and from byte strings.
 * Buffers are Lua's own memory, so that an error leaves nothing behind. */
#include <limits.h>
#include <string.h>

#include "bind/host/bind.h"
#include "bind/host/field.h"

/* How many elements are fetched at a time on the way into a table. */
#define CHUNK 4096

/* An array's elements in order, some at a time. */
typedef struct reader {
    lun__host *h;
    lun_array *a;
    const unsigned char *at, *end; /* the unread part of the buffer */
    unsigned char *buffer;
    bool *there; /* of each element of the buffer; NULL: nothing is missing, or it is text */
    size_t size; /* of an element in the buffer */
    bool text;   /* the buffer has strings */
    lun_dtype dtype;
    int missing;        /* where the stack has what is pushed for a missing element; 0: lun.na */
    int64_t next, left; /* the first element that is not in the buffer, and how many there are */
} reader;

/* Evaluates an array that would otherwise be computed chunk by chunk. */
static void prepare(lua_State *L, lun__host *h, lun_array *a, int64_t count)
{
    if (count <= CHUNK || lun_is_virtual(a))
        return;
    lun_status s;
    LUN__TRY(s, lun_eval(h->engine, &a, 1));
    lun__error_check(L, h, s, 1);
}

/* Begins to read `count` elements from `first` on; pushes the buffer. */
static reader start(lua_State *L, lun__host *h, lun_array *a, int64_t first, int64_t count,
                    int missing)
{
    reader r = {
        .h = h, .a = a, .dtype = lun_dtype_of(a), .missing = missing, .next = first, .left = count};
    r.text = lun__lua_value_is_text(r.dtype);
    r.size = r.text ? sizeof(lun_string) : (size_t)lun_dtype_size(r.dtype);
    r.buffer = lua_newuserdatauv(L, (size_t)(count < CHUNK ? count : CHUNK) * r.size, 0);
    if (lun_has_missing(a) && !r.text && (missing || lun_dtype_kind(r.dtype) != LUN_KIND_FLOAT))
        r.there = lua_newuserdatauv(L, (size_t)(count < CHUNK ? count : CHUNK) + 1, 0);
    prepare(L, h, a, count);
    return r;
}

static void refill(lua_State *L, reader *r)
{
    lun__host *h = r->h;
    int64_t count = r->left < CHUNK ? r->left : CHUNK;
    lun_status s;
    if (r->text)
        LUN__TRY(s, lun_text_read(h->engine, r->a, r->next, count, (lun_string *)r->buffer));
    else if (r->there)
        LUN__TRY(s, lun_read_slots(h->engine, r->a, r->buffer, r->there, r->next, count));
    else
        LUN__TRY(s, lun_read(h->engine, r->a, r->buffer, r->next, count));
    lun__error_check(L, h, s, 1);
    r->next += count;
    r->left -= count;
    r->at = r->buffer;
    r->end = r->buffer + (size_t)count * r->size;
}

/* Pushes a table with the next `count` elements. */
static void push_elements(lua_State *L, reader *r, int64_t count)
{
    lua_createtable(L, count < INT_MAX ? (int)count : INT_MAX, 0);
    for (int64_t i = 1; i <= count; i++) {
        if (r->at == r->end)
            refill(L, r);
        const bool there = r->text ? ((const lun_string *)r->at)->data != NULL
                                   : !r->there || r->there[(size_t)(r->at - r->buffer) / r->size];
        if (!there && r->missing)
            lua_pushvalue(L, r->missing);
        else if (!there)
            lun__lua_missing_push(L, r->h);
        else if (r->text)
            lun__lua_text_push(L, *(const lun_string *)r->at);
        else if (lun_dtype_kind(r->dtype) == LUN_KIND_COMPLEX)
            lun__lua_complex_number_push_at(L, r->h, r->dtype, r->at);
        else
            lun__lua_value_push_element(L, r->dtype, r->at);
        r->at += r->size;
        lua_rawseti(L, -2, i);
    }
}

/* Pushes nested tables with the elements of the extents from `level` on; as deep as the rank. */
static void push_nested(lua_State *L, reader *r, const int64_t *shape, int rank)
{
    if (rank <= 1) {
        push_elements(L, r, rank ? shape[0] : 1);
        return;
    }
    lua_createtable(L, shape[0] < INT_MAX ? (int)shape[0] : INT_MAX, 0);
    for (int64_t i = 1; i <= shape[0]; i++) {
        push_nested(L, r, shape + 1, rank - 1);
        lua_rawseti(L, -2, i);
    }
}

/* Replaces the options at i by the value of `missing`, which they may have; where it is, or 0. */
static int missing_option(lua_State *L, int i)
{
    if (lua_isnoneornil(L, i))
        return 0;
    luaL_checktype(L, i, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1))
        if (strcmp(lun__lua_along_option(L, i, "missing=0"), "missing"))
            lun__blame_argument(L, i, "the option is missing=0");
    return lua_getfield(L, i, "missing") == LUA_TNIL ? 0 : (lua_replace(L, i), i);
}

/* a:totable([{missing=}]): the elements, in nested tables where the rank is above 1. */
static int array_totable(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    int64_t shape[LUN_MAX_RANK];
    int rank = lun_shape(a, shape);
    reader r = start(L, h, a, 0, lun_size(a), missing_option(L, 2));
    push_nested(L, &r, shape, rank);
    lun__host_report_memory(L, h);
    return 1;
}

/* a:read(first, count): a flat table of elements in row-major order; first counts from 1. */
static int array_read(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    int64_t size = lun_size(a);
    lua_Integer first = luaL_checkinteger(L, 2);
    lua_Integer count = luaL_checkinteger(L, 3);
    luaL_argcheck(L, first >= 1 && first - 1 <= size, 2, "index out of range");
    luaL_argcheck(L, count >= 0 && count <= size - (first - 1), 3, "more elements than there are");
    reader r = start(L, h, a, first - 1, count, 0);
    push_elements(L, &r, count);
    lun__host_report_memory(L, h);
    return 1;
}

/* a:tobytes(): the elements in row-major order, as this machine stores them. */
static int array_tobytes(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    int64_t count = lun_size(a);
    int64_t size = lun_dtype_size(lun_dtype_of(a));
    if (!size)
        lun__blame_argument(L, 1, "text has no bytes of one size; use totable or codes");
    if (count > (LUA_MAXINTEGER - 1) / size || (uint64_t)(count * size) >= SIZE_MAX)
        luaL_error(L, "string too long");
    size_t bytes = (size_t)(count * size);
    luaL_Buffer text;
    char *to = luaL_buffinitsize(L, &text, bytes);
    lun_status s;
    LUN__TRY(s, lun_read(h->engine, a, to, 0, count));
    lun__error_check(L, h, s, 1);
    luaL_pushresultsize(&text, bytes);
    lun__host_report_memory(L, h);
    return 1;
}

/* The number of elements of a shape; -1 if it is beyond an int64_t. */
static int64_t elements(const int64_t *shape, int rank)
{
    int64_t n = 1;
    for (int d = 0; d < rank; d++)
        if (shape[d] == 0)
            return 0;
    for (int d = 0; d < rank; d++)
        if (__builtin_mul_overflow(n, shape[d], &n))
            return -1;
    return n;
}

/* lun.frombytes(s, dtype [, shape]): an array of the bytes of tobytes. Bytes of bool other than 0
 * are true. */
static int from_bytes(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    size_t length;
    if (lua_type(L, 1) != LUA_TSTRING)
        lun__error_bad_type(L, 1, "string");
    const char *bytes = lua_tolstring(L, 1, &length);
    lun_dtype t = lun__lua_value_number_dtype(L, 2);
    size_t size = (size_t)lun_dtype_size(t);
    int64_t shape[LUN_MAX_RANK + 1] = {(int64_t)(length / size)};
    int rank = lua_isnoneornil(L, 3) ? 1 : lun__lua_value_shape(L, 3, shape);
    if (length % size != 0)
        lun__blame_argument(L, 1,
                            lua_pushfstring(L, "%I bytes are not a whole number of %s elements",
                                            (lua_Integer)length, lun_dtype_name(t)));
    if (elements(shape, rank) != (int64_t)(length / size))
        lun__blame_argument(L, 3,
                            lua_pushfstring(L, "the shape does not match %I elements",
                                            (lua_Integer)(length / size)));
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *raw = NULL;
    lun_status s;
    if (lun_dtype_kind(t) == LUN_KIND_COMPLEX) {
        shape[rank] = 2;
        LUN__TRY(s, lun_tensor(h->engine, bytes, rank + 1, shape, lun_complex_part(t), out));
        lun__error_check(L, h, s, 1);
        lun__lua_complex_of_lanes(L, h, 1);
    } else if (lun_dtype_kind(t) != LUN_KIND_BOOL) {
        LUN__TRY(s, lun_tensor(h->engine, bytes, rank, shape, t, out));
    } else {
        LUN__TRY(s, lun_tensor(h->engine, bytes, rank, shape, LUN_U8, &raw));
        if (s == LUN_OK) {
            LUN__TRY(s, lun_cast(h->engine, raw, t, out));
            lun_release(raw);
        }
    }
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

/* ---- the table of dtypes --------------------------------------------------------------------- */

enum { MOST_DTYPE = 64 }; /* numbers above those of kernels are far from dense */

/* internal.dtypes(): a list of rows {name=, kind=, bytes=, exponent=, mantissa=, npy=, doc=}. */
static int list_dtypes(lua_State *L)
{
    static const char *const kinds[] = {
        [LUN_KIND_BOOL] = "bool",         [LUN_KIND_SIGNED] = "signed",
        [LUN_KIND_UNSIGNED] = "unsigned", [LUN_KIND_FLOAT] = "float",
        [LUN_KIND_TEXT] = "text",         [LUN_KIND_TIME] = "time",
        [LUN_KIND_COMPLEX] = "complex"};
    lun_dtype_info info = {.size = sizeof info};
    lua_newtable(L);
    for (int t = 0, n = 0; t < MOST_DTYPE; t++) {
        if (!lun_dtype_describe((lun_dtype)t, &info) || info.kind == LUN_KIND_RECORD)
            continue; /* of records the struct is the dtype */
        lua_newtable(L);
        lun__field_set_text(L, "name", info.name);
        lun__field_set_text(L, "kind", kinds[info.kind]);
        lun__field_set_text(L, "doc", info.doc);
        lun__field_set_integer(L, "bytes", info.bytes);
        lun__field_set_integer(L, "exponent", info.exponent);
        lun__field_set_integer(L, "mantissa", info.mantissa);
        if (info.npy[0])
            lua_pushstring(L, info.npy);
        else
            lua_pushnil(L);
        lua_setfield(L, -2, "npy");
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

/* internal.rounded(x, dtype): the number that x becomes as an element. */
static int rounded(lua_State *L)
{
    lun_value x;
    uint64_t room = 0;
    lun_dtype t = lun__lua_value_dtype(L, 2);
    if (!lun__lua_value_at(L, 1, &x))
        lun__error_bad_type(L, 1, "number or boolean");
    lun_element_set(t, x, &room);
    lun__lua_value_push(L, lun_element_get(t, &room));
    return 1;
}

void lun__open_bytes(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {{"totable", array_totable, 2},
                                         {"read", array_read, 3},
                                         {"tobytes", array_tobytes, 1},
                                         {NULL, NULL, 0}};
    static const lun__entry functions[] = {{"frombytes", from_bytes, 3}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {
        {"dtypes", list_dtypes}, {"rounded", rounded}, {NULL, NULL}};
    lun__register_offer(L, p, p->methods, methods);
    lun__register_offer(L, p, p->core, functions);
    lun__register(L, p, p->internal, internal);
}
