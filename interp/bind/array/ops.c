/* ops.c - the elementwise operations as functions, methods and operators, all made in one loop over
 * the engine's table: an operation is named here only where Lua knows it by another name or
 * compares, and the two that can fail in a kernel. a + b has a fast path here. */
#include <string.h>

#include "bind/host/bind.h"

#define MOST_OPERANDS 3

/* Replaces strings among the operands by Scalars, where one is an array of a dtype that takes
 * them, and in a choice. */
static void texts_for(lua_State *L, lun__host *h, lun_op op, int count)
{
    bool wanted = op == LUN_OP_WHERE;
    for (int i = 1; i <= count && !wanted; i++) {
        const lun_array *a = lua_type(L, i) == LUA_TUSERDATA ? lun__lua_array_at(L, i) : NULL;
        wanted = a && lun_is_logical(a);
    }
    for (int i = 1; i <= count && wanted; i++)
        if (lua_type(L, i) == LUA_TSTRING && (i > 1 || op != LUN_OP_WHERE))
            lun__lua_text_replace(L, h, i);
}

/* Pushes the element of a complex Scalar. */
static void push_complex(lua_State *L, lun__host *h, lun_array *a)
{
    double z[2];
    lun_status s;
    LUN__TRY(s, lun_getcomplex(h->engine, a, 0, &z[0], &z[1]));
    lun__error_check(L, h, s, 1);
    lun__lua_complex_number_push(L, h, z[0], z[1]);
}

int lun__ops_apply(lua_State *L, lun__host *h, lun_op op, int count, bool may_trap)
{
    lun_array *operands[MOST_OPERANDS];
    bool own[MOST_OPERANDS];
    lua_settop(L, count);
    for (int i = 2; op == LUN_OP_WHERE && i <= 3; i++)
        if (lun__lua_missing_at(L, h, i)) {
            lun_value x = {.dtype = LUN_F64};
            if (lun__lua_array_is(L, h, 5 - i))
                x.dtype = lun_dtype_of(lun__lua_array_check(L, h, 5 - i));
            else if (lua_type(L, 5 - i) == LUA_TSTRING)
                x.dtype = LUN_TEXT;
            else
                (void)lun__lua_value_at(L, 5 - i, &x);
            lun__lua_missing_replace(L, h, i, x.dtype);
        }
    texts_for(L, h, op, count);
    lun_array **out = lun__lua_array_new(L, h);
    for (int i = 0; i < count; i++)
        operands[i] = lun__lua_array_operand(L, h, i + 1);
    if (may_trap)
        lun__source_line_mark(L, h);

    lun_status s = LUN_OK;
    int numbers = 0;
    for (int i = 0; i < count; i++) {
        own[i] = !operands[i];
        numbers += own[i];
        if (own[i] && s == LUN_OK)
            LUN__TRY(s, lun__lua_array_load(L, h, i + 1, &operands[i], &own[i]));
    }
    if (s == LUN_OK)
        LUN__TRY(s, lun_apply(h->engine, op, operands, count, out));
    int about = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    for (int i = 0; numbers && i < count; i++)
        if (own[i] && operands[i])
            lun_release(operands[i]);
    if (s != LUN_OK)
        return lun__error_raise(L, h, s, about ? about : count > 1 ? 2 : 1);
    if (numbers == count && lun__lua_complex_number_is_of(*lun__lua_array_slot(L, h, count + 1)))
        push_complex(L, h, *lun__lua_array_slot(L, h, count + 1));
    else if (numbers == count)
        lun__lua_value_push(L, lun__lua_array_value(L, h, count + 1));
    return 1;
}

/* The second upvalue of an operation's function. The third is the metatable of arrays. */
typedef struct known {
    lun__host *host;
    lun_op op;
    int arity;
    int most;      /* arguments that a call may have: Lua calls a unary operator with two */
    bool may_trap; /* can fail in a kernel */
} known;

/* A number at i as an array; NULL for anything else, or without memory. */
static lun_array *number_at(lua_State *L, lun__host *h, int i)
{
    lun_array *x = NULL;
    if (lua_type(L, i) != LUA_TNUMBER)
        return NULL;
    lun_status s = lua_isinteger(L, i) ? lun_integer(h->engine, lua_tointeger(L, i), &x)
                                       : lun_number(h->engine, lua_tonumber(L, i), &x);
    return s == LUN_OK ? x : NULL;
}

