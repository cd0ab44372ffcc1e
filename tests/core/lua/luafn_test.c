/* luafn_test.c - plain Lua functions as kernels: the front end's IR, run by an evaluator of
 * this test, against the Lua VM. The functions are in luafn_cases.lua and
 * ../fuzz/luafn_gen.lua, which see:
 *
 *   vector(dtype, t)         an array that the VM can index as well
 *   scalar(x)                a Scalar
 *   compile(f, params)       params: "f64", "weak i64", "array f32" or a vector; gives a program,
 *                            or nil and the message
 *   program:run(rows)        rows of elements and numbers; gives rows of results, or nil and
 *                            the message
 *   program:dtypes()         of the results
 *   program:text()           canonical IR
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lualib.h>

#include "luafn/luafn.h"
#include "luafn_eval.h"
#include "texts.h"

enum { MAX = 64 };

static lun_engine *engine;

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef struct boxed {
    lun_array *array;
    const void *data;
    lun_dtype dtype;
    int64_t length;
} boxed;

static lun_array *to_array(lua_State *L, int index)
{
    boxed *b = luaL_testudata(L, index, "test.vector");
    return b ? b->array : NULL;
}

static bool no_operation(lua_State *L, int index, lun_op *op)
{
    (void)L, (void)index, (void)op;
    return false;
}

static const lf_binding ask = {.array = to_array, .operation = no_operation};

static lun_value value_at(lua_State *L, int index)
{
    if (lua_isinteger(L, index))
        return (lun_value){LUN_I64, {.i = lua_tointeger(L, index)}};
    if (lua_isnumber(L, index))
        return (lun_value){LUN_F64, {.d = lua_tonumber(L, index)}};
    return (lun_value){LUN_BOOL, {.u = (uint64_t)lua_toboolean(L, index)}};
}

static void push_cell(lua_State *L, lun_dtype t, uint64_t cell)
{
    lun_value v = lun__dtype_cell_to_value(t, cell);
    if (v.dtype == LUN_F64)
        lua_pushnumber(L, v.as.d);
    else if (v.dtype == LUN_BOOL)
        lua_pushboolean(L, v.as.u != 0);
    else
        lua_pushinteger(L, v.as.i);
}

static lun_dtype dtype_named(lua_State *L, const char *name)
{
    lun_dtype t = LUN_F64;
    if (!lun_dtype_find(name, &t))
        luaL_error(L, "no dtype %s", name);
    return t;
}

static int vector(lua_State *L)
{
    lun_dtype t = dtype_named(L, luaL_checkstring(L, 1));
    int64_t n = (int64_t)lua_rawlen(L, 2);
    size_t size = lun__dtype_get(t)->bytes;
    char *data = lua_newuserdatauv(L, (size_t)n * size + 1, 0);
    for (int64_t i = 0; i < n; i++) {
        lua_rawgeti(L, 2, i + 1);
        uint64_t cell = lun__dtype_cell_from_value(t, value_at(L, -1));
        memcpy(data + (size_t)i * size, &cell, size);
        lua_pop(L, 1);
    }
    boxed *b = lua_newuserdatauv(L, sizeof *b, 0);
    *b = (boxed){NULL, NULL, t, n};
    luaL_setmetatable(L, "test.vector");
    if (lun_vector(engine, data, n, t, &b->array) != LUN_OK ||
        lun_data(engine, b->array, &b->data) != LUN_OK)
        return luaL_error(L, "%s", lun_error(engine));
    return 1;
}

/* scalar(x): an array of rank 0, which the VM cannot use. */
static int scalar(lua_State *L)
{
    boxed *b = lua_newuserdatauv(L, sizeof *b, 0);
    *b = (boxed){NULL, NULL, LUN_F64, 1};
    luaL_setmetatable(L, "test.vector");
    if (lun_number(engine, luaL_checknumber(L, 1), &b->array) != LUN_OK)
        return luaL_error(L, "%s", lun_error(engine));
    return 1;
}

static int vector_gc(lua_State *L)
{
    boxed *b = lua_touserdata(L, 1);
    if (b->array)
        lun_release(b->array);
    b->array = NULL;
    return 0;
}

static int vector_index(lua_State *L)
{
    boxed *b = luaL_checkudata(L, 1, "test.vector");
    lua_Integer i = luaL_checkinteger(L, 2);
    uint64_t cell = 0;
    size_t size = lun__dtype_get(b->dtype)->bytes;
    if (i < 1 || i > b->length)
        return luaL_error(L, "index %I is out of range", i);
    memcpy(&cell, (const char *)b->data + (size_t)(i - 1) * size, size);
    push_cell(L, b->dtype, cell);
    return 1;
}

