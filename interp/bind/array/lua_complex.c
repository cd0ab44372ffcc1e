/* lua_complex.c - complex numbers in Lua: operators of values, lun.complex, lun.i, and complex
 * arrays made and taken apart.  Functions of a value are those of an array of one element, so both
 * have the same bits. */
#include <math.h>
#include <string.h>

#include "bind/host/bind.h"

/* ---- operators of values --------------------------------------------------------------------- */

/* An operand: im is 0 where it is real. */
typedef struct operand {
    double re, im;
    bool real;
} operand;

static bool operand_at(lua_State *L, lun__host *h, int i, operand *out)
{
    double z[2];
    out->real = lua_type(L, i) == LUA_TNUMBER;
    if (!lun__lua_complex_number_or_real(L, h, i, z))
        return false;
    out->re = z[0];
    out->im = z[1];
    return true;
}

static operand times(operand a, operand b)
{
    if (a.real || b.real)
        return (operand){a.re * b.re, a.real ? a.re * b.im : a.im * b.re, false};
    return (operand){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, false};
}

/* Smith's quotient. */
static operand quotient(operand a, operand b)
{
    if (b.real)
        return (operand){a.re / b.re, a.im / b.re, false};
    if (fabs(b.re) >= fabs(b.im)) {
        const double r = b.im / b.re, t = b.re + b.im * r;
        return (operand){(a.re + a.im * r) / t, (a.im - a.re * r) / t, false};
    }
    const double r = b.re / b.im, t = b.im + b.re * r;
    return (operand){(a.im + a.re * r) / t, (a.im * r - a.re) / t, false};
}

static operand computed(lun_op op, operand a, operand b)
{
    if (op == LUN_OP_MUL)
        return times(a, b);
    if (op == LUN_OP_DIV)
        return quotient(a, b);
    if (op == LUN_OP_ADD)
        return (operand){a.re + b.re, a.real ? b.im : b.real ? a.im : a.im + b.im, false};
    return (operand){a.re - b.re, a.real ? -b.im : b.real ? a.im : a.im - b.im, false};
}

/* + - * / ^ with a complex number. Upvalues: the host, the operation. */
static int arithmetic(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const lun_op op = (lun_op)lua_tointeger(L, lua_upvalueindex(2));
    operand a, b;
    if (op == LUN_OP_POW || !operand_at(L, h, 1, &a) || !operand_at(L, h, 2, &b)) {
        lun_op_info info = {.size = sizeof info};
        lun_op_describe(op, &info);
        const int other = lun__record_override_at(L, info.name);
        return other ? lun__record_call(L, info.name, other) : lun__ops_apply(L, h, op, 2, false);
    }
    const operand z = computed(op, a, b);
    lun__lua_complex_number_push(L, h, z.re, z.im);
    return 1;
}

static int minus(lua_State *L)
{
    double z[2] = {0, 0};
    lun__host *h = lun__host_here(L);
    lun__lua_complex_number_at(L, h, 1, z);
    lun__lua_complex_number_push(L, h, -z[0], -z[1]);
    return 1;
}

static int equal(lua_State *L)
{
    double a[2], b[2];
    lun__host *h = lun__host_here(L);
    lua_pushboolean(L, lun__lua_complex_number_at(L, h, 1, a) &&
                           lun__lua_complex_number_at(L, h, 2, b) && a[0] == b[0] && a[1] == b[1]);
    return 1;
}

static int no_order(lua_State *L)
{
    return luaL_error(L, "complex numbers have no order: take abs(), re or im");
}

static int no_such_operator(lua_State *L)
{
    return luaL_error(L, "complex numbers have + - * / ^ alone");
}

/* Adds the text of a part, as Lua writes floats. */
static void add_part(luaL_Buffer *text, double x)
{
    if (isnan(x)) {
        luaL_addstring(text, "nan");
        return;
    }
    lua_pushnumber(text->L, (lua_Number)x);
    lun__value_text(text->L, -1);
    lua_remove(text->L, -2);
    luaL_addvalue(text);
}

static int as_text(lua_State *L)
{
    double z[2] = {0, 0};
    luaL_Buffer text;
    lun__lua_complex_number_at(L, lun__host_here(L), 1, z);
    luaL_buffinit(L, &text);
    add_part(&text, z[0]);
    luaL_addstring(&text, signbit(z[1]) && !isnan(z[1]) ? "-" : "+");
    add_part(&text, fabs(z[1]));
    luaL_addchar(&text, 'i');
    luaL_pushresult(&text);
    return 1;
}

