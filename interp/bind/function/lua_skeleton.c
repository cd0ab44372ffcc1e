/* lua_skeleton.c - skeletons: map, zip, reduce and so on made without data, and one call of one of
 * them.  How scripts call them is call_skeleton.c's, chains and trees are compose.c's. */
#include <string.h>

#include "bind/function/lua_skeleton.h"
#include "bind/host/field.h"
#include "luafn/luafn.h"

lun__skeleton *lun__lua_skeleton_check(lua_State *L, lun__host *h, int i)
{
    lun__box *box = lun__host_test(L, h, i, LUN__SKELETON, sizeof(lun__skeleton));
    if (!box)
        lun__error_bad_type(L, i, "skeleton");
    return (lun__skeleton *)box;
}

lun__skeleton *lun__lua_skeleton_new(lua_State *L, lun__host *h, int kind)
{
    lun__skeleton *k =
        (lun__skeleton *)lun__host_new_box(L, h, LUN__SKELETON, sizeof *k, LUN__SKELETON_VALUES);
    k->kind = kind;
    return k;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* k's dtype for result r, from the name at the top, which it pops. */
static void one_dtype(lua_State *L, lun__skeleton *k, int r, int options)
{
    lun_dtype t = LUN_BOOL;
    if (lua_type(L, -1) != LUA_TSTRING || !lun_dtype_find(lua_tostring(L, -1), &t))
        lun__blame_argument(
            L, options,
            lua_pushfstring(L, "option out: a dtype or a list of dtypes expected, got %s",
                            lun__error_push_shown(L, -1)));
    k->out[r] = (signed char)t;
    lua_pop(L, 1);
}

/* The option out at the top: a dtype for all results, or a list of one for each. */
static void out_option(lua_State *L, lun__skeleton *k, int options)
{
    if (lua_type(L, -1) != LUA_TTABLE) {
        k->outs = -1;
        lua_pushvalue(L, -1);
        one_dtype(L, k, 0, options);
        return;
    }
    lua_Unsigned n = lua_rawlen(L, -1);
    luaL_argcheck(L, n >= 1 && n <= LUN_MAX_OUTPUTS, options,
                  "option out: 1 to 16 dtypes expected");
    for (k->outs = 0; k->outs < (int)n; k->outs++) {
        lua_rawgeti(L, -1, k->outs + 1);
        one_dtype(L, k, k->outs, options);
    }
}

/* elements, at the top: how many arrays are taken element by element. */
static void elements_option(lua_State *L, lun__skeleton *k, int options)
{
    int exact = 0;
    lua_Integer n = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact || n < 1 || n > LUN__MOST_ARRAYS)
        lun__blame_argument(L, options,
                            lua_pushfstring(L, "option elements: 1 to %d expected, got %s",
                                            LUN__MOST_ARRAYS, lun__error_push_shown(L, -1)));
    k->leaves = (int)n;
}

/* The options in the table at i, if there is one. */
static void read_options(lua_State *L, lun__skeleton *k, const lun_skeleton_info *row, int i)
{
    k->axes = (lun__axes){.options = {.size = sizeof k->axes.options}};
    lun__stencil_option_none(&k->around);
    if (!row->option[0] || !i || lua_isnoneornil(L, i))
        return;
    luaL_checktype(L, i, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        const char *name = lun__lua_along_option(L, i, row->option);
        if (strcmp(name, "elements") == 0)
            elements_option(L, k, i);
        else if (!lun__stencil_option_read(L, i, name, &k->around) &&
                 !lun__lua_along_axes(L, i, name, &k->axes))
            out_option(L, k, i);
    }
    const bool several = row->folds && k->leaves > 1;
    if (several && k->leaves > LUN_MOST_VALUES)
        lun__blame_argument(L, i,
                            lua_pushfstring(L, "option elements: at most %d in %s, got %d",
                                            LUN_MOST_VALUES, row->name, k->leaves));
    if (k->kind == LUN_SKELETON_SCAN && (k->axes.count > 1 || k->axes.count == LUN_NO_AXES))
        lun__blame_argument(L, i, "option axis: a scan runs along a single axis");
}

void lun__lua_skeleton_out(lua_State *L, lun__skeleton *k, int i)
{
    if (lua_isnoneornil(L, i))
        return;
    luaL_checktype(L, i, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, i); lua_pop(L, 1)) {
        lun__lua_along_option(L, i, "out=dtype");
        out_option(L, k, i);
    }
}

