/* lua_dense.c - core.internal.dense: what the methods of matrices are made of. */
#include "bind/host/bind.h"

/* dense(what, a [, b or flags [, flags]]) */
static int dense(lua_State *L)
{
    static const char *const names[] = {"lu",  "det", "cholesky", "eigh",       "qr",
                                        "svd", "eig", "solved",   "triangular", NULL};
    lun__host *h = lun__host_here(L);
    const int what = luaL_checkoption(L, 1, NULL, names);
    const bool two = what >= 7;
    const int flags = (int)luaL_optinteger(L, two ? 4 : 3, 0);
    lun__lua_array_check(L, h, 2);
    if (two)
        lun__lua_array_check(L, h, 3);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 2), *b = two ? lun__lua_array_check(L, h, 3) : NULL;
    lun_engine *e = h->engine;
    lun_status s;
    LUN__TRY(s, what == 0   ? lun_lu(e, a, out)
                : what == 1 ? lun_lu_det(e, a, flags, out)
                : what == 2 ? lun_cholesky(e, a, out)
                : what == 3 ? lun_eigh(e, a, flags, out)
                : what == 4 ? lun_qr(e, a, flags, out)
                : what == 5 ? lun_svd(e, a, flags, out)
                : what == 6 ? lun_eig(e, a, flags, out)
                : what == 7 ? lun_lu_solve(e, a, b, out)
                            : lun_solve_triangular(e, a, b, flags, out));
    lun__error_check(L, h, s, 2);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_dense(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {{"dense", dense}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
}