/* z.re, z.im, or a method of the second upvalue. */
static int field(lua_State *L)
{
    double z[2] = {0, 0};
    lun__host *h = lun__host_here(L);
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    lun__lua_complex_number_at(L, h, 1, z);
    if (strcmp(key, "re") == 0 || strcmp(key, "im") == 0) {
        lua_pushnumber(L, z[key[0] == 'i']);
        return 1;
    }
    lua_settop(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    return 1;
}

static int no_assignment(lua_State *L)
{
    return luaL_error(L,
                      "a complex number does not change: make another one by lun.complex(re, im)");
}

/* ---- functions ------------------------------------------------------------------------------- */

static int is_complex(lua_State *L)
{
    double z[2];
    lun__host *h = lun__host_here(L);
    luaL_checkany(L, 1);
    const lun_array *a = lun__lua_array_at(L, 1);
    lua_pushboolean(L, a ? !lun_is_freed(a) && lun__lua_complex_number_is_of(a)
                         : lun__lua_complex_number_at(L, h, 1, z));
    return 1;
}

/* Pushes the array that a call makes of the operands at 1 .. count. */
static int called(lua_State *L, lun__host *h, int count,
                  lun_status (*call)(lun_engine *e, lun_array *const *in, lun_array **out))
{
    lun_array *in[2] = {NULL, NULL};
    bool own[2] = {false, false};
    lun_status s = LUN_OK;
    lun_array **out = lun__lua_array_new(L, h);
    for (int k = 0; k < count; k++)
        (void)lun__lua_array_operand(L, h, k + 1);
    for (int k = 0; s == LUN_OK && k < count; k++)
        LUN__TRY(s, lun__lua_array_load(L, h, k + 1, &in[k], &own[k]));
    if (s == LUN_OK)
        LUN__TRY(s, call(h->engine, in, out));
    const int about = s == LUN_OK ? 0 : lun_error_operand(h->engine);
    for (int k = 0; k < count; k++)
        if (own[k])
            lun_release(in[k]);
    return lun__lua_array_give(L, h, s, about ? about : 1);
}

static lun_status join_parts(lun_engine *e, lun_array *const *in, lun_array **out)
{
    return lun_complex(e, in[0], in[1], out);
}

/* lun.complex(re [, im=0]): a number of numbers, else an array. */
static int make_complex(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    const int records = lun__record_among(L, 1);
    if (records)
        return lun__record_call(L, "complex", records);
    lun__bind_count(L, "complex", 2);
    if (lua_isnoneornil(L, 2)) {
        lua_settop(L, 1);
        lua_pushinteger(L, 0);
    }
    if (lua_type(L, 1) == LUA_TNUMBER && lua_type(L, 2) == LUA_TNUMBER) {
        lun__lua_complex_number_push(L, h, lua_tonumber(L, 1), lua_tonumber(L, 2));
        return 1;
    }
    for (int i = 1; i <= 2; i++)
        if (lua_type(L, i) != LUA_TNUMBER && !lun__lua_array_is(L, h, i))
            lun__error_bad_type(L, i, "real array or number");
    return called(L, h, 2, join_parts);
}

/* COMPLEX: lun.complex itself. */
typedef enum part { COMPLEX, REAL, IMAG, CONJ, ANGLE } part;

static lun_status take_real(lun_engine *e, lun_array *const *in, lun_array **out)
{
    return lun_real(e, in[0], out);
}

static lun_status take_imag(lun_engine *e, lun_array *const *in, lun_array **out)
{
    return lun_imag(e, in[0], out);
}

static lun_status take_conj(lun_engine *e, lun_array *const *in, lun_array **out)
{
    return lun_conj(e, in[0], out);
}

static lun_status take_angle(lun_engine *e, lun_array *const *in, lun_array **out)
{
    return lun_angle(e, in[0], out);
}

/* The part of a number or of an array at 1. Upvalues: the host, which part. */
static int part_of(lua_State *L)
{
    static lun_status (*const calls[])(lun_engine *, lun_array *const *, lun_array **) = {
        [REAL] = take_real, [IMAG] = take_imag, [CONJ] = take_conj, [ANGLE] = take_angle};
    static const char *const names[] = {
        [REAL] = "real", [IMAG] = "imag", [CONJ] = "conj", [ANGLE] = "angle"};
    lun__host *h = lun__host_here(L);
    const part which = (part)lua_tointeger(L, lua_upvalueindex(2));
    double z[2];
    lun__bind_count(L, names[which], 1);
    if (!lun__lua_complex_number_or_real(L, h, 1, z))
        return called(L, h, 1, calls[which]);
    const bool real = lua_type(L, 1) == LUA_TNUMBER;
    if (which == ANGLE) { /* as that of an array */
        called(L, h, 1, take_angle);
        lun__lua_value_push(L, lun__lua_array_value(L, h, -1));
    } else if (which == CONJ && !real) {
        lun__lua_complex_number_push(L, h, z[0], -z[1]);
    } else if (real && which != IMAG) {
        lua_settop(L, 1);
    } else {
        lua_pushnumber(L, which == IMAG ? z[1] : z[0]);
    }
    return 1;
}

/* core.internal.complex_text(name, symbol, dtype): the definition in C of a function of complex
 * numbers of that dtype; nothing: there is none of that name. */
static int push_text(lua_State *L)
{
    char text[LUN_COMPLEX_TEXT];
    lun_dtype t;
    const char *name = luaL_checkstring(L, 1), *symbol = luaL_checkstring(L, 2);
    if (!lun_dtype_find(luaL_checkstring(L, 3), &t))
        return luaL_argerror(L, 3, "dtype expected");
    const lun_status s = lun_complex_text(name, symbol, t, sizeof text, text);
    if (s == LUN_EARG)
        return 0;
    if (s != LUN_OK)
        return luaL_error(L, "'%s': the name is too long", symbol);
    lua_pushstring(L, text);
    return 1;
}

/* core.internal.complex_lanes(a): real numbers, with a last axis of the two parts. */
static int push_lanes(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_complex_lanes(h->engine, a, out));
    return lun__lua_array_give(L, h, s, 1);
}

