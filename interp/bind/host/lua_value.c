/* lua_value.c - between Lua's numbers and booleans and the engine's values, elements, dtypes and
 * shapes. Knows nothing of arrays. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/host/bind.h"

/* ---- values and elements --------------------------------------------------------------------- */

/* Pushes a float. NaN gets no sign, which Lua's tostring would write. */
static void push_float(lua_State *L, double x)
{
    lua_pushnumber(L, x == x ? x : (lua_Number)NAN);
}

void lun__lua_value_push(lua_State *L, lun_value x)
{
    switch (lun_dtype_kind(x.dtype)) {
    case LUN_KIND_BOOL:
        lua_pushboolean(L, x.as.u != 0);
        break;
    case LUN_KIND_FLOAT:
        push_float(L, x.as.d);
        break;
    case LUN_KIND_UNSIGNED:
        lua_pushinteger(L, (lua_Integer)x.as.u);
        break;
    case LUN_KIND_SIGNED:
        lua_pushinteger(L, x.as.i);
        break;
    case LUN_KIND_TEXT:
    case LUN_KIND_TIME:
    case LUN_KIND_COMPLEX:
    case LUN_KIND_RECORD: /* no dtype of a value */
        lua_pushnil(L);
    }
}

bool lun__lua_value_is_time(lun_dtype t)
{
    return lun_dtype_kind(t) == LUN_KIND_TIME;
}

void lun__lua_value_push_time(lua_State *L, lun_dtype t, int64_t x)
{
    char text[LUN_TIME_TEXT];
    if (t == LUN_DURATION)
        lua_pushnumber(L, (lua_Number)x / 1000000);
    else
        lua_pushlstring(L, text, (size_t)lun_time_write(t, x, text));
}

/* Pushes the element of such a dtype at p. */
static void push_time_at(lua_State *L, lun_dtype t, const void *p)
{
    int32_t days;
    int64_t us;
    memcpy(&days, p, sizeof days);
    if (t != LUN_DATE)
        memcpy(&us, p, sizeof us);
    lun__lua_value_push_time(L, t, t == LUN_DATE ? days : us);
}

#define PUSH_AS(type, push)        \
    do {                           \
        type x_;                   \
        memcpy(&x_, p, sizeof x_); \
        push(L, x_);               \
        return;                    \
    } while (0)

/* Dtypes of C are pushed without a conversion: tables of millions of elements are made so. */
void lun__lua_value_push_element(lua_State *L, lun_dtype t, const void *p)
{
    int size = lun_dtype_size(t);
    lun_kind kind = lun_dtype_kind(t);
    if (kind == LUN_KIND_FLOAT && size == sizeof(double))
        PUSH_AS(double, push_float);
    if (kind == LUN_KIND_FLOAT && size == sizeof(float))
        PUSH_AS(float, push_float);
    if (kind == LUN_KIND_SIGNED && size == sizeof(int64_t))
        PUSH_AS(int64_t, lua_pushinteger);
    if (kind == LUN_KIND_SIGNED && size == sizeof(int32_t))
        PUSH_AS(int32_t, lua_pushinteger);
    if (kind == LUN_KIND_TIME) {
        push_time_at(L, t, p);
        return;
    }
    lun__lua_value_push(L, lun_element_get(t, p));
}

bool lun__lua_value_at(lua_State *L, int i, lun_value *out)
{
    switch (lua_type(L, i)) {
    case LUA_TNUMBER:
        if (lua_isinteger(L, i))
            *out = (lun_value){.dtype = LUN_I64, .as.i = lua_tointeger(L, i)};
        else
            *out = (lun_value){.dtype = LUN_F64, .as.d = lua_tonumber(L, i)};
        return true;
    case LUA_TBOOLEAN:
        *out = (lun_value){.dtype = LUN_BOOL, .as.u = (uint64_t)lua_toboolean(L, i)};
        return true;
    default:
        return false;
    }
}

/* x as an integer: its bits and whether it is negative. NULL, or why it is none. */
static const char *as_integer(lun_value x, uint64_t *bits, bool *negative)
{
    lun_kind kind = lun_dtype_kind(x.dtype);
    if (kind == LUN_KIND_FLOAT) {
        if (x.as.d != floor(x.as.d) || x.as.d < -0x1p63 || x.as.d >= 0x1p64)
            return "has no integer representation";
        *negative = x.as.d < 0;
        *bits = *negative ? (uint64_t)(int64_t)x.as.d : (uint64_t)x.as.d;
    } else {
        *negative = kind == LUN_KIND_SIGNED && x.as.i < 0;
        *bits = x.as.u;
    }
    return NULL;
}