/* The fast path: two arrays, or one and a number, without errors. False: nothing was done. */
static bool apply_to_two(lua_State *L, lun__host *h, lun_op op)
{
    const lun__held *a = lun__host_array_at(L, h, 1), *b = lun__host_array_at(L, h, 2);
    if ((!a && !b) || lua_gettop(L) != 2)
        return false;
    lun_array *operands[2] = {a ? a->as.array : NULL, b ? b->as.array : NULL}, *number = NULL;
    lun_array **out = &lun__host_new_held_array(L, h, lua_upvalueindex(3))->as.array;
    if (!a)
        operands[0] = number = number_at(L, h, 1);
    else if (!b)
        operands[1] = number = number_at(L, h, 2);
    bool well = operands[0] && operands[1] && lun_apply(h->engine, op, operands, 2, out) == LUN_OK;
    if (number)
        lun_release(number);
    return well;
}

/* Whether what is at i offers operations, as skeletons do; then their table is on the top. */
static bool push_offers(lua_State *L, lun__host *h, int i)
{
    return lua_type(L, i) == LUA_TUSERDATA && !lun__lua_array_is(L, h, i) &&
           luaL_getmetafield(L, i, "__operators") == LUA_TTABLE;
}

/* The call of an operation of two operands of which one is no array and offers it, and the other
 * one is an array, a number or the same: 1; 0: that is not so, and the stack as before. */
static int call_offered(lua_State *L, lun__host *h, lun_op op)
{
    lun_op_info info = {.size = sizeof info};
    int offers = 0;
    bool fits = true;
    lun_op_describe(op, &info);
    for (int i = 1; i <= 2; i++) {
        if (push_offers(L, h, i))
            offers = lua_gettop(L);
        else
            fits &= lua_type(L, i) == LUA_TNUMBER || lun__lua_array_is(L, h, i);
    }
    if (offers && fits && lua_getfield(L, offers, info.name) == LUA_TFUNCTION) {
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
        lua_call(L, 2, 1);
        return 1;
    }
    lua_settop(L, 2);
    return 0;
}

static int call_op(lua_State *L)
{
    const known *k = lua_touserdata(L, lua_upvalueindex(2));
    lun__host_ready(L, k->host);
    lun_op_info info = {.size = sizeof info};
    int given = lua_gettop(L);
    if (given > k->most) {
        lun_op_describe(k->op, &info);
        lun__register_too_many(L, info.name, k->most);
        given = lua_gettop(L);
    }
    if (k->arity == 2 && !k->may_trap && apply_to_two(L, k->host, k->op))
        return 1;
    lua_settop(L, given); /* the attempt may have left values */
    if (lun__record_among(L, 1)) {
        lun_op_describe(k->op, &info);
        int other = lun__record_override_at(L, info.name);
        if (other)
            return lun__record_call(L, info.name, other);
    }
    if (given == 2 && call_offered(L, k->host, k->op))
        return 1;
    return lun__ops_apply(L, k->host, k->op, k->arity, k->may_trap);
}

/* lun.op.add(a, b): the operation is the first argument. */
static int call_op_value(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun__box *box = lun__host_test(L, h, 1, LUN__OP, sizeof *box);
    if (!box)
        return lun__error_bad_type(L, 1, "operation");
    lun_op op = (lun_op)box->slot;
    lun_op_info info = {.size = sizeof info};
    lun_op_describe(op, &info);
    lua_remove(L, 1);
    lun__bind_count(L, info.name, info.arity);
    return lun__ops_apply(L, h, op, info.arity, true);
}

static int op_text(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun__box *box = lun__host_test(L, h, 1, LUN__OP, sizeof *box);
    lun_op_info info = {.size = sizeof info};
    if (!box || !lun_op_describe((lun_op)box->slot, &info))
        return lun__error_bad_type(L, 1, "operation");
    lua_pushfstring(L, "lun.op.%s", info.name);
    return 1;
}

/* core.internal.describe(op): name, symbol, arity, doc. */
static int describe(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun__box *box = lun__host_test(L, h, 1, LUN__OP, sizeof *box);
    lun_op_info info = {.size = sizeof info};
    if (!box || !lun_op_describe((lun_op)box->slot, &info))
        return 0;
    lua_pushstring(L, info.name);
    lua_pushstring(L, info.symbol);
    lua_pushinteger(L, info.arity);
    lua_pushstring(L, info.doc);
    return 4;
}