static int vector_length(lua_State *L)
{
    lua_pushinteger(L, ((boxed *)luaL_checkudata(L, 1, "test.vector"))->length);
    return 1;
}

/* ---- programs -------------------------------------------------------------------------------- */

typedef struct program {
    lun_front front;
    lun_front_param param[MAX];
    eval_array own[MAX]; /* arrays among the parameters */
    int params;
    bool made;
} program;

static void read_param(lua_State *L, program *p, int i)
{
    lua_rawgeti(L, 2, i + 1);
    boxed *b = luaL_testudata(L, -1, "test.vector");
    if (b) {
        p->param[i] =
            (lun_front_param){.dtype = b->dtype, .array = true, .rank = 1, .shape = {b->length}};
        p->own[i] = (eval_array){b->data, b->length};
    } else {
        const char *name = luaL_checkstring(L, -1);
        bool weak = !strncmp(name, "weak ", 5);
        p->param[i] = (lun_front_param){.dtype = dtype_named(L, name + 5 * weak), .weak = weak};
    }
    lua_pop(L, 1);
}

/* The IR for the parameters; on failure pushes nil and the message. */
static bool specialise(lua_State *L, program *p, lun_front_result *r)
{
    lun_strbuf error = LUN_STRBUF_INIT;
    int top = lua_gettop(L);
    memset(r, 0, sizeof *r);
    lun_status s = p->front.specialise(p->front.ctx, p->param, p->params, r, &error);
    assert_int_equal(lua_gettop(L), top);
    if (s == LUN_OK) {
        s = lun__ir_verify(r->function->body, &error);
        if (s != LUN_OK) {
            lun__print_ir(r->function->body, &error);
            print_error("%s\n", lun__strbuf_text(&error));
        }
        assert_int_equal(s, LUN_OK);
        texts_note_ir(r->function->body);
    }
    if (s != LUN_OK) {
        lua_pushnil(L);
        lua_pushstring(L, lun__strbuf_text(&error));
    }
    lun__strbuf_free(&error);
    return s == LUN_OK;
}

static int compile(lua_State *L)
{
    lun_strbuf error = LUN_STRBUF_INIT;
    lun_front_result r;
    program *p = lua_newuserdatauv(L, sizeof *p, 1);
    memset(p, 0, sizeof *p);
    luaL_setmetatable(L, "test.program");
    p->params = (int)lua_rawlen(L, 2);
    for (int i = 0; i < p->params; i++)
        read_param(L, p, i);
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, -2, 1); /* keeps vectors among the parameters */
    p->made = luafn_front_make(L, 1, &ask, &p->front, &error) == LUN_OK;
    if (!p->made) {
        lua_pushnil(L);
        lua_pushstring(L, lun__strbuf_text(&error));
        lun__strbuf_free(&error);
        return 2;
    }
    return specialise(L, p, &r) ? 1 : 2;
}

static int program_gc(lua_State *L)
{
    program *p = lua_touserdata(L, 1);
    if (p->made)
        p->front.release(p->front.ctx);
    p->made = false;
    return 0;
}

static bool is_scalar(const lun_array *a)
{
    int64_t shape[LUN_MAX_RANK];
    return lun_shape(a, shape) == 0;
}

/* The arrays of the body: parameters first, then what is captured. */
static void bind_arrays(const program *p, const lun_front_result *r, eval_array *out)
{
    int n = 0;
    for (int i = 0; i < p->params; i++)
        if (p->param[i].array)
            out[n++] = p->own[i];
    for (int i = 0; i < r->arrays; i++) {
        const void *data;
        if (is_scalar(r->array[i]))
            continue;
        assert_int_equal(lun_data(engine, r->array[i], &data), LUN_OK);
        out[n++] = (eval_array){data, lun_size(r->array[i])};
    }
}

static int failed(lua_State *L, const eval *e, const lun_front_result *r)
{
    const lun_ir_ins *ins = e->failed >= 0 ? &e->ir->ins[e->failed] : NULL;
    int64_t note = !ins ? -1 : ins->kind == LUN_IR_CHECK ? ins->imm : ins->imm - 1;
    char text[400];
    lua_pushnil(L);
    if (e->fault) {
        lua_pushstring(L, e->fault);
        return 2;
    }
    assert_in_range(note, 0, r->note_count - 1);
    const char *at = strstr(r->notes[note], "%lld");
    if (at)
        snprintf(text, sizeof text, "%.*s%lld%s", (int)(at - r->notes[note]), r->notes[note],
                 (long long)e->failed_value, at + 4);
    else
        snprintf(text, sizeof text, "%s", r->notes[note]);
    lua_pushstring(L, text);
    return 2;
}