/* Raises unless each function of a variant at i is one that lun__lua_function_at takes. */
static void check_variant(lua_State *L, lun__host *h, int i, int arity, bool folds)
{
    if (!lun__lua_variant_is(L, h, i))
        return;
    lua_pushvalue(L, i);
    lun__lua_variant_push(L, i);
    const int top = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, top); lua_settop(L, top + 1)) {
        lua_copy(L, -1, i);
        (void)lun__lua_function_at(L, h, i, arity, folds);
    }
    lua_copy(L, top - 1, i);
    lua_settop(L, top - 2);
}

void lun__lua_skeleton_fill(lua_State *L, lun__host *h, lun__skeleton *k, int f, int options)
{
    const lun_skeleton_info row = lun__lua_skeleton_row(k->kind);
    k->name = row.name;
    k->leaves = row.arrays;
    read_options(L, k, &row, options);
    /* if the row has one element, there are as many as arrays */
    const bool several = row.folds && k->leaves > 1;
    check_variant(L, h, f, row.folds ? row.operands : k->leaves, row.folds);
    k->f = lun__lua_function_at(L, h, f, row.folds ? row.operands : k->leaves, row.folds);
    if (row.combines)
        k->by = lun__lua_function_at(L, h, f + 1, 2, true);
    else
        lua_pushnil(L);
    if (row.folds && !several && lua_istable(L, f + 1))
        lun__blame_argument(L, f + 1,
                            "an initial value expected, got table: a list of them goes with the "
                            "option elements");
    if (several)
        lun__identities_push(L, h, k, f + 1);
    else if (row.folds || row.combines)
        k->id = lun__identity_push(L, h, f + lun__lua_skeleton_functions(&row));
    else
        lua_pushnil(L);
}

/* lun.map(f, opts), lun.reduce(f, id) and so on. Upvalues: the host, the kind. */
static int new_skeleton(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    int kind = (int)lua_tointeger(L, lua_upvalueindex(2));
    const lun_skeleton_info row = lun__lua_skeleton_row(kind);
    int options = 1 + lun__lua_skeleton_functions(&row) + (row.folds || row.combines);
    lun__bind_count(L, row.name, row.option[0] ? options : options - 1);
    lua_settop(L, options);
    if ((row.folds && lun__record_one_is_at(L, 2)) ||
        (row.combines && lun__record_one_is_at(L, 3))) {
        lua_pushstring(L, row.name);
        lua_insert(L, 1);
        return lun__record_call_text(L, row.folds ? "folding" : "pairing");
    }
    lua_pushvalue(L, 1);
    const bool deferred =
        (kind == LUN_SKELETON_MAP || kind == LUN_SKELETON_ZIP) && lun__record_defer_text(L, 1);
    lun__skeleton *k = lun__lua_skeleton_new(L, h, kind);
    int at = lua_gettop(L);
    k->deferred = deferred;
    k->varies = lun__lua_variant_is(L, h, 1);
    if (row.combines && lun__lua_variant_is(L, h, 2))
        lun__blame_argument(L, 2, "a variant that combines goes with the method a:allpairs");
    lun__lua_skeleton_fill(L, h, k, 1, options);
    if (kind == LUN_SKELETON_STENCIL)
        lun__stencil_option_foresee(L, h, k, options);
    lua_setiuservalue(L, at, LUN__USE_ID);
    lua_setiuservalue(L, at, LUN__USE_BY);
    lua_setiuservalue(L, at, LUN__USE_FUNCTION);
    lua_pushvalue(L, options + 1);
    lua_setiuservalue(L, at, LUN__USE_SOURCE);
    return 1;
}

/* ---- calling --------------------------------------------------------------------------------- */

/* Raises a bad argument of a call: the value at stack index i, with that number. */
static void wrong_type(lua_State *L, const lun__call *c, int i, int number, const char *expected)
{
    if (!c->name)
        lun__error_bad_type(L, i, expected);
    luaL_error(L, "bad argument #%d to '%s' (%s expected, got %s)", number, c->name, expected,
               luaL_typename(L, i));
}

/* Whether a number is at i, which is broadcast beside an array. */
static bool stands_for_array(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c,
                             int i)
{
    bool beside = false;
    for (int j = 0; j < k->leaves; j++)
        beside |= lun__lua_array_is(L, h, c->element[j]);
    return beside && (lua_type(L, i) == LUA_TNUMBER || lun__lua_complex_is(L, i));
}

