/* lua_matmul.c - a:matmul(b) and lun.matmul(a, b). */
#include "bind/host/bind.h"

static int matmul(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun__lua_array_check(L, h, 1);
    lun__lua_array_check(L, h, 2);
    lun__source_line_mark(L, h);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1), *b = lun__lua_array_check(L, h, 2);
    lun_status s;
    LUN__TRY(s, lun_matmul(h->engine, a, b, out));
    int operand = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    lun__error_check(L, h, s, operand ? operand : 2);
    lun__host_report_memory(L, h);
    return 1;
}

void lun__open_matmul(lua_State *L, const lun__parts *p)
{
    static const lun__entry entries[] = {{"matmul", matmul, 2}, {NULL, NULL, 0}};
    lun__register_offer(L, p, p->core, entries);
    lun__register_offer(L, p, p->methods, entries);
}