/* Pushes a row of results. */
static bool run_row(lua_State *L, const program *p, const lun_front_result *r, eval *e,
                    const eval_array *arrays)
{
    const lun_ir_function *f = r->function;
    uint64_t args[2 * MAX];
    int n = 0;
    for (int k = 0; k < p->params; k++) {
        if (p->param[k].array)
            continue;
        lua_rawgeti(L, -1, k + 1);
        args[n] = lun__dtype_cell_from_value((lun_dtype)f->body->args[n], value_at(L, -1));
        n++;
        lua_pop(L, 1);
    }
    for (int k = 0; k < r->scalars; k++)
        args[n++] = lun__dtype_cell_from_value(r->scalar_dtype[k], r->scalar[k]);
    for (int k = 0; k < r->arrays; k++) {
        lun_value x;
        if (!is_scalar(r->array[k]))
            continue;
        assert_int_equal(lun_get(engine, r->array[k], 0, &x), LUN_OK);
        args[n] = lun__dtype_cell_from_value((lun_dtype)f->body->args[n], x);
        n++;
    }
    assert_int_equal(n, f->body->arg_count);
    eval_run(e, args, arrays);
    if (e->fault || e->failed >= 0)
        return false;
    lua_createtable(L, f->outputs, 0);
    for (int k = 0; k < f->outputs; k++) {
        push_cell(L, (lun_dtype)f->body->ins[f->output[k]].dtype, e->value[f->output[k]]);
        lua_rawseti(L, -2, k + 1);
    }
    return true;
}

static int program_run(lua_State *L)
{
    program *p = luaL_checkudata(L, 1, "test.program");
    lun_front_result r;
    eval e = {0};
    eval_array arrays[2 * MAX];
    if (!specialise(L, p, &r))
        return 2;
    assert_true(eval_prepare(&e, r.function->body));
    bind_arrays(p, &r, arrays);
    lua_Integer n = (lua_Integer)lua_rawlen(L, 2);
    int results = 1;
    lua_createtable(L, (int)n, 0);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, 2, i);
        if (!run_row(L, p, &r, &e, arrays)) {
            results = failed(L, &e, &r);
            break;
        }
        lua_rawseti(L, 3, i);
        lua_pop(L, 1);
    }
    eval_free(&e);
    return results;
}

static int program_dtypes(lua_State *L)
{
    program *p = luaL_checkudata(L, 1, "test.program");
    lun_front_result r;
    if (!specialise(L, p, &r))
        return 2;
    for (int k = 0; k < r.function->outputs; k++)
        lua_pushstring(
            L, lun_dtype_name((lun_dtype)r.function->body->ins[r.function->output[k]].dtype));
    return r.function->outputs;
}

static int program_text(lua_State *L)
{
    program *p = luaL_checkudata(L, 1, "test.program");
    lun_front_result r;
    lun_strbuf text = LUN_STRBUF_INIT;
    if (!specialise(L, p, &r))
        return 2;
    lun__print_ir(r.function->body, &text);
    lua_pushstring(L, lun__strbuf_text(&text));
    lun__strbuf_free(&text);
    lua_pushinteger(L, r.function->body->count);
    return 2;
}

/* Seconds of one call of specialise: program:time(repetitions). */
static int program_time(lua_State *L)
{
    program *p = luaL_checkudata(L, 1, "test.program");
    lua_Integer n = luaL_checkinteger(L, 2);
    lun_front_result r;
    clock_t start = clock();
    for (lua_Integer i = 0; i < n; i++)
        if (!specialise(L, p, &r))
            return 2;
    lua_pushnumber(L, (double)(clock() - start) / CLOCKS_PER_SEC / (double)n);
    return 1;
}

/* ---- the state ------------------------------------------------------------------------------- */

static void new_type(lua_State *L, const char *name, const luaL_Reg *functions)
{
    luaL_newmetatable(L, name);
    luaL_setfuncs(L, functions, 0);
    if (lua_getfield(L, -1, "__index") == LUA_TNIL) {
        lua_pushvalue(L, -2);
        lua_setfield(L, -3, "__index");
    }
    lua_pop(L, 2);
}

