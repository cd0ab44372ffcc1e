/* complex_call.c - calls of skeletons with complex numbers: a function around the given one
 * (lua/lunarray/function/complexcall.lua) takes the real and imaginary parts, which are arrays as
 * others, and results that are complex are put together again. */
#include <string.h>

#include "bind/function/complex_call.h"

/* ---- operands -------------------------------------------------------------------------------- */

/* Whether a call takes element k as complex: its array is, or its first value. */
static bool is_complex(lua_State *L, const lun__skeleton *k, const lun__call *c, int element)
{
    const lun_array *id = NULL;
    if (lun__lua_skeleton_row(k->kind).folds) /* others may have more elements than first values */
        id = k->leaves > 1 ? k->ids[element] : k->id;
    return lun__lua_complex_is(L, c->element[element]) || (id && lun__lua_complex_number_is_of(id));
}

static bool is_needed(lua_State *L, const lun__skeleton *k, const lun__call *c)
{
    bool needed = false;
    for (int i = 0; i < k->leaves; i++)
        needed = needed || is_complex(L, k, c, i);
    for (int i = 0; i < c->extras; i++)
        needed = needed || lun__lua_complex_is(L, c->extra + i);
    return needed;
}

/* Pushes both parts of what is at i: two arrays, or two numbers. */
static void push_parts(lua_State *L, lun__host *h, int i)
{
    double z[2];
    if (lun__lua_complex_number_or_real(L, h, i, z)) {
        lua_pushnumber(L, z[0]);
        lua_pushnumber(L, z[1]);
        return;
    }
    lun_array *a = lun__lua_array_check(L, h, i), *whole = NULL, *zero = NULL;
    lun_status s = LUN_OK;
    if (!lun__lua_complex_number_is_of(a)) { /* it takes part as one with an imaginary part of 0 */
        LUN__TRY(s, lun_number(h->engine, 0, &zero));
        if (s == LUN_OK)
            LUN__TRY(s, lun_complex(h->engine, a, zero, &whole));
        lun_release(zero);
        lun__error_check(L, h, s, i);
    }
    lun_array **re = lun__lua_array_new(L, h), **im = lun__lua_array_new(L, h);
    LUN__TRY(s, lun_real(h->engine, whole ? whole : a, re));
    if (s == LUN_OK)
        LUN__TRY(s, lun_imag(h->engine, whole ? whole : a, im));
    lun_release(whole);
    lun__error_check(L, h, s, i);
}

/* Pushes what is at i, or its parts; the letter of it. */
static char push_operand(lua_State *L, lun__host *h, int i, bool complex)
{
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    if (complex)
        push_parts(L, h, i);
    else
        lua_pushvalue(L, i);
    return complex ? 'z' : 'r';
}