void lun__lua_complex_of_lanes(lua_State *L, lun__host *h, int arg)
{
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *lanes = lun__lua_array_check(L, h, -2);
    lun_status s;
    LUN__TRY(s, lun_complex_of(h->engine, lanes, out));
    lun__error_check(L, h, s, arg);
    lua_remove(L, -2);
}

/* core.internal.complex_of(lanes): complex numbers. */
static int from_lanes(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lua_settop(L, 1);
    lun__lua_complex_of_lanes(L, h, 1);
    return 1;
}

void lun__lua_complex_full(lua_State *L, lun__host *h, int rank, const int64_t *shape, lun_dtype t,
                           const double z[2])
{
    lun_array *parts[2] = {NULL, NULL};
    lun_status s = LUN_OK;
    lun_array **out = lun__lua_array_new(L, h);
    for (int k = 0; s == LUN_OK && k < 2; k++) {
        const lun_value x = {.dtype = LUN_F64, .as.d = z[k]};
        LUN__TRY(s, lun_full(h->engine, rank, shape, lun_complex_part(t), x, &parts[k]));
    }
    if (s == LUN_OK)
        LUN__TRY(s, lun_complex(h->engine, parts[0], parts[1], out));
    lun_release(parts[0]);
    lun_release(parts[1]);
    lun__error_check(L, h, s, 1);
}

int lun__lua_complex_divert(lua_State *L, lun__host *h, const char *name)
{
    return lun__lua_array_is(L, h, 1) &&
                   lun__lua_complex_number_is_of(lun__lua_array_check(L, h, 1))
               ? lun__lua_complex_method(L, name)
               : -1;
}

int lun__lua_complex_method(lua_State *L, const char *name)
{
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__CORE);
    lua_getfield(L, -1, "internal");
    lua_getfield(L, -1, "complex_methods");
    lua_getfield(L, -1, name);
    lua_insert(L, 1);
    lua_pop(L, 3);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

int lun__lua_complex_total(lua_State *L, lun__host *h, lun_reduction r, lun_array *a,
                           const lun_along_options *o)
{
    lun_status s;
    lun_array **out = lun__lua_array_new(L, h);
    LUN__TRY(s, lun_along(h->engine, r, a, NULL, 0, o, out));
    lun__error_check(L, h, s, 1);
    lun__index_push(L, h, *out, 0, 1);
    return 1;
}