/* True if an integer lies in the range of an integer dtype. */
static bool fits(lun_dtype t, uint64_t bits, bool negative)
{
    lun_kind kind = lun_dtype_kind(t);
    if (kind == LUN_KIND_BOOL)
        return bits <= 1;
    int width = lun_dtype_size(t) * 8;
    if (kind == LUN_KIND_UNSIGNED)
        return !negative && (width == 64 || bits >> width == 0);
    uint64_t magnitude = negative ? ~bits : bits;
    return magnitude >> (width - 1) == 0;
}

static double as_double(lun_value x)
{
    lun_kind kind = lun_dtype_kind(x.dtype);
    return kind == LUN_KIND_FLOAT    ? x.as.d
           : kind == LUN_KIND_SIGNED ? (double)x.as.i
                                     : (double)x.as.u;
}

const char *lun__lua_value_pack(lun_dtype t, lun_value x, void *to)
{
    uint64_t bits = 0;
    bool negative = false;
    bool is_float = lun_dtype_kind(t) == LUN_KIND_FLOAT;
    size_t size = is_float ? (size_t)lun_dtype_size(t) : 0;
    if (size == sizeof(double)) {
        double wide = as_double(x);
        memcpy(to, &wide, sizeof wide);
        return NULL;
    }
    if (size == sizeof(float)) {
        float narrow = (float)as_double(x);
        memcpy(to, &narrow, sizeof narrow);
        return NULL;
    }
    if (!is_float) {
        const char *why = as_integer(x, &bits, &negative);
        if (why)
            return why;
        /* u64 takes the bits of an integer: elements from 2^63 on are negative in Lua */
        const bool by_bits = lun_dtype_kind(x.dtype) == LUN_KIND_SIGNED &&
                             lun_dtype_kind(t) == LUN_KIND_UNSIGNED && lun_dtype_size(t) == 8;
        if (!by_bits && !fits(t, bits, negative))
            return "does not fit";
        x = (lun_value){.dtype = LUN_U64, .as.u = bits};
    }
    lun_element_set(t, x, to);
    return NULL;
}

/* ---- dtypes and shapes ----------------------------------------------------------------------- */

/* What a name of C, NumPy or Lua for a dtype is here, NULL: nothing. */
static const char *dtype_meant(const char *name)
{
    static const struct {
        const char *theirs, *ours;
    } rows[] = {{"int", "i64"},
                {"integer", "i64"},
                {"long", "i64"},
                {"int64", "i64"},
                {"int32", "i32"},
                {"int16", "i16"},
                {"int8", "i8"},
                {"short", "i16"},
                {"uint64", "u64"},
                {"uint32", "u32"},
                {"uint16", "u16"},
                {"uint8", "u8"},
                {"byte", "u8"},
                {"char", "u8"},
                {"unsigned", "u32"},
                {"size_t", "u64"},
                {"float", "f64"},
                {"number", "f64"},
                {"double", "f64"},
                {"float64", "f64"},
                {"float32", "f32"},
                {"single", "f32"},
                {"float16", "f16"},
                {"half", "f16"},
                {"bfloat16", "bf16"},
                {"boolean", "bool"},
                {"complex", "c128"},
                {"complex128", "c128"},
                {"complex64", "c64"},
                {"string", "text"},
                {"str", "text"},
                {"object", "text"},
                {"datetime", "timestamp"},
                {"datetime64", "timestamp"},
                {"timedelta", "duration"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strcmp(rows[k].theirs, name) == 0)
            return rows[k].ours;
    return NULL;
}

lun_dtype lun__lua_value_dtype(lua_State *L, int i)
{
    lun_dtype t;
    if (lua_type(L, i) != LUA_TSTRING)
        lun__error_bad_type(L, i, "name of a dtype");
    if (lun_dtype_find(lua_tostring(L, i), &t) && t < LUN_DTYPE_COUNT)
        return t;
    luaL_Buffer known;
    luaL_buffinit(L, &known);
    for (int d = 0; d < LUN_DTYPE_COUNT; d++) {
        luaL_addchar(&known, ' ');
        luaL_addstring(&known, lun_dtype_name((lun_dtype)d));
    }
    luaL_addstring(&known, " c64 c128");
    luaL_pushresult(&known);
    const char *meant = dtype_meant(lua_tostring(L, i));
    lua_pushfstring(L, meant ? "'%s' is \"%s\" here" : "", lua_tostring(L, i), meant);
    lun__blame_argument(L, i,
                        lua_pushfstring(L, "unknown dtype '%s'; %s%sthe dtypes are%s",
                                        lua_tostring(L, i), lua_tostring(L, -1), meant ? "; " : "",
                                        lua_tostring(L, -2)));
    return LUN_DTYPE_COUNT;
}

bool lun__lua_value_is_text(lun_dtype t)
{
    return lun_dtype_kind(t) == LUN_KIND_TEXT;
}

bool lun__lua_value_has_gaps(lun_dtype t)
{
    return lun__lua_value_is_text(t) || lun_dtype_kind(t) == LUN_KIND_TIME;
}

lun_dtype lun__lua_value_any_dtype(lua_State *L, int i)
{
    lun_dtype t;
    const bool logical = lua_type(L, i) == LUA_TSTRING && lun_dtype_find(lua_tostring(L, i), &t) &&
                         t > LUN_DTYPE_COUNT;
    return logical ? t : lun__lua_value_dtype(L, i);
}

lun_dtype lun__lua_value_number_dtype(lua_State *L, int i)
{
    lun_dtype t;
    const bool complex = lua_type(L, i) == LUA_TSTRING && lun_dtype_find(lua_tostring(L, i), &t) &&
                         lun_dtype_kind(t) == LUN_KIND_COMPLEX;
    return complex ? t : lun__lua_value_dtype(L, i);
}

/* The extent at the stack index `at`; `open`: it may be -1. */
static int64_t check_extent(lua_State *L, int arg, int at, int number, bool open)
{
    int exact = 0;
    lua_Integer n = lua_type(L, at) == LUA_TNUMBER ? lua_tointegerx(L, at, &exact) : 0;
    if (!exact) {
        const char *what =
            lua_type(L, at) == LUA_TNUMBER ? lun__value_text(L, at) : luaL_typename(L, at);
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "extent %d is %s, not an integer", number, what));
    }
    if (n < 0 && !(open && n == -1))
        lun__blame_argument(L, arg, lua_pushfstring(L, "extent %d is negative: %I", number, n));
    return n;
}

