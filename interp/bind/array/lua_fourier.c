/* lua_fourier.c - core.internal.fourier: Fourier transforms along one axis. */
#include "bind/host/bind.h"

/* fourier(what, a, n, axis, norm): n 0: the array's own; axis from 1; norm of lun_norm */
static int fourier(lua_State *L)
{
    static const char *const names[] = {"fft", "ifft", "rfft", "irfft", "hfft", "ihfft", NULL};
    static lun_status (*const functions[])(lun_engine * e, lun_array * a, const lun_fft_options *o,
                                           lun_array **out) = {lun_fft,   lun_ifft, lun_rfft,
                                                               lun_irfft, lun_hfft, lun_ihfft};
    lun__host *h = lun__host_here(L);
    const int what = luaL_checkoption(L, 1, NULL, names);
    const lun_fft_options o = {.size = sizeof o,
                               .n = luaL_checkinteger(L, 3),
                               .axis = (int)luaL_checkinteger(L, 4) - 1,
                               .norm = (int)luaL_checkinteger(L, 5)};
    lun__lua_array_check(L, h, 2);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 2);
    lun_status s;
    LUN__TRY(s, functions[what](h->engine, a, &o, out));
    lun__error_check(L, h, s, 2);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_fourier(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {{"fourier", fourier}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
