/* capi.c - the C interface misused: NULL for every pointer, values that no enumeration has,
 * lengths and ranks that make no sense, handles of another engine and freed ones, and random
 * sequences of calls.  A call that fails must say so (a status, NULL, 0) and leave a text;
 * nothing may crash.  Each case runs in a child. */
#include "kit.h"

#include <math.h>
#include <sys/mman.h>

#include "lunarray_bind.h"

typedef struct world {
    lun_engine *e, *other;
    lun_array *a, *b, *foreign, *freed, *m, *s;
    lun_function *f;
    lun_plan *p;
} world;

static bool world_open(world *w)
{
    double x[4] = {1, 2, 3, 4};
    const int64_t shape[2] = {2, 2};
    lun_config c = {.size = sizeof c, .backend = "reference", .cache_dir = ""};
    return lun_open(&c, &w->e) == LUN_OK && lun_open(&c, &w->other) == LUN_OK &&
           lun_vector(w->e, x, 4, LUN_F64, &w->a) == LUN_OK &&
           lun_copy(w->e, w->a, &w->b) == LUN_OK &&
           lun_vector(w->other, x, 4, LUN_F64, &w->foreign) == LUN_OK &&
           lun_copy(w->e, w->a, &w->freed) == LUN_OK && lun_free(w->e, w->freed) == LUN_OK &&
           lun_tensor(w->e, x, 2, shape, LUN_F64, &w->m) == LUN_OK &&
           lun_total_lazy(w->e, LUN_SUM, w->a, 0, &w->s) == LUN_OK &&
           lun_function_op(w->e, LUN_OP_ADD, &w->f) == LUN_OK &&
           lun_explain(w->e, &w->a, 1, &w->p) == LUN_OK;
}

