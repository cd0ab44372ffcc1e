/* lua_layout.c - the options layout, align, label and readonly of functions that make arrays, and
 * a:copy(), which takes them. */
#include <string.h>

#include "bind/host/bind.h"

static const char known_layouts[] = "\"right\", \"left\" or strides {s1, s2, ...} in elements";

/* The strides in the table on the top. */
static void read_strides(lua_State *L, lun__making *out, int arg)
{
    lua_Unsigned n = lua_rawlen(L, -1);
    out->kind = LUN_LAYOUT_STRIDED;
    if (n < 1 || n > LUN_MAX_RANK)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "option layout: 1 to %d strides expected, got %I",
                                            LUN_MAX_RANK, (lua_Integer)n));
    for (out->count = 0; out->count < (int)n; out->count++) {
        int exact = 0;
        lua_rawgeti(L, -1, out->count + 1);
        lua_Integer x = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
        if (!exact || x < 1)
            lun__blame_argument(
                L, arg,
                lua_pushfstring(L, "option layout: stride %d is %s, not a positive integer",
                                out->count + 1, lun__error_push_shown(L, -1)));
        out->strides[out->count] = x;
        lua_pop(L, 1);
    }
}

static void read_layout(lua_State *L, lun__making *out, int arg)
{
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (lua_type(L, -1) == LUA_TTABLE)
        read_strides(L, out, arg);
    else if (strcmp(name, "left") == 0)
        out->kind = LUN_LAYOUT_LEFT;
    else if (strcmp(name, "right") == 0)
        out->kind = LUN_LAYOUT_RIGHT;
    else if (strcmp(name, "tiled") == 0 || strcmp(name, "auto") == 0)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "option layout: unknown layout \"%s\": %s expected",
                                            name, known_layouts));
    else
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "option layout: %s expected, got %s", known_layouts,
                                            lun__error_push_shown(L, -1)));
    out->given = true;
}

/* Memory begins at a multiple of 64 bytes, so that rows cannot have more. */
static void read_align(lua_State *L, lun__making *out, int arg)
{
    enum { MOST = 64 };
    int exact = 0;
    const lua_Integer x = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &exact) : 0;
    if (!exact || x < 1 || x > MOST || (x & (x - 1)))
        lun__blame_argument(L, arg,
                            lua_pushfstring(L,
                                            "option align: a power of two from 1 to %d expected, "
                                            "got %s",
                                            MOST, lun__error_push_shown(L, -1)));
    out->align = (int)x;
    out->given = true;
}

static void read_label(lua_State *L, lun__making *out, int arg)
{
    size_t length = 0;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
    if (!text)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "option label: a text expected, got %s",
                                            lun__error_push_shown(L, -1)));
    if (length > LUN_LABEL_MOST)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L,
                                            "option label: the label has %I bytes, at most %d are "
                                            "allowed",
                                            (lua_Integer)length, LUN_LABEL_MOST));
    memcpy(out->label, text, length + 1);
}

bool lun__lua_layout_read(lua_State *L, const char *name, lun__making *out, int arg)
{
    if (strcmp(name, "layout") == 0) {
        read_layout(L, out, arg);
    } else if (strcmp(name, "align") == 0) {
        read_align(L, out, arg);
    } else if (strcmp(name, "label") == 0) {
        read_label(L, out, arg);
    } else if (strcmp(name, "readonly") == 0) {
        if (lua_type(L, -1) != LUA_TBOOLEAN)
            lun__blame_argument(L, arg,
                                lua_pushfstring(L,
                                                "option readonly: true or false expected, got %s",
                                                lun__error_push_shown(L, -1)));
        out->readonly = lua_toboolean(L, -1);
    } else {
        return false;
    }
    return true;
}

lun__making lun__lua_layout_options(lua_State *L, int at)
{
    lun__making options = {.kind = LUN_LAYOUT_RIGHT};
    if (lua_isnoneornil(L, at))
        return options;
    luaL_checktype(L, at, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
        const char *name =
            lun__lua_along_option(L, at, "layout=left, align=64, label=rho, readonly=true");
        (void)lun__lua_layout_read(L, name, &options, at);
    }
    return options;
}

/* Strides by which each row, along the axis whose elements are neighbours, begins at a multiple of
 * that many bytes. */
