/* Between Lua's numbers and booleans and the engine's values, elements, dtypes and shapes.
 * Knows nothing of arrays. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"

/* ---- values and elements ----------------------------------------------------------------------- */

void lun__push_value(lua_State *L, lun_value x)
{
    if (x.dtype == LUN_BOOL)
        lua_pushboolean(L, x.as.u != 0);
    else if (x.dtype == LUN_F64)
        lua_pushnumber(L, x.as.d);
    else if (x.dtype == LUN_U64)
        lua_pushinteger(L, (lua_Integer)x.as.u);
    else
        lua_pushinteger(L, x.as.i);
}

#define PUSH_INTEGER(ctype)                  \
    do {                                     \
        ctype x_;                            \
        memcpy(&x_, p, sizeof x_);           \
        lua_pushinteger(L, (lua_Integer)x_); \
    } while (0)

#define PUSH_FLOAT(ctype)                  \
    do {                                   \
        ctype x_;                          \
        memcpy(&x_, p, sizeof x_);         \
        lua_pushnumber(L, (lua_Number)x_); \
    } while (0)

void lun__push_element(lua_State *L, lun_dtype t, const void *p)
{
    switch (t) {
    case LUN_BOOL:
        lua_pushboolean(L, *(const uint8_t *)p != 0);
        break;
    case LUN_I8:
        PUSH_INTEGER(int8_t);
        break;
    case LUN_U8:
        PUSH_INTEGER(uint8_t);
        break;
    case LUN_I16:
        PUSH_INTEGER(int16_t);
        break;
    case LUN_U16:
        PUSH_INTEGER(uint16_t);
        break;
    case LUN_I32:
        PUSH_INTEGER(int32_t);
        break;
    case LUN_U32:
        PUSH_INTEGER(uint32_t);
        break;
    case LUN_F32:
        PUSH_FLOAT(float);
        break;
    case LUN_F64:
        PUSH_FLOAT(double);
        break;
    case LUN_I64:
    case LUN_U64:
    case LUN_DTYPE_COUNT:
        PUSH_INTEGER(int64_t);
        break;
    }
}

bool lun__to_value(lua_State *L, int i, lun_value *out)
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

static double as_double(lun_value x)
{
    switch (x.dtype) {
    case LUN_F64:
        return x.as.d;
    case LUN_I64:
        return (double)x.as.i;
    default:
        return (double)x.as.u;
    }
}

/* x as an integer: its bits and whether it is negative. NULL, or why it is none. */
static const char *as_integer(lun_value x, uint64_t *bits, bool *negative)
{
    if (x.dtype == LUN_F64) {
        if (x.as.d != floor(x.as.d) || x.as.d < -0x1p63 || x.as.d >= 0x1p64)
            return "has no integer representation";
        *negative = x.as.d < 0;
        *bits = *negative ? (uint64_t)(int64_t)x.as.d : (uint64_t)x.as.d;
    } else {
        *negative = x.dtype == LUN_I64 && x.as.i < 0;
        *bits = x.dtype == LUN_I64 ? (uint64_t)x.as.i : x.as.u;
    }
    return NULL;
}

static bool is_signed(lun_dtype t)
{
    return t == LUN_I8 || t == LUN_I16 || t == LUN_I32 || t == LUN_I64;
}

/* True if an integer lies in the range of an integer dtype. */
static bool fits(lun_dtype t, uint64_t bits, bool negative)
{
    if (t == LUN_BOOL)
        return bits <= 1;
    int width = lun_dtype_size(t) * 8;
    if (!is_signed(t))
        return !negative && (width == 64 || bits >> width == 0);
    uint64_t magnitude = negative ? ~bits : bits;
    return magnitude >> (width - 1) == 0;
}

const char *lun__pack(lun_dtype t, lun_value x, void *to)
{
    if (t == LUN_F32) {
        float f = (float)as_double(x);
        memcpy(to, &f, sizeof f);
        return NULL;
    }
    if (t == LUN_F64) {
        double d = as_double(x);
        memcpy(to, &d, sizeof d);
        return NULL;
    }
    uint64_t bits = 0;
    bool negative = false;
    const char *why = as_integer(x, &bits, &negative);
    if (why)
        return why;
    if (!fits(t, bits, negative))
        return "does not fit";
    uint8_t one = (uint8_t)bits;
    uint16_t two = (uint16_t)bits;
    uint32_t four = (uint32_t)bits;
    switch (lun_dtype_size(t)) {
    case 1:
        memcpy(to, &one, sizeof one);
        break;
    case 2:
        memcpy(to, &two, sizeof two);
        break;
    case 4:
        memcpy(to, &four, sizeof four);
        break;
    default:
        memcpy(to, &bits, sizeof bits);
        break;
    }
    return NULL;
}

/* ---- dtypes and shapes ------------------------------------------------------------------------- */

lun_dtype lun__check_dtype(lua_State *L, int i)
{
    lun_dtype t;
    if (lua_type(L, i) != LUA_TSTRING)
        luaL_typeerror(L, i, "name of a dtype");
    if (lun_dtype_find(lua_tostring(L, i), &t))
        return t;
    luaL_Buffer known;
    luaL_buffinit(L, &known);
    for (int d = 0; d < LUN_DTYPE_COUNT; d++) {
        luaL_addchar(&known, ' ');
        luaL_addstring(&known, lun_dtype_name((lun_dtype)d));
    }
    luaL_pushresult(&known);
    luaL_argerror(L, i,
                  lua_pushfstring(L, "unknown dtype '%s'; the dtypes are%s", lua_tostring(L, i),
                                  lua_tostring(L, -1)));
    return LUN_DTYPE_COUNT;
}

static int64_t check_extent(lua_State *L, int arg, int at, int number)
{
    int exact = 0;
    lua_Integer n = lua_type(L, at) == LUA_TNUMBER ? lua_tointegerx(L, at, &exact) : 0;
    if (!exact) {
        const char *what =
            lua_type(L, at) == LUA_TNUMBER ? lua_tostring(L, at) : luaL_typename(L, at);
        luaL_argerror(L, arg, lua_pushfstring(L, "extent %d is %s, not an integer", number, what));
    }
    if (n < 0)
        luaL_argerror(L, arg, lua_pushfstring(L, "extent %d is negative: %I", number, n));
    return n;
}

int lun__check_shape(lua_State *L, int i, int64_t shape[LUN_MAX_RANK])
{
    if (lua_type(L, i) == LUA_TNUMBER) {
        shape[0] = check_extent(L, i, i, 1);
        return 1;
    }
    if (lua_type(L, i) != LUA_TTABLE)
        luaL_typeerror(L, i, "length or table of extents");
    lua_Unsigned rank = lua_rawlen(L, i);
    if (rank == 0)
        luaL_argerror(L, i, "a shape needs at least one extent");
    if (rank > LUN_MAX_RANK)
        luaL_argerror(L, i,
                      lua_pushfstring(L, "%I extents; at most %d are allowed", (lua_Integer)rank,
                                      LUN_MAX_RANK));
    for (int d = 0; d < (int)rank; d++) {
        lua_rawgeti(L, i, d + 1);
        shape[d] = check_extent(L, i, lua_gettop(L), d + 1);
        lua_pop(L, 1);
    }
    return (int)rank;
}