int lun__lua_complex_pairs(lua_State *L, lun__host *h, int first, int results, uint32_t pairs)
{
    int kept = 0;
    for (int k = 0; k < results; k++, kept++) {
        lun_array *made = NULL;
        if (!(pairs >> k & 1) || k + 1 == results) {
            lua_copy(L, first + k, first + kept);
            continue;
        }
        lun_array **re = lun__lua_array_slot(L, h, first + k);
        lun_array *im = *lun__lua_array_slot(L, h, first + k + 1);
        lun_status s;
        LUN__TRY(s, lun_complex(h->engine, *re, im, &made));
        lun__error_check(L, h, s, 1);
        lun_release(*re);
        *re = made;
        lua_copy(L, first + k++, first + kept);
    }
    lua_settop(L, first + kept - 1);
    return kept;
}

bool lun__lua_complex_is(lua_State *L, int i)
{
    double z[2];
    const lun__host *h = lun__host_of(L);
    const lun_array *a = lun__lua_array_at(L, i);
    return a ? !lun_is_freed(a) && lun__lua_complex_number_is_of(a)
             : h && lun__lua_complex_number_at(L, h, i, z);
}

int lun__lua_complex_former(lua_State *L, int i)
{
    const lua_CFunction f = lua_tocfunction(L, i);
    if ((f != make_complex && f != part_of) || !lua_getupvalue(L, i, 2))
        return -1;
    const int which = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return which;
}

void lun__open_complex(lua_State *L, const lun__parts *p)
{
    static const lun__entry functions[] = {{"iscomplex", is_complex, 1}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {{"complex_lanes", push_lanes},
                                        {"complex_of", from_lanes},
                                        {"complex_text", push_text},
                                        {NULL, NULL}};
    static const luaL_Reg events[] = {{"__unm", minus},
                                      {"__eq", equal},
                                      {"__tostring", as_text},
                                      {"__newindex", no_assignment},
                                      {"__lt", no_order},
                                      {"__le", no_order},
                                      {"__idiv", no_such_operator},
                                      {"__mod", no_such_operator},
                                      {"__band", no_such_operator},
                                      {"__bor", no_such_operator},
                                      {"__bxor", no_such_operator},
                                      {"__shl", no_such_operator},
                                      {"__shr", no_such_operator},
                                      {"__bnot", no_such_operator},
                                      {NULL, NULL}};
    static const struct {
        const char *event;
        lun_op op;
    } operators[] = {{"__add", LUN_OP_ADD},
                     {"__sub", LUN_OP_SUB},
                     {"__mul", LUN_OP_MUL},
                     {"__div", LUN_OP_DIV},
                     {"__pow", LUN_OP_POW}};
    static const char *const parts[] = {
        [REAL] = "real", [IMAG] = "imag", [CONJ] = "conj", [ANGLE] = "angle"};
    lun__host_new_type(L, p->host_at, LUN__COMPLEX, "complex number");
    const int type = lua_gettop(L);
    lun__register(L, p, type, events);
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        lua_pushvalue(L, p->host_at);
        lua_pushinteger(L, operators[k].op);
        lua_pushcclosure(L, arithmetic, 2);
        lua_setfield(L, type, operators[k].event);
    }
    lua_newtable(L);
    lua_setfield(L, p->internal, "complex_methods");
    lua_pushvalue(L, p->host_at);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, p->internal, "complex_values");
    lua_pushcclosure(L, field, 2);
    lua_setfield(L, type, "__index");
    lua_pop(L, 1);
    lua_pushvalue(L, p->host_at);
    lua_pushinteger(L, COMPLEX);
    lua_pushcclosure(L, make_complex, 2);
    lua_setfield(L, p->core, "complex");
    for (int k = REAL; k <= ANGLE; k++) {
        lua_pushvalue(L, p->host_at);
        lua_pushinteger(L, k);
        lua_pushcclosure(L, part_of, 2);
        lua_pushvalue(L, -1);
        lua_setfield(L, p->core, parts[k]);
        lua_setfield(L, p->methods, parts[k]);
    }
    lun__register_offer(L, p, p->core, functions);
    lun__register(L, p, p->internal, internal);
    lun__lua_complex_number_first(L, p, 0, 1);
    lua_setfield(L, p->core, "i");
}