/* Case `which`: 0 it failed as it must, 1 it did not fail, -1 there are no more. */
static int misuse(int which, world *w, const char **name)
{
    lun_engine *e = w->e;
    lun_array *a = w->a, *out = NULL, *none = NULL, *pair[3] = {a, NULL, a};
    lun_value v = {.dtype = LUN_F64, .as.d = 1}, bad = {.dtype = (lun_dtype)77};
    const int64_t shape[2] = {2, 2}, negative[2] = {2, -2}, huge[2] = {INT64_MAX, INT64_MAX};
    double x[4] = {0};
    int n = 0, results;
#define CASE(call)                       \
    if (which == n++) {                  \
        *name = #call;                   \
        return (call) != LUN_OK ? 0 : 1; \
    }
#define QUIET(call)     \
    if (which == n++) { \
        *name = #call;  \
        (void)(call);   \
        return 0;       \
    }
    const void *data;
    lun_function *g;
    lun_plan *p;
    CASE(lun_open(NULL, NULL))
    CASE(lun_open(&(lun_config){.size = 3}, &(lun_engine *){NULL}))
    CASE(lun_open(&(lun_config){.size = sizeof(lun_config), .backend = "\xff"},
                  &(lun_engine *){NULL}))
    CASE(lun_open(&(lun_config){.size = sizeof(lun_config), .jit = (lun_jit)99},
                  &(lun_engine *){NULL}))
    CASE(lun_open(&(lun_config){.size = sizeof(lun_config), .threads = -5}, &(lun_engine *){NULL}))
    CASE(lun_open(&(lun_config){.size = sizeof(lun_config), .memory_limit = -5},
                  &(lun_engine *){NULL}))
    CASE(lun_open(&(lun_config){.size = sizeof(lun_config), .time_limit = -5},
                  &(lun_engine *){NULL}))
    CASE(lun_open(&(lun_config){.size = sizeof(lun_config), .time_limit = (double)NAN},
                  &(lun_engine *){NULL}))
    QUIET((lun_close(NULL), 0))
    QUIET(lun_error(NULL))
    QUIET(lun_error_operand(NULL))
    QUIET(lun_error_where(NULL))
    QUIET((lun_cancel(NULL), 0))
    QUIET((lun_config_get(NULL, NULL), lun_config_get(e, NULL), 0))
    CASE(lun_mark(NULL, "x"))
    QUIET(lun_mark(e, NULL))
    QUIET((lun_workgroup(NULL, 1), lun_workgroup(e, -7), lun_workgroup(e, 1 << 30), 0))
    QUIET(lun_status_name((lun_status)-1)[0] + lun_status_name((lun_status)999)[0])
    CASE(lun_use(NULL, "openmp"))
    CASE(lun_use(e, NULL))
    CASE(lun_use(e, ""))
    CASE(lun_use(e, "opencl:999999999999"))
    CASE(lun_use(e, "reference:0"))
    QUIET(lun_backend_name(NULL))
    QUIET(lun_backend_at(NULL, 0, NULL))
    QUIET(lun_backend_at(e, -1, NULL))
    QUIET(lun_backend_at(e, 99, NULL))
    CASE(lun_math_mode(NULL, LUN_MATH_FAST))
    CASE(lun_math_mode(e, (lun_math)9))
    QUIET(lun_devices(NULL, NULL, 3))
    QUIET(lun_devices(e, NULL, 3))
    QUIET(lun_devices(e, NULL, -3))
    QUIET((lun_stats_get(NULL, NULL), lun_stats_get(e, NULL), 0))
    QUIET((lun_stats_reset(NULL), 0))
    QUIET(lun_pressure(NULL))
    QUIET((void)lun_thrifty(NULL, true))
    QUIET((lun_trim(NULL), 0))
    QUIET((lun_on_progress(NULL, NULL, NULL), 0))
    QUIET((lun_cache_info(NULL, false, NULL), lun_cache_info(e, false, NULL), 0))
    QUIET(lun_op_describe((lun_op)-1, NULL))
    QUIET(lun_op_describe(LUN_OP_ADD, NULL))
    QUIET(lun_op_find(NULL, 0, NULL))
    QUIET(lun_op_find("add", 0, NULL))
    QUIET(lun_dtype_name((lun_dtype)-1) == NULL)
    QUIET(lun_dtype_find(NULL, NULL))
    QUIET(lun_dtype_find("f32", NULL))
    QUIET(lun_dtype_size((lun_dtype)99))
    QUIET(!lun_reduction_describe((lun_reduction)-1, NULL))
    QUIET(!lun_skeleton_describe((lun_skeleton)-1, NULL))
    CASE(lun_wrap(NULL, x, 4, LUN_F64, NULL, NULL, &out))
    CASE(lun_wrap(e, NULL, 4, LUN_F64, NULL, NULL, &out))
    CASE(lun_wrap(e, x, -4, LUN_F64, NULL, NULL, &out))
    CASE(lun_wrap(e, x, INT64_MAX, LUN_F64, NULL, NULL, &out))
    CASE(lun_wrap(e, x, 4, (lun_dtype)55, NULL, NULL, &out))
    CASE(lun_wrap(e, x, 4, LUN_F64, NULL, NULL, NULL))
    CASE(lun_wrap(e, (char *)x + 1, 3, LUN_F64, NULL, NULL, &out))
    CASE(lun_vector(NULL, x, 4, LUN_F64, &out))
    CASE(lun_vector(e, x, -1, LUN_F64, &out))
    CASE(lun_vector(e, x, INT64_MAX, LUN_F64, &out))
    CASE(lun_vector(e, x, 4, LUN_DTYPE_COUNT, &out))
    CASE(lun_vector(e, x, 4, LUN_F64, NULL))
    CASE(lun_tensor(e, x, 2, NULL, LUN_F64, &out))
    CASE(lun_tensor(e, x, -1, shape, LUN_F64, &out))
    CASE(lun_tensor(e, x, 99, shape, LUN_F64, &out))
    CASE(lun_tensor(e, x, 2, negative, LUN_F64, &out))
    CASE(lun_tensor(e, NULL, 2, huge, LUN_F64, &out))
    CASE(lun_number(NULL, 1, &out))
    CASE(lun_number(e, 1, NULL))
    CASE(lun_integer(NULL, 1, &out))
    CASE(lun_integer(e, 1, NULL))
    CASE(lun_boolean(NULL, true, &out))
    CASE(lun_boolean(e, true, NULL))
    CASE(lun_full(NULL, 2, shape, LUN_F64, v, &out))
    CASE(lun_full(e, 2, NULL, LUN_F64, v, &out))
    CASE(lun_full(e, 2, huge, LUN_F64, v, &out))
    CASE(lun_full(e, 2, shape, LUN_F64, bad, &out))
    CASE(lun_full(e, 2, shape, (lun_dtype)-3, v, &out))
    CASE(lun_full(e, 2, shape, LUN_F64, v, NULL))
    CASE(lun_range(NULL, v, v, 3, LUN_F64, &out))
    CASE(lun_range(e, v, v, -3, LUN_F64, &out))
    CASE(lun_range(e, bad, v, 3, LUN_F64, &out))
    CASE(lun_range(e, v, bad, 3, LUN_F64, &out))
    CASE(lun_range(e, v, v, 3, (lun_dtype)88, &out))
    CASE(lun_range(e, v, v, 3, LUN_F64, NULL))
    CASE(lun_linspace(NULL, 0, 1, 3, LUN_F64, &out))
    CASE(lun_linspace(e, 0, 1, -3, LUN_F64, &out))
    CASE(lun_linspace(e, 0, 1, 3, (lun_dtype)88, &out))
    CASE(lun_linspace(e, 0, 1, 3, LUN_F64, NULL))
    CASE(lun_random(NULL, 2, shape, 1, LUN_UNIFORM, LUN_F64, &out))
    CASE(lun_random(e, 2, NULL, 1, LUN_UNIFORM, LUN_F64, &out))
    CASE(lun_random(e, 2, shape, 1, (lun_dist)5, LUN_F64, &out))
    CASE(lun_random(e, 2, shape, 1, LUN_UNIFORM, LUN_BOOL, &out))
    CASE(lun_random(e, 2, shape, 1, LUN_UNIFORM, LUN_F64, NULL))
    CASE(lun_apply(NULL, LUN_OP_ADD, pair, 2, &out))
    CASE(lun_apply(e, LUN_OP_ADD, NULL, 2, &out))
    CASE(lun_apply(e, LUN_OP_ADD, pair, 2, &out))
    CASE(lun_apply(e, LUN_OP_ADD, pair, -2, &out))
    CASE(lun_apply(e, LUN_OP_ADD, pair, 99, &out))
    CASE(lun_apply(e, (lun_op)-1, pair, 2, &out))
    CASE(lun_apply(e, (lun_op)9999, pair, 2, &out))
    CASE(lun_apply(e, LUN_OP_ADD, (lun_array *[]){a, a}, 2, NULL))
    CASE(lun_apply(e, LUN_OP_ADD, (lun_array *[]){a, w->foreign}, 2, &out))
    CASE(lun_apply(e, LUN_OP_ADD, (lun_array *[]){w->freed, a}, 2, &out))
    CASE(lun_add(NULL, a, a, &out))
    CASE(lun_add(e, NULL, a, &out))
    CASE(lun_add(e, a, NULL, &out))
    CASE(lun_add(e, a, a, NULL))
    CASE(lun_neg(NULL, a, &out))
    CASE(lun_neg(e, NULL, &out))
    CASE(lun_neg(e, a, NULL))
    CASE(lun_where(e, a, a, NULL, &out))
    CASE(lun_cast(NULL, a, LUN_F32, &out))
    CASE(lun_cast(e, NULL, LUN_F32, &out))
    CASE(lun_cast(e, a, (lun_dtype)44, &out))
    CASE(lun_cast(e, a, LUN_F32, NULL))
    CASE(lun_slice(NULL, a, 0, 1, 1, &out))
    CASE(lun_slice(e, NULL, 0, 1, 1, &out))
    CASE(lun_slice(e, a, 0, 2, 0, &out))
    CASE(lun_slice(e, a, INT64_MIN, 2, INT64_MIN, &out))
    CASE(lun_slice(e, a, 0, INT64_MAX, INT64_MAX, &out))
    CASE(lun_slice(e, a, 0, 2, 1, NULL))
    CASE(lun_concat(NULL, a, a, &out))
    CASE(lun_concat(e, NULL, a, &out))
    CASE(lun_concat(e, a, NULL, &out))
    CASE(lun_concat(e, a, a, NULL))
    CASE(lun_reshape(NULL, a, 2, shape, &out))
    CASE(lun_reshape(e, a, 2, NULL, &out))
    CASE(lun_reshape(e, a, 2, negative, &out))
    CASE(lun_reshape(e, a, 2, huge, &out))
    CASE(lun_reshape(e, a, 77, shape, &out))
    CASE(lun_reshape(e, a, 2, shape, NULL))
    CASE(lun_row(NULL, w->m, 0, &out))
    CASE(lun_row(e, w->m, -1, &out))
    CASE(lun_row(e, w->m, INT64_MAX, &out))
    CASE(lun_row(e, a, 0, &out))
    CASE(lun_row(e, w->m, 0, NULL))
    CASE(lun_function_op(NULL, LUN_OP_ADD, &g))
    CASE(lun_function_op(e, (lun_op)-5, &g))
    CASE(lun_function_op(e, LUN_OP_ADD, NULL))
    CASE(lun_function_c(NULL, "(int x){ return x; }", &g))
    CASE(lun_function_c(e, NULL, &g))
    CASE(lun_function_c(e, "", &g))
    CASE(lun_function_c(e, "(int x){ return x; }", NULL))
    CASE(lun_function_file(NULL, "/x", &g))
    CASE(lun_function_file(e, NULL, &g))
    CASE(lun_function_file(e, "/dev/zero", &g))
    CASE(lun_function_file(e, "/x", NULL))
    QUIET((lun_function_retain(NULL), lun_function_release(NULL), 0))
    CASE(lun_map(NULL, w->f, a, NULL, 0, &out))
    CASE(lun_map(e, NULL, a, NULL, 0, &out))
    CASE(lun_map(e, w->f, NULL, NULL, 0, &out))
    CASE(lun_map(e, w->f, a, NULL, 1, &out))
    CASE(lun_map(e, w->f, a, &none, 1, &out))
    CASE(lun_map(e, w->f, a, &a, -1, &out))
    CASE(lun_map(e, w->f, a, &a, 1, NULL))
    CASE(lun_zip(NULL, w->f, a, a, NULL, 0, &out))
    CASE(lun_zip(e, NULL, a, a, NULL, 0, &out))
    CASE(lun_zip(e, w->f, a, NULL, NULL, 0, &out))
    CASE(lun_zip(e, w->f, a, a, NULL, 5, &out))
    CASE(lun_zip(e, w->f, a, a, NULL, 0, NULL))
    CASE(lun_call(NULL, w->f, pair, 2, 2, &out, 1, &results))
    CASE(lun_call(e, w->f, NULL, 2, 2, &out, 1, &results))
    CASE(lun_call(e, w->f, pair, 2, 2, &out, 1, &results))
    CASE(lun_call(e, w->f, (lun_array *[]){a, a}, 2, 2, NULL, 1, &results))
    CASE(lun_call(e, w->f, (lun_array *[]){a, a}, 2, -2, &out, 1, &results))
    CASE(lun_call(e, w->f, (lun_array *[]){a, a}, -2, 2, &out, 1, &results))
    CASE(lun_reduce(NULL, w->f, NULL, a, &out))
    CASE(lun_reduce(e, NULL, NULL, a, &out))
    CASE(lun_reduce(e, w->f, NULL, NULL, &out))
    CASE(lun_reduce(e, w->f, w->freed, a, &out))
    CASE(lun_reduce(e, w->f, NULL, a, NULL))
    CASE(lun_scan(NULL, w->f, NULL, a, true, &out))
    CASE(lun_scan(e, NULL, NULL, a, true, &out))
    CASE(lun_scan(e, w->f, NULL, NULL, true, &out))
    CASE(lun_scan(e, w->f, NULL, a, true, NULL))
    CASE(lun_total(NULL, LUN_SUM, a, 0, &v))
    CASE(lun_total(e, (lun_reduction)-1, a, 0, &v))
    CASE(lun_total(e, (lun_reduction)99, a, 0, &v))
    CASE(lun_total(e, LUN_SUM, NULL, 0, &v))
    CASE(lun_total(e, LUN_SUM, a, 0, NULL))
    CASE(lun_total_lazy(NULL, LUN_SUM, a, 0, &out))
    CASE(lun_total_lazy(e, (lun_reduction)99, a, 0, &out))
    CASE(lun_total_lazy(e, LUN_SUM, NULL, 0, &out))
    CASE(lun_total_lazy(e, LUN_SUM, a, 0, NULL))
    CASE(lun_eval(NULL, &a, 1))
    CASE(lun_eval(e, NULL, 1))
    CASE(lun_eval(e, &none, 1))
    CASE(lun_eval(e, &a, -1))
    CASE(lun_eval(e, &w->foreign, 1))
    CASE(lun_read(NULL, a, x, 0, 1))
    CASE(lun_read(e, NULL, x, 0, 1))
    CASE(lun_read(e, a, NULL, 0, 1))
    CASE(lun_read(e, a, x, -1, 1))
    CASE(lun_read(e, a, x, 0, -1))
    CASE(lun_read(e, a, x, INT64_MAX, INT64_MAX))
    CASE(lun_write(NULL, a, x, 0, 1))
    CASE(lun_write(e, NULL, x, 0, 1))
    CASE(lun_write(e, a, NULL, 0, 1))
    CASE(lun_write(e, a, x, 3, 2))
    CASE(lun_write(e, a, x, 1, INT64_MAX))
    CASE(lun_data(NULL, a, &data))
    CASE(lun_data(e, NULL, &data))
    CASE(lun_data(e, a, NULL))
    CASE(lun_get(NULL, a, 0, &v))
    CASE(lun_get(e, NULL, 0, &v))
    CASE(lun_get(e, a, 0, NULL))
    CASE(lun_get(e, a, 4, &v))
    CASE(lun_get(e, w->s, 1, &v))
    CASE(lun_set(NULL, a, 0, v))
    CASE(lun_set(e, NULL, 0, v))
    CASE(lun_set(e, a, -1, v))
    CASE(lun_set(e, a, 0, bad))
    CASE(lun_fill(NULL, a, v))
    CASE(lun_fill(e, NULL, v))
    CASE(lun_fill(e, a, bad))
    CASE(lun_store(NULL, a, a))
    CASE(lun_store(e, NULL, a))
    CASE(lun_store(e, a, NULL))
    CASE(lun_store(e, w->s, w->m))
    CASE(lun_store_all(NULL, &a, &a, 1))
    CASE(lun_store_all(e, NULL, &a, 1))
    CASE(lun_store_all(e, &a, NULL, 1))
    CASE(lun_store_all(e, &a, &a, -1))
    CASE(lun_store_all(e, (lun_array *[]){a, NULL}, (lun_array *[]){a, a}, 2))
    CASE(lun_copy(NULL, a, &out))
    CASE(lun_copy(e, NULL, &out))
    CASE(lun_copy(e, a, NULL))
    QUIET((lun_retain(NULL), lun_release(NULL), 0))
    CASE(lun_free(NULL, a))
    CASE(lun_free(e, NULL))
    CASE(lun_free(e, w->freed))
    CASE(lun_free(e, w->foreign))
    QUIET((int)lun_class_of(NULL) + (int)lun_dtype_of(NULL) + lun_is_weak(NULL) +
          lun_is_freed(NULL))
    QUIET(lun_length(NULL) + lun_size(NULL) + lun_pending(NULL) + lun_is_virtual(NULL))
    QUIET(lun_shape(NULL, NULL) + lun_shape(a, NULL))
    QUIET((int)lun_class_of(w->freed) + (int)lun_dtype_of(w->freed) + (int)lun_length(w->freed))
    QUIET(lun_size(w->freed) + lun_pending(w->freed) + lun_is_virtual(w->freed))
    CASE(lun_explain(NULL, &a, 1, &p))
    CASE(lun_explain(e, NULL, 1, &p))
    CASE(lun_explain(e, &none, 1, &p))
    CASE(lun_explain(e, &a, -1, &p))
    CASE(lun_explain(e, &a, 1, NULL))
    QUIET(lun_plan_count(NULL))
    QUIET(lun_plan_at(NULL, 0) == lun_plan_at(w->p, -1))
    QUIET(lun_plan_at(w->p, 1 << 30) == NULL)
    QUIET((lun_plan_release(NULL), 0))
    QUIET((lun_host_set(NULL, NULL, NULL), 0))
    QUIET(lun_host_get(NULL))
    QUIET((lun_host_begin(NULL), lun_host_end(NULL), lun_host_end(e), lun_host_end(e), 0))
    CASE(lun_host_check(NULL))
    QUIET(lun_fail(NULL, LUN_EARG, "x"))
    QUIET(lun_fail(e, LUN_EARG, NULL))
    CASE(lun_dostring(NULL, "x = 1"))
    CASE(lun_dostring(e, NULL))
    CASE(lun_dostring(e, "\x1bLua"))
    CASE(lun_dofile(NULL, "x"))
    CASE(lun_dofile(e, NULL))
    CASE(lun_dofile(e, "/"))
    CASE(lun_setglobal(NULL, "x", a))
    CASE(lun_setglobal(e, NULL, a))
    CASE(lun_setglobal(e, "x", NULL))
    QUIET(lun_setglobal(e, "x", w->foreign)) /* refused where it is used */
    CASE(lun_getglobal(NULL, "x", &out))
    CASE(lun_getglobal(e, NULL, &out))
    CASE(lun_getglobal(e, "print", &out))
    CASE(lun_getglobal(e, "print", NULL))
    CASE(lun_setnumber(NULL, "x", 1))
    CASE(lun_setnumber(e, NULL, 1))
    CASE(lun_getnumber(NULL, "x", x))
    CASE(lun_getnumber(e, NULL, x))
    CASE(lun_getnumber(e, "print", x))
    CASE(lun_setnumber(e, "n", 1) || lun_getnumber(e, "n", NULL))
    CASE(lun_settext(e, NULL, "x"))
    CASE(lun_settext(e, "x", NULL))
    CASE(lun_gettext(e, "print", NULL, NULL))
    CASE(lun_callglobal(NULL, "print", NULL, 0, NULL, 0, NULL))
    CASE(lun_callglobal(e, NULL, NULL, 0, NULL, 0, NULL))
    CASE(lun_callglobal(e, "print", NULL, -1, NULL, 0, NULL))
    CASE(lun_callglobal(e, "print", NULL, 0, NULL, 3, NULL))
    CASE(lun_register(e, "f", NULL, NULL))
    CASE(lun_time_limit(NULL, 1))
    CASE(lun_time_limit(e, NAN))
    CASE(lun_load(e, NULL, &(lun_array *){NULL}))
    CASE(lun_load(e, "x.npy", NULL))
    CASE(lun_save(e, "x.npy", NULL))
    CASE(lun_to_dlpack(e, NULL, NULL))
    CASE(lun_from_dlpack(e, NULL, NULL))
    return -1;
}

typedef struct one_case {
    int which;
    const char **name; /* of the case, written before it runs */
} one_case;

/* 0 good, 1 it did not fail, 2 no more cases, 3 the engine is unusable. */
static int run_case(void *arg)
{
    one_case *c = arg;
    world w = {0};
    lun_value v;
    if (!world_open(&w))
        return 4;
    int s = misuse(c->which, &w, c->name);
    if (s)
        return s < 0 ? 2 : 1;
    return lun_total(w.e, LUN_SUM, w.b, 0, &v) == LUN_OK && v.as.d == 10 ? 0 : 3;
}

int main(void)
{
    int which = 0, bad = 0, s;
    /* in shared memory: the child may crash */
    const char **shared =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    one_case c = {.name = shared};
    for (;; which++) {
        c.which = which;
        s = kit_child(run_case, &c, 60);
        if (s == 2)
            break;
        if (s) {
            bad++;
            fprintf(stderr, "case %d: %d: %s\n", which, s, *shared);
        }
    }
    kit_report(bad == 0, "misuse of the C interface", "%d calls, %d crash or do not fail", which,
               bad);
    return 0;
}