/* Pushes a list of the parts of k's first values, which become those of `to`. */
static void push_identities(lua_State *L, lun__host *h, const lun__skeleton *k, const char *kinds,
                            lun__skeleton *to)
{
    int n = 0;
    lua_createtable(L, 2 * k->leaves, 0);
    const int list = lua_gettop(L);
    for (int i = 0; i < k->leaves; i++) {
        lun_array *id = k->leaves > 1 ? k->ids[i] : k->id;
        for (int part = 0; part < (kinds[i] == 'z' ? 2 : 1); part++) {
            lun_array **out = lun__lua_array_new(L, h);
            lun_status s = LUN_OK;
            if (kinds[i] != 'z')
                lun_retain(*out = id);
            else if (part)
                LUN__TRY(s, lun__lua_complex_number_is_of(id) ? lun_imag(h->engine, id, out)
                                                              : lun_number(h->engine, 0, out));
            else
                LUN__TRY(s, lun_real(h->engine, id, out));
            lun__error_check(L, h, s, 1);
            to->ids[n++] = *out;
            lua_rawseti(L, list, n);
        }
    }
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Pushes the function around that of k. */
static void push_wrapped(lua_State *L, lun__host *h, const lun__skeleton *k, const char *elements,
                         const char *extras, bool combines)
{
    const char *name = lun__lua_skeleton_row(k->kind).name;
    if (!lun__lua_function_push_code(L, h, k->f) || !lua_isfunction(L, -1))
        luaL_error(
            L,
            "bad argument to '%s' (complex arrays need a Lua function, or one in C for map or "
            "zip with parameters 'c128' or 'c64': others take parts, real() and imag())",
            name);
    lua_getiuservalue(L, lua_upvalueindex(1), LUN__CORE);
    lua_getfield(L, -1, "internal");
    lua_getfield(L, -1, "complex_methods");
    lua_getfield(L, -1, "wrapped");
    lua_pushvalue(L, -5);
    lua_pushstring(L, elements);
    lua_pushstring(L, extras);
    lua_pushboolean(L, combines);
    lua_call(L, 4, 1);
}

/* Which results of a fold are the real part of a complex one. */
static uint32_t pairs_of(const char *kinds)
{
    uint32_t pairs = 0;
    for (int n = 0; *kinds; n += *kinds++ == 'z' ? 2 : 1)
        pairs |= *kinds == 'z' ? UINT32_C(1) << n : 0;
    return pairs;
}

static int count_of(const char *kinds)
{
    int n = 0;
    while (*kinds)
        n += *kinds++ == 'z' ? 2 : 1;
    return n;
}

/* A call of k, which has a function. */
static int by_parts(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c)
{
    const lun_skeleton_info row = lun__lua_skeleton_row(k->kind);
    char elements[LUN__MOST_ARRAYS + 1] = {0}, extras[LUN__MOST_ARRAYS + 1] = {0};
    lun__skeleton to = *k;
    lun__call call = *c;
    if (k->kind == LUN_SKELETON_ALLPAIRS)
        luaL_error(L, "bad argument to 'allpairs' (complex arrays are taken by map, zip, stencil, "
                      "reduce and scan: take real() and imag())");
    for (int i = 0; i < k->leaves; i++)
        elements[i] = is_complex(L, k, c, i) ? 'z' : 'r';
    for (int i = 0; i < c->extras && i < LUN__MOST_ARRAYS; i++)
        extras[i] = lun__lua_complex_is(L, c->extra + i) ? 'z' : 'r';
    to.leaves = count_of(elements);
    const int most = row.folds ? LUN_MOST_VALUES : LUN__MOST_ARRAYS;
    if (to.leaves > most || to.leaves + count_of(extras) > LUN__MOST_ARRAYS)
        luaL_error(L,
                   "bad argument to '%s' (the complex arrays have %d parts, at most %d expected)",
                   c->name ? c->name : row.name, to.leaves, most);
    if (row.folds && !k->id && k->leaves == 1)
        luaL_error(L, "bad argument to '%s' (complex elements need an initial value)", row.name);
    push_wrapped(L, h, k, elements, extras, row.folds);
    to.f = lun__lua_function_at(L, h, lua_gettop(L), row.folds ? 2 * to.leaves : to.leaves, false);
    if (row.folds && to.leaves > 1)
        push_identities(L, h, k, elements, &to);
    for (int i = 0, n = 0; i < k->leaves; i++) {
        const int parts = elements[i] == 'z' ? 2 : 1, at = lua_gettop(L) + 1;
        push_operand(L, h, c->element[i], parts == 2);
        for (int part = 0; part < parts; part++, n++) {
            call.element[n] = at + part;
            call.number[n] = c->number[i];
        }
    }
    call.extra = lua_gettop(L) + 1;
    for (int i = 0; i < c->extras; i++)
        push_operand(L, h, c->extra + i, extras[i] == 'z');
    call.extras = lua_gettop(L) + 1 - call.extra;
    to.outs = 0;
    int results = lun__lua_skeleton_call(L, h, &to, &call);
    const int first = lua_gettop(L) - results + 1;
    if (row.folds)
        results = lun__lua_complex_pairs(L, h, first, results, pairs_of(elements));
    lun__lua_skeleton_convert(L, h, k, c->name ? c->name : k->name, first, results, c->number[0]);
    return results;
}

int lun__complex_call(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c)
{
    if (is_needed(L, k, c) && lun__lua_function_is_code(L, h, k->f))
        return by_parts(L, h, k, c);
    return lun__lua_skeleton_call(L, h, k, c);
}

/* ---- variants -------------------------------------------------------------------------------- */

typedef struct skeleton_call {
    const lun__skeleton *k;
    const lun__call *c;
} skeleton_call;

static int build_call(lua_State *L, lun__host *h, int text, const void *data)
{
    const skeleton_call *of = data;
    const lun_skeleton_info row = lun__lua_skeleton_row(of->k->kind);
    lun__skeleton k = *of->k;
    if (of->c->function) { /* so that messages number this argument */
        lua_copy(L, text, of->c->function);
        text = of->c->function;
    }
    k.f = lun__lua_function_at(L, h, text, row.folds ? row.operands : k.leaves, row.folds);
    return lun__complex_call(L, h, &k, of->c);
}

int lun__complex_call_variant(lua_State *L, lun__host *h, const lun__skeleton *k, int variant,
                              const lun__call *c)
{
    const skeleton_call of = {k, c};
    if (!variant)
        return lun__complex_call(L, h, k, c);
    return lun__lua_variant_run(L, h, variant, c->name ? c->name : k->name, c->function, build_call,
                                &of);
}