static void check_arguments(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c)
{
    for (int i = 0; i < k->leaves; i++) {
        if (lun__lua_array_is(L, h, c->element[i]))
            lun__lua_array_check(L, h, c->element[i]);
        else if (!stands_for_array(L, h, k, c, c->element[i]))
            wrong_type(L, c, c->element[i], c->number[i], "array");
    }
    const char *name = c->name ? c->name : k->name;
    if (c->extras > 0 && !lun__lua_skeleton_row(k->kind).extras)
        luaL_error(L, "wrong number of arguments to '%s' (%d expected, got %d)", name, k->leaves,
                   k->leaves + c->extras);
    if (c->extras > LUN__MOST_ARRAYS - k->leaves)
        luaL_error(L, "too many arguments to '%s' (at most %d expected after the array%s)", name,
                   LUN__MOST_ARRAYS - k->leaves, k->leaves == 1 ? "" : "s");
    for (int i = 0; i < c->extras; i++) {
        int at = c->extra + i, type = lua_type(L, at);
        if (type == LUA_TNUMBER || type == LUA_TBOOLEAN || lun__lua_complex_is(L, at))
            continue;
        if (!lun__lua_array_is(L, h, at))
            wrong_type(L, c, at, c->extra_number + i, "array or number");
        lun__lua_array_check(L, h, at);
    }
}

/* The arrays of a call; it owns those made of numbers. */
typedef struct operands {
    int axes[LUN_MAX_RANK]; /* of the first one, from 0 */
    lun_array *element[LUN__MOST_ARRAYS], *extra[LUN__MOST_ARRAYS];
    bool own_element[LUN__MOST_ARRAYS], own[LUN__MOST_ARRAYS];
    int elements, extras;
} operands;

/* What functions see of dates, timestamps and durations: the integers that they are. */
static lun_status as_integers(lua_State *L, lun__host *h, lun_array **a, bool *own)
{
    lun_array *integers;
    const lun_dtype t = lun_dtype_of(*a);
    lun_status s;
    if (!lun__lua_value_is_time(t))
        return LUN_OK;
    LUN__TRY(s, lun_cast(h->engine, *a, t == LUN_DATE ? LUN_I32 : LUN_I64, &integers));
    if (s != LUN_OK)
        return s;
    if (*own)
        lun_release(*a);
    *a = integers;
    *own = true;
    return LUN_OK;
}

static lun_status load(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c,
                       operands *o)
{
    lun_status s = LUN_OK;
    for (; o->elements < k->leaves && s == LUN_OK; o->elements++) {
        lun_array **to = &o->element[o->elements];
        *to = NULL;
        if (lua_type(L, c->element[o->elements]) == LUA_TUSERDATA)
            s = lun__lua_array_load(L, h, c->element[o->elements], to,
                                    &o->own_element[o->elements]);
        else
            LUN__TRY(s, lun__lua_array_load(L, h, c->element[o->elements], to,
                                            &o->own_element[o->elements]));
        if (s == LUN_OK && (k->kind == LUN_SKELETON_MAP || k->kind == LUN_SKELETON_ZIP))
            s = as_integers(L, h, to, &o->own_element[o->elements]);
    }
    for (; o->extras < c->extras && s == LUN_OK; o->extras++) {
        o->extra[o->extras] = NULL;
        LUN__TRY(s, lun__lua_array_load(L, h, c->extra + o->extras, &o->extra[o->extras],
                                        &o->own[o->extras]));
    }
    return s;
}

lun_skeleton_use lun__lua_skeleton_use(const lun__skeleton *k)
{
    lun_skeleton_use u = {.size = sizeof u,
                          .kind = (lun_skeleton)k->kind,
                          .f = k->f,
                          .elements = k->leaves,
                          .axes = k->axes.count,
                          .keep = k->axes.options.keep,
                          .inclusive = k->axes.inclusive};
    if (k->leaves > 1)
        memcpy(u.id, k->ids, sizeof u.id);
    else
        u.id[0] = k->id;
    return u;
}