bool lun__ops_at(lua_State *L, int i, lun_op *op)
{
    lun__host *h = lun__host_of(L);
    const lun__box *box = h ? lun__host_test(L, h, i, LUN__OP, sizeof *box) : NULL;
    if (box)
        *op = (lun_op)box->slot;
    if (box || lua_tocfunction(L, i) != call_op || !lua_getupvalue(L, i, 2))
        return box != NULL;
    *op = ((const known *)lua_touserdata(L, -1))->op;
    lua_pop(L, 1);
    return true;
}

/* ---- < and <= -------------------------------------------------------------------------------- */

/* One boolean, from numbers, Scalars and arrays of one element. Upvalues: the host, the
 * operation. */
static int compare(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_op op = (lun_op)lua_tointeger(L, lua_upvalueindex(2));
    lua_settop(L, 2);
    for (int i = 1; i <= 2; i++) {
        lun__lua_array_operand(L, h, i);
        lun_op_info info = {.size = sizeof info};
        if (lua_type(L, i) == LUA_TUSERDATA && lun_size(lun__lua_array_check(L, h, i)) != 1 &&
            lun_op_describe(op, &info))
            return luaL_error(L,
                              "attempt to compare an array of %I elements as one boolean: use "
                              "a:%s(b), which compares element by element",
                              (lua_Integer)lun_size(lun__lua_array_check(L, h, i)), info.name);
    }
    lun__ops_apply(L, h, op, 2, false);
    lun_value x = lun__lua_array_value(L, h, -1);
    lua_pushboolean(L, x.as.u != 0);
    return 1;
}

/* ---- registration ---------------------------------------------------------------------------- */

/* Pushes Lua's name of the event for an operator. */
static void push_event(lua_State *L, const lun_op_info *info)
{
    lua_pushfstring(L, "__%s", strcmp(info->name, "neg") == 0 ? "unm" : info->name);
}

/* Pushes the function of an operation that takes up to `most` arguments. */
static void push_function(lua_State *L, const lun__parts *p, lun_op op, const lun_op_info *info,
                          int most)
{
    lua_pushvalue(L, p->host_at);
    known *k = lua_newuserdatauv(L, sizeof *k, 0);
    *k = (known){p->host, op, info->arity, most, op == LUN_OP_IDIV || op == LUN_OP_MOD};
    lua_pushvalue(L, p->array);
    lua_pushcclosure(L, call_op, 3);
}

static void push_value_of(lua_State *L, const lun__parts *p, lun_op op)
{
    lun__box *box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = (lun__box){.host = p->host, .slot = (int32_t)op, .kind = LUN__OP};
    lua_getiuservalue(L, p->host_at, LUN__OP);
    lua_setmetatable(L, -2);
}

static void open_type(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg events[] = {
        {"__call", call_op_value}, {"__tostring", op_text}, {NULL, NULL}};
    static const luaL_Reg internal[] = {{"describe", describe}, {NULL, NULL}};
    lun__host_new_type(L, p->host_at, LUN__OP, "lunarray.op");
    lun__register(L, p, lua_gettop(L), events);
    lua_pop(L, 1);
    lun__register(L, p, p->internal, internal);
}

void lun__open_ops(lua_State *L, const lun__parts *p)
{
    lun_op_info info = {.size = sizeof info};
    open_type(L, p);
    lua_newtable(L);
    int values = lua_gettop(L);
    for (int op = 0; lun_op_describe((lun_op)op, &info); op++) {
        push_function(L, p, (lun_op)op, &info, info.arity);
        lua_pushvalue(L, -1);
        lua_setfield(L, p->core, info.name);
        lua_pushvalue(L, -1);
        lua_setfield(L, p->methods, info.name);
        if (info.symbol[0]) {
            push_event(L, &info);
            push_function(L, p, (lun_op)op, &info, 2);
            lua_rawset(L, p->array);
        }
        lua_pop(L, 1);
        push_value_of(L, p, (lun_op)op);
        lua_setfield(L, values, info.name);
    }
    lua_setfield(L, p->core, "op");

    static const struct {
        const char *event;
        lun_op op;
    } order[] = {{"__lt", LUN_OP_LT}, {"__le", LUN_OP_LE}};
    for (int i = 0; i < 2; i++) {
        lua_pushvalue(L, p->host_at);
        lua_pushinteger(L, order[i].op);
        lua_pushcclosure(L, compare, 2);
        lua_setfield(L, p->array, order[i].event);
    }
}
