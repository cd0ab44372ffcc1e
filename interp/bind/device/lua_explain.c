/* lua_explain.c - lun.explain: the engine's plan as a Lua table. Its page is formatted in Lua. */
#include "bind/host/bind.h"
#include "bind/host/field.h"

static const char *shown(const char *text)
{
    return text ? text : "";
}

static void push_kernel(lua_State *L, const lun_plan_kernel *k)
{
    lua_createtable(L, 0, 18);
    lun__field_set_integer(L, "ops", k->ops);
    lun__field_set_integer(L, "reads", k->reads);
    lun__field_set_integer(L, "writes", k->writes);
    lun__field_set_integer(L, "bytes_read", k->bytes_read);
    lun__field_set_integer(L, "bytes_written", k->bytes_written);
    lun__field_set_integer(L, "bytes", k->bytes_read + k->bytes_written);
    lun__field_set_integer(L, "n", k->n);
    lun__field_set_integer(L, "kept", k->kept);
    lun__field_set_integer(L, "staged", k->staged);
    if (k->chain)
        lun__field_set_integer(L, "chain", k->chain);
    if (k->sweep)
        lun__field_set_integer(L, "sweep", k->sweep);
    lun__field_set_text(L, "name", shown(k->name));
    lun__field_set_text(L, "ir", shown(k->ir));
    lun__field_set_text(L, "source", shown(k->source));
    lun__field_set_text(L, "cut", shown(k->cut));
    lun__field_set_text(L, "types", shown(k->types));
    lun__field_set_text(L, "space", shown(k->space));
    lun__field_set_text(L, "labels", shown(k->labels));
}

/* The locations that run kernel number `kernel`, from row *at on; *at becomes the row of the next
 * kernel. Steps before kernels have lists of their own. */
static void push_places(lua_State *L, const lun_plan *p, int kernel, int *at)
{
    const lun_plan_place *x;
    lua_newtable(L);
    lua_setfield(L, -2, "places");
    for (; (x = lun_plan_place_at(p, *at)) && x->kernel == kernel; ++*at) {
        const char *list = *x->what ? x->what : "places";
        if (lua_getfield(L, -1, list) == LUA_TNIL) {
            lua_pop(L, 1);
            lua_newtable(L);
            lua_pushvalue(L, -1);
            lua_setfield(L, -3, list);
        }
        lua_createtable(L, 0, 3);
        lun__field_set_text(L, "name", shown(x->name));
        lun__field_set_integer(L, "first", x->first + 1);
        lun__field_set_integer(L, "count", x->count);
        lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
        lua_pop(L, 1);
    }
}

/* The moves of a plan whose bytes are known, or the exchanges, as a list of that name. */
static void push_moves(lua_State *L, const lun_plan *p, bool exchanges, const char *list)
{
    const lun_plan_move *m;
    lua_newtable(L);
    for (int k = 0; (m = lun_plan_move_at(p, k)); k++) {
        if ((m->exchange != 0) != exchanges)
            continue;
        lua_createtable(L, 0, 5);
        lun__field_set_text(L, "from", shown(m->from));
        lun__field_set_text(L, "to", shown(m->to));
        lun__field_set_text(L, "why", shown(m->why));
        lun__field_set_integer(L, "bytes", m->bytes);
        lun__field_set_integer(L, "kernel", m->kernel + 1);
        lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
    lua_setfield(L, -2, list);
}

/* lun.explain(e1, e2, ...): a list of kernels; runs nothing. */
static int explain(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int count = lua_gettop(L);
    luaL_checkany(L, 1);
    lun_array **arrays = lua_newuserdatauv(L, (size_t)count * sizeof(lun_array *), 0);
    for (int i = 1; i <= count; i++)
        arrays[i - 1] = lun__lua_array_unevaluated(L, h, i);
    lun__held *held = lun__host_new_held(L, h, LUN__PLAN);
    lun_status s;
    LUN__TRY(s, lun_explain(h->engine, arrays, count, &held->as.plan));
    lun__error_check(L, h, s, 1);
    const lun_plan *kernels = held->as.plan;
    int length = lun_plan_count(kernels), at = 0;
    lua_createtable(L, length, 0);
    for (int i = 0; i < length; i++) {
        push_kernel(L, lun_plan_at(kernels, i));
        push_places(L, kernels, i, &at);
        lua_rawseti(L, -2, i + 1);
    }
    push_moves(L, kernels, false, "moves");
    push_moves(L, kernels, true, "exchanges");
    lun__field_set_text(L, "graph", shown(lun_plan_graph(kernels)));
    lun__field_set_text(L, "text", shown(lun_plan_text(kernels)));
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__PAGE);
    lua_setmetatable(L, -2);
    return 1;
}

void lun__open_explain(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {{"explain", explain, LUN__ANY}, {NULL, NULL, 0}};
    lun__host_new_type(L, p->host_at, LUN__PLAN, "lunarray.plan");
    lua_pop(L, 1);
    lun__host_new_type(L, p->host_at, LUN__PAGE, "lunarray.page");
    lua_setfield(L, p->internal, "page_type");
    lun__register_offer(L, p, p->core, functions);
}