/* The shape at i, with -1 among its extents where `open`. */
static int read_shape(lua_State *L, int i, bool open, int64_t shape[LUN_MAX_RANK])
{
    if (lua_type(L, i) == LUA_TNUMBER) {
        shape[0] = check_extent(L, i, i, 1, open);
        return 1;
    }
    if (lua_type(L, i) != LUA_TTABLE)
        lun__error_bad_type(L, i, "length or table of extents");
    lua_Unsigned rank = lua_rawlen(L, i);
    if (rank == 0)
        lun__blame_argument(L, i, "a shape needs at least one extent");
    if (rank > LUN_MAX_RANK)
        lun__blame_argument(L, i,
                            lua_pushfstring(L, "%I extents; at most %d are allowed",
                                            (lua_Integer)rank, LUN_MAX_RANK));
    for (int d = 0; d < (int)rank; d++) {
        lua_rawgeti(L, i, d + 1);
        shape[d] = check_extent(L, i, lua_gettop(L), d + 1, open);
        lua_pop(L, 1);
    }
    return (int)rank;
}

int lun__lua_value_shape(lua_State *L, int i, int64_t shape[LUN_MAX_RANK])
{
    return read_shape(L, i, false, shape);
}

int lun__lua_value_new_shape(lua_State *L, int i, int64_t size, int64_t shape[LUN_MAX_RANK])
{
    int rank = read_shape(L, i, true, shape);
    int open = -1;
    int64_t others = 1;
    for (int d = 0; d < rank; d++) {
        if (shape[d] == -1 && open >= 0)
            lun__blame_argument(
                L, i,
                lua_pushfstring(L, "extents %d and %d are both -1: only one can be inferred",
                                open + 1, d + 1));
        else if (shape[d] == -1)
            open = d;
        else if (__builtin_mul_overflow(others, shape[d], &others))
            lun__blame_argument(L, i, "too many elements");
    }
    if (open < 0)
        return rank;
    if (others == 0 || size % others != 0)
        lun__blame_argument(
            L, i,
            lua_pushfstring(L, "extent %d cannot be inferred: %I elements are not a multiple of %I",
                            open + 1, (lua_Integer)size, (lua_Integer)others));
    shape[open] = size / others;
    return rank;
}

void lun__lua_value_gather_shape(lua_State *L, int i)
{
    int count = 0;
    while (lua_type(L, i + count) == LUA_TNUMBER)
        count++;
    if (count < 2)
        return;
    lua_createtable(L, count, 0);
    for (int d = 0; d < count; d++) {
        lua_pushvalue(L, i + d);
        lua_rawseti(L, -2, d + 1);
    }
    lua_replace(L, i);
    for (int d = 1; d < count; d++)
        lua_remove(L, i + 1);
}
