/* lua_fourier.c - core.internal.fourier: what Fourier transforms are made of. */
#include "bind/host/bind.h"

/* fourier(a, flags, axis, n): axis from 1 */
static int fourier(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const int flags = (int)luaL_checkinteger(L, 2), axis = (int)luaL_checkinteger(L, 3);
    const int64_t n = luaL_checkinteger(L, 4);
    lun__lua_array_check(L, h, 1);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_fourier(h->engine, a, flags, axis - 1, n, out));
    lun__error_check(L, h, s, 1);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_fourier(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {{"fourier", fourier}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