/* Builds into outs[room]; *results: how many there are, also when that is more than room. */
static lun_status build(lun__host *h, const lun__skeleton *k, const operands *o, lun_array **outs,
                        int room, int *results)
{
    lun_engine *e = h->engine;
    lun_array *all[LUN__MOST_ARRAYS];
    *results = 1;
    if (k->kind == LUN_SKELETON_ALLPAIRS)
        return lun_allpairs(e, k->f, o->extra, o->extras, k->by, k->id, o->element[0],
                            o->element[1], outs);
    memcpy(all, o->element, (size_t)k->leaves * sizeof *all);
    if (o->extras)
        memcpy(all + k->leaves, o->extra, (size_t)o->extras * sizeof *all);
    if (k->kind == LUN_SKELETON_STENCIL)
        return lun__stencil_option_run(e, k->f, all, k->leaves + o->extras, k->leaves, &k->around,
                                       outs, room, results);
    lun_skeleton_use u = lun__lua_skeleton_use(k);
    for (int i = 0; i < k->axes.count; i++)
        u.axis[i] = o->axes[i];
    return lun_skeleton_call(e, &u, all, k->leaves + o->extras, outs, room, results);
}

/* The axes that k names of a call's array. */
static void resolve_axes(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c,
                         int *axes)
{
    int at = 0; /* an array, to whose length numbers are broadcast */
    while (at < k->leaves - 1 && !lun__lua_array_is(L, h, c->element[at]))
        at++;
    const char *wrong =
        k->axes.count ? lun__lua_along_resolve_all(L, h, c->element[at], &k->axes, axes) : NULL;
    if (wrong && c->name)
        luaL_error(L, "bad argument #%d to '%s' (%s)", c->number[at], c->name, wrong);
    if (wrong)
        lun__blame_argument(L, c->options ? c->options : c->number[at], wrong);
}

/* Loads the operands, builds, releases the operands. */
static lun_status try_call(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c,
                           lun_array **outs, int room, int *results)
{
    operands o;
    o.elements = o.extras = 0;
    resolve_axes(L, h, k, c, o.axes);
    lun_status s = load(L, h, k, c, &o);
    lua_Integer workgroup = k->workgroup ? k->workgroup : c->workgroup;
    lun_workgroup(h->engine, workgroup < LUN_MOST_WORKGROUP ? (int)workgroup : LUN_MOST_WORKGROUP);
    if (s == LUN_OK)
        LUN__TRY(s, build(h, k, &o, outs, room, results));
    lun_workgroup(h->engine, 0);
    for (int i = 0; i < o.elements; i++)
        if (o.own_element[i] && o.element[i])
            lun_release(o.element[i]);
    for (int i = 0; i < o.extras; i++)
        if (o.own[i] && o.extra[i])
            lun_release(o.extra[i]);
    return s;
}

void lun__lua_skeleton_check_out(lua_State *L, const lun__skeleton *k, const char *name,
                                 int results)
{
    if (k->outs > 0 && k->outs != results)
        luaL_error(L, "bad option 'out' of '%s' (%d dtypes for %d result%s)", name, k->outs,
                   results, results == 1 ? "" : "s");
}

void lun__lua_skeleton_convert(lua_State *L, lun__host *h, const lun__skeleton *k, const char *name,
                               int first, int results, int argument)
{
    lun__lua_skeleton_check_out(L, k, name, results);
    for (int i = 0; k->outs && i < results; i++) {
        lun_array **slot = lun__lua_array_slot(L, h, first + i), *cast;
        lun_dtype t = (lun_dtype)k->out[k->outs > 0 ? i : 0];
        if (lun_dtype_of(*slot) == t)
            continue;
        lun__error_check(L, h, lun_cast(h->engine, *slot, t, &cast), argument);
        lun_release(*slot);
        *slot = cast;
    }
}

/* A call of k, whose function returns wide records; kept: its results stay near the edges, done of
 * them have been made. */
typedef struct group {
    const lun__skeleton *k;
    const lun__call *c;
    bool kept;
    int *done;
} group;

/* The call with a function for some of the elements of the records that k's gives.  Where results
 * are kept, that takes in front what they are there: result i array i, or the first one. */
