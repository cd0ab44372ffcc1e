/* lua_complex_number.c - complex numbers as values of Lua: userdata of two floats, which do not
 * change.  Operators and functions of them are array/lua_complex.c's. */
#include <string.h>

#include "bind/host/bind.h"

/* A complex number: immutable. */
typedef struct number {
    lun__box head;
    double re, im;
} number;

static const number *number_at(lua_State *L, const lun__host *h, int i)
{
    return (const number *)lun__host_test(L, h, i, LUN__COMPLEX, sizeof(number));
}

bool lun__lua_complex_number_at(lua_State *L, const lun__host *h, int i, double z[2])
{
    const number *x = number_at(L, h, i);
    if (x) {
        z[0] = x->re;
        z[1] = x->im;
    }
    return x != NULL;
}

void lun__lua_complex_number_push(lua_State *L, lun__host *h, double re, double im)
{
    number *x = (number *)lun__host_new_box(L, h, LUN__COMPLEX, sizeof *x, 0);
    x->re = re;
    x->im = im;
}

void lun__lua_complex_number_push_at(lua_State *L, lun__host *h, lun_dtype t, const void *p)
{
    float narrow[2];
    double wide[2];
    memcpy(narrow, p, sizeof narrow);
    if ((size_t)lun_dtype_size(t) == sizeof wide)
        memcpy(wide, p, sizeof wide);
    else
        wide[0] = (double)narrow[0], wide[1] = (double)narrow[1];
    lun__lua_complex_number_push(L, h, wide[0], wide[1]);
}

bool lun__lua_complex_number_is_of(const lun_array *a)
{
    return lun_dtype_kind(lun_dtype_of(a)) == LUN_KIND_COMPLEX;
}

bool lun__lua_complex_number_or_real(lua_State *L, lun__host *h, int i, double z[2])
{
    z[0] = z[1] = 0;
    if (lua_type(L, i) == LUA_TNUMBER)
        z[0] = lua_tonumber(L, i);
    return lua_type(L, i) == LUA_TNUMBER || lun__lua_complex_number_at(L, h, i, z);
}

void lun__lua_complex_number_first(lua_State *L, const lun__parts *p, double re, double im)
{
    number *x = lua_newuserdatauv(L, sizeof *x, 0);
    *x = (number){.head = {.host = p->host, .kind = LUN__COMPLEX}, .re = re, .im = im};
    lua_getiuservalue(L, p->host_at, LUN__COMPLEX);
    lua_setmetatable(L, -2);
}