static void align_rows(lua_State *L, const lun_array *a, lun__making *layout, int arg)
{
    int64_t shape[LUN_MAX_RANK], step = 1;
    const int rank = lun_shape(a, shape);
    const int64_t row = layout->align / (int64_t)lun_dtype_size(lun_dtype_of(a));
    if (layout->kind == LUN_LAYOUT_STRIDED)
        lun__blame_argument(L, arg, "option align: it goes with layout \"right\" or \"left\"");
    for (int k = 0; k < rank; k++) {
        const int axis = layout->kind == LUN_LAYOUT_LEFT ? k : rank - 1 - k;
        const int64_t n = shape[axis] > 0 ? shape[axis] : 1;
        layout->strides[axis] = step;
        if (__builtin_mul_overflow(step, n, &step) ||
            (k == 0 && row > 1 && __builtin_add_overflow(step, -step & (row - 1), &step)))
            lun__blame_argument(L, arg, "option align: the rows are too long");
    }
    layout->kind = LUN_LAYOUT_STRIDED;
    layout->count = rank;
}

/* It is an error if there are more or fewer strides than axes. */
static void settle(lua_State *L, const lun_array *a, lun__making *layout, int arg)
{
    int64_t shape[LUN_MAX_RANK];
    int rank = lun_shape(a, shape);
    if (layout->align && rank > 0)
        align_rows(L, a, layout, arg);
    if (layout->kind == LUN_LAYOUT_STRIDED && layout->count != rank)
        lun__blame_argument(L, arg,
                            lua_pushfstring(L, "option layout: %d stride%s for %d %s",
                                            layout->count, layout->count == 1 ? "" : "s", rank,
                                            rank == 1 ? "axis" : "axes"));
}

/* The userdata on the top becomes that of another array. */
static void exchange(lua_State *L, lun__host *h, lun_array *to)
{
    lun_array **slot = lun__lua_array_slot(L, h, -1);
    lun_release(*slot);
    *slot = to;
}

/* The label, and a view instead of the array, which nothing else holds then. */
static void finish(lua_State *L, lun__host *h, const lun__making *options, int arg)
{
    lun_array *to = NULL;
    lun_array *a = lun__lua_array_unevaluated(L, h, -1);
    lun_status s = LUN_OK;
    if (options->label[0])
        LUN__TRY(s, lun_set_label(h->engine, a, options->label));
    if (s == LUN_OK && options->readonly)
        LUN__TRY(s, lun_readonly(h->engine, a, &to));
    lun__error_check(L, h, s, arg);
    if (to)
        exchange(L, h, to);
}

void lun__lua_layout_apply(lua_State *L, lun__host *h, const lun__making *options, bool copy,
                           int arg)
{
    lun_array *to = NULL;
    lun_status s;
    if (options->given) {
        lun_array *a = lun__lua_array_check(L, h, -1);
        lun__making layout = *options;
        settle(L, a, &layout, arg);
        if (copy)
            LUN__TRY(s, lun_copy_layout(h->engine, a, layout.kind, layout.strides, &to));
        else
            LUN__TRY(s, lun_arrange(h->engine, a, layout.kind, layout.strides, &to));
        lun__error_check(L, h, s, arg);
        exchange(L, h, to);
    }
    finish(L, h, options, arg);
}

/* a:copy([{layout=, align=, label=, readonly=}]) */
static int array_copy(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun__making layout = lun__lua_layout_options(L, 2);
    settle(L, a, &layout, 2);
    lun_array **out = lun__lua_array_new(L, h);
    lun_status s;
    a = lun__lua_array_check(L, h, 1);
    LUN__TRY(s, lun_copy_layout(h->engine, a, layout.kind, layout.strides, out));
    lun__error_check(L, h, s, s == LUN_ESHAPE || s == LUN_ERANGE ? 2 : 1);
    finish(L, h, &layout, 2);
    lun__host_report_memory(L, h);
    return 1;
}

/* internal.column_major(a): a's elements as an array of reversed axes, column-major, for files in
 * that order. */
static int column_major(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array *turned = NULL, **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s = lun_permute(h->engine, a, NULL, &turned);
    if (s == LUN_OK)
        LUN__TRY(s, lun_arrange(h->engine, turned, LUN_LAYOUT_LEFT, NULL, out));
    lun_release(turned);
    lun__error_check(L, h, s, 1);
    return 1;
}

/* internal.copy_later(a): a:copy(), but elements are copied when one of both is written to. */
static int copy_later(lua_State *L)
{
    lun__host *h = lun__host_here(L);
    lun_array **out = lun__lua_array_new(L, h);
    lun_array *a = lun__lua_array_check(L, h, 1);
    lun_status s;
    LUN__TRY(s, lun_copy_later(h->engine, a, out));
    return lun__lua_array_give(L, h, s, 1);
}

void lun__open_layout(lua_State *L, const lun__parts *p)
{
    static const lun__entry methods[] = {{"copy", array_copy, 2}, {NULL, NULL, 0}};
    static const luaL_Reg internal[] = {
        {"column_major", column_major}, {"copy_later", copy_later}, {NULL, NULL}};
    lun__register_offer(L, p, p->methods, methods);
    lun__register(L, p, p->internal, internal);
}
