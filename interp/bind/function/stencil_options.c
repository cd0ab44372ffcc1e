/* stencil_options.c - the options edge and radius of lun.stencil. */
#include <string.h>

#include "bind/function/lua_skeleton.h"

void lun__stencil_option_none(lun__around *o)
{
    *o = (lun__around){.far = true};
    o->edge[0] = LUN_EDGE_NEAREST;
}

/* The edge at the top of the stack as that of axis k. */
static void one_edge(lua_State *L, int options, int k, lun__around *o)
{
    lun_value x = {.dtype = LUN_I64};
    o->edge[k] = LUN_EDGE_NEAREST;
    o->keep[k] = lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "keep") == 0;
    if (o->keep[k])
        return;
    o->edge[k] = LUN_EDGE_VALUE;
    lun__lua_pad_edge(L, options, "option edge: \"keep\", ", &o->edge[k], &x);
    if (o->edge[k] != LUN_EDGE_VALUE)
        return;
    if (o->valued && memcmp(&o->x, &x, sizeof x) != 0)
        lun__blame_argument(L, options, "option edge: only one number can stand beyond the ends");
    o->x = x;
    o->valued = true;
}

static void one_radius(lua_State *L, int options, int k, lun__around *o)
{
    int exact = 0;
    o->radius[k] = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact || o->radius[k] < 0)
        lun__blame_argument(L, options,
                            lua_pushfstring(L,
                                            "option radius: an integer of at least 0 expected, "
                                            "got %s",
                                            lun__error_push_shown(L, -1)));
}

/* The value at the top, or its elements by axis; how many, 0: one for all axes. */
static int each(lua_State *L, int options, const char *name, lun__around *o,
                void (*one)(lua_State *L, int options, int k, lun__around *o))
{
    if (!lua_istable(L, -1)) {
        one(L, options, 0, o);
        return 0;
    }
    lua_Unsigned n = lua_rawlen(L, -1);
    if (n < 1 || n > LUN_MAX_RANK)
        lun__blame_argument(L, options,
                            lua_pushfstring(L,
                                            "option %s: a list of 1 to %d expected, one for each "
                                            "axis",
                                            name, LUN_MAX_RANK));
    for (int k = 0; k < (int)n; k++) {
        lua_rawgeti(L, -1, k + 1);
        one(L, options, k, o);
        lua_pop(L, 1);
    }
    return (int)n;
}

bool lun__stencil_option_read(lua_State *L, int options, const char *name, lun__around *o)
{
    if (strcmp(name, "edge") == 0) {
        o->edges = each(L, options, name, o, one_edge);
    } else if (strcmp(name, "radius") == 0) {
        o->far = false;
        o->radii = each(L, options, name, o, one_radius);
    } else {
        return false;
    }
    return true;
}

bool lun__stencil_option_keeps(const lun__around *o)
{
    bool keeps = false;
    for (int k = 0; k == 0 || k < o->edges; k++)
        keeps |= o->keep[k];
    return keeps;
}

static lun_status wrong_list(lun_engine *e, const char *what, int has, int rank)
{
    char text[96];
    snprintf(text, sizeof text, "option %s lists %d axes, the array has %d", what, has, rank);
    return lun_fail(e, LUN_ESHAPE, text);
}

lun_status lun__stencil_option_run(lun_engine *e, lun_function *f, lun_array *const *operands,
                                   int count, int elements, const lun__around *o, lun_array **outs,
                                   int room, int *results)
{
    int64_t shape[LUN_MAX_RANK], radius[LUN_MAX_RANK];
    lun_edge edge[LUN_MAX_RANK];
    bool keep[LUN_MAX_RANK];
    const int rank = lun_shape(operands[0], shape);
    if (o->edges && o->edges != rank)
        return wrong_list(e, "edge", o->edges, rank);
    if (o->radii && o->radii != rank)
        return wrong_list(e, "radius", o->radii, rank);
    for (int k = 0; k < rank; k++) {
        edge[k] = o->edge[o->edges ? k : 0];
        keep[k] = o->keep[o->edges ? k : 0];
        radius[k] = o->radius[o->radii ? k : 0];
    }
    const lun_stencil_options how = {.size = sizeof how,
                                     .edge = edge,
                                     .x = o->x,
                                     .keep = keep,
                                     .radius = o->far ? NULL : radius};
    return lun_stencil(e, f, operands, count, elements, &how, outs, room, results);
}

void lun__stencil_option_foresee(lua_State *L, lun__host *h, const lun__skeleton *k, int options)
{
    const lun__around *o = &k->around;
    int64_t radius[LUN_MAX_RANK];
    if (o->edges && o->radii && o->edges != o->radii)
        lun__blame_argument(
            L, options,
            lua_pushfstring(L, "option edge lists %d axes, option radius %d", o->edges, o->radii));
    for (int i = 0; i < LUN_MAX_RANK; i++)
        radius[i] = o->radius[o->radii ? i : 0];
    lun__error_check(L, h,
                     lun_stencil_foresee(h->engine, k->f, k->leaves, o->edges ? o->edges : o->radii,
                                         o->far ? NULL : radius),
                     1);
}