static lua_State *new_state(void)
{
    static const luaL_Reg vectors[] = {
        {"__gc", vector_gc}, {"__index", vector_index}, {"__len", vector_length}, {NULL, NULL}};
    static const luaL_Reg programs[] = {{"__gc", program_gc},       {"run", program_run},
                                        {"dtypes", program_dtypes}, {"text", program_text},
                                        {"time", program_time},     {NULL, NULL}};
    lua_State *L = luaL_newstate();
    assert_non_null(L);
    luaL_openlibs(L);
    new_type(L, "test.vector", vectors);
    new_type(L, "test.program", programs);
    lua_register(L, "vector", vector);
    lua_register(L, "scalar", scalar);
    lua_register(L, "compile", compile);
    return L;
}

/* Runs a file that returns a table of functions; each is one test, failing by an error. */
static void run_file(const char *path, const char *name, int count)
{
    lua_State *L = new_state();
    lua_getglobal(L, "debug");
    lua_getfield(L, -1, "traceback");
    int traceback = lua_gettop(L);
    if (luaL_loadfile(L, path) || lua_pcall(L, 0, 1, traceback))
        fail_msg("%s", lua_tostring(L, -1));
    lua_getfield(L, -1, name);
    lua_pushinteger(L, count);
    if (lua_pcall(L, 1, 0, traceback))
        fail_msg("%s", lua_tostring(L, -1));
    lua_close(L);
}

/* A front end may outlive its state, but then makes nothing more. */
static void test_closed_state(void **state)
{
    (void)state;
    lua_State *L = new_state();
    lun_strbuf error = LUN_STRBUF_INIT;
    lun_front_param param = {.dtype = LUN_F64};
    lun_front_result r;
    lun_front f;
    assert_int_equal(luaL_dostring(L, "return function(x) return x + 1 end"), LUA_OK);
    assert_int_equal(luafn_front_make(L, -1, &ask, &f, &error), LUN_OK);
    assert_int_equal(f.specialise(f.ctx, &param, 1, &r, &error), LUN_OK);
    lua_close(L);
    assert_int_equal(r.function->outputs, 1);
    assert_int_equal(f.specialise(f.ctx, &param, 1, &r, &error), LUN_EARG);
    f.release(f.ctx);
    lun__strbuf_free(&error);
}

static lun_status stop_now(lua_State *L)
{
    (void)L;
    return LUN_ECANCEL;
}

/* Ends before it has an IR when whatever runs must end, and can be asked again. */
static void test_stopped(void **state)
{
    (void)state;
    lua_State *L = new_state();
    lun_strbuf error = LUN_STRBUF_INIT;
    lf_binding cancelled = ask;
    lun_front_param param = {.dtype = LUN_F64};
    lun_front_result r;
    lun_front f;
    cancelled.stopped = stop_now;
    assert_int_equal(luaL_dostring(L, "return function(x) return x + 1 end"), LUA_OK);
    assert_int_equal(luafn_front_make(L, -1, &cancelled, &f, &error), LUN_OK);
    assert_int_equal(f.specialise(f.ctx, &param, 1, &r, &error), LUN_ECANCEL);
    assert_int_equal(f.specialise(f.ctx, &param, 1, &r, &error), LUN_ECANCEL);
    f.release(f.ctx);
    lua_close(L);
    lun__strbuf_free(&error);
}

static int open_engine(void **state)
{
    (void)state;
    return lun_open(NULL, &engine) != LUN_OK;
}

static int close_engine(void **state)
{
    (void)state;
    lun_close(engine);
    return 0;
}

#define CASES(name)                                       \
    static void test_##name(void **state)                 \
    {                                                     \
        (void)state;                                      \
        run_file("tests/core/luafn_cases.lua", #name, 0); \
    }
CASES(functions)
CASES(types)
CASES(errors)
CASES(failures)
CASES(captures)
CASES(shapes)

static void test_random(void **state)
{
    (void)state;
    run_file("tests/fuzz/luafn_gen.lua", "check", 300);
}

int main(int argc, char **argv)
{
    if (argc >
        2) { /* luafn_condition_test FILE NAME [COUNT]: one function of a file, for the fuzzer */
        if (lun_open(NULL, &engine) != LUN_OK)
            return 1;
        run_file(argv[1], argv[2], argc > 3 ? atoi(argv[3]) : 0);
        lun_close(engine);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions), cmocka_unit_test(test_types),
        cmocka_unit_test(test_errors),    cmocka_unit_test(test_failures),
        cmocka_unit_test(test_captures),  cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_random),    cmocka_unit_test(test_closed_state),
        cmocka_unit_test(test_stopped),
    };
    return texts_check(cmocka_run_group_tests(tests, open_engine, close_engine), __FILE__);
}