static int build_group(lua_State *L, lun__host *h, int function, const void *data)
{
    const group *of = data;
    lun__skeleton k = *of->k;
    lun__call c = *of->c;
    const int more = of->kept ? LUN_MAX_OUTPUTS : 0;
    if (k.leaves > LUN__MOST_ARRAYS - more)
        luaL_error(L, "bad option 'edge' of '%s' (\"keep\" with %d arrays, at most %d)", k.name,
                   k.leaves, LUN__MOST_ARRAYS - more);
    for (int i = 0; i < more + k.leaves; i++) {
        const int of_result = *of->done + i < k.leaves ? *of->done + i : 0;
        const int from = i < more ? of_result : i - more;
        c.element[i] = of->c->element[from];
        c.number[i] = of->c->number[from];
    }
    *of->done += more;
    k.leaves += more;
    k.f = lun__lua_function_at(L, h, function, k.leaves, false);
    return lun__lua_skeleton_call(L, h, &k, &c);
}

int lun__lua_skeleton_call(lua_State *L, lun__host *h, const lun__skeleton *k, const lun__call *c)
{
    lun_array *outs[LUN_MAX_OUTPUTS];
    const lun_skeleton_info row = lun__lua_skeleton_row(k->kind);
    int room = 1, results = 1, first = lua_gettop(L) + 1;
    check_arguments(L, h, k, c);
    lun__lua_array_new(L, h);
    if (luafn_compile_returned(L))
        lua_pop(L, 1);
    (void)luafn_compile_pairs(L);
    lun__source_line_mark(L, h);
    lun_status s = try_call(L, h, k, c, outs, room, &results);
    if (s == LUN_EARG && results > room && results <= LUN_MAX_OUTPUTS) {
        /* a function with several results: first a userdata for each of them */
        luaL_checkstack(L, results, "too many results");
        for (; room < results; room++)
            lun__lua_array_new(L, h);
        s = try_call(L, h, k, c, outs, room, &results);
    }
    const int most = row.combines ? 1 : LUN_MAX_OUTPUTS; /* each element is combined by itself */
    const int wide = s != LUN_OK && !row.folds ? lun__record_too_wide(L, most) : 0;
    if (wide) {
        lun__lua_skeleton_check_out(L, k, c->name ? c->name : k->name, wide);
        int done = 0;
        const bool kept = k->kind == LUN_SKELETON_STENCIL && lun__stencil_option_keeps(&k->around);
        lun__lua_function_push_code(L, h, k->f);
        return lun__record_in_groups(L, h, most, kept, build_group, &(group){k, c, kept, &done});
    }
    if (s != LUN_OK) {
        int number = c->number[k->leaves - 1];
        if (s == LUN_EARG || s == LUN_EDTYPE)
            number = c->extras > 0 ? c->extra_number : c->function ? c->function : number;
        lun__error_raise_as(L, h, s, number, c->name);
    }
    for (int i = 0; i < results; i++)
        *lun__lua_array_slot(L, h, first + i) = outs[i];
    const uint32_t pairs = luafn_compile_pairs(L);
    if (pairs)
        results = lun__lua_complex_pairs(L, h, first, results, pairs);
    lun__lua_skeleton_convert(L, h, k, c->name ? c->name : k->name, first, results, c->number[0]);
    return luafn_compile_returned(L) ? lun__record_gather(L, first) : results;
}

/* internal.skeletons(): the rows of the engine's table, in order. */
static int skeletons(lua_State *L)
{
    lun_skeleton_info row = {.size = sizeof row};
    lua_newtable(L);
    for (int kind = 0; lun_skeleton_describe((lun_skeleton)kind, &row); kind++) {
        lua_createtable(L, 0, 8);
        lun__field_set_text(L, "name", row.name);
        lun__field_set_text(L, "doc", row.doc);
        lun__field_set_text(L, "option", row.option);
        lun__field_set_integer(L, "arrays", row.arrays);
        lun__field_set_integer(L, "operands", row.operands);
        lun__field_set_bool(L, "extras", row.extras);
        lun__field_set_bool(L, "folds", row.folds);
        lun__field_set_bool(L, "combines", row.combines);
        lua_rawseti(L, -2, kind + 1);
    }
    return 1;
}

void lun__open_skeleton(lua_State *L, const lun__parts *p)
{
    static const luaL_Reg internal[] = {{"skeletons", skeletons}, {NULL, NULL}};
    lun__register(L, p, p->internal, internal);
    for (int kind = 0; kind < LUN_SKELETON_COUNT; kind++) {
        lua_pushvalue(L, p->host_at);
        lua_pushinteger(L, kind);
        lua_pushcclosure(L, new_skeleton, 2);
        lua_setfield(L, p->core, lun__lua_skeleton_row(kind).name);
    }
}
